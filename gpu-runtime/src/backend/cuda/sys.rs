//! The driver's functions, types and constants that this crate uses, under the names of `cuda.h`.
//!
//! The driver is loaded at run time, when a function is first called. A function that is missing, because the driver is
//! missing or too old, returns [`CUresult::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND`].

#![allow(non_snake_case, non_camel_case_types, clippy::too_many_arguments)]
#![cfg_attr(
    not(any(feature = "blas", feature = "cluster", feature = "fft")),
    allow(dead_code, reason = "only calls of libraries in graphs capture streams")
)]

#[cfg(test)]
pub(crate) mod fake;

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::OnceLock;

use libloading::Library;

/// The names of the driver's library, those that drivers install first.
pub(super) const LIBRARY_NAMES: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so.1", "libcuda.so"] };

/// Types that only the driver looks into.
macro_rules! opaque {
    ($($handle:ident $target:ident;)*) => {$(
        #[repr(C)]
        #[derive(Debug)]
        pub(super) struct $target([u8; 0]);

        pub(super) type $handle = *mut $target;
    )*};
}

opaque! {
    CUcontext CUctx_st;
    CUevent CUevent_st;
    CUfunction CUfunc_st;
    CUgraph CUgraph_st;
    CUgraphExec CUgraphExec_st;
    CUgraphNode CUgraphNode_st;
    CUkernel CUkern_st;
    CUlinkState CUlinkState_st;
    CUmemoryPool CUmemPoolHandle_st;
    CUmodule CUmod_st;
    CUstream CUstream_st;
}

pub(super) type CUdevice = c_int;
pub(super) type CUdeviceptr = u64;
pub(super) type CUstreamCallback = unsafe extern "C" fn(CUstream, CUresult, *mut c_void);

/// Enumerations of C, of which only some values have names here. They are not enums of Rust: a later driver may return others.
macro_rules! enumerations {
    ($($Enumeration:ident { $($NAME:ident = $value:literal,)* })*) => {
        $(
            #[repr(transparent)]
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub(super) struct $Enumeration(pub(super) c_uint);

            impl $Enumeration {
                $(pub(super) const $NAME: Self = Self($value);)*
            }
        )*

        #[cfg(test)]
        #[test]
        fn constants_have_the_values_of_the_header() {
            $($(assert_eq!($Enumeration::$NAME.0, cudarc::driver::sys::$Enumeration::$NAME as c_uint, stringify!($NAME));)*)*
        }
    };
}

enumerations! {
    CUresult {
        CUDA_SUCCESS = 0,
        CUDA_ERROR_OUT_OF_MEMORY = 2,
        CUDA_ERROR_STUB_LIBRARY = 34,
        CUDA_ERROR_NO_DEVICE = 100,
        CUDA_ERROR_INVALID_IMAGE = 200,
        CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
        CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND = 302,
        CUDA_ERROR_NOT_FOUND = 500,
        CUDA_ERROR_NOT_READY = 600,
        CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
        CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE = 910,
    }
    CUdevice_attribute {
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
        CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
        CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
        CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
        CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
    }
    CUfunction_attribute {
        CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
        CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
        CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
        CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
        CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
        CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    }
    CUlaunchAttributeID {
        CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
    }
    CUlimit {
        CU_LIMIT_STACK_SIZE = 0,
    }
    CUmem_advise {
        CU_MEM_ADVISE_SET_READ_MOSTLY = 1,
        CU_MEM_ADVISE_SET_PREFERRED_LOCATION = 3,
        CU_MEM_ADVISE_SET_ACCESSED_BY = 5,
    }
    CUmemAccess_flags {
        CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
    }
    CUmemLocationType {
        CU_MEM_LOCATION_TYPE_DEVICE = 1,
    }
    CUmemPool_attribute {
        CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
        CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT = 5,
    }
    CUjit_option {
        CU_JIT_ERROR_LOG_BUFFER = 5,
        CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
    }
    CUjitInputType {
        CU_JIT_INPUT_CUBIN = 0,
        CU_JIT_INPUT_PTX = 1,
    }
    CUstreamCaptureMode {
        CU_STREAM_CAPTURE_MODE_RELAXED = 2,
    }
    CUstream_flags {
        CU_STREAM_DEFAULT = 0,
        CU_STREAM_NON_BLOCKING = 1,
    }
    CUevent_flags {
        CU_EVENT_DEFAULT = 0,
        CU_EVENT_DISABLE_TIMING = 2,
    }
}

