//! `#[gpu_kernel(grad)]`: the adjoint of a kernel, a second kernel `grad` in the module of the first.
//!
//! It is written as Rust, from the typed model, and goes through the whole pipeline again: so it has its launcher, its twin, its proofs
//! and its messages as any other kernel. What it computes: let `out` be the arrays that the kernel writes, and `d_out` the
//! gradient of a number by their elements; it adds to `d_x` the gradient of that number by the elements of `x`, for each array of floats `x` that
//! the kernel reads.
//!
//! ```text
//! fn stencil(x: &[f32], w: &[f32], out: &mut [f32])
//! fn stencil_grad(x: &[f32], w: &[f32], d_out: &[f32], d_x: &[AtomicF32], d_w: &[AtomicF32]) {
//!     let i = grid_1d();
//!     if i >= d_out.len() { return; }        // guards are repeated
//!     for k in 0..w.len() {                  // `sum += x[i + k] * w[k]`, whose value nobody needs
//!         let t = x[i + k];                  // what the slopes need is computed again
//!         let t_2 = w[k];
//!         d_x[i + k].fetch_add(d_sum * t_2); // and the gradients go backward
//!         d_w[k].fetch_add(d_sum * t);
//!     }
//! }
//! ```
//!
//! Parameters keep their places, so what the proofs say about the kernel's launch holds for the adjoint's: a launch of the adjoint has the conditions
//! of both. A gradient is added to by a plain `+=` where that is proved free of data races without other conditions, else by atomics.
//!
//! Where a value that is needed may have been overwritten, there is an error and no gradient.
//! [`arrays`] has the arrays that a kernel declares, and [`memory`] what is special about those in shared memory.

mod activity;
mod apart;
mod arrays;
mod calls;
mod device;
mod loops;
mod memory;
mod own;
mod parameters;
mod primal;
mod replay;
mod reverse;
#[cfg(test)]
mod shared_tests;
mod snapshots;
mod statements;
mod step;
#[cfg(test)]
mod tests;
mod values;
mod writes;

use crate::check::Analysis;
use crate::editor::away;
use crate::emit::Source;
use crate::emit::rust::{expand_function, visibility_from_inside};
use crate::errors::Errors;
use crate::gradient::inward::two_modules_in;
use crate::host_tool::is_editor;
use crate::idents::{text_of, word, words_of};
use crate::lower::parse_kernel_options;
use crate::model::*;
use crate::pipeline::{Compiled, compile};
use apart::{Parted, Tree, take_apart};
pub(super) use device::{DeviceAdjoint, expand_device_adjoint, takes_parts};
use parameters::{Parameter, read_parameters, tokens_of, unique};
use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use reverse::Reverse;
use std::collections::HashSet;
use step::{Place, Printer, Step, Var, remove_unneeded};
use writes::find_repeated_writes;

/// The module with the adjoint, in the module of the kernel.
const MODULE: &str = "adjoint_of_this_kernel";

/// The adjoint of a device function, in the module of its derivatives.
const ADJOINT: &str = "adjoint";

