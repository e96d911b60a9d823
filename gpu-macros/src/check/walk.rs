//! Walks a function once in order of evaluation, with the facts that hold and the threads that agree at each point.
//!
//! The walk is shared by the proofs. It records every access to an array and every barrier; `bounds` and `races` judge them.
//!
//! How far the threads of a block agree on a mutable variable, or on how often a loop runs, depends on what comes later in the
//! loop. So the walk starts from "everyone agrees", notes every assignment and exit that says otherwise, and repeats until
//! nothing new is found. What then holds follows by induction over the steps of an execution.

use super::constants::Constants;
use super::evaluate::coordinate_ranges;
use super::facts::{Facts, Relation};
use super::form::{Form, Spread, Symbol, SymbolKind};
use super::value::{Kind, Node, Value};
use crate::model::*;
use proc_macro2::Span;
use std::collections::{HashMap, HashSet};

/// One evaluation of `base[index]`.
pub(super) struct Access<'f> {
    pub(super) base: &'f Expr,
    pub(super) index_expr: &'f Expr,
    pub(super) index: Value,
    /// Of `base`, where the host knows it.
    pub(super) length: Option<Polynomial>,
    pub(super) site: SiteId,
    pub(super) writes: bool,
    /// What is known when the index has been evaluated.
    pub(super) facts: Facts,
}

/// What a walk found.
pub(super) struct Walk<'f> {
    pub(super) accesses: Vec<Access<'f>>,
    /// Each barrier, and which threads reach it together.
    pub(super) barriers: Vec<(Span, Spread)>,
    /// Uses of a slice variable other than to index it or to ask its length.
    pub(super) escapes: Vec<(LocalId, Span)>,
    /// What `block_dim()` returns.
    pub(super) block: [Value; 3],
}

/// Walks `function`.
pub(super) fn walk(function: &Function) -> Walk<'_> {
    let constants = Constants::new(function);
    let block = constants.block.clone();
    let empty = || Walk { accesses: Vec::new(), barriers: Vec::new(), escapes: Vec::new(), block: block.clone() };
    let mut walker = Walker {
        function,
        constants,
        assigned: assigned_locals(function),
        variable_spread: HashMap::new(),
        exit_spread: HashMap::new(),
        settled: true,
        values: HashMap::new(),
        facts: Facts::default(),
        control: Spread::Launch,
        enclosing: Vec::new(),
        fresh: 0,
        findings: empty(),
    };
    loop {
        walker.settled = true;
        walker.values.clear();
        walker.facts = Facts::default();
        for (coordinate, extent) in coordinate_ranges(&block) {
            walker.facts.add(&coordinate, Relation::Less, &extent);
        }
        walker.control = Spread::Launch;
        walker.block(&function.body);
        if walker.settled {
            return walker.findings;
        }
        walker.findings = empty();
    }
}

pub(super) struct Walker<'f> {
    pub(super) function: &'f Function,
    pub(super) constants: Constants,
    /// Variables that are assigned as a whole (or in a field) after their declaration.
    assigned: HashSet<LocalId>,
    /// Which threads agree on an assigned variable.
    variable_spread: HashMap<LocalId, Spread>,
    /// Which threads leave a loop or labelled block together.
    exit_spread: HashMap<LabelId, Spread>,
    /// No assignment or exit has added to the two maps in this round.
    settled: bool,
    values: HashMap<LocalId, Value>,
    facts: Facts,
    /// Which threads are here together.
    control: Spread,
    enclosing: Vec<LabelId>,
    fresh: usize,
    findings: Walk<'f>,
}

/// Values and normal forms larger than this are named by a symbol of their own.
const MOST_SIZE: usize = 160;

impl<'f> Walker<'f> {
    /// A value of which only this is known.
    pub(super) fn fresh(&mut self, spread: Spread, ceiling: u64) -> Value {
        self.fresh += 1;
        Node::symbol(Symbol { kind: SymbolKind::Fresh(self.fresh), spread, ceiling })
    }

    /// A value with a form that is kept only if it is not too large.
    pub(super) fn node(&mut self, kind: Kind, form: Form) -> Value {
        if form.size() <= MOST_SIZE {
            return Node::new(kind, form);
        }
        let ceiling = form.largest().and_then(|largest| u64::try_from(largest).ok()).unwrap_or(u64::MAX);
        let named = self.fresh(form.spread(), ceiling);
        Node::new(kind, named.form.clone())
    }

