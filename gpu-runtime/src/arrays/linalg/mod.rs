//! Linear algebra of matrices: systems of equations and decompositions, by cuSOLVER on a GPU and by the crate nalgebra on the CPU, and
//! [`batch`] for many small matrices at once.

pub(super) mod batch;
mod cpu;
mod gpu;

use std::panic::Location;

use crate::arrays::matmul::check_devices;
use crate::arrays::{Matrices as _, MatrixElement, Products, Selections as _, collected};
use crate::error::MatrixProblem;
use crate::functions;
use crate::memory::{DeviceArray, DeviceView, Shape};
use crate::scalar::{Float, Num};
use crate::ufunc::{ArrayLike, Number, Reductions as _, give_to_arrays};
use crate::{Error, Result, vectorize};

/// A float of linear algebra: `f32` and `f64`.
#[diagnostic::on_unimplemented(message = "linear algebra is for `f32` and `f64`, not `{Self}`", label = "use `cast` for another type")]
pub trait LinearFloat: Float + Number + MatrixElement {}

impl LinearFloat for f32 {}
impl LinearFloat for f64 {}

/// What a decomposition returns, or why the matrix has none.
type Outcome<T> = Result<std::result::Result<T, MatrixProblem>>;

/// Systems of equations and decompositions of a matrix: `np.linalg`.
///
/// With the feature `linalg`. They call cuSOLVER on a GPU. On the CPU, the crate nalgebra computes in `f64`. They wait for the result,
/// which shows whether the matrix is suitable. The signs of vectors in [`qr`](Self::qr), [`svd`](Self::svd) and [`eigh`](Self::eigh) are
/// not specified.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let a = Device::cpu().to_device(&[3.0f64, 1.0, 1.0, 2.0])?.reshape([2, 2])?;
/// let b = Device::cpu().to_device(&[9.0, 8.0])?;
/// let x = a.solve(&b)?.to_host()?; // NumPy: np.linalg.solve(a, b)
/// assert!((x[0] - 2.0).abs() < 1e-12 && (x[1] - 3.0).abs() < 1e-12);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::UnsuitableMatrix`] if the array is not a matrix, or one without a result; [`Error::LibraryNotFound`] on a GPU without cuSOLVER;
/// and as for [`collect`](crate::Lazy::collect).
pub trait LinearAlgebra: ArrayLike {
    /// The solution `x` of `self · x = b`, where `b` is a vector, or a matrix whose columns are several: `np.linalg.solve(a, b)`.
    ///
    /// With three axes, `self` is as many matrices as the first axis says, and so is `b`, or it is one vector or matrix for all.
    ///
    /// # Errors
    ///
    /// [`MatrixProblem::Singular`]; [`Error::ShapeMismatch`] if `b` has another number of rows or of matrices;
    /// [`Error::ArraysOnDifferentDevices`]; and as listed above.
    #[track_caller]
    fn solve<B: ArrayLike<Item = Self::Item>>(self, b: B) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: LinearFloat,
    {
        let (a, b) = (self.lazy(), b.lazy());
        let (a, b) = (a.stored_with(&b)?, b.stored_with(&a)?);
        let (a, b) = (Matrix::squares(a.view(), "solve")?, b.view());
        check_devices("solve", &a.view, &b)?;
        let shape = b.shape();
        if a.is_batch() {
            return solve_each(&a, b);
        }
        let columns = a.columns_for(b)?;
        let solution = match columns.is_empty() {
            true => b.device().zeros(columns.shape())?,
            false => a.computed(|a| dispatch!(a, solve(a, columns)))?,
        };
        solution.reshape(shape)
    }

    /// The inverse: `np.linalg.inv(a)`. To solve equations, [`solve`](Self::solve) is faster and more exact. With three axes, the inverse of
    /// each matrix.
    ///
    /// # Errors
    ///
    /// [`MatrixProblem::Singular`], and as listed above.
    #[track_caller]
    fn inv(self) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: LinearFloat,
    {
        let a = self.lazy();
        let a = a.stored()?;
        let a = Matrix::squares(a.view(), "inv")?;
        if a.is_batch() {
            return solve_each(&a, a.view.device().eye::<Self::Item>(a.rows)?.view());
        }
        let identity = a.view.device().eye::<Self::Item>(a.rows)?;
        if identity.is_empty() {
            return Ok(identity);
        }
        a.computed(|a| dispatch!(a, solve(a, identity.view())))
    }

