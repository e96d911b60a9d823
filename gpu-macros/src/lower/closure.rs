//! Closures, and parameters that take functions.
//!
//! A closure is bound with `let` or passed to a device function, and changes nothing outside of itself but variables of its thread. So the
//! proofs read its body at its declaration, and know nothing of a variable that a closure changes.

use super::{Lowerer, Moved, without_parentheses};
use crate::first_span::Start;
use crate::idents::word;
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens;
use syn::spanned::Spanned;

/// A closure around the current expression.
pub(super) struct Capture {
    /// How many variables there were before it.
    outer: usize,
    is_move: bool,
}

impl Lowerer<'_> {
    /// A closure in a place where closures are supported.
    pub(super) fn lower_closure(&mut self, closure: &syn::ExprClosure) -> Expr {
        let span = closure.span();
        self.check_attributes(&closure.attrs);
        if let Some(token) = &closure.asyncness {
            self.errors.push(
                token.span(),
                "a closure in a kernel cannot be `async`\nhelp: remove `async`, and call `async` functions outside of the closure",
            );
        }
        self.closures.push(Capture { outer: self.locals.len(), is_move: closure.capture.is_some() });
        let enclosing = std::mem::take(&mut self.enclosing);
        let inlined = self.inlined.take();
        let closure = self.scoped(|lowerer| {
            let params: Vec<_> = closure.inputs.iter().map(|input| lowerer.lower_closure_param(input)).collect();
            let output = match &closure.output {
                syn::ReturnType::Default => lowerer.fresh(),
                syn::ReturnType::Type(_, ty) => lowerer.lower_type(ty).unwrap_or(Type::Refused),
            };
            let body = lowerer.lower_expr(&closure.body);
            Closure { params, output, is_move: closure.capture.is_some(), body }
        });
        self.enclosing = enclosing;
        self.inlined = inlined;
        self.closures.pop();
        let params = || closure.params.iter().map(|(local, _)| &self.locals[local.0]);
        let (inputs, by_reference) = params().map(|param| (param.ty.clone(), param.is_reference())).unzip();
        let ty = Type::Function(Box::new(FunctionType { inputs, by_reference, output: closure.output.clone(), is_mut: false }));
        Expr::new(ExprKind::Closure(Box::new(closure)), ty, span)
    }

    fn lower_closure_param(&mut self, input: &syn::Pat) -> (LocalId, Option<TokenStream>) {
        let (pattern, tokens) = match input {
            syn::Pat::Type(typed) => (&*typed.pat, Some((*typed.ty).clone())),
            pattern => (pattern, None),
        };
        let (name, mutable) = match pattern {
            syn::Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => (ident.ident.clone(), ident.mutability.is_some()),
            syn::Pat::Wild(wild) => (syn::Ident::new("_", wild.span()), false),
            other => {
                self.errors
                    .push(other.span(), "a parameter of a closure must be a plain name\nhelp: destructure it with `let` in the closure");
                self.declare_refused(other);
                return (
                    self.declare(&syn::Ident::new("_", other.span()), false, Type::Refused, LocalKind::Let),
                    tokens.map(ToTokens::into_token_stream),
                );
            }
        };
        let (ty, by_reference) = match &tokens {
            Some(tokens) => match referred(tokens) {
                Some(value) => (self.lower_type(value).unwrap_or(Type::Refused), true),
                None => (self.lower_type(tokens).unwrap_or(Type::Refused), false),
            },
            None => (self.fresh(), false),
        };
        let local = self.declare(&name, mutable, ty, LocalKind::Let);
        if by_reference {
            self.make_reference(local, Holds::Shared);
        }
        (local, tokens.map(ToTokens::into_token_stream))
    }

    /// A closure in a place where its value would be stored or returned.
    pub(super) fn refuse_closure(&mut self, span: Span) -> Expr {
        if self.output_refused {
            return self.refused(span);
        }
        self.refuse(
            span,
            "a closure in a kernel must be bound to a name or passed to a device function\nhelp: write `let f = |x: f32| …;` and call `f(x)`",
        )
    }

    /// `f(x)` of a closure or a parameter. For any other variable, inference reports that it is not a function.
    pub(super) fn lower_call_of_local(&mut self, function: LocalId, call: &syn::ExprCall) -> Expr {
        let Local { name, ty, .. } = &self.locals[function.0];
        let given = call.args.len();
        if let Type::Function(ty) = ty
            && ty.inputs.len() != given
        {
            let wanted = ty.inputs.len();
            let arguments = if wanted == 1 { "argument" } else { "arguments" };
            let message =
                format!("`{name}` takes {wanted} {arguments}, not {given}\nhelp: pass one value for each parameter of the closure");
            return self.refuse_invalid(call.span(), message);
        }
        if *ty == Type::Refused {
            // What it takes is not known.
            call.args.iter().for_each(|arg| drop(self.lower_argument(arg)));
            return self.refused(call.span());
        }
        let by_reference = if let Type::Function(ty) = ty { ty.by_reference.clone() } else { Vec::new() };
        let lower = |(index, arg): (usize, &syn::Expr)| {
            match (by_reference.get(index), without_parentheses(arg)) {
            (Some(true), _) => self.lower_argument(arg),
            (Some(false), syn::Expr::Reference(_)) => self.refuse_invalid(
                arg.span(),
                "this parameter takes a value, not a reference\nhelp: remove the `&`; for a closure, write the type of its parameter: `|v: &Vector| …`",
            ),
            _ => self.lower_expr(arg),
        }
        };
        let args = call.args.iter().enumerate().map(lower).collect();
        self.expr(ExprKind::CallLocal { function, args }, call.start())
    }

    /// Refuses a change to `local` from within a closure that has not declared it, if other threads may see the change, or if the closure
    /// has a copy.
    pub(super) fn check_not_captured(&mut self, local: LocalId, span: Span) {
        if !self.is_shared(local) {
            return self.check_not_moved(local, span);
        }
        if self.closures.iter().any(|capture| local.0 < capture.outer) {
            let name = &self.locals[local.0].name;
            self.errors.push(
                span,
                format!(
                    "a closure in a kernel cannot write to `{name}`, because other threads may use it\nhelp: write to `{name}` where the closure is called, such as with a value that the closure returns"
                ),
            );
        }
    }

    /// Whether changes of `local` may be seen outside of the thread.
    fn is_shared(&self, local: LocalId) -> bool {
        let Local { ty, holds, .. } = &self.locals[local.0];
        matches!(ty, Type::Slice { .. } | Type::View { .. } | Type::Shared(_)) || *holds != Holds::Value
    }

    /// Refuses what may change `local` in a closure that has a copy of it.
    pub(super) fn check_not_moved(&mut self, local: LocalId, span: Span) {
        let capture = self.closures.iter().find(|capture| local.0 < capture.outer);
        let has_copy = capture.is_some_and(|capture| capture.is_move) || self.moved.iter().any(|outer| local.0 < outer.locals);
        if has_copy && !self.is_shared(local) && self.tell_of_copy(local) {
            let name = &self.locals[local.0].name;
            self.errors.push(span, format!("a `move` closure in a kernel would change only its own copy of `{name}`\nhelp: remove `move`"));
        }
    }

    /// Whether the user has not been told yet.
    fn tell_of_copy(&mut self, local: LocalId) -> bool {
        let is_new = !self.told_of_copies.contains(&local);
        self.told_of_copies.extend(is_new.then_some(local));
        is_new
    }

    /// Lowers what is in `closure`, whose body stands where it would be called, and before which there was `outside`.
    pub(super) fn within<R>(&mut self, closure: &syn::ExprClosure, outside: Moved, lower: impl FnOnce(&mut Self) -> R) -> R {
        let enclosing = self.moved.len();
        self.moved.extend(closure.capture.map(|_| outside));
        let lowered = lower(self);
        self.moved.truncate(enclosing);
        lowered
    }

    /// What a closure has copies of that begins here.
    pub(super) fn outside(&self) -> Moved {
        Moved { locals: self.locals.len(), names: self.scope.len() }
    }

    /// Refuses a variable that may change while a chain runs, in a `move` closure of the chain, which would keep the value from before.
    pub(super) fn check_not_copied(&mut self, name: &Ident, span: Span) {
        let Some(outside) = self.moved.last() else { return };
        let word = word(name);
        let Some(at) = self.scope.iter().rposition(|known| known.word == word) else { return };
        let local = self.scope[at].local;
        if at < outside.names && self.locals[local.0].mutable && !self.is_shared(local) && self.tell_of_copy(local) {
            self.errors.push(
                span,
                format!(
                    "a `move` closure in a chain has a copy of `{name}`, which may change while the chain runs\nhelp: remove `move`, or write `let {name} = {name};` before the chain"
                ),
            );
        }
    }

    /// The same for an element or a field of `base`.
    pub(super) fn check_element_not_captured(&mut self, base: &Expr) {
        match base.place() {
            Place::Variable(local) => self.check_not_captured(local, base.span),
            Place::Field(base) | Place::Element(base) => self.check_element_not_captured(base),
            Place::Value => {}
        }
    }

    /// A path as an argument, if it is spelled like a function: a device function by its name.
    pub(super) fn lower_function_item(&mut self, path: &syn::ExprPath) -> Option<Expr> {
        if let Some(function) = self.lower_function_name(path) {
            return Some(function);
        }
        let last = path.path.segments.last()?;
        let has_capitals = last.ident.to_string().contains(char::is_uppercase);
        if !self.may_be_function(path) || (has_capitals && !self.is_function_with_capitals(&path.path)) {
            return None;
        }
        let span = path.start();
        let owner = path.path.segments.iter().rev().nth(1).map(|segment| &segment.ident);
        if owner.is_some_and(|owner| Scalar::from_name(&owner.to_string()).is_some() || self.type_param(owner).is_some()) {
            let help = format!("|x| x.{}()", last.ident);
            return Some(
                self.refuse(span, format!("passing a method by its name is not supported in kernels\nhelp: pass a closure, `{help}`")),
            );
        }
        let explicit = self.lower_explicit(&last.arguments)?;
        Some(self.expr(ExprKind::FunctionItem { path: path.path.clone(), explicit }, span))
    }

    /// The type of a parameter `impl Fn(f32) -> f32`.
    pub(super) fn lower_impl_fn(&mut self, ty: &syn::TypeImplTrait) -> Option<Type> {
        if ty.bounds.len() == 1
            && let Some(function) = self.lower_fn_bound(&ty.bounds[0])
        {
            return function.map(|function| Type::Function(Box::new(function)));
        }
        self.errors.push(
            ty.span(),
            format!("this `impl` is not supported in {}\nhelp: take a function, `impl Fn(f32) -> f32`, or a type parameter", self.what),
        );
        None
    }

    /// The type behind `Fn(f32) -> f32`; `None` for another kind of bound, `Some(None)` after an error.
    pub(super) fn lower_fn_bound(&mut self, bound: &syn::TypeParamBound) -> Option<Option<FunctionType>> {
        let syn::TypeParamBound::Trait(bound) = bound else { return None };
        let last = bound.path.segments.last()?;
        let syn::PathArguments::Parenthesized(signature) = &last.arguments else { return None };
        if self.is_kernel || self.is_array_function {
            let message = format!(
                "{} cannot take functions as parameters\nhelp: call a `#[gpu_device]` function that takes one, with a closure",
                self.what
            );
            self.errors.push(bound.span(), message);
            return Some(None);
        }
        let is_mut = last.ident == "FnMut";
        if last.ident != "Fn" && !is_mut {
            let message = format!("a function parameter must be a `Fn` or a `FnMut`\nhelp: write `Fn` instead of `{}`", last.ident);
            self.errors.push(last.ident.span(), message);
            return Some(None);
        }
        let by_reference = signature.inputs.iter().map(|input| referred(&input.ty).is_some()).collect();
        let inputs = signature.inputs.iter().map(|input| self.lower_fn_type(referred(&input.ty).unwrap_or(&input.ty)));
        let inputs: Option<Vec<Type>> = inputs.collect();
        let output = match &signature.output {
            syn::ReturnType::Type(_, ty) if !is_unit(ty) => self.lower_fn_type(ty),
            _ if is_mut => Some(Type::Unit),
            // All that it could do is to change what it captures.
            _ => {
                self.errors.push(
                    signature.to_token_stream().span(),
                    "a function parameter that is a `Fn` must return a value\nhelp: write `Fn(f32) -> f32`, or `FnMut(f32)` for a closure that changes variables",
                );
                None
            }
        };
        Some(inputs.zip(output).map(|(inputs, output)| FunctionType { inputs, by_reference, output, is_mut }))
    }

    fn lower_fn_type(&mut self, ty: &syn::Type) -> Option<Type> {
        let lowered = if let syn::Type::Reference(_) = ty { None } else { Some(self.lower_type(ty)?) };
        match lowered {
            Some(value @ (Type::Scalar(_) | Type::Parameter(_) | Type::Named(_) | Type::Tuple(_) | Type::Array(..) | Type::Std(..))) => {
                Some(value)
            }
            _ => {
                self.errors.push(
                    ty.span(),
                    "a function parameter takes values and shared references to single values, and returns a value\nhelp: pass an index, and let the closure read the element",
                );
                None
            }
        }
    }
}

/// The type of the value that a parameter `&T` refers to.
fn referred(ty: &syn::Type) -> Option<&syn::Type> {
    match ty {
        syn::Type::Reference(reference) if reference.mutability.is_none() && !matches!(&*reference.elem, syn::Type::Slice(_)) => {
            Some(&reference.elem)
        }
        syn::Type::Group(group) => referred(&group.elem),
        _ => None,
    }
}

/// `()`
fn is_unit(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Tuple(tuple) if tuple.elems.is_empty())
}
