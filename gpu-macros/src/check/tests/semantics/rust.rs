//! What Rust computes, by Rust itself: each operation on words, two's complement of 64 bits. A result of `None` ends the thread.
//!
//! The matches name every operation of the language's tables, so that one without a meaning here cannot be added.

use crate::model::*;

pub(super) type Operator = fn([u64; 3]) -> Option<u64>;

/// `$callback!(type)` for the type that `$scalar` is.
macro_rules! of_type {
    ($scalar:expr, $callback:ident) => {
        match $scalar.is_signed_integer() {
            true => of_signed_type!($scalar, $callback),
            false => of_unsigned_type!($scalar, $callback),
        }
    };
}

macro_rules! of_signed_type {
    ($scalar:expr, $callback:ident) => {
        match $scalar {
            Scalar::I8 => $callback!(i8),
            Scalar::I16 => $callback!(i16),
            Scalar::I32 => $callback!(i32),
            Scalar::I64 => $callback!(i64),
            Scalar::Isize => $callback!(isize),
            other => unreachable!("{other:?} has no sign"),
        }
    };
}

macro_rules! of_unsigned_type {
    ($scalar:expr, $callback:ident) => {
        match $scalar {
            Scalar::U8 => $callback!(u8),
            Scalar::U16 => $callback!(u16),
            Scalar::U32 => $callback!(u32),
            Scalar::U64 => $callback!(u64),
            Scalar::Usize => $callback!(usize),
            other => unreachable!("{other:?} is no integer without a sign"),
        }
    };
}

/// `a op b`, as in a release build. (What a value is shifted by may have another type.)
pub(super) fn operator(op: BinaryOp, scalar: Scalar) -> Operator {
    if scalar == Scalar::Bool {
        return match op {
            BinaryOp::BitAnd => |[a, b, _]| Some(a & b),
            BinaryOp::BitOr => |[a, b, _]| Some(a | b),
            BinaryOp::BitXor | BinaryOp::NotEqual => |[a, b, _]| Some(a ^ b),
            BinaryOp::Equal => |[a, b, _]| Some(u64::from(a == b)),
            other => unreachable!("{other:?} is not generated for `bool`"),
        };
    }
    macro_rules! of {
        ($t:ty) => {{
            type T = $t;
            match op {
                BinaryOp::Add => |[a, b, _]| Some((a as T).wrapping_add(b as T) as u64),
                BinaryOp::Subtract => |[a, b, _]| Some((a as T).wrapping_sub(b as T) as u64),
                BinaryOp::Multiply => |[a, b, _]| Some((a as T).wrapping_mul(b as T) as u64),
                BinaryOp::Divide => |[a, b, _]| (a as T).checked_div(b as T).map(|quotient| quotient as u64),
                BinaryOp::Remainder => |[a, b, _]| (a as T).checked_rem(b as T).map(|remainder| remainder as u64),
                BinaryOp::BitAnd => |[a, b, _]| Some(((a as T) & (b as T)) as u64),
                BinaryOp::BitOr => |[a, b, _]| Some(((a as T) | (b as T)) as u64),
                BinaryOp::BitXor => |[a, b, _]| Some(((a as T) ^ (b as T)) as u64),
                BinaryOp::ShiftLeft => |[a, b, _]| Some((a as T).wrapping_shl(b as u32) as u64),
                BinaryOp::ShiftRight => |[a, b, _]| Some((a as T).wrapping_shr(b as u32) as u64),
                BinaryOp::Equal => |[a, b, _]| Some(u64::from((a as T) == (b as T))),
                BinaryOp::NotEqual => |[a, b, _]| Some(u64::from((a as T) != (b as T))),
                BinaryOp::Less => |[a, b, _]| Some(u64::from((a as T) < (b as T))),
                BinaryOp::LessEqual => |[a, b, _]| Some(u64::from((a as T) <= (b as T))),
                BinaryOp::Greater => |[a, b, _]| Some(u64::from((a as T) > (b as T))),
                BinaryOp::GreaterEqual => |[a, b, _]| Some(u64::from((a as T) >= (b as T))),
                BinaryOp::PartialOrder | BinaryOp::TotalOrder => |[a, b, _]| Some((a as T).cmp(&(b as T)) as u64),
            }
        }};
    }
    of_type!(scalar, of)
}

