//! Barriers of the grid: who must come, and what is known behind them.

use super::barriers::misses;
use super::races::{assert_proved, assert_unproved, races};

#[test]
fn barriers_of_the_grid_need_all_blocks() {
    for body in [
        "sync_grid();",
        "if n > 3 { sync_grid(); }",
        "if x[0] > 0.0 { sync_grid(); }",
        "let i = grid_1d(); if i >= n { return; } sync_grid();",
        "for k in 0..n { sync_threads(); sync_grid(); }",
        "for k in 0..n { if k == w { break; } sync_grid(); }",
        "for k in 0..n { if k % 2 == 0 { sync_grid(); } }",
        "let mut s = n; while s > 0 { s /= 2; sync_grid(); }",
        "let mut s = 0; loop { sync_grid(); s += 1; if s >= n { break; } }",
        "if grid_dim().x > 1 && { sync_grid(); true } { }",
    ] {
        assert_proved(body, "3 3");
    }
    for body in [
        "if block_idx().x == 0 { sync_grid(); }",
        "if thread_idx().x == 0 { sync_grid(); }",
        "if sync_threads_or(x[grid_1d()] > 0.0) { sync_grid(); }",
        "if warp_all(x[grid_1d()] > 0.0) { sync_grid(); }",
        "for k in 0..block_idx().y { sync_grid(); }",
        "for k in block_idx().y..n { sync_grid(); }",
        "for i in grid_stride(n) { sync_grid(); }",
        "let b = block_idx().x; for k in 0..n { if k == b { break; } sync_grid(); }",
        "let b = block_idx().x; for k in 0..n { if k == b { continue; } sync_grid(); }",
        "let mut s = 0; if block_idx().x == 0 { s = 1; } if s == 1 { sync_grid(); }",
        "let mut s = block_idx().x; while s > 0 { s -= 1; sync_grid(); }",
        "let mut late = 0; let mut early = 0; for _ in 0..n { if early > 0 { sync_grid(); } early = late; late = block_idx().x; }",
        "let mut tile = shared::<[u32; 4]>(); if tile[0] > 0 { sync_grid(); }",
    ] {
        assert_unproved(body);
    }
    assert_eq!(
        races("let b = block_idx().x;\nif b > 3 {\nsync_grid();\n}"),
        "unproved: line 4: `sync_grid()` is under a condition that can differ between threads of a grid"
    );
}

#[test]
fn a_variable_that_the_grid_agrees_on_does_not_tell_its_threads_apart() {
    assert_unproved("let mut k = 0; while k < n { out[k] = 1.0; k += 1; }");
    assert_unproved("let mut k = n; k += 1; out[k] = 1.0;");
    assert_proved("let mut k = 0; while k < n { out[grid_1d()] = 1.0; k += 1; sync_grid(); }", "1 1");
}

#[test]
fn what_others_wrote_before_a_barrier_of_the_grid_is_not_proved() {
    assert_proved("let i = grid_1d(); out[i] = 1.0; sync_grid(); out[i] += 1.0;", "1 1");
    assert_unproved("let i = grid_1d(); out[i] = 1.0; sync_grid(); let v = out[i + 1];");
    assert_unproved("let i = grid_1d(); out[i] = 1.0; sync_grid(); out[n - i] = 2.0;");
}

#[test]
fn every_block_reaches_the_grids_barriers_in_a_device_function() {
    let misses = |body: &str| misses(&format!("async fn f(v: f32, n: usize, x: &[f32]) -> f32 {{ {body} }}"));
    for body in [
        "sync_grid(); v",
        "for _ in 0..10 { sync_grid(); } v",
        "if v > 0.0 { return v; } v + 1.0",
        "for _ in 0..x.len() { sync_grid(); } v",
    ] {
        assert_eq!(misses(body), "", "{body}");
    }
    for body in [
        "if v > 0.0 { sync_grid(); } v",
        "for _ in 0..n { sync_grid(); } v",
        "if block_idx().x == 0 { sync_grid(); } v",
        "if block_idx().x == 0 { return v; } sync_grid(); v",
        "let all = sync_threads_and(v > 0.0); if all { return v; } sync_grid(); v",
    ] {
        assert!(misses(body).contains("threads of a grid"), "{body}: {}", misses(body));
    }
}
