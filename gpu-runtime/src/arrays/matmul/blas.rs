//! Products of matrices by BLAS: cuBLAS on a GPU, the crate gemm on the CPU.

use super::extents;
use crate::Result;
use crate::backend::cpu;
use crate::backend::cuda::libraries::cublas::{self, Matrices, Product, Scalars};
use crate::backend::{Access, Queue};
use crate::failure::Work;
use crate::memory::{DeviceArray, DeviceView};
use crate::source::Element;
use crate::ufunc::lazy;

/// An element that BLAS knows.
pub(super) trait Blas: Element {
    const SCALARS: Scalars;
    /// Zero and one, if the crate gemm multiplies such elements.
    const UNITS: Option<[Self; 2]>;
}

/// The products of as many matrices, unless no BLAS is there for them.
#[track_caller]
pub(super) fn multiply<T: Blas>(a: DeviceView<'_, T>, b: DeviceView<'_, T>) -> Result<Option<DeviceArray<T>>> {
    multiply_as(a, b, T::SCALARS)
}

#[track_caller]
pub(super) fn multiply_tf32(a: DeviceView<'_, f32>, b: DeviceView<'_, f32>) -> Result<Option<DeviceArray<f32>>> {
    multiply_as(a, b, Scalars::Tf32)
}

#[track_caller]
fn multiply_as<T: Blas>(a: DeviceView<'_, T>, b: DeviceView<'_, T>, scalars: Scalars) -> Result<Option<DeviceArray<T>>> {
    if !is_known::<T>(&a, &b) {
        return Ok(None);
    }
    let ([batch, rows, _], [.., columns]) = (extents(&a), extents(&b));
    let mut c = DeviceArray::unspecified(a.device(), [batch, rows, columns].into())?;
    store(scalars, a, b, &mut c, false)?;
    Ok(Some(c))
}

/// Adds the products to `c`, unless no BLAS is there for them.
#[track_caller]
pub(super) fn add_product<T: Blas>(a: DeviceView<'_, T>, b: DeviceView<'_, T>, c: &mut DeviceArray<T>) -> Result<bool> {
    let is_known = is_known::<T>(&a, &b);
    if is_known {
        store(T::SCALARS, a, b, c, true)?;
    }
    Ok(is_known)
}

/// Whether there is a BLAS for such products, and something to multiply.
fn is_known<T: Blas>(a: &DeviceView<'_, T>, b: &DeviceView<'_, T>) -> bool {
    let is_installed = if a.device().is_gpu() { cublas::is_installed() } else { T::UNITS.is_some() };
    is_installed && !a.is_empty() && !b.is_empty()
}

#[track_caller]
fn store<T: Blas>(scalars: Scalars, a: DeviceView<'_, T>, b: DeviceView<'_, T>, c: &mut DeviceArray<T>, adds: bool) -> Result<()> {
    match T::UNITS {
        Some(units) if !a.device().is_gpu() => multiply_on_cpu(units, a, b, c, adds),
        _ => multiply_on_gpu(scalars, a, b, c, adds),
    }
}

#[track_caller]
fn multiply_on_gpu<T: Blas>(
    scalars: Scalars,
    a: DeviceView<'_, T>,
    b: DeviceView<'_, T>,
    c: &mut DeviceArray<T>,
    adds: bool,
) -> Result<()> {
    let copy;
    let (a, of_a) = match matrices(&a) {
        Some(of_a) => (a, of_a),
        None => {
            copy = lazy(a).collect()?;
            (copy.view(), matrices(&copy.view()).expect("an array is by rows"))
        }
    };
    let copy;
    let (b, of_b) = match matrices(&b) {
        Some(of_b) => (b, of_b),
        None => {
            copy = lazy(b).collect()?;
            (copy.view(), matrices(&copy.view()).expect("an array is by rows"))
        }
    };
    let ([batch, rows, inner], [.., columns]) = (extents(&a), extents(&b));
    let device = a.device();
    // A graph is launched at any time, and so has memory of its own for cuBLAS.
    let bytes = if Queue::is_recorded() { cublas::WORKSPACE } else { 0 };
    let mut workspace = DeviceArray::<u8>::unspecified(device, bytes.into())?;
    let workspace = workspace.slice_mut(..);
    let address = (bytes > 0).then(|| workspace.pointer().addr());
    let c = c.view_mut();
    let of_c = Matrices { address: c.pointer().addr(), by_columns: false, leading: columns as i64, stride: (rows * columns) as i64 };
    let [batch, rows, inner, columns] = [batch, rows, inner, columns].map(|extent| extent as i64);
    let product = Product { scalars, batch, rows, inner, columns, a: of_a, b: of_b, c: of_c, adds }.merged();
    let uses = [a.memory_use(Access::Read), b.memory_use(Access::Read), c.memory_use(Access::Write), workspace.memory_use(Access::Write)];
    let submit = |queue: &'static crate::backend::cuda::Queue| {
        // SAFETY: the views say where the matrices are, and `c` is borrowed alone, with their products' shape; the workspace is new memory.
        queue.ordered(&uses, || unsafe { cublas::multiply(queue, &product, address) })
    };
    device.queue().dispatch(|| unreachable!("the matrices are on a GPU"), submit)
}

