//! Sparse matrices by rows: products with vectors and matrices.

mod convert;
mod operations;

use std::fmt;
use std::panic::Location;

#[cfg(test)]
pub(super) use convert::{add_rows, find_rows, sum_runs};

use super::Contiguous;
use crate::device::Device;
use crate::error::MatrixProblem;
use crate::failure::called;
use crate::intrinsics::grid_1d;
use crate::memory::DeviceArray;
use crate::scalar::Num;
use crate::ufunc::{ArrayLike, Number, lazy};
use crate::{Error, Result, gpu_kernel};

/// `out = matrix · x`, where `x` has `width` columns. A thread computes an element.
#[gpu_kernel]
pub(super) fn multiply_sparse<T: Num>(starts: &[u32], columns: &[u32], values: &[T], x: &[T], width: usize, out: &mut [T]) {
    let i = grid_1d();
    if i < out.len() {
        let (row, column) = (i / width, i % width);
        let mut sum = T::ZERO;
        for k in starts[row] as usize..starts[row + 1] as usize {
            sum += values[k] * x[columns[k] as usize * width + column];
        }
        out[i] = sum;
    }
}

/// An error if rows, columns or stored elements are more than a `u32` counts.
#[track_caller]
fn check_size(function: &'static str, shape: [usize; 2], stored: usize) -> Result<()> {
    if [shape[0], shape[1], stored].into_iter().all(|count| u32::try_from(count).is_ok()) {
        return Ok(());
    }
    let problem = MatrixProblem::TooLarge { of: "CsrMatrix", by: "u32" };
    Err(Error::UnsuitableMatrix { function, shape: Box::new(shape.into()), problem, location: Location::caller() })
}

/// A sparse matrix on a device, by rows: `scipy.sparse.csr_array((values, columns, starts), shape)`.
///
/// The elements of row `r` that are stored are those from `starts[r]` up to `starts[r + 1]`, each with its value and its column.
///
/// ```
/// use gpu_runtime::prelude::*;
/// use gpu_runtime::CsrMatrix;
///
/// let device = Device::cpu();
/// // 0 5 0
/// // 7 0 9
/// let (starts, columns, values) = (device.to_device(&[0, 1, 3])?, device.to_device(&[1, 0, 2])?, device.to_device(&[5.0, 7.0, 9.0])?);
/// let matrix = CsrMatrix::new([2, 3], starts, columns, values)?;
/// assert_eq!(matrix.matmul(&device.to_device(&[1.0, 2.0, 3.0])?)?.to_host()?, [10.0, 34.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub struct CsrMatrix<T> {
    shape: [usize; 2],
    starts: DeviceArray<u32>,
    columns: DeviceArray<u32>,
    values: DeviceArray<T>,
}

impl<T: Number> CsrMatrix<T> {
    /// A matrix of these arrays. Their elements are not checked before they are used.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if there is not one start more than rows, or not a column for each value; [`Error::UnsuitableMatrix`] if rows,
    /// columns or values are more than a `u32` counts.
    #[track_caller]
    pub fn new(shape: [usize; 2], starts: DeviceArray<u32>, columns: DeviceArray<u32>, values: DeviceArray<T>) -> Result<Self> {
        check_size("CsrMatrix::new", shape, values.len())?;
        if starts.len() != shape[0] + 1 {
            let help = "there must be one start more than rows";
            return Err(Error::shape_mismatch("CsrMatrix::new", shape.into(), starts.shape(), help));
        }
        if columns.len() != values.len() {
            let help = "there must be a column for each value";
            return Err(Error::shape_mismatch("CsrMatrix::new", values.shape(), columns.shape(), help));
        }
        Ok(Self { shape, starts, columns, values })
    }

    /// Rows and columns.
    #[must_use]
    pub fn shape(&self) -> [usize; 2] {
        self.shape
    }

    /// How many elements are stored.
    #[must_use]
    pub fn stored_len(&self) -> usize {
        self.values.len()
    }

    /// The device of the matrix.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.values.device()
    }

    /// The product with a vector or a matrix: `matrix @ x`.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if `x` does not have as many rows as the matrix has columns, or more than two axes; and as for
    /// [`collect`](crate::Lazy::collect). The next call that waits reports a start or a column that is out of bounds.
    #[track_caller]
    pub fn matmul<X: ArrayLike<Item = T>>(&self, x: X) -> Result<DeviceArray<T>> {
        let _call = called("CsrMatrix::matmul");
        let (x, values) = (T::widened(x.lazy()), T::widened(lazy(&self.values)));
        let (x, values) = (x.stored_with(&values)?, values.stored()?);
        let shape = x.view().shape();
        let [rows, columns] = self.shape;
        if !(1..=2).contains(&shape.rank()) || shape.extents()[0] != columns {
            let help = "the second must be a vector or a matrix with as many rows as the first has columns";
            return Err(Error::shape_mismatch("CsrMatrix::matmul", self.shape.into(), shape, help));
        }
        let (x, values) = (Contiguous::of(&x)?, Contiguous::of(&values)?);
        let width = shape.extents().get(1).copied();
        let mut out = self.device().zeros::<T::Sum>(rows * width.unwrap_or(1))?;
        let len = out.len();
        if len > 0 {
            multiply_sparse(&self.starts, &self.columns, values.slice(), x.slice(), width.unwrap_or(1), &mut out).forall(len)?;
        }
        let out = T::rounded_elements(out)?;
        match width {
            Some(width) => out.reshape([rows, width]),
            None => Ok(out),
        }
    }
}

/// The type, shape and device, without the elements: reading them would wait for the device.
impl<T: Number> fmt::Debug for CsrMatrix<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [rows, columns] = self.shape;
        write!(
            f,
            "CsrMatrix<{}>(shape ({rows}, {columns}) with {} elements on {})",
            std::any::type_name::<T>(),
            self.stored_len(),
            self.device()
        )
    }
}
