//! Whether the arrays of a kernel are reached through their parameters alone, while it runs.
//!
//! That is what `__restrict__` promises, and the compiler makes use of it: it keeps an element in a register over a barrier, as no other
//! pointer of the thread could have changed it. But another thread may have. No launch is free of races in which two threads use one
//! element and nothing orders them. So where something does, and the elements are not shown to belong to a thread each, the promise is
//! not made for arrays that are written.

use crate::model::*;

/// Whether a thread may see another's writes to the `&mut` parameters of a kernel.
pub(super) fn threads_see_each_others_writes(function: &Function, race_freedom: &RaceFreedom) -> bool {
    let orders = |expr: &Expr| match &expr.kind {
        ExprKind::Intrinsic { intrinsic: Intrinsic::Builtin { builtin, .. }, .. } => builtin.writes(),
        // What is called may have an atomic in it, or a fence.
        ExprKind::Atomic { .. }
        | ExprKind::Call { .. }
        | ExprKind::CallLocal { .. }
        | ExprKind::Associated { .. }
        | ExprKind::Assembly(_) => true,
        _ => false,
    };
    matches!(race_freedom, RaceFreedom::Unproved(_)) && function.body.any(&orders)
}
