//! Forms of indices that must be proved free of data races, and forms next to them that must not be.
//!
//! Each form runs on small launches, thread by thread. One that is proved has no data race on those that its safe launch accepts. One that
//! must not be proved comes with a launch that has a data race, which the safe launch would not accept.

use super::interpret::Machine;
use super::launches::{assert_launched, has_declared_block, is_accepted};
use super::simulation::{Launch, positions};
use super::*;
use crate::check::walk::walker::walk;
use std::cell::RefCell;
use std::collections::HashMap;

/// The values that a form is launched with.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    grid: [u64; 3],
    block: [u64; 3],
    n: u64,
    m: u64,
    k: u64,
    tile: u64,
    halo: u64,
    /// The parameter `n` of a form whose numbers are in a struct.
    other: u64,
}

pub(super) const fn shape(grid: [u64; 3], block: [u64; 3], n: u64, m: u64, k: u64) -> Shape {
    Shape { grid, block, n, m, k, tile: block[0], halo: 1, other: n }
}

impl Shape {
    pub(super) const fn with(self, tile: u64, halo: u64) -> Shape {
        Shape { tile, halo, ..self }
    }

    pub(super) const fn other(self, other: u64) -> Shape {
        Shape { other, ..self }
    }

    pub(super) fn launch(self) -> Launch {
        let Shape { grid, block, n, m, k, tile, halo, other } = self;
        let view = [16; 3];
        let constants = vec![("TILE", tile), ("HALO", halo)];
        let params = vec![64, other, m, k, 4096, 0, 64, 64, 64, 0];
        let fields = [(".n", n), (".size.m", m), (".size.depth.0", k), (".wide", n), (".signed", 1), (".tall", n)];
        let fields = fields.map(|(path, value)| (path.to_owned(), value)).into();
        Launch { params, fields, shapes: vec![view; 10], constants, grid, block, atomics: RefCell::default(), salt: 0 }
    }
}

/// A kernel with this body.
pub(super) fn form(arguments: &str, body: &str) -> Function {
    let arrays = "out: &mut [u32], view: ViewMut<u32, 2>, rows: &mut [[u32; 4]], count: &[AtomicU32], total: &[AtomicU64]";
    kernel_with(arguments, &format!("fn form(x: &[u32], n: usize, m: usize, k: usize, {arrays}) {{ {body} }}"))
}

/// How many elements are used, and one that two threads use and one of them writes.
pub(super) fn run(function: &Function, launch: &Launch) -> (usize, Option<(usize, Vec<u64>)>) {
    let unchecked = vec![false; function.sites.len()];
    let mut users: HashMap<(usize, Vec<u64>), (Vec<usize>, bool)> = HashMap::new();
    let threads = positions(launch.grid).flat_map(|block| positions(launch.block).map(move |thread| (block, thread)));
    for (number, (block_idx, thread_idx)) in threads.enumerate() {
        let mut machine = Machine::new(function, launch, block_idx, thread_idx, &unchecked);
        machine.run();
        for (param, element, writes) in machine.touched {
            let (threads, written) = users.entry((param, element)).or_default();
            if threads.last() != Some(&number) {
                threads.push(number);
            }
            *written |= writes;
        }
    }
    let race = users.iter().find(|(_, (threads, written))| threads.len() > 1 && *written).map(|(element, _)| element.clone());
    (users.len(), race)
}

pub(super) const LINE: Shape = shape([3, 1, 1], [4, 1, 1], 7, 3, 5);
pub(super) const WARPS: Shape = shape([2, 1, 1], [64, 1, 1], 40, 4, 8);
pub(super) const PAIRS: Shape = shape([2, 2, 1], [3, 2, 1], 5, 2, 1);
const QUARTERS: Shape = shape([1, 2, 1], [2, 2, 1], 17, 3, 5).with(8, 2);
const SHAPES: [Shape; 8] = [
    LINE,
    WARPS,
    PAIRS,
    shape([2, 1, 1], [8, 1, 1], 16, 1, 3).with(8, 2),
    shape([1, 1, 1], [16, 16, 1], 16, 5, 16),
    shape([2, 1, 1], [4, 2, 1], 9, 3, 5).with(4, 2),
    shape([1, 3, 1], [4, 1, 1], 7, 3, 5),
    QUARTERS,
];

/// Each thread has four rows and two columns, half a tile apart, of a matrix whose rows are a quarter as long as `n`.
const QUARTERS_OF_A_TILE: &str = "let t = thread_idx(); let column = block_idx().x * (TILE / 2) + t.x; for i in 0..4 {
    let row = block_idx().y * TILE + TILE / 2 * (i / 2) + 2 * t.y + i % 2;
    out[row * (n / 4) + column] = 1; out[row * (n / 4) + column + TILE / 4] = 2; }";

/// A column for each position of a window of `m` by `m` elements in `k` images, with one row or column of zeros around them.
const IM2COL: &str = "let (ho, wo) = (n + 2 - m + 1, n + 1 + 2 - m + 1); let i = grid_1d();
    if i < k * ho * wo { let (x, y, c) = (i % wo, i / wo % ho, i / wo / ho);
        for dy in 0..m { for dx in 0..m { out[((c * m + dy) * m + dx) * ho * wo + y * wo + x] = 1; } } }";

/// The same, with the numbers from those of whole images.
const IM2COL_OF_AREAS: &str = "let ho = n + 2 - m + 1; let wo = n + 1 + 2 - m + 1; let i = grid_1d(); let area = ho * wo;
    let (c, rest) = (i / (ho * wo), i % (ho * wo)); if c >= k { return; } let (y, x) = (rest / wo, rest % wo);
    for d in 0..m * m { out[(c * m * m + d) * area + y * wo + x] = 1; }";

/// The same, with every second position.
const IM2COL_WITH_STRIDE: &str = "let ho = (n + 2 - m) / 2 + 1; let wo = (n + 3 - m) / 2 + 1; let i = grid_1d();
    let (c, y, x) = (i / (ho * wo), i % (ho * wo) / wo, i % (ho * wo) % wo);
    for dy in 0..m { for dx in 0..m { out[(((c * m + dy) * m + dx) * ho + y) * wo + x] = 1; } }";

