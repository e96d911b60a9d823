//! Control flow: `if`, blocks, loops and how to leave them.

use super::{Lowerer, without_parentheses};
use crate::first_span::Start;
use crate::model::*;
use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;

/// What a loop is called, and how it is unrolled.
#[derive(Clone, Copy)]
pub(super) struct LoopHead<'s> {
    pub(super) label: Option<&'s syn::Lifetime>,
    pub(super) attributes: &'s [syn::Attribute],
    pub(super) span: Span,
}

impl<'s> LoopHead<'s> {
    pub(super) fn of(repeat: &'s syn::ExprForLoop) -> LoopHead<'s> {
        LoopHead { label: name_of(&repeat.label), attributes: &repeat.attrs, span: repeat.start() }
    }
}

impl Lowerer<'_> {
    pub(super) fn lower_if(&mut self, branch: &syn::ExprIf) -> Expr {
        if let Some(lowered) = self.lower_if_of_elements(branch).or_else(|| self.lower_if_of_get_mut(branch)) {
            return lowered;
        }
        let (condition, then) =
            self.scoped(|lowerer| (Box::new(lowerer.lower_condition(&branch.cond)), lowerer.lower_block(&branch.then_branch)));
        let otherwise = branch.else_branch.as_ref().map(|(_, otherwise)| Box::new(self.lower_expr(otherwise)));
        let tile = tile_of(&then);
        self.expr_of(tile, ExprKind::If { condition, then, otherwise }, branch.start())
    }

    pub(super) fn lower_block_expr(&mut self, block: &syn::ExprBlock) -> Expr {
        let Some(label) = &block.label else {
            let inner = self.lower_block(&block.block);
            let tile = tile_of(&inner);
            return self.expr_of(tile, ExprKind::Block { label: None, block: inner }, block.start());
        };
        let (id, inner) = self.enclosed(Some(&label.name), None, |lowerer| lowerer.lower_block(&block.block));
        self.expr(ExprKind::Block { label: Some(id), block: inner }, block.start())
    }

    /// An expression that is of this type, if that is known.
    fn expr_of(&mut self, ty: Option<Type>, kind: ExprKind, span: Span) -> Expr {
        let expr = self.expr(kind, span);
        Expr { ty: ty.unwrap_or(expr.ty), ..expr }
    }

    pub(super) fn lower_unsafe(&mut self, block: &syn::ExprUnsafe) -> Expr {
        self.unsafe_depth += 1;
        let inner = Block { is_unsafe: true, ..self.lower_block(&block.block) };
        self.unsafe_depth -= 1;
        self.expr(ExprKind::Block { label: None, block: inner }, block.start())
    }

    pub(super) fn lower_loop(&mut self, repeat: &syn::ExprLoop) -> Expr {
        let (label, body) = self.enclosed(name_of(&repeat.label), Some(&repeat.attrs), |lowerer| lowerer.lower_block(&repeat.body));
        self.expr(ExprKind::Loop { label, body }, repeat.start())
    }

    pub(super) fn lower_while(&mut self, repeat: &syn::ExprWhile) -> Expr {
        let (label, (condition, body)) = self.enclosed(name_of(&repeat.label), Some(&repeat.attrs), |lowerer| {
            lowerer.scoped(|lowerer| (Box::new(lowerer.lower_condition(&repeat.cond)), lowerer.lower_block(&repeat.body)))
        });
        self.expr(ExprKind::While { label, condition, body }, repeat.start())
    }

    pub(super) fn lower_for(&mut self, repeat: &syn::ExprForLoop) -> Expr {
        if !is_range(&repeat.expr) {
            return self.lower_for_elements(repeat);
        }
        let counter_name = match &*repeat.pat {
            syn::Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => (ident.ident.clone(), ident.mutability.is_some()),
            syn::Pat::Wild(wild) => (Ident::new("_", wild.span()), false),
            other => {
                self.errors
                    .push_invalid(other.span(), "the counter of a `for` loop in a kernel must be a plain name\nhelp: write `for i in …`");
                return self.lower_refused_for(repeat);
            }
        };
        let body = |lowerer: &mut Self, _, _| lowerer.lower_block(&repeat.body);
        let head = LoopHead::of(repeat);
        self.lower_counted(head, &repeat.expr, counter_name, body).unwrap_or_else(|| self.lower_refused_for(repeat))
    }

    /// The loop over a range. `body` gets the counter.
    pub(super) fn lower_counted(
        &mut self,
        head: LoopHead<'_>,
        range: &syn::Expr,
        (name, mutable): (syn::Ident, bool),
        body: impl FnOnce(&mut Self, LocalId, LabelId) -> Block,
    ) -> Option<Expr> {
        let range = self.lower_range(range, Vec::new())?;
        let label = LabelId(self.labels.len());
        let (label, (counter, body)) = self.enclosed(head.label, Some(head.attributes), |lowerer| {
            lowerer.scoped(|lowerer| {
                let ty = lowerer.fresh();
                let counter = lowerer.declare(&name, mutable, ty, LocalKind::LoopCounter);
                (counter, body(lowerer, counter, label))
            })
        });
        Some(self.expr(ExprKind::For { label, counter, range, body }, head.span))
    }

