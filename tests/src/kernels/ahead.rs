//! Loops that check the indices of several iterations before the first of them: they must fail as if they checked each in its turn.

use gpu_runtime::FailureCause::{self, IndexOutOfBounds};
use gpu_runtime::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::bench::{Bench, Failure, view};
use crate::{cases, launch, try_launch};

cases![
    rows_of_any_length_are_summed,
    the_first_bad_index_of_a_loop_is_reported,
    what_iterations_did_before_a_failure_stays,
    additions_before_a_failure_stay,
    loops_are_left_in_the_middle,
    a_constant_number_of_iterations_is_checked_at_once,
    counters_of_small_types_reach_their_last_value,
    every_axis_of_a_view_is_checked,
    indices_behind_indices_are_checked,
    gathered_rows_are_checked_where_they_are_largest,
    gathered_rows_may_wrap_around wraps = true,
    what_one_check_shows_of_another_holds_behind_it,
    what_other_threads_may_change_is_checked_where_it_is_used,
];

/// The failure of the only thread.
#[track_caller]
fn assert_fails(outcome: Result<(), Failure>, kernel: &str, line: u32, cause: FailureCause) {
    let expected = Failure { kernel: kernel.to_owned(), line, cause, block: [0; 3], thread: [0; 3] };
    assert_eq!(outcome, Err(expected));
}

const ROWS_LINE: u32 = line!() + 9;

/// A sparse matrix by a vector.
#[gpu_kernel]
pub fn sparse_rows(starts: &[u32], columns: &[u32], values: &[f32], x: &[f32], y: &mut [f32]) {
    let row = grid_1d();
    if row < y.len() {
        let mut sum = 0.0;
        for k in starts[row] as usize..starts[row + 1] as usize {
            sum += values[k] * x[columns[k] as usize];
        }
        y[row] = sum;
    }
}

fn rows_of_any_length_are_summed(bench: &Bench) {
    let starts: Vec<u32> = (0..20u32).map(|row| row * (row + 1) / 2).collect();
    let count = starts[19] as usize;
    let columns: Vec<u32> = (0..count as u32).map(|k| k * 7 % 30).collect();
    let values: Vec<f32> = (0..count).map(|k| (k % 9) as f32).collect();
    let x: Vec<f32> = (0..30).map(|column| column as f32 - 12.0).collect();
    let mut y = vec![0.0; 19];
    launch!(bench, sparse_rows(&starts, &columns, &values, &x, &mut y), 1, 32);
    for row in 0..19 {
        let range = starts[row] as usize..starts[row + 1] as usize;
        assert_eq!(y[row], range.map(|k| values[k] * x[columns[k] as usize]).sum::<f32>());
    }
}

fn the_first_bad_index_of_a_loop_is_reported(bench: &Bench) {
    let try_with = |count: usize, bad: usize, columns: usize, values: usize| {
        let starts = vec![1, 1 + count as u32];
        let column = |k| if k == 1 + bad { 1000 + k as u32 } else { (k % 3) as u32 };
        let columns: Vec<u32> = (0..columns).map(column).collect();
        try_launch!(bench, sparse_rows(&starts, &columns, &vec![1.0; values], &vec![1.0; 3], &mut vec![0.0]), 1, 1)
    };
    for count in 1..14 {
        for bad in 0..count {
            let outcome = try_with(count, bad, 20, 20);
            assert_fails(outcome, "sparse_rows", ROWS_LINE, IndexOutOfBounds { index: 1001 + bad as u64, len: 3 });
            let outcome = try_with(count, 99, 1 + bad, 20);
            assert_fails(outcome, "sparse_rows", ROWS_LINE, IndexOutOfBounds { index: 1 + bad as u64, len: 1 + bad as u64 });
            let outcome = try_with(count, bad, 20, 1 + bad);
            assert_fails(outcome, "sparse_rows", ROWS_LINE, IndexOutOfBounds { index: 1 + bad as u64, len: 1 + bad as u64 });
        }
        assert_eq!(try_with(count, 99, 1 + count, 1 + count), Ok(()));
    }
    assert_eq!(try_with(0, 99, 0, 0), Ok(()));
    assert_fails(try_with(5, 99, 20, 0), "sparse_rows", ROWS_LINE, IndexOutOfBounds { index: 1, len: 0 });
}

const SCATTER_LINE: u32 = line!() + 9;

/// Moves elements to where `to` tells.
#[gpu_kernel]
pub fn scatter(to: &[usize], from: &[i32], count: usize, out: &mut [i32]) {
    if grid_1d() == 0 {
        let shift = from.len();
        for k in 0..count {
            let target = to[k];
            out[target] += from[k] + shift as i32;
        }
    }
}

