//! Structs in C++, and numbers whose type only C++ can see.
//!
//! The macro does not know the type of a field. C++ does: `decltype(Particle::mass)`. A literal next to such a value is converted to its
//! type. If that is a float, the literal has the value that Rust reads from the digits, without a conversion through `double`.

use super::Emitter;
use super::callee::{call_of_type, known};
use super::code::{Binding, Code};
use super::names::{field_name, position_name, variant_name, variant_setter};
use super::text::{CText, c, join};
use super::types::{float, integer, negative_integer};
use crate::emit::{AssociatedCallee, Known, Piece};
use crate::model::*;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;

/// The C name of a part that is a member.
fn member_name(part: &Part) -> String {
    match part {
        Part::Field(name) => field_name(&name.to_string()),
        Part::Position(index) => position_name(*index),
        Part::Variant(_, name) => variant_name(&name.to_string()),
        Part::Argument(index) => (if *index == 0 { "value" } else { "error" }).to_owned(),
        Part::Element | Part::ElementAt(_) | Part::Output(..) | Part::Literal { .. } => unreachable!("it is no member"),
    }
}

/// Whether it is what a function returns that takes functions: in C++, one of a template.
fn takes_functions(ty: &Type) -> bool {
    match ty {
        Type::Part(_, Part::Output(call)) => call.takes_functions,
        Type::Returned(call) => call.args.iter().any(Argument::is_function),
        _ => false,
    }
}

impl Emitter<'_> {
    pub(super) fn named_type(&self, ty: &NamedType) -> CText {
        CText::hole(Piece::Type(ty.path.to_token_stream()))
    }

    /// The type of a part of a value, or of what a function of a type returns.
    pub(super) fn followed_type(&mut self, ty: &Type) -> CText {
        if let Some(call) = call_of_type(ty) {
            if takes_functions(ty) {
                return CText::hole(Piece::TypeOf(known(ty)));
            }
            self.need("output");
            return c!["decltype(gr_output(", CText::hole(Piece::Associated { callee: call, races: false }), "))"];
        }
        let Type::Part(base, part) = ty else { unreachable!("any other type that is followed has a name") };
        if let (Part::Element | Part::ElementAt(_), Known::Part(..)) | (Part::Literal { .. }, _) = (part, known(ty)) {
            return CText::hole(Piece::TypeOf(known(ty)));
        }
        let base = self.type_name(base);
        match part {
            Part::Element | Part::ElementAt(_) => c![base, "::element"],
            member => c!["decltype(", base, "::", member_name(member), ")"],
        }
    }

    /// `base.name`
    pub(super) fn field(&mut self, base: &Expr, name: &proc_macro2::Ident) -> Code {
        let base = self.value(base);
        Code::atom(c![base.operand(), ".", field_name(&name.to_string())]).with_constant(base.is_constant())
    }

    /// A call of a function of a type. A method takes the receiver by value or by reference, as C++ sees.
    pub(super) fn associated(
        &mut self,
        expr: &Expr,
        path: Option<&FunctionPath>,
        receiver: Option<&Expr>,
        name: &proc_macro2::Ident,
        args: &[Expr],
    ) -> Code {
        let callee = self.associated_callee(expr, path, receiver, name, args);
        let races = self.passes_racing(args);
        let receiver = receiver.map(|receiver| match receiver.is_place() {
            true => self.receiver_place(&callee, receiver, args),
            false => {
                let value = self.root_value(receiver);
                let (name, ty) = (self.namer.temporary("value"), self.type_name(&receiver.ty));
                self.writer.line(c![ty, " ", name, " = ", value.text, ";"]);
                name.into()
            }
        });
        let codes = self.operands(&args.iter().collect::<Vec<_>>());
        let args = args.iter().zip(codes).map(|(arg, code)| self.argument(arg, code));
        let list = join(receiver.into_iter().chain(args), ", ");
        Code::call(c![CText::hole(Piece::Associated { callee, races }), "(", list, ")"])
    }

    /// A place whose method is called. If the arguments may change it, it is bound before them, as the method takes it: by value or by
    /// reference, as C++ sees.
    fn receiver_place(&mut self, callee: &AssociatedCallee, receiver: &Expr, args: &[Expr]) -> CText {
        let place = self.base_place(receiver, args.iter().any(Expr::writes));
        let is_changed = self.function.receiver_change(receiver, args) != ReceiverChange::No;
        let is_lent = self.is_lent_as_copy(receiver);
        if !is_changed && !is_lent {
            return place;
        }
        // What takes functions is a template, of which C++ does not know the receiver: it may change it.
        if is_lent && args.iter().any(|arg| Argument::new(arg).is_function()) {
            return self.lent(receiver, place);
        }
        self.need("receiver");
        let taken = c!["decltype(gr_receiver(", CText::hole(Piece::Associated { callee: callee.clone(), races: false }), "))"];
        let place = match is_changed {
            true => {
                let value = if is_lent { c!["gr_racing_taken<", taken.clone(), ">(", place, ")"] } else { place };
                let name = self.namer.temporary("receiver");
                self.writer.line(c![taken.clone(), " ", name, " = ", value, ";"]);
                name.into()
            }
            false => place,
        };
        if !is_lent {
            return place;
        }
        self.need("racing");
        c!["gr_racing_loan<", taken, ">(", place, ").get()"]
    }

    /// A float literal whose type C++ finds: combined with a complex number, that of its parts.
    pub(super) fn followed_float(&mut self, digits: &str, ty: &Type) -> Code {
        let ty = self.real_type(ty);
        self.float_of(digits, ty)
    }

    /// The type of a literal next to a value of type `ty`.
    fn real_type(&mut self, ty: &Type) -> CText {
        self.need("real");
        c!["gr_real<", self.type_name(ty), ">"]
    }

    /// A float literal of this type.
    pub(super) fn float_of(&mut self, digits: &str, ty: CText) -> Code {
        let (single, double) = (float(digits, Some(Scalar::F32)), float(digits, Some(Scalar::F64)));
        // Most literals are the same number in both.
        let same = digits.parse::<f32>().is_ok_and(|single| Ok(f64::from(single)) == digits.parse::<f64>());
        if same {
            return Code::constant(c!["(", ty, ")", double]);
        }
        self.need("literal");
        Code::constant(c!["gr_float<", ty, ">(", single, ", ", double, ")"])
    }

    /// An integer literal whose type C++ finds.
    pub(super) fn followed_integer(&mut self, value: u128, negative: bool, ty: &Type) -> Code {
        let ty = self.real_type(ty);
        integer_of(value, negative, ty)
    }

    /// A struct or enum as a value: a variable that gets field after field.
    pub(super) fn struct_value(&mut self, constructor: &Constructor, fields: &[(Member, Expr)], base: Option<&Expr>, ty: &Type) -> Code {
        let name = self.namer.temporary("value");
        self.write_struct(&name, constructor, fields, base, ty);
        Code::word(name)
    }

    /// Declares the C variable `name` with the value of a struct expression of type `ty`.
    pub(super) fn write_struct(
        &mut self,
        name: &str,
        constructor: &Constructor,
        fields: &[(Member, Expr)],
        base: Option<&Expr>,
        ty: &Type,
    ) {
        // As in Rust, the fields in the order written, and then the base.
        let values: Vec<&Expr> = fields.iter().map(|(_, value)| value).chain(base).collect();
        let mut codes = self.operands(&values);
        let base = base.and_then(|_| codes.pop());
        let ty = if ty.is_followed() { self.type_name(ty) } else { self.named_type(&constructor.owner) };
        match base {
            Some(base) => self.writer.line(c![ty, " ", name, " = ", base.text, ";"]),
            None => self.writer.line(c![ty, " ", name, ";"]),
        }
        if let Some(variant) = &constructor.variant {
            self.writer.line(c![name, ".", variant_setter(&variant.to_string()), "();"]);
        }
        let place = variant_place(&name.into(), constructor);
        for ((member, _), code) in fields.iter().zip(codes) {
            self.writer.line(c![place, ".", member_name(&member.part()), " = ", code.text, ";"]);
        }
    }
}

