//! The users' structs in a program: their order, names and definitions.
//!
//! A struct is written with the layout that rustc gave it in assertions, so that a program in which the two compilers
//! disagree does not compile.

use std::any::TypeId;
use std::fmt::Write as _;

use crate::kernel::{CType, StructField, StructUnit};

/// The structs of a program, each after those that it consists of.
#[derive(Default)]
pub(super) struct Structs {
    members: Vec<Member>,
    has_arrays: bool,
    /// The snippets that declare types of the program.
    libraries: Vec<&'static str>,
}

struct Member {
    id: TypeId,
    unit: &'static StructUnit,
    /// Its C name.
    name: String,
}

impl Structs {
    /// Adds what `ty` consists of.
    pub(super) fn add(&mut self, ty: CType) {
        match ty {
            CType::Scalar(_) => {}
            CType::Library { snippet, .. } => self.libraries.push(snippet),
            CType::Array { element, .. } => {
                self.has_arrays = true;
                self.add(element());
            }
            CType::Struct { id, .. } if self.members.iter().any(|member| member.id == id) => {}
            CType::Struct { id, unit } => {
                // A struct never contains itself, so this ends.
                unit.fields.iter().for_each(|field| self.add((field.ty)()));
                self.members.push(Member { id, unit, name: String::new() });
            }
        }
    }

    /// The helper snippets that the definitions need.
    pub(super) fn snippets(&self) -> impl Iterator<Item = &'static str> {
        let layout = (!self.members.is_empty()).then_some("layout");
        layout.into_iter().chain(self.has_arrays.then_some("array")).chain(self.libraries.iter().copied())
    }

    /// The C names of all fields: a type of such a name would be hidden in the definition.
    pub(super) fn field_names(&self) -> impl Iterator<Item = &'static str> {
        self.members.iter().flat_map(|member| member.unit.fields).map(|field| field.name)
    }

    pub(super) fn name_all(&mut self, mut name: impl FnMut(&StructUnit) -> String) {
        for member in &mut self.members {
            member.name = name(member.unit);
        }
    }

    /// What the program calls `ty`.
    pub(super) fn type_name(&self, ty: CType) -> String {
        match ty {
            CType::Scalar(name) | CType::Library { name, .. } => name.to_owned(),
            CType::Array { element, length } => format!("gr_array<{}, {length}>", self.type_name(element())),
            CType::Struct { id, .. } => {
                let member = self.members.iter().find(|member| member.id == id);
                member.expect("every type that a kept segment names was collected").name.clone()
            }
        }
    }

    pub(super) fn write_definitions(&self, out: &mut String) {
        for Member { unit, name, .. } in &self.members {
            let align = if unit.declares_align { format!("alignas({}) ", unit.align) } else { String::new() };
            let _ = writeln!(out, "struct {align}{name} {{");
            for StructField { name, ty, .. } in unit.fields {
                let _ = writeln!(out, "  {} {name};", self.type_name(ty()));
            }
            let _ = writeln!(out, "}};");
            let layout = format!("sizeof({name}) == {} && alignof({name}) == {}", unit.size, unit.align);
            let _ = writeln!(out, "static_assert({layout}, \"the size and alignment are Rust's\");");
            for StructField { name: field, offset, .. } in unit.fields {
                let _ = writeln!(out, "static_assert(GR_OFFSET({name}, {field}) == {offset}, \"the offset is Rust's\");");
            }
            out.push('\n');
        }
    }
}

#[cfg(test)]
#[path = "structs_tests.rs"]
mod tests;