/// Forms, with the arguments of the attribute.
pub(super) const PROVED: &[(&str, &str)] = &[
    // The inner part of a tile with a halo.
    (
        "block = TILE",
        "let t = thread_idx().x; let i = block_idx().x * (TILE - 2 * HALO) + t; if t >= HALO && t < TILE - HALO { out[i - HALO] = 1; }",
    ),
    (
        "block = TILE",
        "let t = thread_idx().x; let i = (block_idx().x * (TILE - 2 * HALO) + t) as isize - HALO as isize; if t >= HALO && t < TILE - HALO && i >= 0 { out[i as usize] = 1; }",
    ),
    ("block = 8", "let t = thread_idx().x; if t >= 1 && t < 7 { out[block_idx().x * 6 + t - 1] = 1; }"),
    // Tiles of several elements for each thread.
    ("", "let base = block_idx().x * 2 * block_dim().x; let t = thread_idx().x; out[base + t] = 1; out[base + block_dim().x + t] = 2;"),
    ("block = TILE", "let base = block_idx().x * 2 * TILE; let t = thread_idx().x; out[base + t] = 1; out[base + TILE + t] = 2;"),
    ("block = 64", "let base = block_idx().x * 128; let t = thread_idx().x; out[base + t] = 1; out[base + 64 + t] = 2;"),
    // Up and down a tree, in steps that the launch knows.
    ("", "let i = grid_1d() * 2 * m; if i + 2 * m - 1 < out.len() { out[i + 2 * m - 1] += out[i + m - 1]; }"),
    (
        "",
        "let i = grid_1d() * (m * 2); if i < out.len() { let old = out[i + m - 1]; out[i + m - 1] = out[i + 2 * m - 1]; out[i + 2 * m - 1] += old; }",
    ),
    // The fields of one colour of a chessboard, of those of the other.
    (
        "",
        "let (i, j) = grid_2d(); if i >= 1 && j < m && i + 1 < n && (i + j) % 2 == k { out[j * n + i] = out[j * n + i - 1] + out[j * n + i + 1]; }",
    ),
    (
        "",
        "let (i, j) = grid_2d(); if i >= 1 && j >= 1 && i < n - 1 && j < m - 1 && (i + j) % 2 == 0 { out[j * n + i] = out[j * n + i - 1] + out[j * n + i + 1] + out[(j - 1) * n + i] + out[(j + 1) * n + i]; }",
    ),
    ("", "for j in (thread_idx().x..k).step_by(block_dim().x) { out[block_idx().x * k + j] = 1; }"),
    ("block = TILE", "for j in (thread_idx().x..k).step_by(TILE) { out[block_idx().x * k + j] = 1; }"),
    ("", "let i = grid_1d(); for c in 0..3 { out[i * 3 + c] = 1; }"),
    // A range for each thread, as long as a constant, a literal or a parameter says.
    ("", "let i = grid_1d(); for j in 0..TILE { out[i * TILE + j] = 1; }"),
    ("", "let i = grid_1d(); for j in 0..other::TILE { out[i * other::TILE + j] = 1; }"),
    ("", "let i = grid_1d(); let all = block_dim().x * grid_dim().x; for j in 0..TILE { out[i + j * all] = 1; }"),
    ("", "let i = grid_1d(); let first = i * TILE; for j in first..first + TILE { out[j] = 1; }"),
    ("", "let i = grid_1d(); let first = i * TILE; for j in first..(first + TILE).min(out.len()) { out[j] = 1; }"),
    ("", "let i = grid_1d(); for j in i * 4..(i + 1) * 4 { out[j] = 1; }"),
    ("", "let i = grid_1d(); for j in i * m..((i + 1) * m).min(n) { out[j] = 1; }"),
    ("", "let i = grid_1d(); for j in i * 4..=i * 4 + 3 { out[j] = 1; }"),
    ("", "let b = block_idx().x; if thread_idx().x == 0 { for j in b * TILE..b * TILE + TILE { out[j] = 1; } }"),
    ("", "let (x, y) = grid_2d(); for c in x * TILE..(x * TILE + TILE).min(m) { out[y * m + c] = 1; }"),
    // Warps and lanes.
    ("block = 64", "let (warp, lane) = (thread_idx().x / 32, thread_idx().x % 32); out[(block_idx().x * 2 + warp) * 32 + lane] = 1;"),
    ("block = 64", "let row = grid_1d() / 32; out[row * 32 + lane_id()] = 1;"),
    ("block = 64", "let row = grid_1d() / 32; if lane_id() == 0 { out[row] = 1; }"),
    ("block = 64", "let row = block_idx().x * 2 + warp_id(); if row < n { sync_warp(); if lane_id() == 0 { out[row] = 1; } }"),
    ("block = 64", "let row = grid_1d() / 32; if row < n { sync_warp(); for j in (lane_id()..m).step_by(32) { out[row * m + j] = 1; } }"),
    ("block = 64", "let t = thread_idx().x; out[block_idx().x * 64 + (t & 31) + (t >> 5) * 32] = 1;"),
    // Derived values.
    ("", "let i = grid_1d(); if i < n * m { view[[i / m, i % m]] = 1; }"),
    ("", "let (x, y) = grid_2d(); let n4 = n / 4; if x < n4 { out[y * n4 + x] = 1; }"),
    (
        "block = (16, 16)",
        "let (tx, ty) = (thread_idx().x, thread_idx().y); for i in 0..8 { out[(64 * (i / 4) + 4 * ty + i % 4) * 16 + tx] = 1; }",
    ),
    ("", "let (x, y) = grid_2d(); let w = n.min(8); if x < w { out[y * w + x] = 1; }"),
    ("", "let (x, y) = grid_2d(); let w = n.clamp(1, 16); if x < w { out[y * w + x] = 1; }"),
    ("", "let i = grid_1d(); if i < n / 2 { let a = out[i]; out[i] = out[n - 1 - i]; out[n - 1 - i] = a; }"),
    ("", "let i = grid_1d(); if i < n { let j = i / m * 2 * m + i % m; out[j] = 1; out[j + m] = 2; }"),
    ("", "let i = grid_1d(); let j = i - m; if j < n { out[j] = 1; }"),
    // Derived sizes: rows with a frame, the output of a convolution in several orders, and with a stride.
    ("", "let (x, y) = grid_2d(); let wide = n + 2 * m; if x < wide { out[y * wide + x] = 1; }"),
    ("", "let i = grid_1d(); let wide = n - m + 1; view[[i / wide, i % wide]] = 1;"),
    ("", "let (x, y) = grid_2d(); let (a, b) = (n + 1 - m, m + k); if x < a && y < b { for c in 0..3 { out[(c * b + y) * a + x] = 1; } }"),
    ("", IM2COL),
    ("", IM2COL_OF_AREAS),
    ("", IM2COL_WITH_STRIDE),
    // Rows that differ.
    ("", "let (j, i) = grid_2d(); if i < n && j < n && i != k && k < n { out[i * n + j] += out[k * n + j]; }"),
    ("", "let (j, row) = (thread_idx().x, block_idx().x); if row != k && j < n && k < n { out[row * n + j] -= out[k * n + j]; }"),
    ("", "let y = grid_1d(); if m < n && y < n - m - 1 { out[y + m + 1] -= out[m]; }"),
    ("", "let i = grid_1d(); if i + 1 + m < n { out[n * (i + m + 1) + m] = 1; }"),
    ("", "let i = grid_1d() + k + 1; if k < n && i < n { out[i * n + k] += out[k * n + k]; }"),
    ("", "let i = grid_1d() + k + 1; if i < n { for j in 0..k { out[i * n + k] = out[k * n + j] + out[i * n + j]; } }"),
    (
        "",
        "let (j, i, c) = grid_3d(); let (rows, columns) = (n / 2, m / 2); if i < rows && j < columns { out[(c * rows + i) * columns + j] = 1; }",
    ),
    // Arrays in an array.
    ("block = 4", "rows[block_idx().x][thread_idx().x] = 1;"),
    ("", "let i = grid_1d(); for c in 0..4 { rows[i][c] += rows[i][3 - c]; }"),
    ("", "let t = thread_idx().x; if t < 2 { rows[block_idx().x][t] = rows[block_idx().x][3 - t]; }"),
    // A tile in several steps, and blocks along one axis that is not x.
    (
        "block = (TILE, HALO)",
        "let t = thread_idx(); for k in (0..TILE).step_by(HALO) { out[(block_idx().x * TILE + t.y + k) * TILE + t.x] = 1; }",
    ),
    ("block = (4, 2)", "let t = thread_idx(); for k in (0..4).step_by(2) { out[(block_idx().x * 4 + t.y + k) * 4 + t.x] = 1; }"),
    ("block = 4", "out[block_idx().y * 4 + thread_idx().x] = 1;"),
    // Rows of which no column is compared with their length.
    ("block = TILE", "let j = block_idx().x * TILE + thread_idx().x; for i in 0..3 { out[(m + i) * n + k + j] = 1; }"),
    ("block = 8", "let b = block_idx().x; let first = (k - b) * 8 * n + b * 8; for i in 0..8 { out[first + i * n + thread_idx().x] = 1; }"),
    ("block = (2, 2)", "let t = thread_idx(); out[(block_idx().y * 2 + t.y) * (n / 4) + block_idx().x * 2 + t.x] = 1;"),
    ("block = (HALO, HALO)", QUARTERS_OF_A_TILE),
    // Loops.
    ("", "let mut i = grid_1d(); while i < n { out[i] = 1; i += block_dim().x * grid_dim().x; }"),
    ("block = TILE", "let mut j = thread_idx().x; while j < k { out[block_idx().x * k + j] = 1; j += TILE; }"),
    ("", "let mut i = grid_1d(); let all = grid_dim().x * block_dim().x; loop { if i >= n { break; } out[i] = 1; i += all; }"),
    (
        "",
        "let mut i = grid_1d(); let all = grid_dim().x * block_dim().x; loop { if i < out.len() { out[i] = 1; i += all; } else { break; } }",
    ),
    // The same in 32 bits.
    ("", "let i = grid_1d() as u32; if i < n as u32 { out[i as usize] = 1; }"),
    ("", "let i = grid_1d() as u32; for c in 0..3 { out[(i * 3 + c) as usize] = 1; }"),
    ("", "let i = block_idx().x as u32 * block_dim().x as u32 + thread_idx().x as u32; if i < out.len() as u32 { out[i as usize] = 1; }"),
    (
        "",
        "let mut i = grid_1d() as u32; let all = (grid_dim().x * block_dim().x) as u32; while i < n as u32 { out[i as usize] = 1; i += all; }",
    ),
    (
        "",
        "let mut i = grid_1d() as u32; let all = grid_dim().x as u32 * block_dim().x as u32; loop { if i >= out.len() as u32 { break; } out[i as usize] = 1; i = all + i; }",
    ),
    // The same with a sign.
    ("", "let i = grid_1d() as i32; if i < n as i32 { out[i as usize] = 1; }"),
    ("", "let i = grid_1d() as i32; if i >= 0 && i < n as i32 { out[i as usize] = 1; }"),
    ("", "let i = block_idx().x as i32 * block_dim().x as i32 + thread_idx().x as i32; if i < n as i32 { out[i as usize] = 1; }"),
    (
        "",
        "let (x, y) = grid_2d(); let (x, y) = (x as i32, y as i32); if x < n as i32 && y < m as i32 { out[y as usize * n + x as usize] = 1; }",
    ),
    (
        "",
        "let (x, y) = grid_2d(); let (x, y) = (x as i32, y as i32); if x < n as i32 && y < m as i32 { view[[y as usize, x as usize]] = 1; }",
    ),
    // One of two values, each where it is another thread's in no case.
    ("", "let i = grid_1d(); let j = if i < n { i } else { n - 1 }; if i < n { out[j] = 1; }"),
    ("", "let i = grid_1d(); let j = if i < n { i } else { i + 1 }; out[j] = 1;"),
    // A part of a row for each block.
    ("block = 64", "for i in (thread_idx().x..500).step_by(64) { out[block_idx().x * 500 + i] = 1; }"),
    ("block = TILE", "for i in (thread_idx().x..30).step_by(TILE) { out[block_idx().x * 30 + i] = 1; }"),
    ("", "for i in (thread_idx().x..30).step_by(block_dim().x) { out[block_idx().x * 30 + i] = 1; }"),
    // One thread of each group, in blocks that are multiples of it.
    ("block = 64", "let i = grid_1d(); if i % 16 == 0 && i / 16 < out.len() { out[i / 16] = 1; }"),
    ("block = TILE", "let i = grid_1d(); if i % 16 == 0 && i / 16 < out.len() { out[i / 16] = 1; }"),
    ("", "let i = grid_1d(); if i % 16 == 0 && i / 16 < out.len() { out[i / 16] = 1; }"),
    ("block = TILE", "let i = grid_1d(); if i % HALO == 0 && i / HALO < out.len() { out[i / HALO] = 1; }"),
    ("block = 64", "let i = grid_1d(); if i % HALO == 0 && i / HALO < out.len() { out[i / HALO] = 1; }"),
    ("block = TILE", "let row = grid_1d() / 32; if lane_id() == 0 && row < out.len() { out[row] = 1; }"),
    ("", "let row = grid_1d() / 32; if lane_id() == 0 && row < out.len() { out[row] = 1; }"),
    ("block = TILE", "let row = block_idx().x * (TILE / 32) + warp_id(); if lane_id() == 0 { out[row] = 1; }"),
    ("", "let row = block_idx().x * (block_dim().x / 32) + warp_id(); if lane_id() == 0 { out[row] = 1; }"),
    // Elements exchanged in pairs.
    ("", "let i = grid_1d(); let j = i ^ m; if j > i { let v = out[i]; out[i] = out[j]; out[j] = v; }"),
    ("", "let i = grid_1d(); out[i ^ m] = 1;"),
    ("", "let (x, y) = grid_2d(); view[[y, x ^ y]] = 1;"),
    // Tickets.
    ("", "let i = grid_1d(); if i < n { let slot = count[0].fetch_add(1, Relaxed) as usize; if slot < m { out[slot] = 1; } }"),
    ("", "let slot = count[m].fetch_add(1, Relaxed); out[slot as usize] = count[m].load(Relaxed);"),
    ("", "let slot = count[0].fetch_add(3, Relaxed) as usize; out[slot] = 1; out[slot + 1] = 2; out[slot + 2] = 3;"),
    ("", "let slot = count[0].fetch_add(1, Relaxed) as usize; for c in 0..4 { out[slot * 4 + c] = 1; rows[slot][c] = 2; }"),
    ("", "let first = total[0].fetch_add(4, Relaxed) as usize; for c in 0..4 { out[first + c] = 1; }"),
    ("", "let i = grid_1d(); let first = total[1].fetch_add(i as u64 % 3, Relaxed) as usize; for c in 0..i % 3 { out[first + c] = 1; }"),
    ("", "for i in grid_stride(n) { if i % 2 == 0 { let slot = count[0].fetch_add(1, Relaxed); out[slot as usize] = 1; } }"),
    ("", "for c in 0..m { let slot = count[0].fetch_add(1, Relaxed); out[slot as usize] = 1; }"),
    (
        "",
        "let i = grid_1d(); let mut j = i; while j < n { j += 1 + i; let slot = total[0].fetch_add(1, Relaxed); out[slot as usize] = 1; }",
    ),
    ("", "let slot = if grid_1d() < n { count[0].fetch_add(1, Relaxed) } else { return; }; out[slot as usize] = 1;"),
    (
        "",
        "if grid_1d() < n { let a = count[0].fetch_add(1, Relaxed); out[a as usize] = 1; } else { let b = count[0].fetch_add(1, Relaxed); out[b as usize] = 2; }",
    ),
    ("", "let place = count[0].fetch_add(1, Relaxed); if place == 3 { out[0] = 1; }"),
    ("block = TILE", "let slot = count[2].fetch_add(1, Relaxed) as usize; out[k + slot] = 1;"),
    // Buckets, each with a counter.
    ("", "let bin = x[grid_1d()] as usize; let slot = count[bin].fetch_add(1, Relaxed) as usize; if slot < m { out[bin * m + slot] = 1; }"),
    (
        "",
        "let i = grid_1d(); let cell = x[i] as usize * n + x[i + 1] as usize; let slot = count[cell].fetch_add(1, Relaxed) as usize; if slot < m { out[cell * m + slot] = 1; }",
    ),
    (
        "",
        "let bin = x[grid_1d()] as usize; let slot = count[bin + 1].fetch_add(1, Relaxed) as usize; if slot < TILE { out[bin * TILE + slot] = 1; }",
    ),
    ("", "let bin = x[grid_1d()] as usize; let slot = total[bin].fetch_add(1, Relaxed) as usize; view[[bin, slot]] = 1;"),
    (
        "",
        "let i = grid_1d(); for c in 0..3 { let bin = x[i + c] as usize; let slot = count[bin].fetch_add(1, Relaxed) as usize; if slot < m { out[bin * m + slot] = 1; } }",
    ),
    // Views.
    ("", "let (j, i) = grid_2d(); view[[i, j]] = 1; view[[i, j]] += 1;"),
    ("", "let i = grid_1d(); for j in 0..m { view[[i, j]] = view[[i, 0]]; }"),
    // Indices that are added up: the rows of a column, and planes of rows.
    ("", "let i = grid_1d(); if i < n { let mut at = i; for _ in 0..m { out[at] = 1; at += n; } }"),
    ("", "let (i, j) = grid_2d(); let mut at = j * n + i; for _ in 0..k { if i < n && j < m { out[at] += 1; } at += n * m; }"),
    ("", "let i = grid_1d(); if i < n { let mut at = i; for _ in 0..m { at += n; } out[at] = 1; }"),
    ("", "let i = grid_1d(); if i < n { let mut at = i; for _ in 0..m { for _ in 0..k { at += n; } out[at] = 1; } }"),
];