fn what_iterations_did_before_a_failure_stays(bench: &Bench) {
    for bad in 0..11 {
        let to: Vec<usize> = (0..11).map(|k| if k == bad { 50 } else { 10 - k }).collect();
        let mut out = vec![0; 11];
        let outcome = try_launch!(bench, scatter(&to, &(0..11).collect(), 11, &mut out), 1, 1);
        assert_fails(outcome, "scatter", SCATTER_LINE, IndexOutOfBounds { index: 50, len: 11 });
        let expected: Vec<i32> = (0..11).map(|at| if 10 - at < bad { 10 - at as i32 + 11 } else { 0 }).collect();
        assert_eq!(out, expected);
    }
}

const COUNT_LINE: u32 = line!() + 7;

/// A histogram by one thread.
#[gpu_kernel]
pub fn count_serially(x: &[u8], bins: &[AtomicU32], seen: &mut [usize]) {
    if grid_1d() == 0 {
        for k in 0..seen[0] {
            bins[x[k] as usize].fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn additions_before_a_failure_stay(bench: &Bench) {
    let (mut bins, mut seen) = (vec![0u32; 4], vec![9]);
    launch!(bench, count_serially(&vec![0, 1, 1, 2, 3, 3, 3, 0, 1], &mut bins, &mut seen), 1, 1);
    assert_eq!(bins, [2, 3, 1, 3]);
    let outcome = try_launch!(bench, count_serially(&vec![0, 1, 1, 2, 3, 3, 4, 0, 1], &mut bins, &mut seen), 1, 1);
    assert_fails(outcome, "count_serially", COUNT_LINE, IndexOutOfBounds { index: 4, len: 4 });
    assert_eq!(bins, [3, 5, 2, 5]);
}

const SEARCH_LINE: u32 = line!() + 7;

/// The first element that is not smaller, without the odd ones. `continue` and `return` come in every place.
#[gpu_kernel]
pub fn search(x: &[i32], count: usize, least: i32, out: &mut [i32]) {
    if grid_1d() == 0 {
        for k in 0..count {
            let value = x[k];
            if value % 2 == 1 {
                continue;
            }
            if value >= least {
                out[0] = value;
                return;
            }
            out[1] += 1;
        }
        out[0] = -1;
    }
}

fn loops_are_left_in_the_middle(bench: &Bench) {
    let x: Vec<i32> = (0..23).collect();
    for least in 0..23 {
        let mut out = vec![0, 0];
        launch!(bench, search(&x, 23, least, &mut out), 1, 1);
        assert_eq!(out, [(least + 1) / 2 * 2, (least + 1) / 2]);
        // What is found before the failure ends the loop.
        let mut out = vec![0, 0];
        launch!(bench, search(&x, 40, least, &mut out), 1, 1);
        assert_eq!(out, [(least + 1) / 2 * 2, (least + 1) / 2]);
    }
    let mut out = vec![0, 0];
    let outcome = try_launch!(bench, search(&x, 24, 23, &mut out), 1, 1);
    assert_fails(outcome, "search", SEARCH_LINE, IndexOutOfBounds { index: 23, len: 23 });
    assert_eq!(out, [0, 12]);
}

const TAPS: usize = 5;
const FILTER_LINE: u32 = line!() + 10;

/// A filter, whose number of taps is a constant.
#[gpu_kernel]
pub fn filter(x: &[f32], taps: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = 0.0;
        for tap in 0..TAPS {
            let k = i * 2 + tap;
            sum += taps[tap] * x[k];
        }
        out[i] = sum;
    }
}

fn a_constant_number_of_iterations_is_checked_at_once(bench: &Bench) {
    let (x, taps) = ((0..25).map(|k| k as f32).collect(), vec![1.0, 2.0, 4.0, 2.0, 1.0]);
    let mut out = vec![0.0; 11];
    launch!(bench, filter(&x, &taps, &mut out), 1, 16);
    assert_eq!(out, (0..11).map(|i| 10.0 * (2 * i + 2) as f32).collect::<Vec<_>>());
    for len in 0..5 {
        let outcome = try_launch!(bench, filter(&vec![1.0; len], &taps, &mut vec![0.0]), 1, 1);
        assert_fails(outcome, "filter", FILTER_LINE, IndexOutOfBounds { index: len as u64, len: len as u64 });
        let outcome = try_launch!(bench, filter(&vec![1.0; 5], &vec![1.0; len], &mut vec![0.0]), 1, 1);
        assert_fails(outcome, "filter", FILTER_LINE, IndexOutOfBounds { index: len as u64, len: len as u64 });
    }
}

const SMALL_LINE: u32 = line!() + 8;

/// Counters that end at the largest value of their type, and signed ones.
#[gpu_kernel]
pub fn small_counters(x: &[u32], from: u8, signed: i8, out: &mut [u32]) {
    if grid_1d() == 0 {
        let mut sum = 0;
        for k in from..u8::MAX {
            sum += x[k as usize];
        }
        for k in signed..i8::MAX {
            sum += x[(k as i32 + 128) as usize] * 2;
        }
        out[0] = sum;
    }
}

fn counters_of_small_types_reach_their_last_value(bench: &Bench) {
    let x: Vec<u32> = (0..255).collect();
    for (from, signed) in [(0, i8::MIN), (1, -127), (250, 120), (251, 123), (254, 126), (255, 127), (7, -3)] {
        let mut out = vec![0];
        launch!(bench, small_counters(&x, from, signed, &mut out), 1, 1);
        let unsigned: u32 = (u32::from(from)..255).sum();
        let signed: u32 = (i32::from(signed)..127).map(|k| (k + 128) as u32 * 2).sum();
        assert_eq!(out, [unsigned + signed]);
    }
    let outcome = try_launch!(bench, small_counters(&vec![0; 100], 3, 127, &mut vec![0]), 1, 1);
    assert_fails(outcome, "small_counters", SMALL_LINE, IndexOutOfBounds { index: 100, len: 100 });
    let outcome = try_launch!(bench, small_counters(&vec![0; 100], 255, -30, &mut vec![0]), 1, 1);
    assert_fails(outcome, "small_counters", SMALL_LINE + 3, IndexOutOfBounds { index: 100, len: 100 });
}

const PICK_LINE: u32 = line!() + 7;

/// Elements of a matrix.
#[gpu_kernel]
pub fn pick(matrix: View<i32, 2>, rows: &[usize], columns: &[usize], out: &mut [i32]) {
    if grid_1d() == 0 {
        for k in 0..rows.len() {
            out[k] = matrix[[rows[k], columns[k]]];
        }
    }
}

fn every_axis_of_a_view_is_checked(bench: &Bench) {
    let elements: Vec<i32> = (0..12).collect();
    let try_with = |rows: Vec<usize>, columns: Vec<usize>, out: &mut Vec<i32>| {
        let matrix = view(&elements, [3, 4]);
        try_launch!(bench, pick(matrix, &rows, &columns, out), 1, 1)
    };
    let mut out = vec![0; 6];
    assert_eq!(try_with(vec![0, 2, 1, 1, 2, 0], vec![3, 0, 1, 2, 3, 0], &mut out), Ok(()));
    assert_eq!(out, [3, 8, 5, 6, 11, 0]);
    let outcome = try_with(vec![0, 3, 1, 1, 2, 0], vec![3, 0, 9, 2, 3, 0], &mut out);
    assert!(matches!(&outcome, Err(failure) if failure.line == PICK_LINE), "{outcome:?}");
    let outcome = try_with(vec![0, 2, 1, 1, 2, 0], vec![3, 0, 9, 2, 3, 0], &mut out);
    assert!(matches!(&outcome, Err(failure) if failure.line == PICK_LINE), "{outcome:?}");
}

const CHAIN_LINE: u32 = line!() + 8;

/// An element of an element of an element.
#[gpu_kernel]
pub fn chains(first: &[usize], second: &[usize], third: &[i32], out: &mut [i32]) {
    if grid_1d() == 0 {
        for k in 0..first.len() {
            let middle = second[first[k]];
            out[0] += third[middle + 1];
        }
    }
}

fn indices_behind_indices_are_checked(bench: &Bench) {
    let (first, second, third) = (vec![4, 2, 0, 1, 3, 4, 4], vec![1, 0, 3, 2, 1], vec![10, 20, 30, 40, 50]);
    let mut out = vec![0];
    launch!(bench, chains(&first, &second, &third, &mut out), 1, 1);
    assert_eq!(out, [30 + 50 + 30 + 20 + 40 + 30 + 30]);
    for bad in 0..7 {
        let mut wrong = first.clone();
        wrong[bad] = 5;
        let outcome = try_launch!(bench, chains(&wrong, &second, &third, &mut out), 1, 1);
        assert_fails(outcome, "chains", CHAIN_LINE - 1, IndexOutOfBounds { index: 5, len: 5 });
    }
    let outcome = try_launch!(bench, chains(&first, &vec![1, 0, 4, 2, 1], &third, &mut out), 1, 1);
    assert_fails(outcome, "chains", CHAIN_LINE, IndexOutOfBounds { index: 5, len: 5 });
}

const GATHERED_LINE: u32 = line!() + 18;

/// Elements of rows that words, signed numbers, indices and floats tell, and of a sum of two.
#[expect(clippy::too_many_arguments, reason = "one for each type of row")]
#[gpu_kernel]
pub fn gathered_rows(
    words: &[u32],
    signed: &[i32],
    wide: &[usize],
    floats: &[f32],
    x: &[i32],
    width: usize,
    column: usize,
    out: &mut [i32],
) {
    if grid_1d() == 0 {
        for k in 0..words.len() {
            out[0] += 1;
            out[1] += x[words[k] as usize * width + column];
        }
        for k in 0..signed.len() {
            let row = signed[k] as usize;
            out[0] += 1;
            out[1] += x[column + width * row];
        }
        for k in 0..wide.len() {
            out[0] += 1;
            out[1] += x[wide[k] * width + column];
        }
        for k in 0..floats.len() {
            out[0] += 1;
            out[1] += x[floats[k] as usize * width + column] + words[k] as i32;
        }
        for k in 0..words.len() {
            out[0] += 1;
            out[1] += x[words[k] as usize * width + wide[k] + 2 * k];
        }
    }
}

/// Runs `gathered_rows`, and compares it with what a loop of plain Rust finds.
#[track_caller]
fn compare_gathered(bench: &Bench, at: [&[i64]; 4], length: usize, width: usize, column: usize) {
    let words: Vec<u32> = at[0].iter().map(|row| *row as u32).collect();
    let signed: Vec<i32> = at[1].iter().map(|row| *row as i32).collect();
    let wide: Vec<usize> = at[2].iter().map(|row| *row as usize).collect();
    let floats: Vec<f32> = at[3].iter().map(|row| *row as f32).collect();
    let x: Vec<i32> = (0..length as i32).map(|at| at * at + 1).collect();
    let place = |row: usize| row.wrapping_mul(width).wrapping_add(column);
    let of_words = words.iter().map(|row| (place(*row as usize), 0, 0));
    let of_signed = signed.iter().map(|row| (place(*row as usize), 5, 0));
    let of_wide = wide.iter().map(|row| (place(*row), 9, 0));
    let of_floats = floats.iter().zip(&words).map(|(row, word)| (place(*row as usize), 13, *word as i32));
    let of_sums = words.iter().zip(&wide).enumerate();
    let of_sums = of_sums.map(|(k, (row, more))| ((*row as usize).wrapping_mul(width).wrapping_add(*more).wrapping_add(2 * k), 17, 0));
    let mut expected = vec![0, 0];
    let mut failure = None;
    for (index, line, more) in of_words.chain(of_signed).chain(of_wide).chain(of_floats).chain(of_sums) {
        expected[0] += 1;
        let Some(element) = x.get(index) else {
            failure = Some((GATHERED_LINE + line, IndexOutOfBounds { index: index as u64, len: length as u64 }));
            break;
        };
        expected[1] += element + more;
    }
    let mut out = vec![0, 0];
    let outcome = try_launch!(bench, gathered_rows(&words, &signed, &wide, &floats, &x, width, column, &mut out), 1, 1);
    match failure {
        None => assert_eq!(outcome, Ok(())),
        Some((line, cause)) => assert_fails(outcome, "gathered_rows", line, cause),
    }
    assert_eq!(out, expected);
}

fn gathered_rows_are_checked_where_they_are_largest(bench: &Bench) {
    let rows: Vec<i64> = (0..23).map(|k| k * 5 % 4).collect();
    compare_gathered(bench, [&rows, &rows, &rows, &rows], 80, 3, 2);
    // The last element of all, and the one behind it; the first row that is missing comes in every place.
    compare_gathered(bench, [&rows, &rows, &rows, &[]], 12, 3, 2);
    compare_gathered(bench, [&rows, &rows, &rows, &[]], 11, 3, 2);
    for bad in 0..23 {
        let mut wrong = rows.clone();
        wrong[bad] = 4;
        compare_gathered(bench, [&wrong, &rows, &rows, &rows], 12, 3, 1);
        compare_gathered(bench, [&rows, &wrong, &rows, &rows], 12, 3, 0);
        compare_gathered(bench, [&rows, &rows, &wrong, &rows], 12, 3, 2);
        compare_gathered(bench, [&rows, &rows, &rows, &wrong], 12, 3, 2);
    }
    // No columns, no elements, nothing to gather.
    compare_gathered(bench, [&rows, &rows, &rows, &rows], 60, 0, 3);
    compare_gathered(bench, [&rows, &rows, &rows, &rows], 3, 0, 3);
    compare_gathered(bench, [&rows, &rows, &rows, &rows], 0, 0, 0);
    compare_gathered(bench, [&[], &[], &[], &[]], 0, 3, 5);
    // The largest of all numbers.
    let most = [0, 1, 2, 3, i64::from(u32::MAX), 5];
    compare_gathered(bench, [&most, &[], &[], &[]], 12, 1, 2);
    compare_gathered(bench, [&[], &[0, 1, 2, i64::from(i32::MAX), 1, 0, 1, 1, 1], &[], &[]], 12, 1, 2);
}

/// A product that does not fit may be an index in bounds, as may one of a negative number.
fn gathered_rows_may_wrap_around(bench: &Bench) {
    let rows: Vec<i64> = (0..23).map(|k| 4 * (k % 3)).collect();
    compare_gathered(bench, [&rows, &rows, &rows, &rows], 80, 1 << 62, 7);
    for bad in 0..23 {
        let mut odd = rows.clone();
        odd[bad] = 3;
        compare_gathered(bench, [&odd, &[], &[], &[]], 80, 1 << 62, 7);
        odd[bad] = -1;
        compare_gathered(bench, [&[], &odd, &[], &[]], 80, 3, 5);
        compare_gathered(bench, [&[], &[], &odd, &[]], 80, 3, 2);
    }
    compare_gathered(bench, [&[0, 1, 2, 3, 4, 5, 6, 7, 8], &[], &[], &[]], 80, 1, usize::MAX - 3);
}

const VOUCHED_LINE: u32 = line!() + 9;

/// The first index shows that `double` has 32 bits. In groups, the second one is checked before it, for it waits for no load.
#[gpu_kernel]
pub fn vouched(first: &[u32], rows: &[u32], x: &[i32], z: &[i32], out: &mut [i32]) {
    if grid_1d() == 0 {
        let first = first[0] as usize;
        let double = first * 2;
        for k in 0..rows.len() {
            out[0] += x[rows[k] as usize + first * 2];
            out[1] += z[double + k];
        }
    }
}

fn what_one_check_shows_of_another_holds_behind_it(bench: &Bench) {
    let rows: Vec<u32> = (0..23).map(|k| k % 5).collect();
    let (x, z) = (vec![2; 20], vec![3; 40]);
    let mut out = vec![0, 0];
    launch!(bench, vouched(&vec![3], &rows, &x, &z, &mut out), 1, 1);
    assert_eq!(out, [2 * 23, 3 * 23]);
    // Of 2³² + 10, 32 bits are 10.
    let mut out = vec![0, 0];
    let outcome = try_launch!(bench, vouched(&vec![(1 << 31) + 5], &rows, &x, &z, &mut out), 1, 1);
    assert_fails(outcome, "vouched", VOUCHED_LINE, IndexOutOfBounds { index: (1 << 32) + 10, len: 20 });
    assert_eq!(out, [0, 0]);
    let outcome = try_launch!(bench, vouched(&vec![3], &rows, &x, &vec![3; 20], &mut out), 1, 1);
    assert_fails(outcome, "vouched", VOUCHED_LINE + 1, IndexOutOfBounds { index: 20, len: 20 });
    assert_eq!(out, [2 * 15, 3 * 14]);
}

#[derive(Debug, Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Span {
    pub start: u32,
}

#[gpu_kernel(block = 32)]
pub fn spans(x: &[f32], start: u32, out: &mut [f32]) {
    let mut shared_spans = shared::<[Span; 1]>();
    if thread_idx().x == 0 {
        shared_spans[0] = Span { start };
    }
    sync_threads();
    let span = &shared_spans[0];
    let mut sum = 0.0;
    for k in 0..16 {
        sum += x[span.start as usize + k];
    }
    let i = grid_1d();
    if i < out.len() {
        out[i] = sum;
    }
}

/// A reference into shared memory may be read twice, and the second time have another value.
fn what_other_threads_may_change_is_checked_where_it_is_used(bench: &Bench) {
    let x: Vec<f32> = (0..40).map(|i| i as f32).collect();
    let mut out = vec![0.0; 32];
    launch!(bench, spans(&x, 3, &mut out), 1, 32);
    assert_eq!(out, [168.0; 32]);
    assert!(!spans::cuda_source().contains("gr_group"), "{}", spans::cuda_source());
}
