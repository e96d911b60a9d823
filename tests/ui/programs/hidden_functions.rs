//! What only generated code may call, because it keeps promises that rustc does not check, is `unsafe` to call.

use gpu_runtime::__private::{ConstantText, SharedSliceMut, SliceMut, Thread, on_host};
use gpu_runtime::calls::Found;
use gpu_runtime::prelude::*;
use gpu_runtime::support::MatrixElement;

/// Two `&mut` to one element.
fn copy(strings: &mut [String]) -> (SliceMut<'_, String>, SliceMut<'_, String>) {
    let handle = SliceMut::from(strings);
    (handle, handle) //~
}

fn part(strings: &mut [String]) -> usize {
    let handle = SliceMut::from(strings);
    let first = handle.part(0, 1);
    handle.len() + first.map_or(0, |first| first.len()) //~
}

fn of_two_threads(numbers: &mut [u64]) {
    let shared = SharedSliceMut::from(numbers);
    std::thread::scope(|scope| {
        scope.spawn(move || shared.of_thread()[0] = 1); //~
        scope.spawn(move || shared.of_thread()[0] = 2); //~
    });
}

/// Twice the same array of a block.
fn shared_arrays(thread: &Thread<'_>) {
    let mut one = shared::__intrinsic::<[f32; 4]>(thread, 0); //~
    let mut other = dynamic_shared::__intrinsic::<f32>(thread, 0, 4); //~
    std::mem::swap(&mut one[0], &mut other[0]);
}

/// A proof that is none.
fn unchecked(index: usize, length: usize) -> usize {
    on_host(|thread| Ok(thread.proved_index(index, length))) //~
}

/// Any CUDA C.
fn text() -> ConstantText {
    let mut out = ConstantText::default();
    out.text("(*(u32*)0x1000 = 1)"); //~
    out
}

/// The CUDA C of another function.
fn found() -> Found<gpu_runtime::calls::Refused, f32> {
    Found::new() //~
}

/// Matrices whose shapes nobody has compared.
fn product(a: DeviceView<'_, f32>, b: DeviceView<'_, f32>) -> gpu_runtime::Result<DeviceArray<f32>> {
    f32::multiply(a, b) //~
}

fn main() {}
