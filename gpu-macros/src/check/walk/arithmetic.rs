//! The values of arithmetic and of methods of integers.
//!
//! A value's form is its integer modulo 2^64, and so is the sum, difference or product of two forms: of the integers of a 64-bit type, signed
//! or not, always, and of a narrower type where the integers show that nothing overflows. What is divided, shifted to the right or
//! compared must be natural numbers, which is what the [`Interval`] of a value says. Everything else only has a name.

use super::constants::quotient;
use super::walker::Walker;
use crate::check::prove::point::is_at_most;
use crate::check::values::form::{NormalForm, Symbol, Uniformity};
use crate::check::values::interval::Interval;
use crate::check::values::operation::{IntegerOperation, name_of};
use crate::check::values::type_name::name_of_result;
use crate::check::values::value::{Exact, Kind, Node, Value};
use crate::check::walk::effects::Requirement;
use crate::check::walk::facts::{Fact, Relation};
use crate::model::*;

/// Polynomials of more factors than this are not multiplied: most products of them are too large to be kept.
const MOST_FACTORS: usize = 1000;

impl<'f> Walker<'f> {
    /// Which integers `value` can be here.
    pub(crate) fn interval(&self, value: &Value) -> Interval {
        self.facts.interval(value)
    }

    /// `a op b` of the integer type `scalar`. (What it is shifted by may have another type.)
    pub(crate) fn arithmetic(&mut self, op: BinaryOp, scalar: Scalar, a: Value, b: Value) -> Value {
        if matches!(op, BinaryOp::Divide | BinaryOp::Remainder) {
            [&a, &b].into_iter().for_each(|operand| self.take_as_natural(operand, scalar));
        }
        let operation = Operation::new(self, op, scalar, a, b);
        match op {
            BinaryOp::Add => self.sum(&operation),
            BinaryOp::Multiply => self.product(&operation),
            BinaryOp::Subtract => self.difference(&operation),
            BinaryOp::Divide => self.quotient(&operation),
            BinaryOp::Remainder => self.remainder(&operation),
            BinaryOp::BitAnd => {
                // The lowest bits.
                if let Some(divisor) = operation.number.and_then(|mask| mask.checked_add(1)).filter(|divisor| divisor.is_power_of_two())
                    && operation.is_natural()
                {
                    let [a, _] = operation.operands;
                    return self.arithmetic(BinaryOp::Remainder, scalar, a, Node::number(divisor));
                }
                if let Some(masked) = self.below_power(&operation) {
                    return masked;
                }
                let most = operation.integers.iter().filter(|integers| integers.least >= 0).map(|integers| integers.most).min();
                let range = most.map_or(operation.range, |most| Interval { least: 0, most });
                self.named(&operation, Kind::AtMost(operation.operands.to_vec()), range)
            }
            // All bits that the first may have, the other way round.
            BinaryOp::BitXor if operation.is_below_ones() => {
                let [a, ones] = operation.operands;
                self.arithmetic(BinaryOp::Subtract, scalar, ones, a)
            }
            BinaryOp::BitOr | BinaryOp::BitXor => {
                let range = operation.natural().map_or(operation.range, |[a, b]| Interval::up_to(all_ones(a.most.max(b.most))));
                self.named(&operation, operation.at_most_sum(), range)
            }
            // Each is the other operation, with the name of that one: a name and operands that are not its own could be those of another
            // word.
            BinaryOp::ShiftLeft => match operation.power() {
                Some(power) => {
                    let [a, _] = operation.operands;
                    self.arithmetic(BinaryOp::Multiply, scalar, a, power)
                }
                None => self.named(&operation, Kind::Unknown, operation.shifted().unwrap_or(operation.range)),
            },
            BinaryOp::ShiftRight => match operation.power().filter(|_| operation.is_natural()) {
                Some(power) => {
                    let [a, _] = operation.operands;
                    self.arithmetic(BinaryOp::Divide, scalar, a, power)
                }
                None => self.at_most_first(&operation),
            },
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterEqual
            | BinaryOp::PartialOrder
            | BinaryOp::TotalOrder => self.named(&operation, Kind::Unknown, operation.range),
        }
    }

