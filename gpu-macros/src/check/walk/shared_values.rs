//! What all threads of a block read from shared memory alike.
//!
//! The threads of a block pass the same barriers in the same order. If no thread writes to an array between two of them, all threads that
//! read an element of it there get the same value, whoever wrote it before.
//!
//! A read and a write can be between the same two barriers only if the same barrier may be the last before both
//! ([`reaching_barriers`](super::reaching_barriers)). The walk does not know the writes that are still to come. So it assumes that there are
//! none, and if a later one contradicts that, it repeats.

use super::reaching_barriers::ReachingBarriers;
use super::walker::Walker;
use crate::check::clients::shared_memory::is_shared_array;
use crate::check::values::form::Uniformity;
use crate::model::{Expr, FunctionKind, LocalId};
use crate::vec_map::VecSet;
use std::collections::HashMap;

/// The barriers that may be the last before something. `None` is the beginning of the function.
type LastBarriers = VecSet<Option<usize>>;

/// What is known of the writes to shared arrays, from this round of the walk and those before.
#[derive(Default)]
pub(crate) struct SharedValues {
    /// The barriers before the writes to an array.
    writes: HashMap<LocalId, LastBarriers>,
    /// Arrays that may be written at any time.
    unordered: VecSet<LocalId>,
    /// The barriers before the ends of a device function. Its next call may follow at once, and uses the same arrays.
    ends: LastBarriers,
    /// The reads of this round that were taken to be the same for all threads of a block.
    uniform: Vec<(LocalId, LastBarriers)>,
}

impl SharedValues {
    /// Whether all threads read the same from `array` after these barriers, as far as is known.
    fn is_uniform(&self, array: LocalId, reads: &LastBarriers) -> bool {
        let (reads, writes) = (self.with_next_call(reads), self.writes.get(&array).map(|writes| self.with_next_call(writes)));
        !self.unordered.contains(&array) && !writes.is_some_and(|writes| writes.iter().any(|barrier| reads.contains(barrier)))
    }

    fn with_next_call(&self, barriers: &LastBarriers) -> LastBarriers {
        let mut barriers = barriers.clone();
        if barriers.iter().any(|barrier| self.ends.contains(barrier)) {
            barriers.insert(None);
        }
        barriers
    }
}

impl Walker<'_> {
    /// Which threads read the same from an element of `array` that they agree on.
    pub(crate) fn spread_of_shared(&mut self, array: LocalId) -> Uniformity {
        // The threads that call a function with no barrier in it may be anywhere.
        let pass_barriers_together = matches!(self.function.kind, FunctionKind::Kernel(_)) || self.function.is_async;
        let is_shared = is_shared_array(self.function.local(array));
        let Some(ways) = self.ways_here().filter(|_| pass_barriers_together && is_shared) else { return Uniformity::Thread };
        let reads = ways.last_barriers();
        if !self.shared_values.is_uniform(array, &reads) {
            return Uniformity::Thread;
        }
        self.shared_values.uniform.push((array, reads));
        Uniformity::Block
    }

    /// A thread writes to the shared array that `place` is, or is in.
    pub(crate) fn note_write(&mut self, place: &Expr) {
        let Some(array) = place.place().variable().filter(|array| is_shared_array(self.function.local(*array))) else { return };
        match self.ways_here() {
            Some(ways) => self.shared_values.writes.entry(array).or_default().extend(ways.last_barriers()),
            // A closure runs at any time.
            None => self.note_unordered(array),
        }
    }

    /// The proofs do not follow what happens to `array`.
    pub(crate) fn note_unordered(&mut self, array: LocalId) {
        self.shared_values.unordered.insert(array);
    }

    /// A thread returns from the function.
    pub(crate) fn note_end(&mut self) {
        if !matches!(self.function.kind, FunctionKind::Kernel(_)) {
            self.shared_values.ends.extend(self.ways.last_barriers());
        }
    }

    /// At the end of a round of the walk: whether what it has assumed of shared arrays holds.
    pub(crate) fn check_shared_values(&mut self) {
        let values = &mut self.shared_values;
        for (array, reads) in std::mem::take(&mut values.uniform) {
            // What is never written has no value: the compiler chooses one for each read.
            if !values.writes.contains_key(&array) {
                values.unordered.insert(array);
            }
            if !values.is_uniform(array, &reads) {
                self.settled = false;
            }
        }
    }
}

impl ReachingBarriers {
    fn last_barriers(&self) -> LastBarriers {
        let mut barriers = LastBarriers::default();
        barriers.extend(self.iter().map(|passed| passed.barrier));
        barriers
    }
}
