//! Gives every expression its type, by unification over the body.
//!
//! C has no inference like Rust's, so the types are needed before CUDA C can be written. They are not trusted: the twin is stamped with
//! them (`2.0` becomes `2.0f32`), and rustc refuses the program where they are wrong. So a type conflict found here is not reported: rustc
//! will report it, in its own words, on the user's tokens. Only code that rustc accepts and the macro cannot type is reported: a literal
//! whose type depends on something that the macro cannot see.

mod body;
mod by_type;
mod calls;
mod dual;
mod operators;
mod pattern;
mod std_enum;
mod structs;
mod table;
#[cfg(test)]
mod tests;
mod tile;

use crate::errors::Errors;
use crate::model::*;
use crate::source_scope::Surroundings;
use crate::syntax::in_expressions;
pub(crate) use dual::DUAL_METHODS;
use proc_macro2::{Ident, Span};
use table::Table;

/// Types `untyped` and returns the function with no type variables left.
pub(crate) fn infer_function(untyped: Untyped, errors: &Errors) -> Function {
    infer_function_in(untyped, None, errors)
}

/// The same of a function in this text, if that is known.
pub(crate) fn infer_function_in(untyped: Untyped, around: Option<Surroundings>, errors: &Errors) -> Function {
    let (mut function, variables, mut constant_names) = untyped.into_parts();
    constant_names.retain(|name| is_outside(&function, name));
    let mut inference = body::Inference::new(&function, variables, around, &constant_names, errors);
    inference.infer_body();
    inference.check_closures();
    let (mut table, field_types, around) = inference.finish();
    function.field_types = field_types;
    function.numbers = numbers_of(&function, constant_names, around);
    table.apply_defaults(errors);
    refuse_large_types(&function, &table, errors);
    resolve_function(&mut function, &table, errors);
    function
}

/// Whether the constant of this name stands outside of the function.
fn is_outside(function: &Function, name: &Ident) -> bool {
    function.constants.iter().all(|constant| constant.name != *name)
        && function.const_params.iter().all(|param| param.name != *name)
        && function.type_params.iter().all(|param| param.name != *name)
}

/// The constants that `function` names, as far as the text around it shows their numbers.
fn numbers_of(function: &Function, names: Vec<Ident>, around: Option<Surroundings>) -> Vec<NamedNumber> {
    if names.is_empty() {
        return Vec::new();
    }
    let around = around.unwrap_or_else(|| Surroundings::of(&function.name));
    let number = |name: &Ident| match around.import_of(name) {
        Some(path) => (name == "WARP_SIZE" && path.segments[0].ident == "gpu_runtime").then_some(WARP_SIZE),
        None if name == "WARP_SIZE" && !around.declares_constant("WARP_SIZE") => Some(WARP_SIZE),
        None => around.number(&name.to_string()),
    };
    names.into_iter().filter_map(|name| Some(NamedNumber { number: number(&name)?, name })).collect()
}

/// What the runtime's constant of this name is.
const WARP_SIZE: u64 = 32;

/// Reports the first type that has too many parts.
fn refuse_large_types(function: &Function, table: &Table, errors: &Errors) {
    if table.has_too_large() {
        let local = function.locals.iter().find(|local| table.is_too_large(&local.ty));
        let span = local.map_or_else(|| function.name.span(), |local| local.name.span());
        errors.push(span, "this type has more than 4096 parts\nhelp: use an array, such as `[x; 16]`");
    }
}

fn resolve_function(function: &mut Function, table: &Table, errors: &Errors) {
    for local in &mut function.locals {
        local.ty = table.resolve_fully(&local.ty);
    }
    function.signature.output = table.resolve_fully(&function.output);
    resolve(InsideMut::Block(&mut function.body), table, errors);
}

