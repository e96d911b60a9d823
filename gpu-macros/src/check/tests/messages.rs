//! What messages and reports about kernels say.

use super::super::analysis::analyze;
use super::races::kernel_source;
use super::*;
use crate::check::{describe_index_width, describe_remaining_checks};

/// The help for the first access or barrier that is not proved.
fn help(body: &str) -> String {
    let function = kernel(&kernel_source(body));
    match analyze(&function, Vec::new()).race_freedom {
        RaceFreedom::Proved { .. } => "proved".to_owned(),
        RaceFreedom::Unproved(accesses) => accesses[0].help.clone(),
    }
}

#[test]
fn a_kernel_that_needs_the_size_of_its_blocks_is_told_to_declare_them() {
    for (body, block) in [
        ("let i = grid_1d(); if i % 16 == 1 && i / 16 < n { out[i / 16] = 1.0; }", "256"),
        ("if lane_id() == 1 { out[grid_1d() / 32] = 1.0; }", "256"),
    ] {
        let expected = format!("declare the block, such as `#[gpu_kernel(block = {block})]`");
        assert!(help(body).starts_with(&expected), "{}: {body}", help(body));
    }
    for body in ["out[0] = 1.0;", "out[ids[grid_1d()] as usize] = 1.0;", "if thread_idx().x == 0 { sync_threads(); }"] {
        assert!(!help(body).contains("block ="), "{}: {body}", help(body));
    }
}

#[test]
fn an_index_that_may_overflow_names_its_type() {
    for (body, ty) in [
        ("let i = grid_1d() as i32; out[(i * i) as usize] = 1.0;", "i32"),
        ("let i = grid_1d() as u32; out[(i * i) as usize] = 1.0;", "u32"),
    ] {
        assert!(help(body).contains(&format!("arithmetic of `{ty}` does not overflow")), "{}: {body}", help(body));
    }
    for body in ["out[(ids[grid_1d()] + 1) as usize] = 1.0;", "out[n] = 1.0;"] {
        assert!(!help(body).contains("overflow"), "{}: {body}", help(body));
    }
}

#[test]
fn a_barrier_that_cannot_move_gets_a_condition_of_all_threads() {
    for (body, instead) in [
        ("if x[grid_1d()] > 0.0 { sync_threads(); }", "`sync_threads_or(…)`"),
        ("while x[grid_1d()] > 0.0 { sync_threads(); }", "`sync_threads_or(…)`"),
        ("if x[grid_1d()] > 0.0 { sync_warp(); }", "`warp_any(…)`"),
        ("if x[grid_1d()] > 0.0 { let s = warp_sum(1); }", "pass a neutral value"),
    ] {
        assert!(help(body).contains(instead), "{}: {body}", help(body));
    }
    assert!(!help("if thread_idx().x == 0 { sync_grid(); }").contains("decide by"));
    let of_call = |ty: &str| help(&format!("let mut v{ty} = summed(1.0).await; while v > 1.0 {{ v = summed(v).await; }}"));
    assert!(of_call("").contains("annotate its type"), "{}", of_call(""));
    assert_eq!(of_call(": f32"), "proved");
}

#[test]
fn what_keeps_indices_at_64_bits_is_named() {
    let forms = [
        (
            "for i in 0..n / w { out[i] = 1.0; }",
            "32 bits, for arrays of at most 2^31 elements, in launches with; `n <= 4294967295`; `w <= 4294967295`; `(n) / (w) <= 4294967295`",
        ),
        ("let d = n / w; let part = n << d;", "64 bits: line 2: `n << d`: this use of a `usize` needs 64 bits"),
        (
            "let (a, d) = f(n / w); let part: [usize; 2] = [a, d];",
            "64 bits: line 2: `part` may have a `usize` in it, or refer to one; if not, annotate its type",
        ),
        ("let d = n / w; let mut i = 1; while i != d { i *= 2; }", "64 bits: line 2: `i`: not known to be below 2^32"),
        ("let d = n / (ids[n] as usize * w); ", "64 bits: line 2: `ids[n] as usize * w`: not known to be below 2^32"),
        ("out[grid_1d()] = 1.0;", "64 bits: with 32, the kernel would compute as much"),
    ];
    let found = |body: &str| {
        let function = kernel(&kernel_source(body));
        describe_index_width(&function, &analyze(&function, Vec::new())).join("; ")
    };
    let wrong = forms.iter().map(|(body, expected)| (body, found(body), expected)).filter(|(_, found, expected)| found != *expected);
    let wrong: Vec<String> = wrong.map(|(body, found, expected)| format!("{body}\n  found    {found}\n  expected {expected}")).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The array and the reason of each check that every launch makes.
fn remaining(body: &str) -> Vec<String> {
    let function = kernel(&kernel_source(body));
    let lines = describe_remaining_checks(&function, &analyze(&function, Vec::new()));
    lines.iter().map(|line| line.split_once(": ").expect("a line has its number").1.to_owned()).collect()
}

#[test]
fn checks_of_indices_and_of_the_ends_of_ranges_are_listed() {
    let range = "`x`: the ends of a range are compared with the length";
    for (body, expected) in [
        ("let i = grid_1d(); if i < n { out[i] = first(&x[ids[i] as usize..]); }", vec![range]),
        ("let i = grid_1d(); if i < n { out[i] = first(&x[..4]) + x[ids[i] as usize]; }", vec![range, "`x`: the index is read from `ids`"]),
        ("let i = grid_1d(); if i < n { out[i] = first(&x[..]); }", vec![]),
    ] {
        assert_eq!(remaining(body), expected, "{body}");
    }
}
