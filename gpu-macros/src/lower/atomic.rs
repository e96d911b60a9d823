//! Operations on atomics: `counts[i].fetch_add(1, Ordering::Relaxed)`.

use super::{Lowerer, without_parentheses};
use crate::first_span::Start;
use crate::model::*;
use proc_macro2::Span;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    /// A method call on an atomic, or `None` if it is on something else.
    pub(super) fn lower_atomic_call(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        if call.args.is_empty()
            && let syn::Expr::MethodCall(exchange) = without_parentheses(&call.receiver)
            && let Some(method) = AtomicMethod::find(&exchange.method.to_string())
            && method.result == AtomicResult::Outcome
        {
            let answer = match call.method.to_string().as_str() {
                "is_ok" => AtomicAnswer::IsOk(call.method.clone()),
                "is_err" => AtomicAnswer::IsErr(call.method.clone()),
                _ => return None,
            };
            return Some(self.lower_operation(method, exchange, answer, call.start()));
        }
        let method = AtomicMethod::find(&call.method.to_string())?;
        if method.is_common_name() && !self.means_atomic(call) {
            return None;
        }
        Some(self.lower_operation(method, call, AtomicAnswer::Whole, call.start()))
    }

    /// Whether `load`, `store` or `swap` is a method of an atomic: it has an ordering, or its receiver was declared as an atomic.
    fn means_atomic(&self, call: &syn::ExprMethodCall) -> bool {
        call.args.last().is_some_and(|last| named_order(last).is_some()) || self.is_declared_atomic(&call.receiver)
    }

    fn is_declared_atomic(&self, place: &syn::Expr) -> bool {
        match without_parentheses(place) {
            syn::Expr::Index(index) => self.is_declared_atomic(&index.expr),
            syn::Expr::MethodCall(scoped) => self.is_declared_atomic(&scoped.receiver),
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => self.is_declared_atomic(expr),
            syn::Expr::Path(path) => {
                let local = path.path.get_ident().and_then(|name| self.lookup(name));
                let ty = local.map(|local| &self.locals[local.0].ty);
                ty.is_some_and(|ty| ty.shares_elements() || matches!(ty, Type::Atomic(_)))
            }
            _ => false,
        }
    }

    /// Whether the variable is a reference to an atomic, or to what inference finds.
    fn may_refer_to_atomic(&self, local: LocalId) -> bool {
        let local = &self.locals[local.0];
        local.is_reference() && matches!(local.ty, Type::Atomic(_) | Type::Variable(_))
    }

    fn lower_operation(&mut self, method: AtomicMethod, call: &syn::ExprMethodCall, answer: AtomicAnswer, span: Span) -> Expr {
        let name = &call.method;
        if let Some(turbofish) = &call.turbofish {
            return self.refuse_invalid(turbofish.span(), "the methods of atomics have no type parameters\nhelp: remove `::<…>`");
        }
        let (scope, place) = scope_of(&call.receiver);
        let place = match (self.lower_unchecked_index(place), self.element_of_single(place)) {
            (Some(place), _) => place,
            (None, Some(element)) => self.lower_expr(&element),
            (None, None) => self.lower_dereferenced(place),
        };
        let is_refused_param = matches!(place.kind, ExprKind::Local(local) if self.locals[local.0].ty == Type::Refused);
        if place.is_refused() || is_refused_param {
            return self.refused(span);
        }
        let is_reference = matches!(place.kind, ExprKind::Local(local) if self.may_refer_to_atomic(local));
        if is_reference && scope == AtomicScope::Block {
            return self.refuse(
                place.span,
                format!("`block_scope()` must be called on an element of an array, because the compiler cannot see which array a reference points into\nhelp: call it in the kernel: `counts[0].block_scope().{name}(…)`"),
            );
        }
        if !is_reference && !matches!(place.kind, ExprKind::Index { .. } | ExprKind::Element { .. }) {
            return self.refuse_invalid(
                place.span,
                format!("`{name}` is a method of an atomic, which is an element of a slice, view or shared array\nhelp: index the array, such as `counts[0].{name}(…)`"),
            );
        }
        let wanted = method.values + method.orderings;
        if call.args.len() != wanted {
            let message = if call.args.len() < wanted && call.args.iter().all(|arg| named_order(arg).is_none()) {
                format!(
                    "the ordering of this `{name}` is missing\nhelp: it takes {}; use `Ordering::Relaxed` if no other accesses must be ordered",
                    takes(method)
                )
            } else {
                format!("`{name}` takes {}, not {} arguments\nhelp: write `{}`", takes(method), call.args.len(), form(method, name))
            };
            return self.refuse_invalid(name.span(), message);
        }
        let args = call.args.iter().take(method.values).map(|value| self.lower_expr(value)).collect();
        let mut orderings = Vec::new();
        for (position, ordering) in call.args.iter().skip(method.values).enumerate() {
            let Some(ordering) = self.lower_ordering(method, position, ordering) else { return self.refused(span) };
            orderings.push(ordering);
        }
        let name = name.clone();
        self.expr(ExprKind::Atomic { method, name, place: Box::new(place), args, orderings, scope, answer }, span)
    }

    /// The ordering at `position` among those of `method`. On a GPU, it is a part of the instruction, so it cannot be a variable.
    fn lower_ordering(&self, method: AtomicMethod, position: usize, expr: &syn::Expr) -> Option<AtomicOrdering> {
        let Some((order, path)) = named_order(expr) else {
            self.errors.push(
                expr.span(),
                "the ordering of an atomic operation must be written in the call\nhelp: write `Ordering::Relaxed`, or one of `Acquire`, `Release`, `AcqRel` and `SeqCst`",
            );
            return None;
        };
        let refused = match (method.name, position) {
            ("load", _) if order.releases() && order != Order::SeqCst => {
                Some("a load writes nothing, so there is nothing to release\nhelp: write `Relaxed`, `Acquire` or `SeqCst`")
            }
            ("store", _) if order.acquires() && order != Order::SeqCst => {
                Some("a store reads nothing, so there is nothing to acquire\nhelp: write `Relaxed`, `Release` or `SeqCst`")
            }
            (_, 1) if order.releases() && order != Order::SeqCst => Some(
                "an exchange that fails writes nothing, so there is nothing to release\nhelp: write `Relaxed`, `Acquire` or `SeqCst` for the second ordering",
            ),
            _ => None,
        };
        match refused {
            // rustc denies them as well, by a lint: later than it reports this.
            Some(message) => {
                self.errors.push(expr.span(), message);
                None
            }
            None => Some(AtomicOrdering { order, path: path.clone() }),
        }
    }
}

