//! What the runtime does and how long it takes: spans of the crate `tracing`, and a profile of the run.
//!
//! Spans have the level `DEBUG`, those of launches and waits `TRACE`, and the target `gpu_runtime`. The profile is written when the process
//! ends, if `GPU_RUNTIME_PROFILE` asks for it: `table` prints a table to standard error, a name that ends in `.json` is a file for Perfetto
//! or `chrome://tracing`; `table,run.json` does both.
//!
//! Work that nobody observes costs a comparison of two flags: see [`begin`].

mod exit;
mod format;
mod profile;

use std::cell::Cell;
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
        }
    }
}

/// Whether a profile is made: not known yet, no, or yes.
static PROFILE: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const OFF: u8 = 1;
const ON: u8 = 2;

/// Whether a profile of the run is made.
#[inline]
pub(crate) fn is_profiled() -> bool {
    match PROFILE.load(Ordering::Relaxed) {
        OFF => false,
        state => state == ON || start(),
    }
}

#[cold]
fn start() -> bool {
    let is_on = profile::start();
    PROFILE.store(if is_on { ON } else { OFF }, Ordering::Relaxed);
    is_on
}

/// What is being done. It is over when this is dropped.
#[must_use]
pub(crate) struct Observed(Option<Box<Active>>);

/// What is being done and observed.
struct Active {
    span: Option<EnteredSpan>,
    /// Where a profile is made.
    started: Option<(Instant, Activity, String, u64)>,
}

/// Begins something, which uses so many bytes of arrays.
#[inline]
pub(crate) fn begin(activity: Activity, name: &str, bytes: u64) -> Observed {
    if !is_profiled() && LevelFilter::current() < LevelFilter::DEBUG {
        return Observed(None);
    }
    Observed(Some(begin_observed(activity, name, bytes)))
}

#[cold]
fn begin_observed(activity: Activity, name: &str, bytes: u64) -> Box<Active> {
    let started = is_profiled().then(|| (Instant::now(), activity, name.to_owned(), bytes));
    Box::new(Active { span: Some(span(activity, name, bytes).entered()), started })
}

/// Whether anybody wants to know of launches.
#[inline]
pub(crate) fn is_launch_observed() -> bool {
    is_profiled() || LevelFilter::current() >= LevelFilter::TRACE
}

/// The span of what is put on a GPU's queue, whose profile has the time on the GPU.
pub(crate) fn begin_launch(name: &str) -> Observed {
    if LevelFilter::current() < LevelFilter::TRACE {
        return Observed(None);
    }
    Observed(Some(Box::new(Active { span: Some(span(Activity::Kernel, name, 0).entered()), started: None })))
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
    }
}

impl Drop for Observed {
    #[inline]
    fn drop(&mut self) {
        if let Some(active) = self.0.take() {
            end(*active);
        }
    }
}

#[cold]
fn end(Active { span, started }: Active) {
    if let Some((start, activity, name, bytes)) = started {
        record(Record { activity, name, start, duration: start.elapsed(), bytes, track: Track::this_thread() });
    }
    drop(span);
}

thread_local! {
    static BYTES: Cell<u64> = const { Cell::new(0) };
}

/// Notes how many bytes of arrays the next launch of this thread uses, for a profile.
#[inline]
pub(crate) fn note_bytes(bytes: impl FnOnce() -> u64) {
    if is_profiled() {
        BYTES.set(bytes());
    }
}

/// The bytes that were noted for this launch.
pub(crate) fn take_bytes() -> u64 {
    BYTES.take()
}
