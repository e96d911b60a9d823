//! Updates against a loop in Rust, and the CUDA C of their kernels.

use super::cuda::ScatterKernel;
use super::runs::{Reads, RunKernel};
use super::*;
use crate::backend::cpu::{Stop, Thread};
use crate::compile::nvrtc::testing::{assert_all_compile, nvrtc_or_skip};
use crate::compile::{Variant, readable_source};
use crate::device::Device;
use crate::functions::{add, max, maximum, min, minimum, mul, sub};
use crate::source::{Segment, Sites, SourceUnit};
use crate::ufunc::IntoLazy;
use crate::ufunc::cuda::AccessPattern;
use crate::ufunc::formula::Formula;

/// Implements a function of an element and a value, in Rust and in CUDA C.
macro_rules! function {
    ($F:ident, $T:ident, $c_body:literal, $rust:expr) => {
        struct $F;

        // SAFETY: the CUDA C is of the same types.
        unsafe impl ArrayFunction for $F {
            type Args = ($T, $T);
            type Output = $T;
            const NAME: &'static str = stringify!($F);
            const FMAD: bool = true;

            fn source() -> &'static SourceUnit {
                const HEAD: &str = concat!("static __device__ ", stringify!($T), " ");
                const PARAMETERS: &str = concat!("(", stringify!($T), " a, ", stringify!($T), " b)");
                static UNIT: SourceUnit = SourceUnit {
                    name: stringify!($F),
                    prototype: &[Segment::Text(HEAD), Segment::OwnName, Segment::Text(PARAMETERS)],
                    body: &[Segment::Text(HEAD), Segment::OwnName, Segment::Text(PARAMETERS), Segment::Text($c_body)],
                    snippets: &[],
                    sites: &Sites::NONE,
                    several_elements: false,
                };
                &UNIT
            }

            fn call(_: &Thread<'_>, (a, b): ($T, $T)) -> std::result::Result<$T, Stop> {
                let function: fn($T, $T) -> $T = $rust;
                Ok(function(a, b))
            }
        }
    };
}

function!(Add, i32, " {\n  return (i32)((u32)a + (u32)b);\n}\n", i32::wrapping_add);
function!(Replace, u8, " {\n  return b;\n}\n", |_, b| b);
function!(Horner, f64, " {\n  return 2 * a + b;\n}\n", |a, b| 2.0 * a + b);
function!(Largest, f32, " {\n  return a < b ? b : a;\n}\n", |a, b| if a < b { b } else { a });
function!(Toggle, bool, " {\n  return a != b;\n}\n", |a, b| a != b);
function!(Most, u16, " {\n  return a < b ? b : a;\n}\n", u16::max);

#[test]
fn repeated_indices_update_repeatedly_and_in_order() {
    let device = Device::cpu();
    for len in [0, 1, 31, 33, 1023, 1025, 100_003] {
        let indices: Vec<u32> = (0..len).map(|i: u32| i.wrapping_mul(i) % 101).collect();
        let values: Vec<f64> = (0..len).map(|i| f64::from(i % 7)).collect();
        let mut expected = vec![1.0; 101];
        for (&index, &value) in indices.iter().zip(&values) {
            let element = &mut expected[index as usize];
            *element = 2.0 * *element + value;
        }
        let mut target = device.to_device(&[1.0; 101]).unwrap();
        at::<Horner, _, _, _>(&mut target, (&indices).into_lazy(), (&values).into_lazy()).unwrap();
        assert_eq!(target.to_host().unwrap(), expected, "{len}");
    }
}

#[test]
fn one_value_goes_to_every_index() {
    let mut target = Device::cpu().zeros::<i32>(4).unwrap();
    at::<Add, _, _, _>(&mut target, (&[3i64, 0, 3]).into_lazy(), 5.into_lazy()).unwrap();
    assert_eq!(target.to_host().unwrap(), [5, 0, 0, 10]);
    at::<Add, _, _, _>(&mut target, 1usize.into_lazy(), (&[1, 2, 3]).into_lazy()).unwrap();
    assert_eq!(target.to_host().unwrap(), [5, 6, 0, 10]);
}

