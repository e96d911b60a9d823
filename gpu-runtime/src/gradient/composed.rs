//! Methods of traced arrays that are written with others, whose gradients they have.

use super::chain::Differentiable;
use super::traced::{Constant, IntoTraced, Real, Stored, Traced, constant};
use crate::arrays::diagonals;
use crate::error::MatrixProblem;
use crate::functions;
use crate::memory::{Axis, IndexRange};
use crate::ufunc::{Apply, Axes, Elementwise as _, Lazy, ScalarInput, keep_dims, lazy};
use crate::{Error, Result};

/// A function of the elements of two arrays. (The operators are those of `f32` and of `f64`, not of any `T`.)
fn apply<'a, F, A: Clone, B>(a: &Traced<'a, A>, b: B) -> Traced<'a, Apply<F, (A, B)>> {
    Traced::new(Apply::new((a.expression.clone(), b)))
}

/// # Statistics and norms
impl<'a, T: Real, E: Differentiable<'a, T, Item = T>> Traced<'a, E> {
    /// The variance of all elements, in an array without axes: [`var`](crate::Statistics::var).
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[1.0, 2.0, 6.0])?;
    /// assert_eq!(grad(&x, |x| x.var(1))?.to_host()?, [-2.0, -1.0, 3.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`mean_axis`](crate::Reductions::mean_axis).
    #[track_caller]
    pub fn var(&self, ddof: usize) -> Result<Stored<'a, T>> {
        self.var_axis(.., ddof)
    }

    /// The variances along axes: [`var_axis`](crate::Statistics::var_axis).
    ///
    /// # Errors
    ///
    /// As for [`mean_axis`](crate::Reductions::mean_axis).
    #[track_caller]
    pub fn var_axis(&self, axes: impl Into<Axes>, ddof: usize) -> Result<Stored<'a, T>> {
        let axes = axes.into();
        let x = self.keep()?;
        let degrees = (axes.elements(self.shape()?) as f64 - ddof as f64).max(0.0);
        let centred = apply::<functions::sub::Function<T>, _, _>(&x, x.mean_axis(keep_dims(axes))?.expression).keep()?;
        let factor = Constant::new(ScalarInput(T::from_f64(degrees.recip())));
        apply::<functions::mul::Function<T>, _, _>(&centred.square().sum_axis(axes)?, factor).keep()
    }

    /// The standard deviation of all elements, in an array without axes: [`std`](crate::Statistics::std). Its slope is infinite where it is zero.
    ///
    /// # Errors
    ///
    /// As for [`mean_axis`](crate::Reductions::mean_axis).
    #[track_caller]
    pub fn std(&self, ddof: usize) -> Result<Stored<'a, T>> {
        self.std_axis(.., ddof)
    }

    /// The standard deviations along axes: [`std_axis`](crate::Statistics::std_axis).
    ///
    /// # Errors
    ///
    /// As for [`mean_axis`](crate::Reductions::mean_axis).
    #[track_caller]
    pub fn std_axis(&self, axes: impl Into<Axes>, ddof: usize) -> Result<Stored<'a, T>> {
        self.var_axis(axes, ddof)?.sqrt().keep()
    }

    /// The sum of the products with the elements of `other`, which is broadcast, in an array without axes: [`dot`](crate::Reductions::dot).
    ///
    /// # Errors
    ///
    /// As for [`sum_axis`](crate::Reductions::sum_axis).
    #[track_caller]
    pub fn dot<B: IntoTraced<'a, T, Expression: Differentiable<'a, T, Item = T>>>(&self, other: B) -> Result<Stored<'a, T>> {
        apply::<functions::mul::Function<T>, _, _>(self, other.into_traced()).sum()
    }

    /// The square root of the sum of the squares, in an array without axes: [`norm`](crate::Reductions::norm). Its slope is not a number where it
    /// is zero.
    ///
    /// # Errors
    ///
    /// As for [`sum_axis`](crate::Reductions::sum_axis).
    #[track_caller]
    pub fn norm(&self) -> Result<Stored<'a, T>> {
        self.norm_axis(..)
    }

    /// The same along axes: [`norm_axis`](crate::Reductions::norm_axis).
    ///
    /// # Errors
    ///
    /// As for [`sum_axis`](crate::Reductions::sum_axis).
    #[track_caller]
    pub fn norm_axis(&self, axes: impl Into<Axes>) -> Result<Stored<'a, T>> {
        self.square().sum_axis(axes)?.sqrt().keep()
    }

    /// ln(Σ eˣ) along axes, without overflow: [`log_sum_exp_axis`](crate::Normalizations::log_sum_exp_axis).
    ///
    /// # Errors
    ///
    /// As for [`max_axis`](crate::Reductions::max_axis).
    #[track_caller]
    pub fn log_sum_exp_axis(&self, axes: impl Into<Axes>) -> Result<Stored<'a, T>> {
        let axes = axes.into();
        let x = self.keep()?;
        // The result does not depend on it. Less infinity, everything would be NaN.
        let largest = x.max_axis(keep_dims(axes))?.value()?;
        let shift = functions::select::map(functions::is_finite::map(&largest), &largest, T::ZERO).collect()?;
        let left = lazy(shift.view().reshape(axes.left_of(x.shape()?))?).collect()?;
        let sums = apply::<functions::sub::Function<T>, _, _>(&x, constant(shift).expression).exp().sum_axis(axes)?;
        apply::<functions::add::Function<T>, _, _>(&sums.ln(), constant(left).expression).keep()
    }
}

