//! Recording: the work that the code of a graph asks of its device is recorded, and not done.
//!
//! A recording belongs to the thread that runs the code. While it is active, the queue of every device and stream of this thread comes here:
//!
//! * A **launch** becomes a node of the graph, on a GPU. The nodes that it must follow are those which use the same memory
//!   ([`cuda::graph`](super::cuda::graph)); neither streams nor the order of the calls matter. On the CPU it does nothing: a replay runs the code
//!   again.
//! * An **allocation** is memory that the code has created. When the code drops it, the graph owns it, and the next allocation of the same
//!   size takes it. Memory that the code keeps is an error, because each replay overwrites it.
//! * **Other memory** must be an argument of the graph. So every replay has borrowed all that it uses, however the code came by it.
//! * **Another thread** that the code starts is refused the arguments that may be written.
//! * What **waits** for the device, or copies from or to the host, is an error: a replay does none of it.

#[cfg(any(feature = "fft", test))]
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::cuda::{self, graph::Builder};
use super::{Access, Kind, MemoryUse, Queue, host};
use crate::{Error, Result, observe};

thread_local! {
    /// Whether this thread records. Every launch asks.
    static ACTIVE: Cell<bool> = const { Cell::new(false) };
    static RECORDING: RefCell<Option<Recording>> = const { RefCell::new(None) };
}

/// Bytes, by addresses, and what is done with them.
pub(crate) type Part = (Range<u64>, Access);

/// What is known of the code that runs.
struct Recording {
    /// Which of all recordings it is.
    number: NonZeroU64,
    queue: Queue,
    work: Work,
    /// The memory of the arguments.
    arguments: Vec<Part>,
    /// The memory that the code has created and not dropped.
    created: Vec<Created>,
    /// What the operations use that are being submitted, as far as other operations can change it: one, and those that it calls.
    operations: Vec<Vec<Part>>,
}

/// What becomes of launches.
enum Work {
    /// They become nodes.
    Nodes(Builder),
    /// Nothing: the CPU only checks.
    Nothing,
    /// The CPU runs them.
    Runs,
}

struct Created {
    bytes: Range<u64>,
    /// Whether it was filled. Until then, every operation counts as one that fills it.
    is_settled: bool,
}

/// The work of a graph, to be replayed.
pub(crate) enum Recorded {
    /// The CPU runs the code again.
    Cpu,
    Gpu(cuda::graph::Executable),
}

/// What cannot be recorded, and what to do instead.
#[derive(Clone, Copy)]
pub(crate) enum Unrecordable {
    CopyFromHost,
    HostResult,
    Wait,
    Event,
    Graph,
    OtherLibrary,
    OtherThread,
    #[cfg(feature = "linalg")]
    Decomposition,
    Transfer,
    Replacement,
}

impl Unrecordable {
    pub(crate) fn error(self) -> Error {
        let (operation, help) = match self {
            Self::CopyFromHost => ("a copy from the host", "copy before, and pass the array to the graph"),
            Self::HostResult => ("a result on the host", "store it in an array of the graph's arguments, and read that after `launch`"),
            Self::Wait => ("a wait for the device", "wait after `launch`"),
            Self::Event => ("an event", "record events before and after `launch`; inside a graph, order follows the data"),
            #[cfg(feature = "linalg")]
            Self::Decomposition => ("a decomposition of a matrix", "call it between launches"),
            Self::Transfer => ("a copy to another device", "copy before or after `launch`"),
            Self::Replacement => ("an array in place of an argument", "copy the elements, such as `x.copy_from(&y)`"),
            Self::OtherLibrary => ("work of another library", "do it between launches of the graph"),
            Self::OtherThread => ("work of another thread", "do it in the thread that runs the code of the graph"),
            Self::Graph => ("another graph", "launch one after the other"),
        };
        Error::NotRecordable { operation, help }
    }
}

/// Whether the calling thread records.
#[inline]
pub(crate) fn is_active() -> bool {
    ACTIVE.get()
}

/// Refuses an operation if the calling thread records.
#[inline]
pub(crate) fn refuse(operation: Unrecordable) -> Result<()> {
    if is_active() { Err(operation.error()) } else { Ok(()) }
}

/// The memory that recordings have borrowed exclusively, of all threads, and how many ranges that is.
static BORROWED: Mutex<Vec<Range<u64>>> = Mutex::new(Vec::new());
static BORROWED_COUNT: AtomicUsize = AtomicUsize::new(0);

/// While it lives, only the calling thread can use these arguments: another one that the code has started would do its work now, and in no
/// launch of the graph.
struct Borrowed(Vec<Range<u64>>);

