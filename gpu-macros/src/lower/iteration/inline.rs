//! Patterns and closures of chains: names for items, and bodies that stand where the closure would be called.

use super::Part;
use super::items::Item;
use crate::first_span::Start;
use crate::idents::{word, words_of};
use crate::lower::reference::{Plain, Shape};
use crate::lower::{Lowerer, Name};
use crate::model::*;
use crate::unsupported_methods::count_arguments;
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::parse_quote;
use syn::spanned::Spanned;

/// A pattern, and the item that it takes.
struct Leaf {
    pattern: syn::Pat,
    item: Item,
}

impl Leaf {
    /// Whether the pattern only gives a variable another name.
    fn is_name_of_variable(&self) -> bool {
        let is_name = |name: &syn::PatIdent| name.mutability.is_none() && name.by_ref.is_none() && name.subpat.is_none();
        matches!(&self.pattern, syn::Pat::Ident(name) if is_name(name)) && (held_in(&self.item).is_some() || part_in(&self.item).is_some())
    }

    /// Whether the pattern gives an element that can be changed a name.
    fn is_mutable_reference(&self) -> bool {
        matches!((&self.pattern, &self.item), (syn::Pat::Ident(_), Item::Mutable { .. }))
    }
}

/// A pattern with its value, which has been evaluated.
struct Evaluated {
    pattern: syn::Pat,
    value: Expr,
    shape: Shape,
}

/// `pattern` without parentheses, types and references.
pub(super) fn without_wrappers(pattern: &syn::Pat) -> &syn::Pat {
    match pattern {
        syn::Pat::Paren(paren) => without_wrappers(&paren.pat),
        syn::Pat::Type(typed) => without_wrappers(&typed.pat),
        syn::Pat::Reference(reference) => without_wrappers(&reference.pat),
        other => other,
    }
}

