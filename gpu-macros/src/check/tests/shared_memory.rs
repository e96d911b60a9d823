use super::super::analysis::analyze;
use super::launches::is_launched;
use super::*;
use crate::check::clients::shared_memory::prove_shared_memory;
use crate::check::report::findings::add_condition;
use crate::check::walk::walker::walk;

/// `block` axes, then the conditions; or the pairs that may race.
fn shared_with(arguments: &str, source: &str) -> String {
    let function = kernel_with(arguments, source);
    assert!(is_launched(source, &function, &[]), "no safe launch does anything: {source}");
    proof_of(&function)
}

fn proof_of(function: &Function) -> String {
    let walk = walk(function);
    let proof = prove_shared_memory(function, &walk);
    if proof.races.is_empty() {
        let mut conditions = Vec::new();
        proof.conditions.into_iter().for_each(|(inequality, access)| add_condition(&mut conditions, function, inequality, access));
        let conditions: String = conditions.iter().map(|condition| format!(" if {}", condition.text)).collect();
        return format!("proved {}{conditions}", proof.block_axes);
    }
    format!("unproved: {}", proof.races.iter().map(|race| race.finding.what.as_str()).collect::<Vec<_>>().join("; "))
}

/// A body after `let t = thread_idx().x`, in blocks of 256.
fn shared(body: &str) -> String {
    shared_with(
        "block = 256",
        &format!("fn k(x: &[f32], n: usize, out: &mut [f32]) {{\nlet t = thread_idx().x; let i = grid_1d();\n{body}\n}}"),
    )
}

