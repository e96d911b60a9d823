//! `match`, `matches!`, and `let` in conditions.

use super::Lowerer;
use super::reference::Shape;
use crate::first_span::Start;
use crate::model::*;
use proc_macro2::{Span, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;

impl Lowerer<'_> {
    pub(super) fn lower_match(&mut self, whole: &syn::ExprMatch) -> Expr {
        let span = whole.start();
        if whole.arms.is_empty() {
            return self.refuse_invalid(span, "a `match` without arms is not supported in kernels\nhelp: write `unreachable!()`");
        }
        if let Some(lowered) = self.lower_match_of_elements(whole) {
            return lowered;
        }
        let (scrutinee, shape) = self.lower_with_shape(&whole.expr);
        let mut arms: Vec<Arm> = whole.arms.iter().map(|arm| self.lower_arm(arm, &shape)).collect();
        if let (Some(arm), Some(written)) = (arms.last_mut(), whole.arms.last()) {
            arm.end = end_of(&written.body);
        }
        self.expr(ExprKind::Match { scrutinee: Box::new(scrutinee), arms }, span)
    }

    fn lower_arm(&mut self, arm: &syn::Arm, shape: &Shape) -> Arm {
        self.check_attributes(&arm.attrs);
        let (pattern, guard) = match &arm.pat {
            syn::Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
            pattern => (pattern, None),
        };
        self.scoped(|lowerer| {
            let ty = lowerer.fresh();
            let pattern = lowerer.lower_refutable_of(pattern, ty, shape);
            let guard = guard.map(|guard| lowerer.lower_expr(guard));
            let body = lowerer.lower_expr(&arm.body);
            Arm { pattern, guard, body, end: None }
        })
    }

    /// `matches!(value, pattern if guard)`
    pub(super) fn lower_matches(&mut self, call: &syn::Macro) -> Expr {
        let span = call.start();
        let parse = |input: ParseStream<'_>| {
            let value: syn::Expr = input.parse()?;
            input.parse::<syn::Token![,]>()?;
            let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
            let guard = input.parse::<Option<syn::Token![if]>>()?.map(|_| input.parse::<syn::Expr>()).transpose()?;
            input.parse::<Option<syn::Token![,]>>()?;
            Ok((value, pattern, guard))
        };
        let (value, pattern, guard) = match parse.parse2(call.tokens.clone()) {
            Ok(parts) => parts,
            Err(error) => {
                self.errors.push_syn(error);
                return self.refused(span);
            }
        };
        let (scrutinee, shape) = self.lower_with_shape(&value);
        let scrutinee = Box::new(scrutinee);
        let matching = self.scoped(|lowerer| {
            let ty = lowerer.fresh();
            let pattern = lowerer.lower_refutable_of(&pattern, ty, &shape);
            let guard = guard.as_ref().map(|guard| lowerer.lower_expr(guard));
            let body = lowerer.expr(ExprKind::Bool(true), span);
            Arm { pattern, guard, body, end: None }
        });
        // Where everything matches, the other arm would be reported as out of reach.
        if matching.guard.is_none() && matching.pattern.is_irrefutable() {
            return self.expr(ExprKind::Match { scrutinee, arms: vec![matching] }, span);
        }
        let pattern = Pattern::new(PatternKind::Wildcard, self.fresh(), span);
        let other = Arm { pattern, guard: None, end: None, body: self.expr(ExprKind::Bool(false), span) };
        self.expr(ExprKind::Match { scrutinee, arms: vec![matching, other] }, span)
    }

    /// The condition of `if` or `while`. Names that it binds are declared in the innermost scope.
    pub(super) fn lower_condition(&mut self, condition: &syn::Expr) -> Expr {
        match condition {
            syn::Expr::Let(binding) => {
                let span = binding.span();
                // The value does not see the new names.
                let (value, shape) = self.lower_with_shape(&binding.expr);
                let ty = if value.is_refused() { Type::Refused } else { self.fresh() };
                let pattern = Box::new(self.lower_refutable_of(&binding.pat, ty, &shape));
                self.expr(ExprKind::Let { pattern, value: Box::new(value) }, span)
            }
            syn::Expr::Binary(syn::ExprBinary { left, op: syn::BinOp::And(_), right, .. }) if has_let(condition) => {
                let left = Box::new(self.lower_condition(left));
                let right = Box::new(self.lower_condition(right));
                self.expr(ExprKind::Logical { op: LogicalOp::And, left, right }, condition.start())
            }
            other => self.lower_expr(other),
        }
    }
}

fn has_let(condition: &syn::Expr) -> bool {
    match condition {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(syn::ExprBinary { left, op: syn::BinOp::And(_), right, .. }) => has_let(left) || has_let(right),
        _ => false,
    }
}

/// The last token of an expression, unless it is a block, which ends there as generated code does.
fn end_of(expr: &syn::Expr) -> Option<Span> {
    let last = (!matches!(expr, syn::Expr::Block(_))).then(|| expr.to_token_stream().into_iter().last())??;
    Some(match last {
        TokenTree::Group(group) => group.span_close(),
        other => other.span(),
    })
}
