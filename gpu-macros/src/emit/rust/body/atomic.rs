//! Operations on atomics: the method of that name, on a reference to the element.

use super::super::tokens::{expand_atomic, glue};
use super::Body;
use super::place::{Access, Place};
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;

impl Body<'_> {
    /// `{ let __atomic: &AtomicU32 = &counts[index]; __atomic.fetch_add(value, ordering) }`: like Rust, the element is found before
    /// the arguments are evaluated.
    #[expect(clippy::too_many_arguments, reason = "the parts of an operation")]
    pub(super) fn expand_atomic_call(
        &self,
        method: AtomicMethod,
        name: &Ident,
        place: &Expr,
        args: &[Expr],
        orderings: &[AtomicOrdering],
        answer: &AtomicAnswer,
        at: Span,
    ) -> TokenStream {
        let (runtime, span) = (self.runtime, glue(at));
        let Type::Atomic(value) = place.ty else { unreachable!("`infer` has refused other places") };
        let ty = expand_atomic(runtime, value, place.span);
        let (indices, tokens) = match &place.kind {
            // Found by the shared reference that is there.
            ExprKind::Index { site, .. } if self.is_unchecked(*site) => (None, self.expand_expr(place)),
            _ => {
                let Place { indices, tokens, .. } = self.expand_place(place, Some(Access::Atomic));
                (indices, tokens)
            }
        };
        let args = args.iter().map(|arg| self.expand_expr(arg)).chain(orderings.iter().map(|ordering| self.expand_ordering(ordering)));
        let call = match method.of_trait {
            Some(of_trait) => {
                let of_trait = Ident::new(of_trait, span);
                quote_spanned!(span=> #runtime::atomic::#of_trait::#name(__atomic #(, #args)*))
            }
            None => quote_spanned!(span=> __atomic.#name(#(#args),*)),
        };
        let call = match answer {
            AtomicAnswer::Whole => call,
            AtomicAnswer::IsOk(name) | AtomicAnswer::IsErr(name) => quote_spanned!(span=> ::core::result::Result::#name(&#call)),
        };
        let synchronizes = orderings.iter().any(|ordering| ordering.order != Order::Relaxed);
        let synchronizes = synchronizes.then(|| quote_spanned!(span=> __thread.synchronizes();));
        quote_spanned!(span=> { #indices let __atomic: &#ty = &#tokens; #synchronizes #call })
    }

    /// The name decides; that the user's path leads to std's ordering is for rustc to confirm.
    fn expand_ordering(&self, AtomicOrdering { order, path }: &AtomicOrdering) -> TokenStream {
        let span = path.segments.last().map_or_else(Span::mixed_site, |last| glue(last.ident.span()));
        let (runtime, order) = (self.runtime, Ident::new(order.name(), span));
        quote_spanned!(span=> #runtime::__private::ordering(#path, ::core::sync::atomic::Ordering::#order))
    }
}
