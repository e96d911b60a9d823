//! Questions about syn's types, and changes of tokens, that know nothing of kernels.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

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

/// The path without the arguments of its types and functions.
pub(crate) fn without_arguments(path: &syn::Path) -> syn::Path {
    let mut path = path.clone();
    path.segments.iter_mut().for_each(|segment| segment.arguments = syn::PathArguments::None);
    path
}

/// What an import ends in: names, names with another one, and stars.
pub(crate) fn ends_of_import(tree: &syn::UseTree) -> Vec<&syn::UseTree> {
    match tree {
        syn::UseTree::Path(path) => ends_of_import(&path.tree),
        syn::UseTree::Group(group) => group.items.iter().flat_map(ends_of_import).collect(),
        end => vec![end],
    }
}

/// `tokens` with another name for `Self`, which means something else, or nothing, in generated items.
pub(crate) fn replace_self(tokens: TokenStream, owner: &TokenStream) -> TokenStream {
    let replace = |token| match token {
        TokenTree::Group(group) => with_stream(&group, replace_self(group.stream(), owner)),
        other => unless_self(other, owner),
    };
    tokens.into_iter().map(replace).collect()
}

/// The same in a function. In the items of its body, `Self` means their own type.
pub(crate) fn replace_self_of(function: TokenStream, owner: &TokenStream) -> TokenStream {
    replace_outside_of_items(function, owner, false)
}

/// `is_start`: a statement may begin here.
fn replace_outside_of_items(tokens: TokenStream, owner: &TokenStream, mut is_start: bool) -> TokenStream {
    let is_word = |token: &TokenTree, words: &[&str]| matches!(token, TokenTree::Ident(name) if words.iter().any(|word| name == word));
    let mut is_item = false;
    let replace = |token: TokenTree| {
        is_item |= is_start && is_word(&token, &["impl", "trait", "struct", "enum", "union", "fn", "mod"]);
        let is_of_item = is_item;
        let braces = matches!(&token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        let ends = braces || matches!(&token, TokenTree::Punct(end) if end.as_char() == ';');
        // Attributes and what stands before the keyword of an item.
        let may_precede = match &token {
            TokenTree::Ident(_) => is_word(&token, &["pub", "unsafe", "async", "const", "extern"]),
            TokenTree::Punct(sign) => sign.as_char() == '#',
            TokenTree::Group(_) | TokenTree::Literal(_) => true,
        };
        is_start = ends || is_start && may_precede;
        is_item &= !ends;
        match token {
            token if is_of_item => token.into(),
            TokenTree::Group(group) => with_stream(&group, replace_outside_of_items(group.stream(), owner, braces)),
            other => unless_self(other, owner),
        }
    };
    tokens.into_iter().map(replace).collect()
}

fn unless_self(token: TokenTree, owner: &TokenStream) -> TokenStream {
    match token {
        TokenTree::Ident(ident) if ident == "Self" => {
            let at = |mut token: TokenTree| {
                token.set_span(ident.span());
                token
            };
            owner.clone().into_iter().map(at).collect()
        }
        other => other.into(),
    }
}

fn with_stream(group: &Group, stream: TokenStream) -> TokenStream {
    let mut changed = Group::new(group.delimiter(), stream);
    changed.set_span(group.span());
    TokenTree::Group(changed).into()
}
