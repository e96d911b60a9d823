//! Elements of shared arrays that another thread may write to at the same time.
//!
//! C++ gives a race no meaning: a compiler may read an element again after its check, and find another value. So a number in an array
//! whose accesses are not proved to be ordered by barriers is volatile, unless it is a float that decides nothing. It is read and written
//! once, as the kernel says.

use super::Emitter;
use super::code::Code;
use super::text::c;
use crate::model::*;

impl Emitter<'_> {
    /// Whether `expr` is such a number. (A struct is copied as a whole, and its fields are numbers. A `bool` is read once, by a conversion.)
    pub(super) fn may_race(&self, expr: &Expr) -> bool {
        let racing = &self.analysis.racing_arrays;
        !racing.is_empty()
            && (matches!(expr.place(), Place::Field(_) | Place::Element(_)) || self.is_name_of_place(expr))
            && expr.ty.as_scalar().is_some_and(|scalar| scalar != Scalar::Bool)
            && expr.place().variable().is_some_and(|array| racing.contains(&array))
    }

    /// Whether it is a variable that is a reference. (A copy is none.)
    fn is_name_of_place(&self, expr: &Expr) -> bool {
        let ExprKind::Local(local) = expr.kind else { return false };
        let local = self.function.local(local);
        local.is_reference() && !local.is_copied()
    }

    /// Whether `expr` is `&element` of such a number. The function that it is passed to has a copy.
    pub(super) fn borrows_racing(&self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Borrow { operand, mutable: false } if self.may_race(operand))
    }

    /// The value of such a number: no reference to it.
    pub(super) fn racing_copy(&mut self, element: &Expr) -> Code {
        let (ty, element) = (self.type_name(&element.ty), self.value(element));
        Code::atom(c!["(", ty, ")", element.operand()])
    }

    pub(super) fn racing(&mut self, element: Code) -> Code {
        self.need("racing");
        Code::atom(c!["gr_racing(", element.text, ")"])
    }
}
