//! A call of a communicator, and the meeting of the ranks before it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use super::control::Control;
use super::failure::{ClusterCause, ClusterError, ClusterFailure, MeetingId};
use super::gpu::Nccl;
use super::hub::lock;
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
        lock(&self.0)
    }

    /// For a thread that must not keep the connection open.
    pub(super) fn downgrade(&self) -> Weak<Mutex<Control>> {
        Arc::downgrade(&self.0)
    }

    /// Waits until the other ranks have made these calls, with the same descriptions.
    pub(super) fn agree(&self, calls: &[(MeetingId, String)]) -> Result<()> {
        let mut control = self.lock();
        let mut tell = |(id, description): &(MeetingId, String)| control.call(*id, description, Vec::new());
        calls.iter().try_for_each(&mut tell).map_err(ClusterError::from)?;
        if let Some((_, first)) = calls.first() {
            let ids: Vec<_> = calls.iter().map(|(id, _)| *id).collect();
            control.wait(&ids, first).map_err(ClusterError::from)?;
        }
        Ok(())
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
            control.lock().report(ClusterFailure::of_rank(self.rank, id, description, ClusterCause::Failed, error));
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

    pub(super) fn local<R>(&mut self, result: Result<R>) -> Result<R> {
        self.state.local(self.id, &self.description, result)
    }
}

#[cfg(test)]
mod tests {
    use super::super::control::Member;
    use super::super::rendezvous::Rendezvous;
    use super::*;

    /// What each of two ranks gets that call these, one after the other.
    fn agreed(calls: [&str; 2]) -> [Result<()>; 2] {
        let folder = tempfile::tempdir().unwrap();
        let rendezvous = Rendezvous::File(folder.path().join("rank-0"));
        let member = |rank| Member { job: "job".to_owned(), room: 0, rank, size: 2, name: format!("host:{rank}") };
        let ranks = [0, 1].map(|rank| SharedControl::new(Control::connect(&member(rank), &rendezvous, Duration::from_secs(20)).unwrap()));
        let agree = |rank: usize| ranks[rank].agree(&[(MeetingId::Collective(1), calls[rank].to_owned())]);
        std::thread::scope(|scope| {
            let first = scope.spawn(|| agree(0));
            let second = agree(1);
            [first.join().unwrap(), second]
        })
    }

    #[test]
    fn ranks_go_on_only_with_the_same_call() {
        let three = "broadcast of 3 bool from rank 0";
        for other in ["broadcast of 3 u8 from rank 0", "broadcast of 4 bool from rank 0"] {
            for outcome in agreed([three, other]) {
                let message = outcome.expect_err("a rank goes on before it knows what comes").to_string();
                assert!(message.contains(three) && message.contains(other), "{message}");
            }
        }
        assert!(agreed([three; 2]).iter().all(Result::is_ok));
    }
}
