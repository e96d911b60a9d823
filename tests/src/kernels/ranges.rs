//! `for` over ranges: exclusive, inclusive, reversed, stepped, up to the ends of the counter's type.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, launch};

cases![
    every_range_visits_what_its_iterator_does wraps = true,
    bounds_are_evaluated_once,
    a_counter_may_change_in_the_body,
    ranges_nest_with_jumps wraps = true,
    an_unused_counter_needs_no_name,
    loops_by_strides_and_halves_have_32_bits,
    ranges_end_with_constants wraps = true,
];

/// One kernel per kind of range: how many values it visits, and a sum that depends on their order.
macro_rules! range_kernels {
    ($module:ident, $T:ident, $bounds:expr) => {
        pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn ranges(low: &[$T], high: &[$T], step: &[usize], count: &mut [u64], sum: &mut [u64]) {
                let t = grid_1d();
                if t < low.len() {
                    let (a, b, by) = (low[t], high[t], step[t]);
                    let (mut n, mut s) = (0u64, 0u64);
                    for i in a..b {
                        n += 1;
                        s = s * 31 + i as u64;
                    }
                    count[8 * t] = n;
                    sum[8 * t] = s;
                    (n, s) = (0, 0);
                    for i in a..=b {
                        n += 1;
                        s = s * 31 + i as u64;
                    }
                    count[8 * t + 1] = n;
                    sum[8 * t + 1] = s;
                    (n, s) = (0, 0);
                    for i in (a..b).rev() {
                        n += 1;
                        s = s * 31 + i as u64;
                    }
                    count[8 * t + 2] = n;
                    sum[8 * t + 2] = s;
                    (n, s) = (0, 0);
                    for i in (a..=b).rev() {
                        n += 1;
                        s = s * 31 + i as u64;
                    }
                    count[8 * t + 3] = n;
                    sum[8 * t + 3] = s;
                    (n, s) = (0, 0);
                    for i in (a..b).step_by(by) {
                        n += 1;
                        s = s * 31 + i as u64;
                    }
                    count[8 * t + 4] = n;
                    sum[8 * t + 4] = s;
                    (n, s) = (0, 0);
                    for i in (a..=b).step_by(by) {
                        n += 1;
                        s = s * 31 + i as u64;
                    }
                    count[8 * t + 5] = n;
                    sum[8 * t + 5] = s;
                    (n, s) = (0, 0);
                    for i in (a..b).rev().step_by(by) {
                        n += 1;
                        s = s * 31 + i as u64;
                    }
                    count[8 * t + 6] = n;
                    sum[8 * t + 6] = s;
                    (n, s) = (0, 0);
                    for i in (a..=b).rev().step_by(3) {
                        n += 1;
                        s = s * 31 + i as u64;
                    }
                    count[8 * t + 7] = n;
                    sum[8 * t + 7] = s;
                }
            }

            pub fn check(bench: &Bench) {
                let bounds: Vec<($T, $T)> = $bounds;
                let cases: Vec<($T, $T, usize)> =
                    bounds.iter().flat_map(|&(a, b)| [1, 2, 7, 200, usize::MAX].map(|by| (a, b, by))).collect();
                let n = cases.len();
                let (low, high, step) = (
                    cases.iter().map(|case| case.0).collect(),
                    cases.iter().map(|case| case.1).collect(),
                    cases.iter().map(|case| case.2).collect(),
                );
                let (mut count, mut sum) = (vec![9; 8 * n], vec![9; 8 * n]);
                launch!(bench, ranges(&low, &high, &step, &mut count, &mut sum), n.div_ceil(32), 32);
                let fold = |values: &mut dyn Iterator<Item = $T>| {
                    values.fold((0u64, 0u64), |(n, s), i| (n + 1, s.wrapping_mul(31).wrapping_add(i as u64)))
                };
                let expected: Vec<(u64, u64)> = (cases.iter())
                    .flat_map(|&(a, b, by)| {
                        [
                            fold(&mut (a..b)),
                            fold(&mut (a..=b)),
                            fold(&mut (a..b).rev()),
                            fold(&mut (a..=b).rev()),
                            fold(&mut (a..b).step_by(by)),
                            fold(&mut (a..=b).step_by(by)),
                            fold(&mut (a..b).rev().step_by(by)),
                            fold(&mut (a..=b).rev().step_by(3)),
                        ]
                    })
                    .collect();
                let actual: Vec<(u64, u64)> = count.into_iter().zip(sum).collect();
                for (i, (actual, expected)) in actual.iter().zip(&expected).enumerate() {
                    let (a, b, by) = cases[i / 8];
                    assert_eq!(actual, expected, "range {} of {a}, {b} by {by} ({})", i % 8, stringify!($T));
                }
            }
        }
    };
}

macro_rules! edges {
    ($T:ident, $($low:expr, $high:expr);*) => {
        vec![
            (<$T>::MIN, <$T>::MIN),
            (<$T>::MAX, <$T>::MAX),
            (<$T>::MAX, <$T>::MIN),
            (<$T>::MIN, <$T>::MIN + 9),
            (<$T>::MAX - 9, <$T>::MAX),
            (<$T>::MAX - 1, <$T>::MAX),
            (5, 4),
            (0, 0),
            (0, 1),
            (0, 20),
            (3, 101),
            $(($low, $high)),*
        ]
    };
}

