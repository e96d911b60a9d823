//! Calls of methods of numbers, arrays and slices in CUDA C.

use super::Emitter;
use super::checks::NO_VALUES;
use super::code::{Binding, Code};
use super::method_spelling::{ReceiverKind, Spelling, spelling};
use super::operators::call;
use super::text::c;
use super::types::integer_literal;
use crate::model::*;

impl Emitter<'_> {
    pub(super) fn method(&mut self, method: Method, receiver: &Expr, args: &[Expr], site: Option<SiteId>) -> Code {
        let of = ReceiverKind::new(&receiver.ty);
        match spelling(method, of) {
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
                self.helper(snippet, &helper_name(method), &codes)
            }
            Spelling::WrappingInteger => {
                let codes = self.method_operands(receiver, args);
                self.helper("int", &format!("gr_wrapping_{}", method.name), &codes)
            }
            Spelling::Division(snippet) => {
                let codes = self.method_operands(receiver, args);
                let [left, right] = codes.try_into().unwrap_or_else(|_| unreachable!("a division has two operands"));
                let (left, right) = self.check_division(left, &receiver.ty, &args[0], right, site);
                self.helper(snippet, &helper_name(method), &[left, right])
            }
            Spelling::Clamp => self.clamp(receiver, args, site),
        }
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