pub(super) fn unary(op: UnaryOp, scalar: Scalar) -> Operator {
    macro_rules! of {
        ($t:ty) => {{
            type T = $t;
            match op {
                UnaryOp::Negate => |[a, ..]| Some((a as T).wrapping_neg() as u64),
                UnaryOp::Not => |[a, ..]| Some(!(a as T) as u64),
            }
        }};
    }
    match scalar {
        Scalar::Bool => |[a, ..]| Some(a ^ 1),
        scalar => of_type!(scalar, of),
    }
}

/// A cast of a word to this type.
pub(super) fn cast(to: Scalar) -> Operator {
    macro_rules! of {
        ($t:ty) => {
            |[a, ..]| Some(a as $t as u64)
        };
    }
    of_type!(to, of)
}

/// A method of integers; `None` if the type has none of that name. What is no integer is a word that differs where the result does.
pub(super) fn method(method: Method, scalar: Scalar) -> Option<Operator> {
    let signed = scalar.is_signed_integer();
    let fits = match method.receiver {
        Receiver::Float | Receiver::Array => false,
        Receiver::Unsigned => !signed,
        Receiver::Signed | Receiver::SignedNumber => signed,
        Receiver::Integer | Receiver::Number => true,
    };
    if !fits {
        return None;
    }
    if let Some(provider) = method.provider {
        // The runtime's own: functions of their operands, of which nothing else is claimed. So any function will do.
        let fits = match provider {
            "DeviceInt32" => scalar.bits() == 32,
            "DeviceWord" => scalar == Scalar::U32,
            _ => true,
        };
        return fits.then(|| any_function(scalar));
    }
    if method.name.starts_with("is_ascii") || method.name.starts_with("to_ascii") {
        return (scalar == Scalar::U8).then(|| of_ascii(method));
    }
    match signed {
        true => Some(of_signed(method, scalar)),
        false => Some(of_unsigned(method, scalar)),
    }
}

fn any_function(scalar: Scalar) -> Operator {
    macro_rules! of {
        ($t:ty) => {
            |[a, b, c]| Some((a.wrapping_mul(31) ^ b.wrapping_mul(17).rotate_left(9) ^ c.wrapping_mul(7)).wrapping_add(3) as $t as u64)
        };
    }
    of_type!(scalar, of)
}

/// `Some(x)` as a word that is not that of `None`.
fn option(value: Option<u64>) -> u64 {
    value.map_or(0xdead_beef_0000_0001, |value| value.wrapping_mul(2))
}

fn pair((value, flag): (u64, bool)) -> u64 {
    value.wrapping_mul(2) ^ u64::from(flag)
}

