//! Linear algebra on the CPU, by the crate nalgebra. All of it is `f64`, so that the decompositions are compiled once.

use nalgebra::linalg::{SVD, SymmetricEigen};
use nalgebra::{DMatrix, Dyn};

use super::{LinearFloat, Outcome, Pivots};
use crate::Result;
use crate::device::Device;
use crate::error::MatrixProblem;
use crate::memory::{DeviceArray, DeviceView};
use crate::scalar::Num;

type Matrix = DMatrix<f64>;

fn read<T: LinearFloat>(view: DeviceView<'_, T>) -> Result<Matrix> {
    let [rows, columns] = view.shape().extents().try_into().expect("there are two axes");
    Ok(Matrix::from_row_iterator(rows, columns, view.to_host()?.into_iter().map(Num::cast)))
}

/// An array on the CPU device `like`.
fn write<T: LinearFloat>(device: &Device, matrix: &Matrix) -> Result<DeviceArray<T>> {
    // The transpose in the order of columns is the matrix in the order of rows.
    let elements: Vec<T> = matrix.transpose().iter().map(|x| x.cast()).collect();
    device.to_device(&elements)?.reshape([matrix.nrows(), matrix.ncols()])
}

pub(super) fn solve<T: LinearFloat>(a: DeviceView<'_, T>, b: DeviceView<'_, T>) -> Outcome<DeviceArray<T>> {
    let factors = read(a)?.lu();
    let pivots = factors.u().diagonal();
    if let Some(pivot) = pivots.iter().position(|pivot| *pivot == 0.0) {
        return Ok(Err(MatrixProblem::Singular { pivot }));
    }
    let solution = factors.solve(&read(b)?).expect("no pivot is 0");
    write(a.device(), &solution).map(Ok)
}

pub(super) fn pivots<T: LinearFloat>(a: DeviceView<'_, T>) -> Result<Pivots> {
    let factors = read(a)?.lu();
    Ok(Pivots { values: factors.u().diagonal().iter().copied().collect(), is_odd: factors.p().determinant::<f64>() < 0.0 })
}

/// Which row of the matrix each row of the product of the factors is, and both factors in one matrix.
pub(super) fn lu_factors<T: LinearFloat>(a: DeviceView<'_, T>) -> Result<(Vec<usize>, DeviceArray<T>)> {
    let factors = read(a)?.lu();
    let n = a.shape().extents()[0];
    let mut order = DMatrix::from_fn(n, 1, |row, _| row as f64);
    factors.p().permute_rows(&mut order);
    Ok((order.iter().map(|&row| row as usize).collect(), write(a.device(), factors.lu_internal())?))
}

pub(super) fn cholesky<T: LinearFloat>(a: DeviceView<'_, T>) -> Outcome<DeviceArray<T>> {
    let matrix = read(a)?;
    match matrix.cholesky() {
        Some(factor) => write(a.device(), &factor.l()).map(Ok),
        None => Ok(Err(MatrixProblem::NotPositiveDefinite)),
    }
}

pub(super) fn qr<T: LinearFloat>(a: DeviceView<'_, T>) -> Result<(DeviceArray<T>, DeviceArray<T>)> {
    let factors = read(a)?.qr();
    Ok((write(a.device(), &factors.q())?, write(a.device(), &factors.r())?))
}

/// The relative error at which an iteration ends, as in `nalgebra`'s functions without this parameter.
const TOLERANCE: f64 = 5.0 * f64::EPSILON;

/// No matrix of numbers takes as many iterations for each row.
const ITERATIONS: usize = 1000;

/// A size of a vector's elements from which on it is scaled: powers of it overflow.
#[cfg(feature = "complex")]
const LARGE: f64 = 1e100;

/// Whether an iteration can converge. `nalgebra` takes long to find that it does not, and panics for small matrices.
fn is_finite(matrix: &DMatrix<f64>) -> bool {
    matrix.iter().all(|x| x.is_finite())
}

