//! The inputs of `ptx!`.

use crate::errors::Errors;
use crate::model::*;

/// Refuses an input for which PTX has no register, or whose type the macro does not see: it picks the kind of register.
pub(crate) fn check_assembly(function: &Function, errors: &Errors) {
    function.body.for_each_child(&mut |expr| check_expr(expr, errors));
}

fn check_expr(expr: &Expr, errors: &Errors) {
    if let ExprKind::Assembly(assembly) = &expr.kind {
        for input in &assembly.inputs {
            match &input.ty {
                Type::Scalar(scalar) if has_register(*scalar) => {}
                Type::Opaque | Type::Parameter(_) | Type::Part(..) => errors.push(
                    input.span,
                    "cannot infer the type of this input, which decides its PTX register\nhelp: bind it with its type first, `let a: u32 = …`",
                ),
                _ => errors.push_invalid(input.span, NO_REGISTER),
            }
        }
    }
    expr.for_each_child(&mut |child| check_expr(child, errors));
}
