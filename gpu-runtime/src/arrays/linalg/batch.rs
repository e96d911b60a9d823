//! Linear algebra of many matrices at once: a block of a GPU for each small one, by Gauss and Jordan's elimination, and one after the other
//! on the CPU and where they are large.

use super::{LinearFloat, Outcome, cpu, dispatch, gpu};
use crate::Result;
use crate::device::Device;
use crate::error::MatrixProblem;
use crate::gpu_kernel;
use crate::intrinsics::{block_idx, shared, sync_threads, thread_idx};
use crate::memory::{DeviceArray, DeviceView, Shape};
use crate::scalar::Float;
use crate::ufunc::{ArrayMut, lazy};

/// Rows and columns of threads in a block.
const ROWS: usize = 8;
const COLUMNS: usize = 32;
const THREADS: usize = ROWS * COLUMNS;

/// The largest matrix for a block. Above, cuSOLVER is faster one by one.
const LARGEST: usize = 128;

/// Turns the first `n` columns of each matrix of `n` × `width` into the identity by operations on its rows. What is right of them becomes
/// the solutions of the systems of equations. The determinants of the first columns, and the numbers of the columns without a pivot, from 1,
/// go to the other arrays.
///
/// # Safety
///
/// `matrices` has a matrix for each block.
#[gpu_kernel(block = (COLUMNS, ROWS))]
pub(in crate::arrays) fn eliminate<T: Float>(matrices: &mut [T], n: usize, width: usize, determinants: &mut [T], failed: &mut [u32]) {
    let mut largest = shared::<[T; THREADS]>();
    let mut place = shared::<[u32; THREADS]>();
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let t = ty * COLUMNS + tx;
    let first = block_idx().x * n * width;
    let mut determinant = T::ONE;
    let mut failure = 0u32;
    for k in 0..n {
        // The row with the largest number in the column, of those that have not been used.
        let mut most = T::ZERO;
        let mut row = k;
        let mut i = k + t;
        while i < n {
            let x = matrices[first + i * width + k].abs();
            if x > most {
                most = x;
                row = i;
            }
            i += THREADS;
        }
        largest[t] = most;
        place[t] = row as u32;
        sync_threads();
        let mut half = THREADS / 2;
        while half > 0 {
            if t < half && largest[t + half] > largest[t] {
                largest[t] = largest[t + half];
                place[t] = place[t + half];
            }
            sync_threads();
            half /= 2;
        }
        let row = place[0] as usize;
        let pivot = matrices[first + row * width + k];
        if pivot == T::ZERO && failure == 0 {
            failure = k as u32 + 1;
        }
        determinant *= if row == k { pivot } else { -pivot };
        // The pivot is read before the row is overwritten.
        sync_threads();
        let mut column = t;
        while column < width {
            let (at, from) = (first + k * width + column, first + row * width + column);
            let (old, new) = (matrices[at], matrices[from]);
            matrices[from] = old;
            matrices[at] = new / pivot;
            column += THREADS;
        }
        sync_threads();
        // Columns up to this one are not read again, but for the factors.
        let mut i = ty;
        while i < n {
            if i != k {
                let factor = matrices[first + i * width + k];
                let mut column = k + 1 + tx;
                while column < width {
                    matrices[first + i * width + column] -= factor * matrices[first + k * width + column];
                    column += COLUMNS;
                }
            }
            i += ROWS;
        }
        sync_threads();
    }
    if t == 0 {
        determinants[block_idx().x] = if failure == 0 { determinant } else { T::ZERO };
        failed[block_idx().x] = failure;
    }
}

