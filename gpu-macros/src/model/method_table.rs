//! The rows of the methods of numbers, arrays and slices.

use super::BinaryOp;
use super::method::{AtMost, Failure, MethodInfo, OnIntegers, Operand, Receiver, UnsignedResult};
use super::table::table;
use Operand::{Bool, Bytes, Checked, I32, Overflowing, Pair, Same, U32, Unsigned, Usize, WithExponent};

// The traits of the runtime that have what std's numbers lack.
const MATH: &str = "DeviceMath";
const ROUNDING: &str = "DeviceRounding";
const BITS: &str = "DeviceBits";
const INT32: &str = "DeviceInt32";
const WORD: &str = "DeviceWord";

const fn method(name: &'static str, receiver: Receiver, args: &'static [Operand], result: Operand) -> MethodInfo {
    MethodInfo {
        name,
        receiver,
        args,
        result,
        failure: None,
        provider: None,
        unsigned: UnsignedResult::Unknown,
        of_angle: false,
        on_host: false,
        on_integers: OnIntegers::AsWritten,
        of_complex: false,
    }
}

impl MethodInfo {
    const fn of(self, provider: &'static str) -> MethodInfo {
        MethodInfo { provider: Some(provider), ..self }
    }

    const fn failing(self, failure: Failure) -> MethodInfo {
        MethodInfo { failure: Some(failure), ..self }
    }

    const fn like(self, operator: BinaryOp) -> MethodInfo {
        MethodInfo { unsigned: UnsignedResult::Operator(operator), ..self }
    }

    const fn at_most(self, limit: AtMost) -> MethodInfo {
        MethodInfo { unsigned: UnsignedResult::AtMost(limit), ..self }
    }

    const fn of_angle(self) -> MethodInfo {
        MethodInfo { of_angle: true, ..self }
    }

    const fn on_host(self) -> MethodInfo {
        MethodInfo { on_host: true, ..self }
    }

    const fn on_integers(self, on_integers: OnIntegers) -> MethodInfo {
        MethodInfo { on_integers, ..self }
    }

    const fn of_complex(self) -> MethodInfo {
        MethodInfo { of_complex: true, ..self }
    }
}

const fn float(name: &'static str) -> MethodInfo {
    method(name, Receiver::Float, &[], Operand::Same)
}

const fn float2(name: &'static str) -> MethodInfo {
    method(name, Receiver::Float, &[Operand::Same], Operand::Same)
}

const fn integer2(name: &'static str) -> MethodInfo {
    method(name, Receiver::Integer, &[Operand::Same], Operand::Same)
}

const fn checked2(name: &'static str) -> MethodInfo {
    method(name, Receiver::Integer, &[Operand::Same], Operand::Checked)
}

const fn overflowing2(name: &'static str) -> MethodInfo {
    method(name, Receiver::Integer, &[Operand::Same], Operand::Overflowing)
}

const fn signed(name: &'static str, result: Operand) -> MethodInfo {
    method(name, Receiver::Signed, &[], result)
}

const fn shift(name: &'static str, result: Operand) -> MethodInfo {
    method(name, Receiver::Integer, &[Operand::U32], result)
}

const fn count(name: &'static str) -> MethodInfo {
    method(name, Receiver::Integer, &[], Operand::U32)
}

const fn float_test(name: &'static str) -> MethodInfo {
    method(name, Receiver::Float, &[], Operand::Bool)
}

const fn special(name: &'static str) -> MethodInfo {
    math(name, &[], Same)
}

const fn math(name: &'static str, args: &'static [Operand], result: Operand) -> MethodInfo {
    method(name, Receiver::Float, args, result).of(MATH)
}

const fn rounding(name: &'static str, args: &'static [Operand]) -> MethodInfo {
    method(name, Receiver::Float, args, Same).of(ROUNDING)
}

const fn bits(name: &'static str, args: &'static [Operand]) -> MethodInfo {
    method(name, Receiver::Integer, args, Same).of(BITS)
}

