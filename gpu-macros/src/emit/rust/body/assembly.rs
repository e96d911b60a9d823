//! `ptx!` on a CPU.

use super::super::tokens::{expand_type, glue};
use super::Body;
use crate::model::*;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

impl Body<'_> {
    /// The inputs, for their effects and so that rustc confirms their types; then the alternative.
    pub(super) fn expand_assembly(&self, assembly: &Assembly, ty: &Type, at: Span) -> TokenStream {
        let (span, runtime) = (glue(at), self.runtime);
        let inputs = assembly.inputs.iter().map(|input| {
            let ty = expand_type(&input.ty, input.span);
            let input = self.expand_expr(input);
            quote_spanned!(span=> let _: #ty = #input;)
        });
        let alternative = self.expand_block(&assembly.alternative);
        let ty = expand_type(ty, at).unwrap_or_else(|| quote_spanned!(span=> ()));
        // The call keeps the user's `unsafe` block from being reported as unnecessary.
        quote_spanned! {span=> {
            #(#inputs)*
            #runtime::__private::requires_unsafe();
            let __value: #ty = #alternative;
            __value
        }}
    }
}
