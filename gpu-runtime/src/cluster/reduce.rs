//! What elements of several ranks are combined to.

use std::fmt;

use crate::ops::arithmetic::sealed::Sealed;
use crate::source::Element;

/// How a reduction over ranks combines two elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// `a + b`, wrapping around for integers.
    Sum,
    /// `a * b`, wrapping around for integers.
    Product,
    /// The smaller one.
    Min,
    /// The larger one.
    Max,
}

impl Operation {
    /// `ncclRedOp_t`.
    pub(super) fn nccl_number(self) -> i32 {
        match self {
            Self::Sum => 0,
            Self::Product => 1,
            Self::Max => 2,
            Self::Min => 3,
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sum => "sum",
            Self::Product => "product",
            Self::Min => "min",
            Self::Max => "max",
        })
    }
}

/// The element types of reductions over ranks: the integers of 8, 32 and 64 bits, and the floats.
///
/// These are the numbers that NCCL can combine. All other calls take every [`DeviceType`](crate::DeviceType).
#[diagnostic::on_unimplemented(
    message = "ranks cannot combine elements of type `{Self}`",
    label = "reductions over ranks take integers of 8, 32 and 64 bits, and floats",
    note = "convert the elements with `array.lazy().cast::<i32>().collect()?`"
)]
pub trait Reducible: Element + Sealed {
    /// The number of the type in NCCL.
    #[doc(hidden)]
    const NCCL_TYPE: i32;

    /// Both elements in one.
    #[doc(hidden)]
    fn combine(self, other: Self, operation: Operation) -> Self;
}

macro_rules! reducible {
    ($($T:ty: $number:literal, $add:expr, $multiply:expr;)*) => {
        $(
            impl Reducible for $T {
                const NCCL_TYPE: i32 = $number;

                fn combine(self, other: Self, operation: Operation) -> Self {
                    match operation {
                        Operation::Sum => $add(self, other),
                        Operation::Product => $multiply(self, other),
                        Operation::Min => self.min(other),
                        Operation::Max => self.max(other),
                    }
                }
            }
        )*
    };
}

reducible! {
    i8: 0, i8::wrapping_add, i8::wrapping_mul;
    u8: 1, u8::wrapping_add, u8::wrapping_mul;
    i32: 2, i32::wrapping_add, i32::wrapping_mul;
    u32: 3, u32::wrapping_add, u32::wrapping_mul;
    i64: 4, i64::wrapping_add, i64::wrapping_mul;
    isize: 4, isize::wrapping_add, isize::wrapping_mul;
    u64: 5, u64::wrapping_add, u64::wrapping_mul;
    usize: 5, usize::wrapping_add, usize::wrapping_mul;
    f32: 7, std::ops::Add::add, std::ops::Mul::mul;
    f64: 8, std::ops::Add::add, std::ops::Mul::mul;
}

#[cfg(feature = "half")]
mod halves {
    use half::{bf16, f16};

    use super::{Operation, Reducible};

    impl Reducible for f16 {
        const NCCL_TYPE: i32 = 6;

        fn combine(self, other: Self, operation: Operation) -> Self {
            Self::from_f32(self.to_f32().combine(other.to_f32(), operation))
        }
    }

    impl Reducible for bf16 {
        const NCCL_TYPE: i32 = 9;

        fn combine(self, other: Self, operation: Operation) -> Self {
            Self::from_f32(self.to_f32().combine(other.to_f32(), operation))
        }
    }
}
