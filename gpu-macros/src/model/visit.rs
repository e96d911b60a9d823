//! Walking the model, by shared and by mutable reference.

use super::{Block, Expr, ExprKind, Intrinsic, Range, RangeAdapter, Stmt, Target};

macro_rules! visitor {
    ($name:ident, $iter:ident $(, $mutability:tt)?) => {
        impl Block {
            /// Calls `visit` on every expression directly inside this block, in order of evaluation.
            pub(crate) fn $name(&$($mutability)? self, visit: &mut dyn FnMut(&$($mutability)? Expr)) {
                for stmt in &$($mutability)? self.stmts {
                    match stmt {
                        Stmt::Let(local) => local.init.$iter().for_each(&mut *visit),
                        Stmt::Expr(expr) => visit(expr),
                    }
                }
                if let Some(value) = &$($mutability)? self.value {
                    visit(value);
                }
            }
        }

        impl Target {
            fn $name(&$($mutability)? self, visit: &mut dyn FnMut(&$($mutability)? Expr)) {
                match self {
                    Target::Place(place) => visit(place),
                    Target::Wildcard(_) => {}
                    Target::Tuple(targets, _) => targets.$iter().for_each(|target| target.$name(visit)),
                }
            }
        }

        impl Expr {
            /// Calls `visit` on every expression directly inside this one (statements of blocks included), in order of evaluation.
            pub(crate) fn $name(&$($mutability)? self, visit: &mut dyn FnMut(&$($mutability)? Expr)) {
                match &$($mutability)? self.kind {
                    ExprKind::Int(_)
                    | ExprKind::Float(_)
                    | ExprKind::Bool(_)
                    | ExprKind::Local(_)
                    | ExprKind::Constant(_)
                    | ExprKind::FunctionItem { .. }
                    | ExprKind::Continue { .. }
                    | ExprKind::Panic { .. } => {}
                    ExprKind::Unary { operand, .. }
                    | ExprKind::Cast { operand, .. }
                    | ExprKind::Convert { operand, .. }
                    | ExprKind::Borrow { operand, .. }
                    | ExprKind::TupleField { base: operand, .. }
                    | ExprKind::Axis { base: operand, .. }
                    | ExprKind::Repeat { element: operand, .. }
                    | ExprKind::Assert { condition: operand, .. } => visit(operand),
                    ExprKind::Binary { left, right, .. } | ExprKind::Logical { left, right, .. } => {
                        visit(left);
                        visit(right);
                    }
                    ExprKind::Index { base, index, .. } => {
                        visit(base);
                        visit(index);
                    }
                    ExprKind::Tuple(elements) | ExprKind::Array(elements) => elements.$iter().for_each(visit),
                    ExprKind::Method { receiver, args, .. } => {
                        visit(receiver);
                        args.$iter().for_each(visit);
                    }
                    ExprKind::Intrinsic { args, .. } | ExprKind::Call { args, .. } | ExprKind::CallLocal { args, .. } => {
                        args.$iter().for_each(visit);
                    }
                    ExprKind::Closure(closure) => visit(&$($mutability)? closure.body),
                    ExprKind::If { condition, then, otherwise } => {
                        visit(condition);
                        then.$name(visit);
                        otherwise.$iter().for_each(|otherwise| visit(otherwise));
                    }
                    ExprKind::Block { block, .. } | ExprKind::Loop { body: block, .. } => block.$name(visit),
                    ExprKind::While { condition, body, .. } => {
                        visit(condition);
                        body.$name(visit);
                    }
                    ExprKind::For { range, body, .. } => {
                        match range {
                            Range::Bounds { start, end, adapters, .. } => {
                                visit(start);
                                visit(end);
                                for adapter in adapters {
                                    if let RangeAdapter::StepBy { step, .. } = adapter {
                                        visit(step);
                                    }
                                }
                            }
                            Range::GridStride { length, .. } => visit(length),
                        }
                        body.$name(visit);
                    }
                    ExprKind::Break { value, .. } | ExprKind::Return(value) => value.$iter().for_each(|value| visit(value)),
                    ExprKind::Assign { target, value } => {
                        visit(value);
                        target.$name(visit);
                    }
                    ExprKind::CompoundAssign { place, value, .. } => {
                        visit(value);
                        visit(place);
                    }
                }
            }
        }
    };
}

visitor!(for_each_child, iter);
visitor!(for_each_child_mut, iter_mut, mut);

impl Expr {
    /// Whether evaluating it can change a variable or memory.
    pub(crate) fn writes(&self) -> bool {
        let mut found = match &self.kind {
            ExprKind::Assign { .. }
            | ExprKind::CompoundAssign { .. }
            | ExprKind::Call { .. }
            | ExprKind::CallLocal { .. }
            | ExprKind::Loop { .. }
            | ExprKind::While { .. }
            | ExprKind::For { .. } => true,
            ExprKind::Intrinsic { intrinsic: Intrinsic::Builtin { builtin, .. }, .. } => builtin.writes(),
            _ => false,
        };
        self.for_each_child(&mut |child| found |= child.writes());
        found
    }
}
