//! What the benchmarks share: how they measure, what they compare with, and how they report.
//!
//! A benchmark times our kernel and a reference in one process, alternately, and prints both beside the physical limit. See
//! `README.md` for what each measures.
#![deny(missing_docs)]

pub mod beside;
pub mod by_hand;
pub mod limits;
pub mod measure;
pub mod peer;
pub mod report;

use std::num::NonZero;
use std::process::ExitCode;
use std::thread;

use gpu_runtime::Device;

use by_hand::Cuda;
use report::Report;

/// Whatever went wrong: a benchmark prints it and ends.
pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Runs a benchmark that needs no GPU.
pub fn cpu_benchmark(name: &'static str, body: impl FnOnce(&mut Report) -> Result<()>) -> ExitCode {
    let mut report = Report::new(name);
    finish(name, body(&mut report).map(|()| report.print_table()))
}

/// Runs a benchmark on the first GPU, for us and for CUDA C by hand.
///
/// Without a GPU it says so and succeeds, or fails where `GPU_RUNTIME_REQUIRE=cuda` asks for one.
pub fn gpu_benchmark(name: &'static str, body: impl FnOnce(&Device, &Cuda, &mut Report) -> Result<()>) -> ExitCode {
    let device = match Device::gpu(0) {
        Ok(device) => device,
        Err(error) => return without_gpu(name, &error),
    };
    let mut report = Report::new(name);
    eprintln!("{name} on {device}");
    finish(name, Cuda::open().and_then(|cuda| body(&device, &cuda, &mut report)).map(|()| report.print_table()))
}

/// The exit code of a benchmark that has no GPU to run on, and why.
pub fn without_gpu(name: &str, error: &gpu_runtime::Error) -> ExitCode {
    if std::env::var("GPU_RUNTIME_REQUIRE").is_ok_and(|required| required.contains("cuda")) {
        eprintln!("{name} failed: it needs a GPU: {error}");
        ExitCode::FAILURE
    } else {
        eprintln!("{name} skipped: it needs a GPU: {error}");
        ExitCode::SUCCESS
    }
}

/// How many workers run blocks on the CPU.
#[must_use]
pub fn cores() -> usize {
    let chosen = std::env::var("RAYON_NUM_THREADS").ok().and_then(|value| value.parse().ok()).filter(|&workers: &usize| workers > 0);
    chosen.unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get))
}

/// The exit code for `outcome`, whose error is printed.
fn finish(name: &str, outcome: Result<()>) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name} failed: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether the two numbers agree to a relative error of `tolerance`.
#[must_use]
pub fn close(found: f64, expected: f64, tolerance: f64) -> bool {
    (found - expected).abs() <= tolerance * expected.abs().max(f64::MIN_POSITIVE)
}

/// Fails the benchmark unless `condition` holds: a fast wrong answer is no result.
pub fn check(condition: bool, message: &str) -> Result<()> {
    if condition { Ok(()) } else { Err(format!("wrong result: {message}").into()) }
}
