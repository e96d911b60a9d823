//! What a barrier costs on the CPU: sums of 4 million `f32` by a tree in each block of 256 threads.
//!
//! The unit is nanoseconds of one core for each thread and barrier. Blocks run on all cores at once, and the time is
//! multiplied by their number; `RAYON_NUM_THREADS=1` measures one core by itself.

use std::hint::black_box;
use std::process::ExitCode;

use gpu_benches::measure::{alternate, seconds};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, cores, cpu_benchmark};
use gpu_runtime::prelude::*;

const LEN: usize = 4 << 20;
const BLOCK: usize = 256;
/// One after loading, one after each of the tree's eight levels.
const BARRIERS: usize = 1 + BLOCK.ilog2() as usize;

#[gpu_kernel(block = 256)]
fn block_sums(x: &[f32], sums: &mut [f32]) {
    let mut tile = shared::<[f32; BLOCK]>();
    let thread = thread_idx().x;
    let i = grid_1d();
    tile[thread] = if i < x.len() { x[i] } else { 0.0 };
    sync_threads();
    let mut stride = BLOCK / 2;
    while stride > 0 {
        if thread < stride {
            tile[thread] += tile[thread + stride];
        }
        sync_threads();
        stride /= 2;
    }
    if thread == 0 {
        sums[block_idx().x] = tile[0];
    }
}

/// The same additions in plain loops, on one core.
fn block_sums_by_hand(x: &[f32], sums: &mut [f32]) {
    for (x, sum) in x.chunks_exact(BLOCK).zip(sums) {
        let mut tile: [f32; BLOCK] = x.try_into().expect("a whole block");
        let mut stride = BLOCK / 2;
        while stride > 0 {
            for thread in 0..stride {
                tile[thread] += tile[thread + stride];
            }
            stride /= 2;
        }
        *sum = tile[0];
    }
}

fn main() -> ExitCode {
    cpu_benchmark("cpu_reduction", run)
}

fn run(report: &mut Report) -> Result<()> {
    let device = Device::cpu();
    let host: Vec<f32> = (0..LEN).map(|i| (i * 7919 % 1000) as f32 / 1000.0).collect();
    let x = device.to_device(&host)?;
    let mut sums = device.zeros::<f32>(LEN / BLOCK)?;
    let mut hand_sums = vec![0.0; LEN / BLOCK];
    let (ours, by_hand) = alternate(
        || {
            seconds(|| {
                block_sums(&x, &mut sums).launch(LEN / BLOCK, BLOCK)?;
                Ok(device.synchronize()?)
            })
        },
        || {
            seconds(|| {
                block_sums_by_hand(black_box(&host), &mut hand_sums);
                Ok(())
            })
        },
    )?;
    check(sums.to_host()? == hand_sums, "our sums")?;
    let threads_and_barriers = (LEN * BARRIERS) as f64;
    let cores = cores() as f64;
    report.add(Figure {
        case: "block 256, 4 Mi f32".to_owned(),
        unit: "ns",
        better: Better::Less,
        ours: ours.map(|seconds| seconds * 1e9 * cores / threads_and_barriers),
        reference: ("plain loops", by_hand.map(|seconds| seconds * 1e9 / threads_and_barriers)),
        limit: None,
        target: Some(Target::Value(10.0)),
    });
    Ok(())
}
