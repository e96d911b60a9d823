//! Array functions of arrays on the device, against CUDA C by hand with 16-byte accesses, and against libraries for Python.

use std::process::ExitCode;

use gpu_benches::by_hand::{Arguments, Cuda, Function, Memory};
use gpu_benches::measure::{Sample, alternate, seconds_per_call};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, close, gpu_benchmark, limits};
use gpu_runtime::prelude::*;

const LEN: usize = 100_000_000;
const TRIG_LEN: usize = 10_000_000;
const BLOCK: u32 = 256;
const CALLS: u32 = 20;

#[vectorize]
fn add(a: f32, b: f32) -> f32 {
    a + b
}

#[vectorize]
fn trig(x: f32) -> f32 {
    x.cos().powi(2) + x.sin().powi(2)
}

fn main() -> ExitCode {
    gpu_benchmark("array_functions", run)
}

fn run(device: &Device, cuda: &Cuda, report: &mut Report) -> Result<()> {
    let bench = Bench { device, cuda, bandwidth: limits::copy_bandwidth(cuda)? / 1e9 };
    // Whole numbers below 2²⁴, so that every sum is exact.
    let x: Vec<f32> = (0..LEN + 8).map(|i| (i % 65_536) as f32).collect();
    let y: Vec<f32> = (0..LEN + 8).map(|i| (i % 1000) as f32).collect();
    let by_hand = [cuda.upload(&x)?, cuda.upload(&y)?, cuda.zeros::<f32>(LEN)?];
    let arrays = Arrays { x: device.to_device(&x)?, y: device.to_device(&y)?, out: device.zeros(LEN + 8)?, by_hand };
    bench.additions(arrays, &x, &y, report)?;
    bench.trig(report)
}

struct Bench<'b> {
    device: &'b Device,
    cuda: &'b Cuda,
    /// Gigabytes a second, read and written.
    bandwidth: f64,
}

struct Arrays {
    x: DeviceArray<f32>,
    y: DeviceArray<f32>,
    out: DeviceArray<f32>,
    by_hand: [Memory<f32>; 3],
}

