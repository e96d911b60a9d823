//! What the runtime does and how long it takes: spans of the crate `tracing`, and a profile of the run.
//!
//! Spans have the level `DEBUG`, those of launches and waits `TRACE`, and the target `gpu_runtime`. The profile is written when the process
//! ends, if `GPU_RUNTIME_PROFILE` asks for it: `table` prints a table to standard error, a name that ends in `.json` is a file for Perfetto
//! or `chrome://tracing`; `table,run.json` does both. Under Nsight Systems, they are [ranges] of NVTX.
//!
//! Work that nobody observes costs a comparison of two flags: see [`begin`].

mod exit;
mod format;
mod profile;
mod ranges;
mod trace_file;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

use tracing::level_filters::LevelFilter;
use tracing::span::EnteredSpan;

pub(crate) use profile::{Record, Track, before_end, record};

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Activity {
    /// A kernel or an array function runs.
    Kernel,
    /// Elements go from or to the device, or through it.
    Copy,
    /// The host waits for a queue.
    Wait,
    /// The disk cache is searched for a kernel.
    Cache,
    /// NVRTC compiles a kernel.
    Compile,
    /// The driver loads a kernel.
    Load,
    /// What the program has named.
    Range,
}

impl Activity {
    const fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Copy => "copy",
            Self::Wait => "wait",
            Self::Cache => "cache",
            Self::Compile => "compile",
            Self::Load => "load",
            Self::Range => "range",
        }
    }
}

/// Who observes the run, besides spans: flags, of which `KNOWN` says that the others are right.
static OBSERVERS: AtomicU8 = AtomicU8::new(0);
const KNOWN: u8 = 1;
const PROFILE: u8 = 2;
const RANGES: u8 = 4;

#[inline]
fn observers() -> u8 {
    match OBSERVERS.load(Ordering::Relaxed) {
        0 => find_observers(),
        known => known,
    }
}

#[cold]
fn find_observers() -> u8 {
    let flag = |is_on: bool, flag| if is_on { flag } else { 0 };
    let observers = KNOWN | flag(profile::start(), PROFILE) | flag(ranges::are_wanted(), RANGES);
    OBSERVERS.store(observers, Ordering::Relaxed);
    observers
}

/// Whether a profile of the run is made.
#[inline]
pub(crate) fn is_profiled() -> bool {
    observers() & PROFILE != 0
}

/// What is being done. It is over when this is dropped.
#[must_use]
pub(crate) struct Observed(Option<Box<Active>>);

/// What is being done and observed.
struct Active {
    range: Option<ranges::Range>,
    span: Option<EnteredSpan>,
    /// Where a profile is made.
    started: Option<(Instant, Activity, String, u64)>,
}

/// Begins something, which uses so many bytes of arrays.
#[inline]
pub(crate) fn begin(activity: Activity, name: &str, bytes: u64) -> Observed {
    if observers() == KNOWN && LevelFilter::current() < LevelFilter::DEBUG {
        return Observed(None);
    }
    Observed(contained(|| begin_observed(activity, name, bytes)))
}

/// Calls what is not code of this crate: a subscriber. If it panics, which the panic hook has reported, it observes nothing; it must not unwind
/// from here, between the start of a copy and the wait for it.
fn contained<R>(observer: impl FnOnce() -> R) -> Option<R> {
    // What was thrown is forgotten: it may panic when it is dropped.
    catch_unwind(AssertUnwindSafe(observer)).map_err(std::mem::forget).ok()
}

#[cold]
fn begin_observed(activity: Activity, name: &str, bytes: u64) -> Box<Active> {
    let row = || if activity == Activity::Kernel { kernel_at_line(name) } else { name.to_owned() };
    let started = is_profiled().then(|| (Instant::now(), activity, row(), bytes));
    Box::new(Active { range: nvtx_range(activity, name), span: Some(span(activity, name, bytes).entered()), started })
}

fn nvtx_range(activity: Activity, name: &str) -> Option<ranges::Range> {
    let begin = || match activity {
        Activity::Range => ranges::Range::begin(name),
        _ => ranges::Range::begin(&format!("{} {name}", activity.name())),
    };
    if observers() & RANGES == 0 { None } else { begin() }
}

/// Whether anybody wants to know of launches.
#[inline]
pub(crate) fn is_launch_observed() -> bool {
    observers() != KNOWN || LevelFilter::current() >= LevelFilter::TRACE
}

/// The span of what is put on a GPU's queue, whose profile has the time on the GPU.
pub(crate) fn begin_launch(name: &str) -> Observed {
    let is_traced = LevelFilter::current() >= LevelFilter::TRACE;
    Observed(contained(|| {
        let span = is_traced.then(|| span(Activity::Kernel, name, 0).entered());
        Box::new(Active { range: nvtx_range(Activity::Kernel, name), span, started: None })
    }))
}

