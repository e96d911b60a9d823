//! What the walk knows about the value of an expression.

use super::form::{NormalForm, Spread, Symbol};
use crate::model::{BinaryOp, Scalar};
use std::rc::Rc;

/// A value that an expression had when it was evaluated. It never changes: reading a mutable variable twice gives two.
pub(super) type Value = Rc<Node>;

#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    pub(super) form: NormalForm,
    pub(super) spread: Spread,
}

/// How the value came about, as far as it tells something. The arithmetic kinds are only built for unsigned integers, where
/// each says how large the value can be; wrap-around makes a value smaller, so it only helps.
#[derive(Debug)]
pub(super) enum Kind {
    Unknown,
    /// At most the sum of these.
    Sum(Value, Value),
    /// At most the product of these.
    Product(Value, Value),
    /// At most each of these.
    AtMost(Vec<Value>),
    /// At most the first, and below the second.
    Remainder(Value, Value),
    /// The first divided by the number.
    Quotient(Value, u64),
    /// The first minus the second, modulo a power of two.
    Difference(Value, Value),
    /// A comparison of unsigned integers.
    Compare(BinaryOp, Value, Value),
    Not(Value),
    And(Value, Value),
    Or(Value, Value),
    /// A tuple, or the three fields of a `Dim3`.
    Tuple(Vec<Value>),
}

impl Node {
    pub(super) fn new(kind: Kind, form: NormalForm) -> Value {
        Rc::new(Node { kind, spread: form.spread(), form })
    }

    pub(super) fn symbol(symbol: Symbol) -> Value {
        Node::new(Kind::Unknown, NormalForm::symbol(symbol))
    }

    pub(super) fn number(value: u64) -> Value {
        Node::new(Kind::Unknown, NormalForm::constant(value))
    }

    pub(super) fn tuple(elements: Vec<Value>) -> Value {
        let spread = elements.iter().map(|element| element.spread).max().unwrap_or(Spread::Launch);
        Rc::new(Node { kind: Kind::Tuple(elements), form: NormalForm::default(), spread })
    }
}

pub(super) fn is_unsigned(scalar: Scalar) -> bool {
    scalar.is_integer() && !scalar.is_signed_integer()
}

/// The largest value of the type as the 64 bits a form speaks of.
pub(super) fn largest_value(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::Bool => 1,
        unsigned if is_unsigned(unsigned) && unsigned.bits() < 64 => (1 << unsigned.bits()) - 1,
        _ => u64::MAX,
    }
}

/// Whether a literal of this type has the value it is written with: `256u8` is 0 where the user allows `overflowing_literals`.
pub(super) fn holds_literal(scalar: Scalar, literal: u64) -> bool {
    let largest = if scalar.is_signed_integer() { (1 << (scalar.bits() - 1)) - 1 } else { largest_value(scalar) };
    scalar.is_integer() && literal <= largest
}
