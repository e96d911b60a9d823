//! Whether a kernel computes the same with a `usize` of 32 bits, and on which launches.
//!
//! A GPU computes 64 bits in two instructions or more, and keeps them in two registers. The low 32 bits of a sum, difference or product
//! follow from those of its operands, so a `usize` whose high bits nothing looks at may lose them, even if it wraps around in between.
//! What does look at all bits is *demanding*: a comparison, a division, a cast to more bits, the limits of a loop, the argument of a
//! function, an element that is stored. There, the value must be below 2³², which the launch compares its bounds with.
//!
//! An index is not demanding, if it is proved to be in bounds and the array has fewer than 2³² elements. A view must lie compactly: its offsets
//! need at most 31 bits, and its last axis has no stride, so that the last index is not multiplied.
//!
//! An index that every launch checks is a [wide](wide_operands) expression: its sums and products are computed in 64 bits, of operands that
//! must be below the limit. So a gathered index needs no bound. One that only some launches check has a bound, which must be below the limit
//! where it is checked.
//!
//! Some variables are below the limit whatever happens: counters, whose ends are; the parameters of closures, whose arguments are; and those
//! that are only given casts of 32 bits and small literals. Another variable is below it where nothing bounds it, if all that it is given is:
//! in `while i < n { i *= 2; }`, what is given to `i` is below `2 * n`.
//!
//! A variable that an operator makes smaller, as `n >>= 1`, stays below the limit if it was; so all that it is given otherwise must be.
//!
//! The counter of a loop with a step has that added after the last round. Where the launch shows that this does not reach the limit either, the
//! loop is a [plain](Narrow::plain_loops) one.
//!
//! What lies in memory has 64 bits there. A field is read as its low bits.
//!
//! Every other use of a `usize`, and every other expression that makes one, keeps the kernel at 64 bits.

use super::bounds::{bound_below_limit, open_inequalities};
use crate::check::values::value::Value;
use crate::check::walk::effects::Effects;
use crate::check::walk::facts::Facts;
use crate::model::*;
use std::collections::{HashMap, HashSet};

/// The number of values of 32 bits.
pub(crate) const LIMIT: i128 = 1 << 32;

/// What must hold of a kernel's expressions, that it may compute in 32 bits.
pub(crate) struct Narrow {
    /// The expressions whose values must be below the limit.
    pub(crate) demanding: HashSet<*const Expr>,
    /// Those of them that bound a counter to which the number of threads is added.
    strided: HashSet<*const Expr>,
    /// The indices that must be proved to be in bounds.
    sites: Vec<SiteId>,
    /// The indices that are wide where they are not proved to be in bounds.
    indices: Vec<Index>,
    /// For variables that are declared here, whether all that they are given is below the limit.
    limited: HashMap<LocalId, bool>,
    /// What else they are given: a value, or the place that an operator assigns to.
    given: HashMap<LocalId, Vec<*const Expr>>,
    /// The variables that are demanding expressions.
    locals: HashMap<*const Expr, LocalId>,
    /// Whether quotients by other numbers than literals are computed, and products of two such numbers.
    divides: bool,
    multiplies: bool,
    /// The variables that are given what is read from memory.
    gathered: HashSet<LocalId>,
    /// The variables that are declared as what is read from memory.
    loaded: HashSet<LocalId>,
    /// Whether an index is computed as a product of what is read from memory.
    scales_loaded: bool,
    /// The variables that an operator makes smaller which looks at all bits.
    shrunk: HashSet<LocalId>,
    /// The counters of loops from a start up to an end, in steps: with the end and the step.
    stepped: Vec<(LocalId, *const Expr, *const Expr)>,
}

/// The loops with a step whose counters do not reach the limit.
#[derive(Default)]
pub(crate) struct PlainLoops {
    pub(crate) counters: HashSet<LocalId>,
    /// What the launch must compare for that.
    needs: Vec<Inequality>,
}