    fn sum(&mut self, operation: &Operation) -> Value {
        let [a, b] = &operation.operands;
        let integers = operation.integers[0].plus(operation.integers[1]);
        let exact = exactness(operation.is_natural() && integers.is_natural());
        self.ring(operation, Kind::Sum { of: [a.clone(), b.clone()], exact }, a.form.plus(&b.form), Some(integers))
    }

    fn product(&mut self, operation: &Operation) -> Value {
        let [a, b] = &operation.operands;
        let mut integers = operation.integers[0].times(operation.integers[1]);
        let exact = exactness(operation.is_natural() && integers.is_some_and(Interval::is_natural));
        let mut kind = Kind::Product { of: [a.clone(), b.clone()], exact };
        if let Some(most) = self.most_of_share(operation).or_else(|| self.most_of_blocks(operation)) {
            let of_share = Interval { least: 0, ..self.interval(&most) };
            integers = Some(integers.map_or(of_share, |integers| integers.meet(of_share)));
            kind = Kind::AtMost(vec![most]);
        }
        let form = match a.form.size() * b.form.size() <= MOST_FACTORS {
            true => a.form.times(&b.form),
            false => self.fresh(a.spread.max(b.spread), operation.range).form.clone(),
        };
        self.ring(operation, kind, form, integers)
    }

    /// `n - 1`, where the operation is `k * (n / h)` with `k < h`, and `n` is not 0. The product is at most that: 0 if the quotient `q` is 0,
    /// and else at most `(h - 1) * q`, which is at most `n - q`.
    fn most_of_share(&mut self, operation: &Operation) -> Option<Value> {
        operation.natural()?;
        let [a, b] = &operation.operands;
        let (k, n, h) = [(a, b), (b, a)].into_iter().find_map(|(k, share)| match &share.kind {
            Kind::Quotient(n, h) => Some((k, n.clone(), h.clone())),
            _ => None,
        })?;
        let is_positive = self.interval(&n).is_natural() && self.interval(&n).least > 0;
        // The division was not by 0.
        let last = self.arithmetic(BinaryOp::Subtract, Scalar::Usize, h, Node::number(1));
        let is_share = is_positive && is_at_most(k, &last, &self.facts);
        is_share.then(|| self.arithmetic(BinaryOp::Subtract, Scalar::Usize, n, Node::number(1)))
    }

    /// `(2 * c - 1) * t`, where the operation is `t / (l / c) * l`. With `h` for `l / c`, which is not 0, `l` is at most `c * h + c - 1`, so at most
    /// `(2 * c - 1) * h`, and the product of `t / h` and `h` is at most `t`.
    fn most_of_blocks(&mut self, operation: &Operation) -> Option<Value> {
        operation.natural()?;
        let [a, b] = &operation.operands;
        let (t, c) = [(a, b), (b, a)].into_iter().find_map(|(blocks, length)| {
            let Kind::Quotient(t, h) = &blocks.kind else { return None };
            let Kind::Quotient(of, c) = &h.kind else { return None };
            (of.form == length.form).then(|| Some((t.clone(), c.form.as_constant()?)))?
        })?;
        let most = i128::from(c.checked_mul(2)?.checked_sub(1)?);
        let does_not_wrap = self.interval(&t).most.checked_mul(most)? <= u64::MAX.into();
        does_not_wrap.then(|| self.arithmetic(BinaryOp::Multiply, Scalar::Usize, t, Node::number(2 * c - 1)))
    }

    fn difference(&mut self, operation: &Operation) -> Value {
        let [a, b] = &operation.operands;
        // Without what is left, it is a multiple of the divisor.
        if let Kind::Remainder(dividend, divisor) = &b.kind
            && (&dividend.form, divisor.form.as_constant().is_some(), operation.is_natural()) == (&a.form, true, true)
        {
            let quotient = self.arithmetic(BinaryOp::Divide, operation.scalar, a.clone(), divisor.clone());
            return self.arithmetic(BinaryOp::Multiply, operation.scalar, quotient, divisor.clone());
        }
        let mut integers = operation.integers[0].minus(operation.integers[1]);
        let exact = operation.is_natural() && (integers.least >= 0 || is_at_most(b, a, &self.facts));
        if exact {
            integers.least = integers.least.max(0);
        }
        self.ring(operation, Kind::Difference { of: [a.clone(), b.clone()], exact }, a.form.minus(&b.form), Some(integers))
    }

