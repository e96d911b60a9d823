//! The calls between CPUs, over TCP.
//!
//! All are made of one step, in which every rank sends a part to each other rank and receives one. An `all_reduce` takes two: each rank
//! gets one part of the elements of all ranks, combines them, and sends the result to all. So a rank sends and receives as little as in a
//! ring, and elements are always combined in the order of the ranks, with the same bits on all ranks and in every run.

use std::ops::Range;

use super::call::Call;
use super::mesh::{Incoming, Outgoing};
use super::reduce::{Operation, Reducible};
use crate::Result;
use crate::memory::{DeviceSlice, DeviceSliceMut};

pub(super) fn all_reduce<T: Reducible>(call: &mut Call<'_>, array: &mut DeviceSliceMut<'_, T>, operation: Operation) -> Result<()> {
    let mut values = call.local(array.to_host())?;
    call.meet(Vec::new())?;
    call.reduce_own_part(&mut values, operation)?;
    call.gather_parts(&mut values)?;
    let written = array.copy_from_host(&values);
    call.local(written)
}

pub(super) fn reduce<T: Reducible>(
    call: &mut Call<'_>,
    array: &mut DeviceSliceMut<'_, T>,
    operation: Operation,
    root: usize,
) -> Result<()> {
    let mut values = call.local(array.to_host())?;
    call.meet(Vec::new())?;
    call.reduce_own_part(&mut values, operation)?;
    call.gather_parts_at(&mut values, root)?;
    let written = if call.state.rank == root { array.copy_from_host(&values) } else { Ok(()) };
    call.local(written)
}

pub(super) fn reduce_scatter<T: Reducible>(
    call: &mut Call<'_>,
    array: DeviceSlice<'_, T>,
    part: &mut DeviceSliceMut<'_, T>,
    operation: Operation,
) -> Result<()> {
    let values = call.local(array.to_host())?;
    call.meet(Vec::new())?;
    let own = call.reduce_parts(&values, operation)?;
    let written = part.copy_from_host(&own);
    call.local(written)
}

pub(super) fn broadcast(call: &mut Call<'_>, array: &mut DeviceSliceMut<'_, u8>, root: usize) -> Result<()> {
    let mut values = call.local(array.to_host())?;
    call.meet(Vec::new())?;
    call.spread(&mut values, root)?;
    let written = if call.state.rank == root { Ok(()) } else { array.copy_from_host(&values) };
    call.local(written)
}

pub(super) fn all_gather(call: &mut Call<'_>, array: DeviceSlice<'_, u8>, all: &mut DeviceSliceMut<'_, u8>) -> Result<()> {
    let own = call.local(array.to_host())?;
    call.meet(Vec::new())?;
    let mut values = vec![0; own.len() * call.state.size];
    values[call.state.rank * own.len()..][..own.len()].copy_from_slice(&own);
    call.gather_parts(&mut values)?;
    let written = all.copy_from_host(&values);
    call.local(written)
}

pub(super) fn all_to_all(call: &mut Call<'_>, source: DeviceSlice<'_, u8>, target: &mut DeviceSliceMut<'_, u8>) -> Result<()> {
    let values = call.local(source.to_host())?;
    call.meet(Vec::new())?;
    let mut swapped = vec![0; values.len()];
    call.swap_parts(&values, &mut swapped)?;
    let written = target.copy_from_host(&swapped);
    call.local(written)
}

/// The steps.
impl Call<'_> {
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
    fn reduce_parts<T: Reducible>(&mut self, values: &[T], operation: Operation) -> Result<Vec<T>> {
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

    /// Replaces this rank's part by that of all ranks, combined.
    fn reduce_own_part<T: Reducible>(&mut self, values: &mut [T], operation: Operation) -> Result<()> {
        let own = self.reduce_parts(values, operation)?;
        let part = self.part(values.len(), self.state.rank);
        values[part].copy_from_slice(&own);
        Ok(())
    }

    /// Sends this rank's part to all others, and receives theirs.
    fn gather_parts<T: Reducible>(&mut self, values: &mut [T]) -> Result<()> {
        let own = values[self.part(values.len(), self.state.rank)].to_vec();
        let outgoing: Vec<Outgoing<'_>> = self.others().map(|rank| (rank, bytes_of(&own))).collect();
        let mut incoming = self.incoming_parts(values);
        self.exchange(&outgoing, &mut incoming)
    }

    /// Sends this rank's part to `root` alone, which receives all.
    fn gather_parts_at<T: Reducible>(&mut self, values: &mut [T], root: usize) -> Result<()> {
        if self.state.rank == root {
            let mut incoming = self.incoming_parts(values);
            return self.exchange(&[], &mut incoming);
        }
        let own = self.part(values.len(), self.state.rank);
        self.exchange(&[(root, bytes_of(&values[own]))], &mut [])
    }

    /// Sends the elements of `root` to all others.
    fn spread(&mut self, bytes: &mut [u8], root: usize) -> Result<()> {
        if self.state.rank == root {
            let outgoing: Vec<Outgoing<'_>> = self.others().map(|rank| (rank, &*bytes)).collect();
            return self.exchange(&outgoing, &mut []);
        }
        self.exchange(&[], &mut [(root, bytes)])
    }

    /// Sends part `r` to rank `r`, and receives a part of each.
    fn swap_parts(&mut self, source: &[u8], target: &mut [u8]) -> Result<()> {
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
