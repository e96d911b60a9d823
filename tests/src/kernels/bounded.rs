//! Loops whose indices are checked before them, in the last iteration: they must fail as if they checked each in its turn.

use gpu_runtime::FailureCause::{self, AxisOutOfBounds, IndexOutOfBounds};
use gpu_runtime::prelude::*;

use crate::bench::{Bench, Failure, view};
use crate::{cases, launch, try_launch};

cases![
    a_closure_is_checked_in_the_last_iteration,
    a_closure_that_may_not_be_called_keeps_its_checks,
    indices_that_wrap_around_in_between_are_found wraps = true,
    indices_below_zero_are_found wraps = true,
    an_index_may_fall_with_the_counter,
    loops_that_jump_fail_where_they_did,
    axes_of_views_are_checked_before,
    a_device_function_checks_before_its_loop,
    closures_with_copies_and_with_loops_stay_as_they_are,
    a_value_that_is_given_in_the_loop_is_not_known_before,
];

/// The failure of the only thread.
#[track_caller]
fn assert_fails_with(outcome: Result<(), Failure>, kernel: &str, line: u32, cause: FailureCause) {
    let expected = Failure { kernel: kernel.to_owned(), line, cause, block: [0; 3], thread: [0; 3] };
    assert_eq!(outcome, Err(expected));
}

#[track_caller]
fn assert_fails(outcome: Result<(), Failure>, kernel: &str, line: u32, index: u64, len: u64) {
    assert_fails_with(outcome, kernel, line, IndexOutOfBounds { index, len });
}

const PAIRS_LINE: u32 = line!() + 6;

/// Sums of neighbours in a column, with what was summed so far in `out`.
#[gpu_kernel]
pub fn pairs(data: &[u32], width: usize, from: usize, to: usize, column: usize, out: &mut [u32]) {
    if grid_1d() == 0 {
        let pair = |row: usize, at: usize| [data[row * width + at], data[row * width + at + 1]];
        for row in from..to {
            let [a, b] = pair(row, column);
            let [_, c] = pair(row, column + 1);
            out[0] += a + b + c;
            out[1] = row as u32;
        }
        let [first, second] = pair(0, 0);
        out[2] = first + second;
    }
}

fn a_closure_is_checked_in_the_last_iteration(bench: &Bench) {
    let data: Vec<u32> = (0..35).collect();
    for to in 0..9 {
        let mut out = vec![0, 99, 0];
        let outcome = try_launch!(bench, pairs(&data, 5, 1, to, 2, &mut out), 1, 1);
        let rows = 1..to.min(7) as u32;
        let sum: u32 = rows.clone().map(|row| 3 * (5 * row + 2) + 3).sum();
        assert_eq!(out, [sum, rows.last().unwrap_or(99), u32::from(to < 8)]);
        match to {
            8 => assert_fails(outcome, "pairs", PAIRS_LINE, 37, 35),
            _ => assert_eq!(outcome, Ok(())),
        }
    }
    // The second of two indices, of the second of two calls.
    let mut out = vec![0, 99, 0];
    let outcome = try_launch!(bench, pairs(&data, 5, 5, 7, 3, &mut out), 1, 1);
    assert_fails(outcome, "pairs", PAIRS_LINE, 35, 35);
    assert_eq!(out, [28 + 29 + 30, 5, 0]);
    assert_eq!(try_launch!(bench, pairs(&data, 5, 7, 7, 900, &mut out), 1, 1), Ok(()));
    assert_eq!(try_launch!(bench, pairs(&data, usize::MAX, 9, 0, usize::MAX, &mut out), 1, 1), Ok(()));
    assert_fails(try_launch!(bench, pairs(&Vec::new(), 5, 0, 0, 0, &mut out), 1, 1), "pairs", PAIRS_LINE, 0, 0);
}

const SOMETIMES_LINE: u32 = line!() + 6;

/// A closure that is called in every iteration, and in some with other arguments.
#[gpu_kernel]
pub fn sometimes(data: &[u32], count: usize, far: usize, out: &mut [u32]) {
    if grid_1d() == 0 {
        let at = |k: usize| data[k];
        for k in 0..count {
            out[0] += at(k);
            if k % 4 == 3 {
                out[1] += at(k + far);
            }
        }
    }
}

fn a_closure_that_may_not_be_called_keeps_its_checks(bench: &Bench) {
    let data: Vec<u32> = (1..11).collect();
    let mut out = vec![0, 0];
    launch!(bench, sometimes(&data, 10, 2, &mut out), 1, 1);
    assert_eq!(out, [55, 6 + 10]);
    let mut out = vec![0, 0];
    assert_fails(try_launch!(bench, sometimes(&data, 10, 3, &mut out), 1, 1), "sometimes", SOMETIMES_LINE, 10, 10);
    assert_eq!(out, [36, 7]);
}

const STRIDE_LINE: u32 = line!() + 7;

