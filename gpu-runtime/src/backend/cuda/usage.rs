//! What an allocation of device memory remembers of its uses. [`order`](super::order) explains the idea.

use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::PoisonError;

use super::Queue;
use super::order::PassedMarks;
use super::sync::{AtomicU64, Mutex, MutexGuard, Ordering};

/// A queue of a GPU and an epoch of it, in one word; or one of two other states of a [`Usage`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark(u64);

impl Mark {
    const EPOCH_BITS: u32 = 48;
    const LATEST: u64 = (1 << Self::EPOCH_BITS) - 1;
    /// No queue has used the memory.
    pub(super) const NONE: Self = Self(0);
    /// Several queues have.
    const SHARED: Self = Self(u64::MAX);

    pub(super) fn new(queue: u16, epoch: u64) -> Self {
        Self(u64::from(queue) << Self::EPOCH_BITS | epoch)
    }

    /// Everything on the queue by the time when it matters.
    fn latest(queue: u16) -> Self {
        Self::new(queue, Self::LATEST)
    }

    #[inline]
    pub(super) fn queue(self) -> u16 {
        (self.0 >> Self::EPOCH_BITS) as u16
    }

    pub(super) fn epoch(self) -> u64 {
        self.0 & Self::LATEST
    }

    fn is_latest(self) -> bool {
        self.epoch() == Self::LATEST
    }
}

impl std::fmt::Debug for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({}, {})", self.queue(), self.epoch())
    }
}

/// What work does with memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    /// Reads and writes, and atomics.
    Write,
}

/// Bytes of an allocation that some work uses.
#[derive(Debug, Clone)]
pub(crate) struct MemoryUse<'u> {
    pub(crate) usage: &'u Usage,
    /// Addresses.
    pub(crate) bytes: Range<u64>,
    pub(crate) access: Access,
}

impl MemoryUse<'_> {
    /// Of all uses, each counted once.
    pub(crate) fn total_bytes(uses: &[Self]) -> u64 {
        uses.iter().map(|used| used.bytes.end - used.bytes.start).sum()
    }
}

/// Who has used an allocation of device memory: see [the module](self).
#[derive(Debug)]
pub(crate) struct Usage {
    /// All of it, by addresses.
    bytes: Range<u64>,
    /// The number of the recording whose code has created it, if one has: what fills it is done only when the graph is launched.
    recording: Option<NonZeroU64>,
    /// A [`Mark`].
    last: AtomicU64,
    /// The uses if there are several queues.
    shared: Mutex<Vec<Use>>,
}

#[derive(Debug, Clone)]
struct Use {
    bytes: Range<u64>,
    access: Access,
    mark: Mark,
}

/// If an allocation has more uses than this, those of a queue become one.
const MOST_USES: usize = 64;

impl Usage {
    /// That of memory which no queue has used.
    pub(crate) fn unused() -> Self {
        Self { bytes: 0..u64::MAX, recording: None, last: AtomicU64::new(Mark::NONE.0), shared: Mutex::new(Vec::new()) }
    }

    /// That of memory which was just allocated on `queue`. Until it is [settled](Self::settle) or used, everything on that queue counts as
    /// a use: a new array is filled before anybody else sees it.
    pub(crate) fn of_new(queue: &Queue, bytes: Range<u64>) -> Self {
        Self { bytes, last: AtomicU64::new(Mark::latest(queue.id()).0), ..Self::unused() }
    }

    /// The same of memory that the code of a graph creates, in the recording of this number. Only what is recorded may use it.
    pub(crate) fn of_graph(queue: &Queue, bytes: Range<u64>, recording: NonZeroU64) -> Self {
        Self { recording: Some(recording), ..Self::of_new(queue, bytes) }
    }

    /// That of memory from elsewhere, which no queue has used.
    pub(crate) fn of_foreign(bytes: Range<u64>) -> Self {
        Self { bytes, ..Self::unused() }
    }

    /// All of the memory, by addresses.
    pub(crate) fn bytes(&self) -> &Range<u64> {
        &self.bytes
    }

    #[inline]
    pub(super) fn is_of_graph(&self) -> bool {
        self.recording.is_some()
    }

    /// The number of the recording whose code has created the memory.
    pub(super) fn recording(&self) -> Option<NonZeroU64> {
        self.recording
    }

    /// Notes which queue of the CPU has written the memory last.
    pub(crate) fn set_host_writer(&self, queue: u64) {
        self.last.store(queue, Ordering::Release);
    }

    /// The queue of the CPU that has written the memory last; 0 if none has.
    pub(crate) fn host_writer(&self) -> u64 {
        self.last.load(Ordering::Acquire)
    }

    /// Notes that what was put on `queue` so far has filled the memory.
    pub(crate) fn settle(&self, queue: &Queue) {
        if !self.add_to_only(queue.mark()) {
            self.add_to_several(queue, &queue.passed_marks(), queue.mark(), (&self.bytes, Access::Write));
        }
    }

    #[inline]
    pub(super) fn last(&self) -> Mark {
        Mark(self.last.load(Ordering::Acquire))
    }

    /// A mark that work on `queue` must wait for before it uses the memory, if there is one that neither it nor the host has waited for; and
    /// whether those of no other queue are left then.
    pub(super) fn mark_before(&self, queue: &Queue, passed: &PassedMarks<'_>, bytes: &Range<u64>, access: Access) -> Option<(Mark, bool)> {
        let last = self.last();
        if last.queue() == queue.id() || last == Mark::NONE {
            return None;
        }
        let uses = self.lock_shared(queue);
        let mut left = conflicting_marks(&uses, bytes, access).filter(|mark| !passed.contain(*mark) && !queue.is_done(*mark));
        let mut latest = left.next()?;
        let mut is_only_queue = true;
        for mark in left {
            match mark.queue() == latest.queue() {
                // The event after the last one stands for the others of its queue.
                true => latest = latest.max(mark),
                false => is_only_queue = false,
            }
        }
        Some((latest, is_only_queue))
    }

