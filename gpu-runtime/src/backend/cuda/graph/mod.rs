//! Graphs: work that is recorded once, and launched as a whole.
//!
//! A [`Builder`] gets the operations of a [recording](crate::backend::recording) and makes a node of each, which follows the nodes that use
//! the same memory: [`history`]. So operations that are independent of each other run at the same time, whatever streams the code names.
//! What a library launches by itself is captured, and is one node. [`Executable`] is the graph ready to launch, on the queue that it was
//! recorded for. Its kernels report failures to this queue.
//!
//! Other arguments are recorded again. The driver then changes the executable graph in place if it has the same nodes, and only then is a
//! launch with other arguments cheaper than a new graph.

#[cfg(any(feature = "blas", feature = "cluster", feature = "fft"))]
mod capture;
mod history;

#[cfg(any(feature = "fft", test))]
use std::any::Any;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::ptr;
#[cfg(any(feature = "fft", test))]
use std::sync::Arc;

#[cfg(feature = "cluster")]
pub(crate) use self::capture::AroundLaunch;
use self::history::History;
use super::driver::{check, read};
use super::memory::Address;
use super::{Queue, early_start, sys};
use crate::Result;
use crate::backend::MemoryUse;
use crate::backend::recording::{self, Part, Unrecordable};
use crate::dims::LaunchDims;

/// A graph that is being recorded.
pub(crate) struct Builder {
    queue: &'static Queue,
    graph: Template,
    nodes: Vec<Node>,
    history: History,
    memory: GraphMemory,
    libraries: Libraries,
}

/// A node of the driver's graph.
struct Node {
    handle: sys::CUgraphNode,
    kind: NodeKind,
    /// Whether a kernel that follows it starts early.
    has_early_follower: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeKind {
    Kernel,
    /// One that may [start early](early_start).
    EarlyKernel,
    Other,
}

impl Node {
    /// Whether a kernel that follows this node alone starts early.
    fn lets_start_early(&self) -> bool {
        self.kind != NodeKind::Other && !self.has_early_follower && early_start::has_edges()
    }
}

/// A graph that can be launched.
pub(crate) struct Executable {
    queue: &'static Queue,
    executable: sys::CUgraphExec,
    /// What its operations use besides the arguments.
    memory: GraphMemory,
    #[cfg_attr(not(feature = "cluster"), allow(dead_code, reason = "only kept"))]
    libraries: Libraries,
}

// SAFETY: the driver's handle may be used from any thread once the context is current there, one at a time: `launch` passes it to the
// driver in the order of the stream, and `update` borrows it exclusively.
unsafe impl Send for Executable {}
// SAFETY: as above.
unsafe impl Sync for Executable {}

/// The driver's graph, of which an executable one is made.
struct Template(sys::CUgraph);

impl Drop for Template {
    fn drop(&mut self) {
        // SAFETY: nobody uses the handle any more.
        let _ = unsafe { sys::call!(cuGraphDestroy(self.0)) };
    }
}

/// Memory that the recorded code has created and dropped, in the order of a queue.
struct GraphMemory {
    queue: &'static Queue,
    parts: Vec<Range<Address>>,
}

impl Drop for GraphMemory {
    fn drop(&mut self) {
        self.parts.iter().for_each(|part| self.queue.free(part.start));
    }
}

/// What calls of libraries need whenever the graph is launched.
#[derive(Default)]
struct Libraries {
    #[cfg(feature = "cluster")]
    around: Vec<(u64, AroundLaunch)>,
    #[cfg(any(feature = "fft", test))]
    kept: Vec<Arc<dyn Any + Send + Sync>>,
}

/// A launch as a node has it.
pub(super) struct KernelNode<'k> {
    pub(super) function: sys::CUfunction,
    pub(super) dims: &'k LaunchDims,
    pub(super) shared: u32,
    pub(super) parameters: *mut *mut c_void,
    /// Whether the threads of its grid wait for each other.
    pub(super) is_cooperative: bool,
    pub(super) starts_early: bool,
}

