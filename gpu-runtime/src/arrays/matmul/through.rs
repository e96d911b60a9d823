//! Products of elements that [`ours`] does not know, by products of elements that it knows.

#[cfg(feature = "complex")]
use num_complex::Complex;

#[cfg(feature = "complex")]
use super::ours;
#[cfg(feature = "half")]
use super::tiles;
use crate::Result;
use crate::memory::{DeviceArray, DeviceView};

/// The products of halves: sums are `f32`.
#[cfg(feature = "half")]
#[track_caller]
pub(in crate::arrays) fn multiply_as_f32<T: crate::scalar::Num>(a: DeviceView<'_, T>, b: DeviceView<'_, T>) -> Result<DeviceArray<T>> {
    use crate::functions::cast;
    use crate::ufunc::lazy;

    let (a, b) = (cast::map::<T, f32, _>(lazy(a)).collect()?, cast::map::<T, f32, _>(lazy(b)).collect()?);
    let product = tiles::multiply(a.view(), b.view())?;
    cast::map::<f32, T, _>(&product).collect()
}

/// The products of complex numbers, by one product of real matrices.
///
/// A row of `a` in memory is `re, im, re, im, …`. Each element of `b` becomes two rows and two columns, `re, im` over `-im, re`. So the
/// product is in memory as complex numbers are.
#[cfg(feature = "complex")]
#[track_caller]
pub(in crate::arrays) fn multiply_parts<R>(a: DeviceView<'_, Complex<R>>, b: DeviceView<'_, Complex<R>>) -> Result<DeviceArray<Complex<R>>>
where
    R: crate::scalar::Signed + crate::ufunc::Accumulator,
    Complex<R>: crate::source::Element,
{
    use super::extents;
    use crate::arrays::Contiguous;
    use crate::ufunc::{ArrayMut, Stored};

    let ([batch, rows, inner], [.., columns]) = (extents(&a), extents(&b));
    let a = Stored::Array(a);
    let a = Contiguous::of(&a)?;
    let of_a = a.view().parts().reshape([batch, rows, 2 * inner])?;

    let mut twice = DeviceArray::<R>::unspecified(b.device(), [batch, inner, 2, columns, 2].into())?;
    let [re, im] = [0, 1].map(|part| b.parts().index_axis(3, part));
    for (row, column, is_negative, part) in [(0, 0, false, re), (0, 1, false, im), (1, 0, true, im), (1, 1, false, re)] {
        let quarter = twice.view_mut().index_axis(4, column).index_axis(2, row);
        match is_negative {
            true => quarter.copy_from(crate::functions::neg::map(part))?,
            false => quarter.copy_from(part)?,
        }
    }
    let twice = twice.reshape([batch, 2 * inner, 2 * columns])?;
    Ok(ours::multiply(of_a, twice.view())?.into_complex())
}
