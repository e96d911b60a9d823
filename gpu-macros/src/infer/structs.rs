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

    pub(super) fn infer_tuple_field(&mut self, expr: &Expr, base: &Expr, index: usize) -> Type {
        let base_type = self.infer_expr(base);
        match self.table.resolve(&base_type) {
            Type::Tuple(elements) if index < elements.len() => elements[index].clone(),
            followed if followed.is_followed() => followed.part(Part::Position(index)),
            Type::Tuple(elements) => {
                self.errors.push_invalid(expr.span, format!("this tuple has {} elements, so there is no field `{index}`", elements.len()));
                self.table.fresh()
            }
            _ => {
                self.errors.push(base.span, "the type of this tuple is not known here\nhelp: destructure it, such as `let (a, b) = …`");
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

    /// Tells the literals of generic structs in `value` which instances they are, where it is to be a `ty`: `Pair { a, b }` does not say
    /// that it is a `Pair<f32>`.
    pub(super) fn expect_struct(&mut self, value: &Expr, ty: &Type) {
        match (&value.kind, self.table.resolve(ty)) {
            (ExprKind::Struct { constructor, .. }, Type::Named(named)) if named.completes(&constructor.owner) => {
                self.table.unify(&value.ty, &Type::Named(named));
            }
            (ExprKind::Block { block, .. }, ty) => block.value.iter().for_each(|value| self.expect_struct(value, &ty)),
            (ExprKind::If { then, otherwise, .. }, ty) => {
                then.value.iter().chain(otherwise).for_each(|value| self.expect_struct(value, &ty));
            }
            (ExprKind::Match { arms, .. }, ty) => arms.iter().for_each(|arm| self.expect_struct(&arm.body, &ty)),
            (ExprKind::Array(elements), Type::Array(ty, _)) => elements.iter().for_each(|element| self.expect_struct(element, &ty)),
            (ExprKind::Repeat { element, .. }, Type::Array(ty, _)) | (ExprKind::Some(element), Type::Option(ty)) => {
                self.expect_struct(element, &ty);
            }
            (ExprKind::Tuple(elements), Type::Tuple(types)) => {
                elements.iter().zip(&types).for_each(|(element, ty)| self.expect_struct(element, ty));
            }
            _ => {}
        }
    }

    /// What the constructor is of, where its value is a `ty`.
    pub(super) fn owner_of(&self, constructor: &Constructor, ty: &Type) -> NamedType {
        match self.table.resolve(ty) {
            Type::Named(named) if named.completes(&constructor.owner) => named,
            _ => constructor.owner.clone(),
        }
    }

    pub(super) fn infer_struct(&mut self, known: &Type, constructor: &Constructor, fields: &[(Member, Expr)], base: Option<&Expr>) -> Type {
        let owner = self.owner_of(constructor, known);
        for (member, value) in fields {
            self.infer_as(value, &constructor.field_type(&owner, member));
        }
        let ty = Type::Named(owner);
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
        if let Some(Type::Named(owner)) = owner.as_ref().filter(|_| receiver.is_none())
            && owner.makes_vector(&name.unraw().to_string())
        {
            return Type::Named(owner.clone());
        }
        owner.map_or_else(|| self.table.fresh(), |owner| owner.part(Part::Output(name.unraw())))
    }

    fn infer_receiver(&mut self, receiver: &Expr, name: &Ident) -> Option<Type> {
        let ty = self.infer_expr(receiver);
        match self.table.resolve(&ty) {
            named @ Type::Named(_) => return Some(named),
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
