//! Which `while` loops have the form of a `for` loop.

use super::*;

/// How many loops count in the kernel with this body, in which `x` and `out` are arrays, `n` and `m` numbers, and `k` is one that changes.
fn counted(body: &str) -> usize {
    let source = format!(
        "fn f(x: &[i32], out: &mut [i32], n: usize, mut m: usize, a: i32, p: P, mut q: P) {{ let mut k = 0; {body} out[0] = k as i32; }}"
    );
    kernel_in("struct P { n: usize }", "", &source).locals.iter().filter(|local| local.kind == LocalKind::Round).count()
}

#[test]
fn loops_that_count_have_a_counter() {
    for body in [
        "while k < n { out[k] = 1; k += 1; }",
        "while n > k { out[k] = 1; k = k + 1; }",
        "while k < n { out[k] = 1; k += 1 }",
        "while k < x.len() { if x[k] == 3 { break; } k += 1; }",
        "while k < n { if x[k] == 3 { return; } k += 1; }",
        "while k < n.min(2 * m + 1) { out[k] += x[k]; k += 1; }",
        "while k < p.n { out[k] += x[k]; k += 1; }",
        "let mut e = a; while e < x.len() as i32 { out[0] += x[e as usize]; e += 1; }",
        // What changes behind the loop or before it does not count.
        "m += 1; while k < m { out[k] = 1; k += 1; } m = 2; k = 5;",
        "'rows: for row in 0..n { while k < n { if x[k] == row as i32 { continue 'rows; } k += 1; } }",
        "while k < n { for j in 0..k { if x[j] == 0 { continue; } out[j] = 1; } k += 1; }",
        // In larger steps.
        "while k < n { out[k] = 1; k += 2; }",
        "while k < n { out[k] = 1; k = k + WARP_SIZE; }",
        "while k < x.len() { out[k] = 1; k += block_dim().x; }",
    ] {
        assert_eq!(counted(body), 1, "{body}");
    }
    assert_eq!(counted("while k < n { let mut j = k; while j < n { out[j] = 1; j += 1; } k += 1; }"), 2);
}

#[test]
fn other_loops_are_as_they_are_written() {
    for body in [
        "while k <= n { out[k] = 1; k += 1; }",
        "while k != n { out[k] = 1; k += 1; }",
        "while k < n && x[k] > 0 { k += 1; }",
        "while k < n { out[k] = 1; k += m; }",
        "while k < n { out[k] = 1; k -= 1; }",
        "while k < n { k += 1; out[k - 1] = 1; }",
        // The step may be left out, or there are two.
        "while k < n { if x[k] == 3 { k += 2; continue; } k += 1; }",
        "while k < n { if x[k] == 3 { continue; } k += 1; }",
        "'rows: while k < n { for j in 0..n { if x[j] == 3 { continue 'rows; } } k += 1; }",
        "while k < n { if x[k] == 3 { k += 1; } k += 1; }",
        "while k < n { (k, m) = (m, k); k += 1; }",
        "while k < n { { let r = &mut k; *r += 1; } k += 1; }",
        "while k < n { if x[k] == 3 { k += 1 } }",
        // The end changes, or it may fail or be another each time.
        "while k < m { m -= 1; k += 1; }",
        "while k < m { if x[k] == 3 { m = 4; } k += 1; }",
        "while k < x[0] as usize { out[k] = 1; k += 1; }",
        "while k < out[0] as usize { out[k] = 1; k += 1; }",
        "while k < n / m { out[k] = 1; k += 1; }",
        "while k < q.n { q.n -= 1; k += 1; }",
        "while k < k + 1 { if k > n { break; } k += 1; }",
        // What has fewer bits may wrap around, and the step be another each time.
        "let mut e = 0u32; while e < a as u32 { out[0] += 1; e += 2; }",
        "while k < n { out[k] = 1; k += thread_idx().x; }",
        "while k < n { out[k] = 1; k += 0; }",
        // No integer.
        "let mut t = 0.0f32; while t < 4.0 { t += 1.0; }",
    ] {
        assert_eq!(counted(body), 0, "{body}");
    }
}
