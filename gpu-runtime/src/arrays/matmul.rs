//! Products of matrices.
//!
//! On a GPU, a block of 256 threads computes 64 × 64 elements from tiles in shared memory, each thread 4 × 4 in registers. Operands are
//! views with three axes: a transpose or a repeated matrix is not copied. On the CPU, a task computes the rows of 16 columns, which it
//! copies to where they are next to each other; four rows at a time are in vector registers.

use super::Contiguous;
use crate::backend::cpu::{self, View, ViewMut};
use crate::failure::Work;
use crate::intrinsics::{block_idx, shared, sync_threads, thread_idx};
use crate::memory::{DeviceArray, DeviceView, Shape};
use crate::scalar::Num;
use crate::ufunc::{ArrayLike, Number, Stored, VectorLoop, give_to_arrays, vectorised};
use crate::{Error, Result, gpu_kernel};

/// Rows and columns of a block.
const TILE: usize = 64;

/// `c[n] = a[n] · b[n]` for every matrix `n`.
#[gpu_kernel(block = (16, 16))]
pub(super) fn multiply_matrices<T: Num>(a: View<T, 3>, b: View<T, 3>, c: ViewMut<T, 3>) {
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

/// Products of vectors and matrices.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let a = Device::cpu().to_device(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?.reshape([2, 3])?;
/// assert_eq!(a.matmul(a.view().t())?.to_host()?, [14.0, 32.0, 32.0, 77.0]); // NumPy: a @ a.T
/// let x = Device::cpu().to_device(&[1.0f32, 0.0, -1.0])?;
/// assert_eq!(a.matmul(&x)?.to_host()?, [-2.0, -2.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub trait Products: ArrayLike {
    /// The product of two matrices: `x @ other`, `np.matmul(x, other)`. Integers wrap around.
    ///
    /// An operand with one axis is a row on the left and a column on the right, and the result lacks its axis. With three axes, operands
    /// are as many matrices as the first axis says, and one matrix goes with all of the other operand. Transposes are read where they are.
    ///
    /// The sum over the inner axis is added up in order on the CPU, and in order with fused multiply-adds on a GPU: floats of different
    /// devices may differ in the last digits.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if the inner extents or the numbers of matrices differ, or an operand has no axes or more than three;
    /// [`Error::ArraysOnDifferentDevices`]; and as for [`collect`](crate::Lazy::collect).
    #[track_caller]
    fn matmul<B: ArrayLike<Item = Self::Item>>(self, other: B) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: Num + Number,
    {
        let (a, b) = (self.lazy(), other.lazy());
        let (a, b) = (a.stored()?, b.stored()?);
        product_of_views(a.view(), b.view())
    }
}

give_to_arrays! { Products }

#[track_caller]
pub(super) fn product_of_views<T: Num + Number>(a: DeviceView<'_, T>, b: DeviceView<'_, T>) -> Result<DeviceArray<T>> {
    let (of_a, of_b) = (a.shape(), b.shape());
    let [a, b] = operands(a, b).ok_or_else(|| {
        let help =
            "the last axis of the first and the axis before the last of the second must be equal, and numbers of matrices equal or 1";
        Error::shape_mismatch("multiply the matrices of shape", of_a, of_b, help)
    })?;
    let ([batch, rows, _], columns) = (extents(&a), b.shape().extents()[2]);
    let mut c = DeviceArray::unspecified(a.device(), [batch, rows, columns].into())?;
    if !c.is_empty() {
        if a.device().is_gpu() {
            let grid = (columns.div_ceil(TILE), rows.div_ceil(TILE), batch);
            // SAFETY: every element of `c` belongs to one thread of one block.
            unsafe { multiply_matrices(a, b, &mut c).launch_unchecked(grid, (16, 16))? };
        } else {
            multiply_on_cpu(a, b, &mut c)?;
        }
    }
    let mut shape = vec![];
    shape.extend((of_a.rank() == 3 || of_b.rank() == 3).then_some(batch));
    shape.extend((of_a.rank() > 1).then_some(rows));
    shape.extend((of_b.rank() > 1).then_some(columns));
    c.reshape(Shape::from_extents(&shape).expect("there are at most three axes"))
}

/// The operands as as many matrices, if their shapes go together.
fn operands<'a, T: Num>(a: DeviceView<'a, T>, b: DeviceView<'a, T>) -> Option<[DeviceView<'a, T>; 2]> {
    let matrices = |view: DeviceView<'a, T>, vector: usize| match view.rank() {
        1 => Some(view.insert_axis(vector).insert_axis(0)),
        2 => Some(view.insert_axis(0)),
        3 => Some(view),
        _ => None,
    };
    let (a, b) = (matrices(a, 0)?, matrices(b, 1)?);
    let ([of_a, rows, inner], [of_b, same, columns]) = (extents(&a), extents(&b));
    let batch = if of_a == 1 { of_b } else { of_a };
    if inner != same {
        return None;
    }
    Some([a.broadcast_to([batch, rows, inner]).ok()?, b.broadcast_to([batch, inner, columns]).ok()?])
}

fn extents<T: Num>(view: &DeviceView<'_, T>) -> [usize; 3] {
    view.shape().extents().try_into().expect("there are three axes")
}

/// Columns of a task: two vector registers of `f32` for each row.
const STRIP: usize = 16;

/// Rows in registers.
const ROWS: usize = 4;

/// The product on the CPU.
#[track_caller]
fn multiply_on_cpu<T: Num + Number>(a: DeviceView<'_, T>, b: DeviceView<'_, T>, c: &mut DeviceArray<T>) -> Result<()> {
    let ([batch, rows, inner], columns) = (extents(&a), b.shape().extents()[2]);
    let (a, b) = (Stored::Array(a), Stored::Array(b));
    let (a, b) = (Contiguous::of(&a)?, Contiguous::of(&b)?);
    let strips = columns.div_ceil(STRIP);
    let job = Job { a: a.slice().pointer(), b: b.slice().pointer(), c: c.slice_mut(..).pointer(), rows, inner, columns };
    let job = &job;
    let outcome = cpu::for_each_range("matmul", Work::Fold, batch * strips, 1, &|_, range| {
        for task in range {
            // SAFETY: there are as many matrices and strips in host memory, and this task alone writes to its strip.
            unsafe { vectorised(Strip { job, matrix: task / strips, first: task % strips * STRIP }) };
        }
        Ok(())
    });
    Ok(outcome?)
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

impl<T: Num + Number> VectorLoop for Strip<'_, T> {
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
