//! What `println!` in a kernel prints, the same for both backends: values with their types, and the text that formats them.

use std::fmt;

/// A value that a thread prints.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PrintValue {
    /// `i8`.
    I8(i8),
    /// `i16`.
    I16(i16),
    /// `i32`.
    I32(i32),
    /// `i64`.
    I64(i64),
    /// `u8`.
    U8(u8),
    /// `u16`.
    U16(u16),
    /// `u32`.
    U32(u32),
    /// `u64`.
    U64(u64),
    /// `f32`.
    F32(f32),
    /// `f64`.
    F64(f64),
    /// `bool`.
    Bool(bool),
}

impl PrintValue {
    /// The value that `gr_to_print` of `compile/snippets/print.cu` made these two numbers of. `None` if there is no such type.
    pub(crate) fn from_bits(tag: u64, bits: u64) -> Option<Self> {
        Some(match tag {
            0 => Self::I8(bits as i8),
            1 => Self::I16(bits as i16),
            2 => Self::I32(bits as i32),
            3 => Self::I64(bits as i64),
            4 => Self::U8(bits as u8),
            5 => Self::U16(bits as u16),
            6 => Self::U32(bits as u32),
            7 => Self::U64(bits),
            8 => Self::F32(f32::from_bits(bits as u32)),
            9 => Self::F64(f64::from_bits(bits)),
            10 => Self::Bool(bits != 0),
            _ => return None,
        })
    }
}

/// Formats as the value itself does; by `Display` where its type lacks the format, which the macro refuses if it knows the type.
macro_rules! formats {
    ($($Format:ident: $($Variant:ident)*;)*) => {
        $(impl fmt::$Format for Printed {
            #[allow(unreachable_patterns)]
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match &self.0 {
                    $(PrintValue::$Variant(value) => fmt::$Format::fmt(value, f),)*
                    _ => fmt::Display::fmt(self, f),
                }
            }
        })*
    };
}

/// A value on its way through `format!`.
#[derive(Clone, Copy)]
pub struct Printed(PrintValue);

formats! {
    Display: I8 I16 I32 I64 U8 U16 U32 U64 F32 F64 Bool;
    Debug: I8 I16 I32 I64 U8 U16 U32 U64 F32 F64 Bool;
    LowerExp: I8 I16 I32 I64 U8 U16 U32 U64 F32 F64;
    UpperExp: I8 I16 I32 I64 U8 U16 U32 U64 F32 F64;
    LowerHex: I8 I16 I32 I64 U8 U16 U32 U64;
    UpperHex: I8 I16 I32 I64 U8 U16 U32 U64;
    Octal: I8 I16 I32 I64 U8 U16 U32 U64;
    Binary: I8 I16 I32 I64 U8 U16 U32 U64;
}

/// What can be printed.
#[diagnostic::on_unimplemented(message = "`{Self}` cannot be printed in a kernel", label = "not a number or `bool`")]
pub trait Printable {
    #[doc(hidden)]
    fn printed(self) -> PrintValue;
}

macro_rules! printable {
    ($($T:ident $Variant:ident $as:ident;)*) => {
        $(impl Printable for $T {
            #[inline]
            #[allow(trivial_numeric_casts, clippy::unnecessary_cast)]
            fn printed(self) -> PrintValue {
                PrintValue::$Variant(self as $as)
            }
        })*
    };
}

printable! {
    i8 I8 i8; i16 I16 i16; i32 I32 i32; i64 I64 i64; isize I64 i64;
    u8 U8 u8; u16 U16 u16; u32 U32 u32; u64 U64 u64; usize U64 u64;
    f32 F32 f32; f64 F64 f64; bool Bool bool;
}

/// Makes the text of a `println!` from its values.
#[derive(Clone, Copy)]
pub struct PrintFormat(pub fn(&[Printed]) -> String);

impl PrintFormat {
    /// The text, with the line's end if it has one.
    pub(crate) fn format(self, values: &[PrintValue]) -> String {
        let printed: Vec<Printed> = values.iter().copied().map(Printed).collect();
        (self.0)(&printed)
    }
}

impl fmt::Debug for PrintFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PrintFormat")
    }
}

impl PartialEq for PrintFormat {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for PrintFormat {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_format_as_their_types_do() {
        let format = PrintFormat(|v| format!("{:>6.2}|{:?}|{:#06x}|{:b}|{x:e}|{:?}\n", v[0], v[1], v[2], v[3], v[4], x = v[5]));
        let values = [1.005f32.printed(), 2.0f64.printed(), 255u8.printed(), (-2i8).printed(), true.printed(), 1500.0f32.printed()];
        assert_eq!(
            format.format(&values),
            format!("{:>6.2}|{:?}|{:#06x}|{:b}|{:e}|{:?}\n", 1.005f32, 2.0f64, 255u8, -2i8, 1500.0f32, true)
        );
    }

    #[test]
    fn bits_become_the_values_that_they_were() {
        assert_eq!(PrintValue::from_bits(0, -3i64 as u64), Some(PrintValue::I8(-3)));
        assert_eq!(PrintValue::from_bits(8, u64::from(0.1f32.to_bits())), Some(PrintValue::F32(0.1)));
        assert_eq!(PrintValue::from_bits(10, 1), Some(PrintValue::Bool(true)));
        assert_eq!(PrintValue::from_bits(11, 1), None);
    }
}
