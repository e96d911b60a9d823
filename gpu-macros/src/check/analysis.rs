//! The results of the analyses that emission needs, computed once for all emitters.

use crate::check::clients::active_threads::{find_row_limit, knows_only_its_x};
use crate::check::clients::aliasing::{axes_of_block, threads_see_each_others_writes};
use crate::check::clients::bounds::{Conditions, drop_refuted, either, prove_bounds, prove_bounds_of};
use crate::check::clients::coarsening::suits_several_elements;
use crate::check::clients::collectives::{find_uniformity, may_have_grid_barrier};
use crate::check::clients::exact_integers::{
    ExactOperations, prove_bounds_of_exact_integers, prove_races_of_exact_integers, prove_shared_memory_of_exact_integers,
};
use crate::check::clients::index_width::{self, Checks, KeepsWide, Narrow, SignedLocals, SmallOperations};
use crate::check::clients::races::{is_about_several_blocks, prove_race_freedom};
use crate::check::clients::range_reduction::shared_angles;
use crate::check::clients::shared_memory::{prove_shared_memory, shared_arrays};
use crate::check::clients::unused_floats::{floats_decide_nothing, holds_floats};
use crate::check::report::findings::{add_condition, add_condition_of, help_with_block, unproved_text};
use crate::check::values::form::{Symbol, SymbolKind};
use crate::check::walk::effects::Effects;
use crate::check::walk::known_rounds::may_know_rounds;
use crate::check::walk::walker::{walk_assuming, walk_recording};
use crate::model::*;
use std::collections::{HashMap, HashSet};

pub(crate) struct Analysis {
    /// For each site, when its check is redundant.
    pub(crate) bounds: Vec<Bound>,
    /// The same, if a thread goes on after an index that is out of bounds. `None` where nobody asks.
    pub(crate) bounds_without_checks: Option<Vec<Bound>>,
    /// The operations that do not overflow where they are evaluated in their place.
    pub(crate) exact_operations: Vec<ExactOperations>,
    /// What these depend on.
    pub(crate) conditions: Conditions,
    /// Whether proofs rely on the [numbers](Function::numbers) of constants.
    pub(crate) uses_numbers: bool,
    /// The launches that compute the same with a `usize` of 32 bits, among those that satisfy the conditions, or why there may be none. Of
    /// a device function, what rustc must find of constants, so that it does in callers that do.
    pub(crate) narrow: Result<Vec<Inequality>, KeepsWide>,
    /// The same, whether they satisfy the conditions or not; `None` where there are none.
    pub(crate) narrow_with_checks: Option<Vec<Inequality>>,
    /// The counters of loops with a step that then never wrap around.
    pub(crate) plain_counters: HashSet<LocalId>,
    /// The variables that then hold 32 bits with a sign.
    pub(crate) signed_locals: SignedLocals,
    /// The operations of indices that then are exact with a sign.
    pub(crate) small_operations: SmallOperations,
    /// The calls that may then be of functions in 32 bits, each with whether the result must be below 2^32.
    pub(crate) narrow_calls: HashMap<*const Expr, bool>,
    /// The loops over `grid_stride(n)` whose counter may exceed `usize::MAX`.
    pub(crate) overflowing_strides: HashSet<LabelId>,
    pub(crate) race_freedom: RaceFreedom,
    /// Accesses to the shared arrays of a kernel that are not shown to be ordered by barriers.
    pub(crate) shared_races: Vec<SharedRace>,
    /// Shared arrays of which threads may use an element at the same time, as far as is known, so that what they read may decide something.
    pub(crate) racing_arrays: Vec<LocalId>,
    /// The same where the arrays that a device function takes are such arrays. None if it takes no array.
    pub(crate) racing_when_lent: Vec<LocalId>,
    /// The dynamic shared arrays of a kernel.
    pub(crate) dynamic_arrays: Vec<DynamicArray>,
    /// Whether threads wait for each other in it: then its twin is asynchronous.
    pub(crate) suspends: bool,
    /// Threads whose x coordinate in the grid is not below this do nothing.
    pub(crate) row_limit: Option<HostValue>,
    /// Whether all that a thread of the kernel knows of itself is its x coordinate in the grid.
    pub(crate) knows_only_its_x: bool,
    /// Whether the kernel computes with tiles: the twin runs once for each block.
    pub(crate) is_tiled: bool,
    /// Whether a thread may run the function for several elements.
    pub(crate) several_elements: bool,
    /// Whether a thread may read what other threads write to the `&mut` parameters.
    pub(crate) sees_others_writes: bool,
    /// Whether the threads of the grid may wait for each other in it.
    pub(crate) may_have_grid_barrier: bool,
    /// What barriers need to be the same for all threads of a block.
    pub(crate) uniformity: UniformParameters,
    /// For each local, whether several functions are called that begin with the reduction of its angle.
    pub(crate) shared_angles: Vec<bool>,
}

