//! Integers that overflow. A GPU's wrap around, so compute-sanitizer reports nothing; neither does a build without debug assertions.

use super::fault_table;
use gpu_runtime::prelude::*;
use gpu_runtime::vector::{Int2, Uint4};

const SOURCE: &str = include_str!("overflow.rs");

fault_table! {
    Overflow, sum_of_bytes<1, 64>: "a sum in an integer that is too narrow";
    Overflow, index_before_first<1, 64>: "an index before the first element";
    Overflow, product_in_loop<1, 64>: "a product that grows in a loop";
    Overflow, negated_minimum<1, 64>: "the smallest integer negated";
    Overflow, absolute_minimum<1, 64>: "the absolute value of the smallest integer";
    Overflow, shift_by_width<1, 64>: "a shift by as many bits as there are";
    Overflow, shift_below_zero<1, 64>: "a shift by a negative number";
    Overflow, high_power<1, 128>: "a power that does not fit";
    Overflow, in_device_function<1, 64>: "a sum in a device function";
    Overflow, in_generic_function<1, 64>: "a sum in a device function for any number";
    Overflow, in_closure<1, 64>: "a product in a closure";
    Overflow, in_shared_memory<1, 64>: "a counter of a byte in shared memory";
    Overflow, after_barrier<2, 64>: "a difference in a kernel with barriers";
    Overflow, of_unknown_type<1, 64>: "a product of a constant whose type only rustc knows";
    Overflow, of_vectors<1, 64>: "a sum of vectors";
    Overflow, of_vector_and_number<1, 64>: "a vector times a number";
    Overflow, of_negated_vector<1, 64>: "a vector whose lane is the smallest integer, negated";
    Overflow, in_assignment_to_vector<1, 64>: "a vector that is subtracted from one in shared memory";
    Overflow, of_unknown_fields<1, 64>: "a product of fields of a struct of another module";
    Overflow, of_element_of_array<1, 64>: "an element of a local array";
    Overflow, of_element_in_shared_memory<1, 64>: "an element of an array that is an element of a shared array";
}

#[gpu_kernel]
fn sum_of_bytes(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    let byte = x[t] as u8;
    out[t] = u32::from(byte + 220); //~ here
}

#[gpu_kernel]
fn index_before_first(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    out[t] = x[t - 1]; //~ here
}

#[gpu_kernel]
fn product_in_loop(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    let mut product = 1;
    for _ in 0..7 {
        product *= x[t]; //~ here
    }
    out[t] = product;
}

#[gpu_kernel]
fn negated_minimum(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    let difference = x[t] as i32 + i32::MIN;
    out[t] = -difference as u32; //~ here
}

#[gpu_kernel]
fn absolute_minimum(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    let difference = x[t] as i16 + i16::MIN;
    out[t] = difference
        .abs() //~ here
        as u32;
}

#[gpu_kernel]
fn shift_by_width(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    out[t] = 1 << x[t]; //~ here
}

#[gpu_kernel]
fn shift_below_zero(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    out[t] = x[t] >> (20 - t as i32); //~ here
}

#[gpu_kernel]
fn high_power(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    out[t] = x[t].pow(5); //~ here
}

#[gpu_device]
fn next(byte: u8) -> u8 {
    byte + 1 //~ here in_device_function
}

#[gpu_kernel]
fn in_device_function(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    out[t] = next(x[t] as u8 + 192) as u32;
}

#[gpu_device]
fn twice<T: Num>(value: T) -> T {
    value + value //~ here in_generic_function
}

#[gpu_kernel]
fn in_generic_function(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    out[t] = twice(x[t] as u8) as u32 + twice(x[t] << 28);
}

#[gpu_kernel]
fn in_closure(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    let scaled = |value: u32| value * 100_000_000; //~ here
    out[t] = scaled(x[t]);
}

#[gpu_kernel]
fn in_shared_memory(x: &[u32], out: &mut [u32]) {
    let mut counts = shared::<[u8; 64]>();
    let t = thread_idx().x;
    counts[t] = 200;
    counts[t] += x[t] as u8; //~ here
    sync_threads();
    out[t] = u32::from(counts[63 - t]);
}

#[gpu_kernel]
fn after_barrier(x: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 64]>();
    let t = thread_idx().x;
    tile[t] = x[t];
    sync_threads();
    out[grid_1d()] = tile[63 - t] - 1; //~ here
}

const FACTOR: u32 = 100_000_000;

#[gpu_kernel]
fn of_unknown_type(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    let scaled = FACTOR * x[t]; //~ here
    out[t] = scaled;
}

#[gpu_kernel]
fn of_vectors(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    let sum = Uint4::splat(x[t]) + Uint4::new(0, u32::MAX, 0, 0); //~ here
    out[t] = sum.y;
}

#[gpu_kernel]
fn of_vector_and_number(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    let scaled = Uint4::splat(x[t]) * 100_000_000; //~ here
    out[t] = scaled.w;
}

#[gpu_kernel]
fn of_negated_vector(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    let negated = -Int2::new(x[t] as i32, i32::MIN); //~ here
    out[t] = negated.x as u32;
}

#[gpu_kernel]
fn in_assignment_to_vector(x: &[u32], out: &mut [u32]) {
    let mut vectors = shared::<[Uint4; 64]>();
    let t = thread_idx().x;
    vectors[t] = Uint4::splat(x[t]);
    vectors[t] -= Uint4::new(0, 0, 1, 0); //~ here
    out[t] = vectors[t].z;
}

#[gpu_kernel]
fn of_element_of_array(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    let mut bytes = [[250u8; 2]; 2];
    bytes[t % 2][1] += x[t] as u8; //~ here
    out[t] = bytes[t % 2][1] as u32;
}

#[gpu_kernel]
fn of_element_in_shared_memory(x: &[u32], out: &mut [u32]) {
    let mut pairs = shared::<[[u32; 2]; 64]>();
    let t = thread_idx().x;
    pairs[t] = [x[t], 1];
    out[t] = pairs[t][1] - pairs[t][0]; //~ here
}

pub mod shapes {
    use gpu_runtime::DeviceType;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    pub struct Rectangle {
        pub width: u32,
        pub height: u32,
    }
}

#[gpu_kernel]
fn of_unknown_fields(x: &[u32], out: &mut [u32]) {
    let t = thread_idx().x;
    let rectangle = shapes::Rectangle { width: x[t] << 20, height: 4096 };
    let area = rectangle.width * rectangle.height; //~ here
    out[t] = area;
}
