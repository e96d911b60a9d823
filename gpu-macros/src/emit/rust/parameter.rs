//! What a parameter is in generated Rust, wherever it is spelled.
//!
//! An array is one row of a table: what a launcher takes for it, what lies in a launch, and what the twin of a device function takes. How
//! an argument is bound for a launch and what a kernel's twin has of it is the business of the runtime's trait `Argument`.

use super::generics::{expand_fn_bound, has_refused_params};
use super::tokens::{elided, expand_atomic, glue, slice_element, view_type};
use crate::model::*;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// The spellings of a kind of array. Paths are seen from the runtime.
struct Array {
    /// The trait of what a launcher takes, and its method that makes the argument.
    launched: (&'static str, &'static str),
    /// The argument.
    argument: &'static str,
    /// The trait of what the twin of a device function takes, and its method that makes what the twin has.
    passed: (&'static str, &'static str),
    /// The same in an asynchronous function: other threads run, and may write, before it ends.
    passed_async: (&'static str, &'static str),
}

static SLICE: Array = Array {
    launched: ("__private::IntoDeviceSlice", "into_device_slice"),
    argument: "DeviceSlice",
    passed: ("__private::IntoSlice", "into_slice"),
    passed_async: ("__private::IntoSliceRef", "into_slice_ref"),
};

static SLICE_MUT: Array = Array {
    launched: ("__private::IntoDeviceSliceMut", "into_device_slice_mut"),
    argument: "DeviceSliceMut",
    passed: ("__private::IntoSliceMut", "into_slice_mut"),
    passed_async: ("__private::IntoSliceMut", "into_slice_mut"),
};

/// Atomics may be borrowed while other threads run.
static ATOMICS: Array = Array {
    launched: ("__private::IntoDeviceAtomics", "into_device_atomics"),
    argument: "DeviceAtomics",
    passed: ("__private::IntoSlice", "into_slice"),
    passed_async: ("__private::IntoSlice", "into_slice"),
};

static VIEW: Array = Array {
    launched: ("IntoView", "into_view"),
    argument: "DeviceView",
    passed: ("calls::PassView", "pass_view"),
    passed_async: ("calls::PassView", "pass_view"),
};

static VIEW_MUT: Array = Array {
    launched: ("IntoViewMut", "into_view_mut"),
    argument: "DeviceViewMut",
    passed: ("calls::PassViewMut", "pass_view_mut"),
    passed_async: ("calls::PassViewMut", "pass_view_mut"),
};

static ATOMIC_VIEW: Array = Array {
    launched: ("IntoAtomicView", "into_atomic_view"),
    argument: "DeviceAtomicView",
    passed: ("calls::PassView", "pass_view"),
    passed_async: ("calls::PassView", "pass_view"),
};

/// A parameter of a function.
pub(super) struct Parameter<'f> {
    function: &'f Function,
    local: &'f Local,
    tokens: &'f syn::Type,
    kind: Kind<'f>,
}

enum Kind<'f> {
    /// With the user's tokens for its elements, and the rank of a view.
    Array { spelling: &'static Array, element: Box<syn::Type>, rank: Option<usize> },
    /// A function that is passed as `impl Fn`.
    Function(&'f FunctionType),
    /// Anything that is copied.
    Value,
    /// Its type was refused.
    Refused,
}

/// The parameters of a function, in order.
pub(super) fn parameters(function: &Function) -> impl Iterator<Item = Parameter<'_>> {
    function.params.iter().map(|param| Parameter::new(function, param))
}

impl<'f> Parameter<'f> {
    pub(super) fn new(function: &'f Function, param: &'f Param) -> Self {
        let (local, tokens) = (function.local(param.local), &param.tokens);
        Parameter { function, local, tokens, kind: kind(local, tokens) }
    }

    /// In a launcher, nothing is said of the types of a function whose type or const parameters were refused.
    fn is_refused(&self) -> bool {
        matches!(self.kind, Kind::Refused) || has_refused_params(self.function)
    }

    pub(super) fn is_array(&self) -> bool {
        matches!(self.kind, Kind::Array { .. })
    }

