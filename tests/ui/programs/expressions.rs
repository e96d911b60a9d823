//! Rust's expressions that kernels do not have.

use gpu_runtime::prelude::*;

/// `assert!` needs a condition.
#[gpu_kernel]
fn assert_without_condition(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        assert!(); //~
        out[i] = 1.0;
    }
}

/// Coordinates cannot be assigned.
#[gpu_kernel]
fn assign_to_coordinate(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        thread_idx().x = 1; //~
        out[i] = 1.0;
    }
}

/// Only places can be assigned.
#[gpu_kernel]
fn assign_to_value(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        x[i] + 1.0 = out[i]; //~
    }
}

/// `async` blocks are refused.
#[gpu_kernel]
fn async_block(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let later = async { 1.0 }; //~
        out[i] = x[i];
    }
}

/// An attribute inside a kernel.
#[gpu_kernel]
fn attribute_on_statement(out: &mut [f32]) {
    #[rustfmt::skip] //~
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1.0;
    }
}

/// `.x` belongs to coordinates.
#[gpu_kernel]
fn axis_of_number(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].y as f32; //~
    }
}

/// Characters are refused.
#[gpu_kernel]
fn char(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let letter = 'a'; //~
        out[i] = 1.0;
    }
}

/// `const` blocks are refused.
#[gpu_kernel]
fn const_block(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = const { 2.0 }; //~
    }
}

/// A constant of a block that hides another.
#[gpu_kernel]
fn constant_of_block(out: &mut [f32]) {
    const SCALE: f32 = 2.0;
    for i in grid_stride(out.len()) {
        if i % 2 == 0 {
            const SCALE: f32 = 3.0; //~
            out[i] *= SCALE;
        }
        out[i] *= SCALE;
    }
}

/// There is nothing to dereference in a kernel.
#[gpu_kernel]
fn dereference(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = *x; //~
    }
}

/// Division by the literal zero is an error, as in Rust.
#[gpu_kernel]
fn division_by_zero(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] / 0; //~
    }
}

/// Messages are not formatted.
#[gpu_kernel]
fn formatted_panic(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        if x[i] < 0.0 {
            panic!("{} is negative", i); //~
        }
        out[i] = x[i];
    }
}

/// Only variables are indexed.
#[gpu_kernel]
fn index_of_call(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = ({ [x[i], 2.0] })[0]; //~
    }
}

/// A constant index past the end of an array is an error, as in Rust.
#[gpu_kernel]
fn index_out_of_bounds(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let pair = [x[i], 2.0];
        out[i] = pair[2]; //~
    }
}

/// 128-bit literals are refused.
#[gpu_kernel]
fn literal_of_128_bits(out: &mut [u64]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 1u128 as u64; //~
    }
}

/// A literal must fit in 64 bits.
#[gpu_kernel]
fn literal_too_large(out: &mut [u64]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 18446744073709551616; //~
    }
}

/// Python's operator.
#[gpu_kernel]
fn power_operator(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] ** 2; //~
    }
}

/// `?` is refused.
#[gpu_kernel]
fn question_mark(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i]?; //~
    }
}

/// A range is no value in a kernel.
#[gpu_kernel]
fn range_value(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let range = 0..x.len(); //~
        out[i] = 1.0;
    }
}

/// Raw pointers are refused.
#[gpu_kernel]
fn raw_pointer(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let p = &raw const x[i]; //~
        out[i] = 1.0;
    }
}

/// `unsafe` does not bring raw pointers.
#[gpu_kernel]
fn raw_pointer_in_unsafe(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = unsafe { *x.as_ptr().add(i) }; //~
    }
}

/// The remainder of a division by the literal zero is an error, as in Rust.
#[gpu_kernel]
fn remainder_by_zero(out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] %= 0; //~
    }
}

/// A kernel has no `self`.
#[gpu_kernel]
fn self_value(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = self; //~
    }
}

/// A shift by all bits of the type is an error, as in Rust.
#[gpu_kernel]
fn shift_too_far(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] << 32; //~
    }
}

/// NumPy's name for the length.
#[gpu_kernel]
fn size_field(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.size { //~
        out[i] = x[i];
    }
}

/// A part of a slice is refused.
#[gpu_kernel]
fn slice_of_slice(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let head = x[0..4]; //~
        out[i] = 1.0;
    }
}

/// Text is refused.
mod string {
    use super::*;

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() {
            let name = "kernel"; //~
            out[i] = 1.0;
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let x = device.zeros::<f32>(8)?;
        let mut out = device.zeros::<f32>(8)?;
        kernel(&x, &mut out).launch(1, 8)
    }
}