#[test]
fn an_index_past_the_end_or_below_zero_is_reported_with_the_length() {
    let device = Device::cpu();
    let mut target = device.zeros::<u8>(3).unwrap();
    at::<Replace, _, _, _>(&mut target, (&[0u64, 3, 1]).into_lazy(), 7.into_lazy()).unwrap();
    let error = target.to_host().unwrap_err().to_string();
    assert!(error.contains("`Replace`") && error.contains("index 3 is out of bounds for length 3"), "{error}");
    assert_eq!(target.to_host().unwrap(), [7, 0, 0]);
    at::<Replace, _, _, _>(&mut target, (&[-1i32]).into_lazy(), 7.into_lazy()).unwrap();
    let error = target.to_host().unwrap_err().to_string();
    assert!(error.contains("-1 before it wrapped around") && error.contains("length 3"), "{error}");
}

#[test]
fn indices_and_values_must_go_together() {
    let mut target = Device::cpu().zeros::<i32>(4).unwrap();
    let error = at::<Add, _, _, _>(&mut target, (&[0u32; 3]).into_lazy(), (&[0; 2]).into_lazy()).unwrap_err().to_string();
    assert!(error.contains("`Add`") && error.contains("(3,)") && error.contains("(2,)"), "{error}");
}

/// The CUDA C of the kernels that update `len` elements, for an array of indices of that many elements.
fn sources<F, T, I, V>(len: usize, indices: Lazy<I>, values: Lazy<V>) -> Vec<String>
where
    T: Element,
    F: ArrayFunction<Args = (T, T), Output = T>,
    I: Expression<Item: IndexElement>,
    V: Expression<Item = T>,
{
    let pairs = zip(indices, values);
    let (shape, inputs) = (pairs.shape().unwrap(), pairs.inputs().list);
    let pattern = AccessPattern::new(&Plan::of(shape, &inputs, &[]), &inputs);
    if let Some(native) = Native::of::<F>() {
        let kernel = ScatterKernel { sums: native.sums(len, size_of::<T>()) };
        let formula = Formula::folded::<Code<I, V>, F>();
        let unit = cuda::write_update(formula, native, Component::of::<T>(), &pattern, kernel).unit;
        return vec![readable_source(unit, Variant::Checked)];
    }
    let update = Update::of::<Code<I, V>, F, T>();
    let source = |kernel, pattern: &AccessPattern| readable_source(update.write(kernel, pattern).unit, Variant::Checked);
    let first = RunKernel { reads: Reads::Sorted, table_bits: update.bits_of_tables(len), updates: true, wide: false };
    let mut sources = vec![
        source(first, &pattern),
        source(RunKernel { wide: true, ..first }, &pattern),
        source(RunKernel { updates: false, ..first }, &pattern),
    ];
    if first.table_bits.is_some() {
        sources.push(source(RunKernel { reads: Reads::AsGiven, ..first }, &pattern));
        // What a launch has left is one array.
        let left: &[T] = &[];
        let left = left.into_lazy();
        let inputs = left.inputs().list;
        let pattern = AccessPattern::new(&Plan::of(0.into(), &inputs, &[]), &inputs);
        sources.push(source(RunKernel { reads: Reads::Tables, ..first }, &pattern));
        sources.push(source(RunKernel { reads: Reads::Tables, updates: false, wide: true, ..first }, &pattern));
    }
    sources
}

/// The CUDA C of one of them.
fn source<F, T, I, V>(len: usize, indices: Lazy<I>, values: Lazy<V>) -> String
where
    T: Element,
    F: ArrayFunction<Args = (T, T), Output = T>,
    I: Expression<Item: IndexElement>,
    V: Expression<Item = T>,
{
    sources::<F, T, I, V>(len, indices, values).swap_remove(0)
}

