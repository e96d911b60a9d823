//! Atomics: std's types and methods, and the few that CUDA has beyond those.
//!
//! The table serves lowering (names, how many arguments) and the twin (which calls the method). Every argument but the orderings
//! is a value of the atomic's type.

use super::RuntimePath;
use super::table::table;
use super::{NamedType, Scalar, Type};
use proc_macro2::Ident;

/// The value type of an atomic.
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
    pub(crate) fn value_type(self, runtime: &RuntimePath) -> Type {
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
pub(crate) struct AtomicMethodInfo {
    pub(crate) name: &'static str,
    /// How many values it takes, before the orderings.
    pub(crate) values: usize,
    /// How many orderings it takes.
    pub(crate) orderings: usize,
    pub(crate) result: AtomicResult,
    /// The runtime's trait that has it; `None` for a method of the type itself.
    pub(crate) of_trait: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtomicResult {
    /// Nothing: a store.
    Nothing,
    /// The value before.
    Value,
    /// `Result` of the value before: `Ok` where it was the expected one.
    Outcome,
}

const fn method(name: &'static str, values: usize, result: AtomicResult) -> AtomicMethodInfo {
    AtomicMethodInfo { name, values, orderings: 1, result, of_trait: None }
}

const fn fetch(name: &'static str) -> AtomicMethodInfo {
    method(name, 1, AtomicResult::Value)
}

const fn exchange(name: &'static str) -> AtomicMethodInfo {
    AtomicMethodInfo { orderings: 2, ..method(name, 2, AtomicResult::Outcome) }
}

const fn extension(name: &'static str, values: usize, of_trait: &'static str) -> AtomicMethodInfo {
    AtomicMethodInfo { of_trait: Some(of_trait), ..method(name, values, AtomicResult::Value) }
}

table! {
    /// A method of an atomic.
    AtomicMethod of AtomicMethodInfo {
        Load: method("load", 0, AtomicResult::Value),
        Store: method("store", 1, AtomicResult::Nothing),
        Swap: fetch("swap"),
        FetchAdd: fetch("fetch_add"),
        FetchSub: fetch("fetch_sub"),
        FetchAnd: fetch("fetch_and"),
        FetchOr: fetch("fetch_or"),
        FetchXor: fetch("fetch_xor"),
        FetchNand: fetch("fetch_nand"),
        FetchMin: fetch("fetch_min"),
        FetchMax: fetch("fetch_max"),
        CompareExchange: exchange("compare_exchange"),
        CompareExchangeWeak: exchange("compare_exchange_weak"),
        FetchCompareExchange: extension("fetch_compare_exchange", 2, "Atomic"),
        FetchIncWrapping: extension("fetch_inc_wrapping", 1, "AtomicCounter"),
        FetchDecWrapping: extension("fetch_dec_wrapping", 1, "AtomicCounter"),
    }
}

impl AtomicMethod {
    /// Whether other types have a method of this name too.
    pub(crate) fn is_common_name(self) -> bool {
        matches!(self, AtomicMethod::Load | AtomicMethod::Store | AtomicMethod::Swap)
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

    /// Whether a thread that sees the operation also sees this thread's earlier writes.
    pub(crate) fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }

    /// Whether this thread's later accesses see what other threads wrote before the value that it read.
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

/// The part of a method's result that is used.
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
    fn every_scalar_has_an_atomic_of_its_name() {
        for scalar in Scalar::ALL {
            assert_eq!(AtomicValue::from_atomic_name(scalar.atomic_name()), Some(AtomicValue::Scalar(scalar)));
            assert!(scalar.atomic_name().to_lowercase().ends_with(scalar.name()));
        }
    }
}
