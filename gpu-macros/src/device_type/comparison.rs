//! `==` and `<` of a device type in kernels: part by part, where the type has the traits of std, and its parts are comparable too.

use crate::model::RuntimePath;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote_spanned};

/// A variant of an enum, or the only one of a struct.
pub(super) struct Parts<'i> {
    /// `Shape::Circle`, or the struct.
    pub(super) path: TokenStream,
    pub(super) fields: &'i syn::Fields,
    /// What tells it from other variants, an `i64`.
    pub(super) number: TokenStream,
}

/// The implementations for the type `name` with these variants.
pub(super) fn expand_comparisons(name: &Ident, variants: &[Parts<'_>], generics: &syn::Generics, runtime: &RuntimePath) -> TokenStream {
    let equal = variants.iter().map(|variant| {
        variant.expand_arm(|[a, b]| quote_spanned!(Span::mixed_site()=> && #runtime::__private::ops::Equate::equal(#a, #b)))
    });
    let equal: Vec<_> = equal.map(|(pattern, parts)| quote_spanned!(Span::mixed_site()=> #pattern => true #(#parts)*,)).collect();
    let order = variants.iter().map(|variant| {
        variant
            .expand_arm(|[a, b]| quote_spanned!(Span::mixed_site()=> let __order = #runtime::__private::ops::then_order(__order, #a, #b);))
    });
    let order: Vec<_> = order.map(|(pattern, parts)| quote_spanned!(Span::mixed_site()=> #pattern => { #(#parts)* __order })).collect();
    let (paths, numbers): (Vec<_>, Vec<_>) = variants.iter().map(|variant| (&variant.path, &variant.number)).unzip();
    let types: Vec<_> = variants.iter().flat_map(|variant| variant.fields.iter().map(|field| &field.ty)).collect();
    let implement = |bound: &str, std: &str, body: TokenStream| {
        let (bound, std) = (Ident::new(bound, Span::mixed_site()), Ident::new(std, Span::mixed_site()));
        let bound = quote_spanned!(Span::mixed_site()=> #runtime::__private::ops::#bound);
        let mut generics = generics.clone();
        let (_, arguments, _) = generics.split_for_impl();
        let this = quote_spanned!(Span::mixed_site()=> #name #arguments);
        let predicates = &mut generics.make_where_clause().predicates;
        // A condition with a lifetime of its own is checked where the type is compared.
        predicates.push(syn::parse_quote!(for<'unmet> #this: ::core::cmp::#std));
        predicates.extend(types.iter().map(|ty| -> syn::WherePredicate { syn::parse_quote!(for<'unmet> #ty: #bound) }));
        let (params, _, conditions) = generics.split_for_impl();
        quote_spanned! {Span::mixed_site()=>
            impl #params #bound for #this #conditions {
                const HAS_PARTS: ::core::primitive::bool = true;
                #[inline]
                #[allow(unreachable_patterns, unused_variables)]
                #body
            }
        }
    };
    let equal = implement(
        "Equate",
        "PartialEq",
        quote_spanned! {Span::mixed_site()=>
            fn equal(&self, __other: &Self) -> ::core::primitive::bool {
                match (self, __other) {
                    #(#equal)*
                    _ => false,
                }
            }
        },
    );
    let order = implement(
        "Order",
        "PartialOrd",
        quote_spanned! {Span::mixed_site()=>
            fn order(&self, __other: &Self) -> ::core::option::Option<::core::cmp::Ordering> {
                let __order = ::core::option::Option::Some(::core::cmp::Ordering::Equal);
                match (self, __other) {
                    #(#order)*
                    _ => {
                        let __number = |__value: &Self| -> ::core::primitive::i64 { match __value { #(#paths { .. } => #numbers),* } };
                        ::core::cmp::PartialOrd::partial_cmp(&__number(self), &__number(__other))
                    }
                }
            }
        },
    );
    quote_spanned!(Span::mixed_site()=> #equal #order)
}

impl Parts<'_> {
    /// The pattern of two values of this variant, and what `part` makes of each pair of fields.
    fn expand_arm(&self, part: impl Fn([Ident; 2]) -> TokenStream) -> (TokenStream, Vec<TokenStream>) {
        let path = &self.path;
        let names = |prefix: &str| -> Vec<Ident> {
            (0..self.fields.len()).map(|index| format_ident!("__{prefix}{index}", span = Span::mixed_site())).collect()
        };
        let (left, right) = (names("a"), names("b"));
        let members: Vec<_> = self.fields.members().map(|member| member.to_token_stream()).collect();
        let pattern = quote_spanned!(Span::mixed_site()=> (#path { #(#members: #left),* }, #path { #(#members: #right),* }));
        (pattern, left.into_iter().zip(right).map(|(a, b)| part([a, b])).collect())
    }
}
