//! Calls: methods of numbers and slices, device functions, intrinsics.

use super::super::called::{called_name, fallback_of_awaited};
use super::super::device::expand_instance;
use super::super::method::twin_name;
use super::super::sites::expand_site;
use super::super::source_unit::device_path;
use super::super::tokens::{expand_or_stop, expand_type, glue};
use super::Body;
use crate::first_span::Start;
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned;

impl Body<'_> {
    pub(super) fn expand_method(
        &self,
        method: Method,
        name: &Ident,
        receiver: &Expr,
        args: &[Expr],
        site: Option<SiteId>,
        whole: &Expr,
    ) -> TokenStream {
        let at = whole.span;
        let (runtime, span) = (self.runtime, glue(at));
        let scalar = receiver.ty.as_scalar();
        if let (Some(site), Some(Failure::Limits)) = (site, method.failure) {
            return self.expand_clamp(method, name, receiver, args, site, at);
        }
        let tokens = self.expand_operand(receiver);
        let args = args.iter().map(|arg| self.expand_expr(arg));
        if let (Some(site), true) = (site, !scalar.is_some_and(Scalar::is_float)) {
            let site = expand_site(site);
            return quote_spanned!(span=> #runtime::__private::ops::#name(__thread, #tokens, #(#args,)* #site)?);
        }
        if let Some(provider) = method.provider {
            let (provider, runtime) = (Ident::new(provider, glue(name.span())), runtime.located_at(name.span()));
            return quote_spanned!(span=> #runtime::scalar::#provider::#name(#tokens #(, #args)*));
        }
        if method.may_be_own(&receiver.ty) {
            return self.expand_overloadable_method(method, name, &tokens, &args.collect::<Vec<_>>(), whole);
        }
        if receiver.ty.is_followed() {
            let args: Vec<TokenStream> = args.collect();
            return self.expand_followed_method(method, name, &tokens, &args, at);
        }
        if let Some(vector) = self.vector_method(method, receiver) {
            return quote_spanned!(span=> #runtime::Float::#vector(#tokens));
        }
        let on_integers = if scalar.is_some_and(Scalar::is_integer) { method.on_integers } else { OnIntegers::AsWritten };
        match on_integers {
            // What takes a reference, a trait in scope could take by value, which rustc would prefer.
            OnIntegers::AsWritten if method == Method::Len => self.expand_length(&tokens, whole.operator),
            OnIntegers::AsWritten if method == Method::IsEmpty => {
                let length = self.expand_length(&tokens, whole.operator);
                quote_spanned!(whole.operator=> (#length == 0))
            }
            OnIntegers::AsWritten if method.takes_reference() => {
                let ty = expand_type(&receiver.ty, whole.operator).unwrap_or_else(|| quote_spanned!(span=> _));
                quote_spanned!(whole.operator=> #ty::#name(&#tokens))
            }
            // With the user's span, rustc's lints know a call of the user's.
            OnIntegers::AsWritten => quote_spanned!(whole.operator=> #tokens.#name(#(#args),*)),
            OnIntegers::Wrapping => {
                let operands: Vec<TokenStream> = std::iter::once(tokens).chain(args).collect();
                self.expand_watched(method.name, &operands, name.span())
            }
            OnIntegers::OfOrd => quote_spanned!(span=> ::core::cmp::Ord::#name(#tokens, #(#args),*)),
        }
    }

    /// In an array function, the form of the method that a loop over elements becomes vector instructions with.
    fn vector_method(&self, method: Method, receiver: &Expr) -> Option<Ident> {
        let is_elementwise = matches!(self.function.kind, FunctionKind::Array(_));
        let may_be_single = match &receiver.ty {
            Type::Scalar(scalar) => *scalar == Scalar::F32,
            Type::Parameter(TypeParam { class, .. }) => *class == Some(Class::Float),
            _ => false,
        };
        let has_form = matches!(method, Method::Exp | Method::Ln | Method::Tanh);
        (is_elementwise && may_be_single && has_form).then(|| Ident::new(&format!("vector_{}", method.name), Span::mixed_site()))
    }

    /// A method of a number, or of a user's type. It cannot change the receiver, which is a copy for numbers.
    fn expand_overloadable_method(
        &self,
        method: Method,
        name: &Ident,
        receiver: &TokenStream,
        args: &[TokenStream],
        whole: &Expr,
    ) -> TokenStream {
        let (runtime, mut twin, span) = (self.runtime, twin_name(name), glue(whole.span));
        // rustc's messages have the place of a call all of whose tokens are of one kind.
        twin.set_span(glue(name.span()));
        let call = quote_spanned!(span=> (*__receiver).#twin(#(#args,)* __thread));
        let result = match method.result {
            Operand::Same => quote_spanned!(span=> #runtime::calls::like_receiver(__receiver, #call)?),
            _ => quote_spanned!(span=> { let __result: ::core::primitive::bool = #call?; __result }),
        };
        quote_spanned! {span=> ({
            #[allow(unused_imports)]
            use #runtime::calls::number_methods::traits::*;
            let __receiver = &{ #receiver };
            #result
        })}
    }

    /// `clamp`, which fails for limits out of order: first everything is evaluated, then the limits are compared.
    fn expand_clamp(&self, method: Method, name: &Ident, receiver: &Expr, args: &[Expr], site: SiteId, at: Span) -> TokenStream {
        let span = glue(at);
        let [low, high] = args else { unreachable!("`lower` has counted the arguments of `clamp`") };
        let own = |text: &str| Ident::new(text, span);
        let (value_name, low_name, high_name) = (own("__value"), own("__low"), own("__high"));
        let lets = [(&value_name, receiver), (&low_name, low), (&high_name, high)].map(|(name, expr)| {
            let value = self.expand_expr(expr);
            self.expand_own_let(name, &expr.ty, value, expr.span)
        });
        let clamped = if receiver.ty.as_scalar().is_some_and(Scalar::is_integer) {
            quote_spanned!(span=> ::core::cmp::Ord::#name(__value, __low, __high))
        } else if receiver.ty.is_followed() {
            let args = [quote_spanned!(span=> __low), quote_spanned!(span=> __high)];
            self.expand_followed_method(method, name, &quote_spanned!(span=> __value), &args, at)
        } else {
            quote_spanned!(span=> __value.#name(__low, __high))
        };
        let site = expand_site(site);
        let check = self.expand_stop_if(None, quote_spanned!(span=> __thread.stops_unless(__low <= __high, #site)), false, span);
        quote_spanned!(span=> { #(#lets)* #check #clamped })
    }

    /// A call of a device function: the module of the function's name leads to its twin.
    pub(super) fn expand_call(
        &self,
        path: &syn::Path,
        explicit: &[GenericArgument],
        args: &[Expr],
        uniformity: Option<UniformArguments>,
        span: Span,
    ) -> TokenStream {
        let (device, arguments) = (device_path(path), args.iter().map(|arg| self.expand_argument(arg)));
        let explicit = self.expand_explicit(path, explicit, span);
        let Some(UniformArguments { divergent, decides, .. }) = uniformity else {
            let call = quote_spanned!(glue(span)=> <#device>::on(__thread).call #explicit(#(#arguments),*));
            return expand_or_stop(&call, span);
        };
        let assertion = (!divergent.is_empty()).then(|| {
            let (runtime, ParameterSet(divergent)) = (self.runtime, divergent);
            quote_spanned!(glue(span)=> #runtime::calls::uniform::pass::<{ <#device>::UNIFORM_PARAMETERS & #divergent == 0 }>();)
        });
        // A kernel's launch is then unsafe.
        let of_result = decides.filter(|_| !self.is_kernel).map(|ParameterSet(divergent)| {
            let runtime = self.runtime;
            quote_spanned!(glue(span)=> #runtime::calls::uniform::decide::<{ <#device>::UNIFORM_RESULT.holds_for(#divergent) }>();)
        });
        let fallback = fallback_of_awaited(self.runtime);
        let call = expand_or_stop(&quote_spanned!(glue(span)=> <#device>::on_async(__thread).call #explicit(#(#arguments),*).await), span);
        // A block at the start of a statement would be all of it.
        quote_spanned!(glue(span)=> ({ #fallback #assertion #of_result #call }))
    }

    /// What is known of an awaited call. Of one about which nothing is, threads of a block may pass different values for all arguments.
    pub(super) fn uniform_arguments(&self, call: &Expr) -> UniformArguments {
        let known = self.awaited.iter().find(|(known, _)| std::ptr::eq(*known, call));
        let unknown = || UniformArguments { divergent: ParameterSet(u32::MAX), through: Vec::new(), decides: None };
        known.map_or_else(unknown, |(_, arguments)| (*arguments).clone())
    }

    /// `::<f32, 8>`
    pub(super) fn expand_explicit(&self, path: &syn::Path, explicit: &[GenericArgument], span: Span) -> Option<TokenStream> {
        (!explicit.is_empty()).then(|| {
            let at = path.segments.last().map_or(span, |last| last.arguments.span());
            let explicit = explicit.iter().map(|argument| match argument {
                GenericArgument::Type(ty) => expand_type(ty, at).unwrap_or_else(|| quote_spanned!(glue(at)=> _)),
                GenericArgument::Const(argument) => argument.tokens.clone(),
            });
            quote_spanned!(glue(at)=> ::<#(#explicit),*>)
        })
    }

    /// A `&mut [T]` or `ViewMut` is a handle in the twin. The callee gets another one, which borrows it, and so cannot replace it.
    pub(super) fn expand_argument(&self, arg: &Expr) -> TokenStream {
        let (tokens, runtime, span) = (self.expand_expr(arg), self.runtime, glue(arg.span));
        match (&arg.kind, &arg.ty) {
            (ExprKind::Local(_), Type::Slice { mutable: true, .. }) => {
                quote_spanned!(span=> #runtime::__private::IntoSliceMut::into_slice_mut(&mut #tokens))
            }
            (ExprKind::Local(_), Type::View { mutable: true, .. }) => {
                quote_spanned!(span=> #runtime::calls::PassViewMut::pass_view_mut(&mut #tokens))
            }
            _ => tokens,
        }
    }

    pub(super) fn expand_intrinsic(&self, intrinsic: Intrinsic, path: &syn::Path, args: &[Expr], ty: &Type, at: Span) -> TokenStream {
        let span = glue(at);
        let args = args.iter().map(|arg| self.expand_expr(arg));
        match intrinsic {
            Intrinsic::Shared(slot) => {
                let array = match (&path.segments.last().map(|last| &last.arguments), ty) {
                    (Some(syn::PathArguments::AngleBracketed(generics)), _) => generics.args.to_token_stream(),
                    (_, Type::Shared(array)) => expand_type(array, at).unwrap_or_else(|| quote_spanned!(span=> _)),
                    _ => quote_spanned!(span=> _),
                };
                let slot = syn::Index { index: slot as u32, span };
                if !self.function.is_async {
                    let function = self.expand_intrinsic_function(path, Some(array));
                    // SAFETY: of this and the next two: a reference to an element lasts for one statement, and not across a barrier.
                    return quote_spanned!(span=> unsafe { #function(__thread, #slot) });
                }
                // As in CUDA C, where it is `static`: one array for all calls of this instance.
                let array = Some(quote_spanned!(Span::mixed_site()=> ::<#array>));
                let function = self.expand_function_of_runtime(path, "__of_function", array.clone(), array);
                let instance = expand_instance(self.function);
                quote_spanned!(span=> unsafe { #function(__thread, ::core::any::TypeId::of::<#instance>(), #slot) })
            }
            Intrinsic::DynamicShared(slot) => {
                let element = match path.segments.last().map(|last| &last.arguments) {
                    Some(syn::PathArguments::AngleBracketed(generics)) => generics.args.to_token_stream(),
                    _ => quote_spanned!(span=> _),
                };
                let slot = syn::Index { index: slot as u32, span };
                let function = self.expand_intrinsic_function(path, Some(element));
                quote_spanned!(span=> unsafe { #function(__thread, #slot, #(#args),*) })
            }
            Intrinsic::Print(site) => {
                let (site, runtime) = (expand_site(site), self.runtime);
                quote_spanned!(span=> __thread.print(#site, &[#(#runtime::__private::Printable::printed(#args)),*]))
            }
            Intrinsic::Builtin { builtin, .. } if builtin.effect == Effect::Yields => {
                quote_spanned!(span=> ({ let _ = #path; __thread.give_way() }).await)
            }
            Intrinsic::Builtin { builtin, site: Some(site) } => {
                let function =
                    if builtin.is_generic() { self.expand_generic_function(path) } else { self.expand_intrinsic_function(path, None) };
                let site = expand_site(site);
                quote_spanned!(span=> #function(__thread, #(#args,)* #site).await)
            }
            _ => {
                let function = self.expand_intrinsic_function(path, None);
                quote_spanned!(span=> #function(__thread #(, #args)*))
            }
        }
    }

    /// The same for an intrinsic that is generic over what its arguments tell. Any instance of the user's function will do.
    fn expand_generic_function(&self, path: &syn::Path) -> TokenStream {
        let of_users = quote_spanned!(Span::mixed_site()=> ::<::core::primitive::u32>);
        self.expand_function_of_runtime(path, "__intrinsic", Some(of_users), None)
    }

    pub(super) fn expand_intrinsic_function(&self, path: &syn::Path, generics: Option<TokenStream>) -> TokenStream {
        let generics = generics.map(|generics| quote_spanned!(Span::mixed_site()=> ::<#generics>));
        self.expand_function_of_runtime(path, "__intrinsic", generics.clone(), generics)
    }

    /// The half of an intrinsic that takes the thread. What runs is the runtime's own, because the proofs and the CUDA C know the
    /// intrinsic by its name alone: that the user's path means it is asserted here, unless the imports do.
    fn expand_function_of_runtime(
        &self,
        path: &syn::Path,
        half: &str,
        of_users: Option<TokenStream>,
        generics: Option<TokenStream>,
    ) -> TokenStream {
        let (runtime, half) = (self.runtime.located_at(path.start()), Ident::new(half, Span::mixed_site()));
        let name = path.segments.last().map(|last| Ident::new(&last.ident.to_string(), Span::mixed_site()));
        let span = glue(path.start());
        if self.intrinsics_are_asserted {
            return quote_spanned!(span=> #runtime::intrinsics::#name::#half #generics);
        }
        let users = intrinsic_path(path);
        quote_spanned!(span=> ({ let _ = #users #of_users; #runtime::intrinsics::#name::#half #generics }))
    }
}

/// `name::__intrinsic`, with our name for the intrinsic.
fn intrinsic_path(path: &syn::Path) -> syn::Path {
    let name = called_name(path);
    let function = Ident::new("__intrinsic", name.span());
    syn::parse_quote!(#name::#function)
}
