//! Untyped memory of a device, and the copies between it and the host.

use std::ptr::{NonNull, without_provenance_mut};

use super::host;
use crate::backend::cuda::pipeline;
use crate::device::{Device, DeviceKind};
use crate::{Error, Result};

/// Memory that one array owns.
///
/// The pointer is a host pointer on the CPU. On a GPU it is a device address, which the host must not follow.
pub(super) struct RawMemory {
    device: Device,
    pointer: *mut u8,
    bytes: usize,
}

// SAFETY: the memory is owned, and the device orders what threads ask of it.
unsafe impl Send for RawMemory {}
// SAFETY: nothing is written through a shared reference.
unsafe impl Sync for RawMemory {}

impl RawMemory {
    /// Memory for `len` elements of `size` bytes. Where not `zeroed`, its contents are any bytes.
    pub(super) fn new(device: &Device, len: usize, size: usize, zeroed: bool) -> Result<Self> {
        let out_of_memory = |bytes| Error::OutOfMemory { device: device.name().to_owned(), bytes };
        // Like an allocation of the host, one on the GPU is at most `isize::MAX` bytes, so that offsets never overflow.
        let bytes =
            len.checked_mul(size).filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or_else(|| out_of_memory(len.saturating_mul(size)))?;
        let pointer = match &device.0 {
            DeviceKind::Cpu(_) => host::allocate(bytes).ok_or_else(|| out_of_memory(bytes))?.as_ptr(),
            DeviceKind::Gpu(gpu) => without_provenance_mut(gpu.allocate(bytes, zeroed)? as usize),
        };
        Ok(Self { device: device.clone(), pointer, bytes })
    }

    pub(super) fn device(&self) -> &Device {
        &self.device
    }

    pub(super) fn pointer(&self) -> *mut u8 {
        self.pointer
    }
}

impl Drop for RawMemory {
    fn drop(&mut self) {
        match &self.device.0 {
            // SAFETY: `new` allocated it with this size, and its owner is gone. Kernels on the CPU have ended when their
            // launch returned.
            DeviceKind::Cpu(_) => unsafe { host::free(NonNull::new_unchecked(self.pointer), self.bytes) },
            DeviceKind::Gpu(gpu) => gpu.free(self.pointer.addr() as u64),
        }
    }
}

/// Copies `bytes` from host memory to memory of `device`.
///
/// # Safety
///
/// `source` must be readable, and `target` be memory of `device` that nobody else uses, for `bytes` bytes.
pub(crate) unsafe fn upload(device: &Device, source: *const u8, target: *mut u8, bytes: usize) -> Result<()> {
    match &device.0 {
        DeviceKind::Cpu(_) => {
            // SAFETY: the caller vouches for both ranges; an exclusive one overlaps no other.
            unsafe { source.copy_to_nonoverlapping(target, bytes) };
            Ok(())
        }
        // SAFETY: the caller vouches for both ranges.
        DeviceKind::Gpu(gpu) => unsafe { pipeline::upload(gpu, source, target.addr() as u64, bytes) },
    }
}

/// Copies `bytes` from memory of `device` to host memory, once the device has done what was asked of it.
///
/// # Errors
///
/// [`Error::KernelFailed`] if a kernel failed.
///
/// # Safety
///
/// `source` must be memory of `device`, and `target` be writable memory that nobody else uses, for `bytes` bytes.
pub(super) unsafe fn download(device: &Device, source: *const u8, target: *mut u8, bytes: usize) -> Result<()> {
    match &device.0 {
        DeviceKind::Cpu(cpu) => {
            // SAFETY: the caller vouches for both ranges; an exclusive one overlaps no other.
            unsafe { source.copy_to_nonoverlapping(target, bytes) };
            cpu.report()
        }
        // SAFETY: the caller vouches for both ranges.
        DeviceKind::Gpu(gpu) => unsafe { pipeline::download(gpu, source.addr() as u64, target, bytes) },
    }
}
