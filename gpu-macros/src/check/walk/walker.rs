//! Walks a function once in order of evaluation, with the facts that hold and the threads that agree at each point.
//!
//! All proofs share the walk. It records every access to an array and every barrier; `bounds` and `races` analyse them.
//!
//! Whether the threads of a block agree on a mutable variable, or on the number of iterations of a loop, depends on code later in the loop.
//! So the walk starts with "all threads agree", records every assignment and exit that contradicts it, and repeats until it finds nothing
//! new. The result is correct by induction over the steps of an execution. What a variable holds follows the paths, which [`flow`](super::flow)
//! joins.

use super::assigned_locals::{Changed, changed_locals};
use super::constants::Constants;
use super::cooperation::calls_with_uniform_results;
use super::effects::Effects;
use super::evaluate::coordinate_ranges;
use super::facts::{Facts, Relation};
use super::flow::{Invariant, Loop, State, Step};
use super::reaching_barriers::{Barriers, ReachingBarriers};
use super::shared_values::SharedValues;
use super::unique_counters::{Rounds, find_counters};
use crate::check::clients::index_width::Demanded;
use crate::check::values::form::{NormalForm, Symbol, SymbolKind, Uniformity};
use crate::check::values::interval::Interval;
use crate::check::values::operation::OperationName;
use crate::check::values::value::{Kind, Node, Value};
use crate::model::*;
use crate::vec_map::VecMap;
use proc_macro2::Span;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Walks `function`.
pub(crate) fn walk(function: &Function) -> Effects<'_> {
    walk_assuming(function, Assumed::default())
}

/// The same, where this is assumed.
pub(crate) fn walk_assuming(function: &Function, assumed: Assumed) -> Effects<'_> {
    walk_from(function, |_| {}, assumed)
}

/// The same, with [names for derived quantities](super::quantities).
pub(crate) fn walk_with_quantities(function: &Function, assumed: Assumed) -> Effects<'_> {
    walk_from(function, |walker| walker.names_quantities = true, assumed)
}

/// The same, which records the values of the `demanding` expressions.
pub(crate) fn walk_recording(function: &Function, demanding: HashSet<*const Expr>, assumed: Assumed) -> Effects<'_> {
    walk_from(function, |walker| walker.demanding = demanding, assumed)
}

/// The same, where [no operation of signed integers overflows](super::exact) but these.
pub(crate) fn walk_exact(function: &Function, assumed: Assumed, inexact: HashSet<*const Expr>) -> Effects<'_> {
    walk_from(function, |walker| walker.inexact = Some(inexact), assumed)
}

