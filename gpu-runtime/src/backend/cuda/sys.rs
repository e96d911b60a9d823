//! The driver, with the declarations of the crate cudarc.
//!
//! It is loaded at run time, when a function is first called. A function that is missing, because the driver is missing or too old, returns
//! [`Status::MISSING`].

#[cfg(test)]
pub(crate) mod fake;

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

pub(super) use cudarc::driver::sys::*;
use libloading::Library;

use crate::compile::symbols::Address;
pub(super) use crate::compile::symbols::Status;

/// The names of the driver's library, those that drivers install first. Not those of cudarc, which begin with what toolkits install: a stub.
pub(super) const LIBRARY_NAMES: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so.1", "libcuda.so"] };

/// The host, in place of a device.
pub(super) const CU_DEVICE_CPU: CUdevice = -1;

impl PartialEq<CUresult> for Status {
    fn eq(&self, known: &CUresult) -> bool {
        self.0 == *known as u32
    }
}

/// Which device may use the memory of a pool: `CUmemAccessDesc`.
#[repr(C)]
pub(super) struct PoolAccess {
    pub(super) kind: CUmemLocationType,
    pub(super) id: c_int,
    pub(super) flags: CUmemAccess_flags,
}

/// When the kernel behind an edge of a graph starts: `CUgraphEdgeData`, which cudarc declares from CUDA 12.3 on.
#[repr(C)]
pub(super) struct EdgeData {
    pub(super) from_port: u8,
    pub(super) to_port: u8,
    pub(super) kind: u8,
    pub(super) reserved: [u8; 5],
}

pub(super) type AddDependencies = unsafe fn(CUgraph, *const CUgraphNode, *const CUgraphNode, *const EdgeData, usize) -> CUresult;

// What cudarc declares in another way for later versions of CUDA, in which these names are those of other functions. The driver keeps these.
pub(super) type Advise = unsafe fn(CUdeviceptr, usize, CUmem_advise, CUdevice) -> CUresult;
pub(super) type ElapsedTime = unsafe fn(*mut f32, CUevent, CUevent) -> CUresult;
pub(super) type Prefetch = unsafe fn(CUdeviceptr, usize, CUdevice, CUstream) -> CUresult;
pub(super) type SetAccess = unsafe fn(CUmemoryPool, *const PoolAccess, usize) -> CUresult;

/// What describes a status, which may be one that cudarc does not know.
pub(super) type Describe = unsafe fn(Status, *mut *const c_char) -> CUresult;

/// What the driver calls, with a status that may be one that cudarc does not know.
pub(super) type Callback = unsafe extern "C" fn(CUstream, Status, *mut c_void);
pub(super) type AddCallback = unsafe fn(CUstream, Callback, *mut c_void, c_uint) -> CUresult;

/// Calls a function of the driver: `call!(cuInit(0))`. Needs `unsafe`: the documentation of the driver says what for.
macro_rules! call {
    ($name:ident($($argument:expr),* $(,)?)) => {{
        use cudarc::driver::sys as header;
        $crate::compile::symbols::call!($crate::backend::cuda::sys::functions(), header::$name($($argument),*))
    }};
    (($name:ident: $Declared:ty)($($argument:expr),* $(,)?)) => {
        $crate::compile::symbols::call!($crate::backend::cuda::sys::functions(), ($name: $Declared)($($argument),*))
    };
}
pub(super) use call;

macro_rules! functions {
    ($($name:ident)*) => {
        /// The addresses of functions of the driver, by their names.
        #[allow(non_snake_case)]
        #[cfg_attr(
            not(any(feature = "blas", feature = "cluster", feature = "fft")),
            allow(dead_code, reason = "only calls of libraries in graphs capture streams")
        )]
        pub(in crate::backend) struct Functions {
            $(pub(in crate::backend) $name: Address,)*
        }

        impl Functions {
            fn of(find: impl Fn(&str) -> Option<Address>) -> Self {
                Self { $($name: find(stringify!($name)).unwrap_or(Address::NULL),)* }
            }
        }
    };
}

functions! {
    cuInit
    cuDriverGetVersion
    cuGetErrorName
    cuGetErrorString
    cuDeviceGet
    cuDeviceGetCount
    cuDeviceGetName
    cuDeviceGetAttribute
    cuDeviceTotalMem_v2
    cuDeviceGetDefaultMemPool
    cuMemPoolSetAttribute
    cuMemPoolGetAttribute
    cuMemPoolSetAccess
    cuMemPoolTrimTo
    cuDevicePrimaryCtxRetain
    cuCtxSetCurrent
    cuCtxGetCurrent
    cuDeviceCanAccessPeer
    cuCtxEnablePeerAccess
    cuCtxSetLimit
    cuCtxGetLimit
    cuCtxGetStreamPriorityRange
    cuStreamCreate
    cuStreamCreateWithPriority
    cuStreamDestroy_v2
    cuStreamBeginCapture_v2
    cuStreamEndCapture
    cuStreamIsCapturing
    cuStreamQuery
    cuStreamAddCallback
    cuStreamSynchronize
    cuStreamWaitEvent
    cuEventCreate
    cuEventRecord
    cuEventQuery
    cuEventSynchronize
    cuEventElapsedTime
    cuEventDestroy_v2
    cuMemGetInfo_v2
    cuMemAlloc_v2
    cuMemFree_v2
    cuMemAllocAsync
    cuMemFreeAsync
    cuMemAllocManaged
    cuMemPrefetchAsync
    cuMemAdvise
    cuMemHostAlloc
    cuMemFreeHost
    cuMemHostGetDevicePointer_v2
    cuMemcpyDtoH_v2
    cuMemcpyHtoD_v2
    cuMemcpyHtoDAsync_v2
    cuMemcpyDtoHAsync_v2
    cuMemcpyDtoDAsync_v2
    cuMemcpyPeerAsync
    cuMemsetD8_v2
    cuMemsetD8Async
    cuGraphCreate
    cuGraphAddKernelNode_v2
    cuGraphAddMemsetNode
    cuGraphAddChildGraphNode
    cuGraphAddDependencies_v2
    cuGraphKernelNodeSetAttribute
    cuGraphInstantiateWithFlags
    cuGraphExecUpdate_v2
    cuGraphLaunch
    cuGraphExecDestroy
    cuGraphDestroy
    cuModuleLoadData
    cuModuleGetFunction
    cuModuleGetGlobal_v2
    cuLinkCreate_v2
    cuLinkAddData_v2
    cuLinkComplete
    cuLinkDestroy
    cuFuncGetAttribute
    cuFuncSetAttribute
    cuOccupancyMaxActiveBlocksPerMultiprocessor
    cuLaunchKernelEx
    cuLaunchCooperativeKernel
}

struct Driver {
    functions: Functions,
    /// Never closed: its functions may be called at any time.
    library: Option<Library>,
}

/// Whether the system's loader finds the driver.
pub(super) fn is_present() -> bool {
    driver().library.is_some()
}

#[inline]
pub(in crate::backend) fn functions() -> &'static Functions {
    &driver().functions
}

#[inline]
fn driver() -> &'static Driver {
    #[cfg(test)]
    if let Some(fake) = fake::installed() {
        return fake;
    }
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    DRIVER.get_or_init(load)
}

#[cold]
fn load() -> Driver {
    // SAFETY: loading NVIDIA's driver runs its initialisers, which have no preconditions.
    let library = LIBRARY_NAMES.iter().find_map(|&name| unsafe { Library::new(name) }.ok());
    Driver { functions: Functions::of(|name| Address::find(library.as_ref()?, name).ok()), library }
}
