//! Indices in loops that are computed of small numbers: below 2³¹, as no array has more elements where a `usize` has 32 bits.
//!
//! Of `x[row * n + k]`, the compiler adds to the address of the last iteration if it knows that nothing wraps around, and that is what it knows of
//! numbers with a sign. So a sum, difference or product is computed as one where the launch shows that it is below 2³¹, and its operands are: then
//! it is exact, in 32 bits and in 64. In a difference of such words that is such a word, what is subtracted is not larger.

use super::{LONGEST, Narrow, is_device_function, is_index};
use crate::check::clients::bounds::{bound_below_limit, open_inequalities};
use crate::check::walk::effects::Effects;
use crate::model::*;
use std::collections::{HashMap, HashSet};

/// The operations that are exact in 32 bits with a sign.
#[derive(Debug, Default, Clone)]
pub(crate) struct SmallOperations {
    operations: HashSet<*const Expr>,
    /// What the launch must compare for that.
    pub(super) needs: Vec<Inequality>,
}

impl SmallOperations {
    pub(crate) fn has(&self, operation: &Expr) -> bool {
        self.operations.contains(&std::ptr::from_ref(operation))
    }

    #[cfg(test)]
    pub(crate) fn all(&self) -> HashSet<*const Expr> {
        self.operations.clone()
    }
}

/// The operands of a sum, difference or product.
fn operands(expr: &Expr) -> Option<[&Expr; 2]> {
    match &expr.kind {
        ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply, left, right, .. } if is_index(&expr.ty) => {
            Some([left, right])
        }
        _ => None,
    }
}

/// A sum, difference or product, and those of its operands that are no literals.
pub(super) type SumOf = (*const Expr, [Option<*const Expr>; 2]);

/// What `expr` is computed by, operands first.
pub(super) fn sums_of(expr: &Expr) -> Vec<SumOf> {
    let Some(parts) = operands(expr) else { return Vec::new() };
    let own = (std::ptr::from_ref(expr), parts.map(|part| (!is_small(part)).then_some(std::ptr::from_ref(part))));
    parts.into_iter().flat_map(sums_of).chain([own]).collect()
}

impl Narrow {
    /// Notes what the index of an array in global memory is computed by in a loop.
    pub(super) fn note_sums(&mut self, index: &Expr, site: SiteId) {
        let sums = match index.kind {
            ExprKind::Local(local) => self.inits.get(&local).cloned().unwrap_or_default(),
            _ => sums_of(index),
        };
        self.sums.extend(sums.into_iter().map(|sum| (site, sum)));
    }

    /// The expressions whose values [`small_operations`](Self::small_operations) looks at.
    pub(super) fn parts_of_sums(&self) -> impl Iterator<Item = &*const Expr> {
        self.sums.iter().flat_map(|(_, (sum, parts))| parts.iter().flatten().chain([sum]))
    }

    /// Those of the noted operations that `walk` shows to be small. An index that every launch checks has 64 bits. The launch of a device function is
    /// not known.
    pub(crate) fn small_operations(&self, function: &Function, walk: &Effects<'_>, bounds: &[Bound]) -> SmallOperations {
        let limit = Polynomial::constant(LONGEST);
        let mut known: HashMap<*const Expr, Option<Vec<Inequality>>> = HashMap::new();
        let mut needs_of = |expr: *const Expr| {
            let needs = || {
                let mut values = walk.demanded.iter().filter(|demanded| demanded.expr == expr).peekable();
                values.peek()?;
                let needs = values.map(|demanded| bound_below_limit(&demanded.value, &limit, &demanded.facts));
                let needs = needs.collect::<Option<Vec<_>>>()?.concat();
                let is_usual = if is_device_function(function) { needs.is_empty() } else { needs.iter().all(is_ordinary) };
                is_usual.then_some(needs)
            };
            known.entry(expr).or_insert_with(needs).clone()
        };
        let mut small = SmallOperations::default();
        for (_, (sum, parts)) in self.sums.iter().filter(|(site, _)| bounds[site.0] != Bound::Unknown) {
            if small.operations.contains(sum) {
                continue;
            }
            let needs = parts.iter().flatten().chain([sum]).map(|expr| needs_of(*expr)).collect::<Option<Vec<_>>>();
            if let Some(needs) = needs.and_then(|needs| open_inequalities([small.needs.clone(), needs.concat()].concat())) {
                small.operations.insert(*sum);
                small.needs = needs;
            }
        }
        small
    }
}

/// Whether ordinary launches satisfy it: a number that is bounded by the end of its type alone leaves nothing to others.
fn is_ordinary(need: &Inequality) -> bool {
    need.most.terms.iter().all(|term| term.coefficient < LONGEST / 2)
}

/// Whether it is a literal that is small.
fn is_small(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Int(literal) if literal.value < LONGEST.cast_unsigned())
}
