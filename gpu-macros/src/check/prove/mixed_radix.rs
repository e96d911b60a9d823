//! Which thread an index belongs to.
//!
//! An index such as `(y * w + x) * 2 + 1` is a number in a mixed radix: with `1 < 2` and `x < w`, its digits `1`, `x` and `y` can be
//! computed from it, and `x` in turn is `block_idx * block_dim + thread_idx` with `thread_idx < block_dim`. A [`Digits`] says how to read a
//! natural number that way. It only names radices that are the same for all threads at any time, so two accesses with equal `Digits` are
//! read by one and the same function: equal indices have equal digits, and where the digits hold every coordinate of the thread, they are
//! accesses of the same thread.
//!
//! A quotient and a remainder of a division by something that all threads share are digits as well: together they are the dividend, which
//! may be the number of the thread, as in `tile[t / w][t % w]`.
//!
//! The reading is right only if the index is the natural number that its form says, without wrap-around: with `w = 2^63` the
//! rows 0 and 2 of `y * w + x` coincide, in bounds, however large the array is. So each reading comes with the launch
//! conditions under which nothing wraps. (A part that is the same for all threads may wrap: adding it is a bijection.)

use super::point::needs_against_wrap;
use super::sum::gcd;
use crate::check::clients::bounds::open_inequalities;
use crate::check::values::coordinate::Coordinate;
use crate::check::values::form::{NormalForm, Symbol, SymbolKind, Uniformity};
use crate::check::values::operation::IntegerOperation;
use crate::check::values::value::Value;
use crate::check::walk::effects::Effects;
use crate::check::walk::evaluate::linear_position;
use crate::check::walk::facts::{Facts, Relation};
use crate::model::{Axis, Inequality, Polynomial};
use crate::vec_map::VecMap;
use std::cell::RefCell;

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Digits {
    /// Tells nothing about the thread.
    Any,
    Coordinate(Coordinate),
    /// The one-dimensional position in the grid modulo the number of threads along x: the counter of a grid-stride loop,
    /// and `grid_1d()` itself.
    Linear,
    Part(Box<Part>),
    /// `low + radix * high` with `low < radix`.
    Split {
        radix: NormalForm,
        low: Box<Digits>,
        high: Box<Digits>,
    },
    /// `offset` more than the rest.
    Shifted {
        offset: NormalForm,
        rest: Box<Digits>,
    },
}

/// The quotient or the remainder of a division, which together tell the dividend.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    pub(crate) of: Division,
    is_remainder: bool,
}

/// `dividend / divisor`, where all threads have the same divisor, which is not 0, or the thread ends here.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Division {
    dividend: NormalForm,
    divisor: NormalForm,
    /// How to read the dividend.
    pub(crate) whole: Digits,
}

#[derive(Debug, Clone)]
pub(crate) struct RadixReading {
    pub(crate) digits: Digits,
    /// The reading is right on launches that satisfy these.
    pub(crate) conditions: Vec<Inequality>,
}

impl Digits {
    pub(crate) fn coordinates(&self) -> Vec<Coordinate> {
        match self {
            Digits::Any | Digits::Part(_) => Vec::new(),
            Digits::Linear => vec![Coordinate::Thread(Axis::X), Coordinate::Block(Axis::X)],
            Digits::Coordinate(coordinate) => vec![*coordinate],
            Digits::Split { low, high, .. } => [low.coordinates(), high.coordinates()].concat(),
            Digits::Shifted { rest, .. } => rest.coordinates(),
        }
    }

    pub(crate) fn parts(&self) -> Vec<Part> {
        match self {
            Digits::Any | Digits::Coordinate(_) | Digits::Linear => Vec::new(),
            Digits::Part(part) => vec![Part::clone(part)],
            Digits::Split { low, high, .. } => [low.parts(), high.parts()].concat(),
            Digits::Shifted { rest, .. } => rest.parts(),
        }
    }
}

/// How deep digits may be nested.
const DEPTH: usize = 8;
/// More readings of one number than this are dropped.
const MOST_READINGS: usize = 12;

/// Reads numbers at one point of the program.
pub(crate) struct Reader<'f> {
    facts: &'f Facts,
    /// `L < R` for a radix `R`, with what the launch must satisfy for that.
    below: Vec<(NormalForm, NormalForm, Vec<Inequality>)>,
    linear: NormalForm,
    block: &'f [Value; 3],
    /// Numbers read before, at the depth that was left.
    read: RefCell<VecMap<(usize, NormalForm), Vec<RadixReading>>>,
}