#[test]
fn accesses_between_barriers_are_apart() {
    for body in [
        // One element for each thread.
        "let mut s = shared::<[f32; 256]>(); s[t] = 1.0; s[t] += 2.0; if i < n { out[i] = s[t]; }",
        // Written, then read by others.
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); if i < n { out[i] = s[255 - t]; }",
        // Filled again and again: two barriers.
        "let mut s = shared::<[f32; 256]>(); for j in 0..n { s[t] = x[j]; sync_threads(); out[i] += s[255 - t]; sync_threads(); }",
        // A halo beside the tile.
        "let mut s = shared::<[f32; 262]>(); s[t + 3] = x[i]; if t < 3 { s[t] = 0.0; s[t + 259] = 0.0; } sync_threads(); out[i] = s[t] + s[t + 6];",
        "let mut s = shared::<[f32; 512]>(); s[t] = x[i]; s[t + 256] = x[i + 256]; sync_threads(); out[i] = s[2 * t] + s[2 * t + 1];",
        // One thread writes, and it alone reads before the barrier.
        "let mut s = shared::<[f32; 1]>(); if t == 0 { s[0] = 1.0; } sync_threads(); out[i] = s[0];",
        // Rounds of a tree, unrolled.
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); if t < 128 { s[t] += s[t + 128]; } sync_threads(); if t < 64 { s[t] += s[t + 64]; } sync_threads(); out[i] = s[0];",
        // Reads only, in any order.
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); let mut sum = 0.0; for j in 0..256 { sum += s[j]; } out[i] = sum;",
        // Two arrays in turn.
        "let mut a = shared::<[f32; 256]>(); let mut b = shared::<[f32; 256]>(); a[t] = x[i]; sync_threads(); b[t] = a[255 - t]; sync_threads(); out[i] = b[255 - t];",
        // A column after a barrier under a condition that all threads share.
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; if n > 3 { sync_threads(); out[i] = s[255 - t]; }",
        // A tree of any height.
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); let mut h = 128; while h > 0 { if t < h { s[t] += s[t + h]; } sync_threads(); h /= 2; } out[i] = s[0];",
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); let mut h = 128; while h > 0 { if t < h { s[t] += s[t + h]; } sync_threads(); h >>= 1; } out[i] = s[0];",
        // A scan, in two steps for each distance.
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); let mut d = 1; while d < 256 { let v = if t >= d { s[t - d] } else { 0.0 }; sync_threads(); s[t] += v; sync_threads(); d *= 2; } out[i] = s[t];",
        // Pairs at a distance (bitonic sort).
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); let mut j = 128; while j > 0 { let p = t ^ j; if p > t { let v = s[t]; s[t] = s[p]; s[p] = v; } sync_threads(); j /= 2; } out[i] = s[t];",
        // Elements a block apart, filled and read.
        "let mut s = shared::<[f32; 500]>(); for j in (t..500).step_by(256) { s[j] = x[j]; } sync_threads(); out[i] = s[499 - t];",
        "let mut s = shared::<[f32; 500]>(); let mut j = t; while j < 500 { s[j] = x[j]; j += 256; } sync_threads(); out[i] = s[499 - t];",
        "let mut s = shared::<[f32; 500]>(); for j in (t..500).step_by(block_dim().x) { s[j] = x[j]; s[j] += 1.0; }",
        // Distances from a list.
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); for h in [128, 64, 32] { if t < h { s[t] += s[t + h]; } sync_threads(); }",
        // A butterfly.
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); let mut j = 1; while j < 256 { let v = s[t ^ j]; sync_threads(); s[t] += v; sync_threads(); j *= 2; }",
        "let mut s = shared::<[f32; 256]>(); for j in 1..8 { s[t ^ j] = x[j]; sync_threads(); }",
        // Two halves in turn.
        "let mut s = shared::<[[f32; 256]; 2]>(); for k in 0..n { let c = k % 2; s[1 - c][t] = s[c][255 - t]; sync_threads(); }",
        // Two halves in turn, with one barrier in each round: what a thread still reads is not what the next round writes.
        "let mut s = shared::<[[f32; 256]; 2]>(); for k in 0..n { s[k % 2][t] = x[k]; sync_threads(); out[i] += s[k % 2][255 - t]; }",
        "let mut s = shared::<[[f32; 256]; 2]>(); for k in 0..n { s[k & 1][t] = x[k]; sync_threads(); out[i] += s[k & 1][255 - t]; }",
        "let mut s = shared::<[[f32; 256]; 3]>(); for k in 0..n { s[k % 3][t] = x[k]; sync_threads(); out[i] += s[k % 3][255 - t]; }",
        "let mut s = shared::<[f32; 512]>(); for k in 0..n { s[k % 2 * 256 + t] = x[k]; sync_threads(); out[i] += s[k % 2 * 256 + 255 - t]; }",
        "let mut s = shared::<[[f32; 256]; 2]>(); let mut k = 0; while k < n { s[k % 2][t] = x[k]; sync_threads(); out[i] += s[k % 2][255 - t]; k += 1; }",
        "let mut s = shared::<[[f32; 256]; 2]>(); let mut c = 0; for k in 0..n { s[c][t] = x[k]; sync_threads(); out[i] += s[c][255 - t]; c = 1 - c; }",
        "let mut s = shared::<[[f32; 256]; 2]>(); for k in 0..n { s[(k + 1) % 2][t] = s[k % 2][255 - t]; sync_threads(); }",
        "let mut s = shared::<[f32; 1000]>(); let mut d = 1; while d < 500 { if t == 0 { s[d] = x[i]; } sync_threads(); out[i] += s[d]; d *= 2; }",
        // All threads leave a loop together: after its last barrier, none is in it.
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); for j in 0..15 { if t > j { s[t] += 1.0; } sync_threads(); } out[i] = s[255 - t];",
        "let mut s = shared::<[f32; 256]>(); let mut j = 0; while j < n { s[t] = x[i]; sync_threads(); j += 2; } for k in 0..n { out[i] += s[(t + k) % 256]; }",
        "let mut s = shared::<[f32; 256]>(); for j in 0..n { for k in 0..3 { s[t] = x[k]; sync_threads(); } out[i] += s[255 - t]; sync_threads(); }",
        // A scan between two halves, in several spellings.
        "let mut s = shared::<[f32; 512]>(); let (mut a, mut b) = (0, 1); s[t] = x[i]; sync_threads(); let mut d = 1; while d < 256 { a = 1 - a; b = 1 - a; s[a * 256 + t] = if t >= d { s[b * 256 + t - d] } else { s[b * 256 + t] }; sync_threads(); d *= 2; } out[i] = s[a * 256 + t];",
        "let mut s = shared::<[f32; 512]>(); let mut a = 0; s[t] = x[i]; sync_threads(); let mut d = 1; while d < 256 { if t >= d { s[(1 - a) * 256 + t] = s[a * 256 + t - d]; } a = 1 - a; sync_threads(); d *= 2; } out[i] = s[a * 256 + t];",
        "let mut s = shared::<[f32; 512]>(); let mut a = 0; s[t] = x[i]; sync_threads(); let mut d = 1; while d < 256 { if t >= d { s[(a ^ 1) * 256 + t] = s[a * 256 + t - d]; } a ^= 1; sync_threads(); d *= 2; } out[i] = s[a * 256 + 255 - t];",
        // Set again in each round.
        "let mut s = shared::<[f32; 500]>(); let mut j = t; for k in 0..n { while j < 500 { s[j] = x[k]; j += 256; } j = t; sync_threads(); out[i] += s[499 - t]; sync_threads(); }",
        // One of two elements, which no other thread has.
        "let mut s = shared::<[f32; 256]>(); let j = if t < 255 { t + 1 } else { 0 }; s[j] = x[i];",
        "let mut s = shared::<[f32; 256]>(); s[(t + 1) % 256] = x[i];",
        // The first thread of each warp.
        "let mut s = shared::<[f32; 8]>(); if t % 32 == 0 { s[t / 32] = x[i]; } sync_threads(); out[i] = s[t / 32];",
        "let mut s = shared::<[f32; 8]>(); if lane_id() == 0 { s[warp_id()] = x[i]; }",
        // What a thread reads and writes back lies between barriers.
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); let v = if t >= 4 { s[t - 4] } else { 0.0 }; sync_threads(); s[t] += v; sync_threads(); out[i] = s[255 - t];",
    ] {
        let result = shared(body);
        assert!(result.starts_with("proved 1"), "{result}: {body}");
    }
}

