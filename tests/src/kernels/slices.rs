//! Parts of arrays, `&x[a..b]` and `&mut x[a..b]`, which device functions take as slices.

use gpu_runtime::FailureCause::Assertion;
use gpu_runtime::prelude::*;

use crate::bench::{Bench, Failure};
use crate::{cases, kernel_and_oracle, launch, try_launch};

cases![
    parts_of_slices_are_passed wraps = true,
    parts_are_changed_in_place,
    parts_have_names_and_parts,
    items_of_chains_are_passed,
    chunks_are_changed,
    own_chunks_are_changed,
    parts_are_filled_and_copied,
    parts_of_shared_arrays_are_passed,
    parts_of_fields_and_of_rows_are_passed,
    ends_are_evaluated_once_and_in_order,
    ranges_out_of_bounds_are_reported,
    ranges_out_of_bounds_of_a_part_are_reported,
    a_part_is_of_the_variables_that_were_visible_where_it_was_made,
    an_index_beyond_a_part_fails,
    patterns_take_slices_apart,
];

#[gpu_device]
fn total(values: &[i32]) -> i32 {
    let mut sum = 0;
    for value in values {
        sum = sum * 3 + *value;
    }
    sum
}

#[gpu_device]
fn product(a: &[i32], b: &[i32]) -> i32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[gpu_device]
fn scale(values: &mut [i32], by: i32) {
    for k in 0..values.len() {
        values[k] *= by;
    }
}

#[gpu_kernel]
pub fn row_totals(x: &[i32], width: usize, out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() && i < x.len() {
        let row = i * width;
        out[i] = total(&x[row..row + width]) - total(&x[..=i]) * 5 + total(&x[i..]) + total(&x[..]);
        let few = &x[row..][..width];
        out[i] += product(few, &x[1..]);
    }
}

