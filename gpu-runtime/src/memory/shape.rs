//! The shape of an array, and how its elements lie in memory.

use std::fmt;

/// The most axes that an array can have.
pub const MAX_RANK: usize = 7;

/// The extents of an array, one per axis, the outermost first: NumPy's `array.shape`.
///
/// Written as a number, or as an array of up to seven: `12`, `[3, 4]`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape {
    rank: u8,
    extents: [usize; MAX_RANK],
}

impl Shape {
    /// The shape with these extents, unless there are more than [`MAX_RANK`].
    #[must_use]
    pub fn from_extents(extents: &[usize]) -> Option<Self> {
        let mut shape =
            Self { rank: u8::try_from(extents.len()).ok().filter(|&rank| usize::from(rank) <= MAX_RANK)?, extents: [0; MAX_RANK] };
        shape.extents[..extents.len()].copy_from_slice(extents);
        Some(shape)
    }

    /// The extents, the outermost first.
    #[inline]
    #[must_use]
    pub fn extents(&self) -> &[usize] {
        &self.extents[..self.rank()]
    }

    /// How many axes there are. A scalar has none.
    #[inline]
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank.into()
    }

    /// How many elements there are: the product of the extents, if it fits.
    #[inline]
    #[must_use]
    pub fn checked_len(&self) -> Option<usize> {
        // An axis without elements makes the array empty, however large the others are.
        if self.extents().contains(&0) {
            return Some(0);
        }
        self.extents().iter().try_fold(1usize, |product, &extent| product.checked_mul(extent))
    }
}

impl From<usize> for Shape {
    fn from(extent: usize) -> Self {
        Self::from([extent])
    }
}

impl<const N: usize> From<[usize; N]> for Shape {
    fn from(extents: [usize; N]) -> Self {
        const { assert!(N <= MAX_RANK, "an array has at most 7 axes") };
        Self::from_extents(&extents).expect("the rank was checked when this was compiled")
    }
}

impl fmt::Display for Shape {
    /// As NumPy and Rust write a tuple: `(3, 4)`, `(12,)`, `()`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.extents() {
            [extent] => write!(f, "({extent},)"),
            extents => {
                let extents: Vec<String> = extents.iter().map(usize::to_string).collect();
                write!(f, "({})", extents.join(", "))
            }
        }
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A shape with a stride per axis, in elements: where element `[i, j, …]` lies from the first.
///
/// A stride may be negative (a reversed axis) or zero (a repeated one).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) shape: Shape,
    strides: [isize; MAX_RANK],
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

    /// The same elements with `axes` more axes of extent 1 at the end, unless that is more than there can be.
    pub(crate) fn with_appended_axes(&self, axes: usize) -> Option<Self> {
        let rank = self.shape.rank() + axes;
        let mut extents = [1; MAX_RANK];
        extents[..self.shape.rank()].copy_from_slice(self.shape.extents());
        Some(Self { shape: Shape::from_extents(extents.get(..rank)?)?, strides: self.strides })
    }

    /// One stride per axis, in elements.
    #[inline]
    pub(crate) fn strides(&self) -> &[isize] {
        &self.strides[..self.shape.rank()]
    }

    /// The offsets from the first to past the last element in memory, from the element with index 0 on every axis.
    pub(crate) fn span(&self) -> std::ops::Range<isize> {
        if self.shape.extents().contains(&0) {
            return 0..0;
        }
        let ends = self.shape.extents().iter().zip(self.strides()).map(|(&extent, &stride)| stride * (extent as isize - 1));
        let (before, after) = ends.fold((0, 0), |(before, after), end| (before + end.min(0), after + end.max(0)));
        before..after + 1
    }

    /// Whether the elements follow each other in C order.
    pub(crate) fn is_c_order(&self) -> bool {
        let expected = Self::c_order(self.shape);
        let matters = |axis: usize| self.shape.extents()[axis] > 1;
        self.shape.extents().contains(&0)
            || (0..self.shape.rank()).all(|axis| !matters(axis) || self.strides[axis] == expected.strides[axis])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_is_written_as_a_tuple() {
        assert_eq!(Shape::from([]).to_string(), "()");
        assert_eq!(Shape::from(12).to_string(), "(12,)");
        assert_eq!(Shape::from([3, 4]).to_string(), "(3, 4)");
    }

    #[test]
    fn an_empty_axis_makes_a_shape_empty_whatever_the_others_are() {
        assert_eq!(Shape::from([usize::MAX, 2, 0]).checked_len(), Some(0));
        assert_eq!(Shape::from([usize::MAX, 2]).checked_len(), None);
        assert_eq!(Shape::from([]).checked_len(), Some(1));
        assert_eq!(Shape::from([2, 3, 4]).checked_len(), Some(24));
    }

    #[test]
    fn eight_axes_are_refused() {
        assert!(Shape::from_extents(&[1; 7]).is_some());
        assert!(Shape::from_extents(&[1; 8]).is_none());
    }

    #[test]
    fn the_span_of_a_layout_covers_every_element() {
        assert_eq!(Layout::c_order([2, 3].into()).span(), 0..6);
        assert_eq!(Layout::new([2, 3].into(), &[3, -1]).span(), -2..4);
        assert_eq!(Layout::new([2, 0].into(), &[3, -1]).span(), 0..0);
        assert_eq!(Layout::c_order([].into()).span(), 0..1);
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
}
