//! Enums with data as CUDA C has them: a tag and a union.

use super::StructField;
use crate::constant::literal;

/// An enum's definition, with the layout that it has in Rust.
#[derive(Debug)]
pub struct EnumUnit {
    /// The user's name for it, already safe as a C identifier; the linker appends a number where two types of one program
    /// share it.
    pub name: &'static str,
    /// The C type of the number that tells the variants apart.
    pub tag: &'static str,
    /// The tag is the first field of each variant (`repr(u8)`), not one before the union of them (`repr(C)`).
    pub tag_in_variants: bool,
    /// In the order declared.
    pub variants: &'static [VariantUnit],
    /// In bytes.
    pub size: usize,
    /// In bytes.
    pub align: usize,
    /// Declared with `align(…)`: the fields alone may ask for less.
    pub declares_align: bool,
}

/// A variant of an enum.
#[derive(Debug)]
pub struct VariantUnit {
    /// Its name in the names of what the definition has for it: `as_`, `is_` and `set_`.
    pub name: &'static str,
    /// Its tag, of which C takes as many bytes as the tag has.
    pub number: i64,
    /// In the order declared; each offset is from the start of the enum.
    pub fields: &'static [StructField],
}

impl EnumUnit {
    /// The C type of tags of so many bytes. A tag is only compared and written, so its sign does not matter.
    #[must_use]
    pub const fn tag_type(bytes: usize) -> &'static str {
        match bytes {
            1 => "u8",
            2 => "u16",
            4 => "u32",
            _ => "u64",
        }
    }

    /// A variant without data as a C expression: it converts to the enum, and can be compared with one.
    #[must_use]
    pub fn variant(number: i64) -> String {
        format!("gr_variant{{{}}}", literal(number))
    }
}
