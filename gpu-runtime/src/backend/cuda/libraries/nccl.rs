//! NCCL: elements between GPUs, of one or more hosts.
//!
//! `ncclCommAbort` ends what waits for other ranks, also a call of another thread, and frees the communicator. NCCL leaves it to the program
//! that no thread uses the communicator when it is freed. So each call holds a lock as a reader while it has the handle, and the handle
//! cannot be had otherwise. [`abort`](Communicator::abort) tells NCCL in a group: what waits ends at once, and the communicator is freed at the
//! end of the group. Before that, it becomes the lock's writer, which waits until all calls have returned.

use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, PoisonError, RwLock, RwLockReadGuard, mpsc};
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
        ncclGetVersion
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

/// From this version on, a communicator that is aborted in a group is freed at the end of the group: 2.22.
const FREES_AT_END_OF_GROUP: c_int = 2_22_00;

/// A rank of a communicator.
pub(crate) struct Communicator {
    functions: &'static Functions,
    /// Calls have it as readers, for as long as they take. It is freed by a writer.
    handle: RwLock<Handle>,
    /// Whether no call begins any more.
    is_aborted: AtomicBool,
}

/// A communicator of NCCL's, or null once it was freed.
struct Handle(*mut ncclComm);

// SAFETY: NCCL's communicators belong to no thread.
unsafe impl Send for Handle {}
// SAFETY: what a reader does with it is said where it is done.
unsafe impl Sync for Handle {}

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
                Ok(Self::of(functions, handle))
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

    fn of(functions: &'static Functions, handle: *mut ncclComm) -> Self {
        Self { functions, handle: RwLock::new(Handle(handle)), is_aborted: AtomicBool::new(false) }
    }

    /// The handle for a call, which is not freed before that is dropped; `None` once it was aborted.
    fn in_use(&self) -> Option<RwLockReadGuard<'_, Handle>> {
        // Nobody but `abort` is a writer, and whoever waited for it could be what it waits for.
        let handle = self.handle.try_read().ok()?;
        (!self.is_aborted.load(Ordering::Acquire)).then_some(handle)
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
        let Some(in_use) = self.in_use() else {
            return Err(library_error("a call after ncclCommAbort", header::ncclResult_t::ncclInvalidUsage));
        };
        let handle = in_use.0;
        let functions = self.functions;
        let memory = |address: usize| ptr::without_provenance_mut::<c_void>(address);
        // SAFETY: the caller guarantees the memory; the handle is that of a communicator which is not freed as long as it is in use.
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
        let Some(in_use) = self.in_use() else { return Ok(()) };
        let mut status = Status::SUCCESS;
        // SAFETY: the handle is that of a communicator, which is not freed as long as it is in use, and the call writes one number.
        let polled = unsafe { call!(self.functions, (ncclCommGetAsyncError: GetAsyncError)(in_use.0, &mut status)) };
        drop(in_use);
        check(&NCCL, "ncclCommGetAsyncError", polled, status_name)?;
        check(&NCCL, "a collective", status, status_name)
    }

    /// Ends all collectives that wait for other ranks, whose results are undefined then, and closes the communicator when no call uses it.
    ///
    /// NCCL before version 2.22 frees a communicator at once: there, a call that waits for other ranks is not ended but waited for.
    pub(crate) fn abort(&self) {
        if self.is_aborted.swap(true, Ordering::AcqRel) {
            return;
        }
        let functions = self.functions;
        if self.begins_group_of_abort() {
            let handle = self.handle.read().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: the handle is that of a communicator. NCCL only tells the calls of other threads to end, as this thread is in a group.
            let _ = unsafe { call!(functions, header::ncclCommAbort(handle.0)) };
            drop(handle);
            let mut unused = self.handle.write().unwrap_or_else(PoisonError::into_inner);
            unused.0 = ptr::null_mut();
            // SAFETY: it has begun. What it frees, no other thread uses any more.
            let _ = unsafe { call!(functions, header::ncclGroupEnd()) };
        } else {
            let mut unused = self.handle.write().unwrap_or_else(PoisonError::into_inner);
            // SAFETY: the handle is that of a communicator, which no other thread uses any more.
            let _ = unsafe { call!(functions, header::ncclCommAbort(unused.0)) };
            unused.0 = ptr::null_mut();
        }
    }

    /// Begins a group of this thread if NCCL frees what is aborted at the end of a group.
    fn begins_group_of_abort(&self) -> bool {
        let mut version = 0;
        // SAFETY: the call writes one number.
        let known = unsafe { call!(self.functions, header::ncclGetVersion(&mut version)) };
        // SAFETY: the caller ends the group.
        known == Status::SUCCESS
            && version >= FREES_AT_END_OF_GROUP
            && unsafe { call!(self.functions, header::ncclGroupStart()) } == Status::SUCCESS
    }
}

