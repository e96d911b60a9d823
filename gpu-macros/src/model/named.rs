//! Types that the macro can name but not see: the user's structs, and the parts of their values.
//!
//! rustc and the C++ compiler both know them. So such a type is carried by name: in Rust by the user's path, in C++ by a hole for
//! that path and `decltype` for what is inside.

use super::{BinaryOp, Type};
use crate::idents::text_of;
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use std::cmp::Ordering;
use syn::ext::IdentExt;

/// A type by its path: a user's struct, an alias of some other type, or for a [`Type::Table`] or
/// [`Type::Constant`] a constant of that type.
#[derive(Clone)]
pub(crate) struct NamedType {
    pub(crate) path: syn::Path,
}

impl PartialEq for NamedType {
    /// Two paths to one type are two types here, about whose equality nothing is known.
    fn eq(&self, other: &NamedType) -> bool {
        text_of(&self.path) == text_of(&other.path)
    }
}

impl NamedType {
    /// Its name in messages and in names of generated functions: `Pair` of `shapes::Pair<f32>`.
    pub(crate) fn short_name(&self) -> String {
        self.path.segments.last().map_or_else(String::new, |last| last.ident.unraw().to_string())
    }

    /// `Pair` of `Pair<f32>`.
    pub(crate) fn without_arguments(&self) -> NamedType {
        let mut path = self.path.clone();
        path.segments.last_mut().map(|last| std::mem::take(&mut last.arguments));
        NamedType { path }
    }

    /// Whether it is `Pair<f32>` where `bare` is `Pair`.
    pub(crate) fn completes(&self, bare: &NamedType) -> bool {
        self.path.segments.last().is_some_and(|last| !last.arguments.is_none()) && self.without_arguments() == *bare
    }
}

impl std::fmt::Debug for NamedType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.path.to_token_stream())
    }
}

impl NamedType {
    /// `f16` or `bf16`, if the path ends in that: presumably the type of the crate `half`, of which some things are known. Whether it
    /// is, rustc finds.
    pub(crate) fn half_name(&self) -> Option<&'static str> {
        let last = self.path.segments.last()?;
        ["f16", "bf16"].into_iter().find(|name| last.ident == name && last.arguments.is_none())
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
    /// `[(i, j)]`, with an index of this type.
    ElementAt(Box<Type>),
    /// What a method returns.
    Output(MethodCall),
    /// The fields of this variant of an enum, whose name has no arguments here.
    Variant(NamedType, Ident),
    /// Of an `Option` or a `Result`, what is in `Some` or `Ok` (0), or in `Err` (1).
    Argument(usize),
    /// The type of the literals that are the other operands of these operators of the values of a tuple.
    Literal { is_float: bool, uses: Vec<LiteralUse> },
}

/// A call of a method, as far as what it returns depends on it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MethodCall {
    pub(crate) name: Ident,
    /// How many arguments it has.
    pub(crate) arity: usize,
    /// Whether functions are among them.
    pub(crate) takes_functions: bool,
}

impl MethodCall {
    /// Of one whose arguments are values.
    pub(crate) fn of_values(name: &Ident, arity: usize) -> MethodCall {
        MethodCall { name: name.unraw(), arity, takes_functions: false }
    }
}

/// How a literal is used beside a value of a type that may have operators of its own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LiteralUse {
    pub(crate) op: BinaryOp,
    pub(crate) is_right: bool,
    /// The operator assigns: `+=`.
    pub(crate) assigns: bool,
    /// Which operands are references in Rust, the left one first.
    pub(crate) by_reference: [bool; 2],
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

impl Ord for Member {
    fn cmp(&self, other: &Member) -> Ordering {
        match (self, other) {
            (Member::Name(own), Member::Name(other)) => own.cmp(other),
            (Member::Position(own, _), Member::Position(other, _)) => own.cmp(other),
            (Member::Name(_), Member::Position(..)) => Ordering::Less,
            (Member::Position(..), Member::Name(_)) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Member {
    fn partial_cmp(&self, other: &Member) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Member {
    fn eq(&self, other: &Member) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Member {}

impl ToTokens for Member {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Member::Name(name) => name.to_tokens(tokens),
            Member::Position(index, span) => syn::Index { index: *index as u32, span: *span }.to_tokens(tokens),
        }
    }
}

/// What makes a value, or takes one apart: the path of a struct, or of a variant of an enum.
pub(crate) struct Constructor {
    /// As the user wrote it.
    pub(crate) path: syn::Path,
    /// The type of the value.
    pub(crate) owner: NamedType,
    pub(crate) variant: Option<Ident>,
}

impl Constructor {
    /// Types begin with capitals, so where the last two names of a path do, it is the one of a variant.
    pub(crate) fn new(path: &syn::Path) -> Constructor {
        let mut owner = path.clone();
        let last = owner.segments.pop();
        owner.segments.pop_punct();
        match (last, owner.segments.last()) {
            (Some(last), Some(ty)) if begins_with_capital(&ty.ident) => {
                Constructor { path: path.clone(), owner: NamedType { path: owner }, variant: Some(last.ident) }
            }
            _ => Constructor { path: path.clone(), owner: NamedType { path: path.clone() }, variant: None },
        }
    }

    /// The type of a field of a value of type `owner`.
    pub(crate) fn field_type(&self, owner: &Type, member: &Member) -> Type {
        let fields = match &self.variant {
            Some(variant) => owner.part(Part::Variant(self.owner.without_arguments(), variant.unraw())),
            None => owner.clone(),
        };
        fields.part(member.part())
    }
}

/// The enum that a path to a variant without data begins with: `shapes::Kind` of `shapes::Kind::Circle`. A constant would have
/// capitals only.
pub(crate) fn enum_of_variant(path: &syn::Path) -> Option<NamedType> {
    let Constructor { owner, variant, .. } = Constructor::new(path);
    let is_variant = variant.is_some_and(|name| begins_with_capital(&name) && name.to_string().contains(char::is_lowercase));
    is_variant.then_some(owner)
}

/// Whether `name` is spelled like a variable. The name of a constant has capital letters.
pub(crate) fn is_variable_name(name: &Ident) -> bool {
    !name.to_string().contains(char::is_uppercase)
}

pub(crate) fn begins_with_capital(name: &Ident) -> bool {
    name.unraw().to_string().starts_with(char::is_uppercase)
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
    /// Whether only rustc and the C++ compiler know the type, by an expression that the macro can write for each.
    pub(crate) fn is_followed(&self) -> bool {
        matches!(
            self,
            Type::Named(_) | Type::Table(_) | Type::Constant(_) | Type::Called(_) | Type::Part(..) | Type::Returned(_) | Type::Operation(_)
        )
    }

    pub(crate) fn part(&self, part: Part) -> Type {
        Type::Part(Box::new(self.clone()), part)
    }
}
