//! The statements of an adjoint kernel, before they are printed: which of them are needed is decided when all are known.

use super::own::{Access, Element, Zeroed};
use super::replay::Replay;
use super::snapshots::Snapshot;
use crate::model::{Member, RuntimePath};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use std::collections::{HashMap, HashSet};

/// A variable of the adjoint kernel, by its number. Two may have one name, where they stand in different blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Var(pub(super) usize);

/// An expression, and the variables that it reads.
#[derive(Clone)]
pub(super) struct Code {
    pub(super) tokens: TokenStream,
    pub(super) reads: Vec<Var>,
    /// It reads nothing that changes and costs nothing: it may stand a second time where its variables are in scope.
    pub(super) is_stable: bool,
}

impl Code {
    /// Of literals and names of constants.
    pub(super) fn constant(tokens: TokenStream) -> Code {
        Code { tokens, reads: Vec::new(), is_stable: true }
    }

    /// An expression of `tokens` that consists of these.
    pub(super) fn of<'c>(tokens: TokenStream, parts: impl IntoIterator<Item = &'c Code>) -> Code {
        let mut code = Code::constant(tokens);
        for part in parts {
            code.reads.extend(&part.reads);
            code.is_stable &= part.is_stable;
        }
        code
    }

    pub(super) fn unstable(self) -> Code {
        Code { is_stable: false, ..self }
    }

    fn renamed(&mut self, names: &HashMap<Var, Var>) {
        for read in &mut self.reads {
            *read = *names.get(read).unwrap_or(read);
        }
    }
}

/// An element of a parameter, or a number in it.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) param: usize,
    pub(super) indices: Vec<Code>,
    /// `view[[i, j]]`
    pub(super) is_view: bool,
    /// The fields of the element, and indices of arrays in it, that lead to the number.
    pub(super) path: Vec<Projection>,
}

#[derive(Clone)]
pub(super) enum Projection {
    Field(Member),
    Index(Code),
}

impl Place {
    /// That of the gradient by a parameter that is no array.
    pub(super) fn of_number(param: usize, span: Span) -> Place {
        Place { param, indices: vec![Code::constant(quote_spanned!(span=> 0))], is_view: false, path: Vec::new() }
    }

