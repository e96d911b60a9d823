//! What the walk knows about the value of an expression.

use super::form::{NormalForm, Symbol, Uniformity};
use super::interval::Interval;
use crate::check::walk::facts::Facts;
use crate::model::{BinaryOp, Scalar};
use std::rc::Rc;

/// A value that an expression had when it was evaluated. It never changes: reading a mutable variable twice gives two.
pub(crate) type Value = Rc<Node>;

/// An integer is in the range of its type, and its form is that integer modulo 2^64: two's complement of 64 bits for a signed type of any
/// width.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) form: NormalForm,
    pub(crate) spread: Uniformity,
    /// Which integers it can be, where it is one. Not what later facts say.
    pub(crate) interval: Interval,
}

/// How the value came about, as far as it tells something about its word of 64 bits, read without a sign. Wrap-around makes a word smaller,
/// so it only helps where the word must not be large.
#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Unknown,
    /// At most the sum of these.
    Sum {
        of: [Value; 2],
        exact: Exact,
    },
    /// At most the product of these.
    Product {
        of: [Value; 2],
        exact: Exact,
    },
    /// At most each of these.
    AtMost(Vec<Value>),
    /// The smaller of these.
    Minimum([Value; 2]),
    /// The larger of these.
    Maximum([Value; 2]),
    /// At most the first, and below the second.
    Remainder(Value, Value),
    /// The first divided by the second.
    Quotient(Value, Value),
    /// The first minus the second, unless it wraps around. `exact`: it does not, as the second is not the larger one.
    Difference {
        of: [Value; 2],
        exact: bool,
    },
    /// The first minus the second, or 0 where the second is the larger one.
    Excess(Value, Value),
    /// The first divided by the second, rounded up.
    RoundedUp(Value, Value),
    /// One of these, each with what is known where it is the one.
    OneOf(Vec<(Value, Facts)>),
    /// A comparison of words without a sign.
    Compare(BinaryOp, Value, Value),
    /// A comparison of signed integers.
    CompareSigned(BinaryOp, Value, Value),
    Not(Value),
    /// `&` or `&&`. What evaluating the second one has shown holds where both are true.
    And(Value, Value, Facts),
    /// `|` or `||`. The same, where both are false.
    Or(Value, Value, Facts),
    /// A tuple, or the three fields of a `Dim3`.
    Tuple(Vec<Value>),
}

/// When a value is equal to the sum or product of its operands in the natural numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exact {
    Always,
    /// Where that is below 2^64.
    UnlessItWraps,
    /// Nobody knows: a narrower type wraps around earlier, `a | b` may be less, and a sum may saturate.
    Unknown,
}

impl Node {
    pub(crate) fn new(kind: Kind, form: NormalForm) -> Value {
        let most = form.largest().and_then(|largest| u64::try_from(largest).ok()).unwrap_or(u64::MAX);
        let interval = form.as_constant().map_or(Interval::up_to(most), |number| Interval { least: number.into(), most: number.into() });
        Node::within(kind, form, interval)
    }

    /// A value that is in `interval`.
    pub(crate) fn within(kind: Kind, form: NormalForm, interval: Interval) -> Value {
        Rc::new(Node { kind, spread: form.spread(), form, interval })
    }

    /// The same word, read as an integer of another type.
    pub(crate) fn copy(value: &Value, interval: Interval) -> Value {
        Rc::new(Node { kind: value.kind.clone(), form: value.form.clone(), spread: value.spread, interval })
    }

    pub(crate) fn symbol(symbol: Symbol) -> Value {
        Node::new(Kind::Unknown, NormalForm::symbol(symbol))
    }

    pub(crate) fn number(value: u64) -> Value {
        Node::new(Kind::Unknown, NormalForm::constant(value))
    }

    /// `()`.
    pub(crate) fn unit() -> Value {
        Node::new(Kind::Tuple(Vec::new()), NormalForm::default())
    }
}

/// The values in `value` that are one of several.
pub(crate) fn add_choices<'v>(value: &'v Value, choices: &mut Vec<&'v Value>) {
    match &value.kind {
        Kind::OneOf(_) if !choices.iter().any(|known| known.form == value.form) => choices.push(value),
        Kind::Sum { of, .. } | Kind::Product { of, .. } | Kind::Difference { of, .. } => {
            of.iter().for_each(|part| add_choices(part, choices));
        }
        _ => {}
    }
}

/// Whether a literal of this type has the value it is written with: `256u8` is 0 where the user allows `overflowing_literals`.
pub(crate) fn holds_literal(scalar: Scalar, literal: u64) -> bool {
    scalar.is_integer() && i128::from(literal) <= Interval::of_type(Some(scalar)).most
}
