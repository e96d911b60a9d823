//! Reductions of arrays on the device, against CUDA C by hand with 16-byte loads, and against CuPy and Numba.

use std::process::ExitCode;

use cudarc::driver::sys::CUdevice_attribute as Attribute;
use gpu_benches::by_hand::{Arguments, Cuda, Memory};
use gpu_benches::measure::{Sample, alternate, seconds_per_call};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, close, gpu_benchmark, limits};
use gpu_runtime::prelude::*;

const LEN: usize = 100_000_000;
/// Rows and columns.
const SIDE: usize = 10_000;
const BLOCK: u32 = 256;
const CALLS: u32 = 20;
const SOURCE: &str = include_str!("reductions.cu");

#[vectorize]
fn square_plus(x: f64, y: f64) -> f64 {
    x * x + y
}

fn main() -> ExitCode {
    gpu_benchmark("reductions", run)
}

fn run(device: &Device, cuda: &Cuda, report: &mut Report) -> Result<()> {
    let bandwidth = limits::copy_bandwidth(cuda)? / 1e9;
    let bench = Bench { device, cuda, bandwidth };
    bench.sums(report)?;
    bench.axes(report)
}

struct Bench<'b> {
    device: &'b Device,
    cuda: &'b Cuda,
    /// Gigabytes a second, read and written.
    bandwidth: f64,
}

impl Bench<'_> {
    /// Sums to one value, which is on the host when a call returns, with us and by hand.
    fn sums(&self, report: &mut Report) -> Result<()> {
        // Small whole numbers, so that every sum is exact.
        let host: Vec<f64> = (0..LEN).map(|i| (i % 1000) as f64).collect();
        let half = LEN / 2;
        let (x, hand) = (self.device.to_device(&host)?, self.cuda.upload(&host)?);
        let (first, second) = (x.slice(..half), x.slice(half..));
        let of_second = hand.address() + (half * size_of::<f64>()) as u64;

        let expected: f64 = host.iter().sum();
        let fused: f64 = host[..half].iter().zip(&host[half..]).map(|(x, y)| x * x + y).sum();
        let both = square_plus::map(first, second);
        let target = Some(Target::Peers(&[("CuPy", 0.97), ("Numba", 5.0)]));
        self.sum(report, "sum, 100 M f64", "sum", [hand.address(), 0], LEN, expected, target, || Ok(x.lazy().sum()?))?;
        let target = Some(Target::Ratio(0.95));
        self.sum(report, "sum of x² + y, 2 × 50 M f64", "square_plus", [hand.address(), of_second], half, fused, target, || {
            Ok(both.sum()?)
        })
    }

    /// One of these sums; the kernel by hand takes the arrays at `addresses`, of `len` elements each.
    #[allow(clippy::too_many_arguments)]
    fn sum(
        &self,
        report: &mut Report,
        case: &str,
        kernel: &str,
        addresses: [u64; 2],
        len: usize,
        expected: f64,
        target: Option<Target>,
        mut ours: impl FnMut() -> Result<f64>,
    ) -> Result<()> {
        let blocks = 16 * self.cuda.attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)? as u32;
        let (kernel, fold) = (self.cuda.compile(SOURCE, kernel)?, self.cuda.compile(SOURCE, "fold")?);
        let partials = self.cuda.zeros::<f64>(blocks as usize + 1)?;
        let mut arguments = Arguments::new(&[addresses[0], addresses[1], partials.address(), (len / 2) as u64]);
        let mut fold_arguments = Arguments::new(&[partials.address(), blocks.into()]);
        let mut sums = (0.0, [0.0]);
        let (our_time, hand_time) = alternate(
            || {
                let call = || {
                    sums.0 = ours()?;
                    Ok(())
                };
                seconds_per_call(CALLS, call, || Ok(()))
            },
            || {
                let call = || {
                    // SAFETY: the arrays hold as many elements as the kernels are told, and the partial sums have room.
                    unsafe {
                        self.cuda.launch(kernel, [blocks, 1], [BLOCK, 1], &mut arguments)?;
                        self.cuda.launch(fold, [1, 1], [BLOCK, 1], &mut fold_arguments)?;
                    }
                    self.cuda.download(&partials, blocks as usize, &mut sums.1)
                };
                seconds_per_call(CALLS, call, || Ok(()))
            },
        )?;
        check(sums.0 == expected, "our sum")?;
        check(sums.1[0] == expected, "the sum by hand")?;
        report.add(self.figure(case, our_time, hand_time, 8.0 * LEN as f64, target));
        Ok(())
    }

    /// Sums along both axes of a matrix, which stay on the device.
    fn axes(&self, report: &mut Report) -> Result<()> {
        let host: Vec<f32> = (0..SIDE * SIDE).map(|i| (i * 7919 % 1000) as f32).collect();
        let hand = self.cuda.upload(&host)?;
        let x = self.device.to_device(&host)?.reshape([SIDE, SIDE])?;
        let tiles = (SIDE / 4).div_ceil(BLOCK as usize) as u32;
        for (axis, case, kernel, grid) in
            [(1, "rows of 10,000² f32", "rows", [SIDE as u32, 1]), (0, "columns of 10,000² f32", "columns", [tiles, 200])]
        {
            let kernel = self.cuda.compile(SOURCE, kernel)?;
            let out: Memory<f32> = self.cuda.zeros(SIDE)?;
            let mut arguments = Arguments::new(&[hand.address(), out.address(), SIDE as u64]);
            let (ours, by_hand) = alternate(
                || seconds_per_call(CALLS, || Ok(drop(x.lazy().sum_axis(axis)?)), || Ok(self.device.synchronize()?)),
                || {
                    // SAFETY: the matrix and the sums have as many elements as the kernel is told.
                    let launch = || unsafe { self.cuda.launch(kernel, grid, [BLOCK, 1], &mut arguments) };
                    seconds_per_call(CALLS, launch, || self.cuda.synchronize())
                },
            )?;
            let sums = x.lazy().sum_axis(axis)?.to_host()?;
            for line in [0, SIDE / 2, SIDE - 1] {
                let element = |i: usize| host[if axis == 1 { line * SIDE + i } else { i * SIDE + line }];
                let expected: f64 = (0..SIDE).map(|i| f64::from(element(i))).sum();
                check(close(sums[line].into(), expected, 1e-6), "our sum along an axis")?;
            }
            let target = Some(Target::Peers(&[("CuPy", 0.97)]));
            report.add(self.figure(case, ours, by_hand, 4.0 * (SIDE * SIDE) as f64, target));
        }
        Ok(())
    }

    fn figure(&self, case: &str, ours: Sample, by_hand: Sample, bytes: f64, target: Option<Target>) -> Figure {
        let gigabytes = |seconds: f64| bytes / seconds / 1e9;
        Figure {
            case: case.to_owned(),
            unit: "GB/s",
            better: Better::More,
            ours: ours.map(gigabytes),
            reference: ("CUDA C", by_hand.map(gigabytes)),
            limit: Some(("device copy", self.bandwidth)),
            target,
        }
    }
}