impl Analysis {
    /// When the check at `site` is redundant.
    pub(crate) fn bound(&self, site: SiteId) -> &Bound {
        &self.bounds[site.0]
    }

    /// Whether the bound of `site` is shown by an index check that the thread has passed, as far as is known.
    pub(crate) fn rests_on_checks(&self, site: SiteId) -> bool {
        let bound = self.bound(site);
        *bound != Bound::Unknown && self.bounds_without_checks.as_ref().is_none_or(|bounds| bounds[site.0] != *bound)
    }
}

/// Analyzes a function that has no errors, with these dynamic shared arrays.
pub(super) fn analyze(function: &Function, dynamic_arrays: Vec<DynamicArray>) -> Analysis {
    let narrow =
        Narrow::of(function).and_then(|narrow| if index_width::pays(function, &narrow) { Ok(narrow) } else { Err(KeepsWide::NoGain) });
    let recorded = || narrow.as_ref().map(Narrow::recorded).unwrap_or_default();
    let walk = walk_recording(function, recorded(), Assumed::default());
    let uniformity = find_uniformity(function, &walk);
    let with_results = walk_with_results(function, &uniformity);
    let of_races = with_results.as_ref().unwrap_or(&walk);
    let (mut race_freedom, mut shared_races) = prove_both_memories(function, of_races);
    let mut bounds = prove_bounds(function, &walk);
    drop_refuted(function, &mut bounds);
    let mut uses_numbers = (!function.numbers.is_empty() || may_know_rounds(function))
        && prove_by_numbers(function, of_races.assumed, &mut race_freedom, &mut shared_races, &mut bounds);
    let mut exact_operations = vec![ExactOperations::of(&walk, Vec::new())];
    uses_numbers |= prove_exact(function, false, &mut bounds, &mut exact_operations);
    uses_numbers |= prove_both_memories_exactly(function, of_races, &mut race_freedom, &mut shared_races);
    uses_numbers |= prove_shared_memory_exactly(function, of_races.assumed, &mut race_freedom, &mut shared_races);
    if let RaceFreedom::Unproved(accesses) = &mut race_freedom
        && let Some(block) = block_that_proves(function, of_races)
    {
        accesses.iter_mut().for_each(|access| access.help = help_with_block(block));
    }
    if let RaceFreedom::Proved { .. } = race_freedom {
        // Each launch satisfies the conditions: `launch_unchecked` is documented to ask that of its caller.
        shared_races.conditional.clear();
    }
    let mut conditions = Conditions::of(&bounds);
    let first_index = bounds.iter().position(|bound| matches!(bound, Bound::Below(needs) if !needs.is_empty()));
    for exact in &exact_operations {
        conditions.add(&exact.needs, SiteId(first_index.unwrap_or_default()));
    }
    let small_operations =
        |walk: &Effects<'_>| narrow.as_ref().map(|narrow| narrow.small_operations(function, walk, &bounds)).unwrap_or_default();
    let prove_narrow = |walk: &Effects<'_>, bounds: &[Bound], small: &SmallOperations| {
        let plain = narrow.as_ref().map(|narrow| narrow.plain_loops(walk)).unwrap_or_default();
        let prove = |checks| narrow.as_ref().map_err(Clone::clone)?.prove(function, walk, bounds, checks, &plain, small);
        let with_checks = if conditions.is_empty() { None } else { prove(Checks::Any).ok() };
        (prove(Checks::Always), with_checks, plain.counters)
    };
    // What a device function is called with in 32 bits has as many.
    let mut assumed = Assumed { fits: !matches!(function.kind, FunctionKind::Kernel(_)), ..Assumed::default() };
    let walk_narrow = |assumed| (narrow.is_ok() && assumed != Assumed::default()).then(|| walk_recording(function, recorded(), assumed));
    let of_arguments = walk_narrow(assumed);
    let mut small = small_operations(of_arguments.as_ref().unwrap_or(&walk));
    let mut of_narrow = prove_narrow(of_arguments.as_ref().unwrap_or(&walk), &bounds, &small);
    let pays_by_numbers = narrow.as_ref().is_ok_and(|narrow| index_width::pays_by_numbers(function, narrow));
    if of_narrow.0.is_err() && pays_by_numbers && !function.numbers.is_empty() {
        assumed.numbers = true;
        let by_numbers = walk_narrow(assumed);
        small = small_operations(by_numbers.as_ref().unwrap_or(&walk));
        of_narrow = prove_narrow(by_numbers.as_ref().unwrap_or(&walk), &bounds, &small);
        uses_numbers |= of_narrow.0.is_ok();
    }
    let bounds_without_checks = may_speculate(function, &bounds).then(|| {
        let walk = walk_recording(function, recorded(), Assumed { goes_on: true, ..Assumed::default() });
        let mut bounds = prove_bounds(function, &walk);
        drop_refuted(function, &mut bounds);
        let by_numbers = prove_exact(function, true, &mut bounds, &mut Vec::new());
        // That 32 bits are enough may rest on a check too.
        let other = (assumed != Assumed::default()).then(|| walk_narrow(Assumed { goes_on: true, ..assumed })).flatten();
        let (narrow, with_checks, plain_counters) = prove_narrow(other.as_ref().unwrap_or(&walk), &bounds, &small);
        let is_same = (narrow.as_ref().ok(), &with_checks, &plain_counters) == (of_narrow.0.as_ref().ok(), &of_narrow.1, &of_narrow.2);
        is_same.then_some((bounds, by_numbers))
    });
    let bounds_without_checks = bounds_without_checks.flatten().map(|(bounds, by_numbers)| {
        uses_numbers |= by_numbers;
        bounds
    });
    let (of_narrow, narrow_with_checks, plain_counters) = of_narrow;
    Analysis {
        uses_numbers,
        narrow: of_narrow,
        narrow_with_checks,
        plain_counters,
        small_operations: small,
        signed_locals: narrow.as_ref().map(|narrow| narrow.signed.clone()).unwrap_or_default(),
        narrow_calls: narrow.as_ref().map(|narrow| narrow.calls().collect()).unwrap_or_default(),
        overflowing_strides: walk.overflowing_strides.clone(),
        conditions,
        exact_operations,
        bounds,
        bounds_without_checks,
        sees_others_writes: threads_see_each_others_writes(function, &race_freedom),
        race_freedom,
        racing_arrays: racing_arrays(function, &shared_races),
        racing_when_lent: racing_when_lent(function),
        shared_races: shared_races.found,
        dynamic_arrays,
        suspends: function.body.suspends(),
        row_limit: find_row_limit(function),
        knows_only_its_x: knows_only_its_x(function),
        is_tiled: function.is_tiled(),
        several_elements: suits_several_elements(function),
        uniformity,
        may_have_grid_barrier: may_have_grid_barrier(&function.body),
        shared_angles: shared_angles(function),
    }
}

