//! Running sums and a histogram of 100 million `f32`, against CUDA C by hand, and against CuPy.

use std::process::ExitCode;

use gpu_benches::by_hand::{Arguments, Cuda};
use gpu_benches::measure::{alternate, seconds_per_call};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, gpu_benchmark, limits};
use gpu_runtime::{IntoLazy, prelude::*};

const LEN: usize = 100_000_000;
const BLOCK: u32 = 256;
const CALLS: u32 = 20;
const BINS: usize = 256;
/// Blocks by hand: eight for each multiprocessor of a large GPU.
const BLOCKS: u64 = 1056;

const BY_HAND: &str = include_str!("scans.cu");

fn main() -> ExitCode {
    gpu_benchmark("scans", run)
}

fn run(device: &Device, cuda: &Cuda, report: &mut Report) -> Result<()> {
    let bandwidth = limits::copy_bandwidth(cuda)? / 1e9;
    cumsum(device, cuda, bandwidth, report)?;
    histogram(device, cuda, bandwidth, report)
}

fn cumsum(device: &Device, cuda: &Cuda, bandwidth: f64, report: &mut Report) -> Result<()> {
    // From -32 to 32 and again: every sum is a small whole number, exact in any order.
    let x: Vec<f32> = (0..LEN).map(|i| (i % 65) as f32 - 32.0).collect();
    let array = device.to_device(&x)?;
    let lazy = IntoLazy::<f32>::into_lazy(&array);

    let fours = LEN as u64 / 4;
    let chunk = fours.div_ceil(BLOCKS).next_multiple_of(u64::from(BLOCK));
    let blocks = fours.div_ceil(chunk) as u32;
    let (hand_x, hand_sums, hand_out) = (cuda.upload(&x)?, cuda.zeros::<f32>(blocks as usize)?, cuda.zeros::<f32>(LEN)?);
    let (sums, scans) = (cuda.compile(BY_HAND, "chunk_sums")?, cuda.compile(BY_HAND, "chunk_scans")?);
    let mut sums_arguments = Arguments::new(&[hand_x.address(), hand_sums.address(), fours, chunk]);
    let mut scans_arguments = Arguments::new(&[hand_x.address(), hand_sums.address(), hand_out.address(), fours, chunk]);

    let mut out = lazy.cumsum()?;
    let (ours, by_hand) = alternate(
        || {
            let call = || {
                out = lazy.cumsum()?;
                Ok(())
            };
            seconds_per_call(CALLS, call, || Ok(device.synchronize()?))
        },
        || {
            // SAFETY: the arrays are as long as the kernels are told, and there is a sum for each block.
            let call = || unsafe {
                cuda.launch(sums, [blocks, 1], [BLOCK, 1], &mut sums_arguments)?;
                cuda.launch(scans, [blocks, 1], [BLOCK, 1], &mut scans_arguments)
            };
            seconds_per_call(CALLS, call, || cuda.synchronize())
        },
    )?;

    let mut sum = 0.0;
    let expected: Vec<f32> = x
        .iter()
        .map(|x| {
            sum += x;
            sum
        })
        .collect();
    let mut hand_result = vec![0.0; LEN];
    cuda.download(&hand_out, 0, &mut hand_result)?;
    check(hand_result == expected, "the running sum by hand")?;
    check(out.to_host()? == expected, "our running sum")?;

    let rate = |seconds: f64| 8.0 * LEN as f64 / seconds / 1e9;
    report.add(Figure {
        case: "cumsum, 100 M f32".to_owned(),
        unit: "GB/s",
        better: Better::More,
        ours: ours.map(rate),
        reference: ("CUDA C, float4", by_hand.map(rate)),
        // The elements are read twice, and the rate counts that once.
        limit: Some(("two thirds of a device copy", bandwidth * 2.0 / 3.0)),
        target: Some(Target::Peers(&[("CuPy", 1.0)])),
    });
    Ok(())
}

fn histogram(device: &Device, cuda: &Cuda, bandwidth: f64, report: &mut Report) -> Result<()> {
    let x: Vec<f32> = (0..LEN).map(|i| (i * 7919 % 65_536) as f32 / 65_536.0).collect();
    let array = device.to_device(&x)?;
    let lazy = IntoLazy::<f32>::into_lazy(&array);
    let (hand_x, hand_counts) = (cuda.upload(&x)?, cuda.zeros::<u64>(BINS)?);
    let kernel = cuda.compile(BY_HAND, "histogram")?;
    let mut arguments = Arguments::new(&[hand_x.address(), hand_counts.address(), LEN as u64 / 4]);
    let mut hand_calls = 0;

    let mut counts = lazy.histogram(BINS, 0.0..=1.0)?;
    let (ours, by_hand) = alternate(
        || {
            let call = || {
                counts = lazy.histogram(BINS, 0.0..=1.0)?;
                Ok(())
            };
            seconds_per_call(CALLS, call, || Ok(device.synchronize()?))
        },
        || {
            let call = || {
                hand_calls += 1;
                // SAFETY: the array is as long as the kernel is told, and there is a count for each bin.
                unsafe { cuda.launch(kernel, [BLOCKS as u32, 1], [BLOCK, 1], &mut arguments) }
            };
            seconds_per_call(CALLS, call, || cuda.synchronize())
        },
    )?;

    let mut expected = vec![0; BINS];
    x.iter().for_each(|x| expected[(x * BINS as f32) as usize] += 1);
    check(counts.to_host()? == expected, "our histogram")?;
    let mut hand_result = vec![0u64; BINS];
    cuda.download(&hand_counts, 0, &mut hand_result)?;
    check(hand_result.iter().zip(&expected).all(|(found, count)| *found == count * hand_calls), "the histogram by hand")?;

    let rate = |seconds: f64| 4.0 * LEN as f64 / seconds / 1e9;
    report.add(Figure {
        case: "histogram, 256 bins, 100 M f32".to_owned(),
        unit: "GB/s",
        better: Better::More,
        ours: ours.map(rate),
        reference: ("CUDA C, float4", by_hand.map(rate)),
        limit: Some(("device copy", bandwidth)),
        target: Some(Target::Peers(&[("CuPy", 1.0)])),
    });
    Ok(())
}
