//! Which facts say something about an index or about the position of the thread.
//!
//! A fact that is left out makes nothing provable that is not true. It only costs time to use those about other values, of which a long
//! function has many.

use crate::check::values::form::{NormalForm, Symbol, SymbolKind, Uniformity};
use crate::check::walk::facts::{Fact, Facts, Relation};

/// The facts about the values in `indices`, about the values in these facts, and so on; and what fixes a coordinate. Earliest first.
pub(super) fn relevant<'f>(facts: &'f Facts, indices: &[&'f NormalForm]) -> Vec<&'f Fact> {
    let mut values = Vec::new();
    indices.iter().for_each(|form| add_values(form, &mut values));
    let facts: Vec<(&Fact, Vec<&Symbol>)> = facts.iter().map(|fact| (fact, values_of(fact))).collect();
    let mut is_relevant = vec![false; facts.len()];
    loop {
        let mut found = false;
        for ((fact, own), relevant) in facts.iter().zip(&mut is_relevant).filter(|(_, relevant)| !**relevant) {
            if own.is_empty() || fixes_coordinate(fact, own) || own.iter().any(|value| values.contains(value)) {
                (*relevant, found) = (true, true);
                values.extend(own.iter().filter(|value| !values.contains(value)).copied().collect::<Vec<_>>());
            }
        }
        if !found {
            break;
        }
    }
    facts.iter().zip(is_relevant).rev().filter(|(_, relevant)| *relevant).map(|((fact, _), _)| *fact).collect()
}

/// Everything in `fact` that is not the same for the whole launch.
fn values_of(fact: &Fact) -> Vec<&Symbol> {
    let mut values = Vec::new();
    add_values(&fact.left.form, &mut values);
    add_values(&fact.right.form, &mut values);
    values
}

fn add_values<'f>(form: &'f NormalForm, values: &mut Vec<&'f Symbol>) {
    for symbol in form.terms.keys().flatten().filter(|symbol| symbol.spread != Uniformity::Launch) {
        if values.contains(&symbol) {
            continue;
        }
        values.push(symbol);
        match &symbol.kind {
            SymbolKind::Operation(_, operands) => operands.iter().for_each(|operand| add_values(operand, values)),
            SymbolKind::Stepped { start, step, .. } => [start, step].into_iter().for_each(|part| add_values(part, values)),
            _ => {}
        }
    }
}

/// Whether it may leave a coordinate, among its `values`, a single one.
fn fixes_coordinate(fact: &Fact, values: &[&Symbol]) -> bool {
    let is_number = [&fact.left, &fact.right].iter().any(|side| side.form.as_constant().is_some());
    let is_coordinate = |symbol: &&Symbol| matches!(symbol.kind, SymbolKind::ThreadIdx(_) | SymbolKind::BlockIdx(_));
    (fact.relation == Relation::Equal || is_number) && values.iter().any(is_coordinate)
}
