//! The arguments of the attributes.

use super::foreign::parse_foreign;
use super::length::{integer, is_other_literal, listed, lower_length};
use super::tuning::{check_registers, parse_launch_bounds, parse_max_registers, parse_opt, parse_stages, parse_suffix};
use crate::cuda_names::are_similar;
use crate::errors::Errors;
use crate::model::{ArrayOptions, ForeignFunction, KernelOptions, Language, Length, Reduction, RuntimePath};
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::Token;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

/// `name = value`. `unsafe(name = value)` contains what is not checked.
pub(crate) struct Argument {
    pub(crate) is_unsafe: bool,
    pub(crate) name: syn::Ident,
    pub(crate) value: syn::Expr,
}

impl Parse for Argument {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(Token![unsafe]) {
            input.parse::<Token![unsafe]>()?;
            let inner;
            syn::parenthesized!(inner in input);
            let argument: Argument = inner.parse()?;
            if !inner.is_empty() {
                return Err(inner.error("expected one argument in `unsafe(…)`"));
            }
            return Ok(Argument { is_unsafe: true, ..argument });
        }
        // `crate` is a keyword.
        let name = if input.peek(Token![crate]) {
            let token: Token![crate] = input.parse()?;
            syn::Ident::new("crate", token.span)
        } else {
            input.parse()?
        };
        // `deny(…)` looks like rustc's attribute.
        if name != "deny" || !input.peek(syn::token::Paren) {
            input.parse::<Token![=]>().map_err(|_| {
                let message = match name.to_string().as_str() {
                    "grad" | "gradient" | "derivative" => {
                        "this argument makes no derivative\nhelp: write `#[vectorize(grad)]` or `#[gpu_device(grad)]`, without other arguments".to_owned()
                    }
                    name => format!("`{name}` needs a value\nhelp: write it, such as `{}`", example(name)),
                };
                syn::Error::new(name.span(), message)
            })?;
        }
        Ok(Argument { is_unsafe: false, name, value: ungrouped(input.parse()?) })
    }
}

/// The expression without the groups around what a user's macro has filled in: `block = ($x, 4)` with `$x:expr`.
fn ungrouped(value: syn::Expr) -> syn::Expr {
    match value {
        syn::Expr::Group(group) => ungrouped(*group.expr),
        syn::Expr::Tuple(tuple) => {
            let elems = tuple.elems.into_iter().map(ungrouped).collect();
            syn::Expr::Tuple(syn::ExprTuple { elems, ..tuple })
        }
        other => other,
    }
}

pub(super) fn parse_arguments(tokens: TokenStream, errors: &Errors) -> Vec<Argument> {
    if let Some(TokenTree::Literal(signature)) = tokens.clone().into_iter().next() {
        errors.push(
            signature.span(),
            "the attribute takes the types from the function's signature\nhelp: remove this string, and write the types in the signature",
        );
        return Vec::new();
    }
    let arguments = Punctuated::<Argument, Token![,]>::parse_terminated.parse2(tokens);
    arguments.map(|list| list.into_iter().collect()).unwrap_or_else(|error| {
        errors.push_syn(error);
        Vec::new()
    })
}

/// The first of each name: a second is refused. Of these arguments, only the path of the runtime and a kernel's CUDA C or PTX may be `unsafe`.
pub(crate) fn parse_distinct_arguments(tokens: TokenStream, errors: &Errors) -> Vec<Argument> {
    let mut distinct: Vec<Argument> = Vec::new();
    for argument in parse_arguments(tokens, errors) {
        let name = &argument.name;
        if argument.is_unsafe && !["crate", "cuda", "ptx"].iter().any(|known| name == known) {
            errors.push(name.span(), format!("`{name}` is not `unsafe`\nhelp: write `{name} = …`"));
        } else if distinct.iter().any(|earlier| earlier.name == argument.name) {
            errors.push(argument.name.span(), format!("`{}` is given twice\nhelp: remove one of them", argument.name));
        } else {
            distinct.push(argument);
        }
    }
    distinct
}

/// The arguments of `#[gpu_kernel(…)]`, with a value.
const KERNEL_ARGUMENTS: [(&str, &str); 13] = [
    ("block", "block = (16, 16)"),
    ("launch_bounds", "launch_bounds = (256, 2)"),
    ("max_registers", "max_registers = 32"),
    ("stages", "stages = 3"),
    ("fmad", "fmad = false"),
    ("fast_math", "fast_math = true"),
    ("opt", "opt = 2"),
    ("lineinfo", "lineinfo = true"),
    ("suffix", "suffix = \"a\""),
    ("cuda", "unsafe(cuda = \"…\")"),
    ("ptx", "unsafe(ptx = \"…\")"),
    ("deny", "deny(bounds_checks)"),
    ("crate", "crate = path"),
];

