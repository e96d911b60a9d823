//! Views: elements behind a check for each axis.

use super::super::sites::expand_site;
use super::super::tokens::{elided, glue};
use super::Body;
use super::place::{Access, Place, Redundancy};
use crate::model::*;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};

impl Body<'_> {
    /// The handle of one thread, under the user's name for the parameter. rustc finds out that the type that the user wrote is the
    /// runtime's.
    pub(super) fn expand_view_of_thread(&self, param: &Param) -> TokenStream {
        let Local { name, ty, .. } = self.function.local(param.local);
        let runtime = self.runtime;
        let span = glue(name.span());
        let Some(users) = param.written.view(&elided(name.span())) else { return TokenStream::new() };
        match ty {
            // SAFETY: threads use the same element only as the launch allows, like those of a slice.
            Type::View { mutable: true, .. } => {
                quote_spanned!(span=> #[allow(unused_mut)] let mut #name = unsafe { #runtime::__private::SharedViewMut::of_thread(&#name) }; let _: &#users = &#name;)
            }
            _ => quote_spanned!(span=> let _: #users = #name;),
        }
    }

    /// How many elements a view has along each axis.
    pub(super) fn expand_shape(&self, view: &TokenStream, span: Span) -> TokenStream {
        let runtime = self.runtime;
        quote_spanned!(span=> #runtime::calls::shape(&#view))
    }

    /// `view[[i, j]]`, which is `place`, where it is read.
    pub(super) fn expand_element(&self, place: &Expr, view: &Expr, indices: &[Expr], sites: &[SiteId]) -> TokenStream {
        let access = Some(Access::Read);
        let span = glue(place.span);
        if indices.iter().any(Expr::writes) {
            // The view must not be borrowed while an index changes it.
            let Place { indices, tokens, .. } = self.expand_element_place(place, view, indices, sites, access);
            return quote_spanned!(span=> ({ #indices #tokens }));
        }
        let tokens = self.expand_operand(view);
        let (check, position) = self.expand_position(view, indices, sites, place, access);
        if self.is_unchecked(sites[0]) {
            return self.expand_unchecked(false, &tokens, &position, span);
        }
        quote_spanned!(span=> #tokens[{ #check #position }])
    }

    pub(super) fn expand_element_place(
        &self,
        place: &Expr,
        view: &Expr,
        indices: &[Expr],
        sites: &[SiteId],
        access: Option<Access>,
    ) -> Place {
        let span = glue(place.span);
        let name = format_ident!("__index0", span = span);
        let tokens = self.expand_operand(view);
        let (check, position) = self.expand_position(view, indices, sites, place, access);
        let element = match self.is_unchecked(sites[0]) {
            true => self.expand_unchecked(view.ty.is_mutable_parameter(), &tokens, &name.to_token_stream(), span),
            false => quote_spanned!(span=> #tokens[#name]),
        };
        Place { indices: Some(quote_spanned!(span=> #check let #name = #position;)), tokens: element, count: 1 }
    }

    /// `[i, j]`, and the statements before it that check it.
    fn expand_position(
        &self,
        view: &Expr,
        indices: &[Expr],
        sites: &[SiteId],
        place: &Expr,
        access: Option<Access>,
    ) -> (Option<TokenStream>, TokenStream) {
        let span = glue(place.span);
        let indices = indices.iter().map(|index| {
            let (binding, index) = self.expand_bound_index(index);
            if binding.is_none() { index } else { quote_spanned!(span=> { #binding #index }) }
        });
        if self.is_unchecked(sites[0]) {
            return (None, quote_spanned!(span=> [#(#indices),*]));
        }
        let tokens = self.expand_operand(view);
        let is_proved = access.is_some() && self.redundancy(sites.iter().copied()) != Redundancy::No;
        let sites = sites.iter().map(|site| expand_site(*site));
        let test = match access {
            Some(access) => {
                let method = access.method("_axes", is_proved, span);
                quote_spanned!(span=> __thread.#method(__indices, &#tokens, [#(#sites),*]))
            }
            None => {
                let shape = self.expand_shape(&tokens, span);
                quote_spanned!(span=> __thread.stops_at_position(__indices, #shape, [#(#sites),*]))
            }
        };
        let check = self.expand_stop_if(Some(quote_spanned!(span=> let __indices = [#(#indices),*];)), test, is_proved, span);
        (Some(check), quote_spanned!(span=> __indices))
    }
}
