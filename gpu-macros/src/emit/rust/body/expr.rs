//! Expressions: literals, names and what is composed of them. Operators, places, calls and control flow have files of their own.

use super::super::tokens::{expand_scalar, expand_type, glue, in_delimiters};
use super::Body;
use super::place::Access;
use crate::model::*;
use proc_macro2::{Delimiter, Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::Token;

impl Body<'_> {
    /// A literal, possibly negated, or a constant, where a pattern has it.
    pub(super) fn expand_pattern_value(&self, value: &Expr) -> TokenStream {
        match &value.kind {
            ExprKind::Int(literal) => number(literal.value.to_string(), literal.suffix, &value.ty, value.span),
            ExprKind::Float(literal) => number(literal.digits_with_fraction(), literal.suffix, &value.ty, value.span),
            ExprKind::Unary { op: UnaryOp::Negate, operand } => {
                let operand = self.expand_pattern_value(operand);
                quote_spanned!(value.span=> -#operand)
            }
            _ => self.expand_expr(value),
        }
    }

    fn expand_number(&self, digits: String, suffix: Option<Scalar>, ty: &Type, span: Span) -> TokenStream {
        let number = number(digits, suffix, ty, span);
        let Type::Constant(NamedType { path }) = ty else { return number };
        // rustc would find its type too late for the operators of the runtime.
        let runtime = self.runtime;
        quote_spanned!(glue(span)=> #runtime::__private::number_like(|| #path, #number))
    }

    /// An expression where it is an operand, a receiver or a base: in parentheses unless it binds tighter than all of them.
    pub(super) fn expand_operand(&self, expr: &Expr) -> TokenStream {
        let tokens = self.expand_expr(expr);
        if self.is_atomic(expr) { tokens } else { in_delimiters(Delimiter::Parenthesis, tokens, glue(expr.span)) }
    }

    /// An expression where it stands alone: as a statement, a value, an argument.
    pub(super) fn expand_expr(&self, expr: &Expr) -> TokenStream {
        let span = glue(expr.span);
        match &expr.kind {
            ExprKind::Refused | ExprKind::Start(_) | ExprKind::ByType(_) => {
                unreachable!("what was refused, or inference replaces, is not emitted")
            }
            ExprKind::Int(literal) => self.expand_number(literal.value.to_string(), literal.suffix, &expr.ty, expr.span),
            ExprKind::Float(literal) => self.expand_number(literal.digits_with_fraction(), literal.suffix, &expr.ty, expr.span),
            ExprKind::Bool(value) => Ident::new(if *value { "true" } else { "false" }, span).into_token_stream(),
            ExprKind::Local(id) if matches!(expr.ty, Type::Tile(_)) => {
                let name = self.expand_local(*id, expr.span);
                quote_spanned!(span=> ::core::clone::Clone::clone(&#name))
            }
            ExprKind::Local(id) => {
                let name = self.expand_local(*id, expr.span);
                if self.function.local(*id).is_reference() { quote_spanned!(span=> (*#name)) } else { name.into_token_stream() }
            }
            ExprKind::Associated { path, receiver, name, args } => {
                self.expand_associated(path.as_ref(), receiver.as_deref(), name, args, expr.span)
            }
            // Where it lies, not a copy for every element that is read.
            ExprKind::Constant(path) if matches!(expr.ty, Type::Table(_)) => quote_spanned!(span=> (*&#path)),
            ExprKind::Constant(path) => path.to_token_stream(),
            ExprKind::Unary { op, operand } => self.expand_unary(*op, operand, expr.span),
            ExprKind::Binary { op, left, right, site } => self.expand_binary(*op, left, right, *site, expr),
            ExprKind::Logical { op, left, right } => {
                let (mut tokens, right) = (self.expand_operand(left), self.expand_operand(right));
                match op {
                    LogicalOp::And => Token![&&](span).to_tokens(&mut tokens),
                    LogicalOp::Or => Token![||](span).to_tokens(&mut tokens),
                }
                [tokens, right].into_iter().collect()
            }
            ExprKind::Cast { operand, to } => {
                let (operand, to) = (self.expand_operand(operand), expand_scalar(*to, expr.span));
                quote_spanned!(span=> #operand as #to)
            }
            ExprKind::Convert { conversion, to, operand } => {
                let (runtime, operand) = (self.runtime, self.expand_expr(operand));
                let to = expand_type(to, expr.span).unwrap_or_else(|| quote_spanned!(span=> _));
                match conversion {
                    Conversion::FromBits => quote_spanned!(span=> #to::from_bits(#operand)),
                    Conversion::FromBytes(name) => {
                        let name = Ident::new(name, span);
                        quote_spanned!(span=> #to::#name(#operand))
                    }
                    Conversion::From => {
                        let runtime = runtime.located_at(expr.span);
                        quote_spanned!(span=> #runtime::calls::number_from::<#to, _>(#operand))
                    }
                    Conversion::FromF64 => quote_spanned!(span=> <#to as #runtime::Float>::from_f64(#operand)),
                    Conversion::FromI32 => quote_spanned!(span=> <#to as #runtime::Num>::from_i32(#operand)),
                    Conversion::Cast => quote_spanned!(span=> #runtime::Num::cast::<#to>(#operand)),
                    Conversion::Fits => {
                        let runtime = runtime.located_at(expr.span);
                        quote_spanned!(span=> #runtime::calls::fits::<#to, _>(#operand))
                    }
                }
            }
            ExprKind::Index { base, index, site } => self.expand_index(expr, base, index, *site, Some(Access::Read)),
            ExprKind::Subslice { mutable, base, start, end, site } => {
                self.expand_subslice(*mutable, base, (start, end.as_deref()), *site, expr.span)
            }
            ExprKind::Element { base, indices, sites } => self.expand_element(expr, base, indices, sites),
            ExprKind::Extent { base, axis } => {
                let (base, axis) = (self.expand_operand(base), Literal::usize_unsuffixed(*axis));
                let shape = self.expand_shape(&base, span);
                quote_spanned!(span=> #shape[#axis])
            }
            ExprKind::TupleField { base, index } => {
                let (base, index) = (self.expand_operand(base), syn::Index { index: *index as u32, span });
                quote_spanned!(span=> #base.#index)
            }
            ExprKind::Field { base, name } | ExprKind::Axis { base, name, .. } => self.expand_field(base, name, expr.span),
            ExprKind::Struct { constructor, fields, base, positional } => {
                self.expand_struct(constructor, fields, base.as_deref(), *positional, expr.span)
            }
            ExprKind::Tuple(elements) => {
                let elements = elements.iter().map(|element| self.expand_expr(element));
                quote_spanned!(span=> (#(#elements,)*))
            }
            ExprKind::Array(elements) => {
                let elements = elements.iter().map(|element| self.expand_expr(element));
                quote_spanned!(span=> [#(#elements),*])
            }
            ExprKind::Repeat { element, length } => {
                let (element, length) = (self.expand_expr(element), length.tokens());
                quote_spanned!(span=> [#element; #length])
            }
            ExprKind::Method { method, name, receiver, args, site } => self.expand_method(*method, name, receiver, args, *site, expr),
            ExprKind::Atomic { method, name, place, args, orderings, answer, .. } => {
                self.expand_atomic_call(*method, name, place, args, orderings, answer, expr.span)
            }
            ExprKind::Intrinsic { intrinsic, path, args } => self.expand_intrinsic(*intrinsic, path, args, &expr.ty, expr.span),
            ExprKind::Call { path, explicit, args, awaited } => {
                let uniformity = awaited.then(|| self.uniform_arguments(expr));
                self.expand_call(path, explicit, args, uniformity, expr.span)
            }
            ExprKind::CallLocal { function, args } => self.expand_call_of_local(*function, args, expr.span),
            ExprKind::Closure(closure) => self.expand_closure(closure, expr.span),
            ExprKind::FunctionItem { path, explicit } => self.expand_function_item(path, explicit, expr.span),
            ExprKind::Borrow { operand, .. } if matches!(operand.kind, ExprKind::Subslice { .. }) => self.expand_expr(operand),
            ExprKind::Borrow { mutable, operand } => self.expand_borrow(*mutable, operand, expr.span),
            ExprKind::If { condition, then, otherwise } => self.expand_if(condition, then, otherwise.as_deref(), expr.span),
            // Elsewhere than in a condition `lower` has refused it.
            ExprKind::Let { .. } => self.expand_condition(expr),
            ExprKind::Match { scrutinee, arms } => self.expand_match(scrutinee, arms, expr.span),
            ExprKind::Variant { variant, value } => self.expand_std_variant(*variant, value.as_deref(), expr),
            ExprKind::Again { .. } => unreachable!("inference has replaced it"),
            ExprKind::Either(operand) => {
                let (runtime, operand) = (self.runtime, self.expand_expr(operand));
                quote_spanned!(span=> #runtime::calls::Either::into_result(#operand))
            }
            ExprKind::Block { label, block } => self.expand_labelled(*label, self.expand_block(block), expr.span),
            ExprKind::Loop { label, body } => self.expand_loop(*label, body, expr.span),
            ExprKind::While { label, condition, body } => self.expand_while(*label, condition, body, expr.span),
            ExprKind::For { label, counter, range, body } => self.expand_for(*label, *counter, range, body, expr.span),
            ExprKind::Break { label, named, value } => self.expand_break(*label, *named, value.as_deref(), expr.span),
            ExprKind::Continue { label, named } => self.expand_continue(*label, *named, expr.span),
            ExprKind::Return(value) => self.expand_return(value.as_deref(), expr.span),
            ExprKind::Assign { target, value } => self.expand_assign(target, value, expr.span),
            ExprKind::CompoundAssign { op, place, value, site } => self.expand_compound_assign(*op, place, value, *site, expr),
            ExprKind::Tile { operation, name, args } => self.expand_tile(operation, name, args, expr),
            ExprKind::Assembly(assembly) => self.expand_assembly(assembly, &expr.ty, expr.span),
            ExprKind::Panic { site } => self.expand_panic(*site, expr.span),
            ExprKind::Assert { condition, site, debug } => self.expand_assert(condition, *site, *debug, expr.span),
        }
    }

    /// A variable where it is used, with the span of that use.
    pub(super) fn expand_local(&self, id: LocalId, used_at: Span) -> Ident {
        let mut name = self.function.local(id).name.clone();
        name.set_span(used_at.resolved_at(name.span()));
        name
    }

    fn is_atomic(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Local(_)
            | ExprKind::Constant(_)
            | ExprKind::Convert { .. }
            | ExprKind::Index { .. }
            | ExprKind::Element { .. }
            | ExprKind::Extent { .. }
            | ExprKind::TupleField { .. }
            | ExprKind::Field { .. }
            | ExprKind::Axis { .. }
            | ExprKind::Tuple(_)
            | ExprKind::Array(_)
            | ExprKind::Variant { .. }
            | ExprKind::Repeat { .. }
            | ExprKind::Intrinsic { .. }
            | ExprKind::Tile { .. }
            | ExprKind::Call { .. }
            | ExprKind::CallLocal { .. }
            | ExprKind::FunctionItem { .. } => true,
            ExprKind::Method { method, .. } => method.failure != Some(Failure::Limits),
            ExprKind::Unary { op, operand } => !self.is_plain_unary(*op, operand),
            ExprKind::Binary { op, left, right, .. } => !self.is_plain_binary(*op, left, right),
            _ => false,
        }
    }
}

/// A number with the suffix that inference found (or the user's own).
fn number(digits: String, suffix: Option<Scalar>, ty: &Type, span: Span) -> TokenStream {
    let suffix = ty.as_scalar().or(suffix).map_or("", Scalar::name);
    let text = format!("{digits}{suffix}");
    let mut literal: Literal = text.parse().expect("digits with the name of a number type are a literal");
    literal.set_span(span);
    literal.into_token_stream()
}