    /// Stores the mark of work that was put on a queue, if no other queue has used the memory: whether that is so.
    #[inline]
    pub(super) fn add_to_only(&self, mark: Mark) -> bool {
        let mut last = self.last();
        while last != mark {
            if last.queue() != mark.queue() && last != Mark::NONE {
                return false;
            }
            // Another thread may have stored a later one.
            let new = if last.is_latest() { mark } else { last.max(mark) };
            match self.last.compare_exchange(last.0, new.0, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return true,
                Err(changed) => last = Mark(changed),
            }
        }
        true
    }

    /// Stores the mark of work on `queue`, which has passed these marks, beside those of others.
    pub(super) fn add_to_several(&self, queue: &Queue, passed: &PassedMarks<'_>, mark: Mark, (bytes, access): (&Range<u64>, Access)) {
        let mut uses = self.lock_shared(queue);
        let mut mark = mark;
        uses.retain(|other| {
            let is_replaced = covers((bytes, access), other) && passed.contain(other.mark) || queue.is_done(other.mark);
            if is_replaced && other.mark.queue() == mark.queue() {
                // Another thread may have stored a later one.
                mark = mark.max(other.mark);
            }
            !is_replaced
        });
        uses.push(Use { bytes: bytes.clone(), access, mark });
        if uses.iter().all(|other| other.mark.queue() == mark.queue()) {
            let last = uses.iter().map(|other| other.mark).max().unwrap_or(mark);
            uses.clear();
            self.last.store(last.0, Ordering::Release);
        } else if uses.len() > MOST_USES {
            merge(&mut uses);
        }
    }

    /// The list of uses, which the use of the only queue so far becomes the first one of. `queue` is one of the same GPU.
    fn lock_shared(&self, queue: &Queue) -> MutexGuard<'_, Vec<Use>> {
        let mut uses = self.lock();
        if self.last() == Mark::SHARED {
            return uses;
        }
        let last = Mark(self.last.swap(Mark::SHARED.0, Ordering::AcqRel));
        if last != Mark::NONE {
            let mark = if last.is_latest() { queue.gpu().queue(last.queue()).mark() } else { last };
            // It may have been a write, of any part.
            uses.push(Use { bytes: self.bytes.clone(), access: Access::Write, mark });
        }
        uses
    }

    /// The queues that have used the memory last, with a mark each.
    pub(super) fn marks(&self, queue: &Queue) -> Vec<Mark> {
        match self.last() {
            Mark::NONE => Vec::new(),
            Mark::SHARED => latest_of_each_queue(self.lock().iter().map(|used| used.mark)),
            only if only.is_latest() => vec![queue.gpu().queue(only.queue()).mark()],
            only => vec![only],
        }
    }

    /// The queues other than `queue` that may have written `bytes` last.
    pub(crate) fn other_writers(&self, queue: &Queue, bytes: &Range<u64>) -> Vec<&'static Queue> {
        let last = self.last();
        if last == Mark::NONE || last.queue() == queue.id() {
            return Vec::new();
        }
        let uses = self.lock_shared(queue);
        let marks = latest_of_each_queue(conflicting_marks(&uses, bytes, Access::Read).filter(|mark| mark.queue() != queue.id()));
        marks.into_iter().map(|mark| queue.gpu().queue(mark.queue())).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Use>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The marks of uses that conflict with a new one.
fn conflicting_marks(uses: &[Use], bytes: &Range<u64>, access: Access) -> impl Iterator<Item = Mark> {
    let conflicts = move |other: &&Use| overlap(&other.bytes, bytes) && (access == Access::Write || other.access == Access::Write);
    uses.iter().filter(conflicts).map(|other| other.mark)
}

fn overlap(one: &Range<u64>, other: &Range<u64>) -> bool {
    one.start < other.end && other.start < one.end
}

/// Whether whoever waits for the new use, which came after the old one, need not wait for the old one.
fn covers((bytes, access): (&Range<u64>, Access), old: &Use) -> bool {
    bytes.start <= old.bytes.start && old.bytes.end <= bytes.end && (access == Access::Write || old.access == Access::Read)
}

fn latest_of_each_queue(marks: impl Iterator<Item = Mark>) -> Vec<Mark> {
    let mut latest: Vec<Mark> = Vec::new();
    for mark in marks {
        match latest.iter_mut().find(|other| other.queue() == mark.queue()) {
            Some(other) => *other = mark.max(*other),
            None => latest.push(mark),
        }
    }
    latest
}

/// Makes the uses of each queue one, which may conflict with more.
fn merge(uses: &mut Vec<Use>) {
    let mut merged: Vec<Use> = Vec::new();
    for used in uses.drain(..) {
        match merged.iter_mut().find(|other| other.mark.queue() == used.mark.queue()) {
            Some(other) => {
                other.bytes = other.bytes.start.min(used.bytes.start)..other.bytes.end.max(used.bytes.end);
                other.mark = other.mark.max(used.mark);
                if used.access == Access::Write {
                    other.access = Access::Write;
                }
            }
            None => merged.push(used),
        }
    }
    *uses = merged;
}
