//! What is proved of a kernel, against launches that its safe launch accepts: each must be as proved, and one must do something.
//!
//! A proof under a condition that no launch satisfies is as useless as none, but it looks like one. So every table of proved kernels asks for a
//! launch that does something: it writes to what the kernel writes to, with several threads.

use super::forms::Shape;
use super::generate::Random;
use super::interpret_memory::arithmetic;
use super::simulation::{Held, Launch, Tally, run_launch, run_shared};
use super::*;
use crate::check::clients::array_accesses::uses_of;
use crate::check::clients::shared_memory::{prove_shared_memory, shared_arrays};
use crate::check::walk::walker::walk;
use std::cell::RefCell;

/// Small numbers, those around a power of two, and some whose products wrap around.
const NUMBERS: &[u64] = &[1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 24, 31, 64];
const LARGE: &[u64] = &[0, 1 << 32, 1 << 62, 1 << 63, u64::MAX];
const LENGTHS: &[u64] = &[0, 1, 7, 16, 60, 200, 4096, 4096];
const EXTENTS: &[[u64; 3]] = &[[1, 1, 1], [2, 1, 1], [3, 1, 1], [2, 2, 1], [3, 2, 1], [2, 2, 2]];
/// How many random launches of a kernel do something, of how many that run, of how many that are made.
const WANTED: usize = 2;
const RUN: usize = 200;
const MADE: usize = 20_000;

