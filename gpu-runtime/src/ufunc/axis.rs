//! The axes that a function works along, and an array as seen from them.

use std::ops::RangeFull;
use std::panic::Location;

use super::input::Input;
use crate::failure::called_or;
use crate::memory::{Axis, MAX_RANK, Shape};
use crate::{Error, Result};

/// The axes of a reduction: one as a number, several as an array, all of them as `..`, and whether [to keep them](keep_dims). Negative numbers
/// count [from the end](Axis).
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let x = Device::cpu().to_device(&[1, 2, 3, 4, 5, 6, 7, 8])?.reshape([2, 2, 2])?;
/// assert_eq!(x.sum_axis(0)?.to_host()?, [6, 8, 10, 12]);
/// assert_eq!(x.sum_axis([0, -1])?.to_host()?, [14, 22]);
/// assert_eq!(x.sum_axis(..)?.to_host()?, [36]);
/// assert_eq!(x.sum_axis(keep_dims([0, 2]))?.shape(), [1, 2, 1]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Axes {
    /// The axes, as many as `count`.
    list: [isize; MAX_RANK],
    /// `None` for as many as there are.
    count: Option<usize>,
    keep: bool,
}

/// These axes, which the result of a reduction keeps, with extent 1: NumPy's `keepdims=True`.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let x = Device::cpu().to_device(&[1.0f32, 3.0, 2.0, 6.0])?.reshape([2, 2])?;
/// assert_eq!((&x / x.sum_axis(keep_dims(1))?).to_host()?, [0.25, 0.75, 0.25, 0.75]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub fn keep_dims(axes: impl Into<Axes>) -> Axes {
    Axes { keep: true, ..axes.into() }
}

macro_rules! numbers {
    ($($T:ident)*) => {$(
        impl From<$T> for Axes {
            fn from(axis: $T) -> Self {
                Self::from([axis])
            }
        }

        impl<const N: usize> From<[$T; N]> for Axes {
            fn from(axes: [$T; N]) -> Self {
                const { assert!(N <= MAX_RANK, "an array has at most 7 axes") };
                Self::listed(&axes)
            }
        }
    )*};
}

numbers! { usize i32 isize }

/// All axes.
impl From<RangeFull> for Axes {
    fn from(_: RangeFull) -> Self {
        Self { list: std::array::from_fn(usize::cast_signed), count: None, keep: false }
    }
}

/// What becomes of an array when axes are reduced.
#[derive(Debug)]
pub(super) struct Reduced {
    /// Where the reduced axes are, once inputs are [moved](Self::gather).
    pub(super) axis: AxisShape,
    /// The shape of the result.
    pub(super) shape: Shape,
    /// The order of the axes in which those that are reduced follow each other, if they do not already.
    order: Option<Vec<usize>>,
    /// The shape before.
    from: Shape,
}

impl Axes {
    /// These axes, of which an array can have as many.
    pub(crate) fn listed<A: Copy + TryInto<isize>>(axes: &[A]) -> Self {
        let mut list = [0; MAX_RANK];
        // What is too large is no axis.
        list.iter_mut().zip(axes).for_each(|(number, &axis)| *number = axis.try_into().unwrap_or(isize::MAX));
        Self { list, count: Some(axes.len()), keep: false }
    }

    /// How many elements of an array of that shape each result is made of. For axes that it does not have, any number.
    pub(crate) fn elements(&self, shape: Shape) -> usize {
        let extents = self.list(shape).into_iter().map(|axis| shape.extents().get(axis).copied().unwrap_or(0));
        extents.fold(1, usize::saturating_mul)
    }

    /// The axes, which an array of that shape has, and each of which is named once.
    #[track_caller]
    pub(crate) fn checked(&self, function: &'static str, shape: Shape) -> Result<Vec<usize>> {
        self.checked_at(function, shape, Location::caller())
    }

    fn checked_at(&self, function: &'static str, shape: Shape, place: &'static Location<'static>) -> Result<Vec<usize>> {
        let (list, function) = (self.list(shape), called_or(function));
        for (i, &axis) in list.iter().enumerate() {
            axis.checked_at(function, shape, place)?;
            if list[..i].contains(&axis) {
                return Err(Error::RepeatedAxis { function, axis, location: place });
            }
        }
        Ok(list)
    }

