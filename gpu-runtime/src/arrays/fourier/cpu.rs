//! Transforms along the last axes of an array on the CPU: rows by the crates rustfft and realfft, distributed over the cores.

use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use num_complex::Complex;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::Fft;

use super::{Kind, Real, inverse, permuted};
use crate::Result;
use crate::backend::{Access, MemoryUse, cpu};
use crate::device::Device;
use crate::failure::Work;
use crate::memory::{DeviceArray, DeviceView, DeviceViewMut};
use crate::scalar::Num;
use crate::source::{DeviceType, Element};

/// A float with functions of the CPU.
pub(super) trait CpuFloat: realfft::FftNum {
    /// What remembers the factors of each length.
    #[doc(hidden)]
    fn planner() -> &'static Mutex<Planners<Self>>;
}

/// The planners of complex numbers and of floats.
pub(super) struct Planners<R: realfft::FftNum> {
    complex: rustfft::FftPlanner<R>,
    real: RealFftPlanner<R>,
}

macro_rules! floats {
    ($($R:ty)*) => {$(
        impl CpuFloat for $R {
            fn planner() -> &'static Mutex<Planners<Self>> {
                static PLANNERS: LazyLock<Mutex<Planners<$R>>> =
                    LazyLock::new(|| Mutex::new(Planners { complex: rustfft::FftPlanner::new(), real: RealFftPlanner::new() }));
                &PLANNERS
            }
        }
    )*};
}

floats! { f32 f64 }

fn with_planners<R: CpuFloat, T>(plan: impl FnOnce(&mut Planners<R>) -> T) -> T {
    plan(&mut R::planner().lock().unwrap_or_else(PoisonError::into_inner))
}

/// The transform along the last `axes` axes, not scaled.
#[track_caller]
pub(super) fn transform<R: Real>(mut array: DeviceArray<Complex<R>>, axes: usize, kind: Kind) -> Result<DeviceArray<Complex<R>>>
where
    Complex<R>: Element,
{
    // Each in turn becomes the last axis.
    let rank = array.shape().rank();
    let turn: Vec<usize> = (0..rank - axes).chain([rank - 1]).chain(rank - axes..rank - 1).collect();
    for _ in 0..axes {
        transform_rows(&mut array, kind)?;
        array = permuted(array, &turn)?;
    }
    Ok(array)
}

#[track_caller]
fn transform_rows<R: Real>(array: &mut DeviceArray<Complex<R>>, kind: Kind) -> Result<()>
where
    Complex<R>: Element,
{
    let len = *array.shape().extents().last().expect("an axis");
    let fft: Arc<dyn Fft<R>> = with_planners::<R, _>(|planners| match kind {
        Kind::ComplexForward => planners.complex.plan_fft_forward(len),
        _ => planners.complex.plan_fft_inverse(len),
    });
    let device = array.device().clone();
    let view = array.view_mut();
    let uses = [view.memory_use(Access::Write)];
    let rows = Rows::of(view, len);
    rows.for_each_range(&device, &uses, |range| {
        let mut scratch = vec![Complex::new(<R as Num>::ZERO, <R as Num>::ZERO); fft.get_inplace_scratch_len()];
        // SAFETY: the range is that of this task.
        fft.process_with_scratch(unsafe { rows.slice(range) }, &mut scratch);
    })
}

/// The transform of floats along the last `axes` axes.
#[track_caller]
pub(super) fn transform_floats<R: Real>(
    floats: DeviceView<'_, R>,
    mut spectrum: DeviceArray<Complex<R>>,
    axes: usize,
) -> Result<DeviceArray<Complex<R>>>
where
    Complex<R>: Element,
{
    let len = *floats.shape().extents().last().expect("an axis");
    let fft: Arc<dyn RealToComplex<R>> = with_planners::<R, _>(|planners| planners.real.plan_fft_forward(len));
    let source = Rows { first: floats.pointer().cast_mut(), len, count: floats.len() / len };
    let view = spectrum.view_mut();
    let uses = [floats.memory_use(Access::Read), view.memory_use(Access::Write)];
    let target = Rows::of(view, len / 2 + 1);
    target.for_each_range(floats.device(), &uses, |range| {
        let (mut row, mut scratch) = (fft.make_input_vec(), fft.make_scratch_vec());
        for index in range {
            // SAFETY: the source is only read, and the row of the target is of this task.
            let target = unsafe {
                std::ptr::copy_nonoverlapping(source.first(index), row.as_mut_ptr(), row.len());
                target.slice(index..index + 1)
            };
            fft.process_with_scratch(&mut row, target, &mut scratch).expect("the lengths are those of the plan");
        }
    })?;
    others(spectrum, axes, Kind::ComplexForward)
}

