//! Expressions of which lowering wrote two, because it knew no types, and casts that lowering added.

use super::body::Inference;
use super::table::Table;
use crate::model::*;

impl Inference<'_> {
    pub(super) fn infer_by_type(&mut self, choice: &ByType) -> Type {
        let of = self.infer_expr(&choice.of);
        match &choice.question {
            TypeQuestion::Signed | TypeQuestion::Number => {
                let (then, otherwise) = (self.infer_expr(&choice.then), self.infer_expr(&choice.otherwise));
                self.table.unify(&then, &otherwise);
                if let TypeQuestion::Signed = &choice.question {
                    self.range_types.push(of);
                }
                then
            }
            TypeQuestion::OfStd(answer) => match self.table.follow(&of) {
                Type::Refused => Type::Refused,
                // The loop or the `match` that it is makes rustc refuse anything else.
                ty if matches!(ty, Type::Array(..) | Type::Std(..)) || self.is_written_as_std(&ty) => {
                    answer.set(true);
                    self.infer_expr(&choice.then)
                }
                _ => self.infer_expr(&choice.otherwise),
            },
        }
    }
}

/// Puts one of the two in place of the choice. A type that only rustc knows is taken for `usize`, for which nothing is cast: rustc refuses another.
pub(super) fn settle_by_type(expr: &mut Expr, table: &Table) {
    if let ExprKind::ByType(choice) = &mut expr.kind {
        let is_first = match &choice.question {
            TypeQuestion::OfStd(answer) => answer.get(),
            TypeQuestion::Number => is_of_numbers(&table.resolve(&choice.of.ty)),
            TypeQuestion::Signed => match table.resolve(&choice.of.ty) {
                Type::Refused => false,
                ty => match ty.as_scalar() {
                    Some(scalar) => scalar.is_signed_integer(),
                    None => {
                        take_off_casts(&mut choice.otherwise, table);
                        false
                    }
                },
            },
        };
        let chosen = if is_first { &mut choice.then } else { &mut choice.otherwise };
        let kind = std::mem::replace(&mut chosen.kind, ExprKind::Refused);
        (expr.kind, expr.operator) = (kind, chosen.operator);
        settle_by_type(expr, table);
    }
}

/// Whether its parts are numbers, whose order is that of `>`.
fn is_of_numbers(ty: &Type) -> bool {
    match ty {
        Type::Scalar(_) | Type::Parameter(_) | Type::Refused => true,
        Type::Tuple(parts) | Type::Std(_, parts) => parts.iter().all(is_of_numbers),
        Type::Array(element, _) => is_of_numbers(element),
        _ => false,
    }
}

/// Takes off the casts between `usize` and a type that is not known.
fn take_off_casts(expr: &mut Expr, table: &Table) {
    expr.for_each_inside_mut(&mut |inside| {
        if let InsideMut::Expr(part) = inside {
            take_off_casts(part, table);
        }
    });
    let is_known = |ty: &Type| table.resolve(ty).as_scalar().is_some();
    if let ExprKind::Convert { conversion: Conversion::Cast, to, operand } = &mut expr.kind
        && !(is_known(to) && is_known(&operand.ty))
    {
        (expr.operator, expr.by_reference) = (operand.operator, operand.by_reference);
        expr.kind = std::mem::replace(&mut operand.kind, ExprKind::Refused);
    }
}

/// A cast of an integer is what `as` is, and nothing if the type stays the same.
pub(super) fn settle_cast(expr: &mut Expr) {
    if let ExprKind::Convert { conversion: Conversion::Cast, to: Type::Scalar(to), operand } = &mut expr.kind
        && let Type::Scalar(from) = operand.ty
        && from.is_integer()
        && to.is_integer()
    {
        if from == *to {
            (expr.operator, expr.by_reference) = (operand.operator, operand.by_reference);
            expr.kind = std::mem::replace(&mut operand.kind, ExprKind::Refused);
        } else {
            let operand = Box::new(Expr {
                operator: operand.operator,
                ..Expr::new(std::mem::replace(&mut operand.kind, ExprKind::Refused), operand.ty.clone(), operand.span)
            });
            expr.kind = ExprKind::Cast { operand, to: *to };
        }
    }
}
