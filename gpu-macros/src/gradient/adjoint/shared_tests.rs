//! Adjoints of kernels with shared memory: what they look like, that their accesses are ordered, and what is refused.

use super::tests::{Written, adjoint_with};

const KERNELS: [(&str, &str); 6] = [
    (
        "block = 64",
        "fn tree(x: &[f64], out: &mut [f64]) {
            let mut s = shared::<[f64; 64]>();
            let t = thread_idx().x;
            let i = grid_1d();
            s[t] = if i < x.len() { x[i] } else { 0.0 };
            sync_threads();
            let mut half = 32;
            while half > 0 {
                if t < half {
                    s[t] += s[t + half];
                }
                sync_threads();
                half /= 2;
            }
            if t == 0 {
                out[block_idx().x] = s[0];
            }
        }",
    ),
    (
        "block = (4, 4)",
        "fn product(a: &[f64], b: &[f64], n: usize, c: &mut [f64]) {
            let mut left = shared::<[[f64; 4]; 4]>();
            let mut right = shared::<[[f64; 4]; 4]>();
            let (column, row) = grid_2d();
            let (tx, ty) = (thread_idx().x, thread_idx().y);
            let mut sum = 0.0;
            for tile in 0..n / 4 {
                let k = tile * 4;
                left[ty][tx] = if row < n { a[row * n + k + tx] } else { 0.0 };
                right[ty][tx] = if column < n { b[(k + ty) * n + column] } else { 0.0 };
                sync_threads();
                for k in 0..4 {
                    sum += left[ty][k] * right[k][tx];
                }
                sync_threads();
            }
            if row < n && column < n {
                c[row * n + column] = sum;
            }
        }",
    ),
    (
        "block = 32",
        "fn bodies(x: &[f64], mass: &[f64], force: &mut [f64]) {
            let mut near = shared::<[f64; 32]>();
            let mut heavy = shared::<[f64; 32]>();
            let (t, i) = (thread_idx().x, grid_1d());
            let own = if i < x.len() { x[i] } else { 0.0 };
            let mut sum = 0.0;
            let mut first = 0;
            while first < x.len() {
                near[t] = if first + t < x.len() { x[first + t] } else { 0.0 };
                heavy[t] = if first + t < x.len() { mass[first + t] } else { 0.0 };
                sync_threads();
                for j in 0..32 {
                    let d = near[j] - own;
                    sum += heavy[j] * d / (d * d + 0.01);
                }
                sync_threads();
                first += 32;
            }
            if i < force.len() {
                force[i] = sum * own;
            }
        }",
    ),
    (
        "block = 32",
        "fn stencil(x: &[f64], w: &[f64], out: &mut [f64]) {
            let mut s = shared::<[f64; 36]>();
            let (t, i) = (thread_idx().x, grid_1d());
            s[t + 2] = if i < x.len() { x[i] } else { 0.0 };
            if t < 2 {
                s[t] = if i >= 2 { x[i - 2] } else { 0.0 };
                s[t + 34] = if i + 32 < x.len() { x[i + 32] } else { 0.0 };
            }
            sync_threads();
            if i < out.len() {
                let mut sum = 0.0;
                for k in 0..5 {
                    sum += s[t + k] * w[k];
                }
                out[i] = sum;
            }
        }",
    ),
    (
        "",
        "fn convolved(x: &[f64], w: &[f64], out: &mut [f64]) {
            let (t, i) = (thread_idx().x, grid_1d());
            let mut near = dynamic_shared::<f64>(block_dim().x);
            let mut sum = 0.0;
            for tile in 0..x.len() / block_dim().x {
                near[t] = x[tile * block_dim().x + t];
                sync_threads();
                for j in 0..near.len() {
                    sum += near[j] * near[j] * w[i];
                }
                sync_threads();
            }
            if i < out.len() {
                out[i] = sum;
            }
        }",
    ),
    (
        "block = 64",
        "fn maxima(x: &[f64], out: &mut [f64]) {
            let mut s = shared::<[f64; 64]>();
            let (t, i) = (thread_idx().x, grid_1d());
            s[t] = x[i];
            sync_threads();
            let mut half = 32;
            while half > 0 {
                if t < half {
                    s[t] = s[t].max(s[t + half]);
                }
                sync_threads();
                half /= 2;
            }
            if t == 0 {
                out[block_idx().x] = s[0];
            }
        }",
    ),
];

#[test]
fn accesses_are_ordered_as_those_of_the_kernel_are() {
    for (arguments, kernel) in KERNELS {
        let Written { text, races, unproved, .. } = adjoint_with(arguments, kernel).expect("the kernel has a gradient");
        // That all threads have the same stride in the snapshots is not proved.
        assert!((races.is_empty() || kernel.contains("maxima")) && unproved.is_empty(), "{races:#?} {unproved:#?} {text}");
    }
}

#[test]
fn a_sum_in_shared_memory_needs_no_values() {
    let Written { text, is_plain, .. } = adjoint_with(KERNELS[0].0, KERNELS[0].1).expect("the kernel has a gradient");
    assert!(!text.contains(" s["), "{text}");
    assert_eq!(is_plain, [true, false]);
    // Each thread has its own element.
    let own = "fn k(x: &[f32], out: &mut [f32]) {
        let mut s = shared::<[f32; 64]>();
        let (t, i) = (thread_idx().x, grid_1d());
        s[t] = x[i];
        s[t] *= x[i];
        sync_threads();
        out[i] = s[t] * s[t];
    }";
    let Written { text, races, .. } = adjoint_with("block = 64", own).expect("the kernel has a gradient");
    assert!(races.is_empty() && !text.contains("Atomic"), "{races:#?} {text}");
}

