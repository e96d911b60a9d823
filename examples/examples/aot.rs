//! Compiles kernels ahead of time, without a GPU, and runs a program from the result, without NVRTC.
//!
//! ```sh
//! cargo run --release --example aot
//! cargo run --release --example aot -- compile kernels.bundle sm_80 sm_90 compute_90
//! cargo run --release --example aot -- run kernels.bundle
//! ```

use gpu_examples::Failure;
use gpu_runtime::aot::Bundle;
use gpu_runtime::prelude::*;
use gpu_runtime::{KernelHandle, NvrtcStatus, nvrtc_status};

#[gpu_kernel]
fn axpy<T: Num>(a: T, x: &[T], y: &mut [T]) {
    let i = grid_1d();
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

#[gpu_kernel]
fn reversed(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[out.len() - 1 - i];
    }
}

/// What the program launches.
fn kernels() -> [KernelHandle; 3] {
    [axpy::handle::<f32>(), axpy::handle::<f64>(), reversed::handle()]
}

fn compile(file: &str, targets: &[&str]) -> Result<(), Failure> {
    let bundle = Bundle::compile(&kernels(), targets)?;
    std::fs::write(file, bundle.as_bytes())?;
    println!("{file}: {} kernels for {}, {} bytes", kernels().len(), targets.join(", "), bundle.as_bytes().len());
    Ok(())
}

fn run(file: &str) -> Result<(), Failure> {
    // SAFETY: `compile` wrote the file.
    unsafe { Bundle::load(std::fs::read(file)?)? };
    let device = Device::best()?;
    // From here on, a launch neither compiles nor loads anything.
    gpu_runtime::prepare(&device, &kernels())?;

    let x = device.to_device(&[1.0f32, 2.0, 3.0, 4.0])?;
    let mut y = device.to_device(&[10.0f32; 4])?;
    let mut out = device.zeros::<f32>(4)?;
    axpy(2.0, &x, &mut y).forall(4)?;
    reversed(&y, &mut out).forall(4)?;
    let found = out.to_host()?;
    println!("{device}: {found:?}");
    if found == [18.0, 16.0, 14.0, 12.0] { Ok(()) } else { Err("these are wrong".into()) }
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["compile", file, ref targets @ ..] => compile(file, targets),
        ["run", file] => run(file),
        [] => match nvrtc_status() {
            NvrtcStatus::Found { .. } => {
                let file = std::env::temp_dir().join(format!("kernels-{}.bundle", std::process::id()));
                let file = file.to_str().ok_or("the folder for temporary files is not UTF-8")?;
                let done = compile(file, &["sm_80", "sm_90", "compute_90"]).and_then(|()| run(file));
                std::fs::remove_file(file)?;
                done
            }
            missing => {
                println!("{missing}");
                Ok(())
            }
        },
        _ => Err("expected `compile FILE TARGET…`, `run FILE`, or nothing".into()),
    }
}
