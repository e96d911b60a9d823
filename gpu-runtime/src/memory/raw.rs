//! Untyped memory of a device.

use std::panic::{RefUnwindSafe, UnwindSafe};

use super::Layout;
use crate::backend::{Access, MemoryUse, Usage};
use crate::device::Device;
use crate::{Error, Result};

/// What a view is of: memory that is ordered as [`Usage`] says, used through a handle to its device or to a stream of it.
#[derive(Clone, Copy)]
pub(crate) struct Owner<'a> {
    pub(crate) device: &'a Device,
    pub(crate) usage: &'a Usage,
}

impl<'a> Owner<'a> {
    /// The same memory, used through another handle. That must be one to the same device.
    #[track_caller]
    pub(super) fn on(self, device: &'a Device) -> Self {
        assert!(self.device == device, "an array on {} cannot be used on a stream of {device}", self.device);
        Self { device, ..self }
    }

    /// The use of `bytes` bytes of it.
    #[inline]
    pub(crate) fn part(self, address: u64, bytes: usize, access: Access) -> MemoryUse<'a> {
        MemoryUse { usage: self.usage, bytes: address..address + bytes as u64, access }
    }

    /// The use of the bytes from the first element of a layout to the last, where the one with index 0 on every axis is at `first`, and
    /// each has `size` bytes.
    #[inline]
    pub(crate) fn part_of_layout(self, first: usize, layout: &Layout, size: usize, access: Access) -> MemoryUse<'a> {
        let span = layout.span();
        let address = first.wrapping_add_signed(span.start * size as isize);
        self.part(address as u64, span.len() * size, access)
    }
}

/// Memory that one array owns.
///
/// The pointer is a host pointer on the CPU. On a GPU it is a device address, which the host must not follow.
pub(super) struct RawMemory {
    device: Device,
    pointer: *mut u8,
    bytes: usize,
    usage: Usage,
    /// What keeps memory that this does not free itself.
    keeper: Option<Box<dyn Send>>,
    placement: Placement,
}

/// Where memory of a device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placement {
    /// On the device.
    Device,
    /// On the host, page-locked.
    Mapped,
    /// Where it was last accessed.
    Managed,
}

// SAFETY: the memory is owned, and the device orders what threads ask of it.
unsafe impl Send for RawMemory {}
// SAFETY: nothing is written through a shared reference, and nobody refers to the keeper.
unsafe impl Sync for RawMemory {}

// A panic leaves no array half changed: nothing is called through the keeper before it is dropped.
impl UnwindSafe for RawMemory {}
impl RefUnwindSafe for RawMemory {}

impl RawMemory {
    /// Memory for `len` elements of `size` bytes. Where not `zeroed`, its contents are any bytes.
    pub(super) fn new(device: &Device, len: usize, size: usize, zeroed: bool) -> Result<Self> {
        let bytes = checked_bytes(device, len, size)?;
        let (pointer, usage) = device.queue().allocate(bytes, zeroed)?;
        Ok(Self { device: device.clone(), pointer, bytes, usage, keeper: None, placement: Placement::Device })
    }

    /// Memory of zeros that the host can access too, for `len` elements of `size` bytes, at least one. The device must be a GPU.
    pub(super) fn placed(device: &Device, len: usize, size: usize, wanted: Placement) -> Result<Self> {
        let bytes = checked_bytes(device, len, size)?;
        let queue = device.queue().dispatch(|| unreachable!("all memory of the CPU is the host's"), |queue| queue);
        let (pointer, keeper, placement): (_, Box<dyn Send>, _) = match wanted {
            Placement::Managed if queue.gpu().shares_managed_memory()? => {
                let managed = queue.allocate_managed(bytes)?;
                (managed.start(), Box::new(managed), Placement::Managed)
            }
            _ => {
                let mapped = queue.allocate_mapped(bytes)?;
                (mapped.start(), Box::new(mapped), Placement::Mapped)
            }
        };
        // The GPU accesses it at the same address as the host.
        Ok(Self { device: device.clone(), pointer, bytes, usage: usage_of(pointer, bytes), keeper: Some(keeper), placement })
    }

    /// Memory that somebody else has allocated, until `keeper` is dropped.
    ///
    /// # Safety
    ///
    /// It must be memory of the device for `bytes` bytes which nothing else uses meanwhile.
    pub(super) unsafe fn foreign(device: &Device, pointer: *mut u8, bytes: usize, keeper: Box<dyn Send>) -> Self {
        Self { device: device.clone(), pointer, bytes, usage: usage_of(pointer, bytes), keeper: Some(keeper), placement: Placement::Device }
    }

    pub(super) fn device(&self) -> &Device {
        &self.device
    }

    #[inline]
    pub(super) fn owner(&self) -> Owner<'_> {
        Owner { device: &self.device, usage: &self.usage }
    }

    pub(super) fn pointer(&self) -> *mut u8 {
        self.pointer
    }

    /// Whether it is device memory that this crate has from the driver.
    #[cfg(feature = "cudarc")]
    pub(super) fn is_freed_by_the_driver(&self) -> bool {
        self.keeper.is_none() && !self.is_the_hosts()
    }

    /// The memory, which somebody else frees from now on.
    #[cfg(feature = "cudarc")]
    pub(super) fn release(mut self) -> *mut u8 {
        assert!(self.is_freed_by_the_driver(), "only memory that the driver frees can be given away");
        self.device.queue().give_away(self.bytes);
        self.bytes = 0;
        // Memory at no address is not freed.
        std::mem::replace(&mut self.pointer, std::ptr::null_mut())
    }

    pub(super) fn placement(&self) -> Placement {
        self.placement
    }

    /// Whether the host can access it.
    pub(super) fn is_the_hosts(&self) -> bool {
        self.placement != Placement::Device || self.device.queue().memory_is_the_hosts()
    }
}

/// That of memory which no queue has used.
fn usage_of(pointer: *mut u8, bytes: usize) -> Usage {
    let start = pointer.addr() as u64;
    Usage::of_foreign(start..start + bytes as u64)
}

/// The bytes of `len` elements. Like an allocation of the host, one on the GPU has at most `isize::MAX`, so that offsets never overflow.
fn checked_bytes(device: &Device, len: usize, size: usize) -> Result<usize> {
    let out_of_memory = || Error::OutOfMemory { device: device.name().to_owned(), bytes: len.saturating_mul(size) };
    len.checked_mul(size).filter(|&bytes| isize::try_from(bytes).is_ok()).ok_or_else(out_of_memory)
}

impl Drop for RawMemory {
    fn drop(&mut self) {
        if let Some(keeper) = self.keeper.take() {
            // Whoever gets the memory back knows nothing of our queues. After an error, they may still use it.
            match self.device.queue().wait_for_users(&self.usage) {
                Ok(()) => drop(keeper),
                Err(_) => std::mem::forget(keeper),
            }
            return;
        }
        // SAFETY: `new` allocated it with this size, and its owner is gone.
        unsafe { self.device.queue().free(self.pointer, self.bytes, &self.usage) };
    }
}
