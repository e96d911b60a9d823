//! `#[derive(DeviceType)]` for an enum with data: in C, a tag and a union.
//!
//! The Rust reference defines the layout by the layouts of structs and unions: with `repr(C)`, a struct of the tag and a union of the
//! variants' fields; with `repr(u8)` or another integer `repr`, a union of structs that each begin with the tag. The expansion declares
//! these types in Rust too, as mirrors: they give the offset of each field, because `offset_of!` does not support enums.

use super::comparison::{Parts, expand_comparisons};
use super::enumeration::number_type;
use super::{Attributes, bounded, check_fields};
use crate::emit::cuda::names::{field_name, function_name, position_name, variant_getter, variant_name, variant_stem};
use crate::errors::Errors;
use crate::model::RuntimePath;
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;

/// A variant, and the struct that mirrors its fields.
struct Variant<'i> {
    item: &'i syn::Variant,
    mirror: syn::Ident,
}

/// The implementation for `item`, whose variants are `data`. Empty after an error.
pub(super) fn expand_data_enum(item: &syn::DeriveInput, data: &syn::DataEnum, attributes: &Attributes, errors: &Errors) -> TokenStream {
    let name = &item.ident;
    if let Some(lifetime) = item.generics.lifetimes().next() {
        errors.push(lifetime.span(), "an enum that borrows cannot be a device type\nhelp: store an index instead of the reference");
    }
    let number = number_type(item);
    if number.is_none() && !attributes.is_repr_c {
        errors.push(
            name.span(),
            format!("`{name}` needs a defined layout\nhelp: write `#[repr(C)]` above the enum, or `#[repr(u8)]` or another integer type"),
        );
    }
    data.variants.iter().for_each(|variant| check_fields(&variant.fields, errors));
    if !errors.is_empty() {
        return TokenStream::new();
    }
    let variants: Vec<_> = data
        .variants
        .iter()
        .enumerate()
        .map(|(index, item)| Variant { item, mirror: format_ident!("__Fields{index}", span = Span::mixed_site()) })
        .collect();
    let tag_repr = match number {
        Some(number) => syn::Ident::new(number.name(), Span::mixed_site()),
        None => syn::Ident::new("C", Span::mixed_site()),
    };
    let generics = bounded(&item.generics, &attributes.runtime);
    let mirrors = expand_mirrors(&variants, &tag_repr, &generics, attributes.is_repr_c);
    let implementation = expand_implementation(name, &variants, &generics, attributes);
    quote_spanned! {Span::mixed_site()=>
        #[automatically_derived]
        #[allow(dead_code, non_camel_case_types, unreachable_patterns)]
        const _: () = {
            #mirrors
            #implementation
        };
    }
}

