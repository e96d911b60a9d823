//! The names in tokens that are not understood any further.

use proc_macro2::{Ident, TokenStream, TokenTree};

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
