//! Copies of strided memory of a device to the host.

use std::mem::MaybeUninit;

use super::Layout;
use super::raw::Owner;
use crate::Result;
use crate::backend::{Access, Queue};
use crate::source::DeviceType;

/// Copies the elements of `layout` from `pointer` on to `target`, in C order, once the device has done what was asked of it.
///
/// # Errors
///
/// [`Error::KernelFailed`](crate::Error::KernelFailed) if a kernel failed.
///
/// # Safety
///
/// The elements must be in one allocation of `device` and not be written by others, and `target` be writable memory for
/// as many that nothing else uses.
pub(super) unsafe fn gather<T: DeviceType>(owner: Owner<'_>, pointer: *const T, layout: &Layout, target: *mut T) -> Result<()> {
    let queue = owner.device.queue();
    let source = owner.part_of_layout(pointer.addr(), layout, size_of::<T>(), Access::Read);
    queue.read_back(&source, || {
        if layout.is_c_order() {
            // SAFETY: the caller guarantees the elements, which follow each other, and for the target.
            return unsafe { queue.download(pointer.cast(), target.cast(), layout.len() * size_of::<T>()) };
        }
        if queue.memory_is_the_hosts() {
            queue.synchronize()?;
            // Element by element: what lies between them may be somebody else's, who is writing it.
            // SAFETY: the memory can be read where it is; the caller guarantees the rest.
            unsafe { collect(pointer, layout, target) };
            return Ok(());
        }
        // SAFETY: as the caller guarantees.
        unsafe { gather_span(queue, pointer, layout, target) }
    })
}

/// The same by one copy of all that lies between the first element in memory and the last: to a GPU, one copy is worth many
/// elements. There must be elements.
///
/// # Safety
///
/// As [`gather`], and nobody may be writing what lies between the elements, or the copy must be one by a GPU.
unsafe fn gather_span<T: DeviceType>(queue: &Queue, pointer: *const T, layout: &Layout, target: *mut T) -> Result<()> {
    let (first, last) = layout.bounds();
    let span = (last - first) as usize + 1;
    let mut copy: Vec<MaybeUninit<T>> = Vec::with_capacity(span);
    // SAFETY: from the first element to the last it is one allocation, and the vector has room for it. What lies between
    // the elements may be any bytes: nobody looks at them. The elements themselves are values of `T`.
    unsafe {
        queue.download(pointer.wrapping_offset(first).cast(), copy.as_mut_ptr().cast(), span * size_of::<T>())?;
        collect(copy.as_ptr().cast::<T>().wrapping_offset(-first), layout, target);
    }
    Ok(())
}

/// Copies the elements of `layout` from `source` on, in memory of the host, to `target`, in C order.
///
/// # Safety
///
/// The elements must be readable, and `target` be writable for as many.
unsafe fn collect<T: DeviceType>(source: *const T, layout: &Layout, mut target: *mut T) {
    layout.for_each_offset(|offset| {
        // SAFETY: the caller guarantees every element, and the target moves by one for each.
        unsafe {
            target.write(source.wrapping_offset(offset).read());
            target = target.add(1);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;

    /// The copy for GPUs works on memory of any device, so that it is tested where there is no GPU too.
    #[test]
    fn a_copy_of_the_span_has_the_same_elements() -> Result<()> {
        let device = Device::cpu();
        let array = device.to_device(&(0..24).collect::<Vec<i32>>())?.reshape([2, 3, 4])?;
        let view = array.view();
        let strided = [
            view.t(),
            view.reverse_axis(0).reverse_axis(2),
            view.slice_axis(1, 1..).slice_axis_step(2, 1.., -2),
            view.index_axis(2, 3).reverse_axis(1),
            view.slice_axis(0, 1..).broadcast_to([3, 2, 3, 4])?,
            view.index_axis(0, 1).index_axis(0, 2).index_axis(0, 3).broadcast_to(5)?,
        ];
        for view in strided {
            let mut host = vec![-1; view.len()];
            // SAFETY: the view is of elements of the device that nobody writes, and `host` has as many.
            unsafe { gather_span(device.queue(), view.pointer(), view.layout(), host.as_mut_ptr())? };
            assert_eq!(host, view.to_host()?, "{view:?}");
        }
        Ok(())
    }
}
