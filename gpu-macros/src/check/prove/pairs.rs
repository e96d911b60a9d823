//! Whether the accesses to one parameter are free of data races: no two threads use one element that one of them writes.

use super::nonnegative::{Allowed, ROWS, SHAPE};
use super::relevant::relevant;
use super::{Overlap, Side, System, ThreadSystem, Variables, find_overlap};
use crate::check::clients::array_accesses::Use;
use crate::check::clients::races::{Proof, leading_axes};
use crate::check::values::coordinate::Coordinate;
use crate::check::values::form::NormalForm;
use crate::check::walk::effects::Effects;
use crate::check::walk::facts::Fact;
use crate::model::Axis;

/// Uses with the same indices, and what is known at each of them.
struct Element<'a> {
    indices: Vec<&'a NormalForm>,
    /// How many of the indices name an element of the array itself.
    outer: usize,
    facts: Vec<&'a Fact>,
    writes: bool,
    /// The first of them.
    first: usize,
}

/// Shows that `uses`, all of one parameter, are by one thread where they use one element.
pub(in crate::check) fn prove_by_equations(walk: &Effects<'_>, uses: &[Use<'_, '_>]) -> Option<Proof> {
    let elements = elements(uses);
    let in_shape = |shape| prove_in_shape(walk, &elements, shape);
    in_shape(SHAPE).or_else(|| walk.declares_blocks().then(|| in_shape(ROWS)).flatten())
}

/// The same, with these assumptions about the launch.
fn prove_in_shape(walk: &Effects<'_>, elements: &[Element<'_>], shape: &'static [Allowed]) -> Option<Proof> {
    let variables = Variables::default();
    let seen = |element: &Element<'_>, side: Side| {
        let mut system = System::new(&variables, side, &walk.block, shape, &element.facts);
        let indices = element.indices.iter().map(|index| system.index(index)).collect();
        ThreadSystem { system, indices }
    };
    // What is known is compared with itself.
    let known: usize = elements.iter().map(|element| element.facts.len().saturating_pow(2)).sum();
    if !variables.work(known / 64) {
        return None;
    }
    let seen: Vec<[ThreadSystem<'_>; 2]> =
        elements.iter().map(|element| [Side::First, Side::Second].map(|side| seen(element, side))).collect();
    let (mut common, mut conditions) = (Coordinate::ALL.to_vec(), Vec::new());
    let mut add = |overlap: Overlap, access: usize| {
        common.retain(|coordinate| overlap.common.contains(coordinate));
        for condition in overlap.conditions {
            if !conditions.iter().any(|(known, _)| *known == condition) {
                conditions.push((condition, access));
            }
        }
        common.clone()
    };
    let mut alone = Coordinate::ALL.to_vec();
    for (element, [first, second]) in elements.iter().zip(&seen).filter(|(element, _)| element.writes) {
        alone = add(that_determines_threads(walk, overlap_in([element; 2], [first, second], &[]))?, element.first);
    }
    for (at, later) in elements.iter().enumerate() {
        for (earlier, [first, _]) in elements.iter().zip(&seen).take(at).filter(|(earlier, _)| earlier.writes || later.writes) {
            let overlap = that_determines_threads(walk, overlap_in([earlier, later], [first, &seen[at][1]], &alone))?;
            if !blocks(&overlap.common).contains(&true) && blocks(&alone).contains(&true) {
                return None;
            }
            add(overlap, later.first.max(earlier.first));
        }
    }
    let block_axes = block_axes(walk, &common);
    walk.fits_blocks(block_axes).then(|| Proof { blocks: blocks(&common), block_axes, conditions })
}

/// What two uses have in common, if they use the same element.
///
/// The twin borrows all of an element to use a part of it. Two blocks, which may run at the same time, must not even use the same element.
fn overlap_in(elements: [&Element<'_>; 2], [first, second]: [&ThreadSystem<'_>; 2], enough: &[Coordinate]) -> Option<Overlap> {
    let mut parts = find_overlap(first, second, usize::MAX, enough)?;
    if elements.iter().any(|element| element.outer < element.indices.len()) {
        let whole = find_overlap(first, second, elements[0].outer, enough)?;
        parts.common.retain(|coordinate| matches!(coordinate, Coordinate::Thread(_)) || whole.common.contains(coordinate));
        parts.conditions.extend(whole.conditions);
    }
    Some(parts)
}

/// The elements that `uses` are about. What is proved of a use holds for those with the same indices of which as much is known.
fn elements<'a>(uses: &[Use<'a, '_>]) -> Vec<Element<'a>> {
    let mut elements: Vec<Element<'a>> = Vec::new();
    for (at, Use { access, indices, outer }) in uses.iter().enumerate() {
        let indices: Vec<&NormalForm> = indices.iter().map(|index| &index.value.form).collect();
        let facts = relevant(&access.facts, &indices);
        let same = elements.iter_mut().filter(|element| element.indices == indices);
        let includes = |all: &[&Fact], some: &[&Fact]| some.iter().all(|fact| all.iter().any(|known| known.is_same(fact)));
        match same.into_iter().find(|element| includes(&facts, &element.facts)) {
            Some(element) => element.writes |= access.writes,
            None => elements.push(Element { indices, outer: *outer, facts, writes: access.writes, first: at }),
        }
    }
    elements
}

/// The overlap, if it determines the thread in its block.
fn that_determines_threads(walk: &Effects<'_>, overlap: Option<Overlap>) -> Option<Overlap> {
    overlap.filter(|overlap| walk.fits_blocks(block_axes(walk, &overlap.common)))
}

fn block_axes(walk: &Effects<'_>, common: &[Coordinate]) -> u8 {
    let is_single = |axis: Axis| walk.block[axis as usize].form.as_constant() == Some(1);
    leading_axes(|axis| common.contains(&Coordinate::Thread(axis)) && !is_single(axis), is_single)
}

fn blocks(common: &[Coordinate]) -> [bool; 3] {
    [Axis::X, Axis::Y, Axis::Z].map(|axis| common.contains(&Coordinate::Block(axis)))
}
