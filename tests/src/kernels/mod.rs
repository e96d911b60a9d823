//! The conformance kernels, one module per topic, with the cases that show what they must do.

pub mod arrays;
pub mod bindings;
pub mod casts;
pub mod closures;
pub mod constants;
pub mod control;
pub mod device_functions;
pub mod elements;
pub mod failures;
pub mod float_methods;
pub mod generic_kernels;
pub mod generics;
pub mod indices;
pub mod int_methods;
pub mod names;
pub mod operators;
pub mod ranges;
pub mod scalars;
pub mod shared_memory;
pub mod trigonometry;

use crate::bench::Case;

/// The cases of every topic.
pub fn all_cases() -> impl Iterator<Item = Case> {
    [
        scalars::CASES,
        bindings::CASES,
        operators::CASES,
        casts::CASES,
        control::CASES,
        ranges::CASES,
        constants::CASES,
        arrays::CASES,
        int_methods::CASES,
        float_methods::CASES,
        trigonometry::CASES,
        names::CASES,
        indices::CASES,
        shared_memory::CASES,
        device_functions::CASES,
        generics::CASES,
        generic_kernels::CASES,
        closures::CASES,
        failures::CASES,
        elements::CASES,
    ]
    .into_iter()
    .flatten()
    .copied()
}
