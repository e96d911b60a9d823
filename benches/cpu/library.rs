//! Sorts, products of matrices and Fourier transforms on all cores of the CPU, against the best library for each: rayon, OpenBLAS in
//! NumPy, and rustfft.

use std::process::ExitCode;

use gpu_benches::measure::{Sample, alternate, repeat, seconds, seconds_in_python, seconds_per_call};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, close, cpu_benchmark};
use gpu_runtime::prelude::*;
use num_complex::Complex;
use rayon::prelude::*;

const LEN: u32 = 1 << 24;

fn main() -> ExitCode {
    cpu_benchmark("cpu_library", run)
}

fn run(report: &mut Report) -> Result<()> {
    let numbers: Vec<u32> = (0..LEN).map(scrambled).collect();
    let floats: Vec<f32> = numbers.iter().map(|&number| number as f32 - 2e9).collect();
    sort(report, "u32", &numbers, u32::cmp)?;
    sort(report, "f32", &floats, f32::total_cmp)?;
    argsort(report, &floats)?;
    match seconds_in_python(include_str!("library.py")) {
        Ok(numpy) => products(report, &|name| numpy[name])?,
        Err(error) => eprintln!("cpu_library: no comparison with NumPy: {error}"),
    }
    transforms(report, "fft of 1 M", 1, 1 << 20)?;
    transforms(report, "fft of 4096 × 1024", 4096, 1024)
}

fn sort<T: Num>(report: &mut Report, name: &str, host: &[T], order: fn(&T, &T) -> std::cmp::Ordering) -> Result<()> {
    let device = Device::cpu();
    let x = device.to_device(host)?;
    let (mut ours, mut theirs) = (device.zeros::<T>(0)?, Vec::new());
    let times = alternate(
        || seconds(|| x.sort().map(|sorted| ours = sorted).map_err(Into::into)),
        || {
            seconds(|| {
                theirs = host.to_vec();
                theirs.par_sort_unstable_by(order);
                Ok(())
            })
        },
    )?;
    add(report, format!("sort, 16 M {name}"), "rayon", times);
    check(ours.to_host()? == theirs, "a sort")
}

fn argsort(report: &mut Report, host: &[f32]) -> Result<()> {
    let device = Device::cpu();
    let x = device.to_device(host)?;
    let (mut ours, mut theirs) = (device.zeros::<usize>(0)?, Vec::new());
    let times = alternate(
        || seconds(|| x.argsort().map(|sorted| ours = sorted).map_err(Into::into)),
        || {
            seconds(|| {
                theirs = (0..host.len()).collect();
                theirs.par_sort_by(|&a, &b| host[a].total_cmp(&host[b]));
                Ok(())
            })
        },
    )?;
    add(report, "argsort, 16 M f32".to_owned(), "rayon", times);
    check(ours.to_host()? == theirs, "an argsort")
}

/// Products of matrices against NumPy's, whose seconds are known. A sample is of as many calls in a row as there.
fn products(report: &mut Report, numpy: &dyn Fn(&str) -> f64) -> Result<()> {
    let device = Device::cpu();
    for (n, calls) in [(64, 500), (256, 20), (1024, 2)] {
        let ramp = |modulus: usize| ((iota([n, n]) * 7919) % modulus).cast::<f32>().on(&device).collect();
        let (a, b): (DeviceArray<f32>, DeviceArray<f32>) = (ramp(5)?, ramp(7)?);
        let (wide_a, wide_b) = (a.cast::<f64>().collect()?, b.cast::<f64>().collect()?);
        let (mut c, mut wide_c) = (a.matmul(&b)?, wide_a.matmul(&wide_b)?);
        let single = repeat(|| seconds_per_call(calls, || a.matmul(&b).map(|product| c = product).map_err(Into::into), || Ok(())))?;
        let double =
            repeat(|| seconds_per_call(calls, || wide_a.matmul(&wide_b).map(|product| wide_c = product).map_err(Into::into), || Ok(())))?;
        // Sums of whole numbers, which floats hold.
        check(c.cast::<f64>().to_host()? == wide_c.to_host()?, "a product")?;
        for (ours, name) in [(single, format!("matmul_f32_{n}")), (double, format!("matmul_f64_{n}"))] {
            let seconds = numpy(&name);
            add(report, name, "NumPy", (ours, Sample { median: seconds, lowest: seconds, highest: seconds }));
        }
    }
    Ok(())
}

fn transforms(report: &mut Report, case: &str, rows: usize, len: usize) -> Result<()> {
    let device = Device::cpu();
    let host: Vec<Complex<f32>> = (0..rows * len).map(|i| Complex::new((i * 7919 % 7) as f32, (i * 31 % 3) as f32)).collect();
    let x = device.to_device(&host)?.reshape([rows, len])?;
    let (mut ours, mut theirs) = (x.fft()?, host.clone());
    let fft = rustfft::FftPlanner::new().plan_fft_forward(len);
    let times = alternate(
        || seconds(|| x.fft().map(|spectrum| ours = spectrum).map_err(Into::into)),
        || {
            seconds(|| {
                theirs = host.clone();
                theirs.par_chunks_mut(len).for_each(|row| fft.process(row));
                Ok(())
            })
        },
    )?;
    add(report, format!("{case} complex f32"), "rustfft", times);
    let furthest = ours.to_host()?.iter().zip(&theirs).map(|(x, y)| (x - y).norm()).fold(0.0, f32::max);
    check(close(f64::from(furthest) + 1e3, 1e3, 1e-3), "a transform")
}

fn add(report: &mut Report, case: String, reference: &'static str, (ours, theirs): (Sample, Sample)) {
    let ms = |seconds: f64| seconds * 1e3;
    let (reference, target) = ((reference, theirs.map(ms)), Some(Target::Ratio(1.0 / 0.9)));
    report.add(Figure { case, unit: "ms", better: Better::Less, ours: ours.map(ms), reference, limit: None, target });
}

/// A number that looks random, another for each `i`.
fn scrambled(i: u32) -> u32 {
    let i = (i ^ i >> 16).wrapping_mul(0x7feb_352d);
    let i = (i ^ i >> 15).wrapping_mul(0x846c_a68b);
    i ^ i >> 16
}
