//! Operands, casts and the types of variables.

use gpu_runtime::prelude::*;

/// A `let` has its declared type.
#[gpu_kernel]
fn annotation_disagrees(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let v: f64 = x[i]; //~
        out[i] = v as f32;
    }
}

/// An element gets a value of its type.
#[gpu_kernel]
fn assigns_wrong_type(x: &[f64], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i]; //~
    }
}

/// `!` belongs to integers and `bool`.
#[gpu_kernel]
fn bitwise_not_of_float(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = !x[i]; //~
    }
}

/// A cast goes to a number.
#[gpu_kernel]
fn cast_to_char(x: &[u8], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] as char as u32; //~
    }
}

/// Only numbers are cast.
#[gpu_kernel]
fn cast_to_tuple(x: &[u8], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] as (u32, u32); //~
    }
}

/// A cast names its type.
#[gpu_kernel]
fn cast_to_underscore(x: &[u8], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] as _; //~
    }
}

/// Comparisons do not chain. Both rustc and the macro parse the body, so both say so.
#[gpu_kernel]
fn comparison_chain(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        if 0.0 < x[i] < 1.0 { //~
            out[i] = 1.0;
        }
    }
}

/// A float literal is no integer.
#[gpu_kernel]
fn float_for_integer(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + 0.5; //~
    }
}

/// Shifts belong to integers.
#[gpu_kernel]
fn float_shift(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] << 1; //~
    }
}

/// A float is not cast to `bool`.
#[gpu_kernel]
fn impossible_cast(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        if x[i] as bool { //~
            out[i] = 1.0;
        }
    }
}

/// An index is a `usize`.
#[gpu_kernel]
fn index_not_usize(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let k = x[i];
        out[i] = x[k]; //~
    }
}

/// An integer literal is no float.
#[gpu_kernel]
fn integer_for_float(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] * 2; //~
    }
}

/// `char` is refused.
#[gpu_kernel]
fn let_char(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let v: char = char::MAX; //~
        out[i] = x[i];
    }
}

/// Text is refused.
#[gpu_kernel]
fn let_string(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let v: String = String::new(); //~
        out[i] = x[i];
    }
}

/// 128-bit integers are refused.
#[gpu_kernel]
fn let_u128(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let v: u128 = u128::MAX; //~
        out[i] = x[i];
    }
}

/// `Vec` is refused.
#[gpu_kernel]
fn let_vec(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let v: Vec<f32> = Vec::new(); //~
        out[i] = x[i];
    }
}

/// Operands of one type.
#[gpu_kernel]
fn mismatch(x: &[f32], k: f64, out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + k; //~
    }
}

/// An unsigned number is not negated.
#[gpu_kernel]
fn negated_unsigned(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = -x[i]; //~
    }
}

// Callers of what was refused compile.

/// A name of a number that means another type.
mod aliased_number {
    #![allow(non_camel_case_types)]
    use super::*;
    type f64 = u8;

    #[gpu_kernel]
    fn less(x: &[f64], out: &mut [u32]) { //~
        let i = grid_1d();
        if i < out.len() && i < x.len() && x[i] < x[0] {
            out[i] = 1;
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        less(&device.zeros::<u8>(8)?, &mut device.zeros::<u32>(8)?).forall(8)
    }
}

/// The same of a parameter that is a value, and of a variable.
mod aliased_value_and_variable {
    #![allow(non_camel_case_types)]
    use super::*;
    type u32 = u8;
    type u16 = usize;

    #[gpu_kernel]
    fn fill(n: u32, out: &mut [f32]) { //~
        for j in grid_stride(n as usize) {
            out[j] = 1.0;
        }
    }

    #[gpu_kernel]
    fn truncate(out: &mut [f32]) { //~
        let n = out.len() as u16;
        for j in grid_stride(n as usize) {
            out[j] = 1.0;
        }
    }
}

/// The same of constants in the body, and of types whose functions are called.
mod aliased_constants_and_owners {
    #![allow(overflowing_literals, non_camel_case_types, dead_code)]
    use super::*;
    type u32 = std::primitive::u8;
    type i32 = std::primitive::i8;

