//! Iterators: loops over elements, and chains such as `x.iter().zip(y).map(|(a, b)| a * b).sum::<f32>()`.
//!
//! There are no iterators in the model. A chain becomes the loop that one would write by hand, before inference, so that proofs, checks
//! and both emitters see a loop over indices:
//!
//! ```text
//! let mut sum = -0.0;
//! for index in 0..x.len().min(y.len()) {
//!     let a = x[index];
//!     let b = y[index];
//!     sum += a * b;
//! }
//! sum
//! ```
//!
//! A chain has three parts.
//!
//! * [`Elements`](elements::Elements) have a length, and an element at each position: slices, arrays and ranges, and what `enumerate`,
//!   `zip`, `rev`, `skip`, `take`, `step_by` and `map` make of these. An adapter changes the length and the position, not the loop.
//! * A [`Stage`](stages::Stage) decides for one element after the other: `filter`, `filter_map`, `take_while`, and every adapter after one
//!   of these. A stage is an `if` around the rest of the body, or a `break`.
//! * A [consumer](consumers) is the end: the body of a `for`, or `sum`, `fold`, `any` and others, each a variable and a statement.
//!
//! An [`Item`](items::Item) is an element that has not been evaluated. Patterns take it apart without evaluating what they ignore. A closure
//! is not called: its parameters are bound to items, and its body stands in the loop. So it may change variables outside of it, as in Rust.
//! A closure runs for the elements that are used, in Rust's order: `.map(f).skip(1)` does not run `f` for the first element.
//!
//! A loop whose position nothing reads runs over the range itself. `.rev()` and `.step_by(k)` are left to that range where they come last.

mod adapters;
mod consumers;
mod copies;
mod counted_ranges;
mod elements;
mod inline;
mod items;
mod nested;
mod ordering;
mod parts;
mod places;
mod slice_methods;
mod sources;
mod split;
mod stages;

use super::control::LoopHead;
use super::{Lowerer, without_parentheses};
use crate::model::*;
use elements::Elements;
pub(super) use items::Item;
pub(super) use parts::Part;
use proc_macro2::{Ident, Span};
use stages::Stage;
use syn::parse_quote;

/// The statements before the loop, and the variables that its body must not change.
#[derive(Default)]
struct Preparation {
    lets: Vec<Stmt>,
    borrowed: Vec<LocalId>,
}

/// A chain without its consumer.
struct Chain {
    elements: Elements,
    stages: Vec<Stage>,
}

