//! How the elements of a view lie in memory, and what each view operation makes of that.
//!
//! A view is a pointer to its element `[0, 0, …]` and a [`Layout`]. An operation gives the layout of the new view and how
//! far its first element lies from the old one's, and touches no element. What keeps a view inside the array it is of:
//! every element of the new view is one of the old view, and **a view without elements never moves its pointer**.
//! So the pointer of a view is always that of an element, or of the array. And unless an axis is repeated, which only
//! [`Layout::broadcast_to`] does, different indices stay different elements.

use std::fmt;
use std::ops::Range;

use super::range::resolve;
use super::{IndexRange, MAX_RANK, Shape};

/// A shape with a stride per axis, in elements: where element `[i, j, …]` lies from the first.
///
/// A stride may be negative (a reversed axis) or zero (a repeated one). The stride of an axis with one element, and those
/// of a layout with no elements, mean nothing. Elements can always be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) shape: Shape,
    strides: [isize; MAX_RANK],
}

/// A layout, and how many elements its first is from that of the layout it was made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) offset: isize,
    pub(crate) layout: Layout,
}

impl Layout {
    /// `shape` in C order: the last axis is contiguous. Its elements must be countable.
    #[inline]
    pub(crate) fn c_order(shape: Shape) -> Self {
        let mut strides = [0; MAX_RANK];
        let mut stride = 1usize;
        for (axis, &extent) in shape.extents().iter().enumerate().rev() {
            strides[axis] = stride as isize;
            stride = stride.wrapping_mul(extent.max(1));
        }
        Self { shape, strides }
    }

    /// `shape` with these strides, one per axis.
    pub(crate) fn new(shape: Shape, strides: &[isize]) -> Self {
        assert_eq!(shape.rank(), strides.len(), "one stride per axis");
        let mut all = [0; MAX_RANK];
        all[..strides.len()].copy_from_slice(strides);
        Self { shape, strides: all }
    }

    /// The layout with these axes, an extent and a stride each. There must be no more than [`MAX_RANK`].
    fn from_axes(axes: impl IntoIterator<Item = (usize, isize)>) -> Self {
        let (mut extents, mut strides, mut rank) = ([0; MAX_RANK], [0; MAX_RANK], 0);
        for (extent, stride) in axes {
            (extents[rank], strides[rank]) = (extent, stride);
            rank += 1;
        }
        Self { shape: Shape::from_extents(&extents[..rank]).expect("the loop ends before the most axes are passed"), strides }
    }

