//! Loops of which numbers decide how often they run.
//!
//! `let (mut d, mut offset) = (128, 1); while d > 0 { …; d /= 2; offset *= 2; }` is Blelloch's scan: where `t < d`, it is
//! `offset * (2 * t + 2) <= 256`. That follows from no [invariant](super::flow::Invariant) of one variable. But round by round, both are numbers, on
//! which all threads agree: so such a loop is walked as the statements of its rounds, one after the other. They pass their barriers together, as
//! those of any statements.
//!
//! That is tried where [numbers](Assumed::numbers) are used: for what is not proved without.

use super::assigned_locals::assigned_in;
use super::control::decided;
use super::effects::Effects;
use super::walker::Walker;
use crate::check::values::value::{Node, Value};
use crate::model::*;

/// A loop with more rounds is walked as all others are. One over the powers of two up to 1024, the largest block, has 11.
const MOST_ROUNDS: usize = 11;

/// Whether the function has a loop with barriers that may be walked so.
pub(crate) fn may_know_rounds(function: &Function) -> bool {
    function.body.any(&|expr| match &expr.kind {
        ExprKind::While { body, .. } => body.stmts.iter().any(|stmt| update(stmt).is_some()) && is_walked(body),
        ExprKind::For { range: Range::Bounds { end, .. }, body, .. } => matches!(end.kind, ExprKind::Int(_)) && is_walked(body),
        _ => false,
    })
}

impl<'f> Walker<'f> {
    /// Walks a `while` loop round by round, if numbers decide how often it runs. Else it does nothing.
    pub(super) fn known_rounds(&mut self, condition: &'f Expr, body: &'f Block) -> Option<()> {
        let rounds = self.count_rounds(condition, body)?;
        for _ in 0..rounds {
            let condition = self.expr(condition);
            self.facts.assume(&condition, true);
            self.block(body);
        }
        let condition = self.expr(condition);
        self.facts.assume(&condition, false);
        Some(())
    }

    /// The same for a `for` loop from one number to another one.
    pub(super) fn known_range(&mut self, counter: LocalId, range: &Range, bounds: &(Value, Value, bool), body: &'f Block) -> Option<()> {
        let (start, end, inclusive) = bounds;
        let (start, end) = (start.form.as_constant()?, end.form.as_constant()?.checked_add(u64::from(*inclusive))?);
        let is_short = end.checked_sub(start)? <= MOST_ROUNDS as u64 && i64::try_from(end).is_ok();
        let is_reversed = match range {
            Range::Bounds { adapters, .. } if adapters.is_empty() => false,
            Range::Bounds { adapters, .. } if matches!(adapters.as_slice(), [RangeAdapter::Rev(_)]) => true,
            _ => return None,
        };
        if !is_short || self.assigned.contains(&counter) || !self.may_walk_rounds(body) {
            return None;
        }
        for round in start..end {
            let number = if is_reversed { start + (end - 1 - round) } else { round };
            self.values.insert(counter, Node::number(number));
            self.block(body);
        }
        Some(())
    }

    fn may_walk_rounds(&self, body: &Block) -> bool {
        self.findings.assumed.numbers && self.closures == 0 && is_walked(body)
    }

    /// How often the loop runs from here.
    fn count_rounds(&mut self, condition: &'f Expr, body: &'f Block) -> Option<usize> {
        if !self.may_walk_rounds(body) {
            return None;
        }
        let is_changed_elsewhere = |local: &LocalId| {
            let others = body.stmts.iter().filter(|stmt| update(stmt).is_none_or(|(updated, _)| updated != *local));
            let mut others = others.filter_map(evaluated).chain(body.value.as_deref());
            others.any(|expr| assigned_in(self.function, &[expr], None).iter().any(|changed| changed == local))
        };
        let is_number = |walker: &Self, local: &LocalId| walker.versions.get(local).is_some_and(|value| value.form.as_constant().is_some());
        let updates = body.stmts.iter().filter_map(update).filter(|(local, _)| is_number(self, local) && !is_changed_elsewhere(local));
        let updates: Vec<(LocalId, &Expr)> = updates.collect();
        let is_updated = |local: &LocalId| updates.iter().any(|(updated, _)| updated == local);
        // The walk of the rounds finds again what this finds.
        let mut scratch = Effects::new(&self.findings.block, self.findings.assumed);
        scratch.loops = self.findings.loops.clone();
        let findings = std::mem::replace(&mut self.findings, scratch);
        let (rounds, _) = self.path(|walker| {
            for local in assigned_in(walker.function, &[condition], Some(body)).iter().filter(|local| !is_updated(local)) {
                walker.versions.remove(local);
            }
            for rounds in 0..=MOST_ROUNDS {
                let condition = walker.expr(condition);
                if !decided(&condition)? {
                    return Some(rounds);
                }
                updates.iter().for_each(|(_, update)| {
                    walker.expr(update);
                });
            }
            None
        });
        self.findings = findings;
        rounds
    }
}

/// `d /= 2;` or `offset = offset + d;`, with numbers and variables alone.
fn update(stmt: &Stmt) -> Option<(LocalId, &Expr)> {
    let Stmt::Expr(expr) = stmt else { return None };
    let (place, value) = match &expr.kind {
        ExprKind::CompoundAssign { place, value, .. } | ExprKind::Assign { target: Target::Place(place), value } => (place, value),
        _ => return None,
    };
    let ExprKind::Local(updated) = place.kind else { return None };
    let is_plain =
        |expr: &Expr| matches!(expr.kind, ExprKind::Int(_) | ExprKind::Constant(_) | ExprKind::Binary { .. } | ExprKind::Local(_));
    (!value.any(&|expr| !is_plain(expr))).then_some((updated, expr.as_ref()))
}

/// What a statement evaluates.
fn evaluated(stmt: &Stmt) -> Option<&Expr> {
    match stmt {
        Stmt::Let(binding) => binding.init.as_ref(),
        Stmt::Expr(expr) => Some(expr),
    }
}

/// Whether threads wait for each other in the body of a loop, and each that begins it gets to its end and runs each of its parts at most once.
fn is_walked(body: &Block) -> bool {
    let is_simple = |expr: &Expr| match expr.action() {
        Action::Loop | Action::Jump | Action::Atomic | Action::Call { .. } | Action::Tile | Action::Assembly => false,
        _ => !matches!(expr.kind, ExprKind::Closure(_) | ExprKind::Block { label: Some(_), .. }),
    };
    body.suspends() && !body.any(&|expr| !is_simple(expr))
}
