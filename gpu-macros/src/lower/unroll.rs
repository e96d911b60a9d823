//! `#[unroll]`, `#[unroll(4)]` and `#[unroll(1)]` on loops.

use super::Lowerer;
use super::length::{integer, lower_length};
use crate::idents::words_of;
use crate::model::Unroll;
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::spanned::Spanned;

impl Lowerer<'_> {
    /// What the attributes of a loop say. All others are checked by [`check_attributes`](Lowerer::check_attributes).
    pub(super) fn lower_unroll(&self, attributes: &[syn::Attribute]) -> Option<Unroll> {
        let mut all = attributes.iter().filter(|attribute| is_unroll(attribute));
        let first = all.next()?;
        if let Some(second) = all.next() {
            self.errors.push(second.span(), "`#[unroll]` is given twice for this loop\nhelp: remove one of them");
        }
        match &first.meta {
            syn::Meta::Path(_) => Some(Unroll::Fully),
            syn::Meta::List(list) => match list.parse_args::<syn::Expr>() {
                Ok(copies) if is_factor(&copies) => Some(Unroll::Times(lower_length(&copies))),
                _ => self.refuse_factor(list.tokens.span()),
            },
            syn::Meta::NameValue(pair) => {
                self.errors.push(pair.value.span(), "`#[unroll]` takes the number of copies in parentheses\nhelp: write `#[unroll(4)]`");
                None
            }
        }
    }

    fn refuse_factor(&self, span: proc_macro2::Span) -> Option<Unroll> {
        self.errors.push(
            span,
            format!(
                "expected the number of copies of the loop body, 1 to {}\nhelp: write `#[unroll]`, `#[unroll(4)]`, or `#[unroll(1)]` to disable unrolling",
                Unroll::MOST_COPIES
            ),
        );
        None
    }
}

/// A number in range, or an expression that C++ checks.
fn is_factor(copies: &syn::Expr) -> bool {
    match integer(copies) {
        Some(value) => (1..=Unroll::MOST_COPIES).contains(&value),
        None => matches!(copies, syn::Expr::Path(_) | syn::Expr::Binary(_) | syn::Expr::Paren(_) | syn::Expr::Block(_)),
    }
}

pub(super) fn is_unroll(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("unroll")
}

/// Removes our own attributes inside a function: rustc does not know them, and gets the function back when it is refused.
pub(crate) fn without_unroll(tokens: TokenStream) -> TokenStream {
    if !words_of(tokens.clone()).iter().any(|word| word == "unroll") {
        return tokens;
    }
    let mut tokens = tokens.into_iter().peekable();
    let mut kept = Vec::new();
    while let Some(token) = tokens.next() {
        match (&token, tokens.peek()) {
            (TokenTree::Punct(hash), Some(TokenTree::Group(group))) if hash.as_char() == '#' && names_unroll(group) => {
                tokens.next();
            }
            (TokenTree::Group(group), _) => {
                let mut inner = Group::new(group.delimiter(), without_unroll(group.stream()));
                inner.set_span(group.span());
                kept.push(inner.into());
            }
            _ => kept.push(token),
        }
    }
    kept.into_iter().collect()
}

fn names_unroll(group: &Group) -> bool {
    group.delimiter() == Delimiter::Bracket && matches!(group.stream().into_iter().next(), Some(TokenTree::Ident(name)) if name == "unroll")
}
