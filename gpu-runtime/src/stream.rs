//! Streams and events: what runs at the same time, and when.

use std::fmt;
use std::ops::Deref;
use std::time::Duration;

use crate::backend;
use crate::device::Device;
use crate::{Error, Result};

/// A sequence of operations of a [`Device`] that is independent of its other sequences: `cudaStream_t`, CuPy's `cupy.cuda.Stream`.
///
/// Operations on one stream run in order. Operations on different streams run at the same time, as far as the GPU has room, unless they
/// use the same memory and at least one of them writes it: then they run in the order of the program's calls. An array remembers which
/// streams have used it, and a use on another stream waits for those. This needs no code and no `unsafe`, and it is the same on every
/// thread: arrays can be moved, sent to other threads and dropped at any time.
///
/// A stream is a handle to its device. What a program does through this handle runs on the stream: it derefs to [`Device`], so functions
/// that take a `&Device` take a `&Stream`.
///
/// * A launch runs on the stream that [`on`](crate::Launch::on) gives. Without it, a launch runs on the stream of its first array argument,
///   which is the one that created the array, or which the argument was [given](crate::DeviceArray::on).
/// * The same holds for array functions, with [`Lazy::on`](crate::Lazy::on).
/// * A copy from or to an array runs on the stream that created the array, or that `array.on(&stream)` gives.
/// * Everything that is created through a [`Device`] itself is on the stream of the device: CUDA's default stream.
///
/// [`synchronize`](Device::synchronize) waits for this stream only. The failure of a kernel belongs to the stream that it ran on: it is
/// returned by the first call that waits for this stream or for the whole device, or that returns elements or a sum of an array which this
/// stream has written.
///
/// A stream is cheap: when the last handle to it and the last array that it created are dropped, another stream uses its resources.
/// Its work continues. On the CPU, an operation is done when its call returns, so streams only keep failures apart.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_kernel]
/// fn scale(x: &mut [f32], by: f32) {
///     let i = grid_1d();
///     if i < x.len() {
///         x[i] *= by;
///     }
/// }
///
/// let device = Device::best()?;
/// let (one, other) = (device.stream()?, device.stream()?);
/// let (mut x, mut y) = (device.to_device(&[1.0f32; 1000])?, device.to_device(&[2.0f32; 1000])?);
/// scale(&mut x, 3.0).on(&one).forall(1000)?;
/// scale(&mut y, 3.0).on(&other).forall(1000)?; // at the same time as the launch above
/// scale(&mut x, 0.5).on(&other).forall(1000)?; // after both of them
/// assert_eq!((x.to_host()?[0], y.to_host()?[0]), (1.5, 6.0));
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[derive(Clone)]
pub struct Stream(Device);

impl Deref for Stream {
    type Target = Device;

    #[inline]
    fn deref(&self) -> &Device {
        &self.0
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({})", self.0)
    }
}

/// A point of a stream: `cudaEvent_t`, CuPy's `cupy.cuda.Event`. Created by [`Device::record`].
pub struct Event(backend::Event);

impl Device {
    /// A new [`Stream`] of this device: `cudaStreamCreate`, Numba's `cuda.stream()`.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] is a GPU that does not work.
    pub fn stream(&self) -> Result<Stream> {
        self.stream_with_priority(0)
    }

    /// A new [`Stream`] with a priority: `cudaStreamCreateWithPriority`. 0 is that of all other streams. When the GPU has room for a block,
    /// it prefers the stream with the higher number. GPUs have a few levels; larger numbers mean the highest one.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] is a GPU that does not work.
    pub fn stream_with_priority(&self, priority: u32) -> Result<Stream> {
        self.queue().stream(priority).map(|queue| Stream(Self::of_queue(queue)))
    }

    /// The point after all operations so far on this stream, or on the stream of this device: `cudaEventRecord`.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] is a GPU that does not work.
    pub fn record(&self) -> Result<Event> {
        self.queue().record().map(Event)
    }

    /// Lets all later operations on this stream, or on the stream of this device, wait for `event`: `cudaStreamWaitEvent`. The call itself
    /// does not wait.
    ///
    /// Operations that use the same arrays are in order without it. An event orders what shares no array, for example to limit how far
    /// one stream is ahead of another.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] is a GPU that does not work.
    pub fn wait(&self, event: &Event) -> Result<()> {
        self.queue().wait_for(&event.0)
    }

    /// What `work` returns, and how long its operations on this stream took: from the first one to the end of the last one. Waits for them.
    ///
    /// On a GPU, this is the time between two events. It includes launches that the GPU waits for, so a single short kernel takes a few
    /// microseconds more than in a profile. The first launch of a kernel compiles it, so launch it once before.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::best()?;
    /// let x = device.zeros::<f32>(1 << 20)?;
    /// let (doubled, time) = device.time(|| (x.lazy() * 2.0).collect())?;
    /// println!("{} elements in {time:?}", doubled.len());
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of `work`, and [`Error::Driver`] is a GPU that does not work.
    pub fn time<R>(&self, work: impl FnOnce() -> Result<R>) -> Result<(R, Duration)> {
        let start = self.record()?;
        let result = work()?;
        let time = self.record()?.elapsed(&start)?;
        Ok((result, time))
    }
}

impl Event {
    /// The time from `earlier` to this event: `cudaEventElapsedTime`, CuPy's `get_elapsed_time`. Waits for both. Zero if `earlier` is later.
    ///
    /// # Errors
    ///
    /// [`Error::EventsOfDifferentDevices`] if the events are of different devices.
    pub fn elapsed(&self, earlier: &Self) -> Result<Duration> {
        match (&self.0, &earlier.0) {
            (backend::Event::Cpu(end), backend::Event::Cpu(start)) => Ok(end.saturating_duration_since(*start)),
            (backend::Event::Gpu(end), backend::Event::Gpu(start)) if end.is_on_gpu_of(start) => end.elapsed(start),
            _ => Err(Error::EventsOfDifferentDevices),
        }
    }

    /// Waits until all operations before the event are done: `cudaEventSynchronize`. Does not report failures of kernels.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] is a GPU that does not work.
    pub fn synchronize(&self) -> Result<()> {
        self.0.synchronize()
    }

    /// Whether all operations before the event are done: `cudaEventQuery`. Does not wait.
    ///
    /// # Errors
    ///
    /// [`Error::Driver`] is a GPU that does not work.
    pub fn is_done(&self) -> Result<bool> {
        self.0.is_done()
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &self.0 {
            backend::Event::Cpu(_) => "Event(CPU)",
            backend::Event::Gpu(_) => "Event(GPU)",
        })
    }
}