impl Drop for Communicator {
    fn drop(&mut self) {
        let Handle(handle) = *self.handle.get_mut().unwrap_or_else(PoisonError::into_inner);
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
    use std::cell::Cell;
    use std::hint;
    use std::time::Instant;

    use cudarc::nccl::sys::{cudaStream_t, ncclResult_t};

    use super::*;
    use crate::compile::symbols::Address;

    /// A communicator of a library for tests, whose collectives wait for the end, as they do if another rank does not come.
    #[derive(Default)]
    struct Fake {
        is_ended: AtomicBool,
        is_in_use: AtomicBool,
        is_freed: AtomicBool,
        is_freed_in_use: AtomicBool,
    }

    thread_local! {
        static GROUPS: Cell<u32> = const { Cell::new(0) };
        static ABORTED: Cell<*const Fake> = const { Cell::new(ptr::null()) };
    }

    /// The communicator, which tests do not free.
    fn fake(handle: *mut ncclComm) -> &'static Fake {
        // SAFETY: the handles of tests are addresses of communicators that live on.
        unsafe { &*handle.cast::<Fake>() }
    }

    fn free(fake: &Fake) {
        fake.is_freed_in_use.store(fake.is_in_use.load(Ordering::Acquire), Ordering::Release);
        fake.is_freed.store(true, Ordering::Release);
    }

    unsafe extern "C" fn version_2_22(version: *mut c_int) -> Status {
        // SAFETY: the caller has a number there.
        unsafe { *version = FREES_AT_END_OF_GROUP };
        Status::SUCCESS
    }

    unsafe extern "C" fn version_2_21(version: *mut c_int) -> Status {
        // SAFETY: the caller has a number there.
        unsafe { *version = FREES_AT_END_OF_GROUP - 1 };
        Status::SUCCESS
    }

    unsafe extern "C" fn group_start() -> Status {
        GROUPS.set(GROUPS.get() + 1);
        Status::SUCCESS
    }

    unsafe extern "C" fn group_end() -> Status {
        GROUPS.set(GROUPS.get() - 1);
        let aborted = ABORTED.take();
        if !aborted.is_null() {
            free(fake(aborted.cast_mut().cast()));
        }
        Status::SUCCESS
    }

    unsafe extern "C" fn abort(handle: *mut ncclComm) -> Status {
        let fake = fake(handle);
        fake.is_ended.store(true, Ordering::Release);
        match GROUPS.get() {
            0 => free(fake),
            _ => ABORTED.set(fake),
        }
        Status::SUCCESS
    }

    unsafe extern "C" fn destroy(handle: *mut ncclComm) -> Status {
        free(fake(handle));
        Status::SUCCESS
    }

    unsafe extern "C" fn async_error(_handle: *mut ncclComm, status: *mut Status) -> Status {
        // SAFETY: the caller has a number there.
        unsafe { *status = Status::SUCCESS };
        Status::SUCCESS
    }

    unsafe extern "C" fn all_gather(
        _: *const c_void,
        _: *mut c_void,
        bytes: usize,
        _: ncclDataType_t,
        handle: *mut ncclComm,
        _: cudaStream_t,
    ) -> Status {
        let fake = fake(handle);
        fake.is_in_use.store(true, Ordering::Release);
        // No bytes, no waiting for other ranks.
        while bytes > 0 && !fake.is_ended.load(Ordering::Acquire) {
            hint::spin_loop();
        }
        // What ends a call takes its time.
        thread::sleep(Duration::from_millis(20));
        fake.is_in_use.store(false, Ordering::Release);
        Status(u32::from(bytes > 0))
    }

