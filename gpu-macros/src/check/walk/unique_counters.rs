//! Tickets: what `fetch_add` returns, which no other call on the same counter returns during the launch.
//!
//! A call returns the counter `v` and reserves the numbers from `v` to `v + amount`. If all that the launch does to a counter is to add natural
//! numbers, in sum no more than the `2^bits` that the counter can tell apart, then the reserved ranges are disjoint modulo `2^bits`, wherever
//! the counter starts and even if it wraps around. So a number in a range determines the call, and with it the thread.
//!
//! The sum is bounded by how often each call in the source is made: once by each thread, times the rounds of the loops around it. Nothing
//! is known of the rounds of some loops; a counter of 64 bits to which each call adds little is not exhausted in them for years. What may
//! add to the counter as well, another launch or another parameter, is excluded by the launch: the argument must be borrowed exclusively.

use super::walker::Walker;
use crate::check::clients::array_accesses::Use;
use crate::check::clients::bounds::open_inequalities;
use crate::check::values::form::{NormalForm, Symbol, SymbolKind, Ticket, Uniformity};
use crate::check::values::interval::Interval;
use crate::check::values::value::{Kind, Node, Value};
use crate::model::*;
use crate::vec_map::VecMap;

/// One call in the source.
pub(crate) struct Draw {
    param: usize,
    /// That of the element.
    site: SiteId,
    scalar: Scalar,
    /// How often a launch makes it, if that is known.
    times: Option<Polynomial>,
    /// The most that it adds. `None` if the counter may go down.
    most: Option<i128>,
}

/// Why what `fetch_add` returns may not be unique.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// The kernel uses the counter in another way too.
    OtherUse,
    /// The calls in a loop may exhaust it.
    Exhausted,
}

/// For each parameter from which tickets are drawn, when they are unique.
#[derive(Default)]
pub(crate) struct Counters(VecMap<usize, Result<Vec<Inequality>, Flaw>>);

impl Counters {
    /// The parameters whose tickets are unique, and the conditions under which they are.
    pub(crate) fn unique(&self) -> Vec<(usize, Vec<Inequality>)> {
        let unique = self.0.iter().filter_map(|(param, conditions)| Some((*param, conditions.as_ref().ok()?.clone())));
        unique.collect()
    }

    /// Why a ticket in the indices is not unique.
    pub(crate) fn flaw_of(&self, used: &Use<'_, '_>) -> Option<(usize, Flaw)> {
        let mut symbols = used.indices.iter().flat_map(|index| index.value.form.terms.keys().flatten());
        symbols.find_map(|symbol| match &symbol.kind {
            SymbolKind::Ticket(Ticket { param, .. }) => Some((*param, *self.0.get(param)?.as_ref().err()?)),
            _ => None,
        })
    }
}

/// How often a loop runs.
#[derive(Debug, Clone)]
pub(crate) enum Rounds {
    /// Each thread, at most.
    Each(Polynomial),
    /// All threads along x together, at most: the elements of `grid_stride(n)`.
    Together(Polynomial),
}

/// A counter of 64 bits outlasts any launch in which each call adds no more than this.
pub(crate) const LITTLE: i128 = 16;

/// A proof for launches with fewer threads than this many bits count is of no use.
const FEW_BITS: u32 = 16;

impl<'f> Walker<'f> {
    /// What `method` of the atomic at `place` returns, if it is a ticket. The place and the argument have been walked.
    pub(crate) fn ticket(&mut self, method: AtomicMethod, place: &'f Expr, amount: Option<&Value>) -> Option<Value> {
        let (AtomicMethod::FetchAdd, ExprKind::Index { base, site, .. }, Some(amount)) = (method, &place.kind, amount) else { return None };
        let param = self.parameter_of(base)?;
        let Type::Atomic(AtomicValue::Scalar(scalar)) = place.ty else { return None };
        let added = self.interval(amount);
        let most = (scalar.is_integer() && added.is_natural()).then_some(added.most);
        // Also of a call that draws no ticket: it changes what the others draw.
        let times = self.times_here();
        self.findings.draws.push(Draw { param, site: *site, scalar, times, most });
        most?;
        let index = self.findings.accesses.iter().rev().flat_map(|access| &access.indices).find(|index| index.site == *site)?;
        let element = index.value.form.clone();
        let ticket = Ticket { number: self.number(), param, element, amount: amount.form.clone() };
        let range = Interval::of_type(Some(scalar));
        let symbol = Symbol::new(SymbolKind::Ticket(ticket), Uniformity::Thread, range.largest_word());
        Some(Node::within(Kind::Unknown, NormalForm::symbol(symbol), range))
    }

    fn parameter_of(&self, array: &Expr) -> Option<usize> {
        let ExprKind::Local(local) = array.kind else { return None };
        match self.function.local(local).kind {
            LocalKind::Param(param) if matches!(self.function.kind, FunctionKind::Kernel(_)) => Some(param),
            _ => None,
        }
    }

