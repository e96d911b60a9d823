//! Which facts say something about an index or about the position of the thread.
//!
//! A fact that is left out makes nothing provable that is not true. It only costs time to use those about other values, of which a long
//! function has many.

use crate::check::values::form::{NormalForm, Symbol, SymbolKind, Uniformity};
use crate::check::walk::facts::{Fact, Facts, Relation};
use crate::model::Axis;

/// The facts about the values in `forms`, about the values in these facts, and so on; and what fixes a coordinate. Guards before checks, and
/// of each the earliest first. Facts about values that `common` threads agree on are all relevant.
pub(super) fn relevant<'f>(facts: &'f Facts, forms: &[&'f NormalForm], common: Uniformity) -> Vec<&'f Fact> {
    let mut values = Vec::new();
    forms.iter().for_each(|form| add_values(form, common, &mut values));
    // The counter is made of the position of the thread.
    let has_stride = values.iter().any(|value| matches!(value.kind, SymbolKind::GridStride(_)));
    let is_position = |value: &&Symbol| matches!(value.kind, SymbolKind::ThreadIdx(Axis::X) | SymbolKind::BlockIdx(Axis::X));
    // A check may rest on guards: that an index of 32 bits is below a length says little before the extents of its coordinates are known.
    let facts: Vec<(&Fact, Vec<&Symbol>)> = facts.checks().chain(facts.guards()).map(|fact| (fact, values_of(fact, common))).collect();
    let is_always =
        |fact: &Fact, own: &[&Symbol]| own.is_empty() || has_stride && own.iter().any(is_position) || fixes_coordinate(fact, own);
    connected(&facts, values, is_always, |_| true)
}

/// The facts about `known` values, about the values in these facts that differ (`leads_on`), and so on, and those that are `always` relevant;
/// each comes with what it is about. The last one first.
pub(super) fn connected<'f>(
    facts: &[(&'f Fact, Vec<&'f Symbol>)],
    mut known: Vec<&'f Symbol>,
    always: impl Fn(&Fact, &[&Symbol]) -> bool,
    leads_on: impl Fn(&Symbol) -> bool,
) -> Vec<&'f Fact> {
    let mut is_relevant = vec![false; facts.len()];
    loop {
        let mut found = false;
        for ((fact, own), relevant) in facts.iter().zip(&mut is_relevant).filter(|(_, relevant)| !**relevant) {
            if always(fact, own) || own.iter().any(|value| known.contains(value)) {
                (*relevant, found) = (true, true);
                let new: Vec<&Symbol> = own.iter().filter(|value| leads_on(value) && !known.contains(value)).copied().collect();
                known.extend(new);
            }
        }
        if !found {
            break;
        }
    }
    facts.iter().zip(is_relevant).rev().filter(|(_, relevant)| *relevant).map(|((fact, _), _)| *fact).collect()
}

/// Everything in `fact` that `common` threads do not agree on.
fn values_of(fact: &Fact, common: Uniformity) -> Vec<&Symbol> {
    let mut values = Vec::new();
    add_values(&fact.left.form, common, &mut values);
    add_values(&fact.right.form, common, &mut values);
    values
}

fn add_values<'f>(form: &'f NormalForm, common: Uniformity, values: &mut Vec<&'f Symbol>) {
    for symbol in form.terms.keys().flatten().filter(|symbol| symbol.spread > common) {
        if values.contains(&symbol) {
            continue;
        }
        values.push(symbol);
        symbol.operands().into_iter().for_each(|operand| add_values(operand, common, values));
    }
}

/// Whether it may leave a coordinate, or what tells the thread, among its `values`, a single one.
fn fixes_coordinate(fact: &Fact, values: &[&Symbol]) -> bool {
    let is_number = [&fact.left, &fact.right].iter().any(|side| side.form.as_constant().is_some());
    let is_coordinate =
        |symbol: &&Symbol| matches!(symbol.kind, SymbolKind::ThreadIdx(_) | SymbolKind::BlockIdx(_) | SymbolKind::Ticket(_));
    (fact.relation == Relation::Equal || is_number) && values.iter().any(is_coordinate)
}
