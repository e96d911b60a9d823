//! `while` loops that count, counters with a sign, and nests of loops: checked before or behind, they must fail as if each index were checked in
//! its turn.

use gpu_runtime::FailureCause::{self, Assertion, IndexOutOfBounds};
use gpu_runtime::prelude::*;

use crate::bench::{Bench, Failure};
use crate::{cases, launch, try_launch};

cases![
    rows_with_signed_limits_are_summed,
    a_signed_counter_may_be_no_index,
    counting_may_end_early,
    larger_steps_fail_where_they_are wraps = true,
    a_loop_ends_where_its_step_would_wrap_around wraps = true,
    products_before_a_failure_stay,
    a_nest_fails_at_its_first_bad_index,
    limits_out_of_order_are_reported,
];

/// The failure of the only thread.
#[track_caller]
fn assert_fails(outcome: Result<(), Failure>, kernel: &str, line: u32, cause: FailureCause) {
    let expected = Failure { kernel: kernel.to_owned(), line, cause, block: [0; 3], thread: [0; 3] };
    assert_eq!(outcome, Err(expected));
}

const EDGE_LINE: u32 = line!() + 10;

/// The least cost of a vertex's neighbours: all numbers have a sign.
#[gpu_kernel]
pub fn least_neighbour(starts: &[i32], edges: &[i32], cost: &[i32], out: &mut [i32]) {
    let v = grid_1d();
    if v < out.len() {
        let (mut best, mut e) = (1000, starts[v]);
        let end = starts[v + 1];
        while e < end {
            let u = edges[e as usize];
            let c = cost[u as usize] + 1;
            if c < best {
                best = c;
            }
            e += 1;
        }
        out[v] = best * 100 + e;
    }
}

fn rows_with_signed_limits_are_summed(bench: &Bench) {
    let starts: Vec<i32> = (0..30).map(|v| v * (v + 1) / 2).collect();
    let edges: Vec<i32> = (0..435).map(|e| e * 7 % 30).collect();
    let cost: Vec<i32> = (0..30).map(|v| v * 11 % 30).collect();
    let mut out = vec![0; 29];
    launch!(bench, least_neighbour(&starts, &edges, &cost, &mut out), 1, 32);
    for v in 0..29 {
        let of_row = (starts[v]..starts[v + 1]).map(|e| cost[edges[e as usize] as usize] + 1);
        assert_eq!(out[v], of_row.min().unwrap_or(1000) * 100 + starts[v + 1]);
    }
}

fn a_signed_counter_may_be_no_index(bench: &Bench) {
    let try_with = |starts: [i32; 2], edges: &Vec<i32>| {
        try_launch!(bench, least_neighbour(&starts.to_vec(), edges, &vec![5, 3, 4], &mut vec![0]), 1, 1)
    };
    let wide = |number: i32| i64::from(number) as u64;
    for count in 1..24 {
        let edges: Vec<i32> = (0..count).map(|e| e % 3).collect();
        assert_eq!(try_with([0, count], &edges), Ok(()));
        // Beyond the end, and before the start.
        assert_fails(
            try_with([0, count + 2], &edges),
            "least_neighbour",
            EDGE_LINE,
            IndexOutOfBounds { index: wide(count), len: wide(count) },
        );
        for start in [-1, -3, -20, i32::MIN] {
            let cause = IndexOutOfBounds { index: wide(start), len: wide(count) };
            assert_fails(try_with([start, count], &edges), "least_neighbour", EDGE_LINE, cause);
        }
        assert_fails(try_with([-9, -1], &edges), "least_neighbour", EDGE_LINE, IndexOutOfBounds { index: wide(-9), len: wide(count) });
        for bad in 0..count {
            for vertex in [3, -1, i32::MIN, i32::MAX] {
                let mut edges = edges.clone();
                edges[bad as usize] = vertex;
                let outcome = try_with([0, count], &edges);
                assert_fails(outcome, "least_neighbour", EDGE_LINE + 1, IndexOutOfBounds { index: wide(vertex), len: 3 });
            }
        }
    }
    // No round.
    assert_eq!(try_with([-5, -5], &vec![0]), Ok(()));
    assert_eq!(try_with([7, -7], &vec![0]), Ok(()));
}

