//! Products of matrices of 16-bit floats on a GPU by [tiles](crate::Tile), which tensor cores multiply.

use super::tensor_cores::{self, COLUMNS, Pieces, ROWS};
use super::{extents, through};
use crate::backend::cpu::{View, ViewMut};
use crate::intrinsics::{block_idx, grid_dim};
use crate::memory::{DeviceArray, DeviceView, DeviceViewMut};
use crate::scalar::Num;
use crate::tile::Tile;
use crate::{Result, gpu_kernel};

/// How much of the inner axis is multiplied at a time.
pub(super) const DEPTH: usize = 64;

/// A 16-bit float.
pub(in crate::arrays) trait Half: Num {
    /// `c = a b` of each matrix.
    #[track_caller]
    fn product(a: DeviceView<'_, Self>, b: DeviceView<'_, Self>, c: DeviceViewMut<'_, Self>) -> Result<()>;

    /// `c = a bᵀ` of each matrix.
    #[track_caller]
    fn product_by_columns(a: DeviceView<'_, Self>, b: DeviceView<'_, Self>, c: DeviceViewMut<'_, Self>) -> Result<()>;
}

macro_rules! halves {
    ($($T:ty, $product:ident, $by_columns:ident;)*) => {$(
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

        /// `c = a bᵀ` of each matrix.
        #[gpu_kernel(block = 256)]
        fn $by_columns(a: View<$T, 3>, b: View<$T, 3>, groups: usize, c: ViewMut<$T, 3>) {
            let (matrix, group) = (block_idx().z / groups, block_idx().z % groups);
            let (i, j) = (group * grid_dim().x + block_idx().x, block_idx().y);
            if i < c.tiles(1, ROWS) {
                let mut sum = Tile::<f32, ROWS, COLUMNS>::zeros();
                for k in 0..a.tiles(2, DEPTH) {
                    sum += a.tile::<ROWS, DEPTH>(matrix, i, k).dot(b.tile::<COLUMNS, DEPTH>(matrix, j, k).transpose());
                }
                c.tile_mut(matrix, i, j).store(sum.cast::<$T>());
            }
        }

        impl Half for $T {
            #[inline]
            fn product_by_columns(a: DeviceView<'_, Self>, b: DeviceView<'_, Self>, c: DeviceViewMut<'_, Self>) -> Result<()> {
                if c.is_empty() {
                    return Ok(());
                }
                let (grid, groups) = tensor_cores::grid([0, 1, 2].map(|axis| c.shape()[axis]));
                $by_columns(a, b, groups, c).launch(grid, 256)
            }

            #[inline]
            fn product(a: DeviceView<'_, Self>, b: DeviceView<'_, Self>, c: DeviceViewMut<'_, Self>) -> Result<()> {
                if c.is_empty() {
                    return Ok(());
                }
                let (grid, groups) = tensor_cores::grid([0, 1, 2].map(|axis| c.shape()[axis]));
                $product(a, b, groups, c).launch(grid, 256)
            }
        }
    )*};
}

halves! {
    half::f16, product_of_f16, product_by_columns_of_f16;
    half::bf16, product_of_bf16, product_by_columns_of_bf16;
}

/// The products of as many matrices, large ones on tensor cores. Sums are `f32`.
// Large, and compiled only where it is used, as what it calls.
#[inline]
#[track_caller]
pub(in crate::arrays) fn multiply<T: Half>(a: DeviceView<'_, T>, b: DeviceView<'_, T>) -> Result<DeviceArray<T>> {
    if tensor_cores::are_for(&a, &b, DEPTH) { multiply_in_tiles(a, b) } else { through::multiply_as_f32(a, b) }
}

#[track_caller]
pub(in crate::arrays) fn multiply_in_tiles<T: Half>(a: DeviceView<'_, T>, b: DeviceView<'_, T>) -> Result<DeviceArray<T>> {
    let ([batch, rows, inner], [.., columns]) = (extents(&a), extents(&b));
    let a = Pieces::of(a)?;
    let mut c = DeviceArray::unspecified(a.view(inner).device(), [batch, rows, columns].into())?;
    // Tensor cores read both orders.
    let by_columns = b.swap_axes(1, 2);
    match tensor_cores::are_pieces(&by_columns) {
        true => T::product_by_columns(a.view(inner), by_columns, c.view_mut())?,
        false => T::product(a.view(inner), Pieces::of(b)?.view(columns), c.view_mut())?,
    }
    Ok(c)
}