    /// `x: impl IntoDeviceSlice<'a, f32>`: the parameter of a kernel's launcher.
    pub(super) fn expand_launched(&self) -> TokenStream {
        let (name, tokens) = (&self.local.name, self.tokens);
        match &self.kind {
            _ if self.is_refused() => quote_spanned!(Span::mixed_site()=> #name: impl ::core::marker::Sized),
            Kind::Array { spelling, element, rank } => {
                let accepted = self.path(spelling.launched.0);
                let rank = expand_rank(*rank);
                quote_spanned!(Span::mixed_site()=> #name: impl #accepted<'a, #element #rank>)
            }
            Kind::Function(_) | Kind::Value | Kind::Refused => quote_spanned!(Span::mixed_site()=> #name: #tokens),
        }
    }

    /// What the launcher makes of it: the argument of the launch.
    pub(super) fn expand_argument(&self) -> TokenStream {
        let (name, runtime) = (&self.local.name, &self.function.runtime);
        match &self.kind {
            _ if self.is_refused() => quote_spanned!(Span::mixed_site()=> ::core::mem::drop(#name)),
            Kind::Array { spelling, rank, .. } => {
                let (accepted, into) = (self.path(spelling.launched.0), Ident::new(spelling.launched.1, Span::mixed_site()));
                match rank {
                    // Of atomics, the type of the argument does not tell which.
                    Some(rank) => {
                        let rank = Literal::usize_unsuffixed(*rank);
                        quote_spanned!(Span::mixed_site()=> #runtime::__private::Ranked(#accepted::<_, #rank>::#into(#name)))
                    }
                    None => quote_spanned!(Span::mixed_site()=> #accepted::#into(#name)),
                }
            }
            Kind::Function(_) | Kind::Value | Kind::Refused => name.to_token_stream(),
        }
    }

    /// The type of that argument.
    pub(super) fn expand_argument_type(&self) -> TokenStream {
        let runtime = &self.function.runtime;
        match &self.kind {
            _ if self.is_refused() => quote_spanned!(Span::mixed_site()=> ()),
            Kind::Array { spelling, element, rank } => {
                let argument = self.path(spelling.argument);
                let element = match self.local.ty.atomic_element() {
                    Some(value) if rank.is_none() => expand_atomic(runtime, value, Span::mixed_site()),
                    _ => element.to_token_stream(),
                };
                match rank {
                    Some(rank) => {
                        let rank = Literal::usize_unsuffixed(*rank);
                        quote_spanned!(Span::mixed_site()=> #runtime::__private::Ranked<#argument<'a, #element>, #rank>)
                    }
                    None => quote_spanned!(Span::mixed_site()=> #argument<'a, #element>),
                }
            }
            Kind::Function(_) | Kind::Value | Kind::Refused => self.tokens.to_token_stream(),
        }
    }

    /// `x: impl IntoSlice<'a0, f32>`: the parameter of a device function's twin, which takes whatever twins have for it.
    pub(super) fn expand_passed(&self, lifetime: &syn::Lifetime) -> TokenStream {
        let (name, tokens) = (&self.local.name, self.tokens);
        match &self.kind {
            Kind::Array { spelling, element, rank } => {
                let (passed, rank) = (self.path(self.passed(spelling).0), expand_rank(*rank));
                quote_spanned!(Span::mixed_site()=> #name: impl #passed<#lifetime, #element #rank>)
            }
            Kind::Function(ty) => {
                let bound = expand_fn_bound(&self.function.runtime, ty, name.span());
                quote_spanned!(Span::mixed_site()=> #name: impl #bound)
            }
            Kind::Refused => quote_spanned!(Span::mixed_site()=> #name: impl ::core::marker::Sized),
            Kind::Value => quote_spanned!(Span::mixed_site()=> #name: #tokens),
        }
    }

    /// What such a twin begins with: the parameter as its body uses it.
    pub(super) fn expand_received(&self) -> TokenStream {
        let Local { name, mutable, ty, .. } = self.local;
        let span = glue(name.span());
        match &self.kind {
            // It is declared in the header.
            _ if name == "self" => TokenStream::new(),
            Kind::Array { spelling, rank, .. } => {
                let (passed, pass) = self.passed(spelling);
                let (passed, pass) = (self.path_at(passed, span), Ident::new(pass, span));
                // Whether it is written is not the user's to say here.
                let (allowed, mutability) = match ty.is_mutable_parameter() {
                    true => (Some(quote_spanned!(span=> #[allow(unused_mut)])), Some(quote_spanned!(span=> mut))),
                    false => (None, None),
                };
                let declared = ty.atomic_element().filter(|_| rank.is_none()).map(|value| {
                    let element = expand_atomic(&self.function.runtime, value, name.span());
                    quote_spanned!(span=> : &[#element])
                });
                quote_spanned!(span=> #allowed let #mutability #name #declared = #passed::#pass(#name);)
            }
            _ if *mutable => quote_spanned!(span=> #[allow(unused_mut)] let mut #name = #name;),
            Kind::Function(_) | Kind::Value | Kind::Refused => TokenStream::new(),
        }
    }

    fn passed(&self, spelling: &'static Array) -> (&'static str, &'static str) {
        if self.function.is_async { spelling.passed_async } else { spelling.passed }
    }

    fn path(&self, path: &str) -> TokenStream {
        self.path_at(path, Span::mixed_site())
    }

    /// The item of the runtime at this path.
    fn path_at(&self, path: &str, span: Span) -> TokenStream {
        let (runtime, segments) = (&self.function.runtime, path.split("::").map(|segment| Ident::new(segment, span)));
        quote_spanned!(span=> #runtime #(::#segments)*)
    }
}

fn kind<'f>(local: &'f Local, tokens: &syn::Type) -> Kind<'f> {
    let (spelling, rank) = match &local.ty {
        Type::Slice { .. } if local.ty.atomic_element().is_some() => (&ATOMICS, None),
        Type::Slice { mutable: false, .. } => (&SLICE, None),
        Type::Slice { mutable: true, .. } => (&SLICE_MUT, None),
        Type::View { rank, .. } if local.ty.shares_elements() => (&ATOMIC_VIEW, Some(*rank)),
        Type::View { rank, mutable: false, .. } => (&VIEW, Some(*rank)),
        Type::View { rank, mutable: true, .. } => (&VIEW_MUT, Some(*rank)),
        Type::Function(ty) if matches!(tokens, syn::Type::ImplTrait(_)) => return Kind::Function(ty),
        Type::Refused => return Kind::Refused,
        _ => return Kind::Value,
    };
    let element = match rank {
        None => slice_element(tokens).cloned(),
        Some(_) => view_type(tokens, &elided(Span::mixed_site())).map(|(_, element)| element),
    };
    element.map_or(Kind::Value, |element| Kind::Array { spelling, element: Box::new(element), rank })
}

/// `, 2`
fn expand_rank(rank: Option<usize>) -> Option<TokenStream> {
    rank.map(|rank| {
        let rank = Literal::usize_unsuffixed(rank);
        quote_spanned!(Span::mixed_site()=> , #rank)
    })
}