range_kernels!(over_i8, i8, edges!(i8, i8::MIN, i8::MAX; -5, 6));
range_kernels!(over_i16, i16, edges!(i16, -300, 300; -1, 0));
range_kernels!(over_i32, i32, edges!(i32, -5, 5; i32::MIN, i32::MIN + 1));
range_kernels!(over_i64, i64, edges!(i64, -5, 5; -1, -1));
range_kernels!(over_isize, isize, edges!(isize, -5, 5));
range_kernels!(over_u8, u8, edges!(u8, 0, 255; 100, 200));
range_kernels!(over_u16, u16, edges!(u16, 0, 999));
range_kernels!(over_u32, u32, edges!(u32, u32::MAX / 2, u32::MAX / 2 + 5));
range_kernels!(over_u64, u64, edges!(u64, u64::MAX / 2, u64::MAX / 2 + 5));
range_kernels!(over_usize, usize, edges!(usize, 17, 40));

fn every_range_visits_what_its_iterator_does(bench: &Bench) {
    for check in [
        over_i8::check,
        over_i16::check,
        over_i32::check,
        over_i64::check,
        over_isize::check,
        over_u8::check,
        over_u16::check,
        over_u32::check,
        over_u64::check,
        over_usize::check,
    ] {
        check(bench);
    }
}

/// The body changes the variables that the bounds are made of.
#[gpu_kernel]
pub fn changing_bounds(out: &mut [u32]) {
    let t = grid_1d();
    if t == 0 {
        let (mut low, mut high, mut by) = (2, 6, 1);
        for i in low..high {
            high = 100;
            low = 0;
            out[i] += 1;
        }
        for i in (low..=high / 20).rev() {
            high = 0;
            out[i] += 10;
        }
        for i in (low..8).step_by(by + 1) {
            by = 50;
            low += 1;
            out[i] += 100;
        }
        out[7] += (low + high + by) as u32;
    }
}

fn bounds_are_evaluated_once(bench: &Bench) {
    let mut out = vec![0; 8];
    launch!(bench, changing_bounds(&mut out), 1, 1);
    assert_eq!(out, [110, 10, 111, 11, 111, 11, 100, 54]);
}

/// `for mut i in …`: the change does not outlive the round.
#[gpu_kernel]
pub fn changing_counters(out: &mut [i32]) {
    if grid_1d() == 0 {
        for mut i in 0..4 {
            i *= 10;
            out[0] += i;
        }
        for mut i in (0..=4).rev() {
            i -= 2;
            out[1] = out[1] * 10 + i + 2;
        }
        for mut i in (0..10).step_by(4) {
            i += 1;
            out[2] = out[2] * 100 + i;
        }
        let i = 77;
        for i in 0..i - 74 {
            let i = i + 1;
            out[3] += i;
        }
        out[4] = i;
    }
}

fn a_counter_may_change_in_the_body(bench: &Bench) {
    let mut out = vec![0; 5];
    launch!(bench, changing_counters(&mut out), 1, 1);
    assert_eq!(out, [60, 43210, 10509, 6, 77]);
}

/// `continue` and `break` in every kind of range, also of the range further out.
#[gpu_kernel]
pub fn jumps_in_ranges(out: &mut [u64]) {
    let t = grid_1d();
    if t < out.len() {
        let mut s = 0;
        'outer: for i in (0..=20u64).rev() {
            for j in (0..i).step_by(3) {
                if j % 2 == 1 {
                    continue;
                }
                if i * j == 72 {
                    continue 'outer;
                }
                if j > 15 {
                    break;
                }
                s = s * 7 + j;
                if i == 3 + t as u64 {
                    break 'outer;
                }
            }
            s += i;
        }
        out[t] = s;
    }
}

fn ranges_nest_with_jumps(bench: &Bench) {
    let mut out = vec![0; 20];
    launch!(bench, jumps_in_ranges(&mut out), 1, 32);
    let expected: Vec<u64> = (0..20)
        .map(|t| {
            let mut s = 0u64;
            'outer: for i in (0..=20u64).rev() {
                // The values that get to the sum.
                for j in (0..i).step_by(6).take_while(|&j| j <= 15) {
                    if i * j == 72 {
                        continue 'outer;
                    }
                    s = s.wrapping_mul(7).wrapping_add(j);
                    if i == 3 + t {
                        break 'outer;
                    }
                }
                s = s.wrapping_add(i);
            }
            s
        })
        .collect();
    assert_eq!(out, expected);
}

/// `for _ in …`
#[gpu_kernel]
pub fn unnamed(out: &mut [u32]) {
    let t = grid_1d();
    if t < out.len() {
        for _ in 0..t {
            for _ in 0..=t {
                for _ in (0..10).step_by(5) {
                    out[t] += 1;
                }
            }
        }
    }
}

