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

/// Matrices whose rows begin at multiples of a piece, so that they are copied ahead.
pub(in crate::arrays) enum Pieces<'a, T: Element> {
    /// Where they are.
    Borrowed(DeviceView<'a, T>),
    /// With unspecified numbers at the ends of rows.
    Copied(DeviceArray<T>),
}

/// Whether the elements of each row are side by side, and the first of them begins a piece. All matrices may be the same one, as in a broadcast batch.
pub(super) fn are_pieces<T: Element>(view: &DeviceView<'_, T>) -> bool {
    let [matrix, row, column] = [0, 1, 2].map(|axis| view.strides()[axis].unsigned_abs());
    let begins_piece = |stride: usize| stride.is_multiple_of(PIECE / size_of::<T>());
    column == 1 && begins_piece(row) && (begins_piece(matrix) || view.shape()[0] == 1) && view.pointer().addr().is_multiple_of(PIECE)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_are_copied_only_where_their_rows_do_not_begin_pieces() {
        let x = Device::cpu().zeros::<f32>([2, 6, 8]).unwrap();
        let is_borrowed = |view: DeviceView<'_, f32>| matches!(Pieces::of(view).unwrap(), Pieces::Borrowed(_));
        let one = x.view().slice_axis(0, 1..);
        assert!(is_borrowed(x.view()) && is_borrowed(one));
        assert!(is_borrowed(one.broadcast_to([5, 6, 8]).unwrap()));
        assert!(is_borrowed(x.view().slice_axis(1, 2..5).slice_axis(2, 4..7)));
        // Rows that begin inside of a piece, columns, and rows of another length than pieces.
        assert!(!is_borrowed(x.view().slice_axis(2, 1..)));
        assert!(!is_borrowed(x.view().swap_axes(1, 2)));
        let odd = Device::cpu().zeros::<f32>([2, 6, 7]).unwrap();
        assert!(!is_borrowed(odd.view()));
    }
}
