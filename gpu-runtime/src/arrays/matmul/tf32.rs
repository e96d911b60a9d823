//! Products of matrices of `f32` on a GPU by tiles, of which tensor cores multiply TF32.

use super::tensor_cores::{self, COLUMNS, Pieces, ROWS};
use super::{extents, tiles};
use crate::backend::cpu::{View, ViewMut};
use crate::intrinsics::{block_idx, grid_dim};
use crate::memory::{DeviceArray, DeviceView};
use crate::tile::Tile;
use crate::{Result, gpu_kernel};

/// How much of the inner axis is multiplied at a time.
pub(super) const DEPTH: usize = 32;

/// `c = a bᵀ` of each matrix, whose rows of tiles are in so many groups. Tensor cores read both operands along the inner axis.
#[gpu_kernel(block = 256)]
fn product(a: View<f32, 3>, b: View<f32, 3>, groups: usize, c: ViewMut<f32, 3>) {
    let (matrix, group) = (block_idx().z / groups, block_idx().z % groups);
    let (i, j) = (group * grid_dim().x + block_idx().x, block_idx().y);
    if i < c.tiles(1, ROWS) {
        let mut sum = Tile::<f32, ROWS, COLUMNS>::zeros();
        for k in 0..a.tiles(2, DEPTH) {
            sum += a.tile::<ROWS, DEPTH>(matrix, i, k).dot_tf32(b.tile::<COLUMNS, DEPTH>(matrix, j, k).transpose());
        }
        c.tile_mut(matrix, i, j).store(sum);
    }
}

/// The products of as many matrices, large ones in TF32.
#[inline]
#[track_caller]
pub(super) fn multiply(a: DeviceView<'_, f32>, b: DeviceView<'_, f32>) -> Result<DeviceArray<f32>> {
    if tensor_cores::are_for(&a, &b, DEPTH) { multiply_in_tiles(a, b) } else { tiles::multiply(a, b) }
}

#[track_caller]
pub(in crate::arrays) fn multiply_in_tiles(a: DeviceView<'_, f32>, b: DeviceView<'_, f32>) -> Result<DeviceArray<f32>> {
    let ([batch, rows, inner], [.., columns]) = (extents(&a), extents(&b));
    let (a, b) = (Pieces::of(a)?, Pieces::of(b.swap_axes(1, 2))?);
    let mut c = DeviceArray::unspecified(a.view(inner).device(), [batch, rows, columns].into())?;
    if !c.is_empty() {
        let (grid, groups) = tensor_cores::grid([batch, rows, columns]);
        product(a.view(inner), b.view(inner), groups, &mut c).launch(grid, 256)?;
    }
    Ok(c)
}
