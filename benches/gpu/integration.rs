//! ∫∫ sin(x + y) over [0, π]² by the midpoint rule with 102,400² points, one thread per row of points, against CUDA C.
//!
//! Two kernels: one stores each row's sum, the other adds the sums of a block in shared memory first.

use std::f64::consts::PI;
use std::process::ExitCode;

use gpu_benches::by_hand::{Arguments, Cuda};
use gpu_benches::measure::{alternate, seconds_per_call};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, close, gpu_benchmark, limits};
use gpu_runtime::{DeviceArray, Result as GpuResult, prelude::*};

/// Rows, and points in each.
const N: u32 = 102_400;
/// The distance between two points.
const H: f64 = PI / N as f64;
/// The largest block that is measured.
const MOST_THREADS: usize = 32;

#[gpu_kernel]
fn integrate_rows(n: u32, h: f64, sums: &mut [f32]) {
    let row = grid_1d();
    if row < sums.len() {
        let x = h * (row as f64 + 0.5);
        let mut sum = 0.0;
        for column in 0..n {
            let y = h * (column as f64 + 0.5);
            sum += (x + y).sin();
        }
        sums[row] = sum as f32;
    }
}

#[gpu_kernel]
fn integrate_blocks(n: u32, h: f64, sums: &mut [f32]) {
    let mut partial = shared::<[f32; MOST_THREADS]>();
    let thread = thread_idx().x;
    let row = grid_1d();
    let mut sum = 0.0;
    if row < n as usize {
        let x = h * (row as f64 + 0.5);
        for column in 0..n {
            let y = h * (column as f64 + 0.5);
            sum += (x + y).sin();
        }
    }
    partial[thread] = sum as f32;
    sync_threads();
    let mut stride = 1;
    while stride < block_dim().x {
        if thread % (2 * stride) == 0 && thread + stride < block_dim().x {
            partial[thread] += partial[thread + stride];
        }
        sync_threads();
        stride *= 2;
    }
    if thread == 0 {
        sums[block_idx().x] = partial[0];
    }
}

const BY_HAND: &str = include_str!("integration.cu");

fn main() -> ExitCode {
    gpu_benchmark("integration", run)
}

fn run(device: &Device, cuda: &Cuda, report: &mut Report) -> Result<()> {
    // A term is a multiplication and two additions for the angle and the sum, and a sine: three fused operations to reduce the
    // angle, seven for the polynomial, two conversions on the way.
    let terms = f64::from(N) * f64::from(N);
    let least = terms * 15.0 / (limits::f64_lanes(cuda.capability()?) * limits::multiprocessor_cycles(cuda)?);
    for block in [16, MOST_THREADS as u32] {
        let blocks = N / block;
        let figures = [
            measure(device, cuda, "rows", N, block, |sums| integrate_rows(N, H, sums).launch(blocks, block))?,
            measure(device, cuda, "blocks", blocks, block, |sums| integrate_blocks(N, H, sums).launch(blocks, block))?,
        ];
        for figure in figures {
            report.add(Figure { limit: Some(("f64 units", least * 1e3)), ..figure });
        }
    }
    Ok(())
}

/// Times `launch`, which fills `len` sums, against the kernel `name` of [`BY_HAND`].
fn measure(
    device: &Device,
    cuda: &Cuda,
    name: &str,
    len: u32,
    block: u32,
    launch: impl Fn(&mut DeviceArray<f32>) -> GpuResult<()>,
) -> Result<Figure> {
    let mut sums = device.zeros::<f32>(len as usize)?;
    let kernel = cuda.compile(BY_HAND, name)?;
    let hand_sums = cuda.zeros::<f32>(len as usize)?;
    let mut arguments = Arguments::new(&[u64::from(N), H.to_bits(), hand_sums.address()]);
    let grid = [N / block, 1];

    let (ours, by_hand) = alternate(
        || seconds_per_call(1, || Ok(launch(&mut sums)?), || Ok(device.synchronize()?)),
        || {
            // SAFETY: there is a sum for each thread or block that stores one.
            let launch = || unsafe { cuda.launch(kernel, grid, [block, 1], &mut arguments) };
            seconds_per_call(1, launch, || cuda.synchronize())
        },
    )?;

    let mut hand_result = vec![0.0; len as usize];
    cuda.download(&hand_sums, 0, &mut hand_result)?;
    check_sums(&hand_result, "the integral by hand")?;
    check_sums(&sums.to_host()?, "our integral")?;
    Ok(Figure {
        case: format!("{name}, block {block}"),
        unit: "ms",
        better: Better::Less,
        ours: ours.map(|seconds| seconds * 1e3),
        reference: ("CUDA C", by_hand.map(|seconds| seconds * 1e3)),
        limit: None,
        target: Some(Target::Peers(&[("Numba", 1.0)])),
    })
}

/// The integral is 0; that of the first half of the rows, over x in [0, π/2], is 2.
fn check_sums(sums: &[f32], what: &str) -> Result<()> {
    let integral = |sums: &[f32]| H * H * sums.iter().map(|&sum| f64::from(sum)).sum::<f64>();
    check(integral(sums).abs() < 1e-5, what)?;
    check(close(integral(&sums[..sums.len() / 2]), 2.0, 1e-5), what)
}
