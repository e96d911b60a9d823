//! Arrays in the memory of a device, and views of them.

mod array;
mod element;
mod host;
mod into;
mod raw;
mod shape;
mod slice;

pub use array::DeviceArray;
pub use element::Element;
pub use into::{IntoDeviceSlice, IntoDeviceSliceMut};
pub(crate) use raw::upload;
pub(crate) use shape::Layout;
pub use shape::{MAX_RANK, Shape};
pub use slice::{DeviceSlice, DeviceSliceMut};
