//! Functions with a gradient of their own, and functions that are computed again instead of kept.

use std::collections::BTreeMap;
use std::panic::Location;

use super::backward::Gradients;
use super::chain::{Differentiable, nodes_of};
use super::node::Node;
use super::traced::{Real, Stored, Traced};
use crate::arrays::{Mask, Normalizations as _, attention_gradients};
use crate::backend::recording::is_active;
use crate::failure::called;
use crate::functions;
use crate::memory::{DeviceArray, DeviceView};
use crate::ufunc::{ArrayLike as _, Reductions as _};
use crate::{Error, Result};

/// The result of `f` for these arrays, of which the gradient keeps nothing but the arrays: it calls `f` again. JAX's `checkpoint`.
///
/// It takes the time of one more call of `f`, and saves the memory of what `f` stores in between. The traced arrays that `f` uses besides its
/// arguments, it borrows or owns as every closure; their gradients are computed too. `f` must compute the same each time it is called.
///
/// ```
/// use gpu_runtime::gradient::{checkpoint, grad};
/// use gpu_runtime::prelude::*;
///
/// let w = Device::cpu().to_device(&[0.5f32, 0.25, -0.5, 1.0])?.reshape([2, 2])?;
/// let deep = |is_kept: bool| {
///     grad(&w, |w| {
///         let mut x = w.square().keep()?;
///         for _ in 0..8 {
///             x = match is_kept {
///                 true => x.matmul(&w)?.tanh().matmul(&w)?,
///                 false => checkpoint([&x, &w], |[x, w]| x.matmul(&w)?.tanh().matmul(&w))?,
///             };
///         }
///         x.sum()
///     })
/// };
/// assert_eq!(deep(false)?.to_host()?, deep(true)?.to_host()?);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Errors
///
/// Those of `f`, and as for [`collect`](crate::Lazy::collect).
///
/// # Panics
///
/// The gradient panics if `f`, called again, depends on other traced arrays, and if it is by an array that `f` has made.
#[track_caller]
pub fn checkpoint<'a, T: Real, E: Differentiable<'a, T, Item = T>, const N: usize>(
    arrays: [&Stored<'a, T>; N],
    f: impl Fn([Stored<'a, T>; N]) -> Result<Traced<'a, E>> + 'a,
) -> Result<Stored<'a, T>> {
    let arrays = arrays.map(Clone::clone);
    let start = Node::<T>::next_number();
    let result = f(arrays.clone())?;
    let (value, tangent) = (result.value()?, result.tangent()?);
    let mut parents = older(&result, start);
    for array in &arrays {
        parents.entry(array.expression.number()).or_insert_with(|| array.expression.clone());
    }
    let numbers: Vec<u64> = parents.keys().copied().collect();
    let node = Node::computed(value, tangent, parents.into_values().collect(), move |_, gradient, gradients| {
        let start = Node::<T>::next_number();
        let result = f(arrays.clone())?;
        let is_same = older(&result, start).keys().all(|number| numbers.contains(number));
        assert!(is_same, "the function of `checkpoint` depends on other arrays when it is called again for the gradient");
        gradients.go_back(&result.expression, gradient.view().lazy(), start, &[])
    });
    Ok(Traced::new(node.computing_again_from(start).linear()))
}

/// The nodes, older than that number, that it was computed from by younger ones.
fn older<'a, T: Real, E: Differentiable<'a, T, Item = T>>(result: &Traced<'a, E>, start: u64) -> BTreeMap<u64, Node<'a, T>> {
    let (mut pending, mut seen, mut older) = (nodes_of(&result.expression), std::collections::HashSet::new(), BTreeMap::new());
    while let Some(node) = pending.pop() {
        if node.number() < start {
            older.insert(node.number(), node);
        } else if seen.insert(node.number()) {
            pending.extend_from_slice(node.parents());
        }
    }
    older
}

/// The result of `f` for these arrays, with a gradient of your own: `jax.custom_vjp`.
///
/// `vjp` gets the arrays, the result and the gradient by the result, and returns the gradient by each array, in its shape. `f` computes with
/// views, so it is any code: kernels of yours, for example.
///
/// In builds with debug assertions, each gradient is compared with differences of `f` along one direction, for which `f` is called six times
/// more: it must compute the same each time. For a gradient that is deliberately another, see [`surrogate_vjp`].
///
/// ```
/// use gpu_runtime::gradient::{custom_vjp, grad};
/// use gpu_runtime::prelude::*;
///
/// let x = Device::cpu().to_device(&[0.0, 100.0])?;
/// // ln(1 + exp(x)), where exp(x) would overflow.
/// let by_x = grad(&x, |x| {
///     let result = custom_vjp(
///         [&x],
///         |[x]| (x.max_with(0.0) + (-x.abs()).exp().ln_1p()).collect(),
///         |[x], _, gradient| Ok([(gradient * x.sigmoid()).collect()?]),
///     )?;
///     result.sum()
/// })?;
/// assert_eq!(by_x.to_host()?, [0.5, 1.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Errors
///
/// Those of `f`; [`Error::NoForwardMode`] in [`jvp`](fn@super::jvp). The gradient has those of `vjp`, and [`Error::ShapeMismatch`] if an
/// array of its result has another shape.
///
/// # Panics
///
/// The gradient panics, with debug assertions, if it disagrees with differences.
#[track_caller]
pub fn custom_vjp<'a, T: Real, const N: usize>(
    arrays: [&Stored<'a, T>; N],
    f: impl Fn([DeviceView<'_, T>; N]) -> Result<DeviceArray<T>> + 'a,
    vjp: impl Fn([DeviceView<'_, T>; N], DeviceView<'_, T>, DeviceView<'_, T>) -> Result<[DeviceArray<T>; N]> + 'a,
) -> Result<Stored<'a, T>> {
    let _call = called("custom_vjp");
    let (location, value) = (Location::caller(), f(views(&arrays)?)?);
    with_vjp("custom_vjp", arrays, value, move |arrays, value, gradient| {
        let gradients = vjp(arrays, value, gradient)?;
        if cfg!(debug_assertions) && !is_active() {
            check(arrays, value, gradient, &gradients, &f, location)?;
        }
        Ok(gradients)
    })
}

/// [`custom_vjp`] of a function that keeps what its gradient needs again, as the forward function of JAX's `defvjp`: `f` returns the result, and
/// anything else, which `vjp` gets after the arrays and the result.
///
/// What is kept can be arrays of any type, such as sums of rows, or what a product has been multiplied with in another precision.
///
/// ```
/// use gpu_runtime::gradient::{custom_vjp_with, grad};
/// use gpu_runtime::prelude::*;
///
/// let x = Device::cpu().to_device(&[0.5, 2.0])?;
/// let by_x = grad(&x, |x| {
///     let result = custom_vjp_with(
///         [&x],
///         |[x]| {
///             let sine = x.sin().collect()?;
///             Ok((sine.square().collect()?, sine))
///         },
///         |[x], _, sine, gradient| Ok([(gradient * sine * x.cos() * 2.0).collect()?]),
///     )?;
///     result.sum()
/// })?;
/// assert!((by_x.get([1])? - 4f64.sin()).abs() < 1e-12);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Errors
///
/// As for [`custom_vjp`].
///
/// # Panics
///
/// As [`custom_vjp`].
#[track_caller]
#[allow(clippy::type_complexity, reason = "what is kept is of any type")]
pub fn custom_vjp_with<'a, T: Real, R: 'a, const N: usize>(
    arrays: [&Stored<'a, T>; N],
    f: impl Fn([DeviceView<'_, T>; N]) -> Result<(DeviceArray<T>, R)> + 'a,
    vjp: impl Fn([DeviceView<'_, T>; N], DeviceView<'_, T>, &R, DeviceView<'_, T>) -> Result<[DeviceArray<T>; N]> + 'a,
) -> Result<Stored<'a, T>> {
    let _call = called("custom_vjp_with");
    let (location, (value, kept)) = (Location::caller(), f(views(&arrays)?)?);
    with_vjp("custom_vjp_with", arrays, value, move |arrays, value, gradient| {
        let gradients = vjp(arrays, value, &kept, gradient)?;
        if cfg!(debug_assertions) && !is_active() {
            check(arrays, value, gradient, &gradients, &|arrays| Ok(f(arrays)?.0), location)?;
        }
        Ok(gradients)
    })
}

/// The result of `f` for these arrays, with a gradient that is deliberately not that of `f`: one that is clipped, or that of a smooth function
/// in place of one with steps. Otherwise as [`custom_vjp`].
///
/// ```
/// use gpu_runtime::gradient::{grad, surrogate_vjp};
/// use gpu_runtime::prelude::*;
///
/// // Rounded, with the gradient of what is not rounded.
/// let x = Device::cpu().to_device(&[0.4, 2.6])?;
/// let by_x = grad(&x, |x| surrogate_vjp([&x], |[x]| x.round().collect(), |_, _, gradient| Ok([lazy(gradient).collect()?]))?.square().sum())?;
/// assert_eq!(by_x.to_host()?, [0.0, 6.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Errors
///
/// As for [`custom_vjp`].
#[track_caller]
pub fn surrogate_vjp<'a, T: Real, const N: usize>(
    arrays: [&Stored<'a, T>; N],
    f: impl FnOnce([DeviceView<'_, T>; N]) -> Result<DeviceArray<T>>,
    vjp: impl Fn([DeviceView<'_, T>; N], DeviceView<'_, T>, DeviceView<'_, T>) -> Result<[DeviceArray<T>; N]> + 'a,
) -> Result<Stored<'a, T>> {
    let _call = called("surrogate_vjp");
    let value = f(views(&arrays)?)?;
    with_vjp("surrogate_vjp", arrays, value, vjp)
}

/// # Attention
impl<'a, T: Real> Stored<'a, T> {
    /// Attention of these queries: [`attention`](crate::Normalizations::attention). Its scores are computed again for the gradient, and so only take
    /// memory for a while.
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[1.0, 0.0, 0.0, 2.0])?.reshape([2, 2])?;
    /// let by_x = grad(&x, |x| x.attention(&x, &x, Mask::Causal)?.sum())?;
    /// assert_eq!(by_x.shape(), [2, 2]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`attention`](crate::Normalizations::attention); [`Error::NoForwardMode`] in [`jvp`](fn@super::jvp).
    #[track_caller]
    pub fn attention(&self, keys: &Self, values: &Self, mask: Mask) -> Result<Self> {
        let _call = called("attention");
        let arrays = [self, keys, values];
        let value = self.expression.view()?.attention(keys.expression.view()?, values.expression.view()?, mask)?;
        with_vjp("attention", arrays, value, move |arrays, value, gradient| attention_gradients(arrays, mask, value, gradient))
    }
}

#[track_caller]
fn views<'v, T: Real, const N: usize>(arrays: &[&'v Stored<'_, T>; N]) -> Result<[DeviceView<'v, T>; N]> {
    for array in arrays {
        array.expression.view()?;
    }
    Ok(arrays.map(|array| array.expression.view().expect("it is known")))
}

#[track_caller]
fn with_vjp<'a, T: Real, const N: usize>(
    function: &'static str,
    arrays: [&Stored<'a, T>; N],
    value: DeviceArray<T>,
    vjp: impl Fn([DeviceView<'_, T>; N], DeviceView<'_, T>, DeviceView<'_, T>) -> Result<[DeviceArray<T>; N]> + 'a,
) -> Result<Stored<'a, T>> {
    let location = Location::caller();
    let arrays = arrays.map(Clone::clone);
    if arrays.iter().any(|array| array.expression.tangent().is_some()) {
        return Err(Error::NoForwardMode { function, location });
    }
    let parents = arrays.iter().map(|array| array.expression.clone()).collect();
    Ok(Traced::new(Node::computed(value, None, parents, move |value, gradient, gradients: &mut Gradients<T>| {
        for (array, found) in arrays.iter().zip(vjp(views(&arrays.each_ref())?, *value, gradient.view())?) {
            let (from, to) = (array.expression.shape(), found.shape());
            if from != to {
                let help = "the gradient by an array has its shape".to_owned();
                return Err(Error::ShapeMismatch { operation: function, from: Box::new(from), to: Box::new(to), help, location });
            }
            gradients.give(&array.expression, found)?;
        }
        Ok(())
    })))
}

/// Panics if the gradient is not that of differences along a direction in which each element moves by a part of its size.
///
/// Nothing is known where differences of three widths disagree or those to both sides do, which shows that `f` is not smooth or not exact
/// enough, and where `f` fails.
#[track_caller]
fn check<T: Real, const N: usize>(
    arrays: [DeviceView<'_, T>; N],
    value: DeviceView<'_, T>,
    gradient: DeviceView<'_, T>,
    gradients: &[DeviceArray<T>; N],
    f: &impl Fn([DeviceView<'_, T>; N]) -> Result<DeviceArray<T>>,
    location: &Location<'_>,
) -> Result<()> {
    let (mut directions, mut found, mut doubt) = (Vec::new(), 0.0, 0.0);
    for (array, gradient) in arrays.iter().zip(gradients).filter(|(array, gradient)| array.shape() == gradient.shape()) {
        let direction = direction(*array)?;
        let (sum, size) = sums(functions::mul::map(gradient, &direction).collect()?)?;
        directions.push(direction);
        found += sum;
        doubt += size;
    }
    if directions.len() < N {
        return Ok(());
    }
    let epsilon: f64 = T::EPSILON.cast();
    let (here, _) = sums(functions::mul::map(value, gradient).collect()?)?;
    // The difference of both sides, by how much that of one side differs, and the rounding of both.
    let difference = |width: f64| -> Result<[f64; 3]> {
        let products = |width: f64| -> Result<(f64, f64)> {
            let mut moved = Vec::new();
            for (array, direction) in arrays.iter().zip(&directions) {
                moved.push(functions::add::map(array, functions::mul::map(direction, T::from_f64(width))).collect()?);
            }
            sums(functions::mul::map(&f(std::array::from_fn(|i| moved[i].view()))?, gradient).collect()?)
        };
        let ((above, size), (below, _)) = (products(width)?, products(-width)?);
        Ok([(above - below) / (2.0 * width), (above + below - 2.0 * here).abs() / width, 16.0 * epsilon * size / width])
    };
    let width = epsilon.cbrt();
    let (Ok([first, kink_of_first, _]), Ok([second, ..]), Ok([third, kink, rounding])) =
        (difference(width), difference(width / 2.0), difference(width / 4.0))
    else {
        return Ok(());
    };
    doubt = 100.0 * width * width * doubt + rounding + kink + 8.0 * ((first - second).abs() + (second - third).abs());
    // Where there is no kink, the difference of both sides gets smaller with the width. At one, a derivative may be NaN.
    let is_smooth = third.is_finite() && (kink <= rounding || kink <= 0.5 * kink_of_first);
    let is_wrong = (found - third).abs() > doubt || (found.is_nan() && is_smooth);
    assert!(
        !is_wrong,
        "the gradient of `custom_vjp` at {location} is {found} along a direction, but differences of the function are {third}"
    );
    Ok(())
}

/// For each element, a number of about its size, and of about that of the others if it is smaller. What is not finite stays where it is.
#[track_caller]
fn direction<T: Real>(array: DeviceView<'_, T>) -> Result<DeviceArray<T>> {
    const STEPS: [f64; 7] = [1.0, -0.5, 0.25, -1.0, 0.5, 1.0, -0.25];
    let sizes: Vec<f64> = array.lazy().collect()?.to_host()?.into_iter().map(|x| x.abs().cast()).collect();
    let (count, sum) = sizes.iter().filter(|size| size.is_finite()).fold((0.0, 0.0), |(count, sum), size| (count + 1.0, sum + size));
    let usual = if sum > 0.0 { sum / count } else { 1.0 };
    let step =
        |(i, size): (usize, &f64)| T::from_f64(if size.is_finite() { STEPS[(i ^ (i >> 3)) % STEPS.len()] * (size + usual) } else { 0.0 });
    array.device().to_device(&sizes.iter().enumerate().map(step).collect::<Vec<_>>())?.reshape(array.shape())
}

/// The sum of the elements, and of their absolute values.
#[track_caller]
fn sums<T: Real>(x: DeviceArray<T>) -> Result<(f64, f64)> {
    let (sum, size) = ((&x).sum_axis(..)?, functions::abs::map(&x).sum_axis(..)?);
    Ok((sum.to_host()?[0].cast(), size.to_host()?[0].cast()))
}
