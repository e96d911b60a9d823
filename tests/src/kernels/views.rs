//! Arrays of several axes: `View` and `ViewMut`.

#![allow(clippy::redundant_closure_for_method_calls, reason = "`DeviceView::t` is for one lifetime, and `part` takes functions for all")]

use gpu_runtime::FailureCause::AxisOutOfBounds;
use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same, view, view_mut};
use crate::{cases, forall, launch, try_launch, value_arguments};

cases![
    jacobi_steps_leave_the_edge_alone,
    a_transpose_is_passed_without_a_copy,
    a_block_is_written_and_the_rest_is_not,
    a_stencil_of_three_axes_is_averaged wraps = true,
    products_of_transposes_are_those_of_matrices,
    life_goes_on_on_a_torus,
    one_axis_may_go_backwards_in_steps,
    four_axes_are_permuted,
    views_are_passed_on_to_device_functions,
    shapes_are_what_was_passed,
    empty_views_have_no_elements,
    a_repeated_row_is_read_everywhere,
    unchecked_elements_are_the_same,
    indices_are_evaluated_before_the_first_check,
    an_index_past_its_axis_is_reported,
    blocks_transpose_through_shared_memory,
    a_thread_may_do_several_elements_of_a_view,
    arrays_are_elements_of_views,
    parts_of_views_are_summed_with_and_without_a_stride wraps = true,
];

value_arguments![Window];

/// A number for each place.
fn numbers(count: usize) -> Vec<f64> {
    (0..count).map(|i| (i as f64 * 0.37).sin() * 100.0).collect()
}

/// One step of Jacobi's iteration for the points that have four neighbours.
#[gpu_kernel(fmad = false)]
pub fn jacobi(a: View<f64, 2>, out: ViewMut<f64, 2>) {
    let (j, i) = grid_2d();
    let [rows, columns] = a.shape();
    if i >= 1 && j >= 1 && i + 1 < rows && j + 1 < columns {
        out[[i, j]] = 0.25 * (a[[i - 1, j]] + a[[i + 1, j]] + a[[i, j - 1]] + a[[i, j + 1]]);
    }
}

fn jacobi_steps_leave_the_edge_alone(bench: &Bench) {
    let (rows, columns) = (7, 11);
    let a = numbers(rows * columns);
    let mut out = vec![-1.0; a.len()];
    launch!(bench, jacobi(view(&a, [rows, columns]), view_mut(&mut out, [rows, columns])), (2, 1), (8, 8));
    let expected: Vec<f64> = (0..a.len())
        .map(|at| {
            let (i, j) = (at / columns, at % columns);
            let inner = i > 0 && j > 0 && i + 1 < rows && j + 1 < columns;
            if inner { 0.25 * (a[at - columns] + a[at + columns] + a[at - 1] + a[at + 1]) } else { -1.0 }
        })
        .collect();
    assert_same(&out, &expected);
}

#[gpu_kernel]
pub fn copied(a: View<f64, 2>, out: ViewMut<f64, 2>) {
    let (j, i) = grid_2d();
    if i < out.shape()[0] && j < out.shape()[1] {
        out[[i, j]] = a[[i, j]];
    }
}

fn a_transpose_is_passed_without_a_copy(bench: &Bench) {
    let a = numbers(6 * 4);
    let transposed: Vec<f64> = (0..24).map(|at| a[(at % 6) * 4 + at / 6]).collect();
    let mut out = vec![0.0; 24];
    launch!(bench, copied(view(&a, [6, 4]).part(|view| view.t()), view_mut(&mut out, [4, 6])), (1, 1), (8, 8));
    assert_same(&out, &transposed);
    let mut out = vec![0.0; 24];
    launch!(bench, copied(view(&a, [6, 4]), view_mut(&mut out, [4, 6]).part(|view| view.t())), (1, 1), (8, 8));
    assert_same(&out, &transposed);
}

#[gpu_kernel]
pub fn scaled_in_place(factor: i32, out: ViewMut<i32, 2>) {
    let (j, i) = grid_2d();
    let shape = out.shape();
    if i < shape[0] && j < shape[1] {
        out[[i, j]] *= factor;
        out[[i, j]] += 1;
    }
}

