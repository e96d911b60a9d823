//! Borrows, which rustc checks.

use gpu_runtime::prelude::*;

#[gpu_device]
fn exchange(a: &mut f32, b: &mut f32) {
    let kept = *a;
    *a = *b;
    *b = kept;
}

/// While an element has a name, nothing else writes to the array.
#[gpu_kernel]
fn write_to_named(out: &mut [f32]) {
    let first = &out[0];
    out[1] = 2.0; //~
    out[2] = *first;
}

/// The same of a local array, and of a name that writes.
#[gpu_kernel]
fn read_of_named(out: &mut [f32]) {
    let mut own = [0.0f32; 4];
    let slot = &mut own[1];
    out[0] = own[2]; //~
    *slot = 1.0;
    out[1] = own[1];
}

/// Two parts of an array are not borrowed at once.
#[gpu_kernel]
fn two_elements(out: &mut [f32]) {
    exchange(&mut out[0], &mut out[1]); //~
}

/// Only a `mut` variable can be changed.
#[gpu_kernel]
fn not_declared_mutable(out: &mut [f32]) {
    let (a, mut b) = (1.0f32, 2.0f32);
    exchange(&mut a, &mut b); //~
    out[0] = b;
}

/// Parts that overlap are not changed and read at once.
mod overlapping_parts {
    use super::*;

    #[gpu_device]
    fn add(to: &mut [f32], from: &[f32]) {
        for k in 0..to.len() {
            to[k] += from[k];
        }
    }

    #[gpu_kernel]
    fn kernel(out: &mut [f32]) {
        let mut own = [1.0, 2.0, 3.0];
        add(&mut own[0..2], &own[1..3]); //~
        out[0] = own[0];
    }
}

fn main() {}
