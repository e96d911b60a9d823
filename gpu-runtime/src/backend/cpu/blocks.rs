//! A run of consecutive blocks on one worker, and the plain loop over the threads of each.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use super::schedule::Probe;
use super::thread::{Block, Stop, Thread};
use crate::dims::LaunchDims;

/// The most threads of a line, but for a block that is longer: so many that what a line costs does not matter, and so few that a failure
/// elsewhere soon ends the launch.
const LONGEST_LINE: u32 = 1 << 14;

/// Consecutive blocks of one launch, x fastest, that one worker runs.
pub struct Blocks<'b> {
    /// Linear block numbers.
    pub(super) range: Range<u64>,
    pub(super) block: &'b Block<'b>,
    /// All blocks of the launch, where they wait for each other; else none.
    pub(super) grid: &'b [Block<'b>],
    /// Set when a block of the launch has failed.
    pub(super) abandoned: &'b AtomicBool,
    /// Of the calling thread, which runs alone until helpers seem worth calling.
    pub(super) probe: Option<&'b Probe<'b>>,
}

impl<'b> Blocks<'b> {
    /// The grid and the block.
    #[inline]
    pub fn dims(&self) -> &LaunchDims {
        &self.block.dims
    }

    /// Runs `kernel` for every thread of every block, one after the other, x fastest.
    #[inline]
    pub fn for_each_thread<F>(self, kernel: F) -> Result<(), Stop>
    where
        F: Fn(&Thread<'_>) -> Result<(), Stop>,
    {
        self.for_each_thread_below(None, kernel)
    }

    /// The same for the threads whose x coordinate in the grid is below `limit`, where others do nothing.
    #[inline]
    pub fn for_each_thread_below<F>(self, limit: Option<usize>, kernel: F) -> Result<(), Stop>
    where
        F: Fn(&Thread<'_>) -> Result<(), Stop>,
    {
        let limit = limit.unwrap_or(usize::MAX);
        self.for_each_row(&|[y, z], row| run_row(&kernel, self.block, [y, z], row, limit))
    }

    /// Runs `kernel` once for every block: a kernel with tiles, which has no threads.
    #[inline]
    pub fn for_each_block_alone<F>(self, kernel: F) -> Result<(), Stop>
    where
        F: Fn(&Thread<'_>) -> Result<(), Stop>,
    {
        self.for_each_block(|| {
            self.checkpoint();
            run_row(&kernel, self.block, [0, 0], 0..1, usize::MAX)
        })
    }

    /// The same blocks for a kernel whose threads know their x coordinate in the grid and nothing else of themselves.
    #[inline]
    pub fn lines(self) -> Lines<'b> {
        Lines(self)
    }

    /// Calls `run` for each row of threads of every block, with its y and z.
    fn for_each_row(&self, run: Run<'_>) -> Result<(), Stop> {
        let [width, height, depth] = self.block.dims.block;
        self.for_each_block(|| {
            for z in 0..depth {
                for y in 0..height {
                    self.for_each_part([y, z], width, run)?;
                }
            }
            Ok(())
        })
    }

    /// Calls `run` for the threads of a row, with pauses in which the launch may call for helpers.
    fn for_each_part(&self, yz: [u32; 2], width: u32, run: Run<'_>) -> Result<(), Stop> {
        let Some(probe) = self.probe else { return run(yz, 0..width) };
        let mut first = 0;
        while first < width {
            let threads = probe.until_look(width - first);
            run(yz, first..first + threads)?;
            probe.ran(threads);
            first += threads;
        }
        Ok(())
    }

    /// Calls `run` for each block with the block's state set up, until the launch is abandoned.
    #[inline]
    pub(super) fn for_each_block(&self, mut run: impl FnMut() -> Result<(), Stop>) -> Result<(), Stop> {
        let grid = self.block.dims.grid;
        let mut index = block_index(self.range.start, grid);
        for _ in self.range.clone() {
            if self.abandoned.load(Ordering::Relaxed) {
                break;
            }
            self.block.index.set(index);
            self.block.worker.shared.begin_block();
            self.block.worker.dynamic.begin_block();
            run()?;
            index = next_index(index, [grid[0], grid[1]]);
        }
        Ok(())
    }

    /// Lets a launch that takes long call for helpers.
    #[inline]
    pub(super) fn checkpoint(&self) {
        if let Some(probe) = self.probe {
            probe.check();
        }
    }
}

/// Runs the threads of a row whose x coordinates in a block are these.
type Run<'r> = &'r dyn Fn([u32; 2], Range<u32>) -> Result<(), Stop>;

/// Consecutive blocks whose rows continue each other.
///
/// A thread of a line has the block where the line begins, and a `threadIdx` that counts on from there: the sum that is its x coordinate
/// in the grid is the same.
pub struct Lines<'b>(Blocks<'b>);

impl<'b> Lines<'b> {
    /// The grid and the block.
    #[inline]
    pub fn dims(&self) -> &LaunchDims {
        self.0.dims()
    }

