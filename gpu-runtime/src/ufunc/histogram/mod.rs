//! Histograms: with bins of equal width, or with one bin for each integer.

mod bins;
mod cpu;
mod cuda;

pub use bins::BinElement;
pub(crate) use cuda::HistogramKernel;

use std::ops::RangeInclusive;
use std::panic::Location;

use bins::Bins;

use super::array_like::give_to_arrays;
use super::collect::Request;
use super::folded::Consumer;
use super::plan::Plan;
use super::scatter::IndexElement;
use super::{ArrayLike, Expression, Lazy};
use crate::Result;
use crate::backend::Access;
use crate::backend::cpu::{Stop, Thread};
use crate::memory::DeviceArray;

/// Tells where an element is counted: by edges, or by its value.
trait Binning<T>: Sync {
    /// What the kernel is called.
    type Name: Consumer;
    /// Which text tells the bin of an element.
    const BY: cuda::By;

    /// How many bins there are.
    fn count(&self) -> usize;

    /// The bin of an element, if it is in one.
    fn bin(&self, value: T, thread: &Thread<'_>) -> std::result::Result<Option<usize>, Stop>;

    /// The most by which a guess of a bin by arithmetic is wrong, in bins.
    fn margin(&self) -> f64 {
        0.0
    }

    /// The parameters of the kernel, besides the number of bins.
    fn words(&self) -> Vec<u64>;
}

/// Counts of the elements of arrays: histograms.
pub trait Histograms: ArrayLike {
    /// The number of elements in each of `bins` bins of equal width: `np.histogram(x, bins, range)[0]`, for an array of any shape.
    ///
    /// Bin `b` begins at `edge(b)` and ends before `edge(b + 1)`; the last one includes its end. `edge(b)` is
    /// `b as f64 * ((last - first) / bins as f64) + first`, and `last` for the end of the last bin, rounded to `f32` if the elements are
    /// `f32`; these are the edges of `np.linspace`. Values outside of the range, and NaN, are not counted. As in NumPy, a range of one
    /// value is widened by 0.5 on both sides.
    ///
    /// The counts are exact, and the same on every device.
    ///
    /// # Errors
    ///
    /// [`Error::Bins`](crate::Error::Bins) if there are no bins, if the range is empty or not finite, or if it is too narrow for the number
    /// of edges. Also as for [`collect`](Lazy::collect).
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[0.0f32, 0.1, 0.25, 0.99, 1.0, 1.1, f32::NAN])?;
    /// let counts = x.histogram(4, 0.0..=1.0)?;
    /// assert_eq!(counts.to_host()?, [2, 1, 0, 2]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[track_caller]
    fn histogram(self, bins: usize, range: RangeInclusive<f64>) -> Result<DeviceArray<u64>>
    where
        Self::Item: BinElement,
    {
        count(&self.lazy(), &Bins::new::<Self::Item>(bins, range)?)
    }

    /// The number of occurrences of each of the numbers `0..bins`: `np.bincount(x, minlength=bins)`, for an array of any shape.
    ///
    /// Unlike NumPy's, the result has exactly `bins` elements. Other numbers are an error.
    ///
    /// # Errors
    ///
    /// As for [`collect`](Lazy::collect). The next call that waits reports a number that is negative or at least `bins`, with `bins`.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[2u32, 0, 2, 2])?;
    /// assert_eq!(x.bincount(4)?.to_host()?, [1, 0, 3, 0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[track_caller]
    fn bincount(self, bins: usize) -> Result<DeviceArray<u64>>
    where
        Self::Item: IndexElement,
    {
        count(&self.lazy(), &bins::Numbers(bins))
    }
}

give_to_arrays! { Histograms }

/// The edges of the bins of [`histogram`](Histograms::histogram), one more than there are bins.
#[track_caller]
pub(crate) fn bin_edges<T: BinElement>(bins: usize, range: RangeInclusive<f64>) -> Result<Vec<f64>> {
    Bins::new::<T>(bins, range).map(Bins::into_edges)
}

/// The number of occurrences of each of the numbers `0..bins`; other numbers are not counted.
#[track_caller]
pub(crate) fn count_below<E: Expression<Item: IndexElement>>(lazy: &Lazy<E>, bins: usize) -> Result<DeviceArray<u64>> {
    count(lazy, &bins::NumbersBelow(bins))
}

#[track_caller]
fn count<E: Expression, B: Binning<E::Item>>(lazy: &Lazy<E>, binning: &B) -> Result<DeviceArray<u64>> {
    let mut request = Request::new(B::Name::NAME, lazy.inputs(), Location::caller())?;
    let mut counts = request.device.zeros::<u64>(binning.count())?;
    if request.len == 0 {
        return Ok(counts);
    }
    let _copies = request.bring_inputs()?;
    let plan = Plan::of(request.shape, &request.inputs.list, &[]);
    let inputs = &request.inputs.list;
    let target = counts.slice_mut(..).pointer();
    request.targets.push(counts.view().memory_use(Access::Write));
    request.execute(
        || {
            // SAFETY: the operands of the plan are the inputs, in host memory.
            let counted = unsafe { cpu::count::<E::Code, B>(&plan, inputs, binning)? };
            // SAFETY: there is a count for each bin, in host memory.
            unsafe { counted.as_ptr().copy_to_nonoverlapping(target, counted.len()) };
            Ok(())
        },
        // SAFETY: as above, on this GPU.
        |launcher| unsafe { cuda::count::<E::Code, B>(launcher, &plan, inputs, binning, target.addr() as u64) },
    )?;
    Ok(counts)
}

#[cfg(test)]
mod tests;
