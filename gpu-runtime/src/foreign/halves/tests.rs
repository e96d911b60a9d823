//! Conversions, functions and formatting on the CPU, of both formats. What kernels compute is tested with the kernels.

use half::{bf16, f16};

use super::round::{fused_to_odd, natural_to_odd, to_odd};
use crate::constant::{literal, table, table_type};
use crate::prelude::*;
use crate::scalar::Ordered;
use crate::source::{PrintValue, Printable};

/// `value` rounded to as many digits as `ulp` leaves, ties to even: by the definition, for numbers that are not tiny.
fn rounded(value: f64, ulp: f64) -> f64 {
    (value / ulp).round_ties_even() * ulp
}

fn narrowed<T: Num>(value: f64) -> T {
    value.cast()
}

#[test]
fn doubles_are_rounded_once() {
    // Half-way between 1 and the next number, and a digit further that only f64 has.
    let just_above = |ulp: f64| 1.0 + ulp / 2.0 + f64::EPSILON;
    assert_eq!(narrowed::<f16>(just_above(2f64.powi(-10))).to_f64(), 1.0 + 2f64.powi(-10));
    assert_eq!(narrowed::<bf16>(just_above(2f64.powi(-7))).to_f64(), 1.0 + 2f64.powi(-7));
    for step in 0..20_000 {
        let value = 1.0 + f64::from(step) * 4.999_999_9e-5;
        let ulp = if value < 2.0 { 2f64.powi(-10) } else { 2f64.powi(-9) };
        assert_eq!(narrowed::<f16>(value).to_f64(), rounded(value, ulp), "{value}");
    }
    assert_eq!(narrowed::<f16>(65_519.999_999), f16::MAX);
    assert_eq!(narrowed::<f16>(65_520.0), f16::INFINITY);
    assert_eq!(narrowed::<bf16>(f64::MAX), bf16::INFINITY);
    assert_eq!(narrowed::<f16>(-(2f64.powi(-25))).to_bits(), 0x8000);
    assert_eq!(narrowed::<f16>(2f64.powi(-25) * 1.000_001).to_bits(), 1);
    assert!(narrowed::<f16>(f64::NAN).is_nan());
}

#[test]
fn rounding_to_odd_keeps_whether_anything_was_lost() {
    assert_eq!(to_odd(1.0 + f64::EPSILON), 1.0 + f32::EPSILON);
    assert_eq!(to_odd(1.0 - f64::EPSILON).to_bits(), 1.0f32.to_bits() - 1);
    assert_eq!(to_odd(f64::MAX), f32::MAX);
    assert_eq!(to_odd(f64::NEG_INFINITY), f32::NEG_INFINITY);
    assert_eq!(natural_to_odd((1 << 53) + 1), (1u64 << 53) as f64 + 2048.0);
    assert_eq!(natural_to_odd(u64::MAX), 18_446_744_073_709_549_568.0);
    assert_eq!(fused_to_odd(1.5, 2.0, 0.25), 3.25);
    assert_eq!(fused_to_odd(1.0, 1.0, 1e-30), 1.0 + f32::EPSILON);
    assert_eq!(fused_to_odd(-1.0, 1.0, 1e-30).to_bits(), (-1.0f32).to_bits() - 1);
    assert_eq!(fused_to_odd(f32::INFINITY, 1.0, 1.0), f32::INFINITY);
}

#[test]
fn large_integers_are_rounded_once() {
    // Half-way between two numbers, and a little more: 2^62 has steps of 2^55.
    let half_way = (1i64 << 62) + (1 << 54);
    assert_eq!(half_way.cast::<bf16>().to_f64(), (1i64 << 62) as f64);
    assert_eq!((half_way + 1).cast::<bf16>().to_f64(), ((1i64 << 62) + (1 << 55)) as f64);
    assert_eq!((-half_way - 1).cast::<bf16>().to_f64(), -(((1i64 << 62) + (1 << 55)) as f64));
    assert_eq!(u64::MAX.cast::<f16>(), f16::INFINITY);
    assert_eq!(2049u16.cast::<f16>().to_f32(), 2048.0);
    assert_eq!((-7i8).cast::<bf16>().to_f32(), -7.0);
}

#[test]
fn casts_to_integers_saturate() {
    assert_eq!(f16::from_f32(-3.9).cast::<i32>(), -3);
    assert_eq!(bf16::MAX.cast::<u8>(), 255);
    assert_eq!(f16::NAN.cast::<i64>(), 0);
    assert_eq!(f16::INFINITY.cast::<bf16>(), bf16::INFINITY);
}

