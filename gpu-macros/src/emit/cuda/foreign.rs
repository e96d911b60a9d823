//! A device function whose CUDA C the user wrote.
//!
//! The user's text stands at file scope, in a namespace of its own, so that nothing in it has the name of anything else; a function
//! in front of it, which the rest of the program calls, hands its arguments on:
//!
//! ```c
//! namespace gr_cuda_norm {
//! __device__ float norm(float x, float y) { … }
//! }
//! static __device__ f32 norm_2(f32 x, f32 y) {
//!   return gr_cuda_norm::norm(x, y);
//! }
//! ```
//!
//! PTX is linked with the program instead, and declared where CUDA C stands:
//!
//! ```c
//! namespace gr_ptx_norm {
//! extern "C" __device__ f32 norm(f32 x, f32 y);
//! }
//! ```

use super::{Emitter, names, writer};
use crate::check::Analysis;
use crate::emit::{GridUse, Piece, Source};
use crate::model::*;
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::spanned::Spanned;

/// Writes `function`, whose definition is `foreign`.
pub(super) fn write_foreign_function(function: &Function, analysis: &Analysis, foreign: &ForeignFunction) -> Source {
    let mut emitter = Emitter { snippets: BTreeSet::from(["types"]), ..Emitter::new(function, analysis) };
    let name = function.name.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name);
    let namespace = emitter.hole(Piece::OwnName);
    let header = emitter.write_header();
    let arguments: Vec<String> = function.params.iter().map(|param| emitter.foreign_argument(param.local)).collect();

    let mut prototype = Vec::new();
    writer::split_holes(&header, &emitter.holes, &mut prototype);
    let mut body = Vec::new();
    let space = match foreign.language {
        Language::Cuda => format!("gr_cuda_{namespace}"),
        Language::Ptx => format!("gr_ptx_{namespace}"),
    };
    writer::split_holes(&format!("namespace {space} {{\n"), &emitter.holes, &mut body);
    match foreign.language {
        Language::Cuda => {
            match foreign.file() {
                Some(file) => body.push(Piece::Text(format!("#line 1 \"{}\"\n", file.escape_default()))),
                None => body.push(Piece::Line(foreign.text.span().start().line as u32)),
            }
            body.push(Piece::Foreign(foreign.text.to_token_stream()));
            body.push(Piece::Text("\n".into()));
            body.push(Piece::Line(function.name.span().start().line as u32));
        }
        Language::Ptx => {
            body.push(Piece::Linked(foreign.text.to_token_stream()));
            let params: Vec<String> = function.params.iter().map(|param| emitter.write_param(param.local)).collect();
            let output = emitter.type_name(&function.output);
            body.push(Piece::Text(format!("extern \"C\" __device__ {output} {name}({});\n", params.join(", "))));
        }
    }
    let call = format!("{space}::{name}({});", arguments.join(", "));
    let call = if function.output == Type::Unit { call } else { format!("return {call}") };
    writer::split_holes(&format!("}}\n{header} {{\n  {call}\n}}\n"), &emitter.holes, &mut body);
    Source {
        name: names::function_name(&function.name.to_string()),
        prototype,
        body,
        snippets: emitter.snippets.into_iter().collect(),
        // What the text asks of its thread is not known.
        several_elements: false,
        grid: GridUse::default(),
    }
}

impl Emitter<'_> {
    /// A parameter as it is handed on: of a slice, the pointer and the number of elements.
    fn foreign_argument(&self, local: LocalId) -> String {
        match self.function.local(local).ty {
            Type::Slice { .. } => format!("{}, {}", self.name(local), self.lengths[local.0]),
            _ => self.name(local).to_owned(),
        }
    }
}
