//! Kernels from textbooks, written naturally and with checks on, against the same in CUDA C without checks: what checks cost where
//! indices go through shared memory, come from memory, or are large sums and products.

mod align;
mod matmul;
mod pathfinder;
mod scatter;
mod sparse;
mod stencil;

use std::process::ExitCode;

use gpu_benches::beside::Gpu;
use gpu_benches::gpu_benchmark;

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
