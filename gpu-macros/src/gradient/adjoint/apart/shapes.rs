//! What types consist of, as the text around a function shows it.

use crate::gradient::inward::two_modules_in;
use crate::idents::word;
use crate::model::*;
use crate::source_scope::{Surroundings, written_type};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use std::collections::HashMap;

/// What a struct, a tuple, or a number consists of.
#[derive(Clone)]
pub(in crate::gradient::adjoint) enum Tree<T> {
    /// A number, or an array of numbers.
    One(T),
    Parts(Vec<(Member, Tree<T>)>),
}

impl<T> Tree<T> {
    pub(super) fn part(&self, member: &Member) -> Option<&Tree<T>> {
        match self {
            Tree::One(_) => None,
            Tree::Parts(parts) => parts.iter().find(|(known, _)| known == member).map(|(_, part)| part),
        }
    }

    /// The number, or the array of numbers, that these fields lead to.
    pub(in crate::gradient::adjoint) fn at(&self, members: &[Member]) -> Option<&T> {
        match (self, members) {
            (Tree::One(one), []) => Some(one),
            (parts, [first, rest @ ..]) => parts.part(first)?.at(rest),
            (Tree::Parts(_), []) => None,
        }
    }

    /// The places of these fields among the others.
    pub(in crate::gradient::adjoint) fn order_of(&self, members: &[Member]) -> Vec<usize> {
        match (self, members) {
            (Tree::Parts(parts), [first, rest @ ..]) => {
                let at = parts.iter().position(|(member, _)| member == first).unwrap_or(0);
                [vec![at], parts[at].1.order_of(rest)].concat()
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn into_part(self, member: &Member) -> Option<Tree<T>> {
        match self {
            Tree::One(_) => None,
            Tree::Parts(parts) => parts.into_iter().find(|(known, _)| known == member).map(|(_, part)| part),
        }
    }

    pub(super) fn map<U>(&self, with: &mut dyn FnMut(&T) -> U) -> Tree<U> {
        match self {
            Tree::One(one) => Tree::One(with(one)),
            Tree::Parts(parts) => Tree::Parts(parts.iter().map(|(member, part)| (member.clone(), part.map(with))).collect()),
        }
    }

    pub(in crate::gradient::adjoint) fn into_leaves(self) -> Vec<T> {
        match self {
            Tree::One(one) => vec![one],
            Tree::Parts(parts) => parts.into_iter().flat_map(|(_, part)| part.into_leaves()).collect(),
        }
    }

    /// Whether `test` holds for a number or an array of numbers in it.
    pub(in crate::gradient::adjoint) fn any(&self, test: &dyn Fn(&T) -> bool) -> bool {
        match self {
            Tree::One(one) => test(one),
            Tree::Parts(parts) => parts.iter().any(|(_, part)| part.any(test)),
        }
    }
}

/// What types consist of.
pub(in crate::gradient::adjoint) struct Shapes {
    around: Option<Surroundings>,
    name: Ident,
    structs: HashMap<String, Option<Vec<(Member, Type)>>>,
    asserted: Vec<TokenStream>,
}

impl Shapes {
    pub(super) fn of(function: &Function) -> Shapes {
        Shapes { around: None, name: function.name.clone(), structs: HashMap::new(), asserted: Vec::new() }
    }

    /// That the structs asked for are as the text shows them.
    pub(in crate::gradient::adjoint) fn into_asserted(self) -> Vec<TokenStream> {
        self.asserted
    }

    /// `None` of a type that has other parts than numbers and arrays of numbers, or whose parts are not known.
    pub(in crate::gradient::adjoint) fn of_type(&mut self, ty: &Type) -> Option<Tree<Type>> {
        match ty {
            Type::Scalar(_) => Some(Tree::One(ty.clone())),
            Type::Array(..) => ty.innermost().as_scalar().map(|_| Tree::One(ty.clone())),
            ty => {
                let parts = self.members(ty)?.into_iter().map(|(member, ty)| Some((member, self.of_type(&ty)?)));
                parts.collect::<Option<_>>().map(Tree::Parts)
            }
        }
    }

    /// The fields of a struct or tuple, if they are known.
    pub(in crate::gradient::adjoint) fn members(&mut self, ty: &Type) -> Option<Vec<(Member, Type)>> {
        match ty {
            Type::Tuple(parts) if !parts.is_empty() => {
                let position = |index| Member::Position(index, Span::call_site());
                Some(parts.iter().enumerate().map(|(index, part)| (position(index), part.clone())).collect())
            }
            Type::Named(named) => {
                let name = word(named.path.get_ident()?);
                if let Some(known) = self.structs.get(&name) {
                    return known.clone();
                }
                let members = self.of_struct(&name, named);
                self.structs.insert(name, members.clone());
                members
            }
            Type::Part(..) => {
                let ty = self.resolve(ty)?;
                self.members(&ty)
            }
            _ => None,
        }
    }

    /// The type of a part of a struct.
    pub(super) fn resolve(&mut self, ty: &Type) -> Option<Type> {
        let Type::Part(owner, part) = ty else { return Some(ty.clone()) };
        let member = match part {
            Part::Field(name) => Member::Name(name.clone()),
            Part::Position(index) => Member::Position(*index, Span::call_site()),
            _ => return None,
        };
        let owner = self.resolve(owner)?;
        self.members(&owner)?.into_iter().find(|(known, _)| *known == member).map(|(_, ty)| ty)
    }

    /// The type of a value, also where only the text around the function shows what it returns.
    pub(super) fn of_value(&mut self, value: &Expr) -> Option<Type> {
        match (&value.kind, &value.ty) {
            (ExprKind::Call { path, .. }, ty) if ty.as_scalar().is_none() && self.of_type(ty).is_none() => {
                let name = word(path.get_ident()?);
                type_of_field(&self.around().output_of_device_function(&name)?)
            }
            (_, ty) => self.resolve(ty),
        }
    }

    fn around(&mut self) -> &Surroundings {
        self.around.get_or_insert_with(|| Surroundings::of(&self.name))
    }

    fn of_struct(&mut self, name: &str, named: &NamedType) -> Option<Vec<(Member, Type)>> {
        let item = self.around().likely_type(name)?;
        let syn::Data::Struct(syn::DataStruct { fields, .. }) = &item.data else { return None };
        let is_plain =
            item.generics.params.is_empty() && fields.iter().all(|field| field.attrs.iter().all(|attr| attr.path().is_ident("doc")));
        if !is_plain || fields.is_empty() {
            return None;
        }
        let mut parts = Vec::new();
        let mut types = Vec::new();
        for (index, field) in fields.iter().enumerate() {
            let member = field.ident.clone().map_or(Member::Position(index, Span::call_site()), Member::Name);
            parts.push((member, type_of_field(&field.ty)?));
            types.push(&field.ty);
        }
        let path = two_modules_in(named.path.to_token_stream());
        let (members, bound): (Vec<_>, Vec<_>) =
            parts.iter().enumerate().map(|(index, (member, _))| (member, format_ident!("_{index}"))).unzip();
        // A pattern without `..` has all fields.
        self.asserted.push(quote! {
            const _: fn(#path) = |#path { #(#members: #bound),* }| { #(let _: #types = #bound;)* };
        });
        Some(parts)
    }
}

fn type_of_field(ty: &syn::Type) -> Option<Type> {
    match ty {
        syn::Type::Tuple(tuple) => tuple.elems.iter().map(type_of_field).collect::<Option<_>>().map(Type::Tuple),
        syn::Type::Path(syn::TypePath { qself: None, path, .. }) => {
            written_type(ty, Span::call_site()).or_else(|| path.get_ident().map(|_| Type::Named(NamedType { path: path.clone() })))
        }
        _ => written_type(ty, Span::call_site()),
    }
}
