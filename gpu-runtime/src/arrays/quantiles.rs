//! Quantiles: the elements at a place of the sorted ones, and between two places the straight line from one to the next.

use std::panic::Location;

use super::order::neighbours;
use super::sort::{Wanted, sorted, sorted_rows};
use super::{Contiguous, collected};
use crate::memory::DeviceArray;
use crate::scalar::Float;
use crate::ufunc::{Axes, Elementwise, Expression, Lazy, Reductions, lazy};
use crate::{Error, Result, vectorize};

/// The place of a quantile in so many sorted elements, of which `last` is the last one: the index before it, and which part of the way to
/// the next.
#[track_caller]
fn place(q: f64, last: usize) -> (usize, f64) {
    assert!((0.0..=1.0).contains(&q), "a quantile is from 0 to 1, not {q}");
    let position = q * last as f64;
    (position.floor() as usize, position.fract())
}

#[track_caller]
fn last_of(function: &'static str, len: usize) -> Result<usize> {
    len.checked_sub(1).ok_or(Error::EmptyReduction { function, location: Location::caller() })
}

#[track_caller]
pub(super) fn quantile<T: Float, E: Expression<Item = T>>(function: &'static str, all: &Lazy<E>, q: f64) -> Result<T> {
    let stored = all.stored()?;
    let flat = Contiguous::of(&stored)?;
    let x = flat.slice();
    let last = last_of(function, x.len())?;
    let (place, part) = place(q, last);
    if lazy(x).is_nan().any()? {
        return Ok(T::from_f64(f64::NAN));
    }
    let [low, high] = match neighbours(x, place) {
        Some(neighbours) => neighbours?,
        None => {
            let sorted = sorted(function, &lazy(x), 0, Wanted::Elements)?.0;
            let at = |index: usize| -> Result<T> { Ok(sorted.slice(index..=index).to_host()?[0]) };
            [at(place)?, at((place + 1).min(last))?]
        }
    };
    Ok(between(low, high, T::from_f64(part), high))
}

/// A part of the way from `low` to `high`, which may be infinite; `greatest` if that is NaN, as some element is then. The host computes a
/// single quantile, and a GPU those along axes: with `fmad`, their bits would differ.
#[vectorize(fmad = false)]
fn between<T: Float>(low: T, high: T, part: T, greatest: T) -> T {
    if greatest.is_nan() {
        greatest
    } else if part == T::ZERO || low == high {
        low
    } else {
        low * (T::ONE - part) + high * part
    }
}

#[track_caller]
pub(super) fn quantiles<T: Float, E>(function: &'static str, all: &Lazy<E>, axes: Axes, q: f64) -> Result<DeviceArray<T>>
where
    E: Expression<Item = T>,
{
    let shape = all.shape()?;
    let reduced = axes.checked(function, shape)?;
    let last = last_of(function, axes.elements(shape))?;
    let (place, part) = place(q, last);
    let stored = all.stored()?;
    let kept = (0..shape.rank()).filter(|axis| !reduced.contains(axis));
    let rows = collected(lazy(stored.view().permute(kept.chain(reduced.iter().copied()).collect::<Vec<_>>())))?;
    let count = rows.len() / (last + 1);
    let sorted = sorted_rows(rows.reshape([count, last + 1])?, Wanted::Elements)?.0;
    let at = |index: usize| sorted.view().index_axis(1, index);
    let found = between::map(at(place), at((place + 1).min(last)), T::from_f64(part), at(last));
    collected(found)?.reshape(axes.left_of(shape))
}