/// The same from a walker that `start` has changed.
fn walk_from(function: &Function, start: impl FnOnce(&mut Walker<'_>), assumed: Assumed) -> Effects<'_> {
    let mut constants = Constants::new(function, assumed.numbers);
    if let Some(extents) = assumed.block {
        constants.block = extents.map(Node::number);
    }
    let Changed { assigned, in_elements: changed_in_elements, in_closures: changed_in_closures } = changed_locals(function);
    let block = constants.block.clone();
    let mut walker = Walker {
        function,
        constants,
        assigned,
        changed_in_closures,
        changed_in_elements,
        variable_spread: HashMap::new(),
        exit_spread: HashMap::new(),
        return_spread: Uniformity::Launch,
        closures: 0,
        closures_by_name: HashMap::new(),
        settled: true,
        values: HashMap::new(),
        referents: HashMap::new(),
        versions: VecMap::default(),
        dead: false,
        loops: Vec::new(),
        exits: Vec::new(),
        invariants: HashMap::new(),
        powers: BTreeSet::new(),
        steps: HashMap::new(),
        growths: HashMap::new(),
        resets: HashMap::new(),
        dynamic_lengths: HashMap::new(),
        facts: Facts::default(),
        control: Uniformity::Launch,
        enclosing: Vec::new(),
        rounds: HashMap::new(),
        barriers: Barriers::new(function),
        ways: ReachingBarriers::default(),
        shared_values: SharedValues::default(),
        demanding: HashSet::new(),
        names_quantities: false,
        inexact: None,
        evaluated: std::ptr::null(),
        uniform: assumed.parameters,
        uniform_calls: calls_with_uniform_results(function, assumed.results),
        findings: Effects::new(&block, assumed),
    };
    start(&mut walker);
    for round in 0.. {
        walker.settled = true;
        walker.values.clear();
        walker.referents.clear();
        walker.rounds.clear();
        walker.versions.clear();
        walker.powers.clear();
        walker.dead = false;
        walker.forget_invariants(round);
        walker.facts = Facts::default();
        for (coordinate, extent) in coordinate_ranges(&block) {
            walker.facts.add(&coordinate, Relation::Less, &extent);
        }
        walker.start_parameters();
        // Of a kernel, those that have returned are not waited for.
        walker.control = if matches!(function.kind, FunctionKind::Kernel(_)) { Uniformity::Launch } else { walker.return_spread };
        walker.ways = walker.barriers.begin();
        let result = walker.block(&function.body);
        walker.end(&result);
        walker.check_shared_values();
        if walker.settled {
            walker.findings.counters = find_counters(function, &walker.findings.draws);
            return walker.findings;
        }
        walker.findings = Effects::new(&block, assumed);
    }
    unreachable!("there is only so much to find")
}

pub(crate) struct Walker<'f> {
    pub(crate) function: &'f Function,
    pub(crate) constants: Constants,
    /// Variables that are assigned as a whole (or in a field) after their declaration.
    pub(crate) assigned: HashSet<LocalId>,
    /// Variables that a closure changes, of which nothing is known: it may be called anywhere.
    pub(super) changed_in_closures: HashSet<LocalId>,
    /// Variables with arrays of which elements are. An array's value says what it was made of.
    changed_in_elements: HashSet<LocalId>,
    /// Which threads agree on an assigned variable.
    pub(crate) variable_spread: HashMap<LocalId, Uniformity>,
    /// Which threads leave a loop or labelled block together.
    pub(crate) exit_spread: HashMap<LabelId, Uniformity>,
    /// Which threads leave the function together before its end.
    pub(crate) return_spread: Uniformity,
    /// How many closures the walk is inside of: a `return` there leaves those.
    pub(crate) closures: usize,
    /// Those that are walked at each call.
    pub(crate) closures_by_name: HashMap<LocalId, &'f Closure>,
    /// No assignment or exit has added to the three in this round.
    pub(crate) settled: bool,
    /// Of variables that never change.
    pub(crate) values: HashMap<LocalId, Value>,
    /// Of what variables refer to, where it does not change either.
    referents: HashMap<LocalId, Value>,
    /// Of those that do, here.
    pub(crate) versions: VecMap<LocalId, Value>,
    /// No thread comes here.
    pub(crate) dead: bool,
    pub(crate) loops: Vec<Loop>,
    /// The loops and labelled blocks around, each with the states in which threads leave it.
    pub(crate) exits: Vec<(LabelId, Vec<State>)>,
    pub(crate) invariants: HashMap<(LabelId, LocalId), Invariant>,
    /// What is a power of two, or 0, at the heads of loops.
    pub(crate) powers: BTreeSet<NormalForm>,
    /// How a variable grows in each round of a loop; `None` if it does not always do so.
    pub(crate) steps: HashMap<(LabelId, LocalId), Option<Step>>,
    /// By how much one grows in each iteration of a counted loop; `None` if that differs.
    pub(crate) growths: HashMap<(LabelId, LocalId), Option<NormalForm>>,
    /// Whether one is at the end of each iteration what it was before the loop.
    pub(super) resets: HashMap<(LabelId, LocalId), bool>,
    /// Of the dynamic shared arrays.
    pub(crate) dynamic_lengths: HashMap<LocalId, Value>,
    pub(crate) facts: Facts,
    /// Which threads are here together.
    pub(crate) control: Uniformity,
    pub(crate) enclosing: Vec<LabelId>,
    /// How often those of the loops run of which that is known.
    pub(crate) rounds: HashMap<LabelId, Rounds>,
    pub(crate) barriers: Barriers,
    /// Which barriers came last.
    pub(crate) ways: ReachingBarriers,
    pub(crate) shared_values: SharedValues,
    demanding: HashSet<*const Expr>,
    /// Whether derived quantities get symbols.
    pub(crate) names_quantities: bool,
    /// The operations of signed integers that may overflow, if [no other does](super::exact).
    pub(super) inexact: Option<HashSet<*const Expr>>,
    /// The expression that is evaluated.
    pub(super) evaluated: *const Expr,
    /// The parameters of a device function that are the same for all threads of a block.
    pub(crate) uniform: ParameterSet,
    /// The calls whose results are.
    pub(crate) uniform_calls: Vec<*const Expr>,
    pub(crate) findings: Effects<'f>,
}

/// Values and normal forms larger than this are named by a symbol of their own.
const MOST_SIZE: usize = 160;

impl<'f> Walker<'f> {
    /// A value of which only this is known.
    pub(crate) fn fresh(&mut self, spread: Uniformity, range: Interval) -> Value {
        let symbol = Symbol::new(SymbolKind::Fresh(self.number()), spread, range.largest_word());
        Node::within(Kind::Unknown, NormalForm::symbol(symbol), range)
    }

    /// The number of a symbol that is evaluated here.
    pub(crate) fn number(&mut self) -> usize {
        self.findings.loops.push(self.enclosing.clone());
        self.findings.loops.len() - 1
    }

    pub(crate) fn ways_here(&self) -> Option<ReachingBarriers> {
        (self.closures == 0).then(|| self.ways.clone())
    }

    /// A value of type `ty` of which nothing else is known.
    pub(crate) fn unknown(&mut self, spread: Uniformity, ty: &Type) -> Value {
        self.fresh(spread, Interval::of_type(ty.as_scalar()))
    }

    /// A value in `range` with a form that is kept only if it is not too large.
    pub(crate) fn node(&mut self, kind: Kind, form: NormalForm, range: Interval) -> Value {
        if form.size() <= MOST_SIZE {
            return Node::within(kind, form, range);
        }
        let named = self.fresh(form.spread(), range);
        Node::within(kind, named.form.clone(), range)
    }

    /// A tuple, an array, or the three fields of a `Dim3`.
    pub(crate) fn tuple(&mut self, elements: Vec<Value>) -> Value {
        let operands: Vec<&Value> = elements.iter().collect();
        self.operation(Kind::Tuple(elements.clone()), "tuple".to_owned(), &operands, Interval::WORD)
    }

    /// The result in `range` of a deterministic operation that has no normal form. Without a name, it is not known to be the same one
    /// as any other.
    pub(crate) fn operation(&mut self, kind: Kind, name: impl Into<Option<String>>, operands: &[&Value], range: Interval) -> Value {
        let spread = operands.iter().map(|operand| operand.spread).max().unwrap_or(Uniformity::Launch);
        self.operation_of(spread, kind, name, operands, range)
    }

    /// The same of an operation of which more threads agree on the result than on the operands.
    pub(crate) fn operation_of(
        &mut self,
        spread: Uniformity,
        kind: Kind,
        name: impl Into<Option<String>>,
        operands: &[&Value],
        range: Interval,
    ) -> Value {
        let Some(name) = name.into() else {
            let named = self.fresh(spread, range);
            return Node::within(kind, named.form.clone(), range);
        };
        let forms = operands.iter().map(|operand| operand.form.clone()).collect();
        let symbol = Symbol::new(SymbolKind::Operation(OperationName::new(name), forms), spread, range.largest_word());
        self.node(kind, NormalForm::symbol(symbol), range)
    }

    /// Walks a part of which nothing that it shows or changes lasts.
    pub(crate) fn scoped<R>(&mut self, body: impl FnOnce(&mut Self) -> R) -> R {
        self.path(body).0
    }

    pub(crate) fn block(&mut self, block: &'f Block) -> Value {
        for stmt in &block.stmts {
            match stmt {
                Stmt::Let(binding) => self.binding(binding),
                Stmt::Expr(expr) => {
                    self.expr(expr);
                }
            }
        }
        match &block.value {
            Some(value) => self.expr(value),
            None => Node::unit(),
        }
    }

    fn binding(&mut self, binding: &'f Let) {
        let Some(init) = &binding.init else {
            // In a loop, it has no value of an earlier iteration.
            for local in binding.pattern.bindings() {
                self.versions.remove(&local);
            }
            return;
        };
        let Effects { demanded, assumptions, operations, accesses, .. } = &self.findings;
        let earlier = (demanded.len(), assumptions.len(), operations.len(), accesses.len());
        let value = self.expr(init);
        if self.note_closure(binding) {
            // Its calls say which values they are.
            self.findings.demanded.truncate(earlier.0);
            self.findings.assumptions.truncate(earlier.1);
            self.findings.operations.truncate(earlier.2);
            if self.inexact.is_some() {
                // Nor does an access here say anything, of operations that nothing takes for exact.
                self.findings.accesses.truncate(earlier.3);
            }
        }
        if let Some(otherwise) = &binding.otherwise {
            self.otherwise(otherwise, &value);
        }
        if let (ExprKind::Intrinsic { intrinsic: Intrinsic::DynamicShared(_), .. }, Some(array)) = (&init.kind, binding.pattern.as_name()) {
            self.dynamic_lengths.insert(array, value.clone());
        }
        if let (ExprKind::Borrow { mutable: false, operand }, Some(name)) = (&init.kind, binding.pattern.as_name())
            && self.is_lasting(operand)
        {
            self.referents.insert(name, value.clone());
        }
        match binding.pattern.with_values(init) {
            Some((parts, _)) => parts.iter().enumerate().for_each(|(index, part)| {
                let element = self.element(&value, index);
                self.bind(part, &element);
            }),
            None => self.bind(&binding.pattern, &value),
        }
    }

    /// Whether `place` has the same value as long as the thread has a shared reference to it: no other thread writes to it.
    fn is_lasting(&self, place: &Expr) -> bool {
        let is_value = matches!(place.ty, Type::Scalar(_) | Type::Named(_) | Type::Tuple(_));
        let Some(root) = place.place().variable().filter(|_| is_value).map(|root| self.function.local(root)) else { return false };
        match &root.ty {
            Type::Slice { mutable: false, .. } => matches!(self.function.kind, FunctionKind::Kernel(_)) && !root.ty.shares_elements(),
            Type::Slice { .. } | Type::View { .. } | Type::Shared(_) => false,
            _ => !root.is_reference(),
        }
    }

    pub(crate) fn element(&mut self, tuple: &Value, index: usize) -> Value {
        match &tuple.kind {
            Kind::Tuple(elements) if index < elements.len() => elements[index].clone(),
            _ => self.fresh(tuple.spread, Interval::ANY),
        }
    }

    pub(crate) fn assign_local(&mut self, local: LocalId, spread: Uniformity) {
        let spread = spread.max(self.control).max(Uniformity::Grid);
        let known = self.variable_spread.entry(local).or_insert(Uniformity::Grid);
        if *known < spread {
            *known = spread;
            self.settled = false;
        }
    }

    pub(crate) fn expr(&mut self, expr: &'f Expr) -> Value {
        let around = std::mem::replace(&mut self.evaluated, expr);
        let value = self.value_of(expr);
        self.evaluated = around;
        self.note_demanded(expr, &value);
        value
    }

    fn note_demanded(&mut self, expr: &Expr, value: &Value) {
        if self.demanding.contains(&std::ptr::from_ref(expr)) {
            self.findings.demanded.push(Demanded { expr, value: value.clone(), facts: self.facts.clone() });
        }
    }

    pub(super) fn value_of(&mut self, expr: &'f Expr) -> Value {
        match &expr.kind {
            ExprKind::Local(local) => self.local(*local, expr.span),
            ExprKind::Index { base, index, site } => self.index(expr, base, index, *site, false),
            ExprKind::Element { base, indices, sites } => self.element_of_view(expr, base, indices, sites, false),
            ExprKind::Extent { base, axis } => self.extent(base, *axis),
            ExprKind::If { condition, then, otherwise } => self.branch(&expr.ty, condition, then, otherwise.as_deref()),
            ExprKind::Logical { op, left, right } => self.logical(*op, left, right),
            ExprKind::Let { pattern, value } => self.let_condition(pattern, value),
            ExprKind::Match { scrutinee, arms } => self.match_arms(&expr.ty, scrutinee, arms),
            ExprKind::Variant { value: Some(value), .. } | ExprKind::Again { value, .. } => self.variant(value),
            ExprKind::Variant { value: None, .. } => self.none(),
            ExprKind::Either(operand) => self.expr(operand),
            ExprKind::Block { label: None, block } => self.block(block),
            ExprKind::Block { label: Some(label), block } => {
                self.labelled_block(*label, block);
                self.unknown(Uniformity::Thread, &expr.ty)
            }
            ExprKind::Loop { label, body } => {
                self.inside(*label, |walker| {
                    walker.iterate(*label, &[], body, |walker| {
                        walker.block(body);
                        None
                    });
                });
                self.unknown(Uniformity::Thread, &expr.ty)
            }
            ExprKind::While { label, condition, body } => {
                self.while_loop(*label, condition, body);
                Node::unit()
            }
            ExprKind::For { label, counter, range, body } => self.for_loop(*label, *counter, range, body),
            ExprKind::Break { label, value, .. } => {
                if let Some(value) = value {
                    self.expr(value);
                }
                self.leave(*label, self.control);
                self.exit(*label);
                Node::unit()
            }
            ExprKind::Continue { label, .. } => {
                self.leave(*label, self.control);
                self.goes_back(*label);
                self.dead = true;
                Node::unit()
            }
            ExprKind::Assign { target, value } => {
                let value = self.expr(value);
                self.assign(target, &value);
                Node::unit()
            }
            ExprKind::CompoundAssign { op, place, value: operand, site } => {
                let value = self.expr(operand);
                if let (Some(site), Some(scalar)) = (site, place.ty.as_scalar().filter(|scalar| scalar.is_integer())) {
                    self.require_divisor(*site, scalar, &value);
                }
                let new = self.compound_assign(*op, place, operand, &value);
                if let Some(new) = new {
                    self.note_demanded(place, &new);
                }
                Node::unit()
            }
            ExprKind::Assert { condition, debug, .. } => {
                if *debug {
                    // It is not there in a release build.
                    let before = self.facts.clone();
                    let (_, evaluated) = self.path(|walker| walker.expr(condition));
                    let skipped = self.state();
                    self.join(&before, vec![skipped, evaluated], Uniformity::Launch);
                } else {
                    let condition = self.expr(condition);
                    self.facts.assume(&condition, true);
                }
                Node::unit()
            }
            // Atomics never race.
            ExprKind::Atomic { method, place, args, .. } => {
                self.expr(place);
                let args: Vec<Value> = args.iter().map(|arg| self.expr(arg)).collect();
                self.ticket(*method, place, args.first()).unwrap_or_else(|| self.unknown(Uniformity::Thread, &expr.ty))
            }
            ExprKind::Intrinsic { intrinsic: Intrinsic::Builtin { builtin, .. }, args, .. } => self.builtin(*builtin, args, expr),
            ExprKind::Call { path, args, awaited: true, .. } => self.awaited_call(path, args, expr),
            ExprKind::Return(value) => {
                let value = value.as_ref().map_or_else(Node::unit, |value| self.expr(value));
                if self.closures == 0 {
                    if self.return_spread < self.control {
                        self.return_spread = self.control;
                        self.settled = false;
                    }
                    self.end(&value);
                }
                self.dead = true;
                Node::unit()
            }
            ExprKind::Associated { receiver, args, .. } => {
                if let Some(receiver) = receiver {
                    self.receiver(receiver);
                }
                self.arguments(args);
                self.unknown(Uniformity::Thread, &expr.ty)
            }
            // What is known of the array is its length.
            ExprKind::Intrinsic { intrinsic: Intrinsic::DynamicShared(_), args, .. } => {
                let lengths: Vec<Value> = args.iter().map(|length| self.expr(length)).collect();
                lengths.into_iter().next().unwrap_or_else(|| self.fresh(Uniformity::Thread, Interval::WORD))
            }
            ExprKind::Intrinsic { intrinsic: Intrinsic::Print(_), args, .. } => {
                for arg in args {
                    self.expr(arg);
                }
                Node::unit()
            }
            ExprKind::Borrow { mutable: false, operand } if self.is_lasting(operand) => self.expr(operand),
            ExprKind::Borrow { mutable, operand } => {
                match &operand.kind {
                    ExprKind::Index { base, index, site } => {
                        self.index(operand, base, index, *site, *mutable);
                    }
                    ExprKind::Subslice { base, start, end, site, .. } => self.subslice(operand, base, (start, end.as_deref()), *site),
                    ExprKind::Field { .. } | ExprKind::TupleField { .. } | ExprKind::Element { .. } if *mutable => self.receiver(operand),
                    _ => {
                        self.expr(operand);
                        if *mutable {
                            self.store(operand, None, Uniformity::Thread);
                        }
                    }
                }
                self.fresh(Uniformity::Thread, Interval::ANY)
            }
            ExprKind::Assembly(assembly) => {
                for input in &assembly.inputs {
                    self.expr(input);
                }
                // What a GPU computes instead is not known.
                self.scoped(|walker| walker.block(&assembly.alternative));
                self.unknown(Uniformity::Thread, &expr.ty)
            }
            ExprKind::Tile { operation, name, args } => self.tile(operation, name, args, expr),
            // Nothing is known of what was refused.
            ExprKind::Refused | ExprKind::Start(_) | ExprKind::ByType(_) => self.fresh(Uniformity::Thread, Interval::ANY),
            _ => self.evaluate(expr),
        }
    }

    fn local(&mut self, local: LocalId, span: Span) -> Value {
        let declared = self.function.local(local);
        if matches!(declared.ty, Type::Slice { .. } | Type::View { .. } | Type::Shared(_)) {
            self.findings.escapes.push((local, span));
            self.note_unordered(local);
            return self.fresh(Uniformity::Thread, Interval::ANY);
        }
        // Behind a reference there may be shared memory, which other threads write to.
        if declared.is_reference() {
            return self.referents.get(&local).cloned().unwrap_or_else(|| self.unknown(Uniformity::Thread, &declared.ty));
        }
        if self.changed_in_elements.contains(&local) || self.changed_in_closures.contains(&local) {
            return self.unknown(Uniformity::Thread, &declared.ty);
        }
        if self.assigned.contains(&local) {
            return self.version(local);
        }
        if let Some(value) = self.values.get(&local) {
            return value.clone();
        }
        match declared.kind {
            LocalKind::Param(index) => self.parameter(index),
            _ => self.unknown(Uniformity::Thread, &declared.ty),
        }
    }
}
