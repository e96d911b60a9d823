use super::*;
use crate::check::analysis::analyze;
use crate::check::clients::bounds::drop_refuted;

/// The bound of each index site, in order: `always`, `unknown`, or the inequalities.
fn bounds_with(arguments: &str, source: &str) -> Vec<String> {
    bounds_at(arguments, source, |kind| *kind == SiteKind::Index)
}

/// The bounds of the sites that `wanted` picks, as text.
fn bounds_at(arguments: &str, source: &str, wanted: impl Fn(&SiteKind) -> bool) -> Vec<String> {
    let function = kernel_with(arguments, source);
    texts(&bounds_of(&function, wanted), &function)
}

fn texts(bounds: &[Bound], function: &Function) -> Vec<String> {
    let text = |bound: &Bound| match bound {
        Bound::Unknown => "unknown".into(),
        Bound::Below(needs) if needs.is_empty() => "always".into(),
        Bound::Below(needs) => needs.iter().map(|need| show_inequality(need, function)).collect::<Vec<_>>().join(" and "),
    };
    bounds.iter().map(text).collect()
}

pub(super) fn bounds(source: &str) -> Vec<String> {
    bounds_with("", source)
}

/// The bounds in a kernel with this body and every kind of parameter.
pub(super) fn of(body: &str) -> String {
    bounds(&format!("fn k(x: &[f32], out: &mut [f32], n: usize, m: usize, s: u32, d: i32) {{ {body} }}")).join(", ")
}

#[test]
fn vector_addition_needs_equal_lengths() {
    let source = "fn k(x: &[i32], y: &[i32], out: &mut [i32]) { let i = grid_1d(); if i < out.len() { out[i] = x[i] + y[i]; } }";
    assert_eq!(bounds(source), ["-1+out.len < +x.len", "-1+out.len < +y.len", "always"]);
}

#[test]
fn a_loop_over_a_written_array_knows_each_element() {
    let neighbours = |body: &str| of(&format!("let (i, y) = grid_2d(); if i < n && y < m {{ {body} }}"));
    let rows = "[(y + m - 1) % m, y, (y + 1) % m]";
    let known = neighbours("out[(y + m - 1) % m * n + i] = 1.0; out[y * n + i] = 1.0; out[(y + 1) % m * n + i] = 1.0;");
    assert_eq!(neighbours(&format!("for row in {rows} {{ out[row * n + i] = 1.0; }}")), known);
    assert!(!known.contains("unknown"), "{known}");
    // The array itself may change.
    let changed = neighbours(&format!("let mut rows = {rows}; rows[0] = d as usize; let [a, b, c] = rows; out[a * n + i] = 1.0;"));
    assert_eq!(changed, "always, unknown");
    // One body that is left is not that of one element.
    let left = neighbours(&format!("for row in {rows} {{ if row == s as usize {{ break; }} out[row * n + i] = 1.0; }}"));
    assert!(left.contains("unknown"), "{left}");
}

#[test]
fn naive_matrix_product_needs_its_three_areas() {
    let source = "fn k(a: &[f32], b: &[f32], c: &mut [f32], m: usize, n: usize, k: usize) {
        let (col, row) = grid_2d();
        if row < m && col < n {
            let mut sum = 0.0;
            for i in 0..k { sum += a[row * k + i] * b[i * n + col]; }
            c[row * n + col] = sum;
        }
    }";
    assert_eq!(bounds(source), ["-1+m*k < +a.len", "-1+n*k < +b.len", "-1+m*n < +c.len"]);
}

/// A guard may bound a counter by more than its loop does: the condition that asks for less is taken.
#[test]
fn the_weaker_of_two_conditions_is_taken() {
    let around = "const ROWS: usize = 20; const BLOCK: usize = 256;";
    for (rows, block, expected) in
        [("20", "256", "-1+n*out.len+20*out.len < +x.len"), ("ROWS", "BLOCK", "-1+n*out.len+out.len*ROWS < +x.len")]
    {
        for guard in ["true", "t > step", "step < t", "t > step && t < BLOCK - 1 - step"] {
            let source = format!(
                "fn k(x: &[f32], out: &mut [f32], n: usize) {{
                    let t = thread_idx().x;
                    let column = (block_idx().x * (BLOCK - 2 * ROWS) + t) as isize - ROWS as isize;
                    for step in 0..ROWS {{
                        if {guard} && column >= 0 && column < out.len() as isize {{ x[(n + step) * out.len() + column as usize]; }}
                    }}
                }}"
            );
            let function = kernel_in(around, &format!("block = {block}"), &source.replace("ROWS", rows).replace("BLOCK", block));
            assert_eq!(texts(&bounds_of(&function, |kind| *kind == SiteKind::Index), &function), [expected], "{guard}");
        }
    }
}

/// A check that the thread has passed bounds a number of a small type by the length, which says nothing about the element behind it.
#[test]
fn the_largest_number_of_a_type_is_a_condition_beside_what_a_check_says() {
    let of = |body: &str| {
        let body = format!("let i = grid_1d(); if i < out.len() {{ let (u, v) = (i & 255, i % 100); {body} }}");
        bounds(&format!("fn k(t: &[u8], out: &mut [u8], n: usize) {{ {body} }}")).join(", ")
    };
    assert_eq!(of("let a = t[u] as usize; t[a]; t[a + 1];"), "+255 < +t.len, +255 < +t.len, +256 < +t.len");
    assert_eq!(of("let a = t[u] as usize + v; t[a]; t[a + 1];"), "+255 < +t.len, +354 < +t.len, +355 < +t.len");
    assert_eq!(
        of("let (a, b) = (t[u] as usize + v, t[u + 1] as usize + v); t[a]; t[b]; t[a + 1]; t[b + 1];"),
        "+255 < +t.len, +256 < +t.len, +354 < +t.len, +354 < +t.len, +355 < +t.len, +355 < +t.len"
    );
    // What the kernel compares it with asks for less.
    assert_eq!(of("let a = t[u] as usize; if a < n { t[a]; t[a + n]; }"), "+255 < +t.len, -1+n < +t.len, -1+2*n < +t.len");
}

