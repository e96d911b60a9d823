//! Loops backward, in which what an iteration begins with is needed.

use super::snapshots::CarriedArray;
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
    /// What iterations need of shared memory.
    pub(super) arrays: Vec<CarriedArray>,
    /// The forward sweep of an iteration.
    pub(super) once: Vec<Step>,
    /// Both sweeps.
    pub(super) both: Vec<Step>,
    /// A barrier before an iteration is computed again, which other threads may not have left yet.
    pub(super) fence: Vec<Step>,
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
        let arrays = self.arrays.iter_mut().flat_map(|carried| [&mut carried.array, &mut carried.before]);
        std::iter::once(&mut self.round)
            .chain(counter)
            .chain(self.carried.iter_mut().map(|carried| &mut carried.var))
            .chain(arrays)
            .collect()
    }
}

impl Printer<'_> {
    pub(super) fn print_replay(&self, replay: &Replay) -> TokenStream {
        let Replay { rounds, round, counter, carried, arrays, once, both, fence, names } = replay;
        let Names { far, near, part, first, end, last } = names;
        let (rounds, round, count) = (&rounds.tokens, self.name(*round), Literal::usize_unsuffixed(SNAPSHOTS));
        let iteration = |steps: &[Step]| {
            let counter = counter.as_ref().map(|(var, value)| (self.name(*var), &value.tokens));
            let counter = counter.map(|(name, value)| quote!(let #name = #value;));
            let steps = self.print(steps);
            quote!(#counter #steps)
        };
        let (both, fence) = (iteration(both), self.print(fence));
        if carried.is_empty() && arrays.is_empty() {
            return quote!(for #round in (0..#rounds).rev() { #fence #both });
        }
        let once = iteration(once);
        let declare: TokenStream = carried
            .iter()
            .map(|Carried { var, far, near }| {
                let var = self.name(*var);
                quote!(let mut #far = [#var; #count]; let mut #near = [#var; #count];)
            })
            .chain(arrays.iter().map(|CarriedArray { array, before, shares, far, near }| {
                let (far, near) = (shares.declare(far, SNAPSHOTS), shares.declare(near, SNAPSHOTS));
                let restore = self.copy_shares(shares, *array, self.name(*before), &quote!(0), true);
                quote!(#far #near #restore)
            }))
            .collect();
        let keep = |is_far: bool, at: &TokenStream| -> TokenStream {
            let variables = carried.iter().map(|Carried { var, far, near }| {
                let (var, of) = (self.name(*var), if is_far { far } else { near });
                quote!(#of[#at] = #var;)
            });
            let arrays = arrays.iter().map(|CarriedArray { array, shares, far, near, .. }| {
                self.copy_shares(shares, *array, if is_far { far } else { near }, at, false)
            });
            variables.chain(arrays).collect()
        };
        let take = |is_far: bool| -> TokenStream {
            let variables = carried.iter().map(|Carried { var, far, near }| {
                let (var, of) = (self.name(*var), if is_far { far } else { near });
                quote!(#var = #of[#part];)
            });
            let arrays = arrays.iter().map(|CarriedArray { array, shares, far, near, .. }| {
                self.copy_shares(shares, *array, if is_far { far } else { near }, &quote!(#part), true)
            });
            variables.chain(arrays).collect()
        };
        let (keep_far, keep_near) = (keep(true, &quote!(#round / #far)), keep(false, &quote!((#round - #first) / #near)));
        let (take_far, take_near) = (take(true), take(false));
        quote! {
            let #far = #rounds.div_ceil(#count).max(1);
            let #near = #far.div_ceil(#count);
            #declare
            #fence
            for #round in 0..#rounds {
                if #round % #far == 0 { #keep_far }
                #once
            }
            for #part in (0..#rounds.div_ceil(#far)).rev() {
                #take_far
                let #first = #part * #far;
                let #end = (#first + #far).min(#rounds);
                #fence
                for #round in #first..#end {
                    if (#round - #first) % #near == 0 { #keep_near }
                    #once
                }
                for #last in (#first..#end).rev() {
                    let #part = (#last - #first) / #near;
                    #fence
                    #take_near
                    for #round in #first + #part * #near..#last { #once }
                    let #round = #last;
                    #both
                }
            }
        }
    }
}