/// `__Tag`, `__Fields0` … of the variants, and `__Whole`, which has the layout of the enum.
fn expand_mirrors(variants: &[Variant<'_>], tag_repr: &syn::Ident, generics: &syn::Generics, is_repr_c: bool) -> TokenStream {
    let (params, arguments, conditions) = generics.split_for_impl();
    // Each type parameter is one of each mirror, and has no size there.
    let names: Vec<_> = generics.type_params().map(|param| &param.ident).collect();
    let phantom = (!names.is_empty()).then(|| quote_spanned!(Span::mixed_site()=> ::core::marker::PhantomData<(#(#names,)*)>));
    let tags = variants.iter().map(|Variant { item, .. }| {
        let (name, number) = (&item.ident, item.discriminant.as_ref().map(|(_, number)| quote!(= #number)));
        quote!(#name #number)
    });
    let tag = (!is_repr_c).then(|| quote_spanned!(Span::mixed_site()=> __Tag,));
    let structs = variants.iter().map(|Variant { item, mirror }| {
        let types = item.fields.iter().map(|field| &field.ty);
        quote_spanned!(Span::mixed_site()=> #[repr(C)] struct #mirror #params (#tag #(#types,)* #phantom) #conditions;)
    });
    let members = variants.iter().map(|Variant { mirror, .. }| {
        let member = format_ident!("{}", mirror.to_string().to_lowercase(), span = Span::mixed_site());
        quote_spanned!(Span::mixed_site()=> #member: ::core::mem::ManuallyDrop<#mirror #arguments>)
    });
    let (union, whole) = match is_repr_c {
        true => {
            (quote!(__Data), quote_spanned!(Span::mixed_site()=> #[repr(C)] struct __Whole #params (__Tag, __Data #arguments) #conditions;))
        }
        false => (quote!(__Whole), TokenStream::new()),
    };
    quote_spanned! {Span::mixed_site()=>
        #[repr(#tag_repr)]
        enum __Tag { #(#tags),* }
        #(#structs)*
        #[repr(C)]
        union #union #params #conditions { #(#members),* }
        #whole
    }
}

fn expand_implementation(name: &syn::Ident, variants: &[Variant<'_>], generics: &syn::Generics, attributes: &Attributes) -> TokenStream {
    let (params, arguments, conditions) = generics.split_for_impl();
    let Attributes { runtime, declares_align, is_repr_c, .. } = attributes;
    let c_name = function_name(&name.to_string());
    let units = variants.iter().map(|variant| expand_variant(variant, &arguments, attributes));
    let values = variants.iter().map(|variant| expand_value(name, variant, runtime));
    let names: Vec<_> = variants.iter().map(|variant| &variant.item.ident).collect();
    let rust_names = names.iter().map(|name| name.unraw().to_string());
    let tests = names.iter().map(|name| format!(".{}()", variant_getter(&name.to_string())));
    let empty: Vec<_> = variants.iter().filter(|variant| variant.item.fields.is_empty()).map(|variant| &variant.item.ident).collect();
    let same_size = (!declares_align).then(|| {
        quote_spanned! {Span::mixed_site()=>
            ::core::assert!(
                ::core::mem::size_of::<__Whole #arguments>() == <#name #arguments as __Layout>::UNIT.size
                    && ::core::mem::align_of::<__Whole #arguments>() == <#name #arguments as __Layout>::UNIT.align,
                "the layout of an enum with a `repr` is a tag and a union"
            );
        }
    });
    let parts: Vec<_> = variants
        .iter()
        .map(|Variant { item, .. }| {
            let variant = &item.ident;
            let number = quote_spanned!(Span::mixed_site()=> __Tag::#variant as ::core::primitive::i64);
            Parts { path: quote!(#name::#variant), fields: &item.fields, number }
        })
        .collect();
    let comparisons = expand_comparisons(name, &parts, generics, runtime);
    let same_numbers = variants.iter().map(|variant| expand_same_number(name, variant, &arguments));
    let checks = quote_spanned! {Span::mixed_site()=>
        ::core::assert!(<#name #arguments as __Layout>::UNIT.align <= 64, "a device type has an alignment of at most 64 bytes");
        #same_size
        #(#same_numbers)*
    };
    // Of a generic enum, an instance is asked when it is used.
    let (check, check_of_instance) = match generics.params.is_empty() {
        true => (quote_spanned!(Span::mixed_site()=> const _: () = { #checks };), TokenStream::new()),
        false => (TokenStream::new(), quote_spanned!(Span::mixed_site()=> const { #checks };)),
    };
    let constant = expand_constant(name, &values.collect::<Vec<_>>(), generics, runtime);
    // A constant of a generic enum may be of a type that has no constants.
    let other_values = match generics.params.is_empty() {
        true => quote_spanned!(Span::mixed_site()=> _ => #runtime::__private::Constant::write(self, out),),
        false => quote_spanned!(Span::mixed_site()=> _ => ::core::unreachable!("it is a variant without data"),),
    };
    let zero = quote_spanned! {name.span()=>
        const _: () = ::core::assert!(
            #(__Tag::#names as ::core::primitive::i64 == 0 ||)* false,
            "device memory starts as zeros, so one variant of a device type must be 0"
        );
    };
    quote_spanned! {Span::mixed_site()=>
        #zero
        trait __Layout {
            const UNIT: &'static #runtime::__private::EnumUnit;
        }
        impl #params __Layout for #name #arguments #conditions {
            const UNIT: &'static #runtime::__private::EnumUnit = &#runtime::__private::EnumUnit {
                name: #c_name,
                tag: #runtime::__private::EnumUnit::tag_type(::core::mem::size_of::<__Tag>()),
                tag_in_variants: !#is_repr_c,
                variants: &[#(#units),*],
                size: ::core::mem::size_of::<#name #arguments>(),
                align: ::core::mem::align_of::<#name #arguments>(),
                declares_align: #declares_align,
            };
        }
        #check
        // SAFETY: the enum has a `repr` that defines its layout, and the definition of it in CUDA C has that layout, as is asserted;
        // one variant is 0, as was asserted, and zeros are values of its fields.
        unsafe impl #params #runtime::DeviceType for #name #arguments #conditions {
            const ANY_BITS: ::core::primitive::bool = {
                #check_of_instance
                false
            };
        }
        unsafe impl #params #runtime::Element for #name #arguments #conditions {}
        unsafe impl #params #runtime::calls::KernelType for #name #arguments #conditions {
            fn c_type() -> #runtime::__private::CType {
                #check_of_instance
                #runtime::__private::CType::Enum { id: ::core::any::TypeId::of::<Self>(), unit: <Self as __Layout>::UNIT }
            }
        }
        // SAFETY: zeros are a value, as was asserted.
        unsafe impl #params #runtime::__private::SharedElement for #name #arguments #conditions {
            const POISON: ::core::primitive::u8 = 0;
            const IN_SHARED: ::core::primitive::bool = false;
        }
        unsafe impl #params #runtime::__private::EnumValue for #name #arguments #conditions {
            fn write_variant(self, out: &mut #runtime::__private::ConstantText) {
                match self {
                    #(#name::#empty { .. } => unsafe { out.text(&#runtime::__private::EnumUnit::variant(__Tag::#empty as ::core::primitive::i64)) },)*
                    #other_values
                }
            }
            fn c_test(__variant: &::core::primitive::str) -> #runtime::__private::String {
                let __test = match __variant {
                    #(#rust_names => #tests,)*
                    _ => ::core::unreachable!("rustc knows the variants of a pattern"),
                };
                ::core::convert::From::from(__test)
            }
        }
        #comparisons
        #constant
    }
}

/// Asserts that a variant has the same number in the mirror as in the enum: `Self` and the names of mirrors mean something else there.
fn expand_same_number(name: &syn::Ident, variant: &Variant<'_>, arguments: &syn::TypeGenerics<'_>) -> TokenStream {
    let (ident, members) = (&variant.item.ident, variant.item.fields.members());
    quote_spanned! {Span::mixed_site().located_at(ident.span())=>
        {
            // SAFETY: zeros are a value of every device type.
            let __value: ::core::mem::ManuallyDrop<#name #arguments> =
                ::core::mem::ManuallyDrop::new(#name::#ident { #(#members: unsafe { ::core::mem::zeroed() }),* });
            // SAFETY: an enum with a `repr` begins with its tag. One that the mirror does not have is an error of the compiler.
            let __tag = unsafe { (&raw const __value).cast::<__Tag>().read() };
            ::core::assert!(
                __tag as ::core::primitive::i64 == __Tag::#ident as ::core::primitive::i64,
                "the number of a variant must be the same outside of the enum: write it without `Self`"
            );
        }
    }
}

/// How a constant of the type is written.
fn expand_constant(name: &syn::Ident, values: &[TokenStream], generics: &syn::Generics, runtime: &RuntimePath) -> TokenStream {
    let mut generics = generics.clone();
    let names: Vec<_> = generics.type_params().map(|param| param.ident.clone()).collect();
    if !names.is_empty() {
        let predicates = &mut generics.make_where_clause().predicates;
        predicates.extend(names.iter().map(|name| -> syn::WherePredicate { syn::parse_quote!(#name: #runtime::__private::Constant) }));
    }
    let (params, arguments, conditions) = generics.split_for_impl();
    quote_spanned! {Span::mixed_site()=>
        unsafe impl #params #runtime::__private::Constant for #name #arguments #conditions {
            fn write(self, out: &mut #runtime::__private::ConstantText) {
                #[allow(unused_imports)]
                use #runtime::__private::{RefuseField as _, WriteField as _};
                // C++ has no expression for it: a function makes it on the spot.
                unsafe { out.text("[]() { ") };
                out.ty::<Self>();
                unsafe { out.text(" value; ") };
                match self {
                    #(#values)*
                }
                unsafe { out.text("return value; }()") };
            }
        }
    }
}

/// The arm that writes a constant that is of the variant.
fn expand_value(name: &syn::Ident, variant: &Variant<'_>, runtime: &RuntimePath) -> TokenStream {
    let syn::Variant { ident, fields, .. } = variant.item;
    let bindings: Vec<_> = (0..fields.len()).map(|index| format_ident!("__field{index}", span = Span::mixed_site())).collect();
    let members = fields.iter().enumerate().map(|(index, field)| match &field.ident {
        Some(ident) => syn::Member::Named(ident.clone()),
        None => syn::Member::Unnamed(syn::Index::from(index)),
    });
    let starts = fields.iter().enumerate().map(|(index, field)| {
        let c_name = field.ident.as_ref().map_or_else(|| position_name(index), |ident| field_name(&ident.to_string()));
        format!("value.{}.{c_name} = ", variant_name(&ident.to_string()))
    });
    // With the types, so that those of the definition in C are the real ones.
    let types = fields.iter().map(|field| &field.ty);
    quote_spanned! {Span::mixed_site()=>
        #name::#ident { #(#members: #bindings),* } => {
            unsafe { out.text("value.gr_become(") };
            unsafe { out.text(&#runtime::__private::literal(__Tag::#ident as ::core::primitive::i64)) };
            unsafe { out.text("); ") };
            #(
                unsafe { out.text(#starts) };
                #runtime::__private::FieldValue::<#types>(#bindings).write_field(out);
                unsafe { out.text("; ") };
            )*
        }
    }
}

/// `VariantUnit { … }`
fn expand_variant(variant: &Variant<'_>, arguments: &syn::TypeGenerics<'_>, attributes: &Attributes) -> TokenStream {
    let Variant { item: syn::Variant { ident, fields, .. }, mirror } = variant;
    let Attributes { runtime, is_repr_c, .. } = attributes;
    let c_name = variant_stem(&ident.to_string());
    // In a union, every member begins with it.
    let start = match is_repr_c {
        true => quote_spanned!(Span::mixed_site()=> ::core::mem::offset_of!(__Whole #arguments, 1) + ),
        false => TokenStream::new(),
    };
    let fields = fields.iter().enumerate().map(|(index, field)| {
        let c_name = field.ident.as_ref().map_or_else(|| position_name(index), |ident| field_name(&ident.to_string()));
        let (ty, member) = (&field.ty, syn::Index::from(if *is_repr_c { index } else { index + 1 }));
        // Where the field's type is no device type, rustc says so there.
        quote_spanned! {Span::mixed_site().located_at(ty.span())=>
            #runtime::calls::StructField::new::<#ty>(#c_name, #start ::core::mem::offset_of!(#mirror #arguments, #member))
        }
    });
    quote_spanned! {Span::mixed_site()=>
        #runtime::__private::VariantUnit {
            name: #c_name,
            number: __Tag::#ident as ::core::primitive::i64,
            fields: &[#(#fields),*],
        }
    }
}
