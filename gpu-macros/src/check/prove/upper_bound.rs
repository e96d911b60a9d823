//! Upper bounds of values, as polynomials that the host can evaluate at launch.
//!
//! The claim of a [`Candidate`] is: at any point where the facts hold, on any launch that satisfies `needs`, the value is at
//! most `most`. By induction over how the value came about:
//!
//! * A quantity known at launch is at most itself; a fact `v < r` gives `v <= r - 1`, and `r` is at most its own bound.
//! * Sums and products of unsigned integers are at most the sum and product of their operands' bounds. Wrap-around only makes
//!   the result smaller. Multiplying bounds is monotone because the operands are at least 0, and where the operands were
//!   evaluated at all their bounds are at least the operands, so at least 0 too.
//! * A bound may be negative on some launch. Then the facts it rests on hold nowhere on that launch, and the access that
//!   relies on it never happens.
//! * `a - b` wraps when `a < b`, so it has a bound only where `b <= a` follows from facts, or from a condition on the launch
//!   that goes to `needs`.
//! * A value that is one of several has the bounds that each of them has, with what is known where it is the one.

mod at_most;
mod candidate;

pub(crate) use candidate::Candidate;

use crate::check::values::form::{NormalForm, Symbol, SymbolKind, Uniformity};
use crate::check::values::interval::Interval;
use crate::check::values::operation::IntegerOperation;
use crate::check::values::value::{Exact, Kind, Node, Value};
use crate::check::walk::facts::{Fact, Facts, Relation};
use crate::model::{Inequality, Polynomial, Scalar};
use candidate::{Candidates, MOST_CANDIDATES, Needs, combine, common, push_all, upper_of_quotient};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

/// How many facts may be followed one after the other.
const DEPTH: usize = 4;
/// A number that is added to a value, not subtracted modulo 2^64.
const MOST_MORE: u64 = u32::MAX as u64;
/// How many operations on what the host knows a value may consist of.
const MOST_OPERATIONS: usize = 8;
/// How many values one question may visit: the facts can form cycles and the values a lattice.
const FUEL: usize = 500;

/// Answers questions about bounds at one point of the program.
pub(crate) struct Bounds<'f> {
    /// Those at the point, and those of the alternatives that lead to the value in question.
    facts: Vec<&'f Facts>,
    fuel: Rc<Cell<usize>>,
    /// What has been answered, for a value and the depth that was left. (The values live as long as those that are asked about.)
    uppers: RefCell<HashMap<(*const Node, usize), Candidates>>,
    comparisons: RefCell<HashMap<Comparison, Option<Needs>>>,
}

impl<'f> Bounds<'f> {
    pub(crate) fn new(facts: &'f Facts) -> Self {
        Bounds { facts: vec![facts], fuel: Rc::new(Cell::new(FUEL)), uppers: RefCell::default(), comparisons: RefCell::default() }
    }

