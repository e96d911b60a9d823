//! Patterns, aggregates and closures, for the interpreter.

use super::interpret::{Data, Flow, Machine, Outcome, UNIT};
use super::interpret_memory::UNKNOWN_LENGTH;
use crate::model::*;
use std::collections::HashMap;

impl<'f> Machine<'f> {
    /// Whether `value` matches. Its names are bound as far as the comparison comes.
    pub(super) fn matches(&mut self, pattern: &'f Pattern, value: &Data) -> Result<bool, Flow> {
        Ok(match (&pattern.kind, value) {
            (PatternKind::Wildcard, _) => true,
            (PatternKind::Bind { local, sub }, value) => {
                self.set(*local, value.clone());
                match sub {
                    Some(sub) => self.matches(sub, value)?,
                    None => true,
                }
            }
            (PatternKind::Value(expected), value) => self.expr(expected)? == *value,
            (PatternKind::Range { start, end, inclusive }, value) => {
                let after = |bound: Option<Data>| bound.is_none_or(|start| start.int() <= value.int());
                let start = start.as_ref().map(|start| self.expr(start)).transpose()?;
                let end = end.as_ref().map(|end| self.expr(end)).transpose()?;
                after(start) && end.is_none_or(|end| value.int() < end.int() || *inclusive && value.int() == end.int())
            }
            (PatternKind::Tuple(sequence) | PatternKind::Array(sequence), Data::Tuple(values)) => {
                let parts = sequence.indexed(values.len()).expect("as many as there are");
                self.all_match(parts.into_iter().map(|(index, part)| (part, &values[index])))?
            }
            (PatternKind::Struct(StructPattern { fields, .. }), Data::Struct(values)) => {
                let parts = fields.iter().map(|(member, part)| (part, &values[&member_name(member)]));
                self.all_match(parts)?
            }
            (PatternKind::Variant { part: Some(part), .. }, Data::Option(value)) => match value {
                Some(value) => self.matches(part, value)?,
                None => false,
            },
            (PatternKind::Variant { part: None, .. }, value) => *value == Data::Option(None),
            (PatternKind::Variant { variant, part: Some(part) }, Data::Result(is_ok, value)) => {
                (*variant == StdVariant::Ok) == *is_ok && self.matches(part, value)?
            }
            (PatternKind::Or(alternatives), value) => {
                for alternative in alternatives {
                    if self.matches(alternative, value)? {
                        return Ok(true);
                    }
                }
                false
            }
            (_, value) => panic!("{value:?} has another type"),
        })
    }