/// The arguments of the attribute without `grad`, and where that stood.
pub(crate) fn take_grad(arguments: TokenStream) -> (Option<Span>, TokenStream) {
    let mut grad = None;
    let mut kept: Vec<Vec<TokenTree>> = vec![Vec::new()];
    for token in arguments.clone() {
        match token {
            TokenTree::Punct(comma) if comma.as_char() == ',' => kept.push(Vec::new()),
            other => kept.last_mut().expect("there is one").push(other),
        }
    }
    kept.retain(|argument| match &argument[..] {
        [TokenTree::Ident(name)] if name == "grad" && grad.is_none() => {
            grad = Some(name.span());
            false
        }
        _ => true,
    });
    if grad.is_none() {
        return (None, arguments);
    }
    let kept = kept.into_iter().filter(|argument| !argument.is_empty()).map(|argument| argument.into_iter().collect::<TokenStream>());
    (grad, quote!(#(#kept),*))
}

/// The expansion of a kernel with its adjoint.
pub(crate) fn with_adjoint(expansion: TokenStream, item: &syn::ItemFn, arguments: TokenStream, is_in_impl: bool) -> TokenStream {
    let errors = Errors::new();
    let (options, runtime, foreign) = parse_kernel_options(arguments.clone(), &errors);
    if foreign.is_some() || is_in_impl || !item.sig.generics.params.is_empty() {
        drop(errors.check());
        let message = match is_in_impl {
            true => "a kernel in an `impl` has no gradient\nhelp: move it out of the `impl`",
            false if foreign.is_some() => "a kernel that is not written in Rust has no gradient\nhelp: remove `grad`",
            false => "a generic kernel has no gradient\nhelp: write it for `f32` or `f64`",
        };
        let error = syn::Error::new(item.sig.ident.span(), message).into_compile_error();
        return quote!(#expansion #error);
    }
    let compiled = compile(Item::free(item, FunctionKind::Kernel(options), runtime), 0, &errors);
    let is_refused = errors.check().is_err();
    // What is wrong with the kernel itself has been reported.
    let Some(Compiled { mut function, output: Some((analysis, _)) }) = compiled.filter(|_| !is_refused) else { return expansion };
    let asserted = expand_same_scope(&function);
    let errors = Errors::new();
    let items = expand_adjoint(&mut function, &analysis, item, &arguments, &errors);
    match errors.check() {
        Ok(()) => {
            let items = items.unwrap_or_default();
            // The user's tokens are in the kernel itself.
            let items = if is_editor() { away(items, None) } else { items };
            let expansion = super::insert(expansion, &function.name, &items);
            quote!(#expansion #asserted)
        }
        Err(error) => {
            let error = error.into_compile_error();
            quote!(#expansion #error)
        }
    }
}

/// That the kernel stands in a module, if it names items: its gradient would see others from inside of a block.
fn expand_same_scope(function: &Function) -> Option<TokenStream> {
    let names_item = |expr: &Expr| matches!(expr.kind, ExprKind::Constant(_) | ExprKind::Call { .. });
    let mut names_items = !function.constants.is_empty();
    function.body.for_each_child(&mut |expr| names_items |= expr.any(&names_item));
    let name = &function.name;
    names_items.then(|| quote!(const _: fn(#name::Kernel) -> self::#name::Kernel = |kernel| kernel;))
}

fn expand_adjoint(
    function: &mut Function,
    analysis: &Analysis,
    item: &syn::ItemFn,
    arguments: &TokenStream,
    errors: &Errors,
) -> Option<TokenStream> {
    if let Some(first) = function.items.first() {
        let span = first.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span());
        errors.push(span, "an item in a kernel with a gradient is not supported\nhelp: move it out of the kernel");
        return None;
    }
    let arguments = &two_modules_in(arguments.clone());
    let adjoint = Adjoint::of(function, item, errors)?;
    let forward = &analysis.race_freedom;
    let (compiled, (mut of_adjoint, source), _) = adjoint.compile_plainest(arguments, forward, errors)?;
    of_adjoint.race_freedom = of_both(forward, &of_adjoint.race_freedom);
    // Between its barriers are the accesses of the kernel, in the order of the kernel or backward.
    if analysis.shared_races.is_empty() {
        of_adjoint.shared_races.clear();
    }
    let items = expand_function(&compiled, &of_adjoint, &source);
    let module = Ident::new(MODULE, Span::call_site());
    let name = &compiled.name;
    let asserted = &adjoint.asserted;
    let vis = visibility_from_inside(&function.vis);
    Some(quote_spanned! {Span::mixed_site()=>
        #[doc(hidden)]
        #[allow(warnings, clippy::all, clippy::pedantic)]
        pub mod #module {
            use super::super::*;
            #(#asserted)*
            #items
        }
        #[allow(warnings)]
        #vis use self::#module::#name as grad;
    })
}

/// Whether what is proved has no conditions that the forward kernel does not have.
fn is_as_safe(proof: &RaceFreedom, forward: &RaceFreedom) -> bool {
    let (grid, block, known) = match forward {
        RaceFreedom::Proved { grid_axes, block_axes, conditions } => (*grid_axes, *block_axes, &conditions[..]),
        RaceFreedom::Unproved(_) => (3, 3, &[][..]),
    };
    match proof {
        RaceFreedom::Proved { grid_axes, block_axes, conditions } => {
            *grid_axes >= grid
                && *block_axes >= block
                && conditions.iter().all(|condition| known.iter().any(|known| known.inequality == condition.inequality))
        }
        RaceFreedom::Unproved(_) => false,
    }
}

/// A launch of the adjoint is one that both proofs allow: the adjoint of a launch that does not exist is not computed either.
fn of_both(forward: &RaceFreedom, adjoint: &RaceFreedom) -> RaceFreedom {
    match (forward, adjoint) {
        (
            RaceFreedom::Proved { grid_axes, block_axes, conditions },
            RaceFreedom::Proved { grid_axes: other_grid, block_axes: other_block, conditions: others },
        ) => {
            let mut conditions = conditions.clone();
            for other in others {
                if !conditions.iter().any(|known| known.inequality == other.inequality) {
                    conditions.push(other.clone());
                }
            }
            RaceFreedom::Proved { grid_axes: *grid_axes.min(other_grid), block_axes: *block_axes.min(other_block), conditions }
        }
        (RaceFreedom::Unproved(_), _) => forward.clone(),
        (_, RaceFreedom::Unproved(_)) => adjoint.clone(),
    }
}

/// The adjoint, but for how its gradients are added to.
struct Adjoint<'f> {
    function: &'f Function,
    name: Ident,
    parameters: Vec<Parameter>,
    steps: Vec<Step>,
    names: Vec<Ident>,
    asserted: Vec<TokenStream>,
    /// The gradients of shared arrays.
    shared: Vec<Var>,
    /// Of each parameter of structs, tuples or arrays, the numbers whose gradients are added to.
    parts: Vec<Vec<GradientPart>>,
}

/// The numbers of one field of all elements.
struct GradientPart {
    members: Vec<Member>,
    /// Of the view that has their gradients, where these are atomics.
    name: Ident,
    scalar: Scalar,
    /// Of arrays of them in each element.
    lengths: Vec<TokenStream>,
}

/// The gradients that are added to without atomics.
#[derive(Clone, Default)]
struct Plain {
    params: HashSet<usize>,
    shared: HashSet<Var>,
}

impl Plain {
    /// One of them, each.
    fn each(&self) -> Vec<Plain> {
        let mut params: Vec<_> = self.params.iter().collect();
        let mut shared: Vec<_> = self.shared.iter().collect();
        params.sort();
        shared.sort();
        let params = params.into_iter().map(|param| Plain { params: [*param].into(), ..Plain::default() });
        params.chain(shared.into_iter().map(|array| Plain { shared: [*array].into(), ..Plain::default() })).collect()
    }

    fn with(&self, other: Plain) -> Plain {
        Plain { params: &self.params | &other.params, shared: &self.shared | &other.shared }
    }
}

impl<'f> Adjoint<'f> {
    fn of(function: &'f mut Function, item: &syn::ItemFn, errors: &Errors) -> Option<Self> {
        let before = errors.count();
        let Parted { mut shapes, of_parameters } = take_apart(function, None, errors);
        if errors.count() > before {
            return None;
        }
        let function = &*function;
        let mut taken: HashSet<String> = words_of(item.to_token_stream()).into_iter().collect();
        taken.extend(function.locals.iter().map(|local| word(&local.name)));
        let name = unique(&format!("{}_grad", word(&function.name)), &mut taken);
        let name = Ident::new(&name, Span::mixed_site().located_at(function.name.span()));
        let parameters = read_parameters(function, &mut shapes, &find_repeated_writes(function), &mut taken, errors);
        if errors.count() > before {
            return None;
        }
        if !parameters.iter().any(|parameter| parameter.gradient.is_some()) {
            errors.push(
                function.name.span(),
                "there is nothing to differentiate by\nhelp: add a parameter that is an array of floats, such as `x: &[f32]`",
            );
            return None;
        }
        if !parameters.iter().any(|parameter| parameter.is_written && parameter.has_floats) {
            errors.push(
                function.name.span(),
                "there is nothing to differentiate: the kernel has no array of floats to write to\nhelp: add one, such as `out: &mut [f32]`",
            );
            return None;
        }
        let mut reverse = Reverse::new(function, shapes, &of_parameters, parameters, taken, errors);
        let mut steps = reverse.function();
        if errors.count() > before {
            return None;
        }
        remove_unneeded(&mut steps);
        let parts = reverse.parts_of_gradients(&steps);
        Some(Adjoint {
            parts,
            function,
            name,
            names: reverse.names(),
            shared: reverse.shared_gradients(),
            asserted: [reverse.asserted, reverse.shapes.into_asserted()].concat(),
            parameters: reverse.parameters,
            steps,
        })
    }

    fn is_view(&self, param: usize) -> bool {
        matches!(self.function.local(self.function.params[param].local).ty, Type::View { .. })
    }

    /// The part of the gradient that has this number of each element.
    fn part_of(&self, place: &Place) -> Option<&GradientPart> {
        self.parts[place.param].iter().find(|part| part.members.iter().eq(place.fields()))
    }

    /// The gradients that the launcher takes as they are, and the kernel in parts.
    fn structures(&self, plain: &Plain) -> Vec<Structure> {
        let runtime = &self.function.runtime;
        let mut first = self.parameters.len();
        let mut structures = Vec::new();
        for param in self.with_gradients() {
            let Parameter { gradient, element_tokens, rank, .. } = &self.parameters[param];
            let name = gradient.clone().expect("it has a gradient");
            if plain.params.contains(&param) || !self.parameters[param].is_of_parts() {
                first += 1;
                continue;
            }
            let (axes, made) = (Literal::usize_unsuffixed(rank.unwrap_or(1)), quote!(#runtime::__private::AtomicParts));
            let (ty, made) = match self.is_view(param) {
                true => (quote!(impl #runtime::IntoViewMut<'a, #element_tokens, #axes>), quote!(#made::of_view::<#axes>(#name))),
                false => (quote!(impl #runtime::__private::IntoDeviceSliceMut<'a, #element_tokens>), quote!(#made::of_slice(#name))),
            };
            let field = |part: &GradientPart| {
                let (members, lengths) = (&part.members, &part.lengths);
                let atomic = format_ident!("{}", part.scalar.atomic_name());
                let offset = match members.is_empty() {
                    true => quote!(0),
                    false => quote!(::core::mem::offset_of!(#element_tokens, #(#members).*)),
                };
                let text: Vec<_> = members.iter().map(text_of).collect();
                StructureField {
                    name: text.join("."),
                    // SAFETY: that the fields of the type are of these types is asserted.
                    value: quote_spanned!(Span::mixed_site()=> unsafe { #runtime::__private::AtomicParts::part::<#runtime::atomic::#atomic>(&#name, #offset, &[#(#lengths),*]) }),
                }
            };
            let fields: Vec<_> = self.parts[param].iter().map(field).collect();
            let next = first + fields.len();
            structures.push(Structure { name, ty, made: Some(made), first, fields });
            first = next;
        }
        structures
    }

    /// The parameters that have a gradient that is added to.
    fn with_gradients(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.parameters.len()).filter(|param| self.parameters[*param].gradient.is_some())
    }

    /// The kernel, with plain additions to the gradients of these parameters.
    fn write(&self, plain: &Plain) -> TokenStream {
        let runtime = &self.function.runtime;
        let add = |place: &Place, value: &TokenStream, span: Span| {
            let gradient = self.parameters[place.param].gradient.as_ref().expect("it has a gradient");
            let of_place = match self.part_of(place) {
                Some(part) if !plain.params.contains(&place.param) => place.tokens_of_part(&part.name, span),
                _ => place.tokens(gradient, span),
            };
            match plain.params.contains(&place.param) {
                true => quote_spanned!(span=> #of_place += #value;),
                false => quote_spanned!(span=> #of_place.fetch_add(#value, ::core::sync::atomic::Ordering::Relaxed);),
            }
        };
        let printer = Printer {
            names: &self.names,
            parameters: &|param| &self.parameters[param].name,
            add: &add,
            is_atomic: &|param| !plain.params.contains(&param),
            has_atomics: &|array| self.shared.contains(&array) && !plain.shared.contains(&array),
            runtime,
        };
        let body = printer.print(&self.steps);
        let forward = self.parameters.iter().zip(&self.function.params).map(|(parameter, param)| {
            let (name, ty) = (&parameter.name, &parameter.ty);
            let mutable = (!parameter.is_array() && self.function.local(param.local).mutable).then(|| quote!(mut));
            quote!(#mutable #name: #ty)
        });
        let gradients = self.with_gradients().flat_map(|param| {
            let Parameter { gradient, element, element_tokens, rank, .. } = &self.parameters[param];
            let rank = rank.unwrap_or(1);
            let axes = Literal::usize_unsuffixed(rank);
            match (plain.params.contains(&param), element) {
                (true, _) if self.is_view(param) => vec![quote!(#gradient: #runtime::ViewMut<#element_tokens, #axes>)],
                (true, _) => vec![quote!(#gradient: &mut [#element_tokens])],
                (false, Tree::One(Type::Scalar(scalar))) => {
                    let atomic = format_ident!("{}", scalar.atomic_name());
                    vec![match self.is_view(param) {
                        true => quote!(#gradient: #runtime::View<#runtime::atomic::#atomic, #axes>),
                        false => quote!(#gradient: &[#runtime::atomic::#atomic]),
                    }]
                }
                (false, _) => {
                    let view = |GradientPart { name, scalar, lengths, .. }: &GradientPart| {
                        let (atomic, axes) = (format_ident!("{}", scalar.atomic_name()), Literal::usize_unsuffixed(rank + lengths.len()));
                        quote!(#name: #runtime::View<#runtime::atomic::#atomic, #axes>)
                    };
                    self.parts[param].iter().map(view).collect()
                }
            }
        });
        let (name, vis) = (&self.name, visibility_from_inside(&self.function.vis));
        let vis = syn::parse2(vis).map_or_else(|_| quote!(pub), |vis| visibility_from_inside(&vis));
        let constants = self.function.constants.iter().map(|constant| two_modules_in(constant.to_token_stream()));
        let doc = self.documentation();
        quote! {
            #[doc = #doc]
            #[allow(warnings, clippy::all, clippy::pedantic)]
            #vis fn #name(#(#forward,)* #(#gradients),*) {
                #(#constants)*
                #body
            }
        }
    }

    fn documentation(&self) -> String {
        let name = word(&self.function.name);
        let mut doc = format!("The gradient of the kernel [`{name}`](fn@super::super::{name}).\n\n| parameter | |\n|---|---|\n");
        for parameter in &self.parameters {
            let what = match (parameter.is_written, parameter.is_consumed, parameter.has_floats) {
                (true, true, true) => {
                    format!("the gradient by `{}`; it is set to zero where an element was overwritten", parameter.user_name)
                }
                (true, _, true) => format!("the gradient by `{}`", parameter.user_name),
                (true, _, false) => "for its length".to_owned(),
                (false, ..) => "as in the kernel".to_owned(),
            };
            doc.push_str(&format!("| `{}` | {what} |\n", parameter.name));
        }
        for param in self.with_gradients() {
            let Parameter { user_name, gradient, .. } = &self.parameters[param];
            let gradient = gradient.as_ref().expect("it has one");
            doc.push_str(&format!("| `{gradient}` | the gradient by `{user_name}` is added to it |\n"));
        }
        doc
    }

    /// The kernel, with as few atomics as the proofs allow.
    fn compile_plainest(
        &self,
        arguments: &TokenStream,
        forward: &RaceFreedom,
        errors: &Errors,
    ) -> Option<(Function, (Analysis, Source), Plain)> {
        let arrays = self.with_gradients().filter(|param| self.parameters[*param].is_array());
        let mut plain = Plain { params: arrays.collect(), shared: self.shared.iter().copied().collect() };
        loop {
            let compiled = self.compile(arguments, &plain, errors)?;
            if self.is_as_safe(&compiled, &plain, forward) {
                return Some((compiled.0, compiled.1, plain));
            }
            // The proof names the arrays that need atomics. Where it has other conditions, each array is looked at by itself.
            if !self.remove_unproved(&compiled, &mut plain) {
                break;
            }
        }
        let mut kept = Plain::default();
        for candidate in plain.each() {
            let tried = kept.with(candidate);
            let compiled = self.compile(arguments, &tried, errors)?;
            if self.is_as_safe(&compiled, &tried, forward) {
                kept = tried;
            }
        }
        let (function, output) = self.compile(arguments, &kept, errors)?;
        Some((function, output, kept))
    }

    /// Whether the adjoint needs nothing that the kernel does not need, and its accesses to these shared arrays are ordered.
    fn is_as_safe(&self, (function, (analysis, _)): &(Function, (Analysis, Source)), plain: &Plain, forward: &RaceFreedom) -> bool {
        let is_plain = |race: &SharedRace| plain.shared.iter().any(|array| function.local(race.array).name == self.names[array.0]);
        is_as_safe(&analysis.race_freedom, forward) && !analysis.shared_races.iter().any(is_plain)
    }

    /// Removes the gradients whose additions are not proved. Whether there are any.
    fn remove_unproved(&self, (function, (analysis, _)): &(Function, (Analysis, Source)), plain: &mut Plain) -> bool {
        let before = plain.each().len();
        let races = analysis.shared_races.iter().map(|race| race.array);
        let unproved = match &analysis.race_freedom {
            RaceFreedom::Unproved(accesses) => &accesses[..],
            RaceFreedom::Proved { .. } => &[],
        };
        for array in races.chain(unproved.iter().filter_map(|access| access.array)) {
            let is_it = |name: &Ident| function.local(array).name == *name;
            plain.params.retain(|param| !self.parameters[*param].gradient.as_ref().is_some_and(is_it));
            plain.shared.retain(|var| !is_it(&self.names[var.0]));
        }
        plain.each().len() < before
    }

    fn compile(&self, arguments: &TokenStream, plain: &Plain, errors: &Errors) -> Option<(Function, (Analysis, Source))> {
        let tokens = self.write(plain);
        let item: syn::ItemFn = match syn::parse2(tokens.clone()) {
            Ok(item) => item,
            Err(error) => {
                errors.push(error.span(), format!("the gradient of this kernel cannot be written: {error}"));
                return None;
            }
        };
        let own = Errors::new();
        let (mut options, runtime, _) = parse_kernel_options(arguments.clone(), &own);
        options.deny_bounds_checks = false;
        let structures = self.structures(plain);
        let compiled = compile(Item { structures, ..Item::free(&item, FunctionKind::Kernel(options), runtime) }, 0, &own);
        let result = own.check();
        match (compiled, result) {
            (Some(Compiled { function, output: Some(output) }), Ok(())) => Some((function, output)),
            (_, result) => {
                for error in result.err().into_iter().flatten() {
                    errors.push(error.span(), format!("in the gradient of this kernel: {error}"));
                }
                None
            }
        }
    }
}
