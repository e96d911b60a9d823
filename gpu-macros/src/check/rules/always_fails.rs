//! Rules that rustc would check in plain Rust but cannot see in the twin, where operators are calls.

use super::prints::check_prints;
use super::scoped_atomics::check_scoped_atomics;
use crate::errors::Errors;
use crate::idents::words_of;
use crate::model::*;
use proc_macro2::Span;
use syn::ext::IdentExt;

/// Reports operations that always fail.
pub(crate) fn check_rules(function: &Function, errors: &Errors) {
    check_block_names(function, errors);
    function.body.for_each_child(&mut |expr| check_expr(expr, errors));
    check_prints(function, errors);
    check_scoped_atomics(function, errors);
}

fn check_expr(expr: &Expr, errors: &Errors) {
    match &expr.kind {
        ExprKind::Index { base, index, .. } => check_constant_index(base, index, errors),
        ExprKind::Binary { op, left, right, .. } | ExprKind::CompoundAssign { op, place: left, value: right, .. } => {
            check_divisor(*op, left, right, expr.span, errors);
            check_shift(*op, left, right, errors);
            check_operands(*op, left, right, expr.operator, errors);
        }
        ExprKind::Unary { op, operand } => check_operand(*op, operand, expr.span, errors),
        ExprKind::Intrinsic { intrinsic: Intrinsic::Builtin { builtin, .. }, args, .. } => check_exchanged(*builtin, args, errors),
        _ => {}
    }
    expr.for_each_child(&mut |child| check_expr(child, errors));
}

/// `block = N` is outside of the body, where `N` may be a different constant than inside. The generated code needs both in one place.
fn check_block_names(function: &Function, errors: &Errors) {
    let FunctionKind::Kernel(KernelOptions { block: Some(extents), .. }) = &function.kind else { return };
    for extent in extents {
        let words = words_of(extent.tokens());
        let hidden = function.constants.iter().find(|constant| words.contains(&constant.name.unraw().to_string()));
        if let Some(constant) = hidden {
            let name = &constant.name;
            errors.push(
                name.span(),
                format!("this constant shadows the `{name}` of `block = …`\nhelp: rename it, or move it out of the kernel"),
            );
        }
    }
}

/// rustc denies `[1, 2, 3][3]` (`unconditional_panic`).
fn check_constant_index(base: &Expr, index: &Expr, errors: &Errors) {
    if let (ExprKind::Int(literal), Some((_, Some(length)))) = (&index.kind, base.ty.element())
        && let Some(length) = length.value()
        && literal.value >= u128::from(length)
    {
        errors.push(
            index.span,
            format!(
                "the index {} is out of bounds for an array of length {length}\nhelp: indices begin at 0 and end at {}",
                literal.value,
                length.saturating_sub(1)
            ),
        );
    }
}

/// Checks the values that the threads of a warp exchange. rustc's message would name the twin's function, twice.
fn check_exchanged(builtin: Builtin, args: &[Expr], errors: &Errors) {
    let Some(value) = builtin.params.iter().position(|param| *param == BuiltinType::Same).map(|at| &args[at]) else { return };
    let name = builtin.name;
    let message = match (&value.ty, builtin.values) {
        (Type::Tuple(_) | Type::Array(..) | Type::Dim3 | Type::Unit, _) => {
            format!("only numbers and `bool`s can be exchanged between the threads of a warp\nhelp: call `{name}` for each element")
        }
        (Type::Scalar(Scalar::Bool), Values::Numbers | Values::Integers) => {
            format!("`{name}` takes numbers\nhelp: use `warp_all`, `warp_any` or `warp_ballot` for a condition")
        }
        (Type::Scalar(scalar), Values::Integers) if scalar.is_float() => {
            format!("`{name}` takes integers\nhelp: for the bits of a float, write `x.to_bits()`")
        }
        _ => return,
    };
    errors.push_invalid(value.span, message);
}

/// rustc denies `x / 0` for integers (`unconditional_panic`).
fn check_divisor(op: BinaryOp, left: &Expr, right: &Expr, span: Span, errors: &Errors) {
    if op.can_fail()
        && left.ty.as_scalar().is_some_and(Scalar::is_integer)
        && matches!(&right.kind, ExprKind::Int(IntLiteral { value: 0, .. }))
    {
        let what = if op == BinaryOp::Divide { "division" } else { "remainder" };
        errors.push(span, format!("the divisor of this {what} is zero\nhelp: correct the divisor, or divide floats"));
    }
}

/// Checks that the operator is one of the type. rustc says so too, but not what to write.
fn check_operand(op: UnaryOp, operand: &Expr, span: Span, errors: &Errors) {
    let Some(scalar) = operand.ty.as_scalar() else { return };
    let name = scalar.name();
    let message = match op {
        UnaryOp::Not if scalar.is_float() => {
            format!("`!` is an operator of integers and `bool`, not of `{name}`\nhelp: for the bits of a float, write `!x.to_bits()`")
        }
        UnaryOp::Negate if scalar.is_unsigned_integer() => {
            let help = match &operand.kind {
                ExprKind::Int(_) => "count from the end: `x[x.len() - 1]`; a signed number is an `i32`",
                _ => "convert it first, such as `-(x as i32)`",
            };
            format!("a `{name}` is never negative\nhelp: {help}")
        }
        UnaryOp::Not | UnaryOp::Negate => return,
    };
    errors.push_invalid(span, message);
}

/// The same of two operands.
fn check_operands(op: BinaryOp, left: &Expr, right: &Expr, operator: Span, errors: &Errors) {
    let Some(scalar) = left.ty.as_scalar() else { return };
    let (name, symbol) = (scalar.name(), op.symbol());
    let message = match &right.kind {
        _ if op.is_shift() && scalar.is_float() => {
            format!("`{symbol}` is an operator of integers, not of `{name}`\nhelp: multiply or divide, such as `x * 2.0`")
        }
        ExprKind::Float(literal) if scalar.is_integer() && !op.is_shift() => {
            let digits = &literal.digits;
            format!(
                "an integer, here of type `{name}`, and the float `{digits}` cannot be combined\nhelp: convert the integer, such as `x as f32 {symbol} {digits}`"
            )
        }
        _ => return,
    };
    errors.push_invalid(operator, message);
}

/// rustc denies `x << 32` for a 32-bit `x` (`arithmetic_overflow`).
fn check_shift(op: BinaryOp, left: &Expr, right: &Expr, errors: &Errors) {
    if let (true, Some(scalar), ExprKind::Int(amount)) = (op.is_shift(), left.ty.as_scalar(), &right.kind)
        && scalar.is_integer()
        && amount.value >= scalar.bits().into()
    {
        errors.push(
            right.span,
            format!(
                "this shift is out of range: `{}` has {} bits\nhelp: shift by at most {}",
                scalar.name(),
                scalar.bits(),
                scalar.bits() - 1
            ),
        );
    }
}
