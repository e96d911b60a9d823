//! New arrays with given elements.

use super::{ArrayMut, Elementwise, iota};
use crate::Result;
use crate::device::Device;
use crate::functions::sequence;
use crate::memory::{DeviceArray, Shape};
use crate::scalar::{Float, Num};
use crate::source::Element;

/// # Arrays with given elements
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// assert_eq!(device.full([2, 2], 7)?.to_host()?, [7; 4]);
/// assert_eq!(device.ones::<f32>(3)?.to_host()?, [1.0; 3]);
/// assert_eq!(device.eye::<u8>(2)?.to_host()?, [1, 0, 0, 1]);
/// assert_eq!(device.arange(1, 10, 3)?.to_host()?, [1, 4, 7]);
/// assert_eq!(device.linspace(0.0, 1.0, 5)?.to_host()?, [0.0, 0.25, 0.5, 0.75, 1.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
impl Device {
    /// A new array with this value for each element: `np.full(shape, value)`.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), and [`Error::Compile`](crate::Error::Compile) on a GPU.
    #[track_caller]
    pub fn full<T: Element>(&self, shape: impl Into<Shape>, value: T) -> Result<DeviceArray<T>> {
        let mut array = DeviceArray::unspecified(self, shape.into())?;
        array.fill(value)?;
        Ok(array)
    }

    /// A new array of ones: `np.ones(shape)`.
    ///
    /// # Errors
    ///
    /// As for [`full`](Self::full).
    #[track_caller]
    pub fn ones<T: Num>(&self, shape: impl Into<Shape>) -> Result<DeviceArray<T>> {
        self.full(shape, T::ONE)
    }

    /// The identity matrix with `n` rows and columns: `np.eye(n)`.
    ///
    /// # Errors
    ///
    /// As for [`full`](Self::full).
    #[track_caller]
    pub fn eye<T: Num>(&self, n: usize) -> Result<DeviceArray<T>> {
        iota(n).insert_axis(1).eq(iota(n)).select(T::ONE, T::ZERO).on(self).collect()
    }

    /// The numbers from `start` on, before `stop`, each by `step` more than the one before: `np.arange(start, stop, step)`.
    ///
    /// There are ⌈(stop − start) / step⌉ of them, which is exact for integers and computed in `f64` for floats; none if that is negative
    /// or NaN. Floats are computed in `f64` and rounded at the end.
    ///
    /// # Errors
    ///
    /// As for [`full`](Self::full).
    ///
    /// # Panics
    ///
    /// If `step` is 0.
    #[track_caller]
    pub fn arange<T: Num>(&self, start: T, stop: T, step: T) -> Result<DeviceArray<T>> {
        assert!(step != T::ZERO, "`arange` from {start} to {stop} has a step of 0");
        let mut array = DeviceArray::unspecified(self, steps(start, stop, step).into())?;
        sequence::map(iota(array.len()), start, step).collect_into(&mut array)?;
        Ok(array)
    }

    /// `count` numbers at equal distances, from `first` to `last`, both included: `np.linspace(first, last, count)`. As in NumPy, they are
    /// computed in `f64` and rounded at the end.
    ///
    /// # Errors
    ///
    /// As for [`full`](Self::full).
    #[track_caller]
    pub fn linspace<T: Float>(&self, first: T, last: T, count: usize) -> Result<DeviceArray<T>> {
        let mut array = DeviceArray::unspecified(self, count.into())?;
        let (start, stop, steps) = (first.cast::<f64>(), last.cast::<f64>(), count.saturating_sub(1).max(1) as f64);
        // All of half the size where the distance overflows.
        let scale = if (stop - start).is_infinite() { 2.0 } else { 1.0 };
        let (start, stop) = (start / scale, stop / scale);
        (sequence::map(iota(count), start, (stop - start) / steps) * scale).cast::<T>().collect_into(&mut array)?;
        if count > 1 {
            array.slice_mut(count - 1..).fill(last)?;
        }
        Ok(array)
    }
}

/// How many steps there are from `start` to `stop`.
fn steps<T: Num>(start: T, stop: T, step: T) -> usize {
    let is_float = T::ONE / (T::ONE + T::ONE) != T::ZERO;
    if is_float {
        return ((stop.cast::<f64>() - start.cast::<f64>()) / step.cast::<f64>()).ceil() as usize;
    }
    // Each type fits one of the two.
    let wide = |number: T| match T::MIN == T::ZERO {
        true => i128::from(number.cast::<u64>()),
        false => i128::from(number.cast::<i64>()),
    };
    let (distance, step) = (wide(stop) - wide(start), wide(step));
    if distance.signum() != step.signum() {
        return 0;
    }
    usize::try_from(distance.unsigned_abs().div_ceil(step.unsigned_abs())).unwrap_or(usize::MAX)
}
