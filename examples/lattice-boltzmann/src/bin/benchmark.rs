//! Millions of cells a second, compared with a copy of as many bytes.

use std::time::Duration;

use gpu_examples::{Arguments, Failure};
use gpu_runtime::cluster::Communicator;
use gpu_runtime::prelude::*;
use half::f16;
use lattice_boltzmann::Fluid;
use lattice_boltzmann::kernels::Storage;

fn main() -> Result<(), Failure> {
    let names = ["--cells", "--steps", "--rounds"];
    let arguments = Arguments::parse("Measures steps of a box of fluid, with populations of 32 and 16 bits.", &names);
    let device = arguments.device()?;
    let on_cpu = !device.is_gpu();
    let side = arguments.number("--cells").unwrap_or(if on_cpu { 128 } else { 256 });
    let steps = arguments.number("--steps").unwrap_or(if on_cpu { 4 } else { 100 });
    let rounds = arguments.number("--rounds").unwrap_or(7);
    println!("{side}³ cells on {device}: medians of {rounds} rounds of {steps} steps");
    println!("storage  million cells/s    GB/s  GB/s of a copy  ratio");
    let wide = measure::<f32>("f32", &device, side, steps, rounds)?;
    let narrow = measure::<f16>("f16", &device, side, steps, rounds)?;
    println!("f16 storage is {:.2} times as fast", narrow / wide);
    Ok(())
}

#[gpu_kernel]
fn copy(from: &[Float4], to: &mut [Float4]) {
    let i = grid_1d();
    if i < to.len() {
        to[i] = from[i];
    }
}

/// In the same rounds: steps, and copies that read and write as many bytes, by the driver or by a kernel, whichever is faster.
fn measure<S: Storage>(name: &str, device: &Device, side: usize, steps: usize, rounds: usize) -> Result<f64, Failure> {
    let cells = side.pow(3);
    // Populations are read and written, the kind of a cell is read.
    let bytes = cells * (2 * 19 * size_of::<S>() + 1);
    let alone = Communicator::alone(device);
    let mut fluid = Fluid::<S>::at_rest(&alone, [side; 3], 0.02)?;
    let from = device.zeros::<Float4>(bytes / 2 / size_of::<Float4>())?;
    let mut to = device.zeros::<Float4>(from.len())?;
    let (mut stepped, mut copied) = (Vec::new(), Vec::new());
    for round in 0..=rounds {
        let ((), step) = device.time(|| fluid.step(steps))?;
        let ((), by_driver) = device.time(|| (0..steps).try_for_each(|_| to.copy_from_device(&from)))?;
        let ((), by_kernel) = device.time(|| (0..steps).try_for_each(|_| copy(&from, &mut to).forall(from.len())))?;
        // The first round compiles.
        if round > 0 {
            stepped.push(step / steps as u32);
            copied.push(by_driver.min(by_kernel) / steps as u32);
        }
    }
    let (step, copy) = (median(stepped), median(copied));
    let speed = cells as f64 / step.as_secs_f64() / 1e6;
    let rate = |time: Duration| bytes as f64 / time.as_secs_f64() / 1e9;
    println!("{name}      {speed:15.0}  {:6.0}  {:14.0}  {:5.2}", rate(step), rate(copy), rate(step) / rate(copy));
    Ok(speed)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
