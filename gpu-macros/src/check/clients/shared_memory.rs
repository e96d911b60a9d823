//! Whether two threads of a block can use the same element of a shared array without a barrier between them.
//!
//! Two accesses by different threads can happen at the same time if both can lie between the same two barriers
//! ([`reaching_barriers`](crate::check::walk::reaching_barriers)). Then both must read, or it must be proved that they use different elements
//! ([`prove`](crate::check::prove)), else there is a finding. The two threads are of one block and between the same two barriers, so they have more values
//! in common than threads of the grid: what the block agrees on, as long as they are in the same iteration of a loop.
//!
//! A finding does not make a launch `unsafe`. The emitter writes such accesses so that a race gives wrong values, and nothing worse.

use super::aliasing::axes_of_block;
use super::array_accesses::{Use, uses_of};
use super::races::Proof;
use crate::check::prove::common::{Common, Side, Variables};
use crate::check::prove::{ThreadSystem, at_use, prove_pair};
use crate::check::report::findings::{unproved_escape, unproved_order};
use crate::check::values::form::Uniformity;
use crate::check::walk::effects::{Access, Advance, Effects};
use crate::check::walk::reaching_barriers::LastBarrier;
use crate::model::*;
use crate::vec_map::VecMap;
use std::cell::OnceCell;

/// The arrays in shared memory that the function declares.
pub(crate) fn shared_arrays(function: &Function) -> impl Iterator<Item = LocalId> {
    let locals = function.locals.iter().enumerate();
    locals.filter(|(_, local)| is_shared_array(local)).map(|(index, _)| LocalId(index))
}

pub(crate) fn is_shared_array(local: &Local) -> bool {
    match &local.ty {
        Type::Shared(_) => true,
        Type::Slice { .. } => !matches!(local.kind, LocalKind::Param(_)),
        _ => false,
    }
}

/// The proof about the shared arrays of a kernel.
pub(crate) struct SharedMemory<'a, 'f> {
    /// Of blocks with at most this many axes.
    pub(crate) block_axes: u8,
    /// Each with an access that needs it.
    pub(crate) conditions: Vec<(Inequality, &'a Access<'f>)>,
    /// The arrays whose proof is not about all launches.
    pub(crate) conditional: Vec<LocalId>,
    pub(crate) races: Vec<SharedRace>,
}

pub(crate) fn prove_shared_memory<'a, 'f>(function: &'f Function, walk: &'a Effects<'f>) -> SharedMemory<'a, 'f> {
    let mut proof = SharedMemory { block_axes: 3, conditions: Vec::new(), conditional: Vec::new(), races: Vec::new() };
    for array in shared_arrays(function) {
        prove_array(function, walk, array, &mut proof);
    }
    proof
}

