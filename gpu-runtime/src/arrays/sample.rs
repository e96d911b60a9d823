//! Values between the elements of an array.

use super::Contiguous;
use super::repeat::{Pad, REFLECT, source};
use crate::failure::called;
use crate::intrinsics::grid_1d;
use crate::memory::{DeviceArray, DeviceSlice, Shape};
use crate::scalar::Float;
use crate::ufunc::{ArrayLike, Expression, Lazy};
use crate::{Error, Result, gpu_kernel};

/// How an array has values [between its elements](crate::Filters::map_coordinates).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Interpolation {
    /// That of the nearest element: SciPy's `order=0`. Halfway between two, it is the one with the higher index.
    Nearest,
    /// Linear along each axis: SciPy's `order=1`.
    #[default]
    Linear,
}

/// What is outside of an array.
#[derive(Clone, Copy)]
pub(super) enum Outside<T> {
    Value(T),
    Elements(Pad),
}

/// The number for [`Outside::Value`] where others are a [`Pad`].
const VALUE: u32 = 4;

/// The value of an array of these extents at each column of `coordinates`, which has a row for each axis. `mode` is a [`Pad`], or [`VALUE`] for `value`.
#[gpu_kernel]
pub(super) fn sample_elements<T: Float, C: Float, const RANK: usize>(
    x: &[T],
    extents: [usize; RANK],
    coordinates: &[C],
    is_linear: bool,
    mode: u32,
    value: T,
    out: &mut [T],
) {
    let i = grid_1d();
    if i < out.len() {
        let mut low = [0usize; RANK];
        let mut high = [0usize; RANK];
        let mut weights = [T::ZERO; RANK];
        let (mut is_outside, mut is_number) = (false, true);
        for axis in 0..RANK {
            let at = coordinates[axis * out.len() + i];
            let len = extents[axis] as i64;
            // False for NaN, too.
            is_outside = is_outside || !(at >= C::ZERO && at <= (len - 1).cast::<C>());
            is_number = is_number && at - at == C::ZERO;
            let below = if is_linear { at.floor() } else { (at + C::ONE / (C::ONE + C::ONE)).floor() };
            let first = below.cast::<i64>();
            // After the last there is none. SciPy takes one before it, with a weight of 0, so that NaN spreads in the same way.
            let mode = if mode == VALUE { REFLECT } else { mode };
            low[axis] = source(first, 0, len, mode) as usize;
            high[axis] = source(first.saturating_add(1), 0, len, mode) as usize;
            weights[axis] = (at - below).cast::<T>();
        }
        let corners = if is_linear { 1usize << RANK } else { 1 };
        let mut sum = T::ZERO;
        for corner in 0..corners {
            let mut place = 0;
            let mut weight = T::ONE;
            for axis in 0..RANK {
                let is_high = (corner >> axis) & 1 == 1;
                place = place * extents[axis] + if is_high { high[axis] } else { low[axis] };
                if is_linear {
                    weight *= if is_high { weights[axis] } else { T::ONE - weights[axis] };
                }
            }
            sum += weight * x[place];
        }
        out[i] = if mode == VALUE && is_outside {
            value
        } else if is_number {
            sum
        } else {
            T::NAN
        };
    }
}

/// See [`map_coordinates`](crate::Filters::map_coordinates).
#[track_caller]
pub(super) fn map_coordinates<T: Float, C: Float>(
    x: Lazy<impl Expression<Item = T>>,
    coordinates: impl ArrayLike<Item = C>,
    interpolation: Interpolation,
    outside: Outside<T>,
) -> Result<DeviceArray<T>> {
    let _call = called("map_coordinates");
    let coordinates = coordinates.lazy();
    let (shape, of_coordinates) = (x.shape()?, coordinates.shape()?);
    let help = "the array must have one to six axes, and the first axis of the coordinates an element for each of them";
    let of_result = match of_coordinates.extents() {
        [axes @ 1..=6, of_result @ ..] if *axes == shape.rank() => of_result,
        _ => return Err(Error::shape_mismatch("map_coordinates", shape, of_coordinates, help)),
    };
    let of_result = Shape::from_extents(of_result).expect("the coordinates have one more axis");
    let (x, coordinates) = (x.stored_with(&coordinates)?, coordinates.stored_with(&x)?);
    let (x, coordinates) = (Contiguous::of(&x)?, Contiguous::of(&coordinates)?);
    let mut out = DeviceArray::unspecified(x.slice().device(), of_result)?;
    if out.is_empty() {
        return Ok(out);
    }
    if shape.checked_len() == Some(0) {
        let help = "an array without elements has no values between them";
        return Err(Error::shape_mismatch("map_coordinates", shape, of_coordinates, help));
    }
    let is_linear = interpolation == Interpolation::Linear;
    macro_rules! sample {
        ($($rank:literal)*) => {
            match shape.rank() {
                $($rank => launch::<T, C, $rank>((x.slice(), shape), coordinates.slice(), is_linear, outside, &mut out)?,)*
                _ => unreachable!("the rank was checked"),
            }
        };
    }
    sample! { 1 2 3 4 5 6 }
    Ok(out)
}

