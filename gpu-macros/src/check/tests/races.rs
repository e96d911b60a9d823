use super::launches::is_launched;
use super::*;

/// `grid block` axes, then the conditions; or what is not proved.
pub(super) fn races_with(arguments: &str, source: &str) -> String {
    let function = kernel_with(arguments, source);
    assert!(is_launched(source, &function, &[]), "no safe launch does anything: {source}");
    match prove_race_freedom(&function, &walk(&function)) {
        RaceFreedom::Proved { grid_axes, block_axes, conditions } => {
            let conditions: String =
                conditions.iter().map(|condition| format!(" if {}", show_inequality(&condition.inequality, &function))).collect();
            format!("proved {grid_axes} {block_axes}{conditions}")
        }
        RaceFreedom::Unproved(accesses) => {
            format!("unproved: {}", accesses.iter().map(|access| access.what.as_str()).collect::<Vec<_>>().join("; "))
        }
    }
}

/// A kernel with this body and every kind of parameter.
pub(super) fn races(body: &str) -> String {
    races_with("", &kernel_source(body))
}

pub(super) fn kernel_source(body: &str) -> String {
    format!("fn k(x: &[f32], ids: &[u32], n: usize, w: usize, h: usize, w32: u32, out: &mut [f32], flags: &mut [u32]) {{\n{body}\n}}")
}

pub(super) fn assert_proved(body: &str, axes: &str) {
    let result = races(body);
    assert!(result.starts_with(&format!("proved {axes}")), "{result}: {body}");
}

pub(super) fn assert_unproved(body: &str) {
    let result = races(body);
    assert!(result.starts_with("unproved"), "{result}: {body}");
}

#[test]
fn what_is_printed_is_read() {
    assert_proved("let i = grid_1d(); if i < n { out[i] = 1.0; println!(\"{} {n}\", out[i]); }", "1 1");
    assert_unproved("let i = grid_1d(); if i < n { out[i] = 1.0; println!(\"{}\", out[i + 1]); }");
}

#[test]
fn an_own_index_may_ask_for_its_thread() {
    for value in ["x[0][7]", "t[0][7]"] {
        let source = format!(
            "fn k(x: &[Own], out: &mut [u32]) {{ let t: [Own; 2] = [x[0], x[0]]; let w: usize = {value}; if grid_1d() == w {{ out[0] += 1; }} }}"
        );
        assert!(races_with("", &source).starts_with("unproved"), "{value}");
    }
}

/// What bounds an operation on one path bounds no other one, though it is the same operation.
#[test]
fn a_short_path_does_not_bound_the_numbers_of_a_long_one() {
    for operation in ["v.min(n)", "(v & n)", "v.saturating_sub(n)"] {
        let store = format!("{{ let k = 8 * i + {operation}; if k < flags.len() {{ flags[k] += 1; }} }}");
        let source = |long: &str| format!("let i = grid_1d(); if i < n {{ let v = ids[i] as usize; if v < 8 {store} else {long} }}");
        assert_proved(&source("{}"), "1 1");
        assert_unproved(&source(&store));
    }
}

#[test]
fn accesses_with_cache_hints_are_accesses() {
    assert_proved("let i = grid_1d(); if i < n { out.store_streaming(i, x.load_streaming(i)); }", "1 1");
    assert_unproved("let i = grid_1d(); if i < n { out.store_streaming(i / 2, x.load_streaming(i)); }");
    assert_unproved("let i = grid_1d(); if i < n { out[i] = out.load_global(i + 1); }");
}

#[test]
fn one_dimensional_positions_are_proved() {
    for body in [
        "let i = grid_1d(); if i < out.len() { out[i] = x[i]; }",
        "out[grid_1d()] = 1.0;",
        "let i = block_idx().x * block_dim().x + thread_idx().x; out[i] = 1.0;",
        "let b = block_dim(); let t = thread_idx(); let i = t.x + b.x * block_idx().x; out[i] += 1.0;",
        "let i = grid_1d(); let j = i; if j < n { out[j] = out[j] * 2.0; flags[i] = 1; }",
        "for i in grid_stride(n) { out[i] = 1.0; }",
        "for i in grid_stride(n) { out[i] = 1.0; } for j in grid_stride(w) { out[j] += out[j]; } let t = grid_1d(); if t < n { out[t] = 0.0; }",
        "let i = grid_1d(); if i < n { out[2 * i] = 1.0; out[2 * i + 1] = 2.0; }",
        "let i = grid_1d(); if i < n { out[i * 3] = 1.0; out[i * 3 + 2] = 2.0; for c in 0..3 { out[i * 3 + c] += 1.0; } }",
        "let i = grid_1d(); if i < n { for j in 0..w { out[i * w + j] = 0.0; } }",
        "let i = grid_1d(); if i < n { for j in 0..w { out[j * n + i] = 0.0; } }",
        "let i = grid_1d(); if i >= n { return; } out[i] = 1.0;",
        "let i = grid_1d(); out[i + n] = 1.0;",
        "let i = grid_1d(); let (r, c) = (i / w, i % w); out[r * w + c] = 1.0;",
        "let mut k = 0; while k < n { k += 1; } out[grid_1d()] = k as f32;",
        "if grid_1d() == 0 { out[0] = 1.0; out[n] = 2.0; }",
        "if grid_1d() != 0 { return; } for i in 0..n { out[i] = 0.0; }",
    ] {
        assert_proved(body, "1 1");
    }
}

