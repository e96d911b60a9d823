//! The order of elements on the CPU for operands that follow another axis than the result, such as transposes.
//!
//! What is next to each other in such an operand belongs to different rows of the result. So elements are computed in blocks: parts of
//! rows, and the same parts of the rows below, which use the lines of the cache that the first has brought.

use std::ops::Range;

use super::cpu::{Line, RUN};
use super::plan::{Access, Operand, Plan};
use super::strided::{self, Place};

/// Rows and columns of a block: four lines of the cache with elements of four bytes, one after the other, and a large part of a row.
pub(super) const ROWS: usize = 64;
pub(super) const COLUMNS: usize = 512;

/// An operand with less than this from column to column, in elements, uses all of a line of the cache as it is.
const LINE: usize = 16;

/// Rows with at most so many columns are turned many at a time in the buffer of a run.
const FEW: usize = RUN / LINE;

/// From a row of a copy to the next, in elements. With a power of two, the elements of a column would be in the same sets of the cache.
const PITCH: usize = COLUMNS + 16;

/// The blocks of a plan.
pub(super) struct Blocks<'p> {
    plan: &'p Plan,
    /// The axis along which rows of a block follow each other.
    axis: usize,
}

impl<'p> Blocks<'p> {
    /// Those of a plan with an operand that follows another axis than the last.
    pub(super) fn of(plan: &'p Plan) -> Option<Self> {
        let last = plan.extents.len().checked_sub(1)?;
        // A run has many short rows that follow each other.
        let axes = if plan.extents[last] <= FEW { last.saturating_sub(1) } else { last };
        (0..axes).map(|axis| Self { plan, axis }).find(|blocks| plan.operands.iter().any(|operand| blocks.turn(operand).is_some()))
    }

    /// The distance of the rows of a block in an operand, 1 or −1, if the operand follows their axis.
    pub(super) fn turn(&self, operand: &Operand) -> Option<isize> {
        let (stride, of_columns) = (operand.strides[self.axis], operand.strides[self.plan.extents.len() - 1]);
        (operand.access == Access::Strided && stride.unsigned_abs() == 1 && of_columns.unsigned_abs() > LINE).then_some(stride)
    }

    /// The size of a block along an axis.
    fn size(&self, axis: usize) -> usize {
        match axis {
            _ if axis + 1 == self.plan.extents.len() => COLUMNS,
            _ if axis == self.axis => ROWS,
            _ => 1,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.plan.extents.iter().enumerate().map(|(axis, extent)| extent.div_ceil(self.size(axis))).product()
    }

    pub(super) fn block(&self, block: usize) -> Block {
        let (mut rest, mut stride, mut start) = (block, 1, 0);
        let (mut rows, mut row_len, mut columns) = (1, 0, 1);
        for (axis, &extent) in self.plan.extents.iter().enumerate().rev() {
            let size = self.size(axis);
            let blocks = extent.div_ceil(size);
            let first = rest % blocks * size;
            rest /= blocks;
            start += first * stride;
            let here = size.min(extent - first);
            if axis == self.axis {
                (rows, row_len) = (here, stride);
            } else if size == COLUMNS {
                columns = here;
            }
            stride *= extent;
        }
        Block { start, rows, row_len, columns }
    }
}

/// Parts of rows that are below each other.
pub(super) struct Block {
    /// The first element.
    pub(super) start: usize,
    pub(super) rows: usize,
    /// From each row to the next.
    row_len: usize,
    pub(super) columns: usize,
}

impl Block {
    /// Its elements, in runs of consecutive ones.
    pub(super) fn runs(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let Self { start, rows, row_len, columns } = *self;
        (0..rows).map(move |row| start + row * row_len..start + row * row_len + columns)
    }
}

/// Room for what an operand has of a block, row by row.
pub(super) struct Turned(Vec<Line>);

impl Turned {
    /// For elements with so many bytes.
    pub(super) fn new(size: usize) -> Self {
        Self(Line::room_for(ROWS * PITCH, size))
    }

    pub(super) fn row(&self, row: usize, size: usize) -> *const u8 {
        self.0.as_ptr().cast::<u8>().wrapping_add(row * PITCH * size)
    }

    /// Copies the elements of a block.
    ///
    /// # Safety
    ///
    /// The elements have `size` bytes, as many as there is room for, and can be read.
    pub(super) unsafe fn fill(&mut self, size: usize, elements: Place<*const u8>, block: &Block) {
        debug_assert!(block.rows <= ROWS && block.columns <= COLUMNS);
        let target = Place { first: self.0.as_mut_ptr().cast(), strides: [PITCH as isize, 1] };
        // SAFETY: there is room for a block; the caller guarantees the elements.
        unsafe { strided::copy(size, elements, target, [block.rows, block.columns]) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Layout;

    #[test]
    fn every_element_is_in_one_run_of_one_block() {
        for (shape, strides) in [([3, 40, 700], [28_000, 1, 40]), ([100, 3, 170], [1, 17_000, 100]), ([1, 50, 600], [0, 1, 50])] {
            let plan = Plan::new(shape.into(), &[Layout::new(shape.into(), &strides), Layout::c_order(shape.into())]);
            let blocks = Blocks::of(&plan).expect("the operand is turned");
            let mut elements: Vec<usize> = (0..blocks.count()).flat_map(|block| blocks.block(block).runs()).flatten().collect();
            elements.sort_unstable();
            assert!(elements.into_iter().eq(0..plan.len), "{shape:?}");
        }
        // A row for all, and short rows, many of which are in a run.
        for (shape, strides) in [([40, 700], [0, 1]), ([700, 40], [1, 700])] {
            let layouts = [Layout::new(shape.into(), &strides), Layout::c_order(shape.into())];
            assert!(Blocks::of(&Plan::new(shape.into(), &layouts)).is_none());
        }
    }
}
