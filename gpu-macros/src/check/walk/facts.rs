//! The facts at a point of the program: comparisons that are true there.
//!
//! A fact is about [`Value`]s, which never change, so a true fact stays true. The walk drops the facts of a branch when it leaves the
//! branch only because other paths do not go through the branch.

use super::implied_facts::{self, consequences};
use crate::check::values::interval::Interval;
use crate::check::values::value::{Kind, Node, Value};
use crate::model::BinaryOp;
use std::rc::Rc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    Less,
    LessEqual,
    Equal,
    NotEqual,
    /// Of signed integers.
    LessSigned,
    LessEqualSigned,
}

/// `left relation right`, of words without a sign unless the relation says otherwise.
#[derive(Debug, Clone)]
pub(crate) struct Fact {
    pub(crate) left: Value,
    pub(crate) relation: Relation,
    pub(crate) right: Value,
    /// Whether it is what a division says about its dividend.
    pub(crate) of_division: bool,
}

impl Fact {
    /// Whether it says the same as `other`.
    pub(crate) fn is_same(&self, other: &Fact) -> bool {
        self.relation == other.relation && self.left.form == other.left.form && self.right.form == other.right.form
    }

    /// Whether it says at least as much as `other`.
    fn implies(&self, other: &Fact) -> bool {
        let implied = match (self.relation, other.relation) {
            (Relation::Less, Relation::LessEqual) | (Relation::LessSigned, Relation::LessEqualSigned) => true,
            (own, other) => own == other,
        };
        implied && self.left.form == other.left.form && self.right.form == other.right.form
    }
}

/// A value of one form on two paths, as far as both know it.
fn of_both(one: &Value, other: &Value) -> Value {
    match Rc::ptr_eq(one, other) {
        true => one.clone(),
        false => Node::within(Kind::Unknown, one.form.clone(), one.interval.join(other.interval)),
    }
}

/// `left op right`, or its opposite, as a fact about words.
fn comparison<'v>(op: BinaryOp, truth: bool, left: &'v Value, right: &'v Value) -> (&'v Value, Relation, &'v Value) {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    match (op, truth) {
        (Less, true) | (GreaterEqual, false) => (left, Relation::Less, right),
        (LessEqual, true) | (Greater, false) => (left, Relation::LessEqual, right),
        (Greater, true) | (LessEqual, false) => (right, Relation::Less, left),
        (GreaterEqual, true) | (Less, false) => (right, Relation::LessEqual, left),
        (Equal, true) | (NotEqual, false) => (left, Relation::Equal, right),
        (NotEqual, true) | (Equal, false) => (left, Relation::NotEqual, right),
        _ => unreachable!("only comparisons are compared"),
    }
}

/// How many values one signed comparison may show not to be negative.
const MOST_STEPS: usize = 8;

/// More new facts of a path than this are not compared with those of another.
const MOST_JOINED: usize = 40;

/// The facts at a point.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    /// From conditions and loops.
    guards: List,
    /// From index checks that the thread has passed. They come last: how long one array is says less about another than what the user
    /// compared.
    checks: List,
}

/// A list that shares its tail with the points before.
#[derive(Debug, Clone, Default)]
struct List(Option<Rc<Link>>);

#[derive(Debug)]
struct Link {
    fact: Fact,
    rest: List,
}

impl Drop for Link {
    /// Without recursion: a list can be as long as the function.
    fn drop(&mut self) {
        let mut rest = std::mem::take(&mut self.rest);
        while let Some(mut link) = rest.0.and_then(Rc::into_inner) {
            rest = std::mem::take(&mut link.rest);
        }
    }
}

impl List {
    fn add(&mut self, fact: Fact) {
        *self = List(Some(Rc::new(Link { fact, rest: self.clone() })));
    }

    /// The latest first.
    fn iter(&self) -> impl Iterator<Item = &Fact> {
        std::iter::successors(self.0.as_deref(), |link| link.rest.0.as_deref()).map(|link| &link.fact)
    }

    /// What was added to `earlier`, the latest first.
    fn since<'l>(&'l self, earlier: &'l List) -> impl Iterator<Item = &'l Fact> {
        let end = earlier.0.as_ref().map(Rc::as_ptr);
        let links = std::iter::successors(self.0.as_ref(), |link| link.rest.0.as_ref());
        links.take_while(move |link| Some(Rc::as_ptr(link)) != end).map(|link| &link.fact)
    }
}

impl Facts {
    pub(crate) fn add(&mut self, left: &Value, relation: Relation, right: &Value) {
        self.add_to_depth(Fact { left: left.clone(), relation, right: right.clone(), of_division: false }, implied_facts::DEPTH);
    }

