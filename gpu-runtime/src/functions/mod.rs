//! Ready-made functions of arrays: NumPy's universal functions, under std's names.
//!
//! Each is a function of numbers and, through the module of the same name, of arrays: `functions::hypot::map(&x, &y)` computes nothing
//! until it is collected, and fuses with others into one kernel, like all functions with the attribute [`#[vectorize]`](crate::vectorize).
//! [`Lazy`](crate::Lazy) has them as methods, and arrays have operators. Kernels can call them too, except for `and`, `or`, `xor`, `not`
//! and `select`: kernels have operators and `if`.
//!
//! ```
//! use gpu_runtime::functions;
//! use gpu_runtime::prelude::*;
//!
//! let device = Device::cpu();
//! let (x, y) = (device.to_device(&[3.0f32, 5.0])?, device.to_device(&[4.0f32, 12.0])?);
//! assert_eq!(functions::hypot::map(&x, &y).to_host()?, [5.0, 13.0]);
//! assert_eq!(lazy(&x).hypot(&y).to_host()?, [5.0, 13.0]);
//! assert_eq!((&x * &x + &y * &y).sqrt().to_host()?, [5.0, 13.0]);
//! assert_eq!(functions::mul::outer(&x, &y).to_host()?, [12.0, 36.0, 20.0, 60.0]);
//! assert_eq!(functions::hypot(3.0, 4.0), 5.0);
//! # Ok::<(), gpu_runtime::Error>(())
//! ```
//!
//! | NumPy | function | lazy array |
//! |---|---|---|
//! | `add`, `subtract`, `multiply`, `divide`, `negative` | [`add`](fn@add), [`sub`](fn@sub), [`mul`](fn@mul), [`div`](fn@div), [`neg`](fn@neg) | `+ - * /`, `-x` |
//! | `fmod` | [`rem`](fn@rem) | `%` |
//! | `floor_divide`, `mod` of a positive divisor | [`div_euclid`](fn@div_euclid), [`rem_euclid`](fn@rem_euclid) | the same |
//! | `absolute`, `sign`, `square`, `reciprocal` | [`abs`](fn@abs), [`sign`](fn@sign), or [`signum`](fn@signum) (±1 of ±0.0), [`square`](fn@square), [`recip`](fn@recip) | the same |
//! | `fmin`, `fmax` | [`min`](fn@min), [`max`](fn@max) | `min_with`, `max_with` |
//! | `minimum`, `maximum`, `clip` | [`minimum`](fn@minimum), [`maximum`](fn@maximum), [`clamp`](fn@clamp) | the same |
//! | `copysign`, `signbit` | [`copysign`](fn@copysign), [`is_sign_negative`](fn@is_sign_negative) | the same |
//! | | [`mul_add`](fn@mul_add) | the same |
//! | `less`, `less_equal`, `greater`, `greater_equal` | [`less`](fn@less), [`less_equal`](fn@less_equal), [`greater`](fn@greater), [`greater_equal`](fn@greater_equal) | `lt`, `le`, `gt`, `ge` |
//! | `equal`, `not_equal` | [`equal`](fn@equal), [`not_equal`](fn@not_equal) | `eq`, `ne` |
//! | `isnan`, `isinf`, `isfinite` | [`is_nan`](fn@is_nan), [`is_infinite`](fn@is_infinite), [`is_finite`](fn@is_finite) | the same |
//! | `bitwise_and`, `_or`, `_xor`, `invert`; `logical_and`, … | [`and`](fn@and), [`or`](fn@or), [`xor`](fn@xor), [`not`](fn@not) | `&`, `\|`, `^`, `!` |
//! | `left_shift`, `right_shift`, `bitwise_count` | [`shl`](fn@shl), [`shr`](fn@shr), [`count_ones`](fn@count_ones) | `<<`, `>>`, the same |
//! | | [`leading_zeros`](fn@leading_zeros), [`trailing_zeros`](fn@trailing_zeros) | the same |
//! | `where`, `astype` | [`select`](fn@select), [`cast`](fn@cast) | the same |
//! | `power` | [`powf`](fn@powf), [`powi`](fn@powi), of integers [`pow`](fn@pow) | the same |
//! | `arange` | [`sequence`](fn@sequence), of `iota(n)` | `device.arange(…)` |
//! | `sqrt`, `cbrt`, `hypot` | [`sqrt`](fn@sqrt), [`cbrt`](fn@cbrt), [`hypot`](fn@hypot) | the same |
//! | `exp`, `exp2`, `expm1` | [`exp`](fn@exp), [`exp2`](fn@exp2), [`exp_m1`](fn@exp_m1) | the same |
//! | `log`, `log1p`, `log2`, `log10` | [`ln`](fn@ln), [`ln_1p`](fn@ln_1p), [`log2`](fn@log2), [`log10`](fn@log10), to any base [`log`](fn@log) | the same |
//! | `floor`, `ceil`, `trunc`, `rint` | [`floor`](fn@floor), [`ceil`](fn@ceil), [`trunc`](fn@trunc), [`round_ties_even`](fn@round_ties_even) | the same |
//! | | [`round`](fn@round), [`fract`](fn@fract) | the same |
//! | `sin`, `cos`, `tan` | [`sin`](fn@sin), [`cos`](fn@cos), [`tan`](fn@tan), both of the first [`sin_cos`](fn@sin_cos) | the same |
//! | `arcsin`, `arccos`, `arctan`, `arctan2` | [`asin`](fn@asin), [`acos`](fn@acos), [`atan`](fn@atan), [`atan2`](fn@atan2) | the same |
//! | `sinh`, `cosh`, `tanh` | [`sinh`](fn@sinh), [`cosh`](fn@cosh), [`tanh`](fn@tanh) | the same |
//! | `arcsinh`, `arccosh`, `arctanh` | [`asinh`](fn@asinh), [`acosh`](fn@acosh), [`atanh`](fn@atanh) | the same |
//! | `ldexp`, `frexp`, `modf`, `nextafter` | [`ldexp`](fn@ldexp), [`frexp`](fn@frexp), [`modf`](fn@modf), [`next_after`](fn@next_after) | the same |
//! | `scipy.special.erf`, `erfc`, `erfinv`, `ndtr`, `gamma`, `gammaln`, `j0`, … | [`erf`](fn@erf), [`erfc`](fn@erfc), [`erfinv`](fn@erfinv), [`norm_cdf`](fn@norm_cdf), [`tgamma`](fn@tgamma), [`lgamma`](fn@lgamma), [`bessel_j0`](fn@bessel_j0), … | the same |
//! | `scipy.special.expit` | [`sigmoid`](fn@sigmoid), and [`relu`](fn@relu), [`silu`](fn@silu), [`gelu`](fn@gelu), [`softplus`](fn@softplus) | the same |
//! | | [`saturating_add`](fn@saturating_add), [`rotate_left`](fn@rotate_left), [`swap_bytes`](fn@swap_bytes), … of integers | the same |
//! | `degrees`, `radians` | [`to_degrees`](fn@to_degrees), [`to_radians`](fn@to_radians) | the same |
//!
//! Results are those of std on the CPU, and within the bounds of CUDA's mathematical functions on a GPU. Differences from NumPy:
//!
//! * [`min`](fn@min) and [`max`](fn@max) ignore NaN, as `f32::max` does; [`minimum`](fn@minimum) and [`maximum`](fn@maximum) propagate it.
//!   The methods are `min_with` and `max_with`, because `min()` and `max()` of an array are reductions.
//! * Both arguments have the same type. Only `cast` converts.
//! * An integer divided by zero is an error, which the next call that waits for the device reports; NumPy warns and gives 0.
//! * `/` of integers gives an integer, rounded towards zero.

mod activations;
mod arithmetic;
mod comparison;
#[cfg(feature = "complex")]
mod complex;
mod element;
mod elementary;
mod integer;
mod logic;
mod of_numbers;
pub(crate) mod table;
mod trigonometric;

pub use activations::*;
pub use arithmetic::*;
pub use comparison::*;
#[cfg(feature = "complex")]
pub(crate) use complex::{ComplexOf, Narrow, Widen};
pub use element::{
    ArithmeticElement, ComplexElement, ElementaryElement, EqualElement, RightElement, RightOfNumber, SignedElement, VarianceElement,
    VarianceSum,
};
pub use elementary::*;
pub use integer::*;
pub use logic::*;
pub use of_numbers::*;
pub use trigonometric::*;

#[cfg(test)]
mod tests;
