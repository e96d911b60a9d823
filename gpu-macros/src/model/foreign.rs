//! CUDA C and PTX that the user wrote.

/// `#[gpu_device(unsafe(cuda = "…"))]`: text at file scope with a function of the annotated function's name, which runs on GPUs in
/// place of the body. With `ptx = "…"`, a module of PTX that defines such a function.
pub(crate) struct ForeignFunction {
    pub(crate) language: Language,
    /// A constant expression of type `&str`: a literal, or `include_str!("file.cu")`.
    pub(crate) text: syn::Expr,
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

impl ForeignFunction {
    /// The file that the text comes from, if the expression tells.
    pub(crate) fn file(&self) -> Option<String> {
        let syn::Expr::Macro(syn::ExprMacro { mac, .. }) = &self.text else { return None };
        let is_file = mac.path.segments.last().is_some_and(|last| last.ident == "include_str");
        is_file.then(|| mac.parse_body::<syn::LitStr>().ok()).flatten().map(|name| name.value())
    }

    /// Whether the text is there for the macro to see.
    pub(crate) fn literal(&self) -> Option<String> {
        match &self.text {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        }
    }
}
