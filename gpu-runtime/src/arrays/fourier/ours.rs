//! Transforms of rows of 8, 16, 32, … 2048 complex numbers on a GPU without cuFFT, in this crate's own language.
//!
//! Stockham's algorithm: a transform of `8n` points is eight of every eighth point, whose results are combined. Each thread combines eight
//! numbers in registers at a time; the threads of a row exchange them through shared memory between the passes, which leaves them in order
//! at the end. A length that is no power of eight begins with a pass that combines two or four. So global memory is read once and written
//! once.
//!
//! Source: Govindaraju, Lloyd, Dotsenko, Smith and Manferdelli, *High performance discrete Fourier transforms on graphics processors*, 2008.

use num_complex::Complex;

use super::{Real, from_floats};
use crate::arrays::Contiguous;
use crate::backend::cuda::libraries::cufft::Kind;
use crate::functions::neg;
use crate::intrinsics::{block_dim, block_idx, shared, sync_threads, thread_idx};
use crate::memory::{DeviceArray, DeviceSlice, DeviceSliceMut, DeviceView, Shape};
use crate::scalar::Float;
use crate::source::Element;
use crate::ufunc::{ArrayMut, Stored, lazy};
use crate::vector::{Double2, Float2};
use crate::{Error, Result, gpu_device, gpu_kernel};

/// Points of the rows of a block.
const POINTS: usize = 2048;
/// A gap after every 16 points, so that threads that write every fourth point use different banks of shared memory.
const PADDED: usize = POINTS + POINTS / 16;

/// Whether [`transform_rows`] transforms rows of that length.
pub(super) fn transforms(len: usize) -> bool {
    len.is_power_of_two() && (8..=POINTS).contains(&len)
}

/// Where shared memory has a point.
#[gpu_device]
fn place(point: u32) -> u32 {
    point + point / 16
}

/// How far it is from there to a point that is so many points further on: whole gaps are between them. It holds for all points that a thread
/// combines, as they are a power of two apart, and the first of them is less than that behind a multiple of eight times the distance.
#[gpu_device]
fn distance(points: u32) -> u32 {
    points + points / 16
}

/// The transform of four points. `turn` is -1 for the forward transform, 1 for the inverse one.
#[gpu_device]
fn transform_four<R: Float>(re: &mut [R; 4], im: &mut [R; 4], turn: R) {
    let (even_re, even_im) = (re[0] + re[2], im[0] + im[2]);
    let (other_re, other_im) = (re[0] - re[2], im[0] - im[2]);
    let (odd_re, odd_im) = (re[1] + re[3], im[1] + im[3]);
    // The difference, turned by a quarter.
    let (turned_re, turned_im) = (turn * (im[3] - im[1]), turn * (re[1] - re[3]));
    re[0] = even_re + odd_re;
    im[0] = even_im + odd_im;
    re[1] = other_re + turned_re;
    im[1] = other_im + turned_im;
    re[2] = even_re - odd_re;
    im[2] = even_im - odd_im;
    re[3] = other_re - turned_re;
    im[3] = other_im - turned_im;
}

/// The transform of eight points. `half` is ½.
#[gpu_device]
fn transform_eight<R: Float>(re: &mut [R; 8], im: &mut [R; 8], half: R, turn: R) {
    let mut even_re = [re[0], re[2], re[4], re[6]];
    let mut even_im = [im[0], im[2], im[4], im[6]];
    let mut odd_re = [re[1], re[3], re[5], re[7]];
    let mut odd_im = [im[1], im[3], im[5], im[7]];
    transform_four(&mut even_re, &mut even_im, turn);
    transform_four(&mut odd_re, &mut odd_im, turn);
    // Turned by one, two and three eighths.
    let root = half.sqrt();
    let (x, y) = (odd_re[1], turn * odd_im[1]);
    odd_re[1] = root * (x - y);
    odd_im[1] = turn * root * (x + y);
    let (x, y) = (odd_re[2], odd_im[2]);
    odd_re[2] = -turn * y;
    odd_im[2] = turn * x;
    let (x, y) = (odd_re[3], turn * odd_im[3]);
    odd_re[3] = -root * (x + y);
    odd_im[3] = turn * root * (x - y);
    #[unroll]
    for r in 0..4 {
        re[r] = even_re[r] + odd_re[r];
        im[r] = even_im[r] + odd_im[r];
        re[r + 4] = even_re[r] - odd_re[r];
        im[r + 4] = even_im[r] - odd_im[r];
    }
}

