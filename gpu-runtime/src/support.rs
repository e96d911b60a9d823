//! Traits and types that signatures and errors name, and that programs rarely do.
//!
//! | what | is named by |
//! |---|---|
//! | [`IntoDeviceSlice`], [`IntoDeviceSliceMut`], [`IntoView`], [`IntoViewMut`], [`IntoDeviceAtomics`], [`IntoAtomicView`] | the parameters of a kernel's launcher |
//! | [`IntoTarget`], [`Item`], [`Number`], [`Flag`], [`IndexElement`], [`BinElement`] | methods of [arrays](crate::ArrayLike) |
//! | [`ProvedFor`] | [`Error::NotProvedForShape`](crate::Error::NotProvedForShape) |
//!
//! The methods that kernels have beyond those of std are in traits in [`scalar`](crate::scalar).

pub use crate::dims::ProvedFor;
pub use crate::memory::{IntoAtomicView, IntoDeviceAtomics, IntoDeviceSlice, IntoDeviceSliceMut, IntoView, IntoViewMut};
pub use crate::ufunc::{BinElement, Flag, IndexElement, IntoTarget, Item, Number};
