//! The machine code of programs of `public` beside that of their CUDA C: how many instructions one iteration of the innermost loop takes, and
//! kernels without one. Each cause of slow code that was found has a program in which it occurs.
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
    /// Why it was slow.
    cause: &'static str,
    name: &'static str,
    report: fn(&Device) -> Result<KernelReport>,
    by_hand: &'static str,
    /// What each iteration has once. The loop is the one with the most of it. [`WHOLE`] counts the kernel as one iteration.
    operation: &'static str,
    /// Instructions and iterations of the loop: ours, and by hand.
    expected: [(usize, usize); 2],
}

macro_rules! program {
    ($cause:literal, $module:ident($($report:tt)*), $operation:expr, $ours:expr, $by_hand:expr) => {
        Program {
            cause: $cause,
            name: stringify!($module),
            report: public::$module::$($report)*,
            by_hand: include_str!(concat!("../gpu/public/", stringify!($module), ".cu")),
            operation: $operation,
            expected: [$ours, $by_hand],
        }
    };
}

/// The operation of programs that have no loop in the end.
const WHOLE: &str = "EXIT";

const PROGRAMS: &[Program] = &[
    program!("conditions of the launch", ising(update::report::<true>), WHOLE, (94, 1), (107, 1)),
    program!("64 bits", lattice(step::report), WHOLE, (174, 1), (210, 1)),
    program!("64 bits", k_means(assign::report), "FFMA", (88, 16), (88, 16)),
    program!("loops", sobol(report), "STG", (20, 1), (18, 1)),
    program!("loops", twister(report), "STG", (122, 4), (122, 4)),
    program!("loops", dilated_convolution(dilated_conv::report), "FFMA", (43, 4), (45, 4)),
    program!("checks", convolution(columns::report), "FFMA", (127, 68), (127, 68)),
    program!("checks", epistasis(report), "POPC", (41, 9), (38, 9)),
    program!("checks", spmm(product::report), "FFMA", (123, 16), (105, 16)),
    program!("checks", patterns(find::report), "LDG.E.U8", (16, 1), (13, 1)),
    program!("checks", padded_rows(multiply::report), "LDG", (276, 48), (152, 48)),
    program!("checks", segments(means::report), "LDG", (39, 16), (37, 16)),
    program!("loops", softmax(report), "LDG", (39, 16), (37, 16)),
    program!("loops", n_body(accelerate::report), "MUFU", (148, 8), (148, 8)),
    program!("64 bits", blur(report), "LDG", (64, 16), (64, 16)),
    program!("checks", relax(report), "LDG", (91, 32), (69, 32)),
    program!("unproved shared memory", alignment(smith_waterman::report), "LDS", (102, 12), (102, 12)),
    program!("unproved shared memory", binomial(price::report), "FFMA", (66, 24), (66, 24)),
    program!("tables and loads", sobol(report), "LDS", (59, 16), (59, 16)),
    program!("tables and loads", automaton(find::report), "LDG.E.U8", (124, 16), (110, 16)),
    program!("registers", finite_differences(step::report), "STG", (88, 1), (91, 1)),
    program!("registers", tridiagonal(solve::report), "FFMA", (131, 32), (129, 32)),
    program!("registers", nearest(report), "FFMA", (212, 12), (213, 12)),
    program!("atomics", independent_set(decide::report), "LDG", (53, 8), (20, 4)),
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
    if operation == WHOLE {
        return (operations.iter().filter(|(name, _)| !name.starts_with("NOP")).count(), 1);
    }
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
        let Program { cause, name, operation, .. } = program;
        let [ours, by_hand] = counts;
        writeln!(found, "{cause}: {name}, `{operation}`: instructions and iterations, ours {ours:?}, by hand {by_hand:?}").unwrap();
    }
    if version == VERSION {
        assert!(is_expected, "{found}");
    } else {
        eprintln!("NVRTC {}.{}, without expectations:\n{found}", version.0, version.1);
    }
}
