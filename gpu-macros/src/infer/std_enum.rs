//! `Option` and `Result`: the types of their variants, and which of the two it is where the syntax does not tell.

use super::body::Inference;
use crate::model::*;

impl Inference<'_> {
    pub(super) fn infer_variant(&mut self, variant: StdVariant, value: Option<&Expr>) -> Type {
        let owner = variant.owner().unwrap_or(StdEnum::Option);
        let mut arguments: Vec<Type> = (0..owner.arity()).map(|_| self.table.fresh()).collect();
        if let (Some(value), Some(index)) = (value, variant.argument()) {
            arguments[index] = self.infer_expr(value);
        }
        Type::Std(owner, arguments)
    }

    /// What is an `Option` or a `Result`: of what a device function returns, rustc finds which.
    pub(super) fn infer_either(&mut self, operand: &Expr) -> Type {
        let ty = self.infer_expr(operand);
        match self.table.follow(&ty) {
            Type::Scalar(scalar) => {
                self.errors.push_invalid(
                    operand.span,
                    format!(
                        "this value is of type `{}`, so it has no methods of `Option` and `Result`\nhelp: remove the call of the method",
                        scalar.name()
                    ),
                );
                Type::Refused
            }
            other => other,
        }
    }

    /// The type of what is of the same enum as `like`; where only rustc sees that, of an `Option`.
    pub(super) fn infer_again(&mut self, like: &Type, value: &Expr, of_rest: bool) -> Type {
        let value = self.infer_expr(value);
        match (self.table.resolve(like), of_rest) {
            (Type::Std(StdEnum::Result, arguments), false) => Type::result(value, arguments[1].clone()),
            (Type::Std(StdEnum::Result, _), true) => Type::result(self.table.fresh(), value),
            (_, false) => Type::option(value),
            (_, true) => Type::option(self.table.fresh()),
        }
    }
}

/// The enum that a type is, or that rustc says it is not. `None`: only rustc knows.
fn settled(ty: &Type) -> Option<StdEnum> {
    match ty {
        Type::Std(owner, _) => Some(*owner),
        ty => (!ty.is_followed()).then_some(StdEnum::Option),
    }
}

/// Of a pattern of either enum: the variant of the one that it is.
pub(super) fn settle_pattern(pattern: &mut Pattern) {
    let PatternKind::Variant { variant, part } = &mut pattern.kind else { return };
    if variant.owner().is_some() {
        return;
    }
    if let Some(owner) = settled(&pattern.ty) {
        *variant = variant.of(owner);
        if variant.argument().is_none() {
            *part = None;
        }
    } else if let (StdVariant::Rest, Some(part)) = (*variant, part) {
        // There may be nothing in it.
        part.kind = PatternKind::Wildcard;
    }
}

/// Of an expression of either enum: the variant of the one that it is.
pub(super) fn settle_expr(expr: &mut Expr) {
    match &mut expr.kind {
        ExprKind::Either(operand) if settled(&operand.ty).is_some() => {
            expr.kind = std::mem::replace(&mut operand.kind, ExprKind::Refused);
        }
        ExprKind::Again { value, of_rest, .. } => {
            let owner = settled(&expr.ty).unwrap_or(StdEnum::Option);
            let variant = if *of_rest { owner.rest() } else { owner.value() };
            let kind = std::mem::replace(&mut value.kind, ExprKind::Refused);
            let value = Expr { operator: value.operator, ..Expr::new(kind, value.ty.clone(), value.span) };
            expr.kind = ExprKind::Variant { variant, value: variant.argument().map(|_| Box::new(value)) };
        }
        _ => {}
    }
}
