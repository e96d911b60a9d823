//! Values of Rust constants as CUDA C.

mod text;

pub(crate) use text::Part;
pub use text::{Constant, ConstantText, FieldValue, RefuseField, WriteField, constant};

/// A type whose values are literals in CUDA C.
///
/// # Safety
///
/// The text is that of the value, and nothing else: it becomes part of the program.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a number or `bool`", label = "a number or `bool` is needed here")]
pub unsafe trait ConstantValue: Copy {
    /// The value as a C expression of the type that stands for this one, safe to put next to any operator.
    fn c_literal(self) -> String;
}

/// `value` as a C expression.
#[must_use]
pub fn literal<T: ConstantValue>(value: T) -> String {
    value.c_literal()
}

/// What an array in constant memory consists of: a number, a `bool`, an enum without data, or an array or a tuple of these.
///
/// # Safety
///
/// As for [`ConstantValue`].
#[diagnostic::on_unimplemented(
    message = "a kernel cannot use a constant array of `{Self}`",
    note = "a constant array consists of integers, floats, `bool`s and enums without data, or of arrays or tuples of these"
)]
pub unsafe trait TableElement {
    /// The C type.
    fn c_type() -> String;

    /// The value as an initialiser, which the C++ compiler can evaluate.
    fn initialiser(&self) -> String;
}

/// The C type of an array.
#[must_use]
pub fn table_type<T: TableElement, const N: usize>(_array: &[T; N]) -> String {
    <[T; N]>::c_type()
}

/// The elements of an array, as an initialiser in C.
///
/// It does not compile for an array that is larger than constant memory.
#[must_use]
pub fn table<T: TableElement, const N: usize>(array: &[T; N]) -> String {
    const {
        assert!(
            size_of::<[T; N]>() <= 64 << 10,
            "the constant arrays of a kernel can have 64 KiB in total: pass a larger array as a slice"
        );
    };
    array.initialiser()
}

// SAFETY: it consists of the texts of its elements.
unsafe impl<T: TableElement, const N: usize> TableElement for [T; N] {
    fn c_type() -> String {
        format!("gr_array<{}, {N}>", T::c_type())
    }

    fn initialiser(&self) -> String {
        let elements: Vec<String> = self.iter().map(T::initialiser).collect();
        format!("{{{{{}}}}}", elements.join(", "))
    }
}

macro_rules! table_tuples {
    ($($name:literal: $($T:ident $position:tt),+;)+) => {
        $(// SAFETY: it consists of the texts of its parts.
        unsafe impl<$($T: TableElement),+> TableElement for ($($T,)+) {
            fn c_type() -> String {
                let types = [$($T::c_type()),+];
                format!("{}<{}>", $name, types.join(", "))
            }

            fn initialiser(&self) -> String {
                let parts = [$(self.$position.initialiser()),+];
                format!("{{{}}}", parts.join(", "))
            }
        })+
    };
}

table_tuples! {
    "gr_tuple1": A 0;
    "gr_tuple2": A 0, B 1;
    "gr_tuple3": A 0, B 1, C 2;
    "gr_tuple4": A 0, B 1, C 2, D 3;
}

macro_rules! table_elements {
    ($($T:ident)+) => {
        $(// SAFETY: the name of a type, and the literal of a number.
        unsafe impl TableElement for $T {
            fn c_type() -> String {
                stringify!($T).to_owned()
            }

            fn initialiser(&self) -> String {
                self.c_literal()
            }
        })+
    };
}

table_elements!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize bool);

/// Floats. The functions that make those that are not finite from their bits are none that the compiler evaluates.
macro_rules! float_table_elements {
    ($($T:ident: $bits:literal)+) => {
        $(// SAFETY: the name of a type, and the literal of a number.
        unsafe impl TableElement for $T {
            fn c_type() -> String {
                stringify!($T).to_owned()
            }

            fn initialiser(&self) -> String {
                if self.is_finite() {
                    self.c_literal()
                } else {
                    format!($bits, self.to_bits())
                }
            }
        })+
    };
}