impl Lowerer<'_> {
    /// The pattern of a `for` loop.
    pub(super) fn bind_for(&mut self, pattern: &syn::Pat, item: Item, stmts: &mut Vec<Stmt>) -> Option<()> {
        let mut leaves = Vec::new();
        take_apart(pattern, item, &mut leaves);
        let (named, leaves): (Vec<Leaf>, Vec<Leaf>) = leaves.into_iter().partition(Leaf::is_name_of_variable);
        let (mutable, leaves): (Vec<Leaf>, Vec<Leaf>) = leaves.into_iter().partition(Leaf::is_mutable_reference);
        // What one name hides, a later value may read: in `for (&y, &x) in x.iter().zip(y)` the second `y` is the array.
        let hides = leaves.len() > 1 && leaves.iter().any(|leaf| self.hides(&leaf.pattern));
        let values = self.evaluate(leaves, stmts)?;
        self.name_places(mutable, stmts)?;
        self.name_variables(named);
        if !hides {
            values.into_iter().for_each(|value| self.declare_evaluated(value, stmts));
            return Some(());
        }
        let mut held = Vec::new();
        for Evaluated { pattern, value, shape } in values {
            let name = self.own_name("element");
            let local = self.hold_value(&name, value, stmts);
            held.push(Evaluated { pattern, value: self.use_of(local), shape });
        }
        held.into_iter().for_each(|value| self.declare_evaluated(value, stmts));
        Some(())
    }

    /// The patterns of a closure's parameters. The items are evaluated before a name is declared.
    pub(super) fn bind_parameters(&mut self, parameters: Vec<(&syn::Pat, Item)>, stmts: &mut Vec<Stmt>) -> Option<()> {
        let mut leaves = Vec::new();
        parameters.into_iter().for_each(|(pattern, item)| take_apart(pattern, item, &mut leaves));
        let (named, leaves) = leaves.into_iter().partition(Leaf::is_name_of_variable);
        let values = self.evaluate(leaves, stmts)?;
        let hidden = self.scope.len();
        self.name_variables(named);
        for value in values {
            let first = self.locals.len();
            self.declare_evaluated(value, stmts);
            self.rename_hidden(first, hidden);
        }
        Some(())
    }

    /// `let v = &mut x[index];`
    fn name_places(&mut self, leaves: Vec<Leaf>, stmts: &mut Vec<Stmt>) -> Option<()> {
        let is_hidden = leaves.len() > 1 && leaves.iter().any(|leaf| self.hides(&leaf.pattern));
        // The other elements may be in another field of the same variable, which rustc sees.
        let borrowed = std::mem::take(&mut self.borrowed);
        for Leaf { pattern, item } in leaves {
            let Item::Mutable { place, position } = item else { continue };
            if is_hidden {
                return self.refuse_mutable_elements(pattern.span(), &place);
            }
            let position = self.evaluate_first(&position, "index", stmts)?;
            if let syn::Stmt::Local(local) = parse_quote!(let #pattern = &mut #place[#position];) {
                stmts.push(self.lower_let(&local));
            }
        }
        self.borrowed = borrowed;
        Some(())
    }

    /// A name for a variable is another name of it, so that no copy is made.
    fn name_variables(&mut self, leaves: Vec<Leaf>) {
        for Leaf { pattern, item } in leaves {
            if let (syn::Pat::Ident(name), Some(part)) = (&pattern, part_in(&item)) {
                self.name_part(&name.ident, part.clone());
            } else if let (syn::Pat::Ident(name), Some((local, shape))) = (pattern, held_in(&item)) {
                self.scope.push(Name { word: word(&name.ident), at: name.ident.span(), local, shape, part: None, is_pinned: false });
            }
        }
    }

    /// The values, in order.
    fn evaluate(&mut self, leaves: Vec<Leaf>, stmts: &mut Vec<Stmt>) -> Option<Vec<Evaluated>> {
        let (mut values, count) = (Vec::new(), leaves.len());
        for (index, Leaf { pattern, item }) in leaves.into_iter().enumerate() {
            // What comes before a later value must not run after it.
            let item = if index + 1 < count && item.runs_closure() { self.hold(item, Some(&pattern), stmts)? } else { item };
            let (value, shape) = self.value_of_item(item, stmts)?;
            values.push(Evaluated { pattern, value, shape });
        }
        Some(values)
    }

    fn declare_evaluated(&mut self, Evaluated { pattern, value, shape }: Evaluated, stmts: &mut Vec<Stmt>) {
        let first = self.locals.len();
        let (pattern, ty, tokens) = match &pattern {
            syn::Pat::Type(typed) => {
                let written = without_references(&typed.ty);
                (&*typed.pat, self.lower_type(written).unwrap_or(Type::Refused), Some(written.to_token_stream()))
            }
            pattern if value.is_refused() => (pattern, Type::Refused, None),
            pattern => (pattern, self.fresh(), None),
        };
        let plain = Plain::new(pattern, &shape);
        let span = value.span;
        let pattern = self.lower_irrefutable(&plain.pattern, ty.clone());
        self.remember_shapes(&plain.shapes, first);
        stmts.push(Stmt::Let(Box::new(Let { pattern, tokens, ty, init: Some(value), otherwise: None, span, end: span })));
    }

    /// Gives the variables from `first` on names that hide no other: the statements of a closure stand between the user's own.
    fn rename_hidden(&mut self, first: usize, hidden: usize) {
        for id in first..self.locals.len() {
            let name = self.locals[id].name.clone();
            let is_hiding = self.scope[..hidden].iter().any(|known| known.word == word(&name))
                || self.locals[self.chain_start.min(first)..first].iter().any(|local| local.name == name);
            if is_hiding {
                self.locals[id].name = self.renamed(&name);
            }
        }
    }

    /// Whether a name in `pattern` hides a variable.
    fn hides(&self, pattern: &syn::Pat) -> bool {
        crate::lower::pattern::names_in(pattern).into_iter().any(|name| self.visible(name).is_some())
    }

    /// Whether a variable of that name is visible, or is another of this chain.
    pub(super) fn is_taken(&self, name: &Ident) -> bool {
        let start = self.chain_start.min(self.locals.len());
        self.visible(name).is_some() || self.locals[start..].iter().any(|local| local.name == *name)
    }

    /// The result of `function` for these items: the body of a closure, or the call of a function by its name.
    pub(in crate::lower) fn call_inline(&mut self, function: &syn::Expr, items: Vec<Item>, stmts: &mut Vec<Stmt>) -> Option<(Expr, Shape)> {
        match super::without_parentheses(function) {
            syn::Expr::Closure(closure) => self.inline_closure(closure, items, stmts),
            path @ syn::Expr::Path(_) => self.call_path(path, items, stmts),
            other => {
                self.errors.push(other.span(), "this is not supported as a function in kernels\nhelp: write a closure, `|x| …`");
                None
            }
        }
    }

    fn inline_closure(&mut self, closure: &syn::ExprClosure, items: Vec<Item>, stmts: &mut Vec<Stmt>) -> Option<(Expr, Shape)> {
        self.check_attributes(&closure.attrs);
        if let Some(token) = &closure.asyncness {
            self.errors.push(
                token.span(),
                "a closure in a kernel cannot be `async`\nhelp: remove `async`, and call `async` functions outside of the closure",
            );
        }
        if closure.inputs.len() != items.len() {
            let takes = count_arguments(items.len());
            self.errors.push_invalid(closure.span(), format!(
                    "this closure must take {takes}, not {}\nhelp: write a pattern for a tuple, such as `|(a, b)|`, after `zip` or `enumerate`",
                    closure.inputs.len()
                ));
            return None;
        }
        let outside = self.outside();
        self.scoped(|lowerer| {
            // Closures that compute the items are no part of this one.
            lowerer.bind_parameters(closure.inputs.iter().zip(items).collect(), stmts)?;
            Some(lowerer.within(closure, outside, |lowerer| lowerer.lower_inline_body(closure)))
        })
    }

    /// The body of a closure, in which a `return` leaves the closure.
    fn lower_inline_body(&mut self, closure: &syn::ExprClosure) -> (Expr, Shape) {
        let enclosing = std::mem::take(&mut self.enclosing);
        let outer = self.inlined.take();
        let tokens = closure.body.to_token_stream();
        let returns = tokens.to_string().contains('?') || words_of(tokens).iter().any(|word| word == "return");
        let label = returns.then(|| self.label_of_closure(closure.body.start()));
        self.inlined = Some(label);
        let (body, shape) = self.lower_with_shape(&closure.body);
        self.inlined = outer;
        self.enclosing = enclosing;
        let body = match &closure.output {
            syn::ReturnType::Type(_, ty) => Expr { ty: self.lower_type(without_references(ty)).unwrap_or(Type::Refused), ..body },
            syn::ReturnType::Default => body,
        };
        let Some(label) = label else { return (body, shape) };
        let span = body.span;
        let block = Block { stmts: Vec::new(), value: Some(Box::new(body)), is_unsafe: false, span };
        (self.expr(ExprKind::Block { label: Some(label), block }, span), shape)
    }

    /// A label that the user cannot name.
    pub(in crate::lower) fn label_of_closure(&mut self, at: Span) -> LabelId {
        let name = syn::Lifetime::new(&format!("'closure{}", self.labels.len()), Span::mixed_site().located_at(at));
        self.labels.push(Label { name: Some(name), is_loop: false, unroll: None });
        LabelId(self.labels.len() - 1)
    }

    /// `f(item)` of a function, of a closure with a name, or of `Some`.
    fn call_path(&mut self, path: &syn::Expr, items: Vec<Item>, stmts: &mut Vec<Stmt>) -> Option<(Expr, Shape)> {
        self.scoped(|lowerer| {
            let mut names = Vec::new();
            for item in items {
                let (value, shape) = lowerer.value_of_item(item, stmts)?;
                if shape != Shape::Value {
                    lowerer.errors.push(
                        path.span(),
                        "this function would get references to elements\nhelp: write `.copied()` before this call, or pass a closure, `|&x| f(x)`",
                    );
                    return None;
                }
                let name = lowerer.own_name("item");
                let local = lowerer.hold_value(&name, value, stmts);
                lowerer.scope.push(Name { word: word(&name), at: name.span(), local, shape: Shape::Value, part: None, is_pinned: false });
                names.push(name);
            }
            let call: syn::Expr = parse_quote!(#path(#(#names),*));
            Some((lowerer.lower_expr(&call), Shape::Value))
        })
    }
}

