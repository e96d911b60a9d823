//! The CUDA C of kernels whose shared arrays race, and of values that nobody wants.

use super::super::analysis::analyze;
use super::*;
use crate::emit::Piece;
use crate::emit::cuda::write_cuda_function;

/// What is written for this body, without what only rustc knows.
fn text_of(body: &str) -> String {
    let source = format!("fn k(x: &[f32], m: usize, z: Pair, out: &mut [f32]) {{ let t = thread_idx().x; let i = grid_1d(); {body} }}");
    let function = kernel_with("block = 256", &source);
    let mut text = String::new();
    add(&write_cuda_function(&function, &analyze(&function, Vec::new())).body, &mut text);
    text
}

fn add(pieces: &[Piece], text: &mut String) {
    for piece in pieces {
        match piece {
            Piece::Text(part) => text.push_str(part),
            Piece::Overloaded { own, .. } => add(own, text),
            Piece::Checked(_, part) => add(part, text),
            _ => {}
        }
    }
}

#[test]
fn what_races_is_read_once() {
    let arrays = "let mut p = shared::<[(u32, f32); 256]>(); let mut s = shared::<[Pair; 256]>(); let mut b = shared::<[bool; 256]>();
        p[i % m] = (1, x[i]); s[i % m] = z; b[i % m] = true;";
    let mut wrong = Vec::new();
    for (body, expected) in [
        ("let q = p[t]; out[i] = x[q.0 as usize];", "q = gr_racing_copy(p[t]);"),
        ("let (k, v) = p[t]; out[i] = x[k as usize] * v;", "value = gr_racing_copy(p[t]);"),
        ("out[i] = x[p[t].0 as usize];", "gr_racing(p[t]._0)"),
        ("out[i] = x[s[t].key as usize];", "gr_racing_copy(s[t].key)"),
        ("match s[t] { Pair { key, .. } => out[i] = x[key as usize] }", " = gr_racing_copy(s[t]);"),
        ("let r = &s[t]; out[i] = x[r.key as usize];", "gr_racing_copy(r.key)"),
        ("if b[t] { out[i] = 1.0; }", "if (gr_racing_copy(b[t])) {"),
        ("out[i] = f(&s[t]);", "(gr_racing_copy(s[t]))"),
        ("f(&mut s[t]);", "(gr_racing_loan<>(s[t]).get())"),
        ("f(&mut s[t], { out[i] = 1.0; 2u32 });", "(gr_racing_loan<>(s[value]).get(), "),
        ("out[i] = s[t].weight(2);", "(gr_racing_loan<decltype(gr_receiver())>(s[t]).get(), 2)"),
        ("s[t] += z;", "(gr_racing_loan<>(s[t]).get(), z);"),
        ("s[t] = z;", "  s[t] = z;"),
        ("p[t].1 = 2.0;", "  gr_racing(p[t]._1) = 2.0f;"),
    ] {
        let text = text_of(&format!("{arrays} {body}"));
        if !text.contains(expected) {
            wrong.push(format!("{expected}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_does_not_race_is_plain() {
    let arrays =
        "let mut p = shared::<[(u32, f32); 256]>(); let mut s = shared::<[Pair; 256]>(); p[t] = (1, x[i]); s[t] = z; sync_threads();";
    for body in ["let q = p[t]; out[i] = x[q.0 as usize];", "out[i] = f(&s[0]); let (k, v) = p[255 - t]; out[i] *= v;"] {
        let text = text_of(&format!("{arrays} {body}"));
        assert!(!text.contains("gr_racing"), "{text}");
    }
}

#[test]
fn operators_run_though_nobody_wants_their_value() {
    for (body, expected) in [
        ("let _ = z + z;", "(z, z);"),
        ("let _ = -z;", "(z);"),
        ("z * z;", "(z, z);"),
        ("let (_, a) = (z + z, x[0]); out[i] = a;", "(z, z);"),
        ("let _ = z == z;", "(z, z);"),
    ] {
        let text = text_of(body);
        assert!(text.lines().any(|line| line.trim() == expected), "{expected}: {text}");
    }
    let text = text_of("let _ = m + m; let _ = x[i] * 2.0;");
    assert!(!text.contains("m + m") && !text.contains(" * 2.0"), "{text}");
}

#[test]
fn a_guard_computes_its_own_angle() {
    let text = text_of("for j in 0..m { match x[i + j] { v if v.sin() > 0.5 => out[i] += v.cos(), v => out[i] += v } }");
    for (at, _) in text.match_indices("v_angle)") {
        let before = &text[..at];
        let block = before.rfind("const gr_angle v_angle").expect("it is declared before");
        assert!(!before[block..].contains('}'), "{text}");
    }
}
