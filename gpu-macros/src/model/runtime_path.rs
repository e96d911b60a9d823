//! The path of the runtime in generated code, and why nothing else can have its name.
//!
//! Generated code is trusted: it has `unsafe` blocks, and a launch believes what it says. So nothing that it names may be another's. It reaches
//! everything by two absolute paths, `::gpu_runtime` (or the name that the manifest gives the runtime) and `::core`. Both are names of crates,
//! and a crate's root can change what those mean: `extern crate self as core;`, `extern crate sound as gpu_runtime;`, where `sound` passes on
//! the runtime's items but for one that it replaces. No item can be the proof that a crate is the runtime: whatever the runtime has, another
//! crate can import and pass on. So the crates themselves are compared:
//!
//! ```ignore
//! extern crate gpu_runtime as the_runtime;                // what the compiler is given under that name: `--extern gpu_runtime=…`
//! extern crate core as the_core;                          // and that of the toolchain
//! mod by_path {
//!     pub(super) use ::{core as the_core, gpu_runtime as the_runtime};      // what the paths mean in this crate
//! }
//! {
//!     use by_path::*;
//!     use {the_core as _, the_runtime as _};              // ambiguous, unless a name means the same crate twice
//! }
//! ```
//!
//! An `extern crate` in a block asks the compiler for the crate, and no item of the program can change the answer. A name that a glob import
//! and an outer block give different meanings is an error. What a path to a crate means is the same in the whole program, so each expansion
//! asserts it for all its paths, wherever they stand. Macros, modules, traits and types behind the paths are then the runtime's and core's own.
//! Where the crate's root has no `extern crate`, paths mean what the compiler was given, and nothing is asserted ([`may_rename_crates`]).
//!
//! What is left is what the compiler was given, which the manifest decides: `gpu-runtime = { package = "sound" }`, a package `sound` whose library is
//! called `gpu_runtime`, or a dependency called `core`. The macro reads the manifest and refuses them ([`impostor`]). Who replaces the package
//! `gpu-runtime` itself, by `[patch]` or by a package of the same name from elsewhere, or who calls rustc without cargo and gives it another
//! crate, has chosen another runtime; that is beyond what a macro can see.

use super::crate_root::may_rename_crates;
use super::manifest::{impostor, renamed_runtime};
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

    /// An item that compiles only if the paths of generated code mean the runtime and core.
    pub(crate) fn assert_is_crate(&self) -> Option<TokenStream> {
        let assertion = self.assert_is_crate_in_block()?;
        Some(quote_spanned! {Span::mixed_site()=>
            const _: () = {
                #assertion
            };
        })
    }

    /// The same for a block, whose other items need no name of these.
    pub(crate) fn assert_is_crate_in_block(&self) -> Option<TokenStream> {
        let name = self.crate_name.as_ref().filter(|_| !RuntimePath::is_this_crate())?;
        let given = Ident::new(default_name(), Span::mixed_site());
        let renamed = || may_rename_crates() && impostor(default_name()).is_none();
        // The name that the compiler was given. Another may be that of an `extern crate … as name`.
        let given = match impostor(&name.to_string()) {
            None => name,
            Some(_) if renamed() => &given,
            Some(what) => {
                let message = format!(
                    "generated code trusts the crates `{name}` and `core`, but {what}\nhelp: write `gpu-runtime = \"…\"` or `{name} = {{ package = \"gpu-runtime\", … }}` into the `[dependencies]` of Cargo.toml, and call no dependency `core`"
                );
                return Some(quote_spanned!(Span::mixed_site()=> ::core::compile_error! { #message }));
            }
        };
        may_rename_crates().then(|| {
            quote_spanned! {Span::mixed_site()=>
                extern crate #given as gpu_runtime_must_be_the_crate_itself;
                extern crate core as core_must_be_the_crate_itself;
                mod meant_by_paths {
                    pub(super) use ::{core as core_must_be_the_crate_itself, #name as gpu_runtime_must_be_the_crate_itself};
                }
                {
                    use meant_by_paths::*;
                    #[allow(unused_imports)]
                    use {core_must_be_the_crate_itself as _, gpu_runtime_must_be_the_crate_itself as _};
                }
            }
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

/// The name that the manifest gives the runtime.
fn default_name() -> &'static str {
    renamed_runtime().unwrap_or("gpu_runtime")
}

impl Default for RuntimePath {
    fn default() -> Self {
        RuntimePath::of_crate(Ident::new(default_name(), Span::mixed_site()))
    }
}

impl ToTokens for RuntimePath {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.path.iter().cloned());
    }
}
