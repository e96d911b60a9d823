//! Integers that overflow. A GPU's wrap around, so compute-sanitizer reports nothing; neither does a build without debug assertions.

use super::fault_table;
use gpu_runtime::prelude::*;

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
