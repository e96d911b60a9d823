//! Graphs: work that is recorded once and launched many times.

mod argument;
mod data;
#[cfg(test)]
mod tests;

use std::fmt;

pub use self::argument::{Borrowed, GraphArgument, GraphArguments};
pub use self::data::GraphData;
#[cfg(any(doc, test))]
use crate::Error;
use crate::Result;
use crate::backend::recording::{Part, Recorded, Unrecordable};
use crate::device::Device;

/// Work that is recorded once and launched as a whole: `cudaGraph_t`, JAX's `jit`.
///
/// [`record`](Graph::record) runs a closure and records what it asks of the device: launches of kernels, array functions, new arrays, on one
/// stream or several. Nothing of it happens yet. [`launch`](Graph::launch) does all of it in one call of the driver, which takes a fraction of
/// the time of the separate launches. What depends on each other follows from the data, as everywhere: two launches that share no array, or
/// only read it, may run at the same time, also if the closure names no streams.
///
/// **A launch does what calling the closure with its arguments would do.** The arguments are a tuple of arrays and numbers, which is passed
/// to the closure. Each launch borrows them, so that they can be used in between:
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_kernel]
/// fn diffuse(from: &[f32], to: &mut [f32], rate: f32) {
///     let i = grid_1d();
///     if i > 0 && i + 1 < to.len() {
///         to[i] = from[i] + rate * (from[i - 1] - 2.0 * from[i] + from[i + 1]);
///     }
/// }
///
/// let device = Device::best()?;
/// let mut heat = device.to_device(&[0.0f32, 0.0, 16.0, 0.0, 0.0])?;
/// let mut next = device.zeros_like(&heat)?;
///
/// let mut two_steps = Graph::record(&device, (&mut heat, &mut next, 0.25f32), |(heat, next, rate)| {
///     diffuse(&*heat, &mut *next, rate).launch(1, 32)?;
///     diffuse(&*next, &mut *heat, rate).launch(1, 32)
/// })?;
/// assert_eq!(heat.to_host()?[2], 16.0); // nothing happened yet
/// two_steps.launch((&mut heat, &mut next, 0.25))?;
/// assert_eq!(heat.to_host()?, [0.0, 4.0, 6.0, 4.0, 0.0]);
/// two_steps.launch((&mut heat, &mut next, 0.5))?; // another number, or other arrays
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// With the same arrays and numbers as before, a launch calls only the driver. With others, the closure runs again and the graph is
/// changed, which takes about a microsecond for each launch in it. On the CPU, the closure runs at each launch. So it must do the same
/// whenever its arguments are the same.
///
/// The closure:
///
/// * uses no other arrays than its arguments and those that it creates and drops;
/// * copies nothing from or to the host, waits for nothing, records no events, and calls no decomposition of a matrix.
///
/// All of this is checked when it is recorded, and an error says what to do instead.
///
/// A graph runs on the stream or the device that it was recorded for, in order with other work that uses its arguments. The failure of a
/// kernel is that of this stream. The first launch compiles nothing, as recording has compiled all kernels.
pub struct Graph<'w, A: GraphArguments> {
    device: Device,
    #[allow(clippy::type_complexity)]
    work: Box<dyn for<'a> Fn(A::At<'a>) -> Result<()> + Send + 'w>,
    recorded: Recorded,
    /// The arguments that it was recorded with; `None` after a recording that failed, which may have changed a part of it.
    key: Option<A::Key>,
}

impl<'w> Graph<'w, ()> {
    /// Records what `work` does with `arguments`, for launches on `device` or on a stream. Nothing of it is done.
    ///
    /// # Errors
    ///
    /// [`Error::NotRecordable`] if `work` waits, copies from or to the host, or puts another array in place of an argument;
    /// [`Error::NotGivenToGraph`] if it uses an array that is not an argument; [`Error::KeptByGraph`] if it keeps an array that it has
    /// created; [`Error::GraphOfOtherDevice`]; and all errors of launches and array functions.
    pub fn record<A: GraphArguments>(
        device: &Device,
        mut arguments: A,
        work: impl for<'a> Fn(A::At<'a>) -> Result<()> + Send + 'w,
    ) -> Result<Graph<'w, A::Static>> {
        let (key, parts) = (arguments.key(), parts(device, &arguments)?);
        let recorded = device.queue().record_work(parts, || work(arguments.reborrow()))?;
        check_same(&key, &arguments)?;
        Ok(Graph { device: device.clone(), work: Box::new(work), recorded, key: Some(key) })
    }
}

impl<A: GraphArguments> Graph<'_, A> {
    /// Does the recorded work with these arguments, which may be others than those that it was recorded with. On a GPU, the call returns
    /// before the work is done.
    ///
    /// # Errors
    ///
    /// Those of [`record`](Graph::record), if the arguments are not the same as before, and [`Error::Driver`]. The next call that waits reports
    /// a failure inside a kernel: see [`Device`].
    pub fn launch(&mut self, mut arguments: A::At<'_>) -> Result<()> {
        let (queue, work) = (self.device.queue(), &self.work);
        let key = arguments.key();
        if self.key.as_ref() != Some(&key) {
            self.key = None;
            let parts = parts(&self.device, &arguments)?;
            queue.record_again(&mut self.recorded, parts, || work(arguments.reborrow()))?;
            check_same(&key, &arguments)?;
            self.key = Some(key);
        }
        match &self.recorded {
            Recorded::Gpu(executable) => executable.launch(&Borrowed::by(&arguments, &self.device)?),
            Recorded::Cpu => {
                let parts = parts(&self.device, &arguments)?;
                queue.run_again(parts, || work(arguments))
            }
        }
    }
}

/// Refuses code that has put other arrays in place of its arguments: what was recorded uses the ones before, which may be freed.
fn check_same<A: GraphArguments>(key: &A::Key, arguments: &A) -> Result<()> {
    if arguments.key() == *key { Ok(()) } else { Err(Unrecordable::Replacement.error()) }
}

/// The memory of the arguments, for a recording.
fn parts(device: &Device, arguments: &impl GraphArguments) -> Result<Vec<Part>> {
    Ok(Borrowed::by(arguments, device)?.into_iter().map(|used| (used.bytes, used.access)).collect())
}

impl<A: GraphArguments> fmt::Debug for Graph<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({})", self.device)
    }
}
