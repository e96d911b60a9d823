//! What the walk says of expressions, compared with what Rust computes for all values of the operands.

use super::rust::Operator;
use super::terms::{Operation, TermId, Terms};
use crate::check::prove::point::{is_at_most, needs_below, needs_below_with_dividends};
use crate::check::tests::kernel;
use crate::check::tests::simulation::Launch;
use crate::check::values::form::{NormalForm, Symbol, SymbolKind};
use crate::check::values::interval::Interval;
use crate::check::values::value::{Exact, Kind, Node, Value};
use crate::check::walk::facts::{Fact, Facts, Relation};
use crate::check::walk::walker::walk_recording;
use crate::model::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

/// An expression that is evaluated where these conditions are `true` or `false`.
pub(super) struct Probe {
    pub(super) conditions: Vec<(TermId, bool)>,
    pub(super) term: TermId,
}

/// Values of the variables: the same number of each. The last one says which threads evaluate the expressions.
pub(super) type Operands = [Vec<u64>; 3];

/// Words, where there is one. Of an expression that is not needed, none.
type Column = Vec<Option<u64>>;

/// The most forms that a claim is about.
const MOST_FORMS: usize = 7;

/// The lengths, besides variables, of which it is asked whether they are larger than a value.
const LENGTHS: [i128; 8] = [1, 2, 8, 100, 128, 255, 256, 1 << 32];

/// What was compared.
#[derive(Default)]
pub(super) struct Tally {
    /// An expression and the values of its variables.
    pub(super) pairs: u64,
    pub(super) claims: u64,
    pub(super) probes: usize,
    /// Statements about a form in which something has no known value.
    pub(super) unknown: usize,
    pub(super) failures: Vec<String>,
}

/// A statement about words that is true wherever a probe is evaluated.
struct Claim {
    probe: usize,
    what: String,
    of: Vec<usize>,
    holds: Holds,
}

/// Whether a claim is true of the word of the probe and those of the forms.
type Holds = Box<dyn Fn(&[u64; MOST_FORMS + 1]) -> bool>;

pub(super) struct Claims<'t> {
    terms: &'t Terms,
    probes: &'t [Probe],
    symbols: BTreeMap<Symbol, Option<TermId>>,
    forms: Vec<NormalForm>,
    by_form: BTreeMap<NormalForm, usize>,
    claims: Vec<Claim>,
    /// When the word of a probe is below a length.
    bounds: Vec<(usize, Polynomial, Vec<Inequality>)>,
    seen: HashSet<(usize, *const Node)>,
    unknown: usize,
}

/// The text of a kernel with all probes.
fn source(terms: &Terms, probes: &[Probe]) -> String {
    let mut text = format!("fn k({}, on: bool) {{ {}", terms.parameters(), terms.constants());
    for (number, probe) in probes.iter().enumerate() {
        let mut stmt = format!("let v{number} = {};", terms.text(probe.term));
        for (condition, truth) in probe.conditions.iter().rev() {
            let condition = terms.text(*condition);
            stmt = if *truth { format!("if {condition} {{ {stmt} }}") } else { format!("if {condition} {{ }} else {{ {stmt} }}") };
        }
        // What it shows does not last.
        text.push_str(&format!("if on {{ {stmt} }}\n"));
    }
    text + "}"
}

/// The initial values of the variables, by name.
fn inits<'f>(function: &Function, block: &'f Block, found: &mut HashMap<String, &'f Expr>) {
    let of_expr = |expr: &'f Expr, found: &mut HashMap<String, &'f Expr>| {
        if let ExprKind::If { then, otherwise, .. } = &expr.kind {
            inits(function, then, found);
            if let Some(Expr { kind: ExprKind::Block { block, .. }, .. }) = otherwise.as_deref() {
                inits(function, block, found);
            }
        }
    };
    for stmt in &block.stmts {
        match stmt {
            Stmt::Let(binding) => {
                if let (Some(name), Some(init)) = (binding.pattern.as_name(), &binding.init) {
                    found.insert(function.local(name).name.to_string(), init);
                }
            }
            Stmt::Expr(expr) => of_expr(expr, found),
        }
    }
    if let Some(value) = &block.value {
        of_expr(value, found);
    }
}

