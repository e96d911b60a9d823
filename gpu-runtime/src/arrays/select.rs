//! Some elements of an array: those where a mask is true, and those at given indices.
//!
//! On a GPU and on the CPU, elements are kept in tiles of 4096: first what each tile keeps is counted, then the running sum of the counts
//! says where that goes, and it is stored. In the kernels of a GPU, a warp takes 32 consecutive elements at a time, and its votes are their
//! places; on the CPU, a loop goes through the tile.
//!
//! Elements are only moved, so the kernels have them as unsigned integers of the same size. Larger ones are taken by their indices, as
//! several integers each.

use std::array;
use std::ops::Range;
use std::panic::Location;
use std::slice;
use std::sync::atomic::{AtomicU32, Ordering};

use super::words::{Words, as_words, as_words_mut, words_of};
use super::{Contiguous, by_kernels};
use crate::backend::{Access, cpu};
use crate::failure::{Work, called};
use crate::intrinsics::{block_idx, grid_1d, lane_id, lane_mask_lt, shared, sync_threads, thread_idx, warp_ballot, warp_id, warp_sum};
use crate::memory::{Axis, DeviceArray, DeviceSlice, DeviceSliceMut, Shape};
use crate::scalar::{Integer, Num};
use crate::source::Element;
use crate::ufunc::{ArrayLike, Elementwise, Scans, give_to_arrays};
use crate::{Error, Result, gpu_device, gpu_kernel, vectorize};

/// Elements of a tile: 16 for each thread.
const TILE: usize = 4096;

/// Tiles that a worker of the CPU takes at a time.
const TILES_AT_A_TIME: usize = 16;

/// Counts the true elements of each tile.
#[gpu_kernel(block = 256)]
pub(super) fn count_kept(mask: &[bool], counts: &mut [u32]) {
    let mut of_warps = shared::<[u32; 8]>();
    let (t, tile) = (thread_idx().x, block_idx().x);
    let mut count = 0u32;
    #[unroll]
    for k in 0..16 {
        let i = tile * 4096 + k * 256 + t;
        if i < mask.len() && mask[i] {
            count += 1;
        }
    }
    let sum = warp_sum(count);
    if lane_id() == 0 {
        of_warps[warp_id()] = sum;
    }
    sync_threads();
    if t == 0 {
        let mut total = 0u32;
        #[unroll]
        for w in 0..8 {
            total += of_warps[w];
        }
        counts[tile] = total;
    }
}

/// Stores the elements where `mask` is true, or with `INDICES` their indices. What a tile keeps begins at its element of `starts`.
#[gpu_kernel(block = 256)]
pub(super) fn keep_elements<W: Integer, const INDICES: bool>(x: &[W], mask: &[bool], starts: &[usize], kept: &mut [W]) {
    let mut of_warps = shared::<[u32; 8]>();
    let (lane, warp, tile) = (lane_id(), warp_id(), block_idx().x);
    let own = tile * 4096 + warp * 512 + lane;
    let mut votes = [0u32; 16];
    let mut elements = [W::ZERO; 16];
    let mut count = 0u32;
    #[unroll]
    for k in 0..16 {
        let i = own + k * 32;
        let is_kept = i < mask.len() && mask[i];
        votes[k] = warp_ballot(is_kept);
        count += votes[k].count_ones();
        if is_kept {
            elements[k] = if INDICES { i.cast::<W>() } else { x[i] };
        }
    }
    if lane == 0 {
        of_warps[warp] = count;
    }
    sync_threads();
    let mut place = starts[tile];
    #[unroll]
    for w in 0..8 {
        if w < warp {
            place += of_warps[w] as usize;
        }
    }
    #[unroll]
    for k in 0..16 {
        if (votes[k] >> lane as u32) & 1 == 1 {
            kept[place + (votes[k] & lane_mask_lt()).count_ones() as usize] = elements[k];
        }
        place += votes[k].count_ones() as usize;
    }
}

/// Stores the elements at `indices` of an array with one axis.
#[gpu_kernel]
pub(super) fn take_elements<W: Integer, I: Integer>(x: &[W], indices: &[I], out: &mut [W]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[indices[i].cast::<usize>()];
    }
}

