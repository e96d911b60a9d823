//! Order between the queues of a GPU: it follows the memory that they use.
//!
//! # Epochs
//!
//! A queue counts the points at which somebody waited for it: events that were recorded on it, and waits of the host. The number of points
//! so far is its *epoch*. A [`Mark`] is a queue and an epoch, and stands for everything that was put on the queue before its epoch was
//! read. The point that ends epoch `e` comes after all work with a mark of `e` or less:
//!
//! ```text
//! queue 1     kernel   kernel   event ends epoch 0   kernel   the host waits: ends epoch 1   kernel
//! mark        (1, 0)   (1, 0)                        (1, 1)                                  (1, 2)
//! ```
//!
//! A program with one stream that does not wait stays in one epoch, so its marks do not change, and nothing must be stored for a launch.
//! The epoch is read after the work was put on the queue. If an event is recorded meanwhile, the mark is the later one, which is safe.
//!
//! # What an allocation remembers
//!
//! A [`Usage`]. While one queue alone has used the memory, this is the mark of the last use: a use on the same queue compares the queue, and
//! stores the mark if it has changed. As soon as another queue uses the memory, it is a list of uses: which bytes, whether they were
//! written, and a mark. The next use waits for the marks of those that overlap with it, unless both only read. It replaces the uses that it
//! covers and has waited for. If the list has uses of one queue only, the memory is that queue's alone again.
//!
//! Bytes matter because parts of one array, such as those of `split_at_mut`, are used by several streams at the same time.
//!
//! # What a wait costs
//!
//! A queue has one event. To wait for a mark of the current epoch, the event is recorded, which ends the epoch. For an older mark,
//! the event is in place already. A queue has a *clock*: for each other queue, the epochs that it has waited for, including those that the
//! other queue had waited for at its event. So no queue waits twice for the same mark.
//!
//! # Why this is correct
//!
//! Rust's borrows order conflicting uses: a use begins (waits for marks) and ends (stores its mark) within a call that borrows the array, so
//! a conflicting use begins after the mark is stored. Uses that do not conflict may begin at the same time: reads, disjoint parts, and
//! copies of a `DeviceAtomics`. Therefore a use only removes others from the list that its queue is known to have waited for.
//!
//! # Locks
//!
//! A use on the only queue of its memory takes none. Otherwise, in this order: the list of the allocation (released before anything waits),
//! the points of the queue that is waited for, the clock of either queue.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::driver::{check, read};
use super::{Queue, sys};
use crate::Result;

/// A queue of a GPU and an epoch of it, in one word; or one of two other states of a [`Usage`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark(u64);

impl Mark {
    const EPOCH_BITS: u32 = 48;
    const LATEST: u64 = (1 << Self::EPOCH_BITS) - 1;
    /// No queue has used the memory.
    const NONE: Self = Self(0);
    /// Several queues have.
    const SHARED: Self = Self(u64::MAX);
    /// The largest number of a queue. Queues count from 1.
    pub(super) const MOST_QUEUES: usize = u16::MAX as usize - 1;

    pub(super) fn new(queue: u16, epoch: u64) -> Self {
        Self(u64::from(queue) << Self::EPOCH_BITS | epoch)
    }

    /// Everything on the queue by the time when it matters.
    fn latest(queue: u16) -> Self {
        Self::new(queue, Self::LATEST)
    }

    #[inline]
    fn queue(self) -> u16 {
        (self.0 >> Self::EPOCH_BITS) as u16
    }

