//! What the snippet `compare` needs of the structs and enums of a program: how they are compared, part by part.
//!
//! The functions are templates, so that one which is not used may be wrong: a field may have no order.

use std::fmt::Write as _;

use crate::constant::literal;
use crate::source::{EnumUnit, StructField, StructUnit, VariantUnit};

const FUNCTION: &str = "template <class gr_value> static __device__ __forceinline__";
const OPERANDS: &str = "(const gr_value& a, const gr_value& b)";

pub(super) fn write_of_struct(unit: &StructUnit, name: &str, out: &mut String) {
    begin(name, out);
    let _ = writeln!(out, "  {FUNCTION} bool equal{OPERANDS} {{ return true{}; }}", equal_fields("", unit.fields));
    let _ = writeln!(out, "  {FUNCTION} int order{OPERANDS} {{ int order = 0;{} return order; }}", order_fields("", unit.fields));
    out.push_str("};\n");
}

/// The variants have the order of their numbers.
pub(super) fn write_of_enum(unit: &EnumUnit, name: &str, out: &mut String) {
    begin(name, out);
    let _ = writeln!(out, "  {FUNCTION} bool equal{OPERANDS} {{");
    for VariantUnit { name, fields, .. } in unit.variants {
        let _ = writeln!(out, "    if (a.is_{name}()) return b.is_{name}(){};", equal_fields(&format!("as_{name}."), fields));
    }
    out.push_str("    return false;\n  }\n");
    let _ = writeln!(out, "  {FUNCTION} i64 number(const gr_value& value) {{");
    for VariantUnit { name, number, .. } in unit.variants {
        let _ = writeln!(out, "    if (value.is_{name}()) return {};", literal(*number));
    }
    out.push_str("    return 0;\n  }\n");
    let _ = writeln!(out, "  {FUNCTION} int order{OPERANDS} {{");
    out.push_str("    int order = gr_order(number(a), number(b));\n");
    for VariantUnit { name, fields, .. } in unit.variants.iter().filter(|variant| !variant.fields.is_empty()) {
        let _ = writeln!(out, "    if (a.is_{name}()) {{{} return order; }}", order_fields(&format!("as_{name}."), fields));
    }
    out.push_str("    return order;\n  }\n};\n");
}

fn begin(name: &str, out: &mut String) {
    let _ = writeln!(out, "template <> struct gr_compared<{name}> {{\n  typedef bool gr_type;");
}

fn equal_fields(of: &str, fields: &[StructField]) -> String {
    fields.iter().map(|StructField { name, .. }| format!(" && a.{of}{name} == b.{of}{name}")).collect()
}

fn order_fields(of: &str, fields: &[StructField]) -> String {
    fields.iter().map(|StructField { name, .. }| format!(" if (order == 0) order = gr_order(a.{of}{name}, b.{of}{name});")).collect()
}
