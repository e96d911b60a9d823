//! The conformance kernels, one module per topic, with the cases that show what they must do.

pub mod arrays;
pub mod atomic_operations;
pub mod atomics;
pub mod bindings;
pub mod bits;
pub mod block_functions;
pub mod caching;
pub mod casts;
pub mod complex;
pub mod constants;
pub mod control;
pub mod device_functions;
pub mod elements;
pub mod enums;
pub mod failures;
pub mod float_methods;
pub mod foreign;
pub mod generics;
pub mod indices;
pub mod int_methods;
pub mod let_conditions;
pub mod names;
pub mod operators;
pub mod options;
pub mod patterns;
pub mod random;
pub mod ranges;
pub mod recursion;
pub mod scalars;
pub mod shared_memory;
pub mod special_functions;
pub mod structs;
pub mod trigonometry;
pub mod tuning;
pub mod views;
pub mod warps;

use crate::bench::Case;

/// The cases of every topic.
pub fn all_cases() -> impl Iterator<Item = Case> {
    [
        scalars::CASES,
        bindings::CASES,
        operators::CASES,
        casts::CASES,
        control::CASES,
        patterns::CASES,
        let_conditions::CASES,
        enums::CASES,
        options::CASES,
        ranges::CASES,
        constants::CASES,
        complex::CASES,
        arrays::CASES,
        atomic_operations::CASES,
        atomics::CASES,
        int_methods::CASES,
        float_methods::CASES,
        trigonometry::CASES,
        special_functions::CASES,
        bits::CASES,
        caching::CASES,
        random::CASES,
        names::CASES,
        indices::CASES,
        shared_memory::CASES,
        structs::CASES,
        device_functions::CASES,
        generics::CASES,
        failures::CASES,
        elements::CASES,
        tuning::CASES,
        recursion::CASES,
        foreign::CASES,
        views::CASES,
        warps::CASES,
        block_functions::CASES,
    ]
    .into_iter()
    .flatten()
    .copied()
}
