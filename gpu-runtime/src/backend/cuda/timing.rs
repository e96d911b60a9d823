//! How long kernels run on a GPU, for the profile of a run: an event before and an event after each launch.
//!
//! Nothing waits for the events. Those that were reached are read when somebody waits for a queue, or when there are many.

use std::ptr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::driver::{check, read};
use super::{Gpu, Queue, sys};
use crate::Result;
use crate::observe::{self, Activity, Record, Track};

/// More than that many launches are not left to be read.
const MANY: usize = 512;

/// After this time, a GPU's clock is compared with the host's again: the driver gives times as `f32`.
const BASE_AGE: Duration = Duration::from_secs(5);

/// An event with a time, which is used again after it was read.
#[derive(Clone, Copy)]
struct Stamp(sys::CUevent);

// SAFETY: the driver's handle may be used from any thread once the context is current there.
unsafe impl Send for Stamp {}

/// A launch between two events.
struct Pending {
    gpu: &'static Gpu,
    stream: usize,
    name: String,
    bytes: u64,
    occupancy: Option<f64>,
    start: Stamp,
    end: Stamp,
}

/// Of one GPU.
#[derive(Default)]
struct Timings {
    pending: Vec<Pending>,
    unused: Vec<Stamp>,
    /// An event, and when it was reached.
    base: Option<(Stamp, Instant)>,
}

/// Those of each GPU, by its number.
static TIMINGS: Mutex<Vec<Timings>> = Mutex::new(Vec::new());

impl Queue {
    /// Calls `launch`, which puts the kernel `name` on the queue, with that occupancy.
    #[inline]
    pub(super) fn timed(
        &self,
        name: &'static str,
        occupancy: impl FnOnce() -> Option<f64>,
        launch: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        if observe::is_launch_observed() { self.launch_observed(name, occupancy, launch) } else { launch() }
    }

    #[cold]
    fn launch_observed(
        &self,
        name: &'static str,
        occupancy: impl FnOnce() -> Option<f64>,
        launch: impl FnOnce() -> Result<()>,
    ) -> Result<()> {
        let _observed = observe::begin_launch(name);
        if observe::is_profiled() { self.launch_timed(name, occupancy(), launch) } else { launch() }
    }

    fn launch_timed(&self, name: &'static str, occupancy: Option<f64>, launch: impl FnOnce() -> Result<()>) -> Result<()> {
        let (name, bytes) = (observe::kernel_at_line(name), observe::take_bytes());
        // Without its time, a launch is as good.
        let start = with_timings(self.gpu(), |timings| timings.stamp(self)).ok();
        launch()?;
        if let Some(start) = start {
            let _ = with_timings(self.gpu(), |timings| {
                let end = timings.stamp(self)?;
                timings.pending.push(Pending { gpu: self.gpu(), stream: self.id().into(), name, bytes, occupancy, start, end });
                if timings.pending.len() > MANY { timings.read_reached() } else { Ok(()) }
            });
        }
        Ok(())
    }

    /// Reads the times of what was waited for.
    #[inline]
    pub(super) fn read_times(&self) {
        if observe::is_profiled() {
            let _ = with_timings(self.gpu(), Timings::read_reached);
        }
    }
}

fn with_timings<T>(gpu: &'static Gpu, work: impl FnOnce(&mut Timings) -> Result<T>) -> Result<T> {
    observe::before_end(read_all);
    gpu.make_current()?;
    let mut timings = TIMINGS.lock().unwrap_or_else(PoisonError::into_inner);
    if timings.len() <= gpu.ordinal() {
        timings.resize_with(gpu.ordinal() + 1, Timings::default);
    }
    work(&mut timings[gpu.ordinal()])
}

/// Reads what is left at the end of the process. Where the driver has ended already, nothing is.
fn read_all() {
    for timings in TIMINGS.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
        let Some(last) = timings.pending.last() else { continue };
        let _ = last.gpu.make_current().and_then(|()| {
            timings.read(&|end| {
                // SAFETY: the event was recorded.
                check("cuEventSynchronize", unsafe { sys::call!(cuEventSynchronize(end.0)) }).map(|()| true)
            })
        });
    }
}

