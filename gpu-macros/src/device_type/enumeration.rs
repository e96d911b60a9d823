//! `#[derive(DeviceType)]` for an enum without data: in C, it is the integer of its `repr`.

use crate::errors::Errors;
use crate::model::{RuntimePath, Scalar};
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// The implementation for `item`, whose variants are `data`. Empty after an error.
pub(super) fn expand_enum(item: &syn::DeriveInput, data: &syn::DataEnum, runtime: &RuntimePath, errors: &Errors) -> TokenStream {
    let name = &item.ident;
    check_variants(item, data, errors);
    let Some(number) = number_type(item) else {
        errors.push(
            name.span(),
            format!("`{name}` needs an integer type, because neither Rust nor `#[repr(C)]` defines the size of an enum without one\nhelp: write `#[repr(u8)]` above the enum, or another integer type"),
        );
        return TokenStream::new();
    };
    let c_name = number.name();
    let number = syn::Ident::new(c_name, Span::mixed_site());
    let variants: Vec<_> = data.variants.iter().map(|variant| &variant.ident).collect();
    let names: Vec<_> = variants.iter().map(|variant| variant.unraw().to_string()).collect();
    let (first, span) = (variants.first(), Span::mixed_site().located_at(name.span()));
    quote_spanned! {span=>
        #[automatically_derived]
        const _: () = {
            const _: () = ::core::assert!(
                #(#name::#variants as ::core::primitive::#number == 0 ||)* false,
                "device memory starts as zeros, so one variant of a device type must be 0"
            );
            // A constant in a pattern is of a type that derives `PartialEq`: what `==` says is then what C says of the numbers.
            const _: fn(#name) -> ::core::primitive::bool = |__value| {
                const FIRST: #name = #name::#first;
                ::core::matches!(__value, FIRST)
            };
            // SAFETY: a field-less enum with a `repr` of integers is such an integer; one variant is 0, as was asserted.
            unsafe impl #runtime::DeviceType for #name {
                const ANY_BITS: ::core::primitive::bool = false;
                const MAY_HAVE_PADDING: ::core::primitive::bool = false;
            }
            unsafe impl #runtime::Element for #name {}
            unsafe impl #runtime::calls::KernelType for #name {
                fn c_type() -> #runtime::__private::CType {
                    #runtime::__private::CType::Scalar(#c_name)
                }
            }
            // SAFETY: one variant is 0, as was asserted.
            unsafe impl #runtime::__private::SharedElement for #name {
                const POISON: ::core::primitive::u8 = 0;
                const IN_SHARED: ::core::primitive::bool = false;
            }
            unsafe impl #runtime::__private::ConstantValue for #name {
                fn c_literal(self) -> #runtime::__private::String {
                    #runtime::__private::literal(self as ::core::primitive::#number)
                }
            }
            // SAFETY: the type and the literal of a number.
            unsafe impl #runtime::__private::TableElement for #name {
                fn c_type() -> #runtime::__private::String {
                    <::core::primitive::#number as #runtime::__private::TableElement>::c_type()
                }
                fn initialiser(&self) -> #runtime::__private::String {
                    #runtime::__private::ConstantValue::c_literal(*self)
                }
            }
            unsafe impl #runtime::__private::EnumValue for #name {
                fn write_variant(self, out: &mut #runtime::__private::ConstantText) {
                    #runtime::__private::Constant::write(self, out);
                }
                fn c_test(__variant: &::core::primitive::str) -> #runtime::__private::String {
                    match __variant {
                        #(#names => #runtime::__private::equals(#name::#variants),)*
                        _ => ::core::unreachable!("rustc knows the variants of a pattern"),
                    }
                }
            }
            impl #runtime::__private::ops::Equate for #name {}
            impl #runtime::__private::ops::Order for #name
            where
                for<'unmet> #name: ::core::cmp::PartialOrd,
            {
                const HAS_PARTS: ::core::primitive::bool = true;
                fn order(&self, __other: &Self) -> ::core::option::Option<::core::cmp::Ordering> {
                    let (__this, __other) = (*self as ::core::primitive::#number, *__other as ::core::primitive::#number);
                    ::core::cmp::PartialOrd::partial_cmp(&__this, &__other)
                }
            }
        };
    }
}

fn check_variants(item: &syn::DeriveInput, data: &syn::DataEnum, errors: &Errors) {
    let name = &item.ident;
    if !item.generics.params.is_empty() {
        errors.push(item.generics.params.span(), "a generic enum cannot be a device type");
    }
    if data.variants.is_empty() {
        errors.push(name.span(), format!("`{name}` has no variants, so it has no values\nhelp: add a variant"));
    }
}

/// The type of integers in `#[repr(…)]`.
pub(super) fn number_type(item: &syn::DeriveInput) -> Option<Scalar> {
    let mut found = None;
    for attribute in item.attrs.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        // What cannot be parsed was reported with the other attributes.
        let _ = attribute.parse_nested_meta(|meta| {
            let scalar = meta.path.get_ident().and_then(|name| Scalar::from_name(&name.to_string()));
            found = scalar.filter(|scalar| scalar.is_integer()).or(found);
            if meta.input.peek(syn::token::Paren) {
                let inner;
                syn::parenthesized!(inner in meta.input);
                inner.parse::<TokenStream>()?;
            }
            Ok(())
        });
    }
    found
}
