//! Statements, one after the other, and blocks in blocks.

use super::primal::Loss;
use super::reverse::{Reverse, Tail, Variable};
use super::step::{Code, Outside, Step, Var, declared_in, rename};
use super::tokens_of;
use super::values::{Gradient, Value, let_step};
use crate::idents::word;
use crate::model::*;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;
use std::collections::HashMap;

impl Reverse<'_> {
    pub(super) fn statements(&mut self, stmts: &[Stmt], value: Option<&Expr>, tail: Tail) {
        for (index, stmt) in stmts.iter().enumerate() {
            match stmt {
                Stmt::Let(declared) => {
                    self.declare(declared);
                }
                Stmt::Expr(expr) => {
                    if let ExprKind::If { condition, then, otherwise: None } = &expr.kind
                        && let Some((before, exit)) = exit_of(then, tail)
                    {
                        // Nothing is to be reversed so far: then nothing is left out by leaving.
                        let is_first = tail.is_outermost() && self.tape.iter().all(|entry| entry.reverse.is_empty());
                        if let (Exit::Leave(exit), true) = (&exit, before.is_empty() && is_first) {
                            self.leave(condition, exit.clone());
                            continue;
                        }
                        let rest = &stmts[index + 1..];
                        let mut then = |reverse: &mut Self| {
                            reverse.statements(before, None, Tail::None);
                            if let Exit::Break = exit {
                                reverse.leave_loop();
                            }
                        };
                        self.branch(condition, &mut then, &mut |reverse| reverse.statements(rest, value, tail.inner()));
                        return;
                    }
                    let is_last = index + 1 == stmts.len() && value.is_none();
                    self.statement(expr, if is_last { tail } else { Tail::None });
                }
            }
        }
        if let Some(value) = value {
            self.statement(value, tail);
        }
    }

    fn leave(&mut self, condition: &Expr, exit: TokenStream) {
        if let Some(condition) = self.condition(condition) {
            let condition = self.stable(condition);
            self.note_exit();
            self.push(vec![Step::Exit { condition, exit }], Vec::new());
        }
    }

    fn leave_loop(&mut self) {
        self.has_breaks = true;
        self.push(vec![Step::Break], Vec::new());
    }

    pub(super) fn condition(&mut self, condition: &Expr) -> Option<Code> {
        match find_let(condition) {
            Some(condition) => self.unsupported(condition),
            None => self.primal(condition, Loss::Allowed),
        }
    }

    /// `tail`: of the block that it ends, if it does.
    fn statement(&mut self, expr: &Expr, tail: Tail) {
        match &expr.kind {
            ExprKind::Assign { target: Target::Place(place), value } => {
                self.assign_place(place, value);
            }
            ExprKind::Assign { target: Target::Wildcard(_), value } => self.dropped(value),
            ExprKind::CompoundAssign { op, place, value, .. } => {
                self.compound_assign(*op, place, value, expr.operator);
            }
            ExprKind::If { condition, then, otherwise } => {
                let inner = tail.inner();
                self.branch(condition, &mut |reverse| reverse.body(then, inner), &mut |reverse| {
                    if let Some(otherwise) = otherwise {
                        reverse.statement(otherwise, inner);
                    }
                });
            }
            ExprKind::Block { label: None, block } => self.body(block, tail.inner()),
            ExprKind::For { label, counter, range, body } => {
                self.for_loop(*label, *counter, range, body, expr.span);
            }
            ExprKind::While { label, condition, body } => {
                self.while_loop(*label, Some(condition), body, expr.span);
            }
            ExprKind::Loop { label, body } => {
                self.while_loop(*label, None, body, expr.span);
            }
            ExprKind::Return(None) if matches!(tail, Tail::Function(_)) => {}
            ExprKind::Continue { label, .. } if matches!(tail, Tail::Loop(of, _) if of == *label) => {}
            ExprKind::Break { label, value: None, .. } if matches!(tail, Tail::Loop(of, _) if of == *label) => self.leave_loop(),
            ExprKind::Tuple(elements) if elements.is_empty() => {}
            ExprKind::Intrinsic { intrinsic: Intrinsic::Builtin { builtin: Builtin::SyncThreads, .. }, .. } => {
                self.barrier(expr.span);
            }
            ExprKind::Intrinsic { .. } => {
                self.primal(expr, Loss::Allowed);
            }
            _ => {
                self.unsupported::<()>(expr);
            }
        }
    }

    /// A value that nobody uses. What evaluating it changes stays.
    fn dropped(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Tuple(parts) => parts.iter().for_each(|part| self.dropped(part)),
            ExprKind::Block { label: None, block } => self.dropped_block(block),
            ExprKind::If { condition, then, otherwise: Some(otherwise) } => {
                self.branch(condition, &mut |reverse| reverse.dropped_block(then), &mut |reverse| reverse.dropped(otherwise));
            }
            _ if expr.writes() || expr.any(&|inner| matches!(inner.action(), Action::Jump | Action::Panic)) => {
                self.statement(expr, Tail::None);
            }
            _ => {}
        }
    }

    fn dropped_block(&mut self, block: &Block) {
        self.statements(&block.stmts, None, Tail::None);
        if let Some(value) = &block.value {
            self.dropped(value);
        }
    }

    // Variables.

    fn declare(&mut self, declared: &Let) -> Option<()> {
        if let Some(otherwise) = &declared.otherwise {
            return self.refuse(
                otherwise.span,
                "the gradient of a kernel: `let … else` is not supported\nhelp: compare the index with the length in an `if`",
            );
        }
        if let (PatternKind::Bind { local, .. }, Some(init)) = (&declared.pattern.kind, &declared.init)
            && let ExprKind::Intrinsic { intrinsic: Intrinsic::Shared(_) | Intrinsic::DynamicShared(_), .. } = init.kind
        {
            return self.declare_shared(*local, init);
        }
        let Some(init) = &declared.init else {
            let PatternKind::Bind { local, .. } = &declared.pattern.kind else { return Some(()) };
            let Some(zero) = self.function.local(*local).ty.as_scalar().map(zero_of) else {
                return self.refuse(declared.span, "the type of this variable is not known\nhelp: write it, such as `let y: f32;`");
            };
            let var = self.var_of(*local);
            // As one that changes, it may be assigned in both sweeps.
            self.variables[var.0].is_mutable = true;
            if self.activity.varies(*local) {
                self.declare_gradient(*local)?;
            }
            self.push(vec![let_step(var, None, Code::constant(zero))], Vec::new());
            return Some(());
        };
        self.bind(&declared.pattern, init)
    }

    fn bind(&mut self, pattern: &Pattern, init: &Expr) -> Option<()> {
        match (&pattern.kind, &init.kind) {
            (PatternKind::Wildcard, _) => {
                self.dropped(init);
                Some(())
            }
            (PatternKind::Bind { local, sub: None }, ExprKind::Borrow { operand, .. }) => self.bind_place(*local, operand),
            (PatternKind::Bind { local, sub: None }, ExprKind::Call { path, args, .. })
                if self.activity.is_active(init) && self.has_parts(&[], &self.function.local(*local).ty) =>
            {
                self.bind_call(*local, path, args, init.span)
            }
            (PatternKind::Bind { local, sub: None }, _) if self.is_array_of_numbers(*local) => self.declare_array(*local, init),
            (PatternKind::Bind { local, sub: None }, _) => self.bind_variable(*local, init),
            (PatternKind::Tuple(Sequence { parts, rest: None }), _) if !self.activity.is_active(init) => self.bind_parts(parts, init),
            _ => self.refuse_pattern(pattern),
        }
    }

    fn refuse_pattern<T>(&mut self, pattern: &Pattern) -> Option<T> {
        self.refuse(pattern.span, "the gradient of a kernel: this pattern is not supported\nhelp: declare a variable for each number")
    }

    fn bind_variable(&mut self, local: LocalId, init: &Expr) -> Option<()> {
        let var = self.var_of(local);
        let span = init.span;
        let scalar = self.function.local(local).ty.as_scalar();
        if !self.activity.varies(local) {
            let Some(code) = self.primal(init, Loss::Refused) else {
                self.refused.insert(local);
                return None;
            };
            let ty = &self.function.local(local).ty;
            let ty = (scalar.is_some() || self.shapes.of_type(ty).is_some()).then(|| tokens_of(ty));
            self.push(vec![Step::Let { var, ty, value: code }], Vec::new());
            return Some(());
        }
        // Its value may name another variable of this name.
        let Some(Value { code, gradient: to }) = self.value(init) else {
            self.refused.insert(local);
            return None;
        };
        let gradient = self.declare_gradient(local)?;
        let grown = self.read(gradient.var, span);
        let reverse = to.map(|to| self.contribute(to, grown)).into_iter().collect();
        self.push(vec![let_step(var, Some(gradient.scalar), code)], reverse);
        Some(())
    }

    /// A reference to an element of a parameter, or to a part of one.
    fn bind_place(&mut self, local: LocalId, operand: &Expr) -> Option<()> {
        if self.param_of(operand).is_none() || matches!(operand.kind, ExprKind::Local(_)) {
            return self.refuse(
                operand.span,
                "the gradient of a kernel: a reference here is not supported\nhelp: use the variable or the element itself",
            );
        }
        let place = self.place_of(operand)?;
        self.places.insert(local, place);
        Some(())
    }

    fn bind_parts(&mut self, parts: &[Pattern], init: &Expr) -> Option<()> {
        let code = self.primal(init, Loss::Refused)?;
        let mut vars = Vec::new();
        let mut names = Vec::new();
        for part in parts {
            match &part.kind {
                PatternKind::Wildcard => names.push(quote!(_)),
                PatternKind::Bind { local, sub: None } => {
                    let var = self.var_of(*local);
                    vars.push(var);
                    let (name, is_mutable) = (self.name_tokens(var), self.is_mutable(var).then(|| quote!(mut)));
                    names.push(quote!(#is_mutable #name));
                }
                _ => return self.refuse_pattern(part),
            }
        }
        self.push(vec![Step::Parts { vars, pattern: quote!((#(#names),*)), value: code }], Vec::new());
        Some(())
    }

    // Assignments.

    /// `var = value`
    pub(super) fn assign(&mut self, var: Var, gradient: Option<Gradient>, value: &Value) {
        let forward = vec![Step::Set { var, is_sum: false, value: value.code.clone() }];
        let mut reverse = Vec::new();
        if let Some(gradient) = gradient {
            let span = Span::mixed_site();
            if let Some(to) = value.gradient {
                let taken = self.fresh("g");
                reverse.push(let_step(taken, Some(gradient.scalar), self.read(gradient.var, span)));
                reverse.push(Step::Set { var: gradient.var, is_sum: false, value: super::reverse::zero(gradient.scalar) });
                let taken = self.read(taken, span);
                reverse.push(self.contribute(to, taken));
            } else {
                reverse.push(Step::Set { var: gradient.var, is_sum: false, value: super::reverse::zero(gradient.scalar) });
            }
        }
        self.push(forward, reverse);
    }

    fn assign_place(&mut self, place: &Expr, value: &Expr) -> Option<()> {
        match &place.kind {
            ExprKind::Local(local) if !self.places.contains_key(local) && !self.is_written(*local) => {
                if self.function.local(*local).kind == LocalKind::LoopCounter {
                    return self.unsupported(place);
                }
                let var = self.var_of(*local);
                if self.function.local(*local).is_reference() {
                    return self.unsupported(place);
                }
                if !self.activity.varies(*local) {
                    let code = self.primal(value, Loss::Refused)?;
                    self.push(vec![Step::Set { var, is_sum: false, value: code }], Vec::new());
                    return Some(());
                }
                let gradient = self.gradient_of(*local, place.span)?;
                let value = self.value(value)?;
                self.assign(var, Some(gradient), &value);
                Some(())
            }
            _ => self.write_element(place, value, None),
        }
    }

    fn is_written(&self, local: LocalId) -> bool {
        self.function.local(local).param().is_some_and(|param| self.parameters[param].is_written)
    }

    fn compound_assign(&mut self, op: BinaryOp, place: &Expr, value: &Expr, span: Span) -> Option<()> {
        let ExprKind::Local(local) = place.kind else { return self.write_element(place, value, Some(op)) };
        if self.places.contains_key(&local) {
            return self.write_element(place, value, Some(op));
        }
        if self.function.local(local).is_reference() {
            return self.unsupported(place);
        }
        let var = self.var_of(local);
        if !self.activity.varies(local) {
            let code = self.primal(value, Loss::Refused)?;
            let now = self.read(var, place.span);
            let code = super::primal::binary(op.symbol(), &now, &code, span);
            self.push(vec![Step::Set { var, is_sum: false, value: code }], Vec::new());
            return Some(());
        }
        let gradient = self.gradient_of(local, place.span)?;
        // Next to another type, the operator may be the user's.
        self.scalar_of(value)?;
        let value = self.value(value)?;
        if let BinaryOp::Add | BinaryOp::Subtract = op {
            let tokens = &value.code.tokens;
            let sign = (op == BinaryOp::Subtract).then(|| quote!(-));
            let forward = Code::of(quote!(#sign #tokens), [&value.code]);
            let g = self.read(gradient.var, span);
            let g_tokens = &g.tokens;
            let grown = Code::of(quote!(#sign #g_tokens), [&g]);
            let reverse = value.gradient.map(|to| self.contribute(to, grown)).into_iter().collect();
            self.push(vec![Step::Set { var, is_sum: true, value: forward }], reverse);
            return Some(());
        }
        let now = self.mutable_value(var, gradient, place.span);
        let result = self.binary_value(op, &now, &value, gradient.scalar, span)?;
        self.assign(var, Some(gradient), &result);
        Some(())
    }

    /// `array[index] = value`, or with `op` `array[index] op= value`, of an array that the kernel writes.
    fn write_element(&mut self, place: &Expr, value: &Expr, op: Option<BinaryOp>) -> Option<()> {
        if self.own_element(place).is_some() {
            return self.write_own(place, value, op);
        }
        let Some(param) = self.param_of(place).filter(|param| self.parameters[*param].is_written) else {
            if place.place().variable().is_some_and(|local| self.refused.contains(&local)) {
                return None;
            }
            let name = place.place().variable().map(|local| self.function.local(local).name.clone());
            let name = name.map_or_else(String::new, |name| format!(" `{name}`"));
            return self.refuse(
                place.span,
                format!(
                    "the gradient of a kernel: changing a part of the variable{name} is not supported\nhelp: use a variable for each number"
                ),
            );
        };
        let span = place.operator;
        let Some(scalar) = place.ty.as_scalar().filter(|scalar| scalar.is_float()) else {
            // Integers have no gradient. What decides about them is checked all the same.
            self.primal(value, Loss::Refused)?;
            self.place_of(place)?;
            return Some(());
        };
        if op.is_some() {
            self.scalar_of(value)?;
        }
        // As in Rust, the value comes before the place: it may change what the index consists of.
        let value = self.value(value)?;
        let place = self.place_of(place)?;
        let taken = self.fresh("g");
        let read = self.code_at(&place, span);
        let mut reverse = Vec::new();
        let sign = match op {
            None if self.parameters[param].is_consumed => {
                let zero = super::reverse::zero(scalar).tokens;
                reverse.push(Step::Take { var: taken, zero, place, span });
                None
            }
            None | Some(BinaryOp::Add) => None,
            Some(BinaryOp::Subtract) => Some(quote!(-)),
            Some(_) => {
                let name = self.parameters[param].user_name.clone();
                return self.refuse_read(&name, span);
            }
        };
        if let Some(to) = value.gradient {
            if reverse.is_empty() {
                reverse.push(let_step(taken, Some(scalar), read));
            }
            let g = self.read(taken, span);
            let tokens = &g.tokens;
            reverse.push(self.contribute(to, Code::of(quote!(#sign #tokens), [&g])));
        }
        self.push(Vec::new(), reverse);
        Some(())
    }

    // Blocks in blocks.

    pub(super) fn branch(&mut self, condition: &Expr, then: &mut dyn FnMut(&mut Self), otherwise: &mut dyn FnMut(&mut Self)) {
        let span = condition.span;
        let condition = self.condition(condition).map(|condition| self.stable(condition));
        let (then, otherwise) = self.in_branch(|reverse| (reverse.block(then), reverse.block(otherwise)));
        let Some(condition) = condition else { return };
        let forward = Step::If { condition: condition.clone(), then: then.0.clone(), otherwise: otherwise.0.clone() };
        let has_reverse = !then.1.is_empty() || !otherwise.1.is_empty();
        let both = |(forward, reverse): (Vec<Step>, Vec<Step>)| [self.branch_again(forward), reverse].concat();
        let both = Step::If { condition, then: both(then), otherwise: both(otherwise) };
        self.note_branch(&forward, &both, span);
        let (before, mut again) = self.again(vec![both]);
        let forward = [before, vec![forward]].concat();
        let again = if again.len() == 1 { again } else { vec![Step::Scope(std::mem::take(&mut again))] };
        self.push(forward, if has_reverse { again } else { Vec::new() });
    }

    /// What computes `steps` again later: before them now, copies of the variables that change; then, these variables from the copies, and the
    /// steps with variables of their own.
    pub(super) fn again(&mut self, mut steps: Vec<Step>) -> (Vec<Step>, Vec<Step>) {
        let outside = Outside::of(&steps);
        let mut changing: Vec<Var> = outside.reads.iter().chain(outside.sets.keys()).copied().collect();
        changing.retain(|var| self.is_mutable(*var) && !self.variables[var.0].is_gradient);
        changing.sort();
        changing.dedup();
        let mut names: HashMap<Var, Var> = HashMap::new();
        let (mut before, mut again) = (Vec::new(), Vec::new());
        for var in changing {
            let base = format!("{}_before", word(&self.variables[var.0].name));
            let copy = self.fresh(&base);
            before.push(let_step(copy, None, self.read(var, Span::mixed_site())));
            let own = self.same_name(var);
            again.push(let_step(own, None, self.read(copy, Span::mixed_site())));
            names.insert(var, own);
        }
        rename(&mut steps, &names);
        again.extend(self.with_own_variables(steps));
        (before, again)
    }

    /// The steps, with other variables of the same names for those that they declare.
    pub(super) fn with_own_variables(&mut self, mut steps: Vec<Step>) -> Vec<Step> {
        let mut declared: Vec<Var> = declared_in(&steps).into_iter().collect();
        declared.sort();
        let names = declared.into_iter().map(|var| (var, self.same_name(var))).collect();
        rename(&mut steps, &names);
        steps
    }

    pub(super) fn same_name(&mut self, var: Var) -> Var {
        let Variable { name, is_mutable, of, is_gradient } = &self.variables[var.0];
        let same = Variable { name: name.clone(), is_mutable: *is_mutable, of: *of, is_gradient: *is_gradient };
        self.variable(same)
    }
}

/// How an iteration, or the function, ends before its last statement.
pub(super) enum Exit {
    /// `return` or `continue`.
    Leave(TokenStream),
    /// No other iteration comes after this one.
    Break,
}

/// What stands before the exit at the end of the block, and the exit, if leaving the block of `tail` is all that it does.
pub(super) fn exit_of(block: &Block, tail: Tail) -> Option<(&[Stmt], Exit)> {
    let (last, before) = match (&block.value, block.stmts.split_last()) {
        (Some(value), _) => (&**value, &block.stmts[..]),
        (None, Some((Stmt::Expr(last), before))) => (&**last, before),
        _ => return None,
    };
    match (&last.kind, tail) {
        (ExprKind::Return(None), Tail::Function(_)) => Some((before, Exit::Leave(quote!(return)))),
        (ExprKind::Continue { label, .. }, Tail::Loop(of, _)) if *label == of => Some((before, Exit::Leave(quote!(continue)))),
        (ExprKind::Break { label, value: None, .. }, Tail::Loop(of, _)) if *label == of => Some((before, Exit::Break)),
        _ => None,
    }
}

fn find_let(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Let { .. } => Some(expr),
        ExprKind::Logical { left, right, .. } => find_let(left).or_else(|| find_let(right)),
        _ => None,
    }
}

pub(super) fn zero_of(scalar: Scalar) -> TokenStream {
    match scalar {
        Scalar::Bool => quote!(false),
        Scalar::F32 | Scalar::F64 => super::reverse::zero(scalar).tokens,
        _ => {
            let name = Ident::new(scalar.name(), Span::call_site());
            let zero = Literal::usize_unsuffixed(0);
            quote!((#zero as #name))
        }
    }
}
