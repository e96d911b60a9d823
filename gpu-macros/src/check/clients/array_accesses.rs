//! Which elements of an array the accesses of a walk use.

use crate::check::values::form::{Symbol, SymbolKind, Uniformity};
use crate::check::walk::effects::{Access, AxisIndex, Effects};
use crate::model::*;
use std::collections::{HashMap, HashSet};

/// An access to an element of an array, or to a part of one: of `tile[y][x]` there is one, with two indices; of `points[i].at[j]`, it is that
/// of `points[i]`.
#[derive(Clone)]
pub(crate) struct Use<'a, 'f> {
    pub(crate) access: &'a Access<'f>,
    /// From the outermost on.
    pub(crate) indices: Vec<&'a AxisIndex<'f>>,
    /// How many of them name an element of the array itself. The others are indices in it.
    pub(crate) outer: usize,
}

impl Use<'_, '_> {
    /// Which threads agree on the element.
    pub(crate) fn spread(&self) -> Uniformity {
        self.indices.iter().map(|index| index.value.spread).max().unwrap_or(Uniformity::Thread)
    }

    /// Whether the number of the block along an axis is in an index.
    pub(crate) fn names_block(&self, axis: Axis) -> bool {
        let is_number = |symbol: &Symbol| (symbol.kind == SymbolKind::BlockIdx(axis)).then_some(());
        self.indices.iter().any(|index| index.value.form.find(&is_number).is_some())
    }
}

/// The accesses to `array` and into its elements.
pub(crate) fn uses_of<'a, 'f>(walk: &'a Effects<'f>, array: LocalId) -> Vec<Use<'a, 'f>> {
    // What is around is evaluated before what is in it.
    let mut latest: HashMap<SiteId, &Access<'f>> = HashMap::new();
    let mut around: HashSet<SiteId> = HashSet::new();
    let mut found = Vec::new();
    for access in &walk.accesses {
        latest.insert(access.indices[0].site, access);
        let mut levels: Vec<&[AxisIndex<'f>]> = vec![&access.indices];
        let mut base = access.base;
        let root = loop {
            let site = match &base.kind {
                ExprKind::Local(local) => break Some(*local),
                ExprKind::Index { base: next, site, .. } => {
                    base = next;
                    *site
                }
                ExprKind::Element { base: next, sites, .. } => {
                    base = next;
                    sites[0]
                }
                ExprKind::Field { base: next, .. } | ExprKind::TupleField { base: next, .. } => {
                    levels.clear();
                    base = next;
                    continue;
                }
                _ => break None,
            };
            around.insert(site);
            match latest.get(&site) {
                Some(outer) => levels.push(&outer.indices),
                // Any of its elements.
                None => levels.clear(),
            }
        };
        if root == Some(array) {
            let outer = levels.last().map_or(0, |indices| indices.len());
            let indices = levels.into_iter().rev().flatten().collect();
            found.push(Use { access, indices, outer });
        }
    }
    found.retain(|used| !around.contains(&used.access.indices[0].site));
    found
}