    /// What becomes of an array of that shape, which is reduced at `place`.
    pub(super) fn reduce(&self, function: &'static str, shape: Shape, place: &'static Location<'static>) -> Result<Reduced> {
        let list = self.checked_at(function, shape, place)?;
        let extents = shape.extents();
        let is_reduced = |axis: &usize| list.contains(axis);
        let last = list.iter().copied().max().unwrap_or(0);
        // Those behind the last stay there, so that neighbours in memory stay neighbours.
        let mut order: Vec<usize> = (0..last).filter(|axis| !is_reduced(axis)).collect();
        let first = order.len();
        order.extend((0..shape.rank()).filter(is_reduced));
        order.extend((last..shape.rank()).filter(|axis| !is_reduced(axis)));
        let ordered = Shape::from_extents(&order.iter().map(|&axis| extents[axis]).collect::<Vec<_>>()).expect("it has as many axes");
        Ok(Reduced {
            axis: AxisShape::of_run(ordered, first, list.len()),
            shape: self.left_of(shape),
            order: (!order.is_sorted()).then_some(order),
            from: shape,
        })
    }

    /// The shape of the results of an array of that shape.
    pub(crate) fn left_of(&self, shape: Shape) -> Shape {
        let list = self.list(shape);
        let extents = shape.extents().iter().enumerate().filter_map(|(axis, &extent)| match list.contains(&axis) {
            true => self.keep.then_some(1),
            false => Some(extent),
        });
        Shape::from_extents(&extents.collect::<Vec<_>>()).expect("it has no more axes")
    }

    /// The axes, of an array of that shape, counted from 0.
    fn list(&self, shape: Shape) -> Vec<usize> {
        self.list[..self.count.unwrap_or(shape.rank())].iter().map(|axis| axis.of(shape.rank())).collect()
    }
}

impl Reduced {
    /// Moves the axes of inputs, so that the reduced ones follow each other, and returns the shape that they then have together.
    pub(super) fn gather(&self, inputs: &mut [Input<'_>]) -> Shape {
        let Some(order) = &self.order else { return self.from };
        for input in inputs {
            let repeated = input.layout.broadcast_to(self.from).expect("the shape is that of all inputs together");
            input.layout = repeated.permute(order);
        }
        let extents: Vec<usize> = order.iter().map(|&axis| self.from.extents()[axis]).collect();
        Shape::from_extents(&extents).expect("it has as many axes")
    }
}

/// A shape seen from one of its axes, in C order: `[outer, len, inner]`. Element `k` of the axis at `o` and `i` has the index
/// `(o * len + k) * inner + i`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AxisShape {
    /// The product of the extents before the axis.
    pub(super) outer: usize,
    /// The extent of the axis.
    pub(super) len: usize,
    /// The product of the extents after the axis.
    pub(super) inner: usize,
}

impl AxisShape {
    /// `shape`, whose elements must be countable, seen from `axis`, which it must have.
    pub(super) fn new(shape: Shape, axis: usize) -> Self {
        Self::of_run(shape, axis, 1)
    }

    /// `shape` seen from `count` axes from `first` on, as if they were one.
    fn of_run(shape: Shape, first: usize, count: usize) -> Self {
        let extents = shape.extents();
        // In an empty array, the product of the other extents may not fit.
        let product = |extents: &[usize]| if extents.contains(&0) { 0 } else { extents.iter().fold(1usize, |a, &b| a.saturating_mul(b)) };
        let (run, inner) = extents[first..].split_at(count);
        Self { outer: product(&extents[..first]), len: product(run), inner: product(inner) }
    }

    /// The number of results of a reduction along the axis.
    pub(super) fn results(self) -> usize {
        if self.outer == 0 || self.inner == 0 { 0 } else { self.outer.saturating_mul(self.inner) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_seen_from_each_of_its_axes() {
        let shape = |axis| {
            let AxisShape { outer, len, inner } = AxisShape::new([2, 3, 4].into(), axis);
            [outer, len, inner]
        };
        assert_eq!([shape(0), shape(1), shape(2)], [[1, 2, 12], [2, 3, 4], [6, 4, 1]]);
        assert_eq!(AxisShape::new([usize::MAX, 0, usize::MAX].into(), 1).len, 0);
        assert_eq!(AxisShape::new([0, 5].into(), 1).results(), 0);
    }
}