/// Bounds indices by `operations` of signed integers that do not overflow, to which it adds these, where a thread may go on after an index that is
/// out of bounds, or not. Whether that takes the numbers of constants.
fn prove_exact(function: &Function, goes_on: bool, bounds: &mut [Bound], operations: &mut Vec<ExactOperations>) -> bool {
    let mut prove = |numbers| {
        let exact = prove_bounds_of_exact_integers(function, Assumed { numbers, goes_on, ..Assumed::default() }, bounds);
        let proves_more = exact.is_some();
        operations.extend(exact);
        proves_more
    };
    prove(false);
    !function.numbers.is_empty() && prove(true)
}

/// Proves by operations of signed integers that do not overflow what is not proved about several blocks, or only under conditions. Whether that takes
/// the numbers of constants.
fn prove_both_memories_exactly(
    function: &Function,
    walk: &Effects<'_>,
    race_freedom: &mut RaceFreedom,
    shared_races: &mut SharedRaces,
) -> bool {
    let numbers = [false, true].into_iter().take(if function.numbers.is_empty() { 1 } else { 2 });
    let mut proofs = numbers.filter_map(|numbers| Some((numbers, prove_races_exactly(function, walk, numbers, race_freedom)?)));
    let Some((numbers, exact)) = proofs.next() else { return false };
    let proof = either_proof(function, race_freedom, exact);
    let with_shared = |walk: &Effects<'_>| {
        let mut both = proof.clone();
        let races = add_shared_memory(function, walk, &mut both);
        (both, races)
    };
    // What is known of shared memory may rest on the numbers too.
    let by_numbers = (numbers || prove_shared_memory(function, walk).races.len() > shared_races.found.len())
        .then(|| with_shared(&walk_assuming(function, Assumed { numbers: true, ..walk.assumed })))
        .filter(|(both, _)| is_no_narrower(both, race_freedom));
    let uses_numbers = numbers || by_numbers.is_some();
    (*race_freedom, *shared_races) = by_numbers.unwrap_or_else(|| with_shared(walk));
    uses_numbers
}

