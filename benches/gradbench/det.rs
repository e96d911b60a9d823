//! `det`: the determinant by expansion by minors, as a kernel with a gradient.
//!
//! All ways to choose a column for each of the first rows are prepared, with the four columns that are left. A thread computes the term of one:
//! the product of the chosen elements, times the minor of the last four rows.

use gpu_benches::Result;
use gpu_runtime::prelude::*;

use crate::input::Input;
use crate::protocol::{Evaluated, Runs, unknown};

/// How many rows the minor of a term has.
const LAST: usize = 4;

/// The most rows: a term has up to eight chosen elements.
const MOST: usize = 8 + LAST;

const BLOCK: usize = 128;

/// `columns` has the columns of each term, in the order of the rows; `signs`, 1 or −1 for each term.
#[gpu_kernel(grad)]
fn terms(a: &[f64], columns: &[u32], signs: &[i32], rows: usize, out: &mut [f64]) {
    let i = grid_1d();
    if i >= out.len() || i >= signs.len() {
        return;
    }
    let at = i * rows;
    let first = rows - 4;
    let x0 = if first > 0 { a[columns[at] as usize] } else { 1.0 };
    let x1 = if first > 1 { a[rows + columns[at + 1] as usize] } else { 1.0 };
    let x2 = if first > 2 { a[2 * rows + columns[at + 2] as usize] } else { 1.0 };
    let x3 = if first > 3 { a[3 * rows + columns[at + 3] as usize] } else { 1.0 };
    let x4 = if first > 4 { a[4 * rows + columns[at + 4] as usize] } else { 1.0 };
    let x5 = if first > 5 { a[5 * rows + columns[at + 5] as usize] } else { 1.0 };
    let x6 = if first > 6 { a[6 * rows + columns[at + 6] as usize] } else { 1.0 };
    let x7 = if first > 7 { a[7 * rows + columns[at + 7] as usize] } else { 1.0 };
    let c0 = columns[at + first] as usize;
    let c1 = columns[at + first + 1] as usize;
    let c2 = columns[at + first + 2] as usize;
    let c3 = columns[at + first + 3] as usize;
    let (r0, r1, r2, r3) = (first * rows, (first + 1) * rows, (first + 2) * rows, (first + 3) * rows);
    let m01 = a[r2 + c0] * a[r3 + c1] - a[r2 + c1] * a[r3 + c0];
    let m02 = a[r2 + c0] * a[r3 + c2] - a[r2 + c2] * a[r3 + c0];
    let m03 = a[r2 + c0] * a[r3 + c3] - a[r2 + c3] * a[r3 + c0];
    let m12 = a[r2 + c1] * a[r3 + c2] - a[r2 + c2] * a[r3 + c1];
    let m13 = a[r2 + c1] * a[r3 + c3] - a[r2 + c3] * a[r3 + c1];
    let m23 = a[r2 + c2] * a[r3 + c3] - a[r2 + c3] * a[r3 + c2];
    let m123 = a[r1 + c1] * m23 - a[r1 + c2] * m13 + a[r1 + c3] * m12;
    let m023 = a[r1 + c0] * m23 - a[r1 + c2] * m03 + a[r1 + c3] * m02;
    let m013 = a[r1 + c0] * m13 - a[r1 + c1] * m03 + a[r1 + c3] * m01;
    let m012 = a[r1 + c0] * m12 - a[r1 + c1] * m02 + a[r1 + c2] * m01;
    let minor = a[r0 + c0] * m123 - a[r0 + c1] * m023 + a[r0 + c2] * m013 - a[r0 + c3] * m012;
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
        choose(chosen, &others, if place % 2 == 0 { sign } else { -sign }, term);
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
    match function {
        "primal" => {
            let mut products = device.zeros::<f64>(count)?;
            runs.of(move || {
                terms(&a, &columns, &signs, rows, &mut products).launch(shape.0, shape.1)?;
                Ok(products.sum()?)
            })
        }
        "gradient" => {
            let ones = device.full(count, 1.0)?;
            runs.of(move || {
                let mut by_a = device.zeros::<f64>(a.len())?;
                terms::grad(&a, &columns, &signs, rows, &ones, &mut by_a).launch(shape.0, shape.1)?;
                Ok(by_a.to_host()?)
            })
        }
        _ => unknown(function),
    }
}
