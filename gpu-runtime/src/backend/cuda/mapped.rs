//! Host memory that kernels write directly, which avoids a copy.

use std::ptr;

use super::driver::{check, read};
use super::memory::Address;
use super::sys;
use crate::Result;

/// A value in pinned host memory that the GPUs see too. It is never freed.
pub(super) struct Mapped<T> {
    host: *mut T,
    device: Address,
}

// SAFETY: nothing but two addresses, at which the memory stays. Whoever accesses it does so through a raw pointer, and says why.
unsafe impl<T: Send> Send for Mapped<T> {}

impl<T> Mapped<T> {
    /// `value`, where kernels of the current context can write it.
    pub(super) fn new(value: T) -> Result<Self> {
        const { assert!(align_of::<T>() <= 4096, "pinned memory is as aligned as a page") };
        let flags = sys::CU_MEMHOSTALLOC_DEVICEMAP | sys::CU_MEMHOSTALLOC_PORTABLE;
        // SAFETY: the memory is never freed.
        let host = read("cuMemHostAlloc", ptr::null_mut(), |host| unsafe { sys::call!(cuMemHostAlloc(host, size_of::<T>(), flags)) })?;
        let host: *mut T = host.cast();
        // SAFETY: the memory is large and aligned enough, and no kernel knows of it yet.
        unsafe { host.write(value) };
        let mut device = 0;
        // SAFETY: `host` is mapped pinned memory; the call writes one address.
        check("cuMemHostGetDevicePointer", unsafe { sys::call!(cuMemHostGetDevicePointer_v2(&mut device, host.cast(), 0)) })?;
        Ok(Self { host, device })
    }

    /// Where the host finds it. Kernels write it behind the compiler's back, so accesses must be volatile.
    #[inline]
    pub(super) fn host(&self) -> *mut T {
        self.host
    }

    /// Where kernels find it.
    pub(super) fn device(&self) -> Address {
        self.device
    }
}
