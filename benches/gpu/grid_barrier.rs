//! What a barrier of the grid costs: 10,000 steps of the heat equation on a rod of 1001 points, as one launch with a barrier after each
//! step, against a launch for each step; and as a graph of all launches, against the same.

use std::f64::consts::PI;
use std::process::ExitCode;

use gpu_benches::by_hand::Cuda;
use gpu_benches::measure::{alternate, repeat, seconds};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, gpu_benchmark};
use gpu_runtime::prelude::*;

const POINTS: usize = 1001;
const STEPS: usize = 10_000;
const BLOCK: u32 = 64;
const GRID: u32 = 16;
const RATE: f64 = 0.25;

/// All steps. Two copies of the rod take turns.
#[gpu_kernel]
fn cool(even: &mut [f64], odd: &mut [f64], steps: usize) {
    let i = grid_1d();
    let is_inner = i > 0 && i + 1 < even.len();
    for step in 0..steps {
        if is_inner {
            if step % 2 == 0 {
                odd[i] = even[i] + RATE * (even[i - 1] - 2.0 * even[i] + even[i + 1]);
            } else {
                even[i] = odd[i] + RATE * (odd[i - 1] - 2.0 * odd[i] + odd[i + 1]);
            }
        }
        sync_grid();
    }
}

/// One step.
#[gpu_kernel]
fn cool_once(before: &[f64], after: &mut [f64]) {
    let i = grid_1d();
    if i > 0 && i + 1 < before.len() && i < after.len() {
        after[i] = before[i] + RATE * (before[i - 1] - 2.0 * before[i] + before[i + 1]);
    }
}

fn main() -> ExitCode {
    gpu_benchmark("grid_barrier", run)
}

fn run(device: &Device, _: &Cuda, report: &mut Report) -> Result<()> {
    // A half wave keeps its shape.
    let start: Vec<f64> = (0..POINTS).map(|i| (PI * i as f64 / (POINTS - 1) as f64).sin()).collect();
    let factor = 1.0 - 4.0 * RATE * (PI / (2 * (POINTS - 1)) as f64).sin().powi(2);
    let is_right = |rod: &[f64], rounds: i32| {
        rod.iter().zip(&start).all(|(heat, start)| (heat - start * factor.powi(rounds * STEPS as i32)).abs() < 1e-9)
    };

    let (mut even, mut odd) = (device.to_device(&start)?, device.to_device(&start)?);
    let (mut before, mut after) = (device.to_device(&start)?, device.to_device(&start)?);
    let (mut warm, mut cold) = (device.to_device(&start)?, device.to_device(&start)?);
    let mut graph = Graph::record(device, (&mut warm, &mut cold), |(before, after)| {
        for _ in 0..STEPS / 2 {
            cool_once(&*before, &mut *after).launch(GRID, BLOCK)?;
            cool_once(&*after, &mut *before).launch(GRID, BLOCK)?;
        }
        Ok(())
    })?;
    let (mut our_rounds, mut rounds, mut graph_rounds) = (0, 0, 0);
    let (ours, launches) = alternate(
        || {
            our_rounds += 1;
            seconds(|| {
                // SAFETY: in each step, the threads read one copy and write to the other.
                unsafe { cool(&mut even, &mut odd, STEPS).launch_unchecked(GRID, BLOCK)? };
                Ok(device.synchronize()?)
            })
        },
        || {
            rounds += 1;
            seconds(|| {
                for _ in 0..STEPS / 2 {
                    cool_once(&before, &mut after).launch(GRID, BLOCK)?;
                    cool_once(&after, &mut before).launch(GRID, BLOCK)?;
                }
                Ok(device.synchronize()?)
            })
        },
    )?;
    check(is_right(&even.to_host()?, our_rounds), "the rod that cooled in one launch")?;
    check(is_right(&before.to_host()?, rounds), "the rod that cooled launch by launch")?;

    report.add(Figure {
        case: "heat, 1001 points".to_owned(),
        unit: "µs a step",
        better: Better::Less,
        ours: ours.map(|seconds| seconds * 1e6 / STEPS as f64),
        reference: ("a launch for each step", launches.map(|seconds| seconds * 1e6 / STEPS as f64)),
        limit: None,
        target: Some(Target::Ratio(1.0)),
    });

    let in_a_graph = repeat(|| {
        graph_rounds += 1;
        seconds(|| {
            graph.launch((&mut warm, &mut cold))?;
            Ok(device.synchronize()?)
        })
    })?;
    check(is_right(&warm.to_host()?, graph_rounds), "the rod that cooled in a graph")?;
    report.add(Figure {
        case: "heat, 1001 points, in a graph".to_owned(),
        unit: "µs a step",
        better: Better::Less,
        ours: in_a_graph.map(|seconds| seconds * 1e6 / STEPS as f64),
        reference: ("a launch for each step", launches.map(|seconds| seconds * 1e6 / STEPS as f64)),
        limit: None,
        target: Some(Target::Ratio(1.0)),
    });
    Ok(())
}
