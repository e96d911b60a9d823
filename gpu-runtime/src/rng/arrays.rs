//! Arrays of random numbers.

use std::ops::{Bound, RangeBounds};

use super::{random_normal_f32, random_normal_f64, random_u64, random_uniform_f32, random_uniform_f64};
use crate::arrays::{Selections, Sorting};
use crate::device::Device;
use crate::memory::{DeviceArray, Shape};
use crate::scalar::{Float, Integer};
use crate::source::Element;
use crate::ufunc::{ArrayLike, Elementwise, Item, iota};
use crate::{Result, vectorize};

/// A generator of arrays of random numbers on a device: NumPy's and CuPy's `random.default_rng(seed)`, by Philox.
///
/// Each array takes the next stream of numbers of the seed, so that a program gives the same arrays in every run on a device. Element `i` of
/// the `n`-th array is `random_…(seed, n, i)`. Between a GPU and the CPU
///
/// * uniform numbers, integers, choices and permutations are the same;
/// * normal and exponential numbers differ by a few ulps;
/// * so do gamma and beta numbers, but for a rare element: one of its candidates is so near the limit that only one device takes it, and the
///   other device has another number;
/// * numbers of the Poisson and the binomial distribution, and choices by weights, are the same but for rare elements of that kind.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let mut random = device.random(42);
/// let x = random.uniform::<f32>([100, 100])?;
/// assert!(x.min()? >= 0.0 && x.max()? < 1.0 && (x.mean()? - 0.5).abs() < 0.02);
/// let noise = random.normal::<f64>(10_000)?;
/// assert!(noise.mean()?.abs() < 0.04 && (noise.std(0)? - 1.0).abs() < 0.04);
/// let dice = random.integers(1..=6, 1000)?;
/// assert_eq!((dice.min()?, dice.max()?), (1, 6));
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[derive(Debug)]
pub struct RandomArrays<'d> {
    device: &'d Device,
    seed: u64,
    /// The stream of the next array.
    stream: u32,
}

/// A float type of random arrays.
pub trait RandomFloat: Float + Item<Arrays = DeviceArray<Self>> {
    /// Numbers from 0 up to, but not including, 1.
    #[doc(hidden)]
    fn uniform(device: &Device, seed: u64, stream: u32, shape: Shape) -> Result<DeviceArray<Self>>;
    /// Numbers with mean 0 and standard deviation 1.
    #[doc(hidden)]
    fn normal(device: &Device, seed: u64, stream: u32, shape: Shape) -> Result<DeviceArray<Self>>;
}

macro_rules! random_floats {
    ($($T:ident $uniform:ident $normal:ident)*) => {$(
        impl RandomFloat for $T {
            #[inline]
            #[track_caller]
            fn uniform(device: &Device, seed: u64, stream: u32, shape: Shape) -> Result<DeviceArray<Self>> {
                $uniform::map(seed, stream, iota(shape).cast::<u64>()).on(device).collect()
            }

            #[inline]
            #[track_caller]
            fn normal(device: &Device, seed: u64, stream: u32, shape: Shape) -> Result<DeviceArray<Self>> {
                $normal::map(seed, stream, iota(shape).cast::<u64>()).on(device).collect()
            }
        }
    )*};
}

random_floats! {
    f32 random_uniform_f32 random_normal_f32
    f64 random_uniform_f64 random_normal_f64
}

impl Device {
    /// A generator of arrays of random numbers on this device: `np.random.default_rng(seed)`.
    pub fn random(&self, seed: u64) -> RandomArrays<'_> {
        RandomArrays { device: self, seed, stream: 0 }
    }
}