    /// Runs `kernel` for every thread, as [`Blocks::for_each_thread`].
    #[inline]
    pub fn for_each_thread<F>(self, kernel: F) -> Result<(), Stop>
    where
        F: Fn(&Thread<'_>) -> Result<(), Stop>,
    {
        self.for_each_thread_below(None, kernel)
    }

    /// Runs `kernel` for the threads below `limit`, as [`Blocks::for_each_thread_below`].
    #[inline]
    pub fn for_each_thread_below<F>(self, limit: Option<usize>, kernel: F) -> Result<(), Stop>
    where
        F: Fn(&Thread<'_>) -> Result<(), Stop>,
    {
        let (block, limit) = (self.0.block, limit.unwrap_or(usize::MAX));
        self.for_each_line(&|yz, row| run_row(&kernel, block, yz, row, limit))
    }

    fn for_each_line(&self, run: Run<'_>) -> Result<(), Stop> {
        let Blocks { range, block, abandoned, .. } = &self.0;
        let ([columns, rows, layers], [width, height, depth]) = (block.dims.grid, block.dims.block);
        // The checker knows threads by their numbers in their blocks.
        if [rows, layers, height, depth] != [1; 4] || block.checker.is_some() {
            return self.0.for_each_row(run);
        }
        debug_assert!(range.end <= columns.into());
        let most = u64::from(LONGEST_LINE / width).max(1);
        let mut first = range.start;
        while first < range.end && !abandoned.load(Ordering::Relaxed) {
            let blocks = most.min(range.end - first);
            // Below the extent of the grid, hence a u32; and a line has few threads.
            block.index.set([first as u32, 0, 0]);
            self.0.for_each_part([0, 0], blocks as u32 * width, run)?;
            first += blocks;
        }
        Ok(())
    }
}

/// Runs the threads of a row of a block, with these y and z, if their x coordinate in the grid is below `limit`.
// Outlined, so that what does not change within a row is in registers, and rustc sees one small loop.
#[inline(never)]
fn run_row<F>(kernel: &F, block: &Block<'_>, [y, z]: [u32; 2], row: Range<u32>, limit: usize) -> Result<(), Stop>
where
    F: Fn(&Thread<'_>) -> Result<(), Stop>,
{
    let (block, outlined) = (block.of_kernel(), block);
    let first = block.index.get()[0] as usize * block.dims.block[0] as usize;
    let end = limit.saturating_sub(first).min(row.end as usize) as u32;
    for x in row.start..end {
        let number = x + block.dims.block[0] * (y + block.dims.block[1] * z);
        kernel(&Thread { index: [x, y, z], number, block: &block, outlined, sites: outlined.sites })?;
    }
    Ok(())
}

/// The coordinates of the block with a linear number.
pub(super) fn block_index(linear: u64, [width, height, _]: [u32; 3]) -> [u32; 3] {
    let (width, height) = (u64::from(width), u64::from(height));
    // Each is below the grid's extent on its axis, hence a u32.
    [(linear % width) as u32, (linear / width % height) as u32, (linear / width / height) as u32]
}

/// The coordinates after `[x, y, z]`, of a block in its grid or of a thread in its block.
#[inline]
pub(super) fn next_index([x, y, z]: [u32; 3], [width, height]: [u32; 2]) -> [u32; 3] {
    if x + 1 < width {
        [x + 1, y, z]
    } else if y + 1 < height {
        [0, y + 1, z]
    } else {
        [0, 0, z + 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_numbered_with_x_fastest_and_z_slowest() {
        let grid = [3, 2, 4];
        let mut index = [0; 3];
        for linear in 0..24 {
            assert_eq!(index, block_index(linear, grid));
            index = next_index(index, [grid[0], grid[1]]);
        }
        assert_eq!(block_index(23, grid), [2, 1, 3]);
    }

    #[test]
    fn the_largest_grid_that_cuda_allows_can_be_numbered() {
        let grid = [(1 << 31) - 1, 65_535, 65_535];
        let blocks = grid.iter().map(|&extent| u64::from(extent)).product::<u64>();
        assert_eq!(block_index(blocks - 1, grid), [(1 << 31) - 2, 65_534, 65_534]);
    }
}
