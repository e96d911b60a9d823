//! Functions of floats that GPUs have and std lacks.

use super::special;
use crate::ops::arithmetic::sealed::Sealed;

/// Declares [`DeviceMath`]. For `f32`, everything but the last group is computed in `f64` and rounded.
macro_rules! device_math {
    (
        special { $($(#[$doc:meta])* fn $name:ident(self $(, $arg:ident: $ty:ident)*) -> $out:ty;)* }
        fast { $($(#[$fast_doc:meta])* fn $fast:ident(self $(, $fast_arg:ident)*) $body:expr;)* }
    ) => {
        /// Functions of floats that CUDA has and std lacks: special functions, angles in half turns, parts of a float, and fast functions
        /// with larger errors.
        ///
        /// The prelude brings it into scope, and [`Float`](crate::Float) includes it, so that these are methods of `f32`, `f64` and any
        /// `T: Float`, in kernels and on the host. On a GPU, they are CUDA's own functions; on the CPU, they come from the crate `libm` or
        /// are computed from std's functions. The chapter "Floating point" of the book lists their errors.
        ///
        /// ```
        /// use gpu_runtime::prelude::*;
        ///
        /// /// The Black–Scholes price of a call without interest.
        /// #[gpu_device]
        /// fn call_price<T: Float>(spot: T, strike: T, deviation: T) -> T {
        ///     let d = (spot / strike).ln() / deviation + deviation / T::from_i32(2);
        ///     spot * d.norm_cdf() - strike * (d - deviation).norm_cdf()
        /// }
        ///
        /// #[gpu_kernel]
        /// fn price(spots: &[f32], strike: f32, deviation: f32, out: &mut [f32]) {
        ///     let i = grid_1d();
        ///     if i < out.len() {
        ///         out[i] = call_price(spots[i], strike, deviation);
        ///     }
        /// }
        ///
        /// assert!((call_price(100.0f64, 100.0, 0.2) - 7.965_567_455).abs() < 1e-9);
        /// assert_eq!(0.0f32.erf(), 0.0);
        /// ```
        ///
        /// std will have some of these methods itself, with the same meaning, and rustc warns if a call on the host may become a call of
        /// std's method. Write `DeviceMath::erf(x)` to avoid the warning. In kernels and device functions, the method is always this one.
        #[diagnostic::on_unimplemented(message = "`{Self}` is not a float", label = "not `f32` or `f64`")]
        pub trait DeviceMath: Sized + Copy + Sealed {
            $($(#[$doc])* fn $name(self $(, $arg: $ty)*) -> $out;)*
            $($(#[$fast_doc])* fn $fast(self $(, $fast_arg: Self)*) -> Self;)*
        }

        impl DeviceMath for f64 {
            $(
                #[inline]
                fn $name(self $(, $arg: $ty)*) -> $out {
                    special::$name(self $(, $arg)*)
                }
            )*
            device_math! { @fast $($fast [$($fast_arg)*] $body;)* }
        }

        impl DeviceMath for f32 {
            $(
                #[inline]
                fn $name(self $(, $arg: $ty)*) -> $out {
                    special::$name(f64::from(self) $(, $arg.widened())*).rounded()
                }
            )*
            device_math! { @fast $($fast [$($fast_arg)*] $body;)* }
        }
    };
    (@fast $($fast:ident [$($arg:ident)*] $body:expr;)*) => {
        $(
            #[inline]
            fn $fast(self $(, $arg: Self)*) -> Self {
                let function: fn(Self $(, device_math!(@self $arg))*) -> Self = $body;
                function(self $(, $arg)*)
            }
        )*
    };
    (@self $arg:ident) => { Self };
}

device_math! {
    special {
        /// `1 / self.sqrt()`. CUDA: `rsqrt`.
        fn rsqrt(self) -> Self;
        /// `1 / self.cbrt()`. CUDA: `rcbrt`.
        fn rcbrt(self) -> Self;
        /// `1 / self.hypot(other)`. CUDA: `rhypot`.
        fn rhypot(self, other: Self) -> Self;
        /// The length of the vector of `self`, `y` and `z`, without overflow in between. CUDA: `norm3d`.
        fn hypot3(self, y: Self, z: Self) -> Self;
        /// The length of the vector of `self`, `y`, `z` and `w`, without overflow in between. CUDA: `norm4d`.
        fn hypot4(self, y: Self, z: Self, w: Self) -> Self;
        /// `1 / self.hypot3(y, z)`. CUDA: `rnorm3d`.
        fn rhypot3(self, y: Self, z: Self) -> Self;
        /// `1 / self.hypot4(y, z, w)`. CUDA: `rnorm4d`.
        fn rhypot4(self, y: Self, z: Self, w: Self) -> Self;
        /// 10 to the power of `self`. CUDA: `exp10`.
        fn exp10(self) -> Self;
        /// `sin(π · self)`, exact at multiples of ½. CUDA: `sinpi`.
        fn sin_pi(self) -> Self;
        /// `cos(π · self)`, exact at multiples of ½. CUDA: `cospi`.
        fn cos_pi(self) -> Self;
        /// `(self.sin_pi(), self.cos_pi())`. CUDA: `sincospi`.
        fn sin_cos_pi(self) -> (Self, Self);
        /// The error function, 2/√π · ∫₀ˣ exp(−t²) dt. CUDA: `erf`. Numba: `math.erf`.
        fn erf(self) -> Self;
        /// `1 - self.erf()`, accurate where the result is tiny. CUDA: `erfc`. Numba: `math.erfc`.
        fn erfc(self) -> Self;
        /// `exp(self²) * self.erfc()`, which does not underflow where `erfc` is tiny. CUDA: `erfcx`.
        fn erfcx(self) -> Self;
        /// The number whose [`erf`](Self::erf) is `self`; NaN outside `-1..=1`. CUDA: `erfinv`.
        fn erfinv(self) -> Self;
        /// The number whose [`erfc`](Self::erfc) is `self`; NaN outside `0..=2`. CUDA: `erfcinv`.
        fn erfcinv(self) -> Self;
        /// The probability that a standard normal variable is at most `self`. CUDA: `normcdf`.
        fn norm_cdf(self) -> Self;
        /// The number whose [`norm_cdf`](Self::norm_cdf) is `self`; NaN outside `0..=1`. CUDA: `normcdfinv`.
        fn norm_cdf_inv(self) -> Self;
        /// The gamma function: `(self - 1)!` for a positive whole number. CUDA: `tgamma`. Numba: `math.gamma`.
        fn tgamma(self) -> Self;
        /// The natural logarithm of the gamma function's absolute value. CUDA: `lgamma`. Numba: `math.lgamma`.
        fn lgamma(self) -> Self;
        /// The Bessel function of the first kind of order 0. CUDA: `j0`.
        fn bessel_j0(self) -> Self;
        /// The Bessel function of the first kind of order 1. CUDA: `j1`.
        fn bessel_j1(self) -> Self;
        /// The Bessel function of the first kind of order `n`. It takes time in proportion to `n`. CUDA: `jn`.
        fn bessel_jn(self, n: i32) -> Self;
        /// The Bessel function of the second kind of order 0; NaN below 0. CUDA: `y0`.
        fn bessel_y0(self) -> Self;
        /// The Bessel function of the second kind of order 1; NaN below 0. CUDA: `y1`.
        fn bessel_y1(self) -> Self;
        /// The Bessel function of the second kind of order `n`; NaN below 0. It takes time in proportion to `n`. CUDA: `yn`.
        fn bessel_yn(self, n: i32) -> Self;
        /// The modified Bessel function of the first kind of order 0. CUDA: `cyl_bessel_i0`.
        fn bessel_i0(self) -> Self;
        /// The modified Bessel function of the first kind of order 1. CUDA: `cyl_bessel_i1`.
        fn bessel_i1(self) -> Self;
        /// The remainder after subtracting the multiple of `divisor` that is nearest to `self`; for ties, the even multiple. Exact. CUDA:
        /// `remainder`.
        fn ieee_remainder(self, divisor: Self) -> Self;
        /// [`ieee_remainder`](Self::ieee_remainder), and the sign and the three lowest bits of the quotient: from -7 to 7, and 0 if the
        /// remainder is NaN. CUDA: `remquo`.
        fn remquo(self, divisor: Self) -> (Self, i32);
        /// `self - other` if that is positive, otherwise 0. CUDA: `fdim`.
        fn fdim(self, other: Self) -> Self;
        /// `self · 2ⁿ`, rounded once. CUDA: `ldexp`. Numba: `math.ldexp`.
        fn ldexp(self, n: i32) -> Self;
        /// A number whose absolute value is from ½ to 1, and an exponent: `self` is the number times 2 to the exponent. For 0, infinities
        /// and NaN, the exponent is 0. CUDA: `frexp`. Numba: `math.frexp`.
        fn frexp(self) -> (Self, i32);
        /// The fraction and the whole part, both with the sign of `self`. CUDA: `modf`. Numba: `math.modf`.
        fn modf(self) -> (Self, Self);
        /// The exponent of `self` as a power of 2: `-inf` for 0, `inf` for infinities. CUDA: `logb`.
        fn logb(self) -> Self;
        /// The exponent of `self` as a power of 2: `i32::MIN` for 0 and NaN, `i32::MAX` for infinities. CUDA: `ilogb`.
        fn ilogb(self) -> i32;
    }
    fast {
        /// The next number towards `towards`. Exact. CUDA: `nextafter`.
        fn next_after(self, towards) |a, b| {
            if a.is_nan() || b.is_nan() {
                a + b
            } else if a == b {
                b
            } else if a < b {
                a.next_up()
            } else {
                a.next_down()
            }
        };
        /// The nearest number from 0 to 1; 0 for NaN. CUDA: `__saturatef`.
        fn saturate(self) |a| if a > 0.0 { a.min(1.0) } else { 0.0 };
        /// The sine, fast: with an absolute error below 2⁻²¹ for angles within ±π on a GPU. CUDA: `__sinf`.
        fn fast_sin(self) |a| a.sin();
        /// The cosine, fast: with an absolute error below 2⁻²¹ for angles within ±π on a GPU. CUDA: `__cosf`.
        fn fast_cos(self) |a| a.cos();
        /// The tangent, fast: the quotient of [`fast_sin`](Self::fast_sin) and [`fast_cos`](Self::fast_cos). CUDA: `__tanf`.
        fn fast_tan(self) |a| a.tan();
        /// e to the power of `self`, fast. CUDA: `__expf`.
        fn fast_exp(self) |a| a.exp();
        /// 2 to the power of `self`, fast: one instruction on a GPU, where the result is 0 below 2⁻¹²⁶. PTX: `ex2.approx.ftz.f32`.
        fn fast_exp2(self) |a| a.exp2();
        /// 10 to the power of `self`, fast. CUDA: `__exp10f`.
        fn fast_exp10(self) |a| DeviceMath::exp10(a);
        /// The natural logarithm, fast. CUDA: `__logf`.
        fn fast_ln(self) |a| a.ln();
        /// The logarithm to base 2, fast. CUDA: `__log2f`.
        fn fast_log2(self) |a| a.log2();
        /// The logarithm to base 10, fast. CUDA: `__log10f`.
        fn fast_log10(self) |a| a.log10();
        /// `self` to this power, fast: from logarithm and exponential. NaN below 0 on a GPU. CUDA: `__powf`.
        fn fast_powf(self, exponent) |a, b| a.powf(b);
        /// `self / divisor`, fast; 0 on a GPU if the absolute value of `divisor` is above 2¹²⁶. CUDA: `__fdividef`.
        fn fast_div(self, divisor) |a, b| a / b;
        /// The square root, fast. PTX: `sqrt.approx.f32`.
        fn fast_sqrt(self) |a| a.sqrt();
    }
}

/// What a function of `f32` takes, as the function of `f64` takes it.
trait Widened {
    type Wide;
    fn widened(self) -> Self::Wide;
}

impl Widened for f32 {
    type Wide = f64;
    fn widened(self) -> f64 {
        f64::from(self)
    }
}

impl Widened for i32 {
    type Wide = i32;
    fn widened(self) -> i32 {
        self
    }
}

/// What a function of `f64` returns, as the function of `f32` returns it.
trait Rounded<To> {
    fn rounded(self) -> To;
}

impl Rounded<f32> for f64 {
    fn rounded(self) -> f32 {
        self as f32
    }
}

impl Rounded<i32> for i32 {
    fn rounded(self) -> i32 {
        self
    }
}

impl<A: Rounded<C>, B: Rounded<D>, C, D> Rounded<(C, D)> for (A, B) {
    fn rounded(self) -> (C, D) {
        (self.0.rounded(), self.1.rounded())
    }
}
