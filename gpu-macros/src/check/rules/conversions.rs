//! Numbers of one type where another is wanted, and methods that the type of a number does not have. rustc reports them too, but proposes
//! conversions that kernels do not have, such as `try_into().unwrap()`.

use crate::errors::Errors;
use crate::model::*;
use proc_macro2::Span;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// What is known of variables from their declarations.
#[derive(Default)]
pub(crate) struct Declared {
    /// Those of a wrong type, which have had their message: what follows from the type gets no other.
    blamed: RefCell<HashSet<LocalId>>,
    /// Those that begin as integers without a suffix.
    integers: RefCell<HashMap<LocalId, (Span, u128)>>,
}

impl Declared {
    fn blame(&self, local: LocalId) {
        self.blamed.borrow_mut().insert(local);
    }

    fn is_blamed(&self, value: &Expr) -> bool {
        matches!(value.kind, ExprKind::Local(local) if self.blamed.borrow().contains(&local))
    }
}

/// The conversions in an expression, without those in its parts.
pub(crate) fn check_conversions(function: &Function, expr: &Expr, declared: &Declared, errors: &Errors) {
    match &expr.kind {
        ExprKind::Index { index, .. } => check_index(index, declared, errors),
        ExprKind::Subslice { start, end, .. } => std::iter::once(start).chain(end).for_each(|end| check_index(end, declared, errors)),
        ExprKind::Element { indices, .. } => indices.iter().for_each(|index| check_index(index, declared, errors)),
        ExprKind::Assign { target: Target::Place(place), value } if !declared.is_blamed(value) => check_value(&place.ty, value, errors),
        ExprKind::CompoundAssign { op, place, value, .. } if !op.is_shift() => check_added(function, place, value, declared, errors),
        ExprKind::Method { method, name, receiver, .. } => check_receiver(*method, name, receiver, errors),
        ExprKind::If { condition, .. } | ExprKind::While { condition, .. } => check_value(&Type::Scalar(Scalar::Bool), condition, errors),
        ExprKind::Binary { op, left, right, .. } if !op.is_shift() => check_operands(left, right, expr, errors),
        ExprKind::Cast { operand, to: Scalar::Bool } => check_cast_to_bool(operand, errors),
        _ => {}
    }
}

/// `value` stands where a value of the type `wanted` must stand.
pub(crate) fn check_value(wanted: &Type, value: &Expr, errors: &Errors) {
    let (Some(wanted), Some(found)) = (wanted.as_scalar(), value.ty.as_scalar()) else { return };
    if wanted == found || is_left_to_rustc(value) || is_mismatch(value) {
        return;
    }
    let help = match (wanted, found) {
        (Scalar::Bool, _) => "compare it, such as `x != 0`".to_owned(),
        (wanted, Scalar::Bool) if wanted.is_float() => format!("write `if … {{ 1.0 }} else {{ 0.0 }}`, or `… as u8 as {}`", wanted.name()),
        (wanted, _) => format!("convert it: `… as {}`", wanted.name()),
    };
    errors.push_invalid(value.span, format!("mismatched types: expected `{}`, found `{}`\nhelp: {help}", wanted.name(), found.name()));
}

/// The value of the variable that is declared here.
pub(crate) fn check_declared(local: LocalId, wanted: &Type, value: &Expr, declared: &Declared, errors: &Errors) {
    let before = errors.count();
    check_value(wanted, value, errors);
    if let ExprKind::Int(IntLiteral { value: number, suffix: None, .. }) = value.kind {
        declared.integers.borrow_mut().insert(local, (value.span, number));
    }
    if errors.count() > before {
        declared.blame(local);
    }
}

/// `place += value`.
fn check_added(function: &Function, place: &Expr, value: &Expr, declared: &Declared, errors: &Errors) {
    let (ExprKind::Local(local), Some(added)) = (&place.kind, value.ty.as_scalar()) else { return };
    if declared.is_blamed(place) || is_mismatch(value) || is_left_to_rustc(value) {
        return;
    }
    let (name, added_name) = (&function.local(*local).name, added.name());
    let integer = declared.integers.borrow().get(local).copied();
    let (span, message) = match (integer, mismatch(place, value)) {
        (Some((span, number)), _) if added.is_float() => {
            (span, format!("`{name}` begins as an integer, but what is added later is an `{added_name}`\nhelp: write `{number}.0`"))
        }
        (_, Some((variable, _))) => {
            let (variable, found) = (variable.name(), format!("this value is an `{added_name}`"));
            (value.span, format!("`{name}` is of type `{variable}`, but {found}\nhelp: convert the value with `as {variable}`"))
        }
        _ => return,
    };
    declared.blame(*local);
    errors.push_invalid(span, message);
}