    /// The determinant: `np.linalg.det(a)`. Of as many matrices, see [`det_each`](Self::det_each).
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    fn det(self) -> Result<Self::Item>
    where
        Self::Item: LinearFloat,
    {
        let a = self.lazy();
        let a = a.stored()?;
        Ok(Pivots::of(Matrix::square(a.view(), "det")?)?.product())
    }

    /// The sign of the determinant, -1, 0 or 1, and the logarithm of its absolute value, which may be too large for a float:
    /// `np.linalg.slogdet(a)`.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    fn slogdet(self) -> Result<(Self::Item, Self::Item)>
    where
        Self::Item: LinearFloat,
    {
        let a = self.lazy();
        let a = a.stored()?;
        let pivots = Pivots::of(Matrix::square(a.view(), "slogdet")?)?;
        let sign = |pivot: f64| if pivot == 0.0 { 0.0 } else { pivot.signum() };
        let (signs, logarithms) = (pivots.values.iter().map(|&pivot| sign(pivot)), pivots.values.iter().map(|pivot| pivot.abs().ln()));
        Ok((signs.fold(pivots.sign(), |product, sign| product * sign).cast(), logarithms.sum::<f64>().cast()))
    }

    /// The determinants of as many matrices as the first of three axes says: `np.linalg.det(a)`.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    fn det_each(self) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: LinearFloat,
    {
        let a = self.lazy();
        let a = a.stored()?;
        let a = Matrix::squares(a.view(), "det_each")?;
        match (a.is_batch(), a.view.is_empty()) {
            (false, _) => a.computed(|_| Ok(Err(MatrixProblem::NotABatch))),
            (true, true) => a.view.device().full(a.view.shape()[0], <Self::Item as crate::scalar::Num>::ONE),
            (true, false) => batch::det(a.view),
        }
    }

    /// The lower triangle L of `self = L · Lᵀ`, of which the lower triangle is read: `np.linalg.cholesky(a)`. With three axes, that of each
    /// matrix.
    ///
    /// # Errors
    ///
    /// [`MatrixProblem::NotPositiveDefinite`], and as listed above.
    #[track_caller]
    fn cholesky(self) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: LinearFloat,
    {
        let a = self.lazy();
        let a = a.stored()?;
        let a = Matrix::squares(a.view(), "cholesky")?;
        if a.view.is_empty() {
            return a.view.device().zeros(a.view.shape());
        }
        if a.is_batch() {
            return a.computed(batch::cholesky);
        }
        a.computed(|a| dispatch!(a, cholesky(a)))
    }

    /// Q and R of `self = Q · R`, where the columns of Q are orthonormal and R is an upper triangle: `np.linalg.qr(a)`. A matrix of m × n
    /// has a Q of m × k and an R of k × n, where k is the smaller extent.
    ///
    /// # Errors
    ///
    /// [`MatrixProblem::TooLarge`] on a GPU if it has more rows than an `i32` counts, and as listed above.
    #[track_caller]
    #[allow(clippy::type_complexity, reason = "two arrays")]
    fn qr(self) -> Result<(DeviceArray<Self::Item>, DeviceArray<Self::Item>)>
    where
        Self::Item: LinearFloat,
    {
        let a = self.lazy();
        let a = a.stored()?;
        let a = Matrix::of(a.view(), "qr")?;
        if a.view.is_empty() {
            return Ok((a.view.device().zeros([a.rows, 0])?, a.view.device().zeros([0, a.columns])?));
        }
        a.computed(|a| match i32::try_from(a.shape()[0]) {
            Err(_) if a.device().is_gpu() => Ok(Err(MatrixProblem::TooLarge { of: "cuSOLVER", by: "i32" })),
            _ => Ok(Ok(dispatch!(a, qr(a))?)),
        })
    }