/// Every so many elements.
#[gpu_kernel]
pub fn strides(x: &[u32], from: usize, to: usize, stride: usize, offset: usize, out: &mut [u32]) {
    if grid_1d() == 0 {
        for k in from..to {
            out[0] += x[k * stride + offset];
            out[1] += 1;
        }
    }
}

fn indices_that_wrap_around_in_between_are_found(bench: &Bench) {
    let x: Vec<u32> = (1..5).collect();
    let half = 1 << 63;
    // The last iteration reads the first element again.
    let mut out = vec![0, 0];
    assert_fails(try_launch!(bench, strides(&x, 0, 3, half, 0, &mut out), 1, 1), "strides", STRIDE_LINE, half as u64, 4);
    assert_eq!(out, [1, 1]);
    let mut out = vec![0, 0];
    let outcome = try_launch!(bench, strides(&x, 0, 3, usize::MAX / 2, 2, &mut out), 1, 1);
    assert_fails(outcome, "strides", STRIDE_LINE, (1 << 63) + 1, 4);
    assert_eq!(out, [3, 1]);
    // The only index is in bounds, because it wraps around.
    let mut out = vec![0, 0];
    launch!(bench, strides(&x, 2, 3, half, 1, &mut out), 1, 1);
    assert_eq!(out, [2, 1]);
}

const WINDOW_LINE: u32 = line!() + 8;

/// A window around an element.
#[gpu_kernel]
pub fn windows(x: &[u32], centre: usize, radius: usize, out: &mut [u32]) {
    if grid_1d() == 0 {
        for k in 0..2 * radius + 1 {
            out[1] += 1;
            out[0] += x[centre + k - radius];
        }
    }
}

fn indices_below_zero_are_found(bench: &Bench) {
    let x: Vec<u32> = (0..9).collect();
    for radius in 0..4 {
        for centre in 0..9 {
            let mut out = vec![0, 0];
            let outcome = try_launch!(bench, windows(&x, centre, radius, &mut out), 1, 1);
            if centre < radius {
                assert_fails(outcome, "windows", WINDOW_LINE, (centre as u64).wrapping_sub(radius as u64), 9);
                assert_eq!(out, [0, 1]);
            } else if centre + radius >= 9 {
                assert_fails(outcome, "windows", WINDOW_LINE, 9, 9);
                assert_eq!(out, [(centre - radius..9).sum::<usize>() as u32, (9 + radius - centre) as u32 + 1]);
            } else {
                assert_eq!(outcome, Ok(()));
                assert_eq!(out, [(centre * (2 * radius + 1)) as u32, 2 * radius as u32 + 1]);
            }
        }
    }
}

const BACK_LINE: u32 = line!() + 7;

/// From an element down.
#[gpu_kernel]
pub fn backwards(x: &[u32], last: usize, count: u16, out: &mut [u32]) {
    if grid_1d() == 0 {
        for k in 0..count {
            out[0] = out[0] * 10 + x[last - k as usize];
        }
    }
}

fn an_index_may_fall_with_the_counter(bench: &Bench) {
    let x: Vec<u32> = (1..6).collect();
    let mut out = vec![0];
    launch!(bench, backwards(&x, 4, 5, &mut out), 1, 1);
    assert_eq!(out, [54321]);
    let mut out = vec![0];
    assert_fails(try_launch!(bench, backwards(&x, 5, 3, &mut out), 1, 1), "backwards", BACK_LINE, 5, 5);
    assert_eq!(out, [0]);
    launch!(bench, backwards(&x, 4, 0, &mut out), 1, 1);
}

const JUMP_LINE: u32 = line!() + 8;

/// The rows without a zero, up to a row of large elements.
#[gpu_kernel]
pub fn jumps(x: &[u32], rows: usize, columns: usize, out: &mut [u32]) {
    if grid_1d() == 0 {
        'rows: for row in 0..rows {
            for column in 0..columns {
                let value = x[row * columns + column];
                if value == 0 {
                    continue 'rows;
                }
                if value == 7 {
                    continue;
                }
                if value > 99 {
                    break 'rows;
                }
                if value > 9 {
                    break;
                }
                out[1] += value;
            }
            out[0] += 1;
        }
        out[2] = 1;
    }
}

fn loops_that_jump_fail_where_they_did(bench: &Bench) {
    let mut out = vec![0; 3];
    launch!(bench, jumps(&vec![1, 2, 3, 1, 0, 9, 7, 7, 5, 4, 10, 8], 4, 3, &mut out), 1, 1);
    assert_eq!(out, [3, 6 + 1 + 5 + 4, 1]);
    // There are fewer elements than rows, but the loops end before.
    for elements in [vec![1, 2, 3, 100], vec![1, 2, 3, 4, 11], vec![1, 2, 3, 4, 0]] {
        let mut out = vec![0; 3];
        launch!(bench, jumps(&elements, 2, 3, &mut out), 1, 1);
        assert_eq!(out[2], 1);
    }
    let mut out = vec![0; 3];
    assert_fails(try_launch!(bench, jumps(&vec![1, 2, 3, 4, 7], 2, 3, &mut out), 1, 1), "jumps", JUMP_LINE, 5, 5);
    assert_eq!(out, [1, 10, 0]);
}

