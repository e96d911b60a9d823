//! Whether two threads can use one element.
//!
//! Two accesses to an array, by two threads at any time, use the same element if their indices are equal on every axis. A [`System`] holds
//! what is known of both threads: for each the facts at its access, as integer sums that are not negative, and the equations between the
//! indices. If the system has no solution, the accesses never use one element. Otherwise, it may imply that coordinates of the two threads are equal;
//! if all coordinates are, it is one thread.
//!
//! The rules are in [`nonnegative`] (when a sum is not negative), [`equations`] (how equations are read) and [`system`] (what facts, divisions and
//! counters mean in the integers). Each holds for all integers, so no rule depends on how an index is written.
//!
//! What the two threads have in [`common`] depends on the array. Of a parameter, it is what the launch has. Everything else differs between
//! the threads, also the counter of a loop that all threads of the grid run together: the two accesses may happen at different times. Of a
//! shared array, the threads are of one block and between the same two barriers: it is also what the block agrees on.
//!
//! [`mixed_radix`] is tried first for parameters: it reads the thread from an index in one way at all accesses. It needs fewer conditions,
//! and takes time in proportion to the number of accesses, not of their pairs.
//!
//! The values of a kernel are classes modulo 2^64. A fact is used only if both of its sides are the integers that their forms say, without
//! wrap-around. The difference of two indices must be between -2^64 and 2^64. Both may become conditions on the launch.

pub(crate) mod common;
pub(crate) mod conditions;
pub(crate) mod equations;
pub(crate) mod mixed_radix;
pub(crate) mod nonnegative;
pub(crate) mod pairs;
pub(crate) mod point;
pub(crate) mod relevant;
mod signed;
pub(crate) mod sum;
pub(crate) mod system;

use crate::check::values::coordinate::Coordinate;
use crate::model::{Inequality, Polynomial};
use common::{Common, Side, Variables};
use conditions::Needs;
use nonnegative::{ALL, Allowed, NOTHING};
pub(super) use pairs::{at_use, prove_by_equations, prove_pair};
use sum::Sum;
use system::System;

/// One access by one of two threads.
#[derive(Clone)]
pub(super) struct ThreadSystem<'v> {
    pub(super) system: System<'v>,
    /// On each axis. `None` if it is not followed.
    pub(super) indices: Vec<Option<Sum>>,
}

/// What is known of two threads that use the same element.
#[derive(Debug, Clone)]
pub(super) struct Overlap {
    /// The coordinates that they have in common; all, if they never use one element.
    pub(super) common: Vec<Coordinate>,
    /// This is right on launches that satisfy these.
    pub(super) conditions: Vec<Inequality>,
}

impl Overlap {
    fn includes(&self, coordinates: &[Coordinate]) -> bool {
        coordinates.iter().all(|coordinate| self.common.contains(coordinate))
    }
}

/// What it costs to look at two accesses at all.
const STEPS_OF_AN_OVERLAP: usize = 20;

/// What two accesses to one array have in common, if they have equal indices on the first `axes`: `enough`, if that can be shown, else as much as
/// possible. `None` if nothing is known.
pub(super) fn find_overlap(first: &ThreadSystem<'_>, second: &ThreadSystem<'_>, axes: usize, enough: &[Coordinate]) -> Option<Overlap> {
    let find = |shape, by_constants| overlap_assuming(first, second, axes, enough, shape, by_constants);
    let shape = first.system.shape;
    let overlap = find(shape, false)?;
    if !overlap.includes(enough) {
        // A finding about shared memory must not turn into a condition on the constants of the kernel.
        let about_constants = (first.system.variables.common == Common::Launch).then(|| find(shape, true)).flatten();
        return about_constants.filter(|overlap| overlap.includes(enough)).or(Some(overlap));
    }
    if overlap.conditions.is_empty() {
        return Some(overlap);
    }
    // The same may be right on all launches.
    find(NOTHING, false).filter(|always| always.includes(&overlap.common)).or(Some(overlap))
}

