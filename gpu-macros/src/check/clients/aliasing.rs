//! Whether, while a kernel runs, its arrays are only accessed through their parameters.
//!
//! `__restrict__` promises this, and the compiler uses it: it keeps an element in a register over a barrier, because no other pointer of
//! the thread could have changed it. But another thread may have changed it. If two threads use one element, a barrier or an atomic must
//! order the two uses. So if a kernel has such a barrier or atomic, and no proof shows that each element is used by one thread only,
//! `__restrict__` is not used for arrays that are written. A proof under a condition is none, and one about launches with fewer axes is none
//! about those with more: `launch_unchecked` checks neither.

use crate::model::*;

/// Which threads an operation may order.
#[derive(Clone, Copy, PartialEq)]
enum Ordered {
    Nobody,
    Block,
    Grid,
}

/// Whether a thread may see another's writes to the `&mut` parameters of a kernel.
pub(crate) fn threads_see_each_others_writes(function: &Function, race_freedom: &RaceFreedom) -> bool {
    let is_proved = |ordered: Ordered| match race_freedom {
        RaceFreedom::Proved { grid_axes, block_axes, conditions } => {
            let of_grid = ordered == Ordered::Block || *grid_axes == AXES;
            conditions.is_empty() && *block_axes >= axes_of_block(function) && of_grid
        }
        RaceFreedom::Unproved(_) => false,
    };
    function.body.any(&|expr: &Expr| {
        let ordered = ordered_by(expr);
        ordered != Ordered::Nobody && !is_proved(ordered)
    })
}

const AXES: u8 = 3;

/// The axes of every launch's blocks.
pub(crate) fn axes_of_block(function: &Function) -> u8 {
    match &function.kind {
        FunctionKind::Kernel(KernelOptions { block: Some(extents), .. }) => u8::try_from(extents.len()).unwrap_or(AXES),
        _ => AXES,
    }
}

fn ordered_by(expr: &Expr) -> Ordered {
    match expr.action() {
        Action::Intrinsic(intrinsic) => match intrinsic.builtin().map(|builtin| builtin.effect) {
            None | Some(Effect::Reads) => Ordered::Nobody,
            Some(Effect::Collective | Effect::WarpCollective | Effect::LanesCollective) => Ordered::Block,
            Some(Effect::Writes | Effect::GridCollective | Effect::Yields) => Ordered::Grid,
        },
        // What is called may have an atomic in it, or a fence.
        Action::Atomic | Action::Call { .. } | Action::Assembly => Ordered::Grid,
        Action::Compute { .. }
        | Action::Access
        | Action::Assign(_)
        | Action::CompoundAssign { .. }
        | Action::BorrowMut(_)
        // What is stored is not read.
        | Action::Tile
        | Action::Branch
        | Action::Loop
        | Action::Jump
        | Action::Panic => Ordered::Nobody,
    }
}
