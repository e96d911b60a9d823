//! Linear inequalities over integers: whether some of them contradict each other.
//!
//! [`System::is_contradictory`] eliminates one unknown after the other (Fourier and Motzkin; see Schrijver, *Theory of Linear and Integer
//! Programming*, 12.2): from `a*x + p >= 0` and `-b*x + q >= 0` with positive `a` and `b` follows `b*p + a*q >= 0`, without `x`. A solution of
//! all inequalities solves what follows from them. So if a number below 0 should be at least 0 in the end, there is no solution, and
//! none in the integers. An inequality over integers is divided by the greatest common divisor of its coefficients, and its number is rounded down.
//! The method misses some contradictions that only hold in the integers. It never finds one that is not there.

use crate::vec_map::{VecMap, VecSet};

/// `constant` and the sum of each unknown times its coefficient.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Linear {
    /// In the order of the unknowns, without coefficients of 0.
    terms: Vec<(usize, i128)>,
    constant: i128,
}

impl Linear {
    pub(crate) fn constant(constant: i128) -> Linear {
        Linear { terms: Vec::new(), constant }
    }

    pub(crate) fn unknown(unknown: usize) -> Linear {
        Linear { terms: vec![(unknown, 1)], constant: 0 }
    }

    /// `self + factor * other`; `None` beyond `i128`.
    pub(crate) fn plus(&self, factor: i128, other: &Linear) -> Option<Linear> {
        self.combined(1, factor, other)
    }

    /// Something with the unknowns of both.
    pub(crate) fn with_unknowns_of(mut self, other: &Linear) -> Linear {
        self.terms.extend(&other.terms);
        self.terms.sort_unstable_by_key(|(unknown, _)| *unknown);
        self.terms.dedup_by_key(|(unknown, _)| *unknown);
        self
    }

    /// `own * self + factor * other`; `None` beyond `i128`.
    fn combined(&self, own: i128, factor: i128, other: &Linear) -> Option<Linear> {
        let constant = own.checked_mul(self.constant)?.checked_add(factor.checked_mul(other.constant)?)?;
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let unknown = match (left.peek(), right.peek()) {
                (Some((a, _)), Some((b, _))) => *a.min(b),
                (Some((only, _)), None) | (None, Some((only, _))) => *only,
                (None, None) => return Some(Linear { terms, constant }),
            };
            let a = left.next_if(|(next, _)| *next == unknown).map_or(0, |(_, coefficient)| *coefficient);
            let b = right.next_if(|(next, _)| *next == unknown).map_or(0, |(_, coefficient)| *coefficient);
            let sum = own.checked_mul(a)?.checked_add(factor.checked_mul(b)?)?;
            if sum != 0 {
                terms.push((unknown, sum));
            }
        }
    }

    fn coefficient(&self, unknown: usize) -> i128 {
        self.terms.binary_search_by_key(&unknown, |(known, _)| *known).map_or(0, |at| self.terms[at].1)
    }

    /// The same inequality `self >= 0` in its strongest form over the integers.
    fn tightened(mut self) -> Linear {
        let divisor = self.terms.iter().fold(0, |divisor, (_, coefficient)| greatest_common_divisor(divisor, coefficient.unsigned_abs()));
        if let Ok(divisor) = i128::try_from(divisor)
            && divisor > 1
        {
            self.terms.iter_mut().for_each(|(_, coefficient)| *coefficient /= divisor);
            self.constant = self.constant.div_euclid(divisor);
        }
        self
    }
}

fn greatest_common_divisor(a: u128, b: u128) -> u128 {
    if b <= 1 { if b == 1 { 1 } else { a } } else { greatest_common_divisor(b, a % b) }
}

/// More inequalities than this are too many to continue with.
const MOST_INEQUALITIES: usize = 120;

/// Inequalities that should all hold.
#[derive(Debug, Clone, Default)]
pub(crate) struct System {
    /// For terms, the least number with which they are at least 0: the others follow.
    inequalities: VecMap<Vec<(usize, i128)>, i128>,
}

impl System {
    fn add(&mut self, inequality: Linear) {
        let Linear { terms, constant } = inequality.tightened();
        let known = self.inequalities.get_or_insert(terms, constant);
        *known = constant.min(*known);
    }

    /// Adds `larger >= smaller`.
    pub(crate) fn at_least(&mut self, larger: &Linear, smaller: &Linear) {
        // One that does not fit is left out: fewer inequalities contradict each other less.
        if let Some(difference) = larger.plus(-1, smaller) {
            self.add(difference);
        }
    }

    /// Adds `a == b`.
    pub(crate) fn equal(&mut self, a: &Linear, b: &Linear) {
        self.at_least(a, b);
        self.at_least(b, a);
    }

    /// Whether no integers satisfy all inequalities that have to do with the unknowns of `about`, directly or by others. `false` says nothing.
    pub(crate) fn is_contradictory(&self, about: &Linear) -> bool {
        self.related_to(about).has_contradiction()
    }

