//! Lengths, extents and counts, as far as a macro can read them.

use super::Lowerer;
use crate::first_span::Start;
use crate::model::{Arithmetic, Length};
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::ToTokens;

impl Lowerer<'_> {
    /// The length of an array: like [`lower_length`], and not a variable's value.
    pub(super) fn lower_length(&self, expr: &syn::Expr) -> Length {
        if let Some(variable) = words_in(expr.to_token_stream()).find(|name| self.visible(name).is_some()) {
            self.errors.push_invalid(
                variable.span(),
                format!(
                    "the length of an array must be a constant, but `{variable}` is a variable\nhelp: write a number or declare a `const`; for shared memory whose length the launch decides, write `dynamic_shared::<f32>(n)`"
                ),
            );
        }
        lower_length(expr)
    }
}

/// The names in an expression that is no block.
fn words_in(tokens: TokenStream) -> impl Iterator<Item = Ident> {
    let mut found = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Ident(name) => found.push(name),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => found.extend(words_in(group.stream())),
            _ => {}
        }
    }
    found.into_iter()
}

/// A constant expression of type `usize`.
pub(super) fn lower_length(expr: &syn::Expr) -> Length {
    Length::new(expr.to_token_stream(), expr.start(), integer(expr), arithmetic(expr))
}

/// The expressions of a tuple, or the only one.
pub(super) fn listed(expr: &syn::Expr) -> Vec<&syn::Expr> {
    match expr {
        syn::Expr::Tuple(syn::ExprTuple { elems, .. }) | syn::Expr::Array(syn::ExprArray { elems, .. }) => elems.iter().collect(),
        syn::Expr::Paren(paren) => vec![&paren.expr],
        other => vec![other],
    }
}

/// Whether it is a literal, but not an integer.
pub(super) fn is_other_literal(expr: &syn::Expr) -> bool {
    matches!(expr, syn::Expr::Lit(literal) if !matches!(literal.lit, syn::Lit::Int(_)))
}

/// The value of a literal.
pub(super) fn integer(expr: &syn::Expr) -> Option<u64> {
    match expr {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => int.base10_parse().ok(),
        _ => None,
    }
}

fn arithmetic(expr: &syn::Expr) -> Arithmetic {
    if let Some(value) = integer(expr) {
        return Arithmetic::Number(value);
    }
    match expr {
        syn::Expr::Paren(paren) => arithmetic(&paren.expr),
        syn::Expr::Group(group) => arithmetic(&group.expr),
        syn::Expr::Path(syn::ExprPath { qself: None, path, .. }) => Arithmetic::Constant(path.clone()),
        syn::Expr::Cast(syn::ExprCast { expr: operand, ty, .. }) => match (arithmetic(operand), &**ty) {
            (Arithmetic::Constant(path), syn::Type::Path(ty)) if ty.path.is_ident("usize") => Arithmetic::Cast(path),
            _ => Arithmetic::Other(expr.to_token_stream()),
        },
        syn::Expr::Binary(syn::ExprBinary { left, op, right, .. }) => {
            let operands = || Box::new([arithmetic(left), arithmetic(right)]);
            match op {
                syn::BinOp::Add(_) => Arithmetic::Sum(operands()),
                syn::BinOp::Sub(_) => Arithmetic::Difference(operands()),
                syn::BinOp::Mul(_) => Arithmetic::Product(operands()),
                syn::BinOp::Div(_) => match integer(right) {
                    Some(divisor) if divisor > 0 => Arithmetic::Quotient(Box::new(arithmetic(left)), divisor),
                    _ => Arithmetic::Other(expr.to_token_stream()),
                },
                _ => Arithmetic::Other(expr.to_token_stream()),
            }
        }
        _ => Arithmetic::Other(expr.to_token_stream()),
    }
}
