//! Elements of shared arrays that another thread may write to at the same time.
//!
//! C++ gives a race no meaning: a compiler may read an element again after its check, and find another value. So an element of an array
//! whose accesses are not proved to be ordered by barriers is read once, unless it is a float that decides nothing: a number is volatile, and
//! any other value is copied by volatile reads of its words. A function that takes such an element by reference gets a copy, too. Of a function that
//! takes such an array, or a part of one, there is a second instance, which reads the elements of what it takes in the same way.

use super::Emitter;
use super::code::Code;
use super::expr::{inner, is_array_value};
use super::text::{CText, c};
use crate::model::*;

impl Emitter<'_> {
    /// Whether `expr` is an element of such an array, or a part of one.
    pub(super) fn is_racing(&self, expr: &Expr) -> bool {
        !self.racing.is_empty()
            && (matches!(expr.place(), Place::Field(_) | Place::Element(_)) || self.is_name_of_place(expr))
            && expr.place().variable().is_some_and(|array| self.racing.contains(&array))
    }

    /// Whether it is a variable that is a reference. (A copy is none.)
    fn is_name_of_place(&self, expr: &Expr) -> bool {
        let ExprKind::Local(local) = expr.kind else { return false };
        let local = self.function.local(local);
        local.is_reference() && !local.is_copied()
    }

    /// Whether it is a number there, which is volatile.
    pub(super) fn may_race(&self, expr: &Expr) -> bool {
        is_number(&expr.ty) && self.is_racing(expr)
    }

    /// Whether it is any other value there, which is copied.
    pub(super) fn may_tear(&self, expr: &Expr) -> bool {
        let is_value = !matches!(
            expr.ty,
            Type::Unit | Type::Never | Type::Atomic(_) | Type::Slice { .. } | Type::View { .. } | Type::Shared(_) | Type::Function(_)
        );
        is_value && !is_number(&expr.ty) && self.is_racing(expr)
    }

    /// Whether a function that takes `&expr` or `&mut expr` gets a copy.
    pub(super) fn is_lent_as_copy(&self, expr: &Expr) -> bool {
        (self.may_race(expr) || self.may_tear(expr)) && !matches!(expr.ty, Type::Array(..))
    }

    /// Whether `arg` is a reference to an array there that a value gets which is a function: it takes the array itself.
    pub(super) fn lends_racing_array(&self, arg: &Expr) -> bool {
        matches!(&arg.kind, ExprKind::Borrow { operand, .. } if matches!(operand.ty, Type::Array(..)) && self.is_racing(operand))
    }

    /// Whether a call with these arguments passes such an array, or a part of one. What has no name may be one.
    pub(super) fn passes_racing(&self, args: &[Expr]) -> bool {
        let is_racing = |arg: &Expr| {
            let array = inner(arg);
            let is_array = array.ty.element().is_some() || array.ty.view().is_some();
            is_array && !is_array_value(arg) && array.place().variable().is_none_or(|array| self.racing.contains(&array))
        };
        !self.racing.is_empty() && args.iter().any(is_racing)
    }

    /// Whether `expr` is `&element`, and the function that it is passed to gets a copy.
    pub(super) fn borrows_racing(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Borrow { operand, mutable: false } if self.is_lent_as_copy(operand))
    }

    /// The value of such an element: no reference to it.
    pub(super) fn racing_copy(&mut self, element: &Expr) -> Code {
        let value = self.value(element);
        if self.may_tear(element) {
            return value;
        }
        Code::atom(c!["(", self.type_name(&element.ty), ")", value.operand()])
    }

    pub(super) fn racing(&mut self, element: Code) -> Code {
        self.need("racing");
        Code::atom(c!["gr_racing(", element.text, ")"])
    }

    /// The value at `place`.
    pub(super) fn copied(&mut self, place: &CText) -> Code {
        self.need("racing");
        Code::atom(c!["gr_racing_copy(", place, ")"])
    }

    /// `&mut place` as an argument: if others may write there, a copy, which is written back after the call.
    pub(super) fn lent(&mut self, operand: &Expr, place: CText) -> CText {
        if !self.is_lent_as_copy(operand) {
            return place;
        }
        self.need("racing");
        c!["gr_racing_loan<>(", place, ").get()"]
    }
}

fn is_number(ty: &Type) -> bool {
    ty.as_scalar().is_some_and(|scalar| scalar != Scalar::Bool)
}
