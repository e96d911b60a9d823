//! Values that are created once, each in its own slot, so that creating one does not block access to another.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Result;

/// Empty until the value is made; locked while somebody makes it.
type Slot<V> = Arc<Mutex<Option<V>>>;

/// A slot per key.
pub(crate) struct Slots<K, V> {
    /// Locked for the look-up alone.
    slots: Mutex<HashMap<K, Slot<V>>>,
}

impl<K, V> Default for Slots<K, V> {
    fn default() -> Self {
        Self { slots: Mutex::default() }
    }
}

impl<K: Clone + Eq + Hash, V: Copy> Slots<K, V> {
    /// The value of `key`, which `make` makes if there is none. A failure is not kept: the user may install what was missing and
    /// try again.
    pub(crate) fn find_or_make(&self, key: &K, make: impl FnOnce() -> Result<V>) -> Result<V> {
        let slot = self.slot(key);
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        match *slot {
            Some(value) => Ok(value),
            None => Ok(*slot.insert(make()?)),
        }
    }

    fn slot(&self, key: &K) -> Slot<V> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        // Keys are cloned for new slots alone: some allocate.
        match slots.get(key) {
            Some(slot) => Arc::clone(slot),
            None => Arc::clone(slots.entry(key.clone()).or_default()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    use super::*;
    use crate::Error;

    #[test]
    fn while_one_value_is_made_others_are_found_and_made() {
        let slots = Slots::<&str, usize>::default();
        slots.find_or_make(&"there", || Ok(1)).unwrap();
        let ((started, wait_for_start), (finish, wait_for_finish)) = (mpsc::channel(), mpsc::channel());
        std::thread::scope(|scope| {
            let slow = scope.spawn(|| {
                slots.find_or_make(&"slow", move || {
                    started.send(()).unwrap();
                    wait_for_finish.recv().unwrap();
                    Ok(2)
                })
            });
            wait_for_start.recv().unwrap();
            assert_eq!(slots.find_or_make(&"there", || unreachable!("it is there")).unwrap(), 1);
            assert_eq!(slots.find_or_make(&"new", || Ok(3)).unwrap(), 3);
            finish.send(()).unwrap();
            assert_eq!(slow.join().unwrap().unwrap(), 2);
        });
    }

    #[test]
    fn those_who_want_the_same_value_share_one() {
        let (slots, made) = (Slots::<u32, usize>::default(), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let value = slots.find_or_make(&7, || Ok(made.fetch_add(1, Ordering::Relaxed))).unwrap();
                    assert_eq!(value, 0);
                });
            }
        });
        assert_eq!(made.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn a_failure_is_not_kept() {
        let slots = Slots::<u32, usize>::default();
        let failed = slots.find_or_make(&7, || Err(Error::NoThreads { function: "f" }));
        assert!(failed.is_err());
        assert_eq!(slots.find_or_make(&7, || Ok(5)).unwrap(), 5);
    }
}
