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
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use super::barrier::poll;
use super::blocks::{Blocks, block_index, next_index};
use super::checker::Checker;
use super::schedule::Twin;
use super::thread::{Block, Stop, Thread, Worker};
use super::warp::{Parked, WARP_SIZE};
use crate::dims::LaunchDims;
use crate::failure::{KernelFailure, Work};
use crate::source::{Site, SiteKind};

/// As many threads as a large GPU holds at a time.
const MOST_THREADS: u64 = 1 << 18;

/// And as many blocks.
const MOST_BLOCKS: u64 = 1 << 12;

/// A sweep that takes longer than that on one worker is worth sharing.
const WORTH_SHARING: Duration = Duration::from_micros(50);

/// One that takes less on all of them is not.
const NOT_WORTH_SHARING: Duration = Duration::from_micros(15);

/// How often a block looks after threads that spin before the other blocks are let go on.
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
    let grid: Vec<Block<'_>> = workers
        .iter()
        .zip(0..)
        .map(|(worker, number)| block_of_grid(*dims, twin.in_bounds, twin.checker.as_ref(), worker, number))
        .collect();
    let abandoned = AtomicBool::new(false);
    let all = Blocks { range: 0..blocks, block: &grid[0], grid: &grid, abandoned: &abandoned, probe: None };
    match (twin.run_blocks)(all) {
        Ok(()) => Ok(()),
        Err(Stop) => workers.iter().find_map(|worker| worker.take_failure(twin.name, Work::Kernel)).map_or(Ok(()), Err),
    }
}

fn block_of_grid<'b>(dims: LaunchDims, in_bounds: bool, checker: Option<&'b Checker>, worker: &'b Worker, number: u64) -> Block<'b> {
    let block = Block::new(dims, in_bounds, checker, worker);
    block.index.set(block_index(number, dims.grid));
    worker.shared.begin_block();
    worker.dynamic.begin_block();
    block
}

/// A block on its way through the kernel.
struct GridBlock<'b, Fut> {
    /// The block alone, for what it has in common with one that nobody waits for.
    own: Blocks<'b>,
    /// Of its threads. Never resized, so that a future stays where it is.
    futures: Vec<Option<Fut>>,
    /// The warps with threads that wait for one that has given way.
    parked: Vec<(usize, Parked)>,
    /// How many of its threads have not ended.
    live: usize,
    /// Whether all of them have been resumed since they were last together.
    resumed: bool,
    state: State,
}

#[derive(Clone, Copy)]
enum State {
    /// It can go on.
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
unsafe impl<Fut> Send for GridBlock<'_, Fut> {}

impl<'b> Blocks<'b> {
    /// Runs `kernel`, which suspends at barriers of blocks and of the grid, for every thread of the grid.
    #[inline]
    pub fn for_each_thread_of_grid<F, Fut>(self, kernel: F) -> Result<(), Stop>
    where
        F: Fn(Thread<'b>) -> Fut,
        Fut: Future<Output = Result<(), Stop>>,
    {
        assert!(!self.grid.is_empty(), "the threads of a grid wait for each other in a kernel that does not say so");
        let mut blocks: Vec<_> = self.grid.iter().map(|block| GridBlock::new(block, self.abandoned, &kernel)).collect();
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
fn advance_in_parallel<Fut: Future<Output = Result<(), Stop>>>(blocks: &mut [GridBlock<'_, Fut>]) {
    match blocks {
        [] => {}
        [block] => block.advance(),
        _ => {
            let (left, right) = blocks.split_at_mut(blocks.len() / 2);
            rayon_core::join(|| advance_in_parallel(left), || advance_in_parallel(right));
        }
    }
}

/// Lets the blocks go on that wait, if all do at the same place. Whether there are any.
fn open_barrier<Fut>(blocks: &mut [GridBlock<'_, Fut>]) -> Result<bool, Stop> {
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

impl<'b, Fut> GridBlock<'b, Fut> {
    fn new(block: &'b Block<'b>, abandoned: &'b AtomicBool, kernel: impl Fn(Thread<'b>) -> Fut) -> Self {
        let [width, height, depth] = block.dims.block;
        let mut index = [0; 3];
        let futures = (0..width * height * depth).map(|number| {
            let thread = Thread { index, number, block };
            index = next_index(index, [width, height]);
            Some(kernel(thread))
        });
        Self {
            futures: futures.collect(),
            own: Blocks { range: 0..1, block, grid: &[], abandoned, probe: None },
            parked: Vec::new(),
            live: 0,
            resumed: false,
            state: State::Ready,
        }
    }

    /// A failure of the first live thread, which waits at `site` while those of another block wait at `other`.
    #[cold]
    fn record_divergence(&self, site: Site, other: Site) -> Stop {
        let block = self.own.block;
        let [width, height, _] = block.dims.block;
        let first = self.futures.iter().position(Option::is_some).unwrap_or_default();
        let thread = (0..first).fold([0; 3], |index, _| next_index(index, [width, height]));
        block.worker.record_divergence(site, other, block.index.get(), thread)
    }
}

impl<Fut> GridBlock<'_, Fut>
where
    Fut: Future<Output = Result<(), Stop>>,
{
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
        let mut context = Context::from_waker(Waker::noop());
        loop {
            if !self.resumed {
                self.live = 0;
                for (number, warp) in self.futures.chunks_mut(WARP_SIZE).enumerate() {
                    for slot in &mut *warp {
                        self.live += poll(slot, &mut context)?;
                    }
                    self.live -= self.own.run_warp_calls(number, warp, &mut self.parked, &mut context)?;
                }
                self.resumed = true;
            }
            let mut looks = 0;
            while self.own.resume_spinning(&mut self.live, &mut self.futures, &mut self.parked, &mut context)? {
                looks += 1;
                if looks == LOOKS {
                    return Ok(State::Ready);
                }
            }
            self.resumed = false;
            if self.live == 0 {
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
