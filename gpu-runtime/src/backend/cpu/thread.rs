//! One GPU thread, the block it belongs to, and how it ends when a check fails.

use std::cell::Cell;
use std::hint::assert_unchecked;
use std::panic::Location;

use super::barrier::Round;
use super::checker::{Access, Checker, Finding};
use super::dynamic::DynamicMemory;
use super::schedule::Twin;
use super::shared::SharedMemory;
use super::warp::Warp;
use crate::dims::LaunchDims;
use crate::failure::{DataRace, FailureCause, IntegerOverflow, KernelFailure, Work};
use crate::source::{Place, PrintValue, Site, SiteKind, Sites};

/// This GPU thread has ended; the block knows why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stop;

/// What a kernel returns then.
pub const STOPPED: Result<(), Stop> = Err(Stop);

/// One GPU thread of a running block.
#[derive(Clone, Copy)]
pub struct Thread<'b> {
    /// `threadIdx`.
    pub(super) index: [u32; 3],
    /// Its number in the block: x runs fastest.
    pub(super) number: u32,
    pub(super) block: &'b Block<'b>,
    /// The block for outlined functions. In a hot loop, the other one is a copy, which a pointer to it would force into memory.
    pub(super) outlined: &'b Block<'b>,
    /// Where the function can fail that the thread is in. Its code names these places by their numbers: rustc takes long for anything else
    /// that stands at each access.
    pub(super) sites: &'static Sites,
}

/// A block while a worker runs it. Coordinates are stored here by value so that, once the body of a plain kernel is inlined,
/// the optimiser keeps them in registers; what outlives the block is behind references.
#[derive(Clone)]
pub(super) struct Block<'b> {
    /// `blockIdx`. A barrier kernel's futures keep a reference to the block from one block to the next.
    pub(super) index: Cell<[u32; 3]>,
    pub(super) dims: LaunchDims,
    /// Whether there is a kernel at all; `false` under [`on_host`] and in array functions.
    in_kernel: bool,
    /// Whether this launch makes the checks redundant that a launch can make redundant.
    pub(super) in_bounds: bool,
    /// Of a checked launch.
    pub(super) checker: Option<&'b Checker>,
    pub(super) worker: &'b Worker,
    /// Those of the kernel.
    pub(super) sites: &'static Sites,
}

/// What one worker keeps from block to block.
#[derive(Default)]
pub(super) struct Worker {
    /// The first failure.
    failure: Cell<Option<Failure>>,
    pub(super) round: Round,
    pub(super) warp: Warp,
    pub(super) shared: SharedMemory,
    pub(super) dynamic: DynamicMemory,
}

/// Why a thread failed, and which.
#[derive(Clone, Copy)]
pub(super) struct Failure {
    reason: Reason,
    block: [u32; 3],
    thread: [u32; 3],
}

#[derive(Clone, Copy)]
enum Reason {
    /// A check, with its two values.
    Check(Site, [u64; 2]),
    /// The threads that this one waits for wait at the other site.
    Divergence(Site, Site),
    /// What the checker found at an access.
    Access(Site, Finding),
    /// What it found at an operator.
    Overflow(&'static Location<'static>, IntegerOverflow),
}

impl Failure {
    /// What a checker found at an access.
    pub(super) fn found(access: Access, finding: Finding) -> Self {
        let Access { site, block, thread, .. } = access;
        Self { reason: Reason::Access(site, finding), block, thread }
    }

    /// The failure of `kernel`.
    pub(super) fn report(&self, kernel: &'static str, work: Work) -> KernelFailure {
        KernelFailure::new(kernel, work, self.place(), self.cause(), self.block, self.thread)
    }

    fn place(&self) -> Place {
        match self.reason {
            Reason::Check(site, _) | Reason::Divergence(site, _) | Reason::Access(site, _) => site.place(),
            Reason::Overflow(at, _) => (at.file(), at.line(), at.column()),
        }
    }

    fn cause(&self) -> FailureCause {
        match self.reason {
            Reason::Check(site, values) => FailureCause::from_site(site, values),
            Reason::Divergence(site, other) => FailureCause::divergence(site, other),
            Reason::Access(_, Finding::Race { array, index, access, other }) => FailureCause::DataRace(Box::new(DataRace {
                array,
                index,
                access,
                other_access: other.kind,
                other_file: other.site.file(),
                other_line: other.site.line(),
                other_column: other.site.column(),
                other_block: other.block,
                other_thread: other.thread,
            })),
            Reason::Access(_, Finding::NotInitialized { index }) => FailureCause::NotInitialized { index },
            Reason::Overflow(_, overflow) => FailureCause::IntegerOverflow(Box::new(overflow)),
        }
    }
}

impl<'b> Thread<'b> {
    /// The thread in a function that can fail at these places.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[must_use]
    pub fn in_function(&self, sites: &'static Sites) -> Self {
        Self { sites, ..*self }
    }

