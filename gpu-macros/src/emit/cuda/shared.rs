//! Elements of shared arrays that another thread may write to at the same time.
//!
//! C++ gives a race no meaning: a compiler may read an element again after its check, and find another value. So an element of an array
//! whose accesses are not proved to be ordered by barriers is read once, unless it is a float that decides nothing: a number is volatile, and
//! any other value is copied by volatile reads of its words. A function that takes such an element by reference gets a copy, too. (One that takes an
//! array, or a part of one, reads its elements where they stand.)

use super::Emitter;
use super::code::Code;
use super::text::{CText, c};
use crate::model::*;

impl Emitter<'_> {
    /// Whether `expr` is an element of such an array, or a part of one.
    fn is_racing(&self, expr: &Expr) -> bool {
        let racing = &self.analysis.racing_arrays;
        !racing.is_empty()
            && (matches!(expr.place(), Place::Field(_) | Place::Element(_)) || self.is_name_of_place(expr))
            && expr.place().variable().is_some_and(|array| racing.contains(&array))
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