    /// The result of an operation that is one of the ring, of `integers` unless it overflows.
    fn ring(&mut self, operation: &Operation, kind: Kind, form: NormalForm, integers: Option<Interval>) -> Value {
        let integers = integers.filter(|integers| integers.least <= integers.most);
        let fits = integers.is_some_and(|integers| integers.is_within(operation.range));
        let is_taken = !fits && integers.is_some_and(|integers| self.takes_as_exact(operation.scalar, integers));
        if operation.scalar.is_signed_integer() {
            self.findings.operations.push((self.evaluated, fits || is_taken));
        }
        match integers {
            Some(integers) if fits => self.node(kind, form, integers),
            Some(integers) if is_taken => {
                let unlimited = self.node(kind, form, integers);
                self.exact(unlimited, operation.scalar)
            }
            _ if operation.scalar.bits() == 64 => self.node(kind, form, operation.range),
            // A narrower type wraps earlier: a smaller word, if there is no sign.
            _ => {
                let kind = match kind {
                    _ if !operation.scalar.is_unsigned_integer() => Kind::Unknown,
                    Kind::Sum { of, .. } => Kind::Sum { of, exact: Exact::Unknown },
                    Kind::Product { of, .. } => Kind::Product { of, exact: Exact::Unknown },
                    kind => kind,
                };
                self.named(operation, kind, operation.range)
            }
        }
    }

    /// Of natural numbers, whatever their type: then `t >> 5` and `t / 32` are the same value.
    fn quotient(&mut self, operation: &Operation) -> Value {
        let (Some([a, b]), [dividend, divisor]) = (operation.natural(), &operation.operands) else {
            return self.named(operation, Kind::Unknown, operation.range);
        };
        if a.most < b.least {
            return Node::number(0);
        }
        let by = b.least.max(1);
        let kind = Kind::Quotient(dividend.clone(), divisor.clone());
        let least = if divisor.form.as_constant().is_some() { a.least / by } else { 0 };
        let range = Interval { least, most: a.most / by };
        let value = match operation.number.filter(|number| *number > 0).and_then(|number| quotient(&dividend.form, number)) {
            Some(form) => self.node(kind, form, range),
            None => {
                let is_one = operation.number.is_some_and(|number| self.is_one_in_warps(&dividend.form, number));
                let spread = dividend.spread.max(divisor.spread).min(if is_one { Uniformity::Warp } else { Uniformity::Thread });
                self.operation_of(spread, kind, IntegerOperation::Quotient.of(Scalar::Usize), &[dividend, divisor], range)
            }
        };
        // Of `a < b * c`, where the product may have wrapped around to less, follows `a / b < c`. With names for derived quantities, the digits say
        // as much, and ask for less.
        if self.names_quantities {
            return value;
        }
        let is_limit = |fact: &&Fact| fact.relation == Relation::Less && fact.left.form == dividend.form;
        let others: Vec<Value> = self.facts.iter().filter(is_limit).filter_map(|fact| other_factor(&fact.right, divisor)).collect();
        for other in others {
            self.facts.add(&value, Relation::Less, &other);
        }
        value
    }

    /// The same.
    fn remainder(&mut self, operation: &Operation) -> Value {
        let (Some([a, b]), [dividend, divisor]) = (operation.natural(), &operation.operands) else {
            return self.named(operation, Kind::Unknown, operation.range);
        };
        if a.most < b.least {
            return dividend.clone();
        }
        let range = Interval { least: 0, most: a.most.min((b.most - 1).max(0)) };
        self.operation(
            Kind::Remainder(dividend.clone(), divisor.clone()),
            IntegerOperation::Remainder.of(Scalar::Usize),
            &[dividend, divisor],
            range,
        )
    }

    /// What is at most the first operand.
    fn at_most_first(&mut self, operation: &Operation) -> Value {
        match operation.natural() {
            Some([a, _]) => self.named(operation, Kind::AtMost(vec![operation.operands[0].clone()]), Interval { least: 0, ..a }),
            None => self.named(operation, Kind::Unknown, operation.range),
        }
    }

    /// The result of an operation that is no polynomial.
    fn named(&mut self, operation: &Operation, kind: Kind, range: Interval) -> Value {
        let [a, b] = &operation.operands;
        self.operation(kind, operation.name.clone(), &[a, b], range)
    }

