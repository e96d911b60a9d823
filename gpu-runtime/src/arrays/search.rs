//! Places of values among sorted elements, by binary search.

use super::Contiguous;
use super::sort::precedes;
use crate::intrinsics::grid_1d;
use crate::memory::DeviceArray;
use crate::scalar::Num;
use crate::ufunc::{Expression, Lazy};
use crate::{Error, Result, gpu_kernel};

/// How many of `sorted` come before each value, or with `EQUAL` before or are equal.
#[gpu_kernel]
pub(super) fn search_elements<T: Num, const EQUAL: bool>(sorted: &[T], values: &[T], out: &mut [usize]) {
    let i = grid_1d();
    if i < out.len() {
        let value = values[i];
        let (mut low, mut high) = (0, sorted.len());
        while low < high {
            let mid = (low + high) / 2;
            let is_before = if EQUAL { !precedes(value, sorted[mid]) } else { precedes(sorted[mid], value) };
            if is_before {
                low = mid + 1;
            } else {
                high = mid;
            }
        }
        out[i] = low;
    }
}

#[track_caller]
pub(super) fn searched<T, X, V, const EQUAL: bool>(function: &'static str, x: &Lazy<X>, values: &Lazy<V>) -> Result<DeviceArray<usize>>
where
    T: Num,
    X: Expression<Item = T>,
    V: Expression<Item = T>,
{
    let (shape, of_values) = (x.shape()?, values.shape()?);
    if shape.rank() != 1 {
        return Err(Error::shape_mismatch(function, shape, of_values, "the sorted elements must have one axis"));
    }
    let (x, values) = (x.stored_with(values)?, values.stored_with(x)?);
    let (x, values) = (Contiguous::of(&x)?, Contiguous::of(&values)?);
    let (x, values) = (x.slice(), values.slice());
    let mut out = DeviceArray::unspecified(x.device(), of_values)?;
    if !out.is_empty() {
        search_elements::<T, EQUAL>(x, values, &mut out).forall(values.len())?;
    }
    Ok(out)
}