/// What is not proved of `function`.
pub(super) fn unproved(function: &Function) -> Vec<String> {
    match prove_race_freedom(function, &walk(function)) {
        RaceFreedom::Unproved(accesses) => accesses.into_iter().map(|access| access.what).collect(),
        RaceFreedom::Proved { .. } => Vec::new(),
    }
}

/// Panics with what is not proved of `form`.
pub(super) fn assert_proved(function: &Function, form: &str) {
    let reasons = unproved(function);
    assert!(reasons.is_empty(), "{form}\n{}", reasons.join("\n"));
}

#[test]
fn forms_of_indices_are_proved() {
    for (arguments, body) in PROVED {
        assert_proved(&form(arguments, body), &format!("{arguments}: {body}"));
    }
    assert_launched(PROVED.iter().map(|(arguments, body)| (*body, form(arguments, body))), &SHAPES);
}

/// Forms, with the arguments of the attribute and a launch that has a data race.
const RACING: &[(&str, &str, Shape)] = &[
    // Halves of a tile that overlap, for rows, for columns, and rows that are too short.
    ("block = (HALO, HALO)", QUARTERS_OF_A_TILE, QUARTERS.with(4, 2)),
    ("block = (HALO, HALO)", QUARTERS_OF_A_TILE, QUARTERS.with(6, 2)),
    ("block = (HALO, HALO)", QUARTERS_OF_A_TILE, shape([2, 1, 1], [2, 2, 1], 17, 3, 5).with(8, 2)),
    // Indices that are added up, but not by the same in each iteration, or by less than a row.
    (
        "",
        "let i = grid_1d(); if i < n { let mut at = i; for j in 0..m { out[at] = 1; if j % 2 == 0 { at += n; } else { at += 1; } } }",
        LINE,
    ),
    ("", "let i = grid_1d(); if i < n { let mut at = i; for j in 0..m { out[at] = 1; if j == 1 { at += 1; continue; } at += n; } }", LINE),
    ("", "let i = grid_1d(); if i < n { let mut at = i; for _ in 0..m { out[at] = 1; at += m; } }", LINE),
    ("", "let i = grid_1d(); if i < n { let mut at = 0; for _ in 0..i { out[at] = 1; at += n; } }", LINE),
    ("", "let i = grid_1d(); if i < n { let mut at = 0; for j in 0..m { if j == i { break; } at += n; } out[at] = 1; }", LINE),
    ("", "let i = grid_1d(); if i < n { let mut at = 0; for _ in i..m { at += n; } out[at] = 1; }", LINE),
    ("", "let i = grid_1d(); out[i / 2] = 1;", LINE),
    // Ranges that reach into those of other threads.
    ("", "let i = grid_1d(); for j in 0..=TILE { out[i * TILE + j] = 1; }", LINE),
    ("", "let i = grid_1d(); for j in 0..TILE { out[i * other::HALO + j] = 1; }", LINE),
    ("", "let i = grid_1d(); let all = block_dim().x; for j in 0..TILE { out[i + j * all] = 1; }", LINE),
    ("", "let i = grid_1d(); for j in i * TILE..=i * TILE + TILE { out[j] = 1; }", LINE),
    ("", "let i = grid_1d(); for j in i * 4..=(i + 1) * 4 { out[j] = 1; }", LINE),
    ("", "let i = grid_1d(); for j in i..i + 2 { out[j] = 1; }", LINE),
    ("", "let i = grid_1d(); for j in i..n { out[j] = 1; }", LINE),
    ("", "let i = grid_1d(); for j in i * m..(i + 1) * k { out[j] = 1; }", LINE),
    ("", "let i = grid_1d(); let mut a = i * 4; for j in a..i * 4 + 4 { out[a] = 1; a = j / 2; }", LINE),
    ("", "let i = grid_1d(); for j in i * 4 - 1..i * 4 + 3 { if j < 64 { out[j / 2] = 1; } }", LINE),
    ("", "let i = grid_1d(); for j in i * m..i * m + 1 { out[j] = 1; }", shape([3, 1, 1], [4, 1, 1], 9, 1 << 62, 1)),
    ("", "let i = grid_1d(); for j in i * 4..i * 4 + 4 { for c in j..j + 2 { out[c] = 1; } }", LINE),
    ("", "let t = thread_idx().x; for j in t * TILE..t * TILE + TILE { out[j] = 1; }", LINE),
    ("", "let i = grid_1d(); out[i % 8] = 1;", LINE),
    ("", "let i = grid_1d(); out[i.min(n)] = 1;", LINE),
    ("", "let i = grid_1d(); out[i] = out[i + 1];", LINE),
    ("", "out[block_idx().x] = 1;", LINE),
    ("", "out[thread_idx().x] = 1;", LINE),
    ("", "let i = grid_1d() as isize - 2; out[(i * i) as usize] = 1;", LINE),
    ("", "let i = grid_1d(); out[(i as u8) as usize] = 1;", shape([5, 1, 1], [64, 1, 1], 1, 1, 1)),
    // Tiles that overlap by their halo: no guard, a guard that lets too much through, a stride that is too small.
    ("block = TILE", "let i = block_idx().x * (TILE - 2 * HALO) + thread_idx().x; out[i] = 1;", LINE),
    ("block = TILE", "let t = thread_idx().x; if t >= HALO { out[block_idx().x * (TILE - 2 * HALO) + t - HALO] = 1; }", LINE),
    (
        "block = TILE",
        "let t = thread_idx().x; if t >= HALO && t < TILE - HALO { out[block_idx().x * (TILE - 3 * HALO) + t - HALO] = 1; }",
        LINE.with(4, 1),
    ),
    ("block = TILE", "let t = thread_idx().x; if t > 0 { out[block_idx().x * (TILE - 2 * HALO) + t - 1] = 1; }", LINE),
    (
        "block = 8",
        "let t = thread_idx().x; if t >= 1 && t < 7 { out[block_idx().x * 5 + t - 1] = 1; }",
        shape([2, 1, 1], [8, 1, 1], 1, 1, 1),
    ),
    // A base that leaves no room for the second half, and for another stride than that of the block.
    ("", "let base = block_idx().x * block_dim().x; let t = thread_idx().x; out[base + t] = 1; out[base + block_dim().x + t] = 2;", LINE),
    ("block = TILE", "let base = block_idx().x * 2 * TILE; let t = thread_idx().x; out[base + t] = 1; out[base + HALO + t] = 2;", LINE),
    ("", "for j in (thread_idx().x..k).step_by(block_dim().x) { out[block_idx().x * m + j] = 1; }", LINE),
    ("", "for j in (thread_idx().x..k).step_by(TILE) { out[block_idx().x * k + j] = 1; }", LINE.with(2, 1)),
    ("", "for j in thread_idx().x..k { out[block_idx().x * k + j] = 1; }", LINE),
    ("", "let i = grid_1d(); for j in 0..k { out[i * m + j] = 1; }", LINE),
    ("block = 64", "for i in (thread_idx().x..500).step_by(64) { out[block_idx().x * 499 + i] = 1; }", WARPS),
    ("block = 64", "for i in (thread_idx().x..500).step_by(63) { out[block_idx().x * 500 + i] = 1; }", WARPS),
    // Groups of another size, more threads of a group, and blocks that are no multiples of it.
    ("block = 64", "let i = grid_1d(); if i % 16 == 0 { out[i / 32] = 1; }", WARPS),
    ("block = TILE", "let i = grid_1d(); if i % 16 < 2 { out[i / 16] = 1; }", WARPS),
    ("", "let i = grid_1d(); if i % 8 == 0 { out[i / 16] = 1; }", WARPS),
    ("", "let row = grid_1d() / 64; if lane_id() == 0 { out[row] = 1; }", WARPS),
    ("", "let row = grid_1d() / 32; if lane_id() == 0 { out[row] = 1; }", shape([2, 1, 1], [16, 2, 1], 1, 1, 1)),
    ("block = TILE", "let row = grid_1d() / 32; if lane_id() == 0 { out[row] = 1; }", shape([2, 1, 1], [48, 1, 1], 1, 1, 1)),
    (
        "",
        "let row = block_idx().x * (block_dim().x / 32) + warp_id(); if lane_id() == 0 { out[row] = 1; }",
        shape([2, 1, 1], [48, 1, 1], 1, 1, 1),
    ),
    // Pairs of which both write, and half of them.
    ("", "let i = grid_1d(); let j = i ^ m; if j > i { out[i] = 1; } else { out[j] = 2; }", LINE),
    (
        "",
        "let i = grid_1d(); let j = i ^ m; if j > i + 1 { out[i] = 1; out[j] = 2; } else { out[i] = 1; }",
        shape([3, 1, 1], [4, 1, 1], 7, 2, 5),
    ),
    ("", "let i = grid_1d(); out[(i ^ m) / 2] = 1;", LINE),
    ("", "let i = grid_1d(); out[i ^ (i % 4)] = 1;", LINE),
    ("", "let i = grid_1d(); out[i ^ m] = out[i];", LINE),
    ("", "let (x, y) = grid_2d(); view[[y / 2, x ^ y]] = 1;", PAIRS),
    // One of two values that another thread may have.
    ("", "let i = grid_1d(); let j = if i < n { i } else { n - 1 }; out[j] = 1;", LINE),
    ("", "let i = grid_1d(); let j = if i < n { i } else { i - 1 }; out[j] = 1;", LINE),
    ("", "let i = grid_1d(); let mut j = i; if i >= n { j = i - n; } out[j] = 1;", LINE),
    ("", "let i = grid_1d(); let mut j = i; for c in 0..2 { if c == 1 { j /= 2; } out[j] = 1; }", LINE),
    // Signed positions that are no longer those of one thread.
    ("", "let i = grid_1d() as i32 - 1; if i < n as i32 { out[i.abs() as usize] = 1; }", LINE),
    ("", "let i = grid_1d() as i8 as i32; if i < n as i32 { out[i as usize] = 1; }", shape([1, 1, 1], [300, 1, 1], 7, 1, 1)),
    ("", "let i = grid_1d() as i32 * 1073741824; if i < n as i32 { out[i as usize] = 1; }", LINE),
    (
        "",
        "let (x, y) = grid_2d(); let (x, y) = (x as i32, y as i32); if x < n as i32 && y < m as i32 { out[y as usize * m + x as usize] = 1; }",
        shape([1, 1, 1], [3, 2, 1], 5, 2, 1),
    ),
    // Parts of a warp, and rows of half a warp.
    ("block = 64", "out[block_idx().x * 64 + thread_idx().x / 32] = 1;", WARPS),
    ("block = 64", "out[block_idx().x * 64 + thread_idx().x % 32] = 1;", WARPS),
    ("block = 64", "if lane_id() == 0 { out[block_idx().x + warp_id()] = 1; }", WARPS),
    ("block = 64", "if lane_id() < 2 { out[block_idx().x * 2 + warp_id()] = 1; }", WARPS),
    ("block = 64", "let row = grid_1d() / 64; out[row * 32 + lane_id()] = 1;", WARPS),
    (
        "block = 64",
        "let row = grid_1d() / 32; for j in (lane_id()..k).step_by(16) { out[row * k + j] = 1; }",
        shape([1, 1, 1], [64, 1, 1], 1, 1, 40),
    ),
    // A lane is not `thread_idx().x % 32` where y counts too.
    (
        "",
        "out[block_idx().x * 64 + thread_idx().x / 32 * 32 + lane_id()] = 1; out[4095] = out[block_idx().x * 64 + 63];",
        shape([1, 1, 1], [64, 2, 1], 1, 1, 1),
    ),
    // Quotients without the guard of their own number of columns.
    ("", "let (x, y) = grid_2d(); let n4 = n / 4; out[y * n4 + x] = 1;", shape([1, 1, 1], [2, 2, 1], 4, 1, 1)),
    ("", "let (x, y) = grid_2d(); let n4 = n / 4; if x < n { out[y * n4 + x] = 1; }", shape([1, 1, 1], [3, 2, 1], 8, 1, 1)),
    ("", "let (x, y) = grid_2d(); let w = n.min(2); if x < n { out[y * w + x] = 1; }", shape([1, 1, 1], [3, 2, 1], 4, 1, 1)),
    ("", "let i = grid_1d(); if i < n * m { view[[i / m, i % k]] = 1; }", shape([1, 1, 1], [4, 1, 1], 4, 4, 2)),
    ("", "let i = grid_1d(); view[[i / m, 0]] = 1;", LINE),
    // Derived sizes that are not those of the index, with a window of 2 and one of 4, and one that wraps around to 0 and to 2^63.
    ("", "let (x, y) = grid_2d(); let wide = n + 2 * m; if x < wide { out[y * (n + m) + x] = 1; }", shape([1, 1, 1], [4, 2, 1], 2, 1, 1)),
    ("", "let (x, y) = grid_2d(); let wide = n + 2 * m; if x <= wide { out[y * wide + x] = 1; }", shape([1, 1, 1], [5, 2, 1], 2, 1, 1)),
    ("", "let (x, y) = grid_2d(); let wide = n - m + 1; out[y * wide + x] = 1;", shape([1, 1, 1], [4, 2, 1], 3, 2, 1)),
    ("", "let (x, y) = grid_2d(); let wide = n - m; if x < n { out[y * wide + x] = 1; }", shape([1, 1, 1], [4, 2, 1], 4, 4, 1)),
    ("", "let (x, y) = grid_2d(); let wide = n - m; if x < wide { out[y * wide + x] = 1; }", shape([1, 1, 1], [2, 4, 1], 0, 1 << 63, 1)),
    (
        "",
        "let (ho, wo) = (n + 2 - m + 1, n + 3 - m + 1); let i = grid_1d(); let (x, y, c) = (i % wo, i / wo % ho, i / wo / ho);
            for dy in 0..m + 1 { for dx in 0..m { out[((c * m + dy) * m + dx) * ho * wo + y * wo + x] = 1; } }",
        shape([6, 1, 1], [4, 1, 1], 2, 2, 2),
    ),
    (
        "",
        "let (ho, wo) = (n + 2 - m + 1, n + 3 - m + 1); let i = grid_1d(); let (x, y, c) = (i % wo, i / wo % ho, i / wo / ho);
            for d in 0..m { out[(c * m + d) * ho * ho + y * wo + x] = 1; }",
        shape([6, 1, 1], [4, 1, 1], 2, 2, 2),
    ),
    (
        "",
        "let (ho, wo) = (n + 2 - m + 1, n + 3 - m + 1); let i = grid_1d(); let (x, y, c) = (i % ho, i / wo % ho, i / wo / ho);
            for d in 0..m { out[((c * m + d) * ho + y) * wo + x] = 1; }",
        shape([6, 1, 1], [4, 1, 1], 2, 2, 2),
    ),
    // A stride of 2^63: rows 0 and 2 are the same.
    ("", "let (x, y) = grid_2d(); if x < m { out[y * m + x] = 1; }", shape([1, 1, 1], [1, 4, 1], 1, 1 << 63, 1)),
    // A stride of 0.
    ("", "let (x, y) = grid_2d(); if x < n { out[y * m + x] = 1; }", shape([1, 1, 1], [2, 2, 1], 2, 0, 1)),
    // A dividend of which a part is negative.
    ("", "let i = grid_1d(); if i > 0 { let j = (4 * i - 1) / 4; out[j / 2] = 1; }", LINE),
    // A reversal that goes beyond the middle, or turns around another point.
    ("", "let i = grid_1d(); if i < n { out[i] = 1; out[n - 1 - i] = 2; }", LINE),
    ("", "let i = grid_1d(); if i < n / 2 { out[i] = 1; out[n / 2 - i] = 2; }", LINE),
    // Half of the stride of a butterfly, and a distance of 0.
    ("", "let i = grid_1d(); if i < n { let j = i / m * m + i % m; out[j] = 1; out[j + m] = 2; }", LINE),
    (
        "",
        "let i = grid_1d(); if i < n { let j = i / m * 2 * m + i % m; out[j] = 1; out[j + k] = 2; }",
        shape([3, 1, 1], [4, 1, 1], 12, 3, 6),
    ),
    // Rows that may be equal, and columns that reach the next row.
    ("", "let (j, i) = grid_2d(); if i < n && j < n && k < n { out[i * n + j] += out[k * n + j]; }", PAIRS),
    ("", "let (j, i) = grid_2d(); if i < n && j < n && i != k { out[i * n + j] += out[(k + 1) * n + j]; }", PAIRS),
    ("", "let (j, i) = grid_2d(); if i < n && i != k { out[i * n + j] += out[k * n + j]; }", shape([2, 2, 1], [3, 2, 1], 4, 1, 1)),
    ("", "let y = grid_1d(); if m < n && y < n - m - 1 { out[y + m + 1] -= out[m + 1]; }", LINE),
    ("", "let i = grid_1d() + k; if k < n && i < n { out[i * n + k] += out[k * n + k]; }", LINE),
    // An array in an array that several threads use as a whole, or part of which the next thread uses.
    ("", "let i = grid_1d(); rows[i / 4 % 2][i % 4] = 1;", shape([3, 1, 1], [4, 1, 1], 1, 1, 1)),
    ("block = 4", "let t = thread_idx().x; rows[block_idx().x][t] = 1; let row = rows[block_idx().x]; out[grid_1d()] = row[0];", LINE),
    ("block = 4", "let t = thread_idx().x; if t < 3 { rows[block_idx().x][t] = rows[block_idx().x][t + 1]; }", LINE),
    ("", "rows[thread_idx().x][block_idx().x] = rows[thread_idx().x][0];", LINE),
    // Steps that do not divide the tile, blocks along two axes, and blocks of two axes.
    (
        "block = (TILE, HALO)",
        "let t = thread_idx(); for k in (0..TILE).step_by(HALO) { out[(block_idx().x * TILE + t.y + k) * TILE + t.x] = 1; }",
        shape([2, 1, 1], [4, 3, 1], 1, 1, 1).with(4, 3),
    ),
    ("block = 4", "out[block_idx().y * 4 + thread_idx().x] = 1;", shape([2, 2, 1], [4, 1, 1], 1, 1, 1)),
    ("block = (4, 2)", "out[block_idx().x * 4 + thread_idx().x] = 1;", shape([2, 1, 1], [4, 2, 1], 1, 1, 1)),
    // Rows that are shorter than what the threads use of them, and tiles on another diagonal.
    (
        "block = TILE",
        "let j = block_idx().x * TILE + thread_idx().x; for i in 0..3 { out[(m + i) * n + k + j] = 1; }",
        shape([2, 1, 1], [4, 1, 1], 7, 1, 1),
    ),
    (
        "block = 8",
        "let b = block_idx().x; let first = (k - b) * 8 * n + b * 8; for i in 0..8 { out[first + i * n + thread_idx().x] = 1; }",
        shape([2, 1, 1], [8, 1, 1], 1, 1, 3),
    ),
    (
        "block = 8",
        "let b = block_idx().x; let first = (k - b) * 4 * n + b * 4; for i in 0..8 { out[first + i * n + thread_idx().x] = 1; }",
        shape([2, 1, 1], [8, 1, 1], 16, 1, 3),
    ),
    // A loop that grows by another number than there are threads.
    ("", "let mut i = grid_1d(); while i < n { out[i] = 1; i += block_dim().x; }", LINE),
    (
        "",
        "let mut i = grid_1d(); while i < n { out[i] = 1; if i == m { i += 1; } i += block_dim().x * grid_dim().x; }",
        shape([1, 1, 1], [4, 1, 1], 9, 3, 1),
    ),
    (
        "",
        "let mut i = grid_1d(); while i < n { i += block_dim().x * grid_dim().x; i -= 1; out[i] = 1; }",
        shape([3, 1, 1], [4, 1, 1], 200, 1, 1),
    ),
    ("", "let mut i = grid_1d(); loop { if i >= n { break; } out[i] = 1; i += grid_dim().x; }", LINE),
    (
        "",
        "let mut i = grid_1d(); let all = block_dim().x * grid_dim().x; loop { out[i % 4096] = 1; if i >= n { break; } i += all - 1; }",
        LINE,
    ),
    // 32 bits that are not enough: of a cast, a product and a sum.
    ("", "let i = (grid_1d() * m) as u32; out[i as usize] = 1;", shape([3, 1, 1], [4, 1, 1], 7, 1 << 32, 1)),
    ("", "let i = grid_1d() as u32 * m as u32; out[i as usize] = 1;", shape([3, 1, 1], [4, 1, 1], 7, 1 << 31, 1)),
    (
        "",
        "let i = (grid_1d() % 2) as u32 * m as u32 * 4 + grid_1d() as u32 / 2 * 4; out[i as usize] = 1;",
        shape([1, 1, 1], [4, 1, 1], 7, 1 << 30, 1),
    ),
    ("", "let mut i = grid_1d() as u32; while i < n as u32 { out[i as usize] = 1; i += block_dim().x as u32; }", LINE),
    (
        "",
        "let mut i = grid_1d() as u32; while i < n as u32 { out[i as usize] = 1; i |= (block_dim().x * grid_dim().x) as u32; if i == 13 { i = 0; } }",
        LINE,
    ),
    (
        "",
        "let mut i = grid_1d() as u32; let mut r = 0; while i < n as u32 && r < 3 { if i < 64 { out[i as usize] = 1; } i += m as u32; r += 1; }",
        shape([1, 1, 1], [4, 1, 1], u32::MAX as u64, (1 << 31) + 1, 1),
    ),
    // Two counters, counters that are set or go down, and other elements.
    (
        "",
        "let slot = if grid_1d() < 3 { count[0].fetch_add(1, Relaxed) } else { count[1].fetch_add(1, Relaxed) }; out[slot as usize] = 1;",
        LINE,
    ),
    ("", "let slot = count[0].fetch_add(1, Relaxed); out[slot as usize] = 1; if slot == 2 { count[0].store(0, Relaxed); }", LINE),
    ("", "let slot = count[0].fetch_add(1, Relaxed); out[slot as usize] = 1; count[0].fetch_sub(1, Relaxed);", LINE),
    ("", "let slot = count[0].fetch_add(1, Relaxed); out[slot as usize] = 1; count[1 - 1].swap(0, Relaxed);", LINE),
    ("", "let slot = count[thread_idx().x].fetch_add(1, Relaxed); out[slot as usize] = 1;", LINE),
    (
        "",
        "let slot = count[n].fetch_add(1, Relaxed); out[slot as usize] = 1; count[m].fetch_and(0, Relaxed);",
        shape([3, 1, 1], [4, 1, 1], 3, 3, 5),
    ),
    (
        "",
        "let slot = count[n].fetch_add(1, Relaxed); if slot < 3 { out[slot as usize] = 1; } else { let b = count[m].fetch_add(1, Relaxed); out[b as usize] = 2; }",
        LINE,
    ),
    // Tickets of which parts are shared, that are not reserved, or of which nothing is.
    ("", "let slot = count[0].fetch_add(1, Relaxed) as usize; out[slot / 2] = 1;", LINE),
    ("", "let slot = count[0].fetch_add(1, Relaxed) as usize; out[slot] = 1; out[slot + 1] = 2;", LINE),
    ("", "let slot = count[0].fetch_add(3, Relaxed) as usize; for c in 0..4 { out[slot + c] = 1; }", LINE),
    ("", "let slot = count[0].fetch_add(0, Relaxed) as usize; out[slot] = 1;", LINE),
    ("", "let slot = count[0].fetch_add(grid_1d() as u32 % 2, Relaxed) as usize; out[slot] = 1;", LINE),
    ("", "let slot = count[0].fetch_add(u32::MAX, Relaxed) as usize; out[slot % 4096] = 1; out[(slot + 1) % 4096] = 1;", LINE),
    ("", "let slot = count[0].fetch_add(2, Relaxed) as usize; out[slot + thread_idx().x % 3] = 1;", LINE),
    ("", "let slot = count[0].fetch_add(1, Relaxed) as u8; out[slot as usize] = 1;", shape([5, 1, 1], [64, 1, 1], 1, 1, 1)),
    // Buckets of other counters, with too little room, or of another round.
    (
        "",
        "let i = grid_1d(); let cell = x[i] as usize * n + x[i + 1] as usize; let slot = count[cell].fetch_add(1, Relaxed) as usize; if slot < m { out[slot] = 1; }",
        LINE,
    ),
    (
        "",
        "let i = grid_1d(); let cell = x[i] as usize * n + x[i + 1] as usize; let other = cell * 8 % 16; let slot = count[cell].fetch_add(1, Relaxed) as usize; if slot < m { out[other * m + slot] = 1; }",
        LINE,
    ),
    ("", "let i = grid_1d(); let slot = count[i % 3].fetch_add(1, Relaxed) as usize; if slot < 4 { out[i % 2 * 4 + slot] = 1; }", LINE),
    (
        "",
        "let bin = x[grid_1d()] as usize; let slot = count[bin].fetch_add(1, Relaxed) as usize; if slot < m { out[bin + slot] = 1; }",
        LINE,
    ),
    (
        "",
        "let bin = x[grid_1d()] as usize; let slot = count[bin].fetch_add(1, Relaxed) as usize; if slot < k { out[bin * m + slot] = 1; }",
        shape([3, 1, 1], [4, 1, 1], 7, 2, 5),
    ),
    ("", "let bin = x[grid_1d()] as usize; let slot = count[bin].fetch_add(1, Relaxed) as usize; if slot < k { out[slot] = 1; }", LINE),
    (
        "",
        "let i = grid_1d(); let (a, b) = (i % 2, i / 2 % 2); let one = count[a].fetch_add(1, Relaxed) as usize; let two = count[b + 2].fetch_add(1, Relaxed) as usize; if one < m && two < m { out[a * m + two] = 1; }",
        shape([3, 1, 1], [4, 1, 1], 7, 8, 5),
    ),
    (
        "",
        "let i = grid_1d(); let mut old = 0; for c in 0..3 { let bin = x[i + c] as usize; let slot = count[bin].fetch_add(1, Relaxed) as usize; if slot < 9 { out[old * 9 + slot] = 1; } old = bin; }",
        LINE,
    ),
    (
        "",
        "let i = grid_1d(); let (mut bin, mut slot) = (0, 0); for c in 0..3 { bin = x[(i + c) / 2] as usize; if c == 1 { slot = count[bin].fetch_add(1, Relaxed) as usize; } } if slot < 9 { out[bin * 9 + slot] = 1; }",
        LINE,
    ),
    // Counters that are exhausted.
    ("", "let slot = count[0].fetch_add(1 << 30, Relaxed) as usize; out[slot % 1000] = 1; if slot < 9 { out[slot] = 2; }", LINE),
    ("", "let slot = count[0].fetch_add(1 << 30, Relaxed) as usize; if slot < 9 { out[slot] = 2; }", LINE),
    ("", "for c in 0..4 { let slot = count[0].fetch_add(1 << 28, Relaxed) as usize; if slot < 9 { out[slot] = 2; } }", LINE),
    (
        "",
        "let mut c = 0; while c < n { c += 1; let slot = count[0].fetch_add(1 << 28, Relaxed) as usize; if slot < 9 { out[slot] = 2; } }",
        LINE,
    ),
    (
        "",
        "let mut c = 0; while c < n { c += 1; let slot = total[0].fetch_add(1 << 60, Relaxed) as usize; if slot < 9 { out[slot] = 2; } }",
        LINE,
    ),
    ("", "let add = |by: u32| count[0].fetch_add(by, Relaxed); let slot = add(1 << 30) as usize; if slot < 9 { out[slot] = 2; }", LINE),
    (
        "",
        "for i in grid_stride(n) { for c in 0..4 { let slot = count[0].fetch_add(1 << 28, Relaxed) as usize; if slot < 9 { out[slot] = 2; } } }",
        LINE,
    ),
    // The ticket of another round.
    ("", "let mut slot = 0; for c in 0..3 { out[slot] = 1; slot = count[0].fetch_add(1, Relaxed) as usize; }", LINE),
    // Elements that a ticket does not reserve.
    ("", "let slot = count[0].fetch_add(1, Relaxed) as usize; out[slot] = out[slot + 1];", LINE),
    ("", "let slot = count[0].fetch_add(1, Relaxed) as usize; out[slot] = out[grid_1d() + 1];", LINE),
    // What one path knows of a width, and a guard that changes the index although its arm is not taken.
    (
        "",
        "let (a, y) = grid_2d(); let d = if m <= n { n - m } else { n - m }; if a < d { out[y * n + a] += 1; }",
        shape([2, 2, 1], [4, 4, 1], 4, 5, 1),
    ),
    ("", "let mut j = grid_1d(); match n { 5 if { j = 0; false } => {} _ => { out[j] = 1; } }", shape([1, 1, 1], [4, 1, 1], 5, 1, 1)),
    // A counter that wraps around: the second thread, which starts at -3, comes to the element of the first.
    (
        "",
        "let i = grid_1d(); let all = block_dim().x * grid_dim().x; let mut j = i % 2 * m * all + i; while j < n { if j < 64 { out[j] = 1; } j += all; }",
        shape([1, 1, 1], [3, 1, 1], u64::MAX, 6_148_914_691_236_517_204, 1),
    ),
    // A counter that wraps around: from 2 and 5, steps of 2^63 + 1 lead to the same element.
    (
        "",
        "let mut i = grid_1d(); let mut r = 0; while i < n && r < 3 { out[i % 4096] = 1; i += m; r += 1; }",
        shape([1, 1, 1], [4, 1, 1], u64::MAX, (1 << 63) + 1, 1),
    ),
];

#[test]
fn forms_of_indices_that_race_are_not_proved() {
    for (arguments, body, shape) in RACING {
        let (function, launch) = (form(arguments, body), shape.launch());
        let (_, race) = run(&function, &launch);
        assert!(race.is_some() && has_declared_block(&function, &launch), "there is no data race: {arguments}: {body}");
        assert!(!is_accepted(&function, &launch), "proved: {arguments}: {body}");
    }
}
