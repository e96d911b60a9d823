//! The CUDA C that each feature of the kernel language becomes, as text to be reviewed, and through NVRTC.
//!
//! A golden file holds the functions of one kernel without the runtime's helpers (but for `complete.cu`, which is the whole
//! program). A line marked `// unless proved` is a check that is left out when the launch shows that it cannot fail.
//! `UPDATE_EXPECT=1 cargo test --test golden` writes the files.

use expect_test::expect_file;
use gpu_runtime::__private::{KernelDefinition, LaunchDims, Region, Segment, SourceUnit, Variant, linked_source, ptx_of, template};
use gpu_runtime::calls::Callee;
use gpu_runtime::{Device, KernelHandle, KernelReport};
use gpu_tests::require::has_nvrtc;
use gpu_tests::shim::shown;
use std::fmt::Write as _;
use std::thread;

mod golden {
    pub(crate) mod arithmetic;
    pub(crate) mod atomics;
    pub(crate) mod control;
    pub(crate) mod cooperation;
    pub(crate) mod data;
    pub(crate) mod instances;
    pub(crate) mod library;
    pub(crate) mod matching;
    pub(crate) mod memory;
    pub(crate) mod own_traits;
    pub(crate) mod programs;
    pub(crate) mod small_floats;
    pub(crate) mod tiles;
    pub(crate) mod tuning;
}
use golden::{
    arithmetic, atomics, control, cooperation, data, instances, library, matching, memory, own_traits, programs, small_floats, tiles,
    tuning,
};

/// One kernel: its golden file, its functions as text, and what is asked for its machine code.
struct Golden {
    name: &'static str,
    text: fn() -> String,
    handle: Handle,
    /// Has `f64` in its PTX on purpose.
    uses_f64: bool,
}

