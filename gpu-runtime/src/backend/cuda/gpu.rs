//! One physical GPU: its properties, and the state of its context.

use std::ffi::{CStr, c_int};
use std::sync::{Mutex, PoisonError};
use std::{fmt, ptr};

use super::Queue;
use super::driver::{check, read};
use super::pipeline::Lanes;
use super::print::PrintBuffer;
use super::queues::Queues;
use super::summary::architecture;
use super::sys::{self, CUdevice_attribute as Attribute};
use crate::backend::MemoryInfo;
use crate::backend::meter::Meter;
use crate::compile::Architecture;
use crate::dims::Limits;
use crate::failure::KernelFailure;
use crate::{Error, Result};

/// An open GPU. There is one per ordinal and process, so identity is the address. What it does, it does in a [`Queue`](super::Queue).
pub(crate) struct Gpu {
    ordinal: usize,
    name: String,
    architecture: Architecture,
    limits: Limits,
    multiprocessors: u32,
    resident_threads: u32,
    /// Bytes of memory in all.
    pub(super) memory: usize,
    pub(super) has_memory_pools: bool,
    context: sys::CUcontext,
    /// The memory of arrays.
    pub(in crate::backend) meter: Meter,
    pub(super) prints: PrintBuffer,
    /// What streams host arrays; one call has it at a time.
    pub(super) lanes: Mutex<Lanes>,
    /// The first one is that of the device.
    queues: Queues,
    /// Those whose stream was dropped.
    given_back: Mutex<Vec<&'static Queue>>,
    /// The first failure of a stream that was dropped before anybody waited for it.
    failure: Mutex<Option<KernelFailure>>,
}

// SAFETY: the driver's handles may be used from any thread once the context is current there, which every entry point
// sees to; they are never destroyed. The other fields are `Send` by themselves.
unsafe impl Send for Gpu {}
// SAFETY: as above, and the driver serialises calls on one context and stream itself.
unsafe impl Sync for Gpu {}