impl<'f> Reader<'f> {
    pub(crate) fn new(facts: &'f Facts, walk: &'f Effects<'_>) -> Self {
        let (linear, block) = (linear_position(&walk.block[0]), &walk.block);
        Reader { facts, below: digits_below_radices(facts), linear, block, read: RefCell::default() }
    }

    /// The ways to read `form`, the value of an index or of one side of an equality.
    pub(crate) fn read(&self, form: &NormalForm) -> Vec<RadixReading> {
        let (varying, offset) = split_offset(form);
        let mut readings = Vec::new();
        for (number, offset) in with_and_without_constant(&varying, &offset) {
            let Some(wrap) = self.conditions_against_wrap(&number) else { continue };
            for mut reading in self.read_number(&number, DEPTH) {
                reading.digits = shifted(&offset, reading.digits);
                reading.conditions.extend(wrap.iter().cloned());
                push(&mut readings, reading);
            }
        }
        readings.push(exactly(Digits::Any));
        readings
    }

    /// When `number` is the natural sum of its terms; `None` if that is not known for any launch.
    fn conditions_against_wrap(&self, number: &NormalForm) -> Option<Vec<Inequality>> {
        if number.never_wraps() {
            return Some(Vec::new());
        }
        open_inequalities(needs_against_wrap(number, self.facts)?)
    }

    /// Reads a natural number: no coefficient is negative.
    fn read_number(&self, number: &NormalForm, depth: usize) -> Vec<RadixReading> {
        let Some(depth) = depth.checked_sub(1).filter(|_| number.terms.values().all(|coefficient| coefficient > 0)) else {
            return vec![exactly(Digits::Any)];
        };
        let key = (depth, number.clone());
        if let Some(readings) = self.read.borrow().get(&key) {
            return readings.clone();
        }
        let readings = self.read_new_number(number, depth);
        self.read.borrow_mut().insert(key, readings.clone());
        readings
    }

    fn read_new_number(&self, number: &NormalForm, depth: usize) -> Vec<RadixReading> {
        let mut readings = Vec::new();
        if *number == self.linear {
            push(&mut readings, exactly(Digits::Linear));
        }
        if let Some(symbol) = number.as_symbol() {
            let digits = match symbol.kind {
                SymbolKind::ThreadIdx(axis) => Digits::Coordinate(Coordinate::Thread(axis)),
                SymbolKind::BlockIdx(axis) => Digits::Coordinate(Coordinate::Block(axis)),
                SymbolKind::GridStride(_) => Digits::Linear,
                _ => Digits::Any,
            };
            push(&mut readings, exactly(digits));
            self.read_part(symbol).into_iter().for_each(|reading| push(&mut readings, reading));
        }
        let (varying, offset) = split_offset(number);
        if !offset.terms.is_empty() && !varying.terms.is_empty() {
            for mut reading in self.read_number(&varying, depth) {
                reading.digits = shifted(&offset, reading.digits);
                push(&mut readings, reading);
            }
        }
        for (low, radix, conditions) in self.lowest_digits(number) {
            let Some(high) = divide(&number.without(&low), &radix).filter(|high| !high.terms.is_empty()) else { continue };
            let lows = self.read_number(&low, depth);
            for high in self.read_number(&high, depth) {
                for low in &lows {
                    let conditions = [conditions.as_slice(), &low.conditions, &high.conditions].concat();
                    push(&mut readings, RadixReading { digits: split(&radix, &low.digits, &high.digits), conditions });
                }
            }
        }
        if readings.is_empty() {
            readings.push(exactly(Digits::Any));
        }
        readings
    }

    /// Reads the quotient or the remainder of a division: each way to read the dividend is one.
    fn read_part(&self, symbol: &Symbol) -> Vec<RadixReading> {
        let SymbolKind::Operation(name, operands) = &symbol.kind else { return Vec::new() };
        let is_remainder = match name.of_unsigned() {
            Some(IntegerOperation::Quotient) => false,
            Some(IntegerOperation::Remainder) => true,
            _ => return Vec::new(),
        };
        let [dividend, divisor] = operands.as_slice() else { return Vec::new() };
        if divisor.spread() != Uniformity::Launch {
            return Vec::new();
        }
        let mut readings = self.read(dividend);
        readings.retain(|reading| reading.digits != Digits::Any);
        for reading in &mut readings {
            let whole = std::mem::replace(&mut reading.digits, Digits::Any);
            let of = Division { dividend: dividend.clone(), divisor: divisor.clone(), whole };
            reading.digits = Digits::Part(Box::new(Part { of, is_remainder }));
        }
        readings
    }

