//! Paths of the user's in a module that is two modules further in.

use crate::idents::{word, words_of};
use crate::model::Scalar;
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
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

/// Whether the text may name an item around it, such as a constant or a function. In a module such a name means the module's item, and what
/// stands in the same block is not seen.
pub(super) fn names_items(tokens: TokenStream) -> bool {
    let mut bound = Vec::new();
    find_bound(tokens.clone(), &mut bound);
    names_others(tokens, &bound)
}

/// The variables that patterns bind, and maybe other names.
fn find_bound(tokens: TokenStream, bound: &mut Vec<String>) {
    let mut before = String::new();
    for token in tokens {
        let begins_a_pattern = ["let", "mut", "for", "ref", "|"].contains(&&*before);
        before = token.to_string();
        match token {
            TokenTree::Group(group) if begins_a_pattern => bound.extend(words_of(group.stream())),
            TokenTree::Group(group) => find_bound(group.stream(), bound),
            TokenTree::Ident(name) if begins_a_pattern => bound.push(word(&name)),
            _ => {}
        }
    }
}

fn names_others(tokens: TokenStream, bound: &[String]) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_punct = |index: Option<usize>, expected: char| {
        index
            .and_then(|index| tokens.get(index))
            .is_some_and(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == expected))
    };
    tokens.iter().enumerate().any(|(index, token)| {
        let (before, second) = (index.checked_sub(1), index.checked_sub(2));
        match token {
            TokenTree::Group(group) => names_others(group.stream(), bound),
            // A field, a method, a later name of a path, or a label.
            TokenTree::Ident(_) if is_punct(before, '.') && !is_punct(second, '.') => false,
            TokenTree::Ident(_) if is_punct(before, ':') && is_punct(second, ':') || is_punct(before, '\'') => false,
            TokenTree::Ident(name) => {
                let name = name.to_string();
                Scalar::from_name(&name).is_none() && !bound.contains(&name) && syn::parse_str::<Ident>(&name).is_ok()
            }
            _ => false,
        }
    })
}
