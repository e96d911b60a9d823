//! Device arrays and lazy arrays where the host needs their elements.

use gpu_runtime::prelude::*;

#[vectorize]
fn square(x: f32) -> f32 {
    x * x
}

/// An element is copied with the others.
fn element(x: &DeviceArray<f32>) -> f32 {
    x[0] //~
}

/// So is one that is written.
fn assigned_element(x: &mut DeviceArray<f32>) {
    x[0] = 1.0; //~
}

/// A part on the device is a slice.
fn part(x: &DeviceArray<f32>) {
    let part = &x[0..4]; //~
}

/// The host loops over a copy.
fn loops(x: DeviceArray<f32>, mut y: DeviceArray<f32>) {
    for v in &x {} //~
    for v in &mut y {} //~
    for v in x {} //~
}

/// Iterators are the host's.
fn iterators(x: &DeviceArray<f32>) -> f32 {
    x.iter().sum() //~
}

/// Also those that change elements.
fn mutable_iterators(x: &mut DeviceArray<f32>) {
    x.iter_mut().for_each(|v| *v += 1.0); //~
}

/// A copy allocates, which can fail.
fn copied(x: &DeviceArray<f32>) -> DeviceArray<f32> {
    x.clone() //~
}

/// A lazy array has no elements yet.
fn lazy_element(x: &DeviceArray<f32>) {
    let first = square::map(x)[0]; //~
}

/// A copy on the host has std's name for a copy of a slice.
fn elements(x: &DeviceArray<f32>) -> gpu_runtime::Result<Vec<f32>> {
    x.to_vec() //~
}

/// Closures are for the host.
fn mapped(x: &DeviceArray<f32>) {
    let squares = x.map(|x| x * x); //~
}

/// Arrays are made by a device.
fn constructed() {
    let x = DeviceArray::<f32>::new(8); //~
}

fn main() {}
