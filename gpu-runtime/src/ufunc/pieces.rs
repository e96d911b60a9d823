//! The elements of strided operands on the CPU: runs of elements, cut at the ends of rows.
//!
//! Along the last axis of a plan, elements of an operand are at equal distances: a row is copied by a loop without carries between
//! axes, which is a `memcpy` if the distance is 1.

use std::ops::Range;

use super::plan::{Operand, Plan};
use crate::memory::MAX_RANK;

/// A part of a run along the last axis.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Which element of the run its first is.
    pub(super) at: usize,
    pub(super) len: usize,
    /// Where its first element is in the operand.
    pub(super) offset: isize,
    /// From each element to the next.
    pub(super) stride: isize,
}

/// The pieces of a run in one operand.
pub(super) struct Pieces<'p> {
    plan: &'p Plan,
    strides: &'p [isize],
    /// The coordinates of the next element.
    coordinates: [usize; MAX_RANK],
    offset: isize,
    at: usize,
    len: usize,
}

impl<'p> Pieces<'p> {
    pub(super) fn new(plan: &'p Plan, operand: &'p Operand, run: Range<usize>) -> Self {
        let mut coordinates = [0; MAX_RANK];
        let mut rest = run.start;
        for (axis, &extent) in plan.extents.iter().enumerate().rev() {
            coordinates[axis] = rest % extent;
            rest /= extent;
        }
        let offset = operand.strides.iter().zip(coordinates).map(|(&stride, at)| stride * at as isize).sum();
        Self { plan, strides: &operand.strides, coordinates, offset, at: 0, len: run.len() }
    }

    /// The offset of each element.
    pub(super) fn offsets(self) -> impl Iterator<Item = isize> {
        self.flat_map(|piece| (0..piece.len as isize).map(move |i| piece.offset + i * piece.stride))
    }

    /// Moves to the start of the next row.
    #[inline]
    fn next_row(&mut self) {
        for (axis, &extent) in self.plan.extents.iter().enumerate().rev().skip(1) {
            self.coordinates[axis] += 1;
            self.offset += self.strides[axis];
            if self.coordinates[axis] < extent {
                return;
            }
            self.offset -= self.strides[axis] * extent as isize;
            self.coordinates[axis] = 0;
        }
    }
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    #[inline]
    fn next(&mut self) -> Option<Piece> {
        if self.at == self.len {
            return None;
        }
        // A plan without axes has one element.
        let (extent, stride) = self.plan.extents.last().zip(self.strides.last()).map_or((1, 0), |(&extent, &stride)| (extent, stride));
        let column = self.plan.extents.len().checked_sub(1).map_or(0, |last| std::mem::take(&mut self.coordinates[last]));
        let len = (extent - column).min(self.len - self.at);
        let piece = Piece { at: self.at, len, offset: self.offset, stride };
        self.at += len;
        self.offset -= column as isize * stride;
        self.next_row();
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Layout, Shape};

    #[test]
    fn every_run_has_the_offsets_of_its_elements() {
        let layouts =
            [([2, 3, 4], [12, 4, 1]), ([2, 3, 4], [1, 2, 6]), ([2, 3, 4], [0, 1, 0]), ([2, 3, 4], [-12, 0, -1]), ([1, 1, 1], [5, 5, 5])];
        for (shape, strides) in layouts {
            let layout = Layout::new(shape.into(), &strides);
            // Beside an operand in C order, so that axes are not merged.
            for plan in [Plan::new(layout.shape, &[layout]), Plan::new(layout.shape, &[layout, Layout::c_order(layout.shape)])] {
                let mut expected = Vec::new();
                layout.for_each_offset(|offset| expected.push(offset));
                for start in 0..plan.len {
                    for end in start..=plan.len {
                        let pieces = || Pieces::new(&plan, &plan.operands[0], start..end);
                        assert!(pieces().offsets().eq(expected[start..end].iter().copied()), "{layout}, {start}..{end}");
                        assert_eq!(pieces().map(|piece| piece.len).sum::<usize>(), end - start);
                        assert!(pieces().zip(pieces().skip(1)).all(|(piece, next)| piece.at + piece.len == next.at));
                    }
                }
            }
        }
    }

    #[test]
    fn a_plan_without_axes_has_one_piece() {
        let layout = Layout::c_order(Shape::from([]));
        let plan = Plan::new(layout.shape, &[layout]);
        let pieces: Vec<Piece> = Pieces::new(&plan, &plan.operands[0], 0..1).collect();
        assert_eq!(pieces, [Piece { at: 0, len: 1, offset: 0, stride: 0 }]);
    }
}
