//! The function's header: parameters, return type, and what a kernel's header may not have.

use super::Lowerer;
use super::call::is_intrinsic;
use super::views::is_view;
use super::written::written_type;
use crate::model::*;
use crate::unsupported_methods::no_layout;
use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    /// Lowers the parameters. A refused parameter takes any argument, so that callers give no further errors. `None` for a method.
    pub(super) fn lower_signature(&mut self, signature: &syn::Signature) -> Option<Vec<Param>> {
        self.check_qualifiers(signature);
        self.check_name(&signature.ident);
        self.lower_generics(&signature.generics);
        self.check_number_of_params(signature);
        let mut params = Vec::new();
        for input in &signature.inputs {
            match input {
                syn::FnArg::Receiver(receiver) if self.owner.is_some() => params.push(self.lower_self(receiver)),
                syn::FnArg::Receiver(receiver) => {
                    self.errors.push(
                        receiver.span(),
                        format!("{} cannot have a `self` parameter\nhelp: take the fields of `self` as parameters", self.what),
                    );
                    return None;
                }
                syn::FnArg::Typed(typed) => {
                    let param = self.lower_param(typed, params.len());
                    params.push(param);
                }
            }
        }
        Some(params)
    }

    /// A call of a device function with the name of an intrinsic would mean the intrinsic.
    fn check_name(&self, name: &syn::Ident) {
        if !self.is_kernel && !self.is_array_function && self.owner.is_none() && is_intrinsic(&name.to_string()) {
            self.errors.push(
                name.span(),
                format!("kernels would call the function `{name}` of `gpu_runtime` instead of this one\nhelp: rename this function"),
            );
        }
    }

    fn check_number_of_params(&mut self, signature: &syn::Signature) {
        if self.is_kernel
            && let Some(surplus) = signature.inputs.iter().nth(KernelOptions::MOST_PARAMS)
        {
            self.errors.push(
                surplus.span(),
                format!(
                    "a kernel has at most {} parameters\nhelp: combine numbers into a struct with `#[derive(Clone, Copy, DeviceType)]` and `#[repr(C)]`",
                    KernelOptions::MOST_PARAMS
                ),
            );
        }
    }

    fn check_qualifiers(&mut self, signature: &syn::Signature) {
        let what = self.what;
        match &signature.asyncness {
            Some(token) if self.is_kernel || self.is_array_function => {
                self.errors
                    .push(token.span(), format!("{what} cannot be `async`\nhelp: remove `async`; barriers need no `.await` in a kernel"));
            }
            asyncness => self.is_async = asyncness.is_some(),
        }
        // What constants call is the function as it is written.
        if let Some(token) = signature.constness.as_ref().filter(|_| self.is_kernel || self.is_array_function) {
            self.errors.push(token.span(), format!("{what} cannot be `const`\nhelp: remove `const`"));
        }
        if let syn::Safety::Unsafe(token) = &signature.safety {
            self.errors.push(
                token.span(),
                format!("{what} cannot be declared `unsafe`\nhelp: remove `unsafe`; a kernel that is not proved free of data races is launched with `launch_unchecked`, which is `unsafe`"),
            );
        }
        if let Some(abi) = &signature.abi {
            self.errors.push(abi.span(), format!("{what} cannot have an ABI\nhelp: remove `extern`"));
        }
        if let Some(variadic) = &signature.variadic {
            self.errors.push(variadic.span(), format!("{what} cannot be variadic\nhelp: take a slice, `&[T]`"));
        }
    }

    fn lower_param(&mut self, typed: &syn::PatType, index: usize) -> Param {
        if let Some(attribute) = typed.attrs.first() {
            self.errors.push(attribute.span(), "only `#[cfg]` is supported on parameters\nhelp: put other attributes on the function");
        }
        let ty = self.lower_param_type(&typed.ty).unwrap_or(Type::Refused);
        let name = match &*typed.pat {
            syn::Pat::Wild(wildcard) => {
                // The host's function of a type or trait is declared as it is written.
                if self.owner.is_some() {
                    self.errors
                        .push(wildcard.span(), "a parameter of a method needs a name in kernels\nhelp: write a name such as `_unused`");
                }
                Some((syn::Ident::new(&format!("unused{index}"), wildcard.span().resolved_at(Span::mixed_site())), false))
            }
            pattern => self.lower_param_name(pattern),
        };
        let (name, mutable, ty) = match name {
            Some((name, mutable)) => (name, mutable, ty),
            None => (syn::Ident::new(&format!("parameter{index}"), Span::mixed_site()), false, Type::Refused),
        };
        let holds = holds(&typed.ty, &ty);
        if let (true, syn::Pat::Ident(pattern)) = (mutable && holds != Holds::Value, &*typed.pat) {
            let message = format!(
                "`mut` on a reference parameter is not supported in kernels: `{name}` refers to one value in the whole function\nhelp: remove this `mut`; to assign the value, declare `{name}: &mut T` and write `*{name} = …`"
            );
            self.errors.push(pattern.mutability.span(), message);
        }
        let local = self.declare(&name, mutable, ty, LocalKind::Param(index));
        self.make_reference(local, holds);
        Param { local, written: written_type(&typed.ty) }
    }

    fn lower_param_name(&mut self, pattern: &syn::Pat) -> Option<(syn::Ident, bool)> {
        let syn::Pat::Ident(pattern) = pattern else {
            self.errors.push(pattern.span(), "a parameter must be a plain name\nhelp: destructure it with `let` in the body");
            self.declare_refused(pattern);
            return None;
        };
        if let Some(by_ref) = &pattern.by_ref {
            self.errors.push(by_ref.span(), "`ref` is not supported in kernels\nhelp: remove `ref`");
        }
        if let Some((at, _)) = &pattern.subpat {
            self.errors.push(at.span(), "`@` patterns are not supported in kernels\nhelp: bind one name");
        }
        if self.visible(&pattern.ident).is_some() {
            self.errors.push_invalid(
                pattern.ident.span(),
                format!("there are two parameters `{}`\nhelp: remove or rename one of them", pattern.ident),
            );
            return None;
        }
        Some((pattern.ident.clone(), pattern.mutability.is_some()))
    }

    /// Scalars, `&[T]` and `&mut [T]`.
    fn lower_param_type(&mut self, ty: &syn::Type) -> Option<Type> {
        if self.is_elementwise
            && let Some(span) = several_elements(ty)
        {
            self.errors.push(
                span,
                "an array function takes one element of each array, by value\nhelp: take a number, such as `f32`; to use several elements at once, write a `#[gpu_kernel]` or a `#[guvectorize]` function",
            );
            return None;
        }
        match ty {
            // A `$ty:ty` of a macro.
            syn::Type::Group(group) => self.lower_param_type(&group.elem),
            syn::Type::Reference(reference) => self.lower_reference_param(ty, reference),
            syn::Type::ImplTrait(ty) => self.lower_impl_fn(ty),
            syn::Type::Path(path) if path.path.get_ident().is_some_and(|name| self.function_param(name).is_some()) => {
                let param = path.path.get_ident().and_then(|name| self.function_param(name))?;
                Some(Type::Function(Box::new(param.ty.clone())))
            }
            syn::Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Vec") => {
                let pass = if self.is_kernel { ", and pass a device array" } else { "" };
                self.errors.push(ty.span(), format!("{} cannot take a `Vec`\nhelp: take a slice, `&[T]` or `&mut [T]`{pass}", self.what));
                None
            }
            syn::Type::Path(path) if is_view(path) => self.lower_view_type(path),
            other => match self.lower_type(other)? {
                scalar if scalar.is_scalar() => Some(scalar),
                named @ Type::Named(_) => Some(named),
                compound @ (Type::Array(..) | Type::Tuple(_) | Type::Std(..)) if !self.is_array_function => {
                    if self.is_kernel {
                        self.check_in_memory(
                            &compound,
                            other.span(),
                            "a parameter must consist of numbers, `bool`, structs, arrays, tuples and `Option`s",
                        )?;
                    }
                    Some(compound)
                }
                _ => {
                    let message = match self.is_elementwise {
                        true => "a parameter must be a number, `bool` or a struct\nhelp: take each component as a separate parameter",
                        false if self.is_kernel => {
                            "a parameter must be a number, `bool`, a struct, a tuple, `[T; N]`, `&[T]`, `&mut [T]`, `View<T, N>` or `ViewMut<T, N>`\nhelp: take the values that the kernel needs as parameters of such types"
                        }
                        false => {
                            "a parameter must be a number, `bool`, a struct, a tuple, `[T; N]`, `&[T]`, `&mut [T]`, `View<T, N>` or `ViewMut<T, N>`\nhelp: take the values that the function needs as parameters of such types"
                        }
                    };
                    self.errors.push(other.span(), message);
                    None
                }
            },
        }
    }

    /// A slice, and in a device function a reference to a value, or to an array.
    fn lower_reference_param(&mut self, ty: &syn::Type, reference: &syn::TypeReference) -> Option<Type> {
        match &*reference.elem {
            syn::Type::Slice(slice) => self.lower_slice_param(ty, reference, slice),
            syn::Type::TraitObject(object) => self.refuse_trait_object(object),
            syn::Type::Array(array) if self.is_kernel || self.is_array_function => {
                self.errors.push(
                    array.span(),
                    "a reference to an array is not supported as a parameter\nhelp: take a slice, `&[T]` or `&mut [T]`",
                );
                None
            }
            syn::Type::Path(path) if atomic_of(path).is_some() => self.lower_atomic_param(ty, reference, atomic_of(path)?),
            syn::Type::Path(view) if is_view(view) => {
                self.errors.push(
                    view.span(),
                    "a view is taken by value: it is a small handle\nhelp: remove the `&`; a view that the kernel writes to is a `ViewMut<T, N>`",
                );
                None
            }
            single if !self.is_kernel && !self.is_array_function => {
                self.check_no_lifetime(reference);
                self.lower_type(single)
            }
            other => {
                let help = match named(other).as_deref() {
                    Some("Vec") => "take the slice, and pass a device array, such as `device.to_device(&vec)?`",
                    Some("str" | "String") => "kernels have no strings: take its bytes, `&[u8]`",
                    _ => {
                        "take a single number by value, and write results into a slice; above a struct of arrays, write `#[derive(KernelData)]`"
                    }
                };
                let message = format!("a reference parameter must be a slice, `&[T]` or `&mut [T]`\nhelp: {help}");
                self.errors.push(other.span(), message);
                None
            }
        }
    }

    /// `&[T]` or `&mut [T]`.
    fn lower_slice_param(&mut self, ty: &syn::Type, reference: &syn::TypeReference, slice: &syn::TypeSlice) -> Option<Type> {
        self.check_no_lifetime(reference);
        let element = self.lower_element_type(&slice.elem)?;
        if let Type::Atomic(value) = element
            && (reference.mutability.is_some() || self.is_array_function)
        {
            let name = value.atomic_name();
            let message = match self.is_array_function {
                true => "atomics are not supported in array functions because their calls are independent\nhelp: write a `#[gpu_kernel]` for threads that cooperate".to_owned(),
                false => format!("atomics are changed through a shared reference\nhelp: write `&[{name}]`"),
            };
            self.errors.push(ty.span(), message);
            return None;
        }
        self.check_slice_element(&element, slice.elem.span())?;
        Some(Type::Slice { element: Box::new(element), mutable: reference.mutability.is_some() })
    }

    /// `&AtomicU32`, an element of a slice that the function gets.
    fn lower_atomic_param(&mut self, ty: &syn::Type, reference: &syn::TypeReference, value: AtomicValue) -> Option<Type> {
        let name = value.atomic_name();
        let message = match () {
            () if self.is_array_function => {
                "atomics are not supported in array functions because their calls are independent\nhelp: write a `#[gpu_kernel]` for threads that cooperate"
                    .to_owned()
            }
            () if self.is_kernel => {
                format!(
                    "a single atomic is not supported as a parameter of a kernel\nhelp: take a slice, `&[{name}]`, and use its element 0"
                )
            }
            () if reference.mutability.is_some() => {
                format!("atomics are changed through a shared reference\nhelp: write `&{name}`")
            }
            () => {
                self.check_no_lifetime(reference);
                return Some(Type::Atomic(value));
            }
        };
        self.errors.push(ty.span(), message);
        None
    }

    fn check_no_lifetime(&self, reference: &syn::TypeReference) {
        if let Some(lifetime) = &reference.lifetime
            && !self.generics_refused
        {
            self.errors.push(lifetime.span(), "named lifetimes are not supported in parameters\nhelp: remove the lifetime");
        }
    }

    /// Numbers, structs, and arrays and tuples of them; of an array function numbers and structs alone.
    fn check_slice_element(&self, element: &Type, span: Span) -> Option<()> {
        if element.is_element() || element.is_array_element() {
            return Some(());
        }
        if self.is_array_function {
            let message = "the elements of a slice parameter must be numbers, `bool` or structs\nhelp: pass one slice per component";
            self.errors.push(span, message);
            return None;
        }
        self.check_in_memory(
            element,
            span,
            "the elements of a slice parameter must be numbers, `bool`, structs, or arrays or tuples of them",
        )
    }

    /// Checks that it is a device type, as far as the macro can see.
    pub(super) fn check_in_memory(&self, ty: &Type, span: Span, wanted: &str) -> Option<()> {
        let Some(misfit) = ty.misfit_in_memory() else { return Some(()) };
        let message = match misfit {
            Type::Std(owner, _) => no_layout(*owner),
            Type::Tuple(_) => "tuples in kernels have at most 8 elements\nhelp: use an array, or nest tuples".to_owned(),
            _ => format!("{wanted}\nhelp: pass one slice per component"),
        };
        self.errors.push(span, message);
        None
    }

    pub(super) fn lower_output(&mut self, output: &syn::ReturnType) -> (Type, Option<TokenStream>) {
        let syn::ReturnType::Type(_, ty) = output else { return (Type::Unit, None) };
        if matches!(&**ty, syn::Type::Tuple(tuple) if tuple.elems.is_empty()) {
            return (Type::Unit, None);
        }
        if self.is_kernel {
            self.errors.push(ty.span(), "a kernel cannot return a value\nhelp: write results into a `&mut [T]` parameter");
            return (Type::Unit, None);
        }
        if let syn::Type::Reference(returned) = &**ty {
            self.errors.push_invalid(
                returned.span(),
                "a function in kernels cannot return a reference\nhelp: return the value, such as `-> f32`, or the index of the element, `-> usize`",
            );
            self.output_refused = true;
            return (Type::Unit, None);
        }
        if let syn::Type::ImplTrait(returned) = &**ty {
            self.errors.push(
                returned.span(),
                "a device function cannot return a closure\nhelp: take the closure's variables as parameters and return a number",
            );
            self.output_refused = true;
            return (Type::Unit, None);
        }
        let lowered = self.lower_type(ty).unwrap_or(Type::Refused);
        (lowered, Some(ty.to_token_stream()))
    }
}

