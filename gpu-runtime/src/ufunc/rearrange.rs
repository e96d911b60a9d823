//! The operations of views, on lazy arrays: they move the inputs, and compute nothing.
//!
//! An operation of a view is one of every input of an expression, once each input is repeated to fill the shape that they have
//! together. So `(&x + &row).t()` is `x.t() + row.broadcast_to(…).t()`: other layouts, and the same kernel around them.

use std::ops::Range;

use super::input::{Input, Inputs};
use super::plan::broadcast_shapes;
use super::{Expression, Lazy};
use crate::memory::{ArrayPart, Axis, Choices, IndexRange, Layout, MAX_RANK, Part, Shape, resolve};
use crate::{Error, Result};

/// An expression with its elements at other indices, as [`Lazy::t`] and others make it.
#[derive(Clone, Copy)]
pub struct Rearranged<E> {
    inner: E,
    operation: Operation,
}

/// What is done to the axes.
#[derive(Clone, Copy)]
enum Operation {
    /// The axes in this order, as many as there are.
    Permute([usize; MAX_RANK]),
    /// Every `step`-th of these indices of an axis.
    Slice {
        axis: usize,
        start: usize,
        end: usize,
        step: isize,
    },
    /// One index of an axis, which goes away.
    Index {
        axis: usize,
        index: usize,
    },
    /// An axis of extent 1 in front of that one.
    Insert {
        axis: usize,
    },
    Broadcast(Shape),
    /// The part with these indices of the first axes.
    Part(Choices),
}

impl Operation {
    /// What becomes of a layout, if there are strides that say so.
    #[track_caller]
    fn apply(&self, layout: &Layout) -> Option<Part> {
        let in_place = |layout| Part { offset: 0, layout };
        Some(match *self {
            Self::Permute(axes) => in_place(layout.permute(&axes[..layout.shape.rank()])),
            Self::Slice { axis, start, end, step } => layout.slice_axis(axis, start..end, step),
            Self::Index { axis, index } => layout.index_axis(axis, index),
            Self::Insert { axis } => in_place(layout.insert_axis(axis)),
            Self::Broadcast(shape) => in_place(layout.broadcast_to(shape)?),
            Self::Part(ref choices) => layout.part(choices),
        })
    }
}

// SAFETY: the inputs of the inner expression, of which only the layouts and the first elements change, and its code.
unsafe impl<E: Expression> Expression for Rearranged<E> {
    type Item = E::Item;
    type Code = E::Code;

    fn inputs<'s>(&'s self, inputs: &mut Inputs<'s>) {
        let change = |list: &mut [Input<'s>]| {
            // Where the shapes do not go together, or are too large, they stay, and whoever computes reports it.
            for (input, layout) in list_with_repeated(list) {
                let part = self.operation.apply(&layout).expect("the operation was tried when it was asked for");
                input.kind = input.kind.moved(part.offset, input.size);
                input.layout = part.layout;
            }
        };
        inputs.rearranged(|inputs| self.inner.inputs(inputs), change);
    }
}

/// Each input with its layout, repeated to fill the shape that they have together, if they have one, of countable elements.
pub(super) fn list_with_repeated<'i, 's>(list: &'i mut [Input<'s>]) -> impl Iterator<Item = (&'i mut Input<'s>, Layout)> {
    let repeated = repeated(&list.iter().map(|input| input.layout).collect::<Vec<_>>()).unwrap_or_default();
    list.iter_mut().zip(repeated)
}

/// The layouts, each repeated to fill the shape that they have together, if they have one, of countable elements.
fn repeated(layouts: &[Layout]) -> Option<Vec<Layout>> {
    let shapes: Vec<Shape> = layouts.iter().map(|layout| layout.shape).collect();
    let shape = broadcast_shapes(&shapes).ok()?;
    layouts.iter().map(|layout| layout.broadcast_to(shape)).collect()
}

/// # Shapes
///
/// The operations of [views](crate::DeviceView), which compute nothing and copy nothing: the result is a lazy array again. They panic where
/// those of views do.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let x = Device::cpu().to_device(&[1, 2, 3, 4, 5, 6])?.reshape([2, 3])?;
/// let row = Device::cpu().to_device(&[10, 20, 30])?;
/// let sum = &x + &row; // 11 22 33, 14 25 36
/// assert_eq!(sum.t().to_host()?, [11, 14, 22, 25, 33, 36]);
/// assert_eq!(sum.slice_axis(1, 1..).to_host()?, [22, 33, 25, 36]);
/// assert_eq!(sum.reverse_axis(0).index_axis(1, 0).to_host()?, [14, 11]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
impl<E: Expression> Lazy<E> {
    /// With the axes in the opposite order: `x.T`.
    pub fn t(self) -> Lazy<Rearranged<E>> {
        let rank = self.rank();
        self.permuted((0..rank).rev())
    }

    /// With the axes in another order: the old axis `axes[i]` is the new axis `i`: `x.transpose(axes)`.
    ///
    /// # Panics
    ///
    /// If `axes` does not contain each axis once.
    #[track_caller]
    pub fn permute(self, axes: impl AsRef<[usize]>) -> Lazy<Rearranged<E>> {
        let (axes, rank) = (axes.as_ref(), self.rank());
        let all_once = axes.len() == rank && (0..rank).all(|axis| axes.contains(&axis));
        assert!(all_once, "axes {axes:?} are not a permutation of the axes of an array of rank {rank}");
        self.permuted(axes.iter().copied())
    }

