//! The element types of array functions.

use super::DeviceType;

/// An element type of array functions: the integers, the floats, complex numbers, `bool`, and structs and enums with
/// [`derive(DeviceType)`](macro@crate::DeviceType).
///
/// Arrays and kernels take any [`DeviceType`].
///
/// # Safety
///
/// `C_TYPE` is `None`, or names a number or `bool` that no other type has the name of.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an element of array functions",
    label = "array functions compute with numbers, `bool` and structs that are device types",
    note = "for a struct or an enum, write `#[derive(DeviceType)]` above it"
)]
pub unsafe trait Element: DeviceType {
    /// Its name in CUDA C, if it is a number or `bool`: what programs call any other type is up to each program.
    #[doc(hidden)]
    const C_TYPE: Option<&'static str> = None;
    /// The snippet that declares that name, if the preamble does not.
    #[doc(hidden)]
    const SNIPPET: Option<&'static str> = None;
}

/// What messages call an element type.
#[must_use]
pub const fn element_name<T: Element>() -> &'static str {
    match T::C_TYPE {
        Some(name) => name,
        None => "_",
    }
}

/// Whether two element types are one and the same number. In a condition `const { … }`, the compiler knows it for each instance of a generic function, and
/// compiles no branch for another type.
pub(crate) const fn is_same<T: Element, U: Element>() -> bool {
    let (Some(a), Some(b)) = (T::C_TYPE, U::C_TYPE) else { return false };
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

macro_rules! elements {
    ($($T:ty),*) => {
        $(
            // SAFETY: the preamble declares the types of Rust under their names.
            unsafe impl Element for $T {
                const C_TYPE: Option<&'static str> = Some(stringify!($T));
            }
        )*
    };
}

elements!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64, bool);

#[cfg(feature = "half")]
mod halves {
    use half::{bf16, f16};

    // SAFETY: the snippet declares it for this type.
    unsafe impl super::Element for f16 {
        const C_TYPE: Option<&'static str> = Some("gr_f16");
        const SNIPPET: Option<&'static str> = Some("half");
    }

    // SAFETY: the snippet declares it for this type.
    unsafe impl super::Element for bf16 {
        const C_TYPE: Option<&'static str> = Some("gr_bf16");
        const SNIPPET: Option<&'static str> = Some("half");
    }
}

#[cfg(feature = "complex")]
mod complex {
    use num_complex::Complex;

    // SAFETY: the snippet declares it for this type.
    unsafe impl super::Element for Complex<f32> {
        const C_TYPE: Option<&'static str> = Some("gr_complex<f32>");
        const SNIPPET: Option<&'static str> = Some("complex");
    }

    // SAFETY: the snippet declares it for this type.
    unsafe impl super::Element for Complex<f64> {
        const C_TYPE: Option<&'static str> = Some("gr_complex<f64>");
        const SNIPPET: Option<&'static str> = Some("complex");
    }
}
