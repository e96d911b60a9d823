//! References to memory that other threads can reach: with a name, `let p = &x[i];`, and as arguments, `f(&x[i], n)`.
//!
//! The proofs know of an access where the reference is declared. While the thread waits for others, they may write to that memory, so the
//! reference must not be used behind a barrier or an operation of the warp. A function uses its arguments where all of them are evaluated.

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
            Inside::Expr(expr) => {
                self.check_arguments(expr);
                expr.for_each_inside(&mut |inside| self.check_inside(inside));
            }
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
        self.shared_root(operand).map(|_| local)
    }

    /// The variable that `place` is in, if other threads can write to it.
    fn shared_root(&self, place: &Expr) -> Option<&Local> {
        let root = self.function.local(place.place().variable()?);
        let is_kernel = matches!(self.function.kind, FunctionKind::Kernel(_));
        let is_shared = match &root.ty {
            // Nothing writes to what a kernel has behind a shared reference.
            Type::Slice { mutable: false, .. } | Type::View { mutable: false, .. } => !is_kernel || root.ty.shares_elements(),
            Type::Slice { .. } | Type::View { .. } | Type::Shared(_) => true,
            _ => root.is_reference(),
        };
        is_shared.then_some(root)
    }

    /// Refuses a call whose argument is such a reference if the thread waits in a later one. (Of a function that is awaited, the twin has none.)
    fn check_arguments(&self, call: &Expr) {
        let (receiver, args) = match &call.kind {
            ExprKind::Call { args, awaited: false, .. } | ExprKind::CallLocal { args, .. } => (None, args),
            ExprKind::Associated { receiver, args, .. } => (receiver.as_deref(), args),
            _ => return,
        };
        let borrowed = args.iter().enumerate().filter_map(|(index, arg)| match &arg.kind {
            ExprKind::Borrow { operand, .. } => Some((&**operand, &args[index + 1..])),
            _ => None,
        });
        for (place, later) in receiver.map(|receiver| (receiver, &args[..])).into_iter().chain(borrowed) {
            if let Some(Local { name, .. }) = self.shared_root(place).filter(|_| later.iter().any(Expr::suspends)) {
                self.errors.push(
                    place.span,
                    format!("the function uses this part of `{name}` behind the barrier in a later argument, where other threads may have written to it\nhelp: declare what has the barrier with `let` before the call"),
                );
            }
        }
    }

    fn check_uses(&self, local: LocalId, rest: &[Stmt], value: Option<&Expr>) {
        // With the closures that name it, and what is declared by one of these.
        let mut carriers = vec![local];
        let mut may_have_waited = false;
        for (declared, part) in rest.iter().flat_map(parts_of).chain(value.map(|value| (None, value))) {
            let is_used = names_any(part, &carriers);
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
            let carries = |named: &LocalId| {
                self.function.local(*named).is_reference() || part.any(&|inner| matches!(inner.kind, ExprKind::Closure(_)))
            };
            carriers.extend(declared.filter(|named| is_used && carries(named)));
        }
    }
}

/// Whether one of the variables is named, or called, in the expression.
fn names_any(expr: &Expr, locals: &[LocalId]) -> bool {
    expr.any(&|inner| match &inner.kind {
        ExprKind::Local(used) | ExprKind::CallLocal { function: used, .. } => locals.contains(used),
        _ => false,
    })
}

/// The expressions that are directly in `stmt`, and the variable that is declared by each.
fn parts_of(stmt: &Stmt) -> Vec<(Option<LocalId>, &Expr)> {
    match stmt {
        Stmt::Let(declared) => declared.init.iter().map(|init| (declared.pattern.as_name(), init)).collect(),
        Stmt::Expr(expr) => vec![(None, expr)],
    }
}