#[test]
fn accesses_without_a_barrier_between_are_found() {
    for body in [
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; out[i] = s[255 - t];",
        // The next round writes what this one still reads.
        "let mut s = shared::<[f32; 256]>(); for j in 0..n { s[t] = x[j]; sync_threads(); out[i] += s[255 - t]; }",
        "let mut s = shared::<[f32; 256]>(); s[t / 2] = 1.0;",
        "let mut s = shared::<[f32; 256]>(); s[0] = x[i];",
        // The quotient beside a remainder has a range of its own.
        "let mut s = shared::<[f32; 256]>(); if t >= 4 { s[t % 2] = 1.0; }",
        // A shift by more than the bits of the type is by the rest.
        "const BY: u32 = 33; let mut s = shared::<[f32; 256]>(); if (t as u32) >> BY > 0 { s[0] = 1.0; }",
        // The halo lies in the tile.
        "let mut s = shared::<[f32; 262]>(); s[t + 3] = x[i]; if t < 4 { s[t] = 0.0; }",
        // A barrier on one way only.
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; if n > 3 { sync_threads(); } out[i] = s[255 - t];",
        // Elements less than a block apart, and a list whose rounds have no barrier between.
        "let mut s = shared::<[f32; 500]>(); for j in (t..500).step_by(255) { s[j] = x[j]; }",
        "let mut s = shared::<[f32; 500]>(); for j in (t..500).step_by(256) { s[j] = x[j]; } out[i] = s[499 - t];",
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); for h in [128, 64, 32] { if t < h { s[t] += s[t + h]; } }",
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); for h in [128, t + 1] { if t < h { s[t] += s[t + h]; } sync_threads(); }",
        // A butterfly that writes what others read, and one whose distance differs.
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); let mut j = 1; while j < 256 { s[t] += s[t ^ j]; sync_threads(); j *= 2; }",
        "let mut s = shared::<[f32; 256]>(); for j in 1..8 { s[t ^ j] = x[j]; }",
        "let mut s = shared::<[f32; 256]>(); s[t ^ (t % 2)] = x[i];",
        // Two halves in turn, which some rounds do not change; three steps at once of three; and a write after the barrier.
        "let mut s = shared::<[[f32; 256]; 2]>(); for k in 0..n { s[k / 2 % 2][t] = x[k]; sync_threads(); out[i] += s[k / 2 % 2][255 - t]; }",
        "let mut s = shared::<[[f32; 256]; 2]>(); for k in (0..n).step_by(2) { s[k % 2][t] = x[k]; sync_threads(); out[i] += s[k % 2][255 - t]; }",
        "let mut s = shared::<[[f32; 256]; 2]>(); for k in (0..n).rev() { s[(k + n) % 2][t] = x[k]; sync_threads(); out[i] += s[(k / 2) % 2][255 - t]; }",
        "let mut s = shared::<[[f32; 256]; 2]>(); for k in 0..n { s[k % 2][t] = x[k]; sync_threads(); s[(k + 1) % 2][255 - t] = 1.0; }",
        "let mut s = shared::<[[f32; 256]; 2]>(); let mut c = 0; for k in 0..n { s[c][t] = x[k]; sync_threads(); out[i] += s[c][255 - t]; if x[k] > 0.0 { c = 1 - c; } }",
        "let mut s = shared::<[[f32; 256]; 2]>(); let mut c = 0; for k in 0..n { s[c][t] = x[k]; sync_threads(); out[i] += s[c][255 - t]; if k == 3 { continue; } c = 1 - c; }",
        "let mut s = shared::<[[f32; 256]; 2]>(); for k in 0..n { s[k % 2][t] = x[k]; sync_threads(); out[i] += s[k % 2][255 - t]; } s[0][t] = 1.0;",
        "let mut s = shared::<[[f32; 256]; 2]>(); for j in 0..n { for k in 0..3 { s[k % 2][t] = x[k]; sync_threads(); out[i] += s[k % 2][255 - t]; } }",
        // A thread leaves the loop while another one is still in it.
        "let mut s = shared::<[f32; 256]>(); for j in 0..n { s[t] = x[j]; if j == 3 { break; } sync_threads(); } out[i] = s[255 - t];",
        "let mut s = shared::<[f32; 256]>(); for j in 0..n { sync_threads(); s[t] = x[j]; } out[i] = s[255 - t];",
        "let mut s = shared::<[f32; 256]>(); for j in 0..n { s[t] = x[j]; sync_threads(); s[t] += 1.0; } out[i] = s[255 - t];",
        "let mut s = shared::<[f32; 256]>(); for j in 0..n { for k in 0..3 { s[t] = x[k]; sync_threads(); } out[i] += s[255 - t]; }",
        "let mut s = shared::<[f32; 256]>(); for j in 0..n { if j % 2 == 0 { continue; } s[t] = x[j]; if j == 5 { sync_threads(); } } out[i] = s[255 - t];",
        "let mut s = shared::<[f32; 256]>(); for j in 0..t { s[t] = x[j]; } out[i] = s[255 - t];",
        // Both halves in one round.
        "let mut s = shared::<[[f32; 256]; 2]>(); for k in 0..n { let c = k % 2; s[1 - c][t] = s[1 - c][255 - t]; sync_threads(); }",
        // One of two elements, of which another thread has one.
        "let mut s = shared::<[f32; 256]>(); let j = if t < 255 { t + 1 } else { 1 }; s[j] = x[i];",
        // Half a warp.
        "let mut s = shared::<[f32; 8]>(); if t % 16 == 0 { s[t / 32] = x[i]; }",
        // A round too many between barriers.
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); if t < 128 { s[t] += s[t + 127]; }",
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); s[t] = if t >= 4 { s[t - 4] } else { 0.0 };",
        "let mut s = shared::<[f32; 256]>(); loop { s[t] = x[i]; if n > 3 { break; } sync_threads(); } out[i] = s[255 - t];",
        "let mut s = shared::<[f32; 256]>(); for j in 0..n { if j % 2 == 0 { continue; } s[t] = x[j]; sync_threads(); out[i] += s[255 - t]; }",
    ] {
        let result = shared(body);
        assert!(result.starts_with("unproved"), "{result}: {body}");
    }
}

