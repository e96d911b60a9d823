//! The order of the operations: which operation is started when. The engine only sees the GPU as a [`Driver`], so that tests can run it
//! against a model that does everything as late, as early or as out of order as allowed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::crew::Queue;
use super::plan::{Plan, Settings};
use super::{Address, Chunk, HostInput, HostOutput, Usage};
use crate::Result;
use crate::backend::cuda::order::OnDrop;

/// The streams of a GPU. Each does what it is asked in order; there is no order between them but that of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Stream {
    CopyIn,
    /// The GPU's one stream, on which `launch` launches.
    Compute,
    CopyOut,
}

/// A point in a stream. Those of a slot are recorded again for each chunk in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Event {
    /// The device slots exist.
    Allocated,
    CopiedIn(usize),
    Computed(usize),
    CopiedOut(usize),
}

impl Event {
    /// The stream that it is recorded in.
    pub(super) fn stream(self) -> Stream {
        match self {
            Self::CopiedIn(_) => Stream::CopyIn,
            Self::Allocated | Self::Computed(_) => Stream::Compute,
            Self::CopiedOut(_) => Stream::CopyOut,
        }
    }
}

/// What is asked of a GPU. Nothing but [`finish`](Self::finish) waits.
pub(super) trait Driver {
    /// Puts a copy to the device on the copy-in stream.
    ///
    /// # Safety
    ///
    /// `source` must be pinned and not be written, and `target` be device memory that nothing but this copy uses, for `bytes`
    /// bytes, until the copy is done.
    unsafe fn copy_in(&self, source: *const u8, target: Address, bytes: usize) -> Result<()>;

    /// Puts a copy from the device on the copy-out stream.
    ///
    /// # Safety
    ///
    /// `source` must be device memory that is not written, and `target` be pinned and not used by anything else, for `bytes` bytes,
    /// until the copy is done.
    unsafe fn copy_out(&self, source: Address, target: *mut u8, bytes: usize) -> Result<()>;

    /// Records the event in its stream: it is done once everything asked of the stream so far is.
    fn record(&self, event: Event) -> Result<()>;

    /// Lets what is asked of `stream` from now on wait for the event as it was recorded last.
    fn wait_for(&self, stream: Stream, event: Event) -> Result<()>;

    /// Whether the event, as it was recorded last, is done.
    fn is_done(&self, event: Event) -> Result<bool>;

    /// Waits for everything asked of the three streams. Errors come back from the next call that has somebody to tell.
    fn finish(&self);
}

/// The first slot in each direction; the others follow as the plan says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slots {
    pub(super) staged_in: *mut u8,
    pub(super) staged_out: *mut u8,
    pub(super) device_in: Address,
    pub(super) device_out: Address,
}

