//! What is known of one thread at one access, or of two threads at two.

use super::common::{Quantity, Side, Variables};
use super::conditions::Needs;
use super::nonnegative::{ALL, Allowed, Bound, Bounds, NOTHING, Prover, SHAPE};
use super::sum::{Monomial, Sum, Variable};
use crate::check::values::form::{Limit, NormalForm, Symbol, SymbolKind, Ticket};
use crate::check::values::operation::{IntegerOperation, OperationName};
use crate::check::values::value::{Exact, Kind, Value};
use crate::check::walk::effects::Advance;
use crate::check::walk::evaluate::linear_position;
use crate::check::walk::facts::{Fact, Relation};
use crate::model::{Atom, Axis, Scalar};
use crate::vec_map::{VecMap, VecSet};

#[derive(Clone)]
pub(in crate::check) struct System<'v> {
    pub(super) variables: &'v Variables,
    side: Side,
    block: [Value; 3],
    /// What may be assumed of the launch to read the digits of an equation.
    pub(super) shape: &'static [Allowed],
    pub(super) bounds: Bounds,
    /// Sums that are zero.
    pub(super) equations: Vec<Sum>,
    /// Sums that are not zero.
    pub(super) apart: Vec<Bound>,
    /// Variables that others express.
    pub(super) solved: VecMap<Variable, Sum>,
    /// The system is right on launches where each of these is not negative.
    pub(super) needs: Needs,
    /// Forms that are known to be these integers.
    exact: VecMap<NormalForm, Sum>,
    /// What is assumed to be a multiple of what.
    multiples: Vec<(Sum, Sum)>,
    /// The calls of `fetch_add` that have returned something.
    draws: Vec<DrawnNumber>,
    /// The quotients whose bounds are there.
    defined: VecSet<Variable>,
    /// Conditions of what is being converted.
    pending: Needs,
    /// What symbols are made of, and how many bounds were known then.
    converted: VecMap<Symbol, (usize, Option<Conditional>)>,
}

/// What a call of `fetch_add` has returned.
#[derive(Clone)]
struct DrawnNumber {
    number: Variable,
    /// Of which element of which parameter.
    param: usize,
    element: Sum,
    /// How many numbers the call has reserved.
    amount: Sum,
    side: Side,
}

/// A sum, with the conditions under which it is right.
type Conditional = (Sum, Needs);