#[test]
fn whole_steps_end_where_the_range_ends() {
    let four = "x[k]; x[k + 1]; x[k + 2]; x[k + 3];";
    for body in [
        format!("let end = n - n % 4; let mut k = 0; while k < end {{ {four} k += 4; }}"),
        format!("for k in (0..n / 4 * 4).step_by(4) {{ {four} }}"),
        format!("for k in (0..4 * n).step_by(4) {{ {four} }}"),
        format!("for k in (8 * m..8 * m + 4 * n).step_by(4) {{ {four} }}"),
    ] {
        let bounds = of(&body);
        let last = bounds.split(", ").last().expect("four bounds");
        assert!(last.starts_with("-1+") && bounds.split(", ").all(|bound| bound == last || bound.starts_with("-")), "{body}: {bounds}");
    }
    // Otherwise, the last step may lead behind it.
    for range in ["0..n", "m..4 * n", "0..4 * n + 1"] {
        let bounds = of(&format!("for k in ({range}).step_by(4) {{ {four} }}"));
        assert!(
            bounds.ends_with("+2+n < +x.len") || bounds.ends_with("+2+4*n < +x.len") || bounds.ends_with("+3+4*n < +x.len"),
            "{bounds}"
        );
    }
}

#[test]
fn a_number_without_its_remainder_is_a_multiple() {
    let of = |index: &str| {
        let source = format!(
            "fn k(out: &mut [f32]) {{ let a = [1.0; 32]; let t = thread_idx().x; let d = t as i32; let u = t % 8; \
             for k in 0..8 {{ a[{index}]; }} }}"
        );
        bounds_with("block = 32", &source).remove(0)
    };
    for index in [
        "t / 8 * 8 + k",
        "t - t % 8 + k",
        "t - u + k",
        "t - (t & 7) + k",
        "(d - d % 8) as usize + k",
        "d as usize - d.rem_euclid(8) as usize + k",
    ] {
        assert_eq!(of(index), "always", "{index}");
    }
    for index in ["t - t % 7 + k", "t - t % 8 + k + 1", "t % 8 - t + k"] {
        assert_ne!(of(index), "always", "{index}");
    }
}

#[test]
fn a_part_of_a_share_is_less_than_the_whole() {
    assert_eq!(of("if n > 0 { let k = thread_idx().x % m; out[0] = x[k * (n / m)]; }"), "-1+n < +x.len, +0 < +out.len");
    assert_eq!(of("if n > 0 { let k = thread_idx().x & (m - 1); out[0] = x[n / m * k]; }"), "-1+n < +x.len, +0 < +out.len");
    // The product of two quotients is not: 0 of `m` is one of 0.
    assert_ne!(of("let k = thread_idx().x % m; out[0] = x[k * (n / m)];"), "-1+n < +x.len, +0 < +out.len");
}

/// What bounds an operation may be known on one path, and the same operation on another path is the same number.
#[test]
fn what_bounds_an_operation_on_one_path_does_not_on_another() {
    for operation in ["m.min(n)", "(m & n)", "m.saturating_sub(n)", "m.clamp(0, n)", "(m | n)", "m.max(n)"] {
        let of = |other: &str| of(&format!("let j = if m < 8 && n < 8 {{ {operation} }} else {{ {other} }}; let a = [1.0; 8]; a[7 - j];"));
        assert_eq!(of("0"), "always", "{operation}");
        assert_eq!(of(operation), "unknown", "{operation}");
    }
}

#[test]
fn a_closure_is_in_bounds_if_all_of_its_calls_are() {
    let of_all = of;
    let of = |body: &str| of(&format!("let i = grid_1d(); let at = |k: usize, l: usize| x[k * m + l]; {body}"));
    assert_eq!(of("if i < m { for k in 0..n { at(k, i); } }"), "-1+n*m < +x.len");
    assert_eq!(of("if i < m { for k in 0..n { at(k, i); } at(n, i); }"), "-1+n*m+m < +x.len");
    assert_eq!(of("if i < m { for k in 0..n { at(k, i); } } at(n, s.rotate_left(3) as usize);"), "unknown");
    // Passed on, it may get any arguments; and so does what another closure calls.
    assert_eq!(of("if i < m { at(0, i); f(at); }"), "unknown");
    assert_eq!(of("let other = |k: usize| at(k, k); if i < m { at(0, i); other(i); }"), "unknown");
    // What it is called for says more too.
    assert_eq!(of_all("let row = |k: usize| k % 32; out[row(n)] = 1.0;"), "+31 < +out.len");
    // A copy of what a variable was.
    assert_eq!(of_all("let mut k = n; let at = move |l: usize| x[k + l]; if n < x.len() { k = 0; at(0); }"), "unknown");
}

#[test]
fn divisors_are_positive_and_limits_in_order() {
    let of = |body: &str| {
        let source =
            format!("fn k(x: &[u32], n: usize, m: usize, s: u32, d: i32, w: i32) {{ let i = grid_1d(); let j = i as i32; {body} }}");
        bounds_at("", &source, |kind| matches!(kind, SiteKind::Division | SiteKind::Assert(_))).join(", ")
    };
    for (body, expected) in [
        ("i / n;", "+0 < +n"),
        ("i % (n * m);", "+0 < +[+n*m]"),
        ("i / (n + 1);", "+0 < +[+1+n]"),
        ("i as u32 % s;", "+0 < +s"),
        ("if i < n { i % n; }", "always"),
        ("if i < n { for k in 0..m { k % n; } }", "always"),
        ("if n > 3 { i / (n - 3); }", "+0 < +[-3+n]"),
        ("for k in 1..m { i / k; }", "always"),
        ("let mut k = i; k /= n;", "+0 < +n"),
        // Not of any launch.
        ("i / i;", "unknown"),
        ("i / x[0] as usize;", "unknown"),
        ("if n < m { i / n; }", "+0 < +n"),
        ("for k in 0..m { i / k; }", "unknown"),
        // One with a sign must not be -1.
        ("if d != 0 { j / d; }", "-1+d < +2147483647"),
        ("if d > 0 { j / d; }", "-1+d < +2147483647"),
        ("j.clamp(0, w - 1);", "unknown"),
        ("if j >= 0 && j < w { (j + d).clamp(0, w - 1); }", "-1+w < +2147483648"),
        ("if j < w { (j + d).clamp(0, w - 1); }", "-1+w < +2147483648 and +0 < +w"),
        ("if w > -7 { j.clamp(-8, w); }", "+8+w < +2147483656"),
        ("i.clamp(0, n);", "always"),
        ("i.clamp(3, n);", "+2 < +n"),
        ("if n > 2 { i.clamp(3, n); }", "always"),
        ("j.clamp(d, w);", "unknown"),
        // Each evaluation.
        ("let at = |k: usize| i / k; at(n); at(m);", "unknown"),
        ("let at = |k: usize| k / n; at(i); at(m);", "+0 < +n"),
    ] {
        assert_eq!(of(body), expected, "{body}");
    }
}

