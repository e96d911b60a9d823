//! Indices that are in bounds on launches in which no operation of signed integers overflows.
//!
//! The [walk](crate::check::walk::exact) takes all of them for exact. Those of which the launch cannot show it are taken for unknown in the
//! next walk, until it shows the rest. The proofs about indices rest on all of these.

use super::bounds::{bound_of_value, drop_refuted, open_inequalities, prove_bounds};
use crate::check::values::form::NormalForm;
use crate::check::values::interval::Interval;
use crate::check::values::value::{Kind, Node};
use crate::check::walk::exact::Exact;
use crate::check::walk::walker::walk_exact;
use crate::model::*;
use std::collections::HashSet;

/// How often operations may be found not to be exact.
const MOST_WALKS: usize = 8;

/// Bounds the indices of a kernel of which nothing is known, where that needs exact operations. Whether it does.
pub(crate) fn prove_bounds_of_exact_integers(function: &Function, numbers: bool, bounds: &mut [Bound]) -> bool {
    let is_open = |site: &Site, bound: &Bound| matches!(site.kind, SiteKind::Index | SiteKind::AxisIndex(_)) && *bound == Bound::Unknown;
    let has_open = function.sites.iter().zip(&*bounds).any(|(site, bound)| is_open(site, bound));
    if !matches!(function.kind, FunctionKind::Kernel(_)) || !has_open || !function.body.any(&is_signed) {
        return false;
    }
    let Some((mut exact, needs)) = exact_bounds(function, numbers) else { return false };
    drop_refuted(function, &mut exact);
    let mut proves_more = false;
    for (bound, exact) in bounds.iter_mut().zip(exact) {
        if let (Bound::Unknown, Bound::Below(own)) = (&*bound, exact)
            && let Some(needs) = open_inequalities([own, needs.clone()].concat())
        {
            *bound = Bound::Below(needs);
            proves_more = true;
        }
    }
    proves_more
}

/// An operation that may overflow.
fn is_signed(expr: &Expr) -> bool {
    let is_operation = matches!(expr.kind, ExprKind::Cast { .. } | ExprKind::Binary { .. });
    is_operation && expr.ty.as_scalar().is_some_and(Scalar::is_signed_integer)
}

/// The bounds of all indices, and what the launch must satisfy for the operations to be exact.
fn exact_bounds(function: &Function, numbers: bool) -> Option<(Vec<Bound>, Vec<Inequality>)> {
    let mut inexact = HashSet::new();
    for _ in 0..MOST_WALKS {
        let walk = walk_exact(function, numbers, inexact.clone());
        let mut needs = Vec::new();
        let known = inexact.len();
        for operation in &walk.exact {
            match needs_of(operation) {
                Some(own) => needs.extend(own),
                None => _ = inexact.insert(operation.expr),
            }
        }
        if inexact.len() == known {
            return (!walk.exact.is_empty()).then(|| (prove_bounds(function, &walk), needs));
        }
    }
    None
}

/// When an operation does not overflow: where its integer is natural and below the end of the type, or both after adding half of the range.
///
/// The integer is in [`Interval::ANY`]. So if its word is below 2^63, it is that word.
fn needs_of(operation: &Exact) -> Option<Vec<Inequality>> {
    let Interval { least, most } = Interval::of_type(Some(operation.scalar));
    let natural = bound_of_value(&operation.value, &Polynomial::constant(most + 1), &operation.facts);
    natural.or_else(|| {
        if operation.scalar.bits() > 32 {
            return None;
        }
        let form = operation.value.form.plus(&NormalForm::constant(u64::try_from(-least).ok()?));
        bound_of_value(&Node::new(Kind::Unknown, form), &Polynomial::constant(most + 1 - least), &operation.facts)
    })
}
