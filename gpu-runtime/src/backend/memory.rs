//! Memory of a device: a host pointer on the CPU; on a GPU a device address, which the host must not follow.

use std::ptr::{NonNull, without_provenance_mut};

use super::meter::Meter;
use super::recording::{self, Unrecordable};
use super::{Kind, MemoryUse, Queue, Usage, cuda, host};
use crate::observe::{self, Activity};
use crate::{Error, Result};

/// The memory of a GPU in bytes: see [`Device::memory_info`](crate::Device::memory_info).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryInfo {
    /// What no program has taken.
    pub free: usize,
    /// All of it.
    pub total: usize,
}

/// The memory of a device that arrays of this process have, in bytes: see [`Device::memory`](crate::Device::memory).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryUsage {
    /// That of all arrays at present.
    pub live: usize,
    /// The most that `live` has been.
    pub peak: usize,
    /// What this process has taken from the device for arrays, in use or not. On the CPU, the same as `live`.
    pub reserved: usize,
}

/// How much there is.
impl Queue {
    /// The memory that arrays have.
    pub(crate) fn memory_usage(&self) -> Result<MemoryUsage> {
        let meter = self.meter();
        let (live, peak) = (meter.live(), meter.peak());
        let reserved = match &self.0 {
            Kind::Cpu(_) => live,
            Kind::Gpu(queue, _) => queue.gpu().reserved_memory()?.unwrap_or(live),
        };
        Ok(MemoryUsage { live, peak, reserved })
    }

    /// Gives memory that no array has back to the device, where the process keeps some.
    pub(crate) fn trim_memory(&self) -> Result<()> {
        match &self.0 {
            Kind::Cpu(_) => Ok(()),
            Kind::Gpu(queue, _) => queue.gpu().trim_memory(),
        }
    }

    /// Refuses arrays that would take more memory in all.
    pub(crate) fn set_memory_limit(&self, limit: Option<usize>) {
        self.meter().set_limit(limit);
    }

    fn meter(&self) -> &'static Meter {
        match &self.0 {
            Kind::Cpu(_) => &host::METER,
            Kind::Gpu(queue, _) => &queue.gpu().meter,
        }
    }

    /// The memory of the device, if it has its own.
    pub(crate) fn memory_info(&self) -> Result<Option<MemoryInfo>> {
        match &self.0 {
            Kind::Cpu(_) => Ok(None),
            Kind::Gpu(queue, _) => queue.gpu().memory_info().map(Some),
        }
    }
}

impl Queue {
    /// Memory of `bytes` bytes. Where not `zeroed`, its contents are any bytes.
    pub(crate) fn allocate(&self, bytes: usize, zeroed: bool) -> Result<(*mut u8, Usage)> {
        if !self.meter().add(bytes) {
            return Err(Error::OutOfMemory { device: self.device_name().to_owned(), bytes });
        }
        self.allocate_uncounted(bytes, zeroed).inspect_err(|_| self.meter().remove(bytes))
    }

    fn allocate_uncounted(&self, bytes: usize, zeroed: bool) -> Result<(*mut u8, Usage)> {
        match &self.0 {
            Kind::Cpu(_) => {
                let out_of_memory = || Error::OutOfMemory { device: host::name().to_owned(), bytes };
                let pointer = host::allocate(bytes).ok_or_else(out_of_memory)?;
                if recording::is_active() {
                    let address = pointer.addr().get() as u64;
                    self.note_created(address..address + bytes as u64);
                }
                Ok((pointer.as_ptr(), Usage::unused()))
            }
            Kind::Gpu(queue, _) => {
                let address = queue.allocate(bytes, zeroed)?;
                let own = address..address + bytes as u64;
                let usage = match queue.recorded_on() {
                    Some(graph) => Usage::of_graph(graph, own, recording::gpu::number()),
                    None => Usage::of_new(queue, own),
                };
                Ok((without_provenance_mut(address as usize), usage))
            }
        }
    }

    /// Frees memory once everything on all queues so far is done with it.
    ///
    /// # Safety
    ///
    /// `pointer` must come from `allocate(bytes, …)` of a queue of this device, as did `usage`, and its owner be gone.
    pub(crate) unsafe fn free(&self, pointer: *mut u8, bytes: usize, usage: &Usage) {
        self.meter().remove(bytes);
        match &self.0 {
            Kind::Cpu(_) => {
                if recording::is_active() {
                    self.note_dropped(pointer.addr() as u64);
                }
                // SAFETY: the caller guarantees the pointer. Kernels on the CPU have ended when their launch returned.
                unsafe { host::free(NonNull::new_unchecked(pointer), bytes) }
            }
            Kind::Gpu(queue, _) => queue.free_after(pointer.addr() as u64, usage),
        }
    }

