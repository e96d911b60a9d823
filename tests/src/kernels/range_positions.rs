//! Chains on ranges of every type of integers that need the position of each number: `zip`, `skip`, `take`, `rev` and `step_by` in any
//! order, with ends at both extremes of the type, and with more numbers than the type's largest one.

use gpu_runtime::prelude::*;

use crate::bench::Bench;
use crate::{cases, kernel_and_oracle, launch};

cases![ranges_with_positions_are_those_of_std wraps = true, literal_ranges_have_their_types wraps = true];

/// Adds a number to what depends on the order of all before it.
#[gpu_device]
fn put(out: &mut [u64], row: usize, value: u64) {
    out[2 * row] += 1;
    out[2 * row + 1] = out[2 * row + 1].wrapping_mul(31).wrapping_add(value);
}

#[gpu_device]
fn pair(a: u64, b: u64) -> u64 {
    a.wrapping_mul(3).wrapping_add(b)
}

/// The chains that std has for ranges of all types, and those in `$more`, with `$k`, and with `$by`, which is not 0. Each ends soon for
/// ranges of any length.
macro_rules! positions {
    ($module:ident, $T:ident, $rows:literal, |$a:ident, $b:ident, $k:ident, $by:ident, $out:ident| $more:block) => {
        pub mod $module {
            use super::*;

            kernel_and_oracle! {
                positions, oracle,
                ($a: $T, $b: $T, $k: usize, $by: usize, x: &[u32], $out: &mut [u64]) {
                    for i in ($a..$b).skip($k).take(7) { put($out, 0, i as u64); }
                    for i in ($a..=$b).skip($k).take(7) { put($out, 1, i as u64); }
                    for i in ($a..$b).rev().skip($k).take(7) { put($out, 2, i as u64); }
                    for i in ($a..=$b).rev().skip($k).take(7) { put($out, 3, i as u64); }
                    for i in ($a..$b).take($k % 300).skip(1) { put($out, 4, i as u64); }
                    for i in ($a..=$b).take($k % 300).skip(1) { put($out, 5, i as u64); }
                    for i in ($a..$b).step_by($by).skip($k % 300).take(7) { put($out, 6, i as u64); }
                    for i in ($a..=$b).step_by($by).skip($k % 300).take(7) { put($out, 7, i as u64); }
                    for i in ($a..$b).rev().step_by($by).skip($k % 300).take(7) { put($out, 8, i as u64); }
                    for i in ($a..=$b).rev().step_by($by).skip($k % 300).take(7) { put($out, 9, i as u64); }
                    for (i, v) in ($a..$b).zip(x) { put($out, 10, pair(i as u64, *v as u64)); }
                    for (v, i) in x.iter().zip($a..=$b) { put($out, 11, pair(i as u64, *v as u64)); }
                    for (v, i) in x.iter().zip(($a..=$b).rev()) { put($out, 12, pair(i as u64, *v as u64)); }
                    for (i, j) in ($a..=$b).zip(($a..$b).rev()).take($k % 300) { put($out, 13, pair(i as u64, j as u64)); }
                    for (i, j) in ($a..=$b).skip($k).zip(250..=255u8) { put($out, 14, pair(i as u64, j as u64)); }
                    for (n, i) in ($a..=$b).skip($k).enumerate().take(5) { put($out, 15, pair(i as u64, n as u64)); }
                    for i in ($a..=$b).skip($k).map(|i| i as u64 / 2).step_by(2).take(7) { put($out, 16, i); }
                    $more
                }
            }

            pub fn check(bench: &Bench) {
                let (zero, x) = (0 as $T, vec![3, 1, 4, 1, 5]);
                let ends = [$T::MIN, $T::MIN + 1, $T::MIN + 9, zero, zero + 1, 5, 20, 120, $T::MAX - 9, $T::MAX - 1, $T::MAX];
                for (a, b) in ends.iter().flat_map(|&a| ends.map(|b| (a, b))) {
                    for (k, by) in [(0, 1), (1, 2), (3, 100), (255, usize::MAX), (1 << 40, 1 << 60)] {
                        let (mut out, mut expected) = (vec![0; 2 * $rows], vec![0; 2 * $rows]);
                        oracle(a, b, k, by, &x, &mut expected);
                        launch!(bench, positions(a, b, k, by, &x, &mut out), 1, 1);
                        for row in 0..$rows {
                            let (actual, expected) = (&out[2 * row..2 * row + 2], &expected[2 * row..2 * row + 2]);
                            assert_eq!(actual, expected, "chain {row} of {a}, {b}, {k}, {by} ({})", stringify!($T));
                        }
                    }
                }
            }
        }
    };
}