/// A tuple has no such field.
#[gpu_kernel]
fn tuple_field_missing(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let pair = (x[i], 2.0f32);
        out[i] = pair.2; //~
    }
}

/// An index without a check needs an `unsafe` block.
#[gpu_kernel]
fn unchecked_without_unsafe(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = *x.get_unchecked(i); //~
    }
}

/// Fields of structs are not known.
#[gpu_kernel]
fn unknown_field(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i].weight; //~
    }
}

/// Other macros are refused.
#[gpu_kernel]
fn unknown_macro(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = line!() as f32; //~
    }
}

/// `vec!` is refused.
#[gpu_kernel]
fn vec_macro(x: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let v = vec![0.0; 4]; //~
        out[i] = 1.0;
    }
}

// Callers of what was refused compile.

fn callers_1() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<f32>(8)?;
    assert_without_condition(&mut out).launch(1, 8)?;
    assign_to_coordinate(&mut out).launch(1, 8)?;
    self_value(&mut out).launch(1, 8)?;
    Ok(())
}

fn callers_2() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<f32>(8)?;
    let mut out = device.zeros::<f32>(8)?;
    assign_to_value(&x, &mut out).launch(1, 8)?;
    async_block(&x, &mut out).launch(1, 8)?;
    axis_of_number(&x, &mut out).launch(1, 8)?;
    char(&x, &mut out).launch(1, 8)?;
    const_block(&x, &mut out).launch(1, 8)?;
    dereference(&x, &mut out).launch(1, 8)?;
    formatted_panic(&x, &mut out).launch(1, 8)?;
    index_of_call(&x, &mut out).launch(1, 8)?;
    index_out_of_bounds(&x, &mut out).launch(1, 8)?;
    power_operator(&x, &mut out).launch(1, 8)?;
    question_mark(&x, &mut out).launch(1, 8)?;
    range_value(&x, &mut out).launch(1, 8)?;
    raw_pointer(&x, &mut out).launch(1, 8)?;
    raw_pointer_in_unsafe(&x, &mut out).launch(1, 8)?;
    size_field(&x, &mut out).launch(1, 8)?;
    slice_of_slice(&x, &mut out).launch(1, 8)?;
    tuple_field_missing(&x, &mut out).launch(1, 8)?;
    unchecked_without_unsafe(&x, &mut out).launch(1, 8)?;
    unknown_field(&x, &mut out).launch(1, 8)?;
    unknown_macro(&x, &mut out).launch(1, 8)?;
    vec_macro(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn callers_3() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<i32>(8)?;
    let mut out = device.zeros::<i32>(8)?;
    division_by_zero(&x, &mut out).launch(1, 8)?;
    Ok(())
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pair {
    x: f32,
    y: f32,
}

#[gpu_device]
impl Pair {
    fn to_array(self) -> [f32; 2] {
        [self.x, self.y]
    }
}

/// What a method returns is taken for an `Option`.
#[gpu_kernel]
fn array_of_method_mapped(x: &[Pair], out: &mut [f32]) {
    let i = grid_1d();
    let doubled = x[i].to_array().map(|v| v * 2.0);
    out[i] = doubled[0]; //~
}

/// What the message proposes.
#[gpu_kernel]
fn array_of_method_from_function(x: &[Pair], out: &mut [f32]) {
    let i = grid_1d();
    let a: [f32; 2] = x[i].to_array();
    let doubled: [f32; 2] = std::array::from_fn(|k| a[k] * 2.0);
    out[i] = doubled[0];
}

/// Of numbers, Rust evaluates the value first; of other types, the place.
#[gpu_kernel]
fn order_of_update<T: Num>(x: &[T], out: &mut [T], counts: &mut [u32]) {
    let mut i = grid_1d();
    if i + 1 < out.len() && i + 1 < x.len() && i + 1 < counts.len() {
        counts[i] += { i += 1; 2 };
        out[i] += { i += 1; x[i] }; //~
        out[{ i -= 1; i }] += x[i]; //~
        out[i] += x[i];
    }
}

fn callers_4() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<u64>(8)?;
    literal_of_128_bits(&mut out).launch(1, 8)?;
    literal_too_large(&mut out).launch(1, 8)?;
    Ok(())
}

fn callers_5() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<u32>(8)?;
    remainder_by_zero(&mut out).launch(1, 8)?;
    Ok(())
}

fn callers_6() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let x = device.zeros::<u32>(8)?;
    let mut out = device.zeros::<u32>(8)?;
    shift_too_far(&x, &mut out).launch(1, 8)?;
    Ok(())
}

fn main() {}