#[track_caller]
fn launch<T: Float, C: Float, const RANK: usize>(
    (x, shape): (DeviceSlice<'_, T>, Shape),
    coordinates: DeviceSlice<'_, C>,
    is_linear: bool,
    outside: Outside<T>,
    out: &mut DeviceArray<T>,
) -> Result<()> {
    let (mode, value) = match outside {
        Outside::Value(value) => (VALUE, value),
        Outside::Elements(pad) => (pad as u32, T::ZERO),
    };
    let len = out.len();
    let extents: [usize; RANK] = shape.extents().try_into().expect("the array has so many axes");
    sample_elements::<T, C, RANK>(x, extents, coordinates, is_linear, mode, value, out).forall(len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrays::Filters as _;
    use crate::device::Device;

    #[test]
    fn floats_of_two_sizes_are_sampled_along_one_to_six_axes() -> Result<()> {
        let device = Device::best()?;
        let mut extents = Vec::new();
        for rank in 1..=6 {
            extents.push(rank + 1);
            // A linear function of the coordinates, which linear interpolation keeps.
            let shape = Shape::from_extents(&extents).expect("few axes");
            let value = |mut i: usize| {
                let mut sum = 0;
                for (axis, extent) in extents.iter().enumerate().rev() {
                    sum += (axis + 1) * (i % extent);
                    i /= extent;
                }
                sum as f32
            };
            let x = device.to_device(&(0..shape.checked_len().unwrap()).map(value).collect::<Vec<_>>())?.reshape(shape)?;
            let at: Vec<f64> = (0..rank).flat_map(|axis| [0.25, axis as f64 + 0.75, 1.0]).collect();
            let at = device.to_device(&at)?.reshape([rank, 3])?;
            let sum = |f: fn(f64) -> f64| (0..rank).map(|axis| (axis + 1) as f64 * f(axis as f64)).sum::<f64>() as f32;
            let expected = [sum(|_| 0.25), sum(|axis| axis + 0.75), sum(|_| 1.0)];
            assert_eq!(x.map_coordinates(&at, Interpolation::Linear, 0.0)?.to_host()?, expected, "{rank} axes");
            let expected = [sum(|_| 0.0), sum(|axis| axis + 1.0), sum(|_| 1.0)];
            assert_eq!(x.map_coordinates_by(&at, Interpolation::Nearest, Pad::Wrap)?.to_host()?, expected, "{rank} axes");
        }
        Ok(())
    }

    #[test]
    fn coordinates_that_are_no_numbers_have_no_elements() -> Result<()> {
        let device = Device::best()?;
        let x = device.to_device(&[1.0f32, 2.0, 4.0])?;
        let at = device.to_device(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, -1e30, -0.0])?.reshape([1, 6])?;
        assert_eq!(x.map_coordinates(&at, Interpolation::Nearest, 7.0)?.to_host()?, [7.0, 7.0, 7.0, 7.0, 7.0, 1.0]);
        for mode in [Pad::Edge, Pad::Reflect, Pad::Symmetric, Pad::Wrap] {
            for interpolation in [Interpolation::Nearest, Interpolation::Linear] {
                let found = x.map_coordinates_by(&at, interpolation, mode)?.to_host()?;
                assert!(found[..3].iter().all(|x| x.is_nan()) && found[3..].iter().all(|x| (1.0..=4.0).contains(x)), "{mode:?}: {found:?}");
            }
        }
        Ok(())
    }

    /// A NaN spreads to the places between it and its neighbours, and to no others.
    #[test]
    fn coordinates_beyond_all_integers_are_after_the_last_element() -> Result<()> {
        let device = Device::best()?;
        let x = device.to_device(&[f32::NAN, 2.0, 4.0])?;
        let at = device.to_device(&[1e30f32, f32::MAX])?.reshape([1, 2])?;
        assert_eq!(x.map_coordinates_by(&at, Interpolation::Linear, Pad::Edge)?.to_host()?, [4.0, 4.0]);
        Ok(())
    }

    #[test]
    fn coordinates_for_other_axes_are_an_error_of_the_call() -> Result<()> {
        let device = Device::cpu();
        let (x, none) = (device.zeros::<f32>([2, 3])?, device.zeros::<f32>([0, 3])?);
        let error =
            |x: &DeviceArray<f32>, at: &DeviceArray<f32>| x.map_coordinates(at, Interpolation::Linear, 0.0).unwrap_err().to_string();
        let message = error(&x, &device.zeros([3, 5])?);
        assert!(message.contains("map_coordinates") && message.contains("(2, 3)") && message.contains("(3, 5)"), "{message}");
        assert!(error(&none, &device.zeros([2, 1])?).contains("without elements"));
        assert_eq!(none.map_coordinates(&device.zeros::<f32>([2, 0])?, Interpolation::Linear, 0.0)?.shape(), [0]);
        let one = device.full([1, 1], 5.0f32)?;
        assert_eq!(one.map_coordinates_by(&device.full([2, 1], 0.5f32)?, Interpolation::Linear, Pad::Reflect)?.to_host()?, [5.0]);
        Ok(())
    }
}