/// Proves by operations of signed integers that do not overflow what is not proved about shared arrays, if the launch compares conditions. Whether
/// that takes the numbers of constants.
fn prove_shared_memory_exactly(
    function: &Function,
    assumed: Assumed,
    race_freedom: &mut RaceFreedom,
    shared_races: &mut SharedRaces,
) -> bool {
    let RaceFreedom::Proved { block_axes, conditions, .. } = race_freedom else { return false };
    if shared_races.found.is_empty() {
        return false;
    }
    let open = shared_races.found.len();
    let mut numbers = [false, true].into_iter().take(if function.numbers.is_empty() { 1 } else { 2 });
    // A finding refuses no launch: a proof must not refuse blocks with more axes.
    let axes = axes_of_block(function).min(*block_axes);
    let prove = |numbers| {
        let exact = prove_shared_memory_of_exact_integers(function, Assumed { numbers, ..assumed }, open)?;
        (exact.block_axes >= axes).then_some((numbers, exact))
    };
    let Some((numbers, exact)) = numbers.find_map(prove) else { return false };
    *block_axes = exact.block_axes.min(*block_axes);
    for Condition { inequality, access, .. } in exact.conditions {
        add_condition_of(conditions, function, inequality, || access);
    }
    shared_races.found = exact.races;
    numbers
}

/// What holds for launches that satisfy the conditions of `proof` or those of `exact`, if both are about several blocks.
pub(super) fn either_proof(function: &Function, proof: &RaceFreedom, exact: RaceFreedom) -> RaceFreedom {
    let (RaceFreedom::Proved { grid_axes: grid_axes @ 1.., block_axes, conditions: old }, RaceFreedom::Proved { conditions: new, .. }) =
        (proof, &exact)
    else {
        return exact;
    };
    let inequalities = |conditions: &[Condition]| conditions.iter().map(|condition| condition.inequality.clone()).collect::<Vec<_>>();
    let mut conditions = Vec::new();
    for inequality in either(inequalities(old), &inequalities(new)) {
        let is_same = |known: &&Condition| known.inequality.most == inequality.most && known.inequality.length == inequality.length;
        let access = old.iter().chain(new).find(is_same).map(|known| known.access.clone()).unwrap_or_default();
        add_condition_of(&mut conditions, function, inequality, || access);
    }
    RaceFreedom::Proved { grid_axes: *grid_axes, block_axes: *block_axes, conditions }
}

/// What operations of signed integers that do not overflow show about several blocks, if `proof` does not for all launches, or about one, if there is
/// no proof.
pub(super) fn prove_races_exactly(function: &Function, walk: &Effects<'_>, numbers: bool, proof: &RaceFreedom) -> Option<RaceFreedom> {
    let is_unconditional = |conditions: &[Condition]| conditions.iter().all(|condition| condition.inequality.as_exclusive().is_some());
    let is_enough = matches!(proof, RaceFreedom::Proved { grid_axes: 1.., conditions, .. } if is_unconditional(conditions));
    if is_enough {
        return None;
    }
    let least_axes = if matches!(proof, RaceFreedom::Proved { .. }) { 1 } else { 0 };
    let exact = prove_races_of_exact_integers(function, Assumed { numbers, ..walk.assumed }, least_axes)?;
    is_no_narrower(&exact, proof).then_some(exact)
}

/// Whether `exact` is about grids and blocks of as many axes as `proof`, if that is about several blocks.
fn is_no_narrower(exact: &RaceFreedom, proof: &RaceFreedom) -> bool {
    let axes = |proof: &RaceFreedom| match proof {
        RaceFreedom::Proved { grid_axes: grid @ 1.., block_axes, .. } => Some((*grid, *block_axes)),
        _ => None,
    };
    axes(proof).is_none_or(|(grid, block)| axes(exact).is_some_and(|exact| exact.0 >= grid && exact.1 >= block))
}