    pub(crate) fn method(&mut self, expr: &'f Expr, method: Method, receiver: &'f Expr, args: &'f [Expr]) -> Value {
        if method.receiver == Receiver::Array {
            let length = self.length_of(receiver);
            if method == Method::Len {
                return length;
            }
            let is_zero = Kind::Compare(BinaryOp::Equal, length.clone(), Node::number(0));
            return self.operation(is_zero, method.name.to_owned(), &[&length], Interval::up_to(1));
        }
        let a = self.expr(receiver);
        let site = if let ExprKind::Method { site, .. } = expr.kind { site } else { None };
        // An `Option` or a tuple of integers is one of bits.
        let of_integer = receiver.ty.as_scalar().filter(|scalar| scalar.is_integer());
        let result = of_integer.map_or(expr.ty.clone(), Type::Scalar);
        let name = name_of_result(std::iter::once(receiver).chain(args).map(|operand| &operand.ty), method.name, &result);
        let args: Vec<Value> = args.iter().map(|arg| self.expr(arg)).collect();
        if !receiver.ty.is_scalar() {
            return self.result_of_function(&expr.ty);
        }
        let range = Interval::of_type(expr.ty.as_scalar());
        if let (Some(scalar), Some(site), Method::Clamp, [least, most]) = (of_integer, site, method, args.as_slice()) {
            self.require_order(site, scalar, least, most);
        }
        if let Some(scalar) = of_integer
            && let Some(value) = self.integer_method(method, scalar, &a, &args)
        {
            return value;
        }
        let operands: Vec<&Value> = std::iter::once(&a).chain(&args).collect();
        self.operation(Kind::Unknown, name, &operands, range)
    }

    /// What a method returns whose result is compared with its operands.
    fn integer_method(&mut self, method: Method, scalar: Scalar, a: &Value, args: &[Value]) -> Option<Value> {
        let unsigned = scalar.is_unsigned_integer();
        match (method, args) {
            (Method::Min, [b]) => return Some(self.minimum(scalar, a, b)),
            (Method::Max, [b]) => return Some(self.maximum(scalar, a, b)),
            (Method::Clamp, [least, most]) => return Some(self.clamped(scalar, a, least, most)),
            (Method::TrailingZeros, _) if scalar.bits() == 64 && a.spread == Uniformity::Launch => {
                return Self::trailing_zeros(a).or_else(|| Some(self.number_of_bits(method, scalar, a)));
            }
            (
                Method::CountOnes
                | Method::CountZeros
                | Method::LeadingZeros
                | Method::TrailingZeros
                | Method::LeadingOnes
                | Method::TrailingOnes,
                _,
            ) => return Some(self.number_of_bits(method, scalar, a)),
            (Method::WrappingAdd | Method::WrappingSub | Method::WrappingMul, _) => {}
            // With a positive divisor, the result is not negative.
            (Method::RemEuclid, [b]) if !unsigned && self.interval(b).least >= 1 => {
                let most = self.interval(b).most - 1;
                let kind = Kind::Remainder(a.clone(), b.clone());
                return Some(self.operation(kind, name_of(scalar, method.name), &[a, b], Interval { least: 0, most }));
            }
            _ if !unsigned => return None,
            _ => {}
        }
        let operation = |walker: &Self, b: &Value| Operation::new(walker, BinaryOp::Add, scalar, a.clone(), b.clone());
        let name = || name_of(scalar, method.name);
        match (method.unsigned, args) {
            (UnsignedResult::Operator(operator), [b]) => Some(self.arithmetic(operator, scalar, a.clone(), b.clone())),
            (UnsignedResult::AtMost(limit), [first, ..]) => {
                let (Interval { most, .. }, b) = (self.interval(a), self.interval(first));
                let kind = match (limit, method) {
                    (_, Method::SaturatingSub) => Kind::Excess(a.clone(), first.clone()),
                    (_, Method::DivCeil) => Kind::RoundedUp(a.clone(), first.clone()),
                    (AtMost::Receiver, _) => Kind::AtMost(vec![a.clone()]),
                    (AtMost::Either, _) => Kind::AtMost(vec![a.clone(), first.clone()]),
                    (AtMost::LastArgument, _) => Kind::AtMost(args.last().into_iter().cloned().collect()),
                    (AtMost::Sum, _) => operation(self, first).at_most_sum(),
                    (AtMost::Product, _) => Kind::Product { of: [a.clone(), first.clone()], exact: Exact::Unknown },
                };
                let range = match limit {
                    _ if method == Method::SaturatingSub => Interval { least: 0, most: (most - b.least).max(0) },
                    AtMost::Receiver | AtMost::Either => Interval { least: 0, most },
                    _ => Interval::of_type(Some(scalar)),
                };
                let operands: Vec<&Value> = std::iter::once(a).chain(args).collect();
                Some(self.operation(kind, name(), &operands, range))
            }
            _ => None,
        }
    }