/// The argument `name` with a value.
fn example(name: &str) -> String {
    let of_kernel = KERNEL_ARGUMENTS.iter().find(|(known, _)| *known == name);
    of_kernel.map_or_else(|| format!("{name} = …"), |(_, example)| (*example).to_owned())
}

/// What to write instead of an argument that `#[gpu_kernel]` does not have: the one of a similar name, or any.
fn instead_of(unknown: &str) -> String {
    if let Some((known, example)) = KERNEL_ARGUMENTS.iter().find(|(known, _)| are_similar(unknown, known)) {
        return format!("write `{known}`, such as `{example}`");
    }
    let all: Vec<String> = KERNEL_ARGUMENTS.iter().map(|(_, example)| format!("`{example}`")).collect();
    let (last, others) = all.split_last().expect("there are arguments");
    format!("the arguments are {} and {last}", others.join(", "))
}

/// Parses the arguments of `#[gpu_kernel(…)]`; also gives the path of the runtime, and the CUDA C or PTX, if any.
pub(crate) fn parse_kernel_options(tokens: TokenStream, errors: &Errors) -> (KernelOptions, RuntimePath, Option<ForeignFunction>) {
    let mut options = KernelOptions::default();
    let mut foreign = None;
    let mut max_registers = None;
    let mut runtime = RuntimePath::default();
    let arguments = parse_distinct_arguments(tokens, errors);
    for Argument { name, value, is_unsafe } in &arguments {
        match name.to_string().as_str() {
            "block" => options.block = parse_block(value, errors),
            "fmad" => options.fmad = parse_flag(value, errors).unwrap_or(options.fmad),
            "launch_bounds" => options.launch_bounds = parse_launch_bounds(value, errors),
            "max_registers" => {
                options.max_registers = parse_max_registers(value, errors);
                max_registers = Some(name.span());
            }
            "stages" => options.stages = parse_stages(value, errors),
            "fast_math" => options.fast_math = parse_flag(value, errors).unwrap_or(options.fast_math),
            "opt" => options.opt = parse_opt(value, errors),
            "lineinfo" => options.lineinfo = parse_flag(value, errors).unwrap_or(options.lineinfo),
            "cuda" | "ptx" => parse_foreign(&mut foreign, name, value.clone(), *is_unsafe, errors),
            "suffix" => options.suffix = parse_suffix(value, errors),
            "deny" => options.deny_bounds_checks = parse_denied(value, errors),
            "crate" => runtime = parse_runtime(value, *is_unsafe, errors).unwrap_or(runtime),
            other => errors.push(name.span(), format!("unknown argument `{other}` of `gpu_kernel`\nhelp: {}", instead_of(other))),
        }
    }
    check_registers(&options, max_registers, errors);
    if foreign.as_ref().is_some_and(|foreign| foreign.language == Language::Ptx) {
        refuse_options_of_nvrtc(&arguments, errors);
    }
    (options, runtime, foreign)
}

/// Refuses what would say how NVRTC compiles a kernel, where there is nothing to compile.
fn refuse_options_of_nvrtc(arguments: &[Argument], errors: &Errors) {
    const OF_NVRTC: [&str; 8] = ["fmad", "launch_bounds", "max_registers", "stages", "fast_math", "opt", "lineinfo", "suffix"];
    for Argument { name, .. } in arguments.iter().filter(|argument| OF_NVRTC.iter().any(|option| argument.name == option)) {
        errors.push(name.span(), format!("`{name}` does not apply to a kernel written in PTX\nhelp: remove it"));
    }
}

/// Parses the arguments of `#[vectorize(…)]`; also gives the path of the runtime.
pub(crate) fn parse_vectorize_options(tokens: TokenStream, errors: &Errors) -> (ArrayOptions, RuntimePath) {
    let mut options = ArrayOptions { fmad: true, reduction: None };
    let mut runtime = RuntimePath::default();
    for Argument { name, value, is_unsafe } in &parse_distinct_arguments(tokens, errors) {
        match name.to_string().as_str() {
            "fmad" => options.fmad = parse_flag(value, errors).unwrap_or(options.fmad),
            "crate" => runtime = parse_runtime(value, *is_unsafe, errors).unwrap_or(runtime),
            "identity" => errors.push(name.span(), "only a reduction has an identity\nhelp: write `#[reduce(identity = …)]`"),
            other => errors.push(
                name.span(),
                format!("unknown argument `{other}` of `vectorize`\nhelp: the arguments are `fmad = false` and `crate = path`"),
            ),
        }
    }
    (options, runtime)
}

