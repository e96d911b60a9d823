//! Generic kernels and device functions with everything else that kernels have: views, options, unrolled loops, waiting.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same, view, view_mut};
use crate::cases;

cases![
    views_have_elements_of_a_type_parameter,
    launch_bounds_and_factors_are_const_parameters wraps = true,
    functions_of_a_block_are_generic_over_types_and_sizes,
    functions_of_a_block_take_functions,
    matches_and_options_are_of_type_parameters,
    warps_sum_every_kind_of_number,
];

#[gpu_device]
fn total<T: Num>(a: View<T, 2>, row: usize) -> T {
    let mut sum = T::ZERO;
    for k in 0..a.shape()[1] {
        sum += a[[row, k]];
    }
    sum
}

#[gpu_kernel(fmad = false)]
pub fn scaled_rows<T: Num, const N: usize>(a: View<T, 2>, by: T, out: ViewMut<T, 2>) {
    let (j, i) = grid_2d();
    let at = |row: usize, column: usize| a[[row, column]] * by;
    if i < out.shape()[0] && j < out.shape()[1] {
        let mut sum = total(a, i);
        for _ in 0..N {
            sum += at(i, j);
        }
        out[[i, j]] = sum;
    }
}

fn views_have_elements_of_a_type_parameter(bench: &Bench) {
    let mut out = vec![0i64; 6];
    let a: Vec<i64> = (0..6).collect();
    bench.launch::<scaled_rows::Kernel<i64, 3>>((view(&a, [2, 3]), -2, view_mut(&mut out, [2, 3])), 1, (4, 4));
    assert_eq!(out, [3, -3, -9, 12 - 18, 12 - 24, 12 - 30]);
    let mut out = vec![0f32; 4];
    bench.launch::<scaled_rows::Kernel<f32, 1>>((view(&vec![0.5f32, 1.5, 2.5, 3.5], [2, 2]), 4.0, view_mut(&mut out, [2, 2])), 1, (4, 4));
    assert_same(&out, &[4.0, 8.0, 16.0, 20.0]);
}

/// Sums `COPIES` neighbours at a time.
#[gpu_kernel(block = THREADS, launch_bounds = (THREADS, BLOCKS), opt = 2)]
pub fn unrolled<T: Integer, const THREADS: u32, const BLOCKS: u32, const COPIES: usize>(x: &[T], out: &mut [T]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = T::ZERO;
        #[unroll(COPIES)]
        for k in 0..x.len() {
            sum += x[k] << 1;
        }
        #[unroll(COPIES + 1)]
        for k in 0..COPIES {
            sum ^= T::ONE << k as u32;
        }
        out[i] = sum;
    }
}

fn launch_bounds_and_factors_are_const_parameters(bench: &Bench) {
    let mut out = vec![0u16; 10];
    bench.launch::<unrolled::Kernel<u16, 8, 2, 3>>((&vec![1000; 40], &mut out), 2, 8);
    assert_eq!(out, vec![(80_000u32 as u16) ^ 7; 10]);
    let mut out = vec![0i64; 3];
    bench.launch::<unrolled::Kernel<i64, 32, 1, 1>>((&vec![-1, 5], &mut out), 1, 32);
    assert_eq!(out, [9; 3]);
}

/// The sum of what the threads of a block of `N` have.
#[gpu_device]
async fn sum_of_block<T: Num, const N: usize>(value: T) -> T {
    let mut tile = shared::<[T; N]>();
    let t = thread_idx().x;
    tile[t] = value;
    sync_threads();
    let mut stride = N / 2;
    while stride > 0 {
        if t < stride {
            tile[t] += tile[t + stride];
        }
        sync_threads();
        stride /= 2;
    }
    let sum = tile[0];
    sync_threads();
    sum
}

#[gpu_kernel(block = N)]
pub fn block_shares<T: Num, const N: usize>(x: &[T], out: &mut [T]) {
    let i = grid_1d();
    let at = |k: usize| if k < x.len() { x[k] } else { T::ZERO };
    let sum = sum_of_block::<T, N>(at(i)).await;
    let again = sum_of_block::<_, N>(at(i) + T::ONE).await;
    if i < out.len() {
        out[i] = sum + again;
    }
}