/// Whether a loop may compute before it checks: whether it is a `for` with an index that is not always in bounds.
fn may_speculate(function: &Function, bounds: &[Bound]) -> bool {
    let is_open = |expr: &Expr| matches!(expr.kind, ExprKind::Index { site, .. } if bounds[site.0] != Bound::Below(Vec::new()));
    function.body.any(&|expr| matches!(&expr.kind, ExprKind::For { body, .. } if body.any(&is_open)))
}

/// The walk over a kernel in which what its calls return decides about barriers: its launch is safe only if all threads of a block get the
/// same.
fn walk_with_results<'f>(function: &'f Function, uniformity: &UniformParameters) -> Option<Effects<'f>> {
    let deciding = uniformity.calls.iter().enumerate().filter(|(_, call)| call.decides.is_some());
    let results = ParameterSet::of(deciding.map(|(number, _)| number));
    (!results.is_empty()).then(|| walk_assuming(function, Assumed { results, ..Assumed::default() }))
}

/// Proves with the numbers of constants what is not proved for all numbers. Whether that proves more.
fn prove_by_numbers(
    function: &Function,
    assumed: Assumed,
    race_freedom: &mut RaceFreedom,
    shared_races: &mut SharedRaces,
    bounds: &mut [Bound],
) -> bool {
    // A condition on constants may be false, though another proof with their numbers needs none.
    let has_constants = |conditions: &[Condition]| conditions.iter().any(|condition| condition.inequality.is_constant());
    let is_open = match &*race_freedom {
        RaceFreedom::Proved { conditions, .. } => has_constants(conditions),
        RaceFreedom::Unproved(_) => true,
    };
    if !is_open && shared_races.found.is_empty() && !bounds.contains(&Bound::Unknown) {
        return false;
    }
    let walk = walk_assuming(function, Assumed { numbers: true, ..assumed });
    let (proof, races) = prove_both_memories(function, &walk);
    // Both memories have one proof: a launch is what it allows.
    let (is_better, is_worse) = match (&*race_freedom, &proof) {
        (RaceFreedom::Unproved(_), RaceFreedom::Unproved(_)) => (false, false),
        (RaceFreedom::Unproved(_), RaceFreedom::Proved { .. }) => (true, false),
        (RaceFreedom::Proved { .. }, RaceFreedom::Unproved(_)) => (false, true),
        (
            RaceFreedom::Proved { grid_axes, block_axes, .. },
            RaceFreedom::Proved { grid_axes: grid_by_numbers, block_axes: block_by_numbers, conditions },
        ) => (is_open && !has_constants(conditions), grid_by_numbers < grid_axes || block_by_numbers < block_axes),
    };
    let mut proves_more = !is_worse && (is_better || races.found.len() < shared_races.found.len());
    if proves_more {
        (*race_freedom, *shared_races) = (proof, races);
    }
    // What is assumed of calls is for the launch to refuse; a check must not depend on it.
    let without_results = (assumed != Assumed::default()).then(|| walk_assuming(function, Assumed { numbers: true, ..Assumed::default() }));
    let is_open = |site: SiteId| bounds[site.0] == Bound::Unknown;
    let by_numbers = prove_bounds_of(function, without_results.as_ref().unwrap_or(&walk), &is_open);
    for (bound, by_numbers) in bounds.iter_mut().zip(by_numbers) {
        if by_numbers != Bound::Unknown {
            *bound = by_numbers;
            proves_more = true;
        }
    }
    proves_more
}

/// What is not shown of shared arrays.
#[derive(Default)]
struct SharedRaces {
    found: Vec<SharedRace>,
    /// The arrays whose proof is under a condition, or about blocks with fewer axes: `launch_unchecked` checks neither.
    conditional: Vec<LocalId>,
}

/// The arrays of a kernel that have findings or no proof for all launches, but for floats that [decide nothing](crate::check::clients::unused_floats). All
/// arrays of a device function: two calls in a row use the same ones. And the names of places in them.
fn racing_arrays(function: &Function, races: &SharedRaces) -> Vec<LocalId> {
    let mut racing: Vec<LocalId> = match function.kind {
        FunctionKind::Kernel(_) => {
            let is_harmless = |array: &LocalId| holds_floats(&function.local(*array).ty) && floats_decide_nothing(function);
            let arrays = races.found.iter().map(|race| race.array).chain(races.conditional.iter().copied());
            arrays.filter(|array| !is_harmless(array)).collect()
        }
        FunctionKind::Device | FunctionKind::Array(_) | FunctionKind::Generalized(_) => shared_arrays(function).collect(),
    };
    if !racing.is_empty() {
        add_names_of_places(&function.body, function, &mut racing);
    }
    racing
}

