//! Linear algebra on a GPU, by cuSOLVER.
//!
//! cuSOLVER's matrices are in the order of columns. An array in C order is the transpose of such a matrix, so what cuSOLVER calls upper is
//! lower here, and a result that is needed as it is in memory is not transposed.

use super::{LinearFloat, Outcome, Pivots};
use crate::backend::Access;
use crate::backend::cuda::libraries::cusolver::{self, Work};
use crate::error::MatrixProblem;
use crate::memory::{DeviceArray, DeviceView};
use crate::scalar::Num;
use crate::source::Element;
use crate::ufunc::{Elementwise, Expression, Lazy, iota, lazy};
use crate::{Result, vectorize};

/// Does work that uses these arrays, all of which it may write. Returns cuSOLVER's `info`, which is 0 if the result was found. To read it is
/// to wait.
fn run<T: LinearFloat>(work: Work, arrays: &mut [&mut DeviceArray<T>], pivots: Option<&mut DeviceArray<i64>>) -> Result<DeviceArray<i32>> {
    let device = arrays[0].device().clone();
    let mut info = device.zeros::<i32>(1)?;
    let mut workspaces: Vec<DeviceArray<u8>> = Vec::new();
    let mut allocate = |bytes: usize| {
        let mut workspace = DeviceArray::<u8>::unspecified(&device, bytes.max(1).into())?;
        let address = workspace.view_mut().pointer().addr();
        workspaces.push(workspace);
        Ok(address)
    };
    let mut uses: Vec<_> = arrays.iter_mut().map(|array| array.view_mut().memory_use(Access::Write)).collect();
    uses.extend(pivots.map(|pivots| pivots.view_mut().memory_use(Access::Write)));
    let of_info = info.view_mut();
    uses.push(of_info.memory_use(Access::Write));
    let address = of_info.pointer().addr();
    let on_gpu = |queue: &'static crate::backend::cuda::Queue| {
        // SAFETY: the work is on these arrays, which are as large as it says. Memory to work in is freed in the order of the queue.
        queue.ordered(&uses, || unsafe { cusolver::submit(queue, work, size_of::<T>() == 8, address, &mut allocate) })
    };
    device.queue().dispatch(|| unreachable!("the arrays are on a GPU"), on_gpu)?;
    Ok(info)
}

/// Waits for the work with that `info`, and returns the number of what failed, from 1.
fn failed(info: &DeviceArray<i32>) -> Result<Option<usize>> {
    Ok(usize::try_from(info.to_host()?[0]).ok().filter(|number| *number > 0))
}

fn address<T: Element>(array: &mut DeviceArray<T>) -> usize {
    array.view_mut().pointer().addr()
}

/// The elements in the order of rows: cuSOLVER's transpose of the matrix.
fn transposed<T: Element>(view: DeviceView<'_, T>) -> Result<DeviceArray<T>> {
    lazy(view).collect()
}

/// The elements in the order of columns: cuSOLVER's matrix.
fn by_columns<T: Element>(view: DeviceView<'_, T>) -> Result<DeviceArray<T>> {
    lazy(view.t()).collect()
}

/// The factors of the transpose, the pivots, and cuSOLVER's `info`.
#[allow(clippy::type_complexity, reason = "three arrays")]
fn lu<T: LinearFloat>(a: DeviceView<'_, T>) -> Result<(DeviceArray<T>, DeviceArray<i64>, DeviceArray<i32>)> {
    let n = a.shape().extents()[0];
    let (mut factors, mut pivots) = (transposed(a)?, a.device().zeros::<i64>(n)?);
    let work = Work::Lu { n, a: address(&mut factors), pivots: address(&mut pivots) };
    let info = run(work, &mut [&mut factors], Some(&mut pivots))?;
    Ok((factors, a_row_each::map(&pivots, n as i64).collect()?, info))
}

/// A pivot, as the number of a row from 1. Of a matrix that is singular or has NaN, cuSOLVER's may be any number, and it exchanges the rows that
/// they name without a check.
#[vectorize]
fn a_row_each(pivot: i64, rows: i64) -> i64 {
    pivot.max(1).min(rows)
}

pub(super) fn solve<T: LinearFloat>(a: DeviceView<'_, T>, b: DeviceView<'_, T>) -> Outcome<DeviceArray<T>> {
    let [n, columns] = b.shape().extents().try_into().expect("there are two axes");
    let (mut factors, mut pivots, info) = lu(a)?;
    let mut x = by_columns(b)?;
    let work = Work::SolveByLu {
        n,
        columns,
        a: address(&mut factors),
        pivots: address(&mut pivots),
        b: address(&mut x),
        // The factors are those of the transpose.
        transposed: true,
    };
    run(work, &mut [&mut factors, &mut x], Some(&mut pivots))?;
    // The host has waited for nothing until here.
    if let Some(number) = failed(&info)? {
        return Ok(Err(MatrixProblem::Singular { pivot: number - 1 }));
    }
    if columns == 1 { x.reshape([n, 1]).map(Ok) } else { by_columns(x.view()).map(Ok) }
}

