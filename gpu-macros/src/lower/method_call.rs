//! Calls of methods: those of numbers, `clone` and `cast`, and those that inference finds.

use super::call::foreign_function_message;
use super::iteration::{is_chain, is_chain_call};
use super::reference::Shape;
use super::{Lowerer, without_parentheses};
use crate::first_span::Start;
use crate::model::*;
use crate::unsupported_methods::{is_of_no_struct, is_unsupported, refuse_method};
use proc_macro2::Ident;
use syn::spanned::Spanned;

/// The methods of slices that kernels call on arrays.
const OF_SLICES: [&str; 21] = [
    "chunks",
    "chunks_exact",
    "chunks_exact_mut",
    "chunks_mut",
    "clone_from_slice",
    "contains",
    "copy_from_slice",
    "fill",
    "first",
    "get",
    "get_mut",
    "is_empty",
    "iter",
    "iter_mut",
    "last",
    "len",
    "reverse",
    "rotate_left",
    "rotate_right",
    "swap",
    "windows",
];

impl Lowerer<'_> {
    /// A method call, with the references in its result.
    pub(super) fn lower_method_with_shape(&mut self, call: &syn::ExprMethodCall) -> (Expr, Shape) {
        self.remember_slice_method(call);
        let (lowered, shape) = if let Some(lowered) = self.lower_tile_call(call) {
            (lowered, Shape::Value)
        } else if let Some(lowered) = self.lower_range_contains(call) {
            (lowered, Shape::Value)
        } else if is_chain(&call.receiver) || is_chain_call(call) {
            self.lower_consumer(call)
        } else if let Some(lowered) = self.lower_order_call(call) {
            (lowered, Shape::Value)
        } else if let Some(lowered) = self.lower_then(call) {
            lowered
        } else if let Some(lowered) = self.lower_option_call(call) {
            lowered
        } else if let Some(lowered) = self.lower_element_call(call) {
            lowered
        } else {
            (self.lower_method_call(call), Shape::Value)
        };
        (Expr { operator: call.paren_token.span.join(), ..lowered }, shape)
    }

    /// Remembers that `call` is one of a slice's methods, if the receiver is an array.
    pub(super) fn remember_slice_method(&mut self, call: &syn::ExprMethodCall) {
        if let syn::Expr::Path(receiver) = without_parentheses(&call.receiver)
            && let Some(of) = receiver.path.get_ident().and_then(|name| self.lookup(name))
            && OF_SLICES.iter().any(|name| call.method == name)
            // What `lower` calls itself is not what the user wrote.
            && call.method.span().source_text().is_some_and(|text| call.method == text)
        {
            self.slice_methods.push(SliceMethod { name: call.method.clone(), arguments: call.args.len(), of });
        }
    }

    fn lower_method_call(&mut self, call: &syn::ExprMethodCall) -> Expr {
        let span = call.start();
        if let Some(module) = self.foreign_module(&call.receiver)
            && let Some(message) = foreign_function_message(&format!("{module}.{}", call.method), &call.method.to_string())
        {
            return self.refuse_invalid(span, message);
        }
        if let syn::Expr::Field(syn::ExprField { base, member: syn::Member::Named(inner), .. }) = &*call.receiver
            && let Some(module) = self.foreign_module(base)
            && let Some(message) =
                foreign_function_message(&format!("{module}.{inner}.{}", call.method), &format!("{inner}::{}", call.method))
        {
            return self.refuse_invalid(span, message);
        }
        if let Some(operation) = self.lower_atomic_call(call) {
            return operation;
        }
        if let Some(length) = self.lower_length_of_part(call) {
            return length;
        }
        if let Some(swap) = self.lower_swap(call) {
            return swap;
        }
        if let Some(lowered) = self.lower_slice_method(call, |lowerer| lowerer.lower_method_of_value(call)) {
            return lowered;
        }
        self.lower_method_of_value(call)
    }

    /// A method of a number or of a type of the user's.
    pub(super) fn lower_method_of_value(&mut self, call: &syn::ExprMethodCall) -> Expr {
        let span = call.start();
        if let Some(conversion) = self.lower_try_into(call) {
            return conversion;
        }
        if call.method == "cast" {
            return self.lower_cast_method(call);
        }
        // Every value is `Copy`.
        if call.method == "clone" && call.args.is_empty() {
            return self.lower_dereferenced(&call.receiver);
        }
        if let Some(turbofish) = &call.turbofish {
            return self.refuse_invalid(turbofish.span(), "the methods of numbers have no type parameters\nhelp: remove `::<…>`");
        }
        let receiver = self.lower_dereferenced(&call.receiver);
        if receiver.is_refused() {
            return self.refused(span);
        }
        if let Some(hint) = CacheHint::find(&call.method.to_string()) {
            return self.lower_cache_hint(hint, call, receiver);
        }
        if self.is_view(&receiver)
            && let Some(lowered) = self.lower_view_method(call, &receiver)
        {
            return lowered;
        }
        let name = &call.method;
        let is_of_numbers = Method::find(&name.to_string()).is_some_and(|method| method.args.len() == call.args.len());
        if is_of_numbers {
            let receiver = Expr { by_reference: self.is_behind_reference(&call.receiver), ..receiver };
            let args = call.args.iter().map(|arg| self.lower_expr(arg)).collect();
            return self.lower_method(name, receiver, args, span);
        }
        // No method of a struct takes a closure, whose parameters would have no type here.
        let takes_closure = call.args.iter().any(|arg| matches!(arg, syn::Expr::Closure(_)));
        if self.is_no_struct(&receiver) || is_of_no_struct(name) || (takes_closure && is_unsupported(name)) {
            refuse_method(first_unsupported(&receiver).unwrap_or(name), call.args.len(), self.errors);
            return self.refused(span);
        }
        self.lower_method_of(receiver, call)
    }

    /// A method of a type of the user's.
    pub(super) fn lower_own_method(&mut self, call: &syn::ExprMethodCall) -> Expr {
        let receiver = self.lower_dereferenced(&call.receiver);
        self.lower_method_of(receiver, call)
    }

    /// One of a struct or a trait, as inference will find.
    fn lower_method_of(&mut self, receiver: Expr, call: &syn::ExprMethodCall) -> Expr {
        // The method may take `&mut self`.
        if let Some(local) = receiver.place().variable().filter(|local| self.locals[local.0].mutable) {
            self.check_not_moved(local, receiver.span);
        }
        let args = call.args.iter().map(|arg| self.lower_argument(arg)).collect();
        let (path, receiver) = (None, Some(Box::new(receiver)));
        self.expr(ExprKind::Associated { path, receiver, name: call.method.clone(), args }, call.start())
    }

    /// Whether `expr` is declared with a type that cannot have the user's methods.
    fn is_no_struct(&self, expr: &Expr) -> bool {
        match self.local_type(expr) {
            Type::Slice { .. } | Type::View { .. } | Type::Shared(_) | Type::Array(..) | Type::Tuple(_) | Type::Std(..) => true,
            // In an `impl` for a number, `self` has the methods of that trait.
            Type::Scalar(_) => !self.has_receiver,
            Type::Unit
            | Type::Never
            | Type::Parameter(_)
            | Type::Atomic(_)
            | Type::Tile(_)
            | Type::Function(_)
            | Type::Dim3
            | Type::Named(_)
            | Type::Table(_)
            | Type::Part(..)
            | Type::Returned(_)
            | Type::Operation(_)
            | Type::Constant(_)
            | Type::Called(_)
            | Type::Opaque
            | Type::Refused
            | Type::Variable(_) => false,
        }
    }

    /// `x.cast::<f64>()`.
    fn lower_cast_method(&mut self, call: &syn::ExprMethodCall) -> Expr {
        let span = call.start();
        let operand = Box::new(self.lower_dereferenced(&call.receiver));
        if let Some(argument) = call.args.first() {
            return self.refuse_invalid(argument.span(), "`cast` takes no arguments\nhelp: write `x.cast::<f32>()`");
        }
        let to = match &call.turbofish {
            None => self.fresh(),
            Some(turbofish) => match turbofish.args.first() {
                Some(syn::GenericArgument::Type(ty)) if turbofish.args.len() == 1 => match self.lower_type(ty) {
                    Some(ty) => ty,
                    None => return self.refused(span),
                },
                _ => return self.refuse_invalid(turbofish.span(), "`cast` takes one type\nhelp: write `x.cast::<f32>()`"),
            },
        };
        match to {
            to @ (Type::Scalar(_) | Type::Parameter(_) | Type::Named(_) | Type::Variable(_)) => {
                self.expr(ExprKind::Convert { conversion: Conversion::Cast, to, operand }, span)
            }
            _ => self.refuse_invalid(call.turbofish.span(), "the target of a cast must be a number\nhelp: write `x.cast::<f32>()`"),
        }
    }

    pub(super) fn lower_method(&mut self, name: &syn::Ident, receiver: Expr, args: Vec<Expr>, span: proc_macro2::Span) -> Expr {
        let Some(method) = Method::find(&name.to_string()).filter(|method| method.args.len() == args.len()) else {
            refuse_method(name, args.len(), self.errors);
            return self.refused(span);
        };
        let site = method.failure.map(|failure| {
            let kind = match failure {
                Failure::Limits => SiteKind::Assert("the lower limit of `clamp` is at most the upper one".into()),
                Failure::Division | Failure::ZeroDivisor => SiteKind::Division,
                Failure::NotPositive => SiteKind::Assert(format!("the argument of `{}` is positive", method.name)),
            };
            self.site(span, kind)
        });
        self.expr(ExprKind::Method { method, name: name.clone(), receiver: Box::new(receiver), args, site }, span)
    }
}

/// The first unsupported method in a chain: `iter` in `x.iter().zip(y)`.
fn first_unsupported(expr: &Expr) -> Option<&Ident> {
    match &expr.kind {
        ExprKind::Associated { receiver: Some(receiver), name, .. } => {
            first_unsupported(receiver).or_else(|| is_unsupported(name).then_some(name))
        }
        _ => None,
    }
}
