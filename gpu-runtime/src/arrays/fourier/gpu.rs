//! Transforms along the last axes of an array on a GPU, by cuFFT.

use num_complex::Complex;

use super::Real;
use crate::Result;
use crate::backend::cuda::libraries::cufft::{self, Kind, Transform};
use crate::backend::{Access, MemoryUse};
use crate::device::Device;
use crate::memory::{DeviceArray, DeviceView, Shape};
use crate::source::Element;
use crate::ufunc::lazy;

pub(super) fn transform_in_place<R: Real>(array: &mut DeviceArray<Complex<R>>, axes: usize, kind: Kind) -> Result<()>
where
    Complex<R>: Element,
{
    let transform = transform_of::<R>(kind, array.shape(), axes);
    let device = array.device().clone();
    let view = array.view_mut();
    let address = view.pointer().addr();
    execute(&device, &transform, address, address, &[view.memory_use(Access::Write)])
}

pub(super) fn transform<R: Real>(
    input: DeviceView<'_, Complex<R>>,
    output: &mut DeviceArray<Complex<R>>,
    axes: usize,
    kind: Kind,
) -> Result<()>
where
    Complex<R>: Element,
{
    let transform = transform_of::<R>(kind, input.shape(), axes);
    let copy = unless_aligned::<R, _>(input)?;
    let (input, output) = (copy.as_ref().map_or(input, DeviceArray::view), output.view_mut());
    let uses = [input.memory_use(Access::Read), output.memory_use(Access::Write)];
    execute(input.device(), &transform, input.pointer().addr(), output.pointer().addr(), &uses)
}

pub(super) fn transform_floats<R: Real>(floats: DeviceView<'_, R>, spectrum: &mut DeviceArray<Complex<R>>, axes: usize) -> Result<()>
where
    Complex<R>: Element,
{
    let transform = transform_of::<R>(Kind::RealForward, floats.shape(), axes);
    let copy = unless_aligned::<R, _>(floats)?;
    let (input, output) = (copy.as_ref().map_or(floats, DeviceArray::view), spectrum.view_mut());
    let uses = [input.memory_use(Access::Read), output.memory_use(Access::Write)];
    execute(floats.device(), &transform, input.pointer().addr(), output.pointer().addr(), &uses)
}

/// A copy of the elements if they are not aligned as cuFFT's complex numbers, to which it wants all input to be: a part of an array of floats
/// may begin at any of them, and memory of another library where it likes.
fn unless_aligned<R: Real, T: Element>(view: DeviceView<'_, T>) -> Result<Option<DeviceArray<T>>> {
    let is_aligned = view.pointer().addr().is_multiple_of(size_of::<Complex<R>>());
    if is_aligned { Ok(None) } else { lazy(view).collect().map(Some) }
}

/// Overwrites the spectrum.
pub(super) fn inverse_of_floats<R: Real>(mut spectrum: DeviceArray<Complex<R>>, floats: &mut DeviceArray<R>, axes: usize) -> Result<()>
where
    Complex<R>: Element,
{
    let transform = transform_of::<R>(Kind::RealInverse, floats.shape(), axes);
    let device = floats.device().clone();
    let (input, output) = (spectrum.view_mut(), floats.view_mut());
    let uses = [input.memory_use(Access::Write), output.memory_use(Access::Write)];
    execute(&device, &transform, input.pointer().addr(), output.pointer().addr(), &uses)
}

/// The transform along the last axes of an array of that shape.
fn transform_of<R: Real>(kind: Kind, shape: Shape, axes: usize) -> Transform {
    let (batch, extents) = shape.extents().split_at(shape.rank() - axes);
    let batch = batch.iter().product::<usize>() as i64;
    Transform { kind, is_double: size_of::<R>() == 8, extents: extents.iter().map(|&extent| extent as i64).collect(), batch }
}

fn execute(device: &Device, transform: &Transform, input: usize, output: usize, uses: &[MemoryUse<'_>]) -> Result<()> {
    let on_gpu = |queue: &'static crate::backend::cuda::Queue| {
        // SAFETY: the uses are those of both arrays, which have the extents of the transform.
        queue.ordered(uses, || unsafe { cufft::execute(queue, transform, input, output) })
    };
    device.queue().dispatch(|| unreachable!("the arrays are on a GPU"), on_gpu)
}