    /// Where an alternative, with these facts, is the value.
    fn of_alternative<'a>(&self, facts: &'a Facts) -> Bounds<'a>
    where
        'f: 'a,
    {
        let mut lists: Vec<&'a Facts> = self.facts.clone();
        lists.push(facts);
        Bounds { facts: lists, fuel: Rc::clone(&self.fuel), uppers: RefCell::default(), comparisons: RefCell::default() }
    }

    fn facts(&self) -> impl Iterator<Item = &Fact> {
        self.facts.iter().flat_map(|facts| facts.iter())
    }

    fn guards(&self) -> impl Iterator<Item = &Fact> {
        self.facts.iter().flat_map(|facts| facts.guards())
    }

    fn checks(&self) -> impl Iterator<Item = &Fact> {
        self.facts.iter().flat_map(|facts| facts.checks())
    }

    fn spend_fuel(&self) -> bool {
        let fuel = self.fuel.get().checked_sub(1);
        self.fuel.set(fuel.unwrap_or(0));
        fuel.is_some()
    }

    /// Upper bounds of `value`, those from guards first.
    pub(crate) fn upper(&self, value: &Value) -> Candidates {
        self.upper_to_depth(value, DEPTH)
    }

    /// Which integers `value` can be.
    pub(crate) fn interval(&self, value: &Value) -> Interval {
        // What facts say about its word without a sign, and about the signed integer.
        let (mut word, mut integer) = (Interval::WORD, value.interval);
        if value.form.as_constant().is_some() {
            return integer;
        }
        for Fact { left, relation, right, .. } in self.facts() {
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
        if integer.least >= 0 || word.most <= i64::MAX.into() { integer.meet(word) } else { integer }
    }

    /// Upper bounds of a symbol by itself.
    pub(crate) fn upper_of_symbol(&self, symbol: &Symbol) -> Vec<Candidate> {
        let form = NormalForm::symbol(symbol.clone());
        let mut candidates = self.upper_by_facts(&form, self.facts(), DEPTH);
        push_all(&mut candidates, launch_quantity(&form).map(Candidate::without_needs));
        if candidates.is_empty() {
            push_all(&mut candidates, self.upper_of_division(symbol));
        }
        candidates
    }

    /// The same of a quotient or remainder, by its operands.
    fn upper_of_division(&self, symbol: &Symbol) -> Vec<Candidate> {
        let SymbolKind::Operation(name, operands) = &symbol.kind else { return Vec::new() };
        let [dividend, divisor] = operands.as_slice() else { return Vec::new() };
        // A sum or product is what the polynomial says where it does not wrap around.
        let of_launch = || exact(divisor).map(|most| Candidate { needs: vec![below_2_to_the_64(most.clone())], most });
        let divisor = launch_quantity(divisor).map(Candidate::without_needs).or_else(of_launch);
        match divisor {
            Some(divisor) if name.is(IntegerOperation::Remainder, Scalar::Usize) => divisor.plus_constant(-1).into_iter().collect(),
            divisor if name.is(IntegerOperation::Quotient, Scalar::Usize) => {
                let mut bounds = self.upper_by_facts(dividend, self.facts(), DEPTH);
                if dividend.never_wraps() {
                    push_all(&mut bounds, self.upper_of_terms(dividend));
                }
                upper_of_quotient(&bounds, divisor.as_ref())
            }
            _ => Vec::new(),
        }
    }

    /// Upper bounds of the sum of the terms in the natural numbers. There are none if a coefficient is negative.
    pub(crate) fn upper_of_terms(&self, form: &NormalForm) -> Vec<Candidate> {
        let mut sum = vec![Candidate::without_needs(Polynomial::default())];
        for (factors, coefficient) in form.terms.as_slice() {
            let Ok(coefficient) = u64::try_from(*coefficient) else { return Vec::new() };
            let mut term = vec![Candidate::without_needs(Polynomial::constant(coefficient.into()))];
            // One symbol at a time: a fact about a larger part would speak of its value after wrap-around.
            for symbol in factors {
                term = combine(&term, &self.upper_of_symbol(symbol), Polynomial::times);
            }
            sum = combine(&sum, &term, Polynomial::plus);
        }
        sum
    }

    fn upper_to_depth(&self, value: &Value, depth: usize) -> Candidates {
        let key = (Rc::as_ptr(value), depth);
        if let Some(known) = self.uppers.borrow().get(&key) {
            return Rc::clone(known);
        }
        let candidates: Candidates = self.find_upper(value, depth).into();
        self.uppers.borrow_mut().insert(key, Rc::clone(&candidates));
        candidates
    }

    fn find_upper(&self, value: &Value, depth: usize) -> Vec<Candidate> {
        if !self.spend_fuel() {
            return Vec::new();
        }
        // A check of this very value may make another one redundant. One of a part of it, or of more, says less than how it came about.
        let (same, others): (Vec<&Fact>, Vec<&Fact>) = self.checks().partition(|fact| fact.left.form == value.form);
        // `x * b + b <= a`, by a division, says less of the left side than that it is `b` times a quotient: the remainder is left out.
        let (multiples, guards): (Vec<&Fact>, Vec<&Fact>) =
            self.guards().partition(|fact| fact.relation == Relation::LessEqual && fact.of_division && fact.left.form == value.form);
        let mut candidates = self.upper_by_facts(&value.form, guards.into_iter().chain(same), depth);
        push_all(&mut candidates, self.upper_by_multiple(&value.form, depth));
        push_all(&mut candidates, launch_quantity(&value.form).map(Candidate::without_needs));
        if value.form.as_constant().is_none() && candidates.len() < MOST_CANDIDATES {
            push_all(&mut candidates, self.upper_by_kind(value, depth));
        }
        if candidates.len() < MOST_CANDIDATES {
            push_all(&mut candidates, self.upper_by_facts(&value.form, multiples.into_iter().chain(others), depth));
        }
        candidates
    }

    fn upper_by_facts<'a>(&'a self, form: &NormalForm, facts: impl Iterator<Item = &'a Fact>, depth: usize) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        if form.as_constant().is_some() || depth == 0 {
            return candidates;
        }
        // A comparison with what the host knows says more than one with a value that has a bound itself, but that of a quotient.
        let (direct, others): (Vec<&Fact>, Vec<&Fact>) = facts.partition(|fact| is_launch_quantity(&fact.right.form) && !fact.of_division);
        for Fact { left, relation, right, .. } in direct.into_iter().chain(others) {
            let strict = i128::from(*relation == Relation::Less);
            match relation {
                Relation::NotEqual | Relation::LessSigned | Relation::LessEqualSigned => {}
                Relation::Equal if right.form == *form => push_all(&mut candidates, self.upper_to_depth(left, depth - 1).iter().cloned()),
                // What shows that a signed integer is not negative bounds nothing else.
                Relation::LessEqual if right.form.as_constant() == Some(i64::MAX.cast_unsigned()) => {}
                Relation::Less | Relation::LessEqual | Relation::Equal => {
                    if let Some(more) = most_more(&left.form, form) {
                        let bounds = self.upper_to_depth(right, depth - 1);
                        push_all(&mut candidates, bounds.iter().filter_map(|bound| bound.plus_constant(more - strict)));
                    }
                }
            }
        }
        candidates
    }

    /// What is less than the end of a chunk, which does not wrap around: `x + y` is below the end `x + r` where `y < r`, and `x + 1` below
    /// `x + 2`. (The end is at least `r`, so what is less by at most `r` does not wrap around either.)
    fn upper_by_multiple(&self, form: &NormalForm, depth: usize) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        let Some(depth) = depth.checked_sub(1).filter(|_| form.terms.len() > 1) else { return candidates };
        let is_end = |fact: &&Fact| matches!(fact.left.kind, Kind::Sum { exact: Exact::Always, .. });
        for Fact { left: end, relation, right, .. } in self.guards().filter(is_end) {
            let gap = match relation {
                Relation::Less => 1,
                Relation::LessEqual => 0,
                _ => continue,
            };
            let by_number = end.form.minus(form).as_constant().filter(|less| *less > 0 && largest_number(end) >= *less);
            let less = by_number.map(i128::from).or_else(|| {
                let is_below = |fact: &Fact| {
                    let (y, r) = (&fact.left.form, &fact.right.form);
                    let is_part = fact.relation == Relation::Less && y.terms.keys().all(|factors| form.terms.contains(factors));
                    is_part && has_summand(end, r) && form.minus(y).plus(r) == end.form
                };
                self.guards().any(is_below).then_some(1)
            });
            if let Some(less) = less {
                let bounds = self.upper_to_depth(right, depth);
                push_all(&mut candidates, bounds.iter().filter_map(|bound| bound.plus_constant(-less - gap)));
            }
        }
        candidates
    }

    fn upper_by_kind(&self, value: &Value, depth: usize) -> Vec<Candidate> {
        let upper = |value: &Value| self.upper_to_depth(value, depth);
        match &value.kind {
            Kind::Sum { of: [a, b], .. } => {
                let mut candidates = self.upper_of_middle(a, b, depth);
                push_all(&mut candidates, self.upper_of_middle(b, a, depth));
                push_all(&mut candidates, combine(&upper(a), &upper(b), Polynomial::plus));
                candidates
            }
            Kind::Product { of: [a, b], .. } => combine(&upper(a), &upper(b), Polynomial::times),
            Kind::AtMost(values) => self.upper_of_any(values, depth),
            Kind::Minimum(values) => self.upper_of_any(values, depth),
            Kind::Maximum([a, b]) => {
                let mut candidates = common(&[upper(a), upper(b)]);
                push_all(&mut candidates, combine(&upper(a), &upper(b), Polynomial::plus));
                candidates
            }
            Kind::Remainder(a, b) => {
                let mut candidates: Vec<Candidate> = upper(b).iter().filter_map(|bound| bound.plus_constant(-1)).collect();
                push_all(&mut candidates, upper(a).iter().cloned());
                candidates
            }
            Kind::Quotient(a, divisor) => {
                let divisor = Candidate::without_needs(Polynomial::constant((*divisor).into()));
                upper_of_quotient(&upper(a), Some(&divisor))
            }
            Kind::Excess(a, _) | Kind::RoundedUp(a, _) => upper(a).to_vec(),
            Kind::Share(a, b) => upper_of_quotient(&upper(a), natural(b).as_ref()),
            Kind::Difference { of: [a, b], exact } => self.upper_of_difference(a, b, *exact, depth),
            Kind::OneOf(alternatives) => {
                let bounds = alternatives.iter().map(|(value, facts)| self.of_alternative(facts).upper_to_depth(value, depth));
                common(&bounds.collect::<Vec<_>>())
            }
            _ => Vec::new(),
        }
    }

    /// `a + (b - a) / k` is at most `b`, and below it where `a < b`.
    fn upper_of_middle(&self, a: &Value, part: &Value, depth: usize) -> Vec<Candidate> {
        let Kind::Quotient(difference, divisor) = &part.kind else { return Vec::new() };
        let Kind::Difference { of: [b, start], exact: true } = &difference.kind else { return Vec::new() };
        if start.form != a.form {
            return Vec::new();
        }
        let is_less = |fact: &Fact| fact.relation == Relation::Less && fact.left.form == a.form && fact.right.form == b.form;
        let gap = i128::from(*divisor > 1 && self.facts().any(is_less));
        self.upper_to_depth(b, depth).iter().filter_map(|bound| bound.plus_constant(-gap)).collect()
    }

    fn upper_of_any(&self, values: &[Value], depth: usize) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for value in values {
            push_all(&mut candidates, self.upper_to_depth(value, depth).iter().cloned());
        }
        candidates
    }

    /// `a - b <= upper(a) - least(b)` where `b <= a`.
    fn upper_of_difference(&self, a: &Value, b: &Value, exact: bool, depth: usize) -> Vec<Candidate> {
        let subtrahend = self.least(b, depth);
        let needs = if exact { Some(Vec::new()) } else { self.needs_for_at_most(b, a, depth).or_else(|| self.needs_at_least(a, b, depth)) };
        let Some(needs) = needs else { return Vec::new() };
        let bounds = self.upper_to_depth(a, depth);
        let candidates = bounds.iter().filter_map(|bound| {
            let mut bound = Candidate { most: bound.most.minus(&subtrahend.most)?, needs: bound.needs.clone() };
            for need in needs.iter().chain(&subtrahend.needs) {
                if !bound.needs.contains(need) {
                    bound.needs.push(need.clone());
                }
            }
            Some(bound)
        });
        candidates.collect()
    }

    /// What `value` is at least, of a sum that of its parts.
    fn least(&self, value: &Value, depth: usize) -> Candidate {
        let of_parts = |[a, b]: &[Value; 2], exact: Exact| {
            let (a_least, b_least) = (self.least(a, depth - 1), self.least(b, depth - 1));
            let mut needs = [a_least.needs, b_least.needs].concat();
            if exact == Exact::UnlessItWraps {
                needs.extend(self.needs_against_wrap(a, b, depth - 1)?);
            }
            Some(Candidate { most: a_least.most.plus(&b_least.most)?, needs })
        };
        let by_parts = || match &value.kind {
            Kind::Sum { of, exact } if depth > 0 && *exact != Exact::Unknown => of_parts(of, *exact),
            _ => None,
        };
        natural(value).or_else(by_parts).unwrap_or_else(|| {
            let least = self.interval(value).least.max(0);
            Candidate::without_needs(Polynomial::constant(least))
        })
    }

    /// Conditions on the launch under which `b <= a`, where the host can compute `a`, and `b` or a bound of it.
    fn needs_at_least(&self, a: &Value, b: &Value, depth: usize) -> Option<Needs> {
        // Wrapped, `b` is only smaller.
        let most = natural(b).or_else(|| Some(Candidate::without_needs(exact(&b.form)?)));
        let most = most.or_else(|| self.upper_to_depth(b, depth).first().cloned())?;
        let least = match natural(a) {
            Some(least) => least,
            None => {
                let least = exact(&a.form)?;
                Candidate { needs: vec![below_2_to_the_64(least.clone())], most: least }
            }
        };
        let mut needs = vec![Inequality { most: most.most, length: least.most.plus_constant(1)? }];
        needs.extend(most.needs);
        needs.extend(least.needs);
        Some(needs)
    }
}