impl Gpu {
    /// Opens the GPU with that number, whose context is current then.
    pub(super) fn new(ordinal: usize) -> Result<Self> {
        let device = get_device(ordinal)?;
        let name = get_name(device)?;
        let attribute = |attribute| get_attribute(device, attribute);
        let extent = |axis| attribute(axis).map(i32::unsigned_abs);
        let architecture = architecture(device)?;
        let limits = Limits {
            grid: [
                extent(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
                extent(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
                extent(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
            ],
            block: [
                extent(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
                extent(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
                extent(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
            ],
            threads: extent(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        };
        let multiprocessors = extent(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let resident_threads = multiprocessors * extent(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?;
        let memory = total_memory(device)?;
        let has_memory_pools = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)? > 0;

        let context = read("cuDevicePrimaryCtxRetain", ptr::null_mut(), |context| {
            // SAFETY: `device` comes from `cuDeviceGet`. The context is never released.
            unsafe { sys::call!(cuDevicePrimaryCtxRetain(context, device)) }
        })?;
        // SAFETY: the context was just retained.
        check("cuCtxSetCurrent", unsafe { sys::call!(cuCtxSetCurrent(context)) })?;
        if has_memory_pools {
            keep_freed_memory(device)?;
        }
        Ok(Self {
            ordinal,
            name,
            architecture,
            limits,
            multiprocessors,
            resident_threads,
            memory,
            has_memory_pools,
            context,
            meter: Meter::new(),
            prints: PrintBuffer::default(),
            lanes: Mutex::default(),
            queues: Queues::new(),
            given_back: Mutex::default(),
            failure: Mutex::default(),
        })
    }

    pub(crate) fn ordinal(&self) -> usize {
        self.ordinal
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn context(&self) -> sys::CUcontext {
        self.context
    }

    pub(super) fn has_memory_pools(&self) -> bool {
        self.has_memory_pools
    }

    pub(crate) fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// Bytes of shared memory that a block may ask for.
    pub(super) fn shared_bytes(&self) -> Result<i32> {
        get_attribute(get_device(self.ordinal)?, Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn multiprocessors(&self) -> u32 {
        self.multiprocessors
    }

    /// How many threads all multiprocessors hold at a time.
    pub(crate) fn resident_threads(&self) -> u32 {
        self.resident_threads
    }

    /// Makes this GPU's context current on the calling thread.
    ///
    /// The driver is asked each time, because another library may have changed the context since; it reads a
    /// thread-local of its own.
    #[inline]
    pub(super) fn make_current(&self) -> Result<()> {
        let mut current = std::ptr::null_mut();
        // SAFETY: the call writes one handle.
        check("cuCtxGetCurrent", unsafe { sys::call!(cuCtxGetCurrent(&mut current)) })?;
        if current != self.context {
            // SAFETY: the context is retained for good.
            check("cuCtxSetCurrent", unsafe { sys::call!(cuCtxSetCurrent(self.context)) })?;
        }
        Ok(())
    }

    /// The one of the device itself.
    pub(super) fn own_queue(&self) -> &'static Queue {
        self.queue(1)
    }

    /// The queue with that number.
    #[inline]
    pub(super) fn queue(&self, id: u16) -> &'static Queue {
        self.queues.get(id)
    }

    /// All queues so far.
    pub(super) fn queues(&self) -> Vec<&'static Queue> {
        self.queues.all()
    }

    /// Waits for all queues, and prints what kernels printed; fails if a kernel failed.
    pub(crate) fn synchronize(&self) -> Result<()> {
        let queues = self.queues();
        queues.iter().try_for_each(|queue| queue.wait())?;
        queues.iter().try_for_each(|queue| queue.report())?;
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        failure.map_or(Ok(()), |failure| Err(failure.into()))
    }

    /// Keeps a failure for whoever waits for the device.
    pub(super) fn keep_failure(&self, failure: KernelFailure) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
    }

    /// Adds the queue that `make` makes for the next number.
    pub(super) fn add_queue(&self, make: impl FnOnce(u16) -> Queue) -> Result<&'static Queue> {
        self.queues.add(make).ok_or_else(|| Error::TooManyStreams { device: self.name.clone(), most: Queues::MOST })
    }

    /// Takes a queue that was given back and that `suits`.
    pub(super) fn take_idle(&self, suits: impl Fn(&Queue) -> bool) -> Option<&'static Queue> {
        let mut given_back = self.given_back.lock().unwrap_or_else(PoisonError::into_inner);
        let index = given_back.iter().position(|queue| suits(queue))?;
        Some(given_back.remove(index))
    }

    /// Keeps a queue for the next stream.
    pub(super) fn give_back(&self, queue: &'static Queue) {
        self.given_back.lock().unwrap_or_else(PoisonError::into_inner).push(queue);
    }

    /// Gives each thread that many bytes of stack. The driver waits for the GPU where that needs other memory.
    pub(crate) fn set_stack_size(&self, bytes: usize) -> Result<()> {
        self.make_current()?;
        // SAFETY: the context is current, and the call takes numbers only.
        check("cuCtxSetLimit", unsafe { sys::call!(cuCtxSetLimit(sys::CUlimit::CU_LIMIT_STACK_SIZE, bytes)) })
    }

    /// The bytes of stack of each thread.
    pub(crate) fn stack_size(&self) -> Result<usize> {
        self.make_current()?;
        let mut bytes = 0;
        // SAFETY: the call writes one number.
        check("cuCtxGetLimit", unsafe { sys::call!(cuCtxGetLimit(&mut bytes, sys::CUlimit::CU_LIMIT_STACK_SIZE)) })?;
        Ok(bytes)
    }

    /// The memory in the pool of the device, if it has one.
    pub(crate) fn reserved_memory(&self) -> Result<Option<usize>> {
        if !self.has_memory_pools {
            return Ok(None);
        }
        let (pool, mut bytes) = (default_pool(get_device(self.ordinal)?)?, 0u64);
        let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT;
        // SAFETY: this attribute is a 64-bit unsigned integer.
        check("cuMemPoolGetAttribute", unsafe { sys::call!(cuMemPoolGetAttribute(pool, attribute, (&raw mut bytes).cast())) })?;
        Ok(Some(bytes as usize))
    }

    /// Gives the memory in the pool that no array has back to the system. Waits for all queues, as what is freed in their order is not free
    /// before.
    pub(crate) fn trim_memory(&self) -> Result<()> {
        if !self.has_memory_pools {
            return Ok(());
        }
        self.queues().into_iter().try_for_each(Queue::wait)?;
        let pool = default_pool(get_device(self.ordinal)?)?;
        // SAFETY: the pool is that of the device.
        check("cuMemPoolTrimTo", unsafe { sys::call!(cuMemPoolTrimTo(pool, 0)) })
    }

    /// The memory that is free, and all of it.
    pub(crate) fn memory_info(&self) -> Result<MemoryInfo> {
        self.make_current()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the call writes two numbers.
        check("cuMemGetInfo", unsafe { sys::call!(cuMemGetInfo_v2(&mut free, &mut total)) })?;
        Ok(MemoryInfo { free, total })
    }
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpu").field("ordinal", &self.ordinal).field("name", &self.name).finish_non_exhaustive()
    }
}

pub(super) fn get_device(ordinal: usize) -> Result<sys::CUdevice> {
    // `ordinal` is below the driver's own count, which is an i32.
    // SAFETY: the driver is initialised.
    read("cuDeviceGet", 0, |device| unsafe { sys::call!(cuDeviceGet(device, ordinal as c_int)) })
}

pub(super) fn get_attribute(device: sys::CUdevice, attribute: Attribute) -> Result<i32> {
    // SAFETY: `device` comes from `cuDeviceGet`.
    read("cuDeviceGetAttribute", 0, |value| unsafe { sys::call!(cuDeviceGetAttribute(value, attribute, device)) })
}

pub(super) fn get_name(device: sys::CUdevice) -> Result<String> {
    let mut name = [0u8; 256];
    // SAFETY: `device` comes from `cuDeviceGet`; the call writes at most as many bytes, the last of them null.
    check("cuDeviceGetName", unsafe { sys::call!(cuDeviceGetName(name.as_mut_ptr().cast(), name.len() as c_int, device)) })?;
    Ok(CStr::from_bytes_until_nul(&name).unwrap_or_default().to_string_lossy().into_owned())
}

pub(super) fn total_memory(device: sys::CUdevice) -> Result<usize> {
    // SAFETY: `device` comes from `cuDeviceGet`.
    read("cuDeviceTotalMem", 0, |bytes| unsafe { sys::call!(cuDeviceTotalMem_v2(bytes, device)) })
}

pub(super) fn default_pool(device: sys::CUdevice) -> Result<sys::CUmemoryPool> {
    read("cuDeviceGetDefaultMemPool", ptr::null_mut(), |pool| {
        // SAFETY: `device` comes from `cuDeviceGet`.
        unsafe { sys::call!(cuDeviceGetDefaultMemPool(pool, device)) }
    })
}

/// Keeps freed memory in the device's pool, where the next allocation finds it.
///
/// By default the pool returns everything to the system at each synchronisation, and an allocation costs as much as
/// `cuMemAlloc`. The driver takes kept memory back by itself before it reports that memory is exhausted.
fn keep_freed_memory(device: sys::CUdevice) -> Result<()> {
    let pool = default_pool(device)?;
    let mut threshold = u64::MAX;
    let attribute = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
    // SAFETY: this attribute is a 64-bit unsigned integer, read during the call.
    check("cuMemPoolSetAttribute", unsafe { sys::call!(cuMemPoolSetAttribute(pool, attribute, (&raw mut threshold).cast())) })
}
