//! The arguments of the attributes.

use gpu_runtime::prelude::*;

/// An argument has a value.
#[gpu_kernel(fmad)] //~
fn argument_without_value(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// A block's extent is kept as written, not cut off to 32 bits.
mod block_beyond_u32 {
    use super::*;

    const N: usize = (1 << 32) + 16;

    #[gpu_kernel(block = N)] //~
    fn k(out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = 1.0;
        }
    }

    fn caller() {
        let device = Device::cpu();
        let mut out = device.zeros::<f32>(4).unwrap();
        k(&mut out).launch(1, 16).unwrap();
    }
}

/// A block is made of numbers.
#[gpu_kernel(block = "256")] //~
fn block_not_a_number(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// A block has at most three dimensions.
#[gpu_kernel(block = (2, 2, 2, 2))] //~
fn block_of_four(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// A block has threads.
#[gpu_kernel(block = 0)] //~
fn block_of_zero(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// A block has at most 1024 threads.
#[gpu_kernel(block = (64, 32))] //~
fn block_too_large(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// Device functions have no block.
mod device_argument {
    use super::*;

    #[gpu_device(block = 32)] //~
    fn helper(v: f32) -> f32 {
        v * 2.0
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = helper(x[i]);
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// `fast_math` is `true` or `false`.
#[gpu_kernel(fast_math = 1)] //~
fn fast_math_not_bool(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// `fmad` is `true` or `false`.
#[gpu_kernel(fmad = 1)] //~
fn fmad_not_bool(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// The declared block exceeds the launch bounds.
#[gpu_kernel(block = 256, launch_bounds = 128)] //~
fn launch_bounds_below_block(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// Launch bounds are numbers.
#[gpu_kernel(launch_bounds = "256")] //~
fn launch_bounds_not_a_number(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// A constant that no block has threads for.
mod launch_bounds_of_a_large_constant {
    use super::*;

    const THREADS: u32 = 4096;

    #[gpu_kernel(launch_bounds = (THREADS, 1))] //~
    fn kernel(out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = 1.0;
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let mut out = device.zeros::<f32>(8)?;
        kernel(&mut out).launch(1, 8)
    }
}

/// No multiprocessor is to hold no block.
#[gpu_kernel(launch_bounds = (256, 0))] //~
fn launch_bounds_of_no_blocks(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// Launch bounds are one or two numbers.
#[gpu_kernel(launch_bounds = (256, 2, 1))] //~
fn launch_bounds_of_three(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// No block has that many threads.
#[gpu_kernel(launch_bounds = (2048, 1))] //~
fn launch_bounds_too_large(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// Only bounds checks can be denied.
#[gpu_kernel(deny(warnings))] //~
fn denied_warnings(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// Bounds checks that remain, each with its reason.
#[gpu_kernel(deny(bounds_checks))]
fn denied_bounds_checks(x: &[f32], table: View<f32, 2>, at: &[u32], n: usize, out: &mut [f32]) {
    let i = grid_1d();
    let mut next = 0;
    if i < out.len() {
        out[i] = x[i];
        out[i] += x[at[i] as usize]; //~
        while next < n {
            next += 2;
        }
        out[i] += x[next]; //~
        out[i] += table[[out[i] as usize, 3]]; //~
    }
}

/// The suffixes are `a` and `f`.
#[gpu_kernel(suffix = "sm_90a")] //~
fn suffix_with_architecture(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// `lineinfo` is `true` or `false`.
#[gpu_kernel(lineinfo = "full")] //~
fn lineinfo_not_bool(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// Two options that decide the same.
#[gpu_kernel(launch_bounds = (256, 2), max_registers = 32)] //~
fn max_registers_and_launch_bounds(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// Registers are counted.
#[gpu_kernel(max_registers = "many")] //~
fn max_registers_not_a_number(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// The assembler gives a thread 16 to 255 registers.
#[gpu_kernel(max_registers = 8)] //~
fn max_registers_out_of_range(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// Shared memory has room for a few steps.
#[gpu_kernel(block = 64, stages = 100)] //~
fn stages_out_of_range(a: View<f32, 2>, c: ViewMut<f32, 2>) {
    c.tile_mut(0, block_idx().x).store(a.tile::<16, 16>(0, 0));
}

/// Only loops over tiles have steps.
#[gpu_kernel(stages = 3)] //~
fn stages_without_tiles(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// A kernel has a body.
#[gpu_kernel]
fn on_function_without_body(out: &mut [f32]); //~

/// The attribute belongs on a function.
mod on_struct {
    use super::*;

    #[gpu_kernel]
    struct Kernel { //~
        x: f32,
    }

    fn caller() {
        let _ = Kernel { x: 1.0 }.x;
    }
}

/// There is no level 4.
#[gpu_kernel(opt = 4)] //~
fn opt_out_of_range(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// An argument stands once.
#[gpu_kernel(block = 32, block = 64)] //~
fn repeated_argument(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// An option that is given twice.
#[gpu_kernel(opt = 1, opt = 2)] //~
fn repeated_option(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// `crate` is a path.
#[gpu_kernel(crate = "gpu_runtime")] //~
fn runtime_not_a_path(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// An argument that does not exist.
#[gpu_kernel(blocks = 256)] //~
fn unknown_argument(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

// Callers of what was refused compile.

fn callers() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    argument_without_value(&mut out).launch(1, 8)?;
    block_not_a_number(&mut out).launch(1, 8)?;
    block_of_four(&mut out).launch(1, 8)?;
    block_of_zero(&mut out).launch(1, 8)?;
    block_too_large(&mut out).launch(1, 8)?;
    denied_warnings(&mut out).launch(1, 8)?;
    fast_math_not_bool(&mut out).launch(1, 8)?;
    fmad_not_bool(&mut out).launch(1, 8)?;
    launch_bounds_below_block(&mut out).launch(1, 8)?;
    launch_bounds_not_a_number(&mut out).launch(1, 8)?;
    launch_bounds_of_no_blocks(&mut out).launch(1, 8)?;
    launch_bounds_of_three(&mut out).launch(1, 8)?;
    launch_bounds_too_large(&mut out).launch(1, 8)?;
    lineinfo_not_bool(&mut out).launch(1, 8)?;
    max_registers_and_launch_bounds(&mut out).launch(1, 8)?;
    max_registers_not_a_number(&mut out).launch(1, 8)?;
    max_registers_out_of_range(&mut out).launch(1, 8)?;
    opt_out_of_range(&mut out).launch(1, 8)?;
    stages_without_tiles(&mut out).launch(1, 8)?;
    suffix_with_architecture(&mut out).launch(1, 8)?;
    repeated_argument(&mut out).launch(1, 8)?;
    repeated_option(&mut out).launch(1, 8)?;
    runtime_not_a_path(&mut out).launch(1, 8)?;
    unknown_argument(&mut out).launch(1, 8)?;
    Ok(())
}

fn main() {}
