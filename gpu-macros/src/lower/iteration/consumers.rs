//! The ends of chains: each is a variable, a loop, and the variable's value.
//!
//! A sum starts with what std's starts with, -0.0 for floats, and adds in order. `max` returns the last of several, `min` the first.

use super::items::Item;
use super::stages::{Stage, parameter};
use super::{Chain, Preparation};
use crate::first_span::Start;
use crate::lower::Lowerer;
use crate::lower::control::LoopHead;
use crate::lower::reference::Shape;
use crate::model::*;
use crate::unsupported_methods::wrong_count;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;

/// A chain's end, and the variable that it computes.
pub(super) struct Consumer<'s> {
    pub(super) call: &'s syn::ExprMethodCall,
    pub(super) at: Span,
    pub(super) result: LocalId,
    /// Beside it, the key of the best item so far.
    pub(super) key: Option<LocalId>,
}

impl Lowerer<'_> {
    /// `chain.sum()` and others, with the references in the result.
    pub(in crate::lower) fn lower_consumer(&mut self, call: &syn::ExprMethodCall) -> (Expr, Shape) {
        let at = call.start();
        let errors = self.errors.count();
        let lowered = self.scoped(|lowerer| lowerer.lower_consumed(call));
        match lowered {
            Some(lowered) => lowered,
            None if self.errors.count() > errors => (self.refused(at), Shape::Value),
            None => (self.refuse(call.method.span(), format!("`.{}(…)` is not supported here in kernels", call.method)), Shape::Value),
        }
    }

    fn lower_consumed(&mut self, call: &syn::ExprMethodCall) -> Option<(Expr, Shape)> {
        let name = call.method.to_string();
        if super::is_chain_call(call) {
            self.errors.push(
                call.method.span(),
                "an iterator cannot be stored in a variable in kernels\nhelp: write the whole chain where it is used: `for v in x.iter()…`, or `x.iter()….sum::<f32>()`",
            );
            return None;
        }
        let Some(arguments) = arguments_of(&name) else {
            self.errors.push(
                call.method.span(),
                format!("the method `{name}` of iterators is not supported in kernels\nhelp: end the chain with `sum`, `product`, `fold`, `min`, `max`, `count`, `any`, `all`, `position`, `find` or `for_each`, or write a `for` loop"),
            );
            return None;
        };
        if call.args.len() != arguments {
            self.errors.push_invalid(call.method.span(), wrong_count(&name.to_string(), "chain.", arguments, call.args.len()));
            return None;
        }
        let at = call.start();
        let mut before = Preparation::default();
        let chain = self.lower_chain(&call.receiver, &mut before)?;
        if name == "len" {
            return Some((self.lower_length_of(chain, call, before)?, Shape::Value));
        }
        let chain = if name == "position" { chain.enumerated() } else { chain };
        self.consume(call, chain, before, at)
    }

    fn consume(&mut self, call: &syn::ExprMethodCall, chain: Chain, mut before: Preparation, at: Span) -> Option<(Expr, Shape)> {
        let name = call.method.to_string();
        let (variable, ty, start) = self.lower_start(call)?;
        let (ty, start) = (ty.unwrap_or_else(|| self.fresh()), start);
        let name_of_result =
            match call.args.iter().rev().find_map(parameter).filter(|_| name == "fold").map(super::inline::without_wrappers) {
                Some(syn::Pat::Ident(pattern))
                    if !self.is_taken(&pattern.ident) && !has_name(call.receiver.to_token_stream(), &pattern.ident) =>
                {
                    pattern.ident.clone()
                }
                _ => self.own_name(variable),
            };
        let result = start.map(|start| self.hold_as(&name_of_result, true, ty, start, &mut before.lets));
        let key = name.ends_with("_by_key").then(|| {
            let (name, ty, none) = (self.own_name("best_key"), self.fresh(), self.expr(ExprKind::NONE, at));
            self.hold_as(&name, true, ty, none, &mut before.lets)
        });
        let consumer = result.map(|result| Consumer { call, at, result, key });
        let hint = call.args.last().and_then(|function| match name.as_str() {
            "fold" | "reduce" | "min_by" | "max_by" => None,
            _ => parameter(function),
        });
        let head = LoopHead { label: None, attributes: &[], span: at };
        let mut shape = Shape::Value;
        let mut failed = false;
        let repeated =
            self.lower_loop_over(head, chain, &mut before, hint.cloned().as_ref(), &mut |lowerer: &mut Lowerer<'_>, item, label| {
                let mut stmts = Vec::new();
                let consumed = match &consumer {
                    Some(consumer) => lowerer.consume_item(consumer, item, label, &mut stmts, &mut shape),
                    None => lowerer
                        .call_inline(&call.args[0], vec![item], &mut stmts)
                        .map(|(effect, _)| stmts.push(Stmt::Expr(Box::new(effect)))),
                };
                failed |= consumed.is_none();
                (stmts, None)
            })?;
        if failed {
            return None;
        }
        let mut stmts = before.lets;
        stmts.push(Stmt::Expr(Box::new(repeated)));
        let value = result.map(|result| Box::new(Expr { span: at, ..self.use_of(result) }));
        let block = Block { stmts, value, is_unsafe: false, span: at };
        Some((self.expr(ExprKind::Block { label: None, block }, at), shape.clone()))
    }

    /// `chain.len()`, for which no closure runs.
    fn lower_length_of(&mut self, chain: Chain, call: &syn::ExprMethodCall, mut before: Preparation) -> Option<Expr> {
        let (mut elements, stages) = chain.elements.without_maps(chain.stages);
        if !stages.iter().all(|stage| matches!(stage, Stage::Map(_) | Stage::Copied | Stage::Enumerate(_))) {
            self.errors
                .push_invalid(call.method.span(), "only an iterator that knows its length has `len`\nhelp: count the elements: `.count()`");
            return None;
        }
        self.count_ranges(&mut elements, &mut before);
        let length = self.lower_expr(&elements.length());
        Some(self.after(before.lets, length))
    }

    /// The variable's name, its type if that is known, and its first value. `for_each` has none.
    fn lower_start(&mut self, call: &syn::ExprMethodCall) -> Option<(&'static str, Option<Type>, Option<Expr>)> {
        let at = call.start();
        let name = call.method.to_string();
        let number = |lowerer: &mut Self, start| match &call.turbofish {
            None => Some((None, lowerer.expr(ExprKind::Start(start), at))),
            Some(turbofish) => match turbofish.args.first() {
                Some(syn::GenericArgument::Type(ty)) if turbofish.args.len() == 1 => {
                    let ty = lowerer.lower_type(ty)?;
                    Some((Some(ty), lowerer.expr(ExprKind::Start(start), at)))
                }
                _ => {
                    lowerer.errors.push_invalid(turbofish.span(), format!("`{name}` takes one type\nhelp: write `.{name}::<f32>()`"));
                    None
                }
            },
        };
        Some(match name.as_str() {
            "sum" => number(self, StartOf::Sum).map(|(ty, start)| ("sum", ty, Some(start)))?,
            "product" => number(self, StartOf::Product).map(|(ty, start)| ("product", ty, Some(start)))?,
            "fold" => ("result", None, Some(self.lower_expr(&call.args[0]))),
            "count" => ("count", Some(Type::USIZE), Some(self.usize_literal(0, at))),
            "any" => ("found", Some(Type::BOOL), Some(self.expr(ExprKind::Bool(false), at))),
            "all" => ("all", Some(Type::BOOL), Some(self.expr(ExprKind::Bool(true), at))),
            "for_each" => ("nothing", None, None),
            "min" | "max" | "min_by" | "max_by" | "min_by_key" | "max_by_key" | "reduce" => {
                ("best", None, Some(self.expr(ExprKind::NONE, at)))
            }
            "last" => ("last", None, Some(self.expr(ExprKind::NONE, at))),
            _ => ("found", None, Some(self.expr(ExprKind::NONE, at))),
        })
    }

    /// What the consumer does with one item.
    fn consume_item(
        &mut self,
        consumer @ Consumer { call, at, result, .. }: &Consumer<'_>,
        item: Item,
        label: LabelId,
        stmts: &mut Vec<Stmt>,
        shape: &mut Shape,
    ) -> Option<()> {
        let (at, result) = (*at, *result);
        match call.method.to_string().as_str() {
            "sum" | "product" => {
                let op = if call.method == "sum" { BinaryOp::Add } else { BinaryOp::Multiply };
                let (value, _) = self.value_of_item(item, stmts)?;
                stmts.push(self.lower_update(op, result, value, at));
            }
            "fold" => {
                let accumulator = Item::Held(result, Shape::Value);
                let (value, _) = self.call_inline(&call.args[1], vec![accumulator, item], stmts)?;
                stmts.push(self.lower_set(result, value, at));
            }
            "count" => {
                self.bind_for(&syn::parse_quote!(_), item, stmts)?;
                stmts.push(self.lower_increment(result, at));
            }
            "for_each" => {}
            name @ ("any" | "all") => {
                let (test, _) = self.call_inline(&call.args[0], vec![item], stmts)?;
                let is_any = name == "any";
                let test = if is_any { test } else { self.negated(test, at) };
                let answer = self.expr(ExprKind::Bool(is_any), at);
                let found = vec![self.lower_set(result, answer, at), Stmt::Expr(Box::new(self.leave(label, at)))];
                stmts.push(self.lower_when(test, found, None, at));
            }
            "position" => {
                let Item::Pair(position, item) = item else { unreachable!("the items of `position` are numbered") };
                let (test, _) = self.call_inline(&call.args[0], vec![*item], stmts)?;
                let (position, _) = self.value_of_item(*position, stmts)?;
                stmts.push(self.lower_found(result, test, position, label, at));
            }
            "find" => {
                let item = self.hold(item, parameter(&call.args[0]), stmts)?;
                let (test, _) = self.call_inline(&call.args[0], vec![Item::Borrowed(Box::new(item.clone()))], stmts)?;
                let (value, of_item) = self.value_of_item(item, stmts)?;
                *shape = of_item.option();
                stmts.push(self.lower_found(result, test, value, label, at));
            }
            "find_map" => {
                let (option, of_option) = self.call_inline(&call.args[0], vec![item], stmts)?;
                *shape = of_option;
                stmts.push(self.lower_set(result, option, at));
                let found = self.use_of(result);
                let test = self.lower_is_some(found, at);
                let leave = Stmt::Expr(Box::new(self.leave(label, at)));
                stmts.push(self.lower_when(test, vec![leave], None, at));
            }
            "last" => {
                let (value, of_item) = self.value_of_item(item, stmts)?;
                *shape = of_item.option();
                let some = self.expr(ExprKind::some(value), at);
                stmts.push(self.lower_set(result, some, at));
            }
            "reduce" => {
                let item = self.hold(item, None, stmts)?;
                let ty = self.type_of_held(&item);
                let (binding, best) = self.own_binding_of(ty, "known", at);
                let mut reduced = Vec::new();
                let (value, of_value) =
                    self.call_inline(&call.args[0], vec![Item::Held(best, item_shape(&item)), item.clone()], &mut reduced)?;
                *shape = of_value.option();
                self.set_best(result, binding, reduced, value, item, stmts, at)?;
            }
            "min_by_key" | "max_by_key" => self.consume_by_key(consumer, item, stmts, shape)?,
            _ => self.consume_ordered(call, item, result, stmts, shape, at)?,
        }
        Some(())
    }

    /// `match result { None => result = Some(item), Some(best) => result = Some(reduced) }`. rustc reads the arms in this order, and only the
    /// first says the type of `best`, of which `reduced` may call a method.
    #[expect(clippy::too_many_arguments, reason = "the parts of a `match`")]
    pub(super) fn set_best(
        &mut self,
        result: LocalId,
        best: Pattern,
        reduced: Vec<Stmt>,
        value: Expr,
        first: Item,
        stmts: &mut Vec<Stmt>,
        at: Span,
    ) -> Option<()> {
        let (first, _) = self.value_of_item(first, stmts)?;
        let mut arm = |pattern: PatternKind, mut stmts: Vec<Stmt>, value: Expr| {
            let some = self.expr(ExprKind::some(value), at);
            stmts.push(self.lower_set(result, some, at));
            let block = Block { stmts, value: None, is_unsafe: false, span: at };
            let body = self.expr(ExprKind::Block { label: None, block }, at);
            Arm { pattern: self.pattern(pattern, at), guard: None, end: None, body }
        };
        let arms = vec![arm(PatternKind::NONE, Vec::new(), first), arm(PatternKind::some(best), reduced, value)];
        let scrutinee = Box::new(self.use_of(result));
        stmts.push(Stmt::Expr(Box::new(self.expr(ExprKind::Match { scrutinee, arms }, at))));
        Some(())
    }

    /// `if test { result = Some(value); break; }`
    fn lower_found(&mut self, result: LocalId, test: Expr, value: Expr, label: LabelId, at: Span) -> Stmt {
        let some = self.expr(ExprKind::some(value), at);
        let found = vec![self.lower_set(result, some, at), Stmt::Expr(Box::new(self.leave(label, at)))];
        self.lower_when(test, found, None, at)
    }

    pub(super) fn negated(&mut self, operand: Expr, at: Span) -> Expr {
        self.expr(ExprKind::Unary { op: UnaryOp::Not, operand: Box::new(operand) }, at)
    }

    pub(in crate::lower) fn usize_literal(&mut self, value: u128, at: Span) -> Expr {
        self.expr(ExprKind::Int(IntLiteral { value, suffix: Some(Scalar::Usize) }), at)
    }
}

