//! Whether two threads can use the same element of a `&mut` parameter.

use super::array_accesses::{Use, by_planes, uses_of};
use crate::check::prove::mixed_radix::{Digits, Part, RadixReading, Reader, pins};
use crate::check::prove::prove_by_equations;
use crate::check::report::findings::{add_condition, unproved_access, unproved_block_scope, unproved_collective, unproved_escape};
use crate::check::rules::scoped_atomics::block_scoped;
use crate::check::values::coordinate::Coordinate;
use crate::check::values::form::{NormalForm, Uniformity};
use crate::check::walk::effects::{AxisIndex, Effects};
use crate::check::walk::facts::Facts;
use crate::check::walk::walker::walk_with_quantities;
use crate::model::*;

/// Proves that the kernel is free of data races, or lists what could not be proved.
///
/// Every access to a `&mut` parameter that the kernel writes must be read by the same [`Digits`](crate::check::prove::mixed_radix::Digits) (or be made by the one thread
/// that an equality such as `thread_idx().x == 0` lets through), and the digits must tell the thread. Then an element that two
/// accesses have in common belongs to one thread. A `ViewMut` is read axis by axis: the runtime makes none in which two
/// tuples of indices are one element, so an element that two accesses have in common has equal indices on every axis, and what the
/// digits of all axes tell together counts. Planes of an array, whose constant indices differ, have no element in common, so each has a proof of
/// its own. Parameters behind `&` are never written, and different parameters
/// never overlap. Where threads wait for each other, all of those come or none ([`collectives`](super::collectives)): what lies between is
/// not looked at. Atomics are for all threads to use, unless they say that those of a block are meant ([`scoped_atomics`](crate::check::rules::scoped_atomics)).
///
/// What sums do not show is tried again with [names for derived quantities](crate::check::walk::quantities).
pub(crate) fn prove_race_freedom<'f>(function: &'f Function, walk: &Effects<'f>) -> RaceFreedom {
    let proof = prove_by_one_walk(function, walk);
    if !walk.derives_quantities || is_about_several_blocks(&proof) {
        return proof;
    }
    let other = prove_by_one_walk(function, &walk_with_quantities(function, walk.assumed));
    if is_about_several_blocks(&other) || matches!(proof, RaceFreedom::Unproved(_)) && !matches!(other, RaceFreedom::Unproved(_)) {
        other
    } else {
        proof
    }
}

pub(crate) fn is_about_several_blocks(proof: &RaceFreedom) -> bool {
    matches!(proof, RaceFreedom::Proved { grid_axes: 1.., .. })
}

/// The same by these values alone.
pub(crate) fn prove_by_one_walk<'f>(function: &'f Function, walk: &Effects<'f>) -> RaceFreedom {
    let divergent = walk.collectives.iter().filter(|collective| !collective.is_safe());
    let mut unproved: Vec<UnprovedAccess> = divergent.map(|collective| unproved_collective(function, collective)).collect();
    unproved.extend(block_scoped(function).into_iter().map(|(local, span)| unproved_block_scope(function, local, span)));
    let (mut grid_axes, mut block_axes, mut conditions) = (3, 3, Vec::new());
    for param in &function.params {
        let local = function.local(param.local);
        if !local.ty.is_mutable_parameter() {
            continue;
        }
        let escapes = walk.escapes.iter().filter(|(escaped, _)| *escaped == param.local);
        unproved.extend(escapes.map(|(_, span)| unproved_escape(function, param.local, *span)));
        let planes = by_planes(uses_of(walk, param.local));
        for uses in planes.iter().filter(|uses| uses.iter().any(|used| used.access.writes)) {
            match prove(walk, uses, function.is_tiled()) {
                Ok(proof) => {
                    let (axes, flat) = proof.grid();
                    grid_axes = axes.min(grid_axes);
                    block_axes = proof.block_axes.min(block_axes);
                    for axis in flat {
                        let one_block = Inequality::below(Polynomial::atom(Atom::GridDim(axis)), Polynomial::constant(2));
                        add_condition(&mut conditions, function, one_block, uses[0].access);
                    }
                    for (inequality, access) in proof.conditions {
                        add_condition(&mut conditions, function, inequality, uses[access].access);
                    }
                }
                Err(blamed) => {
                    unproved.extend(blamed.into_iter().map(|(used, earlier)| unproved_access(function, &walk.counters, used, earlier)));
                }
            }
        }
    }
    // `x[i] += y` is two accesses.
    unproved.dedup_by(|a, b| a.what == b.what);
    if unproved.is_empty() { RaceFreedom::Proved { grid_axes, block_axes, conditions } } else { RaceFreedom::Unproved(unproved) }
}

pub(crate) struct Proof {
    /// Along which axes it differs between blocks.
    pub(crate) blocks: [bool; 3],
    pub(crate) block_axes: u8,
    /// Each with the first access that needs it.
    pub(crate) conditions: Vec<(Inequality, usize)>,
}

