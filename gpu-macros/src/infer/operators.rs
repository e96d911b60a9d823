//! The constraints of operators.
//!
//! Both operands of numbers have one type. A type of the user's may have `Mul<f32>`: then a literal beside its value has the type that the
//! `impl` says, and so has a variable that only literals determine. rustc finds it, from all such operations of the variable.

use super::body::Inference;
use super::calls::is_literal;
use crate::model::*;

/// A number of which only literals say what it is, beside a value of a type that may have operators of its own.
pub(super) struct BesideOwn {
    number: Type,
    usage: LiteralUse,
    other: Type,
}

impl Inference<'_> {
    pub(super) fn infer_binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr, assigns: bool) -> Type {
        let left_type = self.infer_expr(left);
        self.expect(right, &left_type);
        let right_type = self.infer_expr(right);
        let by_reference = [left.by_reference, right.by_reference];
        if op.trait_name().is_some() {
            if self.is_beside_own(right, &right_type, &left_type) {
                self.beside.push(BesideOwn {
                    number: right_type,
                    usage: LiteralUse { op, is_right: true, assigns, by_reference },
                    other: left_type.clone(),
                });
                return left_type;
            }
            // What is assigned to is a number itself, as far as literals tell.
            if !assigns && self.is_beside_own(left, &left_type, &right_type) {
                self.beside.push(BesideOwn {
                    number: left_type,
                    usage: LiteralUse { op, is_right: false, assigns, by_reference },
                    other: right_type.clone(),
                });
                return right_type;
            }
        }
        if !op.is_shift() {
            self.table.unify(&left_type, &right_type);
        }
        match op {
            BinaryOp::PartialOrder => return Type::option(Type::ordering()),
            BinaryOp::TotalOrder => return Type::ordering(),
            op if op.is_comparison() => return Type::BOOL,
            _ => {}
        }
        match (self.table.resolve(&left_type), self.table.resolve(&right_type)) {
            (known, right) if known.is_followed() || known.is_scalar() => Type::of_operation(op, &known, &right, by_reference),
            _ => left_type,
        }
    }

    /// Whether only literals say what `number` is, and `other` may be of a type that has operators of its own. (A literal itself has the type
    /// of its operation.)
    fn is_beside_own(&self, number: &Expr, ty: &Type, other: &Type) -> bool {
        !is_literal(number) && self.table.literal_kind(ty).is_some() && self.table.resolve(other).is_followed()
    }

    /// Gives the numbers that nothing else determines the types that their operators ask for.
    pub(super) fn solve_literals(&mut self) {
        let mut beside = std::mem::take(&mut self.beside);
        while let Some(first) = beside.first() {
            let number = self.table.resolve(&first.number);
            let (uses, rest) = beside.into_iter().partition::<Vec<_>, _>(|other| self.table.resolve(&other.number) == number);
            beside = rest;
            let Some(is_float) = self.table.literal_kind(&number) else { continue };
            let (uses, others) = uses.into_iter().map(|beside| (beside.usage, beside.other)).unzip();
            self.table.unify(&number, &Type::Tuple(others).part(Part::Literal { is_float, uses }));
        }
    }
}