#[allow(clippy::type_complexity, reason = "three arrays")]
pub(super) fn svd<T: LinearFloat>(a: DeviceView<'_, T>) -> Outcome<(DeviceArray<T>, DeviceArray<T>, DeviceArray<T>)> {
    let matrix = read(a)?;
    if !is_finite(&matrix) {
        return Ok(Err(MatrixProblem::NotConverged));
    }
    let most = ITERATIONS * matrix.nrows().max(matrix.ncols());
    let found: Option<SVD<f64, Dyn, Dyn>> = SVD::try_new(matrix, true, true, TOLERANCE, most);
    let Some(SVD { u: Some(u), v_t: Some(vt), singular_values: s }) = found else { return Ok(Err(MatrixProblem::NotConverged)) };
    let s: Vec<T> = s.iter().map(|x| x.cast()).collect();
    Ok(Ok((write(a.device(), &u)?, a.device().to_device(&s)?, write(a.device(), &vt)?)))
}

pub(super) fn eigh<T: LinearFloat>(a: DeviceView<'_, T>) -> Outcome<(DeviceArray<T>, DeviceArray<T>)> {
    let matrix = read(a)?;
    if !is_finite(&matrix) {
        return Ok(Err(MatrixProblem::NotConverged));
    }
    let most = ITERATIONS * matrix.nrows();
    let Some(found) = SymmetricEigen::try_new(matrix, TOLERANCE, most) else { return Ok(Err(MatrixProblem::NotConverged)) };
    let values = &found.eigenvalues;
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let sorted: Vec<T> = order.iter().map(|&i| values[i].cast()).collect();
    let vectors = found.eigenvectors.select_columns(&order);
    Ok(Ok((a.device().to_device(&sorted)?, write(a.device(), &vectors)?)))
}

/// By Schur's form with complex numbers, whose triangle has the eigenvalues on its diagonal, and whose eigenvectors are found from below.
#[cfg(feature = "complex")]
#[allow(clippy::type_complexity, reason = "two arrays")]
pub(super) fn eig<T: LinearFloat>(
    a: DeviceView<'_, T>,
) -> Outcome<(DeviceArray<num_complex::Complex<f64>>, DeviceArray<num_complex::Complex<f64>>)> {
    use nalgebra::linalg::Schur;
    use num_complex::Complex;

    let matrix = read(a)?;
    let n = matrix.nrows();
    let complex = matrix.map(|x| nalgebra::Complex::new(x, 0.0));
    let (true, Some(schur)) = (is_finite(&matrix), Schur::try_new(complex, f64::EPSILON, ITERATIONS * n)) else {
        return Ok(Err(MatrixProblem::NotConverged));
    };
    let (vectors, triangle) = schur.unpack();
    let smallest = f64::EPSILON * triangle.norm().max(f64::MIN_POSITIVE);
    let mut found = vectors.clone();
    for column in 0..n {
        let mut of_triangle = triangle.column(column).into_owned();
        of_triangle.fill(nalgebra::Complex::new(0.0, 0.0));
        of_triangle[column] = nalgebra::Complex::new(1.0, 0.0);
        for row in (0..column).rev() {
            let sum = (row + 1..=column).fold(nalgebra::Complex::new(0.0, 0.0), |sum, k| sum + triangle[(row, k)] * of_triangle[k]);
            let difference = triangle[(column, column)] - triangle[(row, row)];
            // Equal eigenvalues: one that is near, as LAPACK does.
            let divisor = if difference.norm() < smallest { nalgebra::Complex::new(smallest, 0.0) } else { difference };
            of_triangle[row] = sum / divisor;
            // The elements of several equal eigenvalues grow by 1 / ε each. Only the direction counts.
            let size = of_triangle[row].norm();
            if size > LARGE {
                of_triangle.unscale_mut(size);
            }
        }
        let vector = &vectors * of_triangle;
        let length = vector.norm();
        found.set_column(column, &vector.map(|x| x / length));
    }
    let device = a.device();
    let values: Vec<_> = (0..n).map(|i| triangle[(i, i)]).map(|x| Complex::new(x.re, x.im)).collect();
    let vectors: Vec<_> = found.transpose().iter().map(|x| Complex::new(x.re, x.im)).collect();
    Ok(Ok((device.to_device(&values)?, device.to_device(&vectors)?.reshape([n, n])?)))
}
