//! `Option` and `Result` in CUDA C: the values of both variants, and a flag that tells which one is there.

use super::Emitter;
use super::code::{Binding, Code};
use super::expr::nothing;
use super::text::{CText, c};
use crate::model::*;

impl Emitter<'_> {
    /// `Some(value)`, as a value of type `ty`.
    pub(super) fn std_variant(&mut self, variant: StdVariant, value: Option<&Expr>, ty: &Type) -> Code {
        let code = value.map(|value| self.payload(value));
        let Some(code) = code else { return Code::atom(c![self.type_name(ty), "{}"]) };
        match variant {
            StdVariant::Ok | StdVariant::Err => {
                let name = if variant == StdVariant::Ok { "ok" } else { "err" };
                let arguments = match ty {
                    Type::Std(_, arguments) => {
                        arguments.iter().map(|argument| self.payload_type_name(argument)).collect::<Option<Vec<_>>>()
                    }
                    _ => None,
                };
                let arguments = arguments.map_or_else(CText::default, |names| super::text::join(names, ", "));
                self.need("result");
                Code::atom(c!["gr_", name, "<", arguments, ">(", code.text, ")"])
            }
            _ => {
                self.need("option");
                // Of a type that only the compiler knows, it finds the argument.
                let argument = value.and_then(|value| self.payload_type_name(&value.ty)).map_or_else(CText::default, |ty| c!["<", ty, ">"]);
                Code::atom(c!["gr_some", argument, "(", code.text, ")"])
            }
        }
    }

    /// The value of a variant; of `()`, after what it does.
    fn payload(&mut self, value: &Expr) -> Code {
        if value.ty != Type::Unit {
            return self.value(value);
        }
        self.need("unit");
        if !matches!(value.kind, ExprKind::Tuple(_) | ExprKind::Local(_)) {
            self.write_effects(value);
        }
        Code::constant_word("gr_unit{}")
    }

    /// Whether the value at `place` is of the variant.
    pub(super) fn test_of_std_variant(&mut self, variant: StdVariant, place: &CText) -> Code {
        let (flag, is_set) = match variant {
            StdVariant::Some => (c![place, ".some"], true),
            StdVariant::None => (c![place, ".some"], false),
            StdVariant::Ok => (c![place, ".ok"], true),
            StdVariant::Err => (c![place, ".ok"], false),
            StdVariant::Value | StdVariant::Rest => {
                self.need("either");
                (c!["gr_has_value(", place, ")"], variant == StdVariant::Value)
            }
        };
        if is_set { Code::atom(flag) } else { Code::bound(Binding::Unary, c!["!", flag]) }
    }

    /// A variable of type `()`, which is nowhere.
    pub(super) fn bind_unit(&mut self, id: LocalId) {
        self.places[id.0] = nothing();
    }
}

/// The member that has the value of the variant.
pub(super) fn value_member(variant: StdVariant) -> &'static str {
    if variant == StdVariant::Err { "error" } else { "value" }
}