#[test]
fn a_single_block_is_a_proof_for_one_block() {
    assert_proved("out[thread_idx().x] = 1.0;", "0 1");
    assert_proved("let t = thread_idx().x; if t == 0 { out[0] = 1.0; }", "0 1");
    assert_proved("let i = block_idx().y * block_dim().x + thread_idx().x; out[i] = 1.0; out[grid_1d()] = 1.0;", "0 1");
}

#[test]
fn row_major_coordinates_are_proved() {
    for body in [
        "let (x, y) = grid_2d(); if x < w && y < h { out[y * w + x] = 1.0; }",
        "let (x, y) = grid_2d(); if x < w && y < h { out[x + w * y] = 1.0; }",
        "let (x, y) = grid_2d(); if x >= w || y >= h { return; } out[y * w + x] = 1.0;",
        "let (x, y) = grid_2d(); if x < w { if y < h { let i = y * w + x; out[i] = out[i] + 1.0; } }",
        "let (x, y) = grid_2d(); if x < w && y < h { out[x * h + y] = 1.0; }",
        "let x = block_idx().x * block_dim().x + thread_idx().x; let y = thread_idx().y + block_dim().y * block_idx().y; if x < w && y < h { out[y * w + x] = 1.0; }",
        "let (x, y) = grid_2d(); if x < w && y < h { for c in 0..3 { out[(y * w + x) * 3 + c] = 1.0; } }",
        "let (x, y) = grid_2d(); let w = w32 as usize; if x < w && y < h { out[y * w + x] = 1.0; }",
        "let (x, y) = grid_2d(); if x > 0 && x + 1 < w && y > 0 && y + 1 < h { out[y * w + x] = 1.0; }",
        "let (x, y) = grid_2d(); let inside = x < w && y < h; if inside { out[y * w + x] = 1.0; }",
        "let (x, y) = grid_2d(); assert!(x < w); out[y * w + x] = 1.0;",
        // `y * (w + 1) + x`.
        "let (x, y) = grid_2d(); let v = x; if v < w { let x = x + y; out[y * w + x] = 1.0; }",
    ] {
        assert_proved(body, "2 2");
    }
    assert_proved("let (x, y, z) = grid_3d(); if x < w && y < h && z < n { out[(z * h + y) * w + x] = 1.0; }", "3 3");
    assert_proved("let (x, y, z) = grid_3d(); if x < w && y < h && z < n { out[z * h * w + x + y * w] = 1.0; }", "3 3");
}

#[test]
fn a_stride_that_could_wrap_is_left_to_the_launch() {
    let guarded = races("let (x, y) = grid_2d(); if x < w { out[y * w + x] = 1.0; }");
    assert!(guarded.contains(&format!("< +{}", 1u128 << 64)), "{guarded}");
    let guarded_sum = races("let (x, y) = grid_2d(); if x + n < w { out[y * w + x] = 1.0; }");
    assert!(guarded_sum.starts_with("proved 2 2 if -1+n+grid.x*block.x < +18446744073709551616"), "{guarded_sum}");
    let narrow = races("let (x, y) = grid_2d(); let w = w32 as usize; if x < w { out[y * w + x] = 1.0; }");
    assert_eq!(narrow, "proved 2 2", "a u32 stride cannot make an index wrap");
}

#[test]
fn tiles_with_a_constant_extent_are_proved() {
    let body = "let (tx, ty) = (thread_idx().x, thread_idx().y);
        let (col, row) = (block_idx().x * 16 + tx, block_idx().y * 16 + ty);
        if row < h && col < w { out[row * w + col] = 1.0; }";
    assert!(races_with("block = (16, 16)", &kernel_source(body)).starts_with("proved 2 2"));
    // Without a declared block, the launch must not use a wider one.
    let open = races(body);
    assert!(open.starts_with("proved 2 2") && open.contains("block.x < +16") && open.contains("block.y < +16"), "{open}");
    let named = body.replace("16", "TILE");
    assert!(races_with("block = (TILE, TILE)", &kernel_source(&named)).starts_with("proved 2 2"));
    assert!(races_with("block = 256", &kernel_source("out[block_idx().x * 256 + thread_idx().x] = 1.0;")).starts_with("proved 1 1"));
    assert!(races_with("block = 256", &kernel_source("out[block_idx().x * 128 + thread_idx().x] = 1.0;")).starts_with("unproved"));
}

