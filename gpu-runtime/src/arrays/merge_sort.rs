//! A stable sort on all cores of the CPU: runs are sorted by the digits of their keys, and merged in pairs.
//!
//! A merge is shared as well: the middle element of the longer run splits both runs, by binary search in the shorter one, into two merges
//! that do not depend on each other.

/// The shortest run that is worth a task of its own, and the shortest merge.
const SHORTEST: usize = 1 << 14;

/// Shorter runs are sorted by comparing keys: counting digits would take longer.
const FEW: usize = 512;

/// The values of a digit.
const VALUES: usize = 256;

/// Sorts `items` by what `key` says, whose lowest `bytes` bytes are not 0.
pub(super) fn sort<T: Copy + Send + Sync>(items: &mut [T], bytes: usize, key: &(impl Fn(&T) -> u64 + Sync)) {
    if items.len() <= FEW {
        return items.sort_by_key(key);
    }
    // Some more runs than cores, so that none waits long for another.
    let runs = match rayon_core::current_num_threads() {
        1 => 1,
        cores => 2 * cores,
    };
    let run = items.len().div_ceil(runs).max(SHORTEST);
    let mut other = items.to_vec();
    sort_halves(items, &mut other, run, bytes, key);
}

/// Sorts `items` in place. `other` has the same elements, and any order afterwards.
fn sort_halves<T: Copy + Send + Sync>(items: &mut [T], other: &mut [T], run: usize, bytes: usize, key: &(impl Fn(&T) -> u64 + Sync)) {
    if items.len() <= run {
        return sort_by_digits(items, other, bytes, key);
    }
    let middle = items.len() / 2;
    let ((a, b), (to_a, to_b)) = (items.split_at_mut(middle), other.split_at_mut(middle));
    // The halves are sorted in the other place, so that the merge brings them here.
    crate::fork::note_use();
    rayon_core::join(|| sort_halves(to_a, a, run, bytes, key), || sort_halves(to_b, b, run, bytes, key));
    merge(to_a, to_b, items, key);
}

/// The same by the digits of the keys, the lowest first.
fn sort_by_digits<T: Copy>(items: &mut [T], other: &mut [T], bytes: usize, key: &impl Fn(&T) -> u64) {
    let digit = |item: &T, byte: usize| (key(item) >> (8 * byte)) as usize % VALUES;
    let mut counts = vec![[0usize; VALUES]; bytes];
    for item in items.iter() {
        for (byte, counts) in counts.iter_mut().enumerate() {
            counts[digit(item, byte)] += 1;
        }
    }
    // Those that differ: each moves the items to the other place.
    let differing: Vec<usize> = (0..bytes).filter(|&byte| counts[byte][digit(&items[0], byte)] < items.len()).collect();
    let is_odd = differing.len() % 2 == 1;
    let (mut from, mut to) = if is_odd { (other, items) } else { (items, other) };
    for byte in differing {
        let mut next = 0;
        let mut starts = counts[byte].map(|count| {
            next += count;
            next - count
        });
        for item in from.iter() {
            let start = &mut starts[digit(item, byte)];
            to[*start] = *item;
            *start += 1;
        }
        std::mem::swap(&mut from, &mut to);
    }
}

/// Merges sorted runs. Of equal elements, those of `a` come first.
fn merge<T: Copy + Send + Sync>(a: &[T], b: &[T], to: &mut [T], key: &(impl Fn(&T) -> u64 + Sync)) {
    if to.len() <= SHORTEST {
        return merge_here(a, b, to, key);
    }
    let (in_a, in_b) = if a.len() >= b.len() {
        let in_a = a.len() / 2;
        (in_a, b.partition_point(|item| key(item) < key(&a[in_a])))
    } else {
        let in_b = b.len() / 2;
        (a.partition_point(|item| key(item) <= key(&b[in_b])), in_b)
    };
    let ((a, after_a), (b, after_b)) = (a.split_at(in_a), b.split_at(in_b));
    let (to, after) = to.split_at_mut(in_a + in_b);
    rayon_core::join(|| merge(a, b, to, key), || merge(after_a, after_b, after, key));
}

fn merge_here<T: Copy>(a: &[T], b: &[T], to: &mut [T], key: &impl Fn(&T) -> u64) {
    let (mut i, mut j) = (0, 0);
    // Without branches that depend on the elements: nobody can predict them.
    while i < a.len() && j < b.len() {
        let is_second = key(&b[j]) < key(&a[i]);
        to[i + j] = if is_second { b[j] } else { a[i] };
        i += usize::from(!is_second);
        j += usize::from(is_second);
    }
    let (from_a, from_b) = to[i + j..].split_at_mut(a.len() - i);
    from_a.copy_from_slice(&a[i..]);
    from_b.copy_from_slice(&b[j..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Few different keys, so that the order of equal ones matters.
    fn pairs(len: usize, keys: u32) -> Vec<(u32, usize)> {
        (0..len).map(|i| ((i as u32).wrapping_mul(0x9E37_79B9) >> 7) % keys).zip(0..).collect()
    }

    #[test]
    fn runs_are_merged_to_a_stable_sort_on_any_number_of_cores() {
        for threads in [1, 3] {
            let pool = rayon_core::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            for len in [0, 1, FEW, FEW + 1, SHORTEST, SHORTEST + 1, 100_003] {
                // One, two, three and four digits that differ.
                for keys in [1, 3, 1000, 100_000, u32::MAX] {
                    let mut items = pairs(len, keys);
                    pool.install(|| sort(&mut items, 4, &|item: &(u32, usize)| item.0.into()));
                    assert!(items.is_sorted(), "{len} elements with {keys} keys by {threads} threads");
                    assert_eq!(items.len(), len);
                    assert_eq!(items.iter().map(|item| item.1).sum::<usize>(), (0..len).sum());
                }
            }
        }
    }

    #[test]
    fn a_merge_takes_equal_elements_of_the_first_run_first() {
        let (a, b): (Vec<_>, Vec<_>) = ((0..30_000).map(|i| (i / 7, 0, i)).collect(), (0..9_000).map(|i| (i / 3, 1, i)).collect());
        let mut to = vec![(0, 0, 0); a.len() + b.len()];
        let key = |item: &(usize, i32, usize)| item.0 as u64;
        merge(&a, &b, &mut to, &key);
        assert!(to.is_sorted());
        let mut to = vec![(0, 0, 0); a.len() + b.len()];
        merge(&b, &a, &mut to, &key);
        assert!(to.is_sorted_by_key(|item| (item.0, -item.1, item.2)));
    }
}