/// Overwrites each matrix of `n` × `n` by the lower triangle L of L · Lᵀ.
///
/// # Safety
///
/// `matrices` has a matrix for each block.
#[gpu_kernel(block = (COLUMNS, ROWS))]
pub(in crate::arrays) fn factor<T: Float>(matrices: &mut [T], n: usize, failed: &mut [u32]) {
    let (tx, ty) = (thread_idx().x, thread_idx().y);
    let t = ty * COLUMNS + tx;
    let first = block_idx().x * n * n;
    let mut failure = 0u32;
    for k in 0..n {
        let diagonal = matrices[first + k * n + k];
        if !(diagonal > T::ZERO) {
            failure = 1;
        }
        let root = diagonal.sqrt();
        // All have read the diagonal.
        sync_threads();
        let mut i = k + t;
        while i < n {
            matrices[first + i * n + k] = if i == k { root } else { matrices[first + i * n + k] / root };
            i += THREADS;
        }
        sync_threads();
        let mut i = ty;
        while i < n {
            let mut j = tx;
            while j < n {
                if i >= j && j > k {
                    matrices[first + i * n + j] -= matrices[first + i * n + k] * matrices[first + j * n + k];
                }
                // No row above the diagonal is read again.
                if j == k && i < k {
                    matrices[first + i * n + j] = T::ZERO;
                }
                j += COLUMNS;
            }
            i += ROWS;
        }
        sync_threads();
    }
    if t == 0 {
        failed[block_idx().x] = failure;
    }
}

/// The solutions, the determinants, and the numbers of the columns without a pivot, by the kernel.
#[track_caller]
#[allow(clippy::type_complexity, reason = "three arrays")]
pub(in crate::arrays) fn eliminated<T: Float>(
    a: DeviceView<'_, T>,
    b: Option<DeviceView<'_, T>>,
) -> Result<(DeviceArray<T>, DeviceArray<T>, DeviceArray<u32>)> {
    let ([batch, n, _], columns) = (extents(&a), b.map_or(0, |b| b.shape()[2]));
    let width = n + columns;
    let device = a.device();
    let mut matrices = DeviceArray::unspecified(device, [batch, n, width].into())?;
    matrices.view_mut().slice_axis(2, ..n).copy_from(a)?;
    if let Some(b) = b {
        matrices.view_mut().slice_axis(2, n..).copy_from(b)?;
    }
    let (mut determinants, mut failed) = (device.zeros::<T>(batch)?, device.zeros::<u32>(batch)?);
    // SAFETY: there is a matrix for each block, and the barriers are between writes of one thread and reads of others.
    unsafe { eliminate(&mut matrices, n, width, &mut determinants, &mut failed).launch_unchecked(batch, (COLUMNS, ROWS))? };
    let solutions = lazy(matrices.view().slice_axis(2, n..)).collect()?;
    Ok((solutions, determinants, failed))
}

/// The triangles, and whether a matrix has none, by the kernel.
#[track_caller]
pub(in crate::arrays) fn factored<T: Float>(a: DeviceView<'_, T>) -> Result<(DeviceArray<T>, DeviceArray<u32>)> {
    let [batch, n, _] = extents(&a);
    let mut matrices = lazy(a).collect()?;
    let mut failed = a.device().zeros::<u32>(batch)?;
    // SAFETY: as above.
    unsafe { factor(&mut matrices, n, &mut failed).launch_unchecked(batch, (COLUMNS, ROWS))? };
    Ok((matrices, failed))
}

fn extents<T: Float>(view: &DeviceView<'_, T>) -> [usize; 3] {
    view.shape().extents().try_into().expect("there are three axes")
}

/// Whether a block of a GPU computes each matrix.
fn by_blocks<T: Float>(a: &DeviceView<'_, T>) -> bool {
    a.device().is_gpu() && a.shape()[1] <= LARGEST
}

/// The first number that is not 0, which it waits for.
fn first_failure(failed: &DeviceArray<u32>) -> Result<Option<usize>> {
    Ok(failed.to_host()?.into_iter().find(|&number| number != 0).map(|number| number as usize))
}

/// What `compute` returns for each number below `batch`, one after the other.
#[track_caller]
fn each<T: LinearFloat>(
    (device, shape): (&Device, Shape),
    mut compute: impl FnMut(usize) -> Outcome<DeviceArray<T>>,
) -> Outcome<DeviceArray<T>> {
    let mut result = DeviceArray::unspecified(device, shape)?;
    for i in 0..shape[0] {
        match compute(i)? {
            Ok(part) => result.view_mut().index_axis(0, i).copy_from(&part)?,
            Err(problem) => return Ok(Err(problem)),
        }
    }
    Ok(Ok(result))
}

