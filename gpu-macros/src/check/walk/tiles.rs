//! Tiles: a store is a write at the index of the tile, by one thread of the block. Each element of a tile is always the same thread's.

use super::effects::{Access, AxisIndex, Collective, CollectiveScope};
use super::facts::Relation;
use super::walker::Walker;
use crate::check::values::form::{Symbol, Uniformity};
use crate::check::values::interval::Interval;
use crate::check::values::value::{Node, Value};
use crate::model::*;

impl<'f> Walker<'f> {
    /// The operation `whole`.
    pub(super) fn tile(&mut self, operation: &'f TileOperation, name: &proc_macro2::Ident, args: &'f [Expr], whole: &'f Expr) -> Value {
        let values = match operation {
            TileOperation::Load | TileOperation::Store(_) => &args[1..],
            _ => args,
        };
        let values: Vec<Value> = values.iter().map(|arg| self.expr(arg)).collect();
        if operation.synchronizes() {
            let collective = Collective { name: name.to_string(), span: whole.span, together: self.control, scope: CollectiveScope::Block };
            self.findings.collectives.push(collective);
        }
        let TileOperation::Store(sites) = operation else { return self.fresh(Uniformity::Thread, Interval::ANY) };
        let indices = args[1..].iter().zip(values).zip(sites);
        let indices = indices.map(|((expr, value), site)| AxisIndex { expr, value, length: None, site: *site }).collect();
        let mut facts = self.facts.clone();
        for axis in [Axis::X, Axis::Y, Axis::Z] {
            facts.add(&Node::symbol(Symbol::thread_idx(axis)), Relation::Equal, &Node::number(0));
        }
        self.findings.accesses.push(Access {
            base: &args[0],
            indices,
            writes: true,
            facts,
            ways: self.ways_here(),
            loops: self.enclosing.clone(),
        });
        Node::unit()
    }
}
