//! Values of several numbers: their parts, and what is made of parts.

use super::shapes::Tree;
use super::{Apart, may_have_parts};
use crate::model::*;
use proc_macro2::{Ident, Span};

/// The most elements of an array that is copied as a whole: each is a statement.
pub(super) const MOST_COPIED: u64 = 16;

impl Apart<'_> {
    /// The type of a value, if anything shows it.
    pub(super) fn type_of(&mut self, value: &Expr) -> Option<Type> {
        match value.kind {
            ExprKind::Local(local) => self.shapes.resolve(&self.function.locals[local.0].ty),
            _ => self.shapes.of_value(value),
        }
    }

    /// Whether the value is written such that its parts can be told.
    pub(super) fn can_split(&mut self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Tuple(parts) => !parts.is_empty(),
            ExprKind::Struct { .. } => true,
            ExprKind::Constant(_) => may_have_parts(&value.ty),
            ExprKind::Call { awaited: false, .. } => {
                let ty = self.type_of(value);
                matches!(ty.and_then(|ty| self.shapes.of_type(&ty)), Some(Tree::Parts(_)))
            }
            _ => value.is_place() && may_have_parts(&value.ty),
        }
    }

    /// The parts of a value. `None` after an error.
    pub(super) fn split(&mut self, mut value: Expr) -> Option<Tree<Expr>> {
        let span = value.span;
        let ty = self.type_of(&value);
        let shape = match ty.and_then(|ty| self.shapes.of_type(&ty)) {
            Some(Tree::One(_)) => None,
            Some(shape) => Some(shape),
            None if matches!(value.ty, Type::Named(_) | Type::Part(..)) => {
                self.refuse_type(&value.ty.clone(), span);
                return None;
            }
            None => None,
        };
        let Some(shape) = shape else {
            return match value.kind {
                // With parts that have no type of their own, such as references.
                ExprKind::Tuple(parts) if !parts.is_empty() => self.split_tuple(parts),
                _ => {
                    self.expr(&mut value);
                    Some(Tree::One(value))
                }
            };
        };
        match value.kind {
            ExprKind::Tuple(parts) => self.split_tuple(parts),
            ExprKind::Struct { fields, base, .. } => {
                let mut given = Vec::new();
                for (member, field) in fields {
                    let part = self.split_after(&mut given, field)?;
                    given.push((member, part));
                }
                if let Some(base) = base {
                    let Tree::Parts(rest) = self.split_after(&mut given, *base)? else { return None };
                    // Of two with one name, the first is taken.
                    given.extend(rest);
                }
                let Tree::Parts(parts) = &shape else { return None };
                let part = |(member, _): &(Member, Tree<Type>)| {
                    let at = given.iter().position(|(known, _)| known == member)?;
                    Some((member.clone(), std::mem::replace(&mut given[at].1, Tree::Parts(Vec::new()))))
                };
                parts.iter().map(part).collect::<Option<_>>().map(Tree::Parts)
            }
            ExprKind::Block { label: None, mut block } => {
                let end = block.value.take();
                self.block(&mut block);
                block.stmts.into_iter().for_each(|stmt| self.emit(stmt));
                self.split(*end?)
            }
            ExprKind::If { mut condition, then, otherwise: Some(otherwise) } => {
                self.expr(&mut condition);
                let results = self.declare_leaves(&Ident::new("result", span), &shape, true);
                results.clone().into_leaves().into_iter().for_each(|result| self.push_let(result, None));
                let places = results.map(&mut |local| self.local(*local, span));
                let then = self.assigned(&results, Expr::new(ExprKind::Block { label: None, block: then }, value.ty.clone(), span))?;
                let otherwise = self.assigned(&results, *otherwise)?;
                let otherwise = Expr::new(ExprKind::Block { label: None, block: otherwise }, Type::Unit, span);
                let chosen = ExprKind::If { condition, then, otherwise: Some(otherwise.into()) };
                self.emit(Stmt::Expr(Expr::new(chosen, Type::Unit, span).into()));
                Some(places)
            }
            _ if value.is_place() => {
                let place = self.place(value)?;
                match place {
                    Tree::One(place) => Some(self.parts_of(place, &shape)),
                    parts => Some(parts),
                }
            }
            ExprKind::Call { awaited: false, .. } | ExprKind::Constant(_) => {
                self.expr(&mut value);
                let ty = self.type_of(&value)?;
                let result = self.new_local(Ident::new("result", span), ty, false);
                self.push_let(result, Some(value));
                let result = self.local(result, span);
                Some(self.parts_of(result, &shape))
            }
            // Of a function that returns numbers in a tuple.
            ExprKind::Call { .. } | ExprKind::Intrinsic { .. } | ExprKind::Method { .. } if matches!(&value.ty, Type::Tuple(parts) if parts.iter().all(Type::is_scalar)) =>
            {
                self.expr(&mut value);
                let name = Ident::new("part", span);
                let results = self.declare_leaves(&name, &shape, false);
                let bound =
                    |local: LocalId| Pattern::new(PatternKind::Bind { local, sub: None }, self.function.locals[local.0].ty.clone(), span);
                let parts = results.clone().into_leaves().into_iter().map(bound).collect();
                let pattern = Pattern::new(PatternKind::Tuple(Sequence { parts, rest: None }), value.ty.clone(), span);
                let ty = value.ty.clone();
                self.emit(Stmt::Let(Let { pattern, tokens: None, ty, init: Some(value), otherwise: None, span, end: span }.into()));
                Some(results.map(&mut |local| self.local(*local, span)))
            }
            ExprKind::Binary { .. } | ExprKind::Unary { .. } | ExprKind::Associated { .. } => {
                let message = "the gradient of a kernel: a method or an operator of a type of your own is not supported\nhelp: write a function with `#[gpu_device(grad)]`";
                self.errors.push(span, message);
                None
            }
            _ => {
                self.refuse(span, "a value of several numbers that is computed like this");
                None
            }
        }
    }

    fn split_tuple(&mut self, parts: Vec<Expr>) -> Option<Tree<Expr>> {
        let mut split = Vec::new();
        for (index, part) in parts.into_iter().enumerate() {
            let member = Member::Position(index, part.span);
            let part = self.split_after(&mut split, part)?;
            split.push((member, part));
        }
        Some(Tree::Parts(split))
    }

    /// The parts of a value that is computed after others, which keep what they have before it.
    fn split_after(&mut self, before: &mut [(Member, Tree<Expr>)], value: Expr) -> Option<Tree<Expr>> {
        if value.writes() {
            for (_, part) in before {
                *part = self.kept(std::mem::replace(part, Tree::Parts(Vec::new())));
            }
        }
        self.split(value)
    }

    /// The block that computes `value` and gives its parts to these variables.
    pub(super) fn assigned(&mut self, results: &Tree<LocalId>, value: Expr) -> Option<Block> {
        let span = value.span;
        let mut is_known = true;
        let stmts = self.statements_of(|apart| {
            let values = apart.split(value).map(Tree::into_leaves);
            is_known = values.is_some();
            for (result, value) in results.clone().into_leaves().into_iter().zip(values.into_iter().flatten()) {
                let place = apart.local(result, span);
                apart.assign(place, value);
            }
        });
        is_known.then_some(Block { stmts, value: None, is_unsafe: false, span })
    }

    /// The same values in variables that do not change.
    pub(super) fn kept(&mut self, value: Tree<Expr>) -> Tree<Expr> {
        match value {
            Tree::Parts(parts) => Tree::Parts(parts.into_iter().map(|(member, part)| (member, self.kept(part))).collect()),
            Tree::One(value) => {
                let is_constant = match &value.kind {
                    ExprKind::Local(local) => !self.function.locals[local.0].mutable,
                    _ => value.is_constant_operand(),
                };
                if is_constant {
                    return Tree::One(value);
                }
                let span = value.span;
                let local = self.new_local(Ident::new("value", span), value.ty.clone(), false);
                let value = self.copied(value);
                self.push_let(local, Some(value));
                Tree::One(self.local(local, span))
            }
        }
    }

    pub(super) fn local(&self, local: LocalId, span: Span) -> Expr {
        Expr::new(ExprKind::Local(local), self.function.locals[local.0].ty.clone(), span)
    }

    /// The parts of a place.
    pub(super) fn parts_of(&mut self, place: Expr, shape: &Tree<Type>) -> Tree<Expr> {
        match shape {
            Tree::One(_) => Tree::One(place),
            Tree::Parts(parts) => {
                let part = |(member, part): &(Member, Tree<Type>)| {
                    let ty = match part {
                        Tree::One(ty) => ty.clone(),
                        Tree::Parts(_) => Type::Opaque,
                    };
                    (member.clone(), self.parts_of(member_of(again(&place), member, ty), part))
                };
                Tree::Parts(parts.iter().map(part).collect())
            }
        }
    }

    /// An array that is copied is one of its elements, written out.
    pub(super) fn copied(&mut self, mut value: Expr) -> Expr {
        if matches!((&value.kind, &value.ty), (ExprKind::Call { .. }, Type::Array(..))) {
            let span = value.span;
            let result = self.new_local(Ident::new("result", span), value.ty.clone(), false);
            self.push_let(result, Some(value));
            value = self.local(result, span);
        }
        if let ExprKind::Repeat { element, length } = value.kind {
            return self.repeated(*element, length, value.ty, value.span);
        }
        match &value.ty {
            Type::Array(element, length) if value.is_place() => {
                let (element, span) = ((**element).clone(), value.span);
                let Some(count) = length.value().filter(|count| *count <= MOST_COPIED) else {
                    self.errors.push(span, format!("the gradient of a kernel: an array of more than {MOST_COPIED} elements as a whole is not supported\nhelp: use its elements, one by one"));
                    return value;
                };
                let copied = |at| {
                    let element = self.element(&value, at, &element);
                    self.copied(element)
                };
                let elements = (0..count).map(copied).collect();
                Expr::new(ExprKind::Array(elements), value.ty.clone(), span)
            }
            _ => value,
        }
    }

    /// An array of one value, which is computed once.
    fn repeated(&mut self, element: Expr, length: Length, ty: Type, span: Span) -> Expr {
        let count = length.value().filter(|count| *count <= MOST_COPIED);
        let kind = match count {
            Some(count) if !is_literal(&element) => {
                let value = self.kept(Tree::One(element)).into_leaves().remove(0);
                ExprKind::Array((0..count).map(|_| again(&value)).collect())
            }
            _ => ExprKind::Repeat { element: element.into(), length },
        };
        Expr::new(kind, ty, span)
    }

    /// `array[at]`
    pub(super) fn element(&mut self, array: &Expr, at: u64, ty: &Type) -> Expr {
        let span = array.span;
        self.function.sites.push(Site { span, kind: SiteKind::Index, cache: None, is_changed: false });
        let site = SiteId(self.function.sites.len() - 1);
        let index = Expr::new(ExprKind::Int(IntLiteral { value: at.into(), suffix: None }), Type::USIZE, span);
        Expr::new(ExprKind::Index { base: again(array).into(), index: index.into(), site }, ty.clone(), span)
    }

    /// An argument of a function: of several numbers, it is written out.
    pub(super) fn argument(&mut self, arg: &mut Expr) {
        let ty = self.type_of(arg).filter(|ty| !matches!(ty, Type::Scalar(_)));
        let is_borrowed = arg.by_reference || matches!(arg.kind, ExprKind::Borrow { .. });
        let Some(ty) = ty.filter(|ty| !is_borrowed && self.shapes.of_type(ty).is_some()) else { return self.expr(arg) };
        let span = arg.span;
        let value = std::mem::replace(arg, Expr::new(ExprKind::Refused, Type::Refused, span));
        if let Some(value) = self.split(value) {
            *arg = self.whole(&ty, value, span);
        }
    }

    /// The value with these parts.
    pub(super) fn whole(&mut self, ty: &Type, value: Tree<Expr>, span: Span) -> Expr {
        let parts = match value {
            Tree::One(value) => return self.copied(value),
            Tree::Parts(parts) => parts,
        };
        let types = self.shapes.members(ty).unwrap_or_default();
        let part = |((member, value), (_, ty)): ((Member, Tree<Expr>), (Member, Type))| (member, self.whole(&ty, value, span));
        let fields: Vec<_> = parts.into_iter().zip(types).map(part).collect();
        let kind = match ty {
            Type::Named(named) => {
                let positional = matches!(fields.first(), Some((Member::Position(..), _)));
                ExprKind::Struct { constructor: Constructor::new(&named.path), fields, base: None, positional }
            }
            _ => ExprKind::Tuple(fields.into_iter().map(|(_, value)| value).collect()),
        };
        Expr::new(kind, ty.clone(), span)
    }
}

