//! The parameters of a function.

use super::text::{CText, c};
use super::{Emitter, closure};
use crate::emit::array::{Access, Array};
use crate::model::*;

impl Emitter<'_> {
    /// `const f32* __restrict__ x, usize x_len`: a parameter, which for an array is two in C.
    pub(super) fn write_param(&mut self, local: LocalId) -> CText {
        let ty = &self.function.local(local).ty;
        match Array::of(ty) {
            Some(array) => self.write_array_param(local, &array),
            None => self.write_value_param(local, ty),
        }
    }

    fn write_array_param(&mut self, local: LocalId, array: &Array<'_>) -> CText {
        let pointer = self.write_pointer(array);
        let extent = match array.rank {
            None => "usize".into(),
            Some(rank) => {
                self.need("view");
                c!["gr_layout<", rank, ">"]
            }
        };
        c![pointer, " ", self.name(local), ", ", extent, " ", self.lengths[local.0]]
    }

    fn write_value_param(&mut self, local: LocalId, ty: &Type) -> CText {
        if let Type::Function(_) = ty {
            return c![closure::template_parameter(local), " ", self.name(local)];
        }
        let ty = if self.options().is_some() { self.memory_type_name(ty) } else { self.type_name(ty) };
        let (qualifier, reference) = match self.function.receiver.filter(|_| self.function.is_behind_self(local)) {
            Some(SelfKind::Shared) => ("const ", "&"),
            Some(SelfKind::Mutable) => ("", "&"),
            Some(SelfKind::Value) | None => ("", ""),
        };
        c![qualifier, ty, reference, " ", self.name(local)]
    }

    /// The type of a pointer to the elements of a parameter.
    fn write_pointer(&mut self, array: &Array<'_>) -> CText {
        let pointee = self.memory_type_name(array.element);
        // A kernel's arrays never overlap where one of them is written: the launch borrows them.
        let (qualifier, is_alone) = match array.kind.access {
            Access::Read => ("const ", true),
            Access::Write => ("", !self.analysis.sees_others_writes),
            Access::Atomic => ("", false),
        };
        let restrict = if is_alone && self.options().is_some() { " __restrict__" } else { "" };
        c![qualifier, pointee, "*", restrict]
    }
}
