//! References with a name, `let p = &x[i];`, to memory that other threads can reach.
//!
//! The proofs know of an access where the reference is declared. While the thread waits for others, they may write to that memory, so the
//! reference must not be used behind a barrier or an operation of the warp.

use crate::errors::Errors;
use crate::model::*;

/// Refuses to use such a reference after the thread may have waited.
pub(crate) fn check_held_references(function: &Function, errors: &Errors) {
    let checker = Checker { function, errors };
    checker.check_block(&function.body);
}

struct Checker<'f> {
    function: &'f Function,
    errors: &'f Errors,
}

impl Checker<'_> {
    fn check_block(&self, block: &Block) {
        for (position, stmt) in block.stmts.iter().enumerate() {
            if let Stmt::Let(declared) = stmt
                && let Some(local) = self.reference_to_shared(declared)
            {
                self.check_uses(local, &block.stmts[position + 1..], block.value.as_deref());
            }
        }
        block.for_each_inside(&mut |inside| self.check_inside(inside));
    }

    fn check_inside(&self, inside: Inside<'_>) {
        match inside {
            Inside::Expr(expr) => expr.for_each_inside(&mut |inside| self.check_inside(inside)),
            Inside::Block(block) => self.check_block(block),
            Inside::Pattern(_) | Inside::Type(_) => {}
        }
    }

    /// The variable, if it is declared as a reference to memory that other threads can write to.
    fn reference_to_shared(&self, declared: &Let) -> Option<LocalId> {
        // What others have written is what the operations of an atomic see.
        let may_be_stale = |local: &Local| local.is_reference() && !matches!(local.ty, Type::Atomic(_));
        let local = declared.pattern.as_name().filter(|local| may_be_stale(self.function.local(*local)))?;
        let ExprKind::Borrow { operand, .. } = &declared.init.as_ref()?.kind else { return None };
        let root = self.function.local(operand.place().variable()?);
        let is_kernel = matches!(self.function.kind, FunctionKind::Kernel(_));
        let is_shared = match &root.ty {
            // Nothing writes to what a kernel has behind a shared reference.
            Type::Slice { mutable: false, .. } | Type::View { mutable: false, .. } => !is_kernel || root.ty.shares_elements(),
            Type::Slice { .. } | Type::View { .. } | Type::Shared(_) => true,
            _ => root.is_reference(),
        };
        is_shared.then_some(local)
    }

    fn check_uses(&self, local: LocalId, rest: &[Stmt], value: Option<&Expr>) {
        let parts = rest.iter().flat_map(parts_of).chain(value);
        let mut may_have_waited = false;
        for part in parts {
            let is_used = part.any(&|expr| matches!(expr.kind, ExprKind::Local(used) if used == local));
            // Where both are in one statement, their order is not looked at.
            may_have_waited |= part.suspends();
            if is_used && may_have_waited {
                let name = &self.function.local(local).name;
                self.errors.push(
                    part.span,
                    format!("`{name}` refers to memory that other threads may have written to, because a barrier precedes this use\nhelp: declare `{name}` again after the barrier, or copy the value before it"),
                );
                return;
            }
        }
    }
}

/// The expressions that are directly in `stmt`.
fn parts_of(stmt: &Stmt) -> Vec<&Expr> {
    match stmt {
        Stmt::Let(local) => local.init.iter().collect(),
        Stmt::Expr(expr) => vec![expr],
    }
}
