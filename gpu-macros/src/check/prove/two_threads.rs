//! Whether two threads of a block can mean one element, as linear inequalities about both.
//!
//! A value has a normal form over symbols. Of what all threads of the block agree on there is one unknown, and of everything else there are
//! two, one for each thread. Products are unknowns too. Facts, ranges and the rules of `/`, `%`, `min` and the like become inequalities, and so does the assumption that
//! two different threads have equal indices. If they contradict each other, there are no such threads.
//!
//! A form is a sum modulo 2^64. It is the sum in the integers only where that lies between 0 and 2^64 - 1, which has to follow from
//! what is known already. Otherwise, the form is not used.

use super::linear::{Linear, System};
use crate::check::values::form::{NormalForm, Symbol, SymbolKind, Uniformity};
use crate::check::values::operation::IntegerOperation;
use crate::check::values::value::Value;
use crate::check::walk::facts::{Fact, Facts, Relation};
use crate::model::Axis;
use crate::vec_map::VecMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Side {
    /// All threads of the block agree.
    Both,
    First,
    Second,
}

/// What is known about two threads of a block.
#[derive(Clone)]
pub(crate) struct TwoThreads<'f> {
    system: System,
    unknowns: VecMap<(Side, Vec<Symbol>), usize>,
    /// Whether the symbol that is evaluated under this number has one value for both.
    agreed: &'f dyn Fn(usize) -> bool,
}

/// How the position of the first thread in the block differs from that of the second: they are equal before `axis`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order {
    pub(crate) axis: Axis,
    pub(crate) first_is_less: bool,
}

impl<'f> TwoThreads<'f> {
    pub(crate) fn new(agreed: &'f dyn Fn(usize) -> bool) -> Self {
        TwoThreads { system: System::default(), unknowns: VecMap::default(), agreed }
    }

    fn is_agreed(&self, symbol: &Symbol) -> bool {
        match &symbol.kind {
            SymbolKind::Launch(_) | SymbolKind::Passed(_) | SymbolKind::BlockIdx(_) => true,
            SymbolKind::ThreadIdx(_) | SymbolKind::GridStride(_) | SymbolKind::Ticket(_) => false,
            SymbolKind::Fresh(number) | SymbolKind::Stepped { number, .. } => symbol.spread <= Uniformity::Block && (self.agreed)(*number),
            SymbolKind::Operation(_, operands) => {
                operands.iter().flat_map(|form| form.terms.keys().flatten()).all(|part| self.is_agreed(part))
            }
        }
    }

    /// The unknown for a product of symbols, with its range.
    fn product(&mut self, side: Side, factors: &[Symbol]) -> Linear {
        let side = if factors.iter().all(|symbol| self.is_agreed(symbol)) { Side::Both } else { side };
        let key = (side, factors.to_vec());
        if let Some(unknown) = self.unknowns.get(&key) {
            return Linear::unknown(*unknown);
        }
        let product = Linear::unknown(self.unknowns.len());
        self.unknowns.insert(key, self.unknowns.len());
        self.system.at_least(&product, &Linear::default());
        let most = factors.iter().try_fold(1i128, |most, symbol| most.checked_mul(symbol.ceiling.into()));
        if let Some(most) = most {
            self.system.at_least(&Linear::constant(most), &product);
        }
        if let [symbol] = factors {
            self.add_rule(side, symbol, &product);
        }
        product
    }

    /// The sum of the terms of `form`, with nothing said about wrap-around.
    fn sum(&mut self, side: Side, form: &NormalForm) -> Option<Linear> {
        form.terms.as_slice().iter().try_fold(Linear::default(), |sum, (factors, coefficient)| {
            let coefficient = i128::from(*coefficient);
            if factors.is_empty() {
                return sum.plus(1, &Linear::constant(coefficient));
            }
            let product = self.product(side, factors);
            sum.plus(coefficient, &product)
        })
    }

    /// The word that `value` is, where it is known to be the sum of its terms.
    pub(crate) fn value(&mut self, side: Side, value: &Value) -> Option<Linear> {
        let word = self.word(side, &value.form)?;
        if value.interval.is_natural() {
            self.system.at_least(&word, &Linear::constant(value.interval.least));
            self.system.at_least(&Linear::constant(value.interval.most), &word);
        }
        Some(word)
    }

