//! Which accesses lie between the same two barriers.
//!
//! The threads of a block pass the same barriers in the same order (see [`collectives`](crate::check::clients::collectives)). So two threads are between the
//! same two barriers exactly when they have passed the same barrier last. The walk keeps, for each point of the program, the barriers that may be the last
//! one there: a barrier replaces them by itself, and where paths join there are those of both.
//!
//! Two threads that passed the same barrier last may still be in different iterations of a loop, and a variable may have different values
//! there. So for each last barrier the walk also counts how often the head of each loop was passed since. Where the counts are equal (and
//! known), the threads are in the same iteration.
//!
//! All threads of a block leave a loop together if they agree on its condition and on each `break`. So of two threads that have come to the head
//! of one for the same time since their last barrier, not one goes on with the loop while the other one has left it there.

use super::flow::State;
use super::walker::Walker;
use crate::check::clients::shared_memory::shared_arrays;
use crate::check::values::form::Uniformity;
use crate::model::{Function, LabelId};
use crate::vec_map::{VecMap, VecSet};
use std::collections::HashMap;

/// A way to have got to a point: the last barrier, and what was passed since.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LastBarrier {
    /// `None` for the beginning of the kernel. The barriers are numbered in the order of the walk.
    pub(crate) barrier: Option<usize>,
    /// How often the head of each loop was passed since, also those around the barrier. `None` where that is not known.
    heads: Option<VecMap<LabelId, u8>>,
    /// Whether the threads went on with a loop where they last passed its head, or left it there, all of the block together.
    stays: VecMap<LabelId, bool>,
}

/// Counts above this are not told apart.
const MANY: u8 = 2;
/// With more ways to a point than this, the iterations are not told apart.
const MOST_WAYS: usize = 48;

impl LastBarrier {
    /// Whether two threads that came these ways are in the same iteration of these loops.
    pub(crate) fn same_iteration(&self, other: &LastBarrier, loops: &[LabelId]) -> bool {
        let (Some(heads), Some(others)) = (&self.heads, &other.heads) else { return loops.is_empty() };
        loops.iter().all(|label| {
            let count = heads.get(label).copied().unwrap_or(0);
            count == others.get(label).copied().unwrap_or(0) && count < MANY
        })
    }

    /// Whether a thread that came this way is in one of these loops in an iteration before which all threads that came the `other` way left it.
    pub(crate) fn excludes(&self, other: &LastBarrier, loops: &[LabelId]) -> bool {
        let is_left = |label: &LabelId| (self.stays.get(label), other.stays.get(label)) == (Some(&true), Some(&false));
        (0..loops.len()).any(|at| is_left(&loops[at]) && self.same_iteration(other, &loops[..=at]))
    }

    /// Whether a thread that came this way is in the iteration of the innermost of these loops before that of one that came the `other` way:
    /// the barrier is in the loop, and only the other one has passed the head since. Both are still in the loop.
    pub(crate) fn is_iteration_before(&self, other: &LastBarrier, loops: &[LabelId]) -> bool {
        let (Some(heads), Some(others), Some((label, around))) = (&self.heads, &other.heads, loops.split_last()) else { return false };
        heads.get(label) == Some(&0) && others.get(label) == Some(&1) && self.same_iteration(other, around)
    }
}

/// The ways to a point. None: it is never reached.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ReachingBarriers(VecSet<LastBarrier>);

impl ReachingBarriers {
    fn beginning() -> ReachingBarriers {
        ReachingBarriers(VecSet::of(LastBarrier { barrier: None, heads: Some(VecMap::default()), stays: VecMap::default() }))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &LastBarrier> {
        self.0.iter()
    }

    pub(crate) fn join(&mut self, other: ReachingBarriers) {
        self.0.extend(other.0);
        if self.0.len() > MOST_WAYS {
            self.0 = std::mem::take(&mut self.0)
                .into_iter()
                .map(|passed| LastBarrier { heads: None, stays: VecMap::default(), ..passed })
                .collect();
        }
        // A way with unknown counts stands for all from its barrier: what is known only grows from round to round.
        let unknown: VecSet<Option<usize>> = self.0.iter().filter(|passed| passed.heads.is_none()).map(|passed| passed.barrier).collect();
        self.0.retain(|passed| passed.heads.is_none() || !unknown.contains(&passed.barrier));
    }

    fn pass_head(&mut self, label: LabelId) {
        self.change(|passed| {
            if let Some(heads) = &mut passed.heads {
                let count = heads.get_or_insert(label, 0);
                *count = MANY.min(*count + 1);
            }
            passed.stays.remove(&label);
        });
    }

    fn change(&mut self, change: impl Fn(&mut LastBarrier)) {
        let passed = std::mem::take(&mut self.0).into_iter().map(|mut passed| {
            change(&mut passed);
            passed
        });
        self.0 = passed.collect();
    }
}

/// The barriers of a walk.
#[derive(Debug, Default)]
pub(crate) struct Barriers {
    /// Whether anybody asks.
    active: bool,
    passed: usize,
    /// Back to the head of each loop, in this round of the walk or one before.
    repeats: HashMap<LabelId, ReachingBarriers>,
}

impl Barriers {
    /// Of a function without shared arrays nobody asks.
    pub(crate) fn new(function: &Function) -> Barriers {
        Barriers { active: shared_arrays(function).next().is_some(), ..Barriers::default() }
    }

    /// Begins a round of the walk.
    pub(crate) fn begin(&mut self) -> ReachingBarriers {
        self.passed = 0;
        if self.active { ReachingBarriers::beginning() } else { ReachingBarriers::default() }
    }
}

impl Walker<'_> {
    /// All threads of the block wait for each other here.
    pub(crate) fn pass_barrier(&mut self) {
        if self.barriers.active {
            let mut heads = VecMap::default();
            for label in &self.enclosing {
                heads.insert(*label, 0);
            }
            let barrier = Some(self.barriers.passed);
            self.ways = ReachingBarriers(VecSet::of(LastBarrier { barrier, heads: Some(heads), stays: VecMap::default() }));
            self.barriers.passed += 1;
        }
    }

    /// At the head of a loop, which is reached from before it and from its end.
    pub(crate) fn pass_head(&mut self, label: LabelId) {
        if let Some(repeats) = self.barriers.repeats.get(&label) {
            self.ways.join(repeats.clone());
        }
        self.ways.pass_head(label);
    }

    /// At the head of a loop, where its condition is known: the state in which it ends. From here on, it goes on.
    pub(crate) fn part_at_head(&mut self, label: LabelId) -> State {
        let mut end = self.state();
        if self.barriers.active && self.control <= Uniformity::Block {
            let stays = |stays: bool| {
                move |passed: &mut LastBarrier| {
                    if passed.heads.is_some() {
                        passed.stays.insert(label, stays);
                    }
                }
            };
            end.ways.change(stays(false));
            self.ways.change(stays(true));
        }
        end
    }

    /// Goes back to the head of a loop.
    pub(crate) fn repeat(&mut self, label: LabelId) {
        if !self.barriers.active {
            return;
        }
        let known = self.barriers.repeats.entry(label).or_default();
        let before = known.clone();
        known.join(self.ways.clone());
        if *known != before {
            self.settled = false;
        }
    }
}
