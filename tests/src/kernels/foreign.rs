//! Device functions whose CUDA C the user wrote. The cases compare it with the Rust that a CPU runs in its place.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch};

cases![text_replaces_the_body, a_file_replaces_the_body wraps = true, names_in_the_text_stay_in_it, templates_stand_for_generic_functions];

#[gpu_device(unsafe(cuda = r#"
    __device__ unsigned swap_bytes(unsigned x) {
        return x >> 24 | x >> 8 & 0xff00u | x << 8 & 0xff0000u | x << 24;
    }
"#))]
pub fn swap_bytes(x: u32) -> u32 {
    x.swap_bytes()
}

#[gpu_device(unsafe(cuda = "__device__ void increase(int* x, size_t x_len, int by) { for (size_t i = 0; i < x_len; i++) x[i] += by; }"))]
pub fn increase(x: &mut [i32], by: i32) {
    for i in 0..x.len() {
        x[i] += by;
    }
}

#[gpu_kernel]
pub fn texts(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() {
        let mut counts = [1, 2, 3];
        increase(&mut counts, i as i32);
        let swapped: u32 = swap_bytes(x[i]);
        out[i] = swapped + counts[2] as u32;
    }
}

fn text_replaces_the_body(bench: &Bench) {
    let x = vec![0x0102_0304, 0xff00_0000, 7];
    let mut out = vec![0; 3];
    launch!(bench, texts(&x, &mut out), 1, 4);
    assert_eq!(out, [0x0403_0204, 0xff + 4, 0x0700_0000 + 5]);
    assert_eq!(swap_bytes(0x0102_0304), 0x0403_0201);
}

#[gpu_device(unsafe(cuda = include_str!("foreign.cu")))]
pub fn mixed(x: u64, rounds: u32) -> u64 {
    let mut state = x;
    for _ in 0..rounds {
        state = (state ^ state >> 33) * 0xff51_afd7_ed55_8ccd;
    }
    state
}

/// Of the same file: its text is linked twice.
#[gpu_device(unsafe(cuda = include_str!("foreign.cu")))]
pub fn rotated(x: u64) -> u64 {
    x.rotate_left(13)
}

#[gpu_kernel]
pub fn files(out: &mut [u64]) {
    let i = grid_1d();
    if i < out.len() {
        let mixed: u64 = mixed(i as u64, 3);
        out[i] = rotated(mixed);
    }
}

fn a_file_replaces_the_body(bench: &Bench) {
    let mut out = vec![0; 5];
    launch!(bench, files(&mut out), 1, 8);
    assert_eq!(out, (0..5).map(|i| mixed(i, 3).rotate_left(13)).collect::<Vec<_>>());
}

/// A helper of this name stands in the text of both.
#[gpu_device(unsafe(cuda = "__device__ int helper(int x) { return x + 1; } __device__ int first(int x) { return helper(x); }"))]
fn first(x: i32) -> i32 {
    x + 1
}

#[gpu_device(unsafe(cuda = "__device__ int helper(int x) { return x * 2; } __device__ int second(int x) { return helper(x); }"))]
fn second(x: i32) -> i32 {
    x * 2
}

#[gpu_device]
fn helper(x: i32) -> i32 {
    x - 5
}

#[gpu_kernel]
pub fn namespaces(out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let (a, b, c): (i32, i32, i32) = (first(i as i32), second(i as i32), helper(i as i32 + 5));
        out[i] = a * 10_000 + b * 100 + c;
    }
}

fn names_in_the_text_stay_in_it(bench: &Bench) {
    let mut out = vec![0; 3];
    launch!(bench, namespaces(&mut out), 1, 4);
    assert_eq!(out, [0, 1, 2].map(|i| (i + 1) * 10_000 + i * 2 * 100 + (i + 5 - 5)));
}

#[gpu_device(unsafe(cuda = "template <class T> __device__ T larger(T a, T b) { return a < b ? b : a; }"))]
pub fn larger<T: Num>(a: T, b: T) -> T {
    if a < b { b } else { a }
}

#[gpu_kernel]
pub fn templates(out: &mut [f64]) {
    let i = grid_1d();
    if i < out.len() {
        let whole = larger(2, i as i32);
        out[i] = whole as f64 + larger(0.5, i as f64 / 4.0);
    }
}

fn templates_stand_for_generic_functions(bench: &Bench) {
    let mut out = vec![0.0; 6];
    launch!(bench, templates(&mut out), 1, 8);
    assert_eq!(out, [2.5, 2.5, 2.5, 3.75, 5.0, 6.25]);
}
