//! Type parameters and their bounds.
//!
//! A bound is recognised by the last segment of its path. The twin names the runtime's trait of that name, so rustc refuses another.

use super::Lowerer;
use crate::model::*;
use proc_macro2::{Ident, Span};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

/// A type parameter is found by its position in a list of so many.
const MOST_TYPE_PARAMS: usize = 4;

const BOUNDS: &str = "`Num` (all numbers), `Signed`, `Integer` or `Float`";

type Bounds = Punctuated<syn::TypeParamBound, syn::Token![+]>;

impl Lowerer<'_> {
    /// Lowers the type parameters. Those with a refused bound are there too, so that the types of parameters mean something.
    pub(super) fn lower_generics(&mut self, generics: &syn::Generics) {
        let before = self.errors.count();
        if self.is_kernel {
            self.refuse_kernel_generics(generics);
        } else {
            self.lower_device_generics(generics);
        }
        self.generics_refused = self.errors.count() > before;
    }

    fn refuse_kernel_generics(&self, generics: &syn::Generics) {
        if !generics.params.is_empty() {
            let message = if generics.params.iter().all(|param| matches!(param, syn::GenericParam::Lifetime(_))) {
                "a kernel names no lifetimes\nhelp: remove them here and from the parameters"
            } else {
                "a generic kernel is not supported yet\nhelp: write one kernel per element type; the `#[gpu_device]` functions that they call can be generic"
            };
            self.errors.push(generics.params.span(), message);
        } else if let Some(clause) = &generics.where_clause {
            self.errors.push(clause.where_token.span(), "a kernel has no `where` clause\nhelp: remove it");
        }
    }

    fn lower_device_generics(&mut self, generics: &syn::Generics) {
        if generics.params.is_empty() {
            if let Some(clause) = &generics.where_clause {
                self.errors.push(
                    clause.where_token.span(),
                    format!("{} without type parameters has no `where` clause\nhelp: remove it", self.what),
                );
            }
            return;
        }
        let clauses = self.lower_where_clause(generics);
        let slice = if self.is_elementwise { "" } else { "a slice, `&[T]` or `&mut [T]`, or " };
        for param in &generics.params {
            match param {
                syn::GenericParam::Type(param) => {
                    let elsewhere = clauses.iter().filter(|(name, _)| **name == param.ident).map(|(_, bounds)| *bounds);
                    let class = self.lower_bounds(&param.ident, std::iter::once(&param.bounds).chain(elsewhere));
                    self.type_params.push(TypeParam { name: param.ident.clone(), class });
                }
                syn::GenericParam::Lifetime(lifetime) => {
                    self.errors
                        .push(lifetime.span(), format!("{} names no lifetimes\nhelp: remove them here and from the parameters", self.what));
                }
                syn::GenericParam::Const(constant) => self
                    .errors
                    .push(constant.span(), format!("{} has no const parameters yet\nhelp: take {slice}an ordinary parameter", self.what)),
            }
        }
        if let Some(param) = self.type_params.get_mut(MOST_TYPE_PARAMS) {
            param.class = None;
            self.errors.push(
                param.name.span(),
                format!("{} has at most {MOST_TYPE_PARAMS} type parameters\nhelp: split it into several functions", self.what),
            );
        }
    }

    /// The bounds in the `where` clause, by the type parameter that they are on.
    fn lower_where_clause<'g>(&self, generics: &'g syn::Generics) -> Vec<(&'g Ident, &'g Bounds)> {
        let predicates = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
        let of_params = predicates.filter_map(|predicate| match predicate {
            syn::WherePredicate::Type(syn::PredicateType { lifetimes: None, bounded_ty: syn::Type::Path(ty), bounds, .. })
                if ty.qself.is_none()
                    && ty.path.get_ident().is_some_and(|name| generics.type_params().any(|param| param.ident == *name)) =>
            {
                Some((ty.path.get_ident()?, bounds))
            }
            other => {
                self.errors
                    .push(other.span(), format!("only a type parameter has a bound here\nhelp: write `T: Float`; the bounds are {BOUNDS}"));
                None
            }
        });
        of_params.collect()
    }

    /// The one bound of the type parameter `name`.
    fn lower_bounds<'b>(&self, name: &Ident, bounds: impl Iterator<Item = &'b Bounds>) -> Option<Class> {
        let mut classes = Vec::new();
        for bound in bounds.flatten() {
            classes.push(self.lower_bound(bound)?);
        }
        match classes[..] {
            [(class, _)] => Some(class),
            [] => {
                self.errors.push_invalid(
                    name.span(),
                    format!("the type parameter `{name}` has no bound, so nothing can be computed with it\nhelp: write `{name}: Float`; the bounds are {BOUNDS}"),
                );
                None
            }
            [_, (_, second), ..] => {
                self.errors.push(
                    second,
                    format!("the type parameter `{name}` has more than one bound\nhelp: keep the narrowest: `Float`, `Integer` and `Signed` are `Num` already, and `Float` is `Signed`"),
                );
                None
            }
        }
    }

    fn lower_bound(&self, bound: &syn::TypeParamBound) -> Option<(Class, Span)> {
        if let syn::TypeParamBound::Trait(syn::TraitBound { maybe: None, lifetimes: None, path, .. }) = bound
            && let Some(last) = path.segments.last()
            && let (Some(class), true) = (Class::from_name(&last.ident.to_string()), last.arguments.is_none())
        {
            return Some((class, path.span()));
        }
        self.errors.push_invalid(bound.span(), format!("this bound is not supported in {}\nhelp: the bounds are {BOUNDS}", self.what));
        None
    }

    /// The type parameter with this name.
    pub(super) fn type_param(&self, name: &Ident) -> Option<TypeParam> {
        self.type_params.iter().find(|param| param.name == *name).cloned()
    }
}
