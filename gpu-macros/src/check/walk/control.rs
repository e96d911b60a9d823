//! Branches and loops: which facts hold inside, and which threads run them together.

use super::facts::{Fact, Facts};
use super::implied_facts::whole_steps;
use super::reaching_barriers::ReachingBarriers;
use super::unique_counters::Rounds;
use super::walker::Walker;
use crate::check::values::form::{NormalForm, Symbol, SymbolKind, Uniformity};
use crate::check::values::interval::Interval;
use crate::check::values::value::{Kind, Node, Value};
use crate::model::*;

/// `gridDim.x` is at most 2^31 - 1, and a block has at most 1024 threads.
const MOST_THREADS_ALONG_X: i128 = ((1 << 31) - 1) * 1024;

impl<'f> Walker<'f> {
    /// Some of the threads that are here together now leave `label` (or a loop or block inside it), and others may not.
    pub(crate) fn leave(&mut self, label: LabelId, spread: Uniformity) {
        for i in (0..self.enclosing.len()).rev() {
            let enclosing = self.enclosing[i];
            let known = self.exit_spread.entry(enclosing).or_insert(Uniformity::Launch);
            if *known < spread {
                *known = spread;
                self.settled = false;
            }
            if enclosing == label {
                break;
            }
        }
    }

    /// Which threads agree on where they leave it, as far as the walk has seen.
    pub(crate) fn spread_of_exits(&self, label: LabelId) -> Uniformity {
        self.exit_spread.get(&label).copied().unwrap_or(Uniformity::Launch)
    }

    /// Runs `body` inside a loop or labelled block: only the threads that have not left it are together there.
    pub(crate) fn inside<R>(&mut self, label: LabelId, body: impl FnOnce(&mut Self) -> R) -> R {
        self.enclosing.push(label);
        let control = self.control;
        let exits = self.spread_of_exits(label);
        self.control = control.max(exits);
        let result = body(self);
        self.control = control;
        self.enclosing.pop();
        result
    }

    /// The threads that are here leave `label`.
    pub(crate) fn exit(&mut self, label: LabelId) {
        let state = self.state();
        if let Some((_, exits)) = self.exits.iter_mut().rev().find(|(around, _)| *around == label) {
            exits.push(state);
        }
        self.dead = true;
    }

    pub(crate) fn labelled_block(&mut self, label: LabelId, block: &'f Block) {
        self.rounds.insert(label, Rounds::Each(Polynomial::constant(1)));
        self.inside(label, |walker| {
            let before = walker.facts.clone();
            walker.exits.push((label, Vec::new()));
            walker.block(block);
            let (_, mut paths) = walker.exits.pop().expect("the block's own");
            paths.push(walker.state());
            let spread = walker.spread_of_exits(label);
            walker.join(&before, paths, spread);
        });
    }

    pub(crate) fn while_loop(&mut self, label: LabelId, condition: &'f Expr, body: &'f Block) {
        if self.known_rounds(condition, body).is_some() {
            return;
        }
        self.inside(label, |walker| {
            walker.iterate(label, &[condition], body, |walker| {
                let condition = walker.expr(condition);
                walker.leave(label, condition.spread);
                let mut end = walker.part_at_head(label);
                end.facts.assume(&condition, false);
                walker.facts.assume(&condition, true);
                walker.assume_last_step();
                walker.block(body);
                Some(end)
            });
        });
    }

