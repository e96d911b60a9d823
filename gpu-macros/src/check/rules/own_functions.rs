//! Calls of functions of the user's types and traits, as far as the text around a kernel has them.
//!
//! Generated code calls two hidden functions for one of the user's, and rustc reports a mistake in both calls, with the parameters that the
//! hidden ones have.

use crate::errors::Errors;
use crate::model::*;
use crate::source_scope::{FunctionOfType, Surroundings, is_not_ours};
use crate::unsupported_methods::count_arguments;
use proc_macro2::Ident;

/// Reports a call of a function that has no `#[gpu_device]`, another number of parameters, or another trait than the bounds.
pub(crate) fn check_own_function(function: &Function, expr: &Expr, errors: &Errors) {
    if let ExprKind::Call { path, .. } = &expr.kind {
        return check_function(function, path, errors);
    }
    let ExprKind::Associated { path, receiver, name, args } = &expr.kind else { return };
    let Some(owner) = owner_of(path.as_ref(), receiver.as_deref()) else { return };
    let surroundings = Surroundings::of(&function.name);
    let call = Call { owner: &owner, name, has_receiver: receiver.is_some(), arguments: args.len() };
    let message = match function.type_params.iter().find(|param| param.name == owner) {
        Some(param) => call.refuse_of_parameter(param, &surroundings),
        None => call.refuse_of_type(&surroundings),
    };
    if let Some(message) = message {
        errors.push_invalid(name.span(), message);
    }
}

/// Reports the call of a function without `#[gpu_device]`.
fn check_function(function: &Function, path: &syn::Path, errors: &Errors) {
    let Some(name) = path.get_ident() else { return };
    let (surroundings, text) = (Surroundings::of(&function.name), name.to_string());
    if surroundings.function_of_module(&text).is_some() && !surroundings.declares_module(&text) {
        errors.push(name.span(), format!("`{name}` is not a device function\nhelp: write `#[gpu_device]` above `fn {name}`"));
    }
}

struct Call<'c> {
    /// The name of the type.
    owner: &'c str,
    name: &'c Ident,
    has_receiver: bool,
    arguments: usize,
}

impl Call<'_> {
    fn refuse_of_type(&self, surroundings: &Surroundings) -> Option<String> {
        let name = self.name;
        let FunctionOfType { header, parameters } = surroundings.function_of_type(self.owner, &name.to_string())?;
        match is_for_kernels(&header.attrs) {
            // That of a trait may be derived.
            false if header.trait_.is_some() => None,
            false => Some(format!("`{name}` is not a device function\nhelp: write `#[gpu_device]` above the `impl` that has it")),
            true => self.refuse_count(&parameters),
        }
    }

    /// `None` where the text does not have all of the bounds.
    fn refuse_of_parameter(&self, param: &TypeParam, surroundings: &Surroundings) -> Option<String> {
        let (name, owner) = (self.name, self.owner);
        if param.class.is_some() || param.is_of_std || param.is_refused {
            return None;
        }
        let of_trait = |bound: &TraitBound| {
            let found = surroundings.function_of_trait(&bound.path, &name.to_string())?;
            Some(found.map(|parameters| (bound.path.get_ident().map(Ident::to_string).unwrap_or_default(), parameters)))
        };
        let found: Vec<_> = param.traits.iter().map(of_trait).collect::<Option<Vec<_>>>()?.into_iter().flatten().collect();
        match found.as_slice() {
            [] => Some(format!("no bound of `{owner}` has a function `{name}`\nhelp: add the trait that has it, `{owner}: …`")),
            [(_, parameters)] => self.refuse_count(parameters),
            several => {
                let calls = several.iter().map(|(of, parameters)| format!("`{of}::{name}({})`", arguments(parameters)));
                let calls: Vec<String> = calls.collect();
                Some(format!("{} bounds of `{owner}` have a function `{name}`\nhelp: write {}", several.len(), calls.join(" or ")))
            }
        }
    }

    fn refuse_count(&self, parameters: &[String]) -> Option<String> {
        let name = self.name;
        let is_method = parameters.first().is_some_and(|first| first.ends_with("self"));
        let (parameters, called) = match self.has_receiver {
            true if !is_method => return None,
            true => (&parameters[1..], format!(".{name}")),
            false => (parameters, format!("{}::{name}", self.owner)),
        };
        let takes = count_arguments(parameters.len());
        (parameters.len() != self.arguments)
            .then(|| format!("`{name}` takes {takes}, not {}\nhelp: write `{called}({})`", self.arguments, names(parameters).join(", ")))
    }
}

/// The parameters as arguments.
fn names(parameters: &[String]) -> Vec<&str> {
    parameters.iter().map(|pattern| pattern.trim_start_matches('&').trim_start_matches("mut ")).collect()
}

/// `…` for the receiver, and the names of the others.
fn arguments(parameters: &[String]) -> String {
    let arguments = names(parameters).into_iter().map(|name| if name == "self" { "…" } else { name });
    arguments.collect::<Vec<_>>().join(", ")
}

/// The name of the type whose function is called.
fn owner_of(path: Option<&FunctionPath>, receiver: Option<&Expr>) -> Option<String> {
    let is_type = |ident: &&Ident| ident.to_string().starts_with(char::is_uppercase);
    let owner = match (path, receiver) {
        (_, Some(Expr { ty: Type::Named(named), .. })) => named.path.segments.last().filter(|_| named.path.segments.len() == 1)?,
        (Some(path), None) if path.path.segments.len() == 2 => &path.path.segments[0],
        _ => return None,
    };
    Some(&owner.ident).filter(is_type).map(Ident::to_string)
}

/// Whether an attribute may be ours.
fn is_for_kernels(attributes: &[syn::Attribute]) -> bool {
    !attributes.iter().all(|attribute| attribute.path().segments.first().is_some_and(|first| is_not_ours(&first.ident)))
}