/// The types of two operands that have no operator in common.
fn mismatch(left: &Expr, right: &Expr) -> Option<(Scalar, Scalar)> {
    let (first, second) = (left.ty.as_scalar()?, right.ty.as_scalar()?);
    (first != second && !is_left_to_rustc(left) && !is_left_to_rustc(right)).then_some((first, second))
}

/// Whether the type of `value` follows from operands that do not fit, which have a message of their own.
fn is_mismatch(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Unary { operand, .. } => is_mismatch(operand),
        ExprKind::Binary { op, left, right, .. } => {
            !op.is_shift() && mismatch(left, right).is_some() || is_mismatch(left) || is_mismatch(right)
        }
        _ => false,
    }
}

fn check_operands(left: &Expr, right: &Expr, whole: &Expr, errors: &Errors) {
    if is_mismatch(left) || is_mismatch(right) {
        return;
    }
    if let Some((first, second)) = mismatch(left, right) {
        let (first, second) = (first.name(), second.name());
        errors.push_invalid(
            whole.operator,
            format!("`{first}` and `{second}` cannot be combined without a conversion\nhelp: convert one of them with `as {first}` or `as {second}`"),
        );
    }
}

fn check_cast_to_bool(operand: &Expr, errors: &Errors) {
    if operand.ty.as_scalar().is_some_and(|scalar| scalar != Scalar::Bool) {
        errors.push_invalid(operand.span, "`as` cannot convert to `bool`\nhelp: compare with zero: `x != 0`, or `x != 0.0` for a float");
    }
}

fn check_index(index: &Expr, declared: &Declared, errors: &Errors) {
    let Some(found) = index.ty.as_scalar().filter(|found| *found != Scalar::Usize) else { return };
    if !is_left_to_rustc(index) && !declared.is_blamed(index) {
        if let ExprKind::Local(local) = index.kind {
            declared.blame(local);
        }
        let name = found.name();
        errors.push_invalid(index.span, format!("an index must be a `usize`, not `{name}`\nhelp: convert it: `x[i as usize]`"));
    }
}

fn check_receiver(method: Method, name: &syn::Ident, receiver: &Expr, errors: &Errors) {
    let Some(found) = receiver.ty.as_scalar().filter(|found| *found != Scalar::Bool) else { return };
    let (fits, of, instead) = match method.receiver {
        Receiver::Float => (found.is_float(), "floats", "f32"),
        Receiver::Integer => (found.is_integer(), "integers", "i32"),
        Receiver::Unsigned => (found.is_unsigned_integer(), "unsigned integers", "u32"),
        Receiver::Signed => (found.is_signed_integer(), "signed integers", "i32"),
        Receiver::SignedNumber => (found.is_float() || found.is_signed_integer(), "signed numbers", "i32"),
        Receiver::Number | Receiver::Array => return,
    };
    if !fits && !is_left_to_rustc(receiver) {
        let help = match (method, found.is_float()) {
            (Method::Pow, true) => "write `x.powi(2)`, or `x.powf(0.5)`".to_owned(),
            (Method::Powi | Method::Powf, false) => "write `x.pow(2)`, or convert it first: `(x as f32).powi(2)`".to_owned(),
            _ => format!("convert it first: `(x as {instead}).{}`", method.call()),
        };
        errors
            .push_invalid(name.span(), format!("`{name}` is a method of {of}, but this value is of type `{}`\nhelp: {help}", found.name()));
    }
}

/// rustc corrects literals better, and names the part of an `if` or `match` that is wrong.
fn is_left_to_rustc(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::If { .. } | ExprKind::Match { .. } | ExprKind::Block { .. } => true,
        ExprKind::Unary { operand, .. } => is_left_to_rustc(operand),
        ExprKind::Binary { left, right, .. } => is_left_to_rustc(left) && is_left_to_rustc(right),
        _ => false,
    }
}
