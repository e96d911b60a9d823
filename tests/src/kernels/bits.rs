//! The operations on bits that GPUs have and std has not, against wide integers.

use gpu_runtime::prelude::*;

use crate::bench::{Bench, assert_same};
use crate::{cases, launch};

cases![
    upper_halves_and_funnel_shifts_are_exact,
    bytes_are_permuted_and_multiplied,
    products_of_24_bits_are_exact,
    generic_functions_have_them_too,
];

macro_rules! integer_kernel {
    ($($module:ident $T:ident $Unsigned:ident;)*) => {
        $(pub mod $module {
            use super::*;

            #[gpu_kernel]
            pub fn methods(x: &[$T], y: &[$T], amount: &[u32], out: &mut [$T]) {
                let i = grid_1d();
                if i < x.len() {
                    out[5 * i] = x[i].mul_hi(y[i]);
                    out[5 * i + 1] = x[i].funnel_shift_left(y[i], amount[i]);
                    out[5 * i + 2] = $T::funnel_shift_right(x[i], y[i], amount[i]);
                    out[5 * i + 3] = x[i].average_floor(y[i]);
                    out[5 * i + 4] = x[i].average_ceil(y[i]);
                }
            }

            pub fn check(bench: &Bench) {
                let samples = [0, 1, 2, 3, <$T>::MAX, <$T>::MIN, <$T>::MAX / 3, <$T>::MAX - 5, 0x5a, <$T>::MIN / 3 + 1];
                let (mut x, mut y, mut amount) = (Vec::new(), Vec::new(), Vec::new());
                for (i, &a) in samples.iter().enumerate() {
                    for (j, &b) in samples.iter().enumerate() {
                        x.push(a);
                        y.push(b);
                        amount.push((i * 13 + j * 5) as u32);
                    }
                }
                let mut out = vec![0; 5 * x.len()];
                launch!(bench, methods(&x, &y, &amount, &mut out), 4, 32);
                let expected: Vec<$T> = (0..x.len())
                    .flat_map(|i| {
                        let bits = <$T>::BITS;
                        let product = if <$T>::MIN == 0 {
                            ((x[i] as u128 * y[i] as u128) >> bits) as $T
                        } else {
                            ((x[i] as i128 * y[i] as i128) >> bits) as $T
                        };
                        let both = (x[i] as $Unsigned as u128) << bits | y[i] as $Unsigned as u128;
                        let amount = amount[i] % bits;
                        let (floor, rest) = {
                            let sum = x[i] as i128 + y[i] as i128;
                            (sum.div_euclid(2), sum.rem_euclid(2))
                        };
                        [product, ((both << amount) >> bits) as $T, (both >> amount) as $T, floor as $T, (floor + rest) as $T]
                    })
                    .collect();
                assert_same(&out, &expected);
            }
        })*

        fn upper_halves_and_funnel_shifts_are_exact(bench: &Bench) {
            $($module::check(bench);)*
        }
    };
}

integer_kernel! {
    of_i8 i8 u8;
    of_u8 u8 u8;
    of_i16 i16 u16;
    of_u16 u16 u16;
    of_i32 i32 u32;
    of_u32 u32 u32;
    of_i64 i64 u64;
    of_u64 u64 u64;
    of_usize usize usize;
}

#[gpu_kernel]
pub fn words(x: &[u32], y: &[u32], z: &[u32], out: &mut [u32], signed: &mut [f64]) {
    let i = grid_1d();
    if i < x.len() && i < signed.len() {
        out[2 * i] = x[i].byte_permute(y[i], z[i]);
        out[2 * i + 1] = x[i].dot4_unsigned(y[i], z[i]);
        signed[i] = x[i].dot4_signed(y[i], z[i] as i32) as f64;
    }
}

fn bytes_are_permuted_and_multiplied(bench: &Bench) {
    let x = vec![0x3322_1100, 0x0102_0304, 0xff80_7f01, 0x8080_8080, u32::MAX];
    let y = vec![0x7766_5544, 0x0101_0101, 0x02ff_8003, 0x8080_8080, u32::MAX];
    let z = vec![0x0000_7025, 0xffff_ffff, 0x0000_3210, 0x0000_fedc, 100];
    let (mut out, mut signed) = (vec![0; 10], vec![0.0; 5]);
    launch!(bench, words(&x, &y, &z, &mut out, &mut signed), 1, 32);
    #[rustfmt::skip]
    assert_same(&out, &[
        0x7700_2255, 0x7025 + 0x33 * 0x77 + 0x22 * 0x66 + 0x11 * 0x55,
        // Bits 16 and up of the selectors mean nothing, nor does the top bit of each.
        0x0101_0101, 9,
        0xff80_7f01, 0x3210 + 510 + 128 * 255 + 127 * 128 + 3,
        0x8080_8080, 0xfedc + 4 * 128 * 128,
        0xffff_0000 | 0xffff, 100 + 4 * 255 * 255,
    ]);
    let totals = [0x7025 + 0x33 * 0x77 + 0x22 * 0x66 + 0x11 * 0x55, 9, 0x3210 - 2 + 128 - 127 * 128 + 3, 0xfedc + 4 * 128 * 128, 104];
    assert_same(&signed, &totals.map(f64::from));
}

#[gpu_kernel]
pub fn short_products(x: &[i32], y: &[i32], signed: &mut [i32], unsigned: &mut [u32]) {
    let i = grid_1d();
    if i < x.len() {
        signed[i] = x[i].mul24(y[i]);
        unsigned[i] = (x[i] as u32).mul24(y[i] as u32);
    }
}

fn products_of_24_bits_are_exact(bench: &Bench) {
    let x = vec![3, -3, 0x0100_0003, 0x007f_ffff, 0x0080_0000, -1, i32::MIN, i32::MAX];
    let y = vec![5, 5, 0x0200_0005, 0x007f_ffff, 0x0080_0000, -1, 7, i32::MAX];
    let (mut signed, mut unsigned) = (vec![0; 8], vec![0; 8]);
    launch!(bench, short_products(&x, &y, &mut signed, &mut unsigned), 1, 32);
    // As a number below 2²⁴, and as one around 0.
    let low = |x: i32| i128::from(x).rem_euclid(1 << 24);
    let around = |x: i32| if low(x) >= 1 << 23 { low(x) - (1 << 24) } else { low(x) };
    assert_same(&signed, &x.iter().zip(&y).map(|(&x, &y)| (around(x) * around(y)) as i32).collect::<Vec<_>>());
    assert_same(&unsigned, &x.iter().zip(&y).map(|(&x, &y)| (low(x) * low(y)) as u32).collect::<Vec<_>>());
}

#[gpu_device]
pub fn high_part<T: Integer>(x: T, y: T) -> T {
    x.mul_hi(y).funnel_shift_left(y, 3)
}

#[gpu_kernel]
pub fn generic(x: &[u16], y: &[i64], small: &mut [u16], large: &mut [i64]) {
    let i = grid_1d();
    if i < x.len() {
        small[i] = high_part(x[i], 0x8001);
        large[i] = high_part(y[i], -3);
    }
}

fn generic_functions_have_them_too(bench: &Bench) {
    let (mut small, mut large) = (vec![0; 2], vec![0; 2]);
    launch!(bench, generic(&vec![0x4000, 0xffff], &vec![5, i64::MIN], &mut small, &mut large), 1, 2);
    assert_same(&small, &[0x2000u16 << 3 | 4, 0x8000u16 << 3 | 4]);
    assert_same(&large, &[-1i64 << 3 | 7, 1i64 << 3 | 7]);
}