    /// With two axes swapped: `x.swapaxes(a, b)`.
    ///
    /// # Panics
    ///
    /// If an axis does not exist.
    #[track_caller]
    pub fn swap_axes(self, a: impl Axis, b: impl Axis) -> Lazy<Rearranged<E>> {
        let rank = self.rank();
        let (a, b) = (a.of(rank), b.of(rank));
        assert!(
            a < rank && b < rank,
            "axis out of bounds: the rank is {rank} but the axes are {} and {}",
            a.cast_signed(),
            b.cast_signed()
        );
        self.permuted((0..rank).map(|axis| {
            if axis == a {
                b
            } else if axis == b {
                a
            } else {
                axis
            }
        }))
    }

    /// The indices of `range` along `axis`: `x[:, start:stop]` for axis 1.
    ///
    /// # Panics
    ///
    /// If there is no such axis, or the range is out of bounds, as slicing does.
    #[track_caller]
    pub fn slice_axis(self, axis: impl Axis, range: impl IndexRange) -> Lazy<Rearranged<E>> {
        self.slice_axis_step(axis, range, 1)
    }

    /// Every `step`-th index of `range` along `axis`. A negative step starts from the last one and goes backwards.
    ///
    /// # Panics
    ///
    /// If there is no such axis, the range is out of bounds, as slicing does, or `step` is 0.
    #[track_caller]
    pub fn slice_axis_step(self, axis: impl Axis, range: impl IndexRange, step: isize) -> Lazy<Rearranged<E>> {
        let axis = axis.of(self.rank());
        let extent = self.shape().ok().and_then(|shape| shape.extents().get(axis).copied());
        let Range { start, end } = extent.map_or(0..0, |extent| resolve(range, extent));
        self.rearranged(Operation::Slice { axis, start, end, step })
    }

    /// With the indices of `axis` in the opposite order: `np.flip(x, axis)`.
    ///
    /// # Panics
    ///
    /// If there is no such axis.
    #[track_caller]
    pub fn reverse_axis(self, axis: impl Axis) -> Lazy<Rearranged<E>> {
        self.slice_axis_step(axis, .., -1)
    }

    /// The part at one index of `axis`, without that axis: `x[index]` for axis 0.
    ///
    /// # Panics
    ///
    /// If there is no such axis or index.
    #[track_caller]
    pub fn index_axis(self, axis: impl Axis, index: usize) -> Lazy<Rearranged<E>> {
        let axis = axis.of(self.rank());
        self.rearranged(Operation::Index { axis, index })
    }

    /// The part with these indices of several axes: `x[1:9, :-1]` is `x.part((1..9, ..-1))`, as [of views](crate::DeviceView::part).
    ///
    /// # Panics
    ///
    /// If there are fewer axes, or an index or range is out of bounds, as indexing and slicing do.
    #[track_caller]
    pub fn part(self, parts: impl ArrayPart) -> Lazy<Rearranged<E>> {
        self.rearranged(Operation::Part(parts.choices()))
    }

    /// With one more axis, with a single element, at position `axis`: `np.expand_dims(x, axis)`.
    ///
    /// # Panics
    ///
    /// If `axis` is past the end of the axes, or there are [`MAX_RANK`] axes already.
    #[track_caller]
    pub fn insert_axis(self, axis: impl Axis) -> Lazy<Rearranged<E>> {
        let axis = axis.of(self.rank() + 1);
        self.rearranged(Operation::Insert { axis })
    }

    /// Repeated along axes of extent 1 and along new axes in front, until it has that shape: `np.broadcast_to(x, shape)`.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if that cannot be, and [`Error::BroadcastMismatch`] if the shapes of the inputs do not fit.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let sevens = lazy(7).broadcast_to([2, 3])?.on(&Device::cpu()).collect()?;
    /// assert_eq!(sevens.shape(), [2, 3]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    #[track_caller]
    pub fn broadcast_to(self, shape: impl Into<Shape>) -> Result<Lazy<Rearranged<E>>> {
        let (old, shape) = (self.shape()?, shape.into());
        let countable = old.checked_len().is_some();
        if !countable || Layout::c_order(old).broadcast_to(shape).is_none() {
            let help = "counted from the last axis, each extent of the first must be 1 or that of the second";
            return Err(Error::shape_mismatch("broadcast", old, shape, help));
        }
        Ok(self.rearranged(Operation::Broadcast(shape)))
    }

    fn permuted(self, order: impl Iterator<Item = usize>) -> Lazy<Rearranged<E>> {
        let mut axes = [0; MAX_RANK];
        axes.iter_mut().zip(order).for_each(|(axis, old)| *axis = old);
        self.rearranged(Operation::Permute(axes))
    }

    /// Tries the operation, which may panic, and puts it around the expression.
    #[track_caller]
    fn rearranged(self, operation: Operation) -> Lazy<Rearranged<E>> {
        if let Ok(shape) = self.shape()
            && shape.checked_len().is_some()
        {
            operation.apply(&Layout::c_order(shape));
        }
        Lazy::new(Rearranged { inner: self.expression, operation })
    }
}
