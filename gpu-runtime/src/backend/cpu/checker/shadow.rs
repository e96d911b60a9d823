//! The accesses of each word that later ones must be ordered after.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::Access;
use super::order::Order;
use crate::failure::AccessKind;

/// The histories of the words or bytes of an array, by address.
#[derive(Default)]
pub(super) struct Shadow(HashMap<usize, History, BuildHasherDefault<AddressHasher>>);

/// Addresses are spread already, but for their lowest bits.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_usize(usize::from(*byte)));
    }

    fn write_usize(&mut self, address: usize) {
        self.0 = (self.0 ^ address as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(32);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// What is kept of a unit: the last write, and reads since then that nothing orders before each other.
#[derive(Default)]
pub(super) struct History {
    write: Option<Access>,
    reads: Vec<Access>,
}

/// A write races with one of several reads if it races with any; two of other threads are enough to find one that is not the writer's own.
const READS: usize = 4;

impl Shadow {
    pub(super) fn unit(&mut self, address: usize) -> &mut History {
        self.0.entry(address).or_default()
    }
}

impl History {
    pub(super) fn is_written(&self) -> bool {
        self.write.is_some()
    }

    /// An access that `access` races with.
    pub(super) fn conflict(&self, access: &Access, order: &Order) -> Option<Access> {
        let races = |other: &&Access| {
            let both_atomic = access.kind == AccessKind::Atomic && other.kind == AccessKind::Atomic;
            !both_atomic && !order.is_ordered(&other.moment, &access.moment)
        };
        let reads = self.reads.iter().filter(|_| access.kind != AccessKind::Read);
        self.write.iter().chain(reads).find(races).copied()
    }

    pub(super) fn add(&mut self, access: Access, order: &Order) {
        if access.kind != AccessKind::Read {
            self.reads.clear();
            self.write = Some(access);
            return;
        }
        self.reads.retain(|read| !order.is_ordered(&read.moment, &access.moment));
        self.reads.truncate(READS - 1);
        self.reads.push(access);
    }
}