/// Multiplies the numbers `k` of eight transforms of `n` points each by their factors, before [`transform_eight`] combines them.
#[gpu_device]
fn multiply_by_factors<R: Float>(re: &mut [R; 8], im: &mut [R; 8], k: u32, n: u32, turn: R) {
    // Each factor is a product of two before it, so that errors do not add up.
    let (sin, cos) = (turn * (k.cast::<R>() / (4 * n).cast::<R>())).sin_cos_pi();
    let mut factor_re = [cos; 8];
    let mut factor_im = [sin; 8];
    #[unroll]
    for r in 1..8 {
        if r > 1 {
            let (a, b) = (r / 2, r - r / 2);
            factor_re[r] = factor_re[a] * factor_re[b] - factor_im[a] * factor_im[b];
            factor_im[r] = factor_re[a] * factor_im[b] + factor_im[a] * factor_re[b];
        }
        let (x, y) = (re[r], im[r]);
        re[r] = x * factor_re[r] - y * factor_im[r];
        im[r] = x * factor_im[r] + y * factor_re[r];
    }
}

macro_rules! kernels {
    ($($R:ident $Pair:ident $name:ident;)*) => {$(
        /// The transform of each of `rows` rows of `x`. A row of threads of the block has one of them, with eight points for each thread.
        ///
        /// # Safety
        ///
        /// `x` and `y` have as many rows of eight points for each column of the block, and the block has [`POINTS`] points.
        #[gpu_kernel(launch_bounds = (256, 4))]
        pub(in crate::arrays) fn $name(x: &[$Pair], y: &mut [$Pair], rows: usize, turn: $R) {
            let mut shared_re = shared::<[$R; PADDED]>();
            let mut shared_im = shared::<[$R; PADDED]>();
            let half: $R = 0.5;
            let (j, eighth) = (thread_idx().x as u32, block_dim().x as u32);
            let row = block_idx().x * block_dim().y + thread_idx().y;
            let start = row * 8 * block_dim().x + thread_idx().x;
            let first = thread_idx().y as u32 * 8 * eighth;
            let (mut re, mut im) = ([0.0; 8], [0.0; 8]);
            if row < rows {
                #[unroll]
                for r in 0..8 {
                    // SAFETY: the array has the row.
                    let z = unsafe { *x.get_unchecked(start + r * block_dim().x) };
                    (re[r], im[r]) = (z.x, z.y);
                }
            }
            // The points of the transforms that are done, a power of two: the other passes combine eight.
            let rest = eighth.trailing_zeros() % 3;
            let mut n = if rest == 0 { 8 } else { 1 << rest };
            if rest == 1 {
                #[unroll]
                for r in 0..4 {
                    let at = (place(first + 2 * j) + distance(r as u32 * 2 * eighth)) as usize;
                    // SAFETY: the points are those of the block.
                    unsafe {
                        *shared_re.get_unchecked_mut(at) = re[r] + re[r + 4];
                        *shared_im.get_unchecked_mut(at) = im[r] + im[r + 4];
                        *shared_re.get_unchecked_mut(at + 1) = re[r] - re[r + 4];
                        *shared_im.get_unchecked_mut(at + 1) = im[r] - im[r + 4];
                    }
                }
            } else if rest == 2 {
                #[unroll]
                for r in 0..2 {
                    let mut four_re = [re[r], re[r + 2], re[r + 4], re[r + 6]];
                    let mut four_im = [im[r], im[r + 2], im[r + 4], im[r + 6]];
                    transform_four(&mut four_re, &mut four_im, turn);
                    let at = (place(first + 4 * j) + distance(r as u32 * 4 * eighth)) as usize;
                    #[unroll]
                    for s in 0..4 {
                        // SAFETY: as above.
                        unsafe {
                            *shared_re.get_unchecked_mut(at + s) = four_re[s];
                            *shared_im.get_unchecked_mut(at + s) = four_im[s];
                        }
                    }
                }
            } else {
                transform_eight(&mut re, &mut im, half, turn);
                let at = place(first + 8 * j) as usize;
                #[unroll]
                for r in 0..8 {
                    // SAFETY: as above.
                    unsafe {
                        *shared_re.get_unchecked_mut(at + r) = re[r];
                        *shared_im.get_unchecked_mut(at + r) = im[r];
                    }
                }
            }
            while n < 8 * eighth {
                sync_threads();
                #[unroll]
                for r in 0..8 {
                    let at = (place(first + j) + distance(r as u32 * eighth)) as usize;
                    // SAFETY: as above.
                    unsafe {
                        re[r] = *shared_re.get_unchecked(at);
                        im[r] = *shared_im.get_unchecked(at);
                    }
                }
                sync_threads();
                let k = j & (n - 1);
                multiply_by_factors(&mut re, &mut im, k, n, turn);
                transform_eight(&mut re, &mut im, half, turn);
                // After the last pass, each thread has the points that it began with.
                if n < eighth {
                    #[unroll]
                    for r in 0..8 {
                        let at = (place(first + 8 * (j - k) + k) + distance(r as u32 * n)) as usize;
                        // SAFETY: as above.
                        unsafe {
                            *shared_re.get_unchecked_mut(at) = re[r];
                            *shared_im.get_unchecked_mut(at) = im[r];
                        }
                    }
                }
                n *= 8;
            }
            if row < rows {
                #[unroll]
                for r in 0..8 {
                    // SAFETY: the array has the row.
                    unsafe { *y.get_unchecked_mut(start + r * block_dim().x) = $Pair::new(re[r], im[r]) };
                }
            }
        }

        impl RowTransform for $R {
            #[track_caller]
            fn transform_rows(x: DeviceSlice<'_, $R>, mut y: DeviceSliceMut<'_, $R>, len: usize, is_inverse: bool) -> Result<()> {
                let (x, mut y) = (x.as_vectors::<$Pair>()?, y.as_vectors_mut::<$Pair>()?);
                let rows = x.len() / len;
                let in_block = POINTS / len;
                let launch = $name(x, &mut y, rows, if is_inverse { 1.0 } else { -1.0 });
                // SAFETY: both have whole rows, and each thread writes points of its own.
                unsafe { launch.launch_unchecked(rows.div_ceil(in_block), (len / 8, in_block)) }
            }
        }
    )*};
}

