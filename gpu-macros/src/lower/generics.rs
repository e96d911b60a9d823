//! Type and const parameters.
//!
//! A bound is recognised by the last segment of its path. The twin names the runtime's trait of that name, so rustc refuses another.

use super::Lowerer;
use crate::idents::words_of;
use crate::model::*;
use proc_macro2::{Ident, Span};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

/// The maximum number of parameters: a parameter is found by its position in a list of this length.
const MOST_PARAMS: usize = 8;

const BOUNDS: &str = "`Num` (all numbers), `Signed`, `Integer`, `Float`, and traits with `#[gpu_device]`";

/// Bounds of std that have no effect on a GPU. They are allowed in addition to a supported bound.
const PLAIN_BOUNDS: [&str; 4] = ["Copy", "Clone", "Send", "Sync"];

/// The numbers that have what these traits of std say: a bound by them alone is a bound by the narrowest of these classes.
const STD_TRAITS: [(&str, Class); 29] = [
    ("PartialEq", Class::Num),
    ("PartialOrd", Class::Num),
    ("Eq", Class::Num),
    ("Ord", Class::Num),
    ("Default", Class::Num),
    ("Add", Class::Num),
    ("Sub", Class::Num),
    ("Mul", Class::Num),
    ("Div", Class::Num),
    ("Rem", Class::Num),
    ("AddAssign", Class::Num),
    ("SubAssign", Class::Num),
    ("MulAssign", Class::Num),
    ("DivAssign", Class::Num),
    ("RemAssign", Class::Num),
    ("Neg", Class::Signed),
    ("Not", Class::Integer),
    ("BitAnd", Class::Integer),
    ("BitOr", Class::Integer),
    ("BitXor", Class::Integer),
    ("Shl", Class::Integer),
    ("Shr", Class::Integer),
    ("BitAndAssign", Class::Integer),
    ("BitOrAssign", Class::Integer),
    ("BitXorAssign", Class::Integer),
    ("ShlAssign", Class::Integer),
    ("ShrAssign", Class::Integer),
    ("Copy", Class::Num),
    ("Clone", Class::Num),
];

/// Traits of std that have no meaning in kernels.
const HOST_TRAITS: [&str; 3] = ["Debug", "Display", "Iterator"];

type Bounds = Punctuated<syn::TypeParamBound, syn::Token![+]>;