/// The matrices of a view as cuBLAS takes them, if it takes them where they are.
fn matrices<T: Element>(view: &DeviceView<'_, T>) -> Option<Matrices> {
    let [batch, rows, columns] = extents(view);
    let strides: [isize; 3] = view.strides().try_into().expect("there are three axes");
    // The strides of axes with one element have no meaning.
    let stride = if batch > 1 { strides[0] } else { 0 };
    let of_rows = if rows > 1 { strides[1] } else { columns as isize };
    let of_columns = if columns > 1 { strides[2] } else { 1 };
    let of = |by_columns, leading: isize| Matrices {
        address: view.pointer().addr(),
        by_columns,
        leading: leading as i64,
        stride: stride as i64,
    };
    if stride < 0 {
        None
    } else if of_columns == 1 && of_rows >= columns as isize {
        Some(of(false, of_rows))
    } else if (rows == 1 || strides[1] == 1) && of_columns >= rows as isize {
        Some(of(true, of_columns))
    } else {
        None
    }
}

impl Product {
    /// The same as one product, where all matrices `a` together are the rows of one, and `b` is the same matrix for all.
    fn merged(self) -> Self {
        let follow = !self.a.by_columns && self.a.stride == self.a.leading * self.rows;
        if self.batch == 1 || self.b.stride != 0 || !follow {
            return self;
        }
        Self { batch: 1, rows: self.batch * self.rows, ..self }
    }
}

/// A product with fewer multiplications than this is not split.
const LEAST_WORK: usize = 1 << 20;

/// Rows and columns of a task at least, and what their numbers are multiples of: those of the loop in registers.
const LEAST_PART: usize = 32;
const STEP: usize = 8;

/// Tasks for each of several threads, at most: a thread that has finished its own takes some of another's.
const TASKS_PER_THREAD: usize = 4;

/// What a task takes to copy an element of an operand, in multiplications.
const COPY: usize = 4;

/// The rows and columns of the tasks that a matrix is cut into, for so many threads. A task copies its rows of one operand and its columns of
/// the other, in the order in which it reads them, so that large squares take least; but while the last task runs, all other threads wait.
fn part_of([rows, columns]: [usize; 2], threads: usize) -> [usize; 2] {
    let most = if threads == 1 { 1 } else { threads * TASKS_PER_THREAD };
    let part = |extent: usize, parts: usize| extent.div_ceil(parts).next_multiple_of(STEP).max(LEAST_PART);
    let cut = |down: usize| [part(rows, down), part(columns, most / down)];
    let cost = |&[of_rows, of_columns]: &[usize; 2]| {
        let tasks = rows.div_ceil(of_rows) * columns.div_ceil(of_columns);
        (tasks + threads - 1) * (of_rows * of_columns + COPY * (of_rows + of_columns))
    };
    (1..=most).map(cut).min_by_key(cost).expect("there is a task")
}

