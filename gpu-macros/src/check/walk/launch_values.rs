//! The values that a launch passes, and their members.

use super::walker::Walker;
use crate::check::values::form::{NormalForm, Symbol, SymbolKind, Uniformity};
use crate::check::values::interval::Interval;
use crate::check::values::type_name::operation_name;
use crate::check::values::value::{Kind, Node, Value};
use crate::model::*;
use proc_macro2::Span;

impl Walker<'_> {
    /// Gives the parameters that change their first versions.
    pub(crate) fn start_parameters(&mut self) {
        for (index, param) in self.function.params.iter().enumerate() {
            if self.assigned.contains(&param.local) {
                let value = self.parameter(index);
                self.assign_version(param.local, Some(value.clone()), value.spread);
            }
        }
    }

    /// What parameter `index` is at the beginning.
    pub(crate) fn parameter(&mut self, index: usize) -> Value {
        let function = self.function;
        self.passed(Passed::whole(index), &function.local(function.params[index].local).ty)
    }

    /// A value of type `ty` that the launch passes.
    fn passed(&mut self, passed: Passed, ty: &Type) -> Value {
        if let Type::Tuple(elements) = ty {
            let member = |index| passed.member(&Member::Position(index, Span::mixed_site()));
            let elements = elements.iter().enumerate().map(|(index, ty)| self.passed(member(index), ty)).collect();
            return self.tuple(elements);
        }
        let range = match ty {
            &Type::USIZE if self.findings.assumed.fits && passed.members.is_empty() => Interval::up_to(u32::MAX.into()),
            _ => Interval::of_type(ty.as_scalar()),
        };
        let spread = match self.function.kind {
            FunctionKind::Kernel(_) => Uniformity::Launch,
            _ if self.uniform.contains(passed.param) => Uniformity::Block,
            // The threads that call a device function together may each pass another number.
            _ => Uniformity::Thread,
        };
        let kind = match ty {
            Type::Scalar(scalar) if scalar.is_integer() => SymbolKind::Launch(Atom::Param(passed)),
            _ => SymbolKind::Passed(passed),
        };
        let symbol = Symbol::new(kind, spread, range.largest_word());
        Node::within(Kind::Unknown, NormalForm::symbol(symbol), range)
    }

    /// The member of a struct that is a value of type `of`: itself one of type `ty`.
    pub(crate) fn member(&mut self, value: &Value, of: &Type, member: &Member, ty: &Type) -> Value {
        match value.form.as_symbol().map(|symbol| &symbol.kind) {
            Some(SymbolKind::Passed(passed)) => self.passed(passed.member(member), ty),
            _ => {
                self.operation(Kind::Unknown, operation_name([of], &format!("field {member}")), &[value], Interval::of_type(ty.as_scalar()))
            }
        }
    }
}