    /// A loop whose range or pattern was refused: the range is unknown, and the loop has the user's names and body.
    pub(super) fn lower_refused_for(&mut self, repeat: &syn::ExprForLoop) -> Expr {
        let span = repeat.start();
        let (label, (counter, body)) = self.enclosed(name_of(&repeat.label), Some(&repeat.attrs), |lowerer| {
            lowerer.scoped(|lowerer| {
                let counter = lowerer.declare(&Ident::new("_", span), false, Type::Refused, LocalKind::LoopCounter);
                lowerer.declare_refused(&repeat.pat);
                (counter, lowerer.lower_block(&repeat.body))
            })
        });
        let (start, end) = (Box::new(self.refused(span)), Box::new(self.refused(span)));
        let range = Range::Bounds { start, end, inclusive: false, adapters: Vec::new() };
        self.expr(ExprKind::For { label, counter, range, body }, span)
    }

    /// `a..b`, `a..=b` with `.rev()` and `.step_by(k)`, or `grid_stride(n)`. `adapters` are those outside `expr`.
    fn lower_range(&mut self, expr: &syn::Expr, mut adapters: Vec<RangeAdapter>) -> Option<Range> {
        match without_parentheses(expr) {
            syn::Expr::Range(range) => {
                let (Some(start), Some(end)) = (&range.start, &range.end) else {
                    self.errors.push(range.span(), "a range in a kernel needs both ends\nhelp: write the end, such as `0..x.len()`, or use `loop` with a counter if there is none");
                    return None;
                };
                let start = Box::new(self.lower_expr(start));
                let is_closed = matches!(range.limits, syn::RangeLimits::Closed(_));
                let after = if is_closed { next_literal(end) } else { None };
                let inclusive = is_closed && after.is_none();
                let end = Box::new(self.lower_expr(after.as_ref().unwrap_or(end)));
                Some(Range::Bounds { start, end, inclusive, adapters })
            }
            syn::Expr::MethodCall(call) => {
                let adapter = match (call.method.to_string().as_str(), call.args.len()) {
                    ("rev", 0) => RangeAdapter::Rev(call.method.clone()),
                    ("step_by", 1) => {
                        let step = Box::new(self.lower_expr(&call.args[0]));
                        let site = self.site(call.args[0].start(), SiteKind::Panic("the step of a range is zero".into()));
                        RangeAdapter::StepBy { name: call.method.clone(), step, site: Some(site) }
                    }
                    _ => return self.refuse_iterator(call.method.span()),
                };
                if adapters.iter().any(|outer| std::mem::discriminant(outer) == std::mem::discriminant(&adapter)) {
                    self.errors.push(call.method.span(), format!("`.{}` twice on one range is not supported in kernels", call.method));
                    return None;
                }
                if !adapters.is_empty() && matches!(adapter, RangeAdapter::StepBy { .. }) {
                    self.errors.push(
                        call.method.span(),
                        "`.rev()` after `.step_by(…)` is not supported in kernels\nhelp: count the steps and compute the value from the count: 6, 4, 2, 0 is `for n in (0..4).rev() { let k = 2 * n; … }`",
                    );
                    return None;
                }
                adapters.insert(0, adapter);
                self.lower_range(&call.receiver, adapters)
            }
            syn::Expr::Call(call) => match &*call.func {
                syn::Expr::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "grid_stride") => {
                    if self.refuse_in_array_function("grid_stride", call.span()).is_some() {
                        return None;
                    }
                    if call.args.len() != 1 {
                        self.errors.push_invalid(
                            call.span(),
                            "`grid_stride` takes one argument, the number of elements\nhelp: write `grid_stride(out.len())`",
                        );
                        return None;
                    }
                    if !adapters.is_empty() {
                        self.errors.push_invalid(
                            call.span(),
                            "`grid_stride` does not support `.rev()` and `.step_by(…)`\nhelp: compute the index in the loop: `for k in grid_stride(n) { let i = n - 1 - k; … }`",
                        );
                        return None;
                    }
                    let length = Box::new(self.lower_expr(&call.args[0]));
                    Some(Range::GridStride { path: path.path.clone(), length })
                }
                _ => self.refuse_iterator(call.span()),
            },
            other => self.refuse_iterator(other.span()),
        }
    }

    fn refuse_iterator(&mut self, span: Span) -> Option<Range> {
        self.errors.push(
            span,
            "a `for` loop in a kernel must run over a range\nhelp: write `for i in 0..x.len()` and index, or `for i in grid_stride(n)`; ranges take `.rev()` and `.step_by(k)`",
        );
        None
    }

    pub(super) fn lower_break(&mut self, leave: &syn::ExprBreak) -> Expr {
        let value = leave.expr.as_ref().map(|value| Box::new(self.lower_expr(value)));
        match self.find_label(leave.label.as_ref(), leave.start(), "break") {
            Some(label) => {
                let around = |label: &LabelId| self.loops_in_loops.iter().find(|(_, inner)| inner == label).map(|(outer, _)| *outer);
                let label = std::iter::successors(Some(label), around).last().unwrap_or(label);
                let named = leave.label.is_some() || self.is_around_another_loop(label, leave.start());
                self.expr(ExprKind::Break { label, named, value }, leave.start())
            }
            None => self.refused(leave.span()),
        }
    }

    pub(super) fn lower_continue(&mut self, next: &syn::ExprContinue) -> Expr {
        match self.find_label(next.label.as_ref(), next.start(), "continue") {
            Some(label) => {
                let inside = |label: &LabelId| self.loops_in_loops.iter().find(|(outer, _)| outer == label).map(|(_, inner)| *inner);
                let innermost = std::iter::successors(Some(label), inside).last().filter(|inner| *inner != label);
                let named = match innermost {
                    Some(inner) => self.is_around_another_loop(inner, next.start()),
                    None => next.label.is_some(),
                };
                self.expr(ExprKind::Continue { label: innermost.unwrap_or(label), named }, next.start())
            }
            None => self.refused(next.span()),
        }
    }

    /// Whether another loop is around the current expression in the loop `label`, which has a name then.
    pub(super) fn is_around_another_loop(&mut self, label: LabelId, at: Span) -> bool {
        let innermost = self.enclosing.iter().rev().find(|id| self.labels[id.0].is_loop);
        if innermost.is_none_or(|innermost| *innermost == label) {
            return false;
        }
        if self.labels[label.0].name.is_none() {
            let name = format!("'{}", self.own_name(&format!("items{}", label.0)));
            self.labels[label.0].name = Some(syn::Lifetime::new(&name, Span::mixed_site().located_at(at)));
        }
        true
    }

    fn find_label(&mut self, name: Option<&syn::Lifetime>, span: Span, word: &str) -> Option<LabelId> {
        let found = self.enclosing.iter().rev().copied().find(|id| {
            let label = &self.labels[id.0];
            match name {
                Some(name) => label.name.as_ref().is_some_and(|label| label.ident == name.ident),
                None => label.is_loop,
            }
        });
        if let Some((used, declared)) = name.zip(found.and_then(|id| self.labels[id.0].name.as_ref()))
            && self.is_of_another_macro(used.ident.span(), declared.ident.span())
        {
            self.remember_same(SameName { declared: declared.ident.clone(), used: used.ident.clone(), is_label: true });
        }
        if found.is_none() {
            match name {
                Some(name) => {
                    self.errors
                        .push_invalid(name.span(), format!("there is no loop or block with the label `{name}` around this `{word}`\nhelp: write `{name}:` before the loop, or correct the name"));
                }
                None => {
                    let help = match self.is_in_closure() {
                        true => "return a `bool` from the closure, and leave the loop where the closure is called".to_owned(),
                        false => format!("write `return` to end the thread, or move the `{word}` into the loop"),
                    };
                    self.errors.push_invalid(span, format!("`{word}` outside of a loop\nhelp: {help}"));
                }
            }
        }
        found
    }

    /// Runs `body` inside a new labelled block, or a new loop with these attributes.
    fn enclosed<R>(
        &mut self,
        name: Option<&syn::Lifetime>,
        of_loop: Option<&[syn::Attribute]>,
        body: impl FnOnce(&mut Self) -> R,
    ) -> (LabelId, R) {
        let id = LabelId(self.labels.len());
        let unroll = of_loop.and_then(|attributes| self.lower_unroll(attributes));
        self.labels.push(Label { name: name.cloned(), is_loop: of_loop.is_some(), unroll });
        self.enclosing.push(id);
        let result = body(self);
        self.enclosing.pop();
        (id, result)
    }
}

