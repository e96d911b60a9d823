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
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};

use super::blocks::{Blocks, next_index};
use super::thread::{Stop, Thread};
use super::warp::{Parked, WARP_SIZE, lanes_of};
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

    /// Whether a thread of that warp has given way.
    fn has_spinning(&self, warp: usize) -> bool {
        self.spinning.borrow().iter().any(|number| number / WARP_SIZE == warp)
    }
}

/// How many threads of a block came to a barrier with a condition, and for how many it held.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Votes {
    pub(crate) cast: u32,
    pub(crate) held: u32,
}

/// A pause in a thread that waits for another: pending once, then over.
#[derive(Debug)]
#[must_use = "a pause does nothing unless awaited"]
pub struct Pause {
    resumed: bool,
}

/// A thread's wait at a barrier: pending once, then over.
#[derive(Debug)]
#[must_use = "a barrier does nothing unless awaited"]
pub struct Barrier {
    resumed: bool,
}

impl Thread<'_> {
    /// Arrives at the barrier at `site`; awaiting the result waits for the block's other live threads.
    #[inline(always)]
    pub fn barrier(&self, site: Site) -> Barrier {
        let barrier_site = &self.block.worker.round.barrier_site;
        match barrier_site.get() {
            Some(other) if other == site => {}
            None => barrier_site.set(Some(site)),
            // Ends the launch after this round.
            Some(other) => {
                let Stop = self.block.worker.record_divergence(site, other, self.block.index.get(), self.index);
            }
        }
        Barrier { resumed: false }
    }

    /// The same with a condition, and how it stood with all threads.
    #[inline]
    pub(crate) async fn vote(&self, held: bool, site: Site) -> Votes {
        let Round { votes, counted, .. } = &self.block.worker.round;
        let Votes { cast, held: others } = votes.get();
        votes.set(Votes { cast: cast + 1, held: others + u32::from(held) });
        self.barrier(site).await;
        counted.get()
    }

    /// Awaiting the result lets the other threads of the block go on: to their ends, to a barrier, or to a pause of their own.
    #[inline]
    pub fn give_way(&self) -> Pause {
        self.block.worker.round.spinning.borrow_mut().push(self.number as usize);
        Pause { resumed: false }
    }
}

impl Future for Pause {
    type Output = ();

    #[inline(always)]
    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.resumed {
            return Poll::Ready(());
        }
        self.resumed = true;
        Poll::Pending
    }
}

impl Future for Barrier {
    type Output = ();

    #[inline(always)]
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
        let [width, height, depth] = self.block.dims.block;
        // Allocated once for all blocks of the run.
        let mut futures: Vec<Option<Fut>> = Vec::new();
        futures.resize_with(width as usize * height as usize * depth as usize, || None);
        let mut context = Context::from_waker(Waker::noop());