/// The interpreter stores nothing in arrays, so that no launch shows these.
#[test]
fn a_number_that_all_threads_have_read_is_one_number_in_their_indices() {
    let is_proved = |body: &str| {
        let arrays = "let mut o = shared::<[u32; 256]>(); let mut s = shared::<[f32; 512]>(); let t = thread_idx().x;";
        let function = kernel_with("block = 256", &format!("fn k(x: &[f32], n: usize, out: &mut [f32]) {{ {arrays} {body} }}"));
        prove_shared_memory(&function, &walk(&function)).races.is_empty()
    };
    for body in [
        "if t == 0 { o[0] = n as u32; } sync_threads(); let k = o[0] as usize % 256; s[t + k] = x[t]; sync_threads(); out[t] = s[t];",
        "for j in 0..n { if t == 0 { o[0] = j as u32; } sync_threads(); let k = o[0] as usize % 256; sync_threads(); s[t + k] = x[t]; sync_threads(); out[t] += s[t]; }",
    ] {
        assert!(is_proved(body), "{body}");
    }
    for body in [
        // Each for itself.
        "o[t] = n as u32; sync_threads(); let k = o[t] as usize % 256; s[t + k] = x[t];",
        // Two numbers between two barriers.
        "if t == 0 { o[0] = n as u32; } sync_threads(); let k = o[0] as usize % 256; let j = o[1] as usize % 256; s[t + k] = x[t]; s[t + j] = x[t];",
        // Whose write another may have overtaken.
        "for j in 0..n { if t == 0 { o[0] = j as u32; } sync_threads(); let k = o[0] as usize % 256; s[t + k] = x[t]; }",
        // Of two rounds.
        "let mut k = 0; for j in 0..n { s[t + k] = x[t]; if j % 2 == 0 { sync_threads(); } k = o[0] as usize % 256; }",
    ] {
        assert!(!is_proved(body), "{body}");
    }
}

#[test]
fn tiles_are_proved() {
    let matmul = "fn k(a: &[f32], b: &[f32], n: usize, c: &mut [f32]) {
        let mut ta = shared::<[[f32; 16]; 16]>(); let mut tb = shared::<[[f32; 16]; 16]>();
        let (col, row) = grid_2d(); let t = thread_idx(); let mut sum = 0.0;
        for tile in 0..n / 16 {
            ta[t.y][t.x] = a[row * n + tile * 16 + t.x];
            tb[t.y][t.x] = b[(tile * 16 + t.y) * n + col];
            sync_threads();
            for k in 0..16 { sum += ta[t.y][k] * tb[k][t.x]; }
            sync_threads();
        }
        c[row * n + col] = sum;
    }";
    assert_eq!(shared_with("block = (16, 16)", matmul), "proved 2");
    let transpose = "fn k(a: &[f32], n: usize, c: &mut [f32]) {
        let mut tile = shared::<[[f32; 33]; 32]>(); let t = thread_idx(); let b = block_idx();
        for j in 0..4 { tile[t.y + 8 * j][t.x] = a[(b.y * 32 + t.y + 8 * j) * n + b.x * 32 + t.x]; }
        sync_threads();
        for j in 0..4 { c[(b.x * 32 + t.y + 8 * j) * n + b.y * 32 + t.x] = tile[t.x][t.y + 8 * j]; }
    }";
    assert_eq!(shared_with("block = (32, 8)", transpose), "proved 2");
    // Two tiles of other shapes than the block's, which divide the number of the thread differently.
    let loads = "fn k(a: &[f32], n: usize, c: &mut [f32]) {
        let mut ta = shared::<[[f32; 128]; 8]>(); let mut tb = shared::<[[f32; 128]; 8]>();
        let t = thread_idx().y * 16 + thread_idx().x; let (ra, qa) = (t / 2, t % 2); let (rb, qb) = (t / 32, t % 32);
        for k in 0..n {
            ta[4 * qa][ra] = a[k]; ta[4 * qa + 1][ra] = a[k]; tb[rb][4 * qb] = a[k]; tb[rb][4 * qb + 1] = a[k];
            sync_threads();
            c[t] += ta[k % 8][t] * tb[k % 8][t];
            sync_threads();
        }
    }";
    assert_eq!(shared_with("block = (16, 16)", loads), "proved 2");
}

