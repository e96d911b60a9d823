//! The threads that copy between host arrays and slots, and the pieces of work that they take.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::copy::copy_streaming;
use crate::backend::pages::{HUGE_PAGE, populate};

/// Bytes of one piece of a copy: enough that taking it costs nothing beside, and few enough that a chunk keeps every thread
/// busy and none takes long.
const PIECE: usize = 256 << 10;

/// How often a thread without work gives way before it sleeps: about 100 µs. To wake it costs the thread that has the GPU to
/// feed several µs, for each of a dozen.
const PATIENCE: u32 = 200;

/// One piece of work.
#[derive(Debug)]
pub(super) struct Piece<'q> {
    task: Task,
    bytes: usize,
    /// How many pieces of the same job are not done.
    left: &'q AtomicUsize,
}

#[derive(Debug, Clone, Copy)]
enum Task {
    Copy { source: *const u8, target: *mut u8, streaming: bool },
    Populate { start: *mut u8 },
}

// SAFETY: whoever pushes a piece guarantees its memory until it is done, on any thread.
unsafe impl Send for Piece<'_> {}

impl Piece<'_> {
    pub(super) fn work(self) {
        // SAFETY: whoever pushed the piece guarantees its memory.
        unsafe {
            match self.task {
                Task::Copy { source, target, streaming: true } => copy_streaming(source, target, self.bytes),
                Task::Copy { source, target, streaming: false } => source.copy_to_nonoverlapping(target, self.bytes),
                Task::Populate { start } => populate(start, self.bytes),
            }
        }
        self.left.fetch_sub(1, Ordering::Release);
    }
}

/// Pieces in the order in which they were pushed.
#[derive(Debug, Default)]
pub(super) struct Queue<'q> {
    pieces: Mutex<VecDeque<Piece<'q>>>,
    /// How many they are: read without the lock by threads that wait for some.
    waiting: AtomicUsize,
    closed: AtomicBool,
    pushed: Condvar,
}

impl<'q> Queue<'q> {
    /// Pushes a copy of `bytes`, in pieces that count in `left`.
    ///
    /// # Safety
    ///
    /// `source` must be readable, and `target` be writable and not used by anything else, for `bytes` bytes, until `left` is zero or
    /// everyone who takes pieces has ended.
    pub(super) unsafe fn push_copy(&self, source: *const u8, target: *mut u8, bytes: usize, streaming: bool, left: &'q AtomicUsize) {
        self.push((0..bytes).step_by(PIECE).map(|start| {
            let task = Task::Copy { source: source.wrapping_add(start), target: target.wrapping_add(start), streaming };
            Piece { task, bytes: PIECE.min(bytes - start), left }
        }));
    }

    /// Pushes that the pages of this memory be made to exist, in pieces that count in `left`.
    ///
    /// # Safety
    ///
    /// The memory must stay mapped and writable until `left` is zero or everyone who takes pieces has ended.
    pub(super) unsafe fn push_populate(&self, start: *mut u8, bytes: usize, left: &'q AtomicUsize) {
        // The first piece ends where a huge page starts.
        let into = start.addr() % HUGE_PAGE;
        self.push((0..into + bytes).step_by(HUGE_PAGE).map(|page| {
            let (from, to) = (page.max(into), (page + HUGE_PAGE).min(into + bytes));
            Piece { task: Task::Populate { start: start.wrapping_add(from - into) }, bytes: to - from, left }
        }));
    }

    fn push(&self, pieces: impl Iterator<Item = Piece<'q>>) {
        let mut queue = self.lock();
        for piece in pieces {
            piece.left.fetch_add(1, Ordering::Relaxed);
            queue.push_back(piece);
        }
        self.waiting.store(queue.len(), Ordering::Release);
        drop(queue);
        self.pushed.notify_all();
    }

    /// The next piece, if there is one.
    pub(super) fn take(&self) -> Option<Piece<'q>> {
        if self.waiting.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut queue = self.lock();
        let piece = queue.pop_front();
        self.waiting.store(queue.len(), Ordering::Release);
        piece
    }

    /// Works on pieces until the queue is closed.
    pub(super) fn work(&self) {
        let mut patience = PATIENCE;
        while !self.closed.load(Ordering::Acquire) {
            if let Some(piece) = self.take() {
                piece.work();
                patience = PATIENCE;
            } else if patience > 0 {
                patience -= 1;
                thread::yield_now();
            } else {
                let idle = |queue: &mut VecDeque<Piece<'q>>| queue.is_empty() && !self.closed.load(Ordering::Relaxed);
                drop(self.pushed.wait_while(self.lock(), idle).unwrap_or_else(PoisonError::into_inner));
            }
        }
    }

    /// Drops the pieces that no thread has taken, and ends the threads.
    pub(super) fn close(&self) {
        let mut queue = self.lock();
        queue.clear();
        self.waiting.store(0, Ordering::Release);
        self.closed.store(true, Ordering::Release);
        drop(queue);
        self.pushed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Piece<'q>>> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_make_up_the_whole_copy_on_one_thread_and_on_several() {
        for (workers, bytes) in [(0, PIECE * 3 + 17), (3, PIECE * 9), (2, 1), (1, 0)] {
            let source: Vec<u8> = (0..bytes).map(|i| (i % 253) as u8).collect();
            let mut target = vec![0xFF; bytes];
            let left = AtomicUsize::new(0);
            let queue = Queue::default();
            thread::scope(|scope| {
                for _ in 0..workers {
                    scope.spawn(|| queue.work());
                }
                // SAFETY: both vectors outlive the scope, and are not touched before `left` is zero.
                unsafe { queue.push_copy(source.as_ptr(), target.as_mut_ptr(), bytes, true, &left) };
                while left.load(Ordering::Acquire) > 0 {
                    match queue.take() {
                        Some(piece) => piece.work(),
                        None => thread::yield_now(),
                    }
                }
                queue.close();
            });
            assert_eq!(target, source);
        }
    }

    #[test]
    fn populating_is_cut_where_huge_pages_start_and_misses_nothing() {
        let bytes = 3 * HUGE_PAGE + 12_345;
        let mut memory: Vec<u8> = vec![7; bytes + HUGE_PAGE];
        for offset in [0, 1, 4096, HUGE_PAGE - 1] {
            let left = AtomicUsize::new(0);
            let queue = Queue::default();
            let start = memory[offset..].as_mut_ptr();
            // SAFETY: the vector outlives the queue.
            unsafe { queue.push_populate(start, bytes, &left) };
            let mut next = start.addr();
            while let Some(piece) = queue.take() {
                let Task::Populate { start } = piece.task else { unreachable!("only pages were pushed") };
                assert!(start.addr() == next && (next == memory[offset..].as_ptr().addr() || next.is_multiple_of(HUGE_PAGE)));
                next += piece.bytes;
                piece.work();
            }
            assert_eq!((next, left.load(Ordering::Relaxed)), (start.addr() + bytes, 0));
        }
        assert!(memory.iter().all(|&byte| byte == 7));
    }

    #[test]
    fn closing_wakes_threads_that_sleep_and_forgets_what_was_not_taken() {
        let left = AtomicUsize::new(0);
        let source = [1u8; 8];
        let mut target = [0u8; 8];
        let queue = Queue::default();
        // SAFETY: both arrays outlive the queue.
        unsafe { queue.push_copy(source.as_ptr(), target.as_mut_ptr(), 8, false, &left) };
        queue.close();
        thread::scope(|scope| {
            scope.spawn(|| queue.work());
        });
        assert!(queue.take().is_none());
        assert_eq!(target, [0; 8]);
    }
}
