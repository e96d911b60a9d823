//! Options.

use gpu_runtime::prelude::*;

/// Coordinates are not compared as a whole.
#[gpu_kernel]
fn compared(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        if thread_idx() == block_idx() { //~
            out[i] = 1;
        }
    }
}

/// The message of `expect` is plain.
#[gpu_kernel]
fn expect_formatted(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].checked_add(1).expect("{i}"); //~
    }
}

/// A kernel takes no option of which `None` is a third `bool`.
#[gpu_kernel]
fn parameter(limit: Option<bool>, out: &mut [i32]) { //~
    let i = grid_1d();
    if i < out.len() {
        out[i] = if limit.unwrap_or(true) { 1 } else { 0 };
    }
}

/// A slice has no results.
#[gpu_kernel]
fn slice(x: &[Result<f32, u8>], out: &mut [f32]) { //~
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].unwrap_or(0.0);
    }
}

/// A number is no option.
#[gpu_kernel]
fn unwrap_of_a_number(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].unwrap(); //~
    }
}

/// An option is no number.
#[gpu_kernel]
fn used_as_a_value(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].checked_add(1); //~
    }
}

// Callers of what was refused compile.

fn callers_1() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<i32>(8)?;
    let mut out = device.zeros::<i32>(8)?;
    compared(&x, &mut out).launch(1, 8)?;
    expect_formatted(&x, &mut out).launch(1, 8)?;
    unwrap_of_a_number(&x, &mut out).launch(1, 8)?;
    used_as_a_value(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn callers_2() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<i32>(8)?;
    parameter(Some(true), &mut out).launch(1, 8)?;
    Ok(())
}

fn main() {}
