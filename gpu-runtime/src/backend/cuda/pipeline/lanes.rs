//! The streams, events and slots of one GPU, kept from call to call.

use std::ptr;

use super::super::Queue;
use super::super::driver::{check, read};
use super::super::sys;
use super::Address;
use super::engine::{Driver, Event, Slots, Stream};
use super::pinned::Pinned;
use super::plan::Plan;
use crate::Result;

/// What streaming through a GPU needs, besides its one stream; made on first use.
#[derive(Debug)]
pub(in super::super) struct Lanes {
    streams: Option<CopyStreams>,
    /// One set for each slot.
    events: Vec<SlotEvents>,
    staged_in: Pinned,
    staged_out: Pinned,
}

#[derive(Debug, Clone, Copy)]
struct CopyStreams {
    copy_in: sys::CUstream,
    copy_out: sys::CUstream,
    allocated: sys::CUevent,
}

#[derive(Debug, Clone, Copy)]
struct SlotEvents {
    copied_in: sys::CUevent,
    computed: sys::CUevent,
    copied_out: sys::CUevent,
}

// SAFETY: the driver's handles may be used from any thread once the context is current there; they are never destroyed.
unsafe impl Send for Lanes {}

impl Default for Lanes {
    fn default() -> Self {
        Self { streams: None, events: Vec::new(), staged_in: Pinned::NONE, staged_out: Pinned::NONE }
    }
}

impl Lanes {
    /// Makes what `plan` needs and is not there yet.
    pub(super) fn prepare(&mut self, queue: &'static Queue, plan: &Plan) -> Result<Prepared<'_>> {
        queue.gpu().make_current()?;
        let streams = match self.streams {
            Some(streams) => streams,
            None => *self.streams.insert(CopyStreams { copy_in: create_stream()?, copy_out: create_stream()?, allocated: create_event()? }),
        };
        while self.events.len() < plan.slots {
            self.events.push(SlotEvents { copied_in: create_event()?, computed: create_event()?, copied_out: create_event()? });
        }
        // SAFETY: whoever used the slots before has waited for all that is in flight.
        let (staged_in, staged_out) = unsafe {
            (self.staged_in.grow(plan.slots * plan.inputs.slot_bytes)?, self.staged_out.grow(plan.slots * plan.outputs.slot_bytes)?)
        };
        Ok(Prepared { queue, streams, events: &self.events, staged: (staged_in, staged_out) })
    }

    /// The pinned memory that is kept.
    #[cfg(test)]
    pub(super) fn staged(&self) -> [(*const u8, usize); 2] {
        [&self.staged_in, &self.staged_out].map(Pinned::range)
    }
}

/// Streams, events and slots for one call.
pub(super) struct Prepared<'l> {
    queue: &'static Queue,
    streams: CopyStreams,
    events: &'l [SlotEvents],
    staged: (*mut u8, *mut u8),
}

impl Prepared<'_> {
    /// Slots on the device, for this call.
    pub(super) fn allocate(&self, plan: &Plan) -> Result<DeviceSlots> {
        let block = DeviceBlock::new(self.queue, plan)?;
        let (staged_in, staged_out) = self.staged;
        let slots = Slots { staged_in, staged_out, device_in: block.inputs, device_out: block.outputs };
        Ok(DeviceSlots { slots, _block: block })
    }

    fn stream(&self, stream: Stream) -> sys::CUstream {
        match stream {
            Stream::CopyIn => self.streams.copy_in,
            Stream::Compute => self.queue.stream,
            Stream::CopyOut => self.streams.copy_out,
        }
    }

    fn event(&self, event: Event) -> sys::CUevent {
        match event {
            Event::Allocated => self.streams.allocated,
            Event::CopiedIn(slot) => self.events[slot].copied_in,
            Event::Computed(slot) => self.events[slot].computed,
            Event::CopiedOut(slot) => self.events[slot].copied_out,
        }
    }
}

