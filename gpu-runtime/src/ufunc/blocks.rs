//! The order of elements on the CPU for operands that follow another axis than the result, such as transposes.
//!
//! What is next to each other in such an operand belongs to different rows of the result. So elements are computed in blocks: parts of
//! rows, and the same parts of the rows below, which use the lines of the cache that the first has brought. The lines of the next block are
//! far apart, so that the processor does not foresee them: while a block is computed, it is asked for them.

use std::ops::Range;

use super::cpu::{Line, SHORT};
use super::plan::{Access, Operand, Plan};
use super::strided::{self, Place};

/// Columns of a block: a large part of a row.
const COLUMNS: usize = SHORT;

/// An operand with less than this from column to column, in elements, uses all of a line of the cache as it is.
const LINE: usize = 16;

/// Between the rows of a copy, if each is computed on its own. With a power of two from row to row, the elements of a column would be in the
/// same sets of the cache.
const GAP: usize = 16;

/// Elements of a copy at most: those of 64 rows of all columns, so that four lines of the cache with elements of four bytes follow each other.
const ROOM: usize = 64 * (COLUMNS + GAP);

/// The blocks of a plan.
pub(super) struct Blocks<'p> {
    plan: &'p Plan,
    /// The axis along which rows of a block follow each other.
    axis: usize,
    rows: usize,
    columns: usize,
    /// From each row of a copy to the next.
    pitch: usize,
}

impl<'p> Blocks<'p> {
    /// Those of a plan with an operand that follows another axis than the last.
    pub(super) fn of(plan: &'p Plan) -> Option<Self> {
        let last = plan.extents.len().checked_sub(1)?;
        let axis = (0..last).find(|&axis| plan.operands.iter().any(|operand| turn(operand, axis).is_some()))?;
        let columns = plan.extents[last].min(COLUMNS);
        // Whole rows that follow each other in the result do so in copies, too, so that a run has many short ones.
        let pitch = if axis + 1 == last && columns == plan.extents[last] { columns } else { columns + GAP };
        Some(Self { plan, axis, rows: plan.extents[axis].min(ROOM / pitch), columns, pitch })
    }

    /// The distance of the rows of a block in an operand, 1 or −1, if the operand follows their axis.
    pub(super) fn turn(&self, operand: &Operand) -> Option<isize> {
        turn(operand, self.axis)
    }

    /// The size of a block along an axis.
    fn size(&self, axis: usize) -> usize {
        match axis {
            _ if axis + 1 == self.plan.extents.len() => self.columns,
            _ if axis == self.axis => self.rows,
            _ => 1,
        }
    }

    pub(super) fn count(&self) -> usize {
        self.plan.extents.iter().enumerate().map(|(axis, extent)| extent.div_ceil(self.size(axis))).product()
    }

    /// Room for what an operand whose elements have so many bytes has of a block.
    pub(super) fn room(&self, size: usize) -> Turned {
        Turned(Line::room_for(self.rows * self.pitch, size))
    }

    /// How many a worker takes at a time: several, as only those after the first are fetched ahead, and few enough for all workers.
    pub(super) fn grain(&self) -> usize {
        (self.count() / (4 * rayon_core::current_num_threads())).clamp(1, 16)
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
            if axis + 1 == self.plan.extents.len() {
                columns = here;
            } else if axis == self.axis {
                (rows, row_len) = (here, stride);
            }
            stride *= extent;
        }
        Block { start, rows, row_len, columns, pitch: self.pitch }
    }
}

/// The stride of an operand along an axis, if it is 1 or −1, and that along the last axis is large.
fn turn(operand: &Operand, axis: usize) -> Option<isize> {
    let (stride, of_columns) = (operand.strides[axis], *operand.strides.last()?);
    (operand.access == Access::Strided && stride.unsigned_abs() == 1 && of_columns.unsigned_abs() > LINE).then_some(stride)
}