impl Lowerer<'_> {
    /// `for pattern in x.iter()…`, `in &x`, `in x` or `in [1, 2, 3]`.
    pub(super) fn lower_for_elements(&mut self, repeat: &syn::ExprForLoop) -> Expr {
        if let Some(copies) = self.lower_copies(repeat) {
            return copies;
        }
        let head = LoopHead::of(repeat);
        let errors = self.errors.count();
        let (before, repeated) = self.scoped(|lowerer| {
            let mut before = Preparation::default();
            let Some(chain) = lowerer.lower_chain(&repeat.expr, &mut before) else { return (before, None) };
            let hint = &*repeat.pat;
            let repeated = lowerer.lower_loop_over(head, chain, &mut before, Some(hint), &mut |lowerer, item, _| {
                let mut stmts = Vec::new();
                if lowerer.bind_for(&repeat.pat, item, &mut stmts).is_none() {
                    lowerer.declare_refused(&repeat.pat);
                }
                let body = lowerer.lower_block(&repeat.body);
                stmts.extend(body.stmts);
                (stmts, body.value)
            });
            (before, repeated)
        });
        match repeated {
            Some(repeated) => self.after(before.lets, repeated),
            // The body is read for its own errors.
            None if self.errors.count() > errors => self.lower_refused_for(repeat),
            None => unreachable!("a chain is refused with an error"),
        }
    }

    /// A loop over the items of `chain`. `body` gets each item that passes its stages, and the loop's label.
    fn lower_loop_over(
        &mut self,
        head: LoopHead<'_>,
        chain: Chain,
        before: &mut Preparation,
        hint: Option<&syn::Pat>,
        body: &mut Body<'_>,
    ) -> Option<Expr> {
        let outer_chain = self.chain_start;
        self.chain_start = outer_chain.min(self.locals.len());
        let Chain { elements, stages } = chain;
        let (elements, stages) = elements.without_maps(stages);
        let (mut elements, adapters) = elements.without_order();
        let stages = self.declare_counters(stages, before, head.span);
        // Its numbers are those of the loop.
        let is_range = matches!(elements, Elements::Range { .. });
        if !is_range {
            self.count_ranges(&mut elements, before);
        }
        let guarded = elements.guarded_length();
        let mut range = match &elements {
            Elements::Range { start, end, inclusive: true } => parse_quote!((#start..=#end)),
            Elements::Range { start, end, inclusive: false } => parse_quote!((#start..#end)),
            elements => {
                let length = guarded.as_ref().map_or_else(|| elements.length(), |(_, length)| length.clone());
                parse_quote!((0..#length))
            }
        };
        for adapter in adapters {
            range = adapter.around(range);
        }
        let name = self.counter_name(hint, &stages, is_range);
        let borrowed = before.borrowed.len();
        self.borrowed.append(&mut before.borrowed);
        let repeated = self.lower_counted(head, &range, (name.clone(), false), |lowerer, counter, label| {
            let item = if is_range { Item::Held(counter, Default::default()) } else { elements.item(&parse_quote!(#name)) };
            let mut stmts = lowerer.leave_when_taken(&stages, label, head.span);
            let (rest, value) = lowerer.lower_stages(item, &stages, label, head.span, body);
            stmts.extend(rest);
            Block { stmts, value, is_unsafe: false, span: head.span }
        });
        self.borrowed.truncate(self.borrowed.len() - borrowed);
        self.chain_start = outer_chain;
        let repeated = without_unused_counter(repeated?, &mut self.locals);
        let Some((condition, _)) = guarded else { return Some(repeated) };
        let condition = self.lower_expr(&condition);
        let Stmt::Expr(when) = self.lower_when(condition, vec![Stmt::Expr(Box::new(repeated))], None, head.span) else {
            unreachable!("an `if` is an expression")
        };
        Some(*when)
    }

    /// The name of the counter: of a range, the user's name for its items.
    fn counter_name(&self, hint: Option<&syn::Pat>, stages: &[Stage], is_range: bool) -> Ident {
        let stage = stages.iter().find_map(Stage::pattern);
        let pattern = stage.or(hint);
        match (pattern, pattern.map(inline::without_wrappers)) {
            (_, Some(syn::Pat::Ident(name))) if is_range && self.visible(&name.ident).is_none() => name.ident.clone(),
            (Some(pattern), _) => self.fresh_name(pattern, "index"),
            (None, _) => self.own_name("index"),
        }
    }

    /// `last` after `stmts`, as one expression.
    fn after(&mut self, stmts: Vec<Stmt>, last: Expr) -> Expr {
        if stmts.is_empty() {
            return last;
        }
        let span = last.span;
        let block = Block { stmts, value: Some(Box::new(last)), is_unsafe: false, span };
        self.expr(ExprKind::Block { label: None, block }, span)
    }
}

/// What a loop does with each item: the statements, and for the body of a `for`, its last expression.
type Body<'b> = dyn FnMut(&mut Lowerer<'_>, Item, LabelId) -> (Vec<Stmt>, Option<Box<Expr>>) + 'b;

/// A counter that the body does not read has no name.
fn without_unused_counter(repeated: Expr, locals: &mut [Local]) -> Expr {
    if let ExprKind::For { counter, body, .. } = &repeated.kind
        && !body.any(&|expr| matches!(expr.kind, ExprKind::Local(local) if local == *counter))
    {
        locals[counter.0].name = Ident::new("_", Span::mixed_site());
    }
    repeated
}

/// Whether it is a chain of adapters on something with elements, or on a range.
pub(super) fn is_chain(expr: &syn::Expr) -> bool {
    match without_parentheses(expr) {
        syn::Expr::Range(_) => true,
        syn::Expr::MethodCall(call) => is_chain_call(call),
        _ => false,
    }
}

/// The same of a method call.
pub(super) fn is_chain_call(call: &syn::ExprMethodCall) -> bool {
    match (call.method.to_string().as_str(), call.args.len()) {
        ("iter" | "into_iter" | "iter_mut", 0) | ("windows" | "chunks_exact" | "chunks" | "chunks_exact_mut" | "chunks_mut", 1) => true,
        (name, _) => adapters::is_adapter(name) && is_chain(&call.receiver),
    }
}
