//! Kernels with barriers: one future per GPU thread, polled in rounds.
//!
//! rustc has turned the body into a state machine that returns `Pending` at each barrier and nowhere else. Polling every
//! thread of the block once therefore brings each of them to its next barrier, or to its end. When the round is over, all
//! live threads have arrived, which is what a barrier waits for, so the next round lets them go on. There is no queue
//! and no waker: who is ready is known.
//!
//! Threads that have returned do not take part in barriers any more, as on the GPU since compute capability 7.0. Live threads
//! that wait at different calls of `sync_threads()` would be undefined behaviour there; here it is a failure that names both.
//!
//! A thread that spins suspends as well, at a pause. It is no barrier: before a round is over, such threads are resumed until each of
//! them has arrived too.

use std::cell::{Cell, RefCell};
use std::pin::Pin;
use std::ptr;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};

use super::blocks::Blocks;
use super::thread::{Stop, Thread};
use crate::kernel::Site;

/// Where the live threads of a block wait in the current round: nowhere before the first of them arrives.
#[derive(Default)]
pub(super) struct Round {
    meeting_point: Cell<Option<&'static Site>>,
    /// The numbers of the threads that have given way, and wait for no barrier.
    spinning: RefCell<Vec<usize>>,
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
    pub fn barrier(&self, site: &'static Site) -> Barrier {
        let meeting_point = &self.block.worker.round.meeting_point;
        match meeting_point.get() {
            Some(other) if ptr::eq(other, site) => {}
            None => meeting_point.set(Some(site)),
            // Equal sites may lie at different addresses.
            Some(other) if other == site => {}
            // Ends the launch after this round.
            Some(other) => {
                let Stop = self.fail(site, [u64::from(other.line), u64::from(other.column)]);
            }
        }
        Barrier { resumed: false }
    }

    /// Awaiting the result lets the other threads of the block go on: to their ends, to a barrier, or to a pause of their own.
    #[inline]
    pub fn give_way(&self) -> Pause {
        let ([x, y, z], [width, height, _]) = (self.index.map(|i| i as usize), self.block.dims.block.map(|extent| extent as usize));
        self.block.worker.round.spinning.borrow_mut().push(x + width * (y + height * z));
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
            let mut live = 0;
            let mut slots = futures.iter_mut();
            for z in 0..depth {
                for y in 0..height {
                    for (x, slot) in (0..width).zip(&mut slots) {
                        let thread = Thread { index: [x, y, z], block: self.block };
                        *slot = Some(kernel(thread));
                        live += poll(slot, &mut context)?;
                        if x == 0 {
                            self.checkpoint();
                        }
                    }
                }
            }
            live = self.finish_round(live, &mut futures, &mut context)?;
            while live > 0 {
                self.end_round()?;
                self.checkpoint();
                live = 0;
                for slot in &mut futures {
                    live += poll(slot, &mut context)?;
                }
                live = self.finish_round(live, &mut futures, &mut context)?;
            }
            Ok(())
        })
    }

    /// Resumes the threads that have given way, and only those, until each has reached a barrier or its end. Of the `live` threads, how
    /// many are left.
    #[inline]
    fn finish_round<Fut>(&self, mut live: usize, futures: &mut [Option<Fut>], context: &mut Context<'_>) -> Result<usize, Stop>
    where
        Fut: Future<Output = Result<(), Stop>>,
    {
        loop {
            let spinning = self.block.worker.round.spinning.take();
            if spinning.is_empty() {
                return Ok(live);
            }
            // What they wait for may be another block's to do, which has to run, and may have been given up.
            self.checkpoint();
            if self.abandoned.load(Ordering::Relaxed) || self.block.worker.has_failed() {
                return Err(Stop);
            }
            let before = live;
            for index in spinning {
                live = live - 1 + poll(&mut futures[index], context)?;
            }
            if live == before {
                std::thread::yield_now();
            }
        }
    }

    /// Checks that all live threads wait at the same place, which they now leave.
    #[inline]
    fn end_round(&self) -> Result<(), Stop> {
        let worker = self.block.worker;
        let meeting_point = worker.round.meeting_point.take();
        assert!(meeting_point.is_some(), "a round ends when all threads wait at a barrier");
        if worker.has_failed() { Err(Stop) } else { Ok(()) }
    }
}

/// Resumes a thread if it still lives, and counts it (1, else 0) if it now waits at a barrier.
#[inline(always)]
fn poll<Fut>(slot: &mut Option<Fut>, context: &mut Context<'_>) -> Result<usize, Stop>
where
    Fut: Future<Output = Result<(), Stop>>,
{
    let Some(future) = slot else { return Ok(0) };
    // SAFETY: `slot` is an element of the vector in `for_each_thread_async`, which is not resized after it was filled and whose
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
