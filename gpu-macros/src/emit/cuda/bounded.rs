//! Checks before a loop: one shows that the indices of all iterations are in bounds.
//!
//! An index that grows with the counter of a loop is largest in the last iteration. If it is in bounds there, the loop needs no check of it:
//!
//! ```c
//! const usize last = end - 1ull;
//! if (gr_most_sum(gr_most_product(last, n), i) < data_len) {
//!   for (usize k = 0ull; k < end; k++) { the body, without these checks }
//! } else {
//!   for (usize k = 0ull; k < end; k++) { the body, with all checks }
//! }
//! ```
//!
//! So an index that is out of bounds is found where it always was, and everything that the loop does before the failure, effects included, is
//! done. A loop without iterations may be either of them.
//!
//! What varies in such an index is the counter, as a `usize`. The test is one of its [extremes](super::extremes). If a counter with a sign starts
//! below 0, its first `usize` is larger than its last one. Then the largest number of all stands for its maximum, so the test fails. Of an index
//! that is the counter, the test is `end <= length`, which the compiler may know of what the caller passes.
//!
//! A closure whose indices are checked in this way is declared once more in front of the first loop, without these checks.

use super::Emitter;
use super::checks::CheckedAt;
use super::extremes::{Index, Limits};
use super::iterations::{EveryIteration, add_assigned, bindings, checks_others, suits};
use super::text::{CText, c, join};
use crate::check::Analysis;
use crate::model::*;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The indices of a loop that are checked before it.
pub(super) struct Bounded<'m> {
    checks: Vec<Check<'m>>,
    /// The closures outside of the loop that have some of them.
    closures: Vec<(LocalId, &'m Closure)>,
}

struct Check<'m> {
    site: SiteId,
    base: &'m Expr,
    axis: Option<usize>,
    index: Rc<Index<'m>>,
}

struct Planner<'m, 'f> {
    function: &'m Function,
    analysis: &'f Analysis,
    counter: LocalId,
    /// The variables of the loop's body, and parameters of closures. Those that are an index of which the extremes are known have one.
    known: HashMap<LocalId, Option<Rc<Index<'m>>>>,
    bounded: Bounded<'m>,
    /// The sites of some index whose extremes are not known.
    unknown: HashSet<SiteId>,
    /// The calls of closures that are evaluated in every iteration.
    calls: HashSet<*const Expr>,
}

/// What `for counter in …` with this body checks before it, if no other check remains in it.
pub(super) fn plan<'m>(function: &'m Function, analysis: &Analysis, counter: LocalId, body: &'m Block) -> Option<Bounded<'m>> {
    let local = function.local(counter);
    let is_integer = local.ty.as_scalar().is_some_and(|scalar| scalar.is_integer() && scalar.bits() <= 64);
    if local.mutable || !is_integer || !suits(body, true) {
        return None;
    }
    let mut inner = HashSet::new();
    bindings(body, &mut inner);
    add_assigned(body, &mut inner);
    let known = inner.into_iter().map(|local| (local, None)).collect();
    let bounded = Bounded { checks: Vec::new(), closures: Vec::new() };
    let mut planner = Planner { function, analysis, counter, known, bounded, unknown: HashSet::new(), calls: HashSet::new() };
    planner.block(body);
    planner.drop_other_calls(body);
    let Planner { bounded, .. } = planner;
    let is_planned = |site: SiteId| bounded.checks.iter().any(|check| check.site == site);
    (!bounded.checks.is_empty() && !checks_others(body, analysis, &is_planned)).then_some(bounded)
}

impl<'m> EveryIteration<'m> for Planner<'m, '_> {
    fn variable(&mut self, local: &'m Let, init: &'m Expr) {
        if let Some(name) = local.pattern.as_name().filter(|name| !self.function.local(*name).mutable) {
            let index = self.index(init);
            self.known.insert(name, index);
        }
    }

    fn visit_own(&mut self, expr: &'m Expr) -> bool {
        match &expr.kind {
            ExprKind::CallLocal { function, args } => {
                args.iter().for_each(|arg| self.expr(arg));
                self.call(expr, *function, args);
            }
            ExprKind::Block { label: None, block } => self.block(block),
            _ => return false,
        }
        true
    }