#[test]
fn a_constant_of_the_body_may_not_hide_one_of_the_attribute() {
    let refused = |arguments: &str| {
        let errors = Errors::new();
        let body = "const TILE: usize = 8; out[block_idx().x * TILE + thread_idx().x] = 1.0;";
        check_rules(&kernel_with(arguments, &kernel_source(body)), &errors);
        errors.check().is_err()
    };
    assert!(refused("block = TILE"));
    assert!(refused("block = (16, 2 * (TILE))"));
    assert!(!refused("block = OTHER"));
}

#[test]
fn a_dividend_that_may_wrap_is_no_digit() {
    // Without the remainder, what is left reads `w * t`, but `a` is that modulo 2^64.
    let body = "let a = w * grid_1d(); let (q, r) = (a / h, a % h); if r < w && q < n { out[2 * r + q * h] = 1.0; }";
    assert_unproved(body);
}

#[test]
fn a_literal_that_may_have_another_value_is_no_stride() {
    assert_unproved("let s = 256u8 as usize; let t = thread_idx().x; if t < 256 { out[block_idx().x * s + t] = 1.0; }");
    // What a constant is, rustc says at launch.
    let constant = races("const S: u8 = 256; let t = thread_idx().x; if t < 256 { out[block_idx().x * S as usize + t] = 1.0; }");
    assert!(constant.starts_with("proved 1 1 if -1+block.x < +S"), "{constant}");
    assert_proved("let s = 255u8 as usize; let t = thread_idx().x; if t < 255 { out[block_idx().x * s + t] = 1.0; }", "1 1");
}

#[test]
fn one_writer_per_block_is_proved() {
    for body in [
        "if thread_idx().x == 0 { out[block_idx().x] = 1.0; }",
        "let t = thread_idx().x; if t != 0 { return; } out[block_idx().x] += 1.0;",
        "let t = thread_idx().x; if t < 1 { out[block_idx().x] = 1.0; }",
        "if n == thread_idx().x { out[block_idx().x] = 1.0; }",
        "let tile = shared::<[f32; 256]>(); let t = thread_idx().x; let mut s = block_dim().x / 2;
         while s > 0 { if t < s { tile[t] += tile[t + s]; } sync_threads(); s /= 2; }
         if t == 0 { out[block_idx().x] = tile[0]; }",
    ] {
        assert_proved(&body.replace("let tile", "let mut tile"), "1 1");
    }
    assert_proved("let t = thread_idx(); if t.x == 0 && t.y == 0 { out[block_idx().x] = 1.0; }", "1 2");
    let by_plane = "let (t, b) = (thread_idx(), block_idx()); if t.x == 0 && t.y == 0 && b.x < w { out[b.y * w + b.x] = 1.0; }";
    assert_proved(by_plane, "2 2");
}

#[test]
fn kernels_that_write_nothing_are_proved_for_any_launch() {
    assert_proved("let i = grid_1d(); if i < n { let _ = x[i] + out[0]; }", "3 3");
    assert_eq!(races_with("", "fn k(x: &[f32]) { let _ = x[0]; }"), "proved 3 3");
}

#[test]
fn indices_that_other_threads_share_are_refused() {
    for body in [
        "out[0] = 1.0;",
        "out[n] = 1.0;",
        "out[block_idx().x] = 1.0;",
        "let i = grid_1d(); if i < n { out[i / 2] = 1.0; }",
        "let i = grid_1d(); if i < n { out[i % 2] = 1.0; }",
        "let i = grid_1d(); if i < n { out[i & 7] = 1.0; }",
        "let i = grid_1d(); if i < n { out[ids[i] as usize] = 1.0; }",
        "let i = grid_1d(); out[i] = 1.0; out[i + 1] = 1.0;",
        "let i = grid_1d(); out[i] = out[i + 1];",
        "let i = grid_1d(); if i > 0 { out[i] = out[i - 1]; }",
        "let i = grid_1d(); out[i] = 1.0; out[n - i] = 1.0;",
        "let i = grid_1d(); out[2 * i] = 1.0; out[3 * i] = 1.0;",
        "let i = grid_1d(); out[2 * i] = 1.0; out[2 * i + 2] = 1.0;",
        "let i = grid_1d(); out[i] = 1.0; out[2 * i] = 1.0;",
        "let i = grid_1d(); for k in 0..3 { out[i + k] = 1.0; }",
        "let i = grid_1d(); for k in 0..3 { out[i * k] = 1.0; }",
        "let i = grid_1d(); for k in 0..=3 { out[i * 3 + k] = 1.0; }",
        "let i = grid_1d(); for k in 0..w { out[i * h + k] = 1.0; }",
        "for i in grid_stride(n) { out[i + 1] = 1.0; out[i] = 2.0; }",
        "for i in 0..n { out[i] = 1.0; }",
        "let i = grid_1d() as u16 as usize; out[i] = 1.0;",
        "let i = (grid_1d() as u16 * 2) as usize; out[i] = 1.0;",
        "let i = block_idx().x + thread_idx().x; out[i] = 1.0;",
        "let i = block_idx().x * n + thread_idx().x; for k in 0..2 { out[i + k] = 1.0; }",
        "let i = thread_idx().x * block_dim().x + block_idx().x; out[i] = 1.0;",
        "let i = grid_1d().min(n); out[i] = 1.0;",
        "let i = grid_1d(); out[if i < n { i } else { n }] = 1.0;",
        "let i = grid_1d(); out[i ^ 1] = out[i];",
        "let i = grid_1d(); out[i << 64 - 1] = 1.0;",
    ] {
        assert_unproved(body);
    }
}

