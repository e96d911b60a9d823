//! What functions are generic over: types of numbers, and constants.

use super::{FunctionType, Receiver, Scalar, Type};
use proc_macro2::{Ident, TokenStream};

/// A type parameter. Two are the same if they have one name: a function has only its own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TypeParam {
    pub(crate) name: Ident,
    /// The numbers that it stands for. `None` after an error.
    pub(crate) class: Option<Class>,
}

/// A const parameter: `const N: usize`.
#[derive(Debug, Clone)]
pub(crate) struct ConstParam {
    pub(crate) name: Ident,
    /// One of [`ConstParam::SCALARS`].
    pub(crate) scalar: Scalar,
}

impl ConstParam {
    /// The types that const parameters may have.
    pub(crate) const SCALARS: [Scalar; 4] = [Scalar::Usize, Scalar::U32, Scalar::I32, Scalar::Bool];
}

/// A type parameter that stands for a function: `F: Fn(f32) -> f32`.
#[derive(Debug, Clone)]
pub(crate) struct FunctionParam {
    pub(crate) name: Ident,
    pub(crate) ty: FunctionType,
}

/// What a call of a device function names between `::<` and `>`.
#[derive(Debug, Clone)]
pub(crate) enum GenericArgument {
    Type(Type),
    Const(ConstArgument),
}

/// A constant between `::<` and `>`. What type it has is the callee's to say.
#[derive(Debug, Clone)]
pub(crate) struct ConstArgument {
    /// The user's tokens.
    pub(crate) tokens: TokenStream,
    pub(crate) kind: ConstArgumentKind,
}

#[derive(Debug, Clone)]
pub(crate) enum ConstArgumentKind {
    Integer(i128),
    Bool,
    /// A const parameter of the caller.
    Param(Scalar),
    /// A constant of a type that only rustc knows.
    Expression,
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
