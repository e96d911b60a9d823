//! Whether all threads that a barrier or a warp function synchronizes reach it.
//!
//! A barrier is for all threads of a block or of the grid, a warp function for all threads of a warp: a condition around it must be the
//! same for all of them. For the grid, a condition on the block index is divergent too. In a kernel, this decides whether its launch is
//! safe. A device function has no launch, and its callers only see `.await`, so there it is a rule. A condition may depend on its
//! parameters: then its callers must pass [what all threads agree on](UniformParameters).

use crate::check::report::findings::group;
use crate::check::values::form::Uniformity;
use crate::check::walk::effects::{Collective, CollectiveScope, Effects};
use crate::check::walk::walker::{walk, walk_with_uniform};
use crate::errors::Errors;
use crate::model::*;

/// Reports where threads could miss each other in an `async` device function that all threads of a block call together.
pub(crate) fn check_collectives(function: &Function, errors: &Errors) {
    if !function.is_async || all_meet(&walk(function)) {
        return;
    }
    for collective in walk_with_uniform(function, values(function)).collectives.iter().filter(|collective| !collective.is_safe()) {
        let Collective { name, scope, .. } = collective;
        let message = match scope {
            CollectiveScope::Grid | CollectiveScope::Block | CollectiveScope::Warp => format!(
                "`{name}` is under a condition that can differ between threads of a {0}, which is not supported in device functions\nhelp: move the call out of the condition: all threads of the {0} must reach it; compute the values that differ before it",
                group(*scope)
            ),
            CollectiveScope::Lanes => {
                format!("`{name}` waits for the threads of a mask, which is not supported in device functions\nhelp: call it in the kernel")
            }
        };
        errors.push(collective.span, message);
    }
}

/// Which parameters must be the same for all threads of a block, and which arguments of calls are.
pub(crate) fn find_uniformity(function: &Function, walk: &Effects<'_>) -> UniformParameters {
    let calls = awaited_calls(&function.body);
    if calls.is_empty() && (!function.is_async || all_meet(walk)) {
        return UniformParameters::NONE;
    }
    // A kernel's parameters are the same for all threads anyway.
    let all = if function.is_async { values(function) } else { NO_PARAMETERS };
    let required = if all.is_empty() { NO_PARAMETERS } else { needed_for(function, all, all_meet) };
    let of_all = (!all.is_empty()).then(|| walk_with_uniform(function, all));
    let with_all = of_all.as_ref().unwrap_or(walk);
    let calls = calls.into_iter().map(|call| {
        let ExprKind::Call { args, .. } = &call.kind else { unreachable!("these are calls") };
        let numbers = || 0..args.len().min(ParameterSet::MOST);
        let divergent = ParameterSet::of(numbers().filter(|number| !is_uniform(with_all, call, *number)));
        let through = numbers().filter(|number| !divergent.contains(*number) && !is_uniform(walk, call, *number));
        let through = through.map(|number| (number, needed_for(function, all, |walk| is_uniform(walk, call, number)))).collect();
        UniformArguments { divergent, through }
    });
    UniformParameters { required, calls: calls.collect() }
}

/// The parameters that are values: what a reference or a slice refers to may differ.
fn values(function: &Function) -> ParameterSet {
    let is_value = |param: &Param| {
        let local = function.local(param.local);
        local.holds == Holds::Value && matches!(local.ty, Type::Scalar(_) | Type::Named(_) | Type::Parameter(_) | Type::Tuple(_))
    };
    ParameterSet::of(function.params.iter().enumerate().filter(|(_, param)| is_value(param)).map(|(number, _)| number))
}

/// Those of the parameters `all` that must be uniform so that something holds, which does if all of them are.
fn needed_for(function: &Function, all: ParameterSet, holds: impl Fn(&Effects<'_>) -> bool) -> ParameterSet {
    let holds_with = |parameters| holds(&walk_with_uniform(function, parameters));
    if holds_with(NO_PARAMETERS) {
        return NO_PARAMETERS;
    }
    let needed = ParameterSet::of(all.numbers().filter(|number| !holds_with(all.without(*number))));
    if holds_with(needed) { needed } else { all }
}

fn all_meet(walk: &Effects<'_>) -> bool {
    walk.collectives.iter().all(Collective::is_safe)
}

/// Whether all threads of a block pass the same value for an argument.
fn is_uniform(walk: &Effects<'_>, call: &Expr, argument: usize) -> bool {
    let mut evaluations = walk.awaited.iter().filter(|awaited| std::ptr::eq(awaited.call, call)).peekable();
    evaluations.peek().is_some() && evaluations.all(|awaited| awaited.args.get(argument).is_some_and(|spread| *spread <= Uniformity::Block))
}

/// Whether the threads of the grid wait for each other in `body`, or in a function that it calls.
pub(crate) fn may_have_grid_barrier(body: &Block) -> bool {
    body.any(&|expr| expr.action().may_synchronize(|builtin| builtin.effect == Effect::GridCollective))
}
