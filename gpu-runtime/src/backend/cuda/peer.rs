//! Copies between GPUs.

use std::sync::{Mutex, PoisonError};

use super::driver::{check, read};
use super::gpu::{default_pool, get_device};
use super::{Gpu, MemoryUse, Queue, sys};
use crate::Result;

/// The pairs of GPUs of which the first one was given access to the memory of the second, if it can have it.
static CONNECTED: Mutex<Vec<(usize, usize)>> = Mutex::new(Vec::new());

impl Gpu {
    /// Whether this GPU can use the memory of `other` directly.
    pub(crate) fn can_access(&self, other: &Self) -> Result<bool> {
        let (own, peer) = (get_device(self.ordinal())?, get_device(other.ordinal())?);
        // SAFETY: both devices come from `cuDeviceGet`, and the call writes one number.
        Ok(read("cuDeviceCanAccessPeer", 0, |can| unsafe { sys::call!(cuDeviceCanAccessPeer(can, own, peer)) })? != 0)
    }

    /// Gives this GPU access to the memory of `other`, where that is possible. Otherwise the driver copies through memory of the host.
    fn connect(&self, other: &Self) -> Result<()> {
        let mut connected = CONNECTED.lock().unwrap_or_else(PoisonError::into_inner);
        let pair = (self.ordinal(), other.ordinal());
        if connected.contains(&pair) {
            return Ok(());
        }
        if self.can_access(other)? {
            self.make_current()?;
            // SAFETY: the context of a GPU is retained for good.
            match unsafe { sys::call!(cuCtxEnablePeerAccess(other.context(), 0)) } {
                status if status == sys::CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED => {}
                status => check("cuCtxEnablePeerAccess", status)?,
            }
            if other.has_memory_pools() {
                let pool = default_pool(get_device(other.ordinal())?)?;
                let access = sys::PoolAccess {
                    kind: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
                    id: get_device(self.ordinal())?,
                    flags: sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
                };
                // SAFETY: the pool is that of the device, and the description is read during the call.
                let status = unsafe { sys::call!((cuMemPoolSetAccess: sys::SetAccess)(pool, &access, 1)) };
                check("cuMemPoolSetAccess", status)?;
            }
        }
        connected.push(pair);
        Ok(())
    }
}

impl Queue {
    /// Puts a copy from memory of this GPU, or of another one, on this queue. The queue of the source waits for it, as nothing else tells it
    /// when the memory may be written again.
    ///
    /// # Safety
    ///
    /// `to` must be memory of this GPU as `target` says, and `from` memory of the GPU of `other` as `source` says, for `bytes` bytes.
    pub(crate) unsafe fn copy_from(
        &self,
        (target, to): (&MemoryUse<'_>, u64),
        other: &Self,
        (source, from): (&MemoryUse<'_>, u64),
        bytes: usize,
    ) -> Result<()> {
        if std::ptr::eq(self.gpu(), other.gpu()) {
            return self.ordered(&[source.clone(), target.clone()], || {
                self.gpu().make_current()?;
                // SAFETY: the caller guarantees both ranges.
                check("cuMemcpyDtoDAsync", unsafe { sys::call!(cuMemcpyDtoDAsync_v2(to, from, bytes, self.stream)) })
            });
        }
        self.gpu().connect(other.gpu())?;
        other.ordered(std::slice::from_ref(source), || {
            let written = other.record_event()?;
            self.ordered(std::slice::from_ref(target), || {
                self.wait_for_event(&written)?;
                let (own, peer) = (self.gpu().context(), other.gpu().context());
                // SAFETY: the caller guarantees both ranges, and the contexts are those of the GPUs.
                check("cuMemcpyPeerAsync", unsafe { sys::call!(cuMemcpyPeerAsync(to, own, from, peer, bytes, self.stream)) })
            })?;
            other.wait_for_event(&self.record_event()?)
        })
    }
}