    /// The extent and stride of each axis.
    fn axes(&self) -> impl DoubleEndedIterator<Item = (usize, isize)> + ExactSizeIterator + '_ {
        std::iter::zip(self.shape.extents(), self.strides()).map(|(&extent, &stride)| (extent, stride))
    }

    /// One stride per axis, in elements.
    #[inline]
    pub(crate) fn strides(&self) -> &[isize] {
        &self.strides[..self.shape.rank()]
    }

    /// Shape and strides as a kernel takes them, if there are `N` axes.
    #[inline]
    pub(crate) fn shape_and_strides<const N: usize>(&self) -> Option<([usize; N], [isize; N])> {
        Some((self.shape.extents().try_into().ok()?, self.strides().try_into().ok()?))
    }

    /// How many elements there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.shape.checked_len().expect("the elements of a layout can be counted")
    }

    /// The same elements with `axes` more axes of extent 1 at the end, unless that is more than there can be.
    pub(crate) fn with_appended_axes(&self, axes: usize) -> Option<Self> {
        (self.shape.rank() + axes <= MAX_RANK).then(|| Self::from_axes(self.axes().chain(std::iter::repeat_n((1, 0), axes))))
    }

    /// The layout with one index on each axis along which elements repeat.
    pub(crate) fn without_repeats(&self) -> Self {
        Self::from_axes(self.axes().map(|(extent, stride)| if stride == 0 { (extent.min(1), 0) } else { (extent, stride) }))
    }

    /// The layout of parts of the elements, each of `count` of which an element consists, or of arrays of them with these lengths.
    pub(crate) fn of_parts(&self, count: usize, lengths: &[usize]) -> Self {
        let inner = Self::c_order(Shape::from_extents(lengths).expect("the axes of a view and of its elements are few"));
        assert!(self.shape.rank() + lengths.len() <= MAX_RANK, "a view has at most {MAX_RANK} axes, with those of its elements");
        Self::from_axes(self.axes().map(|(extent, stride)| (extent, stride * count as isize)).chain(inner.axes()))
    }

    /// These indices, for elements that lie as in `distinct`, a layout of [`without_repeats`](Self::without_repeats).
    pub(crate) fn repeating(&self, distinct: Self) -> Self {
        let axes = self.axes().zip(distinct.axes());
        Self::from_axes(axes.map(|((extent, old), (_, new))| if old == 0 { (extent, 0) } else { (extent, new) }))
    }

    /// The offsets from the first to past the last element in memory, from the element with index 0 on every axis.
    pub(crate) fn span(&self) -> Range<isize> {
        let (lowest, highest) = self.bounds();
        if self.len() == 0 { 0..0 } else { lowest..highest + 1 }
    }

    /// Whether the elements follow each other in C order.
    pub(crate) fn is_c_order(&self) -> bool {
        let expected = Self::c_order(self.shape);
        let matters = |axis: usize| self.shape.extents()[axis] > 1;
        self.shape.extents().contains(&0)
            || (0..self.shape.rank()).all(|axis| !matters(axis) || self.strides[axis] == expected.strides[axis])
    }

    /// Whether an offset may need more than 31 bits, or the last axis has a stride: then the last index is multiplied by it.
    pub(crate) fn is_scattered(&self) -> bool {
        // What means nothing counts for nothing.
        let axes = || self.axes().filter(|&(extent, _)| extent != 1);
        let reach = axes().map(|(extent, stride)| (extent as i128 - 1) * i128::from(stride.unsigned_abs() as u64)).sum::<i128>();
        let has_stride = self.axes().next_back().is_some_and(|(extent, stride)| extent != 1 && stride != 1);
        self.len() != 0 && (has_stride || reach > i128::from(i32::MAX))
    }

    /// The axes in another order.
    #[track_caller]
    pub(crate) fn permute(&self, axes: &[usize]) -> Self {
        let rank = self.shape.rank();
        let all_once = axes.len() == rank && (0..rank).all(|axis| axes.contains(&axis));
        assert!(all_once, "axes {axes:?} are not a permutation of the axes of a view of rank {rank}");
        Self::from_axes(axes.iter().map(|&axis| (self.shape.extents()[axis], self.strides[axis])))
    }

    /// The axes in the opposite order.
    pub(super) fn transpose(&self) -> Self {
        Self::from_axes(self.axes().rev())
    }

    /// Two axes in each other's place.
    #[track_caller]
    pub(super) fn swap_axes(&self, a: usize, b: usize) -> Self {
        let (at_a, at_b) = (self.check_axis(a), self.check_axis(b));
        Self::from_axes(self.axes().enumerate().map(|(axis, old)| match axis {
            axis if axis == a => at_b,
            axis if axis == b => at_a,
            _ => old,
        }))
    }

    /// Every `step`-th index of `range` along `axis`, starting from its end where `step` is negative.
    #[track_caller]
    pub(crate) fn slice_axis(&self, axis: usize, range: impl IndexRange, step: isize) -> Part {
        let (extent, stride) = self.check_axis(axis);
        assert!(step != 0, "the step along axis {axis} is zero");
        let Range { start, end } = resolve(range, extent);
        let extent = (end - start).div_ceil(step.unsigned_abs());
        let first = if step > 0 { start } else { end.saturating_sub(1) };
        // With at most one index left there is no next element whose distance could be meant, or be too far to be a number.
        let stride_left = if extent > 1 { stride.wrapping_mul(step) } else { stride };
        let layout = Self::from_axes(self.axes().enumerate().map(|(at, old)| if at == axis { (extent, stride_left) } else { old }));
        Part::at(first, stride, layout)
    }

    /// What there is at one index of `axis`, which goes away.
    #[track_caller]
    pub(crate) fn index_axis(&self, axis: usize, index: usize) -> Part {
        let (extent, stride) = self.check_axis(axis);
        assert!(index < extent, "index out of bounds: the len of axis {axis} is {extent} but the index is {index}");
        let layout = Self::from_axes(self.axes().enumerate().filter(|&(at, _)| at != axis).map(|(_, axis)| axis));
        Part::at(index, stride, layout)
    }

    /// The elements with equal indices along the first two axes, along one axis in their place.
    #[track_caller]
    pub(crate) fn diagonal(&self) -> Self {
        let ((rows, down), (columns, right)) = (self.check_axis(0), self.check_axis(1));
        let diagonal = (rows.min(columns), down.wrapping_add(right));
        Self::from_axes(std::iter::once(diagonal).chain(self.axes().skip(2)))
    }

    /// With one more axis, of extent 1, in front of `axis`, or after the last.
    #[track_caller]
    pub(crate) fn insert_axis(&self, axis: usize) -> Self {
        let rank = self.shape.rank();
        assert!(axis <= rank, "axis out of bounds: an axis can be inserted at 0 to {rank} but not at {}", axis.cast_signed());
        assert!(rank < MAX_RANK, "an array has at most {MAX_RANK} axes");
        Self::from_axes(self.axes().take(axis).chain([(1, 1)]).chain(self.axes().skip(axis)))
    }

    /// The windows of `len` neighbours along `axis`, with the elements of a window along a new axis at the end.
    #[track_caller]
    pub(crate) fn windows(&self, axis: usize, len: usize) -> Self {
        let (extent, stride) = self.check_axis(axis);
        assert!((1..=extent).contains(&len), "a window along axis {axis} has 1 to {extent} elements but not {len}");
        assert!(self.shape.rank() < MAX_RANK, "an array has at most {MAX_RANK} axes");
        let starts = self.axes().enumerate().map(|(at, own)| if at == axis { (extent - len + 1, stride) } else { own });
        let windows = Self::from_axes(starts.chain([(len, stride)]));
        // Repeated elements have no limit of their own.
        assert!(windows.shape.checked_len().is_some(), "too many elements: {}", windows.shape);
        windows
    }

    /// Repeated along axes of extent 1 and along new axes in front, until it has that shape.
    pub(crate) fn broadcast_to(&self, shape: Shape) -> Option<Self> {
        let new_axes = shape.rank().checked_sub(self.shape.rank())?;
        shape.checked_len()?;
        let mut strides = [0; MAX_RANK];
        for (axis, (extent, stride)) in (new_axes..).zip(self.axes()) {
            match shape.extents()[axis] {
                same if same == extent => strides[axis] = stride,
                _ if extent == 1 => {}
                _ => return None,
            }
        }
        Some(Self::new(shape, &strides[..shape.rank()]))
    }

    /// The same elements in the same order with another shape of as many, if there are strides that say so.
    pub(crate) fn reshape(&self, shape: Shape) -> Option<Self> {
        if self.len() == 0 || shape.rank() == 0 {
            return Some(Self::c_order(shape));
        }
        // The new axes are cut off the runs, from the last to the first, and none may need elements of two runs.
        let merged = self.merge_axes();
        let mut runs = merged.axes().rev();
        let (mut left, mut stride) = (1, 1);
        let mut strides = [0; MAX_RANK];
        for (axis, &extent) in shape.extents().iter().enumerate().rev() {
            if left == 1 && extent > 1 {
                (left, stride) = runs.next()?;
            }
            if !left.is_multiple_of(extent) {
                return None;
            }
            strides[axis] = stride;
            left /= extent;
            stride = stride.wrapping_mul(extent as isize);
        }
        Some(Self::new(shape, &strides[..shape.rank()]))
    }

    /// The same elements in the same order along as few axes as there can be. There must be elements.
    pub(super) fn merge_axes(&self) -> Self {
        let (mut axes, mut rank) = ([(0, 0); MAX_RANK], 0);
        for (extent, stride) in self.axes().filter(|&(extent, _)| extent > 1) {
            // A step of the axis outside leads to where this one ends: they are one.
            if let Some(outer) = axes[..rank].last_mut()
                && outer.1 == stride.wrapping_mul(extent as isize)
            {
                *outer = (outer.0 * extent, stride);
            } else {
                axes[rank] = (extent, stride);
                rank += 1;
            }
        }
        Self::from_axes(axes.into_iter().take(rank))
    }

    /// The offsets of the elements that come first and last in memory. There must be elements.
    pub(super) fn bounds(&self) -> (isize, isize) {
        self.axes().fold((0, 0), |(first, last), (extent, stride)| {
            let reach = stride.wrapping_mul(extent as isize - 1);
            (first + reach.min(0), last + reach.max(0))
        })
    }

    /// Calls `visit` with the offset of every element, in C order of the indices.
    pub(crate) fn for_each_offset(&self, mut visit: impl FnMut(isize)) {
        fn walk(extents: &[usize], strides: &[isize], offset: isize, visit: &mut impl FnMut(isize)) {
            match (extents, strides) {
                (&[extent], &[stride]) => (0..extent as isize).for_each(|i| visit(offset + i * stride)),
                (&[extent, ref extents @ ..], &[stride, ref strides @ ..]) => {
                    (0..extent as isize).for_each(|i| walk(extents, strides, offset + i * stride, visit));
                }
                _ => visit(offset),
            }
        }
        if self.len() > 0 {
            let merged = self.merge_axes();
            walk(merged.shape.extents(), merged.strides(), 0, &mut visit);
        }
    }

    /// The extent and stride of an axis that must be there.
    #[track_caller]
    fn check_axis(&self, axis: usize) -> (usize, isize) {
        let rank = self.shape.rank();
        assert!(axis < rank, "axis out of bounds: the rank is {rank} but the axis is {}", axis.cast_signed());
        (self.shape.extents()[axis], self.strides[axis])
    }
}

