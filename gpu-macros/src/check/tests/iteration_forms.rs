//! Elements and parts of arrays that a thread changes by reference: loops over `iter_mut()` and `&mut x`, names such as
//! `let row = &mut x[a..b]`, and methods that are loops.

use super::forms::{LINE, PAIRS, Shape, assert_proved, form, run, shape};
use super::launches::{assert_launched, is_accepted, is_launched};

/// Launches with small and huge strides.
const SHAPES: [Shape; 9] = [
    LINE,
    PAIRS,
    shape([3, 1, 1], [4, 1, 1], 16, 2, 4),
    shape([3, 1, 1], [4, 1, 1], 12, 4, 3),
    shape([1, 1, 1], [4, 1, 1], 0, 0, 0),
    shape([2, 1, 1], [8, 1, 1], u64::MAX, 1 << 63, 2),
    shape([3, 1, 1], [4, 1, 1], 9, 1 << 62, 1),
    shape([2, 1, 1], [8, 1, 1], u64::MAX, u64::MAX, 1 << 32),
    shape([3, 1, 1], [4, 1, 1], 40, 1 << 32, 1 << 32),
];

const PROVED: &[&str] = &[
    // Loops over what one thread has.
    "if grid_1d() == 0 { for v in out.iter_mut() { *v = 1; } }",
    "let i = grid_1d(); for v in rows[i].iter_mut() { *v += 1; }",
    "let i = grid_1d(); for v in &mut rows[i] { *v = 1; }",
    "let i = grid_1d(); for (c, v) in rows[i].iter_mut().enumerate() { *v = c as u32; }",
    "let i = grid_1d(); for (v, w) in rows[i].iter_mut().zip(x) { *v = *w; }",
    "let i = grid_1d(); for (w, v) in x.iter().zip(rows[i].iter_mut()) { *v = *w; }",
    "let i = grid_1d(); for v in rows[i].iter_mut().rev().step_by(2) { *v = 1; }",
    "let i = grid_1d(); for v in rows[i].iter_mut().skip(1).take(m) { *v = 1; }",
    "let i = grid_1d(); for v in out[i * 4..i * 4 + 4].iter_mut() { *v = 1; }",
    "let i = grid_1d(); for v in &mut out[i * 4..(i + 1) * 4] { *v = 1; }",
    "let i = grid_1d(); for (v, w) in out[i * 4..i * 4 + 4].iter_mut().zip(rows[i].iter_mut()) { *v = *w; *w = 1; }",
    "let i = grid_1d(); for (v, w) in out[i * 4..i * 4 + 4].iter_mut().zip(rows[i].iter_mut().rev()) { *v = *w; *w = 1; }",
    "for row in rows[grid_1d()..grid_1d() + 1].iter_mut() { for v in row.iter_mut() { *v = 1; } }",
    // Names of parts and elements.
    "let i = grid_1d(); let row = &mut out[i * 4..i * 4 + 4]; row[0] = 1; row[3] = row[1];",
    "let i = grid_1d(); let row = &mut out[i * 4..i * 4 + 4]; let half = &mut row[2..]; half[0] = 1; half[1] = 2;",
    "let mut i = grid_1d(); let row = &mut rows[i]; i = 0; row[i] = 1;",
    "if let Some(v) = out.get_mut(grid_1d()) { *v = 1; }",
    "let i = grid_1d(); let Some(v) = out.get_mut(i + m) else { return }; *v += 1;",
    // Chunks of what one thread has, and a chunk for each thread.
    "let i = grid_1d(); for pair in out[i * 4..i * 4 + 4].chunks_exact_mut(2) { pair[0] = 1; pair[1] = pair[0]; }",
    "let i = grid_1d(); for (pair, v) in rows[i].chunks_exact_mut(2).zip(x) { pair[0] = *v; pair[1] = 1; }",
    "let i = grid_1d(); let row = &mut out[i * 6..i * 6 + 6]; for part in row.chunks_exact_mut(3) { part[2] = 1; part[0] = part[2]; }",
    "for row in out.chunks_exact_mut(4).skip(grid_1d()).step_by(block_dim().x * grid_dim().x) { row[0] = 1; row[3] = row[1]; }",
    "for (r, row) in out.chunks_exact_mut(4).enumerate().skip(grid_1d()).take(1) { for v in row.iter_mut() { *v = r as u32; } }",
    "for row in out.chunks_exact_mut(m).skip(grid_1d()).take(1) { for v in row.iter_mut() { *v = 1; } }",
    "for row in out.chunks_mut(4).skip(grid_1d()).take(1) { for v in row.iter_mut() { *v = 1; } }",
    "let i = grid_1d(); for (v, w) in out[i * 4..i * 4 + 4].iter_mut().zip(x[i..i + 4].iter()) { *v = *w; }",
    "let i = grid_1d(); for ((v, w), u) in out[i * 4..i * 4 + 4].iter_mut().zip(rows[i].iter_mut()).zip(x) { *v = *u; *w = *u; }",
    // Chunks of the range of a thread, of which the last may be shorter, for sizes that are literals, parameters or constants.
    "let i = grid_1d(); for pair in out[i * 4..i * 4 + 4].chunks_mut(2) { pair[0] = 1; pair[1] = 2; }",
    "let i = grid_1d(); for part in out[i * 4..i * 4 + 4].chunks_mut(3) { for v in part.iter_mut() { *v = 1; } }",
    "let i = grid_1d(); for part in out[i * 4..(i + 1) * 4].chunks_mut(k) { part[0] = 1; }",
    "let i = grid_1d(); for part in out[i * m..(i + 1) * m].chunks_mut(3) { part[0] = 1; }",
    "let i = grid_1d(); for part in out[i * m..(i + 1) * m].chunks_mut(k) { for v in part.iter_mut() { *v = 1; } }",
    "let i = grid_1d(); for part in out[i * TILE..(i + 1) * TILE].chunks_mut(HALO) { part[0] = 1; }",
    "let i = grid_1d(); for part in out[i * TILE..(i + 1) * TILE].chunks_exact_mut(HALO) { for v in part.iter_mut() { *v = 1; } }",
    "let i = grid_1d(); let (first, last) = (i * m, (i + 1) * m); for part in out[first..last].chunks_mut(k) { part[0] = 1; }",
    "let i = grid_1d(); let row = &mut out[i * m..(i + 1) * m]; for part in row.chunks_mut(k) { for v in part.iter_mut() { *v = 1; } }",
    "let i = grid_1d(); let row = &mut out[i * m..(i + 1) * m]; for (c, part) in row.chunks_mut(k).enumerate() { part[0] = c as u32; }",
    "let i = grid_1d(); let row = &mut out[i * m..(i + 1) * m]; for (part, v) in row.chunks_mut(k).zip(x) { part[0] = *v; }",
    "let i = grid_1d(); let row = &mut out[i * m..(i + 1) * m]; for part in row.chunks_mut(k).rev() { part[0] = 1; }",
    "let mut a = grid_1d() * m; let row = &mut out[a..a + m]; a = 0; for part in row.chunks_mut(k) { part[0] = a as u32; }",
    "let (x, y) = grid_2d(); if x < m { for part in out[(y * m + x) * 4..(y * m + x + 1) * 4].chunks_mut(k) { part[0] = 1; } }",
    "let i = grid_1d(); for c in 0..m.div_ceil(k) { out[i * m + c * k] = 1; }",
    "for row in out.chunks_exact_mut(m).skip(grid_1d()).take(1) { for part in row.chunks_mut(k) { part[0] = 1; } }",
    // The same without the first, or with some of the chunks.
    "let i = grid_1d(); for part in out[i * m..(i + 1) * m].chunks_mut(k).skip(1) { for v in part.iter_mut() { *v = 1; } }",
    "let i = grid_1d(); for part in out[i * 4..(i + 1) * 4].chunks_mut(2).skip(1) { part[0] = 1; part[1] = part[0]; }",
    "let i = grid_1d(); for part in out[i * m..(i + 1) * m].chunks_mut(k).skip(1).take(2) { part[0] = 1; }",
    "let i = grid_1d(); for part in out[i * m..(i + 1) * m].chunks_mut(2).skip(n) { part[0] = 1; }",
    "let i = grid_1d(); for (c, part) in out[i * m..(i + 1) * m].chunks_mut(2).enumerate().skip(1) { part[0] = c as u32; }",
    "let i = grid_1d(); for part in out[i * m..(i + 1) * m].chunks_exact_mut(k).skip(1) { for v in part.iter_mut() { *v = 1; } }",
    "let i = grid_1d(); for part in out[i * TILE..(i + 1) * TILE].chunks_exact_mut(2).skip(1) { part[0] = 1; part[1] = 2; }",
    "let i = grid_1d(); for part in out[i * m..(i + 1) * m].chunks_exact_mut(2).step_by(2) { part[0] = 1; }",
    "let i = grid_1d(); for c in 0..m.saturating_sub(k) { out[i * m + c + k] = 1; }",
    // Ranges whose last is shorter.
    "let i = grid_1d(); let a = i * TILE; if a < n { for v in out[a..(a + TILE).min(n)].iter_mut() { *v = 1; } }",
    "let i = grid_1d(); let a = i * 4; if a < out.len() { for v in &mut out[a..(a + 4).min(out.len())] { *v = 1; } }",
    "let i = grid_1d(); let a = (i * TILE).min(n); for v in &mut out[a..(a + TILE).min(n)] { *v = 1; }",
    "let i = grid_1d(); let (a, b) = ((i * m).min(n), ((i + 1) * m).min(n)); for v in &mut out[a..b] { *v = 1; }",
    "let i = grid_1d(); let (a, b) = ((i * TILE).min(n), ((i + 1) * TILE).min(n)); for j in a..b { out[j] = 1; }",
    "let i = grid_1d(); let a = (i * 4).min(n); if a < n { out[a] = 1; }",
    "let i = grid_1d(); let a = i * m; if a < n { for part in out[a..(a + m).min(n)].chunks_mut(2) { for v in part.iter_mut() { *v = 1; } } }",
    "let i = grid_1d(); let a = i * TILE; if a < n { for part in out[a..(a + TILE).min(n)].chunks_mut(2).skip(1) { part[0] = 1; } }",
    // The elements of a chunk by its name.
    "for pair in out.chunks_mut(2).skip(grid_1d()).take(1) { for v in pair { *v = 1; } }",
    "for (r, pair) in out.chunks_exact_mut(2).enumerate() { if r == grid_1d() { for v in pair { *v = r as u32; } } }",
    "for pair in out.chunks_exact_mut(m).skip(grid_1d()).take(1) { pair.fill(3); }",
    "for pair in out.chunks_mut(2).skip(grid_1d()).take(1) { for (c, v) in pair.iter_mut().enumerate() { *v = c as u32; } }",
    "let i = grid_1d(); let row = &mut out[i * m..(i + 1) * m]; row[1..].fill(3);",
    "let i = grid_1d(); let row = &mut out[i * 4..i * 4 + 4]; row.copy_from_slice(&x[i * 4..i * 4 + 4]);",
    "let i = grid_1d(); out[i * 4..(i + 1) * 4].copy_from_slice(&x[..4]);",
    "let i = grid_1d(); out[i * 4..(i + 1) * 4].fill(1);",
    // Indices through references.
    "let i = grid_1d(); let j = &i; out[*j] = 1;",
    "let i = grid_1d(); let bin = &x[i]; let b = *bin as usize; let slot = count[b].fetch_add(1, Relaxed) as usize; if slot < m { out[*bin as usize * m + slot] = 1; }",
    "let i = grid_1d(); for (v, w) in out[i * m..i * m + m].iter_mut().zip(x[k..k + 3].iter()) { *v = *w; }",
    "let i = grid_1d(); let t = (i, 3); let j = &t.0; out[*j * 2] = 1;",
    "let i = grid_1d(); let a = [i, 2 * i]; let j = &a[0]; out[*j] = 1;",
    // Methods that are loops.
    "let i = grid_1d(); rows[i].fill(3); rows[i].swap(0, 3);",
    "let i = grid_1d(); out.swap(2 * i, 2 * i + 1);",
    "let i = grid_1d(); rows[i].reverse(); rows[i].rotate_left(1);",
    "let i = grid_1d(); out[i * 4..i * 4 + 4].fill(1); out[i * 4..i * 4 + 4].reverse();",
    "let i = grid_1d(); out[i * 4..i * 4 + 4].copy_from_slice(&x[..4]);",
    "let i = grid_1d(); let (left, right) = rows[i].split_at_mut(2); left.fill(1); right[1] = left[0];",
    "let i = grid_1d(); for j in (0..2usize).flat_map(|a| (0..2usize).map(move |b| a * 2 + b)) { rows[i][j] = 1; }",
    // The range is as long as `m`, which the launch knows.
    "let i = grid_1d(); let row = &mut out[i * m..i * m + m]; for v in row.iter_mut() { *v = 1; }",
    "let i = grid_1d(); let row = &mut out[i * m..(i + 1) * m]; for v in row.iter_mut() { *v = 1; }",
    "let i = grid_1d(); for (c, v) in out[i * 8..].iter_mut().enumerate().take(8) { *v = c as u32; }",
    "for v in out.iter_mut().skip(grid_1d()).step_by(block_dim().x * grid_dim().x) { *v = 1; }",
    "let (x, y) = grid_2d(); if x < m { if let Some(v) = out.get_mut(y * m + x) { *v = 1; } }",
    "let (x, y) = grid_2d(); let slot = &mut view[[y, x]]; *slot = 1;",
];