/// What signed and unsigned integers both have.
macro_rules! common {
    ($t:ty, $method:expr, $otherwise:expr) => {{
        type T = $t;
        match $method {
            Method::Min => |[a, b, _]| Some((a as T).min(b as T) as u64),
            Method::Max => |[a, b, _]| Some((a as T).max(b as T) as u64),
            Method::Clamp => |[a, least, most]| ((least as T) <= (most as T)).then(|| (a as T).clamp(least as T, most as T) as u64),
            Method::DivEuclid => |[a, b, _]| (a as T).checked_div_euclid(b as T).map(|quotient| quotient as u64),
            Method::RemEuclid => |[a, b, _]| (a as T).checked_rem_euclid(b as T).map(|remainder| remainder as u64),
            Method::Pow | Method::WrappingPow => |[a, b, _]| Some((a as T).wrapping_pow(b as u32) as u64),
            Method::AbsDiff => |[a, b, _]| Some((a as T).abs_diff(b as T) as u64),
            Method::WrappingAdd => |[a, b, _]| Some((a as T).wrapping_add(b as T) as u64),
            Method::WrappingSub => |[a, b, _]| Some((a as T).wrapping_sub(b as T) as u64),
            Method::WrappingMul => |[a, b, _]| Some((a as T).wrapping_mul(b as T) as u64),
            Method::WrappingNeg => |[a, ..]| Some((a as T).wrapping_neg() as u64),
            Method::WrappingShl => |[a, b, _]| Some((a as T).wrapping_shl(b as u32) as u64),
            Method::WrappingShr => |[a, b, _]| Some((a as T).wrapping_shr(b as u32) as u64),
            Method::SaturatingAdd => |[a, b, _]| Some((a as T).saturating_add(b as T) as u64),
            Method::SaturatingSub => |[a, b, _]| Some((a as T).saturating_sub(b as T) as u64),
            Method::SaturatingMul => |[a, b, _]| Some((a as T).saturating_mul(b as T) as u64),
            Method::OverflowingAdd => |[a, b, _]| Some(pair(words((a as T).overflowing_add(b as T)))),
            Method::OverflowingSub => |[a, b, _]| Some(pair(words((a as T).overflowing_sub(b as T)))),
            Method::OverflowingMul => |[a, b, _]| Some(pair(words((a as T).overflowing_mul(b as T)))),
            Method::CheckedAdd => |[a, b, _]| Some(option((a as T).checked_add(b as T).map(|value| value as u64))),
            Method::CheckedSub => |[a, b, _]| Some(option((a as T).checked_sub(b as T).map(|value| value as u64))),
            Method::CheckedMul => |[a, b, _]| Some(option((a as T).checked_mul(b as T).map(|value| value as u64))),
            Method::CheckedDiv => |[a, b, _]| Some(option((a as T).checked_div(b as T).map(|value| value as u64))),
            Method::CheckedRem => |[a, b, _]| Some(option((a as T).checked_rem(b as T).map(|value| value as u64))),
            Method::CheckedNeg => |[a, ..]| Some(option((a as T).checked_neg().map(|value| value as u64))),
            Method::CheckedShl => |[a, b, _]| Some(option((a as T).checked_shl(b as u32).map(|value| value as u64))),
            Method::CheckedShr => |[a, b, _]| Some(option((a as T).checked_shr(b as u32).map(|value| value as u64))),
            Method::WrappingDiv => |[a, b, _]| (b as T != 0).then(|| (a as T).wrapping_div(b as T) as u64),
            Method::WrappingRem => |[a, b, _]| (b as T != 0).then(|| (a as T).wrapping_rem(b as T) as u64),
            Method::WrappingDivEuclid => |[a, b, _]| (b as T != 0).then(|| (a as T).wrapping_div_euclid(b as T) as u64),
            Method::WrappingRemEuclid => |[a, b, _]| (b as T != 0).then(|| (a as T).wrapping_rem_euclid(b as T) as u64),
            Method::UnboundedShl => |[a, b, _]| Some((a as T).unbounded_shl(b as u32) as u64),
            Method::UnboundedShr => |[a, b, _]| Some((a as T).unbounded_shr(b as u32) as u64),
            Method::SaturatingDiv => |[a, b, _]| (b as T != 0).then(|| (a as T).saturating_div(b as T) as u64),
            Method::SaturatingPow => |[a, b, _]| Some((a as T).saturating_pow(b as u32) as u64),
            Method::OverflowingDiv => |[a, b, _]| (b as T != 0).then(|| pair(words((a as T).overflowing_div(b as T)))),
            Method::OverflowingRem => |[a, b, _]| (b as T != 0).then(|| pair(words((a as T).overflowing_rem(b as T)))),
            Method::OverflowingPow => |[a, b, _]| Some(pair(words((a as T).overflowing_pow(b as u32)))),
            Method::OverflowingNeg => |[a, ..]| Some(pair(words((a as T).overflowing_neg()))),
            Method::OverflowingShl => |[a, b, _]| Some(pair(words((a as T).overflowing_shl(b as u32)))),
            Method::OverflowingShr => |[a, b, _]| Some(pair(words((a as T).overflowing_shr(b as u32)))),
            Method::CheckedDivEuclid => |[a, b, _]| Some(option((a as T).checked_div_euclid(b as T).map(|value| value as u64))),
            Method::CheckedRemEuclid => |[a, b, _]| Some(option((a as T).checked_rem_euclid(b as T).map(|value| value as u64))),
            Method::CheckedPow => |[a, b, _]| Some(option((a as T).checked_pow(b as u32).map(|value| value as u64))),
            Method::Ilog2 => |[a, ..]| (a as T).checked_ilog2().map(u64::from),
            Method::Ilog10 => |[a, ..]| (a as T).checked_ilog10().map(u64::from),
            Method::CountOnes => |[a, ..]| Some((a as T).count_ones().into()),
            Method::CountZeros => |[a, ..]| Some((a as T).count_zeros().into()),
            Method::LeadingZeros => |[a, ..]| Some((a as T).leading_zeros().into()),
            Method::TrailingZeros => |[a, ..]| Some((a as T).trailing_zeros().into()),
            Method::LeadingOnes => |[a, ..]| Some((a as T).leading_ones().into()),
            Method::TrailingOnes => |[a, ..]| Some((a as T).trailing_ones().into()),
            Method::RotateLeft => |[a, b, _]| Some((a as T).rotate_left(b as u32) as u64),
            Method::RotateRight => |[a, b, _]| Some((a as T).rotate_right(b as u32) as u64),
            Method::SwapBytes => |[a, ..]| Some((a as T).swap_bytes() as u64),
            Method::ReverseBits => |[a, ..]| Some((a as T).reverse_bits() as u64),
            // The bytes in order, as a number.
            Method::ToBeBytes => |[a, ..]| Some((a as T).to_be() as u64),
            Method::ToLeBytes | Method::ToNeBytes => |[a, ..]| Some((a as T) as u64),
            other => $otherwise(other),
        }
    }};
}

