//! Fourier transforms.
//!
//! A transform works along the last axes of an array in C order; other axes are moved there, which copies the elements. cuFFT transforms up
//! to three axes at once, so more take several transforms. On the CPU, [`cpu`] transforms one axis after the other, and so does [`ours`] on
//! a GPU without cuFFT.

mod cpu;
mod gpu;
pub(super) mod ours;

use std::panic::Location;

use num_complex::Complex;

use self::cpu::CpuFloat;
use self::ours::RowTransform;
use crate::arrays::{Contiguous, collected};
use crate::backend::cuda::libraries::cufft::{self, Kind};
use crate::memory::{DeviceArray, DeviceView, Shape};
use crate::ops::arithmetic::sealed::Sealed;
use crate::scalar::{Float, Num};
use crate::source::Element;
use crate::ufunc::{Arrangements as _, ArrayLike, ArrayMut, Axes, Number, Stored, give_to_arrays, lazy, scale};
use crate::{Error, Result};

/// The floats of this module's functions.
trait Real: Float + Number + CpuFloat + RowTransform {}

impl Real for f32 {}
impl Real for f64 {}

/// An element of Fourier transforms: a float or a complex number.
#[diagnostic::on_unimplemented(message = "`{Self}` has no Fourier transform", label = "not `f32`, `f64` or a complex number of these")]
pub trait FourierElement: Element + Sealed {
    /// The type of its parts.
    type Float: FourierFloat;
    /// What its transform consists of.
    type Complex: FourierElement<Float = Self::Float, Complex = Self::Complex>;

    #[doc(hidden)]
    fn transform(
        view: DeviceView<'_, Self>,
        axes: Option<Axes>,
        function: &'static str,
        inverse: bool,
    ) -> Result<DeviceArray<Self::Complex>>;

    #[doc(hidden)]
    fn inverse_of_floats(
        view: DeviceView<'_, Self>,
        axes: Option<Axes>,
        len: usize,
        function: &'static str,
    ) -> Result<DeviceArray<Self::Float>>;
}

/// A float that Fourier transforms take: `f32` and `f64`.
#[diagnostic::on_unimplemented(message = "`{Self}` is not `f32` or `f64`", label = "use `fft` for complex numbers")]
pub trait FourierFloat: FourierElement<Float = Self> {
    #[doc(hidden)]
    fn transform_floats(view: DeviceView<'_, Self>, axes: Option<Axes>, function: &'static str) -> Result<DeviceArray<Self::Complex>>;

    #[doc(hidden)]
    fn convolve(x: DeviceView<'_, Self>, weights: DeviceView<'_, Self>) -> Result<DeviceArray<Self>>;
}

macro_rules! elements {
    ($($R:ty)*) => {$(
        elements! { @element $R, $R, view, from_floats(view)?.view() }
        elements! { @element $R, Complex<$R>, view, view }

        impl FourierFloat for $R {
            #[track_caller]
            fn transform_floats(view: DeviceView<'_, Self>, axes: Option<Axes>, function: &'static str) -> Result<DeviceArray<Complex<Self>>> {
                transform_floats(view, axes, function)
            }

            #[track_caller]
            fn convolve(x: DeviceView<'_, Self>, weights: DeviceView<'_, Self>) -> Result<DeviceArray<Self>> {
                let len = x.len() + weights.len() - 1;
                let fast = fast_len(len);
                let (x, weights) = (x.pad_axis(0, 0, fast - x.len(), 0.0)?, weights.pad_axis(0, 0, fast - weights.len(), 0.0)?);
                collected((x.rfft()? * weights.rfft()?).irfft(fast)?.slice(..len).lazy())
            }
        }
    )*};
    (@element $R:ty, $T:ty, $view:ident, $complex:expr) => {
        impl FourierElement for $T {
            type Float = $R;
            type Complex = Complex<$R>;

            #[track_caller]
            fn transform(
                $view: DeviceView<'_, Self>,
                axes: Option<Axes>,
                function: &'static str,
                inverse: bool,
            ) -> Result<DeviceArray<Complex<$R>>> {
                let axes = checked_axes($view.shape(), axes, function)?;
                check_extents($view.shape(), &axes, function)?;
                transform_scaled($complex, &axes, inverse)
            }

            #[track_caller]
            fn inverse_of_floats(
                $view: DeviceView<'_, Self>,
                axes: Option<Axes>,
                len: usize,
                function: &'static str,
            ) -> Result<DeviceArray<$R>> {
                inverse_of_floats($complex, axes, len, function)
            }
        }
    };
}

