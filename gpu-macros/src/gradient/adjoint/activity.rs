//! What varies: the variables whose values depend on floats that the gradient is by.

use super::Parameter;
use crate::model::*;

/// For each variable, whether its value varies.
pub(super) struct Activity {
    varies: Vec<bool>,
}

impl Activity {
    pub(super) fn of(function: &Function, of_parameters: &[Stmt], parameters: &[Parameter]) -> Activity {
        let varies = function.locals.iter().map(|local| match local.kind {
            LocalKind::Param(param) => parameters[param].gradient.is_some(),
            _ => false,
        });
        let mut activity = Activity { varies: varies.collect() };
        loop {
            let before = activity.varies.clone();
            activity.mark_stmts(of_parameters);
            activity.mark_block(&function.body);
            if activity.varies == before {
                return activity;
            }
        }
    }

    pub(super) fn varies(&self, local: LocalId) -> bool {
        self.varies[local.0]
    }

    /// Whether the value of the expression varies. A comparison decides, and has no derivative.
    pub(super) fn is_active(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Local(local) => self.varies(*local),
            ExprKind::Binary { op, .. } if op.is_comparison() || op.is_order() => false,
            ExprKind::Logical { .. } | ExprKind::Let { .. } => false,
            ExprKind::Call { path, .. } if is_stop_gradient(path) => false,
            ExprKind::Cast { to, .. } if !to.is_float() => false,
            ExprKind::Extent { .. } => false,
            ExprKind::Index { base, .. }
            | ExprKind::Element { base, .. }
            | ExprKind::Subslice { base, .. }
            | ExprKind::Field { base, .. }
            | ExprKind::TupleField { base, .. } => expr.ty.as_scalar().is_none_or(Scalar::is_float) && self.is_active(base),
            ExprKind::Method { method, receiver, args, .. } => match method.result {
                Operand::Same | Operand::Pair | Operand::WithExponent => {
                    self.is_active(receiver) || args.iter().any(|arg| self.is_active(arg))
                }
                _ => false,
            },
            ExprKind::If { then, otherwise, .. } => {
                self.is_active_block(then) || otherwise.as_ref().is_some_and(|other| self.is_active(other))
            }
            ExprKind::Match { arms, .. } => arms.iter().any(|arm| self.is_active(&arm.body)),
            ExprKind::Block { block, .. } => self.is_active_block(block),
            ExprKind::For { .. }
            | ExprKind::While { .. }
            | ExprKind::Loop { .. }
            | ExprKind::Assign { .. }
            | ExprKind::CompoundAssign { .. } => false,
            _ => {
                let mut found = false;
                expr.for_each_child(&mut |child| found = found || self.is_active(child));
                found
            }
        }
    }

    fn is_active_block(&self, block: &Block) -> bool {
        block.value.as_ref().is_some_and(|value| self.is_active(value))
    }

    fn mark_stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            if let Stmt::Let(declared) = stmt
                && let Some(init) = &declared.init
                && self.is_active(init)
            {
                self.mark_all(&declared.pattern);
            }
        }
    }

    fn mark_block(&mut self, block: &Block) {
        self.mark_stmts(&block.stmts);
        let mut inside = Vec::new();
        block.for_each_child(&mut |child| inside.push(child));
        inside.into_iter().for_each(|child| self.mark_expr(child));
    }

    fn mark_all(&mut self, pattern: &Pattern) {
        if let PatternKind::Bind { local, .. } = &pattern.kind {
            self.varies[local.0] = true;
        }
        let mut inside = Vec::new();
        pattern.for_each_inside(&mut |part| {
            if let Inside::Pattern(part) = part {
                inside.push(part);
            }
        });
        inside.into_iter().for_each(|part| self.mark_all(part));
    }

    fn mark_expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Assign { target: Target::Place(place), value } => self.mark_place(place, value),
            ExprKind::CompoundAssign { place, value, .. } => self.mark_place(place, value),
            ExprKind::Let { pattern, value } if self.is_active(value) => self.mark_all(pattern),
            ExprKind::Match { scrutinee, arms } if self.is_active(scrutinee) => arms.iter().for_each(|arm| self.mark_all(&arm.pattern)),
            _ => {}
        }
        let mut blocks = Vec::new();
        let mut children = Vec::new();
        expr.for_each_inside(&mut |inside| match inside {
            Inside::Block(block) => blocks.push(block),
            Inside::Expr(child) => children.push(child),
            _ => {}
        });
        blocks.into_iter().for_each(|block| self.mark_block(block));
        children.into_iter().for_each(|child| self.mark_expr(child));
    }

    fn mark_place(&mut self, place: &Expr, value: &Expr) {
        if let Some(local) = place.place().variable()
            && self.is_active(value)
        {
            self.varies[local.0] = true;
        }
    }
}

/// Whether it is a call of the runtime's `stop_gradient`, by its name. The adjoint kernel asserts that it is that.
pub(super) fn is_stop_gradient(path: &syn::Path) -> bool {
    path.segments.last().is_some_and(|last| last.ident == "stop_gradient")
}
