//! The queues of a GPU, by their number: a list that only grows, so that finding one takes no lock.

use std::sync::{Mutex, OnceLock, PoisonError};

use super::Queue;

const CHUNK: usize = 256;

type Chunk = [OnceLock<&'static Queue>; CHUNK];

/// Numbers count from 1 and fit 16 bits.
pub(super) struct Queues {
    chunks: [OnceLock<Box<Chunk>>; CHUNK],
    /// How many there are; locked while one is added.
    count: Mutex<u16>,
}

impl Queues {
    /// The most that there can be.
    pub(super) const MOST: usize = u16::MAX as usize - 1;

    pub(super) const fn new() -> Self {
        Self { chunks: [const { OnceLock::new() }; CHUNK], count: Mutex::new(0) }
    }

    /// The one with that number, which was added.
    #[inline]
    pub(super) fn get(&self, id: u16) -> &'static Queue {
        let index = usize::from(id) - 1;
        self.chunks[index / CHUNK].get().and_then(|chunk| chunk[index % CHUNK].get()).expect("a number of a queue")
    }

    /// All of them so far.
    pub(super) fn all(&self) -> Vec<&'static Queue> {
        let count = *self.count.lock().unwrap_or_else(PoisonError::into_inner);
        (1..=count).map(|id| self.get(id)).collect()
    }

    /// Adds the one that `make` makes for the next number. `None` if there are no more numbers.
    pub(super) fn add(&self, make: impl FnOnce(u16) -> Queue) -> Option<&'static Queue> {
        let mut count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let index = usize::from(*count);
        if index == Self::MOST {
            return None;
        }
        let chunk = self.chunks[index / CHUNK].get_or_init(|| Box::new([const { OnceLock::new() }; CHUNK]));
        let queue: &'static Queue = chunk[index % CHUNK].get_or_init(|| Box::leak(Box::new(make(*count + 1))));
        *count += 1;
        Some(queue)
    }
}
