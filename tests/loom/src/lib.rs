//! The marks by which an allocation remembers the queues that use it, with every order in which threads can run. The module is that of the
//! runtime, with the atomics and locks of loom. Around it are queues without a GPU.
//!
//! What must hold is what `backend/cuda/order.rs` says: uses that do not conflict may be noted at the same time, and none is lost, because whoever
//! uses the memory next waits for those that are remembered.

#![cfg(test)]

use std::marker::PhantomData;

use loom::sync::Arc;
use loom::thread;

use usage::{Access, Mark, Usage};

mod sync {
    pub(crate) use loom::sync::atomic::{AtomicU64, Ordering};
    pub(crate) use loom::sync::{Mutex, MutexGuard};
}

#[allow(dead_code, reason = "what the rest of the runtime calls")]
#[path = "../../../gpu-runtime/src/backend/cuda/usage.rs"]
mod usage;

/// A queue in some epoch. Nobody has waited for anything yet.
struct Queue {
    id: u16,
    epoch: u64,
}

impl Queue {
    fn id(&self) -> u16 {
        self.id
    }

    fn mark(&self) -> Mark {
        Mark::new(self.id, self.epoch)
    }

    fn passed_marks(&self) -> order::PassedMarks<'_> {
        order::PassedMarks { queue: self.id, lock: PhantomData }
    }

    fn is_done(&self, _: Mark) -> bool {
        false
    }

    fn gpu(&self) -> Gpu {
        Gpu
    }

    /// What a queue does with memory that it reads: it asks what it must wait for, and notes its use when the work is on the stream.
    fn read(&self, usage: &Usage, bytes: std::ops::Range<u64>) {
        let _must_wait_for = usage.mark_before(self, &self.passed_marks(), &bytes, Access::Read);
        if !usage.add_to_only(self.mark()) {
            usage.add_to_several(self, &self.passed_marks(), self.mark(), (&bytes, Access::Read));
        }
    }
}

/// The queue that has filled the memory, in the tests in which one has.
const WRITER: u16 = 7;

struct Gpu;

impl Gpu {
    fn queue(&self, id: u16) -> &'static Queue {
        assert_eq!(id, WRITER, "the only queue whose latest mark is asked for");
        &Queue { id: WRITER, epoch: 5 }
    }
}

mod order {
    use super::{Mark, PhantomData};

    /// A queue has passed its own marks.
    pub(crate) struct PassedMarks<'q> {
        pub(super) queue: u16,
        pub(super) lock: PhantomData<&'q ()>,
    }

    impl PassedMarks<'_> {
        pub(crate) fn contain(&self, mark: Mark) -> bool {
            mark.queue() == self.queue
        }
    }
}

const ALL: std::ops::Range<u64> = 0..100;

/// Threads on which these queues read memory at the same time, and the marks that another queue then finds.
fn marks_after_reads(usage: impl Fn() -> Usage + Sync + Send + 'static, queues: &'static [(u16, u64)], expected: &'static [(u16, u64)]) {
    loom::model(move || {
        let usage = Arc::new(usage());
        let (first, others) = queues.split_first().expect("a queue");
        let threads: Vec<_> = others
            .iter()
            .map(|&(id, epoch)| {
                let usage = Arc::clone(&usage);
                thread::spawn(move || Queue { id, epoch }.read(&usage, ALL))
            })
            .collect();
        Queue { id: first.0, epoch: first.1 }.read(&usage, ALL);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let mut marks: Vec<_> = usage.marks(&Queue { id: 100, epoch: 0 }).into_iter().map(|mark| (mark.queue(), mark.epoch())).collect();
        marks.sort_unstable();
        assert_eq!(marks, expected);
    });
}

#[test]
fn the_latest_mark_of_a_queue_is_kept_whichever_thread_stores_it() {
    marks_after_reads(Usage::unused, &[(1, 3), (1, 4)], &[(1, 4)]);
}

#[test]
fn reads_of_two_queues_at_the_same_time_are_both_remembered() {
    marks_after_reads(Usage::unused, &[(1, 3), (2, 8)], &[(1, 3), (2, 8)]);
}

#[test]
fn so_are_those_of_three_threads() {
    marks_after_reads(Usage::unused, &[(1, 3), (2, 8), (1, 4)], &[(1, 4), (2, 8)]);
}

#[test]
fn the_queue_that_filled_the_memory_is_not_forgotten() {
    let filled = || Usage::of_new(&Queue { id: WRITER, epoch: 5 }, ALL);
    marks_after_reads(filled, &[(1, 3), (2, 8)], &[(1, 3), (2, 8), (WRITER, 5)]);
}

#[test]
fn memory_that_is_settled_while_others_read_it_keeps_the_mark_of_its_queue() {
    loom::model(|| {
        let filler = Queue { id: WRITER, epoch: 5 };
        let usage = Arc::new(Usage::of_new(&filler, ALL));
        let other = Arc::clone(&usage);
        let reader = thread::spawn(move || Queue { id: 1, epoch: 3 }.read(&other, 0..50));
        usage.settle(&filler);
        reader.join().unwrap();
        let mut marks: Vec<_> = usage.marks(&Queue { id: 100, epoch: 0 }).into_iter().map(|mark| (mark.queue(), mark.epoch())).collect();
        marks.sort_unstable();
        assert_eq!(marks, [(1, 3), (WRITER, 5)]);
    });
}
