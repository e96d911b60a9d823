//! The methods of numbers that GPUs have and std has not: traits of the runtime, which its prelude brings into scope.
//!
//! The twin calls them by the trait's path, so that neither a method of the user's nor a later one of std's can take their place.

use super::method::{MethodInfo, Operand, Provider, Receiver, method};
use Operand::{I32, Pair, Same, U32, WithExponent};

const fn of(provider: &'static Provider, method: MethodInfo) -> MethodInfo {
    MethodInfo { provider: Some(provider), ..method }
}

static SPECIAL: Provider = Provider { name: "DeviceMath", snippet: "special" };
static PARTS: Provider = Provider { name: "DeviceMath", snippet: "parts" };
static FAST: Provider = Provider { name: "DeviceMath", snippet: "fast" };
static ROUNDING: Provider = Provider { name: "DeviceRounding", snippet: "rounding" };
static BITS: Provider = Provider { name: "DeviceBits", snippet: "bits" };
static INT32: Provider = Provider { name: "DeviceInt32", snippet: "bits" };
static WORD: Provider = Provider { name: "DeviceWord", snippet: "bits" };

const fn special(name: &'static str) -> MethodInfo {
    of(&SPECIAL, method(name, Receiver::Float, &[], Same))
}

const fn special_of_order(name: &'static str) -> MethodInfo {
    of(&SPECIAL, method(name, Receiver::Float, &[I32], Same))
}

const fn part(name: &'static str, args: &'static [Operand], result: Operand) -> MethodInfo {
    of(&PARTS, method(name, Receiver::Float, args, result))
}

const fn fast(name: &'static str, args: &'static [Operand]) -> MethodInfo {
    of(&FAST, method(name, Receiver::Float, args, Same))
}

const fn rounding(name: &'static str, args: &'static [Operand]) -> MethodInfo {
    of(&ROUNDING, method(name, Receiver::Float, args, Same))
}

const fn bits(name: &'static str, args: &'static [Operand]) -> MethodInfo {
    of(&BITS, method(name, Receiver::Integer, args, Same))
}

const fn word(name: &'static str) -> MethodInfo {
    of(&WORD, method(name, Receiver::Unsigned, &[Same, Same], Same))
}

pub(crate) static DEVICE_METHODS: &[MethodInfo] = &[
    // Roots and exponentials.
    special("rsqrt"),
    special("rcbrt"),
    of(&SPECIAL, method("rhypot", Receiver::Float, &[Same], Same)),
    of(&SPECIAL, method("hypot3", Receiver::Float, &[Same, Same], Same)),
    of(&SPECIAL, method("hypot4", Receiver::Float, &[Same, Same, Same], Same)),
    of(&SPECIAL, method("rhypot3", Receiver::Float, &[Same, Same], Same)),
    of(&SPECIAL, method("rhypot4", Receiver::Float, &[Same, Same, Same], Same)),
    special("exp10"),
    // Angles in half turns.
    special("sin_pi"),
    special("cos_pi"),
    of(&SPECIAL, method("sin_cos_pi", Receiver::Float, &[], Pair)),
    // Special functions.
    special("erf"),
    special("erfc"),
    special("erfcx"),
    special("erfinv"),
    special("erfcinv"),
    special("norm_cdf"),
    special("norm_cdf_inv"),
    special("tgamma"),
    special("lgamma"),
    special("bessel_j0"),
    special("bessel_j1"),
    special_of_order("bessel_jn"),
    special("bessel_y0"),
    special("bessel_y1"),
    special_of_order("bessel_yn"),
    special("bessel_i0"),
    special("bessel_i1"),
    // Exact operations on the parts of a float.
    part("next_after", &[Same], Same),
    part("ieee_remainder", &[Same], Same),
    part("remquo", &[Same], WithExponent),
    part("fdim", &[Same], Same),
    part("ldexp", &[I32], Same),
    part("frexp", &[], WithExponent),
    part("modf", &[], Pair),
    part("logb", &[], Same),
    part("ilogb", &[], I32),
    part("saturate", &[], Same),
    // A few instructions each, with larger errors.
    fast("fast_sin", &[]),
    fast("fast_cos", &[]),
    fast("fast_tan", &[]),
    fast("fast_exp", &[]),
    fast("fast_exp10", &[]),
    fast("fast_ln", &[]),
    fast("fast_log2", &[]),
    fast("fast_log10", &[]),
    fast("fast_powf", &[Same]),
    fast("fast_div", &[Same]),
    fast("fast_sqrt", &[]),
    // Rounded in a direction.
    rounding("add_round_nearest", &[Same]),
    rounding("add_round_up", &[Same]),
    rounding("add_round_down", &[Same]),
    rounding("add_round_to_zero", &[Same]),
    rounding("sub_round_nearest", &[Same]),
    rounding("sub_round_up", &[Same]),
    rounding("sub_round_down", &[Same]),
    rounding("sub_round_to_zero", &[Same]),
    rounding("mul_round_nearest", &[Same]),
    rounding("mul_round_up", &[Same]),
    rounding("mul_round_down", &[Same]),
    rounding("mul_round_to_zero", &[Same]),
    rounding("mul_add_round_nearest", &[Same, Same]),
    rounding("mul_add_round_up", &[Same, Same]),
    rounding("mul_add_round_down", &[Same, Same]),
    rounding("mul_add_round_to_zero", &[Same, Same]),
    rounding("div_round_nearest", &[Same]),
    rounding("div_round_up", &[Same]),
    rounding("div_round_down", &[Same]),
    rounding("div_round_to_zero", &[Same]),
    rounding("recip_round_nearest", &[]),
    rounding("recip_round_up", &[]),
    rounding("recip_round_down", &[]),
    rounding("recip_round_to_zero", &[]),
    rounding("sqrt_round_nearest", &[]),
    rounding("sqrt_round_up", &[]),
    rounding("sqrt_round_down", &[]),
    rounding("sqrt_round_to_zero", &[]),
    // Integers.
    bits("mul_hi", &[Same]),
    bits("funnel_shift_left", &[Same, U32]),
    bits("funnel_shift_right", &[Same, U32]),
    bits("average_floor", &[Same]),
    bits("average_ceil", &[Same]),
    // `i32` and `u32` only.
    of(&INT32, method("mul24", Receiver::Integer, &[Same], Same)),
    // `u32` only.
    word("byte_permute"),
    word("dot4_unsigned"),
    word("dot4_signed"),
];
