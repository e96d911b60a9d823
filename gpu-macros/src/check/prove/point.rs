//! What one thread knows at one point of the program, and whether a comparison of its values follows.
//!
//! A value is a word of 64 bits, which is a natural number: the [`Sum`] of a value is that number. The word of a form is the sum of its terms
//! modulo 2^64. So it is at most that sum where the sum is not negative, and it is the sum where that is also below 2^64. Where neither is
//! known, the word is a variable of its own. How a value came about ([`Kind`]) says the rest.
//!
//! A value that is one of several is looked at case by case, each with what is known there.

use super::common::{Quantity, Side, Variables};
use super::conditions::Needs;
use super::inequality;
use super::nonnegative::{Allowed, BESIDES, BY_EXTENTS, BY_NUMBERS, Bound, Bounds, LAUNCH, NOTHING, Prover};
use super::relevant::connected;
use super::signed::may_be_negative_sum;
use super::sum::Sum;
use crate::check::values::form::{NormalForm, Symbol, SymbolKind, Uniformity};
use crate::check::values::operation::IntegerOperation;
use crate::check::values::value::{Exact, Kind, Node, Value};
use crate::check::walk::facts::{Fact, Facts, Relation};
use crate::model::{Atom, Inequality, Polynomial, Scalar};
use crate::vec_map::VecMap;
use std::rc::Rc;

/// How many values one question may look at case by case, one after the other.
const MOST_CASES: usize = 3;
/// How many values those of one question may be made of.
const MOST_VALUES: usize = 100;
/// How many sums and products may be in each other.
const MOST_NESTED: usize = 6;
/// No size of anything is so large, but half of the range of a type.
const LARGE: u64 = 1 << 30;
/// How many values a point may have bounds of.
const MOST_NODES: usize = 300;

/// When `value` is below `length`, which is an integer that the host knows, at a launch. What a number bounds may be bounded by something else too:
/// `is_weaker` says whether the first of two answers asks for less.
pub(crate) fn needs_below(
    value: &Value,
    length: &Polynomial,
    facts: &Facts,
    is_weaker: impl Fn(&[Inequality], &[Inequality]) -> bool,
) -> Option<Vec<Inequality>> {
    let variables = Variables::default();
    let needs = needs_with(&variables, value, length, facts, LAUNCH, false);
    if needs.as_ref().is_some_and(Vec::is_empty) || !variables.has_passed_over_numbers() {
        return needs;
    }
    let by_numbers = needs_with(&Variables::default(), value, length, facts, BY_NUMBERS, false);
    match (needs, by_numbers) {
        (Some(needs), Some(others)) => {
            let is_first = is_weaker(&others, &needs) || needs.iter().any(is_of_small_launches) && !others.iter().any(is_of_small_launches);
            Some(if is_first { others } else { needs })
        }
        (needs, by_numbers) => needs.or(by_numbers),
    }
}

/// Whether only launches of few elements or blocks satisfy it: nothing that is larger helps.
fn is_of_small_launches(need: &Inequality) -> bool {
    need.or.is_empty() && need.slack().is_some_and(|slack| slack.is_at_most(LARGE.into()))
}

/// The same, where every dividend must be below the length as well: a quotient is at most that, which asks for less than the
/// divisor does.
pub(crate) fn needs_below_with_dividends(value: &Value, length: &Polynomial, facts: &Facts) -> Option<Vec<Inequality>> {
    needs_with(&Variables::default(), value, length, facts, LAUNCH, true)
}

/// The same by the extents of the launch, as far as they bound coordinates.
pub(crate) fn needs_below_by_extents(value: &Value, length: &Polynomial, facts: &Facts) -> Option<Vec<Inequality>> {
    needs_with(&Variables::default(), value, length, facts, BY_EXTENTS, false)
}