/// Which indices a launch checks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Checks {
    /// Those that every launch does.
    Always,
    /// Also those that a launch may make redundant.
    Any,
}

/// An index of an array.
struct Index {
    site: SiteId,
    expr: *const Expr,
    /// What is computed in 64 bits where every launch checks it, and of which operands.
    wide: Vec<*const Expr>,
    operands: Vec<*const Expr>,
}

/// Of an index that is checked: what it is computed of in 64 bits. `None` for an expression of 32 bits.
pub(crate) fn wide_operands(expr: &Expr) -> Option<Vec<&Expr>> {
    match &expr.kind {
        _ if !is_index(&expr.ty) => None,
        ExprKind::Int(_) => Some(Vec::new()),
        ExprKind::Cast { operand, .. } if !holds_index(&operand.ty) => Some(Vec::new()),
        ExprKind::Unary { op: UnaryOp::Not, operand } => Some(vec![operand]),
        ExprKind::Binary { op, left, right, .. } if is_index(&left.ty) => match op {
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => matches!(right.kind, ExprKind::Int(_)).then(|| vec![&**left]),
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                Some(vec![left, right])
            }
            _ => None,
        },
        _ => None,
    }
}

/// A value that must be below the limit, and what is known there.
pub(crate) struct Demanded {
    pub(crate) expr: *const Expr,
    pub(crate) value: Value,
    pub(crate) facts: Facts,
}

/// Whether a kernel gains by 32 bits: if it divides, if it multiplies and has no loop, if it looks up by what it looked up before and so waits
/// for each address, or if it computes indices of arrays in shared or local memory, or of views, whose offsets need a multiplication of 64 bits
/// for each axis. An address of global memory has 64 bits, and of `x[i * n + j]` in a loop, the compiler adds to the address and computes no
/// index, unless that has 32 bits and may wrap around. Of a gathered row, as in `x[rows[k] as usize * n + j]`, it has nothing to add to, and
/// multiplies for each.
pub(crate) fn pays(function: &Function, narrow: &Narrow) -> bool {
    let is_array = |local: &Local| matches!(local.ty, Type::Shared(_) | Type::Array(..)) && !local.is_reference();
    let computes = narrow.divides || narrow.scales_loaded || narrow.multiplies && !has_loop(function);
    function.locals.iter().any(is_array) || has_view(function) || computes || narrow.follows_gathered()
}

fn has_loop(function: &Function) -> bool {
    function.body.any(&|expr| matches!(expr.action(), Action::Loop))
}

fn has_view(function: &Function) -> bool {
    function.locals.iter().any(|local| local.ty.view().is_some())
}

impl Narrow {
    /// `None` if the kernel has a use of a `usize` that needs 64 bits, or neither a loop, a view, a product nor a division: then it waits for
    /// memory, not for arithmetic.
    pub(crate) fn of(function: &Function) -> Option<Narrow> {
        let is_kernel = matches!(function.kind, FunctionKind::Kernel(_)) && function.foreign.is_none();
        if !is_kernel || function.is_tiled() || !function.locals.iter().all(may_be_narrow) {
            return None;
        }
        let mut narrow = Narrow {
            demanding: HashSet::new(),
            strided: HashSet::new(),
            sites: Vec::new(),
            indices: Vec::new(),
            limited: HashMap::new(),
            given: HashMap::new(),
            locals: HashMap::new(),
            divides: false,
            multiplies: false,
            gathered: HashSet::new(),
            loaded: HashSet::new(),
            scales_loaded: false,
            shrunk: HashSet::new(),
            stepped: Vec::new(),
        };
        let is_possible = narrow.block(&function.body);
        (is_possible && (has_loop(function) || has_view(function) || narrow.divides || narrow.multiplies)).then_some(narrow)
    }

    /// The expressions whose values [`Narrow::prove`] looks at.
    pub(crate) fn recorded(&self) -> HashSet<*const Expr> {
        let of_indices = self.indices.iter().flat_map(|index| index.operands.iter().chain([&index.expr]));
        let given = self.locals.values().filter_map(|local| self.given.get(local)).flatten();
        of_indices.chain(&self.demanding).chain(given).copied().collect()
    }

