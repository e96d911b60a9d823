//! The meaning of every operation, compared with Rust for all values of the operands.
//!
//! The walk says much of an expression: which integers it can be, how it came about, that it is equal to another one, which facts hold where a
//! condition is true. Each of these statements is about words, so it is either true of all of them or not. The operations come from the tables
//! of the language, in [`rust`] each has the meaning that Rust gives it, and [`claims`] compares. With 8 bits, that is for all values of
//! both operands; with more, for those at which something happens.
//!
//! ```text
//! GPU_MACROS_EFFORT=2000 cargo test --release -p gpu-macros --lib semantics -- --include-ignored
//! ```
//!
//! compares all combinations of two operations instead of some.

mod claims;
mod rust;
mod terms;

use super::effort;
use super::generate::Random;
use crate::model::*;
use claims::{Operands, Probe, Tally, compare};
use terms::{TermId, Terms};

const INTEGERS: [Scalar; 10] =
    [Scalar::I8, Scalar::U8, Scalar::I16, Scalar::U16, Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64, Scalar::Isize, Scalar::Usize];

/// How many values of the operands are compared at a time.
const ROWS: usize = 4096;

fn word(scalar: Scalar, number: i128) -> u64 {
    let mask = (1i128 << scalar.bits()) - 1;
    let low = number & mask;
    let is_negative = scalar.is_signed_integer() && low >> (scalar.bits() - 1) == 1;
    (if is_negative { low - mask - 1 } else { low }) as u64
}

