//! Where paths part and join: what each variable holds on the way, and what is known.
//!
//! A variable that changes has a version for each assignment, which is an ordinary [`Value`]. Where paths join, it is one of the versions of
//! the paths. At the head of a loop, it is a value of its own, because any number of iterations may have changed it. What such a value is
//! compared with its first version is an [`Invariant`]: the walk assumes that the loop never raises, and never lowers, the variable, and
//! checks it at each way back to the head. What does not hold is assumed no more in the next round of the walk, so that in the last round,
//! every assumption has been shown, by induction over the iterations. That it is its first version at the end of each iteration is another one.

use super::assigned_locals::assigned_in;
use super::effects::Advance;
use super::facts::{Fact, Facts, Relation};
use super::reaching_barriers::ReachingBarriers;
use super::walker::Walker;
use crate::check::prove::point::is_at_most;
use crate::check::values::form::{Limit, NormalForm, Symbol, SymbolKind, Uniformity};
use crate::check::values::interval::Interval;
use crate::check::values::operation::IntegerOperation;
use crate::check::values::value::{Kind, Node, Value};
use crate::model::*;
use crate::vec_map::VecMap;
use std::cell::RefCell;
use std::rc::Rc;

/// What a path has led to.
#[derive(Clone)]
pub(crate) struct State {
    /// Of the variables that change. One without a version has no known value.
    pub(crate) versions: VecMap<LocalId, Value>,
    pub(crate) facts: Facts,
    /// Which barriers came last.
    pub(crate) ways: ReachingBarriers,
    /// No thread is here.
    pub(crate) dead: bool,
}

/// What a variable is at the head of a loop.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Invariant {
    /// Compared with the value before the loop, as words without a sign.
    at_least: bool,
    at_most: bool,
    /// It is a power of two, or 0.
    is_power: bool,
    /// It is below the [divisor](divisor_of) of the value before the loop.
    is_remainder: bool,
    range: Interval,
    /// How often the range has grown.
    grown: u8,
}

/// By how much a variable grows in each round of a loop, while it is below `limit`. Both are the same for the whole launch.
#[derive(Clone, PartialEq)]
pub(crate) struct Step {
    step: NormalForm,
    limit: Limit,
}

/// A loop that the walk is inside of.
pub(crate) struct Loop {
    pub(crate) label: LabelId,
    /// The variables that it changes: the value before the loop and at its head.
    pub(crate) heads: Vec<(LocalId, Option<Value>, Value)>,
    /// Whether its head is that of a [counted loop](super::growth).
    pub(crate) is_counted: bool,
}

/// The walk assumes invariants in so many rounds; then it does without those that it has not shown.
const MOST_ROUNDS: usize = 12;
/// How often a range may grow by what one iteration adds.
const MOST_GROWTH: u8 = 2;
/// How many ends are tried for it then that the numbers of the function suggest.
const MOST_TRIED: u8 = 2;

impl<'f> Walker<'f> {
    pub(crate) fn state(&self) -> State {
        State { versions: self.versions.clone(), facts: self.facts.clone(), ways: self.ways.clone(), dead: self.dead }
    }

    pub(crate) fn set_state(&mut self, state: State) {
        (self.versions, self.facts, self.ways, self.dead) = (state.versions, state.facts, state.ways, state.dead);
    }

    /// Goes on where `paths` join, all of which come from where `before` held. The threads that agree on which path they take have
    /// `spread`.
    pub(crate) fn join(&mut self, before: &Facts, paths: Vec<State>, spread: Uniformity) {
        let mut alive: Vec<State> = paths.into_iter().filter(|path| !path.dead).collect();
        match alive.len() {
            0 => (self.facts, self.dead) = (before.clone(), true),
            1 => self.set_state(alive.remove(0)),
            _ => {
                let mut versions = VecMap::default();
                for local in alive[0].versions.keys() {
                    let held = alive.iter().map(|path| Some((path.versions.get(local)?.clone(), path.facts.clone())));
                    let Some(held) = held.collect::<Option<Vec<_>>>() else { continue };
                    versions.insert(*local, self.one_of(before, held, spread, &self.function.local(*local).ty));
                }
                let facts: Vec<&Facts> = alive.iter().map(|path| &path.facts).collect();
                self.facts = before.join(&facts);
                self.versions = versions;
                self.ways = ReachingBarriers::default();
                alive.into_iter().for_each(|path| self.ways.join(path.ways));
                self.dead = false;
            }
        }
    }

