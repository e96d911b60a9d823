//! `forall`: any number of elements, one or several in a thread, with the same results.

use gpu_runtime::prelude::*;

use super::device_functions::halved;
use crate::bench::{Bench, assert_same};
use crate::{cases, forall};

cases![
    every_length_is_covered,
    nothing_beyond_the_last_block_is_touched,
    elements_are_updated_in_place,
    outputs_of_every_size_are_written,
    an_early_return_ends_one_element,
    each_element_has_its_own_parameters wraps = true,
    device_functions_are_called_for_each_element,
    generic_functions_are_called_for_each_element,
    indices_of_32_bits_are_followed wraps = true,
    without_a_guard_the_last_group_must_fit,
    names_of_the_generated_code_are_free wraps = true,
    a_kernel_that_knows_its_thread_does_one_element,
    a_kernel_that_can_fail_does_one_element,
    a_kernel_with_a_loop_does_one_element,
    a_declared_block_does_one_element,
];

/// The kernel of the README.
#[gpu_kernel]
pub fn add(x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + y[i];
    }
}

fn every_length_is_covered(bench: &Bench) {
    for n in [0, 1, 31, 255, 256, 257, 1023, 1024, 1025, 2048, 3000, bench.many()] {
        let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
        let y: Vec<f32> = (0..n).map(|i| (i % 7) as f32).collect();
        let expected: Vec<f32> = x.iter().zip(&y).map(|(x, y)| x + y).collect();
        let mut out = vec![-1.0; n];
        let several = forall!(bench, add(&x, &y, &mut out), n);
        assert_same(&out, &expected);
        assert!(n < bench.many() || several == bench.does_several_elements(), "{n}: {several}");
    }
}

/// More threads than elements, and fewer.
fn nothing_beyond_the_last_block_is_touched(bench: &Bench) {
    let many = bench.many();
    for (n, len) in [(many, many - 700), (many, 1), (many, many + 5000)] {
        let (x, y) = (vec![1.0; len], vec![2.0; len]);
        let mut out = vec![-1.0; len];
        forall!(bench, add(&x, &y, &mut out), n);
        let covered = n.min(len);
        assert_same(&out[..covered], &vec![3.0; covered]);
        // A few elements more belong to the last group of blocks.
        let beyond = len.min(n.next_multiple_of(1024));
        assert_same(&out[beyond..], &vec![-1.0; len - beyond]);
    }
}

#[gpu_kernel(fmad = false)]
pub fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    let i = grid_1d();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

fn elements_are_updated_in_place(bench: &Bench) {
    let n = bench.many();
    let x: Vec<f64> = (0..n).map(|i| i as f64 * 0.1).collect();
    let mut y: Vec<f64> = (0..n).map(|i| 5.0 - i as f64).collect();
    let expected: Vec<f64> = x.iter().zip(&y).map(|(x, y)| y + 0.3 * x).collect();
    assert_eq!(forall!(bench, axpy(0.3, &x, &mut y), n), bench.does_several_elements());
    assert_same(&y, &expected);
}

/// The digits of a number.
#[gpu_kernel]
pub fn digits(x: &[i64], bytes: &mut [u8], odd: &mut [bool], half: &mut [f64], shorts: &mut [i16]) {
    let i = grid_1d();
    if i < x.len() {
        bytes[i] = x[i] as u8;
        odd[i] = x[i] & 1 == 1;
        half[i] = x[i] as f64 / 2.0;
        shorts[i] = (x[i] >> 3) as i16;
    }
}

fn outputs_of_every_size_are_written(bench: &Bench) {
    let n = bench.many();
    let x: Vec<i64> = (0..n as i64).map(|i| i * 1_234_567 - 99_999).collect();
    let (mut bytes, mut odd, mut half, mut shorts) = (vec![0; n], vec![false; n], vec![0.0; n], vec![0; n]);
    let several = forall!(bench, digits(&x, &mut bytes, &mut odd, &mut half, &mut shorts), n);
    assert_eq!(several, bench.does_several_elements());
    assert_same(&bytes, &x.iter().map(|x| *x as u8).collect::<Vec<_>>());
    assert_same(&odd, &x.iter().map(|x| x.rem_euclid(2) == 1).collect::<Vec<_>>());
    assert_same(&half, &x.iter().map(|x| *x as f64 / 2.0).collect::<Vec<_>>());
    assert_same(&shorts, &x.iter().map(|x| x.div_euclid(8) as i16).collect::<Vec<_>>());
}

