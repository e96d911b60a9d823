//! Which expressions of a function are demanding, and whether all may be computed in 32 bits.

use super::small::sums_of;
use super::*;
use quote::ToTokens;

impl Narrow {
    pub(super) fn body(&mut self, function: &Function) -> bool {
        match &function.body.value {
            Some(value) if is_index(&function.output) => self.statements(&function.body) && self.demand(value),
            _ => self.block(&function.body),
        }
    }

    fn demand(&mut self, expr: &Expr) -> bool {
        // Its operands must be below the limit, so it is.
        let is_small = matches!(expr.kind, ExprKind::Method { method, .. } if makes_no_more_bits(method));
        if is_index(&expr.ty) && !is_small {
            self.demanding.insert(expr);
            self.note_local(expr);
            self.rely_on(expr);
        }
        self.visit(expr)
    }

    /// What `expr` is computed of in 64 bits.
    fn demand_operands(&mut self, expr: &Expr) -> bool {
        match wide_operands(expr, &self.signed) {
            Some(operands) => {
                self.compared.push(expr);
                operands.iter().all(|operand| self.demand_operands(operand)) && (!operands.is_empty() || self.visit(expr))
            }
            None => self.demand(expr),
        }
    }

    /// What `expr` returns, if it is a call, must be below the limit.
    fn rely_on(&mut self, expr: &Expr) {
        if is_index(&expr.ty) && matches!(expr.kind, ExprKind::Call { .. }) {
            self.relied.insert(expr);
        }
    }

    /// A call gets arguments below the limit. One of another type than the macro knows may be anything.
    fn call(&mut self, call: &Expr, args: &[Expr], awaited: bool) -> bool {
        let is_possible = (!holds_index(&call.ty) || is_index(&call.ty)) && args.iter().all(|arg| self.argument(arg));
        if !awaited && args.iter().all(|arg| self.is_known_argument(arg)) {
            self.calls.insert(call);
        }
        is_possible && (!self.relied.contains(&(&raw const *call)) || self.calls.contains(&(&raw const *call)))
    }

    /// What has a name is passed as it is, an array with its length.
    fn argument(&mut self, arg: &Expr) -> bool {
        match &arg.kind {
            ExprKind::Borrow { operand, .. } if matches!(operand.kind, ExprKind::Local(_)) => {
                !holds_index(&operand.ty) && self.visit(operand)
            }
            _ => self.demand(arg),
        }
    }

    fn is_known_argument(&mut self, arg: &Expr) -> bool {
        match &arg.kind {
            ExprKind::Int(literal) => u32::try_from(literal.value).is_ok(),
            ExprKind::Constant(path) if !is_index(&arg.ty) => {
                let constant = ConstantExpr::from(path.to_token_stream());
                let is_number = self.numbers.contains(constant.text());
                if is_number {
                    self.constants.push(constant);
                }
                is_number
            }
            // Who takes a reference to a `usize` has 64 bits.
            ExprKind::Borrow { operand, .. } => is_known(&operand.ty) || matches!(operand.ty, Type::Named(_)),
            _ => is_known(&arg.ty),
        }
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
        self.statements(block) && block.value.as_ref().is_none_or(|value| self.visit(value))
    }

    fn statements(&mut self, block: &Block) -> bool {
        block.stmts.iter().all(|stmt| match stmt {
            Stmt::Let(binding) => self.binding(binding),
            Stmt::Expr(expr) => self.visit(expr),
        })
    }

    fn binding(&mut self, binding: &Let) -> bool {
        binding.init.as_ref().is_none_or(|init| {
            let is_possible = self.initialized_binding(binding, init);
            self.or_refuse(is_possible, init)
        })
    }

    fn initialized_binding(&mut self, binding: &Let, init: &Expr) -> bool {
        if let Some(local) = binding.pattern.as_name() {
            self.declare_with(local, init);
            if self.loops > 0 {
                self.inits.insert(local, sums_of(init));
            }
            self.rely_on(init);
            if is_cast_element(init) {
                self.loaded.insert(local);
            }
        }
        // The emitter gives each name its value, without a tuple or an array.
        if let Some((parts, inits)) = binding.pattern.with_values(init) {
            return parts.iter().zip(inits).all(|(part, init)| (is_name(part) || !holds_index(&init.ty)) && self.visit(init));
        }
        match (&binding.pattern.kind, &init.kind) {
            (PatternKind::Bind { sub: None, .. }, ExprKind::Closure(closure)) => self.closure(closure),
            (
                PatternKind::Tuple(Sequence { parts, rest: None }),
                ExprKind::Intrinsic { intrinsic: Intrinsic::Grid2d | Intrinsic::Grid3d, .. },
            ) => parts.iter().all(is_name),
            _ if is_index(&init.ty) => is_name(&binding.pattern) && self.store(init, &binding.ty),
            _ => !holds_index(&init.ty) && self.visit(init) && binding.otherwise.as_ref().is_none_or(|otherwise| self.block(otherwise)),
        }
    }