/// # Axes
impl<'a, T: Real, E: Differentiable<'a, T, Item = T>> Traced<'a, E> {
    /// The elements in one axis, in C order: `np.ravel(x)`.
    ///
    /// # Errors
    ///
    /// As for [`collect`](crate::Lazy::collect).
    #[track_caller]
    pub fn flatten(&self) -> Result<Stored<'a, T>> {
        self.reshape(self.shape()?.extents().iter().product::<usize>())
    }

    /// With a new axis of extent 1 at position `axis`: [`insert_axis`](crate::Lazy::insert_axis).
    ///
    /// # Errors
    ///
    /// As for [`collect`](crate::Lazy::collect).
    ///
    /// # Panics
    ///
    /// As [`insert_axis`](crate::Lazy::insert_axis).
    #[track_caller]
    pub fn insert_axis(&self, axis: impl Axis) -> Result<Stored<'a, T>> {
        self.reshape(self.elements().insert_axis(axis).shape()?)
    }

    /// With two axes exchanged: [`swap_axes`](crate::Lazy::swap_axes).
    ///
    /// # Errors
    ///
    /// As for [`collect`](crate::Lazy::collect).
    ///
    /// # Panics
    ///
    /// If there are no such axes.
    #[track_caller]
    pub fn swap_axes(&self, a: impl Axis, b: impl Axis) -> Result<Stored<'a, T>> {
        let rank = self.shape()?.rank();
        let mut axes: Vec<usize> = (0..rank).collect();
        axes.swap(a.of(rank), b.of(rank));
        self.permute(axes)
    }

    /// The difference of each element and the one before it along `axis`: [`diff`](crate::Arrangements::diff).
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[1.0, 3.0, 4.0])?;
    /// assert_eq!(grad(&x, |x| x.diff(0)?.square().sum())?.to_host()?, [-4.0, 2.0, 2.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`collect`](crate::Lazy::collect).
    ///
    /// # Panics
    ///
    /// If there is no such axis.
    #[track_caller]
    pub fn diff(&self, axis: impl Axis) -> Result<Stored<'a, T>> {
        let x = self.keep()?;
        let axis = axis.of(x.shape()?.rank());
        let len = x.shape()?[axis];
        let before = x.slice_axis(axis, ..len.saturating_sub(1))?;
        apply::<functions::sub::Function<T>, _, _>(&x.slice_axis(axis, 1.min(len)..)?, before.expression).keep()
    }

    /// The part with one index of an axis, without that axis: [`index_axis`](crate::Lazy::index_axis).
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[1.0, 2.0, 3.0, 4.0])?.reshape([2, 2])?;
    /// assert_eq!(grad(&x, |x| x.index_axis(1, 0)?.square().sum())?.to_host()?, [2.0, 0.0, 6.0, 0.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`collect`](crate::Lazy::collect).
    ///
    /// # Panics
    ///
    /// If there is no such axis or index.
    #[track_caller]
    pub fn index_axis(&self, axis: impl Axis, index: usize) -> Result<Stored<'a, T>> {
        let mut axes: Vec<usize> = (0..self.shape()?.rank()).collect();
        let axis = axis.of(axes.len());
        axes[..=axis].rotate_right(1);
        self.permute(axes)?.part(index)
    }

    /// The part with these indices of an axis: [`slice_axis`](crate::Lazy::slice_axis).
    ///
    /// # Errors
    ///
    /// As for [`collect`](crate::Lazy::collect).
    ///
    /// # Panics
    ///
    /// If there is no such axis, or the range is out of bounds.
    #[track_caller]
    pub fn slice_axis(&self, axis: impl Axis, range: impl IndexRange + Clone + 'a) -> Result<Stored<'a, T>> {
        let rank = self.shape()?.rank();
        let mut axes: Vec<usize> = (0..rank).collect();
        axes.swap(0, axis.of(rank));
        self.permute(&axes)?.part(range)?.permute(&axes)
    }
}