    /// What counts some of the bits of `a`.
    fn number_of_bits(&mut self, method: Method, scalar: Scalar, a: &Value) -> Value {
        self.operation(Kind::Unknown, name_of(scalar, method.name), &[a], Interval::up_to(scalar.bits().into()))
    }

    /// The number of trailing zeros of a word that the host knows: it can count them too, so it may compare the number with others.
    fn trailing_zeros(word: &Value) -> Option<Value> {
        let Atom::Word(sum) = word.form.to_word()? else { return None };
        Some(Node::symbol(Symbol::launch(Atom::TrailingZeros(sum), u64::BITS.into())))
    }

    fn minimum(&mut self, scalar: Scalar, a: &Value, b: &Value) -> Value {
        let [x, y] = [self.interval(a), self.interval(b)];
        if x.most <= y.least || a.form == b.form {
            return a.clone();
        }
        if y.most <= x.least {
            return b.clone();
        }
        let range = Interval { least: x.least.min(y.least), most: x.most.min(y.most) };
        let kind = if range.least >= 0 { Kind::Minimum([a.clone(), b.clone()]) } else { self.one_of_signed(scalar, [a, b], [a, b]) };
        self.operation(kind, IntegerOperation::Minimum.of(scalar), &[a, b], range)
    }

    fn maximum(&mut self, scalar: Scalar, a: &Value, b: &Value) -> Value {
        let [x, y] = [self.interval(a), self.interval(b)];
        let range = Interval { least: x.least.max(y.least), most: x.most.max(y.most) };
        let natural = x.least >= 0 && y.least >= 0;
        let kind = if natural { Kind::Maximum([a.clone(), b.clone()]) } else { self.one_of_signed(scalar, [b, a], [a, b]) };
        self.operation(kind, IntegerOperation::Maximum.of(scalar), &[a, b], range)
    }

    /// The first of `values` where `low <= high`, and else the second one.
    fn one_of_signed(&mut self, scalar: Scalar, [low, high]: [&Value; 2], values: [&Value; 2]) -> Kind {
        let in_order = self.comparison(BinaryOp::LessEqual, [&Type::Scalar(scalar); 2], low, high);
        let in_order = Node::within(in_order, NormalForm::default(), Interval::up_to(1));
        let alternatives = [true, false].into_iter().zip(values).map(|(truth, value)| {
            let mut facts = self.facts.clone();
            facts.assume(&in_order, truth);
            (value.clone(), facts.since(&self.facts))
        });
        Kind::OneOf(alternatives.collect())
    }

    /// `a.clamp(least, most)`, where `least <= most`: the thread has ended otherwise.
    fn clamped(&mut self, scalar: Scalar, a: &Value, least: &Value, most: &Value) -> Value {
        let in_order = self.comparison(BinaryOp::LessEqual, [&Type::Scalar(scalar); 2], least, most);
        let in_order = self.operation(in_order, "in order".to_owned(), &[least, most], Interval::up_to(1));
        self.facts.assume(&in_order, true);
        let range = Interval { least: self.interval(least).least, most: self.interval(most).most };
        if range.least < 0 {
            return self.operation(Kind::Unknown, name_of(scalar, Method::Clamp.name), &[a, least, most], range);
        }
        if self.interval(a).least >= 0 {
            let raised = self.maximum(scalar, a, least);
            return self.minimum(scalar, &raised, most);
        }
        self.operation(Kind::AtMost(vec![most.clone()]), name_of(scalar, Method::Clamp.name), &[a, least, most], range)
    }
}

