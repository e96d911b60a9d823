//! Distributes the blocks of a launch over rayon's workers.
//!
//! The calling thread and its helpers draw runs of blocks from one counter, so long and short blocks balance themselves. Waking a helper
//! takes longer than a small launch, and the number of threads does not determine how long a launch takes. So a launch starts on the
//! calling thread alone, and a [`Probe`] wakes helpers when what is left seems to take as long as waking them.

use std::cell::Cell;
use std::mem;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::blocks::Blocks;
use super::checker::Checker;
use super::grid;
use super::thread::{Block, Stop, Worker};
use crate::dims::LaunchDims;
use crate::failure::{KernelFailure, Work};
use crate::fork;
use crate::observe::{self, Activity};
use crate::source::Sites;

/// How long a launch runs alone: about what it takes to wake 15 sleeping workers and to wait for them.
const PATIENCE: Duration = Duration::from_micros(20);

/// The most threads that it runs between two looks at the clock. The first ones are one thread apart, and then each is [`GROWTH`] times as
/// far: a launch of long threads soon has helpers, and one of short threads loses no time.
const MOST_BETWEEN_LOOKS: u32 = 4096;
const GROWTH: u32 = 4;

/// The least threads between two looks that tell how long others take: so many that looking takes little of the time.
const REPRESENTATIVE: u32 = 2048;

/// Drawing from the counter costs about as much as this many short threads; a run of blocks is worth several times that.
const RUN_THREADS: u64 = 512;

/// How many runs each worker draws from a large grid: enough that the last ones end at about the same time.
const RUNS_PER_WORKER: u64 = 16;

/// A kernel with its arguments, ready to run here.
pub(crate) struct Twin<F> {
    /// What messages call it.
    pub(crate) name: &'static str,
    /// Whether the threads of the grid wait for each other.
    pub(crate) cooperative: bool,
    /// Whether the launch makes the checks redundant that a launch can make redundant.
    pub(crate) in_bounds: bool,
    /// Of a checked launch, which runs on this thread alone.
    pub(crate) checker: Option<Checker>,
    /// Where it can fail.
    pub(crate) sites: &'static Sites,
    /// Runs consecutive blocks.
    pub(crate) run_blocks: F,
}

impl<F> Twin<F> {
    /// What its failures are told as.
    pub(super) fn work(&self) -> Work {
        Work::of_kernel_in(self.sites.file())
    }
}

