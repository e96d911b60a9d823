//! Sparse matrices from other forms and back: lists of elements, matrices with all elements, transposes.
//!
//! The elements of a list get a key each, which ascends by rows and then by columns. Sorted by it, elements at one place are next to each
//! other, and rows are where the first key of each is found.

use std::panic::Location;

use super::{CsrMatrix, check_size};
use crate::arrays::{Contiguous, Selections, Sorting};
use crate::backend::cpu::ViewMut;
use crate::error::MatrixProblem;
use crate::failure::called;
use crate::intrinsics::grid_1d;
use crate::memory::{DeviceArray, DeviceView};
use crate::scalar::Num;
use crate::ufunc::{ArrayLike, Elementwise, Number, Reductions, concatenate, iota, lazy};
use crate::{Error, Result, gpu_kernel};

/// The sum of each run of `values`. A run goes from its start up to that of the next.
#[gpu_kernel]
pub(in crate::arrays) fn sum_runs<T: Num>(starts: &[usize], values: &[T], sums: &mut [T]) {
    let i = grid_1d();
    if i < sums.len() {
        let end = if i + 1 < starts.len() { starts[i + 1] } else { values.len() };
        let mut sum = T::ZERO;
        for k in starts[i]..end {
            sum += values[k];
        }
        sums[i] = sum;
    }
}

/// Adds the elements of a row to that row of a matrix of zeros. A thread has a row.
#[gpu_kernel]
pub(in crate::arrays) fn add_rows<T: Num>(starts: &[u32], columns: &[u32], values: &[T], out: ViewMut<T, 2>) {
    let row = grid_1d();
    if row < out.shape()[0] {
        for k in starts[row] as usize..starts[row + 1] as usize {
            out[[row, columns[k] as usize]] += values[k];
        }
    }
}

