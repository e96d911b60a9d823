//! Connected components of a mask.
//!
//! Neighbours along the last axis are a run. A scan gives each element the first of its run, its parent in a forest, so an array with one
//! axis is done. Along each other axis, threads unite the trees of neighbours. A link goes to a lower element, so the root of a component is
//! its first element in C order, whatever the order of the threads; and roots are counted in that order.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::{Contiguous, collected};
use crate::failure::called;
use crate::intrinsics::grid_1d;
use crate::memory::{DeviceArray, DeviceSlice};
use crate::ufunc::{Expression, Lazy, Scans as _, iota};
use crate::{Error, Result, gpu_device, gpu_kernel, vectorize};

/// The number of each true element that begins a run; 0 for others, which the largest number until there replaces. Rows have `width` elements.
#[gpu_kernel]
pub(super) fn begin_runs(mask: &[bool], width: usize, first: &mut [u32]) {
    let i = grid_1d();
    if i < first.len() {
        let begins = mask[i] && (i % width == 0 || !mask[i - 1]);
        first[i] = if begins { i as u32 } else { 0 };
    }
}

/// The root of the tree with `element`. It halves the way there for those that come later: parents are replaced by theirs, so any thread may
/// store last.
#[gpu_device]
fn root(parents: &[AtomicU32], element: u32) -> u32 {
    let mut i = element;
    let mut parent = parents[i as usize].load(Relaxed);
    while parent != i {
        let next = parents[parent as usize].load(Relaxed);
        if next != parent {
            parents[i as usize].store(next, Relaxed);
        }
        i = parent;
        parent = next;
    }
    i
}

/// Unites the trees of neighbours along an axis of `len`, with `inner` elements for each index behind it. Rows have `width` elements.
#[gpu_kernel]
pub(super) fn unite_neighbours(mask: &[bool], parents: &[AtomicU32], len: usize, inner: usize, width: usize) {
    let i = grid_1d();
    if i < mask.len() && (i / inner) % len > 0 && mask[i] && mask[i - inner] {
        // Where two runs touch, the first elements that do are enough.
        let is_first = i % width == 0 || !(mask[i - 1] && mask[i - 1 - inner]);
        if is_first {
            let mut high = root(parents, i as u32);
            let mut low = root(parents, (i - inner) as u32);
            while high != low {
                if high < low {
                    (high, low) = (low, high);
                }
                // Only a root gets another parent, or the link that another thread has just made would be lost.
                let found = parents[high as usize].fetch_compare_exchange(high, low, Relaxed);
                high = root(parents, found);
                low = root(parents, low);
            }
        }
    }
}

/// The number of each element's root, or 0 where the mask is false.
#[gpu_kernel]
pub(super) fn number_elements(mask: &[bool], parents: &[AtomicU32], numbers: &[u32], labels: &mut [u32]) {
    let i = grid_1d();
    if i < labels.len() {
        labels[i] = if mask[i] { numbers[root(parents, i as u32) as usize] } else { 0 };
    }
}

/// Whether an element is the root of a component.
#[vectorize]
fn is_root(is_true: bool, parent: u32, element: usize) -> u32 {
    u32::from(is_true && parent == element as u32)
}

/// See [`label`](crate::Filters::label).
#[track_caller]
pub(super) fn label<E: Expression<Item = bool>>(mask: Lazy<E>) -> Result<(DeviceArray<u32>, usize)> {
    let _call = called("label");
    let shape = mask.shape()?;
    let len = shape.checked_len().unwrap_or(usize::MAX);
    if len > u32::MAX as usize {
        let help = "labels are `u32`, so the mask must have fewer than 2³² elements; label parts of it";
        return Err(Error::shape_mismatch("label", shape, (u32::MAX as usize).into(), help));
    }
    let stored = mask.stored()?;
    let mask = Contiguous::of(&stored)?;
    let mask = mask.slice();
    if len == 0 {
        return Ok((mask.device().zeros(shape)?, 0));
    }
    let width = shape.extents().last().copied().unwrap_or(1);
    let mut parents = first_of_runs(mask, width)?;
    let mut inner = width;
    for &extent in shape.extents().iter().rev().skip(1) {
        if extent > 1 {
            unite_neighbours(mask, &mut parents, extent, inner, width).forall(len)?;
        }
        inner *= extent;
    }
    let numbers = collected(is_root::map(mask, &parents, iota(len)))?.cumsum()?;
    let mut labels = DeviceArray::unspecified(mask.device(), shape)?;
    number_elements(mask, &mut parents, &numbers, &mut labels).forall(len)?;
    Ok((labels, numbers.get(len - 1)? as usize))
}

