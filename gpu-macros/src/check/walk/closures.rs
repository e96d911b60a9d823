//! Closures that are only called by their names.
//!
//! What a closure does depends on its arguments. So one of plain expressions is walked again at each of its calls, with the values and facts
//! that the call has: `let at = |x: usize, y: usize| before[y * w + x]` is in bounds if all calls are. As it changes nothing, and nothing
//! changes what it names while it may be called, this is what the call evaluates.

use super::walker::Walker;
use crate::check::values::interval::Interval;
use crate::check::values::value::Value;
use crate::model::*;

impl<'f> Walker<'f> {
    /// Notes the closure that `binding` declares, if each of its calls is walked.
    pub(super) fn note_closure(&mut self, binding: &'f Let) -> bool {
        let (Some(name), Some(init)) = (binding.pattern.as_name(), &binding.init) else { return false };
        let ExprKind::Closure(closure) = &init.kind else { return false };
        let is_passed_on = |expr: &Expr| matches!(expr.kind, ExprKind::Local(local) if local == name);
        let is_changed = |expr: &Expr| matches!(expr.kind, ExprKind::Local(local) if self.assigned.contains(&local));
        let takes_numbers = closure.params.iter().all(|(param, _)| {
            let local = self.function.local(*param);
            local.ty.is_scalar() && !local.is_reference() && !self.assigned.contains(param)
        });
        // A copy of a variable is what that was before.
        let has_old_copies = closure.is_move && closure.body.any(&is_changed);
        let is_walked =
            takes_numbers && !has_old_copies && !closure.body.any(&|expr| !is_plain(expr)) && !self.function.body.any(&is_passed_on);
        if is_walked {
            self.closures_by_name.insert(name, closure);
        }
        is_walked
    }

    /// What a call of the closure `function` with these arguments returns, if that is a number of a known closure.
    pub(super) fn call_of_closure(&mut self, function: LocalId, args: Vec<Value>, result: &Type) -> Option<Value> {
        let closure = self.closures_by_name.get(&function).copied().filter(|closure| closure.params.len() == args.len())?;
        for ((param, _), arg) in closure.params.iter().zip(args) {
            self.values.insert(*param, arg);
        }
        let earlier = self.findings.accesses.len();
        let value = self.expr(&closure.body);
        let accesses = self.findings.accesses.split_off(earlier);
        self.findings.of_calls.extend(accesses);
        let scalar = result.as_scalar().filter(|scalar| scalar.is_integer())?;
        let is_known = closure.body.ty == *result && value.interval.is_within(Interval::of_type(Some(scalar)));
        is_known.then_some(value)
    }
}

/// Whether it evaluates its parts once and in order, and reads at most: memory, coordinates of the thread, and variables.
fn is_plain(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Local(_)
        | ExprKind::Constant(_)
        | ExprKind::Unary { .. }
        | ExprKind::Binary { .. }
        | ExprKind::Cast { .. }
        | ExprKind::Index { .. }
        | ExprKind::Field { .. }
        | ExprKind::TupleField { .. }
        | ExprKind::Tuple(_)
        | ExprKind::Array(_)
        | ExprKind::If { .. }
        | ExprKind::Logical { .. }
        | ExprKind::Block { label: None, .. }
        | ExprKind::Method { .. } => true,
        ExprKind::Axis { base, .. } => matches!(base.kind, ExprKind::Intrinsic { .. }),
        ExprKind::Intrinsic { intrinsic, .. } => matches!(intrinsic, Intrinsic::Grid1d | Intrinsic::Grid2d | Intrinsic::Grid3d),
        _ => false,
    }
}
