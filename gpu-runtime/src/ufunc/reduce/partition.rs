//! The partition of a reduction: how elements are distributed over blocks and workers.
//!
//! A partition depends only on the shape, and on a GPU on the number of blocks that suits the GPU. It never depends on timing or on the
//! number of workers, so that floats round the same way in every run.

use crate::ufunc::axis::AxisShape;

/// The reduced axis in parts of equal length, but for the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) count: usize,
    /// How many elements of the axis are in a part.
    pub(super) chunk: usize,
}

impl Parts {
    /// About `wanted` parts of `reduced` elements, each at least `shortest` long, none of them empty.
    pub(super) fn new(reduced: usize, wanted: usize, shortest: usize) -> Self {
        let most = (reduced / shortest.max(1)).max(1);
        let chunk = reduced.div_ceil(wanted.clamp(1, most));
        Self { count: reduced.div_ceil(chunk), chunk }
    }
}

/// Threads of a block of every kernel of a reduction.
pub(super) const BLOCK: usize = 256;

/// The most blocks of a grid, along its first axis.
const MOST_BLOCKS: usize = i32::MAX as usize;

/// Elements that are worth a block of their own.
const ELEMENTS_OF_BLOCK: usize = 4096;

/// How many blocks fold `len` elements into one, of `blocks` that the GPU likes; each has some.
pub(super) fn blocks_of_all(len: usize, blocks: usize) -> usize {
    len.div_ceil(ELEMENTS_OF_BLOCK).clamp(1, blocks)
}

/// How a GPU folds consecutive elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rows {
    pub(super) parts: Parts,
    /// How many threads fold a part.
    pub(super) group: usize,
}

impl Rows {
    pub(super) fn new(axis: AxisShape, blocks: usize) -> Self {
        // Long enough that the block's threads have several elements each; else a few for each thread of a group.
        let group = if axis.len >= 4 * BLOCK { BLOCK } else { (axis.len / 4).max(1).next_power_of_two().min(32) };
        // More rows than that, which only views that repeat elements have, get a thread each.
        let group = if axis.outer.div_ceil(BLOCK / group) > MOST_BLOCKS { 1 } else { group };
        let wanted = if group == BLOCK { blocks.div_ceil(axis.outer.max(1)) } else { 1 };
        Self { parts: Parts::new(axis.len, wanted, ELEMENTS_OF_BLOCK), group }
    }

    fn blocks(self, axis: AxisShape) -> usize {
        (axis.outer * self.parts.count).div_ceil(BLOCK / self.group)
    }
}

/// How a GPU folds elements that are apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Columns {
    pub(super) parts: Parts,
    /// How many columns a block folds.
    pub(super) width: usize,
}

impl Columns {
    pub(super) fn new(axis: AxisShape, blocks: usize) -> Self {
        // A thread for each column where that occupies the GPU; else a warp reads neighbours and threads share a column.
        let full = axis.inner >= BLOCK && axis.results() >= blocks * BLOCK / 2;
        let width = if full { BLOCK } else { axis.inner.next_power_of_two().min(32) };
        let height = BLOCK / width;
        let wanted = blocks.div_ceil(axis.outer.saturating_mul(axis.inner.div_ceil(width)).max(1));
        Self { parts: Parts::new(axis.len, wanted, 16 * height), width }
    }

    fn blocks(self, axis: AxisShape) -> usize {
        self.parts.count * self.tiles(axis)
    }

    /// How many blocks there would be if the axis were in one part.
    fn tiles(self, axis: AxisShape) -> usize {
        axis.outer.saturating_mul(axis.inner.div_ceil(self.width))
    }

    /// Whether a thread by itself is better for each column: a block would have less to fold than it takes to share it, and
    /// there are threads enough or each is soon done. Or there are more columns than a grid has blocks.
    fn are_for_threads(self, axis: AxisShape, blocks: usize) -> bool {
        let short = axis.len.saturating_mul(self.width) < 4 * BLOCK;
        short && (axis.results() >= blocks * BLOCK / 2 || axis.len <= 32) || self.tiles(axis) > MOST_BLOCKS
    }
}

/// Which kernel of a GPU folds along an axis, and how it divides the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Division {
    /// Consecutive elements.
    Rows(Rows),
    /// Elements that are apart, by blocks.
    Columns(Columns),
    /// Elements that are apart, each result by a thread.
    Each,
}

impl Division {
    /// For an axis with results, on a GPU that likes to have that many blocks.
    pub(super) fn new(axis: AxisShape, blocks: usize) -> Self {
        if axis.inner == 1 {
            return Self::Rows(Rows::new(axis, blocks));
        }
        let columns = Columns::new(axis, blocks);
        if columns.are_for_threads(axis, blocks) { Self::Each } else { Self::Columns(columns) }
    }

    /// How many parts the reduced axis is in.
    pub(super) fn parts(self) -> usize {
        match self {
            Self::Rows(Rows { parts, .. }) | Self::Columns(Columns { parts, .. }) => parts.count,
            Self::Each => 1,
        }
    }