/// Looks in rows for what is larger than a limit: the counter goes on where the row before has ended.
#[gpu_kernel]
pub fn find_in_rows(x: &[u32], ends: &[usize], limit: u32, out: &mut [usize]) {
    if grid_1d() == 0 {
        let mut k = 0;
        let mut skipped = 0;
        for row in 0..ends.len() {
            let end = ends[row];
            while k < end {
                if x[k] > limit {
                    break;
                }
                k += 1;
            }
            out[row] = k;
            // Not counted: a step may be left out.
            let mut j = 0;
            while j < end {
                j += 1;
                if j % 2 == 1 {
                    continue;
                }
                skipped += 1;
            }
        }
        out[ends.len()] = skipped;
    }
}

fn counting_may_end_early(bench: &Bench) {
    let x: Vec<u32> = (0..40).map(|k| if k == 23 { 9 } else { k % 5 }).collect();
    let mut out = vec![0; 5];
    launch!(bench, find_in_rows(&x, &vec![5, 17, 30, 40], 8, &mut out), 1, 1);
    assert_eq!(out, [5, 17, 23, 23, 2 + 8 + 15 + 20]);
    launch!(bench, find_in_rows(&x, &vec![0, 17, 9, 40], 10, &mut out), 1, 1);
    assert_eq!(out, [0, 17, 17, 40, 8 + 4 + 20]);
}

/// How far one step of a loop leads.
const STRIDE: usize = 4;

/// What every fourth column selects, and where the counter ends.
macro_rules! strided_kernel {
    ($name:ident, $step:expr) => {
        #[gpu_kernel]
        pub fn $name(first: usize, end: usize, columns: &[u32], weights: &[i32], out: &mut [usize]) {
            if grid_1d() == 0 {
                let (mut k, mut sum) = (first, 0);
                while k < end {
                    sum = sum * 3 + weights[columns[k] as usize];
                    k += $step;
                }
                out[0] = sum as usize;
                out[1] = k;
            }
        }
    };
}

strided_kernel!(strided_by_number, 4);
strided_kernel!(strided_by_constant, STRIDE);
strided_kernel!(strided_by_block, block_dim().x);

#[gpu_kernel]
pub fn strided_range(first: usize, end: usize, columns: &[u32], weights: &[i32], out: &mut [usize]) {
    if grid_1d() == 0 {
        let (mut last, mut sum) = (first, 0);
        for k in (first..end).step_by(STRIDE) {
            sum = sum * 3 + weights[columns[k] as usize];
            last = k + STRIDE;
        }
        out[0] = sum as usize;
        out[1] = last;
    }
}

fn larger_steps_fail_where_they_are(bench: &Bench) {
    let weights: Vec<i32> = (0..9).map(|k| k * k - 20).collect();
    macro_rules! check {
        ($name:ident) => {{
            let try_with = |first: usize, end: usize, columns: &Vec<u32>, out: &mut Vec<usize>| {
                try_launch!(bench, $name(first, end, columns, &weights, out), 1, 4).map_err(|failure| (failure.kernel, failure.cause))
            };
            for count in [0, 1, 3, 4, 5, 17, 32, 33, 70] {
                let columns: Vec<u32> = (0..count).map(|k| k as u32 * 5 % 9).collect();
                for first in [0, 2, 80] {
                    let mut out = vec![0; 2];
                    assert_eq!(try_with(first, count, &columns, &mut out), Ok(()));
                    let places = || (first..count).step_by(4);
                    let sum = places().fold(0i32, |sum, k| sum.wrapping_mul(3).wrapping_add(weights[columns[k] as usize]));
                    assert_eq!(out, [sum as usize, places().last().map_or(first, |last| last + 4)]);
                    for bad in places() {
                        let mut columns = columns.clone();
                        columns[bad] = 9 + bad as u32;
                        let cause = IndexOutOfBounds { index: 9 + bad as u64, len: 9 };
                        assert_eq!(try_with(first, count, &columns, &mut vec![0; 2]), Err((stringify!($name).to_owned(), cause)));
                    }
                }
                // Behind the last column.
                let index = count.next_multiple_of(4);
                let cause = IndexOutOfBounds { index: index as u64, len: count as u64 };
                assert_eq!(try_with(0, index + 1, &columns, &mut vec![0; 2]), Err((stringify!($name).to_owned(), cause)));
            }
        }};
    }
    check!(strided_by_number);
    check!(strided_by_constant);
    check!(strided_by_block);
    check!(strided_range);
}

