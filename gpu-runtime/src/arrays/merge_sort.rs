//! A stable sort on all cores of the CPU: std sorts runs, which are merged in pairs.
//!
//! A merge is shared as well: the middle element of the longer run splits both runs, by binary search in the shorter one, into two merges
//! that do not depend on each other.

use std::cmp::Ordering;

/// The shortest run that is worth a task of its own, and the shortest merge.
const SHORTEST: usize = 1 << 14;

/// Sorts `items`. `less` tells whether its first argument comes before the second.
pub(super) fn sort<T: Copy + Send + Sync>(items: &mut [T], less: &(impl Fn(&T, &T) -> bool + Sync)) {
    // Some more runs than cores, so that none waits long for another.
    let runs = 2 * rayon_core::current_num_threads();
    let run = items.len().div_ceil(runs).max(SHORTEST);
    if run >= items.len() || runs == 2 {
        return sort_run(items, less);
    }
    let mut other = items.to_vec();
    sort_halves(items, &mut other, run, less);
}

fn sort_run<T>(items: &mut [T], less: &impl Fn(&T, &T) -> bool) {
    items.sort_by(|a, b| match (less(a, b), less(b, a)) {
        (true, _) => Ordering::Less,
        (_, true) => Ordering::Greater,
        _ => Ordering::Equal,
    });
}

/// Sorts `items` in place. `other` has the same elements, and any order afterwards.
fn sort_halves<T: Copy + Send + Sync>(items: &mut [T], other: &mut [T], run: usize, less: &(impl Fn(&T, &T) -> bool + Sync)) {
    if items.len() <= run {
        return sort_run(items, less);
    }
    let middle = items.len() / 2;
    let ((a, b), (to_a, to_b)) = (items.split_at_mut(middle), other.split_at_mut(middle));
    // The halves are sorted in the other place, so that the merge brings them here.
    rayon_core::join(|| sort_halves(to_a, a, run, less), || sort_halves(to_b, b, run, less));
    merge(to_a, to_b, items, less);
}

/// Merges sorted runs. Of equal elements, those of `a` come first.
fn merge<T: Copy + Send + Sync>(a: &[T], b: &[T], to: &mut [T], less: &(impl Fn(&T, &T) -> bool + Sync)) {
    if to.len() <= SHORTEST {
        return merge_here(a, b, to, less);
    }
    let (in_a, in_b) = if a.len() >= b.len() {
        let in_a = a.len() / 2;
        (in_a, b.partition_point(|item| less(item, &a[in_a])))
    } else {
        let in_b = b.len() / 2;
        (a.partition_point(|item| !less(&b[in_b], item)), in_b)
    };
    let ((a, after_a), (b, after_b)) = (a.split_at(in_a), b.split_at(in_b));
    let (to, after) = to.split_at_mut(in_a + in_b);
    rayon_core::join(|| merge(a, b, to, less), || merge(after_a, after_b, after, less));
}

fn merge_here<T: Copy>(a: &[T], b: &[T], to: &mut [T], less: &impl Fn(&T, &T) -> bool) {
    let (mut i, mut j) = (0, 0);
    // Without branches that depend on the elements: nobody can predict them.
    while i < a.len() && j < b.len() {
        let is_second = less(&b[j], &a[i]);
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
            for len in [0, 1, SHORTEST, SHORTEST + 1, 100_003] {
                for keys in [3, u32::MAX] {
                    let mut items = pairs(len, keys);
                    pool.install(|| sort(&mut items, &|a: &(u32, usize), b: &(u32, usize)| a.0 < b.0));
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
        let less = |a: &(usize, i32, usize), b: &(usize, i32, usize)| a.0 < b.0;
        merge(&a, &b, &mut to, &less);
        assert!(to.is_sorted());
        let mut to = vec![(0, 0, 0); a.len() + b.len()];
        merge(&b, &a, &mut to, &less);
        assert!(to.is_sorted_by_key(|item| (item.0, -item.1, item.2)));
    }
}