    /// Whether an index is computed of a variable that is given one value from memory after the other.
    fn follows_gathered(&self) -> bool {
        let is_gathered = |operand: &*const Expr| self.locals.get(operand).is_some_and(|local| self.gathered.contains(local));
        self.indices.iter().flat_map(|index| &index.operands).any(is_gathered)
    }

    /// What is computed in 64 bits.
    #[cfg(test)]
    pub(crate) fn wide(&self, bounds: &[Bound]) -> HashSet<*const Expr> {
        let checked = self.indices.iter().filter(|index| bounds[index.site.0] == Bound::Unknown);
        checked.flat_map(|index| &index.wide).copied().collect()
    }

    /// Whether `expr` is a variable that is always below the limit.
    fn is_limited(&self, expr: *const Expr) -> bool {
        self.locals.get(&expr).is_some_and(|local| self.limited.get(local) == Some(&true))
    }

    /// What the launch must compare, once the accesses that it does not check are shown to be in `bounds`. `None` if something is not shown.
    pub(crate) fn prove(
        &self,
        function: &Function,
        walk: &Effects<'_>,
        bounds: &[Bound],
        checks: Checks,
        plain: &PlainLoops,
    ) -> Option<Vec<Inequality>> {
        let is_checked = |site: &SiteId| match &bounds[site.0] {
            Bound::Unknown => true,
            Bound::Below(needs) => checks == Checks::Any && !needs.is_empty(),
        };
        let mut demanding = self.demanding.clone();
        for index in self.indices.iter().filter(|index| is_checked(&index.site)) {
            match &bounds[index.site.0] {
                Bound::Unknown => demanding.extend(&index.operands),
                Bound::Below(_) => _ = demanding.insert(index.expr),
            }
        }
        let evaluated: HashSet<*const Expr> = walk.demanded.iter().map(|demanded| demanded.expr).collect();
        if !demanding.is_subset(&evaluated) || self.sites.iter().any(is_checked) {
            return None;
        }
        let mut needs = plain.needs.clone();
        // The variables that nothing bounds.
        let mut open: HashSet<LocalId> = self.shrunk.clone();
        for Demanded { expr, value, facts } in &walk.demanded {
            if !demanding.contains(expr) || (self.is_limited(*expr) && !self.strided.contains(expr)) {
                continue;
            }
            let limit = if self.strided.contains(expr) { limit().minus(&threads_along_x()?)? } else { limit() };
            match bound_below_limit(value, &limit, facts) {
                Some(bound) => needs.extend(bound),
                None if self.strided.contains(expr) => return None,
                None => _ = open.insert(*self.locals.get(expr)?),
            }
        }
        for local in open {
            for given in self.given.get(&local)? {
                let mut values = walk.demanded.iter().filter(|demanded| demanded.expr == *given).peekable();
                values.peek()?;
                for Demanded { value, facts, .. } in values {
                    needs.extend(bound_below_limit(value, &limit(), facts)?);
                }
            }
        }
        for (index, param) in function.params.iter().enumerate() {
            match function.local(param.local).ty {
                Type::Slice { .. } => needs.push(Inequality { most: Polynomial::atom(Atom::Len(index)), length: limit() }),
                Type::View { .. } => {
                    needs.push(Inequality { most: Polynomial::atom(Atom::Scattered(index)), length: Polynomial::constant(1) });
                }
                _ => {}
            }
        }
        open_inequalities(needs)
    }

    /// The loops whose end is below the limit by the step, where that is a number or one that the launch knows.
    pub(crate) fn plain_loops(&self, walk: &Effects<'_>) -> PlainLoops {
        let mut plain = PlainLoops::default();
        for (counter, end, step) in &self.stepped {
            if let Some(needs) = needs_of_plain_loop(walk, *end, *step) {
                plain.counters.insert(*counter);
                plain.needs.extend(needs);
            }
        }
        plain
    }

