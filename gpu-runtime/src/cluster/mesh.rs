//! Elements between processes, over TCP: a connection for each pair of ranks, made when they first have something for each other.
//!
//! Every exchange comes after a meeting, so both ends of a connection agree on what is sent. Therefore the connections carry nothing but
//! elements.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use super::control::connect_once;
use super::failure::{ClusterCause, seconds};
use super::wire::is_early;

/// The connections of a rank.
pub(super) struct Mesh {
    rank: usize,
    room: u64,
    listener: TcpListener,
    /// Where the ranks listen.
    addresses: Vec<String>,
    links: HashMap<usize, TcpStream>,
}

/// Elements for a rank, as bytes.
pub(super) type Outgoing<'a> = (usize, &'a [u8]);
/// Memory for elements of a rank.
pub(super) type Incoming<'a> = (usize, &'a mut [u8]);

/// What is left to do with a rank.
struct Transfer<'a> {
    rank: usize,
    rest: Rest<'a>,
}

enum Rest<'a> {
    Send(&'a [u8]),
    Receive(&'a mut [u8]),
}

impl Rest<'_> {
    fn is_empty(&self) -> bool {
        match self {
            Self::Send(bytes) => bytes.is_empty(),
            Self::Receive(bytes) => bytes.is_empty(),
        }
    }

    /// Transfers what the connection takes or has now: how many bytes.
    fn advance(&mut self, mut link: &TcpStream) -> io::Result<usize> {
        Ok(match self {
            Self::Send(bytes) => {
                let count = link.write(bytes)?;
                *bytes = &bytes[count..];
                count
            }
            Self::Receive(bytes) => {
                let count = link.read(bytes)?;
                *bytes = &mut std::mem::take(bytes)[count..];
                count
            }
        })
    }
}

/// How a rank waits for others.
pub(super) struct Waiting<'w> {
    pub(super) timeout: Duration,
    /// Whether the ranks have failed meanwhile: one that has does not answer, though it may not have ended.
    pub(super) has_failed: &'w mut dyn FnMut() -> bool,
}

/// Why an exchange did not succeed: the rank at the other end, and what happened.
#[derive(Debug)]
pub(super) struct Broken {
    pub(super) rank: usize,
    pub(super) cause: ClusterCause,
    pub(super) what: String,
}

impl Mesh {
    pub(super) fn new(rank: usize, room: u64, listener: TcpListener, addresses: Vec<String>) -> Self {
        Self { rank, room, listener, addresses, links: HashMap::new() }
    }

    /// Sends and receives all of it at the same time. What goes to the same rank goes in this order.
    pub(super) fn exchange(
        &mut self,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        waiting: &mut Waiting<'_>,
    ) -> Result<(), Broken> {
        let sends = outgoing.iter().map(|(rank, bytes)| Transfer { rank: *rank, rest: Rest::Send(bytes) });
        let receives = incoming.iter_mut().map(|(rank, bytes)| Transfer { rank: *rank, rest: Rest::Receive(bytes) });
        let mut transfers: Vec<_> = sends.chain(receives).filter(|transfer| !transfer.rest.is_empty()).collect();
        self.connect(&transfers.iter().map(|transfer| transfer.rank).collect::<Vec<_>>(), waiting)?;
        let mut last_progress = Instant::now();
        while let Some(first) = transfers.first().map(|transfer| transfer.rank) {
            if self.advance(&mut transfers)? {
                last_progress = Instant::now();
            } else {
                waiting.pause(last_progress.elapsed(), first)?;
            }
        }
        Ok(())
    }

    /// Transfers what the connections take or have now. Whether that was anything.
    fn advance(&self, transfers: &mut Vec<Transfer<'_>>) -> Result<bool, Broken> {
        let mut is_progress = false;
        let mut busy = Vec::new();
        for Transfer { rank, rest } in transfers.iter_mut() {
            let way = (*rank, matches!(rest, Rest::Send(_)));
            if busy.contains(&way) {
                continue;
            }
            is_progress |= transferred(rest.advance(&self.links[rank]), *rank)?;
            if !rest.is_empty() {
                busy.push(way);
            }
        }
        transfers.retain(|transfer| !transfer.rest.is_empty());
        Ok(is_progress)
    }

