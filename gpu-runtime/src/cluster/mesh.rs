//! Elements between processes, over TCP: a connection for each pair of ranks, made when they first have something for each other.
//!
//! Every exchange comes after a meeting, so both ends of a connection agree on what is sent. Therefore the connections carry nothing but
//! elements.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use super::failure::ClusterCause;
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
    pub(super) fn exchange(&mut self, outgoing: &[Outgoing<'_>], incoming: &mut [Incoming<'_>], timeout: Duration) -> Result<(), Broken> {
        let mut outgoing: Vec<Outgoing<'_>> = outgoing.iter().filter(|(_, bytes)| !bytes.is_empty()).copied().collect();
        let mut incoming: Vec<(usize, &mut [u8])> =
            incoming.iter_mut().filter(|(_, bytes)| !bytes.is_empty()).map(|(rank, bytes)| (*rank, &mut **bytes)).collect();
        let ranks: Vec<usize> = outgoing.iter().map(|(rank, _)| *rank).chain(incoming.iter().map(|(rank, _)| *rank)).collect();
        self.connect(&ranks, timeout)?;
        let mut last_progress = Instant::now();
        while !outgoing.is_empty() || !incoming.is_empty() {
            let sent = self.send_some(&mut outgoing)?;
            let received = self.receive_some(&mut incoming)?;
            if sent || received {
                last_progress = Instant::now();
            } else {
                pause(last_progress.elapsed(), timeout, || outgoing.first().map_or_else(|| incoming[0].0, |(rank, _)| *rank))?;
            }
        }
        Ok(())
    }

    /// Sends what the connections take now. Whether that was anything.
    fn send_some(&self, outgoing: &mut Vec<Outgoing<'_>>) -> Result<bool, Broken> {
        let mut is_progress = false;
        let mut busy = Vec::new();
        for (rank, bytes) in outgoing.iter_mut() {
            if busy.contains(rank) {
                continue;
            }
            let count = transferred((&self.links[rank]).write(bytes), *rank)?;
            is_progress |= count > 0;
            *bytes = &bytes[count..];
            if !bytes.is_empty() {
                busy.push(*rank);
            }
        }
        outgoing.retain(|(_, bytes)| !bytes.is_empty());
        Ok(is_progress)
    }

    /// The same for what arrives.
    fn receive_some(&self, incoming: &mut Vec<Incoming<'_>>) -> Result<bool, Broken> {
        let mut is_progress = false;
        let mut busy = Vec::new();
        for (rank, bytes) in incoming.iter_mut() {
            if busy.contains(rank) {
                continue;
            }
            let count = transferred((&self.links[rank]).read(bytes), *rank)?;
            is_progress |= count > 0;
            *bytes = &mut std::mem::take(bytes)[count..];
            if !bytes.is_empty() {
                busy.push(*rank);
            }
        }
        incoming.retain(|(_, bytes)| !bytes.is_empty());
        Ok(is_progress)
    }

    /// Makes the connections that are missing. Of two ranks, the later one connects.
    fn connect(&mut self, ranks: &[usize], timeout: Duration) -> Result<(), Broken> {
        let start = Instant::now();
        for &rank in ranks.iter().filter(|rank| **rank < self.rank) {
            if !self.links.contains_key(&rank) {
                let link = self.connect_to(rank).map_err(|error| lost(rank, &error))?;
                self.links.insert(rank, link);
            }
        }
        self.listener.set_nonblocking(true).map_err(|error| lost(self.rank, &error))?;
        while let Some(&rank) = ranks.iter().find(|rank| !self.links.contains_key(rank)) {
            match self.listener.accept() {
                Ok((link, _)) => self.accept(link),
                Err(error) if is_early(&error) => pause(start.elapsed(), timeout, || rank)?,
                Err(error) => return Err(lost(rank, &error)),
            }
        }
        Ok(())
    }

    fn connect_to(&self, rank: usize) -> io::Result<TcpStream> {
        let mut link = TcpStream::connect(&self.addresses[rank])?;
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

/// How many bytes were transferred.
fn transferred(result: io::Result<usize>, rank: usize) -> Result<usize, Broken> {
    match result {
        Ok(0) => Err(lost(rank, &io::ErrorKind::UnexpectedEof.into())),
        Ok(count) => Ok(count),
        Err(error) if is_early(&error) => Ok(0),
        Err(error) => Err(lost(rank, &error)),
    }
}

fn lost(rank: usize, error: &io::Error) -> Broken {
    Broken { rank, cause: ClusterCause::Ended, what: format!("the connection to rank {rank} was lost ({error})") }
}

/// Lets other threads run, the longer the more time nothing has happened; an error after the time-out.
fn pause(idle: Duration, timeout: Duration, rank: impl FnOnce() -> usize) -> Result<(), Broken> {
    match idle {
        idle if idle > timeout => {
            let rank = rank();
            let what = format!("rank {rank} has transferred nothing for {}", super::failure::seconds(timeout));
            Err(Broken { rank, cause: ClusterCause::Transport, what })
        }
        idle if idle < Duration::from_micros(50) => {
            thread::yield_now();
            Ok(())
        }
        idle => {
            thread::sleep((idle / 8).min(Duration::from_millis(1)));
            Ok(())
        }
    }
}
