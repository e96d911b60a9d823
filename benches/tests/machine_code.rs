//! The machine code of programs of `public` beside that of their CUDA C: how many instructions one iteration of the innermost loop takes.
//!
//! Needs NVRTC and a disassembler. The figures are those of one NVRTC; with another one, the test says what they are there.

#[path = "../gpu/public/main.rs"]
#[expect(dead_code, reason = "the benchmark is a program")]
mod public;

use std::fmt::Write as _;

use gpu_runtime::{Device, KernelReport, NvrtcStatus, Result, nvrtc_status};

/// The version of NVRTC that has these figures.
const VERSION: (u32, u32) = (13, 0);

/// A program, and the loop that takes its time.
struct Program {
    name: &'static str,
    report: fn(&Device) -> Result<KernelReport>,
    by_hand: &'static str,
    /// What each iteration has once. The loop is the one with the most of it.
    operation: &'static str,
    /// Instructions and iterations of the loop: ours, and by hand.
    expected: [(usize, usize); 2],
}

macro_rules! program {
    ($module:ident $(::$kernel:ident)?, $operation:literal, $ours:expr, $by_hand:expr) => {
        Program {
            name: stringify!($module),
            report: public::$module::$($kernel::)?report,
            by_hand: include_str!(concat!("../gpu/public/", stringify!($module), ".cu")),
            operation: $operation,
            expected: [$ours, $by_hand],
        }
    };
}

const PROGRAMS: &[Program] = &[
    program!(spmm::product, "FFMA", (123, 16), (105, 16)),
    program!(patterns::find, "LDG.E.U8", (16, 1), (13, 1)),
    program!(sobol, "STG", (20, 1), (18, 1)),
    program!(epistasis, "POPC", (41, 9), (38, 9)),
    program!(twister, "STG", (122, 4), (122, 4)),
    program!(automaton::find, "LDG.E.U8", (141, 16), (110, 16)),
    program!(dilated_convolution::dilated_conv, "FFMA", (43, 4), (45, 4)),
    program!(finite_differences::step, "STG", (88, 1), (91, 1)),
    program!(nearest, "FFMA", (212, 12), (213, 12)),
    program!(relax, "LDG", (91, 32), (69, 32)),
    program!(tridiagonal::solve, "FFMA", (131, 32), (129, 32)),
];

/// The operations of machine code in their order, each with where it jumps to, if it does.
fn operations(sass: &str) -> Vec<(String, Option<usize>)> {
    let mut labels = Vec::new();
    let mut lines = Vec::new();
    for line in sass.lines().map(str::trim) {
        if let Some(label) = line.strip_suffix(':').filter(|label| label.starts_with(".L_x_")) {
            labels.push((label, lines.len()));
        } else if let Some((_, operation)) = line.strip_prefix("/*").and_then(|line| line.split_once("*/")) {
            lines.push(operation.trim());
        }
    }
    let target = |line: &str| {
        let label = line.split_once("BRA").and_then(|(_, target)| target.split(['(', ')']).nth(1));
        label.and_then(|label| labels.iter().find(|(name, _)| *name == label)).map(|(_, at)| *at)
    };
    let operation = |line: &str| line.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default().to_owned();
    lines.into_iter().map(|line| (operation(line), target(line))).collect()
}

/// Instructions and iterations of the loop without a loop in it that has the most of `operation`.
fn hot_loop(sass: &str, operation: &str) -> (usize, usize) {
    let operations = operations(sass);
    let jumps = operations.iter().enumerate().filter_map(|(end, (_, target))| Some((target.filter(|start| *start < end)?, end)));
    let loops: Vec<(usize, usize)> = jumps.collect();
    let is_innermost =
        |(start, end): &&(usize, usize)| !loops.iter().any(|inner| inner != &(*start, *end) && start <= &inner.0 && inner.1 <= *end);
    let counts = loops.iter().filter(is_innermost).map(|(start, end)| {
        let body = &operations[*start..=*end];
        (body.len(), body.iter().filter(|(name, _)| name.starts_with(operation)).count())
    });
    // Of those with as many, the shortest: the other has checks.
    counts.max_by_key(|(instructions, iterations)| (*iterations, usize::MAX - instructions)).unwrap_or_default()
}

#[test]
fn inner_loops_have_about_as_many_instructions_as_those_by_hand() {
    let skip = |why: &str| {
        let required = std::env::var("GPU_RUNTIME_REQUIRE").is_ok_and(|required| required.contains("disassembler"));
        assert!(!required, "{why}");
        eprintln!("skipped `inner_loops_have_about_as_many_instructions_as_those_by_hand`: {why}");
    };
    let NvrtcStatus::Found { version, .. } = nvrtc_status() else { return skip("there is no NVRTC") };
    let mut found = String::new();
    let mut is_expected = true;
    for program in PROGRAMS {
        let report = (program.report)(&Device::cpu()).expect("it compiles");
        let cubin = gpu_benches::by_hand::compile(program.by_hand, "sm_90").expect("it compiles");
        let by_hand = gpu_runtime::__private::sass_of(cubin);
        let Some((ours, by_hand)) = report.variants.last().and_then(|last| last.sass.as_ref()).zip(by_hand) else {
            return skip("there is neither `nvdisasm` nor `cuobjdump`");
        };
        let counts = [ours, &by_hand].map(|sass| hot_loop(sass, program.operation));
        is_expected &= counts == program.expected;
        writeln!(found, "{}: instructions and iterations, ours {:?}, by hand {:?}", program.name, counts[0], counts[1]).unwrap();
    }
    if version == VERSION {
        assert!(is_expected, "{found}");
    } else {
        eprintln!("NVRTC {}.{}, without expectations:\n{found}", version.0, version.1);
    }
}
