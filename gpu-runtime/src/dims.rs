//! The shape of a launch: how many blocks, and how many threads in each.

use std::fmt;

/// How many blocks a launch has along x, y and z: CUDA's `gridDim`.
///
/// Converted from an `i32`, `u32` or `usize`, or a tuple or array of two or three; axes that are not given have extent 1. The launch checks the
/// extents, because it knows the device, so a negative extent is kept until then.
///
/// ```
/// use gpu_runtime::GridDim;
///
/// assert_eq!(GridDim::from(32), GridDim::from((32, 1, 1)));
/// assert_eq!(GridDim::from((8usize, 4)).extents(), [8, 4, 1]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct GridDim([i64; 3]);

/// How many threads a block has along x, y and z: CUDA's `blockDim`.
///
/// Made from an `i32`, `u32` or `usize`, or a tuple or array of two or three; axes that are not given have extent 1.
///
/// ```
/// use gpu_runtime::BlockDim;
///
/// assert_eq!(BlockDim::from((16, 16)).to_string(), "(16, 16)");
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct BlockDim([i64; 3]);

/// The checked shape of one launch: every extent is at least 1 and within the limits of the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaunchDims {
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: [u32; 3],
}

/// The threads per block of `forall`, if nothing else determines them.
pub const FORALL_BLOCK: u32 = 256;

/// The elements per thread in the variant of a kernel with several: enough loads in flight at once to keep the memory busy. An H200 adds
/// vectors at 3.4 TB/s with one element per thread and at 4.2 TB/s with four, which is its speed for copies.
pub const ELEMENTS_PER_THREAD: u32 = 4;

impl LaunchDims {
    /// `blocks` blocks of `threads` threads along x, for work with one element or more per block.
    ///
    /// # Panics
    ///
    /// If there are 2³² blocks, which no memory holds the elements for.
    pub(crate) fn along_x(blocks: usize, threads: u32) -> Self {
        let blocks = u32::try_from(blocks).expect("no memory holds that many elements");
        Self { grid: [blocks, 1, 1], block: [threads, 1, 1] }
    }
}

/// The launch shape that a race proof assumes: axes past these must have extent 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProvedFor {
    /// How many axes of the grid may exceed 1.
    pub grid_axes: u8,
    /// How many axes of the block may exceed 1.
    pub block_axes: u8,
}

/// The largest shapes that a device can launch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// Blocks along x, y and z.
    pub(crate) grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub(crate) block: [u32; 3],
    /// Threads of a block in all.
    pub(crate) threads: u32,
}

/// An extent as it was given. A `usize` larger than `i64::MAX` becomes `i64::MAX`: no device accepts either.
trait Extent: Copy {
    fn extent(self) -> i64;
}

impl Extent for i32 {
    fn extent(self) -> i64 {
        self.into()
    }
}

impl Extent for u32 {
    fn extent(self) -> i64 {
        self.into()
    }
}

impl Extent for usize {
    fn extent(self) -> i64 {
        i64::try_from(self).unwrap_or(i64::MAX)
    }
}

macro_rules! shape {
    ($Shape:ident from $($Extent:ident)*) => {
        $(
            impl From<$Extent> for $Shape {
                fn from(x: $Extent) -> Self {
                    Self([x.extent(), 1, 1])
                }
            }

            impl From<($Extent, $Extent)> for $Shape {
                fn from((x, y): ($Extent, $Extent)) -> Self {
                    Self([x.extent(), y.extent(), 1])
                }
            }

            impl From<($Extent, $Extent, $Extent)> for $Shape {
                fn from((x, y, z): ($Extent, $Extent, $Extent)) -> Self {
                    Self([x.extent(), y.extent(), z.extent()])
                }
            }

            impl From<[$Extent; 2]> for $Shape {
                fn from([x, y]: [$Extent; 2]) -> Self {
                    Self::from((x, y))
                }
            }

            impl From<[$Extent; 3]> for $Shape {
                fn from([x, y, z]: [$Extent; 3]) -> Self {
                    Self::from((x, y, z))
                }
            }
        )*

        impl $Shape {
            /// The extents along x, y and z, as they were given.
            #[must_use]
            pub fn extents(&self) -> [i64; 3] {
                self.0
            }

            /// The extents, if each is between 1 and the same axis of `most`.
            #[inline]
            pub(crate) fn within(&self, most: &[u32; 3]) -> Option<[u32; 3]> {
                // Every launch asks, so there is one branch for all axes. What is less than 1 becomes large.
                let fits = |axis: usize| (self.0[axis].wrapping_sub(1) as u64) < u64::from(most[axis]);
                (fits(0) & fits(1) & fits(2)).then(|| self.0.map(|extent| extent as u32))
            }

            /// Whether an extent is zero.
            pub(crate) fn is_empty(&self) -> bool {
                self.0.contains(&0)
            }
        }

        /// `32`, `(8, 4)` or `(8, 4, 2)`: the shortest form.
        impl fmt::Display for $Shape {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.0 {
                    [x, 1, 1] => write!(f, "{x}"),
                    [x, y, 1] => write!(f, "({x}, {y})"),
                    [x, y, z] => write!(f, "({x}, {y}, {z})"),
                }
            }
        }

        impl fmt::Debug for $Shape {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let [x, y, z] = self.0;
                write!(f, concat!(stringify!($Shape), "({}, {}, {})"), x, y, z)
            }
        }
    };
}