    /// Whether `larger >= smaller` follows.
    pub(crate) fn shows_at_least(&self, larger: &Linear, smaller: &Linear) -> bool {
        let opposite = smaller.plus(-1, &Linear::constant(1)).and_then(|below| below.plus(-1, larger));
        opposite.is_some_and(|opposite| {
            let mut otherwise = self.related_to(&opposite);
            otherwise.add(opposite);
            otherwise.has_contradiction()
        })
    }

    fn has_contradiction(mut self) -> bool {
        loop {
            // Without unknowns, a number.
            if self.inequalities.remove(&[][..]).is_some_and(|constant| constant < 0) {
                return true;
            }
            if self.inequalities.len() > MOST_INEQUALITIES {
                return false;
            }
            let Some(rest) = self.cheapest().and_then(|unknown| self.without(unknown)) else { return false };
            self = rest;
        }
    }

    /// The inequalities about the unknowns of `about`, about the unknowns in these, and so on.
    fn related_to(&self, about: &Linear) -> System {
        let mut unknowns: VecSet<usize> = about.terms.iter().map(|(unknown, _)| *unknown).collect();
        let (mut related, mut others) = (System::default(), self.inequalities.iter().collect::<Vec<_>>());
        loop {
            let before = others.len();
            others.retain(|(terms, constant)| {
                let is_related = terms.is_empty() || terms.iter().any(|(unknown, _)| unknowns.contains(unknown));
                if is_related {
                    unknowns.extend(terms.iter().map(|(unknown, _)| *unknown));
                    related.inequalities.insert((*terms).clone(), **constant);
                }
                !is_related
            });
            if others.len() == before {
                return related;
            }
        }
    }

    /// The unknown whose elimination leaves the fewest inequalities.
    fn cheapest(&self) -> Option<usize> {
        let mut signs: VecMap<usize, (usize, usize)> = VecMap::default();
        for (unknown, coefficient) in self.inequalities.keys().flatten() {
            let (positive, negative) = signs.get_or_insert(*unknown, (0, 0));
            *if *coefficient > 0 { positive } else { negative } += 1;
        }
        signs.into_iter().min_by_key(|(_, (positive, negative))| positive * negative).map(|(unknown, _)| unknown)
    }

    /// What follows without `unknown`; `None` beyond `i128`.
    fn without(self, unknown: usize) -> Option<System> {
        let (mut rest, mut lower, mut upper) = (System::default(), Vec::new(), Vec::new());
        for (terms, constant) in self.inequalities {
            let inequality = Linear { terms, constant };
            match inequality.coefficient(unknown) {
                0 => rest.add(inequality),
                positive @ 1.. => lower.push((positive, inequality)),
                negative => upper.push((negative.checked_neg()?, inequality)),
            }
        }
        for (a, low) in &lower {
            for (b, high) in &upper {
                rest.add(low.combined(*b, *a, high)?);
            }
        }
        Some(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `coefficients` of the unknowns 0, 1, … and the number behind them, at least 0.
    fn system(rows: &[&[i128]]) -> System {
        let mut system = System::default();
        for row in rows {
            let (constant, coefficients) = row.split_last().unwrap();
            let terms = coefficients.iter().copied().enumerate().filter(|(_, coefficient)| *coefficient != 0).collect();
            system.at_least(&Linear { terms, constant: *constant }, &Linear::default());
        }
        system
    }

    fn everything() -> Linear {
        Linear { terms: vec![(0, 1), (1, 1), (2, 1)], constant: 0 }
    }

    #[test]
    fn contradictions_are_found() {
        // x >= 1 and x <= 0.
        assert!(system(&[&[1, -1], &[-1, 0]]).is_contradictory(&everything()));
        // x < y, y < z, z < x.
        assert!(system(&[&[-1, 1, 0, -1], &[0, -1, 1, -1], &[1, 0, -1, -1]]).is_contradictory(&everything()));
        // 2x == 2y + 1 only has solutions outside of the integers.
        assert!(system(&[&[2, -2, -1], &[-2, 2, 1]]).is_contradictory(&everything()));
        assert!(!system(&[&[1, -1], &[-1, 5]]).is_contradictory(&everything()));
        assert!(!system(&[]).is_contradictory(&everything()));
    }

    #[test]
    fn no_small_system_with_a_solution_is_contradictory() {
        let mut state = 1u64;
        let mut next = |below: i128| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            i128::from(state >> 33) % below
        };
        let mut contradictory = 0;
        for _ in 0..2000 {
            let rows: Vec<Vec<i128>> = (0..2 + next(4)).map(|_| vec![next(7) - 3, next(7) - 3, next(7) - 3, next(11) - 5]).collect();
            let rows: Vec<&[i128]> = rows.iter().map(Vec::as_slice).collect();
            let holds = |point: [i128; 3]| rows.iter().all(|row| row[3] + (0..3).map(|i| row[i] * point[i]).sum::<i128>() >= 0);
            let solved = (-4..5).any(|x| (-4..5).any(|y| (-4..5).any(|z| holds([x, y, z]))));
            let found = system(&rows).is_contradictory(&everything());
            assert!(!(solved && found), "{rows:?}");
            contradictory += usize::from(found);
        }
        assert!(contradictory > 100, "only {contradictory} contradictions");
    }
}
