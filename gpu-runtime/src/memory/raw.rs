//! Untyped memory of a device.

use crate::device::Device;
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
        let pointer = device.queue().allocate(bytes, zeroed)?;
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
        // SAFETY: `new` allocated it with this size, and its owner is gone.
        unsafe { self.device.queue().free(self.pointer, self.bytes) };
    }
}