#[test]
fn a_power_of_two_leaves_room_for_another() {
    let of = |start: &str, step: &str, t: &str, index: &str| {
        let t = format!("let t = thread_idx().x; if t < {t} {{ let k = t & (half - 1); a[{index}] = 1.0; }}");
        of(&format!("let mut a = shared::<[f32; 64]>(); let mut half = {start}; while half < 64 {{ {t} {step} }}"))
    };
    let to = "2 * (t - k) + k + half";
    assert_eq!(of("1", "half *= 2;", "32", to), "always");
    assert_eq!(of("1", "half <<= 1;", "32", to), "always");
    assert_eq!(of("2", "half *= 2; if n > 3 { half *= 4; }", "20", to), "always");
    for (start, step, t, index) in [
        ("1", "half *= 3;", "32", to),
        ("1", "half += 1;", "32", to),
        ("3", "half *= 2;", "32", to),
        ("n", "half *= 2;", "32", to),
        ("1", "half *= n;", "32", to),
        ("1", "half *= 2; if n > 3 { half += 1; }", "32", to),
        ("1", "half *= 2;", "33", to),
        ("1", "half *= 2;", "32", "2 * (t - k) + k + half + 1"),
        ("1", "half *= 2;", "32", "2 * t + half"),
    ] {
        assert_ne!(of(start, step, t, index), "always", "{start}, {step}, {t}: {index}");
    }
}

#[test]
fn conditions_on_constants_that_are_false_prove_nothing() {
    let bounds = |length: u32, index: &str| {
        let source = format!("fn k(n: u64) {{ let mut a = shared::<[f32; LENGTH]>(); a[{index}] = 1.0; }}");
        let function = kernel_in(&format!("const LENGTH: usize = {length};"), "", &source);
        let mut bounds = prove_bounds(&function, &walk(&function));
        drop_refuted(&function, &mut bounds);
        bounds.contains(&Bound::Unknown)
    };
    assert!(bounds(64, "n.leading_zeros() as usize"));
    assert!(!bounds(65, "n.leading_zeros() as usize"));
    assert!(!bounds(1, "n.trailing_zeros() as usize"), "that is for the launch to say");
}

#[test]
fn a_quotient_is_below_the_other_factor() {
    let of_all = of;
    let of = |index: &str| of(&format!("let i = grid_1d(); if i < n * m {{ let k = {index}; x[k]; }}"));
    assert_eq!(of("i / m"), "-1+n < +x.len");
    assert_eq!(of("i / n"), "-1+m < +x.len");
    assert_ne!(of("i / s as usize"), "-1+n < +x.len");
    let body = "let i = grid_1d(); if i < n * m * 8 { let (p, q) = (i % n, i / n % m); let r = i / (n * m);
        x[(((r + 7) % 8) * m + (q + 1) % m) * n + p]; }";
    assert_eq!(of_all(body), "-1+8*n*m < +x.len");
}

#[test]
fn the_host_counts_the_trailing_zeros_of_what_it_knows() {
    let zeros = "n.trailing_zeros() as usize";
    assert_eq!(of(&format!("out[{zeros}] = 1.0;")), "+[+n].trailing_zeros < +out.len");
    assert_eq!(of(&format!("let mut a = shared::<[f32; 32]>(); for k in 0..{zeros} {{ a[k] = 1.0; }}")), "-1+[+n].trailing_zeros < +32");
    // Of 32 bits, none of 0 are 64.
    assert_eq!(of("let mut a = shared::<[f32; 33]>(); a[s.trailing_zeros() as usize] = 1.0;"), "always");
    assert_eq!(of("let mut a = shared::<[f32; 65]>(); a[n.trailing_zeros() as usize] = 1.0;"), "always");
}

#[test]
fn a_dynamic_shared_array_is_as_long_as_its_expression() {
    assert_eq!(of("let mut a = dynamic_shared::<f32>(block_dim().x); a[thread_idx().x] = 1.0;"), "always");
    assert_eq!(of("let mut a = dynamic_shared::<f32>(n); for i in 0..a.len() { a[i] = 1.0; }"), "always");
    assert_eq!(of("let mut a = dynamic_shared::<f32>(n * m); if n > 0 { a[0] = 1.0; }"), "+0 < +n*m");
    assert_eq!(of("let mut a = dynamic_shared::<f32>(block_dim().x + 1); a[thread_idx().x + 1] = 1.0;"), "always");
    // The host has computed the length without overflow.
    assert_eq!(of("let mut a = dynamic_shared::<f32>(n + 1); a[thread_idx().x] = 1.0;"), "-1+block.x < +1+n");
    assert_eq!(of("let mut a = dynamic_shared::<f32>(n + 1); a[thread_idx().x + 1] = 1.0;"), "+block.x < +1+n");
    assert_eq!(of("let mut a = dynamic_shared::<f32>(n | 1); a[thread_idx().x] = 1.0;"), "unknown");
    // Lent, it stays what it is.
    assert_eq!(of("let mut a = dynamic_shared::<f32>(n); f(&mut a); if m < n { a[m] = 1.0; }"), "always");
}

