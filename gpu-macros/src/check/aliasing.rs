//! Whether, while a kernel runs, its arrays are only accessed through their parameters.
//!
//! `__restrict__` promises this, and the compiler uses it: it keeps an element in a register over a barrier, because no other pointer of
//! the thread could have changed it. But another thread may have changed it. If two threads use one element, a barrier or an atomic must
//! order the two uses. So if a kernel has such a barrier or atomic, and no proof shows that each element is used by one thread only,
//! `__restrict__` is not used for arrays that are written. A proof under a condition is none: `launch_unchecked` does not check it.

use crate::model::*;

/// Whether a thread may see another's writes to the `&mut` parameters of a kernel.
pub(super) fn threads_see_each_others_writes(function: &Function, race_freedom: &RaceFreedom) -> bool {
    let orders = |expr: &Expr| match expr.action() {
        Action::Intrinsic(intrinsic) => intrinsic.builtin().is_some_and(|builtin| builtin.writes()),
        // What is called may have an atomic in it, or a fence.
        Action::Atomic | Action::Call { .. } | Action::Assembly => true,
        Action::Compute { .. }
        | Action::Access
        | Action::Assign(_)
        | Action::CompoundAssign { .. }
        | Action::BorrowMut(_)
        | Action::Branch
        | Action::Loop
        | Action::Jump
        | Action::Panic => false,
    };
    let is_proved_always = matches!(race_freedom, RaceFreedom::Proved { conditions, .. } if conditions.is_empty());
    !is_proved_always && function.body.any(&orders)
}
