//! Odd forms of indices that race: each looks like one that is proved, and a launch shows that it must not be.

use super::forms::{LINE, PAIRS, Shape, WARPS, form, run, shape};
use super::launches::{has_declared_block, is_accepted};

/// A part of 2^64 whose multiples come back to 0.
const QUARTER: u64 = 1 << 62;

/// Forms, with the arguments of the attribute and a launch that has a data race.
const RACING: &[(&str, &str, Shape)] = &[
    // Products and shifts that wrap around.
    ("", "out[block_idx().x << 2 | thread_idx().x] = 1;", shape([2, 1, 1], [8, 1, 1], 1, 1, 1)),
    ("", "out[(block_idx().x * 4) ^ thread_idx().x] = 1;", shape([2, 1, 1], [8, 1, 1], 1, 1, 1)),
    (
        "block = 8",
        "let s = n.saturating_mul(8); out[block_idx().x * 8 + ((s | thread_idx().x) - s)] = 1;",
        shape([1, 1, 1], [8, 1, 1], u64::MAX, 1, 1),
    ),
    ("", "if thread_idx().x << 62 == 0 { out[block_idx().x] = 1; }", shape([1, 1, 1], [8, 1, 1], 1, 1, 1)),
    ("", "if thread_idx().x * m == 0 { out[block_idx().x] = 1; }", shape([1, 1, 1], [8, 1, 1], 1, QUARTER, 1)),
    ("", "if grid_1d() * m < 8 { out[grid_1d() * m] = 1; }", shape([3, 1, 1], [4, 1, 1], 1, QUARTER, 1)),
    ("", "let i = grid_1d() * m; if i < n { out[i] = 1; }", shape([3, 1, 1], [4, 1, 1], 9, QUARTER, 1)),
    ("", "let (x, y) = grid_2d(); if x < m && y < n { out[y * m * k + x * k] = 1; }", shape([1, 1, 1], [4, 1, 1], 2, 4, 1 << 63)),
    ("", "let i = grid_1d() as u32 * k as u32; out[i as usize] = 1;", shape([3, 1, 1], [4, 1, 1], 1, 1, 1 << 31)),
    ("", "let i = grid_1d() - 2; if i > n { out[(i + 4) % 8] = 1; }", shape([3, 1, 1], [4, 1, 1], 1, 1, 1)),
    ("", "let i = (grid_1d() as i32 - 3).abs() as usize; out[i] = 1;", LINE),
    ("", "out[grid_1d().abs_diff(k)] = 1;", LINE),
    (
        "block = 8",
        "let j = block_idx().x * 8 + thread_idx().x; for i in 0..3 { out[i * n + j + k * i] = 1; }",
        shape([2, 1, 1], [8, 1, 1], 16, 1, u64::MAX - 7),
    ),
    // Conditions that more than one thread satisfies.
    ("", "let i = grid_1d(); if i == m || i == k { out[0] = 1; }", LINE),
    ("", "let i = grid_1d(); if i / 2 == k { out[k] = 1; }", LINE),
    ("", "if thread_idx().x == 0 { out[block_idx().x / 2] = 1; }", LINE),
    ("", "if thread_idx().x % 2 == 0 { out[block_idx().x] = 1; }", LINE),
    ("", "if thread_idx().x == thread_idx().y { out[block_idx().x] = 1; }", PAIRS),
    ("", "if thread_idx().x * thread_idx().y == 0 { out[block_idx().x] = 1; }", PAIRS),
    ("", "if thread_idx().x + thread_idx().y == 1 { out[block_idx().x] = 1; }", PAIRS),
    ("", "if thread_idx().x as u8 == 0 { out[block_idx().x] = 1; }", shape([1, 1, 1], [300, 1, 1], 1, 1, 1)),
    ("", "let (x, y) = grid_2d(); if x == y { out[x] = 1; } else { out[y] = 2; }", PAIRS),
    ("", "let i = grid_1d(); if i != k { out[if i > k { i - 1 } else { i + 1 }] = 1; }", LINE),
    ("", "let i = grid_1d().max(k); out[i] = 1;", LINE),
    // Comparisons of tuples and arrays.
    ("", "let i = grid_1d(); let a = (i, 0) == (0, 0); let b = (i, 0) == (5, 0); out[i + 2 * a as usize - 2 * b as usize] = 1;", LINE),
    ("", "let i = grid_1d(); let a = [i, 0] == [0, 0]; let b = [i, 0] == [5, 0]; out[i + 2 * a as usize - 2 * b as usize] = 1;", LINE),
    // What is left of a quotient.
    ("", "let i = grid_1d(); if i / m != k { out[i / m] = 1; }", LINE),
    ("", "let i = grid_1d(); let (q, r) = (i / m, i % k); out[q * k + r] = 1;", shape([3, 1, 1], [4, 1, 1], 1, 4, 2)),
    ("", "let i = grid_1d(); view[[i % m, i % k]] = 1;", shape([3, 1, 1], [4, 1, 1], 1, 2, 4)),
    ("", "let (j, i) = grid_2d(); view[[i, j / 2]] = 1;", PAIRS),
    ("", "let (j, i) = grid_2d(); view[[j, j]] = i as u32;", PAIRS),
    // The next step of a tree, steps that come back to 0, and fields of one colour beside each other.
    ("", "let i = grid_1d() * 2 * m; if i + 4 * m - 1 < out.len() { out[i + 2 * m - 1] += out[i + 4 * m - 1]; }", LINE),
    ("", "let i = grid_1d() * 2 * m; if i + m < out.len() { out[i + m] = 1; }", shape([3, 1, 1], [4, 1, 1], 1, 0, 1)),
    ("", "let i = grid_1d() * 2 * m; if i < out.len() { out[i] = 1; }", shape([3, 1, 1], [4, 1, 1], 1, 1 << 63, 1)),
    ("", "let (i, j) = grid_2d(); if j >= 1 && i < 4 && (i + 2 * j) % 2 == 0 { out[j * 4 + i] += out[(j - 1) * 4 + i]; }", PAIRS),
    // Tickets of several counters, parts of them, and more than a call has reserved.
    ("", "let i = grid_1d(); let slot = count[i % 2].fetch_add(1, Relaxed) as usize; out[slot] = 1;", LINE),
    ("", "let i = grid_1d(); let slot = count[0].fetch_add(1, Relaxed) as usize; out[slot / 2] = 1;", LINE),
    ("", "let i = grid_1d(); let slot = count[0].fetch_add(1, Relaxed) as usize; out[slot + i % 2] = 1;", LINE),
    ("", "let i = grid_1d(); let first = total[0].fetch_add(2, Relaxed) as usize; out[first + i % 3] = 1;", LINE),
    ("", "let place = count[0].fetch_add(1, Relaxed); if place >= 3 { out[0] = 1; }", LINE),
    // Names that hide others.
    ("", "let i = grid_1d(); { let i = i / 2; if i < n { out[i] = 1; } }", LINE),
    ("", "let (x, y) = grid_2d(); let w = n / 2; let n = w * 2; if x < n { out[y * w + x] = 1; }", shape([1, 1, 1], [3, 2, 1], 4, 1, 1)),
    // Threads that leave early.
    ("", "let i = grid_1d(); if i >= n { out[0] = 1; return; } out[i] = 1;", LINE),
    ("", "let i = grid_1d(); if i == k { return; } if i > 0 { out[i - 1] = out[k]; }", LINE),
    ("", "let i = grid_1d(); if let Some(j) = i.checked_sub(m) { out[j] = 1; } else { out[i] = 1; }", LINE),
    ("", "let i = grid_1d(); let j = match i { 0 => 1, k => k }; out[j] = 1;", LINE),
    // Loops whose bounds or strides change, and what they leave.
    (
        "",
        "let i = grid_1d(); let mut w = m; for y in 0..3 { if i < w { out[y * w + i] = 1; } w -= 1; }",
        shape([1, 1, 1], [4, 1, 1], 1, 4, 1),
    ),
    ("", "let t = grid_1d(); let mut base = 0; for _ in 0..3 { out[base + t] = 1; base += m; }", LINE),
    ("", "let i = grid_1d(); let mut s = 1; while s < 8 { if i % (2 * s) == 0 { out[i] += out[i + s]; } s *= 2; }", LINE),
    ("", "let i = grid_1d(); let mut j = 0; while j < m { if j == i { break; } j += 1; } out[j] = 1;", LINE),
    ("", "let mut p = grid_1d(); for _ in 0..2 { if p > m { p -= 1; } } out[p] = 1;", LINE),
    (
        "",
        "let mut i = grid_1d(); while i < n { out[i] = 1; i += block_dim().x * grid_dim().x; if i > k { i -= 1; } }",
        shape([1, 1, 1], [4, 1, 1], 12, 1, 6),
    ),
    ("", "for i in grid_stride(n) { out[i / 2] = 1; }", LINE),
    ("", "for i in grid_stride(n) { out[i] = out[n - 1 - i]; }", LINE),
    ("", "for i in grid_stride(n) { for j in 0..k { out[i * m + j] = 1; } }", LINE),
    (
        "block = (TILE, HALO)",
        "let t = thread_idx(); for k in (0..TILE + 1).step_by(HALO) { out[(block_idx().x * TILE + t.y + k) * TILE + t.x] = 1; }",
        shape([2, 1, 1], [4, 2, 1], 1, 1, 1).with(4, 2),
    ),
    (
        "block = (TILE, HALO)",
        "let t = thread_idx(); for k in (0..=TILE).step_by(HALO) { out[(block_idx().x * TILE + t.y + k) * TILE + t.x] = 1; }",
        shape([2, 1, 1], [4, 2, 1], 1, 1, 1).with(4, 2),
    ),
    // Arrays in an array.
    ("", "let i = grid_1d(); rows[i % 2][i / 2 % 4] = 1;", LINE),
    ("block = 4", "rows[block_idx().x % 2][thread_idx().x] = 1;", LINE),
    ("", "let i = grid_1d(); for c in 0..4 { rows[i][c] = rows[i / 2][c]; }", LINE),
    // Warps.
    ("block = 64", "out[block_idx().x * 64 + warp_id() * 16 + lane_id()] = 1;", WARPS),
    ("block = 64", "if lane_id() == warp_id() { out[block_idx().x] = 1; }", WARPS),
    ("block = (8, 8)", "out[block_idx().x * 64 + warp_id() * 32 + thread_idx().x] = 1;", shape([1, 1, 1], [8, 8, 1], 1, 1, 1)),
    (
        "block = 64",
        "let row = grid_1d() / 32; if row < n { for j in (lane_id()..m).step_by(32) { out[row * k + j] = 1; } }",
        shape([1, 1, 1], [64, 1, 1], 4, 40, 8),
    ),
    // Functions of the body.
    ("", "let f = |a: usize| a / 2; out[f(grid_1d())] = 1;", LINE),
    ("", "let i = grid_1d(); let f = |a: usize| if a > i { a } else { i }; out[f(k)] = 1;", LINE),
    // Blocks that meet on a diagonal.
    (
        "block = 8",
        "let y = k - block_idx().x; out[y * 8 + thread_idx().x] = 1; out[block_idx().x * 8 + thread_idx().x] = 2;",
        shape([2, 1, 1], [8, 1, 1], 1, 1, 1),
    ),
];

#[test]
fn odd_forms_of_indices_that_race_are_not_proved() {
    let mut failures = Vec::new();
    for (arguments, body, shape) in RACING {
        let (function, launch) = (form(arguments, body), shape.launch());
        if run(&function, &launch).1.is_none() || !has_declared_block(&function, &launch) {
            failures.push(format!("there is no data race: {arguments}: {body}"));
        }
        if is_accepted(&function, &launch) {
            failures.push(format!("proved: {arguments}: {body}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The twin borrows a whole element, and blocks run at the same time: it is no matter that they use different parts.
#[test]
fn blocks_do_not_share_an_array_in_an_array() {
    let body = "let b = block_idx().x; rows[b / 2][b % 2 * 2 + thread_idx().x] = 1;";
    let launch = shape([2, 1, 1], [2, 1, 1], 1, 1, 1).launch();
    let function = form("block = 2", body);
    assert_eq!(run(&function, &launch).1, None);
    assert!(!is_accepted(&function, &launch));
}