    /// Makes the connections that are missing. Of two ranks, the later one connects.
    fn connect(&mut self, ranks: &[usize], waiting: &mut Waiting<'_>) -> Result<(), Broken> {
        let start = Instant::now();
        for &rank in ranks.iter().filter(|rank| **rank < self.rank) {
            if !self.links.contains_key(&rank) {
                let link = self.connect_to(rank, start + waiting.timeout).map_err(|error| lost(rank, &error))?;
                self.links.insert(rank, link);
            }
        }
        self.listener.set_nonblocking(true).map_err(|error| lost(self.rank, &error))?;
        while let Some(&rank) = ranks.iter().find(|rank| !self.links.contains_key(rank)) {
            match self.listener.accept() {
                Ok((link, _)) => self.accept(link),
                Err(error) if is_early(&error) => waiting.pause(start.elapsed(), rank)?,
                Err(error) => return Err(lost(rank, &error)),
            }
        }
        Ok(())
    }

    fn connect_to(&self, rank: usize, deadline: Instant) -> io::Result<TcpStream> {
        let mut link = connect_once(&self.addresses[rank], deadline)?;
        let mut greeting = [0; 16];
        greeting[..8].copy_from_slice(&self.room.to_le_bytes());
        greeting[8..].copy_from_slice(&(self.rank as u64).to_le_bytes());
        link.write_all(&greeting)?;
        prepare(&link)?;
        Ok(link)
    }

    /// Keeps a connection, if it is one of a later rank.
    fn accept(&mut self, mut link: TcpStream) {
        let greeted = || -> io::Result<[u8; 16]> {
            let mut greeting = [0; 16];
            link.set_nonblocking(false)?;
            link.set_read_timeout(Some(Duration::from_secs(10)))?;
            link.read_exact(&mut greeting)?;
            prepare(&link)?;
            Ok(greeting)
        }();
        let Ok(greeting) = greeted else { return };
        let number = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| greeting[at + i]));
        let rank = number(8) as usize;
        if number(0) == self.room && rank > self.rank && rank < self.addresses.len() {
            self.links.insert(rank, link);
        }
    }
}

fn prepare(link: &TcpStream) -> io::Result<()> {
    link.set_nodelay(true)?;
    link.set_nonblocking(true)
}

/// Whether anything was transferred.
fn transferred(result: io::Result<usize>, rank: usize) -> Result<bool, Broken> {
    match result {
        Ok(0) => Err(lost(rank, &io::ErrorKind::UnexpectedEof.into())),
        Ok(_) => Ok(true),
        Err(error) if is_early(&error) => Ok(false),
        Err(error) => Err(lost(rank, &error)),
    }
}

fn lost(rank: usize, error: &io::Error) -> Broken {
    Broken { rank, cause: ClusterCause::Ended, what: format!("the connection to rank {rank} was lost ({error})") }
}

/// How long nothing may happen before the hub is asked why: a rank that has failed may have done its part.
const GRACE: Duration = Duration::from_secs(1);

impl Waiting<'_> {
    /// Lets other threads run, the longer the more time nothing has happened; an error if the ranks have failed, and after the time-out.
    fn pause(&mut self, idle: Duration, rank: usize) -> Result<(), Broken> {
        let broken = |cause, what| Err(Broken { rank, cause, what });
        if idle > self.timeout {
            return broken(ClusterCause::Transport, format!("rank {rank} has transferred nothing for {}", seconds(self.timeout)));
        }
        if idle > GRACE && (self.has_failed)() {
            return broken(ClusterCause::Failed, "the ranks have failed".to_owned());
        }
        match idle {
            idle if idle < Duration::from_micros(50) => thread::yield_now(),
            idle => thread::sleep((idle / 8).min(Duration::from_millis(1))),
        }
        Ok(())
    }
}
