//! `as` between every two types, at the edges, and the lossless conversions.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![
    every_cast_is_rusts,
    casts_compose,
    lossless_conversions_keep_the_value,
    conversions_that_may_fail_tell_it,
    bit_patterns_keep_their_bits,
    literals_are_cast_by_value
];

/// Casts from one type to every type that it can be cast to.
macro_rules! cast_kernel {
    ($module:ident, $From:ident, $samples:expr) => {
        pub mod $module {
            use super::*;

            #[gpu_kernel]
            #[expect(clippy::too_many_arguments, reason = "one of every type")]
            pub fn cast(
                x: &[$From],
                a: &mut [i8],
                b: &mut [i16],
                c: &mut [i32],
                d: &mut [i64],
                e: &mut [isize],
                f: &mut [u8],
                g: &mut [u16],
                h: &mut [u32],
                j: &mut [u64],
                k: &mut [usize],
                l: &mut [f32],
                m: &mut [f64],
            ) {
                let i = grid_1d();
                if i < x.len() {
                    a[i] = x[i] as i8;
                    b[i] = x[i] as i16;
                    c[i] = x[i] as i32;
                    d[i] = x[i] as i64;
                    e[i] = x[i] as isize;
                    f[i] = x[i] as u8;
                    g[i] = x[i] as u16;
                    h[i] = x[i] as u32;
                    j[i] = x[i] as u64;
                    k[i] = x[i] as usize;
                    l[i] = x[i] as f32;
                    m[i] = x[i] as f64;
                }
            }

            pub fn check(bench: &Bench) {
                let x: Vec<$From> = $samples.to_vec();
                let n = x.len();
                let (mut a, mut b, mut c, mut d, mut e) = (vec![0; n], vec![0; n], vec![0; n], vec![0; n], vec![0; n]);
                let (mut f, mut g, mut h, mut j, mut k) = (vec![0; n], vec![0; n], vec![0; n], vec![0; n], vec![0; n]);
                let (mut l, mut m) = (vec![0.0; n], vec![0.0; n]);
                launch!(
                    bench,
                    cast(&x, &mut a, &mut b, &mut c, &mut d, &mut e, &mut f, &mut g, &mut h, &mut j, &mut k, &mut l, &mut m),
                    n.div_ceil(32),
                    32
                );
                assert_same(&a, &x.iter().map(|&x| x as i8).collect::<Vec<_>>());
                assert_same(&b, &x.iter().map(|&x| x as i16).collect::<Vec<_>>());
                assert_same(&c, &x.iter().map(|&x| x as i32).collect::<Vec<_>>());
                assert_same(&d, &x.iter().map(|&x| x as i64).collect::<Vec<_>>());
                assert_same(&e, &x.iter().map(|&x| x as isize).collect::<Vec<_>>());
                assert_same(&f, &x.iter().map(|&x| x as u8).collect::<Vec<_>>());
                assert_same(&g, &x.iter().map(|&x| x as u16).collect::<Vec<_>>());
                assert_same(&h, &x.iter().map(|&x| x as u32).collect::<Vec<_>>());
                assert_same(&j, &x.iter().map(|&x| x as u64).collect::<Vec<_>>());
                assert_same(&k, &x.iter().map(|&x| x as usize).collect::<Vec<_>>());
                assert_same(&l, &x.iter().map(|&x| x as f32).collect::<Vec<_>>());
                assert_same(&m, &x.iter().map(|&x| x as f64).collect::<Vec<_>>());
            }
        }
    };
}

macro_rules! integer_samples {
    ($T:ident) => {
        [<$T>::MIN, <$T>::MIN + 1, <$T>::MAX / 2, 0, 1, 2, 100, 127, <$T>::MAX / 3, <$T>::MAX - 1, <$T>::MAX]
    };
}

/// The edges of every integer type and the floats next to them.
macro_rules! float_samples {
    ($F:ident) => {{
        let mut samples: Vec<$F> =
            vec![0.0, -0.0, 0.5, -0.5, 0.99999, -0.99999, 1.5, -1.5, 1e-40, <$F>::NAN, <$F>::INFINITY, <$F>::NEG_INFINITY];
        samples.extend([<$F>::MAX, <$F>::MIN, <$F>::MIN_POSITIVE, 16777217.0, 1e20, -1e20]);
        for bits in [7, 8, 15, 16, 31, 32, 63, 64] {
            let edge = (bits as $F).exp2();
            for sample in [edge, edge - 1.0, edge - 0.5, edge + 1.0, edge.next_down(), edge.next_up()] {
                samples.extend([sample, -sample]);
            }
        }
        samples
    }};
}

