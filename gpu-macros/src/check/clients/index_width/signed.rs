//! Indices that are casts of numbers with at most 32 bits, as in `x[rows[k] as usize]`, which are checked in 32 bits.
//!
//! A negative `i32` is a `usize` of at least 2⁶³, and its low 32 bits are at least 2³¹. An array has no more elements in the variant of 32 bits, so
//! both are out of bounds. So is a small number and more, unless the sum is an index. Of a product `state as usize * k`, the low bits may be
//! anything, unless `state` is below 2³¹ / k. If it is not, the product is no index, nor is one and what is added, which is less than `k` if the
//! product may be negative: so that is compared first.
//!
//! A variable that holds such casts is read as one: its 32 bits are those of the number with a sign.

use super::is_index;
use crate::model::*;
use std::collections::HashSet;

/// No array has more elements where a `usize` has 32 bits.
pub(crate) const LONGEST: i128 = 1 << 31;

/// The variables of type `usize` that hold casts of signed numbers with at most 32 bits, and small literals, and nothing else.
#[derive(Debug, Default, Clone)]
pub(crate) struct SignedLocals(HashSet<LocalId>);

/// An index whose low 32 bits are those of the sum of `number` times `factor`, and `addends`.
pub(crate) struct CastIndex<'e> {
    /// A cast of a number with at most 32 bits, or a variable that holds such casts.
    pub(crate) cast: &'e Expr,
    /// A literal or a constant, if there is one.
    pub(crate) factor: Option<&'e Expr>,
    /// Casts of numbers of at most 16 bits, and literals.
    pub(crate) addends: Vec<&'e Expr>,
    /// The largest sum of them.
    most: u128,
    is_signed: bool,
}

impl SignedLocals {
    pub(crate) fn of(function: &Function) -> SignedLocals {
        let locals = (0..function.locals.len()).map(LocalId);
        SignedLocals(locals.filter(|local| holds_signed(function, *local)).collect())
    }

    /// Whether `expr` is such a variable.
    pub(crate) fn has(&self, expr: &Expr) -> bool {
        matches!(expr.kind, ExprKind::Local(local) if self.0.contains(&local))
    }

    /// Whether `expr` is such a variable or such a cast.
    pub(crate) fn is_signed(&self, expr: &Expr) -> bool {
        self.has(expr) || is_signed_cast(expr)
    }

    /// Whether an index has this form, and 32 bits are enough to check it.
    pub(crate) fn cast_index<'e>(&self, index: &'e Expr) -> Option<CastIndex<'e>> {
        self.sum_with_cast(index).filter(CastIndex::is_determined)
    }

    fn sum_with_cast<'e>(&self, index: &'e Expr) -> Option<CastIndex<'e>> {
        if !is_index(&index.ty) {
            return None;
        }
        match &index.kind {
            ExprKind::Binary { op: BinaryOp::Add, left, right, .. } => self.plus(left, right).or_else(|| self.plus(right, left)),
            ExprKind::Binary { op: BinaryOp::Multiply, left, right, .. } => match (self.is_cast(left), self.is_cast(right)) {
                (true, _) => is_factor(right).then(|| self.product(left, Some(right))),
                (_, true) => is_factor(left).then(|| self.product(right, Some(left))),
                _ => None,
            },
            _ => self.is_cast(index).then(|| self.product(index, None)),
        }
    }

    fn plus<'e>(&self, index: &'e Expr, addend: &'e Expr) -> Option<CastIndex<'e>> {
        let mut cast = self.sum_with_cast(index)?;
        cast.addends.push(addend);
        cast.most = cast.most.checked_add(most_of(addend)?)?;
        (cast.most < 1 << 30).then_some(cast)
    }

    fn product<'e>(&self, cast: &'e Expr, factor: Option<&'e Expr>) -> CastIndex<'e> {
        CastIndex { cast, factor, addends: Vec::new(), most: 0, is_signed: self.is_signed(cast) }
    }

    fn is_cast(&self, expr: &Expr) -> bool {
        let is_small = |scalar: Scalar| scalar.is_integer() && scalar.bits() <= 32;
        self.has(expr) || matches!(&expr.kind, ExprKind::Cast { operand, .. } if operand.ty.as_scalar().is_some_and(is_small))
    }
}