impl Builder {
    /// A graph without nodes, for launches on `queue`.
    pub(crate) fn new(queue: &'static Queue) -> Result<Self> {
        queue.gpu().make_current()?;
        // SAFETY: the call writes one handle; the flags must be 0.
        let graph = Template(read("cuGraphCreate", ptr::null_mut(), |graph| unsafe { sys::call!(cuGraphCreate(graph, 0)) })?);
        let memory = GraphMemory { queue, parts: Vec::new() };
        Ok(Self { queue, graph, nodes: Vec::new(), history: History::default(), memory, libraries: Libraries::default() })
    }

    /// Adds a launch, after the operations that use the same memory.
    ///
    /// # Safety
    ///
    /// As for [`Queue::launch`], whenever the graph is launched.
    pub(super) unsafe fn add_kernel(&mut self, launch: &KernelNode<'_>, uses: &[Part]) -> Result<()> {
        let LaunchDims { grid, block } = launch.dims;
        let parameters = sys::CUDA_KERNEL_NODE_PARAMS_v2 {
            func: launch.function,
            gridDimX: grid[0],
            gridDimY: grid[1],
            gridDimZ: grid[2],
            blockDimX: block[0],
            blockDimY: block[1],
            blockDimZ: block[2],
            sharedMemBytes: launch.shared,
            kernelParams: launch.parameters,
            extra: ptr::null_mut(),
            kern: ptr::null_mut(),
            ctx: ptr::null_mut(),
        };
        let kind = if launch.starts_early { NodeKind::EarlyKernel } else { NodeKind::Kernel };
        let add = |node, graph, after, count| {
            // SAFETY: the caller guarantees the launch, whose parameters the driver copies during the call.
            unsafe { sys::call!(cuGraphAddKernelNode_v2(node, graph, after, count, &parameters)) }
        };
        let node = self.add("cuGraphAddKernelNode", uses, kind, add)?;
        if !launch.is_cooperative {
            return Ok(());
        }
        let attribute = sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        let value = sys::CUlaunchAttributeValue { cooperative: 1 };
        // SAFETY: the node is one of a kernel, and the attribute is the first word of the value, a truth value.
        check("cuGraphKernelNodeSetAttribute", unsafe { sys::call!(cuGraphKernelNodeSetAttribute(node, attribute, &value)) })
    }

    /// Adds the clearing of `bytes` bytes, after the operations that use the same memory.
    pub(super) fn add_clear(&mut self, address: Address, bytes: usize, uses: &[Part]) -> Result<()> {
        let parameters = sys::CUDA_MEMSET_NODE_PARAMS { dst: address, pitch: 0, value: 0, elementSize: 1, width: bytes, height: 1 };
        let context = self.queue.gpu().context();
        self.add("cuGraphAddMemsetNode", uses, NodeKind::Other, |node, graph, after, count| {
            // SAFETY: the memory is the graph's, and that long.
            unsafe { sys::call!(cuGraphAddMemsetNode(node, graph, after, count, &parameters, context)) }
        })
        .map(drop)
    }

    /// Adds the node that `add` makes.
    fn add(
        &mut self,
        call: &'static str,
        uses: &[Part],
        kind: NodeKind,
        add: impl FnOnce(*mut sys::CUgraphNode, sys::CUgraph, *const sys::CUgraphNode, usize) -> sys::Status,
    ) -> Result<sys::CUgraphNode> {
        let operations = self.history.add(uses);
        let early = match operations {
            &[only] if kind == NodeKind::EarlyKernel && self.nodes[only].lets_start_early() => Some(only),
            _ => None,
        };
        let after: Vec<sys::CUgraphNode> = match early {
            Some(_) => Vec::new(),
            None => operations.iter().map(|&operation| self.nodes[operation].handle).collect(),
        };
        let handle = read(call, ptr::null_mut(), |node| add(node, self.graph.0, after.as_ptr(), after.len()))?;
        if let Some(previous) = early.map(|previous| &mut self.nodes[previous]) {
            previous.has_early_follower = true;
            // SAFETY: both are kernels of the graph, and the new one has no edge yet.
            check("cuGraphAddDependencies", unsafe { early_start::add_edge(self.graph.0, previous.handle, handle) })?;
        }
        self.nodes.push(Node { handle, kind, has_early_follower: false });
        Ok(handle)
    }

