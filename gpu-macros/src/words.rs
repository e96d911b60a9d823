//! The names in tokens that are not understood any further.

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt;

/// Every identifier in `tokens`, in order, without `r#`.
pub(crate) fn words_of(tokens: TokenStream) -> Vec<String> {
    fn collect(tokens: TokenStream, words: &mut Vec<String>) {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => words.push(ident.unraw().to_string()),
                TokenTree::Group(group) => collect(group.stream(), words),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
    let mut words = Vec::new();
    collect(tokens, &mut words);
    words
}