/// Parses the arguments of `#[reduce(…)]`; also gives the path of the runtime.
pub(crate) fn parse_reduce_options(tokens: TokenStream, errors: &Errors) -> (ArrayOptions, RuntimePath) {
    let mut fmad = true;
    let mut identity = None;
    let mut runtime = RuntimePath::default();
    for Argument { name, value, is_unsafe } in parse_distinct_arguments(tokens, errors) {
        match name.to_string().as_str() {
            "identity" => identity = Some(value),
            "fmad" => fmad = parse_flag(&value, errors).unwrap_or(fmad),
            "crate" => runtime = parse_runtime(&value, is_unsafe, errors).unwrap_or(runtime),
            other => errors.push(
                name.span(),
                format!(
                    "unknown argument `{other}` of `reduce`\nhelp: the arguments are `identity = 0.0`, `fmad = false` and `crate = path`"
                ),
            ),
        }
    }
    (ArrayOptions { fmad, reduction: Some(Reduction { identity: identity.map(ToTokens::into_token_stream) }) }, runtime)
}

fn parse_block(value: &syn::Expr, errors: &Errors) -> Option<Vec<Length>> {
    let extents = listed(value);
    if !(1..=3).contains(&extents.len()) {
        errors.push(
            value.span(),
            format!(
                "a block has one to three dimensions, not {}\nhelp: write `block = 256`, `block = (16, 16)` or `block = (8, 8, 4)`",
                extents.len()
            ),
        );
        return None;
    }
    for extent in &extents {
        if is_other_literal(extent) {
            errors.push(extent.span(), "the dimensions of a block must be integers\nhelp: write `block = 256` or `block = (16, 16)`");
            return None;
        }
        if integer(extent) == Some(0) {
            errors.push(extent.span(), "the dimensions of a block must be at least 1\nhelp: write `block = 256` or `block = (16, 16)`");
            return None;
        }
    }
    let extents: Vec<Length> = extents.into_iter().map(lower_length).collect();
    let threads: Option<u64> = extents.iter().map(Length::value).try_fold(1u64, |product, value| product.checked_mul(value?));
    if threads.is_some_and(|threads| threads > 1024) {
        errors.push(
            value.span(),
            format!(
                "a block has at most 1024 threads, but this one has {}\nhelp: reduce its dimensions, and launch more blocks",
                threads.unwrap_or_default()
            ),
        );
        return None;
    }
    Some(extents)
}

/// The only thing that can be denied.
fn parse_denied(value: &syn::Expr, errors: &Errors) -> bool {
    let is_known = match value {
        syn::Expr::Paren(syn::ExprParen { expr, .. }) => {
            matches!(&**expr, syn::Expr::Path(path) if path.path.is_ident("bounds_checks"))
        }
        _ => false,
    };
    if !is_known {
        errors.push(value.span(), "`deny` supports only `bounds_checks`\nhelp: write `deny(bounds_checks)`");
    }
    is_known
}

pub(super) fn parse_flag(value: &syn::Expr, errors: &Errors) -> Option<bool> {
    match value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Bool(flag), .. }) => Some(flag.value),
        other => {
            errors.push(other.span(), "expected `true` or `false`");
            None
        }
    }
}

/// The path of the runtime. What generated code calls there is trusted: a module could have other functions of the same names. So a path
/// that is not the name of a crate is `unsafe`.
pub(crate) fn parse_runtime(value: &syn::Expr, is_unsafe: bool, errors: &Errors) -> Option<RuntimePath> {
    let syn::Expr::Path(syn::ExprPath { path, qself: None, .. }) = value else {
        errors.push(value.span(), "expected the path of the `gpu_runtime` crate, such as `crate = ::my_name_of_gpu_runtime`");
        return None;
    };
    let name = path.segments.last().filter(|last| path.segments.len() == 1 && last.arguments.is_none()).map(|last| &last.ident);
    match name.filter(|name| *name != "crate" && *name != "self" && *name != "super") {
        _ if is_unsafe => Some(RuntimePath::trusted(path.to_token_stream())),
        Some(name) => Some(RuntimePath::of_crate(name.clone())),
        None => {
            errors.push(
                path.span(),
                "the macro cannot check that this path is `gpu_runtime`, and generated code relies on it\nhelp: write the name of the crate, such as `crate = ::gpu_runtime`, or `unsafe(crate = path)` if the path is that of `gpu_runtime`",
            );
            None
        }
    }
}
