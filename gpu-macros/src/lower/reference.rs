//! What is a reference in Rust, and a copy here.
//!
//! `for v in &x`, `|v| …` in `x.iter().map(…)` and `if let Some(v) = x.get(i)` bind references. In kernels, `v` is the element itself. The
//! [`Shape`] of a variable says where Rust has references, so that `*v` is the element, so that the `&` of a pattern is removed, and so that
//! what Rust refuses of a reference is refused.

use super::{Lowerer, without_parentheses};
use crate::first_span::Start;
use crate::model::*;
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::spanned::Spanned;

/// Where a value has references in Rust.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum Shape {
    /// None.
    #[default]
    Value,
    /// It is a reference to such a value.
    Reference(Box<Shape>),
    Tuple(Vec<Shape>),
    /// An `Option` of such a value.
    Option(Box<Shape>),
}

impl Shape {
    pub(super) fn reference(self) -> Shape {
        Shape::Reference(Box::new(self))
    }

    pub(super) fn option(self) -> Shape {
        if self == Shape::Value { Shape::Value } else { Shape::Option(Box::new(self)) }
    }

    pub(super) fn tuple(parts: Vec<Shape>) -> Shape {
        if parts.iter().all(|part| *part == Shape::Value) { Shape::Value } else { Shape::Tuple(parts) }
    }

    /// What `Some` has.
    pub(super) fn of_some(self) -> Shape {
        match self {
            Shape::Option(inner) => *inner,
            _ => Shape::Value,
        }
    }

    /// What `*` yields, if it is a reference.
    pub(super) fn dereferenced(&self) -> Option<&Shape> {
        match self {
            Shape::Reference(inner) => Some(inner),
            _ => None,
        }
    }

    /// What `.copied()` makes of it.
    pub(super) fn copied(self) -> Shape {
        match self {
            Shape::Reference(inner) => *inner,
            other => other,
        }
    }

    /// How many references are around the value.
    pub(super) fn depth(&self) -> usize {
        self.dereferenced().map_or(0, |inner| 1 + inner.depth())
    }

    fn without_references(&self) -> &Shape {
        self.dereferenced().map_or(self, Shape::without_references)
    }

    fn part(&self, position: usize) -> Shape {
        match self.without_references() {
            Shape::Tuple(parts) => parts.get(position).cloned().unwrap_or_default(),
            _ => Shape::Value,
        }
    }
}

/// A pattern without what only references have, and the names in it that stand for references.
pub(super) struct Plain {
    pub(super) pattern: syn::Pat,
    pub(super) shapes: Vec<(Ident, Shape)>,
}

impl Plain {
    /// `pattern` for a value of `shape`.
    pub(super) fn new(pattern: &syn::Pat, shape: &Shape) -> Plain {
        let mut shapes = Vec::new();
        let pattern = strip(pattern, shape, false, &mut shapes);
        Plain { pattern, shapes }
    }
}

/// Removes `&` where there is a reference. `by_reference`: a reference around the pattern makes its names references.
fn strip(pattern: &syn::Pat, shape: &Shape, by_reference: bool, shapes: &mut Vec<(Ident, Shape)>) -> syn::Pat {
    match (pattern, shape) {
        (syn::Pat::Paren(paren), _) => strip(&paren.pat, shape, by_reference, shapes),
        (syn::Pat::Reference(reference), Shape::Reference(inner)) if reference.mutability.is_none() => {
            strip(&reference.pat, inner, false, shapes)
        }
        (syn::Pat::Reference(reference), Shape::Value) if by_reference && reference.mutability.is_none() => {
            strip(&reference.pat, shape, false, shapes)
        }
        (syn::Pat::Ident(name), _) if name.subpat.is_none() => {
            let shape = if by_reference { shape.clone().reference() } else { shape.clone() };
            if shape != Shape::Value {
                shapes.push((name.ident.clone(), shape));
            }
            pattern.clone()
        }
        (syn::Pat::Tuple(tuple), shape) if !tuple.elems.iter().any(|part| matches!(part, syn::Pat::Rest(_))) => {
            let by_reference = by_reference || shape.depth() > 0;
            let parts = tuple.elems.iter().enumerate();
            let elems = parts.map(|(position, part)| strip(part, &shape.part(position), by_reference, shapes)).collect();
            syn::Pat::Tuple(syn::PatTuple { elems, ..tuple.clone() })
        }
        (syn::Pat::TupleStruct(some), shape) if StdVariant::find(&some.path) == Some(StdVariant::Some) => {
            let by_reference = by_reference || shape.depth() > 0;
            let inner = shape.without_references().clone().of_some();
            let elems = some.elems.iter().map(|part| strip(part, &inner, by_reference, shapes)).collect();
            syn::Pat::TupleStruct(syn::PatTupleStruct { elems, ..some.clone() })
        }
        (syn::Pat::Or(or), shape) => {
            let cases = or.cases.iter().map(|case| strip(case, shape, by_reference, shapes)).collect();
            syn::Pat::Or(syn::PatOr { cases, ..or.clone() })
        }
        (other, shape) => {
            if by_reference || shape.depth() > 0 {
                let names = super::pattern::names_in(other);
                shapes.extend(names.into_iter().map(|name| (name.clone(), Shape::Value.reference())));
            }
            pattern.clone()
        }
    }
}

