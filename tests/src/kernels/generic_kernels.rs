//! Generic kernels: one launcher, an instance for each list of types and constants.

use gpu_runtime::__private::KernelDefinition;
use gpu_runtime::FailureCause::IndexOutOfBounds;
use gpu_runtime::prelude::*;

use crate::bench::{Argument, Bench, Failure};
use crate::cases;

cases![
    both_floats_are_scaled_and_added,
    elements_in_shared_memory_have_any_type,
    sums_of_every_kind_of_number wraps = true,
    products_of_matrices_of_every_kind_of_number wraps = true,
    instances_alternate,
    tiles_of_every_size_multiply_matrices,
    constants_of_every_type_reach_the_kernel wraps = true,
    constants_go_on_to_device_functions,
    failures_name_the_instance,
];

#[gpu_kernel(fmad = false)]
pub fn axpy<T: Float>(a: T, x: &[T], y: &mut [T]) {
    let i = grid_1d();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

fn both_floats_are_scaled_and_added(bench: &Bench) {
    let mut y = vec![0.1f32, -3.0, 1e30];
    bench.launch::<axpy::Kernel<f32>>((0.3, &vec![0.7, 9.0, -1e30], &mut y), 1, 4);
    assert_eq!(y, [0.1f32 + 0.3 * 0.7, -3.0 + 0.3 * 9.0, 1e30 + 0.3 * -1e30]);
    let mut y = vec![0.1f64, -3.0, 1e30];
    bench.launch::<axpy::Kernel<f64>>((0.3, &vec![0.7, 9.0, -1e30], &mut y), 1, 4);
    assert_eq!(y, [0.1f64 + 0.3 * 0.7, -3.0 + 0.3 * 9.0, 1e30 + 0.3 * -1e30]);
}

/// A sum for each block, in shared memory.
#[gpu_kernel(block = 64)]
pub fn block_sums<T>(x: &[T], sums: &mut [T])
where
    T: Num,
{
    let mut tile = shared::<[T; 64]>();
    let (t, i) = (thread_idx().x, grid_1d());
    tile[t] = if i < x.len() { x[i] } else { T::ZERO };
    sync_threads();
    let mut stride = 32;
    while stride > 0 {
        if t < stride {
            tile[t] += tile[t + stride];
        }
        sync_threads();
        stride /= 2;
    }
    if t == 0 {
        sums[block_idx().x] = tile[0];
    }
}

type Flag = bool;

/// Shared memory of whatever the caller chooses, also of a `bool`, as which a GPU must not read any byte.
#[gpu_kernel(block = 4)]
pub fn turned<T: DeviceType>(x: &[T], flags: &[bool], out: &mut [T], turned_flags: &mut [bool]) {
    let mut tile = shared::<[T; 4]>();
    let mut of_flags = shared::<[Flag; 4]>();
    let (t, i) = (thread_idx().x, grid_1d());
    if i < x.len() && i < flags.len() {
        tile[t] = x[i];
        of_flags[t] = flags[i];
    }
    sync_threads();
    if i < out.len() && i < turned_flags.len() {
        out[i] = tile[3 - t];
        turned_flags[i] = of_flags[3 - t];
    }
}

fn elements_in_shared_memory_have_any_type(bench: &Bench) {
    let flags = [true, false, false, true, true, false, true, true];
    let expected = [true, false, false, true, true, true, false, true];
    let (mut out, mut turned_flags) = (vec![false; 8], vec![false; 8]);
    bench.launch::<turned::Kernel<bool>>((&flags.to_vec(), &flags.to_vec(), &mut out, &mut turned_flags), 2, 4);
    assert_eq!((&out[..], &turned_flags[..]), (&expected[..], &expected[..]));
    let mut out = vec![0.0; 8];
    bench.launch::<turned::Kernel<f64>>(
        (&vec![0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], &flags.to_vec(), &mut out, &mut turned_flags),
        2,
        4,
    );
    assert_eq!((&out[..], &turned_flags[..]), (&[3.0, 2.0, 1.0, 0.0, 7.0, 6.0, 5.0, 4.0][..], &expected[..]));
}

fn sums_of<T: Num + Argument>(bench: &Bench, from: impl Fn(usize) -> T, wrapping_add: impl Fn(T, T) -> T)
where
    block_sums::Kernel<T>: for<'a> KernelDefinition<Args<'a> = (gpu_runtime::DeviceSlice<'a, T>, gpu_runtime::DeviceSliceMut<'a, T>)>,
{
    let x: Vec<T> = (0..150).map(from).collect();
    let mut sums = vec![T::MAX; 3];
    bench.launch::<block_sums::Kernel<T>>((&x, &mut sums), 3, 64);
    let expected: Vec<T> = x.chunks(64).map(|chunk| chunk.iter().copied().fold(T::ZERO, &wrapping_add)).collect();
    assert_eq!(sums, expected);
}

fn sums_of_every_kind_of_number(bench: &Bench) {
    // Small whole numbers: every order gives the same sum.
    sums_of(bench, |i| i as f32, |a, b| a + b);
    sums_of(bench, |i| i as f64 * -0.5, |a, b| a + b);
    sums_of(bench, |i| (i as i32).wrapping_mul(-70_000_000), i32::wrapping_add);
    sums_of(bench, |i| i as u8, u8::wrapping_add);
    sums_of(bench, |i| (i as u64).wrapping_mul(0x0123_4567_89ab_cdef), u64::wrapping_add);
}

#[gpu_kernel(fmad = false)]
pub fn matmul<T: Num>(a: &[T], b: &[T], inner: usize, columns: usize, c: &mut [T]) {
    let (column, row) = grid_2d();
    if column < columns && row * columns + column < c.len() {
        let mut sum = T::ZERO;
        for k in 0..inner {
            sum += a[row * inner + k] * b[k * columns + column];
        }
        c[row * columns + column] = sum;
    }
}

/// The product of two matrices by the definition.
fn product<T: Num>(a: &[T], b: &[T], inner: usize, columns: usize, multiply_add: impl Fn(T, T, T) -> T) -> Vec<T> {
    let rows = a.len() / inner;
    let element =
        |at: usize| (0..inner).fold(T::ZERO, |sum, k| multiply_add(sum, a[at / columns * inner + k], b[k * columns + at % columns]));
    (0..rows * columns).map(element).collect()
}

fn products_of_matrices_of_every_kind_of_number(bench: &Bench) {
    let values = |count: usize| (0..count).map(|i| (i * 37 % 23) as f64 * 0.1 - 1.0);
    let (a, b): (Vec<f64>, Vec<f64>) = (values(5 * 23).collect(), values(23 * 7).collect());
    let mut c = vec![0.0; 35];
    bench.launch::<matmul::Kernel<f64>>((&a, &b, 23, 7, &mut c), (2, 2), (4, 4));
    assert_eq!(c, product(&a, &b, 23, 7, |sum, x, y| sum + x * y));

    let (a, b): (Vec<f32>, Vec<f32>) = (a.iter().map(|x| *x as f32).collect(), b.iter().map(|x| *x as f32).collect());
    let mut c = vec![0.0; 35];
    bench.launch::<matmul::Kernel<f32>>((&a, &b, 23, 7, &mut c), (2, 2), (4, 4));
    assert_eq!(c, product(&a, &b, 23, 7, |sum, x, y| sum + x * y));

    let (a, b): (Vec<i32>, Vec<i32>) = (a.iter().map(|x| (x * 1e9) as i32).collect(), b.iter().map(|x| (x * 1e9) as i32).collect());
    let mut c = vec![0; 35];
    bench.launch::<matmul::Kernel<i32>>((&a, &b, 23, 7, &mut c), (2, 2), (4, 4));
    assert_eq!(c, product(&a, &b, 23, 7, |sum: i32, x, y| sum.wrapping_add(x.wrapping_mul(y))));
}

/// Were machine code shared, the second of two instances would misread its elements.
fn instances_alternate(bench: &Bench) {
    let (mut single, mut double) = (vec![1.0f32; 5], vec![1.0f64; 5]);
    for _ in 0..3 {
        bench.launch::<axpy::Kernel<f32>>((2.0, &vec![1.0; 5], &mut single), 1, 8);
        bench.launch::<axpy::Kernel<f64>>((-2.0, &vec![1.0; 5], &mut double), 1, 8);
    }
    assert_eq!((single, double), (vec![7.0; 5], vec![-5.0; 5]));
    let (mut ones, mut twos) = (vec![0usize; 2], vec![0usize; 2]);
    for _ in 0..2 {
        bench.launch::<constants::Kernel<1, 1, 1, false>>((&mut ones, &mut vec![0; 2]), 1, 2);
        bench.launch::<constants::Kernel<2, 1, 1, false>>((&mut twos, &mut vec![0; 2]), 1, 2);
    }
    assert_eq!((ones, twos), (vec![2; 2], vec![3; 2]));
}

#[gpu_kernel(block = (T, T), fmad = false)]
pub fn tiled_matmul<const T: usize>(a: &[f32], b: &[f32], n: usize, c: &mut [f32]) {
    let mut left = shared::<[[f32; T]; T]>();
    let mut right = shared::<[[f32; T]; T]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (column, row) = grid_2d();
    let mut sum = 0.0;
    for tile in 0..n.div_ceil(T) {
        let (from_left, from_right) = (tile * T + tx, tile * T + ty);
        left[ty][tx] = if row < n && from_left < n { a[row * n + from_left] } else { 0.0 };
        right[ty][tx] = if from_right < n && column < n { b[from_right * n + column] } else { 0.0 };
        sync_threads();
        for k in 0..T {
            sum += left[ty][k] * right[k][tx];
        }
        sync_threads();
    }
    if row < n && column < n {
        c[row * n + column] = sum;
    }
}

fn tiles_of_every_size_multiply_matrices(bench: &Bench) {
    fn multiplies<const T: usize>(bench: &Bench) {
        let n = 37;
        let a: Vec<f32> = (0..n * n).map(|i| (i % 11) as f32).collect();
        let b: Vec<f32> = (0..n * n).map(|i| (i % 7) as f32 - 3.0).collect();
        let mut c = vec![f32::NAN; n * n];
        let blocks = n.div_ceil(T);
        bench.launch::<tiled_matmul::Kernel<T>>((&a, &b, n, &mut c), (blocks, blocks), (T, T));
        // Sums of small whole numbers are exact.
        assert_eq!(c, product(&a, &b, n, n, |sum, x, y| sum + x * y));
    }
    multiplies::<8>(bench);
    multiplies::<16>(bench);
    multiplies::<32>(bench);
}

#[gpu_kernel]
pub fn constants<const N: usize, const K: u32, const I: i32, const FLAG: bool>(sizes: &mut [usize], values: &mut [i32]) {
    let i = grid_1d();
    if i < sizes.len() && i < values.len() {
        let mut local = [i; N];
        for k in 0..N {
            local[k] += k + K as usize;
        }
        sizes[i] = local[N - 1] + if i == 0 { 1 } else { 0 };
        values[i] = if FLAG { I >> K } else { -I };
    }
}

fn constants_of_every_type_reach_the_kernel(bench: &Bench) {
    let (mut sizes, mut values) = (vec![0; 2], vec![0; 2]);
    bench.launch::<constants::Kernel<4, 7, -1000, true>>((&mut sizes, &mut values), 1, 2);
    assert_eq!((sizes, values), (vec![11, 11], vec![-8; 2]));
    let (mut sizes, mut values) = (vec![0; 2], vec![0; 2]);
    bench.launch::<constants::Kernel<1, { u32::MAX }, { i32::MIN }, false>>((&mut sizes, &mut values), 1, 2);
    assert_eq!((sizes, values), (vec![1 << 32; 2], vec![i32::MIN; 2]));
}

#[gpu_device]
fn power<T: Num, const N: usize>(x: T) -> T {
    let mut product = T::ONE;
    for _ in 0..N {
        product *= x;
    }
    product
}

#[gpu_device]
fn signed<const NEGATIVE: bool>(x: i32) -> i32 {
    if NEGATIVE { -x } else { x }
}

#[gpu_device]
fn shifted<const BY: u32, const PLUS: i32>(x: i32) -> i32 {
    signed::<false>(x << BY) + PLUS
}

const CUBE: usize = 3;
const NEGATIVE: bool = true;

#[gpu_kernel]
pub fn passing<const N: usize, const B: bool>(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let powers = power::<i32, N>(x[i]) + power::<_, CUBE>(x[i]) + power::<i32, { CUBE + 1 }>(x[i]);
        out[i] = signed::<B>(powers) + signed::<NEGATIVE>(x[i]) + shifted::<2, -5>(x[i]);
    }
}

