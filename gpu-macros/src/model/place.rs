//! Places: expressions that stand for memory, and what they are parts of.

use super::{Argument, Expr, ExprKind, Function, Holds, LocalId};

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

/// How the arguments of a method may change its receiver, a place. If they do, the method takes it by value: rustc refuses others. But only
/// rustc and C++ see which methods change what they are called on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReceiverChange {
    No,
    /// The receiver is behind a shared reference, which is not used after the method has copied it.
    BehindReference,
    /// The arguments have the variable.
    ByName,
}

impl Function {
    /// Whether `place` may be, or be in, what a user's `Index` or `IndexMut` returns.
    pub(crate) fn goes_through_own_index(&self, place: &Expr) -> bool {
        let is_own = matches!(&place.kind, ExprKind::Index { base, site, .. } if self.may_be_own_index(base, *site));
        is_own || matches!(place.place(), Place::Field(base) | Place::Element(base) if self.goes_through_own_index(base))
    }

    /// The variable that `place` is or is in, or whose part it names: of `let r = &x[0];`, `x` for `r`.
    pub(crate) fn root_of(&self, place: &Expr) -> Option<LocalId> {
        let local = place.place().variable()?;
        match self.body.initial_value(local).filter(|_| self.local(local).holds == Holds::Shared).map(|init| &init.kind) {
            Some(ExprKind::Borrow { operand, .. }) => self.root_of(operand),
            _ => Some(local),
        }
    }

    /// How evaluating `args` may change `receiver`, which Rust copies before that if the method takes it by value. (Functions among them run
    /// afterwards.)
    pub(crate) fn receiver_change(&self, receiver: &Expr, args: &[Expr]) -> ReceiverChange {
        let (Some(local), Some(root)) = (receiver.place().variable(), self.root_of(receiver)) else { return ReceiverChange::No };
        let declared = self.local(root);
        let is_root = |part: &Expr| matches!(part.kind, ExprKind::Local(used) if used == root);
        let may_change = |arg: &Expr| !Argument::new(arg).is_function() && arg.writes() && arg.any(&is_root);
        match (declared.mutable || declared.ty.is_mutable_parameter()) && args.iter().any(may_change) {
            false => ReceiverChange::No,
            true if self.local(local).holds == Holds::Shared => ReceiverChange::BehindReference,
            true => ReceiverChange::ByName,
        }
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
