//! Products of large matrices on a GPU in this crate's own language, at about the speed of cuBLAS without tensor cores.
//!
//! A block computes 128 × 128 elements, each of its 256 threads 8 × 8 of them in registers. So every number that is read from shared memory
//! is in eight products, and every number that is read from global memory in 128. While a block multiplies one pair of tiles, the next one
//! is on its way to the other half of shared memory.
//!
//! The kernel does not check bounds. Its operands have the inner axis first, so that both tiles are read alike, and are padded with zeros to
//! whole tiles: [`Packed`] copies what is not. A product with few blocks is split along the inner axis into parts, which are added at the end.

use super::extents;
use crate::backend::cpu::ViewMut;
use crate::intrinsics::{block_idx, shared, sync_threads, thread_idx};
use crate::memory::{DeviceArray, DeviceSlice, DeviceView};
use crate::scalar::Num;
use crate::source::Element;
use crate::ufunc::{ArrayMut, Number, Reductions, lazy};
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
/// Rows of a tile that a block reads at a time, and how often.
const ROWS_AT_A_TIME: usize = SIDE * SIDE / TILE;
const READS: usize = DEPTH / ROWS_AT_A_TIME;

/// Where the kernel finds the matrices of an operand.
struct Operand<'a, T: Element> {
    elements: DeviceSlice<'a, T>,
    /// Elements of a row.
    row: usize,
    /// Elements from one matrix to the next: 0 if there is only one.
    matrix: usize,
}

/// `c[n · parts + part] = a[n]ᵀ · b[n]` over `depth` rows of `a` and `b` from `part · depth` on, where `a` and `b` have whole tiles.
///
/// # Safety
///
/// `a` and `b` have `parts · depth` rows, a multiple of [`DEPTH`] for each part, with whole tiles for all of the grid.
#[gpu_kernel(block = (SIDE, SIDE), launch_bounds = (256, 2))]
#[allow(clippy::too_many_arguments, reason = "kernels have no structs of slices")]
pub(in crate::arrays) fn multiply_tiles<T: Num>(
    a: &[T],
    b: &[T],
    row_of_a: usize,
    row_of_b: usize,
    matrix_of_a: usize,
    matrix_of_b: usize,
    parts: usize,
    depth: usize,
    c: ViewMut<T, 3>,
) {
    let mut tiles_of_a = shared::<[[[T; TILE]; DEPTH]; 2]>();
    let mut tiles_of_b = shared::<[[[T; TILE]; DEPTH]; 2]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let t = ty * SIDE + tx;
    let z = block_idx().z;
    let (first_row, first_column) = (block_idx().y * TILE, block_idx().x * TILE);
    // What this thread reads of each tile: one column of every other row.
    let (row, column) = (t / TILE, t % TILE);
    let first = z % parts * depth + row;
    let mut at_a = z / parts * matrix_of_a + first * row_of_a + first_row + column;
    let mut at_b = z / parts * matrix_of_b + first * row_of_b + first_column + column;
    let mut next_a = [T::ZERO; READS];
    let mut next_b = [T::ZERO; READS];
    let mut sums = [[T::ZERO; EACH]; EACH];

    #[unroll]
    for i in 0..READS {
        // SAFETY: the first tile is in the operands.
        tiles_of_a[0][i * ROWS_AT_A_TIME + row][column] = unsafe { *a.get_unchecked(at_a + i * ROWS_AT_A_TIME * row_of_a) };
        // SAFETY: as above.
        tiles_of_b[0][i * ROWS_AT_A_TIME + row][column] = unsafe { *b.get_unchecked(at_b + i * ROWS_AT_A_TIME * row_of_b) };
    }
    sync_threads();
    let tiles = depth / DEPTH;
    for tile in 0..tiles {
        let now = tile % 2;
        if tile + 1 < tiles {
            at_a += DEPTH * row_of_a;
            at_b += DEPTH * row_of_b;
            #[unroll]
            for i in 0..READS {
                // SAFETY: there is another tile.
                next_a[i] = unsafe { *a.get_unchecked(at_a + i * ROWS_AT_A_TIME * row_of_a) };
                // SAFETY: as above.
                next_b[i] = unsafe { *b.get_unchecked(at_b + i * ROWS_AT_A_TIME * row_of_b) };
            }
        }
        #[unroll]
        for k in 0..DEPTH {
            let mut of_a = [T::ZERO; EACH];
            let mut of_b = [T::ZERO; EACH];
            #[unroll]
            for i in 0..EACH {
                of_a[i] = tiles_of_a[now][k][HALF * (i / 4) + 4 * ty + i % 4];
                of_b[i] = tiles_of_b[now][k][HALF * (i / 4) + 4 * tx + i % 4];
            }
            #[unroll]
            for i in 0..EACH {
                #[unroll]
                for j in 0..EACH {
                    sums[i][j] += of_a[i] * of_b[j];
                }
            }
        }
        if tile + 1 < tiles {
            #[unroll]
            for i in 0..READS {
                tiles_of_a[1 - now][i * ROWS_AT_A_TIME + row][column] = next_a[i];
                tiles_of_b[1 - now][i * ROWS_AT_A_TIME + row][column] = next_b[i];
            }
        }
        // Those who write the next tile but one wait for those who read this one.
        sync_threads();
    }
    #[unroll]
    for i in 0..EACH {
        #[unroll]
        for j in 0..EACH {
            let row = first_row + HALF * (i / 4) + 4 * ty + i % 4;
            let column = first_column + HALF * (j / 4) + 4 * tx + j % 4;
            if row < c.shape()[1] && column < c.shape()[2] {
                c[[z, row, column]] = sums[i][j];
            }
        }
    }
}