/// Words at which something happens to integers of this type.
fn edges(scalar: Scalar) -> Vec<u64> {
    let bits = i128::from(scalar.bits());
    let half = 1i128 << (bits / 2);
    let top = 1i128 << (bits - 1);
    let numbers = [
        0,
        1,
        2,
        3,
        5,
        7,
        8,
        bits - 1,
        bits,
        bits + 1,
        half - 1,
        half,
        half + 1,
        top - 2,
        top - 1,
        top,
        top + 1,
        -1,
        -2,
        -3,
        -7,
        -8,
        -half,
    ];
    let mut words: Vec<u64> = numbers.into_iter().map(|number| word(scalar, number)).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Amounts to shift by.
fn amounts(scalar: Scalar) -> Vec<u64> {
    let bits = u64::from(scalar.bits());
    let mut amounts = vec![0, 1, 2, 3, bits / 2, bits - 1, bits, bits + 1, 2 * bits - 1, 2 * bits, 31, 32, 63, 64, u64::from(u32::MAX)];
    amounts.sort_unstable();
    amounts.dedup();
    amounts
}

/// Values of these variables: of 8 bits all (of the second one some in a usual run), else those at which something happens.
fn operands(scalar: Scalar, [_, has_second, has_amount]: [bool; 3], all: bool) -> Vec<Operands> {
    let edges = edges(scalar);
    let every = |step: usize| (0..256).step_by(step).map(|number| word(scalar, number));
    let (first, second): (Vec<u64>, Vec<u64>) = match all && scalar.bits() == 8 {
        true => (every(1).collect(), every(one_in(50)).chain(edges.iter().copied()).collect()),
        false => (edges.clone(), edges.clone()),
    };
    let amounts = if has_amount { amounts(scalar) } else { vec![1] };
    let second = |a: u64| if has_second { second.clone() } else { vec![a] };
    let pairs = first.iter().flat_map(|a| second(*a).into_iter().map(|b| [*a, b]));
    let rows: Vec<[u64; 3]> = pairs.flat_map(|[a, b]| amounts.iter().map(move |s| [a, b, *s])).collect();
    rows.chunks(ROWS).map(|rows| [0, 1, 2].map(|column| rows.iter().map(|row| row[column]).collect())).collect()
}

fn arithmetic() -> impl Iterator<Item = BinaryOp> {
    BinaryOp::ALL.into_iter().filter(|op| !op.is_comparison() && !op.is_shift() && !op.is_order())
}

fn shifts() -> impl Iterator<Item = BinaryOp> {
    BinaryOp::ALL.into_iter().filter(|op| op.is_shift())
}

fn comparisons() -> impl Iterator<Item = BinaryOp> {
    BinaryOp::ALL.into_iter().filter(|op| op.is_comparison())
}

/// Every operation of the tables on the variables and numbers.
fn all_operations(terms: &mut Terms, scalar: Scalar) {
    let numbers: Vec<TermId> = edges(scalar).into_iter().map(|word| terms.number(scalar, word)).collect();
    let amounts: Vec<TermId> = amounts(scalar).into_iter().map(|word| terms.number(Scalar::U32, word)).collect();
    let (a, b) = (Terms::A, Terms::B);
    for op in arithmetic().chain(comparisons()).chain(BinaryOp::ALL.into_iter().filter(|op| op.is_order())) {
        terms.binary(op, a, b);
        terms.binary(op, b, a);
        terms.binary(op, a, a);
        for number in &numbers {
            terms.binary(op, a, *number);
            terms.binary(op, *number, a);
        }
    }
    for op in shifts() {
        for amount in amounts.iter().chain(&[Terms::AMOUNT, b]).chain(&numbers) {
            terms.binary(op, a, *amount);
        }
        terms.binary(op, numbers[1], Terms::AMOUNT);
    }
    for op in [UnaryOp::Negate, UnaryOp::Not] {
        if op == UnaryOp::Not || scalar.is_signed_integer() {
            terms.unary(op, a);
        }
    }
    for to in INTEGERS {
        terms.cast(a, to);
        let condition = terms.binary(BinaryOp::Less, a, b);
        terms.cast(condition, to);
        for number in &numbers {
            terms.cast(*number, to);
        }
    }
    for method in Method::all() {
        let own: Vec<TermId> = match method.args {
            [] => vec![],
            [Operand::U32, ..] => amounts.iter().chain(&[Terms::AMOUNT]).copied().collect(),
            _ => numbers.iter().chain(&[a, b]).copied().collect(),
        };
        match method.args {
            [] => {
                terms.method(method, &[a]);
            }
            [_] => {
                for argument in own {
                    terms.method(method, &[a, argument]);
                }
            }
            [first, second] => {
                let amount = |operand: &Operand, other| if *operand == Operand::U32 { Terms::AMOUNT } else { other };
                terms.method(method, &[a, amount(first, b), amount(second, numbers[3])]);
                terms.method(method, &[a, amount(first, numbers[2]), amount(second, b)]);
                terms.method(method, &[a, amount(first, numbers[1]), amount(second, numbers[4])]);
                terms.method(method, &[a, amount(first, numbers[4]), amount(second, numbers[1])]);
                terms.method(method, &[a, amount(first, b), amount(second, a)]);
            }
            _ => {}
        }
    }
}

fn report(tally: &Tally, least: u64) {
    let Tally { pairs, claims, probes, unknown, failures } = tally;
    println!("{probes} expressions, {pairs} pairs of an operation and operands, {claims} statements, {unknown} not compared");
    let shown: Vec<&String> = failures.iter().take(40).collect();
    assert!(failures.is_empty(), "{} statements are false:\n{shown:#?}", failures.len());
    assert!(*unknown * 50 < *probes, "{unknown} statements were not compared");
    assert!(*pairs >= least, "only {pairs} pairs were compared");
}

#[test]
#[ignore = "brute force, which `.ci/run` does"]
fn what_is_said_of_each_operation_is_what_rust_computes() {
    let mut tally = Tally::default();
    for scalar in INTEGERS {
        let mut terms = Terms::new(scalar);
        all_operations(&mut terms, scalar);
        let probes: Vec<Probe> = terms.ids().map(|term| Probe { conditions: Vec::new(), term }).collect();
        compare(&terms, &probes, &|variables| operands(scalar, variables, true), &mut tally);
    }
    report(&tally, 2_000_000);
}

/// The integers that operations of operations are about.
fn inner_terms(terms: &mut Terms, scalar: Scalar) -> Vec<TermId> {
    let (a, b) = (Terms::A, Terms::B);
    let bits = u64::from(scalar.bits());
    let mut inner = vec![a];
    let number = |terms: &mut Terms, number: i128| terms.number(scalar, word(scalar, number));
    for op in arithmetic() {
        inner.push(terms.binary(op, a, b));
        for constant in [1, 2, 3, 7, -1] {
            let constant = number(terms, constant);
            inner.push(terms.binary(op, a, constant));
        }
    }
    for op in shifts() {
        for amount in [1, bits / 2, bits - 1, bits] {
            let amount = terms.number(Scalar::U32, amount);
            inner.push(terms.binary(op, a, amount));
        }
    }
    for method in
        [Method::Min, Method::Max, Method::SaturatingSub, Method::SaturatingAdd, Method::DivCeil, Method::RemEuclid, Method::AbsDiff]
    {
        for argument in [b, number(terms, 1), number(terms, 7)] {
            inner.extend(terms.method(method, &[a, argument]));
        }
    }
    for to in INTEGERS {
        let narrowed = terms.cast(a, to);
        inner.push(terms.cast(narrowed, scalar));
    }
    let (one, seven) = (number(terms, 1), number(terms, 7));
    inner.extend(terms.method(Method::Clamp, &[a, one, seven]));
    inner.retain(|term| terms.ty(*term) == scalar);
    inner
}

/// Operations of which one operand is another operation.
fn operations_of_operations(scalar: Scalar, random: &mut Random, one_in: usize) -> (Terms, Vec<Probe>) {
    let mut terms = Terms::new(scalar);
    let inner = inner_terms(&mut terms, scalar);
    let bits = i128::from(scalar.bits());
    let numbers: Vec<TermId> = [0, 1, 2, 3, 7, bits - 1, bits, 1 << (bits / 2), 1 << (bits - 1), -1]
        .into_iter()
        .map(|number| terms.number(scalar, word(scalar, number)))
        .collect();
    let amounts: Vec<TermId> = [0, 1, bits / 2, bits - 1, bits, bits + 1].map(|amount| terms.number(Scalar::U32, amount as u64)).into();
    let first = terms.ids().end;
    for x in inner.iter().copied() {
        for op in arithmetic().chain(comparisons()) {
            for y in numbers.iter().chain(&inner).chain(&[Terms::B]) {
                for [x, y] in [[x, *y], [*y, x]] {
                    if random.one_in(one_in) {
                        terms.binary(op, x, y);
                    }
                }
            }
        }
        for (op, amount) in shifts().flat_map(|op| amounts.iter().chain(&[Terms::B]).map(move |amount| (op, *amount))) {
            if random.one_in(one_in.div_ceil(4)) {
                terms.binary(op, x, amount);
            }
        }
        for method in Method::all().filter(|method| method.provider.is_none()) {
            let args: Vec<TermId> = method
                .args
                .iter()
                .map(|operand| if *operand == Operand::U32 { *random.pick(&amounts) } else { *random.pick(&numbers) })
                .collect();
            if random.one_in(one_in.div_ceil(4)) {
                terms.method(method, &[&[x], args.as_slice()].concat());
            }
        }
        for to in INTEGERS {
            if random.one_in(one_in.div_ceil(4)) {
                terms.cast(x, to);
            }
        }
    }
    let probes = (0..first).chain(first..terms.ids().end).map(|term| Probe { conditions: Vec::new(), term }).collect();
    (terms, probes)
}

/// Expressions where one or two comparisons are true, or not.
fn under_conditions(scalar: Scalar, random: &mut Random, one_in: usize) -> (Terms, Vec<Probe>) {
    let mut terms = Terms::new(scalar);
    let inner = inner_terms(&mut terms, scalar);
    let numbers: Vec<TermId> =
        [0, 1, 2, 7, -1].into_iter().map(|number| terms.number(scalar, word(scalar, number))).chain([Terms::A, Terms::B]).collect();
    let mut conditions = Vec::new();
    for op in comparisons() {
        for (x, y) in inner.iter().flat_map(|x| numbers.iter().map(move |y| (*x, *y))) {
            let (x, y) = if random.one_in(2) { (x, y) } else { (y, x) };
            if random.one_in(one_in) {
                conditions.push(terms.binary(op, x, y));
            }
        }
    }
    let mut probes: Vec<Probe> = terms.ids().map(|term| Probe { conditions: Vec::new(), term }).collect();
    for condition in conditions.clone() {
        let other = *random.pick(&conditions);
        let condition = match random.below(6) {
            0 => terms.both(BinaryOp::BitAnd, condition, other),
            1 => terms.both(BinaryOp::BitOr, condition, other),
            2 => terms.binary(BinaryOp::BitAnd, condition, other),
            3 => terms.unary(UnaryOp::Not, condition),
            _ => condition,
        };
        let outer = if random.one_in(2) { Some((other, random.one_in(2))) } else { None };
        let conditions: Vec<(TermId, bool)> = outer.into_iter().chain([(condition, random.one_in(2))]).collect();
        let (x, y) = (*random.pick(&inner), *random.pick(&numbers));
        let op = *random.pick(&[
            BinaryOp::Add,
            BinaryOp::Subtract,
            BinaryOp::Multiply,
            BinaryOp::Divide,
            BinaryOp::ShiftRight,
            BinaryOp::Remainder,
        ]);
        for term in [Terms::A, x, terms.binary(op, x, y), terms.binary(BinaryOp::Subtract, Terms::A, Terms::B)] {
            probes.push(Probe { conditions: conditions.clone(), term });
        }
    }
    (terms, probes)
}

/// One in so many combinations is compared.
fn one_in(usual: usize) -> usize {
    (usual / effort()).max(1)
}

#[test]
fn what_is_said_of_operations_of_operations_is_what_rust_computes() {
    let (mut tally, mut random) = (Tally::default(), Random(0x6a09_e667_f3bc_c908));
    for scalar in INTEGERS {
        let (terms, probes) = operations_of_operations(scalar, &mut random, one_in(6000));
        compare(&terms, &probes, &|variables| operands(scalar, variables, false), &mut tally);
    }
    report(&tally, 50_000);
}

#[test]
fn what_conditions_show_is_true_of_all_operands() {
    let (mut tally, mut random) = (Tally::default(), Random(0xbb67_ae85_84ca_a73b));
    for scalar in INTEGERS {
        let (terms, probes) = under_conditions(scalar, &mut random, one_in(480));
        compare(&terms, &probes, &|variables| operands(scalar, variables, false), &mut tally);
    }
    report(&tally, 50_000);
}

/// `k * (n / b)`, where `k` is a remainder by `b`, or has no bits but those of `b - 1`.
#[test]
#[ignore = "brute force, which `.ci/run` does"]
fn what_is_said_of_products_with_quotients_is_what_rust_computes() {
    let mut tally = Tally::default();
    for scalar in INTEGERS {
        let mut terms = Terms::new(scalar);
        let (a, b) = (Terms::A, Terms::B);
        let [one, seven] = [1, 7].map(|number| terms.number(scalar, word(scalar, number)));
        let is_positive = terms.binary(BinaryOp::Less, one, a);
        let numbers: Vec<TermId> = edges(scalar).into_iter().map(|word| terms.number(scalar, word)).chain([a]).collect();
        for divisor in [b, seven] {
            let last = terms.binary(BinaryOp::Subtract, divisor, one);
            for op in [BinaryOp::Remainder, BinaryOp::BitAnd] {
                let k = terms.binary(op, a, if op == BinaryOp::BitAnd { last } else { divisor });
                for n in &numbers {
                    let quotient = terms.binary(BinaryOp::Divide, *n, divisor);
                    terms.binary(BinaryOp::Multiply, k, quotient);
                    terms.binary(BinaryOp::Multiply, quotient, k);
                }
            }
        }
        let conditions = [Vec::new(), vec![(is_positive, true)]];
        // Of their parts too: what a statement is about must be an expression of its own, to have a value.
        let probes: Vec<Probe> =
            conditions.iter().flat_map(|conditions| terms.ids().map(|term| Probe { conditions: conditions.clone(), term })).collect();
        compare(&terms, &probes, &|variables| operands(scalar, variables, true), &mut tally);
    }
    report(&tally, 300_000);
}

/// `a / b`, where `a` is below a product of which `b` is a factor.
#[test]
#[ignore = "brute force, which `.ci/run` does"]
fn what_is_said_of_quotients_below_products_is_what_rust_computes() {
    let mut tally = Tally::default();
    for scalar in INTEGERS {
        let mut terms = Terms::new(scalar);
        let (a, b) = (Terms::A, Terms::B);
        let [two, seven] = [2, 7].map(|number| terms.number(scalar, word(scalar, number)));
        let mut conditions = vec![Vec::new()];
        for [x, y] in [[b, seven], [seven, b], [b, b], [two, b], [b, a]] {
            let product = terms.binary(BinaryOp::Multiply, x, y);
            for op in [BinaryOp::Less, BinaryOp::LessEqual, BinaryOp::NotEqual] {
                conditions.push(vec![(terms.binary(op, a, product), true)]);
            }
        }
        for divisor in [b, two, seven] {
            let quotient = terms.binary(BinaryOp::Divide, a, divisor);
            for op in [BinaryOp::Add, BinaryOp::Multiply, BinaryOp::Subtract] {
                terms.binary(op, quotient, two);
                terms.binary(op, b, quotient);
            }
        }
        let probes: Vec<Probe> =
            conditions.iter().flat_map(|conditions| terms.ids().map(|term| Probe { conditions: conditions.clone(), term })).collect();
        compare(&terms, &probes, &|variables| operands(scalar, variables, false), &mut tally);
    }
    report(&tally, 300_000);
}
