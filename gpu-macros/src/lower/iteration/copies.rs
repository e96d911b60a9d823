//! `for row in [above, y, below] { … }`: the body once for each element, which the proofs then know.
//!
//! ```text
//! let [row_element1, row_element2, row_element3] = [above, y, below];
//! { let row = row_element1; … }
//! { let row = row_element2; … }
//! { let row = row_element3; … }
//! ```
//!
//! The compiler of the GPU unrolls such a loop too.

use crate::idents::words_of;
use crate::lower::{Lowerer, without_parentheses};
use crate::model::*;
use proc_macro2::Ident;
use quote::ToTokens;
use syn::parse_quote_spanned;

/// The most elements that have copies, and the most identifiers of all copies together.
const MOST_ELEMENTS: usize = 8;
const MOST_WORDS: usize = 400;

/// What a copy would need another meaning for, or be another item.
const NOT_COPIED: [&str; 14] =
    ["break", "continue", "shared", "dynamic_shared", "asm", "const", "static", "fn", "use", "struct", "enum", "impl", "trait", "type"];

impl Lowerer<'_> {
    /// `None` for other loops.
    pub(super) fn lower_copies(&mut self, repeat: &syn::ExprForLoop) -> Option<Expr> {
        let syn::Expr::Array(array) = without_parentheses(&repeat.expr) else { return None };
        let (pattern, span) = (&repeat.pat, repeat.for_token.span);
        if !suits(repeat, array.elems.len()) {
            return None;
        }
        let names: Vec<Ident> = (1..=array.elems.len()).map(|number| self.fresh_name(pattern, &format!("element{number}"))).collect();
        let errors = self.errors.count();
        let stmts = self.scoped(|lowerer| {
            let mut stmts = Vec::new();
            if let syn::Stmt::Local(elements) = parse_quote_spanned!(span=> let [#(#names),*] = #array;) {
                stmts.push(lowerer.lower_let(&elements));
            }
            for name in &names {
                let body = &repeat.body.stmts;
                let copy = lowerer.lower_block(&parse_quote_spanned!(span=> { let #pattern = #name; #(#body)* }));
                stmts.push(Stmt::Expr(Box::new(lowerer.expr(ExprKind::Block { label: None, block: copy }, span))));
                // The others have the same.
                if lowerer.errors.count() > errors {
                    break;
                }
            }
            stmts
        });
        Some(self.expr(ExprKind::Block { label: None, block: Block { stmts, value: None, is_unsafe: false, span } }, span))
    }
}

fn suits(repeat: &syn::ExprForLoop, elements: usize) -> bool {
    let is_plain = match &*repeat.pat {
        syn::Pat::Ident(name) => name.by_ref.is_none() && name.subpat.is_none(),
        syn::Pat::Tuple(_) => true,
        _ => false,
    };
    let words = words_of(repeat.body.to_token_stream());
    let is_short = (1..=MOST_ELEMENTS).contains(&elements) && words.len() * elements <= MOST_WORDS;
    let is_copied = !words.iter().any(|word| NOT_COPIED.contains(&&**word));
    is_plain && is_short && is_copied && repeat.label.is_none() && repeat.attrs.is_empty()
}
