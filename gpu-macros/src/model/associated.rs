//! Calls of functions that belong to a type: methods, and functions by the path of a type or a trait.
//!
//! Which function such a call means depends on types, on what is in scope and on how a method takes its receiver: rustc finds it, in
//! the twin for the CPU and, by the same rules, in an expression of the same shape for CUDA C.

use super::{Expr, ExprKind, GenericArgument, NamedType, Type};
use crate::idents::text_of;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

/// `Particle::new`, `S::area`, `<S as Shape>::area`: the user's path of a function of a type.
#[derive(Clone)]
pub(crate) struct FunctionPath {
    pub(crate) qself: Option<syn::QSelf>,
    pub(crate) path: syn::Path,
}

impl FunctionPath {
    /// The path with another name at its end.
    pub(crate) fn renamed(&self, name: Ident) -> TokenStream {
        let FunctionPath { qself, mut path } = self.clone();
        let span = path.span();
        if let Some(last) = path.segments.last_mut() {
            *last = name.into();
        }
        let path = syn::ExprPath { attrs: Vec::new(), qself, path };
        quote_spanned!(span=> #path)
    }

    /// The path without the function.
    pub(crate) fn owner(&self) -> NamedType {
        let mut path = self.path.clone();
        path.segments.pop();
        path.segments.pop_punct();
        NamedType { path }
    }

    /// Whether it leaves out the type arguments of `ty`: `Complex::new` of a `Complex<f32>`.
    pub(crate) fn leaves_open(&self, ty: &Type) -> bool {
        let Type::Named(NamedType { path }) = ty else { return false };
        match (self.path.segments.iter().rev().nth(1), path.segments.last()) {
            (Some(owner), Some(named)) => owner.ident == named.ident && owner.arguments.is_none() && !named.arguments.is_none(),
            _ => false,
        }
    }

    fn text(&self) -> String {
        let path = syn::ExprPath { attrs: Vec::new(), qself: self.qself.clone(), path: self.path.clone() };
        text_of(&path)
    }
}

impl PartialEq for FunctionPath {
    fn eq(&self, other: &FunctionPath) -> bool {
        self.text() == other.text()
    }
}

impl std::fmt::Debug for FunctionPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

/// What a call by path returns, in terms of what its arguments are.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Returned {
    pub(crate) path: FunctionPath,
    pub(crate) args: Vec<Argument>,
}

/// A call of a device function, in terms of what its arguments are.
#[derive(Clone)]
pub(crate) struct Called {
    pub(crate) path: syn::Path,
    pub(crate) explicit: Vec<GenericArgument>,
    pub(crate) args: Vec<Argument>,
}

impl PartialEq for Called {
    fn eq(&self, other: &Called) -> bool {
        text_of(&self.path) == text_of(&other.path) && self.args == other.args
    }
}

impl std::fmt::Debug for Called {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{:?}", self.path.to_token_stream(), self.args)
    }
}

/// What is passed: a value of a type, or a reference to one. Arrays are opaque, because a call depends on their elements only.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Argument {
    pub(crate) ty: Type,
    /// `&` or, with `true`, `&mut`.
    pub(crate) reference: Option<bool>,
    /// A function by its name, which has no type here.
    is_named_function: bool,
}

impl Argument {
    /// Whether it is a function.
    pub(crate) fn is_function(&self) -> bool {
        self.is_named_function || matches!(self.ty, Type::Function(_))
    }

    pub(crate) fn new(arg: &Expr) -> Argument {
        let reference = match arg.kind {
            ExprKind::Borrow { mutable, .. } => Some(mutable),
            _ => None,
        };
        let is_named_function = matches!(arg.kind, ExprKind::FunctionItem { .. });
        Argument { ty: arg.ty.clone(), reference, is_named_function }
    }
}

/// What generated code adds to the name of a function that is called. rustc may show it.
pub(crate) const NAME_OF_CALLED: &str = "_as_called_here";
