//! What functions are generic over: types, and constants.

use super::{FunctionType, NamedType, Receiver, Scalar, Type};
use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;

/// A type parameter. A value of it is a [`Type::Parameter`] if its arguments are numbers, otherwise a [`Type::Named`]: its methods are
/// those of its traits, which only rustc sees.
#[derive(Debug, Clone)]
pub(crate) struct TypeParam {
    pub(crate) name: Ident,
    /// The numbers that it stands for.
    pub(crate) class: Option<Class>,
    /// The user's traits among its bounds, as written.
    pub(crate) traits: Vec<TraitBound>,
    /// Its bounds are traits of std, in place of which it has `class`.
    pub(crate) is_of_std: bool,
    /// `DeviceType` is among its bounds.
    pub(crate) is_device_type: bool,
    /// Its bounds were refused.
    pub(crate) is_refused: bool,
}

/// Two type parameters are equal if they have the same name: a function only uses its own.
impl PartialEq for TypeParam {
    fn eq(&self, other: &TypeParam) -> bool {
        self.name == other.name
    }
}

/// A trait of the user's, with `#[gpu_device]`.
#[derive(Clone)]
pub(crate) struct TraitBound {
    pub(crate) path: syn::Path,
}

impl std::fmt::Debug for TraitBound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path.to_token_stream())
    }
}

impl TypeParam {
    /// The type of a value of it.
    pub(crate) fn as_type(&self) -> Type {
        match self.class {
            None if !self.is_refused => Type::Named(NamedType { path: self.name.clone().into() }),
            _ => Type::Parameter(self.clone()),
        }
    }
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

/// The arguments between `::<` and `>` of a call of a device function.
#[derive(Debug, Clone)]
pub(crate) enum GenericArgument {
    Type(Type),
    Const(ConstArgument),
}

/// A constant between `::<` and `>`. The callee determines its type.
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

    /// The class of the numbers of both: that of floats that are integers is one of them, and rustc refuses the other.
    pub(crate) fn narrower(self, other: Class) -> Class {
        match (self, other) {
            (Class::Num, class) | (class, Class::Num) => class,
            (Class::Signed, class) | (class, Class::Signed) => class,
            (class, _) => class,
        }
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
