//! The typed model of a kernel: what `lower` builds, `infer` types, `check` proves things about and `emit` prints.
//!
//! Names are resolved here: a variable is a [`LocalId`] into [`Function::locals`] (so shadowing is gone), a loop or
//! labelled block a [`LabelId`], a place that can fail at run time a [`SiteId`]. What only rustc can resolve stays a path:
//! a constant ([`ExprKind::Constant`]) or a device function ([`ExprKind::Call`]). Every node keeps the span of the user's
//! tokens, so that any later stage can blame it.
//!
//! Emitters see this model, never syn expressions; the syn types in it (paths, types, constants' expressions) are opaque
//! tokens that are carried into the generated Rust.

mod action;
mod assembly;
mod associated;
mod assumption;
mod atomic;
mod builtin;
mod cache;
mod constant;
mod crate_root;
mod dynamic;
mod expr;
mod foreign;
mod generalized;
mod generic;
mod item;
mod length;
mod manifest;
mod method;
mod method_table;
mod named;
mod operator;
mod options;
mod passed;
mod pattern;
mod place;
mod print;
mod proof;
mod runtime_path;
mod std_enum;
mod structure;
mod table;
mod tile;
mod tile_product;
mod types;
mod uniform;
mod unroll;
mod vector;
mod visit;
mod written;

pub(crate) use action::*;
pub(crate) use assembly::*;
pub(crate) use associated::*;
pub(crate) use assumption::*;
pub(crate) use atomic::*;
pub(crate) use builtin::*;
pub(crate) use cache::*;
pub(crate) use constant::*;
pub(crate) use dynamic::*;
pub(crate) use expr::*;
pub(crate) use foreign::*;
pub(crate) use generalized::*;
pub(crate) use generic::*;
pub(crate) use item::*;
pub(crate) use length::*;
pub(crate) use method::*;
pub(crate) use method_table::*;
pub(crate) use named::*;
pub(crate) use operator::*;
pub(crate) use options::*;
pub(crate) use passed::*;
pub(crate) use pattern::*;
pub(crate) use place::*;
pub(crate) use print::*;
pub(crate) use proof::*;
pub(crate) use runtime_path::*;
pub(crate) use std_enum::*;
pub(crate) use structure::*;
pub(crate) use tile::*;
pub(crate) use tile_product::*;
pub(crate) use types::*;
pub(crate) use uniform::*;
pub(crate) use unroll::*;
pub(crate) use visit::*;
pub(crate) use written::*;

use proc_macro2::{Ident, Span, TokenStream};
use std::ops::Deref;

/// What a function is to those who call it. It is known even where the body was refused.
pub(crate) struct Signature {
    pub(crate) kind: FunctionKind,
    /// Every attribute but ours, in order.
    pub(crate) attrs: Vec<syn::Attribute>,
    pub(crate) vis: syn::Visibility,
    pub(crate) name: Ident,
    /// With the name of the type or trait that it is a function of: `Particle_step`.
    pub(crate) full_name: String,
    /// It is a kernel in an `impl`, where no other items can stand.
    pub(crate) is_in_impl: bool,
    /// It stands in a module of its name.
    pub(crate) is_in_module_of_its_name: bool,
    /// In the order declared.
    pub(crate) type_params: Vec<TypeParam>,
    /// In the order declared. Array functions have none.
    pub(crate) const_params: Vec<ConstParam>,
    /// Type parameters that stand for functions. Only device functions have them.
    pub(crate) function_params: Vec<FunctionParam>,
    /// The user's tokens for the type and const parameters, in the order declared.
    pub(crate) generics: syn::Generics,
    /// It is a method: its first parameter is `self`.
    pub(crate) has_receiver: bool,
    pub(crate) params: Vec<Param>,
    /// Of a kernel, the structs that its launcher takes in place of parameters.
    pub(crate) structures: Vec<Structure>,
    /// `Type::Unit` for kernels.
    pub(crate) output: Type,
    /// What is returned of that: the value, or a reference to it.
    pub(crate) returns: Holds,
    /// The user's tokens for the return type, without the `&` of a reference.
    pub(crate) output_tokens: Option<TokenStream>,
    /// The body as it is written, of a `const fn`: that is what the host calls.
    pub(crate) const_body: Option<TokenStream>,
    /// Declared `async`: a device function in which threads wait for each other.
    pub(crate) is_async: bool,
    /// What a GPU runs instead of the body.
    pub(crate) foreign: Option<ForeignFunction>,
    /// The path of `gpu_runtime` in generated Rust.
    pub(crate) runtime: RuntimePath,
}

