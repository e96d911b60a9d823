//! Which operations of a graph an operation must follow: those that use the same memory before it, unless both only read.

use std::ops::Range;

use crate::backend::Access;
use crate::backend::recording::Part;

/// The operations so far, by their number.
#[derive(Default)]
pub(super) struct History {
    /// The uses that a later one may have to follow.
    uses: Vec<Use>,
    /// What each operation follows.
    followed: Vec<Vec<usize>>,
}

/// How far back it is looked for operations that need not be followed: a long graph is recorded in the time that its operations take.
const MOST_BACK: usize = 1000;

struct Use {
    bytes: Range<u64>,
    access: Access,
    operation: usize,
}

impl History {
    /// Adds an operation that uses memory in these ways: which ones it must follow. Those that they follow themselves, directly or not, are left
    /// out, if they are not far back.
    pub(super) fn add(&mut self, parts: &[Part]) -> &[usize] {
        let operation = self.followed.len();
        let conflicts = self.uses.iter().filter(|old| parts.iter().any(|part| old.conflicts_with(part)));
        // In ascending order, as uses are.
        let mut follows: Vec<usize> = conflicts.map(|old| old.operation).collect();
        follows.dedup();
        self.leave_out_indirect(&mut follows);
        self.followed.push(follows);
        for part in parts {
            self.uses.retain(|old| !old.is_covered_by(part));
            self.uses.push(Use { bytes: part.0.clone(), access: part.1, operation });
        }
        &self.followed[operation]
    }

    /// Leaves out the operations that others of the list follow.
    fn leave_out_indirect(&self, follows: &mut Vec<usize>) {
        let &[first, .., last] = follows.as_slice() else { return };
        let first = first.max(last.saturating_sub(MOST_BACK));
        // Of the operations from `first` on, whether one of the list follows it.
        let mut is_followed = vec![false; last - first + 1];
        for operation in (first..=last).rev() {
            if is_followed[operation - first] || follows.binary_search(&operation).is_ok() {
                self.followed[operation].iter().filter(|&&before| before >= first).for_each(|before| is_followed[before - first] = true);
            }
        }
        follows.retain(|&one| one < first || !is_followed[one - first]);
    }
}

impl Use {
    fn conflicts_with(&self, (bytes, access): &Part) -> bool {
        let overlap = self.bytes.start < bytes.end && bytes.start < self.bytes.end;
        overlap && (self.access == Access::Write || *access == Access::Write)
    }

    /// Whether who follows the new use also follows this one.
    fn is_covered_by(&self, (bytes, access): &Part) -> bool {
        *access == Access::Write && bytes.start <= self.bytes.start && self.bytes.end <= bytes.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: Range<u64> = 0..100;
    const Y: Range<u64> = 100..200;
    const Z: Range<u64> = 200..300;

    fn reads(bytes: Range<u64>) -> Part {
        (bytes, Access::Read)
    }

    fn writes(bytes: Range<u64>) -> Part {
        (bytes, Access::Write)
    }

    #[test]
    fn operations_follow_those_that_use_the_same_memory() {
        let mut history = History::default();
        assert_eq!(history.add(&[writes(X)]), []);
        assert_eq!(history.add(&[writes(Y)]), [], "other memory");
        assert_eq!(history.add(&[reads(X), writes(Z)]), [0]);
        assert_eq!(history.add(&[reads(X)]), [0], "both only read");
        assert_eq!(history.add(&[reads(Y), reads(Z)]), [1, 2]);
        assert_eq!(history.add(&[writes(X)]), [2, 3], "operation 0 is followed by both");
        assert_eq!(history.add(&[reads(X)]), [5]);
    }

    #[test]
    fn parts_of_an_array_are_different_memory() {
        let mut history = History::default();
        history.add(&[writes(0..50)]);
        assert_eq!(history.add(&[writes(50..100)]), []);
        assert_eq!(history.add(&[reads(40..60)]), [0, 1]);
        assert_eq!(history.add(&[writes(0..45)]), [2], "operation 0 is followed by 2");
        assert_eq!(history.add(&[writes(45..60)]), [2], "operation 0 wrote 45 to 50");
    }

    #[test]
    fn what_is_followed_through_others_is_left_out() {
        let mut history = History::default();
        history.add(&[reads(X), writes(Y)]);
        history.add(&[reads(Y), writes(Z)]);
        assert_eq!(history.add(&[reads(Z), writes(X)]), [1], "operation 0, which has read X, is followed by 1");
        for step in 3..2 * MOST_BACK {
            assert_eq!(history.add(&[reads(X), writes(X)]), [step - 1]);
        }
        assert_eq!(history.add(&[reads(X), writes(Z)]), [1, 2, 2 * MOST_BACK - 1], "1 is far back");
    }

    #[test]
    fn two_arrays_in_turn_are_a_chain() {
        let mut history = History::default();
        for step in 0..10 {
            let (from, to) = if step % 2 == 0 { (X, Y) } else { (Y, X) };
            let expected: Vec<usize> = (step > 0).then(|| step - 1).into_iter().collect();
            assert_eq!(history.add(&[reads(from), writes(to)]), expected);
        }
        assert!(history.uses.len() <= 4, "what is covered is forgotten");
    }

    #[test]
    fn whatever_the_program_conflicting_operations_are_in_order() {
        let mut state = 88172645463325252u64;
        let mut random = |below: u64| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state % below
        };
        for _ in 0..100 {
            let (mut history, mut program) = (History::default(), Vec::<Vec<Part>>::new());
            // The operations that each one follows, directly or not.
            let mut before: Vec<Vec<bool>> = Vec::new();
            for number in 0..40 {
                let mut part = || {
                    let start = 10 * random(8);
                    (start..start + 10 * (1 + random(4)), if random(2) == 0 { Access::Read } else { Access::Write })
                };
                let parts = vec![part(), part()];
                let mut reached = vec![false; number];
                for &other in history.add(&parts) {
                    reached[other] = true;
                    before[other].iter().zip(&mut reached).for_each(|(&is, reached)| *reached |= is);
                }
                for (earlier, is_before) in program.iter().zip(&reached) {
                    let conflicts = |old: &Part| {
                        let used = Use { bytes: old.0.clone(), access: old.1, operation: 0 };
                        parts.iter().any(|part| used.conflicts_with(part))
                    };
                    assert!(*is_before || !earlier.iter().any(conflicts), "{earlier:?} and then {parts:?}");
                }
                program.push(parts);
                before.push(reached);
            }
        }
    }
}
