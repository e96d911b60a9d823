//! Loops: the order in which their iterations are computed again.

use super::primal::Loss;
use super::reverse::{Reverse, Tail};
use super::step::{Code, Outside, Step, Turned, Var, find_needed};
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

impl Reverse<'_> {
    pub(super) fn for_loop(&mut self, label: LabelId, counter: LocalId, range: &Range, body: &Block, span: Span) -> Option<()> {
        if let Local { mutable: true, name, .. } = self.function.local(counter) {
            let message = format!("the gradient of a loop whose counter `{name}` changes is not supported\nhelp: change another variable");
            return self.refuse(name.span(), message);
        }
        let runtime = self.function.runtime.clone();
        let mut turned = None;
        let head = match range {
            Range::GridStride { length, .. } => {
                let length = self.primal(length, Loss::Refused)?;
                let length = self.stable(length);
                let tokens = &length.tokens;
                (Code::of(quote_spanned!(span=> #runtime::prelude::grid_stride(#tokens)), [&length]), None)
            }
            Range::Bounds { start, end, inclusive, adapters } => {
                let (start, end) = (self.primal(start, Loss::Refused)?, self.primal(end, Loss::Refused)?);
                let (start, end) = (self.stable(start), self.stable(end));
                let (first, last) = (&start.tokens, &end.tokens);
                let range = if *inclusive { quote_spanned!(span=> #first..=#last) } else { quote_spanned!(span=> #first..#last) };
                if adapters.is_empty() && !inclusive && self.function.local(counter).ty.as_scalar() == Some(Scalar::Usize) {
                    turned = Some(self.turned(first.clone(), last.clone()));
                }
                let mut code = Code::of(if adapters.is_empty() { range } else { quote!((#range)) }, [&start, &end]);
                let mut backward = None;
                for adapter in adapters {
                    let tokens = code.tokens.clone();
                    backward = matches!(adapter, RangeAdapter::Rev(_)).then(|| tokens.clone());
                    match adapter {
                        RangeAdapter::Rev(name) => code.tokens = quote!(#tokens.#name()),
                        RangeAdapter::StepBy { name, step, .. } => {
                            let step = self.primal(step, Loss::Refused)?;
                            let step = self.stable(step);
                            let by = &step.tokens;
                            code = Code::of(quote!(#tokens.#name(#by)), [&code, &step]);
                        }
                    }
                }
                // A range is reversed once, and before its steps.
                let tokens = &code.tokens;
                let backward = if adapters.is_empty() { Some(quote!((#tokens).rev())) } else { backward };
                (code, backward)
            }
        };
        let counter = self.var_of(counter);
        let (forward, reverse) = self.block(&mut |reverse| reverse.body(body, Tail::Loop(label, true)));
        let name = self.name_tokens(counter);
        let of = Repeated { counter: Some(counter), body, span, turned };
        let (range, backward) = head;
        let tokens = &range.tokens;
        let forward_head = Code { tokens: quote_spanned!(span=> for #name in #tokens), ..range.clone() };
        let reverse_head = backward.map(|backward| Code { tokens: quote_spanned!(span=> for #name in #backward), ..range.clone() });
        self.repeat(of, forward_head, reverse_head, forward, reverse)
    }

    fn turned(&mut self, first: TokenStream, last: TokenStream) -> Turned {
        let runtime = &self.function.runtime;
        let thread = quote!(#runtime::prelude::grid_1d());
        let [count, start, turn] = ["count", "start", "turn"].map(|name| Ident::new(&self.unique(name), Span::mixed_site()));
        Turned { first, last, count, start, turn, thread }
    }

    pub(super) fn while_loop(&mut self, label: LabelId, condition: &Expr, body: &Block, span: Span) -> Option<()> {
        let condition = self.condition(condition)?;
        let (forward, reverse) = self.block(&mut |reverse| reverse.body(body, Tail::Loop(label, true)));
        let tokens = &condition.tokens;
        let head = Code { tokens: quote_spanned!(span=> while #tokens), ..condition };
        self.repeat(Repeated { counter: None, body, span, turned: None }, head, None, forward, reverse)
    }

    /// A loop. Its iterations are computed again in the order of the forward sweep, if that makes no difference for the gradients, so that variables
    /// that change have their values; else from the last to the first, if no such values are needed.
    fn repeat(&mut self, of: Repeated<'_>, head: Code, backward: Option<Code>, forward: Vec<Step>, reverse: Vec<Step>) -> Option<()> {
        let counter = of.counter;
        let once = Step::Loop { counter, head: head.clone(), body: forward.clone(), turned: None };
        if reverse.is_empty() {
            self.push(vec![once], Vec::new());
            return Some(());
        }
        let mut both = Step::Loop { counter, head, body: [forward, reverse].concat(), turned: None };
        let outside = Outside::of(std::slice::from_ref(&both));
        let is_gradient = |var: &Var| self.variables[var.0].is_gradient;
        let depends_on_order = |(var, is_sum): (&Var, &bool)| is_gradient(var) && (!is_sum || outside.reads.contains(var));
        let mut dependent: Vec<Var> = outside.sets.iter().filter(|set| depends_on_order((set.0, set.1))).map(|(var, _)| *var).collect();
        dependent.sort();
        let wanted: Vec<Var> = outside.sets.keys().copied().filter(|var| is_gradient(var)).collect();
        let needed = find_needed(std::slice::from_ref(&both), wanted);
        let mut carried: Vec<Var> = outside.sets.keys().copied().filter(|var| !is_gradient(var) && needed.contains(var)).collect();
        carried.sort();
        if dependent.is_empty() && !outside.takes {
            // Another order is one in which nothing is carried from one iteration to the next.
            if let (Step::Loop { turned, .. }, true) = (&mut both, carried.is_empty()) {
                *turned = of.turned;
            }
            let (before, again) = self.again(vec![both]);
            self.push([before, vec![once]].concat(), vec![Step::Scope(again)]);
            return Some(());
        }
        let (Some(head), None) = (backward, carried.first()) else {
            return self.refuse_order(&of, &dependent, carried.first().copied(), outside.takes);
        };
        let Step::Loop { body, .. } = both else { unreachable!("it is a loop") };
        let (before, again) = self.again(vec![Step::Loop { counter, head, body, turned: None }]);
        self.push([before, vec![once]].concat(), vec![Step::Scope(again)]);
        Some(())
    }

    fn refuse_order(&mut self, of: &Repeated<'_>, dependent: &[Var], carried: Option<Var>, takes: bool) -> Option<()> {
        let name =
            |reverse: &Self, var: Var| reverse.variables[var.0].of.map(|local| (local, reverse.function.local(local).name.to_string()));
        let span_in_loop = |local: LocalId| find_local(of.body, local).unwrap_or(of.span);
        let carried = carried.and_then(|var| name(self, var));
        let dependent = dependent.iter().find_map(|var| name(self, *var));
        match (dependent, carried) {
            (Some((local, name)), carried) => {
                let why = match carried {
                    Some((_, carried)) => format!("the values that `{carried}` had in each iteration"),
                    None => "the iterations in reverse order".to_owned(),
                };
                self.refuse(
                    span_in_loop(local),
                    format!("the gradient through `{name}` is not supported: `{name}` is carried from one iteration to the next, and its gradient needs {why}\nhelp: only add to `{name}` in the loop and read it after the loop, or compute each iteration from values that no other iteration changes"),
                )
            }
            (None, carried) => {
                debug_assert!(takes, "something depends on the order");
                let why = carried.map_or_else(
                    || "the iterations in reverse order".to_owned(),
                    |(_, name)| format!("the values that `{name}` had in each iteration"),
                );
                self.refuse(
                    of.span,
                    format!("the gradient of this loop is not supported: it may write one element several times, and the gradient needs {why}\nhelp: write each element once, at the index that is the loop's counter, or outside of the loop"),
                )
            }
        }
    }
}

/// A loop of the user's.
struct Repeated<'b> {
    counter: Option<Var>,
    body: &'b Block,
    span: Span,
    turned: Option<Turned>,
}

/// Where the variable stands in the block.
fn find_local(block: &Block, local: LocalId) -> Option<Span> {
    fn find(expr: &Expr, local: LocalId) -> Option<Span> {
        if matches!(expr.kind, ExprKind::Local(found) if found == local) {
            return Some(expr.span);
        }
        let mut found = None;
        expr.for_each_child(&mut |child| found = found.or_else(|| find(child, local)));
        found
    }
    let mut found = None;
    block.for_each_child(&mut |child| found = found.or_else(|| find(child, local)));
    found
}