    fn check(&mut self, site: SiteId, base: &'m Expr, index: &'m Expr, axis: Option<usize>) {
        if *self.analysis.bound(site) != Bound::Unknown {
            return;
        }
        match self
            .index(index)
            .filter(|index| index.is_short() && self.has_same_length(base) && !self.function.may_be_own_index(base, site))
        {
            Some(index) => self.bounded.checks.push(Check { site, base, axis, index }),
            None => _ = self.unknown.insert(site),
        }
    }
}

impl<'m> Planner<'m, '_> {
    /// Whether the number of elements of `base` is known before the loop, and stays the same.
    fn has_same_length(&self, base: &Expr) -> bool {
        if base.ty.is_followed() {
            return false;
        }
        let has_constant_length = base.ty.element().is_some_and(|(_, count)| count.is_some());
        has_constant_length
            || matches!(base.kind, ExprKind::Local(local) if !self.known.contains_key(&local) && !self.function.local(local).mutable)
    }

    /// A call of a closure that is declared outside of the loop, and calls no other.
    fn call(&mut self, call: &'m Expr, function: LocalId, args: &'m [Expr]) {
        let Some(Expr { kind: ExprKind::Closure(closure), .. }) = self.function.body.initial_value(function) else { return };
        let is_refused = |expr: &Expr| matches!(expr.action(), Action::Loop) || matches!(expr.kind, ExprKind::CallLocal { .. });
        // Declared again, one that copies variables would copy what they are by then.
        let is_old = |expr: &Expr| matches!(expr.kind, ExprKind::Local(local) if self.function.local(local).mutable);
        if self.known.contains_key(&function)
            || closure.params.len() != args.len()
            || closure.body.any(&is_refused)
            || (closure.is_move && closure.body.any(&is_old))
        {
            return;
        }
        let mut inner = HashSet::new();
        add_bindings(Inside::Expr(&closure.body), &mut inner);
        self.known.extend(inner.into_iter().map(|local| (local, None)));
        for ((param, _), arg) in closure.params.iter().zip(args) {
            let index = if self.function.local(*param).mutable { None } else { self.index(arg) };
            self.known.insert(*param, index);
        }
        self.calls.insert(call);
        self.expr(&closure.body);
        if !self.bounded.closures.iter().any(|(known, _)| *known == function) {
            self.bounded.closures.push((function, closure));
        }
    }

    /// Leaves the indices of closures checked of which the loop has calls that may not be evaluated, or uses other than calls; and those
    /// that are not known in one of several calls.
    fn drop_other_calls(&mut self, body: &Block) {
        let calls = &self.calls;
        let is_other_use = |expr: &Expr, closure: LocalId| match &expr.kind {
            ExprKind::Local(local) => *local == closure,
            ExprKind::CallLocal { function, .. } => *function == closure && !calls.contains(&(expr as *const Expr)),
            _ => false,
        };
        let (dropped, kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.bounded.closures).into_iter().partition(|(name, _)| body.any(&|expr| is_other_use(expr, *name)));
        for (_, closure) in dropped {
            collect_sites(&closure.body, &mut self.unknown);
        }
        let unknown = &self.unknown;
        self.bounded.checks.retain(|check| !unknown.contains(&check.site));
        let checks = &self.bounded.checks;
        let is_checked = |closure: &Closure| {
            let mut sites = HashSet::new();
            collect_sites(&closure.body, &mut sites);
            checks.iter().any(|check| sites.contains(&check.site))
        };
        self.bounded.closures = kept.into_iter().filter(|(_, closure)| is_checked(closure)).collect();
    }

    fn index(&self, expr: &'m Expr) -> Option<Rc<Index<'m>>> {
        if let ExprKind::Local(local) = expr.kind {
            if local == self.counter {
                return Some(Rc::new(Index::Varying));
            }
            if let Some(known) = self.known.get(&local) {
                return known.clone();
            }
        }
        if expr.ty != Type::USIZE {
            return None;
        }
        if self.stays_the_same(expr) {
            return Some(Rc::new(Index::Same(expr)));
        }
        match &expr.kind {
            // The other integers that a counter may be have as many values or fewer.
            ExprKind::Cast { operand, to: Scalar::Usize } => match &*self.index(operand)? {
                Index::Varying => Some(Rc::new(Index::Varying)),
                _ => None,
            },
            ExprKind::Binary { op, left, right, site: None } => {
                let (left, right) = (self.index(left)?, self.index(right)?);
                match op {
                    BinaryOp::Add => Some(Rc::new(Index::Sum(left, right))),
                    BinaryOp::Subtract => Some(Rc::new(Index::Difference(left, right))),
                    BinaryOp::Multiply => Some(Rc::new(Index::Product(left, right))),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Whether `expr` reads no memory, cannot fail, and consists of what does not change while the loop runs.
    fn stays_the_same(&self, expr: &Expr) -> bool {
        let parts_do = || {
            let mut all = true;
            expr.for_each_child(&mut |child| all = all && self.stays_the_same(child));
            all
        };
        match &expr.kind {
            ExprKind::Int(_) => true,
            ExprKind::Constant(_) => expr.ty.as_scalar().is_some(),
            ExprKind::Local(local) => {
                let declared = self.function.local(*local);
                let is_inside = *local == self.counter || self.known.contains_key(local);
                !is_inside && !declared.mutable && declared.holds != Holds::Mutable && declared.ty.as_scalar().is_some()
            }
            ExprKind::Cast { operand, .. } => operand.ty.as_scalar().is_some_and(Scalar::is_integer) && parts_do(),
            ExprKind::Binary { site: None, .. } => expr.ty.as_scalar().is_some_and(Scalar::is_integer) && parts_do(),
            ExprKind::Extent { base, .. } | ExprKind::Method { method: Method::Len, receiver: base, .. } => {
                matches!(base.kind, ExprKind::Local(local) if !self.known.contains_key(&local) && !self.function.local(local).mutable)
            }
            ExprKind::Intrinsic { intrinsic: Intrinsic::Grid1d, .. } => true,
            _ => false,
        }
    }
}

fn collect_sites(expr: &Expr, sites: &mut HashSet<SiteId>) {
    match &expr.kind {
        ExprKind::Index { site, .. } => _ = sites.insert(*site),
        ExprKind::Element { sites: of_axes, .. } => sites.extend(of_axes),
        _ => {}
    }
    expr.for_each_child(&mut |child| collect_sites(child, sites));
}

impl Bounded<'_> {
    /// Whether the check of an index asks for the last number of the counter, where the end is known that an index which is the counter is below.
    pub(super) fn needs_last(&self, has_end: bool) -> bool {
        self.checks.iter().any(|check| check.index.varies() && !(has_end && matches!(*check.index, Index::Varying)))
    }
}

impl<'m> Check<'m> {
    /// Whether it holds wherever `other` does.
    fn follows_from(&self, other: &Check<'m>) -> bool {
        let same_array = matches!((&self.base.kind, &other.base.kind), (ExprKind::Local(a), ExprKind::Local(b)) if a == b);
        same_array && self.axis == other.axis && other.index.covers(&self.index)
    }
}

impl Emitter<'_> {
    /// Writes `write`'s loop twice: without the checks that are made before it, and with all. An index that is the counter is below `end`.
    pub(super) fn write_bounded(
        &mut self,
        bounded: &Bounded<'_>,
        limits: &Limits,
        end: Option<CText>,
        write: &mut dyn FnMut(&mut Self, bool),
    ) {
        let checks = &bounded.checks;
        let is_needed = |at: &usize| {
            let follows = |from: usize| checks[*at].follows_from(&checks[from]);
            !(0..checks.len()).any(|from| from != *at && follows(from) && (from < *at || !checks[from].follows_from(&checks[*at])))
        };
        let needed: Vec<usize> = (0..checks.len()).filter(is_needed).collect();
        let conditions: Vec<CText> = needed.into_iter().map(|at| self.condition(&checks[at], limits, end.as_ref())).collect();
        self.writer.line(c!["if (", join(conditions, " && "), ") {"]);
        self.writer.indent();
        let outer = self.checked.clone();
        self.checked.extend(checks.iter().map(|check| (check.site, CheckedAt::Before)));
        for (name, closure) in &bounded.closures {
            let name = self.name(*name).to_owned();
            self.write_closure(&name, closure);
        }
        write(self, false);
        self.checked = outer;
        self.writer.dedent();
        self.writer.line("} else {");
        self.writer.indent();
        write(self, true);
        self.writer.dedent();
        self.writer.line("}");
    }

    /// That an index is in bounds in all iterations.
    fn condition(&mut self, check: &Check<'_>, limits: &Limits, end: Option<&CText>) -> CText {
        let length = self.length_at(check.base, check.axis);
        match (&*check.index, end) {
            (Index::Varying, Some(end)) => c![end.clone(), " <= ", length],
            (index, _) => c![self.extremes(index, limits)[1].clone(), " < ", length],
        }
    }
}