fn a_block_is_written_and_the_rest_is_not(bench: &Bench) {
    let mut out: Vec<i32> = (0..60).collect();
    let inner = view_mut(&mut out, [6, 10]).part(|view| view.slice_axis(0, 1..4).slice_axis(1, 2..9));
    launch!(bench, scaled_in_place(3, inner), (1, 1), (16, 8));
    let expected: Vec<i32> =
        (0..60).map(|at| if (1..4).contains(&(at / 10)) && (2..9).contains(&(at % 10)) { at * 3 + 1 } else { at }).collect();
    assert_same(&out, &expected);
}

/// The mean of a point and its six neighbours, with those beyond the edge left out.
#[gpu_kernel(fmad = false)]
pub fn smoothed(a: View<f64, 3>, out: ViewMut<f64, 3>) {
    let (k, j, i) = grid_3d();
    let [depth, rows, columns] = out.shape();
    if i >= depth || j >= rows || k >= columns {
        return;
    }
    let mut sum = a[[i, j, k]];
    let mut count = 1.0;
    for step in 0..2 {
        // 0 - 1 wraps around to a number that no axis has.
        let (di, dj, dk) = (i + 2 * step - 1, j + 2 * step - 1, k + 2 * step - 1);
        if di < depth {
            sum += a[[di, j, k]];
            count += 1.0;
        }
        if dj < rows {
            sum += a[[i, dj, k]];
            count += 1.0;
        }
        if dk < columns {
            sum += a[[i, j, dk]];
            count += 1.0;
        }
    }
    out[[i, j, k]] = sum / count;
}

fn a_stencil_of_three_axes_is_averaged(bench: &Bench) {
    let (depth, rows, columns) = (3, 4, 5);
    let a = numbers(depth * rows * columns);
    let mut out = vec![0.0; a.len()];
    let shape = [depth, rows, columns];
    launch!(bench, smoothed(view(&a, shape), view_mut(&mut out, shape)), (2, 2, 2), (4, 2, 2));
    let at = |i: usize, j: usize, k: usize| (i < depth && j < rows && k < columns).then(|| a[(i * rows + j) * columns + k]);
    let mut expected = Vec::new();
    for (i, j, k) in (0..depth).flat_map(|i| (0..rows).flat_map(move |j| (0..columns).map(move |k| (i, j, k)))) {
        let mut found = vec![at(i, j, k)];
        for step in [usize::MAX, 1] {
            found.extend([at(i.wrapping_add(step), j, k), at(i, j.wrapping_add(step), k), at(i, j, k.wrapping_add(step))]);
        }
        let found: Vec<f64> = found.into_iter().flatten().collect();
        expected.push(found.iter().skip(1).fold(found[0], |sum, x| sum + x) / found.len() as f64);
    }
    assert_same(&out, &expected);
}

#[gpu_kernel(fmad = false)]
pub fn product(a: View<f64, 2>, b: View<f64, 2>, c: ViewMut<f64, 2>) {
    let (j, i) = grid_2d();
    if i < c.shape()[0] && j < c.shape()[1] {
        let mut sum = 0.0;
        for k in 0..a.shape()[1] {
            sum += a[[i, k]] * b[[k, j]];
        }
        c[[i, j]] = sum;
    }
}

fn products_of_transposes_are_those_of_matrices(bench: &Bench) {
    let (rows, inner, columns) = (5, 23, 7);
    let (a, b) = (numbers(rows * inner), numbers(inner * columns));
    let transpose = |x: &[f64], columns: usize| -> Vec<f64> {
        let rows = x.len() / columns;
        (0..x.len()).map(|at| x[(at % rows) * columns + at / rows]).collect()
    };
    let expected: Vec<f64> = (0..rows * columns)
        .map(|at| (0..inner).fold(0.0, |sum, k| sum + a[at / columns * inner + k] * b[k * columns + at % columns]))
        .collect();
    let (a_t, b_t) = (transpose(&a, inner), transpose(&b, columns));
    let mut c = vec![0.0; rows * columns];
    launch!(bench, product(view(&a, [rows, inner]), view(&b, [inner, columns]), view_mut(&mut c, [rows, columns])), (2, 2), (4, 4));
    assert_same(&c, &expected);
    let mut c = vec![0.0; rows * columns];
    let (a_t, b_t) = (view(&a_t, [inner, rows]).part(|view| view.t()), view(&b_t, [columns, inner]).part(|view| view.t()));
    launch!(bench, product(a_t, b_t, view_mut(&mut c, [rows, columns])), (2, 2), (4, 4));
    assert_same(&c, &expected);
}

