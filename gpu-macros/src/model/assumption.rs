//! What the macro takes names for.

use super::{Member, Scalar, StdVariant, Type};
use crate::idents::{syntax_context, text_of};
use proc_macro2::{Ident, TokenStream};

/// A name that is taken for a number or `bool`. It could be an alias of another type, so generated code asserts what it means.
pub(crate) struct Assumption {
    /// As the user wrote it.
    pub(crate) written: TokenStream,
    pub(crate) scalar: Scalar,
}

/// A name that is taken for an item by its text. Another item could have it, so generated code asserts what it means.
pub(crate) enum KnownName {
    /// `Some`: a variant of an enum of std.
    Variant(syn::Path, StdVariant),
    /// `assert`: a macro of std, and arguments for it.
    Macro(Ident, &'static str),
    /// `Red` after `use Color::*`, and the path of the variant.
    Imported(Ident, syn::Path),
}

/// The macros of std that kernels have, with arguments for each.
pub(crate) const MACROS: [(&str, &str); 13] = [
    ("assert", "true"),
    ("assert_eq", "(), ()"),
    ("assert_ne", "true, false"),
    ("debug_assert", "true"),
    ("debug_assert_eq", "(), ()"),
    ("debug_assert_ne", "true, false"),
    ("matches", "(), ()"),
    ("panic", ""),
    ("print", "\"\""),
    ("println", ""),
    ("todo", ""),
    ("unimplemented", ""),
    ("unreachable", ""),
];

impl KnownName {
    pub(crate) fn name(&self) -> &Ident {
        match self {
            KnownName::Variant(path, _) => &path.segments.last().expect("a path has a name").ident,
            KnownName::Macro(name, _) | KnownName::Imported(name, _) => name,
        }
    }

    /// Whether it is the same name, from the same macro.
    pub(crate) fn is_same(&self, other: &KnownName) -> bool {
        let text = |known: &KnownName| match known {
            KnownName::Variant(path, _) => text_of(path),
            KnownName::Macro(name, _) => format!("{name}!"),
            KnownName::Imported(name, _) => name.to_string(),
        };
        text(self) == text(other) && syntax_context(self.name().span()) == syntax_context(other.name().span())
    }
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
