//! Places and values that are evaluated before a loop or a statement, and arrays of values that follow from an index: `from_fn`, `map`.

use super::{Item, is_chain};
use crate::first_span::Start;
use crate::lower::control::LoopHead;
use crate::lower::length::lower_length;
use crate::lower::reference::Shape;
use crate::lower::{Lowerer, without_parentheses};
use crate::model::*;
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::parse_quote;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    /// A place with indices that the loop's body cannot change, and the variable that it is a part of.
    pub(in crate::lower) fn lower_place(&mut self, place: &syn::Expr, before: &mut Vec<Stmt>) -> Option<(syn::Expr, Option<LocalId>)> {
        match place {
            syn::Expr::Paren(paren) => self.lower_place(&paren.expr, before),
            syn::Expr::Path(path) => {
                let root = path.path.get_ident().and_then(|name| self.lookup(name));
                Some((self.pinned(path), root))
            }
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => {
                let (inner, root) = self.lower_place(expr, before)?;
                Some((parse_quote!((*#inner)), root))
            }
            syn::Expr::Field(field) => {
                let (base, root) = self.lower_place(&field.base, before)?;
                let field = syn::ExprField { base: Box::new(base), ..field.clone() };
                Some((syn::Expr::Field(field), root))
            }
            syn::Expr::Index(index) if !matches!(&*index.index, syn::Expr::Range(_) | syn::Expr::Array(_)) => {
                let (base, root) = self.lower_place(&index.expr, before)?;
                let position = self.evaluate_first(&index.index, "index", before)?;
                let index = syn::ExprIndex { expr: Box::new(base), index: Box::new(position), ..index.clone() };
                Some((syn::Expr::Index(index), root))
            }
            _ => None,
        }
    }

    /// What stands for `value`: a literal, or a variable that is declared in `before`.
    pub(in crate::lower) fn evaluate_first(&mut self, value: &syn::Expr, word: &str, before: &mut Vec<Stmt>) -> Option<syn::Expr> {
        match value {
            syn::Expr::Lit(_) => return Some(value.clone()),
            syn::Expr::Path(path) if self.is_settled(value) => return Some(self.pinned(path)),
            _ => {}
        }
        let name = self.fresh_name(value, word);
        let local: syn::Local = match parse_quote!(let #name = #value;) {
            syn::Stmt::Local(local) => local,
            other => unreachable!("`let` is parsed as such, not as {}", other.to_token_stream()),
        };
        before.push(self.lower_let(&local));
        Some(parse_quote!(#name))
    }

    /// The same of a length or a position: a literal says that it is a `usize`, as a method such as `leading_zeros` asks.
    pub(in crate::lower) fn evaluate_usize(&mut self, value: &syn::Expr, word: &str, before: &mut Vec<Stmt>) -> Option<syn::Expr> {
        match value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(literal), .. }) if literal.suffix().is_empty() => {
                let literal = syn::LitInt::new(&format!("{}usize", literal.base10_digits()), literal.span());
                Some(parse_quote!(#literal))
            }
            value => self.evaluate_first(value, word, before),
        }
    }

    /// Whether it is a variable or a constant that nothing changes.
    fn is_settled(&self, value: &syn::Expr) -> bool {
        let syn::Expr::Path(path) = value else { return false };
        let Some(name) = path.path.get_ident() else { return false };
        match self.lookup(name) {
            Some(local) => {
                let Local { ty, mutable, .. } = &self.locals[local.0];
                !mutable && matches!(ty, Type::Scalar(_)) && !self.is_reference(value)
            }
            None => self.const_param(name).is_some(),
        }
    }

    /// A name that does not occur in the function: `word`, if it is free.
    pub(in crate::lower) fn own_name(&self, word: &str) -> Ident {
        self.fresh_name(&proc_macro2::TokenStream::new(), word)
    }

    /// A name that does not occur in the function, so that there are no conflicts: for `x`, `x_index`.
    pub(in crate::lower) fn fresh_name(&self, of: &impl ToTokens, word: &str) -> Ident {
        let stem = match syn::parse2::<Ident>(of.to_token_stream()) {
            Ok(name) => format!("{}_{word}", name.to_string().trim_start_matches("r#")),
            Err(_) => word.to_owned(),
        };
        let candidates = std::iter::once(stem.clone()).chain((2..).map(|n| format!("{stem}{n}")));
        let is_free = |name: &Ident| !self.has_word(&name.to_string()) && !self.locals.iter().any(|local| local.name == *name);
        let mut names = candidates.map(|name| Ident::new(&name, Span::mixed_site().located_at(of.span())));
        names.find(is_free).expect("there are infinitely many names")
    }

    /// A name that hides no other, for a variable of the user's.
    pub(in crate::lower) fn renamed(&self, name: &Ident) -> Ident {
        let mut own = self.fresh_name(name, "item");
        own.set_span(name.span());
        own
    }

    /// `let a: [f32; 4] = std::array::from_fn(|i| …);`, whose length is that of the annotation.
    pub(in crate::lower) fn lower_from_fn(&mut self, ty: Option<&syn::Type>, init: &syn::Expr) -> Option<Expr> {
        let (Some(syn::Type::Array(array)), syn::Expr::Call(call)) = (ty, init) else { return None };
        let syn::Expr::Path(function) = &*call.func else { return None };
        let path = self.imported(&function.path);
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let is_of_std = matches!(
            &names.iter().map(String::as_str).collect::<Vec<_>>()[..],
            ["std" | "core", "array", "from_fn"] | ["array", "from_fn"]
        );
        let closure = call.args.first().filter(|_| call.args.len() == 1 && is_of_std)?;
        self.assume_std_function(&function.path, parse_quote!(::core::array::from_fn::<u8, 0, fn(usize) -> u8>));
        self.scoped(|lowerer| {
            let value = |lowerer: &mut Self, index: LocalId, stmts: &mut Vec<Stmt>| {
                lowerer.call_inline(closure, vec![Item::Held(index, Shape::Value)], stmts)
            };
            let element = lowerer.lower_type(&array.elem)?;
            lowerer.lower_array_of((element, &array.len), call.start(), Vec::new(), value)
        })
    }

    /// `a.map(|v| …)` of an array, as far as an annotation or the declaration of `a` shows that it is one.
    pub(in crate::lower) fn lower_array_map(&mut self, ty: Option<&syn::Type>, init: &syn::Expr) -> Option<Expr> {
        let syn::Expr::MethodCall(call) = without_parentheses(init) else { return None };
        let closure = call.args.first().filter(|_| call.args.len() == 1 && call.method == "map" && !is_chain(&call.receiver))?;
        let (element, length): (_, syn::Expr) = match ty {
            Some(syn::Type::Array(array)) => (self.lower_type(&array.elem)?, array.len.clone()),
            _ => {
                let length = self.length_shown(&call.receiver)?.tokens();
                (self.fresh(), parse_quote!(#length))
            }
        };
        self.scoped(|lowerer| {
            // The annotation has rustc compare the lengths.
            let (name, receiver) = (lowerer.fresh_name(&call.receiver, "elements"), &call.receiver);
            let declaration = match parse_quote!(let #name: [_; #length] = #receiver;) {
                syn::Stmt::Local(local) => local,
                _ => unreachable!("`let` is parsed as such"),
            };
            let stmts = vec![lowerer.lower_let(&declaration)];
            let array = lowerer.lookup(&name)?;
            let at = call.start();
            let value = |lowerer: &mut Self, index: LocalId, stmts: &mut Vec<Stmt>| {
                let (base, index) = (Box::new(lowerer.use_of(array)), Box::new(lowerer.use_of(index)));
                let site = lowerer.site(at, SiteKind::Index);
                let element = lowerer.expr(ExprKind::Index { base, index, site }, at);
                let (name, ty) = (lowerer.own_name("element"), lowerer.fresh());
                let element = lowerer.hold_as(&name, false, ty, element, stmts);
                lowerer.call_inline(closure, vec![Item::Held(element, Shape::Value)], stmts)
            };
            lowerer.lower_array_of((element, &length), at, stmts, value)
        })
    }

    /// The length of an array that its declaration shows.
    fn length_shown(&self, array: &syn::Expr) -> Option<Length> {
        match without_parentheses(array) {
            syn::Expr::Path(path) => {
                let local = path.path.get_ident().and_then(|name| self.lookup(name))?;
                let Local { ty: Type::Array(_, length), .. } = &self.locals[local.0] else { return None };
                Some(length.clone())
            }
            syn::Expr::Array(array) => Some(Length::of_elements(array.elems.len(), array.span())),
            syn::Expr::Repeat(repeat) => Some(lower_length(&repeat.len)),
            syn::Expr::MethodCall(call) if call.method == "map" => self.length_shown(&call.receiver),
            _ => None,
        }
    }

    /// After `stmts`, an array of `length` values, each of which follows from its index.
    fn lower_array_of(
        &mut self,
        (element, length): (Type, &syn::Expr),
        at: Span,
        mut stmts: Vec<Stmt>,
        value: impl FnOnce(&mut Self, LocalId, &mut Vec<Stmt>) -> Option<(Expr, Shape)>,
    ) -> Option<Expr> {
        let zero = Box::new(self.expr(ExprKind::Start(StartOf::Default), at));
        let zeros = self.expr(ExprKind::Repeat { element: zero, length: lower_length(length) }, at);
        let ty = Type::Array(Box::new(element), lower_length(length));
        let name = self.own_name("array");
        let result = self.hold_as(&name, true, ty, zeros, &mut stmts);
        let range: syn::Expr = match length {
            syn::Expr::Lit(_) | syn::Expr::Path(_) => parse_quote!((0..#length)),
            other => parse_quote!((0..(#other))),
        };
        let counter = self.own_name("index");
        let head = LoopHead { label: None, attributes: &[], span: at };
        let outer = std::mem::replace(&mut self.chain_start, self.locals.len());
        let repeated = self.lower_counted(head, &range, (counter, false), |lowerer, counter, _| {
            let mut stmts = Vec::new();
            if let Some((value, _)) = value(lowerer, counter, &mut stmts) {
                let (base, index) = (Box::new(lowerer.use_of(result)), Box::new(lowerer.use_of(counter)));
                let site = lowerer.site(at, SiteKind::Index);
                let target = Target::Place(Box::new(lowerer.expr(ExprKind::Index { base, index, site }, at)));
                stmts.push(Stmt::Expr(Box::new(lowerer.expr(ExprKind::Assign { target, value: Box::new(value) }, at))));
            }
            Block { stmts, value: None, is_unsafe: false, span: at }
        });
        self.chain_start = outer;
        stmts.push(Stmt::Expr(Box::new(repeated?)));
        let value = Some(Box::new(self.use_of(result)));
        Some(self.expr(ExprKind::Block { label: None, block: Block { stmts, value, is_unsafe: false, span: at } }, at))
    }

    /// `(a..=b).contains(&x)`: the comparisons.
    pub(in crate::lower) fn lower_range_contains(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        let syn::Expr::Range(range) = without_parentheses(&call.receiver) else { return None };
        let value = match call.args.first().filter(|_| call.method == "contains" && call.args.len() == 1)? {
            syn::Expr::Reference(syn::ExprReference { mutability: None, expr, .. }) => (**expr).clone(),
            reference if self.is_reference(reference) => parse_quote!(*#reference),
            _ => return None,
        };
        Some(self.scoped(|lowerer| {
            let mut stmts = Vec::new();
            let is_name = |expr: &syn::Expr| matches!(without_parentheses(expr), syn::Expr::Path(_) | syn::Expr::Lit(_));
            let are_names = range.start.iter().chain(&range.end).all(|end| is_name(end)) && is_name(&value);
            // Evaluating a later one may change what an earlier one names.
            let mut operand = |expr: &syn::Expr, word: &str| match without_parentheses(expr) {
                syn::Expr::Lit(_) => expr.clone(),
                path @ syn::Expr::Path(_) if are_names || lowerer.is_settled(path) => expr.clone(),
                expr => lowerer.bind_first(expr, word, &mut stmts),
            };
            let start = range.start.as_ref().map(|start| operand(start, "start"));
            let end = range.end.as_ref().map(|end| operand(end, "end"));
            let value = operand(&value, "value");
            let condition: syn::Expr = match (start, end, range.limits) {
                (Some(start), Some(end), syn::RangeLimits::HalfOpen(_)) => parse_quote!(#start <= #value && #value < #end),
                (Some(start), Some(end), syn::RangeLimits::Closed(_)) => parse_quote!(#start <= #value && #value <= #end),
                (Some(start), None, _) => parse_quote!(#start <= #value),
                (None, Some(end), syn::RangeLimits::HalfOpen(_)) => parse_quote!(#value < #end),
                (None, Some(end), syn::RangeLimits::Closed(_)) => parse_quote!(#value <= #end),
                (None, None, _) => parse_quote!(true),
            };
            let condition = lowerer.lower_expr(&condition);
            if stmts.is_empty() { condition } else { lowerer.block_of(stmts, Some(condition), call) }
        }))
    }
}
