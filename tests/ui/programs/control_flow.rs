//! Branches and loops.

use gpu_runtime::prelude::*;

/// Both arms of an `if` have one type.
#[gpu_kernel]
fn arms_differ(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let v = if x[i] > 0.0 { x[i] } else { i }; //~
        out[i] = v;
    }
}

/// `break` outside of a loop.
#[gpu_kernel]
fn break_outside(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        if i > 2 {
            break; //~
        }
        out[i] = x[i];
    }
}

/// The guard of alternatives may run several times.
#[gpu_kernel]
fn guard_with_effect(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut tries = 0;
        let found = match (x[i], i) {
            (_, 0) | (0, _) if x[i] > 2 => 1,
            (_, 1) | (1, _) if { tries += 1; tries > 1 } => 2, //~
            (_, 2) | (2, _) if { sync_threads(); true } => 3, //~
            _ => 0,
        };
        out[i] = found + tries;
    }
}

/// A device function returns what it declares.
mod device_return_value {
    use super::*;

    #[gpu_device]
    fn helper(v: f32) -> f64 {
        if v > 0.0 {
            return 1; //~
        }
        0.5
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = helper(x[i]) as f32;
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// A device function has the value that it declares.
mod device_value {
    use super::*;

    #[gpu_device]
    fn helper(v: f32) -> f64 {
        v //~
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = helper(x[i]) as f32;
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// An iterator is no value.
#[gpu_kernel]
fn for_over_iterator(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = 0.0;
        let elements = x.iter(); //~
        for v in elements {
            sum += v;
        }
        out[i] = sum;
    }
}

/// `grid_stride` takes no adapters.
#[gpu_kernel]
fn grid_stride_reversed(out: &mut [f32]) {
    for i in grid_stride(out.len()).rev() { //~
        out[i] = 1.0;
    }
}

/// `grid_stride(n)` is only supported as the range of a `for` loop.
#[gpu_kernel]
fn grid_stride_value(out: &mut [f32]) {
    let i = grid_stride(out.len()); //~
    out[0] = 1.0;
}

/// `grid_stride` takes the number of elements.
#[gpu_kernel]
fn grid_stride_without_length(out: &mut [f32]) {
    for i in grid_stride() { //~
        out[i] = 1.0;
    }
}

/// A condition is a `bool`.
#[gpu_kernel]
fn if_without_bool(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        if x[i] { //~
            out[i] = 1;
        }
    }
}

/// Without `else` there is no value.
#[gpu_kernel]
fn missing_else(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = if x[i] > 0.0 { 1.0 }; //~
    }
}

/// A range needs both ends.
#[gpu_kernel]
fn open_range(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = 0.0;
        for k in 0.. { //~
            sum += x[k];
        }
        out[i] = sum;
    }
}

/// A kernel returns nothing.
#[gpu_kernel]
fn return_value(out: &mut [f32]) {
    let i = grid_1d();
    if i >= out.len() {
        return 1.0; //~
    }
    out[i] = 2.0;
}

/// `.step_by` comes last.
#[gpu_kernel]
fn step_before_rev(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = 0.0;
        for k in (0..8).step_by(2).rev() { //~
            sum += x[k];
        }
        out[i] = sum;
    }
}

/// The counter is a plain name.
#[gpu_kernel]
fn tuple_counter(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = 0.0;
        for (a, b) in 0..8 { //~
            sum += x[a];
        }
        out[i] = sum;
    }
}

/// There is no such label.
#[gpu_kernel]
fn unknown_label(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        for k in 0..8 {
            if k == i {
                continue 'outer; //~
            }
        }
        out[i] = x[i];
    }
}

/// A factor that is no number.
#[gpu_kernel]
fn unroll_not_a_number(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        #[unroll("all")] //~
        for k in 0..4 {
            out[i] += k;
        }
    }
}

/// A branch is no loop.
#[gpu_kernel]
fn unroll_on_if(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        #[unroll(4)] //~
        if x[i] > 2 {
            out[i] = 1;
        }
    }
}

/// Only loops are unrolled.
#[gpu_kernel]
fn unroll_on_statement(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        #[unroll] //~
        let y = x[i];
        out[i] = y;
    }
}

/// Two factors for one loop.
#[gpu_kernel]
fn unroll_twice(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        #[unroll]
        #[unroll(2)] //~
        for k in 0..4 {
            out[i] += k;
        }
    }
}

/// A factor in the wrong form.
#[gpu_kernel]
fn unroll_with_equals(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        #[unroll = 4] //~
        while out[i] < 4 {
            out[i] += 1;
        }
    }
}

/// A body that stands nowhere.
#[gpu_kernel]
fn unroll_zero(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        #[unroll(0)] //~
        for k in 0..4 {
            out[i] += k;
        }
    }
}

// Callers of what was refused compile.

fn callers_1() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    arms_differ(&x, &mut out).launch(1, 8)?;
    break_outside(&x, &mut out).launch(1, 8)?;
    for_over_iterator(&x, &mut out).launch(1, 8)?;
    missing_else(&x, &mut out).launch(1, 8)?;
    open_range(&x, &mut out).launch(1, 8)?;
    step_before_rev(&x, &mut out).launch(1, 8)?;
    tuple_counter(&x, &mut out).launch(1, 8)?;
    unknown_label(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn callers_2() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    grid_stride_reversed(&mut out).launch(1, 8)?;
    grid_stride_value(&mut out).launch(1, 8)?;
    grid_stride_without_length(&mut out).launch(1, 8)?;
    return_value(&mut out).launch(1, 8)?;
    Ok(())
}

fn callers_3() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<i32>(8)?;
    let mut out = device.zeros::<i32>(8)?;
    if_without_bool(&x, &mut out).launch(1, 8)?;
    guard_with_effect(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn callers_4() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.to_device(&[1; 8])?;
    let mut out = device.zeros(8)?;
    unroll_not_a_number(&x, &mut out).launch(1, 8)?;
    unroll_on_if(&x, &mut out).launch(1, 8)?;
    unroll_on_statement(&x, &mut out).launch(1, 8)?;
    unroll_twice(&x, &mut out).launch(1, 8)?;
    unroll_with_equals(&x, &mut out).launch(1, 8)?;
    unroll_zero(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn main() {}
