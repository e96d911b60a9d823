//! Loops over the elements of arrays.

use gpu_runtime::prelude::*;

/// An element is not assigned through a shared reference.
#[gpu_kernel]
fn assigned(out: &mut [f32]) {
    let a = [1.0, 2.0];
    for v in a.iter() {
        *v = out[0]; //~
    }
}

/// What a loop runs over by reference does not change.
#[gpu_kernel]
fn changed_while_borrowed(out: &mut [f32]) {
    let mut a = [1.0, 2.0];
    for v in &a {
        a[0] += v; //~
    }
    out[0] = a[0];
}

/// An adapter that is not supported.
#[gpu_kernel]
fn chained(x: &[f32], out: &mut [f32]) {
    for v in x.iter().chain(x) { //~
        out[0] += v;
    }
}

/// Filtered elements have no length.
#[gpu_kernel]
fn zipped_after_filter(x: &[f32], out: &mut [f32]) {
    for (a, b) in x.iter().filter(|v| **v > 0.0).zip(x) { //~
        out[0] += a * b;
    }
}

/// A closure gets no mutable references.
#[gpu_kernel]
fn mutable_elements(out: &mut [f32]) {
    out.iter_mut().for_each(|v| *v += 1.0); //~
}

/// A `mut` name for a reference would change only where it points.
#[gpu_kernel]
fn mutable_name(x: &[f32], out: &mut [f32]) {
    for mut v in x { //~
        out[0] += v;
    }
}

/// Atomics are not copied.
#[gpu_kernel]
fn of_atomics(counts: &[std::sync::atomic::AtomicU32], out: &mut [u32]) {
    for count in counts { //~
        out[0] += count.load(std::sync::atomic::Ordering::Relaxed);
    }
}

/// A number has no elements.
#[gpu_kernel]
fn of_number(n: usize, out: &mut [f32]) {
    for i in n { //~
        out[i] = 1.0;
    }
}

/// Python's `range` is no function.
#[gpu_kernel]
fn of_range_function(n: usize, out: &mut [f32]) {
    for i in range(n) { //~
        out[i] = 1.0;
    }
}

/// A shared array is no value.
#[gpu_kernel]
fn of_shared_array(out: &mut [f32]) {
    let mut tile = shared::<[f32; 32]>();
    tile[thread_idx().x] = 1.0;
    sync_threads();
    for v in tile { //~
        out[0] += v;
    }
}

/// A view is looped over by its indices.
#[gpu_kernel]
fn of_view(a: View<f32, 2>, out: &mut [f32]) {
    for v in &a { //~
        out[0] += v;
    }
}

/// What a loop over a slice names is a reference, as in Rust.
#[gpu_kernel]
fn reference_as_value(x: &[f32], out: &mut [f32]) {
    for v in x {
        out[0] = v; //~
    }
}

/// A reference is compared with references.
#[gpu_kernel]
fn reference_compared(x: &[f32], out: &mut [f32]) {
    for v in x.iter() {
        if v < 2.0 { //~
            out[0] = 1.0;
        }
    }
}

/// A swap is an assignment.
#[gpu_kernel]
fn swapped_in_shared_slice(x: &[f32], out: &mut [f32]) {
    x.swap(0, 1); //~
    out[0] = x[0];
}

/// The closure of `filter` takes a reference to a reference.
#[gpu_kernel]
fn reference_to_a_reference(x: &[f32], out: &mut [f32]) {
    out[0] = x.iter().filter(|v| *v > 0.0).sum(); //~
}

/// A closure takes what the adapter passes.
#[gpu_kernel]
fn parameters_of_a_closure(x: &[f32], out: &mut [f32]) {
    out[0] = x.iter().map(|a, b| a + b).sum(); //~
}

/// The largest element is a reference.
#[gpu_kernel]
fn reference_to_the_largest(x: &[u32], out: &mut [u32]) {
    out[0] = x.iter().max().unwrap(); //~
}

/// A part of a slice has a name, and no value.
#[gpu_kernel]
fn part_as_value(x: &[f32], out: &mut [f32]) {
    for pair in x.windows(2) {
        let other = pair; //~
        out[0] += other[1];
    }
}

#[gpu_device]
fn scale(values: &mut [f32], by: f32) {
    for k in 0..values.len() {
        values[k] *= by;
    }
}

