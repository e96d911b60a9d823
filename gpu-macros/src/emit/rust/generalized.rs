//! A generalized function: a device function, and in its module `map` and the items that the runtime needs to call it for every index of a
//! loop.

use super::array::{element, element_in_module, expand_element_arguments, expand_function_struct, expand_function_type, type_arguments};
use super::attributes;
use super::device::expand_in_thread;
use super::generics::{expand_bounded_params, expand_bounded_params_in};
use super::tokens::{expand_module_of, expand_outcome, expand_scalar, text, visibility_from_inside};
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;

/// An input or output of one call, and where the function has it.
struct Operand<'f> {
    axes: &'f CoreAxes,
    /// The user's name for the parameter; `None` for a returned output.
    name: Option<&'f Ident>,
    /// The type of its elements.
    ty: &'f Type,
}

/// The inputs and then the outputs, of a function that fits its signature.
fn operands<'f>(function: &'f Function, signature: &'f CoreSignature) -> Vec<Operand<'f>> {
    let mut params = function.params.iter();
    let mut returned = function.output.components().iter();
    let mut operand = |axes, is_returned| {
        if is_returned {
            return Operand { axes, name: None, ty: returned.next().expect("the return type was checked") };
        }
        let local = function.local(params.next().expect("the parameters were counted").local);
        Operand { axes, name: Some(&local.name), ty: element_type(&local.ty) }
    };
    let mut operands: Vec<_> = signature.inputs.iter().map(|axes| operand(axes, false)).collect();
    operands.extend(signature.outputs.iter().map(|axes| operand(axes, axes.is_empty())));
    operands
}

/// The type of the elements of a parameter.
fn element_type(ty: &Type) -> &Type {
    match ty {
        Type::Slice { element, .. } => element,
        single => single,
    }
}

/// The module of the function's name.
pub(super) fn expand_module(function: &Function, signature: &CoreSignature) -> TokenStream {
    let runtime = function.runtime.seen_from_inside();
    let operands = operands(function, signature);
    let inputs = &operands[..signature.inputs.len()];
    let names: Vec<_> = inputs.iter().map(|input| &input.name).collect();
    let elements: Vec<_> =
        inputs.iter().enumerate().map(|(number, input)| element_in_module(function, &runtime, number, input.ty)).collect();
    let (types, bounded) = (type_arguments(function), expand_bounded_params_in(function, &runtime));
    let (doc, vis) = (map_doc(function, signature, &operands), visibility_from_inside(&function.vis));
    expand_module_with(
        function,
        quote_spanned! {Span::mixed_site()=>
            #[doc = #doc]
            #vis fn map<'a, #(#bounded),*>(
                #(#names: impl #runtime::IntoLazy<#elements, Expression: 'a>),*
            ) -> #runtime::Batch<'a, self::Function #types> {
                #runtime::Batch::new()#(.argument(#runtime::IntoLazy::<#elements>::into_lazy(#names)))*
            }
        },
    )
}

