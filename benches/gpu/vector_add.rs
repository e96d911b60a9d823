//! Vector addition of 100 million `f32`, checks on, against CUDA C without checks and against the memory's bandwidth: with the same
//! shape, and with the one that `forall` chooses, where a thread does several elements.

use std::ops::Range;
use std::process::ExitCode;

use gpu_benches::by_hand::{Arguments, Cuda};
use gpu_benches::measure::{alternate, seconds_per_call};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, gpu_benchmark, limits};
use gpu_runtime::prelude::*;

const LEN: usize = 100_000_000;
const BLOCK: u32 = 256;
const LAUNCHES: u32 = 20;
/// Two arrays read, one written.
const BYTES: f64 = 12.0 * LEN as f64;

#[gpu_kernel]
fn add_kernel(x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + y[i];
    }
}

/// Reads what it writes: a load of one element must not wait for the store of another.
#[gpu_kernel]
fn axpy_kernel(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid_1d();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

const BY_HAND: &str = include_str!("vector_add.cu");

fn main() -> ExitCode {
    gpu_benchmark("vector_add", run)
}

fn run(device: &Device, cuda: &Cuda, report: &mut Report) -> Result<()> {
    // Whole numbers below 2²⁴, so that every sum is exact.
    let host_x: Vec<f32> = (0..LEN).map(|i| (i % 65_536) as f32).collect();
    let host_y: Vec<f32> = (0..LEN).map(|i| (i % 1000) as f32).collect();

    let bandwidth = limits::copy_bandwidth(cuda)? / 1e9;
    let (x, y) = (device.to_device(&host_x)?, device.to_device(&host_y)?);
    let mut out = device.zeros::<f32>(LEN)?;

    let kernel = cuda.compile(BY_HAND, "add")?;
    let (hand_x, hand_y, hand_out) = (cuda.upload(&host_x)?, cuda.upload(&host_y)?, cuda.zeros::<f32>(LEN)?);
    let mut arguments = Arguments::new(&[hand_x.address(), hand_y.address(), hand_out.address(), LEN as u64]);

    let grid = LEN.div_ceil(BLOCK as usize);
    // SAFETY: the arrays are as long as the kernel is told.
    let mut launch_by_hand = || unsafe { cuda.launch(kernel, [grid as u32, 1], [BLOCK, 1], &mut arguments) };
    let (same_shape, by_hand) = alternate(
        || seconds_per_call(LAUNCHES, || Ok(add_kernel(&x, &y, &mut out).launch(grid, BLOCK)?), || Ok(device.synchronize()?)),
        || seconds_per_call(LAUNCHES, &mut launch_by_hand, || cuda.synchronize()),
    )?;
    check_sums(&out, &host_x, &host_y)?;
    out = device.zeros::<f32>(LEN)?;
    let (forall, by_hand_again) = alternate(
        || seconds_per_call(LAUNCHES, || Ok(add_kernel(&x, &y, &mut out).forall(LEN)?), || Ok(device.synchronize()?)),
        || seconds_per_call(LAUNCHES, &mut launch_by_hand, || cuda.synchronize()),
    )?;
    check_sums(&out, &host_x, &host_y)?;
    for range in checked_ranges() {
        let mut hand_result = vec![0.0; range.len()];
        cuda.download(&hand_out, range.start, &mut hand_result)?;
        check(hand_result == sums(&host_x, &host_y, range), "the sum by hand")?;
    }

    // `a` is zero: `y` stays what it is however often it is updated.
    let axpy = cuda.compile(BY_HAND, "axpy")?;
    let mut arguments = Arguments::new(&[0.0f32.to_bits().into(), hand_x.address(), hand_out.address(), LEN as u64]);
    let (in_place, in_place_by_hand) = alternate(
        || seconds_per_call(LAUNCHES, || Ok(axpy_kernel(0.0, &x, &mut out).forall(LEN)?), || Ok(device.synchronize()?)),
        || {
            // SAFETY: the arrays are as long as the kernel is told.
            let launch = || unsafe { cuda.launch(axpy, [grid as u32, 1], [BLOCK, 1], &mut arguments) };
            seconds_per_call(LAUNCHES, launch, || cuda.synchronize())
        },
    )?;
    check_sums(&out, &host_x, &host_y)?;

    for (case, ours, by_hand, target) in [
        ("100 M f32, block 256", same_shape, by_hand, Some(Target::Ratio(0.98))),
        ("100 M f32, forall", forall, by_hand_again, Some(Target::Ratio(1.2))),
        ("in place, forall", in_place, in_place_by_hand, None),
    ] {
        report.add(Figure {
            case: case.to_owned(),
            unit: "GB/s",
            better: Better::More,
            ours: ours.map(|seconds| BYTES / seconds / 1e9),
            reference: ("CUDA C", by_hand.map(|seconds| BYTES / seconds / 1e9)),
            limit: Some(("device copy", bandwidth)),
            target,
        });
    }
    Ok(())
}

/// Both ends and the middle, rather than every element: reading it all back takes longer than the measurement.
fn checked_ranges() -> [Range<usize>; 3] {
    [0, LEN / 2, LEN - 65_536].map(|start| start..start + 65_536)
}

fn sums(x: &[f32], y: &[f32], range: Range<usize>) -> Vec<f32> {
    range.map(|i| x[i] + y[i]).collect()
}

fn check_sums(out: &DeviceArray<f32>, x: &[f32], y: &[f32]) -> Result<()> {
    for range in checked_ranges() {
        check(out.slice(range.clone()).to_host()? == sums(x, y, range), "our sum")?;
    }
    Ok(())
}
