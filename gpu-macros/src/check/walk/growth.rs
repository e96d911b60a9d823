//! Variables that grow by the same amount in each iteration of `for k in a..b`, as `at` does by `at += plane`.
//!
//! At the head, such a variable is what it was before the loop, and the amount times `k - a`: a polynomial, so an index that a program adds up
//! is proved like one that it computes. That it grows so is an assumption like an [invariant](super::flow): the first way back to the head
//! says by how much, and each way back must say the same in the rounds of the walk that follow. All of this holds modulo 2^64, so for a variable
//! of 64 bits whether it wraps around or not, and for a narrower one where each sum is known not to, or is [taken](super::exact) not to.

use super::flow::State;
use super::walker::Walker;
use crate::check::prove::point::is_at_most;
use crate::check::values::form::{NormalForm, Uniformity};
use crate::check::values::interval::Interval;
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
                let Some(grown) = before.as_ref().and_then(|before| self.grown(label, *local, before, &rounds, head)) else { continue };
                *head = grown;
                self.versions.insert(*local, head.clone());
                self.assume_invariant(label, *local, before.as_ref().expect("it has grown from that"), head);
            }
        }
        self.loops.push(around);
    }

    /// At the end of the innermost loop, `at_end`, the variables have grown in each of its rounds, from `start` to `end`.
    pub(crate) fn follow_rounds(&self, label: LabelId, at_end: &mut State, start: &Value, end: &Value) {
        let are_natural = [start, end].iter().all(|bound| at_end.facts.interval(bound).is_natural());
        let is_grown = self.growths.iter().any(|((of, _), growth)| *of == label && growth.is_some());
        let Some(around) = self.loops.last().filter(|_| is_grown && are_natural && is_at_most(start, end, &at_end.facts)) else { return };
        let rounds = end.form.minus(&start.form);
        for (local, before, head) in &around.heads {
            if let Some(grown) = before.as_ref().and_then(|before| self.grown(label, *local, before, &rounds, head)) {
                at_end.versions.insert(*local, grown);
            }
        }
    }

    /// What `local` is, which was `before`, after so many rounds of a loop at whose head it is `head`.
    fn grown(&self, label: LabelId, local: LocalId, before: &Value, rounds: &NormalForm, head: &Value) -> Option<Value> {
        let growth = self.growths.get(&(label, local))?.as_ref()?;
        let form = before.form.plus(&growth.times(rounds));
        // Of a sum that does not wrap around, more is known.
        let most = form.largest().and_then(|most| i64::try_from(most).ok());
        let interval = most.map_or(head.interval, |most| head.interval.meet(Interval::up_to(most.cast_unsigned())));
        Some(Node::within(Kind::Unknown, form, interval))
    }

    /// Notes by how much `local` has grown since `head`, at a way back to it.
    pub(crate) fn note_growth(&mut self, label: LabelId, local: LocalId, head: &Value) {
        let is_integer = self.function.local(local).ty.as_scalar().is_some_and(Scalar::is_integer);
        let grown = self.versions.get(&local).map(|value| value.form.minus(&head.form));
        let grown = grown.filter(|grown| is_integer && !grown.terms.is_empty() && grown.spread() == Uniformity::Launch);
        let known = self.growths.get(&(label, local)).cloned();
        // What the first way back says is tried in the next round of the walk, unless another way back says something else.
        let tried = match &known {
            // It may be known in a later round, of what inner loops add.
            None if grown.is_none() => return,
            None => grown,
            Some(known) => known.clone().filter(|known| grown.as_ref() == Some(known)),
        };
        if known.as_ref() != Some(&tried) {
            self.settled = false;
        }
        self.growths.insert((label, local), tried);
    }
}