impl Timings {
    /// An event after everything on the queue so far.
    fn stamp(&mut self, queue: &Queue) -> Result<Stamp> {
        if self.base.is_none() {
            let base = self.record(queue)?;
            // SAFETY: the event was just recorded.
            check("cuEventSynchronize", unsafe { sys::call!(cuEventSynchronize(base.0)) })?;
            self.base = Some((base, Instant::now()));
        }
        self.record(queue)
    }

    fn record(&mut self, queue: &Queue) -> Result<Stamp> {
        let stamp = match self.unused.pop() {
            Some(stamp) => stamp,
            None => Stamp(read("cuEventCreate", ptr::null_mut(), |event| {
                // SAFETY: a context is current.
                unsafe { sys::call!(cuEventCreate(event, sys::CUevent_flags::CU_EVENT_DEFAULT as u32)) }
            })?),
        };
        // SAFETY: nobody else uses the event, and the stream is never destroyed.
        check("cuEventRecord", unsafe { sys::call!(cuEventRecord(stamp.0, queue.stream)) })?;
        Ok(stamp)
    }

    fn read_reached(&mut self) -> Result<()> {
        // SAFETY: the event was recorded.
        self.read(&|end| match unsafe { sys::call!(cuEventQuery(end.0)) } {
            status if status == sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            status => check("cuEventQuery", status).map(|()| true),
        })
    }

    /// Adds the launches to the profile whose end `is_reached`.
    fn read(&mut self, is_reached: &dyn Fn(Stamp) -> Result<bool>) -> Result<()> {
        let Some((base, since)) = self.base else { return Ok(()) };
        for pending in std::mem::take(&mut self.pending) {
            if !is_reached(pending.end)? {
                self.pending.push(pending);
                continue;
            }
            let Pending { gpu, stream, name, bytes, occupancy, start, end } = pending;
            observe::record(Record {
                activity: Activity::Kernel,
                name: name.to_owned(),
                start: since + elapsed(base, start)?,
                duration: elapsed(start, end)?,
                bytes,
                occupancy,
                track: Track::Gpu { ordinal: gpu.ordinal(), stream },
            });
            self.unused.extend([start, end]);
        }
        if self.pending.is_empty() && since.elapsed() > BASE_AGE {
            self.unused.push(base);
            self.base = None;
        }
        Ok(())
    }
}

/// The time from one event to the other, which were reached.
fn elapsed(from: Stamp, to: Stamp) -> Result<Duration> {
    let milliseconds = read("cuEventElapsedTime", 0f32, |milliseconds| {
        // SAFETY: both were recorded with times.
        unsafe { sys::call!((cuEventElapsedTime: sys::ElapsedTime)(milliseconds, from.0, to.0)) }
    })?;
    Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1000.0))
}

#[cfg(test)]
mod tests {
    use super::super::fake::{Call, note, take_calls};
    use super::*;
    use crate::backend;

    #[test]
    fn a_launch_is_between_two_events_which_are_used_again() {
        let device = backend::Queue::of_fake_gpu();
        let queue = device.dispatch(|| unreachable!("a GPU"), |queue| queue);
        let launch = || {
            note(Call::Work { stream: queue.stream.addr() });
            Ok(())
        };
        let events = |calls: Vec<Call>| -> Vec<usize> {
            let event = |call| match call {
                Call::Record { event, .. } => Some(event),
                Call::Work { .. } => Some(0),
                _ => None,
            };
            calls.into_iter().filter_map(event).collect()
        };
        take_calls();
        queue.launch_timed("add", None, launch).unwrap();
        queue.launch_timed("add", None, launch).unwrap();
        let first = events(take_calls());
        let [base, start, 0, end, other_start, 0, other_end] = first[..] else { panic!("{first:?}") };
        let unused = with_timings(queue.gpu(), |timings| {
            timings.read_reached()?;
            assert!(timings.pending.is_empty());
            Ok(timings.unused.iter().map(|stamp| stamp.0.addr()).collect::<Vec<_>>())
        });
        assert_eq!(unused.unwrap(), [start, end, other_start, other_end]);
        queue.launch_timed("add", None, launch).unwrap();
        assert_eq!(events(take_calls()), [other_end, 0, other_start]);
        assert!(![start, end, other_start, other_end].contains(&base));
    }
}
