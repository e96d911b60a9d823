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
    fn collect(tokens: TokenStream, words: &mut Vec<Ident>) {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => words.push(ident),
                TokenTree::Group(group) => collect(group.stream(), words),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
    let mut words = Vec::new();
    collect(tokens, &mut words);
    words
}

/// Every literal in `tokens` as it is written.
pub(crate) fn literals_of(tokens: TokenStream) -> Vec<String> {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Group(group) => literals_of(group.stream()),
            TokenTree::Literal(literal) => vec![literal.to_string()],
            TokenTree::Ident(_) | TokenTree::Punct(_) => Vec::new(),
        })
        .collect()
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

/// Whether the names in `tokens`, and those in the texts that are printed, come from different macros.
pub(crate) fn has_several_contexts(tokens: TokenStream) -> bool {
    fn differs(tokens: TokenStream, first: &mut Option<Option<String>>) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Group(group) => differs(group.stream(), first),
            TokenTree::Punct(_) => false,
            TokenTree::Ident(_) | TokenTree::Literal(_) => {
                let context = syntax_context(token.span());
                *first.get_or_insert_with(|| context.clone()) != context
            }
        })
    }
    differs(tokens, &mut None)
}

pub(crate) fn context_in(text: &str) -> Option<String> {
    let (context, _) = text.split_once(" bytes(")?;
    let number = context.strip_prefix('#')?;
    (!number.is_empty() && number.chars().all(|c| c.is_ascii_digit())).then(|| context.to_owned())
}
