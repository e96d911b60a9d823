//! `Ordering` in kernels: the number that it is in Rust.

use std::cmp::Ordering;

use crate::backend::cpu::SharedElement;
use crate::constant::{Constant, ConstantText, ConstantValue, EnumValue, equals, literal};
use crate::gpu_device;
use crate::ops::{Equate, Order};
use crate::source::{CType, DeviceType, KernelType};

const _: () = assert!(size_of::<Ordering>() == 1 && Ordering::Equal as i8 == 0, "an `Ordering` is its number");

// SAFETY: an `Ordering` is an `i8`, and `Equal` is 0.
unsafe impl DeviceType for Ordering {
    const ANY_BITS: bool = false;
    const MAY_HAVE_PADDING: bool = false;
}

// SAFETY: as above.
unsafe impl KernelType for Ordering {
    fn c_type() -> CType {
        CType::Scalar("i8")
    }
}

// SAFETY: 0 is `Equal`.
unsafe impl SharedElement for Ordering {
    const POISON: u8 = 0;
    const IN_SHARED: bool = false;
}

// SAFETY: the number.
unsafe impl ConstantValue for Ordering {
    fn c_literal(self) -> String {
        literal(self as i8)
    }
}

// SAFETY: the number.
unsafe impl EnumValue for Ordering {
    fn write_variant(self, out: &mut ConstantText) {
        Constant::write(self, out);
    }

    fn c_test(variant: &str) -> String {
        equals(match variant {
            "Less" => Ordering::Less,
            "Equal" => Ordering::Equal,
            "Greater" => Ordering::Greater,
            _ => unreachable!("rustc knows the variants of a pattern"),
        })
    }
}

impl Equate for Ordering {}
impl Order for Ordering {}

/// The methods of `Ordering`, in kernels and on the host. The prelude brings them into scope.
#[gpu_device]
pub trait DeviceOrdering {
    /// Whether it is `Less`.
    fn is_lt(self) -> bool;
    /// Whether it is not `Greater`.
    fn is_le(self) -> bool;
    /// Whether it is `Greater`.
    fn is_gt(self) -> bool;
    /// Whether it is not `Less`.
    fn is_ge(self) -> bool;
    /// Whether it is `Equal`.
    fn is_eq(self) -> bool;
    /// Whether it is not `Equal`.
    fn is_ne(self) -> bool;
    /// `Less` for `Greater`, and the other way round.
    fn reverse(self) -> Self;
    /// `other` where it is `Equal`.
    fn then(self, other: Self) -> Self;
}

#[gpu_device]
impl DeviceOrdering for Ordering {
    fn is_lt(self) -> bool {
        self == Ordering::Less
    }
    fn is_le(self) -> bool {
        self != Ordering::Greater
    }
    fn is_gt(self) -> bool {
        self == Ordering::Greater
    }
    fn is_ge(self) -> bool {
        self != Ordering::Less
    }
    fn is_eq(self) -> bool {
        self == Ordering::Equal
    }
    fn is_ne(self) -> bool {
        self != Ordering::Equal
    }
    fn reverse(self) -> Ordering {
        match self {
            Ordering::Less => Ordering::Greater,
            Ordering::Equal => Ordering::Equal,
            Ordering::Greater => Ordering::Less,
        }
    }
    fn then(self, other: Ordering) -> Ordering {
        match self {
            Ordering::Equal => other,
            order => order,
        }
    }
}
