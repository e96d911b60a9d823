//! Whether values support the format in the text of a `println!`. rustc cannot check this, because it sees values of the runtime's type,
//! which supports every format.

use crate::errors::Errors;
use crate::model::*;

/// Reports arguments of `println!` that are no numbers, and formats that their type does not have.
pub(crate) fn check_prints(function: &Function, errors: &Errors) {
    function.body.for_each_child(&mut |expr| check_expr(function, expr, errors));
}

fn check_expr(function: &Function, expr: &Expr, errors: &Errors) {
    if let ExprKind::Intrinsic { intrinsic: Intrinsic::Print(site), args, .. } = &expr.kind
        && let SiteKind::Print(text) = &function.site(*site).kind
    {
        let mut is_used = vec![false; args.len()];
        for placeholder in &text.placeholders {
            let position = position(placeholder, text);
            match args.get(position) {
                Some(arg) => {
                    is_used[position] = true;
                    check_format(placeholder, arg, errors);
                }
                None => errors.push_invalid(
                    expr.span,
                    format!("this text has a placeholder for value {}, but the number of values is {}\nhelp: append the value, or remove the placeholder", position + 1, args.len()),
                ),
            }
        }
        for (arg, _) in args.iter().zip(is_used).filter(|(_, is_used)| !is_used) {
            errors.push_invalid(arg.span, "this value has no placeholder in the text\nhelp: write `{}` where the text should show it");
        }
    }
    expr.for_each_child(&mut |child| check_expr(function, child, errors));
}

fn is_printable(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(_) | Type::Parameter(_) | Type::Opaque | Type::Refused)
}

/// Which argument a placeholder shows.
fn position(placeholder: &Placeholder, text: &PrintText) -> usize {
    match &placeholder.argument {
        PlaceholderArgument::Position(position) => *position,
        PlaceholderArgument::Name(name) => {
            text.names.iter().position(|known| known.as_ref() == Some(name)).expect("a name that is no argument's is captured")
        }
    }
}

fn check_format(placeholder: &Placeholder, arg: &Expr, errors: &Errors) {
    if !is_printable(&arg.ty) {
        let message = "only numbers and `bool` can be printed in kernels\nhelp: print the elements";
        // rustc prints arrays and tuples, but only so.
        if placeholder.format == "?" {
            errors.push(arg.span, message);
        } else {
            errors.push_invalid(arg.span, message);
        }
        return;
    }
    let (float, integer) = match &arg.ty {
        Type::Scalar(scalar) => (scalar.is_float(), scalar.is_integer()),
        Type::Parameter(TypeParam { class, .. }) => (*class == Some(Class::Float), *class == Some(Class::Integer)),
        _ => return,
    };
    let has = match placeholder.format.as_str() {
        "" | "?" => true,
        "e" | "E" => float || integer,
        "x" | "X" | "o" | "b" | "x?" | "X?" => integer,
        _ => false,
    };
    if !has {
        let format = &placeholder.format;
        errors.push_invalid(
            arg.span,
            format!("this value does not support the format `{{:{format}}}`\nhelp: write `{{}}`, or print its bits: `x.to_bits()`"),
        );
    }
}