/// Runs every block of the grid, in parallel, and returns when all have ended or, after a failure, when those
/// that had begun have.
pub(crate) fn run<F>(twin: &Twin<F>, dims: &LaunchDims) -> Result<(), KernelFailure>
where
    F: Fn(Blocks<'_>) -> Result<(), Stop> + Sync,
{
    let (blocks, threads_per_block) = (count(dims.grid), count(dims.block));
    if blocks == 0 || threads_per_block == 0 {
        return Ok(());
    }
    let _observed = observe::begin(Activity::Kernel, twin.name, observe::take_bytes());
    if twin.cooperative { grid::run(twin, dims, blocks) } else { run_independent_blocks(twin, dims, blocks, threads_per_block) }?;
    match twin.checker.as_ref().and_then(Checker::early_read) {
        Some(failure) => Err(failure.report(twin.name, twin.work())),
        None => Ok(()),
    }
}

/// The blocks of a grid, or the threads of a block.
fn count(extents: [u32; 3]) -> u64 {
    extents.into_iter().map(u64::from).fold(1, u64::saturating_mul)
}

fn run_independent_blocks<F>(twin: &Twin<F>, dims: &LaunchDims, blocks: u64, threads_per_block: u64) -> Result<(), KernelFailure>
where
    F: Fn(Blocks<'_>) -> Result<(), Stop> + Sync,
{
    // A single block must not start rayon's workers.
    let workers = if blocks == 1 || twin.checker.is_some() { 1 } else { rayon_core::current_num_threads() as u64 };
    let launch = Launch {
        twin,
        dims: *dims,
        blocks,
        run: run_length(blocks, threads_per_block, workers),
        most: blocks.div_ceil(workers),
        next: AtomicU64::new(0),
        abandoned: AtomicBool::new(false),
        failure: OnceLock::new(),
    };
    if workers == 1 {
        launch.work(None);
    } else {
        fork::note_use();
        rayon_core::in_place_scope(|scope| {
            let helpers = workers.min(blocks) - 1;
            let recruit = || (0..helpers).for_each(|_| scope.spawn(|_| launch.work(None)));
            launch.work(Some(&Probe::new(blocks.saturating_mul(threads_per_block), &recruit)));
        });
    }
    launch.failure.into_inner().map_or(Ok(()), Err)
}

/// How many consecutive blocks a worker draws at a time.
fn run_length(blocks: u64, threads_per_block: u64, workers: u64) -> u64 {
    let balanced = blocks / (workers * RUNS_PER_WORKER);
    let worthwhile = RUN_THREADS.div_ceil(threads_per_block).min(blocks.div_ceil(workers));
    balanced.max(worthwhile)
}

/// A launch in progress, shared by its workers.
struct Launch<'l, F> {
    twin: &'l Twin<F>,
    dims: LaunchDims,
    blocks: u64,
    /// How many blocks a worker draws at a time.
    run: u64,
    /// The share of a worker: no more blocks than workers run at the same time, and may wait for each other.
    most: u64,
    /// The first block that nobody has drawn.
    next: AtomicU64,
    /// Set after a failure or a panic: blocks that have not begun will not.
    abandoned: AtomicBool,
    /// The failure that was reported first.
    failure: OnceLock<KernelFailure>,
}

impl<F: Fn(Blocks<'_>) -> Result<(), Stop>> Launch<'_, F> {
    /// Draws and runs blocks until none is left.
    fn work(&self, probe: Option<&Probe<'_>>) {
        let unwinding = AbandonOnPanic(&self.abandoned);
        self.draw(probe);
        mem::forget(unwinding);
    }

    fn draw(&self, probe: Option<&Probe<'_>>) {
        let worker = Worker::default();
        let block = Block::new(self.dims, self.twin, &worker);
        let threads_per_block = count(self.dims.block);
        loop {
            let run = probe.map_or(self.run, |probe| self.run.max((probe.alone() / threads_per_block).min(self.most)));
            let first = self.next.fetch_add(run, Ordering::Relaxed);
            if first >= self.blocks || self.abandoned.load(Ordering::Relaxed) {
                return;
            }
            let range = first..self.blocks.min(first + run);
            let blocks = Blocks { range, block: &block, grid: &[], abandoned: &self.abandoned, probe };
            // An overflow that the checker reported has not ended its thread.
            if (self.twin.run_blocks)(blocks).is_err() || worker.has_failed() {
                self.abandoned.store(true, Ordering::Relaxed);
                if let Some(failure) = worker.take_failure(self.twin.name, self.twin.work()) {
                    // Another worker may have failed before.
                    let _ = self.failure.set(failure);
                }
                return;
            }
        }
    }
}

/// Watches the begin of a launch on the calling thread, and calls for helpers if it takes long.
pub(super) struct Probe<'p> {
    recruit: &'p dyn Fn(),
    recruited: Cell<bool>,
    started: Instant,
    /// When the clock was looked at last.
    looked: Cell<Instant>,
    /// How many threads the launch has, and how many of them had not run then.
    threads: u64,
    remaining: Cell<u64>,
    /// How many threads run between two looks at the clock, and until the next one.
    distance: Cell<u32>,
    left: Cell<u32>,
}

impl<'p> Probe<'p> {
    fn new(threads: u64, recruit: &'p dyn Fn()) -> Self {
        let started = Instant::now();
        Self {
            recruit,
            recruited: Cell::new(false),
            started,
            looked: Cell::new(started),
            threads,
            remaining: Cell::new(threads),
            distance: Cell::new(1),
            left: Cell::new(1),
        }
    }

    /// How many threads have run, as long as there are no helpers. The calling thread draws as many again: a run of them takes no longer
    /// than the launch has taken, and drawing it takes no time.
    fn alone(&self) -> u64 {
        if self.recruited.get() { 0 } else { self.threads - self.remaining.get() }
    }

    /// How many of the next `threads` may run before [`ran`](Self::ran) is told of them.
    pub(super) fn until_look(&self, threads: u32) -> u32 {
        if self.recruited.get() { threads } else { self.left.get().min(threads) }
    }

    /// So many threads have run.
    pub(super) fn ran(&self, threads: u32) {
        if self.recruited.get() {
            return;
        }
        self.left.set(self.left.get() - threads);
        if self.left.get() == 0 {
            self.look();
        }
    }

    /// Calls for helpers, once, if the launch has taken long or is going to.
    fn look(&self) {
        let (now, distance) = (Instant::now(), self.distance.get());
        let remaining = self.remaining.get().saturating_sub(distance.into());
        if now - self.started >= PATIENCE || will_take_long(now - self.looked.replace(now), distance, remaining) {
            self.recruit();
        }
        let next = distance.saturating_mul(GROWTH).min(MOST_BETWEEN_LOOKS);
        self.remaining.set(remaining);
        self.distance.set(next);
        self.left.set(next);
    }

    /// Calls for helpers, once, if the launch has been running for longer than waking them takes.
    pub(super) fn check(&self) {
        if !self.recruited.get() && self.started.elapsed() >= PATIENCE {
            self.recruit();
        }
    }

    fn recruit(&self) {
        self.recruited.set(true);
        (self.recruit)();
    }
}

/// Whether the remaining threads seem to take longer than waking helpers, if the last ones took so long.
fn will_take_long(time: Duration, threads: u32, remaining: u64) -> bool {
    let of_remaining = time.as_nanos() * u128::from(remaining) / u128::from(threads);
    threads >= REPRESENTATIVE && of_remaining >= PATIENCE.as_nanos()
}

/// Abandons the launch when a worker unwinds: the panic is on its way to the caller, so nobody will see the results.
///
/// Only unwinding drops it. `thread::panicking` would not do: it is true as well for a launch from a `drop` in a thread that
/// panicked before, whose results somebody will see.
struct AbandonOnPanic<'l>(&'l AtomicBool);

