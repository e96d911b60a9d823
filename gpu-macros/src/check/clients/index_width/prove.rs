//! When the values of demanding expressions are below the limit.

use super::{KeepsWide, LIMIT, LONGEST, Narrow, SmallOperations, is_device_function};
use crate::check::clients::bounds::{bound_below_limit, open_inequalities};
use crate::check::values::value::Value;
use crate::check::walk::effects::Effects;
use crate::check::walk::facts::Facts;
use crate::model::*;
use crate::vec_map::VecMap;
use std::collections::HashSet;

/// The loops with a step whose counters do not reach the limit.
#[derive(Default)]
pub(crate) struct PlainLoops {
    pub(crate) counters: HashSet<LocalId>,
    /// What the launch must compare for that.
    needs: Vec<Inequality>,
}

/// Which indices a launch checks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Checks {
    /// Those that every launch does.
    Always,
    /// Also those that a launch may make redundant.
    Any,
}

/// A value that must be below the limit, and what is known there.
pub(crate) struct Demanded {
    pub(crate) expr: *const Expr,
    pub(crate) value: Value,
    pub(crate) facts: Facts,
}

impl Narrow {
    /// What the launch must compare, once the accesses that it does not check are shown to be in `bounds`. An error if something is not shown.
    pub(crate) fn prove(
        &self,
        function: &Function,
        walk: &Effects<'_>,
        bounds: &[Bound],
        checks: Checks,
        plain: &PlainLoops,
        small: &SmallOperations,
    ) -> Result<Vec<Inequality>, KeepsWide> {
        let is_checked = |site: &SiteId| match &bounds[site.0] {
            Bound::Unknown => true,
            Bound::Below(needs) => checks == Checks::Any && !needs.is_empty(),
        };
        let mut demanding = self.demanding.clone();
        let mut constants = Vec::new();
        for index in self.indices.iter().filter(|index| is_checked(&index.site)) {
            match &bounds[index.site.0] {
                Bound::Unknown => {
                    demanding.extend(&index.operands);
                    constants.extend(index.constant.clone());
                }
                Bound::Below(_) => _ = demanding.insert(index.expr),
            }
        }
        let evaluated: HashSet<*const Expr> = walk.demanded.iter().map(|demanded| demanded.expr).collect();
        if let Some(site) = self.sites.iter().find(|site| is_checked(site)) {
            return Err(KeepsWide::Checked(*site));
        }
        if !demanding.is_subset(&evaluated) {
            return Err(KeepsWide::NotConsidered);
        }
        let mut needs = [plain.needs.as_slice(), &small.needs].concat();
        // The variables that nothing bounds.
        let mut open: VecMap<LocalId, *const Expr> = self.shrunk.clone();
        for Demanded { expr, value, facts } in &walk.demanded {
            if !demanding.contains(expr) || (self.is_limited(*expr) && !self.strided.contains(expr)) {
                continue;
            }
            let is_strided = self.strided.contains(expr);
            let limit = if is_strided { threads_along_x().and_then(|threads| limit().minus(&threads)) } else { Some(limit()) };
            match (limit.and_then(|limit| bound_below_limit(value, &limit, facts)), self.locals.get(expr)) {
                (Some(bound), _) => needs.extend(bound),
                (None, Some(local)) if !is_strided => _ = open.insert(*local, *expr),
                (None, _) => return Err(KeepsWide::Unbounded(*expr)),
            }
        }
        for (local, expr) in open.iter() {
            for given in self.given.get(local).ok_or(KeepsWide::Unbounded(*expr))? {
                let unbounded = || KeepsWide::Unbounded(*given);
                let mut values = walk.demanded.iter().filter(|demanded| demanded.expr == *given).peekable();
                values.peek().ok_or_else(unbounded)?;
                for Demanded { value, facts, .. } in values {
                    needs.extend(bound_below_limit(value, &limit(), facts).ok_or_else(unbounded)?);
                }
            }
        }
        for (index, param) in function.params.iter().enumerate() {
            match function.local(param.local).ty {
                Type::Slice { .. } if walk.assumed.fits => {}
                Type::Slice { .. } => needs.push(Inequality::below(Polynomial::atom(Atom::Len(index)), Polynomial::constant(LONGEST + 1))),
                Type::View { .. } => {
                    needs.push(Inequality::below(Polynomial::atom(Atom::Scattered(index)), Polynomial::constant(1)));
                }
                _ => {}
            }
        }
        let of_constants =
            self.constants.iter().map(|constant| Inequality::below(Polynomial::atom(Atom::Constant(constant.clone())), limit()));
        needs.extend(of_constants);
        for (constant, least) in constants {
            let constant = Polynomial::atom(Atom::Constant(constant));
            needs.push(Inequality::below(Polynomial::constant(least), constant.clone()));
            needs.push(Inequality::below(constant, Polynomial::constant(LONGEST + 1)));
        }
        // A device function does not know its launch. Of constants, rustc knows.
        let is_known = |open: &Vec<Inequality>| !is_device_function(function) || open.iter().all(Inequality::is_constant);
        open_inequalities(needs).filter(is_known).ok_or(KeepsWide::NoLaunch)
    }

    /// The loops whose end is below the limit by the step, where that is a number or one that the launch knows.
    pub(crate) fn plain_loops(&self, walk: &Effects<'_>) -> PlainLoops {
        let mut plain = PlainLoops::default();
        for (counter, end, step) in &self.stepped {
            if let Some(needs) = needs_of_plain_loop(walk, *end, *step) {
                plain.counters.insert(*counter);
                plain.needs.extend(needs);
            }
        }
        plain
    }
}

/// When `end` is below the limit by `step`.
fn needs_of_plain_loop(walk: &Effects<'_>, end: *const Expr, step: *const Expr) -> Option<Vec<Inequality>> {
    let of = |expr: *const Expr| walk.demanded.iter().filter(move |demanded| demanded.expr == expr);
    let mut needs = Vec::new();
    for Demanded { value: step, .. } in of(step) {
        let step = step.form.to_quantity().or_else(|| step.form.never_wraps().then(|| step.form.to_polynomial()).flatten())?;
        let limit = limit().minus(&step)?;
        for Demanded { value, facts, .. } in of(end) {
            needs.extend(bound_below_limit(value, &limit, facts)?);
        }
    }
    (of(end).next().is_some() && of(step).next().is_some()).then_some(needs)
}

fn threads_along_x() -> Option<Polynomial> {
    let (grid, block) = (Polynomial::atom(Atom::GridDim(Axis::X)), Polynomial::atom(Atom::BlockDim(Axis::X)));
    grid.times(&block)
}

fn limit() -> Polynomial {
    Polynomial::constant(LIMIT)
}
