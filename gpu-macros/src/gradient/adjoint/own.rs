//! Steps about the arrays that a kernel declares, in shared memory or in a variable, and about their gradients.

use super::step::{Code, Printer, Var};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::collections::HashSet;

/// What happens to an element.
#[derive(Clone)]
pub(super) struct Element {
    pub(super) array: Var,
    /// One for each pair of brackets.
    pub(super) indices: Vec<Code>,
    pub(super) access: Access,
    pub(super) span: Span,
}

#[derive(Clone)]
pub(super) enum Access {
    /// `array[index] = value;`, or with an operator `array[index] += value;`
    Store { operator: Option<&'static str>, value: Code },
    /// The gradient grows: `array[index] += value;`
    Add { value: Code },
    /// The gradient is read, `let name = array[index];`, and set to zero if the element was overwritten.
    Take { var: Var, zero: TokenStream, clears: bool },
}

impl Element {
    pub(super) fn codes(&self) -> Vec<&Code> {
        let value = match &self.access {
            Access::Store { value, .. } | Access::Add { value } => Some(value),
            Access::Take { .. } => None,
        };
        self.indices.iter().chain(value).collect()
    }

    pub(super) fn codes_mut(&mut self) -> Vec<&mut Code> {
        let value = match &mut self.access {
            Access::Store { value, .. } | Access::Add { value } => Some(value),
            Access::Take { .. } => None,
        };
        self.indices.iter_mut().chain(value).collect()
    }

    /// All variables that it names itself.
    pub(super) fn vars_mut(&mut self) -> Vec<&mut Var> {
        let taken = match &mut self.access {
            Access::Take { var, .. } => Some(var),
            Access::Store { .. } | Access::Add { .. } => None,
        };
        std::iter::once(&mut self.array).chain(taken).collect()
    }

    /// Whether the array changes, and if so, whether all that happens to it is that something is added.
    pub(super) fn changes(&self) -> Option<bool> {
        match self.access {
            Access::Store { .. } | Access::Take { clears: true, .. } => Some(false),
            Access::Add { .. } => Some(true),
            Access::Take { clears: false, .. } => None,
        }
    }

    pub(super) fn is_needed(&self, needed: &HashSet<Var>) -> bool {
        let is_taken = matches!(&self.access, Access::Take { var, .. } if needed.contains(var));
        is_taken || self.changes().is_some() && needed.contains(&self.array)
    }
}

/// The gradient of a shared array, as the whole block sets it to zero.
#[derive(Clone)]
pub(super) struct Zeroed {
    pub(super) var: Var,
    /// The types of its elements: as they are, and as atomics.
    pub(super) element: TokenStream,
    pub(super) atomic: TokenStream,
    pub(super) zero: TokenStream,
    pub(super) extents: Extents,
}

#[derive(Clone)]
pub(super) enum Extents {
    /// Of an array of arrays, the outermost first.
    Constant(Vec<TokenStream>),
    /// Of a dynamic shared array.
    Dynamic(Code),
}

impl Extents {
    pub(super) fn reads(&self) -> Vec<Var> {
        self.codes().into_iter().flat_map(|code| code.reads.clone()).collect()
    }

    pub(super) fn codes(&self) -> Vec<&Code> {
        match self {
            Extents::Constant(_) => Vec::new(),
            Extents::Dynamic(length) => vec![length],
        }
    }

    /// The shared array with these elements.
    pub(super) fn declare(&self, element: &TokenStream, prelude: &TokenStream) -> TokenStream {
        match self {
            Extents::Constant(lengths) => {
                let array = lengths.iter().rev().fold(element.clone(), |inner, length| quote!([#inner; #length]));
                quote!(#prelude::shared::<#array>())
            }
            Extents::Dynamic(length) => {
                let length = &length.tokens;
                quote!(#prelude::dynamic_shared::<#element>(#length))
            }
        }
    }
}

impl Printer<'_> {
    pub(super) fn print_element(&self, Element { array, indices, access, span }: &Element) -> TokenStream {
        let (name, indices) = (self.name(*array), indices.iter().map(|index| &index.tokens));
        let place = quote_spanned!(*span=> #name #([#indices])*);
        let relaxed = quote!(::core::sync::atomic::Ordering::Relaxed);
        let is_atomic = (self.has_atomics)(*array);
        match access {
            Access::Store { operator: None, value } => {
                let value = &value.tokens;
                quote!(#place = #value;)
            }
            Access::Store { operator: Some(operator), value } => {
                let (operator, value): (TokenStream, _) = (format!("{operator}=").parse().expect("it is an operator"), &value.tokens);
                quote!(#place #operator #value;)
            }
            Access::Add { value } => {
                let value = &value.tokens;
                if is_atomic { quote!(#place.fetch_add(#value, #relaxed);) } else { quote!(#place += #value;) }
            }
            Access::Take { var, zero, clears } => {
                let name = self.name(*var);
                match (is_atomic, clears) {
                    // Of several threads that have overwritten it, one gets the gradient.
                    (true, true) => quote!(let #name = #place.swap(#zero, #relaxed);),
                    (true, false) => quote!(let #name = #place.load(#relaxed);),
                    (false, true) => quote!(let #name = #place; #place = #zero;),
                    (false, false) => quote!(let #name = #place;),
                }
            }
        }
    }

    pub(super) fn print_zeroed(&self, zeroed: &Zeroed) -> TokenStream {
        let Zeroed { var, element, atomic, zero, extents } = zeroed;
        let (name, is_atomic, runtime) = (self.name(*var), (self.has_atomics)(*var), self.runtime);
        let prelude = quote!(#runtime::prelude);
        let declared = extents.declare(if is_atomic { atomic } else { element }, &prelude);
        let set = |place: TokenStream| match is_atomic {
            true => quote!(#place.store(#zero, ::core::sync::atomic::Ordering::Relaxed);),
            false => quote!(#place = #zero;),
        };
        let axes = ["x", "y", "z"].map(|axis| Ident::new(axis, Span::mixed_site()));
        let lengths = match extents {
            Extents::Constant(lengths) => &lengths[..],
            Extents::Dynamic(length) => std::slice::from_ref(&length.tokens),
        };
        // The last index goes along the first axis of the block.
        let counters: Vec<_> = (0..lengths.len()).map(|at| format_ident!("e{at}", span = Span::mixed_site())).collect();
        let innermost = set(quote!(#name #([#counters])*));
        let zeroing =
            lengths.iter().zip(&counters).rev().enumerate().fold(innermost, |inner, (at, (length, counter))| match axes.get(at) {
                Some(axis) => quote! {
                    for #counter in (#prelude::thread_idx().#axis..#length).step_by(#prelude::block_dim().#axis) { #inner }
                },
                None => quote!(for #counter in 0..#length { #inner }),
            });
        let mutable = (!is_atomic).then(|| quote!(mut));
        quote!(let #mutable #name = #declared; #zeroing)
    }
}