/// Matrices with the inner axis first, padded with zeros to whole tiles.
enum Packed<'a, T: Element> {
    Borrowed(DeviceView<'a, T>),
    Copied(DeviceArray<T>),
}

impl<'a, T: Num + Number> Packed<'a, T> {
    /// Those of `view`, whose axes are the matrices, the inner axis, of `inner` elements with the zeros, and the other one.
    #[track_caller]
    fn of(view: DeviceView<'a, T>, inner: usize) -> Result<Self> {
        // One matrix for all is read where it is, once.
        let view = if view.strides()[0] == 0 { view.slice_axis(0, ..1) } else { view };
        let [batch, rows, columns] = extents(&view);
        let padded = columns.next_multiple_of(TILE);
        let is_whole = rows == inner && columns == padded;
        if is_whole && view.is_contiguous() {
            return Ok(Self::Borrowed(view));
        }
        let shape = [batch, inner, padded].into();
        let mut copy = DeviceArray::unspecified(view.device(), shape)?;
        if !is_whole {
            copy.view_mut().fill(<T as Num>::ZERO)?;
        }
        copy.view_mut().slice_axis(1, ..rows).slice_axis(2, ..columns).copy_from(view)?;
        Ok(Self::Copied(copy))
    }

    fn operand(&self) -> Operand<'_, T> {
        let view = match self {
            Self::Borrowed(view) => *view,
            Self::Copied(array) => array.view(),
        };
        let [batch, rows, row] = extents(&view);
        let elements = view.as_slice().expect("packed matrices are contiguous");
        Operand { elements, row, matrix: if batch == 1 { 0 } else { rows * row } }
    }
}

/// Whether matrices of these extents, `batch`, rows, the inner one, columns, are large enough for tiles.
pub(super) fn are_large([_, rows, inner, columns]: [usize; 4]) -> bool {
    rows.min(columns) >= HALF && rows.max(columns) >= TILE && inner >= 2 * DEPTH
}

/// Into how many parts to split a product, so that all multiprocessors have two blocks.
pub(super) fn parts([batch, rows, inner, columns]: [usize; 4], multiprocessors: usize) -> usize {
    /// A shorter part is not worth the addition.
    const LEAST_DEPTH: usize = 128;
    let blocks = batch * rows.div_ceil(TILE) * columns.div_ceil(TILE);
    (2 * multiprocessors / blocks.max(1)).min(inner / LEAST_DEPTH).max(1)
}

/// The products of as many matrices, each as the sum of so many.
#[track_caller]
pub(in crate::arrays) fn multiply_in_parts<T: Num + Number>(
    a: DeviceView<'_, T>,
    b: DeviceView<'_, T>,
    parts: usize,
) -> Result<DeviceArray<T>> {
    let ([batch, rows, inner], [.., columns]) = (extents(&a), extents(&b));
    let depth = inner.div_ceil(parts).next_multiple_of(DEPTH);
    let (a, b) = (Packed::of(a.swap_axes(1, 2), parts * depth)?, Packed::of(b, parts * depth)?);
    let (a, b) = (a.operand(), b.operand());
    let mut sums = DeviceArray::unspecified(a.elements.device(), [batch * parts, rows, columns].into())?;
    let grid = (columns.div_ceil(TILE), rows.div_ceil(TILE), batch * parts);
    let launch = multiply_tiles(a.elements, b.elements, a.row, b.row, a.matrix, b.matrix, parts, depth, &mut sums);
    // SAFETY: the operands are packed for this grid, and every element of `sums` belongs to one thread of one block.
    unsafe { launch.launch_unchecked(grid, (SIDE, SIDE))? };
    if parts == 1 {
        return Ok(sums);
    }
    lazy(&sums.reshape([batch, parts, rows, columns])?).sum_axis(1)
}