impl Borrowed {
    fn new(arguments: &[Part]) -> Self {
        let bytes: Vec<_> = arguments.iter().filter(|(_, access)| *access == Access::Write).map(|(bytes, _)| bytes.clone()).collect();
        let mut borrowed = BORROWED.lock().unwrap_or_else(PoisonError::into_inner);
        borrowed.extend_from_slice(&bytes);
        BORROWED_COUNT.store(borrowed.len(), Ordering::Relaxed);
        Self(bytes)
    }
}

impl Drop for Borrowed {
    fn drop(&mut self) {
        let mut borrowed = BORROWED.lock().unwrap_or_else(PoisonError::into_inner);
        for bytes in &self.0 {
            let at = borrowed.iter().position(|other| other == bytes).expect("it was added");
            borrowed.swap_remove(at);
        }
        BORROWED_COUNT.store(borrowed.len(), Ordering::Relaxed);
    }
}

/// Refuses work of a thread that records nothing with memory that the recording of another one has borrowed.
#[inline]
pub(super) fn refuse_borrowed(uses: &[MemoryUse<'_>]) -> Result<()> {
    if BORROWED_COUNT.load(Ordering::Relaxed) == 0 || is_active() {
        return Ok(());
    }
    let borrowed = BORROWED.lock().unwrap_or_else(PoisonError::into_inner);
    let is_borrowed = |used: &MemoryUse<'_>| borrowed.iter().any(|bytes| bytes.start < used.bytes.end && used.bytes.start < bytes.end);
    if uses.iter().any(is_borrowed) { Err(Unrecordable::OtherThread.error()) } else { Ok(()) }
}

/// Calls `work` with the recording of this thread, which is active. `work` must not come here again.
fn with<R>(work: impl FnOnce(&mut Recording) -> R) -> R {
    RECORDING.with_borrow_mut(|recording| work(recording.as_mut().expect("a recording is active")))
}

/// Ends the recording of this thread when dropped.
struct Active;

impl Active {
    fn new(recording: Recording) -> Result<Self> {
        refuse(Unrecordable::Graph)?;
        RECORDING.set(Some(recording));
        ACTIVE.set(true);
        Ok(Self)
    }

    /// The recording, if the code has dropped everything that it created.
    fn finish(self) -> Result<Recording> {
        ACTIVE.set(false);
        let recording = RECORDING.take().expect("a recording is active");
        match recording.created.len() {
            0 => Ok(recording),
            arrays => Err(Error::KeptByGraph { arrays }),
        }
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        ACTIVE.set(false);
        drop(RECORDING.take());
    }
}

impl Queue {
    /// Calls `code`, and records the work that it asks of this device, with this memory as arguments.
    pub(crate) fn record_work(&self, arguments: Vec<Part>, code: impl FnOnce() -> Result<()>) -> Result<Recorded> {
        let work = match &self.0 {
            Kind::Cpu(_) => Work::Nothing,
            Kind::Gpu(queue, _) => Work::Nodes(Builder::new(queue)?),
        };
        let recording = self.run_recorded(work, arguments, code)?;
        match recording.work {
            Work::Nodes(builder) => builder.instantiate().map(Recorded::Gpu),
            Work::Nothing | Work::Runs => Ok(Recorded::Cpu),
        }
    }

    /// Records again, for other arguments.
    pub(crate) fn record_again(&self, recorded: &mut Recorded, arguments: Vec<Part>, code: impl FnOnce() -> Result<()>) -> Result<()> {
        let (Recorded::Gpu(executable), Kind::Gpu(queue, _)) = (&mut *recorded, &self.0) else {
            *recorded = self.record_work(arguments, code)?;
            return Ok(());
        };
        let recording = self.run_recorded(Work::Nodes(Builder::new(queue)?), arguments, code)?;
        let Work::Nodes(builder) = recording.work else { unreachable!("nodes were recorded") };
        executable.update(builder)
    }

    /// Does the work of a graph on the CPU: calls `code`, which may do what could be recorded.
    pub(crate) fn run_again(&self, arguments: Vec<Part>, code: impl FnOnce() -> Result<()>) -> Result<()> {
        self.run_recorded(Work::Runs, arguments, code).map(drop)
    }

    fn run_recorded(&self, work: Work, arguments: Vec<Part>, code: impl FnOnce() -> Result<()>) -> Result<Recording> {
        // What runs on the CPU may be done by any thread, at each launch.
        let _borrowed = (!matches!(work, Work::Runs)).then(|| Borrowed::new(&arguments));
        static RECORDINGS: AtomicU64 = AtomicU64::new(1);
        let number = NonZeroU64::new(RECORDINGS.fetch_add(1, Ordering::Relaxed)).expect("a program has fewer recordings than 2^64");
        let recording = Recording { number, queue: self.clone(), work, arguments, created: Vec::new(), operations: Vec::new() };
        let active = Active::new(recording)?;
        code()?;
        active.finish()
    }
}

impl Recording {
    /// Refuses memory that is neither of an argument nor was created by the code, and returns what other operations can change.
    fn check(&mut self, uses: &[MemoryUse<'_>]) -> Result<Vec<Part>> {
        let mut parts = Vec::with_capacity(uses.len());
        for MemoryUse { bytes, access, .. } in uses.iter().filter(|used| !used.bytes.is_empty()) {
            let mut argument = self.arguments.iter().filter(|(other, _)| contains(other, bytes));
            if let Some(created) = self.created.iter_mut().find(|created| contains(&created.bytes, bytes)) {
                created.is_settled = true;
            } else if argument.clone().any(|(_, allowed)| *allowed == Access::Write) {
                // Other operations may write it.
            } else if *access == Access::Read && argument.next().is_some() {
                continue;
            } else {
                return Err(Error::NotGivenToGraph {
                    device: self.queue.to_string(),
                    writes: *access == Access::Write,
                    location: observe::line(),
                });
            }
            parts.push((bytes.clone(), *access));
        }
        Ok(parts)
    }

    /// Everything that an operation uses which is added now.
    fn uses_of_operation(&self) -> Vec<Part> {
        let unsettled = self.created.iter().filter(|created| !created.is_settled).map(|created| (created.bytes.clone(), Access::Write));
        self.operations.iter().flatten().cloned().chain(unsettled).collect()
    }

    fn is_of(&self, gpu: &cuda::Gpu) -> bool {
        matches!(&self.queue.0, Kind::Gpu(queue, _) if std::ptr::eq(queue.gpu(), gpu))
    }

    fn builder(&mut self) -> &mut Builder {
        match &mut self.work {
            Work::Nodes(builder) => builder,
            Work::Nothing | Work::Runs => unreachable!("the CPU has no nodes"),
        }
    }
}

fn contains(outer: &Range<u64>, inner: &Range<u64>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// Recording on the CPU.
impl Queue {
    /// Checks an operation of this queue, which is `own`, and does it if the code runs: on behalf of the graph's queue.
    // Compiled once, not for each operation.
    pub(super) fn ordered_by_recording(
        &self,
        own: &host::Queue,
        uses: &[MemoryUse<'_>],
        submit: Box<dyn FnOnce() -> Result<()> + '_>,
    ) -> Result<()> {
        let Some(graph) = self.check_operation(uses)? else { return Ok(()) };
        let result = suspended(|| own.on_behalf_of(&graph, submit));
        uses.iter().filter(|used| used.access == Access::Write).for_each(|used| used.usage.set_host_writer(graph.id()));
        result
    }

    /// Checks an operation of this queue. The queue of the graph, if the code runs.
    fn check_operation(&self, uses: &[MemoryUse<'_>]) -> Result<Option<Arc<host::Queue>>> {
        with(|recording| {
            let Kind::Cpu(graph) = &recording.queue.0 else {
                return Err(Error::GraphOfOtherDevice { graph: recording.queue.to_string(), other: self.to_string() });
            };
            let graph = Arc::clone(graph);
            recording.check(uses).map(|_| matches!(recording.work, Work::Runs).then_some(graph))
        })
    }

    /// Notes memory of the CPU that was allocated.
    pub(super) fn note_created(&self, bytes: Range<u64>) {
        with(|recording| {
            if recording.queue.is_on_device_of(self) && !bytes.is_empty() {
                recording.created.push(Created { bytes, is_settled: false });
            }
        });
    }

    /// Notes memory of the CPU that is freed.
    pub(super) fn note_dropped(&self, address: u64) {
        with(|recording| {
            if recording.queue.is_on_device_of(self) {
                recording.created.retain(|created| created.bytes.start != address);
            }
        });
    }
}

/// Calls `work`, which does an operation of the code, outside of the recording: it may wait for other threads, and do their work meanwhile.
pub(super) fn suspended<R>(work: impl FnOnce() -> R) -> R {
    struct Suspended(Option<Recording>);

    impl Drop for Suspended {
        fn drop(&mut self) {
            RECORDING.set(self.0.take());
            ACTIVE.set(true);
        }
    }

    let _suspended = Suspended(RECORDING.take());
    ACTIVE.set(false);
    work()
}

/// Notes that memory which the code has created is filled.
pub(super) fn settle(address: u64) {
    with(|recording| {
        let settled = recording.created.iter_mut().filter(|created| created.bytes.start == address);
        settled.for_each(|created| created.is_settled = true);
    });
}

/// Recording on a GPU, for its queues.
pub(crate) mod gpu {
    use super::*;
    use crate::backend::cuda::Gpu;

    /// Begins an operation on a queue of `gpu` that uses memory in these ways.
    pub(in crate::backend) fn begin_operation(gpu: &Gpu, uses: &[MemoryUse<'_>]) -> Result<()> {
        with(|recording| {
            if !recording.is_of(gpu) {
                return Err(Error::GraphOfOtherDevice { graph: recording.queue.to_string(), other: gpu.name().to_owned() });
            }
            let parts = recording.check(uses)?;
            recording.operations.push(parts);
            Ok(())
        })
    }

    /// Ends it, also after an error.
    pub(in crate::backend) fn end_operation() {
        with(|recording| recording.operations.pop());
    }

    /// The queue of the graph, if the thread records for this GPU.
    pub(in crate::backend) fn queue(gpu: &Gpu) -> Option<&'static cuda::Queue> {
        with(|recording| match &recording.queue.0 {
            Kind::Gpu(queue, _) if recording.is_of(gpu) => Some(*queue),
            _ => None,
        })
    }

    /// Calls `add`, which adds an operation that uses memory in these ways.
    pub(in crate::backend) fn add(add: impl FnOnce(&mut Builder, &[Part]) -> Result<()>) -> Result<()> {
        with(|recording| {
            let uses = recording.uses_of_operation();
            add(recording.builder(), &uses)
        })
    }

    /// The same for calls of a library, which have `own` in common, if they do.
    #[cfg(any(feature = "blas", feature = "cluster", feature = "fft"))]
    pub(in crate::backend) fn add_capture(own: Option<u64>, add: impl FnOnce(&mut Builder, &[Part]) -> Result<()>) -> Result<()> {
        with(|recording| {
            let mut uses = recording.uses_of_operation();
            uses.extend(own.map(|own| (own..own + 1, Access::Write)));
            add(recording.builder(), &uses)
        })
    }

    /// What a library needs as long as the graph lives: that which an earlier call of the graph has needed and `fits`, or what `make` makes
    /// for the queue of the graph. Calls that share it must be in order.
    #[cfg(any(feature = "fft", test))]
    pub(crate) fn kept<T: Any + Send + Sync>(
        fits: impl Fn(&T) -> bool,
        make: impl FnOnce(&'static cuda::Queue) -> Result<T>,
    ) -> Result<Arc<T>> {
        if let Some(known) = with(|recording| recording.builder().kept(fits)) {
            return Ok(known);
        }
        let queue = with(|recording| recording.builder().queue());
        let new = Arc::new(make(queue)?);
        with(|recording| recording.builder().keep_for_library(Arc::clone(&new) as Arc<dyn Any + Send + Sync>));
        Ok(new)
    }

    /// Calls what `around` gives at every launch of the graph, once for each `key`. Returns the number of the graph for that key.
    #[cfg(feature = "cluster")]
    pub(crate) fn call_around_launch(key: u64, around: impl FnOnce() -> cuda::graph::AroundLaunch) -> u64 {
        with(|recording| recording.builder().call_around_launch(key, around))
    }

    /// Memory that an earlier operation of the graph no longer needs.
    pub(in crate::backend) fn reuse(bytes: usize) -> Option<u64> {
        with(|recording| recording.builder().reuse(bytes))
    }

    /// Notes memory that was allocated. The operation that allocates it uses it, also after it was filled for the first time.
    pub(in crate::backend) fn note_created(bytes: Range<u64>) {
        with(|recording| {
            recording.operations.iter_mut().for_each(|uses| uses.push((bytes.clone(), Access::Write)));
            recording.created.push(Created { bytes, is_settled: false });
        });
    }

    /// The number of this thread's recording.
    pub(in crate::backend) fn number() -> NonZeroU64 {
        with(|recording| recording.number)
    }

    /// Takes memory that the code of this recording has created and now drops: whether it is of this GPU.
    pub(in crate::backend) fn take(gpu: &Gpu, address: u64) -> bool {
        with(|recording| {
            if !recording.is_of(gpu) {
                return false;
            }
            let Some(index) = recording.created.iter().position(|created| created.bytes.start == address) else { return false };
            let created = recording.created.remove(index);
            recording.builder().keep(created.bytes);
            true
        })
    }
}
