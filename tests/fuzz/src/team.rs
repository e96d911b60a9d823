//! What plain Rust has for a block of threads: one of the system's threads for each.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::outcome::note_failure_in_team;

/// One thread's view of its block.
pub(crate) struct Team<'a> {
    barrier: &'a Barrier,
    /// What each thread of the block gives the others of its warp.
    given: &'a [AtomicU64],
    pub(crate) thread: usize,
    pub(crate) block: usize,
}

/// Runs `thread` for the threads of one block after the other, each with its part of the trace.
pub(crate) fn run_team(blocks: usize, threads: usize, trace: &mut [u64], thread: impl Fn(&Team<'_>, &mut [u64]) + Sync) {
    let traced = trace.len() / (blocks * threads);
    for (block, traces) in trace.chunks_mut(traced * threads).enumerate() {
        let barrier = Barrier::new(threads);
        let given: Vec<AtomicU64> = (0..threads).map(|_| AtomicU64::new(0)).collect();
        let failed = std::thread::scope(|scope| {
            let start = |(number, trace)| {
                let team = Team { barrier: &barrier, given: &given, thread: number, block };
                let thread = &thread;
                scope.spawn(move || thread(&team, trace))
            };
            let started: Vec<_> = traces.chunks_mut(traced).enumerate().map(start).collect();
            started.into_iter().filter_map(|thread| thread.join().err()).last()
        });
        if let Some(panic) = failed {
            note_failure_in_team();
            std::panic::resume_unwind(panic);
        }
    }
}

impl Team<'_> {
    pub(crate) fn wait(&self) {
        self.barrier.wait();
    }

    /// The number among all threads of the grid.
    pub(crate) fn grid_1d(&self) -> usize {
        self.block * self.given.len() + self.thread
    }

    /// What the 32 threads of the warp give, all of which are there.
    fn meet<T: Word>(&self, value: T) -> Vec<T> {
        self.given[self.thread].store(value.to_word(), Relaxed);
        self.wait();
        let values = self.given[self.thread / 32 * 32..][..32].iter().map(|given| T::from_word(given.load(Relaxed))).collect();
        self.wait();
        values
    }

    fn lane(&self) -> usize {
        self.thread % 32
    }

    pub(crate) fn warp_shuffle<T: Word>(&self, value: T, lane: usize) -> T {
        self.meet(value)[lane % 32]
    }

    pub(crate) fn warp_shuffle_up<T: Word>(&self, value: T, delta: usize) -> T {
        self.meet(value)[self.lane().checked_sub(delta).unwrap_or(self.lane())]
    }

    pub(crate) fn warp_shuffle_down<T: Word>(&self, value: T, delta: usize) -> T {
        self.meet(value)[self.lane().checked_add(delta).filter(|lane| *lane < 32).unwrap_or(self.lane())]
    }

    pub(crate) fn warp_shuffle_xor<T: Word>(&self, value: T, bits: usize) -> T {
        self.meet(value)[self.lane() ^ (bits % 32)]
    }

    pub(crate) fn warp_sum<T: Word + std::iter::Sum>(&self, value: T) -> T {
        self.meet(value).into_iter().sum()
    }

    pub(crate) fn warp_min<T: Word + Ord>(&self, value: T) -> T {
        self.meet(value).into_iter().min().expect("a warp has threads")
    }

    pub(crate) fn warp_max<T: Word + Ord>(&self, value: T) -> T {
        self.meet(value).into_iter().max().expect("a warp has threads")
    }

    pub(crate) fn warp_xor<T: Word + std::ops::BitXor<Output = T>>(&self, value: T) -> T {
        self.meet(value).into_iter().reduce(|a, b| a ^ b).expect("a warp has threads")
    }

    pub(crate) fn warp_all(&self, holds: bool) -> bool {
        self.meet(holds).into_iter().all(|holds| holds)
    }

    pub(crate) fn warp_any(&self, holds: bool) -> bool {
        self.meet(holds).into_iter().any(|holds| holds)
    }

    pub(crate) fn warp_ballot(&self, holds: bool) -> u32 {
        self.meet(holds).into_iter().rev().fold(0, |lanes, holds| lanes << 1 | u32::from(holds))
    }

    pub(crate) fn warp_match_any<T: Word + PartialEq>(&self, value: T) -> u32 {
        self.meet(value).into_iter().rev().fold(0, |lanes, other| lanes << 1 | u32::from(other == value))
    }

    /// For how many threads of the block it holds.
    pub(crate) fn sync_threads_count(&self, holds: bool) -> usize {
        self.given[self.thread].store(u64::from(holds), Relaxed);
        self.wait();
        let count = self.given.iter().filter(|given| given.load(Relaxed) == 1).count();
        self.wait();
        count
    }
}

/// A value that threads of a warp can give each other.
pub(crate) trait Word: Copy {
    fn to_word(self) -> u64;
    fn from_word(word: u64) -> Self;
}

macro_rules! words {
    ($($T:ident, $to:expr, $from:expr;)*) => {
        $(impl Word for $T {
            fn to_word(self) -> u64 {
                let to: fn($T) -> u64 = $to;
                to(self)
            }

            fn from_word(word: u64) -> Self {
                let from: fn(u64) -> $T = $from;
                from(word)
            }
        })*
    };
}

macro_rules! integers {
    ($($T:ident)*) => {
        words! { $($T, |value| value as u64, |word| word as $T;)* }
    };
}

integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

words! {
    bool, u64::from, |word| word != 0;
    f32, |value| value.to_bits().into(), |word| f32::from_bits(word as u32);
    f64, f64::to_bits, f64::from_bits;
}

/// Memory that the threads of a block share.
#[derive(Clone, Copy)]
pub(crate) struct Shared<T> {
    elements: *mut T,
    length: usize,
}

// SAFETY: a kernel writes an element from one thread and reads it from others only with a barrier in between, as generated.
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shared<T> {}

impl<T: Copy> Shared<T> {
    /// For the time in which the elements live, which the caller must use for nothing else.
    pub(crate) fn new(elements: &mut [T]) -> Self {
        Self { elements: elements.as_mut_ptr(), length: elements.len() }
    }

    /// An element, as a place.
    #[allow(clippy::mut_from_ref, reason = "generated code reads or writes the place, and keeps no reference to it")]
    pub(crate) fn at<'a>(self, index: usize) -> &'a mut T {
        assert!(index < self.length, "out of bounds");
        // SAFETY: the index is in bounds; the elements live as long as the threads, which take turns by barriers.
        unsafe { &mut *self.elements.add(index) }
    }
}