fn needs_with(
    variables: &Variables,
    value: &Value,
    length: &Polynomial,
    facts: &Facts,
    allowed: &'static [Allowed],
    by_dividends: bool,
) -> Option<Vec<Inequality>> {
    let goal = |point: &mut Point<'_>| {
        let word = point.word(value)?;
        point.polynomial(length)?.plus_constant(-1)?.minus(&word)
    };
    let question = Question { variables, values: &[value], goal: &goal, allowed, by_dividends };
    let needs = question.answer(facts, &[value], &[])?;
    needs.iter().map(|need| below(variables, need, length)).collect()
}

/// Whether `b <= a` in every execution, of words without a sign.
pub(crate) fn is_at_most(b: &Value, a: &Value, facts: &Facts) -> bool {
    let (low, high) = (facts.interval(b), facts.interval(a));
    let by_intervals = low.is_natural() && high.is_natural() && low.most <= high.least;
    if by_intervals || b.form.as_constant() == Some(0) || a.form.has_part(&b.form) || is_said(b, a, facts) {
        return true;
    }
    let variables = Variables::default();
    let goal = |point: &mut Point<'_>| {
        let (b, a) = (point.word(b)?, point.word(a)?);
        a.minus(&b)
    };
    Question { variables: &variables, values: &[b, a], goal: &goal, allowed: NOTHING, by_dividends: false }
        .answer(facts, &[b, a], &[])
        .is_some_and(|needs| needs.is_empty())
}

/// Whether one fact says `b <= a`.
fn is_said(b: &Value, a: &Value, facts: &Facts) -> bool {
    let between = |low: &Value, high: &Value| low.form.has_part(&b.form) && a.form.has_part(&high.form);
    facts.iter().any(|Fact { left, relation, right, .. }| match relation {
        Relation::Less | Relation::LessEqual => between(left, right),
        Relation::Equal => between(left, right) || between(right, left),
        Relation::NotEqual | Relation::LessSigned | Relation::LessEqualSigned => false,
    })
}

/// When the terms of `form` add up to less than 2^64.
pub(crate) fn needs_against_wrap(form: &NormalForm, facts: &Facts) -> Option<Vec<Inequality>> {
    let variables = Variables::default();
    let value = Node::new(Kind::Unknown, form.clone());
    let goal = |point: &mut Point<'_>| Sum::constant(u64::MAX.into()).minus(&point.terms(form)?);
    let question = Question { variables: &variables, values: &[&value], goal: &goal, allowed: BESIDES, by_dividends: false };
    let needs = question.answer(facts, &[&value], &[])?;
    needs.iter().map(|need| inequality(&variables, need)).collect()
}

/// `sum >= 0` as a comparison with `length`, where it is one.
fn below(variables: &Variables, sum: &Sum, length: &Polynomial) -> Option<Inequality> {
    let most = length.minus(&variables.polynomial(sum)?)?.plus_constant(-1)?;
    let terms = |polynomial: &Polynomial| polynomial.terms.iter().filter(|term| !term.factors.is_empty()).count();
    let is_apart = most.terms.iter().all(|term| length.terms.iter().all(|other| term.factors.is_empty() || term.factors != other.factors));
    let is_small = |sum: i128| sum < i128::from(LARGE);
    let is_of_type = is_small(length.as_constant().unwrap_or(i128::from(LARGE))) && !is_small(sum.constant_part());
    let is_compared = is_apart && (terms(length) > 0 || most.is_never_negative() || sum.constant_part() > 0 && !is_of_type);
    if is_compared { Some(Inequality::below(most, length.clone())) } else { inequality(variables, sum) }
}

/// Whether a sum is not negative, by what is known at a point.
struct Question<'a> {
    variables: &'a Variables,
    values: &'a [&'a Value],
    goal: &'a dyn Fn(&mut Point<'_>) -> Option<Sum>,
    allowed: &'static [Allowed],
    /// Whether quotients are bounded by their dividends too.
    by_dividends: bool,
}

