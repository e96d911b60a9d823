//! rustc's lints, which it comes to where nothing else is wrong.

#![allow(dead_code)]
#![deny(unused_must_use, unused_mut, unused_variables)]

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn add(x: &[f32], k: f32, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + k;
    }
}

/// Building a launch runs nothing.
fn not_launched() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    add(&x, 1.0, &mut out); //~
    Ok(())
}

/// The result of a launch is looked at.
fn result_ignored() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    add(&x, 1.0, &mut out).launch(1, 8); //~
    Ok(())
}

#[vectorize]
fn square(x: f32) -> f32 {
    x * x
}

/// A lazy array that nobody asks for computes nothing.
fn not_collected() {
    square::map(&[1.0f32]); //~
}

/// A literal fits its type.
#[gpu_kernel]
fn literal_out_of_range(out: &mut [u8]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 300; //~
    }
}

/// A variable that nothing changes needs no `mut`.
#[gpu_kernel]
fn needless_mut(out: &mut [f32]) {
    let i = grid_1d();
    let mut scale = 2.0; //~
    if i < out.len() {
        out[i] = scale;
    }
}

/// A variable is used.
#[gpu_kernel]
fn unused_variable(out: &mut [f32]) {
    let i = grid_1d();
    let mut count; //~ 2
    if i < out.len() {
        count = 1;
        out[i] = 1.0;
    }
}

fn main() {}