    /// `array[index].field`
    pub(super) fn tokens(&self, array: &Ident, span: Span) -> TokenStream {
        let (indices, path) = (self.indices.iter().map(|index| &index.tokens), self.path.iter().map(Projection::tokens));
        match self.is_view {
            true => quote_spanned!(span=> #array[[#(#indices),*]] #(#path)*),
            false => quote_spanned!(span=> #array[#(#indices)*] #(#path)*),
        }
    }

    /// `view[[index, …]]`, of the view that has this number of each element.
    pub(super) fn tokens_of_part(&self, view: &Ident, span: Span) -> TokenStream {
        let indices = self.codes().map(|index| &index.tokens);
        quote_spanned!(span=> #view[[#(#indices),*]])
    }

    /// The fields that lead to the number, of an element or of arrays in it.
    pub(super) fn fields(&self) -> Vec<&Member> {
        fn field(part: &Projection) -> Option<&Member> {
            match part {
                Projection::Field(member) => Some(member),
                Projection::Index(_) => None,
            }
        }
        self.path.iter().filter_map(field).collect()
    }

    pub(super) fn codes(&self) -> impl Iterator<Item = &Code> {
        let inner = self.path.iter().filter_map(|part| match part {
            Projection::Field(_) => None,
            Projection::Index(index) => Some(index),
        });
        self.indices.iter().chain(inner)
    }

    fn codes_mut(&mut self) -> impl Iterator<Item = &mut Code> {
        let inner = self.path.iter_mut().filter_map(|part| match part {
            Projection::Field(_) => None,
            Projection::Index(index) => Some(index),
        });
        self.indices.iter_mut().chain(inner)
    }
}

impl Projection {
    pub(super) fn tokens(&self) -> TokenStream {
        match self {
            Projection::Field(member) => quote!(.#member),
            Projection::Index(Code { tokens, .. }) => quote!([#tokens]),
        }
    }
}

#[derive(Clone)]
pub(super) enum Step {
    /// `let name: ty = value;`
    Let {
        var: Var,
        ty: Option<TokenStream>,
        value: Code,
    },
    /// `let (a, b) = value;`
    Parts {
        vars: Vec<Var>,
        pattern: TokenStream,
        value: Code,
    },
    /// `name = value;`, or with `is_sum` `name += value;`
    Set {
        var: Var,
        is_sum: bool,
        value: Code,
    },
    /// The gradient of a parameter grows by `value` there.
    Add {
        place: Place,
        value: Code,
        span: Span,
    },
    /// `let name = gradient[index]; gradient[index] = 0;`: an element was overwritten, so what was there before has no part in the result.
    Take {
        var: Var,
        zero: TokenStream,
        place: Place,
        span: Span,
    },
    /// Of an array of the kernel's own, or of its gradient.
    Element(Element),
    /// `name = value;` in a branch, of an element of shared memory: the backward sweep enters the branch again, and has this value instead of what is
    /// in shared memory then.
    Keep {
        var: Var,
        value: Code,
    },
    /// `sync_threads();`, for these shared arrays.
    Barrier(Vec<Var>),
    /// A copy of a shared array.
    Snapshot(Snapshot),
    /// The gradient of a shared array, which begins with zero.
    Zeroed(Zeroed),
    /// `if condition { return; }` or `continue`.
    Exit {
        condition: Code,
        exit: TokenStream,
    },
    /// Of the loop, in its forward sweep.
    Break,
    If {
        condition: Code,
        then: Vec<Step>,
        otherwise: Vec<Step>,
    },
    /// The loop `head`, a `for` over a range or a `while`.
    Loop {
        counter: Option<Var>,
        head: Code,
        body: Vec<Step>,
        /// How its iterations can come in another order for each thread, if their order makes no difference.
        turned: Option<Turned>,
    },
    Replay(Replay),
    Scope(Vec<Step>),
}

/// A loop over a range of `usize` that each thread enters at another place. Where all threads add to the element of the same iteration, they would
/// wait for each other.
#[derive(Clone)]
pub(super) struct Turned {
    pub(super) first: TokenStream,
    pub(super) last: TokenStream,
    /// Names of variables: the number of iterations, the one that a thread begins with, and the one that it would be at.
    pub(super) count: Ident,
    pub(super) start: Ident,
    pub(super) turn: Ident,
    /// `grid_1d()`
    pub(super) thread: TokenStream,
}

/// What a step does, for those that ask about variables.
impl Step {
    /// The expressions directly in it.
    fn codes(&self) -> Vec<&Code> {
        match self {
            Step::Let { value, .. } | Step::Parts { value, .. } | Step::Set { value, .. } | Step::Keep { value, .. } => vec![value],
            Step::Add { place, value, .. } => place.codes().chain([value]).collect(),
            Step::Take { place, .. } => place.codes().collect(),
            Step::Exit { condition, .. } | Step::If { condition, .. } => vec![condition],
            Step::Loop { head, .. } => vec![head],
            Step::Replay(replay) => replay.codes(),
            Step::Element(element) => element.codes(),
            Step::Zeroed(zeroed) => zeroed.extents.codes(),
            Step::Break | Step::Scope(_) | Step::Barrier(_) | Step::Snapshot(_) => Vec::new(),
        }
    }

    fn codes_mut(&mut self) -> Vec<&mut Code> {
        match self {
            Step::Let { value, .. } | Step::Parts { value, .. } | Step::Set { value, .. } | Step::Keep { value, .. } => vec![value],
            Step::Add { place, value, .. } => place.codes_mut().chain([value]).collect(),
            Step::Take { place, .. } => place.codes_mut().collect(),
            Step::Exit { condition, .. } | Step::If { condition, .. } => vec![condition],
            Step::Loop { head, .. } => vec![head],
            Step::Replay(replay) => replay.codes_mut(),
            Step::Element(element) => element.codes_mut(),
            Step::Break | Step::Scope(_) | Step::Barrier(_) | Step::Zeroed(_) | Step::Snapshot(_) => Vec::new(),
        }
    }

    fn blocks(&self) -> Vec<&Vec<Step>> {
        match self {
            Step::If { then, otherwise, .. } => vec![then, otherwise],
            Step::Loop { body, .. } | Step::Scope(body) => vec![body],
            Step::Replay(Replay { once, both, fence, .. }) => vec![once, both, fence],
            _ => Vec::new(),
        }
    }

    pub(super) fn blocks_mut(&mut self) -> Vec<&mut Vec<Step>> {
        match self {
            Step::If { then, otherwise, .. } => vec![then, otherwise],
            Step::Loop { body, .. } | Step::Scope(body) => vec![body],
            Step::Replay(Replay { once, both, fence, .. }) => vec![once, both, fence],
            _ => Vec::new(),
        }
    }

    /// The variables that it declares.
    fn declared(&self) -> Vec<Var> {
        match self {
            Step::Let { var, .. } | Step::Take { var, .. } | Step::Loop { counter: Some(var), .. } => vec![*var],
            Step::Parts { vars, .. } => vars.clone(),
            Step::Replay(replay) => replay.declared(),
            Step::Element(Element { access: Access::Take { var, .. }, .. }) => vec![*var],
            Step::Zeroed(zeroed) => vec![zeroed.var],
            Step::Snapshot(snapshot) => vec![snapshot.into],
            _ => Vec::new(),
        }
    }

    pub(super) fn for_each<'s>(&'s self, visit: &mut dyn FnMut(&'s Step)) {
        visit(self);
        self.blocks().into_iter().flatten().for_each(|step| step.for_each(visit));
    }
}

/// What happens to the variables that come from outside of some steps.
#[derive(Default)]
pub(super) struct Outside {
    pub(super) reads: HashSet<Var>,
    /// Those that are set, and whether all that happens to them is that something is added.
    pub(super) sets: HashMap<Var, bool>,
    pub(super) takes: bool,
}

impl Outside {
    pub(super) fn of(steps: &[Step]) -> Outside {
        let mut outside = Outside::default();
        let mut declared = HashSet::new();
        for step in steps {
            step.for_each(&mut |step| {
                declared.extend(step.declared());
                outside.reads.extend(step.codes().into_iter().flat_map(|code| &code.reads));
                if let Step::Snapshot(snapshot) = step {
                    outside.reads.insert(snapshot.of);
                }
                outside.takes |= matches!(step, Step::Take { .. });
                if let Step::Set { var, is_sum, .. } = step {
                    *outside.sets.entry(*var).or_insert(true) &= is_sum;
                }
                if let Step::Element(element) = step
                    && let Some(is_sum) = element.changes()
                {
                    *outside.sets.entry(element.array).or_insert(true) &= is_sum;
                }
            });
        }
        outside.reads.retain(|var| !declared.contains(var));
        outside.sets.retain(|var, _| !declared.contains(var));
        outside
    }
}

/// The steps of an iteration without what ends the loop around it.
pub(super) fn without_breaks(mut steps: Vec<Step>) -> Vec<Step> {
    steps.retain(|step| !matches!(step, Step::Break));
    for step in &mut steps {
        if let Step::If { .. } | Step::Scope(_) = step {
            step.blocks_mut().into_iter().for_each(|block| *block = without_breaks(std::mem::take(block)));
        }
    }
    steps
}

/// The variables that `steps` declare.
pub(super) fn declared_in(steps: &[Step]) -> HashSet<Var> {
    let mut declared = HashSet::new();
    steps.iter().for_each(|step| step.for_each(&mut |step| declared.extend(step.declared())));
    declared
}

/// `steps` with other variables, which have the same names.
pub(super) fn rename(steps: &mut [Step], names: &HashMap<Var, Var>) {
    for step in steps {
        step.codes_mut().into_iter().for_each(|code| code.renamed(names));
        match step {
            Step::Let { var, .. }
            | Step::Take { var, .. }
            | Step::Set { var, .. }
            | Step::Keep { var, .. }
            | Step::Loop { counter: Some(var), .. } => {
                *var = *names.get(var).unwrap_or(var);
            }
            Step::Snapshot(Snapshot { into, of, .. }) => [into, of].into_iter().for_each(|var| *var = *names.get(var).unwrap_or(var)),
            Step::Element(element) => element.vars_mut().into_iter().for_each(|var| *var = *names.get(var).unwrap_or(var)),
            Step::Parts { vars, .. } | Step::Barrier(vars) => vars.iter_mut().for_each(|var| *var = *names.get(var).unwrap_or(var)),
            Step::Replay(replay) => replay.vars_mut().into_iter().for_each(|var| *var = *names.get(var).unwrap_or(var)),
            _ => {}
        }
        step.blocks_mut().into_iter().for_each(|block| rename(block, names));
    }
}

/// The variables that are needed for what `steps` do to arrays and to the variables `wanted`.
pub(super) fn find_needed(steps: &[Step], wanted: impl IntoIterator<Item = Var>) -> HashSet<Var> {
    let mut needed: HashSet<Var> = wanted.into_iter().collect();
    loop {
        let before = needed.len();
        steps.iter().for_each(|step| {
            mark(step, &mut needed);
        });
        if needed.len() == before {
            return needed;
        }
    }
}

/// Whether the step is needed. Then so is what it reads.
fn mark(step: &Step, needed: &mut HashSet<Var>) -> bool {
    let mut is_needed = match step {
        Step::Let { var, .. } | Step::Set { var, .. } | Step::Keep { var, .. } => needed.contains(var),
        Step::Parts { vars, .. } | Step::Barrier(vars) => vars.iter().any(|var| needed.contains(var)),
        Step::Element(element) => element.is_needed(needed),
        Step::Zeroed(zeroed) => needed.contains(&zeroed.var),
        Step::Snapshot(snapshot) => needed.contains(&snapshot.into),
        // It decides about all other iterations.
        Step::Add { .. } | Step::Take { .. } | Step::Break => true,
        Step::Exit { .. } | Step::If { .. } | Step::Loop { .. } | Step::Replay(_) | Step::Scope(_) => false,
    };
    for block in step.blocks() {
        let mut has_needed = false;
        for step in block {
            has_needed |= mark(step, needed);
        }
        if has_needed {
            // Where a block has an exit, it decides about all that comes after it.
            let exits = block.iter().filter(|step| matches!(step, Step::Exit { .. }));
            exits.for_each(|exit| exit.codes().into_iter().for_each(|code| needed.extend(&code.reads)));
        }
        is_needed |= has_needed;
    }
    if is_needed {
        match step {
            Step::Snapshot(snapshot) => needed.extend([snapshot.of]),
            Step::Replay(replay) => needed.extend(replay.arrays.iter().map(|carried| carried.before)),
            _ => {}
        }
        step.codes().into_iter().for_each(|code| needed.extend(&code.reads));
    }
    is_needed
}

/// Removes what is not needed. The exits of the function itself are kept.
pub(super) fn remove_unneeded(steps: &mut Vec<Step>) {
    let exits: Vec<Var> = steps
        .iter()
        .filter(|step| matches!(step, Step::Exit { .. }))
        .flat_map(|step| step.codes().into_iter().flat_map(|code| code.reads.clone()).collect::<Vec<_>>())
        .collect();
    let needed = find_needed(steps, exits);
    sweep(steps, &needed);
}

fn sweep(steps: &mut Vec<Step>, needed: &HashSet<Var>) {
    for step in steps.iter_mut() {
        step.blocks_mut().into_iter().for_each(|block| sweep(block, needed));
    }
    steps.retain(|step| match step {
        Step::Let { var, .. } | Step::Set { var, .. } | Step::Keep { var, .. } => needed.contains(var),
        Step::Parts { vars, .. } | Step::Barrier(vars) => vars.iter().any(|var| needed.contains(var)),
        Step::Element(element) => element.is_needed(needed),
        Step::Zeroed(zeroed) => needed.contains(&zeroed.var),
        Step::Snapshot(snapshot) => needed.contains(&snapshot.into),
        Step::Add { .. } | Step::Take { .. } | Step::Exit { .. } | Step::Break => true,
        Step::If { .. } | Step::Loop { .. } | Step::Replay(_) | Step::Scope(_) => {
            step.blocks().into_iter().flatten().any(|step| !matches!(step, Step::Exit { .. }))
        }
    });
}

/// What printing needs to know.
pub(super) struct Printer<'p> {
    pub(super) names: &'p [Ident],
    /// The names of the parameters.
    pub(super) parameters: &'p dyn Fn(usize) -> &'p Ident,
    /// How the gradient of a parameter grows by a value: its statement.
    pub(super) add: &'p dyn Fn(&Place, &TokenStream, Span) -> TokenStream,
    /// Whether that is an atomic.
    pub(super) is_atomic: &'p dyn Fn(usize) -> bool,
    /// Whether the elements of this array, the gradient of one in shared memory, are atomics.
    pub(super) has_atomics: &'p dyn Fn(Var) -> bool,
    pub(super) runtime: &'p RuntimePath,
}

impl Printer<'_> {
    pub(super) fn print(&self, steps: &[Step]) -> TokenStream {
        steps.iter().map(|step| self.print_step(step)).collect()
    }

    pub(super) fn name(&self, var: Var) -> &Ident {
        &self.names[var.0]
    }

    fn print_step(&self, step: &Step) -> TokenStream {
        let name = |var: &Var| self.name(*var);
        match step {
            Step::Let { var, ty, value } => {
                let (name, value) = (name(var), &value.tokens);
                let ty = ty.as_ref().map(|ty| quote!(: #ty));
                quote!(let mut #name #ty = #value;)
            }
            Step::Parts { pattern, value, .. } => {
                let value = &value.tokens;
                quote!(let #pattern = #value;)
            }
            Step::Set { var, is_sum, value } => {
                let (name, value) = (name(var), &value.tokens);
                if *is_sum { quote!(#name += #value;) } else { quote!(#name = #value;) }
            }
            Step::Add { place, value, span } => (self.add)(place, &value.tokens, *span),
            Step::Take { var, zero, place, span } => {
                let (name, place) = (name(var), place.tokens((self.parameters)(place.param), *span));
                quote!(let #name = #place; #place = #zero;)
            }
            Step::Element(element) => self.print_element(element),
            Step::Keep { var, value } => {
                let (name, value) = (name(var), &value.tokens);
                quote!(#name = #value;)
            }
            Step::Barrier(_) => {
                let runtime = self.runtime;
                quote!(#runtime::prelude::sync_threads();)
            }
            Step::Zeroed(zeroed) => self.print_zeroed(zeroed),
            Step::Snapshot(snapshot) => self.print_snapshot(snapshot),
            Step::Exit { condition, exit } => {
                let condition = &condition.tokens;
                quote!(if #condition { #exit; })
            }
            Step::Break => quote!(break;),
            Step::If { condition, then, otherwise } => {
                let (condition, then) = (&condition.tokens, self.print(then));
                let otherwise = (!otherwise.is_empty()).then(|| {
                    let otherwise = self.print(otherwise);
                    quote!(else { #otherwise })
                });
                quote!(if #condition { #then } #otherwise)
            }
            Step::Loop { counter: Some(counter), body, turned: Some(turned), .. } if self.is_contended(*counter, body) => {
                self.print_turned(turned, name(counter), body)
            }
            Step::Loop { head, body, .. } => {
                let (head, body) = (&head.tokens, self.print(body));
                quote!(#head { #body })
            }
            Step::Replay(replay) => self.print_replay(replay),
            Step::Scope(steps) => {
                let steps = self.print(steps);
                quote!({ #steps })
            }
        }
    }

    /// Whether all threads that are in the same iteration add to the same element.
    fn is_contended(&self, counter: Var, body: &[Step]) -> bool {
        let mut is_contended = false;
        body.iter().for_each(|step| {
            step.for_each(&mut |step| {
                match step {
                    Step::Add { place: Place { param, indices, .. }, .. } => {
                        let mut reads = indices.iter().flat_map(|index| &index.reads).peekable();
                        is_contended |= (self.is_atomic)(*param) && reads.peek().is_some() && reads.all(|read| *read == counter);
                    }
                    // Of a row, it is for the threads of the row.
                    Step::Element(Element { array, indices, access: Access::Add { .. }, .. }) => {
                        let is_counter = |index: &Code| !index.reads.is_empty() && index.reads.iter().all(|read| *read == counter);
                        is_contended |= (self.has_atomics)(*array) && indices.iter().any(is_counter);
                    }
                    _ => {}
                }
            });
        });
        is_contended
    }

    fn print_turned(&self, turned: &Turned, counter: &Ident, body: &[Step]) -> TokenStream {
        let Turned { first, last, count, start, turn, thread } = turned;
        let body = self.print(body);
        quote! {
            if #first < #last {
                let #count = #last - #first;
                let #start = #thread % #count;
                for #turn in #first..#last {
                    let #counter = if #turn < #last - #start { #turn + #start } else { #turn - (#count - #start) };
                    #body
                }
            }
        }
    }
}