/// Some elements are done early: the others of the thread must not be.
#[gpu_kernel]
pub fn sparse(x: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i >= out.len() || x[i] % 3 == 0 {
        return;
    }
    if x[i] % 3 == 1 {
        out[i] = 1;
        return;
    }
    out[i] = x[i];
}

fn an_early_return_ends_one_element(bench: &Bench) {
    let n = bench.many();
    let x: Vec<u32> = (0..n).map(|i| (i as u32).wrapping_mul(2_654_435_761) >> 7).collect();
    let mut out = vec![7; n];
    assert_eq!(forall!(bench, sparse(&x, &mut out), n), bench.does_several_elements());
    let expected: Vec<u32> = x.iter().map(|&x| [7, 1, x][x as usize % 3]).collect();
    assert_same(&out, &expected);
}

/// Changes its parameter, which the next element must not see.
#[gpu_kernel]
pub fn countdown(mut from: usize, mut step: i32, out: &mut [i32]) {
    from -= grid_1d();
    step *= 2;
    if grid_1d() < out.len() {
        out[grid_1d()] = from as i32 * step;
        step = 0;
        from = step as usize;
    }
    step += from as i32;
}

fn each_element_has_its_own_parameters(bench: &Bench) {
    let n = bench.many();
    let mut out = vec![0; n];
    assert_eq!(forall!(bench, countdown(n, -3, &mut out), n), bench.does_several_elements());
    assert_same(&out, &(0..n).map(|i| (n - i) as i32 * -6).collect::<Vec<_>>());
}

#[gpu_kernel]
pub fn halved_all(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = if x[i] > 0 { halved(x[i]) } else { other_crate::inner::scaled_twice(x[i]) };
    }
}

fn device_functions_are_called_for_each_element(bench: &Bench) {
    let n = bench.many();
    let x: Vec<i32> = (0..n as i32).map(|i| i - 500).collect();
    let mut out = vec![0; n];
    assert_eq!(forall!(bench, halved_all(&x, &mut out), n), bench.does_several_elements());
    let expected: Vec<i32> = x.iter().map(|&x| if x > 0 { x / 2 + x % 2 } else { 9 * x }).collect();
    assert_same(&out, &expected);
}

#[gpu_device]
fn midpoint<T: Float>(a: T, b: T) -> T {
    (a + b) * T::from_f64(0.5)
}

#[gpu_kernel]
pub fn midpoints(x: &[f32], y: &[f64], single: &mut [f32], double: &mut [f64]) {
    let i = grid_1d();
    if i < single.len() && i < double.len() {
        single[i] = midpoint(x[i], 3.0);
        double[i] = midpoint(y[i], -3.0);
    }
}

fn generic_functions_are_called_for_each_element(bench: &Bench) {
    let n = bench.many();
    let x: Vec<f32> = (0..n).map(|i| (i % 1000) as f32).collect();
    let y: Vec<f64> = (0..n).map(|i| i as f64).collect();
    let (mut single, mut double) = (vec![0.0; n], vec![0.0; n]);
    assert_eq!(forall!(bench, midpoints(&x, &y, &mut single, &mut double), n), bench.does_several_elements());
    assert_same(&single, &x.iter().map(|x| (x + 3.0) * 0.5).collect::<Vec<_>>());
    assert_same(&double, &y.iter().map(|y| (y - 3.0) * 0.5).collect::<Vec<_>>());
}

/// Sums of neighbours, by indices of 32 bits.
#[gpu_kernel]
pub fn neighbours(x: &[u16], out: &mut [u16]) {
    let i = grid_1d() as u32;
    let i = i as usize;
    if i < out.len() && i > 0 {
        out[i] = x[i - 1] + x[i];
    }
}

fn indices_of_32_bits_are_followed(bench: &Bench) {
    let n = bench.many();
    let x: Vec<u16> = (0..n).map(|i| (i * i) as u16).collect();
    let mut out = vec![9; n];
    forall!(bench, neighbours(&x, &mut out), n);
    let expected: Vec<u16> = (0..n).map(|i| if i == 0 { 9 } else { x[i - 1].wrapping_add(x[i]) }).collect();
    assert_same(&out, &expected);
}

/// Every thread writes.
#[gpu_kernel]
pub fn numbers(out: &mut [u64]) {
    out[grid_1d()] = grid_1d() as u64 + 1;
}

fn without_a_guard_the_last_group_must_fit(bench: &Bench) {
    let blocks_of_a_group = bench.many().next_multiple_of(1024) / 256;
    for (blocks, fits) in [(blocks_of_a_group, true), (blocks_of_a_group + 1, false), (blocks_of_a_group + 3, false)] {
        let n = blocks * 256;
        let mut out = vec![0; n];
        let several = forall!(bench, numbers(&mut out), n);
        assert_eq!(several, fits && bench.does_several_elements(), "{blocks} blocks");
        assert_same(&out, &(1..=n as u64).collect::<Vec<_>>());
    }
}

