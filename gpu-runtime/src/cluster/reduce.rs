//! What elements of several ranks are combined to.

use std::fmt;

use cudarc::nccl::sys::{ncclDataType_t, ncclRedOp_t};

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
    /// The same of NCCL.
    pub(super) fn of_nccl(self) -> ncclRedOp_t {
        match self {
            Self::Sum => ncclRedOp_t::ncclSum,
            Self::Product => ncclRedOp_t::ncclProd,
            Self::Max => ncclRedOp_t::ncclMax,
            Self::Min => ncclRedOp_t::ncclMin,
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
/// These are the numbers that NCCL can combine. All other calls take every [`DeviceType`](crate::DeviceType) without padding.
#[diagnostic::on_unimplemented(
    message = "ranks cannot combine elements of type `{Self}`",
    label = "reductions over ranks take integers of 8, 32 and 64 bits, and floats",
    note = "convert the elements with `array.lazy().cast::<i32>().collect()?`"
)]
pub trait Reducible: Element + Sealed {
    /// The type in NCCL.
    #[doc(hidden)]
    const NCCL_TYPE: ncclDataType_t;

    /// Both elements in one.
    #[doc(hidden)]
    fn combine(self, other: Self, operation: Operation) -> Self;
}

macro_rules! reducible {
    ($($T:ty: $of_nccl:ident, $add:expr, $multiply:expr;)*) => {
        $(
            impl Reducible for $T {
                const NCCL_TYPE: ncclDataType_t = ncclDataType_t::$of_nccl;

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
    i8: ncclInt8, i8::wrapping_add, i8::wrapping_mul;
    u8: ncclUint8, u8::wrapping_add, u8::wrapping_mul;
    i32: ncclInt32, i32::wrapping_add, i32::wrapping_mul;
    u32: ncclUint32, u32::wrapping_add, u32::wrapping_mul;
    i64: ncclInt64, i64::wrapping_add, i64::wrapping_mul;
    isize: ncclInt64, isize::wrapping_add, isize::wrapping_mul;
    u64: ncclUint64, u64::wrapping_add, u64::wrapping_mul;
    usize: ncclUint64, usize::wrapping_add, usize::wrapping_mul;
    f32: ncclFloat32, std::ops::Add::add, std::ops::Mul::mul;
    f64: ncclFloat64, std::ops::Add::add, std::ops::Mul::mul;
}

#[cfg(feature = "half")]
mod halves {
    use half::{bf16, f16};

    use super::{Operation, Reducible, ncclDataType_t};

    impl Reducible for f16 {
        const NCCL_TYPE: ncclDataType_t = ncclDataType_t::ncclFloat16;

        fn combine(self, other: Self, operation: Operation) -> Self {
            Self::from_f32(self.to_f32().combine(other.to_f32(), operation))
        }
    }

    impl Reducible for bf16 {
        const NCCL_TYPE: ncclDataType_t = ncclDataType_t::ncclBfloat16;

        fn combine(self, other: Self, operation: Operation) -> Self {
            Self::from_f32(self.to_f32().combine(other.to_f32(), operation))
        }
    }
}