    /// Candidates for the lowest digit of `number`: the digit, its radix, and when it is below.
    fn lowest_digits(&self, number: &NormalForm) -> Vec<(NormalForm, NormalForm, Vec<Inequality>)> {
        let mut digits = self.below.clone();
        for symbol in number.terms.keys().flatten() {
            if let SymbolKind::Operation(name, operands) = &symbol.kind
                && let (true, [_, divisor]) = (name.quotient_of_remainder().is_some(), operands.as_slice())
                && divisor.spread() == Uniformity::Launch
            {
                digits.push((NormalForm::symbol(symbol.clone()), divisor.clone(), Vec::new()));
            }
        }
        // The position in the block, where the user's radix is not the block's extent: the launch compares them.
        for axis in [Axis::X, Axis::Y, Axis::Z] {
            let thread = NormalForm::symbol(Symbol::thread_idx(axis));
            if !thread.terms.keys().all(|factors| number.terms.get(factors) == Some(1)) {
                continue;
            }
            let radix = common_factor(&number.without(&thread))
                .filter(|radix| *radix != self.block[axis as usize].form && radix.as_constant() != Some(1));
            if let Some(radix) = radix
                && let (Some(extent), Some(length)) =
                    (self.block[axis as usize].form.to_natural_polynomial(), radix.to_natural_polynomial())
                && let Some(most) = extent.plus_constant(-1)
                && radix.terms.keys().all(|factors| factors.len() <= 1)
                && let Some(conditions) = open_inequalities(vec![Inequality::below(most, length)])
            {
                digits.push((thread, radix, conditions));
            }
        }
        // A number below the greatest common divisor of what varies: 0 or 1 in `2 * i` and `2 * i + 1`.
        let (varying, offset) = split_offset(number);
        if let (Some(constant), Some(common)) = (offset.as_constant(), greatest_common_divisor(&varying))
            && constant < common
            && common > 1
        {
            digits.push((offset, NormalForm::constant(common), Vec::new()));
        }
        digits
    }
}

/// A reading without conditions.
fn exactly(digits: Digits) -> RadixReading {
    RadixReading { digits, conditions: Vec::new() }
}

fn split(radix: &NormalForm, low: &Digits, high: &Digits) -> Digits {
    match (low, high) {
        (Digits::Any, Digits::Any) => Digits::Any,
        _ => Digits::Split { radix: radix.clone(), low: Box::new(low.clone()), high: Box::new(high.clone()) },
    }
}

fn shifted(offset: &NormalForm, rest: Digits) -> Digits {
    match rest {
        Digits::Any => Digits::Any,
        rest if offset.terms.is_empty() => rest,
        rest => Digits::Shifted { offset: offset.clone(), rest: Box::new(rest) },
    }
}

/// Adds a reading that tells something, unless it is there already.
fn push(readings: &mut Vec<RadixReading>, reading: RadixReading) {
    let known = |other: &RadixReading| other.digits == reading.digits && other.conditions.len() <= reading.conditions.len();
    if reading.digits != Digits::Any && readings.len() < MOST_READINGS && !readings.iter().any(known) {
        readings.push(reading);
    }
}

/// Splits terms into those that differ between threads or in time, and those that do not.
fn split_offset(form: &NormalForm) -> (NormalForm, NormalForm) {
    let (mut varying, mut offset) = (NormalForm::default(), NormalForm::default());
    for (factors, coefficient) in form.terms.as_slice() {
        let launch = factors.iter().all(|symbol| symbol.spread == Uniformity::Launch);
        let part = if launch { &mut offset } else { &mut varying };
        part.add_term(factors, *coefficient);
    }
    (varying, offset)
}

/// `number` and the offset left beside it: the constant part of the offset may be the lowest digit.
fn with_and_without_constant(varying: &NormalForm, offset: &NormalForm) -> Vec<(NormalForm, NormalForm)> {
    let mut ways = Vec::new();
    if let Some(constant) = offset.terms.constant().filter(|constant| *constant > 0) {
        let constant = NormalForm::constant(constant.cast_unsigned());
        ways.push((varying.plus(&constant), offset.minus(&constant)));
    }
    ways.push((varying.clone(), offset.clone()));
    ways
}

