//! Recursive filters, in sections of second order.
//!
//! A section computes each sample from the one before: two numbers are its state. Rows do not depend on each other. If there are too few to
//! keep a GPU busy, they are cut into chunks. A thread filters each from the state 0, which gives a state at its end. The state at the end
//! for another state at the beginning is `Aⁿ` times that more, for the section's matrix `A` and `n` samples, so one thread of a row carries the
//! states from chunk to chunk. Then each chunk is filtered from its state.

use super::{Contiguous, by_kernels, collected};
use crate::device::Device;
use crate::failure::called;
use crate::intrinsics::grid_1d;
use crate::memory::{DeviceArray, DeviceSlice};
use crate::scalar::Float;
use crate::ufunc::{ArrayLike, Expression, Lazy};
use crate::{Error, Result, gpu_device, gpu_kernel};

/// So many rows keep a GPU busy.
const MANY_ROWS: usize = 8192;

/// Chunks are not shorter.
const SHORTEST: usize = 32;

/// The coefficients `[b0, b1, b2, a1, a2]` of a section, for an `a0` of 1.
#[gpu_device]
fn coefficients<T: Float>(sections: &[T], section: usize) -> [T; 5] {
    let at = section * 6;
    let a0 = sections[at + 3];
    [sections[at] / a0, sections[at + 1] / a0, sections[at + 2] / a0, sections[at + 4] / a0, sections[at + 5] / a0]
}

/// The state after each chunk of rows of `width`, from the state 0.
#[gpu_kernel]
pub(super) fn end_chunks<T: Float>(x: &[T], sections: &[T], section: usize, width: usize, chunk: usize, ends: &mut [T]) {
    let i = grid_1d();
    if i < ends.len() / 2 {
        let chunks = width.div_ceil(chunk);
        let (row, from) = (i / chunks, i % chunks * chunk);
        let [b0, b1, b2, a1, a2] = coefficients(sections, section);
        let (mut first, mut second) = (T::ZERO, T::ZERO);
        for k in row * width + from..row * width + (from + chunk).min(width) {
            let y = b0 * x[k] + first;
            first = b1 * x[k] - a1 * y + second;
            second = b2 * x[k] - a2 * y;
        }
        ends[2 * i] = first;
        ends[2 * i + 1] = second;
    }
}

/// The state before each chunk of `2^doublings` samples. A thread has a row.
#[gpu_kernel]
pub(super) fn carry_states<T: Float>(ends: &[T], sections: &[T], section: usize, chunks: usize, doublings: usize, starts: &mut [T]) {
    let row = grid_1d();
    if row < starts.len() / 2 / chunks {
        let [_, _, _, a1, a2] = coefficients(sections, section);
        let (mut a, mut b, mut c, mut d) = (-a1, T::ONE, -a2, T::ZERO);
        for _ in 0..doublings {
            (a, b, c, d) = (a * a + b * c, a * b + b * d, c * a + d * c, c * b + d * d);
        }
        let (mut first, mut second) = (T::ZERO, T::ZERO);
        for i in row * chunks..(row + 1) * chunks {
            starts[2 * i] = first;
            starts[2 * i + 1] = second;
            let (end, other) = (ends[2 * i], ends[2 * i + 1]);
            // The powers of a section that is not stable may be infinite, times 0.
            let is_zero = first == T::ZERO && second == T::ZERO;
            (first, second) = if is_zero { (end, other) } else { (a * first + b * second + end, c * first + d * second + other) };
        }
    }
}

/// Filters each chunk of rows of `width` from its state.
#[gpu_kernel]
pub(super) fn filter_chunks<T: Float>(x: &[T], sections: &[T], section: usize, width: usize, chunk: usize, starts: &[T], out: &mut [T]) {
    let i = grid_1d();
    if i < starts.len() / 2 {
        let chunks = width.div_ceil(chunk);
        let (row, from) = (i / chunks, i % chunks * chunk);
        let [b0, b1, b2, a1, a2] = coefficients(sections, section);
        let (mut first, mut second) = (starts[2 * i], starts[2 * i + 1]);
        for k in row * width + from..row * width + (from + chunk).min(width) {
            let y = b0 * x[k] + first;
            first = b1 * x[k] - a1 * y + second;
            second = b2 * x[k] - a2 * y;
            out[k] = y;
        }
    }
}

/// See [`sosfilt`](crate::Signals::sosfilt).
#[track_caller]
pub(super) fn sosfilt<T: Float>(x: Lazy<impl Expression<Item = T>>, sections: impl ArrayLike<Item = T>) -> Result<DeviceArray<T>> {
    let _call = called("sosfilt");
    let sections = sections.lazy();
    let (shape, of_sections) = (x.shape()?, sections.shape()?);
    let (Some(&width), &[count, 6]) = (shape.extents().last(), of_sections.extents()) else {
        let help = "the samples have at least one axis, and the sections are rows of six coefficients";
        return Err(Error::shape_mismatch("sosfilt", shape, of_sections, help));
    };
    let sections = sections.stored_with(&x)?;
    let mut signal = collected(x.on(sections.view().device()))?;
    if signal.is_empty() {
        return Ok(signal);
    }
    let sections = Contiguous::of(&sections)?;
    let rows = signal.len() / width;
    let chunk = if by_kernels(signal.device()) { chunk_on_gpu(rows, width) } else { width };
    let mut filtered = DeviceArray::unspecified(signal.device(), shape)?;
    for section in 0..count {
        let starts = states(&signal, sections.slice(), section, width, chunk)?;
        // SAFETY: each element belongs to one chunk.
        unsafe {
            filter_chunks(&signal, sections.slice(), section, width, chunk, &starts, &mut filtered).forall_unchecked(starts.len() / 2)?;
        }
        std::mem::swap(&mut signal, &mut filtered);
    }
    Ok(signal)
}

