//! A product of 4096 × 4096 matrices of `f32`, register-tiled: a block computes 128 × 128 elements, a thread 8 × 8 of them.

use gpu_benches::by_hand::{Arguments, Sgemm};
use gpu_benches::{Result, check, close};
use gpu_runtime::prelude::*;
use gpu_runtime::vector::Float4;

use gpu_benches::beside::{ByHand, Gpu};
use gpu_benches::measure::{alternate, seconds_per_call};
use gpu_benches::report::{Figure, Report, Target};

const N: usize = 4096;
/// Rows and columns of the product that a block computes.
const TILE: usize = 128;
/// Columns of `a` and rows of `b` in shared memory.
const DEPTH: usize = 8;
/// Rows and columns of threads in a block.
const SIDE: usize = 16;
/// Rows and columns of the product that a thread computes: two times four of each, half a tile apart.
const EACH: usize = TILE / SIDE;
const HALF: usize = TILE / 2;
const LAUNCHES: u32 = 5;
const OPERATIONS: f64 = 2.0 * (N * N * N) as f64;

/// `n` is a multiple of the tile.
#[gpu_kernel(block = (SIDE, SIDE), launch_bounds = (256, 2))]
fn multiply(a: &[Float4], b: &[Float4], c: &mut [Float4], n: usize) {
    let mut tile_a = shared::<[[f32; TILE]; DEPTH]>();
    let mut tile_b = shared::<[[f32; TILE]; DEPTH]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let t = ty * SIDE + tx;
    // A row of a matrix has this many quadruples.
    let quads = n / 4;
    let (first_row, first_column) = (block_idx().y * TILE, block_idx().x * (TILE / 4));
    // What this thread loads of each tile.
    let (a_row, a_quad) = (t / (DEPTH / 4), t % (DEPTH / 4));
    let (b_row, b_quad) = (t / (TILE / 4), t % (TILE / 4));

    let mut sums = [[0.0f32; EACH]; EACH];
    let mut next_a = a[(first_row + a_row) * quads + a_quad];
    let mut next_b = b[b_row * quads + first_column + b_quad];
    let tiles = n / DEPTH;
    for tile in 0..tiles {
        tile_a[4 * a_quad][a_row] = next_a.x;
        tile_a[4 * a_quad + 1][a_row] = next_a.y;
        tile_a[4 * a_quad + 2][a_row] = next_a.z;
        tile_a[4 * a_quad + 3][a_row] = next_a.w;
        tile_b[b_row][4 * b_quad] = next_b.x;
        tile_b[b_row][4 * b_quad + 1] = next_b.y;
        tile_b[b_row][4 * b_quad + 2] = next_b.z;
        tile_b[b_row][4 * b_quad + 3] = next_b.w;
        sync_threads();
        if tile + 1 < tiles {
            next_a = a[(first_row + a_row) * quads + (tile + 1) * (DEPTH / 4) + a_quad];
            next_b = b[((tile + 1) * DEPTH + b_row) * quads + first_column + b_quad];
        }
        #[unroll]
        for k in 0..DEPTH {
            let mut of_a = [0.0f32; EACH];
            let mut of_b = [0.0f32; EACH];
            #[unroll]
            for i in 0..EACH {
                of_a[i] = tile_a[k][HALF * (i / 4) + 4 * ty + i % 4];
                of_b[i] = tile_b[k][HALF * (i / 4) + 4 * tx + i % 4];
            }
            #[unroll]
            for i in 0..EACH {
                #[unroll]
                for j in 0..EACH {
                    sums[i][j] += of_a[i] * of_b[j];
                }
            }
        }
        sync_threads();
    }
    #[unroll]
    for half in 0..2 {
        #[unroll]
        for i in 0..4 {
            let (row, column) = (first_row + HALF * half + 4 * ty + i, first_column + tx);
            let sums = sums[4 * half + i];
            c[row * quads + column] = Float4::new(sums[0], sums[1], sums[2], sums[3]);
            c[row * quads + column + HALF / 4] = Float4::new(sums[4], sums[5], sums[6], sums[7]);
        }
    }
}

pub(crate) fn run(gpu: &Gpu<'_>, report: &mut Report) -> Result<()> {
    let host_a: Vec<f32> = (0..N * N).map(|i| (i * 7919 % 1000) as f32 / 1000.0).collect();
    let host_b: Vec<f32> = (0..N * N).map(|i| (i * 104_729 % 1000) as f32 / 1000.0).collect();
    let (a, b) = (gpu.device.to_device(&host_a)?, gpu.device.to_device(&host_b)?);
    let mut c = gpu.device.zeros::<f32>(N * N)?;
    let (hand_a, hand_b, hand_c) = (gpu.cuda.upload(&host_a)?, gpu.cuda.upload(&host_b)?, gpu.cuda.zeros::<f32>(N * N)?);
    let tiles = N / TILE;
    let mut by_hand = ByHand {
        kernel: gpu.cuda.compile(include_str!("matmul.cu"), "multiply")?,
        grid: [tiles as u32, tiles as u32],
        block: [SIDE as u32, SIDE as u32],
        arguments: Arguments::new(&[hand_a.address(), hand_b.address(), hand_c.address(), N as u64]),
    };
    let is_right = |c: &[f32]| {
        (0..N).step_by(331).all(|row| {
            (row % 337..N).step_by(337).all(|column| {
                let exact: f64 = (0..N).map(|k| f64::from(host_a[row * N + k]) * f64::from(host_b[k * N + column])).sum();
                close(f64::from(c[row * N + column]), exact, 1e-5)
            })
        })
    };
    let mut ours = || {
        let (a, b, mut c) = (a.as_vectors::<Float4>()?, b.as_vectors::<Float4>()?, c.as_vectors_mut::<Float4>()?);
        multiply(a, b, &mut c, N).launch((tiles, tiles), (SIDE, SIDE))?;
        Ok(())
    };
    let figure = gpu.compare("matmul, register tiles", LAUNCHES, 0.98, &mut ours, || gpu.launch(&mut by_hand))?;
    let mut hand_result = vec![0.0; N * N];
    gpu.cuda.download(&hand_c, 0, &mut hand_result)?;
    check(is_right(&hand_result), "the product by hand")?;
    report.add(figure);

    match Sgemm::load(gpu.cuda) {
        Ok(sgemm) => {
            let (ours, cublas) = alternate(
                || seconds_per_call(LAUNCHES, &mut ours, || Ok(gpu.device.synchronize()?)),
                || seconds_per_call(LAUNCHES, || sgemm.multiply(&hand_a, &hand_b, &hand_c, N), || gpu.cuda.synchronize()),
            )?;
            gpu.cuda.download(&hand_c, 0, &mut hand_result)?;
            check(is_right(&hand_result), "cuBLAS's product")?;
            report.add(Figure {
                case: "matmul and cuBLAS".to_owned(),
                unit: "TFLOP/s",
                better: gpu_benches::report::Better::More,
                ours: ours.map(|seconds| OPERATIONS / seconds / 1e12),
                reference: ("cuBLAS", cublas.map(|seconds| OPERATIONS / seconds / 1e12)),
                limit: None,
                target: Some(Target::Ratio(0.85)),
            });
        }
        Err(error) => eprintln!("textbook: no comparison with cuBLAS: {error}"),
    }
    check(is_right(&c.to_host()?), "our product")
}