/// Blocks of `SIDE` × `SIDE` threads load tiles whose rows have `WIDTH` elements, with indices after `let t = thread_idx().y * SIDE + thread_idx().x`.
fn tile_of_constants(write: &str) -> String {
    shared_with(
        "block = (SIDE, SIDE)",
        &format!(
            "fn k(x: &[f32], n: usize, out: &mut [f32]) {{
                let mut tile = shared::<[[f32; 128]; 128]>();
                let (tx, ty) = (thread_idx().x, thread_idx().y); let t = ty * SIDE + tx;
                for j in 0..n {{ {write} sync_threads(); out[0] += tile[tx][ty]; sync_threads(); }}
            }}"
        ),
    )
}

#[test]
fn quotients_and_remainders_by_constants_are_digits() {
    for write in [
        "tile[t / WIDTH][t % WIDTH] = x[j];",
        "tile[t % WIDTH][t / WIDTH] = x[j];",
        // All threads are in the same round.
        "tile[t / (j + 1)][t % (j + 1)] = x[j];",
        // Of two threads with one quotient, the remainders differ by less than the divisor.
        "tile[t / WIDTH][(t + 1) % WIDTH] = x[j];",
        // Four rows for each thread.
        "let (row, quad) = (t / (WIDTH / 4), t % (WIDTH / 4)); tile[4 * quad][row] = x[j]; tile[4 * quad + 1][row] = x[j]; tile[4 * quad + 3][row] = x[j];",
        "let (row, quad) = (t / n, t % n); tile[row][2 * quad] = x[j]; tile[row][2 * quad + 1] = x[j];",
        "let q = t / 4; let (a, b, c) = (t % 4, q % WIDTH, q / WIDTH); tile[4 * b + a][c] = x[j];",
    ] {
        let result = tile_of_constants(write);
        assert!(result.starts_with("proved 2"), "{result}: {write}");
    }
    for write in [
        "tile[t / WIDTH][t % SIDE] = x[j];",
        "tile[t / WIDTH][tx % WIDTH] = x[j];",
        "tile[t / WIDTH][t / WIDTH] = x[j];",
        "tile[t / (j + 1)][t % (j + 2)] = x[j];",
        "let (row, quad) = (t / (WIDTH / 4), t % (WIDTH / 4)); tile[4 * quad][row] = x[j]; tile[4 * quad + 4][row] = x[j];",
        "let (row, quad) = (t / WIDTH, t % WIDTH); tile[row][quad] = x[j]; tile[row][(t + 1) % WIDTH] = x[j];",
    ] {
        let result = tile_of_constants(write);
        assert!(result.starts_with("unproved"), "{result}: {write}");
    }
}

#[test]
fn named_constants_prove_what_numbers_prove() {
    let with_names = |body: &str| {
        let source = format!("fn k(x: &[f32], n: usize, out: &mut [f32]) {{ let t = thread_idx().x; let i = grid_1d(); {body} }}");
        shared_with("block = BLOCK", &source)
    };
    for body in [
        "let mut s = shared::<[f32; BLOCK + 2 * HALO]>(); if t < HALO { s[t] = x[0]; s[t + BLOCK + HALO] = x[1]; } s[t + HALO] = x[2];",
        "let mut s = shared::<[f32; 30]>(); for j in (t..30).step_by(BLOCK) { s[j] = x[j]; }",
    ] {
        let result = with_names(body);
        assert!(result.starts_with("proved 1"), "{result}: {body}");
    }
    for body in [
        "let mut s = shared::<[f32; BLOCK + 2 * HALO]>(); if t <= HALO { s[t] = x[0]; } s[t + HALO] = x[2];",
        "let mut s = shared::<[f32; BLOCK + 2 * HALO]>(); if t < HALO { s[t + BLOCK] = x[1]; } s[t + HALO] = x[2];",
        "let mut s = shared::<[f32; 30]>(); for j in (t..30).step_by(HALO) { s[j] = x[j]; }",
    ] {
        let result = with_names(body);
        assert!(result.starts_with("unproved"), "{result}: {body}");
    }
}

/// The accesses to shared memory without an order, and the lines of the indices that are checked by every launch.
fn what_rounds_leave(function: &Function) -> (usize, Vec<usize>) {
    let analysis = analyze(function, Vec::new());
    let sites = analysis.bounds.iter().zip(&function.sites);
    let checked = sites.filter(|(bound, site)| matches!((bound, &site.kind), (Bound::Unknown, SiteKind::Index)));
    (analysis.shared_races.len(), checked.map(|(_, site)| site.span.start().line).collect())
}

