//! Constant expressions: array lengths, block extents and paths.

use crate::check::values::form::{BLOCK_LIMIT, NormalForm, Symbol, SymbolKind, Uniformity};
use crate::check::values::interval::Interval;
use crate::check::values::operation::{IntegerOperation, OperationName};
use crate::check::values::value::{Exact, Kind, Node, Value, holds_literal};
use crate::idents::text_of;
use crate::model::*;
use proc_macro2::Literal;
use quote::{ToTokens, quote};
use std::collections::{HashMap, HashSet};

/// The constants of one function.
pub(crate) struct Constants {
    /// `const` items of the body that are literals.
    literals: HashMap<String, u64>,
    /// Those outside of it whose numbers are known, if they are used.
    numbers: HashMap<String, u64>,
    /// Constants that are declared extents of a block, none of which is larger than a block.
    extents: HashSet<String>,
    /// The value of `block_dim()`: the declared extents, or those of the launch.
    pub(crate) block: [Value; 3],
}

impl Constants {
    /// `numbers`: whether those outside of the function are what the text around it shows.
    pub(crate) fn new(function: &Function, numbers: bool) -> Constants {
        let known = function.numbers.iter().filter(|_| numbers).map(|known| (known.name.to_string(), known.number));
        let literals = function.constants.iter().filter_map(|constant| {
            let (scalar, value) = constant.literal?;
            holds_literal(scalar, value).then(|| (constant.name.to_string(), value))
        });
        let declared: &[Length] = match &function.kind {
            FunctionKind::Kernel(KernelOptions { block: Some(extents), .. }) => extents,
            _ => &[],
        };
        let paths = declared.iter().filter_map(|extent| match extent.arithmetic() {
            Arithmetic::Constant(path) => Some(text_of(path)),
            _ => None,
        });
        let open = [Axis::X, Axis::Y, Axis::Z].map(|axis| Node::symbol(Symbol::block_dim(axis)));
        let mut constants = Constants { literals: HashMap::new(), numbers: known.collect(), extents: paths.collect(), block: open };
        // They stand outside the body, whose constants have other names (see `rules`).
        if (1..=3).contains(&declared.len()) {
            let extent = |axis| declared.get(axis).map_or_else(|| Node::number(1), |extent| constants.length(extent));
            constants.block = [0, 1, 2].map(extent);
        }
        constants.literals = literals.collect();
        constants
    }

    /// The value of a constant at `path` used as an unsigned integer in `range`.
    pub(crate) fn path(&self, path: &syn::Path, range: Interval) -> Value {
        if let Some(number) = self.number(path) {
            return Node::number(number);
        }
        let constant = ConstantExpr::from(path.to_token_stream());
        let ceiling = if self.extents.contains(constant.text()) { BLOCK_LIMIT } else { u64::MAX };
        let form = NormalForm::symbol(Symbol::launch(Atom::Constant(constant), ceiling));
        Node::within(Kind::Unknown, form, range.meet(Interval::up_to(ceiling)))
    }

    /// The constant at `path`, where that is known to be a number.
    pub(crate) fn number(&self, path: &syn::Path) -> Option<u64> {
        let name = path.get_ident()?.to_string();
        self.literals.get(&name).or_else(|| self.numbers.get(&name)).copied()
    }

    /// The value of `length`. rustc evaluates it without wrap-around, or refuses it.
    pub(crate) fn length(&self, length: &Length) -> Value {
        self.value(length.arithmetic())
    }

    /// The same over the integers. (A form reads `0xFFFF_FFFF_FFFF_FFF0` as -16.)
    pub(crate) fn exact_length(&self, length: &Length) -> Option<Polynomial> {
        self.polynomial(length.arithmetic())
    }

    fn polynomial(&self, length: &Arithmetic) -> Option<Polynomial> {
        match length {
            Arithmetic::Sum(operands) => self.polynomial(&operands[0])?.plus(&self.polynomial(&operands[1])?),
            Arithmetic::Difference(operands) => self.polynomial(&operands[0])?.minus(&self.polynomial(&operands[1])?),
            Arithmetic::Product(operands) => self.polynomial(&operands[0])?.times(&self.polynomial(&operands[1])?),
            Arithmetic::Number(_) | Arithmetic::Constant(_) | Arithmetic::Cast(_) | Arithmetic::Quotient(..) | Arithmetic::Other(_) => {
                self.value(length).form.to_quantity()
            }
        }
    }

    fn value(&self, length: &Arithmetic) -> Value {
        let operands = |operands: &[Arithmetic; 2]| (self.value(&operands[0]), self.value(&operands[1]));
        match length {
            Arithmetic::Number(number) => Node::number(*number),
            Arithmetic::Constant(path) => self.path(path, Interval::WORD),
            Arithmetic::Sum(both) => {
                let (a, b) = operands(both);
                let form = a.form.plus(&b.form);
                Node::new(Kind::Sum { of: [a, b], exact: Exact::Always }, form)
            }
            Arithmetic::Difference(both) => {
                let (a, b) = operands(both);
                let form = a.form.minus(&b.form);
                Node::new(Kind::Difference { of: [a, b], exact: true }, form)
            }
            Arithmetic::Product(both) => {
                let (a, b) = operands(both);
                let form = a.form.times(&b.form);
                Node::new(Kind::Product { of: [a, b], exact: Exact::Always }, form)
            }
            Arithmetic::Quotient(dividend, divisor) => {
                let dividend = self.value(dividend);
                let range = Interval::up_to(u64::MAX / divisor);
                let form = quotient(&dividend.form, *divisor).unwrap_or_else(|| {
                    let operands = vec![dividend.form.clone(), NormalForm::constant(*divisor)];
                    let kind = SymbolKind::Operation(OperationName::new(IntegerOperation::Quotient.of(Scalar::Usize)), operands);
                    NormalForm::symbol(Symbol::new(kind, Uniformity::Launch, range.largest_word()))
                });
                Node::within(Kind::Quotient(dividend, Node::number(*divisor)), form, range)
            }
            // As a kernel that names it reads it.
            Arithmetic::Cast(path) => match self.number(path) {
                Some(number) => Node::number(number),
                None => Node::symbol(Symbol::launch(Atom::constant(quote!((#path as usize))), u64::MAX)),
            },
            Arithmetic::Other(tokens) => Node::symbol(Symbol::launch(Atom::constant(tokens.clone()), u64::MAX)),
        }
    }
}

/// `dividend / divisor` of a constant, which rustc computes, or of a number. `divisor` is not 0.
pub(crate) fn quotient(dividend: &NormalForm, divisor: u64) -> Option<NormalForm> {
    if let Some(number) = dividend.as_constant() {
        return Some(NormalForm::constant(number / divisor));
    }
    let symbol = dividend.as_symbol()?;
    let SymbolKind::Launch(Atom::Constant(tokens)) = &symbol.kind else { return None };
    let literal = Literal::u64_unsuffixed(divisor);
    let quotient = Atom::constant(quote!(((#tokens) as usize / #literal)));
    Some(NormalForm::symbol(Symbol::launch(quotient, symbol.ceiling / divisor)))
}
