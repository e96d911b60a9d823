//! Whether two threads of a block can use the same element of a shared array without a barrier between them.
//!
//! Two accesses by different threads can happen at the same time if both can lie between the same two barriers ([`ways`](crate::check::walk::reaching_barriers)). Then
//! one of three must hold, else there is a finding:
//!
//! * Both read.
//! * Their indices tell the thread in the same way, as those of `&mut` parameters must ([`digits`](crate::check::prove::mixed_radix)).
//! * The assumption that two threads have equal indices contradicts what is known at the two points ([`two_threads`](crate::check::prove::two_threads)).
//!
//! A finding does not make a launch `unsafe`. The emitter writes such accesses so that a race gives wrong values, and nothing worse.

use super::array_accesses::{Use, uses_of};
use super::races::{AccessFacts, Proof, known_about, prove_together};
use crate::check::prove::linear::Linear;
use crate::check::prove::two_threads::{Order, Side, TwoThreads};
use crate::check::report::findings::{unproved_escape, unproved_order};
use crate::check::walk::effects::{Access, Effects};
use crate::check::walk::reaching_barriers::{LastBarrier, ReachingBarriers};
use crate::model::*;
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
    pub(crate) races: Vec<SharedRace>,
}

/// A use of a shared array, and what is known about it, once somebody asks: most pairs have a barrier between them, or both read.
struct Shared<'a, 'f> {
    used: Use<'a, 'f>,
    known: OnceCell<AccessFacts>,
}

impl Shared<'_, '_> {
    fn known(&self, walk: &Effects<'_>) -> &AccessFacts {
        let Use { access, indices, .. } = &self.used;
        self.known.get_or_init(|| known_about(walk, &access.facts, indices.iter().copied()))
    }
}

pub(crate) fn prove_shared_memory<'a, 'f>(function: &'f Function, walk: &'a Effects<'f>) -> SharedMemory<'a, 'f> {
    let mut proof = SharedMemory { block_axes: 3, conditions: Vec::new(), races: Vec::new() };
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
    let accesses: Vec<_> = uses_of(walk, array).into_iter().map(|used| Shared { used, known: OnceCell::new() }).collect();
    let mut conditions = Vec::new();
    let mut block_axes = 3;
    for (at, first) in accesses.iter().enumerate() {
        for second in &accesses[at..] {
            if !first.used.access.writes && !second.used.access.writes {
                continue;
            }
            match prove_pair(walk, first, second) {
                Some(pair) => {
                    block_axes = pair.block_axes.min(block_axes);
                    conditions.extend(pair.conditions.into_iter().map(|(inequality, at)| (inequality, [first, second][at].used.access)));
                }
                None => {
                    proof.races.push(SharedRace { array, finding: unproved_order(function, first.used.access, second.used.access) });
                    return;
                }
            }
        }
    }
    proof.block_axes = block_axes.min(proof.block_axes);
    proof.conditions.extend(conditions);
}

/// Shows that different threads of a block do not use one element at the same time with `first` and `second`.
fn prove_pair(walk: &Effects<'_>, first: &Shared<'_, '_>, second: &Shared<'_, '_>) -> Option<Proof> {
    let always = |block_axes| Proof { blocks: [true; 3], block_axes, conditions: Vec::new() };
    let common_barriers = common_barriers(first.used.access.ways.as_ref(), second.used.access.ways.as_ref());
    if common_barriers.as_ref().is_some_and(Vec::is_empty) {
        return Some(always(3));
    }
    // Accesses with fewer indices than others use all elements that begin with them.
    let alike = first.used.indices.len().min(second.used.indices.len());
    let by_digits = prove_together(walk, &[first, second].map(|shared| shared.known(walk).of_axes(alike)));
    if let Some(proof) = &by_digits
        && proof.conditions.is_empty()
    {
        return by_digits;
    }
    let apart = axes_apart(walk, first, second, common_barriers.as_deref());
    if walk.fits_blocks(apart) { Some(always(apart)) } else { by_digits }
}

/// The ways on which two threads come to the two points between the same two barriers. `None` if nothing is known about that.
fn common_barriers<'a>(
    first: Option<&'a ReachingBarriers>,
    second: Option<&'a ReachingBarriers>,
) -> Option<Vec<(&'a LastBarrier, &'a LastBarrier)>> {
    let (first, second) = (first?, second?);
    let pairs = first.iter().flat_map(|a| second.iter().map(move |b| (a, b)));
    Some(pairs.filter(|(a, b)| a.barrier == b.barrier).collect())
}

/// Threads that differ in one of so many leading axes of their position have different indices.
fn axes_apart(
    walk: &Effects<'_>,
    first: &Shared<'_, '_>,
    second: &Shared<'_, '_>,
    common_barriers: Option<&[(&LastBarrier, &LastBarrier)]>,
) -> u8 {
    let loops = |number: usize| walk.loops.get(number).map_or(&[] as &[LabelId], Vec::as_slice);
    // What they agree on however they meet is mostly enough.
    let always = |number: usize| {
        common_barriers.is_some_and(|common_barriers| common_barriers.iter().all(|(a, b)| a.same_iteration(b, loops(number))))
    };
    let axes = axes_apart_where(walk, first, second, &always);
    let common_barriers = common_barriers.filter(|common_barriers| axes == 0 && common_barriers.len() > 1);
    let each = common_barriers.into_iter().flatten();
    let apart = each.map(|(a, b)| axes_apart_where(walk, first, second, &|number| a.same_iteration(b, loops(number))));
    apart.min().unwrap_or(axes)
}

fn axes_apart_where(walk: &Effects<'_>, first: &Shared<'_, '_>, second: &Shared<'_, '_>, agreed: &dyn Fn(usize) -> bool) -> u8 {
    let mut threads = TwoThreads::new(agreed);
    threads.add_facts(Side::First, &first.used.access.facts);
    threads.add_facts(Side::Second, &second.used.access.facts);
    if threads.are_elsewhere() {
        return 3;
    }
    let mut about = Linear::default();
    for (a, b) in first.used.indices.iter().zip(&second.used.indices) {
        if let Some(both) = threads.add_equal(&a.value, &b.value) {
            about = about.with_unknowns_of(&both);
        }
    }
    if threads.are_impossible(&about) {
        return 3;
    }
    let is_apart = |axis: Axis| {
        walk.block[axis as usize].form.as_constant() == Some(1)
            || [true, false].into_iter().all(|first_is_less| {
                let mut threads = threads.clone();
                threads.add_order(Order { axis, first_is_less });
                threads.are_impossible(&about)
            })
    };
    let apart = [Axis::X, Axis::Y, Axis::Z].into_iter().take_while(|axis| is_apart(*axis)).count();
    u8::try_from(apart).expect("three axes")
}
