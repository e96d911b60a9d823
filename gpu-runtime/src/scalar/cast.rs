//! `as` between any two numbers, for types that only a bound describes.

macro_rules! casts {
    ($($T:ident $from:ident),*) => {
        /// A number that every other can be cast to.
        pub trait FromAs {
            $(
                #[doc(hidden)]
                fn $from(value: $T) -> Self;
            )*
        }

        casts! { @each [$($T $from),*] $($T)* }
    };
    (@each $pairs:tt $($Target:ident)*) => { $(casts! { @impl $Target $pairs })* };
    (@impl $Target:ident [$($T:ident $from:ident),*]) => {
        impl FromAs for $Target {
            $(
                #[inline(always)]
                #[allow(trivial_numeric_casts, clippy::unnecessary_cast, clippy::cast_lossless)]
                fn $from(value: $T) -> Self {
                    value as $Target
                }
            )*
        }
    };
}

casts! {
    i8 from_as_i8, i16 from_as_i16, i32 from_as_i32, i64 from_as_i64, isize from_as_isize,
    u8 from_as_u8, u16 from_as_u16, u32 from_as_u32, u64 from_as_u64, usize from_as_usize,
    f32 from_as_f32, f64 from_as_f64
}