impl Proof {
    /// How many leading axes a grid may have, and those among them along which it must have one block.
    fn grid(&self) -> (u8, Vec<Axis>) {
        let is_told = |axis: Axis| self.blocks[axis as usize];
        let leading = leading_axes(is_told, |_| false);
        match [Axis::Z, Axis::Y].into_iter().find(|axis| leading == 0 && is_told(*axis)) {
            Some(last) => {
                let flat = [Axis::X, Axis::Y].into_iter().filter(|axis| !is_told(*axis) && (*axis as usize) < last as usize);
                (last as u8 + 1, flat.collect())
            }
            None => (leading, Vec::new()),
        }
    }

    fn number_of_axes(&self) -> usize {
        usize::from(self.block_axes) + self.number_of_blocks()
    }

    fn number_of_blocks(&self) -> usize {
        self.blocks.iter().filter(|is_told| **is_told).count()
    }
}

/// The known facts about one access.
#[derive(Clone)]
pub(crate) struct AccessFacts {
    /// Of the index of each axis.
    readings: Vec<Vec<RadixReading>>,
    pins: Vec<(RadixReading, NormalForm)>,
}

/// What is known about an access with these indices, where these facts hold.
pub(crate) fn known_about<'a>(walk: &Effects<'_>, facts: &Facts, indices: impl Iterator<Item = &'a AxisIndex<'a>>) -> AccessFacts {
    let reader = Reader::new(facts, walk);
    let readings = indices.map(|index| reader.read(&index.value.form)).collect();
    AccessFacts { readings, pins: pins(&reader, facts) }
}

impl AccessFacts {
    /// Whether a reading assumes `condition`.
    fn needs(&self, condition: &Inequality) -> bool {
        let pins = self.pins.iter().map(|(reading, _)| reading);
        self.readings.iter().flatten().chain(pins).any(|reading| reading.conditions.contains(condition))
    }
}

const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

type Blamed<'u, 'a, 'f> = (&'u Use<'a, 'f>, Option<&'u Use<'a, 'f>>);

/// Shows that `uses`, all of one parameter, belong to one thread each. Else gives those to blame, with the use that each disagrees with if it
/// would do alone. A kernel with tiles, in which blocks are all there is, has no proof for one block if an index depends on the block.
fn prove<'u, 'a, 'f>(walk: &Effects<'f>, uses: &'u [Use<'a, 'f>], is_tiled: bool) -> Result<Proof, Vec<Blamed<'u, 'a, 'f>>> {
    // Digits tell elements of the array apart.
    let known = |used: &Use<'_, '_>| known_about(walk, &used.access.facts, used.indices[..used.outer].iter().copied());
    let known: Vec<AccessFacts> = uses.iter().map(known).collect();
    let names = |axis: Axis| uses.iter().any(|used| used.names_block(axis));
    let proof = match prove_together(walk, &known) {
        Some(proof) if proof.blocks.contains(&true) && AXES.iter().all(|axis| proof.blocks[*axis as usize] || !names(*axis)) => Some(proof),
        // For fewer blocks than the indices tell, as far as digits do.
        proof => {
            [prove_by_equations(walk, uses), proof].into_iter().flatten().max_by_key(|proof| (proof.number_of_blocks(), proof.block_axes))
        }
    };
    let tells_blocks = |proof: &Proof| proof.blocks.contains(&true);
    let is_for_one_block = uses.iter().all(|used| used.spread() == Uniformity::Launch);
    let is_enough = |proof: &Proof| !is_tiled || is_for_one_block || tells_blocks(proof);
    if let Some(proof) = proof.filter(is_enough) {
        return Ok(proof);
    }
    let proves = |known: &[AccessFacts]| prove_together(walk, known).is_some_and(|proof| is_enough(&proof));
    let alone: Vec<bool> = known.iter().map(|known| proves(std::slice::from_ref(known))).collect();
    if let Some(bad) = alone.iter().position(|proved| !proved) {
        let blamed = (bad..uses.len()).filter(|i| !alone[*i]).map(|i| (&uses[i], None));
        return Err(blamed.collect());
    }
    let mut agreed = vec![0];
    let mut blamed = Vec::new();
    for i in 1..known.len() {
        let together: Vec<AccessFacts> = agreed.iter().chain([&i]).map(|i| known[*i].clone()).collect();
        if proves(&together) {
            agreed.push(i);
        } else {
            blamed.push((&uses[i], Some(&uses[0])));
        }
    }
    Err(blamed)
}