    /// U, the singular values in descending order, and Vᵀ, of `self = U · diag(s) · Vᵀ`: `np.linalg.svd(a, full_matrices=False)`.
    ///
    /// # Errors
    ///
    /// [`MatrixProblem::NotConverged`], and as listed above.
    #[track_caller]
    #[allow(clippy::type_complexity, reason = "three arrays")]
    fn svd(self) -> Result<(DeviceArray<Self::Item>, DeviceArray<Self::Item>, DeviceArray<Self::Item>)>
    where
        Self::Item: LinearFloat,
    {
        let a = self.lazy();
        let a = a.stored()?;
        let a = Matrix::of(a.view(), "svd")?;
        let device = a.view.device();
        if a.view.is_empty() {
            return Ok((device.zeros([a.rows, 0])?, device.zeros(0)?, device.zeros([0, a.columns])?));
        }
        a.computed(|a| dispatch!(a, svd(a)))
    }

    /// The `x` for which the distance of `self · x` from `b` is least, where `b` is a vector, or a matrix whose columns are several:
    /// `np.linalg.lstsq(a, b)[0]`. Of several, such as for fewer rows than columns, the shortest one. It is found by [`svd`](Self::svd), where
    /// singular values that are 0 but for rounding count as 0.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::cpu();
    /// // A straight line through points.
    /// let (x, y) = (device.to_device(&[0.0, 1.0, 2.0, 3.0])?, device.to_device(&[-1.0, 0.2, 0.9, 2.1])?);
    /// let line = stack([&x, &device.ones::<f64>(4)?], 1)?.lstsq(&y)?.to_host()?;
    /// assert!((line[0] - 1.0).abs() < 1e-12 && (line[1] + 0.95).abs() < 1e-12);
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if `b` has another number of rows; [`MatrixProblem::NotConverged`]; [`Error::ArraysOnDifferentDevices`]; and as
    /// listed above.
    #[track_caller]
    fn lstsq<B: ArrayLike<Item = Self::Item>>(self, b: B) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: LinearFloat,
    {
        let (a, b) = (self.lazy(), b.lazy());
        let (a, b) = (a.stored_with(&b)?, b.stored_with(&a)?);
        let (a, b) = (Matrix::of(a.view(), "lstsq")?, b.view());
        check_devices("lstsq", &a.view, &b)?;
        let columns = a.columns_for(b)?;
        let solution = least_squares(&a, columns)?;
        if b.rank() == 1 { solution.reshape(a.columns) } else { Ok(solution) }
    }

    /// The pseudoinverse, of n × m for a matrix of m × n: `np.linalg.pinv(a)`. For equations, [`lstsq`](Self::lstsq) needs fewer steps.
    ///
    /// # Errors
    ///
    /// [`MatrixProblem::NotConverged`], and as listed above.
    #[track_caller]
    fn pinv(self) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: LinearFloat,
    {
        let a = self.lazy();
        let a = a.stored()?;
        let a = Matrix::of(a.view(), "pinv")?;
        let identity = a.view.device().eye::<Self::Item>(a.rows)?;
        least_squares(&a, identity.view())
    }

    /// P, L and U of `self = P · L · U` for a square matrix, where P exchanges rows, L is a lower triangle with 1 on its diagonal, and U an upper
    /// triangle: `scipy.linalg.lu(a)`.
    ///
    /// # Errors
    ///
    /// As listed above.
    #[track_caller]
    #[allow(clippy::type_complexity, reason = "three arrays")]
    fn lu(self) -> Result<(DeviceArray<Self::Item>, DeviceArray<Self::Item>, DeviceArray<Self::Item>)>
    where
        Self::Item: LinearFloat,
    {
        let a = self.lazy();
        let a = a.stored()?;
        let a = Matrix::square(a.view(), "lu")?;
        let identity = a.view.device().eye::<Self::Item>(a.rows)?;
        if a.rows == 0 {
            return Ok((a.view.device().zeros([0, 0])?, a.view.device().zeros([0, 0])?, identity));
        }
        let (order, factors) = a.computed(|a| Ok(Ok(dispatch!(a, lu_factors(a))?)))?;
        // Row `i` of the product of the triangles is row `order[i]` of the matrix.
        let order = a.view.device().to_device(&order)?;
        let permutation = identity.take_axis(&order, 0)?;
        let lower = collected(functions::add::map(factors.tril(-1)?, &identity))?;
        Ok((collected(permutation.view().t().lazy())?, lower, factors.triu(0)?))
    }

