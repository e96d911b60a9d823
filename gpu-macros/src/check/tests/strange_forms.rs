//! Strange kernels: aliases, chains, jumps, wrap-around, and values that hide where they come from. Whatever is proved of one must hold in
//! every launch that its safe launch accepts.

use super::forms::{LINE, PAIRS, Shape, WARPS, form, run, shape};
use super::launches::{assert_launched, is_accepted};

const HUGE: u64 = 1 << 63;

/// Launches with small and huge strides, with one block and several.
const SHAPES: [Shape; 14] = [
    LINE,
    WARPS,
    PAIRS,
    shape([1, 1, 1], [4, 1, 1], 0, 0, 0),
    shape([3, 1, 1], [4, 1, 1], 1, 1, 1),
    shape([3, 1, 1], [4, 1, 1], 16, 2, 4),
    shape([3, 1, 1], [4, 1, 1], 12, 4, 3),
    shape([2, 1, 1], [8, 1, 1], u64::MAX, HUGE, 2),
    shape([2, 1, 1], [8, 1, 1], u64::MAX, u64::MAX, 1 << 32),
    shape([2, 2, 1], [4, 4, 1], 8, 8, 8),
    shape([2, 2, 1], [2, 2, 1], 1 << 32, 1 << 31, 4),
    shape([1, 1, 1], [300, 1, 1], 256, 3, 7),
    shape([4, 1, 1], [2, 1, 1], 5, 1 << 62, 3).with(2, 0),
    shape([4, 1, 1], [2, 1, 1], 5, 3, 3).with(2, 4),
];