/// Stores the parts at `indices` of an axis of `len`, with `inner` elements for each index behind it.
#[gpu_kernel]
pub(super) fn take_parts<W: Integer, I: Integer>(x: &[W], indices: &[I], len: usize, inner: usize, out: &mut [W]) {
    let i = grid_1d();
    if i < out.len() {
        let rows = i / inner;
        let (outer, at) = (rows / indices.len(), rows % indices.len());
        let index = checked_index(x, indices[at].cast::<usize>(), len);
        out[i] = x[(outer * len + index) * inner + i % inner];
    }
}

/// Stores the elements, of so many words, that have `indices` along an axis of `len`, with `inner` elements for each index behind it. There
/// are `count` indices along the axis.
#[gpu_kernel]
pub(super) fn take_along<W: Integer, I: Integer>(
    x: &[W],
    indices: &[I],
    len: usize,
    count: usize,
    inner: usize,
    words: usize,
    out: &mut [W],
) {
    let i = grid_1d();
    if i < out.len() {
        let element = i / words;
        let index = checked_index(x, indices[element].cast::<usize>(), len);
        let outer = element / (count * inner);
        out[i] = x[((outer * len + index) * inner + element % inner) * words + i % words];
    }
}

/// The index, if it is one of an axis of `len`, of which `x` has the elements.
#[gpu_device]
fn checked_index<W: Integer>(x: &[W], index: usize, len: usize) -> usize {
    if index < len { index } else { index_of(&x[..len], index) }
}

/// The index. If it is out of bounds, reading its element fails, and the failure has the index and the length.
#[gpu_device]
fn index_of<W: Integer>(axis: &[W], index: usize) -> usize {
    let _ = axis[index];
    index
}

/// The true elements of a mask, counted: where those of each tile begin, and how many there are.
struct Kept {
    starts: DeviceArray<usize>,
    count: usize,
}

impl Kept {
    // Large, and compiled only where it is used.
    #[inline]
    #[track_caller]
    fn of(mask: DeviceSlice<'_, bool>) -> Result<Self> {
        let tiles = mask.len().div_ceil(TILE);
        // One more, whose start is the number of all.
        let mut counts = mask.device().zeros::<u32>(tiles + 1)?;
        if tiles > 0 {
            match by_kernels(mask.device()) {
                // SAFETY: each block stores one count.
                true => unsafe { count_kept(mask, &mut counts).launch_unchecked(tiles, 256)? },
                false => count_on_cpu(mask, counts.slice_mut(..))?,
            }
        }
        let starts = counts.cast::<usize>().exclusive_sum()?;
        let count = starts.slice(tiles..).to_host()?[0];
        Ok(Self { starts, count })
    }

    /// Stores the elements that are kept, or with `INDICES` their indices.
    #[track_caller]
    fn store<W: Integer + Element, const INDICES: bool>(
        &self,
        x: DeviceSlice<'_, W>,
        mask: DeviceSlice<'_, bool>,
        kept: DeviceSliceMut<'_, W>,
    ) -> Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        if !by_kernels(mask.device()) {
            return store_on_cpu::<W, INDICES>(x, mask, self.starts.slice(..), kept);
        }
        // SAFETY: the places of what is kept are all different.
        unsafe { keep_elements::<W, INDICES>(x, mask, &self.starts, kept).launch_unchecked(mask.len().div_ceil(TILE), 256) }
    }
}

/// What [`count_kept`] does, for the CPU.
fn count_on_cpu(mask: DeviceSlice<'_, bool>, counts: DeviceSliceMut<'_, u32>) -> Result<()> {
    // SAFETY: on the CPU, these are host memory, which is borrowed as long, and numbers may be accessed as atomic ones.
    let (in_tiles, of_tiles) = unsafe {
        (slice::from_raw_parts(mask.pointer(), mask.len()), slice::from_raw_parts(counts.pointer().cast::<AtomicU32>(), counts.len()))
    };
    let run = |_: &cpu::Thread<'_>, tiles: Range<usize>| {
        for tile in tiles {
            // In bytes, of which a vector of the processor has the most.
            let in_part = |part: &[bool; 128]| u32::from(part.iter().map(|&is_kept| u8::from(is_kept)).sum::<u8>());
            let (parts, rest) = of_tile(in_tiles, tile).as_chunks();
            let count = parts.iter().map(in_part).sum::<u32>() + rest.iter().map(|&is_kept| u32::from(is_kept)).sum::<u32>();
            of_tiles[tile].store(count, Ordering::Relaxed);
        }
        Ok(())
    };
    let uses = [mask.memory_use(Access::Read), counts.memory_use(Access::Write)];
    let tiles = mask.len().div_ceil(TILE);
    mask.device().queue().ordered(&uses, || Ok(cpu::for_each_range("count_kept", Work::Fold, tiles, TILES_AT_A_TIME, &run)?))
}

