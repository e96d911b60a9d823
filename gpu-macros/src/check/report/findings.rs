//! What could not be proved, in words: the access or barrier, the reason, and what would prove it.

use super::describe::{text_of_inequality, text_of_place};
use crate::check::clients::array_accesses::Use;
use crate::check::clients::collectives::may_have_grid_barrier;
use crate::check::values::form::{Symbol, Uniformity};
use crate::check::walk::effects::{Access, Collective, CollectiveScope};
use crate::check::walk::unique_counters::{Counters, Flaw, LITTLE};
use crate::model::*;
use proc_macro2::Span;

/// An access whose index other threads may have too: here, or where it does not agree with `earlier`, there.
pub(crate) fn unproved_access(
    function: &Function,
    counters: &Counters,
    used: &Use<'_, '_>,
    earlier: Option<&Use<'_, '_>>,
) -> UnprovedAccess {
    let span = span_of(function, used.access);
    let place = describe_access(function, used.access);
    let (what, help) = match (earlier, used.spread()) {
        (earlier, _) if function.is_tiled() => {
            let also = earlier.map(|earlier| format!(" in {}", describe_access(function, earlier.access))).unwrap_or_default();
            let what = format!("{place}: another block may store the same tile{also}");
            (what, "compute the row and the column of the tile from `block_idx()`, in the same way in all stores, so that each block has its own".to_owned())
        }
        (Some(earlier), _) => {
            let other = describe_access(function, earlier.access);
            let help = if may_have_grid_barrier(&function.body) {
                "let each thread use its own elements only, or move the code after `sync_grid()` into another kernel that takes the array by `&`: the proof does not use grid barriers".to_owned()
            } else if used.access.writes && earlier.access.writes {
                format!("let each thread write its own elements only, such as those of {other}")
            } else {
                "let each thread use its own elements only: compute both indices in the same way, or read from another array".to_owned()
            };
            (format!("{place}: another thread may have the same index in {other}"), help)
        }
        (None, Uniformity::Launch) => (
            format!("{place}: the index is the same for all threads"),
            "let one thread use the element, as in `if grid_1d() == 0 { … }`, or use atomics, such as `&[AtomicU32]`".to_owned(),
        ),
        (None, Uniformity::Grid | Uniformity::Block) => (
            format!("{place}: the index is the same for all threads of a block"),
            "let one thread of the block use the element, as in `if thread_idx().x == 0 { … }`, or use atomics, such as `&[AtomicU32]`"
                .to_owned(),
        ),
        (None, Uniformity::Warp | Uniformity::Thread) => (
            format!("{place}: the index is not proved to differ between threads"),
            "compute the index from the position of the thread, such as `grid_1d()`, without values from memory or from functions and operators of your own; if it is data, use atomics, such as `&[AtomicU32]`".to_owned(),
        ),
    };
    let help = narrow_arithmetic(used).map_or(help, |ty| {
        format!("compute the index in `usize` or `isize`: the proof does not know that this arithmetic of `{ty}` does not overflow")
    });
    let help = counters.flaw_of(used).map_or(help, |(param, flaw)| help_with_ticket(function, param, flaw));
    UnprovedAccess { what, help, span, array: used.access.base.place().variable() }
}

/// The type of fewer than 64 bits in which the index is computed, if nothing else in the index is unknown.
fn narrow_arithmetic(used: &Use<'_, '_>) -> Option<&'static str> {
    let forms = || used.indices.iter().map(|index| &index.value.form);
    let found = forms().find_map(|form| form.find(&|symbol| symbol.narrow_arithmetic()));
    let is_data = |symbol: &Symbol| symbol.is_data().then_some(());
    found.filter(|_| forms().all(|form| form.find(&is_data).is_none()))
}

/// What a kernel should do whose proof needs the size of its blocks.
pub(crate) fn help_with_block(block: &str) -> String {
    format!("declare the block, such as `#[gpu_kernel(block = {block})]`: the proof needs to know how many threads there are")
}

/// What makes the tickets of a counter unique.
fn help_with_ticket(function: &Function, param: usize, flaw: Flaw) -> String {
    let name = &function.local(function.params[param].local).name;
    match flaw {
        Flaw::OtherUse => {
            format!("change `{name}` only by `fetch_add` of amounts that cannot be negative: then no two threads get the same number")
        }
        Flaw::Exhausted => {
            format!(
                "declare `{name}` with 64 bits, such as `&[AtomicU64]`, and add at most {LITTLE} at a time: in a loop, it may overflow and return a number twice"
            )
        }
    }
}

/// A kernel that the user wrote in CUDA C.
pub(crate) fn unproved_text(foreign: &ForeignFunction) -> UnprovedAccess {
    UnprovedAccess {
        what: format!("line {}: the kernel is written in {}, which is not checked", line(foreign.span), foreign.language.name()),
        help: "make sure that it stays inside its arrays, and that no two threads use the same element".into(),
        span: foreign.span,
        array: None,
    }
}

/// An array that leaves the function.
pub(crate) fn unproved_escape(function: &Function, local: LocalId, span: Span) -> UnprovedAccess {
    let name = &function.local(local).name;
    UnprovedAccess {
        what: format!("line {}: `{name}` is used as a whole: the proof does not follow what happens to its elements", line(span)),
        help: "pass values to the device function and store its result here".into(),
        span,
        array: Some(local),
    }
}

