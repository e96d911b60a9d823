//! A driver for tests that need no GPU. It records what it is asked for, and does copies in host memory at once. Kernels do nothing.
//!
//! It belongs to the thread that installs it: tests run at the same time, some of them on a real GPU.

#![allow(non_snake_case, clippy::too_many_arguments)]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut, without_provenance_mut};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// What the driver was asked for. Streams and events are numbers from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Call {
    Allocate {
        stream: usize,
        address: u64,
    },
    Free {
        stream: usize,
        address: u64,
    },
    Clear {
        stream: usize,
    },
    Upload {
        stream: usize,
    },
    Download {
        stream: usize,
    },
    Load,
    Launch {
        stream: usize,
    },
    Record {
        event: usize,
        stream: usize,
    },
    Wait {
        stream: usize,
        event: usize,
    },
    Synchronize {
        stream: usize,
    },
    /// A copy from another GPU.
    PeerCopy {
        stream: usize,
    },
    Prefetch {
        stream: usize,
        to_host: bool,
    },
    Advise {
        advice: u32,
        to_host: bool,
    },
    /// A node of a graph, after others.
    Node {
        node: usize,
        after: Vec<usize>,
    },
    /// An edge of a graph to a kernel that starts early.
    EarlyEdge {
        from: usize,
        to: usize,
    },
    Instantiate,
    /// A graph that is changed in place.
    Update,
    LaunchGraph {
        stream: usize,
    },
    DestroyGraph,
    /// Noted by a test itself.
    Work {
        stream: usize,
    },
}

#[derive(Default)]
struct State {
    calls: Vec<Call>,
    handles: usize,
    streams: usize,
    events: usize,
    nodes: usize,
    /// The nodes of the graph that was last updated or instantiated, and of the one being made.
    graphs: [usize; 2],
    allocations: HashMap<u64, Layout>,
}

thread_local! {
    static INSTALLED: Cell<Option<&'static Driver>> = const { Cell::new(None) };
    static STATE: RefCell<State> = RefCell::default();
    static HELD: Cell<bool> = const { Cell::new(false) };
    static CALLBACKS: RefCell<Vec<(CUstream, Callback, *mut c_void)>> = RefCell::default();
    static BUSY: Cell<bool> = const { Cell::new(false) };
    static FAILING: Cell<&'static [&'static str]> = const { Cell::new(&[]) };
    static CURRENT: Cell<CUcontext> = const { Cell::new(std::ptr::null_mut()) };
}

pub(super) fn installed() -> Option<&'static Driver> {
    INSTALLED.get()
}

/// Installs the driver for the rest of this thread, with GPUs of any number: one that no other test has.
pub(crate) fn install() -> usize {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    static NEXT: AtomicUsize = AtomicUsize::new(1000);
    INSTALLED.set(Some(DRIVER.get_or_init(|| Driver { functions: functions(), library: None })));
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// What was asked for since this was last called.
pub(crate) fn take_calls() -> Vec<Call> {
    STATE.with_borrow_mut(|state| std::mem::take(&mut state.calls))
}

/// Whether streams have something left to do.
pub(crate) fn set_busy(busy: bool) {
    BUSY.set(busy);
}

/// The functions that fail from now on, of those that ask: adding a callback, and waiting for a stream or an event.
pub(crate) fn set_failing(functions: &'static [&'static str]) {
    FAILING.set(functions);
}

/// Whether callbacks wait; those that did are called if not.
pub(crate) fn hold_callbacks(held: bool) {
    HELD.set(held);
    if !held {
        for (stream, callback, data) in CALLBACKS.take() {
            // SAFETY: each is called once.
            unsafe { callback(stream, Status::SUCCESS, data) };
        }
    }
}

/// Adds a call to the record.
pub(crate) fn note(call: Call) {
    STATE.with_borrow_mut(|state| state.calls.push(call));
}

fn done(call: Call) -> CUresult {
    note(call);
    CUresult::CUDA_SUCCESS
}