    fn demand(&mut self, expr: &Expr) -> bool {
        if is_index(&expr.ty) {
            self.demanding.insert(expr);
            self.note_local(expr);
        }
        self.visit(expr)
    }

    fn note_local(&mut self, expr: &Expr) {
        if let ExprKind::Local(local) = expr.kind {
            self.locals.insert(expr, local);
        }
    }

    /// `local` is declared with a value.
    fn declare(&mut self, local: LocalId, is_limited: bool) {
        self.limited.insert(local, is_limited);
    }

    /// `local` is declared with `init`.
    fn declare_with(&mut self, local: LocalId, init: &Expr) {
        self.declare(local, has_few_bits(init));
        self.given.insert(local, Vec::new());
        self.note_given(local, init);
    }

    fn note_given(&mut self, local: LocalId, value: &Expr) {
        if let Some(given) = self.given.get_mut(&local).filter(|_| !has_few_bits(value)) {
            given.push(value);
        }
    }

    /// `local` is given another value. Of parameters and of names in other patterns than those of `let`, nothing is known.
    fn give(&mut self, local: LocalId, is_limited: bool) {
        if let Some(known) = self.limited.get_mut(&local) {
            *known &= is_limited;
        }
    }

    fn block(&mut self, block: &Block) -> bool {
        let stmts = block.stmts.iter().all(|stmt| match stmt {
            Stmt::Let(binding) => self.binding(binding),
            Stmt::Expr(expr) => self.visit(expr),
        });
        stmts && block.value.as_ref().is_none_or(|value| self.visit(value))
    }

    fn binding(&mut self, binding: &Let) -> bool {
        let Some(init) = &binding.init else { return true };
        if let Some(local) = binding.pattern.as_name() {
            self.declare_with(local, init);
            if is_cast_element(init) {
                self.loaded.insert(local);
            }
        }
        match (&binding.pattern.kind, &init.kind) {
            (PatternKind::Bind { sub: None, .. }, ExprKind::Closure(closure)) => self.closure(closure),
            // The emitter gives each name its value, without a tuple or an array.
            (PatternKind::Tuple(Sequence { parts, rest: None }), ExprKind::Tuple(inits)) if parts.len() == inits.len() => {
                parts.iter().zip(inits).all(|(part, init)| (is_name(part) || !holds_index(&init.ty)) && self.visit(init))
            }
            (
                PatternKind::Tuple(Sequence { parts, rest: None }),
                ExprKind::Intrinsic { intrinsic: Intrinsic::Grid2d | Intrinsic::Grid3d, .. },
            ) => parts.iter().all(is_name),
            _ if is_index(&init.ty) => is_name(&binding.pattern) && self.visit(init),
            _ => !holds_index(&init.ty) && self.visit(init) && binding.otherwise.as_ref().is_none_or(|otherwise| self.block(otherwise)),
        }
    }