/// Where the block is declared, the launch compares a row with what the kernel compares the column with.
#[test]
fn a_row_of_a_declared_block_is_as_long_as_what_is_used_of_it() {
    let source = "fn k(out: &mut [f32], w: usize, h: usize, pitch: usize) { let (x, y) = grid_2d(); if x < w && y < h { out[y * pitch + x] = 1.0; } }";
    let proof = races_with("block = (16, 16)", source);
    assert!(proof.starts_with("proved 2 2 if -1+w < +pitch"), "{proof}");
    assert!(races_with("", source).starts_with("unproved"));
}

#[test]
fn row_major_needs_the_guard_of_its_own_stride() {
    for body in [
        "let (x, y) = grid_2d(); out[y * w + x] = 1.0;",
        "let (x, y) = grid_2d(); if y * w + x < out.len() { out[y * w + x] = 1.0; }",
        "let (x, y) = grid_2d(); if x < w && y < h { out[y * h + x] = 1.0; }",
        "let (x, y) = grid_2d(); if x < h { out[y * w + x] = 1.0; }",
        "let (x, y) = grid_2d(); if x <= w { out[y * w + x] = 1.0; }",
        "let (x, y) = grid_2d(); if x < w || y < h { out[y * w + x] = 1.0; }",
        "let (x, y) = grid_2d(); if x < w { return; } out[y * w + x] = 1.0;",
        "let (x, y) = grid_2d(); if x < w { } else { out[y * w + x] = 1.0; }",
        "let (x, y) = grid_2d(); if x < w { } out[y * w + x] = 1.0;",
        "let (x, y) = grid_2d(); if y < w { out[y * w + x] = 1.0; }",
        "let (x, y) = grid_2d(); let ok = x < w; let x = x * 2 + 1; if ok { out[y * w + x] = 1.0; let x = x + 1; out[y * w + x] = 1.0; }",
        "let (mut x, y) = grid_2d(); if x < w { x *= 2; out[y * w + x] = 1.0; }",
        "let (x, y) = grid_2d(); let mut v = w; if x < v { v /= 2; out[y * v + x] = 1.0; }",
        "let (x, y) = grid_2d(); for w in 0..n { if x < w { out[y * w + x] = 1.0; } }",
        "let (x, y) = grid_2d(); let w = ids[y] as usize; if x < w { out[y * w + x] = 1.0; }",
        "let (x, y) = grid_2d(); debug_assert!(x < w); out[y * w + x] = 1.0;",
        "let (x, y) = grid_2d(); 'a: { if x >= w { break 'a; } } out[y * w + x] = 1.0;",
        "let (x, y) = grid_2d(); for _ in 0..1 { if x >= w { break; } } out[y * w + x] = 1.0;",
        "let (x, y) = grid_2d(); loop { if x >= w { break; } if y > 3 { break; } } out[y * w + x] = 1.0;",
        "let (x, y) = grid_2d(); let _ = x > 3 && { if x >= w { return; } true }; out[y * w + x] = 1.0;",
        "let (x, y) = grid_2d(); if x < w { out[y * w + x] = 1.0; out[y + x] = 1.0; }",
        "let (x, y) = grid_2d(); if x < w && y < h { out[y * w + x] = 1.0; out[x * h + y] = 1.0; }",
        "let (x, y) = grid_2d(); let xs = x as u8 as usize; if xs < w { out[y * w + xs] = 1.0; }",
        "let (x, y) = grid_2d(); if x - 1 < w { out[y * w + x] = 1.0; }",
        "let (x, y) = grid_2d(); if !(x < w && y < h) { out[y * w + x] = 1.0; }",
        "let (x, y) = grid_2d(); if (x as i8) < (w as i8) { out[y * w + x] = 1.0; }",
        "let (x, y) = grid_2d(); if (x as i32) < (h as i32) { out[y * w + x] = 1.0; }",
    ] {
        assert_unproved(body);
    }
}