fn functions_of_a_block_are_generic_over_types_and_sizes(bench: &Bench) {
    let mut out = vec![0i32; 40];
    bench.launch::<block_shares::Kernel<i32, 32>>((&(0..40).collect(), &mut out), 2, 32);
    let share = |sum: i32| 2 * sum + 32;
    assert_eq!(out, (0..40).map(|i| if i < 32 { share(496) } else { share(284) }).collect::<Vec<_>>());
    let mut out = vec![0f64; 5];
    bench.launch::<block_shares::Kernel<f64, 4>>((&vec![0.5; 5], &mut out), 2, 4);
    assert_same(&out, &[8.0, 8.0, 8.0, 8.0, 5.0]);
}

/// What `f` makes of the values of this thread and of the next.
#[gpu_device]
async fn with_next<T: Num, F: Fn(T, T) -> T, const N: usize>(tile: &mut [T], value: T, f: F) -> T {
    let t = thread_idx().x;
    tile[t] = value;
    sync_threads();
    let combined = f(value, tile[(t + 1) % N]);
    sync_threads();
    combined
}

#[gpu_device]
fn smaller(a: i16, b: i16) -> i16 {
    a.min(b)
}

#[gpu_kernel(block = 16)]
pub fn combining(x: &[i16], by: i16, out: &mut [i16]) {
    let mut tile = shared::<[i16; 16]>();
    let i = grid_1d();
    let difference = with_next::<i16, _, 16>(&mut tile, x[i], |a: i16, b: i16| (a - b) * by).await;
    out[i] = difference + with_next::<i16, _, 16>(&mut tile, x[i], smaller).await;
}

fn functions_of_a_block_take_functions(bench: &Bench) {
    let x: Vec<i16> = (0..32).map(|i| i * 37 % 32).collect();
    let mut out = vec![0; 32];
    bench.launch::<combining::Kernel>((&x, 100, &mut out), 2, 16);
    let next = |i: usize| x[i / 16 * 16 + (i + 1) % 16];
    assert_eq!(out, (0..32).map(|i| (x[i] - next(i)) * 100 + x[i].min(next(i))).collect::<Vec<_>>());
}

#[gpu_device]
fn first_above<T: Num>(x: &[T], limit: T) -> Option<T> {
    for k in 0..x.len() {
        if x[k] > limit {
            return Some(x[k]);
        }
    }
    None
}

#[gpu_kernel]
pub fn searching<T: Num, const FROM: u32>(x: &[T], limits: &[T], out: &mut [T]) {
    let i = grid_1d();
    if i < out.len() {
        let found = match first_above(x, limits[i]) {
            Some(value) if value > T::ONE => Some(value + T::ONE),
            Some(value) => Some(value),
            None => None,
        };
        out[i] = match (i as u32).checked_sub(FROM) {
            None => T::ZERO,
            Some(_) => found.unwrap_or(T::MAX),
        };
    }
}

fn matches_and_options_are_of_type_parameters(bench: &Bench) {
    let mut out = vec![0f32; 4];
    bench.launch::<searching::Kernel<f32, 1>>((&vec![0.5, 2.5], &vec![0.0, 0.0, 1.0, 7.0], &mut out), 1, 4);
    assert_same(&out, &[0.0, 0.5, 3.5, f32::MAX]);
    let mut out = vec![0u8; 2];
    bench.launch::<searching::Kernel<u8, 0>>((&vec![9], &vec![0, 9], &mut out), 1, 2);
    assert_eq!(out, [10, 255]);
}

#[gpu_kernel(block = 64)]
pub fn warp_sums<T: Num>(x: &[T], out: &mut [T]) {
    let i = grid_1d();
    let value = if i < x.len() { x[i] } else { T::ZERO };
    let sum = warp_sum(value);
    let first = warp_shuffle(value, 0);
    if i < out.len() {
        out[i] = sum - first;
    }
}

fn warps_sum_every_kind_of_number(bench: &Bench) {
    let mut out = vec![0u64; 64];
    bench.launch::<warp_sums::Kernel<u64>>((&(0..64).collect(), &mut out), 1, 64);
    assert_eq!(out, (0..64).map(|i| if i < 32 { 496 } else { 1520 - 32 }).collect::<Vec<_>>());
    let mut out = vec![0f32; 64];
    bench.launch::<warp_sums::Kernel<f32>>((&vec![0.25; 64], &mut out), 1, 64);
    assert_same(&out, &vec![7.75; 64]);
}
