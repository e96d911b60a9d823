//! What the copy of a function that `grad` makes cannot do with a float that has a derivative.

use super::body::Inference;
use crate::model::*;
use proc_macro2::{Ident, Span};

/// The methods of numbers that dual numbers have: the table is in `gpu-runtime/src/gradient.rs`.
pub(crate) const DUAL_METHODS: [&str; 45] = [
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cbrt",
    "ceil",
    "clamp_of_float",
    "copysign",
    "cos",
    "cosh",
    "exp",
    "exp2",
    "exp_m1",
    "floor",
    "fract",
    "hypot",
    "is_finite",
    "is_infinite",
    "is_nan",
    "ln",
    "ln_1p",
    "log",
    "log10",
    "log2",
    "max",
    "min",
    "mul_add",
    "powf",
    "powi",
    "recip",
    "rem_euclid_of_float",
    "round",
    "round_ties_even",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "to_degrees",
    "to_radians",
    "trunc",
];

impl Inference<'_> {
    fn is_dual(&self, ty: &Type) -> bool {
        matches!(self.table.resolve(ty), Type::Named(named) if named.is_dual())
    }

    pub(super) fn check_cast_of_dual(&self, operand: &Type, to: Scalar, span: Span) {
        if !self.is_dual(operand) {
            return;
        }
        let to = to.name();
        let help = match to {
            "f32" | "f64" => "compute with floats of one type in a function with a derivative".to_owned(),
            _ => format!("if the result is to count as a constant, write `stop_gradient(x) as {to}`"),
        };
        self.errors.push_invalid(span, format!("a conversion to `{to}` loses the derivative of this value\nhelp: {help}"));
    }

    /// Whether dual numbers lack the method. Then it reports so.
    pub(super) fn is_refused_of_dual(&self, receiver: &Type, name: &Ident) -> bool {
        let is_refused = self.is_dual(receiver) && !DUAL_METHODS.iter().any(|known| name == known);
        if is_refused {
            let help = match name.to_string().as_str() {
                "sin_cos" => "write `x.sin()` and `x.cos()`",
                "signum" => "compare in an `if`, such as `if x < 0.0 { -1.0 } else { 1.0 }`",
                _ => "call a method that has one; the chapter \"Gradients\" of the book lists them",
            };
            self.errors.push_invalid(name.span(), format!("the derivative of `{name}` is not supported\nhelp: {help}"));
        }
        is_refused
    }
}