/// What [`keep_elements`] does, for the CPU.
fn store_on_cpu<W: Integer + Element, const INDICES: bool>(
    x: DeviceSlice<'_, W>,
    mask: DeviceSlice<'_, bool>,
    starts: DeviceSlice<'_, usize>,
    kept: DeviceSliceMut<'_, W>,
) -> Result<()> {
    // SAFETY: on the CPU, these are host memory, which is borrowed as long.
    let (elements, in_tiles, places) = unsafe {
        (
            slice::from_raw_parts(x.pointer(), x.len()),
            slice::from_raw_parts(mask.pointer(), mask.len()),
            slice::from_raw_parts(starts.pointer(), starts.len()),
        )
    };
    let kept_here = Host(kept.pointer());
    let kept_here = &kept_here;
    let run = |_: &cpu::Thread<'_>, tiles: Range<usize>| {
        for tile in tiles {
            let (start, end) = (places[tile], places[tile + 1]);
            // SAFETY: as above. The places of the tiles, whose last is the number of elements, are all different, and this task has the tile.
            let kept = unsafe { slice::from_raw_parts_mut(kept_here.0.add(start), end - start) };
            let first = tile * TILE;
            match INDICES {
                true => keep(of_tile(in_tiles, tile), &array::from_fn::<W, TILE, _>(|i| Num::cast::<W>(first + i)), kept),
                false => keep(of_tile(in_tiles, tile), of_tile(elements, tile), kept),
            }
        }
        Ok(())
    };
    let uses = [x.memory_use(Access::Read), mask.memory_use(Access::Read), starts.memory_use(Access::Read), kept.memory_use(Access::Write)];
    let tiles = mask.len().div_ceil(TILE);
    mask.device().queue().ordered(&uses, || Ok(cpu::for_each_range("keep_elements", Work::Fold, tiles, TILES_AT_A_TIME, &run)?))
}

/// The address of elements in host memory.
struct Host<W>(*mut W);

// SAFETY: each task stores elements of its own.
unsafe impl<W: Send> Sync for Host<W> {}

/// Stores the elements of a tile that are kept: in any case, as nobody can predict a branch that depends on the mask, and the next takes the
/// place of one that is not.
fn keep<W: Copy>(mask: &[bool], elements: &[W], kept: &mut [W]) {
    let mut place = 0;
    let mut at = 0;
    // Eight with one check of the room, while there is room for all of them.
    for (mask, elements) in mask.as_chunks::<8>().0.iter().zip(elements.as_chunks::<8>().0) {
        let Some(next) = kept[place..].first_chunk_mut::<8>() else { break };
        at += 8;
        if *mask == [false; 8] {
            continue;
        }
        let mut count = 0;
        for (&is_kept, &element) in mask.iter().zip(elements) {
            next[count % 8] = element;
            count += usize::from(is_kept);
        }
        place += count;
    }
    for (&is_kept, &element) in mask[at..].iter().zip(&elements[at..]) {
        let Some(next) = kept.get_mut(place) else { return };
        *next = element;
        place += usize::from(is_kept);
    }
}

/// The elements of a tile.
fn of_tile<T>(all: &[T], tile: usize) -> &[T] {
    &all[tile * TILE..all.len().min((tile + 1) * TILE)]
}

/// The place of an element from that along the axes before, and its index along one with `len` parts.
#[vectorize]
fn place_along<I: Integer>(before: usize, index: I, len: usize) -> usize {
    let place = index.cast::<usize>();
    assert!(index >= I::ZERO && place < len, "an index is negative or out of bounds");
    before * len + place
}