/// The host, in place of a device.
pub(super) const CU_DEVICE_CPU: CUdevice = -1;

pub(super) const CU_MEMHOSTALLOC_PORTABLE: c_uint = 1;
pub(super) const CU_MEMHOSTALLOC_DEVICEMAP: c_uint = 2;

/// A launch as a node of a graph.
#[repr(C)]
pub(super) struct CUDA_KERNEL_NODE_PARAMS {
    pub(super) func: CUfunction,
    pub(super) gridDim: [c_uint; 3],
    pub(super) blockDim: [c_uint; 3],
    pub(super) sharedMemBytes: c_uint,
    pub(super) kernelParams: *mut *mut c_void,
    pub(super) extra: *mut *mut c_void,
    pub(super) kern: CUkernel,
    pub(super) ctx: CUcontext,
}

/// Equal elements as a node of a graph.
#[repr(C)]
pub(super) struct CUDA_MEMSET_NODE_PARAMS {
    pub(super) dst: CUdeviceptr,
    pub(super) pitch: usize,
    pub(super) value: c_uint,
    pub(super) elementSize: c_uint,
    pub(super) width: usize,
    pub(super) height: usize,
}

/// Which device may use the memory of a pool.
#[repr(C)]
pub(super) struct CUmemAccessDesc {
    pub(super) kind: CUmemLocationType,
    pub(super) id: c_int,
    pub(super) flags: CUmemAccess_flags,
}

/// An attribute of a launch, in its first bytes.
#[repr(C, align(8))]
pub(super) struct CUlaunchAttributeValue {
    pub(super) words: [c_int; 16],
}

/// Why a graph was not updated.
#[repr(C)]
#[derive(Default)]
pub(super) struct CUgraphExecUpdateResultInfo {
    pub(super) result: c_uint,
    pub(super) nodes: [usize; 2],
}

#[cfg(test)]
#[test]
fn structs_have_the_layout_of_the_header() {
    use cudarc::driver::sys as header;

    fn layout<T>() -> (usize, usize) {
        (size_of::<T>(), align_of::<T>())
    }
    assert_eq!(layout::<CUDA_KERNEL_NODE_PARAMS>(), layout::<header::CUDA_KERNEL_NODE_PARAMS_v2>());
    let offset = std::mem::offset_of!(CUDA_KERNEL_NODE_PARAMS, kernelParams);
    assert_eq!(offset, std::mem::offset_of!(header::CUDA_KERNEL_NODE_PARAMS_v2, kernelParams));
    assert_eq!(layout::<CUDA_MEMSET_NODE_PARAMS>(), layout::<header::CUDA_MEMSET_NODE_PARAMS>());
    assert_eq!(layout::<CUmemAccessDesc>(), layout::<header::CUmemAccessDesc>());
    assert_eq!(layout::<CUlaunchAttributeValue>(), layout::<header::CUlaunchAttributeValue>());
    assert_eq!(layout::<CUgraphExecUpdateResultInfo>(), layout::<header::CUgraphExecUpdateResultInfo>());
}

/// The functions of a library, by name. Each becomes a field with its address, and a function that calls it there.
macro_rules! functions {
    ($(fn $name:ident($($arg:ident: $type:ty),* $(,)?);)*) => {
        struct Functions {
            $($name: unsafe extern "C" fn($($type),*) -> CUresult,)*
        }

        impl Functions {
            fn of(library: Option<&Library>) -> Self {
                Self {
                    $($name: {
                        unsafe extern "C" fn missing($(_: $type),*) -> CUresult {
                            CUresult::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND
                        }
                        match library.and_then(|library| address(library, stringify!($name))) {
                            // SAFETY: the driver's function of this name has these parameters.
                            Some(address) => unsafe { std::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> CUresult>(address) },
                            None => missing,
                        }
                    },)*
                }
            }
        }

        $(
            /// # Safety
            ///
            /// As the documentation of the driver says.
            #[inline]
            pub(super) unsafe fn $name($($arg: $type),*) -> CUresult {
                // SAFETY: the caller guarantees the same.
                unsafe { (driver().functions.$name)($($arg),*) }
            }
        )*
    };
}