/// A call of a method that slices have.
pub(crate) struct SliceMethod {
    pub(crate) name: Ident,
    pub(crate) arguments: usize,
    /// The receiver.
    pub(crate) of: LocalId,
}

/// An annotated function. Its signature's fields are its own.
pub(crate) struct Function {
    pub(crate) signature: Signature,
    /// What the names of types in it are taken for, each once.
    pub(crate) assumptions: Vec<Assumption>,
    /// What the names of other items in it are taken for, each once.
    pub(crate) known_names: Vec<KnownName>,
    /// Names that are one variable here, and may be two to rustc.
    pub(crate) same_names: Vec<SameName>,
    /// The fields whose types the text around it shows, each once.
    pub(crate) field_types: Vec<FieldType>,
    /// Functions of std, in place of which the body has something else: by the user's paths, and by std's.
    pub(crate) std_functions: Vec<(syn::Path, syn::Path)>,
    /// What it calls of slices, on variables that may be arrays.
    pub(crate) slice_methods: Vec<SliceMethod>,
    /// Constants outside of it whose numbers the text around it shows, each once.
    pub(crate) numbers: Vec<NamedNumber>,
    /// `const` items written inside the body, visible to the whole body.
    pub(crate) constants: Vec<Constant>,
    /// The other items written inside the body, as generated code has them.
    pub(crate) items: Vec<TokenStream>,
    pub(crate) body: Block,
    pub(crate) locals: Vec<Local>,
    pub(crate) labels: Vec<Label>,
    pub(crate) sites: Vec<Site>,
}

impl Deref for Function {
    type Target = Signature;

    fn deref(&self) -> &Signature {
        &self.signature
    }
}

/// The most elements that an array function takes.
pub(crate) const MOST_ARGUMENTS: usize = 8;

/// The most components of what it returns. Each becomes an array.
pub(crate) const MOST_COMPONENTS: usize = 4;

impl Function {
    pub(crate) fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0]
    }

    /// The struct and its field that the parameter with this index is.
    pub(crate) fn field_of(&self, param: usize) -> Option<(&Structure, &StructureField)> {
        self.structures.iter().find_map(|structure| Some((structure, structure.field(param)?)))
    }

    pub(crate) fn site(&self, id: SiteId) -> &Site {
        &self.sites[id.0]
    }

    /// Whether it takes and returns elements, so that arrays can be mapped through it.
    pub(crate) fn is_mappable(&self) -> bool {
        let components = self.output.components();
        (1..=MOST_ARGUMENTS).contains(&self.params.len())
            && self.type_params.iter().all(|param| param.class.is_some() && !param.is_refused)
            && self.params.iter().all(|param| self.local(param.local).ty.is_array_element())
            && components.iter().all(Type::is_array_element)
            && (self.output.is_array_element() || (2..=MOST_COMPONENTS).contains(&components.len()))
    }

    /// Whether it takes two items and returns one, so that it can fold an array: `fn(T, T) -> T` or `fn(A, B, A, B) -> (A, B)`.
    pub(crate) fn is_foldable(&self) -> bool {
        let components = self.output.components();
        self.is_mappable() && self.params.iter().map(|param| &self.local(param.local).ty).eq(components.iter().chain(components))
    }

    /// Whether `base[index]` may be what an `Index` of the user's says. Where other threads have elements of what `base` is in, it is an
    /// element of an array, as the proofs know it.
    pub(crate) fn may_be_own_index(&self, base: &Expr, site: SiteId) -> bool {
        let is_shared = base.place().variable().is_some_and(|local| match self.local(local).ty {
            Type::Slice { mutable, .. } | Type::View { mutable, .. } => mutable,
            Type::Shared(_) => true,
            _ => false,
        });
        base.ty.is_followed() && !is_shared && self.site(site).kind != SiteKind::Unchecked
    }

    /// Whether `local` is `self`.
    pub(crate) fn is_self(&self, local: LocalId) -> bool {
        self.has_receiver && self.local(local).kind == LocalKind::Param(0)
    }
}

