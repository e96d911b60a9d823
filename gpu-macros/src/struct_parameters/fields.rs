//! The fields of a struct, as its macro writes them among the arguments of the attribute: `struct b [T] { x: [DeviceArray<T>] n: [usize] }`.

use super::resolved_at;
use crate::errors::Errors;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;

/// The fields of the struct that the parameter `name` refers to.
pub(crate) struct Fields {
    pub(crate) name: Ident,
    /// The names of its type and const parameters.
    params: Vec<Ident>,
    fields: Vec<(Ident, TokenStream)>,
    /// They were read where the struct is declared, as it has no macro.
    pub(super) is_without_derive: bool,
}

/// What a field is in a kernel.
#[derive(Clone)]
pub(super) enum FieldType {
    /// An array with such elements, which the kernel may change if it may change the struct.
    Array(TokenStream),
    /// One that is only read: `DeviceSlice`.
    SharedArray(TokenStream),
    /// Anything else: a value of this type.
    Value(TokenStream),
}

/// The fields among the arguments of the attribute, and the other arguments.
pub(crate) fn take_fields(arguments: TokenStream) -> (Vec<Fields>, TokenStream) {
    let mut tokens = arguments.clone().into_iter().peekable();
    if !matches!(tokens.peek(), Some(TokenTree::Ident(word)) if word == "struct") {
        return (Vec::new(), arguments);
    }
    let parse = |input: ParseStream<'_>| {
        let mut all = Vec::new();
        while input.peek(syn::Token![struct]) {
            all.push(parse_fields(input)?);
            input.parse::<Option<syn::Token![,]>>()?;
        }
        Ok((all, input.parse()?))
    };
    // What is not written by the macro of a struct is reported as an argument that does not exist.
    parse.parse2(arguments.clone()).unwrap_or((Vec::new(), arguments))
}

fn parse_fields(input: ParseStream<'_>) -> syn::Result<Fields> {
    input.parse::<syn::Token![struct]>()?;
    let name = input.parse()?;
    let (params, fields);
    syn::bracketed!(params in input);
    syn::braced!(fields in input);
    let mut read = Fields { name, params: Vec::new(), fields: Vec::new(), is_without_derive: false };
    while !params.is_empty() {
        read.params.push(params.parse()?);
    }
    while !fields.is_empty() {
        let field = fields.parse()?;
        fields.parse::<syn::Token![:]>()?;
        let ty;
        syn::bracketed!(ty in fields);
        read.fields.push((field, ty.parse()?));
    }
    Ok(read)
}

/// The parameters of a struct that a type gives arguments for: types and constants.
pub(crate) fn argument_params(generics: &syn::Generics) -> impl Iterator<Item = &Ident> {
    generics.params.iter().filter_map(|param| match param {
        syn::GenericParam::Lifetime(_) => None,
        syn::GenericParam::Type(syn::TypeParam { ident, .. }) | syn::GenericParam::Const(syn::ConstParam { ident, .. }) => Some(ident),
    })
}

impl Fields {
    /// The fields of `item`, which lacks the derive.
    pub(super) fn of_struct(name: Ident, item: &syn::DeriveInput) -> Self {
        let fields = match &item.data {
            syn::Data::Struct(data) => {
                data.fields.iter().filter_map(|field| Some((field.ident.clone()?, field.ty.to_token_stream()))).collect()
            }
            syn::Data::Enum(_) | syn::Data::Union(_) => Vec::new(),
        };
        Fields { name, params: argument_params(&item.generics).cloned().collect(), fields, is_without_derive: true }
    }

    /// The types of the fields of the struct `ty`, whose generic arguments replace the parameters. `None` if these are not as many.
    pub(super) fn with_arguments(self, ty: &syn::Type, errors: &Errors) -> Option<Vec<(Ident, FieldType)>> {
        let given = arguments_of(ty);
        if given.len() != self.params.len() {
            let message = format!(
                "this struct has {} type and const parameters, and {} are given\nhelp: write all of them",
                self.params.len(),
                given.len()
            );
            errors.push_invalid(ty.span(), message);
            return None;
        }
        let replaced: Vec<(String, TokenStream)> = self.params.iter().map(Ident::to_string).zip(given).collect();
        let at = self.name.span();
        Some(self.fields.into_iter().map(|(name, ty)| (name, field_type(replace(resolved_at(ty, at), &replaced)))).collect())
    }
}

/// The type and const arguments of a path.
fn arguments_of(ty: &syn::Type) -> Vec<TokenStream> {
    let syn::Type::Path(syn::TypePath { path, .. }) = super::without_group(ty) else { return Vec::new() };
    let Some(syn::PathArguments::AngleBracketed(arguments)) = path.segments.last().map(|last| &last.arguments) else { return Vec::new() };
    let arguments = arguments.args.iter().filter(|argument| !matches!(argument, syn::GenericArgument::Lifetime(_)));
    arguments.map(ToTokens::to_token_stream).collect()
}

fn replace(tokens: TokenStream, replaced: &[(String, TokenStream)]) -> TokenStream {
    let replace_token = |token| match token {
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), replace(group.stream(), replaced));
            inner.set_span(group.span());
            TokenTree::Group(inner).into()
        }
        TokenTree::Ident(name) => match replaced.iter().find(|(param, _)| name == param) {
            Some((_, argument)) => Group::new(Delimiter::None, argument.clone()).to_token_stream(),
            None => name.to_token_stream(),
        },
        other => other.into(),
    };
    tokens.into_iter().map(replace_token).collect::<Vec<TokenStream>>().into_iter().collect()
}

/// An array of the runtime by its name; if it is the name of another type, the launcher does not compile.
fn field_type(ty: TokenStream) -> FieldType {
    let array = match syn::parse2(ty.clone()) {
        Ok(syn::Type::Path(syn::TypePath { qself: None, path, .. })) => path.segments.last().and_then(|last| match &last.arguments {
            syn::PathArguments::AngleBracketed(arguments) => Some((last.ident.to_string(), arguments.args.last()?.clone())),
            _ => None,
        }),
        _ => None,
    };
    match array {
        Some((name, syn::GenericArgument::Type(element))) => match name.as_str() {
            "DeviceArray" | "DeviceSliceMut" => FieldType::Array(element.to_token_stream()),
            "DeviceSlice" => FieldType::SharedArray(element.to_token_stream()),
            _ => FieldType::Value(ty),
        },
        _ => FieldType::Value(ty),
    }
}

impl FieldType {
    /// The type of the parameter.
    pub(super) fn expand(&self, is_written: bool, span: Span) -> TokenStream {
        match self {
            FieldType::Array(element) if is_written => quote::quote_spanned!(span=> &mut [#element]),
            FieldType::Array(element) | FieldType::SharedArray(element) => quote::quote_spanned!(span=> &[#element]),
            FieldType::Value(ty) => ty.clone(),
        }
    }
}
