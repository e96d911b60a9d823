//! The users' structs and enums in a program: their order, names and definitions.
//!
//! A type is written with the layout that rustc gave it in assertions, so that a program in which the two compilers
//! disagree does not compile.

use std::any::TypeId;
use std::fmt::Write as _;

use crate::source::{CType, EnumUnit, StructField, StructUnit, VariantUnit};

/// The structs and enums of a program, each after those that it consists of.
#[derive(Default)]
pub(super) struct Structs {
    members: Vec<Member>,
    has_arrays: bool,
    /// The snippets that declare types of the program.
    libraries: Vec<&'static str>,
}

struct Member {
    id: TypeId,
    unit: Unit,
    /// Its C name.
    name: String,
}

#[derive(Clone, Copy)]
enum Unit {
    Struct(&'static StructUnit),
    Tuple(&'static StructUnit),
    Enum(&'static EnumUnit),
}

impl Unit {
    fn name(self) -> &'static str {
        match self {
            Unit::Struct(unit) | Unit::Tuple(unit) => unit.name,
            Unit::Enum(unit) => unit.name,
        }
    }

    /// Of an enum, those of all variants.
    fn fields(self) -> Vec<&'static StructField> {
        match self {
            Unit::Struct(unit) | Unit::Tuple(unit) => unit.fields.iter().collect(),
            Unit::Enum(unit) => unit.variants.iter().flat_map(|variant| variant.fields).collect(),
        }
    }
}

impl Structs {
    /// Adds what `ty` consists of.
    pub(super) fn add(&mut self, ty: CType) {
        let (id, unit) = match ty {
            CType::Scalar(_) => return,
            CType::Library { snippet, .. } => return self.libraries.push(snippet),
            CType::Generic { snippet, arguments, .. } => {
                self.libraries.push(snippet);
                return arguments.iter().for_each(|argument| self.add(argument()));
            }
            CType::Array { element, .. } => {
                self.has_arrays = true;
                return self.add(element());
            }
            CType::Tuple { id, unit } => (id, Unit::Tuple(unit)),
            CType::Struct { id, unit } => (id, Unit::Struct(unit)),
            CType::Enum { id, unit } => (id, Unit::Enum(unit)),
        };
        if self.members.iter().all(|member| member.id != id) {
            // A type never contains itself, so this ends.
            unit.fields().iter().for_each(|field| self.add((field.ty)()));
            self.members.push(Member { id, unit, name: String::new() });
        }
    }

    /// The helper snippets that the definitions need.
    pub(super) fn snippets(&self) -> impl Iterator<Item = &'static str> {
        let has_enums = self.members.iter().any(|member| matches!(member.unit, Unit::Enum(_)));
        let has_tuples = self.members.iter().any(|member| matches!(member.unit, Unit::Tuple(_)));
        let needed = [("layout", !self.members.is_empty()), ("array", self.has_arrays), ("tuple", has_tuples), ("variant", has_enums)];
        let needed = needed.into_iter().filter_map(|(snippet, is_needed)| is_needed.then_some(snippet));
        needed.chain(self.libraries.iter().copied())
    }