#[test]
fn a_length_is_what_its_operators_say() {
    // As 18446744073709551615 is -1 to a form, the terms say `m + n`.
    let terms = "let mut a = dynamic_shared::<f32>(m - n * 18446744073709551615); a[s as usize] = 1.0;";
    assert_eq!(of(terms), "unknown");
    assert_eq!(of("let mut a = dynamic_shared::<f32>(m - n); if s < 4 { a[s as usize] = 1.0; }"), "+s < -n+m");
    assert_eq!(of("let mut a = dynamic_shared::<f32>((d as isize + 1) as usize); a[0] = 1.0;"), "unknown");
}

#[test]
fn a_constant_array_has_a_length_that_the_host_knows() {
    assert_eq!(of("for i in 0..W.len() { out[0] += W[i]; }").split(", ").nth(1), Some("always"));
    assert_eq!(of("let a = W[2];"), "+2 < +:: gpu_runtime :: __private :: array_length (& W)");
}

const TILED: &str = "fn k(a: &[f32], b: &[f32], c: &mut [f32], m: usize, n: usize, k: usize) {
    let mut left = shared::<[[f32; T]; T]>();
    let mut right = shared::<[[f32; T]; T]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let (col, row) = (block_idx().x * T + tx, block_idx().y * T + ty);
    let mut sum = 0.0f32;
    for t in 0..k.div_ceil(T) {
        let ax = t * T + tx;
        left[ty][tx] = if row < m && ax < k { a[row * k + ax] } else { 0.0 };
        right[ty][tx] = if col < n && t * T + ty < k { b[(t * T + ty) * n + col] } else { 0.0 };
        sync_threads();
        for i in 0..T { sum += left[ty][i] * right[i][tx]; }
        sync_threads();
    }
    if row < m && col < n { c[row * n + col] = sum; }
}";

#[test]
fn tiled_matrix_product_needs_no_check_in_shared_memory() {
    let tiles = |bounds: &[String]| [&bounds[1..3], &bounds[4..10]].concat();
    for (arguments, size) in [("block = (T, T)", "T"), ("block = (16, 16)", "16")] {
        let bounds = bounds_with(arguments, &TILED.replace('T', size));
        assert_eq!([&bounds[0], &bounds[3], &bounds[10]], ["-1+m*k < +a.len", "-1+n*k < +b.len", "-1+m*n < +c.len"]);
        assert!(tiles(&bounds).iter().all(|bound| bound == "always"), "{bounds:?}");
    }
    let open = bounds(&TILED.replace('T', "16"));
    assert!(tiles(&open).iter().all(|bound| ["always", "-1+block.x < +16", "-1+block.y < +16"].contains(&bound.as_str())), "{open:?}");
}

#[test]
fn shared_arrays_are_bounded_by_the_block() {
    let body = "let mut tile = shared::<[f32; 256]>(); tile[thread_idx().x] = 1.0; let t = grid_1d() % 32; tile[t] = tile[t * 8 + 7];";
    let source = format!("fn k() {{ {body} }}");
    assert_eq!(bounds_with("block = 256", &source), ["always"; 3]);
    assert_eq!(bounds_with("block = 257", &source), ["unknown", "always", "always"]);
    assert_eq!(bounds(&source), ["-1+block.x < +256", "always", "always"]);
    let nested =
        "fn k() { const N: usize = 64; let mut tile = shared::<[f32; N]>(); for i in 0..N { tile[i] = 0.0; tile[N - 1 - i] = 0.0; } }";
    assert_eq!(bounds(nested), ["always", "always"]);
}

#[test]
fn literals_are_decided_at_once() {
    assert_eq!(
        of("let mut a = [0.0; 4]; a[0] = a[3]; for i in 0..4 { a[i] = 0.0; } for i in 0..=4 { a[i] = 0.0; }"),
        "always, always, always, unknown"
    );
}

#[test]
fn unguarded_indices_are_bounded_by_the_launch() {
    assert_eq!(of("let i = grid_1d(); out[i] = 1.0;"), "-1+grid.x*block.x < +out.len");
    assert_eq!(of("out[block_idx().x] = 1.0;"), "-1+grid.x < +out.len");
}

#[test]
fn loops_bound_their_counters() {
    assert_eq!(of("for i in grid_stride(n) { out[i] = 1.0; }"), "-1+n < +out.len");
    assert_eq!(of("for i in grid_stride(out.len()) { out[i] = 1.0; }"), "always");
    assert_eq!(of("for i in (0..n).rev().step_by(2) { out[i] = 1.0; }"), "-1+n < +out.len");
    assert_eq!(of("for i in 0..=n { out[i] = 1.0; }"), "+n < +out.len");
    assert_eq!(of("for i in 0..s { out[i as usize] = 1.0; }"), "-1+s < +out.len");
}

#[test]
fn guards_bound_what_they_dominate() {
    let needs = "-1+n < +x.len";
    for body in [
        "let i = grid_1d(); if i < n { x[i]; }",
        "let i = grid_1d(); if n > i { x[i]; }",
        "let i = grid_1d(); if i >= n { return; } x[i];",
        "let i = grid_1d(); if i >= n || m == 3 { return; } x[i];",
        "let i = grid_1d(); if i >= n { } else { x[i]; }",
        "let i = grid_1d(); if !(i >= n) { x[i]; }",
        "let i = grid_1d(); let inside = i < n; if inside && m > 2 { x[i]; }",
        "let i = grid_1d(); if i < n && x[i] > 0.0 { }",
        "let i = grid_1d(); if i >= n || x[i] > 0.0 { }",
        "let i = grid_1d(); assert!(i < n); x[i];",
        "let i = grid_1d(); let j = i; let i = i + 1; if j < n { x[j]; }",
        "let i = grid_1d(); if i < n { } else { return; } x[i];",
        "for k in 0..m { let i = k * 2; if i >= n { break; } x[i]; }",
        "for k in 0..m { let i = k * 2; if i >= n { continue; } x[i]; }",
        "let mut i = grid_1d(); if i < n { x[i]; }",
        "let mut j = grid_1d(); let i = j; if i < n { j = 7; x[i]; }",
        "let i = grid_1d(); if i < m && m <= n { x[i]; }",
        "let (r, c) = (grid_1d() / m, grid_1d() % m); if grid_1d() < n { x[r * m + c]; }",
        "let i = grid_1d() as u32; if (i as usize) < n { x[i as usize]; }",
    ] {
        let bound = of(&body
            .replace("x[", "let _ = x[")
            .replace("if i < n && let _ = x[i] > 0.0", "if i < n && x[i] > 0.0")
            .replace("|| let _ =", "||"));
        assert!(bound == needs || bound == "-1+m < +x.len", "{bound}: {body}");
    }
}

