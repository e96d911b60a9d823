//! Launches: shapes, devices, failures. The kernels are written as the macros write them.
#![allow(private_interfaces, clippy::unnecessary_cast)]

use std::sync::{Mutex, MutexGuard};

use crate::support::{devices, gpu_or_skip};
use gpu_runtime::__private::{
    Arguments, Blocks, KernelDefinition, KernelMeta, LaunchDims, ProvedFor, Segment, Shown, SiteKind, Sites, SourceUnit, Stop,
};
use gpu_runtime::prelude::*;
use gpu_runtime::{DeviceSlice, DeviceSliceMut, Error, FailureCause, KernelHandle, Launch, RaceFree, Result};

const ONE_DIMENSION: ProvedFor = ProvedFor { grid_axes: 1, block_axes: 1 };

/// `fn shift(x: &[i32], out: &mut [i32]) { let i = grid_1d(); if i < out.len() { out[i] = x[i + 1]; } }`
struct Shift;

static SHIFT_SITES: Sites = Sites::new("shift.rs", "3:18i", &[]);

// SAFETY: source and twin take the arguments that `Args` binds, and check their indices.
unsafe impl KernelDefinition for Shift {
    type Args<'a> = (DeviceSlice<'a, i32>, DeviceSliceMut<'a, i32>);
    const META: &'static KernelMeta = &KernelMeta {
        name: "shift",
        params: &["x", "out"],
        proved_for: ONE_DIMENSION,
        unit: &SourceUnit {
            name: "shift",
            prototype: &[],
            body: &[Segment::Template {
                text: "extern \"C\" __global__ void `name`(const i32* __restrict__ x, usize x_len, i32* __restrict__ out, usize out_len) {\n\
                       \x20 const usize i = (usize)blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < out_len) {\n\
                       `checked 1`    if (i + 1 >= x_len) gr_panic(`site 0`, i + 1, x_len);\n`}`    out[i] = x[i + 1];\n  }\n}\n",
                holes: &[],
            }],
            snippets: &["panic"],
            sites: &SHIFT_SITES,
            several_elements: false,
        },
        ..KernelMeta::NONE
    };

    fn shown((x, out): &Self::Args<'_>, _: &LaunchDims) -> Shown {
        Shown::of([out.len() < x.len()], false)
    }

    fn run_blocks(args: &Self::Args<'_>, blocks: Blocks<'_>) -> std::result::Result<(), Stop> {
        // SAFETY: the runtime calls this only for arrays in host memory, which the launch keeps borrowed.
        let (x, out) = unsafe { Arguments::host(args) };
        blocks.for_each_thread(|thread| {
            // SAFETY: each thread writes the element of its position.
            let mut out = unsafe { out.of_thread() };
            let i = grid_1d::__intrinsic(thread);
            if i < out.len() {
                let value = x[thread.index(i + 1, x.len(), 0)?];
                out[i] = value;
            }
            Ok(())
        })
    }
}

// SAFETY: each thread uses the element of its position, in launches along one axis.
unsafe impl RaceFree for Shift {}

fn shift<'a>(x: DeviceSlice<'a, i32>, out: DeviceSliceMut<'a, i32>) -> Launch<'a, Shift> {
    Launch::new((x, out))
}

/// `#[gpu_kernel(block = (8, 4))] fn fill(value: i32, width: usize, out: &mut [i32])`, one element of rows of `width` per thread.
struct Fill;

// SAFETY: source and twin take the arguments that `Args` binds, and check their indices.
unsafe impl KernelDefinition for Fill {
    type Args<'a> = (i32, usize, DeviceSliceMut<'a, i32>);
    const META: &'static KernelMeta = &KernelMeta {
        name: "fill",
        params: &["value", "width", "out"],
        block: Some([8, 4, 1]),
        proved_for: ProvedFor { grid_axes: 2, block_axes: 2 },
        unit: &SourceUnit {
            name: "fill",
            prototype: &[],
            body: &[
                Segment::Text("extern \"C\" __global__ void "),
                Segment::OwnName,
                Segment::Text("(i32 value, usize width, i32* __restrict__ out, usize out_len) {\n"),
                Segment::Text("  const usize x = (usize)blockIdx.x * blockDim.x + threadIdx.x;\n"),
                Segment::Text("  const usize i = ((usize)blockIdx.y * blockDim.y + threadIdx.y) * width + x;\n"),
                Segment::Text("  if (x < width && i < out_len) out[i] = value;\n}\n"),
            ],
            snippets: &[],
            sites: &Sites::NONE,
            several_elements: false,
        },
        ..KernelMeta::NONE
    };

    fn run_blocks(args: &Self::Args<'_>, blocks: Blocks<'_>) -> std::result::Result<(), Stop> {
        // SAFETY: the runtime calls this only for arrays in host memory, which the launch keeps borrowed.
        let (value, width, out) = unsafe { Arguments::host(args) };
        blocks.for_each_thread(|thread| {
            // SAFETY: each thread writes the element of its position.
            let mut out = unsafe { out.of_thread() };
            let (x, y) = grid_2d::__intrinsic(thread);
            let i = y * width + x;
            if x < width && i < out.len() {
                out[i] = value;
            }
            Ok(())
        })
    }
}