/// Compares what the walk says of the probes with what Rust computes for the operands.
///
/// `operands` gives those of an expression of some variables.
pub(super) fn compare(terms: &Terms, probes: &[Probe], operands: &dyn Fn([bool; 3]) -> Vec<Operands>, tally: &mut Tally) {
    let function = kernel(&source(terms, probes));
    let mut found = HashMap::new();
    inits(&function, &function.body, &mut found);
    let exprs: Vec<&Expr> = (0..probes.len()).map(|number| found[&format!("v{number}")]).collect();
    let walk = walk_recording(&function, exprs.iter().map(|expr| std::ptr::from_ref(*expr)).collect(), Assumed::default());
    let mut values: Vec<Option<(&Value, &Facts)>> = vec![None; probes.len()];
    let numbers: HashMap<*const Expr, usize> = exprs.iter().enumerate().map(|(number, expr)| (std::ptr::from_ref(*expr), number)).collect();
    for demanded in &walk.demanded {
        values[numbers[&demanded.expr]] = Some((&demanded.value, &demanded.facts));
    }
    let values: Vec<(&Value, &Facts)> = values.into_iter().map(|value| value.expect("every expression is evaluated")).collect();
    let mut claims = Claims {
        terms,
        probes,
        symbols: BTreeMap::new(),
        forms: Vec::new(),
        by_form: BTreeMap::new(),
        claims: Vec::new(),
        bounds: Vec::new(),
        seen: HashSet::new(),
        unknown: 0,
    };
    for (number, (value, _)) in values.iter().enumerate() {
        claims.learn(number, value);
    }
    for (number, (value, facts)) in values.iter().enumerate() {
        claims.of_probe(number, value, facts, &values);
    }
    (tally.probes, tally.unknown) = (tally.probes + probes.len(), tally.unknown + claims.unknown);
    for variables in [false, true].into_iter().flat_map(|b| [false, true].map(|s| [true, b, s])) {
        for operands in operands(variables) {
            claims.check(variables, &operands, tally);
        }
    }
}

