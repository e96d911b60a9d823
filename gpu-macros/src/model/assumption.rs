//! What the macro takes names for.

use super::{Member, Scalar, Type};
use crate::idents::syntax_context;
use proc_macro2::{Ident, TokenStream};

/// A name that is taken for a number or `bool`. It could be an alias of another type, so generated code asserts what it means.
pub(crate) struct Assumption {
    /// As the user wrote it.
    pub(crate) written: TokenStream,
    pub(crate) scalar: Scalar,
}

/// A variable or a label, and its use by a name that comes from another macro. To rustc they are one name or two, which generated code asks.
pub(crate) struct SameName {
    pub(crate) declared: Ident,
    pub(crate) used: Ident,
    pub(crate) is_label: bool,
}

impl SameName {
    /// Whether both come from the same macros as those of `other`.
    pub(crate) fn has_contexts_of(&self, other: &SameName) -> bool {
        let of = |name: &SameName| [&name.declared, &name.used].map(|name| syntax_context(name.span()));
        of(self) == of(other)
    }
}

/// A field that has this type in the text around the function. Generated code asserts it.
pub(crate) struct FieldType {
    /// The struct, as the function names it.
    pub(crate) owner: Ident,
    /// One of the struct, of that member, and so on.
    pub(crate) members: Vec<Member>,
    /// A number, `bool`, or an array or an `Option` of such, and so on.
    pub(crate) ty: Type,
}
