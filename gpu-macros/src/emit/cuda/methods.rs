//! Calls of methods of numbers, arrays and slices in CUDA C.

use super::Emitter;
use super::callee::method_of;
use super::checks::NO_VALUES;
use super::code::{Binding, Code};
use super::method_spelling::{ReceiverKind, Spelling, spelling};
use super::operators::{call, plain_literal};
use super::text::{CText, c, join};
use super::types::integer_literal;
use crate::check::counts_bits;
use crate::emit::{Known, Overload, Piece};
use crate::model::*;
use proc_macro2::{Ident, Span};

impl Emitter<'_> {
    pub(super) fn method(&mut self, method: Method, receiver: &Expr, args: &[Expr], site: Option<SiteId>) -> Code {
        let of = ReceiverKind::new(&receiver.ty);
        match spelling(method, of) {
            Spelling::Helper(snippet) if method.may_be_own(&receiver.ty) => self.overloadable_method(snippet, method, receiver, args),
            Spelling::Len => self.array_length(receiver),
            Spelling::IsEmpty => Code::bound(Binding::Comparison, c![self.array_length(receiver).text, " == 0"]),
            Spelling::Function(function) => {
                let codes = self.method_operands(receiver, args);
                call(&format!("{function}{}", of.suffix()), &codes)
            }
            Spelling::Expression(write) => {
                let value = self.value(receiver);
                write(of, &value)
            }
            Spelling::OfAngle => {
                let value = self.value(receiver);
                self.function_of_angle(&helper_name(method), receiver, value)
            }
            Spelling::Helper(snippet) => {
                let codes = self.method_operands(receiver, args);
                let name = helper_name(method);
                let (name, codes) =
                    if counts_bits(method) { self.of_all_bits(method, receiver, name, codes) } else { (name.into(), codes) };
                self.need(snippet);
                Code::atom(c![name, "(", join(codes.iter().map(|code| &code.text), ", "), ")"])
            }
            Spelling::WrappingInteger => {
                let codes = self.method_operands(receiver, args);
                self.helper("int", &format!("gr_wrapping_{}", method.name), &codes)
            }
            Spelling::Division(snippet) => {
                let codes = self.method_operands(receiver, args);
                let [left, right] = codes.try_into().unwrap_or_else(|_| unreachable!("a division has two operands"));
                let (left, right) = self.check_division(left, &receiver.ty, &args[0], right, site, &[]);
                self.helper(snippet, &helper_name(method), &[left, right])
            }
            Spelling::DivisionByAny(snippet) => {
                let codes = self.method_operands(receiver, args);
                let [left, right] = codes.try_into().unwrap_or_else(|_| unreachable!("a division has two operands"));
                let right = self.check_divisor(&receiver.ty, &args[0], right, site, &[]);
                self.helper(snippet, &helper_name(method), &[left, right])
            }
            Spelling::Logarithm => {
                let value = self.value(receiver);
                let value = self.spill_unless_word(value, &receiver.ty, "value");
                if let Some(site) = site {
                    self.write_check(c!["!(", value.text, " > 0)"], site, NO_VALUES);
                }
                self.helper("int", &helper_name(method), &[value])
            }
            Spelling::Clamp => self.clamp(receiver, args, site),
        }
    }

    /// A method of a number, or of a user's type.
    fn overloadable_method(&mut self, snippet: &'static str, method: Method, receiver: &Expr, args: &[Expr]) -> Code {
        let mut codes = self.method_operands(receiver, args);
        let known = self.known(receiver);
        if matches!(known, Known::Nothing) {
            return self.helper(snippet, &helper_name(method), &codes);
        }
        self.need(snippet);
        let callee = Overload::Method(method_of(known, &Ident::new(method.name, Span::call_site()), args.len()));
        for (arg, code) in args.iter().zip(&mut codes[1..]) {
            // What a user's method takes has a type of its own.
            if let Some(own) = plain_literal(arg) {
                let otherwise = code.text.clone().into_pieces();
                code.text = CText::hole(Piece::Overloaded { callee: callee.clone(), own: vec![Piece::Text(own)], otherwise });
            }
        }
        let function = CText::hole(Piece::Operator(callee, helper_name(method)));
        Code::atom(c![function, "(", join(codes.iter().map(|code| &code.text), ", "), ")"])
    }

    fn method_operands(&mut self, receiver: &Expr, args: &[Expr]) -> Vec<Code> {
        let operands: Vec<&Expr> = std::iter::once(receiver).chain(args).collect();
        self.operands(&operands)
    }

    /// `clamp` of integers and floats: fails unless its limits are in order, which NaN is not.
    fn clamp(&mut self, receiver: &Expr, args: &[Expr], site: Option<SiteId>) -> Code {
        let codes = self.method_operands(receiver, args);
        let [value, lowest, highest] = codes.try_into().unwrap_or_else(|_| unreachable!("`clamp` has three operands"));
        let lowest = self.spill_unless_word(lowest, &receiver.ty, "lowest");
        let highest = self.spill_unless_word(highest, &receiver.ty, "highest");
        let are_in_order = matches!([&args[0], &args[1]].map(literal), [Some(lowest), Some(highest)] if lowest <= highest);
        if let Some(site) = site.filter(|_| !are_in_order) {
            self.write_check_of_operation(c!["!(", lowest.text, " <= ", highest.text, ")"], site, NO_VALUES);
        }
        self.helper("ops", "gr_clamp", &[value, lowest, highest])
    }

    /// The length of an array or slice, as a `usize`.
    fn array_length(&mut self, array: &Expr) -> Code {
        if array.ty.is_followed() {
            return Code::constant(c![self.base_place(array, false), ".length"]);
        }
        self.write_effects(array);
        match array.ty.element().and_then(|(_, length)| length?.value()) {
            Some(value) => integer_literal(value.into(), Some(Scalar::Usize)),
            None => self.length_of(array),
        }
    }
}

/// Most helpers are named after the method.
fn helper_name(method: Method) -> String {
    format!("gr_{}", method.name)
}

/// The value of a literal. Rounding keeps the order of two: as an `f64` here, and as an `f32` in the kernel.
fn literal(expr: &Expr) -> Option<f64> {
    match &expr.kind {
        ExprKind::Int(literal) => u32::try_from(literal.value).ok().map(f64::from),
        ExprKind::Float(literal) => literal.digits.parse().ok(),
        ExprKind::Unary { op: UnaryOp::Negate, operand } => literal(operand).map(|value| -value),
        _ => None,
    }
}
