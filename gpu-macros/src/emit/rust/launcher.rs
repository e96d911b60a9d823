//! The items of a kernel that the user's program sees: the launcher, and the module of the same name.

use super::attributes;
use super::generics::{expand_bounded_params_in, expand_instance_arguments, expand_instance_params, is_generic, known_params};
use super::held::{expand_clause, expand_held_types};
use super::parameter::{arguments, parameters};
use super::tokens::{UserFn, expand_module_of, text, user_fn, visibility_from_inside};
use crate::model::*;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// The function with the kernel's name and parameters that builds a launch, and the `items` that it needs: next to it, or in an `impl`, where
/// no module can be, in it. Then the type of the kernel has no name outside.
pub(super) fn expand_launcher(function: &Function, proof: &RaceFreedom, shared: &[SharedRace], items: TokenStream) -> TokenStream {
    let Signature { vis, name, runtime, .. } = &function.signature;
    let attrs = attributes::own(function);
    let proof_docs = [expand_proof_docs(proof), expand_shared_docs(shared)];
    let params = expand_params(function);
    let arguments: Vec<_> = arguments(function).map(|param| param.expand_argument()).collect();
    let made = function
        .structures
        .iter()
        .filter_map(|Structure { name, made, .. }| made.as_ref().map(|made| quote_spanned!(Span::mixed_site()=> let #name = #made;)));
    let launch = quote_spanned!(Span::mixed_site()=> #(#made)* #runtime::Launch::new((#(#arguments,)*)));
    // Of surplus parameters, a refused kernel makes no arguments. A struct may have no field that the kernel uses.
    let is_unused = |structure: &Structure| structure.fields.is_empty();
    let unused = (function.params.len() > KernelOptions::MOST_PARAMS || function.structures.iter().any(is_unused))
        .then(|| quote_spanned!(Span::mixed_site()=> #[allow(unused_variables)]));
    let kernel = expand_kernel_type(function);
    let (kernel, body, items) = match function.is_in_impl {
        false => (kernel, launch, Some(items)),
        true => {
            let race_free = matches!(proof, RaceFreedom::Proved { .. }).then(|| quote_spanned!(Span::mixed_site()=> + #runtime::RaceFree));
            let opaque = quote_spanned!(Span::mixed_site()=> impl #runtime::__private::KernelDefinition #race_free + 'static);
            (opaque, quote_spanned!(Span::mixed_site()=> #items #runtime::Launch::<'a, #kernel>::new((#(#arguments,)*))), None)
        }
    };
    let UserFn { fn_token, body } = user_fn(function, body);
    // The user's own tokens, so that what they import for a bound is used.
    let (generics, clause) = match is_generic(function) {
        true => (Some(&function.generics.params), function.generics.where_clause.as_ref()),
        false => (None, None),
    };
    let clause = expand_clause(clause, &expand_held_types(function));
    quote_spanned! {Span::mixed_site()=>
        #attrs
        #[cfg_attr(clippy, allow(clippy::elidable_lifetime_names, clippy::needless_lifetimes, clippy::used_underscore_binding))]
        #unused
        #(#proof_docs)*
        #vis #fn_token #name<'a, #generics>(#(#params),*) -> #runtime::Launch<'a, #kernel> #clause #body

        #items
    }
}

/// The parameters of the launcher: structs in place of the parameters that are fields of them.
fn expand_params(function: &Function) -> Vec<TokenStream> {
    let structure = |structure: &Structure| {
        let Structure { name, ty, .. } = structure;
        quote_spanned!(Span::mixed_site()=> #name: #ty)
    };
    let mut structures = function.structures.iter().peekable();
    let mut params = Vec::new();
    for (index, param) in parameters(function).enumerate() {
        while let Some(first) = structures.next_if(|structure| structure.first <= index) {
            params.push(structure(first));
        }
        if function.field_of(index).is_none() {
            params.push(param.expand_launched());
        }
    }
    params.extend(structures.map(structure));
    params
}

/// The type that stands for the kernel, or for its instance where its parameters are in scope.
pub(super) fn expand_kernel_type(function: &Function) -> TokenStream {
    let (name, arguments) = (&function.name, expand_instance_arguments(function));
    let arguments = (!arguments.is_empty()).then(|| quote_spanned!(Span::mixed_site()=> <#(#arguments),*>));
    quote_spanned!(Span::mixed_site()=> #name::Kernel #arguments)
}

/// For a kernel without a safe launch: why.
fn expand_proof_docs(proof: &RaceFreedom) -> TokenStream {
    let RaceFreedom::Unproved(accesses) = proof else { return TokenStream::new() };
    let mut docs = String::from(
        "\n\n# Data races\n\nThis kernel is not proved free of data races, so its launch is `unsafe`: `launch_unchecked` or `forall_unchecked`. \
         This could not be proved:\n\n",
    );
    for access in accesses {
        docs.push_str(&format!("* {}\n", access.what));
    }
    quote_spanned!(Span::mixed_site()=> #[doc = #docs])
}

/// For a kernel whose threads may race in shared memory: where.
fn expand_shared_docs(races: &[SharedRace]) -> TokenStream {
    if races.is_empty() {
        return TokenStream::new();
    }
    let mut docs = String::from(
        "\n\n# Shared memory\n\nThe order of these accesses to shared memory is not proved. If two threads race there, the kernel computes wrong values:\n\n",
    );
    for race in races {
        docs.push_str(&format!("* {}\n", race.finding.what));
    }
    quote_spanned!(Span::mixed_site()=> #[doc = #docs])
}

/// What is not proved of a kernel.
pub(super) fn findings<'a>(proof: &'a RaceFreedom, shared: &'a [SharedRace]) -> impl Iterator<Item = &'a str> {
    let unproved = match proof {
        RaceFreedom::Proved { .. } => &[],
        RaceFreedom::Unproved(accesses) => accesses.as_slice(),
    };
    unproved.iter().chain(shared.iter().map(|race| &race.finding)).map(|finding| finding.what.as_str())
}

/// The module of the kernel's name: the type that stands for it, and its generated code for tools.
pub(super) fn expand_module(function: &Function, proof: &RaceFreedom, shared: &[SharedRace]) -> TokenStream {
    let findings = findings(proof, shared);
    let Signature { vis, name, .. } = &function.signature;
    let attrs = attributes::of_module(function);
    let runtime = function.runtime.seen_from_inside();
    let kernel = text(name);
    let kernel_vis = visibility_from_inside(vis);
    let module_doc = format!("The compiled code of the kernel `{kernel}`.");
    let kernel_doc = format!("The kernel `{kernel}` as a type.");
    let params = if is_generic(function) { expand_instance_params(function) } else { Vec::new() };
    let types = known_params(function).iter().map(|param| &param.name);
    let (declaration, instance) = if params.is_empty() {
        (quote_spanned!(Span::mixed_site()=> #kernel_vis struct Kernel;), quote_spanned!(Span::mixed_site()=> self::Kernel))
    } else {
        let arguments = expand_instance_arguments(function);
        (
            quote_spanned!(Span::mixed_site()=> #kernel_vis struct Kernel<#(#params),*>(::core::marker::PhantomData<(#(#types,)*)>);),
            // A parameter may be called `Kernel` too.
            quote_spanned!(Span::mixed_site()=> self::Kernel<#(#arguments),*>),
        )
    };
    let (generics, clause) = expand_tool_generics(function, &runtime, &instance);
    let items = quote_spanned! {Span::mixed_site()=>
        #[doc = #kernel_doc]
        #declaration

        // What a kernel that calls this one finds.
        #[doc(hidden)]
        pub use #runtime::calls::missing::kernel::{gpu_device, itself};

        #runtime::__private::kernel_tools! { [#instance] [#generics] [#clause] [#(#findings),*] }
    };
    let module = expand_module_of(function, &items);
    quote_spanned! {Span::mixed_site()=>
        #attrs
        // A program need not use all of it, and a private kernel has it all the same.
        #[allow(dead_code, unreachable_pub, unused_imports)]
        #[doc = #module_doc]
        #module
    }
}

/// What the functions of the module are generic over, and their `where` clause. A trait of the user's may have no path in there: then
/// it is asked for indirectly.
fn expand_tool_generics(function: &Function, runtime: &RuntimePath, instance: &TokenStream) -> (Option<TokenStream>, Option<TokenStream>) {
    if !is_generic(function) {
        // The types have no path in there. A condition over a lifetime is checked where a function is called.
        let is_conditional = !expand_held_types(function).is_empty();
        let clause = quote_spanned!(Span::mixed_site()=> where for<'unmet> #instance: #runtime::__private::KernelDefinition);
        return (None, is_conditional.then_some(clause));
    }
    if function.type_params.iter().all(|param| param.traits.is_empty()) {
        let bounded = expand_bounded_params_in(function, runtime);
        return (Some(quote_spanned!(Span::mixed_site()=> <#(#bounded),*>)), None);
    }
    let params = expand_instance_params(function);
    (
        Some(quote_spanned!(Span::mixed_site()=> <#(#params),*>)),
        Some(quote_spanned!(Span::mixed_site()=> where #instance: #runtime::__private::KernelDefinition)),
    )
}
