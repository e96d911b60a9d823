//! Proofs about launches in which no operation of signed integers overflows: that indices are in bounds, and that threads use different elements of
//! parameters and of shared arrays.
//!
//! The [walk](crate::check::walk::exact) takes all of them for exact. Those of which the launch cannot show it are taken for unknown in the
//! next walk, until it shows the rest. The proofs rest on all of these.
//!
//! Such an operation has no overflow that C leaves undefined, so where it is evaluated in its place, CUDA C has the operator. What the compiler then
//! knows lets it add to addresses and to counters where it would multiply.

use super::bounds::{bound_of_value, drop_refuted, either, open_inequalities, prove_bounds_of};
use super::races::prove_by_one_walk;
use super::shared_memory::prove_shared_memory;
use crate::check::report::findings::{add_condition, add_condition_of, describe_access};
use crate::check::values::form::NormalForm;
use crate::check::values::interval::Interval;
use crate::check::values::value::{Kind, Node};
use crate::check::walk::effects::{Collective, Effects};
use crate::check::walk::exact::Assumption;
use crate::check::walk::walker::walk_exact;
use crate::model::*;
use std::collections::HashSet;

/// How often operations may be found not to be exact.
const MOST_WALKS: usize = 8;
/// No array in shared or local memory is longer.
const SHORT: i128 = 1 << 16;
/// No launch has so many of anything, or hardly any.
const LARGE: i128 = 1 << 30;
/// How many operations may be found not to be needed.
const MOST_DROPPED: usize = 12;
/// The same of a long kernel, where each takes long, which has more operations than this.
const MOST_DROPPED_OF_LONG: usize = 2;
const LONG: usize = 16;

/// Sums, differences and products of signed integers that do not overflow where the launch satisfies these inequalities.
pub(crate) struct ExactOperations {
    pub(crate) needs: Vec<Inequality>,
    pub(crate) operations: HashSet<*const Expr>,
}

impl ExactOperations {
    /// Those of `walk`, whose assumptions hold where `needs` do.
    pub(crate) fn of(walk: &Effects<'_>, needs: Vec<Inequality>) -> ExactOperations {
        let inexact: HashSet<*const Expr> = walk.operations.iter().filter(|(_, is_exact)| !is_exact).map(|(expr, _)| *expr).collect();
        let operations = walk.operations.iter().map(|(expr, _)| *expr).filter(|expr| !inexact.contains(expr)).collect();
        ExactOperations { needs, operations }
    }
}

/// Bounds the indices of a kernel that a launch may check, where that needs exact operations: these, if it does.
pub(crate) fn prove_bounds_of_exact_integers(function: &Function, assumed: Assumed, bounds: &mut [Bound]) -> Option<ExactOperations> {
    let is_open =
        |site: &Site, bound: &Bound| matches!(site.kind, SiteKind::Index | SiteKind::AxisIndex(_)) && *bound != Bound::Below(Vec::new());
    let has_open = function.sites.iter().zip(&*bounds).any(|(site, bound)| is_open(site, bound));
    if !matches!(function.kind, FunctionKind::Kernel(_)) || !has_open || !function.body.any(&is_signed) {
        return None;
    }
    let known = bounds.to_vec();
    let is_new = |(new, known): (&Bound, &Bound)| *new != Bound::Unknown && new != known;
    let prove = |walk: &Effects<'_>| Some(new_bounds(function, walk, &known)).filter(|new| new.iter().zip(&known).any(is_new));
    // A bound under other conditions, which may be worse, is as good if they are no longer; of one that is known without, the new ones count.
    let terms = |bound: &Bound| match bound {
        Bound::Below(needs) => needs.iter().map(|need| need.most.terms.len()).sum(),
        Bound::Unknown => usize::MAX,
    };
    let as_many = |new: &Vec<Bound>, old: &Vec<Bound>| {
        let is_kept = |(new, (old, known)): (&Bound, (&Bound, &Bound))| {
            let is_no_longer = *new != Bound::Unknown && terms(new) <= terms(old);
            new == old || *old == Bound::Unknown || is_no_longer && (*known == Bound::Unknown || old == known)
        };
        new.iter().zip(old.iter().zip(&known)).all(is_kept)
    };
    let question = Question { function, assumed, prove: &prove, is_as_good: &as_many };
    let proof = question.answer()?;
    let needs = proof.needs();
    let mut proves_more = false;
    for (bound, exact) in bounds.iter_mut().zip(proof.proved) {
        if let Bound::Below(own) = exact
            && let Some(exact) = open_inequalities([own, needs.clone()].concat())
        {
            let new = match &*bound {
                Bound::Unknown => Bound::Below(exact),
                Bound::Below(needs) => Bound::Below(either(needs.clone(), &exact)),
            };
            proves_more |= new != *bound;
            *bound = new;
        }
    }
    let needs = open_inequalities(needs).filter(|_| proves_more)?;
    Some(ExactOperations::of(&proof.walk, needs))
}

