//! What the adjoints of kernels look like, and what has none.

use super::Adjoint;
use crate::errors::Errors;
use crate::lower::parse_kernel_options;
use crate::model::*;
use crate::pipeline::compile;
use expect_test::{Expect, expect};
use proc_macro2::TokenStream;

/// The adjoint of a kernel.
pub(super) struct Written {
    pub(super) text: String,
    /// Whether the gradient of each parameter is added to without atomics.
    pub(super) is_plain: Vec<bool>,
    /// Accesses to shared memory that are not proved to be ordered.
    pub(super) races: Vec<String>,
    /// Why there is no safe launch, if there is none.
    pub(super) unproved: Vec<String>,
}

/// The adjoint of the kernel, or the errors.
fn adjoint(kernel: &str) -> Result<(String, Vec<bool>), String> {
    adjoint_with("", kernel).map(|written| (written.text, written.is_plain))
}

/// The same with these arguments of the attribute.
pub(super) fn adjoint_with(arguments: &str, kernel: &str) -> Result<Written, String> {
    let item: syn::ItemFn = syn::parse_str(kernel).expect("the test's kernel parses");
    let arguments: TokenStream = arguments.parse().expect("tokens");
    let errors = Errors::new();
    let (options, runtime, _) = parse_kernel_options(arguments.clone(), &errors);
    let kind = FunctionKind::Kernel(options);
    let mut compiled = compile(Item::free(&item, kind, runtime), 0, &errors).expect("the signature is sound");
    errors.check().expect("the kernel is accepted");
    let (analysis, _) = compiled.output.expect("the kernel is accepted");
    let errors = Errors::new();
    let written = Adjoint::of(&mut compiled.function, &item, &errors).and_then(|adjoint| {
        let (_, (of_adjoint, _), plain) = adjoint.compile_plainest(&arguments, &analysis.race_freedom, &errors)?;
        let file = syn::parse2(adjoint.write(&plain)).expect("it is Rust");
        let unproved = match of_adjoint.race_freedom {
            RaceFreedom::Proved { .. } => Vec::new(),
            RaceFreedom::Unproved(accesses) => accesses.into_iter().map(|access| access.what).collect(),
        };
        Some(Written {
            text: prettyplease::unparse(&file),
            is_plain: (0..adjoint.parameters.len()).map(|param| plain.params.contains(&param)).collect(),
            races: of_adjoint.shared_races.into_iter().map(|race| race.finding.what).collect(),
            unproved,
        })
    });
    let texts = |error: syn::Error| error.into_iter().map(|error| error.to_string()).collect::<Vec<_>>().join("\n");
    errors.check().map_err(texts)?;
    Ok(written.expect("there is an adjoint without errors"))
}

#[track_caller]
fn check(kernel: &str, expected: &Expect) {
    let (text, _) = adjoint(kernel).expect("the kernel has a gradient");
    let body = text.split_once(" fn ").expect("it is a function").1;
    expected.assert_eq(&format!("fn {body}"));
}

