//! Fourier transforms of traced arrays. A traced array has floats, so the parts of complex numbers are pairs along one more axis, the last one.

use num_complex::Complex;

use super::chain::Differentiable;
use super::traced::{Real, Stored, Traced};
use crate::arrays::{Fourier as _, FourierElement, FourierFloat};
use crate::memory::{DeviceArray, DeviceView, Shape};
use crate::scalar::Float;
use crate::source::Element;
use crate::ufunc::{ArrayLike as _, Expression, Lazy, iota};
use crate::{Error, Result, functions, vectorize};

/// # Fourier transforms
///
/// With the feature `fft`.
impl<'a, T: Real + FourierFloat<Complex = Complex<T>>, E: Differentiable<'a, T, Item = T>> Traced<'a, E>
where
    Complex<T>: Element + FourierElement<Float = T>,
{
    /// The transform along the last axis, of which the result has the first half: [`rfft`](crate::Fourier::rfft). The result has one more axis,
    /// with the real and the imaginary part of each element: of `[…, n]` it has the shape `[…, n / 2 + 1, 2]`.
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// // The power of the frequency 1.
    /// let x = Device::cpu().to_device(&[1.0, 2.0, 0.0, -1.0])?;
    /// let by_x = grad(&x, |x| x.rfft()?.part(1)?.square().sum())?;
    /// assert_eq!(by_x.to_host()?, [2.0, 6.0, -2.0, -6.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`rfft`](crate::Fourier::rfft); [`Error::TooManyAxes`] if there is no place for one more axis.
    #[track_caller]
    pub fn rfft(&self) -> Result<Stored<'a, T>> {
        let value = in_pairs((&self.elements()).rfft()?)?;
        let len = *self.shape()?.extents().last().expect("an axis of the transform");
        self.stored(
            value,
            |_, dx| in_pairs(dx.rfft()?),
            move |x, _, gradient, gradients| {
                // An inverse transform is divided by `len`, and counts all but the first and the middle element twice.
                let count = T::from_f64(len as f64);
                let spectrum = weighted(gradient.view(), len, count, count * T::from_f64(0.5)).collect()?;
                gradients.pull_back(x, (&spectrum.into_complex().reshape(half(gradient.shape()))?.irfft(len)?).lazy())
            },
        )
        .map(Stored::linear)
    }

    /// The inverse of [`rfft`](Self::rfft), with `len` elements along the last axis: [`irfft`](crate::Fourier::irfft). Its last axis but one is
    /// transformed, and the last one has the parts: of `[…, len / 2 + 1, 2]`, the result has the shape `[…, len]`.
    ///
    /// ```
    /// use gpu_runtime::gradient::grad;
    /// use gpu_runtime::prelude::*;
    ///
    /// // Only the mean is left.
    /// let x = Device::cpu().to_device(&[1.0, 2.0, 0.0, -1.0])?;
    /// let mean = Device::cpu().to_device(&[1.0, 0.0, 0.0])?.reshape([3, 1])?;
    /// let by_x = grad(&x, |x| (x.rfft()? * &mean).irfft(4)?.sum())?;
    /// assert_eq!(by_x.to_host()?, [1.0, 1.0, 1.0, 1.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`irfft`](crate::Fourier::irfft); [`Error::ShapeMismatch`] if the last axis does not have two elements.
    #[track_caller]
    pub fn irfft(&self, len: usize) -> Result<Stored<'a, T>> {
        let shape = self.shape()?;
        let is_of_pairs = shape.rank() >= 2 && shape.extents().last() == Some(&2);
        if !is_of_pairs {
            let help = "the last axis has the real and the imaginary part";
            return Err(Error::shape_mismatch("irfft", shape, [len / 2 + 1, 2].into(), help));
        }
        self.stored(
            inverse(self.value()?, len)?,
            |_, dx| inverse(dx, len),
            move |x, _, gradient, gradients| {
                let (one, two) = (T::from_f64(1.0 / len as f64), T::from_f64(2.0 / len as f64));
                gradients.pull_back(x, weighted(in_pairs(gradient.rfft()?)?.view(), len, one, two))
            },
        )
        .map(Stored::linear)
    }
}

/// The factor of a part of an element of a half spectrum of `len` floats: `once` if it has no conjugate in the other half, else `twice`. An
/// imaginary part without one is always zero.
#[vectorize]
fn factor<T: Float>(element: usize, part: usize, len: usize, once: T, twice: T) -> T {
    if element != 0 && 2 * element != len {
        twice
    } else if part == 0 {
        once
    } else {
        T::ZERO
    }
}

/// The elements of half spectra in pairs, times [`factor`].
fn weighted<T: Real>(pairs: DeviceView<'_, T>, len: usize, once: T, twice: T) -> Lazy<impl Expression<Item = T> + use<'_, T>> {
    functions::mul::map(pairs, factor::map(iota(len / 2 + 1).insert_axis(1), iota(2), len, once, twice))
}

/// The parts of complex numbers, along one more axis.
#[track_caller]
fn in_pairs<T: Real>(spectrum: DeviceArray<Complex<T>>) -> Result<DeviceArray<T>>
where
    Complex<T>: Element,
{
    let extents: Vec<usize> = spectrum.shape().extents().iter().copied().chain([2]).collect();
    let shape = Shape::from_extents(&extents).ok_or(Error::TooManyAxes { rank: extents.len() })?;
    spectrum.into_parts().reshape(shape)
}

/// The inverse transform of pairs, with `len` elements along the last axis.
#[track_caller]
fn inverse<T: Real + FourierFloat<Complex = Complex<T>>>(pairs: DeviceArray<T>, len: usize) -> Result<DeviceArray<T>>
where
    Complex<T>: Element + FourierElement<Float = T>,
{
    let shape = half(pairs.shape());
    pairs.into_complex().reshape(shape)?.irfft(len)
}

/// The shape without the axis of the parts.
fn half(shape: Shape) -> Shape {
    Shape::from_extents(&shape.extents()[..shape.rank() - 1]).expect("one axis fewer")
}
