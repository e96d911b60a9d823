//! Products of matrices in this crate's own language.
//!
//! On a GPU, [`tiles`](super::tiles) multiplies large matrices of `f32`. Of the others, a block of 256 threads computes 64 × 64 elements from
//! tiles in shared memory, each thread 4 × 4 in registers. Operands are views with three axes: a transpose or a repeated matrix is not
//! copied. On the CPU, a task computes the rows of 16 columns, which it
//! copies to where they are next to each other; four rows at a time are in vector registers.

use super::extents;
use super::tensor_cores::MOST_TILES;
use crate::arrays::Contiguous;
use crate::backend::Access;
use crate::backend::cpu::{self, View, ViewMut};
use crate::failure::Work;
use crate::intrinsics::{block_idx, shared, sync_threads, thread_idx};
use crate::memory::{DeviceArray, DeviceView};
use crate::scalar::Num;
use crate::ufunc::{Accumulator, Stored, VectorLoop, vectorised};
use crate::{Result, gpu_kernel};

/// Rows and columns of a block.
const TILE: usize = 64;

/// `c[n] = a[n] · b[n]` for every matrix `n`.
#[gpu_kernel(block = (16, 16))]
pub(in crate::arrays) fn multiply_matrices<T: Num>(a: View<T, 3>, b: View<T, 3>, c: ViewMut<T, 3>) {
    let mut left = shared::<[[T; 65]; 16]>();
    let mut right = shared::<[[T; 65]; 16]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let t = ty * 16 + tx;
    let (first_row, first_column, n) = (block_idx().y * 64, block_idx().x * 64, block_idx().z);
    let (rows, inner, columns) = (a.shape()[1], a.shape()[2], c.shape()[2]);
    let mut sums = [[T::ZERO; 4]; 4];
    let mut first = 0;
    while first < inner {
        #[unroll]
        for step in 0..4 {
            let e = t + step * 256;
            // Neighbours along the last axis of either operand are read by neighbouring threads.
            let (row, k) = (e / 16, e % 16);
            left[k][row] = if first_row + row < rows && first + k < inner { a[[n, first_row + row, first + k]] } else { T::ZERO };
            let (k, column) = (e / 64, e % 64);
            right[k][column] =
                if first_column + column < columns && first + k < inner { b[[n, first + k, first_column + column]] } else { T::ZERO };
        }
        sync_threads();
        #[unroll]
        for k in 0..16 {
            #[unroll]
            for i in 0..4 {
                #[unroll]
                for j in 0..4 {
                    sums[i][j] += left[k][ty * 4 + i] * right[k][j * 16 + tx];
                }
            }
        }
        sync_threads();
        first += 16;
    }
    for i in 0..4 {
        for j in 0..4 {
            let (row, column) = (first_row + ty * 4 + i, first_column + j * 16 + tx);
            if row < rows && column < columns {
                c[[n, row, column]] = sums[i][j];
            }
        }
    }
}

/// The products of as many matrices.
#[track_caller]
pub(in crate::arrays) fn multiply<T: Num + Accumulator>(a: DeviceView<'_, T>, b: DeviceView<'_, T>) -> Result<DeviceArray<T>> {
    let ([batch, rows, _], [.., columns]) = (extents(&a), extents(&b));
    let mut c = DeviceArray::unspecified(a.device(), [batch, rows, columns].into())?;
    if c.is_empty() {
        return Ok(c);
    }
    if a.device().is_gpu() {
        launch(a, b, &mut c, MOST_TILES)?;
    } else {
        multiply_on_cpu(a, b, &mut c)?;
    }
    Ok(c)
}

/// The products by the kernel, in launches of at most so many matrices, and rows of tiles of each.
#[track_caller]
pub(in crate::arrays) fn launch<T: Num>(a: DeviceView<'_, T>, b: DeviceView<'_, T>, c: &mut DeviceArray<T>, most: usize) -> Result<()> {
    let ([batch, rows, _], [.., columns]) = (extents(&a), extents(&b));
    for first in (0..batch).step_by(most) {
        let matrices = first..batch.min(first + most);
        let (a, b) = (a.slice_axis(0, matrices.clone()), b.slice_axis(0, matrices.clone()));
        for first in (0..rows).step_by(most * TILE) {
            let rows = first..rows.min(first + most * TILE);
            let c = c.view_mut().slice_axis(0, matrices.clone()).slice_axis(1, rows.clone());
            let grid = (columns.div_ceil(TILE), rows.len().div_ceil(TILE), matrices.len());
            // SAFETY: every element of `c` belongs to one thread of one block.
            unsafe { multiply_matrices(a.slice_axis(1, rows), b, c).launch_unchecked(grid, (16, 16))? };
        }
    }
    Ok(())
}

