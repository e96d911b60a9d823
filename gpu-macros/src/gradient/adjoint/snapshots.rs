//! Copies of shared arrays, which a loop that is computed again begins with: each thread keeps its share of the elements in a local array.

use super::own::Extents;
use super::step::{Printer, Var};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{format_ident, quote};

/// How the elements of a shared array are shared out among the threads of a block of a known size: a thread has every n-th one, where n is the number of
/// threads.
#[derive(Clone)]
pub(super) struct Shares {
    pub(super) zero: TokenStream,
    pub(super) lengths: Vec<TokenStream>,
    /// The extents of the block.
    pub(super) block: Vec<TokenStream>,
}

/// `let mut into = …`, a copy of what is in the array now.
#[derive(Clone)]
pub(super) struct Snapshot {
    pub(super) into: Var,
    /// What is in it.
    pub(super) of: Var,
    pub(super) shares: Shares,
}

/// An array whose values an iteration needs from the one before.
#[derive(Clone)]
pub(super) struct CarriedArray {
    pub(super) array: Var,
    /// What it had before the loop.
    pub(super) before: Var,
    pub(super) shares: Shares,
    /// The names of its snapshots.
    pub(super) far: Ident,
    pub(super) near: Ident,
}

/// Of constants.
fn product(factors: &[TokenStream]) -> TokenStream {
    let factors = factors.iter().map(|factor| quote!((#factor)));
    let product = factors.reduce(|product, factor| quote!(#product * #factor));
    quote!((#product))
}

impl Shares {
    /// `None` where there are none: the length of the array is the launch's.
    pub(super) fn new(extents: &Extents, block: Vec<TokenStream>, zero: TokenStream) -> Option<Shares> {
        match extents {
            Extents::Constant(lengths) => Some(Shares { zero, lengths: lengths.clone(), block }),
            Extents::Dynamic(_) => None,
        }
    }

    fn elements(&self) -> TokenStream {
        product(&self.lengths)
    }

    fn threads(&self) -> TokenStream {
        product(&self.block)
    }

    /// How many elements a thread has, at most.
    fn count(&self) -> TokenStream {
        let (elements, threads) = (self.elements(), self.threads());
        quote!(((#elements + #threads - 1) / #threads))
    }

    /// The local array of that many snapshots.
    pub(super) fn declare(&self, name: &Ident, snapshots: usize) -> TokenStream {
        let (zero, count) = (&self.zero, self.count());
        let snapshots = Literal::usize_unsuffixed(snapshots);
        quote!(let mut #name = [#zero; #snapshots * #count];)
    }
}

impl Printer<'_> {
    /// Between two barriers, from or to the snapshot with this number.
    pub(super) fn copy_shares(&self, shares: &Shares, array: Var, local: &Ident, snapshot: &TokenStream, is_back: bool) -> TokenStream {
        let (runtime, name) = (self.runtime, self.name(array));
        let prelude = quote!(#runtime::prelude);
        let [share, element] = ["share", "element"].map(|name| format_ident!("{name}_of_block", span = Span::mixed_site()));
        let (elements, threads, count) = (shares.elements(), shares.threads(), shares.count());
        let thread = match shares.block.len() {
            1 => quote!(#prelude::thread_idx().x),
            2 => quote!((#prelude::thread_idx().y * #prelude::block_dim().x + #prelude::thread_idx().x)),
            _ => quote!(
                ((#prelude::thread_idx().z * #prelude::block_dim().y + #prelude::thread_idx().y) * #prelude::block_dim().x
                    + #prelude::thread_idx().x)
            ),
        };
        let lengths = &shares.lengths;
        let indices = (0..lengths.len()).map(|at| {
            let (own, inner) = (&lengths[at], &lengths[at + 1..]);
            let row = product(inner);
            let quotient = if inner.is_empty() { quote!(#element) } else { quote!((#element / #row)) };
            if at == 0 { quotient } else { quote!(#quotient % (#own)) }
        });
        let place = quote!(#name #([#indices])*);
        let kept = quote!(#local[(#snapshot) * #count + #share]);
        let copy = if is_back { quote!(#place = #kept;) } else { quote!(#kept = #place;) };
        quote! {
            #prelude::sync_threads();
            for #share in 0..#count {
                let #element = #thread + #share * #threads;
                if #element < #elements { #copy }
            }
            #prelude::sync_threads();
        }
    }

    pub(super) fn print_snapshot(&self, Snapshot { into, of, shares }: &Snapshot) -> TokenStream {
        let name = self.name(*into);
        let (declared, copy) = (shares.declare(name, 1), self.copy_shares(shares, *of, name, &quote!(0), false));
        quote!(#declared #copy)
    }
}