#[test]
fn mutable_variables_tell_nothing() {
    for body in [
        "let mut i = grid_1d(); i /= 2; out[i] = 1.0;",
        "let mut i = grid_1d(); if i < n { i = 0; } out[i] = 1.0;",
        "let mut i = grid_1d(); while i < n { out[i] = 1.0; i += w; }",
        "let i; if n > 3 { i = grid_1d(); } else { i = 0; } out[i] = 1.0;",
        "let mut t = thread_idx().x; if t == 0 { t = 5; out[block_idx().x] = 1.0; } if t == 0 { out[block_idx().x] = 1.0; }",
        "let mut p = (grid_1d(), 0); p.0 = 3; out[p.0] = 1.0;",
        "let (mut a, mut b) = (grid_1d(), 0); (a, b) = (b, a); out[a] = 1.0; out[b] = 1.0;",
        "for mut i in grid_stride(n) { i /= 2; out[i] = 1.0; }",
        "let mut i = 0; debug_assert!({ i = grid_1d(); true }); out[i] = 1.0;",
    ] {
        assert_unproved(body);
    }
}

#[test]
fn the_writer_of_a_block_must_be_one_thread() {
    for body in [
        "let t = thread_idx().x; if t < 2 { out[block_idx().x] = 1.0; }",
        "let t = thread_idx().x; if t != 0 { out[block_idx().x] = 1.0; }",
        "let t = thread_idx().x; if t == 0 || n == 3 { out[block_idx().x] = 1.0; }",
        "let t = thread_idx().x; if t == 0 { out[block_idx().x] = 1.0; } if t == 1 { out[block_idx().x] = 2.0; }",
        "let t = thread_idx().x; if t == 0 { out[block_idx().x] = 1.0; } else { out[block_idx().x] = 2.0; }",
        "let t = thread_idx().x; if t == block_idx().x { out[block_idx().x + 1] = 1.0; out[0] = 1.0; }",
        "for k in 0..n { if thread_idx().x == k { out[block_idx().x] = 1.0; } }",
        "if thread_idx().y == 0 { out[block_idx().x] = 1.0; }",
        "if thread_idx().x % 32 == 0 { out[block_idx().x] = 1.0; }",
        "if thread_idx().x as u8 == 0 { out[block_idx().x] = 1.0; }",
    ] {
        assert_unproved(body);
    }
}

#[test]
fn arrays_that_leave_sight_are_refused() {
    assert_unproved("helper(out, grid_1d());");
    assert_unproved("let o = out; o[0] = 1.0;");
    assert_unproved("let i = grid_1d(); out[i] = 1.0; helper(out);");
    // Passing what is only read is fine.
    assert_proved("let i = grid_1d(); out[i] = helper(x, i);", "1 1");
}

#[test]
fn what_is_not_proved_is_named_with_its_line() {
    assert_eq!(
        races("let j = ids[grid_1d()] as usize;\nout[j] = 1.0;"),
        "unproved: line 3: `out[j]`: the index is not proved to differ between threads"
    );
    assert_eq!(
        races("out[ids[0] as usize] = 1.0; out[block_idx().x] = 1.0;"),
        "unproved: line 2: `out[ids[0] as usize]`: the index is the same for all threads; \
         line 2: `out[block_idx().x]`: the index is the same for all threads of a block"
    );
    assert_eq!(
        races("let i = grid_1d();\nout[i] = 1.0;\nout[i + 1] = 1.0;"),
        "unproved: line 4: `out[i + 1]`: another thread may have the same index in line 3: `out[i]`"
    );
    assert_eq!(
        races("let t = thread_idx().x;\nif t > 3 {\nsync_threads();\n}"),
        "unproved: line 4: `sync_threads()` is under a condition that can differ between threads of a block"
    );
}

fn struct_races(body: &str) -> String {
    races_with("", &format!("fn k(ps: &mut [P], q: &[P], c: P, n: usize, out: &mut [f32]) {{\n{body}\n}}"))
}

#[test]
fn a_part_of_an_element_belongs_to_the_thread_of_the_element() {
    for body in [
        "let i = grid_1d(); ps[i].x = 1.0; ps[i].at[2] += q[i].x; ps[i].pair.0 = ps[i].inner.y;",
        "let i = grid_1d(); if i < ps.len() { let mut p = ps[i]; p.at[c.k] = 2.0; ps[i] = p; }",
        "let i = grid_1d(); for k in 0..c.rounds { ps[i].rows[k][k].x = 0.0; }",
        "let mut tile = shared::<[P; 4]>(); let k: u32 = c.k; if k > 3 { sync_threads(); } out[grid_1d()] = q[0].x;",
        "let b = q[0].n; for _ in 0..b { sync_threads(); } out[grid_1d()] = 1.0;",
    ] {
        assert!(struct_races(body).starts_with("proved 1 1"), "{}: {body}", struct_races(body));
    }
}

