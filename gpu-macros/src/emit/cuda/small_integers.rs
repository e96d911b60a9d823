//! Equality of integers of 8 and 16 bits that wrap around, as in `a[i] == b - distance`.
//!
//! A GPU computes them in 32 bits and cuts each result off. That they are equal only takes the low bits of both, which follow from the low bits of
//! all operands: so nothing is cut off but `left ^ right`, by the instruction that compares it.

use super::Emitter;
use super::code::{Binding, Code};
use super::text::{CText, c};
use crate::model::*;

impl Emitter<'_> {
    /// `left == right` or `left != right`, if one of them wraps around.
    pub(super) fn equality_of_low_bits(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> Option<Code> {
        let is_small = |scalar: &Scalar| scalar.is_integer() && scalar.bits() <= 16;
        let scalar = left.ty.as_scalar().filter(is_small).filter(|_| left.ty == right.ty)?;
        let is_equality = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        if !is_equality || !(is_sum(left, scalar) || is_sum(right, scalar)) {
            return None;
        }
        let mut operands = Vec::new();
        collect_operands(left, scalar, &mut operands);
        collect_operands(right, scalar, &mut operands);
        let mut codes = self.operands(&operands).into_iter();
        let [left, right] = [left, right].map(|side| low_bits(side, scalar, &mut codes));
        let mask = (1u32 << scalar.bits()) - 1;
        self.need("low_bits");
        let equal = Code::atom(c!["gr_equal_bits(", left, ", ", right, ", ", mask.to_string(), "u)"]);
        Some(if op == BinaryOp::Equal { equal } else { Code::bound(Binding::Unary, equal.negated()) })
    }
}

/// The operands of a sum or product of this type.
fn summands(expr: &Expr, scalar: Scalar) -> Option<(BinaryOp, &Expr, &Expr)> {
    match &expr.kind {
        ExprKind::Binary { op: op @ (BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply), left, right, .. } => {
            let is_same = [left, right].iter().all(|side| side.ty.as_scalar() == Some(scalar));
            is_same.then_some((*op, left, right))
        }
        _ => None,
    }
}

fn is_sum(expr: &Expr, scalar: Scalar) -> bool {
    summands(expr, scalar).is_some()
}

/// What an expression is a sum of, in the order of evaluation.
fn collect_operands<'e>(expr: &'e Expr, scalar: Scalar, operands: &mut Vec<&'e Expr>) {
    match summands(expr, scalar) {
        Some((_, left, right)) => {
            collect_operands(left, scalar, operands);
            collect_operands(right, scalar, operands);
        }
        None => operands.push(expr),
    }
}

/// The same sum of 32 bits, of which the low ones are right.
fn low_bits(expr: &Expr, scalar: Scalar, operands: &mut impl Iterator<Item = Code>) -> CText {
    match summands(expr, scalar) {
        Some((op, left, right)) => {
            let (left, right) = (low_bits(left, scalar, operands), low_bits(right, scalar, operands));
            c!["(", left, " ", op.symbol(), " ", right, ")"]
        }
        None => c!["(u32)", operands.next().expect("each operand has its code").operand()],
    }
}
