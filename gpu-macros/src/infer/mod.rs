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
use crate::lower::Lowered;
use crate::model::*;
use table::Table;

/// Types `lowered` and returns the function with no type variables left.
pub(crate) fn infer_function(lowered: Lowered, errors: &Errors) -> Function {
    let Lowered { mut function, variables } = lowered;
    let mut inference = body::Inference::new(&function, variables, errors);
    inference.infer_body();
    inference.check_closures();
    let mut table = inference.finish();
    table.apply_defaults(errors);
    resolve_function(&mut function, &mut table);
    function
}

fn resolve_function(function: &mut Function, table: &mut Table) {
    for local in &mut function.locals {
        local.ty = table.resolve_fully(&local.ty);
    }
    function.signature.output = table.resolve_fully(&function.output);
    resolve_block(&mut function.body, table);
}

fn resolve_block(block: &mut Block, table: &mut Table) {
    resolve_lets(block, table);
    block.for_each_child_mut(&mut |expr| resolve_expr(expr, table));
}

fn resolve_expr(expr: &mut Expr, table: &mut Table) {
    expr.ty = table.resolve_fully(&expr.ty);
    settle_axis(expr, table);
    settle_method(expr, table);
    settle_bits(expr, table);
    match &mut expr.kind {
        ExprKind::Closure(closure) => closure.output = table.resolve_fully(&closure.output),
        ExprKind::FunctionItem { explicit, .. } | ExprKind::Call { explicit, .. } => {
            for argument in explicit {
                if let GenericArgument::Type(ty) = argument {
                    *ty = table.resolve_fully(ty);
                }
            }
        }
        ExprKind::Convert { to, .. } => *to = table.resolve_fully(to),
        ExprKind::Struct { constructor, .. } => {
            if let Type::Named(named) = &expr.ty
                && named.completes(&constructor.owner)
            {
                constructor.owner = named.clone();
            }
        }
        ExprKind::If { then: block, .. }
        | ExprKind::Block { block, .. }
        | ExprKind::Loop { body: block, .. }
        | ExprKind::While { body: block, .. }
        | ExprKind::For { body: block, .. } => resolve_lets(block, table),
        ExprKind::Let { pattern, .. } => resolve_pattern(pattern, table),
        ExprKind::Match { arms, .. } => arms.iter_mut().for_each(|arm| resolve_pattern(&mut arm.pattern, table)),
        _ => {}
    }
    expr.for_each_child_mut(&mut |child| resolve_expr(child, table));
}

/// An expression that looks like the field of a struct may be a coordinate.
fn settle_axis(expr: &mut Expr, table: &Table) {
    if let ExprKind::Field { base, name } = &expr.kind
        && table.resolve(&base.ty) == Type::Dim3
        && let Some(axis) = Axis::from_name(name)
        && let ExprKind::Field { base, name } = std::mem::replace(&mut expr.kind, ExprKind::Bool(false))
    {
        expr.kind = ExprKind::Axis { base, axis, name };
    }
}

/// An expression that looks like a method of a number may be a method of a trait: then inference gave it the type of that result.
fn settle_method(expr: &mut Expr, table: &mut Table) {
    let is_of_trait = match &expr.kind {
        ExprKind::Method { name, receiver, args, .. } => {
            expr.ty == table.resolve_fully(&receiver.ty).part(Part::Output(syn::ext::IdentExt::unraw(name), args.len()))
        }
        _ => false,
    };
    if is_of_trait && let ExprKind::Method { name, receiver, args, .. } = std::mem::replace(&mut expr.kind, ExprKind::Bool(false)) {
        expr.kind = ExprKind::Associated { path: None, receiver: Some(receiver), name, args };
    }
}

/// `x.to_bits()` of a type that only rustc sees is a function of that type, as its result is of a type that only rustc sees.
fn settle_bits(expr: &mut Expr, table: &Table) {
    if let ExprKind::Method { method, receiver, .. } = &expr.kind
        && let (Type::Named(_), "to_bits") = (table.resolve(&receiver.ty), method.name)
        && let ExprKind::Method { receiver, name, args, .. } = std::mem::replace(&mut expr.kind, ExprKind::Bool(false))
    {
        expr.kind = ExprKind::Associated { path: None, receiver: Some(receiver), name, args };
    }
}

fn resolve_lets(block: &mut Block, table: &mut Table) {
    for stmt in &mut block.stmts {
        if let Stmt::Let(local) = stmt {
            local.ty = table.resolve_fully(&local.ty);
            resolve_pattern(&mut local.pattern, table);
            if let Some(otherwise) = &mut local.otherwise {
                resolve_lets(otherwise, table);
            }
        }
    }
}

fn resolve_pattern(pattern: &mut Pattern, table: &mut Table) {
    pattern.ty = table.resolve_fully(&pattern.ty);
    pattern.for_each_part_mut(&mut |part| resolve_pattern(part, table));
}
