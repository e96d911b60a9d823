//! The methods of std's numbers, arrays and slices that kernels may call, and those that the runtime adds to them.
//!
//! One table ([`Method`](super::Method)) serves lowering (which names there are), inference (what the arguments and the result are), the
//! proofs (what the result is) and the twin (which calls the method of that name). The CUDA emitter has a spelling for each entry.

use super::{BinaryOp, Method, Type};

/// One method.
pub(crate) struct MethodInfo {
    pub(crate) name: &'static str,
    pub(crate) receiver: Receiver,
    pub(crate) args: &'static [Operand],
    pub(crate) result: Operand,
    pub(crate) failure: Option<Failure>,
    /// The runtime's trait that has it, in `gpu_runtime::scalar`; `None` for std's own.
    pub(crate) provider: Option<&'static str>,
    pub(crate) unsigned: UnsignedResult,
    /// Whether it begins with the reduction of an angle.
    pub(crate) of_angle: bool,
    /// Whether a launch can compute it from numbers that it knows.
    pub(crate) on_host: bool,
    pub(crate) on_integers: OnIntegers,
    /// Whether complex numbers have it too.
    pub(crate) of_complex: bool,
}

impl Method {
    /// The method as it is called: `sqrt()`, `powf(…)`.
    pub(crate) fn call(self) -> String {
        format!("{}({})", self.name, if self.args.is_empty() { "" } else { "…" })
    }

    /// Whether std's method takes a reference to the number.
    pub(crate) fn takes_reference(self) -> bool {
        self.name.contains("_ascii")
    }

    /// Whether a value of type `ty` may be of a user's type that has a method of this name: one that returns a value of its type, or a
    /// `bool`. The runtime's module `number_methods` has those of numbers, which a type with a name may be too.
    pub(crate) fn may_be_own(self, ty: &Type) -> bool {
        let of_numbers = matches!(self.receiver, Receiver::Float | Receiver::SignedNumber | Receiver::Number) || self == Method::Pow;
        let is_named = matches!(ty, Type::Named(named) if named.half_name().is_none());
        let has_plain_result = matches!(self.result, Operand::Same | Operand::Bool);
        of_numbers && self.failure.is_none() && self.provider.is_none() && has_plain_result && is_named
    }
}

/// How generated Rust calls a method of an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnIntegers {
    /// By its name.
    AsWritten,
    /// As `wrapping_NAME`: the method panics in a debug build.
    Wrapping,
    /// As a function of `Ord`, which a prelude may not provide.
    OfOrd,
}

/// When a method fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Of `clamp`: for limits out of order.
    Limits,
    /// Of integers only: for a zero divisor or on overflow.
    Division,
    /// Of integers only: for a zero divisor.
    ZeroDivisor,
    /// Of logarithms of integers: for zero and negative numbers.
    NotPositive,
}

/// What the result is for an unsigned receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnsignedResult {
    Unknown,
    /// That of an operator.
    Operator(BinaryOp),
    AtMost(AtMost),
}

/// What a result never exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtMost {
    Receiver,
    /// The receiver, and the first argument.
    Either,
    LastArgument,
    /// The receiver plus the first argument, as natural numbers.
    Sum,
    /// The receiver times the first argument, as natural numbers.
    Product,
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
    /// `[u8; N]`, as many as an integer has.
    Bytes,
    /// `(Same, Same)`.
    Pair,
    /// `(Same, bool)`.
    Overflowing,
    /// `Option<Same>`.
    Checked,
    /// `(Same, i32)`.
    WithExponent,
}
