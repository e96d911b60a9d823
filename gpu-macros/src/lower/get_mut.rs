//! `if let Some(v) = x.get_mut(i) { … }` and `let Some(v) = x.get_mut(i) else { … };`
//!
//! A reference is no value in the model, so there is no `Option` of one. Both forms become what they say: a comparison of the index, and a
//! name for the place.
//!
//! ```text
//! let index = i;
//! if index < x.len() {
//!     let v = &mut x[index];
//!     …
//! }
//! ```

use super::{Lowerer, without_parentheses};
use crate::first_span::Start;
use crate::model::*;
use syn::{parse_quote, parse_quote_spanned};

/// `x.get_mut(i)` with a name for the element.
struct Element<'s> {
    /// `Some`, as the user wrote it.
    some: &'s syn::Path,
    name: &'s syn::Ident,
    call: &'s syn::ExprMethodCall,
}

impl Lowerer<'_> {
    pub(super) fn lower_let_of_get_mut(&mut self, local: &syn::Local) -> Option<Vec<Stmt>> {
        let init = local.init.as_ref()?;
        let (_, otherwise) = init.diverge.as_ref()?;
        let element = Element::of(&local.pat, &init.expr).filter(|element| self.has_elements(&element.call.receiver))?;
        let mut stmts = Vec::new();
        let (condition, name) = self.lower_get_mut(&element, &mut stmts)?;
        let unless: syn::Expr = parse_quote_spanned!(local.let_token.span=> if !(#condition) #otherwise);
        stmts.push(Stmt::Expr(Box::new(self.lower_expr(&unless))));
        stmts.push(self.lower_let(&name));
        Some(stmts)
    }

    pub(super) fn lower_if_of_get_mut(&mut self, branch: &syn::ExprIf) -> Option<Expr> {
        let syn::Expr::Let(condition) = without_parentheses(&branch.cond) else { return None };
        let element = Element::of(&condition.pat, &condition.expr).filter(|element| self.has_elements(&element.call.receiver))?;
        let lowered = self.scoped(|lowerer| {
            let mut stmts = Vec::new();
            let (condition, name) = lowerer.lower_get_mut(&element, &mut stmts)?;
            let then = &branch.then_branch.stmts;
            let body = parse_quote!({ #name #(#then)* });
            let lowered = lowerer.lower_if(&syn::ExprIf { cond: Box::new(condition), then_branch: body, ..branch.clone() });
            Some((stmts, lowered))
        });
        let (stmts, lowered) = lowered?;
        Some(if stmts.is_empty() { lowered } else { self.block_of(stmts, Some(lowered), branch) })
    }

    /// Whether there is the element, and its name.
    fn lower_get_mut(&mut self, Element { some, name, call }: &Element<'_>, stmts: &mut Vec<Stmt>) -> Option<(syn::Expr, syn::Local)> {
        self.std_variant(some);
        let (place, _) = self.lower_place(&call.receiver, stmts)?;
        let index = self.evaluate_first(&call.args[0], "index", stmts)?;
        let condition = parse_quote_spanned!(call.start()=> #index < #place.len());
        match parse_quote_spanned!(name.span()=> let #name = &mut #place[#index];) {
            syn::Stmt::Local(local) => Some((condition, local)),
            _ => unreachable!("`let` is parsed as such"),
        }
    }
}

impl<'s> Element<'s> {
    fn of(pattern: &'s syn::Pat, value: &'s syn::Expr) -> Option<Self> {
        let syn::Expr::MethodCall(call) = without_parentheses(value) else { return None };
        let syn::Pat::TupleStruct(some) = pattern else { return None };
        let is_index = call.method == "get_mut" && call.args.len() == 1 && !matches!(call.args[0], syn::Expr::Range(_));
        match (StdVariant::find(&some.path), some.elems.first()) {
            (Some(StdVariant::Some), Some(syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. })))
                if is_index && some.elems.len() == 1 =>
            {
                Some(Self { some: &some.path, name: ident, call })
            }
            _ => None,
        }
    }
}