/// Whether it is a range with adapters, or `grid_stride(n)`; anything else has elements.
fn is_range(expr: &syn::Expr) -> bool {
    match without_parentheses(expr) {
        syn::Expr::Range(_) => true,
        syn::Expr::MethodCall(call) => (call.method == "rev" || call.method == "step_by") && is_range(&call.receiver),
        syn::Expr::Call(call) => match &*call.func {
            syn::Expr::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "grid_stride"),
            _ => false,
        },
        _ => false,
    }
}

fn name_of(label: &Option<syn::Label>) -> Option<&syn::Lifetime> {
    label.as_ref().map(|label| &label.name)
}

/// The literal after this one, if every type of integers has it: `a..=1` is the simpler `a..2`.
fn next_literal(end: &syn::Expr) -> Option<syn::Expr> {
    const LEAST_OF_ALL_MAXIMA: u64 = i8::MAX as u64;
    let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(literal), attrs }) = without_parentheses(end) else { return None };
    let value = literal.base10_parse::<u64>().ok().filter(|value| *value < LEAST_OF_ALL_MAXIMA)?;
    let next = syn::LitInt::new(&format!("{}{}", value + 1, literal.suffix()), literal.span());
    Some(syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(next), attrs: attrs.clone() }))
}

/// The type of the block's value, if that is seen to be a tile: its methods are chosen before types are inferred.
fn tile_of(block: &Block) -> Option<Type> {
    block.value.as_ref().map(|value| &value.ty).filter(|ty| ty.tile().is_some()).cloned()
}