// SAFETY: each thread uses the element of its position in rows of `width`.
unsafe impl RaceFree for Fill {}

fn fill<'a>(value: i32, width: usize, out: DeviceSliceMut<'a, i32>) -> Launch<'a, Fill> {
    Launch::new((value, width, out))
}

/// `fn refuse(limit: u32) { assert!(limit > 7, "limit is too small"); }`: no array says where it runs, and nothing proves it.
struct Refuse;

static REFUSE_SITES: Sites = Sites::new("refuse.rs", "9:5k0", &[SiteKind::Assert("limit is too small")]);

// SAFETY: source and twin take the arguments that `Args` binds, and check their indices.
unsafe impl KernelDefinition for Refuse {
    type Args<'a> = (u32,);
    const META: &'static KernelMeta = &KernelMeta {
        name: "refuse",
        params: &["limit"],
        proved_for: ONE_DIMENSION,
        unit: &SourceUnit {
            name: "refuse",
            prototype: &[],
            body: &[
                Segment::Text("extern \"C\" __global__ void "),
                Segment::OwnName,
                Segment::Text("(u32 limit) {\n  if (!(limit > 7u)) gr_panic("),
                Segment::Site(0),
                Segment::Text(", 0, 0);\n}\n"),
            ],
            snippets: &["panic"],
            sites: &REFUSE_SITES,
            several_elements: false,
        },
        ..KernelMeta::NONE
    };

    fn run_blocks((limit,): &Self::Args<'_>, blocks: Blocks<'_>) -> std::result::Result<(), Stop> {
        blocks.for_each_thread(|thread| thread.assert(*limit > 7, 0))
    }
}

fn refuse<'a>(limit: u32) -> Launch<'a, Refuse> {
    Launch::new((limit,))
}

/// A failed kernel is reported to whoever waits for its GPU first, so the tests with one take turns.
fn take_turns() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn numbers(device: &Device, n: i32) -> Result<DeviceArray<i32>> {
    device.to_device(&(0..n).collect::<Vec<_>>())
}

#[test]
fn a_launch_computes_on_every_device() -> Result<()> {
    let _turn = take_turns();
    for device in devices("a_launch_computes_on_every_device") {
        let x = numbers(&device, 1001)?;
        let mut out = device.zeros::<i32>(1000)?;
        shift(x.slice(..), out.slice_mut(..)).launch(8, 128)?;
        assert_eq!(out.to_host()?, (1..1001).collect::<Vec<_>>());
        shift(x.slice(500..), out.slice_mut(..10)).launch(1u32, 32u32)?;
        assert_eq!(out.to_host()?[..11], [501, 502, 503, 504, 505, 506, 507, 508, 509, 510, 11]);

        fill(7, 20, out.slice_mut(..200)).launch((3, 3), (8, 4))?;
        assert_eq!(out.to_host()?[..200], [7; 200]);
        assert_eq!(out.to_host()?[200], 201);
    }
    Ok(())
}

#[test]
fn forall_covers_any_length_and_zero_does_nothing() -> Result<()> {
    let _turn = take_turns();
    for device in devices("forall_covers_any_length_and_zero_does_nothing") {
        let x = numbers(&device, 3001)?;
        for n in [1usize, 255, 256, 257, 3000] {
            let mut out = device.zeros::<i32>(3000)?;
            shift(x.slice(..), out.slice_mut(..n)).forall(n)?;
            let host = out.to_host()?;
            assert!(host.iter().enumerate().all(|(i, &value)| value == if i < n { i as i32 + 1 } else { 0 }), "n = {n}");
        }
        let mut none = device.zeros::<i32>(0)?;
        shift(x.slice(..), none.slice_mut(..)).forall(0)?;
    }
    Ok(())
}

