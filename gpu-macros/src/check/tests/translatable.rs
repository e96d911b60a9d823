//! What CUDA C cannot say.

use super::super::check_function;
use crate::errors::Errors;
use crate::infer::infer_function;
use crate::lower::lower_function;
use crate::model::*;

/// The messages for a kernel with this body.
fn messages(body: &str) -> Vec<String> {
    let item: syn::ItemFn = syn::parse_str(&format!("fn k(out: &mut [f32]) {{ {body} }}")).expect("the test's kernel parses");
    let errors = Errors::new();
    let lowered = lower_function(Item::free(&item, FunctionKind::Kernel(KernelOptions::default()), RuntimePath::default()), &errors);
    let function = infer_function(lowered.expect("the test's signature is sound"), &errors);
    check_function(&function, 0, &errors);
    errors.check().err().into_iter().flatten().map(|error| error.to_string()).collect()
}

#[test]
fn shared_memory_is_declared_by_a_let_alone() {
    for good in ["let mut t = shared::<[f32; 4]>(); t[0] = 1.0;", "let t = dynamic_shared::<f32>(4); out[0] = t[0];"] {
        assert_eq!(messages(good), [""; 0], "{good}");
    }
    let array = "shared::<[f32; 4]>()";
    for bad in [
        format!("let t = ({array}, 1);"),
        format!("let t = {{ {array} }};"),
        format!("let t = if out.len() > 1 {{ {array} }} else {{ {array} }};"),
        format!("let _ = {array};"),
        format!("{array};"),
        format!("out[0] = {array}[0];"),
        format!("out[0] = f({array});"),
        format!("out[0] = f(&mut {array});"),
        format!("let t; t = {array};"),
        format!("let t: [f32; 4] = {array};"),
        format!("let t: Shared<[f32; 4]> = {array};"),
        "let (t, u) = dynamic_shared::<f32>(4);".to_owned(),
        "out[0] = dynamic_shared::<f32>(4)[0];".to_owned(),
    ] {
        let found = messages(&bad);
        assert!(!found.is_empty(), "{bad}");
    }
}

#[test]
fn only_arrays_have_a_length() {
    for good in
        ["out[0] = [1, 2].len() as f32;", "let a = [0.0; 4]; if !a.is_empty() { out[a.len()] = 1.0; }", "out[0] = TABLE.len() as f32;"]
    {
        assert_eq!(messages(good), [""; 0], "{good}");
    }
    for bad in ["1usize.len();", "out[0].len();", "let x = 1; x.is_empty();", "(1, 2).len();", "out.len().len();"] {
        assert_eq!(messages(bad), ["only arrays, slices and views have a length"], "{bad}");
    }
    assert_eq!(messages("let a = f(); a.len();").len(), 1);
}

#[test]
fn the_order_of_an_update_does_not_matter() {
    for good in [
        "let mut i = 0; out[i] += { i += 1; 2.0 };",
        "let mut a = [Pair::ZERO; 4]; a[0] += Pair { x: of(2) };",
        "let mut i = 0; let b = [1.0f32]; out[i] += &b[0]; i += 1;",
        "let mut a = [Pair::ZERO; 4]; a[at(1)] += Pair { x: 1.0 };",
    ] {
        assert_eq!(messages(good), [""; 0], "{good}");
    }
    for bad in [
        "let mut a = [Pair::ZERO; 4]; a[at(1)] += Pair { x: of(2) };",
        "let mut a = [Pair::ZERO; 4]; let c = shared::<[AtomicU32; 4]>(); a[c[0].fetch_add(1, Relaxed) as usize] += Pair { x: c[0].fetch_add(1, Relaxed) };",
        "let mut i = 0; let b = [1.0f32]; out[i] += &b[{ i = 1; 0 }];",
    ] {
        let found = messages(bad);
        assert!(found.iter().any(|message| message.contains("the order in which they are evaluated")), "{found:?}: {bad}");
    }
}
