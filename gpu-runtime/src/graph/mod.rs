//! Graphs: work that is recorded once and launched many times.

mod argument;
mod data;
mod key;
#[cfg(test)]
mod tests;

use std::fmt;

use self::argument::Captured;
pub use self::argument::{Borrowed, GraphArgument, GraphArguments};
pub use self::data::GraphData;
pub use self::key::Key;
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
/// * uses no other arrays than its arguments, those that it creates and drops, and those that [`record_with`](Graph::record_with) gives to it;
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
    captured: Box<dyn Captured + 'w>,
    recorded: Recorded,
    /// The arguments that it was recorded with; `None` after a recording that failed, which may have changed a part of it.
    key: Option<Key>,
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
        arguments: A,
        work: impl for<'a> Fn(A::At<'a>) -> Result<()> + Send + 'w,
    ) -> Result<Graph<'w, A::Static>> {
        Self::record_with(device, (), arguments, move |(), arguments| work(arguments))
    }

    /// The same, where the code also gets `captured`: arrays that it only reads, and that no launch passes. They are borrowed as long as the graph
    /// lives: references to arrays and to structs with [`GraphData`](derive@crate::GraphData), numbers, or a tuple of up to four of these.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// #[derive(GraphData)]
    /// struct Layer {
    ///     weights: DeviceArray<f32>,
    ///     bias: DeviceArray<f32>,
    /// }
    ///
    /// let device = Device::best()?;
    /// let layer = || Ok::<_, gpu_runtime::Error>(Layer { weights: device.eye(2)?, bias: device.ones(2)? });
    /// let (layers, scale) = (vec![layer()?, layer()?], device.full(2, 0.5f32)?);
    /// let mut x = device.to_device(&[1.0f32, 2.0])?.reshape([1, 2])?;
    ///
    /// let mut step = Graph::record_with(&device, (&layers, &scale), (&mut x,), |(layers, scale), (x,)| {
    ///     for layer in layers {
    ///         let y = ((matmul(&*x, &layer.weights) + &layer.bias) * scale).collect()?;
    ///         x.copy_from(&y)?;
    ///     }
    ///     Ok(())
    /// })?;
    /// step.launch((&mut x,))?;
    /// step.launch((&mut x,))?;
    /// assert_eq!(x.to_host()?, [1.0, 1.0625]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`record`](Graph::record).
    pub fn record_with<C: GraphData + Copy + Send + 'w, A: GraphArguments>(
        device: &Device,
        captured: C,
        mut arguments: A,
        work: impl for<'a> Fn(C, A::At<'a>) -> Result<()> + Send + 'w,
    ) -> Result<Graph<'w, A::Static>> {
        let (key, parts) = (arguments.key(), parts(device, &arguments, &captured)?);
        let recorded = device.queue().record_work(parts, || work(captured, arguments.reborrow()))?;
        check_same(&key, &arguments)?;
        let work = Box::new(move |arguments: A::At<'_>| work(captured, arguments));
        Ok(Graph { device: device.clone(), work, captured: Box::new(captured), recorded, key: Some(key) })
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
            let parts = parts(&self.device, &arguments, &*self.captured)?;
            queue.record_again(&mut self.recorded, parts, || work(arguments.reborrow()))?;
            check_same(&key, &arguments)?;
            self.key = Some(key);
        }
        match &self.recorded {
            Recorded::Gpu(executable) => executable.launch(&Borrowed::by(&arguments, &*self.captured, &self.device)?),
            Recorded::Cpu => {
                let parts = parts(&self.device, &arguments, &*self.captured)?;
                queue.run_again(parts, || work(arguments))
            }
        }
    }
}

/// Refuses code that has put other arrays in place of its arguments: what was recorded uses the ones before, which may be freed.
fn check_same(key: &Key, arguments: &impl GraphArguments) -> Result<()> {
    if arguments.key() == *key { Ok(()) } else { Err(Unrecordable::Replacement.error()) }
}

/// The memory of the arguments and of what is captured, for a recording.
fn parts(device: &Device, arguments: &impl GraphArguments, captured: &dyn Captured) -> Result<Vec<Part>> {
    Ok(Borrowed::by(arguments, captured, device)?.into_iter().map(|used| (used.bytes, used.access)).collect())
}

impl<A: GraphArguments> fmt::Debug for Graph<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({})", self.device)
    }
}
