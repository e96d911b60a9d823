//! Orders as values: `a.cmp(&b)`, `a.partial_cmp(&b)`, `a.total_cmp(&b)`, and `then_with`. What else an `Ordering` has are methods of a trait.

use super::{Lowerer, without_parentheses};
use crate::first_span::Start;
use crate::model::*;
use syn::parse_quote;

impl Lowerer<'_> {
    /// A call that compares two values, or continues after a comparison. `None` if it is none.
    pub(super) fn lower_order_call(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        let [arg] = call.args.iter().collect::<Vec<_>>()[..] else { return None };
        let op = match call.method.to_string().as_str() {
            "partial_cmp" => BinaryOp::PartialOrder,
            "cmp" => BinaryOp::TotalOrder,
            "total_cmp" => return Some(self.lower_total_order(&call.receiver, self.compared_with(arg)?)),
            "then_with" => return self.lower_then_with(call, arg),
            _ => return None,
        };
        let right = self.compared_with(arg)?;
        let (left, right) = (self.lower_dereferenced(&call.receiver), self.lower_dereferenced(right));
        Some(self.expr(ExprKind::Binary { op, left: Box::new(left), right: Box::new(right), site: None }, call.start()))
    }

    /// The place behind the argument of a comparison. A method of the user's may take a value.
    fn compared_with<'e>(&self, arg: &'e syn::Expr) -> Option<&'e syn::Expr> {
        match without_parentheses(arg) {
            syn::Expr::Reference(reference) => Some(&reference.expr),
            other => self.is_reference(other).then_some(other),
        }
    }

    /// By sign, then by the bits, which grow with the absolute value.
    fn lower_total_order(&mut self, left: &syn::Expr, right: &syn::Expr) -> Expr {
        let (a, b) = (self.own_name("left"), self.own_name("right"));
        self.lower_expr(&parse_quote!({
            let #a = #left;
            let #b = #right;
            if #a.is_sign_negative() != #b.is_sign_negative() {
                #b.is_sign_negative().cmp(&#a.is_sign_negative())
            } else if #a.is_sign_negative() {
                #b.to_bits().cmp(&#a.to_bits())
            } else {
                #a.to_bits().cmp(&#b.to_bits())
            }
        }))
    }

    /// The order itself, and where it is `Equal`, that of the closure.
    fn lower_then_with(&mut self, call: &syn::ExprMethodCall, function: &syn::Expr) -> Option<Expr> {
        let closure = matches!(without_parentheses(function), syn::Expr::Closure(closure) if closure.inputs.is_empty());
        if !closure {
            return None;
        }
        let span = call.start();
        self.scoped(|lowerer| {
            let (mut before, mut stmts) = (Vec::new(), Vec::new());
            let order = lowerer.bind_first(&call.receiver, "order", &mut before);
            let condition = Box::new(lowerer.lower_expr(&parse_quote!(#order == ::core::cmp::Ordering::Equal)));
            let (value, _) = lowerer.call_inline(function, Vec::new(), &mut stmts)?;
            let then = Block { stmts, value: Some(Box::new(value)), is_unsafe: false, span };
            let otherwise = Some(Box::new(lowerer.lower_expr(&parse_quote!({ #order }))));
            let value = lowerer.expr(ExprKind::If { condition, then, otherwise }, span);
            Some(lowerer.block_of(before, Some(value), call))
        })
    }
}