    /// The value of type `ty` that is one of `alternatives`, each with the facts of the path from `before` on which it is the one.
    pub(crate) fn one_of(&mut self, before: &Facts, alternatives: Vec<(Value, Facts)>, spread: Uniformity, ty: &Type) -> Value {
        let (first, _) = &alternatives[0];
        if alternatives.iter().all(|(value, _)| Rc::ptr_eq(value, first)) {
            return first.clone();
        }
        let spread = alternatives.iter().map(|(value, _)| value.spread).max().unwrap_or(spread).max(spread);
        let Some(scalar) = ty.as_scalar().filter(|scalar| scalar.is_integer()) else { return self.unknown(spread, ty) };
        let of_all = Some(first.form.clone()).filter(|form| alternatives.iter().all(|(value, _)| value.form == *form));
        let of_type = Interval::of_type(Some(scalar));
        let intervals = alternatives.iter().map(|(value, facts)| facts.interval(value).meet(of_type));
        let range = intervals.reduce(Interval::join).unwrap_or(of_type);
        let alternatives = alternatives.into_iter().map(|(value, facts)| (value, facts.since(before))).collect();
        // The range of each, and how it came about, are those of its path, also where all have one form.
        let form = of_all.unwrap_or_else(|| self.fresh(spread, range).form.clone());
        Node::within(Kind::OneOf(alternatives), form, range)
    }

    /// Walks a path that not all threads take, from here on. Gives where it has led to, and goes back.
    pub(crate) fn path<R>(&mut self, body: impl FnOnce(&mut Self) -> R) -> (R, State) {
        let (before, control) = (self.state(), self.control);
        let result = body(self);
        let after = self.state();
        self.set_state(before);
        self.control = control;
        (result, after)
    }

    /// The value of a variable that changes, as far as it is known.
    pub(crate) fn version(&mut self, local: LocalId) -> Value {
        let ty = &self.function.local(local).ty;
        let spread = self.variable_spread.get(&local).copied().unwrap_or(Uniformity::Grid);
        // A closure runs later, and what it assigns changes where it is called.
        match self.versions.get(&local) {
            Some(value) if self.closures == 0 && !self.changed_in_closures.contains(&local) => value.clone(),
            _ => self.unknown(spread, ty),
        }
    }

    /// Gives a variable that changes a new value, which the threads that agree have `spread`.
    pub(crate) fn assign_version(&mut self, local: LocalId, value: Option<Value>, spread: Uniformity) {
        self.assign_local(local, spread);
        let value = value.unwrap_or_else(|| {
            let spread = self.variable_spread.get(&local).copied().unwrap_or(Uniformity::Grid);
            self.unknown(spread, &self.function.local(local).ty)
        });
        self.versions.insert(local, value);
    }