/// `shape (3, 4)`, and the strides where they are not those of C order.
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "shape {}", self.shape)?;
        if !self.is_c_order() {
            write!(f, ", strides {:?}", self.strides())?;
        }
        Ok(())
    }
}

impl Part {
    /// The part of which the first element is at `index` of an axis with that stride.
    fn at(index: usize, stride: isize, layout: Layout) -> Self {
        let offset = if layout.len() == 0 { 0 } else { index as isize * stride };
        Self { offset, layout }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(layout: &Layout) -> Vec<isize> {
        let mut offsets = Vec::new();
        layout.for_each_offset(|offset| offsets.push(offset));
        offsets
    }

    #[test]
    fn in_c_order_the_last_axis_is_contiguous() {
        let layout = Layout::c_order([2, 3, 4].into());
        assert_eq!(layout.strides(), [12, 4, 1]);
        assert!(layout.is_c_order());
        assert!(!Layout::new([3, 2].into(), &[1, 3]).is_c_order());
        // The stride of an axis with one element does not matter.
        assert!(Layout::new([1, 2].into(), &[99, 1]).is_c_order());
    }

    #[test]
    fn offsets_come_in_the_order_of_the_indices() {
        assert_eq!(offsets(&Layout::new([2, 3].into(), &[1, 2])), [0, 2, 4, 1, 3, 5]);
        assert_eq!(offsets(&Layout::new([2, 2].into(), &[-2, 0])), [0, 0, -2, -2]);
        assert_eq!(offsets(&Layout::c_order([].into())), [0]);
        assert_eq!(offsets(&Layout::c_order([3, 0].into())), []);
        assert_eq!(offsets(&Layout::c_order([2, 1, 3].into()).transpose()), [0, 3, 1, 4, 2, 5]);
    }

    #[test]
    fn bounds_are_those_of_the_offsets() {
        for (shape, strides) in [([2, 3], [-1, 2]), ([3, 1], [4, -9]), ([4, 5], [0, -3]), ([1, 1], [7, 7])] {
            let layout = Layout::new(shape.into(), &strides);
            let offsets = offsets(&layout);
            assert_eq!(layout.bounds(), (*offsets.iter().min().unwrap(), *offsets.iter().max().unwrap()), "{layout}");
        }
    }

    /// `gr_layout::compact_offset` in `view.cu`, whose sums must not overflow.
    fn compact_offset(layout: &Layout, index: &[usize]) -> i32 {
        let (last, outer) = index.split_last().unwrap();
        let parts = std::iter::zip(outer, layout.strides()).map(|(&i, &stride)| (i as u32 as i32).checked_mul(stride as i32).unwrap());
        parts.fold(0, |sum: i32, part| sum.checked_add(part).unwrap()).checked_add(*last as u32 as i32).unwrap()
    }

    #[test]
    fn offsets_of_a_layout_that_is_not_scattered_are_the_same_in_32_bits() {
        const LARGE: usize = 1 << 31;
        let layouts: [(bool, &[usize], &[isize]); 16] = [
            (false, &[3, 4], &[4, 1]),
            (false, &[3, 4], &[-9, 1]),
            (true, &[3, 4], &[1, 3]),
            (true, &[3, 4], &[4, -1]),
            (true, &[3, 4], &[4, 0]),
            // A stride along an axis with one element means nothing, nor do those of a view without elements.
            (false, &[3, 1], &[4, 7]),
            (false, &[1, 3], &[isize::MAX, 1]),
            (false, &[0, 9], &[4, 7]),
            // An offset of 2^31 - 1, and one more.
            (false, &[LARGE], &[1]),
            (true, &[LARGE + 1], &[1]),
            (false, &[2, LARGE / 2], &[LARGE as isize / 2, 1]),
            (true, &[2, LARGE / 2 + 1], &[LARGE as isize / 2, 1]),
            (true, &[3, 2], &[-(LARGE as isize) / 2, 1]),
            (false, &[3, 2], &[-(LARGE as isize) / 2 + 1, 1]),
            // Of a repeated row, the number of rows may need more bits.
            (false, &[1 << 40, 5], &[0, 1]),
            (false, &[], &[]),
        ];
        for (scattered, shape, strides) in layouts {
            let layout = Layout::new(Shape::from_extents(shape).unwrap(), strides);
            assert_eq!(layout.is_scattered(), scattered, "{layout}");
            if scattered || shape.is_empty() || layout.len() == 0 {
                continue;
            }
            // The corners: offsets between them are between theirs.
            for corner in 0..1 << shape.len() {
                let index: Vec<usize> = shape.iter().enumerate().map(|(axis, extent)| (extent - 1) * (corner >> axis & 1)).collect();
                let offset: isize = std::iter::zip(&index, strides).map(|(&i, &stride)| i as isize * stride).sum();
                assert_eq!(compact_offset(&layout, &index) as isize, offset, "{layout} at {index:?}");
            }
        }
    }

    #[test]
    fn the_span_of_a_layout_covers_every_element() {
        assert_eq!(Layout::c_order([2, 3].into()).span(), 0..6);
        assert_eq!(Layout::new([2, 3].into(), &[3, -1]).span(), -2..4);
        assert_eq!(Layout::new([2, 0].into(), &[3, -1]).span(), 0..0);
        assert_eq!(Layout::c_order([].into()).span(), 0..1);
    }

    #[test]
    fn repeated_axes_are_left_out_and_put_back() {
        let repeated = Layout::new([2, 5, 3].into(), &[6, 0, 2]);
        let distinct = repeated.without_repeats();
        assert_eq!(distinct, Layout::new([2, 1, 3].into(), &[6, 0, 2]));
        assert_eq!(repeated.repeating(Layout::c_order(distinct.shape)), Layout::new([2, 5, 3].into(), &[3, 0, 1]));
    }

    #[test]
    fn axes_are_appended_while_there_is_room() {
        let layout = Layout::new([2, 3].into(), &[1, 2]);
        assert_eq!(layout.with_appended_axes(1).unwrap().shape, [2, 3, 1]);
        assert!(layout.with_appended_axes(5).is_some() && layout.with_appended_axes(6).is_none());
    }

    #[test]
    fn axes_merge_where_one_stride_leads_through_both() {
        assert_eq!(Layout::c_order([2, 1, 3, 4].into()).merge_axes(), Layout::c_order(24.into()));
        assert_eq!(Layout::new([2, 3, 4].into(), &[24, 4, 1]).merge_axes(), Layout::new([2, 12].into(), &[24, 1]));
        assert_eq!(Layout::new([3, 4].into(), &[-4, -1]).merge_axes(), Layout::new(12.into(), &[-1]));
        assert_eq!(Layout::c_order([1, 1].into()).merge_axes(), Layout::c_order([].into()));
    }

    #[test]
    fn a_shape_that_strides_cannot_say_is_refused() {
        let rows_apart = Layout::new([2, 6].into(), &[10, 1]);
        assert_eq!(rows_apart.reshape([2, 3, 2].into()), Some(Layout::new([2, 3, 2].into(), &[10, 2, 1])));
        assert_eq!(rows_apart.reshape([1, 2, 1, 6].into()).map(|layout| offsets(&layout)), Some(offsets(&rows_apart)));
        assert_eq!(rows_apart.reshape([3, 4].into()), None);
        assert_eq!(rows_apart.reshape(12.into()), None);
    }

    #[test]
    fn a_part_without_elements_stays_where_it_is() {
        let layout = Layout::c_order([3, 4].into());
        assert_eq!(layout.slice_axis(0, 3.., 1).offset, 0);
        assert_eq!(layout.slice_axis(1, 2..2, -1).offset, 0);
        assert_eq!(Layout::c_order([usize::MAX, 0].into()).index_axis(0, usize::MAX - 1).offset, 0);
    }

    #[test]
    fn steps_larger_than_the_axis_leave_one_element() {
        let layout = Layout::c_order(5.into());
        assert_eq!(layout.slice_axis(0, 1.., isize::MAX), Part { offset: 1, layout: Layout::c_order(1.into()) });
        assert_eq!(layout.slice_axis(0, .., isize::MIN), Part { offset: 4, layout: Layout::c_order(1.into()) });
        assert_eq!(offsets(&layout.slice_axis(0, .., -3).layout), [0, -3]);
    }

    #[test]
    fn repeating_more_often_than_can_be_counted_is_refused() {
        let one = Layout::c_order(1.into());
        assert!(one.broadcast_to([usize::MAX, 2].into()).is_none());
        assert!(one.broadcast_to([usize::MAX, 2, 0].into()).is_none());
        assert!(one.broadcast_to([usize::MAX, 1, 0].into()).is_some());
        let many = one.broadcast_to([1 << 33].into()).unwrap();
        assert!(std::panic::catch_unwind(|| many.windows(0, 1 << 32)).is_err());
        assert!(one.broadcast_to([].into()).is_none());
    }
}