#[track_caller]
fn multiply_on_cpu<T: Blas>(
    [zero, one]: [T; 2],
    a: DeviceView<'_, T>,
    b: DeviceView<'_, T>,
    c: &mut DeviceArray<T>,
    adds: bool,
) -> Result<()> {
    let ([batch, rows, inner], [.., columns]) = (extents(&a), extents(&b));
    let threads = if rows * inner * columns < LEAST_WORK { 1 } else { rayon_core::current_num_threads().div_ceil(batch) };
    let [of_rows, of_columns] = part_of([rows, columns], threads);
    let [down, across] = [rows.div_ceil(of_rows), columns.div_ceil(of_columns)];
    let strides = |view: &DeviceView<'_, T>| -> [isize; 3] { view.strides().try_into().expect("there are three axes") };
    let c = c.view_mut();
    let job = Job { a: (a.pointer(), strides(&a)), b: (b.pointer(), strides(&b)), c: c.pointer() };
    let job = &job;
    let uses = [a.memory_use(Access::Read), b.memory_use(Access::Read), c.memory_use(Access::Write)];
    let run = |_: &cpu::Thread<'_>, range: std::ops::Range<usize>| {
        for task in range {
            let (matrix, row, column) = (task / (down * across), task / across % down * of_rows, task % across * of_columns);
            let ([a0, a1, a2], [b0, b1, b2]) = (job.a.1, job.b.1);
            let a = job.a.0.wrapping_offset(matrix as isize * a0 + row as isize * a1);
            let b = job.b.0.wrapping_offset(matrix as isize * b0 + column as isize * b2);
            let c = job.c.wrapping_add((matrix * rows + row) * columns + column);
            let [m, k, n] = [of_rows.min(rows - row), inner, of_columns.min(columns - column)];
            let (row_len, conjugate, of_c) = (columns as isize, false, if adds { one } else { zero });
            // The crate takes the strides of columns first. A factor of zero is that of what `c` had, which is not read.
            // SAFETY: the operands are in host memory with these strides, and this task alone writes to its part of `c`.
            #[rustfmt::skip]
            unsafe {
                gemm::gemm(
                    m, n, k, c, 1, row_len, adds, a, a2, a1, b, b2, b1,
                    of_c, one, conjugate, conjugate, conjugate, gemm::Parallelism::None,
                );
            };
        }
        Ok(())
    };
    a.device().queue().ordered(&uses, || Ok(cpu::for_each_range("matmul", Work::Fold, batch * down * across, 1, &run)?))
}

/// Matrices in host memory, the operands with their strides.
struct Job<T> {
    a: (*const T, [isize; 3]),
    b: (*const T, [isize; 3]),
    c: *mut T,
}

// SAFETY: operands are only read, and every element of the result is written by one task.
unsafe impl<T: Sync> Sync for Job<T> {}

macro_rules! blas {
    ($($T:ty: $scalars:ident, $units:expr;)*) => {$(
        impl Blas for $T {
            const SCALARS: Scalars = Scalars::$scalars;
            const UNITS: Option<[Self; 2]> = $units;
        }
    )*};
}

blas! {
    f32: F32, Some([0.0, 1.0]);
    f64: F64, Some([0.0, 1.0]);
}

#[cfg(feature = "half")]
blas! {
    half::f16: F16, None;
    half::bf16: Bf16, None;
}

#[cfg(feature = "complex")]
blas! {
    num_complex::Complex<f32>: ComplexF32, Some([num_complex::Complex::new(0.0, 0.0), num_complex::Complex::new(1.0, 0.0)]);
    num_complex::Complex<f64>: ComplexF64, Some([num_complex::Complex::new(0.0, 0.0), num_complex::Complex::new(1.0, 0.0)]);
}

#[cfg(test)]
mod tests {
    use super::part_of;

    #[test]
    fn every_thread_has_parts_that_are_as_square_as_can_be() {
        assert_eq!([part_of([1024, 1024], 16), part_of([256, 256], 16), part_of([1024, 1024], 2)], [[128, 128], [32, 32], [512, 256]]);
        assert_eq!([part_of([4096, 64], 16), part_of([64, 4096], 16), part_of([1000, 1000], 16)], [[64, 64], [64, 64], [144, 112]]);
        // Not narrower than is worth while, and whole for one thread.
        assert_eq!([part_of([40, 40], 16), part_of([1000, 7], 1)], [[32, 32], [1000, 32]]);
    }
}