    /// The result of a deterministic operation that has no normal form of its own.
    pub(super) fn operation(&mut self, kind: Kind, name: String, operands: &[&Value], ceiling: u64) -> Value {
        let spread = operands.iter().map(|operand| operand.spread).max().unwrap_or(Spread::Launch);
        let forms = operands.iter().map(|operand| operand.form.clone()).collect();
        self.node(kind, Form::symbol(Symbol { kind: SymbolKind::Operation(name, forms), spread, ceiling }))
    }

    fn scoped<R>(&mut self, body: impl FnOnce(&mut Self) -> R) -> R {
        let (facts, control) = (self.facts.clone(), self.control);
        let result = body(self);
        (self.facts, self.control) = (facts, control);
        result
    }

    pub(super) fn block(&mut self, block: &'f Block) -> Value {
        self.scoped(|walker| {
            for stmt in &block.stmts {
                match stmt {
                    Stmt::Let(binding) => {
                        if let Some(init) = &binding.init {
                            let value = walker.expr(init);
                            walker.bind(&binding.pattern, &value);
                        }
                    }
                    Stmt::Expr(expr) => {
                        walker.expr(expr);
                    }
                }
            }
            match &block.value {
                Some(value) => walker.expr(value),
                None => Node::tuple(Vec::new()),
            }
        })
    }

    fn bind(&mut self, pattern: &Pattern, value: &Value) {
        match pattern {
            Pattern::Wildcard(_) => {}
            Pattern::Bind(local) if self.assigned.contains(local) => self.assign_local(*local, value.spread),
            Pattern::Bind(local) => {
                self.values.insert(*local, value.clone());
            }
            Pattern::Tuple(patterns, _) => {
                for (i, pattern) in patterns.iter().enumerate() {
                    let element = self.element(value, i);
                    self.bind(pattern, &element);
                }
            }
        }
    }

    pub(super) fn element(&mut self, tuple: &Value, index: usize) -> Value {
        match &tuple.kind {
            Kind::Tuple(elements) if index < elements.len() => elements[index].clone(),
            _ => self.fresh(tuple.spread, u64::MAX),
        }
    }

    fn assign_local(&mut self, local: LocalId, spread: Spread) {
        let spread = spread.max(self.control).max(Spread::Block);
        let known = self.variable_spread.entry(local).or_insert(Spread::Block);
        if *known < spread {
            *known = spread;
            self.settled = false;
        }
    }

    /// Some of the threads that are here together now leave `label` (or what it encloses) and others may not.
    fn leave(&mut self, label: LabelId, spread: Spread) {
        for i in (0..self.enclosing.len()).rev() {
            let enclosing = self.enclosing[i];
            let known = self.exit_spread.entry(enclosing).or_insert(Spread::Launch);
            if *known < spread {
                *known = spread;
                self.settled = false;
            }
            if enclosing == label {
                break;
            }
        }
    }

    /// Runs `body` inside a loop or labelled block: only the threads that have not left it are together there.
    fn inside<R>(&mut self, label: LabelId, body: impl FnOnce(&mut Self) -> R) -> R {
        self.enclosing.push(label);
        let result = self.scoped(|walker| {
            let exits = walker.exit_spread.get(&label).copied().unwrap_or(Spread::Launch);
            walker.control = walker.control.max(exits);
            body(walker)
        });
        self.enclosing.pop();
        result
    }

