//! Array functions on the CPU, against loops in as many threads by hand, and against Numba.

use std::hint::black_box;
use std::num::NonZero;
use std::process::ExitCode;
use std::thread;

use gpu_benches::measure::{Sample, alternate, seconds_in_a_row, seconds_per_call};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, cpu_benchmark};
use gpu_runtime::prelude::*;

const LEN: usize = 20_000_000;
/// Few enough to stay in the second cache.
const SMALL: usize = 10_000;
const SMALL_CALLS: u32 = 1000;

#[vectorize]
fn add(a: f32, b: f32) -> f32 {
    a + b
}

#[vectorize]
fn trig(x: f32) -> f32 {
    x.cos().powi(2) + x.sin().powi(2)
}

#[vectorize]
fn discriminant(a: f32, b: f32, c: f32) -> f32 {
    (b * b - 4.0 * a * c).sqrt()
}

#[vectorize]
fn five(x: f32, y: f32) -> f32 {
    (x * 2.0 + y).sqrt() * 0.5 - 1.0
}

/// The activation of a GPT.
#[vectorize]
fn gelu(x: f32) -> f32 {
    0.5 * x * (1.0 + (0.797_884_6 * (x + 0.044_715 * x * x * x)).tanh())
}

fn gelu_by_hand(x: f32) -> f32 {
    0.5 * x * (1.0 + (0.797_884_6 * (x + 0.044_715 * x * x * x)).tanh())
}

fn main() -> ExitCode {
    cpu_benchmark("cpu_arrays", run)
}

/// Three arrays on the host and on the device.
struct Arrays {
    host: [Vec<f32>; 3],
    device: [DeviceArray<f32>; 3],
}

fn run(report: &mut Report) -> Result<()> {
    let device = Device::cpu();
    let x: Vec<f32> = (0..LEN).map(|i| (i % 65_536) as f32 / 65_536.0).collect();
    let y: Vec<f32> = (0..LEN).map(|i| (i % 1000) as f32 + 10.0).collect();
    let z: Vec<f32> = (0..LEN).map(|i| (i % 997) as f32 / 997.0).collect();
    let on_device = [device.to_device(&x)?, device.to_device(&y)?, device.to_device(&z)?];
    let arrays = Arrays { host: [x, y, z], device: on_device };
    let [x, y, z] = &arrays.device;

    arrays.compare(report, "add", |out| add::map(x, y).collect_into(out), |x, y, _| x + y)?;
    arrays.compare(report, "trig", |out| trig::map(x).collect_into(out), |x, _, _| x.cos().powi(2) + x.sin().powi(2))?;
    arrays.compare(report, "discriminant", |out| discriminant::map(x, y, z).collect_into(out), |x, y, z| (y * y - 4.0 * x * z).sqrt())?;
    arrays.compare(report, "five operations", |out| five::map(x, y).collect_into(out), |x, y, _| (x * 2.0 + y).sqrt() * 0.5 - 1.0)?;

    arrays.compare(report, "exp", |out| lazy(x).exp().collect_into(out), |x, _, _| x.exp())?;
    arrays.compare(report, "ln", |out| lazy(y).ln().collect_into(out), |_, y, _| y.ln())?;
    arrays.compare(report, "tanh", |out| lazy(x).tanh().collect_into(out), |x, _, _| x.tanh())?;
    arrays.compare(report, "gelu", |out| gelu::map(x).collect_into(out), |x, _, _| gelu_by_hand(x))?;

    sum(report)?;

    let (x, y) = (x.slice(..SMALL), y.slice(..SMALL));
    arrays.compare_small(report, "add", |out| add::map(x, y).collect_into(out), |x, y| x + y)?;
    arrays.compare_small(report, "five operations", |out| five::map(x, y).collect_into(out), |x, y| (x * 2.0 + y).sqrt() * 0.5 - 1.0)
}

