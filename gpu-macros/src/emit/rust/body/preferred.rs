//! That rustc finds the methods of std that the body calls, where it first looks for others: the receiver is a reference to a number, or an array,
//! which has the methods of slices. A trait of ours has the method for mutable references to the receiver, for which rustc looks last before it
//! looks behind it. So it is found, unless a trait of the user's is.

use super::super::tokens::{expand_type, glue};
use super::Body;
use crate::idents::text_of;
use crate::model::*;
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;

impl Body<'_> {
    pub(super) fn expand_preferred_methods(&self) -> TokenStream {
        let mut found = Vec::new();
        self.function.body.for_each_child(&mut |expr| collect(expr, self.function, &mut found));
        for SliceMethod { name, arguments, of } in &self.function.slice_methods {
            let ty = &self.function.local(*of).ty;
            if let (Type::Array(..), Some(ty)) = (ty, expand_type(ty, Span::mixed_site())) {
                let everything = quote_spanned!(Span::mixed_site()=> impl<T, const N: ::core::primitive::usize> Preferred for [T; N]);
                remember(CalledMethod { name, arguments: *arguments, ty, everything }, &mut found);
            }
        }
        found.into_iter().map(|called| self.expand_preferred_method(&called)).collect()
    }

    fn expand_preferred_method(&self, CalledMethod { name, arguments, ty, everything }: &CalledMethod<'_>) -> TokenStream {
        let (runtime, span) = (self.runtime.located_at(name.span()), glue(name.span()));
        let mut name = Ident::clone(name);
        name.set_span(span);
        let preferred = quote_spanned!(span=> #runtime::calls::preferred);
        let (params, any) =
            (vec![quote_spanned!(span=> _: ()); *arguments], vec![quote_spanned!(span=> #runtime::calls::any()); *arguments]);
        quote_spanned! {span=>
            let _ = |mut __receiver: #ty| {
                trait Preferred {
                    fn #name(&mut self #(, #params)*) -> #preferred::Behind {
                        #preferred::Behind
                    }
                }
                #everything {}
                #preferred::found_behind(__receiver.#name(#(#any),*))
            };
        }
    }
}

/// A method that rustc finds behind the receiver.
struct CalledMethod<'f> {
    name: &'f Ident,
    arguments: usize,
    /// Of the receiver.
    ty: TokenStream,
    /// `impl … for` all types like the receiver's.
    everything: TokenStream,
}

fn remember<'f>(called: CalledMethod<'f>, found: &mut Vec<CalledMethod<'f>>) {
    if !found.iter().any(|known| known.name == called.name && text_of(&known.ty) == text_of(&called.ty)) {
        found.push(called);
    }
}

fn collect<'f>(expr: &'f Expr, function: &Function, found: &mut Vec<CalledMethod<'f>>) {
    if let ExprKind::Method { method, name, receiver, args, .. } = &expr.kind
        && receiver.by_reference
        && stands_behind_reference(*method, &receiver.ty, function)
        && let Some(ty) = expand_type(&receiver.ty, Span::mixed_site())
    {
        let is_mutable = receiver.place().variable().is_some_and(|local| function.local(local).holds == Holds::Mutable);
        let mutable = is_mutable.then(|| quote_spanned!(Span::mixed_site()=> mut));
        let everything = quote_spanned!(Span::mixed_site()=> impl<T> Preferred for &#mutable T);
        let ty = quote_spanned!(Span::mixed_site()=> &#mutable #ty);
        remember(CalledMethod { name, arguments: args.len(), ty, everything }, found);
    }
    expr.for_each_child(&mut |child| collect(child, function, found));
}

/// Whether rustc finds the method behind a reference to such a value: of a type of the user's, or a trait, it may take a reference.
fn stands_behind_reference(method: Method, ty: &Type, function: &Function) -> bool {
    match ty {
        // References to integers have those of `Ord` too, for references.
        Type::Scalar(scalar) => !method.takes_reference() && (method.on_integers != OnIntegers::OfOrd || scalar.is_float()),
        Type::Parameter(TypeParam { name, .. }) => function.type_params.iter().any(|param| param.name == *name && param.traits.is_empty()),
        _ => false,
    }
}
