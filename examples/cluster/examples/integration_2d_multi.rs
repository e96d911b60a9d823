//! Integrates sin(x + y) over the square [0, π/2]² by the midpoint rule with n × n points, on all ranks. The exact value is 2.
//!
//! Each rank sums up a part of the rows, and one `all_reduce` adds the sums of the ranks.
//!
//! ```sh
//! cargo run --release -p gpu-cluster-examples --example integration_2d_multi -- --n 204800
//! scripts/launch-local 4 target/release/examples/integration_2d_multi
//! srun --ntasks=16 --gpus-per-task=1 target/release/examples/integration_2d_multi
//! ```

use std::f64::consts::PI;

use gpu_cluster_examples::{Size, measure, on_ranks};
use gpu_examples::{Arguments, Failure};
use gpu_runtime::cluster::{Communicator, Operation};
use gpu_runtime::prelude::*;

/// How many threads share a row. With one for each row, a part of the rows would leave a GPU half empty.
const PIECES: usize = 64;

/// The sum of sin(x + y) over a piece of each row, from the row `first` on.
#[gpu_kernel]
fn sum_pieces(first: usize, n: usize, h: f64, sums: &mut [f64]) {
    let t = grid_1d();
    if t < sums.len() {
        let x = h * ((first + t / PIECES) as f64 + 0.5);
        let mut sum = 0.0;
        for j in t % PIECES * n / PIECES..(t % PIECES + 1) * n / PIECES {
            sum += (x + h * (j as f64 + 0.5)).sin();
        }
        sums[t] = sum;
    }
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Integrates sin(x + y) over [0, π/2]² with n × n points on all ranks.", &["--n", "--ranks"]);
    Ok(on_ranks(&arguments, |ranks| {
        let size = Size::of(&arguments, ranks, 200 * 1024, 4000, 2);
        let set = |ranks: &Communicator, (n, integral): &mut (usize, f64)| integrate(ranks, *n).map(|found| *integral = found);
        let ((n, integral), speed) = measure(ranks, size, |_, n| Ok((n, 0.0)), set)?;
        let error = (integral - 2.0).abs();
        if ranks.rank() == 0 {
            println!("{n} × {n} points on {speed}; {integral:.9}, error {error:.1e}");
        }
        assert!(error < 1e-3 / n as f64, "the integral is {integral}");
        Ok(())
    })?)
}

fn integrate(ranks: &Communicator, n: usize) -> gpu_runtime::Result<f64> {
    let h = PI / 2.0 / n as f64;
    let rows = ranks.part(n);
    let threads = rows.len() * PIECES;
    let mut sums = ranks.device().zeros::<f64>(threads)?;
    sum_pieces(rows.start, n, h, &mut sums).launch(threads.div_ceil(256), 256)?;
    let mut sum = sums.sum_axis(0)?;
    ranks.all_reduce(&mut sum, Operation::Sum)?;
    Ok(h * h * sum.to_host()?[0])
}
