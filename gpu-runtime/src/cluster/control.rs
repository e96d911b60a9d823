//! A rank's connection to the hub.

use std::io;
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::thread;
use std::time::{Duration, Instant};

use super::failure::{ClusterCause, ClusterFailure, MeetingId, seconds};
use super::hub;
use super::rendezvous::{Rendezvous, bind_any};
use super::wire::{Connection, ToHub, ToRank};

type Result<T> = std::result::Result<T, ClusterFailure>;

/// How much longer than the time-out the hub may take to say who is missing.
const GRACE: Duration = Duration::from_secs(2);

/// How long the hub may take to let a rank in.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait before trying to connect again.
const PAUSE: Duration = Duration::from_millis(20);

/// Who a process is among those of a communicator.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// What processes that belong together have in common.
    pub(super) job: String,
    /// Which communicator of the job.
    pub(super) room: u64,
    pub(super) rank: usize,
    pub(super) size: usize,
    /// Its host and process.
    pub(super) name: String,
}

/// The connection of one rank of one communicator.
pub(super) struct Control {
    connection: Connection,
    hub: String,
    timeout: Duration,
    /// How many calls of all ranks there were.
    calls: u64,
    failure: Option<ClusterFailure>,
}

impl Control {
    /// Finds rank 0, which becomes the hub here.
    pub(super) fn connect(member: &Member, rendezvous: &Rendezvous, timeout: Duration) -> Result<Self> {
        let deadline = Instant::now() + timeout;
        if member.rank == 0 {
            let failed = |error: &dyn std::fmt::Display| failure_of_connection(0, format!("rank 0 cannot listen at {rendezvous}: {error}"));
            let listener = rendezvous.listen(&member.job).map_err(|error| failed(&error))?;
            let own = listener.local_addr().map_err(|error| failed(&error))?;
            hub::start(listener, member.job.clone(), member.name.clone()).map_err(|error| failed(&error))?;
            let loopback: std::net::IpAddr = if own.is_ipv4() { [127, 0, 0, 1].into() } else { std::net::Ipv6Addr::LOCALHOST.into() };
            let ip = if own.ip().is_unspecified() { loopback } else { own.ip() };
            return Self::enter(member, &format!("{ip}:{}", own.port()), timeout);
        }
        let mut last = "nothing is there".to_owned();
        loop {
            for address in rendezvous.addresses(&member.job) {
                match Self::greet(member, &address, timeout, deadline) {
                    Ok(greeted) => return greeted,
                    Err(error) => last = format!("{address}: {error}"),
                }
            }
            if Instant::now() >= deadline {
                let waited = seconds(timeout);
                let message = format!("rank {} did not find rank 0 at {rendezvous} within {waited} ({last})", member.rank);
                return Err(ClusterFailure { rank: 0, call: 0, cause: ClusterCause::Absent, message });
            }
            thread::sleep(PAUSE);
        }
    }

    /// Another communicator of the same job, which the same hub serves.
    pub(super) fn another(&self, member: &Member) -> Result<Self> {
        Self::enter(member, &self.hub, self.timeout)
    }

    /// Connects to a hub that is there.
    pub(super) fn enter(member: &Member, hub: &str, timeout: Duration) -> Result<Self> {
        let lost = |error| failure_of_connection(0, format!("rank {} cannot connect to rank 0 at {hub}: {error}", member.rank));
        Self::greet(member, hub, timeout, Instant::now() + timeout).map_err(lost)?
    }

    /// Connects to the hub at an address, which may refuse this rank. It is an error if nothing is there, or another program.
    fn greet(member: &Member, hub: &str, timeout: Duration, deadline: Instant) -> io::Result<Result<Self>> {
        let Member { job, room, rank, size, name } = member.clone();
        let mut connection = Connection::new(connect_once(hub, deadline)?)?;
        connection.send(&ToHub::Hello { job, room, rank, size, name })?;
        let limit = deadline.saturating_duration_since(Instant::now()).clamp(PAUSE, PATIENCE);
        match connection.receive(Some(limit))? {
            Some(ToRank::Welcome) => Ok(Ok(Self { connection, hub: hub.to_owned(), timeout, calls: 0, failure: None })),
            Some(ToRank::Fail(refusal)) => Ok(Err(refusal)),
            Some(ToRank::Go { .. }) => Err(io::ErrorKind::InvalidData.into()),
            None => Err(io::Error::new(io::ErrorKind::TimedOut, "the process at this address did not answer as rank 0")),
        }
    }

    /// The address at which rank 0 is.
    pub(super) fn hub(&self) -> &str {
        &self.hub
    }

    /// The address of this host that the others see, with a listener there.
    pub(super) fn listen(&self) -> io::Result<(TcpListener, String)> {
        let listener = bind_any(self.connection.stream().local_addr()?.ip())?;
        let address = listener.local_addr()?.to_string();
        Ok((listener, address))
    }

    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    /// The next call of all ranks.
    pub(super) fn next_call(&mut self) -> MeetingId {
        self.calls += 1;
        MeetingId::Collective(self.calls)
    }