/// Whether launches are likely to satisfy it. A number that is passed is rarely less than the length of a local or shared array, and what is bounded
/// by the end of its type alone is no index. What is shown under such a condition keeps its check, rather than costs the others theirs.
fn is_likely(need: &Inequality) -> bool {
    let is_passed = |atom: &Atom| !matches!(atom, Atom::Constant(_) | Atom::BlockDim(_));
    let is_of_array = need.length.as_constant().is_none_or(|length| length > SHORT) || !need.any(&is_passed);
    let is_small = |slack: Polynomial| {
        slack.terms.iter().all(|term| term.coefficient > -LARGE && (term.coefficient < LARGE || term.factors.is_empty()))
    };
    is_of_array && need.slack().is_some_and(is_small)
}

/// An operation that may overflow.
fn is_signed(expr: &Expr) -> bool {
    let is_operation = matches!(expr.kind, ExprKind::Cast { .. } | ExprKind::Binary { .. });
    is_operation && expr.ty.as_scalar().is_some_and(Scalar::is_signed_integer)
}

/// Proves that the threads of grids of at least so many axes use different elements of the `&mut` parameters, where that needs exact operations: the
/// launch must show these.
pub(crate) fn prove_races_of_exact_integers(function: &Function, assumed: Assumed, least_axes: u8) -> Option<RaceFreedom> {
    if !matches!(function.kind, FunctionKind::Kernel(_)) || function.foreign.is_some() || !function.body.any(&is_signed) {
        return None;
    }
    let prove = |walk: &Effects<'_>| {
        let written = walk.accesses.iter().find(|access| access.writes)?;
        match prove_by_one_walk(function, walk) {
            RaceFreedom::Proved { grid_axes, block_axes, conditions } if grid_axes >= least_axes => {
                Some((grid_axes, block_axes, conditions, describe_access(function, written)))
            }
            _ => None,
        }
    };
    type Races = (u8, u8, Vec<Condition>, String);
    // Another condition may be worse than the one about an operation.
    let is_as_good = |(grid, block, conditions, _): &Races, old: &Races| {
        *grid >= old.0 && *block >= old.1 && conditions.iter().all(|new| old.2.iter().any(|old| old.inequality == new.inequality))
    };
    let question = Question { function, assumed, prove: &prove, is_as_good: &is_as_good };
    let proof = question.answer()?;
    let needs = proof.needs();
    let (grid_axes, block_axes, conditions, access) = proof.proved;
    Some(RaceFreedom::Proved { grid_axes, block_axes, conditions: with_needs(function, conditions, needs, &access)? })
}

/// `conditions`, and `needs` of what is done at `access`, as far as they do not follow from each other.
fn with_needs(function: &Function, mut conditions: Vec<Condition>, needs: Vec<Inequality>, access: &str) -> Option<Vec<Condition>> {
    let own = conditions.iter().map(|condition| condition.inequality.clone()).collect();
    let strictest = open_inequalities([own, needs].concat())?;
    conditions.retain(|condition| condition.inequality.as_exclusive().is_some() || strictest.contains(&condition.inequality));
    for need in strictest {
        add_condition_of(&mut conditions, function, need, || access.to_owned());
    }
    Some(conditions)
}

/// What exact operations show of the shared arrays of a kernel.
pub(crate) struct ExactSharedMemory {
    pub(crate) block_axes: u8,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) races: Vec<SharedRace>,
}

/// Proves that threads of a block use different elements of shared arrays between two barriers, where that needs exact operations, of more arrays
/// than all but `open`.
pub(crate) fn prove_shared_memory_of_exact_integers(function: &Function, assumed: Assumed, open: usize) -> Option<ExactSharedMemory> {
    if !function.body.any(&is_signed) {
        return None;
    }
    let prove = |walk: &Effects<'_>| {
        let shared = prove_shared_memory(function, walk);
        let proves_more = shared.races.len() < open && walk.collectives.iter().all(Collective::is_safe);
        let mut conditions = Vec::new();
        shared.conditions.into_iter().for_each(|(inequality, access)| add_condition(&mut conditions, function, inequality, access));
        let first = walk.accesses.iter().find(|access| access.writes).map(|access| describe_access(function, access));
        proves_more
            .then_some((ExactSharedMemory { block_axes: shared.block_axes, conditions, races: shared.races }, first.unwrap_or_default()))
    };
    type Shared = (ExactSharedMemory, String);
    let is_as_good = |(new, _): &Shared, (old, _): &Shared| {
        let is_old = |new: &Condition| old.conditions.iter().any(|old| old.inequality == new.inequality);
        new.races.len() <= old.races.len() && new.block_axes >= old.block_axes && new.conditions.iter().all(is_old)
    };
    let proof = Question { function, assumed, prove: &prove, is_as_good: &is_as_good }.answer()?;
    let needs = proof.needs();
    let (shared, access) = proof.proved;
    Some(ExactSharedMemory { conditions: with_needs(function, shared.conditions, needs, &access)?, ..shared })
}