    /// Whether `expr`, and what is in it, may be computed in 32 bits, as far as what it consists of is concerned.
    fn visit(&mut self, expr: &Expr) -> bool {
        match &expr.kind {
            // A closure that is passed on may get any arguments.
            ExprKind::Local(_) if matches!(expr.ty, Type::Function(_)) => false,
            ExprKind::Int(_) | ExprKind::Local(_) | ExprKind::Constant(_) => !holds_index(&expr.ty) || is_index(&expr.ty),
            ExprKind::Intrinsic { intrinsic: Intrinsic::Grid1d, .. } => true,
            ExprKind::Intrinsic { intrinsic: Intrinsic::Builtin { builtin: Builtin::LaneId | Builtin::WarpId, .. }, .. } => true,
            ExprKind::Axis { base, .. } => matches!(base.kind, ExprKind::Intrinsic { .. }),
            ExprKind::Binary { op, left, right, .. } if holds_index(&left.ty) || holds_index(&right.ty) => self.binary(*op, left, right),
            ExprKind::Unary { op: UnaryOp::Not, operand } if is_index(&expr.ty) => self.visit(operand),
            ExprKind::Cast { operand, to } if is_index(&operand.ty) && to.is_integer() && to.bits() <= 32 => self.visit(operand),
            ExprKind::Cast { operand, .. } if is_index(&operand.ty) => self.demand(operand),
            ExprKind::Cast { operand, .. } => self.visit(operand),
            ExprKind::Method { method: Method::Len, receiver, .. } => self.visit(receiver),
            ExprKind::Method { method, receiver, .. } if is_index(&receiver.ty) && counts_bits(*method) => {
                let of = complement_of(*method, receiver).unwrap_or(receiver);
                self.demand(of)
            }
            ExprKind::Extent { base, .. } => self.visit(base),
            ExprKind::Field { base, .. } | ExprKind::TupleField { base, .. } if is_index(&expr.ty) => {
                !holds_index(&base.ty) && self.visit(base)
            }
            ExprKind::Method { method, receiver, args, .. } if is_index(&expr.ty) => {
                matches!(method, Method::Min | Method::Max) && self.demand(receiver) && args.iter().all(|arg| self.demand(arg))
            }
            ExprKind::CallLocal { args, .. } if !holds_index(&expr.ty) => args.iter().all(|arg| self.demand(arg)),
            ExprKind::Index { base, index, site } => self.index(expr, base, index, *site),
            ExprKind::Element { base, indices, sites } => {
                self.sites.extend(sites);
                !holds_index(&expr.ty) && self.visit(base) && indices.iter().all(|index| is_index(&index.ty) && self.visit(index))
            }
            ExprKind::Call { args, .. } if !holds_index(&expr.ty) => args.iter().all(|arg| self.demand(arg)),
            ExprKind::If { condition, then, otherwise } => {
                self.visit(condition) && self.block(then) && otherwise.as_ref().is_none_or(|otherwise| self.visit(otherwise))
            }
            ExprKind::Block { label: None, block } => self.block(block),
            ExprKind::Loop { body, .. } => !holds_index(&expr.ty) && self.block(body),
            ExprKind::While { condition, body, .. } => self.visit(condition) && self.block(body),
            ExprKind::For { counter, range, body, .. } => {
                self.declare(*counter, true);
                self.range(*counter, range) && self.block(body)
            }
            ExprKind::Assign { target: Target::Place(place), value } => self.assign(place, value),
            ExprKind::CompoundAssign { op, place, value, .. } if is_index(&place.ty) || is_index(&value.ty) => {
                matches!(place.kind, ExprKind::Local(local) if is_index(&place.ty) && self.compound_assign(*op, local, place, value))
            }
            _ => self.other(expr),
        }
    }

    /// One that has a name. It gets arguments below the limit.
    fn closure(&mut self, closure: &Closure) -> bool {
        closure.params.iter().for_each(|(local, _)| self.declare(*local, true));
        !holds_index(&closure.body.ty) && !holds_index(&closure.output) && self.visit(&closure.body)
    }

    /// What is about other values than indices.
    fn other(&mut self, expr: &Expr) -> bool {
        let is_closed = matches!(
            expr.kind,
            ExprKind::Closure(_)
                | ExprKind::CallLocal { .. }
                | ExprKind::Borrow { .. }
                | ExprKind::Subslice { .. }
                | ExprKind::Assembly(_)
                | ExprKind::Intrinsic { intrinsic: Intrinsic::DynamicShared(_), .. }
        );
        let mut all = !is_closed && !holds_index(&expr.ty);
        expr.for_each_child(&mut |child| all = all && !holds_index(&child.ty) && self.visit(child));
        all
    }

