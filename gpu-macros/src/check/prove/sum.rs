//! Integer polynomials over the variables of a proof.

/// A natural number; [`Variables`](super::common::Variables) has what it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::check) struct Variable(u16);

impl Variable {
    /// Only one thread has it.
    const OWN: u16 = 1;
    /// The host has no name for it.
    const UNNAMED: u16 = 2;

    /// Number `number`. `None` if there are too many.
    pub(super) fn new(number: usize, is_shared: bool, is_named: bool) -> Option<Variable> {
        // No variable is 0.
        let number = u16::try_from(number + 1).ok().filter(|number| *number <= u16::MAX >> 2)?;
        Some(Variable(number << 2 | u16::from(!is_named) << 1 | u16::from(!is_shared)))
    }

    pub(super) fn number(self) -> usize {
        usize::from(self.0 >> 2) - 1
    }

    /// Whether both threads have it.
    pub(super) fn is_shared(self) -> bool {
        self.0 & Variable::OWN == 0
    }

    /// Whether the host has a name for it.
    pub(super) fn is_named(self) -> bool {
        self.0 & Variable::UNNAMED == 0
    }
}

/// A product of at most 8 variables, in order: 16 bits for each, from the highest, and 0 where there are fewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(in crate::check) struct Monomial(u128);

/// `bit` in the place of each factor.
const fn in_each(bit: u16) -> u128 {
    (u128::MAX / u16::MAX as u128) * bit as u128
}

impl Monomial {
    /// The product of nothing.
    pub(super) const ONE: Monomial = Monomial(0);

    pub(super) fn of(variable: Variable) -> Monomial {
        Monomial(u128::from(variable.0) << 112)
    }

    pub(super) fn is_one(self) -> bool {
        self.0 == 0
    }

    pub(super) fn factors(self) -> Factors {
        Factors(self.0)
    }

    pub(super) fn degree(self) -> usize {
        self.factors().count()
    }

    /// The variable, where there is just one.
    pub(super) fn as_variable(self) -> Option<Variable> {
        let mut factors = self.factors();
        factors.next().filter(|_| factors.0 == 0)
    }

    pub(super) fn contains(self, variable: Variable) -> bool {
        self.factors().any(|factor| factor == variable)
    }

    pub(super) fn all(self, holds: impl Fn(Variable) -> bool) -> bool {
        self.factors().all(holds)
    }

    /// `self` with `factor`, which comes after all others, where there is room.
    fn push(&mut self, factor: Variable) -> Option<()> {
        let used = 128 - self.0.trailing_zeros().min(128) as usize;
        let used = used.div_ceil(16);
        (used < 8).then(|| self.0 |= u128::from(factor.0) << (112 - 16 * used))
    }

    pub(super) fn times(self, other: Monomial) -> Option<Monomial> {
        if self.is_one() || other.is_one() {
            return Some(Monomial(self.0 | other.0));
        }
        let (mut product, mut a, mut b) = (Monomial::ONE, self.0, other.0);
        while a | b != 0 {
            let (x, y) = (a >> 112, b >> 112);
            let first = x != 0 && (y == 0 || x <= y);
            let next = if first { &mut a } else { &mut b };
            product.push(Variable((*next >> 112) as u16))?;
            *next <<= 16;
        }
        Some(product)
    }

    /// The factors that `keep` accepts.
    pub(super) fn filter(self, keep: impl Fn(Variable) -> bool) -> Monomial {
        let mut kept = Monomial::ONE;
        for factor in self.factors() {
            if keep(factor) {
                kept.push(factor);
            }
        }
        kept
    }

    /// The factors that only one thread has.
    pub(super) fn own(self) -> Monomial {
        if self.is_shared() { Monomial::ONE } else { self.filter(|factor| !factor.is_shared()) }
    }

    /// Whether both threads have all of it.
    pub(super) fn is_shared(self) -> bool {
        self.0 & in_each(Variable::OWN) == 0
    }

    /// Whether the host has a name for all of it.
    pub(super) fn is_named(self) -> bool {
        self.0 & in_each(Variable::UNNAMED) == 0
    }

    /// `self / part`, if it has all factors of `part`.
    pub(super) fn without(self, part: Monomial) -> Option<Monomial> {
        if self == part || part.is_one() {
            return Some(Monomial(self.0 ^ part.0));
        }
        let (mut rest, mut left) = (Monomial::ONE, part.0);
        for factor in self.factors() {
            if left >> 112 == factor.0.into() {
                left <<= 16;
            } else {
                rest.push(factor);
            }
        }
        (left == 0).then_some(rest)
    }

    /// The factors that both have.
    pub(super) fn common(self, other: Monomial) -> Monomial {
        let (mut common, mut left) = (Monomial::ONE, other.0);
        for factor in self.factors() {
            while left != 0 && left >> 112 < factor.0.into() {
                left <<= 16;
            }
            if left >> 112 == factor.0.into() {
                left <<= 16;
                common.push(factor);
            }
        }
        common
    }
}