    /// The sum of all powers of a square matrix, each divided by its factorial: `scipy.linalg.expm(a)`. By Padé's approximation of order 13 and
    /// repeated squaring (Higham, "The scaling and squaring method for the matrix exponential revisited", 2005).
    ///
    /// # Errors
    ///
    /// [`MatrixProblem::NotConverged`] for NaN and infinity, and as listed above.
    #[track_caller]
    fn expm(self) -> Result<DeviceArray<Self::Item>>
    where
        Self::Item: LinearFloat,
    {
        let a = self.lazy();
        let a = a.stored()?;
        let a = Matrix::square(a.view(), "expm")?;
        let identity = a.view.device().eye::<Self::Item>(a.rows)?;
        if a.rows == 0 {
            return Ok(identity);
        }
        let norm: f64 = functions::abs::map(a.view).sum_axis(0)?.max()?.cast();
        if !norm.is_finite() {
            return a.computed(|_| Ok(Err(MatrixProblem::NotConverged)));
        }
        let squarings = (norm / LARGEST_NORM).log2().ceil().max(0.0) as i32;
        let number = |x: f64| <Self::Item as Float>::from_f64(x);
        let x = collected(functions::mul::map(a.view, number(0.5f64.powi(squarings))))?;
        let square = x.matmul(&x)?;
        let fourth = square.matmul(&square)?;
        let sixth = square.matmul(&fourth)?;
        // The part of the polynomial with these coefficients, of the powers 6, 4, 2 and 0.
        let part = |b: [f64; 4]| {
            let [b6, b4, b2, b0] = b.map(number);
            collected(weighted::map(&sixth, &fourth, &square, &identity, b6, b4, b2, b0))
        };
        let [_, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13] = PADE;
        let odd = collected(functions::add::map(sixth.matmul(&part([b13, b11, b9, 0.0])?)?, part([b7, b5, b3, b1])?))?;
        let odd = x.matmul(&odd)?;
        let even = collected(functions::add::map(sixth.matmul(&part([b12, b10, b8, 0.0])?)?, part([b6, b4, b2, PADE[0]])?))?;
        let (above, below) = (functions::add::map(&even, &odd), functions::sub::map(&even, &odd));
        let mut exponential = below.solve(above)?;
        for _ in 0..squarings {
            exponential = exponential.matmul(&exponential)?;
        }
        Ok(exponential)
    }

    /// The eigenvalues of a square matrix in no specified order, and its eigenvectors as columns of length 1: `np.linalg.eig(a)`. With the
    /// feature `complex`. It is computed on the host in `f64`, also for a GPU. For a symmetric matrix, [`eigh`](Self::eigh) is faster and more
    /// exact.
    ///
    /// # Errors
    ///
    /// [`MatrixProblem::NotConverged`], and as listed above.
    #[cfg(feature = "complex")]
    #[track_caller]
    #[allow(clippy::type_complexity, reason = "two arrays")]
    fn eig(self) -> Result<(DeviceArray<num_complex::Complex<f64>>, DeviceArray<num_complex::Complex<f64>>)>
    where
        Self::Item: LinearFloat,
    {
        let a = self.lazy();
        let a = a.stored()?;
        let a = Matrix::square(a.view(), "eig")?;
        if a.rows == 0 {
            return Ok((a.view.device().zeros(0)?, a.view.device().zeros([0, 0])?));
        }
        a.computed(cpu::eig)
    }

