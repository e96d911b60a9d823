//! The parameters and the result of a kernel.

use gpu_runtime::prelude::*;

/// A kernel has no ABI.
#[gpu_kernel]
extern "C" fn abi(out: &mut [f32]) {} //~

/// A parameter is a value or a slice.
#[gpu_kernel]
fn result_by_value(k: Result<f32, u8>, out: &mut [f32]) {} //~

/// A reference to an array is refused.
#[gpu_kernel]
fn array_parameter(x: &[f32; 4], out: &mut [f32]) {} //~

/// A kernel is not `async`.
#[gpu_kernel]
async fn async_(out: &mut [f32]) {} //~

/// Attributes on parameters are refused.
#[gpu_kernel]
fn attribute_on_parameter(#[allow(unused)] x: &[f32], out: &mut [f32]) {} //~

/// A kernel is not `const`.
#[gpu_kernel]
const fn const_(out: &mut [f32]) {} //~

/// A launch has a tuple of at most 32 arguments.
mod many_parameters {
    use super::*;

    #[gpu_kernel]
    #[rustfmt::skip]
    fn kernel(
        a0: f32, a1: f32, a2: f32, a3: f32, a4: f32, a5: f32, a6: f32, a7: f32,
        b0: f32, b1: f32, b2: f32, b3: f32, b4: f32, b5: f32, b6: f32, b7: f32,
        c0: f32, c1: f32, c2: f32, c3: f32, c4: f32, c5: f32, c6: f32, c7: f32,
        d0: f32, d1: f32, d2: f32, d3: f32, d4: f32, d5: f32, d6: f32, d7: f32,
        out: &mut [f32], //~
    ) {
        let i = grid_1d();
        if i < out.len() {
            out[i] = a0 + d7;
        }
    }
}

/// Every parameter has its own name.
#[gpu_kernel]
fn duplicate_parameter(x: &[f32], x: &mut [f32]) {} //~

/// A parameter has no named lifetime.
#[gpu_kernel]
fn lifetime<'a>(x: &'a [f32], out: &mut [f32]) {} //~

/// A kernel cannot have a `self` parameter.
mod method {
    use super::*;

    struct Model;

    impl Model {
        #[gpu_kernel]
        fn kernel(&self, out: &mut [f32]) { //~
            out[grid_1d()] = 1.0;
        }
    }

    fn caller() {
        let _ = Model;
    }
}

/// A result goes into a slice.
#[gpu_kernel]
fn mutable_number(sum: &mut f64, out: &mut [f32]) {} //~

/// The hidden functions of a method pass its parameters on by their names.
mod parameter_without_a_name {
    use super::*;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Meters(f32);

    #[gpu_device]
    impl From<u8> for Meters {
        fn from(_: u8) -> Self { //~
            Meters(1.0)
        }
    }
}

/// A parameter is a plain name.
#[gpu_kernel]
fn pattern_parameter((a, b): (f32, f32), out: &mut [f32]) {} //~

/// A number is taken by value.
#[gpu_kernel]
fn reference_to_number(k: &f32, out: &mut [f32]) {} //~

/// A kernel returns nothing.
#[gpu_kernel]
fn returns_value(x: &[f32]) -> f32 { //~
    x[0]
}

/// Elements are numbers.
#[gpu_kernel]
fn slice_of_strings(x: &[String], out: &mut [f32]) {} //~

/// A tuple in a slice consists of what memory can hold.
#[gpu_kernel]
fn tuple_of_options_in_slice(x: &[(f32, Option<bool>)], out: &mut [f32]) { //~
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].0;
    }
}

/// A kernel cannot be declared `unsafe`.
#[gpu_kernel]
unsafe fn unsafe_(out: &mut [f32]) {} //~

/// A kernel takes slices, not `Vec`.
#[gpu_kernel]
fn vec_parameter(x: Vec<f32>, out: &mut [f32]) {} //~

/// A `where` clause has nothing to say about.
#[gpu_kernel]
fn where_clause(x: &[f32], out: &mut [f32])
where //~
    f32: Copy,
{
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i];
    }
}

/// A parameter has at most 64 bits.
#[gpu_kernel]
fn wide_integer(k: u128, out: &mut [f32]) {} //~

// Callers of what was refused compile.

fn callers_1() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    abi(&mut out).launch(1, 8)?;
    option_by_value(None::<f32>, &mut out).launch(1, 8)?;
    async_(&mut out).launch(1, 8)?;
    const_(&mut out).launch(1, 8)?;
    mutable_number(&mut 0.0, &mut out).launch(1, 8)?;
    pattern_parameter(1.0, &mut out).launch(1, 8)?;
    reference_to_number(&1.0, &mut out).launch(1, 8)?;
    unsafe_(&mut out).launch(1, 8)?;
    wide_integer(1, &mut out).launch(1, 8)?;
    Ok(())
}

fn callers_2() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    array_parameter(&x, &mut out).launch(1, 8)?;
    attribute_on_parameter(&x, &mut out).launch(1, 8)?;
    duplicate_parameter(&x, &mut out).launch(1, 8)?;
    lifetime(&x, &mut out).launch(1, 8)?;
    slice_of_strings(&x, &mut out).launch(1, 8)?;
    vec_parameter(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn callers_3() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    returns_value(&x).launch(1, 8)?;
    Ok(())
}

/// A call of it would mean the intrinsic.
mod name_of_an_intrinsic {
    use gpu_runtime::gpu_device;

    #[gpu_device]
    fn lane_id() -> u32 { //~
        1
    }
}

fn main() {}