/// Two values, and the depth that was left.
type Comparison = (*const Node, *const Node, usize);

/// Whether `whole` is `part`, or `part` and more without wrap-around.
pub(crate) fn is_part(whole: &NormalForm, part: &NormalForm) -> bool {
    least_rest(whole, part).is_some()
}

/// The value as a polynomial that the host can compute, where it is one on launches that satisfy `needs`.
fn natural(value: &Value) -> Option<Candidate> {
    natural_to_depth(value, MOST_OPERATIONS)
}

fn natural_to_depth(value: &Value, depth: usize) -> Option<Candidate> {
    if let Some(quantity) = launch_quantity(&value.form) {
        return Some(Candidate::without_needs(quantity));
    }
    let depth = depth.checked_sub(1)?;
    if value.spread != Uniformity::Launch {
        return None;
    }
    let parts = |[a, b]: &[Value; 2]| {
        let (a, b) = (natural_to_depth(a, depth)?, natural_to_depth(b, depth)?);
        Some((a.most, b.most, [a.needs, b.needs].concat()))
    };
    let (most, mut needs, exactly) = match &value.kind {
        Kind::Sum { exact: Exact::Unknown, .. } | Kind::Product { exact: Exact::Unknown, .. } => return None,
        Kind::Sum { of, exact } => {
            let (a, b, needs) = parts(of)?;
            let sum = a.plus(&b)?;
            (sum.clone(), needs, (*exact == Exact::UnlessItWraps).then(|| below_2_to_the_64(sum)))
        }
        Kind::Product { of, exact } => {
            let (a, b, needs) = parts(of)?;
            let product = a.times(&b)?;
            (product.clone(), needs, (*exact == Exact::UnlessItWraps).then(|| below_2_to_the_64(product)))
        }
        Kind::Difference { of, exact } => {
            let (a, b, needs) = parts(of)?;
            let length = a.plus_constant(1)?;
            (a.minus(&b)?, needs, (!exact).then_some(Inequality { most: b, length }))
        }
        Kind::Quotient(a, divisor) => {
            let divisor = Candidate::without_needs(Polynomial::constant((*divisor).into()));
            return Some(natural_to_depth(a, depth)?.divided_by(&divisor));
        }
        Kind::Share(a, b) => return Some(natural_to_depth(a, depth)?.divided_by(&natural_to_depth(b, depth)?)),
        _ => return None,
    };
    needs.extend(exactly);
    Some(Candidate { most, needs })
}

