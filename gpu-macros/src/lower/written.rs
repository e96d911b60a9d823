//! The types of parameters in the user's tokens.

use super::views::is_view;
use crate::model::{WrittenParts, WrittenType};
use quote::{ToTokens, quote};
use syn::punctuated::Punctuated;

/// `ty`, taken apart.
pub(super) fn written_type(ty: &syn::Type) -> WrittenType {
    WrittenType { tokens: ty.to_token_stream(), parts: parts(ty) }
}

fn parts(ty: &syn::Type) -> WrittenParts {
    match ty {
        // A `$ty:ty` of a macro.
        syn::Type::Group(group) => parts(&group.elem),
        syn::Type::Paren(paren) => parts(&paren.elem),
        syn::Type::Reference(reference) => slice_parts(&reference.elem),
        syn::Type::Path(path) if is_view(path) => view_parts(&path.path).unwrap_or(WrittenParts::Whole),
        syn::Type::ImplTrait(_) => WrittenParts::ImplFn,
        _ => WrittenParts::Whole,
    }
}

fn slice_parts(referenced: &syn::Type) -> WrittenParts {
    match referenced {
        syn::Type::Group(group) => slice_parts(&group.elem),
        syn::Type::Paren(paren) => slice_parts(&paren.elem),
        syn::Type::Slice(slice) => WrittenParts::Slice { element: slice.elem.to_token_stream() },
        _ => WrittenParts::Whole,
    }
}

fn view_parts(path: &syn::Path) -> Option<WrittenParts> {
    let mut name = path.clone();
    let arguments = std::mem::take(&mut name.segments.last_mut()?.arguments);
    let syn::PathArguments::AngleBracketed(generics) = arguments else { return None };
    let written = generics.args.iter().filter(|argument| !matches!(argument, syn::GenericArgument::Lifetime(_)));
    let element = written.clone().find_map(|argument| match argument {
        syn::GenericArgument::Type(element) => Some(element.to_token_stream()),
        _ => None,
    })?;
    let (less, greater) = (generics.lt_token, generics.gt_token);
    let written: Punctuated<_, syn::Token![,]> = written.collect();
    Some(WrittenParts::View { element, before: quote!(#name #less), behind: quote!(#written #greater) })
}