pub(super) fn pivots<T: LinearFloat>(a: DeviceView<'_, T>) -> Result<Pivots> {
    let n = a.shape().extents()[0];
    let (factors, pivots, _) = lu(a)?;
    let diagonal = factors.view().reshape([n * n])?.slice_axis_step(0, .., n as isize + 1).to_host()?;
    let swaps = pivots.to_host()?.iter().enumerate().filter(|(row, pivot)| **pivot != *row as i64 + 1).count();
    Ok(Pivots { values: diagonal.into_iter().map(Num::cast).collect(), is_odd: swaps % 2 == 1 })
}

/// Which row of the matrix each row of the product of the factors is, and both factors in one matrix.
pub(super) fn lu_factors<T: LinearFloat>(a: DeviceView<'_, T>) -> Result<(Vec<usize>, DeviceArray<T>)> {
    // The transpose by rows is the matrix by columns, cuSOLVER's order.
    let (factors, pivots, _) = lu(a.t())?;
    let mut order: Vec<usize> = (0..a.shape().extents()[0]).collect();
    for (row, pivot) in pivots.to_host()?.into_iter().enumerate() {
        order.swap(row, pivot as usize - 1);
    }
    Ok((order, by_columns(factors.view())?))
}

pub(super) fn cholesky<T: LinearFloat>(a: DeviceView<'_, T>) -> Outcome<DeviceArray<T>> {
    let n = a.shape().extents()[0];
    let mut factor = transposed(a)?;
    let work = Work::Cholesky { n, a: address(&mut factor) };
    if failed(&run(work, &mut [&mut factor], None)?)?.is_some() {
        return Ok(Err(MatrixProblem::NotPositiveDefinite));
    }
    let is_lower = column(n, n).le(row(n, n));
    is_lower.select(&factor, <T as Num>::ZERO).collect().map(Ok)
}

/// The number of the row of each element.
fn row(rows: usize, columns: usize) -> Lazy<impl Expression<Item = usize>> {
    iota([rows, columns]) / columns
}

/// The number of the column of each element.
fn column(rows: usize, columns: usize) -> Lazy<impl Expression<Item = usize>> {
    iota([rows, columns]) % columns
}

pub(super) fn qr<T: LinearFloat>(a: DeviceView<'_, T>) -> Result<(DeviceArray<T>, DeviceArray<T>)> {
    let [m, n] = a.shape().extents().try_into().expect("there are two axes");
    let k = m.min(n);
    let (mut factors, mut tau) = (by_columns(a)?, a.device().zeros::<T>(k)?);
    let work = Work::Qr { m, n, a: address(&mut factors), tau: address(&mut tau) };
    run(work, &mut [&mut factors, &mut tau], None)?;
    let upper = factors.view().t().slice_axis(0, ..k);
    let r = row(k, n).le(column(k, n)).select(upper, <T as Num>::ZERO).collect()?;
    let work = Work::Q { m, k, a: address(&mut factors), tau: address(&mut tau) };
    run(work, &mut [&mut factors, &mut tau], None)?;
    let q = lazy(factors.view().slice_axis(0, ..k).t()).collect()?;
    Ok((q, r))
}

#[allow(clippy::type_complexity, reason = "three arrays")]
pub(super) fn svd<T: LinearFloat>(a: DeviceView<'_, T>) -> Outcome<(DeviceArray<T>, DeviceArray<T>, DeviceArray<T>)> {
    let [m, n] = a.shape().extents().try_into().expect("there are two axes");
    let (long, short) = (m.max(n), m.min(n));
    // cuSOLVER's matrix has at least as many rows as columns: the matrix itself, or its transpose, whose U is our V.
    let mut matrix = if m > n { by_columns(a)? } else { transposed(a)? };
    let device = a.device().clone();
    let (mut u, mut s, mut vt) = (device.zeros::<T>([short, long])?, device.zeros::<T>(short)?, device.zeros::<T>([short, short])?);
    let work = Work::Singular { m: long, n: short, a: address(&mut matrix), u: address(&mut u), s: address(&mut s), vt: address(&mut vt) };
    if failed(&run(work, &mut [&mut matrix, &mut u, &mut s, &mut vt], None)?)?.is_some() {
        return Ok(Err(MatrixProblem::NotConverged));
    }
    // In the order of columns: of the transpose, U is our Vᵀ and Vᵀ is our U as they are in memory.
    Ok(Ok(if m > n { (by_columns(u.view())?, s, by_columns(vt.view())?) } else { (vt, s, u) }))
}

pub(super) fn eigh<T: LinearFloat>(a: DeviceView<'_, T>) -> Outcome<(DeviceArray<T>, DeviceArray<T>)> {
    let n = a.shape().extents()[0];
    let (mut vectors, mut values) = (transposed(a)?, a.device().zeros::<T>(n)?);
    let work = Work::Eigen { n, a: address(&mut vectors), values: address(&mut values) };
    if failed(&run(work, &mut [&mut vectors, &mut values], None)?)?.is_some() {
        return Ok(Err(MatrixProblem::NotConverged));
    }
    Ok(Ok((values, by_columns(vectors.view())?)))
}