/// How often it goes on, and where it stops.
#[gpu_kernel]
pub fn stride_rounds(first: usize, end: usize, out: &mut [usize]) {
    if grid_1d() == 0 {
        let (mut i, mut rounds) = (first, 0);
        while i < end {
            rounds += 1;
            if rounds == 9 {
                break;
            }
            i += 4;
        }
        out[0] = rounds;
        out[1] = i;
    }
}

/// The same of a loop whose indices are checked ahead.
#[gpu_kernel]
pub fn strided_turns(first: usize, end: usize, columns: &[u32], weights: &[u32], out: &mut [u32]) {
    if grid_1d() == 0 {
        let (mut k, mut sum) = (first, 0);
        while k < end {
            sum += weights[columns[k & 7] as usize];
            k += 4;
        }
        out[0] = sum;
    }
}

/// The same in steps of which a few fit 32 bits, to an end that fits them and the end and a step do not.
#[gpu_kernel]
pub fn far_turns(end: usize, most: usize, columns: &[u32], weights: &[u32], out: &mut [u32]) {
    if grid_1d() == 0 {
        let mut sum = 0;
        for k in (0..end.min(most)).step_by(300_000_000) {
            sum += weights[columns[k / 300_000_000] as usize + 1];
        }
        out[0] = sum;
    }
}

fn a_loop_ends_where_its_step_would_wrap_around(bench: &Bench) {
    const MAX: usize = usize::MAX;
    for (first, end, expected) in [
        (0, 0, [0, 0]),
        (1, 9, [2, 9]),
        (1, 10, [3, 13]),
        (5, 100, [9, 37]),
        (MAX - 10, MAX - 3, [2, MAX - 2]),
        (MAX - 10, MAX - 2, [2, MAX - 2]),
        (MAX - 10, MAX - 1, [3, 1]),
        (MAX - 10, MAX, [3, 1]),
        (MAX - 100, MAX, [9, MAX - 68]),
    ] {
        let mut out = vec![7; 2];
        launch!(bench, stride_rounds(first, end, &mut out), 1, 32);
        assert_eq!(out, expected, "from {first} to {end}");
    }
    for (first, end) in [(0, 100), (3, 64), (MAX - 31, MAX), (MAX - 32, MAX - 1), (MAX - 129, MAX), (MAX - 300, MAX - 3), (MAX, MAX)] {
        let mut out = vec![0];
        let (columns, weights): (Vec<u32>, Vec<u32>) = ((0..8).map(|k| k * 3 % 8).collect(), (0..8).map(|k| 1 << k).collect());
        launch!(bench, strided_turns(first, end, &columns, &weights, &mut out), 1, 32);
        let expected: u32 = (first..end).step_by(4).map(|k| weights[columns[k & 7] as usize]).sum();
        assert_eq!(out, [expected], "from {first} to {end}");
    }
    let ends = [0usize, 1, 300_000_001, 1_000_000_000, 3_000_000_000, 3_900_000_000, 4_250_000_000, 6_000_000_000];
    for (end, most) in ends.into_iter().flat_map(|end| ends.map(|most| (end, most))) {
        let mut out = vec![0];
        let (columns, weights): (Vec<u32>, Vec<u32>) = ((0..20).collect(), (0..21).map(|k| 1 << k).collect());
        launch!(bench, far_turns(end, most, &columns, &weights, &mut out), 1, 32);
        assert_eq!(out, [(2 << end.min(most).div_ceil(300_000_000)) - 2], "to {end}, {most}");
    }
}