/// What the facts say about values below a quantity that all threads share: `L < R` for a monomial `R`.
fn digits_below_radices(facts: &Facts) -> Vec<(NormalForm, NormalForm, Vec<Inequality>)> {
    let mut below = Vec::new();
    for fact in facts.iter().filter(|fact| fact.relation == Relation::Less) {
        let Some((radix, conditions)) = radix_of(&fact.right.form) else { continue };
        let left = &fact.left.form;
        let mut add = |left: NormalForm| {
            if left.terms.values().all(|coefficient| coefficient > 0) && !below.iter().any(|(l, r, _)| *l == left && *r == radix) {
                below.push((left, radix.clone(), conditions.clone()));
            }
        };
        add(left.clone());
        let (varying, offset) = split_offset(left);
        // `x + 1 < w` without wrap-around: `x < w` too.
        if !offset.terms.is_empty() && left.never_wraps() {
            add(varying);
        }
    }
    below.retain(|(left, ..)| left.spread() != Uniformity::Launch);
    below
}

/// A monomial that is at least `bound`: `bound` itself, or `P` where `bound` is `P - c` and the launch has `P >= c`.
fn radix_of(bound: &NormalForm) -> Option<(NormalForm, Vec<Inequality>)> {
    if bound.spread() != Uniformity::Launch {
        return None;
    }
    let constant = bound.terms.constant().unwrap_or(0);
    if let Some(number) = bound.as_constant() {
        return (number > 0).then(|| (bound.clone(), Vec::new()));
    }
    let mut rest = bound.clone();
    rest.terms.remove(&[]);
    let [coefficient] = rest.terms.values().collect::<Vec<_>>()[..] else { return None };
    if coefficient <= 0 || constant > 0 {
        return None;
    }
    if constant == 0 {
        return Some((rest, Vec::new()));
    }
    let most = rest.to_natural_polynomial()?;
    let mut needs = vec![Inequality::below(Polynomial::constant(constant.unsigned_abs().into()), most.plus_constant(1)?)];
    if !rest.never_wraps() {
        needs.push(Inequality::below_2_to_the_64(most));
    }
    Some((rest, open_inequalities(needs)?))
}

/// `form / divisor` where the monomial `divisor` divides every term.
fn divide(form: &NormalForm, divisor: &NormalForm) -> Option<NormalForm> {
    let [(factors, coefficient)] = divisor.terms.as_slice() else { return None };
    let mut quotient = NormalForm::default();
    for (term, x) in form.terms.as_slice() {
        let mut rest = term.clone();
        for factor in factors {
            let position = rest.iter().position(|symbol| symbol == factor)?;
            rest.remove(position);
        }
        if *x < 0 || *coefficient <= 0 || x % coefficient != 0 {
            return None;
        }
        quotient.add_term(&rest, x / coefficient);
    }
    Some(quotient)
}

/// The largest monomial of launch-time symbols that divides every term.
fn common_factor(form: &NormalForm) -> Option<NormalForm> {
    let mut terms = form.terms.keys();
    let first = terms.next()?;
    let mut common: Vec<Symbol> = first.iter().filter(|symbol| symbol.spread == Uniformity::Launch).cloned().collect();
    for factors in terms {
        let mut left = factors.clone();
        common.retain(|symbol| {
            let position = left.iter().position(|other| other == symbol);
            position.map(|position| left.remove(position)).is_some()
        });
    }
    let mut monomial = NormalForm::default();
    monomial.add_term(&common, greatest_common_divisor(form)?.try_into().ok()?);
    Some(monomial)
}

fn greatest_common_divisor(form: &NormalForm) -> Option<u64> {
    let divisor = form.terms.values().try_fold(0, |divisor, coefficient| (coefficient > 0).then(|| gcd(divisor, coefficient.into())));
    divisor?.try_into().ok()
}

/// The coordinates that an equality fixes, and to what.
pub(crate) fn pins(reader: &Reader<'_>, facts: &Facts) -> Vec<(RadixReading, NormalForm)> {
    let mut pins = Vec::new();
    for fact in facts.iter().filter(|fact| fact.relation == Relation::Equal) {
        let sides = [(&fact.left, &fact.right), (&fact.right, &fact.left)];
        for (varying, fixed) in sides {
            // Where a declared extent is 1, the coordinate is 0 without a guard: nothing to read off.
            let by_extent = matches!(varying.form.as_symbol().map(|symbol| &symbol.kind), Some(SymbolKind::ThreadIdx(axis)) if reader.block[*axis as usize].form.as_constant() == Some(1));
            if by_extent {
                continue;
            }
            if fixed.form.spread() == Uniformity::Launch && varying.form.spread() != Uniformity::Launch {
                let readings = reader.read(&varying.form).into_iter().filter(|reading| !reading.digits.coordinates().is_empty());
                pins.extend(readings.map(|reading| (reading, fixed.form.clone())));
            }
        }
    }
    pins
}
