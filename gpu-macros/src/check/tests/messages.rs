//! What messages about unproved kernels say to write.

use super::super::analysis::analyze;
use super::races::kernel_source;
use super::*;

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
        ("let i = grid_1d() as i32; out[(i * w32 as i32) as usize] = 1.0;", "i32"),
        ("let i = grid_1d() as u32; out[(i * w32) as usize] = 1.0;", "u32"),
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
