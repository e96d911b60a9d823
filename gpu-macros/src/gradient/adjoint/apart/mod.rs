//! Variables of structs and tuples, taken apart: a variable for each number and each array of numbers in them. The adjoint of what is left knows only
//! those, and elements of arrays.
//!
//! ```text
//! let p = points[i];                      let p_x = points[i].x; let p_y = points[i].y;
//! let q = Point { x: p.y, ..p };    →     let q_x = p_y;         let q_y = p_y;
//! out[i] = q;                             { out[i].x = q_x;      out[i].y = q_y; }
//! ```
//!
//! An attribute does not see structs. Their fields are read in the text around the kernel, and asserted in the module of the adjoint.

mod places;
mod shapes;
mod values;

use crate::errors::Errors;
use crate::idents::{text_of, word};
use crate::model::*;
use proc_macro2::{Ident, Span};
pub(super) use shapes::{Shapes, Tree};
use std::collections::HashMap;
use values::zero;

/// A function whose variables are taken apart.
pub(super) struct Parted {
    pub(super) shapes: Shapes,
    /// The variables for the parts of parameters.
    pub(super) of_parameters: Vec<Stmt>,
}

/// Takes the variables of the function apart. What it returns is assigned to `result`.
pub(super) fn take_apart(function: &mut Function, result: Option<LocalId>, errors: &Errors) -> Parted {
    let mut shapes = Shapes::of(function);
    let span = function.body.span;
    let empty = Block { stmts: Vec::new(), value: None, is_unsafe: false, span };
    let mut body = std::mem::replace(&mut function.body, empty);
    let parameters: Vec<LocalId> = function.params.iter().map(|param| param.local).filter(|local| Some(*local) != result).collect();
    let mut apart = Apart { function, shapes: &mut shapes, parts: HashMap::new(), out: Vec::new(), result, is_lazy: false, errors };
    parameters.into_iter().for_each(|param| apart.declare_parameter(param));
    let of_parameters = std::mem::take(&mut apart.out);
    if result.is_some() {
        apart.return_value(&mut body);
    }
    apart.block(&mut body);
    function.body = body;
    Parted { shapes, of_parameters }
}

struct Apart<'f> {
    function: &'f mut Function,
    shapes: &'f mut Shapes,
    /// The variables in place of one.
    parts: HashMap<LocalId, Tree<LocalId>>,
    /// The statements of the block so far.
    out: Vec<Stmt>,
    /// What the function returns is assigned to it.
    result: Option<LocalId>,
    /// What is computed here is not always computed, or more often than once: no statement before it can do that.
    is_lazy: bool,
    errors: &'f Errors,
}