#[test]
fn a_difference_needs_what_keeps_it_from_wrapping() {
    assert_eq!(of("let i = grid_1d(); if i > 0 && i < n { out[i - 1] = 1.0; }"), "-2+n < +out.len");
    assert_eq!(of("let i = grid_1d(); if i < n { out[n - 1 - i] = 1.0; }"), "-1+n < +out.len");
    assert_eq!(of("let i = grid_1d(); if i + 1 < n { out[i] = 1.0; out[i + 1] = 1.0; }"), "-2+n < +out.len, -1+n < +out.len");
    // Here only the launch can say that `n` is not 0.
    assert_eq!(of("let i = grid_1d(); out[i.min(n - 1)] = 1.0;"), "-1+n < +out.len and +0 < +n");
}

#[test]
fn elements_of_chunks_and_ranges_are_in_bounds() {
    let is_inside = |bound: &str| {
        ["-1+n < +out.len", "-1+m*(+n/+m) < +out.len", "-1+4*(+n/+4) < +out.len", "-m+m*(-1+n+m/+m) < +out.len"]
            .iter()
            .any(|inside| bound.ends_with(inside))
    };
    for body in [
        "let i = x[0] as usize; let j = x[1] as usize; if i <= n && j < n - i { out[i + j] = 1.0; }",
        "let i = x[0] as usize; let j = x[1] as usize; if i < n / m && j < m { out[i * m + j] = 1.0; }",
        "let i = x[0] as usize; let j = x[1] as usize; if i < n / 4 && j < 4 { out[i * 4 + j] = 1.0; }",
        "let i = x[0] as usize; if i < n.div_ceil(m) { out[i * m] = 1.0; }",
        "let i = x[0] as usize; if i < n.saturating_sub(m) { out[i + m] = 1.0; }",
        "let i = x[0] as usize; let j = x[1] as usize; if i < n.div_ceil(m) && j < n - i * m { out[i * m + j] = 1.0; }",
        "let i = x[0] as usize; let a = (i * m).min(n); for j in a..(a + m).min(n) { out[j] = 1.0; }",
    ] {
        let bound = of(body);
        assert!(is_inside(&bound), "{bound}: {body}");
    }
    // Those next to them may not be.
    for body in [
        "let i = x[0] as usize; let j = x[1] as usize; if i < n / m && j <= m { out[i * m + j] = 1.0; }",
        "let i = x[0] as usize; let j = x[1] as usize; if i <= n / m && j < m { out[i * m + j] = 1.0; }",
        "let i = x[0] as usize; let j = x[1] as usize; if i < n.div_ceil(m) && j < m { out[i * m + j] = 1.0; }",
        "let i = x[0] as usize; let j = x[1] as usize; if i < n / 4 && j < 5 { out[i * 4 + j] = 1.0; }",
        "let i = x[0] as usize; if i <= n.div_ceil(m) { out[i * m] = 1.0; }",
        "let i = x[0] as usize; if i <= n.saturating_sub(m) { out[i + m] = 1.0; }",
        "let i = x[0] as usize; if i < n.wrapping_sub(m) { out[i + m] = 1.0; }",
        "let i = x[0] as usize; let a = (i * m).min(n); for j in a..=(a + m).min(n) { out[j] = 1.0; }",
    ] {
        let bound = of(body);
        assert!(!is_inside(&bound), "{bound}: {body}");
    }
    for body in [
        "for part in out[m..n].chunks_mut(s as usize).skip(2) { for v in part.iter_mut() { *v = 1.0; } }",
        "for part in out[m..n].chunks_exact_mut(3).skip(2) { part[0] = 1.0; for v in part.iter_mut() { *v = 1.0; } }",
        "let i = grid_1d() * 4; for v in &mut out[i..(i + 4).min(n)] { *v = 1.0; }",
        "let i = grid_1d() * m; for part in out[i..(i + m).min(n)].chunks_mut(4).skip(1).take(2) { part[0] = 1.0; part[3] = 1.0; }",
    ] {
        let bound = of(body);
        assert!(bound.split(", ").all(|bound| bound == "always"), "{bound}: {body}");
    }
}

#[test]
fn nothing_is_known_of_what_changes_or_wraps() {
    for body in [
        "let mut i = grid_1d(); if i < n { i = x[0] as usize; out[i] = 1.0; }",
        "let mut i = 0; while i < n { i = x[i] as usize; out[i] = 1.0; }",
        "let i = grid_1d(); let i = x[i] as usize; out[i] = 1.0;",
        "let i = x[0] as usize; if i < n || i < m { out[i] = 1.0; }",
        "let i = x[0] as usize; if i < n { } out[i] = 1.0;",
        "let i = x[0] as usize; if i < n { return; } out[i] = 1.0;",
        "let i = x[0] as usize; if !(i < n && m > 3) { out[i] = 1.0; }",
        "let i = x[0] as usize; if i >= n && m > 3 { return; } out[i] = 1.0;",
        "let i = x[0] as usize; if i > n { out[i] = 1.0; }",
        "let i = x[0] as usize; if i - m < n { out[i] = 1.0; }",
        "let i = x[0] as usize; if i + 1 < n { out[i] = 1.0; }",
        "let i = x[0] as usize; if i * m < n { out[i] = 1.0; }",
        "let i = x[0] as usize; if i < n { out[i - 1] = 1.0; }",
        "let i = x[0] as usize; if i < n { let i = i - m; out[i] = 1.0; }",
        "let i = x[0] as usize; debug_assert!(i < n); out[i] = 1.0;",
        "let i = x[0] as usize; 'a: { if i >= n { break 'a; } } out[i] = 1.0;",
        "let i = x[0] as usize; for _ in 0..m { if i >= n { break; } } out[i] = 1.0;",
        "let i = x[0] as usize; loop { if m > 2 { break; } if i < n { continue; } return; } out[i] = 1.0;",
        "let i = x[0] as usize; let _ = m > 2 && { assert!(i < n); true }; out[i] = 1.0;",
        "let i = x[0] as usize; if i as u8 as usize <= n { out[i] = 1.0; }",
        "let i = x[0] as i32; if i < 5 { out[i as usize] = 1.0; }",
        "let i = x[0] as usize; out[i << 1] = 1.0;",
        "for i in d..5 { out[i as usize] = 1.0; }",
        "let (i, j) = (x[0] as usize, x[1] as usize); if j < n - i { out[i + j] = 1.0; }",
        "let i = x[0] as usize; let j = x[1] as usize; if i + m < n && j < m { out[i + j] = 1.0; }",
    ] {
        let bound = of(body);
        assert!(bound.split(", ").last() == Some("unknown"), "{bound}: {body}");
    }
}

