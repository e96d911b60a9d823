//! Whether, while a kernel runs, its arrays are only accessed through their parameters.
//!
//! `__restrict__` promises this, and the compiler uses it: it keeps an element in a register over a barrier, because no other pointer of
//! the thread could have changed it. But another thread may have changed it. If two threads use one element, a barrier or an atomic must
//! order the two uses. So if a kernel has such a barrier or atomic, and no proof shows that each element is used by one thread only,
//! `__restrict__` is not used for arrays that are written.

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
