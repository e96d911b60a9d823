//! Transfers between two ranks.

use super::communicator::{Communicator, bytes, bytes_mut, elements};
use super::failure::{ClusterError, MeetingId};
use super::mesh::{Incoming, Outgoing};
use crate::Result;
use crate::memory::{DeviceSlice, DeviceSliceMut, IntoDeviceSlice, IntoDeviceSliceMut};
use crate::source::DeviceType;

/// Transfers that a rank makes at the same time: `ncclGroupStart` and `ncclGroupEnd`, `dist.batch_isend_irecv`.
///
/// The order matters only between transfers in the same direction between the same ranks.
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
        self.sends.push(Transfer { rank: to, description: description::<T>(array.len()), array: bytes(array) });
        self
    }

    /// Receives the elements that rank `from` sends.
    pub fn recv<T: DeviceType>(mut self, array: impl IntoDeviceSliceMut<'a, T>, from: usize) -> Self {
        let array = array.into_device_slice_mut();
        self.receives.push(Transfer { rank: from, description: description::<T>(array.len()), array: bytes_mut(array) });
        self
    }

    /// Makes the transfers.
    ///
    /// # Errors
    ///
    /// [`ClusterError::RankOutOfRange`], [`ClusterError::OwnRank`], and [`ClusterError::Failed`], as for every call of a [`Communicator`].
    pub fn run(mut self) -> Result<()> {
        let own = self.communicator.rank;
        for rank in self.sends.iter().map(|send| send.rank).chain(self.receives.iter().map(|receive| receive.rank)) {
            self.communicator.check_rank(rank)?;
            if rank == own {
                return Err(ClusterError::OwnRank { rank }.into());
            }
        }
        let Some(first) =
            self.sends.first().map(|send| &send.description).or_else(|| self.receives.first().map(|receive| &receive.description))
        else {
            return Ok(());
        };
        let first = first.clone();
        let mut state = self.communicator.lock();
        let mut ids: Vec<(MeetingId, &str)> = Vec::new();
        for Transfer { rank, description, .. } in &self.sends {
            ids.push((state.next_transfer(own, *rank), description));
        }
        for Transfer { rank, description, .. } in &self.receives {
            ids.push((state.next_transfer(*rank, own), description));
        }
        // There are others, so there is a connection.
        let id = ids[0].0;
        let sent = self.sends.iter().map(|send| Ok((send.rank, send.array.to_host()?))).collect::<Result<Vec<_>>>();
        let sent = state.local(id, &first, sent)?;
        if let Some(control) = &mut state.control {
            for (id, description) in &ids {
                control.call(*id, description, Vec::new()).map_err(ClusterError::from)?;
            }
            let ids: Vec<MeetingId> = ids.iter().map(|(id, _)| *id).collect();
            control.wait(&ids, &first).map_err(ClusterError::from)?;
        }
        let mut received: Vec<(usize, Vec<u8>)> =
            self.receives.iter().map(|receive| (receive.rank, vec![0; receive.array.len()])).collect();
        let outgoing: Vec<Outgoing<'_>> = sent.iter().map(|(rank, bytes)| (*rank, bytes.as_slice())).collect();
        let mut incoming: Vec<Incoming<'_>> = received.iter_mut().map(|(rank, bytes)| (*rank, bytes.as_mut_slice())).collect();
        state.exchange(id, &first, &outgoing, &mut incoming)?;
        let written = self.receives.iter_mut().zip(&received).try_for_each(|(receive, (_, bytes))| receive.array.copy_from_host(bytes));
        state.local(id, &first, written)
    }
}

fn description<T>(count: usize) -> String {
    format!("a transfer of {}", elements::<T>(count))
}
