//! The kinds of arrays that a parameter may be: all that generated Rust and CUDA C say of each is a row of this table.
//!
//! How an argument is bound for a launch, and what a kernel's twin has of it, is up to the runtime's trait `Argument`.

use crate::model::*;

/// A kind of array. Paths are seen from the runtime.
pub(super) struct ArrayKind {
    /// The trait of what a launcher takes, and its method that makes the argument.
    pub(super) launched: (&'static str, &'static str),
    /// The argument.
    pub(super) argument: &'static str,
    /// The trait of what the twin of a device function takes, and its method that makes what the twin has.
    pub(super) passed: (&'static str, &'static str),
    /// The same in an asynchronous function: other threads run, and may write, before it ends.
    pub(super) passed_async: (&'static str, &'static str),
    /// What the function does with the elements, which decides how CUDA C declares the pointer to them.
    pub(super) access: Access,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// `const T* __restrict__`
    Read,
    /// `T* __restrict__`
    Write,
    /// `T*`: two parameters may be views of the same atomics.
    Atomic,
}

static SLICE: ArrayKind = ArrayKind {
    launched: ("__private::IntoDeviceSlice", "into_device_slice"),
    argument: "DeviceSlice",
    passed: ("__private::IntoSlice", "into_slice"),
    passed_async: ("__private::IntoSliceRef", "into_slice_ref"),
    access: Access::Read,
};

static SLICE_MUT: ArrayKind = ArrayKind {
    launched: ("__private::IntoDeviceSliceMut", "into_device_slice_mut"),
    argument: "DeviceSliceMut",
    passed: ("__private::IntoSliceMut", "into_slice_mut"),
    passed_async: ("__private::IntoSliceMut", "into_slice_mut"),
    access: Access::Write,
};

/// Atomics may be borrowed while other threads run.
static ATOMICS: ArrayKind = ArrayKind {
    launched: ("__private::IntoDeviceAtomics", "into_device_atomics"),
    argument: "support::AtomicsArgument",
    passed: ("__private::IntoSlice", "into_slice"),
    passed_async: ("__private::IntoSlice", "into_slice"),
    access: Access::Atomic,
};

static VIEW: ArrayKind = ArrayKind {
    launched: ("IntoView", "into_view"),
    argument: "DeviceView",
    passed: ("calls::PassView", "pass_view"),
    passed_async: ("calls::PassView", "pass_view"),
    access: Access::Read,
};

static VIEW_MUT: ArrayKind = ArrayKind {
    launched: ("IntoViewMut", "into_view_mut"),
    argument: "DeviceViewMut",
    passed: ("calls::PassViewMut", "pass_view_mut"),
    passed_async: ("calls::PassViewMut", "pass_view_mut"),
    access: Access::Write,
};

static ATOMIC_VIEW: ArrayKind = ArrayKind {
    launched: ("IntoAtomicView", "into_atomic_view"),
    argument: "DeviceAtomicView",
    passed: ("calls::PassView", "pass_view"),
    passed_async: ("calls::PassView", "pass_view"),
    access: Access::Atomic,
};

/// The type of an array parameter.
pub(super) struct Array<'t> {
    pub(super) kind: &'static ArrayKind,
    pub(super) element: &'t Type,
    /// Of a view. CUDA C takes the layout of a view, and the length of a slice.
    pub(super) rank: Option<usize>,
}

impl<'t> Array<'t> {
    /// `None` for a type that is no array parameter.
    pub(super) fn of(ty: &'t Type) -> Option<Array<'t>> {
        let (element, rank, mutable) = match ty {
            Type::Slice { element, mutable } => (&**element, None, *mutable),
            Type::View { element, rank, mutable } => (&**element, Some(*rank), *mutable),
            Type::Unit
            | Type::Never
            | Type::Scalar(_)
            | Type::Parameter(_)
            | Type::Tuple(_)
            | Type::Array(..)
            | Type::Std(..)
            | Type::Shared(_)
            | Type::Atomic(_)
            | Type::Tile(_)
            | Type::Function(_)
            | Type::Dim3
            | Type::Named(_)
            | Type::Table(_)
            | Type::Part(..)
            | Type::Returned(_)
            | Type::Operation(_)
            | Type::Constant(_)
            | Type::Called(_)
            | Type::Opaque
            | Type::Refused
            | Type::Variable(_) => return None,
        };
        let kind = match (element, rank, mutable) {
            (Type::Atomic(_), None, _) => &ATOMICS,
            (Type::Atomic(_), Some(_), _) => &ATOMIC_VIEW,
            (_, None, false) => &SLICE,
            (_, None, true) => &SLICE_MUT,
            (_, Some(_), false) => &VIEW,
            (_, Some(_), true) => &VIEW_MUT,
        };
        Some(Array { kind, element, rank })
    }
}