    /// An `if` of type `ty`.
    pub(crate) fn branch(&mut self, ty: &Type, condition: &'f Expr, then: &'f Block, otherwise: Option<&'f Expr>) -> Value {
        let condition = self.expr(condition);
        let control = self.control.max(condition.spread);
        let (first, after_first) = self.path(|walker| {
            walker.control = control;
            walker.take_branch(&condition, true);
            walker.block(then)
        });
        let (second, after_second) = self.path(|walker| {
            walker.control = control;
            walker.take_branch(&condition, false);
            otherwise.map(|otherwise| walker.expr(otherwise))
        });
        let (first_leaves, second_leaves) = (after_first.dead, after_second.dead);
        let before = self.facts.clone();
        let value = match (second, first_leaves, second_leaves) {
            (None, ..) => Node::unit(),
            (Some(_), false, true) => first,
            (Some(second), true, false) => second,
            (Some(second), ..) => {
                let alternatives = vec![(first, after_first.facts.clone()), (second, after_second.facts.clone())];
                self.one_of(&before, alternatives, condition.spread, ty)
            }
        };
        self.join(&before, vec![after_first, after_second], condition.spread);
        value
    }

    /// Goes on where `condition` is `truth`. If numbers show that it is not, no thread does.
    fn take_branch(&mut self, condition: &Value, truth: bool) {
        self.facts.assume(condition, truth);
        if decided(condition).is_some_and(|decided| decided != truth) {
            (self.dead, self.ways) = (true, ReachingBarriers::default());
        }
    }

    pub(crate) fn logical(&mut self, op: LogicalOp, left: &'f Expr, right: &'f Expr) -> Value {
        let left = self.expr(left);
        let before = self.facts.clone();
        let mut assumed = Facts::default();
        let (right, after) = self.path(|walker| {
            walker.control = walker.control.max(left.spread);
            walker.facts.assume(&left, op == LogicalOp::And);
            assumed = walker.facts.clone();
            walker.expr(right)
        });
        let learned = after.facts.since(&assumed);
        let (name, kind) = match op {
            LogicalOp::And => ("&&", Kind::And(left.clone(), right.clone(), learned)),
            LogicalOp::Or => ("||", Kind::Or(left.clone(), right.clone(), learned)),
        };
        let skipped = self.state();
        self.join(&before, vec![skipped, after], left.spread);
        self.operation(kind, name.to_owned(), &[&left, &right], Interval::up_to(1))
    }

    pub(crate) fn for_loop(&mut self, label: LabelId, counter: LocalId, range: &'f Range, body: &'f Block) -> Value {
        let mut steps = Vec::new();
        let (bounds, spread) = match range {
            Range::Bounds { start, end, inclusive, adapters } => {
                let (start, end) = (self.expr(start), self.expr(end));
                let mut spread = start.spread.max(end.spread);
                for adapter in adapters {
                    if let RangeAdapter::StepBy { step, .. } = adapter {
                        let step = self.expr(step);
                        spread = spread.max(step.spread);
                        steps.push(step);
                    }
                }
                // Only what runs forward starts at the start.
                steps.retain(|_| adapters.len() == 1);
                (Some((start, end, *inclusive)), spread)
            }
            Range::GridStride { length, .. } => {
                let length = self.expr(length);
                if self.interval(&length).most > i128::from(u64::MAX) - MOST_THREADS_ALONG_X {
                    self.findings.overflowing_strides.insert(label);
                }
                (Some((Node::number(0), length, false)), Uniformity::Thread)
            }
        };
        if bounds.as_ref().is_some_and(|bounds| self.known_range(counter, range, bounds, body).is_some()) {
            return Node::unit();
        }
        self.note_rounds(label, range, bounds.as_ref());
        self.inside(label, |walker| {
            walker.leave(label, spread);
            walker.iterate(label, &[], body, |walker| {
                let mut at_end = walker.part_at_head(label);
                // Threads that leave in different rounds have different numbers.
                let spread = spread.max(walker.spread_of_exits(label));
                let value = walker.counter(counter, range, bounds.as_ref(), steps.first(), spread);
                let step = match range {
                    Range::Bounds { adapters, .. } if adapters.is_empty() => Some(NormalForm::constant(1)),
                    _ => steps.first().map(|step| step.form.clone()),
                };
                walker.note_advance(label, &value, step.map(|step| value.form.plus(&step)));
                if walker.assigned.contains(&counter) {
                    walker.assign_version(counter, Some(value.clone()), spread);
                } else {
                    walker.values.insert(counter, value.clone());
                }
                if let (Range::Bounds { adapters, .. }, Some((start, end, inclusive))) = (range, &bounds)
                    && adapters.is_empty()
                {
                    if !inclusive {
                        walker.follow_rounds(label, &mut at_end, start, end);
                    }
                    walker.follow_counter(label, &value, start);
                }
                walker.block(body);
                Some(at_end)
            });
        });
        Node::unit()
    }