#[test]
fn a_failed_check_comes_back_once_and_memory_survives() -> Result<()> {
    let _turn = take_turns();
    for device in devices("a_failed_check_comes_back_once_and_memory_survives") {
        let x = numbers(&device, 5)?;
        let mut out = device.zeros::<i32>(5)?;
        shift(x.slice(..), out.slice_mut(..)).launch(1, 32)?;
        let Error::KernelFailed(failure) = out.to_host().unwrap_err() else { panic!("another error") };
        assert_eq!((failure.kernel, failure.file, failure.line, failure.column), ("shift", "shift.rs", 3, 18));
        assert_eq!(failure.cause, FailureCause::IndexOutOfBounds { index: 5, len: 5 });
        assert_eq!((failure.block, failure.thread), ([0, 0, 0], [4, 0, 0]));

        device.synchronize()?;
        assert_eq!(x.to_host()?, [0, 1, 2, 3, 4]);
        shift(x.slice(..), out.slice_mut(..4)).launch(1, 32)?;
        assert_eq!(out.to_host()?[..4], [1, 2, 3, 4]);
    }
    Ok(())
}

#[test]
fn a_failure_waits_for_a_call_that_reads() -> Result<()> {
    let _turn = take_turns();
    for device in devices("a_failure_waits_for_a_call_that_reads") {
        let x = numbers(&device, 5)?;
        let mut out = device.zeros::<i32>(5)?;
        shift(x.slice(..), out.slice_mut(..)).launch(1, 32)?;
        // These do not read results.
        out.copy_from_host(&[0; 5])?;
        let fresh = numbers(&device, 6)?;
        shift(fresh.slice(..), out.slice_mut(..)).launch(1, 32)?;
        assert!(matches!(device.synchronize(), Err(Error::KernelFailed(_))));
        assert_eq!(out.to_host()?, [1, 2, 3, 4, 5]);
    }
    Ok(())
}

#[test]
fn a_hundred_thousand_failing_threads_make_one_report() -> Result<()> {
    let _turn = take_turns();
    for device in devices("a_hundred_thousand_failing_threads_make_one_report") {
        // SAFETY: it writes nothing.
        unsafe { refuse(7).on_device(&device).launch_unchecked(400, 256)? };
        let error = device.synchronize().unwrap_err().to_string();
        assert!(error.contains("`refuse`") && error.contains("refuse.rs:9:5") && error.contains("limit is too small"), "{error}");
        device.synchronize()?;
    }
    Ok(())
}

#[test]
fn a_failure_on_the_cpu_is_seen_through_every_handle_of_the_launch_and_no_other() -> Result<()> {
    let (one, other, stranger) = (Device::cpu(), Device::cpu(), Device::cpu());
    let x = numbers(&one, 5)?;
    let mut out = other.zeros::<i32>(5)?;
    shift(x.slice(..), out.slice_mut(..)).launch(1, 32)?;
    stranger.synchronize()?;
    assert!(matches!(one.synchronize(), Err(Error::KernelFailed(_))));
    assert!(matches!(other.clone().synchronize(), Err(Error::KernelFailed(_))));
    one.synchronize()?;
    other.synchronize()
}

#[test]
fn a_kernel_without_arrays_must_be_told_where_to_run() -> Result<()> {
    let _turn = take_turns();
    // SAFETY: it writes nothing.
    let error = unsafe { refuse(8).launch_unchecked(1, 1) }.unwrap_err();
    assert!(matches!(error, Error::NoDevice { kernel: "refuse" }) && error.to_string().contains(".on_device(&device)"), "{error}");
    for device in devices("a_kernel_without_arrays_must_be_told_where_to_run") {
        // SAFETY: it writes nothing.
        unsafe {
            refuse(8).on_device(&device).launch_unchecked(2, 64)?;
            refuse(8).on_device(&device).forall_unchecked(100)?;
        }
        device.synchronize()?;
    }
    Ok(())
}

#[test]
fn launch_with_two_devices_is_refused() -> Result<()> {
    let Some(gpu) = gpu_or_skip("launch_with_two_devices_is_refused") else { return Ok(()) };
    let x = numbers(&gpu, 5)?;
    let mut out = Device::cpu().zeros::<i32>(4)?;
    let error = shift(x.slice(..), out.slice_mut(..)).launch(1, 32).unwrap_err();
    assert!(matches!(error, Error::DifferentDevices { kernel: "shift", first: "x", second: "out", .. }), "{error:?}");
    let message = error.to_string();
    assert!(message.contains(gpu.name()) && message.contains(Device::cpu().name()), "{message}");

    let error = fill(1, 4, out.slice_mut(..)).on_device(&gpu).launch(1, (8, 4)).unwrap_err().to_string();
    assert!(error.contains("on_device") && error.contains("`out`"), "{error}");
    Ok(())
}

