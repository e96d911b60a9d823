//! The kernel language, shown by small kernels on every device that there is.
//!
//! Needs no file of the source tree: the test binary can be copied to a machine with a GPU and run there.

use std::sync::{Mutex, PoisonError};

use gpu_runtime::Device;
use gpu_tests::bench::{Bench, run_all, run_all_on_cpu};
use gpu_tests::kernels;

/// What fails in a kernel is reported to whoever waits for the GPU next, which must not be another topic.
static GPU: Mutex<()> = Mutex::new(());

/// The first GPU. Without one, the test says that it was skipped, or fails where `GPU_RUNTIME_REQUIRE=cuda` asks for a GPU.
fn gpu_or_skip(test: &str) -> Option<Bench> {
    match Device::gpu(0) {
        Ok(device) => Some(Bench::Device(device)),
        Err(error) => {
            let required = std::env::var("GPU_RUNTIME_REQUIRE").is_ok_and(|required| required.contains("cuda"));
            assert!(!required, "`{test}` needs a GPU: {error}");
            eprintln!("skipped `{test}`: {error}");
            None
        }
    }
}

macro_rules! topics {
    ($($topic:ident),* $(,)?) => {
        $(mod $topic {
            use super::*;

            #[test]
            fn on_the_cpu() {
                run_all_on_cpu(kernels::$topic::CASES);
            }

            #[test]
            fn on_the_gpu() {
                if let Some(bench) = gpu_or_skip(concat!(stringify!($topic), "::on_the_gpu")) {
                    let _alone = GPU.lock().unwrap_or_else(PoisonError::into_inner);
                    run_all(kernels::$topic::CASES.iter().copied(), &bench);
                }
            }
        })*

        #[test]
        fn every_topic_is_tested() {
            let tested = [$(kernels::$topic::CASES.len()),*].into_iter().sum::<usize>();
            assert_eq!(tested, kernels::all_cases().count());
        }
    };
}

topics![
    scalars,
    bindings,
    operators,
    own_methods,
    own_operators,
    own_indices,
    operators_of_references,
    operators_that_call,
    casts,
    cast_indices,
    control,
    passed_functions,
    patterns,
    let_conditions,
    enums,
    struct_patterns,
    data_enums,
    options,
    results,
    range_positions,
    ranges,
    iteration,
    chains,
    constants,
    comparisons,
    complex,
    halves,
    halves_in_use,
    ahead,
    array_values,
    arrays,
    atomic_operations,
    atomic_views,
    atomics,
    int_methods,
    float_methods,
    trigonometry,
    special_functions,
    speculative,
    bits,
    rounding,
    caching,
    random,
    modules,
    names,
    indices,
    shared_memory,
    structs,
    struct_parameters,
    traits,
    traits_in_use,
    generic_structs,
    struct_constants,
    tuples,
    vectors,
    device_functions,
    generics,
    gradients,
    adjoint_loops,
    adjoint_shared,
    adjoint_structs,
    adjoints,
    generic_enums,
    generic_kernels,
    generic_values,
    closures,
    closures_in_chains,
    closures_and_values,
    failures,
    dynamic_shared,
    tables,
    elements,
    tuning,
    recursion,
    references,
    signed_indices,
    slice_methods,
    slices,
    corners,
    counted_loops,
    foreign,
    views,
    warps,
    block_functions,
    bounded,
    cooperation,
    matrix_products,
    sampling,
    heat,
    motion,
    sessions,
    pricing,
    fractals,
    filters,
    orderings,
    textbook_elements,
    textbook_graphs,
    textbook_images,
    textbook_matrices,
    textbook_reductions,
    textbook_science,
    textbook_sorting,
    textbook_stencils,
    tile_elements,
    tile_loops,
    tile_sums,
    tiles,
];
