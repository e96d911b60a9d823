//! Patterns as C: a test, which is a condition without effects, and the places that the names are bound to.
//!
//! The compared values are in constants, so a test can be written anywhere, and a name's value wherever the test is true. In an or-pattern,
//! the tests select that value again: `matches_a ? a : b`.

use super::Emitter;
use super::code::{Binding, Code};
use super::expr::nothing;
use super::std_enum::value_member;
use super::structs::{struct_parts, variant_test};
use super::text::{CText, c, join};
use super::types::length;
use crate::emit::Piece;
use crate::model::*;
use quote::quote;

/// The value that patterns are compared with: a C value that does not change.
#[derive(Clone)]
pub(super) enum Subject {
    /// A name or literal, or a part of what a name stands for.
    Place(Code),
    /// The elements of a tuple that is never put together.
    Tuple(Vec<Subject>),
}

impl Subject {
    fn part(&self, index: usize) -> Subject {
        match self {
            Subject::Place(place) => Subject::Place(Code::atom(c![place.text, "._", index])),
            // One that is missing is a clash of types, which rustc reports.
            Subject::Tuple(parts) => parts.get(index).cloned().unwrap_or_else(|| Subject::Place(nothing())),
        }
    }

    /// Its value, of type `ty`.
    pub(super) fn code(&self, emitter: &mut Emitter<'_>, ty: &Type) -> Code {
        match (self, ty) {
            (Subject::Place(place), _) => place.clone(),
            (Subject::Tuple(parts), Type::Tuple(types)) => {
                let name = emitter.type_name(ty);
                let parts = parts.iter().zip(types).map(|(part, ty)| part.code(emitter, ty).text);
                Code::atom(c![name, "{", join(parts, ", "), "}"])
            }
            // `()`
            (Subject::Tuple(_), _) => nothing(),
        }
    }
}

