//! Structs of arrays as parameters of kernels.

use gpu_runtime::prelude::*;

#[derive(KernelData)]
struct Bodies {
    x: DeviceArray<f32>,
    mass: f32,
    names: Vec<String>,
}

#[derive(KernelData)]
struct Values<T: Num> {
    values: DeviceArray<T>,
}

struct Plain {
    x: DeviceArray<f32>,
}

/// The derive is missing.
#[gpu_kernel]
fn without_the_derive(b: &mut Plain) { //~
    b.x[0] = 1.0;
}

/// Not a struct with names.
#[derive(KernelData)]
enum Either { //~
    X(DeviceArray<f32>),
}

/// A field that does not exist, in a kernel and as a method.
#[gpu_kernel]
fn other_fields(b: &mut Bodies) {
    let i = grid_1d();
    if i < b.y.len() { //~
        b.step(i); //~
    }
}

/// The struct as a whole, and its name for something else.
#[gpu_kernel]
fn as_a_whole(b: &mut Bodies) {
    let i = grid_1d();
    let b = b.x[i]; //~
}

/// A number is a copy.
#[gpu_kernel]
fn assigned_number(b: &mut Bodies) {
    b.mass = 1.0; //~
}

#[derive(KernelData)]
struct Part<'p> {
    x: DeviceSlice<'p, f32>,
}

/// An array that nothing changes.
#[gpu_kernel]
fn assigned_slice(p: &mut Part<'_>) {
    if grid_1d() == 0 {
        p.x[0] = 1.0; //~
    }
}

/// An array behind a shared reference.
#[gpu_kernel]
fn assigned_element(b: &Bodies) {
    let i = grid_1d();
    if i < b.x.len() {
        b.x[i] = 1.0; //~
    }
}

/// Type parameters that are not given.
#[gpu_kernel]
fn without_arguments(b: &Values, out: &mut [f32]) { //~
    let i = grid_1d();
    if i < out.len() {
        out[i] = b.values[0];
    }
}

/// A kernel with a gradient takes arrays.
#[gpu_kernel(grad)] //~
fn with_gradient(b: &mut Bodies) {
    let i = grid_1d();
    if i < b.x.len() {
        b.x[i] = 2.0;
    }
}

fn main() {}