/// What a parameter of type `ty` has of its value, which is written as `written`.
fn holds(written: &syn::Type, ty: &Type) -> Holds {
    match written {
        syn::Type::Group(group) => holds(&group.elem, ty),
        _ if matches!(ty, Type::Slice { .. } | Type::View { .. } | Type::Refused) => Holds::Value,
        syn::Type::Reference(reference) if reference.mutability.is_some() => Holds::Mutable,
        syn::Type::Reference(_) => Holds::Shared,
        _ => Holds::Value,
    }
}

/// The span of a reference, an array or a `Vec`.
fn several_elements(ty: &syn::Type) -> Option<Span> {
    match ty {
        syn::Type::Reference(reference) => Some(reference.elem.span()),
        syn::Type::Slice(_) | syn::Type::Array(_) => Some(ty.span()),
        syn::Type::Group(group) => several_elements(&group.elem),
        syn::Type::Paren(paren) => several_elements(&paren.elem),
        syn::Type::Path(path) => path.path.segments.last().filter(|last| last.ident == "Vec" || is_view(path)).map(Spanned::span),
        _ => None,
    }
}

/// What it is an atomic of, by its name.
fn atomic_of(ty: &syn::TypePath) -> Option<AtomicValue> {
    ty.path.segments.last().and_then(|last| AtomicValue::from_atomic_name(&last.ident.to_string()))
}

/// The last name of the path that a type is.
fn named(ty: &syn::Type) -> Option<String> {
    let syn::Type::Path(path) = ty else { return None };
    path.path.segments.last().map(|last| last.ident.to_string())
}
