//! What products by [tiles](crate::Tile) have in common, which tensor cores multiply: where their matrices are, and how blocks are numbered.

use super::extents;
use crate::Result;
use crate::compile::Architecture;
use crate::device::Device;
use crate::memory::{DeviceArray, DeviceView};
use crate::source::Element;
use crate::ufunc::ArrayMut;

/// Rows and columns of the product that a block computes.
pub(super) const ROWS: usize = 128;
pub(super) const COLUMNS: usize = 256;
/// Threads of a block.
pub(super) const THREADS: u32 = 256;
/// Blocks run about in the order of their numbers. Those that run at the same time share more of both operands if their tiles are near each
/// other, so the first axis of the grid is at most so many tiles below each other, and the second all columns of tiles. The third is the groups of
/// each matrix.
const GROUP: usize = 16;
/// What a grid has of its second and third axis at most.
pub(in crate::arrays) const MOST_TILES: usize = 65_535;
/// The first with tensor cores that multiply all types.
pub(in crate::arrays) const FIRST: Architecture = Architecture { major: 8, minor: 0 };
/// So many bytes are copied at once.
const PIECE: usize = 16;
/// Those of an H200, where no GPU is known.
const MULTIPROCESSORS: u32 = 132;

/// Whether tensor cores are there for products of such matrices, and these are large enough for steps of `depth` along the inner axis.
#[track_caller]
pub(super) fn are_for<T: Element>(a: &DeviceView<'_, T>, b: &DeviceView<'_, T>, depth: usize) -> bool {
    let ([batch, rows, inner], [.., columns]) = (extents(a), extents(b));
    are_on(a.device()) && have_steps([batch, rows, columns], inner, depth)
}

/// Whether a device has tensor cores that multiply all types.
pub(super) fn are_on(device: &Device) -> bool {
    let architecture = device.queue().dispatch(|| None, |queue| Some(queue.gpu().architecture()));
    architecture.is_some_and(|architecture| architecture >= FIRST)
}

/// Whether products of that shape are large enough for steps of `depth` along the inner axis, and do not need more blocks than there can be.
pub(super) fn have_steps([batch, rows, columns]: [usize; 3], inner: usize, depth: usize) -> bool {
    rows.min(columns).min(inner) >= depth && (batch * rows.div_ceil(GROUP * ROWS)).max(columns.div_ceil(COLUMNS)) <= MOST_TILES
}

/// Whether products of that shape keep most of a GPU busy: while the last tiles are multiplied, each by one multiprocessor, the others wait. Libraries have
/// tiles of other sizes for such. On an H200 with 132 of them, 128 tiles and what follows take less time than cuBLAS and a second kernel, and 72 more.
pub(super) fn are_busy([batch, rows, columns]: [usize; 3], device: Option<&Device>) -> bool {
    let of_gpu = |device: &Device| device.queue().dispatch(|| None, |queue| Some(queue.gpu().multiprocessors()));
    let multiprocessors = device.and_then(of_gpu).unwrap_or(MULTIPROCESSORS);
    let tiles = batch * rows.div_ceil(ROWS) * columns.div_ceil(COLUMNS);
    tiles > 0 && 5 * tiles >= 4 * tiles.next_multiple_of(multiprocessors as usize)
}

/// The blocks of products of that shape, and into how many groups the rows of tiles of each matrix are divided.
pub(super) fn grid([batch, rows, columns]: [usize; 3]) -> ((usize, usize, usize), usize) {
    let (rows, columns) = (rows.div_ceil(ROWS), columns.div_ceil(COLUMNS));
    let groups = rows.div_ceil(GROUP);
    ((rows.div_ceil(groups), columns, batch * groups), groups)
}

/// Whether it is a matrix whose columns are copied ahead as they lie, as the rows of the transpose.
pub(super) fn is_by_columns<T: Element>(matrix: &DeviceView<'_, T>) -> bool {
    let is_one = matches!((matrix.shape().extents(), matrix.strides()), (&[rows, columns], [1, _]) if rows.min(columns) > 1);
    is_one && are_pieces(&matrix.t().insert_axis(0))
}

/// Matrices whose rows are whole pieces, at multiples of their size, so that they are copied ahead.
pub(in crate::arrays) enum Pieces<'a, T: Element> {
    /// Where they are.
    Borrowed(DeviceView<'a, T>),
    /// With unspecified numbers at the ends of rows.
    Copied(DeviceArray<T>),
}

/// Whether the rows of matrices are whole pieces, side by side.
pub(super) fn are_pieces<T: Element>(view: &DeviceView<'_, T>) -> bool {
    let [.., columns] = extents(view);
    columns.is_multiple_of(PIECE / size_of::<T>()) && view.pointer().addr().is_multiple_of(PIECE) && view.as_slice().is_some()
}

impl<'a, T: Element> Pieces<'a, T> {
    #[track_caller]
    pub(in crate::arrays) fn of(view: DeviceView<'a, T>) -> Result<Self> {
        if are_pieces(&view) {
            return Ok(Self::Borrowed(view));
        }
        let ([batch, rows, columns], piece) = (extents(&view), PIECE / size_of::<T>());
        let mut copy = DeviceArray::unspecified(view.device(), [batch, rows, columns.next_multiple_of(piece)].into())?;
        copy.view_mut().slice_axis(2, ..columns).copy_from(view)?;
        Ok(Self::Copied(copy))
    }

    /// The matrices, of so many columns.
    pub(in crate::arrays) fn view(&self, columns: usize) -> DeviceView<'_, T> {
        match self {
            Self::Borrowed(view) => *view,
            Self::Copied(array) => array.view().slice_axis(2, ..columns),
        }
    }
}
