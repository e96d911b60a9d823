//! The receiver of a method whose arguments may change it.

use std::ops::{Deref, DerefMut};

/// An element whose method is called after the arguments have been evaluated. Rust copies it before them if the method takes it by value, and else
/// lends it: then, no argument has changed it. Only rustc sees which it is.
#[derive(Debug)]
pub struct Receiver<'p, T> {
    /// What a method by value takes: the element before the arguments. One by `&self` finds the same there.
    pub before: T,
    /// What a method changes.
    pub place: &'p mut T,
}

impl<T> Deref for Receiver<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.before
    }
}

impl<T> DerefMut for Receiver<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        self.place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy)]
    struct Counter(u32);

    impl Counter {
        fn joined(self, other: u32) -> u32 {
            self.0 * 10 + other
        }

        fn get(&self) -> u32 {
            self.0
        }

        fn add(&mut self, count: u32) -> u32 {
            self.0 += count;
            self.0
        }
    }

    #[test]
    fn values_are_those_before_and_changes_remain() {
        let mut counter = Counter(2);
        assert_eq!((*Receiver { before: Counter(1), place: &mut counter }).joined(2), 12);
        assert_eq!((*Receiver { before: Counter(1), place: &mut counter }).get(), 1);
        assert_eq!((*Receiver { before: Counter(1), place: &mut counter }).add(3), 5);
        assert_eq!(counter.0, 5);
    }
}
