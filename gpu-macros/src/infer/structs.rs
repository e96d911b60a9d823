//! Structs and their parts.

use super::body::Inference;
use crate::model::*;
use crate::source_scope::Surroundings;
use crate::unsupported_methods::{is_of_std, refuse_method};
use proc_macro2::{Ident, Span};
use syn::ext::IdentExt;

impl Inference<'_> {
    pub(super) fn infer_field(&mut self, base: &Expr, name: &Ident) -> Type {
        let base_type = self.infer_expr(base);
        match self.table.follow(&base_type) {
            followed if followed.is_followed() => {
                let written = self.written_type(&followed, &Member::Name(name.clone()));
                written.unwrap_or_else(|| followed.part(Part::Field(name.unraw())))
            }
            Type::Dim3 if Axis::from_name(name).is_some() => Type::USIZE,
            Type::Refused => Type::Refused,
            other => {
                self.report_field(&other, base.span, name);
                self.table.unify(&other, &Type::Refused);
                Type::Refused
            }
        }
    }

    /// The type that a field of a struct of this type has in the text around the function, if that is a number, `bool` or an array
    /// of these.
    pub(super) fn written_type(&mut self, owner: &Type, member: &Member) -> Option<Type> {
        // An item of the body may have the name, and then the generated code would assert something else.
        let (owner, mut members) = struct_and_members(owner).filter(|_| self.function.items.is_empty())?;
        members.push(member.clone());
        if let Some(known) = self.field_types.iter().find(|known| known.owner == *owner && known.members == members) {
            return Some(known.ty.clone());
        }
        let function = self.function;
        let ty = self.surroundings.get_or_insert_with(|| Surroundings::of(&function.name)).type_of_field(owner, &members)?;
        self.field_types.push(FieldType { owner: owner.clone(), members, ty: ty.clone() });
        Some(ty)
    }

    /// Whether a value of this type is in a field that the text around the function shows to be an array or an `Option`.
    pub(super) fn is_written_as_std(&mut self, ty: &Type) -> bool {
        let Some((owner, members)) = likely_struct_and_members(ty).filter(|_| self.function.items.is_empty()) else { return false };
        let function = self.function;
        self.surroundings.get_or_insert_with(|| Surroundings::of(&function.name)).is_of_std(owner, &members)
    }

    pub(super) fn infer_tuple_field(&mut self, expr: &Expr, base: &Expr, index: usize) -> Type {
        let base_type = self.infer_expr(base);
        match self.table.follow(&base_type) {
            Type::Tuple(elements) if index < elements.len() => elements[index].clone(),
            followed if followed.is_followed() => {
                let written = self.written_type(&followed, &Member::Position(index, expr.span));
                written.unwrap_or_else(|| followed.part(Part::Position(index)))
            }
            Type::Refused => Type::Refused,
            Type::Tuple(elements) => {
                self.errors.push_invalid(
                    expr.span,
                    format!(
                        "this tuple has {0} elements, so there is no field `{index}`\nhelp: its fields are `0` to `{1}`",
                        elements.len(),
                        elements.len().saturating_sub(1)
                    ),
                );
                Type::Refused
            }
            _ => {
                self.errors.push(base.span, "cannot infer the type of this tuple\nhelp: destructure it, such as `let (a, b) = …`");
                Type::Refused
            }
        }
    }

    fn report_field(&self, base: &Type, base_span: Span, name: &Ident) {
        let span = name.span();
        match base {
            Type::Variable(_) | Type::Opaque => self.errors.push(
                base_span,
                format!("cannot infer the type of this value, so `.{name}` cannot be translated\nhelp: bind it with its type first, such as `let p: Particle = …;`"),
            ),
            Type::Slice { .. } | Type::Array(..) | Type::Shared(_) if ["len", "length", "size", "shape"].iter().any(|len| name == len) => {
                self.errors.push_invalid(
                    span,
                    format!("there is no field `{name}` in kernels\nhelp: the number of elements of a slice or an array is `x.len()`"),
                );
            }
            _ if Method::find(&name.to_string()).is_some() => {
                let form = Method::find(&name.to_string()).map_or_else(String::new, Method::call);
                self.errors.push_invalid(span, format!("`{name}` is a method, not a field\nhelp: call it: `.{form}`"));
            }
            Type::Dim3 => self.errors.push_invalid(span, format!("there is no field `{name}` of coordinates\nhelp: they are `x`, `y` and `z`")),
            Type::Scalar(scalar) => self.errors.push_invalid(
                span,
                format!("a value of type `{}` has no field `{name}`\nhelp: declare a struct with `#[derive(DeviceType)]` for elements with fields; `.x`, `.y` and `.z` belong to `thread_idx()`, `block_idx()`, `block_dim()` and `grid_dim()`", scalar.name()),
            ),
            Type::Tuple(elements) => {
                let names: Vec<String> = (0..elements.len()).map(|index| format!("`.{index}`")).collect();
                let (names, taken) = (names.join(", "), ["x", "y", "z"].get(..elements.len()).unwrap_or(&["x", "…"]).join(", "));
                self.errors.push_invalid(
                    span,
                    format!("a tuple has no field `{name}`\nhelp: its fields are {names}; or take it apart: `let ({taken}) = …;`"),
                );
            }
            _ => self.errors.push_invalid(
                span,
                format!("unknown field `{name}`\nhelp: structs have fields, and `.x`, `.y` and `.z` belong to `thread_idx()`, `block_idx()`, `block_dim()` and `grid_dim()`"),
            ),
        }
    }

    /// Tells what is in `value` which instance of a generic type it is, as rustc would, where it is to be a `ty`: neither `Pair { a, b }`
    /// nor `Complex::new(0.5, 1.0)` says it.
    pub(super) fn expect(&mut self, value: &Expr, ty: &Type) {
        match (&value.kind, self.table.resolve(ty)) {
            (ExprKind::Struct { constructor, .. }, Type::Named(named)) if named.completes(&constructor.owner) => {
                self.table.unify(&value.ty, &Type::Named(named));
            }
            (ExprKind::Constant(path), Type::Named(named)) if enum_of_variant(path).is_some_and(|owner| named.completes(&owner)) => {
                self.table.unify(&value.ty, &Type::Named(named));
            }
            // What is of an enum in a field, or of one that a function returns, is of that instance of it.
            (ExprKind::Struct { constructor: Constructor { variant: Some(_), .. }, .. }, expected) if expected.is_followed() => {
                self.table.unify(&value.ty, &expected);
            }
            (ExprKind::Constant(path), expected) if expected.is_followed() && enum_of_variant(path).is_some() => {
                self.table.unify(&value.ty, &expected);
            }
            (ExprKind::Associated { path: Some(path), .. }, expected @ Type::Named(_)) if path.leaves_open(&expected) => {
                self.table.unify(&value.ty, &expected);
            }
            (ExprKind::Block { block, .. }, ty) => block.value.iter().for_each(|value| self.expect(value, &ty)),
            (ExprKind::If { then, otherwise, .. }, ty) => {
                then.value.iter().chain(otherwise).for_each(|value| self.expect(value, &ty));
            }
            (ExprKind::Match { arms, .. }, ty) => arms.iter().for_each(|arm| self.expect(&arm.body, &ty)),
            (ExprKind::Array(elements), Type::Array(ty, _)) => elements.iter().for_each(|element| self.expect(element, &ty)),
            (ExprKind::Repeat { element, .. }, Type::Array(ty, _)) => self.expect(element, &ty),
            (ExprKind::Variant { variant, value: Some(value) }, Type::Std(owner, arguments)) if variant.owner() == Some(owner) => {
                variant.argument().iter().for_each(|index| self.expect(value, &arguments[*index]));
            }
            (ExprKind::Tuple(elements), Type::Tuple(types)) => {
                elements.iter().zip(&types).for_each(|(element, ty)| self.expect(element, ty));
            }
            // Of anything else, its parts say what it is.
            _ => {}
        }
    }

    /// `Hit::None`: of a generic enum, `known` may say which instance it is.
    pub(super) fn infer_variant_without_data(&mut self, path: &syn::Path, known: &Type) -> Type {
        match self.table.resolve(known) {
            Type::Variable(_) | Type::Named(_) => self.owner_of(&Constructor::new(path), known),
            other => other,
        }
    }

    /// The type of what the constructor makes or takes apart, where its value is a `ty`.
    pub(super) fn owner_of(&self, constructor: &Constructor, ty: &Type) -> Type {
        match self.table.resolve(ty) {
            Type::Named(named) if named.completes(&constructor.owner) => Type::Named(named),
            // Of an enum, this may be the only place that tells which instance of a generic one it is.
            part @ (Type::Part(..) | Type::Returned(_) | Type::Called(_)) if constructor.variant.is_some() => part,
            _ => Type::Named(constructor.owner.clone()),
        }
    }

    pub(super) fn infer_struct(&mut self, known: &Type, constructor: &Constructor, fields: &[(Member, Expr)], base: Option<&Expr>) -> Type {
        let owner = self.owner_of(constructor, known);
        for (member, value) in fields {
            self.infer_as(value, &constructor.field_type(&owner, member));
        }
        if let Some(base) = base {
            self.infer_as(base, &owner);
        }
        owner
    }

    /// Refuses to assign a coordinate that lowering took for the field of a struct, and a part of a constant.
    pub(super) fn check_assigned(&self, place: &Expr) {
        if let ExprKind::Index { base, .. } = &place.kind
            && let ExprKind::Constant(path) = &base.kind
            && !path.get_ident().is_some_and(is_variable_name)
        {
            self.errors.push_invalid(
                place.span,
                "the elements of a constant cannot be assigned\nhelp: copy it into a variable, `let mut table = TABLE;`, and change that",
            );
        }
        if let ExprKind::Field { base, .. } = &place.kind
            && self.table.resolve(&base.ty) == Type::Dim3
        {
            self.errors
                .push(place.span, "thread and block coordinates cannot be assigned\nhelp: copy the coordinate into a `let mut` first");
        }
    }

    /// A method or function of a type: what it returns, C++ knows.
    pub(super) fn infer_associated(
        &mut self,
        expr: &Expr,
        path: Option<&FunctionPath>,
        receiver: Option<&Expr>,
        name: &Ident,
        args: &[Expr],
    ) -> Type {
        let receiver = receiver.map(|receiver| self.infer_receiver(receiver, name, args.len()));
        self.infer_arguments(args);
        match (path, receiver) {
            (Some(_), _) if matches!(self.table.resolve(&expr.ty), Type::Named(_)) => expr.ty.clone(),
            (Some(path), _) if path.makes_its_owner() => Type::Named(path.owner()),
            (Some(path), _) => Type::Returned(Box::new(Returned { path: path.clone(), args: args.iter().map(Argument::new).collect() })),
            (None, Some(Some(Type::Refused))) => Type::Refused,
            (None, Some(Some(receiver))) => receiver
                .output_of_vector(&name.unraw().to_string())
                .unwrap_or_else(|| receiver.part(Part::Output(self.call_of_method(name, args)))),
            (None, _) => {
                self.table.mark_opaque(&expr.ty);
                expr.ty.clone()
            }
        }
    }

    fn call_of_method(&self, name: &Ident, args: &[Expr]) -> MethodCall {
        let is_function =
            |arg: &Expr| matches!(arg.kind, ExprKind::FunctionItem { .. }) || matches!(self.table.resolve(&arg.ty), Type::Function(_));
        MethodCall { takes_functions: args.iter().any(is_function), ..MethodCall::of_values(name, args.len()) }
    }

    pub(super) fn infer_assign(&mut self, target: &Target, value: &Expr) {
        // Here alone the place tells what the value is.
        let takes_its_type = match &value.kind {
            ExprKind::Struct { .. }
            | ExprKind::Associated { path: Some(_), .. }
            | ExprKind::If { .. }
            | ExprKind::Match { .. }
            | ExprKind::Block { .. } => true,
            ExprKind::Constant(path) => enum_of_variant(path).is_some(),
            _ => false,
        };
        if let (Target::Place(place), true) = (target, takes_its_type) {
            let ty = self.infer_expr(place);
            self.check_assigned(place);
            self.infer_as(value, &ty);
        } else {
            let ty = self.infer_expr(value);
            self.infer_target(target, &ty);
        }
    }

    fn infer_receiver(&mut self, receiver: &Expr, name: &Ident, arguments: usize) -> Option<Type> {
        let ty = self.infer_expr(receiver);
        match self.table.follow(&ty) {
            known if known.is_followed() || matches!(known, Type::Parameter(_) | Type::Refused) => return Some(known),
            // In an `impl` for a number, `self` has the methods of that trait.
            number @ Type::Scalar(_) if self.function.has_receiver => return Some(number),
            // What a device function returns: rustc continues from that call.
            unknown if self.table.is_opaque(&unknown) => {}
            Type::Variable(_) | Type::Opaque if !is_of_std(name) => self.errors.push(
                receiver.span,
                format!("cannot infer the type of this value, so `{name}` cannot be translated\nhelp: bind it with its type first, such as `let p: Particle = …;`"),
            ),
            _ => refuse_method(name, arguments, self.errors),
        }
        None
    }

    /// Whether a value of type `ty` has the functions of its traits alone: what looks like a method of a number is one of theirs.
    pub(super) fn is_abstract(&self, ty: &Type) -> bool {
        let Type::Named(NamedType { path }) = self.table.resolve(ty) else { return false };
        path.get_ident().is_some_and(|name| name == "Self" || self.function.type_params.iter().any(|param| param.name == *name))
    }
}

