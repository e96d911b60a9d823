//! Kernels with a grid barrier, `sync_grid()`.
//!
//! Every block exists from the start, with its own worker state and the futures of its threads. A sweep over the blocks takes each of them
//! to its next grid barrier, or to its end; between grid barriers, a block goes from one of its own barriers to the next, like any block.
//! At the end of a sweep, all blocks that have not ended wait at a grid barrier, so the next sweep lets them continue. As in a block,
//! blocks that wait at different calls are a failure that names both places.
//!
//! Blocks are independent within a sweep, so rayon may distribute them over its workers. No worker ever blocks: if the threads of a block
//! spin because they wait for another block, the worker continues with other blocks and returns to this one later.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::blocks::{Blocks, block_index, next_index};
use super::futures::{Futures, Threads};
use super::live_threads::LiveThreads;
use super::schedule::Twin;
use super::thread::{Block, Stop, Thread, Worker};
use crate::dims::LaunchDims;
use crate::failure::KernelFailure;
use crate::fork;
use crate::source::{Site, SiteKind};

/// As many threads as a large GPU holds at a time.
const MOST_THREADS: u64 = 1 << 18;

/// And as many blocks.
const MOST_BLOCKS: u64 = 1 << 12;

/// A sweep that takes longer than that on one worker is worth sharing.
const WORTH_SHARING: Duration = Duration::from_micros(50);

/// One that takes less on all of them is not.
const NOT_WORTH_SHARING: Duration = Duration::from_micros(15);

/// How often a block looks after threads that spin before the other blocks may continue.
const LOOKS: usize = 8;

/// The most blocks of so many threads that can wait for each other here.
pub(crate) fn most_blocks_of_grid(threads_per_block: u64) -> u64 {
    (MOST_THREADS / threads_per_block.max(1)).min(MOST_BLOCKS)
}