    /// `index` if it is below `len`, else the failure recorded for `site`.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn index(&self, index: usize, len: usize, site: u32) -> Result<usize, Stop> {
        if index < len { Ok(index) } else { Err(self.fail(site, [index as u64, len as u64])) }
    }

    /// The grid and the block.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn dims(&self) -> &LaunchDims {
        &self.block.dims
    }

    /// Tells rustc that the x coordinate in the grid is below `limit`, if there is one.
    ///
    /// # Safety
    ///
    /// It is.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn is_below(&self, limit: Option<usize>) {
        let at = self.launch("grid_1d");
        let x = at.block_idx[0] as usize * at.block_dim[0] as usize + at.thread_idx[0] as usize;
        // SAFETY: the caller guarantees it.
        unsafe { assert_unchecked(limit.is_none_or(|limit| x < limit)) };
    }

    /// `index`, which the kernel's proof shows to be below `len` in every launch.
    ///
    /// # Safety
    ///
    /// `index` is below `len`.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn proved_index(&self, index: usize, len: usize) -> usize {
        debug_assert!(index < len, "the proof of bounds is wrong: the index is {index} and the length {len}");
        // SAFETY: the caller guarantees it. The access that follows checks the index once more, and rustc removes that check.
        unsafe { assert_unchecked(index < len) };
        index
    }

    /// Whether the thread stops because `index` is not below `len`.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn stops_at_index(&self, index: usize, len: usize, site: u32) -> bool {
        self.index(index, len, site).is_err()
    }

    /// The same without the check in a launch that makes it redundant.
    ///
    /// # Safety
    ///
    /// `index` is below `len` in a launch for which [`in_bounds`](crate::kernel::Shown::in_bounds) holds.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn stops_at_index_unless_proved(&self, index: usize, len: usize, site: u32) -> bool {
        if !self.block.in_bounds {
            return self.stops_at_index(index, len, site);
        }
        // SAFETY: the caller guarantees it.
        unsafe { self.proved_index(index, len) };
        false
    }

    /// Whether the thread stops because `index` is not below `shape` on some axis. The failure is that of the first such axis.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn stops_at_position<const N: usize>(&self, index: [usize; N], shape: [usize; N], sites: [u32; N]) -> bool {
        for axis in 0..N {
            if self.stops_at_index(index[axis], shape[axis], sites[axis]) {
                return true;
            }
        }
        false
    }

    /// Fails with the message of `site` unless `condition` holds.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn assert(&self, condition: bool, site: u32) -> Result<(), Stop> {
        if condition { Ok(()) } else { Err(self.fail(site, [0, 0])) }
    }

    /// Whether the thread stops because `condition` does not hold.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn stops_unless(&self, condition: bool, site: u32) -> bool {
        self.assert(condition, site).is_err()
    }

    /// The part of an array, if its range is within the array.
    pub fn part<P>(&self, part: Option<P>, site: u32) -> Result<P, Stop> {
        part.ok_or_else(|| self.fail(site, [0, 0]))
    }

    /// Prints `values` as the text at `site` says, in one piece.
    #[cold]
    #[inline(never)]
    pub fn print(&self, site: u32, values: &[PrintValue]) {
        if let SiteKind::Print(text) = self.sites.at(site).kind() {
            print!("{}", text.format(values));
        }
    }

    /// Records a failure, of which the first counts, and ends the thread.
    // The outlined part gets the thread as a number: a pointer to `self` would force the coordinates of a hot loop into memory.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn fail(&self, site: u32, values: [u64; 2]) -> Stop {
        self.outlined.fail(self.sites.at(site), values[0], values[1], self.number)
    }

    /// Reports an overflow of the operator where the caller was called, if the launch is checked. The thread continues with the wrapped result,
    /// to its next access at the latest.
    #[cold]
    #[track_caller]
    pub(crate) fn report_overflow(&self, overflow: IntegerOverflow) {
        if self.block.checker.is_some_and(Checker::reports_overflow) {
            let (at, block) = (Location::caller(), self.block.index.get());
            let Stop = self.block.worker.record(Failure { reason: Reason::Overflow(at, overflow), block, thread: self.index });
        }
    }

    /// Says that the failure that was just recorded is that of the element with this index, as a GPU whose blocks are `width`
    /// threads would.
    #[cold]
    pub(crate) fn blame_element(&self, element: usize, width: u32) {
        let worker = self.block.worker;
        if let Some(failure) = worker.failure.take() {
            // An array of more than 2³² blocks of elements has no memory.
            let (block, thread) = ((element / width as usize) as u32, (element % width as usize) as u32);
            worker.failure.set(Some(Failure { block: [block, 0, 0], thread: [thread, 0, 0], ..failure }));
        }
    }

    /// The thread's number in its block, for the intrinsic `name`: x runs fastest.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn number(&self, name: &str) -> usize {
        if !self.block.in_kernel {
            outside_kernel(name);
        }
        self.number as usize
    }

    /// The block, for the intrinsic `name`, which has no meaning outside a kernel.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn launch(&self, name: &str) -> Coordinates {
        if !self.block.in_kernel {
            outside_kernel(name);
        }
        let LaunchDims { grid: grid_dim, block: block_dim, .. } = self.block.dims;
        Coordinates { thread_idx: self.index, block_idx: self.block.index.get(), block_dim, grid_dim }
    }
}

