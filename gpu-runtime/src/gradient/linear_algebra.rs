//! Systems of equations and Cholesky's decomposition of traced matrices.

use super::chain::{Differentiable, nodes_of};
use super::node::Node;
use super::products::transposed;
use super::traced::{IntoTraced, Real, Stored, Traced};
use crate::Result;
use crate::arrays::{LinearAlgebra as _, LinearFloat, Matrices as _, Products as _};
use crate::functions;
use crate::memory::{DeviceArray, DeviceView};
use crate::ufunc::{ArrayLike as _, Lazy, Reductions as _, lazy};

/// # Linear algebra
///
/// With the feature `linalg`.
impl<'a, T: Real + LinearFloat, E: Differentiable<'a, T, Item = T>> Traced<'a, E> {
    /// The solution `x` of `self · x = b`: [`solve`](crate::LinearAlgebra::solve).
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let (a, b) = (device.to_device(&[2.0, 0.0, 0.0, 4.0])?.reshape([2, 2])?, device.to_device(&[1.0, 2.0])?);
    /// let (by_a, by_b) = grad((&a, &b), |(a, b)| a.solve(b)?.sum())?;
    /// assert_eq!((by_a.to_host()?, by_b.to_host()?), (vec![-0.25, -0.25, -0.125, -0.125], vec![0.5, 0.25]));
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`solve`](crate::LinearAlgebra::solve).
    #[track_caller]
    pub fn solve<B: IntoTraced<'a, T, Expression: Differentiable<'a, T>>>(&self, b: B) -> Result<Stored<'a, T>> {
        let (a, b) = (self.expression.keep()?, b.into_traced().keep()?);
        let (of_a, of_b) = (Lazy::new(a.clone()), Lazy::new(b.clone()));
        let value = (&of_a).solve(&of_b)?;
        let is_vector = of_b.shape()?.rank() == 1;
        // a · dx = db − da · x
        let (da, db) = (Traced::new(a.clone()).tangent()?, Traced::new(b.clone()).tangent()?);
        let moved = match da {
            Some(da) => Some(functions::neg::map(&da.matmul(columns(value.view(), is_vector))?).collect()?),
            None => None,
        };
        let change = match (moved, &db) {
            (Some(moved), Some(db)) => Some(functions::add::map(&moved, columns(db.view(), is_vector)).collect()?),
            (Some(moved), None) => Some(moved),
            (None, Some(db)) => Some(columns(db.view(), is_vector).lazy().collect()?),
            (None, None) => None,
        };
        let tangent = match change {
            Some(change) => Some((&of_a).solve(&change)?.reshape(value.shape())?),
            None => None,
        };
        let mut parents = nodes_of(&a);
        b.nodes(&mut parents);
        Ok(Traced::new(Node::computed(value, tangent, parents, move |value, gradient, gradients| {
            let by_b = transposed(of_a.stored_with(&of_b)?.view()).solve(columns(gradient.view(), is_vector))?;
            if E::Kept::VARIES {
                let by_a = functions::neg::map(&by_b.matmul(transposed(columns(*value, is_vector)))?).collect()?;
                gradients.pull_back(&a, (&by_a).lazy())?;
            }
            gradients.pull_back(&b, (&by_b.reshape(gradient.shape())?).lazy())
        })))
    }

    /// The inverse matrix, or that of each matrix: [`inv`](crate::LinearAlgebra::inv).
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// let a = Device::cpu().to_device(&[2.0, 0.0, 0.0, 4.0])?.reshape([2, 2])?;
    /// let by_a = grad(&a, |a| a.inv()?.sum())?;
    /// assert_eq!(by_a.to_host()?, [-0.25, -0.125, -0.125, -0.0625]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`inv`](crate::LinearAlgebra::inv).
    #[track_caller]
    pub fn inv(&self) -> Result<Stored<'a, T>> {
        let value = (&self.elements()).inv()?;
        self.stored(
            value,
            |inverse, da| functions::neg::map(&inverse.matmul(&da)?.matmul(inverse)?).collect(),
            |x, inverse, gradient, gradients| {
                let transposed = transposed(*inverse);
                gradients.pull_back(x, functions::neg::map(&transposed.matmul(gradient)?.matmul(transposed)?))
            },
        )
    }

    /// The determinant, in an array without axes: [`det`](crate::LinearAlgebra::det). The gradient of that of a singular matrix is an error;
    /// it is the determinant times the inverse, so it is wrong where the determinant is 0 or infinite only because it leaves the range of the type.
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// let a = Device::cpu().to_device(&[2.0, 1.0, 0.0, 4.0])?.reshape([2, 2])?;
    /// assert_eq!(grad(&a, |a| a.det())?.to_host()?, [4.0, 0.0, -1.0, 2.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`det`](crate::LinearAlgebra::det).
    #[track_caller]
    pub fn det(&self) -> Result<Stored<'a, T>> {
        let elements = self.elements();
        let a = elements.stored()?;
        let value = a.view().device().full([], a.view().det()?)?;
        self.stored(
            value,
            |value, da| {
                let slopes = transposed_inverse(a.view())?;
                functions::mul::map(functions::mul::map(&slopes, &da).sum_axis(..)?.lazy(), value).collect()
            },
            |x, value, gradient, gradients| {
                let slopes = transposed_inverse(Lazy::new(x.clone()).stored()?.view())?;
                gradients.pull_back(x, functions::mul::map(&slopes, functions::mul::map(*value, gradient)))
            },
        )
    }

    /// The lower triangle L of `self = L · Lᵀ`: [`cholesky`](crate::LinearAlgebra::cholesky). Only the lower triangle of the matrix is read,
    /// so the gradient is zero above the diagonal.
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// let a = Device::cpu().to_device(&[4.0, 0.0, 0.0, 16.0])?.reshape([2, 2])?;
    /// let by_a = grad(&a, |a| a.cholesky()?.sum())?;
    /// assert_eq!(by_a.to_host()?, [0.25, 0.0, 0.5, 0.125]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`cholesky`](crate::LinearAlgebra::cholesky).
    #[track_caller]
    pub fn cholesky(&self) -> Result<Stored<'a, T>> {
        let value = (&self.elements()).cholesky()?;
        self.stored(
            value,
            |l, da| {
                let half = lower_with_half_diagonal(da.view())?;
                let symmetric = functions::add::map(&half, transposed(half.view())).collect()?;
                let left = l.solve(&symmetric)?;
                let both = l.solve(transposed(left.view()))?;
                l.matmul(&lower_with_half_diagonal(transposed(both.view()))?)
            },
            |x, l, gradient, gradients| {
                let l_transposed = transposed(*l);
                let p = lower_with_half_diagonal(l_transposed.matmul(&gradient.tril(0)?)?.view())?;
                let left = l_transposed.solve(&p)?;
                let both = l_transposed.solve(transposed(left.view()))?;
                let sum = functions::add::map(&both, transposed(both.view())).collect()?;
                gradients.pull_back(x, (&lower_with_half_diagonal(sum.view())?).lazy())
            },
        )
    }
}

/// The slopes of the logarithm of a determinant.
#[track_caller]
fn transposed_inverse<T: Real + LinearFloat>(a: DeviceView<'_, T>) -> Result<DeviceArray<T>> {
    lazy(transposed(a.inv()?.view())).collect()
}

/// A vector, or as many, as matrices with one column.
fn columns<T: Real>(x: DeviceView<'_, T>, is_vector: bool) -> DeviceView<'_, T> {
    if is_vector { x.insert_axis(x.rank()) } else { x }
}

/// The lower triangle, with half of the diagonal.
#[track_caller]
fn lower_with_half_diagonal<T: Real>(matrices: DeviceView<'_, T>) -> Result<DeviceArray<T>> {
    let (with_diagonal, without) = (matrices.tril(0)?, matrices.tril(-1)?);
    functions::mul::map(functions::add::map(&with_diagonal, &without), T::from_f64(0.5)).collect()
}
