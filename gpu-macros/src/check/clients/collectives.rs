//! Whether all threads that a barrier or a warp function synchronizes reach it.
//!
//! A barrier is for all threads of a block or of the grid, a warp function for all threads of a warp: a condition around it must be the
//! same for all of them. For the grid, a condition on the block index is divergent too. In a kernel, this decides whether its launch is
//! safe. A device function has no launch, and its callers only see `.await`, so there it is a rule. A condition may depend on its
//! parameters: then its callers must pass [what all threads agree on](UniformParameters).

use crate::check::report::findings::{deciding_together, group};
use crate::check::values::form::Uniformity;
use crate::check::walk::effects::{Collective, CollectiveScope, Effects};
use crate::check::walk::walker::{walk, walk_assuming};
use crate::errors::Errors;
use crate::model::*;

/// Reports where threads could miss each other in an `async` device function that all threads of a block call together.
pub(crate) fn check_collectives(function: &Function, errors: &Errors) {
    if !function.is_async || all_meet(&walk(function)) {
        return;
    }
    let all = Assumed { parameters: values(function), results: results(function), ..Assumed::default() };
    for collective in walk_assuming(function, all).collectives.iter().filter(|collective| !collective.is_safe()) {
        let Collective { name, scope, .. } = collective;
        let message = match scope {
            CollectiveScope::Grid | CollectiveScope::Block | CollectiveScope::Warp => format!(
                "`{name}` is under a condition that can differ between threads of a {0}, which is not supported in device functions\nhelp: move the call out of the condition: all threads of the {0} must reach it; compute the values that differ before it{1}",
                group(*scope),
                deciding_together(*scope)
            ),
            CollectiveScope::Lanes => {
                format!("`{name}` waits for the threads of a mask, which is not supported in device functions\nhelp: call it in the kernel")
            }
        };
        errors.push(collective.span, message);
    }
}

/// Which parameters, and which results of calls, must be the same for all threads of a block, and which arguments of calls are.
pub(crate) fn find_uniformity(function: &Function, walk: &Effects<'_>) -> UniformParameters {
    let calls = awaited_calls(&function.body);
    if calls.is_empty() && !function.is_async {
        return UniformParameters::NONE;
    }
    // A kernel's parameters are the same for all threads anyway.
    let all = if function.is_async { values(function) } else { NO_PARAMETERS };
    let deciding = deciding_results(function, walk, all);
    let required = if all.is_empty() { NO_PARAMETERS } else { parameters_for(function, all, deciding, all_meet) };
    let of_all = (!all.is_empty()).then(|| walk_assuming(function, Assumed { parameters: all, ..Assumed::default() }));
    let with_all = of_all.as_ref().unwrap_or(walk);
    let assumed = Assumed { parameters: required, results: deciding, ..Assumed::default() };
    let of_assumed = (!deciding.is_empty()).then(|| walk_assuming(function, assumed));
    let arguments = calls.iter().enumerate().map(|(call_number, call)| {
        let numbers = || 0..arguments_of(call);
        let divergent = divergent_arguments(with_all, call);
        let through = numbers().filter(|number| !divergent.contains(*number) && !is_uniform(walk, call, *number));
        let through =
            through.map(|number| (number, parameters_for(function, all, NO_PARAMETERS, |walk| is_uniform(walk, call, number)))).collect();
        let decides = of_assumed.as_ref().filter(|_| deciding.contains(call_number)).map(|walk| divergent_arguments(walk, call));
        UniformArguments { divergent, through, decides }
    });
    UniformParameters { required, calls: arguments.collect(), result: function.is_async.then(|| uniform_result(function, all)).flatten() }
}

/// The results of calls that barriers depend on, if all threads of a block reach the barriers where those are the same.
fn deciding_results(function: &Function, walk: &Effects<'_>, parameters: ParameterSet) -> ParameterSet {
    let all = results(function);
    if all.is_empty() || parameters.is_empty() && all_meet(walk) {
        return NO_PARAMETERS;
    }
    let meet = |results| all_meet(&walk_assuming(function, Assumed { parameters, results, ..Assumed::default() }));
    if meet(all) { needed_for(all, meet) } else { NO_PARAMETERS }
}

/// When all threads of a block get the same result from an `async` function.
fn uniform_result(function: &Function, parameters: ParameterSet) -> Option<UniformResult> {
    let is_same = |uniform| walk_assuming(function, uniform).result <= Uniformity::Block;
    let all = Assumed { parameters, results: results(function), ..Assumed::default() };
    if function.output == Type::Unit || !is_same(all) {
        return None;
    }
    let results = needed_for(all.results, |results| is_same(Assumed { results, ..all }));
    let parameters = needed_for(parameters, |parameters| is_same(Assumed { parameters, results, ..Assumed::default() }));
    let walk = walk_assuming(function, Assumed { parameters, results, ..Assumed::default() });
    let calls = awaited_calls(&function.body);
    let calls = results.numbers().map(|number| (number, divergent_arguments(&walk, calls[number]))).collect();
    Some(UniformResult { parameters, calls })
}

fn arguments_of(call: &Expr) -> usize {
    let ExprKind::Call { args, .. } = &call.kind else { unreachable!("these are calls") };
    args.len().min(ParameterSet::MOST)
}

fn divergent_arguments(walk: &Effects<'_>, call: &Expr) -> ParameterSet {
    ParameterSet::of((0..arguments_of(call)).filter(|number| !is_uniform(walk, call, *number)))
}

/// The parameters that are values: what a reference or a slice refers to may differ.
fn values(function: &Function) -> ParameterSet {
    let is_value = |param: &Param| {
        let local = function.local(param.local);
        local.holds == Holds::Value && matches!(local.ty, Type::Scalar(_) | Type::Named(_) | Type::Parameter(_) | Type::Tuple(_))
    };
    ParameterSet::of(function.params.iter().enumerate().filter(|(_, param)| is_value(param)).map(|(number, _)| number))
}

/// The awaited calls that have a result.
fn results(function: &Function) -> ParameterSet {
    let calls = awaited_calls(&function.body).into_iter().enumerate();
    ParameterSet::of(calls.filter(|(_, call)| call.ty != Type::Unit).map(|(number, _)| number))
}

/// Those of `all` that must be uniform so that something holds, which does if all of them are.
fn needed_for(all: ParameterSet, holds: impl Fn(ParameterSet) -> bool) -> ParameterSet {
    if holds(NO_PARAMETERS) {
        return NO_PARAMETERS;
    }
    let needed = ParameterSet::of(all.numbers().filter(|number| !holds(all.without(*number))));
    if holds(needed) { needed } else { all }
}

/// Those of the parameters `all`, where these results are uniform too.
fn parameters_for(function: &Function, all: ParameterSet, results: ParameterSet, holds: impl Fn(&Effects<'_>) -> bool) -> ParameterSet {
    needed_for(all, |parameters| holds(&walk_assuming(function, Assumed { parameters, results, ..Assumed::default() })))
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
