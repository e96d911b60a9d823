//! ∫∫ sin(x + y) over [0, π]² with 8192² points on the CPU: the kernel for the GPU, unchanged, against threads by hand.

use std::f64::consts::PI;
use std::num::NonZero;
use std::process::ExitCode;
use std::thread;

use gpu_benches::measure::{alternate, seconds};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, close, cpu_benchmark};
use gpu_runtime::prelude::*;

/// Rows, and points in each.
const N: u32 = 8192;
/// The distance between two points.
const H: f64 = PI / N as f64;
const BLOCK: u32 = 16;

#[gpu_kernel]
fn integrate_rows(n: u32, h: f64, sums: &mut [f32]) {
    let row = grid_1d();
    if row < sums.len() {
        let x = h * (row as f64 + 0.5);
        let mut sum = 0.0;
        for column in 0..n {
            let y = h * (column as f64 + 0.5);
            sum += (x + y).sin();
        }
        sums[row] = sum as f32;
    }
}

/// The same work, in as many threads as the machine runs at once. Rows are equally long, so equal shares end together.
fn integrate_by_hand(sums: &mut [f32]) {
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    let share = sums.len().div_ceil(workers);
    thread::scope(|scope| {
        for (worker, sums) in sums.chunks_mut(share).enumerate() {
            scope.spawn(move || {
                for (offset, sum) in sums.iter_mut().enumerate() {
                    let x = H * ((worker * share + offset) as f64 + 0.5);
                    *sum = (0..N).fold(0.0, |sum, column| sum + (x + H * (column as f64 + 0.5)).sin()) as f32;
                }
            });
        }
    });
}

fn main() -> ExitCode {
    cpu_benchmark("cpu_integration", run)
}

fn run(report: &mut Report) -> Result<()> {
    let device = Device::cpu();
    let mut sums = device.zeros::<f32>(N as usize)?;
    let mut hand_sums = vec![0.0; N as usize];
    let (ours, by_hand) = alternate(
        || {
            seconds(|| {
                integrate_rows(N, H, &mut sums).launch(N / BLOCK, BLOCK)?;
                Ok(device.synchronize()?)
            })
        },
        || {
            seconds(|| {
                integrate_by_hand(&mut hand_sums);
                Ok(())
            })
        },
    )?;
    // The first half of the rows is an integral over x in [0, π/2].
    let half = H * H * hand_sums[..N as usize / 2].iter().map(|&sum| f64::from(sum)).sum::<f64>();
    check(close(half, 2.0, 1e-5), "the integral by hand")?;
    check(sums.to_host()? == hand_sums, "our integral")?;
    report.add(Figure {
        case: "8192² points".to_owned(),
        unit: "ms",
        better: Better::Less,
        ours: ours.map(|seconds| seconds * 1e3),
        reference: ("Rust threads", by_hand.map(|seconds| seconds * 1e3)),
        limit: None,
        target: Some(Target::Peers(&[("Numba", 1.0)])),
    });
    Ok(())
}
