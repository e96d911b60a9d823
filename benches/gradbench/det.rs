//! `det`: the determinant by expansion by minors, as a kernel with a gradient.
//!
//! All ways to choose a column for each of the first rows are prepared, with the four columns that are left. A thread computes the term of one:
//! the product of the chosen elements, times the minor of the last four rows. All threads read the same elements, so in the gradient all would add to
//! them at the same time: there are copies of the matrix, whose gradients are added in the end.

use gpu_benches::Result;
use gpu_runtime::prelude::*;

use crate::input::Input;
use crate::protocol::{Evaluated, Runs, unknown};

/// How many rows the minor of a term has.
const LAST: usize = 4;

/// The most rows: a term has up to eight chosen elements.
const MOST: usize = 8 + LAST;

const BLOCK: usize = 128;

/// The most copies of the matrix.
const COPIES: usize = 512;

/// `columns` has the columns of each term, in the order of the rows; `signs`, 1 or −1 for each term.
#[gpu_kernel(grad)]
fn terms(a: &[f64], columns: &[u32], signs: &[i32], copies: usize, rows: usize, out: &mut [f64]) {
    let i = grid_1d();
    if i >= out.len() || i >= signs.len() || copies == 0 {
        return;
    }
    let at = i * rows;
    let copy = (i / 128 % copies) * rows * rows;
    let first = rows - 4;
    let x0 = if first > 0 { a[copy + columns[at] as usize] } else { 1.0 };
    let x1 = if first > 1 { a[copy + rows + columns[at + 1] as usize] } else { 1.0 };
    let x2 = if first > 2 { a[copy + 2 * rows + columns[at + 2] as usize] } else { 1.0 };
    let x3 = if first > 3 { a[copy + 3 * rows + columns[at + 3] as usize] } else { 1.0 };
    let x4 = if first > 4 { a[copy + 4 * rows + columns[at + 4] as usize] } else { 1.0 };
    let x5 = if first > 5 { a[copy + 5 * rows + columns[at + 5] as usize] } else { 1.0 };
    let x6 = if first > 6 { a[copy + 6 * rows + columns[at + 6] as usize] } else { 1.0 };
    let x7 = if first > 7 { a[copy + 7 * rows + columns[at + 7] as usize] } else { 1.0 };
    let c0 = columns[at + first] as usize;
    let c1 = columns[at + first + 1] as usize;
    let c2 = columns[at + first + 2] as usize;
    let c3 = columns[at + first + 3] as usize;
    let r0 = copy + first * rows;
    let (r1, r2, r3) = (r0 + rows, r0 + 2 * rows, r0 + 3 * rows);
    // Each element once: each time that one is read is an addition to its gradient.
    let e0 = a[r0 + c0];
    let e1 = a[r0 + c1];
    let e2 = a[r0 + c2];
    let e3 = a[r0 + c3];
    let f0 = a[r1 + c0];
    let f1 = a[r1 + c1];
    let f2 = a[r1 + c2];
    let f3 = a[r1 + c3];
    let g0 = a[r2 + c0];
    let g1 = a[r2 + c1];
    let g2 = a[r2 + c2];
    let g3 = a[r2 + c3];
    let h0 = a[r3 + c0];
    let h1 = a[r3 + c1];
    let h2 = a[r3 + c2];
    let h3 = a[r3 + c3];
    let m01 = g0 * h1 - g1 * h0;
    let m02 = g0 * h2 - g2 * h0;
    let m03 = g0 * h3 - g3 * h0;
    let m12 = g1 * h2 - g2 * h1;
    let m13 = g1 * h3 - g3 * h1;
    let m23 = g2 * h3 - g3 * h2;
    let m123 = f1 * m23 - f2 * m13 + f3 * m12;
    let m023 = f0 * m23 - f2 * m03 + f3 * m02;
    let m013 = f0 * m13 - f1 * m03 + f3 * m01;
    let m012 = f0 * m12 - f1 * m02 + f2 * m01;
    let minor = e0 * m123 - e1 * m023 + e2 * m013 - e3 * m012;
    out[i] = signs[i] as f64 * (x0 * x1 * x2 * x3 * x4 * x5 * x6 * x7) * minor;
}

/// The columns of all terms, and their signs.
fn choices(rows: usize) -> (Vec<u32>, Vec<i32>) {
    let (mut columns, mut signs) = (Vec::new(), Vec::new());
    choose(&mut Vec::new(), &(0..rows as u32).collect::<Vec<_>>(), 1, &mut |chosen, left, sign| {
        columns.extend_from_slice(chosen);
        columns.extend_from_slice(left);
        signs.push(sign);
    });
    (columns, signs)
}

/// Calls `term` with each way to choose columns, those that are left, and the sign.
fn choose(chosen: &mut Vec<u32>, left: &[u32], sign: i32, term: &mut impl FnMut(&[u32], &[u32], i32)) {
    if left.len() == LAST {
        return term(chosen, left, sign);
    }
    for (place, &column) in left.iter().enumerate() {
        chosen.push(column);
        let others = [&left[..place], &left[place + 1..]].concat();
        choose(chosen, &others, if place.is_multiple_of(2) { sign } else { -sign }, term);
        chosen.pop();
    }
}

pub(crate) fn evaluate(device: &Device, function: &str, input: &Input<'_>, runs: Runs) -> Result<Evaluated> {
    let (a, rows) = (device.to_device(&input.numbers("A")?)?, input.count("ell")?);
    if !(LAST..=MOST).contains(&rows) || a.len() != rows * rows {
        return Err(format!("a matrix has from {LAST} to {MOST} rows, and as many columns").into());
    }
    let (columns, signs) = choices(rows);
    let (columns, signs) = (device.to_device(&columns)?, device.to_device(&signs)?);
    let count = signs.len();
    let shape = (count.div_ceil(BLOCK), BLOCK);
    let copies = shape.0.min(COPIES);
    match function {
        "primal" => {
            let mut products = device.zeros::<f64>(count)?;
            runs.of(move || {
                terms(&a, &columns, &signs, 1, rows, &mut products).launch(shape.0, shape.1)?;
                Ok(products.sum()?)
            })
        }
        "gradient" => {
            let ones = device.full(count, 1.0)?;
            runs.of(move || {
                let all = lazy(a.view().broadcast_to([copies, rows * rows])?).collect()?.reshape(copies * rows * rows)?;
                let mut by_copies = device.zeros::<f64>(all.len())?;
                terms::grad(&all, &columns, &signs, copies, rows, &ones, &mut by_copies).launch(shape.0, shape.1)?;
                Ok(by_copies.reshape([copies, rows * rows])?.sum_axis(0)?.to_host()?)
            })
        }
        _ => unknown(function),
    }
}