fn constants_go_on_to_device_functions(bench: &Bench) {
    let x = vec![-2, 3, 10];
    let mut out = vec![0; 3];
    bench.launch::<passing::Kernel<2, true>>((&x, &mut out), 1, 3);
    assert_eq!(out, [-2, 3, 10].map(|x: i32| -(x.pow(2) + x.pow(3) + x.pow(4)) - x + 4 * x - 5));
    bench.launch::<passing::Kernel<0, false>>((&x, &mut out), 1, 3);
    assert_eq!(out, [-2, 3, 10].map(|x: i32| 1 + x.pow(3) + x.pow(4) - x + 4 * x - 5));
    assert_eq!((power::<f64, 3>(0.5), shifted::<1, 1>(4)), (0.125, 9));
}

const GATHER_LINE: u32 = line!() + 5;

#[gpu_kernel]
pub fn gather<T: Num, const N: usize>(x: &[T], out: &mut [T]) {
    if N < out.len() {
        out[N] = x[N + 1];
    }
}

fn failures_name_the_instance(bench: &Bench) {
    let failure = |kernel: &str, index, len| {
        let cause = IndexOutOfBounds { index, len };
        Err(Failure { kernel: kernel.to_owned(), line: GATHER_LINE, cause, block: [0; 3], thread: [0; 3] })
    };
    let outcome = bench.try_launch::<gather::Kernel<i16, 2>>((&vec![0; 3], &mut vec![0; 3]), 1, 1);
    assert_eq!(outcome, failure("gather::<i16, 2>", 3, 3));
    let outcome = bench.try_launch::<gather::Kernel<f64, 0>>((&vec![0.0], &mut vec![0.0]), 1, 1);
    assert_eq!(outcome, failure("gather::<f64, 0>", 1, 1));
}
