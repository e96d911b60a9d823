//! What the memory of a device can hold.

use crate::kernel::CType;

/// A type that arrays, kernel parameters and shared memory can hold: the numbers, `bool`, arrays `[T; N]` of such types, and
/// structs with `#[derive(DeviceType)]`.
///
/// A value has the same bytes in Rust and in CUDA C, and all bytes zero are one.
///
/// # Safety
///
/// `c_type` names a type of CUDA C with this type's size, alignment and representation. All bytes zero, or all bytes
/// `POISON`, are a value; if `ANY_BITS`, so are any bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type that a device can hold",
    label = "not a number, a `bool`, an array of them, or a struct with `#[derive(DeviceType)]`",
    note = "write `#[derive(Clone, Copy, DeviceType)]` and `#[repr(C)]` above the struct"
)]
pub unsafe trait DeviceType: Copy + Send + Sync + 'static {
    /// Whether every bit pattern is a value, so that memory with any contents is an array of them.
    #[doc(hidden)]
    const ANY_BITS: bool;

    /// The byte that fills shared memory when a block begins, on the CPU.
    ///
    /// On the GPU the contents are then undefined. Here a kernel that reads what it did not write shall notice, in release builds
    /// too: `NaN` for floats, a conspicuous number for integers.
    #[doc(hidden)]
    const POISON: u8;

    /// Whether shared memory can hold it, whose bytes on a GPU are what they were: not if it has an enum in it, of which few bytes
    /// are a value.
    #[doc(hidden)]
    const IN_SHARED: bool = true;

    /// Its name in CUDA C, and what that is defined as.
    #[doc(hidden)]
    fn c_type() -> CType;
}

/// `T` in CUDA C.
#[must_use]
pub fn c_type<T: DeviceType>() -> CType {
    T::c_type()
}

macro_rules! device_types {
    ($($T:ident: $any_bits:literal $poison:literal),*) => {
        $(
            // SAFETY: the preamble declares the type under its Rust name; a number may have any bytes, a `bool` 0.
            unsafe impl DeviceType for $T {
                const ANY_BITS: bool = $any_bits;
                const POISON: u8 = $poison;
                fn c_type() -> CType {
                    CType::Scalar(stringify!($T))
                }
            }
        )*
    };
}

device_types!(i8: true 0x5a, i16: true 0x5a, i32: true 0x5a, i64: true 0x5a, isize: true 0x5a);
device_types!(u8: true 0x5a, u16: true 0x5a, u32: true 0x5a, u64: true 0x5a, usize: true 0x5a);
device_types!(f32: true 0xff, f64: true 0xff, bool: false 0x00);

// SAFETY: an array is its elements, one after the other, here and in C.
unsafe impl<T: DeviceType, const N: usize> DeviceType for [T; N] {
    const ANY_BITS: bool = T::ANY_BITS;
    const POISON: u8 = T::POISON;
    const IN_SHARED: bool = T::IN_SHARED;
    fn c_type() -> CType {
        const { assert!(N > 0, "an array of no elements has no place in the memory of a device") };
        CType::Array { element: T::c_type, length: N }
    }
}