/// Writes what a call returns.
///
/// # Safety
///
/// `target` is writable.
unsafe fn give<T>(target: *mut T, value: T) -> CUresult {
    // SAFETY: the caller guarantees the same.
    unsafe { target.write(value) };
    CUresult::CUDA_SUCCESS
}

fn allocate(bytes: usize) -> u64 {
    let layout = Layout::from_size_align(bytes.max(1), 256).expect("the size of an allocation");
    // SAFETY: the layout has a size.
    let address = unsafe { alloc_zeroed(layout) }.expose_provenance() as u64;
    STATE.with_borrow_mut(|state| state.allocations.insert(address, layout));
    address
}

fn free(address: u64) {
    let layout = STATE.with_borrow_mut(|state| state.allocations.remove(&address)).expect("memory that was allocated");
    // SAFETY: it was allocated with this layout.
    unsafe { dealloc(with_exposed_provenance_mut(address as usize), layout) };
}

/// Adds a node to the graph that was created last.
///
/// # Safety
///
/// `node` is writable, and `after` has `count` nodes.
unsafe fn add_node(node: *mut CUgraphNode, after: *const CUgraphNode, count: usize) -> CUresult {
    let number = STATE.with_borrow_mut(|state| {
        state.graphs[1] += 1;
        state.nodes += 1;
        state.nodes
    });
    // SAFETY: the caller guarantees both.
    let after = (0..count).map(|index| unsafe { after.add(index).read() }.addr()).collect();
    note(Call::Node { node: number, after });
    // SAFETY: as above.
    unsafe { give(node, without_provenance_mut(number)) }
}

fn new_handle<T>() -> *mut T {
    STATE.with_borrow_mut(|state| {
        state.handles += 1;
        without_provenance_mut(state.handles)
    })
}

/// Defines functions of the driver, and `functions` with their addresses. The others return that they are missing. Their callers keep to the
/// documentation of the driver.
macro_rules! fakes {
    ($(fn $name:ident($($arg:ident: $type:ty),* $(,)?) $(as $Own:ident)? $body:block)*) => {
        $(
            unsafe extern "C" fn $name($($arg: $type),*) -> Status {
                // SAFETY: the caller calls it as the driver's documentation says.
                #[allow(unused_unsafe)]
                let result = || unsafe { $body };
                Status(result() as u32)
            }
        )*

        fn functions() -> Functions {
            Functions::of(|name| match name {
                $(stringify!($name) => {
                    fakes!(type of $name is unsafe fn($($type),*) -> CUresult $(as $Own)?);
                    Some(Address::of::<unsafe fn($($type),*) -> CUresult>($name))
                })*
                _ => None,
            })
        }
    };
    (type of $name:ident is $Fake:ty) => {
        let _: $Fake = cudarc::driver::sys::$name;
    };
    (type of $name:ident is $Fake:ty as $Own:ident) => {
        let _: Option<$Own> = None::<$Fake>;
    };
}

