//! Variables that change, paths that join, and signed integers.

/// The bound of the last index of a kernel with this body.
fn last(body: &str) -> String {
    let source = format!("fn k(x: &[f32], out: &mut [f32], n: usize, m: usize, s: u32, d: i32, e: isize) {{ {body} }}");
    super::bounds::bounds(&source).pop().expect("an index")
}

fn assert_bounds(rows: &[(&str, &str)]) {
    let wrong = rows.iter().map(|(body, expected)| (body, last(body), expected)).filter(|(_, found, expected)| found != *expected);
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_passed_check_is_a_fact() {
    assert_bounds(&[
        ("let i = x[0] as usize; out[i] = 1.0; out[i] += 1.0;", "always"),
        ("let i = x[0] as usize; let v = x[i]; if v > 0.0 { x[i]; }", "always"),
        ("let i = x[0] as usize; if n < 3 && x[i] > 0.0 { x[i]; }", "always"),
        ("let i = x[0] as usize; if n < 3 || x[i] > 0.0 { return; } x[i];", "always"),
        ("let a = [1.0; 8]; let i = x[0] as usize; let v = a[i]; let b = [v; 9]; b[i + 1];", "always"),
        // A guard says more than the length of another array.
        ("let i = grid_1d(); if i < n { out[i] = x[i]; }", "-1+n < +out.len"),
    ]);
    assert_bounds(&[
        // On another path.
        ("let i = x[0] as usize; if n < 3 { out[i] = 1.0; } out[i] = 2.0;", "unknown"),
        ("let i = x[0] as usize; let _ = n < 3 || x[i] > 0.0; x[i];", "unknown"),
        ("let i = x[0] as usize; for _ in 0..n { out[i] = 1.0; } out[i] = 2.0;", "unknown"),
        // Of another array, or another index.
        ("let i = x[0] as usize; x[i]; out[i] = 1.0;", "-1+x.len < +out.len"),
        ("let i = x[0] as usize; out[i] = 1.0; out[i + 1] = 1.0;", "unknown"),
    ]);
}

#[test]
fn a_variable_has_the_value_of_its_last_assignment() {
    assert_bounds(&[
        ("let mut i = grid_1d(); if i < n { i += 1; out[i] = 1.0; }", "+n < +out.len"),
        ("let mut i = n; i = 3; out[i] = 1.0;", "+3 < +out.len"),
        ("let mut i = n; if m > 3 { i = m; } else { i = m; } out[i] = 1.0;", "+m < +out.len"),
        ("let (mut i, mut j) = (n, m); (i, j) = (j, i); out[i] = 1.0;", "+m < +out.len"),
        ("let mut i = n; if m > 3 { i = 7; return; } out[i] = 1.0;", "+n < +out.len"),
        ("let mut i = n; i %= 8; let a = [1.0; 8]; a[i];", "always"),
        ("let mut i = n; 'a: { if m > 3 { break 'a; } i = 2; } let a = [1.0; 8]; a[i];", "+n < +8"),
        ("let mut i = 1; 'a: { if m > 3 { break 'a; } i = 2; } let a = [1.0; 3]; a[i];", "always"),
        ("let mut i = 1; let _ = m > 3 && { i = 9; true }; let a = [1.0; 3]; a[i];", "unknown"),
        ("let mut i = 1; let f = |k: usize| k + i; let a = [1.0; 3]; a[f(1)];", "always"),
        ("let mut i = 9; i = 1; let f = |k: usize| k + i; let a = [1.0; 3]; a[f(1)];", "always"),
        ("let mut i = 1; i = 9; let f = |k: usize| k + i; let a = [1.0; 3]; a[f(1)];", "unknown"),
        ("let mut i = 9; let f = move |k: usize| k + i; i = 1; let a = [1.0; 3]; a[f(1)];", "unknown"),
        ("let mut i = 1; for _ in 0..n { let a = [1.0; 3]; a[i]; i = 2; }", "always"),
        ("let mut i = 1; for _ in 0..n { let a = [1.0; 3]; a[i]; i = 3; }", "unknown"),
        ("let mut i = 1; for _ in 0..n { let a = [1.0; 3]; a[i]; if m > 3 { i = 3; continue; } i = 1; }", "unknown"),
        ("let mut i = 1; loop { if m > 3 { i = 5; break; } i = 2; } let a = [1.0; 3]; a[i];", "unknown"),
        ("let mut i = 1; loop { if m > 3 { i = 0; break; } i = 2; } let a = [1.0; 3]; a[i];", "always"),
    ]);
}

#[test]
fn what_all_paths_show_holds_where_they_join() {
    assert_bounds(&[
        ("let i; if n > 3 { i = 5; } else { i = 6; } let a = [1.0; 7]; a[i];", "always"),
        ("let i = if n > 3 { 5 } else { 6 }; let a = [1.0; 7]; a[i];", "always"),
        ("let i = match n { 0 => 2, 1 => 3, k => k % 4 }; let a = [1.0; 4]; a[i];", "always"),
        ("let i = grid_1d(); let j = if i < n { i } else { return; }; out[j] = 1.0;", "-1+n < +out.len"),
        ("let i = grid_1d(); if i < n { let j = if m > 3 { i / 2 } else { i }; out[j] = 1.0; }", "-1+n < +out.len"),
        ("let i = x[0] as usize; if m > 3 { assert!(i < n); } else if i >= n { return; } out[i] = 1.0;", "-1+n < +out.len"),
        ("let i = x[0] as usize; if m > 3 { assert!(i < n); } out[i] = 1.0;", "unknown"),
        ("let i = x[0] as usize; match m { 0 => assert!(i < n), 1 => return, _ => assert!(i < n) } out[i] = 1.0;", "-1+n < +out.len"),
        ("let i = x[0] as usize; { assert!(i < n); } out[i] = 1.0;", "-1+n < +out.len"),
        ("let mut i = n; while i > 9 { i /= 2; } let a = [1.0; 10]; a[i];", "always"),
        ("let mut i = n; while i > 9 { i /= 2; if m == 3 { break; } } let a = [1.0; 10]; a[i];", "-10+n < +10"),
    ]);
}

#[test]
fn what_one_path_knows_of_a_value_ends_where_paths_join() {
    assert_bounds(&[
        // One form on both paths, with a range and an exactness of each.
        ("let v = if n < 10 { n + 0 } else { n + 0 }; let a = [1.0; 10]; a[v];", "+n < +10"),
        ("let v; if n < 10 { v = n + 0; } else { v = n + 0; } let a = [1.0; 10]; a[v];", "+n < +10"),
        ("let v = match n { 0..=9 => n + 0, _ => n + 0 }; let a = [1.0; 10]; a[v];", "+n < +10"),
        ("let mut v = 0; loop { if n < 10 { v = n + 0; break; } v = n + 0; break; } let a = [1.0; 10]; a[v];", "+n < +10"),
        ("let i = grid_1d(); let d = if m <= n { n - m } else { n - m }; if i < d && n <= out.len() { out[i + m] = 1.0; }", "-1+m < +n"),
        // And a fact of both.
        ("let i = grid_1d(); if n < 5 { assert!(i < n * 2); } else { assert!(i < n * 2); } let a = [1.0; 10]; a[i];", "-1+2*n < +10"),
        ("let k = x[0] as usize; if n > 100 { assert!(k > n + 0); } else { assert!(k > n + 0); } x[k - 90];", "unknown"),
        // What may not be evaluated, and what is evaluated although its arm is not taken.
        ("let k = x[0] as usize; debug_assert!(x[k] < 5.0); x[k];", "unknown"),
        ("let mut k = 0; match n { 5 if { k = 100; false } => {} _ => {} } let a = [1.0; 4]; a[k];", "unknown"),
    ]);
}

#[test]
fn what_is_at_most_a_sum_need_not_be_the_sum() {
    assert_bounds(&[
        ("let b = n | m; let i = grid_1d(); if i < x.len() && b <= i { out[i - b] = 1.0; }", "-1+x.len < +out.len"),
        ("let i = grid_1d(); if i < 4 { out[(n ^ m).wrapping_sub(i)] = 1.0; }", "unknown"),
        ("let i = grid_1d(); if i < 9 { out[(3usize | 5).wrapping_sub(i)] = 1.0; }", "unknown"),
        ("let i = grid_1d(); let a = s.wrapping_add(s) as usize; if i < 9 { out[a.wrapping_sub(i)] = 1.0; }", "unknown"),
        ("let (a, b) = (s as usize, (s << 1) as usize); if b <= a { out[a - b] = 1.0; }", "+s < +out.len"),
        ("let i = grid_1d(); if i < 9 { out[n.saturating_add(m).wrapping_sub(i)] = 1.0; }", "unknown"),
        ("let q = x[0] as usize; let a = [1.0; 4]; a[n / (q | 1)];", "+3+n < +4"),
    ]);
}

#[test]
fn a_loop_that_only_lowers_or_raises_a_variable_keeps_the_first_bound() {
    assert_bounds(&[
        ("let mut i = n; while i > 0 { i -= 1; out[i] = 1.0; }", "-1+n < +out.len"),
        ("let mut i = n; while i > 0 { i /= 2; out[i] = 1.0; }", "+n < +2*out.len"),
        ("let mut i = 0; while i < n { out[i] = 1.0; i += 1; }", "-1+n < +out.len"),
        ("let mut i = grid_1d(); while i < n { out[i] = 1.0; i += 7; }", "-1+n < +out.len"),
        (
            "let (mut a, mut b) = (0, n); while a < b { let c = a + (b - a) / 2; x[c]; if m < c { b = c; } else { a = c + 1; } }",
            "-1+n < +x.len",
        ),
        ("let mut i = n; loop { if i == 0 { break; } i -= 1; out[i] = 1.0; }", "-1+n < +out.len"),
        ("let mut i = n; for _ in 0..m { out[i] = 1.0; if i > 2 { i -= 2; continue; } i = 0; }", "+n < +out.len"),
        // Not if one way back raises it, or it wraps around.
        ("let mut i = n; for _ in 0..m { out[i] = 1.0; if i > 2 { i += 2; continue; } i = 0; }", "unknown"),
        ("let mut i = n; for _ in 0..m { i -= 1; out[i] = 1.0; }", "-1+n < +out.len and -1+m < +n"),
    ]);
}

#[test]
fn signed_coordinates_are_words() {
    assert_bounds(&[
        ("let i = grid_1d() as isize - 1; if i >= 0 && i < n as isize { out[i as usize] = 1.0; }", "-1+n < +out.len"),
        ("let i = grid_1d() as isize - 1; if i < n as isize && 0 <= i { out[i as usize] = 1.0; }", "-1+n < +out.len"),
        ("let i = grid_1d() as isize - e; if i >= 0 && (i as usize) < n { out[i as usize] = 1.0; }", "-1+n < +out.len"),
        ("let i = grid_1d() as isize - e; if i < 0 || i >= n as isize { return; } out[i as usize] = 1.0;", "-1+n < +out.len"),
        ("if d >= 0 && d < 5 { let a = [1.0; 5]; a[d as usize]; }", "always"),
        ("if d > -1 && d <= 4 { let a = [1.0; 5]; a[d as usize]; }", "always"),
        ("let i = d.max(0).min(4); let a = [1.0; 5]; a[i as usize];", "always"),
        ("let i = d % 5; let a = [1.0; 5]; a[i as usize];", "+d < +2147483648"),
        ("let i = d.min(4); let a = [1.0; 5]; a[i as usize];", "-1+d < +2147483647"),
        ("let i = d.clamp(0, 4); let a = [1.0; 5]; a[i as usize];", "always"),
        ("let i = (grid_1d() as isize + e).clamp(0, n as isize - 1) as usize; out[i] = 1.0;", "-1+n < +out.len and +0 < +n"),
        ("let i = d.rem_euclid(5); let a = [1.0; 5]; a[i as usize];", "always"),
        ("let i = d & 3; let a = [1.0; 4]; a[i as usize];", "always"),
        ("for k in -1i32..=1 { let a = [1.0; 3]; a[(k + 1) as usize]; }", "always"),
        ("let t = thread_idx().x as i32; let a = [1.0; 1024]; a[t as usize];", "always"),
    ]);
    assert_bounds(&[
        ("let d = x[0] as i32; if d < 5 { let a = [1.0; 5]; a[d as usize]; }", "unknown"),
        ("let d = x[0] as i32; if d >= -1 && d < 4 { let a = [1.0; 5]; a[d as usize]; }", "unknown"),
        ("let d = x[0] as i32; let i = d % 5; let a = [1.0; 5]; a[i as usize];", "unknown"),
        ("let d = x[0] as i32; let i = d.min(4); let a = [1.0; 5]; a[i as usize];", "unknown"),
        ("if d >= 0 { let a = [1.0; 5]; a[(d * 2) as usize % 5]; }", "always"),
        ("let d = x[0] as i32; if d >= 0 && d < 3 { let a = [1.0; 5]; a[(d - 1) as usize]; }", "unknown"),
        ("if e >= 0 && e < 5 { let a = [1.0; 5]; a[(e + 0x7fff_ffff_ffff_ffff) as usize]; }", "unknown"),
        ("if d as u8 >= 250 { let a = [1.0; 6]; a[(d as u8 - 250) as usize]; }", "always"),
        ("let d = x[0] as i32; if (d as u8) < 5 { let a = [1.0; 5]; a[d as usize]; }", "unknown"),
        ("if d >= 0 && d < 5 { let a = [1.0; 5]; a[d as u8 as usize]; }", "always"),
        ("if d as i64 as usize <= 4 { let a = [1.0; 5]; a[d as usize]; }", "always"),
    ]);
}

#[test]
fn ranges_follow_from_operations() {
    assert_bounds(&[
        ("let a = [1.0; 32]; a[lane_id()];", "always"),
        ("let a = [1.0; 32]; a[warp_id()];", "always"),
        ("let a = [1.0; 31]; a[lane_id()];", "-1+block.x*block.y*block.z < +31"),
        ("let a = [1.0; 8]; a[(n & 3) + (m & 4)];", "always"),
        ("let a = [1.0; 8]; a[n & 3 | m & 4];", "always"),
        ("let a = [1.0; 7]; a[n & 3 | m & 4];", "+4+n-4*(+n/+4) < +7"),
        ("let a = [1.0; 8]; a[n.clamp(2, 9) - 2];", "always"),
        ("let a = [1.0; 7]; a[n.clamp(2, 9) - 2];", "+n < +7"),
        ("let a = [1.0; 8]; a[n.max(2).min(9) - 2];", "always"),
        ("let a = [1.0; 8]; a[(n % 8).saturating_sub(m)];", "always"),
        ("let a = [1.0; 4]; a[s as usize >> 30];", "always"),
        ("let i = grid_1d(); if i < n / 2 { out[n - 1 - i] = 1.0; }", "-1+n < +out.len"),
        ("let i = n - m; if i < 5 { let a = [1.0; 5]; a[i]; }", "always"),
        ("let i = grid_1d(); if i >= 2 && i - 2 < n { out[i - 1] = 1.0; }", "+n < +out.len"),
    ]);
}

#[test]
fn the_quotient_of_a_constant_is_a_constant() {
    let bound = |body: &str| super::bounds::bounds(&format!("fn k<const TILE: usize>(x: &[f32], n: usize) {{ {body} }}")).pop();
    assert_eq!(bound("let a = [1.0; TILE / 2]; if n < TILE / 2 { a[n]; }").as_deref(), Some("always"));
    assert_eq!(bound("let a = [1.0; TILE]; if n < TILE / 2 { a[n + TILE / 2]; }").as_deref(), Some("always"));
    assert_eq!(bound("let a = [1.0; TILE]; if n < TILE >> 1 { a[n]; }").as_deref(), Some("always"));
}

#[test]
fn what_grows_by_the_same_in_each_iteration_is_a_polynomial_of_the_counter() {
    assert_bounds(&[
        ("let mut at = grid_1d(); if at < m { for _ in 0..n { out[at] = 1.0; at += m; } }", "-1+n*m < +out.len"),
        ("let mut at = m; for _ in 3..n { x[at]; at += 2; }", "-8+2*n+m < +x.len"),
        // The step may be known to the launch, of whatever it consists, and the variable may shrink.
        ("let mut at = n; for k in 0..n { at -= 1; x[at + k]; }", "-1+n < +x.len"),
        // After the loop, and in loops in each other.
        ("let mut i = n; for _ in 0..m { out[i] = 1.0; for _ in 0..m { i += 1; } }", "+n-m+m*m < +out.len"),
        ("let mut at = 0; for k in 0..n { if x[k] > 1.0 { break; } at += m; } x[at];", "+n*m < +x.len"),
        ("let mut at = 0; for _ in 0..n { at += m; } x[at];", "+n*m < +x.len"),
        ("let mut at = 2; for _ in 0..=n { at += m; } for _ in 0..n { at += m; } x[3];", "+3 < +x.len"),
        ("let a = [1.0; 9]; let mut k = 0; for _ in 0..3 { for _ in 0..3 { a[k]; k += 1; } }", "always"),
        ("let a = [1.0; 9]; let mut k = 0i32; for _ in 0..3 { for _ in 0..3 { a[k as usize]; k += 1; } }", "always"),
        // Between what is added, and with a way back that adds the same.
        (
            "let mut at = 0; for k in 0..n { at += m; x[at - m]; if k % 3 == s as usize { at += m; continue; } at += m; }",
            "+2*n*m-2*m < +x.len",
        ),
    ]);
    assert_bounds(&[
        // Not in each iteration, or not the same, or one that the launch does not know.
        ("let mut at = 0; for k in 0..n { x[at]; if k % 3 == s as usize { continue; } at += m; }", "unknown"),
        ("let mut at = 0; for k in 0..n { x[at]; if k % 3 == s as usize { at += 1; } else { at += m; } }", "unknown"),
        ("let mut at = 0; for k in 0..n { x[at]; at += k; }", "unknown"),
        ("let mut at = 0; for _ in 0..n { x[at]; at += grid_1d(); }", "unknown"),
        // After the loop, nothing says how often it ran.
        ("let mut at = 0; for _ in m..n { at += 2; } x[at];", "unknown"),
        ("let mut at = 0; for k in m..n { if x[k] > 1.0 { break; } at += 2; } x[at];", "unknown"),
        // Counters that skip numbers.
        ("let mut at = 0; for _ in (0..n).step_by(3) { x[at]; at += m; }", "unknown"),
        ("let mut at = 0; for _ in (0..n).rev() { x[at]; at += m; }", "unknown"),
    ]);
}

#[test]
fn what_goes_up_by_steps_ends_at_the_last_of_them() {
    assert_bounds(&[
        ("let a = [1.0; 32]; for i in (0..32).step_by(8) { a[i + 7]; }", "always"),
        ("let a = [1.0; 32]; for i in (3..32).step_by(8) { a[i + 4]; }", "always"),
        ("let a = [1.0; 33]; for i in (0..=32).step_by(8) { a[i]; }", "always"),
        ("let a = [1.0; 32]; let mut i = 0; while i < 32 { a[i + 7]; i += 8; }", "always"),
        ("let a = [1.0; 32]; let mut i = 0i32; while i < 31 { a[(i + 7) as usize]; i += 8; }", "always"),
        ("let a = [1.0; 32]; let mut i = 0; while 32 > i { if n > 3 { i += 8; continue; } a[i + 7]; i += 8; }", "always"),
    ]);
    for body in [
        "let a = [1.0; 32]; for i in (0..32).step_by(7) { a[i + 7]; }",
        "let a = [1.0; 32]; for i in (3..32).step_by(8) { a[i + 5]; }",
        "let a = [1.0; 32]; for i in (n % 2..32).step_by(8) { a[i + 7]; }",
        "let a = [1.0; 32]; let mut i = 0; while i < 32 { a[i + 8]; i += 8; }",
        "let a = [1.0; 32]; let mut i = 0; while i < 32 { i += 8; a[i - 1 + 1]; }",
        "let a = [1.0; 32]; let mut i = 0; while i < 32 { a[i + 7]; if n > 3 { i += 1; continue; } i += 8; }",
        "let a = [1.0; 32]; let mut i = 0; while i != 33 { a[i + 7]; i += 8; if i < 32 { } }",
    ] {
        assert_ne!(last(body), "always", "{body}");
    }
}

#[test]
fn what_is_set_again_stays_in_its_range() {
    assert_bounds(&[
        ("let mut slot = grid_1d() % n; while x[slot] > 0.0 { slot = (slot + 1) % n; }", "-1+n < +x.len"),
        (
            "let mut slot = s % 9; for k in 0..n { slot = if k > m { (slot + 1) % 9 } else { 3 * slot % 9 }; x[slot as usize]; }",
            "+8 < +x.len",
        ),
        ("let a = [1.0; 129]; let mut d = 128i32; while d > 0 { a[d as usize]; d /= 2; }", "always"),
        ("let a = [1.0; 513]; let mut d = block_dim().x as i32 / 2; while d > 0 { a[d as usize]; d >>= 1; }", "always"),
        ("let mut k = m; for _ in 0..n { x[k]; while k < 9 { k += 1; } k = m; } x[k];", "+m < +x.len"),
        (
            "if d >= 0 && d < 5 { let a = [1.0; 5]; let mut k = d; for _ in 0..n { a[k as usize]; k -= 1; if k < 9 { k = d; } else { k = d; } } }",
            "always",
        ),
    ]);
    assert_bounds(&[
        ("let mut slot = grid_1d() % n; while x[slot] > 0.0 { slot = (slot + 1) % m; }", "unknown"),
        ("let mut slot = grid_1d() % n; while x[slot] > 0.0 { slot = slot % n + 1; }", "unknown"),
        ("let mut k = m; for j in 0..n { x[k]; k = if j > 3 { m } else { m + j }; }", "unknown"),
    ]);
}

#[test]
fn a_range_at_the_head_of_a_loop_ends_where_a_number_of_the_function_does() {
    assert_bounds(&[
        // A search with a depth that goes up and down.
        (
            "let a = [1.0; 15]; let mut d = 6; loop { a[d]; if x[0] > 1.0 { d -= 1; if d < 6 { break; } } else { if d != 14 { d += 1; } } }",
            "+0 < +x.len",
        ),
        ("let a = [1.0; 15]; let mut d = 6; while d > 0 { if x[0] > 1.0 { d -= 1; } else if d < 14 { d += 1; } a[d]; }", "always"),
        ("let a = [1.0; 9]; let mut d = 0; loop { a[d]; if d == 8 { break; } d += 1; }", "always"),
        ("let a = [1.0; 9]; let mut d = 0; loop { d += 1; if d == 9 { d = 0; } a[d]; }", "always"),
    ]);
    assert_bounds(&[
        ("let a = [1.0; 9]; let mut d = 0; loop { d += 1; if d == 10 { d = 0; } a[d]; }", "unknown"),
        ("let a = [1.0; 9]; let mut d = 0; loop { a[d]; if d == 8 { break; } d += 2; }", "unknown"),
        ("let a = [1.0; 9]; let mut d = 6; loop { a[d]; if x[0] > 1.0 { d -= 1; } else if d != 8 { d += 1; } }", "+0 < +x.len"),
        ("let a = [1.0; 9]; let mut d = 6; loop { if x[0] > 1.0 { d -= 1; } else if d != 8 { d += 1; } a[d]; }", "unknown"),
    ]);
}
