//! Kernels from textbooks, from CUDA's samples and after Rodinia's algorithms, and what is proved of each. The conformance tests launch them.
//!
//! `corpus/table.txt` is the expected result: for each kernel, whether its launch is safe, under which conditions, which checks remain, and
//! whether launches without them may compute indices in 32 bits.
//! An improvement of the proofs is a change of the table.

use super::*;
use expect_test::expect_file;
use std::fmt::Write;

const FILES: [&str; 8] = [
    include_str!("../../../../tests/src/kernels/textbook_elements.rs"),
    include_str!("../../../../tests/src/kernels/textbook_stencils.rs"),
    include_str!("../../../../tests/src/kernels/textbook_matrices.rs"),
    include_str!("../../../../tests/src/kernels/textbook_reductions.rs"),
    include_str!("../../../../tests/src/kernels/textbook_sorting.rs"),
    include_str!("../../../../tests/src/kernels/textbook_graphs.rs"),
    include_str!("../../../../tests/src/kernels/textbook_science.rs"),
    include_str!("../../../../tests/src/kernels/textbook_images.rs"),
];

/// The kernels of the corpus.
pub(super) fn corpus() -> Vec<Function> {
    FILES.iter().flat_map(|file| kernels_of(file)).collect()
}

fn kernels_of(text: &str) -> Vec<Function> {
    let file = syn::parse_file(text).expect("kernels that Rust can parse");
    let functions = file.items.into_iter().filter_map(|item| match item {
        syn::Item::Fn(mut function) => {
            let attribute = function.attrs.iter().find(|attribute| attribute.path().is_ident("gpu_kernel"))?;
            let arguments = match &attribute.meta {
                syn::Meta::List(list) => list.tokens.to_string(),
                _ => String::new(),
            };
            function.attrs.clear();
            let around = Surroundings::in_source(text, &function.sig.ident.to_string());
            Some(kernel_of(&arguments, &function, Some(around)))
        }
        // Imports, constants and the launches of the conformance tests.
        _ => None,
    });
    functions.collect()
}

/// The checks that remain in each launch, and those that depend on the launch.
fn checks(function: &Function) -> String {
    let bounds = bounds_of(function, |kind| matches!(kind, SiteKind::Index | SiteKind::AxisIndex(_)));
    let always = bounds.iter().filter(|bound| matches!(bound, Bound::Unknown)).count();
    let by_launch = bounds.iter().filter(|bound| matches!(bound, Bound::Below(needs) if !needs.is_empty())).count();
    format!("{always} of {}, {by_launch} by launch", bounds.len())
}

/// The axes of the grid of a safe launch, and the rows of the table.
fn describe(function: &Function) -> (Option<u8>, String) {
    let proof = prove_race_freedom(function, &walk(function));
    let axes = match &proof {
        RaceFreedom::Proved { grid_axes, .. } => Some(*grid_axes),
        RaceFreedom::Unproved(_) => None,
    };
    let (launch, reasons) = match proof {
        RaceFreedom::Proved { grid_axes, block_axes, conditions } => {
            let conditions = conditions.iter().map(|condition| format!("if {}", show_inequality(&condition.inequality, function)));
            (format!("safe {grid_axes} {block_axes}"), conditions.collect())
        }
        RaceFreedom::Unproved(accesses) => ("UNPROVED".to_owned(), accesses.into_iter().map(|access| access.what).collect::<Vec<_>>()),
    };
    let width = if narrow::needs(function).is_some() { ", or 32 bits" } else { "" };
    let mut text = format!("{:28} {launch:10} checks {}{width}\n", function.name.to_string(), checks(function));
    for reason in reasons {
        writeln!(text, "{:28} {reason}", "").unwrap();
    }
    (axes, text)
}

#[test]
fn what_is_proved_of_textbook_kernels() {
    let kernels = corpus();
    let (grids, rows): (Vec<Option<u8>>, String) = kernels.iter().map(describe).unzip();
    let (safe, of_one_block) = (grids.iter().flatten().count(), grids.iter().flatten().filter(|axes| **axes == 0).count());
    expect_file!["corpus/table.txt"]
        .assert_eq(&format!("{safe} of {} launches are safe, {of_one_block} of them with one block\n\n{rows}", kernels.len()));
}

#[test]
fn every_textbook_kernel_is_launched() {
    let is_launched = |kernel: &Function| FILES.iter().any(|file| file.contains(&format!("launch!(bench, {}(", kernel.name)));
    let idle: Vec<String> = corpus().iter().filter(|kernel| !is_launched(kernel)).map(|kernel| kernel.name.to_string()).collect();
    assert!(idle.is_empty(), "no case of the conformance tests launches {idle:?}");
}