impl<'v> System<'v> {
    /// What `facts` say about the thread of `side`, the earliest first: later facts may rest on earlier ones.
    pub(super) fn new(variables: &'v Variables, side: Side, block: &[Value; 3], shape: &'static [Allowed], facts: &[&Fact]) -> System<'v> {
        let mut system = System {
            variables,
            side,
            block: block.clone(),
            shape,
            bounds: Bounds::default(),
            equations: Vec::new(),
            apart: Vec::new(),
            solved: VecMap::default(),
            needs: Needs::default(),
            exact: VecMap::default(),
            multiples: Vec::new(),
            draws: Vec::new(),
            defined: VecSet::default(),
            pending: Needs::default(),
            converted: VecMap::default(),
        };
        facts.iter().for_each(|fact| system.add_fact(fact));
        system
    }

    /// The value of an index, except that it may differ by a multiple of 2^64.
    pub(in crate::check) fn index(&mut self, form: &NormalForm) -> Option<Sum> {
        let sum = self.sum(form);
        self.needs.add(&std::mem::take(&mut self.pending));
        sum
    }

    /// Assumes a block with one axis.
    pub(super) fn assume_line(&mut self) {
        for axis in [Axis::Y, Axis::Z] {
            let coordinate = self.variables.thread_idx(axis, self.side);
            let _ = coordinate.and_then(|coordinate| self.substitute(coordinate, &Sum::default()));
        }
    }

    pub(super) fn prover<'a>(&'a self, allowed: &'a [Allowed]) -> Prover<'a> {
        Prover { variables: self.variables, bounds: &self.bounds, allowed, latest_first: false }
    }

    fn add_fact(&mut self, fact: &Fact) {
        // Divisions have rules of their own here.
        if fact.of_division || self.add_signed(fact) {
            return;
        }
        let sides = self.exact_value(&fact.left).zip(self.exact_value(&fact.right));
        let Some(((left, needs), (right, more))) = sides else { return };
        let (Some(difference), mut needs) = (right.minus(&left), needs.and(&more)) else { return };
        let relation = match fact.relation {
            // What is larger than a natural number is one: their words are compared as they are without a sign.
            Relation::LessSigned | Relation::LessEqualSigned => {
                let Some(is_natural) = self.without_sign(&left) else { return };
                needs.add(&is_natural);
                if fact.relation == Relation::LessSigned { Relation::Less } else { Relation::LessEqual }
            }
            relation => relation,
        };
        if relation == Relation::Less && needs.is_empty() {
            self.add_rounds(&left, &right);
        }
        match relation {
            Relation::Less => self.add_bound(difference.plus_constant(-1), needs),
            Relation::LessEqual => self.add_bound(Some(difference), needs),
            Relation::Equal => {
                match fact.left.form.as_symbol() {
                    _ if needs.is_empty() => self.equations.push(difference.clone()),
                    Some(minimum) if matches!(&minimum.kind, SymbolKind::Operation(name, _) if name.is(IntegerOperation::Minimum, Scalar::Usize)) =>
                    {
                        self.converted.insert(minimum.clone(), (self.bounds.len(), Some((right, needs.clone()))));
                    }
                    _ => {}
                }
                self.add_bound(difference.negated(), needs.clone());
                self.add_bound(Some(difference), needs);
            }
            Relation::LessSigned | Relation::LessEqualSigned => unreachable!("compared without a sign"),
            Relation::NotEqual => {
                // A natural number that is not 0 is at least 1.
                for sum in [Some(difference.clone()), difference.negated()].into_iter().flatten() {
                    if sum.terms().all(|(_, coefficient)| coefficient > 0) {
                        self.add_bound(sum.plus_constant(-1), needs.clone());
                    }
                }
                self.apart.push(Bound { sum: difference, needs });
            }
        }
    }

    /// Where a counter is `step * rounds`, below `limit`, both of which are constants that only rustc knows: there are at most `limit / step`
    /// rounds if `step` divides `limit`.
    fn add_rounds(&mut self, counter: &Sum, limit: &Sum) -> Option<()> {
        let (product, 1) = counter.as_term()? else { return None };
        let step = product.factors().find(|factor| factor.is_named())?;
        let rounds = product.without(Monomial::of(step))?.as_variable().filter(|rounds| self.variables.counts_rounds(*rounds))?;
        let is_constant = |variable: &Variable| matches!(self.variables.atom(*variable), Some(Atom::Constant(_)));
        let limit = Sum::variable(limit.as_variable().filter(is_constant)?);
        let step = Sum::variable(Some(step).filter(is_constant)?);
        let quotient = Sum::variable(self.variables.quotient(&limit, &step, Side::Both, u64::MAX)?);
        let rest = limit.minus(&quotient.times(&step)?)?;
        let is_divisible = Needs::one(rest.negated()?);
        self.add_bound(Some(rest), Needs::default());
        self.add_bound(quotient.plus_constant(-1)?.minus(&Sum::variable(rounds)), is_divisible);
        Some(())
    }

    pub(super) fn add_bound(&mut self, sum: Option<Sum>, needs: Needs) {
        let Some(sum) = sum.filter(|sum| sum.terms().any(|(_, coefficient)| coefficient < 0)) else { return };
        // At most 0 is 0.
        let at_most_zero = sum.negated().and_then(|sum| sum.as_variable()).filter(|variable| !variable.is_shared());
        if let Some(variable) = at_most_zero.filter(|_| needs.is_empty()) {
            let _ = self.substitute(variable, &Sum::default());
            return;
        }
        let mut sum = sum;
        tighten(&mut sum);
        self.bounds.add(Bound { sum, needs });
    }

    /// A value as an integer: of a sum, product or difference that is known not to wrap around, by its parts.
    pub(super) fn exact_value(&mut self, value: &Value) -> Option<Conditional> {
        let by_form = self.exact(&value.form);
        if by_form.as_ref().is_some_and(|(_, needs)| needs.is_empty()) {
            return by_form;
        }
        let Some((sum, needs)) = self.exact_parts(value) else { return by_form };
        if needs.is_empty() {
            // The same word by another way of writing it.
            self.exact.insert(value.form.clone(), sum.clone());
        }
        match by_form {
            Some((sum, known)) if known.iter().count() <= needs.iter().count() => Some((sum, known)),
            _ => Some((sum, needs)),
        }
    }

    fn exact_parts(&mut self, value: &Value) -> Option<Conditional> {
        let (of, combine): (_, Combine) = match &value.kind {
            Kind::Sum { of, exact: Exact::Always } => (of, Sum::plus),
            Kind::Product { of, exact: Exact::Always } => (of, Sum::times),
            Kind::Difference { of, exact: true } => (of, Sum::minus),
            _ => return None,
        };
        let ((a, needs), (b, more)) = (self.exact_value(&of[0])?, self.exact_value(&of[1])?);
        Some((combine(&a, &b)?, needs.and(&more)))
    }

    /// The value of a form as an integer, with the conditions under which it is that: then nothing wraps around.
    fn exact(&mut self, form: &NormalForm) -> Option<Conditional> {
        if let Some(sum) = self.exact.get(form) {
            return Some((self.resolve(&sum.clone())?, Needs::default()));
        }
        let outer = std::mem::take(&mut self.pending);
        let sum = self.sum(form);
        let mut needs = std::mem::replace(&mut self.pending, outer);
        let sum = sum?;
        if !form.never_wraps() {
            let all_shared = sum.terms().all(|(product, _)| product.is_shared());
            let lower = if all_shared { ALL } else { SHAPE };
            needs.add(&self.prover(lower).not_negative(&sum)?);
            let room = Sum::constant(u64::MAX.into()).minus(&sum)?;
            needs.add(&self.prover(ALL).not_negative(&room)?);
        }
        Some((sum, needs))
    }

    /// The sum of the terms of a form in the integers.
    fn sum(&mut self, form: &NormalForm) -> Option<Sum> {
        form.terms.as_slice().iter().try_fold(Sum::default(), |sum, (factors, coefficient)| {
            let term = factors.iter().try_fold(Sum::constant((*coefficient).into()), |term, symbol| term.times(&self.symbol(symbol)?))?;
            sum.plus(&term)
        })
    }

    fn symbol(&mut self, symbol: &Symbol) -> Option<Sum> {
        // With more bounds, more may be known of it.
        let known = match self.converted.get(symbol) {
            Some((bounds, known)) if *bounds == self.bounds.len() || known.is_some() => known.clone(),
            _ => {
                let outer = std::mem::take(&mut self.pending);
                let known = self.known_symbol(symbol);
                let known = known.map(|sum| (sum, std::mem::take(&mut self.pending)));
                self.pending = outer;
                self.converted.insert(symbol.clone(), (self.bounds.len(), known.clone()));
                known
            }
        };
        let Some((sum, needs)) = known else {
            return self.resolve(&Sum::variable(self.variables.symbol(symbol, self.side)?));
        };
        self.pending.add(&needs);
        self.resolve(&sum)
    }

    /// What a symbol is made of.
    fn known_symbol(&mut self, symbol: &Symbol) -> Option<Sum> {
        match &symbol.kind {
            SymbolKind::GridStride(_) => {
                let first = linear_position(&self.block[0]);
                let threads = self.block[0].form.times(&NormalForm::symbol(Symbol::grid_dim(Axis::X)));
                self.counter(symbol, &first, &threads, None)
            }
            SymbolKind::Stepped { start, step, limit, .. } => self.counter(symbol, start, step, limit.as_ref()),
            SymbolKind::Operation(name, operands) => self.operation(symbol, name, operands),
            SymbolKind::Ticket(ticket) => self.draw(symbol, ticket),
            _ => None,
        }
    }

    /// Notes a call whose result no other call returns.
    fn draw(&mut self, symbol: &Symbol, ticket: &Ticket) -> Option<Sum> {
        self.variables.unique(ticket.param)?;
        let number = self.variables.symbol(symbol, self.side)?;
        let element = self.sum(&ticket.element)?;
        let (amount, needs) = self.exact(&ticket.amount)?;
        self.needs.add(&needs);
        if !self.draws.iter().any(|draw| draw.number == number) {
            self.draws.push(DrawnNumber { number, param: ticket.param, element, amount, side: self.side });
        }
        Some(Sum::variable(number))
    }

    /// The parameter from which both threads have drawn in one call, so that it is one thread, where these sums are 0 modulo 2^64.
    ///
    /// The ranges of numbers that two calls reserve are disjoint, modulo 2^64 too. So numbers that differ by less than both have reserved
    /// are of one call.
    pub(super) fn same_draw(&mut self, zeros: &[Sum]) -> Option<usize> {
        let of_side = |side: Side| self.draws.iter().filter(move |draw| draw.side == side);
        let prover = self.prover(NOTHING);
        let mut pairs = of_side(Side::First).flat_map(|a| of_side(Side::Second).map(move |b| (a, b)));
        let (param, needs) = pairs.find_map(|(a, b)| {
            let is_of_one = a.param == b.param && self.resolve(&a.element.minus(&b.element)?)?.is_zero();
            let difference = Sum::variable(a.number).minus(&Sum::variable(b.number)).filter(|_| is_of_one)?;
            let ways = zeros.iter().map(|zero| difference.minus(zero)).chain([Some(difference.clone())]).flatten();
            let mut needs = ways.filter_map(|difference| {
                let difference = self.resolve(&difference)?;
                let room = |amount: &Sum, more: &Sum| prover.not_negative(&self.resolve(amount)?.plus_constant(-1)?.minus(more)?);
                Some(room(&b.amount, &difference)?.and(&room(&a.amount, &difference.negated()?)?))
            });
            Some((a.param, needs.next()?))
        })?;
        self.needs.add(&needs);
        Some(param)
    }

    /// `start + step * rounds`, where the loop ends before its counter wraps around.
    fn counter(&mut self, symbol: &Symbol, start: &NormalForm, step: &NormalForm, limit: Option<&Limit>) -> Option<Sum> {
        let ((start, needs), (step, more)) = (self.exact(start)?, self.exact(step)?);
        let mut needs = needs.and(&more);
        if let Some(limit) = limit {
            // Of what is below the limit, the next is at most the largest value.
            let (below, more) = self.exact(&limit.below)?;
            let room = Sum::constant(i128::from(limit.most) + 1).minus(&below)?.minus(&step)?;
            needs = needs.and(&more).and(&self.prover(ALL).not_negative(&room)?);
        }
        self.pending.add(&needs);
        let rounds = Sum::variable(self.variables.rounds(symbol, self.side)?);
        start.plus(&step.times(&rounds)?)
    }

    /// Divisions of natural numbers, what `u32` holds, and operations whose operands say something about them. All others are what their
    /// symbols say.
    fn operation(&mut self, symbol: &Symbol, name: &OperationName, operands: &[NormalForm]) -> Option<Sum> {
        if let Some((combine, most)) = operation_in_32_bits(name, operands.len()) {
            // Where the integer fits, it is the result.
            let (first, mut needs) = self.exact(&operands[0])?;
            let result = match operands.get(1) {
                None => first,
                Some(second) => {
                    let (second, more) = self.exact(second)?;
                    needs.add(&more);
                    combine(&first, &second)?
                }
            };
            let room = Sum::constant(most).minus(&result)?;
            needs.add(&self.prover(ALL).not_negative(&room)?);
            self.pending.add(&needs);
            if result.terms().any(|(product, _)| !product.is_shared()) {
                self.add_bound(Some(room), needs);
            }
            return Some(result);
        }
        match name.of_unsigned() {
            Some(IntegerOperation::ExclusiveOr) => return self.exclusive_or(symbol, operands),
            Some(IntegerOperation::And | IntegerOperation::Minimum) => return self.at_most(symbol, operands),
            _ => {}
        }
        let is = |operation| name.is(operation, Scalar::Usize);
        let (is_remainder, is_rounded_up) = (is(IntegerOperation::Remainder), is(IntegerOperation::RoundedUp));
        let [a, b] = operands else { return None };
        if !is_remainder && !is_rounded_up && !is(IntegerOperation::Quotient) {
            return None;
        }
        let ((a, needs), (b, more)) = (self.exact(a)?, self.exact(b)?);
        // What is known of quotient and remainder holds only if the dividend and the divisor are these integers.
        self.needs.add(&needs.and(&more));
        // Rounded up, `a / b` is `(a + b - 1) / b` in the integers: a natural number, as `b` is not 0.
        let dividend = if is_rounded_up { a.plus(&b)?.plus_constant(-1)? } else { a };
        let (quotient, remainder) = self.divide(&dividend, &b)?;
        Some(if is_remainder { remainder } else { quotient })
    }

    /// `a ^ b`, of which not both are the same for the threads.
    fn exclusive_or(&mut self, symbol: &Symbol, operands: &[NormalForm]) -> Option<Sum> {
        let [a, b] = operands else { return None };
        let ((a, needs), (b, more)) = (self.exact(a)?, self.exact(b)?);
        let is_common = |sum: &Sum| sum.terms().all(|(product, _)| product.is_shared());
        let (own, other) = if is_common(&a) { (b, a) } else { (a, b) };
        if is_common(&own) {
            return None;
        }
        self.needs.add(&needs.and(&more));
        Some(Sum::variable(self.variables.variable(Quantity::ExclusiveOr(own, other), self.side, symbol.ceiling)?))
    }

    /// What is at most each of its operands.
    fn at_most(&mut self, symbol: &Symbol, operands: &[NormalForm]) -> Option<Sum> {
        let variable = self.variables.symbol(symbol, self.side)?;
        let result = Sum::variable(variable);
        if self.defined.insert(variable) {
            for operand in operands {
                let Some((operand, needs)) = self.exact(operand) else { continue };
                self.add_bound(operand.minus(&result), needs);
            }
        }
        Some(result)
    }

    /// The terms of `sum` that are multiples of `divisor` if the extents and constants in them are, divided, and the others:
    /// `b * E` is `m * b * (E / m)` on launches where the extent `E` of the block is a multiple of `m`.
    fn multiples(&mut self, sum: &Sum, divisor: &Sum) -> Option<(Sum, Sum)> {
        let (mut high, mut low) = (Sum::default(), Sum::default());
        let variables = self.variables;
        let is_extent = |factor: &Variable| matches!(variables.atom(*factor), Some(Atom::BlockDim(_) | Atom::Constant(_)));
        // Of several extents, one that is a factor by itself elsewhere.
        let alone: Vec<Variable> = sum.terms().filter_map(|(product, _)| product.filter(Variable::is_named).as_variable()).collect();
        for (product, x) in sum.terms() {
            let named = product.filter(Variable::is_named);
            let extents = || named.factors().filter(is_extent);
            let extent = extents().find(|extent| alone.contains(extent)).or_else(|| extents().next());
            let (whole, own, times) = match extent {
                Some(extent) => (Sum::variable(extent), product.without(Monomial::of(extent))?, x),
                None if named.is_one() && divisor.as_constant().is_none() => (Sum::constant(x), product, i128::from(x > 1)),
                None => (Sum::default(), product, 0),
            };
            if own.is_named() || times < 1 || !variables.may_align() || !self.is_plausible_multiple(&whole, divisor) {
                low = low.plus(&Sum::term(product, x))?;
                continue;
            }
            let quotient = Sum::variable(variables.quotient(&whole, divisor, Side::Both, u64::MAX)?);
            let rest = whole.minus(&quotient.times(divisor)?)?;
            let is_multiple = Needs::one(rest.negated()?);
            self.add_bound(Some(rest.clone()), Needs::default());
            self.add_bound(rest.negated(), is_multiple.clone());
            self.pending.add(&is_multiple);
            high = high.plus(&quotient.times(&Sum::term(own, times))?)?;
        }
        Some((high, low))
    }

    /// No extent of a block is a multiple of two numbers that have little to do with each other.
    fn is_plausible_multiple(&mut self, whole: &Sum, divisor: &Sum) -> bool {
        let divides = |a: &Sum, b: &Sum| a == b || a.as_constant().zip(b.as_constant()).is_some_and(|(a, b)| a > 0 && b % a == 0);
        let others = || self.multiples.iter().filter(|(known, _)| known == whole).map(|(_, divisor)| divisor);
        let is_plausible = others().all(|other| divides(other, divisor) || divides(divisor, other));
        if is_plausible {
            self.multiples.push((whole.clone(), divisor.clone()));
        }
        is_plausible
    }

    /// Quotient and remainder.
    ///
    /// The digits of `a` that the divisor divides go to the quotient as they are: `(m * h + l) / m` is `h + l / m`. A variable that only one
    /// thread has is replaced by its two digits.
    fn divide(&mut self, a: &Sum, divisor: &Sum) -> Option<(Sum, Sum)> {
        if let (Some(a), Some(m)) = (a.as_constant(), divisor.as_constant()) {
            return (m > 0).then(|| (Sum::constant(a.div_euclid(m)), Sum::constant(a.rem_euclid(m))));
        }
        divisor.terms().all(|(product, _)| product.is_shared()).then_some(())?;
        let (high, low) = a.split(divisor);
        if self.is_remainder(&low, divisor)? {
            return Some((high, low));
        }
        let (more, low) = self.multiples(&low, divisor)?;
        let high = high.plus(&more)?;
        if !more.is_zero() && self.is_remainder(&low, divisor)? {
            return Some((high, low));
        }
        // What is divided must be a natural number: the low part need not be one.
        let is_natural = low.terms().all(|(_, x)| x > 0);
        if !is_natural && !more.is_zero() {
            return None;
        }
        let (high, low) = if is_natural { (high, low) } else { (Sum::default(), a.clone()) };
        let side = self.variables.side_of(&low);
        let ceiling = |sum: &Sum| u64::try_from(-self.prover(NOTHING).least_by_ceilings(&sum.negated()?)?).ok();
        // A quotient is at most the dividend, as no division by 0 continues.
        let least_divisor = divisor.as_constant().and_then(|divisor| u64::try_from(divisor).ok()).unwrap_or(1).max(1);
        let ceilings = (
            ceiling(&low).filter(|most| *most < u64::MAX).map_or(u64::MAX, |most| most / least_divisor),
            divisor.plus_constant(-1).and_then(|most| ceiling(&most)).unwrap_or(u64::MAX),
        );
        let quotient_variable = self.variables.quotient(&low, divisor, side, ceilings.0)?;
        let quotient = Sum::variable(quotient_variable);
        let rest = low.minus(&quotient.times(divisor)?)?;
        let remainder = match side {
            Side::Both => rest.clone(),
            _ => Sum::variable(self.variables.variable(Quantity::Remainder(low.clone(), divisor.clone()), side, ceilings.1)?),
        };
        if self.defined.insert(quotient_variable) {
            // The division was not by zero.
            let most = divisor.plus_constant(-1)?;
            self.add_bound(Some(most.clone()), Needs::default());
            self.add_bound(most.minus(&remainder), Needs::default());
            self.add_bound(Some(remainder.clone()), Needs::default());
            if rest != remainder {
                self.add_bound(most.minus(&rest), Needs::default());
                self.add_bound(rest.minus(&remainder), Needs::default());
            }
            match low.as_variable() {
                Some(variable) if side != Side::Both => self.substitute(variable, &quotient.times(divisor)?.plus(&remainder)?)?,
                _ if side != Side::Both => self.equations.push(rest.minus(&remainder)?),
                _ => {}
            }
        }
        Some((high.plus(&quotient)?, remainder))
    }

    /// Whether `low` is a natural number below `divisor`.
    fn is_remainder(&mut self, low: &Sum, divisor: &Sum) -> Option<bool> {
        let prover = self.prover(NOTHING);
        let below = divisor.plus_constant(-1)?.minus(low)?;
        let needs = prover.not_negative(low).zip(prover.not_negative(&below));
        let is_remainder = needs.is_some();
        needs.into_iter().for_each(|(first, second)| self.pending.add(&first.and(&second)));
        Some(is_remainder)
    }

    /// `sum` in terms of what is not solved.
    pub(super) fn resolve(&self, sum: &Sum) -> Option<Sum> {
        let solved: Vec<Variable> = sum.variables().filter(|variable| self.solved.get(variable).is_some()).collect();
        solved.into_iter().try_fold(sum.clone(), |sum, variable| sum.substitute(variable, &self.solved[&variable]))
    }

    /// Puts `value` in place of `variable` everywhere.
    pub(super) fn substitute(&mut self, variable: Variable, value: &Sum) -> Option<()> {
        let rewrite = |sum: &mut Sum| {
            if sum.mentions(variable) {
                *sum = sum.substitute(variable, value)?;
            }
            Some(())
        };
        // That the variable was a natural number.
        if value.terms().any(|(_, coefficient)| coefficient < 0) {
            self.bounds.add(Bound { sum: value.clone(), needs: Needs::default() });
        }
        // A bound that gets too long is forgotten.
        self.bounds.change(|bound| {
            let is_kept = rewrite(&mut bound.sum).is_some();
            tighten(&mut bound.sum);
            is_kept
        });
        self.apart.retain_mut(|bound| rewrite(&mut bound.sum).is_some());
        self.solved.values_mut().try_for_each(rewrite)?;
        self.solved.insert(variable, value.clone());
        Some(())
    }

    /// Adds what this thread has in the iteration after that of `earlier`, where that is an integer on all launches.
    ///
    /// The block agrees on it: so it is made of what the earlier iteration has, and of what is common.
    pub(super) fn advance(&mut self, earlier: &mut System<'v>, advance: &Advance) {
        let Some(next) = advance.next.as_ref().filter(|next| self.variables.is_of_iteration(next, &advance.symbol)) else { return };
        let sides = self.exact(&NormalForm::symbol(advance.symbol.clone())).zip(earlier.exact(next));
        if let Some(((own, needs), (next, more))) = sides
            && needs.and(&more).is_empty()
        {
            self.equations.extend(own.minus(&next));
        }
    }

    /// What is known of both threads.
    pub(super) fn and(&self, other: &System<'v>) -> System<'v> {
        let mut both = self.clone();
        other.bounds.iter().for_each(|bound| both.bounds.add(bound.clone()));
        both.equations.extend(other.equations.iter().cloned());
        both.apart.extend(other.apart.iter().cloned());
        both.solved.extend(other.solved.clone());
        both.needs.add(&other.needs);
        both.draws.extend(other.draws.iter().cloned());
        both
    }
}

