//! An item of a chain, before it is evaluated.

use super::counted_ranges::NumberOfRange;
use super::parts::Part;
use crate::lower::Lowerer;
use crate::lower::reference::Shape;
use crate::model::*;
use syn::parse_quote;
use syn::spanned::Spanned;

#[derive(Clone)]
pub(in crate::lower) enum Item {
    /// A number that a counter gives.
    Number(syn::Expr),
    /// A number of a range whose type is not known yet.
    OfRange(NumberOfRange),
    /// `place[position]`, or a reference to it.
    Element {
        place: syn::Expr,
        position: syn::Expr,
        by_reference: bool,
    },
    /// `&mut place[position]`, which only the pattern of a `for` takes.
    Mutable {
        place: syn::Expr,
        position: syn::Expr,
    },
    /// A part of a slice, which has a name and no value.
    Part(Part),
    Pair(Box<Item>, Box<Item>),
    /// The result of a closure, or of a function.
    Mapped(Box<Item>, syn::Expr),
    /// The element in place of a reference to it.
    Copied(Box<Item>),
    /// A reference to the item, which `filter` passes to its closure.
    Borrowed(Box<Item>),
    /// A variable with the item.
    Held(LocalId, Shape),
}

impl Item {
    /// Whether evaluating it again costs nothing, and gives the same.
    pub(super) fn is_held(&self) -> bool {
        match self {
            Item::Number(_) | Item::OfRange(_) | Item::Part(_) | Item::Held(..) => true,
            Item::Element { .. } | Item::Mutable { .. } | Item::Mapped(..) => false,
            Item::Pair(first, second) => first.is_held() && second.is_held(),
            Item::Copied(inner) | Item::Borrowed(inner) => inner.is_held(),
        }
    }

    /// Whether evaluating it runs a closure, which may have effects.
    pub(super) fn runs_closure(&self) -> bool {
        match self {
            Item::Mapped(..) => true,
            Item::Pair(first, second) => first.runs_closure() || second.runs_closure(),
            Item::Copied(inner) | Item::Borrowed(inner) => inner.runs_closure(),
            Item::Number(_) | Item::OfRange(_) | Item::Element { .. } | Item::Mutable { .. } | Item::Part(_) | Item::Held(..) => false,
        }
    }
}

impl Lowerer<'_> {
    /// Evaluates `item`. What must come before its value goes to `stmts`.
    pub(super) fn value_of_item(&mut self, item: Item, stmts: &mut Vec<Stmt>) -> Option<(Expr, Shape)> {
        Some(match item {
            Item::Number(number) => (self.lower_expr(&number), Shape::Value),
            Item::OfRange(number) => (self.lower_number_of_range(&number), Shape::Value),
            Item::Element { place, position, by_reference } => {
                let element = self.lower_expr(&parse_quote!(#place[#position]));
                (element, if by_reference { Shape::Value.reference() } else { Shape::Value })
            }
            Item::Mutable { place, .. } => return self.refuse_mutable_elements(place.span(), &place),
            Item::Part(part) => {
                self.errors.push(
                    part.place.span(),
                    "a part of a slice cannot be used as a value in kernels\nhelp: give it a name, `|w| …` or `for w in …`, and use its elements, `w[0]` or `w.iter()`",
                );
                return None;
            }
            Item::Pair(first, second) => {
                // What the second closure does comes after the first one.
                let first = if first.runs_closure() && second.runs_closure() { Box::new(self.hold(*first, None, stmts)?) } else { first };
                let (first, first_shape) = self.value_of_item(*first, stmts)?;
                let (second, second_shape) = self.value_of_item(*second, stmts)?;
                let span = first.span;
                (self.expr(ExprKind::Tuple(vec![first, second]), span), Shape::tuple(vec![first_shape, second_shape]))
            }
            Item::Mapped(inner, function) => self.call_inline(&function, vec![*inner], stmts)?,
            Item::Copied(inner) => {
                let (value, shape) = self.value_of_item(*inner, stmts)?;
                (value, shape.copied())
            }
            Item::Borrowed(inner) => {
                let (value, shape) = self.value_of_item(*inner, stmts)?;
                (value, shape.reference())
            }
            Item::Held(local, shape) => (self.use_of(local), shape),
        })
    }

    /// A use of a variable of our own.
    pub(in crate::lower) fn use_of(&self, local: LocalId) -> Expr {
        let Local { name, ty, .. } = &self.locals[local.0];
        Expr::new(ExprKind::Local(local), ty.clone(), name.span())
    }

    /// The item in variables, so that it can be used more than once. `pattern` gives them a name.
    pub(super) fn hold(&mut self, item: Item, pattern: Option<&syn::Pat>, stmts: &mut Vec<Stmt>) -> Option<Item> {
        if item.is_held() {
            return Some(item);
        }
        if let Item::Pair(first, second) = item {
            let (left, right) = match pattern.map(super::inline::without_wrappers) {
                Some(syn::Pat::Tuple(pair)) if pair.elems.len() == 2 => (Some(&pair.elems[0]), Some(&pair.elems[1])),
                _ => (None, None),
            };
            let first = self.hold(*first, left, stmts)?;
            return Some(Item::Pair(Box::new(first), Box::new(self.hold(*second, right, stmts)?)));
        }
        let (value, shape) = self.value_of_item(item, stmts)?;
        let name = match pattern.map(super::inline::without_wrappers) {
            Some(syn::Pat::Ident(name)) if !self.is_taken(&name.ident) => name.ident.clone(),
            Some(pattern @ syn::Pat::Ident(_)) => self.fresh_name(pattern, "item"),
            _ => self.own_name("item"),
        };
        let local = self.hold_value(&name, value, stmts);
        Some(Item::Held(local, shape))
    }

    /// The type of a held item, as far as it is known.
    pub(super) fn type_of_held(&mut self, item: &Item) -> Type {
        match item {
            Item::Held(local, _) => self.locals[local.0].ty.clone(),
            Item::Pair(first, second) => Type::Tuple(vec![self.type_of_held(first), self.type_of_held(second)]),
            Item::Copied(inner) | Item::Borrowed(inner) => self.type_of_held(inner),
            Item::OfRange(number) => number.ty.clone(),
            Item::Number(_) | Item::Element { .. } | Item::Mutable { .. } | Item::Part(_) | Item::Mapped(..) => self.fresh(),
        }
    }

    /// `let name = value`, a variable that only we use.
    pub(in crate::lower) fn hold_value(&mut self, name: &proc_macro2::Ident, value: Expr, stmts: &mut Vec<Stmt>) -> LocalId {
        let ty = self.fresh();
        self.hold_as(name, false, ty, value, stmts)
    }

    /// The same, with a type, and possibly mutable.
    pub(in crate::lower) fn hold_as(
        &mut self,
        name: &proc_macro2::Ident,
        mutable: bool,
        ty: Type,
        value: Expr,
        stmts: &mut Vec<Stmt>,
    ) -> LocalId {
        let (span, ty) = (value.span, if value.is_refused() { Type::Refused } else { ty });
        let local = LocalId(self.locals.len());
        let mut_token = mutable.then_some(span);
        self.locals.push(Local { name: name.clone(), mutable, mut_token, ty: ty.clone(), kind: LocalKind::Let, holds: Holds::Value });
        let pattern = Pattern::new(PatternKind::Bind { local, sub: None }, ty.clone(), name.span());
        stmts.push(Stmt::Let(Box::new(Let { pattern, tokens: None, ty, init: Some(value), otherwise: None, span, end: span })));
        local
    }
}
