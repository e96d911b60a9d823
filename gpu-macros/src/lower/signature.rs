//! The function's header: parameters, return type, and what a kernel's header may not have.

use super::Lowerer;
use crate::model::*;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    /// Lowers the parameters. `None` when one is too broken for a launcher to be generated.
    pub(super) fn lower_signature(&mut self, signature: &syn::Signature) -> Option<Vec<Param>> {
        self.check_qualifiers(signature);
        let mut params = Vec::new();
        let mut sound = true;
        for input in &signature.inputs {
            match input {
                syn::FnArg::Receiver(receiver) => {
                    let what = if self.is_kernel { "a kernel" } else { "a device function" };
                    self.errors
                        .push(receiver.span(), format!("{what} is a free function\nhelp: take what it needs from `self` as parameters"));
                    sound = false;
                }
                syn::FnArg::Typed(typed) => match self.lower_param(typed, params.len()) {
                    Some(param) => params.push(param),
                    None => sound = false,
                },
            }
        }
        sound.then_some(params)
    }

    fn check_qualifiers(&self, signature: &syn::Signature) {
        let what = if self.is_kernel { "kernel" } else { "device function" };
        if let Some(token) = &signature.asyncness {
            self.errors.push(token.span(), format!("a {what} cannot be `async`"));
        }
        if let Some(token) = &signature.constness {
            self.errors.push(token.span(), format!("a {what} cannot be `const`"));
        }
        if let syn::Safety::Unsafe(token) = &signature.safety {
            self.errors.push(
                token.span(),
                format!("a {what} is not declared `unsafe`\nhelp: remove `unsafe`; a kernel's launch is unsafe exactly when its accesses are not shown free of data races"),
            );
        }
        if let Some(abi) = &signature.abi {
            self.errors.push(abi.span(), format!("a {what} cannot have an ABI"));
        }
        if !signature.generics.params.is_empty() {
            self.errors.push(
                signature.generics.params.span(),
                format!("a generic {what} is not supported yet\nhelp: write one function per element type"),
            );
        }
        if let Some(variadic) = &signature.variadic {
            self.errors.push(variadic.span(), format!("a {what} cannot be variadic"));
        }
    }

    fn lower_param(&mut self, typed: &syn::PatType, index: usize) -> Option<Param> {
        let syn::Pat::Ident(pattern) = &*typed.pat else {
            self.errors.push(typed.pat.span(), "a parameter must be a plain name\nhelp: destructure it with `let` in the body");
            return None;
        };
        if let Some(by_ref) = &pattern.by_ref {
            self.errors.push(by_ref.span(), "`ref` is not supported in kernels\nhelp: remove `ref`");
        }
        if let Some((at, _)) = &pattern.subpat {
            self.errors.push(at.span(), "`@` patterns are not supported in kernels");
        }
        if let Some(attribute) = typed.attrs.first() {
            self.errors.push(attribute.span(), "attributes on parameters are not supported");
        }
        let ty = self.lower_param_type(&typed.ty)?;
        let local = self.declare(&pattern.ident, pattern.mutability.is_some(), ty, LocalKind::Param(index));
        Some(Param { local, tokens: (*typed.ty).clone() })
    }

    /// Scalars, `&[T]` and `&mut [T]`.
    fn lower_param_type(&mut self, ty: &syn::Type) -> Option<Type> {
        match ty {
            syn::Type::Reference(reference) => match &*reference.elem {
                syn::Type::Slice(slice) => {
                    if let Some(lifetime) = &reference.lifetime {
                        self.errors.push(lifetime.span(), "a parameter's lifetime is not named\nhelp: remove it");
                        return None;
                    }
                    let Type::Scalar(element) = self.lower_type(&slice.elem)? else {
                        self.errors.push(
                            slice.elem.span(),
                            "the elements of a slice parameter must be numbers or `bool`\nhelp: pass one slice per component",
                        );
                        return None;
                    };
                    Some(Type::Slice { element: Box::new(Type::Scalar(element)), mutable: reference.mutability.is_some() })
                }
                syn::Type::Array(array) => {
                    self.errors.push(
                        array.span(),
                        "a reference to an array is not supported as a parameter\nhelp: take a slice, `&[T]` or `&mut [T]`",
                    );
                    None
                }
                other => {
                    self.errors.push(
                        other.span(),
                        "a reference parameter must be a slice, `&[T]` or `&mut [T]`\nhelp: take a single number by value; write results into a slice",
                    );
                    None
                }
            },
            syn::Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Vec") => {
                self.errors
                    .push(ty.span(), "a kernel cannot take a `Vec`\nhelp: take a slice, `&[T]` or `&mut [T]`, and pass a device array");
                None
            }
            other => match self.lower_type(other)? {
                scalar @ Type::Scalar(_) => Some(scalar),
                _ => {
                    self.errors.push(other.span(), "a parameter must be a number, `bool`, `&[T]` or `&mut [T]`");
                    None
                }
            },
        }
    }

    pub(super) fn lower_output(&mut self, output: &syn::ReturnType) -> (Type, Option<syn::Type>) {
        let syn::ReturnType::Type(_, ty) = output else { return (Type::Unit, None) };
        if matches!(&**ty, syn::Type::Tuple(tuple) if tuple.elems.is_empty()) {
            return (Type::Unit, None);
        }
        if self.is_kernel {
            self.errors.push(ty.span(), "a kernel returns nothing\nhelp: write results into a `&mut [T]` parameter");
            return (Type::Unit, None);
        }
        let lowered = self.lower_type(ty).unwrap_or_else(|| self.fresh());
        (lowered, Some((**ty).clone()))
    }
}
