//! From which array length on does the GPU win? Times two array functions in a plain loop on one core, on all cores, on the
//! GPU with arrays that stay there, and on the GPU from host arrays to a new `Vec`, copies included.
//!
//! ```sh
//! cargo run --release -p crossover
//! ```
//!
//! The times are drawn into `crossover.svg`, or into the file of `--out FILE`. `--quick` takes fewer lengths, and `--cpu` leaves the GPU out.
//!
//! All ways must compute what the loop does. The first call of each, which may compile, is not timed; of the others, in turn,
//! the median counts.

mod plot;
mod table;
mod ways;

use std::time::{Duration, Instant};

use gpu_examples::Failure;
use gpu_runtime::prelude::*;
use table::{Row, Table};
use ways::{Function, Way};

#[vectorize]
fn discriminant(a: f32, b: f32, c: f32) -> f32 {
    (b * b - 4.0 * a * c).sqrt()
}

#[vectorize]
fn trig(x: f32) -> f32 {
    x.cos().powi(2) + x.sin().powi(2)
}

const HELP: &str = "From which array length on the GPU is faster than the CPU: times of two array functions.

Options:
  --out FILE  the SVG file that the times are drawn into (crossover.svg)
  --quick     fewer lengths
  --cpu       leave the GPU out";

const FUNCTIONS: [Function; 2] = [
    Function {
        formula: "√(b² − 4ac)",
        in_a_loop: |[a, b, c], out| (0..out.len()).for_each(|i| out[i] = discriminant(a[i], b[i], c[i])),
        on_arrays: |[a, b, c], mut out| discriminant::map(a, b, c).collect_into(&mut out),
        from_host: |[a, b, c], device| discriminant::map(a, b, c).on(device).to_host(),
    },
    Function {
        formula: "cos²x + sin²x",
        in_a_loop: |[_, x, _], out| (0..out.len()).for_each(|i| out[i] = trig(x[i])),
        on_arrays: |[_, x, _], mut out| trig::map(x).collect_into(&mut out),
        from_host: |[_, x, _], device| trig::map(x).on(device).to_host(),
    },
];

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let (mut path, mut quick, mut cpu_only) = ("crossover.svg".to_owned(), false, false);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--out" => path = arguments.next().ok_or("`--out` needs a file")?,
            "--quick" => quick = true,
            "--cpu" => cpu_only = true,
            "--help" | "-h" => {
                println!("{HELP}");
                return Ok(());
            }
            _ => return Err(format!("unknown argument `{argument}`; `--help` lists the options").into()),
        }
    }

    let cpu = Device::cpu();
    let gpu = if cpu_only { None } else { Some(Device::best()?).filter(Device::is_gpu) };
    let (largest, step) = match (quick, &gpu) {
        (true, _) => (20, 4),
        (false, None) => (24, 1),
        (false, Some(_)) => (26, 1),
    };
    let inputs = ways::inputs(1 << largest);
    let mut ways = vec![ways::in_a_loop("one core", &inputs), ways::on_arrays("CPU device", &cpu, &inputs)?];
    match &gpu {
        Some(gpu) => {
            println!("timing {cpu} and {gpu}");
            ways.push(ways::on_arrays("GPU arrays", gpu, &inputs)?);
            ways.push(ways::from_host("GPU from host", gpu, &inputs));
        }
        None => println!("timing {cpu} only: {}", if cpu_only { "`--cpu` was given" } else { "there is no GPU" }),
    }

    let mut tables = Vec::new();
    for function in &FUNCTIONS {
        let mut table = Table { title: function.formula, ways: ways.iter().map(|way| way.name).collect(), rows: Vec::new() };
        for exponent in (4..=largest).step_by(step) {
            table.rows.push(measure(function, &mut ways, 1 << exponent)?);
        }
        print!("\n{table}");
        tables.push(table);
    }
    std::fs::write(&path, plot::draw(&tables)?).map_err(|error| format!("{path}: {error}"))?;
    println!("\ndrawn in {path}");
    Ok(())
}

/// The times of all ways for arrays of length `len`, after a check of what they compute.
fn measure(function: &Function, ways: &mut [Way<'_>], len: usize) -> Result<Row, Failure> {
    let mut expected = Vec::new();
    for way in &mut *ways {
        let found = (way.call)(function, len, true)?;
        if expected.is_empty() {
            expected = found;
        } else if let Some(i) = ways::first_difference(&expected, &found) {
            let (formula, name, found, expected) = (function.formula, way.name, found[i], expected[i]);
            return Err(format!("{name}: element {i} of {len} of {formula} is {found}, not {expected}").into());
        }
    }

    let mut rounds = vec![Vec::new(); ways.len()];
    let start = Instant::now();
    while rounds[0].len() < 3 || (rounds[0].len() < 15 && start.elapsed() < Duration::from_millis(300)) {
        for (way, seconds) in ways.iter_mut().zip(&mut rounds) {
            seconds.push(seconds_per_call(|| (way.call)(function, len, false).map(drop))?);
        }
    }
    Ok(Row { len, seconds: rounds.into_iter().map(table::median).collect() })
}

/// Seconds that a call takes: of so many calls that the clock's resolution does not matter.
fn seconds_per_call(mut call: impl FnMut() -> gpu_runtime::Result<()>) -> gpu_runtime::Result<f64> {
    let mut calls = 1;
    loop {
        let start = Instant::now();
        (0..calls).try_for_each(|_| call())?;
        let elapsed = start.elapsed();
        if elapsed > Duration::from_micros(50) {
            return Ok(elapsed.as_secs_f64() / f64::from(calls));
        }
        calls *= 2;
    }
}
