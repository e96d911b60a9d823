//! How a communicator begins: ranks find each other, and agree on what carries elements.

use std::collections::HashMap;
use std::net::TcpListener;
use std::sync::Mutex;
use std::time::Duration;

use super::call::{SharedControl, State, Transport};
use super::communicator::Communicator;
use super::control::{Control, Member};
use super::failure::{ClusterCause, ClusterError, ClusterFailure, MeetingId};
use super::gpu::{self, Nccl};
use super::hub::{self, lock};
use super::mesh::Mesh;
use super::rendezvous::{Rendezvous, host_name};
use super::world::World;
use crate::Result;
use crate::backend::cuda::gpu_count;
use crate::backend::recording::{self, Unrecordable};
use crate::device::Device;

/// What the communicators of a job are told apart by.
#[derive(Debug, Clone, Default)]
pub(super) struct Identity {
    job: String,
    room: u64,
    is_checked: bool,
}

impl World {
    /// The communicator of all processes. Waits until they have come.
    ///
    /// The device is the GPU with the number of the [local rank](Self::local_rank), or the CPU where there is no GPU, unless
    /// [`on`](Self::on) says another one. Without a launcher, this process is [alone](Communicator::alone).
    ///
    /// If all processes call this again, they get another communicator, whose calls are independent of those of the first one.
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
        let known = hub_of(&self);
        let room = known.as_ref().map_or(0, |(_, room)| *room);
        let member = Member { job: self.job.clone(), room, rank: self.rank, size: self.size, name: process_name() };
        let control = match known {
            Some((hub, _)) => Control::enter(&member, &hub, self.timeout),
            None => Control::connect(&member, rendezvous, self.timeout),
        };
        let control = control.map_err(ClusterError::from)?;
        let hub = control.hub().to_owned();
        let communicator = begin(control, &member, self.local_rank, device, self.is_checked)?;
        if room == 0 {
            lock(&KNOWN).push(Known { job: self.job, rank: self.rank, rendezvous: rendezvous.clone(), hub, communicators: 1 });
        }
        if let (Rendezvous::File(path), 0, 0) = (rendezvous, self.rank, room) {
            // Everybody has read it. If it stays, the next job overwrites it.
            let _ = std::fs::remove_file(path);
        }
        Ok(communicator)
    }
}

/// A job to which this process has connected, for further communicators of all its processes.
struct Known {
    job: String,
    rank: usize,
    rendezvous: Rendezvous,
    hub: String,
    communicators: u64,
}

static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// Where the hub of a job is to which this process has connected, and the room of its next communicator.
fn hub_of(world: &World) -> Option<(String, u64)> {
    let mut known = lock(&KNOWN);
    let is_same =
        |known: &&mut Known| (&known.job, known.rank) == (&world.job, world.rank) && Some(&known.rendezvous) == world.rendezvous.as_ref();
    let known = known.iter_mut().find(is_same)?;
    known.communicators += 1;
    Some((known.hub.clone(), mix(known.communicators)))
}

/// What the ranks of one process have in common.
const THREADS: &str = "threads";

/// Starts the hub for ranks that are threads of this process.
pub(super) fn serve_threads(listener: TcpListener) -> std::io::Result<()> {
    hub::start(listener, THREADS.to_owned(), process_name())
}

/// The rank of a thread of this process.
pub(super) fn thread(rank: usize, devices: &[Device], hub: &str, timeout: Duration) -> Result<Communicator> {
    let member = Member { job: THREADS.to_owned(), room: 0, rank, size: devices.len(), name: process_name() };
    let control = Control::enter(&member, hub, timeout).map_err(ClusterError::from)?;
    begin(control, &member, rank, devices[rank].clone(), true)
}

/// The communicator of the ranks with the same color.
pub(super) fn split(parent: &Communicator, color: usize, key: usize) -> Result<Communicator> {
    recording::refuse(Unrecordable::Wait)?;
    let mut state = parent.lock();
    let mut call = state.call("split".to_owned(), &[]);
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
    let Some(control) = &state.control else { unreachable!("a rank alone has no others to split off") };
    let control = control.lock().another(&member).map_err(ClusterError::from)?;
    drop(state);
    begin(control, &member, parent.local_rank, parent.device.clone(), parent.identity.is_checked)
}

/// The first meeting of all ranks, in which each gives what the others need to reach it.
fn begin(mut control: Control, member: &Member, local_rank: usize, device: Device, is_checked: bool) -> Result<Communicator> {
    let Member { rank, size, job, room, .. } = member.clone();
    let (id, timeout) = (MeetingId::Collective(0), control.timeout());
    let description = match (device.is_gpu(), is_checked) {
        (false, _) => "connect on CPUs",
        (true, true) => "connect on GPUs",
        (true, false) => "connect on GPUs, unchecked",
    };
    let transport = if device.is_gpu() {
        let invitation = gpu::invitation(rank);
        let invitation = told(&mut control, rank, description, invitation)?;
        let given = control.meet(id, description, invitation).map_err(ClusterError::from)?;
        let nccl = Nccl::begin(&device, &given[0], (rank, size), timeout, is_checked);
        Transport::Nccl(told(&mut control, rank, description, nccl)?)
    } else {
        let lost = |error| ClusterError::Environment(format!("rank {rank} cannot listen for the others: {error}"));
        let (listener, address) = control.listen().map_err(lost)?;
        let addresses = control.meet(id, description, address.into_bytes()).map_err(ClusterError::from)?;
        let addresses = addresses.into_iter().map(|address| String::from_utf8_lossy(&address).into_owned()).collect();
        Transport::Tcp(Mesh::new(rank, room, listener, addresses))
    };
    let control = SharedControl::new(control);
    if let Transport::Nccl(nccl) = &transport {
        nccl.watch().connect(&control);
    }
    let state = State { rank, size, timeout, control: Some(control), transport, transfers: HashMap::new() };
    let state = Mutex::new(state);
    Ok(Communicator { rank, size, local_rank, device, timeout, state, identity: Identity { job, room, is_checked } })
}

/// An error of this rank, after the others were told.
fn told<R>(control: &mut Control, rank: usize, description: &str, result: Result<R>) -> Result<R> {
    if let Err(error) = &result {
        control.report(ClusterFailure::of_rank(rank, MeetingId::Collective(0), description, ClusterCause::Failed, error));
    }
    result
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
