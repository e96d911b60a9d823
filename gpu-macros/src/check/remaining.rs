//! The bounds checks that remain in a kernel's own body whatever its launch is: for its report, and as errors with
//! `#[gpu_kernel(deny(bounds_checks))]`.

use super::Analysis;
use crate::errors::Errors;
use crate::model::*;
use proc_macro2::Span;

pub(super) fn check_denied(function: &Function, analysis: &Analysis, errors: &Errors) {
    if matches!(&function.kind, FunctionKind::Kernel(options) if options.deny_bounds_checks) {
        for Remaining { span, array, reason } in remaining_checks(function, analysis) {
            let message = format!("a bounds check of {array} remains: {reason}\nhelp: compare the index with the length before it is used");
            errors.push(span, message);
        }
    }
}

/// A check that every launch makes.
struct Remaining {
    /// That of the index.
    span: Span,
    array: String,
    reason: String,
}

/// Each check that every launch makes, in words.
pub(crate) fn describe_remaining_checks(function: &Function, analysis: &Analysis) -> Vec<String> {
    let describe = |Remaining { span, array, reason }| format!("line {}: {array}: {reason}", span.start().line);
    remaining_checks(function, analysis).into_iter().map(describe).collect()
}

fn remaining_checks(function: &Function, analysis: &Analysis) -> Vec<Remaining> {
    let mut checks = Vec::new();
    if analysis.bounds.contains(&Bound::Unknown) {
        function.body.for_each_child(&mut |expr| collect_checks(function, analysis, expr, &mut checks));
    }
    checks
}

fn collect_checks(function: &Function, analysis: &Analysis, expr: &Expr, checks: &mut Vec<Remaining>) {
    // In order of evaluation.
    expr.for_each_child(&mut |child| collect_checks(function, analysis, child, checks));
    let mut report = |base: &Expr, index: &Expr, site: SiteId| {
        if *analysis.bound(site) == Bound::Unknown {
            let array = base.place().variable().map_or("the array".to_owned(), |local| format!("`{}`", function.local(local).name));
            checks.push(Remaining { span: index.span, array, reason: reason(function, index) });
        }
    };
    match &expr.kind {
        ExprKind::Index { base, index, site } => report(base, index, *site),
        ExprKind::Element { base, indices, sites } => {
            indices.iter().zip(sites).for_each(|(index, site)| report(base, index, *site));
        }
        _ => {}
    }
}

/// Why it is not known that `index` is in bounds.
fn reason(function: &Function, index: &Expr) -> String {
    unknown_part(function, index).unwrap_or_else(|| "nothing shows that the index is less than the length".to_owned())
}

/// What is unknown in `expr`: the first part whose value depends on more than the launch and the thread.
fn unknown_part(function: &Function, expr: &Expr) -> Option<String> {
    let name = |expr: &Expr| expr.place().variable().map_or(String::new(), |local| format!(" from `{}`", function.local(local).name));
    match expr.action() {
        Action::Access => return Some(format!("the index is read{}", name(expr))),
        Action::Atomic => return Some("the index comes from an atomic".to_owned()),
        Action::Call { .. } => return Some("the index comes from a function".to_owned()),
        _ => {}
    }
    if let ExprKind::Local(local) = expr.kind
        && function.local(local).mutable
    {
        return Some(format!("the index depends on `{}`, which changes", function.local(local).name));
    }
    let mut found = None;
    expr.for_each_child(&mut |child| found = found.take().or_else(|| unknown_part(function, child)));
    found
}
