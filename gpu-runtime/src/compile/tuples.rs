//! Tuples in the memory of a program.
//!
//! Every tuple of a program is an instance of a template, `gr_tuple2<f32, u32>`, whether it is in memory or not. If rustc's layout is the
//! same as C's, the template has that layout already. For any other tuple in memory, the instance is a specialization with the elements in
//! rustc's order. Its constructor takes them in the order of their positions, like the template's braces.

use std::fmt::Write as _;

use super::{Structs, Unit, write_offset_assertion, write_size_assertion};
use crate::insertion_sort::insertion_sort;
use crate::source::{CType, StructField, StructUnit, tuple_name};

impl Structs {
    /// What C calls the tuple.
    pub(super) fn tuple_name(&self, unit: &StructUnit) -> String {
        let elements: Vec<String> = unit.fields.iter().map(|field| self.type_name((field.ty)())).collect();
        tuple_name(&elements)
    }

    /// The tuples whose definition must precede every snippet that may name them.
    pub(in crate::compile) fn write_tuples_of_scalars(&self, out: &mut String) {
        for member in &self.members {
            if let Unit::Tuple(unit) = member.unit
                && consists_of_scalars(unit)
                && !is_natural(unit)
            {
                self.write_specialisation(unit, out);
            }
        }
    }

    /// Writes the definition, unless it had to come earlier, and the assertions.
    pub(super) fn write_tuple(&self, unit: &StructUnit, index: usize, out: &mut String) {
        if !consists_of_scalars(unit) && !is_natural(unit) {
            self.write_specialisation(unit, out);
        }
        // A comma in a type would end an argument of the macro.
        let alias = format!("gr_in_memory_{index}");
        let _ = writeln!(out, "typedef {} {alias};", self.tuple_name(unit));
        write_size_assertion(&alias, unit.size, unit.align, out);
        for StructField { name, offset, .. } in unit.fields {
            write_offset_assertion(&alias, name, *offset, out);
        }
    }

    fn write_specialisation(&self, unit: &StructUnit, out: &mut String) {
        let name = self.tuple_name(unit);
        let _ = writeln!(out, "template <> struct {name} {{");
        let (mut end, mut values) = (0usize, Vec::new());
        for (index, StructField { name: field, ty, offset, size, align, .. }) in in_memory_order(unit).into_iter().enumerate() {
            if end.next_multiple_of(*align) != *offset {
                let _ = writeln!(out, "  u8 gr_gap{index}[{}];", offset - end);
                values.push(format!("gr_gap{index}()"));
            }
            let _ = writeln!(out, "  {} {field};", self.type_name(ty()));
            values.push(format!("{field}(e{})", &field[1..]));
            end = offset + size;
        }
        let constructor = name.split('<').next().unwrap_or_default();
        let parameters: Vec<String> =
            unit.fields.iter().enumerate().map(|(index, field)| format!("{} e{index}", self.type_name((field.ty)()))).collect();
        let (parameters, values) = (parameters.join(", "), values.join(", "));
        let _ = writeln!(out, "  {constructor}() = default;");
        // Constant, so that it can initialise tables in constant memory.
        let _ = writeln!(out, "  constexpr __device__ __forceinline__ {constructor}({parameters}) : {values} {{}}");
        let _ = writeln!(out, "}};");
    }
}

fn in_memory_order(unit: &StructUnit) -> Vec<&StructField> {
    let mut fields: Vec<&StructField> = unit.fields.iter().collect();
    insertion_sort(&mut fields, |a, b| a.offset < b.offset);
    fields
}

fn consists_of_scalars(unit: &StructUnit) -> bool {
    unit.fields.iter().all(|field| matches!((field.ty)(), CType::Scalar(_)))
}

/// Whether C lays out the elements as rustc did if they are declared in the order of their positions.
fn is_natural(unit: &StructUnit) -> bool {
    let mut end: usize = 0;
    let offsets_agree = unit.fields.iter().all(|field| {
        let offset = end.next_multiple_of(field.align);
        end = offset + field.size;
        offset == field.offset
    });
    offsets_agree && end.next_multiple_of(unit.align) == unit.size
}
