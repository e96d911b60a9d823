//! Every scalar type as a parameter, by value and in slices.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![
    every_scalar_arrives_whole,
    every_slice_is_read_and_written,
    every_length_is_its_own,
    bools_stay_bools,
    an_empty_slice_has_no_elements,
    literals_that_do_not_fit_wrap_around,
];

/// Writes thirteen numbers of thirteen types where they belong.
#[gpu_kernel]
#[expect(clippy::too_many_arguments, reason = "one of every type")]
pub fn store_scalars(
    a: i8,
    b: i16,
    c: i32,
    d: i64,
    e: isize,
    f: u8,
    g: u16,
    h: u32,
    i: u64,
    j: usize,
    k: f32,
    l: f64,
    m: bool,
    out_a: &mut [i8],
    out_b: &mut [i16],
    out_c: &mut [i32],
    out_d: &mut [i64],
    out_e: &mut [isize],
    out_f: &mut [u8],
    out_g: &mut [u16],
    out_h: &mut [u32],
    out_i: &mut [u64],
    out_j: &mut [usize],
    out_k: &mut [f32],
    out_l: &mut [f64],
    out_m: &mut [bool],
) {
    let t = grid_1d();
    if t == 0 {
        out_a[t] = a;
        out_b[t] = b;
        out_c[t] = c;
        out_d[t] = d;
        out_e[t] = e;
        out_f[t] = f;
        out_g[t] = g;
        out_h[t] = h;
        out_i[t] = i;
        out_j[t] = j;
        out_k[t] = k;
        out_l[t] = l;
        out_m[t] = m;
    }
}

fn every_scalar_arrives_whole(bench: &Bench) {
    let (mut a, mut b, mut c, mut d, mut e) = (vec![0i8], vec![0i16], vec![0i32], vec![0i64], vec![0isize]);
    let (mut f, mut g, mut h, mut i, mut j) = (vec![0u8], vec![0u16], vec![0u32], vec![0u64], vec![0usize]);
    let (mut k, mut l, mut m) = (vec![0f32], vec![0f64], vec![false]);
    launch!(
        bench,
        store_scalars(
            i8::MIN,
            i16::MIN,
            i32::MIN,
            i64::MIN,
            isize::MIN,
            u8::MAX,
            u16::MAX,
            u32::MAX,
            u64::MAX,
            usize::MAX,
            -0.1f32,
            f64::MIN_POSITIVE,
            true,
            &mut a,
            &mut b,
            &mut c,
            &mut d,
            &mut e,
            &mut f,
            &mut g,
            &mut h,
            &mut i,
            &mut j,
            &mut k,
            &mut l,
            &mut m
        ),
        1,
        1
    );
    assert_eq!((a[0], b[0], c[0], d[0], e[0]), (i8::MIN, i16::MIN, i32::MIN, i64::MIN, isize::MIN));
    assert_eq!((f[0], g[0], h[0], i[0], j[0]), (u8::MAX, u16::MAX, u32::MAX, u64::MAX, usize::MAX));
    assert_same(&k, &[-0.1]);
    assert_same(&l, &[f64::MIN_POSITIVE]);
    assert!(m[0]);
}

/// Copies thirteen slices of thirteen types.
#[gpu_kernel]
#[expect(clippy::too_many_arguments, reason = "one of every type")]
pub fn copy_slices(
    a: &[i8],
    b: &[i16],
    c: &[i32],
    d: &[i64],
    e: &[isize],
    f: &[u8],
    g: &[u16],
    h: &[u32],
    i: &[u64],
    j: &[usize],
    k: &[f32],
    l: &[f64],
    m: &[bool],
    out_a: &mut [i8],
    out_b: &mut [i16],
    out_c: &mut [i32],
    out_d: &mut [i64],
    out_e: &mut [isize],
    out_f: &mut [u8],
    out_g: &mut [u16],
    out_h: &mut [u32],
    out_i: &mut [u64],
    out_j: &mut [usize],
    out_k: &mut [f32],
    out_l: &mut [f64],
    out_m: &mut [bool],
) {
    let t = grid_1d();
    if t < a.len() {
        out_a[t] = a[t];
        out_b[t] = b[t];
        out_c[t] = c[t];
        out_d[t] = d[t];
        out_e[t] = e[t];
        out_f[t] = f[t];
        out_g[t] = g[t];
        out_h[t] = h[t];
        out_i[t] = i[t];
        out_j[t] = j[t];
        out_k[t] = k[t];
        out_l[t] = l[t];
        out_m[t] = m[t];
    }
}