/// The sum of as many numbers, in `f64`.
fn sum(report: &mut Report) -> Result<()> {
    let host: Vec<f64> = (0..LEN).map(|i| (i % 65_536) as f64).collect();
    let x = Device::cpu().to_device(&host)?;
    let (mut total, mut by_hand) = (0.0, 0.0);
    let (ours, hand) = alternate(
        || {
            seconds_in_a_row(|| {
                total = lazy(&x).sum()?;
                Ok(())
            })
        },
        || {
            seconds_in_a_row(|| {
                let workers = thread::available_parallelism().map_or(1, NonZero::get);
                by_hand = thread::scope(|scope| {
                    let share = |share| scope.spawn(move || <[f64]>::iter(share).sum::<f64>());
                    let shares: Vec<_> = host.chunks(LEN.div_ceil(workers)).map(share).collect();
                    shares.into_iter().map(|share| share.join().expect("sums do not panic")).sum()
                });
                Ok(())
            })
        },
    )?;
    // Whole numbers below 2⁵³, so that every order of adding gives the same.
    check(total == by_hand, "the sum")?;
    let milliseconds = |seconds: f64| seconds * 1e3;
    report.add(figure("sum, 20 M f64".to_owned(), "ms", ours.map(milliseconds), hand.map(milliseconds)));
    Ok(())
}

impl Arrays {
    /// All elements, on all cores.
    fn compare(
        &self,
        report: &mut Report,
        case: &str,
        ours: impl Fn(&mut DeviceArray<f32>) -> gpu_runtime::Result<()>,
        one: impl Fn(f32, f32, f32) -> f32 + Copy + Send,
    ) -> Result<()> {
        let mut out = Device::cpu().zeros::<f32>(LEN)?;
        let mut by_hand = vec![0.0; LEN];
        let (time, hand) =
            alternate(|| seconds_in_a_row(|| Ok(ours(&mut out)?)), || seconds_in_a_row(|| self.in_threads(&mut by_hand, one)))?;
        // Functions such as `exp` may differ in the last bits.
        let is_close = |(ours, hand): (&f32, &f32)| (ours - hand).abs() <= 4.0 * f32::EPSILON * hand.abs();
        check(out.to_host()?.iter().zip(&by_hand).all(is_close), case)?;
        let milliseconds = |seconds: f64| seconds * 1e3;
        report.add(figure(format!("{case}, 20 M f32"), "ms", time.map(milliseconds), hand.map(milliseconds)));
        Ok(())
    }

    /// The elements that fit a cache.
    fn compare_small(
        &self,
        report: &mut Report,
        case: &str,
        ours: impl Fn(&mut DeviceArray<f32>) -> gpu_runtime::Result<()>,
        one: impl Fn(f32, f32) -> f32 + Copy,
    ) -> Result<()> {
        let mut out = Device::cpu().zeros::<f32>(SMALL)?;
        let mut by_hand = vec![0.0; SMALL];
        let [x, y, _] = &self.host;
        let mut loop_by_hand = || {
            by_hand.iter_mut().zip(black_box(x)).zip(black_box(y)).for_each(|((out, x), y)| *out = one(*x, *y));
            black_box(&mut by_hand);
            Ok(())
        };
        let (time, hand) = alternate(
            || seconds_per_call(SMALL_CALLS, || Ok(ours(&mut out)?), || Ok(())),
            || seconds_per_call(SMALL_CALLS, &mut loop_by_hand, || Ok(())),
        )?;
        check(out.to_host()? == by_hand, case)?;
        let microseconds = |seconds: f64| seconds * 1e6;
        report.add(figure(format!("{case}, 10,000 f32"), "µs", time.map(microseconds), hand.map(microseconds)));
        Ok(())
    }

    /// Computes every element, in as many threads as the machine runs at once.
    fn in_threads(&self, out: &mut [f32], one: impl Fn(f32, f32, f32) -> f32 + Copy + Send) -> Result<()> {
        let workers = thread::available_parallelism().map_or(1, NonZero::get);
        let share = out.len().div_ceil(workers);
        let [x, y, z] = &self.host;
        thread::scope(|scope| {
            for (((out, x), y), z) in out.chunks_mut(share).zip(x.chunks(share)).zip(y.chunks(share)).zip(z.chunks(share)) {
                scope.spawn(move || {
                    out.iter_mut().zip(x).zip(y).zip(z).for_each(|(((out, x), y), z)| *out = one(*x, *y, *z));
                });
            }
        });
        Ok(())
    }
}

fn figure(case: String, unit: &'static str, ours: Sample, by_hand: Sample) -> Figure {
    let reference = ("Rust loops", by_hand);
    Figure { case, unit, better: Better::Less, ours, reference, limit: None, target: Some(Target::Peers(&[("Numba", 1.0)])) }
}