/// The bounds of the index sites of a device function.
fn of_device_function(item: syn::ItemFn) -> Vec<Bound> {
    let errors = Errors::new();
    let lowered = lower_function(Item::free(&item, FunctionKind::Device, RuntimePath::default()), &errors).unwrap();
    let function = infer_function(lowered, &errors);
    errors.check().unwrap();
    bounds_of(&function, |kind| *kind == SiteKind::Index)
}

#[test]
fn a_device_function_keeps_only_what_always_holds() {
    let bounds = of_device_function(syn::parse_quote!(
        fn f(x: &[f32], n: usize) -> f32 {
            let a = [1.0f32; 4];
            if n < x.len() { x[n] + a[n % 4] } else { x[0] }
        }
    ));
    assert_eq!(bounds, [Bound::Below(vec![]), Bound::Below(vec![]), Bound::Unknown]);
}

#[test]
fn a_device_function_may_read_what_other_threads_change() {
    // Shared memory, for one: the two reads may differ, but not the length that the first was checked against.
    let bounds = of_device_function(syn::parse_quote!(
        fn f(shared: &[u32], x: &[f32]) -> f32 {
            if (shared[0] as usize) < x.len() { x[shared[0] as usize] } else { 0.0 }
        }
    ));
    assert_eq!(bounds, [Bound::Unknown, Bound::Below(vec![]), Bound::Unknown]);
}

#[test]
fn the_length_of_an_array_is_an_integer() {
    // Not N + 16, which is the same modulo 2^64.
    assert_eq!(of("let a = [0.0f32; N - 0xFFFF_FFFF_FFFF_FFF0]; a[20];"), "unknown");
    assert_eq!(of("let a = [0.0f32; 2 * (N - 1) + 3]; a[0]; a[20];"), "always, +9 < +N");
}

#[test]
fn indices_of_atomics_are_like_any() {
    let source = "fn k(x: &[u32], counts: &[AtomicU32], n: usize) {
        let i = grid_1d();
        if i < counts.len() { counts[i].fetch_add(x[i], Relaxed); }
        if i < n { counts[i].store(1, Relaxed); }
        counts[counts[0].load(Relaxed) as usize].swap(1, Relaxed);
        let own = shared::<[AtomicU32; 4]>();
        own[i % 4].store(0, Relaxed);
    }";
    assert_eq!(bounds(source), ["always", "-1+counts.len < +x.len", "-1+n < +counts.len", "+0 < +counts.len", "unknown", "always"]);
}

#[test]
fn what_a_pattern_finds_is_unknown_but_its_guard_holds() {
    assert_eq!(of("match grid_1d() { i if i < x.len() => { x[i]; } _ => {} }"), "always");
    assert_eq!(of("if let (i, 3) = (grid_1d(), n) && i < x.len() { x[i]; }"), "always");
    assert_eq!(of("if let Some(i) = n.checked_sub(1) && i < x.len() { x[i]; }"), "always");
    // The guard of one arm says nothing about the next, nor about what follows.
    assert_eq!(of("match n { i if i < x.len() => {} i => { x[i]; } }"), "n < +x.len".replace("n <", "+n <"));
    assert_eq!(of("let mut i = grid_1d(); if i < x.len() { match n { 0 => i = m, _ => {} } x[i]; }"), "+m < +x.len");
    assert_eq!(of("let mut i = 0; while let 0..=9 = i { x[i]; i += 1; }"), "unknown");
    assert_eq!(of("let (i | i) = grid_1d(); if i < x.len() { x[i]; }"), "always");
    assert_eq!(of("match (n, m) { (i, 0) | (_, i) => { x[i]; } }"), "unknown");
    assert_eq!(of("let i = n.checked_add(1).unwrap(); x[i];"), "unknown");
}

#[test]
fn an_arm_knows_its_number_and_those_before_it() {
    for body in [
        "if i < x.len() { out[0] = match i { 0 => 0.0, k => x[k - 1] }; }",
        "if i < x.len() { out[0] = match i { 0 => 0.0, k if k + 1 < m => 1.0, k => x[k - 1] }; }",
        "let a = [1.0; 8]; out[0] = match i { k @ 0..=7 => a[k], _ => 0.0 };",
        "let a = [1.0; 8]; out[0] = match i { 8.. => 0.0, k => a[k] };",
        "let a = [1.0; 8]; out[0] = match d { 0..=7 => a[d as usize], _ => 0.0 };",
        "let a = [1.0; 8]; out[0] = match i { k if k >= 8 => 0.0, k => a[k] };",
    ] {
        let bounds = of(&format!("let i = x[0].to_bits() as usize; let d = x[1].to_bits() as i32; {body}"));
        assert!(!bounds.contains("unknown"), "{body}: {bounds}");
    }
    for body in [
        "if i < x.len() { out[0] = match i { 1 => 0.0, k => x[k - 1] }; }",
        "if i < x.len() { out[0] = match i { 0 if m > 2 => 0.0, k => x[k - 1] }; }",
        "let a = [1.0; 8]; out[0] = match i { k @ 0..=8 => a[k], _ => 0.0 };",
        "let a = [1.0; 8]; out[0] = match i { 0..=7 => 0.0, k => a[k] };",
        "let a = [1.0; 8]; out[0] = match i { 8 | 9 => 0.0, k => a[k] };",
        "let a = [1.0; 8]; out[0] = match d { ..=7 => a[d as usize], _ => 0.0 };",
        "let a = [1.0; 8]; out[0] = match i { 3 if m > 8 => 0.0, k if k >= 8 && m > 1 => 0.0, k => a[k] };",
    ] {
        let bounds = of(&format!("let i = x[0].to_bits() as usize; let d = x[1].to_bits() as i32; {body}"));
        assert!(bounds.contains("unknown"), "{body}: {bounds}");
    }
}

