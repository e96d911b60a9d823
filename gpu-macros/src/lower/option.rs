//! `Some(…)`, `Ok(…)`, and the methods of `Option` and `Result`: each is the `match` that std's method is.
//!
//! Many methods have the same name in both, and the receiver's type is found later. So such a `match` is written for either:
//! [`ExprKind::Either`] with the patterns [`StdVariant::Value`] and [`StdVariant::Rest`], which inference settles.

use super::iteration::Item;
use super::option_syntax::{is_common_name, takes_closure, takes_error};
use super::pattern::takes;
use super::reference::Shape;
use super::{Lowerer, without_parentheses};
use crate::first_span::Start;
use crate::model::*;
use crate::unsupported_methods::refuse_method;
use proc_macro2::Span;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    /// `Some(value)`, `Ok(value)` or `Err(value)`.
    pub(super) fn lower_variant(&mut self, call: &syn::ExprCall, path: &syn::Path, variant: StdVariant) -> Expr {
        match call.args.first() {
            Some(value) if call.args.len() == 1 && variant.argument().is_some() => {
                let value = self.lower_expr(value);
                let ty = self.lower_written_arguments(path, variant).unwrap_or_else(|| self.fresh());
                let span = call.start();
                Expr::new(ExprKind::variant(variant, value), ty, span)
            }
            _ => self.refuse_invalid(call.span(), takes(variant)),
        }
    }

    /// `Result<i32, u8>` of `Ok::<i32, u8>`.
    fn lower_written_arguments(&mut self, path: &syn::Path, variant: StdVariant) -> Option<Type> {
        let owner = variant.owner()?;
        let written = path.segments.last()?;
        let syn::PathArguments::AngleBracketed(written) = &written.arguments else { return None };
        let arguments: Vec<Type> = written
            .args
            .iter()
            .filter_map(|argument| match argument {
                syn::GenericArgument::Type(ty) => self.lower_type(ty),
                _ => None,
            })
            .collect();
        (arguments.len() == owner.arity()).then_some(Type::Std(owner, arguments))
    }

    /// A method of `Option` or `Result`, with the references in its result. `None` if it is none, as far as the syntax shows.
    pub(super) fn lower_option_call(&mut self, call: &syn::ExprMethodCall) -> Option<(Expr, Shape)> {
        let name = call.method.to_string();
        let name = name.as_str();
        if name == "map"
            && let Some(mapped) = self.lower_array_map(None, &syn::Expr::MethodCall(call.clone()))
        {
            return Some((mapped, Shape::Value));
        }
        let std = |lowerer: &mut Self, call: &_| lowerer.lower_option_method(call).map(|(lowered, _)| lowered);
        if is_common_name(call) && self.is_part_of_unknown_type(&call.receiver) {
            return Some((self.lower_by_receiver(call, std, |lowerer| lowerer.lower_method_of_value(call)), Shape::Value));
        }
        if takes_closure(call) && self.is_method_of_std_enum(call) {
            match self.is_of_own_type(call) {
                Some(true) => return Some((self.lower_own_method(call), Shape::Value)),
                Some(false) => {}
                None => return Some((self.lower_by_receiver(call, std, |lowerer| lowerer.lower_own_method(call)), Shape::Value)),
            }
        }
        // Of an element by reference; other values have no such methods here.
        let copies = matches!((name, call.args.len()), ("copied" | "cloned", 0));
        if call.turbofish.is_some() || !(copies || self.is_method_of_std_enum(call)) {
            return None;
        }
        if copies
            && !self.is_reference(&call.receiver)
            && !matches!(without_parentheses(&call.receiver), syn::Expr::MethodCall(_) | syn::Expr::Path(_))
        {
            return None;
        }
        self.lower_option_method(call)
    }

    fn lower_option_method(&mut self, call: &syn::ExprMethodCall) -> Option<(Expr, Shape)> {
        let name = call.method.to_string();
        let name = name.as_str();
        if let "take" | "replace" = name {
            return self.lower_option_replaced(call).map(|old| (old, Shape::Value));
        }
        let copies = matches!(name, "copied" | "cloned");
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
        Some(match name {
            "is_some" => (self.lower_test(StdVariant::Some, at, receiver, span), Shape::Value),
            "is_none" => (self.lower_test(StdVariant::None, at, receiver, span), Shape::Value),
            "is_ok" => (self.lower_test(StdVariant::Ok, at, receiver, span), Shape::Value),
            "is_err" => (self.lower_test(StdVariant::Err, at, receiver, span), Shape::Value),
            "ok" => (self.lower_variant_as_option(StdVariant::Ok, at, receiver, span), inner.option()),
            "err" => (self.lower_variant_as_option(StdVariant::Err, at, receiver, span), Shape::Value),
            "expect" => (self.lower_expect(call, receiver), inner),
            "unwrap" => {
                let message = self.unwrap_message(&call.receiver);
                (self.lower_unwrap(at, receiver, message.into(), span), inner)
            }
            "unwrap_or" => {
                // `x.first().unwrap_or(&0.0)`
                let default = match (&inner, without_parentheses(&call.args[0])) {
                    (Shape::Reference(_), syn::Expr::Reference(reference)) => self.lower_dereferenced(&reference.expr),
                    (Shape::Reference(_), other) => self.lower_dereferenced(other),
                    (_, other) => self.lower_expr(other),
                };
                (self.lower_unwrap_or(at, receiver, default, span), inner)
            }
            "ok_or" => {
                let error = self.lower_expr(&call.args[0]);
                (self.lower_ok_or(at, receiver, error, span), inner.option())
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
                let (some, value) = self.value_of_either(at);
                let (none, default) = (self.rest(at), self.expr(ExprKind::Start(StartOf::Default), span));
                let arms = [(some, value), (none, default)].map(|(pattern, body)| Arm { pattern, guard: None, end: None, body });
                let scrutinee = Box::new(receiver);
                (self.expr(ExprKind::Match { scrutinee, arms: arms.into() }, span), Shape::Value)
            }
            _ => self.lower_option_closure(call, receiver, inner)?,
        })
    }

    /// `condition.then(|| value)` and `condition.then_some(value)`.
    pub(super) fn lower_then(&mut self, call: &syn::ExprMethodCall) -> Option<(Expr, Shape)> {
        let span = call.start();
        match (call.method.to_string().as_str(), call.args.first().map(without_parentheses)) {
            ("then", Some(function @ syn::Expr::Closure(closure))) if closure.inputs.is_empty() && call.args.len() == 1 => {
                let condition = Box::new(self.lower_dereferenced(&call.receiver));
                let mut stmts = Vec::new();
                let (value, shape) = self.call_inline(function, Vec::new(), &mut stmts)?;
                let some = self.expr(ExprKind::variant(StdVariant::Some, value), span);
                let none = self.expr(ExprKind::NONE, span);
                let none = self.block_of(Vec::new(), Some(none), call);
                let then = Block { stmts, value: Some(Box::new(some)), is_unsafe: false, span };
                Some((self.expr(ExprKind::If { condition, then, otherwise: Some(Box::new(none)) }, span), shape.option()))
            }
            ("then_some", Some(value)) if call.args.len() == 1 => {
                let (condition, name) = (self.own_name("condition"), self.own_name("value"));
                let receiver = &call.receiver;
                let chosen: syn::Expr = syn::parse_quote!({
                    let #condition = #receiver;
                    let #name = #value;
                    if #condition { Some(#name) } else { None }
                });
                Some((self.lower_expr(&chosen), Shape::Value))
            }
            _ => None,
        }
    }

    /// A method that takes a closure: a `match`, with the body of the closure in an arm.
    fn lower_option_closure(&mut self, call: &syn::ExprMethodCall, receiver: Expr, inner: Shape) -> Option<(Expr, Shape)> {
        let (at, span, like) = (call.method.span(), call.start(), receiver.ty.clone());
        let function = call.args.last()?;
        let ((binding, local), (rest, error)) = (self.own_binding("value", at), self.own_binding("error", at));
        let value = Item::Held(local, inner.clone());
        // What a closure gets that is called without a value.
        let name = call.method.to_string();
        let of_rest = |function: &syn::Expr| match function {
            syn::Expr::Closure(closure) if !closure.inputs.is_empty() => vec![Item::Held(error, Shape::Value)],
            syn::Expr::Closure(_) => Vec::new(),
            _ if name == "map_err" || name == "is_err_and" => vec![Item::Held(error, Shape::Value)],
            _ => Vec::new(),
        };
        let (mut of_value, mut of_other) = (StdVariant::Value, StdVariant::Rest);
        let (some, none, shape) = match name.as_str() {
            "map" => {
                let (mapped, shape) = self.lower_in_arm(function, vec![value]);
                (self.again(&like, mapped, span), self.again_rest(&like, error, span), shape.option())
            }
            "map_err" => {
                (of_value, of_other) = (StdVariant::Ok, StdVariant::Err);
                let (mapped, _) = self.lower_in_arm(function, of_rest(without_parentheses(function)));
                let value = self.use_of(local);
                let (ok, err) = (ExprKind::variant(StdVariant::Ok, value), ExprKind::variant(StdVariant::Err, mapped));
                (self.expr(ok, span), self.expr(err, span), inner.option())
            }
            "and_then" => {
                let (mapped, shape) = self.lower_in_arm(function, vec![value]);
                (mapped, self.again_rest(&like, error, span), shape)
            }
            "is_some_and" | "is_none_or" => {
                (of_value, of_other) = (StdVariant::Some, StdVariant::None);
                let (test, _) = self.lower_in_arm(function, vec![value]);
                (test, self.expr(ExprKind::Bool(name == "is_none_or"), span), Shape::Value)
            }
            "is_ok_and" => {
                (of_value, of_other) = (StdVariant::Ok, StdVariant::Err);
                let (test, _) = self.lower_in_arm(function, vec![value]);
                (test, self.expr(ExprKind::Bool(false), span), Shape::Value)
            }
            "is_err_and" => {
                (of_value, of_other) = (StdVariant::Ok, StdVariant::Err);
                let (test, _) = self.lower_in_arm(function, of_rest(without_parentheses(function)));
                (self.expr(ExprKind::Bool(false), span), test, Shape::Value)
            }
            "unwrap_or_else" => {
                let (default, _) = self.lower_in_arm(function, of_rest(without_parentheses(function)));
                (self.use_of(local), default, inner)
            }
            "ok_or_else" => {
                (of_value, of_other) = (StdVariant::Some, StdVariant::None);
                let (error, _) = self.lower_in_arm(function, Vec::new());
                let value = self.use_of(local);
                let (ok, err) = (ExprKind::variant(StdVariant::Ok, value), ExprKind::variant(StdVariant::Err, error));
                (self.expr(ok, span), self.expr(err, span), inner.option())
            }
            "or_else" => {
                let (other, _) = self.lower_in_arm(function, of_rest(without_parentheses(function)));
                let value = self.use_of(local);
                (self.again(&like, value, span), other, inner.option())
            }
            "filter" => {
                (of_value, of_other) = (StdVariant::Some, StdVariant::None);
                let (test, _) = self.lower_in_arm(function, vec![Item::Borrowed(Box::new(value))]);
                let value = self.use_of(local);
                let some = self.expr(ExprKind::some(value), span);
                let none = self.expr(ExprKind::NONE, span);
                let then = Block { stmts: Vec::new(), value: Some(Box::new(some)), is_unsafe: false, span };
                let block = Block { stmts: Vec::new(), value: Some(Box::new(none)), is_unsafe: false, span };
                let otherwise = Some(Box::new(self.expr(ExprKind::Block { label: None, block }, span)));
                let kept = self.expr(ExprKind::If { condition: Box::new(test), then, otherwise }, span);
                (kept, self.expr(ExprKind::NONE, span), inner.option())
            }
            "map_or" => return Some(self.lower_map_or(call, receiver, (binding, local, inner))),
            _ => {
                let (mapped, shape) = self.lower_in_arm(function, vec![value]);
                let default = without_parentheses(&call.args[0]);
                let (default, _) = self.lower_in_arm(default, of_rest(default));
                (mapped, default, shape)
            }
        };
        // A closure that takes the error is one of a `Result`.
        if of_value == StdVariant::Value && takes_error(call) {
            (of_value, of_other) = (StdVariant::Ok, StdVariant::Err);
        }
        let pattern = self.pattern(PatternKind::variant(of_value, binding), at);
        let some = Arm { pattern, guard: None, end: None, body: some };
        let rest = match of_other {
            StdVariant::None => PatternKind::NONE,
            other => PatternKind::variant(other, rest),
        };
        let none = Arm { pattern: self.pattern(rest, at), guard: None, end: None, body: none };
        let scrutinee = Box::new(if of_value == StdVariant::Value { self.either(receiver) } else { receiver });
        Some((self.expr(ExprKind::Match { scrutinee, arms: vec![some, none] }, span), shape))
    }

    /// What is an `Option` or a `Result`, and matched as either.
    fn either(&mut self, operand: Expr) -> Expr {
        let (ty, span, operator) = (operand.ty.clone(), operand.span, operand.operator);
        Expr { operator, ..Expr::new(ExprKind::Either(Box::new(operand)), ty, span) }
    }

    /// `Some(value)` or `Ok(value)`, as `like` is.
    fn again(&mut self, like: &Type, value: Expr, span: Span) -> Expr {
        self.expr(ExprKind::Again { like: like.clone(), value: Box::new(value), of_rest: false }, span)
    }

    /// `None` or `Err(error)`, as `like` is.
    fn again_rest(&mut self, like: &Type, error: LocalId, span: Span) -> Expr {
        let value = Box::new(self.use_of(error));
        self.expr(ExprKind::Again { like: like.clone(), value, of_rest: true }, span)
    }

    /// `match (receiver, default) { (Some(value), _) => f(value), (None, default) => default }`: the default is evaluated in any case.
    fn lower_map_or(&mut self, call: &syn::ExprMethodCall, receiver: Expr, value: (Pattern, LocalId, Shape)) -> (Expr, Shape) {
        let (at, span) = (call.method.span(), call.start());
        let (binding, local, inner) = value;
        let default = self.lower_expr(&call.args[0]);
        let scrutinee = self.pair_of(receiver, default, span);
        let (mapped, _) = self.lower_in_arm(&call.args[1], vec![Item::Held(local, inner)]);
        let (some, ignored) = (self.pattern(PatternKind::variant(StdVariant::Value, binding), at), self.pattern(PatternKind::Wildcard, at));
        let some = Arm { pattern: self.pair(some, ignored), guard: None, end: None, body: mapped };
        let (none, (default, local)) = (self.rest(at), self.own_binding("default", at));
        let none = Arm { pattern: self.pair(none, default), guard: None, end: None, body: self.use_of(local) };
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

    /// `attempt?`: the value, or the function returns `None` or the error.
    pub(super) fn lower_try(&mut self, attempt: &syn::ExprTry) -> (Expr, Shape) {
        let (at, span) = (attempt.question_token.span(), attempt.start());
        if self.is_kernel && !self.is_in_closure() {
            let message = "a kernel returns nothing, so `?` cannot leave it\nhelp: write `let Some(value) = … else { return };`, or `?` in a device function that returns an `Option`";
            return (self.refuse_invalid(at, message), Shape::Value);
        }
        let (receiver, shape) = self.lower_with_shape(&attempt.expr);
        let owner = self.left_by_question_mark(&attempt.expr);
        let (binding, local) = self.own_binding("value", at);
        let pattern = self.pattern(PatternKind::variant(owner.value(), binding), at);
        let value = Arm { pattern, guard: None, end: None, body: self.use_of(local) };
        let (pattern, rest) = match owner {
            StdEnum::Option => (PatternKind::NONE, ExprKind::NONE),
            StdEnum::Result => {
                let (binding, error) = self.own_binding("error", at);
                (PatternKind::variant(StdVariant::Err, binding), ExprKind::variant(StdVariant::Err, self.use_of(error)))
            }
        };
        let rest = Box::new(self.expr(rest, span));
        let leave = match self.inlined {
            Some(Some(label)) => ExprKind::Break { label, named: true, value: Some(rest) },
            _ => ExprKind::Return(Some(rest)),
        };
        let leave = self.expr(leave, span);
        let none = Arm { pattern: self.pattern(pattern, at), guard: None, end: None, body: leave };
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
        self.lower_test(StdVariant::Some, span, receiver, span)
    }

    pub(super) fn pattern(&mut self, kind: PatternKind, span: Span) -> Pattern {
        Pattern::new(kind, self.fresh(), span)
    }

    /// `match receiver { variant => true, _ => false }`
    fn lower_test(&mut self, variant: StdVariant, at: Span, receiver: Expr, span: Span) -> Expr {
        let kind = match variant.argument() {
            Some(_) => PatternKind::variant(variant, self.pattern(PatternKind::Wildcard, at)),
            None => PatternKind::Variant { variant, part: None },
        };
        let arms = [(kind, true), (PatternKind::Wildcard, false)].map(|(kind, truth)| {
            let body = self.expr(ExprKind::Bool(truth), span);
            Arm { pattern: self.pattern(kind, at), guard: None, end: None, body }
        });
        self.expr(ExprKind::Match { scrutinee: Box::new(receiver), arms: arms.into() }, span)
    }

    /// `match receiver { variant(value) => Some(value), _ => None }`
    fn lower_variant_as_option(&mut self, variant: StdVariant, at: Span, receiver: Expr, span: Span) -> Expr {
        let (binding, local) = self.own_binding("value", at);
        let value = self.use_of(local);
        let arms = [(PatternKind::variant(variant, binding), ExprKind::some(value)), (PatternKind::Wildcard, ExprKind::NONE)];
        let arms =
            arms.map(|(pattern, body)| Arm { pattern: self.pattern(pattern, at), guard: None, end: None, body: self.expr(body, span) });
        self.expr(ExprKind::Match { scrutinee: Box::new(receiver), arms: arms.into() }, span)
    }

    /// `match (receiver, error) { (Some(value), _) => Ok(value), (None, error) => Err(error) }`
    fn lower_ok_or(&mut self, at: Span, receiver: Expr, error: Expr, span: Span) -> Expr {
        let scrutinee = Box::new(self.expr(ExprKind::Tuple(vec![receiver, error]), span));
        let ((value, local), (error, of_error)) = (self.own_binding("value", at), self.own_binding("error", at));
        let (some, ignored) = (self.pattern(PatternKind::some(value), at), self.pattern(PatternKind::Wildcard, at));
        let ok = ExprKind::variant(StdVariant::Ok, self.use_of(local));
        let value = Arm { pattern: self.pair(some, ignored), guard: None, end: None, body: self.expr(ok, span) };
        let none = self.pattern(PatternKind::NONE, at);
        let err = ExprKind::variant(StdVariant::Err, self.use_of(of_error));
        let error = Arm { pattern: self.pair(none, error), guard: None, end: None, body: self.expr(err, span) };
        self.expr(ExprKind::Match { scrutinee, arms: vec![value, error] }, span)
    }

    /// What a failed `unwrap` reports.
    fn unwrap_message(&self, receiver: &syn::Expr) -> &'static str {
        if self.is_result(receiver) { "called `Result::unwrap()` on an `Err` value" } else { "called `Option::unwrap()` on a `None` value" }
    }

    /// `match receiver { Some(value) => value, None => panic!(message) }`
    fn lower_unwrap(&mut self, at: Span, receiver: Expr, message: String, span: Span) -> Expr {
        let site = self.site(span, SiteKind::Panic(message));
        let (pattern, body) = self.value_of_either(at);
        let value = Arm { pattern, guard: None, end: None, body };
        let pattern = self.rest(at);
        let failure = Arm { pattern, guard: None, end: None, body: self.expr(ExprKind::Panic { site }, span) };
        let scrutinee = Box::new(self.either(receiver));
        self.expr(ExprKind::Match { scrutinee, arms: vec![value, failure] }, span)
    }

    /// `match (receiver, default) { (Some(value), _) => value, (None, default) => default }`: the default is evaluated in any case.
    fn lower_unwrap_or(&mut self, at: Span, receiver: Expr, default: Expr, span: Span) -> Expr {
        let scrutinee = self.pair_of(receiver, default, span);
        let (some, body) = self.value_of_either(at);
        let ignored = self.pattern(PatternKind::Wildcard, at);
        let value = Arm { pattern: self.pair(some, ignored), guard: None, end: None, body };
        let none = self.rest(at);
        let (default, local) = self.own_binding("default", at);
        let default = Arm { pattern: self.pair(none, default), guard: None, end: None, body: self.use_of(local) };
        self.expr(ExprKind::Match { scrutinee, arms: vec![value, default] }, span)
    }

    /// `match (receiver, other) { (Some(value), _) => Some(value), (None, other) => other }`
    fn lower_or(&mut self, at: Span, receiver: Expr, other: Expr, span: Span) -> Expr {
        let like = receiver.ty.clone();
        let scrutinee = self.pair_of(receiver, other, span);
        let (some, value) = self.value_of_either(at);
        let ignored = self.pattern(PatternKind::Wildcard, at);
        let value = self.again(&like, value, span);
        let value = Arm { pattern: self.pair(some, ignored), guard: None, end: None, body: value };
        let none = self.rest(at);
        let (other, local) = self.own_binding("other", at);
        let other = Arm { pattern: self.pair(none, other), guard: None, end: None, body: self.use_of(local) };
        self.expr(ExprKind::Match { scrutinee, arms: vec![value, other] }, span)
    }

    /// `match (receiver, other) { (None, _) => None, (_, other) => other }`
    fn lower_and(&mut self, at: Span, receiver: Expr, other: Expr, span: Span) -> Expr {
        let like = receiver.ty.clone();
        let scrutinee = self.pair_of(receiver, other, span);
        let (rest, error) = self.own_binding("error", at);
        let (none, ignored) = (self.pattern(PatternKind::variant(StdVariant::Rest, rest), at), self.pattern(PatternKind::Wildcard, at));
        let none = Arm { pattern: self.pair(none, ignored), guard: None, end: None, body: self.again_rest(&like, error, span) };
        let ignored = self.pattern(PatternKind::Wildcard, at);
        let (other, local) = self.own_binding("other", at);
        let other = Arm { pattern: self.pair(ignored, other), guard: None, end: None, body: self.use_of(local) };
        self.expr(ExprKind::Match { scrutinee, arms: vec![none, other] }, span)
    }

    fn pair(&mut self, first: Pattern, second: Pattern) -> Pattern {
        let span = first.span;
        self.pattern(PatternKind::Tuple(Sequence { parts: vec![first, second], rest: None }), span)
    }

    /// `(receiver, other)`, where the receiver is matched as an `Option` or a `Result`.
    fn pair_of(&mut self, receiver: Expr, other: Expr, span: Span) -> Box<Expr> {
        let receiver = self.either(receiver);
        Box::new(self.expr(ExprKind::Tuple(vec![receiver, other]), span))
    }

    /// The pattern `Some(value)` or `Ok(value)`, and its value.
    fn value_of_either(&mut self, at: Span) -> (Pattern, Expr) {
        let (binding, local) = self.own_binding("value", at);
        let value = self.use_of(local);
        (self.pattern(PatternKind::variant(StdVariant::Value, binding), at), value)
    }

    /// The pattern `None` or `Err(_)`.
    fn rest(&mut self, at: Span) -> Pattern {
        let ignored = self.pattern(PatternKind::Wildcard, at);
        self.pattern(PatternKind::variant(StdVariant::Rest, ignored), at)
    }

    /// A variable that the user cannot name.
    pub(super) fn own_binding(&mut self, name: &str, at: Span) -> (Pattern, LocalId) {
        let ty = self.fresh();
        self.own_binding_of(ty, name, at)
    }

    /// The same, of a type.
    pub(super) fn own_binding_of(&mut self, ty: Type, name: &str, at: Span) -> (Pattern, LocalId) {
        let local = LocalId(self.locals.len());
        // What is inside may name the variable of what is around it.
        let mut name = self.own_name(name);
        name.set_span(Span::mixed_site().located_at(at));
        self.locals.push(Local { name, mutable: false, mut_token: None, ty: ty.clone(), kind: LocalKind::Let, holds: Holds::Value });
        (Pattern::new(PatternKind::Bind { local, sub: None }, ty, at), local)
    }
}
