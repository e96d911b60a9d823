//! What the iterations of a loop evaluate and change, for the loops that are written more than once.

use crate::check::Analysis;
use crate::model::*;
use std::collections::HashSet;

/// A loop longer than this, in expressions, does enough between two checks.
pub(super) const MOST_EXPRESSIONS: usize = 80;

/// Whether indices in the body are checked, and are not `planned`.
pub(super) fn checks_others(body: &Block, analysis: &Analysis, planned: &dyn Fn(SiteId) -> bool) -> bool {
    let is_open = |site: &SiteId| *analysis.bound(*site) == Bound::Unknown && !planned(*site);
    body.any(&|expr| match &expr.kind {
        ExprKind::Index { site, .. } => is_open(site),
        ExprKind::Element { sites, .. } => sites.iter().any(is_open),
        _ => false,
    })
}

/// Whether the body may be written a few times, and its iterations may be computed by either loop. `may_break`: the versions of the
/// loop are alternatives, so a `break` leaves all.
pub(super) fn suits(body: &Block, may_break: bool) -> bool {
    let mut count = 0;
    let mut is_allowed = true;
    body.for_each_child(&mut |child| visit(child, may_break, &mut count, &mut is_allowed));
    return is_allowed && count <= MOST_EXPRESSIONS;

    fn visit(expr: &Expr, may_break: bool, count: &mut usize, is_allowed: &mut bool) {
        *count += 1;
        *is_allowed &= match expr.action() {
            Action::Intrinsic(Intrinsic::Shared(_) | Intrinsic::DynamicShared(_)) | Action::Loop | Action::Tile | Action::Assembly => false,
            // Threads that wait for each other must wait at the same place.
            Action::Intrinsic(intrinsic) => intrinsic.builtin().is_none_or(|builtin| matches!(builtin.effect, Effect::Reads)),
            Action::Call { awaited, .. } => !awaited,
            Action::Jump => may_break || !matches!(expr.kind, ExprKind::Break { .. }),
            Action::Compute { .. }
            | Action::Access
            | Action::Assign(_)
            | Action::CompoundAssign { .. }
            | Action::BorrowMut(_)
            | Action::Atomic
            | Action::Branch
            | Action::Panic => true,
        };
        expr.for_each_child(&mut |child| visit(child, may_break, count, is_allowed));
    }
}

/// The variables that are declared in `block`.
pub(super) fn bindings(block: &Block, inner: &mut HashSet<LocalId>) {
    add_bindings(Inside::Block(block), inner);
}

/// The variables that `block` gives a value, such as one that has none before.
pub(super) fn add_assigned(block: &Block, inner: &mut HashSet<LocalId>) {
    block.for_each_child(&mut |expr| visit(expr, inner));

    fn visit(expr: &Expr, inner: &mut HashSet<LocalId>) {
        if let ExprKind::Assign { target, .. } = &expr.kind {
            target.for_each_place(&mut |place| inner.extend(place.place().variable()));
        }
        expr.for_each_child(&mut |child| visit(child, inner));
    }
}

/// What every iteration of a loop evaluates, one after the other.
pub(super) trait EveryIteration<'m> {
    /// `base[index]`
    fn check(&mut self, site: SiteId, base: &'m Expr, index: &'m Expr, axis: Option<usize>);

    /// `let local = init;`, after what `init` consists of.
    fn variable(&mut self, local: &'m Let, init: &'m Expr);

    /// Visits an expression in its own way. Whether it has one.
    fn visit_own(&mut self, _expr: &'m Expr) -> bool {
        false
    }

    fn block(&mut self, block: &'m Block) {
        for stmt in &block.stmts {
            let expr = match stmt {
                Stmt::Let(local) => {
                    let Some(init) = &local.init else { continue };
                    self.expr(init);
                    self.variable(local, init);
                    init
                }
                Stmt::Expr(expr) => {
                    self.expr(expr);
                    expr
                }
            };
            let leaves = |expr: &Expr| matches!(expr.action(), Action::Jump | Action::Panic);
            if expr.any(&leaves) || matches!(stmt, Stmt::Let(local) if local.otherwise.is_some()) {
                return;
            }
        }
        if let Some(value) = &block.value {
            self.expr(value);
        }
    }

    /// What is evaluated whenever `expr` is.
    fn expr(&mut self, expr: &'m Expr) {
        match &expr.kind {
            _ if self.visit_own(expr) => {}
            ExprKind::Index { base, index, site } => {
                self.expr(base);
                self.expr(index);
                self.check(*site, base, index, None);
            }
            ExprKind::Element { base, indices, sites } => {
                indices.iter().for_each(|index| self.expr(index));
                for (axis, (index, site)) in indices.iter().zip(sites).enumerate() {
                    self.check(*site, base, index, Some(axis));
                }
            }
            ExprKind::Logical { left, .. } => self.expr(left),
            ExprKind::If { condition, .. } => self.expr(condition),
            ExprKind::Match { scrutinee, .. } => self.expr(scrutinee),
            ExprKind::Block { .. } | ExprKind::Closure(_) => {}
            _ => expr.for_each_child(&mut |child| self.expr(child)),
        }
    }
}