const fn word(name: &'static str) -> MethodInfo {
    method(name, Receiver::Unsigned, &[Same, Same], Same).of(WORD)
}

impl Method {
    pub(crate) fn all() -> impl Iterator<Item = Method> {
        Self::ALL.iter().copied()
    }
}

table! {
    /// A method of a number, array or slice. Methods of the same name on different receivers are one.
    Method of MethodInfo {
        // std's own.
        // Floats: elementary functions.
        Sin: float("sin").of_angle(),
        Cos: float("cos").of_angle(),
        Tan: float("tan").of_angle(),
        Asin: float("asin"),
        Acos: float("acos"),
        Atan: float("atan"),
        Atan2: float2("atan2"),
        SinCos: method("sin_cos", Receiver::Float, &[], Pair).of_angle(),
        Sinh: float("sinh"),
        Cosh: float("cosh"),
        Tanh: float("tanh"),
        Asinh: float("asinh"),
        Acosh: float("acosh"),
        Atanh: float("atanh"),
        Exp: float("exp").of_complex(),
        Exp2: float("exp2"),
        ExpM1: float("exp_m1"),
        Ln: float("ln").of_complex(),
        Ln1p: float("ln_1p"),
        Log2: float("log2"),
        Log10: float("log10"),
        Log: float2("log"),
        Sqrt: float("sqrt").of_complex(),
        Cbrt: float("cbrt"),
        Hypot: float2("hypot"),
        Powf: float2("powf"),
        Powi: method("powi", Receiver::Float, &[I32], Same).of_complex(),
        MulAdd: method("mul_add", Receiver::Float, &[Same, Same], Same),
        // Floats: rounding, parts, tests.
        Floor: float("floor"),
        Ceil: float("ceil"),
        Round: float("round"),
        RoundTiesEven: float("round_ties_even"),
        Trunc: float("trunc"),
        Fract: float("fract"),
        Recip: float("recip"),
        ToDegrees: float("to_degrees"),
        ToRadians: float("to_radians"),
        Copysign: float2("copysign"),
        NextUp: float("next_up"),
        NextDown: float("next_down"),
        IsNan: float_test("is_nan"),
        IsInfinite: float_test("is_infinite"),
        IsFinite: float_test("is_finite"),
        IsSignNegative: float_test("is_sign_negative"),
        IsSignPositive: float_test("is_sign_positive"),
        ToBits: method("to_bits", Receiver::Float, &[], Unsigned),
        // Numbers.
        Abs: method("abs", Receiver::SignedNumber, &[], Same).on_integers(OnIntegers::Wrapping),
        Signum: method("signum", Receiver::SignedNumber, &[], Same),
        Min: method("min", Receiver::Number, &[Same], Same).at_most(AtMost::Either).on_host().on_integers(OnIntegers::OfOrd),
        Max: method("max", Receiver::Number, &[Same], Same).at_most(AtMost::Sum).on_host().on_integers(OnIntegers::OfOrd),
        Clamp: method("clamp", Receiver::Number, &[Same, Same], Same).failing(Failure::Limits).at_most(AtMost::LastArgument),
        DivEuclid: method("div_euclid", Receiver::Number, &[Same], Same).failing(Failure::Division).like(BinaryOp::Divide),
        RemEuclid: method("rem_euclid", Receiver::Number, &[Same], Same).failing(Failure::Division).like(BinaryOp::Remainder),
        // Integers.
        Pow: method("pow", Receiver::Integer, &[U32], Same).on_integers(OnIntegers::Wrapping),
        // The quotient rounded up is at most the dividend: the divisor is at least 1.
        DivCeil: method("div_ceil", Receiver::Unsigned, &[Same], Same).failing(Failure::Division).at_most(AtMost::Receiver).on_host(),
        NextMultipleOf: method("next_multiple_of", Receiver::Unsigned, &[Same], Same).failing(Failure::ZeroDivisor),
        Isqrt: method("isqrt", Receiver::Unsigned, &[], Same).at_most(AtMost::Receiver),
        Ilog2: method("ilog2", Receiver::Integer, &[], U32).failing(Failure::NotPositive),
        Ilog10: method("ilog10", Receiver::Integer, &[], U32).failing(Failure::NotPositive),
        Midpoint: method("midpoint", Receiver::Unsigned, &[Same], Same).at_most(AtMost::Sum),
        AbsDiff: method("abs_diff", Receiver::Integer, &[Same], Unsigned),
        UnsignedAbs: method("unsigned_abs", Receiver::Signed, &[], Unsigned),
        IsPositive: method("is_positive", Receiver::Signed, &[], Bool),
        IsNegative: method("is_negative", Receiver::Signed, &[], Bool),
        IsPowerOfTwo: method("is_power_of_two", Receiver::Unsigned, &[], Bool),
        // Of `u8`, which rustc checks.
        IsAscii: method("is_ascii", Receiver::Unsigned, &[], Bool),
        IsAsciiAlphabetic: method("is_ascii_alphabetic", Receiver::Unsigned, &[], Bool),
        IsAsciiAlphanumeric: method("is_ascii_alphanumeric", Receiver::Unsigned, &[], Bool),
        IsAsciiDigit: method("is_ascii_digit", Receiver::Unsigned, &[], Bool),
        IsAsciiLowercase: method("is_ascii_lowercase", Receiver::Unsigned, &[], Bool),
        IsAsciiPunctuation: method("is_ascii_punctuation", Receiver::Unsigned, &[], Bool),
        IsAsciiUppercase: method("is_ascii_uppercase", Receiver::Unsigned, &[], Bool),
        IsAsciiWhitespace: method("is_ascii_whitespace", Receiver::Unsigned, &[], Bool),
        ToAsciiLowercase: method("to_ascii_lowercase", Receiver::Unsigned, &[], Same),
        ToAsciiUppercase: method("to_ascii_uppercase", Receiver::Unsigned, &[], Same),
        WrappingAdd: integer2("wrapping_add").like(BinaryOp::Add),
        WrappingSub: integer2("wrapping_sub").like(BinaryOp::Subtract),
        WrappingMul: integer2("wrapping_mul").like(BinaryOp::Multiply),
        WrappingNeg: method("wrapping_neg", Receiver::Integer, &[], Same),
        WrappingAbs: signed("wrapping_abs", Same),
        WrappingShl: shift("wrapping_shl", Same),
        WrappingShr: shift("wrapping_shr", Same),
        WrappingPow: method("wrapping_pow", Receiver::Integer, &[U32], Same),
        WrappingDiv: integer2("wrapping_div").failing(Failure::ZeroDivisor).like(BinaryOp::Divide),
        WrappingRem: integer2("wrapping_rem").failing(Failure::ZeroDivisor).like(BinaryOp::Remainder),
        WrappingDivEuclid: integer2("wrapping_div_euclid").failing(Failure::ZeroDivisor).like(BinaryOp::Divide),
        WrappingRemEuclid: integer2("wrapping_rem_euclid").failing(Failure::ZeroDivisor).like(BinaryOp::Remainder),
        UnboundedShl: shift("unbounded_shl", Same),
        UnboundedShr: shift("unbounded_shr", Same),
        SaturatingAdd: integer2("saturating_add").at_most(AtMost::Sum),
        SaturatingSub: integer2("saturating_sub").at_most(AtMost::Receiver).on_host(),
        SaturatingMul: integer2("saturating_mul").at_most(AtMost::Product),
        SaturatingDiv: integer2("saturating_div").failing(Failure::ZeroDivisor).like(BinaryOp::Divide),
        SaturatingPow: method("saturating_pow", Receiver::Integer, &[U32], Same),
        SaturatingNeg: signed("saturating_neg", Same),
        SaturatingAbs: signed("saturating_abs", Same),
        OverflowingAdd: overflowing2("overflowing_add"),
        OverflowingSub: overflowing2("overflowing_sub"),
        OverflowingMul: overflowing2("overflowing_mul"),
        OverflowingDiv: overflowing2("overflowing_div").failing(Failure::ZeroDivisor),
        OverflowingRem: overflowing2("overflowing_rem").failing(Failure::ZeroDivisor),
        OverflowingPow: method("overflowing_pow", Receiver::Integer, &[U32], Overflowing),
        OverflowingNeg: method("overflowing_neg", Receiver::Integer, &[], Overflowing),
        OverflowingAbs: signed("overflowing_abs", Overflowing),
        OverflowingShl: shift("overflowing_shl", Overflowing),
        OverflowingShr: shift("overflowing_shr", Overflowing),
        CheckedAdd: checked2("checked_add"),
        CheckedSub: checked2("checked_sub"),
        CheckedMul: checked2("checked_mul"),
        CheckedDiv: checked2("checked_div"),
        CheckedRem: checked2("checked_rem"),
        CheckedNeg: method("checked_neg", Receiver::Integer, &[], Checked),
        CheckedShl: shift("checked_shl", Checked),
        CheckedShr: shift("checked_shr", Checked),
        CheckedDivEuclid: checked2("checked_div_euclid"),
        CheckedRemEuclid: checked2("checked_rem_euclid"),
        CheckedPow: method("checked_pow", Receiver::Integer, &[U32], Checked),
        CheckedAbs: signed("checked_abs", Checked),
        CountOnes: count("count_ones"),
        CountZeros: count("count_zeros"),
        LeadingZeros: count("leading_zeros"),
        TrailingZeros: count("trailing_zeros"),
        LeadingOnes: count("leading_ones"),
        TrailingOnes: count("trailing_ones"),
        RotateLeft: method("rotate_left", Receiver::Integer, &[U32], Same),
        RotateRight: method("rotate_right", Receiver::Integer, &[U32], Same),
        SwapBytes: method("swap_bytes", Receiver::Integer, &[], Same),
        ReverseBits: method("reverse_bits", Receiver::Integer, &[], Same),
        ToBeBytes: method("to_be_bytes", Receiver::Integer, &[], Bytes),
        ToLeBytes: method("to_le_bytes", Receiver::Integer, &[], Bytes),
        ToNeBytes: method("to_ne_bytes", Receiver::Integer, &[], Bytes),
        // Arrays and slices.
        Len: method("len", Receiver::Array, &[], Usize),
        IsEmpty: method("is_empty", Receiver::Array, &[], Bool),

        // Those that GPUs have and std has not: of traits of the runtime, which its prelude brings into scope. The twin calls them by the
        // trait's path, so that neither a method of the user's nor a later one of std's can take their place.
        // Roots and exponentials.
        Rsqrt: special("rsqrt"),
        Rcbrt: special("rcbrt"),
        Rhypot: math("rhypot", &[Same], Same),
        Hypot3: math("hypot3", &[Same, Same], Same),
        Hypot4: math("hypot4", &[Same, Same, Same], Same),
        Rhypot3: math("rhypot3", &[Same, Same], Same),
        Rhypot4: math("rhypot4", &[Same, Same, Same], Same),
        Exp10: special("exp10"),
        // Angles in half turns.
        SinPi: special("sin_pi"),
        CosPi: special("cos_pi"),
        SinCosPi: math("sin_cos_pi", &[], Pair),
        // Special functions.
        Erf: special("erf"),
        Erfc: special("erfc"),
        Erfcx: special("erfcx"),
        Erfinv: special("erfinv"),
        Erfcinv: special("erfcinv"),
        NormCdf: special("norm_cdf"),
        NormCdfInv: special("norm_cdf_inv"),
        Tgamma: special("tgamma"),
        Lgamma: special("lgamma"),
        BesselJ0: special("bessel_j0"),
        BesselJ1: special("bessel_j1"),
        BesselJn: math("bessel_jn", &[I32], Same),
        BesselY0: special("bessel_y0"),
        BesselY1: special("bessel_y1"),
        BesselYn: math("bessel_yn", &[I32], Same),
        BesselI0: special("bessel_i0"),
        BesselI1: special("bessel_i1"),
        // Exact operations on the parts of a float.
        NextAfter: math("next_after", &[Same], Same),
        IeeeRemainder: math("ieee_remainder", &[Same], Same),
        Remquo: math("remquo", &[Same], WithExponent),
        Fdim: math("fdim", &[Same], Same),
        Ldexp: math("ldexp", &[I32], Same),
        Frexp: math("frexp", &[], WithExponent),
        Modf: math("modf", &[], Pair),
        Logb: math("logb", &[], Same),
        Ilogb: math("ilogb", &[], I32),
        Saturate: math("saturate", &[], Same),
        // A few instructions each, with larger errors.
        FastSin: special("fast_sin"),
        FastCos: special("fast_cos"),
        FastTan: special("fast_tan"),
        FastExp: special("fast_exp"),
        FastExp2: special("fast_exp2"),
        FastExp10: special("fast_exp10"),
        FastLn: special("fast_ln"),
        FastLog2: special("fast_log2"),
        FastLog10: special("fast_log10"),
        FastPowf: math("fast_powf", &[Same], Same),
        FastDiv: math("fast_div", &[Same], Same),
        FastSqrt: special("fast_sqrt"),
        // Rounded in a direction.
        AddRoundNearest: rounding("add_round_nearest", &[Same]),
        AddRoundUp: rounding("add_round_up", &[Same]),
        AddRoundDown: rounding("add_round_down", &[Same]),
        AddRoundToZero: rounding("add_round_to_zero", &[Same]),
        SubRoundNearest: rounding("sub_round_nearest", &[Same]),
        SubRoundUp: rounding("sub_round_up", &[Same]),
        SubRoundDown: rounding("sub_round_down", &[Same]),
        SubRoundToZero: rounding("sub_round_to_zero", &[Same]),
        MulRoundNearest: rounding("mul_round_nearest", &[Same]),
        MulRoundUp: rounding("mul_round_up", &[Same]),
        MulRoundDown: rounding("mul_round_down", &[Same]),
        MulRoundToZero: rounding("mul_round_to_zero", &[Same]),
        MulAddRoundNearest: rounding("mul_add_round_nearest", &[Same, Same]),
        MulAddRoundUp: rounding("mul_add_round_up", &[Same, Same]),
        MulAddRoundDown: rounding("mul_add_round_down", &[Same, Same]),
        MulAddRoundToZero: rounding("mul_add_round_to_zero", &[Same, Same]),
        DivRoundNearest: rounding("div_round_nearest", &[Same]),
        DivRoundUp: rounding("div_round_up", &[Same]),
        DivRoundDown: rounding("div_round_down", &[Same]),
        DivRoundToZero: rounding("div_round_to_zero", &[Same]),
        RecipRoundNearest: rounding("recip_round_nearest", &[]),
        RecipRoundUp: rounding("recip_round_up", &[]),
        RecipRoundDown: rounding("recip_round_down", &[]),
        RecipRoundToZero: rounding("recip_round_to_zero", &[]),
        SqrtRoundNearest: rounding("sqrt_round_nearest", &[]),
        SqrtRoundUp: rounding("sqrt_round_up", &[]),
        SqrtRoundDown: rounding("sqrt_round_down", &[]),
        SqrtRoundToZero: rounding("sqrt_round_to_zero", &[]),
        // Integers.
        MulHi: bits("mul_hi", &[Same]),
        FunnelShiftLeft: bits("funnel_shift_left", &[Same, U32]),
        FunnelShiftRight: bits("funnel_shift_right", &[Same, U32]),
        AverageFloor: bits("average_floor", &[Same]),
        AverageCeil: bits("average_ceil", &[Same]),
        // `i32` and `u32` only.
        Mul24: method("mul24", Receiver::Integer, &[Same], Same).of(INT32),
        // `u32` only.
        BytePermute: word("byte_permute"),
        Dot4Unsigned: word("dot4_unsigned"),
        Dot4Signed: method("dot4_signed", Receiver::Unsigned, &[Same, I32], I32).of(WORD),
    }
}
