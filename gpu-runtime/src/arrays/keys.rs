//! Keys for sorting on the CPU: unsigned integers in the order of numbers, with NaN last. Numbers that are equal have equal keys.

use crate::scalar::Num;
use crate::source::is_same;

macro_rules! key_of_float {
    ($x:expr, $T:ty, $Bits:ty) => {{
        let x: $T = $x;
        // −0 + 0 is 0, to which it is equal.
        let bits = (x + <$T as Num>::ZERO).to_bits();
        // The bits of negative numbers are in the reverse order.
        let is_negative = bits >> (<$Bits>::BITS - 1) == 1;
        let key = bits ^ if is_negative { !0 } else { 1 << (<$Bits>::BITS - 1) };
        u64::from(if x.is_nan() { !0 } else { key })
    }};
}

/// The key of a number, in its lowest bytes.
#[inline(always)]
pub(super) fn key<T: Num>(x: T) -> u64 {
    /// The first expression whose type is `T`.
    macro_rules! first {
        ($($T:ty: |$own:ident| $key:expr;)*) => {$(
            if const { is_same::<T, $T>() } {
                // SAFETY: the types are the same.
                let $own: $T = unsafe { std::mem::transmute_copy(&x) };
                return $key;
            }
        )*};
    }
    first! {
        u8: |x| u64::from(x);
        u16: |x| u64::from(x);
        u32: |x| u64::from(x);
        u64: |x| x;
        usize: |x| x as u64;
        i8: |x| u64::from(x as u8 ^ 1 << 7);
        i16: |x| u64::from(x as u16 ^ 1 << 15);
        i32: |x| u64::from(x as u32 ^ 1 << 31);
        i64: |x| x as u64 ^ 1 << 63;
        isize: |x| x as u64 ^ 1 << (isize::BITS - 1);
        f32: |x| key_of_float!(x, f32, u32);
        f64: |x| key_of_float!(x, f64, u64);
    }
    #[cfg(feature = "half")]
    first! {
        half::f16: |x| key_of_float!(x, half::f16, u16);
        half::bf16: |x| key_of_float!(x, half::bf16, u16);
    }
    unreachable!("every number has a key")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_their_numbers() {
        fn check<T: Num>(ascending: &[T]) {
            let keys: Vec<u64> = ascending.iter().map(|&x| key(x)).collect();
            assert!(keys.is_sorted_by(|a, b| a < b), "{ascending:?}: {keys:?}");
            assert!(size_of::<T>() == 8 || keys.iter().all(|key| key >> (8 * size_of::<T>()) == 0), "{keys:?}");
        }
        check(&[i8::MIN, -1, 0, 1, i8::MAX]);
        check(&[i16::MIN, -1, 0, i16::MAX]);
        check(&[i32::MIN, -1, 0, i32::MAX]);
        check(&[i64::MIN, -1, 0, i64::MAX]);
        check(&[isize::MIN, -1, 0, isize::MAX]);
        check(&[0, 1, u8::MAX]);
        check(&[0, 256, u16::MAX]);
        check(&[0, 65_536, u32::MAX]);
        check(&[0, 1 << 32, u64::MAX]);
        check(&[0, usize::MAX]);
        check(&[f32::NEG_INFINITY, -1.5, -1e-40, 0.0, 1e-40, 1.5, f32::INFINITY, f32::NAN]);
        check(&[f64::NEG_INFINITY, -1.5, -1e-310, 0.0, 1e-310, 1.5, f64::INFINITY, f64::NAN]);
        let [zero, one] = [half::f16::ZERO, half::f16::ONE];
        check(&[half::f16::NEG_INFINITY, -one, zero, one, half::f16::INFINITY, half::f16::NAN]);
        check(&[half::bf16::NEG_INFINITY, half::bf16::NEG_ONE, half::bf16::ZERO, half::bf16::ONE, half::bf16::NAN]);
        assert_eq!([key(-0.0f32), key(-f32::NAN)], [key(0.0f32), key(f32::NAN)]);
        assert_eq!([key(-0.0f64), key(-zero)], [key(0.0f64), key(zero)]);
    }
}
