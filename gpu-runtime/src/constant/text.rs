//! Values of Rust constants of any type that memory can hold, as expressions of CUDA C.
//!
//! A number is its literal. A larger value consists of its parts and the name of its type. The program chooses the names of types, so the
//! text has holes for them.

use std::fmt;

use super::ConstantValue;
use crate::source::{CType, DeviceType};

/// An expression of CUDA C, with holes for types.
#[derive(Debug, Default)]
pub struct ConstantText {
    parts: Vec<Part>,
}

/// A piece of such an expression.
#[derive(Debug)]
pub(crate) enum Part {
    Text(String),
    Type(CType),
}

impl ConstantText {
    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The next text.
    ///
    /// # Safety
    ///
    /// It becomes part of a program of CUDA C, as it is: with what stands around it, it is an expression that does nothing but have a value.
    pub unsafe fn text(&mut self, text: &str) {
        self.push(text);
    }

    /// The same within this module.
    fn push(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Text(last)) => last.push_str(text),
            _ => self.parts.push(Part::Text(text.to_owned())),
        }
    }

    /// The name of the type `T`.
    pub fn ty<T: DeviceType>(&mut self) {
        self.parts.push(Part::Type(T::c_type()));
    }
}

/// The expression as far as it is known outside of a program, which may number the types.
impl fmt::Display for ConstantText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts.iter().try_for_each(|part| match part {
            Part::Text(text) => f.write_str(text),
            Part::Type(ty) => ty.fmt(f),
        })
    }
}

/// A type whose values can be constants of a kernel.
///
/// ```compile_fail,E0200
/// struct Text;
///
/// impl gpu_runtime::__private::Constant for Text {
///     fn write(self, _: &mut gpu_runtime::__private::ConstantText) {}
/// }
/// ```
///
/// Nor can other safe code write such a text:
///
/// ```compile_fail,E0133
/// let mut out = gpu_runtime::__private::ConstantText::default();
/// out.text("(*(u32*)0x1000 = 1)"); // any CUDA C
/// ```
///
/// # Safety
///
/// The text is that of the value, and nothing else: it becomes part of the program.
#[diagnostic::on_unimplemented(
    message = "a kernel cannot use a constant of type `{Self}`",
    note = "constants can have device types: numbers, `bool`, structs and enums with `#[derive(DeviceType)]`; index an array, `TABLE[i]`"
)]
pub unsafe trait Constant: Sized {
    /// Appends the value as an expression of the type that stands for this one, safe to put next to any operator.
    fn write(self, out: &mut ConstantText);
}

/// The value of a field, which a derived implementation writes. Of a type that no device can hold, the derive has said so elsewhere: here
/// that is no second error.
#[derive(Debug)]
pub struct FieldValue<T>(pub T);

/// For fields of the right types: rustc finds it first.
pub trait WriteField {
    /// Appends the value.
    fn write_field(self, out: &mut ConstantText);
}

/// For all others. The program does not compile.
pub trait RefuseField {
    /// Never called.
    fn write_field(self, out: &mut ConstantText);
}

impl<T: Constant> WriteField for FieldValue<T> {
    fn write_field(self, out: &mut ConstantText) {
        self.0.write(out);
    }
}

impl<T> RefuseField for &FieldValue<T> {
    fn write_field(self, _: &mut ConstantText) {
        unreachable!("the type of a field is refused")
    }
}

/// `value` as an expression.
#[must_use]
pub fn constant<T: Constant>(value: T) -> ConstantText {
    let mut text = ConstantText::default();
    value.write(&mut text);
    text
}

// SAFETY: the literal.
unsafe impl<T: ConstantValue> Constant for T {
    fn write(self, out: &mut ConstantText) {
        out.push(&self.c_literal());
    }
}

// SAFETY: it consists of the texts of its elements.
unsafe impl<T: Constant + DeviceType, const N: usize> Constant for [T; N] {
    fn write(self, out: &mut ConstantText) {
        out.ty::<Self>();
        out.push("{{");
        for (index, element) in self.into_iter().enumerate() {
            out.push(if index == 0 { "" } else { ", " });
            element.write(out);
        }
        out.push("}}");
    }
}

// SAFETY: it consists of the text of its value.
unsafe impl<T: Constant + DeviceType> Constant for Option<T> {
    fn write(self, out: &mut ConstantText) {
        out.ty::<Self>();
        match self {
            None => out.push("{}"),
            Some(value) => {
                out.push("{1, ");
                value.write(out);
                out.push("}");
            }
        }
    }
}

macro_rules! tuples {
    ($(($($T:ident $position:tt),+))+) => {$(
        // SAFETY: it consists of the texts of its elements.
        unsafe impl<$($T: Constant + DeviceType),+> Constant for ($($T,)+) {
            fn write(self, out: &mut ConstantText) {
                out.ty::<Self>();
                $(
                    out.push(if $position == 0 { "{" } else { ", " });
                    self.$position.write(out);
                )+
                out.push("}");
            }
        }
    )+};
}

tuples! {
    (A 0) (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3) (A 0, B 1, C 2, D 3, E 4) (A 0, B 1, C 2, D 3, E 4, F 5)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6) (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}
