//! Golden tests: the generated Rust as rustfmt would print it.

use super::expand_function;
use crate::emit::{Piece, Source};
use crate::errors::Errors;
use crate::infer::infer_function;
use crate::lower::lower_function;
use crate::model::*;
use expect_test::{Expect, expect};
use quote::quote;

fn model(code: &str, kind: FunctionKind) -> Function {
    let item: syn::ItemFn = syn::parse_str(code).expect("the test's function parses");
    let errors = Errors::new();
    let lowered = lower_function(&item, kind, quote!(::gpu_runtime), &errors).expect("the test's signature is sound");
    let function = infer_function(lowered, &errors);
    errors.check().expect("the test's function is accepted");
    function
}

fn kernel_options() -> KernelOptions {
    KernelOptions { block: None, fmad: true }
}

fn kernel(code: &str) -> Function {
    model(code, FunctionKind::Kernel(kernel_options()))
}

fn source(body: Vec<Piece>) -> Source {
    Source { name: "name_in_c".into(), prototype: Vec::new(), body, snippets: vec!["panic"] }
}

fn proved() -> RaceFreedom {
    RaceFreedom::Proved { grid_axes: 1, block_axes: 1, conditions: Vec::new() }
}

fn print(function: &Function, proof: &RaceFreedom, body: Vec<Piece>) -> String {
    let tokens = expand_function(function, proof, &source(body));
    prettyplease::unparse(&syn::parse2(tokens).expect("the expansion is Rust")).replace("::gpu_runtime::__private::", "$")
}

/// The lines from the one that contains `from` up to the one that contains `to`.
fn excerpt(text: &str, from: &str, to: &str) -> String {
    let lines = text.lines().skip_while(|line| !line.contains(from));
    lines.take_while(|line| !line.contains(to)).map(|line| format!("{line}\n")).collect()
}

/// Checks the statements of the twin of a kernel with this body.
fn check_body(params: &str, body: &str, expected: Expect) {
    let text = print(&kernel(&format!("fn k({params}) {{ {body} }}")), &proved(), Vec::new());
    let text = excerpt(&text, "let __value: () = ", "#[allow(unreachable_code)]");
    // Every site is printed with `file!()` and its position; which one it is shows in the kind.
    let mut short = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("const {") {
        let (site, after) = after.split_once("},\n").unwrap_or_else(|| after.split_once('}').expect("a site ends"));
        let kind = site.split_once("SiteKind::").map_or("", |(_, kind)| kind.lines().next().unwrap_or_default());
        short.push_str(before);
        short.push_str(&format!("<{}>", kind.trim_end_matches(',')));
        rest = after;
    }
    expected.assert_eq(&(short + rest));
}

#[test]
fn smoke() {
    let f = kernel(
        "#[cfg(feature = \"a\")] #[expect(unused)] /// Doc.\npub(crate) fn k(x: &[f32], mut n: u32, out: &mut [f32]) {
            const C: usize = 4;
            let i = grid_1d();
            let t = 2. * 3.0;
            let mut acc = -1;
            acc += 2 << n;
            acc = acc / 3 % -acc;
            if i < out.len() && n > 3 { out[i] = x[i] + t; out[i + 1] += 3.0; out[i] -= x[out.len() - 1]; }
            else if i == 4 { return; } else { panic!(\"no\"); }
            let (a, mut b) = (1u8, x[0].sin_cos());
            (b.0, out[2]) = (b.1, b.0);
            'o: for j in (0..n).rev().step_by(C) { for k in 0..=j { if k == 2 { continue 'o; } break; } }
            let r = loop { break acc.pow(2).abs() };
            let m = r.max(3).clamp(0, 5).rem_euclid(2);
            let mut arr = [[0; C]; 3];
            arr[1][i] = arr[0][arr[0][0] as usize] + m;
            assert!(i != 5, \"five\");
            debug_assert!(i != 6);
            out[0] = dev::f(x, &arr[1], out, &mut arr[2]) as f32;
            for q in grid_stride(i) { out[q] = f32::from_bits(1); }
            let w = u64::from(a) as i32;
        }",
    );
    println!("{}", print(&f, &proved(), vec![Piece::Text("a".into()), Piece::Constant(quote!(C)), Piece::Function(syn::parse_quote!(dev::f)), Piece::Checked(vec![Piece::Site(0)]), Piece::Line(3)]));
    check_body("x: &[f32], out: &mut [f32]", "out[0] = x[1];", expect![[""]]);
}