    pub(super) fn expr(&mut self, expr: &'f Expr) -> Value {
        match &expr.kind {
            ExprKind::Local(local) => self.local(*local, expr.span),
            ExprKind::Index { base, index, site } => self.index(expr, base, index, *site, false),
            ExprKind::If { condition, then, otherwise } => self.branch(condition, then, otherwise.as_deref()),
            ExprKind::Logical { op, left, right } => self.logical(*op, left, right),
            ExprKind::Block { label: None, block } => self.block(block),
            ExprKind::Block { label: Some(label), block } => {
                self.inside(*label, |walker| walker.block(block));
                self.fresh(Spread::Thread, u64::MAX)
            }
            ExprKind::Loop { label, body } => {
                self.inside(*label, |walker| walker.block(body));
                self.fresh(Spread::Thread, u64::MAX)
            }
            ExprKind::While { label, condition, body } => self.inside(*label, |walker| {
                let condition = walker.expr(condition);
                walker.leave(*label, condition.spread);
                walker.facts.assume(&condition, true);
                walker.block(body);
                Node::tuple(Vec::new())
            }),
            ExprKind::For { label, counter, range, body } => self.for_loop(*label, *counter, range, body),
            ExprKind::Break { label, value, .. } => {
                if let Some(value) = value {
                    self.expr(value);
                }
                self.leave(*label, self.control);
                Node::tuple(Vec::new())
            }
            ExprKind::Continue { label, .. } => {
                self.leave(*label, self.control);
                Node::tuple(Vec::new())
            }
            ExprKind::Assign { target, value } => {
                let value = self.expr(value);
                self.assign(target, &value);
                Node::tuple(Vec::new())
            }
            ExprKind::CompoundAssign { place, value, .. } => {
                let value = self.expr(value);
                let old = self.place(place, value.spread);
                self.store(place, old.max(value.spread));
                Node::tuple(Vec::new())
            }
            ExprKind::Assert { condition, debug, .. } => {
                let condition = self.expr(condition);
                // `debug_assert!` is not there in a release build.
                if !debug {
                    self.facts.assume(&condition, true);
                }
                Node::tuple(Vec::new())
            }
            ExprKind::Intrinsic { intrinsic: Intrinsic::SyncThreads(_), .. } => {
                self.findings.barriers.push((expr.span, self.control));
                Node::tuple(Vec::new())
            }
            ExprKind::Borrow { mutable, operand } => {
                match &operand.kind {
                    ExprKind::Index { base, index, site } => {
                        self.index(operand, base, index, *site, *mutable);
                    }
                    _ => {
                        self.expr(operand);
                    }
                }
                self.fresh(Spread::Thread, u64::MAX)
            }
            _ => self.evaluate(expr),
        }
    }

    fn local(&mut self, local: LocalId, span: Span) -> Value {
        let declared = self.function.local(local);
        if matches!(declared.ty, Type::Slice { .. }) {
            self.findings.escapes.push((local, span));
            return self.fresh(Spread::Thread, u64::MAX);
        }
        let ceiling = declared.ty.as_scalar().map_or(u64::MAX, largest_value);
        if self.assigned.contains(&local) {
            let spread = self.variable_spread.get(&local).copied().unwrap_or(Spread::Block);
            return self.fresh(spread, ceiling);
        }
        if let Some(value) = self.values.get(&local) {
            return value.clone();
        }
        match declared.kind {
            LocalKind::Param(index) if declared.ty.as_scalar().is_some_and(is_unsigned) => {
                Node::symbol(Symbol::launch(Atom::Param(index), ceiling))
            }
            LocalKind::Param(index) => self.operation(Kind::Unknown, format!("parameter {index}"), &[], ceiling),
            _ => self.fresh(Spread::Thread, ceiling),
        }
    }

    /// The length of a slice variable: of a parameter that is never assigned, the host knows it.
    pub(super) fn length_of_slice(&self, local: LocalId) -> Option<Value> {
        match self.function.local(local) {
            Local { kind: LocalKind::Param(index), ty: Type::Slice { .. }, .. } if !self.assigned.contains(&local) => {
                // No object is larger than `isize::MAX` bytes.
                Some(Node::symbol(Symbol::launch(Atom::Len(*index), i64::MAX.cast_unsigned())))
            }
            _ => None,
        }
    }

