//! A run of consecutive blocks on one worker, and the plain loop over the threads of each.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use super::schedule::Probe;
use super::thread::{Block, Stop, Thread};
use crate::dims::LaunchDims;

/// Consecutive blocks of one launch, x fastest, that one worker runs.
pub struct Blocks<'b> {
    /// Linear block numbers.
    pub(super) range: Range<u64>,
    pub(super) block: &'b Block<'b>,
    /// All blocks of the launch, where they wait for each other; else none.
    pub(super) grid: &'b [Block<'b>],
    /// Set when a block of the launch has failed.
    pub(super) abandoned: &'b AtomicBool,
    /// Present while the launch is small enough to wait for a sign that helpers are worth calling.
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

    /// Calls `run` for each row of threads of every block, with its y and z.
    fn for_each_row(&self, run: &dyn Fn([u32; 2], Range<u32>) -> Result<(), Stop>) -> Result<(), Stop> {
        let [width, height, depth] = self.block.dims.block;
        self.for_each_block(|| {
            for z in 0..depth {
                for y in 0..height {
                    let mut first = 0;
                    while first < width {
                        let threads = self.probe.map_or(width, |probe| probe.until_look(width - first));
                        run([y, z], first..first + threads)?;
                        if let Some(probe) = self.probe {
                            probe.ran(threads);
                        }
                        first += threads;
                    }
                }
            }
            Ok(())
        })
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

    /// Lets a small launch that takes long call for helpers.
    #[inline]
    pub(super) fn checkpoint(&self) {
        if let Some(probe) = self.probe {
            probe.check();
        }
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
        kernel(&Thread { index: [x, y, z], number, block: &block, outlined })?;
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