    /// The C names of all fields and variants: a type of such a name would be hidden in the definition.
    pub(super) fn member_names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for Member { unit, .. } in &self.members {
            names.extend(unit.fields().iter().map(|field| field.name.to_owned()));
            if let Unit::Enum(unit) = unit {
                let prefixes = ["of", "as", "is", "set"];
                names.extend(unit.variants.iter().flat_map(|variant| prefixes.map(|prefix| format!("{prefix}_{}", variant.name))));
            }
        }
        names
    }

    pub(super) fn name_all(&mut self, mut name: impl FnMut(&'static str) -> String) {
        for member in &mut self.members {
            // A tuple has a name that says what it consists of.
            if !matches!(member.unit, Unit::Tuple(_)) {
                member.name = name(member.unit.name());
            }
        }
    }

    /// What the program calls `ty`.
    pub(super) fn type_name(&self, ty: CType) -> String {
        match ty {
            CType::Scalar(name) | CType::Library { name, .. } => name.to_owned(),
            CType::Generic { name, arguments, .. } => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.type_name(argument())).collect();
                format!("{name}<{}>", arguments.join(", "))
            }
            CType::Array { element, length } => format!("gr_array<{}, {length}>", self.type_name(element())),
            CType::Tuple { unit, .. } => self.tuple_name(unit),
            CType::Struct { id, .. } | CType::Enum { id, .. } => {
                let member = self.members.iter().find(|member| member.id == id);
                member.expect("every type that a kept segment names was collected").name.clone()
            }
        }
    }

    /// `are_compared`: the program has operators of them, and the snippet `compare`.
    pub(super) fn write_definitions(&self, are_compared: bool, out: &mut String) {
        for (index, Member { unit, name, .. }) in self.members.iter().enumerate() {
            match unit {
                Unit::Struct(unit) => self.write_struct(unit, name, out),
                Unit::Tuple(unit) => self.write_tuple(unit, index, out),
                Unit::Enum(unit) => self.write_enum(unit, name, out),
            }
            match unit {
                Unit::Struct(unit) if are_compared => comparison::write_of_struct(unit, name, out),
                Unit::Enum(unit) if are_compared => comparison::write_of_enum(unit, name, out),
                _ => {}
            }
            out.push('\n');
        }
    }

    fn write_struct(&self, unit: &StructUnit, name: &str, out: &mut String) {
        let align = alignas(unit.declares_align, unit.align);
        let _ = writeln!(out, "struct {align}{name} {{");
        self.write_fields(unit.fields, "  ", out);
        let _ = writeln!(out, "}};");
        write_size_assertion(name, unit.size, unit.align, out);
        for StructField { name: field, offset, .. } in unit.fields {
            write_offset_assertion(name, field, *offset, out);
        }
    }

    fn write_fields(&self, fields: &[StructField], indent: &str, out: &mut String) {
        for StructField { name, ty, .. } in fields {
            let _ = writeln!(out, "{indent}{} {name};", self.type_name(ty()));
        }
    }

    /// A tag and a union. `is_Circle` tells whether the variant is that one, `set_Circle` makes it so, and then `as_Circle` has its
    /// fields; what is not the variant is never read.
    fn write_enum(&self, unit: &EnumUnit, name: &str, out: &mut String) {
        let EnumUnit { tag, tag_in_variants, .. } = unit;
        let align = alignas(unit.declares_align, unit.align);
        let with_fields: Vec<&VariantUnit> = unit.variants.iter().filter(|variant| !variant.fields.is_empty()).collect();
        let kind = if *tag_in_variants { "union" } else { "struct" };
        let _ = writeln!(out, "{kind} {align}{name} {{");
        if *tag_in_variants {
            let _ = writeln!(out, "  struct gr_head {{ {tag} gr_tag; }};");
        }
        for VariantUnit { name, fields, .. } in &with_fields {
            let _ = writeln!(out, "  struct of_{name} {{");
            if *tag_in_variants {
                let _ = writeln!(out, "    {tag} gr_tag;");
            }
            self.write_fields(fields, "    ", out);
            let _ = writeln!(out, "  }};");
        }
        let members = with_fields.iter().map(|VariantUnit { name, .. }| format!("of_{name} as_{name};"));
        if *tag_in_variants {
            let _ = writeln!(out, "  gr_head gr_any;");
            members.for_each(|member| {
                let _ = writeln!(out, "  {member}");
            });
        } else {
            let _ = writeln!(out, "  {tag} gr_tag;");
            if !with_fields.is_empty() {
                let _ = writeln!(out, "  union {{ {} }};", members.collect::<Vec<_>>().join(" "));
            }
        }
        // Every member of a union begins with the tag, so that any may be asked for it.
        let place = if *tag_in_variants { "gr_any.gr_tag" } else { "gr_tag" };
        let function = "__device__ __forceinline__";
        let _ = writeln!(out, "  {function} bool gr_is(i64 number) const {{ return {place} == ({tag})number; }}");
        let _ = writeln!(out, "  {function} void gr_become(i64 number) {{ {place} = ({tag})number; }}");
        for VariantUnit { name, number, fields } in unit.variants {
            let number = crate::constant::literal(*number);
            let _ = writeln!(out, "  {function} bool is_{name}() const {{ return gr_is({number}); }}");
            if !fields.is_empty() {
                let place = if *tag_in_variants { format!("as_{name}.gr_tag") } else { "gr_tag".into() };
                let _ = writeln!(out, "  {function} void set_{name}() {{ {place} = ({tag}){number}; }}");
            }
        }
        let _ = writeln!(out, "}};");
        write_size_assertion(name, unit.size, unit.align, out);
        for VariantUnit { name: variant, fields, .. } in with_fields {
            for StructField { name: field, offset, .. } in *fields {
                write_offset_assertion(name, &format!("as_{variant}.{field}"), *offset, out);
            }
        }
    }
}

fn alignas(is_declared: bool, align: usize) -> String {
    if is_declared { format!("alignas({align}) ") } else { String::new() }
}

fn write_size_assertion(name: &str, size: usize, align: usize, out: &mut String) {
    let _ = writeln!(out, "static_assert(sizeof({name}) == {size} && alignof({name}) == {align}, \"the size and alignment are Rust's\");");
}

fn write_offset_assertion(name: &str, field: &str, offset: usize, out: &mut String) {
    let _ = writeln!(out, "static_assert(GR_OFFSET({name}, {field}) == {offset}, \"the offset is Rust's\");");
}

#[path = "comparison.rs"]
mod comparison;
#[path = "tuples.rs"]
mod tuples;

#[cfg(test)]
#[path = "structs_tests.rs"]
mod tests;