impl Lowerer<'_> {
    /// A pattern that not every value of this shape may match.
    pub(super) fn lower_refutable_of(&mut self, pattern: &syn::Pat, ty: Type, shape: &Shape) -> Pattern {
        if *shape == Shape::Value {
            return self.lower_refutable(pattern, ty);
        }
        let (first, plain) = (self.locals.len(), Plain::new(pattern, shape));
        let pattern = self.lower_refutable(&plain.pattern, ty);
        self.remember_shapes(&plain.shapes, first);
        pattern
    }

    /// The pattern of a `let` without `else`, for values of this shape.
    pub(super) fn lower_irrefutable_of(&mut self, pattern: &syn::Pat, ty: Type, shape: &Shape) -> Pattern {
        if *shape == Shape::Value {
            return self.lower_irrefutable(pattern, ty);
        }
        let (first, plain) = (self.locals.len(), Plain::new(pattern, shape));
        let pattern = self.lower_irrefutable(&plain.pattern, ty);
        self.remember_shapes(&plain.shapes, first);
        pattern
    }

    /// Remembers what the new variables stand for, which are those from `first` on.
    pub(super) fn remember_shapes(&mut self, shapes: &[(Ident, Shape)], first: usize) {
        for (name, shape) in shapes {
            let Some(local) = self.lookup(name).filter(|local| local.0 >= first) else { continue };
            let Local { name, mutable, .. } = &self.locals[local.0];
            if *mutable && shape.depth() > 0 {
                self.errors.push(
                    name.span(),
                    format!("`{name}` is a shared reference, and the element cannot be changed through it\nhelp: write `&{name}` in the pattern, and `let mut {name} = {name};` in the loop"),
                );
            }
            let Some(name) = self.scope.iter_mut().rev().find(|name| name.local == local) else { continue };
            name.shape = shape.clone();
        }
    }

    /// Makes a variable a reference to its value. Through a mutable one, the value changes as a `mut` variable does.
    pub(super) fn make_reference(&mut self, local: LocalId, holds: Holds) {
        if holds == Holds::Value {
            return;
        }
        let declared = &mut self.locals[local.0];
        (declared.holds, declared.mutable) = (holds, holds == Holds::Mutable);
        for name in self.scope.iter_mut().filter(|name| name.local == local) {
            name.shape = Shape::Value.reference();
        }
    }

    /// `let p = &x[i];` or `let p = &mut x.y;`: a name for a place, as long as rustc lets nothing else change it.
    pub(super) fn lower_let_of_reference(&mut self, local: &syn::Local) -> Option<Stmt> {
        let (pattern, written) = match &local.pat {
            syn::Pat::Type(typed) => (&*typed.pat, Some(&*typed.ty)),
            pattern => (pattern, None),
        };
        let (syn::Pat::Ident(name), Some(init)) = (pattern, &local.init) else { return None };
        if let syn::Expr::Path(path) = without_parentheses(&init.expr)
            && let Some(of) = path.path.get_ident()
            && self.lookup(of).is_some_and(|local| self.locals[local.0].is_reference() && self.locals[local.0].holds == Holds::Mutable)
        {
            self.errors.push(
                init.expr.span(),
                format!("`{of}` is a mutable reference, which cannot get another name in a kernel\nhelp: use `{of}` itself, or write `let {} = &mut *{of};`", name.ident),
            );
            let (operand, ty) = (Box::new(self.lower_dereferenced(&init.expr)), self.fresh());
            return Some(self.let_of_reference(local, pattern, (operand, true), ty));
        }
        let syn::Expr::Reference(reference) = without_parentheses(&init.expr) else { return None };
        if name.subpat.is_some() || name.by_ref.is_some() || init.diverge.is_some() || self.is_array_handle(&reference.expr) {
            return None;
        }
        let ty = match written {
            Some(syn::Type::Reference(written)) => self.lower_type(&written.elem).unwrap_or(Type::Refused),
            Some(_) => return None,
            None => self.fresh(),
        };
        let operand = Box::new(self.lower_dereferenced(&reference.expr));
        let (mutable, is_place) = (reference.mutability.is_some(), operand.is_place());
        let ty = if operand.is_refused() { Type::Refused } else { ty };
        if mutable && is_place {
            self.check_place(&operand);
        } else if mutable && !operand.is_refused() {
            self.errors.push(
                reference.expr.span(),
                "this value has no name, so it cannot be changed by reference\nhelp: bind it with `let mut` first",
            );
        }
        if let Some(token) = &name.mutability {
            let message = format!(
                "`mut` on a reference is not supported in kernels: `{}` always refers to one value\nhelp: remove this `mut`; to change the value, write `&mut`",
                name.ident
            );
            self.errors.push(token.span(), message);
        }
        // An element of an array that is declared here: loops and methods of arrays look at it.
        if let (ExprKind::Index { base, .. }, None) = (&operand.kind, written)
            && let Some((element, _)) = self.local_type(base).element()
        {
            let element = element.clone();
            return Some(self.let_of_reference(local, pattern, (operand, mutable), element));
        }
        Some(self.let_of_reference(local, pattern, (operand, mutable), ty))
    }

    fn let_of_reference(&mut self, local: &syn::Local, pattern: &syn::Pat, (operand, mutable): (Box<Expr>, bool), ty: Type) -> Stmt {
        let span = local.start();
        let is_place = operand.is_place();
        // What has no place is a value of its own.
        let init = if is_place { self.expr(ExprKind::Borrow { mutable, operand }, span) } else { *operand };
        let tokens = if let syn::Pat::Type(typed) = &local.pat { is_place.then(|| typed.ty.to_token_stream()) } else { None };
        let pattern = self.lower_irrefutable(pattern, ty.clone());
        if let Some(name) = pattern.as_name() {
            self.make_reference(name, if mutable { Holds::Mutable } else { Holds::Shared });
            if !is_place {
                self.locals[name.0].holds = Holds::Value;
            }
        }
        Stmt::Let(Box::new(Let { pattern, tokens, ty, init: Some(init), otherwise: None, span, end: span }))
    }

    /// Whether it is a slice, a view or a shared array, which has a name already.
    fn is_array_handle(&self, expr: &syn::Expr) -> bool {
        let syn::Expr::Path(path) = without_parentheses(expr) else { return false };
        let local = path.path.get_ident().and_then(|name| self.lookup(name));
        let is_handle = |ty: &Type| matches!(ty, Type::Slice { .. } | Type::View { .. } | Type::Shared(_) | Type::Function(_));
        local.is_some_and(|local| is_handle(&self.locals[local.0].ty))
    }

    /// Where `expr` has references in Rust, as far as it is a variable, or a part of one.
    pub(super) fn shape_of(&self, expr: &syn::Expr) -> Shape {
        match without_parentheses(expr) {
            syn::Expr::Path(path) => {
                path.path.get_ident().and_then(|name| self.named(name)).map_or(Shape::Value, |name| name.shape.clone())
            }
            syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) => self.shape_of(expr).copied(),
            syn::Expr::Field(syn::ExprField { base, member: syn::Member::Unnamed(index), .. }) => {
                self.shape_of(base).part(index.index as usize)
            }
            syn::Expr::Tuple(tuple) => Shape::tuple(tuple.elems.iter().map(|part| self.shape_of(part)).collect()),
            // Both branches have one type, so that of the first says all.
            syn::Expr::If(choice) => tail(&choice.then_branch).map_or(Shape::Value, |value| self.shape_of(value)),
            _ => Shape::Value,
        }
    }

    /// Whether it is the `self` of a `&self` or `&mut self`, which is no reference elsewhere.
    pub(super) fn is_self_reference(&self, path: &syn::ExprPath) -> bool {
        self.has_receiver && path.path.is_ident("self") && self.locals[0].holds != Holds::Value
    }

    /// How many references an operand has around its value.
    pub(super) fn depth_of_operand(&self, expr: &syn::Expr) -> usize {
        match without_parentheses(expr) {
            syn::Expr::Reference(reference) if reference.mutability.is_none() => 1 + self.depth_of_operand(&reference.expr),
            other => self.shape_of(other).depth(),
        }
    }

    /// Whether `expr` is a variable, or a part of one, that stands for a reference.
    pub(super) fn is_reference(&self, expr: &syn::Expr) -> bool {
        self.shape_of(expr).depth() > 0
    }

    /// Whether `expr` is a reference to a value: its methods are looked for before those of the value.
    pub(super) fn is_behind_reference(&self, expr: &syn::Expr) -> bool {
        match without_parentheses(expr) {
            syn::Expr::Reference(_) => true,
            syn::Expr::Path(path) if self.is_self_reference(path) => true,
            other => self.is_reference(other),
        }
    }

    /// An operand of an operator: a value, or a reference, `&v + w`.
    pub(super) fn lower_operand(&mut self, expr: &syn::Expr) -> Expr {
        let (operand, by_reference) = match without_parentheses(expr) {
            syn::Expr::Reference(reference) if reference.mutability.is_none() => {
                if let syn::Expr::Lit(_) = without_parentheses(&reference.expr) {
                    return self.refuse(expr.span(), "a reference to a literal is not supported in kernels\nhelp: remove the `&`");
                }
                (self.lower_dereferenced(&reference.expr), true)
            }
            syn::Expr::Path(path) if self.is_self_reference(path) => (self.lower_path(path), true),
            _ => self.lower_dereferenced_operand(expr),
        };
        Expr { by_reference, ..operand }
    }

    /// An expression that may be a reference to an element where Rust takes the element too: `x.sqrt()`, `2.0 * x`, `x.field`, `x[0]`.
    pub(super) fn lower_dereferenced(&mut self, expr: &syn::Expr) -> Expr {
        self.lower_dereferenced_operand(expr).0
    }

    /// The same, and whether it is a reference.
    fn lower_dereferenced_operand(&mut self, expr: &syn::Expr) -> (Expr, bool) {
        let mut place = without_parentheses(expr);
        if let syn::Expr::MethodCall(_) | syn::Expr::Try(_) | syn::Expr::If(_) = place {
            return match self.lower_with_shape(place) {
                (lowered, Shape::Value) => (lowered, false),
                (lowered, Shape::Reference(_)) => (lowered, true),
                (..) => (self.refuse_reference(expr), false),
            };
        }
        if !self.is_reference(place) {
            return (self.lower_expr(expr), false);
        }
        while let syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Deref(_), expr, .. }) = place {
            place = without_parentheses(expr);
        }
        let lowered = match place {
            syn::Expr::Path(path) => self.lower_path(path),
            syn::Expr::Field(field) => self.lower_field(field),
            other => self.lower_expr(other),
        };
        (lowered, true)
    }

    /// An expression whose value may be a reference, with its shape: what a closure returns.
    pub(super) fn lower_with_shape(&mut self, expr: &syn::Expr) -> (Expr, Shape) {
        match without_parentheses(expr) {
            syn::Expr::Tuple(tuple) if self.shape_of(expr) != Shape::Value || tuple.elems.iter().any(may_have_references) => {
                let elements = tuple.elems.iter().map(|part| self.lower_with_shape(part)).collect::<Vec<_>>();
                let (elements, shapes) = elements.into_iter().unzip();
                (self.expr(ExprKind::Tuple(elements), tuple.paren_token.span.join()), Shape::tuple(shapes))
            }
            syn::Expr::MethodCall(call) => self.lower_method_with_shape(call),
            syn::Expr::Try(attempt) => self.lower_try(attempt),
            // Its value is an element here, and a reference in Rust.
            syn::Expr::If(choice) if self.shape_of(expr) != Shape::Value => {
                let shape = self.shape_of(expr);
                let mut choice = choice.clone();
                dereference_values(&mut choice, shape.depth());
                (self.lower_expr(&syn::Expr::If(choice)), shape)
            }
            other => {
                let shape = self.shape_of(other);
                (if shape == Shape::Value { self.lower_expr(other) } else { self.lower_dereferenced(other) }, shape)
            }
        }
    }

    /// What stands for a reference, where Rust needs the element.
    pub(super) fn refuse_reference(&mut self, expr: &syn::Expr) -> Expr {
        let name = match without_parentheses(expr) {
            syn::Expr::Path(path) => path.path.get_ident(),
            _ => None,
        };
        let message = match name {
            Some(name) if self.lookup(name).is_some_and(|local| self.locals[local.0].is_reference()) => {
                format!("`{name}` is a reference here\nhelp: write `*{name}`")
            }
            Some(name) => {
                format!("`{name}` is a reference to an element here\nhelp: write `*{name}`, or `&{name}` in the pattern that declares it")
            }
            None => "this is a reference to an element here\nhelp: write `*` before it".to_owned(),
        };
        self.refuse_invalid(expr.span(), message)
    }

    /// Refuses an assignment to an element through a shared reference, and to the array that a loop runs over.
    pub(super) fn check_not_borrowed(&mut self, local: LocalId, span: Span) {
        let Local { name, holds, .. } = &self.locals[local.0];
        let is_reference = self.scope.iter().any(|name| name.local == local && name.shape.depth() > 0);
        if *holds == Holds::Shared {
            self.errors.push_invalid(
                span,
                format!("`{name}` is a shared reference, and cannot be assigned through\nhelp: write `&mut` where `{name}` is declared"),
            );
        } else if is_reference && *holds == Holds::Value {
            self.errors.push_invalid(
                span,
                format!("`{name}` is a shared reference to an element, so it cannot be assigned\nhelp: loop over `iter_mut()` of the array and write `*{name} = …`, or over the indices and write `x[i] = …`"),
            );
        } else if self.borrowed.contains(&local) {
            self.errors.push_invalid(
                span,
                format!("`{name}` is borrowed by the loop over its elements\nhelp: loop over the indices, `for i in 0..{name}.len()`"),
            );
        }
    }
}