pub(crate) fn prove_together(walk: &Effects<'_>, known: &[AccessFacts]) -> Option<Proof> {
    let (first, others) = known.split_first()?;
    // An equality counts if every access is under it: then the one thread it lets through is the same.
    let mut common_conditions = Vec::new();
    let mut pinned: Vec<Coordinate> = Vec::new();
    for (pin, value) in &first.pins {
        let mut conditions = pin.conditions.clone();
        let everywhere = others.iter().all(|other| {
            let same = other.pins.iter().find(|(reading, fixed)| reading.digits == pin.digits && fixed == value);
            conditions.extend(same.iter().flat_map(|(reading, _)| reading.conditions.iter().cloned()));
            same.is_some()
        });
        let coordinates = pin.digits.coordinates();
        if everywhere && coordinates.iter().any(|coordinate| !pinned.contains(coordinate)) {
            pinned.extend(coordinates);
            common_conditions.extend(conditions);
        }
    }
    let axes = (0..first.readings.len()).map(|axis| common_readings(axis, first, others));
    let proofs = combine_axes(axes).into_iter().filter_map(|told| {
        let conditions = [common_conditions.as_slice(), &told.conditions].concat();
        let coordinates = [pinned.as_slice(), &told.coordinates].concat();
        let one_thread = |axis: Axis| walk.block[axis as usize].form.as_constant() == Some(1);
        let block_axes = leading_axes(|axis| coordinates.contains(&Coordinate::Thread(axis)), one_thread);
        let blocks = AXES.map(|axis| coordinates.contains(&Coordinate::Block(axis)));
        let mut distinct: Vec<(Inequality, usize)> = Vec::new();
        for condition in conditions {
            if !distinct.iter().any(|(known, _)| *known == condition) {
                let access = known.iter().position(|known| known.needs(&condition)).unwrap_or(0);
                distinct.push((condition, access));
            }
        }
        walk.fits_blocks(block_axes).then_some(Proof { blocks, block_axes, conditions: distinct })
    });
    proofs.max_by_key(|proof| (proof.number_of_axes(), std::cmp::Reverse(proof.conditions.len())))
}

/// What the index of one axis, or the indices of several, tell about the thread in every access.
#[derive(Clone, Default)]
struct ThreadDigits {
    coordinates: Vec<Coordinate>,
    parts: Vec<Part>,
    conditions: Vec<Inequality>,
}

impl ThreadDigits {
    fn add_digits(&mut self, digits: &Digits) {
        self.add(&digits.coordinates(), &digits.parts());
    }

    /// Adds coordinates and parts, and what the parts tell together.
    fn add(&mut self, coordinates: &[Coordinate], parts: &[Part]) {
        for coordinate in coordinates {
            if !self.coordinates.contains(coordinate) {
                self.coordinates.push(*coordinate);
            }
        }
        for part in parts {
            if self.parts.contains(part) {
                continue;
            }
            let is_whole = self.parts.iter().any(|other| other.of == part.of);
            self.parts.push(part.clone());
            if is_whole {
                self.add_digits(&part.of.whole);
            }
        }
    }

    fn add_conditions(&mut self, conditions: &[Inequality]) {
        for condition in conditions {
            if !self.conditions.contains(condition) {
                self.conditions.push(condition.clone());
            }
        }
    }

    fn tells_the_same_as(&self, other: &ThreadDigits) -> bool {
        self.coordinates.len() == other.coordinates.len()
            && self.coordinates.iter().all(|coordinate| other.coordinates.contains(coordinate))
            && self.parts.len() == other.parts.len()
            && self.parts.iter().all(|part| other.parts.contains(part))
    }
}

/// The ways in which all accesses can be read alike on this axis.
fn common_readings(axis: usize, first: &AccessFacts, others: &[AccessFacts]) -> Vec<ThreadDigits> {
    let alike = first.readings[axis].iter().filter_map(|reading| {
        let mut conditions = reading.conditions.clone();
        for other in others {
            let same = other.readings[axis].iter().filter(|candidate| candidate.digits == reading.digits);
            conditions.extend(same.min_by_key(|reading| reading.conditions.len())?.conditions.iter().cloned());
        }
        let mut told = ThreadDigits { conditions, ..ThreadDigits::default() };
        told.add_digits(&reading.digits);
        Some(told)
    });
    alike.collect()
}

/// More ways to read all axes together than this are dropped.
const MOST_COMBINATIONS: usize = 256;

/// One way for each axis, in every combination. Of those that tell the same, the one with the fewest conditions.
fn combine_axes(axes: impl Iterator<Item = Vec<ThreadDigits>>) -> Vec<ThreadDigits> {
    axes.fold(vec![ThreadDigits::default()], |combined, readings| {
        let mut longer: Vec<ThreadDigits> = Vec::new();
        for (told, reading) in combined.iter().flat_map(|told| readings.iter().map(move |reading| (told, reading))) {
            let mut both = told.clone();
            both.add(&reading.coordinates, &reading.parts);
            both.add_conditions(&reading.conditions);
            match longer.iter().position(|known| known.tells_the_same_as(&both)) {
                Some(known) if longer[known].conditions.len() <= both.conditions.len() => {}
                Some(known) => longer[known] = both,
                None if longer.len() < MOST_COMBINATIONS => longer.push(both),
                None => {}
            }
        }
        longer
    })
}

/// How many axes, counted from x, the index tells apart; an axis with a declared extent of 1 need not be told.
pub(crate) fn leading_axes(told: impl Fn(Axis) -> bool, single: impl Fn(Axis) -> bool) -> u8 {
    let mut axes = 0;
    for (axis, count) in [(Axis::X, 1), (Axis::Y, 2), (Axis::Z, 3)] {
        if told(axis) {
            axes = count;
        } else if !single(axis) {
            break;
        }
    }
    axes
}
