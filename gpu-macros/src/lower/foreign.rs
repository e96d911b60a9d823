//! `unsafe(cuda = "…")` and `unsafe(ptx = "…")` of `#[gpu_device]` and `#[gpu_kernel]`.

use super::options::{Argument, parse_arguments, parse_runtime};
use crate::errors::Errors;
use crate::model::{ForeignFunction, ForeignOrigin, Function, FunctionKind, Language, RuntimePath, Type};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::spanned::Spanned;

/// Parses the arguments of `#[gpu_device(…)]`: returns the path of the runtime, and the CUDA C or PTX, if any.
pub(crate) fn parse_device_options(tokens: TokenStream, errors: &Errors) -> (RuntimePath, Option<ForeignFunction>) {
    let mut runtime = RuntimePath::default();
    let mut foreign = None;
    let mut seen: Vec<String> = Vec::new();
    for Argument { is_unsafe, name, value } in parse_arguments(tokens, errors) {
        if seen.contains(&name.to_string()) {
            errors.push(name.span(), format!("`{name}` is given twice\nhelp: remove one of them"));
            continue;
        }
        seen.push(name.to_string());
        match (name.to_string().as_str(), is_unsafe) {
            ("crate", is_unsafe) => runtime = parse_runtime(&value, is_unsafe, errors).unwrap_or(runtime),
            ("cuda" | "ptx", is_unsafe) => parse_foreign(&mut foreign, &name, value, is_unsafe, errors),
            (other, _) => errors.push(
                name.span(),
                format!("unknown argument `{other}` of `gpu_device`\nhelp: the arguments are `crate = path`, `unsafe(cuda = \"…\")` and `unsafe(ptx = \"…\")`"),
            ),
        }
    }
    (runtime, foreign)
}

/// `unsafe(cuda = …)` or `unsafe(ptx = …)`, of which a function has one.
pub(super) fn parse_foreign(foreign: &mut Option<ForeignFunction>, name: &syn::Ident, text: syn::Expr, is_unsafe: bool, errors: &Errors) {
    let (language, file) = if name == "ptx" { (Language::Ptx, "file.ptx") } else { (Language::Cuda, "file.cu") };
    let is_other_literal = matches!(&text, syn::Expr::Lit(literal) if !matches!(literal.lit, syn::Lit::Str(_)));
    if !is_unsafe {
        errors
            .push(name.span(), format!("{} is not checked, so `{name}` needs `unsafe`\nhelp: write `unsafe({name} = …)`", language.name()));
    } else if foreign.is_some() {
        errors.push(name.span(), "`cuda` and `ptx` cannot be used together\nhelp: keep one of them");
    } else if is_other_literal {
        let help = format!("write a string literal or `include_str!(\"{file}\")`");
        errors.push(text.span(), format!("expected {} as text\nhelp: {help}", language.name()));
    } else {
        *foreign = Some(ForeignFunction { language, span: text.span(), origin: origin_of(&text), text: text.into_token_stream() });
    }
}

fn origin_of(text: &syn::Expr) -> ForeignOrigin {
    match text {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => ForeignOrigin::Literal(text.value()),
        syn::Expr::Macro(syn::ExprMacro { mac, .. }) if mac.path.segments.last().is_some_and(|last| last.ident == "include_str") => {
            mac.parse_body::<syn::LitStr>().map_or(ForeignOrigin::Expression, |name| ForeignOrigin::File(name.value()))
        }
        _ => ForeignOrigin::Expression,
    }
}

/// Refuses a signature that CUDA C or PTX cannot have, and text that does not name the function.
pub(crate) fn check_foreign(function: &Function, errors: &Errors) {
    let Some(foreign) = &function.foreign else { return };
    let language = foreign.language.name();
    if !function.output.is_scalar() && function.output != Type::Unit {
        let span = function.output_tokens.as_ref().map_or_else(|| function.name.span(), Spanned::span);
        errors.push(
            span,
            format!("a function written in {language} can only return a number, `bool` or nothing\nhelp: write several results into a `&mut [T]` parameter"),
        );
    }
    if let Some(param) = function.const_params.first() {
        errors.push(
            param.name.span(),
            format!("a function written in {language} cannot have const parameters\nhelp: take an ordinary parameter"),
        );
    }
    for param in function.params.iter().filter(|param| matches!(function.local(param.local).ty, Type::Function(_))) {
        errors.push(
            param.written.tokens.span(),
            format!(
                "a function written in {language} cannot take functions as parameters\nhelp: call it from a device function that takes one"
            ),
        );
    }
    let is_kernel = matches!(function.kind, FunctionKind::Kernel(_));
    if is_kernel {
        check_kernel_signature(function, language, errors);
    } else if foreign.language == Language::Ptx {
        check_ptx_signature(function, errors);
    }
    let name = function.name.to_string();
    let name = name.strip_prefix("r#").unwrap_or(&name);
    let names_it = |text: &str| text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
    if let ForeignOrigin::Literal(text) = &foreign.origin
        && !names_it(text)
    {
        errors.push(
            foreign.span,
            match foreign.language {
                Language::Cuda if is_kernel => format!(
                    "this CUDA C does not define `{name}`\nhelp: write the whole kernel, `extern \"C\" __global__ void {name}(float* x) {{ … }}`"
                ),
                Language::Cuda => format!(
                    "this CUDA C does not define `{name}`\nhelp: write the whole function, `__device__ float {name}(float x) {{ … }}`"
                ),
                Language::Ptx => {
                    let directive = if is_kernel { ".entry" } else { ".func" };
                    format!("this PTX does not define `{name}`\nhelp: write a whole module with a `.visible {directive}` of that name")
                }
            },
        );
    }
}

/// The text of a kernel has the types that its signature says, and no layouts of ours.
fn check_kernel_signature(function: &Function, language: &str, errors: &Errors) {
    if let Some(param) = function.type_params.first() {
        errors
            .push(param.name.span(), format!("a kernel written in {language} cannot have type parameters\nhelp: write one for each type"));
    }
    for param in &function.params {
        let ty = &function.local(param.local).ty;
        let element = match ty {
            Type::Slice { element, .. } => element,
            _ => ty,
        };
        if !matches!(element, Type::Scalar(_) | Type::Atomic(_) | Type::Refused) {
            errors.push(
                param.written.tokens.span(),
                format!(
                    "a kernel written in {language} can only take numbers, `bool` and slices of them\nhelp: for a view, take a slice and its extents as numbers; for a struct, take its fields"
                ),
            );
        }
    }
}

/// PTX is for one type, and its parameters must fit registers.
fn check_ptx_signature(function: &Function, errors: &Errors) {
    if let Some(param) = function.type_params.first() {
        errors.push(param.name.span(), "a function written in PTX cannot have type parameters\nhelp: write one for each type");
    }
    for param in &function.params {
        let ty = &function.local(param.local).ty;
        if !matches!(ty, Type::Scalar(_) | Type::Slice { .. } | Type::Refused | Type::Parameter(_) | Type::Function(_)) {
            errors.push(
                param.written.tokens.span(),
                "a function written in PTX can only take numbers, `bool` and slices\nhelp: for a view, take a slice and its extents as numbers; for a struct, take its fields",
            );
        }
    }
}
