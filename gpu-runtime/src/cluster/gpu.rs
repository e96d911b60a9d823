//! The calls between GPUs, by NCCL.
//!
//! A collective is put on the stream of its array like any other work. NCCL compares nothing, and one rank may write to the memory of another
//! by its own number of elements. So the ranks tell the hub what they call and wait for its answer, unless the program has said that it needs
//! no checks. A [`Watch`] ends what does not end by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::call::{Call, SharedControl, State, Transport};
use super::failure::{ClusterCause, ClusterError, ClusterFailure, MeetingId};
use super::reduce::{Operation, Reducible};
use super::watch::Watch;
use crate::backend::cuda::Queue;
use crate::backend::cuda::graph::AroundLaunch;
use crate::backend::cuda::libraries::nccl::{self, Collective, Transfer};
use crate::backend::{MemoryUse, recording};
use crate::device::Device;
use crate::memory::{DeviceSlice, DeviceSliceMut};
use crate::{Error, Result};

/// A rank of an NCCL communicator.
#[derive(Clone)]
pub(super) struct Nccl {
    communicator: Arc<nccl::Communicator>,
    watch: Arc<Watch>,
    /// Whether ranks tell each other what they call.
    is_checked: bool,
    /// How many graphs have calls of this communicator: all ranks record them at the same time.
    graphs: Arc<AtomicU64>,
}

/// What rank 0 gives to all ranks. Fails on every rank that has no NCCL.
pub(super) fn invitation(rank: usize) -> Result<Vec<u8>> {
    nccl::require()?;
    if rank == 0 { Ok(nccl::unique_id()?.to_vec()) } else { Ok(Vec::new()) }
}

impl Nccl {
    /// Becomes a rank, after rank 0 has invited all.
    pub(super) fn begin(
        device: &Device,
        invitation: &[u8],
        (rank, size): (usize, usize),
        timeout: Duration,
        is_checked: bool,
    ) -> Result<Self> {
        let wrong = || Error::from(ClusterError::Environment("rank 0 has invited with another version of NCCL".to_owned()));
        let id = invitation.try_into().map_err(|_| wrong())?;
        let on_gpu = |queue: &'static Queue| nccl::Communicator::begin(queue, id, rank, size, timeout);
        let begun = device.queue().dispatch(|| unreachable!("the device is a GPU"), on_gpu)?;
        let late = || {
            let message = format!("NCCL on rank {rank} did not connect to the other ranks within {}", super::failure::seconds(timeout));
            ClusterError::from(ClusterFailure { rank, call: 0, cause: ClusterCause::Transport, message })
        };
        let communicator = Arc::new(begun.ok_or_else(late)?);
        let watch = Arc::new(Watch::start(Arc::clone(&communicator), rank, timeout));
        Ok(Self { communicator, watch, is_checked, graphs: Arc::default() })
    }

