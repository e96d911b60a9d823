//! C spellings of types and literals.

use super::Emitter;
use super::callee::known;
use super::code::Code;
use super::text::{CText, c, join};
use crate::emit::Piece;
use crate::model::*;
use quote::{ToTokens, quote};

impl Emitter<'_> {
    /// The C type of a value, `auto` where only the compiler knows it.
    pub(super) fn type_name(&mut self, ty: &Type) -> CText {
        self.known_type_name(ty).unwrap_or_else(|| "auto".into())
    }

    /// The C type of a value. `None` where only the compiler knows it.
    pub(super) fn known_type_name(&mut self, ty: &Type) -> Option<CText> {
        Some(match ty {
            Type::Refused => unreachable!("what was refused is not emitted"),
            Type::Unit | Type::Never => "void".into(),
            Type::Scalar(Scalar::Usize) => self.index_type(),
            Type::Scalar(scalar) | Type::Atomic(AtomicValue::Scalar(scalar)) => scalar.name().into(),
            Type::Atomic(half @ (AtomicValue::F16 | AtomicValue::Bf16)) => {
                self.need("half");
                if *half == AtomicValue::F16 { "gr_f16" } else { "gr_bf16" }.into()
            }
            Type::Parameter(param) => CText::hole(Piece::Type(param.name.to_token_stream())),
            Type::Named(named) => self.named_type(named),
            Type::Table(table) => c!["decltype(", self.table(&table.path), ")"],
            Type::Part(..) | Type::Returned(_) => self.followed_type(ty),
            Type::Operation(_) | Type::Constant(_) | Type::Called(_) => CText::hole(Piece::TypeOf(known(ty))),
            Type::Tuple(elements) => {
                // What a device function returns, taken apart by a pattern, has elements that only the compiler knows.
                let names = elements.iter().map(|element| self.known_type_name(element)).collect::<Option<Vec<_>>>()?;
                self.need("tuple");
                c!["gr_tuple", elements.len(), "<", join(names, ", "), ">"]
            }
            Type::Std(owner, arguments) => {
                let arguments = arguments.iter().map(|argument| self.payload_type_name(argument)).collect::<Option<Vec<_>>>()?;
                let name = match owner {
                    StdEnum::Option => "option",
                    StdEnum::Result => "result",
                };
                self.need(name);
                c!["gr_", name, "<", join(arguments, ", "), ">"]
            }
            Type::Array(element, length) => {
                let element = self.known_type_name(element)?;
                self.array_type(&element, length)
            }
            Type::Tile(tile) => self.tile_type(tile)?,
            Type::Shared(array) => self.known_type_name(array)?,
            Type::Dim3 => {
                self.need("dim3");
                "gr_dim3".into()
            }
            Type::Slice { .. } | Type::View { .. } | Type::Function(_) | Type::Opaque | Type::Variable(_) => return None,
        })
    }

    /// The type of the value of a variant, which may be `()`.
    pub(super) fn payload_type_name(&mut self, ty: &Type) -> Option<CText> {
        match ty {
            Type::Unit => {
                self.need("unit");
                Some("gr_unit".into())
            }
            ty => self.known_type_name(ty),
        }
    }

    /// The C type of what lies in memory, where a tuple has the layout that rustc gave it. A value of the same tuple type has that C type
    /// too.
    pub(super) fn memory_type_name(&mut self, ty: &Type) -> CText {
        match ty {
            Type::Array(element, length) => {
                let element = self.memory_type_name(element);
                self.array_type(&element, length)
            }
            Type::Tuple(_) => {
                self.need("tuple");
                CText::hole(Piece::Tuple(ty.clone()))
            }
            Type::Std(StdEnum::Option, arguments) => {
                self.need("option");
                c!["gr_option<", join(arguments.iter().map(|argument| self.memory_type_name(argument)), ", "), ">"]
            }
            Type::Scalar(scalar) => scalar.name().into(),
            other => self.type_name(other),
        }
    }

    /// The C type of a shared array. Nothing initialises it, so a `bool` in it is a byte that is read as zero or not: also where a type
    /// parameter or a name stands for `bool`, which only C++ knows.
    pub(super) fn shared_type_name(&mut self, array: &Type) -> CText {
        match array {
            Type::Array(element, length) => {
                let element = self.shared_type_name(element);
                self.array_type(&element, length)
            }
            Type::Scalar(Scalar::Bool) => {
                self.need("shared_bool");
                "gr_shared_bool".into()
            }
            Type::Parameter(_) | Type::Named(_) => {
                self.need("shared_element");
                c!["gr_shared_element<", self.memory_type_name(array), ">"]
            }
            other => self.memory_type_name(other),
        }
    }

    fn array_type(&mut self, element: &CText, array_length: &Length) -> CText {
        self.need("array");
        c!["gr_array<", element, ", ", length(array_length), ">"]
    }
}