/// The shape of an item that is in a variable.
pub(super) fn item_shape(item: &Item) -> Shape {
    match item {
        Item::Held(_, shape) => shape.clone(),
        Item::Pair(first, second) => Shape::tuple(vec![item_shape(first), item_shape(second)]),
        Item::Copied(inner) => item_shape(inner).copied(),
        Item::Borrowed(inner) => item_shape(inner).reference(),
        Item::Number(_) | Item::OfRange(_) | Item::Part(_) | Item::Element { .. } | Item::Mutable { .. } | Item::Mapped(..) => Shape::Value,
    }
}

/// How many arguments a supported consumer takes.
fn arguments_of(name: &str) -> Option<usize> {
    Some(match name {
        "sum" | "product" | "count" | "len" | "min" | "max" | "last" => 0,
        "any" | "all" | "position" | "find" | "find_map" | "for_each" | "reduce" => 1,
        "min_by" | "max_by" | "min_by_key" | "max_by_key" => 1,
        "fold" => 2,
        _ => return None,
    })
}

/// Whether a stage in front of the end could declare a variable of this name. It would hide the one that the loop changes.
fn has_name(stages: TokenStream, name: &Ident) -> bool {
    stages.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == *name,
        TokenTree::Group(group) => has_name(group.stream(), name),
        _ => false,
    })
}