impl Drop for AbandonOnPanic<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    use std::time::Duration;

    use super::{Blocks, Launch, LaunchDims, Probe, Sites, Stop, Twin, run, run_length, will_take_long};

    /// A kernel that panics if it runs and is not allowed to.
    fn twin(allowed: bool) -> Twin<impl Fn(Blocks<'_>) -> Result<(), Stop> + Sync> {
        let run_blocks = move |_: Blocks<'_>| {
            assert!(allowed, "there are no threads");
            Ok(())
        };
        Twin { name: "allowed", cooperative: false, in_bounds: false, checker: None, sites: &Sites::NONE, run_blocks }
    }

    #[test]
    fn a_launch_without_threads_does_nothing() {
        assert_eq!(run(&twin(false), &LaunchDims { grid: [3, 0, 1], block: [8, 1, 1] }), Ok(()));
        assert_eq!(run(&twin(false), &LaunchDims { grid: [3, 1, 1], block: [8, 1, 0] }), Ok(()));
    }

    /// Works on a launch while the thread unwinds from a panic that is not the launch's.
    struct WorkOnDrop<'l, F: Fn(Blocks<'_>) -> Result<(), Stop>>(&'l Launch<'l, F>);

    impl<F: Fn(Blocks<'_>) -> Result<(), Stop>> Drop for WorkOnDrop<'_, F> {
        fn drop(&mut self) {
            self.0.work(None);
        }
    }

    #[test]
    fn only_a_panic_of_its_own_abandons_a_launch() {
        for (allowed, abandoned) in [(true, false), (false, true)] {
            let twin = twin(allowed);
            let launch = Launch {
                twin: &twin,
                dims: LaunchDims { grid: [4, 1, 1], block: [1; 3] },
                blocks: 4,
                run: 1,
                most: 4,
                next: AtomicU64::new(0),
                abandoned: AtomicBool::new(false),
                failure: OnceLock::new(),
            };
            let unwound = catch_unwind(AssertUnwindSafe(|| {
                if allowed {
                    let _work = WorkOnDrop(&launch);
                    panic!("elsewhere");
                }
                launch.work(None);
            }));
            assert!(unwound.is_err());
            assert_eq!(launch.abandoned.load(Ordering::Relaxed), abandoned);
        }
    }

    #[test]
    fn a_launch_has_helpers_if_they_come_before_its_end() {
        let of = |nanos, threads, remaining| will_take_long(Duration::from_nanos(nanos), threads, remaining);
        assert!(!of(200, 2048, 40_000), "4 microseconds");
        assert!(!of(200, 2048, 200_000) && of(200, 2048, 210_000), "20 microseconds");
        assert!(!of(5000, 1, 1000), "one thread does not tell");
        assert!(!of(u64::MAX, 4096, 0) && of(u64::MAX, 4096, u64::MAX));
    }

    #[test]
    fn a_thread_without_helpers_draws_as_much_as_has_run() {
        let calls = Cell::new(0);
        let recruit = || calls.set(calls.get() + 1);
        let probe = Probe::new(1 << 40, &recruit);
        assert_eq!(probe.alone(), 0);
        for distance in [1, 4, 16, 64] {
            let before = probe.alone();
            if calls.get() == 0 {
                assert_eq!(probe.until_look(1000), distance);
            }
            probe.ran(distance);
            // On a busy machine, helpers may have been called by now.
            assert_eq!(probe.alone(), if calls.get() == 0 { before + u64::from(distance) } else { 0 });
        }
        probe.recruit();
        assert_eq!(probe.alone(), 0);
    }

    #[test]
    fn a_few_heavy_blocks_are_drawn_one_by_one() {
        assert_eq!(run_length(2, 16, 16), 1);
        assert_eq!(run_length(16, 256, 16), 1);
    }

    #[test]
    fn every_worker_draws_several_times_from_a_large_grid() {
        for (blocks, threads) in [(6_400, 16), (1 << 20, 128), (1 << 31, 1)] {
            let runs = blocks / run_length(blocks, threads, 16);
            assert!((64..=512).contains(&runs), "{blocks} blocks make {runs} runs");
        }
    }

    #[test]
    fn small_blocks_are_drawn_many_at_a_time() {
        assert_eq!(run_length(100_000, 1, 2), 3_125);
        assert_eq!(run_length(4_096, 1, 2), 512);
    }
}