        self.for_each_block(|| {
            let (mut live, mut parked) = (0, Vec::new());
            let mut index = [0; 3];
            for (number, warp) in futures.chunks_mut(WARP_SIZE).enumerate() {
                for (lane, slot) in warp.iter_mut().enumerate() {
                    let thread = Thread { index, number: (number * WARP_SIZE + lane) as u32, block: self.block };
                    *slot = Some(kernel(thread));
                    live += poll(slot, &mut context)?;
                    index = next_index(index, [width, height]);
                }
                live -= self.run_warp_calls(number, warp, &mut parked, &mut context)?;
                self.checkpoint();
            }
            live = self.finish_round(live, &mut futures, &mut parked, &mut context)?;
            while live > 0 {
                self.end_round()?;
                self.checkpoint();
                live = 0;
                for (number, warp) in futures.chunks_mut(WARP_SIZE).enumerate() {
                    for slot in &mut *warp {
                        live += poll(slot, &mut context)?;
                    }
                    live -= self.run_warp_calls(number, warp, &mut parked, &mut context)?;
                }
                live = self.finish_round(live, &mut futures, &mut parked, &mut context)?;
            }
            Ok(())
        })
    }

    /// Lets the threads of a warp go on whose calls are complete, until all wait at barriers, have given way or have ended. Gives how many
    /// have ended. A warp with threads that wait for one that has given way is parked until that one goes on.
    #[inline(always)]
    pub(super) fn run_warp_calls<Fut>(
        &self,
        number: usize,
        warp: &mut [Option<Fut>],
        parked: &mut Vec<(usize, Parked)>,
        context: &mut Context<'_>,
    ) -> Result<usize, Stop>
    where
        Fut: Future<Output = Result<(), Stop>>,
    {
        let worker = self.block.worker;
        let mut ended = 0;
        if !worker.warp.is_waiting() {
            return Ok(ended);
        }
        let mut live = warp.iter().enumerate().fold(0, |live, (lane, slot)| live | u32::from(slot.is_some()) << lane);
        while worker.warp.is_waiting() {
            let released = worker.warp.release(live);
            if released == 0 {
                if !worker.round.has_spinning(number) {
                    return Err(worker.fail_warp(self.block, number, live));
                }
                parked.push((number, worker.warp.park()));
                break;
            }
            if let Some(checker) = self.block.checker {
                worker.warp.parties(released).for_each(|lanes| checker.synchronize_warp(self.block.linear(), number, lanes));
            }
            for lane in lanes_of(released) {
                if poll(&mut warp[lane], context)? == 0 {
                    live &= !(1 << lane);
                    ended += 1;
                }
            }
        }
        Ok(ended)
    }

    /// Resumes the threads that have given way, and only those and the threads that they wait for, until each has reached a barrier or its end.
    /// Of the `live` threads, how many are left.
    #[inline]
    fn finish_round<Fut>(
        &self,
        mut live: usize,
        futures: &mut [Option<Fut>],
        parked: &mut Vec<(usize, Parked)>,
        context: &mut Context<'_>,
    ) -> Result<usize, Stop>
    where
        Fut: Future<Output = Result<(), Stop>>,
    {
        loop {
            let before = live;
            if !self.resume_spinning(&mut live, futures, parked, context)? {
                return Ok(live);
            }
            if live == before {
                std::thread::yield_now();
            }
        }
    }

    /// Resumes once each thread that has given way, and takes those that end from the `live` ones. Whether there were any.
    #[inline]
    pub(super) fn resume_spinning<Fut>(
        &self,
        live: &mut usize,
        futures: &mut [Option<Fut>],
        parked: &mut Vec<(usize, Parked)>,
        context: &mut Context<'_>,
    ) -> Result<bool, Stop>
    where
        Fut: Future<Output = Result<(), Stop>>,
    {
        let spinning = self.block.worker.round.spinning.take();
        if spinning.is_empty() {
            return Ok(false);
        }
        // What they wait for may be another block's to do, which has to run, and may have been given up.
        self.checkpoint();
        if self.abandoned.load(Ordering::Relaxed) || self.block.worker.has_failed() {
            return Err(Stop);
        }
        for threads in spinning.chunk_by(|one, next| one / WARP_SIZE == next / WARP_SIZE) {
            let number = threads[0] / WARP_SIZE;
            if let Some(place) = parked.iter().position(|(parked, _)| *parked == number) {
                self.block.worker.warp.unpark(parked.swap_remove(place).1);
            }
            for &thread in threads {
                *live = *live - 1 + poll(&mut futures[thread], context)?;
            }
            let end = futures.len().min((number + 1) * WARP_SIZE);
            *live -= self.run_warp_calls(number, &mut futures[number * WARP_SIZE..end], parked, context)?;
        }
        Ok(true)
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

/// Resumes a thread if it still lives, and counts it (1, else 0) if it now waits for others.
#[inline(always)]
pub(super) fn poll<Fut>(slot: &mut Option<Fut>, context: &mut Context<'_>) -> Result<usize, Stop>
where
    Fut: Future<Output = Result<(), Stop>>,
{
    let Some(future) = slot else { return Ok(0) };
    // SAFETY: `slot` is an element of a vector of a block's futures, which is not resized after it was filled and whose
    // elements are replaced in place or dropped, never moved out. So a future that was polled here stays here until dropped.
    let future = unsafe { Pin::new_unchecked(future) };
    match future.poll(context) {
        Poll::Pending => Ok(1),
        Poll::Ready(result) => {
            *slot = None;
            result.map(|()| 0)
        }
    }
}