#[test]
fn a_fused_multiplication_and_addition_rounds_once() {
    let ulp = f16::EPSILON;
    let a = f16::ONE + ulp;
    // 1 + 2 ulp + ulp², and what is less than half of the last digit.
    assert_eq!(a.mul_add(a, f16::ZERO), f16::ONE + ulp + ulp);
    assert_eq!(a.mul_add(a, ulp / f16::from_f32(2.0)), f16::from_f32(1.0 + 3.0 * ulp.to_f32()));
    assert_eq!(bf16::MAX.mul_add(bf16::ONE, bf16::MAX), bf16::INFINITY);
}

#[test]
fn functions_are_those_of_single_precision() {
    for bits in (0..=u16::MAX).step_by(37) {
        let (x, y) = (f16::from_bits(bits), bf16::from_bits(bits));
        assert!(same(Float::sin(x), f16::from_f32(x.to_f32().sin())) && same(Float::sqrt(x), f16::from_f32(x.to_f32().sqrt())));
        assert!(DeviceMath::erf(y).to_bits() == bf16::from_f32(DeviceMath::erf(y.to_f32())).to_bits() || y.is_nan());
        let (fraction, exponent) = y.frexp();
        assert!(y.is_nan() || fraction.ldexp(exponent) == y, "{y}");
        let up = Float::next_up(x);
        assert!(x.is_nan() || x == f16::INFINITY || (up > x && same(Float::next_down(up), x)) || x == f16::ZERO, "{x}");
    }
    assert_eq!(Float::next_down(f16::MIN_POSITIVE_SUBNORMAL), f16::ZERO);
    assert_eq!(Ordered::min(f16::NAN, f16::ONE), f16::ONE);
    assert_eq!((Signed::abs(f16::NEG_ONE), Signed::signum(bf16::NEG_ZERO)), (f16::ONE, bf16::NEG_ONE));
}

fn same(a: f16, b: f16) -> bool {
    a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan())
}

#[test]
fn constants_are_their_bits() {
    assert_eq!(literal(f16::from_f32(0.5)), "gr_f16::of(0x3800 /* 0.5 */)");
    assert_eq!(literal(bf16::NEG_INFINITY), "gr_bf16::of(0xff80 /* -inf */)");
    assert_eq!(table_type(&[f16::ONE; 3]), "gr_array<gr_f16, 3>");
    assert_eq!(table(&[bf16::ONE]), "{{gr_bf16::of(0x3f80 /* 1.0 */)}}");
}

#[test]
fn they_are_printed_with_the_digits_of_single_precision() {
    assert_eq!(f16::from_f32(0.1).printed(), PrintValue::F32(f16::from_f32(0.1).to_f32()));
    assert_eq!(format!("{}", f16::from_f32(0.1)), format!("{}", f16::from_f32(0.1).to_f32()));
}

#[test]
fn atomics_add_and_compare_on_the_host() {
    use std::sync::atomic::Ordering::Relaxed;
    let a = AtomicBf16::default();
    assert_eq!(a.fetch_add(bf16::ONE, Relaxed), bf16::ZERO);
    assert_eq!(a.compare_exchange(bf16::ZERO, bf16::MAX, Relaxed, Relaxed), Err(bf16::ONE));
    assert_eq!(a.fetch_min(bf16::NAN, Relaxed), bf16::ONE);
    assert_eq!(a.into_inner(), bf16::ONE);
    let b = AtomicF16::from(f16::NEG_ZERO);
    assert_eq!(b.fetch_compare_exchange(f16::ZERO, f16::ONE, Relaxed).to_bits(), 0x8000);
}

#[test]
fn array_functions_compute_with_them() -> crate::Result<()> {
    let x: Vec<f16> = (0..100).map(|i| f16::from_f32(i as f32 * 0.5)).collect();
    let device = Device::cpu();
    let on_device = device.to_device(&x)?;
    let roots = (&on_device * &on_device + f16::ONE).sqrt().to_host()?;
    let expected: Vec<f16> = x.iter().map(|&x| Float::sqrt(x * x + f16::ONE)).collect();
    assert_eq!(roots, expected);
    assert_eq!(lazy(&x).cast::<f32>().sum()?, 2475.0);
    Ok(())
}
