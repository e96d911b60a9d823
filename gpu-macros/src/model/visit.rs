//! Walking the model, by shared and by mutable reference.

use super::{Block, Expr, ExprKind, Intrinsic, Pattern, PatternKind, Range, RangeAdapter, Sequence, Stmt, StructPattern, Target};

macro_rules! visitor {
    ($name:ident, $parts:ident, $iter:ident $(, $mutability:tt)?) => {
        impl Block {
            /// Calls `visit` on every expression directly inside this block, in order of evaluation.
            pub(crate) fn $name(&$($mutability)? self, visit: &mut dyn FnMut(&$($mutability)? Expr)) {
                for stmt in &$($mutability)? self.stmts {
                    match stmt {
                        Stmt::Let(local) => {
                            local.init.$iter().for_each(&mut *visit);
                            local.pattern.$name(visit);
                            local.otherwise.$iter().for_each(|otherwise| otherwise.$name(visit));
                        }
                        Stmt::Expr(expr) => visit(expr),
                    }
                }
                if let Some(value) = &$($mutability)? self.value {
                    visit(value);
                }
            }
        }

        impl Pattern {
            /// Calls `visit` on every pattern directly inside this one.
            pub(crate) fn $parts(&$($mutability)? self, visit: &mut dyn FnMut(&$($mutability)? Pattern)) {
                match &$($mutability)? self.kind {
                    PatternKind::Or(parts)
                    | PatternKind::Tuple(Sequence { parts, .. })
                    | PatternKind::Array(Sequence { parts, .. }) => parts.$iter().for_each(visit),
                    PatternKind::Struct(StructPattern { fields, .. }) => fields.$iter().for_each(|(_, part)| visit(part)),
                    PatternKind::Some(part) | PatternKind::Outcome { part, .. } | PatternKind::Bind { sub: Some(part), .. } => visit(part),
                    PatternKind::Refused
                    | PatternKind::Wildcard
                    | PatternKind::Bind { sub: None, .. }
                    | PatternKind::Value(_)
                    | PatternKind::Range { .. }
                    | PatternKind::None => {}
                }
            }

            /// Calls `visit` on every expression in this pattern.
            pub(crate) fn $name(&$($mutability)? self, visit: &mut dyn FnMut(&$($mutability)? Expr)) {
                match &$($mutability)? self.kind {
                    PatternKind::Value(value) => visit(value),
                    PatternKind::Range { start, end, .. } => start.$iter().chain(end.$iter()).for_each(|end| visit(end)),
                    _ => {}
                }
                self.$parts(&mut |part| part.$name(visit));
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
                    ExprKind::Refused
                    | ExprKind::Int(_)
                    | ExprKind::Float(_)
                    | ExprKind::Bool(_)
                    | ExprKind::Local(_)
                    | ExprKind::Constant(_)
                    | ExprKind::None
                    | ExprKind::FunctionItem { .. }
                    | ExprKind::Continue { .. }
                    | ExprKind::Panic { .. } => {}
                    ExprKind::Unary { operand, .. }
                    | ExprKind::Cast { operand, .. }
                    | ExprKind::Convert { operand, .. }
                    | ExprKind::Borrow { operand, .. }
                    | ExprKind::TupleField { base: operand, .. }
                    | ExprKind::Field { base: operand, .. }
                    | ExprKind::Extent { base: operand, .. }
                    | ExprKind::Axis { base: operand, .. }
                    | ExprKind::Some(operand)
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
                    ExprKind::Element { base, indices, .. } => {
                        visit(base);
                        indices.$iter().for_each(visit);
                    }
                    ExprKind::Tuple(elements) | ExprKind::Array(elements) => elements.$iter().for_each(visit),
                    ExprKind::Struct { fields, base, .. } => {
                        fields.$iter().for_each(|(_, value)| visit(value));
                        base.$iter().for_each(|base| visit(base));
                    }
                    ExprKind::Atomic { place: receiver, args, .. } | ExprKind::Method { receiver, args, .. } => {
                        visit(receiver);
                        args.$iter().for_each(visit);
                    }
                    ExprKind::Associated { receiver, args, .. } => {
                        receiver.$iter().for_each(|receiver| visit(receiver));
                        args.$iter().for_each(|arg| visit(arg));
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
                    ExprKind::Let { pattern, value } => {
                        visit(value);
                        pattern.$name(visit);
                    }
                    ExprKind::Match { scrutinee, arms } => {
                        visit(scrutinee);
                        for arm in arms {
                            arm.pattern.$name(visit);
                            arm.guard.$iter().for_each(&mut *visit);
                            visit(&$($mutability)? arm.body);
                        }
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
                    ExprKind::Assembly(assembly) => {
                        assembly.inputs.$iter().for_each(&mut *visit);
                        assembly.alternative.$name(visit);
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

visitor!(for_each_child, for_each_part, iter);
visitor!(for_each_child_mut, for_each_part_mut, iter_mut, mut);

impl Expr {
    /// Whether `test` holds for it or anything in it.
    pub(crate) fn any(&self, test: &dyn Fn(&Expr) -> bool) -> bool {
        let mut found = test(self);
        self.for_each_child(&mut |child| found = found || child.any(test));
        found
    }

    /// Whether evaluating it can change a variable or memory.
    pub(crate) fn writes(&self) -> bool {
        self.any(&|expr| match &expr.kind {
            ExprKind::Assign { .. }
            | ExprKind::CompoundAssign { .. }
            // A load orders what the thread reads around it.
            | ExprKind::Atomic { .. }
            | ExprKind::Call { .. }
            | ExprKind::Associated { .. }
            | ExprKind::CallLocal { .. }
            | ExprKind::Loop { .. }
            | ExprKind::While { .. }
            | ExprKind::For { .. }
            | ExprKind::Assembly(_) => true,
            ExprKind::Intrinsic { intrinsic: Intrinsic::Builtin { builtin, .. }, .. } => builtin.writes(),
            // Lines keep their order.
            ExprKind::Intrinsic { intrinsic: Intrinsic::Print(_), .. } => true,
            ExprKind::Intrinsic { .. }
            | ExprKind::Refused
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
            | ExprKind::Some(_)
            | ExprKind::None
            | ExprKind::FunctionItem { .. }
            | ExprKind::Closure(_)
            | ExprKind::Borrow { .. }
            | ExprKind::If { .. }
            | ExprKind::Let { .. }
            | ExprKind::Match { .. }
            | ExprKind::Block { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Method { .. }
            | ExprKind::Index { .. }
            | ExprKind::Element { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return(_)
            | ExprKind::Panic { .. }
            | ExprKind::Assert { .. } => false,
        })
    }

    /// Whether the thread may wait for others while it is evaluated.
    pub(crate) fn suspends(&self) -> bool {
        self.any(&|expr| match &expr.kind {
            ExprKind::Intrinsic { intrinsic: Intrinsic::Builtin { builtin, .. }, .. } => builtin.is_collective(),
            ExprKind::Call { awaited, .. } => *awaited,
            _ => false,
        })
    }
}

impl Block {
    /// Whether `test` holds for anything in it.
    pub(crate) fn any(&self, test: &dyn Fn(&Expr) -> bool) -> bool {
        let mut found = false;
        self.for_each_child(&mut |child| found = found || child.any(test));
        found
    }
}
