//! Tuples in the memory of a device.
//!
//! Rust does not say where the elements of a tuple lie, and rustc reorders them to save space: of `(u8, u64, u8)`, the `u64` comes
//! first. But where they lie is a constant, so the tuple's definition in CUDA C is written from what rustc decided.

use std::any::TypeId;
use std::mem::offset_of;

use super::DeviceType;
use crate::backend::cpu::SharedElement;
use crate::source::{CType, KernelType, StructField, StructUnit};

/// What a tuple is in CUDA C.
trait Tuple {
    const UNIT: &'static StructUnit;
}

macro_rules! tuples {
    ($(($($T:ident $position:tt $name:literal),+))+) => {$(
        impl<$($T: DeviceType),+> Tuple for ($($T,)+) {
            const UNIT: &'static StructUnit = &StructUnit {
                name: "tuple",
                fields: &[$(StructField::new::<$T>($name, offset_of!(Self, $position))),+],
                size: size_of::<Self>(),
                align: align_of::<Self>(),
                declares_align: false,
            };
        }

        // SAFETY: the definition in CUDA C has the offsets, the size and the alignment of this one, as is asserted there. Zeros are a
        // value of every element.
        unsafe impl<$($T: DeviceType),+> DeviceType for ($($T,)+) {
            const ANY_BITS: bool = Self::UNIT.any_bits();
            const MAY_HAVE_PADDING: bool = Self::UNIT.may_have_padding();
        }

        // SAFETY: the name of a tuple.
        unsafe impl<$($T: DeviceType),+> KernelType for ($($T,)+) {
            fn c_type() -> CType {
                CType::Tuple { id: TypeId::of::<Self>(), unit: Self::UNIT }
            }
        }

        // SAFETY: the byte is one that suits every element.
        unsafe impl<$($T: DeviceType),+> SharedElement for ($($T,)+) {
            const POISON: u8 = Self::UNIT.poison();
            const IN_SHARED: bool = Self::UNIT.any_bits();
        }
    )+};
}

tuples! {
    (A 0 "_0")
    (A 0 "_0", B 1 "_1")
    (A 0 "_0", B 1 "_1", C 2 "_2")
    (A 0 "_0", B 1 "_1", C 2 "_2", D 3 "_3")
    (A 0 "_0", B 1 "_1", C 2 "_2", D 3 "_3", E 4 "_4")
    (A 0 "_0", B 1 "_1", C 2 "_2", D 3 "_3", E 4 "_4", F 5 "_5")
    (A 0 "_0", B 1 "_1", C 2 "_2", D 3 "_3", E 4 "_4", F 5 "_5", G 6 "_6")
    (A 0 "_0", B 1 "_1", C 2 "_2", D 3 "_3", E 4 "_4", F 5 "_5", G 6 "_6", H 7 "_7")
}