#[test]
fn a_shift_by_a_counter_is_bounded_by_its_ends() {
    let body = |shift: &str| {
        format!(
            "let mut a = shared::<[f32; 128]>(); let t = thread_idx().x; for k in (0..7).rev() {{ let h = {shift}; if t < h {{ a[t + h] = 1.0; }} }}"
        )
    };
    assert!(!of(&body("1 << k")).contains("unknown"), "{}", of(&body("1 << k")));
    assert!(of(&body("2 << k")).contains("unknown"), "{}", of(&body("2 << k")));
}

#[test]
fn a_const_parameter_is_a_constant_of_unknown_value() {
    let generic = TILED.replace("fn k(", "fn k<const T: usize>(");
    assert_eq!(bounds_with("block = (T, T)", &generic), bounds_with("block = (T, T)", TILED));
    let source = "fn k<const N: usize, const I: i32>(x: &[f32], out: &mut [f32]) {
        let mut local = [0.0; N];
        for k in 0..N { local[k] = x[k]; }
        out[I as usize] = local[N - 1];
    }";
    assert_eq!(bounds(source), ["-1+N < +x.len", "always", "+0 < +N", "+(I as usize) < +out.len"]);
    let each = |body: &str| bounds(&format!("fn k<const EACH: usize>(x: &[f32], out: &mut [f32]) {{ let i = grid_1d(); {body} }}"));
    assert_eq!(each("for k in 0..EACH { let e = i * EACH + k; if e < out.len() { out[e] = 1.0; } }"), ["always"]);
    assert_eq!(each("if i < out.len() / EACH { for k in 0..EACH { out[i * EACH + k] = 1.0; } }"), ["always"]);
    assert_eq!(each("for v in &mut out[i * EACH..(i + 1) * EACH] { *v = 1.0; }"), ["always"]);
    assert_eq!(each("for k in 0..EACH { out[i * EACH + k] = 1.0; }"), ["-1+grid.x*block.x*EACH < +out.len"]);
    // One element too many.
    let most = "+EACH*(+out.len/+EACH) < +out.len";
    assert_eq!(each("if i < out.len() / EACH { for k in 0..=EACH { out[i * EACH + k] = 1.0; } }"), [most]);
}

#[test]
fn a_closure_knows_what_holds_where_it_stands() {
    assert_eq!(of("let i = grid_1d(); if i < x.len() { let f = |v: f32| v * x[i]; let _y = f(2.0); }"), "always");
    assert_eq!(of("let at = |k: usize| x[k]; let _y = at(0);"), "+0 < +x.len");
    assert_eq!(of("let at = |k: usize| if k < x.len() { x[k] } else { 0.0 }; let _y = at(n);"), "always");
}

#[test]
fn what_a_closure_finds_out_it_keeps_to_itself() {
    let after = of("let f = || { if n >= x.len() { return 0.0; } x[n] }; let _y = f() + x[n];");
    assert_eq!(after, "always, +n < +x.len");
    let after = of("let f = |k: usize| { assert!(n < x.len()); x[n] + k as f32 }; let _y = f(1) + x[n];");
    assert_eq!(after, "always, +n < +x.len");
}

#[test]
fn a_comparison_with_the_loops_end_comes_before_one_with_a_thread() {
    let body = "for step in 0..m { if thread_idx().x > step { out[step * n] = 1.0; } }";
    assert_eq!(of(body), "-n+n*m < +out.len");
}

#[test]
fn a_quotient_of_what_the_host_knows_is_computed_at_launch() {
    assert_eq!(of("let quads = n / 4; let i = grid_1d(); if i < m { out[i * quads] = 1.0; }"), "+m*(+n/+4)-(+n/+4) < +out.len");
    let of_last_tile = "-m+m*(+n/+m) < +out.len";
    assert_eq!(of("for tile in 0..n / m { out[tile * m] = 1.0; }"), of_last_tile);
    assert_eq!(of("let tiles = n / m; for tile in 0..tiles { if tile + 1 < tiles { out[(tile + 1) * m] = 1.0; } }"), of_last_tile);
    let by_constants = "fn k<const T: usize>(out: &mut [f32]) { let t = thread_idx().x; if t < T { out[t / (T / 4)] = 1.0; } }";
    assert_eq!(bounds(by_constants), ["-1+T < +out.len*(+T/+4)"]);
}

#[test]
fn a_difference_is_bounded_where_the_launch_shows_that_it_does_not_wrap() {
    let body = "let column = m + block_idx().x; let row = n - column; out[row] = 1.0;";
    assert_eq!(of(body), "+n-m < +out.len and -2+m+grid.x < +n");
}

#[test]
fn an_inequality_that_hardly_ever_holds_is_the_last_to_be_taken() {
    let body = "let i = grid_1d(); out[i] = 1.0; out[i + m] = 1.0;";
    assert_eq!(of(body), "-1+grid.x*block.x < +out.len, -1+m+grid.x*block.x < +out.len");
}

