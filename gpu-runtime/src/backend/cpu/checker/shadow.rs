//! The accesses of each word that later ones must be ordered after.

use std::ops::Range;

use super::Access;
use super::order::Order;
use crate::failure::AccessKind;

/// The histories of an array's units: its words, or its bytes as soon as an access is not made of words. Arrays in an array are accessed in
/// whole and by element.
#[derive(Default)]
pub(super) struct Shadow {
    /// Consecutive units, by [`PAGE`], as far as one of them has been accessed.
    pages: Vec<Option<Box<[History]>>>,
    by_byte: bool,
}

const PAGE: usize = 256;
const WORD: usize = 4;

/// What is kept of a unit: the last write, and reads since then that nothing orders before each other.
#[derive(Clone, Default)]
pub(super) struct History {
    write: Option<Access>,
    reads: Vec<Access>,
}

/// A write races with one of several reads if it races with any; two of other threads are enough to find one that is not the writer's own.
const READS: usize = 4;

impl Shadow {
    /// The numbers of the units of these bytes, the first of which is `offset` from the array's.
    pub(super) fn units(&mut self, offset: usize, bytes: usize) -> Range<usize> {
        let is_of_words = offset.is_multiple_of(WORD) && bytes.is_multiple_of(WORD);
        if !is_of_words && !self.by_byte {
            self.by_byte = true;
            self.split_words();
        }
        if self.by_byte { offset..offset + bytes } else { offset / WORD..(offset + bytes) / WORD }
    }

    /// Gives each byte the history of its word.
    #[cold]
    fn split_words(&mut self) {
        for (number, page) in std::mem::take(&mut self.pages).into_iter().enumerate() {
            for (word, history) in page.into_iter().flatten().enumerate() {
                let first = (number * PAGE + word) * WORD;
                (first..first + WORD).for_each(|byte| *self.unit(byte) = history.clone());
            }
        }
    }

    pub(super) fn unit(&mut self, unit: usize) -> &mut History {
        let number = unit / PAGE;
        if self.pages.len() <= number {
            self.pages.resize_with(number + 1, || None);
        }
        &mut self.pages[number].get_or_insert_with(|| vec![History::default(); PAGE].into())[unit % PAGE]
    }
}

impl History {
    pub(super) fn is_written(&self) -> bool {
        self.write.is_some()
    }

    /// An access that `access` races with.
    pub(super) fn conflict(&self, access: &Access, order: &Order) -> Option<Access> {
        // Plain loops: debug builds, in which test suites are checked, do not inline closures.
        let reads = if access.kind == AccessKind::Read { &[] } else { self.reads.as_slice() };
        for other in self.write.as_slice() {
            if races(other, access, order) {
                return Some(*other);
            }
        }
        for other in reads {
            if races(other, access, order) {
                return Some(*other);
            }
        }
        None
    }

    pub(super) fn add(&mut self, access: Access, order: &Order) {
        if access.kind != AccessKind::Read {
            self.reads.clear();
            self.write = Some(access);
            return;
        }
        if !self.reads.is_empty() {
            self.reads.retain(|read| !order.is_ordered(&read.moment, &access.moment));
            self.reads.truncate(READS - 1);
        }
        self.reads.push(access);
    }
}

fn races(other: &Access, access: &Access, order: &Order) -> bool {
    let both_atomic = access.kind == AccessKind::Atomic && other.kind == AccessKind::Atomic;
    !both_atomic && !order.is_ordered(&other.moment, &access.moment)
}