#[cold]
fn span(activity: Activity, name: &str, bytes: u64) -> tracing::Span {
    const TARGET: &str = "gpu_runtime";
    match activity {
        Activity::Kernel => tracing::trace_span!(target: TARGET, "launch", kernel = name),
        Activity::Copy => tracing::debug_span!(target: TARGET, "copy", direction = name, bytes),
        Activity::Wait => tracing::trace_span!(target: TARGET, "wait", on = name),
        Activity::Cache => tracing::debug_span!(target: TARGET, "cache", kernel = name),
        Activity::Compile => tracing::debug_span!(target: TARGET, "compile", kernel = name),
        Activity::Load => tracing::debug_span!(target: TARGET, "load", kernel = name),
        Activity::Range => tracing::debug_span!(target: TARGET, "range", name),
    }
}

impl Drop for Observed {
    #[inline]
    fn drop(&mut self) {
        if let Some(active) = self.0.take() {
            let _ = contained(|| end(*active));
        }
    }
}

#[cold]
fn end(Active { range, span, started }: Active) {
    if let Some((start, activity, name, bytes)) = started {
        record(Record { activity, name, start, duration: start.elapsed(), bytes, occupancy: None, track: Track::this_thread() });
    }
    drop(range);
    drop(span);
}

/// A part of a program, until it is dropped: the result of [`range`](crate::range).
#[must_use = "the range ends when this is dropped"]
pub struct Range(#[allow(dead_code, reason = "it is dropped")] Observed);

/// Names what this thread does until the result is dropped: a row of the profile, a span of `tracing` and a range of NVTX, where somebody wants
/// them. CuPy's `nvtx.RangePush`.
///
/// ```
/// let _range = gpu_runtime::range("load the images");
/// ```
///
/// Launches return before their kernels have run, so the range has the time of the calls, unless it waits for them.
// Compiled only where it is used.
#[inline]
pub fn range(name: &str) -> Range {
    Range(begin(Activity::Range, name, 0))
}

impl std::fmt::Debug for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Range")
    }
}

thread_local! {
    static BYTES: Cell<u64> = const { Cell::new(0) };
    static LINE: Cell<Option<&'static Location<'static>>> = const { Cell::new(None) };
}

/// The kernels that this thread launches are those of a line of the program, until this is dropped.
#[must_use]
pub(crate) struct AtLine {
    outer: Option<&'static Location<'static>>,
}

/// Notes the line of the program whose kernels this thread launches, for a profile and for errors of recordings.
#[inline]
pub(crate) fn at_line(line: &'static Location<'static>) -> AtLine {
    AtLine { outer: LINE.replace(Some(line)) }
}

/// The line that was noted.
pub(crate) fn line() -> Option<&'static Location<'static>> {
    LINE.get()
}

impl Drop for AtLine {
    #[inline]
    fn drop(&mut self) {
        LINE.set(self.outer);
    }
}

/// A kernel with the line that launches it, as rows of the profile name it.
pub(crate) fn kernel_at_line(name: &str) -> String {
    match line() {
        Some(line) => format!("{name} at {}:{}", line.file(), line.line()),
        None => name.to_owned(),
    }
}

/// Notes how many bytes of arrays the next launch of this thread uses, for a profile.
#[inline]
pub(crate) fn note_bytes(bytes: impl FnOnce() -> u64) {
    if is_profiled() {
        set_bytes(bytes());
    }
}

#[cold]
fn set_bytes(bytes: u64) {
    BYTES.set(bytes);
}

/// The bytes that were noted for this launch.
pub(crate) fn take_bytes() -> u64 {
    BYTES.take()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::span;

    /// A subscriber with a bug: it panics wherever it is called for a wait, and when a span ends.
    struct Panicking;

    struct PanicsAgain;

    impl Drop for PanicsAgain {
        fn drop(&mut self) {
            panic!("a bug in what was thrown");
        }
    }

    impl tracing::Subscriber for Panicking {
        fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
            true
        }

        fn new_span(&self, span: &span::Attributes<'_>) -> span::Id {
            if span.metadata().name() == "wait" {
                std::panic::panic_any(PanicsAgain);
            }
            span::Id::from_u64(1)
        }

        fn exit(&self, _: &span::Id) {
            panic!("another bug of a subscriber");
        }

        fn record(&self, _: &span::Id, _: &span::Record<'_>) {}
        fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}
        fn event(&self, _: &tracing::Event<'_>) {}
        fn enter(&self, _: &span::Id) {}
    }

    #[test]
    fn a_subscriber_that_panics_does_not_unwind_into_what_it_observes() {
        tracing::subscriber::with_default(Panicking, || {
            assert!(begin(Activity::Wait, "a copy", 0).0.is_none());
            for observed in [begin(Activity::Copy, "to the device", 8), begin_launch("add")] {
                assert!(observed.0.is_some());
                drop(observed);
            }
        });
    }
}