cast_kernel!(from_i8, i8, integer_samples!(i8));
cast_kernel!(from_i16, i16, integer_samples!(i16));
cast_kernel!(from_i32, i32, integer_samples!(i32));
cast_kernel!(from_i64, i64, integer_samples!(i64));
cast_kernel!(from_isize, isize, integer_samples!(isize));
cast_kernel!(from_u8, u8, integer_samples!(u8));
cast_kernel!(from_u16, u16, integer_samples!(u16));
cast_kernel!(from_u32, u32, integer_samples!(u32));
cast_kernel!(from_u64, u64, integer_samples!(u64));
cast_kernel!(from_usize, usize, integer_samples!(usize));
cast_kernel!(from_f32, f32, float_samples!(f32));
cast_kernel!(from_f64, f64, float_samples!(f64));

fn every_cast_is_rusts(bench: &Bench) {
    for check in [
        from_i8::check,
        from_i16::check,
        from_i32::check,
        from_i64::check,
        from_isize::check,
        from_u8::check,
        from_u16::check,
        from_u32::check,
        from_u64::check,
        from_usize::check,
        from_f32::check,
        from_f64::check,
    ] {
        check(bench);
    }
}

/// Chains of casts, and casts inside expressions.
#[gpu_kernel]
pub fn chains(x: &[f64], out: &mut [i64]) {
    let i = grid_1d();
    if i < x.len() {
        out[5 * i] = x[i] as u8 as i8 as i64;
        out[5 * i + 1] = (x[i] as i32 as u16 as f32 * 1.5) as i64;
        out[5 * i + 2] = -(x[i] as i8 as i64);
        out[5 * i + 3] = (x[i] > 0.0) as i64 + (x[i] < 300.0) as u8 as i64;
        out[5 * i + 4] = x[i] as u32 as usize as i64 - 1;
    }
}

fn casts_compose(bench: &Bench) {
    let x = vec![0.0, 200.7, -3.9, 70000.0, 1e300, f64::NAN, -1e10];
    let mut out = vec![0; 5 * x.len()];
    launch!(bench, chains(&x, &mut out), 1, 32);
    let expected: Vec<i64> = (x.iter())
        .flat_map(|&x| {
            let wrapped = f64::from(x as i32 as u16) * 1.5;
            [
                i64::from(x as u8 as i8),
                wrapped as i64,
                -i64::from(x as i8),
                i64::from(x > 0.0) + i64::from(x < 300.0),
                i64::from(x as u32) - 1,
            ]
        })
        .collect();
    assert_eq!(out, expected);
}

/// `T::from(x)`.
#[gpu_kernel]
pub fn lossless(a: &[u8], b: &[i16], c: &[u32], d: &[f32], e: &[bool], out: &mut [f64], wide: &mut [i64]) {
    let i = grid_1d();
    if i < a.len() {
        out[i] = f64::from(a[i]) + f64::from(b[i]) + f64::from(c[i]) + f64::from(d[i]);
        wide[i] = i64::from(a[i]) + i64::from(b[i]) * 1000 + i64::from(c[i]) + i64::from(e[i]) + u64::from(c[i]) as i64;
    }
}

fn lossless_conversions_keep_the_value(bench: &Bench) {
    let (mut out, mut wide) = (vec![0.0; 2], vec![0; 2]);
    let (a, b, c, d, e) = (vec![255, 1], vec![-32768, 32767], vec![u32::MAX, 7], vec![0.1, -2.5], vec![true, false]);
    launch!(bench, lossless(&a, &b, &c, &d, &e, &mut out, &mut wide), 1, 2);
    assert_same(&out, &[255.0 - 32768.0 + 4294967295.0 + f64::from(0.1f32), 1.0 + 32767.0 + 7.0 - 2.5]);
    assert_eq!(wide, [255 - 32768000 + 2 * 4294967295 + 1, 1 + 32767000 + 14]);
}

/// `to_bits` and `from_bits`.
#[gpu_kernel]
pub fn bit_patterns(x: &[f32], y: &[f64], out32: &mut [u32], out64: &mut [u64], back32: &mut [f32], back64: &mut [f64]) {
    let i = grid_1d();
    if i < x.len() {
        out32[i] = x[i].to_bits();
        out64[i] = y[i].to_bits();
        back32[i] = f32::from_bits(x[i].to_bits() ^ 0x8000_0000);
        back64[i] = f64::from_bits(y[i].to_bits() + 1);
    }
}

