//! Kernels from textbooks, written naturally and with checks on, against the same in CUDA C without checks: what checks cost where
//! indices go through shared memory, come from memory, or are large sums and products.

mod align;
mod matmul;
mod pathfinder;
mod scatter;
mod sparse;
mod stencil;

use std::process::ExitCode;

use gpu_benches::Result;
use gpu_benches::by_hand::{Arguments, Cuda, Function};
use gpu_benches::gpu_benchmark;
use gpu_benches::measure::{alternate, seconds_per_call};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_runtime::Device;

fn main() -> ExitCode {
    gpu_benchmark("textbook", |device, cuda, report| {
        let gpu = Gpu { device, cuda };
        stencil::run(&gpu, report)?;
        pathfinder::run(&gpu, report)?;
        align::run(&gpu, report)?;
        sparse::run(&gpu, report)?;
        scatter::run(&gpu, report)?;
        matmul::run(&gpu, report)
    })
}

/// The GPU, as we use it and as CUDA C uses it.
struct Gpu<'a> {
    device: &'a Device,
    cuda: &'a Cuda,
}

/// A kernel by hand with everything that a launch of it takes.
struct ByHand {
    kernel: Function,
    grid: [u32; 2],
    block: [u32; 2],
    arguments: Arguments,
}

impl Gpu<'_> {
    fn launch(&self, by_hand: &mut ByHand) -> Result<()> {
        // SAFETY: each benchmark gives arrays as long as its kernel by hand is told, and the shape that the kernel was written for.
        unsafe { self.cuda.launch(by_hand.kernel, by_hand.grid, by_hand.block, &mut by_hand.arguments) }
    }

    /// Times `calls` calls of `ours` against as many of `by_hand`: milliseconds of a call, ours at most 1 / `rate` times the others'.
    fn compare(
        &self,
        case: &str,
        calls: u32,
        rate: f64,
        mut ours: impl FnMut() -> Result<()>,
        mut by_hand: impl FnMut() -> Result<()>,
    ) -> Result<Figure> {
        let (ours, by_hand) = alternate(
            || seconds_per_call(calls, &mut ours, || Ok(self.device.synchronize()?)),
            || seconds_per_call(calls, &mut by_hand, || self.cuda.synchronize()),
        )?;
        Ok(Figure {
            case: case.to_owned(),
            unit: "ms",
            better: Better::Less,
            ours: ours.map(|seconds| seconds * 1e3),
            reference: ("CUDA C", by_hand.map(|seconds| seconds * 1e3)),
            limit: None,
            target: Some(Target::Ratio(1.0 / rate)),
        })
    }
}

/// Numbers that look random, the same in every run.
fn noise(seed: u64) -> impl FnMut() -> u32 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    }
}