#[test]
fn a_loop_whose_rounds_are_known_is_walked_round_by_round() {
    let of_body = |body: &str| {
        let source = format!("fn k(x: &[f32], out: &mut [f32]) {{\nlet t = thread_idx().x; let i = grid_1d();\n{body}\n}}");
        what_rounds_leave(&kernel_with("block = 256", &source))
    };
    for body in [
        // Up a tree, by two variables that numbers decide, and down again (Blelloch's scan).
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; let (mut d, mut offset) = (128, 1); while d > 0 { sync_threads(); if t < d { s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1]; } offset *= 2; d /= 2; } sync_threads(); if t == 0 { s[255] = 0.0; } d = 1; while d < 256 { offset /= 2; sync_threads(); if t < d { let (a, b) = (offset * (2 * t + 1) - 1, offset * (2 * t + 2) - 1); (s[a], s[b]) = (s[b], s[a] + s[b]); } d *= 2; } sync_threads(); out[i] = s[255 - t];",
        "let mut s = shared::<[f32; 512]>(); s[t] = x[i]; s[t + 256] = x[i + 256]; let mut offset = 1; let mut d = 256; while d > 0 { sync_threads(); if t < d { let a = offset * (2 * t + 1) - 1; s[a + offset] += s[a]; } offset <<= 1; d >>= 1; } sync_threads(); out[i] = s[511 - t];",
        // The threads that are left are those of multiples.
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); let mut d = 1; while d < 256 { if t % (2 * d) == 0 { s[t] += s[t + d]; } sync_threads(); d *= 2; } out[i] = s[0];",
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); let mut d = 1; while d < 256 { let j = 2 * d * t; if j < 256 { s[j] += s[j + d]; } sync_threads(); d *= 2; } out[i] = s[0];",
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); for k in 1..=8 { let p = 1 << k; if t % p == 0 { s[t] += s[t + p / 2]; } sync_threads(); } out[i] = s[0];",
        // Levels of a transform, one after the other in an array.
        "let mut s = shared::<[f32; 512]>(); s[t] = x[i]; s[t + 256] = x[i]; let (mut n, mut from) = (256, 0); while n > 0 { sync_threads(); let v = if t < n { s[from + 2 * t / 256] } else { 0.0 }; sync_threads(); if t < n { s[from + t] = v; } from += n; n /= 2; } out[i] = s[t];",
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; let (mut d, mut e) = (0, 128); while d < 1 { sync_threads(); if t < 128 { s[t + e] += s[t]; } e += 32; d += 1; }",
    ] {
        assert_eq!(of_body(body), (0, vec![]), "{body}");
    }
    for body in [
        // Elements that another thread reads in the same round, and rounds without a barrier between them.
        "let mut s = shared::<[f32; 512]>(); let (mut d, mut offset) = (128, 1); while d > 0 { sync_threads(); if t < d { s[offset * 2 * t] += s[offset * t]; } offset *= 2; d /= 2; }",
        "let mut s = shared::<[f32; 256]>(); let (mut d, mut offset) = (128, 1); while d > 0 { if offset == 1 { sync_threads(); } if t < d { s[offset * (2 * t + 2) - 1] += s[offset * (2 * t + 1) - 1]; } offset *= 2; d /= 2; }",
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; sync_threads(); for k in 1..=8 { let p = 1 << k; if t % p == 0 { s[t] += s[t + p]; } sync_threads(); } out[i] = s[0];",
        // It runs on after 11 rounds, or by what is no number.
        "let mut s = shared::<[f32; 256]>(); let (mut d, mut e) = (0, 1); while d < 12 { sync_threads(); if t < 128 { s[t + e] += s[t]; } d += 1; e += 1; }",
        "let mut s = shared::<[f32; 256]>(); let (mut d, mut e) = (0, 1); while d < x.len() { sync_threads(); if t < 128 { s[t + e] += s[t]; } d += 1; e += 128; }",
        "let mut s = shared::<[f32; 256]>(); let (mut d, mut e) = (0, 128); while d < 3 { sync_threads(); if t < 128 { s[t + e] += s[t]; } if i == 5 { e = 1; } d += 1; e += 0; }",
    ] {
        assert_ne!(of_body(body), (0, vec![]), "{body}");
    }
    // Where the last expression of the body, which is no statement, decides how often it runs, more rounds may come.
    for body in [
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; let (mut d, mut e) = (0, 128); while d < 1 { sync_threads(); if t < 128 { s[t + e] += s[t]; } e += 32; d += 1; if grid_dim().x == 5 { d = 0; } }",
        "let mut s = shared::<[f32; 256]>(); s[t] = x[i]; let (mut d, mut e) = (0, 128); while d < 1 { sync_threads(); if t < 128 { s[t + e] += s[t]; } e += 32; d += 1; d = 0 }",
    ] {
        assert_eq!(of_body(body).1, [3], "{body}");
    }
    let kernels = super::corpus::corpus();
    let scan = kernels.iter().find(|kernel| kernel.name == "scan_blelloch").expect("Blelloch's scan, with `const THREADS`");
    assert_eq!(what_rounds_leave(scan), (0, vec![]));
}

