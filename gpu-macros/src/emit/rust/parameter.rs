//! What a parameter is in generated Rust, wherever it is spelled. Of an array, the table of `emit/array.rs` says it.

use super::generics::{expand_fn_bound, has_refused_params};
use super::tokens::{expand_atomic, glue, text};
use crate::emit::array::{Array, ArrayKind};
use crate::model::*;
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// A parameter of a function.
pub(super) struct Parameter<'f> {
    function: &'f Function,
    local: &'f Local,
    written: &'f WrittenType,
    kind: Kind<'f>,
    /// Of a kernel: the field of a struct that it is.
    field: Option<(&'f Structure, &'f StructureField)>,
}

enum Kind<'f> {
    /// With the user's tokens for its elements, and the rank of a view.
    Array { kind: &'static ArrayKind, element: &'f TokenStream, rank: Option<usize> },
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

/// The parameters of a kernel that its launch has arguments for: those beyond were refused.
pub(super) fn arguments(function: &Function) -> impl Iterator<Item = Parameter<'_>> {
    parameters(function).take(KernelOptions::MOST_PARAMS)
}

impl<'f> Parameter<'f> {
    pub(super) fn new(function: &'f Function, param: &'f Param) -> Self {
        let (local, written) = (function.local(param.local), &param.written);
        let field = local.param().and_then(|index| function.field_of(index));
        Parameter { function, local, written, kind: kind(local, written), field }
    }

    /// A launcher does not mention the types of a function whose type or const parameters were refused.
    fn is_refused(&self) -> bool {
        matches!(self.kind, Kind::Refused) || has_refused_params(self.function)
    }

    /// Whether a launch passes the pointer of the slice without its length: the kernel is the user's own CUDA C.
    fn is_pointer(&self) -> bool {
        self.function.foreign.is_some()
    }

    pub(super) fn is_array(&self) -> bool {
        matches!(self.kind, Kind::Array { .. })
    }

