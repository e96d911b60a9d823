//! Arrays in the memory of a device, and views of them.

mod array;
mod atomic_view;
mod atomics;
mod axis;
mod chunk;
mod create;
#[cfg(feature = "cudarc")]
mod cudarc;
mod dlpack;
mod element_kind;
mod foreign;
mod from_host;
mod gather;
mod host;
mod into;
mod into_view;
mod layout;
#[cfg(feature = "ndarray")]
mod ndarray;
mod part;
mod pinned;
mod range;
mod raw;
mod refused;
mod shape;
mod slice;
mod slice_operations;
mod to_host;
mod transfer;
mod unified;
mod vectors;
mod view;
mod view_mut;
mod view_operations;

pub use array::DeviceArray;
pub use atomic_view::{AtomicParts, DeviceAtomicView, IntoAtomicView};
pub use atomics::{AtomicsArgument, DeviceAtomics, IntoDeviceAtomics};
pub use axis::Axis;
pub use dlpack::Dlpack;
pub use foreign::{CudaArrayInterface, ForeignWork, RawStream};
pub(crate) use host::reserve;
pub use into::{IntoDeviceSlice, IntoDeviceSliceMut};
pub use into_view::{IntoView, IntoViewMut};
pub(crate) use layout::{Layout, Part};
pub(crate) use part::Choices;
pub use part::{ArrayPart, AxisPart, stepped};
pub use pinned::PinnedVec;
pub use range::IndexRange;
pub(crate) use range::resolve;
pub(crate) use raw::Owner;
pub(crate) use shape::check_reshape;
pub use shape::{MAX_RANK, Shape};
pub use slice::{DeviceSlice, DeviceSliceMut};
pub use to_host::{ToHost, ToItem};
pub use view::DeviceView;
pub use view_mut::DeviceViewMut;