/// The same with the arrays that a device function takes. None if it takes no array.
fn racing_when_lent(function: &Function) -> Vec<LocalId> {
    if let FunctionKind::Kernel(_) = function.kind {
        return Vec::new();
    }
    let is_lent = |local: &LocalId| {
        let local = function.local(*local);
        let is_copy = matches!(local.ty, Type::Array(..)) && !local.is_reference();
        (local.ty.element().is_some() || local.ty.view().is_some()) && !is_copy
    };
    let mut racing: Vec<LocalId> = function.params.iter().map(|param| param.local).filter(is_lent).collect();
    if !racing.is_empty() {
        racing.extend(shared_arrays(function));
        add_names_of_places(&function.body, function, &mut racing);
    }
    racing
}

fn add_names_of_places(block: &Block, function: &Function, racing: &mut Vec<LocalId>) {
    for stmt in &block.stmts {
        if let Stmt::Let(declared) = stmt
            && let Some(Expr { kind: ExprKind::Borrow { operand, .. }, .. }) = &declared.init
            && let Some(name) = declared.pattern.as_name().filter(|name| function.local(*name).is_reference())
            && operand.place().variable().is_some_and(|array| racing.contains(&array))
        {
            racing.push(name);
        }
    }
    block.for_each_inside(&mut |inside| add_names_inside(inside, function, racing));
}

fn add_names_inside(inside: Inside<'_>, function: &Function, racing: &mut Vec<LocalId>) {
    match inside {
        Inside::Expr(expr) => expr.for_each_inside(&mut |inside| add_names_inside(inside, function, racing)),
        Inside::Block(block) => add_names_of_places(block, function, racing),
        Inside::Pattern(_) | Inside::Type(_) => {}
    }
}

/// The usual block of one or of two axes that a kernel should declare, as the attribute does, if its proof fails only because it declares none.
fn block_that_proves(function: &Function, walk: &Effects<'_>) -> Option<&'static str> {
    if walk.declares_blocks() || !matches!(function.kind, FunctionKind::Kernel(_)) || function.foreign.is_some() {
        return None;
    }
    let is_of_columns = |symbol: &Symbol| matches!(symbol.kind, SymbolKind::ThreadIdx(Axis::Y)).then_some(());
    let indices = || walk.accesses.iter().flat_map(|access| &access.indices);
    let has_columns = indices().any(|index| index.value.form.find(&is_of_columns).is_some());
    let (extents, written) = if has_columns { ([16, 16, 1], "(16, 16)") } else { ([256, 1, 1], "256") };
    let walk = walk_assuming(function, Assumed { block: Some(extents), ..walk.assumed });
    is_about_several_blocks(&prove_race_freedom(function, &walk)).then_some(written)
}

/// The proof about `&mut` parameters, and that about shared arrays: a launch is what both allow.
fn prove_both_memories<'f>(function: &'f Function, walk: &Effects<'f>) -> (RaceFreedom, SharedRaces) {
    if let (FunctionKind::Kernel(_), Some(foreign)) = (&function.kind, &function.foreign) {
        return (RaceFreedom::Unproved(vec![unproved_text(foreign)]), SharedRaces::default());
    }
    let mut race_freedom = prove_race_freedom(function, walk);
    if !matches!(function.kind, FunctionKind::Kernel(_)) {
        return (race_freedom, SharedRaces::default());
    }
    let races = add_shared_memory(function, walk, &mut race_freedom);
    (race_freedom, races)
}

/// Adds what a launch must satisfy for its shared arrays. What is not shown of them.
fn add_shared_memory(function: &Function, walk: &Effects<'_>, race_freedom: &mut RaceFreedom) -> SharedRaces {
    let shared = prove_shared_memory(function, walk);
    if let RaceFreedom::Proved { block_axes, conditions, .. } = race_freedom {
        *block_axes = shared.block_axes.min(*block_axes);
        for (inequality, access) in shared.conditions {
            add_condition(conditions, function, inequality, access);
        }
    }
    SharedRaces { found: shared.races, conditional: shared.conditional }
}
