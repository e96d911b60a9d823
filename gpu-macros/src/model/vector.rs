//! The vector types of the runtime, by their names. What the macro takes a type of such a name for, rustc confirms in the twin.

use super::{FunctionPath, NamedType, Scalar, Type};

const NAMES: [&str; 14] = [
    "Float2",
    "Float3",
    "Float4",
    "Double2",
    "Int2",
    "Int4",
    "Uint2",
    "Uint4",
    "Longlong2",
    "Ulonglong2",
    "Short4",
    "Ushort4",
    "Char4",
    "Uchar4",
];

impl NamedType {
    fn is_vector(&self) -> bool {
        self.path.segments.last().is_some_and(|last| last.arguments.is_none() && NAMES.iter().any(|name| last.ident == name))
    }
}

/// The names of vectors without the number of lanes, and the types of the lanes.
const LANES: [(&str, Scalar); 10] = [
    ("Float", Scalar::F32),
    ("Double", Scalar::F64),
    ("Int", Scalar::I32),
    ("Uint", Scalar::U32),
    ("Longlong", Scalar::I64),
    ("Ulonglong", Scalar::U64),
    ("Short", Scalar::I16),
    ("Ushort", Scalar::U16),
    ("Char", Scalar::I8),
    ("Uchar", Scalar::U8),
];

/// The floats with their derivatives, which the attributes write.
const DUALS: [&str; 4] = ["Dual32", "Dual64", "SecondDual32", "SecondDual64"];

impl Type {
    /// What a method of a vector or of a dual number returns, if it is one.
    pub(crate) fn output_of_vector(&self, method: &str) -> Option<Type> {
        let Type::Named(named) = self else { return None };
        if named.is_dual() && method.ends_with("_of_float") {
            return Some(self.clone());
        }
        let name = named.path.segments.last().filter(|_| named.is_vector())?.ident.to_string();
        match method {
            "normalize" | "lerp" | "cross" => Some(self.clone()),
            "dot" | "length" | "reduce_sum" => {
                let lanes = name.trim_end_matches(|digit: char| digit.is_ascii_digit());
                LANES.iter().find(|(known, _)| *known == lanes).map(|(_, scalar)| Type::Scalar(*scalar))
            }
            _ => None,
        }
    }
}

impl NamedType {
    /// Whether it is a float with its derivative, in the copy of a function that the argument `grad` makes.
    pub(crate) fn is_dual(&self) -> bool {
        let segments: Vec<_> = self.path.segments.iter().rev().take(2).map(|segment| segment.ident.to_string()).collect();
        matches!(&segments[..], [name, module] if DUALS.contains(&name.as_str()) && module == "gradient")
    }
}

impl FunctionPath {
    /// Whether it is one of a vector, of a float of 16 bits or of a dual number that returns a value of the same type.
    pub(crate) fn makes_its_owner(&self) -> bool {
        let Some(function) = self.path.segments.last().filter(|_| self.qself.is_none()) else { return false };
        let owner = self.owner();
        match function.ident.to_string().as_str() {
            "new" | "splat" => owner.is_vector(),
            "from_f32" | "from_f64" | "from_bits" => owner.half_name().is_some(),
            "constant" | "still" | "variable" => owner.is_dual(),
            _ => false,
        }
    }
}

impl Type {
    /// Whether `self op right` has the type of `right`, although `self` is a number: `right` may be a vector, a complex number
    /// or of a type with operators of its own. Another name for a number is the type of `self`.
    pub(crate) fn yields_to(&self, right: &Type) -> bool {
        match (self, right) {
            (Type::Scalar(Scalar::Bool), _) => false,
            (Type::Scalar(_), Type::Named(_)) => true,
            _ => false,
        }
    }
}
