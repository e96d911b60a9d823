//! The parameters of a function.
//!
//! The caller of a function does not see whether it takes `&[T]` or `&[T; N]`, so both are a pointer and a length. Of an array, the function
//! begins with a reference to the whole.

use super::text::{CText, c};
use super::{Emitter, closure};
use crate::emit::array::{Access, Array};
use crate::model::*;

impl Emitter<'_> {
    /// `const f32* __restrict__ x, usize x_len`: a parameter, which for an array is two in C.
    pub(super) fn write_param(&mut self, local: LocalId) -> CText {
        let ty = &self.function.local(local).ty;
        match (Array::of(ty), ty) {
            (Some(array), _) => self.write_array_param(local, &array),
            (None, Type::Array(element, _)) if self.function.local(local).is_reference() => self.write_whole_array_param(local, element),
            (None, _) => self.write_value_param(local, ty),
        }
    }

    /// `const f32* a_elements, usize a_length`
    fn write_whole_array_param(&mut self, local: LocalId, element: &Type) -> CText {
        let (qualifier, element) = (self.qualifier(local), self.memory_type_name(element));
        let (elements, length) = (self.companion(local, "elements"), self.companion(local, "length"));
        let param = c![qualifier, element, "* ", elements, ", usize ", length];
        self.whole_arrays.push((local, elements, length));
        param
    }

    /// `const gr_array<f32, 4>& a = gr_whole<const gr_array<f32, 4>>(a_elements, a_length);`
    pub(super) fn declare_whole_arrays(&mut self) {
        for (local, elements, length) in std::mem::take(&mut self.whole_arrays) {
            let array = c![self.qualifier(local), self.memory_type_name(&self.function.local(local).ty)];
            let declaration = c![array, "& ", self.name(local), " = gr_whole<", array, ">(", elements, ", ", length, ");"];
            self.writer.line(declaration);
        }
    }

    /// `__builtin_assume(((usize)x & gr_lowest_bits<T>) == 0);` for each array of a kernel whose elements have parts: the compiler then loads
    /// neighbouring parts at once. In Rust a tuple, array or struct is no more aligned than its parts, so this is for launches that have
    /// compared the address.
    pub(super) fn write_alignments(&mut self) {
        if self.options().is_none() {
            return;
        }
        for param in &self.function.params {
            let Some(array) = Array::of(&self.function.local(param.local).ty) else { continue };
            if matches!(array.element, Type::Tuple(_) | Type::Array(..) | Type::Named(_)) {
                self.need("aligned");
                let element = self.memory_type_name(array.element);
                let assumption = c!["__builtin_assume(((usize)", self.name(param.local), " & gr_lowest_bits<", element, ">) == 0);"];
                self.writer.proved_line(assumption);
            }
        }
    }

    /// `const `, unless it is a `&mut`, or a reference to an atomic.
    pub(super) fn qualifier(&self, local: LocalId) -> &'static str {
        let Local { holds, ty, .. } = self.function.local(local);
        if *holds == Holds::Mutable || matches!(ty, Type::Atomic(_)) { "" } else { "const " }
    }

    fn write_array_param(&mut self, local: LocalId, array: &Array<'_>) -> CText {
        let pointer = self.write_pointer(array);
        let extent = match array.rank {
            None => self.index_type(),
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
        let ty = match ty {
            Type::Scalar(_) => self.type_name(ty),
            Type::Atomic(_) => self.memory_type_name(ty),
            _ if self.options().is_some() => self.memory_type_name(ty),
            _ => self.type_name(ty),
        };
        let declared = self.function.local(local);
        if declared.is_reference() && !declared.is_copied() {
            return c![self.qualifier(local), ty, "& ", self.name(local)];
        }
        c![ty, " ", self.name(local)]
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