/// The factors of a product, in order.
pub(super) struct Factors(u128);

impl Iterator for Factors {
    type Item = Variable;

    fn next(&mut self) -> Option<Variable> {
        let factor = (self.0 >> 112) as u16;
        self.0 <<= 16;
        (factor != 0).then_some(Variable(factor))
    }
}

/// A sum of products of variables with coefficients. In contrast to a [`NormalForm`](crate::check::values::form::NormalForm), it is an integer, not
/// a class modulo 2^64.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(in crate::check) struct Sum {
    /// In the order of the products. No coefficient is zero.
    terms: Vec<(Monomial, i128)>,
}

/// Sums with more terms are given up.
const MOST_TERMS: usize = 60;
/// Sums with larger coefficients are given up: no gcd, quotient or negation leaves `i128`.
const MOST_COEFFICIENT: u128 = 1 << 100;

impl Sum {
    pub(super) fn constant(value: i128) -> Sum {
        Sum::term(Monomial::ONE, value)
    }

    pub(super) fn variable(variable: Variable) -> Sum {
        Sum::term(Monomial::of(variable), 1)
    }

    pub(super) fn term(product: Monomial, coefficient: i128) -> Sum {
        Sum { terms: if coefficient == 0 { Vec::new() } else { vec![(product, coefficient)] } }
    }