    /// Waits until all ranks have made the call: what each of them gave.
    pub(super) fn meet(&mut self, id: MeetingId, description: &str, payload: Vec<u8>) -> Result<Vec<Vec<u8>>> {
        self.call(id, description, payload)?;
        self.wait(&[id], description)
    }

    /// Says that this rank makes a call. Whoever does not wait for the others learns of a failure by [`poll`](Self::poll), and in the next call.
    pub(super) fn call(&mut self, id: MeetingId, description: &str, payload: Vec<u8>) -> Result<()> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        // The reason why the hub does not take it is what it sent before.
        let _ = self.connection.send(&ToHub::Call { id, description: description.to_owned(), payload });
        Ok(())
    }

    /// Waits until all ranks have made those calls: what each of them gave for the last one of which the answer came.
    pub(super) fn wait(&mut self, ids: &[MeetingId], description: &str) -> Result<Vec<Vec<u8>>> {
        let (mut open, mut last) = (ids.to_vec(), Vec::new());
        let start = Instant::now();
        let mut is_overdue = false;
        while let Some(&first) = open.first() {
            let limit = if is_overdue { self.timeout + GRACE } else { self.timeout };
            match self.connection.receive(Some(limit.saturating_sub(start.elapsed()))) {
                // Nobody waits for the answer to a call that was only announced.
                Ok(Some(ToRank::Go { id, payloads })) if open.contains(&id) => {
                    open.retain(|other| *other != id);
                    last = payloads;
                }
                Ok(Some(ToRank::Go { .. } | ToRank::Welcome)) => {}
                Ok(Some(ToRank::Fail(failure))) => return Err(self.failed(failure)),
                Ok(None) if !is_overdue => {
                    is_overdue = true;
                    let _ = self.connection.send(&ToHub::Overdue { id: first, waited: self.timeout });
                }
                Ok(None) => {
                    let message = format!("rank 0, which coordinates the ranks, does not answer in {first}, {description}");
                    return Err(self.failed(ClusterFailure { rank: 0, call: first.number(), cause: ClusterCause::Absent, message }));
                }
                Err(error) => {
                    let message = format!("rank 0, which coordinates the ranks, ended before {first}, {description} ({error})");
                    return Err(self.failed(ClusterFailure { rank: 0, call: first.number(), cause: ClusterCause::Ended, message }));
                }
            }
        }
        Ok(last)
    }

    /// Tells all ranks why a call cannot continue: the failure that they all get, which may be an earlier one.
    pub(super) fn report(&mut self, failure: ClusterFailure) -> ClusterFailure {
        if let Some(failure) = &self.failure {
            return failure.clone();
        }
        let _ = self.connection.send(&ToHub::Report(failure.clone()));
        let start = Instant::now();
        loop {
            match self.connection.receive(Some(GRACE.saturating_sub(start.elapsed()))) {
                Ok(Some(ToRank::Fail(verdict))) => return self.failed(verdict),
                Ok(Some(ToRank::Go { .. } | ToRank::Welcome)) => {}
                Ok(None) | Err(_) => return self.failed(failure),
            }
        }
    }

    /// The failure that all ranks have got, if there is one so far. Does not wait.
    pub(super) fn poll(&mut self) -> Option<ClusterFailure> {
        while self.failure.is_none() {
            match self.connection.receive_now() {
                Ok(Some(ToRank::Go { .. } | ToRank::Welcome)) => {}
                Ok(Some(ToRank::Fail(failure))) => drop(self.failed(failure)),
                Ok(None) => break,
                Err(error) => {
                    let message = format!("rank 0, which coordinates the ranks, ended ({error})");
                    self.failed(ClusterFailure { rank: 0, call: 0, cause: ClusterCause::Ended, message });
                }
            }
        }
        self.failure.clone()
    }

    /// Asks the hub who has not made that call, which this rank has announced: the failure of all ranks, if somebody is missing.
    pub(super) fn overdue(&mut self, id: MeetingId, waited: Duration) -> Option<ClusterFailure> {
        let _ = self.connection.send(&ToHub::Overdue { id, waited });
        let start = Instant::now();
        while self.failure.is_none() {
            match self.connection.receive(Some(GRACE.saturating_sub(start.elapsed()))) {
                Ok(Some(ToRank::Go { .. } | ToRank::Welcome)) => {}
                Ok(Some(ToRank::Fail(failure))) => drop(self.failed(failure)),
                Ok(None) | Err(_) => break,
            }
        }
        self.failure.clone()
    }

    fn failed(&mut self, failure: ClusterFailure) -> ClusterFailure {
        self.failure.get_or_insert(failure).clone()
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        let _ = self.connection.send(&ToHub::Leave);
    }
}

fn failure_of_connection(rank: usize, message: String) -> ClusterFailure {
    ClusterFailure { rank, call: 0, cause: ClusterCause::Ended, message }
}

/// Tries every address of a host and a port.
pub(super) fn connect_once(address: &str, deadline: Instant) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::NotFound);
    for address in address.to_socket_addrs()? {
        let left = deadline.saturating_duration_since(Instant::now()).max(PAUSE);
        match TcpStream::connect_timeout(&address, left) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}
