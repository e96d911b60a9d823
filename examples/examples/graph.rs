//! A graph: a thousand steps of the heat equation are recorded once, and then launched together. Each step is a tiny kernel, so launching
//! the steps one by one takes longer than computing them.
//!
//! ```sh
//! cargo run --release --example graph -- --n 1001
//! ```

use std::f64::consts::PI;
use std::time::Instant;

use gpu_examples::{Arguments, Failure};
use gpu_runtime::prelude::*;

const STEPS: usize = 1000;

#[gpu_kernel]
fn cool(before: &[f64], after: &mut [f64], rate: f64) {
    let i = grid_1d();
    if i > 0 && i + 1 < before.len() && i < after.len() {
        after[i] = before[i] + rate * (before[i - 1] - 2.0 * before[i] + before[i + 1]);
    }
}

/// All steps. Two copies of the rod take turns.
fn cool_down(rod: &mut DeviceArray<f64>, copy: &mut DeviceArray<f64>, rate: f64) -> gpu_runtime::Result<()> {
    let points = rod.len();
    for _ in 0..STEPS / 2 {
        cool(&*rod, &mut *copy, rate).forall(points)?;
        cool(&*copy, &mut *rod, rate).forall(points)?;
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Cools a rod of n points, launch by launch and in a graph.", &["--n"]);
    let device = arguments.device()?;
    let points = arguments.number("--n").unwrap_or(1001).max(3);
    println!("{STEPS} steps of {points} points on {device}");

    // A half wave keeps its shape.
    let start: Vec<f64> = (0..points).map(|i| (PI * i as f64 / (points - 1) as f64).sin()).collect();
    let cooled = |steps: usize, rate: f64| (1.0 - 4.0 * rate * (PI / (2 * (points - 1)) as f64).sin().powi(2)).powi(steps as i32);

    let (mut rod, mut copy) = (device.to_device(&start)?, device.to_device(&start)?);
    let mut graph = Graph::record(&device, (&mut rod, &mut copy, 0.25f64), |(rod, copy, rate)| cool_down(rod, copy, rate))?;

    let time = Instant::now();
    graph.launch((&mut rod, &mut copy, 0.25))?;
    device.synchronize()?;
    let in_a_graph = time.elapsed();

    let time = Instant::now();
    cool_down(&mut rod, &mut copy, 0.25)?;
    device.synchronize()?;
    let launch_by_launch = time.elapsed();

    // Another number changes the graph.
    let time = Instant::now();
    graph.launch((&mut rod, &mut copy, 0.125))?;
    device.synchronize()?;
    let changed = time.elapsed();
    for (name, time) in [("launch by launch", launch_by_launch), ("in a graph", in_a_graph), ("in the changed graph", changed)] {
        println!("{name}: {:.2} ms", time.as_secs_f64() * 1e3);
    }

    let factor = cooled(2 * STEPS, 0.25) * cooled(STEPS, 0.125);
    let is_right = rod.to_host()?.iter().zip(&start).all(|(heat, start)| (heat - start * factor).abs() < 1e-9);
    assert!(is_right, "the rod is wrong");
    Ok(())
}
