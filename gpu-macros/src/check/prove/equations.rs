//! Equations between the variables of two threads.
//!
//! An equation `r * high + low = 0` with `-r < low < r` is two: `high = 0` and `low = 0`, because `low` is a multiple of `r`. This reads
//! digits: of `w * (y - y') + (x - x') = 0` with `x, x' < w`, both parts are 0. An equation with a variable alone is solved for it. The
//! threads cannot use one element if an equation has no solution: the coefficients have a divisor that the constant lacks, the sides are too far apart,
//! or it is a difference that is known not to be 0.

use super::common::{Quantity, Side};
use super::conditions::Needs;
use super::nonnegative::{ALL, Allowed, Bound, NOTHING};
use super::sum::{Monomial, Sum, Variable, gcd};
use super::system::System;

/// More equations than this are given up.
const MOST_STEPS: usize = 40;

impl System<'_> {
    /// Uses the equations, each a sum that is 0. Whether they may have a solution. `by_constants`: that they have none may be shown under
    /// conditions on constants, as those that tell their digits apart.
    pub(super) fn solve(&mut self, equations: Vec<Sum>, by_constants: bool) -> bool {
        let mut equations = [std::mem::take(&mut self.equations), equations].concat();
        let mut exchanged: Vec<Sum> = Vec::new();
        for _ in 0..MOST_STEPS {
            let mut open = Vec::new();
            for equation in &equations {
                let Some(equation) = self.resolve(equation) else { continue };
                let equation = self.without_common_factor(equation);
                match simplified(equation) {
                    None => return false,
                    Some(equation) if equation.is_zero() || open.contains(&equation) => {}
                    Some(equation) => open.push(equation),
                }
            }
            equations = open;
            if let Some((at, parts)) = equations.iter().enumerate().find_map(|(at, equation)| Some((at, self.parts(equation)?))) {
                equations.splice(at..=at, parts);
            } else if let Some((equation, follows)) = self.new_exchange(&equations, &exchanged) {
                exchanged.push(equation);
                equations.push(follows);
            } else if let Some((at, variable, value)) = self.alone(&equations) {
                if by_constants && self.contradicts_constants(&equations[at]) {
                    return false;
                }
                equations.remove(at);
                if self.substitute(variable, &value).is_none() {
                    break;
                }
            } else {
                break;
            }
        }
        let left: Vec<Sum> = equations.iter().filter_map(|equation| self.resolve(equation)).collect();
        for equation in left {
            for side in sides(&equation) {
                // Not above, or not below zero.
                let apart = side.plus_constant(-1).and_then(|side| self.prover(NOTHING).not_negative(&side));
                if let Some(needs) = apart {
                    self.needs.add(&needs);
                    return false;
                }
                self.bounds.add(Bound { sum: side, needs: Needs::default() });
            }
        }
        true
    }

    /// The equation without the factors that all its terms have, as far as they are the same for both threads and not 0.
    fn without_common_factor(&mut self, equation: Sum) -> Sum {
        let common = equation.terms().map(|(product, _)| product).reduce(Monomial::common).unwrap_or_default();
        let factors = common.factors().filter(|factor| factor.is_shared());
        // What asks nothing of the launch is tried too.
        let allowed = if self.shape == NOTHING { NOTHING } else { ALL };
        factors.fold(equation, |equation, factor| {
            let factor = Sum::variable(factor);
            let is_positive = factor.plus_constant(-1).and_then(|less_one| self.prover(allowed).not_negative(&less_one));
            let Some(needs) = is_positive else { return equation };
            self.needs.add(&needs);
            equation.split(&factor).0
        })
    }

    /// The first equation that is not among `exchanged` from which another one follows, and that.
    fn new_exchange(&self, equations: &[Sum], exchanged: &[Sum]) -> Option<(Sum, Sum)> {
        let mut new = equations.iter().filter(|equation| !exchanged.contains(equation));
        new.find_map(|equation| Some((equation.clone(), self.exchanged(equation)?)))
    }

    /// What follows from `x = a ^ c`: `x ^ c = a`, if both threads have `c`; of `b ^ d = a ^ c`, `b = a` if `d = c`, and the other way round.
    fn exchanged(&self, equation: &Sum) -> Option<Sum> {
        let variables = self.variables;
        equation.terms().filter(|(_, x)| x.abs() == 1).find_map(|(product, x)| {
            let (a, c) = variables.exclusive_or(product.as_variable()?)?;
            let rest = equation.plus_scaled(&Sum::term(product, x), -1, Monomial::ONE)?;
            let other = if x > 0 { rest.negated()? } else { rest };
            if let Some((b, d)) = other.as_variable().and_then(|other| variables.exclusive_or(other)) {
                let (first, second) = (self.resolve(&b.minus(&a)?)?, self.resolve(&d.minus(&c)?)?);
                return if second.is_zero() { Some(first) } else { first.is_zero().then_some(second) };
            }
            c.terms().all(|(product, _)| product.is_shared()).then_some(())?;
            let back = Quantity::ExclusiveOr(other.clone(), c);
            Sum::variable(variables.variable(back, variables.side_of(&other), u64::MAX)?).minus(&a)
        })
    }

    /// The two equations that one consists of.
    fn parts(&mut self, equation: &Sum) -> Option<[Sum; 2]> {
        let radices = self.radices(equation);
        let ways: Vec<(&Sum, Sum, Sum)> = radices
            .iter()
            .flat_map(|radix| self.splits(equation, radix).into_iter().map(move |(high, low)| (radix, high, low)))
            .filter(|(radix, high, low)| !(high.is_zero() || low.is_zero() && radix.as_constant().is_some()))
            .collect();
        let fits = |radix: &Sum, low: &Sum, allowed: &[Allowed]| {
            let room = |low: &Sum| self.prover(allowed).not_negative(&radix.plus_constant(-1)?.minus(low)?);
            Some(room(low)?.and(&room(&low.negated()?)?))
        };
        let fitting: Vec<_> =
            ways.iter().filter(|(radix, _, low)| fits(radix, low, &self.shape[self.shape.len() - 1..]).is_some()).collect();
        // From those that ask nothing of the launch. That a constant is small is less likely than that another one is large.
        let found = self.shape.iter().find_map(|allowed| {
            let fitting = fitting.iter().filter_map(|way @ (radix, _, low)| Some((fits(radix, low, std::slice::from_ref(allowed))?, way)));
            let unlikely = |needs: &Needs| (needs.iter().filter(|need| need.is_ceiling()).count(), needs.iter().count());
            let (needs, (_, high, low)) = fitting.min_by_key(|(needs, _)| unlikely(needs))?;
            Some((needs, [high.clone(), low.clone()]))
        });
        let (needs, parts) = found?;
        self.needs.add(&needs);
        Some(parts)
    }

    /// What the terms of an equation may be multiples of: products of what the launch knows.
    fn radices(&self, equation: &Sum) -> Vec<Sum> {
        let mut radices: Vec<Sum> = Vec::new();
        let mut add = |radix: Sum| {
            if radix.as_constant() != Some(1) && !radices.contains(&radix) {
                radices.push(radix);
            }
        };
        // As the index of the first thread has it, where that says which part of a difference is the larger one.
        let as_written = |(own, shared): (Monomial, Sum)| match own.factors().next().map(|variable| self.variables.side(variable)) {
            Some(Side::First) => Some(shared),
            Some(Side::Second) => shared.negated(),
            _ => None,
        };
        let coefficients: Vec<Sum> = self.groups(equation).into_iter().filter_map(as_written).collect();
        for coefficient in &coefficients {
            let is_negative = coefficient.terms().all(|(_, x)| x < 0);
            add(if is_negative { coefficient.negated() } else { None }.unwrap_or_else(|| coefficient.clone()));
        }
        for (a, x) in coefficients.iter().filter_map(Sum::as_term) {
            for (b, y) in coefficients.iter().filter_map(Sum::as_term) {
                add(Sum::term(a.common(b), gcd(x, y)));
            }
        }
        // What both threads have, such as `n - 2 * k * n`.
        let shared = equation.filter(Monomial::is_shared);
        let divides_two = |radix: &Sum| shared.split(radix).0.terms().count() > 1;
        shared.terms().map(|(product, x)| Sum::term(product, x.abs())).filter(divides_two).for_each(add);
        radices
    }

    /// By what only the threads have, its coefficient.
    fn groups(&self, sum: &Sum) -> Vec<(Monomial, Sum)> {
        let mut groups: Vec<Monomial> = sum.terms().map(|(product, _)| product.own()).collect();
        groups.sort_unstable();
        groups.dedup();
        let coefficient = |own: Monomial| sum.filter(|product| product.own() == own).split(&Sum::term(own, 1)).0;
        groups.into_iter().map(|own| (own, coefficient(own))).collect()
    }

    /// The ways to write `equation` as `radix * high + low`.
    fn splits(&self, equation: &Sum, radix: &Sum) -> Vec<(Sum, Sum)> {
        let (varying, offset) = (equation.filter(|product| !product.is_shared()), equation.filter(Monomial::is_shared));
        let Some((high, low)) = self.split_by(&varying, radix) else { return Vec::new() };
        let mut ways = Vec::new();
        let mut add = |more_high: Sum, more_low: Sum| ways.extend(high.plus(&more_high).zip(low.plus(&more_low)));
        // What the threads have in common may be part of either.
        match radix.as_constant() {
            Some(m) => {
                let constant = offset.constant_part();
                let Some(rest) = offset.plus_constant(-constant) else { return ways };
                let (rest_high, rest_low) = rest.split(radix);
                for quotient in [constant.div_euclid(m), constant.div_euclid(m) + 1] {
                    let (h, l) = (rest_high.plus_constant(quotient), rest_low.plus_constant(constant - quotient * m));
                    if let Some((h, l)) = h.zip(l) {
                        add(h, l);
                    }
                }
            }
            None => {
                let (offset_high, offset_low) = offset.split(radix);
                if !offset_high.is_zero() {
                    add(offset_high, offset_low);
                }
                if let Some(quotient) = offset.divided_by(radix).filter(|quotient| !quotient.is_zero()) {
                    add(quotient, Sum::default());
                }
                add(Sum::default(), offset);
            }
        }
        ways
    }

    /// A variable that an equation can be solved for, and its value.
    fn alone(&self, equations: &[Sum]) -> Option<(usize, Variable, Sum)> {
        // What operands have in common must be known first.
        let has_two = |equation: &Sum| equation.variables().filter(|variable| self.variables.exclusive_or(*variable).is_some()).count() > 1;
        let mut found: Option<(u8, usize, Variable, i128)> = None;
        for (at, equation) in equations.iter().enumerate().filter(|(_, equation)| !has_two(equation)) {
            for (product, x) in equation.terms() {
                let Some(variable) = product.as_variable() else { continue };
                let once = equation.terms().filter(|(product, _)| product.contains(variable)).count() == 1;
                let rank = self.variables.rank(variable);
                if x.abs() == 1 && once && rank > 0 && found.is_none_or(|(best, ..)| best <= rank) {
                    found = Some((rank, at, variable, x));
                }
            }
        }
        let (_, at, variable, x) = found?;
        let rest = equations[at].plus_scaled(&Sum::variable(variable), -x, Monomial::ONE)?;
        let value = if x > 0 { rest.negated()? } else { rest };
        Some((at, variable, value))
    }

    /// Whether the bounds and differences contradict each other.
    pub(super) fn is_impossible(&mut self) -> bool {
        if let Some(apart) = self.apart.iter().find(|apart| apart.sum.is_zero()) {
            self.needs.add(&apart.needs.clone());
            return true;
        }
        for bound in self.bounds.iter() {
            let contrary = bound.sum.negated().and_then(|sum| sum.plus_constant(-1));
            if let Some(needs) = contrary.and_then(|sum| self.prover(NOTHING).not_negative(&sum)) {
                let needs = needs.and(&bound.needs);
                self.needs.add(&needs);
                return true;
            }
        }
        false
    }

    /// Whether the equation has no solution if constants are as large as the kernel needs them, which rustc knows.
    fn contradicts_constants(&mut self, equation: &Sum) -> bool {
        let prover = self.prover(&[Allowed::Constants]);
        let is_constant = |need: &Sum| need.variables().all(|variable| prover.is_constant(variable));
        let refute = |side: Sum| prover.not_negative(&side.plus_constant(-1)?).filter(|needs| needs.iter().all(is_constant));
        let Some(needs) = sides(equation).into_iter().find_map(refute) else { return false };
        self.needs.add(&needs);
        true
    }

    /// Whether both threads have this coordinate in common.
    pub(super) fn is_equal(&mut self, first: Variable, second: Variable) -> bool {
        let Some(difference) = Sum::variable(first).minus(&Sum::variable(second)).and_then(|sum| self.resolve(&sum)) else { return false };
        if difference.is_zero() {
            return true;
        }
        // What compares the two mentions both.
        let has_side = |sum: &Sum, side| sum.variables().any(|variable| self.variables.side(variable) == side);
        let is_least = |sum: &Sum| {
            let variable = sum.plus_constant(-sum.constant_part()).and_then(|sum| sum.as_variable());
            sum.constant_part() < 0 && variable.is_some_and(|variable| difference.mentions(variable))
        };
        let compares = |sum: &Sum| has_side(sum, Side::First) && has_side(sum, Side::Second) || is_least(sum);
        if !self.bounds.iter().any(|bound| compares(&bound.sum)) {
            return false;
        }
        let prover = self.prover(NOTHING);
        let needs = prover.not_negative(&difference).zip(difference.negated().and_then(|sum| prover.not_negative(&sum)));
        let Some((first, second)) = needs else { return false };
        self.needs.add(&first.and(&second));
        true
    }

    /// The multiples of `radix` in what varies, divided, and the rest.
    fn split_by(&self, varying: &Sum, radix: &Sum) -> Option<(Sum, Sum)> {
        if radix.as_term().is_some() {
            return Some(varying.split(radix));
        }
        // A radix of several terms: the terms with the same variables of the threads are taken together.
        let (mut high, mut low) = (Sum::default(), Sum::default());
        for (own, coefficient) in self.groups(varying) {
            match coefficient.divided_by(radix) {
                Some(quotient) => high = high.plus_scaled(&quotient, 1, own)?,
                None => low = low.plus_scaled(&coefficient, 1, own)?,
            }
        }
        Some((high, low))
    }
}

/// What is 0 is not negative, and its negation is not.
fn sides(equation: &Sum) -> Vec<Sum> {
    [Some(equation.clone()), equation.negated()].into_iter().flatten().collect()
}

/// The equation without the common divisor of its terms; `None` where it has no solution.
fn simplified(equation: Sum) -> Option<Sum> {
    match equation.divisor() {
        0 => equation.is_zero().then_some(equation),
        divisor => (equation.constant_part() % divisor == 0).then(|| equation.divided_by_number(divisor)),
    }
}