const RACING: &[(&str, Shape)] = &[
    ("for v in out.iter_mut() { *v = 1; }", LINE),
    ("for v in out.iter_mut().take(3) { *v = 1; }", LINE),
    ("for v in out.iter_mut().skip(grid_1d()).take(2) { *v = 1; }", LINE),
    ("for v in out.iter_mut().skip(grid_1d()).step_by(m).take(2) { *v = 1; }", LINE),
    ("for v in out.iter_mut().rev().skip(grid_1d() / 2).take(1) { *v = 1; }", LINE),
    ("if thread_idx().x == 0 { for v in out.iter_mut() { *v = 1; } }", LINE),
    ("let i = grid_1d(); for v in rows[i / 2].iter_mut() { *v += 1; }", LINE),
    ("let i = grid_1d(); for v in &mut rows[i % m] { *v = 1; }", LINE),
    ("let i = grid_1d(); for (v, w) in rows[i].iter_mut().zip(rows[i + 1].iter()) { *v = *w; }", LINE),
    ("let i = grid_1d(); for v in out[i * 4..i * 4 + 5].iter_mut() { *v = 1; }", LINE),
    ("let i = grid_1d(); for v in &mut out[i * m..i * m + k] { *v = 1; }", LINE),
    ("let i = grid_1d(); for v in &mut out[i * m..(i + 2) * m] { *v = 1; }", LINE),
    ("let i = grid_1d(); for v in out[i * 4..].iter_mut().take(5) { *v = 1; }", LINE),
    ("let i = grid_1d(); for v in out[..i + 1].iter_mut().rev().take(2) { *v = 1; }", LINE),
    // `i * m` wraps around, and the range is in bounds.
    ("let i = grid_1d(); for v in &mut out[i * m..i * m + 1] { *v = 1; }", shape([3, 1, 1], [4, 1, 1], 9, 1 << 62, 1)),
    ("let i = grid_1d(); let row = &mut out[i * m..i * m + 1]; row[0] = 1;", shape([3, 1, 1], [4, 1, 1], 9, 1 << 62, 1)),
    // Names of parts that reach the next one, and of what was an index before it changed.
    ("let i = grid_1d(); let row = &mut out[i * 4..]; row[0] = 1; row[4] = 2;", LINE),
    ("let i = grid_1d(); let row = &mut out[i * 4..i * 4 + 6]; let half = &mut row[3..]; half[1] = 1; row[0] = 2;", LINE),
    ("let i = grid_1d(); let row = &mut out[m..]; row[i / 2] = 1;", LINE),
    ("let i = grid_1d(); let mut a = i / 2; let row = &mut rows[a]; a = i; row[0] = a as u32;", LINE),
    ("let i = grid_1d(); let mut a = 0; for v in out[a..a + 1].iter_mut() { a = i; *v = a as u32; }", LINE),
    ("if let Some(v) = out.get_mut(grid_1d() / 2) { *v = 1; }", LINE),
    ("let (x, y) = grid_2d(); if let Some(v) = out.get_mut(y * m + x) { *v = 1; }", PAIRS),
    ("let (x, y) = grid_2d(); let slot = &mut view[[y, x / 2]]; *slot = 1;", PAIRS),
    ("let slot = &mut rows[thread_idx().x]; slot[block_idx().x] = 1;", LINE),
    ("let i = grid_1d(); let mut a = 0; let Some(v) = out.get_mut(a) else { return }; a = i; *v = a as u32;", LINE),
    // References to the thread's own variables, which are indices.
    ("let mut i = grid_1d(); let a = &mut i; *a /= 2; out[i] = 1;", LINE),
    ("let i = grid_1d(); let mut t = (i, i); let a = &mut t.1; *a /= 2; out[t.1] = 1;", LINE),
    ("let i = grid_1d(); let mut a = [i, i]; for v in a.iter_mut() { *v /= 2; } out[a[0]] = 1;", LINE),
    ("let i = grid_1d(); let mut a = [i; 4]; for v in &mut a[1..] { *v /= 2; } out[a[3]] = 1;", LINE),
    ("let i = grid_1d(); let mut a = [i; 4]; let b = &mut a[m - 1]; *b = 0; out[a[2]] = 1;", LINE),
    (
        "let i = grid_1d(); let mut a = [[i; 2]; 2]; for row in a.iter_mut() { for v in row.iter_mut() { *v /= 2; } } out[a[1][0]] = 1;",
        LINE,
    ),
    ("let i = grid_1d(); let (mut a, b) = ([i; 2], [0; 2]); for (v, w) in a.iter_mut().zip(b) { *v = w; } out[a[1]] = 1;", LINE),
    ("let i = grid_1d(); let mut a = [i; 2]; a.fill(k); out[a[1]] = 1;", LINE),
    ("let i = grid_1d(); let mut a = [i, 0]; a.swap(0, 1); out[a[0]] = 1;", LINE),
    ("let i = grid_1d(); let mut a = [i, 0]; a.reverse(); out[a[0]] = 1;", LINE),
    ("let i = grid_1d(); let mut a = [i, 0]; a.rotate_left(1); out[a[0]] = 1;", LINE),
    ("let i = grid_1d(); let mut a = [i, 0]; a[..1].fill(k); out[a[0]] = 1;", LINE),
    ("let i = grid_1d(); let (mut a, b) = ([i, 0], [0; 1]); a[..1].copy_from_slice(&b); out[a[0]] = 1;", LINE),
    ("let i = grid_1d(); let mut a = [i, 0]; let (left, _) = a.split_at_mut(1); left[0] = 0; out[a[0]] = 1;", LINE),
    ("let i = grid_1d(); for s in (0..2usize).scan(i, |state, _| { *state /= 2; Some(*state) }) { out[s] = 1; }", LINE),
    ("let i = grid_1d(); let mut a = i; for s in (0..2usize).flat_map(|b| b..2) { a -= a.min(s); out[a] = 1; }", LINE),
    // Methods that are loops over what other threads have too.
    ("let i = grid_1d(); out[i * 4..i * 4 + 5].fill(1);", LINE),
    ("let i = grid_1d(); out[i * 4..i * 4 + 5].reverse();", LINE),
    ("let i = grid_1d(); rows[i / 2].rotate_left(1);", LINE),
    ("let i = grid_1d(); let (_, right) = out.split_at_mut(i); right[0] = 1; right[1] = 2;", LINE),
    ("let i = grid_1d(); for j in (0..2usize).flat_map(|a| (0..2usize).map(move |b| a + b)) { out[i + j] = 1; }", LINE),
    ("let i = grid_1d(); let mut a = [i; 2]; if let Some(v) = a.get_mut(m - 2) { *v = 0; } out[a[1]] = 1;", LINE),
    ("let mut i = grid_1d(); let w = i; let a = &mut i; for _ in 0..2 { out[w] = 1; *a = 0; } out[i] = 2;", LINE),
    // Chunks that overlap those of other threads, or that other threads use as well.
    ("let i = grid_1d(); for pair in out[i * 3..i * 3 + 4].chunks_exact_mut(2) { pair[0] = 1; pair[1] = 2; }", LINE),
    ("let i = grid_1d(); for pair in out[i * 4..i * 4 + 5].chunks_mut(2) { pair[0] = 1; }", LINE),
    ("let i = grid_1d(); for part in out[i * m..(i + 1) * m + 1].chunks_mut(k) { for v in part.iter_mut() { *v = 1; } }", LINE),
    ("let i = grid_1d(); for part in out[i * m..(i + 2) * m].chunks_mut(k) { for v in part.iter_mut() { *v = 1; } }", LINE),
    ("let i = grid_1d(); for part in out[i / 2 * m..(i / 2 + 1) * m].chunks_mut(k) { part[0] = 1; }", LINE),
    ("let t = thread_idx().x; for part in out[t * m..(t + 1) * m].chunks_mut(k) { part[0] = 1; }", LINE),
    ("let b = block_idx().x; for part in out[b * m..(b + 1) * m].chunks_mut(k) { part[0] = 1; }", LINE),
    ("let i = grid_1d(); for part in out[i * m..i * m + k].chunks_mut(2) { part[0] = 1; }", shape([3, 1, 1], [4, 1, 1], 7, 2, 4)),
    ("let i = grid_1d(); let row = &mut out[i * m..]; for (part, v) in row.chunks_mut(m).zip(x) { part[0] = *v; }", LINE),
    (
        "let i = grid_1d(); let row = &mut out[i * m..(i + 1) * m]; row[0] = 1; for part in out[i * k..(i + 1) * k].chunks_mut(2) { part[0] = 1; }",
        LINE,
    ),
    (
        "let i = grid_1d(); let row = &mut out[i * m..(i + 1) * m]; for (c, part) in row.chunks_mut(k).enumerate() { part[0] = out[c]; }",
        LINE,
    ),
    ("let i = grid_1d(); let a = out[(i + 1) * m]; for part in out[i * m..(i + 1) * m].chunks_mut(k) { part[0] = a; }", LINE),
    // Without the first chunk of a range that is too long, and steps that are not those of the chunks.
    (
        "let i = grid_1d(); for part in out[i * m..(i + 2) * m].chunks_mut(k).skip(1) { for v in part.iter_mut() { *v = 1; } }",
        shape([3, 1, 1], [4, 1, 1], 7, 4, 2),
    ),
    ("let i = grid_1d(); for part in out[i * m..(i + 3) * m].chunks_exact_mut(m).skip(1) { part[0] = 1; }", LINE),
    ("let i = grid_1d(); for c in 0..m.saturating_sub(1) { out[i * m + c + 2] = 1; out[i * m] = 2; }", LINE),
    (
        "let i = grid_1d(); for c in 0..=m.saturating_sub(k) { out[i * m + c + k] = 1; out[i * m] = 2; }",
        shape([3, 1, 1], [4, 1, 1], 7, 3, 3),
    ),
    (
        "let i = grid_1d(); for c in 0..=m.saturating_sub(k) { out[i * m + c + k] = 1; out[i * m] = 2; }",
        shape([3, 1, 1], [4, 1, 1], 7, 3, 6),
    ),
    ("let i = grid_1d(); for c in 0..m.div_ceil(k) { out[i * m + c * k + 1] = 1; out[i * m] = 2; }", shape([3, 1, 1], [4, 1, 1], 7, 3, 2)),
    ("let i = grid_1d(); for c in 0..=m / k { out[i * m + c * k] = 1; }", shape([3, 1, 1], [4, 1, 1], 7, 4, 2)),
    ("let i = grid_1d(); for c in 0..m / k { out[i * m + c * k + k] = 1; out[i * m] = 2; }", shape([3, 1, 1], [4, 1, 1], 7, 4, 2)),
    // Ranges that end beyond the next, or in one that several threads have because it begins at the end of all.
    ("let i = grid_1d(); let a = i * TILE; for v in &mut out[a..(a + TILE + 1).min(n)] { *v = 1; }", shape([2, 1, 1], [4, 1, 1], 60, 3, 5)),
    ("let i = grid_1d(); let a = i * 4; for v in &mut out[a..(a + 4).max(n)] { *v = 1; }", LINE),
    ("let i = grid_1d(); let a = i / 2 * 4; for v in &mut out[a..(a + 4).min(n)] { *v = 1; }", LINE),
    ("let i = grid_1d(); let a = (i * 4).min(n); for v in &mut out[a..(a + 4).min(n + 1)] { *v = 1; }", LINE),
    ("let i = grid_1d(); let a = (i * 4).min(m); for v in &mut out[a..(a + 4).min(n)] { *v = 1; }", LINE),
    ("let i = grid_1d(); let a = (i * 4).min(n); for j in a..=(a + 3).min(n) { out[j] = 1; }", LINE),
    ("let i = grid_1d(); let a = (i * 4).min(n); if a <= n { out[a] = 1; }", LINE),
    ("let i = grid_1d(); let a = (i * m).min(n); for j in a..(a + 1).min(n) { out[j] = 1; }", shape([3, 1, 1], [4, 1, 1], 9, 1 << 62, 1)),
    // The elements of a chunk of several threads, by its name.
    ("for pair in out.chunks_mut(2).skip(grid_1d() / 2).take(1) { for v in pair { *v = 1; } }", LINE),
    ("for pair in out.chunks_mut(2).skip(grid_1d()).take(2) { pair.fill(1); }", LINE),
    ("for (r, pair) in out.chunks_exact_mut(2).enumerate() { if r == thread_idx().x { for v in pair { *v = 1; } } }", LINE),
    ("let i = grid_1d(); let row = &mut out[i * m..i * m + k]; row[1..].fill(3);", shape([3, 1, 1], [4, 1, 1], 7, 2, 4)),
    ("let i = grid_1d(); out[i * 4..i * 4 + 5].fill(1);", LINE),
    ("let i = grid_1d(); out[i..i + 4].copy_from_slice(&x[..4]);", LINE),
    // Numbers of chunks that are too large, and one whose dividend wraps around.
    ("let i = grid_1d(); for c in 0..m.div_ceil(k) { for j in 0..k { out[i * m + c * k + j] = 1; } }", LINE),
    ("let i = grid_1d(); for c in 0..=m.div_ceil(k) { out[i * m + c * k] = 1; }", shape([3, 1, 1], [4, 1, 1], 7, 4, 4)),
    ("let i = grid_1d(); for c in 0..m.div_ceil(k) { out[i * (m / k) + c] = 1; }", shape([3, 1, 1], [4, 1, 1], 7, 5, 2)),
    (
        "let i = grid_1d(); let w = k * m - m; for c in 0..w.div_ceil(m) { out[i * (k - 1) + c + 12] = 1; }",
        shape([3, 1, 1], [4, 1, 1], 7, 1 << 62, 0),
    ),
    ("let i = grid_1d(); for c in 0..m.div_ceil(k) { out[i * 2 + c] = 1; }", shape([3, 1, 1], [4, 1, 1], 7, 9, 4)),
    ("for row in out.chunks_exact_mut(4) { row[0] = 1; }", LINE),
    ("for row in out.chunks_exact_mut(4).skip(grid_1d()).take(2) { row[0] = 1; }", LINE),
    ("for row in out.chunks_exact_mut(4).skip(grid_1d()).step_by(block_dim().x) { row[0] = 1; }", LINE),
    ("for row in out.chunks_exact_mut(4).skip(grid_1d() / 2).take(1) { row[0] = 1; }", LINE),
    ("let i = grid_1d(); for (a, b) in out[i * 4..i * 4 + 4].iter_mut().zip(out[i * 4 + 4..i * 4 + 8].iter()) { *a = *b; }", LINE),
    ("let mut i = grid_1d(); { let j = &mut i; *j /= 2; } let j = &i; out[*j] = 1;", LINE),
    ("let i = grid_1d(); let a = [i / 2, i]; let j = &a[0]; out[*j] = 1;", LINE),
    ("let i = grid_1d(); let j = &rows[i / 4]; let a = j[0]; out[i] = a; rows[i][0] = 1;", LINE),
    ("let i = grid_1d(); for (v, w) in out[i * m..i * m + m + 1].iter_mut().zip(x[k..k + 4].iter()) { *v = *w; }", LINE),
    // Methods that are loops.
    ("let i = grid_1d(); rows[i / 2].fill(3);", LINE),
    ("let i = grid_1d(); rows[m].swap(0, i % 4);", LINE),
    ("let i = grid_1d(); out.swap(i, i + 1);", LINE),
];

#[test]
fn elements_that_threads_change_by_reference_are_proved() {
    for body in PROVED {
        assert_proved(&form("", body), body);
    }
    assert_launched(PROVED.iter().map(|body| (*body, form("", body))), &SHAPES);
}

#[test]
fn elements_that_threads_share_by_reference_are_not_proved() {
    let mut failures = Vec::new();
    for (body, shape) in RACING {
        let (function, launch) = (form("", body), shape.launch());
        if run(&function, &launch).1.is_none() {
            failures.push(format!("there is no data race: {body}"));
        }
        if is_accepted(&function, &launch) {
            failures.push(format!("proved: {body}"));
        }
        // One that is proved on other launches has no data race there.
        is_launched(body, &function, &SHAPES);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