/// The value of a block without statements. Names in it mean what they mean outside.
fn tail(block: &syn::Block) -> Option<&syn::Expr> {
    match &block.stmts[..] {
        [syn::Stmt::Expr(value, None)] => Some(without_parentheses(value)),
        _ => None,
    }
}

/// Writes `depth` times `*` in front of the values of both branches.
fn dereference_values(choice: &mut syn::ExprIf, depth: usize) {
    let dereference = |block: &mut syn::Block| {
        if let Some(syn::Stmt::Expr(value, None)) = block.stmts.last_mut() {
            match value {
                syn::Expr::If(inner) => dereference_values(inner, depth),
                value => (0..depth).for_each(|_| *value = syn::parse_quote_spanned!(value.span()=> *#value)),
            }
        }
    };
    dereference(&mut choice.then_branch);
    match choice.else_branch.as_mut().map(|(_, otherwise)| &mut **otherwise) {
        Some(syn::Expr::If(inner)) => dereference_values(inner, depth),
        Some(syn::Expr::Block(otherwise)) => dereference(&mut otherwise.block),
        _ => {}
    }
}

/// Whether its shape shows only when it is lowered: `x.get(i)`.
fn may_have_references(expr: &syn::Expr) -> bool {
    match without_parentheses(expr) {
        syn::Expr::MethodCall(_) | syn::Expr::Try(_) => true,
        syn::Expr::Tuple(tuple) => tuple.elems.iter().any(may_have_references),
        _ => false,
    }
}