/// A float whose rows of complex numbers are transformed, as twice as many floats.
pub(super) trait RowTransform: Sized + Element {
    fn transform_rows(x: DeviceSlice<'_, Self>, y: DeviceSliceMut<'_, Self>, len: usize, is_inverse: bool) -> Result<()>;
}

kernels! {
    f32 Float2 transform_rows_f32;
    f64 Double2 transform_rows_f64;
}

/// The transform of the rows of an array, not scaled.
#[track_caller]
fn transform_rows<R: Real>(view: DeviceView<'_, Complex<R>>, kind: Kind) -> Result<DeviceArray<Complex<R>>>
where
    Complex<R>: Element,
{
    let stored = Stored::Array(view);
    let contiguous = Contiguous::of(&stored)?;
    let view = contiguous.view();
    let len = *view.shape().extents().last().expect("an axis");
    let mut result = DeviceArray::<Complex<R>>::unspecified(view.device(), view.shape())?.into_parts();
    let x = view.parts().as_slice().expect("the elements are in C order");
    R::transform_rows(x, result.slice_mut(..), len, matches!(kind, Kind::ComplexInverse))?;
    Ok(result.into_complex())
}

/// The transform along the last `axes` axes, not scaled.
#[track_caller]
pub(super) fn transform<R: Real>(view: DeviceView<'_, Complex<R>>, axes: usize, kind: Kind) -> Result<DeviceArray<Complex<R>>>
where
    Complex<R>: Element,
{
    let mut array = transform_rows(view, kind)?;
    let rank = view.rank();
    for axis in rank - axes..rank - 1 {
        let transformed = transform_rows(array.view().swap_axes(axis, rank - 1), kind)?;
        array = lazy(transformed.view().swap_axes(axis, rank - 1)).collect()?;
    }
    Ok(array)
}

/// The transform of floats along the last `axes` axes: the first half.
#[track_caller]
pub(super) fn transform_floats<R: Real>(floats: DeviceView<'_, R>, axes: usize) -> Result<DeviceArray<Complex<R>>>
where
    Complex<R>: Element,
{
    let all = transform(from_floats(floats)?.view(), axes, Kind::ComplexForward)?;
    let last = all.shape().rank() - 1;
    lazy(all.view().slice_axis(last, ..all.shape()[last] / 2 + 1)).collect()
}

/// The inverse of it, not scaled, which has that shape.
#[track_caller]
pub(super) fn inverse_of_floats<R: Real>(spectrum: DeviceArray<Complex<R>>, shape: Shape, axes: usize) -> Result<DeviceArray<R>>
where
    Complex<R>: Element,
{
    let last = shape.rank() - 1;
    let (len, half) = (shape[last], shape[last] / 2 + 1);
    // Along the other axes first: of what is then along the last one, the second half is the conjugate of the first, backwards.
    let mut spectrum = spectrum;
    for axis in shape.rank() - axes..last {
        let transformed = transform_rows(spectrum.view().swap_axes(axis, last), Kind::ComplexInverse)?;
        spectrum = lazy(transformed.view().swap_axes(axis, last)).collect()?;
    }
    let mut all = DeviceArray::<Complex<R>>::unspecified(spectrum.device(), shape)?.into_parts();
    let pairs: Vec<usize> = shape.extents().iter().copied().chain([2]).collect();
    let pairs = Shape::from_extents(&pairs).ok_or(Error::TooManyAxes { rank: shape.rank() + 1 })?;
    let backwards = spectrum.view().slice_axis(last, 1..len - half + 1).reverse_axis(last);
    all.view_mut().reshape(pairs)?.slice_axis(last, ..half).copy_from(spectrum.view().parts())?;
    all.view_mut().reshape(pairs)?.slice_axis(last, half..).index_axis(last + 1, 0).copy_from(backwards.re())?;
    all.view_mut().reshape(pairs)?.slice_axis(last, half..).index_axis(last + 1, 1).copy_from(neg::map(backwards.im()))?;
    let transformed = transform_rows(all.into_complex().view(), Kind::ComplexInverse)?;
    lazy(transformed.view().re()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrays::Fourier;
    use crate::device::Device;
    use crate::source::DeviceType;

    /// The largest distance of two elements.
    fn furthest<T: DeviceType>(found: &DeviceArray<T>, expected: &DeviceArray<T>, distance: impl Fn(&T, &T) -> f64) -> Result<f64> {
        assert_eq!(found.shape(), expected.shape());
        Ok(found.to_host()?.iter().zip(&expected.to_host()?).map(|(x, y)| distance(x, y)).fold(0.0, f64::max))
    }

    #[test]
    fn the_kernel_transforms_as_rustfft_does() -> Result<()> {
        let device = Device::cpu();
        let mut random = device.random(3);
        for [rows, len] in [[5, 8], [300, 16], [70, 32], [2, 512], [1, 1024], [3, 2048]] {
            let x = random.normal::<f32>([rows, 2 * len])?.into_complex();
            let forward = transform(x.view(), 1, Kind::ComplexForward)?;
            let error = furthest(&forward, &x.fft()?, |x, y| f64::from((x - y).norm()))?;
            assert!(error < 1e-6 * len as f64, "{rows} × {len}: {error}");
            let back = transform(forward.view(), 1, Kind::ComplexInverse)?;
            let error = furthest(&back, &x, |x, y| f64::from((x / len as f32 - y).norm()))?;
            assert!(error < 1e-5, "{rows} × {len} and back: {error}");
        }
        let floats: DeviceArray<f64> = random.normal([3, 8, 32, 16])?;
        let spectrum = transform_floats(floats.view(), 3)?;
        let error = furthest(&spectrum, &floats.rfft_axes([1, 2, 3])?, |x, y| (x - y).norm())?;
        assert!(error < 1e-12, "floats: {error}");
        let back = inverse_of_floats(spectrum, floats.shape(), 3)?;
        let error = furthest(&back, &floats, |x, y| (x / 4096.0 - y).abs())?;
        assert!(error < 1e-14, "floats and back: {error}");
        Ok(())
    }
}
