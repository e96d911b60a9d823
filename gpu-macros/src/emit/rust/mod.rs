//! Prints the model as Rust: what the user's program contains in place of the annotated function.
//!
//! A kernel becomes its launcher, a module of the same name for tools, and the implementation of the runtime's
//! `KernelDefinition`: the CUDA C as a table of segments, and the *twin*, the body as native Rust, which rustc type-checks and
//! which the CPU backend runs. A device function becomes a host function, a module through which kernels find it by its Rust path,
//! and its twin. An array function is a device function whose module can map arrays through it.
//!
//! The twin computes what the GPU computes in every build profile, so its arithmetic is spelled out (`wrapping_add`), and the types
//! that inference found are written into it (`2.0f32`). If inference were wrong, rustc would refuse the program.
//!
//! # Hygiene
//!
//! The user's tokens keep their spans, so that rustc's messages land on them. Everything else has a mixed-site span at
//! the place of the user's code that it came from ([`tokens::glue`]): its variables are invisible to the user's code and
//! the other way round, and lints know that it is generated. Paths are in full, traits are named where their methods are
//! called, and there is no `use`: the result compiles under `#![no_implicit_prelude]`. That the paths lead where they should is asserted in
//! `model/runtime_path.rs`.
//!
//! A trait of the user's, in scope for every type, must not divert a method either. rustc looks for a method of the receiver itself first, there
//! for an inherent one first, and borrows the receiver only after that: of `array.len()`, which takes a reference, a trait that takes the array by
//! value would be called. So `x.name(…)` is generated only where the inherent method takes what `x` is: `__thread` and the arguments of a launch are
//! references, `__blocks` and numbers are taken by value. Other methods are functions of the runtime's, `calls::length(&array)`. Where rustc is to choose
//! between an inherent method and that of a trait, a third is ambiguous. `tests/ui/tests/hostile` puts such traits beside the kernels of the
//! conformance suite, for every method that it finds in the expansions.

mod array;
mod associated;
mod attributed;
mod attributes;
mod body;
mod bounds;
mod called;
mod cooperative;
mod device;
mod dynamic;
mod fallback;
mod generalized;
mod generics;
mod held;
mod kernel;
mod launcher;
mod method;
mod operator;
mod parameter;
mod proof;
mod reduction;
mod sites;
mod source_unit;
#[cfg(test)]
mod tests;
mod tokens;
mod uniform;

pub(crate) use attributed::{expand_if_attributed, expand_meaning_as_macro};
pub(crate) use fallback::{expand_fallback, expand_original, expand_surroundings};
pub(crate) use method::{ExpandedMethod, Home, code_name, expand_method, expand_method_stub, expand_required, mark_name};
pub(crate) use operator::{OperatorImpl, OperatorKind, expand_operator};
pub(crate) use tokens::visibility_from_inside;

use super::Source;
use crate::check::Analysis;
use crate::model::{Function, FunctionKind};
use proc_macro2::TokenStream;
use quote::quote;

/// The items that replace the annotated function, the one with its name first.
pub(crate) fn expand_function(function: &Function, analysis: &Analysis, source: &Source) -> TokenStream {
    match &function.kind {
        FunctionKind::Kernel(options) => {
            let module = launcher::expand_module(function, &analysis.race_freedom, &analysis.shared_races);
            let definition = kernel::expand_definition(function, options, analysis, source);
            let definition = if_bounds_are_attributed(function, definition, fallback::expand_kernel_definition);
            let items = quote!(#module #definition);
            launcher::expand_launcher(function, &analysis.race_freedom, &analysis.shared_races, items)
        }
        FunctionKind::Device => {
            let host_function = device::expand_host_function(function);
            let module = device::expand_module(function);
            let definition = device::expand_definition(function, source);
            let definition = if_bounds_are_attributed(function, definition, fallback::expand_device_stub);
            quote!(#host_function #module #definition)
        }
        FunctionKind::Array(options) => {
            let host_function = device::expand_host_function(function);
            let module = array::expand_module(function, options);
            let definition = device::expand_definition(function, source);
            let array_definition = array::expand_definition(function, options);
            quote!(#host_function #module #definition #array_definition)
        }
        FunctionKind::Generalized(options) => {
            let signature = options.signature.as_ref().expect("a function without a signature was refused");
            let host_function = device::expand_host_function(function);
            let module = generalized::expand_module(function, signature);
            let definition = device::expand_definition(function, source);
            let mapping = generalized::expand_definition(function, options, signature);
            quote!(#host_function #module #definition #mapping)
        }
    }
}

/// The definition of a function, or what stands in for it if a trait among its bounds lacks the attribute.
fn if_bounds_are_attributed(function: &Function, definition: TokenStream, fallback: impl FnOnce(&Function) -> TokenStream) -> TokenStream {
    let bounds = attributed::bounds(function);
    if bounds.is_empty() {
        return definition;
    }
    expand_if_attributed(&function.runtime, &attributes::repeated(function), bounds.into_iter(), definition, &fallback(function))
}