#[test]
fn parts_of_elements_of_other_threads_are_not_proved() {
    for body in [
        "ps[0].x = 1.0;",
        "let i = grid_1d(); ps[i].x = ps[i + 1].y;",
        "ps[0].at[grid_1d()] = 1.0;",
        "ps[n].rows[grid_1d()].x += 1.0;",
        "let i = grid_1d(); ps[q[i].next].x = 1.0;",
        "out[c.k] = 1.0;",
        "let i = grid_1d(); let mut p = ps[i]; p.n = i; if p.n > 3 { sync_threads(); }",
        "let p = ps[grid_1d()]; if p.n > 3 { sync_threads(); }",
    ] {
        assert!(struct_races(body).starts_with("unproved"), "{}: {body}", struct_races(body));
    }
}

#[test]
fn atomics_are_shared_by_all_threads() {
    let with_atomics = |body: &str| {
        let params = "x: &[u32], counts: &[AtomicU32], out: &mut [u32]";
        races_with("", &format!("fn k({params}) {{\n{body}\n}}"))
    };
    for (body, axes) in [
        ("counts[0].fetch_add(1, Relaxed);", "3 3"),
        ("counts[x[0] as usize].store(x[1], Release); counts[grid_1d() / 2].swap(3, AcqRel);", "3 3"),
        ("out[grid_1d()] = counts[0].load(Relaxed);", "1 1"),
        ("out[counts[0].fetch_add(1, Relaxed) as usize] = 1;", "3 3 if +counts.is_shared < +1"),
        ("if grid_1d() == 0 && counts[0].swap(1, Relaxed) == 0 { out[0] = 1; }", "1 1"),
        ("while counts[0].compare_exchange(0, 1, Acquire, Relaxed).is_err() { spin_loop(); }", "3 3"),
    ] {
        assert!(with_atomics(body).starts_with(&format!("proved {axes}")), "{}: {body}", with_atomics(body));
    }
    let of_bytes = "fn k(bytes: &[AtomicU8], out: &mut [u32]) { out[bytes[0].fetch_add(1, Relaxed) as usize] = 1; }";
    assert!(races_with("", of_bytes).starts_with("unproved"));
    for body in [
        // What an atomic holds differs between threads and moments.
        "out[counts[0].fetch_max(1, Relaxed) as usize] = 1;",
        "if counts[0].load(Relaxed) == 0 { sync_threads(); }",
        "if thread_idx().x == counts[0].load(Relaxed) as usize { out[block_idx().x] = 1; }",
        "let k = counts[0].load(Relaxed); for i in 0..k { sync_threads(); }",
        "while counts[0].swap(1, Relaxed) == 1 { sync_threads(); }",
        "let own = shared::<[AtomicU32; 4]>(); if own[0].load(Relaxed) > 0 { sync_threads(); }",
        "let i = grid_1d(); out[i] = 1; counts[{ out[i + 1] = 2; 0 }].store({ out[i] = 3; 1 }, Relaxed);",
        // A counter that is changed by another name.
        "let count = &counts[0]; count.store(0, Relaxed); out[counts[0].fetch_add(1, Relaxed) as usize] = 1;",
        "reset(&counts[0]); out[counts[0].fetch_add(1, Relaxed) as usize] = 1;",
        "let count = &counts[0]; out[count.fetch_add(1, Relaxed) as usize] = 1;",
    ] {
        assert!(with_atomics(body).starts_with("unproved"), "{}: {body}", with_atomics(body));
    }
}