    pub(super) fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Puts a collective on the stream of `device`.
    fn put(&self, id: MeetingId, description: &str, device: &Device, uses: &[MemoryUse<'_>], collective: &Collective) -> Result<()> {
        on_gpu(device, |queue| self.watched(queue, id, description, || self.run(queue, uses, collective)))
    }

    /// Adds a collective to the graph that this thread records.
    fn record(&self, device: &Device, uses: &[MemoryUse<'_>], collective: &Collective) -> Result<()> {
        on_gpu(device, |queue| self.run(queue, uses, collective))
    }

    /// Launches a graph with collectives, as one call of all ranks. They have compared the collectives when they recorded it.
    fn launch_graph(
        &self,
        control: &SharedControl,
        graph: u64,
        queue: &'static Queue,
        launch: &mut dyn FnMut() -> Result<()>,
    ) -> Result<()> {
        let call = [(control.lock().next_call(), format!("the launch of graph {graph}"))];
        if self.is_checked {
            control.agree(&call)?;
        }
        let [(id, description)] = call;
        self.watched(queue, id, &description, launch)
    }

    fn run(&self, queue: &'static Queue, uses: &[MemoryUse<'_>], collective: &Collective) -> Result<()> {
        // SAFETY: the callers below pass memory of these uses, on the GPU of this rank, as `check_device` has seen to. A graph has borrowed it.
        queue.ordered(uses, || unsafe { self.communicator.run(queue, collective) })
    }

    /// Calls `put`, which puts collectives on the queue, and watches them.
    fn watched(&self, queue: &'static Queue, id: MeetingId, description: &str, put: impl FnOnce() -> Result<()>) -> Result<()> {
        let watched = self.watch.begin(queue, id, description);
        watched.submitted(put().and_then(|()| queue.record_event()))
    }

    /// Waits until all collectives are over, by themselves or not, and closes the communicator without the other ranks.
    pub(super) fn abort(&self) {
        self.watch.wait();
        self.communicator.abort();
    }
}

fn on_gpu(device: &Device, work: impl FnOnce(&'static Queue) -> Result<()>) -> Result<()> {
    device.queue().dispatch(|| unreachable!("the device is a GPU"), work)
}

/// Tells the other ranks and puts a collective on the stream.
fn run(call: &mut Call<'_>, device: &Device, collective: &Collective) -> Result<()> {
    if recording::is_active() {
        call.description += &recorded_in(take_part_in_graph(call.state));
    }
    agree(call.state, &[(call.id, call.description.clone())])?;
    put(call.state, call.id, &call.description, device, call.uses, collective)
}

/// Makes each launch of the graph that this thread records one call of all ranks, also of those that have nothing to send in it. Returns
/// the graph's number.
pub(super) fn take_part_in_graph(state: &State) -> u64 {
    let (Transport::Nccl(nccl), Some(control)) = (&state.transport, &state.control) else { unreachable!("the ranks use NCCL") };
    recording::gpu::call_around_launch(nccl.communicator.key(), || {
        let (nccl, control, graph) = (nccl.clone(), control.clone(), nccl.graphs.fetch_add(1, Ordering::Relaxed) + 1);
        AroundLaunch { graph, call: Arc::new(move |queue, launch| nccl.launch_graph(&control, graph, queue, launch)) }
    })
}

/// Agrees with the other ranks on calls that NCCL makes, now or in the graph that this thread records. Unchecked communicators agree only while
/// they record.
pub(super) fn agree(state: &State, calls: &[(MeetingId, String)]) -> Result<()> {
    let (Transport::Nccl(nccl), Some(control)) = (&state.transport, &state.control) else { unreachable!("the ranks use NCCL") };
    // NCCL may connect to the other ranks when a collective is recorded, and would wait for them without a limit.
    if nccl.is_checked || recording::is_active() { control.agree(calls) } else { Ok(()) }
}

/// What a description ends with where a graph is recorded. The launch names the graph alone, so ranks must have recorded the same calls in
/// the same graph: else NCCL would pair a call of one rank with whatever another rank calls next.
pub(super) fn recorded_in(graph: u64) -> String {
    format!(", recorded in graph {graph}")
}

/// Puts a collective on the stream, or adds it to the graph that this thread records. NCCL is not called for no elements.
fn put(
    state: &mut State,
    id: MeetingId,
    description: &str,
    device: &Device,
    uses: &[MemoryUse<'_>],
    collective: &Collective,
) -> Result<()> {
    let Transport::Nccl(nccl) = &state.transport else { unreachable!("the ranks use NCCL") };
    if uses.iter().all(|used| used.bytes.is_empty()) {
        return Ok(());
    }
    let put = match recording::is_active() {
        true => nccl.record(device, uses, collective),
        false => nccl.put(id, description, device, uses, collective),
    };
    reported(state, id, description, put)
}

/// The outcome of a collective, after the other ranks were told of an error. NCCL fails where another rank has, so then the error is what all ranks get.
fn reported(state: &mut State, id: MeetingId, description: &str, put: Result<()>) -> Result<()> {
    match (put, &state.control) {
        (Err(error @ Error::Library { .. }), Some(control)) => {
            let failure = ClusterFailure::of_rank(state.rank, id, description, ClusterCause::Transport, &error);
            Err(ClusterError::from(control.lock().report(failure)).into())
        }
        (put, _) => state.local(id, description, put),
    }
}

pub(super) fn all_reduce<T: Reducible>(call: &mut Call<'_>, array: &DeviceSliceMut<'_, T>, operation: Operation) -> Result<()> {
    let collective =
        Collective::AllReduce { array: array.pointer().addr(), count: array.len(), element: T::NCCL_TYPE, operation: operation.of_nccl() };
    run(call, array.device(), &collective)
}

pub(super) fn reduce<T: Reducible>(call: &mut Call<'_>, array: &DeviceSliceMut<'_, T>, operation: Operation, root: usize) -> Result<()> {
    let collective = Collective::Reduce {
        array: array.pointer().addr(),
        count: array.len(),
        element: T::NCCL_TYPE,
        operation: operation.of_nccl(),
        root,
    };
    run(call, array.device(), &collective)
}

pub(super) fn reduce_scatter<T: Reducible>(
    call: &mut Call<'_>,
    array: DeviceSlice<'_, T>,
    part: &DeviceSliceMut<'_, T>,
    operation: Operation,
) -> Result<()> {
    let collective = Collective::ReduceScatter {
        source: array.pointer().addr(),
        target: part.pointer().addr(),
        count: part.len(),
        element: T::NCCL_TYPE,
        operation: operation.of_nccl(),
    };
    run(call, array.device(), &collective)
}

pub(super) fn broadcast(call: &mut Call<'_>, array: &DeviceSliceMut<'_, u8>, root: usize) -> Result<()> {
    let collective = Collective::Broadcast { array: array.pointer().addr(), bytes: array.len(), root };
    run(call, array.device(), &collective)
}

pub(super) fn all_gather(call: &mut Call<'_>, array: DeviceSlice<'_, u8>, all: &DeviceSliceMut<'_, u8>) -> Result<()> {
    let collective = Collective::AllGather { source: array.pointer().addr(), target: all.pointer().addr(), bytes: array.len() };
    run(call, array.device(), &collective)
}

pub(super) fn all_to_all(call: &mut Call<'_>, source: DeviceSlice<'_, u8>, target: &DeviceSliceMut<'_, u8>) -> Result<()> {
    let bytes = source.len() / call.state.size;
    let parts = |start: usize| (0..call.state.size).map(|rank| Transfer { rank, address: start + rank * bytes, bytes }).collect();
    let collective = Collective::Transfers { sends: parts(source.pointer().addr()), receives: parts(target.pointer().addr()) };
    run(call, source.device(), &collective)
}

/// Puts transfers that the ranks know of on the stream of the first array.
pub(super) fn transfer(
    state: &mut State,
    id: MeetingId,
    description: &str,
    uses: &[MemoryUse<'_>],
    sends: &[(usize, DeviceSlice<'_, u8>)],
    receives: &[(usize, DeviceSliceMut<'_, u8>)],
) -> Result<()> {
    let sent = |(rank, array): &(usize, DeviceSlice<'_, u8>)| Transfer { rank: *rank, address: array.pointer().addr(), bytes: array.len() };
    let received =
        |(rank, array): &(usize, DeviceSliceMut<'_, u8>)| Transfer { rank: *rank, address: array.pointer().addr(), bytes: array.len() };
    let is_some = |transfer: &Transfer| transfer.bytes > 0;
    let transfers = Collective::Transfers {
        sends: sends.iter().map(sent).filter(is_some).collect(),
        receives: receives.iter().map(received).filter(is_some).collect(),
    };
    let device = sends.first().map(|(_, array)| array.device()).or_else(|| receives.first().map(|(_, array)| array.device()));
    device.map_or(Ok(()), |device| put(state, id, description, device, uses, &transfers))
}