/// How many of the eight neighbours are alive, around the edges.
#[gpu_device]
fn neighbours(cells: View<u8, 2>, i: usize, j: usize) -> u32 {
    let [rows, columns] = cells.shape();
    let mut alive = 0;
    for di in 0..3 {
        for dj in 0..3 {
            if di != 1 || dj != 1 {
                alive += cells[[(i + rows + di - 1) % rows, (j + columns + dj - 1) % columns]] as u32;
            }
        }
    }
    alive
}

#[gpu_kernel]
pub fn generation(cells: View<u8, 2>, next: ViewMut<u8, 2>) {
    let (j, i) = grid_2d();
    if i < next.shape()[0] && j < next.shape()[1] {
        let alive: u32 = neighbours(cells, i, j);
        next[[i, j]] = (alive == 3 || alive == 2 && cells[[i, j]] == 1) as u8;
    }
}

fn life_goes_on_on_a_torus(bench: &Bench) {
    let (rows, columns) = (8, 9);
    let mut cells: Vec<u8> = vec![0; rows * columns];
    // A glider, which crosses the edges.
    for (i, j) in [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)] {
        cells[i * columns + j] = 1;
    }
    let glider = cells.clone();
    for _ in 0..4 * rows {
        let mut next = vec![9; cells.len()];
        launch!(bench, generation(view(&cells, [rows, columns]), view_mut(&mut next, [rows, columns])), (2, 1), (8, 8));
        cells = next;
    }
    // In four generations it moves by one cell on both axes.
    let moved: Vec<u8> =
        (0..cells.len()).map(|at| glider[(at / columns) * columns + (at % columns + columns - rows % columns) % columns]).collect();
    assert_same(&cells, &moved);
}

#[gpu_kernel]
pub fn differences(x: View<i64, 1>, out: ViewMut<i64, 1>) {
    let i = grid_1d();
    if i < out.len() && i + 1 < x.len() {
        out[i] = x[[i + 1]] - x[i];
    }
}

fn one_axis_may_go_backwards_in_steps(bench: &Bench) {
    let x: Vec<i64> = (0..40).map(|i| i * i).collect();
    let mut out = vec![0; 30];
    let every_third = view(&x, 40).part(|view| view.slice_axis_step(0, 1..39, -3));
    let backwards = view_mut(&mut out, 30).part(|view| view.slice_axis_step(0, 4..28, 2).reverse_axis(0));
    launch!(bench, differences(every_third, backwards), 2, 8);
    let taken: Vec<i64> = x[1..39].iter().rev().step_by(3).copied().collect();
    let mut expected = vec![0; 30];
    for (i, pair) in taken.windows(2).take(12).enumerate() {
        expected[4 + 2 * (11 - i)] = pair[1] - pair[0];
    }
    assert_same(&out, &expected);
}

#[gpu_kernel]
pub fn copied_in_four_axes(a: View<u16, 4>, out: ViewMut<u16, 4>) {
    let [first, second, third, fourth] = out.shape();
    for at in grid_stride(first) {
        for j in 0..second {
            for k in 0..third {
                for l in 0..fourth {
                    out[[at, j, k, l]] = a[[at, j, k, l]];
                }
            }
        }
    }
}

fn four_axes_are_permuted(bench: &Bench) {
    let a: Vec<u16> = (0..120).collect();
    let mut out = vec![0; 120];
    let permuted = view(&a, [2, 3, 4, 5]).part(|view| view.permute([3, 1, 0, 2]));
    launch!(bench, copied_in_four_axes(permuted, view_mut(&mut out, [5, 3, 2, 4])), 1, 3);
    let mut expected = Vec::new();
    for (i, j, k, l) in (0..5).flat_map(|i| (0..3).flat_map(move |j| (0..2).flat_map(move |k| (0..4).map(move |l| (i, j, k, l))))) {
        expected.push(((k * 3 + j) * 4 + l) * 5 + i);
    }
    assert_same(&out, &expected);
}

#[gpu_device]
fn row_sum<T: Num>(a: View<T, 2>, i: usize) -> T {
    let mut sum = T::ZERO;
    for j in 0..a.shape()[1] {
        sum += a[[i, j]];
    }
    sum
}

#[gpu_device]
fn add_to_row(out: ViewMut<i32, 2>, i: usize, value: i32) {
    for j in 0..out.shape()[1] {
        out[[i, j]] += value;
    }
}

