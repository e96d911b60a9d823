//! Structs and enums that kernels use and that lack a derive.
//!
//! rustc reports the missing implementation at each use, in each function. Where the text around a function has the type, the first function
//! that uses it reports it once, and implements the traits in place of the derive. Where the text leaves a doubt, rustc decides.

use super::stub::expand_stub;
use crate::errors::Errors;
use crate::model::RuntimePath;
use crate::source_scope::Surroundings;
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::sync::{Mutex, PoisonError};
use syn::ext::IdentExt;

/// Derives that implement no trait of ours.
const OF_STD: [&str; 9] = ["Clone", "Copy", "Debug", "PartialEq", "Eq", "PartialOrd", "Ord", "Hash", "Default"];

/// What may use types.
pub(crate) enum User<'i> {
    Function(&'i syn::ItemFn),
    Impl(&'i syn::ItemImpl),
    Trait(&'i syn::ItemTrait),
    Fields(&'i Ident, &'i syn::Fields),
}

/// Messages about types that `user` uses and that lack a derive, and what stands in its place.
pub(crate) fn report_undeclared_types(user: &User<'_>, runtime: &RuntimePath) -> TokenStream {
    let Some(surroundings) = user.name().map(Surroundings::of).filter(|found| found.has_type_without("DeviceType")) else {
        return TokenStream::new();
    };
    let errors = Errors::new();
    let mut stubs = TokenStream::new();
    for name in user.types() {
        let mut types = undeclared(&name, &surroundings);
        types.retain(|ty| remember(&name, &ty.item.ident));
        if let Some(message) = message(&types) {
            errors.push(name.span(), message);
            stubs.extend(types.iter().map(|ty| ty.expand_stub(runtime)));
        }
    }
    let messages = errors.into_tokens();
    quote!(#stubs #messages)
}

/// Whether a message about the type is still to be given, in the file of the function that uses it. From now on it is not.
fn remember(user: &Ident, name: &Ident) -> bool {
    static SEEN: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());
    let known = (user.span().unwrap().file(), name.to_string());
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let is_new = !seen.contains(&known);
    if is_new {
        seen.push(known);
    }
    is_new
}

/// `name` and the types of its fields, as far as they lack the derive. Empty if it has it, or if the text around it does not tell.
fn undeclared(name: &Ident, surroundings: &Surroundings) -> Vec<Undeclared> {
    let mut found: Vec<Undeclared> = Vec::new();
    let mut names = vec![name.unraw().to_string()];
    while let Some(name) = names.pop() {
        if found.iter().any(|known| known.item.ident == name) {
            continue;
        }
        if is_never_copy(&name) {
            return Vec::new();
        }
        let Some(item) = surroundings.type_of_module(&name) else { continue };
        match Undeclared::read(item, surroundings) {
            Some(ty) => {
                names.extend(ty.types_of_fields());
                found.push(ty);
            }
            None if found.is_empty() => return Vec::new(),
            None => {}
        }
    }
    found
}

/// Whether a type with a part of this name cannot be `Copy`.
fn is_never_copy(name: &str) -> bool {
    ["Vec", "String", "Box", "Rc", "Arc", "HashMap", "str", "dyn", "mut"].contains(&name)
}

/// A struct or an enum without a derive that it needs.
pub(crate) struct Undeclared {
    item: syn::DeriveInput,
    has_repr: bool,
    is_clone: bool,
    is_copy: bool,
}

impl Undeclared {
    /// One without `#[derive(DeviceType)]`. `None` if something may implement the trait.
    fn read(item: syn::DeriveInput, surroundings: &Surroundings) -> Option<Self> {
        let written = Written::of(&item, surroundings)?;
        let is_declared = written.derives("DeviceType") || surroundings.implements("DeviceType", &item.ident.to_string());
        let (has_repr, is_clone, is_copy) = (written.has_repr, written.implements("Clone"), written.implements("Copy"));
        (!is_declared).then_some(Self { item, has_repr, is_clone, is_copy })
    }

    /// One with that derive and without `Copy`.
    pub(crate) fn of_derive(item: &syn::DeriveInput) -> Option<Self> {
        let surroundings = Surroundings::of(&item.ident);
        let item = surroundings.type_of_module(&item.ident.unraw().to_string())?;
        let written = Written::of(&item, &surroundings).filter(|written| !written.implements("Copy"))?;
        let (has_repr, is_clone) = (written.has_repr, written.implements("Clone"));
        let found = Self { item, has_repr, is_clone, is_copy: false };
        (!found.types_of_fields().iter().any(|name| is_never_copy(name))).then_some(found)
    }

    /// The names in the types of its fields.
    fn types_of_fields(&self) -> Vec<String> {
        let fields: Vec<&syn::Fields> = match &self.item.data {
            syn::Data::Struct(data) => vec![&data.fields],
            syn::Data::Enum(data) => data.variants.iter().map(|variant| &variant.fields).collect(),
            syn::Data::Union(_) => Vec::new(),
        };
        let types = fields.into_iter().flatten().map(|field| field.ty.to_token_stream());
        types.flat_map(names_of_types).map(|name| name.to_string()).collect()
    }

    /// `#[derive(Clone, Copy, DeviceType)]` and `#[repr(C)]`
    pub(crate) fn missing(&self) -> String {
        let derives = self.missing_derives().chain(["DeviceType"]).collect::<Vec<_>>().join(", ");
        format!("`#[derive({derives})]`{}", self.missing_repr().map_or(String::new(), |repr| format!(" and `{repr}`")))
    }

    /// What to do if `DeviceType` is derived already: "add `Clone, Copy` to the derive, and write `#[repr(C)]`".
    pub(crate) fn missing_beside_derive(&self) -> String {
        let derives = self.missing_derives().collect::<Vec<_>>().join(", ");
        let repr = self.missing_repr().map_or(String::new(), |repr| format!(", and write `{repr}` below it"));
        format!("add `{derives}` to the derive{repr}")
    }

    fn missing_derives(&self) -> impl Iterator<Item = &'static str> {
        [(!self.is_clone, "Clone"), (!self.is_copy, "Copy")].into_iter().filter_map(|(is_missing, name)| is_missing.then_some(name))
    }

    fn missing_repr(&self) -> Option<&'static str> {
        match self.item.data {
            _ if self.has_repr => None,
            syn::Data::Enum(_) => Some("#[repr(u8)]"),
            _ => Some("#[repr(C)]"),
        }
    }

    fn expand_stub(&self, runtime: &RuntimePath) -> TokenStream {
        let (stub, copy) = (expand_stub(&self.item, runtime), self.expand_copy());
        quote!(#stub #copy)
    }

    /// `Clone` and `Copy`, where an error keeps the program from running.
    pub(crate) fn expand_copy(&self) -> TokenStream {
        let (name, mut generics) = (&self.item.ident, self.item.generics.clone());
        for param in generics.type_params_mut() {
            param.bounds.push(syn::parse_quote!(::core::marker::Copy));
        }
        let (params, arguments, conditions) = generics.split_for_impl();
        let clone = (!self.is_clone).then(|| {
            quote! {
                impl #params ::core::clone::Clone for #name #arguments #conditions {
                    fn clone(&self) -> Self {
                        *self
                    }
                }
            }
        });
        let copy = (!self.is_copy).then(|| quote!(impl #params ::core::marker::Copy for #name #arguments #conditions {}));
        quote!(#clone #copy)
    }
}

/// What the text shows of a type.
struct Written<'s> {
    name: String,
    derived: Vec<String>,
    has_repr: bool,
    surroundings: &'s Surroundings,
}

impl<'s> Written<'s> {
    /// `None` if an attribute may change the type or implement a trait for it.
    fn of(item: &syn::DeriveInput, surroundings: &'s Surroundings) -> Option<Self> {
        // One that borrows is refused with a message of its own.
        if item.generics.lifetimes().next().is_some() {
            return None;
        }
        let mut written = Self { name: item.ident.to_string(), derived: Vec::new(), has_repr: false, surroundings };
        for attribute in &item.attrs {
            let name = attribute.path().get_ident()?.to_string();
            match name.as_str() {
                "repr" => written.has_repr = true,
                "derive" => attribute
                    .parse_nested_meta(|meta| {
                        written.derived.push(meta.path.segments.last().map_or_else(String::new, |last| last.ident.to_string()));
                        Ok(())
                    })
                    .ok()?,
                "allow" | "warn" | "expect" | "deny" | "must_use" | "non_exhaustive" | "device_type" | "default" => {}
                _ => return None,
            }
        }
        // Another one may have any name.
        let is_known = |name: &String| name == "DeviceType" || OF_STD.contains(&name.as_str());
        written.derived.iter().all(is_known).then_some(written)
    }

    fn derives(&self, name: &str) -> bool {
        self.derived.iter().any(|derived| derived == name)
    }

    /// Whether it has a trait of std, by a derive or otherwise.
    fn implements(&self, name: &str) -> bool {
        self.derives(name) || self.surroundings.implements(name, &self.name)
    }
}

/// `None` without types. The first has the others as fields.
fn message(types: &[Undeclared]) -> Option<String> {
    let keyword = |ty: &Undeclared| if matches!(ty.item.data, syn::Data::Enum(_)) { "enum" } else { "struct" };
    let what_to_write = |ty: &Undeclared| format!("{} above `{} {}`", ty.missing(), keyword(ty), ty.item.ident);
    let help: Vec<String> = types.iter().map(what_to_write).collect();
    Some(format!("`{}` is not a device type\nhelp: write {}", types.first()?.item.ident, help.join(", and ")))
}

impl User<'_> {
    /// A name in front of its blocks.
    fn name(&self) -> Option<&Ident> {
        match self {
            User::Function(function) => Some(&function.sig.ident),
            User::Impl(block) => match &*block.self_ty {
                syn::Type::Path(ty) => ty.path.segments.first().map(|first| &first.ident),
                _ => None,
            },
            User::Trait(declaration) => Some(&declaration.ident),
            User::Fields(name, _) => Some(name),
        }
    }

    /// Names of types that must be device types: in signatures and fields, and where a body makes values.
    fn types(&self) -> Vec<Ident> {
        match self {
            User::Function(function) => of_function(&function.sig, Some(&function.block)),
            User::Trait(declaration) => {
                let functions = declaration.items.iter().filter_map(|item| match item {
                    syn::TraitItem::Fn(function) => Some(of_function(&function.sig, function.default.as_ref())),
                    _ => None,
                });
                functions.flatten().collect()
            }
            User::Impl(block) => {
                let functions = block.items.iter().filter_map(|item| match item {
                    syn::ImplItem::Fn(function) => Some(function),
                    _ => None,
                });
                let has_values = functions.clone().any(|function| function.sig.receiver().is_some());
                let owner = if has_values { names_of_types(block.self_ty.to_token_stream()) } else { Vec::new() };
                let names = functions.flat_map(|function| of_function(&function.sig, Some(&function.block)));
                let generic: Vec<&Ident> = block.generics.type_params().map(|param| &param.ident).collect();
                owner.into_iter().chain(names).filter(|name| !generic.contains(&name)).collect()
            }
            User::Fields(_, fields) => fields.iter().flat_map(|field| names_of_types(field.ty.to_token_stream())).collect(),
        }
    }
}

fn of_function(signature: &syn::Signature, body: Option<&syn::Block>) -> Vec<Ident> {
    let generic: Vec<&Ident> = signature.generics.type_params().map(|param| &param.ident).collect();
    let parameters = signature.inputs.iter().filter_map(|input| match input {
        syn::FnArg::Typed(parameter) => Some(parameter.ty.to_token_stream()),
        syn::FnArg::Receiver(_) => None,
    });
    let types = parameters.chain([signature.output.to_token_stream()]).flat_map(names_of_types);
    let values = body.map(|body| names_of_values(body.to_token_stream())).unwrap_or_default();
    types.chain(values).filter(|name| !generic.contains(&name)).collect()
}

/// The names in a type that are no parts of paths.
fn names_of_types(tokens: TokenStream) -> Vec<Ident> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_colon = |token: Option<&TokenTree>| matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    let mut names = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|index| tokens.get(index));
        match token {
            TokenTree::Ident(name) if !is_colon(before) && !is_colon(tokens.get(index + 1)) => names.push(name.clone()),
            TokenTree::Group(group) => names.extend(names_of_types(group.stream())),
            _ => {}
        }
    }
    names
}

/// The names in front of the fields of a literal, and those of elements of arrays' types: `P { x: 1.0 }`, `[P; 4]`.
fn names_of_values(tokens: TokenStream) -> Vec<Ident> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut names = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match (token, tokens.get(index + 1)) {
            (TokenTree::Ident(name), Some(TokenTree::Group(fields))) if fields.delimiter() == Delimiter::Brace => names.push(name.clone()),
            (TokenTree::Ident(name), Some(TokenTree::Punct(punct))) if punct.as_char() == ';' && index == 0 => names.push(name.clone()),
            (TokenTree::Group(group), _) => names.extend(names_of_values(group.stream())),
            _ => {}
        }
    }
    names
}
