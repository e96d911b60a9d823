//! The elements of strided operands on the CPU: runs of elements, cut into parts of rows and into whole rows below each other.
//!
//! Along the last axis of a plan, elements of an operand are at equal distances, and so are those along the axis before: a piece is copied
//! by two loops without carries between axes.

use std::ops::Range;

use super::plan::{Operand, Plan};
use crate::memory::MAX_RANK;

/// A part of a run along the last two axes: a part of a row, or whole rows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Which element of the run its first is.
    pub(super) at: usize,
    pub(super) rows: usize,
    pub(super) columns: usize,
    /// Where its first element is in the operand.
    pub(super) offset: isize,
    /// From each row, and from each column, to the next.
    pub(super) strides: [isize; 2],
}

impl Piece {
    pub(super) fn len(&self) -> usize {
        self.rows * self.columns
    }

    /// The offset of each element.
    pub(super) fn offsets(self) -> impl Iterator<Item = isize> {
        let Self { rows, columns, offset, strides: [of_rows, of_columns], .. } = self;
        (0..rows as isize).flat_map(move |row| (0..columns as isize).map(move |column| offset + row * of_rows + column * of_columns))
    }
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
        self.flat_map(Piece::offsets)
    }

    /// Moves to the start of a row, so many below this one, of which all but the last are along the axis before the last.
    #[inline]
    fn next_row(&mut self, mut rows: usize) {
        for (axis, &extent) in self.plan.extents.iter().enumerate().rev().skip(1) {
            self.coordinates[axis] += rows;
            self.offset += self.strides[axis] * rows as isize;
            if self.coordinates[axis] < extent {
                return;
            }
            self.offset -= self.strides[axis] * extent as isize;
            self.coordinates[axis] = 0;
            rows = 1;
        }
    }
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    #[inline]
    fn next(&mut self) -> Option<Piece> {
        let left = self.len - self.at;
        if left == 0 {
            return None;
        }
        let axes = self.plan.extents.len();
        // A plan without axes has one element.
        let Some(last) = axes.checked_sub(1) else {
            self.at = self.len;
            return Some(Piece { at: 0, rows: 1, columns: 1, offset: 0, strides: [0, 0] });
        };
        let (extent, of_columns, column) = (self.plan.extents[last], self.strides[last], self.coordinates[last]);
        let mut piece = Piece { at: self.at, rows: 1, columns: left.min(extent - column), offset: self.offset, strides: [0, of_columns] };
        if column == 0
            && left >= extent
            && let Some(before) = last.checked_sub(1)
        {
            piece.rows = (left / extent).min(self.plan.extents[before] - self.coordinates[before]);
            piece.strides[0] = self.strides[before];
        }
        self.at += piece.len();
        self.offset -= column as isize * of_columns;
        self.coordinates[last] = 0;
        self.next_row(piece.rows);
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
                        assert_eq!(pieces().map(|piece| piece.len()).sum::<usize>(), end - start);
                        assert!(pieces().zip(pieces().skip(1)).all(|(piece, next)| piece.at + piece.len() == next.at));
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
        assert_eq!(pieces, [Piece { at: 0, rows: 1, columns: 1, offset: 0, strides: [0, 0] }]);
    }
}