    /// Adds a comparison after those that follow from it. The last fact is the first that is asked.
    fn add_to_depth(&mut self, fact: Fact, depth: usize) {
        if let Some(depth) = depth.checked_sub(1) {
            consequences(&fact).into_iter().rev().for_each(|consequence| self.add_to_depth(consequence, depth));
        }
        self.guards.add(fact);
    }

    /// Adds that `index` has passed the check against `length`. (A check that lets the thread continue must not come here: what follows may
    /// rely on it.)
    pub(crate) fn add_check(&mut self, index: &Value, length: &Value) {
        let is_known = |fact: &Fact| fact.relation == Relation::Less && fact.left.form == index.form && fact.right.form == length.form;
        if !self.iter().any(is_known) {
            self.checks.add(Fact { left: index.clone(), relation: Relation::Less, right: length.clone(), of_division: false });
        }
    }

    /// Adds the facts that follow if `condition` is `truth`.
    pub(crate) fn assume(&mut self, condition: &Value, truth: bool) {
        match &condition.kind {
            Kind::Not(inner) => self.assume(inner, !truth),
            Kind::And(a, b, learned) if truth => {
                self.assume(a, true);
                self.extend(learned);
                self.assume(b, true);
            }
            Kind::Or(a, b, learned) if !truth => {
                self.assume(a, false);
                self.extend(learned);
                self.assume(b, false);
            }
            Kind::Compare(op, left, right) => {
                let (left, relation, right) = comparison(*op, truth, left, right);
                self.add(left, relation, right);
            }
            Kind::CompareSigned(op, left, right) => {
                let (left, relation, right) = comparison(*op, truth, left, right);
                match relation {
                    Relation::Less => self.add_signed(left, Relation::LessSigned, right),
                    Relation::LessEqual => self.add_signed(left, Relation::LessEqualSigned, right),
                    _ => self.add(left, relation, right),
                }
            }
            _ => {}
        }
    }

    /// Adds a comparison of signed integers, and what it says about words: in `0 <= left < right`, both have no sign.
    fn add_signed(&mut self, left: &Value, relation: Relation, right: &Value) {
        let (lower, upper) = (self.interval(left), self.interval(right));
        self.guards.add(Fact { left: left.clone(), relation, right: right.clone(), of_division: false });
        let least = lower.least + i128::from(relation == Relation::LessSigned);
        if upper.most < i128::from(relation == Relation::LessSigned)
            && let Some([a, b]) = self.difference(left)
        {
            self.add(a, Relation::Less, b);
        }
        if least < 0 {
            return;
        }
        if lower.least >= 0 {
            self.add(left, if relation == Relation::LessSigned { Relation::Less } else { Relation::LessEqual }, right);
        }
        if upper.least < 0 {
            self.add_natural(right);
        }
    }

    /// Adds that a signed integer is not negative, and what follows from the comparisons with it so far.
    fn add_natural(&mut self, value: &Value) {
        let mut natural = vec![value.clone()];
        for _ in 0..MOST_STEPS {
            let Some(value) = natural.pop() else { return };
            self.add(&value, Relation::LessEqual, &Node::number(i64::MAX.cast_unsigned()));
            if let Some(minuend) = self.natural_minuend(&value) {
                self.add(minuend, Relation::LessEqual, &Node::number(i64::MAX.cast_unsigned()));
                natural.push(minuend.clone());
            }
            if let Some([a, b]) = self.difference(&value) {
                self.add(b, Relation::LessEqual, a);
            }
            let above: Vec<Fact> = self.guards.iter().filter(|fact| fact.left.form == value.form).cloned().collect();
            for Fact { left, relation, right, .. } in above {
                let is_new = self.interval(&right).least < 0;
                match relation {
                    Relation::LessSigned => self.add(&left, Relation::Less, &right),
                    Relation::LessEqualSigned => self.add(&left, Relation::LessEqual, &right),
                    _ => continue,
                }
                if is_new {
                    natural.push(right);
                }
            }
        }
    }