    /// The counter of a `for` loop from `start` to `end`, which is in the loop or not.
    fn counter(
        &mut self,
        counter: LocalId,
        range: &Range,
        bounds: Option<&(Value, Value, bool)>,
        step: Option<&Value>,
        spread: Uniformity,
    ) -> Value {
        let ty = &self.function.local(counter).ty;
        let of_type = Interval::of_type(ty.as_scalar());
        let spread = spread.max(Uniformity::Grid);
        let (Some((start, end, inclusive)), true) = (bounds, ty.as_scalar().is_some_and(Scalar::is_integer)) else {
            return self.unknown(spread, ty);
        };
        let [first, last] = [start, end].map(|bound| self.interval(bound).meet(of_type));
        let mut integers = Interval { least: first.least, most: last.most - i128::from(!inclusive) };
        // From a number by steps of another one.
        if let (Some(step), true) =
            (step.and_then(|step| step.form.as_constant()), first.least == first.most && first.least <= integers.most)
        {
            integers.most -= (integers.most - first.least) % i128::from(step.max(1));
        }
        let integers = if integers.least <= integers.most { integers.meet(of_type) } else { of_type };
        let number = self.number();
        let kind = match (range, step) {
            (Range::GridStride { .. }, _) => SymbolKind::GridStride(number),
            (_, Some(step)) if integers.is_natural() => {
                SymbolKind::Stepped { number, start: start.form.clone(), step: step.form.clone(), limit: None }
            }
            // Where each thread starts is what tells the counters of two threads apart.
            (Range::Bounds { adapters, .. }, None) if adapters.is_empty() && integers.is_natural() && start.spread > Uniformity::Launch => {
                SymbolKind::Stepped { number, start: start.form.clone(), step: NormalForm::constant(1), limit: None }
            }
            _ => SymbolKind::Fresh(number),
        };
        let symbol = Symbol::new(kind, spread, integers.largest_word());
        let value = Node::within(Kind::Unknown, NormalForm::symbol(symbol), integers);
        let (from, to) = (BinaryOp::LessEqual, if *inclusive { BinaryOp::LessEqual } else { BinaryOp::Less });
        // There is a round.
        let round = (start.spread > Uniformity::Launch).then_some((to, start, end));
        for (op, low, high) in round.into_iter().chain([(from, start, &value), (to, &value, end)]) {
            let condition = self.binary(op, [ty, ty], Some(Scalar::Bool), low.clone(), high.clone());
            self.facts.assume(&condition, true);
        }
        if let Some(Fact { left, relation, right, .. }) = step.filter(|_| !inclusive).and_then(|step| whole_steps(&value, step, start, end))
        {
            self.facts.add(&left, relation, &right);
        }
        value
    }
}

/// What a comparison of two numbers says.
pub(super) fn decided(condition: &Value) -> Option<bool> {
    let Kind::Compare(op, a, b) = &condition.kind else { return None };
    let (a, b) = (a.form.as_constant()?, b.form.as_constant()?);
    match op {
        BinaryOp::Less => Some(a < b),
        BinaryOp::LessEqual => Some(a <= b),
        BinaryOp::Greater => Some(a > b),
        BinaryOp::GreaterEqual => Some(a >= b),
        BinaryOp::Equal => Some(a == b),
        BinaryOp::NotEqual => Some(a != b),
        _ => None,
    }
}
