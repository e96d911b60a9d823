//! Type parameters of device functions.

use super::Receiver;
use proc_macro2::Ident;

/// A type parameter. Two are the same if they have one name: a function has only its own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TypeParam {
    pub(crate) name: Ident,
    /// The numbers that it stands for. `None` after an error.
    pub(crate) class: Option<Class>,
}

/// A bound: one of the runtime's traits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Num,
    Signed,
    Integer,
    Float,
}

impl Class {
    /// The trait's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Class::Num => "Num",
            Class::Signed => "Signed",
            Class::Integer => "Integer",
            Class::Float => "Float",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Class> {
        [Class::Num, Class::Signed, Class::Integer, Class::Float].into_iter().find(|class| class.name() == name)
    }

    /// Whether every type of the class has the methods of `receiver`.
    pub(crate) fn has(self, receiver: Receiver) -> bool {
        match receiver {
            Receiver::Number => true,
            Receiver::SignedNumber => matches!(self, Class::Signed | Class::Float),
            Receiver::Float => self == Class::Float,
            Receiver::Integer => self == Class::Integer,
            Receiver::Unsigned | Receiver::Signed | Receiver::Array => false,
        }
    }

    /// Whether the trait has this associated constant.
    pub(crate) fn has_constant(self, name: &str) -> bool {
        match name {
            "ZERO" | "ONE" | "MIN" | "MAX" => true,
            "INFINITY" | "NEG_INFINITY" | "NAN" | "EPSILON" | "PI" => self == Class::Float,
            _ => false,
        }
    }
}