fn resolve(inside: InsideMut<'_>, table: &Table, errors: &Errors) {
    match inside {
        InsideMut::Expr(expr) => resolve_expr(expr, table, errors),
        InsideMut::Block(block) => block.for_each_inside_mut(&mut |inside| resolve(inside, table, errors)),
        InsideMut::Pattern(pattern) => {
            pattern.for_each_inside_mut(&mut |inside| resolve(inside, table, errors));
            std_enum::settle_pattern(pattern);
            settle_pattern(pattern);
        }
        InsideMut::Type(ty) => *ty = table.resolve_fully(ty),
    }
}

fn resolve_expr(expr: &mut Expr, table: &Table, errors: &Errors) {
    by_type::settle_by_type(expr, table);
    expr.for_each_inside_mut(&mut |inside| resolve(inside, table, errors));
    settle_axis(expr);
    settle_method(expr);
    settle_bits(expr);
    by_type::settle_cast(expr);
    settle_constructor(expr);
    settle_start(expr, errors);
    std_enum::settle_expr(expr);
}

/// The first value of a sum or a product, whose type is known now.
fn settle_start(expr: &mut Expr, errors: &Errors) {
    let ExprKind::Start(start) = expr.kind else { return };
    let number = |digits: &str| ExprKind::Float(FloatLiteral { digits: digits.to_owned(), suffix: None });
    let negated = |operand: ExprKind, ty: &Type| {
        let operand = Box::new(Expr::new(operand, ty.clone(), expr.span));
        ExprKind::Unary { op: UnaryOp::Negate, operand }
    };
    let associated = |param: &TypeParam, name: &str| {
        let (param, name) = (&param.name, Ident::new(name, Span::mixed_site().located_at(expr.span)));
        ExprKind::Constant(syn::parse_quote!(#param::#name))
    };
    expr.kind = match (&expr.ty, start) {
        (Type::Scalar(Scalar::Bool), StartOf::Default) => ExprKind::Bool(false),
        (Type::Scalar(scalar), _) if scalar.is_integer() => {
            ExprKind::Int(IntLiteral { value: u128::from(start == StartOf::Product), suffix: None })
        }
        (Type::Scalar(scalar), StartOf::Sum) if scalar.is_float() => negated(number("0.0"), &expr.ty),
        (Type::Scalar(scalar), _) if scalar.is_float() => number(if start == StartOf::Product { "1.0" } else { "0.0" }),
        (Type::Parameter(param), StartOf::Sum) if param.class == Some(Class::Float) => negated(associated(param, "ZERO"), &expr.ty),
        (Type::Parameter(param), StartOf::Product) => associated(param, "ONE"),
        (Type::Parameter(param), _) => associated(param, "ZERO"),
        (ty, StartOf::Default) if ty.is_option() => ExprKind::NONE,
        (Type::Named(NamedType { path }), StartOf::Default) => {
            let (owner, name) = (in_expressions(path), Ident::new("default", expr.span));
            let path = FunctionPath { qself: None, path: syn::parse_quote!(#owner::#name) };
            ExprKind::Associated { path: Some(path), receiver: None, name, args: Vec::new() }
        }
        (Type::Refused, _) => ExprKind::Refused,
        _ => {
            let help = match start {
                StartOf::Sum => "write it, such as `.sum::<f32>()`; for other types than numbers, use `fold`",
                StartOf::Product => "write it, such as `.product::<f32>()`; for other types than numbers, use `fold`",
                StartOf::Default => "write the value: `.unwrap_or(0)`; `replace(&mut x, 0)` in place of `take(&mut x)`",
            };
            errors.push(expr.span, format!("cannot infer the type of this number\nhelp: {help}"));
            ExprKind::Refused
        }
    };
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
        && expr.ty == receiver.ty.part(Part::Output(MethodCall::of_values(name, args.len())))
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

/// The same of a pattern.
fn settle_pattern(pattern: &mut Pattern) {
    if let (PatternKind::Struct(StructPattern { constructor, .. }), Type::Named(named)) = (&mut pattern.kind, &pattern.ty)
        && named.completes(&constructor.owner)
    {
        constructor.owner = named.clone();
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