fn prove_array<'a, 'f>(function: &'f Function, walk: &'a Effects<'f>, array: LocalId, proof: &mut SharedMemory<'a, 'f>) {
    if let Some((_, span)) = walk.escapes.iter().find(|(escaped, _)| *escaped == array) {
        proof.races.push(SharedRace { array, finding: unproved_escape(function, array, *span) });
        return;
    }
    let uses = uses_of(walk, array);
    let pairs = concurrent_pairs(&uses);
    let common: Vec<Common> = pairs.iter().map(|pair| in_common(walk, pair.barriers.as_deref())).collect();
    // What has been made of a use serves all pairs that have the same in common.
    let mut variables: Vec<Variables> = Vec::new();
    for common in &common {
        if !variables.iter().any(|known| known.common == *common) {
            variables.push(Variables::new(common.clone()).with_counters(&walk.counters));
        }
    }
    let systems: Vec<Vec<[OnceCell<Vec<ThreadSystem<'_>>>; 2]>> =
        variables.iter().map(|_| uses.iter().map(|_| Default::default()).collect()).collect();
    let system = |group: usize, at: usize, side: Side| {
        systems[group][at][usize::from(side == Side::Second)].get_or_init(|| at_use(walk, &variables[group], &uses[at], side))
    };
    let (mut conditions, mut block_axes): (Vec<(Inequality, _)>, _) = (Vec::new(), 3);
    for (Pair { at: [first, second], barriers }, common) in pairs.iter().zip(&common) {
        let group = variables.iter().position(|known| known.common == *common).expect("one for each");
        let pair = prove_pair(walk, system(group, *first, Side::First), system(group, *second, Side::Second), &Default::default());
        let pair = pair.or_else(|| prove_each_way(walk, [&uses[*first], &uses[*second]], barriers.as_deref()?));
        let Some(Proof { block_axes: axes, conditions: needed, .. }) = pair else {
            let finding = unproved_order(function, uses[*first].access, uses[*second].access);
            proof.races.push(SharedRace { array, finding });
            return;
        };
        block_axes = axes.min(block_axes);
        conditions.extend(needed.into_iter().map(|(inequality, _)| (inequality, uses[*second].access)));
    }
    if block_axes < axes_of_block(function) || !conditions.is_empty() {
        proof.conditional.push(array);
    }
    proof.block_axes = block_axes.min(proof.block_axes);
    proof.conditions.extend(conditions);
}

/// Two uses of which one writes, and that two threads can reach between the same two barriers.
struct Pair<'a> {
    at: [usize; 2],
    /// On which ways they can. `None` if nothing is known about that.
    barriers: Option<Vec<[&'a LastBarrier; 2]>>,
}

fn concurrent_pairs<'a>(uses: &[Use<'a, '_>]) -> Vec<Pair<'a>> {
    let mut pairs = Vec::new();
    for (at, first) in uses.iter().enumerate() {
        for (later, second) in uses.iter().enumerate().skip(at).filter(|(_, second)| first.access.writes || second.access.writes) {
            let barriers = common_barriers(first.access, second.access);
            if !barriers.as_ref().is_some_and(Vec::is_empty) {
                pairs.push(Pair { at: [at, later], barriers });
            }
        }
    }
    pairs
}

/// The ways on which two threads come to the two points between the same two barriers. `None` if nothing is known about that.
fn common_barriers<'a>(first: &'a Access<'_>, second: &'a Access<'_>) -> Option<Vec<[&'a LastBarrier; 2]>> {
    let (ways, others) = (first.ways.as_ref()?, second.ways.as_ref()?);
    let pairs = ways.iter().flat_map(|a| others.iter().map(move |b| [a, b]));
    let is_possible = |[a, b]: &[&LastBarrier; 2]| a.barrier == b.barrier && !a.excludes(b, &first.loops) && !b.excludes(a, &second.loops);
    Some(pairs.filter(is_possible).collect())
}

/// What two threads of a block have in common that come on one of these ways.
fn in_common(walk: &Effects<'_>, ways: Option<&[[&LastBarrier; 2]]>) -> Common {
    let mut known: VecMap<&[LabelId], bool> = VecMap::default();
    for loops in &walk.loops {
        let is_same = ways.is_some_and(|ways| ways.iter().all(|[a, b]| a.same_iteration(b, loops)));
        known.get_or_insert(loops, is_same);
    }
    Common::Block(walk.loops.iter().map(|loops| known[&loops.as_slice()]).collect())
}

/// What the iteration of the second way has in place of what that of the first one has, which is the one before.
fn advances<'w>(walk: &'w Effects<'_>, uses: [&Use<'_, '_>; 2], [earlier, later]: [&LastBarrier; 2]) -> Vec<&'w Advance> {
    let are_in = |label: &LabelId| uses.iter().all(|used| used.access.loops.contains(label));
    let is_next = |advance: &&Advance| {
        let loops = advance.symbol.number().and_then(|number| walk.loops.get(number));
        advance.symbol.spread <= Uniformity::Block
            && are_in(&advance.label)
            && loops.is_some_and(|loops| loops.last() == Some(&advance.label) && earlier.is_iteration_before(later, loops))
    };
    walk.advances.iter().filter(is_next).collect()
}

/// The same for each way by itself, on which the threads have more in common than on all, or one of them is in the next iteration of a loop.
fn prove_each_way(walk: &Effects<'_>, uses: [&Use<'_, '_>; 2], ways: &[[&LastBarrier; 2]]) -> Option<Proof> {
    let mut proof: Option<Proof> = None;
    for way @ [a, b] in ways {
        let advances = [advances(walk, uses, [a, b]), advances(walk, uses, [b, a])];
        if ways.len() == 1 && advances.iter().all(Vec::is_empty) {
            return None;
        }
        let variables = Variables::new(in_common(walk, Some(std::slice::from_ref(way)))).with_counters(&walk.counters);
        let [first, second] = [(uses[0], Side::First), (uses[1], Side::Second)].map(|(used, side)| at_use(walk, &variables, used, side));
        let pair = prove_pair(walk, &first, &second, &advances)?;
        proof = Some(match proof {
            None => pair,
            Some(all) => {
                Proof { block_axes: all.block_axes.min(pair.block_axes), conditions: [all.conditions, pair.conditions].concat(), ..all }
            }
        });
    }
    proof
}
