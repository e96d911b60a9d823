//! Questions about syn's types, and changes of tokens, that know nothing of kernels.

use proc_macro2::{TokenStream, TokenTree};

/// The path of a type as an expression may have it too: `Pair::<T>`.
pub(crate) fn in_expressions(path: &syn::Path) -> syn::Path {
    let mut path = path.clone();
    for segment in &mut path.segments {
        if let syn::PathArguments::AngleBracketed(arguments) = &mut segment.arguments {
            arguments.colon2_token.get_or_insert_default();
        }
    }
    path
}

/// `tokens` with another name for `Self`, which means something else, or nothing, in generated items.
pub(crate) fn replace_self(tokens: TokenStream, owner: &TokenStream) -> TokenStream {
    let replace = |token| match token {
        TokenTree::Ident(ident) if ident == "Self" => {
            let at = |mut token: TokenTree| {
                token.set_span(ident.span());
                token
            };
            owner.clone().into_iter().map(at).collect()
        }
        TokenTree::Group(group) => {
            let mut replaced = proc_macro2::Group::new(group.delimiter(), replace_self(group.stream(), owner));
            replaced.set_span(group.span());
            TokenStream::from(TokenTree::Group(replaced))
        }
        other => other.into(),
    };
    tokens.into_iter().map(replace).collect()
}