/// What operations need that fail otherwise.
impl Walker<'_> {
    /// That `divisor` is not 0, and if it has a sign, positive: so the quotient does not overflow. Nothing of a constant, which CUDA C knows.
    pub(super) fn require_divisor(&mut self, site: SiteId, scalar: Scalar, divisor: &Value) {
        let is_passed = |atom: &Atom| !matches!(atom, Atom::Constant(_) | Atom::Word(_) | Atom::Quotient(_));
        match divisor.form.to_quantity().or_else(|| divisor.form.to_word().map(Polynomial::atom)) {
            Some(quantity) if !quantity.any(&is_passed) => {}
            Some(quantity) if scalar.is_unsigned_integer() => self.require(site, Node::number(0), quantity),
            _ => self.require_order(site, scalar, &Node::number(1), divisor),
        }
    }

    /// That `least <= most`, where `least` is a number: what `most` is more than that is natural. No other difference of these types is, as a word.
    fn require_order(&mut self, site: SiteId, scalar: Scalar, least: &Value, most: &Value) {
        let Some(number) = least.form.as_constant() else { return };
        let largest = Interval::of_type(Some(scalar)).most;
        let limit = largest + 1 - if scalar.is_signed_integer() { number.cast_signed().into() } else { i128::from(number) };
        self.require(site, Node::new(Kind::Unknown, most.form.minus(&least.form)), Polynomial::constant(limit));
    }

    fn require(&mut self, site: SiteId, value: Value, limit: Polynomial) {
        self.findings.requirements.push(Requirement { site, value, limit, facts: self.facts.clone() });
    }
}

/// An operator, its operands, and what is known of them where it is evaluated.
pub(super) struct Operation {
    pub(super) scalar: Scalar,
    name: String,
    pub(super) operands: [Value; 2],
    integers: [Interval; 2],
    /// Every integer of the type.
    range: Interval,
    /// The second operand, where it is a literal.
    number: Option<u64>,
}

impl Operation {
    fn new(walker: &Walker<'_>, op: BinaryOp, scalar: Scalar, a: Value, b: Value) -> Operation {
        let range = Interval::of_type(Some(scalar));
        let of_b = if op.is_shift() { Interval::ANY } else { range };
        let integers = [walker.interval(&a).meet(range), walker.interval(&b).meet(of_b)];
        let number = b.form.as_constant();
        Operation { scalar, name: name_of(scalar, op.symbol()), operands: [a, b], integers, range, number }
    }

    /// The integers, where none is negative.
    fn natural(&self) -> Option<[Interval; 2]> {
        self.integers.iter().all(|integers| integers.is_natural()).then_some(self.integers)
    }

    pub(super) fn is_natural(&self) -> bool {
        self.natural().is_some()
    }

    /// Whether the second operand is a literal with all bits that the first one may have, and no others above 0.
    fn is_below_ones(&self) -> bool {
        let ones = self.number.filter(|number| number.checked_add(1).is_some_and(u64::is_power_of_two));
        self.is_natural() && ones.is_some_and(|ones| self.integers[0].most <= ones.into())
    }

    /// Two to the power of the amount that it shifts by, where that is a literal that keeps some bits.
    fn power(&self) -> Option<Value> {
        self.number.filter(|bits| *bits < self.scalar.bits().into()).map(|bits| Node::number(1 << bits))
    }

    /// The integers of `a << b`, if no bit is lost.
    fn shifted(&self) -> Option<Interval> {
        let [a, b] = self.natural()?;
        let shift = |number: i128, by: i128| (by < self.scalar.bits().into()).then(|| number << by);
        let shifted = Interval { least: shift(a.least, b.least)?, most: shift(a.most, b.most)? };
        shifted.is_within(self.range).then_some(shifted)
    }

    fn at_most_sum(&self) -> Kind {
        Kind::Sum { of: self.operands.clone(), exact: Exact::Unknown }
    }
}

/// By what `factor` is multiplied in `product`.
fn other_factor(product: &Value, factor: &Value) -> Option<Value> {
    let Kind::Product { of: [a, b], .. } = &product.kind else { return None };
    [(a, b), (b, a)].into_iter().find(|(a, _)| a.form == factor.form).map(|(_, other)| other.clone())
}

/// Of the sum or product of words, `always` if it cannot reach 2^64.
fn exactness(always: bool) -> Exact {
    if always { Exact::Always } else { Exact::UnlessItWraps }
}

/// The number of as many bits as `number`, all of them 1.
fn all_ones(number: i128) -> u64 {
    let bits = 128 - number.leading_zeros();
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}