elements! { f32 f64 }

/// Floats as complex numbers.
#[track_caller]
fn from_floats<R: Real>(view: DeviceView<'_, R>) -> Result<DeviceArray<Complex<R>>>
where
    Complex<R>: Element,
{
    let pairs: Vec<usize> = view.shape().extents().iter().copied().chain([2]).collect();
    let mut parts =
        DeviceArray::<R>::unspecified(view.device(), Shape::from_extents(&pairs).ok_or(Error::TooManyAxes { rank: pairs.len() })?)?;
    let axis = view.rank();
    parts.view_mut().index_axis(axis, 0).copy_from(view)?;
    parts.view_mut().index_axis(axis, 1).fill(<R as Num>::ZERO)?;
    parts.into_complex().reshape(view.shape())
}

/// What a transform of `T` consists of.
type ComplexOf<T> = <T as FourierElement>::Complex;

/// Fourier transforms: `np.fft`. Forward transforms are not scaled, and inverse ones are divided by the number of elements.
///
/// With the feature `fft`. They call cuFFT on a GPU, and the crates rustfft and realfft on the CPU. Any length works; lengths without
/// large prime factors are fast. If cuFFT is missing, a kernel of this crate transforms axes of 8, 16, 32, … 2048 elements.
///
/// ```
/// use gpu_runtime::prelude::*;
/// use num_complex::Complex;
///
/// let x = Device::cpu().to_device(&[1.0f64, 2.0, 0.0, -1.0])?;
/// let spectrum = x.rfft()?; // NumPy: np.fft.rfft(x)
/// assert_eq!(spectrum.to_host()?, [Complex::new(2.0, 0.0), Complex::new(1.0, -3.0), Complex::new(0.0, 0.0)]);
/// assert_eq!(spectrum.irfft(4)?.to_host()?, [1.0, 2.0, 0.0, -1.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::EmptyReduction`] if an axis to transform has no elements, [`Error::AxisOutOfRange`] and [`Error::RepeatedAxis`],
/// [`Error::NoAxes`] of transforms from and to floats, one of whose axes has half of the elements,
/// [`Error::LibraryNotFound`] on a GPU without cuFFT for other lengths, and as for [`collect`](crate::Lazy::collect).
pub trait Fourier: ArrayLike {
    /// The transform along the last axis: `np.fft.fft(x)`.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    fn fft(self) -> Result<DeviceArray<ComplexOf<Self::Item>>>
    where
        Self::Item: FourierElement,
    {
        let lazy = self.lazy();
        FourierElement::transform(lazy.stored()?.view(), None, "fft", false)
    }

    /// The transform along these axes: `np.fft.fftn(x, axes=axes)`.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    fn fft_axes(self, axes: impl Into<Axes>) -> Result<DeviceArray<ComplexOf<Self::Item>>>
    where
        Self::Item: FourierElement,
    {
        let lazy = self.lazy();
        FourierElement::transform(lazy.stored()?.view(), Some(axes.into()), "fft_axes", false)
    }

    /// The inverse transform along the last axis: `np.fft.ifft(x)`.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    fn ifft(self) -> Result<DeviceArray<ComplexOf<Self::Item>>>
    where
        Self::Item: FourierElement,
    {
        let lazy = self.lazy();
        FourierElement::transform(lazy.stored()?.view(), None, "ifft", true)
    }

    /// The inverse transform along these axes: `np.fft.ifftn(x, axes=axes)`.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    fn ifft_axes(self, axes: impl Into<Axes>) -> Result<DeviceArray<ComplexOf<Self::Item>>>
    where
        Self::Item: FourierElement,
    {
        let lazy = self.lazy();
        FourierElement::transform(lazy.stored()?.view(), Some(axes.into()), "ifft_axes", true)
    }

    /// The transform of floats along the last axis, of which the result has the first half, `n / 2 + 1` elements: `np.fft.rfft(x)`. The
    /// others are the conjugates of these.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    fn rfft(self) -> Result<DeviceArray<ComplexOf<Self::Item>>>
    where
        Self::Item: FourierFloat,
    {
        let lazy = self.lazy();
        FourierFloat::transform_floats(lazy.stored()?.view(), None, "rfft")
    }

    /// The same along these axes, with the first half along the last one of them: `np.fft.rfftn(x, axes=axes)`.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    fn rfft_axes(self, axes: impl Into<Axes>) -> Result<DeviceArray<ComplexOf<Self::Item>>>
    where
        Self::Item: FourierFloat,
    {
        let lazy = self.lazy();
        FourierFloat::transform_floats(lazy.stored()?.view(), Some(axes.into()), "rfft_axes")
    }

    /// The inverse of [`rfft`](Self::rfft), with `len` elements along the last axis: `np.fft.irfft(x, len)`.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if the last axis does not have `len / 2 + 1` elements, and as listed above.
    #[track_caller]
    fn irfft(self, len: usize) -> Result<DeviceArray<<Self::Item as FourierElement>::Float>>
    where
        Self::Item: FourierElement,
    {
        let lazy = self.lazy();
        FourierElement::inverse_of_floats(lazy.stored()?.view(), None, len, "irfft")
    }

    /// The inverse of [`rfft_axes`](Self::rfft_axes), with `len` elements along the last one of the axes: `np.fft.irfftn`.
    ///
    /// # Errors
    ///
    /// As for [`irfft`](Self::irfft).
    #[track_caller]
    fn irfft_axes(self, axes: impl Into<Axes>, len: usize) -> Result<DeviceArray<<Self::Item as FourierElement>::Float>>
    where
        Self::Item: FourierElement,
    {
        let lazy = self.lazy();
        FourierElement::inverse_of_floats(lazy.stored()?.view(), Some(axes.into()), len, "irfft_axes")
    }

    /// The [convolution](crate::Signals::convolve) of two arrays with one axis, by Fourier transforms: `scipy.signal.fftconvolve(x, weights)`.
    ///
    /// It takes n · log n steps, where `convolve` takes one for each pair of an element and a weight. The error of each result is relative to the
    /// largest ones, and an infinity or NaN makes all of them NaN.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let x = device.to_device(&[1.0f64, 2.0, 3.0])?.fft_convolve(&device.to_device(&[0.0, 1.0, 0.5])?)?;
    /// assert!((x - device.to_device(&[0.0, 1.0, 2.5, 4.0, 1.5])?).abs().max()? < 1e-12);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if one of them has more axes or fewer than one, or no elements, and as listed above.
    #[track_caller]
    fn fft_convolve(self, weights: impl ArrayLike<Item = Self::Item>) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: FourierFloat,
    {
        let (x, weights) = (self.lazy(), weights.lazy());
        let (shape, of_weights) = (x.shape()?, weights.shape()?);
        if shape.rank() != 1 || of_weights.rank() != 1 || shape == [0] || of_weights == [0] {
            return Err(Error::shape_mismatch("fft_convolve", shape, of_weights, "both have one axis and at least one element"));
        }
        let (x, weights) = (x.stored_with(&weights)?, weights.stored_with(&x)?);
        FourierFloat::convolve(x.view(), weights.view())
    }
}

give_to_arrays! { Fourier }

/// The least length of at least `len` without a prime factor above 5.
fn fast_len(len: usize) -> usize {
    let is_fast = |mut len: usize| {
        for factor in [2, 3, 5] {
            while len.is_multiple_of(factor) {
                len /= factor;
            }
        }
        len == 1
    };
    (len..).find(|&len| is_fast(len)).expect("powers of two go on")
}

/// How many axes cuFFT transforms at once.
const MOST_AXES: usize = 3;

/// The axes to transform: the last one if none are named.
#[track_caller]
fn checked_axes(shape: Shape, axes: Option<Axes>, function: &'static str) -> Result<Vec<usize>> {
    match axes {
        Some(axes) => axes.checked(function, shape),
        None => Axes::from(-1).checked(function, shape),
    }
}

/// The axis of which a spectrum of floats has the first half.
#[track_caller]
fn last_axis(axes: &[usize], function: &'static str) -> Result<usize> {
    axes.last().copied().ok_or(Error::NoAxes { function, location: Location::caller() })
}

#[track_caller]
fn check_extents(shape: Shape, axes: &[usize], function: &'static str) -> Result<()> {
    match axes.iter().any(|&axis| shape.extents()[axis] == 0) {
        true => Err(Error::EmptyReduction { function, location: Location::caller() }),
        false => Ok(()),
    }
}

/// The transform of complex numbers, the inverse one divided by the number of elements.
#[track_caller]
fn transform_scaled<R: Real>(array: DeviceView<'_, Complex<R>>, axes: &[usize], inverse: bool) -> Result<DeviceArray<Complex<R>>>
where
    Complex<R>: Element,
{
    if !inverse {
        return transform_complex(array, axes, Kind::ComplexForward);
    }
    let count = count(array.shape(), axes);
    let mut parts = transform_complex(array, axes, Kind::ComplexInverse)?.into_parts();
    divide(&mut parts, count)?;
    Ok(parts.into_complex())
}

/// How many elements a transform along these axes has.
fn count(shape: Shape, axes: &[usize]) -> usize {
    axes.iter().map(|&axis| shape.extents()[axis]).product()
}

#[track_caller]
fn divide<R: Real>(array: &mut DeviceArray<R>, count: usize) -> Result<()> {
    scale(array.view_mut(), <R as Num>::ONE / count.cast::<R>())
}

/// The transform of complex numbers along these axes, not scaled.
#[track_caller]
fn transform_complex<R: Real>(view: DeviceView<'_, Complex<R>>, axes: &[usize], kind: Kind) -> Result<DeviceArray<Complex<R>>>
where
    Complex<R>: Element,
{
    let mut chunks = axes.chunks(MOST_AXES);
    let Some(first) = chunks.next() else { return lazy(view).collect() };
    let first = transform_last(view, first, kind)?;
    chunks.try_fold(first, |array, some| transform_last(array.view(), some, kind))
}

/// Whether [`ours`] transforms the last axes on a GPU, because cuFFT is missing.
fn ours_transforms(shape: Shape, axes: usize) -> bool {
    !cufft::is_installed() && shape.extents()[shape.rank() - axes..].iter().all(|&len| ours::transforms(len))
}

/// The same along as many axes as one transform has.
#[track_caller]
fn transform_last<R: Real>(view: DeviceView<'_, Complex<R>>, axes: &[usize], kind: Kind) -> Result<DeviceArray<Complex<R>>>
where
    Complex<R>: Element,
{
    let order = order_with_last(view.rank(), axes);
    let view = view.permute(&order);
    let transformed = if view.is_empty() || !view.device().is_gpu() {
        let array = lazy(view).collect()?;
        if array.is_empty() { array } else { cpu::transform(array, axes.len(), kind)? }
    } else if ours_transforms(view.shape(), axes.len()) {
        ours::transform(view, axes.len(), kind)?
    } else if view.is_contiguous() {
        let mut spectrum = DeviceArray::unspecified(view.device(), view.shape())?;
        gpu::transform(view, &mut spectrum, axes.len(), kind)?;
        spectrum
    } else {
        let mut array = lazy(view).collect()?;
        gpu::transform_in_place(&mut array, axes.len(), kind)?;
        array
    };
    permuted(transformed, &inverse(&order))
}

#[track_caller]
fn transform_floats<R: Real>(view: DeviceView<'_, R>, axes: Option<Axes>, function: &'static str) -> Result<DeviceArray<Complex<R>>>
where
    Complex<R>: Element,
{
    let axes = checked_axes(view.shape(), axes, function)?;
    last_axis(&axes, function)?;
    check_extents(view.shape(), &axes, function)?;
    // The last axis is one of the first transform: the others are of complex numbers.
    let (others, some) = axes.split_at(axes.len().saturating_sub(MOST_AXES));
    let order = order_with_last(view.rank(), some);
    let moved = Stored::Array(view.permute(&order));
    let moved = Contiguous::of(&moved)?;
    let moved = moved.view();
    let mut extents = moved.shape().extents().to_vec();
    let last = extents.last_mut().expect("an axis of the transform");
    *last = *last / 2 + 1;
    let mut spectrum = DeviceArray::unspecified(view.device(), Shape::from_extents(&extents).expect("as many axes"))?;
    if !spectrum.is_empty() {
        match view.device().is_gpu() {
            true if ours_transforms(moved.shape(), some.len()) => spectrum = ours::transform_floats(moved, some.len())?,
            true => gpu::transform_floats(moved, &mut spectrum, some.len())?,
            false => spectrum = cpu::transform_floats(moved, spectrum, some.len())?,
        }
    }
    let spectrum = permuted(spectrum, &inverse(&order))?;
    if others.is_empty() { Ok(spectrum) } else { transform_complex(spectrum.view(), others, Kind::ComplexForward) }
}

#[track_caller]
fn inverse_of_floats<R: Real>(
    spectrum: DeviceView<'_, Complex<R>>,
    axes: Option<Axes>,
    len: usize,
    function: &'static str,
) -> Result<DeviceArray<R>>
where
    Complex<R>: Element,
{
    let shape = spectrum.shape();
    let axes = checked_axes(shape, axes, function)?;
    let last = last_axis(&axes, function)?;
    let mut extents = shape.extents().to_vec();
    extents[last] = len;
    let of_floats = Shape::from_extents(&extents).expect("as many axes");
    if shape.extents()[last] != len / 2 + 1 {
        let help = format!("floats with {len} elements along axis {last} have a spectrum with {}", len / 2 + 1);
        return Err(Error::shape_mismatch(function, shape, of_floats, help));
    }
    check_extents(of_floats, &axes, function)?;
    let (others, some) = axes.split_at(axes.len().saturating_sub(MOST_AXES));
    // A copy, which cuFFT may overwrite.
    let spectrum = transform_complex(spectrum, others, Kind::ComplexInverse)?;
    let order = order_with_last(shape.rank(), some);
    let moved = permuted(spectrum, &order)?;
    let extents: Vec<usize> = order.iter().map(|&axis| of_floats.extents()[axis]).collect();
    let mut floats = DeviceArray::unspecified(moved.device(), Shape::from_extents(&extents).expect("as many axes"))?;
    if !floats.is_empty() {
        match moved.device().is_gpu() {
            true if ours_transforms(floats.shape(), some.len()) => floats = ours::inverse_of_floats(moved, floats.shape(), some.len())?,
            true => gpu::inverse_of_floats(moved, &mut floats, some.len())?,
            false => cpu::inverse_of_floats(moved, &mut floats, some.len())?,
        }
    }
    divide(&mut floats, count(of_floats, &axes))?;
    permuted(floats, &inverse(&order))
}

/// The axes in an order with `last` at the end.
fn order_with_last(rank: usize, last: &[usize]) -> Vec<usize> {
    (0..rank).filter(|axis| !last.contains(axis)).chain(last.iter().copied()).collect()
}

/// The order that undoes another.
fn inverse(order: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; order.len()];
    order.iter().enumerate().for_each(|(new, &old)| inverse[old] = new);
    inverse
}

/// The elements in C order of the axes in another order.
#[track_caller]
fn permuted<T: Element>(array: DeviceArray<T>, order: &[usize]) -> Result<DeviceArray<T>> {
    if order.is_sorted() { Ok(array) } else { lazy(array.view().permute(order)).collect() }
}
