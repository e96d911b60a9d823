//! A device function whose CUDA C the user wrote.
//!
//! The user's text is at file scope, in its own namespace, so that its names do not conflict with others. The rest of the program calls a
//! wrapper function, which passes its arguments on:
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
//! PTX is linked with the program, and only declared in the namespace:
//!
//! ```c
//! namespace gr_ptx_norm {
//! extern "C" __device__ f32 norm(f32 x, f32 y);
//! }
//! ```

use super::text::{CText, c, join};
use super::{Emitter, names};
use crate::check::Analysis;
use crate::emit::{Cooperation, Piece, Source};
use crate::model::*;
use std::collections::BTreeSet;

/// Writes `function`, whose definition is `foreign`.
pub(super) fn write_foreign_function(function: &Function, analysis: &Analysis, foreign: &ForeignFunction) -> Source {
    let mut emitter = Emitter { snippets: BTreeSet::from(["types"]), ..Emitter::new(function, analysis) };
    let name = function.name.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name);
    let header = emitter.write_header();
    let prefix = match foreign.language {
        Language::Cuda => "gr_cuda_",
        Language::Ptx => "gr_ptx_",
    };
    let space = c![prefix, CText::hole(Piece::OwnName)];
    let mut body = c!["namespace ", space, " {\n"];
    match foreign.language {
        Language::Cuda => {
            match &foreign.origin {
                ForeignOrigin::File(file) => body.push(format!("#line 1 \"{}\"\n", file.escape_default())),
                ForeignOrigin::Literal(_) | ForeignOrigin::Expression => body.push_hole(Piece::Line(foreign.span.start().line as u32)),
            }
            body.push_hole(Piece::Foreign(foreign.text.clone()));
            body.push("\n");
            body.push_hole(Piece::Line(function.name.span().start().line as u32));
        }
        Language::Ptx => {
            body.push_hole(Piece::Linked(foreign.text.clone()));
            let params: Vec<CText> = function.params.iter().map(|param| emitter.write_param(param.local)).collect();
            let output = emitter.type_name(&function.output);
            body.push(c!["extern \"C\" __device__ ", output, " ", name, "(", join(params, ", "), ");\n"]);
        }
    }
    let arguments = function.params.iter().map(|param| emitter.handed_on(param.local));
    let returns = if function.output == Type::Unit { "" } else { "return " };
    body.push(c!["}\n", header, " {\n  ", returns, space, "::", name, "(", join(arguments, ", "), ");\n}\n"]);
    Source {
        name: names::function_name(&function.name.to_string()),
        prototype: header.into_pieces(),
        body: body.into_pieces(),
        snippets: emitter.snippets.into_iter().collect(),
        // What the text asks of its thread is not known.
        several_elements: false,
        cooperation: Cooperation::default(),
    }
}
