//! The arguments of `#[guvectorize("(m,n),(n)->(m)", …)]`.

use super::core_signature::parse_core_signature;
use super::options::{Argument, parse_distinct_arguments, parse_flag, parse_runtime};
use crate::errors::Errors;
use crate::model::{CoreSignature, Generalized, RuntimePath};
use proc_macro2::{Span, TokenStream, TokenTree};

/// Parses the arguments of `#[guvectorize(…)]`; also gives the path of the runtime.
pub(crate) fn parse_generalized_options(tokens: TokenStream, errors: &Errors) -> (Generalized, RuntimePath) {
    let mut tokens = tokens.into_iter();
    let signature = tokens.next();
    let is_followed = tokens.next();
    let mut options = Generalized { signature: parse_signature(signature.clone(), errors), fmad: true };
    let mut runtime = RuntimePath::default();
    match is_followed {
        // What is wrong with the first argument was said.
        _ if options.signature.is_none() && !matches!(signature, Some(TokenTree::Literal(_))) => return (options, runtime),
        Some(TokenTree::Punct(comma)) if comma.as_char() == ',' => {}
        Some(other) => {
            errors.push(other.span(), "expected `,` after the signature\nhelp: write `#[guvectorize(\"(n)->()\", fmad = false)]`");
            return (options, runtime);
        }
        None => {}
    }
    for Argument { name, value, is_unsafe } in &parse_distinct_arguments(tokens.collect(), errors) {
        match name.to_string().as_str() {
            "fmad" => options.fmad = parse_flag(value, errors).unwrap_or(true),
            "crate" => runtime = parse_runtime(value, *is_unsafe, errors).unwrap_or(runtime),
            other => errors.push(
                name.span(),
                format!(
                    "unknown argument `{other}` of `guvectorize`\nhelp: after the signature, the arguments are `fmad = false` and `crate = path`"
                ),
            ),
        }
    }
    (options, runtime)
}

fn parse_signature(token: Option<TokenTree>, errors: &Errors) -> Option<CoreSignature> {
    const HELP: &str = "help: write `#[guvectorize(\"(m,n),(n)->(m)\")]`, with the core axes of each input and output";
    let Some(token) = token else {
        errors.push(Span::call_site(), format!("the signature is missing\n{HELP}"));
        return None;
    };
    let Ok(literal) = syn::parse2::<syn::LitStr>(token.clone().into()) else {
        errors.push(token.span(), format!("the first argument is the signature, a string\n{HELP}"));
        return None;
    };
    parse_core_signature(&literal.value()).map_err(|message| errors.push(literal.span(), message)).ok()
}