    /// `base[index]`, read or (also) written.
    fn index(&mut self, whole: &'f Expr, base: &'f Expr, index: &'f Expr, site: SiteId, writes: bool) -> Value {
        let slice = match &base.kind {
            ExprKind::Local(local) => Some(*local),
            // `a[i][j]`: the row is read, or written to.
            ExprKind::Index { base, index, site } => {
                self.index(whole, base, index, *site, writes);
                None
            }
            _ => {
                self.expr(base);
                None
            }
        };
        let index_expr = index;
        let index = self.expr(index);
        let length = match (base.ty.element(), slice) {
            (Some((_, Some(length))), _) => self.constants.length(length).form.to_polynomial(),
            (_, Some(local)) => self.length_of_slice(local).and_then(|length| length.form.to_polynomial()),
            _ => None,
        };
        let access = Access { base, index_expr, index: index.clone(), length, site, writes, facts: self.facts.clone() };
        self.findings.accesses.push(access);
        let ceiling = whole.ty.as_scalar().map_or(u64::MAX, largest_value);
        // Nobody writes to what a shared reference refers to: an element is a function of its index.
        if let Some(local) = slice
            && !self.assigned.contains(&local)
            && let Local { ty: Type::Slice { mutable: false, .. }, kind: LocalKind::Param(param), .. } = self.function.local(local)
            && !writes
        {
            return self.operation(Kind::Unknown, format!("element of {param}"), &[&index], ceiling);
        }
        self.fresh(Spread::Thread, ceiling)
    }

    fn branch(&mut self, condition: &'f Expr, then: &'f Block, otherwise: Option<&'f Expr>) -> Value {
        let condition = self.expr(condition);
        let first = self.scoped(|walker| {
            walker.control = walker.control.max(condition.spread);
            walker.facts.assume(&condition, true);
            walker.block(then)
        });
        let second = otherwise.map(|otherwise| {
            self.scoped(|walker| {
                walker.control = walker.control.max(condition.spread);
                walker.facts.assume(&condition, false);
                walker.expr(otherwise)
            })
        });
        let (first_leaves, second_leaves) = (block_diverges(then), otherwise.is_some_and(diverges));
        match (first_leaves, second_leaves) {
            (true, false) => self.facts.assume(&condition, false),
            (false, true) => self.facts.assume(&condition, true),
            _ => {}
        }
        match (second, first_leaves, second_leaves) {
            (None, ..) => Node::tuple(Vec::new()),
            (Some(_), false, true) => first,
            (Some(second), true, false) => second,
            (Some(second), ..) => self.fresh(condition.spread.max(first.spread).max(second.spread), u64::MAX),
        }
    }

    fn logical(&mut self, op: LogicalOp, left: &'f Expr, right: &'f Expr) -> Value {
        let left = self.expr(left);
        let right = self.scoped(|walker| {
            walker.control = walker.control.max(left.spread);
            walker.facts.assume(&left, op == LogicalOp::And);
            walker.expr(right)
        });
        let (name, kind) = match op {
            LogicalOp::And => ("&&", Kind::And(left.clone(), right.clone())),
            LogicalOp::Or => ("||", Kind::Or(left.clone(), right.clone())),
        };
        self.operation(kind, name.into(), &[&left, &right], 1)
    }

    fn for_loop(&mut self, label: LabelId, counter: LocalId, range: &'f Range, body: &'f Block) -> Value {
        let ceiling = self.function.local(counter).ty.as_scalar().map_or(u64::MAX, largest_value);
        let unsigned = self.function.local(counter).ty.as_scalar().is_none_or(is_unsigned);
        let (bounds, spread) = match range {
            Range::Bounds { start, end, inclusive, adapters } => {
                let (start, end) = (self.expr(start), self.expr(end));
                let mut spread = start.spread.max(end.spread);
                for adapter in adapters {
                    if let RangeAdapter::StepBy { step, .. } = adapter {
                        spread = spread.max(self.expr(step).spread);
                    }
                }
                (Some((start, end, *inclusive)), spread)
            }
            Range::GridStride { length, .. } => {
                let length = self.expr(length);
                (Some((Node::number(0), length, false)), Spread::Thread)
            }
        };
        self.inside(label, |walker| {
            walker.leave(label, spread);
            let is_stride = matches!(range, Range::GridStride { .. });
            let value = match &bounds {
                Some((_, end, inclusive)) if unsigned => {
                    let end = end.form.largest().and_then(|end| u64::try_from(end).ok()).unwrap_or(u64::MAX);
                    let ceiling = ceiling.min(end.saturating_sub((!*inclusive).into()));
                    walker.fresh += 1;
                    let kind = if is_stride { SymbolKind::GridStride(walker.fresh) } else { SymbolKind::Fresh(walker.fresh) };
                    Node::symbol(Symbol { kind, spread: spread.max(Spread::Block), ceiling })
                }
                _ => walker.fresh(spread.max(Spread::Block), ceiling),
            };
            if let (Some((start, end, inclusive)), true) = (&bounds, unsigned) {
                walker.facts.add(start, Relation::LessEqual, &value);
                walker.facts.add(&value, if *inclusive { Relation::LessEqual } else { Relation::Less }, end);
            }
            if walker.assigned.contains(&counter) {
                walker.assign_local(counter, spread);
            } else {
                walker.values.insert(counter, value);
            }
            walker.block(body);
            Node::tuple(Vec::new())
        })
    }

