//! The threads of a block as futures, one for each.
//!
//! The type of the futures is the kernel's own, and rustc compiles for each kernel what depends on it: [`Futures`] and nothing else. What
//! decides which threads run sees them as [`Threads`], by number.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use super::thread::{Stop, Thread};
use super::warp::WARP_SIZE;

/// The threads of a block, which suspend where they wait.
pub(super) trait Threads<'b> {
    /// Gives this thread a future, in place of that of the thread with its number in another block.
    fn start(&mut self, thread: Thread<'b>);

    /// Resumes these lanes of a warp, a bit for each, from the lowest on. Those that wait again, and have not ended.
    fn resume(&mut self, warp: usize, lanes: u32) -> Result<u32, Stop>;
}

/// The futures of a kernel.
pub(super) struct Futures<F, Fut> {
    kernel: F,
    /// By the number of the thread. Never moved, so that a future stays where it is.
    slots: Box<[Option<Fut>]>,
}

impl<F, Fut> Futures<F, Fut> {
    /// For a block of so many threads, none of which has started.
    pub(super) fn new(kernel: F, threads: usize) -> Self {
        let mut slots = Vec::with_capacity(threads);
        while slots.len() < threads {
            slots.push(None);
        }
        Self { kernel, slots: slots.into_boxed_slice() }
    }
}

impl<'b, F, Fut> Threads<'b> for Futures<F, Fut>
where
    F: Fn(Thread<'b>) -> Fut,
    Fut: Future<Output = Result<(), Stop>>,
{
    fn start(&mut self, thread: Thread<'b>) {
        self.slots[thread.number as usize] = Some((self.kernel)(thread));
    }

    fn resume(&mut self, warp: usize, mut lanes: u32) -> Result<u32, Stop> {
        let mut context = Context::from_waker(Waker::noop());
        let mut waiting = 0;
        while lanes != 0 {
            let lane = lanes.trailing_zeros();
            lanes &= lanes - 1;
            let slot = &mut self.slots[warp * WARP_SIZE + lane as usize];
            let Some(future) = slot else { continue };
            // SAFETY: the slots stay where they are, and their contents are replaced in place or dropped, never moved out. So a future
            // that was polled here stays here until dropped.
            let future = unsafe { Pin::new_unchecked(future) };
            match future.poll(&mut context) {
                Poll::Pending => waiting |= 1 << lane,
                Poll::Ready(result) => {
                    *slot = None;
                    result?;
                }
            }
        }
        Ok(waiting)
    }
}
