//! Matrices made of others: triangles, diagonals, Kronecker products.

use std::panic::Location;

use super::collected;
use crate::error::MatrixProblem;
use crate::functions;
use crate::memory::{DeviceArray, Shape};
use crate::scalar::Num;
use crate::ufunc::{ArrayLike, Elementwise as _, Expression, Lazy, Number, Reductions as _, give_to_arrays, iota};
use crate::{Error, Result};

/// Matrices made of others. With more than two axes, the last two are those of matrices.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let m = Device::cpu().arange(1, 10, 1)?.reshape([3, 3])?;
/// assert_eq!(m.triu(0)?.to_host()?, [1, 2, 3, 0, 5, 6, 0, 0, 9]);
/// assert_eq!(m.tril(-1)?.to_host()?, [0, 0, 0, 4, 0, 0, 7, 8, 0]);
/// assert_eq!(m.trace()?, 15);
/// assert_eq!(m.row(0).diag()?.to_host()?, [1, 0, 0, 0, 2, 0, 0, 0, 3]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub trait Matrices: ArrayLike {
    /// The elements on and above a diagonal, with 0 below: `np.triu(x, k)`. Diagonal 0 is the main one, 1 the one above it.
    ///
    /// # Errors
    ///
    /// [`Error::AxisOutOfRange`] if there are fewer than two axes, and as for [`collect`](crate::Lazy::collect).
    #[track_caller]
    fn triu(self, k: isize) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Num,
    {
        let x = self.lazy();
        let number = diagonals("triu", x.shape()?)?;
        collected(functions::select::map(number.ge(k), x, Self::Item::ZERO))
    }

    /// The elements on and below a diagonal, with 0 above: `np.tril(x, k)`.
    ///
    /// # Errors
    ///
    /// As for [`triu`](Self::triu).
    #[track_caller]
    fn tril(self, k: isize) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Num,
    {
        let x = self.lazy();
        let number = diagonals("tril", x.shape()?)?;
        collected(functions::select::map(number.le(k), x, Self::Item::ZERO))
    }

    /// The matrix with the elements of a vector on its diagonal, and 0 elsewhere: `np.diag(x)`. The diagonal of a matrix is
    /// [`x.view().diagonal()`](crate::DeviceView::diagonal).
    ///
    /// # Errors
    ///
    /// [`Error::UnsuitableMatrix`] if there are more axes or fewer than one, and as for [`collect`](crate::Lazy::collect).
    #[track_caller]
    fn diag(self) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Num,
    {
        let x = self.lazy();
        let shape = x.shape()?;
        let [len] = *shape.extents() else {
            let problem = MatrixProblem::NotAVector { help: "the diagonal of a matrix is `x.view().diagonal()`" };
            return Err(Error::unsuitable("diag", shape, problem));
        };
        collected(functions::select::map(iota([len, 1]).eq(iota(len)), x, Self::Item::ZERO))
    }

    /// The sum of the diagonal of a matrix: `np.trace(x)`.
    ///
    /// # Errors
    ///
    /// [`Error::UnsuitableMatrix`] if there are not two axes, and as for [`sum`](crate::Reductions::sum).
    #[track_caller]
    fn trace(self) -> Result<Self::Item>
    where
        Self::Item: Number,
    {
        let x = self.lazy();
        let shape = x.shape()?;
        if shape.rank() != 2 {
            return Err(Error::unsuitable("trace", shape, MatrixProblem::NotAMatrix));
        }
        let stored = x.stored()?;
        stored.view().diagonal().sum()
    }

    /// The Kronecker product, which has a copy of `other` for each element: `np.kron(x, other)`, of as many axes each.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if the numbers of axes differ, [`Error::ResultTooManyAxes`] if there are more than three, and as for
    /// [`collect`](crate::Lazy::collect).
    #[track_caller]
    fn kron(self, other: impl ArrayLike<Item = Self::Item>) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Num,
    {
        let (x, other) = (self.lazy(), other.lazy());
        let (of_x, of_other) = (x.shape()?, other.shape()?);
        let rank = of_x.rank();
        if rank != of_other.rank() {
            return Err(Error::shape_mismatch("kron", of_x, of_other, "both have as many axes"));
        }
        let product = functions::mul::outer(x, other);
        // Its elements can be counted, and so can the product of two extents.
        product.shape()?;
        let pairs: Vec<usize> = (0..rank).flat_map(|axis| [axis, rank + axis]).collect();
        let extents: Vec<usize> = std::iter::zip(of_x.extents(), of_other.extents()).map(|(a, b)| a * b).collect();
        collected(product.permute(pairs))?.reshape(Shape::from_extents(&extents).expect("it has as many axes as the operands"))
    }
}

give_to_arrays! { Matrices }

/// The number of the diagonal on which each element of a matrix is, in matrices of this shape.
#[track_caller]
pub(crate) fn diagonals(function: &'static str, shape: Shape) -> Result<Lazy<impl Expression<Item = isize> + use<>>> {
    match *shape.extents() {
        [.., rows, columns] => Ok(iota(columns).cast::<isize>() - iota([rows, 1]).cast::<isize>()),
        _ => Err(Error::AxisOutOfRange { function, axis: 1, shape, location: Location::caller() }),
    }
}