/// Whether `part` is added in `sum`, which does not wrap around.
fn has_summand(sum: &Value, part: &NormalForm) -> bool {
    sum.form == *part || matches!(&sum.kind, Kind::Sum { of, exact: Exact::Always } if of.iter().any(|operand| has_summand(operand, part)))
}

/// The largest number that is added in `sum`, which does not wrap around.
fn largest_number(sum: &Value) -> u64 {
    match &sum.kind {
        Kind::Sum { of, exact: Exact::Always } => of.iter().map(largest_number).max().unwrap_or(0),
        _ => sum.form.as_constant().unwrap_or(0),
    }
}

/// By how much `form` is larger than `other` at most, where that is a number: wrapped around, it is smaller.
fn most_more(other: &NormalForm, form: &NormalForm) -> Option<i128> {
    if let Some(rest) = least_rest(other, form) {
        return Some(-i128::from(rest));
    }
    let same_terms = form.terms.keys().filter(|factors| !factors.is_empty()).eq(other.terms.keys().filter(|factors| !factors.is_empty()));
    let more = if same_terms { form.without(other).as_constant() } else { None };
    more.filter(|more| *more <= MOST_MORE).map(i128::from)
}

/// When a bound of `whole` bounds `part` too: `whole` is `part`, or `part` and more without wrap-around. Gives the number by
/// which `whole` is larger at least.
fn least_rest(whole: &NormalForm, part: &NormalForm) -> Option<u64> {
    if whole == part {
        return Some(0);
    }
    // Only with every coefficient and every symbol's largest value accounted for is `whole` the natural sum of its terms.
    if !part.terms.keys().all(|factors| whole.terms.contains(factors)) || !whole.never_wraps() || !part.never_wraps() {
        return None;
    }
    let rest = whole.minus(part);
    if !rest.never_wraps() || rest.plus(part) != *whole {
        return None;
    }
    rest.terms.constant().map_or(Some(0), |constant| u64::try_from(constant).ok())
}

/// The value itself, where the host can compute it: it is at most that, wrapped or not.
pub(crate) fn launch_quantity(form: &NormalForm) -> Option<Polynomial> {
    match form.as_constant() {
        Some(value) => Some(Polynomial::constant(value.into())),
        None => match &form.as_symbol()?.kind {
            SymbolKind::Launch(atom) => Some(Polynomial::atom(atom.clone())),
            _ => None,
        },
    }
}

/// Whether [`launch_quantity`] gives one.
fn is_launch_quantity(form: &NormalForm) -> bool {
    form.as_constant().is_some() || form.as_symbol().is_some_and(|symbol| matches!(symbol.kind, SymbolKind::Launch(_)))
}

/// `most < 2^64`.
pub(crate) fn below_2_to_the_64(most: Polynomial) -> Inequality {
    Inequality { most, length: Polynomial::constant(1 << 64) }
}

/// The sum of the terms of a form over launch-time quantities, in the natural numbers: no coefficient is negative.
pub(crate) fn exact(form: &NormalForm) -> Option<Polynomial> {
    form.to_polynomial().filter(Polynomial::is_never_negative)
}