    /// From what the difference `value` takes a natural number: where the difference is not negative, neither is that.
    fn natural_minuend<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        let Kind::Difference { of: [a, b], .. } = &value.kind else { return None };
        let (of_a, of_b) = (a.interval, self.interval(b));
        let is_exact = value.form == a.form.minus(&b.form) && of_a.minus(of_b).is_within(Interval::SIGNED);
        (is_exact && of_b.least >= 0 && of_a.least < 0 && self.interval(a).least < 0).then_some(a)
    }

    /// The operands of a difference of natural numbers below 2^63. As a signed integer, it is negative where the first is less.
    fn difference<'v>(&self, value: &'v Value) -> Option<[&'v Value; 2]> {
        let Kind::Difference { of: [a, b], .. } = &value.kind else { return None };
        let is_short = |value: &Value| self.interval(value).is_within(Interval::up_to(i64::MAX.cast_unsigned()));
        // One of fewer bits may have wrapped around there.
        let is_of_words = value.form == a.form.minus(&b.form);
        (is_of_words && is_short(a) && is_short(b)).then_some([a, b])
    }

    /// Adds all of `others`.
    pub(crate) fn extend(&mut self, others: &Facts) {
        // Added from the oldest on.
        for fact in others.guards.iter().collect::<Vec<_>>().into_iter().rev() {
            self.guards.add(fact.clone());
        }
        for fact in others.checks.iter().collect::<Vec<_>>().into_iter().rev() {
            self.add_check(&fact.left, &fact.right);
        }
    }

    /// What was added to `earlier`.
    pub(crate) fn since(&self, earlier: &Facts) -> Facts {
        let list = |facts: &List, earlier: &List| {
            let mut list = List::default();
            facts.since(earlier).collect::<Vec<_>>().into_iter().rev().for_each(|fact| list.add(fact.clone()));
            list
        };
        Facts { guards: list(&self.guards, &earlier.guards), checks: list(&self.checks, &earlier.checks) }
    }

    /// What each of `paths` has added to `self`.
    pub(crate) fn join(&self, paths: &[&Facts]) -> Facts {
        let mut joined = self.clone();
        let Some((first, others)) = paths.split_first() else { return joined };
        let others: Vec<Facts> = others.iter().map(|path| path.since(self)).collect();
        let new = first.since(self);
        let common = |fact: &Fact| {
            others.iter().try_fold(fact.clone(), |fact, other| {
                let known = other.iter().take(MOST_JOINED).find(|known| known.implies(&fact))?;
                Some(Fact { left: of_both(&fact.left, &known.left), right: of_both(&fact.right, &known.right), ..fact })
            })
        };
        for fact in new.guards.iter().take(MOST_JOINED).filter_map(common).collect::<Vec<_>>().into_iter().rev() {
            joined.guards.add(fact);
        }
        for fact in new.checks.iter().take(MOST_JOINED).filter_map(common).collect::<Vec<_>>().into_iter().rev() {
            joined.checks.add(fact);
        }
        joined
    }

    /// Which integers `value` can be.
    pub(crate) fn interval(&self, value: &Value) -> Interval {
        // What facts say about its word without a sign, and about the signed integer.
        let (mut word, mut integer) = (Interval::WORD, value.interval);
        if value.form.as_constant().is_some() {
            return integer;
        }
        for Fact { left, relation, right, .. } in self.iter() {
            let gap = i128::from(matches!(relation, Relation::Less | Relation::LessSigned));
            let (is_left, is_right) = (left.form == value.form, right.form == value.form);
            match relation {
                Relation::NotEqual => {}
                Relation::Less | Relation::LessEqual | Relation::Equal => {
                    let equal = *relation == Relation::Equal;
                    if is_left && right.interval.is_natural() {
                        word = word.meet(Interval { least: if equal { right.interval.least } else { 0 }, most: right.interval.most - gap });
                    }
                    if is_right && left.interval.is_natural() {
                        word = word.meet(Interval {
                            least: left.interval.least + gap,
                            most: if equal { left.interval.most } else { Interval::WORD.most },
                        });
                    }
                }
                // Of what is a signed integer, too.
                Relation::LessSigned | Relation::LessEqualSigned if value.interval.most <= i64::MAX.into() => {
                    if is_left {
                        integer = integer.meet(Interval { most: right.interval.most - gap, ..integer });
                    }
                    if is_right {
                        integer = integer.meet(Interval { least: left.interval.least + gap, ..integer });
                    }
                }
                Relation::LessSigned | Relation::LessEqualSigned => {}
            }
        }
        // Of a signed integer, a word without its highest bit is the integer itself.
        let found = if integer.least >= 0 || word.most <= i64::MAX.into() { integer.meet(word) } else { integer };
        self.without_excluded_ends(value, found)
    }

    /// `integers` without an end that `value` is known not to be.
    fn without_excluded_ends(&self, value: &Value, mut integers: Interval) -> Interval {
        for Fact { left, right, .. } in self.iter().filter(|fact| fact.relation == Relation::NotEqual) {
            let other = if left.form == value.form { right } else { left };
            let is_number = other.form.as_constant().is_some() && (left.form == value.form || right.form == value.form);
            if is_number && other.interval.least == other.interval.most && integers.least < integers.most {
                integers.least += i128::from(other.interval.most == integers.least);
                integers.most -= i128::from(other.interval.least == integers.most);
            }
        }
        integers
    }

    /// The facts, each kind with the latest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Fact> {
        self.guards().chain(self.checks())
    }

    /// Those from conditions and loops.
    pub(crate) fn guards(&self) -> impl Iterator<Item = &Fact> {
        self.guards.iter()
    }

    /// Those from index checks.
    pub(crate) fn checks(&self) -> impl Iterator<Item = &Fact> {
        self.checks.iter()
    }
}
