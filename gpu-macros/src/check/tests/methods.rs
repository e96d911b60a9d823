//! Kernels in an `impl`, with constants of the type.

use super::forms::{LINE, PAIRS, Shape, assert_proved, run};
use super::launches::{assert_launched, is_accepted, is_launched};
use super::*;
use crate::expand::of_type;
use syn::{ImplItem, ImplItemFn};

/// The kernels in the `impl`s of a file, through the stages before the checks.
pub(super) fn kernels_of_types(text: &str) -> Vec<Function> {
    let file = syn::parse_file(text).expect("a file that Rust can parse");
    let blocks = file.items.into_iter().filter_map(|item| match item {
        syn::Item::Impl(block) => Some(block),
        _ => None,
    });
    blocks.flat_map(|block| kernels_of_type(&block)).collect()
}

fn kernels_of_type(block: &syn::ItemImpl) -> Vec<Function> {
    let text = block.to_token_stream().to_string();
    let kernels = block.items.iter().filter_map(|item| {
        let ImplItem::Fn(method) = item else { return None };
        let attribute = method.attrs.iter().find(|attribute| attribute.path().is_ident("gpu_kernel"))?;
        let arguments = match &attribute.meta {
            syn::Meta::List(list) => list.tokens.to_string(),
            _ => String::new(),
        };
        let method = ImplItemFn { attrs: Vec::new(), ..method.clone() };
        let function = syn::parse2(method.into_token_stream()).expect("a method without `self` is a function");
        let errors = Errors::new();
        let function = of_type(function, block, &errors);
        errors.check().expect("a kernel of a type");
        let around = Surroundings::in_source(&text, &function.sig.ident.to_string());
        Some(kernel_of(&arguments, &function, Some(around)))
    });
    kernels.collect()
}

/// A kernel in the `impl` of a type with constants, with the parameters of the other tables of forms.
fn method(arguments: &str, body: &str) -> Function {
    let arrays = "out: &mut [u32], view: ViewMut<u32, 2>, rows: &mut [[u32; 4]], count: &[AtomicU32], total: &[AtomicU64]";
    let text = format!(
        "struct Field; impl Field {{ const TILE: usize = 4; const HALO: usize = 1;
            #[gpu_kernel({arguments})] fn form(x: &[u32], n: usize, m: usize, k: usize, {arrays}) {{ {body} }} }}"
    );
    kernels_of_types(&text).into_iter().next().expect("a kernel")
}

/// Forms, with the arguments of the attribute.
const PROVED: &[(&str, &str)] = &[
    ("", "let i = grid_1d(); for j in 0..Self::TILE { out[i * Self::TILE + j] = 1; }"),
    ("", "let i = grid_1d(); let all = block_dim().x * grid_dim().x; for j in 0..Self::TILE { out[i + j * all] = 1; }"),
    ("", "let i = grid_1d(); for row in out[i * Self::TILE..(i + 1) * Self::TILE].chunks_mut(k) { row[0] = 1; }"),
    (
        "block = Field::TILE",
        "let base = block_idx().x * Self::TILE * Self::HALO; for j in 0..Self::HALO { out[base + j * Self::TILE + thread_idx().x] = 1; }",
    ),
    (
        "block = 4",
        "let t = thread_idx().x; if t >= Self::HALO && t < 4 - Self::HALO { out[block_idx().x * (4 - 2 * Self::HALO) + t - Self::HALO] = 1; }",
    ),
    ("", "let (x, y) = grid_2d(); if x < Self::TILE { view[[y, x]] = 1; rows[y * Self::TILE + x][0] = 1; }"),
];

/// The same, with a launch that has a data race.
const RACING: &[(&str, &str, Shape)] = &[
    ("", "let i = grid_1d(); for j in 0..=Self::TILE { out[i * Self::TILE + j] = 1; }", LINE),
    ("", "let i = grid_1d(); for j in 0..Self::TILE { out[i * Self::HALO + j] = 1; }", LINE),
    ("", "let i = grid_1d(); for row in out[i * Self::HALO..i * Self::HALO + Self::TILE].chunks_mut(2) { row[0] = 1; }", LINE),
    ("", "let i = grid_1d(); let all = block_dim().x; for j in 0..Self::TILE { out[i + j * all] = 1; }", LINE),
    // A constant of the type is another one than that of the module.
    ("", "let (x, y) = grid_2d(); if x < Self::TILE { rows[y * Self::HALO + x][0] = 1; }", PAIRS),
];

#[test]
pub(super) fn kernels_of_types_are_proved() {
    for (arguments, body) in PROVED {
        assert_proved(&method(arguments, body), body);
    }
    assert_launched(PROVED.iter().map(|(arguments, body)| (*body, method(arguments, body))), &[LINE, PAIRS]);
}

#[test]
pub(super) fn kernels_of_types_that_race_are_not_proved() {
    let mut failures = Vec::new();
    for (arguments, body, shape) in RACING {
        let (function, launch) = (method(arguments, body), shape.launch());
        if run(&function, &launch).1.is_none() {
            failures.push(format!("there is no data race: {body}"));
        }
        if is_accepted(&function, &launch) {
            failures.push(format!("proved: {body}"));
        }
        is_launched(body, &function, &[LINE, PAIRS]);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn no_launch_of_a_kernel_of_a_type_refutes_a_proof() {
    let kernels = kernels_of_types(include_str!("../../../../tests/src/kernels/modules/mod.rs"));
    assert_eq!(kernels.iter().map(|kernel| kernel.name.to_string()).collect::<Vec<_>>(), ["step", "reverse"]);
    assert_proved(&kernels[0], "step");
    for kernel in &kernels {
        assert!(is_launched(&kernel.name.to_string(), kernel, &[]), "{}: no safe launch does anything", kernel.name);
    }
}
