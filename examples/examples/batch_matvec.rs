//! Functions of one matrix and one vector, called for many of them: batches without an explicit loop.
//!
//! ```sh
//! cargo run --release --example batch_matvec -- --batch 10 --products 64 --size 32
//! ```

#![forbid(unsafe_code)]

use gpu_examples::{Arguments, Failure};
use gpu_runtime::prelude::*;

/// A matrix times a vector. `a` has m·n elements in C order. `n` is passed because the function declares it as a parameter.
#[guvectorize("(m,n),(n)->(m)")]
fn matvec(a: &[f32], x: &[f32], out: &mut [f32], n: usize) {
    for i in 0..out.len() {
        let mut sum = 0.0;
        for k in 0..n {
            sum += a[i * n + k] * x[k];
        }
        out[i] = sum;
    }
}

/// The product of two matrices.
#[guvectorize("(m,k),(k,n)->(m,n)")]
fn matmul(a: &[f32], b: &[f32], out: &mut [f32], m: usize, n: usize, k: usize) {
    for row in 0..m {
        for column in 0..n {
            let mut sum = 0.0;
            for i in 0..k {
                sum += a[row * k + i] * b[i * n + column];
            }
            out[row * n + column] = sum;
        }
    }
}

fn main() -> Result<(), Failure> {
    let arguments = Arguments::parse(
        "Multiplies a 150 × 100 matrix with a batch of vectors, and a batch of square matrices with each other.",
        &["--batch", "--products", "--size"],
    );
    let device = arguments.device()?;
    let batch = arguments.number("--batch").unwrap_or(10);
    let (products, size) = (arguments.number("--products").unwrap_or(64), arguments.number("--size").unwrap_or(32));
    println!("running on {device}");

    // One matrix, many vectors. The matrix has no axis before (m,n), so all calls use the same matrix. The vectors have one axis before
    // (n), so the result has that axis before (m). JAX: vmap(matvec, in_axes=(None, 0)).
    let (m, n) = (150, 100);
    let (a, x) = (numbers(m * n, 7), numbers(batch * n, 5));
    let (a_device, x_device) = (device.to_device(&a)?.reshape([m, n])?, device.to_device(&x)?.reshape([batch, n])?);
    let y = matvec::map(&a_device, &x_device).collect()?;
    assert_eq!(y.shape(), [batch, m]);
    for (i, found) in y.to_host()?.into_iter().enumerate() {
        let (row, vector) = (&a[i % m * n..][..n], &x[i / m * n..][..n]);
        assert_eq!(found, inner_product(row, vector.iter()), "row {} of vector {}", i % m, i / m);
    }
    println!("a {m} × {n} matrix times {batch} vectors of {n}: {}", y.shape());

    // Many products of two matrices. A view transposes the second matrices; the copy for this is made on the device.
    let (a, b) = (numbers(products * size * size, 3), numbers(products * size * size, 11));
    let shape = [products, size, size];
    let (a_device, b_device) = (device.to_device(&a)?.reshape(shape)?, device.to_device(&b)?.reshape(shape)?);
    let c = matmul::map(&a_device, b_device.view().permute([0, 2, 1])).collect()?;
    assert_eq!(c.shape(), shape);
    for (i, found) in c.to_host()?.into_iter().enumerate() {
        let (row, product) = (i / size, i / (size * size));
        let column = &b[(product * size + i % size) * size..][..size];
        assert_eq!(found, inner_product(&a[row * size..][..size], column.iter()), "element {i} of the products");
    }
    println!("{products} products of {size} × {size} matrices: {}", c.shape());
    Ok(())
}

/// Small integers, whose products and sums are exact in any order.
fn numbers(count: usize, step: usize) -> Vec<f32> {
    (0..count).map(|i| (i * step % 13) as f32 - 6.0).collect()
}

fn inner_product<'a>(row: &[f32], column: impl Iterator<Item = &'a f32>) -> f32 {
    row.iter().zip(column).map(|(a, b)| a * b).sum()
}