/// # Matrices
///
/// With more than two axes, the last two are those of matrices.
impl<'a, T: Real, E: Differentiable<'a, T, Item = T>> Traced<'a, E> {
    /// The elements on and above diagonal `k`, with 0 below: [`triu`](crate::Matrices::triu).
    ///
    /// # Errors
    ///
    /// As for [`triu`](crate::Matrices::triu).
    #[track_caller]
    pub fn triu(&self, k: isize) -> Result<Stored<'a, T>> {
        self.or_zero(diagonals("triu", self.shape()?)?.ge(k)).keep()
    }

    /// The elements on and below diagonal `k`, with 0 above: [`tril`](crate::Matrices::tril).
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[1.0, 2.0, 3.0, 4.0])?.reshape([2, 2])?;
    /// assert_eq!(grad(&x, |x| x.tril(0)?.square().sum())?.to_host()?, [2.0, 0.0, 6.0, 8.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`tril`](crate::Matrices::tril).
    #[track_caller]
    pub fn tril(&self, k: isize) -> Result<Stored<'a, T>> {
        self.or_zero(diagonals("tril", self.shape()?)?.le(k)).keep()
    }

    /// The sum of the diagonal of a matrix, in an array without axes: [`trace`](crate::Matrices::trace).
    ///
    /// # Errors
    ///
    /// As for [`trace`](crate::Matrices::trace).
    #[track_caller]
    pub fn trace(&self) -> Result<Stored<'a, T>> {
        let shape = self.shape()?;
        if shape.rank() != 2 {
            return Err(Error::unsuitable("trace", shape, MatrixProblem::NotAMatrix));
        }
        self.or_zero(diagonals("trace", shape)?.eq(0)).sum()
    }

    /// The elements where the mask is true, else 0.
    #[allow(clippy::type_complexity, reason = "the type is the expression")]
    fn or_zero<M>(&self, mask: Lazy<M>) -> Traced<'a, Apply<functions::select::Function<T>, (Constant<M>, E, Constant<ScalarInput<T>>)>> {
        let zero = Constant::new(ScalarInput(T::ZERO));
        Traced::new(Apply::new((Constant::new(mask.into_inner()), self.expression.clone(), zero)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gradient::{grad, variable};
    use crate::prelude::*;

    type X<'x> = Stored<'x, f64>;

    /// A function of a traced matrix, and its value as arrays have it.
    type Case = (&'static str, for<'x> fn(&X<'x>) -> Result<X<'x>>, fn(&DeviceArray<f64>) -> Result<Vec<f64>>);

    const CASES: &[Case] = &[
        ("var", |x| x.var(1), |x| Ok(vec![x.var(1)?])),
        ("var of rows", |x| x.var_axis(1, 0), |x| x.var_axis(1, 0)?.to_host()),
        ("var that keeps its axis", |x| x.var_axis(keep_dims(0), 0), |x| x.var_axis(0, 0)?.to_host()),
        ("std", |x| x.std(0), |x| Ok(vec![x.std(0)?])),
        ("std of columns", |x| x.std_axis(0, 1), |x| x.std_axis(0, 1)?.to_host()),
        ("dot", |x| x.dot(x.sin()), |x| Ok(vec![x.dot(x.sin())?])),
        ("norm", |x| x.norm(), |x| Ok(vec![x.norm()?])),
        ("norm of rows", |x| x.norm_axis(1), |x| x.norm_axis(1)?.to_host()),
        ("log_sum_exp_axis", |x| x.log_sum_exp_axis(1), |x| x.log_sum_exp_axis(1)?.to_host()),
        ("log_sum_exp_axis of all", |x| x.log_sum_exp_axis(..), |x| x.log_sum_exp_axis(..)?.to_host()),
        ("flatten", |x| x.sin().flatten(), |x| x.sin().to_host()),
        ("insert_axis", |x| x.insert_axis(1)?.square().keep(), |x| x.square().to_host()),
        (
            "axes from the end",
            |x| x.softmax(-1)?.swap_axes(-1, 0)?.cumsum_axis(-2)?.diff(-1),
            |x| {
                let softmax = x.softmax(1)?;
                softmax.view().t().lazy().cumsum_axis(0)?.diff(1).to_host()
            },
        ),
        ("swap_axes", |x| x.swap_axes(0, 1)?.square().keep(), |x| x.view().t().lazy().square().to_host()),
        ("index_axis", |x| x.exp().index_axis(1, 2), |x| x.view().index_axis(1, 2).lazy().exp().to_host()),
        ("clamp", |x| x.clamp(-1.0, x.sin() + 1.0).keep(), |x| (&x.maximum(-1.0)).minimum(x.sin() + 1.0).to_host()),
        ("diff", |x| x.square().diff(1), |x| x.square().diff(1).to_host()),
        ("diff of one element", |x| x.part(..1)?.diff(0), |_| Ok(vec![])),
        ("triu", |x| x.exp().triu(1), |x| x.exp().triu(1)?.to_host()),
        ("tril", |x| x.exp().tril(-1), |x| x.exp().tril(-1)?.to_host()),
        ("trace", |x| x.square().trace(), |x| Ok(vec![x.square().trace()?])),
        ("slice_axis", |x| x.exp().slice_axis(1, 1..), |x| x.view().slice_axis(1, 1..).lazy().exp().to_host()),
    ];

    #[test]
    fn composed_methods_have_the_values_of_arrays_and_the_gradients_of_differences() -> Result<()> {
        let device = Device::cpu();
        let host = [0.3, -1.2, 2.0, 0.7, 1.9, -0.4];
        let array = |host: &[f64]| device.to_device(host)?.reshape([2, 3]);
        for (name, traced, plain) in CASES {
            let x = array(&host)?;
            let (value, expected) = (traced(&variable(&x))?.value()?.to_host()?, plain(&x)?);
            assert_eq!(value.len(), expected.len(), "{name}");
            assert!(value.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-12), "{name}: {value:?}, not {expected:?}");
            let weighted = |values: Vec<f64>| -> f64 { values.iter().zip(1..).map(|(value, weight)| value * f64::from(weight)).sum() };
            let weights: Vec<f64> = (1..=value.len()).map(|weight| weight as f64).collect();
            let by_x = grad(&x, |x| {
                let value = traced(&x)?.flatten()?;
                value.dot(weights.as_slice())
            })?;
            for (i, found) in by_x.to_host()?.into_iter().enumerate() {
                let shifted = |by: f64| -> Result<f64> {
                    let mut host = host;
                    host[i] += by;
                    Ok(weighted(plain(&array(&host)?)?))
                };
                let slope = (shifted(1e-5)? - shifted(-1e-5)?) / 2e-5;
                assert!((found - slope).abs() < 1e-7 * (1.0 + slope.abs()), "{name} by element {i}: {found}, not {slope}");
            }
        }
        Ok(())
    }

    #[test]
    fn sums_of_powers_stay_finite_beside_large_and_infinite_elements() -> Result<()> {
        let device = Device::cpu();
        let x = device.to_device(&[1000.0, 1000.0, f64::NEG_INFINITY])?;
        assert_eq!(grad(&x, |x| x.log_sum_exp_axis(0))?.to_host()?, [0.5, 0.5, 0.0]);
        Ok(())
    }
}
