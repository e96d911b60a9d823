//! Array functions that are kernels, on every device: selections, products, statistics, random arrays.

#[path = "array_kernels/matrices.rs"]
mod matrices;
#[path = "array_kernels/products_in_expressions.rs"]
mod products_in_expressions;
#[path = "array_kernels/random.rs"]
mod random;
#[path = "array_kernels/scattered.rs"]
mod scattered;
mod support;

use gpu_runtime::prelude::*;
use gpu_runtime::{Error, Result, Shape, einsum, matmul};
use ndarray::{Array3, Axis};
use support::devices;

/// A number from 0 up to `below` that depends on `i`, without pattern.
fn scrambled(i: usize, below: usize) -> usize {
    (i.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31) ^ i).wrapping_mul(0xbf58_476d_1ce4_e5b9) as u32 as usize % below
}

fn array<T: DeviceType>(device: &Device, shape: impl Into<Shape>, elements: &[T]) -> DeviceArray<T> {
    device.to_device(elements).unwrap().reshape(shape).unwrap()
}

#[test]
fn masks_select_elements_in_order() -> Result<()> {
    for device in devices("masks_select_elements_in_order") {
        for len in [0, 1, 2, 33, 1000, 70_001] {
            let host: Vec<i32> = (0..len).map(|i| scrambled(i, 100) as i32 - 50).collect();
            let x = device.to_device(&host)?;
            let positive: Vec<i32> = host.iter().copied().filter(|x| *x > 0).collect();
            assert_eq!(x.filter(x.gt(0))?.to_host()?, positive, "{len} elements");
            let indices: Vec<usize> = (0..len).filter(|&i| host[i] < -20).collect();
            assert_eq!(x.lt(-20).nonzero()?.to_host()?, indices, "{len} elements");
            assert_eq!(x.ne(&x).count()?, 0);
        }
        let x = array(&device, [2, 3], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let (t, even) = (x.view().t(), (x.view().t() % 2.0).eq(0.0));
        assert_eq!((t.filter(&even)?.to_host()?, t.filter(even)?.shape()), (vec![4.0, 2.0, 6.0], [3].into()));
        assert_eq!((&x * 2.0).filter(device.full([2, 3], true)?.view())?.len(), 6);
        assert!(matches!(x.filter(t.gt(0.0)), Err(Error::ShapeMismatch { .. })));
    }
    Ok(())
}

/// An element of sixteen bytes is larger than any number of the kernels that move elements.
#[test]
fn complex_numbers_are_selected_like_others() -> Result<()> {
    use num_complex::Complex;
    for device in devices("complex_numbers_are_selected_like_others") {
        let host: Vec<Complex<f64>> = (0..12).map(|i| Complex::new(f64::from(i), f64::from(-i))).collect();
        let z = array(&device, [3, 4], &host);
        assert_eq!(z.filter(z.re().gt(8.0))?.to_host()?, host[9..]);
        let flat = z.view().reshape([12])?;
        let indices = device.to_device(&[7u32, 0, 7])?;
        assert_eq!(flat.take(&indices)?.to_host()?, [host[7], host[0], host[7]]);
        assert_eq!(z.take_axis(&device.to_device(&[3u8, 1])?, 1)?.to_host()?, [3, 1, 7, 5, 11, 9].map(|i| host[i]));
        assert_eq!(z.take(&device.to_device(&[2])?)?.to_host()?, host[8..]);
        assert!(matches!(flat.take(&device.to_device(&[12])?).and_then(|taken| taken.to_host()), Err(Error::KernelFailed(_))));
    }
    Ok(())
}

/// Where another device is the best, it must not get them.
#[test]
fn values_without_a_device_follow_the_array() -> Result<()> {
    for device in devices("values_without_a_device_follow_the_array") {
        let x = device.to_device(&[2.0, 0.5, 1.0])?;
        let (sorted, order) = x.sort_with(iota(3))?;
        assert_eq!((sorted.to_host()?, order.to_host()?), (vec![0.5, 1.0, 2.0], vec![1, 2, 0]));
        assert_eq!(lazy(&[3.0f64, 1.0, 2.0]).sort_with(&x)?.1.to_host()?, [0.5, 1.0, 2.0]);
        assert_eq!(sorted.searchsorted(lazy(&[0.75, 3.0]))?.to_host()?, [1, 3]);
        assert_eq!(x.take(lazy(&[2, 0]))?.to_host()?, [1.0, 2.0]);
        assert_eq!(x.filter(iota(3).gt(0))?.to_host()?, [0.5, 1.0]);
        assert_eq!(x.convolve(lazy(&[1.0, 1.0]))?.to_host()?, [2.0, 2.5, 1.5, 1.0]);
        assert_eq!(lazy(&[0.0, 0.5]).interp(iota(3).cast::<f64>(), &x)?.to_host()?, [2.0, 1.25]);
        assert_eq!(x.sum_by(iota(3) % 2, 2)?.to_host()?, [3.0, 0.5]);
        assert_eq!(x.mean_by(iota(3) % 2, 2)?.to_host()?, [1.5, 0.5]);
        assert_eq!(lazy(&[1.0, 1.0, 1.0]).matmul(&x)?.to_host()?, [3.5]);
        assert_eq!(matmul(&x, iota(3).cast::<f64>()).collect()?.to_host()?, [2.5]);
        assert_eq!(einsum("i,i->", &x, iota(3).cast::<f64>())?.to_host()?, [2.5]);
    }
    Ok(())
}

#[test]
fn indices_take_parts_along_any_axis() -> Result<()> {
    for device in devices("indices_take_parts_along_any_axis") {
        let host = Array3::from_shape_fn((4, 5, 3), |(i, j, k)| (100 * i + 10 * j + k) as u16);
        let x = array(&device, [4, 5, 3], host.as_slice().unwrap());
        let indices = [2usize, 0, 2, 1];
        let on_device = device.to_device(&indices.map(|i| i as i8))?;
        for axis in 0..3 {
            let expected = host.select(Axis(axis), &indices);
            let taken = x.take_axis(&on_device, axis)?;
            assert_eq!((taken.shape(), taken.to_host()?), (Shape::from_extents(expected.shape()).unwrap(), expected.into_iter().collect()));
        }
        let reversed = x.view().reverse_axis(0).take(&device.to_device(&[0u64])?)?;
        assert_eq!(reversed.to_host()?, host.index_axis(Axis(0), 3).iter().copied().collect::<Vec<_>>());
        assert_eq!(x.take(iota(0).on(&device))?.shape(), [0, 5, 3]);
        assert!(matches!(x.take_axis(&on_device, 3), Err(Error::AxisOutOfRange { axis: 3, .. })));
        // Indices of any shape.
        let square = array(&device, [2, 2], &indices);
        for axis in 0..3 {
            let (found, expected) = (x.take_axis(&square, axis)?, x.take_axis(&on_device, axis)?);
            let mut extents = expected.shape().extents().to_vec();
            extents.splice(axis..=axis, [2, 2]);
            assert_eq!((found.shape().extents(), found.to_host()?), (&extents[..], expected.to_host()?));
        }
        let one = x.take_axis(&array(&device, [], &[3u8]), 1)?;
        assert_eq!((one.shape(), one.to_host()?), ([4, 3].into(), x.view().index_axis(1, 3).to_host()?));
        let deep = device.zeros::<i32>([1; 7])?;
        assert!(matches!(x.take(&deep), Err(Error::ResultTooManyAxes { function: "take", rank: 9, .. })));
        for wrong in [4i32, -1] {
            let error = x.take(&device.to_device(&[0, wrong])?).and_then(|taken| taken.to_host()).unwrap_err();
            assert!(matches!(error, Error::KernelFailed(_)), "{error}");
        }
    }
    Ok(())
}

#[test]
fn indices_take_an_element_each_along_any_axis() -> Result<()> {
    for device in devices("indices_take_an_element_each_along_any_axis") {
        let host = Array3::from_shape_fn((4, 5, 3), |(i, j, k)| ((7 * i + 13 * j + 31 * k) % 50) as i16);
        let x = array(&device, [4, 5, 3], host.as_slice().unwrap());
        for axis in 0..3 {
            let order = x.argsort_axis(axis)?;
            assert_eq!(x.take_along_axis(&order, axis)?.to_host()?, x.sort_axis(axis)?.to_host()?);
            let greatest = x.take_along_axis(x.argmax_axis(axis)?.view().insert_axis(axis).cast::<u8>(), axis)?;
            assert_eq!(greatest.to_host()?, x.max_axis(axis)?.to_host()?);
            let wide = x.cast::<f64>().cast::<num_complex::Complex<f64>>().take_along_axis(&order, axis)?;
            assert_eq!(wide.view().re().cast::<i16>().to_host()?, x.sort_axis(axis)?.to_host()?);
            let turned = x.view().permute([2, 0, 1]).take_along_axis(order.view().permute([2, 0, 1]), (axis + 1) % 3)?;
            assert_eq!(lazy(turned.view().permute([1, 2, 0])).to_host()?, x.sort_axis(axis)?.to_host()?);
        }
        assert_eq!(x.take_along_axis(device.zeros::<u32>([4, 0, 3])?.view(), 1)?.shape(), [4, 0, 3]);
        assert!(matches!(x.take_along_axis(device.zeros::<u32>([4, 5, 2])?.view(), 1), Err(Error::ShapeMismatch { .. })));
        assert!(matches!(x.take_along_axis(device.zeros::<u32>([4, 5])?.view(), 1), Err(Error::ShapeMismatch { .. })));
        assert!(matches!(x.take_along_axis(&x, 3), Err(Error::AxisOutOfRange { axis: 3, .. })));
        for wrong in [5i32, -1] {
            let indices = device.full([4, 1, 3], wrong)?;
            let error = x.take_along_axis(&indices, 1).and_then(|taken| taken.to_host()).unwrap_err();
            assert!(matches!(error, Error::KernelFailed(_)), "{error}");
        }
    }
    Ok(())
}

#[test]
fn the_last_value_of_an_index_stays() -> Result<()> {
    for device in devices("the_last_value_of_an_index_stays") {
        let (len, count) = (1000, 5000);
        let indices: Vec<u32> = (0..count).map(|i| scrambled(i, len) as u32 / 2 * 2).collect();
        let mut expected: Vec<i64> = (0..len as i64).collect();
        let mut x = array(&device, [50, 20], &expected);
        for (i, &index) in indices.iter().enumerate() {
            expected[index as usize] = -(i as i64);
        }
        let values = -iota(count).cast::<i64>();
        x.put(&device.to_device(&indices)?, values)?;
        assert_eq!(x.to_host()?, expected);
        // Elements of several words, one value for all, and indices in two axes.
        let complex = |re: f64| num_complex::Complex::new(re, -re);
        let mut z = device.to_device(&[1.0; 4].map(complex))?;
        z.put(&device.to_device(&[2u8, 0])?, &[7.0, 4.0].map(complex))?;
        assert_eq!(z.to_host()?, [4.0, 1.0, 7.0, 1.0].map(complex));
        let mut flags = device.zeros::<bool>(5)?;
        flags.put(array(&device, [2, 1], &[4i64, 1]).view(), true)?;
        assert_eq!(flags.to_host()?, [false, true, false, false, true]);
        flags.put(lazy(&[0usize; 0]), false)?;
        assert!(matches!(flags.put(lazy(&[0, 1]), &[true; 3]), Err(Error::ShapeMismatch { .. })));
        for wrong in [5i32, -1] {
            let error = flags.put(lazy(&[wrong]), true).and_then(|()| flags.to_host().map(drop)).unwrap_err();
            assert!(matches!(error, Error::KernelFailed(_)), "{error}");
        }
    }
    Ok(())
}

/// Long enough for scans in several tiles, along rows and columns.
#[test]
fn complex_numbers_have_means_variances_and_scans() -> Result<()> {
    use num_complex::Complex;
    for device in devices("complex_numbers_have_means_variances_and_scans") {
        for shape in [[1, 5], [3, 4], [2, 10_000], [10_000, 2]] {
            let len: usize = shape.iter().product();
            // Multiples of 1/2: every sum is exact, in any order.
            let part = |i| scrambled(i, 101) as f64 / 2.0 - 25.0;
            let host: Vec<Complex<f64>> = (0..len).map(|i| Complex::new(part(i), part(i + len))).collect();
            let expected = ndarray::Array2::from_shape_vec(shape, host.clone()).expect("a matrix");
            let z = array(&device, shape, &host);
            let mean = host.iter().sum::<Complex<f64>>() / len as f64;
            assert_eq!(z.mean()?, mean);
            let variance = host.iter().map(|z| (z - mean).norm_sqr()).sum::<f64>() / len as f64;
            let close = |found: f64, expected: f64| assert!((found - expected).abs() <= 1e-12 * expected, "{found}, not {expected}");
            close(z.var(0)?, variance);
            close(z.std(0)?, variance.sqrt());
            for axis in [0, 1] {
                let means: Vec<_> = expected.lanes(Axis(axis)).into_iter().map(|lane| lane.sum() / lane.len() as f64).collect();
                assert_eq!(z.mean_axis(axis)?.to_host()?, means, "{shape:?}, axis {axis}");
                let lanes = expected.lanes(Axis(axis)).into_iter().zip(&means);
                let variances = lanes.map(|(lane, mean)| lane.iter().map(|z| (z - mean).norm_sqr()).sum::<f64>() / lane.len() as f64);
                z.var_axis(axis, 0)?.to_host()?.into_iter().zip(variances).for_each(|(found, expected)| close(found, expected));
                let (mut sums, mut before) = (expected.clone(), expected.clone());
                sums.accumulate_axis_inplace(Axis(axis), |before, z| *z += before);
                assert_eq!(z.cumsum_axis(axis)?.to_host()?, sums.iter().copied().collect::<Vec<_>>(), "{shape:?}, axis {axis}");
                before.zip_mut_with(&sums, |z, sum| *z = sum - *z);
                assert_eq!(z.exclusive_sum_axis(axis)?.to_host()?, before.iter().copied().collect::<Vec<_>>(), "{shape:?}, axis {axis}");
                // Powers of i: every product is exact.
                let powers = expected.mapv(|z| Complex::new(0.0, 1.0).powu((2.0 * z.re) as i32 as u32 % 4));
                let mut products = powers.clone();
                products.accumulate_axis_inplace(Axis(axis), |before, z| *z *= before);
                let powers = array(&device, shape, powers.as_slice().expect("in C order"));
                assert_eq!(powers.cumprod_axis(axis)?.to_host()?, products.iter().copied().collect::<Vec<_>>(), "{shape:?}, axis {axis}");
            }
        }
        let single: DeviceArray<Complex<f32>> = device.full([6], Complex::new(1.5f32, -2.0))?;
        assert_eq!((single.mean()?, single.var(0)?), (Complex::new(1.5, -2.0), 0.0));
        assert!(single.view().slice_axis(0, ..0).mean()?.re.is_nan());
    }
    Ok(())
}

#[test]
fn variances_are_those_of_numpy() -> Result<()> {
    let close = |found: f64, expected: f64| assert!((found - expected).abs() <= 1e-12 * expected, "{found}, not {expected}");
    for device in devices("variances_are_those_of_numpy") {
        // np.arange(12.0).reshape(3, 4) ** 2
        let x = (iota([3, 4]).cast::<f64>().on(&device)).square().collect()?;
        close(x.var(0)?, 1_553.138_888_888_889);
        close(x.std(1)?, (1_553.138_888_888_889_f64 * 12.0 / 11.0).sqrt());
        let rows = x.var_axis(1, 0)?.to_host()?;
        let expected = [12.25, 152.25, 452.25];
        rows.iter().zip(expected).for_each(|(&found, expected)| close(found, expected));
        let all = x.std_axis([0, 1], 0)?.to_host()?;
        close(all[0], x.std(0)?);
        // Far from zero, the squares of the numbers would have no digits left.
        close((&x + 1e9).var(0)?.round(), 1553.0);
        assert!(x.view().slice_axis(0, ..0).var(0)?.is_nan());
    }
    Ok(())
}

#[test]
fn variances_do_not_depend_on_the_rounding_of_the_mean() -> Result<()> {
    for device in devices("variances_do_not_depend_on_the_rounding_of_the_mean") {
        for n in [2, 1000, 10_000, 1_000_000] {
            let alternating: Vec<f32> = (0..n).map(|k| 1e6 + (k % 2) as f32).collect();
            let x = device.to_device(&alternating)?;
            let (deviation, variance) = (x.std(0)?, x.var(0)?);
            assert!((deviation - 0.5).abs() < 1e-5 && (variance - 0.25).abs() < 1e-5, "{n}: {deviation} {variance}");
            let rows = x.reshape([2, n / 2])?;
            assert!(rows.view().t().std_axis(0, 0)?.to_host()?.iter().all(|x| n == 2 || (x - 0.5).abs() < 1e-5), "{n}");
            if n > 2 {
                let covariances = rows.cov(0)?.to_host()?;
                assert!(covariances.iter().all(|x| (x - 0.25).abs() < 1e-5), "{n}: {covariances:?}");
                assert!(rows.corrcoef()?.to_host()?.iter().all(|x| (x - 1.0).abs() < 1e-5), "{n}");
            }
        }
        // All equal.
        let same = device.full(100_003, 1e7f32 / 3.0)?;
        assert!(same.std(0)? < 1e-3, "{}", same.std(0)?);
        let z = device.full(100_003, 1e7f32)?.cast::<num_complex::Complex<f32>>().collect()?;
        assert_eq!(z.std(0)?, 0.0);
    }
    Ok(())
}

#[test]
fn expressions_that_own_an_array_have_all_methods() -> Result<()> {
    /// Of any array.
    fn spread(x: impl ArrayLike<Item = f64>) -> Result<f64> {
        x.lazy().std(0)
    }

    for device in devices("expressions_that_own_an_array_have_all_methods") {
        let x = device.to_device(&[1.0f64, 2.0, 3.0, 4.0])?.reshape([2, 2])?;
        let w = device.eye::<f64>(2)?;
        let owned = || Ok::<_, Error>(x.matmul(&w)? + 1.0);
        assert_eq!((owned()?.std(0)?, owned()?.var(0)?, spread(owned()?)?), (1.25f64.sqrt(), 1.25, 1.25f64.sqrt()));
        assert_eq!(owned()?.var_axis(0, 0)?.to_host()?, [1.0, 1.0]);
        assert_eq!(owned()?.std_axis(1, 0)?.to_host()?, [0.5, 0.5]);
        assert_eq!((owned()?.cov(1)?.to_host()?, owned()?.corrcoef()?.to_host()?), (vec![0.5; 4], vec![1.0; 4]));
        assert_eq!(owned()?.diff(1).to_host()?, [1.0, 1.0]);
        assert_eq!(owned()?.roll_axis(1, 1)?.to_host()?, [3.0, 2.0, 5.0, 4.0]);
        let twice = owned()?;
        assert_eq!((&twice * &twice + &twice).to_host()?, [6.0, 12.0, 20.0, 30.0]);
        assert_eq!((matmul(&x, &w) + x.sum_axis(0)?).std(0)?, 3.25f64.sqrt());
    }
    Ok(())
}

#[test]
fn sorting_is_stable_ascending_and_along_any_axis() -> Result<()> {
    for device in devices("sorting_is_stable_ascending_and_along_any_axis") {
        for shape in [[1, 1, 1], [2, 37, 3], [3, 1, 64], [1, 1, 10_000], [0, 4, 2], [2, 0, 2]] {
            // Few different values, so that many are equal.
            let host = Array3::from_shape_fn(shape, |(i, j, k)| scrambled(100 * i + 10 * j + k, 11) as i16 - 5);
            let x = array(&device, shape, host.as_slice().unwrap());
            for axis in 0..3 {
                let (mut sorted, mut order) = (host.clone(), host.mapv(|_| 0usize));
                for (mut keys, mut indices) in sorted.lanes_mut(Axis(axis)).into_iter().zip(order.lanes_mut(Axis(axis))) {
                    let mut pairs: Vec<(i16, usize)> = keys.iter().copied().zip(0..).collect();
                    pairs.sort();
                    for (place, (key, index)) in pairs.into_iter().enumerate() {
                        (keys[place], indices[place]) = (key, index);
                    }
                }
                assert_eq!(x.sort_axis(axis)?.to_host()?, sorted.iter().copied().collect::<Vec<_>>(), "{shape:?}, axis {axis}");
                assert_eq!(x.argsort_axis(axis)?.to_host()?, order.iter().copied().collect::<Vec<_>>(), "{shape:?}, axis {axis}");
            }
        }
        let x = device.to_device(&[2.0f32, f32::NAN, -0.0, f32::NEG_INFINITY, 0.0, f32::NAN])?;
        assert_eq!(x.argsort()?.to_host()?, [3, 2, 4, 0, 1, 5]);
        assert_eq!((-&x.slice(2..5)).sort()?.to_host()?, [0.0, 0.0, f32::INFINITY]);
        assert!(matches!(device.full([], 1)?.sort(), Err(Error::AxisOutOfRange { .. })));
        let b = array(&device, [2, 3], &[true, false, true, false, true, false]);
        assert_eq!(
            (b.sort()?.to_host()?, b.sort_axis(0)?.to_host()?),
            (vec![false, true, true, false, false, true], vec![false, false, false, true, true, true])
        );
        assert_eq!((b.argsort()?.to_host()?, b.unique()?.to_host()?), (vec![1, 0, 2, 0, 2, 1], vec![false, true]));
        let halves = [2.0, f32::NAN, -0.5, f32::NEG_INFINITY, 0.0, -0.0].map(half::f16::from_f32);
        assert_eq!(device.to_device(&halves)?.argsort()?.to_host()?, [3, 2, 4, 5, 0, 1]);
    }
    Ok(())
}

#[test]
fn sorted_elements_have_quantiles_and_are_searched() -> Result<()> {
    for device in devices("sorted_elements_have_quantiles_and_are_searched") {
        let x = array(&device, [2, 3], &[5.0f64, 1.0, 4.0, 2.0, 2.0, 8.0]);
        assert_eq!((x.median()?, x.quantile(0.0)?, x.quantile(1.0)?, x.quantile(0.9)?), (3.0, 1.0, 8.0, 6.5));
        assert!((&x / (&x - 5.0).abs().minimum(1.0) * 0.0).median()?.is_nan());
        assert!(matches!(x.slice(..0).median(), Err(Error::EmptyReduction { function: "median", .. })));
        let ends = device.to_device(&[f64::NEG_INFINITY, 1.0, f64::INFINITY])?;
        assert_eq!([0.25, 0.5, 0.75].map(|q| ends.quantile(q).unwrap()), [f64::NEG_INFINITY, 1.0, f64::INFINITY]);
        assert_eq!(x.unique()?.to_host()?, [1.0, 2.0, 4.0, 5.0, 8.0]);
        let with_nan = device.to_device(&[f32::NAN, 1.0, f32::NAN, 1.0])?.unique()?.to_host()?;
        assert!(with_nan.len() == 2 && with_nan[0] == 1.0 && with_nan[1].is_nan(), "{with_nan:?}");
        assert_eq!(device.zeros::<i32>(0)?.unique()?.len(), 0);
        let sorted = device.to_device(&[1, 3, 3, 7])?;
        let values = array(&device, [2, 3], &[0, 1, 2, 3, 7, 9]);
        let places = sorted.searchsorted(&values)?;
        assert_eq!((places.shape(), places.to_host()?), ([2, 3].into(), vec![0, 0, 1, 1, 3, 4]));
        let places = sorted.searchsorted_right(&values)?;
        assert_eq!((places.shape(), places.to_host()?), ([2, 3].into(), vec![0, 1, 1, 3, 4, 4]));
        let ends = device.to_device(&[1.0, 2.0, f64::NAN])?;
        assert_eq!(ends.searchsorted_right(lazy(&[2.0, f64::NAN, 0.0]))?.to_host()?, [2, 3, 0]);
        assert!(matches!(values.searchsorted(&sorted), Err(Error::ShapeMismatch { .. })));
        let mut permutation = device.random(3).permutation(1000)?.to_host()?;
        assert_ne!(permutation[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        permutation.sort();
        assert!(permutation.into_iter().eq(0..1000));
        let chosen = device.random(3).choice(sorted.view(), 1000)?.to_host()?;
        assert!(chosen.iter().all(|x| sorted.to_host().unwrap().contains(x)) && chosen.iter().any(|x| *x != chosen[0]));
        assert_eq!(device.random(3).choice(sorted.view(), 1000)?.to_host()?, chosen);
    }
    Ok(())
}

#[test]
fn long_arrays_are_sorted_with_their_values() -> Result<()> {
    for device in devices("long_arrays_are_sorted_with_their_values") {
        for len in [4095, 4097, 30_003] {
            let numbers: Vec<i64> = (0..len).map(|i| scrambled(i, 1 << 20) as i64 - 1000).collect();
            let mut order: Vec<usize> = (0..len).collect();
            order.sort_by_key(|&i| numbers[i]);
            let sorted: Vec<i64> = order.iter().map(|&i| numbers[i]).collect();
            let x = device.to_device(&numbers)?;
            assert!(x.sort()?.to_host()? == sorted, "{len} numbers on {device}");
            assert!(x.argsort()?.to_host()? == order, "{len} numbers on {device}");
            let floats = (x.cast::<f32>() / 8.0).collect()?;
            assert!(floats.argsort()?.to_host()? == order, "{len} floats on {device}");
            let values: Vec<u32> = (0..len as u32).collect();
            let (keys, small) = floats.sort_with(&device.to_device(&values)?)?;
            assert!(keys.to_host()?.iter().zip(&sorted).all(|(x, i)| *x == *i as f32 / 8.0), "{len} floats on {device}");
            assert!(small.to_host()?.iter().zip(&order).all(|(x, i)| *x as usize == *i), "{len} floats on {device}");
            let (_, large) = x.cast::<u16>().sort_with(x.cast::<f64>())?;
            let mut expected = numbers.clone();
            expected.sort_by_key(|&x| x as u16);
            assert!(large.cast::<i64>().collect()?.to_host()? == expected, "{len} shorts on {device}");
        }
    }
    Ok(())
}

/// On a GPU, with more tiles of 2,816 elements than there are in 32 groups of 32 groups of 32: the last level of the scan in one pass.
#[test]
fn scans_of_many_elements_are_right_at_each() -> Result<()> {
    for device in devices("scans_of_many_elements_are_right_at_each") {
        let n = if device.is_gpu() { 100_000_000 } else { 100_003 };
        let sums = (iota(n) % 3).cast::<u64>().on(&device).cumsum()?;
        let ends = iota(n) + 1;
        let expected = (&ends / 3 * 3 + &ends % 3 / 2).cast::<u64>();
        assert_eq!(sums.ne(expected).count()?, 0, "{device}");
    }
    Ok(())
}

#[test]
fn groups_are_reduced_by_key() -> Result<()> {
    for device in devices("groups_are_reduced_by_key") {
        let (x, keys) = (device.to_device(&[3, -1, 4, 1, -5, 9])?, device.to_device(&[1u8, 3, 1, 0, 3, 1])?);
        assert_eq!(x.sum_by(&keys, 4)?.to_host()?, [1, 16, 0, -6]);
        assert_eq!(x.min_by(&keys, 4)?.to_host()?, [1, 3, i32::MAX, -5]);
        assert_eq!((&x * 2).max_by(&keys, 4)?.to_host()?, [2, 18, i32::MIN, -2]);
        let means = (x.cast::<f64>() / 2.0).mean_by(&keys, 4)?.to_host()?;
        assert!(means[..2] == [0.5, 8.0 / 3.0] && means[2].is_nan() && means[3] == -1.5, "{means:?}");
        let values = device.to_device(&[0.0f32, 0.5, 2.0, -0.1, f32::NAN, 1.999])?;
        assert_eq!(x.sum_by_bins(&values, 4, 0.0..=2.0)?.to_host()?, [3, -1, 0, 13]);
        assert_eq!(x.sum_by_bins(&values, 1, 5.0..=6.0)?.to_host()?, [0]);
        assert!(matches!(x.sum_by_bins(&values, 0, 0.0..=2.0), Err(Error::Bins { .. })));
        let infinite = device.to_device(&[f32::INFINITY, f32::NAN])?;
        assert_eq!(infinite.slice(..1).min_by(&device.to_device(&[0u32])?, 2)?.to_host()?, [f32::INFINITY; 2]);
        assert!(infinite.max_by(&device.to_device(&[0u32, 0])?, 1)?.to_host()?[0].is_nan());
        assert!(matches!(x.sum_by(keys.slice(1..), 4), Err(Error::BroadcastMismatch { .. })));
        assert!(matches!(x.sum_by(&keys, 3).and_then(|sums| sums.to_host()), Err(Error::KernelFailed(_))));
    }
    Ok(())
}

#[test]
fn samples_are_convolved_and_interpolated_as_by_numpy() -> Result<()> {
    for device in devices("samples_are_convolved_and_interpolated_as_by_numpy") {
        let (x, w) = (device.to_device(&[1, 2, 3])?, device.to_device(&[0, 1, 5, -1])?);
        assert_eq!(x.convolve(&w)?.to_host()?, [0, 1, 7, 12, 13, -3]);
        assert_eq!(w.convolve(&x)?.to_host()?, [0, 1, 7, 12, 13, -3]);
        assert!(matches!(x.convolve(w.slice(..0)), Err(Error::ShapeMismatch { .. })));
        let (xs, ys) = (device.to_device(&[1.0f32, 2.0, 4.0])?, device.to_device(&[3.0f32, 2.0, 0.5])?);
        let at = array(&device, [2, 4], &[0.0f32, 1.0, 1.5, 2.0, 3.0, 4.0, 9.0, f32::NAN]);
        let found = at.interp(&xs, &ys)?;
        assert_eq!((found.shape(), &found.to_host()?[..7]), ([2, 4].into(), &[3.0, 3.0, 2.5, 2.0, 1.25, 0.5, 0.5][..]));
        assert!(found.to_host()?[7].is_nan());
        // `np.interp` of each number.
        let inf = f64::INFINITY;
        for (at, xs, ys, expected) in [
            (1.0, [0.0, 2.0], [inf, inf], inf),
            (1.0, [0.0, 2.0], [-inf, -inf], -inf),
            (1.0, [0.0, 2.0], [inf, 3.0], inf),
            (1.0, [0.0, 2.0], [3.0, inf], inf),
            (1.0, [0.0, 2.0], [-inf, inf], f64::NAN),
            (1.0, [-inf, 2.0], [3.0, 5.0], 5.0),
            (1.0, [0.0, inf], [3.0, 5.0], 3.0),
            (1.0, [-inf, inf], [3.0, 3.0], 3.0),
            (2.0, [0.0, 2.0], [inf, 3.0], 3.0),
        ] {
            let found = device.to_device(&[at])?.interp(lazy(&xs), lazy(&ys))?.to_host()?[0];
            assert!(found == expected || found.is_nan() && expected.is_nan(), "{at} between {xs:?} of {ys:?}: {found}, not {expected}");
        }
        for (xs, ys, expected) in
            [(&[0.0, 1.0, 1.0, 2.0][..], &[0.0, 0.0, 10.0, 10.0][..], 10.0), (&[1.0, 1.0, 2.0], &[3.0, 5.0, 7.0], 5.0)]
        {
            let found = device.to_device(&[1.0])?.interp(&device.to_device(xs)?, &device.to_device(ys)?)?;
            assert_eq!(found.to_host()?, [expected], "1 among {xs:?} of {ys:?}");
        }
    }
    Ok(())
}

#[test]
fn the_largest_elements_come_with_their_indices() -> Result<()> {
    for device in devices("the_largest_elements_come_with_their_indices") {
        let x = device.to_device(&[3.0, 7.0, -1.0, 7.0, 5.0])?;
        let (values, indices) = x.top_k(3)?;
        assert_eq!((values.to_host()?, indices.to_host()?), (vec![7.0, 7.0, 5.0], vec![1, 3, 4]));
        assert_eq!(x.top_k(0)?.0.len(), 0);

        // Along rows and columns, with equal elements and NaN.
        let host = [3.0, 7.0, -1.0, 7.0, f64::NAN, 2.0, 2.0, 5.0];
        let x = device.to_device(&host)?.reshape([2, 4])?;
        let (values, indices) = x.top_k_axis(3, 1)?;
        assert_eq!((values.shape(), indices.to_host()?), ([2, 3].into(), vec![1, 3, 0, 0, 3, 1]));
        assert!(values.to_host()?.iter().zip([7.0, 7.0, 3.0, f64::NAN, 5.0, 2.0]).all(|(a, b)| a.to_bits() == b.to_bits()));
        let (values, indices) = x.top_k_axis(1, 0)?;
        assert_eq!((values.shape(), indices.to_host()?), ([1, 4].into(), vec![1, 0, 1, 0]));
        assert_eq!(x.cast::<f32>().top_k_axis(0, 1)?.0.shape(), [2, 0]);
        assert!(matches!(x.top_k_axis(1, 2), Err(Error::AxisOutOfRange { function: "top_k", axis: 2, .. })));
    }
    Ok(())
}

#[test]
fn truth_values_are_selected_and_quantiles_are_those_of_sorted_elements() -> Result<()> {
    for device in devices("truth_values_are_selected_and_quantiles_are_those_of_sorted_elements") {
        let flags = device.to_device(&[true, false, true])?;
        assert_eq!(flags.filter(&device.to_device(&[false, true, true])?)?.to_host()?, [false, true]);
        assert_eq!(flags.take(&device.to_device(&[1u8, 2])?)?.to_host()?, [false, true]);
        for len in [1, 2, 5, 5000, 100_001] {
            let mut host: Vec<f64> = (0..len).map(|i| scrambled(i, 40_000) as f64 / 8.0 - 1000.0).collect();
            let x = device.to_device(&host)?;
            let singles = x.cast::<f32>().collect()?;
            host.sort_by(f64::total_cmp);
            for q in [0.0, 0.25, 0.5, 0.9, 1.0] {
                let (place, part) = ((q * (len - 1) as f64) as usize, (q * (len - 1) as f64).fract());
                let (low, high) = (host[place], host[(place + 1).min(len - 1)]);
                let near = |found: f64, digits: f64| (found - (low + (high - low) * part)).abs() <= digits;
                assert!(near(x.quantile(q)?, 1e-12) && near(f64::from(singles.quantile(q)?), 1e-3), "{q} of {len}");
            }
        }
    }
    Ok(())
}

#[test]
fn quantiles_along_axes_are_those_of_each_part() -> Result<()> {
    for device in devices("quantiles_along_axes_are_those_of_each_part") {
        let host: Vec<f64> = (0..5 * 7 * 6).map(|i| scrambled(i, 40_000) as f64 / 8.0).collect();
        let x = array(&device, [5, 7, 6], &host);
        for q in [0.0, 0.3, 0.5, 0.8, 1.0] {
            for axis in 0..3 {
                let found = x.quantile_axis(axis, q)?.to_host()?;
                let others: Vec<usize> = (0..3).filter(|&other| other != axis).collect();
                let extents = x.shape().extents().to_vec();
                for (i, found) in found.into_iter().enumerate() {
                    let part = x.view().index_axis(others[1], i % extents[others[1]]).index_axis(others[0], i / extents[others[1]]);
                    assert_eq!(found, part.quantile(q)?, "{q} along {axis}");
                }
            }
            let of_two = x.quantile_axis(keep_dims([2, 0]), q)?;
            assert_eq!(of_two.shape(), [1, 7, 1]);
            assert_eq!(of_two.slice(4..5).to_host()?, [x.view().index_axis(1, 4).quantile(q)?]);
            assert_eq!((x.quantile_axis(.., q)?.shape(), x.quantile_axis(.., q)?.to_host()?), ([].into(), vec![x.quantile(q)?]));
        }
        let singles = array(&device, [2, 3], &[1.0f32, f32::NAN, 2.0, 5.0, 4.0, f32::INFINITY]);
        let medians = singles.median_axis(1)?.to_host()?;
        assert!(medians[0].is_nan() && medians[1] == 5.0, "{medians:?}");
        assert_eq!((&singles * 2.0).t().median_axis(1)?.to_host()?[0], 6.0);
        assert_eq!(x.rows(..0).median_axis(1)?.shape(), [0, 6]);
        assert!(matches!(x.rows(..0).median_axis(0), Err(Error::EmptyReduction { function: "median", .. })));
        assert!(matches!(x.quantile_axis(3, 0.5), Err(Error::AxisOutOfRange { function: "quantile", axis: 3, .. })));
        assert!(matches!(x.median_axis([1, 1]), Err(Error::RepeatedAxis { .. })));
    }
    Ok(())
}

#[test]
fn covariances_are_products_of_what_differs_from_the_mean() -> Result<()> {
    for device in devices("covariances_are_products_of_what_differs_from_the_mean") {
        let host: Vec<f64> = (0..4 * 50).map(|i| scrambled(i, 1000) as f64 / 8.0).collect();
        let x = array(&device, [4, 50], &host);
        let (covariances, correlations) = (x.cov(1)?, x.corrcoef()?);
        assert_eq!((covariances.shape(), correlations.shape()), ([4, 4].into(), [4, 4].into()));
        for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
            let (a, b) = (x.row(i), x.row(j));
            let expected = (a - a.mean()?).dot(b - b.mean()?)? / 49.0;
            let found = covariances.view().row(i).to_host()?[j];
            assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found} is not {expected}");
            let (expected, found) = (expected / (a.std(1)? * b.std(1)?), correlations.row(i).to_host()?[j]);
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        }
        let single = x.row(2).cast::<f32>().cov(0)?;
        assert_eq!((single.shape(), (single.to_host()?[0] / x.row(2).var(0)? as f32 - 1.0).abs() < 1e-4), ([].into(), true));
        assert_eq!(x.row(2).corrcoef()?.to_host()?, [1.0]);
        assert_eq!(x.rows(..0).cov(1)?.shape(), [0, 0]);
        assert!(device.full([2, 3], 1.0)?.corrcoef()?.to_host()?.iter().all(|x| x.is_nan()));
        assert!(matches!(device.zeros::<f64>([2, 2, 2])?.cov(1), Err(Error::UnsuitableMatrix { function: "cov", .. })));
    }
    Ok(())
}