    /// Takes memory of that size that the code has dropped. Whoever uses it next follows those that used it before.
    pub(crate) fn reuse(&mut self, bytes: usize) -> Option<Address> {
        let parts = &mut self.memory.parts;
        let index = parts.iter().rposition(|part| part.end - part.start == bytes as u64)?;
        Some(parts.swap_remove(index).start)
    }

    /// Keeps memory for as long as the graph.
    pub(crate) fn keep(&mut self, bytes: Range<Address>) {
        self.memory.parts.push(bytes);
    }

    /// What a library needs as long as the graph lives, and `fits`.
    #[cfg(any(feature = "fft", test))]
    pub(crate) fn kept<T: Any + Send + Sync>(&self, fits: impl Fn(&T) -> bool) -> Option<Arc<T>> {
        let mut kept = self.libraries.kept.iter().filter_map(|kept| Arc::clone(kept).downcast::<T>().ok());
        kept.find(|kept| fits(kept))
    }

    /// Keeps what a library needs for as long as the graph.
    #[cfg(any(feature = "fft", test))]
    pub(crate) fn keep_for_library(&mut self, kept: Arc<dyn Any + Send + Sync>) {
        self.libraries.kept.push(kept);
    }

    /// Where the graph is launched.
    #[cfg(any(feature = "fft", test))]
    pub(crate) fn queue(&self) -> &'static Queue {
        self.queue
    }

    /// The graph, ready to launch.
    pub(crate) fn instantiate(self) -> Result<Executable> {
        let executable = self.new_executable()?;
        Ok(Executable { queue: self.queue, executable, memory: self.memory, libraries: self.libraries })
    }

    fn new_executable(&self) -> Result<sys::CUgraphExec> {
        self.queue.gpu().make_current()?;
        read("cuGraphInstantiate", ptr::null_mut(), |executable| {
            // SAFETY: the graph is whole, and its kernels are never unloaded.
            unsafe { sys::call!(cuGraphInstantiateWithFlags(executable, self.graph.0, 0)) }
        })
    }
}

impl Executable {
    /// Puts the work on the queue, in order with other work that uses the arguments.
    #[inline]
    pub(crate) fn launch(&self, uses: &[MemoryUse<'_>]) -> Result<()> {
        recording::refuse(Unrecordable::Graph)?;
        self.queue.gpu().make_current()?;
        self.queue.ordered(uses, || {
            #[cfg(feature = "cluster")]
            if !self.libraries.around.is_empty() {
                return self.launch_within(&self.libraries.around);
            }
            self.launch_alone()
        })
    }

    /// Puts the work on the queue, whose arguments are borrowed.
    #[inline]
    fn launch_alone(&self) -> Result<()> {
        self.queue.timed(
            "graph",
            || None,
            // SAFETY: neither is destroyed. The arguments are those that were recorded, which the caller of `launch` has borrowed.
            || check("cuGraphLaunch", unsafe { sys::call!(cuGraphLaunch(self.executable, self.queue.stream)) }),
        )
    }

    /// Makes it the graph of `builder`, for later launches.
    pub(crate) fn update(&mut self, builder: Builder) -> Result<()> {
        self.queue.gpu().make_current()?;
        // The driver writes the reason there, which may be one that cudarc does not know: it is not read.
        let mut outcome = MaybeUninit::uninit();
        // SAFETY: neither is destroyed. Launches that are on the stream keep what they were launched with.
        match unsafe { sys::call!(cuGraphExecUpdate_v2(self.executable, builder.graph.0, outcome.as_mut_ptr())) } {
            status if status == sys::CUresult::CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE => {
                let executable = builder.new_executable()?;
                self.destroy();
                self.executable = executable;
            }
            status => check("cuGraphExecUpdate", status)?,
        }
        // Those of the old graph are freed after the launches that use them.
        self.memory = builder.memory;
        self.libraries = builder.libraries;
        Ok(())
    }

    fn destroy(&self) {
        if self.queue.gpu().make_current().is_ok() {
            // SAFETY: nobody uses the handle any more. The driver keeps it until its launches are done.
            let _ = unsafe { sys::call!(cuGraphExecDestroy(self.executable)) };
        }
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        self.destroy();
    }
}
