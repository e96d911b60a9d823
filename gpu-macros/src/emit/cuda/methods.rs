//! std's methods in CUDA C.

use super::Emitter;
use super::checks::NO_VALUES;
use super::code::{Binding, Code};
use super::operators::call;
use super::text::c;
use super::types::integer_literal;
use crate::check::takes_angle;
use crate::model::*;

impl Emitter<'_> {
    pub(super) fn method(&mut self, method: &MethodInfo, receiver: &Expr, args: &[Expr], site: Option<SiteId>) -> Code {
        if method.receiver == Receiver::Array {
            let length = self.array_length(receiver);
            return match method.name {
                "len" => length,
                _ => Code::bound(Binding::Comparison, c![length.text, " == 0"]),
            };
        }
        let operands: Vec<&Expr> = std::iter::once(receiver).chain(args).collect();
        let mut codes = self.operands(&operands);
        if takes_angle(method, receiver) {
            return self.trigonometry(method, receiver, codes.remove(0));
        }
        if let Some(provider) = method.provider {
            return self.helper(provider.snippet, &format!("gr_{}", method.name), &codes);
        }
        match receiver.ty.as_scalar() {
            _ if method.name == "clamp" => self.clamp(receiver, codes, site),
            None => self.overloaded_method(method, receiver, codes, args, site),
            Some(scalar) if scalar.is_float() => self.float_method(method, scalar, codes),
            _ => self.integer_method(method, receiver, codes, args, site),
        }
    }

    /// A method of a type parameter's values: a helper that is overloaded for every type that it may stand for.
    fn overloaded_method(&mut self, method: &MethodInfo, receiver: &Expr, codes: Vec<Code>, args: &[Expr], site: Option<SiteId>) -> Code {
        let name = format!("gr_{}", method.name);
        match (method.receiver, method.name) {
            (Receiver::Float, "is_nan" | "is_infinite" | "is_finite" | "is_sign_negative" | "is_sign_positive") => {
                self.helper("float", &name, &codes)
            }
            (Receiver::Float, "sin" | "cos" | "tan" | "sin_cos") => self.helper("angles", &name, &codes),
            (Receiver::Float, "fract" | "log" | "powi" | "next_up" | "next_down") => self.helper("float", &name, &codes),
            (Receiver::Float, _) => self.helper("elementary", &name, &codes),
            (_, "div_euclid" | "rem_euclid") => {
                let [left, right] = codes.try_into().unwrap_or_else(|_| unreachable!("a division has two operands"));
                let (left, right) = self.check_division(left, &receiver.ty, &args[0], right, site);
                self.helper("number", &name, &[left, right])
            }
            (Receiver::Number | Receiver::SignedNumber, _) => self.helper("number", &name, &codes),
            _ => self.integer_method(method, receiver, codes, args, site),
        }
    }

    fn float_method(&mut self, method: &MethodInfo, scalar: Scalar, codes: Vec<Code>) -> Code {
        let f = if scalar == Scalar::F32 { "f" } else { "" };
        let call = |name: &str, codes: &[Code]| call(&format!("{name}{f}"), codes);
        match method.name {
            "exp_m1" => call("expm1", &codes),
            "ln" => call("log", &codes),
            "ln_1p" => call("log1p", &codes),
            "powf" => call("pow", &codes),
            "mul_add" => call("fma", &codes),
            "round_ties_even" => call("rint", &codes),
            "abs" => call("fabs", &codes),
            "min" => call("fmin", &codes),
            "max" => call("fmax", &codes),
            "recip" => Code::bound(Binding::Product, c!["1.0", f, " / ", codes[0].operand()]),
            "to_degrees" if scalar == Scalar::F32 => Code::bound(Binding::Product, c![codes[0].operand(), " * 57.29578f"]),
            "to_degrees" => Code::bound(Binding::Product, c![codes[0].operand(), " * (180.0 / 3.141592653589793)"]),
            "to_radians" if scalar == Scalar::F32 => Code::bound(Binding::Product, c![codes[0].operand(), " * 0.017453292f"]),
            "to_radians" => Code::bound(Binding::Product, c![codes[0].operand(), " * (3.141592653589793 / 180.0)"]),
            "to_bits" if scalar == Scalar::F32 => Code::atom(c!["__float_as_uint(", codes[0].text, ")"]),
            "to_bits" => Code::atom(c!["(u64)__double_as_longlong(", codes[0].text, ")"]),
            "sin" | "cos" | "tan" | "asin" | "acos" | "atan" | "atan2" | "sinh" | "cosh" | "tanh" | "asinh" | "acosh" | "atanh" | "exp"
            | "exp2" | "log2" | "log10" | "sqrt" | "cbrt" | "hypot" | "floor" | "ceil" | "round" | "trunc" | "copysign" => {
                call(method.name, &codes)
            }
            name => self.helper("float", &format!("gr_{name}"), &codes),
        }
    }

    fn integer_method(&mut self, method: &MethodInfo, receiver: &Expr, codes: Vec<Code>, args: &[Expr], site: Option<SiteId>) -> Code {
        match method.name {
            "abs" => self.helper("int", "gr_wrapping_abs", &codes),
            "pow" => self.helper("int", "gr_wrapping_pow", &codes),
            "wrapping_add" | "wrapping_sub" | "wrapping_mul" | "wrapping_neg" | "wrapping_shl" | "wrapping_shr" => {
                self.helper("ops", &format!("gr_{}", method.name), &codes)
            }
            "div_euclid" | "rem_euclid" | "div_ceil" => {
                let [left, right] = codes.try_into().unwrap_or_else(|_| unreachable!("a division has two operands"));
                let (left, right) = self.check_division(left, &receiver.ty, &args[0], right, site);
                self.helper("int", &format!("gr_{}", method.name), &[left, right])
            }
            name if name.starts_with("checked") => self.helper("checked", &format!("gr_{name}"), &codes),
            name if name.starts_with("overflowing") => self.helper("overflow", &format!("gr_{name}"), &codes),
            name => self.helper("int", &format!("gr_{name}"), &codes),
        }
    }

    /// `clamp` of integers and floats: fails unless its limits are in order, which NaN is not.
    fn clamp(&mut self, receiver: &Expr, codes: Vec<Code>, site: Option<SiteId>) -> Code {
        let [value, lowest, highest] = codes.try_into().unwrap_or_else(|_| unreachable!("`clamp` has three operands"));
        let lowest = self.spill_unless_word(lowest, &receiver.ty, "lowest");
        let highest = self.spill_unless_word(highest, &receiver.ty, "highest");
        if let Some(site) = site {
            self.write_check(c!["!(", lowest.text, " <= ", highest.text, ")"], site, NO_VALUES);
        }
        self.helper("ops", "gr_clamp", &[value, lowest, highest])
    }

    /// The length of an array or slice, as a `usize`.
    fn array_length(&mut self, array: &Expr) -> Code {
        if array.ty.is_followed() {
            return Code::constant(c![self.base_place(array, false), ".length"]);
        }
        self.write_effects(array);
        match array.ty.element() {
            Some((_, Some(Length { value: Some(value), .. }))) => integer_literal((*value).into(), Some(Scalar::Usize)),
            _ => self.length_of(array),
        }
    }
}
