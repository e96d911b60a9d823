//! What NumPy's users write first: names that are others here, and parts.

use gpu_runtime::functions::add;
use gpu_runtime::prelude::*;

/// NumPy's names.
fn names(x: &DeviceArray<f32>, view: DeviceView<'_, f32>) {
    let _ = x.astype::<f64>(); //~
    let _ = view.transpose(); //~
    let _ = x.ravel(); //~
    let _ = (x + 1.0).squeeze(); //~
    let _ = x.numpy(); //~
}

/// A whole power of floats.
fn power(x: &DeviceArray<f32>) {
    let _ = x.pow(2); //~
}

/// Something that is no range, and something that is no part.
fn parts(x: &DeviceArray<f32>) {
    let _ = x.slice(3); //~
    let _ = x.part((1..2, "all")); //~
    let _ = x.part([1, 2]); //~
}

/// An update of an array that can only be read.
fn read_only(x: &DeviceArray<f32>, i: &DeviceArray<u32>) {
    let _ = add::at(x, i, 1.0); //~
}

fn main() {}
