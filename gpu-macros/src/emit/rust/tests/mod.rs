//! Golden tests: the generated Rust, formatted. What it does is tested in the runtime, on real kernels.

mod array;
mod body;
mod device;
mod generalized;
mod items;

use super::expand_function;
use crate::check::{Analysis, Conditions, check_function};
use crate::emit::{Callee, Cooperation, Known, Piece, Source};
use crate::errors::Errors;
use crate::infer::infer_function;
use crate::lower::lower_function;
use crate::model::*;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::quote;

fn kernel(code: &str) -> Function {
    model(code, FunctionKind::Kernel(KernelOptions::default()))
}

fn device(code: &str) -> Function {
    model(code, FunctionKind::Device)
}

fn model(code: &str, kind: FunctionKind) -> Function {
    let errors = Errors::new();
    let lowered = lower_function(Item::free(&parse(code), kind, RuntimePath::default()), &errors).expect("the test's signature is sound");
    let function = infer_function(lowered, &errors);
    errors.check().expect("the test's function is accepted");
    function
}

fn parse(code: &str) -> syn::ItemFn {
    syn::parse_str(code).expect("the test's function parses")
}

fn proved() -> RaceFreedom {
    RaceFreedom::Proved { grid_axes: 1, block_axes: 2, conditions: Vec::new() }
}

fn source() -> Source {
    Source {
        name: "k".into(),
        prototype: Vec::new(),
        body: Vec::new(),
        snippets: Vec::new(),
        several_elements: false,
        cooperation: Cooperation::default(),
        uniformity: UniformParameters::NONE,
        numbers: Vec::new(),
        racing: None,
    }
}

/// The expansion, with `$` for the path of the runtime's private module and sites shortened to their kind.
fn print(function: &Function, proof: &RaceFreedom, source: &Source) -> String {
    print_analyzed(function, &analysis(function, proof), source)
}

fn print_analyzed(function: &Function, analysis: &Analysis, source: &Source) -> String {
    format(expand_function(function, analysis, source))
}

/// What `check` says of `function`, but that nothing is known of its indices.
fn analysis(function: &Function, proof: &RaceFreedom) -> Analysis {
    let errors = Errors::new();
    let analysis = check_function(function, 0, &errors);
    errors.check().expect("the test's function is accepted");
    let bounds = vec![Bound::Unknown; function.sites.len()];
    Analysis {
        race_freedom: proof.clone(),
        exact_operations: Vec::new(),
        conditions: Conditions::of(&bounds),
        bounds,
        ..analysis.expect("there are no errors")
    }
}

fn format(tokens: TokenStream) -> String {
    let file = syn::parse2(shorten_sites(tokens)).expect("the expansion is Rust");
    prettyplease::unparse(&file).replace("::gpu_runtime::__private::", "$").replace("::core::primitive::", "")
}

/// `const { &Site { …, kind: SiteKind::Index } }` as `INDEX`.
fn shorten_sites(tokens: TokenStream) -> TokenStream {
    let mut short: Vec<TokenTree> = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group)
                if group.delimiter() == Delimiter::Brace
                    && short.last().is_some_and(|last| last.to_string() == "const")
                    && group.stream().to_string().starts_with("& :: gpu_runtime :: __private :: Site {") =>
            {
                let text = group.stream().to_string();
                let kind = text.rsplit_once("SiteKind ::").map_or("", |(_, kind)| kind).trim_start();
                let kind: String = kind.chars().take_while(|c| c.is_alphanumeric()).collect();
                short.pop();
                short.push(Ident::new(&kind.to_uppercase(), Span::call_site()).into());
            }
            TokenTree::Group(group) => short.push(Group::new(group.delimiter(), shorten_sites(group.stream())).into()),
            other => short.push(other),
        }
    }
    short.into_iter().collect()
}

/// The lines from the first that contains `from` up to, not including, the next that contains `to`.
fn excerpt(text: &str, from: &str, to: &str) -> String {
    let mut lines = text.lines().skip_while(|line| !line.contains(from)).take_while(|line| !line.contains(to)).peekable();
    let indent = lines.peek().map_or(0, |line| line.len() - line.trim_start().len());
    lines.map(|line| format!("{}\n", line.get(indent..).unwrap_or_default())).collect()
}