impl Lowerer<'_> {
    /// Lowers the type and const parameters. Parameters with a refused bound are included, so that types that use them are known.
    pub(super) fn lower_generics(&mut self, generics: &syn::Generics) {
        let before = self.errors.count();
        self.lower_generic_params(generics);
        self.generics_refused = self.errors.count() > before;
    }

    fn lower_generic_params(&mut self, generics: &syn::Generics) {
        if generics.params.is_empty() {
            if let Some(clause) = &generics.where_clause {
                self.errors.push(
                    clause.where_token.span(),
                    format!("{} without type parameters cannot have a `where` clause\nhelp: remove it", self.what),
                );
            }
            return;
        }
        let clauses = self.lower_where_clause(generics);
        let mut functions = Vec::new();
        for param in &generics.params {
            match param {
                syn::GenericParam::Type(param) => {
                    let elsewhere = clauses.iter().filter(|(name, _)| **name == param.ident).map(|(_, bounds)| *bounds);
                    let bounds: Vec<&Bounds> = std::iter::once(&param.bounds).chain(elsewhere).collect();
                    if bounds.iter().flat_map(|bounds| bounds.iter()).any(is_function_bound) {
                        functions.push((&param.ident, bounds));
                        continue;
                    }
                    let param = self.lower_bounds(&param.ident, &bounds);
                    self.type_params.push(param);
                }
                syn::GenericParam::Lifetime(lifetime) => {
                    self.errors.push(
                        lifetime.span(),
                        format!("{} cannot have lifetime parameters\nhelp: remove them here and from the parameters", self.what),
                    );
                }
                syn::GenericParam::Const(constant) => self.lower_const_param(constant),
            }
        }
        // They may name any of the others.
        for (name, bounds) in functions {
            self.lower_function_param(name, &bounds);
        }
        if let Some(param) = generics.params.iter().nth(MOST_PARAMS) {
            // As after a refused bound: nothing is made of the list.
            self.type_params.iter_mut().for_each(|param| param.is_refused = true);
            self.const_params.clear();
            self.errors.push(
                param.span(),
                format!("{} has at most {MOST_PARAMS} type and const parameters\nhelp: split it into several functions", self.what),
            );
        }
    }

    /// The generics as the function on the host has them: with the runtime's bound in addition to those of std that stand for it.
    pub(super) fn host_generics(&self, generics: &syn::Generics, runtime: &RuntimePath) -> syn::Generics {
        let mut generics = generics.clone();
        for TypeParam { name, class, is_of_std, .. } in &self.type_params {
            if let (Some(class), true) = (class, is_of_std)
                && let Some(bounds) = bounds_of(&mut generics, name)
            {
                let class = Ident::new(class.name(), Span::mixed_site());
                bounds.push(syn::parse_quote!(#runtime::#class));
            }
        }
        generics
    }

    fn lower_function_param(&mut self, name: &Ident, bounds: &[&Bounds]) {
        let mut all = bounds.iter().flat_map(|bounds| bounds.iter());
        match (all.next(), all.next()) {
            (Some(bound), None) => {
                if let Some(Some(ty)) = self.lower_fn_bound(bound) {
                    self.function_params.push(FunctionParam { name: name.clone(), ty });
                }
            }
            (_, second) => self.errors.push(
                second.map_or_else(|| name.span(), Spanned::span),
                format!("the function `{name}` has more than one bound\nhelp: keep `Fn(f32) -> f32`"),
            ),
        }
    }

    fn lower_const_param(&mut self, param: &syn::ConstParam) {
        if self.is_array_function {
            self.errors.push(param.span(), format!("{} cannot have const parameters\nhelp: take an ordinary parameter", self.what));
            return;
        }
        let scalar = match &param.ty {
            syn::Type::Path(path) if path.qself.is_none() => path.path.get_ident().and_then(|name| Scalar::from_name(&name.to_string())),
            _ => None,
        };
        match scalar.filter(|scalar| ConstParam::SCALARS.contains(scalar)) {
            Some(scalar) => self.const_params.push(ConstParam { name: param.ident.clone(), scalar }),
            None => {
                let message = "a const parameter of a GPU function must be a `usize`, `u32`, `i32` or `bool`\nhelp: use one of these, and convert it in the body";
                match scalar {
                    Some(scalar) if !scalar.is_float() => self.errors.push(param.ty.span(), message),
                    // Of most other types there are none in Rust.
                    _ => self.errors.push_invalid(param.ty.span(), message),
                }
            }
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
                self.errors.push(
                    other.span(),
                    format!("only type parameters can have bounds here\nhelp: write `T: Float`; the bounds are {BOUNDS}; the bound of an associated type belongs in its trait, `type Item: DeviceType + Shape;`"),
                );
                None
            }
        });
        of_params.collect()
    }

    /// The meaning of the bounds of the type parameter `name`: its number types, and the user's traits.
    fn lower_bounds(&self, name: &Ident, bounds: &[&Bounds]) -> TypeParam {
        let mut param =
            TypeParam { name: name.clone(), class: None, traits: Vec::new(), is_of_std: false, is_device_type: false, is_refused: false };
        let all: Vec<_> = bounds.iter().flat_map(|bounds| bounds.iter()).collect();
        param.is_refused = all.iter().any(|bound| self.lower_bound(&mut param, bound).is_none());
        if param.is_refused || param.class.is_some() {
            return param;
        }
        let of_std = all.iter().filter_map(|bound| class_of_std(bound));
        let unsupported = all.iter().find(|bound| class_of_std(bound).is_some() && !is_plain(bound));
        if !param.traits.is_empty() || (param.is_device_type && unsupported.is_none()) {
            // Of a type that is no number, only the copies are supported.
            unsupported.iter().for_each(|bound| self.refuse_bound(bound));
            param.is_refused = unsupported.is_some();
            return param;
        }
        if let Some(class) = of_std.reduce(Class::narrower) {
            (param.class, param.is_of_std) = (Some(class), true);
            return param;
        }
        param.is_refused = true;
        match all.first() {
            None => self.errors.push_invalid(
                name.span(),
                format!("the type parameter `{name}` has no bound, so nothing can be computed with it\nhelp: write `{name}: Float`; the bounds are {BOUNDS}"),
            ),
            Some(bound) => self.refuse_bound(bound),
        }
        param
    }

    /// Adds what `bound` says to `param`. `None` after an error.
    fn lower_bound(&self, param: &mut TypeParam, bound: &syn::TypeParamBound) -> Option<()> {
        let syn::TypeParamBound::Trait(syn::TraitBound { maybe: None, lifetimes: None, path, .. }) = bound else {
            if matches!(bound, syn::TypeParamBound::Lifetime(lifetime) if lifetime.ident == "static") {
                return Some(());
            }
            self.refuse_bound(bound);
            return None;
        };
        let last = path.segments.last()?;
        let name = last.ident.to_string();
        match Class::from_name(&name) {
            None if class_of_std(bound).is_some() => {}
            // A trait of the user's may have type parameters.
            class if !last.arguments.is_none() && (class.is_some() || self.is_array_function || !has_types_only(&last.arguments)) => {
                self.refuse_bound(bound);
                return None;
            }
            Some(_) if param.class.is_some() => {
                let name = &param.name;
                self.errors.push(
                    path.span(),
                    format!("the type parameter `{name}` has two bounds for numbers\nhelp: keep the narrower: `Float`, `Integer` and `Signed` are `Num` already, and `Float` is `Signed`"),
                );
                return None;
            }
            Some(class) => param.class = Some(class),
            None if name == "DeviceType" => param.is_device_type = true,
            None if PLAIN_BOUNDS.contains(&name.as_str()) => {}
            None if self.is_array_function || is_of_std(&name) => {
                self.refuse_bound(bound);
                return None;
            }
            None => param.traits.push(TraitBound { path: path.clone() }),
        }
        Some(())
    }

    fn refuse_bound(&self, bound: &syn::TypeParamBound) {
        let bounds = if self.is_array_function { "`Num` (all numbers), `Signed`, `Integer` or `Float`" } else { BOUNDS };
        let is_iterator = matches!(bound, syn::TypeParamBound::Trait(bound) if bound.path.segments.last().is_some_and(|last| last.ident == "Iterator" || last.ident == "IntoIterator"));
        let message = match is_iterator {
            true => format!(
                "{} cannot take an iterator\nhelp: take a slice, `values: &[f32]`, and write `values.iter()` in the body",
                self.what
            ),
            false if self.is_array_function => format!(
                "this bound is not supported in {}\nhelp: the bounds are {bounds}; for a trait of your own, name the type, such as `x: Circle`",
                self.what
            ),
            false => format!("this bound is not supported in {}\nhelp: the bounds are {bounds}", self.what),
        };
        self.errors.push_invalid(bound.span(), message);
    }

    /// The type parameter with this name.
    pub(super) fn type_param(&self, name: &Ident) -> Option<TypeParam> {
        self.type_params.iter().find(|param| param.name == *name).cloned()
    }

    /// The type parameter with this name that stands for a function.
    pub(super) fn function_param(&self, name: &Ident) -> Option<&FunctionParam> {
        self.function_params.iter().find(|param| param.name == *name)
    }

    /// The const parameter with this name.
    pub(super) fn const_param(&self, name: &Ident) -> Option<&ConstParam> {
        self.const_params.iter().find(|param| param.name == *name)
    }

    /// The arguments between `::<` and `>` of a call: `lerp::<f32>`, `unrolled::<8>`.
    pub(super) fn lower_explicit(&mut self, arguments: &syn::PathArguments) -> Option<Vec<GenericArgument>> {
        const HELP: &str =
            "a device function can only be generic over numbers, structs and constants\nhelp: write `f::<f32>(…)` or `f::<8>(…)`";
        let generics = match arguments {
            syn::PathArguments::None => return Some(Vec::new()),
            syn::PathArguments::AngleBracketed(generics) => generics,
            syn::PathArguments::Parenthesized(parenthesised) => {
                self.errors.push_invalid(parenthesised.span(), HELP);
                return None;
            }
        };
        let arguments = generics.args.iter().map(|argument| match argument {
            syn::GenericArgument::Type(syn::Type::Path(path)) if self.names_constant(path) => {
                let param = path.path.get_ident().and_then(|name| self.const_param(name));
                let kind = param.map_or(ConstArgumentKind::Expression, |param| ConstArgumentKind::Param(param.scalar));
                Some(GenericArgument::Const(ConstArgument { tokens: path.to_token_stream(), kind }))
            }
            syn::GenericArgument::Type(ty) => match self.lower_type(ty)? {
                ty if ty.is_scalar() || matches!(ty, Type::Variable(_) | Type::Named(_)) => Some(GenericArgument::Type(ty)),
                _ => {
                    self.errors.push_invalid(ty.span(), HELP);
                    None
                }
            },
            syn::GenericArgument::Const(value) => {
                Some(GenericArgument::Const(ConstArgument { tokens: value.to_token_stream(), kind: const_argument_kind(value) }))
            }
            other => {
                self.errors.push_invalid(other.span(), HELP);
                None
            }
        });
        arguments.collect()
    }

    /// Whether a type in the syntax tree is a constant: a const parameter, or a path whose last name is in capital letters.
    fn names_constant(&self, path: &syn::TypePath) -> bool {
        let Some(last) = path.path.segments.last() else { return false };
        if path.path.get_ident().is_some_and(|name| self.type_param(name).is_some()) {
            return false;
        }
        let is_param = path.path.get_ident().is_some_and(|name| self.const_param(name).is_some());
        is_param || (path.qself.is_none() && last.arguments.is_none() && !last.ident.to_string().chars().any(char::is_lowercase))
    }
}

