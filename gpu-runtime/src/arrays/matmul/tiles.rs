//! Products of large matrices of `f32` on a GPU in this crate's own language, at about the speed of cuBLAS without tensor cores.
//!
//! A block computes 128 × 128 elements, each of its 256 threads 8 × 8 of them in registers. So every number that is read from shared memory
//! is in eight products, and every number that is read from global memory in 128. While a block multiplies a pair of tiles, each of its
//! threads reads four numbers of each of the next two.
//!
//! Four numbers are next to each other in memory, in a row of either operand: matrices in C order whose rows are whole quadruples are read
//! where they are, others are copied ([`Quads`]). A product with few blocks is split along the inner axis into parts, which are added at the end
//! ([`parts`]).

use super::tensor_cores::MOST_TILES;
use super::{extents, ours};
use crate::intrinsics::{block_idx, shared, sync_threads, thread_idx};
use crate::memory::{DeviceArray, DeviceSlice, DeviceView};
use crate::ufunc::{ArrayMut, Reductions, lazy};
use crate::vector::Float4;
use crate::{Result, gpu_kernel};

/// Rows and columns of the product that a block computes.
const TILE: usize = 128;
/// How much of the inner axis is in shared memory at a time.
const DEPTH: usize = 8;
/// Rows and columns of threads in a block.
const SIDE: usize = 16;
/// Rows and columns of the product that a thread computes: two times four of each, half a tile apart.
const EACH: usize = TILE / SIDE;
const HALF: usize = TILE / 2;
/// So many rows of threads read a row of a tile of `b`, a quadruple each.
const ROWS_OF_THREADS: usize = TILE / 4 / SIDE;
/// From a row of a tile to the next in shared memory: what neighbouring threads write is in different banks.
const PITCH: usize = TILE + 4;

/// `c[n · parts + part] = a[n] · b[n]` over `depth` elements of the inner axis from `part · depth` on. Rows and matrices of operands, and rows
/// of `c`, have so many quadruples.
///
/// # Safety
///
/// The arrays have these extents for all of the grid, and `depth` is a multiple of [`DEPTH`].
#[gpu_kernel(block = (SIDE, SIDE), launch_bounds = (256, 2))]
#[allow(clippy::too_many_arguments, reason = "kernels have no structs of slices")]
pub(in crate::arrays) fn multiply_tiles(
    a: &[Float4],
    b: &[Float4],
    row_of_a: usize,
    row_of_b: usize,
    matrix_of_a: usize,
    matrix_of_b: usize,
    rows: usize,
    inner: usize,
    parts: usize,
    depth: usize,
    row_of_c: usize,
    c: &mut [Float4],
) {
    let mut tile_a = shared::<[[f32; PITCH]; DEPTH]>();
    let mut tile_b = shared::<[[f32; PITCH]; DEPTH]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let t = ty * SIDE + tx;
    let z = block_idx().z;
    let (first_row, first_column) = (block_idx().y * TILE, block_idx().x * TILE);
    let start = z % parts * depth;
    let end = (start + depth).min(inner);
    // What this thread reads of each tile. Past the last row or column is the last one again: what becomes of it is not stored.
    let (a_row, a_quad) = (t / (DEPTH / 4), t % (DEPTH / 4));
    let (b_row, b_quad) = (ty / ROWS_OF_THREADS, ty % ROWS_OF_THREADS * SIDE + tx);
    let mut at_a = z / parts * matrix_of_a + (first_row + a_row).min(rows - 1) * row_of_a + start / 4 + a_quad;
    let mut at_b = z / parts * matrix_of_b + (start + b_row) * row_of_b + (first_column / 4 + b_quad).min(row_of_b - 1);
    // Counters of 32 bits leave room for the sums in registers.
    let length = (end.max(start) - start) as u32;
    let (own_a, own_b) = ((4 * a_quad) as u32, b_row as u32);
    let zeros = Float4::splat(0.0);
    // SAFETY: in both, the inner axis has this element. Rows of `a` are whole quadruples.
    let mut next_a = if own_a < length { unsafe { *a.get_unchecked(at_a) } } else { zeros };
    // SAFETY: as above.
    let mut next_b = if own_b < length { unsafe { *b.get_unchecked(at_b) } } else { zeros };
    let mut sums = [[0.0f32; EACH]; EACH];

    for tile in 0..length.div_ceil(DEPTH as u32) {
        tile_a[4 * a_quad][a_row] = next_a.x;
        tile_a[4 * a_quad + 1][a_row] = next_a.y;
        tile_a[4 * a_quad + 2][a_row] = next_a.z;
        tile_a[4 * a_quad + 3][a_row] = next_a.w;
        tile_b[b_row][4 * b_quad] = next_b.x;
        tile_b[b_row][4 * b_quad + 1] = next_b.y;
        tile_b[b_row][4 * b_quad + 2] = next_b.z;
        tile_b[b_row][4 * b_quad + 3] = next_b.w;
        sync_threads();
        at_a += DEPTH / 4;
        at_b += DEPTH * row_of_b;
        let next = (tile + 1) * DEPTH as u32;
        // SAFETY: as before the loop.
        next_a = if next + own_a < length { unsafe { *a.get_unchecked(at_a) } } else { zeros };
        // SAFETY: as above.
        next_b = if next + own_b < length { unsafe { *b.get_unchecked(at_b) } } else { zeros };
        #[unroll]
        for k in 0..DEPTH {
            let mut of_a = [0.0f32; EACH];
            let mut of_b = [0.0f32; EACH];
            #[unroll]
            for i in 0..EACH {
                of_a[i] = tile_a[k][HALF * (i / 4) + 4 * ty + i % 4];
                of_b[i] = tile_b[k][HALF * (i / 4) + 4 * tx + i % 4];
            }
            #[unroll]
            for i in 0..EACH {
                #[unroll]
                for j in 0..EACH {
                    sums[i][j] += of_a[i] * of_b[j];
                }
            }
        }
        sync_threads();
    }
    #[unroll]
    for i in 0..EACH {
        let row = first_row + HALF * (i / 4) + 4 * ty + i % 4;
        #[unroll]
        for half in 0..2 {
            let quad = (first_column + HALF * half) / 4 + tx;
            if row < rows && quad < row_of_c {
                let four = Float4::new(sums[i][4 * half], sums[i][4 * half + 1], sums[i][4 * half + 2], sums[i][4 * half + 3]);
                // SAFETY: the row and the quadruple are in the matrix.
                unsafe { *c.get_unchecked_mut((z * rows + row) * row_of_c + quad) = four };
            }
        }
    }
}