fn bit_patterns_keep_their_bits(bench: &Bench) {
    let (x, y) = (vec![0.0f32, -1.5, f32::MAX, 1e-45, f32::INFINITY], vec![0.0f64, -1.5, f64::MAX, 5e-324, 1.0]);
    let (mut a, mut b, mut c, mut d) = (vec![0; 5], vec![0; 5], vec![0.0; 5], vec![0.0; 5]);
    launch!(bench, bit_patterns(&x, &y, &mut a, &mut b, &mut c, &mut d), 1, 5);
    assert_eq!(a, x.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
    assert_eq!(b, y.iter().map(|y| y.to_bits()).collect::<Vec<_>>());
    assert_same(&c, &x.iter().map(|x| -x).collect::<Vec<_>>());
    assert_same(&d, &y.iter().map(|y| f64::from_bits(y.to_bits() + 1)).collect::<Vec<_>>());
}

/// Casts of literals and constants.
#[gpu_kernel]
pub fn cast_literals(out: &mut [i64]) {
    if grid_1d() == 0 {
        out[0] = 255 as u8 as i8 as i64;
        out[1] = -1i32 as u32 as i64;
        out[2] = 3.99 as i64 + -3.99f32 as i64;
        out[3] = (300.5f32 as u8) as i64 + (-1.0f64 as u64) as i64;
        out[4] = u64::MAX as f32 as u64 as i64;
        out[5] = true as i64 + b'0' as i64;
        out[6] = i32::MIN as i64 - i8::MAX as i64 + u32::BITS as i64;
        out[7] = f32::MAX as f64 as i64;
    }
}

fn literals_are_cast_by_value(bench: &Bench) {
    let mut out = vec![0; 8];
    launch!(bench, cast_literals(&mut out), 1, 1);
    assert_eq!(out, [-1, 4294967295, 0, 255, -1, 49, -2147483648 - 127 + 32, i64::MAX]);
}

/// Which integers have the value of one, and the sum of those.
macro_rules! conversion_kernel {
    ($module:ident, $From:ident) => {
        pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn convert(x: &[$From], out: &mut [u64]) {
                let i = grid_1d();
                if i < x.len() && i < out.len() {
                    let mut sum = 0u64;
                    if let Ok(v) = i8::try_from(x[i]) {
                        sum = sum.wrapping_add(v as u64 ^ 1);
                    }
                    if i16::try_from(x[i]).is_err() {
                        sum = sum.wrapping_add(1000);
                    }
                    sum = sum.wrapping_add(i32::try_from(x[i]).unwrap_or(77) as u64 ^ 2);
                    sum = sum.wrapping_add(i64::try_from(x[i]).map_or(78, |v| v as u64 ^ 3));
                    let small: u8 = x[i].try_into().unwrap_or(200);
                    sum = sum.wrapping_add(small as u64 ^ 4);
                    let found: Option<u16> = x[i].try_into().ok();
                    sum = sum.wrapping_add(found.unwrap_or(79) as u64 ^ 5);
                    let value = x[i];
                    sum = sum.wrapping_add(match u32::try_from(value) {
                        Ok(v) => v as u64 ^ 6,
                        Err(_) => 80,
                    });
                    sum = sum.wrapping_add(u64::try_from(value).unwrap_or_else(|_| 81) ^ 7);
                    sum = sum.wrapping_add(usize::try_from(value).unwrap_or_default() as u64 ^ 8);
                    out[i] = sum;
                }
            }

            pub fn check(bench: &Bench) {
                let around = [i128::from($From::MIN), i128::from($From::MAX), 0, 127, 255, 32767, 65535, 1 << 31, 1 << 32, 1 << 63];
                let near = around.iter().flat_map(|at| (-2..=2).flat_map(move |by| [at + by, -at - by, -256]));
                let x: Vec<$From> = near.filter_map(|value| $From::try_from(value).ok()).collect();
                let mut out = vec![0; x.len()];
                launch!(bench, convert(&x, &mut out), x.len().div_ceil(32), 32);
                let expected = x.iter().map(|&x| {
                    let parts = [
                        i8::try_from(x).map_or(0, |v| v as u64 ^ 1),
                        if i16::try_from(x).is_err() { 1000 } else { 0 },
                        i32::try_from(x).unwrap_or(77) as u64 ^ 2,
                        i64::try_from(x).map_or(78, |v| v as u64 ^ 3),
                        u64::from(u8::try_from(x).unwrap_or(200)) ^ 4,
                        u64::from(u16::try_from(x).unwrap_or(79)) ^ 5,
                        u32::try_from(x).map_or(80, |v| u64::from(v) ^ 6),
                        u64::try_from(x).unwrap_or(81) ^ 7,
                        usize::try_from(x).unwrap_or(0) as u64 ^ 8,
                    ];
                    parts.iter().fold(0, |sum: u64, part| sum.wrapping_add(*part))
                });
                assert_same(&out, &expected.collect::<Vec<_>>());
            }
        }
    };
}

conversion_kernel!(try_i8, i8);
conversion_kernel!(try_i32, i32);
conversion_kernel!(try_i64, i64);
conversion_kernel!(try_u8, u8);
conversion_kernel!(try_u16, u16);
conversion_kernel!(try_u32, u32);
conversion_kernel!(try_u64, u64);

fn conversions_that_may_fail_tell_it(bench: &Bench) {
    try_i8::check(bench);
    try_i32::check(bench);
    try_i64::check(bench);
    try_u8::check(bench);
    try_u16::check(bench);
    try_u32::check(bench);
    try_u64::check(bench);
}
