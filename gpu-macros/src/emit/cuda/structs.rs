//! Structs in C++, and numbers whose type only C++ can see.
//!
//! The macro does not know the type of a field. C++ does: `decltype(Particle::mass)`. A literal next to such a value is converted
//! to its type; where that is a float, to what Rust reads in the digits, with no detour through a `double`.

use super::Emitter;
use super::expr::Code;
use super::names::{field_name, position_name};
use super::types::{float, integer, negative_integer};
use crate::emit::Piece;
use crate::model::*;
use quote::ToTokens;

/// The C name of a part that is a member.
fn member_name(part: &Part) -> String {
    match part {
        Part::Field(name) => field_name(&name.to_string()),
        Part::Position(index) => position_name(*index),
        Part::Element => unreachable!("an element is no member"),
    }
}

impl Emitter<'_> {
    pub(super) fn named_type(&mut self, ty: &NamedType) -> String {
        self.hole(Piece::Type(ty.path.to_token_stream()))
    }

    pub(super) fn part_type(&mut self, base: &Type, part: &Part) -> String {
        let base = self.type_name(base);
        match part {
            Part::Element => format!("{base}::element"),
            member => format!("decltype({base}::{})", member_name(member)),
        }
    }

    /// `base.name`
    pub(super) fn field(&mut self, base: &Expr, name: &proc_macro2::Ident) -> Code {
        let base = self.value(base);
        Code::place(format!("{}.{}", base.operand(), field_name(&name.to_string()))).with_constant(base.is_constant())
    }

    /// A float literal whose type C++ finds.
    pub(super) fn followed_float(&mut self, digits: &str, ty: &Type) -> Code {
        let ty = self.type_name(ty);
        let (single, double) = (float(digits, Some(Scalar::F32)), float(digits, Some(Scalar::F64)));
        // Most literals are the same number in both.
        let same = digits.parse::<f32>().is_ok_and(|single| Ok(f64::from(single)) == digits.parse::<f64>());
        if same {
            return Code::constant(format!("({ty}){double}"));
        }
        self.need("literal");
        Code::constant(format!("gr_float<{ty}>({single}, {double})"))
    }

    /// An integer literal whose type C++ finds.
    pub(super) fn followed_integer(&mut self, value: u128, negative: bool, ty: &Type) -> Code {
        let ty = self.type_name(ty);
        let digits = if negative { negative_integer(value, None) } else { integer(value, None) };
        Code::constant(format!("({ty}){digits}"))
    }

    /// A struct as a value: a variable that gets field after field.
    pub(super) fn struct_value(&mut self, ty: &NamedType, fields: &[(Member, Expr)], base: Option<&Expr>) -> Code {
        let name = self.namer.temporary("value");
        self.write_struct(&name, ty, fields, base);
        Code::atom(name)
    }

    /// Declares the C variable `name` with the value of a struct expression.
    pub(super) fn write_struct(&mut self, name: &str, ty: &NamedType, fields: &[(Member, Expr)], base: Option<&Expr>) {
        // As in Rust, the fields in the order written, and then the base.
        let values: Vec<&Expr> = fields.iter().map(|(_, value)| value).chain(base).collect();
        let mut codes = self.operands(&values);
        let base = base.and_then(|_| codes.pop());
        let ty = self.named_type(ty);
        match base {
            Some(base) => self.writer.line(format!("{ty} {name} = {};", base.text)),
            None => self.writer.line(format!("{ty} {name};")),
        }
        for ((member, _), code) in fields.iter().zip(codes) {
            self.writer.line(format!("{name}.{} = {};", member_name(&member.part()), code.text));
        }
    }
}
