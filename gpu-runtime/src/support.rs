//! Traits and types that signatures and errors name, and that programs rarely do.
//!
//! | what | is named by |
//! |---|---|
//! | [`IntoDeviceSlice`], [`IntoDeviceSliceMut`], [`IntoView`], [`IntoViewMut`], [`IntoDeviceAtomics`], [`IntoAtomicView`], [`AtomicsArgument`] | the parameters of a kernel's launcher |
//! | [`IntoGrid`], [`IntoBlock`] | [`Launch::launch`](crate::Launch::launch) |
//! | [`IntoThreads`] | [`Launch::forall`](crate::Launch::forall) |
//! | [`GraphArgument`], [`GraphArguments`] | [`Graph`](crate::Graph) |
//! | [`IntoTarget`], [`IntoTargets`], [`Item`], [`Operand`] | methods and operators of [arrays](crate::ArrayLike) |
//! | [`AxisPart`], [`ArrayPart`], [`IndexRange`] | [`DeviceArray::part`](crate::DeviceArray::part) |
//! | [`Number`], [`Summand`], [`Accumulator`], [`Flag`], [`CastElement`], [`IndexElement`], [`BinElement`], [`SortElement`], [`CovarianceElement`], [`MatrixElement`] | the elements that such a method supports; with features also `FourierElement`, `FourierFloat` and `LinearFloat` |
//! | [`Product`] | [`matmul`](crate::matmul) |
//! | [`assert_combinable`] | errors of `#[reduce]` |
//! | [`ProvedFor`] | [`Error::NotProvedForShape`](crate::Error::NotProvedForShape) |
//!
//! The `Into…` traits of launchers are open: a type of yours that holds an array can implement them, and is then an argument of kernels. They
//! return views, which only this crate makes, from arrays that it borrows. So a launch is as safe as with the array itself.
//!
//! ```
//! use gpu_runtime::prelude::*;
//! use gpu_runtime::support::IntoDeviceSliceMut;
//!
//! struct Signal {
//!     samples: DeviceArray<f32>,
//! }
//!
//! impl<'a> IntoDeviceSliceMut<'a, f32> for &'a mut Signal {
//!     fn into_device_slice_mut(self) -> DeviceSliceMut<'a, f32> {
//!         self.samples.slice_mut(..)
//!     }
//! }
//!
//! #[gpu_kernel]
//! fn double(x: &mut [f32]) {
//!     let i = grid_1d();
//!     if i < x.len() {
//!         x[i] *= 2.0;
//!     }
//! }
//!
//! # fn main() -> gpu_runtime::Result<()> {
//! let mut signal = Signal { samples: Device::cpu().to_device(&[1.0, 2.0])? };
//! double(&mut signal).launch(1, 2)?;
//! assert_eq!(signal.samples.to_host()?, [2.0, 4.0]);
//! # Ok(())
//! # }
//! ```
//!
//! The methods that kernels have beyond those of std are in traits in [`scalar`](crate::scalar).

#[cfg(feature = "linalg")]
pub use crate::arrays::LinearFloat;
pub use crate::arrays::{CovarianceElement, MatrixElement, Product, SortElement};
#[cfg(feature = "fft")]
pub use crate::arrays::{FourierElement, FourierFloat};
pub use crate::dims::{IntoBlock, IntoGrid, IntoThreads, ProvedFor};
#[doc(hidden)]
pub use crate::graph::{Borrowed, Key};
pub use crate::graph::{GraphArgument, GraphArguments};
pub use crate::memory::{
    ArrayPart, AtomicsArgument, AxisPart, IndexRange, IntoAtomicView, IntoDeviceAtomics, IntoDeviceSlice, IntoDeviceSliceMut, IntoView,
    IntoViewMut,
};
pub use crate::ufunc::{
    Accumulator, BinElement, CastElement, Flag, IndexElement, IntoTarget, IntoTargets, Item, Number, Operand, Summand, assert_combinable,
};
