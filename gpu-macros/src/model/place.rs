//! Places: expressions that stand for memory, and what they are parts of.

use super::{Expr, ExprKind, LocalId};

impl Expr {
    /// What this is as a place.
    pub(crate) fn place(&self) -> Place<'_> {
        match &self.kind {
            ExprKind::Local(local) => Place::Variable(*local),
            ExprKind::TupleField { base, .. } | ExprKind::Field { base, .. } => Place::Field(base),
            ExprKind::Axis { base, .. } if base.is_place() => Place::Field(base),
            ExprKind::Index { base, .. } | ExprKind::Subslice { base, .. } | ExprKind::Element { base, .. } => Place::Element(base),
            ExprKind::Refused
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Start(_)
            | ExprKind::ByType(_)
            | ExprKind::Constant(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Logical { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Convert { .. }
            | ExprKind::Extent { .. }
            | ExprKind::Struct { .. }
            | ExprKind::Axis { .. }
            | ExprKind::Tuple(_)
            | ExprKind::Array(_)
            | ExprKind::Repeat { .. }
            | ExprKind::Method { .. }
            | ExprKind::Atomic { .. }
            | ExprKind::Intrinsic { .. }
            | ExprKind::Call { .. }
            | ExprKind::Associated { .. }
            | ExprKind::CallLocal { .. }
            | ExprKind::Closure(_)
            | ExprKind::FunctionItem { .. }
            | ExprKind::Borrow { .. }
            | ExprKind::If { .. }
            | ExprKind::Let { .. }
            | ExprKind::Match { .. }
            | ExprKind::Variant { .. }
            | ExprKind::Again { .. }
            | ExprKind::Either(_)
            | ExprKind::Block { .. }
            | ExprKind::Loop { .. }
            | ExprKind::While { .. }
            | ExprKind::For { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_)
            | ExprKind::Assign { .. }
            | ExprKind::CompoundAssign { .. }
            | ExprKind::Panic { .. }
            | ExprKind::Assembly(_)
            | ExprKind::Tile { .. }
            | ExprKind::Assert { .. } => Place::Value,
        }
    }

    /// A variable, or spelled like an element or a part of one.
    pub(crate) fn is_place(&self) -> bool {
        !matches!(self.place(), Place::Value)
    }
}

/// What an expression is as a place.
pub(crate) enum Place<'e> {
    Variable(LocalId),
    /// A field, or an element of a tuple, of this.
    Field(&'e Expr),
    /// An element of this array.
    Element(&'e Expr),
    /// No place.
    Value,
}

impl Place<'_> {
    /// The variable that it is, or that it is in.
    pub(crate) fn variable(&self) -> Option<LocalId> {
        match self {
            Place::Variable(local) => Some(*local),
            Place::Field(base) | Place::Element(base) => base.place().variable(),
            Place::Value => None,
        }
    }

    /// The variable that an assignment to it changes, other than in an element of an array.
    pub(crate) fn whole_variable(&self) -> Option<LocalId> {
        match self {
            Place::Variable(local) => Some(*local),
            Place::Field(base) => base.place().whole_variable(),
            Place::Element(_) | Place::Value => None,
        }
    }
}
