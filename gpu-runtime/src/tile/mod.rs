//! Tiles: matrices of a fixed size that a block computes with as a whole.
//!
//! On the CPU, a tile is an array, and a kernel with tiles runs once for each block. In CUDA C, `tile.cu` spreads a tile over the registers
//! of the block's threads, and its products run on the tensor cores. What both compute is the same but for the order of sums.

mod dot;
mod elementwise;
mod operators;
mod reduce;
#[cfg(test)]
mod tests;
pub mod twin;
mod view;

pub use view::TileMut;

use crate::scalar::Num;

/// A matrix of `R` rows and `C` columns that a block of a kernel computes with: loaded from views, multiplied, mapped and stored.
///
/// A kernel that uses tiles has no threads: its body runs once for each block, with values that the whole block shares. There are no
/// barriers and no shared memory to write. Rows and columns are 16, 32, 64, 128 or 256. Elements outside of a view are read as zero and
/// not stored, so that arrays can have any size.
///
/// In CUDA C++ one writes fragments (`mma.sync`) and shared memory by hand, or uses CUTLASS; in Python, Triton's blocks are the same idea.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// #[gpu_kernel(block = 128)]
/// fn product(a: View<f32, 2>, b: View<f32, 2>, c: ViewMut<f32, 2>) {
///     let (i, j) = (block_idx().y, block_idx().x);
///     let mut sum = Tile::<f32, 32, 64>::zeros();
///     for k in 0..a.tiles(1, 16) {
///         sum += a.tile::<32, 16>(i, k).dot(b.tile::<16, 64>(k, j));
///     }
///     c.tile_mut(i, j).store(sum);
/// }
///
/// let device = Device::cpu();
/// let a = device.to_device(&[1.0, 2.0, 3.0, 4.0])?.reshape([2, 2])?;
/// let b = device.to_device(&[1.0, 1.0, 0.0, 1.0])?.reshape([2, 2])?;
/// let mut c = device.zeros([2, 2])?;
/// product(&a, &b, &mut c).launch((1, 1), 128)?;
/// assert_eq!(c.to_host()?, [1.0, 3.0, 3.0, 7.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Tile<T, const R: usize, const C: usize> {
    /// Row after row.
    elements: Box<[T]>,
}

/// A value for each row of a [`Tile`] with `R` rows, such as the largest: [`Tile::row_max`].
///
/// An operator between a tile and a column uses the value of a row for all elements of that row.
#[derive(Debug, Clone, PartialEq)]
pub struct Column<T, const R: usize> {
    elements: Box<[T]>,
}

/// The elements of tiles: `f32`, `f64`, `i8`, `i32`, and with the feature `half` the types `f16` and `bf16` of the crate `half`.
#[diagnostic::on_unimplemented(
    message = "a tile cannot have elements of type `{Self}`",
    label = "not an element of tiles",
    note = "the elements of tiles are `f32`, `f64`, `f16`, `bf16`, `i8` or `i32`"
)]
pub trait TileElement: Num {
    /// In what sums of products are computed: `f32` for `f16`, `bf16` and `f32`, `f64` for `f64`, `i32` for integers.
    type Sum: Summand;

    /// The same number as a summand.
    fn widen(self) -> Self::Sum;
}

macro_rules! elements {
    ($($T:ty => $Sum:ty),*) => {$(
        impl TileElement for $T {
            type Sum = $Sum;

            #[inline(always)]
            fn widen(self) -> $Sum {
                <$Sum>::from(self)
            }
        }
    )*};
}

elements!(f32 => f32, f64 => f64, i8 => i32, i32 => i32);
#[cfg(feature = "half")]
elements!(half::f16 => f32, half::bf16 => f32);

/// What sums of products are computed in.
pub trait Summand: TileElement<Sum = Self> {
    /// Adds `a` times `b[i]` to `sums[i]`. A loop that is quick without optimization too, because it calls nothing.
    #[doc(hidden)]
    fn add_products(sums: &mut [Self], a: Self, b: &[Self]);
}

macro_rules! summands {
    ($($T:ty: |$sum:ident, $a:ident, $b:ident| $add:expr;)*) => {$(
        impl Summand for $T {
            fn add_products(sums: &mut [$T], $a: $T, b: &[$T]) {
                let mut i = 0;
                while i < sums.len() {
                    let ($sum, $b) = (sums[i], b[i]);
                    sums[i] = $add;
                    i += 1;
                }
            }
        }
    )*};
}

summands! {
    f32: |sum, a, b| sum + a * b;
    f64: |sum, a, b| sum + a * b;
    i32: |sum, a, b| sum.wrapping_add(a.wrapping_mul(b));
}

/// Whether a tile can have so many rows or columns.
const fn is_extent(extent: usize) -> bool {
    extent.is_power_of_two() && extent >= 16 && extent <= 256
}

impl<T: TileElement, const R: usize, const C: usize> Tile<T, R, C> {
    const HAS_VALID_SHAPE: () = assert!(is_extent(R) && is_extent(C), "a tile has 16, 32, 64, 128 or 256 rows and as many columns");

    /// The tile with the element that `element` returns for each row and column.
    #[must_use]
    pub fn from_fn(element: impl Fn(usize, usize) -> T) -> Self {
        const { Self::HAS_VALID_SHAPE };
        Self { elements: (0..R * C).map(|position| element(position / C, position % C)).collect() }
    }

    /// A tile of zeros: the start of a sum.
    #[must_use]
    pub fn zeros() -> Self {
        Self::splat(T::from_i32(0))
    }

    /// A tile whose elements are all `value`.
    #[must_use]
    pub fn splat(value: T) -> Self {
        const { Self::HAS_VALID_SHAPE };
        Self { elements: vec![value; R * C].into_boxed_slice() }
    }

    /// The element in this row and column.
    ///
    /// # Panics
    ///
    /// If the tile has none there.
    #[must_use]
    pub fn at(&self, row: usize, column: usize) -> T {
        assert!(row < R && column < C, "a tile of {R} rows and {C} columns has no element in row {row}, column {column}");
        self.elements[row * C + column]
    }

    fn rows(&self) -> impl Iterator<Item = &[T]> {
        self.elements.chunks_exact(C)
    }
}

impl<T: TileElement, const R: usize> Column<T, R> {
    const HAS_VALID_SHAPE: () = assert!(is_extent(R), "a column has 16, 32, 64, 128 or 256 rows");

    /// A column of zeros.
    #[must_use]
    pub fn zeros() -> Self {
        Self::splat(T::from_i32(0))
    }

    /// A column whose elements are all `value`.
    #[must_use]
    pub fn splat(value: T) -> Self {
        const { Self::HAS_VALID_SHAPE };
        Self { elements: vec![value; R].into_boxed_slice() }
    }

    /// The element in this row.
    ///
    /// # Panics
    ///
    /// If the column has none there.
    #[must_use]
    pub fn at(&self, row: usize) -> T {
        self.elements[row]
    }
}