#[test]
fn the_kernels_for_every_kind_of_update_compile() {
    let Some(nvrtc) = nvrtc_or_skip("the_kernels_for_every_kind_of_update_compile") else { return };
    let in_order = [
        sources::<Replace, _, _, _>(9, (&[1u64, 2]).into_lazy(), 7.into_lazy()),
        sources::<Horner, _, _, _>(9, (&[1usize, 2]).into_lazy(), (&[3.0, 4.0]).into_lazy()),
        sources::<Largest, _, _, _>(9, (&[1i64]).into_lazy(), (&[3.0, 4.0]).into_lazy()),
        sources::<Toggle, _, _, _>(9, (&[1u8]).into_lazy(), true.into_lazy()),
        sources::<Most, _, _, _>(9, 1u32.into_lazy(), (&[3, 4]).into_lazy()),
    ]
    .concat();
    let by_runs = [
        sources::<mul::Function<f64>, _, _, _>(9, (&[1i32, 2]).into_lazy(), (&[3.0, 4.0]).into_lazy()),
        sources::<minimum::Function<half::bf16>, _, _, _>(9, (&[1i64]).into_lazy(), (&[half::bf16::ONE]).into_lazy()),
        sources::<add::Function<u8>, _, _, _>(9, (&[1i64]).into_lazy(), (&[1u8]).into_lazy()),
        sources_of_own_functions(),
    ]
    .concat();
    assert!(by_runs.iter().all(|source| source.contains("gr_leave")) && !in_order.iter().any(|source| source.contains("gr_leave")));
    let native = |len| {
        [
            source::<add::Function<f32>, _, _, _>(len, (&[1i64]).into_lazy(), (&[3.0]).into_lazy()),
            source::<add::Function<f64>, _, _, _>(len, (&[1u8]).into_lazy(), (&[3.0]).into_lazy()),
            source::<add::Function<i64>, _, _, _>(len, 1u32.into_lazy(), (&[3, 4]).into_lazy()),
            source::<sub::Function<f32>, _, _, _>(len, (&[1i64]).into_lazy(), (&[3.0]).into_lazy()),
            source::<sub::Function<i32>, _, _, _>(len, (&[1i64]).into_lazy(), (&[3]).into_lazy()),
            source::<max::Function<isize>, _, _, _>(len, 1u32.into_lazy(), (&[3, 4]).into_lazy()),
            source::<min::Function<u32>, _, _, _>(len, 1u32.into_lazy(), (&[3, 4]).into_lazy()),
            source::<max::Function<f32>, _, _, _>(len, 1u32.into_lazy(), (&[3.0, 4.0]).into_lazy()),
            source::<min::Function<f64>, _, _, _>(len, 1u32.into_lazy(), (&[3.0, 4.0]).into_lazy()),
            source::<maximum::Function<f64>, _, _, _>(len, 1u32.into_lazy(), (&[3.0, 4.0]).into_lazy()),
            source::<minimum::Function<f32>, _, _, _>(len, 1u32.into_lazy(), (&[3.0, 4.0]).into_lazy()),
        ]
    };
    let (few, many) = (native(100), native(1 << 20));
    assert!(few[..3].iter().all(|source| source.contains("__shared__")) && !many.iter().any(|source| source.contains("__shared__")));
    assert!(few.iter().chain(&many).all(|source| source.contains("atomic") && !source.contains("gr_apply")));
    assert_all_compile(nvrtc, "at.cu", &[in_order, by_runs, few.to_vec(), many.to_vec()].concat());
}

#[test]
fn tables_have_room_and_few_passes_sort_the_rest() {
    use crate::functions::ArithmeticElement;
    use crate::ufunc::Load;
    use num_complex::Complex;

    let small = Update::of::<Load<f32>, mul::Function<f32>, f32>();
    let large = Update::of::<Load<Complex<f64>>, <Complex<f64> as ArithmeticElement>::Mul, Complex<f64>>();
    assert_eq!(
        [0, 1, 2, 3, 1000, 4096, 4097].map(|len| small.bits_for_all(len)),
        [0, 0, 1, 2, 10, 12, 13].map(|bits| (bits < 13).then_some(bits))
    );
    assert_eq!([1024, 1025].map(|len| large.bits_for_all(len)), [Some(10), None]);
    // Keys of 17, 20 and 23 bits: one, two and two passes.
    assert_eq!([100_000, 1_000_000, 1 << 22].map(|len| large.bits_of_tables(len)), [Some(9), Some(4), Some(7)]);
    // In order.
    assert_eq!(Update::of::<Load<f32>, sub::Function<f32>, f32>().bits_of_tables(9), None);
}