    /// The eigenvalues of a symmetric matrix in ascending order, and its eigenvectors as columns: `np.linalg.eigh(a)`. The lower triangle
    /// is read.
    ///
    /// # Errors
    ///
    /// [`MatrixProblem::NotConverged`], and as listed above.
    #[track_caller]
    #[allow(clippy::type_complexity, reason = "two arrays")]
    fn eigh(self) -> Result<(DeviceArray<Self::Item>, DeviceArray<Self::Item>)>
    where
        Self::Item: LinearFloat,
    {
        let a = self.lazy();
        let a = a.stored()?;
        let a = Matrix::square(a.view(), "eigh")?;
        if a.rows == 0 {
            return Ok((a.view.device().zeros(0)?, a.view.device().zeros([0, 0])?));
        }
        a.computed(|a| dispatch!(a, eigh(a)))
    }
}

give_to_arrays! { LinearAlgebra }

/// The function of this name for the device of the matrix.
macro_rules! dispatch {
    ($a:ident, $function:ident($($arg:expr),*)) => {
        if $a.device().is_gpu() { gpu::$function($($arg),*) } else { cpu::$function($($arg),*) }
    };
}
use dispatch;

/// What elimination leaves on the diagonal, and whether it has swapped an odd number of rows: their product is the determinant.
struct Pivots {
    values: Vec<f64>,
    is_odd: bool,
}

impl Pivots {
    #[track_caller]
    fn of<T: LinearFloat>(a: Matrix<'_, T>) -> Result<Self> {
        if a.rows == 0 {
            return Ok(Self { values: Vec::new(), is_odd: false });
        }
        a.computed(|a| Ok(Ok(dispatch!(a, pivots(a))?)))
    }

    fn product<T: LinearFloat>(&self) -> T {
        self.values.iter().fold(self.sign(), |product, pivot| product * pivot).cast()
    }

    fn sign(&self) -> f64 {
        if self.is_odd { -1.0 } else { 1.0 }
    }
}

/// Up to which norm Padé's approximation of order 13 is exact to the precision of `f64`.
const LARGEST_NORM: f64 = 5.371_920_351_148_152;

/// The coefficients of Padé's approximation of order 13, divided by the first.
const PADE: [f64; 14] = [
    1.0,
    0.5,
    0.12,
    0.018_333_333_333_333_333,
    1.992_753_623_188_406e-3,
    1.630_434_782_608_695_6e-4,
    1.035_196_687_370_600_4e-5,
    5.175_983_436_853_002e-7,
    2.043_151_356_652_500_8e-8,
    6.306_022_705_717_595e-10,
    1.483_770_048_404_14e-11,
    2.529_153_491_597_966e-13,
    2.810_170_546_219_962e-15,
    1.544_049_750_670_308_8e-17,
];

/// A sum of powers of a matrix.
#[vectorize]
#[allow(clippy::too_many_arguments, reason = "four powers and their factors")]
fn weighted<T: Float>(sixth: T, fourth: T, square: T, one: T, b6: T, b4: T, b2: T, b0: T) -> T {
    b6 * sixth + b4 * fourth + b2 * square + b0 * one
}

/// What divides by a singular value, or 0 if it is 0 but for rounding.
#[vectorize]
fn reciprocal_unless_small<T: Float>(value: T, largest: T, tolerance: T) -> T {
    if value > largest * tolerance { T::ONE / value } else { T::ZERO }
}

#[track_caller]
fn least_squares<T: LinearFloat>(a: &Matrix<'_, T>, b: DeviceView<'_, T>) -> Result<DeviceArray<T>> {
    let device = a.view.device();
    if a.view.is_empty() || b.is_empty() {
        return device.zeros([a.columns, b.shape()[1]]);
    }
    let (u, s, vt) = a.computed(|a| dispatch!(a, svd(a)))?;
    let tolerance = T::EPSILON * T::from_f64(a.rows.max(a.columns) as f64);
    let factors = reciprocal_unless_small::map(s.view().insert_axis(1), s.slice(..1), tolerance);
    let along_axes = u.view().t().matmul(b)?;
    vt.view().t().matmul(functions::mul::map(factors, &along_axes))
}