    /// `place op= value`, where the place is `local`.
    fn compound_assign(&mut self, op: BinaryOp, local: LocalId, place: &Expr, value: &Expr) -> bool {
        match op {
            BinaryOp::ShiftRight | BinaryOp::Divide | BinaryOp::Remainder => {
                self.shrunk.insert(local);
                self.note_local(place);
                match op {
                    BinaryOp::ShiftRight => is_small_amount(value),
                    _ => is_index(&value.ty) && self.divisor(value),
                }
            }
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply => {
                self.give(local, false);
                self.note_given(local, place);
                is_index(&value.ty) && self.visit(value)
            }
            _ => false,
        }
    }

    /// The limits of a loop. One with a step compares what is left with it, and adds nothing after the last round.
    fn range(&mut self, counter: LocalId, range: &Range) -> bool {
        // A counter of another type would wrap around at its own end.
        if let Range::Bounds { end, inclusive: false, adapters, .. } = range
            && let [RangeAdapter::StepBy { step, .. }] = &adapters[..]
            && is_index(&end.ty)
        {
            self.stepped.push((counter, &raw const **end, &raw const **step));
        }
        self.bounds(range)
    }

    fn bounds(&mut self, range: &Range) -> bool {
        match range {
            Range::Bounds { start, end, adapters, .. } => {
                let mut steps = adapters.iter().filter_map(|adapter| match adapter {
                    RangeAdapter::StepBy { step, .. } => Some(step),
                    RangeAdapter::Rev(_) => None,
                });
                self.demand(start) && self.demand(end) && steps.all(|step| self.demand(step))
            }
            Range::GridStride { length, .. } => {
                self.strided.insert(&raw const **length);
                self.demand(length)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Expr, right: &Expr) -> bool {
        match op {
            // By a literal: the number of bits that count depends on the type.
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight if !holds_index(&left.ty) => self.visit(left) && self.visit(right),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                is_small_amount(right) && is_index(&left.ty) && if op == BinaryOp::ShiftLeft { self.visit(left) } else { self.demand(left) }
            }
            _ if !is_index(&left.ty) || !is_index(&right.ty) => false,
            BinaryOp::Divide | BinaryOp::Remainder => self.demand(left) && self.divisor(right),
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                self.multiplies |= op == BinaryOp::Multiply && !is_number(left) && !is_number(right);
                self.visit(left) && self.visit(right)
            }
            BinaryOp::Equal | BinaryOp::NotEqual | BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual => {
                self.demand(left) && self.demand(right)
            }
            BinaryOp::PartialOrder | BinaryOp::TotalOrder => false,
        }
    }

    fn divisor(&mut self, divisor: &Expr) -> bool {
        self.divides |= !is_number(divisor);
        self.demand(divisor)
    }

    /// `base[index]`, which is `element`.
    fn index(&mut self, element: &Expr, base: &Expr, index: &Expr, site: SiteId) -> bool {
        let mut operands = Index { site, expr: index, wide: Vec::new(), operands: Vec::new() };
        self.add_operands(index, &mut operands);
        self.indices.push(operands);
        let is_array = matches!(base.ty, Type::Slice { .. } | Type::Array(..) | Type::Shared(_) | Type::Table(_));
        is_array && !holds_index(&element.ty) && is_index(&index.ty) && self.visit(base) && self.visit(index)
    }

    fn add_operands(&mut self, expr: &Expr, index: &mut Index) {
        match wide_operands(expr) {
            Some(operands) => {
                index.wide.push(expr);
                let is_product = matches!(expr.kind, ExprKind::Binary { op: BinaryOp::Multiply, .. });
                let is_loaded =
                    |expr: &&Expr| is_cast_element(expr) || matches!(&expr.kind, ExprKind::Local(local) if self.loaded.contains(local));
                self.scales_loaded |= is_product && operands.iter().any(is_loaded);
                operands.into_iter().for_each(|operand| self.add_operands(operand, index));
            }
            None => {
                index.operands.push(expr);
                self.note_local(expr);
            }
        }
    }