impl Claims<'_> {
    /// A symbol that is an expression has its value.
    fn learn(&mut self, probe: usize, value: &Value) {
        if let Some(symbol) = value.form.as_symbol()
            && !matches!(symbol.kind, SymbolKind::Launch(Atom::Param(_)))
        {
            self.symbols.entry(symbol.clone()).or_insert(Some(self.probes[probe].term));
        }
    }

    fn term_of(&self, symbol: &Symbol) -> Option<TermId> {
        match &symbol.kind {
            SymbolKind::Launch(Atom::Param(passed)) => self.terms.variable(passed.param),
            _ => self.symbols.get(symbol).copied().flatten(),
        }
    }

    /// The number of a form whose symbols all have values.
    fn form(&mut self, form: &NormalForm) -> Option<usize> {
        if let Some(known) = self.by_form.get(form) {
            return Some(*known);
        }
        if !form.terms.keys().flatten().all(|symbol| self.term_of(symbol).is_some()) {
            return None;
        }
        self.forms.push(form.clone());
        self.by_form.insert(form.clone(), self.forms.len() - 1);
        Some(self.forms.len() - 1)
    }

    /// Claims that `holds` is true of the probe's word and the forms of `values`, if those are known.
    fn claim(
        &mut self,
        probe: usize,
        what: impl FnOnce() -> String,
        of: &[&Value],
        holds: impl Fn(&[u64; MOST_FORMS + 1]) -> bool + 'static,
    ) {
        let forms: Option<Vec<usize>> = of.iter().map(|value| self.form(&value.form)).collect();
        match forms {
            Some(of) => self.claims.push(Claim { probe, what: what(), of, holds: Box::new(holds) }),
            None => self.unknown += 1,
        }
    }

    fn of_probe(&mut self, number: usize, value: &Value, facts: &Facts, others: &[(&Value, &Facts)]) {
        let term = self.probes[number].term;
        let (ty, is_integer) = (self.terms.ty(term), self.terms.is_integer(term));
        self.claim(number, || "its form".into(), &[value], |words| words[0] == words[1]);
        if !is_integer {
            return;
        }
        let integer = move |word: u64| if ty.is_signed_integer() { i128::from(word.cast_signed()) } else { i128::from(word) };
        let within = move |range: Interval, word: u64| range.least <= integer(word) && integer(word) <= range.most;
        for (nth, range) in [value.interval, facts.interval(value)].into_iter().enumerate() {
            if range != Interval::of_type(Some(ty)) && (nth == 0 || range != value.interval) {
                self.claim(number, || format!("{range:?}"), &[], move |words| within(range, words[0]));
            }
        }
        if let Some(symbol) = value.form.as_symbol() {
            let ceiling = symbol.ceiling;
            if ceiling != value.interval.largest_word() {
                self.claim(number, || format!("at most {ceiling}"), &[], move |words| words[0] <= ceiling);
            }
        }
        self.of_node(number, value);
        for fact in facts.iter() {
            self.of_fact(number, fact);
        }
        let parameters = (0..3).map(|index| Polynomial::atom(Atom::Param(Passed::whole(index))));
        for length in LENGTHS.into_iter().map(Polynomial::constant).chain(parameters) {
            let below = |by_numbers: bool| needs_below(value, &length, facts, |_, _| by_numbers);
            let needs = [below(false), below(true), needs_below_with_dividends(value, &length, facts)];
            self.bounds.extend(needs.into_iter().flatten().map(|needs| (number, length.clone(), needs)));
        }
        for (other, _) in others.iter().take(2) {
            if is_at_most(value, other, facts) {
                self.claim(number, || "at most a variable".into(), &[value, other], |words| words[1] <= words[2]);
            }
            if is_at_most(other, value, facts) {
                self.claim(number, || "at least a variable".into(), &[value, other], |words| words[1] >= words[2]);
            }
        }
    }

    fn of_fact(&mut self, probe: usize, fact: &Fact) {
        let relation = fact.relation;
        // Of coordinates nothing is compared.
        if [&fact.left, &fact.right].iter().any(|side| self.form(&side.form).is_none()) {
            return;
        }
        self.claim(
            probe,
            || format!("the fact {relation:?}"),
            &[&fact.left, &fact.right],
            move |words| is_related(relation, words[1], words[2]),
        );
    }

    /// How the value came about.
    fn of_node(&mut self, probe: usize, value: &Value) {
        if !self.seen.insert((probe, Rc::as_ptr(value))) {
            return;
        }
        let what = || kind_name(&value.kind);
        let wide = |word: u64| u128::from(word);
        match &value.kind {
            Kind::Unknown | Kind::Tuple(_) => return,
            Kind::Sum { of: [a, b], exact } => {
                let exact = *exact;
                self.claim(probe, what, &[value, a, b], move |w| is_exactly(exact, w[1], wide(w[2]) + wide(w[3])));
            }
            Kind::Product { of: [a, b], exact } => {
                let exact = *exact;
                self.claim(probe, what, &[value, a, b], move |w| is_exactly(exact, w[1], wide(w[2]) * wide(w[3])));
            }
            Kind::AtMost(parts) => {
                for part in parts {
                    self.claim(probe, what, &[value, part], |w| w[1] <= w[2]);
                }
            }
            Kind::Minimum([a, b]) => self.claim(probe, what, &[value, a, b], |w| w[1] == w[2].min(w[3])),
            Kind::Maximum([a, b]) => self.claim(probe, what, &[value, a, b], |w| w[1] == w[2].max(w[3])),
            // The dividend is not always one without a sign: then only the divisor is compared.
            Kind::Remainder(a, b) => self.claim(probe, what, &[value, a, b], |w| w[1] <= w[2] && w[1] < w[3]),
            Kind::Quotient(a, b) => self.claim(probe, what, &[value, a, b], |w| w[3] != 0 && w[1] == w[2] / w[3]),
            Kind::Difference { of: [a, b], exact } => {
                let exact = *exact;
                self.claim(probe, what, &[value, a, b], move |w| match w[2].checked_sub(w[3]) {
                    Some(difference) => w[1] == difference,
                    None => !exact,
                });
            }
            Kind::Excess(a, b) => self.claim(probe, what, &[value, a, b], |w| w[1] == w[2].saturating_sub(w[3])),
            Kind::RoundedUp(a, b) => self.claim(probe, what, &[value, a, b], |w| w[3] != 0 && w[1] == w[2].div_ceil(w[3])),
            Kind::Compare(op, a, b) => {
                let op = *op;
                self.claim(probe, what, &[value, a, b], move |w| (w[1] != 0) == is(op, &w[2], &w[3]));
            }
            Kind::CompareSigned(op, a, b) => {
                let op = *op;
                self.claim(probe, what, &[value, a, b], move |w| (w[1] != 0) == is(op, &w[2].cast_signed(), &w[3].cast_signed()));
            }
            Kind::Not(a) => self.claim(probe, what, &[value, a], |w| w[1] == w[2] ^ 1),
            Kind::And(a, b, _) => self.claim(probe, what, &[value, a, b], |w| w[1] == w[2] & w[3]),
            Kind::Or(a, b, _) => self.claim(probe, what, &[value, a, b], |w| w[1] == w[2] | w[3]),
            Kind::OneOf(values) => self.of_choice(probe, value, values),
        }
        match &value.kind {
            Kind::Sum { of, .. } | Kind::Product { of, .. } | Kind::Minimum(of) | Kind::Maximum(of) | Kind::Difference { of, .. } => {
                of.iter().for_each(|part| self.of_node(probe, part));
            }
            Kind::AtMost(parts) => parts.iter().for_each(|part| self.of_node(probe, part)),
            Kind::Remainder(a, b) | Kind::Quotient(a, b) | Kind::Excess(a, b) | Kind::RoundedUp(a, b) => {
                [a, b].into_iter().for_each(|part| self.of_node(probe, part));
            }
            _ => {}
        }
    }

    /// That it is one of two values, where any two of their facts are compared: those of one of them all hold.
    fn of_choice(&mut self, probe: usize, choice: &Value, values: &[(Value, Facts)]) {
        let [(a, of_a), (b, of_b)] = values else { panic!("not generated") };
        let nothing = Fact { left: choice.clone(), relation: Relation::Equal, right: choice.clone(), of_division: false };
        for first in of_a.iter().chain([&nothing]) {
            for second in of_b.iter().chain([&nothing]) {
                let of = [choice, a, b, &first.left, &first.right, &second.left, &second.right];
                let relations = [first.relation, second.relation];
                let what = || format!("one of two, with {relations:?}");
                self.claim(probe, what, &of, move |w| {
                    let is_first = w[1] == w[2] && is_related(relations[0], w[4], w[5]);
                    is_first || w[1] == w[3] && is_related(relations[1], w[6], w[7])
                });
            }
        }
        [a, b].into_iter().for_each(|value| self.of_node(probe, value));
    }

    /// Compares the probes with these variables.
    fn check(&self, variables: [bool; 3], operands: &Operands, tally: &mut Tally) {
        let length = operands[0].len();
        let chosen: Vec<bool> = self.probes.iter().map(|probe| self.variables(probe) == variables).collect();
        let claims: Vec<&Claim> = self.claims.iter().filter(|claim| chosen[claim.probe]).collect();
        let mut needed: Vec<TermId> = Vec::new();
        for probe in self.probes.iter().zip(&chosen).filter(|(_, chosen)| **chosen).map(|(probe, _)| probe) {
            needed.extend(probe.conditions.iter().map(|(condition, _)| *condition).chain([probe.term]));
        }
        let used: HashSet<usize> = claims.iter().flat_map(|claim| claim.of.iter().copied()).collect();
        for form in &used {
            needed.extend(self.forms[*form].terms.keys().flatten().filter_map(|symbol| self.term_of(symbol)));
        }
        let columns = self.terms.evaluate(operands, needed);
        let forms: Vec<Column> = self
            .forms
            .iter()
            .enumerate()
            .map(|(number, form)| match used.contains(&number) {
                true => self.column(form, &columns, length),
                false => Column::new(),
            })
            .collect();
        let mask = |probe: usize| if chosen[probe] { mask(&self.probes[probe], &columns, length) } else { Vec::new() };
        let masks: Vec<Vec<bool>> = (0..self.probes.len()).map(mask).collect();
        tally.pairs += masks.iter().map(|mask| mask.iter().filter(|is_there| **is_there).count() as u64).sum::<u64>();
        let describe = |probe: usize, row: usize| {
            let probe = &self.probes[probe];
            let conditions: Vec<String> =
                probe.conditions.iter().map(|(condition, truth)| format!("{} is {truth}, ", self.terms.text(*condition))).collect();
            let values: Vec<String> = operands.iter().map(|column| format!("{}", column[row].cast_signed())).collect();
            let result = columns[probe.term][row].map(u64::cast_signed);
            format!("{}{} = {result:?} for {}", conditions.concat(), self.terms.text(probe.term), values.join(", "))
        };
        for claim in claims {
            let own = &columns[self.probes[claim.probe].term];
            let of: Vec<&Column> = claim.of.iter().map(|form| &forms[*form]).collect();
            'rows: for (row, word) in own.iter().enumerate() {
                let (true, Some(word)) = (masks[claim.probe][row], word) else { continue };
                let mut words = [0; MOST_FORMS + 1];
                words[0] = *word;
                for (word, column) in words[1..].iter_mut().zip(&of) {
                    let Some(known) = column[row] else { continue 'rows };
                    *word = known;
                }
                tally.claims += 1;
                if !(claim.holds)(&words) {
                    tally.failures.push(format!("{}: {} {words:?}", describe(claim.probe, row), claim.what));
                    break;
                }
            }
        }
        // Few of them, for they take long.
        let step = 1 + length / 97;
        for row in (0..length).step_by(step) {
            let params = operands.iter().map(|column| column[row]).chain([1]).collect();
            let launch = Launch {
                params,
                fields: Vec::new(),
                shapes: vec![[1; 3]; 4],
                constants: Vec::new(),
                grid: [1; 3],
                block: [1; 3],
                atomics: RefCell::default(),
                salt: 0,
            };
            for (probe, length, needs) in self.bounds.iter().filter(|(probe, ..)| chosen[*probe]) {
                let Some(word) = columns[self.probes[*probe].term][row].filter(|_| masks[*probe][row]) else { continue };
                let applies = needs.iter().all(|need| launch.satisfies(need));
                tally.claims += u64::from(applies);
                if applies && launch.value(length).is_some_and(|length| i128::from(word) >= length) {
                    tally.failures.push(format!("{}: below {:?}", describe(*probe, row), launch.value(length)));
                }
            }
        }
    }

    /// Which variables are in an expression and its conditions. Those of one variable have `a`.
    fn variables(&self, probe: &Probe) -> [bool; 3] {
        let terms = probe.conditions.iter().map(|(condition, _)| *condition).chain([probe.term]);
        let has = terms.fold([false; 3], |has, term| [0, 1, 2].map(|variable| has[variable] || self.terms.variables(term)[variable]));
        [true, has[0] && has[1], has[2]]
    }

    /// The words of a form: the sum of its terms modulo 2^64.
    fn column(&self, form: &NormalForm, columns: &[Column], length: usize) -> Column {
        let mut sum: Column = vec![Some(0); length];
        for (factors, coefficient) in form.terms.as_slice() {
            let factors: Vec<&Column> = factors.iter().map(|symbol| &columns[self.term_of(symbol).expect("a known symbol")]).collect();
            for (row, sum) in sum.iter_mut().enumerate() {
                let product =
                    factors.iter().try_fold(coefficient.cast_unsigned(), |product, column| Some(product.wrapping_mul(column[row]?)));
                *sum = sum.zip(product).map(|(sum, product)| sum.wrapping_add(product));
            }
        }
        sum
    }
}