impl Question<'_> {
    /// `values`: what the sum is made of. `cases`: those of which `facts` say which of several they are.
    fn answer(&self, facts: &Facts, values: &[&Value], cases: &[&NormalForm]) -> Option<Needs> {
        let values = made_of(values);
        let mut point = Point { by_dividends: self.by_dividends, ..Point::new(self.variables) };
        for fact in relevant(facts, &values) {
            point.in_check =
                facts.checks().any(|check| std::ptr::eq(check, fact)) && !self.values.iter().any(|value| value.form == fact.left.form);
            point.add_fact(fact);
        }
        point.in_check = false;
        let found = (self.goal)(&mut point).and_then(|goal| {
            point.close(if self.allowed == NOTHING { NOTHING } else { BESIDES });
            point.prover(self.allowed).not_negative(&goal)
        });
        if found.as_ref().is_some_and(Needs::is_empty) {
            return found;
        }
        if point.is_impossible() {
            return Some(Needs::default());
        }
        // Of conditions that launches are likely to satisfy, only what holds on all launches is better.
        let is_likely = found.as_ref().is_some_and(Needs::is_likely);
        let allowed = if is_likely { NOTHING } else { self.allowed };
        Question { allowed, ..*self }.by_cases(facts, &values, cases).or(found)
    }

    /// The same in each case of a value that is one of several.
    fn by_cases(&self, facts: &Facts, values: &[&Value], cases: &[&NormalForm]) -> Option<Needs> {
        let is_several = |value: &&&Value| matches!(value.kind, Kind::OneOf(_) | Kind::Minimum(_) | Kind::Maximum(_));
        let mut open = values.iter().filter(|value| !cases.contains(&&value.form));
        let value = *open.find(is_several).filter(|_| cases.len() < MOST_CASES)?;
        let cases = [cases, &[&value.form]].concat();
        let in_case = |case: &Value, learn: &dyn Fn(&mut Facts)| {
            let mut facts = facts.clone();
            learn(&mut facts);
            facts.add(value, Relation::Equal, case);
            self.answer(&facts, &[values, &[case]].concat(), &cases)
        };
        let in_order =
            |low: &Value, high: &Value, case: &Value| in_case(case, &|facts: &mut Facts| facts.add(low, Relation::LessEqual, high));
        match &value.kind {
            Kind::OneOf(alternatives) => alternatives.iter().try_fold(Needs::default(), |needs, (case, learned)| {
                Some(needs.and(&in_case(case, &|facts: &mut Facts| facts.extend(learned))?))
            }),
            Kind::Minimum([a, b]) => Some(in_order(a, b, a)?.and(&in_order(b, a, b)?)),
            Kind::Maximum([a, b]) => Some(in_order(b, a, a)?.and(&in_order(a, b, b)?)),
            _ => None,
        }
    }
}

/// `values` and their operands, each once, the first ones where there are too many. What only some executions make is not among them.
fn made_of<'v>(values: &[&'v Value]) -> Vec<&'v Value> {
    let mut found: Vec<&Value> = Vec::new();
    let mut open: Vec<&Value> = values.to_vec();
    while let Some(value) = open.pop().filter(|_| found.len() < MOST_VALUES) {
        if !found.iter().any(|known| Rc::ptr_eq(known, value)) {
            found.push(value);
            open.extend(parts(&value.kind).into_iter().rev());
        }
    }
    found
}

/// The operands of which a value is made, in all executions that make it.
fn parts(kind: &Kind) -> Vec<&Value> {
    match kind {
        Kind::Sum { of, .. } | Kind::Product { of, .. } | Kind::Difference { of, .. } | Kind::Minimum(of) | Kind::Maximum(of) => {
            of.iter().collect()
        }
        Kind::AtMost(values) => values.iter().collect(),
        Kind::Remainder(a, b) | Kind::Quotient(a, b) | Kind::Excess(a, b) | Kind::RoundedUp(a, b) => vec![a, b],
        _ => Vec::new(),
    }
}