/// The result of two integers, unless it gets too large.
type Combine = fn(&Sum, &Sum) -> Option<Sum>;

/// How the integers of an operation of so many operands are combined that has this result where it is a natural number up to the second one.
/// (The word of a negative integer is larger.)
fn operation_in_32_bits(name: &OperationName, operands: usize) -> Option<(Combine, i128)> {
    let most = [(Scalar::U32, u32::MAX.into()), (Scalar::I32, i32::MAX.into())];
    most.into_iter().find_map(|(scalar, most)| {
        let from = [Scalar::Usize, Scalar::U64, Scalar::Isize, Scalar::I64, Scalar::U32, Scalar::I32];
        let is_sum = name.is(IntegerOperation::Sum, scalar) || from.into_iter().any(|from| name.is_conversion(from, scalar));
        let is_product = name.is(IntegerOperation::Product, scalar) && operands == 2;
        let combine: Combine = if is_product { Sum::times } else { Sum::plus };
        (is_sum || is_product).then_some((combine, most))
    })
}

/// `4 * x - 6 >= 0` is `x - 2 >= 0`, because `x` is an integer.
fn tighten(sum: &mut Sum) {
    let divisor = sum.divisor();
    if divisor > 1 {
        *sum = sum.divided_by_number(divisor);
    }
}
