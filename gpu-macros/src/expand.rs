//! The pipeline on one screen: lower → infer → check → emit, with a gate after every stage.

use crate::check::{check_bounds, check_races, check_rules};
use crate::emit::cuda::write_cuda_function;
use crate::emit::rust::{expand_fallback, expand_function};
use crate::errors::Errors;
use crate::infer::infer_function;
use crate::lower::{lower_function, parse_device_options, parse_kernel_options};
use crate::model::{Function, FunctionKind};
use proc_macro2::TokenStream;
use quote::quote;

/// `#[gpu_kernel(arguments)] item`.
pub(crate) fn expand_kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let errors = Errors::new();
    let (options, runtime) = parse_kernel_options(arguments, &errors);
    expand(item, FunctionKind::Kernel(options), runtime, errors)
}

/// `#[gpu_device(arguments)] item`.
pub(crate) fn expand_device(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let errors = Errors::new();
    let runtime = parse_device_options(arguments, &errors);
    expand(item, FunctionKind::Device, runtime, errors)
}

fn expand(item: TokenStream, kind: FunctionKind, runtime: TokenStream, errors: Errors) -> TokenStream {
    let parsed: syn::ItemFn = match syn::parse2(item.clone()) {
        Ok(parsed) => parsed,
        Err(error) => {
            errors.push_syn(error);
            let error = errors.check().expect_err("an error was just added").into_compile_error();
            return quote!(#error #item);
        }
    };
    let Some(mut function) = type_function(&parsed, kind, runtime, &errors) else {
        // Not even the signature is sound: keep the user's function, so that editors can still work on it.
        let error = errors.check().expect_err("a broken signature has errors").into_compile_error();
        return quote!(#error #[allow(dead_code, unused)] #parsed);
    };
    check_rules(&function, &errors);
    if let Err(error) = errors.check() {
        let error = error.into_compile_error();
        let fallback = expand_fallback(&function, &parsed);
        return quote!(#error #fallback);
    }
    check_bounds(&mut function);
    let proof = check_races(&function);
    let source = write_cuda_function(&function);
    expand_function(&function, &proof, &source)
}

/// Lowers and types `item`. `None` when its signature is broken.
fn type_function(item: &syn::ItemFn, kind: FunctionKind, runtime: TokenStream, errors: &Errors) -> Option<Function> {
    let lowered = lower_function(item, kind, runtime, errors)?;
    Some(infer_function(lowered, errors))
}
