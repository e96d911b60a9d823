//! The conformance kernels, one module per topic, with the cases that show what they must do.

pub mod adjoint_loops;
pub mod adjoint_shared;
pub mod adjoint_structs;
pub mod adjoints;
pub mod ahead;
pub mod array_values;
pub mod arrays;
pub mod atomic_operations;
pub mod atomic_views;
pub mod atomics;
pub mod bindings;
pub mod bits;
pub mod block_functions;
pub mod bounded;
pub mod caching;
pub mod cast_indices;
pub mod casts;
pub mod chains;
pub mod closures;
pub mod closures_and_values;
pub mod closures_in_chains;
pub mod comparisons;
pub mod complex;
pub mod constants;
pub mod control;
pub mod cooperation;
pub mod corners;
pub mod counted_loops;
pub mod data_enums;
pub mod device_functions;
pub mod dynamic_shared;
pub mod elements;
pub mod enums;
pub mod failures;
pub mod filters;
pub mod float_methods;
pub mod foreign;
pub mod fractals;
pub mod generic_enums;
pub mod generic_kernels;
pub mod generic_structs;
pub mod generic_values;
pub mod generics;
pub mod gradients;
pub mod halves;
pub mod halves_in_use;
pub mod heat;
pub mod indices;
pub mod int_methods;
pub mod iteration;
pub mod let_conditions;
pub mod matrix_products;
pub mod modules;
pub mod motion;
pub mod names;
pub mod operators;
pub mod operators_of_references;
pub mod operators_that_call;
pub mod options;
pub mod orderings;
pub mod own_indices;
pub mod own_methods;
pub mod own_operators;
pub mod passed_functions;
pub mod patterns;
pub mod pricing;
pub mod random;
pub mod range_positions;
pub mod ranges;
pub mod recursion;
pub mod references;
pub mod results;
pub mod rounding;
pub mod sampling;
pub mod scalars;
pub mod sessions;
pub mod shared_memory;
pub mod signed_indices;
pub mod slice_methods;
pub mod slices;
pub mod special_functions;
pub mod speculative;
pub mod struct_constants;
pub mod struct_parameters;
pub mod struct_patterns;
pub mod structs;
pub mod tables;
pub mod textbook_elements;
pub mod textbook_graphs;
pub mod textbook_images;
pub mod textbook_matrices;
pub mod textbook_reductions;
pub mod textbook_science;
pub mod textbook_sorting;
pub mod textbook_stencils;
pub mod tile_elements;
pub mod tile_loops;
pub mod tile_sums;
pub mod tiles;
pub mod traits;
pub mod traits_in_use;
pub mod trigonometry;
pub mod tuning;
pub mod tuples;
pub mod vectors;
pub mod views;
pub mod warps;

use crate::bench::Case;

/// The cases of every topic.
pub fn all_cases() -> impl Iterator<Item = Case> {
    [
        scalars::CASES,
        adjoint_loops::CASES,
        adjoint_shared::CASES,
        adjoint_structs::CASES,
        adjoints::CASES,
        ahead::CASES,
        bindings::CASES,
        operators::CASES,
        casts::CASES,
        cast_indices::CASES,
        control::CASES,
        passed_functions::CASES,
        patterns::CASES,
        let_conditions::CASES,
        enums::CASES,
        struct_patterns::CASES,
        data_enums::CASES,
        options::CASES,
        results::CASES,
        own_methods::CASES,
        own_indices::CASES,
        own_operators::CASES,
        operators_of_references::CASES,
        operators_that_call::CASES,
        range_positions::CASES,
        ranges::CASES,
        iteration::CASES,
        chains::CASES,
        constants::CASES,
        comparisons::CASES,
        complex::CASES,
        halves::CASES,
        halves_in_use::CASES,
        array_values::CASES,
        arrays::CASES,
        atomic_operations::CASES,
        atomic_views::CASES,
        atomics::CASES,
        int_methods::CASES,
        float_methods::CASES,
        trigonometry::CASES,
        special_functions::CASES,
        speculative::CASES,
        bits::CASES,
        rounding::CASES,
        caching::CASES,
        random::CASES,
        modules::CASES,
        names::CASES,
        indices::CASES,
        shared_memory::CASES,
        dynamic_shared::CASES,
        tables::CASES,
        structs::CASES,
        struct_parameters::CASES,
        traits::CASES,
        traits_in_use::CASES,
        generic_structs::CASES,
        struct_constants::CASES,
        device_functions::CASES,
        generics::CASES,
        gradients::CASES,
        generic_enums::CASES,
        generic_kernels::CASES,
        generic_values::CASES,
        closures::CASES,
        closures_in_chains::CASES,
        closures_and_values::CASES,
        failures::CASES,
        elements::CASES,
        tuning::CASES,
        tuples::CASES,
        vectors::CASES,
        recursion::CASES,
        references::CASES,
        signed_indices::CASES,
        slice_methods::CASES,
        slices::CASES,
        foreign::CASES,
        views::CASES,
        warps::CASES,
        block_functions::CASES,
        bounded::CASES,
        cooperation::CASES,
        matrix_products::CASES,
        sampling::CASES,
        heat::CASES,
        motion::CASES,
        sessions::CASES,
        pricing::CASES,
        fractals::CASES,
        filters::CASES,
        orderings::CASES,
        corners::CASES,
        counted_loops::CASES,
        textbook_elements::CASES,
        textbook_graphs::CASES,
        textbook_images::CASES,
        textbook_matrices::CASES,
        textbook_reductions::CASES,
        textbook_science::CASES,
        textbook_sorting::CASES,
        textbook_stencils::CASES,
        tile_elements::CASES,
        tile_loops::CASES,
        tile_sums::CASES,
        tiles::CASES,
    ]
    .into_iter()
    .flatten()
    .copied()
}
