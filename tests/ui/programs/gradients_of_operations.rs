//! What has no gradient does not take a traced array.

use gpu_runtime::Result;
use gpu_runtime::gradient::{checkpoint, constant, grad, variable};
use gpu_runtime::prelude::*;

#[vectorize]
fn without_derivative(x: f64) -> f64 {
    x * x
}

#[vectorize(grad)]
fn cube(x: f64) -> f64 {
    x * x * x
}

fn middle(x: &DeviceArray<f64>) -> Result<DeviceArray<f64>> {
    grad(x, |x| x.median()) //~
}

fn rounded(x: &DeviceArray<f64>) -> Result<DeviceArray<f64>> {
    grad(x, |x| x.floor().sum()) //~
}

fn mapped(x: &DeviceArray<f64>) {
    let x = variable(x);
    without_derivative::map(&x); //~
}

fn without_grad(x: &DeviceArray<f64>) -> Result<DeviceArray<f64>> {
    grad(x, |x| without_derivative::traced(&x).sum()) //~
}

fn with_grad(x: &DeviceArray<f64>) -> Result<DeviceArray<f64>> {
    grad(x, |x| cube::traced(&x).sum())
}

fn integers(x: &DeviceArray<i32>) {
    variable(x); //~ 2
}

fn mixed(x: &DeviceArray<f64>, y: &DeviceArray<f32>) -> Result<DeviceArray<f64>> {
    grad(x, |x| (x * y).sum()) //~
}

/// Arrays are passed as references, variables are what `variable` returns, and a list is one of arrays.
fn not_arrays(x: DeviceArray<f64>, y: DeviceArray<f64>) -> Result<()> {
    let square = variable(&x).square().sum()?;
    square.gradient(&x)?; //~ 2
    grad(&[&x, &y][..], |list| (&list[0] * &list[1]).sum())?; //~
    grad([&x, &y], |[x, y]| (x * y).sum())?;
    grad(x, |x| x.sum())?; //~
    Ok(())
}

/// `constant(x)` is one that takes it.
fn constant_on_the_left(x: &DeviceArray<f64>, w: &DeviceArray<f64>) -> Result<()> {
    let w = variable(w);
    x.matmul(&w)?; //~
    constant(x).matmul(&w)?;
    Ok(())
}

/// A closure that is computed again does not borrow what is dropped before.
fn computed_again(x: &DeviceArray<f64>) -> Result<DeviceArray<f64>> {
    grad(x, |x| {
        let factor = x.value()?;
        checkpoint([&x], |[x]| (x * &factor).sum()) //~
    })
}

fn main() {}