/// Some elements of an array, in a new array on its device.
///
/// They are copied as integers, so a struct with padding is not accepted as an element: the program does not compile.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::cpu();
/// let x = device.to_device(&[3, -1, 4, -1, 5])?;
/// assert_eq!(x.filter(x.gt(0))?.to_host()?, [3, 4, 5]); // NumPy: x[x > 0]
/// assert_eq!(x.lt(0).nonzero()?.to_host()?, [1, 3]);
/// assert_eq!(x.take(&device.to_device(&[4u32, 0, 4])?)?.to_host()?, [5, 3, 5]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub trait Selections: ArrayLike {
    /// The elements where `mask`, of the same shape, is true, in C order: `x[mask]`. Waits for the device, which counts them.
    ///
    /// A mask with the shape of the first axes selects parts: of a matrix, the rows where a mask with one axis is true.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[1, 2, 3, 4, 5, 6])?.reshape([3, 2])?;
    /// assert_eq!(x.filter(x.gt(3))?.to_host()?, [4, 5, 6]);
    /// let rows = x.filter(x.part((.., 0)).ne(3))?; // NumPy: x[x[:, 0] != 3]
    /// assert_eq!((rows.shape(), rows.to_host()?), ([2, 2].into(), vec![1, 2, 5, 6]));
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if the mask has neither shape, [`Error::KernelFailed`], and as for [`collect`](crate::Lazy::collect).
    #[track_caller]
    fn filter(self, mask: impl ArrayLike<Item = bool>) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Element,
    {
        let (x, mask) = (self.lazy(), mask.lazy());
        let (shape, of_mask) = (x.shape()?, mask.shape()?);
        if of_mask.rank() == 0 && shape.rank() > 0 || !shape.extents().starts_with(of_mask.extents()) {
            return Err(Error::shape_mismatch("filter", shape, of_mask, "the mask has the shape of the array, or of its first axes"));
        }
        let (x, mask) = (x.stored_with(&mask)?, mask.stored_with(&x)?);
        if of_mask.rank() < shape.rank() {
            let parts = [&[of_mask.extents().iter().product()], &shape.extents()[of_mask.rank()..]].concat();
            let x = Contiguous::of(&x)?;
            let x = x.view().reshape(Shape::from_extents(&parts).expect("no more axes than before"))?;
            return x.take(&mask.view().nonzero()?);
        }
        let (x, mask) = (Contiguous::of(&x)?, Contiguous::of(&mask)?);
        let (x, mask) = (x.slice(), mask.slice());
        if const { words_of::<Self::Item>() > 1 } {
            return x.take(&mask.nonzero()?);
        }
        let kept = Kept::of(mask)?;
        let mut out = DeviceArray::unspecified(x.device(), kept.count.into())?;
        match (as_words(x), as_words_mut(&mut out)) {
            (Words::Bits8(x), Words::Bits8(out)) => kept.store::<u8, false>(x, mask, out)?,
            (Words::Bits16(x), Words::Bits16(out)) => kept.store::<u16, false>(x, mask, out)?,
            (Words::Bits32(x), Words::Bits32(out)) => kept.store::<u32, false>(x, mask, out)?,
            (Words::Bits64(x), Words::Bits64(out)) => kept.store::<u64, false>(x, mask, out)?,
            _ => unreachable!("both have elements of one type"),
        }
        Ok(out)
    }

    /// The indices in C order of the elements that are true: `np.flatnonzero(x)`. Waits for the device, which counts them.
    ///
    /// # Errors
    ///
    /// As for [`filter`](Self::filter).
    #[track_caller]
    fn nonzero(self) -> Result<DeviceArray<usize>>
    where
        Self: ArrayLike<Item = bool>,
    {
        let mask = self.lazy();
        let mask = mask.stored()?;
        let mask = Contiguous::of(&mask)?;
        let mask = mask.slice();
        let kept = Kept::of(mask)?;
        let (mut out, none) = (DeviceArray::unspecified(mask.device(), kept.count.into())?, mask.device().zeros::<usize>(0)?);
        kept.store::<usize, true>(none.slice(..), mask, out.slice_mut(..))?;
        Ok(out)
    }

    /// The elements at `indices` of an array with one axis: `np.take(x, indices)`. With more axes, the parts at `indices` of axis 0.
    ///
    /// # Errors
    ///
    /// As for [`take_axis`](Self::take_axis).
    #[track_caller]
    fn take<I: Integer>(self, indices: impl ArrayLike<Item = I>) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Element,
    {
        self.take_axis(indices, 0)
    }

    /// The parts at `indices` along `axis`: `np.take(x, indices, axis)`. The axes of `indices` are in the place of `axis` in the result.
    ///
    /// # Errors
    ///
    /// [`Error::AxisOutOfRange`]; [`Error::ResultTooManyAxes`] if the result had more axes than arrays have; and as for
    /// [`collect`](crate::Lazy::collect). The next call that waits reports an index that is negative or out of bounds.
    #[track_caller]
    fn take_axis<I: Integer>(self, indices: impl ArrayLike<Item = I>, axis: impl Axis) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Element,
    {
        let _call = called("take");
        let (x, indices) = (self.lazy(), indices.lazy());
        let (shape, of_indices) = (x.shape()?, indices.shape()?);
        let axis = axis.checked("take", shape)?;
        let (before, after) = (&shape.extents()[..axis], &shape.extents()[axis + 1..]);
        let extents = [before, of_indices.extents(), after].concat();
        let Some(of_result) = Shape::from_extents(&extents) else {
            return Err(Error::ResultTooManyAxes { function: "take", rank: extents.len(), location: Location::caller() });
        };
        let inner: usize = after.iter().product();
        let (x, indices) = (x.stored_with(&indices)?, indices.stored_with(&x)?);
        let (x, indices) = (Contiguous::of(&x)?, Contiguous::of(&indices)?);
        let (x, indices) = (x.slice(), indices.slice());
        let mut out = DeviceArray::unspecified(x.device(), of_result)?;
        let words = words_of::<Self::Item>();
        let axis = TakenAxis { len: shape[axis], inner: inner * words, is_all: shape.rank() == 1 && words == 1 };
        match (as_words(x), as_words_mut(&mut out)) {
            (Words::Bits8(x), Words::Bits8(out)) => take(x, indices, axis, out)?,
            (Words::Bits16(x), Words::Bits16(out)) => take(x, indices, axis, out)?,
            (Words::Bits32(x), Words::Bits32(out)) => take(x, indices, axis, out)?,
            (Words::Bits64(x), Words::Bits64(out)) => take(x, indices, axis, out)?,
            _ => unreachable!("both have elements of one type"),
        }
        Ok(out)
    }

    /// The elements at these coordinates, an array of indices for each of the first axes, all of one shape: `x[i, j]`. With fewer arrays than
    /// axes, the parts at these coordinates.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let x = device.arange(0, 6, 1)?.reshape([2, 3])?;
    /// let (rows, columns) = (device.to_device(&[1, 0, 1])?, device.to_device(&[2, 1, 0])?);
    /// assert_eq!(x.take_nd([&rows, &columns])?.to_host()?, [5, 1, 3]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`take`](Self::take); [`Error::AxisOutOfRange`] if there are more arrays than axes, and
    /// [`Error::ShapeMismatch`] if their shapes differ.
    ///
    /// # Panics
    ///
    /// If there are no indices.
    // Compiled only where it is used.
    #[inline]
    #[track_caller]
    fn take_nd<I: Integer, A: ArrayLike<Item = I>>(self, indices: impl IntoIterator<Item = A>) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Element,
    {
        let _call = called("take_nd");
        let x = self.lazy();
        let shape = x.shape()?;
        let mut places: Option<DeviceArray<usize>> = None;
        let mut axes = 0usize;
        for indices in indices {
            let len = shape[axes.checked("take_nd", shape)?];
            let indices = indices.lazy();
            let indices = indices.stored_with(&x)?;
            let indices = indices.view();
            places = Some(match places {
                None => place_along::map(0, indices, len).collect()?,
                Some(places) if places.shape() == indices.shape() => place_along::map(&places, indices, len).collect()?,
                Some(places) => {
                    let help = "the indices of all axes have one shape";
                    return Err(Error::shape_mismatch("take_nd", places.shape(), indices.shape(), help));
                }
            });
            axes += 1;
        }
        let places = places.expect("`take_nd` needs indices for at least one axis");
        let merged = [&[shape.extents()[..axes].iter().product()], &shape.extents()[axes..]].concat();
        let x = x.stored_near(Some(places.device()))?;
        let x = Contiguous::of(&x)?;
        x.view().reshape(Shape::from_extents(&merged).expect("no more axes than before"))?.take_axis(&places, 0)
    }

    /// For each of `indices`, the element with that index along `axis` and otherwise the same indices as this one has:
    /// `np.take_along_axis(x, indices, axis)`, such as for the results of [`argsort_axis`](crate::Sorting::argsort_axis).
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let x = Device::cpu().to_device(&[3.0, 1.0, 2.0, 4.0, 6.0, 5.0])?.reshape([2, 3])?;
    /// let order = (-&x).argsort()?;
    /// assert_eq!(x.take_along_axis(&order, 1)?.to_host()?, [3.0, 2.0, 1.0, 6.0, 5.0, 4.0]);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::AxisOutOfRange`]; [`Error::ShapeMismatch`] if the shapes differ along another axis; and as for
    /// [`take_axis`](Self::take_axis).
    #[track_caller]
    fn take_along_axis<I: Integer + Element>(self, indices: impl ArrayLike<Item = I>, axis: impl Axis) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Element,
    {
        let _call = called("take_along_axis");
        let (x, indices) = (self.lazy(), indices.lazy());
        let (shape, of_indices) = (x.shape()?, indices.shape()?);
        let function = "take_along_axis";
        let axis = axis.checked(function, shape)?;
        let is_same = |(other, extents): (usize, (&usize, &usize))| other == axis || extents.0 == extents.1;
        if of_indices.rank() != shape.rank() || !shape.extents().iter().zip(of_indices.extents()).enumerate().all(is_same) {
            return Err(Error::shape_mismatch(function, shape, of_indices, "only the axis that elements are taken along may differ"));
        }
        let inner: usize = shape.extents()[axis + 1..].iter().product();
        let (x, indices) = (x.stored_with(&indices)?, indices.stored_with(&x)?);
        let (x, indices) = (Contiguous::of(&x)?, Contiguous::of(&indices)?);
        let (x, indices) = (x.slice(), indices.slice());
        let mut out = DeviceArray::unspecified(x.device(), of_indices)?;
        let axis = (shape[axis], of_indices[axis], inner);
        match (as_words(x), as_words_mut(&mut out)) {
            (Words::Bits8(x), Words::Bits8(out)) => take_along_axis(x, indices, axis, out)?,
            (Words::Bits16(x), Words::Bits16(out)) => take_along_axis(x, indices, axis, out)?,
            (Words::Bits32(x), Words::Bits32(out)) => take_along_axis(x, indices, axis, out)?,
            (Words::Bits64(x), Words::Bits64(out)) => take_along_axis(x, indices, axis, out)?,
            _ => unreachable!("both have elements of one type"),
        }
        Ok(out)
    }
}