    /// Whether it `is_possible` in 32 bits. Where it is not, `expr` is the reason, unless one in it is.
    fn or_refuse(&mut self, is_possible: bool, expr: &Expr) -> bool {
        if !is_possible {
            self.refused.get_or_insert(expr);
        }
        is_possible
    }

    /// Whether `expr`, and what is in it, may be computed in 32 bits, as far as what it consists of is concerned.
    fn visit(&mut self, expr: &Expr) -> bool {
        let is_possible = self.visit_kind(expr);
        self.or_refuse(is_possible, expr)
    }

    fn visit_kind(&mut self, expr: &Expr) -> bool {
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
            ExprKind::Method { method, receiver, .. } if is_index(&receiver.ty) && asks_about_all_bits(*method) => self.demand(receiver),
            ExprKind::Method { method, receiver, args, .. } if is_index(&expr.ty) && follows_from_low_bits(*method) => {
                self.visit(receiver) && args.iter().all(|arg| self.visit(arg))
            }
            ExprKind::Method { method, receiver, args, .. } if is_index(&expr.ty) && makes_no_more_bits(*method) => {
                self.divides |= is_division(*method) && !args.iter().all(is_number);
                self.demand(receiver) && args.iter().all(|arg| self.demand(arg))
            }
            ExprKind::CallLocal { args, .. } if !holds_index(&expr.ty) => args.iter().all(|arg| self.demand(arg)),
            ExprKind::Index { base, index, site } => self.index(expr, base, index, *site),
            ExprKind::Element { base, indices, sites } => {
                self.sites.extend(sites);
                !holds_index(&expr.ty) && self.visit(base) && indices.iter().all(|index| is_index(&index.ty) && self.visit(index))
            }
            ExprKind::Call { args, awaited, .. } => self.call(expr, args, *awaited),
            ExprKind::Return(Some(value)) if is_index(&value.ty) => self.demand(value),
            ExprKind::If { condition, then, otherwise } => {
                self.visit(condition) && self.block(then) && otherwise.as_ref().is_none_or(|otherwise| self.visit(otherwise))
            }
            ExprKind::Block { label: None, block } => self.block(block),
            ExprKind::Loop { body, .. } => !holds_index(&expr.ty) && self.rounds(|narrow| narrow.block(body)),
            ExprKind::While { condition, body, .. } => self.rounds(|narrow| narrow.visit(condition) && narrow.block(body)),
            ExprKind::For { counter, range, body, .. } => {
                self.declare(*counter, true);
                self.range(*counter, range) && self.rounds(|narrow| narrow.block(body))
            }
            ExprKind::Assign { target: Target::Place(place), value } => self.assign(place, value),
            ExprKind::CompoundAssign { op, place, value, .. } if is_index(&place.ty) || is_index(&value.ty) => {
                matches!(place.kind, ExprKind::Local(local) if is_index(&place.ty) && self.compound_assign(*op, local, place, value))
            }
            _ => self.other(expr),
        }
    }

    /// What `visit` visits in each round of a loop.
    fn rounds(&mut self, visit: impl FnOnce(&mut Self) -> bool) -> bool {
        self.loops += 1;
        let is_possible = visit(self);
        self.loops -= 1;
        is_possible
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
                self.shrunk.insert(local, place);
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
            // To which the number of threads is added, also where a method makes it of numbers below the limit.
            Range::GridStride { length, .. } => {
                self.strided.insert(&raw const **length);
                self.demanding.insert(&raw const **length);
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
            _ if is_wide_comparison(op, left, right, &self.signed) => self.demand_operands(left) && self.demand_operands(right),
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
        let mut operands = Index { site, expr: index, wide: Vec::new(), operands: Vec::new(), constant: None };
        match self.signed.cast_index(index) {
            Some(cast) => {
                self.casts_index |= !cast.is_plain();
                operands.constant = cast.constant();
            }
            None => self.add_operands(index, &mut operands),
        }
        self.indices.push(operands);
        if self.loops > 0 && matches!(base.ty, Type::Slice { .. }) {
            self.note_sums(index, site);
        }
        let is_array = matches!(base.ty, Type::Slice { .. } | Type::Array(..) | Type::Shared(_) | Type::Table(_));
        is_array && !holds_index(&element.ty) && is_index(&index.ty) && self.visit(base) && self.visit(index)
    }

    fn add_operands(&mut self, expr: &Expr, index: &mut Index) {
        match wide_operands(expr, &self.signed) {
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
            self.rely_on(value);
            if is_cast_element(value) {
                self.gathered.insert(local);
            }
        }
        match &place.kind {
            _ if !holds_index(&value.ty) => self.visit(value) && self.visit(place),
            ExprKind::Local(_) => is_index(&value.ty) && self.store(value, &place.ty),
            _ => false,
        }
    }

    /// An index in a variable of type `ty`. One whose type has another name has 64 bits.
    fn store(&mut self, value: &Expr, ty: &Type) -> bool {
        if is_index(ty) { self.visit(value) } else { self.demand(value) }
    }
}