functions! {
    fn cuInit(flags: c_uint);
    fn cuDriverGetVersion(version: *mut c_int);
    fn cuGetErrorName(error: CUresult, name: *mut *const c_char);
    fn cuGetErrorString(error: CUresult, text: *mut *const c_char);

    fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
    fn cuDeviceGetCount(count: *mut c_int);
    fn cuDeviceGetName(name: *mut c_char, len: c_int, device: CUdevice);
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice);
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice);
    fn cuDeviceGetDefaultMemPool(pool: *mut CUmemoryPool, device: CUdevice);
    fn cuMemPoolSetAttribute(pool: CUmemoryPool, attribute: CUmemPool_attribute, value: *mut c_void);
    fn cuMemPoolGetAttribute(pool: CUmemoryPool, attribute: CUmemPool_attribute, value: *mut c_void);
    fn cuMemPoolSetAccess(pool: CUmemoryPool, access: *const CUmemAccessDesc, count: usize);
    fn cuMemPoolTrimTo(pool: CUmemoryPool, bytes_to_keep: usize);

    fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
    fn cuCtxSetCurrent(context: CUcontext);
    fn cuCtxGetCurrent(context: *mut CUcontext);
    fn cuDeviceCanAccessPeer(can: *mut c_int, device: CUdevice, peer: CUdevice);
    fn cuCtxEnablePeerAccess(peer: CUcontext, flags: c_uint);
    fn cuCtxSetLimit(limit: CUlimit, value: usize);
    fn cuCtxGetLimit(value: *mut usize, limit: CUlimit);
    fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int);

    fn cuStreamCreate(stream: *mut CUstream, flags: CUstream_flags);
    fn cuStreamCreateWithPriority(stream: *mut CUstream, flags: CUstream_flags, priority: c_int);
    fn cuStreamDestroy_v2(stream: CUstream);
    fn cuStreamBeginCapture_v2(stream: CUstream, mode: CUstreamCaptureMode);
    fn cuStreamEndCapture(stream: CUstream, graph: *mut CUgraph);
    fn cuStreamQuery(stream: CUstream);
    fn cuStreamAddCallback(stream: CUstream, callback: CUstreamCallback, data: *mut c_void, flags: c_uint);
    fn cuStreamSynchronize(stream: CUstream);
    fn cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint);
    fn cuEventCreate(event: *mut CUevent, flags: CUevent_flags);
    fn cuEventRecord(event: CUevent, stream: CUstream);
    fn cuEventQuery(event: CUevent);
    fn cuEventSynchronize(event: CUevent);
    fn cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent);
    fn cuEventDestroy_v2(event: CUevent);

    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    fn cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize);
    fn cuMemFree_v2(address: CUdeviceptr);
    fn cuMemAllocAsync(address: *mut CUdeviceptr, bytes: usize, stream: CUstream);
    fn cuMemFreeAsync(address: CUdeviceptr, stream: CUstream);
    fn cuMemAllocManaged(address: *mut CUdeviceptr, bytes: usize, flags: c_uint);
    fn cuMemPrefetchAsync(address: CUdeviceptr, bytes: usize, location: CUdevice, stream: CUstream);
    fn cuMemAdvise(address: CUdeviceptr, bytes: usize, advice: CUmem_advise, location: CUdevice);
    fn cuMemHostAlloc(start: *mut *mut c_void, bytes: usize, flags: c_uint);
    fn cuMemFreeHost(start: *mut c_void);
    fn cuMemHostGetDevicePointer_v2(address: *mut CUdeviceptr, start: *mut c_void, flags: c_uint);
    fn cuMemcpyHtoD_v2(target: CUdeviceptr, source: *const c_void, bytes: usize);
    fn cuMemcpyHtoDAsync_v2(target: CUdeviceptr, source: *const c_void, bytes: usize, stream: CUstream);
    fn cuMemcpyDtoHAsync_v2(target: *mut c_void, source: CUdeviceptr, bytes: usize, stream: CUstream);
    fn cuMemcpyDtoDAsync_v2(target: CUdeviceptr, source: CUdeviceptr, bytes: usize, stream: CUstream);
    fn cuMemcpyPeerAsync(
        target: CUdeviceptr,
        target_context: CUcontext,
        source: CUdeviceptr,
        source_context: CUcontext,
        bytes: usize,
        stream: CUstream,
    );
    fn cuMemsetD8_v2(target: CUdeviceptr, value: u8, bytes: usize);
    fn cuMemsetD8Async(target: CUdeviceptr, value: u8, bytes: usize, stream: CUstream);

    fn cuGraphCreate(graph: *mut CUgraph, flags: c_uint);
    fn cuGraphAddKernelNode_v2(
        node: *mut CUgraphNode,
        graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        parameters: *const CUDA_KERNEL_NODE_PARAMS,
    );
    fn cuGraphAddMemsetNode(
        node: *mut CUgraphNode,
        graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        parameters: *const CUDA_MEMSET_NODE_PARAMS,
        context: CUcontext,
    );
    fn cuGraphAddChildGraphNode(node: *mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize, child: CUgraph);
    fn cuGraphKernelNodeSetAttribute(node: CUgraphNode, attribute: CUlaunchAttributeID, value: *const CUlaunchAttributeValue);
    fn cuGraphInstantiateWithFlags(executable: *mut CUgraphExec, graph: CUgraph, flags: u64);
    fn cuGraphExecUpdate_v2(executable: CUgraphExec, graph: CUgraph, outcome: *mut CUgraphExecUpdateResultInfo);
    fn cuGraphLaunch(executable: CUgraphExec, stream: CUstream);
    fn cuGraphExecDestroy(executable: CUgraphExec);
    fn cuGraphDestroy(graph: CUgraph);

    fn cuModuleLoadData(module: *mut CUmodule, image: *const c_void);
    fn cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
    fn cuModuleGetGlobal_v2(address: *mut CUdeviceptr, bytes: *mut usize, module: CUmodule, name: *const c_char);
    fn cuLinkCreate_v2(count: c_uint, options: *mut CUjit_option, values: *mut *mut c_void, state: *mut CUlinkState);
    fn cuLinkAddData_v2(
        state: CUlinkState,
        kind: CUjitInputType,
        data: *mut c_void,
        bytes: usize,
        name: *const c_char,
        count: c_uint,
        options: *mut CUjit_option,
        values: *mut *mut c_void,
    );
    fn cuLinkComplete(state: CUlinkState, image: *mut *mut c_void, bytes: *mut usize);
    fn cuLinkDestroy(state: CUlinkState);

    fn cuFuncGetAttribute(value: *mut c_int, attribute: CUfunction_attribute, function: CUfunction);
    fn cuFuncSetAttribute(function: CUfunction, attribute: CUfunction_attribute, value: c_int);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut c_int, function: CUfunction, threads: c_int, shared_bytes: usize);
    fn cuLaunchKernel(
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared_bytes: c_uint,
        stream: CUstream,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    );
    fn cuLaunchCooperativeKernel(
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared_bytes: c_uint,
        stream: CUstream,
        parameters: *mut *mut c_void,
    );
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
    Driver { functions: Functions::of(library.as_ref()), library }
}

/// Where the library has a function of this name.
fn address(library: &Library, name: &str) -> Option<*mut c_void> {
    // SAFETY: an address may be read as one; it is not dereferenced here.
    let symbol = unsafe { library.get::<*mut c_void>(name) }.ok()?;
    Some(*symbol).filter(|address| !address.is_null())
}
