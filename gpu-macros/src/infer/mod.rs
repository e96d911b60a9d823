//! Gives every expression its type, by unification over the body.
//!
//! C has no inference like Rust's, so the types are needed before CUDA C can be written. They are not trusted: the twin is stamped with
//! them (`2.0` becomes `2.0f32`), and rustc refuses the program where they are wrong. So a type conflict found here is not reported: rustc
//! will report it, in its own words, on the user's tokens. Only code that rustc accepts and the macro cannot type is reported: a literal
//! whose type depends on something that the macro cannot see.

mod body;
mod pattern;
mod structs;
mod table;
#[cfg(test)]
mod tests;

use crate::errors::Errors;
use crate::lower::Untyped;
use crate::model::*;
use table::Table;

/// Types `untyped` and returns the function with no type variables left.
pub(crate) fn infer_function(untyped: Untyped, errors: &Errors) -> Function {
    let (mut function, variables) = untyped.into_parts();
    let mut inference = body::Inference::new(&function, variables, errors);
    inference.infer_body();
    inference.check_closures();
    let mut table = inference.finish();
    table.apply_defaults(errors);
    resolve_function(&mut function, &table);
    function
}

fn resolve_function(function: &mut Function, table: &Table) {
    for local in &mut function.locals {
        local.ty = table.resolve_fully(&local.ty);
    }
    function.signature.output = table.resolve_fully(&function.output);
    resolve(InsideMut::Block(&mut function.body), table);
}

fn resolve(inside: InsideMut<'_>, table: &Table) {
    match inside {
        InsideMut::Expr(expr) => resolve_expr(expr, table),
        InsideMut::Block(block) => block.for_each_inside_mut(&mut |inside| resolve(inside, table)),
        InsideMut::Pattern(pattern) => pattern.for_each_inside_mut(&mut |inside| resolve(inside, table)),
        InsideMut::Type(ty) => *ty = table.resolve_fully(ty),
    }
}

fn resolve_expr(expr: &mut Expr, table: &Table) {
    expr.for_each_inside_mut(&mut |inside| resolve(inside, table));
    settle_axis(expr);
    settle_method(expr);
    settle_bits(expr);
    settle_constructor(expr);
}

/// An expression that looks like the field of a struct may be a coordinate.
fn settle_axis(expr: &mut Expr) {
    if let ExprKind::Field { base, name } = &expr.kind
        && base.ty == Type::Dim3
        && let Some(axis) = Axis::from_name(name)
        && let ExprKind::Field { base, name } = std::mem::replace(&mut expr.kind, ExprKind::Refused)
    {
        expr.kind = ExprKind::Axis { base, axis, name };
    }
}

/// An expression that looks like a method of a number may be a method of a trait: then inference gave it the type of that result.
fn settle_method(expr: &mut Expr) {
    if let ExprKind::Method { name, receiver, args, .. } = &expr.kind
        && expr.ty == receiver.ty.part(Part::Output(syn::ext::IdentExt::unraw(name), args.len()))
    {
        make_associated(expr);
    }
}

/// `x.to_bits()` of a type that only rustc sees is a function of that type, as its result is of a type that only rustc sees.
fn settle_bits(expr: &mut Expr) {
    if let ExprKind::Method { method: Method::ToBits, receiver, .. } = &expr.kind
        && let Type::Named(_) = receiver.ty
    {
        make_associated(expr);
    }
}

fn make_associated(expr: &mut Expr) {
    if let ExprKind::Method { receiver, name, args, .. } = std::mem::replace(&mut expr.kind, ExprKind::Refused) {
        expr.kind = ExprKind::Associated { path: None, receiver: Some(receiver), name, args };
    }
}

/// The struct of `Pair { a, b }` is an instance of a generic type, which inference found.
fn settle_constructor(expr: &mut Expr) {
    if let (ExprKind::Struct { constructor, .. }, Type::Named(named)) = (&mut expr.kind, &expr.ty)
        && named.completes(&constructor.owner)
    {
        constructor.owner = named.clone();
    }
}