impl Driver for Prepared<'_> {
    unsafe fn copy_in(&self, source: *const u8, target: Address, bytes: usize) -> Result<()> {
        // `launch` may have left another GPU's context current.
        self.queue.gpu().make_current()?;
        // SAFETY: the caller guarantees both ranges.
        check("cuMemcpyHtoDAsync", unsafe { sys::call!(cuMemcpyHtoDAsync_v2(target, source.cast(), bytes, self.streams.copy_in)) })
    }

    unsafe fn copy_out(&self, source: Address, target: *mut u8, bytes: usize) -> Result<()> {
        self.queue.gpu().make_current()?;
        // SAFETY: the caller guarantees both ranges.
        check("cuMemcpyDtoHAsync", unsafe { sys::call!(cuMemcpyDtoHAsync_v2(target.cast(), source, bytes, self.streams.copy_out)) })
    }

    fn record(&self, event: Event) -> Result<()> {
        self.queue.gpu().make_current()?;
        // SAFETY: neither is ever destroyed.
        check("cuEventRecord", unsafe { sys::call!(cuEventRecord(self.event(event), self.stream(event.stream()))) })
    }

    fn wait_for(&self, stream: Stream, event: Event) -> Result<()> {
        // SAFETY: neither is ever destroyed.
        check("cuStreamWaitEvent", unsafe { sys::call!(cuStreamWaitEvent(self.stream(stream), self.event(event), 0)) })
    }

    fn is_done(&self, event: Event) -> Result<bool> {
        // SAFETY: the event is never destroyed.
        match unsafe { sys::call!(cuEventQuery(self.event(event))) } {
            status if status == sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            status => check("cuEventQuery", status).map(|()| true),
        }
    }

    fn finish(&self) {
        if self.queue.gpu().make_current().is_ok() {
            for stream in [Stream::CopyIn, Stream::Compute, Stream::CopyOut] {
                // SAFETY: the streams are never destroyed. Where waiting fails, the context is lost, and its copies have ended.
                let _ = unsafe { sys::call!(cuStreamSynchronize(self.stream(stream))) };
            }
        }
    }
}

/// The slots of a call. Those on the device are freed when it is dropped, in the order of the GPU's stream.
pub(super) struct DeviceSlots {
    slots: Slots,
    _block: DeviceBlock,
}

impl DeviceSlots {
    pub(super) fn slots(&self) -> Slots {
        self.slots
    }
}

/// Device memory for all slots of a plan.
pub(super) struct DeviceBlock {
    queue: &'static Queue,
    pub(super) inputs: Address,
    pub(super) outputs: Address,
}

impl DeviceBlock {
    pub(super) fn new(queue: &'static Queue, plan: &Plan) -> Result<Self> {
        let mut block = Self { queue, inputs: 0, outputs: 0 };
        block.inputs = queue.allocate(plan.slots * plan.inputs.slot_bytes, false)?;
        // Zeroed, because what no kernel writes must still be values of its type.
        block.outputs = queue.allocate(plan.slots * plan.outputs.slot_bytes, true)?;
        Ok(block)
    }
}

impl Drop for DeviceBlock {
    fn drop(&mut self) {
        self.queue.free(self.inputs);
        self.queue.free(self.outputs);
    }
}

/// A stream without ties to the legacy default stream: the GPU's one stream has those, and events tie this one to it.
fn create_stream() -> Result<sys::CUstream> {
    read("cuStreamCreate", ptr::null_mut(), |stream| {
        // SAFETY: a context is current.
        unsafe { sys::call!(cuStreamCreate(stream, sys::CUstream_flags::CU_STREAM_NON_BLOCKING as u32)) }
    })
}

fn create_event() -> Result<sys::CUevent> {
    read("cuEventCreate", ptr::null_mut(), |event| {
        // SAFETY: a context is current.
        unsafe { sys::call!(cuEventCreate(event, sys::CUevent_flags::CU_EVENT_DISABLE_TIMING as u32)) }
    })
}