give_to_arrays! { Selections }

/// The axis that elements are taken from.
#[derive(Clone, Copy)]
struct TakenAxis {
    len: usize,
    /// Words for each index.
    inner: usize,
    /// Whether there is no other.
    is_all: bool,
}

#[track_caller]
fn take<W: Integer + Element, I: Integer>(
    x: DeviceSlice<'_, W>,
    indices: DeviceSlice<'_, I>,
    axis: TakenAxis,
    out: DeviceSliceMut<'_, W>,
) -> Result<()> {
    let len = out.len();
    match axis {
        _ if len == 0 => Ok(()),
        TakenAxis { is_all: true, .. } => take_elements(x, indices, out).forall(len),
        TakenAxis { len: of_axis, inner, .. } => take_parts(x, indices, of_axis, inner, out).forall(len),
    }
}

#[track_caller]
fn take_along_axis<W: Integer + Element, I: Integer>(
    x: DeviceSlice<'_, W>,
    indices: DeviceSlice<'_, I>,
    (len, count, inner): (usize, usize, usize),
    out: DeviceSliceMut<'_, W>,
) -> Result<()> {
    let of_result = out.len();
    if of_result == 0 {
        return Ok(());
    }
    let words = of_result / indices.len();
    take_along(x, indices, len, count, inner, words, out).forall(of_result)
}