/// Runs every block of the grid. There are `blocks` of them, at least one.
pub(super) fn run<F>(twin: &Twin<F>, dims: &LaunchDims, blocks: u64) -> Result<(), KernelFailure>
where
    F: Fn(Blocks<'_>) -> Result<(), Stop>,
{
    let workers: Vec<Worker> = (0..blocks).map(|_| Worker::default()).collect();
    let grid: Vec<Block<'_>> = workers.iter().zip(0..).map(|(worker, number)| block_of_grid(*dims, twin, worker, number)).collect();
    let abandoned = AtomicBool::new(false);
    let all = Blocks { range: 0..blocks, block: &grid[0], grid: &grid, abandoned: &abandoned, probe: None };
    // Without `Stop`, there may still be an overflow that the checker reported.
    let _stopped = (twin.run_blocks)(all);
    workers.iter().find_map(|worker| worker.take_failure(twin.name, twin.work())).map_or(Ok(()), Err)
}

fn block_of_grid<'b, F>(dims: LaunchDims, twin: &'b Twin<F>, worker: &'b Worker, number: u64) -> Block<'b> {
    let block = Block::new(dims, twin, worker);
    block.index.set(block_index(number, dims.grid));
    worker.shared.begin_block();
    worker.dynamic.begin_block();
    block
}

/// A block on its way through the kernel.
struct GridBlock<'t, 'b> {
    /// The block alone, for what it has in common with one that nobody waits for.
    own: Blocks<'b>,
    threads: LiveThreads<'t, 'b>,
    /// Whether all live threads have been resumed since they were last together.
    resumed: bool,
    state: State,
}

#[derive(Clone, Copy)]
enum State {
    /// It can continue.
    Ready,
    /// Its live threads wait for the grid.
    Waits(Site),
    Ended,
    /// A thread has failed, or another block's has.
    Stopped,
}

// SAFETY: what is not `Send` in it are references to the block's state and the futures, which hold such references. The state is
// that of this block alone, so it goes where the block goes. What the futures of several blocks share are the kernel's arguments, which
// are `Sync`, and which any worker may use.
unsafe impl Send for GridBlock<'_, '_> {}

impl<'b> Blocks<'b> {
    /// Runs `kernel`, which suspends at barriers of blocks and of the grid, for every thread of the grid.
    #[inline]
    pub fn for_each_thread_of_grid<F, Fut>(self, kernel: F) -> Result<(), Stop>
    where
        F: Fn(Thread<'b>) -> Fut,
        Fut: Future<Output = Result<(), Stop>>,
    {
        assert!(!self.grid.is_empty(), "a kernel with a grid barrier needs a cooperative launch");
        let threads = self.threads_of_block();
        let mut blocks: Vec<GridBlock<'_, 'b>> = Vec::with_capacity(self.grid.len());
        for block in self.grid {
            blocks.push(GridBlock::new(block, self.abandoned, Box::new(Futures::new(&kernel, threads)), threads));
        }
        self.run_grid(blocks)
    }

    /// Runs the blocks of the grid from barrier to barrier.
    fn run_grid(self, mut blocks: Vec<GridBlock<'_, 'b>>) -> Result<(), Stop> {
        let can_share = self.block.checker.is_none() && blocks.len() > 1 && rayon_core::current_num_threads() > 1;
        let mut shares = can_share;
        loop {
            let started = Instant::now();
            if shares {
                advance_in_parallel(&mut blocks);
            } else {
                blocks.iter_mut().for_each(GridBlock::advance);
            }
            if can_share {
                shares = started.elapsed() > if shares { NOT_WORTH_SHARING } else { WORTH_SHARING };
            }
            if self.abandoned.load(Ordering::Relaxed) {
                return Err(Stop);
            }
            if blocks.iter().any(|block| matches!(block.state, State::Ready)) {
                continue;
            }
            if !open_barrier(&mut blocks)? {
                return Ok(());
            }
            if let Some(checker) = self.block.checker {
                checker.pass_grid_barrier();
            }
        }
    }
}

/// Lets every block run up to its next barrier of the grid, shared between rayon's workers.
fn advance_in_parallel(blocks: &mut [GridBlock<'_, '_>]) {
    match blocks {
        [] => {}
        [block] => block.advance(),
        _ => {
            fork::note_use();
            let (left, right) = blocks.split_at_mut(blocks.len() / 2);
            rayon_core::join(|| advance_in_parallel(left), || advance_in_parallel(right));
        }
    }
}

/// Lets the blocks continue that wait, if all do at the same place. Whether there are any.
fn open_barrier(blocks: &mut [GridBlock<'_, '_>]) -> Result<bool, Stop> {
    let mut barrier_site = None;
    for block in blocks {
        let State::Waits(site) = block.state else { continue };
        let other = *barrier_site.get_or_insert(site);
        if other != site {
            return Err(block.record_divergence(site, other));
        }
        block.state = State::Ready;
    }
    Ok(barrier_site.is_some())
}

impl<'t, 'b> GridBlock<'t, 'b> {
    fn new(block: &'b Block<'b>, abandoned: &'b AtomicBool, threads: Box<dyn Threads<'b> + 't>, len: usize) -> Self {
        let own = Blocks { range: 0..1, block, grid: &[], abandoned, probe: None };
        let mut threads = LiveThreads::new(threads, len);
        threads.start(&own);
        Self { own, threads, resumed: false, state: State::Ready }
    }

    /// A failure of the first live thread, which waits at `site` while those of another block wait at `other`.
    #[cold]
    fn record_divergence(&self, site: Site, other: Site) -> Stop {
        let block = self.own.block;
        let [width, height, _] = block.dims.block;
        let first = self.threads.first().unwrap_or_default();
        let thread = (0..first).fold([0; 3], |index, _| next_index(index, [width, height]));
        block.worker.record_divergence(site, other, block.index.get(), thread)
    }

    /// Brings the block as far as it gets without the others.
    fn advance(&mut self) {
        if !matches!(self.state, State::Ready) {
            return;
        }
        self.state = match self.own.abandoned.load(Ordering::Relaxed) {
            true => State::Stopped,
            false => self.run().unwrap_or(State::Stopped),
        };
        if matches!(self.state, State::Stopped) {
            self.own.abandoned.store(true, Ordering::Relaxed);
        }
    }

    fn run(&mut self) -> Result<State, Stop> {
        loop {
            if !self.resumed {
                self.threads.resume_all(&self.own)?;
                self.resumed = true;
            }
            let mut looks = 0;
            while self.threads.resume_spinning(&self.own)? {
                looks += 1;
                if looks == LOOKS {
                    return Ok(State::Ready);
                }
            }
            self.resumed = false;
            if self.threads.count() == 0 {
                return Ok(State::Ended);
            }
            let site = self.own.end_round()?;
            if site.kind() == SiteKind::GridBarrier {
                return Ok(State::Waits(site));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_as_large_as_a_large_gpu_holds() {
        assert_eq!(most_blocks_of_grid(1024), 256);
        assert_eq!(most_blocks_of_grid(256), 1024);
        assert_eq!(most_blocks_of_grid(1), 4096);
    }
}
