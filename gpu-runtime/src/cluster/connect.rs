//! How a communicator begins: ranks find each other, and agree on what carries elements.

use std::collections::HashMap;
use std::sync::Mutex;

use super::call::{State, Transport};
use super::communicator::Communicator;
use super::control::{Control, Member};
use super::failure::{ClusterError, MeetingId};
use super::mesh::Mesh;
use super::rendezvous::{Rendezvous, host_name};
use super::world::World;
use crate::Result;
use crate::backend::cuda::gpu_count;
use crate::device::Device;

/// What the communicators of a job are told apart by.
#[derive(Debug, Clone, Default)]
pub(super) struct Identity {
    job: String,
    room: u64,
}

impl World {
    /// The communicator of all processes. Waits until they have come.
    ///
    /// The device is the GPU with the number of the [local rank](Self::local_rank), or the CPU where there is no GPU, unless
    /// [`on`](Self::on) says another one. Without a launcher, this process is [alone](Communicator::alone).
    ///
    /// # Errors
    ///
    /// [`ClusterError::Failed`] if a process does not come within the [time-out](Self::timeout), or has another kind of device.
    pub fn connect(self) -> Result<Communicator> {
        let device = match &self.device {
            Some(device) => device.clone(),
            None => local_device(self.local_rank)?,
        };
        let Some(rendezvous) = &self.rendezvous else { return Ok(Communicator::alone(&device)) };
        let member = Member { job: self.job.clone(), room: 0, rank: self.rank, size: self.size, name: process_name() };
        let control = Control::connect(&member, rendezvous, self.timeout).map_err(ClusterError::from)?;
        let communicator = begin(control, &member, self.local_rank, device)?;
        if let (Rendezvous::File(path), 0) = (rendezvous, self.rank) {
            // Everybody has read it. If it stays, the next job overwrites it.
            let _ = std::fs::remove_file(path);
        }
        Ok(communicator)
    }
}

/// The communicator of the ranks with the same color.
pub(super) fn split(parent: &Communicator, color: usize, key: usize) -> Result<Communicator> {
    let mut state = parent.lock();
    let mut call = state.call("split".to_owned());
    let given = call.meet([color as u64, key as u64].map(u64::to_le_bytes).concat())?;
    let number = |bytes: &[u8], at: usize| bytes.get(at..at + 8).map_or(0, |bytes| u64::from_le_bytes(bytes.try_into().expect("8 bytes")));
    let mut members: Vec<(u64, usize)> = Vec::new();
    for (rank, given) in given.iter().enumerate() {
        if number(given, 0) == color as u64 {
            members.push((number(given, 8), rank));
        }
    }
    members.sort_unstable();
    let rank = members.iter().position(|(_, rank)| *rank == parent.rank).unwrap_or(0);
    if members.len() < 2 {
        return Ok(Communicator { local_rank: parent.local_rank, ..Communicator::alone(&parent.device) });
    }
    let room = mix(mix(parent.identity.room ^ call.id.number()) ^ color as u64);
    let member = Member { job: parent.identity.job.clone(), room, rank, size: members.len(), name: process_name() };
    let Some(control) = &mut state.control else { unreachable!("a rank alone has no others to split off") };
    let control = control.another(&member).map_err(ClusterError::from)?;
    drop(state);
    begin(control, &member, parent.local_rank, parent.device.clone())
}

/// The first meeting of all ranks.
fn begin(mut control: Control, member: &Member, local_rank: usize, device: Device) -> Result<Communicator> {
    let lost = |error: std::io::Error| ClusterError::Environment(format!("rank {} cannot listen for the others: {error}", member.rank));
    let (listener, address) = control.listen().map_err(lost)?;
    let kind = if device.is_gpu() { "GPUs" } else { "CPUs" };
    let id = MeetingId::Collective(0);
    let addresses = control.meet(id, &format!("connect on {kind}"), address.into_bytes()).map_err(ClusterError::from)?;
    let addresses = addresses.into_iter().map(|address| String::from_utf8_lossy(&address).into_owned()).collect();
    let Member { rank, size, job, room, .. } = member.clone();
    let timeout = control.timeout();
    let transport = Transport::Tcp(Mesh::new(rank, room, listener, addresses));
    let state = State { rank, size, timeout, control: Some(control), transport, calls: 0, transfers: HashMap::new() };
    Ok(Communicator { rank, size, local_rank, device, timeout, state: Mutex::new(state), identity: Identity { job, room } })
}

/// The GPU for a process, or the CPU where there is no GPU. Where every process sees only its own GPU, that has number 0.
fn local_device(local_rank: usize) -> Result<Device> {
    match gpu_count()? {
        Ok(count) => Device::gpu(local_rank % count),
        Err(_) => Ok(Device::cpu()),
    }
}

/// `node7, process 1234`.
fn process_name() -> String {
    format!("{}, process {}", host_name(), std::process::id())
}

/// Bits that depend on all bits of `value`.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}
