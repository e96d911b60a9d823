//! Ranges whose numbers are found by their positions, as `zip`, `skip` and other adapters need it.
//!
//! A position is a `usize`, as in std, whatever the type of the numbers: `0..=255u8` has 256. The number at a position is the start of the
//! range and the position, in the type of the range. Of numbers with a sign, that sum may wrap around on its way: `-128 + 255` is 127 in an
//! `i8`. Lowering knows no types, so it writes both forms, of which [`ByType`] is one. A range of 2⁶⁴ numbers counts one less.

use super::elements::{Elements, number};
use super::{Item, Preparation};
use crate::lower::length::integer;
use crate::lower::{Lowerer, without_parentheses};
use crate::model::*;
use proc_macro2::Ident;
use syn::parse_quote;

/// A range of numbers of the type `ty`.
pub(super) struct CountedRange {
    pub(super) start: syn::Expr,
    pub(super) end: syn::Expr,
    pub(super) inclusive: bool,
    pub(super) ty: Type,
    /// A `usize`.
    pub(super) length: syn::Expr,
}

/// The number at a position of a range.
#[derive(Clone)]
pub(in crate::lower) struct NumberOfRange {
    start: syn::Expr,
    end: syn::Expr,
    /// Counted from the end.
    is_reversed: bool,
    position: syn::Expr,
    pub(super) ty: Type,
}

impl CountedRange {
    pub(super) fn item(&self, position: &syn::Expr) -> Item {
        self.number(false, position)
    }

    pub(super) fn item_from_end(&self, position: &syn::Expr) -> Item {
        if self.inclusive {
            return self.number(true, position);
        }
        let length = &self.length;
        self.item(&parse_quote!((#length - 1 - #position)))
    }

    fn number(&self, is_reversed: bool, position: &syn::Expr) -> Item {
        let (start, end) = (self.start.clone(), self.end.clone());
        Item::OfRange(NumberOfRange { start, end, is_reversed, position: position.clone(), ty: self.ty.clone() })
    }
}

impl Lowerer<'_> {
    /// Counts the ranges in `elements` that may be of any type.
    pub(super) fn count_ranges(&mut self, elements: &mut Elements, before: &mut Preparation) {
        elements.for_each_range(&mut |range| {
            let Elements::Range { start, end, inclusive } = range else { return };
            if self.is_usize(start) || self.is_usize(end) {
                return;
            }
            let ty = self.fresh();
            let length = match (integer(start), integer(end)) {
                (Some(first), Some(last)) => {
                    let length = i128::from(last) - i128::from(first) + i128::from(*inclusive);
                    number(length.max(0).try_into().unwrap_or(u64::MAX))
                }
                _ => {
                    let value = self.length_of_range(start, end, *inclusive, &ty);
                    let name = self.own_name("length");
                    let local = self.hold_as(&name, false, Type::USIZE, value, &mut before.lets);
                    self.show(&name, local);
                    parse_quote!(#name)
                }
            };
            let (start, end) = (start.clone(), end.clone());
            *range = Elements::Counted(CountedRange { start, end, inclusive: *inclusive, ty, length });
        });
    }

    fn is_usize(&self, end: &syn::Expr) -> bool {
        match without_parentheses(end) {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(literal), .. }) => literal.suffix() == "usize",
            end => self.declared_type(end) == Some(&Type::USIZE),
        }
    }

    /// How many numbers are between the ends, as a `usize`.
    fn length_of_range(&mut self, start: &syn::Expr, end: &syn::Expr, inclusive: bool, ty: &Type) -> Expr {
        let last: syn::Expr = parse_quote!(if #start <= #end { 1 } else { 0 });
        let signed = self.length_from(&parse_quote!(#end.max(#start).abs_diff(#start)), inclusive.then_some(&last));
        let unsigned = match integer(start) {
            Some(0) => self.length_from(end, inclusive.then_some(&parse_quote!(1))),
            _ => self.length_from(&parse_quote!(#end.saturating_sub(#start)), inclusive.then_some(&last)),
        };
        self.by_sign((start, end, ty), signed, unsigned)
    }

    fn length_from(&mut self, distance: &syn::Expr, last: Option<&syn::Expr>) -> Expr {
        let distance = self.lower_expr(distance);
        let length = self.converted(Type::USIZE, distance);
        let Some(last) = last else { return length };
        let (at, last) = (length.span, self.lower_expr(last));
        self.lower_method(&Ident::new("saturating_add", at), length, vec![last], at)
    }

    /// The number that `item` stands for.
    pub(super) fn lower_number_of_range(&mut self, item: &NumberOfRange) -> Expr {
        let NumberOfRange { start, end, is_reversed, position, ty } = item;
        let (from, op, wrapping) = match is_reversed {
            true => (end, BinaryOp::Subtract, "wrapping_sub"),
            false => (start, BinaryOp::Add, "wrapping_add"),
        };
        let parts = |lowerer: &mut Self| {
            let position = lowerer.lower_expr(position);
            (lowerer.lower_expr(from), lowerer.converted(ty.clone(), position))
        };
        let (first, steps) = parts(self);
        let at = first.span;
        let signed = self.lower_method(&Ident::new(wrapping, at), first, vec![steps], at);
        let (first, steps) = parts(self);
        let unsigned = if integer(from) == Some(0) && !is_reversed { steps } else { self.binary(op, first, steps, at) };
        self.by_sign((start, end, ty), signed, unsigned)
    }

    /// One of two expressions, by the type of the ends of a range, which is `ty`.
    fn by_sign(&mut self, (start, end, ty): (&syn::Expr, &syn::Expr, &Type), signed: Expr, unsigned: Expr) -> Expr {
        let of = Expr { ty: ty.clone(), ..self.lower_expr(&parse_quote!(#end.max(#start))) };
        let span = unsigned.span;
        self.expr(ExprKind::ByType(Box::new(ByType { of, question: TypeQuestion::Signed, then: signed, otherwise: unsigned })), span)
    }

    fn converted(&mut self, to: Type, operand: Expr) -> Expr {
        let span = operand.span;
        self.expr(ExprKind::Convert { conversion: Conversion::Cast, to, operand: Box::new(operand) }, span)
    }
}
