//! The CUDA C of kernels whose shared arrays race, of functions that take them, and of values that nobody wants.

use super::super::analysis::analyze;
use super::*;
use crate::emit::Piece;
use crate::emit::cuda::write_cuda_function;
use crate::infer::infer_function_in;

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
            Piece::Width { wide, .. } => add(wide, text),
            Piece::Function { callee, races } => {
                let name = callee.path.segments.last().expect("a path has a name");
                text.push_str(&format!("{}{}", name.ident, if *races { "_racing" } else { "" }));
            }
            Piece::Associated { races: true, .. } => text.push_str("method_racing"),
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
        // Another thread may have written to it: nothing is known of the sum.
        (
            "let mut c = shared::<[i32; 256]>(); c[i % m] = 1; let r = &mut c[t]; *r = 5; *r += 1;",
            "gr_racing(r) = gr_wrapping_add(gr_racing(r), 1);",
        ),
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

/// What is written for a device function with this body where the arrays that it takes may race.
fn racing_text_of(body: &str) -> String {
    let params = "k: &[u32], p: &mut [(u32, f32)], s: &mut [Pair], a: &[u32; 8], w: &mut [f32; 4], x: [f32; 4], n: usize, i: usize";
    let source = format!("fn f({params}) -> f32 {{ {body} }}");
    let item: syn::ItemFn = syn::parse_str(&source).unwrap_or_else(|error| panic!("{error}: {source}"));
    let errors = Errors::new();
    let function = lower_function(Item::free(&item, FunctionKind::Device, RuntimePath::default()), &errors)
        .map(|lowered| infer_function_in(lowered, None, &errors));
    errors.check().unwrap_or_else(|error| panic!("{error}: {source}"));
    let function = function.expect("a function without errors");
    let source = write_cuda_function(&function, &analyze(&function, Vec::new()));
    let mut text = String::new();
    add(&source.racing.expect("it takes arrays").body, &mut text);
    text
}

#[test]
fn functions_read_what_races_once() {
    let mut wrong = Vec::new();
    for (body, expected) in [
        ("let q = k[i]; if (q as usize) < n { x[q as usize % 4] } else { 0.0 }", "q = gr_racing(k[i]);"),
        ("x[a[i] as usize]", "value = gr_racing(a[i]);"),
        ("for v in k { if *v > 3 { return x[*v as usize % 4]; } } 0.0", "v = gr_racing(k[v_index]);"),
        ("for (v, u) in k.iter().zip(a) { if v < u { return x[*v as usize]; } } 0.0", "u = gr_racing(a[index]);"),
        ("k.iter().filter(|v| **v > 3).map(|v| x[*v as usize % 4]).sum::<f32>()", "v = gr_racing(k[v_index]);"),
        ("if let Some(v) = k.get(i) { x[*v as usize % 4] } else { 0.0 }", "gr_some<u32>(gr_racing(k[i]))"),
        ("let part = &k[2..n]; x[part[i] as usize]", "gr_racing(k[2ull + value])"),
        ("let b = k; x[b[i] as usize]", "(usize)gr_racing(b[i])"),
        ("let b = *a; x[b[i] as usize]", "b = gr_racing_copy(a);"),
        ("let r = &k[i]; if *r < 4 { x[*r as usize] } else { 0.0 }", "const u32 r = gr_racing(k[i]);"),
        ("let (b, c) = p[i]; x[b as usize] * c", "value = gr_racing_copy(p[i]);"),
        ("for v in p.iter_mut() { v.0 += 1; } 0.0", "gr_racing(v._0) += 1u;"),
        ("p.swap(0, i); 0.0", "p[0ull] = gr_racing_copy(p[i]);"),
        ("s[i].weight(2)", "(gr_racing_loan<decltype(gr_receiver())>(s[i]).get(), 2)"),
        ("x[(-s[i]).key as usize]", "(gr_racing_copy(s[i])).key"),
        ("let r = &s[i]; r[n] as f32", "(gr_racing_copy(r), "),
        ("let f = |j: usize| k[j]; x[f(i) as usize]", "return gr_racing(k[j]);"),
        ("let mut j = 0; for _ in 0..n { j = k[j] as usize; } j as f32", "gr_racing(k[gr_clamped(j, k_len)])"),
        // Two reads are of two values: what the first one is says nothing of the second one.
        ("if k[i] < 4 { x[k[i] as usize] } else { 0.0 }", "if (index >= 4) gr_panic("),
        ("let r = &mut p[i]; if r.0 < 4 { x[r.0 as usize] } else { 0.0 }", "if (index >= 4) gr_panic("),
        ("g(k)", "g_racing(k, k_len)"),
        ("g(&k[..4])", "g_racing(k, 4ull)"),
        ("g(a)", "g_racing(a.data, 8)"),
        ("g(p)", "g_racing(p, p_len)"),
        ("z.pick(k)", "method_racing(value, k, k_len)"),
        ("Z::pick(a)", "method_racing(a.data, 8)"),
        ("g(&x)", "g(x.data, 4)"),
        ("let h = |row: &[u32; 8]| row[0]; x[h(a) as usize]", "h(gr_racing_copy(a))"),
        ("g(k[i])", "g(gr_racing(k[i]))"),
        ("g(&mut p[i])", "g(gr_racing_loan<>(p[i]).get())"),
    ] {
        let text = racing_text_of(body);
        if !text.contains(expected) {
            wrong.push(format!("{expected}: {text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn functions_are_called_for_what_races() {
    for (body, expected) in [
        ("out[i] = f(&s, t);", "f_racing(s.data, 256, t)"),
        ("out[i] = f(&s[..8]);", "f_racing(s.data, 8ull)"),
        ("f(&mut s);", "f_racing(s.data, 256)"),
        ("out[i] = z.pick(&s);", "method_racing(z, s.data, 256)"),
        ("out[i] = f(x);", "f(x, x_len)"),
    ] {
        let text = text_of(&format!("let mut s = shared::<[u32; 256]>(); s[i % m] = 1; {body}"));
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let text = text_of("let mut s = shared::<[u32; 256]>(); s[t] = 1; sync_threads(); out[i] = f(&s[..8]);");
    assert!(text.contains("f(s.data, 8ull)"), "{text}");
}
