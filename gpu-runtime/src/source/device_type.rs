//! Device types: the types that device memory can hold.

use crate::backend::cpu::SharedElement;
use crate::source::{CType, KernelType};
use std::ops::Deref;

/// A device type, for arrays, kernel parameters and shared memory: the numbers, `bool`, arrays `[T; N]` and tuples of such types, and
/// structs and enums with `#[derive(DeviceType)]`.
///
/// A value has the same bytes in Rust and in CUDA C, and all bytes zero are one. It has at least one byte: CUDA C has no types of size
/// zero. Arrays on a device refuse other elements, such as `[f32; 0]`, while the program is compiled. This also bounds their lengths:
/// an allocation has at most `isize::MAX` bytes, so an array has at most `isize::MAX` elements. The proofs of bounds and of race
/// freedom build on that: without a limit, `i + x.len()` could wrap around to a small number.
///
/// ```compile_fail,E0080
/// let device = gpu_runtime::Device::cpu();
/// let elements_without_bytes = device.zeros::<[f32; 0]>(usize::MAX);
/// ```
///
/// # Safety
///
/// `c_type` names a type of CUDA C with this type's size, alignment and representation. All bytes zero are a value;
/// if `ANY_BITS`, so are any bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a device type",
    label = "not a number, a `bool`, an array or a tuple of them, or a struct with `#[derive(DeviceType)]`",
    note = "for a struct or an enum of yours, write `#[derive(Clone, Copy, DeviceType)]` and `#[repr(C)]` above it",
    note = "device memory has no `Vec`, `String` or reference: store an index into another array instead",
    note = "join vectors of vectors first: `device.to_device(&rows.concat())?`"
)]
pub unsafe trait DeviceType: KernelType + SharedElement + Copy + Send + Sync + 'static {
    /// Whether every bit pattern is a value, so that memory with any contents is an array of them.
    #[doc(hidden)]
    const ANY_BITS: bool;

    /// Whether some of its bytes may belong to no field, and have no value.
    #[doc(hidden)]
    const MAY_HAVE_PADDING: bool = true;

    /// Does not compile where the layout of the type is not that of its C type. Device arrays and the values of parameters evaluate it.
    #[doc(hidden)]
    const HAS_LAYOUT: () = _ = Self::ANY_BITS;

    /// Whether it is an array.
    #[doc(hidden)]
    const IS_ARRAY: bool = false;
}

/// Implemented by `#[derive(DeviceType)]`, which conflicts with an implementation of `Deref`: then `p.x` could be a field of another
/// value each time, and `p` does not have it in CUDA C. The proofs take a field of a value for one value.
pub trait DeviceTypesCannotImplementDeref {}

impl<T: Deref> DeviceTypesCannotImplementDeref for T {}

/// `T` in CUDA C.
#[must_use]
pub fn c_type<T: DeviceType>() -> CType {
    T::c_type()
}

macro_rules! device_types {
    ($($T:ident: $any_bits:literal),*) => {
        $(
            // SAFETY: the preamble declares the type under its Rust name; a number may have any bytes, a `bool` 0.
            unsafe impl DeviceType for $T {
                const ANY_BITS: bool = $any_bits;
                const MAY_HAVE_PADDING: bool = false;
            }

            // SAFETY: a name of the preamble.
            unsafe impl KernelType for $T {
                fn c_type() -> CType {
                    CType::Scalar(stringify!($T))
                }
            }
        )*
    };
}

device_types!(i8: true, i16: true, i32: true, i64: true, isize: true, u8: true, u16: true, u32: true, u64: true, usize: true);
device_types!(f32: true, f64: true, bool: false);

// SAFETY: an array is its elements, one after the other, here and in C.
unsafe impl<T: DeviceType, const N: usize> DeviceType for [T; N] {
    const ANY_BITS: bool = T::ANY_BITS;
    const MAY_HAVE_PADDING: bool = T::MAY_HAVE_PADDING;
    const IS_ARRAY: bool = true;
}

// SAFETY: the name of an array.
unsafe impl<T: DeviceType, const N: usize> KernelType for [T; N] {
    fn c_type() -> CType {
        const { assert!(N > 0, "an array without elements cannot be stored in device memory") };
        CType::Array { element: T::c_type, length: N }
    }
}
