//! A call of a communicator: the meeting of the ranks, and the elements that they exchange over TCP.
//!
//! All calls are made of one step, in which every rank sends a part to each other rank and receives one. An `all_reduce` takes two: each rank
//! gets one part of the elements of all ranks, combines them, and sends the result to all. So a rank sends and receives as little as in a
//! ring, and elements are always combined in the order of the ranks, with the same bits on all ranks and in every run.

use std::collections::HashMap;
use std::ops::Range;
use std::time::Duration;

use super::control::Control;
use super::failure::{ClusterCause, ClusterError, ClusterFailure, MeetingId};
use super::mesh::{Broken, Incoming, Mesh, Outgoing};
use super::reduce::{Operation, Reducible};
use crate::Result;

/// What a communicator knows of its calls.
pub(super) struct State {
    pub(super) rank: usize,
    pub(super) size: usize,
    pub(super) timeout: Duration,
    /// `None` for a rank alone.
    pub(super) control: Option<Control>,
    pub(super) transport: Transport,
    pub(super) calls: u64,
    /// How many transfers there were from a rank to another.
    pub(super) transfers: HashMap<(usize, usize), u64>,
}

/// What carries elements.
pub(super) enum Transport {
    /// Nothing, as there is one rank.
    None,
    Tcp(Mesh),
}

/// One call of all ranks.
pub(super) struct Call<'s> {
    pub(super) state: &'s mut State,
    pub(super) id: MeetingId,
    pub(super) description: String,
}

impl State {
    /// The next call of all ranks.
    pub(super) fn call(&mut self, description: String) -> Call<'_> {
        self.calls += 1;
        Call { id: MeetingId::Collective(self.calls), state: self, description }
    }

    /// The next transfer between two ranks.
    pub(super) fn next_transfer(&mut self, from: usize, to: usize) -> MeetingId {
        let number = self.transfers.entry((from, to)).or_default();
        *number += 1;
        MeetingId::Transfer { from, to, number: *number }
    }

    /// What happened on this rank, after the other ranks were told of an error.
    pub(super) fn local<R>(&mut self, id: MeetingId, description: &str, result: Result<R>) -> Result<R> {
        if let (Err(error), Some(control)) = (&result, &mut self.control) {
            let message = format!("rank {} failed in {id}, {description}: {error}", self.rank);
            control.report(ClusterFailure { rank: self.rank, call: id.number(), cause: ClusterCause::Failed, message });
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
        let (Transport::Tcp(mesh), Some(control)) = (&mut self.transport, &mut self.control) else { return Ok(()) };
        let Err(Broken { rank, cause, what }) = mesh.exchange(outgoing, incoming, self.timeout) else { return Ok(()) };
        let message = format!("{what} in {id}, {description}");
        Err(ClusterError::from(control.report(ClusterFailure { rank, call: id.number(), cause, message })).into())
    }
}

