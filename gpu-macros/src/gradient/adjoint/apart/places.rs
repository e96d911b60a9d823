//! Places: parts of variables and of elements, and what is assigned to them.

use super::Apart;
use super::shapes::Tree;
use super::values::{MOST_COPIED, again, member_of};
use crate::model::*;

impl Apart<'_> {
    /// A place whose parts may be asked for several times: of a variable that is taken apart, the variables, else the place itself.
    pub(super) fn place(&mut self, place: Expr) -> Option<Tree<Expr>> {
        let span = place.span;
        match place.kind {
            ExprKind::Local(local) => Some(match self.parts.get(&local).cloned() {
                Some(parts) => parts.map(&mut |part| self.local(*part, span)),
                None => Tree::One(Expr { kind: ExprKind::Local(local), ..place }),
            }),
            ExprKind::Field { base, name } => {
                let member = Member::Name(name);
                self.part_of_place(*base, &member, place.ty)
            }
            ExprKind::TupleField { base, index } => {
                let member = Member::Position(index, span);
                self.part_of_place(*base, &member, place.ty)
            }
            ExprKind::Index { base, index, site } => {
                let Tree::One(base) = self.place(*base)? else {
                    self.refuse(span, "an element of this");
                    return None;
                };
                let index = self.fixed(*index);
                Some(Tree::One(Expr { kind: ExprKind::Index { base: base.into(), index: index.into(), site }, ..place }))
            }
            ExprKind::Element { base, indices, sites } => {
                let indices = indices.into_iter().map(|index| self.fixed(index)).collect();
                Some(Tree::One(Expr { kind: ExprKind::Element { base, indices, sites }, ..place }))
            }
            _ => {
                let value = self.split(place)?;
                Some(self.kept(value))
            }
        }
    }

    fn part_of_place(&mut self, base: Expr, member: &Member, ty: Type) -> Option<Tree<Expr>> {
        match self.place(base)? {
            Tree::One(base) => Some(Tree::One(member_of(base, member, ty))),
            parts => parts.into_part(member),
        }
    }

    /// An index that is computed once.
    pub(super) fn fixed(&mut self, mut index: Expr) -> Expr {
        self.expr(&mut index);
        match self.kept(Tree::One(index)) {
            Tree::One(index) => index,
            Tree::Parts(_) => unreachable!("it is one number"),
        }
    }

    /// `place = value`, also of tuples of places: all parts of the value come before the first of them changes.
    pub(super) fn assignment(&mut self, expr: &mut Expr) {
        let ExprKind::Assign { target, value } = &mut expr.kind else { return };
        if let Target::Place(place) = target {
            let ty = self.type_of(place);
            let is_whole_array = matches!(ty, Some(Type::Array(..)));
            if !is_whole_array && !matches!(ty.and_then(|ty| self.shapes.of_type(&ty)), Some(Tree::Parts(_))) {
                self.expr(value);
                return self.expr(place);
            }
        }
        let kind = std::mem::replace(&mut expr.kind, ExprKind::Refused);
        let ExprKind::Assign { target, value } = kind else { return };
        let stmts = self.statements_of(|apart| {
            if let Some(value) = apart.split(*value) {
                let value = apart.kept(value);
                apart.assign_target(target, value);
            }
        });
        expr.kind = ExprKind::Block { label: None, block: Block { stmts, value: None, is_unsafe: false, span: expr.span } };
    }

    fn assign_target(&mut self, target: Target, value: Tree<Expr>) {
        match (target, value) {
            (Target::Wildcard(_), _) => {}
            (Target::Tuple(targets, _), Tree::Parts(values)) => {
                targets.into_iter().zip(values).for_each(|(target, (_, value))| self.assign_target(target, value));
            }
            (Target::Place(place), value) => {
                let Some(place) = self.place(*place) else { return };
                match (place, value) {
                    (Tree::One(place), value @ Tree::Parts(_)) => self.assign_parts(&place, value),
                    (place, value) => {
                        place.into_leaves().into_iter().zip(value.into_leaves()).for_each(|(place, value)| self.assign(place, value));
                    }
                }
            }
            (Target::Tuple(_, span), Tree::One(_)) => self.refuse(span, "an assignment of this value to a tuple"),
        }
    }

    /// To each part of an element, its value.
    fn assign_parts(&mut self, place: &Expr, value: Tree<Expr>) {
        match value {
            Tree::One(value) => self.assign(again(place), value),
            Tree::Parts(parts) => {
                for (member, part) in parts {
                    let ty = match &part {
                        Tree::One(value) => value.ty.clone(),
                        Tree::Parts(_) => Type::Opaque,
                    };
                    self.assign_parts(&member_of(again(place), &member, ty), part);
                }
            }
        }
    }

    pub(super) fn assign(&mut self, place: Expr, value: Expr) {
        let value = self.copied(value);
        let element = match &place.ty {
            Type::Array(element, _) => (**element).clone(),
            _ => Type::Opaque,
        };
        let is_array = matches!(place.ty, Type::Array(..));
        match value.kind {
            ExprKind::Array(values) if is_array => {
                for (at, value) in values.into_iter().enumerate() {
                    let place = self.element(&place, at as u64, &element);
                    self.assign(place, value);
                }
            }
            ExprKind::Repeat { element: value, length } if is_array => match length.value().filter(|count| *count <= MOST_COPIED) {
                Some(count) => {
                    for at in 0..count {
                        let place = self.element(&place, at, &element);
                        self.assign(place, again(&value));
                    }
                }
                None => self.refuse(place.span, "an array of that many elements as a whole"),
            },
            kind => {
                let (span, value) = (place.span, Expr { kind, ..value });
                let assigned = ExprKind::Assign { target: Target::Place(place.into()), value: value.into() };
                self.emit(Stmt::Expr(Expr::new(assigned, Type::Unit, span).into()));
            }
        }
    }
}