#[test]
fn a_counter_that_may_go_down_gives_no_tickets() {
    let drawn = |arrays: &str, body: &str| {
        let params = format!("x: &[i32], n: i32, m: u32, out: &mut [u32], {arrays}");
        races_with("", &format!("fn k({params}) {{ let slot = counter[0].fetch_add(1, Relaxed) as usize; out[slot] += 1; {body} }}"))
    };
    let signed = |body: &str| drawn("counter: &[AtomicI32]", body);
    for body in
        ["", "counter[0].fetch_add(1, Relaxed);", "counter[1].fetch_add(m as i32 % 4 & 3, Relaxed);", "let a = counter[0].load(Relaxed);"]
    {
        assert!(signed(body).starts_with("proved"), "{}: {body}", signed(body));
    }
    for body in [
        "counter[0].fetch_add(-1, Relaxed);",
        "counter[x[0] as usize].fetch_add(n, Relaxed);",
        "counter[0].fetch_add(x[0], Relaxed);",
        "if slot > 3 { let down = counter[0].fetch_add(m as i32, Relaxed); }",
        "for i in 0..2 { counter[i].fetch_add(1 - 2 * i as i32, Relaxed); }",
        "let add = |by: i32| { counter[0].fetch_add(by, Relaxed); }; add(-1);",
        "counter[0].fetch_sub(1, Relaxed);",
        "counter[0].swap(0, Relaxed);",
        "counter[0].store(0, Relaxed);",
        "counter[0].fetch_max(3, Relaxed);",
        "counter[0].fetch_min(3, Relaxed);",
        "counter[0].fetch_and(3, Relaxed);",
        "counter[0].fetch_xor(1, Relaxed);",
        "counter[0].compare_exchange(1, 0, Relaxed, Relaxed).is_ok();",
    ] {
        assert!(signed(body).starts_with("unproved"), "{}: {body}", signed(body));
    }
    // 64 bits, to which a little may be added for years.
    for body in ["counter[0].fetch_add(-1, Relaxed);", "counter[0].fetch_add(n as i64, Relaxed);"] {
        let wide = drawn("counter: &[AtomicI64]", body);
        assert!(wide.starts_with("unproved"), "{wide}: {body}");
    }
}

#[test]
fn a_match_keeps_what_is_known_outside() {
    for body in [
        "let i = grid_1d(); match w { 0 => out[i] = 1.0, k => out[i] = k as f32 }",
        "let i = grid_1d(); if let 0..=9 = i && i < n { out[i] = x[i]; } else { out[i] = 2.0; }",
        "match grid_1d() { i if i < n => out[i] = 1.0, i => out[i] = 2.0 }",
        "let (i @ 0..=99, k) = (grid_1d(), w) else { return; }; out[i] = k as f32;",
        "let Some(k) = w.checked_add(1) else { return; }; out[grid_1d()] = k as f32;",
        "let a = match w { 0 => 1.0, _ => 2.0 }; out[grid_1d()] = a;",
    ] {
        assert_proved(body, "1 1");
    }
}

#[test]
fn a_name_in_a_pattern_is_not_taken_for_a_thread() {
    for body in [
        "if let Some(i) = grid_1d().checked_sub(1) { out[i] = 1.0; }",
        "let i = match grid_1d() { 0 => 1, i => i }; out[i] = 1.0;",
        "match (grid_1d(), w) { (i, 0) | (_, i) => out[i] = 1.0 }",
        "let [i, _] = [w, grid_1d()]; out[i] = 1.0;",
        "let i = grid_1d().checked_mul(2).unwrap_or(7); out[i] = 1.0;",
        "let mut i = grid_1d(); match w { 3 => i = 3, _ => {} } out[i] = 1.0;",
        "let i = grid_1d(); match w { mut k => { k = i / 2; out[k] = 1.0; } }",
        "let mut i = grid_1d(); while let 5.. = i { i = i - 1; } out[i] = 1.0;",
        "let mut i = grid_1d(); let 0 = w else { i = 2; out[i] = 1.0; return; };",
    ] {
        assert_unproved(body);
    }
}

#[test]
fn closures_read_their_own_elements_or_are_not_proved() {
    assert_proved("let i = grid_1d(); let f = |v: f32| out[i] * v; if i < n { out[i] = f(2.0); }", "1 1");
    assert_proved("let i = grid_1d(); let f = |k: usize| x[k]; if i < n { out[i] = f(i + 1) + f(0); }", "1 1");
    assert_unproved("let i = grid_1d(); let f = |k: usize| out[k]; if i < n { out[i] = f(i); }");
    assert_unproved("let i = grid_1d(); let f = || out[0]; out[i] = f();");
    let signed = |call: &str| {
        format!(
            "let i = grid_1d() as i32; let f = |k: i32| out[k as usize]; if i >= 0 && i < n as i32 {{ let v = {call}; out[i as usize] = v; }}"
        )
    };
    assert_unproved(&signed("f(i + 1)"));
    assert_unproved(&signed("f(0)"));
}

