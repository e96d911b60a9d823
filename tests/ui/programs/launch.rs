//! Arguments of kernels, grids and blocks.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn add(x: &[f32], k: f32, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + k;
    }
}

/// One array is not read and written at once.
fn aliased_arguments() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    add(&out, 1.0, &mut out).launch(1, 8) //~
}

/// Arrays are passed by reference.
fn array_by_value() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    add(x, 1.0, &mut out).launch(1, 8) //~
}

/// A grid has at most three dimensions.
fn four_dimensions() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    add(&x, 1.0, &mut out).launch((1, 1, 1, 1), 8) //~
}

/// A grid is made of numbers of blocks.
fn grid_of_floats() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    add(&x, 1.0, &mut out).launch(1.5, 8) //~
}

/// All arguments are given.
fn missing_argument() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    add(&x, &mut out).launch(1, 8) //~
}

/// A launch has a grid and a block.
fn missing_block() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    add(&x, 1.0, &mut out).launch(1) //~
}

/// An array that is written is declared `mut`.
fn output_not_mutable() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let fixed = device.zeros::<f32>(8)?;
    add(&x, 1.0, &mut fixed).launch(1, 8) //~
}

/// A `&mut [T]` takes `&mut array`.
fn shared_output() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let out = device.zeros::<f32>(8)?;
    add(&x, 1.0, &out).launch(1, 8) //~
}

/// Host data is copied to the device first.
fn vec_argument() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    let host = vec![1.0f32; 8];
    add(&host, 1.0, &mut out).launch(1, 8) //~
}

/// A lazy array is collected first.
fn lazy_argument() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    add(&x + &x, 1.0, &mut out).launch(1, 8) //~
}

/// The array is in a `Result`.
fn result_argument() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8);
    let mut out = device.zeros::<f32>(8)?;
    add(&x, 1.0, &mut out).launch(1, 8) //~
}

/// A lazy array has no elements to print.
fn printed_lazy_array() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    println!("{:?}", &x + &x); //~
    Ok(())
}

/// The host does not see the elements on a device.
fn printed_array() -> gpu_runtime::Result<()> {
    let x = Device::cpu().zeros::<f32>(8)?;
    println!("{x}"); //~
    Ok(())
}

/// The host does not see the elements on a device.
fn loop_over_array() -> gpu_runtime::Result<()> {
    let x = Device::cpu().zeros::<f32>(8)?;
    for element in &x { //~
        assert!(*element < 1.0);
    }
    Ok(())
}

/// Rows of a matrix are one array.
fn nested_vectors() -> gpu_runtime::Result<()> {
    let rows = vec![vec![1.0f32; 4]; 4];
    Device::cpu().to_device(&rows)?; //~
    Ok(())
}

/// Results go into a device array.
fn vec_output() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut host = vec![1.0f32; 8];
    add(&x, 1.0, &mut host).launch(1, 8) //~
}

/// An array of another element type.
fn wrong_element_type() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    let y = device.zeros::<i32>(8)?;
    add(&y, 1.0, &mut out).launch(1, 8) //~
}

/// An array of another element type.
fn wrong_output_element_type() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut other = device.zeros::<f64>(8)?;
    add(&x, 1.0, &mut other).launch(1, 8) //~
}

/// A number of the parameter's type.
fn wrong_scalar() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    add(&x, 1, &mut out).launch(1, 8) //~
}

fn main() {}