/// Where a thread is in its launch, under CUDA's names.
#[derive(Clone, Copy)]
pub(crate) struct Coordinates {
    pub(crate) thread_idx: [u32; 3],
    pub(crate) block_idx: [u32; 3],
    pub(crate) block_dim: [u32; 3],
    pub(crate) grid_dim: [u32; 3],
}

/// Refuses a call of the function `name`, for the threads of a kernel, from ordinary Rust.
#[cold]
#[track_caller]
pub fn outside_kernel(name: &str) -> ! {
    panic!("`{name}()` can only be called from a kernel")
}

impl<'b> Block<'b> {
    pub(super) fn new<F>(dims: LaunchDims, twin: &'b Twin<F>, worker: &'b Worker) -> Self {
        let &Twin { in_bounds, ref checker, sites, .. } = twin;
        Self { index: Cell::new([0; 3]), dims, in_kernel: true, in_bounds, checker: checker.as_ref(), worker, sites }
    }

    /// Records the failure of the thread with this number, which counts on into the blocks that follow if it is in a line.
    #[cold]
    #[inline(never)]
    fn fail(&self, site: Site, first: u64, second: u64, number: u32) -> Stop {
        if let Some(cause) = self.checker.and_then(Checker::early_read) {
            return self.worker.record(cause);
        }
        let (threads, [x, y, z]) = (self.dims.block.into_iter().product::<u32>(), self.index.get());
        let (block, thread) = ([x + number / threads, y, z], self.thread_index(number % threads));
        self.worker.record(Failure { reason: Reason::Check(site, [first, second]), block, thread })
    }

    /// The `threadIdx` of the thread with this number.
    pub(super) fn thread_index(&self, number: u32) -> [u32; 3] {
        let [width, height, _] = self.dims.block;
        [number % width, number / width % height, number / width / height]
    }

    /// Its number in the grid: x runs fastest.
    pub(super) fn linear(&self) -> u64 {
        let ([x, y, z], [width, height, _]) = (self.index.get().map(u64::from), self.dims.grid.map(u64::from));
        x + width * (y + height * z)
    }

    /// A copy that nothing else can reach, of the block of a kernel.
    #[cfg_attr(debug_assertions, inline)]
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn of_kernel(&self) -> Self {
        Self { in_kernel: true, ..self.clone() }
    }

    /// What stands for a block where there is no kernel.
    pub(super) fn outside_kernels(worker: &'b Worker) -> Self {
        let dims = LaunchDims { grid: [1; 3], block: [1; 3] };
        Self { index: Cell::new([0; 3]), dims, in_kernel: false, in_bounds: false, checker: None, worker, sites: &Sites::NONE }
    }
}

impl Worker {
    /// The failure that ended a thread with [`Stop`], as a report on `kernel`.
    pub(super) fn take_failure(&self, kernel: &'static str, work: Work) -> Option<KernelFailure> {
        self.failure.take().map(|failure| failure.report(kernel, work))
    }

    /// Records that a thread waits at `site` while others wait at `other`.
    #[cold]
    pub(super) fn record_divergence(&self, site: Site, other: Site, block: [u32; 3], thread: [u32; 3]) -> Stop {
        self.record(Failure { reason: Reason::Divergence(site, other), block, thread })
    }

    /// Records that a thread waits at `site` for lanes that cannot synchronize there.
    #[cold]
    pub(super) fn record_mask(&self, site: Site, lanes: u32, block: [u32; 3], thread: [u32; 3]) -> Stop {
        self.record(Failure { reason: Reason::Check(site, [lanes.into(), 0]), block, thread })
    }

    /// Whether a thread has failed since the worker began.
    pub(super) fn has_failed(&self) -> bool {
        self.failure.get().is_some()
    }

    #[cold]
    #[inline(never)]
    pub(super) fn record(&self, failure: Failure) -> Stop {
        if self.failure.get().is_none() {
            self.failure.set(Some(failure));
        }
        Stop
    }
}

/// Calls a device function from ordinary Rust, where a failed check is a panic.
#[track_caller]
#[inline]
pub fn on_host<R>(function: impl FnOnce(&Thread<'_>) -> Result<R, Stop>) -> R {
    let worker = Worker::default();
    let block = Block::outside_kernels(&worker);
    match function(&Thread { index: [0; 3], number: 0, block: &block, outlined: &block, sites: block.sites }) {
        Ok(value) => value,
        Err(Stop) => worker.panic(),
    }
}

impl Worker {
    /// Panics with the recorded failure, without the kernel and coordinates that a device function called on the host lacks.
    #[cold]
    #[inline(never)]
    #[track_caller]
    fn panic(&self) -> ! {
        match self.failure.get() {
            Some(failure) => {
                let (file, line, column) = failure.place();
                panic!("device function failed at {file}:{line}:{column}: {}", failure.cause())
            }
            None => unreachable!("a thread stops only after it recorded why"),
        }
    }
}