/// The part of a slice that the item is, also behind references, through which its elements are the same.
fn part_in(item: &Item) -> Option<&Part> {
    match item {
        Item::Part(part) => Some(part),
        Item::Borrowed(inner) => part_in(inner),
        _ => None,
    }
}

/// The variable that the item is in, with the references around it.
pub(super) fn held_in(item: &Item) -> Option<(LocalId, Shape)> {
    match item {
        Item::Held(local, shape) => Some((*local, shape.clone())),
        Item::Borrowed(inner) => held_in(inner).map(|(local, shape)| (local, shape.reference())),
        Item::Copied(inner) => held_in(inner).map(|(local, shape)| (local, shape.copied())),
        Item::Number(_)
        | Item::OfRange(_)
        | Item::Element { .. }
        | Item::Mutable { .. }
        | Item::Part(_)
        | Item::Pair(..)
        | Item::Mapped(..) => None,
    }
}

/// Divides the item as the pattern does. A wildcard evaluates what closures compute, whose effects remain, and nothing else.
fn take_apart(pattern: &syn::Pat, item: Item, leaves: &mut Vec<Leaf>) {
    match (pattern, item) {
        (syn::Pat::Wild(_), Item::Pair(first, second)) => {
            take_apart(pattern, *first, leaves);
            take_apart(pattern, *second, leaves);
        }
        (syn::Pat::Wild(_), Item::Copied(inner) | Item::Borrowed(inner)) => take_apart(pattern, *inner, leaves),
        (syn::Pat::Wild(_), item @ Item::Mapped(..)) => leaves.push(Leaf { pattern: pattern.clone(), item }),
        (
            syn::Pat::Wild(_),
            Item::Number(_) | Item::OfRange(_) | Item::Element { .. } | Item::Mutable { .. } | Item::Part(_) | Item::Held(..),
        ) => {}
        (syn::Pat::Paren(paren), item) => take_apart(&paren.pat, item, leaves),
        (syn::Pat::Reference(reference), Item::Borrowed(inner)) if reference.mutability.is_none() => {
            take_apart(&reference.pat, *inner, leaves);
        }
        (syn::Pat::Reference(reference), Item::Element { place, position, by_reference: true }) if reference.mutability.is_none() => {
            take_apart(&reference.pat, Item::Element { place, position, by_reference: false }, leaves);
        }
        (syn::Pat::Tuple(pair), Item::Pair(first, second)) if is_pair(pair) => {
            take_apart(&pair.elems[0], *first, leaves);
            take_apart(&pair.elems[1], *second, leaves);
        }
        (syn::Pat::Tuple(pair), Item::Borrowed(inner)) if is_pair(pair) && matches!(*inner, Item::Pair(..)) => {
            let Item::Pair(first, second) = *inner else { unreachable!("the item is a pair") };
            take_apart(&pair.elems[0], Item::Borrowed(first), leaves);
            take_apart(&pair.elems[1], Item::Borrowed(second), leaves);
        }
        (pattern, item) => leaves.push(Leaf { pattern: pattern.clone(), item }),
    }
}

fn is_pair(tuple: &syn::PatTuple) -> bool {
    tuple.elems.len() == 2 && !tuple.elems.iter().any(|part| matches!(part, syn::Pat::Rest(_)))
}

fn without_references(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Reference(reference) => without_references(&reference.elem),
        syn::Type::Paren(paren) => without_references(&paren.elem),
        other => other,
    }
}