    fn epoch(self) -> u64 {
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

/// Who has used an allocation of device memory: see [the module](self).
#[derive(Debug)]
pub(crate) struct Usage {
    /// All of it, by addresses.
    bytes: Range<u64>,
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
    pub(crate) const fn unused() -> Self {
        Self { bytes: 0..u64::MAX, last: AtomicU64::new(Mark::NONE.0), shared: Mutex::new(Vec::new()) }
    }

    /// That of memory which was just allocated on `queue`. Until it is [settled](Self::settle) or used, everything on that queue counts as
    /// a use: a new array is filled before anybody else sees it.
    pub(crate) fn of_new(queue: &Queue, bytes: Range<u64>) -> Self {
        Self { bytes, last: AtomicU64::new(Mark::latest(queue.id()).0), ..Self::unused() }
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
        self.add(queue, queue.mark(), &self.bytes, Access::Write);
    }

    #[inline]
    fn last(&self) -> Mark {
        Mark(self.last.load(Ordering::Acquire))
    }

    /// The marks that work on `queue` must wait for. Other queues' only.
    fn marks_before(&self, queue: &Queue, bytes: &Range<u64>, access: Access) -> Vec<Mark> {
        let mut uses = self.lock();
        self.share(queue, &mut uses);
        let conflicting = uses.iter().filter(|other| {
            other.mark.queue() != queue.id() && overlap(&other.bytes, bytes) && (access == Access::Write || other.access == Access::Write)
        });
        latest_of_each_queue(conflicting.map(|other| other.mark))
    }

    /// Stores the mark of work on `queue` that was put there.
    #[cold]
    fn add(&self, queue: &Queue, mark: Mark, bytes: &Range<u64>, access: Access) {
        let mut last = self.last();
        while last == Mark::NONE || last.queue() == mark.queue() {
            // Another thread may have stored a later one.
            let new = if last.is_latest() { mark } else { last.max(mark) };
            match self.last.compare_exchange(last.0, new.0, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return,
                Err(changed) => last = Mark(changed),
            }
        }
        let mut uses = self.lock();
        self.share(queue, &mut uses);
        uses.retain(|other| !(queue.is_done(other.mark) || queue.has_passed(other.mark) && covers((bytes, access), other)));
        uses.push(Use { bytes: bytes.clone(), access, mark });
        if uses.iter().all(|other| other.mark.queue() == mark.queue()) {
            let last = uses.iter().map(|other| other.mark).max().unwrap_or(mark);
            uses.clear();
            self.last.store(last.0, Ordering::Release);
        } else if uses.len() > MOST_USES {
            merge(&mut uses);
        }
    }

    /// Makes the use of the only queue so far the first one of the list. `queue` is one of the same GPU.
    fn share(&self, queue: &Queue, uses: &mut Vec<Use>) {
        let last = Mark(self.last.swap(Mark::SHARED.0, Ordering::AcqRel));
        if last != Mark::SHARED && last != Mark::NONE {
            let mark = if last.is_latest() { queue.gpu().queue(last.queue()).mark() } else { last };
            // It may have been a write, of any part.
            uses.push(Use { bytes: self.bytes.clone(), access: Access::Write, mark });
        }
    }

    /// The queues that have used the memory last, with a mark each.
    fn marks(&self, queue: &Queue) -> Vec<Mark> {
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
        let marks = self.marks_before(queue, bytes, Access::Read);
        marks.into_iter().map(|mark| queue.gpu().queue(mark.queue())).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Use>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
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

/// What orders a queue after others: see [the module](self).
pub(super) struct Order {
    id: u16,
    epoch: AtomicU64,
    /// How many epochs the host has waited for.
    done: AtomicU64,
    points: Mutex<Points>,
    clock: Mutex<Clock>,
}

/// The event of a queue, made when first used.
#[derive(Default)]
struct Points {
    event: Option<sys::CUevent>,
    /// How many epochs had ended when it was recorded.
    epochs: u64,
    /// What the queue had waited for by then.
    clock: Clock,
}

// SAFETY: the driver's handle may be used from any thread once the context is current there; it is never destroyed.
unsafe impl Send for Points {}

/// How many epochs of each queue, by its number, a queue has waited for.
#[derive(Debug, Clone, Default)]
pub(super) struct Clock(Vec<u64>);

impl Clock {
    fn epochs(&self, queue: u16) -> u64 {
        self.0.get(usize::from(queue)).copied().unwrap_or(0)
    }

    /// Adds what `other` has waited for, and `epochs` of its queue.
    fn join(&mut self, queue: u16, epochs: u64, other: &Self) {
        let len = other.0.len().max(usize::from(queue) + 1).max(self.0.len());
        self.0.resize(len, 0);
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
        let mine = &mut self.0[usize::from(queue)];
        *mine = (*mine).max(epochs);
    }
}

/// A point of a queue that others can wait for.
#[derive(Debug, Clone)]
pub(super) struct Point {
    queue: u16,
    epochs: u64,
    clock: Clock,
}

impl Order {
    pub(super) fn new(id: u16) -> Self {
        Self { id, epoch: AtomicU64::new(0), done: AtomicU64::new(0), points: Mutex::default(), clock: Mutex::default() }
    }

    /// Ends the epoch: how many have ended. What comes next on the queue, an event or a wait, is the point behind it.
    fn end_epoch(&self) -> u64 {
        self.epoch.fetch_add(1, Ordering::AcqRel) + 1
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    #[inline]
    pub(super) fn id(&self) -> u16 {
        self.order.id
    }

    /// What stands for everything that was put on the queue so far.
    #[inline]
    pub(super) fn mark(&self) -> Mark {
        Mark::new(self.order.id, self.order.epoch.load(Ordering::Acquire))
    }

    /// Calls `submit`, which puts work on this queue that uses memory in these ways: after the uses on other queues that must come first.
    #[inline]
    pub(crate) fn ordered<R>(&self, uses: &[MemoryUse<'_>], submit: impl FnOnce() -> Result<R>) -> Result<R> {
        self.wait_for_uses(uses)?;
        let result = submit();
        // Even after an error: part of the work may be on the queue.
        self.add_uses(uses, self.mark());
        result
    }

    /// The same for work that `submit` waits for.
    pub(crate) fn ordered_and_done(&self, uses: &[MemoryUse<'_>], submit: impl FnOnce() -> Result<()>) -> Result<()> {
        self.wait_for_uses(uses)?;
        let result = submit();
        // The last epoch that the host has waited for: that of the work, or a later one.
        let done = self.order.done.load(Ordering::Acquire);
        let mark = if result.is_ok() && done > 0 { Mark::new(self.id(), done - 1) } else { self.mark() };
        self.add_uses(uses, mark);
        result
    }

    #[inline]
    fn wait_for_uses(&self, uses: &[MemoryUse<'_>]) -> Result<()> {
        for MemoryUse { usage, bytes, access } in uses {
            let last = usage.last();
            if last.queue() != self.id() && last != Mark::NONE {
                self.wait_for_marks(&usage.marks_before(self, bytes, *access))?;
            }
        }
        Ok(())
    }

    #[inline]
    fn add_uses(&self, uses: &[MemoryUse<'_>], mark: Mark) {
        for MemoryUse { usage, bytes, access } in uses {
            if usage.last() != mark {
                usage.add(self, mark, bytes, *access);
            }
        }
    }

    /// Lets what comes next on this queue wait for marks of others.
    #[cold]
    fn wait_for_marks(&self, marks: &[Mark]) -> Result<()> {
        marks.iter().try_for_each(|&mark| self.wait_for_mark(mark))
    }

    fn wait_for_mark(&self, mark: Mark) -> Result<()> {
        if self.has_passed(mark) {
            return Ok(());
        }
        self.gpu().make_current()?;
        let source = self.gpu().queue(mark.queue());
        // Held until this queue waits, so that the event is the one which ends the epoch, and not a later one.
        let mut points = source.order.points.lock().unwrap_or_else(PoisonError::into_inner);
        let event = source.end_epoch_of(mark, &mut points)?;
        // SAFETY: neither is ever destroyed.
        check("cuStreamWaitEvent", unsafe { sys::cuStreamWaitEvent(self.stream, event, 0) })?;
        self.order.clock().join(mark.queue(), points.epochs, &points.clock);
        Ok(())
    }

    /// The event of this queue, recorded after everything with that mark.
    fn end_epoch_of(&self, mark: Mark, points: &mut Points) -> Result<sys::CUevent> {
        let event = match points.event {
            Some(event) if points.epochs > mark.epoch() => return Ok(event),
            Some(event) => event,
            None => *points.event.insert(create_event()?),
        };
        // SAFETY: neither is ever destroyed.
        let record = || check("cuEventRecord", unsafe { sys::cuEventRecord(event, self.stream) });
        let ((), Point { epochs, clock, .. }) = self.recorded(record)?;
        (points.epochs, points.clock) = (epochs, clock);
        Ok(event)
    }

    /// Whether everything with that mark comes before what is put on this queue from now on.
    fn has_passed(&self, mark: Mark) -> bool {
        mark.queue() == self.id() || self.order.clock().epochs(mark.queue()) > mark.epoch() || self.is_done(mark)
    }

    /// Whether the host has waited for everything with that mark, which may be one of another queue.
    fn is_done(&self, mark: Mark) -> bool {
        self.gpu().queue(mark.queue()).order.done.load(Ordering::Acquire) > mark.epoch()
    }

    /// Calls `wait`, which waits on the host for everything on this queue.
    pub(super) fn waited<R>(&self, wait: impl FnOnce() -> Result<R>) -> Result<R> {
        let clock = self.order.clock().clone();
        let epochs = self.order.end_epoch();
        let result = wait()?;
        self.order.done.fetch_max(epochs, Ordering::AcqRel);
        // What this queue had waited for is done too.
        for (queue, &epochs) in (0..).zip(&clock.0).filter(|(_, epochs)| **epochs > 0) {
            self.gpu().queue(queue).order.done.fetch_max(epochs, Ordering::AcqRel);
        }
        Ok(result)
    }

    /// Calls `record`, which records an event on this queue: the point that others can [wait for](Self::passed).
    pub(super) fn recorded<R>(&self, record: impl FnOnce() -> Result<R>) -> Result<(R, Point)> {
        // The event comes after all that the clock says.
        let clock = self.order.clock().clone();
        let epochs = self.order.end_epoch();
        Ok((record()?, Point { queue: self.id(), epochs, clock }))
    }

    /// Notes that this queue waits for the point.
    pub(super) fn passed(&self, point: &Point) {
        self.order.clock().join(point.queue, point.epochs, &point.clock);
    }

    /// A queue on which memory can be freed, after everything that uses it.
    pub(super) fn last_user(&'static self, usage: &Usage) -> Result<&'static Self> {
        let marks = usage.marks(self);
        let last = marks.last().map_or(self, |mark| self.gpu().queue(mark.queue()));
        last.wait_for_marks(&marks)?;
        Ok(last)
    }
}

fn create_event() -> Result<sys::CUevent> {
    read("cuEventCreate", std::ptr::null_mut(), |event| {
        // SAFETY: a context is current.
        unsafe { sys::cuEventCreate(event, sys::CUevent_flags::CU_EVENT_DISABLE_TIMING) }
    })
}
