//! Functions of std that are called by a path: `std::mem::swap`, `replace` and `take`, `std::cmp::min` and `max`.
//!
//! Each is what its documentation says that it does, in terms of assignments and methods. The twin mentions the user's path, so that rustc
//! resolves it.

use super::{Lowerer, without_parentheses};
use crate::first_span::Start;
use crate::model::*;
use crate::source_scope::{Surroundings, imported_names};
use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{parse_quote, parse_quote_spanned};

/// The names that a module may import.
const FUNCTIONS: [&str; 6] = ["min", "max", "swap", "replace", "take", "from_fn"];

impl Lowerer<'_> {
    /// `None` if `written` is no path to one of them.
    pub(super) fn lower_std_function(&mut self, call: &syn::ExprCall, written: &syn::Path) -> Option<Expr> {
        let path = &self.imported(written);
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (module, name) = match names[..] {
            ["std" | "core", module, name] | [module, name] => (module, name),
            _ => return None,
        };
        let span = call.start();
        let args: Vec<&syn::Expr> = call.args.iter().map(without_parentheses).collect();
        let lowered = match (module, name, &args[..]) {
            ("cmp", "min" | "max", [left, right]) => {
                let method = Ident::new(name, path.segments.last().map_or(span, |last| last.ident.span()));
                self.lower_extreme(call, &method, left, right)
            }
            ("mem", "swap", [left, right]) => self.lower_swapped(call, left, right),
            ("mem", "replace", [place, value]) => self.lower_replaced(call, place, Some(value)),
            ("mem", "take", [place]) => self.lower_replaced(call, place, None),
            _ => return None,
        };
        let (module, name) = (Ident::new(module, span), Ident::new(name, span));
        self.assume_std_function(written, parse_quote!(::core::#module::#name::<::core::primitive::u8>));
        Some(lowered)
    }

    /// What the body has something else in place of: the function of std that `meant` names, with its type arguments.
    pub(super) fn assume_std_function(&mut self, written: &syn::Path, meant: syn::Path) {
        let mut written = written.clone();
        written.segments.iter_mut().for_each(|segment| segment.arguments = syn::PathArguments::None);
        if let (Some(written), Some(meant)) = (written.segments.last_mut(), meant.segments.last()) {
            written.arguments = meant.arguments.clone();
        }
        self.std_functions.push((written, meant));
    }

    /// The path of a function of std that the body or the module imports: `std::cmp::min` for `min`.
    pub(super) fn imported(&self, path: &syn::Path) -> syn::Path {
        let Some(name) = path.get_ident() else { return path.clone() };
        let in_body = self.imports.iter().rev().find(|(imported, _)| imported == name).map(|(_, full)| full.clone());
        let is_declared_in_body = || self.items.iter().any(|item| item.declares(name));
        let in_module = || {
            let is_asked = FUNCTIONS.contains(&name.unraw().to_string().as_str()) && !is_declared_in_body();
            let around = is_asked.then(|| Surroundings::of(&self.source.sig.ident))?;
            around.import_of(name).filter(is_of_std)
        };
        in_body.or_else(in_module).unwrap_or_else(|| path.clone())
    }

    /// `std::cmp::max(left, right)`: the method of numbers. Another type may have a method `max` of its own, and is compared.
    fn lower_extreme(&mut self, call: &syn::ExprCall, method: &Ident, left: &syn::Expr, right: &syn::Expr) -> Expr {
        let span = call.start();
        self.scoped(|lowerer| {
            let mut stmts = Vec::new();
            let [left, right] = [left, right].map(|side| lowerer.evaluate_first(side, "value", &mut stmts).unwrap_or_else(|| side.clone()));
            let (of, receiver, other) = (lowerer.lower_expr(&left), lowerer.lower_expr(&left), lowerer.lower_expr(&right));
            let then = lowerer.lower_method(method, receiver, vec![other], span);
            let (if_less, otherwise) = if method == "max" { (&left, &right) } else { (&right, &left) };
            let otherwise = lowerer.lower_expr(&parse_quote_spanned!(span=> if #right < #left { #if_less } else { #otherwise }));
            let choice = ByType { of, question: TypeQuestion::Number, then, otherwise };
            let value = lowerer.expr(ExprKind::ByType(Box::new(choice)), span);
            if stmts.is_empty() { value } else { lowerer.block_of(stmts, Some(value), call) }
        })
    }

    /// `{ let value = a; a = b; b = value; }`
    fn lower_swapped(&mut self, call: &syn::ExprCall, left: &syn::Expr, right: &syn::Expr) -> Expr {
        if let (Some(left), Some(right)) = (self.shared_array_in(left), self.shared_array_in(right)) {
            return self.lower_expr(&parse_quote_spanned!(call.span()=> (#left, #right) = (#right, #left)));
        }
        self.scoped(|lowerer| {
            let mut stmts = Vec::new();
            let places = (lowerer.lower_borrowed_place(left, &mut stmts), lowerer.lower_borrowed_place(right, &mut stmts));
            let (Some(left), Some(right)) = places else { return lowerer.refuse_borrowed_place(call) };
            let kept = lowerer.bind_first(&left, "value", &mut stmts);
            lowerer.assign(&left, &right, &mut stmts);
            lowerer.assign(&right, &kept, &mut stmts);
            lowerer.block_of(stmts, None, call)
        })
    }

    /// `{ let new = value; let old = place; place = new; old }`
    fn lower_replaced(&mut self, call: &syn::ExprCall, place: &syn::Expr, value: Option<&syn::Expr>) -> Expr {
        self.scoped(|lowerer| {
            let mut stmts = Vec::new();
            let Some(place) = lowerer.lower_borrowed_place(place, &mut stmts) else { return lowerer.refuse_borrowed_place(call) };
            let new = value.map(|value| lowerer.bind_first(value, "new", &mut stmts));
            let old = lowerer.bind_first(&place, "old", &mut stmts);
            match new {
                Some(new) => lowerer.assign(&place, &new, &mut stmts),
                None => {
                    let default = lowerer.expr(ExprKind::Start(StartOf::Default), call.start());
                    lowerer.assign_value(&place, default, &mut stmts);
                }
            }
            let old = lowerer.lower_expr(&old);
            lowerer.block_of(stmts, Some(old), call)
        })
    }

    /// `option.take()` and `option.replace(value)` of a variable or a field, and `None` of anything else.
    pub(super) fn lower_option_replaced(&mut self, call: &syn::ExprMethodCall) -> Option<Expr> {
        self.scoped(|lowerer| {
            let mut stmts = Vec::new();
            let (place, _) = lowerer.lower_place(without_parentheses(&call.receiver), &mut stmts)?;
            let new: syn::Expr = match call.args.first() {
                Some(value) => {
                    let value = lowerer.bind_first(value, "new", &mut stmts);
                    parse_quote!(Some(#value))
                }
                None => parse_quote!(None),
            };
            let old = lowerer.bind_first(&place, "old", &mut stmts);
            lowerer.assign(&place, &new, &mut stmts);
            let old = lowerer.lower_expr(&old);
            Some(lowerer.block_of(stmts, Some(old), call))
        })
    }

    /// The shared array behind `&mut array`.
    fn shared_array_in<'e>(&self, borrowed: &'e syn::Expr) -> Option<&'e Ident> {
        let syn::Expr::Reference(syn::ExprReference { mutability: Some(_), expr, .. }) = borrowed else { return None };
        let syn::Expr::Path(path) = without_parentheses(expr) else { return None };
        let name = path.path.get_ident()?;
        self.lookup(name).filter(|local| matches!(self.locals[local.0].ty, Type::Shared(_))).map(|_| name)
    }

    /// The place behind `&mut place`, or behind a variable that is a reference.
    fn lower_borrowed_place(&mut self, borrowed: &syn::Expr, before: &mut Vec<Stmt>) -> Option<syn::Expr> {
        if let syn::Expr::Path(path) = borrowed {
            let local = path.path.get_ident().and_then(|name| self.lookup(name))?;
            return (self.locals[local.0].holds == Holds::Mutable).then(|| parse_quote!((*#path)));
        }
        let syn::Expr::Reference(syn::ExprReference { mutability: Some(_), expr, .. }) = borrowed else { return None };
        let (place, root) = self.lower_place(expr, before)?;
        let is_handle = |local: LocalId| matches!(self.locals[local.0].ty, Type::Slice { .. } | Type::View { .. } | Type::Shared(_));
        let is_whole = matches!(without_parentheses(&place), syn::Expr::Path(_));
        (!(is_whole && root.is_some_and(is_handle))).then_some(place)
    }

    fn refuse_borrowed_place(&mut self, call: &syn::ExprCall) -> Expr {
        self.refuse(
            call.args.span(),
            "only variables, fields, elements and shared arrays can be exchanged in a kernel\nhelp: write `&mut a` or `&mut x[i]`; exchange arrays of a device on the host, between two launches",
        )
    }

    /// A variable with the value of `value` here.
    pub(in crate::lower) fn bind_first(&mut self, value: &syn::Expr, word: &str, before: &mut Vec<Stmt>) -> syn::Expr {
        let name = self.fresh_name(value, word);
        let declaration: syn::Local = match parse_quote!(let #name = #value;) {
            syn::Stmt::Local(local) => local,
            _ => unreachable!("`let` is parsed as such"),
        };
        before.push(self.lower_let(&declaration));
        parse_quote!(#name)
    }

    fn assign(&mut self, place: &syn::Expr, value: &syn::Expr, before: &mut Vec<Stmt>) {
        let value = self.lower_expr(value);
        self.assign_value(place, value, before);
    }

    fn assign_value(&mut self, place: &syn::Expr, value: Expr, before: &mut Vec<Stmt>) {
        let span = value.span;
        let target = self.lower_target(place);
        before.push(Stmt::Expr(Box::new(self.expr(ExprKind::Assign { target, value: Box::new(value) }, span))));
    }

    pub(super) fn block_of(&mut self, stmts: Vec<Stmt>, value: Option<Expr>, call: &impl Start) -> Expr {
        let span = call.start();
        let block = Block { stmts, value: value.map(Box::new), is_unsafe: false, span };
        self.expr(ExprKind::Block { label: None, block }, span)
    }
}

/// The names that `tree` imports from std, each with its path.
pub(super) fn names_from_std(tree: &syn::UseTree) -> impl Iterator<Item = (Ident, syn::Path)> {
    imported_names(tree, &[]).into_iter().filter(|(_, path)| is_of_std(path))
}

fn is_of_std(path: &syn::Path) -> bool {
    path.segments.len() > 1 && (path.segments[0].ident == "std" || path.segments[0].ident == "core")
}
