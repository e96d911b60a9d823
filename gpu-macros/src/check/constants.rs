//! Constant expressions: array lengths, block extents and paths.

use super::form::Symbol;
use super::upper::launch_quantity;
use super::value::{Kind, Node, Value, holds_literal};
use crate::model::*;
use quote::ToTokens;
use std::collections::HashMap;

/// The constants of one function.
pub(super) struct Constants {
    /// `const` items of the body that are literals.
    literals: HashMap<String, u64>,
    /// The value of `block_dim()`: the declared extents, or those of the launch.
    pub(super) block: [Value; 3],
}

impl Constants {
    pub(super) fn new(function: &Function) -> Constants {
        let literals = function.constants.iter().filter_map(|constant| {
            let (scalar, value) = constant.literal?;
            holds_literal(scalar, value).then(|| (constant.name.to_string(), value))
        });
        let literals = literals.collect();
        let block = match &function.kind {
            FunctionKind::Kernel(KernelOptions { block: Some(extents), .. }) => block_values(extents),
            _ => None,
        };
        let block = block.unwrap_or_else(|| [Axis::X, Axis::Y, Axis::Z].map(|axis| Node::symbol(Symbol::block_dim(axis))));
        Constants { literals, block }
    }

    /// The value of a constant at `path` used as an unsigned integer.
    pub(super) fn path(&self, path: &syn::Path) -> Value {
        match path.get_ident().and_then(|name| self.literals.get(&name.to_string())) {
            Some(literal) => Node::number(*literal),
            None => Node::symbol(Symbol::launch(Atom::Constant(path.to_token_stream()), u64::MAX)),
        }
    }

    /// The value of `length`. rustc evaluates it without wrap-around, or refuses it.
    pub(super) fn length(&self, length: &Length) -> Value {
        self.value(&length.arithmetic)
    }

    /// The same over the integers. (A form reads `0xFFFF_FFFF_FFFF_FFF0` as -16.)
    pub(super) fn exact_length(&self, length: &Length) -> Option<Polynomial> {
        self.polynomial(&length.arithmetic)
    }

    fn polynomial(&self, length: &Arithmetic) -> Option<Polynomial> {
        match length {
            Arithmetic::Sum(operands) => self.polynomial(&operands[0])?.plus(&self.polynomial(&operands[1])?),
            Arithmetic::Difference(operands) => self.polynomial(&operands[0])?.minus(&self.polynomial(&operands[1])?),
            Arithmetic::Product(operands) => self.polynomial(&operands[0])?.times(&self.polynomial(&operands[1])?),
            Arithmetic::Number(_) | Arithmetic::Constant(_) | Arithmetic::Other(_) => launch_quantity(&self.value(length).form),
        }
    }

    fn value(&self, length: &Arithmetic) -> Value {
        let operands = |operands: &[Arithmetic; 2]| (self.value(&operands[0]), self.value(&operands[1]));
        match length {
            Arithmetic::Number(number) => Node::number(*number),
            Arithmetic::Constant(path) => self.path(path),
            Arithmetic::Sum(both) => {
                let (a, b) = operands(both);
                Node::new(Kind::Sum(a.clone(), b.clone()), a.form.plus(&b.form))
            }
            Arithmetic::Difference(both) => {
                let (a, b) = operands(both);
                Node::new(Kind::Difference(a.clone(), b.clone()), a.form.minus(&b.form))
            }
            Arithmetic::Product(both) => {
                let (a, b) = operands(both);
                Node::new(Kind::Product(a.clone(), b.clone()), a.form.times(&b.form))
            }
            Arithmetic::Other(tokens) => Node::symbol(Symbol::launch(Atom::Constant(tokens.clone()), u64::MAX)),
        }
    }
}

/// The declared extents. They stand outside the body, whose constants have other names (see `rules`).
fn block_values(extents: &[Length]) -> Option<[Value; 3]> {
    let mut values = [(); 3].map(|()| Node::number(1));
    let outside = Constants { literals: HashMap::new(), block: values.clone() };
    for (value, extent) in values.iter_mut().zip(extents) {
        *value = outside.length(extent);
    }
    (extents.len() <= 3).then_some(values)
}