/// The first element of each element's run along the last axis.
#[track_caller]
fn first_of_runs(mask: DeviceSlice<'_, bool>, width: usize) -> Result<DeviceArray<u32>> {
    let mut first = DeviceArray::unspecified(mask.device(), mask.len().into())?;
    begin_runs(mask, width, &mut first).forall(mask.len())?;
    first.cummax()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrays::Filters as _;
    use crate::device::Device;
    use crate::memory::Shape;

    /// By flooding one component after the other.
    fn flooded(mask: &[bool], extents: &[usize]) -> (Vec<u32>, usize) {
        let (mut labels, mut count) = (vec![0; mask.len()], 0);
        for start in 0..mask.len() {
            if !mask[start] || labels[start] != 0 {
                continue;
            }
            count += 1;
            labels[start] = count;
            let mut open = vec![start];
            while let Some(i) = open.pop() {
                let mut inner = 1;
                for &extent in extents.iter().rev() {
                    let at = i / inner % extent;
                    let below = (at > 0).then(|| i - inner);
                    let above = (at + 1 < extent).then(|| i + inner);
                    for j in below.into_iter().chain(above) {
                        if mask[j] && labels[j] == 0 {
                            labels[j] = count;
                            open.push(j);
                        }
                    }
                    inner *= extent;
                }
            }
        }
        (labels, count as usize)
    }

    #[test]
    fn components_are_those_of_flooding() -> Result<()> {
        let device = Device::best()?;
        let shapes: [&[usize]; 12] =
            [&[], &[0], &[1], &[1000], &[0, 3], &[3, 0], &[1, 300], &[300, 1], &[70, 90], &[6, 1, 40], &[9, 20, 11], &[3, 4, 1, 5, 6]];
        for extents in shapes {
            let len: usize = extents.iter().product();
            for percent in [0, 30, 50, 65, 95, 100] {
                let mask: Vec<bool> = (0..len as u32).map(|i| (i.wrapping_mul(0x9E37_79B9) ^ i << 9) % 7919 % 100 < percent).collect();
                let x = device.to_device(&mask)?.reshape(Shape::from_extents(extents).expect("few axes"))?;
                let (labels, count) = x.label()?;
                assert_eq!(labels.shape().extents(), extents);
                assert!((labels.to_host()?, count) == flooded(&mask, extents), "{percent} % of {extents:?}");
            }
        }
        Ok(())
    }

    #[test]
    fn transposes_and_spirals_are_labelled() -> Result<()> {
        let device = Device::best()?;
        // A line that winds through the whole image, beside one of background.
        let is_wall = |i: usize, j: usize| i % 2 == 1 && j != if i % 4 == 1 { 0 } else { 63 };
        let mask: Vec<bool> = (0..63 * 64).map(|k| !is_wall(k / 64, k % 64)).collect();
        let x = device.to_device(&mask)?.reshape([63, 64])?;
        assert_eq!(x.label()?.1, 1);
        assert_eq!((!&x).label()?.1, 31);
        let turned = x.view().t().label()?.0;
        assert_eq!(turned.to_host()?, x.label()?.0.view().t().to_host()?);
        Ok(())
    }

    #[test]
    fn more_elements_than_labels_are_an_error_of_the_call() -> Result<()> {
        let one = Device::cpu().full([1, 1], true)?;
        let error = one.view().broadcast_to([1 << 16, 1 << 16])?.label().unwrap_err();
        assert!(error.to_string().contains("fewer than 2³² elements"), "{error}");
        Ok(())
    }
}
