//! Atomics: std's types and methods, and the few that CUDA has beyond those.
//!
//! The table serves lowering (names, how many arguments), the twin (which calls the method) and the CUDA emitter. Every argument
//! but the orderings is a value of the atomic's type.

use super::{NamedType, Scalar, Type};
use proc_macro2::{Ident, TokenStream};

/// What an atomic holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtomicValue {
    Scalar(Scalar),
    /// Of the crate `half`.
    F16,
    Bf16,
}

impl AtomicValue {
    /// The type of atomics of such values: std's, and the runtime's own for floats.
    pub(crate) fn atomic_name(self) -> &'static str {
        match self {
            AtomicValue::Scalar(scalar) => scalar.atomic_name(),
            AtomicValue::F16 => "AtomicF16",
            AtomicValue::Bf16 => "AtomicBf16",
        }
    }

    /// The value whose atomic type has this name.
    pub(crate) fn from_atomic_name(name: &str) -> Option<AtomicValue> {
        let scalars = Scalar::ALL.into_iter().map(AtomicValue::Scalar);
        scalars.chain([AtomicValue::F16, AtomicValue::Bf16]).find(|value| value.atomic_name() == name)
    }

    /// Whether std lacks it.
    pub(crate) fn is_float(self) -> bool {
        !matches!(self, AtomicValue::Scalar(scalar) if !scalar.is_float())
    }

    /// The type of what its methods take and return.
    pub(crate) fn value_type(self, runtime: &TokenStream) -> Type {
        match self {
            AtomicValue::Scalar(scalar) => Type::Scalar(scalar),
            AtomicValue::F16 => Type::Named(NamedType { path: syn::parse_quote!(#runtime::__private::f16) }),
            AtomicValue::Bf16 => Type::Named(NamedType { path: syn::parse_quote!(#runtime::__private::bf16) }),
        }
    }
}

impl Scalar {
    /// The type whose values are atomics of this scalar.
    pub(crate) fn atomic_name(self) -> &'static str {
        match self {
            Scalar::I8 => "AtomicI8",
            Scalar::I16 => "AtomicI16",
            Scalar::I32 => "AtomicI32",
            Scalar::I64 => "AtomicI64",
            Scalar::Isize => "AtomicIsize",
            Scalar::U8 => "AtomicU8",
            Scalar::U16 => "AtomicU16",
            Scalar::U32 => "AtomicU32",
            Scalar::U64 => "AtomicU64",
            Scalar::Usize => "AtomicUsize",
            Scalar::F32 => "AtomicF32",
            Scalar::F64 => "AtomicF64",
            Scalar::Bool => "AtomicBool",
        }
    }
}

/// One method.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AtomicMethod {
    pub(crate) name: &'static str,
    /// How many values it takes, before the orderings.
    pub(crate) values: usize,
    /// How many orderings it takes.
    pub(crate) orderings: usize,
    pub(crate) result: AtomicResult,
    /// The end of the C function's name, after `gr_atomic_`.
    pub(crate) cuda: &'static str,
    /// The runtime's trait that has it; `None` for a method of the type itself.
    pub(crate) of_trait: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtomicResult {
    /// Nothing: a store.
    Nothing,
    /// The value before.
    Value,
    /// `Result` of the value before: of the pattern `Ok` where it was the expected one.
    Outcome,
}

const fn method(name: &'static str, values: usize, result: AtomicResult, cuda: &'static str) -> AtomicMethod {
    AtomicMethod { name, values, orderings: 1, result, cuda, of_trait: None }
}

const fn fetch(name: &'static str, cuda: &'static str) -> AtomicMethod {
    method(name, 1, AtomicResult::Value, cuda)
}

const fn exchange(name: &'static str) -> AtomicMethod {
    AtomicMethod { orderings: 2, ..method(name, 2, AtomicResult::Outcome, "compare_exchange") }
}

const fn extension(name: &'static str, values: usize, cuda: &'static str, of_trait: &'static str) -> AtomicMethod {
    AtomicMethod { of_trait: Some(of_trait), ..method(name, values, AtomicResult::Value, cuda) }
}

pub(crate) static ATOMIC_METHODS: &[AtomicMethod] = &[
    method("load", 0, AtomicResult::Value, "load"),
    method("store", 1, AtomicResult::Nothing, "store"),
    fetch("swap", "swap"),
    fetch("fetch_add", "add"),
    fetch("fetch_sub", "sub"),
    fetch("fetch_and", "and"),
    fetch("fetch_or", "or"),
    fetch("fetch_xor", "xor"),
    fetch("fetch_nand", "nand"),
    fetch("fetch_min", "min"),
    fetch("fetch_max", "max"),
    exchange("compare_exchange"),
    exchange("compare_exchange_weak"),
    extension("fetch_compare_exchange", 2, "cas", "Atomic"),
    extension("fetch_inc_wrapping", 1, "inc", "AtomicCounter"),
    extension("fetch_dec_wrapping", 1, "dec", "AtomicCounter"),
];

impl AtomicMethod {
    pub(crate) fn find(name: &str) -> Option<&'static AtomicMethod> {
        ATOMIC_METHODS.iter().find(|method| method.name == name)
    }

    /// Whether the name alone does not tell that an atomic is meant.
    pub(crate) fn is_common_name(&self) -> bool {
        matches!(self.name, "load" | "store" | "swap")
    }
}

/// An ordering, with the user's path to it.
#[derive(Clone)]
pub(crate) struct AtomicOrdering {
    pub(crate) order: Order,
    pub(crate) path: syn::Path,
}

/// std's `Ordering`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Order {
    pub(crate) const ALL: [Order; 5] = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Order::Relaxed => "Relaxed",
            Order::Acquire => "Acquire",
            Order::Release => "Release",
            Order::AcqRel => "AcqRel",
            Order::SeqCst => "SeqCst",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Order> {
        Order::ALL.into_iter().find(|order| order.name() == name)
    }

    /// Whether what came before it in the thread is visible to whoever sees it.
    pub(crate) fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }

    /// Whether what comes after it in the thread sees what others did before what it read.
    pub(crate) fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }
}

/// The threads among which an operation is atomic and ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtomicScope {
    Block,
    Device,
    System,
}

impl AtomicScope {
    /// Of the methods that choose one: `x[i].block_scope().fetch_add(…)`.
    pub(crate) fn from_method(name: &str) -> Option<AtomicScope> {
        match name {
            "block_scope" => Some(AtomicScope::Block),
            "system_scope" => Some(AtomicScope::System),
            _ => None,
        }
    }
}

/// What of a method's result is used.
#[derive(Debug, Clone)]
pub(crate) enum AtomicAnswer {
    Whole,
    /// `.is_ok()` of a `Result`.
    IsOk(Ident),
    /// `.is_err()` of a `Result`.
    IsErr(Ident),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_stands_once() {
        for (i, a) in ATOMIC_METHODS.iter().enumerate() {
            assert!(ATOMIC_METHODS[i + 1..].iter().all(|b| b.name != a.name), "{} stands twice", a.name);
        }
    }

    #[test]
    fn every_scalar_has_an_atomic_of_its_name() {
        for scalar in Scalar::ALL {
            assert_eq!(AtomicValue::from_atomic_name(scalar.atomic_name()), Some(AtomicValue::Scalar(scalar)));
            assert!(scalar.atomic_name().to_lowercase().ends_with(scalar.name()));
        }
    }
}