fn every_slice_is_read_and_written(bench: &Bench) {
    const N: usize = 70;
    fn sample<T>(f: impl Fn(i64) -> T) -> Vec<T> {
        (0..N as i64).map(|i| f(i.wrapping_mul(0x1234_5678_9abc_def1) + 7)).collect()
    }
    let (a, b, c, d, e) = (sample(|x| x as i8), sample(|x| x as i16), sample(|x| x as i32), sample(|x| x), sample(|x| x as isize));
    let (f, g, h, i, j) = (sample(|x| x as u8), sample(|x| x as u16), sample(|x| x as u32), sample(|x| x as u64), sample(|x| x as usize));
    let (k, l, m) = (sample(|x| x as f32), sample(|x| x as f64), sample(|x| x % 3 == 0));
    let (mut a2, mut b2, mut c2, mut d2, mut e2) = (vec![0; N], vec![0; N], vec![0; N], vec![0; N], vec![0; N]);
    let (mut f2, mut g2, mut h2, mut i2, mut j2) = (vec![0; N], vec![0; N], vec![0; N], vec![0; N], vec![0; N]);
    let (mut k2, mut l2, mut m2) = (vec![0.0; N], vec![0.0; N], vec![false; N]);
    launch!(
        bench,
        copy_slices(
            &a, &b, &c, &d, &e, &f, &g, &h, &i, &j, &k, &l, &m, &mut a2, &mut b2, &mut c2, &mut d2, &mut e2, &mut f2, &mut g2, &mut h2,
            &mut i2, &mut j2, &mut k2, &mut l2, &mut m2
        ),
        3,
        32
    );
    assert_eq!((a, b, c, d, e), (a2, b2, c2, d2, e2));
    assert_eq!((f, g, h, i, j), (f2, g2, h2, i2, j2));
    assert_same(&k2, &k);
    assert_same(&l2, &l);
    assert_eq!(m, m2);
}

/// The lengths of three slices.
#[gpu_kernel]
pub fn lengths(x: &[u8], y: &[f64], out: &mut [usize]) {
    if grid_1d() == 0 {
        out[0] = x.len();
        out[1] = y.len();
        out[2] = out.len();
        out[3] = if x.is_empty() { 1 } else { 2 };
    }
}

fn every_length_is_its_own(bench: &Bench) {
    let mut out = vec![0; 5];
    launch!(bench, lengths(&vec![0; 3], &vec![0.0; 11], &mut out), 1, 1);
    assert_eq!(out, [3, 11, 5, 2, 0]);
}

fn an_empty_slice_has_no_elements(bench: &Bench) {
    let mut out = vec![9; 4];
    launch!(bench, lengths(&Vec::new(), &Vec::new(), &mut out), 1, 1);
    assert_eq!(out, [0, 0, 4, 1]);
}

/// Truth tables.
#[gpu_kernel]
pub fn bools(x: &[bool], y: &[bool], flag: bool, out: &mut [bool]) {
    let t = grid_1d();
    if t < x.len() {
        let (a, b) = (x[t], y[t]);
        out[8 * t] = a & b;
        out[8 * t + 1] = a | b;
        out[8 * t + 2] = a ^ b;
        out[8 * t + 3] = !a;
        out[8 * t + 4] = a == b;
        out[8 * t + 5] = a < b;
        out[8 * t + 6] = a && !b || flag;
        let mut c = a;
        c &= b;
        c |= flag;
        c ^= true;
        out[8 * t + 7] = c;
    }
}

fn bools_stay_bools(bench: &Bench) {
    let (x, y) = (vec![false, false, true, true], vec![false, true, false, true]);
    for flag in [false, true] {
        let mut out = vec![false; 32];
        launch!(bench, bools(&x, &y, flag, &mut out), 1, 32);
        let expected: Vec<bool> =
            x.iter().zip(&y).flat_map(|(&a, &b)| [a & b, a | b, a ^ b, !a, a == b, !a & b, (a & !b) | flag, !((a & b) | flag)]).collect();
        assert_eq!(out, expected);
    }
}

#[allow(overflowing_literals, unused_comparisons)]
#[gpu_kernel]
pub fn masks(x: &[i32], out: &mut [u32], small: &mut [i8]) {
    let i = grid_1d();
    if i < x.len() && i < out.len() && i < small.len() {
        let bits = x[i] == 0xffff_ffff;
        let high = (x[i] ^ 0xffff_0000) < 0;
        let never = x[i] < 0x8000_0000;
        let opposite = -0xffff_fffe == x[i];
        out[i] = bits as u32 + 2 * high as u32 + 4 * never as u32 + 8 * opposite as u32;
        small[i] = 0xfe;
    }
}

fn literals_that_do_not_fit_wrap_around(bench: &Bench) {
    let (x, mut out, mut small) = (vec![-1, 0, 2, i32::MIN], vec![9; 4], vec![9; 4]);
    launch!(bench, masks(&x, &mut out, &mut small), 1, 4);
    assert_eq!((out, small), (vec![1, 2, 10, 0], vec![-2; 4]));
}
