//! Conditions on the launch under which a conclusion is right.

use super::sum::Sum;
use std::rc::Rc;

/// Sums that must not be negative, each once.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Needs(Vec<Rc<Sum>>);

impl Needs {
    pub(super) fn one(sum: Sum) -> Needs {
        Needs(vec![Rc::new(sum)])
    }

    pub(super) fn and(mut self, others: &Needs) -> Needs {
        self.add(others);
        self
    }

    pub(super) fn add(&mut self, others: &Needs) {
        for need in &others.0 {
            if !self.0.contains(need) {
                self.0.push(Rc::clone(need));
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether some launch is likely to satisfy them: none of them makes a length larger than about the largest number of a type.
    pub(super) fn is_likely(&self) -> bool {
        self.iter().all(|sum| sum.constant_part() > -(1 << 30))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Sum> {
        self.0.iter().map(Rc::as_ref)
    }
}
