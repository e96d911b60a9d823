//! Bounds for generic kernels and device functions: [`Num`], [`Signed`], [`Integer`], [`Float`].
//!
//! A kernel or device function may be generic over numbers. A device function is an ordinary generic function on the host, and kernels can
//! call it with every type that its bounds allow. Each instance is compiled separately, like the instances of templates in CUDA C++.
//!
//! ```
//! use gpu_runtime::prelude::*;
//!
//! /// From `a` at 0 to `b` at 1, clamped.
//! #[gpu_device]
//! fn lerp<T: Float>(a: T, b: T, t: T) -> T {
//!     a + (b - a) * t.clamp(T::ZERO, T::ONE)
//! }
//!
//! #[gpu_kernel]
//! fn blend(x: &[f32], y: &[f32], t: f32, out: &mut [f32]) {
//!     let i = grid_1d();
//!     if i < out.len() {
//!         out[i] = lerp(x[i], y[i], t);
//!     }
//! }
//!
//! # fn main() -> gpu_runtime::Result<()> {
//! let device = Device::best()?;
//! let (x, y) = (device.to_device(&[0.0, 10.0])?, device.to_device(&[1.0, 20.0])?);
//! let mut out = device.zeros::<f32>(2)?;
//! blend(&x, &y, 0.25, &mut out).forall(2)?;
//! assert_eq!(out.to_host()?, [0.25, 12.5]);
//! assert_eq!(lerp(0.0f64, 8.0, 2.0), 8.0);
//! # Ok(())
//! # }
//! ```
//!
//! | bound | types | in addition to operators and comparisons |
//! |---|---|---|
//! | [`Num`] | all integers and floats | `min`, `max`, `clamp`, `div_euclid`, `rem_euclid`, `cast`; `T::ZERO`, `ONE`, `MIN`, `MAX`, `from_i32` |
//! | [`Signed`] | `i8` to `i64`, `isize`, floats | the unary `-`, `abs`, `signum` |
//! | [`Integer`] | all integers | bit operations and shifts, `pow`, `wrapping_…`, `count_ones` and others |
//! | [`Float`] | `f32`, `f64`; with the feature `half`, its `f16` and `bf16` | `sin`, `sqrt`, `powi`, `is_nan` and others; `T::from_f64`, `PI`, `EPSILON`, `INFINITY`, `NAN` |
//!
//! Floats and integers also have methods that GPUs provide and std lacks, from [`DeviceMath`], [`DeviceRounding`], [`DeviceBits`],
//! [`DeviceInt32`] and [`DeviceWord`], on the host too.
//!
//! In Rust, a literal cannot have the type `T`: write `T::from_f64(0.5)`, `T::from_i32(2)`, `T::ZERO`.

mod bessel;
mod bits;
mod cast;
mod exact;
mod float;
mod integer;
mod lengths;
mod math;
mod num;
mod ordering;
mod rounding;
mod special;
mod vectors;

pub use bits::{DeviceBits, DeviceInt32, DeviceWord};
#[cfg(feature = "half")]
pub(crate) use cast::FromAs;
pub use float::Float;
pub use integer::Integer;
pub use math::DeviceMath;
#[doc(hidden)]
pub use num::Ordered;
pub use num::{Num, Signed};
pub use ordering::DeviceOrdering;
pub use rounding::DeviceRounding;

#[cfg(test)]
mod tests {
    // In scope, as in every program with kernels, and of no effect here.
    #[expect(unused_imports)]
    use crate::prelude::*;

    #[test]
    fn integers_keep_their_own_minimum_where_the_traits_are_in_scope() {
        let five = 5i32;
        assert_eq!(five.min(3).clamp(0, 2), 2);
    }
}