/// A body after `let mut s = shared::<[f32; 64]>()` and `let t = thread_idx().x`, in blocks of 64.
fn refusal(body: &str, arguments: &str) -> Option<String> {
    let kernel = format!(
        "fn k(x: &[f32], n: usize, out: &mut [f32]) {{ let mut s = shared::<[f32; 64]>(); let (t, i) = (thread_idx().x, grid_1d()); {body} }}"
    );
    adjoint_with(arguments, &kernel).err()
}

#[test]
fn values_that_are_gone_are_refused() {
    let mut wrong = Vec::new();
    for (body, expected) in [
        // Overwritten after a loop whose slopes need them, at the same depth, in a branch, in a loop, and in a loop with barriers.
        (
            "s[t] = x[i]; sync_threads(); let mut y = 1.0; for k in 0..64 { y *= s[k]; } sync_threads(); s[t] = y; sync_threads(); out[i] = s[63 - t];",
            "this overwrites `s`",
        ),
        (
            "s[t] = x[i]; sync_threads(); let mut y = 1.0; if i < n { for k in 0..64 { y *= s[k]; } } sync_threads(); if t == 3 { s[t] = y; } sync_threads(); out[i] = s[63 - t];",
            "this overwrites `s`",
        ),
        (
            "s[t] = x[i]; sync_threads(); let mut y = 1.0; for k in 0..64 { y *= s[k]; } sync_threads(); for j in 0..n { s[t] += x[j]; } sync_threads(); out[i] = s[63 - t] * y;",
            "this overwrites `s`",
        ),
        (
            "s[t] = x[i]; sync_threads(); let mut y = 1.0; for k in 0..64 { y *= s[k]; } sync_threads(); for j in 0..n { s[t] = x[j]; sync_threads(); y += s[63 - t]; sync_threads(); } out[i] = y;",
            "this overwrites `s`",
        ),
        (
            "let mut y = 1.0; for j in 0..n { s[t] = x[j]; sync_threads(); for k in 0..64 { y *= s[k]; } sync_threads(); s[t] = y; sync_threads(); y += s[63 - t]; sync_threads(); } out[i] = y;",
            "this overwrites `s`",
        ),
        // A loop without barriers that needs what it has written.
        ("s[t] = 1.0; for k in 0..n { s[t] *= x[k]; } sync_threads(); out[i] = s[63 - t];", "this loop writes to `s` and needs its values"),
        (
            "s[t] = 1.0; if i < n { for k in 0..n { s[t] *= x[k]; } } sync_threads(); out[i] = s[63 - t];",
            "this loop writes to `s` and needs its values",
        ),
        // The same where the values are needed by what follows in the branch.
        (
            "s[t] = x[i]; let mut y = 0.0; if i < n { for k in 0..n { s[t] += x[k]; y += s[t] * 2.0; } out[i] = y * y; }",
            "this branch writes to `s`",
        ),
        (
            "s[t] = x[i]; let mut y = 0.0; if i < n { for k in 0..n { y += s[t]; } s[t] = 1.0; out[i] = y * y; }",
            "this branch writes to `s`",
        ),
        // Barriers that not all of the block may pass, as far as the attribute sees.
        ("s[t] = x[i]; if n > 3 { sync_threads(); } out[i] = s[t];", "a barrier in a branch"),
        ("s[t] = x[i]; for j in 0..n { if j == 3 { break; } sync_threads(); out[i] += s[t]; }", "a barrier in a branch"),
        ("for j in 0..n { let mut q = shared::<[f32; 64]>(); q[t] = x[j]; out[i] += q[t]; }", "shared memory that is declared here"),
        ("s[t] = x[i]; sync_warp(); out[i] = s[t ^ 1];", "`sync_warp` in a kernel with shared memory"),
        ("s[t] = x[i]; sync_threads(); let r = &mut s[t]; *r = 2.0; out[i] = s[t];", "a reference here is not supported"),
        ("s[t] = x[i]; sync_threads(); let y: f32 = g(&s); out[i] = y;", "not supported"),
        (
            "s[t] = x[i]; sync_threads(); let m = if i < n && s[t] > 2.0 && s[63 - t] < 1.0 { 1 } else { 2 }; if i < n { let y = n > 3 && s[t] > 1.0; if y { out[i] = x[m]; } }",
            "not always computed",
        ),
        ("let total = shared::<AtomicF32>(); s[t] = x[i]; out[i] = s[t];", "elements of the type of `total`"),
    ] {
        let errors = refusal(body, "block = 64");
        if !errors.as_ref().is_some_and(|errors| errors.contains(expected)) {
            wrong.push(format!("{body}: no `{expected}` in {errors:?}"));
        }
    }
    // Without the size of the block, no thread has a share of the array.
    let maximum = "s[t] = x[i]; sync_threads(); let mut h = 32; while h > 0 { if t < h { s[t] = s[t].max(s[t + h]); } sync_threads(); h /= 2; } out[i] = s[0];";
    assert_eq!(refusal(maximum, "block = 64"), None);
    assert!(refusal(maximum, "").is_some_and(|errors| errors.contains("the size of the block or of `s` is not known")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
