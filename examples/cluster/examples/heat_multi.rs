//! The heat equation on a plate whose rows are divided among all ranks.
//!
//! In each step, a rank first computes its first and its last row, on a stream of their own, and sends them to its neighbours. Meanwhile the
//! device computes the rows between. Nothing waits for the host: each stream waits for the rows that it reads.
//!
//! ```sh
//! cargo run --release -p gpu-cluster-examples --example heat_multi -- --n 4096 --steps 100
//! scripts/launch-local 4 target/release/examples/heat_multi
//! ```

use gpu_cluster_examples::{Size, measure, on_ranks};
use gpu_examples::{Arguments, Failure};
use gpu_runtime::Stream;
use gpu_runtime::cluster::{Communicator, Operation};
use gpu_runtime::prelude::*;

/// One step for some rows of `width` elements. `u` also has the row before them and the row after them.
#[gpu_kernel(block = (32, 8))]
fn step(u: &[f32], width: usize, next: &mut [f32]) {
    let (x, row) = grid_2d();
    let i = row * width + x;
    if x < width && i < next.len() {
        let here = u[i + width];
        let left = if x > 0 { u[i + width - 1] } else { here };
        let right = if x + 1 < width { u[i + width + 1] } else { here };
        next[i] = here + 0.2 * (left + right + u[i] + u[i + 2 * width] - 4.0 * here);
    }
}

fn main() -> Result<(), Failure> {
    let about = "The heat equation on n × n points, whose rows are divided among all ranks.";
    let arguments = Arguments::parse(about, &["--n", "--steps", "--ranks"]);
    Ok(on_ranks(&arguments, |ranks| {
        check(ranks)?;
        let size = Size::of(&arguments, ranks, 16384, 512, 2);
        let steps = arguments.number("--steps").unwrap_or(if ranks.device().is_gpu() { 500 } else { 20 });
        let run = |ranks: &Communicator, plate: &mut Plate| (0..steps).try_for_each(|_| plate.step(ranks));
        let (plate, speed) = measure(ranks, size, Plate::new, run)?;
        let n = speed.n;
        let (before, after) = (((2 * (n / 8)).saturating_sub(1) as f64).powi(2), plate.heat(ranks)?);
        assert!(after <= before * 1.001, "heat flows out of the plate, not in: {before}, then {after}");
        if ranks.rank() == 0 {
            let rate = (n * n * steps) as f64 / speed.seconds / 1e9;
            println!("{steps} steps of {n} × {n} points on {speed}, {rate:.2} points/ns");
        }
        Ok(())
    })?)
}

/// Compares a small plate of all ranks with the same plate of one rank, bit by bit.
fn check(ranks: &Communicator) -> gpu_runtime::Result<()> {
    let (n, steps) = (16 * ranks.size(), 20);
    let run = |ranks: &Communicator| {
        let mut plate = Plate::new(ranks, n)?;
        (0..steps).try_for_each(|_| plate.step(ranks))?;
        let mut all = ranks.device().zeros::<f32>(n * n)?;
        ranks.all_gather(plate.now.slice(n..(plate.rows + 1) * n), &mut all)?;
        all.to_host()
    };
    assert!(run(ranks)? == run(&Communicator::alone(ranks.device()))?, "several ranks compute something else than one");
    Ok(())
}

/// The rows of a rank, between a row of the rank before and one of the rank after.
struct Plate {
    width: usize,
    rows: usize,
    now: DeviceArray<f32>,
    next: DeviceArray<f32>,
    /// For the rows that others need.
    edges: Stream,
}

impl Plate {
    fn new(ranks: &Communicator, n: usize) -> gpu_runtime::Result<Self> {
        let own = ranks.part(n);
        // Hot in the middle, and 0 outside of the plate.
        let hot = |row: usize, x: usize| f32::from(u8::from(row.abs_diff(n / 2) < n / 8 && x.abs_diff(n / 2) < n / 8));
        let inner = own.clone().flat_map(|row| (0..n).map(move |x| hot(row, x)));
        let outer = |row: Option<usize>| (0..n).map(move |x| row.map_or(0.0, |row| hot(row, x)));
        let before = outer(own.start.checked_sub(1));
        let after = outer(Some(own.end).filter(|row| *row < n));
        let now = ranks.device().to_device(&before.chain(inner).chain(after).collect::<Vec<f32>>())?;
        let next = ranks.device().zeros_like(&now)?;
        Ok(Self { width: n, rows: own.len(), now, next, edges: ranks.device().stream_with_priority(1)? })
    }

    /// One step of all ranks.
    fn step(&mut self, ranks: &Communicator) -> gpu_runtime::Result<()> {
        let (rank, width, rows) = (ranks.rank(), self.width, self.rows);
        self.compute(0, 1, true)?;
        self.compute(rows - 1, rows, true)?;
        self.compute(1, rows - 1, false)?;
        let Self { next, edges, .. } = self;
        let (top, mut rest) = next.split_at_mut(width);
        let (inner, bottom) = rest.split_at_mut(rows * width);
        let (first, last) = (inner.slice(..width), inner.slice((rows - 1) * width..));
        let mut group = ranks.group();
        if rank > 0 {
            group = group.send(first.on(edges), rank - 1).recv(top.on(edges), rank - 1);
        }
        if rank + 1 < ranks.size() {
            group = group.send(last.on(edges), rank + 1).recv(bottom.on(edges), rank + 1);
        }
        group.run()?;
        std::mem::swap(&mut self.now, &mut self.next);
        Ok(())
    }

    /// One step for the rows from `first` up to `end` of this rank.
    fn compute(&mut self, first: usize, end: usize, is_edge: bool) -> gpu_runtime::Result<()> {
        if first >= end {
            return Ok(());
        }
        let width = self.width;
        let u = self.now.slice(first * width..(end + 2) * width);
        let next = self.next.slice_mut((first + 1) * width..(end + 1) * width);
        let launch = step(u, width, next);
        let grid = (width.div_ceil(32), (end - first).div_ceil(8));
        if is_edge { launch.on(&self.edges).launch(grid, (32, 8)) } else { launch.launch(grid, (32, 8)) }
    }

    /// The heat of all ranks.
    fn heat(&self, ranks: &Communicator) -> gpu_runtime::Result<f64> {
        let own = self.now.slice(self.width..(self.rows + 1) * self.width);
        let mut heat = own.lazy().cast::<f64>().sum_axis(0)?;
        ranks.all_reduce(&mut heat, Operation::Sum)?;
        Ok(heat.to_host()?[0])
    }
}