/// `<f32>`
fn has_types_only(arguments: &syn::PathArguments) -> bool {
    let is_type = |argument: &syn::GenericArgument| matches!(argument, syn::GenericArgument::Type(_));
    matches!(arguments, syn::PathArguments::AngleBracketed(arguments) if arguments.args.iter().all(is_type))
}

/// Gives each parameter `shape: impl Shape` a type parameter of its own, as rustc does.
pub(crate) fn name_impl_traits(function: &mut syn::ItemFn) {
    let mut words = None;
    let syn::Signature { inputs, generics, .. } = &mut function.sig;
    for input in inputs {
        let syn::FnArg::Typed(typed) = input else { continue };
        let syn::Type::ImplTrait(of) = &*typed.ty else { continue };
        if of.bounds.iter().any(is_function_bound) {
            continue;
        }
        let words = words.get_or_insert_with(|| words_of(function.block.to_token_stream()));
        let count = generics.params.len();
        let name = (count..).map(|index| format!("Type{index}")).find(|name| !words.contains(name)).expect("numbers do not end");
        let name = Ident::new(&name, Span::mixed_site().located_at(of.span()));
        let bounds = &of.bounds;
        generics.params.push(syn::parse_quote!(#name: #bounds));
        typed.ty = syn::parse_quote!(#name);
    }
}

/// The numbers that a bound by a trait of std stands for: `Add<Output = T>`, `PartialOrd`.
fn class_of_std(bound: &syn::TypeParamBound) -> Option<Class> {
    let syn::TypeParamBound::Trait(syn::TraitBound { maybe: None, lifetimes: None, path, .. }) = bound else { return None };
    let last = path.segments.last()?;
    let is_of_itself = match &last.arguments {
        syn::PathArguments::None => true,
        syn::PathArguments::AngleBracketed(generics) => {
            generics.args.iter().all(|argument| matches!(argument, syn::GenericArgument::AssocType(_)))
        }
        syn::PathArguments::Parenthesized(_) => false,
    };
    STD_TRAITS.iter().find(|(name, _)| is_of_itself && last.ident == name).map(|(_, class)| *class)
}

fn is_plain(bound: &syn::TypeParamBound) -> bool {
    let syn::TypeParamBound::Trait(bound) = bound else { return true };
    bound.path.segments.last().is_some_and(|last| PLAIN_BOUNDS.iter().any(|name| last.ident == name))
}

fn is_of_std(name: &str) -> bool {
    STD_TRAITS.iter().any(|(known, _)| *known == name) || HOST_TRAITS.contains(&name)
}

/// Whether a bound is written like a function's: `Fn(f32) -> f32`.
fn is_function_bound(bound: &syn::TypeParamBound) -> bool {
    let syn::TypeParamBound::Trait(bound) = bound else { return false };
    bound.path.segments.last().is_some_and(|last| matches!(last.arguments, syn::PathArguments::Parenthesized(_)))
}

fn const_argument_kind(value: &syn::Expr) -> ConstArgumentKind {
    let integer = |int: &syn::LitInt| int.base10_parse::<i128>().map_or(ConstArgumentKind::Expression, ConstArgumentKind::Integer);
    match value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => integer(int),
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Bool(_), .. }) => ConstArgumentKind::Bool,
        syn::Expr::Unary(syn::ExprUnary { op: syn::UnOp::Neg(_), expr, .. }) => match const_argument_kind(expr) {
            ConstArgumentKind::Integer(value) => ConstArgumentKind::Integer(-value),
            other => other,
        },
        _ => ConstArgumentKind::Expression,
    }
}

/// Where the type parameter `name` has its bounds: at its declaration or in the `where` clause. A lint asks for one place.
fn bounds_of<'g>(generics: &'g mut syn::Generics, name: &Ident) -> Option<&'g mut Bounds> {
    let of_param = generics.params.iter_mut().find_map(|param| match param {
        syn::GenericParam::Type(param) if param.ident == *name => Some(&mut param.bounds),
        _ => None,
    });
    let predicates = generics.where_clause.iter_mut().flat_map(|clause| &mut clause.predicates);
    let of_clause = predicates.filter_map(|predicate| match predicate {
        syn::WherePredicate::Type(syn::PredicateType { bounded_ty: syn::Type::Path(path), bounds, .. }) if path.path.is_ident(name) => {
            Some(bounds)
        }
        _ => None,
    });
    of_param.into_iter().chain(of_clause).find(|bounds| !bounds.is_empty())
}