/// Each row plus the sums of both.
#[gpu_kernel]
pub fn rows_plus_sums(a: View<f32, 2>, out: ViewMut<i32, 2>) {
    let i = grid_1d();
    if i < out.shape()[0] {
        let own = row_sum(out, i);
        add_to_row(out, i, own);
        add_to_row(out, i, row_sum(a, i) as i32);
    }
}

fn views_are_passed_on_to_device_functions(bench: &Bench) {
    let a: Vec<f32> = (0..6).map(|i| i as f32 * 10.5).collect();
    let mut out: Vec<i32> = (1..=6).collect();
    launch!(bench, rows_plus_sums(view(&a, [2, 3]), view_mut(&mut out, [3, 2]).part(|view| view.t())), 1, 4);
    // Rows of the transpose: 1, 3, 5 and 2, 4, 6.
    let (first, second) = (9 + 31, 12 + 126);
    assert_same(&out, &[1 + first, 2 + second, 3 + first, 4 + second, 5 + first, 6 + second]);
}

#[gpu_kernel]
pub fn shapes(a: View<u8, 3>, b: View<f64, 1>, out: &mut [usize]) {
    if grid_1d() == 0 {
        let shape = a.shape();
        for axis in 0..3 {
            out[axis] = shape[axis];
        }
        let [n] = b.shape();
        out[3] = n;
        out[4] = a.len();
        out[5] = b.len() + a.shape()[2];
        out[6] = a.is_empty() as usize * 2 + b.is_empty() as usize;
    }
}

fn shapes_are_what_was_passed(bench: &Bench) {
    let (a, b) = (vec![0u8; 24], numbers(9));
    let mut out = vec![0; 7];
    let part = view(&a, [2, 3, 4]).part(|view| view.t().slice_axis(1, 1..));
    launch!(bench, shapes(part, view(&b, 9), &mut out), 1, 1);
    assert_same(&out, &[4, 2, 2, 9, 16, 11, 0]);
}

fn empty_views_have_no_elements(bench: &Bench) {
    let (a, b) = (vec![0u8; 24], numbers(9));
    let mut out = vec![0; 7];
    let part = view(&a, [2, 3, 4]).part(|view| view.slice_axis(1, 3..));
    launch!(bench, shapes(part, view(&b, 9).part(|view| view.slice_axis(0, 2..2)), &mut out), 1, 1);
    assert_same(&out, &[2, 0, 4, 0, 0, 4, 3]);
}

fn a_repeated_row_is_read_everywhere(bench: &Bench) {
    let row = numbers(5);
    let mut out = vec![0.0; 15];
    let repeated = view(&row, 5).part(|view| view.broadcast_to([3, 5]).expect("a row repeats"));
    launch!(bench, copied(repeated, view_mut(&mut out, [3, 5])), (1, 1), (8, 4));
    assert_same(&out, &[row.as_slice(), &row, &row].concat());
}

#[gpu_kernel]
pub fn unchecked(a: View<f64, 2>, x: View<f64, 1>, out: ViewMut<f64, 2>) {
    let (j, i) = grid_2d();
    if i < a.shape()[0] && j < a.shape()[1] {
        // SAFETY: the case passes an output of the same shape, and as many elements as columns.
        unsafe {
            *out.get_unchecked_mut([i, j]) = *a.get_unchecked([i, j]);
            *out.get_unchecked_mut([i, j]) += *x.get_unchecked([j]);
        }
    }
}

fn unchecked_elements_are_the_same(bench: &Bench) {
    let (a, x) = (numbers(12), numbers(4));
    let mut out = vec![0.0; 12];
    launch!(bench, unchecked(view(&a, [3, 4]), view(&x, 4), view_mut(&mut out, [3, 4])), (1, 1), (4, 4));
    assert_same(&out, &(0..12).map(|at| a[at] + x[at % 4]).collect::<Vec<_>>());
}

#[gpu_device]
fn noted(log: &mut [u32], note: usize) -> usize {
    log[0] = log[0] * 10 + note as u32;
    note
}

const NOTED_LINE: u32 = line!() + 5;

#[gpu_kernel]
pub fn noted_indices(a: View<i32, 2>, second: usize, log: &mut [u32], out: &mut [i32]) {
    if grid_1d() == 0 {
        out[0] = a[[noted(log, 1), noted(log, second)]];
    }
}

