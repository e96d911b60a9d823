//! Types as the user writes them.

use super::Lowerer;
use crate::idents::text_of;
use crate::model::*;
use quote::ToTokens;
use syn::spanned::Spanned;

impl Lowerer<'_> {
    /// A type of a value: scalar, tuple, array or struct. `None` after an error.
    pub(super) fn lower_type(&mut self, ty: &syn::Type) -> Option<Type> {
        match ty {
            syn::Type::Path(path) => self.lower_path_type(path),
            syn::Type::Paren(paren) => self.lower_type(&paren.elem),
            syn::Type::Group(group) => self.lower_type(&group.elem),
            syn::Type::Tuple(tuple) if tuple.elems.is_empty() => Some(Type::Unit),
            syn::Type::Tuple(tuple) => {
                let elements: Vec<_> = tuple.elems.iter().map(|element| self.lower_type(element)).collect();
                elements.into_iter().collect::<Option<Vec<_>>>().map(Type::Tuple)
            }
            syn::Type::Array(array) => {
                let element = self.lower_type(&array.elem)?;
                Some(Type::Array(Box::new(element), self.lower_length(&array.len)))
            }
            syn::Type::Infer(_) => Some(self.fresh()),
            syn::Type::Reference(reference) if self.atomics_allowed => {
                self.errors.push(
                    reference.span(),
                    "the elements of an array cannot be references: device memory holds no pointers\nhelp: put all rows into one array; take a `View<f32, 2>`, or a slice and index `x[row * columns + column]`",
                );
                None
            }
            syn::Type::Reference(reference) => {
                self.errors.push(
                    reference.span(),
                    "references are not supported as values in kernels\nhelp: index the slice or array where it is used",
                );
                None
            }
            syn::Type::TraitObject(object) => self.refuse_trait_object(object),
            syn::Type::Ptr(pointer) => {
                self.errors.push(
                    pointer.span(),
                    "raw pointers are not supported in kernels\nhelp: take a slice, `&[f32]` or `&mut [f32]`, which has its length: `x.len()`",
                );
                None
            }
            syn::Type::FnPtr(function) => {
                self.errors.push(
                    function.span(),
                    "function pointers are not supported in kernels\nhelp: call the function by its name, or take an `impl Fn(f32) -> f32` in a `#[gpu_device]` function",
                );
                None
            }
            syn::Type::Slice(slice) => {
                self.errors.push_invalid(slice.span(), "the length of this array is missing\nhelp: write it after the type, `[f32; 256]`");
                None
            }
            other => {
                self.errors.push(other.span(), "this type is not supported in kernels\nhelp: use numbers, `bool`, tuples and arrays");
                None
            }
        }
    }

    pub(super) fn refuse_trait_object(&mut self, object: &syn::TypeTraitObject) -> Option<Type> {
        self.errors.push(
            object.span(),
            "trait objects are not supported in kernels: their functions are known only at run time\nhelp: take a type parameter with the trait as its bound, `S: Shape`, or use an enum for values of several types",
        );
        None
    }

    /// A type of elements, which may be atomics.
    pub(super) fn lower_element_type(&mut self, ty: &syn::Type) -> Option<Type> {
        self.atomics_allowed = true;
        let element = self.lower_type(ty);
        self.atomics_allowed = false;
        element
    }

    /// Takes the name at `path` for `scalar`.
    pub(super) fn assume(&mut self, path: &syn::Path, scalar: Scalar) {
        let written = path.to_token_stream();
        let text = text_of(&written);
        if !self.assumptions.iter().any(|known| text_of(&known.written) == text) {
            self.assumptions.push(Assumption { written, scalar });
        }
    }

    fn lower_path_type(&mut self, path: &syn::TypePath) -> Option<Type> {
        let last = path.path.segments.last()?;
        let name = last.ident.to_string();
        if let (None, Some(param)) = (&path.qself, path.path.get_ident().and_then(|name| self.type_param(name))) {
            return Some(param.as_type());
        }
        // `f32`, and `core::primitive::f32` in full.
        if path.qself.is_none() && last.arguments.is_none() {
            let plain = path.path.segments.len() == 1 || path.path.segments.iter().any(|segment| segment.ident == "primitive");
            if let (true, Some(scalar)) = (plain, Scalar::from_name(&name)) {
                self.assume(&path.path, scalar);
                return Some(Type::Scalar(scalar));
            }
        }
        if let Some(value) = AtomicValue::from_atomic_name(&name) {
            if self.atomics_allowed {
                return Some(Type::Atomic(value));
            }
            self.errors.push(path.span(), super::call::local_atomic(&name));
            return None;
        }
        if self.generics_refused {
            return None;
        }
        if let Some(tile) = path.qself.is_none().then(|| self.lower_tile_type(&path.path)).flatten() {
            return Some(tile);
        }
        if let (None, syn::PathArguments::AngleBracketed(generics)) = (&path.qself, &last.arguments)
            && let Some(owner) = StdEnum::find(&name, generics.args.len())
        {
            let arguments = generics.args.iter().map(|argument| match argument {
                syn::GenericArgument::Type(ty) => self.lower_type(ty),
                other => {
                    self.errors.push_invalid(other.span(), format!("`{name}` takes types"));
                    None
                }
            });
            let arguments: Vec<_> = arguments.collect();
            return arguments.into_iter().collect::<Option<Vec<_>>>().map(|arguments| Type::Std(owner, arguments));
        }
        let help = match name.as_str() {
            "i128" | "u128" => "128-bit integers are not supported in kernels\nhelp: use `i64` or `u64`".into(),
            "char" | "str" | "String" => format!("`{name}` is not supported in kernels\nhelp: use `u8` or `u32`"),
            // Without arguments it is a type of the user's.
            "Vec" if self.atomics_allowed => {
                "the elements of an array cannot be a `Vec`: device memory holds no pointers\nhelp: put all rows into one array; take a `View<f32, 2>`, or a slice and index `x[row * columns + column]`".into()
            }
            "Vec" | "Box" | "HashMap" if !last.arguments.is_none() => {
                format!("`{name}` needs an allocator, which kernels do not have\nhelp: use an array `[T; N]` or a slice parameter")
            }
            // What it is, rustc knows.
            _ if path.qself.is_none() => return Some(Type::Named(NamedType { path: path.path.clone() })),
            _ => "a qualified path is not supported in kernels\nhelp: declare a `type` alias for it".to_owned(),
        };
        self.errors.push(path.span(), help);
        None
    }
}
