//! What becomes of a kernel with structs.

use super::{hand_over, separate_fields, take_fields};
use crate::errors::Errors;
use crate::model::RuntimePath;
use quote::ToTokens;
use std::str::FromStr;

const FIELDS: &str = "struct b [T] { x: [DeviceArray<T>] v: [gpu_runtime::DeviceArray<f32>] p: [DeviceSlice<'a, P>] n: [usize] names: [Vec<String>] } , block = 64";

/// The header and the body of the kernel whose parameter is `b: &mut B<f64>`, or the messages.
fn separated(body: &str) -> String {
    let errors = Errors::new();
    let mut function = syn::parse_str(&format!("fn k(before: u8, b: &mut B<f64>, dt: f32) {{ {body} }}")).expect("a function");
    let (fields, rest) = take_fields(FIELDS.parse().expect("tokens"));
    assert_eq!(rest.to_string(), "block = 64");
    separate_fields(&mut function, fields, &errors);
    match errors.check() {
        Ok(()) => function.to_token_stream().to_string(),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn check(body: &str, expected: &str) {
    let expected = proc_macro2::TokenStream::from_str(expected).expect("tokens").to_string();
    assert_eq!(separated(body), expected);
}

#[track_caller]
fn check_refused(body: &str, message: &str) {
    let found = separated(body);
    assert!(found.contains(message), "no `{message}` in {found}");
}

#[test]
fn fields_become_parameters_in_place_of_the_struct() {
    check(
        "b.v[0] += b.x[0] * dt; assert!(b.n > 1);",
        "fn k(before: u8, b_v: &mut [f32], b_x: &[f64], b_n: usize, dt: f32) { b_v[0] += b_x[0] * dt; assert!(b_n > 1); }",
    );
    check("let b_x = 1; b.x[b_x] = 0.0;", "fn k(before: u8, b_x_: &mut [f64], dt: f32) { let b_x = 1; b_x_[b_x] = 0.0; }");
    check("for i in 0..b.n { f(a.b.x, 'b'); }", "fn k(before: u8, b_n: usize, dt: f32) { for i in 0..b_n { f(a.b.x, 'b'); } }");
    check("'b: loop { break 'b; }", "fn k(before: u8, dt: f32) { 'b: loop { break 'b; } }");
}

#[test]
fn arrays_that_are_only_read_are_shared() {
    for read in [
        "y = b.x[i];",
        "y = b.x[i].sqrt() + 1.0;",
        "y = b.x[b.x.len() - 1];",
        "f(&b.x[1..]);",
        "b.v[0] = b.x[1] - 1;",
        "if b.x[0] == b.x[1] {}",
        "y = b.p[i].mass.max(1.0);",
        "if b.x[0] >= 1.0 {}",
    ] {
        assert!(separated(read).contains("_x : & [f64]") || separated(read).contains("_p : & [P]"), "{read}: {}", separated(read));
    }
    for written in [
        "b.x[i] = y;",
        "b.x[i] -= y;",
        "b.x[i] >>= 1;",
        "(b.x[i], y) = (1.0, 2.0);",
        "[[y, b.x[i]]] = z;",
        "f(&mut b.x[i]);",
        "f(b.x);",
        "b.x[i].change();",
        "b.x.fill(0.0);",
        "b.x[..].fill(0.0);",
        "b.x.iter_mut();",
        "b.x[0][1]=-1.0;",
    ] {
        assert!(separated(written).contains("_x : & mut [f64]"), "{written}: {}", separated(written));
    }
}

#[test]
fn the_struct_is_used_by_its_fields_only() {
    for other in ["let b = 1;", "f(b);", "f(&b);", "|b: f32| 1.0;", "B { b };", "b[0];", "let y = b;", "b::f();", "m!(b);"] {
        check_refused(other, "by its fields only");
    }
    check_refused("b.y[0] = 1.0;", "`b` has no field `y`");
    check_refused("b.step();", "`b` has no field `step`");
    check_refused("b.n = 1;", "gets a copy of `b.n`");
    check_refused("(b.n, y) = (1, 2);", "gets a copy of `b.n`");
}

#[test]
fn a_struct_is_handed_to_the_macro_of_its_name() {
    let handed_over = |header: &str, arguments: &str| {
        let function = syn::parse_str(&format!("{header} {{}}")).expect("a function");
        let arguments: proc_macro2::TokenStream = arguments.parse().expect("tokens");
        let (mut fields, _) = take_fields(arguments.clone());
        let errors = Errors::new();
        let handed_over = hand_over(&function, &mut fields, &arguments, &RuntimePath::default(), &errors);
        errors.check().expect("there is no mistake");
        handed_over.map(|tokens| tokens.to_string().replace(' ', ""))
    };
    let first = handed_over("fn k(x: &[f32], a: &data::A<f32>, b: &mut B)", "block = 64").expect("there is a struct");
    assert!(first.starts_with("data::A!{[::gpu_runtime::gpu_kernel]a[,block=64]fnk("), "{first}");
    let second = handed_over("fn k(a: &A, b: &mut B)", "struct a [] { x: [DeviceArray<f32>] }").expect("there is another");
    assert!(second.starts_with("B!{[::gpu_runtime::gpu_kernel]b[,structa[]{x:[DeviceArray<f32>]}]"), "{second}");
    for header in
        ["fn k<T: Num>(x: &T)", "fn k(x: &f32, y: &u8, z: &AtomicU32)", "fn k(x: &[f32], y: &mut Vec<f32>)", "fn k(x: &View<f32, 2>)"]
    {
        assert_eq!(handed_over(header, ""), None, "{header}");
    }
}
