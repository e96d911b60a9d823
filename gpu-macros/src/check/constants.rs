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
            // One under a `cfg` may not be there, and another constant of that name in its place.
            let (syn::Type::Path(ty), []) = (&*constant.ty, constant.attrs.as_slice()) else { return None };
            let (scalar, value) = (Scalar::from_name(&ty.path.get_ident()?.to_string())?, literal(&constant.expr)?);
            holds_literal(scalar, value).then(|| (constant.ident.to_string(), value))
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

    /// The value of `expr`, a constant expression of type `usize`. rustc evaluates it without wrap-around, or refuses it.
    pub(super) fn length(&self, length: &Length) -> Value {
        self.value(&length.expr)
    }

    /// The same over the integers. (A form reads `0xFFFF_FFFF_FFFF_FFF0` as -16.)
    pub(super) fn exact_length(&self, length: &Length) -> Option<Polynomial> {
        self.polynomial(&length.expr)
    }

    fn polynomial(&self, expr: &syn::Expr) -> Option<Polynomial> {
        match expr {
            syn::Expr::Paren(paren) => self.polynomial(&paren.expr),
            syn::Expr::Group(group) => self.polynomial(&group.expr),
            syn::Expr::Binary(syn::ExprBinary { left, op, right, .. }) => {
                let (a, b) = (self.polynomial(left)?, self.polynomial(right)?);
                match op {
                    syn::BinOp::Add(_) => a.plus(&b),
                    syn::BinOp::Mul(_) => a.times(&b),
                    syn::BinOp::Sub(_) => a.minus(&b),
                    _ => Some(Polynomial::atom(Atom::Constant(expr.to_token_stream()))),
                }
            }
            _ => launch_quantity(&self.value(expr).form),
        }
    }

    fn value(&self, expr: &syn::Expr) -> Value {
        if let Some(literal) = literal(expr) {
            return Node::number(literal);
        }
        match expr {
            syn::Expr::Paren(paren) => self.value(&paren.expr),
            syn::Expr::Group(group) => self.value(&group.expr),
            syn::Expr::Path(syn::ExprPath { qself: None, path, .. }) => self.path(path),
            syn::Expr::Binary(binary) => {
                let (a, b) = (self.value(&binary.left), self.value(&binary.right));
                match binary.op {
                    syn::BinOp::Add(_) => Node::new(Kind::Sum(a.clone(), b.clone()), a.form.plus(&b.form)),
                    syn::BinOp::Mul(_) => Node::new(Kind::Product(a.clone(), b.clone()), a.form.times(&b.form)),
                    syn::BinOp::Sub(_) => Node::new(Kind::Difference(a.clone(), b.clone()), a.form.minus(&b.form)),
                    _ => opaque(expr),
                }
            }
            _ => opaque(expr),
        }
    }
}

fn opaque(expr: &syn::Expr) -> Value {
    Node::symbol(Symbol::launch(Atom::Constant(expr.to_token_stream()), u64::MAX))
}

fn literal(expr: &syn::Expr) -> Option<u64> {
    match expr {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => int.base10_parse().ok(),
        _ => None,
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
