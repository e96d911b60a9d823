//! How CUDA C says each method.

use super::code::{Binding, Code};
use super::text::c;
use crate::model::*;

/// The known part of the receiver's type.
#[derive(Clone, Copy)]
pub(super) enum ReceiverKind {
    Float(Scalar),
    Integer,
    /// C++ picks the function by the type.
    Unknown,
}

impl ReceiverKind {
    pub(super) fn new(ty: &Type) -> ReceiverKind {
        match ty.as_scalar() {
            None => ReceiverKind::Unknown,
            Some(scalar) if scalar.is_float() => ReceiverKind::Float(scalar),
            Some(_) => ReceiverKind::Integer,
        }
    }

    fn is_single(self) -> bool {
        matches!(self, ReceiverKind::Float(Scalar::F32))
    }

    /// What stands behind the name of a function of such floats, and behind their literals.
    pub(super) fn suffix(self) -> &'static str {
        if self.is_single() { "f" } else { "" }
    }
}

/// The CUDA C of a method.
pub(super) enum Spelling {
    Len,
    IsEmpty,
    Clamp,
    /// A function of CUDA's: `sinf` for `f32`, `sin` for `f64`.
    Function(&'static str),
    /// A function of an angle, which the receiver may have been reduced to before.
    OfAngle,
    /// Operators and functions of floats.
    Expression(fn(ReceiverKind, &Code) -> Code),
    /// The helper `gr_METHOD` of this snippet, overloaded for every type that it takes.
    Helper(&'static str),
    /// The helper `gr_wrapping_METHOD` of integers: what the method does in a release build.
    WrappingInteger,
    /// `gr_METHOD` of this snippet, behind the checks of an integer division.
    Division(&'static str),
    /// The same behind the check of the divisor alone.
    DivisionByAny(&'static str),
    /// `gr_METHOD` of the integers, behind the check that the number is positive.
    Logarithm,
}

/// How to say `method` of a value whose type is known this far. Those of floats are never called on integers, nor the other way round.
pub(super) fn spelling(method: Method, of: ReceiverKind) -> Spelling {
    use ReceiverKind::{Float, Integer, Unknown};
    use Spelling::{Division, Expression, Helper};
    let elementary = |function| if let Float(_) = of { Spelling::Function(function) } else { Helper("elementary") };
    let expression = |write| if let Float(_) = of { Expression(write) } else { Helper("elementary") };
    let trigonometric = |of_f64| match of {
        Float(Scalar::F32) => Spelling::OfAngle,
        Float(_) => of_f64,
        Integer | Unknown => Helper("angles"),
    };
    let euclidean = match of {
        Float(_) => Helper("float"),
        Integer => Division("int"),
        Unknown => Division("number"),
    };
    match method {
        Method::Len => Spelling::Len,
        Method::IsEmpty => Spelling::IsEmpty,
        Method::Sin => trigonometric(Spelling::Function("sin")),
        Method::Cos => trigonometric(Spelling::Function("cos")),
        Method::Tan => trigonometric(Spelling::Function("tan")),
        Method::SinCos => trigonometric(Helper("float")),
        Method::Asin => elementary("asin"),
        Method::Acos => elementary("acos"),
        Method::Atan => elementary("atan"),
        Method::Atan2 => elementary("atan2"),
        Method::Sinh => elementary("sinh"),
        Method::Cosh => elementary("cosh"),
        Method::Tanh => elementary("tanh"),
        Method::Asinh => elementary("asinh"),
        Method::Acosh => elementary("acosh"),
        Method::Atanh => elementary("atanh"),
        Method::Exp => elementary("exp"),
        Method::Exp2 => elementary("exp2"),
        Method::Log2 => elementary("log2"),
        Method::Log10 => elementary("log10"),
        Method::Sqrt => elementary("sqrt"),
        Method::Cbrt => elementary("cbrt"),
        Method::Hypot => elementary("hypot"),
        Method::Floor => elementary("floor"),
        Method::Ceil => elementary("ceil"),
        Method::Round => elementary("round"),
        Method::Trunc => elementary("trunc"),
        Method::Copysign => elementary("copysign"),
        Method::ExpM1 => elementary("expm1"),
        Method::Ln => elementary("log"),
        Method::Ln1p => elementary("log1p"),
        Method::Powf => elementary("pow"),
        Method::MulAdd => elementary("fma"),
        Method::RoundTiesEven => elementary("rint"),
        Method::Recip => expression(recip),
        Method::ToDegrees => expression(to_degrees),
        Method::ToRadians => expression(to_radians),
        Method::ToBits => expression(to_bits),
        Method::Fract
        | Method::Log
        | Method::Powi
        | Method::NextUp
        | Method::NextDown
        | Method::IsNan
        | Method::IsInfinite
        | Method::IsFinite
        | Method::IsSignNegative
        | Method::IsSignPositive => Helper("float"),
        Method::Abs => match of {
            Float(_) => Spelling::Function("fabs"),
            Integer => Spelling::WrappingInteger,
            Unknown => Helper("number"),
        },
        Method::Signum => match of {
            Float(_) => Helper("float"),
            Integer => Helper("int"),
            Unknown => Helper("number"),
        },
        Method::Min => number("fmin", of),
        Method::Max => number("fmax", of),
        Method::Clamp => Spelling::Clamp,
        Method::DivEuclid | Method::RemEuclid => euclidean,
        Method::DivCeil => Division("int"),
        Method::WrappingDiv
        | Method::WrappingRem
        | Method::WrappingDivEuclid
        | Method::WrappingRemEuclid
        | Method::SaturatingDiv
        | Method::NextMultipleOf => Spelling::DivisionByAny("int"),
        Method::OverflowingDiv | Method::OverflowingRem => Spelling::DivisionByAny("overflow"),
        Method::Ilog2 | Method::Ilog10 => Spelling::Logarithm,
        Method::Pow => Spelling::WrappingInteger,
        Method::WrappingAdd
        | Method::WrappingSub
        | Method::WrappingMul
        | Method::WrappingNeg
        | Method::WrappingShl
        | Method::WrappingShr => Helper("ops"),
        Method::CheckedAdd
        | Method::CheckedSub
        | Method::CheckedMul
        | Method::CheckedDiv
        | Method::CheckedRem
        | Method::CheckedNeg
        | Method::CheckedShl
        | Method::CheckedShr
        | Method::CheckedDivEuclid
        | Method::CheckedRemEuclid
        | Method::CheckedPow
        | Method::CheckedAbs => Helper("checked"),
        Method::OverflowingAdd
        | Method::OverflowingSub
        | Method::OverflowingMul
        | Method::OverflowingPow
        | Method::OverflowingNeg
        | Method::OverflowingAbs
        | Method::OverflowingShl
        | Method::OverflowingShr
        | Method::SaturatingPow => Helper("overflow"),
        Method::ToBeBytes | Method::ToLeBytes | Method::ToNeBytes => Helper("bytes"),
        Method::AbsDiff
        | Method::UnsignedAbs
        | Method::IsPositive
        | Method::IsNegative
        | Method::IsPowerOfTwo
        | Method::WrappingAbs
        | Method::WrappingPow
        | Method::SaturatingAdd
        | Method::SaturatingSub
        | Method::SaturatingMul
        | Method::SaturatingNeg
        | Method::SaturatingAbs
        | Method::UnboundedShl
        | Method::UnboundedShr
        | Method::Isqrt
        | Method::Midpoint
        | Method::CountOnes
        | Method::CountZeros
        | Method::LeadingZeros
        | Method::TrailingZeros
        | Method::LeadingOnes
        | Method::TrailingOnes
        | Method::RotateLeft
        | Method::RotateRight
        | Method::SwapBytes
        | Method::ReverseBits => Helper("int"),
        Method::IsAscii
        | Method::IsAsciiAlphabetic
        | Method::IsAsciiAlphanumeric
        | Method::IsAsciiDigit
        | Method::IsAsciiLowercase
        | Method::IsAsciiPunctuation
        | Method::IsAsciiUppercase
        | Method::IsAsciiWhitespace
        | Method::ToAsciiLowercase
        | Method::ToAsciiUppercase => Helper("ascii"),
        Method::Rsqrt
        | Method::Rcbrt
        | Method::Rhypot
        | Method::Hypot3
        | Method::Hypot4
        | Method::Rhypot3
        | Method::Rhypot4
        | Method::Exp10
        | Method::SinPi
        | Method::CosPi
        | Method::SinCosPi
        | Method::Erf
        | Method::Erfc
        | Method::Erfcx
        | Method::Erfinv
        | Method::Erfcinv
        | Method::NormCdf
        | Method::NormCdfInv
        | Method::Tgamma
        | Method::Lgamma
        | Method::BesselJ0
        | Method::BesselJ1
        | Method::BesselJn
        | Method::BesselY0
        | Method::BesselY1
        | Method::BesselYn
        | Method::BesselI0
        | Method::BesselI1 => Helper("special"),
        Method::NextAfter
        | Method::IeeeRemainder
        | Method::Remquo
        | Method::Fdim
        | Method::Ldexp
        | Method::Frexp
        | Method::Modf
        | Method::Logb
        | Method::Ilogb
        | Method::Saturate => Helper("parts"),
        Method::FastSin
        | Method::FastCos
        | Method::FastTan
        | Method::FastExp
        | Method::FastExp2
        | Method::FastExp10
        | Method::FastLn
        | Method::FastLog2
        | Method::FastLog10
        | Method::FastPowf
        | Method::FastDiv
        | Method::FastSqrt => Helper("fast"),
        Method::AddRoundNearest
        | Method::AddRoundUp
        | Method::AddRoundDown
        | Method::AddRoundToZero
        | Method::SubRoundNearest
        | Method::SubRoundUp
        | Method::SubRoundDown
        | Method::SubRoundToZero
        | Method::MulRoundNearest
        | Method::MulRoundUp
        | Method::MulRoundDown
        | Method::MulRoundToZero
        | Method::MulAddRoundNearest
        | Method::MulAddRoundUp
        | Method::MulAddRoundDown
        | Method::MulAddRoundToZero
        | Method::DivRoundNearest
        | Method::DivRoundUp
        | Method::DivRoundDown
        | Method::DivRoundToZero
        | Method::RecipRoundNearest
        | Method::RecipRoundUp
        | Method::RecipRoundDown
        | Method::RecipRoundToZero
        | Method::SqrtRoundNearest
        | Method::SqrtRoundUp
        | Method::SqrtRoundDown
        | Method::SqrtRoundToZero => Helper("rounding"),
        Method::MulHi
        | Method::FunnelShiftLeft
        | Method::FunnelShiftRight
        | Method::AverageFloor
        | Method::AverageCeil
        | Method::Mul24
        | Method::BytePermute
        | Method::Dot4Unsigned
        | Method::Dot4Signed => Helper("bits"),
    }
}

fn number(function: &'static str, of: ReceiverKind) -> Spelling {
    match of {
        ReceiverKind::Float(_) => Spelling::Function(function),
        ReceiverKind::Integer => Spelling::Helper("int"),
        ReceiverKind::Unknown => Spelling::Helper("number"),
    }
}

fn recip(of: ReceiverKind, value: &Code) -> Code {
    Code::bound(Binding::Product, c!["1.0", of.suffix(), " / ", value.operand()])
}

fn to_degrees(of: ReceiverKind, value: &Code) -> Code {
    let factor = if of.is_single() { "57.29578f" } else { "(180.0 / 3.141592653589793)" };
    Code::bound(Binding::Product, c![value.operand(), " * ", factor])
}

fn to_radians(of: ReceiverKind, value: &Code) -> Code {
    let factor = if of.is_single() { "0.017453292f" } else { "(3.141592653589793 / 180.0)" };
    Code::bound(Binding::Product, c![value.operand(), " * ", factor])
}

fn to_bits(of: ReceiverKind, value: &Code) -> Code {
    let function = if of.is_single() { "__float_as_uint" } else { "(u64)__double_as_longlong" };
    Code::atom(c![function, "(", value.text, ")"])
}
