//! The path of the runtime in generated code.

use super::manifest::renamed_runtime;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

/// `::gpu_runtime`, the name that the user's manifest gives that dependency, or the path of the option `crate`.
#[derive(Debug, Clone)]
pub(crate) struct RuntimePath {
    /// Generated code names it hundreds of times. To copy a `TokenStream` into another one, a macro asks the compiler three times. It adds
    /// single tokens on its own.
    path: Vec<TokenTree>,
    /// The name, if the path is that of a crate. `None` if the user answers for the path, with `unsafe`.
    crate_name: Option<Ident>,
}

impl RuntimePath {
    /// `::name`, a crate.
    pub(crate) fn of_crate(name: Ident) -> RuntimePath {
        RuntimePath { path: quote!(::#name).into_iter().collect(), crate_name: Some(name) }
    }

    /// A path for which the user answers.
    pub(crate) fn trusted(path: TokenStream) -> RuntimePath {
        RuntimePath { path: path.into_iter().collect(), crate_name: None }
    }

    /// `None` if the user answers for the path.
    pub(crate) fn crate_name(&self) -> Option<String> {
        self.crate_name.as_ref().map(Ident::to_string)
    }

    /// With the positions of the code at `span`: rustc blames it for a condition that a function of the runtime has.
    pub(crate) fn located_at(&self, span: Span) -> RuntimePath {
        let at = |mut token: TokenTree| {
            token.set_span(token.span().located_at(span));
            token
        };
        RuntimePath { path: self.path.iter().cloned().map(at).collect(), crate_name: self.crate_name.clone() }
    }

    /// Items that compile only if the path is that of another crate.
    pub(crate) fn assert_is_crate(&self) -> Option<TokenStream> {
        let assertion = self.assert_is_crate_in_block()?;
        Some(quote_spanned! {Span::mixed_site()=>
            #[allow(nonstandard_style, unused)]
            const _: () = {
                #assertion
            };
        })
    }

    /// The same for a block, whose other items need no name of these.
    ///
    /// `extern crate self as gpu_runtime;` gives the name `::gpu_runtime` to the user's own crate, which could then answer the questions of
    /// a launch. But that item is in the root of the crate, where an import finds it: as a type, of which there are two then. In the
    /// root of the runtime, others find a macro of that name.
    ///
    /// Where the crate has another name, a glob import finds the item, but no private items of another crate: the name is then ambiguous.
    pub(crate) fn assert_is_crate_in_block(&self) -> Option<TokenStream> {
        let name = self.crate_name.as_ref().filter(|_| !RuntimePath::is_this_crate())?;
        if name == "gpu_runtime" {
            return Some(quote_spanned! {Span::mixed_site()=>
                #[allow(unused_imports)]
                use ::#name::gpu_runtime as gpu_runtime_must_be_the_crate_itself;
                #[allow(nonstandard_style, dead_code)]
                enum gpu_runtime_must_be_the_crate_itself {}
            });
        }
        Some(quote_spanned! {Span::mixed_site()=>
            #[allow(nonstandard_style, unused)]
            const _: () = {
                enum #name {}
                {
                    use ::#name::*;
                    use #name as _;
                }
            };
        })
    }

    /// The crate that is being compiled is the runtime.
    pub(crate) fn is_this_crate() -> bool {
        let is = |variable, expected: &str| std::env::var_os(variable).is_some_and(|value| value == expected);
        is("CARGO_CRATE_NAME", "gpu_runtime") && is("CARGO_PKG_NAME", "gpu-runtime")
    }

    /// One module deeper: `self::a` is `super::a` there, and `super::a` is `super::super::a`.
    pub(crate) fn seen_from_inside(&self) -> RuntimePath {
        match self.path.first().map(ToString::to_string).as_deref() {
            Some("self") => {
                let rest = &self.path[1..];
                RuntimePath::trusted(quote!(super #(#rest)*))
            }
            Some("super") => RuntimePath::trusted(quote!(super::#self)),
            _ => self.clone(),
        }
    }
}

impl Default for RuntimePath {
    fn default() -> Self {
        RuntimePath::of_crate(Ident::new(renamed_runtime().unwrap_or("gpu_runtime"), Span::mixed_site()))
    }
}

impl ToTokens for RuntimePath {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.path.iter().cloned());
    }
}