/// Two accesses to a shared array without a barrier between.
pub(crate) fn unproved_order(function: &Function, first: &Access<'_>, second: &Access<'_>) -> UnprovedAccess {
    let does = |access: &Access<'_>| if access.writes { "written" } else { "read" };
    let [one, other] = [first, second].map(|access| describe_access(function, access));
    let what = match std::ptr::eq(first, second) {
        true if first.indices.is_empty() => format!("{one} is {}: several threads may call the function", does(first)),
        true => format!("{one} is {}: the index is not proved to differ between threads", does(first)),
        false => format!(
            "{one} is {}, and {other} is {}: different threads may use one element without a barrier between",
            does(first),
            does(second)
        ),
    };
    let help = "separate the two by `sync_threads()`, let each thread use its own elements, or use atomics, such as `shared::<[AtomicU32; 256]>()`";
    UnprovedAccess { what, help: help.into(), span: span_of(function, second), array: second.base.place().variable() }
}

/// An operation on an atomic that orders the threads of one block only.
pub(crate) fn unproved_block_scope(function: &Function, local: LocalId, span: Span) -> UnprovedAccess {
    let name = &function.local(local).name;
    UnprovedAccess {
        what: format!("line {}: an element of `{name}` is used with block scope, but another block may use it too", line(span)),
        help: "remove `.block_scope()`".into(),
        span,
        array: Some(local),
    }
}

/// A barrier or warp function that some of its threads may not reach.
pub(crate) fn unproved_collective(function: &Function, collective: &Collective) -> UnprovedAccess {
    let Collective { name, span, scope, .. } = collective;
    let line = line(*span);
    let (what, help) = match scope {
        CollectiveScope::Grid | CollectiveScope::Block | CollectiveScope::Warp => (
            format!("line {line}: `{name}()` is under a condition that can differ between threads of a {}", group(*scope)),
            format!(
                "move `{name}()` out of the `if` or loop, so that all threads of the {} reach it{}",
                group(*scope),
                match name.as_str() {
                    _ if *scope != CollectiveScope::Warp || name == "sync_warp" => deciding_together(*scope),
                    _ => WITHOUT_ELEMENT,
                }
            ),
        ),
        CollectiveScope::Lanes => (
            format!("line {line}: `{name}()` waits for the threads of a mask, which the proof does not follow"),
            "call the function without a mask where all threads of the warp reach it".to_owned(),
        ),
    };
    // What operators of a type do that only rustc knows is not known, and so neither is a condition on it.
    let is_of_unknown_type = |call: &&Expr| call.ty != Type::Unit && !call.ty.is_scalar();
    let annotation = match awaited_calls(&function.body).iter().any(is_of_unknown_type) {
        true => "; if the condition depends on the result of a device function, annotate its type, such as `let sum: f32 = …`",
        false => "",
    };
    UnprovedAccess { what, help: format!("{help}{annotation}"), span: *span, array: None }
}

/// What threads do then that were kept from the call because they have no element.
const WITHOUT_ELEMENT: &str = "; pass a neutral value where there is no element: `if i < x.len() { x[i] } else { 0.0 }`";

/// What can take the place of a condition that differs between threads, where a barrier cannot move out of it.
pub(crate) fn deciding_together(scope: CollectiveScope) -> &'static str {
    match scope {
        CollectiveScope::Block => ", or decide by `sync_threads_or(…)` or `sync_threads_and(…)`, which return the same to all of them",
        CollectiveScope::Warp => ", or decide by `warp_any(…)` or `warp_all(…)`, which return the same to all of them",
        CollectiveScope::Grid | CollectiveScope::Lanes => "",
    }
}

/// Adds a condition that `access` needs, unless it is known.
pub(crate) fn add_condition(conditions: &mut Vec<Condition>, function: &Function, inequality: Inequality, access: &Access<'_>) {
    add_condition_of(conditions, function, inequality, || describe_access(function, access));
}

/// The same, needed by the access that is described so.
pub(crate) fn add_condition_of(
    conditions: &mut Vec<Condition>,
    function: &Function,
    inequality: Inequality,
    access: impl FnOnce() -> String,
) {
    if !conditions.iter().any(|known| known.inequality == inequality) {
        let text = text_of_inequality(function, &inequality);
        conditions.push(Condition { inequality, text, access: access() });
    }
}

/// ``line 12: `out[i]` ``
pub(crate) fn describe_access(function: &Function, access: &Access<'_>) -> String {
    let place = text_of_place(function, access.base, access.indices.iter().map(|index| index.expr));
    // What is written there is a tile.
    let place = if function.is_tiled() { place.replacen("[[", ".tile_mut(", 1).replacen("]]", ")", 1) } else { place };
    format!("line {}: `{place}`", line(span_of(function, access)))
}

/// The span of the first index, or of the whole array.
fn span_of(function: &Function, access: &Access<'_>) -> Span {
    access.indices.first().map_or(access.base.span, |index| function.site(index.site).span)
}

/// The threads that must reach it together.
pub(crate) fn group(scope: CollectiveScope) -> &'static str {
    match scope {
        CollectiveScope::Grid => "grid",
        CollectiveScope::Block => "block",
        CollectiveScope::Warp | CollectiveScope::Lanes => "warp",
    }
}

pub(crate) fn line(span: Span) -> usize {
    span.start().line
}