impl RandomArrays<'_> {
    /// Numbers from 0 up to, but not including, 1, all as likely: `rng.random(shape)`.
    ///
    /// # Errors
    ///
    /// As for [`collect`](crate::Lazy::collect).
    #[track_caller]
    pub fn uniform<T: RandomFloat>(&mut self, shape: impl Into<Shape>) -> Result<DeviceArray<T>> {
        T::uniform(self.device, self.seed, self.next_stream(), shape.into())
    }

    /// Numbers of the normal distribution with mean 0 and standard deviation 1: `rng.standard_normal(shape)`.
    ///
    /// # Errors
    ///
    /// As for [`collect`](crate::Lazy::collect).
    #[track_caller]
    pub fn normal<T: RandomFloat>(&mut self, shape: impl Into<Shape>) -> Result<DeviceArray<T>> {
        T::normal(self.device, self.seed, self.next_stream(), shape.into())
    }

    /// Integers of `range`, such as `0..10` or `1..=6`, all as likely: `rng.integers(low, high, shape)`. Without a start or an end, it goes from
    /// the smallest number of the type or to the largest one.
    ///
    /// # Panics
    ///
    /// If the range is empty, or has all 2⁶⁴ integers of a type.
    ///
    /// # Errors
    ///
    /// As for [`collect`](crate::Lazy::collect).
    #[track_caller]
    pub fn integers<T: Integer>(&mut self, range: impl RangeBounds<T>, shape: impl Into<Shape>) -> Result<DeviceArray<T>> {
        let low = match range.start_bound() {
            Bound::Included(&low) => low,
            Bound::Excluded(&before) => {
                assert!(before < T::MAX, "there are no integers after {before}");
                before + T::ONE
            }
            Bound::Unbounded => T::MIN,
        };
        let (end, last) = match range.end_bound() {
            Bound::Included(&last) => (last, true),
            Bound::Excluded(&end) => (end, false),
            Bound::Unbounded => (T::MAX, true),
        };
        assert!(low < end || last && low == end, "there are no integers from {low} up to {end}");
        let low = low.cast::<i64>();
        let span = (end.cast::<i64>().wrapping_sub(low) as u64).wrapping_add(u64::from(last));
        assert!(span != 0, "a range of all integers of 64 bits is not supported");
        // 2⁶⁴ modulo `span`: so many numbers of 64 bits are left over if each remainder has equally many.
        let left_over = (u64::MAX % span + 1) % span;
        let numbers = below::map(self.seed, self.next_stream(), iota(shape).cast::<u64>(), span, u64::MAX - left_over);
        (numbers.cast::<i64>() + low).cast::<T>().on(self.device).collect()
    }

    /// So many elements of `x` with one axis, each as likely, an element perhaps more than once: `rng.choice(x, count)`. For different ones,
    /// take the first of a [`permutation`](Self::permutation).
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let mut rng = device.random(7);
    /// let dice = rng.choice(&device.arange(1, 7, 1)?, 100)?;
    /// assert_eq!((dice.len(), dice.unique()?.to_host()?), (100, vec![1, 2, 3, 4, 5, 6]));
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there are no elements.
    ///
    /// # Errors
    ///
    /// As for [`take`](crate::Selections::take).
    // Large, and compiled only where it is used.
    #[inline]
    #[track_caller]
    pub fn choice<A: ArrayLike<Item: Element>>(&mut self, x: A, count: usize) -> Result<DeviceArray<A::Item>> {
        let x = x.lazy();
        let shape = x.shape()?;
        let len = shape.extents().first().copied().unwrap_or(0);
        assert!(len > 0, "`choice` of an array of shape {shape}, which has no elements along axis 0");
        x.take(self.integers(0..len, count)?.view())
    }

    /// The numbers `0..n` in random order: `rng.permutation(n)`.
    ///
    /// # Errors
    ///
    /// As for [`collect`](crate::Lazy::collect).
    // Large, and compiled only where it is used.
    #[inline]
    #[track_caller]
    pub fn permutation(&mut self, n: usize) -> Result<DeviceArray<usize>> {
        random_u64::map(self.seed, self.next_stream(), iota(n).cast::<u64>()).on(self.device).argsort()
    }

    /// The seed and the stream of the next array.
    pub(super) fn next(&mut self) -> (u64, u32) {
        (self.seed, self.next_stream())
    }

    pub(super) fn device(&self) -> &Device {
        self.device
    }

    fn next_stream(&mut self) -> u32 {
        let stream = self.stream;
        self.stream = stream.wrapping_add(1);
        stream
    }
}

/// The remainder by `span` of the first number of element `i` that is at most `last`: number `k` is that with the index `i + 2⁴⁰ k`.
#[vectorize]
fn below(seed: u64, stream: u32, i: u64, span: u64, last: u64) -> u64 {
    let mut index = i;
    let mut bits = random_u64(seed, stream, index);
    while bits > last {
        index = index.wrapping_add(1 << 40);
        bits = random_u64(seed, stream, index);
    }
    bits % span
}
