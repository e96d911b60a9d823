//! The sort of this crate for a handful of items.

/// Sorts by insertion, and keeps the order of items of which neither is before the other.
///
/// For lists that stay short. A sort of the standard library is compiled for each type of item and each order, at two thousand lines of
/// LLVM's code each, in every build of a program.
pub(crate) fn insertion_sort<T>(items: &mut [T], is_before: impl Fn(&T, &T) -> bool) {
    for end in 1..items.len() {
        let mut at = end;
        while at > 0 && is_before(&items[at], &items[at - 1]) {
            items.swap(at, at - 1);
            at -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_sorted_as_by_the_stable_sort_of_std() {
        for len in 0..40_u32 {
            let mut items: Vec<(u32, u32)> = (0..len).map(|i| (i.wrapping_mul(2_654_435_761) >> 29, i)).collect();
            let mut expected = items.clone();
            expected.sort_by_key(|(key, _)| *key);
            insertion_sort(&mut items, |a, b| a.0 < b.0);
            assert_eq!(items, expected);
        }
    }
}