float_table_elements! {
    f32: "__builtin_bit_cast(f32, {:#010x}u)"
    f64: "__builtin_bit_cast(f64, {:#018x}ull)"
}

/// An enum, whose variants without data kernels name.
///
/// # Safety
///
/// As for [`ConstantValue`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an enum that kernels support",
    note = "write `#[derive(Clone, Copy, DeviceType)]` and `#[repr(u8)]` above the enum"
)]
pub unsafe trait EnumValue: Copy {
    /// Appends the value as a C expression.
    fn write_variant(self, out: &mut ConstantText);

    /// What stands in C behind a value to ask whether it is the variant of this name.
    fn c_test(variant: &str) -> String;
}

/// What stands behind a value of type `T` to ask whether it is the `variant`. The function is not called.
pub fn variant_test<T: EnumValue>(_like: impl FnOnce() -> T, variant: &str) -> String {
    T::c_test(variant)
}

/// [`variant`] of the type that `like` would return. It is not called.
pub fn variant_like<T: EnumValue>(_like: impl FnOnce() -> T, value: T) -> ConstantText {
    variant(value)
}

/// The comparison of an enum without data with `value`.
#[must_use]
pub fn equals<T: ConstantValue>(value: T) -> String {
    format!(" == {}", value.c_literal())
}

/// `value`, mostly a variant without data, as a C expression.
#[must_use]
pub fn variant<T: EnumValue>(value: T) -> ConstantText {
    let mut text = ConstantText::default();
    value.write_variant(&mut text);
    text
}

/// Integers. C has no negative literals: `-5` is an operator and a literal, so it gets parentheses, and the smallest value
/// of a type, whose absolute value does not fit, becomes a difference.
macro_rules! integers {
    ($($T:ty: $cast:literal $suffix:literal),*) => {
        $(// SAFETY: the literal of a number.
        unsafe impl ConstantValue for $T {
            #[allow(unused_comparisons)]
            fn c_literal(self) -> String {
                if self >= 0 {
                    format!(concat!($cast, "{}", $suffix), self)
                } else if self == <$T>::MIN {
                    format!(concat!($cast, "({}", $suffix, " - 1)"), self + 1)
                } else {
                    format!(concat!($cast, "({}", $suffix, ")"), self)
                }
            }
        })*
    };
}

integers!(i8: "(i8)" "", i16: "(i16)" "", i32: "" "", i64: "" "ll", isize: "" "ll");
integers!(u8: "(u8)" "", u16: "(u16)" "", u32: "" "u", u64: "" "ull", usize: "" "ull");

// SAFETY: the literal.
unsafe impl ConstantValue for bool {
    fn c_literal(self) -> String {
        self.to_string()
    }
}

// SAFETY: the literal of a number.
unsafe impl ConstantValue for f32 {
    fn c_literal(self) -> String {
        if !self.is_finite() {
            return format!("__uint_as_float({:#010x}u)", self.to_bits());
        }
        // The shortest digits that give this value, unless a compiler that reads them as a double first would round twice. The macro
        // writes literals by the same rule.
        let shortest = format!("{self:?}");
        let rounded_twice = shortest.parse::<f64>().map(|double| double as f32);
        let digits = if rounded_twice == Ok(self) { shortest } else { format!("{:?}", f64::from(self)) };
        parenthesised(&format!("{digits}f"))
    }
}

// SAFETY: the literal of a number.
unsafe impl ConstantValue for f64 {
    fn c_literal(self) -> String {
        if !self.is_finite() {
            return format!("__longlong_as_double((i64){:#018x}ull)", self.to_bits());
        }
        parenthesised(&format!("{self:?}"))
    }
}

