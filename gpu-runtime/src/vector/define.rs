//! The vector types: their definitions, and the functions that kernels call, each with its twin and its CUDA C.

/// A type for each line, by its number of lanes.
macro_rules! vectors {
    ($($V:ident: $lanes:tt of $T:ident, aligned to $align:literal, $c_type:literal, $cuda:literal;)+) => {
        $(vectors!(@lanes $lanes $V $T $align $c_type $cuda);)+
    };
    (@lanes 2 $V:ident $T:ident $align:literal $c_type:literal $cuda:literal) => {
        define_vector!($V, $T, $align, $c_type, $cuda, 2, (x y), "gr_vector_of(x, y)", "gr_vector_of(value, value)");
    };
    (@lanes 3 $V:ident $T:ident $align:literal $c_type:literal $cuda:literal) => {
        define_vector!($V, $T, $align, $c_type, $cuda, 3, (x y z), "gr_vector_of(x, y, z)", "gr_vector_of(value, value, value)");
    };
    (@lanes 4 $V:ident $T:ident $align:literal $c_type:literal $cuda:literal) => {
        define_vector!($V, $T, $align, $c_type, $cuda, 4, (x y z w), "gr_vector_of(x, y, z, w)", "gr_vector_of(value, value, value, value)");
    };
}

macro_rules! define_vector {
    ($V:ident, $T:ident, $align:literal, $c_type:literal, $cuda:literal, $count:literal, ($($lane:ident)+), $new:literal, $splat:literal) => {
        #[doc = concat!("A vector of ", $count, " `", stringify!($T), "`: CUDA's `", $cuda, "`.")]
        #[derive(Debug, Clone, Copy, PartialEq, Default)]
        #[repr(C, align($align))]
        pub struct $V {
            $(
                #[doc = concat!("The lane `", stringify!($lane), "`.")]
                pub $lane: $T,
            )+
        }

        impl $V {
            /// A vector of these lanes.
            #[inline]
            #[must_use]
            pub const fn new($($lane: $T),+) -> Self {
                Self { $($lane),+ }
            }

            /// A vector with `value` in every lane.
            #[inline]
            #[must_use]
            pub const fn splat(value: $T) -> Self {
                Self { $($lane: value),+ }
            }

            /// The sum of the lanes, from `x` on. Integers wrap.
            #[inline]
            #[must_use]
            pub fn reduce_sum(self) -> $T {
                fold!(add $(self.$lane)+)
            }

            /// The sum of the products of lanes, from `x` on. Integers wrap.
            #[inline]
            #[must_use]
            pub fn dot(self, other: Self) -> $T {
                fold!(add $((crate::ops::mul(self.$lane, other.$lane)))+)
            }

            /// The smaller of each two lanes. For a number and NaN, the number.
            #[inline]
            #[must_use]
            pub fn min(self, other: Self) -> Self {
                Self { $($lane: Ordered::min(self.$lane, other.$lane)),+ }
            }

            /// The larger of each two lanes. For a number and NaN, the number.
            #[inline]
            #[must_use]
            pub fn max(self, other: Self) -> Self {
                Self { $($lane: Ordered::max(self.$lane, other.$lane)),+ }
            }

            /// The lanes, in order.
            #[inline]
            #[must_use]
            pub const fn to_array(self) -> [$T; $count] {
                [$(self.$lane),+]
            }
        }

        impl From<[$T; $count]> for $V {
            #[inline]
            fn from([$($lane),+]: [$T; $count]) -> Self {
                Self { $($lane),+ }
            }
        }

        impl From<$V> for [$T; $count] {
            #[inline]
            fn from(vector: $V) -> Self {
                vector.to_array()
            }
        }

        #[doc(hidden)]
        impl $V {
            #[inline(always)]
            pub fn gpu_device_new($($lane: $T),+, _: &Thread<'_>) -> Result<Self, Stop> {
                Ok(Self::new($($lane),+))
            }
            #[expect(unused_variables, reason = "it is called for its type")]
            pub fn gpu_code_new($($lane: $T),+) -> impl AssociatedFunction<Output = $V> {
                code!("vector_new" in "vector", ($($lane: $T),+) -> $V, $new)
            }

            #[inline(always)]
            pub fn gpu_device_splat(value: $T, _: &Thread<'_>) -> Result<Self, Stop> {
                Ok(Self::splat(value))
            }
            pub fn gpu_code_splat(_: $T) -> impl AssociatedFunction<Output = $V> {
                code!("vector_splat" in "vector", (value: $T) -> $V, $splat)
            }

            #[inline(always)]
            pub fn gpu_device_reduce_sum(self, _: &Thread<'_>) -> Result<$T, Stop> {
                Ok(self.reduce_sum())
            }
            pub fn gpu_code_reduce_sum(self) -> impl AssociatedFunction<Output = $T> {
                code!("vector_sum" in "vector", (vector: $V) -> $T, "gr_vector_sum(vector)")
            }

            #[inline(always)]
            pub fn gpu_device_dot(self, other: Self, _: &Thread<'_>) -> Result<$T, Stop> {
                Ok(self.dot(other))
            }
            pub fn gpu_code_dot(self, _: Self) -> impl AssociatedFunction<Output = $T> {
                code!("vector_dot" in "vector", (a: $V, b: $V) -> $T, "gr_vector_sum(gr_wrapping_mul(a, b))")
            }
        }

        impl sealed::Sealed for $V {}

        // SAFETY: it consists of the literals of its components.
        unsafe impl Constant for $V {
            fn write(self, out: &mut ConstantText) {
                out.ty::<Self>();
                // SAFETY: the literals of the lanes.
                unsafe { out.text(&format!("{{{}}}", self.to_array().map(literal).join(", "))) };
            }
        }

        impl Vector for $V {
            type Element = $T;
            const LANES: usize = $count;
        }

        // SAFETY: both are as many numbers one after the other, with the same alignment. Any bytes are a value.
        unsafe impl DeviceType for $V {
            const ANY_BITS: bool = true;
            const MAY_HAVE_PADDING: bool = false;
        }

        // SAFETY: a type of the snippet.
        unsafe impl KernelType for $V {
            fn c_type() -> CType {
                const { assert!(size_of::<Self>() == $count * size_of::<$T>() && align_of::<Self>() == $align) }
                CType::Library { name: $c_type, snippet: "vector" }
            }
        }

        // SAFETY: it is no number.
        unsafe impl Element for $V {}

        // SAFETY: any bytes are a value.
        unsafe impl SharedElement for $V {
            const POISON: u8 = <$T as SharedElement>::POISON;
        }

        vector_operators!($V, $T, ($($lane)+));
    };
}