/// `Shape::Empty {}` or `Shape::Empty()`, of an enum with or without data, which is a `ty`.
pub(super) fn empty_variant(constructor: &Constructor, positional: bool, ty: &Type) -> Code {
    let path = &constructor.path;
    let value = if positional { quote!(#path()) } else { quote!(#path {}) };
    variant_without_data(value, ty)
}

/// `Shape::Empty`, which is a `ty`: of a generic enum, the path alone does not say of which instance.
pub(super) fn variant_without_data(value: TokenStream, ty: &Type) -> Code {
    let is_complete = matches!(ty, Type::Named(NamedType { path }) if path.segments.last().is_none_or(|last| last.arguments.is_none()));
    let like = if is_complete || !ty.is_followed() { Known::Nothing } else { known(ty) };
    Code::constant_word(CText::hole(Piece::Variant(value, like)))
}

/// Whether the enum at `place`, which is a `ty`, is of the variant that a pattern names. `None` of a struct, which is always of its type.
pub(super) fn variant_test(constructor: &Constructor, ty: &Type, place: &CText) -> Option<Code> {
    let variant = constructor.variant.as_ref()?;
    let owner = if ty.is_followed() { known(ty) } else { Known::Type(Type::Named(constructor.owner.clone())) };
    let test = Piece::VariantTest(owner, variant.unraw().to_string());
    Some(Code::bound(Binding::Comparison, c![place, CText::hole(test)]))
}

/// The fields that a pattern names, each with its place.
pub(super) fn struct_parts<'p>(pattern: &'p StructPattern, place: &CText) -> impl Iterator<Item = (&'p Pattern, CText)> {
    let place = variant_place(place, &pattern.constructor);
    pattern.fields.iter().map(move |(member, part)| (part, c![place, ".", member_name(&member.part())]))
}

/// Where the fields of the value at `place` are.
fn variant_place(place: &CText, constructor: &Constructor) -> CText {
    match &constructor.variant {
        Some(variant) => c![place, ".", variant_name(&variant.to_string())],
        None => place.clone(),
    }
}

/// An integer literal of this type.
pub(super) fn integer_of(value: u128, negative: bool, ty: CText) -> Code {
    let digits = if negative { negative_integer(value, None) } else { integer(value, None) };
    Code::constant(c!["(", ty, ")", digits])
}
