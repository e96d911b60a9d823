//! `min`, `max` and their forms with a comparison.
//!
//! What is asked of an `Ordering` is whether the left side is greater. Of `a.partial_cmp(b).unwrap()`, that is `a > b`; of `a.cmp(&b)` too, if
//! they are numbers: a type may implement `Ord` in another way than `PartialOrd`.

use super::consumers::{Consumer, item_shape};
use super::items::Item;
use crate::lower::reference::Shape;
use crate::lower::{Lowerer, without_parentheses};
use crate::model::*;
use proc_macro2::Span;
use syn::{parse_quote, parse_quote_spanned};

impl Lowerer<'_> {
    /// `min`, `max`, `min_by(|a, b| …)`.
    pub(super) fn consume_ordered(
        &mut self,
        call: &syn::ExprMethodCall,
        item: Item,
        result: LocalId,
        stmts: &mut Vec<Stmt>,
        shape: &mut Shape,
        at: Span,
    ) -> Option<()> {
        let name = call.method.to_string();
        let is_max = name.starts_with("max");
        let function = call.args.first();
        let item = self.hold(item, None, stmts)?;
        *shape = item_shape(&item).option();
        let (pattern, known) = self.bind_known(&item, at);
        let mut reduced = Vec::new();
        // The later one is better: for `max`, unless the best is greater; for `min`, if the best is greater.
        let greater = match function {
            Some(function) => self.lower_comparison(function, known.clone(), item.clone(), &mut reduced)?,
            None => self.lower_greater([&known, &item], &mut reduced, at)?,
        };
        let (known, _) = self.value_of_item(known, &mut reduced)?;
        let (new, _) = self.value_of_item(item.clone(), &mut reduced)?;
        let (then, otherwise) = if is_max { (known, new) } else { (new, known) };
        let block = |value: Expr| Block { stmts: Vec::new(), value: Some(Box::new(value)), is_unsafe: false, span: at };
        let (then, otherwise) = (block(then), block(otherwise));
        let otherwise = Some(Box::new(self.expr(ExprKind::Block { label: None, block: otherwise }, at)));
        let value = self.expr(ExprKind::If { condition: Box::new(greater), then, otherwise }, at);
        self.set_best(result, pattern, reduced, value, item, stmts, at)
    }

    /// `max_by_key(|a| …)`: `let key = …; if match best_key { None => true, Some(known) => … } { best_key = Some(key); result = Some(item); }`. So the
    /// closure runs once for each item, as in std.
    pub(super) fn consume_by_key(
        &mut self,
        Consumer { call, at, result, key: best_key }: &Consumer<'_>,
        item: Item,
        stmts: &mut Vec<Stmt>,
        shape: &mut Shape,
    ) -> Option<()> {
        let (at, result, best_key) = (*at, *result, best_key.expect("there is a key beside the best item"));
        let item = self.hold(item, None, stmts)?;
        *shape = item_shape(&item).option();
        let key = Item::Mapped(Box::new(Item::Borrowed(Box::new(item.clone()))), call.args[0].clone());
        let key = self.hold(key, Some(&parse_quote!(key)), stmts)?;
        let (pattern, known) = self.bind_known(&key, at);
        let greater = self.lower_greater([&known, &key], stmts, at)?;
        let is_better = if call.method == "max_by_key" { self.negated(greater, at) } else { greater };
        let cases = [(PatternKind::NONE, self.expr(ExprKind::Bool(true), at)), (PatternKind::some(pattern), is_better)];
        let arms = cases.map(|(pattern, body)| Arm { pattern: self.pattern(pattern, at), guard: None, end: None, body }).into();
        let scrutinee = Box::new(self.use_of(best_key));
        let test = self.expr(ExprKind::Match { scrutinee, arms }, at);
        let mut found = Vec::new();
        for (best, item) in [(best_key, key), (result, item)] {
            let (value, _) = self.value_of_item(item, &mut found)?;
            let some = self.expr(ExprKind::some(value), at);
            found.push(self.lower_set(best, some, at));
        }
        stmts.push(self.lower_when(test, found, None, at));
        Some(())
    }

    /// A pattern for what is known of the best item so far, which is like `item`, and the variable that it binds.
    fn bind_known(&mut self, item: &Item, at: Span) -> (Pattern, Item) {
        let ty = self.type_of_held(item);
        let (pattern, known) = self.own_binding_of(ty, "known", at);
        (pattern, Item::Held(known, item_shape(item)))
    }

    /// Whether the first of two items, which are in variables, is greater by `Ord`: by `>`, if they are numbers.
    fn lower_greater(&mut self, items: [&Item; 2], stmts: &mut Vec<Stmt>, at: Span) -> Option<Expr> {
        let mut values = || -> Option<[Expr; 2]> {
            let [left, right] = items.map(|item| self.value_of_item(item.clone(), stmts));
            Some([left?.0, right?.0])
        };
        let ([of, _], [number, other_number], [left, right]) = (values()?, values()?, values()?);
        let then = self.binary(BinaryOp::Greater, number, other_number, at);
        let order = self.binary(BinaryOp::TotalOrder, left, right, at);
        let greater = self.lower_expr(&parse_quote!(::core::cmp::Ordering::Greater));
        let otherwise = self.binary(BinaryOp::Equal, order, greater, at);
        Some(self.expr(ExprKind::ByType(Box::new(ByType { of, question: TypeQuestion::Number, then, otherwise })), at))
    }

    /// Whether the first item is greater, by a closure such as `|a, b| a.partial_cmp(b).unwrap()`, or by `f32::total_cmp`.
    fn lower_comparison(&mut self, function: &syn::Expr, first: Item, second: Item, stmts: &mut Vec<Stmt>) -> Option<Expr> {
        let items = vec![Item::Borrowed(Box::new(first)), Item::Borrowed(Box::new(second))];
        let closure = match without_parentheses(function) {
            syn::Expr::Closure(closure) => closure.clone(),
            syn::Expr::Path(path) if self.is_comparison(path) => {
                let method = &path.path.segments.last()?.ident;
                let (left, right) = (self.fresh_name(method, "left"), self.fresh_name(method, "right"));
                parse_quote!(|#left, #right| #left.#method(#right))
            }
            other => {
                let (left, right) = (self.own_name("left"), self.own_name("right"));
                parse_quote!(|#left, #right| #other(#left, #right))
            }
        };
        let test = match Comparison::of(&closure.body) {
            Some(comparison) => self.greater(&comparison),
            None => {
                let body = &closure.body;
                parse_quote!(#body == ::core::cmp::Ordering::Greater)
            }
        };
        Some(self.call_inline(&syn::Expr::Closure(syn::ExprClosure { body: Box::new(test), ..closure }), items, stmts)?.0)
    }

    /// Whether it is `Ord::cmp`, or `f32::total_cmp` of a number or of a type parameter. A type of the user's may have functions of these names.
    fn is_comparison(&self, path: &syn::ExprPath) -> bool {
        let mut names = path.path.segments.iter().rev().map(|segment| segment.ident.to_string());
        let is_number = |owner: &str| Scalar::from_name(owner).is_some() || self.type_params.iter().any(|param| param.name == owner);
        match (names.next().as_deref(), names.next().as_deref()) {
            (Some("cmp"), Some("Ord")) => true,
            (Some("cmp" | "total_cmp"), Some(owner)) => is_number(owner),
            _ => false,
        }
    }

    /// Whether the left side is greater than the right one.
    fn greater(&self, Comparison { method, left, right, unordered, is_reversed }: &Comparison<'_>) -> syn::Expr {
        let (first, second) = (self.fresh_name(method, "first"), self.fresh_name(method, "second"));
        let (left, right) = (operand(left), operand(right));
        let (a, b) = if *is_reversed { (&second, &first) } else { (&first, &second) };
        let test: syn::Block = match method.to_string().as_str() {
            "cmp" => parse_quote!({ #a.cmp(&#b) == ::core::cmp::Ordering::Greater }),
            "partial_cmp" if *unordered == Unordered::Equal => parse_quote!({ #a > #b }),
            "partial_cmp" => parse_quote_spanned!(method.span()=> {
                if !(#a <= #b || #a > #b) {
                    ::core::panic!("called `Option::unwrap()` on a `None` value");
                }
                #a > #b
            }),
            _ => parse_quote!({ #a.total_cmp(&#b) == ::core::cmp::Ordering::Greater }),
        };
        let stmts = &test.stmts;
        parse_quote!({
            let #first = #left;
            let #second = #right;
            #(#stmts)*
        })
    }
}

/// A call of `cmp`, `partial_cmp` or `total_cmp`.
struct Comparison<'s> {
    method: &'s syn::Ident,
    left: &'s syn::Expr,
    right: &'s syn::Expr,
    unordered: Unordered,
    /// `.reverse()`
    is_reversed: bool,
}

/// What becomes of values without an order, such as NaN.
#[derive(Clone, Copy, PartialEq)]
enum Unordered {
    Panics,
    Equal,
}

impl<'s> Comparison<'s> {
    /// Of an expression of type `Ordering`.
    fn of(ordering: &'s syn::Expr) -> Option<Comparison<'s>> {
        let call = match without_parentheses(ordering) {
            syn::Expr::MethodCall(call) => call,
            syn::Expr::Block(block) => match &block.block.stmts[..] {
                [syn::Stmt::Expr(value, None)] => return Comparison::of(value),
                _ => return None,
            },
            _ => return None,
        };
        match (call.method.to_string().as_str(), call.args.len()) {
            ("reverse", 0) => Comparison::of(&call.receiver).map(|of| Comparison { is_reversed: !of.is_reversed, ..of }),
            ("unwrap", 0) | ("expect", 1) => Comparison::of_partial(&call.receiver, Unordered::Panics),
            ("unwrap_or", 1) if is_equal(&call.args[0]) => Comparison::of_partial(&call.receiver, Unordered::Equal),
            ("cmp" | "total_cmp", 1) => Some(Comparison::of_call(call, Unordered::Panics)),
            _ => None,
        }
    }

    /// Of an `Option` of one.
    fn of_partial(ordering: &'s syn::Expr, unordered: Unordered) -> Option<Comparison<'s>> {
        match without_parentheses(ordering) {
            syn::Expr::MethodCall(call) if call.method == "partial_cmp" && call.args.len() == 1 => {
                Some(Comparison::of_call(call, unordered))
            }
            _ => None,
        }
    }

    fn of_call(call: &'s syn::ExprMethodCall, unordered: Unordered) -> Comparison<'s> {
        Comparison { method: &call.method, left: &call.receiver, right: &call.args[0], unordered, is_reversed: false }
    }
}

/// `Ordering::Equal`
fn is_equal(ordering: &syn::Expr) -> bool {
    matches!(without_parentheses(ordering), syn::Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Equal"))
}

/// What is compared, without the `&` of a comparison's argument. A reference is what it refers to.
fn operand(expr: &syn::Expr) -> syn::Expr {
    match without_parentheses(expr) {
        syn::Expr::Reference(reference) => operand(&reference.expr),
        other => other.clone(),
    }
}
