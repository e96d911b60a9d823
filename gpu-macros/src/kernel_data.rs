//! `#[derive(KernelData)]`: a struct whose references are parameters of kernels.
//!
//! A kernel's attribute sees the kernel and not the struct. So the derive declares a macro that does, under the name of the struct: whatever
//! imports the struct imports the macro. [`struct_parameters`](crate::struct_parameters) calls it.

use crate::errors::Errors;
use crate::struct_parameters::argument_params;
use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::ext::IdentExt;

/// `#[derive(KernelData)] item`.
pub(crate) fn expand_kernel_data(item: TokenStream) -> TokenStream {
    let item: syn::DeriveInput = match syn::parse2(item) {
        Ok(item) => item,
        Err(error) => return error.into_compile_error(),
    };
    let errors = Errors::new();
    let expansion = match &item.data {
        syn::Data::Struct(syn::DataStruct { fields: syn::Fields::Named(fields), .. }) => expand_macro(&item, fields),
        _ => {
            errors.push(
                item.ident.span(),
                "only a struct whose fields have names can be a parameter of a kernel\nhelp: put the arrays into such a struct, or pass them one by one",
            );
            TokenStream::new()
        }
    };
    match errors.check() {
        Ok(()) => expansion,
        Err(error) => error.into_compile_error(),
    }
}

/// The macro that writes a kernel again, with the fields of its parameter `$param` among the arguments of the attribute.
fn expand_macro(item: &syn::DeriveInput, fields: &syn::FieldsNamed) -> TokenStream {
    let name = &item.ident;
    let defined = format_ident!("__fields_of_{}", name.unraw(), span = Span::mixed_site());
    // The kernel replaces them by the arguments of its parameter.
    let params = argument_params(&item.generics);
    let fields = fields.named.iter().map(|syn::Field { ident, ty, .. }| quote_spanned!(Span::mixed_site()=> #ident: [#ty]));
    // A macro of a library is not visible in other crates: for kernels there, the struct is one of theirs.
    let vis = match &item.vis {
        syn::Visibility::Public(_) => quote_spanned!(Span::mixed_site()=> pub(crate)),
        other => quote_spanned!(Span::mixed_site()=> #other),
    };
    quote_spanned! {Span::mixed_site()=>
        #[allow(unused_macros)]
        macro_rules! #defined {
            ([$($attribute:tt)*] $param:ident [$($arguments:tt)*] $($kernel:tt)*) => {
                #[$($attribute)*(struct $param [#(#params)*] { #(#fields)* } $($arguments)*)]
                $($kernel)*
            };
        }
        #[allow(unused_imports)]
        #vis use #defined as #name;
    }
}
