//! Multiplies two matrices of `f32`: once with independent threads, once with tiles in shared memory.
//!
//! ```sh
//! cargo run --release --example matmul -- --m 1024 --k 1024 --n 1024
//! ```

use gpu_examples::{Arguments, Comparison, Failure};
use gpu_runtime::prelude::*;

/// Rows and columns of a tile, and threads of a block along both axes.
const TILE: usize = 16;

/// c = a · b, row-major: a is m × k, b is k × n, c is m × n. Each thread reads a row of a and a column of b.
#[gpu_kernel(block = (TILE, TILE))]
fn matmul_naive(a: &[f32], b: &[f32], c: &mut [f32], m: usize, k: usize, n: usize) {
    let (column, row) = grid_2d();
    if row < m && column < n {
        let mut sum = 0.0;
        for i in 0..k {
            sum += a[row * k + i] * b[i * n + column];
        }
        c[row * n + column] = sum;
    }
}

/// The same product. A block copies a tile of a and a tile of b to shared memory, where 16 threads use each element. Beyond the edges of
/// the matrices, the tiles contain zeros, so the shapes need not be multiples of the tile size.
#[gpu_kernel(block = (TILE, TILE))]
fn matmul_tiled(a: &[f32], b: &[f32], c: &mut [f32], m: usize, k: usize, n: usize) {
    let mut a_tile = shared::<[[f32; TILE]; TILE]>();
    let mut b_tile = shared::<[[f32; TILE]; TILE]>();
    let (column, row) = grid_2d();
    let (x, y) = (thread_idx().x, thread_idx().y);
    let mut sum = 0.0;
    for tile in 0..k.div_ceil(TILE) {
        let (a_column, b_row) = (tile * TILE + x, tile * TILE + y);
        a_tile[y][x] = if row < m && a_column < k { a[row * k + a_column] } else { 0.0 };
        b_tile[y][x] = if b_row < k && column < n { b[b_row * n + column] } else { 0.0 };
        sync_threads();
        for i in 0..TILE {
            sum += a_tile[y][i] * b_tile[i][x];
        }
        sync_threads();
    }
    if row < m && column < n {
        c[row * n + column] = sum;
    }
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Multiplies an m × k matrix with a k × n matrix.", &["--m", "--k", "--n"]);
    let device = arguments.device()?;
    // The default shapes are not multiples of 16.
    let [m, k, n] = if device.is_gpu() { [2050, 2047, 2045] } else { [514, 511, 509] };
    let (m, k, n) = (arguments.number("--m").unwrap_or(m), arguments.number("--k").unwrap_or(k), arguments.number("--n").unwrap_or(n));
    println!("multiplying {m} × {k} by {k} × {n} f32 on {device}");

    // Small multiples of 1/8: their products and sums are exact in f64.
    let element = |i: usize| ((i * 7 + i / 31) % 17) as f32 * 0.125 - 1.0;
    let a: Vec<f32> = (0..m * k).map(element).collect();
    let b: Vec<f32> = (0..k * n).map(|i| element(i + 5)).collect();
    let (a_device, b_device) = (device.to_device(&a)?, device.to_device(&b)?);
    let mut c = device.zeros::<f32>(m * n)?;
    let (grid, block) = ((n.div_ceil(TILE), m.div_ceil(TILE)), (TILE, TILE));

    // A loop computes some of the rows.
    let rows = m.min(64);
    let mut plain = Comparison::new("operations");
    plain.time_plain(2 * rows * k * n, || multiply(&a[..rows * k], &b, k, n));

    let naive = timed(&device, &plain, 2 * m * k * n, || matmul_naive(&a_device, &b_device, &mut c, m, k, n).launch(grid, block))?;
    print!("naive: {naive}");
    check(&c.to_host()?, &a, &b, [m, k, n])?;

    let mut c = device.zeros::<f32>(m * n)?;
    let tiled = timed(&device, &plain, 2 * m * k * n, || matmul_tiled(&a_device, &b_device, &mut c, m, k, n).launch(grid, block))?;
    print!("tiled: {tiled}");
    check(&c.to_host()?, &a, &b, [m, k, n])
}

/// The speed of three runs, after one that is not timed because it may compile the kernel.
fn timed(
    device: &Device,
    plain: &Comparison,
    operations: usize,
    mut launch: impl FnMut() -> gpu_runtime::Result<()>,
) -> gpu_runtime::Result<Comparison> {
    let mut comparison = plain.clone();
    launch()?;
    device.synchronize()?;
    for _ in 0..3 {
        comparison.time(operations, || {
            launch()?;
            device.synchronize()
        })?;
    }
    Ok(comparison)
}

/// The product with a few rows as three loops.
fn multiply(rows: &[f32], b: &[f32], k: usize, n: usize) -> Vec<f32> {
    let element = |row: usize, column: usize| (0..k).map(|i| rows[row * k + i] * b[i * n + column]).sum();
    (0..rows.len() / k * n).map(|i| element(i / n, i % n)).collect()
}

/// Computes about a thousand elements of the product, the four corners among them, in a loop on the host and compares.
fn check(c: &[f32], a: &[f32], b: &[f32], [m, k, n]: [usize; 3]) -> Result<(), Failure> {
    let samples = 1000.min(m * n);
    let corners = [(0, 0), (0, n - 1), (m - 1, 0), (m - 1, n - 1)];
    let spread = (0..samples).map(|sample| sample * (m * n) / samples).map(|i| (i / n, i % n));
    for (row, column) in corners.into_iter().chain(spread) {
        let terms = (0..k).map(|i| f64::from(a[row * k + i]) * f64::from(b[i * n + column]));
        let (exact, size) = terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()));
        let found = f64::from(c[row * n + column]);
        // Each of the k additions may round once.
        if (found - exact).abs() > size * k as f64 * f64::from(f32::EPSILON) {
            return Err(format!("row {row}, column {column} is {found}, not {exact}").into());
        }
    }
    println!("       {} elements agree with a loop on the host", samples + corners.len());
    Ok(())
}