    /// `x: impl IntoDeviceSlice<'a, f32>`: the parameter of a kernel's launcher.
    pub(super) fn expand_launched(&self) -> TokenStream {
        let (name, written) = (&self.local.name, self.written);
        match &self.kind {
            _ if self.is_refused() => quote_spanned!(Span::mixed_site()=> #name: impl ::core::marker::Sized),
            Kind::Array { kind, element, rank } => {
                let accepted = self.path(kind.launched.0);
                let rank = expand_rank(*rank);
                quote_spanned!(Span::mixed_site()=> #name: impl #accepted<'a, #element #rank>)
            }
            Kind::Function(_) | Kind::Value | Kind::Refused => quote_spanned!(Span::mixed_site()=> #name: #written),
        }
    }

    /// What the launcher makes of it: the argument of the launch.
    pub(super) fn expand_argument(&self) -> TokenStream {
        let (name, runtime) = (self.expand_launched_value(), &self.function.runtime);
        match &self.kind {
            _ if self.is_refused() => quote_spanned!(Span::mixed_site()=> ::core::mem::drop(#name)),
            Kind::Array { kind, rank, .. } => {
                let (accepted, into) = (self.path(kind.launched.0), Ident::new(kind.launched.1, Span::mixed_site()));
                match rank {
                    // Of atomics, the type of the argument does not tell which.
                    Some(rank) => {
                        let rank = Literal::usize_unsuffixed(*rank);
                        quote_spanned!(Span::mixed_site()=> #runtime::__private::Ranked(#accepted::<_, #rank>::#into(#name)))
                    }
                    None if self.is_pointer() => quote_spanned!(Span::mixed_site()=> #runtime::__private::Pointer(#accepted::#into(#name))),
                    None => quote_spanned!(Span::mixed_site()=> #accepted::#into(#name)),
                }
            }
            Kind::Function(_) | Kind::Value | Kind::Refused => name,
        }
    }

    /// The parameter of the launcher, or the field of one: `b.n`, `&b.x`, `&mut b.v`.
    fn expand_launched_value(&self) -> TokenStream {
        self.field.map_or_else(|| self.local.name.to_token_stream(), |(_, field)| field.value.clone())
    }

    /// The name in messages of a launch: `x`, `b.x`.
    pub(super) fn shown(&self) -> String {
        match self.field {
            Some((structure, field)) => format!("{}.{}", text(&structure.name), field.name),
            None => text(&self.local.name),
        }
    }

    /// The type of that argument.
    pub(super) fn expand_argument_type(&self) -> TokenStream {
        let runtime = &self.function.runtime;
        match &self.kind {
            _ if self.is_refused() => quote_spanned!(Span::mixed_site()=> ()),
            Kind::Array { kind, element, rank } => {
                let argument = self.path(kind.argument);
                let element = match self.local.ty.atomic_element() {
                    Some(value) if rank.is_none() => expand_atomic(runtime, value, Span::mixed_site()),
                    _ => element.to_token_stream(),
                };
                match rank {
                    Some(rank) => {
                        let rank = Literal::usize_unsuffixed(*rank);
                        quote_spanned!(Span::mixed_site()=> #runtime::__private::Ranked<#argument<'a, #element>, #rank>)
                    }
                    None if self.is_pointer() => quote_spanned!(Span::mixed_site()=> #runtime::__private::Pointer<#argument<'a, #element>>),
                    None => quote_spanned!(Span::mixed_site()=> #argument<'a, #element>),
                }
            }
            Kind::Function(_) | Kind::Value | Kind::Refused => self.written.to_token_stream(),
        }
    }

    /// `x: impl IntoSlice<'a0, f32>`: the parameter of a device function's twin, which accepts every form of it that twins have.
    pub(super) fn expand_passed(&self, lifetime: &syn::Lifetime) -> TokenStream {
        let (name, written) = (&self.local.name, self.written);
        match &self.kind {
            Kind::Array { kind, element, rank } => {
                let (passed, rank) = (self.path(self.passed(kind).0), expand_rank(*rank));
                quote_spanned!(Span::mixed_site()=> #name: impl #passed<#lifetime, #element #rank>)
            }
            Kind::Function(ty) => {
                let bound = expand_fn_bound(&self.function.runtime, ty, name.span());
                quote_spanned!(Span::mixed_site()=> #name: impl #bound)
            }
            Kind::Refused => quote_spanned!(Span::mixed_site()=> #name: impl ::core::marker::Sized),
            Kind::Value => quote_spanned!(Span::mixed_site()=> #name: #written),
        }
    }

    /// What such a twin begins with: the parameter as its body uses it.
    pub(super) fn expand_received(&self) -> TokenStream {
        let Local { name, mutable, ty, .. } = self.local;
        let span = glue(name.span());
        match &self.kind {
            // It is declared in the header.
            _ if name == "self" => TokenStream::new(),
            Kind::Array { kind, rank, .. } => {
                let (passed, pass) = self.passed(kind);
                let (passed, pass) = (self.path_at(passed, span), Ident::new(pass, span));
                // The user has not declared it `mut`, so no lint about that applies.
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
            Kind::Value if self.local.is_reference() && self.may_be_array() => {
                let runtime = &self.function.runtime;
                quote_spanned!(span=> #runtime::__private::check_no_array(&*#name);)
            }
            _ if *mutable && !self.local.is_reference() => quote_spanned!(span=> #[allow(unused_mut)] let mut #name = #name;),
            Kind::Function(_) | Kind::Value | Kind::Refused => TokenStream::new(),
        }
    }

    /// Whether the macro does not see whether it is an array: its type may be an alias.
    fn may_be_array(&self) -> bool {
        let Type::Named(NamedType { path }) = &self.local.ty else { return false };
        let param = path.get_ident().and_then(|name| self.function.type_params.iter().find(|param| param.name == *name));
        param.is_none_or(|param| param.is_device_type)
    }

    fn passed(&self, kind: &'static ArrayKind) -> (&'static str, &'static str) {
        if self.function.is_async { kind.passed_async } else { kind.passed }
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

fn kind<'f>(local: &'f Local, written: &'f WrittenType) -> Kind<'f> {
    match (&local.ty, Array::of(&local.ty), written.element()) {
        (_, Some(Array { kind, rank, .. }), Some(element)) => Kind::Array { kind, element, rank },
        (Type::Function(ty), ..) if written.is_impl_fn() => Kind::Function(ty),
        (Type::Refused, ..) => Kind::Refused,
        _ => Kind::Value,
    }
}

/// `, 2`
fn expand_rank(rank: Option<usize>) -> Option<TokenStream> {
    rank.map(|rank| {
        let rank = Literal::usize_unsuffixed(rank);
        quote_spanned!(Span::mixed_site()=> , #rank)
    })
}
