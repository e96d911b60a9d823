//! Loops: the order in which their iterations are computed again.

use super::memory::Frame;
use super::primal::Loss;
use super::replay::{Carried, Names, Replay};
use super::reverse::{Reverse, Tail, Variable};
use super::snapshots::CarriedArray;
use super::step::{Code, Outside, Step, Turned, Var, find_needed, rename, without_breaks};
use super::values::let_step;
use crate::idents::word;
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

impl Reverse<'_> {
    pub(super) fn for_loop(&mut self, label: LabelId, counter: LocalId, range: &Range, body: &Block, span: Span) -> Option<()> {
        if let Local { mutable: true, name, .. } = self.function.local(counter) {
            let message = format!("the gradient of a loop whose counter `{name}` changes is not supported\nhelp: change another variable");
            return self.refuse(name.span(), message);
        }
        let round = self.fresh("round");
        let range = self.range(counter, range, round, span)?;
        let counter = self.var_of(counter);
        let iteration = self.iteration(label, body);
        let name = self.name_tokens(counter);
        let head = |range: Code| {
            let tokens = &range.tokens;
            Code { tokens: quote_spanned!(span=> for #name in #tokens), ..range }
        };
        let Order { forward: range, backward, turned, rounds, nth } = range;
        let counter = Some(Counter { var: counter, nth });
        self.repeat(Repeated { counter, head: head(range), backward: backward.map(head), turned, rounds, round, span }, iteration)
    }

    fn iteration(&mut self, label: LabelId, body: &Block) -> Iteration {
        let outside = (std::mem::take(&mut self.has_collectives), std::mem::take(&mut self.has_breaks));
        let (forward, reverse, frame) = self.frame(&mut |reverse| reverse.body(body, Tail::Loop(label, true)));
        let iteration = Iteration { forward, reverse, frame, has_collectives: self.has_collectives, has_breaks: self.has_breaks };
        (self.has_collectives, self.has_breaks) = (outside.0 || iteration.has_collectives, outside.1);
        iteration
    }

    /// `round`: the number of an iteration.
    fn range(&mut self, counter: LocalId, range: &Range, round: Var, span: Span) -> Option<Order> {
        let runtime = self.function.runtime.clone();
        let of_round = self.name_tokens(round);
        let (start, end, inclusive, adapters) = match range {
            Range::GridStride { length, .. } => {
                let length = self.primal(length, Loss::Refused)?;
                let length = self.stable(length);
                let tokens = &length.tokens;
                let prelude = quote!(#runtime::prelude);
                let nth = quote!(#prelude::grid_1d() + #of_round * (#prelude::grid_dim().x * #prelude::block_dim().x));
                let nth = Some(Code::constant(nth).reading(round));
                let forward = Code::of(quote_spanned!(span=> #prelude::grid_stride(#tokens)), [&length]);
                return Some(Order { forward, backward: None, turned: None, rounds: None, nth });
            }
            Range::Bounds { start, end, inclusive, adapters } => {
                let (start, end) = (self.primal(start, Loss::Refused)?, self.primal(end, Loss::Refused)?);
                (self.stable(start), self.stable(end), *inclusive, adapters)
            }
        };
        let (first, last) = (&start.tokens, &end.tokens);
        let mut forward =
            Code::of(if inclusive { quote_spanned!(span=> #first..=#last) } else { quote_spanned!(span=> #first..#last) }, [&start, &end]);
        if !adapters.is_empty() {
            let range = &forward.tokens;
            forward.tokens = quote!((#range));
        }
        // A range is reversed once, and before its steps.
        let mut backward = adapters.is_empty().then(|| {
            let range = &forward.tokens;
            quote!((#range).rev())
        });
        let (mut goes_down, mut stride) = (false, None);
        for adapter in adapters {
            let tokens = forward.tokens.clone();
            backward = matches!(adapter, RangeAdapter::Rev(_)).then(|| tokens.clone());
            match adapter {
                RangeAdapter::Rev(name) => {
                    goes_down = true;
                    forward.tokens = quote!(#tokens.#name());
                }
                RangeAdapter::StepBy { name, step, .. } => {
                    let step = self.primal(step, Loss::Refused)?;
                    let step = self.stable(step);
                    let by = &step.tokens;
                    forward = Code::of(quote!(#tokens.#name(#by)), [&forward, &step]);
                    stride = Some(by.clone());
                }
            }
        }
        let scalar = self.function.local(counter).ty.as_scalar();
        let is_plain = !inclusive && stride.is_none() && scalar == Some(Scalar::Usize);
        let turned = (is_plain && !goes_down).then(|| self.turned(first.clone(), last.clone()));
        let rounds = is_plain.then(|| Code::of(quote!(#last.saturating_sub(#first)), [&start, &end]).unstable());
        let distance = stride.map_or_else(|| of_round.clone(), |by| quote!(#of_round * #by));
        let nth = scalar.map(|scalar| {
            let ty = Ident::new(scalar.name(), span);
            match (scalar == Scalar::Usize, goes_down, inclusive) {
                (true, false, _) => quote!(#first + #distance),
                (true, true, false) => quote!(#last - 1 - #distance),
                (true, true, true) => quote!(#last - #distance),
                // The distance may exceed the type's largest number.
                (false, false, _) => quote!(#first.wrapping_add((#distance) as #ty)),
                (false, true, false) => quote!(#last.wrapping_sub(1).wrapping_sub((#distance) as #ty)),
                (false, true, true) => quote!(#last.wrapping_sub((#distance) as #ty)),
            }
        });
        let nth = nth.map(|tokens| Code::of(tokens, [&forward]).reading(round));
        let backward = backward.map(|tokens| Code { tokens, ..forward.clone() });
        Some(Order { forward, backward, turned, rounds, nth })
    }

    fn turned(&mut self, first: TokenStream, last: TokenStream) -> Turned {
        let runtime = &self.function.runtime;
        let thread = quote!(#runtime::prelude::grid_1d());
        let [count, start, turn] = ["count", "start", "turn"].map(|name| Ident::new(&self.unique(name), Span::mixed_site()));
        Turned { first, last, count, start, turn, thread }
    }

    /// `while condition`, or `loop`.
    pub(super) fn while_loop(&mut self, label: LabelId, condition: Option<&Expr>, body: &Block, span: Span) -> Option<()> {
        let head = match condition {
            Some(condition) => {
                let condition = self.lazily(|reverse| reverse.condition(condition))?;
                let tokens = &condition.tokens;
                Code { tokens: quote_spanned!(span=> while #tokens), ..condition }
            }
            None => Code::constant(quote_spanned!(span=> loop)),
        };
        let round = self.fresh("round");
        let mut iteration = self.iteration(label, body);
        self.expose_condition(&mut iteration.frame, &head);
        self.repeat(Repeated { counter: None, head, backward: None, turned: None, rounds: None, round, span }, iteration)
    }

    /// A loop. Its iterations are computed again in the order of the forward sweep, if that makes no difference for the gradients, so that variables
    /// that change have their values; else from the last to the first, each from the values that it began with.
    fn repeat(&mut self, of: Repeated, iteration: Iteration) -> Option<()> {
        let Iteration { forward, reverse, frame, has_collectives, has_breaks } = iteration;
        let counter = of.counter.as_ref().map(|counter| counter.var);
        let once = Step::Loop { counter, head: of.head.clone(), body: forward.clone(), turned: None };
        if reverse.is_empty() {
            self.push(vec![once], Vec::new());
            return self.leave_loop_frame(&frame, &forward, &[], of.span);
        }
        let full = forward.clone();
        let (mut forward, mut fence) = self.iteration_again(forward, &frame);
        let mut both = [forward.clone(), reverse].concat();
        let again = Step::Loop { counter, head: of.head.clone(), body: both.clone(), turned: None };
        let outside = Outside::of(std::slice::from_ref(&again));
        let is_gradient = |var: &Var| self.variables[var.0].is_gradient;
        let depends_on_order = |(var, is_sum): (&Var, &bool)| is_gradient(var) && (!is_sum || outside.reads.contains(var));
        let has_order = outside.takes || outside.sets.iter().any(depends_on_order);
        let wanted: Vec<Var> = outside.sets.keys().copied().filter(|var| is_gradient(var)).collect();
        let needed = find_needed(std::slice::from_ref(&again), wanted);
        let mut carried: Vec<Var> = outside.sets.keys().copied().filter(|var| !is_gradient(var) && needed.contains(var)).collect();
        carried.retain(|var| !self.is_shared(*var));
        carried.sort();
        self.check_carried_arrays(&frame, &full, &outside, &needed, of.span)?;
        let (mut arrays, snapshots) = self.carry_arrays(&frame, &full, &needed);
        self.push(snapshots, Vec::new());
        let versions = self.own_versions(&full);
        // What only leads to an iteration may need less than the iteration itself.
        let mut leading = self.own_versions(&full);
        arrays.iter_mut().for_each(|carried| {
            leading.insert(carried.array, versions[&carried.array]);
            carried.array = versions[&carried.array];
        });
        rename(&mut forward, &leading);
        [&mut fence, &mut both].into_iter().for_each(|steps| rename(steps, &versions));
        let (head, turned) = match of.backward.clone() {
            _ if has_breaks => return self.replay(Repeated { rounds: None, ..of }, full, Again { forward, both, fence, carried, arrays }),
            _ if !arrays.is_empty() => return self.replay(of, full, Again { forward, both, fence, carried, arrays }),
            // Another order for each thread, if nothing is carried from one iteration to the next and they are not together in one.
            _ if !has_order => (of.head, of.turned.filter(|_| carried.is_empty() && !has_collectives)),
            Some(backward) if carried.is_empty() => (backward, None),
            _ => return self.replay(of, full, Again { forward, both, fence, carried, arrays }),
        };
        let body = [fence, both].concat();
        let (before, again) = self.again(vec![Step::Loop { counter, head, body, turned }]);
        self.push([before, vec![once]].concat(), vec![Step::Scope(again)]);
        Some(())
    }

    /// `body`: the forward sweep of an iteration.
    fn replay(&mut self, of: Repeated, mut body: Vec<Step>, again: Again) -> Option<()> {
        let Again { forward, both, fence, carried, arrays } = again;
        let counter = match of.counter {
            Some(Counter { var, nth: None }) => {
                let name = self.variables[var.0].name.clone();
                return self.refuse(
                    name.span(),
                    format!("the type of the counter `{name}` is not known\nhelp: write it at a bound of the range, such as `0usize..n`"),
                );
            }
            Some(Counter { var, nth: Some(nth) }) => Some((var, nth)),
            None => None,
        };
        let rounds = match of.rounds {
            Some(rounds) => rounds,
            None => {
                let name = Ident::new(&self.unique("count"), Span::mixed_site());
                let count = self.variable(Variable { name, is_mutable: true, of: None, is_gradient: false });
                self.push(vec![let_step(count, None, Code::constant(quote!(0usize)))], Vec::new());
                body.insert(0, Step::Set { var: count, is_sum: true, value: Code::constant(quote!(1)) });
                self.read(count, Span::mixed_site())
            }
        };
        let once = Step::Loop { counter: counter.as_ref().map(|(var, _)| *var), head: of.head, body, turned: None };
        let of_rounds = self.fresh("rounds");
        let after = let_step(of_rounds, None, rounds);
        let rounds = self.read(of_rounds, Span::mixed_site());
        let name = |reverse: &mut Self, base: &str| Ident::new(&reverse.unique(base), Span::mixed_site());
        let carried = carried.into_iter().map(|var| {
            let of = word(&self.variables[var.0].name);
            Carried { var, far: name(self, &format!("{of}_far")), near: name(self, &format!("{of}_near")) }
        });
        let carried = carried.collect();
        let [far, near, part, first, end, last] = ["far", "near", "part", "first", "end", "last"].map(|base| name(self, base));
        let names = Names { far, near, part, first, end, last };
        let once_more = self.with_own_variables(without_breaks(forward));
        let replay =
            Replay { rounds, round: of.round, counter, carried, arrays, once: once_more, both: without_breaks(both), fence, names };
        let (before, again) = self.again(vec![Step::Replay(replay)]);
        self.push([before, vec![once, after]].concat(), vec![Step::Scope(again)]);
        Some(())
    }
}

/// What is computed in each iteration.
struct Iteration {
    forward: Vec<Step>,
    reverse: Vec<Step>,
    frame: Frame,
    has_collectives: bool,
    has_breaks: bool,
}

/// An iteration as the backward sweep computes it again.
struct Again {
    forward: Vec<Step>,
    both: Vec<Step>,
    fence: Vec<Step>,
    /// The variables whose values it needs.
    carried: Vec<Var>,
    arrays: Vec<CarriedArray>,
}

/// A loop of the user's.
struct Repeated {
    counter: Option<Counter>,
    head: Code,
    /// With the iterations in reverse order, if there is such a range.
    backward: Option<Code>,
    turned: Option<Turned>,
    /// How many iterations there are, where that is known without going through them.
    rounds: Option<Code>,
    /// The number of an iteration.
    round: Var,
    span: Span,
}

struct Counter {
    var: Var,
    /// Its value by the number of the iteration, if its type is known.
    nth: Option<Code>,
}

/// The order in which a loop goes through a range.
struct Order {
    forward: Code,
    backward: Option<Code>,
    turned: Option<Turned>,
    rounds: Option<Code>,
    nth: Option<Code>,
}