/// The solutions of as many systems of equations, none of which is empty.
#[track_caller]
pub(super) fn solve<T: LinearFloat>(a: DeviceView<'_, T>, b: DeviceView<'_, T>) -> Outcome<DeviceArray<T>> {
    if !by_blocks(&a) {
        return each((a.device(), b.shape()), |i| {
            let (a, b) = (a.index_axis(0, i), b.index_axis(0, i));
            dispatch!(a, solve(a, b))
        });
    }
    let (solutions, _, failed) = eliminated(a, Some(b))?;
    Ok(match first_failure(&failed)? {
        Some(number) => Err(MatrixProblem::Singular { pivot: number - 1 }),
        None => Ok(solutions),
    })
}

/// The determinants of as many matrices, none of which is empty.
#[track_caller]
pub(super) fn det<T: LinearFloat>(a: DeviceView<'_, T>) -> Result<DeviceArray<T>> {
    if by_blocks(&a) {
        return Ok(eliminated(a, None)?.1);
    }
    let matrix = |i| {
        let a = a.index_axis(0, i);
        Ok(dispatch!(a, pivots(a))?.product())
    };
    let determinants = (0..a.shape()[0]).map(matrix).collect::<Result<Vec<T>>>()?;
    a.device().to_device(&determinants)
}

/// The triangles of as many matrices, none of which is empty.
#[track_caller]
pub(super) fn cholesky<T: LinearFloat>(a: DeviceView<'_, T>) -> Outcome<DeviceArray<T>> {
    if !by_blocks(&a) {
        return each((a.device(), a.shape()), |i| {
            let a = a.index_axis(0, i);
            dispatch!(a, cholesky(a))
        });
    }
    let (triangles, failed) = factored(a)?;
    Ok(match first_failure(&failed)? {
        Some(_) => Err(MatrixProblem::NotPositiveDefinite),
        None => Ok(triangles),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrays::{LinearAlgebra, Products};
    use crate::ufunc::{Elementwise, Reductions};

    #[test]
    fn the_kernels_compute_what_nalgebra_does() -> Result<()> {
        let device = Device::cpu();
        for n in [1, 2, 9, 40] {
            let (a, b): (DeviceArray<f64>, DeviceArray<f64>) = (device.random(1).normal([3, n, n])?, device.random(2).normal([3, n, 2])?);
            let (solutions, determinants, failed) = eliminated(a.view(), Some(b.view()))?;
            assert_eq!(failed.to_host()?, [0; 3]);
            assert!((a.matmul(&solutions)? - &b).abs().max()? < 1e-9, "{n}");
            let ratios = determinants / a.det_each()?;
            assert!((ratios - 1.0).abs().max()? < 1e-9, "{n}");

            let positive = (a.matmul(a.view().swap_axes(1, 2))? + device.eye::<f64>(n)?).collect()?;
            let (triangles, failed) = factored(positive.view())?;
            assert_eq!(failed.to_host()?, [0; 3]);
            assert!((triangles - &positive.cholesky()?).abs().max()? < 1e-10, "{n}");
        }
        // The second column of the second matrix has no pivot, and the matrix is not positive definite.
        let a = device.to_device(&[2.0f32, 0.0, 0.0, 3.0, 1.0, 2.0, 2.0, 4.0, 0.0, 1.0, 1.0, 0.0])?.reshape([3, 2, 2])?;
        let (_, determinants, failed) = eliminated(a.view(), None)?;
        assert_eq!((determinants.to_host()?, failed.to_host()?), (vec![6.0, 0.0, -1.0], vec![0, 2, 0]));
        assert_eq!(factored(a.view())?.1.to_host()?, [0, 1, 1]);
        Ok(())
    }
}
