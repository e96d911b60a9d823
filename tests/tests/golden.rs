//! The CUDA C that each feature of the kernel language becomes, as text to be reviewed, and through NVRTC.
//!
//! A golden file holds the functions of one kernel without the runtime's helpers (but for `complete.cu`, which is the whole
//! program). A line marked `// unless proved` is a check that is left out when the launch shows that it cannot fail.
//! `UPDATE_EXPECT=1 cargo test --test golden` writes the files.

use expect_test::expect_file;
use gpu_runtime::__private::{KernelDefinition, Segment, SourceUnit, Variant, linked_source};
use gpu_runtime::NvrtcStatus;
use std::fmt::Write as _;

mod golden {
    pub(crate) mod arithmetic;
    pub(crate) mod control;
    pub(crate) mod data;
    pub(crate) mod programs;
}
use golden::{arithmetic, control, data, programs};

/// One kernel: its golden file, its functions as text, and what NVRTC is asked for.
struct Golden {
    name: &'static str,
    text: fn() -> String,
    ptx: fn(&str) -> gpu_runtime::Result<String>,
    cubin: fn(&str) -> gpu_runtime::Result<Vec<u8>>,
    /// Has `f64` in its PTX on purpose.
    uses_f64: bool,
}

macro_rules! goldens {
    ($($module:ident::$name:ident $(($f64:ident))?),* $(,)?) => {
        &[$(Golden {
            name: stringify!($name),
            text: functions::<$module::$name::Kernel>,
            ptx: $module::$name::ptx,
            cubin: $module::$name::cubin,
            uses_f64: $(!stringify!($f64).is_empty() ||)? false,
        }),*]
    };
}

const GOLDENS: &[Golden] = goldens![
    arithmetic::integer_operators,
    arithmetic::small_integers,
    arithmetic::shifts,
    arithmetic::division,
    arithmetic::float_operators,
    arithmetic::double_operators(f64),
    arithmetic::float_methods,
    arithmetic::trigonometry(f64),
    arithmetic::integer_methods,
    arithmetic::casts(f64),
    arithmetic::literals(f64),
    control::branches,
    control::branch_values,
    control::for_ranges,
    control::while_loops,
    control::loops_with_values,
    control::labels,
    control::short_circuit,
    control::early_return,
    control::grid_stride_loop,
    data::scopes_and_shadowing,
    data::tuples,
    data::arrays,
    data::checked_indices,
    data::unchecked_indices,
    data::evaluation_order,
    data::constants,
    data::names,
    data::failures,
    programs::vector_add,
    programs::image_2d,
    programs::volume_3d,
    programs::block_sum,
    programs::tiled_matmul,
    programs::device_functions,
    programs::slices_in_device_functions,
];

#[test]
fn generated_cuda_c_is_as_reviewed() {
    for golden in GOLDENS {
        expect_file![format!("golden/{}.cu", golden.name)].assert_eq(&(golden.text)());
    }
    expect_file!["golden/complete.cu"].assert_eq(&programs::vector_add::cuda_source());
}

#[test]
fn a_thread_of_forall_may_do_several_elements() {
    let (text, _) =
        linked_source::<programs::vector_add::Kernel>(Variant::SeveralElements).expect("it knows its thread by `grid_1d` alone");
    let (_, functions) = text.split_once("__builtin_unreachable();\n}\n\n\n").expect("the snippets come first");
    expect_file!["golden/several_elements.cu"].assert_eq(functions);
}

#[test]
fn every_golden_compiles_for_old_and_new_architectures() {
    if !has_nvrtc("every_golden_compiles_for_old_and_new_architectures") {
        return;
    }
    for golden in GOLDENS {
        for architecture in ["sm_75", "sm_90", "sm_100"] {
            match (golden.cubin)(architecture) {
                Ok(image) => assert!(image.starts_with(b"\x7fELF"), "{}: not machine code", golden.name),
                Err(error) => panic!("{} for {architecture}: {error}\n{}", golden.name, (golden.text)()),
            }
        }
    }
}

#[test]
fn single_precision_kernels_have_no_double_precision_instruction() {
    if !has_nvrtc("single_precision_kernels_have_no_double_precision_instruction") {
        return;
    }
    for golden in GOLDENS.iter().filter(|golden| !golden.uses_f64) {
        let ptx = (golden.ptx)("sm_90").unwrap_or_else(|error| panic!("{}: {error}", golden.name));
        let doubles: Vec<&str> = ptx.lines().filter(|line| line.contains(".f64")).collect();
        assert!(doubles.is_empty(), "{}: {doubles:#?}", golden.name);
    }
}

/// Whether kernels can be compiled here. Says so when not, and fails where a test run demands NVRTC.
fn has_nvrtc(test: &str) -> bool {
    let status = gpu_runtime::nvrtc_status();
    if matches!(status, NvrtcStatus::Found { .. }) {
        return true;
    }
    let demanded = std::env::var("GPU_RUNTIME_REQUIRE").is_ok_and(|value| value.contains("nvrtc") || value.contains("cuda"));
    assert!(!demanded, "{status}");
    println!("{test}: skipped, there is no NVRTC: {status}");
    false
}

/// The kernel and the device functions that it calls, callees first as they are reached.
fn functions<K: KernelDefinition>() -> String {
    let mut units = vec![K::source()];
    let mut next = 0;
    while next < units.len() {
        collect_callees(units[next].body, &mut units);
        next += 1;
    }
    let mut text = String::new();
    for unit in units[1..].iter().chain(&units[..1]) {
        if !text.is_empty() {
            text.push('\n');
        }
        write_segments(unit, unit.body, &mut text);
    }
    text
}

fn collect_callees(segments: &[Segment], units: &mut Vec<&'static SourceUnit>) {
    for segment in segments {
        match segment {
            Segment::Function(unit) => {
                let unit = unit();
                if !units.iter().any(|known| std::ptr::eq(*known, unit)) {
                    units.push(unit);
                }
            }
            Segment::Checked(inner) | Segment::Elements { one: inner, .. } => collect_callees(inner, units),
            _ => {}
        }
    }
}

fn write_segments(unit: &SourceUnit, segments: &[Segment], text: &mut String) {
    for segment in segments {
        match segment {
            Segment::Text(part) => text.push_str(part),
            Segment::Constant(value) => text.push_str(&value()),
            Segment::Function(callee) => text.push_str(callee().name),
            Segment::OwnName => text.push_str(unit.name),
            Segment::Site(index) => write!(text, "{index}").expect("a string takes any text"),
            Segment::Checked(inner) => {
                write_segments(unit, inner, text);
                assert_eq!(text.pop(), Some('\n'), "a check is a line");
                text.push_str(" // unless proved\n");
            }
            Segment::Elements { one, .. } => write_segments(unit, one, text),
            Segment::Line(_) => {}
        }
    }
}