    fn all_match<'v>(&mut self, parts: impl Iterator<Item = (&'f Pattern, &'v Data)>) -> Result<bool, Flow> {
        for (part, value) in parts {
            if !self.matches(part, value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(super) fn match_arms(&mut self, scrutinee: &'f Expr, arms: &'f [Arm]) -> Outcome {
        let value = self.expr(scrutinee)?;
        for arm in arms {
            let alternatives = match &arm.pattern.kind {
                PatternKind::Or(alternatives) => alternatives.as_slice(),
                _ => std::slice::from_ref(&arm.pattern),
            };
            // The guard is asked about each alternative that matches.
            for alternative in alternatives {
                let taken = self.matches(alternative, &value)?
                    && match &arm.guard {
                        Some(guard) => self.expr(guard)?.bool(),
                        None => true,
                    };
                if taken {
                    return self.expr(&arm.body);
                }
            }
        }
        panic!("no arm matches {value:?}")
    }

    pub(super) fn aggregate(&mut self, expr: &'f Expr) -> Outcome {
        Ok(match &expr.kind {
            ExprKind::Tuple(elements) | ExprKind::Array(elements) => {
                Data::Tuple(elements.iter().map(|element| self.expr(element)).collect::<Result<_, _>>()?)
            }
            ExprKind::Repeat { element, length } => {
                let element = self.expr(element)?;
                Data::Tuple(vec![element; self.arithmetic(length.arithmetic()) as usize])
            }
            ExprKind::Struct { fields, .. } => {
                let fields = fields.iter().map(|(member, value)| Ok((member_name(member), self.expr(value)?)));
                Data::Struct(fields.collect::<Result<_, _>>()?)
            }
            ExprKind::Variant { variant: variant @ (StdVariant::Ok | StdVariant::Err), value: Some(value) } => {
                Data::Result(*variant == StdVariant::Ok, Box::new(self.expr(value)?))
            }
            ExprKind::Variant { value: Some(value), .. } => Data::Option(Some(Box::new(self.expr(value)?))),
            ExprKind::Variant { value: None, .. } => Data::Option(None),
            ExprKind::Either(operand) => self.expr(operand)?,
            ExprKind::CallLocal { function, args } => {
                let args = args.iter().map(|arg| self.expr(arg)).collect::<Result<Vec<_>, _>>()?;
                let closure = self.closures[function];
                for ((param, _), arg) in closure.params.iter().zip(args) {
                    self.set(*param, arg);
                }
                match self.expr(&closure.body) {
                    Err(Flow::Return(value)) => value,
                    other => other?,
                }
            }
            _ => panic!("not generated"),
        })
    }

    /// What a variable holds, or a part of it.
    pub(super) fn part(&mut self, place: &'f Expr) -> Result<&mut Data, Flow> {
        match &place.kind {
            ExprKind::Local(local) => Ok(self.variable(*local)),
            ExprKind::TupleField { base, index } => match self.part(base)? {
                Data::Tuple(values) => Ok(&mut values[*index]),
                Data::Struct(values) => Ok(values.get_mut(&index.to_string()).expect("a field")),
                unknown @ Data::Unknown(_) => Ok(unknown),
                other => panic!("no tuple: {other:?}"),
            },
            ExprKind::Field { base, name } => match self.part(base)? {
                Data::Struct(values) => Ok(values.get_mut(&name.to_string()).expect("a field")),
                unknown @ Data::Unknown(_) => Ok(unknown),
                other => panic!("no struct: {other:?}"),
            },
            ExprKind::Index { base, index, site } => {
                let index = self.expr(index)?.int();
                let length = match self.part(base)? {
                    Data::Tuple(values) => values.len() as u64,
                    Data::Unknown(_) => UNKNOWN_LENGTH,
                    other => panic!("no array: {other:?}"),
                };
                self.check(index, length, *site)?;
                match self.part(base)? {
                    Data::Tuple(values) => Ok(&mut values[index as usize]),
                    unknown @ Data::Unknown(_) => Ok(unknown),
                    other => panic!("no array: {other:?}"),
                }
            }
            _ => panic!("not generated"),
        }
    }

    pub(super) fn assign(&mut self, target: &'f Target, value: Data) -> Outcome {
        match (target, value) {
            (Target::Place(place), value) => self.store(place, value)?,
            (Target::Wildcard(_), _) => {}
            (Target::Tuple(targets, _), Data::Tuple(values)) => {
                for (target, value) in targets.iter().zip(values) {
                    self.assign(target, value)?;
                }
            }
            (Target::Tuple(..), other) => panic!("no tuple: {other:?}"),
        }
        Ok(UNIT)
    }
}

/// The struct with these numbers in it, by path.
pub(super) fn struct_of(fields: &[(String, u64)]) -> Data {
    let mut whole = HashMap::new();
    for (path, value) in fields {
        let mut names: Vec<&str> = path.trim_start_matches('.').split('.').collect();
        let last = names.pop().expect("a name");
        let mut part = &mut whole;
        for name in names {
            match part.entry(name.to_owned()).or_insert_with(|| Data::Struct(HashMap::new())) {
                Data::Struct(inner) => part = inner,
                other => panic!("no struct: {other:?}"),
            }
        }
        part.insert(last.to_owned(), Data::Int(*value));
    }
    Data::Struct(whole)
}

fn member_name(member: &Member) -> String {
    match member {
        Member::Name(name) => name.to_string(),
        Member::Position(index, _) => index.to_string(),
    }
}
