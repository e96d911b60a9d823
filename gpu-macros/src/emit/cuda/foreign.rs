//! A device function, or a kernel, whose CUDA C the user wrote.
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
//!
//! A kernel is the user's own. The declaration behind it is an error if it is not `extern "C"`, so that its name would be mangled. The
//! assertion compares its parameters with those that the launcher passes; a slice is its pointer:
//!
//! ```c
//! extern "C" __global__ void scale(float* x, float by, int n) { … }
//! extern "C" __global__ decltype(scale) scale;
//! static_assert(gr_same_parameters<decltype(scale), void(f32*, f32, i32)>(), "…");
//! ```
//!
//! One that is PTX is not compiled. The text is a declaration of it as PTX would have it, which the runtime compares with the module:
//!
//! ```ptx
//! .entry scale(.param .b64 x, .param .b32 by, .param .b32 n)
//! ```

use super::text::{CText, c, join};
use super::{Emitter, names};
use crate::check::Analysis;
use crate::emit::array::{Access, Array};
use crate::emit::{Cooperation, Piece, Source};
use crate::model::*;
use crate::vec_map::VecSet;

/// Writes `function`, whose definition is `foreign`.
pub(super) fn write_foreign_function(function: &Function, analysis: &Analysis, foreign: &ForeignFunction) -> Source {
    if matches!(function.kind, FunctionKind::Kernel(_)) {
        return match foreign.language {
            Language::Cuda => write_cuda_kernel(function, analysis, foreign),
            Language::Ptx => declare_ptx_kernel(function, foreign),
        };
    }
    let mut emitter = Emitter { snippets: VecSet::of("types"), ..Emitter::new(function, analysis) };
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
            push_text(&mut body, function, foreign);
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
        uniformity: UniformParameters::NONE,
        numbers: Vec::new(),
        racing: None,
    }
}

fn write_cuda_kernel(function: &Function, analysis: &Analysis, foreign: &ForeignFunction) -> Source {
    let mut emitter = Emitter { snippets: VecSet::from_iter(["types", "foreign"]), ..Emitter::new(function, analysis) };
    let params: Vec<CText> = function.params.iter().map(|param| emitter.write_foreign_param(param.local)).collect();
    let list = c!["(", join(&params, ", "), ")"];
    let mut body = CText::default();
    push_text(&mut body, function, foreign);
    let name = || CText::hole(Piece::OwnName);
    body.push(c!["extern \"C\" __global__ decltype(", name(), ") ", name(), ";\n"]);
    let mismatch = "the parameters of the CUDA C are not those of the Rust signature, in which a slice is a pointer";
    let parameters = c!["gr_same_parameters<decltype(", name(), "), void", list, ">()"];
    body.push(c!["static_assert(", parameters, ", \"", mismatch, "\");\n"]);
    Source {
        name: names::function_name(&function.full_name),
        prototype: CText::default().into_pieces(),
        body: body.into_pieces(),
        snippets: emitter.snippets.into_iter().collect(),
        several_elements: false,
        cooperation: Cooperation::default(),
        uniformity: UniformParameters::NONE,
        numbers: Vec::new(),
        racing: None,
    }
}

fn declare_ptx_kernel(function: &Function, foreign: &ForeignFunction) -> Source {
    let params = function.params.iter().map(|param| {
        let local = function.local(param.local);
        let bits = match local.ty {
            Type::Scalar(scalar) => scalar.bits(),
            // A slice is its pointer.
            _ => 64,
        };
        format!(".param .b{bits} {}", local.name)
    });
    let name = function.name.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name);
    let mut body = CText::hole(Piece::Linked(foreign.text.clone()));
    body.push(format!(".entry {name}({})\n", params.collect::<Vec<_>>().join(", ")));
    Source {
        name: name.to_owned(),
        prototype: CText::default().into_pieces(),
        body: body.into_pieces(),
        snippets: Vec::new(),
        several_elements: false,
        cooperation: Cooperation::default(),
        uniformity: UniformParameters::NONE,
        numbers: Vec::new(),
        racing: None,
    }
}

/// The user's text, with its own lines.
fn push_text(body: &mut CText, function: &Function, foreign: &ForeignFunction) {
    match &foreign.origin {
        ForeignOrigin::File(file) => body.push(format!("#line 1 \"{}\"\n", file.escape_default())),
        ForeignOrigin::Literal(_) | ForeignOrigin::Expression => body.push_hole(Piece::Line(foreign.span.start().line as u32)),
    }
    body.push_hole(Piece::Foreign(foreign.text.clone()));
    body.push("\n");
    body.push_hole(Piece::Line(function.name.span().start().line as u32));
}

impl Emitter<'_> {
    /// The type of a kernel's parameter; of a slice, that of its pointer.
    fn write_foreign_param(&mut self, local: LocalId) -> CText {
        let ty = &self.function.local(local).ty;
        match Array::of(ty) {
            Some(Array { kind, element, .. }) => {
                let qualifier = if kind.access == Access::Read { "const " } else { "" };
                c![qualifier, self.memory_type_name(element), "*"]
            }
            None => self.type_name(ty),
        }
    }
}