/// Without a GPU: the C++ compiler of the host compiles what each thread does, for launches that `simulation.cpp` makes. Several batches of pairs
/// add up.
#[test]
fn threads_that_fail_leave_nothing_that_the_next_launch_trusts() {
    use super::runs::{AS_GIVEN, LEAVE, PUT_FIRST, PUT_UPDATED, SORTED, VALUE, VALUE_BEHIND_SITE};
    use std::process::Command;

    const TEST: &str = "threads_that_fail_leave_nothing_that_the_next_launch_trusts";
    let exists = |name: &&str| Command::new(name).arg("--version").output().is_ok();
    let Some(compiler) = ["c++", "g++", "clang++"].into_iter().find(exists) else {
        assert!(!std::env::var("GPU_RUNTIME_REQUIRE").is_ok_and(|what| what.contains("hostcc")), "`{TEST}` needs a C++ compiler");
        return eprintln!("skipped `{TEST}`: no C++ compiler");
    };
    for (put, has_stored) in [(PUT_UPDATED, "-DHAS_STORED=0"), (PUT_FIRST, "-DHAS_STORED=1")] {
        let folder = tempfile::tempdir().unwrap();
        let of_pairs =
            |order: &str| [include_str!("source.cu"), order, VALUE, "0", VALUE_BEHIND_SITE, put, LEAVE, include_str!("pairs.cu")].concat();
        let of_tables = [include_str!("source.cu"), put, LEAVE, include_str!("tables.cu")].concat();
        let files = [("sorted.cu", of_pairs(SORTED)), ("as_given.cu", of_pairs(AS_GIVEN)), ("tables.cu", of_tables)];
        for (name, text) in files.into_iter().chain([("simulation.cpp", include_str!("simulation.cpp").to_owned())]) {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let program = folder.path().join("simulation");
        let mut compile = Command::new(compiler);
        compile.current_dir(&folder).args(["-std=c++17", "-O1", "-w", has_stored, "simulation.cpp", "-o"]).arg(&program);
        for command in [&mut compile, &mut Command::new(&program)] {
            let output = command.output().unwrap();
            let text = [output.stdout, output.stderr].concat();
            assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&text));
        }
    }
}

/// As on the CPU: -0.0 less 0.0 is -0.0.
#[test]
fn a_float_is_subtracted_by_adding_its_negative_with_its_sign() {
    let single = source::<sub::Function<f32>, _, _, _>(9, (&[1i64]).into_lazy(), (&[3.0]).into_lazy());
    let whole = source::<sub::Function<i64>, _, _, _>(9, (&[1i64]).into_lazy(), (&[3]).into_lazy());
    assert!(single.contains("atomicAdd((f32*)at, (f32)-(f32)value);"), "{single}");
    assert!(whole.contains("atomicAdd((u64*)at, (u64)-(u64)value);"), "{whole}");
}

/// The kernel divides its sums among the elements.
#[test]
fn a_target_without_elements_has_no_sums_in_shared_memory() {
    let native = Native::of::<add::Function<f32>>().unwrap();
    assert_eq!((native.sums(0, 4), native.sums(1, 4)), (0, 8192));
    assert!(!source::<add::Function<f32>, _, _, _>(0, (&[1i64]).into_lazy(), (&[3.0]).into_lazy()).contains("__shared__"));
}

/// Those of functions of the user's, most of them for elements of other sizes than CUDA's words.
fn sources_of_own_functions() -> Vec<String> {
    use crate::prelude::*;
    use num_complex::Complex;

    #[derive(Clone, Copy, DeviceType)]
    #[repr(C)]
    struct Pair<T> {
        a: T,
        b: T,
    }

    #[reduce]
    fn larger<T: Num>(x: Pair<T>, y: Pair<T>) -> Pair<T> {
        if x.a < y.a { y } else { x }
    }

    #[reduce]
    fn least(x: f32, y: f32) -> f32 {
        if y < x { y } else { x }
    }

    #[reduce]
    fn product(x: Complex<f64>, y: Complex<f64>) -> Complex<f64> {
        x * y
    }

    [
        // With a predicate for each bit of its places, ptxas had too few registers for this one.
        sources::<least::Function, _, _, _>(1000, (&[1i64]).into_lazy(), (&[1.0]).into_lazy()),
        sources::<product::Function, _, _, _>(9, (&[1i64]).into_lazy(), (&[Complex::ONE]).into_lazy()),
        sources::<larger::Function<i32>, _, _, _>(9, (&[1i64]).into_lazy(), (&[Pair { a: 1, b: 2 }]).into_lazy()),
        sources::<larger::Function<u8>, _, _, _>(9, (&[1i64]).into_lazy(), Pair { a: 1u8, b: 2 }.into_lazy()),
        sources::<larger::Function<f64>, _, _, _>(9, (&[1i64]).into_lazy(), (&[Pair { a: 1.0, b: 2.0 }]).into_lazy()),
    ]
    .concat()
}
