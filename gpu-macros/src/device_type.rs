//! `#[derive(DeviceType)]`: the definition of a struct or an enum in CUDA C, with the layout that rustc gave it.

mod comparison;
mod data_enum;
mod enumeration;
mod missing_derive;
mod stub;

pub(crate) use self::missing_derive::{User, report_undeclared_types};

use self::comparison::{Parts, expand_comparisons};
use self::missing_derive::Undeclared;
use self::stub::expand_stub;
use crate::emit::cuda::names::{field_name, function_name, position_name};
use crate::errors::Errors;
use crate::lower::{Argument, parse_distinct_arguments, parse_runtime};
use crate::model::{RuntimePath, StdEnum};
use crate::pipeline::asserting;
use crate::unsupported_methods::no_layout;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;

/// The attributes of the struct.
struct Attributes {
    is_repr_c: bool,
    declares_align: bool,
    runtime: RuntimePath,
}

/// `#[derive(DeviceType)] item`.
pub(crate) fn expand_device_type(item: TokenStream) -> TokenStream {
    let item: syn::DeriveInput = match syn::parse2(item) {
        Ok(item) => item,
        Err(error) => return error.into_compile_error(),
    };
    let errors = Errors::new();
    let mut attributes = parse_attributes(&item.attrs, &errors);
    let undeclared = fields_of(&item).map(|fields| report_undeclared_types(&User::Fields(&item.ident, fields), &attributes.runtime));
    let copy = Undeclared::of_derive(&item).map(|ty| {
        let name = &item.ident;
        errors.push(name.span(), format!("a device type must be `Copy`, but `{name}` is not\nhelp: {}", ty.missing_beside_derive()));
        // That is in the help.
        attributes.is_repr_c = true;
        ty.expand_copy()
    });
    let expansion = match &item.data {
        syn::Data::Enum(data) => match data.variants.iter().all(|variant| matches!(variant.fields, syn::Fields::Unit)) {
            true => enumeration::expand_enum(&item, data, &attributes.runtime, &errors),
            false => data_enum::expand_data_enum(&item, data, &attributes, &errors),
        },
        _ => check_struct(&item, &attributes, &errors).map_or_else(TokenStream::new, |fields| expand_impl(&item, fields, &attributes)),
    };
    match errors.check() {
        Ok(()) => {
            let without_deref = expand_without_deref(&item, &attributes.runtime);
            let expansion = asserting(&attributes.runtime, quote!(#expansion #without_deref));
            quote!(#expansion #undeclared)
        }
        Err(error) => {
            let (error, stub) = (error.into_compile_error(), expand_stub(&item, &attributes.runtime));
            quote!(#stub #copy #error #undeclared)
        }
    }
}

/// What does not compile beside an implementation of `Deref`.
fn expand_without_deref(item: &syn::DeriveInput, runtime: &RuntimePath) -> TokenStream {
    let name = &item.ident;
    let generics = bounded(&item.generics, runtime);
    let (params, arguments, conditions) = generics.split_for_impl();
    quote_spanned! {Span::mixed_site().located_at(name.span())=>
        #[automatically_derived]
        impl #params #runtime::calls::DeviceTypesCannotImplementDeref for #name #arguments #conditions {}
    }
}

fn fields_of(item: &syn::DeriveInput) -> Option<&syn::Fields> {
    match &item.data {
        syn::Data::Struct(data) => Some(&data.fields),
        _ => None,
    }
}

fn parse_attributes(attrs: &[syn::Attribute], errors: &Errors) -> Attributes {
    let mut attributes = Attributes { is_repr_c: false, declares_align: false, runtime: RuntimePath::default() };
    for attribute in attrs {
        let parsed = if attribute.path().is_ident("repr") {
            attribute.parse_nested_meta(|meta| {
                attributes.is_repr_c |= meta.path.is_ident("C");
                attributes.declares_align |= meta.path.is_ident("align");
                if meta.path.is_ident("packed") {
                    errors.push(
                        meta.path.span(),
                        "a packed struct cannot be a device type\nhelp: remove `packed`, and order the fields by size",
                    );
                }
                // The rest, such as the number of `align(16)`, is rustc's to check.
                if meta.input.peek(syn::token::Paren) {
                    let inner;
                    syn::parenthesized!(inner in meta.input);
                    inner.parse::<TokenStream>()?;
                }
                Ok(())
            })
        } else if attribute.path().is_ident("device_type") {
            attribute.meta.require_list().map(|list| {
                for Argument { name, value, is_unsafe } in parse_distinct_arguments(list.tokens.clone(), errors) {
                    if name != "crate" {
                        errors.push(name.span(), "unknown argument\nhelp: the only argument is `crate = path`");
                    } else if let Some(runtime) = parse_runtime(&value, is_unsafe, errors) {
                        attributes.runtime = runtime;
                    }
                }
            })
        } else {
            Ok(())
        };
        if let Err(error) = parsed {
            errors.push_syn(error);
        }
    }
    attributes
}

/// The fields of a struct that can be a device type.
fn check_struct<'i>(item: &'i syn::DeriveInput, attributes: &Attributes, errors: &Errors) -> Option<&'i syn::Fields> {
    let fields = match &item.data {
        syn::Data::Struct(data) => &data.fields,
        syn::Data::Enum(_) => unreachable!("an enum has an expansion of its own"),
        syn::Data::Union(data) => {
            errors.push(
                data.union_token.span,
                "a union cannot be a device type\nhelp: derive it for a struct; `to_bits` and `from_bits` reinterpret numbers",
            );
            return None;
        }
    };
    if !attributes.is_repr_c {
        errors.push(item.ident.span(), format!("`{}` needs a defined layout\nhelp: write `#[repr(C)]` above the struct", item.ident));
    }
    if let Some(lifetime) = item.generics.lifetimes().next() {
        errors.push(lifetime.span(), "a struct that borrows cannot be a device type\nhelp: store an index instead of the reference; of a struct of slices, let the kernel take each slice");
    }
    if fields.is_empty() {
        errors.push(item.ident.span(), format!("`{}` has no fields, but a device type must have a size\nhelp: add a field", item.ident));
    }
    check_fields(fields, errors);
    Some(fields)
}

/// Types that rustc would only call none that a device can hold.
fn check_fields(fields: &syn::Fields, errors: &Errors) {
    for field in fields {
        let syn::Type::Path(path) = innermost(&field.ty) else { continue };
        let Some(syn::PathSegment { ident, arguments: syn::PathArguments::AngleBracketed(arguments) }) = path.path.segments.last() else {
            continue;
        };
        let is_without_tag = |argument: &syn::GenericArgument| match argument {
            syn::GenericArgument::Type(syn::Type::Path(path)) => {
                path.path.segments.last().is_some_and(|last| last.ident == "bool" || last.ident == "Option")
            }
            _ => false,
        };
        match StdEnum::find(&ident.to_string(), arguments.args.len()) {
            Some(StdEnum::Option) if !arguments.args.iter().any(is_without_tag) => {}
            Some(owner) => errors.push(field.ty.span(), no_layout(owner)),
            None => {}
        }
    }
}

/// The element type of an array.
fn innermost(ty: &syn::Type) -> &syn::Type {
    match ty {
        syn::Type::Array(array) => innermost(&array.elem),
        other => other,
    }
}

/// The implementation for a struct, which may be generic: its definition in CUDA C is then one for each instance.
fn expand_impl(item: &syn::DeriveInput, fields: &syn::Fields, attributes: &Attributes) -> TokenStream {
    let Attributes { runtime, declares_align, .. } = attributes;
    let name = &item.ident;
    let c_name = function_name(&name.to_string());
    let generics = bounded(&item.generics, runtime);
    let (params, arguments, conditions) = generics.split_for_impl();
    let constant = expand_constant(item, fields, &generics, runtime);
    let comparisons = expand_comparisons(name, &[Parts { path: name.to_token_stream(), fields, number: quote!(0) }], &generics, runtime);
    let fields = fields.iter().enumerate().map(|(index, field)| {
        let (member, c_name) = match &field.ident {
            Some(ident) => (syn::Member::Named(ident.clone()), field_name(&ident.to_string())),
            None => (syn::Member::Unnamed(syn::Index { index: index as u32, span: field.ty.span() }), position_name(index)),
        };
        let ty = &field.ty;
        // Where the field's type is no device type, rustc says so there.
        quote_spanned! {Span::mixed_site().located_at(ty.span())=>
            #runtime::calls::StructField::new::<#ty>(#c_name, ::core::mem::offset_of!(#name #arguments, #member))
        }
    });
    // Of a generic struct, an instance is asked when it is used.
    let is_generic = !generics.params.is_empty();
    let check = quote_spanned! {Span::mixed_site()=>
        ::core::assert!(<#name #arguments as __Layout>::UNIT.align <= 64, "a device type has an alignment of at most 64 bytes");
    };
    let (check, check_of_instance) = match is_generic {
        false => (quote_spanned!(Span::mixed_site()=> const _: () = #check), TokenStream::new()),
        true => (TokenStream::new(), quote_spanned!(Span::mixed_site()=> const { #check })),
    };
    quote_spanned! {Span::mixed_site()=>
        #[automatically_derived]
        const _: () = {
            trait __Layout {
                const UNIT: &'static #runtime::__private::StructUnit;
            }
            impl #params __Layout for #name #arguments #conditions {
                const UNIT: &'static #runtime::__private::StructUnit = &#runtime::__private::StructUnit {
                    name: #c_name,
                    fields: &[#(#fields),*],
                    size: ::core::mem::size_of::<#name #arguments>(),
                    align: ::core::mem::align_of::<#name #arguments>(),
                    declares_align: #declares_align,
                };
            }
            #check
            // SAFETY: the struct is `repr(C)`, and so is the definition of it in CUDA C, whose layout is asserted to be this one.
            unsafe impl #params #runtime::DeviceType for #name #arguments #conditions {
                const ANY_BITS: ::core::primitive::bool = <Self as __Layout>::UNIT.any_bits();
                const MAY_HAVE_PADDING: ::core::primitive::bool = <Self as __Layout>::UNIT.may_have_padding();
            }
            unsafe impl #params #runtime::Element for #name #arguments #conditions {}
            unsafe impl #params #runtime::calls::KernelType for #name #arguments #conditions {
                fn c_type() -> #runtime::__private::CType {
                    #check_of_instance
                    #runtime::__private::CType::Struct { id: ::core::any::TypeId::of::<Self>(), unit: <Self as __Layout>::UNIT }
                }
            }
            // SAFETY: the byte is one that suits every field.
            unsafe impl #params #runtime::__private::SharedElement for #name #arguments #conditions {
                const POISON: ::core::primitive::u8 = <Self as __Layout>::UNIT.poison();
                const IN_SHARED: ::core::primitive::bool = <Self as __Layout>::UNIT.any_bits();
            }
            #constant
            #comparisons
        };
    }
}

/// How a constant of the type is written.
fn expand_constant(item: &syn::DeriveInput, fields: &syn::Fields, generics: &syn::Generics, runtime: &RuntimePath) -> TokenStream {
    let name = &item.ident;
    let mut generics = generics.clone();
    let names: Vec<_> = item.generics.type_params().map(|param| param.ident.clone()).collect();
    if !names.is_empty() {
        let predicates = &mut generics.make_where_clause().predicates;
        predicates.extend(names.iter().map(|name| -> syn::WherePredicate { syn::parse_quote!(#name: #runtime::__private::Constant) }));
    }
    let (params, arguments, conditions) = generics.split_for_impl();
    let values = fields.iter().zip(fields.members()).enumerate().map(|(index, (field, member))| {
        let (before, ty) = (if index == 0 { "{" } else { ", " }, &field.ty);
        quote_spanned! {Span::mixed_site()=>
            unsafe { out.text(#before) };
            #runtime::__private::FieldValue::<#ty>(self.#member).write_field(out);
        }
    });
    quote_spanned! {Span::mixed_site()=>
        unsafe impl #params #runtime::__private::Constant for #name #arguments #conditions {
            fn write(self, out: &mut #runtime::__private::ConstantText) {
                #[allow(unused_imports)]
                use #runtime::__private::{RefuseField as _, WriteField as _};
                out.ty::<Self>();
                #(#values)*
                // SAFETY: with the values of the fields, it is that of the struct.
                unsafe { out.text("}") };
            }
        }
    }
}

/// The parameters of a struct, with types that a device can hold for its type parameters.
fn bounded(generics: &syn::Generics, runtime: &RuntimePath) -> syn::Generics {
    let mut bounded = generics.clone();
    let names: Vec<_> = generics.type_params().map(|param| param.ident.clone()).collect();
    if !names.is_empty() {
        let predicates = &mut bounded.make_where_clause().predicates;
        predicates.extend(names.iter().map(|name| -> syn::WherePredicate { syn::parse_quote!(#name: #runtime::DeviceType) }));
    }
    bounded
}
