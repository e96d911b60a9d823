//! Types that the macro can name but not see: the user's structs, and the parts of their values.
//!
//! rustc and the C++ compiler both know them. So such a type is carried by name: in Rust by the user's path, in C++ by a hole for
//! that path and `decltype` for what is inside.

use super::Type;
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::ext::IdentExt;

/// A type by its path: a user's struct, an alias of some other type, or for a [`Type::Table`] a constant of that type.
#[derive(Clone)]
pub(crate) struct NamedType {
    pub(crate) path: syn::Path,
}

impl PartialEq for NamedType {
    /// Two paths to one type are two types here, about whose equality nothing is known.
    fn eq(&self, other: &NamedType) -> bool {
        self.path.to_token_stream().to_string() == other.path.to_token_stream().to_string()
    }
}

impl std::fmt::Debug for NamedType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path.to_token_stream())
    }
}

/// Which part of a value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Part {
    /// `.mass`
    Field(Ident),
    /// `.0`
    Position(usize),
    /// `[i]`
    Element,
    /// What the method or associated function of this name returns.
    Output(Ident),
}

/// A field of a struct: `mass`, or `0` of a tuple struct.
#[derive(Debug, Clone)]
pub(crate) enum Member {
    Name(Ident),
    Position(usize, Span),
}

impl Member {
    pub(crate) fn part(&self) -> Part {
        match self {
            Member::Name(name) => Part::Field(name.clone()),
            Member::Position(index, _) => Part::Position(*index),
        }
    }
}

impl std::fmt::Display for Member {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Member::Name(name) => write!(f, "{}", name.unraw()),
            Member::Position(index, _) => write!(f, "{index}"),
        }
    }
}

impl Type {
    /// Whether only rustc and the C++ compiler know what it is, and both can be told how to find it.
    pub(crate) fn is_followed(&self) -> bool {
        matches!(self, Type::Named(_) | Type::Table(_) | Type::Part(..))
    }

    pub(crate) fn part(&self, part: Part) -> Type {
        Type::Part(Box::new(self.clone()), part)
    }
}
