//! Chunks of streamed host arrays, as arguments of launches.

use super::raw::Owner;
use super::{DeviceSlice, DeviceSliceMut};
use crate::backend::cuda::pipeline::Chunk;
use crate::device::Device;
use crate::source::DeviceType;

impl Chunk<'_> {
    /// The elements of an input, as the argument of a launch.
    ///
    /// # Safety
    ///
    /// `device` must be the GPU that the chunk is on, and the input be one of `T`.
    pub(crate) unsafe fn input<'a, T: DeviceType>(&'a self, device: &'a Device, index: usize) -> DeviceSlice<'a, T> {
        // SAFETY: the caller guarantees the type; the slot is not written before this chunk's kernels are done.
        unsafe {
            DeviceSlice::new(Owner { device, usage: self.usage }, std::ptr::without_provenance(self.inputs[index] as usize), self.len)
        }
    }

    /// The elements of an output, as the argument of a launch.
    ///
    /// # Safety
    ///
    /// As for [`input`](Self::input), and there must be no other view of this output.
    pub(crate) unsafe fn output<'a, T: DeviceType>(&'a self, device: &'a Device, index: usize) -> DeviceSliceMut<'a, T> {
        // SAFETY: the caller guarantees the type and for being alone; the slot is not read before the kernels are done.
        unsafe {
            DeviceSliceMut::new(
                Owner { device, usage: self.usage },
                std::ptr::without_provenance_mut(self.outputs[index] as usize),
                self.len,
            )
        }
    }
}