pub(crate) enum FunctionKind {
    Kernel(KernelOptions),
    Device,
    /// A device function that arrays are mapped through.
    Array(ArrayOptions),
    /// A device function that is mapped over the leading axes of arrays.
    Generalized(Generalized),
}

impl FunctionKind {
    /// What messages call such a function.
    pub(crate) fn description(&self) -> &'static str {
        match self {
            FunctionKind::Kernel(_) => "a kernel",
            FunctionKind::Device => "a device function",
            FunctionKind::Array(_) | FunctionKind::Generalized(_) => "an array function",
        }
    }
}

/// The arguments of `#[vectorize(…)]` and `#[reduce(…)]`.
pub(crate) struct ArrayOptions {
    /// `fmad = false`: no contraction of `a * b + c`.
    pub(crate) fmad: bool,
    /// For `#[reduce]`.
    pub(crate) reduction: Option<Reduction>,
}

pub(crate) struct Reduction {
    /// `identity = 0.0`: a constant expression of the output's type.
    pub(crate) identity: Option<TokenStream>,
}

/// What a variable has of its value, which is one value, or an array whose length its type has. (A slice or a view is a handle, and such a
/// handle is owned.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    /// `x: T`
    Value,
    /// `x: &T`, `let x = &y[i];`
    Shared,
    /// `x: &mut T`, `let x = &mut y[i];`
    Mutable,
}

pub(crate) struct Param {
    /// The parameter's variable; its type and mutability stand there.
    pub(crate) local: LocalId,
    pub(crate) written: WrittenType,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LocalId(pub(crate) usize);

/// A variable: parameter, `let` binding or loop counter.
pub(crate) struct Local {
    pub(crate) name: Ident,
    /// Declared `mut`.
    pub(crate) mutable: bool,
    /// Where that stands, in a pattern.
    pub(crate) mut_token: Option<Span>,
    /// The type of the value, which is not that of the variable where it is a reference.
    pub(crate) ty: Type,
    pub(crate) kind: LocalKind,
    pub(crate) holds: Holds,
}

impl Local {
    /// The number of the parameter that it is.
    pub(crate) fn param(&self) -> Option<usize> {
        match self.kind {
            LocalKind::Param(index) => Some(index),
            LocalKind::Let | LocalKind::LoopCounter | LocalKind::Round => None,
        }
    }

    /// Whether it is a reference to its value.
    pub(crate) fn is_reference(&self) -> bool {
        self.holds != Holds::Value
    }

    /// Whether nothing changes its value as long as it is in scope. What a reference refers to may change after the last use of the
    /// reference, and shared memory at any time, unless CUDA C has copied it.
    pub(crate) fn is_constant(&self) -> bool {
        !self.mutable && (!self.is_reference() || self.is_copied())
    }

    /// A reference to a number that does not change: CUDA C copies the number.
    pub(crate) fn is_copied(&self) -> bool {
        self.holds == Holds::Shared && self.ty.is_scalar()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LocalKind {
    /// Index into [`Function::params`].
    Param(usize),
    Let,
    LoopCounter,
    /// What a variable is in an iteration of the `while` loop that counts it. It has the name of that variable.
    Round,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct LabelId(pub(crate) usize);

/// A loop or labelled block that `break` or `continue` can name.
pub(crate) struct Label {
    /// The user's label, if any.
    pub(crate) name: Option<syn::Lifetime>,
    pub(crate) is_loop: bool,
    /// Of a loop: how the user wants it unrolled.
    pub(crate) unroll: Option<Unroll>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SiteId(pub(crate) usize);

/// A place that can fail at run time.
pub(crate) struct Site {
    pub(crate) span: Span,
    pub(crate) kind: SiteKind,
    /// For an index: how the caches are to treat the element.
    pub(crate) cache: Option<CacheHint>,
    /// Of an index: the element, or a part of it, is changed.
    pub(crate) is_changed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SiteKind {
    Index,
    /// The index of this axis of a view.
    AxisIndex(usize),
    /// `get_unchecked`: an index that the user guarantees to be in bounds. Nothing fails here.
    Unchecked,
    Division,
    Panic(String),
    Assert(String),
    Barrier,
    /// Where the threads of the grid wait for each other.
    GridBarrier,
    /// `spin_loop()`: the other threads continue before this one does. Nothing fails here.
    Yield,
    /// Where the threads of a warp wait for each other.
    Warp,
    /// Nothing fails here: a thread prints.
    Print(PrintText),
}
