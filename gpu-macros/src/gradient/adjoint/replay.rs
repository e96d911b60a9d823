//! Loops backward, in which what an iteration begins with is needed.

use super::step::{Code, Printer, Step, Var};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

/// How many snapshots of a variable there are at a time, in each of two arrays.
const SNAPSHOTS: usize = 32;

/// A loop from its last iteration to its first, each with the values that it begins with.
///
/// They are computed again, from snapshots of the variables that are carried from one iteration to the next: first a few of the whole loop, *far*
/// from each other, then, for the iterations between two of those, *near* ones. So each iteration is computed three times where there are at most the square
/// of [`SNAPSHOTS`], and the memory does not grow with the loop.
#[derive(Clone)]
pub(super) struct Replay {
    /// How many iterations there are.
    pub(super) rounds: Code,
    /// The number of an iteration.
    pub(super) round: Var,
    /// The user's counter in it.
    pub(super) counter: Option<(Var, Code)>,
    pub(super) carried: Vec<Carried>,
    /// The forward sweep of an iteration.
    pub(super) once: Vec<Step>,
    /// Both sweeps.
    pub(super) both: Vec<Step>,
    pub(super) names: Names,
}

#[derive(Clone)]
pub(super) struct Carried {
    pub(super) var: Var,
    /// The names of its snapshots.
    pub(super) far: Ident,
    pub(super) near: Ident,
}

/// The names of variables of the loop's own.
#[derive(Clone)]
pub(super) struct Names {
    /// The distance of two snapshots, in iterations.
    pub(super) far: Ident,
    pub(super) near: Ident,
    /// The number of a snapshot, and the iterations from it to the next one.
    pub(super) part: Ident,
    pub(super) first: Ident,
    pub(super) end: Ident,
    /// The iteration that is gone through backward.
    pub(super) last: Ident,
}

impl Replay {
    pub(super) fn codes(&self) -> Vec<&Code> {
        std::iter::once(&self.rounds).chain(self.counter.as_ref().map(|(_, value)| value)).collect()
    }

    pub(super) fn codes_mut(&mut self) -> Vec<&mut Code> {
        std::iter::once(&mut self.rounds).chain(self.counter.as_mut().map(|(_, value)| value)).collect()
    }

    pub(super) fn declared(&self) -> Vec<Var> {
        std::iter::once(self.round).chain(self.counter.as_ref().map(|(var, _)| *var)).collect()
    }

    /// All variables that it names itself.
    pub(super) fn vars_mut(&mut self) -> Vec<&mut Var> {
        let counter = self.counter.iter_mut().map(|(var, _)| var);
        std::iter::once(&mut self.round).chain(counter).chain(self.carried.iter_mut().map(|carried| &mut carried.var)).collect()
    }
}

impl Printer<'_> {
    pub(super) fn print_replay(&self, replay: &Replay) -> TokenStream {
        let Replay { rounds, round, counter, carried, once, both, names } = replay;
        let Names { far, near, part, first, end, last } = names;
        let (rounds, round, count) = (&rounds.tokens, self.name(*round), Literal::usize_unsuffixed(SNAPSHOTS));
        let iteration = |steps: &[Step]| {
            let counter = counter.as_ref().map(|(var, value)| (self.name(*var), &value.tokens));
            let counter = counter.map(|(name, value)| quote!(let #name = #value;));
            let steps = self.print(steps);
            quote!(#counter #steps)
        };
        let both = iteration(both);
        if carried.is_empty() {
            return quote!(for #round in (0..#rounds).rev() { #both });
        }
        let once = iteration(once);
        let for_each = |write: &dyn Fn(&Ident, &Carried) -> TokenStream| -> TokenStream {
            carried.iter().map(|carried| write(self.name(carried.var), carried)).collect()
        };
        let declare = for_each(&|var, Carried { far, near, .. }| quote!(let mut #far = [#var; #count]; let mut #near = [#var; #count];));
        let keep_far = for_each(&|var, carried| {
            let of = &carried.far;
            quote!(#of[#round / #far] = #var;)
        });
        let keep_near = for_each(&|var, carried| {
            let of = &carried.near;
            quote!(#of[(#round - #first) / #near] = #var;)
        });
        let take_far = for_each(&|var, carried| {
            let of = &carried.far;
            quote!(#var = #of[#part];)
        });
        let take_near = for_each(&|var, carried| {
            let of = &carried.near;
            quote!(#var = #of[#part];)
        });
        quote! {
            let #far = #rounds.div_ceil(#count).max(1);
            let #near = #far.div_ceil(#count);
            #declare
            for #round in 0..#rounds {
                if #round % #far == 0 { #keep_far }
                #once
            }
            for #part in (0..#rounds.div_ceil(#far)).rev() {
                #take_far
                let #first = #part * #far;
                let #end = (#first + #far).min(#rounds);
                for #round in #first..#end {
                    if (#round - #first) % #near == 0 { #keep_near }
                    #once
                }
                for #last in (#first..#end).rev() {
                    let #part = (#last - #first) / #near;
                    #take_near
                    for #round in #first + #part * #near..#last { #once }
                    let #round = #last;
                    #both
                }
            }
        }
    }
}