fn map_doc(function: &Function, signature: &CoreSignature, operands: &[Operand<'_>]) -> String {
    let describe = |operand: &Operand<'_>| {
        let name = operand.name.map_or_else(|| "the result".to_owned(), |name| format!("`{}`", text(name)));
        format!("{name} `{}`", signature.axes_text(operand.axes))
    };
    let (inputs, outputs) = operands.split_at(signature.inputs.len());
    let list = |operands: &[Operand<'_>]| operands.iter().map(describe).collect::<Vec<_>>().join(", ");
    format!(
        "Calls `{name}` for every index of the loop axes: `{}`.\n\nThe last axes of an argument are its core axes, which one call uses: {}. The axes before them are loop axes, which are broadcast. The collected array has the loop axes, followed by those of {}.",
        signature.text,
        list(inputs),
        list(outputs),
        name = text(&function.name),
    )
}

fn expand_module_with(function: &Function, map: TokenStream) -> TokenStream {
    let Signature { name, .. } = &function.signature;
    let attrs = attributes::of_module(function);
    let doc = format!("The function `{}` over the leading axes of arrays.", text(name));
    let vis = visibility_from_inside(&function.vis);
    let (in_thread, function_struct) = (expand_in_thread(function, &vis), expand_function_struct(function));
    let items = quote_spanned! {Span::mixed_site()=>
        // Named like the attribute of device functions: see there. It has no value, which a parameter's name could mean.
        #[doc(hidden)]
        #vis enum gpu_device {}
        #in_thread

        #function_struct

        #map
    };
    let module = expand_module_of(function, &items);
    quote_spanned! {Span::mixed_site()=>
        #attrs
        // A program need not use all of it.
        #[allow(dead_code, non_camel_case_types)]
        #[doc = #doc]
        #module
    }
}

/// The implementation of the runtime's `GeneralizedFunction`.
pub(super) fn expand_definition(function: &Function, options: &Generalized, signature: &CoreSignature) -> TokenStream {
    let runtime = &function.runtime;
    let operands = operands(function, signature);
    let elements = expand_element_arguments(function, operands[..signature.inputs.len()].iter().map(|input| input.ty));
    let body = Implementation {
        function_type: expand_function_type(function),
        bounded: expand_bounded_params(function),
        fmad: options.fmad,
        output: item_type(operands[signature.inputs.len()..].iter().map(|output| element(output.ty)).collect()),
        signature: expand_signature(function, signature, &operands),
        source: quote_spanned!(Span::mixed_site()=> <Self as #runtime::calls::DeviceInstance>::UNIT),
        call: expand_call(function, signature, &operands),
    };
    expand_impl(function, body, elements)
}

/// What the runtime's `GeneralizedFunction` is implemented for, and by what.
struct Implementation {
    function_type: TokenStream,
    /// `T: Num`, for each type parameter.
    bounded: Vec<TokenStream>,
    fmad: bool,
    output: TokenStream,
    signature: TokenStream,
    source: TokenStream,
    call: TokenStream,
}

fn expand_impl(function: &Function, implementation: Implementation, others: TokenStream) -> TokenStream {
    let Signature { name, runtime, .. } = &function.signature;
    let Implementation { function_type, bounded, fmad, output, signature, source, call } = implementation;
    let attrs = attributes::repeated(function);
    let generated = attributes::generated();
    let name_text = text(name);
    let outcome = expand_outcome(function, &quote_spanned!(Span::mixed_site()=> ()));
    quote_spanned! {Span::mixed_site()=>
        #attrs
        #generated
        const _: () = {
            unsafe impl<#(#bounded),*> #runtime::__private::GeneralizedFunction for #function_type {
                type Output = #output;
                const SIGNATURE: &'static #runtime::__private::Signature = &#signature;
                const NAME: &'static ::core::primitive::str = #name_text;
                const FMAD: ::core::primitive::bool = #fmad;

                fn source() -> &'static #runtime::__private::SourceUnit {
                    #source
                }

                unsafe fn call(
                    __thread: &#runtime::__private::Thread<'_>,
                    __operands: &[*mut ::core::primitive::u8],
                    __extents: &[::core::primitive::usize],
                ) -> #outcome {
                    #call
                }
            }

            #others
        };
    }
}

