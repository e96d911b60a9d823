//! Comparing what a kernel wrote with what it should have written.

use std::fmt::Debug;

use half::{bf16, f16};

/// Bit for bit the same, except that one `NaN` is as good as another: no two processors make the same one.
pub trait Same: Copy + Debug {
    fn same(self, other: Self) -> bool;
}

macro_rules! exact {
    ($($T:ty)*) => {
        $(impl Same for $T {
            fn same(self, other: Self) -> bool {
                self == other
            }
        })*
    };
}

exact!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize bool);

/// Floats, and how far apart two are.
pub trait Float: Same {
    /// The number of floats from one to the other; 0 for two `NaN`s, `u64::MAX` for one.
    fn ulps(self, other: Self) -> u64;
}

macro_rules! floats {
    ($($F:ty: $Bits:ty, $Signed:ty)*) => {
        $(impl Same for $F {
            fn same(self, other: Self) -> bool {
                self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
            }
        }

        impl Float for $F {
            fn ulps(self, other: Self) -> u64 {
                // The bits in the order of the floats, -0 and 0 in one place.
                let place = |x: $F| {
                    let bits = x.to_bits() as $Signed;
                    i128::from(if bits < 0 { <$Signed>::MIN.wrapping_sub(bits) } else { bits })
                };
                match (self.is_nan(), other.is_nan()) {
                    (true, true) => 0,
                    (false, false) => u64::try_from(place(self).abs_diff(place(other))).unwrap_or(u64::MAX),
                    _ => u64::MAX,
                }
            }
        })*
    };
}

floats!(f32: u32, i32 f64: u64, i64 f16: u16, i16 bf16: u16, i16);

/// Every element of `actual` is the bits of `expected`.
#[track_caller]
pub fn assert_same<T: Same>(actual: &[T], expected: &[T]) {
    assert_eq!(actual.len(), expected.len(), "the lengths differ");
    if let Some(i) = (0..actual.len()).find(|&i| !actual[i].same(expected[i])) {
        panic!("element {i} is {:?}, not {:?}", actual[i], expected[i]);
    }
}

/// Every element of `actual` is at most `most` floats from the one of `expected`.
#[track_caller]
pub fn assert_ulps<T: Float>(what: &str, actual: &[T], expected: &[T], most: u64) {
    assert_eq!(actual.len(), expected.len(), "the lengths differ");
    for (i, (actual, expected)) in actual.iter().zip(expected).enumerate() {
        let ulps = actual.ulps(*expected);
        assert!(ulps <= most, "{what}: element {i} is {actual:?}, {ulps} ulps from {expected:?}, but only {most} are allowed");
    }
}

/// Every element of `actual` differs from that of `expected` by at most a ten-thousandth of the larger of it and 1.
#[track_caller]
pub fn assert_close(actual: &[f32], expected: &[f32]) {
    assert_eq!(actual.len(), expected.len(), "the lengths differ");
    for (i, (actual, expected)) in actual.iter().zip(expected).enumerate() {
        assert!((actual - expected).abs() <= 1e-4 * expected.abs().max(1.0), "element {i} is {actual}, not {expected}");
    }
}