impl CastIndex<'_> {
    /// Whether the cast must be compared too. If nothing is multiplied, a number with a sign and what is added have 32 bits.
    pub(crate) fn may_wrap(&self) -> bool {
        self.factor.is_some() || !(self.is_signed || self.addends.is_empty())
    }

    /// Whether a negative number makes no index, or the low bits tell which. Of constants, rustc knows.
    fn is_determined(&self) -> bool {
        match self.factor.map(|factor| &factor.kind) {
            Some(ExprKind::Int(literal)) => !self.is_signed || self.most < literal.value,
            _ => true,
        }
    }

    /// Whether it is what is cast: then 32 bits without a sign are the same as 64.
    pub(super) fn is_plain(&self) -> bool {
        self.factor.is_none() && self.addends.is_empty() && super::has_few_bits(self.cast)
    }

    /// The constant that it is multiplied with, and what must be less.
    pub(super) fn constant(&self) -> Option<(ConstantExpr, i128)> {
        match &self.factor?.kind {
            ExprKind::Constant(path) => Some((ConstantExpr::from(quote::ToTokens::to_token_stream(path)), self.most.cast_signed())),
            _ => None,
        }
    }
}

/// A literal or a constant by which a number may be multiplied: how large a constant is, rustc knows.
fn is_factor(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Int(literal) => (1..=LONGEST.cast_unsigned()).contains(&literal.value),
        ExprKind::Constant(_) => is_index(&expr.ty),
        _ => false,
    }
}

/// The largest number that a literal or a cast of few bits is.
fn most_of(expr: &Expr) -> Option<u128> {
    match &expr.kind {
        ExprKind::Int(literal) => Some(literal.value),
        ExprKind::Cast { operand, .. } => {
            let scalar = operand.ty.as_scalar().filter(|scalar| scalar.is_unsigned_integer() && scalar.bits() <= 16)?;
            Some((1 << scalar.bits()) - 1)
        }
        _ => None,
    }
}

fn holds_signed(function: &Function, local: LocalId) -> bool {
    let variable = function.local(local);
    let is_plain = variable.kind == LocalKind::Let && is_index(&variable.ty) && !variable.is_reference();
    let is_declared = || {
        let declared =
            function.body.declaration(local).filter(|declared| declared.pattern.as_name() == Some(local) && is_index(&declared.ty));
        declared.and_then(|declared| declared.init.as_ref()).is_some_and(is_signed_cast)
    };
    is_plain && is_declared() && !(variable.mutable && function.body.any(&|expr| gives_other(expr, local)))
}

fn is_signed_cast(expr: &Expr) -> bool {
    let is_signed = |scalar: Scalar| scalar.is_signed_integer() && scalar.bits() <= 32;
    matches!(&expr.kind, ExprKind::Cast { operand, .. } if is_index(&expr.ty) && operand.ty.as_scalar().is_some_and(is_signed))
}

/// Whether `expr` gives `local` what is no cast of a signed number and no small literal, or may do so.
fn gives_other(expr: &Expr, local: LocalId) -> bool {
    let is_local = |place: &Expr| place.place().variable() == Some(local);
    let is_small = |value: &Expr| matches!(&value.kind, ExprKind::Int(literal) if literal.value < LONGEST.cast_unsigned());
    match &expr.kind {
        ExprKind::Assign { target: Target::Place(place), value } => is_local(place) && !is_signed_cast(value) && !is_small(value),
        ExprKind::Assign { .. } => true,
        ExprKind::CompoundAssign { place, .. } => is_local(place),
        ExprKind::Borrow { mutable, operand } => *mutable && is_local(operand),
        _ => false,
    }
}