#[test]
fn the_quotient_and_the_remainder_of_the_thread_are_those_of_no_other() {
    let pair = |indices: &str| shared(&format!("let mut s = shared::<[[f32; 256]; 256]>(); s{indices} = x[i];"));
    for indices in ["[i % n][i / n]", "[i / n][i % n]", "[t % 16][t / 16]"] {
        assert!(pair(indices).starts_with("proved 1"), "{}", pair(indices));
    }
    for indices in ["[i % n][i / n / 2]", "[i % n][i % n]", "[t % 16][t / 32]"] {
        assert!(pair(indices).starts_with("unproved"), "{}", pair(indices));
    }
}

/// How many arrays are emitted so that a race is harmless. `s` holds floats and `c` integers; both race.
fn guarded_arrays(body: &str) -> usize {
    let source = format!(
        "fn k(x: &[f32], m: usize, out: &mut [f32]) {{
            let mut s = shared::<[[f32; 8]; 8]>(); let mut c = shared::<[u32; 8]>(); let i = grid_1d();
            s[i % m][0] = x[i]; c[i % m] = 1; {body}
        }}"
    );
    let analysis = analyze(&kernel_with("", &source), Vec::new());
    assert_eq!(analysis.shared_races.len(), 2, "{body}");
    analysis.racing_arrays.len()
}

#[test]
fn racing_floats_that_decide_nothing_are_plain() {
    for body in [
        "out[i] = s[m % 8][0];",
        "let mut sum = 0.0; for k in 0..m { sum += -s[k % 8][k % 4] * 2.0; } out[i] = sum.mul_add(2.0, x[0]);",
        "let (a, b) = (s[0][0], s[0][1]); out[i] = if c[0] > 1 { a } else { b as f64 as f32 };",
        "match c[0] { 0 => out[i] = s[0][0], n => out[i] = n as f32 }",
    ] {
        assert_eq!(guarded_arrays(body), 1, "only the integers: {body}");
    }
    for body in [
        "if s[0][0] > 1.0 { out[i] = 1.0; }",
        "let a = s[0][0]; out[a as usize] = 1.0;",
        "out[i] = x[s[0][0].to_bits() as usize];",
        "out[i] = s[0][0].sin();",
        "out[i] = s[0][0].max(1.0);",
        "out[i] = f(s[0][0]);",
        "match s[0][0] { 1.0 => out[i] = 1.0, _ => {} }",
        "out[i] = warp_sum(s[0][0]);",
        "println!(\"{}\", s[0][0]);",
    ] {
        assert_eq!(guarded_arrays(body), 2, "both: {body}");
    }
}

#[test]
fn lengths_are_known_of_constants_with_a_sign() {
    let source = "fn k(out: &mut [i32]) {
        let mut row = shared::<[i32; SIDE as usize + 2]>();
        let t = thread_idx().x as i32;
        row[(t + 1) as usize] = t;
        if t == SIDE - 1 { row[SIDE as usize + 1] = 0; }
        sync_threads();
        let i = grid_1d();
        if i < out.len() { out[i] = row[t as usize]; }
    }";
    let function = kernel_in("const SIDE: i32 = 32;", "block = SIDE as usize", source);
    let analysis = analyze(&function, Vec::new());
    assert!(analysis.shared_races.is_empty());
}

/// Launches compare what signed integers need not to overflow.
#[test]
fn signed_integers_that_do_not_overflow_are_followed() {
    let races = |arguments: &str, body: &str| {
        let source = format!("fn k(x: &[f32], n: i32, out: &mut [f32]) {{ let t = thread_idx().x as i32; {body} out[grid_1d()] = 1.0; }}");
        analyze(&kernel_with(arguments, &source), Vec::new()).shared_races.len()
    };
    let gems = |read: &str| {
        format!(
            "let mut s = dynamic_shared::<f32>(2 * n as usize); let mut a = 0; if t >= n {{ return; }}
             s[(a * n + t) as usize] = x[0]; sync_threads(); let mut d = 1;
             while d < n {{ a = 1 - a; let b = 1 - a; if t >= d {{ s[(a * n + t) as usize] = s[({read}) as usize]; }} sync_threads(); d *= 2; }}"
        )
    };
    assert_eq!(races("", &gems("b * n + t - d")), 0);
    assert_eq!(races("", &gems("a * n + t - d")), 1);
    let rounds = |reset: &str| {
        format!(
            "let mut s = shared::<[f32; 300]>(); let mut j = t;
             for k in 0..n {{ while j < 300 {{ s[j as usize] = x[k as usize]; j += 256; }} {reset} sync_threads(); }}"
        )
    };
    assert_eq!(races("block = 256", &rounds("j = t;")), 0);
    assert_eq!(races("block = 256", &rounds("j = t / 2;")), 1);
}

