//! The path of the runtime in generated code.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

/// `::gpu_runtime`, or the path of the option `crate`.
///
/// Generated code names it hundreds of times. To copy a `TokenStream` into another one, a macro asks the compiler three times. It adds
/// single tokens on its own.
#[derive(Debug, Clone)]
pub(crate) struct RuntimePath(Vec<TokenTree>);

impl RuntimePath {
    /// With the positions of the code at `span`: rustc blames it for a condition that a function of the runtime has.
    pub(crate) fn located_at(&self, span: Span) -> RuntimePath {
        let at = |mut token: TokenTree| {
            token.set_span(token.span().located_at(span));
            token
        };
        RuntimePath(self.0.iter().cloned().map(at).collect())
    }

    /// The crate that is being compiled is the runtime.
    pub(crate) fn is_this_crate() -> bool {
        std::env::var_os("CARGO_CRATE_NAME").is_some_and(|name| name == "gpu_runtime")
    }

    /// One module deeper: `self::a` is `super::a` there, and `super::a` is `super::super::a`.
    pub(crate) fn seen_from_inside(&self) -> RuntimePath {
        match self.0.first().map(ToString::to_string).as_deref() {
            Some("self") => {
                let rest = &self.0[1..];
                quote!(super #(#rest)*).into()
            }
            Some("super") => quote!(super::#self).into(),
            _ => self.clone(),
        }
    }
}

impl Default for RuntimePath {
    fn default() -> Self {
        quote!(::gpu_runtime).into()
    }
}

impl From<TokenStream> for RuntimePath {
    fn from(path: TokenStream) -> Self {
        RuntimePath(path.into_iter().collect())
    }
}

impl ToTokens for RuntimePath {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.0.iter().cloned());
    }
}
