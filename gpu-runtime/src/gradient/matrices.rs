//! Jacobians and Hessians, as arrays.

use std::panic::Location;

use super::backward::trace;
use super::chain::Differentiable;
use super::forward::gradient_and_change;
use super::node::{Elements, Node};
use super::traced::{Real, Stored, Traced};
use super::variables::Arrays;
use crate::failure::called;
use crate::memory::{DeviceArray, DeviceView, Shape};
use crate::ufunc::ArrayMut as _;
use crate::{Error, Result};

/// The derivative of each element of what `f` computes by each element of an array: `jax.jacrev(f)(x)`.
///
/// The result has the axes of what `f` computes, and then those of the array. `f` is called once, and then there is one way back for each element
/// of its result.
///
/// ```
/// use gpu_runtime::gradient::jacobian;
/// use gpu_runtime::prelude::*;
///
/// let x = Device::cpu().to_device(&[1.0, 2.0, 3.0])?;
/// let slopes = jacobian(&x, |x| x.cumsum()?.part(1..)?.square().keep())?;
/// assert_eq!(slopes.shape(), [2, 3]);
/// assert_eq!(slopes.to_host()?, [6.0, 6.0, 0.0, 12.0, 12.0, 12.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Errors
///
/// As for [`vjp`](Traced::vjp); [`Error::TooManyAxes`] if the result would have too many.
#[track_caller]
pub fn jacobian<'a, T, A, E>(array: A, f: impl FnOnce(Stored<'a, T>) -> Result<Traced<'a, E>>) -> Result<DeviceArray<T>>
where
    T: Real,
    A: Arrays<'a, T, Variables = Stored<'a, T>>,
    E: Differentiable<'a, T, Item = T>,
{
    let x = array.variables();
    let result = trace(f, &x)?;
    let _call = called("jacobian");
    let value = result.value()?;
    rows(value.view(), x.shape()?, |direction| result.vjp(&direction, &x))
}

/// The second derivatives of a number that `f` computes by each two elements of an array: `jax.hessian(f)(x)`.
///
/// The result has the axes of the array twice. `f` is called once for each element, as by [`hvp`](fn@super::hvp), which is what large arrays need.
///
/// ```
/// use gpu_runtime::gradient::hessian;
/// use gpu_runtime::prelude::*;
///
/// let x = Device::cpu().to_device(&[1.0, 2.0])?;
/// let curves = hessian(&x, |x| (x.part(0)? * x.part(1)?.square()).sum())?;
/// assert_eq!(curves.to_host()?, [0.0, 4.0, 4.0, 2.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Errors
///
/// As for [`hvp`](fn@super::hvp); [`Error::TooManyAxes`] if the result would have too many.
#[track_caller]
pub fn hessian<'a, T, E>(array: &'a DeviceArray<T>, f: impl Fn(Stored<'a, T>) -> Result<Traced<'a, E>>) -> Result<DeviceArray<T>>
where
    T: Real,
    E: Differentiable<'a, T, Item = T>,
{
    let moving = |direction| Traced::new(Node::variable(array.view(), Some(Elements::owned(direction))));
    rows(array.view(), array.shape(), |direction| Ok(gradient_and_change("hessian", &f, || Ok(moving(direction)))?.1))
}

/// For each element of `x`, what `row` computes, of the shape `of_row`, from a direction of its shape: 1 at this element, and else 0.
#[track_caller]
fn rows<T: Real>(x: DeviceView<'_, T>, of_row: Shape, row: impl Fn(DeviceArray<T>) -> Result<DeviceArray<T>>) -> Result<DeviceArray<T>> {
    let line = Location::caller();
    let extents = [x.shape().extents(), of_row.extents()].concat();
    let shape = Shape::from_extents(&extents).ok_or(Error::TooManyAxes { rank: extents.len() })?;
    let mut rows = x.device().zeros::<T>(shape)?.reshape([x.len(), shape.checked_len().unwrap_or(0) / x.len().max(1)])?;
    for i in 0..x.len() {
        let mut direction = x.device().zeros::<T>(x.len())?;
        direction.slice_mut(i..i + 1).fill(T::ONE)?;
        let row = row(direction.reshape(x.shape())?).map_err(|error| error.of_call_from(line))?;
        rows.view_mut().index_axis(0, i).copy_from(row.view().reshape(row.len())?)?;
    }
    rows.reshape(shape)
}