#[test]
fn a_proof_under_a_condition_is_none_in_a_kernel_without_a_proof() {
    let racing = |arguments: &str, body: &str| {
        let source = format!("fn k(x: &[u32], n: usize, out: &mut [u32]) {{ let t = thread_idx().x; let i = grid_1d(); {body} }}");
        let analysis = analyze(&kernel_with(arguments, &source), Vec::new());
        assert!(analysis.shared_races.is_empty(), "{body}");
        analysis.racing_arrays.len()
    };
    // About blocks of one axis. Where the kernel is proved, the caller of an unchecked launch answers for the condition.
    let own = "let mut s = shared::<[u32; 256]>(); s[t] = x[i]; out[i] = x[s[t] as usize];";
    assert_eq!(racing("", own), 0);
    let other = "let mut s = shared::<[u32; 256]>(); s[t] = x[i]; out[s[t] as usize] = 1;";
    assert_eq!(racing("", other), 1);
    assert_eq!(racing("block = 256", other), 0);
    // Safe launches alone check a condition on constants, too: here, that `t + M` does not wrap around.
    let apart = |out: &str| format!("let mut s = shared::<[u32; 4096]>(); if t >= N {{ s[t - N] = x[i]; }} s[t + M] = 1; out[{out}] = 1;");
    assert_eq!(racing("block = N", &apart("i")), 0);
    assert_eq!(racing("block = N", &apart("s[t + M] as usize")), 1);
}

#[test]
fn a_function_uses_all_elements_of_an_array_that_it_takes() {
    let array = |body: &str| {
        let head = "fn k(x: &[f32], n: usize, out: &mut [f32]) {\nlet t = thread_idx().x; let i = grid_1d();";
        proof_of(&kernel_with("block = 256", &format!("{head}\nlet mut s = shared::<[f32; 256]>(); {body}\n}}")))
    };
    for body in [
        "s[t] = x[i]; sync_threads(); out[i] = f(&s, t);",
        "s[t] = x[i]; sync_threads(); for j in 0..n { out[i] += f(&s) + f(&s[j..]); } sync_threads(); s[t] = 1.0;",
        "if t == 0 { f(&mut s); } sync_threads(); out[i] = s[255 - t] + Z::f(&s);",
        "s[t] = x[i]; sync_threads(); if t == 0 { f(g(1), &mut s); } sync_threads(); f(&s, &s);",
    ] {
        assert!(array(body).starts_with("proved"), "{body}: {}", array(body));
    }
    for (body, finding) in [
        ("s[t] = x[i]; out[i] = f(&s);", "line 3: `s[t]` is written, and line 3: `s` is read"),
        ("s[t] = x[i]; sync_threads(); out[i] = f(&s); s[t] = 1.0;", "line 3: `s` is read, and line 3: `s[t]` is written"),
        ("f(&mut s);", "line 3: `s` is written: several threads may call the function"),
        ("if t == 0 { f(&mut s); } out[i] = s[t];", "line 3: `s` is written, and line 3: `s[t]` is read"),
    ] {
        assert!(array(body).contains(finding), "{body}: {}", array(body));
    }
}

/// What the proof by numbers says of shared memory is about blocks of one axis, what is known of `out` about more. It shows nothing of a launch
/// with more.
#[test]
fn a_proof_of_fewer_axes_takes_no_finding_away() {
    let around = "const W: usize = 32; const S: usize = 4;";
    let body = "let mut s = shared::<[u32; 64]>(); let t = thread_idx().x; if t < W { s[t & (W - 1)] = thread_idx().y as u32; } sync_threads();
        let mut v = 0; if t < W { v = s[t & (W - 1)]; }
        let (x, y) = grid_2d();
        if x < w && y < h { let r = (data[0] as usize % (1usize << (S as u32))) * w; out[y * w + x] = if v == 0 { r as i32 } else { -1 }; }";
    let function = kernel_in(around, "", &format!("fn k(w: usize, h: usize, data: &[u32], out: &mut [i32]) {{ {body} }}"));
    let analysis = analyze(&function, Vec::new());
    let RaceFreedom::Proved { block_axes, .. } = analysis.race_freedom else { panic!("{:?}", analysis.race_freedom) };
    assert!(block_axes == 1 || !analysis.shared_races.is_empty() && !analysis.racing_arrays.is_empty(), "{block_axes}");
}

#[test]
fn threads_that_leave_a_loop_in_different_rounds_may_use_one_element() {
    for of in ["0u32", "0"] {
        let body = format!(
            "let mut a = shared::<[usize; 256]>(); let t = thread_idx().x; let mut at = {of};
            'o: {{ for k in 0..64usize {{ if k + t == 63 {{ break 'o; }} at += 1; }} return; }}
            sync_threads(); a[t + at as usize] = n; out[t] = a[t + at as usize] as f32;"
        );
        let function = kernel_with("block = 64", &format!("fn k(n: usize, out: &mut [f32]) {{ {body} }}"));
        assert!(proof_of(&function).starts_with("unproved"), "{of}");
    }
}
