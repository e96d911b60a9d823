//! The queue of a GPU: operations that run in order.

use std::ptr;
use std::sync::Mutex;

use super::Gpu;
use super::cooperative::GridState;
use super::driver::{check, gpu_count, read};
use super::order::Order;
use super::record::FailureRecord;
use super::scratch::ReductionScratch;
use super::sys;
use crate::observe::{self, Activity};
use crate::{Error, Result};

/// A stream of one GPU, and the memory that work on it uses in turn: each use begins when the one before is done.
///
/// Launches, copies, allocations and frees are all put at its end. [`order`](super::order) is what orders it after other queues.
pub(crate) struct Queue {
    gpu: &'static Gpu,
    pub(super) stream: sys::CUstream,
    priority: i32,
    pub(super) order: Order,
    pub(super) record: FailureRecord,
    pub(super) reductions: ReductionScratch,
    pub(super) grid_state: GridState,
    /// Why work on it was ended from outside.
    #[cfg(feature = "cluster")]
    interruption: Mutex<Option<Error>>,
}

// SAFETY: the driver's handle may be used from any thread once the context is current there, which every entry point sees to; it is
// never destroyed. The other fields are `Send` by themselves.
unsafe impl Send for Queue {}
// SAFETY: as above, and the driver serialises calls on one stream itself.
unsafe impl Sync for Queue {}

impl Queue {
    /// The queue of the GPU with that number, which is opened on first use.
    pub(crate) fn of_gpu(ordinal: usize) -> Result<&'static Self> {
        static OPEN: Mutex<Vec<&'static Queue>> = Mutex::new(Vec::new());

        let count = gpu_count()??;
        if ordinal >= count {
            return Err(Error::GpuOutOfRange { ordinal, count });
        }
        // Held while a context is made: whoever else wants a GPU meanwhile most likely wants this one.
        let mut open = OPEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(queue) = open.iter().find(|queue| queue.gpu.ordinal() == ordinal) {
            return Ok(queue);
        }
        let queue = Self::of_new_gpu(ordinal)?;
        open.push(queue);
        Ok(queue)
    }

    /// The first queue of a GPU that is opened.
    pub(crate) fn of_new_gpu(ordinal: usize) -> Result<&'static Self> {
        let gpu: &'static Gpu = Box::leak(Box::new(Gpu::new(ordinal)?));
        Self::new(gpu, 0)
    }

    /// A new queue of `gpu`, whose context is current. It is never dropped.
    ///
    /// All streams are blocking streams: the variables of a module are set through the legacy default stream when it is loaded, and a
    /// launch must come after that. Nothing else of this crate uses that stream, so it does not make others wait.
    fn new(gpu: &'static Gpu, priority: i32) -> Result<&'static Self> {
        let stream = read("cuStreamCreateWithPriority", ptr::null_mut(), |stream| {
            // SAFETY: a context is current.
            unsafe { sys::call!(cuStreamCreateWithPriority(stream, sys::CUstream_flags::CU_STREAM_DEFAULT as u32, priority)) }
        })?;
        let (record, reductions, grid_state) = (FailureRecord::new()?, ReductionScratch::default(), GridState::default());
        gpu.add_queue(|id| Self {
            gpu,
            stream,
            priority,
            order: Order::new(id),
            record,
            reductions,
            grid_state,
            #[cfg(feature = "cluster")]
            interruption: Mutex::default(),
        })
    }

    /// A queue for a new stream of the user: an idle one that was [given back](Self::give_back), or a new one.
    pub(crate) fn lease(gpu: &'static Gpu, priority: u32) -> Result<&'static Self> {
        gpu.make_current()?;
        let priority = driver_priority(priority)?;
        let Some(queue) = gpu.take_idle(|queue| queue.priority == priority && queue.is_idle()) else { return Self::new(gpu, priority) };
        // Nobody has waited for the stream that had it before.
        match queue.record.take(queue) {
            Err(Error::KernelFailed(failure)) => gpu.keep_failure(*failure),
            taken => taken?,
        }
        Ok(queue)
    }

    /// Keeps the queue for another stream, as its stream was dropped. Its work continues.
    pub(crate) fn give_back(&'static self) {
        self.gpu.give_back(self);
    }

    /// Whether nothing on it is left to do.
    pub(super) fn is_idle(&self) -> bool {
        // SAFETY: the stream is never destroyed.
        unsafe { sys::call!(cuStreamQuery(self.stream)) == sys::CUresult::CUDA_SUCCESS }
    }

    #[inline]
    pub(crate) fn gpu(&self) -> &'static Gpu {
        self.gpu
    }

    /// Waits for everything put on the queue so far, and prints what kernels printed; fails if a kernel failed.
    pub(crate) fn synchronize(&self) -> Result<()> {
        self.wait()?;
        self.report()
    }

    /// Prints what kernels printed; fails if a kernel failed. The work that is asked about must have been waited for, and the caller hold
    /// no lock: whoever has locked standard output may be waiting for it.
    pub(crate) fn report(&self) -> Result<()> {
        if let Some(printout) = self.gpu.prints.take(self)? {
            printout.show();
        }
        #[cfg(feature = "cluster")]
        if let Some(error) = self.interruption.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take() {
            return Err(error);
        }
        self.record.take(self)
    }

    /// Lets the next call that waits for the queue fail, as its work was ended from outside and has left wrong results.
    #[cfg(feature = "cluster")]
    pub(crate) fn interrupt(&self, error: Error) {
        self.interruption.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(error);
    }

    /// What `work` returns, which launches something, waits for it, and takes the report. Fails also if another host thread got a
    /// report meanwhile, which may stand for what `work` launched.
    pub(crate) fn with_failures_of_others<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let before = self.record.count();
        let value = work()?;
        self.record.since(before)?;
        Ok(value)
    }

    /// How many failures were reported.
    pub(crate) fn reports_so_far(&self) -> u64 {
        self.record.count()
    }

    /// The last failure that was reported, to whomever, if there was one since.
    pub(crate) fn reported_since(&self, before: u64) -> Result<()> {
        self.record.since(before)
    }

    /// Waits, and leaves the report of a failed kernel for a later call.
    pub(super) fn wait(&self) -> Result<()> {
        self.gpu.make_current()?;
        let _observed = observe::begin(Activity::Wait, "stream", 0);
        // SAFETY: the stream is never destroyed.
        let waited = self.waited(|| check("cuStreamSynchronize", unsafe { sys::call!(cuStreamSynchronize(self.stream)) }));
        self.read_times();
        waited
    }
}

/// The priority of a stream in the current context as the driver counts: 0 is the lowest, and what is less comes first.
fn driver_priority(level: u32) -> Result<i32> {
    let (mut least, mut greatest) = (0, 0);
    // SAFETY: a context is current; the call writes two numbers.
    check("cuCtxGetStreamPriorityRange", unsafe { sys::call!(cuCtxGetStreamPriorityRange(&mut least, &mut greatest)) })?;
    Ok(least.saturating_sub_unsigned(level).max(greatest))
}
