//! Gradients: of array expressions beside JAX's, and of kernels beside the kernel itself and an adjoint by hand in CUDA C.

mod arrays;
mod kernels;

use std::process::ExitCode;

use gpu_benches::beside::Gpu;
use gpu_benches::gpu_benchmark;

fn main() -> ExitCode {
    gpu_benchmark("gradients", |device, cuda, report| {
        arrays::run(device, report)?;
        kernels::run(&Gpu { device, cuda }, report)
    })
}
