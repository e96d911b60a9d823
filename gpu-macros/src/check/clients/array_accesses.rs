//! Which elements of an array the accesses of a walk use.

use crate::check::values::form::{Symbol, SymbolKind, Uniformity};
use crate::check::values::value::{Kind, Value, add_choices};
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
        let is_in = |value: &Value| value.form.find(&is_number).is_some();
        // A value that is one of several has a name of its own.
        let mut choices = Vec::new();
        self.indices.iter().for_each(|index| add_choices(&index.value, &mut choices));
        let is_in_choice = |choice: &Value| matches!(&choice.kind, Kind::OneOf(values) if values.iter().any(|(value, _)| is_in(value)));
        self.indices.iter().any(|index| is_in(&index.value)) || choices.into_iter().any(is_in_choice)
    }
}

/// The accesses to `array` and into its elements.
pub(crate) fn uses_of<'a, 'f>(walk: &'a Effects<'f>, array: LocalId) -> Vec<Use<'a, 'f>> {
    // What is around is evaluated before what is in it.
    let mut latest: HashMap<SiteId, &Access<'f>> = HashMap::new();
    let mut around: HashSet<SiteId> = HashSet::new();
    let mut found = Vec::new();
    // Those of calls too: an exact walk has no others of a closure.
    for access in walk.accesses.iter().chain(&walk.of_calls) {
        if let Some(index) = access.indices.first() {
            latest.insert(index.site, access);
        }
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
    found.retain(|used| used.access.indices.first().is_none_or(|index| !around.contains(&index.site)));
    found
}

/// The uses by the planes of the array that they are in: by their indices on the axes on which all have a constant. Uses in different planes are of
/// different elements.
pub(crate) fn by_planes<'a, 'f>(uses: Vec<Use<'a, 'f>>) -> Vec<Vec<Use<'a, 'f>>> {
    let constant = |used: &Use<'_, '_>, axis: usize| used.indices[axis].value.form.as_constant();
    let axes = uses.iter().map(|used| used.outer).min().unwrap_or(0);
    let named: Vec<usize> = (0..axes).filter(|axis| uses.iter().all(|used| constant(used, *axis).is_some())).collect();
    let mut planes: Vec<(Vec<Option<u64>>, Vec<Use<'a, 'f>>)> = Vec::new();
    for used in uses {
        let plane = named.iter().map(|axis| constant(&used, *axis)).collect();
        match planes.iter_mut().find(|(known, _)| *known == plane) {
            Some((_, uses)) => uses.push(used),
            None => planes.push((plane, vec![used])),
        }
    }
    planes.into_iter().map(|(_, uses)| uses).collect()
}
