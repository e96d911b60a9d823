//! The checker: finds data races, and reads of shared memory that nothing wrote, while twins run.
//!
//! A checked launch runs its blocks one after the other on one thread of the operating system, so what it reports does not depend on
//! timing. Generated code passes each access to an array here, with the place in the source. The checker remembers the last accesses of each
//! element ([`shadow`]), and whether the program orders an access after them ([`order`]). If it does not, and one of the two is a write, then
//! on a GPU they could happen in either order, or at once: this is a data race, whatever the twin computed.
//!
//! Arrays are told apart by their addresses: those of the launch's arguments, and those of the block's shared memory. Other memory belongs
//! to one thread.
//!
//! Without a checker, an access costs one test of a flag that is the same for the whole launch, and nothing where its bounds are proved.

mod order;
mod shadow;

use std::sync::{Mutex, MutexGuard, PoisonError};

use self::order::{Moment, Order};
use self::shadow::Shadow;
use super::thread::{Block, Failure, Stop, Thread};
use crate::failure::AccessKind;
use crate::source::Site;

/// What launches on the CPU are checked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Checks {
    None,
    /// Data races, and reads of shared memory that nothing wrote.
    Memory,
    /// These, and integers that overflow.
    All,
}

/// What the checker of one launch knows.
pub(crate) struct Checker {
    checks: Checks,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    arrays: Vec<Array>,
    order: Order,
    /// The first read of shared memory that nothing has written yet. A write that follows before the next barrier makes it a race.
    early_read: Option<(Access, u64)>,
}

/// Memory that several threads can access.
struct Array {
    /// The first byte's address.
    start: usize,
    bytes: usize,
    /// The name of the parameter; empty for a shared array.
    name: &'static str,
    /// The block that has it, of a shared array.
    block: Option<u64>,
    shadow: Shadow,
}

/// An array of a launch: the parameter's name, the address, and the number of bytes.
pub(crate) type Region = (&'static str, usize, usize);

/// What a checker found at an access.
#[derive(Clone, Copy)]
pub(super) enum Finding {
    /// An earlier access that nothing orders before this one.
    Race { array: &'static str, index: u64, access: AccessKind, other: Access },
    /// A read of shared memory that no thread of the block has written.
    NotInitialized { index: u64 },
}

/// An access to an element.
#[derive(Clone, Copy)]
pub(super) struct Access {
    pub(super) kind: AccessKind,
    pub(super) site: Site,
    pub(super) block: [u32; 3],
    pub(super) thread: [u32; 3],
    moment: Moment,
}

impl Checker {
    /// A checker for a launch with these arrays.
    pub(crate) fn new(checks: Checks, regions: impl IntoIterator<Item = Region>) -> Self {
        let array = |(name, start, bytes)| Array { start, bytes, name, block: None, shadow: Shadow::default() };
        let arrays = regions.into_iter().map(array).collect();
        Self { checks, state: Mutex::new(State { arrays, order: Order::default(), early_read: None }) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All live threads of the block have passed a barrier.
    pub(super) fn pass_barrier(&self, block: u64) {
        self.state().order.pass_barrier(block);
    }

    /// Whether an overflow is worth a report. After a read of shared memory that nothing wrote, the operands mean nothing: the report will be
    /// about that.
    pub(super) fn reports_overflow(&self) -> bool {
        self.checks == Checks::All && self.state().early_read.is_none()
    }

    /// A read of shared memory that turned out to be too early, and not to race with the write.
    pub(super) fn early_read(&self) -> Option<Failure> {
        let (access, index) = self.state().early_read.take()?;
        Some(Failure::found(access, Finding::NotInitialized { index }))
    }

    /// All live threads of the grid have.
    pub(super) fn pass_grid_barrier(&self) {
        self.state().order.pass_grid_barrier();
    }

    /// Lanes of a warp have synchronized.
    pub(super) fn synchronize_warp(&self, block: u64, warp: usize, lanes: u32) {
        self.state().order.synchronize_warp(block, warp, lanes);
    }
}

impl Thread<'_> {
    /// The thread has an atomic or a fence that orders its accesses.
    pub fn synchronizes(&self) {
        if let Some(checker) = self.block.checker {
            checker.state().order.synchronize(self.block.linear(), self.number);
        }
    }

    /// The block has a shared array there.
    #[inline]
    pub(super) fn has_shared(&self, start: usize, bytes: usize) {
        if let Some(checker) = self.block.checker {
            checker.state().begin_shared(start, bytes, self.block.linear());
        }
    }

    /// Reports an access that is in bounds, if the launch is checked: whether the thread stops at it.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn stops_in_report(&self, address: usize, bytes: usize, kind: AccessKind, site: u32) -> bool {
        // The outlined part gets the thread as a number: a pointer to `self` would force the coordinates of a hot loop into memory.
        self.block.checker.is_some() && self.outlined.stops_in_report(address, bytes, kind, self.sites.at(site), self.number)
    }
}

impl Block<'_> {
    /// Tells the checker that the thread with this number uses some bytes: whether the thread stops.
    #[cold]
    #[inline(never)]
    fn stops_in_report(&self, address: usize, bytes: usize, kind: AccessKind, site: Site, number: u32) -> bool {
        let Some(checker) = self.checker else { return false };
        if self.worker.has_failed() {
            return true;
        }
        let mut state = checker.state();
        let moment = state.order.now(self.linear(), number);
        let access = Access { kind, site, block: self.index.get(), thread: self.thread_index(number), moment };
        let Some(finding) = state.access(address, bytes, access) else { return false };
        let Stop = self.worker.record(Failure::found(access, finding));
        true
    }
}

impl State {
    /// The block gets an array in memory that other blocks may have had.
    fn begin_shared(&mut self, start: usize, bytes: usize, block: u64) {
        let array = Array { start, bytes, name: "", block: Some(block), shadow: Shadow::default() };
        match self.arrays.iter_mut().find(|array| array.block.is_some() && array.start == start) {
            Some(known) if known.block == array.block && known.bytes == bytes => {}
            Some(known) => *known = array,
            None => self.arrays.push(array),
        }
    }

    fn access(&mut self, address: usize, bytes: usize, access: Access) -> Option<Finding> {
        let State { arrays, order, early_read } = self;
        let array = arrays.iter_mut().find(|array| array.start <= address && address < array.start + array.bytes)?;
        let offset = address - array.start;
        let index = (offset / bytes.max(1)) as u64;
        let is_shared = array.block.is_some();
        let mut other = None;
        for unit in array.shadow.units(offset, bytes) {
            let history = array.shadow.unit(unit);
            // An atomic store is not told from an atomic addition, and most shared atomics are first stored to.
            if is_shared && matches!(access.kind, AccessKind::Read | AccessKind::Update) && !history.is_written() {
                early_read.get_or_insert((access, index));
            }
            other = other.or_else(|| history.conflict(&access, order));
            history.add(access, order);
        }
        other.map(|other| Finding::Race { array: array.name, index, access: access.kind, other })
    }
}
