//! `Some(…)`, and the methods of `Option`: each is the `match` that std's method is.

use super::iteration::Item;
use super::reference::Shape;
use super::{Lowerer, without_parentheses};
use crate::missing::refuse_method;
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

    /// A method of `Option`, with the references in its result. `None` if it is none, as far as the syntax shows.
    pub(super) fn lower_option_call(&mut self, call: &syn::ExprMethodCall) -> Option<(Expr, Shape)> {
        let name = call.method.to_string();
        let takes_closure = matches!(call.args.last().map(without_parentheses), Some(syn::Expr::Closure(_) | syn::Expr::Path(_)));
        let is_plain =
            matches!((name.as_str(), call.args.len()), ("is_some" | "is_none" | "unwrap" | "unwrap_or_default", 0) | ("unwrap_or", 1))
                || (matches!((name.as_str(), call.args.len()), ("or" | "and", 1)) && self.may_be_option(&call.receiver));
        let with_closure = takes_closure
            && match (name.as_str(), call.args.len()) {
                ("map" | "and_then" | "is_some_and" | "is_none_or" | "unwrap_or_else" | "filter" | "or_else", 1) => {
                    matches!(call.args.last().map(without_parentheses), Some(syn::Expr::Closure(_))) || self.is_option(&call.receiver)
                }
                ("map_or" | "map_or_else", 2) => true,
                _ => false,
            };
        if matches!((name.as_str(), call.args.len()), ("take", 0) | ("replace", 1)) && self.may_be_option(&call.receiver) {
            return self.lower_option_replaced(call).map(|old| (old, Shape::Value));
        }
        // Of an element by reference; other values have no such methods here.
        let copies = matches!((name.as_str(), call.args.len()), ("copied" | "cloned", 0));
        if call.turbofish.is_some() || !(is_plain || with_closure || copies || name == "expect") {
            return None;
        }
        if copies
            && !self.is_reference(&call.receiver)
            && !matches!(without_parentheses(&call.receiver), syn::Expr::MethodCall(_) | syn::Expr::Path(_))
        {
            return None;
        }
        let span = call.start();
        let (receiver, shape) = self.lower_with_shape(&call.receiver);
        if receiver.is_refused() {
            return Some((self.refused(span), Shape::Value));
        }
        if copies {
            return Some(match shape {
                Shape::Option(inner) => (receiver, inner.copied().option()),
                Shape::Reference(inner) if name == "cloned" => (receiver, inner.reference()),
                _ => {
                    refuse_method(&call.method, 0, self.errors);
                    (self.refused(span), Shape::Value)
                }
            });
        }
        let at = call.method.span();
        let inner = shape.of_some();
        Some(match name.as_str() {
            "is_some" => (self.lower_is_some(receiver, span), Shape::Value),
            "is_none" => (self.lower_test(PatternKind::None, at, receiver, span), Shape::Value),
            "expect" => (self.lower_expect(call, receiver), inner),
            "unwrap" => (self.lower_unwrap(at, receiver, "called `Option::unwrap()` on a `None` value".into(), span), inner),
            "unwrap_or" => {
                // `x.first().unwrap_or(&0.0)`
                let default = match (&inner, without_parentheses(&call.args[0])) {
                    (Shape::Reference(_), syn::Expr::Reference(reference)) => self.lower_dereferenced(&reference.expr),
                    (Shape::Reference(_), other) => self.lower_dereferenced(other),
                    (_, other) => self.lower_expr(other),
                };
                (self.lower_unwrap_or(at, receiver, default, span), inner)
            }
            "or" => {
                let other = self.lower_expr(&call.args[0]);
                (self.lower_or(at, receiver, other, span), inner.option())
            }
            "and" => {
                let other = self.lower_expr(&call.args[0]);
                (self.lower_and(at, receiver, other, span), Shape::Value)
            }
            "unwrap_or_default" => {
                let default = self.expr(ExprKind::Start(StartOf::Default), span);
                (self.lower_unwrap_or(at, receiver, default, span), Shape::Value)
            }
            _ => self.lower_option_closure(call, receiver, inner)?,
        })
    }

    /// A method that takes a closure: a `match`, with the body of the closure in an arm.
    fn lower_option_closure(&mut self, call: &syn::ExprMethodCall, receiver: Expr, inner: Shape) -> Option<(Expr, Shape)> {
        let (at, span) = (call.method.span(), call.start());
        let function = call.args.last()?;
        let (binding, local) = self.own_binding("value", at);
        let value = Item::Held(local, inner.clone());
        let arms = match call.method.to_string().as_str() {
            "map" => {
                let (mapped, shape) = self.lower_in_arm(function, vec![value]);
                let some = self.expr(ExprKind::Some(Box::new(mapped)), span);
                let none = self.expr(ExprKind::None, span);
                (some, none, shape.option())
            }
            "and_then" => {
                let (mapped, shape) = self.lower_in_arm(function, vec![value]);
                (mapped, self.expr(ExprKind::None, span), shape)
            }
            name @ ("is_some_and" | "is_none_or") => {
                let (test, _) = self.lower_in_arm(function, vec![value]);
                (test, self.expr(ExprKind::Bool(name == "is_none_or"), span), Shape::Value)
            }
            "unwrap_or_else" => {
                let (default, _) = self.lower_in_arm(function, Vec::new());
                (self.use_of(local), default, inner)
            }
            "or_else" => {
                let (other, _) = self.lower_in_arm(function, Vec::new());
                let value = self.use_of(local);
                (self.expr(ExprKind::Some(Box::new(value)), span), other, inner.option())
            }
            "filter" => {
                let (test, _) = self.lower_in_arm(function, vec![Item::Borrowed(Box::new(value))]);
                let value = self.use_of(local);
                let some = self.expr(ExprKind::Some(Box::new(value)), span);
                let none = self.expr(ExprKind::None, span);
                let then = Block { stmts: Vec::new(), value: Some(Box::new(some)), is_unsafe: false, span };
                let block = Block { stmts: Vec::new(), value: Some(Box::new(none)), is_unsafe: false, span };
                let otherwise = Some(Box::new(self.expr(ExprKind::Block { label: None, block }, span)));
                let kept = self.expr(ExprKind::If { condition: Box::new(test), then, otherwise }, span);
                (kept, self.expr(ExprKind::None, span), inner.option())
            }
            "map_or" => return Some(self.lower_map_or(call, receiver, (binding, local, inner))),
            _ => {
                let (mapped, shape) = self.lower_in_arm(function, vec![value]);
                let (default, _) = self.lower_in_arm(&call.args[0], Vec::new());
                (mapped, default, shape)
            }
        };
        let (some, none, shape) = arms;
        let pattern = self.pattern(PatternKind::Some(Box::new(binding)), at);
        let some = Arm { pattern, guard: None, body: some };
        let none = Arm { pattern: self.pattern(PatternKind::None, at), guard: None, body: none };
        Some((self.expr(ExprKind::Match { scrutinee: Box::new(receiver), arms: vec![some, none] }, span), shape))
    }

    /// `match (receiver, default) { (Some(value), _) => f(value), (None, default) => default }`: the default is evaluated in any case.
    fn lower_map_or(&mut self, call: &syn::ExprMethodCall, receiver: Expr, value: (Pattern, LocalId, Shape)) -> (Expr, Shape) {
        let (at, span) = (call.method.span(), call.start());
        let (binding, local, inner) = value;
        let default = self.lower_expr(&call.args[0]);
        let scrutinee = Box::new(self.expr(ExprKind::Tuple(vec![receiver, default]), span));
        let (mapped, _) = self.lower_in_arm(&call.args[1], vec![Item::Held(local, inner)]);
        let (some, ignored) = (self.pattern(PatternKind::Some(Box::new(binding)), at), self.pattern(PatternKind::Wildcard, at));
        let some = Arm { pattern: self.pair(some, ignored), guard: None, body: mapped };
        let (none, (default, local)) = (self.pattern(PatternKind::None, at), self.own_binding("default", at));
        let none = Arm { pattern: self.pair(none, default), guard: None, body: self.use_of(local) };
        (self.expr(ExprKind::Match { scrutinee, arms: vec![some, none] }, span), Shape::Value)
    }

    /// The result of a closure as the body of an arm.
    fn lower_in_arm(&mut self, function: &syn::Expr, items: Vec<Item>) -> (Expr, Shape) {
        let mut stmts = Vec::new();
        let at = function.start();
        let Some((value, shape)) = self.call_inline(function, items, &mut stmts) else { return (self.refused(at), Shape::Value) };
        if stmts.is_empty() {
            return (value, shape);
        }
        let block = Block { stmts, value: Some(Box::new(value)), is_unsafe: false, span: at };
        (self.expr(ExprKind::Block { label: None, block }, at), shape)
    }

    /// Whether `expr` is an `Option`, as far as its declaration shows.
    fn is_option(&self, expr: &syn::Expr) -> bool {
        match without_parentheses(expr) {
            syn::Expr::Path(path) => {
                let local = path.path.get_ident().and_then(|name| self.lookup(name));
                local.is_some_and(|local| matches!(self.locals[local.0].ty, Type::Option(_)))
            }
            syn::Expr::MethodCall(call) => {
                let name = call.method.to_string();
                let is_search = matches!(name.as_str(), "min" | "max" | "position" | "find" | "last" | "reduce")
                    && super::iteration::is_chain(&call.receiver);
                is_search
                    || matches!(
                        name.as_str(),
                        "get" | "first" | "last" | "map" | "and_then" | "checked_add" | "checked_sub" | "checked_mul"
                    )
            }
            syn::Expr::Call(call) => matches!(&*call.func, syn::Expr::Path(path) if super::pattern::is_some(&path.path)),
            _ => false,
        }
    }

    /// Whether nothing in the declaration of `expr` says that it is something else.
    fn may_be_option(&self, expr: &syn::Expr) -> bool {
        let local = match without_parentheses(expr) {
            syn::Expr::Path(path) => path.path.get_ident().and_then(|name| self.lookup(name)),
            _ => None,
        };
        self.is_option(expr) || local.is_some_and(|local| matches!(self.locals[local.0].ty, Type::Variable(_)))
    }

    /// `option?`: the value, or the function returns `None`.
    pub(super) fn lower_try(&mut self, attempt: &syn::ExprTry) -> (Expr, Shape) {
        let (at, span) = (attempt.question_token.span(), attempt.start());
        if self.is_kernel && !self.is_in_closure() {
            let message = "a kernel returns nothing, so `?` cannot leave it\nhelp: write `let Some(value) = … else { return };`, or `?` in a device function that returns an `Option`";
            return (self.refuse_invalid(at, message), Shape::Value);
        }
        let (receiver, shape) = self.lower_with_shape(&attempt.expr);
        let (pattern, body) = self.some_value(at);
        let value = Arm { pattern, guard: None, body };
        let none = Box::new(self.expr(ExprKind::None, span));
        let leave = match self.inlined {
            Some(Some(label)) => ExprKind::Break { label, named: true, value: Some(none) },
            _ => ExprKind::Return(Some(none)),
        };
        let leave = self.expr(leave, span);
        let none = Arm { pattern: self.pattern(PatternKind::None, at), guard: None, body: leave };
        let arms = vec![value, none];
        (self.expr(ExprKind::Match { scrutinee: Box::new(receiver), arms }, span), shape.of_some())
    }

    /// `option.expect("message")`
    fn lower_expect(&mut self, call: &syn::ExprMethodCall, receiver: Expr) -> Expr {
        let arguments: Vec<syn::Expr> = call.args.iter().cloned().collect();
        match self.lower_message(&arguments) {
            Some(message) => self.lower_unwrap(call.method.span(), receiver, message, call.start()),
            None if arguments.is_empty() => self.refuse_invalid(call.method.span(), "`expect` takes one argument, a message"),
            None => self.refused(call.span()),
        }
    }

    /// Whether `receiver` is `Some`.
    pub(super) fn lower_is_some(&mut self, receiver: Expr, span: Span) -> Expr {
        let inner = self.pattern(PatternKind::Wildcard, span);
        self.lower_test(PatternKind::Some(Box::new(inner)), span, receiver, span)
    }

    pub(super) fn pattern(&mut self, kind: PatternKind, span: Span) -> Pattern {
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
        let (default, local) = self.own_binding("default", at);
        let default = Arm { pattern: self.pair(none, default), guard: None, body: self.use_of(local) };
        self.expr(ExprKind::Match { scrutinee, arms: vec![value, default] }, span)
    }

    /// `match (receiver, other) { (Some(value), _) => Some(value), (None, other) => other }`
    fn lower_or(&mut self, at: Span, receiver: Expr, other: Expr, span: Span) -> Expr {
        let scrutinee = Box::new(self.expr(ExprKind::Tuple(vec![receiver, other]), span));
        let (some, value) = self.some_value(at);
        let ignored = self.pattern(PatternKind::Wildcard, at);
        let value = self.expr(ExprKind::Some(Box::new(value)), span);
        let value = Arm { pattern: self.pair(some, ignored), guard: None, body: value };
        let none = self.pattern(PatternKind::None, at);
        let (other, local) = self.own_binding("other", at);
        let other = Arm { pattern: self.pair(none, other), guard: None, body: self.use_of(local) };
        self.expr(ExprKind::Match { scrutinee, arms: vec![value, other] }, span)
    }

    /// `match (receiver, other) { (None, _) => None, (_, other) => other }`
    fn lower_and(&mut self, at: Span, receiver: Expr, other: Expr, span: Span) -> Expr {
        let scrutinee = Box::new(self.expr(ExprKind::Tuple(vec![receiver, other]), span));
        let (none, ignored) = (self.pattern(PatternKind::None, at), self.pattern(PatternKind::Wildcard, at));
        let none = Arm { pattern: self.pair(none, ignored), guard: None, body: self.expr(ExprKind::None, span) };
        let ignored = self.pattern(PatternKind::Wildcard, at);
        let (other, local) = self.own_binding("other", at);
        let other = Arm { pattern: self.pair(ignored, other), guard: None, body: self.use_of(local) };
        self.expr(ExprKind::Match { scrutinee, arms: vec![none, other] }, span)
    }

    fn pair(&mut self, first: Pattern, second: Pattern) -> Pattern {
        let span = first.span;
        self.pattern(PatternKind::Tuple(Sequence { parts: vec![first, second], rest: None }), span)
    }

    /// The pattern `Some(value)`, and its value.
    fn some_value(&mut self, at: Span) -> (Pattern, Expr) {
        let (binding, local) = self.own_binding("value", at);
        let value = self.use_of(local);
        (self.pattern(PatternKind::Some(Box::new(binding)), at), value)
    }

    /// A variable that the user cannot name.
    pub(super) fn own_binding(&mut self, name: &str, at: Span) -> (Pattern, LocalId) {
        let ty = self.fresh();
        let local = LocalId(self.locals.len());
        let name = Ident::new(name, Span::mixed_site().located_at(at));
        self.locals.push(Local { name, mutable: false, mut_token: None, ty: ty.clone(), kind: LocalKind::Let, holds: Holds::Value });
        (Pattern { kind: PatternKind::Bind { local, sub: None }, ty, span: at }, local)
    }
}
