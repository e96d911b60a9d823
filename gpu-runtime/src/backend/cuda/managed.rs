//! Memory that the host and a GPU both access at the same address.

use std::ptr;

use super::driver::{check, read};
use super::gpu::{get_attribute, get_device};
use super::memory::{Address, whole_words};
use super::sys::{self, CUdevice_attribute, CUmem_advise};
use super::{Gpu, MemoryUse, PageLocked, Queue};
use crate::{Error, Result};

/// How managed memory will be used: see [`DeviceArray::advise`](crate::DeviceArray::advise).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryAdvice {
    /// It is read often and hardly ever written, so the device and the host each have a copy: `cudaMemAdviseSetReadMostly`.
    ReadMostly,
    /// It stays on the device, and the host accesses it from afar, as far as the system can do that: `cudaMemAdviseSetPreferredLocation`.
    PreferDevice,
    /// It stays on the host, and the device accesses it from afar.
    PreferHost,
    /// The device keeps it mapped, wherever it is, so that an access does not move it: `cudaMemAdviseSetAccessedBy`.
    AccessedByDevice,
}

/// Managed memory, which counts as memory of the GPU. Whoever drops it has waited for its users. Its address is 0 until there is some.
pub(crate) struct Managed {
    gpu: &'static Gpu,
    address: Address,
    bytes: usize,
}

impl Managed {
    pub(crate) fn start(&self) -> *mut u8 {
        // The driver has mapped it into the address space of the process.
        ptr::with_exposed_provenance_mut(self.address as usize)
    }
}

impl Drop for Managed {
    fn drop(&mut self) {
        self.gpu.meter.remove(self.bytes);
        if self.address != 0 && self.gpu.make_current().is_ok() {
            // SAFETY: it was allocated by the driver and its owner is gone. An error cannot be reported.
            let _ = unsafe { sys::call!(cuMemFree_v2(self.address)) };
        }
    }
}

impl Gpu {
    /// Whether the host can access managed memory while the GPU does.
    pub(crate) fn shares_managed_memory(&self) -> Result<bool> {
        let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS;
        Ok(get_attribute(get_device(self.ordinal())?, attribute)? > 0)
    }
}

impl Queue {
    /// Managed memory of `bytes` bytes, at least one, all of them zero.
    pub(crate) fn allocate_managed(&self, bytes: usize) -> Result<Managed> {
        const CU_MEM_ATTACH_GLOBAL: u32 = 1;
        let gpu = self.gpu();
        let out_of_memory = || Error::OutOfMemory { device: gpu.name().to_owned(), bytes };
        if !gpu.meter.add(bytes) {
            return Err(out_of_memory());
        }
        let mut managed = Managed { gpu, address: 0, bytes };
        gpu.make_current()?;
        // SAFETY: the call writes one address.
        let status = unsafe { sys::call!(cuMemAllocManaged(&mut managed.address, whole_words(bytes), CU_MEM_ATTACH_GLOBAL)) };
        if status == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
            return Err(out_of_memory());
        }
        check("cuMemAllocManaged", status)?;
        // SAFETY: the memory is that long and new, and the host may access it.
        unsafe { managed.start().write_bytes(0, whole_words(bytes)) };
        Ok(managed)
    }

    /// Page-locked memory of `bytes` bytes, at least one, all of them zero, which the GPU accesses at the same address.
    pub(crate) fn allocate_mapped(&self, bytes: usize) -> Result<PageLocked> {
        let memory = self.allocate_page_locked(whole_words(bytes))?;
        let address = read("cuMemHostGetDevicePointer", 0, |address| {
            // SAFETY: the memory is page-locked; the call writes one address.
            unsafe { sys::call!(cuMemHostGetDevicePointer_v2(address, memory.start().cast(), 0)) }
        })?;
        // With unified addressing, which all GPUs have in a process of 64 bits.
        assert_eq!(address, memory.start().expose_provenance() as Address, "the GPU has another address for memory of the host");
        Ok(memory)
    }

    /// Moves managed memory to the GPU or to the host, in order with what writes it.
    pub(crate) fn prefetch(&self, used: &MemoryUse<'_>, to_host: bool) -> Result<()> {
        let location = if to_host { sys::CU_DEVICE_CPU } else { get_device(self.gpu().ordinal())? };
        self.gpu().make_current()?;
        self.ordered(std::slice::from_ref(used), || {
            let bytes = (used.bytes.end - used.bytes.start) as usize;
            // SAFETY: the range is managed memory, which the caller keeps.
            let status = unsafe { sys::call!((cuMemPrefetchAsync: sys::Prefetch)(used.bytes.start, bytes, location, self.stream)) };
            check("cuMemPrefetchAsync", status)
        })
    }

    /// Tells the driver how managed memory will be used.
    pub(crate) fn advise(&self, used: &MemoryUse<'_>, advice: MemoryAdvice) -> Result<()> {
        let device = get_device(self.gpu().ordinal())?;
        let (advice, location) = match advice {
            MemoryAdvice::ReadMostly => (CUmem_advise::CU_MEM_ADVISE_SET_READ_MOSTLY, device),
            MemoryAdvice::PreferDevice => (CUmem_advise::CU_MEM_ADVISE_SET_PREFERRED_LOCATION, device),
            MemoryAdvice::PreferHost => (CUmem_advise::CU_MEM_ADVISE_SET_PREFERRED_LOCATION, sys::CU_DEVICE_CPU),
            MemoryAdvice::AccessedByDevice => (CUmem_advise::CU_MEM_ADVISE_SET_ACCESSED_BY, device),
        };
        self.gpu().make_current()?;
        let bytes = (used.bytes.end - used.bytes.start) as usize;
        // SAFETY: the range is managed memory, which the caller keeps.
        check("cuMemAdvise", unsafe { sys::call!((cuMemAdvise: sys::Advise)(used.bytes.start, bytes, advice, location)) })
    }
}