    /// Walks a loop whose body is in `parts`: at its head, each variable that it changes has any value that an iteration may have left.
    /// `body` gives the state in which the loop ends by itself, if it does.
    pub(crate) fn iterate(&mut self, label: LabelId, parts: &[&'f Expr], block: &'f Block, body: impl FnOnce(&mut Self) -> Option<State>) {
        let mut heads = Vec::new();
        for local in assigned_in(self.function, parts, Some(block)) {
            let before = self.versions.get(&local).cloned();
            let head = self.head(label, local, before.as_ref());
            self.versions.insert(local, head.clone());
            heads.push((local, before, head));
        }
        self.pass_head(label);
        let at_head = self.facts.clone();
        self.loops.push(Loop { label, heads, is_counted: false });
        self.exits.push((label, Vec::new()));
        let end = body(self);
        self.goes_back(label);
        self.loops.pop();
        let (_, mut exits) = self.exits.pop().expect("the loop's own");
        exits.extend(end);
        let spread = self.spread_of_exits(label);
        self.join(&at_head, exits, spread);
    }

    /// The value of `local` at the head of a loop.
    fn head(&mut self, label: LabelId, local: LocalId, before: Option<&Value>) -> Value {
        let ty = &self.function.local(local).ty;
        let spread = self.variable_spread.get(&local).copied().unwrap_or(Uniformity::Grid);
        if let (Some(before), Some(true)) = (before, self.resets.get(&(label, local))) {
            return before.clone();
        }
        let (Some(before), Some(scalar)) = (before, ty.as_scalar().filter(|scalar| scalar.is_integer())) else {
            return self.unknown(spread, ty);
        };
        let of_type = Interval::of_type(Some(scalar));
        let range = self.interval(before).meet(of_type);
        let is_power = scalar.is_unsigned_integer() && self.is_power_of_two(before);
        let first = Invariant { at_least: true, at_most: true, is_power, is_remainder: true, range, grown: 0 };
        let assumed = self.invariants.entry((label, local)).or_insert(first);
        // What an outer loop has found out since then.
        assumed.range = assumed.range.join(range);
        assumed.is_power &= is_power;
        let assumed = *assumed;
        let range = assumed.range.meet(of_type);
        let head = match self.steps.get(&(label, local)).cloned().flatten() {
            Some(Step { step, limit }) => {
                let kind = SymbolKind::Stepped { number: self.number(), start: before.form.clone(), step, limit: Some(limit) };
                let symbol = Symbol::new(kind, spread, range.largest_word());
                Node::within(Kind::Unknown, NormalForm::symbol(symbol), range)
            }
            None => self.fresh(spread, range),
        };
        if assumed.is_power {
            self.powers.insert(head.form.clone());
        }
        self.assume_invariant(label, local, before, &head);
        head
    }

    /// Adds what is assumed of `local` at the head of the loop.
    pub(crate) fn assume_invariant(&mut self, label: LabelId, local: LocalId, before: &Value, head: &Value) {
        let Some(assumed) = self.invariants.get(&(label, local)).copied() else { return };
        if assumed.at_least {
            self.facts.add(before, Relation::LessEqual, head);
        }
        if assumed.at_most {
            self.facts.add(head, Relation::LessEqual, before);
        }
        if let (true, Some(divisor)) = (assumed.is_remainder, divisor_of(before)) {
            self.facts.add(head, Relation::Less, divisor);
        }
    }

    /// The threads that are here, if any, start the next iteration of `label`: checks what was assumed of its head.
    pub(crate) fn goes_back(&mut self, label: LabelId) {
        if self.dead {
            return;
        }
        self.repeat(label);
        let Some(around) = self.loops.iter().rev().find(|around| around.label == label) else { return };
        let is_counted = around.is_counted;
        for (local, before, head) in around.heads.clone() {
            if is_counted {
                self.note_growth(label, local, &head);
            }
            self.note_advance(label, &head, self.versions.get(&local).map(|value| value.form.clone()));
            self.note_reset(label, local, before.as_ref(), &head);
            let (Some(before), Some(assumed)) = (before, self.invariants.get(&(label, local)).copied()) else { continue };
            let step = self.versions.get(&local).and_then(|value| self.step(&value.clone(), &head));
            // What the first way back says is tried in the next round of the walk, unless another way back says something else.
            let tried = match self.steps.get(&(label, local)) {
                None => step,
                Some(known) => known.clone().filter(|known| step.as_ref() == Some(known)),
            };
            if self.steps.get(&(label, local)).map_or(tried.is_some(), |known| *known != tried) {
                self.settled = false;
            }
            self.steps.insert((label, local), tried);
            let kept = match self.versions.get(&local) {
                Some(value) => {
                    self.check(assumed, &value.clone(), &before, &head, Interval::of_type(self.function.local(local).ty.as_scalar()))
                }
                None => {
                    Invariant { at_least: false, at_most: false, is_power: false, is_remainder: false, range: Interval::ANY, ..assumed }
                }
            };
            if kept != assumed {
                self.invariants.insert((label, local), kept);
                self.settled = false;
            }
        }
    }

    /// Notes whether `local` is what it was before the loop, at a way back to its head. If the first way says so, that is assumed of the head in
    /// the next round of the walk, unless another way says something else.
    fn note_reset(&mut self, label: LabelId, local: LocalId, before: Option<&Value>, head: &Value) {
        let (value, known) = (self.versions.get(&local), self.resets.get(&(label, local)).copied());
        let is_same = |before: &Value, value: &Value| value.form == before.form || known == Some(true) && value.form == head.form;
        let is_reset = before.zip(value).is_some_and(|(before, value)| is_same(before, value)) && known != Some(false);
        if known.unwrap_or(false) != is_reset {
            self.settled = false;
        }
        self.resets.insert((label, local), is_reset);
    }

    /// Notes what the next iteration of `label` has in place of `value`.
    pub(crate) fn note_advance(&mut self, label: LabelId, value: &Value, next: Option<NormalForm>) {
        let Some(symbol) = value.form.as_symbol() else { return };
        let known = self.findings.advances.iter_mut().find(|known| known.label == label && known.symbol == *symbol);
        match known {
            // Several ways back to the head must agree.
            Some(known) if known.next != next => known.next = None,
            Some(_) => {}
            None => self.findings.advances.push(Advance { label, symbol: symbol.clone(), next }),
        }
    }

    /// How `value`, at the end of an iteration, has grown from `head`.
    fn step(&self, value: &Value, head: &Value) -> Option<Step> {
        // A sum of 32 bits has no polynomial: it may wrap around.
        let (step, most) = match added_in_32_bits(value, head) {
            Some(step) => (step, u32::MAX.into()),
            None => (value.form.minus(&head.form), u64::MAX),
        };
        let is_same = |form: &NormalForm| form.spread() == Uniformity::Launch;
        if step.terms.is_empty() || !is_same(&step) || value.interval.least < 0 || head.interval.least < 0 {
            return None;
        }
        let is_limit = |fact: &&Fact| fact.relation == Relation::Less && fact.left.form == head.form && is_same(&fact.right.form);
        let limit = self.facts.iter().find(is_limit)?;
        Some(Step { step, limit: Limit { below: limit.right.form.clone(), most } })
    }

    /// Where the innermost loop goes on: what goes up by steps, and is below a number, is at most the last one that a step leads to.
    pub(crate) fn assume_last_step(&mut self) {
        let heads: Vec<Value> = self.loops.last().iter().flat_map(|around| &around.heads).map(|(_, _, head)| head.clone()).collect();
        for head in heads {
            let Some(SymbolKind::Stepped { start, step, limit: Some(limit), .. }) = head.form.as_symbol().map(|symbol| &symbol.kind) else {
                continue;
            };
            let numbers = [start, step, &limit.below].map(NormalForm::as_constant);
            let ([Some(start), Some(step), Some(end)], Interval { most, .. }) = (numbers, self.interval(&head)) else { continue };
            // No step has wrapped around.
            if start < end && most < end.into() && step > 0 && end.checked_add(step).is_some_and(|next| next <= limit.most) {
                self.facts.add(&head, Relation::LessEqual, &Node::number(end - 1 - (end - 1 - start) % step));
            }
        }
    }

    /// What remains of `assumed` if the variable, of a type with the range `of_type`, is `value` at the end of an iteration.
    fn check(&self, assumed: Invariant, value: &Value, before: &Value, head: &Value, of_type: Interval) -> Invariant {
        if value.form == head.form {
            return assumed;
        }
        let own = self.interval(value).meet(of_type);
        let mut kept = Invariant {
            at_least: assumed.at_least && is_at_most(before, value, &self.facts),
            at_most: assumed.at_most && is_at_most(value, before, &self.facts),
            is_power: assumed.is_power && self.is_power_of_two(value),
            is_remainder: assumed.is_remainder && divisor_of(before).is_none_or(|divisor| is_remainder_of(value, divisor)),
            ..assumed
        };
        if !own.is_within(assumed.range) {
            kept.grown += 1;
            kept.range = assumed.range.join(own);
            // A counter grows with each iteration.
            if value.form.minus(&head.form).as_constant().is_some() {
                kept.grown = kept.grown.max(MOST_GROWTH);
            }
            if kept.grown > MOST_GROWTH {
                let mut of_type = if kept.grown <= MOST_GROWTH + MOST_TRIED { self.next_limits(own, of_type) } else { of_type };
                // What is halved or counted down stays natural.
                if kept.grown == MOST_GROWTH + MOST_TRIED && own.least >= 0 {
                    of_type.least = 0;
                }
                let least = if own.least < assumed.range.least { of_type.least } else { assumed.range.least };
                let most = if own.most > assumed.range.most { of_type.most } else { assumed.range.most };
                kept.range = Interval { least, most };
            }
        }
        kept
    }

    /// The ends around `own` that the numbers of the function suggest, such as the length of an array less one, or those of the type.
    fn next_limits(&self, own: Interval, of_type: Interval) -> Interval {
        let numbers = RefCell::new(self.function.numbers.iter().map(|constant| i128::from(constant.number)).collect::<Vec<_>>());
        self.function.body.any(&|expr| {
            if let ExprKind::Int(literal) = &expr.kind {
                numbers.borrow_mut().extend(i128::try_from(literal.value));
            }
            false
        });
        let ends = || numbers.borrow().clone().into_iter().flat_map(|number| [number, number - 1]);
        Interval {
            least: ends().filter(|end| *end <= own.least).max().unwrap_or(of_type.least).max(of_type.least),
            most: ends().filter(|end| *end >= own.most).min().unwrap_or(of_type.most).min(of_type.most),
        }
    }

    /// Whether the walk has taken too many rounds to continue assuming.
    pub(crate) fn forget_invariants(&mut self, round: usize) {
        if round >= MOST_ROUNDS {
            self.resets.values_mut().for_each(|is_reset| *is_reset = false);
            for invariant in self.invariants.values_mut() {
                *invariant = Invariant {
                    at_least: false,
                    at_most: false,
                    is_power: false,
                    is_remainder: false,
                    range: Interval::ANY,
                    grown: u8::MAX,
                };
            }
        }
    }
}

/// By what a remainder is one, if that is the same for the launch.
fn divisor_of(value: &Value) -> Option<&Value> {
    match &value.kind {
        Kind::Remainder(_, divisor) if divisor.spread == Uniformity::Launch => Some(divisor),
        _ => None,
    }
}

/// Whether it is below `divisor`, by which it is a remainder.
fn is_remainder_of(value: &Value, divisor: &Value) -> bool {
    match &value.kind {
        Kind::OneOf(values) => values.iter().all(|(value, _)| is_remainder_of(value, divisor)),
        _ => divisor_of(value).is_some_and(|known| known.form == divisor.form),
    }
}

/// What is added to `head` in `value`, a sum of two `u32`.
fn added_in_32_bits(value: &Value, head: &Value) -> Option<NormalForm> {
    let SymbolKind::Operation(name, operands) = &value.form.as_symbol()?.kind else { return None };
    let is_sum = name.is(IntegerOperation::Sum, Scalar::U32);
    match operands.as_slice() {
        [a, b] if is_sum && *a == head.form => Some(b.clone()),
        [a, b] if is_sum && *b == head.form => Some(a.clone()),
        _ => None,
    }
}
