//! The methods of std's numbers, arrays and slices that kernels may call.
//!
//! One table serves inference (what the arguments and the result are), the twin (which calls std's method of that name) and
//! the CUDA emitter (which has a spelling for each entry). The methods that the runtime adds to std's are a table of their own
//! in [`device_method`](super::device_method).

use super::DEVICE_METHODS;

/// One method. Methods of the same name on different receivers are one entry.
#[derive(Debug)]
pub(crate) struct MethodInfo {
    pub(crate) name: &'static str,
    pub(crate) receiver: Receiver,
    pub(crate) args: &'static [Operand],
    pub(crate) result: Operand,
    /// Can fail: `clamp` for limits out of order, the divisions (of integers only) for a zero divisor or on overflow.
    pub(crate) fails: bool,
    /// The runtime's trait that has it; `None` for std's own.
    pub(crate) provider: Option<&'static Provider>,
}

/// A trait of the runtime with methods that std's numbers lack.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Provider {
    /// Its name in `gpu_runtime::scalar`.
    pub(crate) name: &'static str,
    /// Where its methods are in CUDA C: `gr_NAME`, overloaded for every type that has it.
    pub(crate) snippet: &'static str,
}

/// What a method can be called on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Receiver {
    Float,
    Integer,
    Unsigned,
    Signed,
    /// Integers and floats.
    Number,
    /// Signed integers and floats.
    SignedNumber,
    /// Slices, arrays and shared arrays.
    Array,
}

/// The type of an argument or result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operand {
    /// The receiver's type.
    Same,
    Bool,
    U32,
    I32,
    Usize,
    /// The unsigned integer of the receiver's size.
    Unsigned,
    /// `(Same, Same)`.
    Pair,
    /// `(Same, bool)`.
    Overflowing,
    /// `Option<Same>`.
    Checked,
    /// `(Same, i32)`.
    WithExponent,
}

pub(super) const fn method(name: &'static str, receiver: Receiver, args: &'static [Operand], result: Operand) -> MethodInfo {
    MethodInfo { name, receiver, args, result, fails: false, provider: None }
}

const fn fallible(name: &'static str, receiver: Receiver, args: &'static [Operand], result: Operand) -> MethodInfo {
    MethodInfo { name, receiver, args, result, fails: true, provider: None }
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

const fn count(name: &'static str) -> MethodInfo {
    method(name, Receiver::Integer, &[], Operand::U32)
}

const fn float_test(name: &'static str) -> MethodInfo {
    method(name, Receiver::Float, &[], Operand::Bool)
}

use Operand::{Bool, Checked, I32, Overflowing, Pair, Same, U32, Unsigned, Usize};

pub(crate) static METHODS: &[MethodInfo] = &[
    // Floats: elementary functions.
    float("sin"),
    float("cos"),
    float("tan"),
    float("asin"),
    float("acos"),
    float("atan"),
    float2("atan2"),
    method("sin_cos", Receiver::Float, &[], Pair),
    float("sinh"),
    float("cosh"),
    float("tanh"),
    float("asinh"),
    float("acosh"),
    float("atanh"),
    float("exp"),
    float("exp2"),
    float("exp_m1"),
    float("ln"),
    float("ln_1p"),
    float("log2"),
    float("log10"),
    float2("log"),
    float("sqrt"),
    float("cbrt"),
    float2("hypot"),
    float2("powf"),
    method("powi", Receiver::Float, &[I32], Same),
    method("mul_add", Receiver::Float, &[Same, Same], Same),
    // Floats: rounding, parts, tests.
    float("floor"),
    float("ceil"),
    float("round"),
    float("round_ties_even"),
    float("trunc"),
    float("fract"),
    float("recip"),
    float("to_degrees"),
    float("to_radians"),
    float2("copysign"),
    float("next_up"),
    float("next_down"),
    float_test("is_nan"),
    float_test("is_infinite"),
    float_test("is_finite"),
    float_test("is_sign_negative"),
    float_test("is_sign_positive"),
    method("to_bits", Receiver::Float, &[], Unsigned),
    // Numbers.
    method("abs", Receiver::SignedNumber, &[], Same),
    method("signum", Receiver::SignedNumber, &[], Same),
    method("min", Receiver::Number, &[Same], Same),
    method("max", Receiver::Number, &[Same], Same),
    fallible("clamp", Receiver::Number, &[Same, Same], Same),
    fallible("div_euclid", Receiver::Number, &[Same], Same),
    fallible("rem_euclid", Receiver::Number, &[Same], Same),
    // Integers.
    method("pow", Receiver::Integer, &[U32], Same),
    fallible("div_ceil", Receiver::Unsigned, &[Same], Same),
    method("abs_diff", Receiver::Integer, &[Same], Unsigned),
    method("unsigned_abs", Receiver::Signed, &[], Unsigned),
    method("is_positive", Receiver::Signed, &[], Bool),
    method("is_negative", Receiver::Signed, &[], Bool),
    method("is_power_of_two", Receiver::Unsigned, &[], Bool),
    integer2("wrapping_add"),
    integer2("wrapping_sub"),
    integer2("wrapping_mul"),
    method("wrapping_neg", Receiver::Integer, &[], Same),
    method("wrapping_abs", Receiver::Signed, &[], Same),
    method("wrapping_shl", Receiver::Integer, &[U32], Same),
    method("wrapping_shr", Receiver::Integer, &[U32], Same),
    method("wrapping_pow", Receiver::Integer, &[U32], Same),
    integer2("saturating_add"),
    integer2("saturating_sub"),
    integer2("saturating_mul"),
    method("overflowing_add", Receiver::Integer, &[Same], Overflowing),
    method("overflowing_sub", Receiver::Integer, &[Same], Overflowing),
    method("overflowing_mul", Receiver::Integer, &[Same], Overflowing),
    checked2("checked_add"),
    checked2("checked_sub"),
    checked2("checked_mul"),
    checked2("checked_div"),
    checked2("checked_rem"),
    method("checked_neg", Receiver::Integer, &[], Checked),
    method("checked_shl", Receiver::Integer, &[U32], Checked),
    method("checked_shr", Receiver::Integer, &[U32], Checked),
    count("count_ones"),
    count("count_zeros"),
    count("leading_zeros"),
    count("trailing_zeros"),
    count("leading_ones"),
    count("trailing_ones"),
    method("rotate_left", Receiver::Integer, &[U32], Same),
    method("rotate_right", Receiver::Integer, &[U32], Same),
    method("swap_bytes", Receiver::Integer, &[], Same),
    method("reverse_bits", Receiver::Integer, &[], Same),
    // Arrays and slices.
    method("len", Receiver::Array, &[], Usize),
    method("is_empty", Receiver::Array, &[], Bool),
];

impl MethodInfo {
    pub(crate) fn find(name: &str) -> Option<&'static MethodInfo> {
        METHODS.iter().chain(DEVICE_METHODS).find(|method| method.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_stands_once() {
        let methods: Vec<&MethodInfo> = METHODS.iter().chain(DEVICE_METHODS).collect();
        for (i, a) in methods.iter().enumerate() {
            assert!(methods[i + 1..].iter().all(|b| b.name != a.name), "{} stands twice", a.name);
        }
    }
}
