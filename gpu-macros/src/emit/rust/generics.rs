//! Type and const parameters: their declaration, and how a call finds its instance.
//!
//! Caller and callee are connected by the runtime's trait `DeviceFunction`: the caller lists what it knows of the types in the call
//! ([`expand_callee`]), the callee says where each of its type parameters is to be found in such a list ([`expand_lookup`]).

use super::attributes;
use super::method::mark_name;
use super::source_unit::device_path;
use super::tokens::{expand_scalar, expand_type, glue};
use crate::emit::{Callee, Known};
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};

/// A type or const parameter.
#[derive(Clone, Copy)]
enum Generic<'f> {
    Type(&'f TypeParam),
    Const(&'f ConstParam),
    /// It is C++ that makes instances for these.
    Function(&'f FunctionParam),
}

/// The generic parameters of the function, in the order declared; without const parameters whose type was refused.
fn generics(function: &Function) -> impl Iterator<Item = Generic<'_>> {
    function.generics.params.iter().filter_map(|param| match param {
        syn::GenericParam::Type(param) => {
            let functions = &function.function_params;
            let is_function = functions.iter().find(|known| known.name == param.ident).map(Generic::Function);
            is_function.or_else(|| function.type_params.iter().find(|known| known.name == param.ident).map(Generic::Type))
        }
        syn::GenericParam::Const(param) => function.const_params.iter().find(|known| known.name == param.ident).map(Generic::Const),
        syn::GenericParam::Lifetime(_) => None,
    })
}

/// Whether something that the function is generic over was refused. Then little of it is declared.
pub(super) fn has_refused_params(function: &Function) -> bool {
    let declared = function.generics.params.len();
    let known = function.type_params.len() + function.const_params.len() + function.function_params.len();
    known < declared || function.type_params.iter().any(|param| param.is_refused)
}

/// Whether it has several instances.
pub(super) fn is_generic(function: &Function) -> bool {
    let any = !function.type_params.is_empty() || !function.const_params.is_empty();
    any && !has_refused_params(function)
}

/// `T: Float, const N: usize`, with the runtime's own traits.
pub(super) fn expand_bounded_params(function: &Function) -> Vec<TokenStream> {
    expand_bounded_params_in(function, &function.runtime)
}

/// The same, where the runtime has this path.
pub(super) fn expand_bounded_params_in(function: &Function, runtime: &RuntimePath) -> Vec<TokenStream> {
    generics(function).filter(|param| !matches!(param, Generic::Function(_))).map(|param| expand_bounded(param, runtime)).collect()
}

/// The same with the parameters that stand for functions: what the twin is generic over.
pub(super) fn expand_call_params(function: &Function) -> Vec<TokenStream> {
    generics(function).map(|param| expand_bounded(param, &function.runtime)).collect()
}

fn expand_bounded(param: Generic<'_>, runtime: &RuntimePath) -> TokenStream {
    match param {
        Generic::Type(TypeParam { name, is_refused: true, .. }) => name.to_token_stream(),
        Generic::Type(TypeParam { name, class, traits, is_device_type, .. }) => {
            let ours = class.map(Class::name).into_iter().chain(is_device_type.then_some("DeviceType"));
            let ours = ours.map(|name| Ident::new(name, Span::mixed_site()));
            let users = traits.iter().map(|bound| &bound.path);
            quote_spanned!(Span::mixed_site()=> #name: #(#runtime::#ours +)* #(#users +)*)
        }
        Generic::Const(ConstParam { name, scalar }) => {
            let scalar = expand_scalar(*scalar, name.span());
            quote_spanned!(Span::mixed_site()=> const #name: #scalar)
        }
        Generic::Function(FunctionParam { name, ty }) => {
            let bound = expand_fn_bound(runtime, ty, name.span());
            quote_spanned!(Span::mixed_site()=> #name: #bound)
        }
    }
}

/// `Fn(f32) -> Result<f32, Stop>`: what the twin takes for a function.
pub(super) fn expand_fn_bound(runtime: &RuntimePath, ty: &FunctionType, span: Span) -> TokenStream {
    let expand = |ty| expand_type(ty, span).unwrap_or_else(|| quote_spanned!(Span::mixed_site()=> ()));
    let (inputs, output) = (expand_inputs(ty, span), expand(&ty.output));
    let bound = Ident::new(if ty.is_mut { "FnMut" } else { "Fn" }, Span::mixed_site());
    quote_spanned! {Span::mixed_site()=>
        ::core::ops::#bound(#(#inputs),*) -> ::core::result::Result<#output, #runtime::__private::Stop>
    }
}

/// `f32, &Vector`: what a function takes.
pub(super) fn expand_inputs(ty: &FunctionType, span: Span) -> Vec<TokenStream> {
    let expand = |(ty, by_reference): (&Type, &bool)| {
        let ty = expand_type(ty, span).unwrap_or_else(|| quote_spanned!(Span::mixed_site()=> ()));
        if *by_reference { quote_spanned!(Span::mixed_site()=> &#ty) } else { ty }
    };
    ty.inputs.iter().zip(&ty.by_reference).map(expand).collect()
}

/// `::<T, _, N>`, which leaves functions to rustc.
pub(super) fn expand_call_turbofish(function: &Function) -> Option<TokenStream> {
    if !is_generic(function) {
        return None;
    }
    let arguments = generics(function).map(|param| match param {
        Generic::Type(TypeParam { name, .. }) | Generic::Const(ConstParam { name, .. }) => name.to_token_stream(),
        Generic::Function(_) => quote_spanned!(Span::mixed_site()=> _),
    });
    Some(quote_spanned!(Span::mixed_site()=> ::<#(#arguments),*>))
}

/// `T, const N: usize`: the parameters of a type that stands for an instance.
pub(super) fn expand_instance_params(function: &Function) -> Vec<TokenStream> {
    if has_refused_params(function) {
        return Vec::new();
    }
    let params = generics(function).filter_map(|param| match param {
        Generic::Type(param) => Some(param.name.to_token_stream()),
        Generic::Const(ConstParam { name, scalar }) => {
            let scalar = expand_scalar(*scalar, name.span());
            Some(quote_spanned!(Span::mixed_site()=> const #name: #scalar))
        }
        Generic::Function(_) => None,
    });
    params.collect()
}

/// `T, N`: what names the instance where the parameters are in scope.
pub(super) fn expand_instance_arguments(function: &Function) -> Vec<&Ident> {
    if has_refused_params(function) {
        return Vec::new();
    }
    let names = generics(function).filter_map(|param| match param {
        Generic::Type(TypeParam { name, .. }) | Generic::Const(ConstParam { name, .. }) => Some(name),
        Generic::Function(_) => None,
    });
    names.collect()
}

/// The name of a generic kernel's instance, `axpy::<f32>`, as a constant expression.
pub(super) fn expand_instance_name(function: &Function, name: &str) -> TokenStream {
    let runtime = &function.runtime;
    let arguments = generics(function).filter_map(|param| match param {
        Generic::Type(TypeParam { name, class: Some(_), .. }) => {
            Some(quote_spanned!(Span::mixed_site()=> text(#runtime::__private::element_name::<#name>())))
        }
        Generic::Type(TypeParam { name, traits, .. }) => Some(match traits.first() {
            Some(TraitBound { path }) => {
                let mark = mark_name(Span::mixed_site());
                quote_spanned!(Span::mixed_site()=> text(<#name as #path>::#mark))
            }
            None => quote_spanned!(Span::mixed_site()=> text("_")),
        }),
        Generic::Const(ConstParam { name, scalar: Scalar::Bool }) => {
            Some(quote_spanned!(Span::mixed_site()=> text(if #name { "true" } else { "false" })))
        }
        Generic::Const(ConstParam { name, .. }) => Some(quote_spanned!(Span::mixed_site()=> integer(#name as ::core::primitive::i128))),
        Generic::Function(_) => None,
    });
    quote_spanned! {Span::mixed_site()=>
        const { &#runtime::__private::InstanceName::new(#name) #(.#arguments)* .finish() }.as_str()
    }
}

/// The type parameters, or none of them after an error in what the function is generic over.
pub(super) fn known_params(function: &Function) -> &[TypeParam] {
    if has_refused_params(function) { &[] } else { &function.type_params }
}

/// The type behind a call, as an implementation of `DeviceFunction`, or of `NamedFunction`.
pub(super) fn expand_callee(runtime: &RuntimePath, callee: &Callee) -> TokenStream {
    let Callee { path, explicit, output, args, by_name } = callee;
    let span = path.segments.last().map_or_else(Span::mixed_site, |last| glue(last.ident.span()));
    let path = device_path(path);
    let expand = |known: &Known| expand_known(runtime, known, span);
    let (explicit, output, args) = (explicit.iter().map(expand), expand(output), args.iter().map(expand));
    match by_name {
        true => quote_spanned!(span=> <#path as #runtime::calls::NamedFunction<(#(#explicit,)*)>>),
        false => quote_spanned!(span=> <#path as #runtime::calls::DeviceFunction<(#(#explicit,)*), (#output, #(#args,)*)>>),
    }
}

fn expand_known(runtime: &RuntimePath, known: &Known, span: Span) -> TokenStream {
    let ty = match known {
        Known::Nothing => None,
        Known::Const(argument) => return expand_const_argument(runtime, argument, span),
        Known::Type(ty) => expand_type(ty, span),
        Known::Lent(ty) => {
            let array = expand_type(ty, span).unwrap_or_else(|| quote_spanned!(span=> ()));
            return quote_spanned!(span=> #runtime::calls::Lent<#array>);
        }
        Known::OutputOf(callee) => {
            let callee = expand_callee(runtime, callee);
            Some(quote_spanned!(span=> #callee::Output))
        }
        // A type has no name where an expression leads to it.
        Known::Returned(_) | Known::Part(..) | Known::Reference(..) | Known::Operation(_) | Known::Expression(_) | Known::Literal(..) => {
            None
        }
    };
    match ty {
        Some(ty) => quote_spanned!(span=> #runtime::calls::Known<#ty>),
        None => quote_spanned!(span=> #runtime::calls::Unknown),
    }
}

/// A constant as each of the types that the callee's parameter may have.
fn expand_const_argument(runtime: &RuntimePath, argument: &ConstArgument, span: Span) -> TokenStream {
    let value = &argument.tokens;
    let slots = ConstParam::SCALARS.map(|scalar| {
        let ty = expand_scalar(scalar, span);
        let value = match argument.kind {
            ConstArgumentKind::Integer(value) if !holds(scalar, value) => None,
            ConstArgumentKind::Integer(value) => {
                let value = proc_macro2::Literal::i128_unsuffixed(value);
                Some(quote_spanned!(span=> #value))
            }
            ConstArgumentKind::Bool | ConstArgumentKind::Param(Scalar::Bool) => (scalar == Scalar::Bool).then(|| value.clone()),
            ConstArgumentKind::Param(param) => (scalar == param).then(|| value.clone()),
            // Whatever type it has, one of these keeps it, and that is the one that the callee takes if it has that type.
            ConstArgumentKind::Expression if scalar == Scalar::Bool => Some(quote_spanned!(span=> (#value) as ::core::primitive::u8 != 0)),
            ConstArgumentKind::Expression => Some(quote_spanned!(span=> (#value) as #ty)),
        };
        match value {
            Some(value) => {
                let slot = const_slot(scalar).0;
                quote_spanned!(span=> #runtime::calls::#slot<{ #value }>)
            }
            None => quote_spanned!(span=> #runtime::calls::Unknown),
        }
    });
    quote_spanned!(span=> #runtime::calls::Const<#(#slots),*>)
}

/// The runtime's type for a constant of this type, and its name among the slots.
fn const_slot(scalar: Scalar) -> (Ident, Ident) {
    let name = match scalar {
        Scalar::Usize => "Usize",
        Scalar::U32 => "U32",
        Scalar::I32 => "I32",
        Scalar::Bool => "Bool",
        other => unreachable!("`lower` refuses const parameters of type `{}`", other.name()),
    };
    (format_ident!("Const{name}", span = Span::mixed_site()), Ident::new(name, Span::mixed_site()))
}

fn holds(scalar: Scalar, value: i128) -> bool {
    match scalar {
        Scalar::Usize => u64::try_from(value).is_ok(),
        Scalar::U32 => u32::try_from(value).is_ok(),
        Scalar::I32 => i32::try_from(value).is_ok(),
        _ => false,
    }
}

/// What the implementation of `DeviceFunction` for a callee is generic over, and for which calls it is.
pub(super) struct Lookup {
    pub(super) params: TokenStream,
    pub(super) explicit: TokenStream,
    pub(super) evidence: TokenStream,
    pub(super) conditions: TokenStream,
}

/// For a function without type parameters, any call whatever. For a generic one, the calls in which each type parameter is known.
pub(super) fn expand_lookup(function: &Function) -> Lookup {
    if !is_generic(function) {
        return Lookup {
            params: quote_spanned!(Span::mixed_site()=> Explicit_, Evidence_),
            explicit: quote_spanned!(Span::mixed_site()=> Explicit_),
            evidence: quote_spanned!(Span::mixed_site()=> Evidence_),
            conditions: TokenStream::new(),
        };
    }
    let runtime = &function.runtime;
    let arguments: Vec<Ident> =
        (0..function.params.len()).map(|index| format_ident!("Argument{index}_", span = Span::mixed_site())).collect();
    let bounded = expand_bounded_params(function);
    let conditions = expand_conditions(function, Some(&arguments));
    Lookup {
        params: quote_spanned!(Span::mixed_site()=> Explicit_: #runtime::calls::Explicit, Output_, #(#arguments,)* #(#bounded),*),
        explicit: quote_spanned!(Span::mixed_site()=> Explicit_),
        evidence: quote_spanned!(Span::mixed_site()=> (Output_, #(#arguments,)*)),
        conditions: quote_spanned!(Span::mixed_site()=> where #conditions),
    }
}

/// The implementation of `NamedFunction`: where the function is passed by its name, everything must be explicit.
pub(super) fn expand_named_function(function: &Function, instance: &TokenStream) -> TokenStream {
    let (name, runtime) = (&function.name, &function.runtime);
    let (bounded, conditions) = (expand_bounded_params(function), expand_conditions(function, None));
    let bound = is_generic(function).then(|| quote_spanned!(Span::mixed_site()=> : #runtime::calls::Explicit));
    // A message about another function need not list those of the runtime. Of a generic function, rustc would then hide what is not known:
    // only those that programs do not call are left out.
    // Elsewhere the attribute could be unknown: a module with `no_implicit_prelude` has no `diagnostic`.
    let unlisted = (RuntimePath::is_this_crate() && (!is_generic(function) || attributes::hide(function)))
        .then(|| quote_spanned!(Span::mixed_site()=> #[diagnostic::do_not_recommend]));
    quote_spanned! {Span::mixed_site()=>
        #unlisted
        unsafe impl<Explicit_ #bound, #(#bounded),*> #runtime::calls::NamedFunction<Explicit_> for #name::gpu_device where #conditions {
            type Instance = #instance;
        }
    }
}

/// That the call tells what each parameter is. `arguments`: the types that stand for what it tells of its arguments; `None` where it
/// tells nothing of them and of its result.
fn expand_conditions(function: &Function, arguments: Option<&[Ident]>) -> TokenStream {
    let runtime = &function.runtime;
    let conditions = generics(function).enumerate().filter_map(|(index, param)| {
        let position = format_ident!("P{index}", span = Span::mixed_site());
        let explicit = quote_spanned!(Span::mixed_site()=> <Explicit_ as #runtime::calls::Explicit>::#position);
        let mut bounds = Vec::new();
        let places = expand_places(function, param, &explicit, arguments, &mut bounds);
        let is_explicit = places.len() == 1;
        let list = places.into_iter().rev();
        let list = list.fold(quote_spanned!(Span::mixed_site()=> ()), |rest, place| quote_spanned!(Span::mixed_site()=> (#place, #rest)));
        let evidence = match param {
            Generic::Type(TypeParam { name, .. }) => quote_spanned!(Span::mixed_site()=> #list: #runtime::calls::Evidence<Type = #name>),
            Generic::Const(ConstParam { name, scalar }) => {
                let (ty, slot) = const_slot(*scalar);
                let constant = quote_spanned!(Span::mixed_site()=> #slot = #runtime::calls::#ty<#name>);
                match is_explicit {
                    true => quote_spanned!(Span::mixed_site()=> #explicit: #runtime::calls::ConstEvidence<#constant>),
                    false => quote_spanned!(Span::mixed_site()=> #list: #runtime::calls::LengthEvidence<#constant>),
                }
            }
            Generic::Function(_) => return None,
        };
        Some(quote_spanned!(Span::mixed_site()=> #(#bounds,)* #evidence))
    });
    quote_spanned!(Span::mixed_site()=> #(#conditions),*)
}

/// The places where `param` stands: between `::<` and `>`, in an argument, or in the result. `bounds`: what the places of
/// arrays on the way need.
fn expand_places(
    function: &Function,
    param: Generic<'_>,
    explicit: &TokenStream,
    arguments: Option<&[Ident]>,
    bounds: &mut Vec<TokenStream>,
) -> Vec<TokenStream> {
    let runtime = &function.runtime;
    let params = function.params.iter().zip(arguments.unwrap_or_default());
    let mut places = vec![explicit.clone()];
    for (place, argument) in params {
        let Local { ty, .. } = function.local(place.local);
        let (ty, place) = match ty {
            Type::Slice { element, .. } | Type::View { element, .. } => (&**element, argument.to_token_stream()),
            Type::Array(..) if function.local(place.local).is_reference() => {
                let whole = quote_spanned!(Span::mixed_site()=> <#argument as #runtime::calls::Whole>::Array);
                if let Some(found) = expand_place(runtime, ty, param, whole, bounds) {
                    bounds.push(quote_spanned!(Span::mixed_site()=> #argument: #runtime::calls::Whole));
                    places.push(found);
                }
                continue;
            }
            ty => (ty, argument.to_token_stream()),
        };
        places.extend(expand_place(runtime, ty, param, place, bounds));
    }
    if arguments.is_some() {
        places.extend(expand_place(runtime, &function.output, param, quote_spanned!(Span::mixed_site()=> Output_), bounds));
    }
    places
}

/// Where `param` is, if `place` tells of a type `ty`.
fn expand_place(
    runtime: &RuntimePath,
    ty: &Type,
    param: Generic<'_>,
    place: TokenStream,
    bounds: &mut Vec<TokenStream>,
) -> Option<TokenStream> {
    match (ty, param) {
        (Type::Array(_, length), Generic::Const(ConstParam { name, scalar: Scalar::Usize })) if *name == length.tokens().to_string() => {
            Some(place)
        }
        (Type::Std(_, arguments), param) => arguments.iter().enumerate().find_map(|(index, argument)| {
            let position = format_ident!("P{index}", span = Span::mixed_site());
            let inner = quote_spanned!(Span::mixed_site()=> <#place as #runtime::calls::Arguments>::#position);
            let found = expand_place(runtime, argument, param, inner, bounds)?;
            bounds.insert(0, quote_spanned!(Span::mixed_site()=> #place: #runtime::calls::Arguments));
            Some(found)
        }),
        (Type::Array(element, _), param) => {
            let inner = quote_spanned!(Span::mixed_site()=> <#place as #runtime::calls::Inside>::Element);
            let found = expand_place(runtime, element, param, inner, bounds)?;
            bounds.insert(0, quote_spanned!(Span::mixed_site()=> #place: #runtime::calls::Inside));
            Some(found)
        }
        (ty, Generic::Type(param)) => (*ty == param.as_type()).then_some(place),
        _ => None,
    }
}
