//! The enums of std that kernels know by their variants: `Option` and `Result`.

use super::{Expr, ExprKind, Pattern, PatternKind, Type};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StdEnum {
    /// `Option<T>`
    Option,
    /// `Result<T, E>`
    Result,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StdVariant {
    Some,
    None,
    Ok,
    Err,
    /// `Some` or `Ok`, of an `Option` or a `Result`: inference settles which. Of what only rustc knows, it stays.
    Value,
    /// `None` or `Err`, in the same way.
    Rest,
}

impl StdEnum {
    /// Which one a type of this name, with so many arguments, is.
    pub(crate) fn find(name: &str, arguments: usize) -> Option<StdEnum> {
        match (name, arguments) {
            ("Option", 1) => Some(StdEnum::Option),
            ("Result", 2) => Some(StdEnum::Result),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            StdEnum::Option => "Option",
            StdEnum::Result => "Result",
        }
    }

    /// How many type arguments it has.
    pub(crate) fn arity(self) -> usize {
        match self {
            StdEnum::Option => 1,
            StdEnum::Result => 2,
        }
    }

    /// The variant with the value that the type is about.
    pub(crate) fn value(self) -> StdVariant {
        match self {
            StdEnum::Option => StdVariant::Some,
            StdEnum::Result => StdVariant::Ok,
        }
    }

    /// The other variant.
    pub(crate) fn rest(self) -> StdVariant {
        match self {
            StdEnum::Option => StdVariant::None,
            StdEnum::Result => StdVariant::Err,
        }
    }
}

impl StdVariant {
    /// The enum that it is of. `None`: of either.
    pub(crate) fn owner(self) -> Option<StdEnum> {
        match self {
            StdVariant::Some | StdVariant::None => Some(StdEnum::Option),
            StdVariant::Ok | StdVariant::Err => Some(StdEnum::Result),
            StdVariant::Value | StdVariant::Rest => None,
        }
    }

    /// Its name; of either enum, that in what [`ExprKind::Either`] becomes in Rust.
    pub(crate) fn name(self) -> &'static str {
        match self {
            StdVariant::Some => "Some",
            StdVariant::None => "None",
            StdVariant::Ok | StdVariant::Value => "Ok",
            StdVariant::Err | StdVariant::Rest => "Err",
        }
    }

    /// The variant of `owner`.
    pub(crate) fn of(self, owner: StdEnum) -> StdVariant {
        match self {
            StdVariant::Value => owner.value(),
            StdVariant::Rest => owner.rest(),
            known => known,
        }
    }

    /// Which type argument of its enum is the type of its value.
    pub(crate) fn argument(self) -> Option<usize> {
        match self {
            StdVariant::Some | StdVariant::Ok | StdVariant::Value => Some(0),
            StdVariant::Err => Some(1),
            StdVariant::None | StdVariant::Rest => None,
        }
    }

    /// `Some`, `Option::Some`, `std::option::Option::Some`.
    pub(crate) fn find(path: &syn::Path) -> Option<StdVariant> {
        let (last, owner) = (path.segments.last()?, path.segments.iter().rev().nth(1));
        let written = [StdEnum::Option, StdEnum::Result].into_iter().filter(|known| owner.is_none_or(|owner| owner.ident == known.name()));
        let variants = written.flat_map(|owner| [owner.value(), owner.rest()]);
        variants.into_iter().find(|variant| last.ident == variant.name())
    }
}

impl Type {
    pub(crate) fn option(inner: Type) -> Type {
        Type::Std(StdEnum::Option, vec![inner])
    }

    pub(crate) fn result(value: Type, error: Type) -> Type {
        Type::Std(StdEnum::Result, vec![value, error])
    }

    /// Whether it is an `Option`.
    pub(crate) fn is_option(&self) -> bool {
        matches!(self, Type::Std(StdEnum::Option, _))
    }
}

impl ExprKind {
    pub(crate) const NONE: ExprKind = ExprKind::Variant { variant: StdVariant::None, value: None };

    pub(crate) fn some(value: Expr) -> ExprKind {
        ExprKind::variant(StdVariant::Some, value)
    }

    pub(crate) fn variant(variant: StdVariant, value: Expr) -> ExprKind {
        ExprKind::Variant { variant, value: Some(Box::new(value)) }
    }
}

impl PatternKind {
    pub(crate) const NONE: PatternKind = PatternKind::Variant { variant: StdVariant::None, part: None };

    pub(crate) fn some(part: Pattern) -> PatternKind {
        PatternKind::variant(StdVariant::Some, part)
    }

    pub(crate) fn variant(variant: StdVariant, part: Pattern) -> PatternKind {
        PatternKind::Variant { variant, part: Some(Box::new(part)) }
    }
}