/// Matrices whose rows are whole quadruples.
enum Quads<'a> {
    /// Where they are.
    Borrowed(DeviceSlice<'a, Float4>),
    /// With zeros at the ends of rows.
    Copied(DeviceArray<f32>),
}

/// Where the kernel finds the matrices of an operand.
struct Operand<'a> {
    quads: DeviceSlice<'a, Float4>,
    /// Quadruples of a row.
    row: usize,
    /// Quadruples from one matrix to the next: 0 if there is only one.
    matrix: usize,
}

impl<'a> Quads<'a> {
    #[inline]
    #[track_caller]
    fn of(view: DeviceView<'a, f32>) -> Result<Self> {
        let [batch, rows, columns] = extents(&view);
        if columns.is_multiple_of(4)
            && let Some(Ok(quads)) = view.as_slice().map(|elements| elements.as_vectors())
        {
            return Ok(Self::Borrowed(quads));
        }
        let padded = columns.next_multiple_of(4);
        let mut copy = DeviceArray::unspecified(view.device(), [batch, rows, padded].into())?;
        copy.view_mut().slice_axis(2, columns..).fill(0.0)?;
        copy.view_mut().slice_axis(2, ..columns).copy_from(view)?;
        Ok(Self::Copied(copy))
    }

    /// The operand, for so many matrices with these extents.
    #[inline]
    fn operand(&self, [batch, rows, columns]: [usize; 3]) -> Result<Operand<'_>> {
        let quads = match self {
            Self::Borrowed(quads) => *quads,
            Self::Copied(array) => array.as_vectors()?,
        };
        let row = columns.div_ceil(4);
        Ok(Operand { quads, row, matrix: if batch == 1 { 0 } else { rows * row } })
    }
}

/// The products of as many matrices, large ones in large tiles on a GPU.
// Large, and compiled only where it is used, as what it calls.
#[inline]
#[track_caller]
pub(in crate::arrays) fn multiply(a: DeviceView<'_, f32>, b: DeviceView<'_, f32>) -> Result<DeviceArray<f32>> {
    let ([batch, rows, inner], [.., columns]) = (extents(&a), extents(&b));
    let multiprocessors = a.device().queue().dispatch(|| None, |queue| Some(queue.gpu().multiprocessors() as usize));
    match multiprocessors {
        Some(multiprocessors) if are_large(rows, inner, columns) => {
            multiply_in_parts(a, b, parts([batch, rows, inner, columns], multiprocessors), MOST_TILES)
        }
        _ => ours::multiply(a, b),
    }
}

/// Whether matrices are large enough for these tiles.
fn are_large(rows: usize, inner: usize, columns: usize) -> bool {
    rows.min(columns) >= HALF && rows.max(columns) >= TILE && inner >= 2 * DEPTH && u32::try_from(inner).is_ok()
}