/// The same, and what std has only where a range's length is a `usize` on every machine.
macro_rules! short {
    ($module:ident, $T:ident) => {
        positions!($module, $T, 24, |a, b, k, by, out| {
            for i in (a..b).step_by(by).rev().take(7) {
                put(out, 17, i as u64);
            }
            for i in (a..=b).step_by(by).rev().take(7) {
                put(out, 18, i as u64);
            }
            for i in (a..b).skip(k).rev().take(7) {
                put(out, 19, i as u64);
            }
            for i in (a..=b).skip(k).rev().step_by(by).take(7) {
                put(out, 20, i as u64);
            }
            for i in (a..=b).take(k % 300).rev().take(7) {
                put(out, 21, i as u64);
            }
            put(out, 23, (a..b).len() as u64);
            put(out, 23, (a..=b).len() as u64);
            put(out, 23, (a..=b).step_by(by).skip(1).map(|i| i as u64).len() as u64);
            for (i, j) in (a..=b).zip(a..b).rev().take(7) {
                put(out, 22, pair(i as u64, j as u64));
            }
        });
    };
}

macro_rules! long {
    ($($module:ident, $T:ident);*) => {
        $(positions!($module, $T, 17, |a, b, k, by, out| {});)*
    };
}

short!(of_i8, i8);
short!(of_u8, u8);
short!(of_i16, i16);
short!(of_u16, u16);
long!(of_i32, i32; of_u32, u32; of_i64, i64; of_u64, u64; of_isize, isize; of_usize, usize);

fn ranges_with_positions_are_those_of_std(bench: &Bench) {
    for check in [
        of_i8::check,
        of_u8::check,
        of_i16::check,
        of_u16::check,
        of_i32::check,
        of_u32::check,
        of_i64::check,
        of_u64::check,
        of_isize::check,
        of_usize::check,
    ] {
        check(bench);
    }
}

crate::value_arguments![other_crate::Rows];

const LAST: i16 = 300;

kernel_and_oracle! {
    literals, literals_plainly,
    (x: &[u32], taps: &[f32], n: i32, rows: other_crate::Rows, out: &mut [u64], sums: &mut [f32]) {
        for (i, v) in (0..=255u8).zip(x) { put(out, 0, pair(i.reverse_bits() as u64, *v as u64)); }
        for i in (0..=u8::MAX).skip(250) { put(out, 1, i as u64); }
        for i in (-128..=127i8).step_by(16).skip(1) { put(out, 2, i as u64); }
        for i in (-32768..32767i16).rev().step_by(9000).skip(1) { put(out, 3, i as u64); }
        for i in (-(LAST as i16)..=LAST as i16).step_by(100).skip(2) { put(out, 4, i as u64); }
        for (k, v) in (-2..=2).zip(x) { put(out, 5, pair((n + k) as u64, *v as u64)); }
        for (i, v) in (1..rows.count).zip(x) { put(out, 6, pair(i as u64, *v as u64)); }
        sums[0] = (-2..=2).zip(taps).map(|(k, w)| (n + k) as f32 * w).sum();
        sums[1] = (0..n).zip(taps.iter().skip(1)).map(|(k, w)| k as f32 * w).sum();
        sums[2] = (0..n - 100).zip(taps).map(|(k, w)| k as f32 * w).sum();
        out[14] = (0..=255u8).skip(1).map(|i| !i as u64).sum();
        out[16] = (-100..100i8).rev().skip(3).count() as u64;
        out[18] = (0..=255u8).rev().zip(0..=255u8).filter(|(i, j)| i > j).count() as u64;
        out[20] = (i64::MIN..i64::MAX).step_by(1 << 61).skip(1).fold(0, |s, i| pair(s, i as u64));
        out[24] = (0..3_000_000_000u32).take(5).sum::<u32>() as u64;
        out[25] = (7..4_000_000_000u32).skip(3_999_999_000).count() as u64;
        out[22] = (0..=u64::MAX).step_by(1 << 61).skip(1).take(6).fold(0, |s, i| pair(s, i));
    }
}

fn literal_ranges_have_their_types(bench: &Bench) {
    let x: Vec<u32> = (0..300).collect();
    let taps = [0.5, -1.0, 2.0, 0.25, 3.0];
    let rows = other_crate::Rows { count: 9 };
    for n in [-7, 0, 3, 104] {
        let (mut out, mut expected) = (vec![0; 26], vec![0; 26]);
        let (mut sums, mut expected_sums) = (vec![0.0; 3], vec![0.0; 3]);
        literals_plainly(&x, &taps, n, rows, &mut expected, &mut expected_sums);
        launch!(bench, literals(&x, &taps.to_vec(), n, rows, &mut out, &mut sums), 1, 1);
        assert_eq!((out, sums), (expected, expected_sums), "{n}");
    }
}