    fn communicator(version: unsafe extern "C" fn(*mut c_int) -> Status) -> (Communicator, &'static Fake) {
        let functions = Functions {
            ncclGetVersion: Address::of::<unsafe fn(*mut c_int) -> ncclResult_t>(version),
            ncclGroupStart: Address::of::<unsafe fn() -> ncclResult_t>(group_start),
            ncclGroupEnd: Address::of::<unsafe fn() -> ncclResult_t>(group_end),
            ncclCommAbort: Address::of::<unsafe fn(*mut ncclComm) -> ncclResult_t>(abort),
            ncclCommDestroy: Address::of::<unsafe fn(*mut ncclComm) -> ncclResult_t>(destroy),
            ncclCommGetAsyncError: Address::of::<unsafe fn(*mut ncclComm, *mut Status) -> ncclResult_t>(async_error),
            ncclAllGather: Address::of::<
                unsafe fn(*const c_void, *mut c_void, usize, ncclDataType_t, *mut ncclComm, cudaStream_t) -> ncclResult_t,
            >(all_gather),
            ncclGetUniqueId: Address::NULL,
            ncclCommInitRank: Address::NULL,
            ncclAllReduce: Address::NULL,
            ncclReduce: Address::NULL,
            ncclReduceScatter: Address::NULL,
            ncclBroadcast: Address::NULL,
            ncclSend: Address::NULL,
            ncclRecv: Address::NULL,
        };
        let fake: &'static Fake = Box::leak(Box::default());
        (Communicator::of(Box::leak(Box::new(functions)), ptr::from_ref(fake).cast_mut().cast()), fake)
    }

    fn gather(communicator: &Communicator, bytes: usize) -> Result<()> {
        // SAFETY: the library for tests uses no memory.
        unsafe { communicator.put(ptr::null_mut(), &Collective::AllGather { source: 0, target: 0, bytes }) }
    }

    fn wait_for(flag: &AtomicBool) {
        let start = Instant::now();
        while !flag.load(Ordering::Acquire) {
            assert!(start.elapsed() < Duration::from_secs(60), "it does not come");
            thread::yield_now();
        }
    }

    #[test]
    fn an_abort_ends_a_call_that_waits_and_frees_when_it_has_returned() {
        let (communicator, fake) = communicator(version_2_22);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| gather(&communicator, 1));
            wait_for(&fake.is_in_use);
            thread::scope(|scope| (0..2).for_each(|_| drop(scope.spawn(|| communicator.abort()))));
            assert!(waiting.join().expect("calls do not panic").is_err());
        });
        assert!(fake.is_freed.load(Ordering::Acquire) && !fake.is_freed_in_use.load(Ordering::Acquire));
        assert!(communicator.poll().is_ok() && gather(&communicator, 0).is_err_and(|error| error.to_string().contains("ncclCommAbort")));
    }

    #[test]
    fn an_abort_of_an_old_version_waits_for_calls() {
        let (communicator, fake) = communicator(version_2_21);
        thread::scope(|scope| {
            let call = scope.spawn(|| gather(&communicator, 0));
            wait_for(&fake.is_in_use);
            communicator.abort();
            assert!(fake.is_freed.load(Ordering::Acquire) && !fake.is_freed_in_use.load(Ordering::Acquire));
            assert!(call.join().expect("calls do not panic").is_ok());
        });
    }

    #[test]
    fn what_is_not_aborted_is_destroyed() {
        let (communicator, fake) = communicator(version_2_22);
        gather(&communicator, 0).expect("it waits for nobody");
        communicator.poll().expect("nothing went wrong");
        drop(communicator);
        assert!(fake.is_freed.load(Ordering::Acquire) && !fake.is_freed_in_use.load(Ordering::Acquire));
    }

    #[test]
    fn a_missing_library_says_what_to_install() {
        let Err(error) = require() else { return eprintln!("skipped: NCCL is installed") };
        let message = error.to_string();
        assert!(message.contains("NCCL was not found") && message.contains("pip install nvidia-nccl-cu1"), "{message}");
        assert!(message.contains("GPU_RUNTIME_NCCL"), "{message}");
    }
}