fakes! {
    fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int) { give(device, ordinal) }
    fn cuDeviceGetName(name: *mut c_char, _len: c_int, _device: CUdevice) {
        let text = b"fake GPU\0";
        name.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), text.len());
        CUresult::CUDA_SUCCESS
    }
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, _device: CUdevice) {
        give(value, match attribute {
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR => 9,
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR => 0,
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT => 16,
            CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X => i32::MAX,
            _ => 1024,
        })
    }
    fn cuDeviceTotalMem_v2(bytes: *mut usize, _device: CUdevice) { give(bytes, 1 << 30) }
    fn cuDeviceGetDefaultMemPool(pool: *mut CUmemoryPool, _device: CUdevice) { give(pool, new_handle()) }
    fn cuMemPoolGetAttribute(_pool: CUmemoryPool, _attribute: CUmemPool_attribute, value: *mut c_void) {
        let reserved: usize = STATE.with_borrow(|state| state.allocations.values().map(Layout::size).sum());
        give(value.cast::<u64>(), reserved as u64)
    }
    fn cuMemPoolSetAccess(_pool: CUmemoryPool, _access: *const PoolAccess, _count: usize) as SetAccess { CUresult::CUDA_SUCCESS }
    fn cuDeviceCanAccessPeer(can: *mut c_int, _device: CUdevice, _peer: CUdevice) { give(can, 1) }
    fn cuCtxEnablePeerAccess(_peer: CUcontext, _flags: c_uint) { CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED }
    fn cuMemPoolTrimTo(_pool: CUmemoryPool, _bytes_to_keep: usize) { CUresult::CUDA_SUCCESS }
    fn cuMemPoolSetAttribute(_pool: CUmemoryPool, _attribute: CUmemPool_attribute, _value: *mut c_void) { CUresult::CUDA_SUCCESS }
    fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice) { give(context, without_provenance_mut(device as usize + 1)) }
    fn cuCtxSetCurrent(context: CUcontext) {
        CURRENT.set(context);
        CUresult::CUDA_SUCCESS
    }
    fn cuCtxGetCurrent(context: *mut CUcontext) { give(context, CURRENT.get()) }
    fn cuCtxGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) {
        least.write(0);
        give(greatest, -5)
    }
    fn cuStreamCreate(stream: *mut CUstream, _flags: c_uint) { give(stream, new_handle()) }
    fn cuStreamDestroy_v2(_stream: CUstream) { CUresult::CUDA_SUCCESS }
    fn cuStreamBeginCapture_v2(_stream: CUstream, _mode: CUstreamCaptureMode) { CUresult::CUDA_SUCCESS }
    fn cuStreamEndCapture(_stream: CUstream, graph: *mut CUgraph) { give(graph, new_handle()) }
    fn cuStreamCreateWithPriority(stream: *mut CUstream, _flags: c_uint, _priority: c_int) {
        let number = STATE.with_borrow_mut(|state| {
            state.streams += 1;
            state.streams
        });
        give(stream, without_provenance_mut(number))
    }
    fn cuStreamSynchronize(stream: CUstream) {
        if FAILING.get().contains(&"cuStreamSynchronize") {
            return CUresult::CUDA_ERROR_LAUNCH_FAILED;
        }
        done(Call::Synchronize { stream: stream.addr() })
    }
    fn cuStreamQuery(_stream: CUstream) { if BUSY.get() { CUresult::CUDA_ERROR_NOT_READY } else { CUresult::CUDA_SUCCESS } }
    fn cuStreamAddCallback(stream: CUstream, callback: Callback, data: *mut c_void, _flags: c_uint) as AddCallback {
        if FAILING.get().contains(&"cuStreamAddCallback") {
            return CUresult::CUDA_ERROR_OUT_OF_MEMORY;
        }
        CALLBACKS.with_borrow_mut(|callbacks| callbacks.push((stream, callback, data)));
        if !HELD.get() {
            hold_callbacks(false);
        }
        CUresult::CUDA_SUCCESS
    }
    fn cuStreamIsCapturing(_stream: CUstream, status: *mut CUstreamCaptureStatus) { give(status.cast::<c_uint>(), 0) }
    fn cuStreamWaitEvent(stream: CUstream, event: CUevent, _flags: c_uint) { done(Call::Wait { stream: stream.addr(), event: event.addr() }) }
    fn cuEventCreate(event: *mut CUevent, _flags: c_uint) {
        let number = STATE.with_borrow_mut(|state| {
            state.events += 1;
            state.events
        });
        give(event, without_provenance_mut(number))
    }
    fn cuEventRecord(event: CUevent, stream: CUstream) { done(Call::Record { event: event.addr(), stream: stream.addr() }) }
    fn cuEventQuery(_event: CUevent) { CUresult::CUDA_SUCCESS }
    fn cuEventSynchronize(_event: CUevent) {
        if FAILING.get().contains(&"cuEventSynchronize") { CUresult::CUDA_ERROR_NOT_PERMITTED } else { CUresult::CUDA_SUCCESS }
    }
    fn cuEventElapsedTime(milliseconds: *mut f32, _start: CUevent, _end: CUevent) as ElapsedTime { give(milliseconds, 1.5) }
    fn cuEventDestroy_v2(_event: CUevent) { CUresult::CUDA_SUCCESS }
    fn cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize) { give(address, allocate(bytes)) }
    fn cuMemAllocAsync(address: *mut CUdeviceptr, bytes: usize, stream: CUstream) {
        let new = allocate(bytes);
        note(Call::Allocate { stream: stream.addr(), address: new });
        give(address, new)
    }
    fn cuMemFreeAsync(address: CUdeviceptr, stream: CUstream) {
        free(address);
        done(Call::Free { stream: stream.addr(), address })
    }
    fn cuMemFree_v2(address: CUdeviceptr) {
        free(address);
        CUresult::CUDA_SUCCESS
    }
    fn cuMemAllocManaged(address: *mut CUdeviceptr, bytes: usize, _flags: c_uint) { give(address, allocate(bytes)) }
    fn cuMemPrefetchAsync(_address: CUdeviceptr, _bytes: usize, location: CUdevice, stream: CUstream) as Prefetch {
        done(Call::Prefetch { stream: stream.addr(), to_host: location == CU_DEVICE_CPU })
    }
    fn cuMemAdvise(_address: CUdeviceptr, _bytes: usize, advice: CUmem_advise, location: CUdevice) as Advise {
        done(Call::Advise { advice: advice as u32, to_host: location == CU_DEVICE_CPU })
    }
    fn cuMemHostAlloc(start: *mut *mut c_void, bytes: usize, _flags: c_uint) {
        give(start, with_exposed_provenance_mut(allocate(bytes) as usize))
    }
    fn cuMemHostGetDevicePointer_v2(address: *mut CUdeviceptr, start: *mut c_void, _flags: c_uint) {
        give(address, start.expose_provenance() as u64)
    }
    fn cuMemcpyHtoD_v2(target: CUdeviceptr, source: *const c_void, bytes: usize) {
        with_exposed_provenance_mut::<u8>(target as usize).copy_from(source.cast(), bytes);
        CUresult::CUDA_SUCCESS
    }
    fn cuMemcpyHtoDAsync_v2(target: CUdeviceptr, source: *const c_void, bytes: usize, stream: CUstream) {
        with_exposed_provenance_mut::<u8>(target as usize).copy_from(source.cast(), bytes);
        done(Call::Upload { stream: stream.addr() })
    }
    fn cuMemcpyDtoHAsync_v2(target: *mut c_void, source: CUdeviceptr, bytes: usize, stream: CUstream) {
        target.cast::<u8>().copy_from(with_exposed_provenance(source as usize), bytes);
        done(Call::Download { stream: stream.addr() })
    }
    fn cuMemcpyDtoDAsync_v2(target: CUdeviceptr, source: CUdeviceptr, bytes: usize, _stream: CUstream) {
        with_exposed_provenance_mut::<u8>(target as usize).copy_from(with_exposed_provenance(source as usize), bytes);
        CUresult::CUDA_SUCCESS
    }
    fn cuMemcpyPeerAsync(
        target: CUdeviceptr,
        _target_context: CUcontext,
        source: CUdeviceptr,
        _source_context: CUcontext,
        bytes: usize,
        stream: CUstream,
    ) {
        with_exposed_provenance_mut::<u8>(target as usize).copy_from(with_exposed_provenance(source as usize), bytes);
        done(Call::PeerCopy { stream: stream.addr() })
    }
    fn cuMemsetD8_v2(target: CUdeviceptr, value: u8, bytes: usize) {
        with_exposed_provenance_mut::<u8>(target as usize).write_bytes(value, bytes);
        CUresult::CUDA_SUCCESS
    }
    fn cuMemsetD8Async(target: CUdeviceptr, value: u8, bytes: usize, stream: CUstream) {
        with_exposed_provenance_mut::<u8>(target as usize).write_bytes(value, bytes);
        done(Call::Clear { stream: stream.addr() })
    }
    fn cuModuleLoadData(module: *mut CUmodule, _image: *const c_void) {
        note(Call::Load);
        give(module, new_handle())
    }
    fn cuModuleGetFunction(function: *mut CUfunction, _module: CUmodule, _name: *const c_char) { give(function, new_handle()) }
    fn cuModuleGetGlobal_v2(address: *mut CUdeviceptr, bytes: *mut usize, _module: CUmodule, name: *const c_char) {
        let size = match CStr::from_ptr(name).to_bytes() {
            b"gr_target" => 24,
            b"gr_print_target" => 40,
            _ => return CUresult::CUDA_ERROR_NOT_FOUND,
        };
        bytes.write(size);
        give(address, allocate(size))
    }
    fn cuFuncGetAttribute(value: *mut c_int, _attribute: CUfunction_attribute, _function: CUfunction) { give(value, 1024) }
    fn cuFuncSetAttribute(_function: CUfunction, _attribute: CUfunction_attribute, _value: c_int) { CUresult::CUDA_SUCCESS }
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut c_int, _function: CUfunction, _threads: c_int, _shared_bytes: usize) {
        give(blocks, 2)
    }
    fn cuLaunchKernelEx(
        config: *const CUlaunchConfig,
        _function: CUfunction,
        _parameters: *mut *mut c_void,
        _extra: *mut *mut c_void,
    ) {
        done(Call::Launch { stream: (*config).hStream.addr() })
    }
    fn cuGraphCreate(graph: *mut CUgraph, _flags: c_uint) {
        STATE.with_borrow_mut(|state| state.graphs[1] = 0);
        give(graph, new_handle())
    }
    fn cuGraphAddKernelNode_v2(
        node: *mut CUgraphNode,
        _graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        _parameters: *const CUDA_KERNEL_NODE_PARAMS_v2,
    ) {
        add_node(node, after, count)
    }
    fn cuGraphAddMemsetNode(
        node: *mut CUgraphNode,
        _graph: CUgraph,
        after: *const CUgraphNode,
        count: usize,
        _parameters: *const CUDA_MEMSET_NODE_PARAMS,
        _context: CUcontext,
    ) {
        add_node(node, after, count)
    }
    fn cuGraphAddChildGraphNode(node: *mut CUgraphNode, _graph: CUgraph, after: *const CUgraphNode, count: usize, _child: CUgraph) {
        add_node(node, after, count)
    }
    fn cuGraphAddDependencies_v2(
        _graph: CUgraph,
        from: *const CUgraphNode,
        to: *const CUgraphNode,
        edge: *const EdgeData,
        count: usize,
    ) as AddDependencies {
        assert_eq!((count, (*edge).from_port, (*edge).kind), (1, 1, 1), "an edge between two kernels");
        done(Call::EarlyEdge { from: from.read().addr(), to: to.read().addr() })
    }
    fn cuGraphInstantiateWithFlags(executable: *mut CUgraphExec, _graph: CUgraph, _flags: u64) {
        STATE.with_borrow_mut(|state| state.graphs[0] = state.graphs[1]);
        note(Call::Instantiate);
        give(executable, new_handle())
    }
    fn cuGraphExecUpdate_v2(_executable: CUgraphExec, _graph: CUgraph, _outcome: *mut CUgraphExecUpdateResultInfo) {
        if STATE.with_borrow(|state| state.graphs[0] != state.graphs[1]) {
            return CUresult::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
        }
        done(Call::Update)
    }
    fn cuGraphLaunch(_executable: CUgraphExec, stream: CUstream) { done(Call::LaunchGraph { stream: stream.addr() }) }
    fn cuGraphExecDestroy(_executable: CUgraphExec) { done(Call::DestroyGraph) }
    fn cuGraphDestroy(_graph: CUgraph) { CUresult::CUDA_SUCCESS }
}
