//! Adapters with more than one item or with a state: `flat_map` is a loop in the loop, `scan` has a variable.
//!
//! The consumer sees one loop: what leaves it leaves the outer loop, and what continues it continues the inner one.

use super::items::Item;
use super::stages::Stage;
use super::{Body, Preparation};
use crate::idents::word;
use crate::lower::control::LoopHead;
use crate::lower::pattern::names_in;
use crate::lower::reference::Shape;
use crate::lower::{Lowerer, Name, without_parentheses};
use crate::model::*;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{parse_quote, parse_quote_spanned};

type Stmts = (Vec<Stmt>, Option<Box<Expr>>);

impl Lowerer<'_> {
    /// `flat_map(|item| inner)`: a loop over `inner`, whose body is the rest.
    pub(super) fn lower_flat_map(
        &mut self,
        function: &syn::Expr,
        item: Item,
        rest: &[Stage],
        (label, at): (LabelId, Span),
        body: &mut Body<'_>,
    ) -> Option<Stmts> {
        let Some((closure, inner)) = closure_of_chain(function) else {
            self.errors.push(
                function.span(),
                "the closure of `flat_map` must be a chain of iterators in kernels\nhelp: write `.filter_map(…)` for a closure that returns an `Option`; otherwise return a chain, such as `.flat_map(|i| (0..i).map(move |j| i * j))`",
            );
            return None;
        };
        // The rest of the chain stands in the scope of the parameter's names. A counter may have one of them already.
        let counter = super::inline::held_in(&item).map(|(local, _)| local);
        let hides = |name: &&syn::Ident| self.visible(name).is_some_and(|known| Some(known.local) != counter);
        if let Some(name) = names_in(&closure.inputs[0]).into_iter().find(hides) {
            self.errors
                .push(name.span(), format!("in kernels, the parameter of `flat_map` cannot hide the variable `{name}`\nhelp: rename one"));
            return None;
        }
        let mut stmts = Vec::new();
        let outside = self.outside();
        let repeated = self.scoped(|lowerer| {
            lowerer.bind_parameters(closure.inputs.iter().zip([item]).collect(), &mut stmts)?;
            let mut before = Preparation::default();
            let chain = lowerer.within(closure, outside, |lowerer| lowerer.lower_chain(inner, &mut before))?;
            stmts.append(&mut before.lets);
            let head = LoopHead { label: None, attributes: &[], span: at };
            let repeated = lowerer.lower_loop_over(head, chain, &mut before, None, &mut |lowerer, item, inner| {
                lowerer.loops_in_loops.push((label, inner));
                let mut stmts = lowerer.leave_when_taken(rest, label, at);
                let (then, value) = lowerer.lower_stages(item, rest, label, at, body);
                stmts.extend(then);
                lowerer.loops_in_loops.pop();
                (stmts, value)
            });
            stmts.append(&mut before.lets);
            repeated
        })?;
        stmts.push(Stmt::Expr(Box::new(repeated)));
        Some((stmts, None))
    }

    /// `scan(start, |state, item| option)`: the first `None` ends the loop.
    pub(super) fn lower_scan(
        &mut self,
        function: &syn::Expr,
        state: LocalId,
        item: Item,
        rest: &[Stage],
        (label, at): (LabelId, Span),
        body: &mut Body<'_>,
    ) -> Option<Stmts> {
        let Some((name, closure)) = closure_with_state(function) else {
            self.errors.push(
                function.span(),
                "the first parameter of the closure of `scan` must be a plain name in kernels\nhelp: write `|state, item| …`, and `*state` in the closure",
            );
            return None;
        };
        let mut stmts = Vec::new();
        // Its closures do not see the state's name.
        let item = self.hold(item, None, &mut stmts)?;
        let (option, shape) = self.scoped(|lowerer| {
            let (of_state, reference) = (lowerer.locals[state.0].name.clone(), lowerer.own_name("state"));
            lowerer.scope.push(Name {
                word: word(&of_state),
                at: of_state.span(),
                local: state,
                shape: Shape::Value,
                part: None,
                is_pinned: false,
            });
            if let syn::Stmt::Local(local) = parse_quote_spanned!(name.span()=> let #reference = &mut #of_state;) {
                stmts.push(lowerer.lower_let(&local));
            }
            let reference = lowerer.named(&reference).cloned()?;
            lowerer.scope.push(Name { word: word(&name), at: name.span(), ..reference });
            lowerer.call_inline(&syn::Expr::Closure(closure), vec![item], &mut stmts)
        })?;
        let (binding, found) = self.own_binding("item", at);
        let pattern = self.pattern(PatternKind::some(binding), at);
        let condition = self.expr(ExprKind::Let { pattern: Box::new(pattern), value: Box::new(option) }, at);
        let leave = self.leave(label, at);
        let (then, value) = self.lower_stages(Item::Held(found, shape.of_some()), rest, label, at, body);
        stmts.push(self.lower_when(condition, super::stages::with_value(then, value), Some(leave), at));
        Some((stmts, None))
    }
}

/// A closure of one parameter, and the chain that is its body.
fn closure_of_chain(function: &syn::Expr) -> Option<(&syn::ExprClosure, &syn::Expr)> {
    let syn::Expr::Closure(closure) = without_parentheses(function) else { return None };
    let body = match without_parentheses(&closure.body) {
        syn::Expr::Block(block) => match &block.block.stmts[..] {
            [syn::Stmt::Expr(value, None)] => without_parentheses(value),
            _ => return None,
        },
        body => body,
    };
    let is_iterator = super::is_chain(body) || matches!(body, syn::Expr::Array(_));
    (closure.inputs.len() == 1 && is_iterator).then_some((closure, body))
}

/// The name of the first parameter, and the closure without it.
fn closure_with_state(function: &syn::Expr) -> Option<(syn::Ident, syn::ExprClosure)> {
    let syn::Expr::Closure(closure) = without_parentheses(function) else { return None };
    let mut closure = closure.clone();
    let mut inputs = std::mem::take(&mut closure.inputs).into_iter();
    let state = match inputs.next()? {
        syn::Pat::Type(typed) => *typed.pat,
        pattern => pattern,
    };
    closure.inputs = inputs.collect();
    match state {
        syn::Pat::Ident(syn::PatIdent { by_ref: None, mutability: None, subpat: None, ident, .. }) => Some((ident, closure)),
        syn::Pat::Wild(_) => Some((parse_quote!(_unused), closure)),
        _ => None,
    }
}
