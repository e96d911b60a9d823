//! The operators of vectors: those of the host, and those of the twins.

/// Each operator for two vectors, and for a vector and a number on either side.
macro_rules! vector_operators {
    ($V:ident, $T:ident, $lanes:tt) => {
        vector_operators!(@host $V, $T, $lanes, Add add AddAssign add_assign +);
        vector_operators!(@host $V, $T, $lanes, Sub sub SubAssign sub_assign -);
        vector_operators!(@host $V, $T, $lanes, Mul mul MulAssign mul_assign *);
        vector_operators!(@host $V, $T, $lanes, Div div DivAssign div_assign /);
        vector_operators!(@twin $V, $T, $lanes);
    };
    (@host $V:ident, $T:ident, ($($lane:ident)+), $Op:ident $op:ident $OpAssign:ident $op_assign:ident $symbol:tt) => {
        impl std::ops::$Op for $V {
            type Output = Self;
            #[inline]
            fn $op(self, other: Self) -> Self {
                Self { $($lane: self.$lane $symbol other.$lane),+ }
            }
        }

        impl std::ops::$Op<$T> for $V {
            type Output = Self;
            #[inline]
            fn $op(self, other: $T) -> Self {
                Self { $($lane: self.$lane $symbol other),+ }
            }
        }

        impl std::ops::$Op<$V> for $T {
            type Output = $V;
            #[inline]
            fn $op(self, other: $V) -> $V {
                $V { $($lane: self $symbol other.$lane),+ }
            }
        }

        impl std::ops::$OpAssign for $V {
            #[inline]
            fn $op_assign(&mut self, other: Self) {
                *self = *self $symbol other;
            }
        }

        impl std::ops::$OpAssign<$T> for $V {
            #[inline]
            fn $op_assign(&mut self, other: $T) {
                *self = *self $symbol other;
            }
        }
    };
    (@twin $V:ident, $T:ident, ($($lane:ident)+)) => {
        impl crate::ops::arithmetic::sealed::Sealed for $V {}

        impl Equate for $V {}

        impl Arithmetic for $V {
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self { $($lane: crate::ops::add(self.$lane, other.$lane)),+ }
            }
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self { $($lane: crate::ops::sub(self.$lane, other.$lane)),+ }
            }
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                Self { $($lane: crate::ops::mul(self.$lane, other.$lane)),+ }
            }
            #[inline]
            fn overflow(self, operation: IntegerOperation, other: Self) -> Option<IntegerOverflow> {
                None$(.or_else(|| Arithmetic::overflow(self.$lane, operation, other.$lane)))+
            }
        }

        impl Divide for $V {
            #[inline(always)]
            fn div(self, divisor: Self) -> Result<Self, Undefined> {
                $(let $lane = Divide::div(self.$lane, divisor.$lane);)+
                // As on a GPU, which asks about all zeros before it asks about overflows.
                if false $(|| $lane == Err(Undefined::ByZero))+ {
                    return Err(Undefined::ByZero);
                }
                Ok(Self { $($lane: $lane?),+ })
            }
        }

        vector_operators!(@with $V, $T => $V, (|a, b| (a, Self::splat(b))));
        vector_operators!(@with $T, $V => $V, (|a, b| (<$V>::splat(a), b)));

        impl Ordered for $V {
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                <$V>::min(self, other)
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                <$V>::max(self, other)
            }
            #[inline(always)]
            fn clamp(self, lowest: Self, highest: Self) -> Self {
                <$V>::min(<$V>::max(self, lowest), highest)
            }
        }
    };
    (@with $A:ident, $B:ident => $V:ident, (|$a:ident, $b:ident| $both:expr)) => {
        // SAFETY: the snippet for these types has the functions.
        unsafe impl ArithmeticWith<$B> for $A {
            type Output = $V;
            #[inline(always)]
            fn add(self, other: $B) -> $V {
                let ($a, $b) = (self, other);
                let (a, b) = $both;
                crate::ops::add(a, b)
            }
            #[inline(always)]
            fn sub(self, other: $B) -> $V {
                let ($a, $b) = (self, other);
                let (a, b) = $both;
                crate::ops::sub(a, b)
            }
            #[inline(always)]
            fn mul(self, other: $B) -> $V {
                let ($a, $b) = (self, other);
                let (a, b) = $both;
                crate::ops::mul(a, b)
            }
            #[inline]
            fn overflow(self, operation: IntegerOperation, other: &$B) -> Option<IntegerOverflow> {
                let ($a, $b) = (self, *other);
                let (a, b): ($V, $V) = $both;
                Arithmetic::overflow(a, operation, b)
            }
        }

        // SAFETY: the snippet for these types has the functions.
        unsafe impl DivideBy<$B> for $A {
            type Output = $V;
            #[inline(always)]
            fn div(self, divisor: $B) -> Result<$V, Undefined> {
                let ($a, $b) = (self, divisor);
                let (a, b): ($V, $V) = $both;
                Divide::div(a, b)
            }
        }
    };
}

/// The unary `-` of vectors of signed numbers.
macro_rules! negated_vectors {
    ($($V:ident)+) => {$(
        impl std::ops::Neg for $V {
            type Output = Self;
            #[inline]
            fn neg(self) -> Self {
                Self::from(self.to_array().map(|lane| -lane))
            }
        }

        impl Negate for $V {
            #[inline(always)]
            fn neg(self) -> Self {
                Self::from(self.to_array().map(crate::ops::neg))
            }
            #[inline]
            fn negation_overflow(self, operation: IntegerOperation) -> Option<IntegerOverflow> {
                self.to_array().into_iter().find_map(|lane| lane.negation_overflow(operation))
            }
        }
    )+};
}