    /// How often the threads of a launch come here in total, at most.
    fn times_here(&self) -> Option<Polynomial> {
        if self.closures > 0 {
            return None;
        }
        let mut along_x: Option<Polynomial> = None;
        let mut times = Polynomial::constant(1);
        for label in &self.enclosing {
            match self.rounds.get(label)? {
                Rounds::Together(rounds) if along_x.is_none() => along_x = Some(rounds.clone()),
                Rounds::Each(rounds) | Rounds::Together(rounds) => times = times.times(rounds)?,
            }
        }
        for axis in [Axis::X, Axis::Y, Axis::Z] {
            let threads =
                self.constants.block[axis as usize].form.to_natural_polynomial()?.times(&Polynomial::atom(Atom::GridDim(axis)))?;
            let threads = if axis == Axis::X { along_x.take().unwrap_or(threads) } else { threads };
            times = times.times(&threads)?;
        }
        Some(times)
    }

    /// The rounds of `for _ in range`, with these bounds.
    pub(crate) fn note_rounds(&mut self, label: LabelId, range: &Range, bounds: Option<&(Value, Value, bool)>) {
        let Some((start, end, inclusive)) = bounds else { return };
        let (start, most) = (self.interval(start), self.interval(end));
        if start.least < 0 {
            return;
        }
        let number = (most.most - start.least + i128::from(*inclusive)).max(0);
        let rounds = match end.form.to_natural_polynomial().filter(|_| end.form.never_wraps() && end.spread == Uniformity::Launch) {
            Some(end) => end.plus_constant(i128::from(*inclusive)),
            None => Some(Polynomial::constant(number)),
        };
        let Some(rounds) = rounds else { return };
        let rounds = match range {
            Range::GridStride { .. } => Rounds::Together(rounds),
            Range::Bounds { .. } => Rounds::Each(rounds),
        };
        self.rounds.insert(label, rounds);
    }
}

/// When the tickets of each counter are unique.
pub(crate) fn find_counters(function: &Function, draws: &[Draw]) -> Counters {
    let params = draws.iter().map(|draw| draw.param);
    let unique = |param: usize| {
        let of_counter: Vec<&Draw> = draws.iter().filter(|draw| draw.param == param).collect();
        let counter = function.params[param].local;
        let is_used_otherwise = {
            let mut found = false;
            function.body.for_each_child(&mut |expr| found = found || uses_otherwise(expr, counter, &of_counter));
            found
        };
        if is_used_otherwise { Err(Flaw::OtherUse) } else { conditions(&of_counter, param).ok_or(Flaw::Exhausted) }
    };
    let mut counters = VecMap::default();
    counters.extend(params.map(|param| (param, unique(param))));
    Counters(counters)
}

/// Whether `expr` does anything with `counter` but to add natural numbers to its elements, in calls that are among `draws`, to read them, or
/// to ask how many there are.
fn uses_otherwise(expr: &Expr, counter: LocalId, draws: &[&Draw]) -> bool {
    let is_counter = |expr: &Expr| matches!(expr.kind, ExprKind::Local(local) if local == counter);
    let inside = |parts: &[&Expr]| parts.iter().any(|part| uses_otherwise(part, counter, draws));
    match &expr.kind {
        ExprKind::Local(_) => is_counter(expr),
        ExprKind::Method { method: Method::Len, receiver, .. } if is_counter(receiver) => false,
        ExprKind::Atomic { method: method @ (AtomicMethod::FetchAdd | AtomicMethod::Load), place, args, scope, .. }
            if *scope != AtomicScope::Block =>
        {
            let only_adds = |site: &SiteId| {
                let mut calls = draws.iter().filter(|draw| draw.site == *site).peekable();
                calls.peek().is_some() && calls.all(|draw| draw.most.is_some())
            };
            let index = match &place.kind {
                ExprKind::Index { base, index, site, .. } if is_counter(base) && (*method == AtomicMethod::Load || only_adds(site)) => {
                    index
                }
                _ => place,
            };
            inside(&[&**index]) || args.iter().any(|arg| uses_otherwise(arg, counter, draws))
        }
        _ => {
            let mut found = false;
            expr.for_each_child(&mut |child| found = found || uses_otherwise(child, counter, draws));
            found
        }
    }
}

/// When all that is added to the elements of `param` does not exhaust one of them.
fn conditions(draws: &[&Draw], param: usize) -> Option<Vec<Inequality>> {
    let bits = draws.first()?.scalar.bits();
    let mut conditions = vec![Inequality::exclusive(param)];
    if bits == 64 && draws.iter().all(|draw| draw.most.is_some_and(|most| most <= LITTLE)) {
        return Some(conditions);
    }
    let added = |draw: &Draw| draw.times.as_ref()?.times(&Polynomial::constant(draw.most?));
    let sum = draws.iter().try_fold(Polynomial::default(), |sum, draw| sum.plus(&added(draw)?))?;
    let spare = bits.checked_sub(FEW_BITS)?;
    if sum.terms.iter().any(|term| term.coefficient > 1 << spare) {
        return None;
    }
    let enough = Inequality::below(sum, Polynomial::constant((1 << bits) + 1));
    conditions.extend(open_inequalities(vec![enough])?);
    Some(conditions)
}
