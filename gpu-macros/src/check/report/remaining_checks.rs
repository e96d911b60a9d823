//! The bounds checks that remain in a kernel's own body whatever its launch is: for its report, and as errors with
//! `#[gpu_kernel(deny(bounds_checks))]`.

use super::describe::text_of_inequality;
use crate::check::Analysis;
use crate::errors::Errors;
use crate::model::*;
use proc_macro2::Span;

pub(crate) fn check_denied(function: &Function, analysis: &Analysis, errors: &Errors) {
    if matches!(&function.kind, FunctionKind::Kernel(options) if options.deny_bounds_checks) {
        for Remaining { span, array, length, reason } in remaining_checks(function, analysis) {
            let help = match length {
                Length::OfRange => continue,
                Length::Above { length, changing: Some(name) } => format!("use it inside `if {name} < {length} {{ … }}`"),
                Length::Above { length, changing: None } => {
                    format!("bind the index, `let index = …;`, and use it inside `if index < {length} {{ … }}`")
                }
            };
            errors.push(span, format!("a bounds check of {array} remains: {reason}\nhelp: {help}"));
        }
    }
}

/// A check that every launch makes.
struct Remaining {
    /// That of the index, or of the array of a range.
    span: Span,
    array: String,
    length: Length,
    reason: String,
}

/// What is compared with a length.
enum Length {
    /// An index, which must be below that extent, as the kernel spells it. If the index is a variable that changes, its name.
    Above { length: String, changing: Option<String> },
    /// The ends of a range, which nothing proves yet.
    OfRange,
}

/// Each check that every launch makes, in words.
pub(crate) fn describe_remaining_checks(function: &Function, analysis: &Analysis) -> Vec<String> {
    let describe = |Remaining { span, array, reason, .. }| format!("line {}: {array}: {reason}", span.start().line);
    let mut lines: Vec<String> = remaining_checks(function, analysis).into_iter().map(describe).collect();
    // A loop over a written array has copies of its body.
    lines.dedup();
    lines
}

/// The conditions of a launch, in the order of their bits, each with the line of an index that is not checked where it holds.
pub(crate) fn describe_conditions(function: &Function, analysis: &Analysis) -> Vec<String> {
    let describe = |group: &[(Inequality, SiteId)]| {
        let texts: Vec<String> = group.iter().map(|(condition, _)| format!("`{}`", text_of_inequality(function, condition))).collect();
        format!("line {}: {}", function.site(group[0].1).span.start().line, texts.join(" and "))
    };
    analysis.conditions.groups().map(describe).collect()
}

fn remaining_checks(function: &Function, analysis: &Analysis) -> Vec<Remaining> {
    let mut checks = Vec::new();
    function.body.for_each_child(&mut |expr| collect_checks(function, analysis, expr, &mut checks));
    checks
}

fn collect_checks(function: &Function, analysis: &Analysis, expr: &Expr, checks: &mut Vec<Remaining>) {
    // In order of evaluation.
    expr.for_each_child(&mut |child| collect_checks(function, analysis, child, checks));
    let name_of = |base: &Expr| base.place().variable().map(|local| function.local(local).name.to_string());
    let quoted = |name: Option<String>| name.map_or("the array".to_owned(), |name| format!("`{name}`"));
    let mut report = |base: &Expr, index: &Expr, site: SiteId, extent: &str| {
        if *analysis.bound(site) == Bound::Unknown {
            let name = name_of(base);
            let length = format!("{}.{extent}", name.as_deref().unwrap_or("array"));
            let changing = changing_variable(function, index).map(ToString::to_string);
            let length = Length::Above { length, changing };
            checks.push(Remaining { span: index.span, array: quoted(name), length, reason: reason(function, index) });
        }
    };
    match &expr.kind {
        ExprKind::Index { base, index, site } => report(base, index, *site, "len()"),
        ExprKind::Element { base, indices, sites } => {
            let axes = indices.iter().zip(sites).enumerate();
            axes.for_each(|(axis, (index, site))| report(base, index, *site, &format!("shape()[{axis}]")));
        }
        ExprKind::Subslice { base, start, end, site, .. } if is_checked(function, start, end.as_deref(), *site) => {
            let reason = "the ends of a range are compared with the length".to_owned();
            checks.push(Remaining { span: base.span, array: quoted(name_of(base)), length: Length::OfRange, reason });
        }
        _ => {}
    }
}

/// Whether a range can be out of bounds: not `..`.
fn is_checked(function: &Function, start: &Expr, end: Option<&Expr>, site: SiteId) -> bool {
    let is_all = end.is_none() && matches!(&start.kind, ExprKind::Int(literal) if literal.value == 0);
    function.site(site).kind != SiteKind::Unchecked && !is_all
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
    if let Some(name) = changing_variable(function, expr) {
        return Some(format!("the index depends on `{name}`, which changes"));
    }
    let mut found = None;
    expr.for_each_child(&mut |child| found = found.take().or_else(|| unknown_part(function, child)));
    found
}

/// The variable that `expr` is, if its value changes.
fn changing_variable<'f>(function: &'f Function, expr: &Expr) -> Option<&'f proc_macro2::Ident> {
    let ExprKind::Local(local) = expr.kind else { return None };
    Some(function.local(local)).filter(|local| local.mutable).map(|local| &local.name)
}