/// The same, where `Track::new(…)` is taken for a `Track`: a guess, which rustc must not depend on.
fn likely_struct_and_members(ty: &Type) -> Option<(&Ident, Vec<Member>)> {
    match ty {
        Type::Returned(call) => match &call.path.path.segments.iter().collect::<Vec<_>>()[..] {
            [owner, _] if call.path.qself.is_none() => Some((&owner.ident, Vec::new())),
            _ => None,
        },
        Type::Part(owner, part) => with_member(likely_struct_and_members(owner)?, part),
        ty => struct_and_members(ty),
    }
}

/// The struct of a value that has this type, or that has a member of this type: then also which.
fn struct_and_members(ty: &Type) -> Option<(&Ident, Vec<Member>)> {
    match ty {
        Type::Named(NamedType { path }) => Some((path.get_ident()?, Vec::new())),
        Type::Part(owner, part) => with_member(struct_and_members(owner)?, part),
        _ => None,
    }
}

fn with_member<'t>((owner, mut members): (&'t Ident, Vec<Member>), part: &Part) -> Option<(&'t Ident, Vec<Member>)> {
    members.push(match part {
        Part::Field(name) => Member::Name(name.clone()),
        Part::Position(index) => Member::Position(*index, owner.span()),
        Part::Element | Part::ElementAt(_) | Part::Output(..) | Part::Variant(..) | Part::Argument(_) | Part::Literal { .. } => {
            return None;
        }
    });
    Some((owner, members))
}