    /// The word that `form` is, where it is known to be the sum of its terms.
    fn word(&mut self, side: Side, form: &NormalForm) -> Option<Linear> {
        let sum = match form.as_constant() {
            Some(constant) => Linear::constant(constant.into()),
            None => self.sum(side, form)?,
        };
        let is_value = form.as_constant().is_some()
            || form.never_wraps()
            || self.system.shows_at_least(&sum, &Linear::default()) && self.system.shows_at_least(&Linear::constant(u64::MAX.into()), &sum);
        is_value.then_some(sum)
    }

    /// What an operation says about its result.
    fn add_rule(&mut self, side: Side, symbol: &Symbol, result: &Linear) -> Option<()> {
        let SymbolKind::Operation(name, operands) = &symbol.kind else { return None };
        let [a, b] = operands.as_slice() else { return None };
        let operation = name.of_unsigned()?;
        let number = b.as_constant().map(i128::from);
        let (a_value, b_value) = (self.word(side, a), self.word(side, b));
        let divisor = number.filter(|number| *number > 0);
        match (operation, divisor) {
            (IntegerOperation::Quotient, Some(divisor)) => {
                let product = Linear::default().plus(divisor, result)?;
                self.system.at_least(a_value.as_ref()?, &product);
                self.system.at_least(&product.plus(divisor - 1, &Linear::constant(1))?, a_value.as_ref()?);
            }
            (IntegerOperation::RoundedUp, Some(divisor)) => {
                let product = Linear::default().plus(divisor, result)?;
                self.system.at_least(&product, a_value.as_ref()?);
                self.system.at_least(&a_value?.plus(divisor - 1, &Linear::constant(1))?, &product);
            }
            (IntegerOperation::Remainder, Some(divisor)) => {
                self.system.at_least(&Linear::constant(divisor - 1), result);
                let kind = SymbolKind::Operation(name.quotient_of_remainder()?, operands.clone());
                let quotient = Symbol::new(kind, symbol.spread, u64::MAX);
                let quotient = self.product(side, &[quotient]);
                self.system.equal(&result.plus(divisor, &quotient)?, a_value.as_ref()?);
            }
            (IntegerOperation::Remainder, None) => {
                self.system.at_least(&b_value?.plus(-1, &Linear::constant(1))?, result);
                self.system.at_least(a_value.as_ref()?, result);
            }
            (IntegerOperation::Quotient, None) => self.system.at_least(a_value.as_ref()?, result),
            (IntegerOperation::And | IntegerOperation::Minimum, _) => {
                for operand in [a_value, b_value].iter().flatten() {
                    self.system.at_least(operand, result);
                }
            }
            (IntegerOperation::Or | IntegerOperation::Maximum, _) => {
                for operand in [a_value, b_value].iter().flatten() {
                    self.system.at_least(result, operand);
                }
            }
            (IntegerOperation::Sum | IntegerOperation::Product | IntegerOperation::ExclusiveOr, _)
            | (IntegerOperation::RoundedUp, None) => {}
        }
        Some(())
    }

    /// Adds what one of the threads knows, earliest first: later facts may rest on earlier ones.
    pub(crate) fn add_facts(&mut self, side: Side, facts: &Facts) {
        let mut facts: Vec<&Fact> = facts.iter().collect();
        facts.reverse();
        for Fact { left, relation, right, .. } in facts {
            let gap = match relation {
                Relation::NotEqual | Relation::LessSigned | Relation::LessEqualSigned => continue,
                Relation::Less => 1,
                Relation::LessEqual | Relation::Equal => 0,
            };
            let (Some(left), Some(right)) = (self.value(side, left), self.value(side, right)) else { continue };
            let Some(least) = left.plus(gap, &Linear::constant(1)) else { continue };
            self.system.at_least(&right, &least);
            if *relation == Relation::Equal {
                self.system.at_least(&left, &right);
            }
        }
    }