    /// How many blocks are launched.
    pub(super) fn blocks(self, axis: AxisShape) -> usize {
        match self {
            Self::Rows(rows) => rows.blocks(axis),
            Self::Columns(columns) => columns.blocks(axis),
            Self::Each => axis.results().div_ceil(BLOCK).min(MOST_BLOCKS),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The blocks that an H200 likes, those of a small GPU, and of one that no longer exists.
    const BLOCKS: [usize; 3] = [H200, 320, 16];
    const H200: usize = 2112;

    #[test]
    fn parts_cover_the_axis_and_none_is_empty() {
        for reduced in [1, 2, 31, 32, 33, 1000, 4096, 100_003] {
            for wanted in [1, 2, 7, 2112] {
                for shortest in [1, 16, 4096] {
                    let Parts { count, chunk } = Parts::new(reduced, wanted, shortest);
                    assert!(count * chunk >= reduced && (count - 1) * chunk < reduced, "{reduced} in {count} parts of {chunk}");
                    assert!(count <= wanted && (count == 1 || chunk >= shortest), "{reduced} in {count} parts of {chunk}");
                }
            }
        }
    }

    #[test]
    fn every_block_of_a_whole_reduction_has_elements() {
        for most in BLOCKS {
            for len in [1, 255, 256, 257, 4095, 4096, 4097, 8193, 100_003, 100_000_000] {
                let blocks = blocks_of_all(len, most);
                assert!((blocks - 1) * BLOCK < len, "{len} in {blocks} blocks");
            }
        }
        assert_eq!(blocks_of_all(4000, H200), 1);
        assert_eq!(blocks_of_all(100_000_000, H200), 2112);
    }

    #[test]
    fn few_long_rows_are_split_and_many_are_not() {
        let rows = |outer, reduced| Rows::new(AxisShape { outer, len: reduced, inner: 1 }, H200);
        assert!(rows(2, 50_000_000).parts.count > 1000);
        assert_eq!(rows(10_000, 10_000), Rows { parts: Parts { count: 1, chunk: 10_000 }, group: 256 });
        assert_eq!(rows(1_000_000, 3).group, 1);
        assert_eq!(rows(1_000_000, 100).group, 32);
        assert_eq!((rows((1 << 31) - 1, 2000).group, rows(1 << 31, 2000).group), (256, 1));
        let axis = AxisShape { outer: 1_000_000, len: 3, inner: 1 };
        assert_eq!(Rows::new(axis, H200).blocks(axis), 1_000_000usize.div_ceil(256));
    }

    #[test]
    fn groups_and_widths_are_powers_of_two_that_divide_the_block() {
        for most in BLOCKS {
            for outer in [1, 3, 1000] {
                for reduced in [1, 2, 3, 5, 100, 1023, 1024, 100_003] {
                    for inner in [2, 3, 31, 33, 255, 256, 10_000] {
                        let rows = Rows::new(AxisShape { outer, len: reduced, inner: 1 }, most);
                        assert!(BLOCK.is_multiple_of(rows.group) && (rows.group <= 32 || rows.group == BLOCK), "{rows:?}");
                        let columns = Columns::new(AxisShape { outer, len: reduced, inner }, most);
                        assert!(columns.width.is_power_of_two() && columns.width <= BLOCK, "{columns:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn few_columns_share_the_gpu_and_many_have_a_thread_each() {
        let columns = |outer, reduced, inner| Columns::new(AxisShape { outer, len: reduced, inner }, H200);
        assert_eq!(columns(1, 10_000, 10_000).width, 32);
        assert!(columns(1, 10_000, 10_000).parts.count > 1);
        assert_eq!(columns(1, 100, 1_000_000), Columns { parts: Parts { count: 1, chunk: 100 }, width: 256 });
        assert_eq!(columns(1, 10_000_000, 3).width, 4);
    }

    #[test]
    fn short_columns_have_a_thread_each_and_long_ones_a_block() {
        let division = |outer, reduced, inner| {
            let axis = AxisShape { outer, len: reduced, inner };
            let division = Division::new(axis, H200);
            (division, division.blocks(axis))
        };
        assert_eq!(division(1_000_000, 4, 2), (Division::Each, 7813));
        assert_eq!(division(1000, 4, 2), (Division::Each, 8));
        assert_eq!(division(1_000_000, 200, 3), (Division::Each, 11_719));
        for (outer, reduced, inner) in [(1, 10_000, 10_000), (1, 10_000_000, 3), (10, 200, 3), (1_000_000, 1000, 2)] {
            let (division, _) = division(outer, reduced, inner);
            assert!(matches!(division, Division::Columns(_)), "{outer} × {reduced} × {inner}: {division:?}");
        }
        assert!(matches!(division(5, 100, 1).0, Division::Rows(_)));
    }

    #[test]
    fn no_grid_is_larger_than_a_gpu_allows() {
        let outers = [1, 1 << 20, (1 << 30) - 1, (1 << 31) - 1, 1 << 31, (1 << 31) + 1, (1 << 32) - 1, 1 << 32, (1 << 34) + 1];
        for most in BLOCKS {
            for outer in outers {
                // Memory bounds the results, not the elements: views repeat them.
                for reduced in [1, 2, 100, 1024, 100_003, 1 << 28] {
                    for inner in [1, 2, 3, 32, 33] {
                        let axis = AxisShape { outer, len: reduced, inner };
                        let division = Division::new(axis, most);
                        let blocks = division.blocks(axis);
                        assert!((1..=MOST_BLOCKS).contains(&blocks), "{axis:?}: {blocks} blocks of {division:?}");
                        let task = match division {
                            Division::Rows(rows) => BLOCK / rows.group,
                            Division::Columns(columns) => columns.width,
                            Division::Each => BLOCK,
                        };
                        assert!(blocks * task >= axis.results() * division.parts() || division == Division::Each, "{axis:?}: {division:?}");
                    }
                }
            }
        }
    }
}