const TRACE_LINE: u32 = line!() + 7;

/// Elements beside the diagonal.
#[gpu_kernel]
pub fn beside_the_diagonal(matrix: View<u32, 2>, count: usize, aside: usize, out: &mut [u32]) {
    if grid_1d() == 0 {
        for k in 0..count {
            out[0] += matrix[[k, k + aside]];
        }
    }
}

fn axes_of_views_are_checked_before(bench: &Bench) {
    let elements: Vec<u32> = (0..12).collect();
    let try_with =
        |count, aside, out: &mut Vec<u32>| try_launch!(bench, beside_the_diagonal(view(&elements, [3, 4]), count, aside, out), 1, 1);
    let mut out = vec![0];
    assert_eq!(try_with(3, 1, &mut out), Ok(()));
    assert_eq!(out, [1 + 6 + 11]);
    let cause = |axis, extent| AxisOutOfBounds { axis, index: extent, extent };
    assert_fails_with(try_with(4, 0, &mut out), "beside_the_diagonal", TRACE_LINE, cause(0, 3));
    assert_fails_with(try_with(3, 2, &mut out), "beside_the_diagonal", TRACE_LINE, cause(1, 4));
    assert_eq!(out, [18 + 15 + 2 + 7]);
}

const DOT_LINE: u32 = line!() + 7;

/// A row by a column.
#[gpu_device]
fn dot(a: &[u32], b: &[u32], row: usize, column: usize, n: usize) -> u32 {
    let mut sum = 0;
    for k in 0..n {
        sum += a[row * n + k] * b[k * n + column];
    }
    sum
}

#[gpu_kernel]
pub fn products(a: &[u32], b: &[u32], n: usize, out: &mut [u32]) {
    let (column, row) = grid_2d();
    if row < n && column < n && row * n + column < out.len() {
        out[row * n + column] = dot(a, b, row, column, n);
    }
}

fn a_device_function_checks_before_its_loop(bench: &Bench) {
    let (a, b): (Vec<u32>, Vec<u32>) = ((0..9).collect(), (0..9).map(|k| k * k).collect());
    let mut out = vec![0; 9];
    launch!(bench, products(&a, &b, 3, &mut out), (1, 1), (4, 4));
    let expected = |at: usize| (0..3).map(|k| a[at / 3 * 3 + k] * b[k * 3 + at % 3]).sum::<u32>();
    assert_eq!(out, (0..9).map(expected).collect::<Vec<_>>());
    let outcome = try_launch!(bench, products(&a, &b[..7].to_vec(), 3, &mut vec![0; 3]), (1, 1), (2, 1));
    assert!(matches!(&outcome, Err(failure) if failure.line == DOT_LINE && failure.thread == [1, 0, 0]), "{outcome:?}");
}

#[gpu_kernel]
pub fn closures(x: &[u32], rows: usize, n: usize, out: &mut [u32]) {
    if grid_1d() == 0 {
        let mut scale = 2;
        let scaled = move |k: usize| x[k] * scale;
        scale = 0;
        for k in 0..rows {
            out[0] += scaled(k);
        }
        let row_sum = |row: usize| {
            let mut sum = scale;
            for j in 0..n {
                sum += x[row * n + j];
            }
            sum
        };
        for row in 0..rows {
            out[1] += row_sum(row);
        }
    }
}

fn closures_with_copies_and_with_loops_stay_as_they_are(bench: &Bench) {
    let mut out = vec![0, 0];
    launch!(bench, closures(&(1..=6).collect(), 2, 3, &mut out), 1, 1);
    assert_eq!(out, [6, 21]);
}

#[gpu_kernel]
#[allow(clippy::never_loop, reason = "a value may be given once")]
pub fn late(x: &[u32], offsets: &[u32], count: usize, out: &mut [u32]) {
    if grid_1d() == 0 {
        let offset;
        for k in 0..count {
            offset = offsets[0] as usize;
            out[0] = x[k + offset];
            break;
        }
    }
}

fn a_value_that_is_given_in_the_loop_is_not_known_before(bench: &Bench) {
    let (x, mut out) = (vec![1, 2, 3], vec![0]);
    launch!(bench, late(&x, &vec![2], 2, &mut out), 1, 1);
    assert_eq!(out, [3]);
    let outcome = try_launch!(bench, late(&x, &vec![3], 2, &mut out), 1, 1);
    assert!(matches!(&outcome, Err(Failure { cause: IndexOutOfBounds { index: 3, len: 3 }, .. })), "{outcome:?}");
}
