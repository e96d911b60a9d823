//! Parts along several axes at once: `x.part((1..9, ..-1))`.

use super::layout::{Layout, Part};
use super::range::{from_end, index};
use super::{IndexRange, MAX_RANK, Shape};

/// What [`part`](super::DeviceArray::part) takes of one axis: an index, a range of indices, or every few of a range, [`stepped`].
///
/// Negative numbers count from the end, as in NumPy: `-1` is the last index, and `..-1` all but that one. Clippy takes `1..-1` for an empty
/// range: allow its lint `reversed_empty_ranges`, or write `1..` and `..-1` in two steps.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no part of an axis",
    label = "an index or a range of indices is needed here",
    note = "write a tuple for several axes, such as `x.part((1..9, ..-1))`: negative numbers count from the end, and `stepped(.., 2)` takes every second index"
)]
pub trait AxisPart {
    /// What it takes.
    #[doc(hidden)]
    fn choice(self) -> Choice;
}

/// What is taken of an axis.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub enum Choice {
    /// One index: the axis goes away.
    Index(isize),
    /// Every `step`-th index of a range, from its end where `step` is negative.
    Range {
        /// The start, and the end if it is not that of the axis.
        bounds: (isize, Option<isize>),
        /// The distance between neighbours.
        step: isize,
    },
}

#[diagnostic::do_not_recommend]
impl<R: IndexRange> AxisPart for R {
    fn choice(self) -> Choice {
        Choice::Range { bounds: self.bounds(), step: 1 }
    }
}

macro_rules! indices {
    ($($T:ty)*) => {$(
        impl AxisPart for $T {
            fn choice(self) -> Choice {
                Choice::Index(index(self))
            }
        }
    )*};
}

indices! { i32 i64 isize u32 usize }

/// Every few indices of a range: [`stepped`].
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Step {
    bounds: (isize, Option<isize>),
    step: isize,
}

impl AxisPart for Step {
    fn choice(self) -> Choice {
        Choice::Range { bounds: self.bounds, step: self.step }
    }
}

/// Every `step`-th index of a range, in [`part`](super::DeviceArray::part). A negative step starts from the last index and goes backwards.
///
/// `x.part((stepped(.., 2), stepped(.., -1)))` is NumPy's `x[::2, ::-1]`.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let x = Device::cpu().arange(0, 10, 1)?;
/// assert_eq!(x.part(stepped(1..-1, 3)).to_host()?, [1, 4, 7]);
/// assert_eq!(x.part(stepped(..3, -1)).to_host()?, [2, 1, 0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[must_use]
pub fn stepped(range: impl IndexRange, step: isize) -> Step {
    Step { bounds: range.bounds(), step }
}

/// What [`part`](super::DeviceArray::part) takes: an [`AxisPart`] for the first axis, or a tuple of them for the first axes. The other axes
/// are taken whole.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no part of an array",
    label = "an index, a range or a tuple of these is needed here",
    note = "write a tuple for several axes, such as `x.part((1..9, ..-1))`: negative numbers count from the end, and `stepped(.., 2)` takes every second index"
)]
pub trait ArrayPart {
    /// What it takes of each axis.
    #[doc(hidden)]
    fn choices(self) -> Choices;
}

/// What is taken of the first axes; the others are whole.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Choices([Option<Choice>; MAX_RANK]);

#[diagnostic::do_not_recommend]
impl<P: AxisPart> ArrayPart for P {
    fn choices(self) -> Choices {
        (self,).choices()
    }
}

macro_rules! tuples {
    ($($($A:ident)*;)*) => {$(
        impl<$($A: AxisPart),*> ArrayPart for ($($A,)*) {
            fn choices(self) -> Choices {
                #[allow(non_snake_case, reason = "a variable for each type")]
                let ($($A,)*) = self;
                let mut all = [None; MAX_RANK];
                all.iter_mut().zip([$($A.choice()),*]).for_each(|(place, choice)| *place = Some(choice));
                Choices(all)
            }
        }
    )*};
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
}

impl Layout {
    /// The part with these indices.
    #[track_caller]
    pub(crate) fn part(&self, choices: &Choices) -> Part {
        let chosen = choices.0.iter().flatten();
        let (count, rank) = (chosen.clone().count(), self.shape.rank());
        assert!(count <= rank, "a part of {count} axes was asked of an array with {rank}, of shape {}", self.shape);
        let (mut part, mut axis) = (Part { offset: 0, layout: *self }, 0);
        for &choice in chosen {
            let next = match choice {
                Choice::Index(index) => {
                    let index = from_end("index", index, part.layout.shape.extents()[axis]);
                    part.layout.index_axis(axis, index)
                }
                Choice::Range { bounds, step } => {
                    axis += 1;
                    part.layout.slice_axis(axis - 1, bounds, step)
                }
            };
            part = Part { offset: part.offset.wrapping_add(next.offset), layout: next.layout };
        }
        part
    }

    /// The part that is one element, without axes.
    #[track_caller]
    pub(super) fn element(&self, index: Shape) -> Part {
        let (axes, indices) = (self.shape.rank(), index.rank());
        assert!(indices == axes, "an element of an array of shape {} needs {axes} indices, not {indices}", self.shape);
        let inside = index.extents().iter().zip(self.shape.extents()).all(|(i, extent)| i < extent);
        assert!(inside, "index out of bounds: the shape is {} but the index is {index}", self.shape);
        let offset = index.extents().iter().zip(self.strides()).map(|(&i, &stride)| i as isize * stride).sum();
        Part { offset, layout: Self::c_order([].into()) }
    }
}