fn an_unused_counter_needs_no_name(bench: &Bench) {
    let mut out = vec![0; 5];
    launch!(bench, unnamed(&mut out), 1, 8);
    assert_eq!(out, [0, 4, 12, 24, 40]);
}

/// With indices of 32 bits, the loops with a step are plain ones, and the zeros above 32 bits count.
#[gpu_kernel(block = 16)]
pub fn strides_and_halves(n: usize, table: &[u32], out: &mut [u32]) {
    let mut row = shared::<[u32; 64]>();
    let t = thread_idx().x;
    let at = |k: usize, low: usize| table[(k % 16) * 4 + low % 4];
    for k in (t..64).step_by(16) {
        row[k] = at(k, t);
    }
    sync_threads();
    let first = grid_1d();
    let stride = grid_dim().x * block_dim().x;
    let mut gray = first ^ (first >> 1);
    let mut x = (n.trailing_zeros() + (!n).trailing_zeros() + n.leading_zeros() + n.count_ones()) * 1000;
    for k in 0..stride.trailing_zeros() as usize {
        if gray & 1 != 0 {
            x ^= row[k];
        }
        gray >>= 1;
    }
    let mut rest = n;
    while rest > 0 {
        x += (rest % 3) as u32;
        rest /= 3;
    }
    // 150 + 150 is no `u8`.
    for part in (0u8..200).step_by(150) {
        x += u32::from(part);
    }
    for i in (first..n).step_by(stride) {
        let zeros = (!(i | (stride - 1))).trailing_zeros() as usize;
        x ^= row[zeros];
        out[i] = x;
    }
}

fn loops_by_strides_and_halves_have_32_bits(bench: &Bench) {
    let table: Vec<u32> = (0..64u32).map(|k| (k * k).wrapping_mul(2_654_435_761) % 1_000_003).collect();
    for n in [0usize, 1, 64, 97, 255] {
        let mut out = vec![0; n];
        launch!(bench, strides_and_halves(n, &table, &mut out), 2, 16);
        let row = |k: usize| table[(k % 16) * 4 + k % 4];
        let mut expected = vec![0; n];
        for first in 0..32 {
            let mut x = (n.trailing_zeros() + (!n).trailing_zeros() + n.leading_zeros() + n.count_ones()) * 1000;
            let gray = first ^ (first >> 1);
            x = (0..5).filter(|k| gray >> k & 1 == 1).fold(x, |x, k| x ^ row(k));
            x += std::iter::successors(Some(n), |rest| Some(rest / 3))
                .take_while(|rest| *rest > 0)
                .map(|rest| (rest % 3) as u32)
                .sum::<u32>();
            x += 150;
            for i in (first..n).step_by(32) {
                x ^= row((!(i | 31)).trailing_zeros() as usize);
                expected[i] = x;
            }
        }
        assert_eq!(out, expected, "{n}");
    }
}

const RADIUS: i32 = 2;
const LAST: u8 = u8::MAX;

/// Also up to the largest number of a type, after which there is none.
#[gpu_kernel]
pub fn with_last(first: &[i32], out: &mut [[i64; 6]]) {
    let i = grid_1d();
    if i < first.len() && i < out.len() {
        let mut sums = [0i64; 6];
        for k in -RADIUS..=RADIUS {
            if k == 1 {
                continue;
            }
            sums[0] = sums[0] * 7 + k as i64;
        }
        for k in first[i] as u8..=LAST {
            sums[1] = sums[1] * 7 + k as i64;
        }
        for k in first[i]..=i32::MAX {
            if k < i32::MAX - 3 {
                break;
            }
            sums[2] = sums[2] * 7 + k as i64;
        }
        for mut k in first[i] as i8..=126 {
            k /= 2;
            sums[3] = sums[3] * 7 + k as i64;
        }
        for k in first[i] as i8..=127 {
            sums[4] = sums[4] * 7 + k as i64;
        }
        for k in (3..=5).rev() {
            sums[5] = sums[5] * 7 + k;
        }
        out[i] = sums;
    }
}

fn ranges_end_with_constants(bench: &Bench) {
    let first = [0, 1, 3, 100, 125, 126, 127, 200, 254, 255, -1, -128, i32::MAX - 3, i32::MAX - 1, i32::MAX];
    let mut out = vec![[0; 6]; first.len()];
    launch!(bench, with_last(&first.to_vec(), &mut out), 1, 32);
    let fold = |values: &mut dyn Iterator<Item = i64>| values.fold(0i64, |sum, k| sum.wrapping_mul(7).wrapping_add(k));
    for (first, found) in first.into_iter().zip(out) {
        let expected = [
            fold(&mut [-2, -1, 0, 2].into_iter()),
            fold(&mut (first as u8..=u8::MAX).map(i64::from)),
            fold(&mut (first..=i32::MAX).take_while(|k| *k >= i32::MAX - 3).map(i64::from)),
            fold(&mut (first as i8..=126).map(|k| i64::from(k / 2))),
            fold(&mut (first as i8..=127).map(i64::from)),
            (5 * 7 + 4) * 7 + 3,
        ];
        assert_eq!(found, expected, "{first}");
    }
}
