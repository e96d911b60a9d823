//! What an expression does when it is evaluated, apart from what its parts do.
//!
//! Analyses ask for the [`Action`] instead of listing kinds of expressions: only [`Expr::action`] classifies them, and matches over actions
//! are exhaustive, so that no analysis overlooks a new kind of expression.

use super::{Block, Builtin, Expr, ExprKind, Intrinsic, Target};

/// A class of expressions.
#[derive(Clone, Copy)]
pub(crate) enum Action<'e> {
    /// It computes a value from variables and from the values of its parts.
    Compute {
        can_fail: bool,
    },
    /// It is an element of an array, whose index is checked.
    Access,
    /// `target = value`
    Assign(&'e Target),
    /// `place op= value`
    CompoundAssign {
        place: &'e Expr,
        can_fail: bool,
    },
    /// `&mut place`
    BorrowMut(&'e Expr),
    /// It reads or changes an atomic.
    Atomic,
    /// It runs a device function, a method of a type, or a closure. A method may change its receiver. `awaited`: threads may wait for
    /// each other there.
    Call {
        receiver: Option<&'e Expr>,
        awaited: bool,
    },
    /// `ptx!`
    Assembly,
    /// An operation of tiles. Each has its place among the others: threads of the block may wait for each other in it.
    Tile,
    Intrinsic(Intrinsic),
    /// It evaluates some of its parts.
    Branch,
    /// It evaluates some of its parts any number of times.
    Loop,
    /// The thread continues at another place.
    Jump,
    /// The thread ends.
    Panic,
}

impl Expr {
    pub(crate) fn action(&self) -> Action<'_> {
        match &self.kind {
            ExprKind::Refused
            | ExprKind::Start(_)
            | ExprKind::ByType(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Local(_)
            | ExprKind::Constant(_)
            | ExprKind::Unary { .. }
            | ExprKind::Logical { .. }
            | ExprKind::Cast { .. }
            | ExprKind::Convert { .. }
            | ExprKind::Extent { .. }
            | ExprKind::TupleField { .. }
            | ExprKind::Field { .. }
            | ExprKind::Axis { .. }
            | ExprKind::Struct { .. }
            | ExprKind::Tuple(_)
            | ExprKind::Array(_)
            | ExprKind::Repeat { .. }
            | ExprKind::Variant { .. }
            | ExprKind::Again { .. }
            | ExprKind::Either(_)
            | ExprKind::FunctionItem { .. }
            | ExprKind::Closure(_)
            | ExprKind::Borrow { mutable: false, .. }
            | ExprKind::Let { .. } => Action::Compute { can_fail: false },
            ExprKind::Binary { site, .. } | ExprKind::Method { site, .. } => Action::Compute { can_fail: site.is_some() },
            ExprKind::Assert { .. } => Action::Compute { can_fail: true },
            ExprKind::Index { .. } | ExprKind::Subslice { .. } | ExprKind::Element { .. } => Action::Access,
            ExprKind::Assign { target, .. } => Action::Assign(target),
            ExprKind::CompoundAssign { place, site, .. } => Action::CompoundAssign { place, can_fail: site.is_some() },
            ExprKind::Borrow { mutable: true, operand } => Action::BorrowMut(operand),
            ExprKind::Atomic { .. } => Action::Atomic,
            ExprKind::Call { awaited, .. } => Action::Call { receiver: None, awaited: *awaited },
            ExprKind::Associated { receiver, .. } => Action::Call { receiver: receiver.as_deref(), awaited: false },
            ExprKind::CallLocal { .. } => Action::Call { receiver: None, awaited: false },
            ExprKind::Tile { .. } => Action::Tile,
            ExprKind::Assembly(_) => Action::Assembly,
            ExprKind::Intrinsic { intrinsic, .. } => Action::Intrinsic(*intrinsic),
            ExprKind::If { .. } | ExprKind::Match { .. } | ExprKind::Block { .. } => Action::Branch,
            ExprKind::Loop { .. } | ExprKind::While { .. } | ExprKind::For { .. } => Action::Loop,
            ExprKind::Break { .. } | ExprKind::Continue { .. } | ExprKind::Return(_) => Action::Jump,
            ExprKind::Panic { .. } => Action::Panic,
        }
    }

    /// Whether evaluating it can change a variable or memory, or has a place among the thread's other effects.
    pub(crate) fn writes(&self) -> bool {
        self.any(&|expr| match expr.action() {
            Action::Assign(_) | Action::CompoundAssign { .. } | Action::Call { .. } | Action::Tile | Action::Assembly | Action::Loop => {
                true
            }
            // A load orders what the thread reads around it.
            Action::Atomic => true,
            Action::Intrinsic(intrinsic) => intrinsic.writes(),
            Action::Compute { .. } | Action::Access | Action::BorrowMut(_) | Action::Branch | Action::Jump | Action::Panic => false,
        })
    }

    /// Whether it may be an operator, or a method, of a type of the user's. (It counts as a computation. But it may print or fail, also where nobody
    /// wants its value.)
    pub(crate) fn may_be_own_operator(&self) -> bool {
        match &self.kind {
            ExprKind::Binary { op, left, right, .. } => op.overloaded(left, right).or(op.own_comparison(left, right)).is_some(),
            ExprKind::Unary { op, operand } => op.overloaded(operand).is_some(),
            ExprKind::Method { receiver, .. } => receiver.ty.is_followed(),
            _ => false,
        }
    }

    /// Whether it does something itself, besides what is in it, of which the thread's variables show nothing, such as an atomic operation.
    pub(crate) fn acts_beyond_variables(&self) -> bool {
        let action = self.action();
        let acts = match action {
            Action::Atomic | Action::Tile | Action::Assembly => true,
            Action::Intrinsic(intrinsic) => intrinsic.writes(),
            _ => false,
        };
        acts || action.suspends()
    }

    /// Whether the thread may wait for others while it is evaluated.
    pub(crate) fn suspends(&self) -> bool {
        self.any(&|expr| expr.action().suspends())
    }

    /// Whether evaluating it can end the thread, or continue elsewhere.
    pub(crate) fn can_leave(&self) -> bool {
        self.any(&|expr| match expr.action() {
            Action::Access | Action::Call { .. } | Action::Tile | Action::Jump | Action::Panic => true,
            Action::Compute { can_fail } | Action::CompoundAssign { can_fail, .. } => can_fail,
            Action::Assign(_)
            | Action::BorrowMut(_)
            | Action::Atomic
            | Action::Assembly
            | Action::Intrinsic(_)
            | Action::Branch
            | Action::Loop => false,
        })
    }
}

impl Block {
    /// Whether the thread may wait for others in it.
    pub(crate) fn suspends(&self) -> bool {
        self.any(&|expr| expr.action().suspends())
    }
}

impl Action<'_> {
    /// Whether the thread may wait for others.
    pub(crate) fn suspends(self) -> bool {
        self.may_synchronize(|builtin| builtin.suspends())
    }

    /// Whether it is, or may call, a function of the table that is `such`. Only a call with `.await` may synchronize threads.
    pub(crate) fn may_synchronize(self, such: impl Fn(Builtin) -> bool) -> bool {
        match self {
            Action::Call { awaited, .. } => awaited,
            Action::Intrinsic(intrinsic) => intrinsic.builtin().is_some_and(such),
            Action::Compute { .. }
            | Action::Access
            | Action::Assign(_)
            | Action::CompoundAssign { .. }
            | Action::BorrowMut(_)
            | Action::Atomic
            | Action::Tile
            | Action::Assembly
            | Action::Branch
            | Action::Loop
            | Action::Jump
            | Action::Panic => false,
        }
    }
}

impl Intrinsic {
    /// The row of the table, of a function that has one.
    pub(crate) fn builtin(self) -> Option<Builtin> {
        match self {
            Intrinsic::Builtin { builtin, .. } => Some(builtin),
            Intrinsic::ThreadIdx
            | Intrinsic::BlockIdx
            | Intrinsic::BlockDim
            | Intrinsic::GridDim
            | Intrinsic::Grid1d
            | Intrinsic::Grid2d
            | Intrinsic::Grid3d
            | Intrinsic::Shared(_)
            | Intrinsic::DynamicShared(_)
            | Intrinsic::Print(_) => None,
        }
    }

    fn writes(self) -> bool {
        // Lines keep their order.
        matches!(self, Intrinsic::Print(_)) || self.builtin().is_some_and(|builtin| builtin.writes())
    }
}
