//! Reductions by key, of structs and with functions of the user's, against sums of `f32` by the same keys.

use std::process::ExitCode;

use gpu_benches::measure::{Sample, alternate, seconds_per_call};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, by_hand::Cuda, check, gpu_benchmark};
use gpu_runtime::prelude::*;

const CALLS: u32 = 10;

fn main() -> ExitCode {
    gpu_benchmark("by_key", run)
}

/// What is known of the values of a key.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Group {
    sum: f64,
    min: f32,
    count: u32,
}

#[vectorize]
fn single(x: f32) -> Group {
    Group { sum: x as f64, min: x, count: 1 }
}

#[reduce(identity = Group { sum: 0.0, min: f32::INFINITY, count: 0 })]
fn merge(a: Group, b: Group) -> Group {
    Group { sum: a.sum + b.sum, min: a.min.min(b.min), count: a.count + b.count }
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
    z: f32,
}

#[reduce]
fn total(a: Point, b: Point) -> Point {
    Point { x: a.x + b.x, y: a.y + b.y, z: a.z + b.z }
}

#[reduce(identity = f32::INFINITY)]
fn least(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

fn run(device: &Device, _: &Cuda, report: &mut Report) -> Result<()> {
    for len in [100_000, 4_000_000, 16_000_000] {
        let host: Vec<f32> = (0..len).map(|i| (scrambled(i) >> 8) as f32).collect();
        let points: Vec<Point> = host.iter().map(|&x| Point { x, y: 1.0, z: -x }).collect();
        let (values, points) = (device.to_device(&host)?, device.to_device(&points)?);
        for groups in [6, 1000, 100_000, 4_000_000] {
            let keys: Vec<u32> = (0..len).map(|i| scrambled(i.wrapping_add(len)) % groups).collect();
            Case { device, report, host: &host, values: &values, points: &points, host_keys: &keys, groups: groups as usize }.measure()?;
        }
    }
    Ok(())
}

struct Case<'c> {
    device: &'c Device,
    report: &'c mut Report,
    host: &'c [f32],
    values: &'c DeviceArray<f32>,
    points: &'c DeviceArray<Point>,
    host_keys: &'c [u32],
    groups: usize,
}

impl Case<'_> {
    fn measure(&mut self) -> Result<()> {
        let (device, values, points, groups) = (self.device, self.values, self.points, self.groups);
        let keys = &device.to_device(self.host_keys)?;
        let mut expected = vec![(0.0f64, f32::INFINITY, 0u32); groups];
        for (&key, &x) in self.host_keys.iter().zip(self.host) {
            let (sum, min, count) = expected[key as usize];
            expected[key as usize] = (sum + f64::from(x), min.min(x), count + 1);
        }

        let mut merged = merge::reduce_by(single::map(values), keys, groups)?;
        self.against_sums("a struct of 16 bytes", keys, || {
            merged = merge::reduce_by(single::map(values), keys, groups)?;
            Ok(())
        })?;
        let right = |(a, &(sum, min, count)): (Group, &(f64, f32, u32))| a.sum == sum && a.min == min && a.count == count;
        check(merged.to_host()?.into_iter().zip(&expected).all(right), "groups of structs")?;

        let mut totals = device.full(groups, Point { x: 0.0, y: 0.0, z: 0.0 })?;
        total::at(&mut totals, keys, points)?;
        let right = |(a, &(sum, _, count)): (Point, &(f64, f32, u32))| {
            let is_close = |x: f32| (f64::from(x) - sum).abs() <= 1e-3 * sum;
            is_close(a.x) && is_close(-a.z) && (a.y == count as f32)
        };
        check(totals.to_host()?.into_iter().zip(&expected).all(right), "sums of points")?;
        self.against_sums("at of 3 f32", keys, || Ok(total::at(&mut totals, keys, points)?))?;

        let mut lowest = least::reduce_by(values, keys, groups)?;
        self.against_sums("a function of f32", keys, || {
            lowest = least::reduce_by(values, keys, groups)?;
            Ok(())
        })?;
        check(lowest.to_host()?.into_iter().zip(&expected).all(|(a, &(_, min, _))| a == min), "minima of groups")?;

        let wide = values.cast::<f64>().collect()?;
        let mut sums = wide.sum_by(keys, groups)?;
        self.against_sums("sum_by of f64", keys, || {
            sums = wide.sum_by(keys, groups)?;
            Ok(())
        })?;
        check(sums.to_host()?.into_iter().zip(&expected).all(|(a, &(sum, _, _))| a == sum), "sums of groups")
    }

    /// Times `call` beside sums of `f32` by the same keys.
    fn against_sums(&mut self, what: &str, keys: &DeviceArray<u32>, mut call: impl FnMut() -> Result<()>) -> Result<()> {
        let (device, values, groups) = (self.device, self.values, self.groups);
        let wait = || Ok(device.synchronize()?);
        let mut sums = values.sum_by(keys, groups)?;
        let mut of_numbers = || {
            sums = values.sum_by(keys, groups)?;
            Ok(())
        };
        let (ours, reference) = alternate(|| seconds_per_call(CALLS, &mut call, wait), || seconds_per_call(CALLS, &mut of_numbers, wait))?;
        let milliseconds = |sample: Sample| sample.map(|seconds| 1e3 * seconds);
        self.report.add(Figure {
            case: format!("{what}, {} values, {groups} keys", self.host.len()),
            unit: "ms",
            better: Better::Less,
            ours: milliseconds(ours),
            reference: ("sum_by of f32", milliseconds(reference)),
            limit: None,
            target: Some(Target::Ratio(3.0)),
        });
        Ok(())
    }
}

/// Scrambles the bits of a number.
fn scrambled(i: u32) -> u32 {
    let i = (i ^ i >> 16).wrapping_mul(0x7feb_352d);
    let i = (i ^ i >> 15).wrapping_mul(0x846c_a68b);
    i ^ i >> 16
}
