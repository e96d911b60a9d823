//! The constraints of patterns: types flow from the value to the names, and back from literals and from the uses of the names.

use super::body::{Inference, literal_kind};
use crate::model::*;

impl Inference<'_> {
    /// Types `pattern`, which values of type `ty` are compared with.
    pub(super) fn infer_pattern(&mut self, pattern: &Pattern, ty: &Type) {
        if *ty != Type::Never {
            self.table.unify(&pattern.ty, ty);
        }
        let ty = &pattern.ty;
        match &pattern.kind {
            PatternKind::Refused | PatternKind::Wildcard => {}
            PatternKind::Bind { local, sub } => {
                let bound = self.function.local(*local).ty.clone();
                self.table.unify(&bound, ty);
                if let Some(sub) = sub {
                    self.infer_pattern(sub, ty);
                }
            }
            PatternKind::Value(value) => self.infer_pattern_value(value, ty),
            PatternKind::Range { start, end, .. } => {
                for end in start.iter().chain(end) {
                    self.infer_pattern_value(end, ty);
                }
            }
            PatternKind::Or(alternatives) => alternatives.iter().for_each(|alternative| self.infer_pattern(alternative, ty)),
            PatternKind::Tuple(sequence) => self.infer_tuple_pattern(sequence, pattern),
            PatternKind::Array(sequence) => self.infer_array_pattern(sequence, pattern),
            PatternKind::Struct(StructPattern { constructor, fields, .. }) => {
                let owner = self.owner_of(constructor, ty);
                self.table.unify(ty, &owner);
                for (member, part) in fields {
                    let written = if constructor.variant.is_none() { self.written_type(&owner, member) } else { None };
                    self.infer_pattern(part, &written.unwrap_or_else(|| constructor.field_type(&owner, member)));
                }
            }
            PatternKind::Variant { variant, part } => self.infer_variant_pattern(*variant, part.as_deref(), ty),
        }
    }

    fn infer_variant_pattern(&mut self, variant: StdVariant, part: Option<&Pattern>, ty: &Type) {
        // A value that only rustc sees may be of either enum.
        let (source, owner) = (self.table.source(ty), variant.owner().or_else(|| self.table.std_enum(ty)));
        let arguments: Vec<Type> = (0..owner.map_or(1, StdEnum::arity)).map(|_| self.table.fresh()).collect();
        if let Some(source) = source {
            (0..).zip(&arguments).for_each(|(index, argument)| self.table.mark_opaque_as(argument, source.part(Part::Argument(index))));
        }
        if let (Some(part), Some(index)) = (part, owner.map_or(variant, |owner| variant.of(owner)).argument()) {
            self.table.unify(&part.ty, &arguments[index]);
        }
        if let Some(owner) = owner {
            self.table.unify(ty, &Type::Std(owner, arguments));
        }
        part.iter().for_each(|part| self.infer_pattern(part, &part.ty));
    }

    fn infer_pattern_value(&mut self, value: &Expr, ty: &Type) {
        self.expect(value, ty);
        let found = self.infer_expr(value);
        if matches!(literal_kind(value), ExprKind::Int(_)) {
            self.table.mark_exact(&found);
        }
        self.table.unify(ty, &found);
    }

    fn infer_tuple_pattern(&mut self, sequence: &Sequence, pattern: &Pattern) {
        if sequence.rest.is_none() {
            self.table.unify(&pattern.ty, &tuple_of(&sequence.parts));
        }
        let elements = match self.table.resolve(&pattern.ty) {
            Type::Tuple(elements) => elements,
            followed if followed.is_followed() && sequence.rest.is_none() => {
                (0..sequence.parts.len()).map(|position| followed.part(Part::Position(position))).collect()
            }
            Type::Variable(_) | Type::Named(_) | Type::Part(..) if sequence.rest.is_some() => {
                self.errors.push(
                    pattern.span,
                    "cannot infer the number of elements of this tuple\nhelp: write a `_` for each element instead of `..`",
                );
                Vec::new()
            }
            Type::Unit if sequence.parts.is_empty() => Vec::new(),
            Type::Refused => vec![Type::Refused; sequence.parts.len()],
            // rustc says so.
            _ => Vec::new(),
        };
        match sequence.indexed(elements.len()) {
            Some(parts) => parts.into_iter().for_each(|(index, part)| self.infer_pattern(part, &elements[index])),
            None => sequence.parts.iter().for_each(|part| self.infer_pattern(part, &part.ty)),
        }
    }

    fn infer_array_pattern(&mut self, sequence: &Sequence, pattern: &Pattern) {
        let element = match self.table.resolve(&pattern.ty) {
            Type::Array(element, _) => *element,
            Type::Variable(_) => {
                let element = self.table.fresh();
                if sequence.rest.is_some() {
                    self.errors.push(
                        pattern.span,
                        "cannot infer the number of elements of this array\nhelp: annotate the variable, such as `let a: [f32; 4] = …`",
                    );
                } else {
                    let array = Type::Array(Box::new(element.clone()), Length::of_elements(sequence.parts.len(), pattern.span));
                    self.table.unify(&pattern.ty, &array);
                }
                element
            }
            followed if followed.is_followed() => followed.part(Part::Element),
            Type::Refused => Type::Refused,
            // A slice is refused where it is copied; of anything else, rustc says that it is no array.
            _ => self.table.fresh(),
        };
        sequence.parts.iter().for_each(|part| self.infer_pattern(part, &element));
    }

    pub(super) fn infer_match(&mut self, scrutinee: &Expr, arms: &[Arm]) -> Type {
        let ty = self.infer_expr(scrutinee);
        let mut result = Type::Never;
        for arm in arms {
            self.infer_pattern(&arm.pattern, &ty);
            if let Some(guard) = &arm.guard {
                self.infer_as(guard, &Type::BOOL);
            }
            match (self.infer_expr(&arm.body), &result) {
                (Type::Never, _) => {}
                (ty, Type::Never) => result = ty,
                (ty, known) => self.table.unify(&known.clone(), &ty),
            }
        }
        if ty == Type::Never { Type::Never } else { result }
    }
}

fn tuple_of(parts: &[Pattern]) -> Type {
    if parts.is_empty() { Type::Unit } else { Type::Tuple(parts.iter().map(|part| part.ty.clone()).collect()) }
}