/// The arguments of the attribute, and the body.
const FORMS: &[(&str, &str)] = &[
    // Tuples, arrays, structs and options that carry indices.
    ("", "let i = grid_1d(); let t = (i, i / 2); let (a, b) = t; out[b] = a as u32;"),
    ("", "let i = grid_1d(); let t = (i, i / 2); out[t.0] = t.1 as u32;"),
    ("", "let i = grid_1d(); let mut t = (i, i); t.1 /= 2; out[t.1] = 1;"),
    ("", "let i = grid_1d(); let mut t = (i, i / 2); t = (t.1, t.0); out[t.0] = 1;"),
    ("", "let i = grid_1d(); let a = [i, i / 2]; out[a[i % 2]] = 1;"),
    ("", "let i = grid_1d(); let a = [i, i + 1]; out[a[0]] = 1; out[a[1]] = 2;"),
    ("", "let i = grid_1d(); let mut a = [i, i]; a[i % 2] = 0; out[a[0]] = 1;"),
    ("", "let i = grid_1d(); let c = (i, 1) == (k, 1); out[i + c as usize] = 1;"),
    ("", "let i = grid_1d(); let c = [i; 2] == [k; 2]; out[i + c as usize] = 1;"),
    ("", "let i = grid_1d(); if (i, m) == (k, m) { out[0] = 1; }"),
    ("", "let i = grid_1d(); if (i / 2, m) == (k, m) { out[0] = 1; }"),
    ("", "let i = grid_1d(); let o = if i > k { Some(i) } else { None }; if let Some(j) = o { out[j] = 1; } else { out[k] = 2; }"),
    ("", "let i = grid_1d(); let o = if i > k { Some(i / 2) } else { None }; if let Some(j) = o { out[j] = 1; }"),
    ("", "let i = grid_1d(); let j = Some(i).map(|v| v / 2).unwrap_or(0); out[j] = 1;"),
    ("", "let i = grid_1d(); let j = i.checked_sub(k).unwrap_or(0); out[j] = 1;"),
    ("", "let i = grid_1d(); if let Some(j) = i.checked_mul(m) { out[j] = 1; }"),
    ("", "let i = grid_1d(); if let Some(j) = i.checked_add(m) { out[j] = 1; }"),
    ("", "let i = grid_1d(); let Some(j) = i.checked_sub(m) else { return }; out[j] = 1;"),
    ("", "let i = grid_1d(); let Some(j) = i.checked_div(m) else { return }; out[j] = 1;"),
    ("", "let i = grid_1d(); let (j, over) = i.overflowing_mul(m); if !over { out[j] = 1; }"),
    ("", "let i = grid_1d(); let (j, over) = i.overflowing_add(m); if !over { out[j] = 1; }"),
    // Words that wrap around.
    ("", "let i = grid_1d().wrapping_mul(m); out[i] = 1;"),
    ("", "let i = grid_1d().wrapping_add(m); out[i] = 1;"),
    ("", "let i = grid_1d().saturating_sub(m); out[i] = 1;"),
    ("", "let i = grid_1d().saturating_add(m); out[i] = 1;"),
    ("", "let i = grid_1d().saturating_mul(m); out[i] = 1;"),
    ("", "let i = grid_1d() as u32; out[(i * m as u32) as usize] = 1;"),
    ("", "let i = grid_1d() as u32; out[(i + m as u32) as usize] = 1;"),
    ("", "let i = grid_1d() as u8; out[i as usize] = 1;"),
    ("", "let i = thread_idx().x as u8 as usize; out[i] = 1;"),
    ("", "let i = thread_idx().x as u16 as usize; if block_idx().x == 0 { out[i] = 1; }"),
    ("", "let i = grid_1d() as i32; out[(i - 1) as usize % 4096] = 1;"),
    ("", "let i = grid_1d() as i32; out[(i * i) as usize % 4096] = 1;"),
    ("", "let i = grid_1d() as i64; out[(i * -1) as usize] = 1;"),
    ("", "let i = grid_1d() as isize - m as isize; if i >= 0 { out[i as usize] = 1; }"),
    ("", "let i = grid_1d() as isize - m as isize; out[i.rem_euclid(7) as usize] = 1;"),
    ("", "let i = grid_1d() as i32; out[(i as i8 as i32 + 128) as usize] = 1;"),
    ("", "let i = !grid_1d(); out[!i] = 1;"),
    ("", "let i = !grid_1d(); out[i] = 1;"),
    ("", "let i = grid_1d(); out[i << 1 >> 1] = 1;"),
    ("", "let i = grid_1d(); out[i << 62 >> 62] = 1;"),
    ("", "let i = grid_1d(); out[i << m] = 1;"),
    ("", "let i = grid_1d(); out[i >> m] = 1;"),
    ("", "let i = grid_1d(); out[i << 64] = 1;"),
    ("", "let i = grid_1d(); out[i.rotate_left(1)] = 1;"),
    ("", "let i = grid_1d(); out[i.swap_bytes()] = 1;"),
    ("", "let i = grid_1d(); out[i.count_ones() as usize] = 1;"),
    ("", "let i = grid_1d(); out[i.pow(2)] = 1;"),
    ("", "let i = grid_1d(); out[i | 1] = 1;"),
    ("", "let i = grid_1d(); out[i ^ m] = 1;"),
    ("", "let i = grid_1d(); out[i & m] = 1;"),
    ("", "let i = grid_1d(); out[i & 7] = 1;"),
    ("", "let i = grid_1d(); out[i * 2 / 2] = 1;"),
    ("", "let i = grid_1d(); out[i * m / m] = 1;"),
    ("", "let i = grid_1d(); out[i / m * m + i % m] = 1;"),
    ("", "let i = grid_1d(); out[i / m * m] = 1;"),
    ("", "let i = grid_1d() * m; out[i / m * m + i % m] = 1;"),
    ("", "let i = grid_1d() - m; out[i / 3 * 3 + i % 3] = 1;"),
    ("", "let i = grid_1d() - m; out[i / 3 * 4 + i % 3] = 1;"),
    ("", "let i = grid_1d() + m; out[i / k * k + i % k] = 1; out[i / k * k + i % k + 1] = 2;"),
    ("", "let i = grid_1d(); let w = (m as u32 * k as u32) as usize; out[i / w * w + i % w] = 1;"),
    ("", "let i = grid_1d(); let (q, r) = (i / m, i % m); if r < k { out[q * k + r] = 1; }"),
    ("", "let i = grid_1d(); let (q, r) = (i / m, i % m); if r < k && q < n { out[r * n + q] = 1; }"),
    ("", "let i = grid_1d(); let (a, b, c) = (i % m, i / m % k, i / m / k); out[(c * k + b) * m + a] = 1;"),
    ("", "let i = grid_1d(); let (a, b, c) = (i % m, i / m % k, i / m / k); out[(a * k + b) * m + c] = 1;"),
    ("", "let (x, y) = grid_2d(); if x < m as u32 as usize { out[y * m as u32 as usize + x] = 1; }"),
    ("", "let (x, y) = grid_2d(); if (x as u32) < m as u32 { out[y * m + x] = 1; }"),
    ("", "let (x, y) = grid_2d(); if x < m { out[(y as u32 * m as u32 + x as u32) as usize] = 1; }"),
    ("", "let (x, y) = grid_2d(); if x * 2 < m { out[y * m + x * 2] = 1; out[y * m + x * 2 + 1] = 2; }"),
    ("", "let (x, y) = grid_2d(); if x < m && m < k { out[y * k + x] = 1; }"),
    ("", "let (x, y) = grid_2d(); if x < m || x < k { out[y * m.min(k) + x] = 1; }"),
    ("", "let (x, y) = grid_2d(); if x < m && x < k { out[y * m.max(k) + x] = 1; out[y * m.max(k) + m] = 2; }"),
    ("", "let (x, y) = grid_2d(); if x < m.min(k) { out[y * m.min(k) + x] = 1; }"),
    ("", "let (x, y) = grid_2d(); let s = m * k; if x < s { out[y * s + x] = 1; }"),
    ("", "let (x, y) = grid_2d(); let s = m - k; if x < s { out[y * s + x] = 1; }"),
    ("", "let (x, y) = grid_2d(); let s = m / k; if x < s { out[y * s + x] = 1; }"),
    ("", "let (x, y) = grid_2d(); let s = m + 1; if x <= m { out[y * s + x] = 1; }"),
    ("", "let (x, y) = grid_2d(); if x % m == x { out[y * m + x] = 1; }"),
    // Conditions whose parts change.
    ("", "let i = grid_1d(); let mut w = m; if i < w { w -= 1; out[w] = 1; }"),
    ("", "let (x, y) = grid_2d(); let mut w = m; let ok = x < w; w /= 2; if ok { out[y * w + x] = 1; }"),
    ("", "let (x, y) = grid_2d(); let mut w = m; while x >= w && w < 64 { w += 1; } out[y * w + x] = 1;"),
    ("", "let (x, y) = grid_2d(); let mut w = m; let c = { w = k; x < w }; if c { out[y * m + x] = 1; }"),
    ("", "let (x, y) = grid_2d(); if x < m && { let m = k; m > 0 } { out[y * m + x] = 1; }"),
    ("", "let mut i = grid_1d(); let j = i; i = 0; out[i + j] = 1;"),
    ("", "let mut i = grid_1d(); let j = { i += 1; i } - 1; out[j] = i as u32;"),
    ("", "let mut i = grid_1d(); out[{ i /= 2; i }] = 1;"),
    ("", "let mut i = grid_1d(); let a = i; i += 1; let b = i; out[b - a] = 1;"),
    ("", "let mut i = grid_1d(); if i == k { i = 0; } out[i] = 1;"),
    ("", "let mut i = grid_1d(); for _ in 0..m.min(3) { i += 1; } out[i] = 1;"),
    ("", "let mut i = grid_1d(); for c in 0..3 { if c == i { i += 1; } } out[i] = 1;"),
    ("", "let mut i = grid_1d(); loop { if i >= m { break; } i += 4; if i > 64 { break; } } out[i] = 1;"),
    ("", "let mut i = grid_1d(); while i < 40 { out[i] = 1; i += 12; }"),
    ("", "let mut i = grid_1d(); let s = block_dim().x * grid_dim().x; while i < 40 { out[i] = 1; i += s; }"),
    ("", "let mut i = grid_1d(); let mut s = block_dim().x * grid_dim().x; while i < 40 { out[i] = 1; i += s; s += 1; }"),
    ("", "let mut i = grid_1d(); let s = block_dim().x; while i < 40 { out[i] = 1; i += s; }"),
    ("", "let mut i = grid_1d(); let s = block_dim().x * grid_dim().x; while i < 40 { out[i] = 1; if i == k { i += 1; } i += s; }"),
    (
        "",
        "let mut i = grid_1d(); let s = block_dim().x * grid_dim().x; while i < 40 { if i == k { i += 1; continue; } out[i] = 1; i += s; }",
    ),
    ("", "let (mut a, mut b) = (grid_1d(), k); std::mem::swap(&mut a, &mut b); out[a] = 1; out[b] = 2;"),
    ("", "let mut a = grid_1d(); let b = std::mem::replace(&mut a, 0); out[b] = 1; out[a] = 2;"),
    ("", "let mut a = grid_1d(); let b = std::mem::take(&mut a); out[b + a] = 1;"),
    // Jumps.
    ("", "let i = grid_1d(); 'a: { if i > k { break 'a; } out[i] = 1; } out[k + 1] = 2;"),
    ("", "let i = grid_1d(); let j = 'a: { if i > k { break 'a i; } i / 2 }; out[j] = 1;"),
    ("", "let i = grid_1d(); let j = loop { if i > k { break i; } break i + 1; }; out[j] = 1;"),
    ("", "let i = grid_1d(); 'a: for c in 0..3 { for d in 0..3 { if c + d == i { continue 'a; } out[i * 9 + c * 3 + d] = 1; } }"),
    ("", "let i = grid_1d(); 'a: for c in 0..3 { for d in 0..3 { if c == 1 { break 'a; } out[i * 3 + c * 3 + d] = 1; } }"),
    ("", "let i = grid_1d(); for c in 0..3 { if i == c { return; } out[i * 3 + c] = 1; } out[i * 3] = 2;"),
    ("", "let i = grid_1d(); if i != 0 { return; } for c in 0..5 { out[c] = 1; }"),
    ("", "let i = grid_1d(); if i != 0 && i != 1 { return; } out[0] = 1;"),
    ("", "let i = grid_1d(); let t = if i == 0 { 0 } else { return }; out[t] = 1;"),
    ("", "let i = grid_1d(); match i { 0 => out[0] = 1, 1 => out[1] = 1, _ => return } out[i] = 2;"),
    ("", "let i = grid_1d(); match i { 0 | 1 => out[0] = 1, _ => {} }"),
    ("", "let i = grid_1d(); match i { a if a == k => out[0] = 1, _ => {} }"),
    ("", "let i = grid_1d(); match (i, k) { (0, _) => out[0] = 1, (_, 0) => out[1] = 1, _ => {} }"),
    ("", "let i = grid_1d(); match i % 2 { 0 => out[i] = 1, _ => out[i - 1] = 2 }"),
    ("", "let i = grid_1d(); match i { 0..=2 => out[0] = 1, _ => out[i] = 2 }"),
    // Loops over ranges.
    ("", "let i = grid_1d(); for j in (0..k).rev() { out[i * k + j] = 1; }"),
    ("", "let i = grid_1d(); for j in (i..40).step_by(12) { out[j] = 1; }"),
    ("", "for j in (grid_1d()..40).step_by(grid_dim().x * block_dim().x) { out[j] = 1; }"),
    ("", "for j in (grid_1d()..40).step_by(block_dim().x) { out[j] = 1; }"),
    ("", "for j in (thread_idx().x..k).step_by(block_dim().x) { out[block_idx().x * m + j] = 1; }"),
    ("", "for j in (thread_idx().x..=k).step_by(block_dim().x) { out[block_idx().x * k + j] = 1; }"),
    ("", "let i = grid_1d(); for j in i * m..i * m + m { if j < 64 { out[j] = 1; } else { break; } }"),
    ("", "let i = grid_1d(); for j in i * m..(i + 1) * m { if j < 64 { out[j] = 1; } else { break; } }"),
    ("", "let i = grid_1d(); for j in i..i + 2 { out[j] = 1; }"),
    ("", "let i = grid_1d(); for j in 0..i { out[i * (i + 1) / 2 + j] = 1; }"),
    ("", "let i = grid_1d(); for j in 0..i { out[j] = 1; }"),
    ("", "for j in grid_stride(n.min(64)) { out[j] = 1; } for j in grid_stride(m.min(64)) { out[j + 1] = 2; }"),
    ("", "for j in grid_stride(n.min(64)) { out[j] = 1; if j > 0 { out[j - 1] = 2; } }"),
    ("", "for j in grid_stride(n.min(64)) { out[j / m * m + j % m] = 1; }"),
    // Closures.
    ("", "let i = grid_1d(); let f = |j: usize| j; out[f(i)] = 1;"),
    ("", "let i = grid_1d(); let f = |j: usize| i; out[f(0)] = 1;"),
    ("", "let i = grid_1d(); let f = |j: usize| j + i; out[f(m)] = 1; out[f(k)] = 2;"),
    ("", "let mut i = grid_1d(); let mut f = || i = 0; f(); out[i] = 1;"),
    // Iterators and parts of arrays.
    ("", "let i = grid_1d(); let s = x.iter().take(3).sum::<u32>() as usize; out[i + s] = 1;"),
    ("", "let i = grid_1d(); for (j, v) in x.iter().enumerate().take(3) { out[i * 3 + j] = *v; }"),
    ("", "let i = grid_1d(); for (j, v) in x.iter().enumerate().skip(1).take(3) { out[i * 3 + j] = *v; }"),
    ("", "let i = grid_1d(); rows[i][k % 4] = rows[i][0];"),
    ("", "let i = grid_1d(); rows[i][k % 4] = rows[i + 1][0];"),
    ("", "let i = grid_1d(); let mut row = rows[i]; row[0] = 1; rows[i] = row;"),
    ("", "let i = grid_1d(); out.swap(i, i + 1);"),
    ("", "let i = grid_1d(); out.swap(2 * i, 2 * i + 1);"),
    // Views.
    ("", "let (x, y) = grid_2d(); if y < 16 && x < 16 { view[[y, x]] = 1; view[[x, y]] = 2; }"),
    ("", "let (x, y) = grid_2d(); if y < 16 && x < 16 { view[[y, 15 - x]] = 1; }"),
    ("", "let i = grid_1d(); view[[i % 16, i / 16 % 16]] = 1;"),
    ("", "let i = grid_1d(); view[[i / 16, i % 16]] = 1;"),
    ("", "let i = grid_1d(); view[[i / 17 % 16, i % 16]] = 1;"),
    // Tickets.
    ("", "let s = count[0].fetch_add(1, Relaxed) as usize; out[s * m] = 1;"),
    ("", "let s = count[0].fetch_add(1, Relaxed) as usize; out[s / 2] = 1;"),
    ("", "let s = count[0].fetch_add(2, Relaxed) as usize; out[s] = 1; out[s + 1] = 2;"),
    ("", "let s = count[0].fetch_add(1, Relaxed) as u16 as usize; out[s] = 1;"),
    ("", "let s = count[grid_1d() % 2].fetch_add(1, Relaxed) as usize; out[s] = 1;"),
    ("", "let i = grid_1d(); if i % 2 == 0 { let s = count[0].fetch_add(1, Relaxed) as usize; out[s] = 1; } else { out[i] = 2; }"),
    ("", "let (a, b) = (count[0].fetch_add(1, Relaxed), count[0].fetch_add(1, Relaxed)); out[a as usize] = 1; out[b as usize] = 2;"),
    ("", "let (a, b) = (count[0].fetch_add(1, Relaxed), count[1].fetch_add(1, Relaxed)); out[a as usize] = 1; out[b as usize] = 2;"),
    ("", "let s = total[0].fetch_add(m as u64, Relaxed) as usize; for j in 0..m.min(4) { if s + j < 64 { out[s + j] = 1; } }"),
    // Warps.
    ("block = 64", "out[block_idx().x * 64 + (lane_id() ^ 1) + warp_id() * 32] = 1;"),
    ("block = 64", "out[block_idx().x * 64 + (thread_idx().x ^ 63)] = 1;"),
    ("block = 64", "out[block_idx().x * 64 + 63 - thread_idx().x] = 1;"),
    ("block = 64", "if warp_id() == 0 { out[block_idx().x * 32 + lane_id()] = 1; }"),
    ("block = 64", "if lane_id() < 2 { out[block_idx().x * 2 + warp_id()] = 1; }"),
    // Tiles of no length, and of one.
    ("block = TILE", "out[block_idx().x * TILE + thread_idx().x] = 1;"),
    ("", "let t = thread_idx().x; if t < TILE { out[block_idx().x * TILE + t] = 1; }"),
    ("", "let t = thread_idx().x; out[block_idx().x * TILE + t % TILE] = 1;"),
    ("", "let i = grid_1d(); for c in 0..TILE { out[i * TILE + c] = 1; }"),
    ("", "let i = grid_1d(); for c in 0..TILE { out[i * HALO + c] = 1; }"),
    ("", "let i = grid_1d(); out[i * HALO] = 1;"),
    ("", "let i = grid_1d(); out[i / HALO] = 1;"),
    ("", "let i = grid_1d(); if i > HALO { out[i - HALO] = 1; } else { out[i] = 2; }"),
];

#[test]
#[ignore = "brute force, which `.ci/run` does"]
fn no_launch_of_a_strange_form_refutes_a_proof() {
    let mut failures = Vec::new();
    let mut proved = 0;
    for (arguments, body) in FORMS {
        let function = form(arguments, body);
        let launches = SHAPES.map(Shape::launch);
        for launch in launches.iter().filter(|launch| is_accepted(&function, launch)) {
            proved += 1;
            if let Some(race) = run(&function, launch).1 {
                failures.push(format!("{:?} x {:?} has a data race at {race:?}: {arguments}: {body}", launch.grid, launch.block));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(proved > 400, "only {proved} launches are accepted");
    assert_launched(FORMS.iter().map(|(arguments, body)| (*body, form(arguments, body))), &SHAPES);
}