/// Columns of a task: two vector registers of `f32` for each row.
const STRIP: usize = 16;

/// Rows in registers.
const ROWS: usize = 4;

/// The product on the CPU.
#[track_caller]
fn multiply_on_cpu<T: Num + Accumulator>(a: DeviceView<'_, T>, b: DeviceView<'_, T>, c: &mut DeviceArray<T>) -> Result<()> {
    let ([batch, rows, inner], columns) = (extents(&a), b.shape().extents()[2]);
    let device = a.device();
    let (a, b) = (Stored::Array(a), Stored::Array(b));
    let (a, b) = (Contiguous::of(&a)?, Contiguous::of(&b)?);
    let strips = columns.div_ceil(STRIP);
    let (a, b, c) = (a.slice(), b.slice(), c.slice_mut(..));
    let job = Job { a: a.pointer(), b: b.pointer(), c: c.pointer(), rows, inner, columns };
    let job = &job;
    let run = |_: &cpu::Thread<'_>, range: std::ops::Range<usize>| {
        for task in range {
            // SAFETY: there are as many matrices and strips in host memory, and this task alone writes to its strip.
            unsafe { vectorised(Strip { job, matrix: task / strips, first: task % strips * STRIP }) };
        }
        Ok(())
    };
    let uses = [a.memory_use(Access::Read), b.memory_use(Access::Read), c.memory_use(Access::Write)];
    device.queue().ordered(&uses, || Ok(cpu::for_each_range("matmul", Work::Fold, batch * strips, 1, &run)?))
}

/// Matrices in host memory, in C order.
struct Job<T> {
    a: *const T,
    b: *const T,
    c: *mut T,
    rows: usize,
    inner: usize,
    columns: usize,
}

// SAFETY: operands are only read, and every element of the result is written by one task.
unsafe impl<T: Sync> Sync for Job<T> {}

/// The columns from `first` on of one product.
struct Strip<'j, T> {
    job: &'j Job<T>,
    matrix: usize,
    first: usize,
}

impl<T: Num + Accumulator> VectorLoop for Strip<'_, T> {
    type Output = ();

    #[inline(always)]
    unsafe fn run(self) {
        let Job { a, b, c, rows, inner, columns } = *self.job;
        let width = STRIP.min(columns - self.first);
        // SAFETY: the caller guarantees the matrices.
        let (a, b, c) = unsafe {
            let a = std::slice::from_raw_parts(a.add(self.matrix * rows * inner), rows * inner);
            let b = std::slice::from_raw_parts(b.add(self.matrix * inner * columns), inner * columns);
            (a, b, c.add(self.matrix * rows * columns))
        };
        let mut strip = vec![[<T as Num>::ZERO; STRIP]; inner];
        for (k, packed) in strip.iter_mut().enumerate() {
            packed[..width].copy_from_slice(&b[k * columns + self.first..][..width]);
        }
        for first_row in (0..rows).step_by(ROWS) {
            // Where fewer rows are left, the last is computed again.
            let at: [usize; ROWS] = std::array::from_fn(|i| (first_row + i).min(rows - 1));
            let of_row: [&[T]; ROWS] = at.map(|row| &a[row * inner..][..inner]);
            let mut sums = [[<T as Num>::ZERO; STRIP]; ROWS];
            for (k, packed) in strip.iter().enumerate() {
                for (sums, row) in sums.iter_mut().zip(of_row) {
                    let factor = row[k];
                    sums.iter_mut().zip(packed).for_each(|(sum, &x)| *sum = sum.plus(factor.times(x)));
                }
            }
            for (row, sums) in at.into_iter().zip(&sums) {
                // SAFETY: the row and the columns are those of the result, and of this task.
                unsafe { c.add(row * columns + self.first).copy_from_nonoverlapping(sums.as_ptr(), width) };
            }
        }
    }
}