/// A negative number in parentheses, so that a minus before it makes no `--`.
fn parenthesised(number: &str) -> String {
    if number.starts_with('-') { format!("({number})") } else { number.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_the_suffix_or_cast_of_their_type() {
        assert_eq!(literal(5i32), "5");
        assert_eq!(literal(5u32), "5u");
        assert_eq!(literal(5i64), "5ll");
        assert_eq!(literal(5isize), "5ll");
        assert_eq!(literal(5u64), "5ull");
        assert_eq!(literal(5usize), "5ull");
        assert_eq!(literal(5u8), "(u8)5");
        assert_eq!(literal(5i16), "(i16)5");
        assert_eq!(literal(u64::MAX), "18446744073709551615ull");
    }

    #[test]
    fn negative_integers_stand_alone_and_the_smallest_is_in_range() {
        assert_eq!(literal(-5i32), "(-5)");
        assert_eq!(literal(-5i8), "(i8)(-5)");
        assert_eq!(literal(i8::MIN), "(i8)(-127 - 1)");
        assert_eq!(literal(i32::MIN), "(-2147483647 - 1)");
        assert_eq!(literal(i64::MIN), "(-9223372036854775807ll - 1)");
    }

    #[test]
    fn bool_is_written_as_in_c() {
        assert_eq!(literal(true), "true");
        assert_eq!(literal(false), "false");
    }

    #[test]
    fn floats_are_the_shortest_text_that_reads_back() {
        assert_eq!(literal(0.5f32), "0.5f");
        assert_eq!(literal(0.1f32), "0.1f");
        assert_eq!(literal(1.0f64), "1.0");
        assert_eq!(literal(1e30f64), "1e30");
        assert_eq!(literal(1e-7f32), "1e-7f");
        assert_eq!(literal(-2.0f64), "(-2.0)");
        assert_eq!(literal(-0.0f32), "(-0.0f)");
        assert_eq!(literal(f32::MAX), "3.4028235e38f");
        assert_eq!(literal(f64::MIN_POSITIVE), "2.2250738585072014e-308");
    }

    #[test]
    fn floats_read_back_to_the_same_bits_even_by_way_of_double() {
        for bits in (0..=u32::MAX).step_by(104_729) {
            let value = f32::from_bits(bits);
            if !value.is_finite() {
                continue;
            }
            let text = literal(value);
            let digits = text.trim_matches(['(', ')']).trim_end_matches('f');
            assert_eq!(digits.parse::<f32>().unwrap().to_bits(), bits, "{text}");
            assert_eq!((digits.parse::<f64>().unwrap() as f32).to_bits(), bits, "{text}");
        }
    }

    #[test]
    fn arrays_are_initialisers_of_nested_arrays() {
        const TABLE: [[i8; 2]; 2] = [[1, -2], [3, i8::MIN]];
        assert_eq!(table_type(&TABLE), "gr_array<gr_array<i8, 2>, 2>");
        assert_eq!(table(&TABLE), "{{{{(i8)1, (i8)(-2)}}, {{(i8)3, (i8)(-127 - 1)}}}}");
        assert_eq!(table(&[0.5f32, f32::NEG_INFINITY]), "{{0.5f, __builtin_bit_cast(f32, 0xff800000u)}}");
        assert_eq!(table(&[false; 0]), "{{}}");
    }

    #[test]
    fn infinities_and_nans_keep_their_bits() {
        assert_eq!(literal(f32::INFINITY), "__uint_as_float(0x7f800000u)");
        assert_eq!(literal(f32::NEG_INFINITY), "__uint_as_float(0xff800000u)");
        assert_eq!(literal(f32::from_bits(0x7fc0_0001)), "__uint_as_float(0x7fc00001u)");
        assert_eq!(literal(f64::INFINITY), "__longlong_as_double((i64)0x7ff0000000000000ull)");
        assert_eq!(literal(f64::from_bits(0xfff8_0000_0000_0002)), "__longlong_as_double((i64)0xfff8000000000002ull)");
    }
}
