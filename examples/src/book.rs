//! The code blocks of the README and of the book, as tests of documentation. Those of pages that need a feature of the runtime are in
//! `tests/src/book.rs`.

/// One module per page, whose documentation is the page.
macro_rules! pages {
    ($($name:ident = $path:literal;)*) => {
        $(
            #[doc = include_str!(concat!("../../", $path))]
            mod $name {}
        )*
    };
}

pages! {
    readme = "README.md";
    package_readme = "gpu-runtime/README.md";
    introduction = "docs/src/introduction.md";
    features = "docs/src/features.md";
    performance = "docs/src/performance.md";
    first_kernel = "docs/src/tutorial/first-kernel.md";
    threads = "docs/src/tutorial/threads.md";
    failures = "docs/src/tutorial/failures.md";
    shared_memory = "docs/src/tutorial/shared-memory.md";
    warps = "docs/src/tutorial/warps.md";
    device_functions = "docs/src/tutorial/device-functions.md";
    application = "docs/src/tutorial/application.md";
    arrays = "docs/src/tutorial/arrays.md";
    array_functions = "docs/src/tutorial/array-functions.md";
    reductions = "docs/src/tutorial/reductions.md";
    scans = "docs/src/tutorial/scans.md";
    core_arrays = "docs/src/tutorial/core-arrays.md";
    gradients = "docs/src/gradients.md";
    streams = "docs/src/tutorial/streams.md";
    other_libraries = "docs/src/tutorial/other-libraries.md";
    ahead_of_time = "docs/src/tutorial/ahead-of-time.md";
    profiling = "docs/src/tutorial/profiling.md";
    in_practice = "docs/src/tutorial/in-practice.md";
    language = "docs/src/reference/language.md";
    structs = "docs/src/reference/structs.md";
    patterns = "docs/src/reference/patterns.md";
    vectors = "docs/src/reference/vectors.md";
    views = "docs/src/reference/views.md";
    tiles = "docs/src/reference/tiles.md";
    traits = "docs/src/reference/traits.md";
    methods = "docs/src/reference/methods.md";
    intrinsics = "docs/src/reference/intrinsics.md";
    atomics = "docs/src/reference/atomics.md";
    grid_barriers = "docs/src/reference/grid-barriers.md";
    random = "docs/src/reference/random.md";
    kernel_options = "docs/src/reference/kernel-options.md";
    not_supported = "docs/src/reference/not-supported.md";
    safety = "docs/src/safety.md";
    checker = "docs/src/checker.md";
    proofs = "docs/src/proofs.md";
    floating_point = "docs/src/floating-point.md";
    environment = "docs/src/environment.md";
    from_numpy = "docs/src/from-numpy.md";
    from_numba = "docs/src/from-numba.md";
    numba_features = "docs/src/numba-features.md";
    from_cuda = "docs/src/from-cuda.md";
    design = "docs/src/design.md";
}
