//! Maps and sets in the order of their keys, for the few entries that an analysis has.
//!
//! They are vectors. Those of std are trees, whose code is compiled for each type of key, in every first build, and runs without
//! optimizations in a macro.

use std::borrow::Borrow;
use std::ops::Index;

/// A map in the order of its keys.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct SortedMap<K, V>(Vec<(K, V)>);

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        SortedMap(Vec::new())
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0.binary_search_by(|(other, _)| other.borrow().cmp(key))
    }

    pub(crate) fn get(&self, key: &K) -> Option<&V> {
        self.find(key).ok().map(|at| &self.0[at].1)
    }

    /// The value of the key, which is `first` if it has none.
    pub(crate) fn get_or_insert(&mut self, key: K, first: V) -> &mut V {
        let at = self.find(&key).unwrap_or_else(|at| {
            self.0.insert(at, (key, first));
            at
        });
        &mut self.0[at].1
    }

    /// Gives the value that the key had.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(at) => Some(std::mem::replace(&mut self.0[at].1, value)),
            Err(at) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    /// Gives the value that the key had.
    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|at| self.0.remove(at).1)
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.0.iter_mut().map(|(_, value)| value)
    }
}

impl<K: Ord, V> Index<&K> for SortedMap<K, V> {
    type Output = V;

    fn index(&self, key: &K) -> &V {
        self.get(key).expect("the map has the key")
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// A set in the order of its items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SortedSet<T>(Vec<T>);

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        SortedSet(Vec::new())
    }
}

impl<T: Ord> SortedSet<T> {
    pub(crate) fn of(item: T) -> Self {
        SortedSet(vec![item])
    }

    pub(crate) fn contains(&self, item: &T) -> bool {
        self.0.binary_search(item).is_ok()
    }

    /// Whether it is new.
    pub(crate) fn insert(&mut self, item: T) -> bool {
        let place = self.0.binary_search(&item);
        if let Err(at) = place {
            self.0.insert(at, item);
        }
        place.is_err()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter()
    }

    pub(crate) fn retain(&mut self, keep: impl FnMut(&T) -> bool) {
        self.0.retain(keep);
    }
}

impl<T: Ord> Extend<T> for SortedSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.insert(item);
        }
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut set = SortedSet::default();
        set.extend(items);
        set
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Numbers in no order, some of them twice.
    fn numbers() -> impl Iterator<Item = u32> {
        (0..200_u32).map(|i| i.wrapping_mul(2_654_435_761) >> 25)
    }

    #[test]
    fn a_map_has_what_the_map_of_std_has() {
        let (mut map, mut expected) = (SortedMap::default(), BTreeMap::new());
        for (i, key) in numbers().enumerate() {
            match i % 3 {
                0 => assert_eq!(map.insert(key, i), expected.insert(key, i)),
                1 => assert_eq!(map.get_or_insert(key, i), expected.entry(key).or_insert(i)),
                _ => assert_eq!(map.remove(&(key / 2)), expected.remove(&(key / 2))),
            }
        }
        assert!(map.iter().eq(expected.iter()) && map.keys().eq(expected.keys()) && map.len() == expected.len());
        assert!((0..128).all(|key| map.get(&key) == expected.get(&key)));
    }

    #[test]
    fn a_set_has_what_the_set_of_std_has() {
        let (mut set, mut expected) = (SortedSet::default(), BTreeSet::new());
        assert!(numbers().all(|item| set.insert(item) == expected.insert(item)));
        set.retain(|item| item % 3 > 0);
        expected.retain(|item| item % 3 > 0);
        assert!(set.iter().eq(&expected) && set.len() == expected.len());
        assert!((0..128).all(|item| set.contains(&item) == expected.contains(&item)));
        assert!(numbers().collect::<SortedSet<_>>().into_iter().eq(numbers().collect::<BTreeSet<_>>()));
    }
}
