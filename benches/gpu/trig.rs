//! cos² + sin² of 10 million `f32`, against CUDA's `sinf` and `cosf`, and its `sincosf`.
//!
//! Arguments up to 10 million, most of which CUDA's functions reduce in a loop, and small ones, for which they are at their best.

use std::process::ExitCode;

use gpu_benches::by_hand::{Arguments, Cuda};
use gpu_benches::measure::{Sample, alternate, seconds_per_call};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, gpu_benchmark, limits};
use gpu_runtime::prelude::*;

const LEN: usize = 10_000_000;
const BLOCK: u32 = 256;
const LAUNCHES: u32 = 50;
/// One array read, one written.
const BYTES: f64 = 8.0 * LEN as f64;

#[gpu_kernel]
fn squares(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let a = x[i];
        out[i] = a.cos().powi(2) + a.sin().powi(2);
    }
}

const BY_HAND: &str = include_str!("trig.cu");

fn main() -> ExitCode {
    gpu_benchmark("trig", run)
}

fn run(device: &Device, cuda: &Cuda, report: &mut Report) -> Result<()> {
    let least = BYTES / limits::copy_bandwidth(cuda)?;
    for (range, most, target) in [("0 to 1e7", 1e7, 0.5), ("0 to 1000", 1e3, 1.1)] {
        let x: Vec<f32> = (0..LEN).map(|i| (i as f64 * most / LEN as f64) as f32).collect();
        for (kernel, reference) in [("separate", "sinf, cosf"), ("together", "sincosf")] {
            let (ours, by_hand) = measure(device, cuda, &x, kernel)?;
            report.add(Figure {
                case: format!("10 M f32, {range}, against {reference}"),
                unit: "µs",
                better: Better::Less,
                ours: ours.map(|seconds| seconds * 1e6),
                reference: ("CUDA C", by_hand.map(|seconds| seconds * 1e6)),
                limit: Some(("device copy", least * 1e6)),
                target: Some(Target::Ratio(target)),
            });
        }
    }
    Ok(())
}

/// The seconds of a launch of ours, and of the kernel `name` of [`BY_HAND`].
fn measure(device: &Device, cuda: &Cuda, host: &[f32], name: &str) -> Result<(Sample, Sample)> {
    let x = device.to_device(host)?;
    let mut out = device.zeros::<f32>(LEN)?;
    let kernel = cuda.compile(BY_HAND, name)?;
    let (hand_x, hand_out) = (cuda.upload(host)?, cuda.zeros::<f32>(LEN)?);
    let mut arguments = Arguments::new(&[hand_x.address(), hand_out.address(), LEN as u64]);

    let grid = LEN.div_ceil(BLOCK as usize);
    let samples = alternate(
        || seconds_per_call(LAUNCHES, || Ok(squares(&x, &mut out).launch(grid, BLOCK)?), || Ok(device.synchronize()?)),
        || {
            // SAFETY: the arrays are as long as the kernel is told.
            let launch = || unsafe { cuda.launch(kernel, [grid as u32, 1], [BLOCK, 1], &mut arguments) };
            seconds_per_call(LAUNCHES, launch, || cuda.synchronize())
        },
    )?;

    let mut hand_result = vec![0.0; LEN];
    cuda.download(&hand_out, 0, &mut hand_result)?;
    let is_one = |sum: &f32| (sum - 1.0).abs() < 4.0 * f32::EPSILON;
    check(hand_result.iter().all(is_one), "the squares by hand")?;
    check(out.to_host()?.iter().all(is_one), "our squares")?;
    Ok(samples)
}