/// The inverse of it, not scaled.
#[track_caller]
pub(super) fn inverse_of_floats<R: Real>(spectrum: DeviceArray<Complex<R>>, floats: &mut DeviceArray<R>, axes: usize) -> Result<()>
where
    Complex<R>: Element,
{
    let len = *floats.shape().extents().last().expect("an axis");
    let mut spectrum = others(spectrum, axes, Kind::ComplexInverse)?;
    let fft: Arc<dyn ComplexToReal<R>> = with_planners::<R, _>(|planners| planners.real.plan_fft_inverse(len));
    let device = spectrum.device().clone();
    let (of_spectrum, of_floats) = (spectrum.view_mut(), floats.view_mut());
    let uses = [of_spectrum.memory_use(Access::Write), of_floats.memory_use(Access::Write)];
    let (source, target) = (Rows::of(of_spectrum, len / 2 + 1), Rows::of(of_floats, len));
    target.for_each_range(&device, &uses, |range| {
        let mut scratch = fft.make_scratch_vec();
        for index in range {
            // SAFETY: both rows are of this task.
            let (source, target) = unsafe { (source.slice(index..index + 1), target.slice(index..index + 1)) };
            // Floats have no such parts; like NumPy, ignore them.
            source[0].im = <R as Num>::ZERO;
            if len.is_multiple_of(2) {
                source[len / 2].im = <R as Num>::ZERO;
            }
            fft.process_with_scratch(source, target, &mut scratch).expect("the lengths are those of the plan");
        }
    })
}

/// The transform along the last `axes` axes but the very last.
#[track_caller]
fn others<R: Real>(spectrum: DeviceArray<Complex<R>>, axes: usize, kind: Kind) -> Result<DeviceArray<Complex<R>>>
where
    Complex<R>: Element,
{
    if axes == 1 {
        return Ok(spectrum);
    }
    let rank = spectrum.shape().rank();
    let order: Vec<usize> = (0..rank - axes).chain([rank - 1]).chain(rank - axes..rank - 1).collect();
    let moved = transform(permuted(spectrum, &order)?, axes - 1, kind)?;
    permuted(moved, &inverse(&order))
}

/// The rows of an array in host memory.
struct Rows<T> {
    first: *mut T,
    len: usize,
    count: usize,
}

// SAFETY: a row is used by one task.
unsafe impl<T: Send> Sync for Rows<T> {}

/// Elements of a task at least.
const LEAST_ELEMENTS: usize = 1 << 13;

impl<T: DeviceType> Rows<T> {
    fn of(view: DeviceViewMut<'_, T>, len: usize) -> Self {
        Self { first: view.pointer(), len, count: view.len() / len }
    }

    /// Calls `run` for ranges of the rows, in parallel, as work of the device that uses memory in these ways.
    #[track_caller]
    fn for_each_range(&self, device: &Device, uses: &[MemoryUse<'_>], run: impl Fn(Range<usize>) + Sync) -> Result<()> {
        let grain = LEAST_ELEMENTS.div_ceil(self.len);
        let run = |_: &cpu::Thread<'_>, range: Range<usize>| {
            run(range);
            Ok(())
        };
        device.queue().ordered(uses, || Ok(cpu::for_each_range("fft", Work::Fold, self.count, grain, &run)?))
    }

    /// Where a row begins.
    fn first(&self, row: usize) -> *mut T {
        self.first.wrapping_add(row * self.len)
    }

    /// The elements of these rows.
    ///
    /// # Safety
    ///
    /// Nothing else may use them.
    #[allow(clippy::mut_from_ref, reason = "tasks use different rows")]
    unsafe fn slice(&self, rows: Range<usize>) -> &mut [T] {
        // SAFETY: the rows are in the array; the caller guarantees the rest.
        unsafe { std::slice::from_raw_parts_mut(self.first(rows.start), rows.len() * self.len) }
    }
}
