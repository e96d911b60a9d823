//! Paths of the user's in a module that is two modules further in.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote_spanned;

/// The same, two modules further in.
pub(super) fn two_modules_in(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut moved = TokenStream::new();
    for (index, token) in tokens.iter().enumerate() {
        match (token, outward(&tokens, index)) {
            (_, Some(outward)) => moved.extend(outward),
            (TokenTree::Group(group), _) => {
                let mut inside = Group::new(group.delimiter(), two_modules_in(group.stream()));
                inside.set_span(group.span());
                moved.extend([TokenTree::Group(inside)]);
            }
            _ => moved.extend([token.clone()]),
        }
    }
    moved
}

/// What stands there two modules further in for the `self` or `super` at `index`, if a path starts with it.
pub(super) fn outward(tokens: &[TokenTree], index: usize) -> Option<TokenStream> {
    let TokenTree::Ident(name) = &tokens[index] else { return None };
    let is_colon = |index: usize| matches!(tokens.get(index), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    let starts_a_path = is_colon(index + 1) && !(index >= 2 && is_colon(index - 1) && is_colon(index - 2));
    match name.to_string().as_str() {
        "self" if starts_a_path => Some(quote_spanned!(name.span()=> super::super)),
        "super" if starts_a_path => Some(quote_spanned!(name.span()=> super::super::super)),
        _ => None,
    }
}