/// Into how many parts to split a product: the number with the least time, in cycles.
fn parts([batch, rows, inner, columns]: [usize; 4], multiprocessors: usize) -> usize {
    /// A shorter part is mostly its beginning and end.
    const LEAST_DEPTH: usize = 64;
    /// What a multiprocessor takes for an element of the inner axis of a block: 128 multiplications a cycle, as far as it gets to them.
    const STEP: usize = TILE * TILE / 128 * 4 / 3;
    /// Another kernel that adds the parts, and the bytes that memory moves in a cycle for it.
    const ADDITION: usize = 4000;
    const BYTES: usize = 2400;
    let blocks = batch * rows.div_ceil(TILE) * columns.div_ceil(TILE);
    let cycles = |parts: usize| {
        let in_turn = (blocks * parts).div_ceil(multiprocessors);
        let addition = if parts > 1 { ADDITION + (parts + 1) * batch * rows * columns * 4 / BYTES } else { 0 };
        // A block that is alone on its multiprocessor does not fill it.
        let alone = if in_turn == 1 { STEP / 10 } else { 0 };
        in_turn * inner.div_ceil(parts) * (STEP + alone) + addition
    };
    (1..=(inner / LEAST_DEPTH).clamp(1, 16)).min_by_key(|&parts| cycles(parts)).unwrap_or(1)
}

/// The products of as many matrices, each as the sum of so many. A launch has at most `most` parts of matrices, and rows of tiles; matrices with
/// more rows of tiles are not split.
#[inline]
#[track_caller]
pub(in crate::arrays) fn multiply_in_parts(
    a: DeviceView<'_, f32>,
    b: DeviceView<'_, f32>,
    parts: usize,
    most: usize,
) -> Result<DeviceArray<f32>> {
    let ([batch, rows, inner], [.., columns]) = (extents(&a), extents(&b));
    let most_rows = most * TILE;
    // A launch has some rows of one matrix, or all rows of some: the kernel stores those of its parts one after the other.
    let (parts, most_matrices) = if rows > most_rows { (1, 1) } else { (parts, most / parts) };
    // One matrix for all is read where it is.
    let (a, b) = (one_for_all(a), one_for_all(b));
    let (of_a, of_b) = (Quads::of(a)?, Quads::of(b)?);
    let (a, b) = (of_a.operand(extents(&a))?, of_b.operand(extents(&b))?);
    let depth = inner.div_ceil(parts).next_multiple_of(DEPTH);
    let row_of_c = columns.div_ceil(4);
    let mut sums = DeviceArray::unspecified(a.quads.device(), [batch * parts, rows, 4 * row_of_c].into())?;
    let mut c = sums.as_vectors_mut()?;
    for matrix in (0..batch).step_by(most_matrices) {
        for row in (0..rows).step_by(most_rows) {
            let (matrices, rows_of_launch) = (most_matrices.min(batch - matrix), most_rows.min(rows - row));
            let grid = (columns.div_ceil(TILE), rows_of_launch.div_ceil(TILE), matrices * parts);
            let of_a = a.quads.slice(matrix * a.matrix + row * a.row..);
            let of_b = b.quads.slice(matrix * b.matrix..);
            let of_c = c.slice_mut((matrix * parts * rows + row) * row_of_c..);
            let launch = multiply_tiles(of_a, of_b, a.row, b.row, a.matrix, b.matrix, rows_of_launch, inner, parts, depth, row_of_c, of_c);
            // SAFETY: from there on, the operands and `c` have these extents, and every element of `c` belongs to one thread of one block.
            unsafe { launch.launch_unchecked(grid, (SIDE, SIDE))? };
        }
    }
    if parts == 1 && columns.is_multiple_of(4) {
        return Ok(sums);
    }
    let sums = sums.reshape([batch, parts, rows, 4 * row_of_c])?;
    let sums = sums.view().slice_axis(3, ..columns);
    if parts == 1 { lazy(sums.index_axis(1, 0)).collect() } else { lazy(sums).sum_axis(1) }
}

/// The first of matrices that are all the same in memory, else all of them.
fn one_for_all(view: DeviceView<'_, f32>) -> DeviceView<'_, f32> {
    if view.strides()[0] == 0 { view.slice_axis(0, ..1) } else { view }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_split_until_all_multiprocessors_work() {
        let parts = |shape| parts(shape, 132);
        // 64 blocks; 16; one for two multiprocessors each, or more: all are at work.
        assert_eq!([parts([1, 1024, 1024, 1024]), parts([1, 4096, 4096, 4096]), parts([64, 256, 256, 256])], [4, 1, 1]);
        assert!(parts([1, 512, 512, 512]) >= 4 && parts([1, 128, 100_000, 128]) == 16);
        assert_eq!(parts([1, 64, 16, 128]), 1);
    }
}
