//! Variables that grow by the same amount in each iteration of `for k in a..b`, as `at` does by `at += plane`.
//!
//! At the head, such a variable is what it was before the loop, and the amount times `k - a`: a polynomial, so an index that a program adds up
//! is proved like one that it computes. That it grows so is an assumption like an [invariant](super::flow): the first way back to the head
//! says by how much, and each way back must say the same in the rounds of the walk that follow. For a variable of 64 bits, all of this
//! holds modulo 2^64, whether it wraps around or not.

use super::walker::Walker;
use crate::check::values::form::{NormalForm, Uniformity};
use crate::check::values::value::{Kind, Node, Value};
use crate::model::*;

impl Walker<'_> {
    /// An iteration of the innermost loop begins, whose `counter` goes up from `start` by one: gives the variables that grow their forms.
    pub(crate) fn follow_counter(&mut self, label: LabelId, counter: &Value, start: &Value) {
        let Some(mut around) = self.loops.pop() else { return };
        around.is_counted = counter.interval.is_natural();
        if around.is_counted {
            let rounds = counter.form.minus(&start.form);
            for (local, before, head) in &mut around.heads {
                let (Some(before), Some(Some(growth))) = (before, self.growths.get(&(label, *local))) else { continue };
                let form = before.form.plus(&growth.times(&rounds));
                *head = Node::within(Kind::Unknown, form, head.interval);
                self.versions.insert(*local, head.clone());
                self.assume_invariant(label, *local, before, head);
            }
        }
        self.loops.push(around);
    }

    /// Notes by how much `local` has grown since `head`, at a way back to it.
    pub(crate) fn note_growth(&mut self, label: LabelId, local: LocalId, head: &Value) {
        let is_word = self.function.local(local).ty.as_scalar().is_some_and(|scalar| scalar.is_integer() && scalar.bits() == 64);
        let grown = self.versions.get(&local).map(|value| value.form.minus(&head.form));
        let grown = grown.filter(|grown| is_word && !grown.terms.is_empty() && grown.spread() == Uniformity::Launch);
        // What the first way back says is tried in the next round of the walk, unless another way back says something else.
        let tried: Option<NormalForm> = match self.growths.get(&(label, local)) {
            None => grown,
            Some(known) => known.clone().filter(|known| grown.as_ref() == Some(known)),
        };
        if self.growths.get(&(label, local)).map_or(tried.is_some(), |known| *known != tried) {
            self.settled = false;
        }
        self.growths.insert((label, local), tried);
    }
}