impl Call<'_> {
    /// Waits until all ranks have made the call: what each of them gave.
    pub(super) fn meet(&mut self, payload: Vec<u8>) -> Result<Vec<Vec<u8>>> {
        match &mut self.state.control {
            Some(control) => Ok(control.meet(self.id, &self.description, payload).map_err(ClusterError::from)?),
            None => Ok(vec![payload]),
        }
    }

    pub(super) fn local<R>(&mut self, result: Result<R>) -> Result<R> {
        self.state.local(self.id, &self.description, result)
    }

    fn exchange(&mut self, outgoing: &[Outgoing<'_>], incoming: &mut [Incoming<'_>]) -> Result<()> {
        self.state.exchange(self.id, &self.description, outgoing, incoming)
    }

    fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.state.rank;
        (0..self.state.size).filter(move |rank| *rank != own)
    }

    fn part(&self, len: usize, rank: usize) -> Range<usize> {
        part(len, self.state.size, rank)
    }

    /// This rank's part of the elements of all ranks, combined.
    pub(super) fn reduce_parts<T: Reducible>(&mut self, values: &[T], operation: Operation) -> Result<Vec<T>> {
        let own = self.part(values.len(), self.state.rank);
        let outgoing: Vec<Outgoing<'_>> = self.others().map(|rank| (rank, bytes_of(&values[self.part(values.len(), rank)]))).collect();
        let mut theirs: Vec<(usize, Vec<T>)> = self.others().map(|rank| (rank, values[own.clone()].to_vec())).collect();
        let mut incoming: Vec<Incoming<'_>> = theirs.iter_mut().map(|(rank, part)| (*rank, bytes_of_mut(part))).collect();
        self.exchange(&outgoing, &mut incoming)?;
        theirs.push((self.state.rank, values[own].to_vec()));
        theirs.sort_by_key(|(rank, _)| *rank);
        let parts = theirs.into_iter().map(|(_, part)| part);
        let combine = |sum: Vec<T>, part: Vec<T>| sum.into_iter().zip(part).map(|(a, b)| a.combine(b, operation)).collect();
        Ok(parts.reduce(combine).unwrap_or_default())
    }

    /// Sends this rank's part to all others, and receives theirs.
    pub(super) fn gather_parts<T: Reducible>(&mut self, values: &mut [T]) -> Result<()> {
        let own = values[self.part(values.len(), self.state.rank)].to_vec();
        let outgoing: Vec<Outgoing<'_>> = self.others().map(|rank| (rank, bytes_of(&own))).collect();
        let mut incoming = self.incoming_parts(values);
        self.exchange(&outgoing, &mut incoming)
    }

    /// Sends this rank's part to `root` alone, which receives all.
    pub(super) fn gather_parts_at<T: Reducible>(&mut self, values: &mut [T], root: usize) -> Result<()> {
        if self.state.rank == root {
            let mut incoming = self.incoming_parts(values);
            return self.exchange(&[], &mut incoming);
        }
        let own = self.part(values.len(), self.state.rank);
        self.exchange(&[(root, bytes_of(&values[own]))], &mut [])
    }

    /// Sends the elements of `root` to all others.
    pub(super) fn spread(&mut self, bytes: &mut [u8], root: usize) -> Result<()> {
        if self.state.rank == root {
            let outgoing: Vec<Outgoing<'_>> = self.others().map(|rank| (rank, &*bytes)).collect();
            return self.exchange(&outgoing, &mut []);
        }
        self.exchange(&[], &mut [(root, bytes)])
    }

    /// Sends part `r` to rank `r`, and receives a part of each.
    pub(super) fn swap_parts(&mut self, source: &[u8], target: &mut [u8]) -> Result<()> {
        let own = self.part(source.len(), self.state.rank);
        target[own.clone()].copy_from_slice(&source[own]);
        let outgoing: Vec<Outgoing<'_>> = self.others().map(|rank| (rank, &source[self.part(source.len(), rank)])).collect();
        let mut incoming = self.incoming_parts(target);
        self.exchange(&outgoing, &mut incoming)
    }

    /// Memory for the parts of the others.
    fn incoming_parts<'v, T: Reducible>(&self, values: &'v mut [T]) -> Vec<Incoming<'v>> {
        let len = values.len();
        let (mut rest, mut incoming) = (values, Vec::new());
        for rank in 0..self.state.size {
            let (part, behind) = rest.split_at_mut(self.part(len, rank).len());
            if rank != self.state.rank {
                incoming.push((rank, bytes_of_mut(part)));
            }
            rest = behind;
        }
        incoming
    }
}

/// Part `rank` of `len` elements that are divided among `size` ranks.
pub(super) fn part(len: usize, size: usize, rank: usize) -> Range<usize> {
    let start = |rank: usize| len / size * rank + rank.min(len % size);
    start(rank)..start(rank + 1)
}

fn bytes_of<T: Reducible>(values: &[T]) -> &[u8] {
    // SAFETY: numbers have no padding.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

fn bytes_of_mut<T: Reducible>(values: &mut [T]) -> &mut [u8] {
    // SAFETY: numbers have no padding, and any bits are a number.
    unsafe { std::slice::from_raw_parts_mut(values.as_mut_ptr().cast(), size_of_val(values)) }
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn parts_cover_all_elements_and_differ_by_one_at_most() {
        for (len, size) in [(0, 3), (1, 4), (10, 4), (12, 4), (13, 1)] {
            let parts: Vec<_> = (0..size).map(|rank| part(len, size, rank)).collect();
            assert_eq!(parts.iter().flat_map(Clone::clone).collect::<Vec<_>>(), (0..len).collect::<Vec<_>>());
            assert!(parts.iter().all(|part| part.len() == len / size || part.len() == len / size + 1));
        }
    }
}