/// `place.block_scope()` and `place.system_scope()`, or a plain place.
fn scope_of(receiver: &syn::Expr) -> (AtomicScope, &syn::Expr) {
    let receiver = without_parentheses(receiver);
    if let syn::Expr::MethodCall(call) = receiver
        && call.args.is_empty()
        && let Some(scope) = AtomicScope::from_method(&call.method.to_string())
    {
        return (scope, without_parentheses(&call.receiver));
    }
    (AtomicScope::Device, receiver)
}

fn named_order(expr: &syn::Expr) -> Option<(Order, &syn::Path)> {
    match without_parentheses(expr) {
        syn::Expr::Path(syn::ExprPath { qself: None, path, .. }) => {
            let last = path.segments.last()?;
            Some((Order::from_name(&last.ident.to_string())?, path))
        }
        _ => None,
    }
}

/// `a.fetch_add(value, Ordering::Relaxed)`
fn form(method: AtomicMethod, name: &syn::Ident) -> String {
    let values = ["value"; 2].into_iter().take(method.values);
    let arguments: Vec<&str> = values.chain(std::iter::repeat_n("Ordering::Relaxed", method.orderings)).collect();
    format!("a.{name}({})", arguments.join(", "))
}

fn takes(method: AtomicMethod) -> &'static str {
    match (method.values, method.orderings) {
        (0, _) => "an ordering",
        (1, _) => "a value and an ordering",
        (_, 1) => "two values and an ordering",
        _ => "two values and two orderings",
    }
}
