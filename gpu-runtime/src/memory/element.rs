//! What an array can hold.

/// A type that arrays and kernel parameters can hold: the integers, the floats and `bool`.
///
/// It has the same size and representation in Rust and in CUDA C, and all bytes zero are a value of it.
pub trait Element: sealed::Sealed + Copy + Send + Sync + 'static {
    /// Whether every bit pattern is a value, so that memory with any contents is an array of them.
    #[doc(hidden)]
    const ANY_BITS: bool;
    /// Its name in CUDA C.
    #[doc(hidden)]
    const C_TYPE: &'static str;
}

/// The name of `T` in CUDA C.
#[must_use]
pub fn c_type<T: Element>() -> &'static str {
    T::C_TYPE
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! elements {
    ($($T:ty: $any_bits:literal),*) => {
        $(
            impl sealed::Sealed for $T {}
            impl Element for $T {
                const ANY_BITS: bool = $any_bits;
                const C_TYPE: &'static str = stringify!($T);
            }
        )*
    };
}

elements!(i8: true, i16: true, i32: true, i64: true, isize: true, u8: true, u16: true, u32: true, u64: true, usize: true);
elements!(f32: true, f64: true, bool: false);
