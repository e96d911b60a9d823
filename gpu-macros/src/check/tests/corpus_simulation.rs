//! The corpus against brute force: each proved kernel runs on small launches, thread by thread, with any values in its arrays.
//!
//! No two threads use an element of a `&mut` parameter that one of them writes, or an element of a proved shared array without a barrier
//! between; no index is out of bounds whose check the launch leaves out; and the threads of a block come to the same barriers.

use super::super::analysis::analyze;
use super::corpus::corpus;
use super::forms::is_accepted_by;
use super::generate::Random;
use super::interpret_memory::arithmetic;
use super::simulation::{Launch, Tally, run_launch, run_shared};
use super::*;
use std::cell::RefCell;

/// Small numbers, those around a power of two, and some whose products wrap around.
const NUMBERS: &[u64] = &[1, 2, 3, 4, 5, 7, 8, 12, 16, 17, 24, 31, 64];
const LARGE: &[u64] = &[0, 1 << 32, 1 << 62, 1 << 63, u64::MAX];
const LENGTHS: &[u64] = &[0, 1, 7, 16, 60, 200, 4096, 4096];
const EXTENTS: &[[u64; 3]] = &[[1, 1, 1], [2, 1, 1], [3, 1, 1], [2, 2, 1], [3, 2, 1], [2, 2, 2]];
/// How many launches of a kernel do something, of how many that run, of how many that are made.
const WANTED: usize = 2;
const RUN: usize = 30;
const MADE: usize = 20_000;

fn random_launch(random: &mut Random, function: &Function) -> Launch {
    let number = |random: &mut Random| if random.one_in(12) { *random.pick(LARGE) } else { *random.pick(NUMBERS) };
    let params = function.params.iter().map(|param| match function.local(param.local).ty.as_scalar() {
        None => *random.pick(LENGTHS),
        Some(scalar) if scalar.bits() == 64 => number(random),
        Some(_) => *random.pick(NUMBERS),
    });
    let params = params.collect();
    let shapes = function.params.iter().map(|_| [*random.pick(NUMBERS), *random.pick(NUMBERS)]).collect();
    let (tile, steps) = (*random.pick(&[3, 4, 8]), *random.pick(&[1, 2]));
    let constants = vec![
        ("TILE", tile),
        ("BLOCK", tile),
        ("THREADS", tile),
        ("PER_BOX", tile),
        ("ROWS", *random.pick(&[1, 2])),
        ("STEPS", steps),
        ("HALO", 1),
    ];
    let FunctionKind::Kernel(options) = &function.kind else { panic!("no kernel") };
    let block = match &options.block {
        None => *random.pick(EXTENTS),
        Some(declared) => [0, 1, 2].map(|axis| declared.get(axis).map_or(1, |extent| arithmetic(&constants, extent.arithmetic()))),
    };
    let is_large = block.iter().product::<u64>() > 64;
    let grid = if is_large { *random.pick(&[[2, 1, 1], [1, 2, 1], [1, 1, 1]]) } else { *random.pick(EXTENTS) };
    let fields = function.field_types.iter().map(|known| {
        let path: String = known.members.iter().map(|member| format!(".{member}")).collect();
        (path, if known.scalar.bits() == 64 { number(random) } else { *random.pick(NUMBERS) })
    });
    let fields = fields.collect();
    Launch { params, fields, shapes, constants, grid, block, atomics: RefCell::default() }
}

#[test]
fn no_launch_of_a_textbook_kernel_refutes_a_proof() {
    let mut random = Random(0x5851_f42d_4c95_7f2d);
    let mut idle = Vec::new();
    for function in corpus() {
        let name = function.name.to_string();
        let analysis = analyze(&function, Vec::new());
        let mut tally = Tally::default();
        let mut run = 0;
        for _ in 0..MADE {
            let launch = random_launch(&mut random, &function);
            if !is_accepted_by(&analysis.race_freedom, &launch) {
                continue;
            }
            let holds = |bound: &Bound| matches!(bound, Bound::Below(needs) if needs.iter().all(|need| launch.satisfies(need)));
            let unchecked: Vec<bool> = analysis.bounds.iter().map(holds).collect();
            run_launch(&name, &function, &launch, &unchecked, true, &mut tally);
            run_shared(&name, &function, &launch, &analysis.racing_arrays, &mut tally);
            run += 1;
            if tally.proved_launches == WANTED || run == RUN {
                break;
            }
        }
        let uses_memory = function.params.iter().any(|param| function.local(param.local).ty.is_mutable_parameter());
        let is_proved = matches!(analysis.race_freedom, RaceFreedom::Proved { .. });
        if is_proved && uses_memory && tally.proved_launches == 0 {
            idle.push((name, run));
        }
    }
    assert!(idle.is_empty(), "no safe launch does anything: {idle:?}");
}
