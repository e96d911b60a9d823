//! Gradients of expressions of arrays: what has none, and what is borrowed until they are computed.

use gpu_runtime::Result;
use gpu_runtime::gradient::{grad, variable};
use gpu_runtime::prelude::*;

/// An array that changed in between would give the gradient of other elements.
fn changed_too_early(w: &mut DeviceArray<f64>) -> Result<DeviceArray<f64>> {
    let x = variable(&*w);
    let loss = x.square().sum()?;
    *w *= 0.5; //~
    loss.gradient(&x)
}

/// A constant is needed as well.
fn changed_constant(w: &DeviceArray<f64>, x: &mut DeviceArray<f64>) -> Result<DeviceArray<f64>> {
    grad(w, |w| {
        let loss = (w * &*x).sum()?;
        x.fill(0.0)?; //~
        Ok(loss)
    })
}

/// It is free again when the gradient is there.
fn changed_in_time(w: &mut DeviceArray<f64>) -> Result<()> {
    let by_w = grad(&*w, |w| w.square().sum())?;
    *w -= by_w;
    Ok(())
}

/// A traced array does not outlive its array.
fn outlived(device: &Device) -> Result<()> {
    let sum = {
        let x = device.to_device(&[1.0, 2.0])?;
        variable(&x).sum()? //~
    };
    sum.value()?;
    Ok(())
}

fn main() {}
