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
//! A use on the only queue of its memory takes none. Otherwise, in this order: the points of the queue that is waited for, the clock of
//! either queue, the list of an allocation. None but the points is held while the driver is called.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::driver::{check, read};
use super::usage::Mark;
use super::{MemoryUse, Queue, Usage, sys};
use crate::backend::recording;
use crate::observe::note_bytes;
use crate::{Error, Result};

/// Does something at the end of a scope, also when that is left early.
pub(super) struct OnDrop<F: FnMut()>(pub(super) F);

impl<F: FnMut()> Drop for OnDrop<F> {
    #[inline]
    fn drop(&mut self) {
        (self.0)();
    }
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
    #[inline]
    fn epochs(&self, queue: u16) -> u64 {
        self.0.get(usize::from(queue)).copied().unwrap_or(0)
    }

    /// Adds what `other` has waited for, and `epochs` of its queue.
    fn join(&mut self, queue: u16, epochs: u64, other: &Self) {
        let len = other.0.len().max(usize::from(queue) + 1);
        if self.0.len() < len {
            self.0.resize(len, 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
        let mine = &mut self.0[usize::from(queue)];
        *mine = (*mine).max(epochs);
    }
}

/// The marks that a queue has passed: what it has waited for, and its own. Those that the host has waited for may be missing.
pub(super) struct PassedMarks<'q> {
    queue: u16,
    clock: MutexGuard<'q, Clock>,
}

impl PassedMarks<'_> {
    #[inline]
    pub(super) fn contain(&self, mark: Mark) -> bool {
        mark.queue() == self.queue || self.clock.epochs(mark.queue()) > mark.epoch()
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

    /// Ends the epoch: how many have ended. What comes next on the queue, an event or a wait, is the point after it.
    fn end_epoch(&self) -> u64 {
        self.epoch.fetch_add(1, Ordering::AcqRel) + 1
    }

    fn clock(&self) -> MutexGuard<'_, Clock> {
        self.clock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the host has waited for everything with that mark, which is one of this queue.
    fn is_done(&self, mark: Mark) -> bool {
        self.done.load(Ordering::Acquire) > mark.epoch()
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
        let is_recorded = recording::is_active();
        if is_recorded {
            recording::gpu::begin_operation(self.gpu(), uses)?;
        } else {
            self.wait_for_uses(uses)?;
            note_bytes(|| MemoryUse::total_bytes(uses));
        }
        // Even after an error, or a panic of what others do with the queue: part of the work may be on it.
        let _end = OnDrop(|| match is_recorded {
            true => recording::gpu::end_operation(),
            false => self.add_uses(uses, self.mark()),
        });
        submit()
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
        recording::refuse_borrowed(uses)?;
        let is_of_others = |last: Mark| last.queue() != self.id() && last != Mark::NONE;
        if uses.iter().any(|used| used.usage.is_of_graph() || is_of_others(used.usage.last())) {
            self.wait_for_others(uses)
        } else {
            Ok(())
        }
    }

    #[inline(never)]
    fn wait_for_others(&self, uses: &[MemoryUse<'_>]) -> Result<()> {
        // This work is not recorded: to it, such memory holds any bytes, and the graph does not wait for it.
        match uses.iter().filter(|used| used.usage.is_of_graph()).count() {
            0 => {}
            arrays => return Err(Error::KeptByGraph { arrays }),
        }
        let mut passed = self.passed_marks();
        for MemoryUse { usage, bytes, access } in uses {
            while let Some((mark, is_only_queue)) = usage.mark_before(self, &passed, bytes, *access) {
                drop(passed);
                passed = self.wait_for_mark(mark)?;
                if is_only_queue {
                    break;
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn add_uses(&self, uses: &[MemoryUse<'_>], mark: Mark) {
        if uses.iter().any(|used| used.usage.last() != mark) {
            self.add_changed_uses(uses, mark);
        }
    }

    #[inline(never)]
    fn add_changed_uses(&self, uses: &[MemoryUse<'_>], mark: Mark) {
        let mut passed = None;
        for MemoryUse { usage, bytes, access } in uses {
            if !usage.add_to_only(mark) {
                let passed = passed.get_or_insert_with(|| self.passed_marks());
                usage.add_to_several(self, passed, mark, (bytes, *access));
            }
        }
    }

    /// Lets what comes next on the queue wait for a mark of another one: the marks that it has passed then.
    fn wait_for_mark(&self, mark: Mark) -> Result<PassedMarks<'_>> {
        let source = self.gpu().queue(mark.queue());
        self.gpu().make_current()?;
        // Held until this queue waits, so that the event is the one which ends the epoch, and not a later one.
        let mut points = source.order.points.lock().unwrap_or_else(PoisonError::into_inner);
        let event = source.end_epoch_of(mark, &mut points)?;
        // SAFETY: neither is ever destroyed.
        check("cuStreamWaitEvent", unsafe { sys::call!(cuStreamWaitEvent(self.stream, event, 0)) })?;
        let mut passed = self.passed_marks();
        passed.clock.join(mark.queue(), points.epochs, &points.clock);
        Ok(passed)
    }

    /// The event of this queue, recorded after everything with that mark.
    fn end_epoch_of(&self, mark: Mark, points: &mut Points) -> Result<sys::CUevent> {
        let event = match points.event {
            Some(event) if points.epochs > mark.epoch() => return Ok(event),
            Some(event) => event,
            None => *points.event.insert(create_event()?),
        };
        // The event comes after all that the clock says. It is copied into the memory of the one before, and nothing is known if the
        // event is not recorded.
        let mut clock = std::mem::take(&mut points.clock);
        clock.0.clone_from(&self.order.clock().0);
        let epochs = self.order.end_epoch();
        // SAFETY: neither is ever destroyed.
        check("cuEventRecord", unsafe { sys::call!(cuEventRecord(event, self.stream)) })?;
        (points.epochs, points.clock) = (epochs, clock);
        Ok(event)
    }

    #[inline]
    pub(super) fn passed_marks(&self) -> PassedMarks<'_> {
        PassedMarks { queue: self.id(), clock: self.order.clock() }
    }

    /// Whether the host has waited for everything with that mark, which may be one of another queue.
    pub(super) fn is_done(&self, mark: Mark) -> bool {
        self.gpu().queue(mark.queue()).order.is_done(mark)
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
        for mark in marks {
            if !last.passed_marks().contain(mark) && !last.is_done(mark) {
                drop(last.wait_for_mark(mark)?);
            }
        }
        Ok(last)
    }
}

fn create_event() -> Result<sys::CUevent> {
    read("cuEventCreate", std::ptr::null_mut(), |event| {
        // SAFETY: a context is current.
        unsafe { sys::call!(cuEventCreate(event, sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32)) }
    })
}
