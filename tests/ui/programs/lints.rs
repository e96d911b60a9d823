//! rustc's lints, which it comes to where nothing else is wrong.

#![allow(dead_code)]
#![deny(unused_comparisons, unused_must_use, unused_mut, unused_variables)]

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

/// An unsigned number is never negative.
#[gpu_kernel]
fn never_negative(out: &mut [f32]) {
    let i = grid_1d();
    if i < 0 { //~
        return;
    }
    let k = 3u32;
    if i < out.len() && k >= 0 { //~
        out[i] = 1.0;
    }
}

/// The same in a function with barriers.
#[gpu_kernel]
fn never_negative_with_barrier(out: &mut [f32]) {
    let i = grid_1d();
    sync_threads();
    if i < out.len() && 0 > i { //~
        out[i] = 1.0;
    }
}

/// Neither is a coordinate, a length or an element.
#[gpu_kernel]
fn never_negative_where_it_stands(x: &[u32], out: &mut [f32]) {
    let i = grid_1d();
    if thread_idx().x < 0 { //~
        return;
    }
    if i < out.len() && x.len() >= 0 && x[i] < 0 { //~ 2
        out[i] = 1.0;
    }
}

/// An operator changes nothing.
#[gpu_kernel]
fn operator_without_effect(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    i + 1; //~
    if i < out.len() {
        x[i] * 2.0; //~
        i / 2; //~
        i < 3; //~
        -x[i]; //~
        out[i] = 1.0;
    }
}

/// A method changes nothing.
#[gpu_kernel]
fn method_without_effect(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    i.leading_zeros(); //~
    if i < out.len() {
        x[i].sqrt(); //~
        out[i] = 1.0;
    }
}

fn main() {}