trait Word {
    fn word(self) -> u64;
}

macro_rules! words {
    ($($t:ty)*) => { $(impl Word for $t { fn word(self) -> u64 { self as u64 } })* };
}
words!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

fn words<T: Word>((value, flag): (T, bool)) -> (u64, bool) {
    (value.word(), flag)
}

fn of_signed(method: Method, scalar: Scalar) -> Operator {
    macro_rules! of {
        ($t:ty) => {{
            type S = $t;
            let own = |method: Method| -> Operator {
                match method {
                    Method::Abs | Method::WrappingAbs => |[a, ..]| Some((a as S).wrapping_abs() as u64),
                    Method::SaturatingNeg => |[a, ..]| Some((a as S).saturating_neg() as u64),
                    Method::SaturatingAbs => |[a, ..]| Some((a as S).saturating_abs() as u64),
                    Method::OverflowingAbs => |[a, ..]| Some(pair(words((a as S).overflowing_abs()))),
                    Method::CheckedAbs => |[a, ..]| Some(option((a as S).checked_abs().map(|value| value as u64))),
                    Method::Signum => |[a, ..]| Some((a as S).signum() as u64),
                    Method::UnsignedAbs => |[a, ..]| Some((a as S).unsigned_abs() as u64),
                    Method::IsPositive => |[a, ..]| Some((a as S).is_positive().into()),
                    Method::IsNegative => |[a, ..]| Some((a as S).is_negative().into()),
                    other => panic!("what is `{}` of signed integers?", other.name),
                }
            };
            common!($t, method, own)
        }};
    }
    of_signed_type!(scalar, of)
}

fn of_unsigned(method: Method, scalar: Scalar) -> Operator {
    macro_rules! of {
        ($t:ty) => {{
            type U = $t;
            let own = |method: Method| -> Operator {
                match method {
                    Method::DivCeil => |[a, b, _]| (b as U != 0).then(|| (a as u128).div_ceil(b as u128) as U as u64),
                    Method::NextMultipleOf => |[a, b, _]| (b as U != 0).then(|| (a as u128).next_multiple_of(b as u128) as U as u64),
                    Method::Isqrt => |[a, ..]| Some((a as U).isqrt() as u64),
                    Method::Midpoint => |[a, b, _]| Some((a as U).midpoint(b as U) as u64),
                    Method::IsPowerOfTwo => |[a, ..]| Some(u64::from((a as U).count_ones() == 1)),
                    other => panic!("what is `{}` of integers without a sign?", other.name),
                }
            };
            common!($t, method, own)
        }};
    }
    of_unsigned_type!(scalar, of)
}

fn of_ascii(method: Method) -> Operator {
    match method {
        Method::IsAscii => |[a, ..]| Some((a as u8).is_ascii().into()),
        Method::IsAsciiAlphabetic => |[a, ..]| Some((a as u8).is_ascii_alphabetic().into()),
        Method::IsAsciiAlphanumeric => |[a, ..]| Some((a as u8).is_ascii_alphanumeric().into()),
        Method::IsAsciiDigit => |[a, ..]| Some((a as u8).is_ascii_digit().into()),
        Method::IsAsciiLowercase => |[a, ..]| Some((a as u8).is_ascii_lowercase().into()),
        Method::IsAsciiPunctuation => |[a, ..]| Some((a as u8).is_ascii_punctuation().into()),
        Method::IsAsciiUppercase => |[a, ..]| Some((a as u8).is_ascii_uppercase().into()),
        Method::IsAsciiWhitespace => |[a, ..]| Some((a as u8).is_ascii_whitespace().into()),
        Method::ToAsciiLowercase => |[a, ..]| Some((a as u8).to_ascii_lowercase().into()),
        Method::ToAsciiUppercase => |[a, ..]| Some((a as u8).to_ascii_uppercase().into()),
        other => panic!("what is `{}`?", other.name),
    }
}