    fn assign(&mut self, place: &Expr, value: &Expr) -> bool {
        if let ExprKind::Local(local) = place.kind {
            self.give(local, has_few_bits(value));
            self.note_given(local, value);
            if is_cast_element(value) {
                self.gathered.insert(local);
            }
        }
        match &place.kind {
            _ if !holds_index(&value.ty) => self.visit(value) && self.visit(place),
            ExprKind::Local(_) => is_index(&value.ty) && self.visit(value),
            _ => false,
        }
    }
}

/// `x[i] as usize`
fn is_cast_element(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Cast { operand, .. } if matches!(operand.kind, ExprKind::Index { .. }))
}

/// Whether a value is below the limit by its form.
fn has_few_bits(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(literal) => u32::try_from(literal.value).is_ok(),
        ExprKind::Cast { operand, .. } => {
            operand.ty.as_scalar().is_some_and(|from| from.is_integer() && !from.is_signed_integer() && from.bits() <= 32)
        }
        _ => false,
    }
}

/// Whether a variable can have 32 bits, if it is a `usize`, or what is not one can stay what it is.
fn may_be_narrow(local: &Local) -> bool {
    match (&local.ty, local.kind) {
        (Type::Slice { .. } | Type::View { .. }, LocalKind::Param(_)) => true,
        (Type::Function(_), LocalKind::Param(_)) | (Type::Slice { .. } | Type::View { .. }, _) => false,
        (Type::Function(_), _) => true,
        (ty, _) => !holds_index(ty) || (is_index(ty) && !local.is_reference()),
    }
}

fn is_index(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(Scalar::Usize))
}

/// Whether a value of the type has a `usize` in it.
fn holds_index(ty: &Type) -> bool {
    match ty {
        Type::Scalar(Scalar::Usize) | Type::Dim3 => true,
        // Its elements stay in memory.
        Type::Slice { .. } | Type::View { .. } => false,
        _ => {
            let mut found = false;
            ty.for_each_part(&mut |part| found = found || holds_index(part));
            found
        }
    }
}

fn is_name(pattern: &Pattern) -> bool {
    matches!(pattern.kind, PatternKind::Wildcard | PatternKind::Bind { sub: None, .. })
}

/// Whether the compiler knows it.
fn is_number(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Int(_) | ExprKind::Constant(_))
}

/// Whether it is a literal by which a shift keeps some of 32 bits.
fn is_small_amount(amount: &Expr) -> bool {
    matches!(&amount.kind, ExprKind::Int(literal) if literal.value < 32)
}

/// A method of a `usize` that counts some of its bits.
pub(crate) fn counts_bits(method: Method) -> bool {
    matches!(method, Method::TrailingZeros | Method::LeadingZeros | Method::CountOnes)
}

/// `y`, in `(!y).trailing_zeros()`: the high bits of `!y` are known if `y` is below the limit.
pub(crate) fn complement_of(method: Method, receiver: &Expr) -> Option<&Expr> {
    match &receiver.kind {
        ExprKind::Unary { op: UnaryOp::Not, operand } if method == Method::TrailingZeros => Some(operand),
        _ => None,
    }
}

/// When `end` is below the limit by `step`.
fn needs_of_plain_loop(walk: &Effects<'_>, end: *const Expr, step: *const Expr) -> Option<Vec<Inequality>> {
    let of = |expr: *const Expr| walk.demanded.iter().filter(move |demanded| demanded.expr == expr);
    let mut needs = Vec::new();
    for Demanded { value: step, .. } in of(step) {
        let step = step.form.to_quantity().or_else(|| step.form.never_wraps().then(|| step.form.to_polynomial()).flatten())?;
        let limit = limit().minus(&step)?;
        for Demanded { value, facts, .. } in of(end) {
            needs.extend(bound_below_limit(value, &limit, facts)?);
        }
    }
    of(step).next().map(|_| needs)
}

fn threads_along_x() -> Option<Polynomial> {
    let (grid, block) = (Polynomial::atom(Atom::GridDim(Axis::X)), Polynomial::atom(Atom::BlockDim(Axis::X)));
    grid.times(&block)
}

fn limit() -> Polynomial {
    Polynomial::constant(LIMIT)
}
