//! Types of the generated programs.

use std::rc::Rc;

use super::scalar::Scalar;

/// A type of a variable or expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Type {
    Scalar(Scalar),
    Tuple(Vec<Type>),
    Array(Box<Type>, usize),
    Option(Box<Type>),
    /// Of a value or an error.
    Result(Box<Type>, Box<Type>),
    Struct(Rc<Struct>),
    Enum(Rc<Enum>),
}

#[derive(Debug, PartialEq)]
pub(super) struct Struct {
    pub(super) name: String,
    pub(super) fields: Fields,
}

#[derive(Debug, PartialEq)]
pub(super) struct Enum {
    pub(super) name: String,
    pub(super) variants: Vec<Variant>,
}

#[derive(Debug, PartialEq)]
pub(super) struct Variant {
    /// `Shape3::Box`.
    pub(super) path: String,
    pub(super) fields: Fields,
}

/// Of a struct or variant: its names are numbers if it is like a tuple.
#[derive(Debug, PartialEq)]
pub(super) struct Fields(pub(super) Vec<(String, Type)>);

impl Type {
    pub(super) fn name(&self) -> String {
        match self {
            Type::Scalar(scalar) => scalar.name().to_owned(),
            Type::Tuple(elements) => format!("({},)", elements.iter().map(Type::name).collect::<Vec<_>>().join(", ")),
            Type::Array(element, length) => format!("[{}; {length}]", element.name()),
            Type::Option(value) => format!("Option<{}>", value.name()),
            Type::Result(value, error) => format!("Result<{}, {}>", value.name(), error.name()),
            Type::Struct(of) => of.name.clone(),
            Type::Enum(of) => of.name.clone(),
        }
    }

    pub(super) fn as_scalar(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(scalar) => Some(*scalar),
            _ => None,
        }
    }

    /// Whether arrays on a device can have it, and fields of structs.
    pub(super) fn has_layout(&self) -> bool {
        match self {
            Type::Scalar(_) | Type::Struct(_) | Type::Enum(_) => true,
            Type::Array(element, _) => element.has_layout(),
            Type::Tuple(_) | Type::Option(_) | Type::Result(..) => false,
        }
    }

    /// How many numbers it holds, of the largest variant.
    pub(super) fn size(&self) -> usize {
        match self {
            Type::Scalar(_) => 1,
            Type::Tuple(elements) => elements.iter().map(Type::size).sum(),
            Type::Array(element, length) => element.size() * length,
            Type::Option(value) => 1 + value.size(),
            Type::Result(value, error) => 1 + value.size() + error.size(),
            Type::Struct(of) => of.fields.size(),
            Type::Enum(of) => 1 + of.variants.iter().map(|variant| variant.fields.size()).max().unwrap_or(0),
        }
    }
}

impl Enum {
    /// Whether no variant has data: such values can be compared and cast.
    pub(super) fn is_plain(&self) -> bool {
        self.variants.iter().all(|variant| variant.fields.0.is_empty())
    }
}

impl Fields {
    fn size(&self) -> usize {
        self.0.iter().map(|(_, ty)| ty.size()).sum()
    }

    pub(super) fn is_named(&self) -> bool {
        self.0.first().is_some_and(|(name, _)| !name.starts_with(|letter: char| letter.is_ascii_digit()))
    }

    /// The fields with something for each: types in a definition, values in an expression, patterns in a pattern.
    pub(super) fn with(&self, parts: &[String]) -> String {
        if self.is_named() {
            let parts: Vec<String> = self.0.iter().zip(parts).map(|((name, _), part)| format!("{name}: {part}")).collect();
            format!(" {{ {} }}", parts.join(", "))
        } else if self.0.is_empty() {
            String::new()
        } else {
            format!("({})", parts.join(", "))
        }
    }
}
