//! What the adjoints of kernels look like, and what has none.

use super::Adjoint;
use crate::errors::Errors;
use crate::model::*;
use crate::pipeline::compile;

/// The adjoint of the kernel, with atomics, as text; or the errors.
fn adjoint(kernel: &str) -> Result<String, String> {
    let item: syn::ItemFn = syn::parse_str(kernel).expect("the test's kernel parses");
    let errors = Errors::new();
    let kind = FunctionKind::Kernel(KernelOptions::default());
    let compiled = compile(Item::free(&item, kind, RuntimePath::default()), 0, &errors).expect("the signature is sound");
    errors.check().expect("the kernel is accepted");
    let errors = Errors::new();
    let text = Adjoint::of(&compiled.function, &item, &errors).and_then(|adjoint| {
        let is_plain = vec![false; adjoint.parameters.len()];
        adjoint.compile(&Default::default(), &is_plain, &errors)?;
        Some(adjoint.write(&is_plain).to_string())
    });
    let texts = |error: syn::Error| error.into_iter().map(|error| error.to_string()).collect::<Vec<_>>().join("\n");
    errors.check().map_err(texts)?;
    Ok(text.expect("there is an adjoint without errors"))
}

#[test]
fn adjoints_are_kernels() {
    for kernel in [
        "fn k(x: &[f32], out: &mut [f32]) { let i = grid_1d(); if i < out.len() { out[i] = x[i] * x[i] + 1.0; } }",
        "fn k(x: &[f32], out: &mut [f32]) { let i = grid_1d(); if i >= out.len() { return; } let y = x[i]; out[i] = (y.sin() / y).max(0.5); }",
        "fn k(x: &[f32], w: &[f32], out: &mut [f32]) { let i = grid_1d(); if i >= out.len() { return; } let mut sum = 0.0; for k in 0..w.len() { sum += x[i + k] * w[k]; } out[i] = sum; }",
        "fn k(x: &[f32], a: f32, out: &mut [f32]) { let i = grid_1d(); if i < out.len() { let mut y = x[i]; if y < 0.0 { y = y * a; } else { y *= y; } out[i] = y.exp(); } }",
        "fn k(x: &[f32], out: &mut [f32]) { let i = grid_1d(); if i < out.len() { let y = if x[i] > 0.0 { x[i].sqrt() } else { 0.0 }; let mut v = 0.0; for j in 0..4 { v = 0.5 * v + y * x[j]; } out[i] = v; } }",
        "fn k(x: &[f32], out: &mut [f32]) { for i in grid_stride(out.len()) { out[i] = x[i] * 3.0; } }",
        "fn k(x: &[f32], y: &[f32], out: &mut [f32]) { let i = grid_1d(); if i < out.len() { out[i] = x.iter().zip(y).map(|(a, b)| a * b).sum::<f32>(); } }",
    ] {
        match adjoint(kernel) {
            Ok(text) => println!("{kernel}\n=> {}\n", text.replace(';', ";\n").replace('{', "{\n").replace('}', "}\n")),
            Err(errors) => panic!("{kernel}\n{errors}"),
        }
    }
}