    #[gpu_kernel]
    fn literal(out: &mut [f32]) { //~
        const N: u32 = 256;
        let t = thread_idx().x;
        if t < 256 {
            let k = block_idx().x * N as usize + t;
            if k < out.len() {
                out[k] += 1.0;
            }
        }
    }

    #[gpu_kernel]
    fn computed(out: &mut [f32]) { //~
        const N: i32 = 100 + 156;
        let i = grid_1d();
        if i < out.len() {
            out[i + N as usize - 256] += 1.0;
        }
    }

    #[gpu_kernel]
    fn owner(x: &[u8], out: &mut [f32]) { //~
        let i = grid_1d();
        if i < out.len() && i < x.len() {
            out[u32::from(x[i]) as usize] += 1.0;
        }
    }
}

/// The comparison of a number with another type is a function of the user's: the GPU has no such function.
mod comparison_of_different_types {
    use super::*;

    #[derive(Clone, Copy, PartialEq, DeviceType)]
    #[repr(usize)]
    pub enum E {
        A = 0,
        B = 1,
    }

    impl PartialEq<E> for usize {
        fn eq(&self, _: &E) -> bool {
            true
        }
    }

    const FIRST: E = E::A;

    #[gpu_kernel]
    fn variant(out: &mut [u32]) {
        let t = thread_idx();
        if block_idx().x == E::A { //~
            if t.x < out.len() {
                out[t.x] += 1;
            }
        }
    }

    #[gpu_kernel]
    fn constant(out: &mut [u32]) {
        let t = thread_idx();
        if block_idx().x == FIRST { //~
            if t.x < out.len() {
                out[t.x] += 1;
            }
        }
    }
}

fn callers_1() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    annotation_disagrees(&x, &mut out).launch(1, 8)?;
    bitwise_not_of_float(&x, &mut out).launch(1, 8)?;
    comparison_chain(&x, &mut out).launch(1, 8)?;
    float_shift(&x, &mut out).launch(1, 8)?;
    impossible_cast(&x, &mut out).launch(1, 8)?;
    integer_for_float(&x, &mut out).launch(1, 8)?;
    mismatch(&x, 1.0, &mut out).launch(1, 8)?;
    Ok(())
}

fn callers_2() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f64>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    assigns_wrong_type(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn callers_3() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<u8>(8)?;
    let mut out = device.zeros::<u32>(8)?;
    cast_to_char(&x, &mut out).launch(1, 8)?;
    cast_to_tuple(&x, &mut out).launch(1, 8)?;
    cast_to_underscore(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn callers_4() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<i32>(8)?;
    let mut out = device.zeros::<i32>(8)?;
    float_for_integer(&x, &mut out).launch(1, 8)?;
    index_not_usize(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn callers_5() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<u32>(8)?;
    let mut out = device.zeros::<u32>(8)?;
    let_char(&x, &mut out).launch(1, 8)?;
    let_string(&x, &mut out).launch(1, 8)?;
    let_u128(&x, &mut out).launch(1, 8)?;
    let_vec(&x, &mut out).launch(1, 8)?;
    negated_unsigned(&x, &mut out).launch(1, 8)?;
    Ok(())
}

/// An intrinsic under the name of another.
mod another_intrinsic {
    use gpu_runtime::intrinsics::block_idx as thread_idx;
    use gpu_runtime::prelude::*;

    #[gpu_kernel]
    fn race(out: &mut [u32]) {
        let i = block_idx().x * block_dim().x + thread_idx().x; //~
        if i < out.len() {
            out[i] += 1;
        }
    }
}

/// The same where the prelude is not imported.
mod another_intrinsic_alone {
    use gpu_runtime::gpu_kernel;
    use gpu_runtime::intrinsics::{block_dim, block_idx, block_idx as thread_idx};

    #[gpu_kernel]
    fn race(out: &mut [u32]) {
        let i = block_idx().x * block_dim().x + thread_idx().x; //~
        if i < out.len() {
            out[i] += 1;
        }
    }
}

fn main() {}
