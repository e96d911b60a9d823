//! Tuples in memory: in slices, views, parameters, fields of structs and shared memory, with the layout that rustc gives them.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, view, view_mut};
use crate::{cases, launch, value_arguments};

cases![
    elements_are_read_and_written,
    tuples_that_rustc_reorders_keep_their_elements wraps = true,
    tuples_nest_with_arrays_and_structs,
    fields_and_aliases_are_tuples,
    results_of_methods_are_stored,
    device_functions_take_tuples,
    the_largest_and_its_place_are_found_together,
    a_view_of_tuples_is_transposed,
];

value_arguments![(u8, u64), (f32, i32), Tagged];

#[gpu_kernel(fmad = false)]
pub fn update(points: &mut [(f32, i32)], by: (f32, i32)) {
    let i = grid_1d();
    if i < points.len() {
        let (x, n) = points[i];
        points[i].0 = x * by.0 + 0.1;
        points[i].1 -= by.1;
        let mut copy = points[i];
        copy.1 = copy.1 * 2 + n;
        if copy.1 > 100 {
            copy = (0.5, -1);
        }
        points[i] = copy;
    }
}

fn elements_are_read_and_written(bench: &Bench) {
    let mut points = vec![(1.5, 10), (-2.0, 20), (0.0, 60)];
    launch!(bench, update(&mut points, (3.0, 4)), 1, 4);
    assert_eq!(points, [(1.5 * 3.0 + 0.1, 22), (-6.0 + 0.1, 52), (0.5, -1)]);
}

/// The large elements come first in memory, wherever they stand.
#[gpu_kernel]
pub fn reorder(x: &[(u8, u64, u8, u16)], by: (u8, u64), out: &mut [(u8, u64, u8, u16)], flags: &mut [(bool, f64, bool)]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() && i < flags.len() {
        let (a, b, c, d) = x[i];
        out[i] = (c + by.0, b * by.1, a, d << 1);
        out[i].3 += 1;
        flags[i] = (!flags[i].2, flags[i].1 + 0.5, a > c);
    }
}

