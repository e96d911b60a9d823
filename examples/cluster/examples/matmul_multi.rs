//! The product of two matrices whose rows are divided among all ranks, with a ring.
//!
//! Each rank has some rows of a, b and c = a · b. The rows of b go round the ring: in each step, a rank multiplies the columns of its rows
//! of a with the rows of b that it has, while it sends these to the rank before it and receives those of the rank after it.
//!
//! ```sh
//! cargo run --release -p gpu-cluster-examples --example matmul_multi -- --n 8192
//! scripts/launch-local 4 target/release/examples/matmul_multi
//! ```

use gpu_cluster_examples::{Size, measure, on_ranks};
use gpu_examples::{Arguments, Failure};
use gpu_runtime::Stream;
use gpu_runtime::cluster::Communicator;
use gpu_runtime::prelude::*;

/// Rows and columns of a tile, and threads of a block along both axes.
const TILE: usize = 16;

/// Adds a product to some rows of c: of the columns from `first` on of as many rows of a, and as many rows of b. Rows have `n` elements.
#[gpu_kernel(block = (TILE, TILE))]
fn multiply(a: &[f32], b: &[f32], c: &mut [f32], n: usize, first: usize) {
    let mut a_tile = shared::<[[f32; TILE]; TILE]>();
    let mut b_tile = shared::<[[f32; TILE]; TILE]>();
    let (column, row) = grid_2d();
    let (x, y) = (thread_idx().x, thread_idx().y);
    let (rows, rows_of_b) = (c.len() / n, b.len() / n);
    let mut sum = 0.0;
    for tile in 0..rows_of_b.div_ceil(TILE) {
        let (a_column, b_row) = (tile * TILE + x, tile * TILE + y);
        a_tile[y][x] = if row < rows && a_column < rows_of_b { a[row * n + first + a_column] } else { 0.0 };
        b_tile[y][x] = if b_row < rows_of_b && column < n { b[b_row * n + column] } else { 0.0 };
        sync_threads();
        for i in 0..TILE {
            sum += a_tile[y][i] * b_tile[i][x];
        }
        sync_threads();
    }
    if row < rows && column < n {
        c[row * n + column] += sum;
    }
}

/// Element `i` of a matrix, in the order of the rows. Products of such numbers and their sums are exact in `f32`.
fn element(i: usize) -> f32 {
    ((i * 7 + i / 31) % 17) as f32 * 0.125 - 1.0
}

/// Element `i` of a and of b.
fn elements(i: usize) -> (f32, f32) {
    (element(i), element(i + 5))
}

/// The rows of a rank.
struct Matrices {
    n: usize,
    a: DeviceArray<f32>,
    b: DeviceArray<f32>,
    c: DeviceArray<f32>,
    /// The rows of b that are multiplied, and those that are received.
    now: DeviceArray<f32>,
    next: DeviceArray<f32>,
    transfers: Stream,
}

impl Matrices {
    fn new(ranks: &Communicator, n: usize) -> gpu_runtime::Result<Self> {
        let (own, device) = (ranks.part(n), ranks.device());
        let own = own.start * n..own.end * n;
        let (a, b): (Vec<f32>, Vec<f32>) = own.clone().map(elements).unzip();
        let most = n.div_ceil(ranks.size()) * n;
        Ok(Self {
            n,
            a: device.to_device(&a)?,
            b: device.to_device(&b)?,
            c: device.zeros(own.len())?,
            now: device.zeros(most)?,
            next: device.zeros(most)?,
            transfers: device.stream_with_priority(1)?,
        })
    }

    fn multiply(&mut self, ranks: &Communicator) -> gpu_runtime::Result<()> {
        let Self { n, a, b, c, now, next, transfers } = self;
        let (n, rank, size) = (*n, ranks.rank(), ranks.size());
        c.fill(0.0)?;
        now.slice_mut(..b.len()).copy_from_device(&*b)?;
        for step in 0..size {
            let rows_of = |step: usize| ranks.part_of((rank + step) % size, n);
            let rows = rows_of(step);
            let current = now.slice(..rows.len() * n);
            if step + 1 < size {
                let coming = next.slice_mut(..rows_of(step + 1).len() * n);
                let group = ranks.group().send(current.on(transfers), (rank + size - 1) % size);
                group.recv(coming.on(transfers), (rank + 1) % size).run()?;
            }
            let grid = (n.div_ceil(TILE), (c.len() / n).div_ceil(TILE));
            multiply(&*a, current, &mut *c, n, rows.start).launch(grid, (TILE, TILE))?;
            std::mem::swap(now, next);
        }
        Ok(())
    }

    /// Compares the first and the last row of c with loops on the host.
    fn check(&self, ranks: &Communicator) -> gpu_runtime::Result<()> {
        let (n, own) = (self.n, ranks.part(self.n));
        for row in [own.start, own.end - 1] {
            let mut expected = vec![0.0; n];
            for k in 0..n {
                let (a, _) = elements(row * n + k);
                expected.iter_mut().enumerate().for_each(|(column, sum)| *sum += a * elements(k * n + column).1);
            }
            let found = self.c.slice((row - own.start) * n..(row - own.start + 1) * n).to_host()?;
            assert!(found == expected, "row {row} of the product is wrong");
        }
        Ok(())
    }
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse("Multiplies n × n matrices, whose rows are divided among all ranks.", &["--n", "--ranks"]);
    Ok(on_ranks(&arguments, |ranks| {
        let size = Size::of(&arguments, ranks, 8192, 250, 3);
        let (matrices, speed) = measure(ranks, size, Matrices::new, |ranks, matrices| matrices.multiply(ranks))?;
        matrices.check(ranks)?;
        if ranks.rank() == 0 {
            let n = speed.n;
            let rate = 2.0 * (n as f64).powi(3) / speed.seconds / 1e9;
            println!("product of {n} × {n} matrices on {speed}, {rate:.1} GFLOP/s");
        }
        Ok(())
    })?)
}
