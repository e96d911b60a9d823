//! The number of an axis, from the first or from the last one.

use super::Shape;
use crate::{Error, Result};
use std::panic::Location;

/// The number of an axis: counted from 0, or negative and counted from the end, as in NumPy: −1 is the last axis.
///
/// It is a literal, an `i32` or an `isize`; or a `usize`, which is not negative.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let x = Device::cpu().to_device(&[1.0, 2.0, 3.0, 4.0])?.reshape([2, 2])?;
/// assert_eq!(x.sum_axis(-1)?.to_host()?, [3.0, 7.0]);
/// assert_eq!(concatenate([&x, &x], -1)?.shape(), [2, 4]);
/// assert_eq!(x.view().insert_axis(-1).shape(), [2, 2, 1]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the number of an axis",
    label = "expected a `usize`, or an `i32` or `isize`, which may be negative",
    note = "several axes are an array, `x.sum_axis([0, 1])?`, of functions that reduce"
)]
pub trait Axis: Copy {
    /// The axis counted from 0, in an array with `rank` axes. What is no axis stays none.
    #[doc(hidden)]
    fn of(self, rank: usize) -> usize;

    /// The axis counted from 0, in an array of that shape, which has it.
    #[doc(hidden)]
    #[track_caller]
    fn checked(self, function: &'static str, shape: Shape) -> Result<usize> {
        self.checked_at(function, shape, Location::caller())
    }

    /// The same for a function that is called at `location`.
    #[doc(hidden)]
    fn checked_at(self, function: &'static str, shape: Shape, location: &'static Location<'static>) -> Result<usize> {
        let axis = self.of(shape.rank());
        if axis < shape.rank() { Ok(axis) } else { Err(Error::AxisOutOfRange { function, axis: axis.cast_signed(), shape, location }) }
    }
}

impl Axis for usize {
    fn of(self, _: usize) -> usize {
        self
    }
}

macro_rules! signed {
    ($($T:ident)*) => {$(
        impl Axis for $T {
            fn of(self, rank: usize) -> usize {
                let axis = self as isize;
                // What is too low is beyond all axes.
                if axis < 0 { rank.checked_add_signed(axis).unwrap_or(axis.cast_unsigned()) } else { axis.cast_unsigned() }
            }
        }
    )*};
}

signed! { i32 isize }