/// What is known of one thread at one point.
pub(super) struct Point<'v> {
    variables: &'v Variables,
    bounds: Bounds,
    /// The words of forms.
    words: VecMap<NormalForm, Sum>,
    /// The values whose bounds are there.
    defined: Vec<*const Node>,
    /// The words of forms whose terms may be negative together, the sums of these, and whether the launch may have to show that they are not.
    open: Vec<(Sum, Sum, bool)>,
    /// Differences that stop at 0, and what they are where they do not.
    excesses: Vec<(Sum, Sum)>,
    /// Comparisons of signed integers.
    pub(super) signed: Vec<(Value, Relation, Value)>,
    /// Signed integers that may be negative, and their words.
    pub(super) negative: Vec<(Value, Sum)>,
    /// Whether the fact is a check of another index.
    in_check: bool,
    /// Whether quotients are bounded by their dividends too.
    by_dividends: bool,
}

impl<'v> Point<'v> {
    fn new(variables: &'v Variables) -> Point<'v> {
        Point {
            variables,
            bounds: Bounds::default(),
            words: VecMap::default(),
            defined: Vec::new(),
            open: Vec::new(),
            excesses: Vec::new(),
            signed: Vec::new(),
            negative: Vec::new(),
            in_check: false,
            by_dividends: false,
        }
    }

    pub(super) fn prover<'a>(&'a self, allowed: &'a [Allowed]) -> Prover<'a> {
        Prover { variables: self.variables, bounds: &self.bounds, allowed, latest_first: true }
    }

    fn add_fact(&mut self, fact: &Fact) {
        // Divisions have rules of their own here.
        if fact.of_division {
            return;
        }
        if matches!(fact.relation, Relation::LessSigned | Relation::LessEqualSigned) {
            self.signed.push((fact.left.clone(), fact.relation, fact.right.clone()));
            return;
        }
        let Some((left, right)) = self.word(&fact.left).zip(self.word(&fact.right)) else { return };
        match fact.relation {
            Relation::Less if self.in_check => {
                if let Some(sum) = right.minus(&left).and_then(|sum| sum.plus_constant(-1)) {
                    self.bounds.add_of_check(Bound { sum, needs: Needs::default() });
                }
            }
            Relation::Less => self.add(right.minus(&left).and_then(|sum| sum.plus_constant(-1))),
            Relation::LessEqual => self.add(right.minus(&left)),
            Relation::Equal => {
                self.add(right.minus(&left));
                self.add(left.minus(&right));
            }
            Relation::NotEqual => {
                for difference in [right.minus(&left), left.minus(&right)].into_iter().flatten() {
                    let is_natural = difference.terms().all(|(_, x)| x > 0) || self.bounds.iter().any(|bound| bound.sum == difference);
                    if is_natural {
                        self.add(difference.plus_constant(-1));
                    }
                }
            }
            Relation::LessSigned | Relation::LessEqualSigned => {}
        }
    }

    /// Adds that `sum` is not negative.
    fn add(&mut self, sum: Option<Sum>) {
        self.add_with(sum, Needs::default());
    }

    pub(super) fn add_with(&mut self, sum: Option<Sum>, needs: Needs) {
        if let Some(sum) = sum.filter(|sum| sum.terms().any(|(_, x)| x < 0)) {
            self.bounds.add(Bound { sum, needs });
        }
    }

    /// Whether no execution comes here.
    fn is_impossible(&self) -> bool {
        self.bounds.iter().any(|bound| bound.needs.is_empty() && bound.sum.constant_part() < 0 && bound.sum.terms().all(|(_, x)| x < 0))
    }

    /// Adds the bounds of differences that do not stop at 0, and of words whose terms may be negative together, where they are not, with
    /// conditions as `allowed`.
    fn close(&mut self, allowed: &'static [Allowed]) {
        for (excess, difference) in std::mem::take(&mut self.excesses) {
            let is_positive = excess.plus_constant(-1).and_then(|less| self.prover(NOTHING).not_negative(&less)).is_some();
            if is_positive {
                self.add(difference.minus(&excess));
            }
        }
        self.close_signed(allowed);
        // What a form says is found first.
        for (word, sum, at_launch) in std::mem::take(&mut self.open).into_iter().rev() {
            if let Some(needs) = self.prover(if at_launch { allowed } else { NOTHING }).not_negative(&sum) {
                self.add_with(sum.minus(&word), needs);
            }
        }
    }

    /// An integer that the host knows.
    fn polynomial(&mut self, polynomial: &Polynomial) -> Option<Sum> {
        polynomial.terms.iter().try_fold(Sum::default(), |sum, term| {
            let product = term.factors.iter().try_fold(Sum::constant(term.coefficient), |product, atom| {
                let symbol = match atom {
                    Atom::BlockDim(axis) => Symbol::block_dim(*axis),
                    Atom::GridDim(axis) => Symbol::grid_dim(*axis),
                    _ => Symbol::launch(atom.clone(), u64::MAX),
                };
                product.times(&self.symbol(&symbol)?)
            })?;
            sum.plus(&product)
        })
    }

    fn symbol(&self, symbol: &Symbol) -> Option<Sum> {
        let known = self.words.get(&NormalForm::symbol(symbol.clone()));
        known.cloned().or_else(|| Some(Sum::variable(self.variables.symbol(symbol, Side::First)?)))
    }

    /// The sum of the terms of a form in the integers.
    fn terms(&self, form: &NormalForm) -> Option<Sum> {
        form.terms.as_slice().iter().try_fold(Sum::default(), |sum, (factors, coefficient)| {
            let term = factors.iter().try_fold(Sum::constant((*coefficient).into()), |term, symbol| term.times(&self.symbol(symbol)?))?;
            sum.plus(&term)
        })
    }

    /// The word of a value.
    pub(super) fn word(&mut self, value: &Value) -> Option<Sum> {
        if let Some(number) = value.form.as_constant() {
            return Some(Sum::constant(number.into()));
        }
        let node = Rc::as_ptr(value);
        let is_new = !self.defined.contains(&node);
        if is_new {
            (self.defined.len() < MOST_NODES).then(|| self.defined.push(node))?;
            self.prepare(value)?;
        }
        let word = match self.words.get(&value.form) {
            Some(word) => word.clone(),
            None => {
                let word = self.new_word(value)?;
                self.words.insert(value.form.clone(), word.clone());
                word
            }
        };
        if is_new {
            self.define(value, &word);
        }
        Some(word)
    }

    /// Adds what is known of the symbols of a value.
    fn prepare(&mut self, value: &Value) -> Option<()> {
        for part in parts(&value.kind) {
            let is_ring = matches!(part.kind, Kind::Sum { .. } | Kind::Product { .. } | Kind::Difference { .. });
            if is_ring && value.form.as_symbol().is_none() && !self.is_known(&part.form) && !self.has_known_part(part, MOST_NESTED) {
                self.prepare(part)?;
            } else {
                self.word(part)?;
            }
        }
        Some(())
    }

    /// Whether a fact is about a part of a sum or product that may have wrapped around.
    fn has_known_part(&self, value: &Value, depth: usize) -> bool {
        let (Kind::Sum { of, .. } | Kind::Product { of, .. } | Kind::Difference { of, .. }) = &value.kind else { return false };
        let is_known = |part: &Value| self.words.get(&part.form).is_some() && !part.form.never_wraps() && part.form.as_symbol().is_none();
        depth > 0 && of.iter().any(|part| is_known(part) || self.has_known_part(part, depth - 1))
    }

    /// Whether a form has a word already.
    fn is_known(&self, form: &NormalForm) -> bool {
        form.as_symbol().is_some() || form.never_wraps() || self.words.get(form).is_some()
    }

    fn new_word(&mut self, value: &Value) -> Option<Sum> {
        if let Some(quotient) = self.quotient(value) {
            return Some(quotient);
        }
        if let Some(symbol) = value.form.as_symbol() {
            return Some(Sum::variable(self.variables.symbol(symbol, Side::First)?));
        }
        if value.form.never_wraps() {
            return self.terms(&value.form);
        }
        match &value.kind {
            Kind::Sum { of: [a, b], exact: Exact::Always } => self.word(a)?.plus(&self.word(b)?),
            Kind::Product { of: [a, b], exact: Exact::Always } => self.word(a)?.times(&self.word(b)?),
            Kind::Difference { of: [a, b], exact: true } => self.word(a)?.minus(&self.word(b)?),
            _ => self.wrapped(&value.form, true),
        }
    }

    /// A variable for the word of a form that may wrap around.
    fn wrapped(&mut self, form: &NormalForm, at_launch: bool) -> Option<Sum> {
        if let Some(word) = self.words.get(form) {
            return Some(word.clone());
        }
        if form.never_wraps() {
            return self.terms(form);
        }
        let side = if form.spread() == Uniformity::Launch { Side::Both } else { Side::First };
        let is_sum = form.terms.values().all(|coefficient| coefficient > 0);
        let quantity = match form.to_word().filter(|_| side == Side::Both && !is_sum) {
            Some(word) => Quantity::Symbol(SymbolKind::Launch(word)),
            None => Quantity::Word(form.clone()),
        };
        let word = Sum::variable(self.variables.variable(quantity, side, u64::MAX)?);
        self.words.insert(form.clone(), word.clone());
        let sum = self.terms(form)?;
        if sum.terms().all(|(_, x)| x > 0) {
            self.add(sum.minus(&word));
        } else {
            self.open.push((word.clone(), sum, at_launch));
        }
        // A number that is added makes the word larger by at most that.
        let number = form.terms.constant().unwrap_or(0);
        if number != 0 {
            // A large one makes room for what may be negative without it.
            let rest =
                self.wrapped(&form.without(&NormalForm::constant(number.cast_unsigned())), at_launch && number.unsigned_abs() < LARGE)?;
            let (more, less) = if number > 0 { (&word, &rest) } else { (&rest, &word) };
            self.add(less.plus_constant(i128::from(number).abs())?.minus(more));
        }
        Some(word)
    }

    /// The quotient that `value` is: a variable with a name for the host, if both operands have one.
    fn quotient(&mut self, value: &Value) -> Option<Sum> {
        let (a, b) = match &value.kind {
            Kind::Quotient(a, b) => (self.word(a)?, self.word(b)?),
            Kind::RoundedUp(a, b) => {
                let (a, b) = (self.word(a)?, self.word(b)?);
                (a.plus(&b)?.plus_constant(-1)?, b)
            }
            _ => return None,
        };
        let side = self.variables.side_of(&a).max(self.variables.side_of(&b));
        let quotient = Sum::variable(self.variables.variable(Quantity::Quotient(a.clone(), b.clone()), side, u64::MAX)?);
        self.divide(&a, &b, &quotient);
        Some(quotient)
    }

    /// `quotient` is `a / b`, rounded down.
    fn divide(&mut self, a: &Sum, b: &Sum, quotient: &Sum) -> Option<()> {
        // The division was not by zero.
        self.add(b.plus_constant(-1));
        let rest = a.minus(&quotient.times(b)?)?;
        self.add(b.plus_constant(-1)?.minus(&rest));
        self.add(Some(rest));
        if self.by_dividends {
            self.add(a.minus(quotient));
        }
        Some(())
    }

    /// What the way in which `value` came about says about its word.
    fn define(&mut self, value: &Value, word: &Sum) -> Option<()> {
        let interval = value.interval;
        if interval.is_natural() && interval.least > 0 {
            self.add(word.plus_constant(-interval.least));
        }
        // Not a ceiling of the variable, which other cases have too: here the value is what it is on this path.
        let ceiling = word.as_variable().map_or(0, |variable| self.variables.ceiling(variable));
        if interval.is_natural() && interval.most < ceiling.into() {
            let sum = Sum::constant(interval.most).minus(word)?;
            self.bounds.add_of_check(Bound { sum, needs: Needs::default() });
        }
        if may_be_negative_sum(value) {
            self.negative.push((value.clone(), word.clone()));
        }
        // Of a sum or product of unknown parts, the form says as much.
        if let Kind::Sum { .. } | Kind::Product { .. } = &value.kind
            && value.form.as_symbol().is_none()
            && value.form.terms.values().all(|coefficient| coefficient > 0)
            && !self.has_known_part(value, 1)
        {
            return Some(());
        }
        let words: Option<Vec<Sum>> = parts(&value.kind).into_iter().map(|part| self.word(part)).collect();
        let words = words?;
        match (&value.kind, &words[..]) {
            (Kind::AtMost(_) | Kind::Minimum(_), parts) => parts.iter().for_each(|part| self.add(part.minus(word))),
            (Kind::Sum { .. }, [a, b]) => self.add(a.plus(b)?.minus(word)),
            (Kind::Product { .. }, [a, b]) => self.add(a.times(b)?.minus(word)),
            (Kind::Maximum(_), [a, b]) => {
                self.add(word.minus(a));
                self.add(word.minus(b));
                self.add(a.plus(b)?.minus(word));
            }
            (Kind::Remainder(..), [a, b]) => {
                self.add(a.minus(word));
                self.add(b.plus_constant(-1));
                self.add(b.plus_constant(-1)?.minus(word));
                let is_of_words = |symbol: &Symbol| matches!(&symbol.kind, SymbolKind::Operation(name, _) if name.is(IntegerOperation::Remainder, Scalar::Usize));
                if value.form.as_symbol().is_some_and(is_of_words) {
                    let side = self.variables.side_of(a).max(self.variables.side_of(b));
                    let quotient = Sum::variable(self.variables.variable(Quantity::Quotient(a.clone(), b.clone()), side, u64::MAX)?);
                    let rest = a.minus(&quotient.times(b)?)?;
                    self.add(rest.minus(word));
                    self.add(word.minus(&rest));
                }
            }
            (Kind::Excess(..), [a, b]) => {
                let difference = a.minus(b)?;
                self.add(a.minus(word));
                self.add(word.minus(&difference));
                self.excesses.push((word.clone(), difference));
            }
            // Of another divisor, the quotient says more.
            (Kind::RoundedUp(..) | Kind::Quotient(..), [a, b]) if self.variables.side_of(b) != Side::Both => self.add(a.minus(word)),
            (Kind::Difference { exact, .. }, [a, b]) => {
                let difference = a.minus(b)?;
                if *exact {
                    self.add(difference.minus(word));
                    self.add(word.minus(&difference));
                } else {
                    self.open.push((word.clone(), difference, true));
                }
            }
            _ => {}
        }
        Some(())
    }
}

/// The facts about what `values` are made of, about the values in these facts, and so on. Earliest first.
fn relevant<'f>(facts: &'f Facts, values: &[&'f Value]) -> Vec<&'f Fact> {
    let is_own = |symbol: &Symbol| symbol.spread != Uniformity::Launch;
    let facts: Vec<(&Fact, Vec<&Symbol>)> = facts.iter().map(|fact| (fact, symbols(&made_of(&[&fact.left, &fact.right])))).collect();
    connected(&facts, symbols(values), |_, about| !about.iter().any(|symbol| is_own(symbol)), is_own)
}

/// The symbols of `values`.
fn symbols<'f>(values: &[&'f Value]) -> Vec<&'f Symbol> {
    let mut symbols = Vec::new();
    for symbol in values.iter().flat_map(|value| value.form.terms.keys().flatten()) {
        if !symbols.contains(&symbol) {
            symbols.push(symbol);
        }
    }
    symbols
}
