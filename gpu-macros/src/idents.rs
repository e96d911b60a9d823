//! The names in tokens that are not understood any further.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;

/// The name as text, without `r#`.
pub(crate) fn word(name: &Ident) -> String {
    let text = name.to_string();
    match text.strip_prefix("r#") {
        Some(raw) => raw.to_owned(),
        None => text,
    }
}

/// Every identifier in `tokens`, in order, without `r#`.
pub(crate) fn words_of(tokens: TokenStream) -> Vec<String> {
    idents_of(tokens).iter().map(word).collect()
}

/// Every identifier in `tokens`, in order.
pub(crate) fn idents_of(tokens: TokenStream) -> Vec<Ident> {
    let ident = |token| if let TokenTree::Ident(ident) = token { Some(ident) } else { None };
    leaves_of(tokens).into_iter().filter_map(ident).collect()
}

/// Every literal in `tokens` as it is written.
pub(crate) fn literals_of(tokens: TokenStream) -> Vec<String> {
    let literal = |token| if let TokenTree::Literal(literal) = token { Some(literal.to_string()) } else { None };
    leaves_of(tokens).into_iter().filter_map(literal).collect()
}

/// The tokens in order, those in groups instead of the groups.
fn leaves_of(tokens: TokenStream) -> Vec<TokenTree> {
    fn collect(tokens: TokenStream, leaves: &mut Vec<TokenTree>) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => collect(group.stream(), leaves),
                leaf => leaves.push(leaf),
            }
        }
    }
    let mut leaves = Vec::new();
    collect(tokens, &mut leaves);
    leaves
}

/// The tokens as text, which differs where they do: `$crate` of two macros may be two crates.
pub(crate) fn text_of(tokens: &impl ToTokens) -> String {
    let tokens = tokens.to_token_stream();
    let mut text = tokens.to_string();
    if text.contains("$crate") {
        for root in idents_of(tokens).iter().filter(|name| *name == "$crate") {
            text += &syntax_context(root.span()).unwrap_or_else(|| format!("{:?}", root.span()));
        }
    }
    text
}

/// Which macro a token comes from, as far as a stable compiler tells: `#5` of `#5 bytes(10..11)`.
pub(crate) fn syntax_context(span: Span) -> Option<String> {
    context_in(&format!("{span:?}"))
}

/// Whether the names and literals in `tokens` come from different macros. A text that is printed has names in it.
pub(crate) fn has_several_contexts(tokens: TokenStream) -> bool {
    let named = leaves_of(tokens).into_iter().filter(|token| !matches!(token, TokenTree::Punct(_)));
    let mut contexts = named.map(|token| syntax_context(token.span()));
    let first = contexts.next();
    contexts.any(|context| first != Some(context))
}

/// `#5` in `#5 bytes(10..11)`, which is how rustc prints a span.
pub(crate) fn context_in(text: &str) -> Option<String> {
    let (context, _) = text.split_once(" bytes(")?;
    let number = context.strip_prefix('#')?;
    (!number.is_empty() && number.chars().all(|c| c.is_ascii_digit())).then(|| context.to_owned())
}