/// Where the probe is evaluated, and has a value.
fn mask(probe: &Probe, columns: &[Column], length: usize) -> Vec<bool> {
    let is_there = |row: usize| {
        let conditions = probe.conditions.iter().all(|(condition, truth)| columns[*condition][row] == Some(u64::from(*truth)));
        conditions && columns[probe.term][row].is_some()
    };
    (0..length).map(is_there).collect()
}

fn is_exactly(exact: Exact, word: u64, result: u128) -> bool {
    let is_result = u128::from(word) == result;
    match exact {
        Exact::Always => is_result,
        Exact::UnlessItWraps => is_result || result > u64::MAX.into() && u128::from(word) <= result,
        Exact::Unknown => u128::from(word) <= result,
    }
}

fn is<T: Ord>(op: BinaryOp, a: &T, b: &T) -> bool {
    match op {
        BinaryOp::Equal => a == b,
        BinaryOp::NotEqual => a != b,
        BinaryOp::Less => a < b,
        BinaryOp::LessEqual => a <= b,
        BinaryOp::Greater => a > b,
        BinaryOp::GreaterEqual => a >= b,
        other => panic!("{other:?} is no comparison"),
    }
}

fn is_related(relation: Relation, left: u64, right: u64) -> bool {
    match relation {
        Relation::Less => left < right,
        Relation::LessEqual => left <= right,
        Relation::Equal => left == right,
        Relation::NotEqual => left != right,
        Relation::LessSigned => left.cast_signed() < right.cast_signed(),
        Relation::LessEqualSigned => left.cast_signed() <= right.cast_signed(),
    }
}

