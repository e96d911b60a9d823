//! `ptx!` as CUDA C's `asm`.

use super::Emitter;
use super::code::Code;
use super::expr::nothing;
use super::text::{CText, c, join};
use crate::model::*;

impl Emitter<'_> {
    /// `asm volatile("…" : "=r"(result) : "r"(a), "f"(b) : "memory");`, with the outputs in temporaries.
    pub(super) fn assembly(&mut self, assembly: &Assembly, ty: &Type) -> Code {
        let Assembly { template, outputs, inputs, is_pure, .. } = assembly;
        let values = self.operands(&inputs.iter().collect::<Vec<_>>());
        let inputs: Vec<CText> = values
            .into_iter()
            .zip(inputs)
            .map(|(value, input)| {
                let value = if value.calls { self.spill(value, &input.ty, "value") } else { value };
                c!["\"", input.ty.as_scalar().map_or("r", constraint), "\"(", value.text, ")"]
            })
            .collect();
        let results: Vec<String> = outputs
            .iter()
            .map(|output| {
                let result = self.namer.temporary("result");
                self.declare(&result, &Type::Scalar(*output));
                result
            })
            .collect();
        let written = outputs.iter().zip(&results).map(|(output, result)| c!["\"=", constraint(*output), "\"(", result, ")"]);
        let (qualifier, clobber) = if *is_pure { ("", "") } else { (" volatile", " : \"memory\"") };
        let template: String = template.iter().map(write_piece).collect();
        let (written, inputs) = (join(written, ", "), join(inputs, ", "));
        self.writer.line(c!["asm", qualifier, "(\"", template, "\" : ", written, " : ", inputs, clobber, ");"]);
        match results.as_slice() {
            [] => nothing(),
            [result] => Code::constant_word(result.as_str()),
            results => {
                let ty = self.type_name(ty);
                Code::atom(c![ty, "{", join(results, ", "), "}"])
            }
        }
    }
}

/// The letter of the register for this type.
fn constraint(scalar: Scalar) -> &'static str {
    match (scalar, scalar.bits()) {
        (Scalar::F32, _) => "f",
        (Scalar::F64, _) => "d",
        (_, 16) => "h",
        (_, 64) => "l",
        _ => "r",
    }
}

/// A piece of the text as the inside of a C string. There, `%` begins an operand.
fn write_piece(piece: &TemplatePiece) -> String {
    match piece {
        TemplatePiece::Operand(number) => format!("%{number}"),
        TemplatePiece::Text(text) => {
            let mut escaped = String::new();
            for character in text.chars() {
                match character {
                    '%' => escaped.push_str("%%"),
                    '\\' => escaped.push_str("\\\\"),
                    '"' => escaped.push_str("\\\""),
                    '\n' => escaped.push_str("\\n"),
                    other => escaped.push(other),
                }
            }
            escaped
        }
    }
}
