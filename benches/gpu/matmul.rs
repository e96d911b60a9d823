//! A product of 1024 × 1024 matrices of `f32`, by the naive kernel and by 16 × 16 tiles in shared memory, checks on, against
//! CUDA C without checks.

use std::process::ExitCode;

use gpu_benches::by_hand::{Arguments, Cuda};
use gpu_benches::measure::{alternate, seconds_per_call};
use gpu_benches::report::{Better, Figure, Report, Target};
use gpu_benches::{Result, check, close, gpu_benchmark, limits};
use gpu_runtime::{DeviceArray, Result as GpuResult, prelude::*};

type Array = DeviceArray<f32>;

/// Rows and columns of every matrix.
const N: usize = 1024;
/// Rows and columns of a tile, and of a block.
const TILE: usize = 16;
const BLOCK: (usize, usize) = (TILE, TILE);
const GRID: (usize, usize) = (N / TILE, N / TILE);
const LAUNCHES: u32 = 50;
/// One multiplication and one addition for each term.
const OPERATIONS: f64 = 2.0 * (N * N * N) as f64;

#[gpu_kernel]
fn matmul_naive(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let (x, y) = grid_2d();
    if x < n && y < n {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[y * n + k] * b[k * n + x];
        }
        c[y * n + x] = sum;
    }
}

#[gpu_kernel(block = (16, 16))]
fn matmul_tiled(a: &[f32], b: &[f32], c: &mut [f32], n: usize) {
    let mut tile_a = shared::<[[f32; TILE]; TILE]>();
    let mut tile_b = shared::<[[f32; TILE]; TILE]>();
    let (x, y) = grid_2d();
    let (column, row) = (thread_idx().x, thread_idx().y);
    let mut sum = 0.0;
    for tile in 0..n.div_ceil(TILE) {
        let (a_column, b_row) = (tile * TILE + column, tile * TILE + row);
        tile_a[row][column] = if y < n && a_column < n { a[y * n + a_column] } else { 0.0 };
        tile_b[row][column] = if b_row < n && x < n { b[b_row * n + x] } else { 0.0 };
        sync_threads();
        for k in 0..TILE {
            sum += tile_a[row][k] * tile_b[k][column];
        }
        sync_threads();
    }
    if x < n && y < n {
        c[y * n + x] = sum;
    }
}

const BY_HAND: &str = include_str!("matmul.cu");

fn main() -> ExitCode {
    gpu_benchmark("matmul", run)
}

fn run(device: &Device, cuda: &Cuda, report: &mut Report) -> Result<()> {
    let a: Vec<f32> = (0..N * N).map(|i| (i * 7919 % 1000) as f32 / 1000.0).collect();
    let b: Vec<f32> = (0..N * N).map(|i| (i * 104_729 % 1000) as f32 / 1000.0).collect();
    // A warp begins 32 products in a cycle of a scheduler, of which a multiprocessor has four.
    let fused = OPERATIONS / 2.0;
    let arithmetic = fused / (128.0 * limits::multiprocessor_cycles(cuda)?);
    // For four terms of 32 sums a warp reads four rows of one tile, and one piece of four floats of the other: five accesses
    // to shared memory, which serves one a cycle.
    let shared_memory = fused / 32.0 * (5.0 / 4.0) / limits::multiprocessor_cycles(cuda)?;

    let matrices = Matrices { device, cuda, a: &a, b: &b };
    report.add(Figure {
        case: "naive, 1024³ f32".to_owned(),
        limit: Some(("f32 units", OPERATIONS / arithmetic / 1e9)),
        target: None,
        ..matrices.measure("naive", |a, b, c| matmul_naive(a, b, c, N).launch(GRID, BLOCK))?
    });
    report.add(Figure {
        case: "16×16 tiles, 1024³ f32".to_owned(),
        limit: Some(("shared memory", OPERATIONS / shared_memory / 1e9)),
        target: Some(Target::Ratio(0.95)),
        ..matrices.measure("tiled", |a, b, c| matmul_tiled(a, b, c, N).launch(GRID, BLOCK))?
    });
    Ok(())
}

struct Matrices<'a> {
    device: &'a Device,
    cuda: &'a Cuda,
    a: &'a [f32],
    b: &'a [f32],
}

impl Matrices<'_> {
    /// Times `launch` against the kernel `name` of [`BY_HAND`].
    fn measure(&self, name: &str, launch: impl Fn(&Array, &Array, &mut Array) -> GpuResult<()>) -> Result<Figure> {
        let Self { device, cuda, .. } = self;
        let (a, b) = (device.to_device(self.a)?, device.to_device(self.b)?);
        let mut c = device.zeros::<f32>(N * N)?;

        let kernel = cuda.compile(BY_HAND, name)?;
        let (hand_a, hand_b, hand_c) = (cuda.upload(self.a)?, cuda.upload(self.b)?, cuda.zeros::<f32>(N * N)?);
        let mut arguments = Arguments::new(&[hand_a.address(), hand_b.address(), hand_c.address(), N as u64]);
        let (tiles, tile) = ((N / TILE) as u32, TILE as u32);

        let (ours, by_hand) = alternate(
            || seconds_per_call(LAUNCHES, || Ok(launch(&a, &b, &mut c)?), || Ok(device.synchronize()?)),
            || {
                // SAFETY: the matrices have n rows and columns, and each thread writes its own element of `c`.
                let launch = || unsafe { cuda.launch(kernel, [tiles, tiles], [tile, tile], &mut arguments) };
                seconds_per_call(LAUNCHES, launch, || cuda.synchronize())
            },
        )?;

        let mut by_hand_result = vec![0.0; N * N];
        cuda.download(&hand_c, 0, &mut by_hand_result)?;
        self.check(&by_hand_result, "the product by hand")?;
        self.check(&c.to_host()?, "our product")?;
        Ok(Figure {
            case: name.to_owned(),
            unit: "GFLOP/s",
            better: Better::More,
            ours: ours.map(|seconds| OPERATIONS / seconds / 1e9),
            reference: ("CUDA C", by_hand.map(|seconds| OPERATIONS / seconds / 1e9)),
            limit: None,
            target: None,
        })
    }

    /// Compares a few elements of every row with sums in `f64`.
    fn check(&self, product: &[f32], what: &str) -> Result<()> {
        for row in 0..N {
            for column in (row % 37..N).step_by(37) {
                let exact: f64 = (0..N).map(|k| f64::from(self.a[row * N + k]) * f64::from(self.b[k * N + column])).sum();
                check(close(f64::from(product[row * N + column]), exact, 1e-5), what)?;
            }
        }
        Ok(())
    }
}
