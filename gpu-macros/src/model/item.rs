//! A function on its way into the model: what is lowered, and what has no types yet.

use super::{ForeignFunction, Function, FunctionKind, NamedType, RuntimePath, Structure};
use proc_macro2::Ident;

/// The function to lower: an annotated function, or a function of an annotated `impl` or trait.
pub(crate) struct Item<'i> {
    pub(crate) function: &'i syn::ItemFn,
    pub(crate) kind: FunctionKind,
    pub(crate) owner: Option<Owner<'i>>,
    /// The code that a GPU runs instead of its body.
    pub(crate) foreign: Option<ForeignFunction>,
    /// Structs whose fields are parameters of it.
    pub(crate) structures: Vec<Structure>,
    /// It is a kernel in an `impl`.
    pub(crate) is_in_impl: bool,
    /// It may return a reference.
    pub(crate) may_return_reference: bool,
    /// The path of `gpu_runtime`.
    pub(crate) runtime: RuntimePath,
}

/// The type or trait of an associated function.
pub(crate) struct Owner<'i> {
    /// The type of `self`. Nothing in the function is called `Self`.
    pub(crate) ty: &'i NamedType,
    pub(crate) name: &'i str,
}

impl<'i> Item<'i> {
    /// A free function.
    pub(crate) fn free(function: &'i syn::ItemFn, kind: FunctionKind, runtime: RuntimePath) -> Item<'i> {
        Item { function, kind, owner: None, foreign: None, structures: Vec::new(), is_in_impl: false, may_return_reference: false, runtime }
    }

    pub(crate) fn full_name(&self) -> String {
        let name = &self.function.sig.ident;
        self.owner.as_ref().map_or_else(|| name.to_string(), |owner| format!("{}_{name}", owner.name))
    }
}

/// A lowered function, whose types are variables that inference has yet to find. Only inference opens it, so that no other stage sees them.
///
/// Before and after inference, the model is the same. Types of their own for both would put a type parameter on every node of the model and
/// on every function that takes one, for a difference in a single type, [`Type::Variable`].
pub(crate) struct Untyped {
    pub(crate) function: Function,
    pub(crate) variables: usize,
    /// The names in it that may be those of constants outside of it.
    pub(crate) constant_names: Vec<Ident>,
}

impl Untyped {
    /// The function, the number of its type variables, and the names of constants.
    pub(crate) fn into_parts(self) -> (Function, usize, Vec<Ident>) {
        (self.function, self.variables, self.constant_names)
    }
}