    /// Adds that the position of the first thread in the block is before or behind that of the second.
    pub(crate) fn add_order(&mut self, order: Order) {
        for axis in [Axis::X, Axis::Y, Axis::Z].into_iter().take(order.axis as usize + 1) {
            let position = [Symbol::thread_idx(axis)];
            let gap = i128::from(axis as usize == order.axis as usize);
            let sides = if order.first_is_less { [Side::First, Side::Second] } else { [Side::Second, Side::First] };
            self.add_gap(sides, &position, gap);
            if gap == 0 {
                let [less, more] = sides;
                self.add_gap([more, less], &position, 0);
            }
        }
    }

    /// Adds that `position` of the one thread is at least by `gap` below that of the other, and what follows for products with what both agree on.
    fn add_gap(&mut self, [less, more]: [Side; 2], position: &[Symbol], gap: i128) {
        let mut products: Vec<Vec<Symbol>> = self.unknowns.keys().map(|(_, factors)| factors.clone()).collect();
        products.push(position.to_vec());
        products.sort();
        products.dedup();
        for factors in products {
            let Some(at) = factors.iter().position(|factor| *factor == position[0]) else { continue };
            let mut agreed = factors.clone();
            agreed.remove(at);
            if !agreed.iter().all(|factor| self.is_agreed(factor)) {
                continue;
            }
            let step = if agreed.is_empty() { Linear::constant(1) } else { self.product(Side::Both, &agreed) };
            let (less, more) = (self.product(less, &factors), self.product(more, &factors));
            if let Some(least) = less.plus(gap, &step) {
                self.system.at_least(&more, &least);
            }
        }
    }

    /// Adds that the index of the first thread is that of the second. Gives something with the unknowns of both, if the two are known.
    pub(crate) fn add_equal(&mut self, first: &Value, second: &Value) -> Option<Linear> {
        let (a, b) = (self.value(Side::First, first)?, self.value(Side::Second, second)?);
        self.system.equal(&a, &b);
        self.add_exchange([Side::First, Side::Second], &first.form, &second.form);
        self.add_exchange([Side::Second, Side::First], &second.form, &first.form);
        Some(a.with_unknowns_of(&b))
    }

    /// With `a == b ^ j` and a `j` that both agree on, `a ^ j == b`: threads that exchange their elements in pairs.
    fn add_exchange(&mut self, [side, other]: [Side; 2], a: &NormalForm, exchanged: &NormalForm) -> Option<()> {
        let symbol = exchanged.as_symbol()?;
        let SymbolKind::Operation(name, operands) = &symbol.kind else { return None };
        let at = operands.iter().position(|operand| operand.terms.keys().flatten().all(|part| self.is_agreed(part)))?;
        if name.of_unsigned() != Some(IntegerOperation::ExclusiveOr) || operands.len() != 2 {
            return None;
        }
        let back = match a.as_symbol().map(|symbol| &symbol.kind) {
            // `(c ^ j) ^ j`
            Some(SymbolKind::Operation(inner, parts)) if inner == name && parts[at] == operands[at] => self.word(side, &parts[1 - at])?,
            _ => {
                let mut back = operands.clone();
                back[1 - at] = a.clone();
                self.product(side, &[Symbol::new(SymbolKind::Operation(name.clone(), back), symbol.spread, symbol.ceiling)])
            }
        };
        let b = self.word(other, &operands[1 - at])?;
        self.system.equal(&back, &b);
        Some(())
    }

    /// Whether the threads cannot be at the two points, by what they agree on.
    pub(crate) fn are_elsewhere(&self) -> bool {
        let agreed = self.unknowns.iter().filter(|((side, _), _)| *side == Side::Both).map(|(_, unknown)| Linear::unknown(*unknown));
        let about = agreed.fold(Linear::default(), |about, unknown| about.with_unknowns_of(&unknown));
        self.system.is_contradictory(&about)
    }

    /// Whether there are no such threads, by what is known of the unknowns of `about`.
    pub(crate) fn are_impossible(&self, about: &Linear) -> bool {
        self.system.is_contradictory(about)
    }
}
