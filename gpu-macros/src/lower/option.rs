//! `Some(…)`, and the methods of `Option`: each is the `match` that std's method is.

use super::Lowerer;
use crate::model::*;
use crate::start::Start;
use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;

impl Lowerer<'_> {
    pub(super) fn lower_some(&mut self, call: &syn::ExprCall) -> Expr {
        match call.args.first() {
            Some(value) if call.args.len() == 1 => {
                let value = Box::new(self.lower_expr(value));
                self.expr(ExprKind::Some(value), call.start())
            }
            _ => self.refuse_invalid(call.span(), "`Some` takes one value"),
        }
    }

    /// `option.expect("message")`
    pub(super) fn lower_expect(&mut self, call: &syn::ExprMethodCall) -> Expr {
        let receiver = self.lower_expr(&call.receiver);
        let arguments: Vec<syn::Expr> = call.args.iter().cloned().collect();
        match self.lower_message(&arguments) {
            Some(message) => self.lower_unwrap(call.method.span(), receiver, message, call.start()),
            None if arguments.is_empty() => self.refuse_invalid(call.method.span(), "`expect` takes one argument, a message"),
            None => self.refused(call.span()),
        }
    }

    /// A method of `Option` that [is one](is_option_method).
    pub(super) fn lower_option_method(&mut self, name: &Ident, receiver: Expr, args: Vec<Expr>, span: Span) -> Expr {
        let at = name.span();
        match (name.to_string().as_str(), args.into_iter().next()) {
            ("is_some", _) => {
                let inner = self.pattern(PatternKind::Wildcard, at);
                self.lower_test(PatternKind::Some(Box::new(inner)), at, receiver, span)
            }
            ("is_none", _) => self.lower_test(PatternKind::None, at, receiver, span),
            ("unwrap_or", Some(default)) => self.lower_unwrap_or(at, receiver, default, span),
            _ => self.lower_unwrap(at, receiver, "called `Option::unwrap()` on a `None` value".into(), span),
        }
    }

    fn pattern(&mut self, kind: PatternKind, span: Span) -> Pattern {
        Pattern { kind, ty: self.fresh(), span }
    }

    /// `match receiver { kind => true, _ => false }`
    fn lower_test(&mut self, kind: PatternKind, at: Span, receiver: Expr, span: Span) -> Expr {
        let arms = [(kind, true), (PatternKind::Wildcard, false)].map(|(kind, truth)| {
            let body = self.expr(ExprKind::Bool(truth), span);
            Arm { pattern: self.pattern(kind, at), guard: None, body }
        });
        self.expr(ExprKind::Match { scrutinee: Box::new(receiver), arms: arms.into() }, span)
    }

    /// `match receiver { Some(value) => value, None => panic!(message) }`
    fn lower_unwrap(&mut self, at: Span, receiver: Expr, message: String, span: Span) -> Expr {
        let site = self.site(span, SiteKind::Panic(message));
        let (pattern, body) = self.some_value(at);
        let value = Arm { pattern, guard: None, body };
        let pattern = self.pattern(PatternKind::None, at);
        let failure = Arm { pattern, guard: None, body: self.expr(ExprKind::Panic { site }, span) };
        self.expr(ExprKind::Match { scrutinee: Box::new(receiver), arms: vec![value, failure] }, span)
    }

    /// `match (receiver, default) { (Some(value), _) => value, (None, default) => default }`: the default is evaluated in any case.
    fn lower_unwrap_or(&mut self, at: Span, receiver: Expr, default: Expr, span: Span) -> Expr {
        let scrutinee = Box::new(self.expr(ExprKind::Tuple(vec![receiver, default]), span));
        let (some, body) = self.some_value(at);
        let ignored = self.pattern(PatternKind::Wildcard, at);
        let value = Arm { pattern: self.pair(some, ignored), guard: None, body };
        let none = self.pattern(PatternKind::None, at);
        let (default, body) = self.own_binding(at);
        let default = Arm { pattern: self.pair(none, default), guard: None, body };
        self.expr(ExprKind::Match { scrutinee, arms: vec![value, default] }, span)
    }

    fn pair(&mut self, first: Pattern, second: Pattern) -> Pattern {
        let span = first.span;
        self.pattern(PatternKind::Tuple(Sequence { parts: vec![first, second], rest: None }), span)
    }

    /// The pattern `Some(value)`, and its value.
    fn some_value(&mut self, at: Span) -> (Pattern, Expr) {
        let (binding, value) = self.own_binding(at);
        (self.pattern(PatternKind::Some(Box::new(binding)), at), value)
    }

    /// A variable that the user cannot name: its binding and its use.
    fn own_binding(&mut self, at: Span) -> (Pattern, Expr) {
        let ty = self.fresh();
        let local = LocalId(self.locals.len());
        let name = Ident::new("value", Span::mixed_site().located_at(at));
        self.locals.push(Local { name, mutable: false, mut_token: None, ty: ty.clone(), kind: LocalKind::Let });
        let binding = Pattern { kind: PatternKind::Bind { local, sub: None }, ty: ty.clone(), span: at };
        (binding, Expr { kind: ExprKind::Local(local), ty, span: at, operator: at })
    }
}

/// Whether a method with this name and number of arguments is one of `Option`.
pub(super) fn is_option_method(name: &Ident, args: usize) -> bool {
    [("is_some", 0), ("is_none", 0), ("unwrap", 0), ("unwrap_or", 1)].iter().any(|(known, count)| name == known && args == *count)
}
