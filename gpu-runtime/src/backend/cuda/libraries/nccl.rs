//! NCCL: elements between GPUs, of one or more hosts.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use cudarc::nccl::sys::{self as header, ncclComm, ncclDataType_t, ncclRedOp_t};

use super::{Loaded, Requirement, check, error, load};
use crate::backend::cuda::Queue;
use crate::backend::cuda::sys::CUstream;
use crate::backend::recording;
use crate::compile::search::LibraryName;
use crate::compile::symbols::{Status, call, functions};
use crate::{Error, Result};

static NCCL: Requirement = Requirement {
    name: LibraryName {
        title: "NCCL",
        stem: "nccl",
        python_package: "nccl",
        variable: "GPU_RUNTIME_NCCL",
        oldest_major: 2,
        loader_names: &["libnccl.so.2", "libnccl.so"],
    },
    beside: &[],
    help: "`pip install nvidia-nccl-cu13` (CUDA 13) or `nvidia-nccl-cu12`, or install the package `libnccl2`",
};

functions! {
    /// The functions of NCCL that this crate calls.
    Functions {
        ncclGetUniqueId
        ncclCommInitRank
        ncclCommDestroy
        ncclCommAbort
        ncclCommGetAsyncError
        ncclGroupStart
        ncclGroupEnd
        ncclAllReduce
        ncclReduce
        ncclReduceScatter
        ncclBroadcast
        ncclAllGather
        ncclSend
        ncclRecv
    }
}

/// What writes a status that may be one that cudarc does not know.
type GetAsyncError = unsafe fn(header::ncclComm_t, *mut Status) -> header::ncclResult_t;

static FUNCTIONS: LazyLock<Loaded<Functions>> = LazyLock::new(|| load(&NCCL, Functions::of));

/// Elements that are only moved are bytes.
const BYTE: ncclDataType_t = ncclDataType_t::ncclUint8;

/// A rank of a communicator.
pub(crate) struct Communicator {
    functions: &'static Functions,
    /// Null once it was aborted.
    handle: AtomicPtr<ncclComm>,
}

/// What ranks do together, each with addresses of its own GPU. Counts are those of one rank's part.
#[derive(Debug, Clone)]
pub(crate) enum Collective {
    AllReduce { array: usize, count: usize, element: ncclDataType_t, operation: ncclRedOp_t },
    Reduce { array: usize, count: usize, element: ncclDataType_t, operation: ncclRedOp_t, root: usize },
    ReduceScatter { source: usize, target: usize, count: usize, element: ncclDataType_t, operation: ncclRedOp_t },
    Broadcast { array: usize, bytes: usize, root: usize },
    AllGather { source: usize, target: usize, bytes: usize },
    Transfers { sends: Vec<Transfer>, receives: Vec<Transfer> },
}

/// Bytes for or from another rank.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Transfer {
    pub(crate) rank: usize,
    pub(crate) address: usize,
    pub(crate) bytes: usize,
}

/// Fails where NCCL is not installed.
pub(crate) fn require() -> Result<()> {
    FUNCTIONS.as_ref().map(drop).map_err(Error::from)
}

/// What one rank gives to the others, before all of them [begin](Communicator::begin).
pub(crate) fn unique_id() -> Result<[u8; 128]> {
    let functions = FUNCTIONS.as_ref().map_err(Error::from)?;
    let mut id = header::ncclUniqueId { internal: [0; 128] };
    // SAFETY: the call writes one identifier.
    check(&NCCL, "ncclGetUniqueId", unsafe { call!(functions, header::ncclGetUniqueId(&mut id)) }, status_name)?;
    Ok(id.internal.map(|byte| byte as u8))
}

impl Communicator {
    /// Becomes a rank, with the GPU of `queue`; `None` if the others do not come within the time.
    pub(crate) fn begin(queue: &'static Queue, id: [u8; 128], rank: usize, size: usize, timeout: Duration) -> Result<Option<Self>> {
        let functions = FUNCTIONS.as_ref().map_err(Error::from)?;
        let id = header::ncclUniqueId { internal: id.map(|byte| byte as c_char) };
        let (sender, receiver) = mpsc::channel();
        let begin = move || {
            let begun = queue.gpu().make_current().and_then(|()| {
                let mut handle = ptr::null_mut();
                // SAFETY: a context is current, and the call writes one handle.
                let status = unsafe { call!(functions, header::ncclCommInitRank(&mut handle, size as c_int, id, rank as c_int)) };
                check(&NCCL, "ncclCommInitRank", status, status_name)?;
                Ok(Self { functions, handle: AtomicPtr::new(handle) })
            });
            let _ = sender.send(begun);
        };
        // NCCL waits for the others without a limit. If they never come, neither does this thread.
        thread::Builder::new()
            .name("NCCL".to_owned())
            .spawn(begin)
            .map_err(|_| library_error("ncclCommInitRank", header::ncclResult_t::ncclSystemError))?;
        receiver.recv_timeout(timeout).map_or(Ok(None), |begun| begun.map(Some))
    }

    /// Puts a collective on the queue, or adds it to the graph that this thread records.
    ///
    /// # Safety
    ///
    /// The addresses must be memory of the queue's GPU, which is that of this rank, for as many elements, ordered as for any work on the queue,
    /// whenever the graph is launched.
    pub(crate) unsafe fn run(&self, queue: &Queue, collective: &Collective) -> Result<()> {
        if recording::is_active() {
            // SAFETY: the caller guarantees the same.
            return queue.capture(Some(self.key()), |stream| unsafe { self.put(stream, collective) });
        }
        queue.gpu().make_current()?;
        // SAFETY: the caller guarantees the same.
        unsafe { self.put(queue.stream, collective) }
    }