/// The error of launching `shift` with that shape on `device`.
fn shape_error(device: &Device, grid: impl Into<gpu_runtime::GridDim>, block: impl Into<gpu_runtime::BlockDim>) -> Error {
    let x = numbers(device, 5).unwrap();
    let mut out = device.zeros::<i32>(4).unwrap();
    shift(x.slice(..), out.slice_mut(..)).launch(grid, block).unwrap_err()
}

#[test]
fn shapes_that_no_device_runs_are_refused_with_their_numbers() {
    for device in devices("shapes_that_no_device_runs_are_refused_with_their_numbers") {
        assert!(matches!(shape_error(&device, 0, 32), Error::EmptyGrid { kernel: "shift", .. }));
        assert!(matches!(shape_error(&device, (1, 0), 32), Error::EmptyGrid { .. }));
        assert!(matches!(shape_error(&device, 1, 0), Error::EmptyBlock { kernel: "shift", .. }));
        assert!(matches!(shape_error(&device, -3, 32), Error::GridOutOfRange { kernel: "shift", .. }));
        assert!(shape_error(&device, -3, 32).to_string().contains("a grid of -3 is out of range"));
        assert!(shape_error(&device, (1, 65_536), 32).to_string().contains("(1, 65536)"));
        assert!(shape_error(&device, 1usize << 31, 32).to_string().contains("2147483648"));
        assert!(matches!(shape_error(&device, 1, -32), Error::BlockOutOfRange { kernel: "shift", .. }));
        assert!(matches!(shape_error(&device, 1, 1025), Error::BlockOutOfRange { threads: 1024, .. }));
        assert!(matches!(shape_error(&device, 1, (1, 1, 65)), Error::BlockOutOfRange { .. }));
        let error = shape_error(&device, 1, (32, 33)).to_string();
        assert!(error.contains("(32, 33)") && error.contains("at most 1024 in all"), "{error}");
    }
}

#[test]
fn an_empty_grid_is_fine_where_the_output_is_empty() -> Result<()> {
    for device in devices("an_empty_grid_is_fine_where_the_output_is_empty") {
        let x = numbers(&device, 5)?;
        let mut out = device.zeros::<i32>(0)?;
        let n = out.len();
        shift(x.slice(..), out.slice_mut(..)).launch(n.div_ceil(128), 128usize)?;
        let error = shift(x.slice(..), out.slice_mut(..)).launch(0, 0).unwrap_err();
        assert!(matches!(error, Error::EmptyBlock { .. }), "{error:?}");
    }
    Ok(())
}

#[test]
fn a_shape_beyond_the_proof_is_refused() {
    for device in devices("a_shape_beyond_the_proof_is_refused") {
        for error in [shape_error(&device, (1, 2), 32), shape_error(&device, 1, (16, 2))] {
            assert!(matches!(error, Error::NotProvedForShape { kernel: "shift", .. }), "{error:?}");
            assert!(error.to_string().contains("proved free of data races for a one-dimensional grid"), "{error}");
        }
    }
    // Nobody relies on a proof here.
    // SAFETY: it writes nothing.
    unsafe { refuse(8).on_device(&Device::cpu()).launch_unchecked((2, 2), (4, 4)) }.unwrap();
}

/// Each window of `k` × `k` elements, `k` times for each of two channels.
#[gpu_kernel]
fn windows(h: usize, w: usize, k: usize, out: &mut [i32]) {
    let (rows, columns) = (h - k + 1, w - k + 1);
    let i = grid_1d();
    let (channel, window) = (i / (rows * columns), i % (rows * columns));
    if channel < 2 {
        let (y, x) = (window / columns, window % columns);
        for d in 0..k {
            out[((channel * k + d) * rows + y) * columns + x] += 1;
        }
    }
}

#[test]
fn a_size_that_a_kernel_derives_is_computed_at_the_launch() -> Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<i32>(2 * 3 * 4 * 5)?;
    windows(6, 7, 3, &mut out).launch(8, 8)?;
    assert_eq!(out.to_host()?, [1; 120]);
    // 2^64 - 3 rows and as many columns.
    let error = windows(2, 2, 6, &mut out).launch(8, 8).expect_err("the index could wrap around");
    let Error::NotProvedForArguments { condition, .. } = &error else { panic!("{error}") };
    assert!(condition.contains("(h + 1 - k) * (w + 1 - k)"), "{condition}");
    Ok(())
}