/// The solutions of as many systems of equations.
#[track_caller]
fn solve_each<T: LinearFloat>(a: &Matrix<'_, T>, b: DeviceView<'_, T>) -> Result<DeviceArray<T>> {
    let location = Location::caller();
    let mismatch = || {
        let help = "the second must be a vector or a matrix with as many rows as the first, or as many of them";
        let (from, to) = (Box::new(a.view.shape()), Box::new(b.shape()));
        Error::ShapeMismatch { operation: "solve", from, to, help: help.to_owned(), location }
    };
    let columns = match b.rank() {
        1 => b.insert_axis(1).insert_axis(0),
        2 => b.insert_axis(0),
        3 => b,
        _ => return Err(mismatch()),
    };
    let [of_b, rows, width] = columns.shape().extents().try_into().expect("there are three axes");
    let of_a = a.view.shape()[0];
    let batch = if of_a == 1 { of_b } else { of_a };
    let matrices = a.view.broadcast_to([batch, a.rows, a.rows]).map_err(|_| mismatch())?;
    let columns = columns.broadcast_to([batch, a.rows, width]).map_err(|_| mismatch())?;
    if rows != a.rows {
        return Err(mismatch());
    }
    let solutions = match columns.is_empty() {
        true => b.device().zeros(columns.shape())?,
        false => a.computed(|_| batch::solve(matrices, columns))?,
    };
    if b.rank() == 1 { solutions.reshape([batch, rows]) } else { Ok(solutions) }
}

/// A view with two axes, or with three: as many matrices.
struct Matrix<'a, T> {
    view: DeviceView<'a, T>,
    rows: usize,
    columns: usize,
    function: &'static str,
    location: &'static Location<'static>,
}

impl<'a, T: LinearFloat> Matrix<'a, T> {
    #[track_caller]
    fn of(view: DeviceView<'a, T>, function: &'static str) -> Result<Self> {
        let location = Location::caller();
        match view.shape().extents() {
            &[rows, columns] => Ok(Self { view, rows, columns, function, location }),
            _ => Err(unsuitable(function, view.shape(), MatrixProblem::NotAMatrix, location)),
        }
    }

    #[track_caller]
    fn square(view: DeviceView<'a, T>, function: &'static str) -> Result<Self> {
        Self::of(view, function)?.checked_square()
    }

    /// A square matrix, or as many.
    #[track_caller]
    fn squares(view: DeviceView<'a, T>, function: &'static str) -> Result<Self> {
        match view.shape().extents() {
            &[_, rows, columns] => Self { view, rows, columns, function, location: Location::caller() }.checked_square(),
            _ => Self::square(view, function),
        }
    }

    /// The right side of equations as a matrix, with one column for a vector.
    #[track_caller]
    fn columns_for<'b>(&self, b: DeviceView<'b, T>) -> Result<DeviceView<'b, T>> {
        match *b.shape().extents() {
            [rows] if rows == self.rows => Ok(b.insert_axis(1)),
            [rows, _] if rows == self.rows => Ok(b),
            _ => {
                let help = "the second must be a vector or a matrix with as many rows as the first";
                Err(Error::shape_mismatch(self.function, self.view.shape(), b.shape(), help))
            }
        }
    }

    fn checked_square(self) -> Result<Self> {
        match self.rows == self.columns {
            true => Ok(self),
            false => Err(unsuitable(self.function, self.view.shape(), MatrixProblem::NotSquare, self.location)),
        }
    }

    fn is_batch(&self) -> bool {
        self.view.rank() == 3
    }

    /// What `compute` returns.
    #[track_caller]
    fn computed<R>(&self, compute: impl FnOnce(DeviceView<'a, T>) -> Outcome<R>) -> Result<R> {
        compute(self.view)?.map_err(|problem| unsuitable(self.function, self.view.shape(), problem, self.location))
    }
}

fn unsuitable(function: &'static str, shape: Shape, problem: MatrixProblem, location: &'static Location<'static>) -> Error {
    Error::UnsuitableMatrix { function, shape: Box::new(shape), problem, location }
}
