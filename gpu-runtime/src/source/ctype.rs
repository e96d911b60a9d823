//! Types as CUDA C has them: what `#[derive(DeviceType)]` says about a struct or an enum.

use std::any::TypeId;
use std::fmt;

use super::EnumUnit;
use crate::source::DeviceType;

/// A type in CUDA C.
#[derive(Debug, Clone, Copy)]
pub enum CType {
    /// One that the preamble declares.
    Scalar(&'static str),
    /// One that a snippet declares.
    Library {
        /// The type.
        name: &'static str,
        /// The snippet.
        snippet: &'static str,
    },
    /// A template that a snippet declares.
    Generic {
        /// The template.
        name: &'static str,
        /// The snippet.
        snippet: &'static str,
        /// What it is of.
        arguments: &'static [fn() -> CType],
    },
    /// Rust's `[T; N]`.
    Array {
        /// The type of its elements.
        element: fn() -> CType,
        /// How many there are, at least one.
        length: usize,
    },
    /// Rust's `(A, B)`, with the layout that rustc gave it.
    Tuple {
        /// Its identity: no other has the same.
        id: TypeId,
        /// Its fields, `_0`, `_1` and so on, in the order of their positions.
        unit: &'static StructUnit,
    },
    /// A user's struct, which the program defines.
    Struct {
        /// Its identity: no other has the same.
        id: TypeId,
        /// Its definition.
        unit: &'static StructUnit,
    },
    /// A user's enum with data, which the program defines.
    Enum {
        /// Its identity: no other has the same.
        id: TypeId,
        /// Its definition.
        unit: &'static EnumUnit,
    },
}

/// A struct's definition, with the layout that it has in Rust.
#[derive(Debug)]
pub struct StructUnit {
    /// The user's name for it, already safe as a C identifier; the linker appends a number where two types of one program
    /// share it.
    pub name: &'static str,
    /// In the order declared.
    pub fields: &'static [StructField],
    /// In bytes.
    pub size: usize,
    /// In bytes.
    pub align: usize,
    /// Declared with `align(…)`: the fields alone may ask for less.
    pub declares_align: bool,
}

/// A field of a struct.
#[derive(Debug)]
pub struct StructField {
    /// Its C name.
    pub name: &'static str,
    /// Its type.
    pub ty: fn() -> CType,
    /// Where it begins, in bytes.
    pub offset: usize,
    /// In bytes.
    pub size: usize,
    /// In bytes.
    pub align: usize,
    any_bits: bool,
    may_have_padding: bool,
    poison: u8,
}

impl StructField {
    /// A field of type `T`.
    #[must_use]
    pub const fn new<T: DeviceType>(name: &'static str, offset: usize) -> Self {
        Self {
            name,
            ty: T::c_type,
            offset,
            size: size_of::<T>(),
            align: align_of::<T>(),
            any_bits: T::ANY_BITS,
            may_have_padding: T::MAY_HAVE_PADDING,
            poison: T::POISON,
        }
    }
}

impl StructUnit {
    /// Whether every bit pattern is a value of the struct.
    #[must_use]
    pub const fn any_bits(&self) -> bool {
        let mut at = 0;
        while at < self.fields.len() {
            if !self.fields[at].any_bits {
                return false;
            }
            at += 1;
        }
        true
    }

    /// Whether some of the bytes belong to no field.
    #[must_use]
    pub const fn may_have_padding(&self) -> bool {
        let (mut of_fields, mut at) = (0, 0);
        while at < self.fields.len() {
            if self.fields[at].may_have_padding {
                return true;
            }
            of_fields += self.fields[at].size;
            at += 1;
        }
        of_fields < self.size
    }

    /// The poison of the struct: one that is a value of every field.
    #[must_use]
    pub const fn poison(&self) -> u8 {
        let (mut poison, mut at) = (0x5a, 0);
        while at < self.fields.len() {
            match self.fields[at].poison {
                // A `bool` is 0 or 1.
                0 => return 0,
                0xff => poison = 0xff,
                _ => {}
            }
            at += 1;
        }
        poison
    }
}

/// The name as far as it is known outside of a program: that of a struct may get a number there.
impl fmt::Display for CType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CType::Scalar(name) | CType::Library { name, .. } => f.write_str(name),
            CType::Generic { name, arguments, .. } => {
                let arguments: Vec<String> = arguments.iter().map(|argument| argument().to_string()).collect();
                write!(f, "{name}<{}>", arguments.join(", "))
            }
            CType::Array { element, length } => write!(f, "gr_array<{}, {length}>", element()),
            CType::Tuple { unit, .. } => {
                let fields: Vec<String> = unit.fields.iter().map(|field| (field.ty)().to_string()).collect();
                f.write_str(&tuple_name(&fields))
            }
            CType::Struct { unit, .. } => f.write_str(unit.name),
            CType::Enum { unit, .. } => f.write_str(unit.name),
        }
    }
}

/// What C calls a tuple of these types.
pub(crate) fn tuple_name(elements: &[String]) -> String {
    format!("gr_tuple{}<{}>", elements.len(), elements.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn unit(fields: &'static [StructField]) -> StructUnit {
        StructUnit { name: "S", fields, size: 0, align: 1, declares_align: false }
    }

    #[test]
    fn the_poison_of_a_struct_is_a_value_of_every_field() {
        const INTEGERS: &[StructField] = &[StructField::new::<i32>("a", 0), StructField::new::<[u8; 2]>("b", 4)];
        const NUMBERS: &[StructField] = &[StructField::new::<i32>("a", 0), StructField::new::<f32>("b", 4)];
        const FLAGS: &[StructField] = &[StructField::new::<f64>("a", 0), StructField::new::<[bool; 3]>("b", 8)];
        assert_eq!((unit(INTEGERS).poison(), unit(INTEGERS).any_bits()), (0x5a, true));
        assert_eq!((unit(NUMBERS).poison(), unit(NUMBERS).any_bits()), (0xff, true));
        assert_eq!((unit(FLAGS).poison(), unit(FLAGS).any_bits()), (0, false));
    }
}