/// Safe code can write what kernels call as an operator or a method by hand, and compute anything in it.
#[test]
fn operators_and_methods_of_other_types_than_numbers_may_return_anything() {
    let shifted = |parts: &str| {
        format!("let p = P {{ v: thread_idx().x }}; {parts} let i = grid_1d() + a as usize - b as usize; if i < n {{ out[i] = 1.0; }}")
    };
    for same in ["let a = p.v; let b = a;", "let a = p.v; let b = p.v;", "let a = p.v + ONE.w; let b = a;", "let a = f(n).v; let b = a;"] {
        assert_proved(&shifted(same), "1 1");
    }
    assert_proved(&shifted("let a = n.max(1); let b = n.max(1);"), "1 1");
    // A constant beside a literal has the type of that: it is a number.
    assert_proved(&shifted("let a = ONE != 1; let b = ONE != 1;"), "1 1");
    for differs in [
        "let a = p + 1u32; let b = p + 1u32;",
        "let a = p.v + 1; let b = p.v + 1;",
        "let a = ONE + ONE; let b = ONE + ONE;",
        "let a = -p; let b = -p;",
        "let a = p.max(1u32); let b = p.max(1u32);",
        "let a = ONE.max(TWO); let b = ONE.max(TWO);",
        "let a = usize::from(p); let b = usize::from(p);",
        "let a = p == p; let b = p == p;",
        "let a = ONE != TWO; let b = ONE != TWO;",
        "let mut a = p; let mut b = p; a += 1u32; b += 1u32;",
        "let a = p + (1u32, 2u32); let b = p + (1u32, 3u32);",
        "let a = p + None::<A>; let b = p + None::<B>;",
    ] {
        assert_unproved(&shifted(differs));
    }
    // Threads need not agree on what it returns.
    let meet =
        |condition: &str| races_with("", &format!("fn k(p: P, q: P, n: usize) {{ let mut a = p; {condition} {{ sync_threads(); }} }}"));
    for agreed in ["if n == 1", "match p { P::A => {} _ => sync_threads() } if true"] {
        assert!(meet(agreed).starts_with("proved"), "{agreed}: {}", meet(agreed));
    }
    for own in ["if p == q", "if p < q", "if p.v == 1", "if (p + q).is", "a += q; if a.is", "a.v += q.v; if a.v.is"] {
        assert!(meet(own).starts_with("unproved"), "{own}: {}", meet(own));
    }
}

#[test]
fn the_scope_of_a_block_is_for_what_no_other_block_uses() {
    let of = |body: &str| {
        races_with("", &format!("fn k(a: &[AtomicU32]) {{ let own = shared::<[AtomicU32; 8]>(); let i = grid_1d(); {body} }}"))
    };
    assert!(of("a[i].fetch_add(1, Relaxed); own[i].block_scope().fetch_add(1, Relaxed);").starts_with("proved"));
    assert!(of("a[i].system_scope().fetch_add(1, Relaxed);").starts_with("proved"));
    for body in ["a[i].block_scope().fetch_add(1, Relaxed);", "let n = if i > 3 { a[0].block_scope().load(Relaxed) } else { 0 };"] {
        assert!(of(body).contains("an element of `a` is used with block scope"), "{body}");
    }
}

#[test]
fn a_const_parameter_is_as_long_as_the_range_of_a_thread() {
    let each = |body: &str| {
        let source = format!("fn k<const TILE: usize>(n: usize, out: &mut [f32]) {{ let i = grid_1d(); {body} }}");
        races_with("", &source)
    };
    for body in ["for k in 0..TILE { out[i * TILE + k] = 1.0; }", "for v in &mut out[i * TILE..(i + 1) * TILE] { *v = 1.0; }"] {
        let result = each(body);
        assert!(result.starts_with("proved 1 1 if -1+grid.x*block.x*TILE < +18446744073709551616"), "{result}: {body}");
    }
    assert_eq!(
        each("let a = i * TILE; if a < n { out[a..(a + TILE).min(n)].fill(1.0); }"),
        "proved 1 1 if -1+n+grid.x*block.x*TILE-TILE < +18446744073709551616"
    );
    // The last element is one of the array.
    assert_eq!(each("if i < out.len() / TILE { for k in 0..TILE { out[i * TILE + k] = 1.0; } }"), "proved 1 1");
    // The first element of the next thread, and a range that is one element longer than the distance.
    for body in [
        "for k in 0..=TILE { out[i * TILE + k] = 1.0; }",
        "for v in &mut out[i * TILE..(i + 1) * TILE + 1] { *v = 1.0; }",
        "let a = i * TILE; if a < n { out[a..(a + TILE + 1).min(n)].fill(1.0); }",
        "for k in 0..TILE { out[i + k] = 1.0; }",
    ] {
        let result = each(body);
        assert!(result.starts_with("unproved"), "{result}: {body}");
    }
}

#[test]
fn only_a_count_near_the_largest_number_takes_a_strided_counter_past_it() {
    let overflows = |count: &str| {
        let function = kernel(&format!("fn k(x: &[f32], n: usize, m: u32, out: &mut [f32]) {{ for i in grid_stride({count}) {{ }} }}"));
        !walk(&function).overflowing_strides.is_empty()
    };
    for count in ["x.len()", "out.len() / 2", "x.len().min(n)", "1000", "m as usize", "m as usize * 1024", "n % 1024", "n / 2"] {
        assert!(!overflows(count), "{count}");
    }
    for count in ["n", "n + 1", "x.len() * n", "x.len() - 1", "usize::MAX", "sizes::SIDE", "18446744073709551615", "!m as usize * n"] {
        assert!(overflows(count), "{count}");
    }
}
