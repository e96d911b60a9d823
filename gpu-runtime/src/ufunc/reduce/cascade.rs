//! Pairwise reduction of a sequence of items.

/// Items folded so far, as a binary counter: an item of each power of two of them, the oldest and largest first.
///
/// Each item goes through no more operations than the logarithm of their number, which is what keeps float sums accurate;
/// and the operands of each operation are in the order of the items.
pub(super) struct Cascade<T> {
    items: Vec<T>,
    count: usize,
}

impl<T> Default for Cascade<T> {
    fn default() -> Self {
        Self { items: Vec::new(), count: 0 }
    }
}

impl<T> Cascade<T> {
    /// Adds the next item.
    pub(super) fn push<E>(&mut self, mut item: T, mut combine: impl FnMut(T, T) -> Result<T, E>) -> Result<(), E> {
        for _ in 0..self.count.trailing_ones() {
            item = combine(self.items.pop().expect("each one bit of the count is an item"), item)?;
        }
        self.items.push(item);
        self.count += 1;
        Ok(())
    }

    /// All of them in one, unless there are none, and begins anew.
    pub(super) fn finish<E>(&mut self, mut combine: impl FnMut(T, T) -> Result<T, E>) -> Result<Option<T>, E> {
        self.count = 0;
        let Some(mut item) = self.items.pop() else { return Ok(None) };
        while let Some(older) = self.items.pop() {
            item = combine(older, item)?;
        }
        Ok(Some(item))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    #[test]
    fn items_are_folded_in_order_and_in_pairs() {
        let mut cascade = Cascade::default();
        let pair = |a: String, b: String| Ok::<_, Infallible>(format!("({a}{b})"));
        for item in ["a", "b", "c", "d", "e", "f", "g"] {
            cascade.push(item.to_owned(), pair).unwrap();
        }
        assert_eq!(cascade.finish(pair).unwrap().unwrap(), "(((ab)(cd))((ef)g))");
        assert_eq!(cascade.finish(pair).unwrap(), None);
        cascade.push("x".to_owned(), pair).unwrap();
        assert_eq!(cascade.finish(pair).unwrap().unwrap(), "x");
    }
}