impl Apart<'_> {
    // Statements.

    fn block(&mut self, block: &mut Block) {
        let stmts = std::mem::take(&mut block.stmts);
        block.stmts = self.statements_of(|apart| {
            for stmt in stmts {
                match stmt {
                    Stmt::Let(declared) => apart.declare(*declared),
                    Stmt::Expr(expr) => apart.statement(expr),
                }
            }
            if let Some(mut value) = block.value.take() {
                if let ExprKind::Return(Some(_)) = value.kind {
                    apart.statement(value);
                } else {
                    apart.expr(&mut value);
                    block.value = Some(value);
                }
            }
        });
    }

    /// The statements that `run` adds, of a block.
    fn statements_of(&mut self, run: impl FnOnce(&mut Self)) -> Vec<Stmt> {
        let outer = (std::mem::take(&mut self.out), std::mem::take(&mut self.is_lazy));
        run(self);
        self.is_lazy = outer.1;
        std::mem::replace(&mut self.out, outer.0)
    }

    fn statement(&mut self, mut expr: Box<Expr>) {
        match (&mut expr.kind, self.result) {
            (ExprKind::Return(value @ Some(_)), Some(result)) => {
                let value = value.take().expect("there is one");
                let mut assigned = self.assignment_to(result, value);
                self.expr(&mut assigned);
                self.emit(Stmt::Expr(assigned.into()));
            }
            _ => self.expr(&mut expr),
        }
        self.out.push(Stmt::Expr(expr));
    }

    fn assignment_to(&self, result: LocalId, value: Box<Expr>) -> Expr {
        let span = value.span;
        let target = Target::Place(self.local(result, span).into());
        Expr::new(ExprKind::Assign { target, value }, Type::Unit, span)
    }

    /// Makes the value of the function's body an assignment.
    fn return_value(&self, body: &mut Block) {
        if let (Some(value), Some(result)) = (body.value.take(), self.result) {
            let is_return = matches!(value.kind, ExprKind::Return(_));
            let stmt = if is_return { value } else { self.assignment_to(result, value).into() };
            body.stmts.push(Stmt::Expr(stmt));
        }
    }

    /// Adds a statement before the one that is looked at.
    fn emit(&mut self, stmt: Stmt) {
        if self.is_lazy {
            let span = match &stmt {
                Stmt::Let(declared) => declared.span,
                Stmt::Expr(expr) => expr.span,
            };
            self.errors.push(
                span,
                "the gradient of a kernel: a value of several numbers in a part of an expression that is not always computed, or that is computed again, is not supported\nhelp: declare a variable in a block before it",
            );
        }
        self.out.push(stmt);
    }

    /// The variables for the parts of a parameter that is a struct, a tuple or an array.
    fn declare_parameter(&mut self, param: LocalId) {
        let Local { name, ty, holds, mutable, .. } = &self.function.locals[param.0];
        let (name, ty, mutable) = (name.clone(), ty.clone(), *mutable);
        if *holds != Holds::Value || !matches!(ty, Type::Tuple(_) | Type::Named(_) | Type::Array(..)) {
            return;
        }
        let Some(shape) = self.shapes.of_type(&ty) else { return };
        let parts = self.declare_leaves(&name, &shape, mutable);
        let whole = self.local(param, name.span());
        let values = self.parts_of(whole, &shape);
        for (part, value) in parts.clone().into_leaves().into_iter().zip(values.into_leaves()) {
            let value = self.copied(value);
            self.push_let(part, Some(value));
        }
        self.parts.insert(param, parts);
    }

    fn declare(&mut self, mut declared: Let) {
        if let Some(otherwise) = &mut declared.otherwise {
            declared.init.iter_mut().for_each(|init| self.expr(init));
            self.block(otherwise);
            self.out.push(Stmt::Let(declared.into()));
            return;
        }
        let Some(init) = declared.init.take() else {
            match declared.pattern.as_name().and_then(|local| self.declare_parts(local)) {
                Some(parts) => parts.into_leaves().into_iter().for_each(|part| self.push_let(part, None)),
                None => self.out.push(Stmt::Let(declared.into())),
            }
            return;
        };
        if let Some(local) = declared.pattern.as_name()
            && let Some(ty) = self.type_of(&init)
            && self.shapes.of_type(&self.function.locals[local.0].ty).is_none()
        {
            self.function.locals[local.0].ty = ty;
        }
        let has_parts = declared.pattern.bindings().into_iter().any(|local| self.is_apart(local));
        if !has_parts && (declared.pattern.as_name().is_some() || !self.can_split(&init)) {
            let mut init = init;
            self.expr(&mut init);
            if let Some(local) = declared.pattern.as_name().filter(|local| self.function.locals[local.0].ty.as_scalar().is_none())
                && init.ty.as_scalar().is_some()
            {
                self.function.locals[local.0].ty = init.ty.clone();
            }
            let init = self.copied(init);
            self.out.push(Stmt::Let(Let { init: Some(init), ..declared }.into()));
            return;
        }
        if let Some(value) = self.split(init) {
            self.bind(declared.pattern, value);
        }
    }

    /// Whether a variable of this type is one for each part.
    fn is_apart(&mut self, local: LocalId) -> bool {
        let Local { ty, holds, kind, .. } = &self.function.locals[local.0];
        let may_be = *holds == Holds::Value && *kind == LocalKind::Let && may_have_parts(ty);
        let ty = ty.clone();
        may_be && self.shapes.of_type(&ty).is_some()
    }

    /// The variables for the parts of `local`, if it has some.
    fn declare_parts(&mut self, local: LocalId) -> Option<Tree<LocalId>> {
        if !self.is_apart(local) {
            return None;
        }
        let Local { name, ty, mutable, .. } = &self.function.locals[local.0];
        let (name, ty, mutable) = (name.clone(), ty.clone(), *mutable);
        let shape = self.shapes.of_type(&ty)?;
        let parts = self.declare_leaves(&name, &shape, mutable);
        self.parts.insert(local, parts.clone());
        Some(parts)
    }

    fn declare_leaves(&mut self, name: &Ident, shape: &Tree<Type>, mutable: bool) -> Tree<LocalId> {
        match shape {
            Tree::One(ty) => Tree::One(self.new_local(name.clone(), ty.clone(), mutable)),
            Tree::Parts(parts) => {
                let part = |(member, part): &(Member, Tree<Type>)| {
                    let of_part = Ident::new(&format!("{}_{}", word(name), text_of(member).trim_start_matches("r#")), name.span());
                    (member.clone(), self.declare_leaves(&of_part, part, mutable))
                };
                Tree::Parts(parts.iter().map(part).collect())
            }
        }
    }

    fn new_local(&mut self, name: Ident, ty: Type, mutable: bool) -> LocalId {
        self.function.locals.push(Local { name, mutable, mut_token: None, ty, kind: LocalKind::Let, holds: Holds::Value });
        LocalId(self.function.locals.len() - 1)
    }

    /// An array without a value begins with zeros.
    fn push_let(&mut self, local: LocalId, init: Option<Expr>) {
        let Local { name, ty, .. } = &self.function.locals[local.0];
        let (span, ty) = (name.span(), ty.clone());
        let init = init.or_else(|| matches!(ty, Type::Array(..)).then(|| zero(&ty, span)));
        let pattern = Pattern::new(PatternKind::Bind { local, sub: None }, ty.clone(), span);
        let end = init.as_ref().map_or(span, |init| init.span);
        self.emit(Stmt::Let(Let { pattern, tokens: None, ty, init, otherwise: None, span, end }.into()));
    }

    fn bind(&mut self, pattern: Pattern, value: Tree<Expr>) {
        match (pattern.kind, value) {
            (PatternKind::Bind { local, sub: None }, value @ Tree::Parts(_)) => {
                let Some(parts) = self.declare_parts(local) else { return self.refuse(pattern.span, "this variable") };
                // A value may be of the variables of another of the same name, but not of these.
                for (part, value) in parts.into_leaves().into_iter().zip(value.into_leaves()) {
                    let value = self.copied(value);
                    self.push_let(part, Some(value));
                }
            }
            (PatternKind::Bind { local, sub: None }, Tree::One(value)) => {
                let value = self.copied(value);
                self.push_let(local, Some(value));
            }
            (PatternKind::Wildcard, value) => value.into_leaves().into_iter().for_each(|value| {
                let (ty, span) = (value.ty.clone(), value.span);
                let pattern = Pattern::new(PatternKind::Wildcard, ty.clone(), span);
                self.out.push(Stmt::Let(Let { pattern, tokens: None, ty, init: Some(value), otherwise: None, span, end: span }.into()));
            }),
            (PatternKind::Tuple(sequence), Tree::Parts(values)) => {
                let count = values.len();
                let skipped = count.saturating_sub(sequence.parts.len());
                let before = sequence.rest.unwrap_or(sequence.parts.len());
                let mut values: Vec<_> = values.into_iter().map(|(_, value)| Some(value)).collect();
                for (index, part) in sequence.parts.into_iter().enumerate() {
                    let index = if index < before { index } else { index + skipped };
                    if let Some(value) = values.get_mut(index).and_then(Option::take) {
                        self.bind(part, value);
                    }
                }
            }
            (PatternKind::Struct(StructPattern { fields, .. }), Tree::Parts(values)) => {
                let mut values = values;
                for (member, part) in fields {
                    if let Some(at) = values.iter().position(|(known, _)| *known == member) {
                        self.bind(part, values.remove(at).1);
                    }
                }
            }
            _ => self
                .errors
                .push(pattern.span, "the gradient of a kernel: this pattern is not supported\nhelp: declare a variable for each number"),
        }
    }

    // Expressions.

    fn expr(&mut self, expr: &mut Expr) {
        self.take_apart(expr);
        self.settle(expr);
    }

    /// Finds the type of an expression of parts of structs, which is known now.
    fn settle(&mut self, expr: &mut Expr) {
        if expr.ty.as_scalar().is_some() {
            return;
        }
        let known = match &expr.kind {
            ExprKind::Binary { op, left, right, .. } if !op.is_comparison() => left.ty.as_scalar().filter(|_| left.ty == right.ty),
            ExprKind::Unary { operand, .. } => operand.ty.as_scalar(),
            _ => None,
        };
        if let Some(ty) = known.map(Type::Scalar).or_else(|| self.type_of(expr)) {
            expr.ty = ty;
        }
    }

    fn take_apart(&mut self, expr: &mut Expr) {
        let span = expr.span;
        match &mut expr.kind {
            ExprKind::Field { .. } | ExprKind::TupleField { .. } => self.field(expr),
            ExprKind::Local(local) => match self.parts.get(local) {
                None => {}
                Some(Tree::One(part)) => *local = *part,
                Some(Tree::Parts(_)) => {
                    let name = self.function.locals[local.0].name.clone();
                    self.refuse(span, format!("`{name}` as a whole"));
                }
            },
            ExprKind::Assign { target: Target::Place(_) | Target::Tuple(..), .. } => self.assignment(expr),
            ExprKind::Block { block, .. } | ExprKind::Loop { body: block, .. } => self.block(block),
            ExprKind::Call { args, .. } => args.iter_mut().for_each(|arg| self.argument(arg)),
            ExprKind::Logical { left, right, .. } => {
                self.expr(left);
                self.lazily(|apart| apart.expr(right));
            }
            ExprKind::While { condition, body, .. } => {
                self.lazily(|apart| apart.expr(condition));
                self.block(body);
            }
            ExprKind::If { condition, then, otherwise } => {
                self.expr(condition);
                self.block(then);
                if let Some(otherwise) = otherwise {
                    self.lazily(|apart| apart.expr(otherwise));
                }
            }
            _ => {
                let (mut exprs, mut blocks) = (Vec::new(), Vec::new());
                expr.for_each_inside_mut(&mut |inside| match inside {
                    InsideMut::Expr(inside) => exprs.push(inside),
                    InsideMut::Block(block) => blocks.push(block),
                    InsideMut::Pattern(_) | InsideMut::Type(_) => {}
                });
                // A statement before it all would not see what the others change.
                let writes = exprs.len() > 1 && exprs.iter().any(|inside| inside.writes());
                let outer = self.is_lazy;
                self.is_lazy |= writes;
                exprs.into_iter().for_each(|inside| self.expr(inside));
                self.is_lazy = outer;
                blocks.into_iter().for_each(|block| self.block(block));
            }
        }
    }

    fn lazily(&mut self, run: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.is_lazy, true);
        run(self);
        self.is_lazy = outer;
    }

    /// A field that is a number or an array, of a variable that is taken apart or of an element.
    fn field(&mut self, expr: &mut Expr) {
        let path = path_of(expr);
        if let Some((local, members)) = path
            && let Some(parts) = self.parts.get(&local)
        {
            let part = members.iter().try_fold(parts, |parts, member| parts.part(member));
            match part {
                Some(Tree::One(part)) => expr.kind = ExprKind::Local(*part),
                _ => self.refuse(expr.span, "a struct or a tuple as a whole"),
            }
            return;
        }
        let (ExprKind::Field { base, .. } | ExprKind::TupleField { base, .. }) = &mut expr.kind else { return };
        if base.is_place() || !self.can_split(base) {
            return self.expr(base);
        }
        let span = expr.span;
        let taken = std::mem::replace(expr, Expr::new(ExprKind::Refused, Type::Refused, span));
        let member = match &taken.kind {
            ExprKind::Field { name, .. } => Member::Name(name.clone()),
            ExprKind::TupleField { index, .. } => Member::Position(*index, span),
            _ => return,
        };
        let (ExprKind::Field { base, .. } | ExprKind::TupleField { base, .. }) = taken.kind else { return };
        if let Some(Tree::One(part)) = self.split(*base).and_then(|parts| parts.into_part(&member)) {
            *expr = part;
        }
    }

    // Errors.

    fn refuse(&self, span: Span, what: impl std::fmt::Display) {
        self.errors.push(span, format!("the gradient of a kernel: {what} is not supported\nhelp: use its numbers, one by one"));
    }

    fn refuse_type(&self, ty: &Type, span: Span) {
        let name = match ty {
            Type::Named(named) => format!("`{}`", named.short_name()),
            _ => "this type".to_owned(),
        };
        self.errors.push(span, unknown_parts(&name));
    }
}

fn may_have_parts(ty: &Type) -> bool {
    matches!(ty, Type::Tuple(_) | Type::Named(_) | Type::Part(..))
}

/// Why values of a type cannot be taken apart.
pub(super) fn unknown_parts(name: &str) -> String {
    format!(
        "the gradient of a kernel: values of {name} are not supported here\nhelp: they may be of a struct of this crate, without parameters, whose fields are numbers, arrays of numbers, tuples and such structs; import it by its name"
    )
}

/// The variable of which this is a field of a field, and the fields.
fn path_of(expr: &Expr) -> Option<(LocalId, Vec<Member>)> {
    match &expr.kind {
        ExprKind::Local(local) => Some((*local, Vec::new())),
        ExprKind::Field { base, name } => path_of(base).map(|(local, members)| (local, with(members, Member::Name(name.clone())))),
        ExprKind::TupleField { base, index } => {
            path_of(base).map(|(local, members)| (local, with(members, Member::Position(*index, expr.span))))
        }
        _ => None,
    }
}

fn with(mut members: Vec<Member>, member: Member) -> Vec<Member> {
    members.push(member);
    members
}