fn overlap_assuming(
    first: &ThreadSystem<'_>,
    second: &ThreadSystem<'_>,
    axes: usize,
    enough: &[Coordinate],
    shape: &'static [Allowed],
    by_constants: bool,
) -> Option<Overlap> {
    let mut system = first.system.and(&second.system);
    system.shape = shape;
    system.variables.work(STEPS_OF_AN_OVERLAP).then_some(())?;
    let differences = first.indices.iter().zip(&second.indices).take(axes);
    let differences: Vec<Sum> = differences.filter_map(|(a, b)| a.as_ref()?.minus(b.as_ref()?)).collect();
    let (mut equations, mut against_wrap) = (Vec::new(), Needs::default());
    for difference in &differences {
        if let Some(needs) = within_64_bits(&system, difference) {
            against_wrap.add(&needs);
            equations.push(difference.clone());
        }
    }
    let may_overlap = system.solve(equations, by_constants);
    let common = if may_overlap { common_coordinates(&mut system) } else { Coordinate::ALL.to_vec() };
    let mut overlap = Overlap { common, conditions: Vec::new() };
    if !overlap.includes(enough) && system.is_impossible() {
        overlap.common = Coordinate::ALL.to_vec();
    }
    let variables = system.variables;
    if (!overlap.includes(enough) || enough.is_empty())
        && let Some(param) = system.same_draw(&differences)
    {
        overlap.common = Coordinate::ALL.to_vec();
        overlap.conditions = variables.unique(param)?.to_vec();
    }
    let conditions: Option<Vec<_>> = system.needs.and(&against_wrap).iter().map(|need| inequality(variables, need)).collect();
    overlap.conditions.extend(conditions?);
    Some(overlap)
}

fn common_coordinates(system: &mut System<'_>) -> Vec<Coordinate> {
    let variables = system.variables;
    let is_common = |coordinate: &Coordinate| {
        let [first, second] = [Side::First, Side::Second].map(|side| match *coordinate {
            Coordinate::Thread(axis) => variables.thread_idx(axis, side),
            Coordinate::Block(axis) => variables.block_idx(axis, side),
        });
        first.zip(second).is_some_and(|(first, second)| system.is_equal(first, second))
    };
    Coordinate::ALL.into_iter().filter(is_common).collect()
}

/// When `difference` is between -2^64 and 2^64: then it is 0 where it is a multiple of 2^64.
fn within_64_bits(system: &System<'_>, difference: &Sum) -> Option<Needs> {
    let prover = system.prover(ALL);
    let mut needs = Needs::default();
    for side in [difference.clone(), difference.negated()?] {
        let room = Sum::constant(u64::MAX.into()).minus(&side)?;
        if prover.least_by_ceilings(&room).is_none_or(|least| least < 0) {
            needs.add(&prover.not_negative(&room)?);
        }
    }
    Some(needs)
}

/// `sum >= 0` as the host compares it.
fn inequality(variables: &Variables, sum: &Sum) -> Option<Inequality> {
    let polynomial = variables.polynomial(sum)?;
    let (mut most, mut length) = (Polynomial::default(), Polynomial::default());
    for term in &polynomial.terms {
        let side = if term.coefficient < 0 && !term.factors.is_empty() { &mut most } else { &mut length };
        side.terms.push(term.clone());
    }
    most = Polynomial::default().minus(&most)?;
    let constant = length.terms.iter().filter(|term| term.factors.is_empty()).map(|term| term.coefficient).sum::<i128>();
    let positive = length.plus_constant(-constant)?;
    Some(if constant > 1 << 62 {
        // So large a constant comes from 2^64.
        let all = 1 << 64;
        Inequality::below(most.minus(&positive)?.plus_constant(all - 1 - constant)?, Polynomial::constant(all))
    } else if positive.terms.is_empty() {
        Inequality::below(most.plus_constant(-1)?, length)
    } else {
        Inequality::below(most.plus_constant(-1 - constant)?, positive)
    })
}
