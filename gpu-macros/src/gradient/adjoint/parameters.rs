//! The parameters of a kernel, as its adjoint has them.

use super::apart::{Shapes, Tree, unknown_parts};
use crate::errors::Errors;
use crate::gradient::inward::two_modules_in;
use crate::idents::word;
use crate::model::*;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, format_ident, quote};
use std::collections::HashSet;

/// A parameter of the kernel, as the adjoint has it.
pub(super) struct Parameter {
    /// In the adjoint: of an array that is written, the name of its gradient.
    pub(super) name: Ident,
    pub(super) user_name: Ident,
    /// The kernel writes to it.
    pub(super) is_written: bool,
    /// Its gradient is set to zero where it was used.
    pub(super) is_consumed: bool,
    /// It has elements, one for each set of indices.
    pub(super) rank: Option<usize>,
    /// What it is, or of an array what its elements are.
    pub(super) element: Tree<Type>,
    /// That type.
    pub(super) element_tokens: TokenStream,
    /// There are floats among that.
    pub(super) has_floats: bool,
    /// The type in the adjoint.
    pub(super) ty: TokenStream,
    /// The parameter that its gradient is added to.
    pub(super) gradient: Option<Ident>,
}

impl Parameter {
    pub(super) fn is_array(&self) -> bool {
        self.rank.is_some()
    }

    /// A struct or a tuple, or an array.
    pub(super) fn is_of_parts(&self) -> bool {
        !matches!(self.element, Tree::One(Type::Scalar(_)))
    }
}

/// `base`, or with a number.
pub(super) fn unique(base: &str, taken: &mut HashSet<String>) -> String {
    let mut names = std::iter::once(base.to_owned()).chain((2..).map(|number| format!("{base}_{number}")));
    let name = names.find(|name| !taken.contains(name)).expect("there are enough numbers");
    taken.insert(name.clone());
    name
}

pub(super) fn read_parameters(
    function: &Function,
    shapes: &mut Shapes,
    repeated_writes: &[bool],
    taken: &mut HashSet<String>,
    errors: &Errors,
) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    for (param, has_repeated_writes) in function.params.iter().zip(repeated_writes) {
        let local = function.local(param.local);
        let name = local.name.clone();
        let written = &param.written;
        let (element, mutable, rank) = match &local.ty {
            Type::Slice { element, mutable } => (&**element, *mutable, Some(1)),
            Type::View { element, mutable, rank } => (&**element, *mutable, Some(*rank)),
            ty @ (Type::Scalar(_) | Type::Array(..) | Type::Tuple(_) | Type::Named(_)) if !local.is_reference() => (ty, false, None),
            _ => {
                errors.push(
                    name.span(),
                    format!("the gradient of a kernel with the parameter `{name}` of this type is not supported\nhelp: use numbers, and slices or views of numbers"),
                );
                continue;
            }
        };
        let Some(shape) = shapes.of_type(element) else {
            let message = match element {
                Type::Atomic(_) => format!(
                    "the gradient through the atomics of `{name}` is not supported\nhelp: let each thread write its own elements, and sum them in another launch"
                ),
                Type::Named(named) => unknown_parts(&format!("`{}`", named.short_name())),
                _ => format!(
                    "the gradient of a kernel with elements of the type of `{name}` is not supported\nhelp: use numbers, and arrays, tuples and structs of numbers"
                ),
            };
            errors.push(name.span(), message);
            continue;
        };
        let has_floats = shape.any(&|ty| ty.innermost().as_scalar().is_some_and(Scalar::is_float));
        let is_view = matches!(local.ty, Type::View { .. });
        let runtime = &function.runtime;
        let scalar = tokens_of(element);
        let axes = Literal::usize_unsuffixed(rank.unwrap_or(1));
        let is_consumed = mutable && has_floats && *has_repeated_writes;
        let ty = match (mutable, is_view, rank) {
            (false, ..) => two_modules_in(written.to_token_stream()),
            (true, false, _) if is_consumed => quote!(&mut [#scalar]),
            (true, false, _) => quote!(&[#scalar]),
            (true, true, _) if is_consumed => quote!(#runtime::ViewMut<#scalar, #axes>),
            (true, true, _) => quote!(#runtime::View<#scalar, #axes>),
        };
        let named = |taken: &mut HashSet<String>| Ident::new(&unique(&format!("d_{}", word(&name)), taken), name.span());
        let (own, gradient) = match (mutable, has_floats) {
            (true, true) => (named(taken), None),
            (false, true) => (name.clone(), Some(named(taken))),
            (_, false) => (name.clone(), None),
        };
        parameters.push(Parameter {
            name: own,
            user_name: name.clone(),
            is_written: mutable,
            is_consumed,
            rank,
            element: shape,
            element_tokens: scalar,
            has_floats,
            ty,
            gradient,
        });
    }
    parameters
}

pub(super) fn tokens_of(ty: &Type) -> TokenStream {
    match ty {
        Type::Scalar(scalar) => format_ident!("{}", scalar.name()).into_token_stream(),
        Type::Named(named) => two_modules_in(named.path.to_token_stream()),
        Type::Tuple(parts) => {
            let parts = parts.iter().map(tokens_of);
            quote!((#(#parts,)*))
        }
        Type::Array(element, length) => {
            let (element, length) = (tokens_of(element), two_modules_in(length.tokens()));
            quote!([#element; #length])
        }
        _ => unreachable!("it is made of numbers"),
    }
}