/// Sends every chunk through `driver`; when it returns or unwinds, nothing is in flight.
///
/// # Safety
///
/// `slots` must be as many and as large as `plan` wants, pinned or on the device, and not used by anything else; the device's are
/// allocated on the compute stream. Every array must have as many elements, and elements of the size, as the plan says, and no
/// output overlap with another array.
pub(super) unsafe fn run<D: Driver>(
    driver: &D,
    plan: &Plan,
    settings: &Settings,
    slots: Slots,
    inputs: &[HostInput<'_>],
    outputs: &[HostOutput<'_>],
    launch: &mut dyn FnMut(Chunk<'_>) -> Result<()>,
) -> Result<()> {
    let progress: Vec<SlotProgress> = (0..plan.slots).map(|_| SlotProgress::default()).collect();
    let pages: Vec<AtomicUsize> = (0..plan.chunks()).map(|_| AtomicUsize::new(0)).collect();
    let queue = Queue::default();
    // Dropped when the threads have ended, whichever way that comes.
    let _finished = OnDrop(|| driver.finish());
    thread::scope(|scope| {
        let _closed = OnDrop(|| queue.close());
        let cores = thread::available_parallelism().map_or(1, usize::from);
        // A system that has no thread to give leaves the work to the others, if need be to this one alone.
        let workers = (0..plan.workers(cores, settings))
            .map_while(|_| thread::Builder::new().name("gpu staging".to_owned()).spawn_scoped(scope, || queue.work()).ok())
            .count();
        let mut run = Run {
            driver,
            plan,
            settings,
            slots,
            arrays: (inputs, outputs),
            queue: &queue,
            progress: &progress,
            pages: &pages,
            filling: 0,
            issued: 0,
            draining: 0,
            drained: 0,
        };
        run.stream(workers, launch)
    })
}

/// The pieces of the chunk in a slot that are not done.
#[derive(Debug, Default)]
struct SlotProgress {
    filling: AtomicUsize,
    draining: AtomicUsize,
}

/// One call's state. Chunks pass each point in order; the counters say how many have.
struct Run<'r, 'q, D> {
    driver: &'r D,
    plan: &'r Plan,
    settings: &'r Settings,
    slots: Slots,
    arrays: (&'r [HostInput<'r>], &'r [HostOutput<'r>]),
    queue: &'r Queue<'q>,
    progress: &'q [SlotProgress],
    /// How many pages of each chunk do not exist yet, of those that are asked for.
    pages: &'q [AtomicUsize],
    /// Chunks whose filling was asked for.
    filling: usize,
    /// Chunks that the GPU was asked to copy and compute.
    issued: usize,
    /// Chunks whose draining was asked for.
    draining: usize,
    /// Chunks whose outputs are in the host arrays.
    drained: usize,
}

impl<D: Driver> Run<'_, '_, D> {
    /// With this many threads, the one that feeds the GPU does nothing else, so as not to be late.
    const ENOUGH_WORKERS: usize = 4;

    fn stream(&mut self, workers: usize, launch: &mut dyn FnMut(Chunk<'_>) -> Result<()>) -> Result<()> {
        let chunks = self.plan.chunks();
        self.driver.record(Event::Allocated)?;
        self.driver.wait_for(Stream::CopyIn, Event::Allocated)?;
        while self.issued < chunks || self.drained < chunks {
            // What lets others continue comes first: draining frees a slot, issuing feeds the GPU.
            let advanced = self.drain()? | self.issue(launch)? | self.fill()?;
            if advanced {
                continue;
            }
            // The driver spins while it waits, too: a chunk is on its way for less than it takes to fall asleep and wake.
            match if workers < Self::ENOUGH_WORKERS { self.queue.take() } else { None } {
                Some(piece) => piece.work(),
                None => thread::yield_now(),
            }
        }
        Ok(())
    }

    fn slot(&self, chunk: usize) -> usize {
        chunk % self.plan.slots
    }

    /// Asks for the next slot to be filled, if it is free.
    fn fill(&mut self) -> Result<bool> {
        let slot = self.slot(self.filling);
        if self.filling == self.plan.chunks() || self.filling == self.issued + self.plan.slots {
            return Ok(false);
        }
        if !self.plan.inputs.is_empty() && self.filling >= self.plan.slots && !self.driver.is_done(Event::CopiedIn(slot))? {
            return Ok(false);
        }
        let (first, len) = self.plan.chunk(self.filling);
        let start = self.slots.staged_in.wrapping_add(slot * self.plan.inputs.slot_bytes);
        for (input, offset) in self.arrays.0.iter().zip(&self.plan.inputs.offsets) {
            let (source, bytes) = (input.bytes.wrapping_add(first * input.element_size), len * input.element_size);
            let left = &self.progress[slot].filling;
            // SAFETY: the arrays are borrowed for longer than the threads live. The copy in that read the slot before is done,
            // and the next one is asked for when the pieces are.
            unsafe { self.queue.push_copy(source, start.wrapping_add(*offset), bytes, self.settings.streaming_fill, left) };
        }
        for output in self.arrays.1.iter().filter(|output| output.fresh && self.settings.populate) {
            let pages = self.plan.pages(self.filling, output.bytes.addr(), output.element_size);
            // SAFETY: the arrays are borrowed for longer than the threads live.
            unsafe { self.queue.push_populate(output.bytes.wrapping_add(pages.start), pages.len(), &self.pages[self.filling]) };
        }
        self.filling += 1;
        Ok(true)
    }

    /// Asks the GPU for everything about the next chunk, if it is there and there is a slot for its outputs.
    fn issue(&mut self, launch: &mut dyn FnMut(Chunk<'_>) -> Result<()>) -> Result<bool> {
        let (driver, Plan { inputs, outputs, slots, .. }) = (self.driver, self.plan);
        let (chunk, slot) = (self.issued, self.slot(self.issued));
        let filled = chunk < self.filling && self.progress[slot].filling.load(Ordering::Acquire) == 0;
        if !filled || chunk >= self.drained + slots {
            return Ok(false);
        }
        let (first, len) = self.plan.chunk(chunk);
        let device_in = self.slots.device_in + (slot * inputs.slot_bytes) as u64;
        let device_out = self.slots.device_out + (slot * outputs.slot_bytes) as u64;

        if !inputs.is_empty() {
            if chunk >= *slots {
                driver.wait_for(Stream::CopyIn, Event::Computed(slot))?;
            }
            let staged = self.slots.staged_in.wrapping_add(slot * inputs.slot_bytes);
            // SAFETY: the slot is filled, and is filled again when this copy is done. The stream waits for the kernels that
            // used the device's slot before.
            unsafe { driver.copy_in(staged, device_in, inputs.used_bytes(len))? };
            driver.record(Event::CopiedIn(slot))?;
            driver.wait_for(Stream::Compute, Event::CopiedIn(slot))?;
        }
        let (device_inputs, device_outputs) = (inputs.addresses(device_in), outputs.addresses(device_out));
        launch(Chunk { first, len, inputs: &device_inputs, outputs: &device_outputs, usage: &Usage::unused() })?;
        driver.record(Event::Computed(slot))?;
        if !outputs.is_empty() {
            driver.wait_for(Stream::CopyOut, Event::Computed(slot))?;
            let staged = self.slots.staged_out.wrapping_add(slot * outputs.slot_bytes);
            // SAFETY: the stream waits for the kernels that write the device's slot, and the next kernels to do so are launched
            // when this chunk is drained, as is the next copy to this slot.
            unsafe { driver.copy_out(device_out, staged, outputs.used_bytes(len))? };
            driver.record(Event::CopiedOut(slot))?;
        }
        self.issued += 1;
        Ok(true)
    }

    /// Asks for the next chunk that came back to be drained, and counts those that are.
    fn drain(&mut self) -> Result<bool> {
        if self.plan.outputs.is_empty() {
            // Nothing comes back, and nothing waits for it.
            let advanced = self.drained < self.issued;
            self.drained = self.issued;
            return Ok(advanced);
        }
        let mut advanced = false;
        let slot = self.slot(self.draining);
        // To write to a page that another thread clears would clear one too, for nothing.
        let exist = |chunk: usize| self.pages[chunk].load(Ordering::Acquire) == 0;
        if self.draining < self.issued && exist(self.draining) && self.driver.is_done(Event::CopiedOut(slot))? {
            let (first, len) = self.plan.chunk(self.draining);
            let start = self.slots.staged_out.wrapping_add(slot * self.plan.outputs.slot_bytes);
            for (output, offset) in self.arrays.1.iter().zip(&self.plan.outputs.offsets) {
                let (target, bytes) = (output.bytes.wrapping_add(first * output.element_size), len * output.element_size);
                // SAFETY: the copy out is done, and the next one to this slot is asked for when the pieces are. The array is
                // borrowed exclusively for longer than the threads live, and populating it does not change it.
                unsafe { self.queue.push_copy(start.wrapping_add(*offset), target, bytes, true, &self.progress[slot].draining) };
            }
            self.draining += 1;
            advanced = true;
        }
        while self.drained < self.draining && self.progress[self.slot(self.drained)].draining.load(Ordering::Acquire) == 0 {
            self.drained += 1;
            advanced = true;
        }
        Ok(advanced)
    }
}
