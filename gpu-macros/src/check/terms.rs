//! The terms of a normal form, which many values share.

use super::form::Symbol;
use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// Coefficients by the factors of the term. Forms are parts of symbols, and these of other forms: a copy shares everything until it
/// changes.
#[derive(Debug, Clone, Default)]
pub(super) struct Terms(Rc<Shared>);

#[derive(Debug, Clone, Default)]
struct Shared {
    terms: BTreeMap<Vec<Symbol>, i64>,
    /// A measure of how much there is to compare, once it is known.
    size: Cell<Option<usize>>,
}

impl Terms {
    pub(super) fn one(factors: Vec<Symbol>) -> Terms {
        Terms(Rc::new(Shared { terms: BTreeMap::from([(factors, 1)]), size: Cell::new(None) }))
    }

    pub(super) fn size(&self) -> usize {
        if let Some(size) = self.0.size.get() {
            return size;
        }
        let size = self.keys().map(|factors| 1 + factors.iter().map(Symbol::size).sum::<usize>()).sum();
        self.0.size.set(Some(size));
        size
    }
}

impl Deref for Terms {
    type Target = BTreeMap<Vec<Symbol>, i64>;

    fn deref(&self) -> &Self::Target {
        &self.0.terms
    }
}

impl DerefMut for Terms {
    fn deref_mut(&mut self) -> &mut Self::Target {
        let own = Rc::make_mut(&mut self.0);
        own.size.set(None);
        &mut own.terms
    }
}

impl PartialEq for Terms {
    fn eq(&self, other: &Terms) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || **self == **other
    }
}

impl Eq for Terms {}

impl Ord for Terms {
    fn cmp(&self, other: &Terms) -> Ordering {
        if Rc::ptr_eq(&self.0, &other.0) { Ordering::Equal } else { (**self).cmp(&**other) }
    }
}

impl PartialOrd for Terms {
    fn partial_cmp(&self, other: &Terms) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
