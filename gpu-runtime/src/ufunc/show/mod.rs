//! Arrays as text, as NumPy prints them: rows in brackets, aligned, and cut in the middle where there are many elements.

mod cells;
mod rows;

use std::fmt;
use std::ops::Range;

use super::ArrayLike;
use super::array_like::give_to_arrays;
use crate::Result;
use crate::memory::DeviceView;
use crate::source::Element;

/// With more elements, only the first and last of each axis are shown.
const MOST: usize = 1000;

/// Elements that are shown at each end of an axis.
const EDGE: usize = 3;

/// Arrays as text.
pub trait Show: ArrayLike {
    /// The array as text: `print(x)` is `println!("{}", x.show()?)`. Waits for all earlier operations on the device.
    ///
    /// Rows, precision and alignment are those of NumPy. Of more than 1000 elements, the first and last three along each axis are shown, and
    /// only these are copied to the host. A lazy array is computed.
    ///
    /// # Errors
    ///
    /// As for [`Lazy::collect`](super::Lazy::collect).
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[1.0, -0.5, 2.25, 10.0, 0.0, 3.0])?.reshape([2, 3])?;
    /// assert_eq!(x.show()?.to_string(), "\
    /// [[ 1.   -0.5   2.25]
    ///  [10.    0.    3.  ]]");
    /// let large = Device::cpu().arange(0, 1_000_000, 1)?;
    /// assert_eq!((&large * 2).show()?.to_string(), "[      0       2       4 ... 1999994 1999996 1999998]");
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[track_caller]
    fn show(self) -> Result<Shown>
    where
        Self::Item: Element + fmt::Debug,
    {
        let lazy = self.lazy();
        let stored = lazy.stored()?;
        let view = stored.view();
        let axes: Vec<_> = view.shape().extents().iter().map(|&extent| Axis::new(extent, view.len() > MOST)).collect();
        let cells = cells::cells(&elements_of(view, &axes)?);
        Ok(Shown(rows::rows(&axes, &cells)))
    }
}

give_to_arrays! { Show }

/// An array as text: [`Show::show`].
#[derive(Clone, PartialEq, Eq)]
pub struct Shown(String);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text, as [`Display`](fmt::Display) writes it.
impl fmt::Debug for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What is shown of an axis: all indices, or those at both ends.
struct Axis {
    first: Range<usize>,
    last: Range<usize>,
}

impl Axis {
    fn new(extent: usize, is_cut: bool) -> Self {
        match is_cut && extent > 2 * EDGE {
            true => Self { first: 0..EDGE, last: extent - EDGE..extent },
            false => Self { first: 0..extent, last: extent..extent },
        }
    }

    fn is_cut(&self) -> bool {
        !self.last.is_empty()
    }

    /// How many indices are shown.
    fn len(&self) -> usize {
        self.first.len() + self.last.len()
    }
}

/// The elements that are shown, in C order: each corner of the array is copied at once.
fn elements_of<T: Element>(view: DeviceView<'_, T>, axes: &[Axis]) -> Result<Vec<T>> {
    let mut corners = vec![(view, vec![])];
    for (number, axis) in axes.iter().enumerate() {
        let ends = [(0, &axis.first), (axis.first.len(), &axis.last)].into_iter().take(if axis.is_cut() { 2 } else { 1 });
        let mut halves = Vec::new();
        for (view, starts) in corners {
            halves.extend(ends.clone().map(|(start, range)| (view.slice_axis(number, range.clone()), [&starts[..], &[start]].concat())));
        }
        corners = halves;
    }
    let mut elements = Vec::new();
    for (view, starts) in corners {
        let extents = view.shape();
        for (mut number, element) in view.to_host()?.into_iter().enumerate() {
            let (mut place, mut stride) = (0, 1);
            for (axis, &extent) in extents.extents().iter().enumerate().rev() {
                place += (starts[axis] + number % extent) * stride;
                stride *= axes[axis].len();
                number /= extent;
            }
            elements.push((place, element));
        }
    }
    elements.sort_by_key(|&(place, _)| place);
    Ok(elements.into_iter().map(|(_, element)| element).collect())
}

#[cfg(test)]
mod tests;
