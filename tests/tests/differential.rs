//! The conformance kernels' CUDA C, compiled without a GPU: by NVRTC to machine code, and by the host's C++ compiler to code that
//! runs here and must do what the Rust twin does.

use std::sync::{Arc, LazyLock, OnceLock};

use gpu_runtime::Device;
use gpu_tests::bench::{Bench, Program, Programs, run_all};
use gpu_tests::kernels::{all_cases, trigonometry};
use gpu_tests::require::{has_nvrtc, is_required};
use gpu_tests::shim::{Code, Compiler, Library, Sanitizer, Selection};
use gpu_tests::units::Unit;

/// Every kernel that a case launches.
fn programs() -> &'static [Program] {
    static PROGRAMS: LazyLock<Vec<Program>> = LazyLock::new(|| {
        let bench = Bench::Recording(Device::cpu(), Programs::default());
        run_all(all_cases(), &bench);
        let Bench::Recording(_, programs) = bench else { unreachable!("it was made as a recording") };
        programs.into_vec()
    });
    &PROGRAMS
}

/// All of them in all variants, compiled once for the tests that run them: compiling takes most of the time. Undefined behaviour ends the
/// process with a message.
fn code_or_skip(test: &str) -> Option<Arc<Code>> {
    static CODE: OnceLock<Arc<Code>> = OnceLock::new();
    let (compiler, sanitizer) = compiler_or_skip(test)?;
    Some(Arc::clone(CODE.get_or_init(|| Code::compile(programs(), &compiler, sanitizer))))
}

/// The host's compiler, with its sanitizer if that is installed. Without a compiler, the test says that it was skipped; where
/// `GPU_RUNTIME_REQUIRE=hostcc` asks for one, it fails, and so does a compiler without the sanitizer.
fn compiler_or_skip(test: &str) -> Option<(Compiler, Sanitizer)> {
    for sanitizer in [Sanitizer::UndefinedBehaviour, Sanitizer::Off] {
        if let Some(compiler) = Compiler::find(sanitizer) {
            return Some((compiler, sanitizer));
        }
        assert!(!is_required("hostcc"), "`{test}` needs a C++ compiler ({sanitizer:?})");
        eprintln!("`{test}`: no C++ compiler here ({sanitizer:?})");
    }
    eprintln!("skipped `{test}`: no C++ compiler");
    None
}

#[test]
fn cpp_with_every_check_does_what_the_twin_does() {
    let Some(code) = code_or_skip("cpp_with_every_check_does_what_the_twin_does") else { return };
    run_all(all_cases(), &Bench::Compiled(Library::new(code, Selection::Checked)));
}

#[test]
fn cpp_without_redundant_checks_does_what_the_twin_does() {
    let Some(code) = code_or_skip("cpp_without_redundant_checks_does_what_the_twin_does") else { return };
    let bench = Bench::Compiled(Library::new(code, Selection::AsLaunched));
    run_all(all_cases(), &bench);
    let Bench::Compiled(library) = bench else { unreachable!("it was made as compiled code") };
    assert!(library.unchecked_launches() > 10, "only {} launches showed their checks to be redundant", library.unchecked_launches());
    let several = library.launches_with_several_elements();
    assert!(several > 15, "only {several} launches did several elements a thread");
    let narrow = library.narrow_launches();
    assert!(narrow > 10, "only {narrow} launches had a `usize` of 32 bits");
    let checked = library.narrow_checked_launches();
    assert!(checked > 0, "no launch had a `usize` of 32 bits and checks that others do not make");
}

#[test]
fn trigonometry_as_cpp_is_accurate_for_a_dense_sample() {
    let Some((compiler, sanitizer)) = compiler_or_skip("trigonometry_as_cpp_is_accurate_for_a_dense_sample") else { return };
    let recording = Bench::Recording(Device::cpu(), Programs::default());
    trigonometry::check_accuracy(&recording, 10_000_019);
    let Bench::Recording(_, programs) = recording else { unreachable!("it was made as a recording") };
    let code = Code::compile(&programs.into_vec(), &compiler, sanitizer);
    trigonometry::check_accuracy(&Bench::Compiled(Library::new(code, Selection::AsLaunched)), 1009);
}

fn assert_compiled(units: &[Unit<'_>]) {
    let refused: Vec<String> = units.iter().flat_map(Unit::refusals).collect();
    assert!(refused.is_empty(), "NVRTC refuses {} kernels:\n{}", refused.len(), refused.join("\n"));
}

#[test]
fn nvrtc_compiles_every_kernel() {
    if !has_nvrtc("nvrtc_compiles_every_kernel") {
        return;
    }
    let units = Unit::of_all(programs(), "sm_90");
    let (texts, compiled) = (units.len(), units.iter().map(Unit::programs).sum::<usize>());
    assert!(compiled >= programs().len() && texts < compiled, "{texts} texts of {compiled} programs");
    assert_compiled(&units);
}

/// Tiles are multiplied by other instructions on each of these.
#[test]
fn nvrtc_compiles_tiles_for_gpus_before_and_after_hopper() {
    if !has_nvrtc("nvrtc_compiles_tiles_for_gpus_before_and_after_hopper") {
        return;
    }
    for architecture in ["sm_75", "sm_80", "sm_120"] {
        let units = Unit::of_all(programs().iter().filter(|program| program.topic.starts_with("tile")), architecture);
        assert!(units.iter().map(Unit::programs).sum::<usize>() > 20, "tiles have other topics");
        assert_compiled(&units);
    }
}