/// The extents of a block that the attribute declares.
fn declared_block(function: &Function, constants: &[(&'static str, u64)]) -> Option<[u64; 3]> {
    let FunctionKind::Kernel(KernelOptions { block: Some(declared), .. }) = &function.kind else { return None };
    Some([0, 1, 2].map(|axis| declared.get(axis).map_or(1, |extent| arithmetic(constants, extent.arithmetic()))))
}

fn random_launch(random: &mut Random, function: &Function) -> Launch {
    let number = |random: &mut Random| if random.one_in(12) { *random.pick(LARGE) } else { *random.pick(NUMBERS) };
    let params = function.params.iter().map(|param| match function.local(param.local).ty.as_scalar() {
        None => *random.pick(LENGTHS),
        Some(scalar) if scalar.bits() == 64 => number(random),
        Some(_) => *random.pick(NUMBERS),
    });
    let params = params.collect();
    let shapes = function.params.iter().map(|_| [(); 3].map(|()| *random.pick(NUMBERS))).collect();
    let (tile, steps) = (*random.pick(&[3, 4, 8]), *random.pick(&[1, 2]));
    let constants = vec![
        ("TILE", tile),
        ("BLOCK", tile),
        ("THREADS", tile),
        ("PER_BOX", tile),
        ("ROWS", *random.pick(&[1, 2])),
        ("SIDE", *random.pick(&[4, 8])),
        ("WIDTH", *random.pick(&[4, 8, 16])),
        ("STEPS", steps),
        ("HALO", 1),
        ("S", *random.pick(NUMBERS)),
    ];
    let block = declared_block(function, &constants).unwrap_or_else(|| *random.pick(EXTENTS));
    let is_large = block.iter().product::<u64>() > 64;
    let grid = if is_large { *random.pick(&[[2, 1, 1], [1, 2, 1], [1, 1, 1]]) } else { *random.pick(EXTENTS) };
    let fields = function.field_types.iter().filter_map(|known| {
        let path: String = known.members.iter().map(|member| format!(".{member}")).collect();
        let scalar = known.ty.as_scalar()?;
        Some((path, if scalar.bits() == 64 { number(random) } else { *random.pick(NUMBERS) }))
    });
    let fields = fields.collect();
    Launch { params, fields, shapes, constants, grid, block, atomics: RefCell::default(), salt: random.next() % 5 }
}

/// Whether the attribute lets the launch have its block.
pub(super) fn has_declared_block(function: &Function, launch: &Launch) -> bool {
    declared_block(function, &launch.constants).is_none_or(|declared| declared == launch.block)
}

/// Whether the safe launch accepts the launch.
pub(super) fn is_accepted(function: &Function, launch: &Launch) -> bool {
    is_accepted_by(&prove_race_freedom(function, &walk(function)), launch) && has_declared_block(function, launch)
}

/// Whether the launch satisfies what the proof needs.
pub(super) fn is_accepted_by(race_freedom: &RaceFreedom, launch: &Launch) -> bool {
    let RaceFreedom::Proved { grid_axes, block_axes, conditions } = race_freedom else { return false };
    launch.has_axes(*grid_axes, *block_axes) && conditions.iter().all(|condition| launch.satisfies(&condition.inequality))
}

/// What is proved of a kernel.
struct Proofs<'f> {
    function: &'f Function,
    bounds: Vec<Bound>,
    operations: Vec<ExactOperations>,
    race_freedom: RaceFreedom,
    /// About the arrays that are not in `racing`.
    shared_block_axes: u8,
    shared_conditions: Vec<Inequality>,
    racing: Vec<LocalId>,
    /// Whether it writes to parameters, and to proved shared arrays.
    writes: [bool; 2],
}

impl<'f> Proofs<'f> {
    fn of(function: &'f Function) -> Proofs<'f> {
        let walk = walk(function);
        let shared = prove_shared_memory(function, &walk);
        let racing: Vec<LocalId> = shared.races.iter().map(|race| race.array).collect();
        let race_freedom = prove_race_freedom(function, &walk);
        let is_written = |array: LocalId| uses_of(&walk, array).iter().any(|used| used.access.writes);
        let is_proved = matches!(race_freedom, RaceFreedom::Proved { .. });
        let to_params = is_proved && function.params.iter().any(|param| is_written(param.local));
        let to_shared = shared_arrays(function).any(|array| is_written(array) && !racing.contains(&array));
        let (bounds, operations) = prove_bounds_and_operations(function, &walk);
        Proofs {
            function,
            bounds,
            operations,
            race_freedom,
            shared_block_axes: shared.block_axes,
            shared_conditions: shared.conditions.into_iter().map(|(inequality, _)| inequality).collect(),
            racing,
            writes: [to_params, to_shared],
        }
    }

    fn is_about_nothing(&self) -> bool {
        matches!(self.race_freedom, RaceFreedom::Unproved(_)) && !self.writes[1]
    }

    fn accepts(&self, launch: &Launch) -> bool {
        (matches!(self.race_freedom, RaceFreedom::Unproved(_)) || is_accepted_by(&self.race_freedom, launch))
            && has_declared_block(self.function, launch)
            && launch.has_axes(3, self.shared_block_axes)
            && self.shared_conditions.iter().all(|condition| launch.satisfies(condition))
    }

    /// Runs a launch and panics if it is not as proved.
    fn run(&self, name: &str, launch: &Launch, tally: &mut Tally) {
        let held = Held::by(launch, &self.bounds, &self.operations);
        let is_proved = matches!(self.race_freedom, RaceFreedom::Proved { .. });
        run_launch(name, self.function, launch, &held, is_proved, tally);
        run_shared(name, self.function, launch, &self.racing, tally);
    }
}

/// Runs launches that the safe launch accepts, those of `given` and random ones, and panics if one is not as proved. Whether some do
/// something, where anything is proved.
pub(super) fn is_launched(name: &str, function: &Function, given: &[Shape]) -> bool {
    let proofs = Proofs::of(function);
    if proofs.is_about_nothing() {
        return true;
    }
    let (mut tally, mut run) = (Tally::default(), 0);
    for launch in given.iter().map(|shape| shape.launch()).filter(|launch| proofs.accepts(launch)) {
        proofs.run(name, &launch, &mut tally);
        run += 1;
    }
    let mut random = Random(0x5851_f42d_4c95_7f2d);
    let do_something = |tally: &Tally, wanted: usize| {
        let [to_params, to_shared] = proofs.writes;
        (!to_params || tally.proved_launches >= wanted) && (!to_shared || tally.shared >= wanted)
    };
    for _ in 0..MADE {
        if run >= RUN || run >= WANTED && do_something(&tally, WANTED) {
            break;
        }
        let launch = random_launch(&mut random, function);
        if proofs.accepts(&launch) {
            proofs.run(name, &launch, &mut tally);
            run += 1;
        }
    }
    run > 0 && do_something(&tally, 1)
}

/// The same of a table of kernels: panics with those whose launches do nothing.
pub(super) fn assert_launched<'t>(kernels: impl IntoIterator<Item = (&'t str, Function)>, given: &[Shape]) {
    let idle = kernels.into_iter().filter(|(name, function)| !is_launched(name, function, given));
    let idle: Vec<&str> = idle.map(|(name, _)| name).collect();
    assert!(idle.is_empty(), "no safe launch does anything:\n{}", idle.join("\n"));
}