/// Counts the threads of each cell.
#[gpu_kernel]
fn count_cells(width: i32, height: i32, out: &mut [i32]) {
    let (x, y) = grid_2d();
    let (column, row) = (x as i32 - 1, y as i32);
    let cell = row * width + column;
    if column >= 0 && column < width && row < height && (cell as usize) < out.len() {
        out[cell as usize] += 1;
    }
}

#[test]
fn cells_whose_signed_numbers_could_wrap_around_are_refused() -> Result<()> {
    let device = Device::cpu();
    let mut out = device.zeros::<i32>(12)?;
    count_cells(4, 3, &mut out).launch((2, 1), (4, 4))?;
    assert_eq!(out.to_host()?, [1; 12]);
    let error = count_cells(1 << 30, 4, &mut out).launch((2, 1), (4, 4)).expect_err("the number of a cell wraps around");
    let Error::NotProvedForArguments { condition, .. } = &error else { panic!("{error}") };
    assert!(condition.contains("width * grid_dim().y"), "{condition}");
    Ok(())
}

#[test]
fn a_block_other_than_the_declared_one_is_refused() -> Result<()> {
    let _turn = take_turns();
    for device in devices("a_block_other_than_the_declared_one_is_refused") {
        let mut out = device.zeros::<i32>(64)?;
        let error = fill(1, 8, out.slice_mut(..)).launch(1, (4, 8)).unwrap_err();
        assert!(matches!(error, Error::NotTheDeclaredBlock { kernel: "fill", .. }), "{error:?}");
        assert!(error.to_string().contains("`block = (8, 4)`") && error.to_string().contains("a block of (4, 8)"), "{error}");
        let error = fill(1, 8, out.slice_mut(..)).forall(64).unwrap_err();
        assert!(matches!(error, Error::ForallNeedsMoreAxes { kernel: "fill", .. }), "{error:?}");
        assert_eq!(out.to_host()?, [0; 64]);
        fill(1, 8, out.slice_mut(..)).forall((8, 8))?;
        assert_eq!(out.to_host()?, [1; 64]);
        fill(2, 8, out.slice_mut(..8)).forall((8usize, 1))?;
        assert_eq!(out.to_host()?[..9], [2, 2, 2, 2, 2, 2, 2, 2, 1]);
    }
    Ok(())
}

#[test]
fn dropping_arrays_right_after_a_launch_is_safe() -> Result<()> {
    let _turn = take_turns();
    for device in devices("dropping_arrays_right_after_a_launch_is_safe") {
        let mut kept = device.zeros::<i32>(10_000)?;
        for _ in 0..20 {
            let x = numbers(&device, 10_001)?;
            shift(x.slice(..), kept.slice_mut(..)).forall(10_000)?;
            drop(x);
            // May be given the memory of `x`, but not before the kernel is done with it.
            drop(device.to_device(&[-1; 10_001])?);
        }
        assert_eq!(kept.to_host()?, (1..10_001).collect::<Vec<_>>());
    }
    Ok(())
}

#[test]
fn threads_launch_on_one_device_at_the_same_time() -> Result<()> {
    let _turn = take_turns();
    for device in devices("threads_launch_on_one_device_at_the_same_time") {
        std::thread::scope(|scope| {
            for offset in 0..4 {
                let device = &device;
                scope.spawn(move || {
                    let x = numbers(device, 1000).unwrap();
                    let mut out = device.zeros::<i32>(100).unwrap();
                    for _ in 0..50 {
                        shift(x.slice(offset..), out.slice_mut(..)).launch(1, 128).unwrap();
                    }
                    let first = offset as i32 + 1;
                    assert_eq!(out.to_host().unwrap(), (first..first + 100).collect::<Vec<_>>());
                });
            }
        });
    }
    Ok(())
}

#[test]
fn a_kernel_compiles_to_source_that_keeps_its_checks() {
    let source = KernelHandle::of::<Shift>().cuda_source();
    assert!(source.contains("void shift(") && source.contains("gr_panic(0") && source.contains("i + 1, x_len)"), "{source}");
    let error = KernelHandle::of::<Shift>().ptx("hopper").unwrap_err();
    assert!(matches!(error, Error::Architecture(_)) && error.to_string().contains("`hopper`"), "{error}");
}
