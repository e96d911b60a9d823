//! The vector types of the runtime, by their names. What the macro takes a type of such a name for, rustc confirms in the twin.

use super::{FunctionPath, NamedType, Scalar, Type};

const NAMES: [&str; 13] =
    ["Float2", "Float4", "Double2", "Int2", "Int4", "Uint2", "Uint4", "Longlong2", "Ulonglong2", "Short4", "Ushort4", "Char4", "Uchar4"];

impl NamedType {
    fn is_vector(&self) -> bool {
        self.path.segments.last().is_some_and(|last| last.arguments.is_none() && NAMES.iter().any(|name| last.ident == name))
    }
}

impl FunctionPath {
    /// Whether it is one of a vector type that returns a vector of the same type.
    pub(crate) fn makes_vector(&self) -> bool {
        let makes = self.path.segments.last().is_some_and(|function| function.ident == "new" || function.ident == "splat");
        makes && self.qself.is_none() && self.owner().is_vector()
    }
}

impl Type {
    /// Whether `self op right` has the type of `right`, although `self` is a number: `right` may be a complex number or is a vector.
    pub(crate) fn yields_to(&self, right: &Type) -> bool {
        match (self, right) {
            (Type::Scalar(Scalar::Bool), _) => false,
            (Type::Scalar(scalar), Type::Named(named)) => scalar.is_float() || named.is_vector(),
            _ => false,
        }
    }
}
