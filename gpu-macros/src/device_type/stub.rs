//! What stands for the implementation after an error, so that the functions that use the type get none.

use super::bounded;
use crate::model::RuntimePath;
use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// The traits of `item` without their contents: the program does not compile, so none of it runs.
pub(crate) fn expand_stub(item: &syn::DeriveInput, runtime: &RuntimePath) -> TokenStream {
    // A type that borrows cannot have them.
    if item.generics.lifetimes().next().is_some() {
        return TokenStream::new();
    }
    let name = &item.ident;
    let generics = bounded(&item.generics, runtime);
    let (params, arguments, conditions) = generics.split_for_impl();
    let of_enum = matches!(item.data, syn::Data::Enum(_)).then(|| {
        quote_spanned! {Span::mixed_site()=>
            unsafe impl #params #runtime::__private::EnumValue for #name #arguments #conditions {
                fn write_variant(self, _: &mut #runtime::__private::ConstantText) {}
                fn c_test(_: &::core::primitive::str) -> #runtime::__private::String {
                    ::core::unreachable!()
                }
            }
        }
    });
    quote_spanned! {Span::mixed_site()=>
        #[automatically_derived]
        const _: () = {
            unsafe impl #params #runtime::DeviceType for #name #arguments #conditions {
                const ANY_BITS: ::core::primitive::bool = false;
            }
            unsafe impl #params #runtime::Element for #name #arguments #conditions {}
            unsafe impl #params #runtime::calls::KernelType for #name #arguments #conditions {
                fn c_type() -> #runtime::__private::CType {
                    ::core::unreachable!()
                }
            }
            unsafe impl #params #runtime::__private::SharedElement for #name #arguments #conditions {
                const POISON: ::core::primitive::u8 = 0;
                const IN_SHARED: ::core::primitive::bool = true;
            }
            unsafe impl #params #runtime::__private::Constant for #name #arguments #conditions {
                fn write(self, _: &mut #runtime::__private::ConstantText) {}
            }
            #of_enum
        };
    }
}
