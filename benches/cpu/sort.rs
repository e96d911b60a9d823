//! Sorts of 16 million elements on all cores of the CPU, against rayon's stable sort of a copy.

use std::process::ExitCode;

use gpu_benches::measure::{alternate, seconds};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, cpu_benchmark};
use gpu_runtime::prelude::*;
use rayon::slice::ParallelSliceMut;

const LEN: u32 = 1 << 24;

fn main() -> ExitCode {
    cpu_benchmark("cpu_sort", run)
}

fn run(report: &mut Report) -> Result<()> {
    let numbers: Vec<u32> = (0..LEN).map(scrambled).collect();
    let floats: Vec<f32> = numbers.iter().map(|&number| number as f32 - 2e9).collect();
    compare(report, "u32", &numbers, u32::cmp)?;
    compare(report, "f32", &floats, f32::total_cmp)?;
    indices(report, &floats)
}

fn compare<T: Num>(report: &mut Report, name: &str, host: &[T], order: fn(&T, &T) -> std::cmp::Ordering) -> Result<()> {
    let device = Device::cpu();
    let x = device.to_device(host)?;
    let (mut ours, mut theirs) = (device.zeros::<T>(0)?, Vec::new());
    let times = alternate(
        || seconds(|| x.sort().map(|sorted| ours = sorted).map_err(Into::into)),
        || {
            seconds(|| {
                theirs = host.to_vec();
                theirs.par_sort_by(order);
                Ok(())
            })
        },
    )?;
    add(report, format!("sort, 16 M {name}"), times);
    check(ours.to_host()? == theirs, "a sort")
}

fn indices(report: &mut Report, host: &[f32]) -> Result<()> {
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
    add(report, "argsort, 16 M f32".to_owned(), times);
    check(ours.to_host()? == theirs, "an argsort")
}

fn add(report: &mut Report, case: String, (ours, reference): (gpu_benches::measure::Sample, gpu_benches::measure::Sample)) {
    let ms = |seconds: f64| seconds * 1e3;
    let (reference, target) = (("rayon", reference.map(ms)), Some(Target::Ratio(1.0 / 0.9)));
    report.add(Figure { case, unit: "ms", better: Better::Less, ours: ours.map(ms), reference, limit: None, target });
}

/// A number that looks random, another for each `i`.
fn scrambled(i: u32) -> u32 {
    let i = (i ^ i >> 16).wrapping_mul(0x7feb_352d);
    let i = (i ^ i >> 15).wrapping_mul(0x846c_a68b);
    i ^ i >> 16
}