/// `T` for one output, a tuple for several.
fn item_type(mut elements: Vec<TokenStream>) -> TokenStream {
    if elements.len() == 1 { elements.remove(0) } else { quote_spanned!(Span::mixed_site()=> (#(#elements),*)) }
}

fn expand_signature(function: &Function, signature: &CoreSignature, operands: &[Operand<'_>]) -> TokenStream {
    let runtime = &function.runtime;
    let dimensions = signature.dimensions.iter().map(|CoreDimension { name, extent }| {
        let extent = match extent {
            Some(extent) => quote_spanned!(Span::mixed_site()=> ::core::option::Option::Some(#extent)),
            None => quote_spanned!(Span::mixed_site()=> ::core::option::Option::None),
        };
        quote_spanned!(Span::mixed_site()=> #runtime::__private::Dimension { name: #name, extent: #extent })
    });
    let operands = operands.iter().map(|Operand { axes, name, ty }| {
        let (name, element) = (name.map_or_else(|| "result".to_owned(), text), element(ty));
        quote_spanned! {Span::mixed_site()=>
            #runtime::__private::CoreOperand {
                name: #name,
                element: #runtime::__private::Component::of::<#element>(),
                core: &[#(#axes),*],
            }
        }
    });
    let (signature_text, inputs, extents) = (&signature.text, signature.inputs.len(), extents(function, signature));
    quote_spanned! {Span::mixed_site()=>
        #runtime::__private::Signature {
            text: #signature_text,
            dimensions: &[#(#dimensions),*],
            operands: &[#(#operands),*],
            inputs: #inputs,
            extent_parameters: &[#(#extents),*],
        }
    }
}

/// The dimensions whose extents are the last parameters.
fn extents(function: &Function, signature: &CoreSignature) -> Vec<usize> {
    let params = &function.params[signature.operand_params().count()..];
    let dimension = |param: &Param| signature.dimension(&text(&function.local(param.local).name));
    params.iter().map(|param| dimension(param).expect("the parameters for extents were checked")).collect()
}

/// The call of the twin with the core arrays at `__operands`.
fn expand_call(function: &Function, signature: &CoreSignature, operands: &[Operand<'_>]) -> TokenStream {
    let Signature { name, runtime, .. } = &function.signature;
    let params = operands.iter().enumerate().filter(|(_, operand)| operand.name.is_some());
    let turbofish = type_arguments(function).map(|types| quote_spanned!(Span::mixed_site()=> ::#types));
    let arguments = params.map(|(number, Operand { axes, ty, .. })| {
        let element = element(ty);
        if axes.is_empty() {
            return quote_spanned!(Span::mixed_site()=> __operands[#number].cast::<#element>().read());
        }
        let core = if number < signature.inputs.len() { "core_slice" } else { "core_slice_mut" };
        let core = Ident::new(core, Span::mixed_site());
        quote_spanned!(Span::mixed_site()=> #runtime::__private::#core::<#element>(__operands[#number], &[#(__extents[#axes]),*]))
    });
    let extents = extents(function, signature);
    let returned: Vec<_> = operands.iter().enumerate().filter(|(_, operand)| operand.name.is_none()).collect();
    let stores = returned.iter().enumerate().map(|(component, (number, Operand { ty, .. }))| {
        let (component, element) = (syn::Index::from(component), element(ty));
        let value = if returned.len() == 1 { TokenStream::new() } else { quote_spanned!(Span::mixed_site()=> .#component) };
        quote_spanned!(Span::mixed_site()=> __operands[#number].cast::<#element>().write(__returned #value);)
    });
    quote_spanned! {Span::mixed_site()=>
        unsafe {
            let __returned = #name::gpu_device::on(__thread).call #turbofish(#(#arguments,)* #(__extents[#extents]),*)?;
            #(#stores)*
        }
        ::core::result::Result::Ok(())
    }
}

/// The items that callers refer to, for a refused function: with the number of arguments that it seems to have, of any type.
pub(super) fn expand_stub(function: &Function, options: &Generalized) -> TokenStream {
    let runtime = &function.runtime;
    let inside = runtime.seen_from_inside();
    let inputs = match &options.signature {
        Some(signature) => signature.inputs.len(),
        // Whatever stands before the first output.
        None => function.params.iter().take_while(|param| !is_output(function, param)).count(),
    };
    let arguments = (0..inputs).map(|_| quote_spanned!(Span::mixed_site()=> _: impl ::core::marker::Sized + 'a));
    let module = expand_module_with(
        function,
        quote_spanned! {Span::mixed_site()=>
            // Without the type parameters, which nothing determines.
            #[doc(hidden)]
            pub enum Refused {}
            #[doc(hidden)]
            pub fn map<'a>(#(#arguments),*) -> #inside::Batch<'a, Refused> {
                ::core::unreachable!()
            }
        },
    );
    let name = &function.name;
    let unreachable = quote_spanned!(Span::mixed_site()=> ::core::unreachable!());
    let stub = Implementation {
        function_type: quote_spanned!(Span::mixed_site()=> #name::Refused),
        bounded: Vec::new(),
        fmad: true,
        output: likely_output(function, inputs),
        signature: quote_spanned! {Span::mixed_site()=>
            #runtime::__private::Signature { text: "", dimensions: &[], operands: &[], inputs: 0, extent_parameters: &[] }
        },
        source: unreachable.clone(),
        call: unreachable,
    };
    let definition = expand_impl(function, stub, TokenStream::new());
    quote_spanned!(Span::mixed_site()=> #module #definition)
}

fn is_output(function: &Function, param: &Param) -> bool {
    matches!(function.local(param.local).ty, Type::Slice { mutable: true, .. })
}

/// What the outputs seem to be, going by the function alone: its parameters but the first `inputs`, and its return type.
fn likely_output(function: &Function, inputs: usize) -> TokenStream {
    let single = |ty: &Type| expand_scalar(ty.as_scalar().unwrap_or(Scalar::F32), function.name.span());
    let written = function.params.iter().skip(inputs).filter(|param| is_output(function, param));
    let mut elements: Vec<_> = written.map(|param| single(element_type(&function.local(param.local).ty))).collect();
    elements.extend(function.output.components().iter().filter(|ty| ty.is_array_element()).map(single));
    if (1..=4).contains(&elements.len()) { item_type(elements) } else { single(&Type::Refused) }
}
