//! The functions of arrays that are methods of numbers by the same name: each row becomes a function with `#[vectorize]` here, and a method
//! of arrays in [`Elementwise`](crate::Elementwise).

/// Calls the macro `$rows` with the rows of each bound: `T` is the type of the elements.
macro_rules! methods_of_numbers {
    ($rows:ident) => {
        $rows! {
            Float:
            /// 1 / √x.
            fn rsqrt() -> T;
            /// 1 / ∛x.
            fn rcbrt() -> T;
            /// 1 / √(x² + other²), without overflow of the squares.
            fn rhypot(other: T) -> T;
            /// 10ˣ.
            fn exp10() -> T;
            /// sin(π · x), exact at multiples of ½.
            fn sin_pi() -> T;
            /// cos(π · x), exact at multiples of ½.
            fn cos_pi() -> T;
            /// The error function, 2/√π · ∫₀ˣ exp(−t²) dt (SciPy: `erf`).
            fn erf() -> T;
            /// 1 − erf(x), accurate where the result is tiny (SciPy: `erfc`).
            fn erfc() -> T;
            /// exp(x²) · erfc(x), which does not underflow (SciPy: `erfcx`).
            fn erfcx() -> T;
            /// The number whose `erf` is x; NaN outside `-1..=1` (SciPy: `erfinv`).
            fn erfinv() -> T;
            /// The number whose `erfc` is x; NaN outside `0..=2` (SciPy: `erfcinv`).
            fn erfcinv() -> T;
            /// The probability that a standard normal variable is at most x (SciPy: `ndtr`).
            fn norm_cdf() -> T;
            /// The number whose `norm_cdf` is x; NaN outside `0..=1` (SciPy: `ndtri`).
            fn norm_cdf_inv() -> T;
            /// The gamma function: (x − 1)! of a positive whole number (SciPy: `gamma`).
            fn tgamma() -> T;
            /// The natural logarithm of the gamma function's absolute value (SciPy: `gammaln`).
            fn lgamma() -> T;
            /// The Bessel function of the first kind of order 0 (SciPy: `j0`).
            fn bessel_j0() -> T;
            /// The Bessel function of the first kind of order 1 (SciPy: `j1`).
            fn bessel_j1() -> T;
            /// The Bessel function of the first kind of order `n` (SciPy: `jn`).
            fn bessel_jn(n: i32) -> T;
            /// The Bessel function of the second kind of order 0; NaN below 0 (SciPy: `y0`).
            fn bessel_y0() -> T;
            /// The Bessel function of the second kind of order 1; NaN below 0 (SciPy: `y1`).
            fn bessel_y1() -> T;
            /// The Bessel function of the second kind of order `n`; NaN below 0 (SciPy: `yn`).
            fn bessel_yn(n: i32) -> T;
            /// The modified Bessel function of the first kind of order 0 (SciPy: `i0`).
            fn bessel_i0() -> T;
            /// The modified Bessel function of the first kind of order 1 (SciPy: `i1`).
            fn bessel_i1() -> T;
            /// The remainder after subtracting the multiple of `divisor` that is nearest to x (Python: `math.remainder`).
            fn ieee_remainder(divisor: T) -> T;
            /// x − other if that is positive, otherwise 0.
            fn fdim(other: T) -> T;
            /// x · 2ⁿ (NumPy: `ldexp`).
            fn ldexp(n: i32) -> T;
            /// A fraction from ½ to 1 and an exponent, whose `ldexp` is x: two arrays (NumPy: `frexp`).
            fn frexp() -> (T, i32);
            /// The fraction and the whole part of x, both with its sign: two arrays (NumPy: `modf`).
            fn modf() -> (T, T);
            /// The closest float from x towards another (NumPy: `nextafter`).
            fn next_after(towards: T) -> T;
            /// The least float above x.
            fn next_up() -> T;
            /// The largest float below x.
            fn next_down() -> T;
        }
        $rows! {
            Integer:
            /// x + other, limited to the range of the type.
            fn saturating_add(other: T) -> T;
            /// x − other, limited to the range of the type.
            fn saturating_sub(other: T) -> T;
            /// x · other, limited to the range of the type.
            fn saturating_mul(other: T) -> T;
            /// x to this power, limited to the range of the type.
            fn saturating_pow(exponent: u32) -> T;
            /// x / other, where the most negative number by −1 wraps around. It fails for a divisor of zero.
            fn wrapping_div(divisor: T) -> T;
            /// x % other, where the most negative number by −1 gives 0. It fails for a divisor of zero.
            fn wrapping_rem(divisor: T) -> T;
            /// x << amount, or 0 if this shifts all bits out.
            fn unbounded_shl(amount: u32) -> T;
            /// x >> amount, or 0 or −1 if this shifts all bits out.
            fn unbounded_shr(amount: u32) -> T;
            /// The logarithm to base 2, rounded down. It fails for numbers that are not positive.
            fn ilog2() -> u32;
            /// The logarithm to base 10, rounded down. It fails for numbers that are not positive.
            fn ilog10() -> u32;
            /// How many bits are 0.
            fn count_zeros() -> u32;
            /// How many bits from the top are 1.
            fn leading_ones() -> u32;
            /// How many bits from the bottom are 1.
            fn trailing_ones() -> u32;
            /// The bits moved up, those that leave the top at the bottom.
            fn rotate_left(amount: u32) -> T;
            /// The bits moved down, those that leave the bottom at the top.
            fn rotate_right(amount: u32) -> T;
            /// The bytes in the opposite order (NumPy: `byteswap`).
            fn swap_bytes() -> T;
            /// The bits in the opposite order.
            fn reverse_bits() -> T;
        }
    };
}
pub(crate) use methods_of_numbers;
