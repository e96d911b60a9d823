//! Transfers between two ranks.

use super::call::{State, Transport};
use super::communicator::{Communicator, bytes, bytes_mut, elements};
use super::failure::{ClusterError, MeetingId};
use super::gpu;
use super::mesh::{Incoming, Outgoing};
use crate::Result;
use crate::backend::{Access, MemoryUse, recording};
use crate::memory::{DeviceSlice, DeviceSliceMut, IntoDeviceSlice, IntoDeviceSliceMut};
use crate::source::DeviceType;

/// Transfers that a rank makes at the same time: `ncclGroupStart` and `ncclGroupEnd`, `dist.batch_isend_irecv`.
///
/// The order matters only between transfers in the same direction between the same ranks. In a [graph](crate::Graph), ranks without transfers
/// run an empty group, as each launch of a graph with transfers is a call of all ranks.
///
/// ```
/// use gpu_runtime::cluster::Communicator;
///
/// /// Shifts the elements by one rank, in a ring.
/// fn shift(ranks: &Communicator, x: &gpu_runtime::DeviceArray<f32>) -> gpu_runtime::Result<gpu_runtime::DeviceArray<f32>> {
///     let (rank, size) = (ranks.rank(), ranks.size());
///     let mut received = ranks.device().zeros_like(x)?;
///     ranks.group().send(x, (rank + 1) % size).recv(&mut received, (rank + size - 1) % size).run()?;
///     Ok(received)
/// }
/// ```
#[must_use = "the transfers are made by `run`"]
pub struct Group<'c, 'a> {
    communicator: &'c Communicator,
    sends: Vec<Transfer<DeviceSlice<'a, u8>>>,
    receives: Vec<Transfer<DeviceSliceMut<'a, u8>>>,
}

struct Transfer<A> {
    /// The other rank.
    rank: usize,
    description: String,
    array: A,
}

impl<'c, 'a> Group<'c, 'a> {
    pub(super) fn new(communicator: &'c Communicator) -> Self {
        Self { communicator, sends: Vec::new(), receives: Vec::new() }
    }

    /// Sends the elements to rank `to`.
    pub fn send<T: DeviceType>(mut self, array: impl IntoDeviceSlice<'a, T>, to: usize) -> Self {
        let array = array.into_device_slice();
        self.sends.push(Transfer::of::<T>(to, array.len(), bytes(array)));
        self
    }

    /// Receives the elements that rank `from` sends.
    pub fn recv<T: DeviceType>(mut self, array: impl IntoDeviceSliceMut<'a, T>, from: usize) -> Self {
        let array = array.into_device_slice_mut();
        self.receives.push(Transfer::of::<T>(from, array.len(), bytes_mut(array)));
        self
    }

    /// Makes the transfers.
    ///
    /// # Errors
    ///
    /// [`ClusterError::RankOutOfRange`], [`ClusterError::OwnRank`], and [`ClusterError::Failed`], as for every call of a [`Communicator`].
    pub fn run(self) -> Result<()> {
        self.check()?;
        let sends = self.sends.iter().map(|send| send.array.memory_use(Access::Read));
        let uses: Vec<_> = sends.chain(self.receives.iter().map(|receive| receive.array.memory_use(Access::Write))).collect();
        self.communicator.in_graph(&uses, || self.run_now(&uses))
    }

    fn run_now(self, uses: &[MemoryUse<'_>]) -> Result<()> {
        let mut state = self.communicator.lock();
        let ids = self.next_ids(&mut state);
        match &state.transport {
            Transport::None => Ok(()),
            Transport::Tcp(_) => self.run_on_cpu(&mut state, &ids),
            Transport::Nccl(_) => self.run_on_gpu(&mut state, &ids, uses),
        }
    }

    fn run_on_cpu(mut self, state: &mut State, ids: &[(MeetingId, String)]) -> Result<()> {
        let Some((first, description)) = ids.first() else { return Ok(()) };
        let sent = self.sends.iter().map(|send| Ok((send.rank, send.array.to_host()?))).collect::<Result<Vec<_>>>();
        let sent = state.local(*first, description, sent)?;
        if let Some(control) = &state.control {
            control.agree(ids)?;
        }
        let mut received: Vec<_> = self.receives.iter().map(|receive| (receive.rank, vec![0; receive.array.len()])).collect();
        let outgoing: Vec<Outgoing<'_>> = sent.iter().map(|(rank, bytes)| (*rank, bytes.as_slice())).collect();
        let mut incoming: Vec<Incoming<'_>> = received.iter_mut().map(|(rank, bytes)| (*rank, bytes.as_mut_slice())).collect();
        state.exchange(*first, description, &outgoing, &mut incoming)?;
        let written = self.receives.iter_mut().zip(&received).try_for_each(|(receive, (_, bytes))| receive.array.copy_from_host(bytes));
        state.local(*first, description, written)
    }

    fn run_on_gpu(self, state: &mut State, ids: &[(MeetingId, String)], uses: &[MemoryUse<'_>]) -> Result<()> {
        let recorded = if recording::is_active() { gpu::recorded_in(gpu::take_part_in_graph(state)) } else { String::new() };
        let Some((first, description)) = ids.first() else { return Ok(()) };
        let calls: Vec<_> = ids.iter().map(|(id, description)| (*id, format!("{description}{recorded}"))).collect();
        gpu::agree(state, &calls)?;
        let sends: Vec<_> = self.sends.iter().map(|send| (send.rank, send.array)).collect();
        let receives: Vec<_> = self.receives.into_iter().map(|receive| (receive.rank, receive.array)).collect();
        gpu::transfer(state, *first, description, uses, &sends, &receives)
    }

    /// Refuses other ranks than there are, and arrays of other devices.
    fn check(&self) -> Result<()> {
        let sends = self.sends.iter().map(|send| (send.rank, send.array.device()));
        let receives = self.receives.iter().map(|receive| (receive.rank, receive.array.device()));
        for (rank, device) in sends.chain(receives) {
            self.communicator.check_rank(rank)?;
            self.communicator.check_device(device)?;
            if rank == self.communicator.rank {
                return Err(ClusterError::OwnRank { rank }.into());
            }
        }
        Ok(())
    }

    /// The transfers, each with what the other rank must also say of it.
    fn next_ids(&self, state: &mut State) -> Vec<(MeetingId, String)> {
        let own = self.communicator.rank;
        let sends: Vec<_> = self.sends.iter().map(|send| (own, send.rank, send.description.clone())).collect();
        let receives = self.receives.iter().map(|receive| (receive.rank, own, receive.description.clone()));
        sends.into_iter().chain(receives).map(|(from, to, description)| (state.next_transfer(from, to), description)).collect()
    }
}

impl<A> Transfer<A> {
    /// A transfer of `count` elements, whose bytes are `array`.
    fn of<T: DeviceType>(rank: usize, count: usize, array: A) -> Self {
        Self { rank, description: format!("a transfer of {}", elements::<T>(count)), array }
    }
}