    /// Stops counting memory, which somebody else frees.
    #[cfg(feature = "cudarc")]
    pub(crate) fn give_away(&self, bytes: usize) {
        self.meter().remove(bytes);
    }

    /// Whether the host can read and write the memory where it is.
    pub(crate) fn memory_is_the_hosts(&self) -> bool {
        matches!(self.0, Kind::Cpu(_))
    }

    /// Copies `bytes` from host memory to memory of the device. The source may change again when this returns. It is refused while a graph is
    /// recorded: no launch would do it.
    ///
    /// # Safety
    ///
    /// `source` must be readable, and `target` be memory of the device that nothing else uses, for `bytes` bytes.
    pub(crate) unsafe fn upload(&self, source: *const u8, target: *mut u8, bytes: usize) -> Result<()> {
        recording::refuse(Unrecordable::CopyFromHost)?;
        let _observed = observe::begin(Activity::Copy, "to the device", bytes as u64);
        match &self.0 {
            Kind::Cpu(_) => {
                // SAFETY: the caller guarantees both ranges; an exclusive one overlaps no other.
                unsafe { source.copy_to_nonoverlapping(target, bytes) };
                Ok(())
            }
            // SAFETY: the caller guarantees both ranges.
            Kind::Gpu(queue, _) => unsafe { cuda::pipeline::upload(queue, source, target.addr() as u64, bytes) },
        }
    }

    /// Copies `bytes` from memory of the device to host memory, once everything on the queue so far is done.
    ///
    /// # Errors
    ///
    /// [`Error::KernelFailed`] if a kernel failed.
    ///
    /// # Safety
    ///
    /// `source` must be memory of the device, and `target` be writable memory that nothing else uses, for `bytes` bytes.
    pub(crate) unsafe fn download(&self, source: *const u8, target: *mut u8, bytes: usize) -> Result<()> {
        recording::refuse(Unrecordable::HostResult)?;
        let _observed = observe::begin(Activity::Copy, "to the host", bytes as u64);
        match &self.0 {
            Kind::Cpu(queue) => {
                // SAFETY: the caller guarantees both ranges; an exclusive one overlaps no other.
                unsafe { source.copy_to_nonoverlapping(target, bytes) };
                queue.report_failure()
            }
            // SAFETY: the caller guarantees both ranges.
            Kind::Gpu(queue, _) => unsafe { cuda::pipeline::download(queue, source.addr() as u64, target, bytes) },
        }
    }
}

/// Copies between devices.
impl Queue {
    /// Whether this device can use the memory of the other one directly.
    pub(crate) fn can_access(&self, other: &Self) -> Result<bool> {
        match (&self.0, &other.0) {
            (Kind::Cpu(_), Kind::Cpu(_)) => Ok(true),
            (Kind::Gpu(own, _), Kind::Gpu(other, _)) if std::ptr::eq(own.gpu(), other.gpu()) => Ok(true),
            (Kind::Gpu(own, _), Kind::Gpu(other, _)) => own.gpu().can_access(other.gpu()),
            _ => Ok(false),
        }
    }

    /// Copies `bytes` from memory of another device, or of this one, in order with the work of all queues that use it.
    ///
    /// # Safety
    ///
    /// `to` must be memory of this device as `target` says, and `from` memory of the device of `other` as `source` says, for `bytes` bytes.
    pub(crate) unsafe fn copy_from(
        &self,
        (target, to): (&MemoryUse<'_>, *mut u8),
        other: &Self,
        (source, from): (&MemoryUse<'_>, *const u8),
        bytes: usize,
    ) -> Result<()> {
        recording::refuse(Unrecordable::Transfer)?;
        if bytes == 0 {
            return Ok(());
        }
        match (&self.0, &other.0) {
            (Kind::Cpu(_), _) => {
                // SAFETY: the caller guarantees both ranges.
                let download = || other.read_back(source, || unsafe { other.download(from, to, bytes) });
                self.ordered(std::slice::from_ref(target), download)
            }
            // SAFETY: as above.
            (Kind::Gpu(..), Kind::Cpu(_)) => self.fill(target, || unsafe { self.upload(from, to, bytes) }),
            (Kind::Gpu(own, _), Kind::Gpu(other, _)) => {
                let _observed = observe::begin(Activity::Copy, "between devices", bytes as u64);
                // SAFETY: as above.
                unsafe { own.copy_from((target, to.addr() as u64), other, (source, from.addr() as u64), bytes) }
            }
        }
    }
}
