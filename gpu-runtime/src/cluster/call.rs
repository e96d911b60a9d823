//! A call of a communicator, and the meeting of the ranks before it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::control::Control;
use super::failure::{ClusterCause, ClusterError, ClusterFailure, MeetingId};
use super::gpu::Nccl;
use super::mesh::{Broken, Incoming, Mesh, Outgoing, Waiting};
use crate::Result;
use crate::backend::MemoryUse;

/// What a communicator knows of its calls.
pub(super) struct State {
    pub(super) rank: usize,
    pub(super) size: usize,
    pub(super) timeout: Duration,
    /// `None` for a rank alone.
    pub(super) control: Option<SharedControl>,
    pub(super) transport: Transport,
    /// How many transfers there were from a rank to another.
    pub(super) transfers: HashMap<(usize, usize), u64>,
}

/// A connection to the hub. A [`Watch`](super::watch::Watch) uses it between calls.
#[derive(Clone)]
pub(super) struct SharedControl(Arc<Mutex<Control>>);

impl SharedControl {
    pub(super) fn new(control: Control) -> Self {
        Self(Arc::new(Mutex::new(control)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Control> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For a thread that must not keep the connection open.
    pub(super) fn downgrade(&self) -> Weak<Mutex<Control>> {
        Arc::downgrade(&self.0)
    }
}

/// What carries elements.
pub(super) enum Transport {
    /// Nothing, as there is one rank.
    None,
    Tcp(Mesh),
    Nccl(Nccl),
}

/// One call of all ranks.
pub(super) struct Call<'s> {
    pub(super) state: &'s mut State,
    pub(super) id: MeetingId,
    pub(super) description: String,
    /// What it does with the memory of its arrays.
    pub(super) uses: &'s [MemoryUse<'s>],
}

impl State {
    /// The next call of all ranks.
    pub(super) fn call<'s>(&'s mut self, description: String, uses: &'s [MemoryUse<'s>]) -> Call<'s> {
        let id = self.control.as_ref().map_or(MeetingId::Collective(0), |control| control.lock().next_call());
        Call { state: self, id, description, uses }
    }

    /// The next transfer between two ranks.
    pub(super) fn next_transfer(&mut self, from: usize, to: usize) -> MeetingId {
        let number = self.transfers.entry((from, to)).or_default();
        *number += 1;
        MeetingId::Transfer { from, to, number: *number }
    }

    /// What happened on this rank, after the other ranks were told of an error.
    pub(super) fn local<R>(&mut self, id: MeetingId, description: &str, result: Result<R>) -> Result<R> {
        if let (Err(error), Some(control)) = (&result, &self.control) {
            let message = format!("rank {} failed in {id}, {description}: {error}", self.rank);
            control.lock().report(ClusterFailure { rank: self.rank, call: id.number(), cause: ClusterCause::Failed, message });
        }
        result
    }

    /// Sends and receives over TCP.
    pub(super) fn exchange(
        &mut self,
        id: MeetingId,
        description: &str,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
    ) -> Result<()> {
        let (Transport::Tcp(mesh), Some(control)) = (&mut self.transport, &self.control) else { return Ok(()) };
        let mut waiting = Waiting { timeout: self.timeout, has_failed: &mut || control.lock().poll().is_some() };
        let Err(Broken { rank, cause, what }) = mesh.exchange(outgoing, incoming, &mut waiting) else { return Ok(()) };
        let message = format!("{what} in {id}, {description}");
        Err(ClusterError::from(control.lock().report(ClusterFailure { rank, call: id.number(), cause, message })).into())
    }
}

/// NCCL closes a communicator together with the other ranks. Where one has ended, it is aborted instead, when all collectives are over.
impl Drop for State {
    fn drop(&mut self) {
        if let (Transport::Nccl(nccl), Some(control)) = (&self.transport, &self.control)
            && control.lock().poll().is_some()
        {
            nccl.abort();
        }
    }
}

impl Call<'_> {
    /// Waits until all ranks have made the call: what each of them gave.
    pub(super) fn meet(&mut self, payload: Vec<u8>) -> Result<Vec<Vec<u8>>> {
        match &self.state.control {
            Some(control) => Ok(control.lock().meet(self.id, &self.description, payload).map_err(ClusterError::from)?),
            None => Ok(vec![payload]),
        }
    }

    /// Tells the other ranks of the call, and continues: a difference is a failure later.
    pub(super) fn announce(&mut self) -> Result<()> {
        match &self.state.control {
            Some(control) => Ok(control.lock().call(self.id, &self.description, Vec::new()).map_err(ClusterError::from)?),
            None => Ok(()),
        }
    }

    pub(super) fn local<R>(&mut self, result: Result<R>) -> Result<R> {
        self.state.local(self.id, &self.description, result)
    }
}