/// `base.member`
pub(super) fn member_of(base: Expr, member: &Member, ty: Type) -> Expr {
    let (span, operator) = (base.span, base.operator);
    let kind = match member {
        Member::Name(name) => ExprKind::Field { base: base.into(), name: name.clone() },
        Member::Position(index, _) => ExprKind::TupleField { base: base.into(), index: *index },
    };
    Expr { operator, ..Expr::new(kind, ty, span) }
}

/// Zeros of this type.
pub(super) fn zero(ty: &Type, span: Span) -> Expr {
    let kind = match ty {
        Type::Array(element, length) => ExprKind::Repeat { element: zero(element, span).into(), length: length.clone() },
        Type::Scalar(Scalar::Bool) => ExprKind::Bool(false),
        Type::Scalar(scalar) if scalar.is_float() => ExprKind::Float(FloatLiteral { digits: "0.0".to_owned(), suffix: Some(*scalar) }),
        _ => ExprKind::Int(IntLiteral { value: 0, suffix: ty.as_scalar() }),
    };
    Expr::new(kind, ty.clone(), span)
}

fn is_literal(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Repeat { element, .. } => is_literal(element),
        ExprKind::Bool(_) => true,
        _ => expr.is_constant_operand(),
    }
}

/// A copy of a place or a value that is computed already: of variables, fields, indices that are such, and literals.
pub(super) fn again(expr: &Expr) -> Expr {
    let kind = match &expr.kind {
        ExprKind::Local(local) => ExprKind::Local(*local),
        ExprKind::Int(literal) => ExprKind::Int(literal.clone()),
        ExprKind::Float(literal) => ExprKind::Float(literal.clone()),
        ExprKind::Bool(value) => ExprKind::Bool(*value),
        ExprKind::Constant(path) => ExprKind::Constant(path.clone()),
        ExprKind::Unary { op, operand } => ExprKind::Unary { op: *op, operand: again(operand).into() },
        ExprKind::Field { base, name } => ExprKind::Field { base: again(base).into(), name: name.clone() },
        ExprKind::TupleField { base, index } => ExprKind::TupleField { base: again(base).into(), index: *index },
        ExprKind::Index { base, index, site } => ExprKind::Index { base: again(base).into(), index: again(index).into(), site: *site },
        ExprKind::Element { base, indices, sites } => {
            ExprKind::Element { base: again(base).into(), indices: indices.iter().map(again).collect(), sites: sites.clone() }
        }
        ExprKind::Array(elements) => ExprKind::Array(elements.iter().map(again).collect()),
        _ => ExprKind::Refused,
    };
    Expr { kind, ty: expr.ty.clone(), ..*expr }
}