impl Emitter<'_> {
    /// Evaluates the value that patterns are compared with, once.
    pub(super) fn subject(&mut self, value: &Expr) -> Subject {
        match &value.kind {
            ExprKind::Tuple(elements) => {
                let codes = self.operands(&elements.iter().collect::<Vec<_>>());
                let parts = codes.into_iter().zip(elements);
                Subject::Tuple(parts.map(|(code, element)| Subject::Place(self.fixed(code, &element.ty))).collect())
            }
            _ => {
                let code = self.value(value);
                Subject::Place(if matches!(value.ty, Type::Unit | Type::Never) { code } else { self.fixed(code, &value.ty) })
            }
        }
    }

    /// A name or literal with the value of `code`, which nothing changes. A variant becomes its enum in a variable only.
    fn fixed(&mut self, code: Code, ty: &Type) -> Code {
        if code.is_constant() && code.is_word() && !matches!(ty, Type::Named(_)) { code } else { self.spill(code, ty, "value") }
    }

    /// When `subject` matches. `None`: always.
    pub(super) fn test(&mut self, pattern: &Pattern, subject: &Subject) -> Option<Code> {
        match &pattern.kind {
            PatternKind::Refused => unreachable!("what was refused is not emitted"),
            PatternKind::Wildcard | PatternKind::Bind { sub: None, .. } => None,
            PatternKind::Bind { sub: Some(sub), .. } => self.test(sub, subject),
            PatternKind::Value(value) => {
                let subject = subject.code(self, &pattern.ty);
                Some(match value.kind {
                    ExprKind::Bool(true) => subject,
                    ExprKind::Bool(false) => Code::bound(Binding::Unary, subject.negated()),
                    _ => self.compare(&subject.text, "==", value),
                })
            }
            PatternKind::Range { start, end, inclusive } => {
                let subject = subject.code(self, &pattern.ty).text;
                // Nothing unsigned is below 0, and compilers warn about the question.
                let start = start.as_ref().filter(|start| !is_unsigned_zero(start));
                let start = start.map(|start| self.compare(&subject, ">=", start));
                let end = end.as_ref().map(|end| self.compare(&subject, if *inclusive { "<=" } else { "<" }, end));
                all(start.into_iter().chain(end))
            }
            PatternKind::Or(alternatives) => {
                let tests: Option<Vec<Code>> = alternatives.iter().map(|alternative| self.test(alternative, subject)).collect();
                tests.map(|tests| Code::bound(Binding::Or, join(tests.iter().map(|test| test.operand_of(Binding::And)), " || ")))
            }
            PatternKind::Tuple(_) | PatternKind::Array(_) | PatternKind::Struct(_) | PatternKind::Variant { .. } => {
                let is_variant = self.test_of_variant(pattern, subject);
                let parts = self.parts(pattern, subject);
                let tests: Vec<Code> = parts.iter().filter_map(|(part, subject)| self.test(part, subject)).collect();
                all(is_variant.into_iter().chain(tests))
            }
        }
    }

    /// Whether `subject` is of the variant that `pattern` names, if it does.
    pub(super) fn test_of_variant(&mut self, pattern: &Pattern, subject: &Subject) -> Option<Code> {
        match (&pattern.kind, subject) {
            (PatternKind::Variant { variant, .. }, Subject::Place(place)) => Some(self.test_of_std_variant(*variant, &place.text)),
            (PatternKind::Struct(part), Subject::Place(place)) => variant_test(&part.constructor, &pattern.ty, &place.text),
            _ => None,
        }
    }

    fn compare(&mut self, subject: &CText, operator: &str, value: &Expr) -> Code {
        let value = compared(value).unwrap_or_else(|| self.value(value)).operand_of(Binding::Comparison);
        Code::bound(Binding::Comparison, c![subject, " ", operator, " ", value])
    }

    /// The values of the names in `pattern`, for where its test holds.
    pub(super) fn bindings(&mut self, pattern: &Pattern, subject: &Subject) -> Vec<(LocalId, Code)> {
        match &pattern.kind {
            PatternKind::Refused => unreachable!("what was refused is not emitted"),
            PatternKind::Wildcard | PatternKind::Value(_) | PatternKind::Range { .. } => Vec::new(),
            PatternKind::Bind { local, sub } => {
                let mut bound = vec![(*local, subject.code(self, &pattern.ty))];
                bound.extend(sub.iter().flat_map(|sub| self.bindings(sub, subject)));
                bound
            }
            PatternKind::Or(alternatives) => self.picked(alternatives, subject),
            PatternKind::Tuple(_) | PatternKind::Array(_) | PatternKind::Struct(_) | PatternKind::Variant { .. } => {
                let parts = self.parts(pattern, subject);
                parts.iter().flat_map(|(part, subject)| self.bindings(part, subject)).collect()
            }
        }
    }

    /// The values of names that each of the alternatives binds.
    fn picked(&mut self, alternatives: &[Pattern], subject: &Subject) -> Vec<(LocalId, Code)> {
        let Some((first, others)) = alternatives.split_first() else { return Vec::new() };
        let bound = self.bindings(first, subject);
        if bound.is_empty() || others.is_empty() {
            return bound;
        }
        let Some(test) = self.test(first, subject) else { return bound };
        let otherwise = self.picked(others, subject);
        let pick = |(local, value): (LocalId, Code)| {
            let other = otherwise.iter().find(|(other, _)| *other == local);
            match other {
                Some((_, other)) if other.text != value.text => {
                    (local, Code::atom(c!["(", test.operand_of(Binding::Or), " ? ", value.text, " : ", other.text, ")"]))
                }
                _ => (local, value),
            }
        };
        bound.into_iter().map(pick).collect()
    }

    /// The parts of a tuple, an array, a struct or `Some`, each with the value that it is compared with.
    pub(super) fn parts<'p>(&mut self, pattern: &'p Pattern, subject: &Subject) -> Vec<(&'p Pattern, Subject)> {
        match (&pattern.kind, &pattern.ty, subject) {
            (PatternKind::Tuple(sequence), ty, _) => {
                // Of a type that only C++ knows, the pattern names every element.
                let count = if let Type::Tuple(elements) = ty { elements.len() } else { sequence.parts.len() };
                let parts = sequence.indexed(count);
                parts.into_iter().flatten().map(|(index, part)| (part, subject.part(index))).collect()
            }
            (PatternKind::Array(sequence), ty, Subject::Place(place)) => {
                let count = sequence.parts.len();
                let before = sequence.rest.unwrap_or(count);
                let parts = sequence.parts.iter().enumerate().map(|(i, part)| {
                    let index = if i < before { i.to_string().into() } else { self.index_from_end(ty, count - i) };
                    (part, Subject::Place(Code::atom(c![place.text, ".data[", index, "]"])))
                });
                parts.collect()
            }
            (PatternKind::Struct(pattern), _, Subject::Place(place)) => {
                struct_parts(pattern, &place.text).map(|(part, place)| (part, Subject::Place(Code::atom(place)))).collect()
            }
            (PatternKind::Variant { variant, part: Some(part) }, _, Subject::Place(place)) => {
                vec![(part, Subject::Place(Code::atom(c![place.text, ".", value_member(*variant)])))]
            }
            _ => Vec::new(),
        }
    }

    /// The index of an element of an array, counted from its end.
    fn index_from_end(&mut self, array: &Type, back: usize) -> CText {
        let Type::Array(_, count) = array else { return c![self.type_name(array), "::length - ", back] };
        match count.value().and_then(|count| count.checked_sub(back as u64)) {
            Some(index) => index.to_string().into(),
            None => c![length(count), " - ", back],
        }
    }

    /// Declares the names in `pattern`.
    pub(super) fn write_bindings(&mut self, pattern: &Pattern, subject: &Subject) {
        for (local, value) in self.bindings(pattern, subject) {
            self.bind(local, &value.text);
        }
    }
}

/// A constant that is compared with, which C++ must be able to do: rustc refuses any but numbers, `bool`s and enums without data.
/// `None` of anything else.
pub(super) fn compared(value: &Expr) -> Option<Code> {
    match &value.kind {
        ExprKind::Constant(path) if enum_of_variant(path).is_none() => {
            Some(Code::constant_word(CText::hole(Piece::Constant(quote!(#path)))))
        }
        _ => None,
    }
}

/// The conjunction of `tests`.
pub(super) fn all(tests: impl Iterator<Item = Code>) -> Option<Code> {
    tests.reduce(|all, test| {
        let (all, test) = (all.left_operand_of(Binding::And), test.operand_of(Binding::And));
        Code::bound(Binding::And, c![all, " && ", test])
    })
}

fn is_unsigned_zero(value: &Expr) -> bool {
    let is_unsigned = value.ty.as_scalar().is_some_and(Scalar::is_unsigned_integer);
    is_unsigned && matches!(value.kind, ExprKind::Int(IntLiteral { value: 0, .. }))
}