#[gpu_kernel]
pub fn generated_names(gr_index: &[u8], gr_k: u8, gr_element: &mut [u8]) {
    let gr_first = grid_1d();
    if gr_first < gr_element.len() {
        gr_element[gr_first] = unroll(gr_index[gr_first], gr_k);
    }
}

#[gpu_device]
pub fn unroll(pragma: u8, unroll: u8) -> u8 {
    pragma * unroll
}

fn names_of_the_generated_code_are_free(bench: &Bench) {
    let n = bench.many();
    let x: Vec<u8> = (0..n).map(|i| i as u8).collect();
    let mut out = vec![0; n];
    assert_eq!(forall!(bench, generated_names(&x, 3, &mut out), n), bench.does_several_elements());
    assert_same(&out, &x.iter().map(|x| x.wrapping_mul(3)).collect::<Vec<_>>());
}

#[gpu_kernel]
pub fn lanes(out: &mut [usize]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = thread_idx().x + block_idx().x * block_dim().x;
    }
}

#[gpu_device]
pub fn position() -> usize {
    grid_1d()
}

#[gpu_device]
pub fn twice_the_position() -> usize {
    position() * 2
}

#[gpu_kernel]
pub fn positions(out: &mut [usize]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = twice_the_position();
    }
}

#[gpu_kernel]
pub fn through_shared_memory(out: &mut [usize]) {
    let mut tile = shared::<[usize; 1024]>();
    let i = grid_1d();
    tile[thread_idx().x] = i;
    sync_threads();
    if i < out.len() {
        out[i] = tile[thread_idx().x] + 5;
    }
}

fn a_kernel_that_knows_its_thread_does_one_element(bench: &Bench) {
    let n = bench.many();
    let mut out = vec![0; n];
    assert!(!forall!(bench, lanes(&mut out), n));
    assert_same(&out, &(0..n).collect::<Vec<_>>());
    assert!(!forall!(bench, positions(&mut out), n));
    assert_same(&out, &(0..n).map(|i| 2 * i).collect::<Vec<_>>());
    assert!(!forall!(bench, through_shared_memory(&mut out), n));
    assert_same(&out, &(5..n + 5).collect::<Vec<_>>());
}

#[gpu_kernel]
pub fn quotients(x: &[u32], by: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] / by[i];
    }
}

#[gpu_device]
pub fn picked(table: &[u32], at: u32) -> u32 {
    table[at as usize]
}

#[gpu_kernel]
pub fn lookups(table: &[u32], out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = picked(table, i as u32 % 8);
    }
}

fn a_kernel_that_can_fail_does_one_element(bench: &Bench) {
    let n = bench.many();
    let x: Vec<u32> = (0..n as u32).collect();
    let by: Vec<u32> = x.iter().map(|x| x % 10 + 1).collect();
    let mut out = vec![0; n];
    assert!(!forall!(bench, quotients(&x, &by, &mut out), n));
    assert_same(&out, &x.iter().zip(&by).map(|(x, by)| x / by).collect::<Vec<_>>());
    assert!(!forall!(bench, lookups(&vec![3, 1, 4, 1, 5, 9, 2, 6], &mut out), n));
    assert_same(&out, &[3, 1, 4, 1, 5, 9, 2, 6].into_iter().cycle().take(n).collect::<Vec<_>>());
}

#[gpu_kernel]
pub fn triangular(out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = 0;
        for k in 0..(i as u32 % 16) {
            sum += k;
        }
        out[i] = sum;
    }
}

fn a_kernel_with_a_loop_does_one_element(bench: &Bench) {
    let n = bench.many();
    let mut out = vec![0; n];
    assert!(!forall!(bench, triangular(&mut out), n));
    assert_same(&out, &(0..n as u32).map(|i| (i % 16) * (i % 16).saturating_sub(1) / 2).collect::<Vec<_>>());
}

#[gpu_kernel(block = 64)]
pub fn in_blocks_of_64(out: &mut [u32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = i as u32;
    }
}

fn a_declared_block_does_one_element(bench: &Bench) {
    let n = bench.many();
    let mut out = vec![0; n];
    assert!(!forall!(bench, in_blocks_of_64(&mut out), n));
    assert_same(&out, &(0..n as u32).collect::<Vec<_>>());
}