#[test]
fn what_counts_bits_is_at_most_their_number() {
    for (body, bound) in [
        ("let a = [1.0; 65]; a[n.trailing_zeros() as usize];", "always"),
        ("let a = [1.0; 33]; a[s.count_ones() as usize] + a[d.leading_zeros() as usize];", "always, always"),
        ("let a = [1.0; 32]; for k in 0..s.trailing_zeros() { a[k as usize]; }", "always"),
        ("let a = [1.0; 64]; a[n.trailing_zeros() as usize];", "+[+n].trailing_zeros < +64"),
        ("let a = [1.0; 64]; a[out.len().leading_zeros() as usize];", "unknown"),
        ("let a = [1.0; 32]; for k in 0..=s.trailing_zeros() { a[k as usize]; }", "unknown"),
        ("let a = [1.0; 32]; for k in 0..n.trailing_zeros() { a[k as usize]; }", "-1+[+n].trailing_zeros < +32"),
    ] {
        assert_eq!(of(body), bound, "{body}");
    }
}

#[test]
fn a_row_above_is_in_bounds_below_the_first_row() {
    let body = |guard: &str, index: &str| {
        of(&format!("let (j, i) = grid_2d(); if {guard} && i < out.len() / m && j < m {{ out[{index}] = 1.0; }}"))
    };
    assert_eq!(body("i > 0", "i * m + j - m"), "always");
    assert_eq!(body("i > 1", "i * m + j - 2 * m"), "always");
    assert_eq!(body("j > 0", "i * m + j - 1"), "always");
    for (guard, index) in
        [("i > 0", "i * m + j - 2 * m"), ("m > 0", "i * m + j - m"), ("i > 0", "i * m + j - m - 1"), ("i > 0", "i * m + j + 1")]
    {
        assert_ne!(body(guard, index), "always", "{guard}: {index}");
    }
}

#[test]
fn a_tile_with_a_halo_of_constants_is_in_bounds() {
    let tile = |body: &str| {
        let source = format!("fn k() {{ let mut s = shared::<[f32; BLOCK + 2 * RADIUS]>(); let t = thread_idx().x; {body} }}");
        bounds_with("block = BLOCK", &source).join(", ")
    };
    assert_eq!(tile("for r in 0..=RADIUS { s[t + RADIUS - r] = s[t + RADIUS + r]; }"), "always, always");
    assert_eq!(tile("for r in 0..2 * RADIUS + 1 { s[t + r] = 1.0; }"), "always");
    assert_ne!(tile("for r in 0..=RADIUS + 1 { s[t + RADIUS + r] = 1.0; }"), "always");
    assert_ne!(tile("for r in 0..=RADIUS + 1 { s[t + RADIUS - r] = 1.0; }"), "always");
    assert_ne!(tile("for r in 0..=2 * RADIUS + 1 { s[t + r] = 1.0; }"), "always");
}

#[test]
fn a_value_that_branches_clamp_is_in_bounds() {
    let body = |value: &str| of(&format!("let i = grid_1d(); let k = {value}; if n <= x.len() && n > 0 {{ x[k]; }}"));
    assert_eq!(body("if i >= n { n - 1 } else { i }"), "always");
    assert_eq!(body("if i < n { i } else if m < n { m } else { 0 }"), "always");
    // What is known of a value in one case is not known in another.
    assert_eq!(
        of("let i = x[0] as i32; let k = if i >= 0 && i < 4 { i as usize } else { i as usize }; let a = [1.0; 4]; a[k];"),
        "+0 < +x.len, unknown"
    );
    assert_eq!(
        of("let i = x[0] as u32; let k = if i < 4 { i as usize + 0 } else { i as usize }; let a = [1.0; 4]; a[k];"),
        "+0 < +x.len, unknown"
    );
    for value in
        ["if i > n { n - 1 } else { i }", "if i >= n { n } else { i }", "if i >= n { n - m } else { i }", "if i < n { i } else { m }"]
    {
        assert_ne!(body(value), "always", "{value}");
    }
}

#[test]
fn the_middle_of_a_range_is_in_it() {
    let search = |middle: &str| {
        let (head, tail) = (
            "let (mut low, mut high) = (0, x.len()); while low < high { let middle = ",
            "; if x[middle] < 4.0 { low = middle + 1 } else { high = middle } }",
        );
        of(&format!("{head}{middle}{tail}"))
    };
    assert_eq!(search("(low + high) / 2"), "always");
    assert_eq!(search("low + (high - low) / 2"), "always");
    assert_ne!(search("(low + high) / 2 + 1"), "always");
    assert_ne!(search("(low + high + 2) / 2"), "always");
}

/// For each index in the body of a kernel, whether its bound is shown by a check that the thread has passed.
fn resting_on_checks(body: &str) -> Vec<bool> {
    let function = kernel(&format!("fn f(x: &[u32], y: &[u32], out: &mut [u32], n: usize) {{ let i = grid_1d(); {body} }}"));
    let analysis = analyze(&function, Vec::new());
    let sites = (0..function.sites.len()).map(SiteId).filter(|site| function.site(*site).kind == SiteKind::Index);
    sites.map(|site| analysis.rests_on_checks(site)).collect()
}

#[test]
fn bounds_that_rest_on_checks_are_known() {
    let chain = |statements: &str| format!("let mut at = i; for _ in 0..n {{ {statements} at = x[at] as usize; }}");
    assert_eq!(resting_on_checks(&chain("")), [false]);
    // The second index is in bounds because the first was, and the third if `x` is as long.
    assert_eq!(resting_on_checks(&chain("if y[at] == 0 { break; } let z = y[at];")), [false, true, true]);
    assert_eq!(resting_on_checks(&chain("let w = y[at + 1]; let z = y[at - at % 2];")), [false, true, true]);
    // That the guard's product has 32 bits is shown by the check of `x` in the iteration before.
    let in_32_bits = "if i < out.len() && i / n < 9 {
        let (mut at, mut sum) = (1u32, 0);
        for _ in 0..n { let old = at as usize; at = x[old * 16]; if old * 16 < y.len() { sum += y[old]; } }
        out[i] = sum;
    }";
    assert_eq!(resting_on_checks(in_32_bits), [false, true, true]);
    // A guard shows it.
    assert_eq!(resting_on_checks(&chain("if at < y.len() { let z = y[at]; let w = y[at / 2]; }")), [false, false, false]);
}
