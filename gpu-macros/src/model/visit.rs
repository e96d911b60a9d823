//! Walking the model, by shared and by mutable reference.

use super::{
    Block, Expr, ExprKind, GenericArgument, Let, LocalId, Pattern, PatternKind, Range, RangeAdapter, Sequence, Stmt, StructPattern, Target,
    Type,
};
use std::collections::HashSet;

/// What is directly inside a node of the model.
pub(crate) enum Node<E, B, P, T> {
    Expr(E),
    Block(B),
    Pattern(P),
    Type(T),
}

pub(crate) type Inside<'m> = Node<&'m Expr, &'m Block, &'m Pattern, &'m Type>;
pub(crate) type InsideMut<'m> = Node<&'m mut Expr, &'m mut Block, &'m mut Pattern, &'m mut Type>;

macro_rules! visitor {
    ($Inside:ident, $inside:ident, $iter:ident $(, $mutability:tt)?) => {
        impl Block {
            /// Calls `visit` on everything directly inside this block, in order of evaluation.
            pub(crate) fn $inside<'m>(&'m $($mutability)? self, visit: &mut dyn FnMut($Inside<'m>)) {
                for stmt in &$($mutability)? self.stmts {
                    match stmt {
                        Stmt::Let(local) => {
                            local.init.$iter().for_each(|init| visit($Inside::Expr(init)));
                            visit($Inside::Type(&$($mutability)? local.ty));
                            visit($Inside::Pattern(&$($mutability)? local.pattern));
                            local.otherwise.$iter().for_each(|otherwise| visit($Inside::Block(otherwise)));
                        }
                        Stmt::Expr(expr) => visit($Inside::Expr(expr)),
                    }
                }
                self.value.$iter().for_each(|value| visit($Inside::Expr(value)));
            }
        }

        impl Pattern {
            /// Calls `visit` on everything directly inside this pattern.
            pub(crate) fn $inside<'m>(&'m $($mutability)? self, visit: &mut dyn FnMut($Inside<'m>)) {
                visit($Inside::Type(&$($mutability)? self.ty));
                match &$($mutability)? self.kind {
                    PatternKind::Or(parts)
                    | PatternKind::Tuple(Sequence { parts, .. })
                    | PatternKind::Array(Sequence { parts, .. }) => parts.$iter().for_each(|part| visit($Inside::Pattern(part))),
                    PatternKind::Struct(StructPattern { fields, .. }) => {
                        fields.$iter().for_each(|(_, part)| visit($Inside::Pattern(part)));
                    }
                    PatternKind::Bind { sub: part, .. } | PatternKind::Variant { part, .. } => part.$iter().for_each(|part| visit($Inside::Pattern(part))),
                    PatternKind::Value(value) => visit($Inside::Expr(value)),
                    PatternKind::Range { start, end, .. } => {
                        start.$iter().chain(end.$iter()).for_each(|end| visit($Inside::Expr(end)));
                    }
                    PatternKind::Refused | PatternKind::Wildcard => {}
                }
            }
        }

        impl Target {
            fn $inside<'m>(&'m $($mutability)? self, visit: &mut dyn FnMut($Inside<'m>)) {
                match self {
                    Target::Place(place) => visit($Inside::Expr(place)),
                    Target::Wildcard(_) => {}
                    Target::Tuple(targets, _) => targets.$iter().for_each(|target| target.$inside(visit)),
                }
            }
        }

        impl GenericArgument {
            fn $inside<'m>(&'m $($mutability)? self, visit: &mut dyn FnMut($Inside<'m>)) {
                match self {
                    GenericArgument::Type(ty) => visit($Inside::Type(ty)),
                    GenericArgument::Const(_) => {}
                }
            }
        }

        impl Expr {
            /// Calls `visit` on everything directly inside this expression, in order of evaluation.
            pub(crate) fn $inside<'m>(&'m $($mutability)? self, visit: &mut dyn FnMut($Inside<'m>)) {
                visit($Inside::Type(&$($mutability)? self.ty));
                match &$($mutability)? self.kind {
                    ExprKind::Refused
                    | ExprKind::Start(_)
                    | ExprKind::Int(_)
                    | ExprKind::Float(_)
                    | ExprKind::Bool(_)
                    | ExprKind::Local(_)
                    | ExprKind::Constant(_)
                    | ExprKind::Continue { .. }
                    | ExprKind::Panic { .. } => {}
                    ExprKind::Unary { operand, .. }
                    | ExprKind::Cast { operand, .. }
                    | ExprKind::Borrow { operand, .. }
                    | ExprKind::TupleField { base: operand, .. }
                    | ExprKind::Field { base: operand, .. }
                    | ExprKind::Extent { base: operand, .. }
                    | ExprKind::Axis { base: operand, .. }
                    | ExprKind::Either(operand)
                    | ExprKind::Repeat { element: operand, .. }
                    | ExprKind::Assert { condition: operand, .. } => visit($Inside::Expr(operand)),
                    ExprKind::ByType(choice) => {
                        visit($Inside::Expr(&$($mutability)? choice.of));
                        visit($Inside::Expr(&$($mutability)? choice.then));
                        visit($Inside::Expr(&$($mutability)? choice.otherwise));
                    }
                    ExprKind::Variant { value, .. } => value.$iter().for_each(|value| visit($Inside::Expr(value))),
                    ExprKind::Again { like: to, value: operand, .. } | ExprKind::Convert { operand, to, .. } => {
                        visit($Inside::Expr(operand));
                        visit($Inside::Type(to));
                    }
                    ExprKind::Binary { left, right, .. } | ExprKind::Logical { left, right, .. } => {
                        visit($Inside::Expr(left));
                        visit($Inside::Expr(right));
                    }
                    ExprKind::Index { base, index, .. } => {
                        visit($Inside::Expr(base));
                        visit($Inside::Expr(index));
                    }
                    ExprKind::Subslice { base, start, end, .. } => {
                        visit($Inside::Expr(base));
                        visit($Inside::Expr(start));
                        end.$iter().for_each(|end| visit($Inside::Expr(end)));
                    }
                    ExprKind::Element { base, indices, .. } => {
                        visit($Inside::Expr(base));
                        indices.$iter().for_each(|index| visit($Inside::Expr(index)));
                    }
                    ExprKind::Tuple(elements) | ExprKind::Array(elements) => {
                        elements.$iter().for_each(|element| visit($Inside::Expr(element)));
                    }
                    ExprKind::Struct { fields, base, .. } => {
                        fields.$iter().for_each(|(_, value)| visit($Inside::Expr(value)));
                        base.$iter().for_each(|base| visit($Inside::Expr(base)));
                    }
                    ExprKind::Atomic { place: receiver, args, .. } | ExprKind::Method { receiver, args, .. } => {
                        visit($Inside::Expr(receiver));
                        args.$iter().for_each(|arg| visit($Inside::Expr(arg)));
                    }
                    ExprKind::Associated { receiver, args, .. } => {
                        receiver.$iter().for_each(|receiver| visit($Inside::Expr(receiver)));
                        args.$iter().for_each(|arg| visit($Inside::Expr(arg)));
                    }
                    ExprKind::Call { explicit, args, .. } => {
                        explicit.$iter().for_each(|argument| argument.$inside(visit));
                        args.$iter().for_each(|arg| visit($Inside::Expr(arg)));
                    }
                    ExprKind::FunctionItem { explicit, .. } => {
                        explicit.$iter().for_each(|argument| argument.$inside(visit));
                    }
                    ExprKind::Intrinsic { args, .. } | ExprKind::CallLocal { args, .. } | ExprKind::Tile { args, .. } => {
                        args.$iter().for_each(|arg| visit($Inside::Expr(arg)));
                    }
                    ExprKind::Closure(closure) => {
                        visit($Inside::Expr(&$($mutability)? closure.body));
                        visit($Inside::Type(&$($mutability)? closure.output));
                    }
                    ExprKind::If { condition, then, otherwise } => {
                        visit($Inside::Expr(condition));
                        visit($Inside::Block(then));
                        otherwise.$iter().for_each(|otherwise| visit($Inside::Expr(otherwise)));
                    }
                    ExprKind::Let { pattern, value } => {
                        visit($Inside::Expr(value));
                        visit($Inside::Pattern(pattern));
                    }
                    ExprKind::Match { scrutinee, arms } => {
                        visit($Inside::Expr(scrutinee));
                        for arm in arms {
                            visit($Inside::Pattern(&$($mutability)? arm.pattern));
                            arm.guard.$iter().for_each(|guard| visit($Inside::Expr(guard)));
                            visit($Inside::Expr(&$($mutability)? arm.body));
                        }
                    }
                    ExprKind::Block { block, .. } | ExprKind::Loop { body: block, .. } => visit($Inside::Block(block)),
                    ExprKind::While { condition, body, .. } => {
                        visit($Inside::Expr(condition));
                        visit($Inside::Block(body));
                    }
                    ExprKind::For { range, body, .. } => {
                        match range {
                            Range::Bounds { start, end, adapters, .. } => {
                                visit($Inside::Expr(start));
                                visit($Inside::Expr(end));
                                for adapter in adapters {
                                    match adapter {
                                        RangeAdapter::StepBy { step, .. } => visit($Inside::Expr(step)),
                                        RangeAdapter::Rev(_) => {}
                                    }
                                }
                            }
                            Range::GridStride { length, .. } => visit($Inside::Expr(length)),
                        }
                        visit($Inside::Block(body));
                    }
                    ExprKind::Break { value, .. } | ExprKind::Return(value) => {
                        value.$iter().for_each(|value| visit($Inside::Expr(value)));
                    }
                    ExprKind::Assign { target, value } => {
                        visit($Inside::Expr(value));
                        target.$inside(visit);
                    }
                    ExprKind::Assembly(assembly) => {
                        assembly.inputs.$iter().for_each(|input| visit($Inside::Expr(input)));
                        visit($Inside::Block(&$($mutability)? assembly.alternative));
                    }
                    ExprKind::CompoundAssign { place, value, .. } => {
                        visit($Inside::Expr(value));
                        visit($Inside::Expr(place));
                    }
                }
            }
        }

        impl<'m> $Inside<'m> {
            /// Calls `visit` on it, if it is an expression, else on every expression of it.
            pub(crate) fn for_each_expr(self, visit: &mut dyn FnMut(&'m $($mutability)? Expr)) {
                match self {
                    $Inside::Expr(expr) => visit(expr),
                    $Inside::Block(block) => block.$inside(&mut |inside| inside.for_each_expr(visit)),
                    $Inside::Pattern(pattern) => pattern.$inside(&mut |inside| inside.for_each_expr(visit)),
                    $Inside::Type(_) => {}
                }
            }
        }
    };
}

visitor!(Inside, for_each_inside, iter);
visitor!(InsideMut, for_each_inside_mut, iter_mut, mut);

impl Target {
    /// Calls `visit` on every place that is assigned.
    pub(crate) fn for_each_place<'m>(&'m self, visit: &mut dyn FnMut(&'m Expr)) {
        self.for_each_inside(&mut |inside| inside.for_each_expr(visit));
    }
}

impl Expr {
    /// Calls `visit` on every expression directly inside this one, those of its blocks and patterns included, in order of evaluation.
    pub(crate) fn for_each_child<'m>(&'m self, visit: &mut dyn FnMut(&'m Expr)) {
        self.for_each_inside(&mut |inside| inside.for_each_expr(visit));
    }

    /// Whether `test` holds for it or anything in it.
    pub(crate) fn any(&self, test: &dyn Fn(&Expr) -> bool) -> bool {
        let mut found = test(self);
        self.for_each_child(&mut |child| found = found || child.any(test));
        found
    }
}

impl Block {
    /// The `let` in it that declares the variable.
    pub(crate) fn declaration(&self, local: LocalId) -> Option<&Let> {
        fn find<'m>(local: LocalId, node: Inside<'m>, found: &mut Option<&'m Let>) {
            let mut visit = |node: Inside<'m>| find(local, node, found);
            match node {
                Inside::Expr(expr) => expr.for_each_inside(&mut visit),
                Inside::Block(block) => {
                    block.for_each_inside(&mut visit);
                    for stmt in &block.stmts {
                        if let Stmt::Let(declared) = stmt
                            && declared.pattern.bindings().contains(&local)
                        {
                            *found = Some(declared);
                        }
                    }
                }
                Inside::Pattern(_) | Inside::Type(_) => {}
            }
        }
        let mut found = None;
        find(local, Inside::Block(self), &mut found);
        found
    }

    /// What a `let` in it gives the variable, if it names no other.
    pub(crate) fn initial_value(&self, local: LocalId) -> Option<&Expr> {
        let declared = self.declaration(local)?;
        declared.init.as_ref().filter(|_| matches!(declared.pattern.kind, PatternKind::Bind { sub: None, .. }))
    }

    /// Calls `visit` on every expression directly inside this block, those of its patterns included, in order of evaluation.
    pub(crate) fn for_each_child<'m>(&'m self, visit: &mut dyn FnMut(&'m Expr)) {
        self.for_each_inside(&mut |inside| inside.for_each_expr(visit));
    }

    /// Whether `test` holds for anything in it.
    pub(crate) fn any(&self, test: &dyn Fn(&Expr) -> bool) -> bool {
        let mut found = false;
        self.for_each_child(&mut |child| found = found || child.any(test));
        found
    }
}

/// Adds the variables that are declared in it.
pub(crate) fn add_bindings(inside: Inside<'_>, inner: &mut HashSet<LocalId>) {
    match inside {
        Inside::Expr(expr) => {
            if let ExprKind::For { counter, .. } = &expr.kind {
                inner.insert(*counter);
            }
            expr.for_each_inside(&mut |inside| add_bindings(inside, inner));
        }
        Inside::Block(block) => block.for_each_inside(&mut |inside| add_bindings(inside, inner)),
        Inside::Pattern(pattern) => inner.extend(pattern.bindings()),
        Inside::Type(_) => {}
    }
}
