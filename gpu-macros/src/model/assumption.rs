//! What the macro takes names for.

use super::{Member, Scalar, Type};
use proc_macro2::{Ident, TokenStream};

/// A name that is taken for a number or `bool`. It could be an alias of another type, so generated code asserts what it means.
pub(crate) struct Assumption {
    /// As the user wrote it.
    pub(crate) written: TokenStream,
    pub(crate) scalar: Scalar,
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
