//! Whether the accesses to one parameter are free of data races: no two threads use one element that one of them writes.

use super::nonnegative::{Allowed, BLOCKS, ROWS, SHAPE};
use super::relevant::relevant;
use super::{Overlap, Side, System, ThreadSystem, Variables, find_overlap};
use crate::check::clients::array_accesses::Use;
use crate::check::clients::races::{Proof, leading_axes};
use crate::check::values::coordinate::Coordinate;
use crate::check::values::form::{NormalForm, Uniformity};
use crate::check::values::value::{Kind, Value, add_choices};
use crate::check::walk::effects::{Advance, Effects};
use crate::check::walk::facts::{Fact, Facts, Relation};
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
    let cases: Vec<Vec<Case>> = uses.iter().map(cases).collect();
    let elements = elements(uses, &cases);
    let new = || Variables::default().with_counters(&walk.counters);
    let variables = new();
    let in_shape = |shape| prove_in_shape(walk, &elements, shape, &new());
    let proof = prove_in_shape(walk, &elements, SHAPE, &variables);
    let proof = proof.or_else(|| walk.declares_blocks().then(|| in_shape(ROWS)).flatten());
    proof.or_else(|| prove_in_shape(walk, &elements, SHAPE, &variables.aligned()?))
}

/// The same, with these assumptions about the launch.
fn prove_in_shape(walk: &Effects<'_>, elements: &[Element<'_>], shape: &'static [Allowed], variables: &Variables) -> Option<Proof> {
    let seen = |element: &Element<'_>, side: Side| {
        let mut system = System::new(variables, side, &walk.block, shape, &element.facts);
        if variables.is_of_lines(walk) {
            system.assume_line();
        }
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
        let overlap = |enough| that_determines_threads(walk, overlap_in([element; 2], [first, second], enough));
        alone = add(overlap(&[]).or_else(|| overlap(&Coordinate::ALL))?, element.first);
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
    let block_axes = block_axes(walk, &common).min(if variables.is_of_lines(walk) { 1 } else { 3 });
    walk.fits_blocks(block_axes).then(|| Proof { blocks: blocks(&common), block_axes, conditions })
}

/// What is known of the thread of `side` at a use of an element, of an array that `variables` are about, in each case.
pub(in crate::check) fn at_use<'v>(walk: &Effects<'_>, variables: &'v Variables, used: &Use<'_, '_>, side: Side) -> Vec<ThreadSystem<'v>> {
    let indices: Vec<&NormalForm> = used.indices.iter().map(|index| &index.value.form).collect();
    let in_case = |case: &Case| {
        let mut system = System::new(variables, side, &walk.block, BLOCKS, &case.relevant(variables.common.uniformity()));
        let indices = indices.iter().map(|index| system.index(index)).collect();
        ThreadSystem { system, indices }
    };
    cases(used).iter().map(in_case).collect()
}

/// Shows that two threads of a block differ in none of their leading axes where their uses have equal indices. (One with fewer indices
/// is of all elements that begin with them.) If one of the threads is in the next iteration of a loop, `advances` say what the second one has
/// then, and what the first one has.
pub(in crate::check) fn prove_pair(
    walk: &Effects<'_>,
    first: &[ThreadSystem<'_>],
    second: &[ThreadSystem<'_>],
    [forward, back]: &[Vec<&Advance>; 2],
) -> Option<Proof> {
    let mut proof = Proof { blocks: [true; 3], block_axes: 3, conditions: Vec::new() };
    for (first, second) in first.iter().flat_map(|first| second.iter().map(move |second| (first, second))) {
        let (mut first, mut second) = (first.clone(), second.clone());
        forward.iter().for_each(|advance| second.system.advance(&mut first.system, advance));
        back.iter().for_each(|advance| first.system.advance(&mut second.system, advance));
        let overlap = that_determines_threads(walk, find_overlap(&first, &second, usize::MAX, &Coordinate::ALL))?;
        proof.block_axes = proof.block_axes.min(block_axes(walk, &overlap.common));
        proof.conditions.extend(overlap.conditions.into_iter().map(|condition| (condition, 1)));
    }
    Some(proof)
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
fn elements<'a>(uses: &'a [Use<'_, '_>], cases: &'a [Vec<Case>]) -> Vec<Element<'a>> {
    let mut elements: Vec<Element<'a>> = Vec::new();
    let all = uses.iter().zip(cases).enumerate().flat_map(|(at, (used, cases))| cases.iter().map(move |case| (at, used, case)));
    for (at, Use { access, indices, outer }, case) in all {
        let indices: Vec<&NormalForm> = indices.iter().map(|index| &index.value.form).collect();
        let facts = case.relevant(Uniformity::Launch);
        let same = elements.iter_mut().filter(|element| element.indices == indices);
        let includes = |all: &[&Fact], some: &[&Fact]| some.iter().all(|fact| all.iter().any(|known| known.is_same(fact)));
        match same.into_iter().find(|element| includes(&facts, &element.facts)) {
            Some(element) => element.writes |= access.writes,
            None => elements.push(Element { indices, outer: *outer, facts, writes: access.writes, first: at }),
        }
    }
    elements
}

/// More cases of a use than this are not told apart.
const MOST_CASES: usize = 4;

/// What is known at a use in one case, and what that is about.
struct Case {
    facts: Facts,
    about: Vec<NormalForm>,
}

impl Case {
    fn relevant(&self, common: Uniformity) -> Vec<&Fact> {
        relevant(&self.facts, &self.about.iter().collect::<Vec<_>>(), common)
    }
}

/// The cases of a use: a value in an index may be one of several, each under conditions of its own.
fn cases(used: &Use<'_, '_>) -> Vec<Case> {
    let mut choices = Vec::new();
    used.indices.iter().for_each(|index| add_choices(&index.value, &mut choices));
    let about = used.indices.iter().map(|index| index.value.form.clone()).collect();
    let mut cases = vec![Case { facts: used.access.facts.clone(), about }];
    for choice in choices {
        let Kind::OneOf(alternatives) = &choice.kind else { continue };
        if cases.len() * alternatives.len() > MOST_CASES {
            break;
        }
        let with = |Case { facts, about }: &Case, (value, known): &(Value, Facts)| {
            let (mut facts, mut about) = (facts.clone(), about.clone());
            facts.extend(known);
            facts.add(choice, Relation::Equal, value);
            about.extend(known.iter().flat_map(|fact| [&fact.left, &fact.right]).map(|value| value.form.clone()));
            Case { facts, about }
        };
        cases = cases.iter().flat_map(|case| alternatives.iter().map(move |alternative| with(case, alternative))).collect();
    }
    cases
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