fn kind_name(kind: &Kind) -> String {
    format!("{kind:?}").split([' ', '(']).next().unwrap_or_default().to_owned()
}

impl Terms {
    /// The words of these expressions, and of their parts, for these operands.
    fn evaluate(&self, operands: &Operands, mut needed: Vec<TermId>) -> Vec<Column> {
        let length = operands[0].len();
        let mut is_needed = vec![false; self.operations().len()];
        while let Some(term) = needed.pop() {
            if !std::mem::replace(&mut is_needed[term], true)
                && let Operation::Of(_, parts) = &self.operations()[term]
            {
                needed.extend(parts);
            }
        }
        let mut columns: Vec<Column> = Vec::new();
        for (operation, is_needed) in self.operations().iter().zip(is_needed) {
            let column = match operation {
                _ if !is_needed => Column::new(),
                Operation::Variable(variable) => operands[*variable].iter().map(|word| Some(*word)).collect(),
                Operation::Number(word) => vec![Some(*word); length],
                Operation::Of(operator, parts) => apply(*operator, parts, &columns, length),
            };
            columns.push(column);
        }
        columns
    }
}

fn apply(operator: Operator, parts: &[TermId], columns: &[Column], length: usize) -> Column {
    let word = |row: usize| {
        let mut words = [0; 3];
        for (word, part) in words.iter_mut().zip(parts) {
            *word = columns[*part][row]?;
        }
        operator(words)
    };
    (0..length).map(word).collect()
}