/// Parts of rows that are below each other.
pub(super) struct Block {
    /// The first element.
    pub(super) start: usize,
    rows: usize,
    /// From each row to the next.
    row_len: usize,
    columns: usize,
    /// From each row of a copy to the next.
    pub(super) pitch: usize,
}

impl Block {
    /// Its elements, in runs of consecutive ones, each with the number of its first row.
    pub(super) fn runs(&self) -> impl Iterator<Item = (usize, Range<usize>)> + use<> {
        let Self { start, rows, row_len, columns, pitch } = *self;
        let at_once = if pitch == columns { (SHORT / columns).max(1) } else { 1 };
        (0..rows).step_by(at_once).map(move |row| {
            let first = start + row * row_len;
            (row, first..first + at_once.min(rows - row) * columns)
        })
    }

    /// The run after the one that starts in a row, or the first one of the next block, unless runs are next to each other.
    pub(super) fn after(&self, row: usize, next: Option<&Self>) -> Option<Range<usize>> {
        let (start, columns) = match next {
            _ if self.pitch == self.columns => return None,
            _ if row + 1 < self.rows => (self.start + (row + 1) * self.row_len, self.columns),
            next => next.map(|next| (next.start, next.columns))?,
        };
        Some(start..start + columns)
    }

    /// Asks for as much of this block in an operand as a run of the block before, which starts in this row, leaves time for.
    pub(super) fn fetch(&self, size: usize, elements: Place<*const u8>, before: &Self, row: usize, run: usize) {
        let share = |row: usize| row * self.columns / before.rows;
        let last = if elements.strides[0] < 0 { self.rows as isize - 1 } else { 0 };
        for column in share(row)..share(row + run / before.columns) {
            let offset = column as isize * elements.strides[1] - last;
            fetch(elements.first.wrapping_offset(offset * size as isize), self.rows * size);
        }
    }
}

/// Asks for the lines of the cache with so many bytes.
#[inline]
pub(super) fn fetch(first: *const u8, bytes: usize) {
    for at in (0..bytes).step_by(64) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: it reads nothing, and any address will do.
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T1 }>(first.wrapping_add(at).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (first, at);
    }
}

/// Room for what an operand has of a block, row by row.
pub(super) struct Turned(Vec<Line>);

impl Turned {
    /// The address of an element.
    pub(super) fn from(&self, element: usize, size: usize) -> *const u8 {
        self.0.as_ptr().cast::<u8>().wrapping_add(element * size)
    }

    /// Copies the elements of a block.
    ///
    /// # Safety
    ///
    /// The elements have `size` bytes, as many as there is room for, and can be read.
    pub(super) unsafe fn fill(&mut self, size: usize, elements: Place<*const u8>, block: &Block) {
        debug_assert!(block.rows * block.pitch * size <= self.0.capacity() * size_of::<Line>());
        let target = Place { first: self.0.as_mut_ptr().cast(), strides: [block.pitch as isize, 1] };
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
        for (shape, strides) in [
            ([3, 40, 700], [28_000, 1, 40]),
            ([100, 3, 170], [1, 17_000, 100]),
            ([1, 50, 600], [0, 1, 50]),
            ([2, 3000, 20], [60_000, 1, 3000]),
        ] {
            let plan = Plan::new(shape.into(), &[Layout::new(shape.into(), &strides), Layout::c_order(shape.into())]);
            let blocks = Blocks::of(&plan).expect("the operand is turned");
            let mut elements: Vec<usize> =
                (0..blocks.count()).flat_map(|block| blocks.block(block).runs()).flat_map(|(_, run)| run).collect();
            elements.sort_unstable();
            assert!(elements.into_iter().eq(0..plan.len), "{shape:?}");
        }
        // A row for all, and columns next to each other.
        for (shape, strides) in [([40, 700], [0, 1]), ([700, 40], [1, 7])] {
            let layouts = [Layout::new(shape.into(), &strides), Layout::c_order(shape.into())];
            assert!(Blocks::of(&Plan::new(shape.into(), &layouts)).is_none());
        }
    }
}
