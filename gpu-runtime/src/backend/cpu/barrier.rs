//! Kernels with barriers: one future per GPU thread, polled in rounds.
//!
//! rustc has turned the body into a state machine that returns `Pending` at each barrier and nowhere else. So polling every thread of the
//! block once takes each of them to its next barrier, or to its end. At the end of the round, all live threads have reached a barrier, so
//! the next round lets them continue. There is no queue and no waker: it is known which threads are ready. If the threads of a warp wait
//! for each other ([`warp`](super::warp)), a round polls them repeatedly until they have reached a barrier too.
//!
//! Barriers do not wait for threads that have returned, as on GPUs since compute capability 7.0. Live threads that wait at different calls
//! of `sync_threads()` are undefined behaviour on a GPU; here they are a failure that names both places.
//!
//! A thread that spins suspends as well, at a pause. A pause is not a barrier: within a round, such threads are resumed until each of them
//! has reached a barrier too.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::task::{Context, Poll};

use super::blocks::Blocks;
use super::futures::{Futures, Threads};
use super::live_threads::LiveThreads;
use super::thread::{Stop, Thread};
use super::warp::WARP_SIZE;
use crate::source::Site;

/// Where the live threads of a block wait in the current round: nowhere before the first of them arrives.
#[derive(Default)]
pub(super) struct Round {
    barrier_site: Cell<Option<Site>>,
    /// The votes cast so far in this round.
    votes: Cell<Votes>,
    /// Those of the round before, which its threads now read.
    counted: Cell<Votes>,
    /// The numbers of the threads that have given way, and wait neither at a barrier nor for their warp.
    spinning: RefCell<Vec<usize>>,
}

impl Round {
    /// Where threads wait.
    pub(super) fn barrier_site(&self) -> Option<Site> {
        self.barrier_site.get()
    }

    /// The threads that have given way, which are now asked to continue.
    pub(super) fn take_spinning(&self) -> Vec<usize> {
        self.spinning.take()
    }

    /// Whether a thread of that warp has given way.
    pub(super) fn has_spinning(&self, warp: usize) -> bool {
        self.spinning.borrow().iter().any(|number| number / WARP_SIZE == warp)
    }
}

/// How many threads of a block came to a barrier with a condition, and for how many it held.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Votes {
    pub(crate) cast: u32,
    pub(crate) held: u32,
}

/// A thread's wait for others, at a barrier or in a loop: pending once, then over.
#[derive(Debug)]
#[must_use = "a pause does nothing unless awaited"]
pub struct Pause {
    resumed: bool,
}

impl Thread<'_> {
    /// Arrives at the barrier at `site`; awaiting the result waits for the block's other live threads.
    #[inline]
    pub fn barrier(&self, site: u32) -> Pause {
        let site = self.sites.at(site);
        let barrier_site = &self.block.worker.round.barrier_site;
        match barrier_site.get() {
            Some(other) if other == site => {}
            None => barrier_site.set(Some(site)),
            // Ends the launch after this round.
            Some(other) => {
                let Stop = self.block.worker.record_divergence(site, other, self.block.index.get(), self.index);
            }
        }
        Pause { resumed: false }
    }

    /// The same with a condition, and how it stood with all threads.
    #[inline]
    pub(crate) async fn vote(&self, held: bool, site: u32) -> Votes {
        let Round { votes, counted, .. } = &self.block.worker.round;
        let Votes { cast, held: others } = votes.get();
        votes.set(Votes { cast: cast + 1, held: others + u32::from(held) });
        self.barrier(site).await;
        counted.get()
    }

    /// Awaiting the result lets the other threads of the block continue: to their ends, to a barrier, or to a pause of their own.
    #[inline]
    pub fn give_way(&self) -> Pause {
        self.block.worker.round.spinning.borrow_mut().push(self.number as usize);
        Pause { resumed: false }
    }
}

impl Future for Pause {
    type Output = ();

    #[inline]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.resumed {
            return Poll::Ready(());
        }
        self.resumed = true;
        Poll::Pending
    }
}

impl<'b> Blocks<'b> {
    /// Runs `kernel`, which suspends at barriers, for every thread of every block.
    #[inline]
    pub fn for_each_thread_async<F, Fut>(self, kernel: F) -> Result<(), Stop>
    where
        F: Fn(Thread<'b>) -> Fut,
        Fut: Future<Output = Result<(), Stop>>,
    {
        let threads = self.threads_of_block();
        self.run_rounds(Box::new(Futures::new(kernel, threads)))
    }

    /// How many threads a block has.
    pub(super) fn threads_of_block(&self) -> usize {
        self.block.dims.block.iter().map(|&extent| extent as usize).product()
    }

    /// Runs every block from barrier to barrier.
    fn run_rounds<'t>(self, threads: Box<dyn Threads<'b> + 't>) -> Result<(), Stop> {
        let mut threads = LiveThreads::new(threads, self.threads_of_block());
        self.for_each_block(|| {
            threads.start(&self);
            loop {
                threads.resume_all(&self)?;
                threads.finish_round(&self)?;
                if threads.count() == 0 {
                    return Ok(());
                }
                self.end_round()?;
            }
        })
    }

    /// Checks that all live threads wait at the same place, which they now leave.
    #[inline]
    pub(super) fn end_round(&self) -> Result<Site, Stop> {
        let worker = self.block.worker;
        let barrier_site = worker.round.barrier_site.take();
        worker.round.counted.set(worker.round.votes.take());
        let site = barrier_site.expect("a round ends when all threads wait at a barrier");
        if let Some(checker) = self.block.checker {
            checker.pass_barrier(self.block.linear());
            if let Some(failure) = checker.early_read() {
                return Err(worker.record(failure));
            }
        }
        if worker.has_failed() { Err(Stop) } else { Ok(site) }
    }
}