macro_rules! goldens {
    ($($module:ident::$name:ident $(<$($argument:tt),*>)? $(($f64:ident))?),* $(,)?) => {
        &[$(Golden {
            name: stringify!($name),
            text: functions::<$module::$name::Kernel $(<$($argument),*>)?>,
            handle: $module::$name::handle $(::<$($argument),*>)?,
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
    arithmetic::sine_and_cosine(f64),
    arithmetic::cosine(f64),
    arithmetic::cosine_squared(f64),
    arithmetic::integer_methods,
    arithmetic::casts(f64),
    arithmetic::literals(f64),
    control::branches,
    control::branch_values,
    control::for_ranges,
    control::checks_before_loops,
    control::checks_behind_loops,
    control::counted_loops,
    control::nest_of_loops,
    control::element_loops,
    control::while_loops,
    control::loops_with_values,
    control::labels,
    control::short_circuit,
    control::early_return,
    control::endless_loop,
    control::warp_reads_padded_row,
    control::grid_stride_loop,
    control::grid_stride_over_a_number,
    data::scopes_and_shadowing,
    data::tuples,
    data::tuples_in_memory,
    data::turned_pairs,
    data::arrays,
    data::vectors,
    data::copy_of_vectors,
    data::generic_structs,
    data::own_operators,
    data::references,
    data::checked_indices,
    data::unchecked_indices,
    data::evaluation_order,
    data::constants,
    data::names,
    data::failures,
    data::structs(f64),
    data::enums_with_data(f64),
    data::complex_numbers(f64),
    small_floats::halves(f64),
    atomics::relaxed_atomics(f64),
    atomics::atomics_of_words,
    atomics::atomic_orderings,
    atomics::atomics_in_shared_memory,
    atomics::exchanges_in_patterns,
    memory::dynamic_arrays,
    memory::constant_arrays,
    memory::own_parts,
    memory::own_elements<4>,
    matching::match_arms,
    matching::match_as_switch,
    matching::guarded_alternatives,
    matching::taken_apart,
    matching::let_conditions,
    matching::options,
    library::special_functions,
    library::rounding,
    library::bit_operations,
    library::cache_hints,
    library::clocks,
    library::prints,
    programs::vector_add,
    programs::image_2d,
    programs::volume_3d,
    programs::block_sum,
    cooperation::grid_barrier,
    cooperation::grid_barrier_without_parameters,
    cooperation::shared_array_of_function,
    cooperation::racing_array_of_functions,
    programs::row_sums,
    programs::tiled_matmul,
    programs::device_functions,
    programs::slices_in_device_functions,
    programs::generic_functions(f64),
    programs::generic_in_single_precision,
    tiles::product_of_tiles,
    tiles::product_and_nothing_else,
    tiles::product_in_tf32,
    tiles::products_of_all_elements (f64),
    tiles::steps_of_tiles,
    tiles::attention_of_tiles,
    tuning::unrolled_loops,
    tuning::assembly,
    tuning::foreign_functions,
    programs::views,
    programs::matrix_product,
    programs::generic_kernel<f32, 3>,
    programs::matmul_in_tiles<16>,
    programs::sparse_by_dense,
    programs::sparse_rows,
    programs::periodic,
    programs::closures,
    own_traits::traits,
    own_traits::numbers_behind_references,
    instances::closures_of_values,
    instances::waiting_instance<f32, 32>,
];

#[test]
fn generated_cuda_c_is_as_reviewed() {
    for golden in GOLDENS {
        expect_file![format!("golden/{}.cu", golden.name)].assert_eq(&(golden.text)());
    }
    expect_file!["golden/complete.cu"].assert_eq(&programs::vector_add::cuda_source());
}

#[test]
fn what_follows_a_product_is_computed_where_its_tiles_are_stored() -> gpu_runtime::Result<()> {
    use gpu_runtime::prelude::Elementwise as _;

    let device = Device::cpu();
    let zeros = |shape: [usize; 2]| device.zeros::<half::bf16>(shape);
    let (a, b, bias, other) = (zeros([2048, 64])?, zeros([64, 2048])?, device.zeros::<f32>(2048)?, zeros([2048, 2048])?);
    let layer = (gpu_runtime::matmul(&a, &b).cast::<f32>() + &bias).cast::<half::bf16>() * &other;
    let source = layer.cuda_source()?;
    let first = source.find("struct gr_inputs").expect("a kernel has inputs");
    expect_file!["golden/product_in_expression.cu"].assert_eq(&source[first..]);
    Ok(())
}

#[test]
fn a_thread_of_forall_may_do_several_elements() {
    let source = linked_source(programs::vector_add::Kernel::META.unit, Variant::SeveralElements);
    let functions = source.expect("it knows its thread by `grid_1d` alone").functions;
    expect_file!["golden/several_elements.cu"].assert_eq(functions.trim_start());
}

#[test]
fn operations_of_signed_integers_that_do_not_overflow_are_operators() {
    let source = linked_source(programs::nearest_center::Kernel::META.unit, Variant::Narrow(u32::MAX));
    let functions = source.expect("its indices are casts").functions;
    expect_file!["golden/exact_operations.cu"].assert_eq(functions.trim_start());
}

#[test]
fn a_kernel_may_compute_indices_in_32_bits() {
    let source = linked_source(programs::matmul_in_tiles::Kernel::<16>::META.unit, Variant::Narrow(u32::MAX));
    let functions = source.expect("nothing needs more than the low bits of an index").functions;
    expect_file!["golden/narrow.cu"].assert_eq(functions.trim_start());
    let source = linked_source(programs::matrix_product::Kernel::META.unit, Variant::Narrow(u32::MAX));
    let functions = source.expect("nor do the offsets of compact views").functions;
    expect_file!["golden/narrow_views.cu"].assert_eq(functions.trim_start());
    let source = linked_source(programs::sparse_rows::Kernel::META.unit, Variant::Narrow(u32::MAX));
    let functions = source.expect("gathered words are computed with in 64 bits").functions;
    expect_file!["golden/narrow_gathers.cu"].assert_eq(functions.trim_start());
    let source = linked_source(programs::sparse_by_dense::Kernel::META.unit, Variant::Narrow(u32::MAX));
    let functions = source.expect("the largest word of a group is multiplied in 64 bits").functions;
    expect_file!["golden/narrow_rows.cu"].assert_eq(functions.trim_start());
    let source = linked_source(programs::periodic::Kernel::META.unit, Variant::Narrow(u32::MAX));
    let functions = source.expect("the arguments of a closure are below the limit").functions;
    expect_file!["golden/narrow_quotients.cu"].assert_eq(functions.trim_start());
    let source = linked_source(programs::narrow_functions::Kernel::META.unit, Variant::Narrow(u32::MAX));
    let functions = source.expect("what the functions return has 32 bits").functions;
    expect_file!["golden/narrow_functions.cu"].assert_eq(functions.trim_start());
    if has_nvrtc("a_kernel_may_compute_indices_in_32_bits") {
        let report = programs::narrow_functions::handle().report(&Device::cpu()).expect("it compiles in both widths").to_string();
        assert!(report.contains("32-bit indices"), "{report}");
    }
    let source = linked_source(programs::transitions::Kernel::META.unit, Variant::Narrow(u32::MAX));
    let functions = source.expect("casts are checked in 32 bits").functions;
    expect_file!["golden/narrow_casts.cu"].assert_eq(functions.trim_start());
    // Where the table is shorter than for every word that its elements may hold, as most are.
    let source = linked_source(programs::words::Kernel::META.unit, Variant::Narrow(!0b10));
    let functions = source.expect("what is checked is below the limit").functions;
    expect_file!["golden/narrow_checks.cu"].assert_eq(functions.trim_start());
}

/// The conditions of a launch are those of its sizes, and a short table does not keep it from 32 bits.
#[test]
fn launches_show_that_indices_may_have_32_bits() {
    let dims = |blocks| LaunchDims { grid: [blocks, 1, 1], block: [4, 1, 1] };
    let words = |table: usize| {
        let (text, next, mut ends) = (vec![0; 64], vec![0; table], vec![0; 4]);
        let shown = shown::<programs::words::Kernel>(&(&text, &next, &mut ends, 4), &dims(1));
        (shown.in_bounds(), shown.is_narrow, shown.is_narrow_with_checks)
    };
    assert_eq!(words(64), (false, true, true));
    assert_eq!(words(255 * 32 + 256), (true, true, true));
    let periodic = |width: usize, height: usize| {
        let (before, mut after) = (vec![0.0; 12], vec![0.0; 12]);
        shown::<programs::periodic::Kernel>(&(&before, &mut after, width, height), &dims(3)).is_narrow
    };
    assert!(periodic(4, 3));
    assert!(!periodic(1 << 16, 1 << 16) && !periodic(0, 1 << 32));
}

/// A guard allows more columns than there are blocks, and a thread's row is a quotient by a constant.
#[test]
fn launches_show_that_blocks_stay_in_an_array() {
    let (scores, mut out) = (vec![0; 64 * 64], vec![0; 64]);
    let mut diagonal = |scores: &Vec<i32>, diagonal: usize, first: usize, blocks: u32| {
        let dims = LaunchDims { grid: [blocks, 1, 1], block: [16, 1, 1] };
        shown::<programs::diagonal_of_tiles::Kernel>(&(scores, 64, diagonal, first, &mut out), &dims).in_bounds()
    };
    for number in 0..7usize {
        let first = number.saturating_sub(3);
        let blocks = (number.min(3) - first + 1) as u32;
        assert!(diagonal(&scores, number, first, blocks), "diagonal {number}");
        assert!(!diagonal(&scores, number, first, blocks + 4), "diagonal {number} has no so many tiles");
    }
    assert!(!diagonal(&scores[1..].to_vec(), 6, 3, 1));

    let (rows, mut out) = (vec![0.0; 128 * 10], vec![0.0; 256]);
    let dims = LaunchDims { grid: [1, 1, 1], block: [16, 16, 1] };
    let mut is_in_bounds =
        |first: usize| shown::<programs::rows_of_few_threads::Kernel>(&(&rows[first..].to_vec(), 10, &mut out), &dims).in_bounds();
    let found = [0, 4, 10].map(&mut is_in_bounds);
    assert_eq!(found, [true, true, false], "{:?}", programs::rows_of_few_threads::Kernel::META.conditions);
}

/// Twice each, as the second comes from the cache.
#[test]
fn instances_of_a_kernel_never_share_machine_code() {
    if !has_nvrtc("instances_of_a_kernel_never_share_machine_code") {
        return;
    }
    let compile = || {
        use programs::generic_kernel::handle;
        [handle::<f32, 3>(), handle::<f64, 3>(), handle::<f32, 4>()].map(|kernel| kernel.cubin("sm_90").expect("it compiles"))
    };
    let (images, again) = (compile(), compile());
    assert_eq!(images, again);
    assert!(images[0] != images[1] && images[1] != images[2] && images[2] != images[0]);
}

#[test]
fn every_golden_compiles_for_old_and_new_architectures() {
    if !has_nvrtc("every_golden_compiles_for_old_and_new_architectures") {
        return;
    }
    thread::scope(|scope| {
        for architecture in ["sm_75", "sm_80", "sm_90", "sm_90a", "sm_100", "sm_120"] {
            scope.spawn(move || {
                // Tiles have instructions of their own for each of these.
                let is_usual = ["sm_75", "sm_90", "sm_100"].contains(&architecture);
                for golden in GOLDENS.iter().filter(|golden| is_usual || golden.name.contains("tile") || golden.name.starts_with("product"))
                {
                    match (golden.handle)().cubin(architecture) {
                        Ok(image) => assert!(image.starts_with(b"\x7fELF"), "{}: not machine code", golden.name),
                        Err(error) => panic!("{} for {architecture}: {error}\n{}", golden.name, (golden.text)()),
                    }
                }
            });
        }
    });
}

#[test]
fn single_precision_kernels_have_no_double_precision_instruction() {
    if !has_nvrtc("single_precision_kernels_have_no_double_precision_instruction") {
        return;
    }
    for golden in GOLDENS.iter().filter(|golden| !golden.uses_f64) {
        let ptx = (golden.handle)().ptx("sm_90").unwrap_or_else(|error| panic!("{}: {error}", golden.name));
        let doubles: Vec<&str> = ptx.lines().filter(|line| line.contains(".f64")).collect();
        assert!(doubles.is_empty(), "{}: {doubles:#?}", golden.name);
    }
}

macro_rules! pairs {
    ($($name:literal: $chain:ident, $by_hand:ident;)*) => {
        [$(($name, [control::$chain::handle, control::$by_hand::handle], [control::$chain::report, control::$by_hand::report])),*]
    };
}

type Handle = fn() -> KernelHandle;
type Report = fn(&Device) -> gpu_runtime::Result<KernelReport>;

/// The same as a chain of iterators and as a loop.
const PAIRS: [(&str, [Handle; 2], [Report; 2]); 6] = pairs! {
    "products": products_by_chain, products_by_loop;
    "largest": largest_by_chain, largest_by_loop;
    "counted": counted_by_chain, counted_by_loop;
    "windows": windows_by_chain, windows_by_loop;
    "rows": rows_by_chain, rows_by_loop;
    "chunks": chunks_by_chain, chunks_by_loop;
};

/// But for the registers, which the compiler numbers.
#[test]
fn chains_are_instruction_for_instruction_the_loops_by_hand() {
    if !has_nvrtc("chains_are_instruction_for_instruction_the_loops_by_hand") {
        return;
    }
    for (name, kernels, _) in PAIRS {
        let [chain, by_hand] = kernels.map(|handle| operations(&handle().ptx("sm_90").expect("it compiles")));
        assert!(chain.len() > 20, "{name}: {chain:?}");
        assert_eq!(chain, by_hand, "{name}");
    }
}

/// The same of machine code, in all variants of the kernels, where a disassembler is installed.
#[test]
fn chains_have_the_machine_code_of_the_loops_by_hand() {
    if !has_nvrtc("chains_have_the_machine_code_of_the_loops_by_hand") {
        return;
    }
    for (name, _, report) in PAIRS {
        let [chain, by_hand] = report.map(|report| report(&Device::cpu()).expect("it compiles").variants);
        assert_eq!(chain.len(), by_hand.len(), "{name}");
        for (chain, by_hand) in chain.iter().zip(&by_hand) {
            let (Some(chain_code), Some(code_by_hand)) = (&chain.sass, &by_hand.sass) else {
                let required = std::env::var("GPU_RUNTIME_REQUIRE").is_ok_and(|required| required.contains("disassembler"));
                assert!(!required, "there is neither `nvdisasm` nor `cuobjdump`");
                return eprintln!(
                    "skipped `chains_have_the_machine_code_of_the_loops_by_hand`: there is neither `nvdisasm` nor `cuobjdump`"
                );
            };
            let [chain_code, code_by_hand] = [chain_code, code_by_hand].map(|sass| machine_operations(sass));
            assert!(chain_code.len() > 20, "{name}: {chain_code:?}");
            assert_eq!(chain_code, code_by_hand, "{name}, {}", chain.name);
        }
    }
}

/// The operations in SASS, in order, without their operands: `LDG.E.CONSTANT` of `/*0190*/ @P0 LDG.E.CONSTANT R9, desc[UR8][R2.64] ;`.
fn machine_operations(sass: &str) -> Vec<String> {
    let instructions = sass.lines().filter_map(|line| line.trim_start().strip_prefix("/*")?.split_once("*/")?.1.trim().strip_suffix(';'));
    instructions.map(|line| line.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default().to_owned()).collect()
}

/// The operations of a kernel, in order.
fn operations(ptx: &str) -> Vec<String> {
    let (_, kernel) = ptx.split_once(".entry").expect("there is a kernel");
    let lines = kernel.lines().map(str::trim).filter(|line| line.ends_with(';') && !line.starts_with('.'));
    lines.map(|line| line.split_whitespace().find(|word| !word.starts_with('@')).unwrap_or_default().to_owned()).collect()
}

/// Our reduction has three fused multiply-adds of `f64`; those in CUDA's functions have none.
#[test]
fn sine_and_cosine_of_one_variable_share_their_reduction() {
    if !has_nvrtc("sine_and_cosine_of_one_variable_share_their_reduction") {
        return;
    }
    for architecture in ["sm_75", "sm_90"] {
        let reductions = |ptx: gpu_runtime::Result<String>| count(&ptx.expect("it compiles"), "fma.rn.f64") / 3;
        assert_eq!(reductions(arithmetic::cosine::handle().ptx(architecture)), 1);
        assert_eq!(reductions(arithmetic::sine_and_cosine::handle().ptx(architecture)), 1);
        assert_eq!(reductions(arithmetic::trigonometry::handle().ptx(architecture)), 2, "one for `sin_cos`, one for `tan`");
    }
}

#[test]
fn a_loop_that_may_never_end_is_not_assumed_to_end() {
    if !has_nvrtc("a_loop_that_may_never_end_is_not_assumed_to_end") {
        return;
    }
    for architecture in ["sm_75", "sm_90", "sm_100", "sm_120"] {
        let ptx = control::endless_loop::handle().ptx(architecture).expect("it compiles");
        let labels: Vec<&str> = ptx.lines().filter_map(|line| line.strip_suffix(':')).collect();
        let is_backwards = |label: &&str| {
            let jump = ["bra", "bra.uni"].into_iter().filter_map(|jump| ptx.rfind(&format!("{jump} \t{label};"))).max();
            jump > ptx.find(&format!("{label}:"))
        };
        assert!(labels.iter().any(is_backwards), "{architecture}: {ptx}");
    }
}

#[test]
fn powi_of_a_literal_costs_its_multiplications_and_no_loop() {
    if !has_nvrtc("powi_of_a_literal_costs_its_multiplications_and_no_loop") {
        return;
    }
    let cosine = arithmetic::cosine::handle().ptx("sm_90").expect("it compiles");
    let squared = arithmetic::cosine_squared::handle().ptx("sm_90").expect("it compiles");
    assert_eq!(count(&squared, "mul.f32"), count(&cosine, "mul.f32") + 1, "{squared}");
    assert_eq!(count(&squared, "bra"), count(&cosine, "bra"), "{squared}");
}

#[test]
fn a_relaxed_operation_on_words_is_one_instruction() {
    if !has_nvrtc("a_relaxed_operation_on_words_is_one_instruction") {
        return;
    }
    for architecture in ["sm_75", "sm_90"] {
        let ptx = atomics::relaxed_atomics::handle().ptx(architecture).expect("it compiles");
        for operation in ["add.u32", "add.f32", "add.f64", "max.s64", "min.s64", "exch.b32", "inc.u32"] {
            let found = ["atom", "red"].iter().map(|kind| count(&ptx, &format!("{kind}.global.{operation}"))).sum::<usize>();
            assert_eq!(found, 1, "{operation} in\n{ptx}");
        }
        // (What reports a failed check has a compare-and-swap and a fence for the whole system.)
        assert_eq!(count(&ptx, "fence") + count(&ptx, "membar.gl") + count(&ptx, "atom.global.cas"), 0, "{ptx}");
    }
}

#[test]
fn an_ordering_is_a_fence_of_its_scope() {
    if !has_nvrtc("an_ordering_is_a_fence_of_its_scope") {
        return;
    }
    let ptx = atomics::atomic_orderings::handle().ptx("sm_90").expect("it compiles");
    // The release of the store, the acquire of the load, both of `fetch_sub`, the acquires of two `SeqCst`.
    assert_eq!(count(&ptx, "fence.acq_rel.gpu"), 6, "{ptx}");
    assert_eq!(count(&ptx, "fence.sc.gpu") + count(&ptx, "membar.gl"), 2, "{ptx}");
    assert_eq!(count(&ptx, "fence.acq_rel.cta"), 1, "{ptx}");
    assert_eq!(count(&ptx, "fence.acq_rel.sys"), 2, "{ptx}");
    let ptx = atomics::atomics_in_shared_memory::handle().ptx("sm_90").expect("it compiles");
    // A compiler may write a loop's condition twice.
    for instruction in ["fence.acq_rel.cta", "atom.shared.cta.cas.b32", "nanosleep"] {
        assert!(count(&ptx, instruction) >= 1, "{instruction} in\n{ptx}");
    }
    // Of `claim`, whose flags are in device memory.
    assert_eq!(count(&ptx, "fence.acq_rel.gpu"), 1, "{ptx}");
}

/// A read-only view is read through the read-only cache, like a slice, and a proved product has nothing but its loads in the loop.
#[test]
fn a_product_of_views_reads_through_the_read_only_cache_without_checks() {
    if !has_nvrtc("a_product_of_views_reads_through_the_read_only_cache_without_checks") {
        return;
    }
    let checked = programs::matrix_product::handle().ptx("sm_90").expect("it compiles");
    assert_eq!(count(&checked, "ld.global.f32"), 0, "{checked}");
    assert!(count(&checked, "ld.global.nc.f32") >= 2, "{checked}");
    let unchecked = linked_source(programs::matrix_product::Kernel::META.unit, Variant::Unchecked).expect("every kernel has this variant");
    let (_, kernel) = unchecked.functions.split_once(" matrix_product(").expect("the kernel is in its program");
    assert!(!kernel.contains("gr_panic"), "{kernel}");
}

/// The compiler must see through the pointers which memory is meant: a load that finds out at run time is slower.
#[test]
fn dynamic_arrays_are_in_shared_memory_and_tables_in_constant_memory() {
    if !has_nvrtc("dynamic_arrays_are_in_shared_memory_and_tables_in_constant_memory") {
        return;
    }
    let ptx = memory::dynamic_arrays::handle().ptx("sm_90").expect("it compiles");
    let shared = |access: &str| count(&ptx, &format!("{access}.shared")) + count(&ptx, &format!("{access}.volatile.shared"));
    assert!(shared("ld") >= 4 && shared("st") >= 2, "{ptx}");
    // (Atomics are loaded `relaxed`.)
    let generic = ["ld.f32", "st.f32", "ld.volatile.f32", "st.volatile.f32"];
    assert_eq!(generic.map(|access| count(&ptx, access)).iter().sum::<usize>(), 0, "{ptx}");
    assert_eq!(ptx.matches(".extern .shared .align 16 .b8 gr_dynamic[]").count(), 1, "{ptx}");
    let ptx = memory::constant_arrays::handle().ptx("sm_90").expect("it compiles");
    assert!(count(&ptx, "ld.const") >= 2, "{ptx}");
    assert_eq!(count(&ptx, "ld.local") + count(&ptx, "st.local"), 0, "{ptx}");
}

#[test]
fn a_vector_is_loaded_and_stored_by_one_instruction() {
    if !has_nvrtc("a_vector_is_loaded_and_stored_by_one_instruction") {
        return;
    }
    for architecture in ["sm_75", "sm_90"] {
        let ptx = data::copy_of_vectors::handle().ptx(architecture).expect("it compiles");
        assert_eq!((count(&ptx, "ld.global.nc.v4"), count(&ptx, "st.global.v4")), (1, 1), "{ptx}");
        assert_eq!((count(&ptx, "ld.global.nc.v2"), count(&ptx, "st.global.v2")), (1, 1), "{ptx}");
        assert_eq!((count(&ptx, "st.shared.v4"), count(&ptx, "ld.shared.v4")), (1, 1), "{ptx}");
        // (What reports a failed check loads and stores words.)
        assert_eq!(count(&ptx, "ld.global.nc") + count(&ptx, "ld.global.f32") + count(&ptx, "st.global.f32"), 2, "{ptx}");
    }
}

#[test]
fn parts_of_an_element_are_loaded_at_once_where_the_launch_shows_its_alignment() {
    if !has_nvrtc("parts_of_an_element_are_loaded_at_once_where_the_launch_shows_its_alignment") {
        return;
    }
    let counts = |variant| {
        let ptx = ptx_of::<data::turned_pairs::Kernel>(variant, "sm_90").expect("it compiles");
        ["ld.global", "ld.global.v2", "ld.global.nc.v2", "ld.global.v4", "ld.global.nc.v4", "st.global.v2"]
            .map(|opcode| count(&ptx, opcode))
    };
    let [loads, .., stores] = counts(Variant::Checked);
    assert_eq!((loads, stores), (6, 0));
    let [loads, pair, pair_of_cache, quad, quad_of_cache, stores] = counts(Variant::Unchecked);
    assert_eq!((loads, pair + pair_of_cache, quad + quad_of_cache, stores), (2, 1, 1, 1));
}

/// How many instructions of PTX are `opcode`, with whatever follows its first part.
fn count(ptx: &str, opcode: &str) -> usize {
    let words = ptx.lines().filter_map(|line| line.split_whitespace().find(|word| !word.starts_with('@')));
    words.filter(|word| word.trim_end_matches(';').starts_with(opcode)).count()
}

/// The kernel and the device functions that it calls, callees first as they are reached.
fn functions<K: KernelDefinition>() -> String {
    let kernel = K::META.unit;
    let mut callees = Vec::new();
    collect_callees(kernel, &mut callees);
    let mut next = 0;
    while next < callees.len() {
        collect_callees(callees[next].unit, &mut callees);
        next += 1;
    }
    let mut text = String::new();
    for unit in callees.iter().map(|callee| callee.unit).chain([kernel]) {
        if !text.is_empty() {
            text.push('\n');
        }
        write_body(unit, &mut text);
    }
    text
}

/// What the unit has where every check is made.
fn body(unit: &'static SourceUnit) -> impl Iterator<Item = Segment> {
    let has_barrier = unit.snippets.contains(&"grid");
    template::kept_with_marks(unit.body, move |region| match region {
        Region::Shown(_) | Region::Proved | Region::SeveralElements | Region::Narrow => false,
        Region::Cooperative => has_barrier,
        Region::Checked(_) | Region::OneElement | Region::Wide => true,
    })
}

fn collect_callees(unit: &'static SourceUnit, callees: &mut Vec<Callee>) {
    for segment in body(unit) {
        let callee = match segment {
            Segment::Function(callee) => Some(callee()),
            Segment::Overload(callee) => callee(),
            _ => None,
        };
        if let Some(callee) = callee
            && !callees.iter().any(|known| known.id == callee.id)
        {
            callees.push(callee);
        }
    }
}

/// A line that is left out when the launch shows that it is not needed. A part of a line has no mark.
fn push_checked(line: &str, text: &mut String) {
    const MARK: &str = " // unless proved";
    match line.strip_suffix('\n') {
        Some(line) if !line.ends_with(MARK) => text.extend([line, MARK, "\n"]),
        _ => text.push_str(line),
    }
}

fn write_body(unit: &'static SourceUnit, text: &mut String) {
    let mut regions = Vec::new();
    for segment in body(unit) {
        match segment {
            Segment::Text(part) => text.push_str(part),
            Segment::Constant(value) => text.push_str(&value()),
            Segment::Value(value) => text.push_str(&value().to_string()),
            Segment::Function(callee) => text.push_str(callee().unit.name),
            Segment::Overload(callee) => text.push_str(callee().map_or("", |callee| callee.unit.name)),
            Segment::Type(name) => text.push_str(&name().to_string()),
            Segment::OwnName => text.push_str(unit.name),
            Segment::Start => text.push_str("  gr_wait_for_previous();\n"),
            Segment::Site(index) => write!(text, "{index}").expect("a string takes any text"),
            Segment::Begin(region) => regions.push((Some(region), text.len())),
            Segment::BeginIf(_) | Segment::BeginOwn(_) | Segment::BeginOther(_) => regions.push((None, 0)),
            Segment::End => {
                if let Some((Some(Region::Checked(_)), start)) = regions.pop() {
                    let lines = text.split_off(start);
                    lines.split_inclusive('\n').for_each(|line| push_checked(line, text));
                }
            }
            Segment::NarrowFunction { .. } | Segment::NarrowIf(_) => {}
            Segment::Line(_) | Segment::Call { .. } | Segment::Linked(_) | Segment::Template { .. } => {}
        }
    }
}
