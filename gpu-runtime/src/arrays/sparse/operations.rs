//! Sums and products of sparse matrices, and systems of equations.
//!
//! What has other places than a matrix is made as a list of places and values, of which those at one place are added.

use super::CsrMatrix;
use super::convert::find_rows;
use crate::arrays::{Contiguous, MatrixElement, Selections as _, Sorting as _};
use crate::error::MatrixProblem;
use crate::functions;
use crate::memory::{Axis, DeviceArray, DeviceSlice};
use crate::scalar::Float;
use crate::ufunc::{ArrayLike, Elementwise as _, Number, Reductions as _, Scans as _, concatenate, iota, lazy};
use crate::{Error, Result};

impl<T: Number> CsrMatrix<T> {
    /// The values that are stored, row by row: `matrix.data`.
    #[must_use]
    pub fn values(&self) -> DeviceSlice<'_, T> {
        self.values.slice(..)
    }

    /// The column of each value: `matrix.indices`.
    #[must_use]
    pub fn columns(&self) -> DeviceSlice<'_, u32> {
        self.columns.slice(..)
    }

    /// Where the values of each row begin, and where the last end: `matrix.indptr`.
    #[must_use]
    pub fn starts(&self) -> DeviceSlice<'_, u32> {
        self.starts.slice(..)
    }

    /// The matrix with other values at the same places: of `2 * matrix`, for example, `matrix.with_values(2.0 * matrix.values())?`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[1.0, 0.0, 0.0, -3.0])?.reshape([2, 2])?;
    /// let matrix = CsrMatrix::from_dense(&x)?;
    /// assert_eq!(matrix.with_values(matrix.values().abs())?.to_dense()?.to_host()?, [1.0, 0.0, 0.0, 3.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if there are not as many, and as for [`collect`](crate::Lazy::collect).
    #[track_caller]
    pub fn with_values<U: Number>(&self, values: impl ArrayLike<Item = U>) -> Result<CsrMatrix<U>> {
        let values = values.lazy().on(self.device()).collect()?;
        let (starts, columns) = (self.starts.slice(..).lazy().collect()?, self.columns.slice(..).lazy().collect()?);
        if columns.shape() != values.shape() {
            let help = "there must be a value for each that is stored";
            return Err(Error::shape_mismatch("with_values", columns.shape(), values.shape(), help));
        }
        CsrMatrix::new(self.shape, starts, columns, values)
    }

    /// The row of each value.
    #[inline] // or the code of its array functions is part of every first build, as all here
    #[track_caller]
    pub(super) fn rows(&self) -> Result<DeviceArray<u32>> {
        let mut rows = self.device().zeros::<u32>(self.stored_len())?;
        if !rows.is_empty() {
            let len = rows.len();
            find_rows(&self.starts, &self.columns, self.shape[1], &mut rows).forall(len)?;
        }
        Ok(rows)
    }

    /// The sum of two matrices of one shape: `a + b`. For a difference, negate the [values](Self::with_values). Waits for the device, which
    /// counts the elements.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`], and as for [`from_coo`](Self::from_coo).
    #[inline]
    #[track_caller]
    pub fn plus(&self, other: &Self) -> Result<Self> {
        if self.shape != other.shape {
            return Err(Error::shape_mismatch("plus", self.shape.into(), other.shape.into(), "both must have one shape"));
        }
        let rows = concatenate([&self.rows()?, &other.rows()?], 0)?;
        let columns = concatenate([&self.columns, &other.columns], 0)?;
        Self::from_coo(self.shape, &rows, &columns, &concatenate([&self.values, &other.values], 0)?)
    }

    /// Each element times that of an array that can be broadcast to the shape of the matrix: `matrix.multiply(x)`. Elements that are not stored
    /// stay 0.
    ///
    /// # Errors
    ///
    /// [`Error::BroadcastMismatch`], and as for [`collect`](crate::Lazy::collect).
    #[inline]
    #[track_caller]
    pub fn times(&self, x: impl ArrayLike<Item = T>) -> Result<Self> {
        let x = x.lazy();
        let x = x.stored_near(Some(self.device()))?;
        x.view().broadcast_to(self.shape)?;
        // How far rows and columns of the elements in C order are apart: nothing where they are broadcast.
        let shape = x.view().shape();
        let extent = |from_last: usize| shape.extents().iter().rev().nth(from_last).copied().unwrap_or(1);
        let of_column = usize::from(extent(0) > 1);
        let of_row = if extent(1) > 1 { extent(0) } else { 0 };
        let rows = self.rows()?;
        let places = functions::add::map(
            functions::mul::map(rows.cast::<usize>(), of_row),
            functions::mul::map(self.columns.cast::<usize>(), of_column),
        );
        let x = Contiguous::of(&x)?.slice().take(places)?;
        self.with_values(functions::mul::map(&self.values, x))
    }

    /// The product with a sparse matrix: `a @ b`. Waits for the device, which counts the elements.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if `other` does not have as many rows as the matrix has columns, and as for [`from_coo`](Self::from_coo).
    #[inline]
    #[track_caller]
    pub fn matmul_sparse(&self, other: &Self) -> Result<Self> {
        if self.shape[1] != other.shape[0] {
            let help = "the second must have as many rows as the first has columns";
            return Err(Error::shape_mismatch("matmul_sparse", self.shape.into(), other.shape.into(), help));
        }
        let shape = [self.shape[0], other.shape[1]];
        // Each element is multiplied with a whole row of the other matrix: products `ends[k - 1]..ends[k]` are those of element k.
        let begins = other.starts.slice(..other.shape[0]).take(&self.columns)?;
        let ends = other.starts.slice(1..).take(&self.columns)?;
        let ends = functions::sub::map(&ends, &begins).cast::<usize>().cumsum()?;
        let count = if ends.is_empty() { 0 } else { ends.get(ends.len() - 1)? };
        let owner = ends.searchsorted_right(iota(count).on(self.device()))?;
        let first = concatenate([&self.device().zeros::<usize>(1)?, &ends], 0)?;
        let number = functions::sub::map(iota(count), first.take(&owner)?);
        let of_other = functions::add::map(begins.take(&owner)?.cast::<usize>(), number).collect()?;
        let (values, of_other_values) = (self.values.take(&owner)?, other.values.take(&of_other)?);
        let products = functions::mul::map(T::widened(lazy(&values)), T::widened(lazy(&of_other_values))).collect()?;
        Self::of_summands(shape, &self.rows()?.take(&owner)?, &other.columns.take(&of_other)?, &products)
    }

    /// The sums of rows, for axis 1, or of columns, for axis 0: `matrix.sum(axis)`. The sum of all is that of the [values](Self::values).
    ///
    /// # Errors
    ///
    /// [`Error::AxisOutOfRange`], and as for [`collect`](crate::Lazy::collect).
    #[inline]
    #[track_caller]
    pub fn sum_axis(&self, axis: impl Axis) -> Result<DeviceArray<T>> {
        let ones = |len| self.device().full(len, T::ONE);
        match axis.checked("sum_axis", self.shape.into())? {
            0 => self.transpose()?.matmul(&ones(self.shape[0])?),
            _ => self.matmul(&ones(self.shape[1])?),
        }
    }

    /// The `x` with `self · x = b`, for a symmetric positive definite matrix, by conjugate gradients: `scipy.sparse.linalg.cg(a, b)`. It ends
    /// when the norm of `b - self · x` is at most `tolerance` times that of `b`, and returns how many steps that took. Waits for the device in
    /// each step.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let a = Device::cpu().to_device(&[4.0, 1.0, 1.0, 3.0])?.reshape([2, 2])?;
    /// let matrix = CsrMatrix::from_dense(&a)?;
    /// let (x, steps) = matrix.cg(lazy(&[1.0, 2.0]), 1e-12, 10)?;
    /// let x = x.to_host()?;
    /// assert!(steps <= 2 && (x[0] - 1.0 / 11.0).abs() < 1e-12 && (x[1] - 7.0 / 11.0).abs() < 1e-12);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::UnsuitableMatrix`] if the matrix is not square, or `steps` are not enough; [`Error::ShapeMismatch`]; and as for
    /// [`collect`](crate::Lazy::collect).
    #[inline]
    #[track_caller]
    pub fn cg(&self, b: impl ArrayLike<Item = T>, tolerance: f64, steps: usize) -> Result<(DeviceArray<T>, usize)>
    where
        T: Float + Number + MatrixElement,
    {
        let location = std::panic::Location::caller();
        let unsuitable = |problem| Error::UnsuitableMatrix { function: "cg", shape: Box::new(self.shape.into()), problem, location };
        if self.shape[0] != self.shape[1] {
            return Err(unsuitable(MatrixProblem::NotSquare));
        }
        let mut residual = b.lazy().on(self.device()).collect()?;
        let mut x = self.device().zeros::<T>(residual.shape())?;
        let mut direction = residual.view().lazy().collect()?;
        let mut square = residual.dot(&residual)?;
        let enough = square.cast::<f64>().sqrt() * tolerance;
        for step in 0..=steps {
            if square.cast::<f64>().sqrt() <= enough {
                return Ok((x, step));
            }
            let product = self.matmul(&direction)?;
            let length = square / direction.dot(&product)?;
            x = functions::add::map(&x, functions::mul::map(&direction, length)).collect()?;
            residual = functions::sub::map(&residual, functions::mul::map(&product, length)).collect()?;
            let before = square;
            square = residual.dot(&residual)?;
            direction = functions::add::map(&residual, functions::mul::map(&direction, square / before)).collect()?;
        }
        Err(unsuitable(MatrixProblem::NotConverged))
    }
}