    fn assign(&mut self, target: &'f Target, value: &Value) {
        match target {
            Target::Wildcard(_) => {}
            Target::Place(place) => {
                self.place(place, value.spread);
                self.store(place, value.spread);
            }
            Target::Tuple(targets, _) => {
                for target in targets {
                    self.assign(target, value);
                }
            }
        }
    }

    /// Evaluates the parts of a place that is written. Gives the spread of its old value.
    fn place(&mut self, place: &'f Expr, written: Spread) -> Spread {
        match &place.kind {
            ExprKind::Local(local) => self.variable_spread.get(local).copied().unwrap_or(Spread::Block).max(written),
            ExprKind::TupleField { base, .. } | ExprKind::Axis { base, .. } => self.place(base, written),
            ExprKind::Index { base, index, site } => {
                self.index(place, base, index, *site, true);
                Spread::Thread
            }
            _ => {
                self.expr(place);
                Spread::Thread
            }
        }
    }

    fn store(&mut self, place: &Expr, spread: Spread) {
        if let Some(local) = whole_variable(place) {
            self.assign_local(local, spread);
        }
    }
}

/// The variable that an assignment to `place` changes, other than in an element of an array.
fn whole_variable(place: &Expr) -> Option<LocalId> {
    match &place.kind {
        ExprKind::Local(local) => Some(*local),
        ExprKind::TupleField { base, .. } | ExprKind::Axis { base, .. } => whole_variable(base),
        _ => None,
    }
}

/// Variables that are assigned, in whole or in a field, or lent mutably. (One declared without a value is assigned before
/// it is read.) Assigning elements of arrays doesn't count: nothing is ever known about them.
fn assigned_locals(function: &Function) -> HashSet<LocalId> {
    fn visit_target(target: &Target, found: &mut HashSet<LocalId>) {
        match target {
            Target::Place(place) => found.extend(whole_variable(place)),
            Target::Wildcard(_) => {}
            Target::Tuple(targets, _) => targets.iter().for_each(|target| visit_target(target, found)),
        }
    }
    fn visit(expr: &Expr, found: &mut HashSet<LocalId>) {
        match &expr.kind {
            ExprKind::Assign { target, .. } => visit_target(target, found),
            ExprKind::CompoundAssign { place, .. } => found.extend(whole_variable(place)),
            ExprKind::Borrow { mutable: true, operand } => found.extend(whole_variable(operand)),
            _ => {}
        }
        expr.for_each_child(&mut |child| visit(child, found));
    }
    let mut found = HashSet::new();
    function.body.for_each_child(&mut |child| visit(child, &mut found));
    found
}

/// Whether evaluating this never gets past it, as far as a glance tells.
fn diverges(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Break { .. } | ExprKind::Continue { .. } | ExprKind::Return(_) | ExprKind::Panic { .. } => true,
        ExprKind::Block { label: None, block } => block_diverges(block),
        ExprKind::If { then, otherwise: Some(otherwise), .. } => block_diverges(then) && diverges(otherwise),
        _ => false,
    }
}

fn block_diverges(block: &Block) -> bool {
    let last = block.value.as_deref();
    let stmts = block.stmts.iter().filter_map(|stmt| match stmt {
        Stmt::Expr(expr) => Some(expr),
        Stmt::Let(_) => None,
    });
    stmts.chain(last).any(diverges)
}

pub(super) fn is_unsigned(scalar: Scalar) -> bool {
    scalar.is_integer() && !scalar.is_signed_integer()
}

/// The largest value of the type as the 64 bits a form speaks of.
pub(super) fn largest_value(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::Bool => 1,
        unsigned if is_unsigned(unsigned) && unsigned.bits() < 64 => (1 << unsigned.bits()) - 1,
        _ => u64::MAX,
    }
}
