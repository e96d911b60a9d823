//! A generalized function: a device function, and in its module `map` and the items that the runtime needs to call it for every index of a
//! loop.

use super::attributes;
use super::device::expand_in_thread;
use super::tokens::{expand_module_of, expand_outcome, expand_scalar, text};
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// An input or output of one call, and where the function has it.
struct Operand<'f> {
    axes: &'f CoreAxes,
    /// The user's name for the parameter; `None` for a returned output.
    name: Option<&'f Ident>,
    element: TokenStream,
}

/// The inputs and then the outputs, of a function that fits its signature.
fn operands<'f>(function: &'f Function, signature: &'f CoreSignature) -> Vec<Operand<'f>> {
    let mut params = function.params.iter();
    let mut returned = returned_elements(function).into_iter();
    let mut operand = |axes, is_returned| {
        if is_returned {
            let element = returned.next().expect("the return type was checked");
            return Operand { axes, name: None, element };
        }
        let local = function.local(params.next().expect("the parameters were counted").local);
        let element = param_element(local).expect("the types of parameters were checked");
        Operand { axes, name: Some(&local.name), element }
    };
    let mut operands: Vec<_> = signature.inputs.iter().map(|axes| operand(axes, false)).collect();
    operands.extend(signature.outputs.iter().map(|axes| operand(axes, axes.is_empty())));
    operands
}

fn param_element(local: &Local) -> Option<TokenStream> {
    match &local.ty {
        Type::Slice { element, .. } => element.as_scalar(),
        ty => ty.as_scalar(),
    }
    .map(|scalar| expand_scalar(scalar, local.name.span()))
}

/// The element types of the outputs without core axes.
fn returned_elements(function: &Function) -> Vec<TokenStream> {
    let elements = match &function.output {
        Type::Tuple(elements) => elements.as_slice(),
        single => std::slice::from_ref(single),
    };
    elements.iter().filter_map(Type::as_scalar).map(|scalar| expand_scalar(scalar, function.name.span())).collect()
}

/// The module of the function's name.
pub(super) fn expand_module(function: &Function, signature: &CoreSignature) -> TokenStream {
    let runtime = function.runtime.seen_from_inside();
    let operands = operands(function, signature);
    let inputs = &operands[..signature.inputs.len()];
    let names: Vec<_> = inputs.iter().map(|input| &input.name).collect();
    let elements: Vec<_> = inputs.iter().map(|input| &input.element).collect();
    let doc = map_doc(function, signature, &operands);
    expand_module_with(
        function,
        quote_spanned! {Span::mixed_site()=>
            #[doc = #doc]
            pub fn map<'a>(#(#names: impl #runtime::IntoLazy<#elements, Expression: 'a>),*) -> #runtime::Batch<'a, gpu_device> {
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
    let in_thread = expand_in_thread(function, &quote_spanned!(Span::mixed_site()=> pub));
    let items = quote_spanned! {Span::mixed_site()=>
        // Named like the attribute of device functions: see there. It has no value, which a parameter's name could mean.
        #[doc(hidden)]
        pub struct gpu_device {}
        #in_thread

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
    let Signature { name, runtime, .. } = &function.signature;
    let operands = operands(function, signature);
    let output = item_type(operands[signature.inputs.len()..].iter().map(|output| output.element.clone()).collect());
    let table = expand_signature(function, signature, &operands);
    let call = expand_call(function, signature, &operands);
    expand_impl(
        function,
        options.fmad,
        &output,
        &table,
        quote_spanned! {Span::mixed_site()=>
            <#name::gpu_device as #runtime::calls::DeviceFunction<(), ()>>::callee()
        },
        call,
    )
}

fn expand_impl(
    function: &Function,
    fmad: bool,
    output: &TokenStream,
    signature: &TokenStream,
    callee: TokenStream,
    call: TokenStream,
) -> TokenStream {
    let Signature { name, runtime, .. } = &function.signature;
    let attrs = attributes::repeated(function);
    let generated = attributes::generated();
    let name_text = text(name);
    let outcome = expand_outcome(function, &quote_spanned!(Span::mixed_site()=> ()));
    quote_spanned! {Span::mixed_site()=>
        #attrs
        #generated
        const _: () = {
            unsafe impl #runtime::__private::GeneralizedFunction for #name::gpu_device {
                type Output = #output;
                const SIGNATURE: &'static #runtime::__private::Signature = &#signature;
                const NAME: &'static ::core::primitive::str = #name_text;
                const FMAD: ::core::primitive::bool = #fmad;

                fn callee() -> #runtime::calls::Callee {
                    #callee
                }

                unsafe fn call(
                    __thread: &#runtime::__private::Thread<'_>,
                    __operands: &[*mut ::core::primitive::u8],
                    __extents: &[::core::primitive::usize],
                ) -> #outcome {
                    #call
                }
            }
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
    let operands = operands.iter().map(|Operand { axes, name, element }| {
        let name = name.map_or_else(|| "result".to_owned(), text);
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
    let arguments = params.map(|(number, Operand { axes, element, .. })| {
        if axes.is_empty() {
            return quote_spanned!(Span::mixed_site()=> __operands[#number].cast::<#element>().read());
        }
        let core = if number < signature.inputs.len() { "core_slice" } else { "core_slice_mut" };
        let core = Ident::new(core, Span::mixed_site());
        quote_spanned!(Span::mixed_site()=> #runtime::__private::#core::<#element>(__operands[#number], &[#(__extents[#axes]),*]))
    });
    let extents = extents(function, signature);
    let returned: Vec<_> = operands.iter().enumerate().filter(|(_, operand)| operand.name.is_none()).collect();
    let stores = returned.iter().enumerate().map(|(component, (number, Operand { element, .. }))| {
        let component = syn::Index::from(component);
        let value = if returned.len() == 1 { TokenStream::new() } else { quote_spanned!(Span::mixed_site()=> .#component) };
        quote_spanned!(Span::mixed_site()=> __operands[#number].cast::<#element>().write(__returned #value);)
    });
    quote_spanned! {Span::mixed_site()=>
        unsafe {
            let __returned = #name::gpu_device::on(__thread).call(#(#arguments,)* #(__extents[#extents]),*)?;
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
            #[doc(hidden)]
            pub fn map<'a>(#(#arguments),*) -> #inside::Batch<'a, gpu_device> {
                ::core::unreachable!()
            }
        },
    );
    let signature = quote_spanned! {Span::mixed_site()=>
        #runtime::__private::Signature { text: "", dimensions: &[], operands: &[], inputs: 0, extent_parameters: &[] }
    };
    let unreachable = quote_spanned!(Span::mixed_site()=> ::core::unreachable!());
    let definition = expand_impl(function, true, &likely_output(function, inputs), &signature, unreachable.clone(), unreachable);
    quote_spanned!(Span::mixed_site()=> #module #definition)
}

fn is_output(function: &Function, param: &Param) -> bool {
    matches!(function.local(param.local).ty, Type::Slice { mutable: true, .. })
}

/// What the outputs seem to be, going by the function alone: its parameters but the first `inputs`, and its return type.
fn likely_output(function: &Function, inputs: usize) -> TokenStream {
    let written = function.params.iter().skip(inputs).filter(|param| is_output(function, param));
    let mut elements: Vec<_> = written.filter_map(|param| param_element(function.local(param.local))).collect();
    elements.extend(returned_elements(function));
    if (1..=4).contains(&elements.len()) { item_type(elements) } else { expand_scalar(Scalar::F32, function.name.span()).to_token_stream() }
}
