//! 100 kernels for a GPU, compiled from nothing on all cores as [`prepare`](gpu_runtime::prepare) compiles them, against NVRTC alone with the same
//! kernels as a person writes them. What is measured is processor time, so other programs on the machine do not matter. This needs NVRTC and no
//! GPU.

use std::process::ExitCode;

use gpu_benches::by_hand::compile;
use gpu_benches::measure::alternate;
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, cpu_benchmark};
use gpu_runtime::aot::Bundle;
use gpu_runtime::prelude::*;
use gpu_runtime::{KernelHandle, NvrtcStatus, nvrtc_status};
use rayon::iter::{IntoParallelIterator, ParallelIterator};

const ARCHITECTURE: &str = "sm_90";

/// A kernel for each constant.
#[allow(dead_code)] // only compiled
#[gpu_kernel]
fn stencil<const STEP: usize>(x: &[f32], weights: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() && i + 8 * STEP < x.len() {
        let mut sum = 0.0;
        for k in 0..8 {
            sum += weights[k] * x[i + k * STEP];
        }
        out[i] = sum;
    }
}

fn by_hand(step: usize) -> String {
    format!(
        "extern \"C\" __global__ void stencil_{step}(const float* x, size_t n, const float* weights, float* out, size_t len) {{
            size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
            if (i < len && i + 8 * {step} < n) {{
                float sum = 0.0f;
                for (int k = 0; k < 8; k++) sum += weights[k] * x[i + k * {step}];
                out[i] = sum;
            }}
        }}"
    )
}

/// A list of [`stencil`]s, by ten digits after each of the numbers.
macro_rules! handles {
    ($($tens:literal)*) => { [$(handles!(@ $tens; 0 1 2 3 4 5 6 7 8 9)),*].concat() };
    (@ $tens:literal; $($one:literal)*) => { vec![$(stencil::handle::<{ $tens * 10 + $one + 1 }>()),*] };
}

fn main() -> ExitCode {
    // SAFETY: no other thread runs yet.
    unsafe { std::env::set_var("GPU_RUNTIME_CACHE", "off") };
    if let missing @ NvrtcStatus::Missing { .. } = nvrtc_status() {
        eprintln!("cpu_compile skipped: {missing}");
        return ExitCode::SUCCESS;
    }
    cpu_benchmark("cpu_compile", run)
}

fn run(report: &mut Report) -> Result<()> {
    let kernels: Vec<KernelHandle> = handles!(0 1 2 3 4 5 6 7 8 9);
    check(kernels.len() == 100, "100 kernels")?;
    let (ours, reference) = alternate(
        || processor_seconds(|| Bundle::compile(&kernels, &[ARCHITECTURE]).map(drop).map_err(Into::into)),
        || {
            processor_seconds(|| {
                let compiled: std::result::Result<Vec<_>, String> = (1..=100usize)
                    .into_par_iter()
                    .map(|step| compile(&by_hand(step), ARCHITECTURE).map_err(|error| error.to_string()))
                    .collect();
                compiled.map(drop).map_err(Into::into)
            })
        },
    )?;
    let case = "100 kernels, all variants".to_owned();
    let reference = ("NVRTC alone, one variant", reference);
    report.add(Figure { case, unit: "s", better: Better::Less, ours, reference, limit: None, target: Some(Target::Ratio(2.0)) });
    Ok(())
}

/// The processor time of this process, on all cores, for `work`.
fn processor_seconds(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let before = processor_time()?;
    work()?;
    Ok(processor_time()? - before)
}

/// As Linux tells it, in hundredths of seconds.
fn processor_time() -> Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // The name of the program, in parentheses, may have spaces. User and system time are fields 14 and 15.
    let fields = stat.rsplit_once(')').ok_or("/proc/self/stat has no name")?.1;
    let ticks: f64 = fields.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum();
    Ok(ticks / 100.0)
}
