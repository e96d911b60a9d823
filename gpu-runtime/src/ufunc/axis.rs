//! An array as seen from one of its axes.

use crate::memory::Shape;

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
        let extents = shape.extents();
        // In an empty array, the product of the other extents may not fit.
        let product = |extents: &[usize]| if extents.contains(&0) { 0 } else { extents.iter().fold(1usize, |a, &b| a.saturating_mul(b)) };
        Self { outer: product(&extents[..axis]), len: extents[axis], inner: product(&extents[axis + 1..]) }
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