/// What vectors of floats have beside the operators.
macro_rules! float_vectors {
    ($($V:ident $T:ident)+) => {$(
        impl $V {
            /// The length, `v.dot(v).sqrt()`.
            #[inline]
            #[must_use]
            pub fn length(self) -> $T {
                self.dot(self).sqrt()
            }

            /// The vector of length 1 in the same direction, `v / v.length()`. Of a vector of zeros, NaN.
            #[inline]
            #[must_use]
            pub fn normalize(self) -> Self {
                self / self.length()
            }

            /// The point between `self` (`t` is 0) and `to` (`t` is 1): `self + (to - self) * t`.
            #[inline]
            #[must_use]
            pub fn lerp(self, to: Self, t: $T) -> Self {
                self + (to - self) * t
            }
        }

        #[doc(hidden)]
        impl $V {
            #[inline(always)]
            pub fn gpu_device_length(self, _: &Thread<'_>) -> Result<$T, Stop> {
                Ok(self.length())
            }
            pub fn gpu_code_length(self) -> impl AssociatedFunction<Output = $T> {
                code!("vector_length" in "geometry", (vector: $V) -> $T, "gr_vector_length(vector)")
            }

            #[inline(always)]
            pub fn gpu_device_normalize(self, _: &Thread<'_>) -> Result<Self, Stop> {
                Ok(self.normalize())
            }
            pub fn gpu_code_normalize(self) -> impl AssociatedFunction<Output = $V> {
                code!("vector_normalize" in "geometry", (vector: $V) -> $V, "gr_vector_normalize(vector)")
            }

            #[inline(always)]
            pub fn gpu_device_lerp(self, to: Self, t: $T, _: &Thread<'_>) -> Result<Self, Stop> {
                Ok(self.lerp(to, t))
            }
            pub fn gpu_code_lerp(self, _: Self, _: $T) -> impl AssociatedFunction<Output = $V> {
                code!("vector_lerp" in "geometry", (a: $V, b: $V, t: $T) -> $V, "gr_vector_lerp(a, b, t)")
            }
        }
    )+};
}

/// Of two or more, the first two first.
macro_rules! fold {
    ($function:ident $first:tt . $first_lane:ident $second:tt . $second_lane:ident $($rest:tt . $rest_lane:ident)*) => {
        fold!($function (crate::ops::$function($first.$first_lane, $second.$second_lane)) $(($rest.$rest_lane))*)
    };
    ($function:ident $only:tt) => { $only };
    ($function:ident $first:tt $second:tt $($rest:tt)*) => {
        fold!($function (crate::ops::$function($first, $second)) $($rest)*)
    };
}
