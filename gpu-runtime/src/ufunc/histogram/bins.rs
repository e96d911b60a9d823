//! The bin of an element: by exact edges, or by its value.

use std::ops::RangeInclusive;
use std::panic::Location;

use super::{Binning, cuda};
use crate::backend::cpu::{Stop, Thread};
use crate::failure::called_or;
use crate::ops::arithmetic::sealed::Sealed;
use crate::source::Element;
use crate::ufunc::folded::Consumer;
use crate::ufunc::scatter::{IndexElement, OUT_OF_BOUNDS};
use crate::{Error, Result};

/// The element types of [`Histograms::histogram`](crate::Histograms::histogram): the integers and the floats.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` have no histogram",
    label = "not an integer, `f32` or `f64`",
    note = "convert the elements first, such as `array.cast::<f32>()`"
)]
pub trait BinElement: Element + Sealed {
    /// Whether edges are rounded to `f32`, as NumPy does for elements of that type.
    #[doc(hidden)]
    const SINGLE: bool;

    /// The number as `f64`, rounded if necessary: NumPy compares this value with the edges.
    #[doc(hidden)]
    fn to_f64(self) -> f64;
}

macro_rules! bin_elements {
    ($($T:ident: $single:literal),*) => {
        $(
            impl BinElement for $T {
                const SINGLE: bool = $single;

                #[inline(always)]
                fn to_f64(self) -> f64 {
                    self as f64
                }
            }
        )*
    };
}

bin_elements!(u8: false, u16: false, u32: false, u64: false, usize: false, i8: false, i16: false, i32: false, i64: false);
bin_elements!(isize: false, f32: true, f64: false);

/// Bins of equal width.
///
/// The bin of a value is where it lies between the edges, and nothing else: a guess, by scaling, is corrected by comparing
/// with the edges next to it. Edges are strictly increasing, so that the result does not depend on how good the guess was,
/// and is the same on every device.
#[derive(Debug)]
pub(super) struct Bins {
    first: f64,
    last: f64,
    /// The distance of edges.
    step: f64,
    /// All of them, one more than there are bins.
    edges: Vec<f64>,
    single: bool,
}

impl Bins {
    #[track_caller]
    pub(super) fn new<T: BinElement>(bins: usize, range: RangeInclusive<f64>) -> Result<Self> {
        let (first, last) = range.into_inner();
        let location = Location::caller();
        let function = called_or("histogram");
        let refuse = |reason| Err(Error::Bins { function, bins, first, last, reason, location });
        if bins == 0 {
            return refuse("there must be at least one bin");
        }
        if !(last - first).is_finite() {
            return refuse("the edges and their distance must be finite");
        }
        if first > last {
            return refuse("the first edge must not be greater than the last");
        }
        let (first, last) = if first == last { (first - 0.5, last + 0.5) } else { (first, last) };
        let step = (last - first) / bins as f64;
        let round = |edge: f64| if T::SINGLE { f64::from(edge as f32) } else { edge };
        let mut edges = Vec::new();
        edges
            .try_reserve_exact(bins.saturating_add(1))
            .map_err(|_| Error::OutOfMemory { device: "the host".to_owned(), bytes: bins.saturating_mul(size_of::<f64>()) })?;
        edges.extend((0..bins).map(|bin| round(bin as f64 * step + first)));
        edges.push(round(last));
        if edges.windows(2).any(|pair| pair[0] >= pair[1]) {
            return refuse("the elements' type has too few numbers between them for so many edges");
        }
        Ok(Self { first, last, step, edges, single: T::SINGLE })
    }

    pub(super) fn into_edges(self) -> Vec<f64> {
        self.edges
    }

    /// Bins in one unit of the value.
    fn scale(&self) -> f64 {
        (self.edges.len() - 1) as f64 / (self.last - self.first)
    }
}

/// The name of a histogram's kernel.
pub(super) struct Histogram;

impl Consumer for Histogram {
    const NAME: &'static str = "histogram";
    const FMAD: bool = true;
}

impl<T: BinElement> Binning<T> for Bins {
    type Name = Histogram;
    const BY: cuda::By = if T::SINGLE { cuda::By::SingleEdges } else { cuda::By::Edges };

    fn count(&self) -> usize {
        self.edges.len() - 1
    }

    #[inline]
    fn bin(&self, value: T, _: &Thread<'_>) -> std::result::Result<Option<usize>, Stop> {
        let (value, bins) = (value.to_f64(), self.edges.len() - 1);
        // Not the reverse comparisons: NaN is in no bin.
        if !(value >= self.edges[0] && value <= self.edges[bins]) {
            return Ok(None);
        }
        let mut bin = (((value - self.first) * self.scale()) as usize).min(bins - 1);
        while bin > 0 && value < self.edges[bin] {
            bin -= 1;
        }
        while bin + 1 < bins && value >= self.edges[bin + 1] {
            bin += 1;
        }
        Ok(Some(bin))
    }

    /// In the elements' precision, with a margin.
    ///
    /// It rounds the first edge, the difference from it, the scale and their product, and the edges are rounded too: each by
    /// at most half a unit in the last place of the range or of the farther edge. Where one of them overflows in that precision, a guess
    /// may be any number, and the margin is none that is small: infinite, or NaN.
    fn margin(&self) -> f64 {
        let (unit, range, scale) = match self.single {
            true => (f64::from(f32::EPSILON), f64::from(self.last as f32 - self.first as f32), f64::from(self.scale() as f32)),
            false => (f64::EPSILON, self.last - self.first, self.scale()),
        };
        let farthest = self.first.abs().max(self.last.abs());
        4.0 * unit * (range + farthest) * scale
    }

    fn words(&self) -> Vec<u64> {
        let real = |number: f64| if self.single { u64::from((number as f32).to_bits()) } else { number.to_bits() };
        let edges = [self.first, self.last, self.step].map(f64::to_bits);
        edges.into_iter().chain([self.first, self.last, self.scale(), Binning::<T>::margin(self)].map(real)).collect()
    }
}

/// A bin for each of the first so many numbers.
pub(super) struct Numbers(pub(super) usize);

/// The name of the kernel that counts numbers.
pub(super) struct Bincount;

impl Consumer for Bincount {
    const NAME: &'static str = "bincount";
    const FMAD: bool = true;
}

impl<T: IndexElement> Binning<T> for Numbers {
    type Name = Bincount;
    const BY: cuda::By = cuda::By::Number;

    fn count(&self) -> usize {
        self.0
    }

    #[inline]
    fn bin(&self, value: T, thread: &Thread<'_>) -> std::result::Result<Option<usize>, Stop> {
        thread.in_function(&OUT_OF_BOUNDS).index(value.to_index() as usize, self.0, 0).map(Some)
    }

    fn words(&self) -> Vec<u64> {
        Vec::new()
    }
}

/// The same, without the other numbers.
pub(super) struct NumbersBelow(pub(super) usize);

impl<T: IndexElement> Binning<T> for NumbersBelow {
    type Name = Bincount;
    const BY: cuda::By = cuda::By::NumberBelow;

    fn count(&self) -> usize {
        self.0
    }

    #[inline]
    fn bin(&self, value: T, _: &Thread<'_>) -> std::result::Result<Option<usize>, Stop> {
        let bin = value.to_index() as usize;
        Ok((bin < self.0).then_some(bin))
    }

    fn words(&self) -> Vec<u64> {
        Vec::new()
    }
}