const SCALE_LINE: u32 = line!() + 9;

/// Scales a range of an array from `first` on.
#[gpu_kernel]
pub fn scale_range(x: &mut [i32], first: i32, end: i32) {
    if grid_1d() == 0 {
        let mut sum = 0;
        for k in first..end {
            sum += k;
            x[k as usize] *= sum;
        }
    }
}

fn products_before_a_failure_stay(bench: &Bench) {
    let sums: Vec<i32> = (0..7).map(|k| (2..=k).sum()).collect();
    let mut x = vec![1; 7];
    launch!(bench, scale_range(&mut x, 2, 6), 1, 1);
    assert_eq!(x[..], [1, 1, sums[2], sums[3], sums[4], sums[5], 1]);
    let mut x = vec![1; 7];
    let outcome = try_launch!(bench, scale_range(&mut x, 2, 9), 1, 1);
    assert_fails(outcome, "scale_range", SCALE_LINE, IndexOutOfBounds { index: 7, len: 7 });
    assert_eq!(x[2..], sums[2..]);
    let mut x = vec![1; 7];
    let outcome = try_launch!(bench, scale_range(&mut x, -2, 5), 1, 1);
    assert_fails(outcome, "scale_range", SCALE_LINE, IndexOutOfBounds { index: (-2i64) as u64, len: 7 });
    assert_eq!(x, [1; 7]);
}

const RADIUS: i32 = 1;
const PIXEL_LINE: u32 = line!() + 12;

/// The sum around a pixel, with coordinates that are clamped.
#[gpu_kernel]
pub fn sum_around(image: &[u8], at: &[i32], width: i32, height: i32, out: &mut [i32]) {
    if grid_1d() == 0 {
        let (x, y) = (at[0], at[1]);
        let mut sum = out[0];
        for dy in -RADIUS..=RADIUS {
            for dx in -1..=1 {
                let cx = (x + dx).clamp(0, width - 1);
                let cy = (y + dy).clamp(0, height - 1);
                let value = image[(cy * width + cx) as usize];
                if value == 255 {
                    continue;
                }
                sum += value as i32 * (3 * dy + dx + 5);
            }
        }
        out[0] = sum;
    }
}

fn a_nest_fails_at_its_first_bad_index(bench: &Bench) {
    let image: Vec<u8> = (0..20).map(|at| if at == 7 { 255 } else { at * 3 }).collect();
    let around = |x: i32, y: i32, pixels: usize| {
        let mut sum = 100;
        for (dy, dx) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dy, dx))) {
            let at = ((y + dy).clamp(0, 3) * 5 + (x + dx).clamp(0, 4)) as usize;
            if at >= pixels {
                return Err(at as u64);
            }
            sum += if image[at] == 255 { 0 } else { i32::from(image[at]) * (3 * dy + dx + 5) };
        }
        Ok(sum)
    };
    for (x, y) in [(0, 0), (2, 1), (4, 3), (-9, 9), (1, 2)] {
        for pixels in [0, 1, 6, 13, 19, 20] {
            let mut out = vec![100];
            let outcome = try_launch!(bench, sum_around(&image[..pixels].to_vec(), &vec![x, y], 5, 4, &mut out), 1, 1);
            match around(x, y, pixels) {
                Ok(sum) => assert_eq!((outcome, out), (Ok(()), vec![sum])),
                Err(index) => {
                    assert_fails(outcome, "sum_around", PIXEL_LINE, IndexOutOfBounds { index, len: pixels as u64 });
                    assert_eq!(out, [100]);
                }
            }
        }
    }
}

fn limits_out_of_order_are_reported(bench: &Bench) {
    let message = "the lower limit of `clamp` is at most the upper one";
    for (width, height, line) in [(0, 4, PIXEL_LINE - 2), (5, 0, PIXEL_LINE - 1), (-3, -3, PIXEL_LINE - 2)] {
        let outcome = try_launch!(bench, sum_around(&vec![1; 20], &vec![1, 1], width, height, &mut vec![0]), 1, 1);
        assert_fails(outcome, "sum_around", line, Assertion { message });
    }
}
