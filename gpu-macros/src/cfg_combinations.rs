//! `#[cfg]`, `#[cfg_attr]` and `cfg!` inside of a function.
//!
//! An attribute gets its function before rustc has removed what is not configured, and cannot ask for the configuration. So the function
//! becomes several, one for each way in which its conditions may hold, each with a `#[cfg]` that says which way: rustc keeps one of them.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::Token;
use syn::buffer::Cursor;
use syn::parse::{Parse, Parser};
use syn::punctuated::Punctuated;

/// There are two functions for one condition, and sixteen for this number.
const MOST_CONDITIONS: usize = 4;

/// The functions in place of `item`, each with `attribute`. `None` if there are too many conditions.
pub(crate) fn expand_configurations(attribute: &TokenStream, item: &TokenStream, conditions: &[TokenStream]) -> Option<TokenStream> {
    if conditions.len() > MOST_CONDITIONS {
        return None;
    }
    let configurations = (0..1u32 << conditions.len()).map(|bits| {
        let holds = |condition: &TokenStream| {
            let text = condition.to_string();
            conditions.iter().position(|known| known.to_string() == text).is_some_and(|index| bits >> index & 1 == 1)
        };
        let all = conditions.iter().map(|condition| if holds(condition) { condition.clone() } else { quote!(not(#condition)) });
        let configured = map_inside(item.clone(), |group| configured(group.stream(), group.delimiter(), &holds));
        quote_spanned!(Span::mixed_site()=> #[cfg(all(#(#all),*))] #[#attribute] #configured)
    });
    Some(configurations.collect())
}

/// The conditions inside a function, in parameters and the body, but not those of the attributes in front of it. Each is there once.
pub(crate) fn conditions_inside(function: Cursor<'_>) -> Vec<TokenStream> {
    let (mut conditions, mut cursor) = (Vec::new(), function);
    while let Some(rest) = after(cursor) {
        if let Some((group, delimiter, ..)) = cursor.any_group()
            && delimiter != Delimiter::Bracket
        {
            collect_conditions(group, &mut conditions);
        }
        cursor = rest;
    }
    conditions
}

fn collect_conditions(mut cursor: Cursor<'_>, conditions: &mut Vec<TokenStream>) {
    while let Some(rest) = after(cursor) {
        if let Some((group, ..)) = cursor.any_group() {
            collect_conditions(group, conditions);
        } else if let Some(condition) = condition_at(cursor)
            && !conditions.iter().any(|known| known.to_string() == condition.to_string())
        {
            conditions.push(condition);
        }
        cursor = rest;
    }
}

/// What follows the token at `cursor`, if there is one. (`token_tree` would copy a group.)
fn after(cursor: Cursor<'_>) -> Option<Cursor<'_>> {
    match cursor.any_group() {
        Some((.., rest)) => Some(rest),
        None => cursor.token_tree().map(|(_, rest)| rest),
    }
}

/// The condition of the attribute, or of the macro `cfg!`, that begins at `cursor`. Most tokens begin neither.
fn condition_at(cursor: Cursor<'_>) -> Option<TokenStream> {
    if let Some((name, rest)) = cursor.ident() {
        let (bang, rest) = rest.punct().filter(|_| name == "cfg")?;
        let (arguments, ..) = rest.any_group().filter(|_| bang.as_char() == '!')?;
        return Some(arguments.token_stream());
    }
    let (hash, rest) = cursor.punct()?;
    let (brackets, ..) = rest.any_group().filter(|_| hash.as_char() == '#')?;
    let is_condition = brackets.ident().is_some_and(|(name, _)| name == "cfg" || name == "cfg_attr");
    if is_condition { Attribute::of(brackets.token_stream())?.condition() } else { None }
}

fn map_inside(item: TokenStream, map: impl Fn(&Group) -> TokenStream) -> TokenStream {
    let tokens = item.into_iter().map(|token| match token {
        TokenTree::Group(group) if group.delimiter() != Delimiter::Bracket => with_stream(&group, map(&group)),
        other => other,
    });
    tokens.collect()
}

fn with_stream(group: &Group, stream: TokenStream) -> TokenTree {
    let mut changed = Group::new(group.delimiter(), stream);
    changed.set_span(group.span());
    changed.into()
}

/// The condition of `cfg!(condition)`.
fn condition_of_macro(tokens: &[TokenTree]) -> Option<TokenStream> {
    match tokens {
        [TokenTree::Ident(name), TokenTree::Punct(bang), TokenTree::Group(group), ..] if bang.as_char() == '!' && name == "cfg" => {
            Some(group.stream())
        }
        _ => None,
    }
}

enum Attribute {
    /// `#[cfg(condition)]`
    Cfg(TokenStream),
    /// `#[cfg_attr(condition, attributes)]`
    CfgAttr(TokenStream, Vec<TokenStream>),
}

impl Attribute {
    /// What is in the brackets of an attribute, if it is one of these.
    fn of(brackets: TokenStream) -> Option<Attribute> {
        let tokens: Vec<TokenTree> = brackets.into_iter().collect();
        let [TokenTree::Ident(name), TokenTree::Group(arguments)] = &tokens[..] else { return None };
        if name == "cfg" {
            return Some(Attribute::Cfg(arguments.stream()));
        }
        if name != "cfg_attr" {
            return None;
        }
        let arguments = Punctuated::<syn::Meta, Token![,]>::parse_terminated.parse2(arguments.stream()).ok()?;
        let mut arguments = arguments.iter().map(ToTokens::to_token_stream);
        Some(Attribute::CfgAttr(arguments.next()?, arguments.collect()))
    }

    fn condition(self) -> Option<TokenStream> {
        match self {
            Attribute::Cfg(condition) | Attribute::CfgAttr(condition, _) => Some(condition),
        }
    }
}

/// What remains of the tokens between two delimiters.
fn configured(tokens: TokenStream, delimiter: Delimiter, holds: &impl Fn(&TokenStream) -> bool) -> TokenStream {
    match elements(&tokens, delimiter) {
        Some(elements) => elements.into_iter().filter_map(|element| configured_element(element, holds)).collect(),
        None => configured_inside(tokens.into_iter().collect(), holds),
    }
}

/// The statements, arms, fields, parameters or values in `tokens`, if some of them may have attributes.
fn elements(tokens: &TokenStream, delimiter: Delimiter) -> Option<Vec<TokenStream>> {
    let has_attribute = tokens.clone().into_iter().any(|token| matches!(token, TokenTree::Punct(hash) if hash.as_char() == '#'));
    if !has_attribute {
        return None;
    }
    match delimiter {
        Delimiter::Brace => list(syn::Block::parse_within, tokens)
            .or_else(|| {
                list(
                    |input| std::iter::from_fn(|| (!input.is_empty()).then(|| input.parse::<syn::Arm>())).collect::<syn::Result<_>>(),
                    tokens,
                )
            })
            .or_else(|| separated::<syn::FieldValue>(tokens)),
        _ => separated::<syn::FnArg>(tokens).or_else(|| separated::<syn::Expr>(tokens)),
    }
}

fn list<T: ToTokens>(
    parse: impl FnOnce(syn::parse::ParseStream<'_>) -> syn::Result<Vec<T>>,
    tokens: &TokenStream,
) -> Option<Vec<TokenStream>> {
    let elements = parse.parse2(tokens.clone()).ok()?;
    Some(elements.iter().map(ToTokens::to_token_stream).collect())
}

fn separated<T: Parse + ToTokens>(tokens: &TokenStream) -> Option<Vec<TokenStream>> {
    let elements = Punctuated::<T, Token![,]>::parse_terminated.parse2(tokens.clone()).ok()?;
    Some(elements.pairs().map(|pair| pair.to_token_stream()).collect())
}

/// What remains of an element: nothing if a condition in front of it does not hold.
fn configured_element(element: TokenStream, holds: &impl Fn(&TokenStream) -> bool) -> Option<TokenStream> {
    let mut tokens: Vec<TokenTree> = element.into_iter().collect();
    let mut attributes = TokenStream::new();
    while let [TokenTree::Punct(hash), TokenTree::Group(group), ..] = &tokens[..]
        && hash.as_char() == '#'
        && group.delimiter() == Delimiter::Bracket
    {
        match Attribute::of(group.stream()) {
            Some(Attribute::Cfg(condition)) if !holds(&condition) => return None,
            Some(Attribute::Cfg(_)) => {}
            Some(Attribute::CfgAttr(condition, added)) if holds(&condition) => attributes.extend(quote!(#(#[#added])*)),
            Some(Attribute::CfgAttr(..)) => {}
            None => attributes.extend(quote!(#hash #group)),
        }
        tokens.drain(..2);
    }
    attributes.extend(configured_inside(tokens, holds));
    Some(attributes)
}

fn configured_inside(tokens: Vec<TokenTree>, holds: &impl Fn(&TokenStream) -> bool) -> TokenStream {
    let mut kept = Vec::new();
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        if let Some(condition) = condition_of_macro(&tokens[index..]) {
            let value = if holds(&condition) { "true" } else { "false" };
            kept.push(Ident::new(value, token.span()).into());
            index += 3;
            continue;
        }
        kept.push(match token {
            TokenTree::Group(group) => with_stream(group, configured(group.stream(), group.delimiter(), holds)),
            other => other.clone(),
        });
        index += 1;
    }
    kept.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::buffer::TokenBuffer;

    fn conditions_of(item: &TokenStream) -> Vec<TokenStream> {
        conditions_inside(TokenBuffer::new2(item.clone()).begin())
    }

    fn configured_as(item: TokenStream) -> Vec<String> {
        let expanded = expand_configurations(&quote!(kernel), &item, &conditions_of(&item)).expect("there are few conditions");
        let file: syn::File = syn::parse2(expanded).expect("functions");
        file.items.iter().map(|item| item.to_token_stream().to_string()).collect()
    }

    #[test]
    fn a_condition_makes_two_functions() {
        let item = quote! {
            fn f(x: &[f32], #[cfg(a)] y: f32) {
                #[cfg(a)]
                let z = y;
                #[cfg(not(a))]
                let z = if cfg!(a) { 1.0 } else { 2.0 };
                #[cfg(a)] { g(z); }
                match z { #[cfg(a)] 1 => 2, #[cfg_attr(a, allow(unused))] _ => 3 }
            }
        };
        let functions = configured_as(item);
        assert_eq!(functions.len(), 4, "`a` and `not(a)` are two conditions");
        let with = quote! {
            #[cfg(all(a, not(not(a))))] #[kernel]
            fn f(x: &[f32], y: f32) { let z = y; { g(z); } match z { 1 => 2, #[allow(unused)] _ => 3 } }
        };
        assert_eq!(functions[1], with.to_string());
        let without = quote! {
            #[cfg(all(not(a), not(a)))] #[kernel]
            fn f(x: &[f32],) { let z = if false { 1.0 } else { 2.0 }; match z { _ => 3 } }
        };
        assert_eq!(functions[2], without.to_string());
    }

    #[test]
    fn attributes_of_the_function_are_not_its_own_matter() {
        assert!(conditions_of(&quote! { #[cfg(a)] fn f(x: &[f32]) { g(x); } }).is_empty());
    }
}