impl Bench<'_> {
    fn additions(&self, mut arrays: Arrays, x: &[f32], y: &[f32], report: &mut Report) -> Result<()> {
        let gigabytes = |len: usize| move |seconds: f64| 12.0 * len as f64 / seconds / 1e9;
        let kernel = self.compile("add")?;
        let cases = [
            ("add, 100 M f32", LEN, [0, 0, 0], Some(Target::Peers(&[("PyTorch", 1.0), ("Numba", 1.6)]))),
            ("add, odd length and alignment", LEN - 13, [1, 2, 3], Some(Target::Ratio(0.9))),
            ("add, one array unaligned", LEN - 1, [0, 1, 0], Some(Target::Ratio(0.9))),
            ("add, 10 M f32, unaligned", 10_000_001, [3, 2, 1], None),
        ];
        for (case, len, [from_x, from_y, from_out], target) in cases {
            let (view_x, view_y) = (arrays.x.slice(from_x..from_x + len), arrays.y.slice(from_y..from_y + len));
            let mut view_out = arrays.out.slice_mut(from_out..from_out + len);
            let sum = add::map(view_x, view_y);
            let (ours, by_hand) = self.race(|| Ok(sum.collect_into(&mut view_out)?), kernel, &arrays.by_hand, len)?;
            for start in [0, len / 2, len - 65_536] {
                let range = start..start + 65_536;
                let expected: Vec<f32> = range.clone().map(|i| x[i + from_x] + y[i + from_y]).collect();
                check(view_out.slice(range).to_host()? == expected, "our sum")?;
            }
            let limit = Some(("device copy", self.bandwidth));
            report.add(figure(case, "GB/s", Better::More, ours.map(gigabytes(len)), by_hand.map(gigabytes(len / 4 * 4)), limit, target));
        }

        // As the call of a ufunc without `out=`: each makes an array.
        let sum = add::map(arrays.x.slice(..LEN), arrays.y.slice(..LEN));
        let (ours, by_hand) = self.race(|| sum.collect().map(drop).map_err(Into::into), kernel, &arrays.by_hand, LEN)?;
        let (ours, by_hand) = (ours.map(gigabytes(LEN)), by_hand.map(gigabytes(LEN)));
        let target = Some(Target::Peers(&[("PyTorch", 1.0), ("Numba", 1.6)]));
        report.add(figure(
            "add to a new array, 100 M f32",
            "GB/s",
            Better::More,
            ours,
            by_hand,
            Some(("device copy", self.bandwidth)),
            target,
        ));

        let Arrays { x: device_x, y: device_y, out, by_hand } = &mut arrays;
        let (device_x, device_y) = (device_x.slice(..LEN), device_y.slice(..LEN));
        let mut view_out = out.slice_mut(..LEN);
        let chain = (device_x * 2.0 + device_y).sqrt() * 0.5 - 1.0;
        let (ours, hand) = self.race(|| Ok(chain.collect_into(&mut view_out)?), self.compile("five")?, by_hand, LEN)?;
        for (i, found) in view_out.slice(..65_536).to_host()?.into_iter().enumerate() {
            let expected = (f64::from(x[i]) * 2.0 + f64::from(y[i])).sqrt() * 0.5 - 1.0;
            check((f64::from(found) - expected).abs() <= 1e-5 * (1.0 + expected.abs()), "our chain of five")?;
        }
        let limit = Some(("device copy", 12.0 * LEN as f64 / self.bandwidth / 1e6));
        let milliseconds = |sample: Sample| sample.map(|seconds| seconds * 1e3);
        let target = Some(Target::Peers(&[("CuPy", 0.25)]));
        report.add(figure("five operations, 100 M f32", "ms", Better::Less, milliseconds(ours), milliseconds(hand), limit, target));
        Ok(())
    }

    fn trig(&self, report: &mut Report) -> Result<()> {
        let x: Vec<f32> = (0..TRIG_LEN).map(|i| i as f32).collect();
        let by_hand = [self.cuda.upload(&x)?, self.cuda.zeros(4)?, self.cuda.zeros(TRIG_LEN)?];
        let x = self.device.to_device(&x)?;
        let mut out = self.device.zeros::<f32>(TRIG_LEN)?;
        let lazy = trig::map(&x);
        let (ours, hand) = self.race(|| Ok(lazy.collect_into(&mut out)?), self.compile("trig")?, &by_hand, TRIG_LEN)?;
        check(out.to_host()?.into_iter().all(|one| close(one.into(), 1.0, 1e-6)), "our squares")?;
        let limit = Some(("device copy", 8.0 * TRIG_LEN as f64 / self.bandwidth / 1e6));
        let milliseconds = |sample: Sample| sample.map(|seconds| seconds * 1e3);
        let target = Some(Target::Peers(&[("Numba", 1.0), ("CuPy", 1.0), ("JAX", 1.0)]));
        report.add(figure("trig, 10 M f32", "ms", Better::Less, milliseconds(ours), milliseconds(hand), limit, target));
        Ok(())
    }

    fn compile(&self, name: &str) -> Result<Function> {
        self.cuda.compile(include_str!("array_functions.cu"), name)
    }

    /// Seconds of one of ours and of one launch by hand, which takes the first elements of its own arrays, by fours.
    fn race(
        &self,
        mut ours: impl FnMut() -> Result<()>,
        kernel: Function,
        arrays: &[Memory<f32>; 3],
        len: usize,
    ) -> Result<(Sample, Sample)> {
        let [x, y, out] = arrays;
        let fours = (len / 4) as u64;
        let mut arguments = Arguments::new(&[x.address(), y.address(), out.address(), fours]);
        let grid = fours.div_ceil(u64::from(BLOCK)) as u32;
        alternate(
            || seconds_per_call(CALLS, &mut ours, || Ok(self.device.synchronize()?)),
            || {
                // SAFETY: the arrays hold as many elements as the kernel is told, or are not used by it.
                let launch = || unsafe { self.cuda.launch(kernel, [grid, 1], [BLOCK, 1], &mut arguments) };
                seconds_per_call(CALLS, launch, || self.cuda.synchronize())
            },
        )
    }
}

fn figure(
    case: &str,
    unit: &'static str,
    better: Better,
    ours: Sample,
    by_hand: Sample,
    limit: Option<(&'static str, f64)>,
    target: Option<Target>,
) -> Figure {
    Figure { case: case.to_owned(), unit, better, ours, reference: ("CUDA C, float4", by_hand), limit, target }
}