    /// A number that no other communicator has, nor any memory of a GPU.
    pub(crate) fn key(&self) -> u64 {
        ptr::from_ref(self).addr() as u64
    }

    /// Puts a collective on a stream, whose context is current.
    ///
    /// # Safety
    ///
    /// As for [`run`](Self::run).
    unsafe fn put(&self, stream: CUstream, collective: &Collective) -> Result<()> {
        let stream = stream.cast();
        let handle = self.handle.load(Ordering::Acquire);
        if handle.is_null() {
            return Err(library_error("a call after ncclCommAbort", header::ncclResult_t::ncclInvalidUsage));
        }
        let functions = self.functions;
        let memory = |address: usize| ptr::without_provenance_mut::<c_void>(address);
        // SAFETY: the caller guarantees the memory; the handle is that of a communicator which is not destroyed as long as this is borrowed.
        let (call, status) = unsafe {
            match collective {
                Collective::AllReduce { array, count, element, operation } => {
                    let array = memory(*array);
                    ("ncclAllReduce", call!(functions, header::ncclAllReduce(array, array, *count, *element, *operation, handle, stream)))
                }
                Collective::Reduce { array, count, element, operation, root } => {
                    let (array, root) = (memory(*array), *root as c_int);
                    ("ncclReduce", call!(functions, header::ncclReduce(array, array, *count, *element, *operation, root, handle, stream)))
                }
                Collective::ReduceScatter { source, target, count, element, operation } => {
                    let (source, target) = (memory(*source), memory(*target));
                    (
                        "ncclReduceScatter",
                        call!(functions, header::ncclReduceScatter(source, target, *count, *element, *operation, handle, stream)),
                    )
                }
                Collective::Broadcast { array, bytes, root } => {
                    let array = memory(*array);
                    ("ncclBroadcast", call!(functions, header::ncclBroadcast(array, array, *bytes, BYTE, *root as c_int, handle, stream)))
                }
                Collective::AllGather { source, target, bytes } => (
                    "ncclAllGather",
                    call!(functions, header::ncclAllGather(memory(*source), memory(*target), *bytes, BYTE, handle, stream)),
                ),
                Collective::Transfers { sends, receives } => {
                    check(&NCCL, "ncclGroupStart", call!(functions, header::ncclGroupStart()), status_name)?;
                    let send = |send: &Transfer| {
                        call!(functions, header::ncclSend(memory(send.address), send.bytes, BYTE, send.rank as c_int, handle, stream))
                    };
                    let receive = |receive: &Transfer| {
                        call!(
                            functions,
                            header::ncclRecv(memory(receive.address), receive.bytes, BYTE, receive.rank as c_int, handle, stream)
                        )
                    };
                    let failed = sends.iter().map(send).chain(receives.iter().map(receive)).find(|status| *status != Status::SUCCESS);
                    let ended = call!(functions, header::ncclGroupEnd());
                    ("ncclGroupEnd", failed.unwrap_or(ended))
                }
            }
        };
        check(&NCCL, call, status, status_name)
    }

    /// Fails if something went wrong since a collective was put on a queue.
    pub(crate) fn poll(&self) -> Result<()> {
        let (handle, mut status) = (self.handle.load(Ordering::Acquire), Status::SUCCESS);
        if handle.is_null() {
            return Ok(());
        }
        // SAFETY: the handle is that of a communicator, and the call writes one number.
        let polled = unsafe { call!(self.functions, (ncclCommGetAsyncError: GetAsyncError)(handle, &mut status)) };
        check(&NCCL, "ncclCommGetAsyncError", polled, status_name)?;
        check(&NCCL, "a collective", status, status_name)
    }

    /// Ends all collectives that wait for other ranks, whose results are undefined then.
    pub(crate) fn abort(&self) {
        let handle = self.handle.swap(ptr::null_mut(), Ordering::AcqRel);
        if !handle.is_null() {
            // SAFETY: nobody gets this handle any more. NCCL lets another thread abort a call that runs.
            let _ = unsafe { call!(self.functions, header::ncclCommAbort(handle)) };
        }
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        let handle = *self.handle.get_mut();
        if !handle.is_null() {
            // SAFETY: nobody has this handle any more.
            let _ = unsafe { call!(self.functions, header::ncclCommDestroy(handle)) };
        }
    }
}

fn library_error(call: &'static str, status: header::ncclResult_t) -> Error {
    error(&NCCL, call, Status(status as u32), status_name)
}

/// The name of a `ncclResult_t`.
fn status_name(status: Status) -> &'static str {
    match status.0 {
        1 => "ncclUnhandledCudaError",
        2 => "ncclSystemError",
        3 => "ncclInternalError",
        4 => "ncclInvalidArgument",
        5 => "ncclInvalidUsage",
        6 => "ncclRemoteError",
        7 => "ncclInProgress",
        _ => "unknown status",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_library_says_what_to_install() {
        let Err(error) = require() else { return eprintln!("skipped: NCCL is installed") };
        let message = error.to_string();
        assert!(message.contains("NCCL was not found") && message.contains("pip install nvidia-nccl-cu1"), "{message}");
        assert!(message.contains("GPU_RUNTIME_NCCL"), "{message}");
    }
}
