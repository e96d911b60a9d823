//! The element types of array functions.

use super::DeviceType;

/// An element type of array functions: the integers, the floats, complex numbers and `bool`.
///
/// Arrays and kernels take any [`DeviceType`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number or `bool`",
    label = "array functions compute with numbers and `bool`",
    note = "for an array of structs, write a `#[gpu_kernel]`"
)]
pub trait Element: sealed::Sealed + DeviceType {
    /// Its name in CUDA C.
    #[doc(hidden)]
    const C_TYPE: &'static str;
    /// The snippet that declares it, if the preamble does not.
    #[doc(hidden)]
    const SNIPPET: Option<&'static str> = None;
}

/// Whether two element types are one. In a condition `const { … }`, the compiler knows it for each instance of a generic function, and
/// compiles no branch for another type.
pub(crate) const fn is_same<T: Element, U: Element>() -> bool {
    let (a, b) = (T::C_TYPE.as_bytes(), U::C_TYPE.as_bytes());
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! elements {
    ($($T:ty),*) => {
        $(
            impl sealed::Sealed for $T {}
            impl Element for $T {
                const C_TYPE: &'static str = stringify!($T);
            }
        )*
    };
}

elements!(i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64, bool);

#[cfg(feature = "half")]
mod halves {
    use half::{bf16, f16};

    impl super::sealed::Sealed for f16 {}
    impl super::Element for f16 {
        const C_TYPE: &'static str = "gr_f16";
        const SNIPPET: Option<&'static str> = Some("half");
    }

    impl super::sealed::Sealed for bf16 {}
    impl super::Element for bf16 {
        const C_TYPE: &'static str = "gr_bf16";
        const SNIPPET: Option<&'static str> = Some("half");
    }
}

#[cfg(feature = "complex")]
mod complex {
    use num_complex::Complex;

    impl super::sealed::Sealed for Complex<f32> {}
    impl super::Element for Complex<f32> {
        const C_TYPE: &'static str = "gr_complex<f32>";
        const SNIPPET: Option<&'static str> = Some("complex");
    }

    impl super::sealed::Sealed for Complex<f64> {}
    impl super::Element for Complex<f64> {
        const C_TYPE: &'static str = "gr_complex<f64>";
        const SNIPPET: Option<&'static str> = Some("complex");
    }
}
