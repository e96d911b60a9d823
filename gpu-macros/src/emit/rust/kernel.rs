//! The implementation of `KernelDefinition`: the data of a kernel for the runtime, and its twin.

use super::attributes;
use super::body::Body;
use super::bounds::{expand_race_free, expand_shown};
use super::called::with_called_names;
use super::cooperative::{expand_cooperative, expand_run};
use super::dynamic::{expand_dynamic_shared, expand_row_limit};
use super::generics::{expand_bounded_params, expand_instance_name, is_generic};
use super::held::{expand_clause, expand_held_types};
use super::launcher::{expand_kernel_type, findings};
use super::parameter::{arguments, parameters};
use super::proof::expand_proof;
use super::sites::expand_sites;
use super::source_unit::{expand_constants, expand_unit};
use super::tokens::{expand_outcome, glue, text};
use crate::check::{Analysis, describe_conditions, describe_index_width, describe_loops, describe_remaining_checks};
use crate::emit::{Cooperation, Source};
use crate::model::*;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

pub(super) fn expand_definition(function: &Function, options: &KernelOptions, analysis: &Analysis, source: &Source) -> TokenStream {
    let proof = &analysis.race_freedom;
    let checks = describe_remaining_checks(function, analysis);
    let conditions = describe_conditions(function, analysis);
    let index_width = describe_index_width(function, analysis);
    let loops = describe_loops(function).into_iter().map(|(line, reason)| {
        let line = u32::try_from(line).unwrap_or(u32::MAX);
        quote_spanned!(Span::mixed_site()=> (#line, #reason))
    });
    let findings = findings(proof, &analysis.shared_races);
    let (constants, unit) = (expand_constants(function), expand_unit(function, source));
    let known = quote_spanned! {Span::mixed_site()=>
        findings: &[#(#findings),*],
        remaining_checks: &[#(#checks),*],
        conditions: &[#(#conditions),*],
        index_width: &[#(#index_width),*],
        loops: &[#(#loops),*],
        unit: &#unit,
    };
    let known = Known { name: expand_name(function), constants, fields: known };
    let cooperative = expand_cooperative(&function.runtime, &source.cooperation);
    let shown = expand_shown(function, analysis);
    let race_free = expand_race_free(function, proof);
    let run_blocks = expand_run_blocks(function, analysis, &source.cooperation);
    let dynamic_shared = expand_dynamic_shared(function, &analysis.dynamic_arrays);
    let functions = quote_spanned!(Span::mixed_site()=> #cooperative #shown #race_free #dynamic_shared #run_blocks);
    expand_impl(function, options, (proof, &analysis.uniformity), known, expand_sites(function), functions)
}

/// What only a kernel with a twin has in its metadata.
pub(super) struct Known {
    name: TokenStream,
    /// The items of the body that its fields name.
    constants: TokenStream,
    fields: TokenStream,
}

impl Known {
    /// Of a kernel that is refused. The name of an instance comes from traits that it may not have.
    pub(super) fn nothing(function: &Function) -> Self {
        let runtime = &function.runtime;
        let fields = quote_spanned! {Span::mixed_site()=>
            findings: &[],
            remaining_checks: &[],
            conditions: &[],
            index_width: &[],
            loops: &[],
            unit: &#runtime::__private::SourceUnit::NONE,
        };
        Self { name: text(&function.name).into_token_stream(), constants: TokenStream::new(), fields }
    }
}

/// The implementation with these `functions`, and `items` that they use. The functions are `#[inline]`: rustc generates code for them only
/// where the kernel is launched.
pub(super) fn expand_impl(
    function: &Function,
    options: &KernelOptions,
    (proof, uniformity): (&RaceFreedom, &UniformParameters),
    known: Known,
    items: Option<TokenStream>,
    functions: TokenStream,
) -> TokenStream {
    let runtime = &function.runtime;
    let attrs = attributes::repeated(function);
    let generated = attributes::generated();
    let args = arguments(function).map(|param| param.expand_argument_type());
    let meta = expand_meta(function, options, proof, known);
    // What depends on a parameter is checked for each instance, with its metadata.
    let checks = if is_generic(function) { Vec::new() } else { expand_checks(options) };
    let compiler_options = expand_options(function, options);
    let kernel = expand_kernel_type(function);
    let proof = expand_proof(function, proof, uniformity);
    let bounded = is_generic(function).then(|| {
        let bounded = expand_bounded_params(function);
        quote_spanned!(Span::mixed_site()=> <#(#bounded),*>)
    });
    let held = expand_clause(None, &expand_held_types(function));
    let definition = quote_spanned! {Span::mixed_site()=>
        #items
        unsafe impl #bounded #runtime::__private::KernelDefinition for #kernel #held {
            type Args<'a> = (#(#args,)*);
            #meta
            #compiler_options
            #functions
        }
        #proof
    };
    // The items of the body are around the proof too: it names the constants that they import.
    let definition = with_called_names(function, definition);
    let assertion = runtime.assert_is_crate_in_block();
    quote_spanned! {Span::mixed_site()=>
        #attrs
        #generated
        const _: () = {
            #assertion
            #(const _: () = #checks;)*
            #definition
        };
    }
}

/// Assertions on what the attribute declares.
fn expand_checks(options: &KernelOptions) -> Vec<TokenStream> {
    let block = options.block.as_deref();
    let bounds = options.launch_bounds.as_ref().map(|bounds| expand_bounds_checks(bounds, block));
    block.map(expand_block_check).into_iter().chain(bounds.into_iter().flatten()).collect()
}

/// Refuses a declared block that no device runs, before any of its extents is cut off to 32 bits.
fn expand_block_check(extents: &[Length]) -> TokenStream {
    let extents: Vec<_> = extents.iter().map(Length::tokens).collect();
    let at = extents.first().map_or_else(Span::mixed_site, |extent| glue(extent.span()));
    quote_spanned! {at=>
        ::core::assert!(
            #(1 <= (#extents) as ::core::primitive::i128 && (#extents) as ::core::primitive::i128 <= 1024 &&)*
            #((#extents) as ::core::primitive::i128 *)* 1 <= 1024,
            "a block has 1 to 1024 threads: change the value of `block`"
        )
    }
}

/// Refuses launch bounds that no device can keep, or that the declared block exceeds.
fn expand_bounds_checks(bounds: &LaunchBounds, block: Option<&[Length]>) -> Vec<TokenStream> {
    let threads = bounds.threads.tokens();
    let at = glue(bounds.threads.span());
    let blocks = bounds.blocks.as_ref().map(|blocks| {
        let (blocks, at) = (blocks.tokens(), glue(blocks.span()));
        quote_spanned! {at=>
            ::core::assert!(
                1 <= (#blocks) as ::core::primitive::i128 && (#blocks) as ::core::primitive::i128 <= 32,
                "a multiprocessor holds 1 to 32 blocks: change the second value of `launch_bounds`, such as `launch_bounds = (256, 2)`"
            )
        }
    });
    let block = block.map(|extents| {
        let extents = extents.iter().map(Length::tokens);
        quote_spanned! {at=>
            ::core::assert!(
                #((#extents) as ::core::primitive::i128 *)* 1 <= (#threads) as ::core::primitive::i128,
                "the declared block has more threads than `launch_bounds`: reduce `block`, or raise the bound"
            )
        }
    });
    let threads = quote_spanned! {at=>
        ::core::assert!(
            1 <= (#threads) as ::core::primitive::i128 && (#threads) as ::core::primitive::i128 <= 1024,
            "a block has 1 to 1024 threads: change the value of `launch_bounds`"
        )
    };
    std::iter::once(threads).chain(blocks).chain(block).collect()
}

/// `const OPTIONS`, for a kernel with options for the compiler.
fn expand_options(function: &Function, options: &KernelOptions) -> TokenStream {
    let runtime = &function.runtime;
    let KernelOptions { launch_bounds, max_registers, fast_math, opt, lineinfo, suffix, .. } = options;
    let has_tiles = function.is_tiled();
    if !options.divides_registers() && !fast_math && opt.is_none() && !lineinfo && suffix.is_none() && !has_tiles {
        return TokenStream::new();
    }
    let max_threads = expand_option(launch_bounds.as_ref().map(|bounds| {
        let threads = bounds.threads.tokens();
        quote_spanned!(Span::mixed_site()=> (#threads) as ::core::primitive::u32)
    }));
    let max_registers = expand_option(max_registers.map(|most| quote_spanned!(Span::mixed_site()=> #most)));
    let opt = expand_option(opt.map(|level| quote_spanned!(Span::mixed_site()=> #level)));
    let features = expand_option(suffix.map(|suffix| match suffix {
        Suffix::Architecture => quote_spanned!(Span::mixed_site()=> #runtime::__private::Features::Architecture),
        Suffix::Family => quote_spanned!(Span::mixed_site()=> #runtime::__private::Features::Family),
    }));
    quote_spanned! {Span::mixed_site()=>
        const OPTIONS: #runtime::__private::KernelOptions = #runtime::__private::KernelOptions {
            max_threads: #max_threads,
            max_registers: #max_registers,
            fast_math: #fast_math,
            opt: #opt,
            lineinfo: #lineinfo,
            features: #features,
            has_tiles: #has_tiles,
        };
    }
}

fn expand_option(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote_spanned!(Span::mixed_site()=> ::core::option::Option::Some(#value)),
        None => quote_spanned!(Span::mixed_site()=> ::core::option::Option::None),
    }
}

/// What messages call the kernel, or its instance.
fn expand_name(function: &Function) -> TokenStream {
    let name = text(&function.name);
    if is_generic(function) { expand_instance_name(function, &name) } else { name.into_token_stream() }
}

fn expand_meta(function: &Function, options: &KernelOptions, proof: &RaceFreedom, known: Known) -> TokenStream {
    let runtime = &function.runtime;
    let Known { name, constants, fields } = known;
    let params = parameters(function).map(|param| param.shown());
    let block = match &options.block {
        Some(extents) => {
            let extents = (0..3).map(|axis| match extents.get(axis) {
                Some(extent) => {
                    let extent = extent.tokens();
                    quote_spanned!(Span::mixed_site()=> (#extent) as ::core::primitive::u32)
                }
                None => quote_spanned!(Span::mixed_site()=> 1),
            });
            quote_spanned!(Span::mixed_site()=> Some([#(#extents),*]))
        }
        None => quote_spanned!(Span::mixed_site()=> None),
    };
    let (grid_axes, block_axes) = match proof {
        RaceFreedom::Proved { grid_axes, block_axes, .. } => (*grid_axes, *block_axes),
        RaceFreedom::Unproved(_) => (0, 0),
    };
    let fmad = options.fmad;
    let checks = if is_generic(function) { expand_checks(options) } else { Vec::new() };
    let meta = quote_spanned! {Span::mixed_site()=>
        &#runtime::__private::KernelMeta {
            name: #name,
            params: &[#(#params),*],
            block: ::core::option::Option::#block,
            proved_for: #runtime::__private::ProvedFor { grid_axes: #grid_axes, block_axes: #block_axes },
            fmad: #fmad,
            #fields
        }
    };
    let is_plain = checks.is_empty() && constants.is_empty();
    let meta = if is_plain { meta } else { quote_spanned!(Span::mixed_site()=> { #(#checks;)* #constants #meta }) };
    quote_spanned! {Span::mixed_site()=>
        const META: &'static #runtime::__private::KernelMeta = #meta;
    }
}

/// The loop over the threads. Without the threads that do nothing, rustc can remove the kernel's own comparison from the body, if it is told
/// there: in terms of the arguments, since the closure only receives the limit's value. Both computations agree, because they are made of
/// constants, arguments and core's own functions.
fn expand_loop(function: &Function, analysis: &Analysis, body: &TokenStream) -> TokenStream {
    let runtime = &function.runtime;
    if analysis.is_tiled {
        return quote_spanned!(Span::mixed_site()=> __blocks.for_each_block_alone(move |__thread| { #body }));
    }
    let lines = analysis.knows_only_its_x.then(|| quote_spanned!(Span::mixed_site()=> .lines()));
    let Some(limit) = &analysis.row_limit else {
        return quote_spanned!(Span::mixed_site()=> __blocks #lines.for_each_thread(move |__thread| { #body }));
    };
    let in_grid = expand_row_limit(function, limit, &quote_spanned!(Span::mixed_site()=> #runtime::__private::Blocks::dims(&__blocks)));
    let of_thread = expand_row_limit(function, limit, &quote_spanned!(Span::mixed_site()=> __thread.dims()));
    quote_spanned! {Span::mixed_site()=>
        let __limit = #in_grid;
        __blocks #lines.for_each_thread_below(__limit, move |__thread| {
            // SAFETY: only threads below the limit run.
            unsafe { __thread.is_below(#of_thread) };
            #body
        })
    }
}

/// The twin: the body as a closure that the CPU backend calls for every thread.
fn expand_run_blocks(function: &Function, analysis: &Analysis, cooperation: &Cooperation) -> TokenStream {
    let runtime = &function.runtime;
    let outcome = expand_outcome(function, &quote_spanned!(Span::mixed_site()=> ()));
    let names = function.params.iter().map(|param| &function.local(param.local).name);
    // The flag of the launch costs a future as much as the check.
    let body = Body::of_kernel(function, if analysis.suspends { &[] } else { &analysis.bounds });
    let numbers: &[NamedNumber] = if analysis.uses_numbers { &function.numbers } else { &[] };
    let body = body.with_uniformity(&analysis.uniformity).with_numbers(numbers).expand_kernel_body();
    let run = if analysis.suspends {
        // The closure gets the thread by value: each future owns its own. Its type is not known before the call that gets the closure.
        let kernel = quote_spanned! {Span::mixed_site()=>
            |__thread| async move {
                let __thread: &#runtime::__private::Thread<'_> = &__thread;
                #body
            }
        };
        expand_run(runtime, cooperation, &kernel)
    } else {
        let run = expand_loop(function, analysis, &body);
        // In a closure that owns them and has a pattern that does not cover all values, rustc does not look for their uses.
        let used = function
            .params
            .iter()
            .filter(|param| function.body.any(&|expr| matches!(expr.kind, ExprKind::Local(local) if local == param.local)));
        let used = used.map(|param| &function.local(param.local).name);
        quote_spanned!(Span::mixed_site()=> let _ = (#(&#used,)*); #run)
    };
    quote_spanned! {Span::mixed_site()=>
        #[inline]
        fn run_blocks(__args: &Self::Args<'_>, __blocks: #runtime::__private::Blocks<'_>) -> #outcome {
            // SAFETY: the runtime calls `run_blocks` only for arrays in host memory, which the launch keeps borrowed.
            let (#(#names,)*) = unsafe { #runtime::__private::Arguments::host(__args) };
            #run
        }
    }
}
