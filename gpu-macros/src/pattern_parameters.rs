//! Patterns in the place of parameters: `fn f((a, b): (f32, f32))` becomes `fn f(a_b: (f32, f32)) { let (a, b) = a_b; … }`.
//!
//! Callers and generated code pass parameters on by their names.

use crate::idents::words_of;
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::spanned::Spanned;

/// Gives a name to each parameter that is a pattern.
pub(crate) fn name_patterns(signature: &mut syn::Signature, body: &mut syn::Block) {
    let mut words = None;
    let mut statements = Vec::new();
    for input in &mut signature.inputs {
        let syn::FnArg::Typed(syn::PatType { pat, .. }) = input else { continue };
        if !matches!(
            &**pat,
            syn::Pat::Tuple(_) | syn::Pat::TupleStruct(_) | syn::Pat::Struct(_) | syn::Pat::Slice(_) | syn::Pat::Reference(_)
        ) {
            continue;
        }
        let words = words.get_or_insert_with(|| words_of(body.to_token_stream()));
        let name = name_of(pat, words);
        words.push(name.to_string());
        statements.push(syn::parse_quote_spanned!(pat.span()=> let #pat = #name;));
        **pat = syn::parse_quote!(#name);
    }
    body.stmts.splice(..0, statements);
}

/// The names in the pattern, as one that is not among `words`.
fn name_of(pattern: &syn::Pat, words: &[String]) -> Ident {
    let names = words_of(pattern.to_token_stream());
    let is_variable = |name: &&String| name.starts_with(|c: char| c.is_ascii_lowercase()) && *name != "ref" && *name != "mut";
    let names: Vec<&str> = names.iter().filter(is_variable).map(String::as_str).collect();
    let mut name = if names.len() < 2 { format!("of_{}", names.first().unwrap_or(&"nothing")) } else { names.join("_") };
    while words.contains(&name) {
        name.push('_');
    }
    Ident::new(&name, Span::mixed_site().located_at(pattern.span()))
}
