//! Patterns of slices: `let [first, rest @ ..] = x else { … }`, `if let [a, .., b] = x`, `match x { [] => …, [a] => …, [a, rest @ ..] if … => … }`.
//!
//! A slice is no value in the model, and a part of it has no variable. So a pattern becomes what it says: a comparison of the length, and
//! names for elements and for the rest.
//!
//! ```text
//! if x.len() >= 1 {
//!     let first = &x[0];
//!     let rest = &x[1..];
//!     …
//! }
//! ```

use super::{Lowerer, without_parentheses};
use crate::model::*;
use proc_macro2::Literal;
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{parse_quote, parse_quote_spanned};

/// A pattern for the elements of `place`.
struct Elements {
    /// Whether the length is right, then whether elements are.
    condition: syn::Expr,
    /// The names.
    lets: Vec<syn::Local>,
    shortest: usize,
    /// No other length matches.
    is_exact: bool,
    /// Every slice of such a length matches.
    is_total: bool,
}

/// What a pattern of elements is matched with.
struct Matched {
    place: syn::Expr,
    /// The elements are behind a reference.
    is_slice: bool,
}

impl Lowerer<'_> {
    /// `let [first, rest @ ..] = x else { … };`, and of an array without `else`.
    pub(super) fn lower_let_of_elements(&mut self, local: &syn::Local) -> Option<Vec<Stmt>> {
        let (syn::Pat::Slice(pattern), Some(init)) = (&local.pat, &local.init) else { return None };
        let matched = self.elements_of(&init.expr)?;
        let Elements { condition, lets, is_total, .. } = elements(pattern, &matched)?;
        let mut stmts = Vec::new();
        match &init.diverge {
            Some((_, otherwise)) if matched.is_slice && diverges(otherwise) => {
                let unless: syn::Expr = parse_quote_spanned!(local.let_token.span=> if !(#condition) #otherwise);
                stmts.push(Stmt::Expr(Box::new(self.lower_expr(&unless))));
            }
            None if !matched.is_slice && is_total && names_the_rest(pattern) => {}
            _ => return None,
        }
        for local in &lets {
            match self.lower_let_of_part(local) {
                Some(part) => stmts.extend(part),
                None => stmts.push(self.lower_let(local)),
            }
        }
        Some(stmts)
    }

    /// `if let [first, rest @ ..] = x { … } else { … }`
    pub(super) fn lower_if_of_elements(&mut self, branch: &syn::ExprIf) -> Option<Expr> {
        let syn::Expr::Let(condition) = without_parentheses(&branch.cond) else { return None };
        let syn::Pat::Slice(pattern) = &*condition.pat else { return None };
        let matched = self.elements_of(&condition.expr).filter(|matched| matched.is_slice)?;
        let Elements { condition, lets, .. } = elements(pattern, &matched)?;
        let then = &branch.then_branch.stmts;
        let body = parse_quote!({ #(#lets)* #(#then)* });
        Some(self.lower_if(&syn::ExprIf { cond: Box::new(condition), then_branch: body, ..branch.clone() }))
    }

    /// `match x { [] => …, [a] => …, [a, rest @ ..] => … }`: an `if` after the other.
    pub(super) fn lower_match_of_elements(&mut self, whole: &syn::ExprMatch) -> Option<Expr> {
        let matched = self.elements_of(&whole.expr).filter(|matched| matched.is_slice)?;
        let mut arms = Vec::new();
        for arm in &whole.arms {
            let (pattern, guard) = match &arm.pat {
                syn::Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
                pattern => (pattern, None),
            };
            let mut matching = match pattern {
                syn::Pat::Slice(pattern) if arm.attrs.is_empty() => elements(pattern, &matched)?,
                syn::Pat::Wild(_) if arm.attrs.is_empty() => {
                    Elements { condition: parse_quote!(true), lets: Vec::new(), shortest: 0, is_exact: false, is_total: true }
                }
                _ => return None,
            };
            if let Some(guard) = guard {
                // It sees the names, and stands behind what says that there are such elements. Each name is where it is used: rustc would say
                // of another one that it is not.
                let Elements { condition, mut lets, .. } = matching;
                let (guard_text, body_text) = (guard.to_token_stream().to_string(), arm.body.to_token_stream().to_string());
                let is_in = |text: &str, local: &syn::Local| text.contains(&bound_name(local));
                let of_guard = lets.iter().filter(|local| is_in(&guard_text, local));
                let condition = parse_quote_spanned!(guard.span()=> #condition && { #(#of_guard)* #guard });
                lets.retain(|local| is_in(&body_text, local) || !is_in(&guard_text, local));
                matching = Elements { condition, lets, is_total: false, ..matching };
            }
            arms.push((matching, &*arm.body));
        }
        let patterns: Vec<&Elements> = arms.iter().map(|(pattern, _)| pattern).collect();
        if !is_exhaustive(&patterns) {
            return None;
        }
        let (last, before) = arms.split_last()?;
        let block = |(Elements { lets, .. }, body): &(Elements, &syn::Expr)| -> syn::Expr { parse_quote!({ #(#lets)* #body }) };
        let chain = before.iter().rev().fold(block(last), |otherwise, arm| {
            let (condition, then) = (&arm.0.condition, block(arm));
            parse_quote_spanned!(whole.match_token.span=> if #condition #then else #otherwise)
        });
        Some(self.lower_expr(&chain))
    }

    /// A slice that the thread only reads, or an array that does not change.
    fn elements_of(&mut self, expr: &syn::Expr) -> Option<Matched> {
        let syn::Expr::Path(path) = without_parentheses(expr) else { return None };
        if let Some(part) = self.part_named(without_parentheses(expr)) {
            return part.is_shared().then(|| Matched { place: self.pinned(path), is_slice: true });
        }
        let local = &self.locals[self.lookup(path.path.get_ident()?)?.0];
        let is_slice = match local.ty {
            Type::Slice { mutable: false, .. } => true,
            Type::Array(..) if !local.mutable => false,
            _ => return None,
        };
        Some(Matched { place: self.pinned(path), is_slice })
    }
}

/// What `pattern` says of the elements of `matched`. `None` for what it cannot say yet.
fn elements(pattern: &syn::PatSlice, Matched { place, is_slice }: &Matched) -> Option<Elements> {
    let is_rest = |part: &syn::Pat| matches!(part, syn::Pat::Rest(_)) || rest_name(part).is_some();
    let rest = pattern.elems.iter().position(is_rest);
    let shortest = pattern.elems.len() - usize::from(rest.is_some());
    let behind = rest.map_or(0, |rest| pattern.elems.len() - 1 - rest);
    let number = Literal::usize_unsuffixed;
    let required = number(shortest);
    let mut condition: syn::Expr = match rest {
        Some(_) if shortest == 0 => parse_quote!(true),
        Some(_) => parse_quote!(#place.len() >= #required),
        None => parse_quote!(#place.len() == #required),
    };
    let (mut lets, mut is_total) = (Vec::new(), true);
    for (position, part) in pattern.elems.iter().enumerate() {
        if is_rest(part) {
            if Some(position) != rest {
                return None;
            }
            let start = number(position);
            let end: Option<syn::Expr> = (behind > 0).then(|| {
                let behind = number(behind);
                parse_quote!(#place.len() - #behind)
            });
            lets.extend(rest_name(part).map(|name| bind(name, &parse_quote!(&#place[#start..#end]))));
            continue;
        }
        let element: syn::Expr = match rest {
            Some(rest) if position > rest => {
                let from_end = number(pattern.elems.len() - position);
                parse_quote!(#place[#place.len() - #from_end])
            }
            _ => {
                let position = number(position);
                parse_quote!(#place[#position])
            }
        };
        match part {
            syn::Pat::Wild(_) => {}
            syn::Pat::Lit(_) | syn::Pat::Range(_) => {
                condition = parse_quote!(#condition && ::core::matches!(#element, #part));
                is_total = false;
            }
            part if *is_slice => lets.push(bind(plain_name(part)?, &parse_quote!(&#element))),
            part => lets.push(bind(plain_name(part)?, &element)),
        }
    }
    Some(Elements { condition, lets, shortest, is_exact: rest.is_none(), is_total })
}

fn bind(name: &syn::Ident, value: &syn::Expr) -> syn::Local {
    match parse_quote_spanned!(name.span()=> let #name = #value;) {
        syn::Stmt::Local(local) => local,
        _ => unreachable!("`let` is parsed as such"),
    }
}

/// The name that a `let` of ours binds.
fn bound_name(local: &syn::Local) -> String {
    local.pat.to_token_stream().to_string()
}

/// The name that a pattern is, if it is nothing else.
fn plain_name(pattern: &syn::Pat) -> Option<&syn::Ident> {
    match pattern {
        syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) if !begins_with_capital(ident) => {
            Some(ident)
        }
        _ => None,
    }
}

/// `rest` of `rest @ ..`
fn rest_name(pattern: &syn::Pat) -> Option<&syn::Ident> {
    match pattern {
        syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: Some((_, sub)), ident, .. })
            if matches!(**sub, syn::Pat::Rest(_)) =>
        {
            Some(ident)
        }
        _ => None,
    }
}

fn names_the_rest(pattern: &syn::PatSlice) -> bool {
    pattern.elems.iter().any(|part| rest_name(part).is_some())
}

/// Whether slices of every length match one of the patterns.
fn is_exhaustive(patterns: &[&Elements]) -> bool {
    let total = || patterns.iter().filter(|pattern| pattern.is_total);
    let Some(longer) = total().filter(|pattern| !pattern.is_exact).map(|pattern| pattern.shortest).min() else { return false };
    (0..longer).all(|length| total().any(|pattern| pattern.is_exact && pattern.shortest == length))
}

/// Whether the block of an `else` ends with what leaves it.
fn diverges(block: &syn::Expr) -> bool {
    let syn::Expr::Block(block) = block else { return false };
    match block.block.stmts.last() {
        Some(syn::Stmt::Expr(syn::Expr::Return(_) | syn::Expr::Break(_) | syn::Expr::Continue(_), _)) => true,
        Some(syn::Stmt::Macro(syn::StmtMacro { mac, .. }) | syn::Stmt::Expr(syn::Expr::Macro(syn::ExprMacro { mac, .. }), _)) => {
            ["panic", "unreachable", "todo", "unimplemented"].iter().any(|name| mac.path.is_ident(name))
        }
        _ => false,
    }
}
