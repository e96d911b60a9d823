//! What a launcher takes in place of several parameters of its kernel.

use proc_macro2::{Ident, TokenStream};

/// A parameter of the launcher, in place of which the kernel has some for its parts: a struct of arrays, `b: &mut Bodies`, with its fields, or an array of
/// structs whose numbers are accessed as atomics.
pub(crate) struct Structure {
    pub(crate) name: Ident,
    /// The type of the launcher's parameter.
    pub(crate) ty: TokenStream,
    /// What the launcher makes of it before it has its parts.
    pub(crate) made: Option<TokenStream>,
    /// The parameter of the first part. The others follow.
    pub(crate) first: usize,
    pub(crate) fields: Vec<StructureField>,
}

pub(crate) struct StructureField {
    /// In messages, `x` of `b.x`.
    pub(crate) name: String,
    /// What the launcher passes: `&mut b.x`.
    pub(crate) value: TokenStream,
}

impl Structure {
    /// The field that the parameter with this index is.
    pub(crate) fn field(&self, param: usize) -> Option<&StructureField> {
        self.fields.get(param.checked_sub(self.first)?)
    }
}