    pub(super) fn terms(&self) -> impl DoubleEndedIterator<Item = (Monomial, i128)> + Clone + '_ {
        self.terms.iter().copied()
    }

    /// A number that differs for most different sums.
    pub(super) fn fingerprint(&self) -> u64 {
        let mut hash = 0u64;
        for (product, x) in &self.terms[..] {
            let part = product.0 as u64 ^ (product.0 >> 64) as u64 ^ (*x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash = (hash.rotate_left(23) ^ part).wrapping_mul(0xff51_afd7_ed55_8ccd);
        }
        hash
    }

    /// The first negative term, of those that the host has no name for if there is one, and the constant last. `latest`: the last one.
    pub(super) fn first_negative(&self, latest: bool) -> Option<(Monomial, i128)> {
        let mut found = None;
        if latest {
            let last = |is_named: bool| self.terms.iter().rev().find(|(product, x)| *x < 0 && product.is_named() == is_named);
            return last(false).or_else(|| last(true)).copied();
        }
        for term in &self.terms[..] {
            if term.1 < 0 {
                if !term.0.is_named() {
                    return Some(*term);
                }
                if found.is_none_or(|(product, _): (Monomial, i128)| product.is_one()) {
                    found = Some(*term);
                }
            }
        }
        found
    }

    /// Whether that it is not negative says that quantities are below a number.
    pub(super) fn is_ceiling(&self) -> bool {
        !self.terms().any(|(product, x)| x > 0 && !product.is_one())
    }

    /// How many terms are negative: those that the host has no name for, and those that it has.
    pub(super) fn negative_terms(&self) -> (usize, usize) {
        let (mut unnamed, mut named) = (0, 0);
        for term in &self.terms[..] {
            if term.1 < 0 && term.0.is_named() {
                named += 1;
            } else if term.1 < 0 {
                unnamed += 1;
            }
        }
        (unnamed, named)
    }

    /// All variables, some several times.
    pub(super) fn variables(&self) -> impl Iterator<Item = Variable> + '_ {
        self.terms.iter().flat_map(|(product, _)| product.factors())
    }

    /// The terms whose product `keep` accepts.
    pub(super) fn filter(&self, keep: impl Fn(Monomial) -> bool) -> Sum {
        Sum { terms: self.terms().filter(|(product, _)| keep(*product)).collect() }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    pub(super) fn as_constant(&self) -> Option<i128> {
        match self.terms[..] {
            [] => Some(0),
            [(Monomial::ONE, value)] => Some(value),
            _ => None,
        }
    }

    pub(super) fn as_variable(&self) -> Option<Variable> {
        match self.terms[..] {
            [(product, 1)] => product.as_variable(),
            _ => None,
        }
    }

    /// The only term.
    pub(super) fn as_term(&self) -> Option<(Monomial, i128)> {
        match self.terms[..] {
            [term] => Some(term),
            _ => None,
        }
    }

    pub(super) fn constant_part(&self) -> i128 {
        match self.terms.first() {
            Some((Monomial::ONE, value)) => *value,
            _ => 0,
        }
    }

    /// `self + coefficient * product * other`; `None` where a coefficient leaves `i128` or something gets too long.
    pub(super) fn plus_scaled(&self, other: &Sum, coefficient: i128, product: Monomial) -> Option<Sum> {
        if coefficient == 0 {
            return Some(self.clone());
        }
        let mut scaled = Vec::with_capacity(other.terms.len());
        for (factors, x) in &other.terms {
            scaled.push((factors.times(product)?, x.checked_mul(coefficient)?));
        }
        // Products of larger factors may be smaller.
        if !product.is_one() {
            scaled.sort_unstable_by_key(|(factors, _)| *factors);
        }
        merged(&self.terms, &scaled).map(|terms| Sum { terms })
    }

    pub(super) fn plus(&self, other: &Sum) -> Option<Sum> {
        self.plus_scaled(other, 1, Monomial::ONE)
    }

    pub(super) fn minus(&self, other: &Sum) -> Option<Sum> {
        self.plus_scaled(other, -1, Monomial::ONE)
    }

    pub(super) fn plus_constant(&self, value: i128) -> Option<Sum> {
        self.plus(&Sum::constant(value))
    }

    pub(super) fn negated(&self) -> Option<Sum> {
        Sum::default().minus(self)
    }

    pub(super) fn times(&self, other: &Sum) -> Option<Sum> {
        other.terms().try_fold(Sum::default(), |sum, (product, x)| sum.plus_scaled(self, x, product))
    }

    pub(super) fn mentions(&self, variable: Variable) -> bool {
        self.terms.iter().any(|(product, _)| product.contains(variable))
    }

    /// The sum with `value` in place of `variable`.
    pub(super) fn substitute(&self, variable: Variable, value: &Sum) -> Option<Sum> {
        let mut sum = self.filter(|product| !product.contains(variable));
        for (product, coefficient) in self.terms().filter(|(product, _)| product.contains(variable)) {
            let rest = product.without(Monomial::of(variable))?;
            let rest = Sum::term(rest, coefficient).substitute(variable, value)?;
            sum = sum.plus(&rest.times(value)?)?;
        }
        Some(sum)
    }

    /// The greatest common divisor of all coefficients but the constant's.
    pub(super) fn divisor(&self) -> i128 {
        self.terms().filter(|(product, _)| !product.is_one()).fold(0, |divisor, (_, coefficient)| gcd(divisor, coefficient))
    }

    /// `self / divisor` where all coefficients but the constant are multiples, and the constant is rounded down.
    pub(super) fn divided_by_number(&self, divisor: i128) -> Sum {
        let terms = self.terms().map(|(product, x)| (product, x.div_euclid(divisor)));
        Sum { terms: terms.filter(|(_, x)| *x != 0).collect() }
    }

    /// The terms that the one term `divisor` divides, divided, and the others.
    pub(super) fn split(&self, divisor: &Sum) -> (Sum, Sum) {
        let Some((product, coefficient)) = divisor.as_term() else { return (Sum::default(), self.clone()) };
        let (mut high, mut low) = (Sum::default(), Sum::default());
        for (term, x) in self.terms() {
            match term.without(product).filter(|_| x % coefficient == 0) {
                Some(rest) => high.terms.push((rest, x / coefficient)),
                None => low.terms.push((term, x)),
            }
        }
        high.terms.sort_unstable_by_key(|(product, _)| *product);
        (high, low)
    }

    /// The term with the most factors. Of a product, it is the product of the factors' leading terms.
    fn leading(&self) -> Option<(Monomial, i128)> {
        self.terms().max_by_key(|(product, _)| (product.degree(), *product))
    }

    /// `self / divisor`, where `divisor` divides it exactly.
    pub(super) fn divided_by(&self, divisor: &Sum) -> Option<Sum> {
        let (leading, coefficient) = divisor.leading()?;
        let (mut rest, mut quotient) = (self.clone(), Sum::default());
        // Each round removes the leading term of the rest.
        for _ in 0..MOST_TERMS {
            let Some((product, x)) = rest.leading() else { return Some(quotient) };
            let product = product.without(leading)?;
            if x % coefficient != 0 {
                return None;
            }
            let x = x / coefficient;
            quotient = quotient.plus(&Sum::term(product, x))?;
            rest = rest.plus_scaled(divisor, x.checked_neg()?, product)?;
        }
        None
    }
}

/// The sum of two lists of terms. Loops over slices, not iterators: it is what a proof does most, in macros that are compiled for debugging.
fn merged(a: &[(Monomial, i128)], b: &[(Monomial, i128)]) -> Option<Vec<(Monomial, i128)>> {
    let mut terms = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let term = if j == b.len() || i < a.len() && a[i].0.0 < b[j].0.0 {
            i += 1;
            a[i - 1]
        } else if i == a.len() || b[j].0.0 < a[i].0.0 {
            j += 1;
            b[j - 1]
        } else {
            (i, j) = (i + 1, j + 1);
            (a[i - 1].0, a[i - 1].1.checked_add(b[j - 1].1)?)
        };
        if term.1.unsigned_abs() > MOST_COEFFICIENT {
            return None;
        }
        if term.1 != 0 {
            terms.push(term);
        }
    }
    (terms.len() <= MOST_TERMS).then_some(terms)
}

pub(super) fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a.wrapping_abs() } else { gcd(b, a % b) }
}
