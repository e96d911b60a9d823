//! CUDA C and PTX that the user wrote.

use proc_macro2::{Span, TokenStream};

/// `#[gpu_device(unsafe(cuda = "…"))]`: text at file scope with a function of the annotated function's name, which runs on GPUs in
/// place of the body; or that of a kernel. With `ptx = "…"`, a module of PTX that defines such a function.
pub(crate) struct ForeignFunction {
    pub(crate) language: Language,
    /// The user's tokens for it, a constant expression of type `&str`: a literal, or `include_str!("file.cu")`.
    pub(crate) text: TokenStream,
    pub(crate) span: Span,
    pub(crate) origin: ForeignOrigin,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Cuda,
    Ptx,
}

impl Language {
    /// For messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Language::Cuda => "CUDA C",
            Language::Ptx => "PTX",
        }
    }
}

/// Where the text of a [`ForeignFunction`] comes from.
pub(crate) enum ForeignOrigin {
    /// This literal.
    Literal(String),
    /// The file of this name.
    File(String),
    /// An expression that only rustc evaluates.
    Expression,
}
