//! Operations that have no polynomial, by their names: `usize /`, `u32 +`, `f32 sqrt`. Operations of one name on equal operands have equal
//! results.
//!
//! Rules are about some operations of integers, whose names only this module writes and reads.

use crate::model::{BinaryOp, Method, Scalar};

/// The name of an operation, with the types of its operands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct OperationName(String);

/// The operations of two integers that rules are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IntegerOperation {
    Sum,
    Product,
    Quotient,
    Remainder,
    /// `div_ceil`
    RoundedUp,
    Minimum,
    Maximum,
    And,
    Or,
    ExclusiveOr,
}

impl IntegerOperation {
    const ALL: [IntegerOperation; 10] = [
        IntegerOperation::Sum,
        IntegerOperation::Product,
        IntegerOperation::Quotient,
        IntegerOperation::Remainder,
        IntegerOperation::RoundedUp,
        IntegerOperation::Minimum,
        IntegerOperation::Maximum,
        IntegerOperation::And,
        IntegerOperation::Or,
        IntegerOperation::ExclusiveOr,
    ];

    fn symbol(self) -> &'static str {
        match self {
            IntegerOperation::Sum => BinaryOp::Add.symbol(),
            IntegerOperation::Product => BinaryOp::Multiply.symbol(),
            IntegerOperation::Quotient => BinaryOp::Divide.symbol(),
            IntegerOperation::Remainder => BinaryOp::Remainder.symbol(),
            IntegerOperation::RoundedUp => Method::DivCeil.name,
            IntegerOperation::Minimum => Method::Min.name,
            IntegerOperation::Maximum => Method::Max.name,
            IntegerOperation::And => BinaryOp::BitAnd.symbol(),
            IntegerOperation::Or => BinaryOp::BitOr.symbol(),
            IntegerOperation::ExclusiveOr => BinaryOp::BitXor.symbol(),
        }
    }

    /// The name of the operation of two integers of this type.
    pub(crate) fn of(self, scalar: Scalar) -> String {
        name_of(scalar, self.symbol())
    }
}

/// The name of an operator or a method of numbers of this type.
pub(crate) fn name_of(scalar: Scalar, symbol: &str) -> String {
    format!("{} {symbol}", scalar.name())
}

/// A conversion to this type, as an operator of the other one.
pub(crate) fn conversion_to(scalar: Scalar) -> String {
    format!("as {}", scalar.name())
}

impl OperationName {
    pub(crate) fn new(name: String) -> OperationName {
        OperationName(name)
    }

    /// Whether it is this operation of integers of this type.
    pub(crate) fn is(&self, operation: IntegerOperation, scalar: Scalar) -> bool {
        self.0.split_once(' ') == Some((scalar.name(), operation.symbol()))
    }

    pub(crate) fn is_conversion(&self, from: Scalar, to: Scalar) -> bool {
        self.0 == name_of(from, &conversion_to(to))
    }

    /// Whether it is a conversion of an integer to one of another type.
    pub(crate) fn is_conversion_of_integers(&self) -> bool {
        let integer = |name: &str| Scalar::from_name(name).is_some_and(Scalar::is_integer);
        self.0.split_once(" as ").is_some_and(|(from, to)| integer(from) && integer(to))
    }

    /// The operation, if rules are about it, and the name of the type.
    fn of_integers(&self) -> Option<(&str, IntegerOperation)> {
        let (ty, symbol) = self.0.split_once(' ')?;
        let operation = IntegerOperation::ALL.into_iter().find(|operation| operation.symbol() == symbol)?;
        Some((ty, operation))
    }

    /// Whether it is an element of an array that nothing writes to.
    pub(crate) fn is_element(&self) -> bool {
        self.0.starts_with("element of ")
    }

    /// The type, if it has fewer than 64 bits and this is a sum, difference or product of it.
    pub(crate) fn narrow_arithmetic(&self) -> Option<&'static str> {
        let (ty, symbol) = self.0.split_once(' ')?;
        let is_arithmetic = [BinaryOp::Add, BinaryOp::Subtract, BinaryOp::Multiply].iter().any(|op| op.symbol() == symbol);
        let narrow = [Scalar::I32, Scalar::U32, Scalar::I16, Scalar::U16, Scalar::I8, Scalar::U8];
        narrow.into_iter().map(Scalar::name).find(|name| is_arithmetic && *name == ty)
    }

    /// The same of integers without a sign: the words of others are not what is divided or compared.
    pub(crate) fn of_unsigned(&self) -> Option<IntegerOperation> {
        self.of_integers().filter(|(ty, _)| ty.starts_with('u')).map(|(_, operation)| operation)
    }

    /// The quotient of a division of which this is the remainder.
    pub(crate) fn quotient_of_remainder(&self) -> Option<OperationName> {
        match self.of_integers() {
            Some((ty, IntegerOperation::Remainder)) => Some(OperationName(format!("{ty} {}", IntegerOperation::Quotient.symbol()))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for operation in IntegerOperation::ALL {
            let [unsigned, signed] = [Scalar::Usize, Scalar::I32].map(|scalar| OperationName::new(operation.of(scalar)));
            assert_eq!((unsigned.of_unsigned(), signed.of_unsigned()), (Some(operation), None));
            assert!(unsigned.is(operation, Scalar::Usize) && !unsigned.is(operation, Scalar::U64) && signed.is(operation, Scalar::I32));
            let quotient = OperationName::new(IntegerOperation::Quotient.of(Scalar::I32));
            assert_eq!(signed.quotient_of_remainder(), (operation == IntegerOperation::Remainder).then_some(quotient));
        }
    }

    #[test]
    fn no_rule_is_about_other_operations() {
        for name in ["usize as u32", "usize saturating_sub", "u32, u32 rotate_left", "tuple", "f32, u32 %"] {
            assert_eq!(OperationName::new(name.to_owned()).of_unsigned(), None, "{name}");
        }
        assert!(OperationName::new(name_of(Scalar::Usize, &conversion_to(Scalar::U32))).is_conversion(Scalar::Usize, Scalar::U32));
    }
}
