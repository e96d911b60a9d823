//! What `#[vectorize]` refuses, and operators of lazy arrays.

use gpu_runtime::prelude::*;

/// A struct without a derive has no definition in CUDA C.
mod struct_without_derive {
    use super::*;

    #[derive(Clone, Copy)]
    struct Point {
        x: f32,
    }

    #[vectorize]
    fn half(point: Point) -> f32 { //~
        point.x / 2.0
    }
}

/// An array function returns a number or a tuple of numbers.
#[vectorize]
fn array_result(x: f32) -> [f32; 2] { //~
    [x, x]
}

/// Elements do not wait for each other.
#[vectorize]
fn barrier(x: f32) -> f32 {
    sync_threads(); //~
    x
}

/// An array function does not know which element it computes.
#[vectorize]
fn coordinate(x: f32) -> f32 {
    x + grid_1d() as f32 //~
}

/// Elements do not wait for each other, in whichever block.
#[vectorize]
fn grid_barrier(x: f32) -> f32 {
    sync_grid(); //~
    x
}

/// An array function does not know which element it computes.
mod grid_stride {
    use super::*;

    #[vectorize]
    fn count(n: usize) -> usize {
        let mut count = 0;
        for _ in grid_stride(n) { //~
            count += 1;
        }
        count
    }

    fn caller() -> gpu_runtime::Result<()> {
        println!("{:?}", count::map(&[1]).to_host()?);
        Ok(())
    }
}

/// Only a reduction has an identity.
#[vectorize(identity = 0.0)] //~
fn identity(a: f32, b: f32) -> f32 {
    a + b
}

/// A function that is refused can still be mapped, as far as its callers are concerned.
mod mistake_in_the_body {
    use super::*;

    #[vectorize]
    fn choose(x: f32) -> (f32, i32) {
        eprintln!("{}", x); //~
        (x, (x > 0.0) as i32)
    }

    fn caller() -> gpu_runtime::Result<()> {
        let (x, i) = choose::map(&[1.0f32]).to_host()?;
        println!("{x:?} {i:?} {:?}", choose(2.0));
        Ok(())
    }
}

/// An array function takes an element.
#[vectorize]
fn no_parameters() -> f32 { //~
    1.0
}

/// An array function returns an element.
#[vectorize]
fn no_result(x: f32) { //~
    assert!(x > 0.0);
}

/// An array has no place for `None`.
#[vectorize]
fn option_result(x: f32) -> Option<f32> { //~
    if x < 0.0 { None } else { Some(x.sqrt()) }
}

/// Elements share nothing.
#[vectorize]
fn shared_memory(x: f32) -> f32 {
    let mut tile = shared::<[f32; 32]>(); //~
    tile[0] = x;
    tile[0]
}

/// An array function takes elements.
#[vectorize]
fn slice_parameter(x: &[f32]) -> f32 { //~
    x[0]
}

/// An array function takes at most eight elements.
#[vectorize]
fn too_many_parameters(a: f32, b: f32, c: f32, d: f32, e: f32, f: f32, g: f32, h: f32, i: f32) -> f32 { //~
    a + b + c + d + e + f + g + h + i
}

/// An array function returns at most four components.
#[vectorize]
fn tuple_of_five(x: f32) -> (f32, f32, f32, f32, f32) { //~
    (x, x * x, x * x * x, x.powi(4), x.powi(5))
}

/// The arguments of the attribute.
#[vectorize(target = "cuda")] //~
fn unknown_argument(x: f32) -> f32 {
    x
}

/// An array function takes elements.
#[vectorize]
fn vec_parameter(x: Vec<f32>, y: f32) -> f32 { //~
    y
}

/// The elements have the type of the parameter.
mod wrong_element_type {
    use super::*;

    #[vectorize]
    fn square(x: f32) -> f32 {
        x * x
    }

    fn caller() -> gpu_runtime::Result<()> {
        let x = Device::cpu().to_device(&[1i32])?;
        println!("{:?}", square::map(&x).to_host()?); //~
        Ok(())
    }
}

/// A method that the elements do not have.
fn method_of_floats_on_integers() -> gpu_runtime::Result<()> {
    let x = Device::cpu().zeros::<i32>(4)?;
    let _ = lazy(&x).sqrt(); //~
    Ok(())
}

/// A float times an array of integers.
fn number_of_another_type() -> gpu_runtime::Result<()> {
    let x = Device::cpu().zeros::<i32>(4)?;
    let _ = lazy(&x) * 2.5; //~
    Ok(())
}

/// A sum can fail, and a root is lazy.
fn question_marks() -> gpu_runtime::Result<()> {
    let x = Device::cpu().zeros::<f32>(4)?;
    let more = x.sum() + 1.0; //~
    let roots = x.sqrt()?; //~
    Ok(())
}

/// Arrays of the host, where arrays of a device are needed.
fn indices_of_the_host() -> gpu_runtime::Result<()> {
    let x = Device::cpu().zeros::<f32>(4)?;
    let some = x.take(&[1, 2])?; //~
    let sums = x.sum_by(&vec![0u32, 1, 0, 1], 2)?; //~
    Ok(())
}

/// Elements that have no histogram, and indices that are no integers.
fn histogram_of_bool() -> gpu_runtime::Result<()> {
    let x = Device::cpu().zeros::<bool>(4)?;
    let counts = x.histogram(2, 0.0..=1.0)?; //~
    let of_each = Device::cpu().zeros::<f32>(4)?.bincount(2)?; //~
    Ok(())
}

/// Arrays of two element types in one operation.
fn two_element_types() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let (x, y) = (device.zeros::<f32>(4)?, device.zeros::<f64>(4)?);
    let _ = &x + &y; //~
    Ok(())
}

// Callers of what was refused compile.

fn callers() -> gpu_runtime::Result<()> {
    println!("{:?}", array_result::map(&[1.0]).to_host()?);
    println!("{:?}", barrier::map(&[1.0]).to_host()?);
    println!("{:?}", coordinate::map(&[1.0]).to_host()?);
    println!("{:?}", grid_barrier::map(&[1.0]).to_host()?);
    println!("{:?}", identity::map(&[1.0], 2.0).to_host()?);
    println!("{:?}", no_parameters::map().to_host()?);
    println!("{:?}", no_result::map(&[1.0]).to_host()?);
    println!("{:?}", option_result::map(&[1.0]).to_host()?);
    println!("{:?}", shared_memory::map(&[1.0]).to_host()?);
    println!("{:?}", slice_parameter::map(&[1.0]).to_host()?);
    println!("{:?}", too_many_parameters::map(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0).to_host()?);
    println!("{:?}", tuple_of_five::map(&[1.0]).to_host()?);
    println!("{:?}", unknown_argument::map(&[1.0]).to_host()?);
    println!("{:?}", vec_parameter::map(&[1.0], 2.0).to_host()?);
    Ok(())
}

fn main() {}