/// What is to be proved by operations that are exact.
struct Question<'a, P> {
    function: &'a Function,
    assumed: Assumed,
    prove: &'a dyn Fn(&Effects<'_>) -> Option<P>,
    /// Whether the first proves no less than the second one.
    is_as_good: &'a dyn Fn(&P, &P) -> bool,
}

/// What is proved if some operations are exact.
struct Proof<'f, P> {
    walk: Effects<'f>,
    proved: P,
    /// What the launch must satisfy for these operations, each with its conditions.
    exact: Vec<(*const Expr, Vec<Inequality>)>,
    inexact: HashSet<*const Expr>,
}

impl<P> Proof<'_, P> {
    /// The operations that are not exact on all launches.
    fn open(&self) -> impl Iterator<Item = (*const Expr, &[Inequality])> {
        self.exact.iter().filter(|(_, needs)| !needs.is_empty()).map(|(expr, needs)| (*expr, needs.as_slice()))
    }

    /// What the launch must satisfy for all of these operations.
    fn needs(&self) -> Vec<Inequality> {
        self.exact.iter().flat_map(|(_, needs)| needs).cloned().collect()
    }
}

impl<'a, P> Question<'a, P> {
    /// The proof with as few operations as possible: a condition about another one may be false.
    fn answer(&self) -> Option<Proof<'a, P>> {
        let mut proof = self.without(HashSet::new())?;
        let mut tried = HashSet::new();
        let most = if proof.open().count() > LONG { MOST_DROPPED_OF_LONG } else { MOST_DROPPED };
        while tried.len() < most {
            // An operation comes after those that it is computed of. Without one whose conditions follow from others', as much is asked.
            let Some(strictest) = open_inequalities(proof.needs()) else { break };
            let is_strict = |needs: &[Inequality]| needs.iter().any(|need| strictest.contains(need));
            let last = proof.open().filter(|(expr, needs)| is_strict(needs) && !tried.contains(expr)).last();
            let Some((expr, _)) = last else { break };
            tried.insert(expr);
            let mut inexact = proof.inexact.clone();
            inexact.insert(expr);
            if let Some(other) = self.without(inexact).filter(|other| (self.is_as_good)(&other.proved, &proof.proved)) {
                proof = other;
            }
        }
        Some(proof)
    }

    /// The proof without these operations that may overflow, and all others of which it is not shown.
    fn without(&self, mut inexact: HashSet<*const Expr>) -> Option<Proof<'a, P>> {
        for _ in 0..MOST_WALKS {
            let walk = walk_exact(self.function, self.assumed, inexact.clone());
            let before = inexact.len();
            let mut exact = Vec::new();
            for operation in &walk.assumptions {
                match needs_of(operation) {
                    Some(needs) if needs.iter().all(is_likely) => exact.push((operation.expr, needs)),
                    _ => _ = inexact.insert(operation.expr),
                }
            }
            if inexact.len() == before {
                let proved = if exact.is_empty() { None } else { (self.prove)(&walk) };
                return proved.map(|proved| Proof { walk, proved, exact, inexact });
            }
        }
        None
    }
}

/// The bounds of those indices that have none in `known` which always holds.
fn new_bounds(function: &Function, walk: &Effects<'_>, known: &[Bound]) -> Vec<Bound> {
    let mut bounds = prove_bounds_of(function, walk, &|site| known[site.0] != Bound::Below(Vec::new()));
    drop_refuted(function, &mut bounds);
    for bound in &mut bounds {
        if matches!(bound, Bound::Below(needs) if !needs.iter().all(is_likely)) {
            *bound = Bound::Unknown;
        }
    }
    bounds
}

/// When an operation is exact: where its integer is natural and below the end of the range, or both after adding half of the range, which asks
/// for less.
///
/// The integer is in [`Interval::ANY`]. So if its word is below 2^63, it is that word.
fn needs_of(operation: &Assumption) -> Option<Vec<Inequality>> {
    let Interval { least, most } = operation.range;
    let natural = || bound_of_value(&operation.value, &Polynomial::constant(most + 1), &operation.facts);
    if operation.value.interval.is_natural() || least == 0 || most > i128::from(i32::MAX) {
        return natural();
    }
    let form = operation.value.form.plus(&NormalForm::constant(u64::try_from(-least).ok()?));
    bound_of_value(&Node::new(Kind::Unknown, form), &Polynomial::constant(most + 1 - least), &operation.facts).or_else(natural)
}
