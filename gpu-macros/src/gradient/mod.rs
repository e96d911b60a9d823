//! `#[gpu_device(grad)]` and `#[vectorize(grad)]`: a second copy of the function in which each float is a dual number, and the functions
//! `grad`, `value_and_grad` and `jvp` in the function's module. That of arrays also has `traced`, the function of traced arrays.
//!
//! With `grad = 2`, a third copy has dual numbers of dual numbers, and `grad`, `value_and_grad` and `jvp` have copies with dual numbers
//! themselves; `hessian` has the second derivatives.
//!
//! The copy is the function's own text with other types and literals. It goes through the pipeline as any device function does, and rustc
//! checks its types: a dual number never becomes a plain number without a word, so nothing drops a derivative.

use crate::errors::Errors;
use crate::model::RuntimePath;
use copier::{Copier, variables};
use functions::Functions;
use inward::names_items;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};

mod adjoint;
mod copier;
mod functions;
mod inward;

pub(crate) use adjoint::{take_grad, with_adjoint};

/// The module with the copy, in the module of a function with a derivative: a call is `path::MODULE::dual(…)`. rustc reports its name where
/// the function that is called has no derivative.
const MODULE: &str = "write_grad_in_the_attribute_of_this_function";

/// The array function with the three second derivatives by two floats.
const CURVATURES: &str = "__curvatures";

/// The argument of an attribute that this module writes itself: see [`Asked::Items`].
const WITH_ITEMS: &str = "__with_items";

/// Methods that are constant between their jumps.
const STEPS: [&str; 5] = ["floor", "ceil", "round", "round_ties_even", "trunc"];

/// Why a method of [`STEPS`] has no derivative.
fn message_of_step(name: &str) -> String {
    format!(
        "the derivative of `{name}` is zero, and does not exist at its jumps\nhelp: if the result is to count as a constant, write `stop_gradient(x.{name}())`"
    )
}

/// The types of parameters that are constants.
const NUMBERS: [&str; 11] = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "isize", "usize", "bool"];

