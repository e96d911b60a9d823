//! Patterns and `match`: in an arm, only the values of its names are known, and that its guard is true.

use super::form::Spread;
use super::value::{Kind, Node, Value, largest_value};
use super::walk::Walker;
use crate::model::*;

impl<'f> Walker<'f> {
    /// Gives the names in `pattern` their parts of `value`.
    pub(super) fn bind(&mut self, pattern: &Pattern, value: &Value) {
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
            // Which alternative a variable comes from depends on the whole value.
            PatternKind::Or(_) | PatternKind::Array(_) | PatternKind::Struct(_) | PatternKind::Some(_) | PatternKind::Outcome { .. } => {
                self.bind_unknown(pattern, value.spread);
            }
            PatternKind::Refused | PatternKind::Wildcard | PatternKind::Value(_) | PatternKind::Range { .. } | PatternKind::None => {}
        }
    }

    fn bind_unknown(&mut self, pattern: &Pattern, spread: Spread) {
        for local in pattern.bindings() {
            let ceiling = self.function.local(local).ty.as_scalar().map_or(u64::MAX, largest_value);
            let unknown = self.fresh(spread, ceiling);
            self.bind_local(local, &unknown);
        }
    }

    fn bind_local(&mut self, local: LocalId, value: &Value) {
        if self.assigned.contains(&local) {
            self.assign_local(local, value.spread);
        } else {
            self.values.insert(local, value.clone());
        }
    }

    /// `let pattern = value` in a condition: which threads find it true depends on the value alone.
    pub(super) fn let_condition(&mut self, pattern: &Pattern, value: &'f Expr) -> Value {
        let value = self.expr(value);
        self.bind(pattern, &value);
        self.fresh(value.spread, 1)
    }

    pub(super) fn match_arms(&mut self, scrutinee: &'f Expr, arms: &'f [Arm]) -> Value {
        let scrutinee = self.expr(scrutinee);
        // Which threads are in an arm together depends on the value, and on the guards of the arms up to it.
        let mut spread = scrutinee.spread;
        let mut result = Spread::Launch;
        for arm in arms {
            self.scoped(|walker| {
                walker.control = walker.control.max(spread);
                walker.bind(&arm.pattern, &scrutinee);
                if let Some(guard) = &arm.guard {
                    let guard = walker.expr(guard);
                    spread = spread.max(guard.spread);
                    walker.control = walker.control.max(spread);
                    walker.facts.assume(&guard, true);
                }
                result = result.max(walker.expr(&arm.body).spread);
            });
        }
        if let [Arm { pattern, guard: None, .. }] = arms
            && pattern.is_irrefutable()
        {
            return self.fresh(result, u64::MAX);
        }
        self.fresh(spread.max(result), u64::MAX)
    }

    /// The block of `let … else`.
    pub(super) fn otherwise(&mut self, block: &'f Block, value: &Value) {
        self.scoped(|walker| {
            walker.control = walker.control.max(value.spread);
            walker.block(block);
        });
    }

    pub(super) fn some(&mut self, value: &'f Expr) -> Value {
        let value = self.expr(value);
        self.fresh(value.spread, u64::MAX)
    }

    pub(super) fn none(&mut self) -> Value {
        Node::tuple(Vec::new())
    }
}