/// Nothing is assigned through a shared reference to a part.
#[gpu_kernel]
fn assigned_in_a_part(out: &mut [f32]) {
    let own = [1.0, 2.0, 3.0];
    let part = &own[..2];
    part[0] = out[0]; //~
}

/// A view has no parts.
#[gpu_kernel]
fn part_of_a_view(x: View<f32, 1>, out: &mut [f32]) {
    let mut own = [1.0, 2.0];
    scale(&mut own, 2.0);
    out[0] = first(&x[0..2]) + own[0]; //~
}

#[gpu_device]
fn first(values: &[f32]) -> f32 {
    values[0]
}

/// A part of what is only read is not changed.
#[gpu_kernel]
fn part_of_shared_slice(x: &[f32], out: &mut [f32]) {
    scale(&mut x[0..2], 2.0); //~
    out[0] = x[0];
}

/// A mutable reference has one name.
#[gpu_kernel]
fn another_name(out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let slot = &mut out[i];
        let again = slot; //~
        *again = 1.0;
    }
}

/// The length of the array is not known.
#[gpu_kernel]
fn array_of_a_closure(out: &mut [f32]) {
    let a = std::array::from_fn(|k| k as f32); //~
    out[grid_1d()] = a[0];
}

/// What `contains` looks for is passed by reference.
#[gpu_kernel]
fn contained_value(x: &[u32], out: &mut [bool]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x.contains(3); //~
    }
}

/// A shared part is not changed.
#[gpu_kernel]
fn filled_shared_part(out: &mut [u32]) {
    let part = &out[..2];
    part.fill(0); //~
}

/// Nor is a shared slice.
#[gpu_kernel]
fn reversed_shared_slice(x: &[u32], out: &mut [u32]) {
    x.reverse(); //~
    out[0] = x[0];
}

/// A part that is split off has a name.
#[gpu_kernel]
fn split_and_changed(x: &[u32], out: &mut [u32]) {
    let (mut left, right) = x.split_at(2); //~
    out[0] = left[0] + right[0];
}

/// The rest of a chain stands in the scope of the parameter of `flat_map`.
#[gpu_kernel]
fn flat_map_hides(x: &[u32], out: &mut [u32]) {
    let a = x[0];
    out[0] = x.iter().flat_map(|a| (0..*a).map(|b| b + 1)).map(|v| v + a).sum(); //~
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Counter {
    count: u32,
}

#[gpu_device]
impl Counter {
    fn next(&mut self) -> u32 {
        self.count += 1;
        self.count
    }
}

/// A `move` closure has copies, also of what a method changes.
#[gpu_kernel]
fn moved_receiver(x: &[u32], out: &mut [u32]) {
    let mut counter = Counter { count: 1 };
    let sum: u32 = x.iter().map(move |v| v ^ counter.next()).sum(); //~
    out[0] = sum + counter.next();
}

/// A `move` closure has copies.
#[gpu_kernel]
fn moved_counter(x: &[u32], out: &mut [u32]) {
    let mut n = 0;
    let sum: u32 = x.iter().map(move |v| {
        n += 1; //~
        v * n
    }).sum();
    out[0] = sum + n;
}

/// A `move` closure has the value of before, and the loop another one.
#[gpu_kernel]
fn moved_before_the_loop(x: &[u32], out: &mut [u32]) {
    let mut n = 0;
    for v in x.iter().map(move |v| v + n) { //~
        n += v;
    }
    out[0] = n;
}

/// A `move` closure of `flat_map` too.
#[gpu_kernel]
fn moved_into_a_flat_map(out: &mut [u32]) {
    let mut n = 0u32;
    out[1] = (0..3u32).flat_map(move |i| (0..{ n += 1; n }).map(move |j| i + j)).sum(); //~
    out[0] = n;
}

/// The closure of `flat_map` is a chain.
#[gpu_kernel]
fn flat_map_of_a_value(x: &[u32], out: &mut [u32]) {
    out[0] = x.iter().flat_map(|v| v.checked_sub(1)).sum(); //~
}

/// The state of `scan` has a name.
#[gpu_kernel]
fn scanned_with_a_pattern(x: &[u32], out: &mut [u32]) {
    out[0] = x.iter().scan(0, |&mut state, v| Some(state + v)).sum(); //~
}

fn main() {}