#[test]
fn what_the_slopes_need_is_computed_again() {
    check(
        "fn stencil(x: &[f32], w: &[f32], out: &mut [f32]) {
            let i = grid_1d();
            if i >= out.len() {
                return;
            }
            let mut sum = 0.0;
            for k in 0..w.len() {
                sum += x[i + k] * w[k];
            }
            out[i] = sum;
        }",
        &expect![[r#"
            fn stencil_grad(
                x: &[f32],
                w: &[f32],
                d_out: &[f32],
                d_x: &[::gpu_runtime::atomic::AtomicF32],
                d_w: &[::gpu_runtime::atomic::AtomicF32],
            ) {
                let mut i: usize = ::gpu_runtime::prelude::grid_1d();
                if (i >= d_out.len()) {
                    return;
                }
                let mut d_sum: f32 = 0.0f32;
                let mut g: f32 = d_out[i];
                let mut d_sum_now: f32 = g;
                d_sum += d_sum_now;
                {
                    if 0usize < w.len() {
                        let count = w.len() - 0usize;
                        let start = ::gpu_runtime::prelude::grid_1d() % count;
                        for turn in 0usize..w.len() {
                            let k = if turn < w.len() - start {
                                turn + start
                            } else {
                                turn - (count - start)
                            };
                            let mut t: f32 = x[(i + k)];
                            let mut t_2: f32 = w[k];
                            let mut d_t_3: f32 = d_sum;
                            let mut d_t: f32 = d_t_3 * t_2;
                            let mut d_t_2: f32 = d_t_3 * t;
                            d_w[k].fetch_add(d_t_2, ::core::sync::atomic::Ordering::Relaxed);
                            d_x[(i + k)].fetch_add(d_t, ::core::sync::atomic::Ordering::Relaxed);
                        }
                    }
                }
            }
        "#]],
    );
}

#[test]
fn branches_are_entered_again_from_copies_of_what_changes() {
    check(
        "fn branches(x: &[f32], out: &mut [f32]) {
            let i = grid_1d();
            if i < out.len() {
                let mut y = x[i];
                if y < 0.0 {
                    y *= y;
                }
                out[i] = y.exp();
            }
        }",
        &expect![[r#"
            fn branches_grad(x: &[f32], d_out: &[f32], d_x: &mut [f32]) {
                let mut i: usize = ::gpu_runtime::prelude::grid_1d();
                if (i < d_out.len()) {
                    let mut t: f32 = x[i];
                    let mut y: f32 = t;
                    let mut k = (y < 0.0f32);
                    let mut y_before = y;
                    if k {
                        let mut y_now = y;
                        let mut y_now_2 = y;
                        let mut t_2: f32 = (y_now_2 * y_now);
                        y = t_2;
                    }
                    let mut y_now_3 = y;
                    let mut d_y: f32 = 0.0f32;
                    let mut g_2: f32 = d_out[i];
                    let mut d_t_3: f32 = g_2;
                    let mut slope: ::gpu_runtime::gradient::Dual32 = ::gpu_runtime::gradient::Dual32::exp(
                        ::gpu_runtime::gradient::Dual32::variable(y_now_3, 1.0),
                    );
                    let mut d_y_now_3: f32 = d_t_3 * slope.tangent;
                    d_y += d_y_now_3;
                    {
                        let mut y = y_before;
                        if k {
                            let mut y_now = y;
                            let mut y_now_2 = y;
                            let mut t_2: f32 = (y_now_2 * y_now);
                            y = t_2;
                            let mut g: f32 = d_y;
                            d_y = 0.0f32;
                            let mut d_t_2: f32 = g;
                            let mut d_y_now_2: f32 = d_t_2 * y_now;
                            let mut d_y_now: f32 = d_t_2 * y_now_2;
                            d_y += d_y_now_2;
                            d_y += d_y_now;
                        }
                    }
                    let mut d_t: f32 = d_y;
                    d_x[i] += d_t;
                }
            }
        "#]],
    );
}

#[test]
fn loops_that_need_their_own_values_go_backward_from_snapshots() {
    check(
        "fn growth(x: &[f32], n: usize, out: &mut [f32]) {
            let i = grid_1d();
            if i < out.len() {
                let mut p = x[i];
                for k in 0..n {
                    p *= p + k as f32;
                }
                out[i] = p;
            }
        }",
        &expect![[r#"
            fn growth_grad(
                x: &[f32],
                n: usize,
                d_out: &[f32],
                d_x: &mut [f32],
            ) {
                let mut i: usize = ::gpu_runtime::prelude::grid_1d();
                if (i < d_out.len()) {
                    let mut t: f32 = x[i];
                    let mut p: f32 = t;
                    let mut p_before = p;
                    for k in 0usize..n {
                        let mut p_now = p;
                        let mut t_2: f32 = (p_now + (k as f32));
                        let mut p_now_2 = p;
                        let mut t_3: f32 = (p_now_2 * t_2);
                        p = t_3;
                    }
                    let mut rounds = n.saturating_sub(0usize);
                    let mut d_p: f32 = 0.0f32;
                    let mut g_2: f32 = d_out[i];
                    let mut d_p_now_3: f32 = g_2;
                    d_p += d_p_now_3;
                    {
                        let mut p = p_before;
                        let far = rounds.div_ceil(32).max(1);
                        let near = far.div_ceil(32);
                        let mut p_far = [p; 32];
                        let mut p_near = [p; 32];
                        for round in 0..rounds {
                            if round % far == 0 {
                                p_far[round / far] = p;
                            }
                            let k = 0usize + round;
                            let mut p_now = p;
                            let mut t_2: f32 = (p_now + (k as f32));
                            let mut p_now_2 = p;
                            let mut t_3: f32 = (p_now_2 * t_2);
                            p = t_3;
                        }
                        for part in (0..rounds.div_ceil(far)).rev() {
                            p = p_far[part];
                            let first = part * far;
                            let end = (first + far).min(rounds);
                            for round in first..end {
                                if (round - first) % near == 0 {
                                    p_near[(round - first) / near] = p;
                                }
                                let k = 0usize + round;
                                let mut p_now = p;
                                let mut t_2: f32 = (p_now + (k as f32));
                                let mut p_now_2 = p;
                                let mut t_3: f32 = (p_now_2 * t_2);
                                p = t_3;
                            }
                            for last in (first..end).rev() {
                                let part = (last - first) / near;
                                p = p_near[part];
                                for round in first + part * near..last {
                                    let k = 0usize + round;
                                    let mut p_now = p;
                                    let mut t_2: f32 = (p_now + (k as f32));
                                    let mut p_now_2 = p;
                                    let mut t_3: f32 = (p_now_2 * t_2);
                                    p = t_3;
                                }
                                let round = last;
                                let k = 0usize + round;
                                let mut p_now = p;
                                let mut t_2: f32 = (p_now + (k as f32));
                                let mut p_now_2 = p;
                                let mut t_3: f32 = (p_now_2 * t_2);
                                p = t_3;
                                let mut g: f32 = d_p;
                                d_p = 0.0f32;
                                let mut d_t_3: f32 = g;
                                let mut d_p_now_2: f32 = d_t_3 * t_2;
                                let mut d_t_2: f32 = d_t_3 * p_now_2;
                                d_p += d_p_now_2;
                                let mut d_p_now: f32 = d_t_2;
                                d_p += d_p_now;
                            }
                        }
                    }
                    let mut d_t: f32 = d_p;
                    d_x[i] += d_t;
                }
            }
        "#]],
    );
}

#[test]
fn additions_without_atomics_are_proved() {
    let is_plain = |kernel: &str| adjoint(kernel).expect("the kernel has a gradient").1;
    let own = "fn k(x: &[f32], out: &mut [f32]) { let i = grid_1d(); if i < out.len() { out[i] = x[i] * x[i]; } }";
    assert_eq!(is_plain(own), [true, false]);
    let of_neighbours =
        "fn k(x: &[f32], y: &[f32], out: &mut [f32]) { let i = grid_1d(); if i < out.len() { out[i] = x[i] + x[i + 1] * y[i]; } }";
    assert_eq!(is_plain(of_neighbours), [false, true, false]);
    let of_all = "fn k(x: &[f32], out: &mut [f32]) { let i = grid_1d(); if i < out.len() { for j in 0..x.len() { out[i] += x[j]; } } }";
    assert_eq!(is_plain(of_all), [false, false]);
    // Each thread begins at another column, so that they do not wait for each other at `w`; rows are still theirs.
    let of_rows = "fn k(a: View<f32, 2>, w: &[f32], out: &mut [f32]) {
        let i = grid_1d();
        if i < out.len() && i < a.shape()[0] { for k in 0..w.len() { out[i] += a[[i, k]] * w[k]; } }
    }";
    assert_eq!(is_plain(of_rows), [true, false, false]);
}

#[test]
fn what_has_no_gradient_is_refused() {
    let guarded = |body: &str| {
        format!("fn k(x: &[f32], n: usize, out: &mut [f32]) {{ let i = grid_1d(); if i < out.len() && i < x.len() {{ {body} }} }}")
    };
    let mut wrong = Vec::new();
    for (body, expected) in [
        ("out[i] = out[i] * x[i];", "`out` is written and read"),
        ("out[i] = x[i]; out[i] *= 2.0;", "`out` is written and read"),
        ("let y = &mut out[i]; *y = x[i]; let z = *y; *y = z * z;", "`out` is written and read"),
        ("let y: f32 = norm(out, i); out[i] = x[i] * y;", "a call with an array or a reference"),
        ("let y: f32 = norm(x, i); out[i] = y;", "a call with an array or a reference"),
        ("for j in 0..n { if j > 2 { if x[j] > 1.0 { break; } out[i] += x[j]; } out[i] += 1.0; }", "`break` here is not supported"),
        ("let y = loop { break x[i]; }; out[i] = y;", "`loop` with a value is not supported"),
        ("loop { out[i] = x[i]; return; }", "`return` here is not supported"),
        ("for j in 0..n { if x[j] > 1.0 { return; } out[i] += x[j]; }", "`return` here is not supported"),
        (
            "for j in 0..n { for m in 0..n { if m > j { if x[m] > 0.0 { continue; } out[i] += x[j]; } out[i] += 1.0; } }",
            "`continue` here is not supported",
        ),
        ("out[i] = x[i].floor();", "the derivative of `floor` is zero"),
        ("out[i] = x[x[i] as usize];", "a conversion to `usize` loses the derivative"),
        ("let j = x[i] as i32; out[i] = x[i] * j as f32;", "a conversion to `i32` loses the derivative"),
        ("out[i] = x[i].signum();", "the derivative of `signum` is not supported"),
        ("out[i] = x[i].to_bits() as f32;", "the derivative of `to_bits` is not supported"),
        ("out[i] = f32::from_bits(x[i].to_bits() ^ 1);", "not supported"),
        ("let f = |a: f32| a * a; out[i] = f(x[i]);", "a closure is not supported"),
        ("let y = [x[i]; 30]; out[i] = y[0];", "an array with this value is not supported"),
        ("let y = [x[i]; 3]; let z: f32 = norm(&y); out[i] = z;", "a call with an array or a reference"),
        ("let y = [0.0; 17]; let z = y; out[i] = z[0] * x[i];", "an array of more than 16 elements as a whole"),
        ("let y = Particle { mass: x[i] }; out[i] = y.mass;", "values of `Particle` are not supported here"),
        ("let mut y = [x[i], 1.0]; let z = &mut y[0]; *z = 2.0; out[i] = y[0];", "a reference here is not supported"),
        ("let y = (x[i], x.get(0)); out[i] = y.0;", "not supported"),
        ("let (a, b) = x[i].sin_cos(); out[i] = a * b;", "not supported"),
        ("let mut y = 0.0; let r = &mut y; *r = x[i]; out[i] = y;", "a reference here is not supported"),
        ("out[i] = match n { 0 => x[i], _ => 1.0 };", "`match` is not supported"),
        ("out[i] = x.get(i).copied().unwrap_or(0.0);", "not supported"),
        ("out[i] = warp_max(x[i]);", "the gradient of `warp_max` is not supported"),
        ("let m = block_max(x[i]).await; out[i] = m;", "the gradient of `block_max` is not supported"),
        ("out[i] = g(&x[..2]);", "not supported"),
        ("assert!(n > 2); out[i] = x[i];", "`assert!` is not supported"),
        ("let mut k = n; let _ = next(&mut k); out[i] = x[i];", "not supported"),
        ("let mut k = n; let _ = n > 2 && { k = 9; true }; out[i] = k as f32 * x[i];", "not supported"),
    ] {
        let kernel = guarded(body);
        wrong.extend(refusal(&kernel, expected).map(|wrong| format!("{body}: {wrong}")));
    }
    for (kernel, expected) in [
        ("fn k(n: u32, out: &mut [f32]) { out[0] = n as f32; }", "there is nothing to differentiate by"),
        ("fn k(x: &[f32], out: &mut [u32]) { out[0] = 1; }", "there is nothing to differentiate: "),
        ("fn k(x: &[f32], s: &[AtomicF32]) { s[0].fetch_add(x[0], Ordering::Relaxed); }", "the gradient through the atomics of `s`"),
        ("fn k(x: &[Particle], out: &mut [f32]) { out[0] = x[0].mass; }", "values of `Particle` are not supported here"),
        ("fn k(p: Particle, out: &mut [f32]) { out[0] = p.mass; }", "values of `Particle` are not supported here"),
    ] {
        wrong.extend(refusal(kernel, expected).map(|wrong| format!("{kernel}: {wrong}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is wrong, unless the kernel is refused with a message that contains `expected`.
fn refusal(kernel: &str, expected: &str) -> Option<String> {
    match adjoint(kernel) {
        Ok((text, _)) => Some(format!("it has the gradient {text}")),
        Err(errors) => (!errors.contains(expected)).then(|| format!("no `{expected}` in {errors}")),
    }
}
