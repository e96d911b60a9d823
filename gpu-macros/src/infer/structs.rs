//! Structs and their parts.

use super::body::Inference;
use crate::model::*;
use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;

impl Inference<'_> {
    pub(super) fn infer_field(&mut self, base: &Expr, name: &Ident) -> Type {
        let base_type = self.infer_expr(base);
        match self.table.resolve(&base_type) {
            followed if followed.is_followed() => followed.part(Part::Field(name.unraw())),
            Type::Dim3 if Axis::from_name(name).is_some() => Type::USIZE,
            other => {
                self.report_field(&other, base.span, name);
                self.table.fresh()
            }
        }
    }

    fn report_field(&self, base: &Type, base_span: Span, name: &Ident) {
        let span = name.span();
        match base {
            Type::Variable(_) | Type::Opaque => self.errors.push(
                base_span,
                format!("the type of this value is not known here, so `.{name}` cannot be translated\nhelp: bind it with its type first, such as `let p: Particle = …;`"),
            ),
            Type::Slice { .. } | Type::Array(..) | Type::Shared(_) if ["len", "length", "size", "shape"].iter().any(|len| name == len) => {
                self.errors.push_invalid(
                    span,
                    format!("there is no field `{name}` in kernels\nhelp: the number of elements of a slice or an array is `x.len()`"),
                );
            }
            Type::Dim3 => self.errors.push_invalid(span, format!("there is no field `{name}` of coordinates\nhelp: they are `x`, `y` and `z`")),
            _ => self.errors.push_invalid(
                span,
                format!("the field `{name}` is not known here\nhelp: structs have fields, and `.x`, `.y` and `.z` belong to `thread_idx()`, `block_idx()`, `block_dim()` and `grid_dim()`"),
            ),
        }
    }

    pub(super) fn infer_struct(&mut self, constructor: &Constructor, fields: &[(Member, Expr)], base: Option<&Expr>) -> Type {
        let ty = Type::Named(constructor.owner.clone());
        for (member, value) in fields {
            self.infer_as(value, &constructor.field_type(member));
        }
        if let Some(base) = base {
            self.infer_as(base, &ty);
        }
        ty
    }

    /// Refuses to assign a coordinate that lowering took for the field of a struct.
    pub(super) fn check_assigned(&self, place: &Expr) {
        if let ExprKind::Field { base, .. } = &place.kind
            && self.table.resolve(&base.ty) == Type::Dim3
        {
            self.errors
                .push(place.span, "thread and block coordinates cannot be assigned\nhelp: copy the coordinate into a `let mut` first");
        }
    }

    /// A method or function of a struct: what it returns, C++ knows.
    pub(super) fn infer_associated(&mut self, owner: Option<&NamedType>, receiver: Option<&Expr>, name: &Ident, args: &[Expr]) -> Type {
        let owner = match (owner, receiver) {
            (Some(owner), _) => Some(Type::Named(owner.clone())),
            (None, Some(receiver)) => self.infer_receiver(receiver, name),
            (None, None) => None,
        };
        self.infer_arguments(args);
        match owner {
            Some(Type::Part(..)) => widened_part(name).map_or_else(|| self.table.fresh(), Type::Scalar),
            Some(owner) => owner.part(Part::Output(name.unraw())),
            None => self.table.fresh(),
        }
    }

    fn infer_receiver(&mut self, receiver: &Expr, name: &Ident) -> Option<Type> {
        let ty = self.infer_expr(receiver);
        match self.table.resolve(&ty) {
            named @ Type::Named(_) => return Some(named),
            part @ Type::Part(..) if widened_part(name).is_some() => return Some(part),
            Type::Part(..) | Type::Variable(_) | Type::Opaque => self.errors.push(
                receiver.span,
                format!("the type of this value is not known here, so `{name}` cannot be translated\nhelp: bind it with its type first, such as `let p: Particle = …;`"),
            ),
            _ => self.errors.push_invalid(
                name.span(),
                format!("there is no method `{name}` in kernels\nhelp: kernels can call the numeric methods of std, and `len` of slices and arrays"),
            ),
        }
        None
    }
}

/// What `p.weight.to_f32()` of the field of a struct returns: of all that a field may be, a float of 16 bits alone has that method,
/// as rustc checks.
fn widened_part(name: &Ident) -> Option<Scalar> {
    match name.to_string().as_str() {
        "to_f32" => Some(Scalar::F32),
        "to_f64" => Some(Scalar::F64),
        _ => None,
    }
}
