//! Whether all threads that a barrier or a warp function synchronizes reach it.
//!
//! A barrier is for all threads of a block or of the grid, a warp function for all threads of a warp: a condition around it must be the
//! same for all of them. For the grid, a condition on the block index is divergent too. In a kernel, this decides whether its launch is
//! safe. A device function has no launch, and its callers only see `.await`, so there it is a rule.

use super::findings::group;
use super::walk::{Collective, CollectiveScope, walk};
use crate::errors::Errors;
use crate::model::*;

/// Reports where threads could miss each other in an `async` device function that all threads of a block call together.
pub(crate) fn check_collectives(function: &Function, errors: &Errors) {
    if !function.is_async {
        return;
    }
    for collective in walk(function).collectives.iter().filter(|collective| !collective.is_safe()) {
        let Collective { name, scope, .. } = collective;
        let message = match scope {
            CollectiveScope::Grid | CollectiveScope::Block | CollectiveScope::Warp => format!(
                "`{name}` is under a condition that can differ between threads of a {}, which is not supported in device functions\nhelp: all threads must reach this call: remove the early return, or compute the values that differ before the call",
                group(*scope)
            ),
            CollectiveScope::Lanes => {
                format!("`{name}` waits for the threads of a mask, which is not supported in device functions\nhelp: call it in the kernel")
            }
        };
        errors.push(collective.span, message);
    }
}

/// Whether the threads of the grid wait for each other in `body`, or in a function that it calls.
pub(super) fn may_have_grid_barrier(body: &Block) -> bool {
    body.any(&|expr| expr.action().may_synchronize(|builtin| builtin.effect == Effect::GridCollective))
}