fn tuples_that_rustc_reorders_keep_their_elements(bench: &Bench) {
    let x = vec![(1, 1 << 40, 250, 7), (9, 3, 4, 65_535)];
    let (mut out, mut flags) = (vec![(0, 0, 0, 0); 2], vec![(false, 1.0, false), (true, 2.0, true)]);
    launch!(bench, reorder(&x, (10, 5), &mut out, &mut flags), 1, 2);
    assert_eq!(out, [(4, 5 << 40, 1, 15), (14, 15, 9, 65_535)]);
    assert_eq!(flags, [(true, 1.5, false), (false, 2.5, true)]);
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Tagged {
    tag: (u8, u32, u8),
    span: (f32, f32),
    pairs: [(u8, f64); 2],
}

const TAGGED: Tagged = Tagged { tag: (1, 2, 3), span: (0.25, 0.5), pairs: [(4, 5.0), (6, 7.0)] };

#[gpu_kernel]
pub fn nest(x: &[((u8, u64), [u16; 3], u8)], structs: &mut [(u8, Tagged)], rows: &mut [[(u8, u16); 2]]) {
    let i = grid_1d();
    if i < x.len() && i < structs.len() && i < rows.len() {
        let ((small, wide), list, last) = x[i];
        structs[i].0 = small + last;
        structs[i].1.tag.1 = wide as u32;
        rows[i][1] = (small, list[2]);
        rows[i][0].1 += x[i].1[0];
        let local = [rows[i][1], (7, 8)];
        rows[i][0].0 = local[1].0;
    }
}

fn tuples_nest_with_arrays_and_structs(bench: &Bench) {
    let x = vec![((1, 1 << 33 | 9), [2, 3, 4], 5)];
    let (mut structs, mut rows) = (vec![(0, TAGGED)], vec![[(0, 1), (0, 0)]]);
    launch!(bench, nest(&x, &mut structs, &mut rows), 1, 1);
    assert_eq!(structs, [(6, Tagged { tag: (1, 9, 3), ..TAGGED })]);
    assert_eq!(rows, [[(7, 3), (1, 4)]]);
}

type Span = (f32, f32);

#[gpu_kernel]
pub fn fields(x: &mut [Tagged], with: Tagged, spans: &mut [Span]) {
    let i = grid_1d();
    if i < x.len() && i < spans.len() {
        let (low, high) = x[i].span;
        x[i].tag = (with.tag.2, 40, x[i].tag.0 + 1);
        x[i].pairs[1].1 *= 0.5;
        x[i].pairs[0] = with.pairs[1];
        let whole: Span = (low - 1.0, high + 1.0);
        (x[i].span.0, x[i].span.1) = whole;
        (spans[i].1, spans[i].0) = spans[i];
        spans[i].0 += with.span.1;
    }
}

fn fields_and_aliases_are_tuples(bench: &Bench) {
    let (mut x, mut spans) = (vec![TAGGED], vec![(1.0, 2.0)]);
    launch!(bench, fields(&mut x, TAGGED, &mut spans), 1, 1);
    assert_eq!(x, [Tagged { tag: (3, 40, 2), span: (-0.75, 1.5), pairs: [(6, 7.0), (6, 3.5)] }]);
    assert_eq!(spans, [(2.5, 1.0)]);
}

/// Tuples that functions return, some of which rustc may lay out in another order.
#[gpu_kernel]
pub fn results(x: &[f32], n: &[u8], waves: &mut [(f32, f32)], sums: &mut [(u8, bool)], wide: &mut [(u32, bool, u64)]) {
    let i = grid_1d();
    if i < x.len() && i < n.len() && i < waves.len() && i < sums.len() && i < wide.len() {
        waves[i] = x[i].sin_cos();
        sums[i] = n[i].overflowing_add(200);
        let (sum, overflows) = (n[i] as u32).overflowing_add(4_294_967_040);
        wide[i] = (sum, overflows, 1 << 60);
    }
}

fn results_of_methods_are_stored(bench: &Bench) {
    let (x, n) = (vec![0.0, 0.0], vec![7, 255]);
    let (mut waves, mut sums, mut wide) = (vec![(9.0, 9.0); 2], vec![(0, false); 2], vec![(0, false, 0); 2]);
    launch!(bench, results(&x, &n, &mut waves, &mut sums, &mut wide), 1, 2);
    assert_eq!(waves, [(0.0, 1.0); 2]);
    assert_eq!(sums, [(207, false), (199, true)]);
    assert_eq!(wide, [(4_294_967_047, false, 1 << 60), (4_294_967_295, false, 1 << 60)]);
}

#[gpu_device]
fn larger(a: (f32, u32), b: (f32, u32)) -> (f32, u32) {
    if b.0 > a.0 || b.0 == a.0 && b.1 < a.1 { b } else { a }
}

#[gpu_device]
fn first_sum(x: &[(u8, u32)], by: (u8, u32)) -> u32 {
    let mut sum = 0;
    for i in 0..x.len() {
        sum += x[i].1 * by.1 + (x[i].0 + by.0) as u32;
    }
    sum
}

#[gpu_device]
fn exchange<T: Num>(x: &mut [(u8, u32)], i: usize, value: T) -> (T, u8) {
    x[i] = (x[i].0 + 1, x[i].1 + 1);
    (value + value, x[i].0)
}

#[gpu_kernel]
pub fn pass(x: &[(u8, u32)], out: &mut [(u32, f32)]) {
    let i = grid_1d();
    if i < out.len() {
        let mut local = [(1u8, 2u32), (3, 4)];
        let (doubled, count): (f32, u8) = exchange(&mut local, 1, 1.5f32);
        out[i] = (first_sum(x, (1u8, 10u32)) + first_sum(&local, local[1]), doubled + count as f32);
        let best: (f32, u32) = larger((out[i].1, 3u32), (7.0f32, out[i].0));
        out[i].1 = best.0;
    }
}

fn device_functions_take_tuples(bench: &Bench) {
    let mut out = vec![(0, 0.0)];
    launch!(bench, pass(&vec![(5, 6), (7, 8)], &mut out), 1, 1);
    assert_eq!(out, [(60 + 6 + 80 + 8 + (10 + 5) + (25 + 8), 7.0)]);
}

/// Each block's largest value, and where it is: the pairs move through shared memory together.
#[gpu_kernel(block = 64)]
pub fn arg_max(x: &[f32], best: &mut [(f32, u32)], spread: &mut [(u8, u64)]) {
    let mut ends = shared::<[(u8, u64, u8); 64]>();
    let mut pairs = dynamic_shared::<(f32, u32)>(64);
    let (i, t) = (grid_1d(), thread_idx().x);
    let mut own = (f32::NEG_INFINITY, 0u32);
    if i < x.len() {
        own = (x[i], i as u32);
    }
    pairs[t] = own;
    ends[t] = (t as u8, i as u64, 1);
    sync_threads();
    let mut stride = 32;
    while stride > 0 {
        if t < stride {
            pairs[t] = larger(pairs[t], pairs[t + stride]);
            ends[t].1 += ends[t + stride].1;
        }
        sync_threads();
        stride /= 2;
    }
    if t == 0 && block_idx().x < best.len() && block_idx().x < spread.len() {
        best[block_idx().x] = pairs[0];
        spread[block_idx().x] = (ends[63].0 + ends[t].2, ends[0].1);
    }
}

fn the_largest_and_its_place_are_found_together(bench: &Bench) {
    let x: Vec<f32> = (0..150).map(|i| ((i * 37) % 101) as f32).collect();
    let (mut best, mut spread) = (vec![(0.0, 0); 3], vec![(0, 0); 3]);
    launch!(bench, arg_max(&x, &mut best, &mut spread), 3, 64);
    for (block, found) in best.iter().enumerate() {
        let range = block * 64..x.len().min(block * 64 + 64);
        let largest = x[range.clone()].iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let first = range.into_iter().find(|&i| x[i] == largest).unwrap();
        assert_eq!(*found, (largest, first as u32));
        let sum: usize = (block * 64..block * 64 + 64).sum();
        assert_eq!(spread[block], (64, sum as u64));
    }
}

#[gpu_kernel]
pub fn transpose(from: View<(u8, f32), 2>, mut to: ViewMut<(f32, u8), 2>) {
    let (column, row) = grid_2d();
    let [rows, columns] = to.shape();
    if row < rows && column < columns {
        let (tag, value) = from[[column, row]];
        to[[row, column]] = (value, tag + 1);
    }
}

fn a_view_of_tuples_is_transposed(bench: &Bench) {
    let from: Vec<(u8, f32)> = (0..6).map(|i| (i as u8, i as f32 * 0.5)).collect();
    let mut to = vec![(0.0, 0); 6];
    launch!(bench, transpose(view(&from, [2, 3]), view_mut(&mut to, [3, 2])), 1, (4, 4));
    let expected: Vec<(f32, u8)> = [0, 3, 1, 4, 2, 5].iter().map(|&i| (i as f32 * 0.5, i as u8 + 1)).collect();
    assert_eq!(to, expected);
}