fn indices_are_evaluated_before_the_first_check(bench: &Bench) {
    let a = vec![1, 2, 3, 4, 5, 6];
    let (mut log, mut out) = (vec![0], vec![0]);
    launch!(bench, noted_indices(view(&a, [2, 3]), 2, &mut log, &mut out), 1, 1);
    assert_eq!((log[0], out[0]), (12, 6));
    let mut log = vec![0];
    // Axis 0 fails first, and by then the index of axis 1 is known.
    let outcome = try_launch!(bench, noted_indices(view(&a, [1, 6]), 7, &mut log, &mut out), 1, 1);
    let failure = outcome.expect_err("index 1 is past an axis of one");
    assert_eq!((failure.line, failure.cause), (NOTED_LINE, AxisOutOfBounds { axis: 0, index: 1, extent: 1 }));
    assert_eq!(log[0], 17);
}

const READ_LINE: u32 = line!() + 7;
const WRITE_LINE: u32 = line!() + 7;

#[gpu_kernel]
pub fn moved(a: View<i32, 2>, di: usize, dj: usize, out: ViewMut<i32, 2>) {
    let (j, i) = grid_2d();
    if i < 2 && j < 3 {
        let value = a[[i + di, j + dj]];
        out[[i, j + dj]] = value;
    }
}

fn an_index_past_its_axis_is_reported(bench: &Bench) {
    let a: Vec<i32> = (0..12).collect();
    let try_with = |di, dj, shape: [usize; 2]| {
        let mut out = vec![0; shape[0] * shape[1]];
        let outcome = try_launch!(bench, moved(view(&a, [3, 4]), di, dj, view_mut(&mut out, shape)), (1, 1), (1, 1));
        outcome.map_err(|failure| (failure.line, failure.cause))
    };
    assert_eq!(try_with(2, 3, [2, 4]), Ok(()));
    assert_eq!(try_with(3, 0, [2, 4]), Err((READ_LINE, AxisOutOfBounds { axis: 0, index: 3, extent: 3 })));
    // The array has an element 4, but row 0 has not.
    assert_eq!(try_with(0, 4, [2, 4]), Err((READ_LINE, AxisOutOfBounds { axis: 1, index: 4, extent: 4 })));
    assert_eq!(try_with(0, 3, [4, 2]), Err((WRITE_LINE, AxisOutOfBounds { axis: 1, index: 3, extent: 2 })));
    assert_eq!(try_with(usize::MAX, 0, [2, 4]), Err((READ_LINE, AxisOutOfBounds { axis: 0, index: u64::MAX, extent: 3 })));
}

const TILE: usize = 4;

/// Transposes tile by tile, with a barrier between reading and writing.
#[gpu_kernel(block = (TILE, TILE))]
pub fn transposed_by_tiles(a: View<f64, 2>, out: ViewMut<f64, 2>) {
    let mut tile = shared::<[[f64; TILE]; TILE]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (row, column) = (block_idx().y * TILE + ty, block_idx().x * TILE + tx);
    tile[ty][tx] = if row < a.shape()[0] && column < a.shape()[1] { a[[row, column]] } else { 0.0 };
    sync_threads();
    let (row, column) = (block_idx().x * TILE + ty, block_idx().y * TILE + tx);
    if row < out.shape()[0] && column < out.shape()[1] {
        out[[row, column]] = tile[tx][ty];
    }
}

fn blocks_transpose_through_shared_memory(bench: &Bench) {
    let a = numbers(6 * 9);
    let mut out = vec![0.0; 54];
    launch!(bench, transposed_by_tiles(view(&a, [6, 9]), view_mut(&mut out, [9, 6])), (3, 2), (TILE, TILE));
    assert_same(&out, &(0..54).map(|at| a[(at % 6) * 9 + at / 6]).collect::<Vec<_>>());
}

#[gpu_kernel]
pub fn halved(x: View<u32, 1>, out: ViewMut<u32, 1>) {
    let i = grid_1d();
    if i < out.len() {
        out[[i]] = x[[i]] / 2;
    }
}

fn a_thread_may_do_several_elements_of_a_view(bench: &Bench) {
    let n = bench.many();
    let x: Vec<u32> = (0..2 * n as u32).collect();
    let mut out = vec![0; n];
    let every_second = view(&x, 2 * n).part(|view| view.slice_axis_step(0, .., 2));
    let backwards = view_mut(&mut out, n).part(|view| view.reverse_axis(0));
    let several = forall!(bench, halved(every_second, backwards), n);
    assert_eq!(several, bench.does_several_elements());
    assert_same(&out, &(0..n as u32).rev().collect::<Vec<_>>());
}