fn parts_of_slices_are_passed(bench: &Bench) {
    let x: Vec<i32> = (0..60).map(|i| i * 7 % 11 - 3).collect();
    let mut out = vec![0; 20];
    launch!(bench, row_totals(&x, 3, &mut out), 1, 32);
    let expected = (0..20).map(|i| {
        let row = &x[i * 3..i * 3 + 3];
        let sums = total(row).wrapping_sub(total(&x[..=i]).wrapping_mul(5)).wrapping_add(total(&x[i..])).wrapping_add(total(&x));
        sums.wrapping_add(product(row, &x[1..]))
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

/// The part of each thread is its own, so a safe launch exists.
#[gpu_kernel]
pub fn scaled_rows(rows: &mut [i32], by: &[i32]) {
    let i = grid_1d();
    if i < by.len() && i < rows.len() / 4 {
        scale(&mut rows[i * 4..i * 4 + 4], by[i]);
        scale(&mut rows[4 * i + 1..4 * i + 3], 3);
        rows[i * 4] += total(&rows[i * 4 + 1..(i + 1) * 4]);
    }
}

fn parts_are_changed_in_place(bench: &Bench) {
    let by: Vec<i32> = (0..20).map(|i| i - 7).collect();
    let mut rows: Vec<i32> = (0..82).map(|i| i * 5 % 13).collect();
    let mut expected = rows.clone();
    launch!(bench, scaled_rows(&mut rows, &by), 1, 32);
    for (row, by) in expected.chunks_exact_mut(4).zip(&by) {
        scale(row, *by);
        scale(&mut row[1..3], 3);
        row[0] += total(&row[1..]);
    }
    assert_eq!(rows, expected);

    let device = Device::cpu();
    let (mut array, by) = (device.to_device(&[1; 8]).expect("copied"), device.to_device(&[2, 4]).expect("copied"));
    scaled_rows(&mut array, &by).launch(1, 32).expect("a safe launch");
    assert_eq!(array.to_host().expect("copied"), [2 + 6 * 9 + 6 * 3 + 2, 6, 6, 2, 4 + 12 * 9 + 12 * 3 + 4, 12, 12, 4]);
}

#[gpu_device]
fn last_two(values: &[i32]) -> i32 {
    let end = &values[values.len() - 2..];
    total(end) + end[0] + end.len() as i32
}

#[gpu_kernel]
pub fn named_parts(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i + 5 <= x.len() && i < out.len() {
        let part = &x[i..i + 5];
        let mut own = [1, 2, 3, 4, 5, 6];
        let middle = &mut own[1..5];
        middle[0] += part[4];
        scale(middle, part[1]);
        scale(&mut middle[1..=2], -1);
        out[i] = total(part) + last_two(&part[..4]) + last_two(&own) + total(&own[i % 6..]);
    }
}

fn parts_have_names_and_parts(bench: &Bench) {
    let x: Vec<i32> = (0..40).map(|i| i * 7 % 11 - 3).collect();
    let mut out = vec![0; 36];
    launch!(bench, named_parts(&x, &mut out), 2, 32);
    let expected = x.windows(5).enumerate().map(|(i, part)| {
        let mut own = [1, 2, 3, 4, 5, 6];
        own[1] += part[4];
        scale(&mut own[1..5], part[1]);
        scale(&mut own[2..4], -1);
        total(part) + last_two(&part[..4]) + last_two(&own) + total(&own[i % 6..])
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[gpu_kernel]
pub fn items_passed(x: &[i32], size: usize, out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() {
        let mut sum = 0;
        for chunk in x.chunks_exact(size) {
            sum += total(chunk) ^ i as i32;
        }
        out[i] = sum + x.windows(2).map(|pair| product(pair, &pair[1..])).sum::<i32>();
    }
}

fn items_of_chains_are_passed(bench: &Bench) {
    let x: Vec<i32> = (0..23).map(|i| i * 7 % 11 - 3).collect();
    let mut out = vec![0; 8];
    launch!(bench, items_passed(&x, 4, &mut out), 1, 32);
    let pairs: i32 = x.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let expected = (0..8).map(|i| x.chunks_exact(4).map(|chunk| total(chunk) ^ i).sum::<i32>() + pairs);
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[gpu_kernel]
pub fn chunks_changed(x: &[i32], width: usize, rows: &mut [i32], parts: &mut [i32]) {
    let threads = block_dim().x * grid_dim().x;
    for (r, row) in rows.chunks_exact_mut(width).enumerate().skip(grid_1d()).step_by(threads) {
        row[0] += r as i32;
        for (v, w) in row.iter_mut().zip(x[r..r + 2].iter()) {
            *v *= *w;
        }
        scale(row, 3);
        for pair in row.chunks_mut(2) {
            let last = &pair[pair.len() - 1];
            pair[0] = *last - 1;
        }
    }
    for part in parts.chunks_mut(4).skip(grid_1d()).step_by(threads) {
        let count = part.len() as i32;
        for v in part.iter_mut() {
            *v = *v * 10 + count;
        }
    }
}

fn chunks_are_changed(bench: &Bench) {
    let x: Vec<i32> = (0..23).map(|i| i * 7 % 11 - 3).collect();
    let (mut rows, mut parts) = (x.clone(), x.clone());
    launch!(bench, chunks_changed(&x, 5, &mut rows, &mut parts), 1, 3);
    let mut expected = x.clone();
    for (r, row) in expected.chunks_exact_mut(5).enumerate() {
        row[0] += r as i32;
        row[0] *= x[r];
        row[1] *= x[r + 1];
        row.iter_mut().for_each(|v| *v *= 3);
        for at in [1, 3, 4] {
            row[at / 2 * 2] = row[at] - 1;
        }
    }
    assert_eq!(rows, expected);
    let count = |i: usize| if i < 20 { 4 } else { 3 };
    assert_eq!(parts, x.iter().enumerate().map(|(i, v)| v * 10 + count(i)).collect::<Vec<_>>());
}

/// A safe launch: each thread has the chunks of a range of its own.
#[gpu_kernel]
pub fn own_chunks(width: usize, size: usize, rows: &mut [i32], counts: &mut [i32]) {
    let i = grid_1d();
    for (c, part) in rows[i * width..(i + 1) * width].chunks_mut(size).enumerate() {
        part[0] += 10 * c as i32;
        for v in part.iter_mut() {
            *v *= 3;
        }
    }
    let own = &mut counts[i * 4..i * 4 + 4];
    for part in own.chunks_mut(3) {
        let length = part.len() as i32;
        for v in part.iter_mut() {
            *v += length;
        }
    }
}

/// A safe launch: each thread has a range of its own, the last of which is shorter, and a pair.
#[gpu_kernel]
pub fn parts_filled(x: &[i32], out: &mut [i32], pairs: &mut [i32]) {
    let i = grid_1d();
    let (first, n) = (i * 8, out.len());
    if first < n {
        let own = &mut out[first..(first + 8).min(n)];
        own.fill(1);
        for part in own.chunks_mut(3).skip(1) {
            part.copy_from_slice(&x[..part.len()]);
        }
    }
    for pair in pairs.chunks_exact_mut(2).skip(i).take(1) {
        for v in pair {
            *v += 5;
        }
    }
    if i < n / 8 {
        pairs[i * 2..i * 2 + 2].fill(7);
    }
}

fn parts_are_filled_and_copied(bench: &Bench) {
    let x = vec![4, 5, 6];
    let (mut out, mut pairs) = (vec![0; 20], vec![0; 7]);
    launch!(bench, parts_filled(&x, &mut out, &mut pairs), 1, 4);
    assert_eq!(out, [1, 1, 1, 4, 5, 6, 4, 5, 1, 1, 1, 4, 5, 6, 4, 5, 1, 1, 1, 4]);
    assert_eq!(pairs, [7, 7, 7, 7, 5, 5, 0]);
}

fn own_chunks_are_changed(bench: &Bench) {
    let x: Vec<i32> = (0..28).map(|i| i * 7 % 11 - 3).collect();
    let mut counts = vec![0; 16];
    for (width, size) in [(7, 3), (7, 7), (7, 1), (7, usize::MAX)] {
        let mut rows = x.clone();
        counts.fill(1);
        launch!(bench, own_chunks(width, size, &mut rows, &mut counts), 2, 2);
        let mut expected = x.clone();
        for row in expected.chunks_mut(width) {
            for (c, part) in row.chunks_mut(size).enumerate() {
                part[0] += 10 * c as i32;
                part.iter_mut().for_each(|v| *v *= 3);
            }
        }
        assert_eq!(rows, expected);
        assert_eq!(counts, [4, 4, 4, 2].repeat(4));
    }
}

#[gpu_kernel(block = 32)]
pub fn shared_parts(x: &[i32], out: &mut [i32]) {
    let mut tile = shared::<[i32; 64]>();
    let (t, i) = (thread_idx().x, grid_1d());
    if i < x.len() {
        tile[2 * t] = x[i];
        tile[2 * t + 1] = 1;
        scale(&mut tile[2 * t..2 * t + 2], 10);
    }
    sync_threads();
    if i < out.len() && i < x.len() {
        out[i] = total(&tile[t..t + 3]);
    }
}

fn parts_of_shared_arrays_are_passed(bench: &Bench) {
    let x: Vec<i32> = (0..64).map(|i| i * 3 % 50).collect();
    let mut out = vec![0; 64];
    launch!(bench, shared_parts(&x, &mut out), 2, 32);
    let expected = (0..64).map(|i| {
        let tile: Vec<i32> = x[i / 32 * 32..][..32].iter().flat_map(|value| [value * 10, 10]).collect();
        total(&tile[i % 32..][..3])
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
}

#[derive(Debug, Clone, Copy, PartialEq, DeviceType)]
#[repr(C)]
pub struct Filter {
    weights: [i32; 4],
    bias: i32,
}

#[gpu_device]
impl Filter {
    fn apply(&self, values: &[i32], from: usize) -> i32 {
        product(&self.weights[from..], values) + self.bias
    }

    fn smoothed(values: &mut [i32], by: i32) -> Self {
        scale(values, by);
        Filter { weights: [values[0], values[1], by, 0], bias: total(values) }
    }
}

#[gpu_kernel]
pub fn filtered(filters: &mut [Filter], matrices: &mut [[[i32; 3]; 2]], x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() && i < filters.len() && i < matrices.len() {
        scale(&mut filters[i].weights[i % 2..3], 2);
        scale(&mut matrices[i][1][..2], filters[i].bias);
        let matrix = matrices[i];
        out[i] = filters[i].apply(&x[i..], 1) + total(&matrices[i][0][1..]) + total(&matrix[1][0..2]);
        let part = &mut matrices[i][0][1..];
        let first = Filter::smoothed(part, 3);
        out[i] += first.bias * 7 + Filter::smoothed(&mut matrices[i][1][..2], 2).bias;
    }
}

fn parts_of_fields_and_of_rows_are_passed(bench: &Bench) {
    let mut filters: Vec<_> = (0..9).map(|i| Filter { weights: [i, 1 - i, 2, 3 * i], bias: i - 4 }).collect();
    let mut matrices: Vec<[[i32; 3]; 2]> = (0..9).map(|i| [[i, 2, 3], [-i, 5, i * i]]).collect();
    let x: Vec<i32> = (0..20).map(|i| i * i % 17).collect();
    let (mut expected_filters, mut expected_matrices) = (filters.clone(), matrices.clone());
    let mut out = vec![0; 9];
    launch!(bench, filtered(&mut filters, &mut matrices, &x, &mut out), 1, 32);
    let changed = expected_filters.iter_mut().zip(&mut expected_matrices).enumerate();
    let expected = changed.map(|(i, (filter, matrix))| {
        scale(&mut filter.weights[i % 2..3], 2);
        scale(&mut matrix[1][..2], filter.bias);
        let applied = filter.apply(&x[i..], 1) + total(&matrix[0][1..]) + total(&matrix[1][..2]);
        let first = Filter::smoothed(&mut matrix[0][1..], 3);
        applied + first.bias * 7 + Filter::smoothed(&mut matrix[1][..2], 2).bias
    });
    assert_eq!(out, expected.collect::<Vec<_>>());
    assert_eq!((filters, matrices), (expected_filters, expected_matrices));
}

#[gpu_device]
fn next(counter: &mut usize) -> usize {
    *counter += 1;
    *counter
}

#[gpu_kernel]
pub fn counted_ends(x: &[i32], out: &mut [i32]) {
    let i = grid_1d();
    if i < out.len() && i + 7 < x.len() {
        let mut at = i;
        let sum = product(&x[next(&mut at)..next(&mut at) + 2], &x[next(&mut at)..]);
        out[i] = sum * 100 + (at - i) as i32;
    }
}

fn ends_are_evaluated_once_and_in_order(bench: &Bench) {
    let x: Vec<i32> = (0..30).map(|i| i * i % 17).collect();
    let mut out = vec![0; 20];
    launch!(bench, counted_ends(&x, &mut out), 1, 32);
    let expected = (0..20).map(|i| product(&x[i + 1..i + 4], &x[i + 3..]) * 100 + 3);
    assert_eq!(out, expected.collect::<Vec<_>>());
}

const LINE: u32 = line!() + 6;

/// Fails in the thread 3, of the range that these numbers are of.
#[gpu_kernel]
pub fn ranged(x: &[i32], start: usize, end: usize, out: &mut [i32]) {
    if grid_1d() == 3 {
        out[0] = total(&x[start..end]) + total(&x[start..]);
    }
}

fn ranges_out_of_bounds_are_reported(bench: &Bench) {
    let x = vec![1; 10];
    let mut out = vec![0];
    for (start, end) in [(0, 0), (10, 10), (3, 10)] {
        assert_eq!(try_launch!(bench, ranged(&x, start, end, &mut out), 1, 32), Ok(()));
    }
    for (start, end) in [(0, 11), (5, 4), (11, 11), (usize::MAX, 2), (2, usize::MAX)] {
        let cause = Assertion { message: "the range of a slice is in bounds" };
        let failure = Failure { kernel: "ranged".to_owned(), line: LINE, cause, block: [0; 3], thread: [3, 0, 0] };
        assert_eq!(try_launch!(bench, ranged(&x, start, end, &mut out), 1, 32), Err(failure), "{start}..{end}");
    }
}

const LINE_OF_PART: u32 = line!() + 6;

/// The same for a range of a part that has a name.
#[gpu_kernel]
pub fn ranged_in_part(x: &[i32], start: usize, end: usize, out: &mut [i32]) {
    let part = &x[4..8];
    out[0] = total(&part[start..end]);
}

fn ranges_out_of_bounds_of_a_part_are_reported(bench: &Bench) {
    let x = vec![1; 10];
    let mut out = vec![0];
    for (start, end) in [(0, 0), (4, 4), (1, 3)] {
        assert_eq!(try_launch!(bench, ranged_in_part(&x, start, end, &mut out), 1, 1), Ok(()));
    }
    // Three of them are within the whole slice.
    for (start, end) in [(0, 5), (3, 2), (usize::MAX - 1, 2), (usize::MAX, 5)] {
        let failure = try_launch!(bench, ranged_in_part(&x, start, end, &mut out), 1, 1).expect_err("it is out of bounds");
        let cause = Assertion { message: "the range of a slice is in bounds" };
        assert_eq!((failure.cause, failure.line), (cause, LINE_OF_PART), "{start}..{end}");
    }
}

/// The sum of the ends, or what is left in the middle.
#[gpu_device]
fn ends(x: &[i32]) -> i32 {
    match x {
        [] => -1,
        [only] => *only * 10,
        [first, middle @ .., last] => first + last + 100 * middle.len() as i32,
    }
}

#[gpu_device]
fn marked(x: &[i32]) -> i32 {
    match x {
        [7, ..] => 7,
        [_, 1..=3, third, ..] => *third,
        [.., 9] => 9,
        _ => 0,
    }
}

kernel_and_oracle! {
    take_apart, take_apart_plainly,
    (x: &[i32], out: &mut [i32]) {
        for n in 0..out.len() {
            out[n] = ends(&x[..n]) + marked(&x[n..]) * 1000;
            let part = &x[n..];
            let [a, b, rest @ ..] = part else {
                out[n] -= 50_000;
                continue;
            };
            out[n] += a * b;
            for r in rest {
                out[n] += r;
            }
            if let [head @ .., last] = rest {
                out[n] += head.iter().sum::<i32>() * last;
            } else {
                out[n] = -out[n];
            }
            let sums = [n as i32, *b, 3];
            let [start, tail @ ..] = sums;
            out[n] += start + tail[0] * tail[1];
            out[n] += match part {
                [a, ..] if *a == 5 => *a,
                [] => -1,
                [a, b] if a < b => a + b,
                [_, rest @ ..] if rest.len() > 3 && rest[1] > 3 => rest[0],
                [.., a] if *a < 0 => -2,
                _ if part.len() == 1 => 500,
                [a, b, ..] => a * b,
                _ => 9,
            };
        }
    }
}

fn patterns_take_slices_apart(bench: &Bench) {
    let x = vec![5, 2, 8, 7, 1, 4, -3, 9];
    let (mut out, mut expected) = (vec![0; 9], vec![0; 9]);
    launch!(bench, take_apart(&x, &mut out), 1, 1);
    take_apart_plainly(&x, &mut expected);
    assert_eq!(out, expected);
}

// New variables hide what a part, a chain or a pattern of a slice was made of.
kernel_and_oracle! {
    hidden, hidden_plainly,
    (x: &[i32], pairs: &[[i32; 2]], out: &mut [i64]) {
        let (from, to): (usize, usize) = (1, 5);
        let part = &x[from..to];
        let whole = x[0];
        let from: usize = 0;
        let to: usize = 3;
        out[0] = part[from] as i64 + 10 * part[to] as i64;
        let part = &part[1..to];
        out[1] = part[0] as i64 + 100 * part.iter().sum::<i32>() as i64;
        for x in x.chunks_exact(3) {
            out[2] += (x[0] - x[2]) as i64;
        }
        let x = &x[2..];
        let x = &x[..4];
        out[3] = x[1] as i64 * x.len() as i64;
        {
            let own = [1000, 2000, 3000];
            let x = own;
            let part = part[1];
            out[4] = x[1] as i64 + part as i64;
        }
        out[5] = x.iter().map(|x| x * 2).map(|v| v + whole).sum::<i32>() as i64;
        out[6] = x.iter().zip(part).map(|(part, x)| part * 5 - x).sum::<i32>() as i64;
        for (part, x) in x.iter().zip(part) {
            out[7] = out[7] * 3 + (part - 2 * x) as i64;
        }
        if let [pairs, rest @ ..] = pairs {
            out[8] = pairs[1] as i64;
            for pairs in rest {
                out[8] = out[8] * 5 + (pairs[0] * 3 - pairs[1]) as i64;
            }
        }
        let at: usize = 1;
        for (at, pair) in pairs[at..].iter().enumerate() {
            out[9] += pair[0] as i64 * at as i64;
        }
        if let Some(pairs) = pairs.get(at) {
            out[9] -= 4 * pairs[1] as i64;
        }
        let last = &pairs[at..];
        out[10] = last[1][0] as i64 * 10 - last[last.len() - 1][at] as i64;
    }
}

fn a_part_is_of_the_variables_that_were_visible_where_it_was_made(bench: &Bench) {
    let x: Vec<i32> = (0..11).map(|i| i * i % 7 - 3).collect();
    let pairs: Vec<[i32; 2]> = (0..5).map(|i| [i * i + 1, 3 - i]).collect();
    let (mut out, mut expected) = (vec![0i64; 11], vec![0i64; 11]);
    hidden_plainly(&x, &pairs, &mut expected);
    launch!(bench, hidden(&x, &pairs, &mut out), 1, 1);
    assert_eq!(out, expected);
}

/// Where `beyond_a_part` makes its part.
const PART: u32 = line!() + 4;

#[gpu_kernel]
pub fn beyond_a_part(x: &[i32], end: usize, k: usize, out: &mut [i32]) {
    let row = &x[1..end];
    out[0] = row[k];
}

fn an_index_beyond_a_part_fails(bench: &Bench) {
    let x = vec![1, 2, 3, 4];
    let mut out = vec![0];
    launch!(bench, beyond_a_part(&x, 3, 1, &mut out), 1, 1);
    assert_eq!(out, [3]);
    for (end, k, message, line) in [
        (3, 2, "the index is in bounds of the part of a slice", PART + 1),
        (5, 0, "the range of a slice is in bounds", PART),
        (0, 0, "the range of a slice is in bounds", PART),
    ] {
        let failure = try_launch!(bench, beyond_a_part(&x, end, k, &mut out), 1, 1).expect_err("it is out of bounds");
        assert_eq!((failure.cause, failure.line), (Assertion { message }, line));
    }
}