/// The samples of a chunk: a power of two near the square root of the row's, so that a thread has about as many samples as states to carry.
fn chunk_on_gpu(rows: usize, width: usize) -> usize {
    let chunk = width.isqrt().next_power_of_two().max(SHORTEST);
    if rows >= MANY_ROWS || width <= 2 * chunk { width } else { chunk }
}

/// The state of a section before each chunk of each row.
#[track_caller]
fn states<T: Float>(
    x: &DeviceArray<T>,
    sections: DeviceSlice<'_, T>,
    section: usize,
    width: usize,
    chunk: usize,
) -> Result<DeviceArray<T>> {
    let (rows, chunks) = (x.len() / width, width.div_ceil(chunk));
    let device: &Device = x.device();
    if chunks == 1 {
        return device.zeros(2 * rows);
    }
    let mut ends = DeviceArray::unspecified(device, (2 * rows * chunks).into())?;
    let mut starts = DeviceArray::unspecified(device, (2 * rows * chunks).into())?;
    // SAFETY: each state belongs to one chunk, and each chunk to one row.
    unsafe {
        end_chunks(x, sections, section, width, chunk, &mut ends).forall_unchecked(rows * chunks)?;
        carry_states(&ends, sections, section, chunks, chunk.ilog2() as usize, &mut starts).forall_unchecked(rows)?;
    }
    Ok(starts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrays::Signals as _;
    use crate::compile::used::kernels_of;
    use crate::memory::Shape;

    /// A Butterworth filter of fourth order: `scipy.signal.butter(4, 0.1, output='sos')`.
    const LOWPASS: [f64; 12] = [
        0.00041659920440659937,
        0.0008331984088131987,
        0.00041659920440659937,
        1.0,
        -1.479673879712234,
        0.5558215432824556,
        1.0,
        2.0,
        1.0,
        1.0,
        -1.7009642709447104,
        0.7884997398152979,
    ];

    fn filtered(x: &[f64], sections: &[f64]) -> Vec<f64> {
        let mut signal = x.to_vec();
        for section in sections.chunks(6) {
            let (mut first, mut second) = (0.0, 0.0);
            for x in &mut signal {
                let y = section[0] * *x + first;
                first = section[1] * *x - section[4] * y + second;
                second = section[2] * *x - section[5] * y;
                *x = y;
            }
        }
        signal
    }

    fn assert_near(found: &[f64], expected: &[f64], case: &str) {
        // Without damping, a section amplifies what is rounded as it does its samples. A GPU, which fuses multiplications and additions, differs by
        // 1.5e-12 after 1,000 of them.
        let largest = expected.iter().fold(1.0, |largest: f64, x| largest.max(x.abs()));
        let near = |(a, b): (&f64, &f64)| (a.is_nan() && b.is_nan()) || (a - b).abs() <= 1e-11 * largest;
        assert!(found.len() == expected.len() && found.iter().zip(expected).all(near), "{case}: {found:?} is not {expected:?}");
    }

    #[test]
    fn chunks_are_filtered_as_rows_are() -> Result<()> {
        let device = Device::best()?;
        let unstable = [1.0, 0.5, 0.0, 1.0, -1.05, 0.0];
        let oscillating = [1.0, 0.0, 0.0, 1.0, -2.0 * 0.1f64.cos(), 1.0];
        for extents in [&[0][..], &[1], &[5], &[0, 4], &[4, 0], &[3, 100], &[2, 1000], &[2, 3, 257]] {
            let (len, width) = (extents.iter().product::<usize>(), *extents.last().unwrap());
            let mut host: Vec<f64> = (0..len).map(|i| ((i * 7919) % 23) as f64 - 11.0).collect();
            if len > 200 {
                // Silence in the beginning, and NaN in the last row.
                host[..70].fill(0.0);
                host[len - 20] = f64::NAN;
            }
            for sections in [&LOWPASS[..], &LOWPASS[..6], &unstable, &oscillating, &[]] {
                let case = format!("{extents:?} by {sections:?}");
                let of_sections = device.to_device(sections)?.reshape([sections.len() / 6, 6])?;
                let x = device.to_device(&host)?.reshape(Shape::from_extents(extents).unwrap())?;
                let expected: Vec<f64> = host.chunks(width.max(1)).flat_map(|row| filtered(row, sections)).collect();
                assert_near(&x.sosfilt(&of_sections)?.to_host()?, &expected, &case);
                let used = kernels_of(|| {
                    assert_near(&x.sosfilt(&of_sections)?.to_host()?, &expected, &case);
                    Ok(())
                })?;
                let is_cut = used.iter().any(|kernel| kernel.name().contains("carry_states"));
                assert_eq!(is_cut, width > 64 && len > 0 && !sections.is_empty(), "{case}");
            }
        }
        Ok(())
    }

    #[test]
    fn what_is_no_section_is_an_error_of_the_call() -> Result<()> {
        let device = Device::cpu();
        let (x, sections) = (device.zeros::<f32>(4)?, device.zeros::<f32>([2, 5])?);
        let error = x.sosfilt(&sections).unwrap_err().to_string();
        assert!(error.contains("sosfilt") && error.contains("(2, 5)"), "{error}");
        assert!(device.full([], 1.0f32)?.sosfilt(device.zeros::<f32>([1, 6])?.view()).is_err());
        // SciPy wants a0 = 1.
        let halved = x.sosfilt(device.to_device(&[2.0f32, 0.0, 0.0, 2.0, 0.0, 0.0])?.reshape([1, 6])?.view())?;
        assert_eq!(halved.to_host()?, [0.0; 4]);
        Ok(())
    }
}
