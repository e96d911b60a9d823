//! Branches and loops: which facts hold inside, and which threads run them together.

use super::facts::Relation;
use super::form::{Spread, Symbol, SymbolKind};
use super::value::{Kind, Node, Value, is_unsigned, largest_value};
use super::walk::Walker;
use crate::model::*;

impl<'f> Walker<'f> {
    /// Some of the threads that are here together now leave `label` (or a loop or block inside it), and others may not.
    pub(super) fn leave(&mut self, label: LabelId, spread: Spread) {
        for i in (0..self.enclosing.len()).rev() {
            let enclosing = self.enclosing[i];
            let known = self.exit_spread.entry(enclosing).or_insert(Spread::Launch);
            if *known < spread {
                *known = spread;
                self.settled = false;
            }
            if enclosing == label {
                break;
            }
        }
    }

    /// Runs `body` inside a loop or labelled block: only the threads that have not left it are together there.
    pub(super) fn inside<R>(&mut self, label: LabelId, body: impl FnOnce(&mut Self) -> R) -> R {
        self.enclosing.push(label);
        let result = self.scoped(|walker| {
            let exits = walker.exit_spread.get(&label).copied().unwrap_or(Spread::Launch);
            walker.control = walker.control.max(exits);
            body(walker)
        });
        self.enclosing.pop();
        result
    }

    pub(super) fn branch(&mut self, condition: &'f Expr, then: &'f Block, otherwise: Option<&'f Expr>) -> Value {
        let condition = self.expr(condition);
        let first = self.scoped(|walker| {
            walker.control = walker.control.max(condition.spread);
            walker.facts.assume(&condition, true);
            walker.block(then)
        });
        let second = otherwise.map(|otherwise| {
            self.scoped(|walker| {
                walker.control = walker.control.max(condition.spread);
                walker.facts.assume(&condition, false);
                walker.expr(otherwise)
            })
        });
        let (first_leaves, second_leaves) = (then.diverges(), otherwise.is_some_and(Expr::diverges));
        match (first_leaves, second_leaves) {
            (true, false) => self.facts.assume(&condition, false),
            (false, true) => self.facts.assume(&condition, true),
            _ => {}
        }
        match (second, first_leaves, second_leaves) {
            (None, ..) => Node::tuple(Vec::new()),
            (Some(_), false, true) => first,
            (Some(second), true, false) => second,
            (Some(second), ..) => self.fresh(condition.spread.max(first.spread).max(second.spread), u64::MAX),
        }
    }

    pub(super) fn logical(&mut self, op: LogicalOp, left: &'f Expr, right: &'f Expr) -> Value {
        let left = self.expr(left);
        let right = self.scoped(|walker| {
            walker.control = walker.control.max(left.spread);
            walker.facts.assume(&left, op == LogicalOp::And);
            walker.expr(right)
        });
        let (name, kind) = match op {
            LogicalOp::And => ("&&", Kind::And(left.clone(), right.clone())),
            LogicalOp::Or => ("||", Kind::Or(left.clone(), right.clone())),
        };
        self.operation(kind, name.into(), &[&left, &right], 1)
    }

    pub(super) fn for_loop(&mut self, label: LabelId, counter: LocalId, range: &'f Range, body: &'f Block) -> Value {
        let ceiling = self.function.local(counter).ty.as_scalar().map_or(u64::MAX, largest_value);
        let unsigned = self.function.local(counter).ty.as_scalar().is_some_and(is_unsigned);
        let (bounds, spread) = match range {
            Range::Bounds { start, end, inclusive, adapters } => {
                let (start, end) = (self.expr(start), self.expr(end));
                let mut spread = start.spread.max(end.spread);
                for adapter in adapters {
                    if let RangeAdapter::StepBy { step, .. } = adapter {
                        spread = spread.max(self.expr(step).spread);
                    }
                }
                (Some((start, end, *inclusive)), spread)
            }
            Range::GridStride { length, .. } => {
                let length = self.expr(length);
                (Some((Node::number(0), length, false)), Spread::Thread)
            }
        };
        self.inside(label, |walker| {
            walker.leave(label, spread);
            let is_stride = matches!(range, Range::GridStride { .. });
            let value = match &bounds {
                Some((_, end, inclusive)) if unsigned => {
                    let end = end.form.largest().and_then(|end| u64::try_from(end).ok()).unwrap_or(u64::MAX);
                    let ceiling = ceiling.min(end.saturating_sub((!*inclusive).into()));
                    walker.fresh += 1;
                    let kind = if is_stride { SymbolKind::GridStride(walker.fresh) } else { SymbolKind::Fresh(walker.fresh) };
                    Node::symbol(Symbol { kind, spread: spread.max(Spread::Grid), ceiling })
                }
                _ => walker.fresh(spread.max(Spread::Grid), ceiling),
            };
            if let (Some((start, end, inclusive)), true) = (&bounds, unsigned) {
                walker.facts.add(start, Relation::LessEqual, &value);
                walker.facts.add(&value, if *inclusive { Relation::LessEqual } else { Relation::Less }, end);
            }
            if walker.assigned.contains(&counter) {
                walker.assign_local(counter, spread);
            } else {
                walker.values.insert(counter, value);
            }
            walker.block(body);
            Node::tuple(Vec::new())
        })
    }
}