/// An array length or block extent as a C constant expression.
pub(super) fn length(length: &Length) -> CText {
    match length.value() {
        Some(value) => value.to_string().into(),
        None => {
            let tokens = length.tokens();
            CText::hole(Piece::Constant(quote!((#tokens) as usize)))
        }
    }
}

/// An integer literal.
pub(super) fn integer_literal(value: u128, ty: Option<Scalar>) -> Code {
    let text = integer(value, ty);
    match ty {
        // It is a cast.
        Some(small) if small.bits() < 32 => Code::constant(text),
        _ => Code::constant_word(text),
    }
}

/// An integer literal of a type; `None` for a literal that C converts itself. One that does not fit wraps around, where rustc is told to allow it.
pub(super) fn integer(value: u128, ty: Option<Scalar>) -> String {
    match ty {
        Some(ty) if ty.is_integer() && value >> ty.bits() != 0 => integer(value % (1 << ty.bits()), Some(ty)),
        Some(ty) if ty.is_signed_integer() && ty.bits() >= 32 && value >> (ty.bits() - 1) != 0 => {
            format!("({})", negative_integer((1 << ty.bits()) - value, Some(ty)))
        }
        Some(Scalar::I32) => value.to_string(),
        Some(Scalar::U32) => format!("{value}u"),
        Some(Scalar::I64 | Scalar::Isize) => format!("{value}ll"),
        Some(Scalar::U64 | Scalar::Usize) => format!("{value}ull"),
        Some(small) => format!("({}){value}", small.name()),
        None if value > i64::MAX as u128 => format!("{value}ull"),
        None if value > i32::MAX as u128 => format!("{value}ll"),
        None => value.to_string(),
    }
}

/// `-value`, with no detour through a value that the type does not have.
pub(super) fn negative_integer(value: u128, ty: Option<Scalar>) -> String {
    let value = ty.filter(|ty| ty.is_integer()).map_or(value, |ty| value % (1 << ty.bits()));
    let lowest = ty.filter(|ty| ty.is_signed_integer()).map(|ty| 1u128 << (ty.bits() - 1));
    if lowest == Some(value) && value > 1 << 15 {
        format!("(-{} - 1)", integer(value - 1, ty))
    } else {
        match ty {
            Some(small) if small.bits() < 32 => format!("({})-{value}", small.name()),
            _ => format!("-{}", integer(value, ty)),
        }
    }
}

/// A float literal: the shortest digits that give the same value, also to a compiler that reads them as a double first. The runtime
/// writes the values of constants by the same rule; a test of its own compares the two.
pub(super) fn float(digits: &str, ty: Option<Scalar>) -> String {
    let digits = digits.strip_suffix('.').unwrap_or(digits);
    match ty {
        Some(Scalar::F32) => {
            digits.parse::<f32>().map_or_else(|_| digits.to_owned(), |value| finite(single(value), value.is_finite(), "f"))
        }
        _ => digits.parse::<f64>().map_or_else(|_| digits.to_owned(), |value| finite(format!("{value:?}"), value.is_finite(), "")),
    }
}

/// The digits of an `f32`: the shortest, unless they give another value when they are rounded to a double in between.
fn single(value: f32) -> String {
    let shortest = format!("{value:?}");
    let rounded_twice = shortest.parse::<f64>().map(|double| double as f32);
    if rounded_twice == Ok(value) { shortest } else { format!("{:?}", f64::from(value)) }
}

fn finite(text: String, is_finite: bool, suffix: &str) -> String {
    // `1e999f32` is refused by rustc; what stands here is never run.
    if is_finite { format!("{text}{suffix}") } else { format!("(1.0{suffix} / 0.0{suffix})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_the_type_of_their_rust_literal() {
        assert_eq!(integer(5, Some(Scalar::Usize)), "5ull");
        assert_eq!(integer(255, Some(Scalar::U8)), "(u8)255");
        assert_eq!(negative_integer(2147483648, Some(Scalar::I32)), "(-2147483647 - 1)");
        assert_eq!(negative_integer(1 << 63, Some(Scalar::I64)), "(-9223372036854775807ll - 1)");
        assert_eq!(negative_integer(128, Some(Scalar::I8)), "(i8)-128");
        assert_eq!(negative_integer(7, Some(Scalar::I32)), "-7");
        assert_eq!(float("2.", Some(Scalar::F32)), "2.0f");
        assert_eq!(float("1e-6", Some(Scalar::F64)), "1e-6");
        assert_eq!(float("0.1", Some(Scalar::F32)), "0.1f");
        assert_eq!(float("7.038531e-26", Some(Scalar::F32)), "7.038530691851209e-26f", "the shortest digits would be rounded twice");
    }
}
