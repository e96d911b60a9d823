//! Atomic operations with block scope.

use crate::errors::Errors;
use crate::model::*;
use proc_macro2::Span;

/// Those on elements of parameters, which other blocks may use as well: then they are data races. Of shared memory a block has its own.
pub(crate) fn block_scoped(function: &Function) -> Vec<(LocalId, Span)> {
    fn collect(expr: &Expr, function: &Function, found: &mut Vec<(LocalId, Span)>) {
        if let ExprKind::Atomic { scope: AtomicScope::Block, place, .. } = &expr.kind
            && let Some(local) = place.place().variable()
            && function.params.iter().any(|param| param.local == local)
        {
            found.push((local, expr.span));
        }
        expr.for_each_child(&mut |child| collect(child, function, found));
    }
    let mut found = Vec::new();
    function.body.for_each_child(&mut |expr| collect(expr, function, &mut found));
    found
}

/// Refuses them in device functions: only the launch of a kernel can be `unsafe`.
pub(crate) fn check_scoped_atomics(function: &Function, errors: &Errors) {
    if matches!(function.kind, FunctionKind::Kernel(_)) {
        return;
    }
    for (local, span) in block_scoped(function) {
        let name = &function.local(local).name;
        errors.push(
            span,
            format!("other blocks may use the elements of `{name}`, so `block_scope()` is not supported here\nhelp: call it in the kernel, whose launch is then `unsafe`; shared memory does not need it, because its scope is the block"),
        );
    }
}