shape!(GridDim from i32 u32 usize);
shape!(BlockDim from i32 u32 usize);

impl GridDim {
    /// The blocks of that shape in which there are this many threads along each axis. An extent that is not positive stays, to be refused.
    pub(crate) fn divided_into(self, block: [u32; 3]) -> Self {
        let blocks = |axis: usize| match self.0[axis] {
            threads if threads > 0 => (threads - 1) / i64::from(block[axis]) + 1,
            threads => threads,
        };
        Self(std::array::from_fn(blocks))
    }
}

/// An argument for the size of a grid: a number or a tuple that converts into a [`GridDim`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the size of a grid",
    label = "expected a number of blocks, or a tuple of two or three numbers",
    note = "the numbers are integers, such as `launch(n.div_ceil(256), 256)` or `launch((columns, rows), (16, 16))`"
)]
pub trait IntoGrid: Into<GridDim> {}

#[diagnostic::do_not_recommend]
impl<T: Into<GridDim>> IntoGrid for T {}

/// An argument for the size of a block: a number or a tuple that converts into a [`BlockDim`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the size of a block",
    label = "expected a number of threads, or a tuple of two or three numbers",
    note = "the numbers are integers, such as `launch(n.div_ceil(256), 256)` or `launch((columns, rows), (16, 16))`"
)]
pub trait IntoBlock: Into<BlockDim> {}

#[diagnostic::do_not_recommend]
impl<T: Into<BlockDim>> IntoBlock for T {}

/// An argument for the threads of `forall`: a number, or a tuple of two or three.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number of threads",
    label = "expected a number, or a tuple of two or three numbers",
    note = "the numbers are integers, such as `forall(n)`, or `forall((columns, rows))` for a kernel with two axes"
)]
pub trait IntoThreads: Into<GridDim> {
    /// How many numbers there are.
    #[doc(hidden)]
    const AXES: u8;
}

macro_rules! threads {
    ($($Extent:ident)*) => {$(
        impl IntoThreads for $Extent {
            const AXES: u8 = 1;
        }

        impl IntoThreads for ($Extent, $Extent) {
            const AXES: u8 = 2;
        }

        impl IntoThreads for ($Extent, $Extent, $Extent) {
            const AXES: u8 = 3;
        }
    )*};
}

threads!(i32 u32 usize);

#[cfg(test)]
mod tests {
    use super::*;

    const MOST: [u32; 3] = [1024, 1024, 64];

    #[test]
    fn missing_axes_have_extent_one() {
        assert_eq!(GridDim::from(7u32).within(&MOST), Some([7, 1, 1]));
        assert_eq!(GridDim::from((7usize, 8)).within(&MOST), Some([7, 8, 1]));
        assert_eq!(BlockDim::from((7, 8, 9)).within(&MOST), Some([7, 8, 9]));
        assert_eq!(GridDim::from([7, 8]), GridDim::from((7, 8, 1)));
        assert_eq!(BlockDim::from([7usize, 8, 9]), BlockDim::from((7, 8, 9)));
    }

    #[test]
    fn extents_outside_the_limits_are_refused_and_still_shown() {
        for (shape, shown) in [
            (BlockDim::from(-3), "-3"),
            (BlockDim::from((1, 0)), "(1, 0)"),
            (BlockDim::from(1025), "1025"),
            (BlockDim::from((1, 1, 65)), "(1, 1, 65)"),
            (BlockDim::from(1usize << 32), "4294967296"),
        ] {
            assert_eq!(shape.within(&MOST), None, "{shape}");
            assert_eq!(shape.to_string(), shown);
        }
        assert_eq!(BlockDim::from((1024, 1, 64)).within(&MOST), Some([1024, 1, 64]));
    }

    #[test]
    fn only_a_zero_extent_is_empty() {
        assert!(GridDim::from((3, 0)).is_empty());
        assert!(!GridDim::from(-1).is_empty());
        assert!(!GridDim::from((3, 1)).is_empty());
    }
}