#[gpu_device]
fn turned(point: [i32; 2]) -> [i32; 2] {
    [-point[1], point[0]]
}

#[gpu_kernel]
pub fn turned_points(points: View<[i32; 2], 2>, out: ViewMut<[i32; 2], 2>) {
    let (j, i) = grid_2d();
    let [rows, columns] = out.shape();
    if i < rows && j < columns {
        let [x, y] = points[[i, j]];
        out[[i, j]] = turned([x + 1, y]);
        out[[i, j]][1] += points[[i, columns - 1 - j]][0] * 10;
    }
}

fn arrays_are_elements_of_views(bench: &Bench) {
    let points: Vec<[i32; 2]> = (0..35).map(|k| [k * k % 19, k - 7]).collect();
    let mut out = vec![[0, 0]; 35];
    launch!(bench, turned_points(view(&points, [5, 7]), view_mut(&mut out, [5, 7])), (1, 1), (8, 8));
    let expected = (0..35).map(|at| {
        let ([x, y], mirrored) = (points[at], points[at / 7 * 7 + 6 - at % 7]);
        [-y, x + 1 + mirrored[0] * 10]
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

/// Which part of a matrix is summed. Its numbers have 64 bits in memory, whatever the kernel computes with.
#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Window {
    row: usize,
    column: usize,
    rows: usize,
    columns: usize,
}

/// A view whose last axis has a stride, or a window too large, needs 64 bits; the others do not.
#[gpu_kernel(block = 32)]
pub fn window_sums(a: View<f64, 2>, window: Window, sums: &mut [f64]) {
    let mut near = shared::<[f64; 32]>();
    let t = thread_idx().x;
    let mut sum = 0.0;
    for i in grid_stride(window.rows * window.columns) {
        let (row, column) = (window.row + i / window.columns, window.column + i % window.columns);
        if row < a.shape()[0] && column < a.shape()[1] {
            sum += a[[row, column]];
        }
    }
    near[t] = sum;
    sync_threads();
    if t == 0 && block_idx().x < sums.len() {
        let mut total = 0.0;
        for k in (0..32).step_by(4) {
            total += near[k] + near[k + 1] + near[k + 2] + near[k + 3];
        }
        sums[block_idx().x] = total;
    }
}

fn parts_of_views_are_summed_with_and_without_a_stride(bench: &Bench) {
    let a: Vec<f64> = (0..12 * 20).map(|i| (i * 7 % 31) as f64).collect();
    let whole = Window { row: 2, column: 3, rows: 9, columns: 12 };
    for window in [whole, Window { rows: 40, columns: 40, ..whole }, Window { row: usize::MAX, ..whole }, Window { rows: 0, ..whole }] {
        let expected = |at: &dyn Fn(usize, usize) -> f64, [rows, columns]: [usize; 2]| -> f64 {
            let inside = |index: usize, extent: usize| (index < extent).then_some(index);
            let row = |i: usize| inside(window.row.wrapping_add(i), rows);
            let column = |j: usize| inside(window.column.wrapping_add(j), columns);
            let places = (0..window.rows).flat_map(|i| (0..window.columns).map(move |j| (i, j)));
            places.filter_map(|(i, j)| Some(at(row(i)?, column(j)?))).sum()
        };
        let (mut packed, mut strided, mut reversed) = (vec![0.0; 2], vec![0.0; 2], vec![0.0; 2]);
        launch!(bench, window_sums(view(&a, [12, 20]), window, &mut packed), 2, 32);
        launch!(bench, window_sums(view(&a, [12, 20]).part(|view| view.t()), window, &mut strided), 2, 32);
        launch!(bench, window_sums(view(&a, [12, 20]).part(|view| view.reverse_axis(0)), window, &mut reversed), 2, 32);
        let sums = [packed, strided, reversed].map(|sums| sums[0] + sums[1]);
        let wanted = [
            expected(&|i, j| a[i * 20 + j], [12, 20]),
            expected(&|i, j| a[j * 20 + i], [20, 12]),
            expected(&|i, j| a[(11 - i) * 20 + j], [12, 20]),
        ];
        assert_eq!(sums, wanted, "{window:?}");
    }
}