/// What an attribute adds to a function.
pub(crate) enum Asked {
    /// Derivatives up to this order.
    Derivatives(Order),
    /// These items, in its module: what `grad` itself has, if it has derivatives.
    Items(TokenStream),
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Order {
    First,
    Second,
}

/// What the arguments ask for, if it is derivatives and nothing else.
pub(crate) fn parse_asked(arguments: &TokenStream) -> Option<Asked> {
    match arguments.to_string().replace(' ', "").as_str() {
        "grad" => return Some(Asked::Derivatives(Order::First)),
        "grad=2" => return Some(Asked::Derivatives(Order::Second)),
        _ => {}
    }
    let mut tokens = arguments.clone().into_iter();
    match (tokens.next()?, tokens.next()?) {
        (TokenTree::Ident(word), TokenTree::Group(items)) if word == WITH_ITEMS => Some(Asked::Items(items.stream())),
        _ => None,
    }
}

/// The expansion of the attribute without these arguments, with what they ask for in the module of the function. `of_arrays` is that of
/// `#[vectorize]`.
pub(crate) fn with_gradient(asked: Asked, expansion: TokenStream, item: TokenStream, of_arrays: bool) -> TokenStream {
    let order = match asked {
        Asked::Derivatives(order) => order,
        Asked::Items(items) => {
            return match syn::parse2::<syn::ItemFn>(item) {
                Ok(function) => insert(expansion, &function.sig.ident, &items),
                Err(_) => expansion,
            };
        }
    };
    let gradient = match syn::parse2::<syn::ItemFn>(item.clone()) {
        Ok(function) => {
            let errors = Errors::new();
            let items = expand_gradient(&function, order, of_arrays, &errors);
            let asserted = expand_same_scope(&function);
            errors.check().map(|()| {
                let expansion = insert(expansion.clone(), &function.sig.ident, &items.unwrap_or_default());
                quote!(#expansion #asserted)
            })
        }
        // What is no Rust is reported without the derivative.
        Err(_) if syn::parse2::<syn::Item>(item.clone()).is_err() => return expansion,
        Err(_) => {
            let span = item.into_iter().next().map_or_else(Span::call_site, |first| first.span());
            Err(syn::Error::new(
                span,
                "only a function has a derivative\nhelp: remove `grad` here, and write it above a function of numbers",
            ))
        }
    };
    gradient.unwrap_or_else(|error| {
        let error = error.into_compile_error();
        quote!(#expansion #error)
    })
}

/// That the function stands in a module, if it may name items: its derivatives would see others from inside of a block.
fn expand_same_scope(function: &syn::ItemFn) -> Option<TokenStream> {
    let (parameters, block, name) = (&function.sig.inputs, &function.block, &function.sig.ident);
    let parameter = |input: &syn::FnArg| match input {
        syn::FnArg::Typed(input) => input.pat.to_token_stream(),
        syn::FnArg::Receiver(_) => TokenStream::new(),
    };
    let bound = parameters.iter().map(parameter);
    let runtime = RuntimePath::default();
    names_items(quote!(#(let #bound;)* #block)).then(|| quote!(const _: () = #runtime::calls::same_function(#name, self::#name);))
}

/// `tokens` with `items` at the end of its module `name`.
fn insert(tokens: TokenStream, name: &Ident, items: &TokenStream) -> TokenStream {
    let mut before = [String::new(), String::new()];
    let add = |token: TokenTree| {
        let is_module = before[0] == "mod" && *name == before[1];
        before = [std::mem::take(&mut before[1]), token.to_string()];
        match token {
            TokenTree::Group(group) if is_module && group.delimiter() == Delimiter::Brace => {
                let stream = group.stream();
                TokenTree::Group(Group::new(Delimiter::Brace, quote!(#stream #items)))
            }
            other => other,
        }
    };
    tokens.into_iter().map(add).collect()
}

/// A parameter: what the derivative is by, or a constant.
struct Parameter<'f> {
    name: &'f Ident,
    ty: &'f syn::Type,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Constant,
    Float,
    /// An array of that many floats.
    Array(usize),
}

/// An array function makes up to four arrays.
const MOST_RESULTS: usize = 4;

/// The derivative by an array is one evaluation for each element.
const LONGEST: usize = 16;

fn expand_gradient(function: &syn::ItemFn, order: Order, of_arrays: bool, errors: &Errors) -> Option<TokenStream> {
    let signature = &function.sig;
    if !signature.generics.params.is_empty() || signature.asyncness.is_some() || !matches!(signature.safety, syn::Safety::Default) {
        let message = "only a plain function has a derivative, not a generic, `async` or `unsafe` one\nhelp: write it for `f64` or `f32`";
        errors.push(signature.ident.span(), message);
        return None;
    }
    // With arrays of numbers, and one number as a result, it has both, if there is an adjoint: closures have none.
    let (takes_parts, is_of_numbers) = (adjoint::takes_parts(signature), is_of_numbers(signature));
    if takes_parts && !is_of_numbers {
        let adjoint::DeviceAdjoint { inside, beside } = adjoint::expand_device_adjoint(function, errors)?;
        let module = Ident::new(MODULE, Span::call_site());
        return Some(quote! {
            #[doc(hidden)]
            #[allow(warnings, clippy::all, clippy::pedantic)]
            pub mod #module {
                use super::super::*;
                #inside
            }
            #beside
        });
    }
    let without = Errors::new();
    let adjoint = takes_parts.then(|| adjoint::expand_device_adjoint(function, &without)).flatten();
    let adjoint = without.check().ok().and(adjoint).map(|adjoint| adjoint.inside);
    let float = match &signature.output {
        syn::ReturnType::Type(_, ty) if is_named(ty, &["f32", "f64"]) => ty.to_token_stream().to_string(),
        _ => {
            errors.push(signature.ident.span(), "a function with a derivative returns one number\nhelp: return an `f64` or an `f32`");
            return None;
        }
    };
    let parameters: Vec<_> = signature.inputs.iter().filter_map(|input| read_parameter(input, &float, errors)).collect();
    if parameters.len() < signature.inputs.len() {
        return None;
    }
    if !parameters.iter().any(|parameter| parameter.kind != Kind::Constant) {
        errors.push(signature.ident.span(), format!("there is nothing to differentiate by\nhelp: add a parameter of type `{float}`"));
        return None;
    }
    let runtime = RuntimePath::default();
    let body: TokenStream = function.block.stmts.iter().map(ToTokens::to_token_stream).collect();
    let copy_of = |order: Order, name: &str, errors: &Errors| {
        let dual = number(order, &float, &runtime);
        let copier = Copier { float: &float, order, dual: &dual, variables: variables(body.clone()), is_stopped: false, errors };
        let (inputs, body, name) = (copier.copy(signature.inputs.to_token_stream()), copier.copy(body.clone()), format_ident!("{name}"));
        quote! {
            #[#runtime::gpu_device]
            pub fn #name(#inputs) -> #dual { #body }
        }
    };
    let first = copy_of(Order::First, "dual", errors);
    let second = (order == Order::Second).then(|| {
        let same_errors = Errors::new();
        let copy = copy_of(Order::Second, "second", &same_errors);
        // It has the mistakes of the first copy, which are reported once.
        let _ = same_errors.check();
        copy
    });
    let module = Ident::new(MODULE, Span::call_site());
    let functions = Functions { parameters: &parameters, float: format_ident!("{float}"), order, runtime: &runtime }.expand();
    let traced = of_arrays.then(|| expand_traced(&signature.ident, &parameters, order, &runtime));
    // The module is two levels inside of the user's scope. It contains nothing but the copies, so no name of ours hides one of the user's.
    Some(quote! {
        #[doc(hidden)]
        #[allow(warnings, clippy::all, clippy::pedantic)]
        pub mod #module {
            use super::super::*;
            #first
            #second
            #adjoint
        }
        #functions
        #traced
    })
}

/// Whether it takes numbers and arrays of numbers, and returns one number.
fn is_of_numbers(signature: &syn::Signature) -> bool {
    let is_number = |ty: &syn::Type| is_named(ty, &["f32", "f64"]) || is_named(ty, &NUMBERS);
    let takes_numbers = signature.inputs.iter().all(|input| match input {
        syn::FnArg::Typed(input) => match &*input.ty {
            syn::Type::Array(array) => is_number(&array.elem),
            ty => is_number(ty),
        },
        syn::FnArg::Receiver(_) => false,
    });
    takes_numbers && matches!(&signature.output, syn::ReturnType::Type(_, ty) if is_number(ty))
}

/// The dual number of that order.
fn number(order: Order, float: &str, runtime: &RuntimePath) -> TokenStream {
    let name = match order {
        Order::First => format_ident!("Dual{}", &float[1..]),
        Order::Second => format_ident!("SecondDual{}", &float[1..]),
    };
    quote!(#runtime::gradient::#name)
}

fn is_named(ty: &syn::Type, names: &[&str]) -> bool {
    matches!(ty, syn::Type::Path(path) if path.path.get_ident().is_some_and(|name| names.contains(&name.to_string().as_str())))
}

fn read_parameter<'f>(input: &'f syn::FnArg, float: &str, errors: &Errors) -> Option<Parameter<'f>> {
    if let syn::FnArg::Typed(input) = input
        && let syn::Pat::Ident(pattern) = &*input.pat
    {
        let kind = match &*input.ty {
            ty if is_named(ty, &[float]) => Some(Kind::Float),
            ty if is_named(ty, &NUMBERS) => Some(Kind::Constant),
            syn::Type::Array(array) if is_named(&array.elem, &[float]) => {
                literal_length(&array.len).filter(|length| (1..=LONGEST).contains(length)).map(Kind::Array)
            }
            _ => None,
        };
        if let Some(kind) = kind {
            return Some(Parameter { name: &pattern.ident, ty: &input.ty, kind });
        }
    }
    let span = input.to_token_stream().into_iter().next().map_or_else(Span::call_site, |first| first.span());
    let help = match input {
        syn::FnArg::Typed(input) if is_named(&input.ty, &["f32", "f64"]) => format!("declare it as `{float}`, the type of the result"),
        syn::FnArg::Typed(syn::PatType { ty, .. }) if matches!(**ty, syn::Type::Reference(_)) => {
            format!("pass the number itself, or an array `[{float}; 3]`, not a reference")
        }
        syn::FnArg::Typed(syn::PatType { ty, .. }) if matches!(**ty, syn::Type::Array(_)) => {
            format!("an array has from 1 to {LONGEST} elements of type `{float}`, and its length is written as a number")
        }
        _ => "pass the numbers one by one, or in an array".to_owned(),
    };
    let message = format!(
        "a function with a derivative takes `{float}` and `[{float}; 3]`, which the derivative is by, and integers and `bool`, which are constants\nhelp: {help}"
    );
    errors.push(span, message);
    None
}

fn literal_length(length: &syn::Expr) -> Option<usize> {
    match length {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(length), .. }) => length.base10_parse().ok(),
        _ => None,
    }
}

/// `traced`, the function of traced arrays, if `grad` is an array function.
fn expand_traced(name: &Ident, parameters: &[Parameter<'_>], order: Order, runtime: &RuntimePath) -> Option<TokenStream> {
    let mut floats = 0;
    let mut components = Vec::new();
    for parameter in parameters {
        components.push(match parameter.kind {
            Kind::Array(_) => return None,
            Kind::Constant => quote!(::core::option::Option::None),
            Kind::Float => {
                floats += 1;
                let component = floats - 1;
                quote!(::core::option::Option::Some(#component))
            }
        });
    }
    if floats > MOST_RESULTS {
        return None;
    }
    let (hessian, is_curved) = match (order, floats) {
        (Order::Second, 1) => (format_ident!("hessian"), quote!(::core::option::Option::Some(true))),
        (Order::Second, 2) => (format_ident!("{CURVATURES}"), quote!(::core::option::Option::Some(true))),
        _ => (format_ident!("grad"), quote!(::core::option::Option::None)),
    };
    let names: Vec<_> = (0..parameters.len()).map(|index| format_ident!("x{index}")).collect();
    let arrays: Vec<_> = (0..parameters.len()).map(|index| format_ident!("X{index}")).collect();
    let types = parameters.iter().map(|parameter| parameter.ty);
    let doc = format!("`{name}` of the elements of traced arrays, and of constants.\n\nTheir shapes are broadcast.");
    Some(quote_spanned! {Span::mixed_site()=>
        impl #runtime::gradient::Derivative for self::Function {
            type Gradient = self::grad::Function;
            const COMPONENTS: &'static [::core::option::Option<::core::primitive::usize>] = &[#(#components),*];
            type Hessian = self::#hessian::Function;

            fn is_curved(_: ::core::primitive::usize) -> ::core::option::Option<::core::primitive::bool> {
                #is_curved
            }
        }

        #[doc = #doc]
        pub fn traced<'a, #(#arrays: #runtime::gradient::IntoTraced<'a, #types>),*>(
            #(#names: #arrays),*
        ) -> #runtime::gradient::Traced<'a, #runtime::__private::Apply<self::Function, (#(#arrays::Expression,)*)>> {
            #runtime::gradient::Traced::new(#runtime::__private::Apply::new((#(#runtime::gradient::IntoTraced::into_traced(#names),)*)))
        }
    })
}
