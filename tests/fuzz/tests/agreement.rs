//! The generated kernels agree with each other: as plain Rust, as twins and as CUDA C.

use std::sync::{LazyLock, Once};

use gpu_fuzz::{CASES, Case, Outcome, Values, silence_generated_panics};
use gpu_runtime::__private::Variant;
use gpu_runtime::Device;
use gpu_tests::bench::{Bench, Program, Programs};
use gpu_tests::require::{gpu_or_skip, has_nvrtc, is_required};
use gpu_tests::shim::{Code, Compiler, Library, Sanitizer, Selection};

/// Runs of each kernel, each with other values.
const RUNS: u64 = 6;

fn seed() -> &'static str {
    option_env!("GPU_FUZZ_SEED").unwrap_or("1")
}

/// Runs every kernel on `bench` and as plain Rust, and compares.
fn compare(subject: &str, bench: &Bench) {
    static HOOK: Once = Once::new();
    HOOK.call_once(silence_generated_panics);
    let (mut failed, mut mismatches) = (0, Vec::new());
    for (case, run) in CASES.iter().flat_map(|case| (0..RUNS).map(move |run| (case, run))) {
        let values = Values::new(run);
        let (kernel, plain) = ((case.kernel)(bench, values.clone()), (case.plain)(values));
        failed += usize::from(plain.failed());
        if !kernel.agrees_with(&plain) {
            mismatches.push(describe(case, run, &kernel, &plain));
        }
    }
    let runs = CASES.len() * RUNS as usize;
    let (count, disagree) = (CASES.len(), mismatches.len());
    println!("seed {}, {subject}: {count} kernels, {runs} runs, {failed} of them fail as they should, {disagree} disagree", seed());
    assert!(mismatches.is_empty(), "seed {}: {} mismatches\n{}", seed(), mismatches.len(), mismatches.join("\n"));
    assert!(failed < runs / 2, "{failed} of {runs} runs fail: the others are too few");
}

fn describe(case: &Case, run: u64, kernel: &Outcome, plain: &Outcome) -> String {
    format!("{} with the values of {run}:\n  kernel {kernel:?}\n  plain  {plain:?}", case.name)
}

/// The kernels' generated code.
fn programs() -> &'static [Program] {
    static PROGRAMS: LazyLock<Vec<Program>> = LazyLock::new(|| {
        let recording = Bench::Recording(Device::cpu(), Programs::default());
        for case in CASES {
            (case.kernel)(&recording, Values::new(0));
        }
        let Bench::Recording(_, programs) = recording else { unreachable!("it was made as a recording") };
        programs.into_vec()
    });
    &PROGRAMS
}

#[test]
fn twins_do_what_plain_rust_does() {
    compare("twin", &Bench::Device(Device::cpu()));
}

#[test]
fn cuda_c_does_what_plain_rust_does() {
    const TEST: &str = "cuda_c_does_what_plain_rust_does";
    let Some(compiler) = Compiler::find(Sanitizer::Off) else {
        assert!(!is_required("hostcc"), "`{TEST}` needs a C++ compiler");
        eprintln!("skipped `{TEST}`: no C++ compiler");
        return;
    };
    let code = Code::compile(programs(), &compiler, Sanitizer::Off);
    compare("CUDA C on the host", &Bench::Compiled(Library::new(code, Selection::AsLaunched)));
}

#[test]
fn cuda_c_compiles() {
    if !has_nvrtc("cuda_c_compiles") {
        return;
    }
    println!("seed {}, NVRTC: {} kernels", seed(), programs().len());
    // For sm_90, NVRTC 13.0 crashes on some recursive functions: see "Recursion" in the book.
    let refused: Vec<String> = programs()
        .iter()
        .filter_map(|program| Some(format!("{}: {}", program.kernel, (program.cubin)(Variant::Checked, "sm_100").err()?)))
        .collect();
    assert!(refused.is_empty(), "seed {}: {} kernels do not compile\n{}", seed(), refused.len(), refused.join("\n"));
}

#[test]
fn gpus_do_what_plain_rust_does() {
    if let Some(device) = gpu_or_skip("gpus_do_what_plain_rust_does") {
        compare("GPU", &Bench::Device(device));
    }
}