/// The number of the row that each stored element is in. There must be one, and a column of the element among so many.
#[gpu_kernel]
pub(in crate::arrays) fn find_rows(starts: &[u32], columns: &[u32], width: usize, rows: &mut [u32]) {
    let k = grid_1d();
    if k < rows.len() {
        assert!(starts[0] == 0 && k < starts[starts.len() - 1] as usize, "an element of a sparse matrix is in no row");
        assert!((columns[k] as usize) < width, "an element of a sparse matrix is in no column");
        // How many rows begin at most here, of which the last has the element.
        let (mut low, mut high) = (0, starts.len());
        while low < high {
            let middle = (low + high) / 2;
            if starts[middle] as usize <= k {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        rows[k] = (low - 1) as u32;
    }
}

/// # Conversions
///
/// ```
/// use gpu_runtime::prelude::*;
/// use gpu_runtime::CsrMatrix;
///
/// let device = Device::cpu();
/// // Row, column and value of each element, in any order; the last two are at one place.
/// let (rows, columns) = (device.to_device(&[1, 0, 1, 1])?, device.to_device(&[2, 1, 0, 0])?);
/// let values = device.to_device(&[9.0, 5.0, 3.0, 4.0])?;
/// let matrix = CsrMatrix::from_coo([2, 3], &rows, &columns, &values)?;
/// assert_eq!(matrix.stored_len(), 3);
/// assert_eq!(matrix.to_dense()?.to_host()?, [0.0, 5.0, 0.0, 7.0, 0.0, 9.0]);
/// assert_eq!(matrix.transpose()?.to_dense()?.to_host()?, [0.0, 7.0, 5.0, 0.0, 0.0, 9.0]);
/// assert_eq!(CsrMatrix::from_dense(&matrix.to_dense()?)?.stored_len(), 3);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
impl<T: Number> CsrMatrix<T> {
    /// A matrix of elements with a row and a column each, in any order: `scipy.sparse.coo_array((values, (rows, columns)), shape).tocsr()`.
    ///
    /// The values of elements at one place are added, in their order, and the sum is rounded once. Waits for the device, which checks the
    /// places.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if the three arrays do not have one axis of the same length; [`Error::OutsideMatrix`] for the first element
    /// whose row or column the matrix does not have; [`Error::UnsuitableMatrix`] if rows, columns or values are more than a `u32` counts; and as
    /// for [`collect`](crate::Lazy::collect).
    #[track_caller]
    pub fn from_coo(
        shape: [usize; 2],
        rows: impl ArrayLike<Item = u32>,
        columns: impl ArrayLike<Item = u32>,
        values: impl ArrayLike<Item = T>,
    ) -> Result<Self> {
        Self::of_summands(shape, rows, columns, T::widened(values.lazy()))
    }

    /// The same of values as sums have them.
    #[inline]
    #[track_caller]
    pub(super) fn of_summands(
        shape: [usize; 2],
        rows: impl ArrayLike<Item = u32>,
        columns: impl ArrayLike<Item = u32>,
        values: impl ArrayLike<Item = T::Sum>,
    ) -> Result<Self> {
        let (rows, columns, values) = (rows.lazy(), columns.lazy(), values.lazy());
        let of_values = values.shape()?;
        for of_places in [rows.shape()?, columns.shape()?] {
            if of_places != of_values || of_values.rank() != 1 {
                let help = "there must be a row and a column for each value, in arrays with one axis";
                return Err(Error::shape_mismatch("from_coo", of_places, of_values, help));
            }
        }
        check_size("from_coo", shape, of_values[0])?;
        let device = rows.own_device().or(columns.own_device()).or(values.own_device());
        let (rows, columns, values) = (rows.stored_near(device)?, columns.stored_near(device)?, values.stored_near(device)?);
        let (rows, columns) = (rows.view(), columns.view());
        check_places(shape, rows, columns)?;
        let width = shape[1].max(1) as u64;
        let (keys, values) = (rows.cast::<u64>() * width + columns.cast::<u64>()).sort_with(values.view())?;
        let count = keys.len();
        let device = keys.device().clone();
        // Where a key differs from the one before it, another place begins.
        let others = keys.slice(1.min(count)..).ne(keys.slice(..count.saturating_sub(1))).nonzero()?;
        let first = device.zeros::<usize>(count.min(1))?;
        let places = concatenate([first.view().lazy().collect()?, (&others + 1).collect()?].each_ref(), 0)?;
        let mut sums = device.zeros::<T::Sum>(places.len())?;
        if !sums.is_empty() {
            let len = sums.len();
            sum_runs(&places, &values, &mut sums).forall(len)?;
        }
        let keys = keys.take(&places)?;
        Ok(Self {
            shape,
            starts: starts_of_rows(shape[0], (&keys / width).collect()?)?,
            columns: (&keys % width).cast::<u32>().collect()?,
            values: T::rounded_elements(sums)?,
        })
    }

    /// The elements of a matrix that are not 0: `scipy.sparse.csr_array(x)`. NaN is not 0. Waits for the device, which counts them.
    ///
    /// # Errors
    ///
    /// [`Error::UnsuitableMatrix`] if `x` does not have two axes, or has more rows, columns or elements that are not 0 than a `u32` counts; and as
    /// for [`collect`](crate::Lazy::collect).
    #[track_caller]
    pub fn from_dense(x: impl ArrayLike<Item = T>) -> Result<Self> {
        let location = Location::caller();
        let x = x.lazy();
        let shape = x.shape()?;
        let &[rows, columns] = shape.extents() else {
            let problem = MatrixProblem::NotAMatrix;
            return Err(Error::UnsuitableMatrix { function: "from_dense", shape: Box::new(shape), problem, location });
        };
        let x = x.stored()?;
        let x = x.view();
        let indices = x.ne(T::ZERO).nonzero()?;
        let values = x.filter(x.ne(T::ZERO))?;
        check_size("from_dense", [rows, columns], values.len())?;
        let width = columns.max(1);
        let starts = starts_of_rows(rows, (&indices / width).cast::<u64>().collect()?)?;
        Ok(Self { shape: [rows, columns], starts, columns: (&indices % width).cast::<u32>().collect()?, values })
    }

    /// A matrix with all elements: `matrix.toarray()`. Values at one place are added.
    ///
    /// # Errors
    ///
    /// As for [`collect`](crate::Lazy::collect). The next call that waits reports a start or a column that is out of bounds.
    #[track_caller]
    pub fn to_dense(&self) -> Result<DeviceArray<T>> {
        let _call = called("to_dense");
        let values = T::widened(lazy(&self.values));
        let values = values.stored()?;
        let values = Contiguous::of(&values)?;
        let mut dense = self.device().zeros::<T::Sum>(self.shape)?;
        if !dense.is_empty() {
            add_rows(&self.starts, &self.columns, values.slice(), &mut dense).forall(self.shape[0])?;
        }
        T::rounded_elements(dense)
    }

    /// The transpose, in new arrays: `matrix.T.tocsr()`.
    ///
    /// # Errors
    ///
    /// As for [`collect`](crate::Lazy::collect). The next call that waits reports a start or a column that is out of bounds.
    #[track_caller]
    pub fn transpose(&self) -> Result<Self> {
        let _call = called("transpose");
        let rows = self.rows()?;
        // Sorting is stable: elements of one column stay in the order of their rows.
        let (columns, order) = self.columns.sort_with(iota(self.stored_len()))?;
        let [height, width] = self.shape;
        let starts = starts_of_rows(width, columns.cast::<u64>().collect()?)?;
        Ok(Self { shape: [width, height], starts, columns: rows.take(&order)?, values: self.values.take(&order)? })
    }
}

/// Where each row begins, and where the last ends, from the ascending rows of elements.
#[inline] // or the code of its array functions is part of every first build
#[track_caller]
fn starts_of_rows(count: usize, rows: DeviceArray<u64>) -> Result<DeviceArray<u32>> {
    rows.searchsorted(iota(count + 1).cast::<u64>())?.cast::<u32>().collect()
}

/// Reports the first element that is not in the matrix.
#[inline] // or the code of its array functions is part of every first build
#[track_caller]
fn check_places(shape: [usize; 2], rows: DeviceView<'_, u32>, columns: DeviceView<'_, u32>) -> Result<()> {
    let outside = rows.cast::<u64>().ge(shape[0] as u64) | columns.cast::<u64>().ge(shape[1] as u64);
    if !outside.any()? {
        return Ok(());
    }
    let location = Location::caller();
    let index = outside.cast::<u8>().argmax()?;
    let at = |view: DeviceView<'_, u32>| -> Result<u32> { Ok(view.slice_axis(0, index..index + 1).to_host()?[0]) };
    Err(Error::OutsideMatrix { element: index, row: at(rows)?, column: at(columns)?, shape: Box::new(shape.into()), location })
}
