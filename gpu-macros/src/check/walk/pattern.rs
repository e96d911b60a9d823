//! Patterns and `match`: in an arm, the values of its names are known, that its guard is true, and what its pattern says of an integer.

use super::facts::Facts;
use super::flow::State;
use super::walker::Walker;
use crate::check::values::form::Uniformity;
use crate::check::values::interval::Interval;
use crate::check::values::operation::name_of;
use crate::check::values::value::{Kind, Value};
use crate::model::*;

impl<'f> Walker<'f> {
    /// Gives the names in `pattern` their parts of `value`.
    pub(crate) fn bind(&mut self, pattern: &Pattern, value: &Value) {
        match &pattern.kind {
            PatternKind::Bind { local, sub } => {
                self.bind_local(*local, value);
                if let Some(sub) = sub {
                    self.bind(sub, value);
                }
            }
            PatternKind::Tuple(sequence) => {
                // The elements are told apart where the value is a tuple whose elements are known.
                let count = match &value.kind {
                    Kind::Tuple(elements) => elements.len(),
                    _ => sequence.parts.len(),
                };
                match sequence.indexed(count) {
                    Some(parts) => {
                        for (index, part) in parts {
                            let element = self.element(value, index);
                            self.bind(part, &element);
                        }
                    }
                    None => self.bind_unknown(pattern, value.spread),
                }
            }
            PatternKind::Struct(StructPattern { constructor, fields, .. }) if self.is_declared_around(constructor) => {
                for (member, part) in fields {
                    let member = self.member(value, &pattern.ty, member, &part.ty);
                    self.bind(part, &member);
                }
            }
            // Which alternative a variable comes from depends on the whole value.
            PatternKind::Or(_) | PatternKind::Array(_) | PatternKind::Struct(_) | PatternKind::Variant { .. } => {
                self.bind_unknown(pattern, value.spread);
            }
            PatternKind::Refused | PatternKind::Wildcard | PatternKind::Value(_) | PatternKind::Range { .. } => {}
        }
    }

    /// Whether it is a struct of which the text around the function tells something. What else is written like this may be a variant of an
    /// enum: then two patterns may give one name to two fields.
    fn is_declared_around(&self, constructor: &Constructor) -> bool {
        let owner = constructor.path.get_ident();
        self.function.field_types.iter().any(|known| Some(&known.owner) == owner)
    }

    fn bind_unknown(&mut self, pattern: &Pattern, spread: Uniformity) {
        for local in pattern.bindings() {
            let unknown = self.unknown(spread, &self.function.local(local).ty);
            self.bind_local(local, &unknown);
        }
    }

    fn bind_local(&mut self, local: LocalId, value: &Value) {
        if self.assigned.contains(&local) {
            self.assign_version(local, Some(value.clone()), value.spread);
        } else {
            let value = self.quantity(value);
            self.values.insert(local, value);
        }
    }

    /// `let pattern = value` in a condition: which threads find it true depends on the value alone.
    pub(crate) fn let_condition(&mut self, pattern: &Pattern, value: &'f Expr) -> Value {
        let value = self.expr(value);
        self.bind(pattern, &value);
        self.fresh(value.spread, Interval::up_to(1))
    }

    /// A `match` of type `ty`.
    pub(crate) fn match_arms(&mut self, ty: &Type, scrutinee: &'f Expr, arms: &'f [Arm]) -> Value {
        let value = self.expr(scrutinee);
        // Which threads are in an arm together depends on the value, and on the guards of the arms up to it.
        let mut spread = value.spread;
        let before = self.facts.clone();
        let mut results: Vec<(Value, State)> = Vec::new();
        for arm in arms {
            let conditions = self.conditions_of(&arm.pattern, &value);
            let mut refused = None;
            results.push(self.path(|walker| {
                walker.control = walker.control.max(spread);
                walker.bind(&arm.pattern, &value);
                conditions.iter().flatten().for_each(|condition| walker.facts.assume(condition, true));
                if let Some(guard) = &arm.guard {
                    let guard = walker.expr(guard);
                    spread = spread.max(guard.spread);
                    walker.control = walker.control.max(spread);
                    let mut otherwise = walker.state();
                    otherwise.facts.assume(&guard, false);
                    refused = Some(otherwise);
                    walker.facts.assume(&guard, true);
                }
                walker.expr(&arm.body)
            }));
            // The next arms follow the pattern of this one that did not match, or its guard, which may have changed variables.
            let at_arm = self.facts.clone();
            if let Some([condition]) = conditions.as_deref() {
                self.facts.assume(condition, false);
            }
            if let Some(refused) = refused {
                // What looks like a struct may be a variant of an enum.
                let matches_all = matches!(arm.pattern.kind, PatternKind::Wildcard | PatternKind::Bind { sub: None, .. });
                let unmatched = State { dead: matches_all, ..self.state() };
                self.join(&at_arm, vec![unmatched, refused], spread);
            }
        }
        if let [Arm { pattern, guard: None, .. }] = arms
            && pattern.is_irrefutable()
        {
            spread = Uniformity::Launch;
        }
        let alive: Vec<(Value, Facts)> =
            results.iter().filter(|(_, after)| !after.dead).map(|(result, after)| (result.clone(), after.facts.clone())).collect();
        let result = if alive.is_empty() { self.unknown(spread, ty) } else { self.one_of(&before, alive, spread, ty) };
        self.join(&before, results.into_iter().map(|(_, after)| after).collect(), spread);
        result
    }

    /// The conditions under which `pattern` matches the integer `value`, all of which must be true. `None` if they are not known.
    fn conditions_of(&mut self, pattern: &'f Pattern, value: &Value) -> Option<Vec<Value>> {
        match &pattern.kind {
            PatternKind::Bind { sub: Some(sub), .. } => self.conditions_of(sub, value),
            PatternKind::Value(number) => Some(vec![self.condition_of(BinaryOp::Equal, value, number)?]),
            PatternKind::Range { start, end, inclusive } => {
                let last = if *inclusive { BinaryOp::LessEqual } else { BinaryOp::Less };
                let ends = [(BinaryOp::GreaterEqual, start), (last, end)];
                let ends = ends.into_iter().filter_map(|(op, end)| Some((op, end.as_deref()?)));
                ends.map(|(op, end)| self.condition_of(op, value, end)).collect()
            }
            _ => None,
        }
    }

    fn condition_of(&mut self, op: BinaryOp, value: &Value, number: &'f Expr) -> Option<Value> {
        let scalar = number.ty.as_scalar().filter(|scalar| scalar.is_integer())?;
        let end = self.expr(number);
        let kind = self.comparison(op, [&number.ty; 2], value, &end);
        Some(self.operation(kind, name_of(scalar, &format!("matches {}", op.symbol())), &[value, &end], Interval::up_to(1)))
    }

    /// The block of `let … else`.
    pub(crate) fn otherwise(&mut self, block: &'f Block, value: &Value) {
        self.scoped(|walker| {
            walker.control = walker.control.max(value.spread);
            walker.block(block);
        });
    }

    pub(crate) fn variant(&mut self, value: &'f Expr) -> Value {
        let value = self.expr(value);
        self.fresh(value.spread, Interval::ANY)
    }

    /// `None`, of a type that rustc may have inferred.
    pub(crate) fn none(&mut self) -> Value {
        self.fresh(Uniformity::Launch, Interval::ANY)
    }
}
