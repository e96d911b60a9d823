//! The typed model of a kernel: what `lower` builds, `infer` types, `check` proves things about and `emit` prints.
//!
//! Names are resolved here: a variable is a [`LocalId`] into [`Function::locals`] (so shadowing is gone), a loop or
//! labelled block a [`LabelId`], a place that can fail at run time a [`SiteId`]. What only rustc can resolve stays a path:
//! a constant ([`ExprKind::Constant`]) or a device function ([`ExprKind::Call`]). Every node keeps the span of the user's
//! tokens, so that any later stage can blame it.
//!
//! Emitters see this model, never syn expressions; the syn types in it (paths, types, constants' expressions) are opaque
//! tokens that are carried into the generated Rust.

mod expr;
mod generic;
mod method;
mod proof;
mod types;
mod visit;

pub(crate) use expr::*;
pub(crate) use generic::*;
pub(crate) use method::*;
pub(crate) use proof::*;
pub(crate) use types::*;

use proc_macro2::{Ident, Span, TokenStream};

/// An annotated function.
pub(crate) struct Function {
    pub(crate) kind: FunctionKind,
    /// Every attribute but ours, in order.
    pub(crate) attrs: Vec<syn::Attribute>,
    pub(crate) vis: syn::Visibility,
    pub(crate) name: Ident,
    /// In the order declared. Only device functions have them.
    pub(crate) type_params: Vec<TypeParam>,
    /// The user's tokens for the type parameters.
    pub(crate) generics: syn::Generics,
    pub(crate) params: Vec<Param>,
    /// `Type::Unit` for kernels.
    pub(crate) output: Type,
    /// The user's tokens for the return type.
    pub(crate) output_tokens: Option<syn::Type>,
    /// `const` items written inside the body, visible to the whole body.
    pub(crate) constants: Vec<syn::ItemConst>,
    pub(crate) body: Block,
    pub(crate) locals: Vec<Local>,
    pub(crate) labels: Vec<Label>,
    pub(crate) sites: Vec<Site>,
    /// The path of `gpu_runtime` in generated Rust.
    pub(crate) runtime: TokenStream,
}

impl Function {
    pub(crate) fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0]
    }

    pub(crate) fn site(&self, id: SiteId) -> &Site {
        &self.sites[id.0]
    }

    /// Whether the twin must be asynchronous.
    pub(crate) fn has_barrier(&self) -> bool {
        self.sites.iter().any(|site| matches!(site.kind, SiteKind::Barrier))
    }
}

pub(crate) enum FunctionKind {
    Kernel(KernelOptions),
    Device,
}

/// The arguments of `#[gpu_kernel(…)]`.
pub(crate) struct KernelOptions {
    /// `block = (16, 16)`: one to three extents, each a constant expression.
    pub(crate) block: Option<Vec<Length>>,
    /// `fmad = false`: no contraction of `a * b + c`.
    pub(crate) fmad: bool,
}

pub(crate) struct Param {
    /// The parameter's variable; its type and mutability stand there.
    pub(crate) local: LocalId,
    /// The user's tokens for the type, for the generated Rust.
    pub(crate) tokens: syn::Type,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LocalId(pub(crate) usize);

/// A variable: parameter, `let` binding or loop counter.
pub(crate) struct Local {
    pub(crate) name: Ident,
    /// Declared `mut`.
    pub(crate) mutable: bool,
    pub(crate) ty: Type,
    pub(crate) kind: LocalKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LocalKind {
    /// Index into [`Function::params`].
    Param(usize),
    Let,
    LoopCounter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LabelId(pub(crate) usize);

/// A loop or labelled block that `break` or `continue` can name.
pub(crate) struct Label {
    /// The user's label, if any.
    pub(crate) name: Option<syn::Lifetime>,
    pub(crate) is_loop: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SiteId(pub(crate) usize);

/// A place that can fail at run time.
pub(crate) struct Site {
    pub(crate) span: Span,
    pub(crate) kind: SiteKind,
    /// For an index: when its check is redundant.
    pub(crate) bound: Bound,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SiteKind {
    Index,
    /// `get_unchecked`: an index that the user vouches for. Nothing fails here.
    Unchecked,
    Division,
    Panic(String),
    Assert(String),
    Barrier,
}
