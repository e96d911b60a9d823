//! Products of matrices of 16-bit floats on a GPU by [tiles](crate::Tile), which tensor cores multiply.

use super::{extents, through};
use crate::backend::cpu::{View, ViewMut};
use crate::compile::Architecture;
use crate::intrinsics::{block_idx, grid_dim};
use crate::memory::{DeviceArray, DeviceView, DeviceViewMut};
use crate::scalar::Num;
use crate::tile::Tile;
use crate::ufunc::ArrayMut;
use crate::{Result, gpu_kernel};

/// Rows and columns of the product that a block computes, and how much of the inner axis at a time.
const ROWS: usize = 128;
const COLUMNS: usize = 256;
const DEPTH: usize = 64;
/// Blocks run about in the order of their numbers. Those that run at the same time share more of both operands if their tiles are near each
/// other, so the first axis of the grid is at most so many tiles below each other, and the second all columns of tiles. The third is the groups of
/// each matrix.
const GROUP: usize = 16;
/// What a grid has of its second and third axis at most.
pub(in crate::arrays) const MOST_TILES: usize = 65_535;
/// So many elements are the 16 bytes that are copied at once.
const PIECE: usize = 8;
/// The first with tensor cores that multiply both types.
pub(in crate::arrays) const FIRST: Architecture = Architecture { major: 8, minor: 0 };

/// A 16-bit float.
pub(in crate::arrays) trait Half: Num {
    /// `c = a b` of each matrix.
    #[track_caller]
    fn product(a: DeviceView<'_, Self>, b: DeviceView<'_, Self>, c: DeviceViewMut<'_, Self>) -> Result<()>;
}

macro_rules! halves {
    ($($T:ty, $product:ident;)*) => {$(
        /// `c = a b` of each matrix, whose rows of tiles are in so many groups.
        #[gpu_kernel(block = 256)]
        fn $product(a: View<$T, 3>, b: View<$T, 3>, groups: usize, c: ViewMut<$T, 3>) {
            let (matrix, group) = (block_idx().z / groups, block_idx().z % groups);
            let (i, j) = (group * grid_dim().x + block_idx().x, block_idx().y);
            if i < c.tiles(1, ROWS) {
                let mut sum = Tile::<f32, ROWS, COLUMNS>::zeros();
                for k in 0..a.tiles(2, DEPTH) {
                    sum += a.tile::<ROWS, DEPTH>(matrix, i, k).dot(b.tile::<DEPTH, COLUMNS>(matrix, k, j));
                }
                c.tile_mut(matrix, i, j).store(sum.cast::<$T>());
            }
        }

        impl Half for $T {
            #[inline]
            fn product(a: DeviceView<'_, Self>, b: DeviceView<'_, Self>, c: DeviceViewMut<'_, Self>) -> Result<()> {
                if c.is_empty() {
                    return Ok(());
                }
                let [batch, rows, columns] = [0, 1, 2].map(|axis| c.shape()[axis]);
                let (rows, columns) = (rows.div_ceil(ROWS), columns.div_ceil(COLUMNS));
                let groups = rows.div_ceil(GROUP);
                let group = rows.div_ceil(groups);
                $product(a, b, groups, c).launch((group, columns, batch * groups), 256)
            }
        }
    )*};
}

halves! {
    half::f16, product_of_f16;
    half::bf16, product_of_bf16;
}

/// The products of as many matrices, large ones on tensor cores. Sums are `f32`.
// Large, and compiled only where it is used, as what it calls.
#[inline]
#[track_caller]
pub(in crate::arrays) fn multiply<T: Half>(a: DeviceView<'_, T>, b: DeviceView<'_, T>) -> Result<DeviceArray<T>> {
    let ([batch, rows, inner], [.., columns]) = (extents(&a), extents(&b));
    let architecture = a.device().queue().dispatch(|| None, |queue| Some(queue.gpu().architecture()));
    match architecture {
        Some(architecture)
            if architecture >= FIRST
                && rows.min(columns).min(inner) >= DEPTH
                && (batch * rows.div_ceil(GROUP * ROWS)).max(columns.div_ceil(COLUMNS)) <= MOST_TILES =>
        {
            multiply_in_tiles(a, b)
        }
        _ => through::multiply_as_f32(a, b),
    }
}

#[track_caller]
pub(in crate::arrays) fn multiply_in_tiles<T: Half>(a: DeviceView<'_, T>, b: DeviceView<'_, T>) -> Result<DeviceArray<T>> {
    let ([batch, rows, inner], [.., columns]) = (extents(&a), extents(&b));
    let (a, b) = (Pieces::of(a)?, Pieces::of(b)?);
    let mut c = DeviceArray::unspecified(a.view(inner).device(), [batch, rows, columns].into())?;
    T::product(a.view(inner), b.view(columns), c.view_mut())?;
    Ok(c)
}

/// Matrices whose rows are whole pieces, so that they are copied ahead.
pub(in crate::arrays) enum Pieces<'a, T: Half> {
    /// Where they are.
    Borrowed(DeviceView<'a, T>),
    /// With unspecified numbers at the ends of rows.
    Copied(DeviceArray<T>),
}

impl<'a, T: Half> Pieces<'a, T> {
    #[track_caller]
    pub(in crate::arrays) fn of(view: DeviceView<'a, T>) -> Result<Self> {
        let [batch, rows, columns] = extents(&view);
        if columns.is_multiple_of(PIECE) && view.as_slice().is_some() {
            return Ok(Self::Borrowed(view));
        }
        let mut copy = DeviceArray::unspecified(view.device(), [batch, rows, columns.next_multiple_of(PIECE)].into())?;
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
