//! Structs of arrays, whose fields are parameters of a kernel.

use proc_macro2::Ident;

/// A parameter of the kernel as it is written, `b: &mut Bodies`, in place of which there are parameters for its fields.
pub(crate) struct Structure {
    pub(crate) name: Ident,
    /// `Bodies`
    pub(crate) ty: syn::Type,
    pub(crate) is_mutable: bool,
    /// The parameter of the first field. The others follow.
    pub(crate) first: usize,
    pub(crate) fields: Vec<StructureField>,
}

pub(crate) struct StructureField {
    pub(crate) name: Ident,
    pub(crate) is_array: bool,
    pub(crate) is_written: bool,
}

impl Structure {
    /// The field that the parameter with this index is.
    pub(crate) fn field(&self, param: usize) -> Option<&StructureField> {
        self.fields.get(param.checked_sub(self.first)?)
    }
}
