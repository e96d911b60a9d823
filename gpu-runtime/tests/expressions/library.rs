//! What arrays have in common with NumPy's, on every device. Expected values are NumPy's unless ndarray computes them.

use crate::support::devices;
use gpu_runtime::gradient::{grad, hessian, jacobian};
use gpu_runtime::prelude::*;
use gpu_runtime::{Error, Precision, Result, functions};

fn array<T: DeviceType>(device: &Device, shape: impl Into<gpu_runtime::Shape>, elements: &[T]) -> DeviceArray<T> {
    device.to_device(elements).unwrap().reshape(shape).unwrap()
}

/// 0, 1, 2, … in an array of that shape.
fn ramp<const N: usize>(device: &Device, shape: [usize; N]) -> DeviceArray<i32> {
    iota(shape).cast::<i32>().on(device).collect().unwrap()
}

#[test]
fn arrays_views_and_lazy_arrays_have_the_same_methods() -> Result<()> {
    for device in devices("arrays_views_and_lazy_arrays_have_the_same_methods") {
        let mut x = array(&device, [2, 2], &[4.0f32, 1.0, 9.0, 16.0]);
        assert_eq!(x.sqrt().to_host()?, [2.0, 1.0, 3.0, 4.0]);
        assert_eq!((x.sum()?, x.view().t().sum()?, x.slice(1..).sum()?, (&x + 1.0).sum()?), (30.0, 30.0, 26.0, 34.0));
        assert_eq!(x.view().t().max_axis(0)?.to_host()?, [4.0, 16.0]);
        assert_eq!(x.cumsum()?.to_host()?, [4.0, 5.0, 9.0, 25.0]);
        assert_eq!(x.histogram(2, 0.0..=16.0)?.to_host()?, [2, 2]);
        let view = x.view();
        assert_eq!((2.0 * &view).to_host()?, [8.0, 2.0, 18.0, 32.0]);
        assert_eq!((2.0 - &x.slice(..2)).to_host()?, [-2.0, 1.0]);
        let row = x.view_mut().index_axis(0, 0);
        assert_eq!(((&row + 1.0).to_host()?, row.mean()?), (vec![5.0, 2.0], 2.5));
        let lazy = &x * 2.0;
        assert_eq!((lazy.min()?, lazy.max()?, lazy.argmax()?), (2.0, 32.0, 3));
    }
    Ok(())
}

#[test]
fn several_axes_are_reduced_at_once_and_kept_if_asked_for() -> Result<()> {
    for device in devices("several_axes_are_reduced_at_once_and_kept_if_asked_for") {
        let x = ramp(&device, [2, 3, 4]);
        assert_eq!(x.sum_axis([0, 2])?.to_host()?, [60, 92, 124]);
        assert_eq!(x.sum_axis([2, 0])?.to_host()?, [60, 92, 124]);
        assert_eq!(x.sum_axis([0, 1])?.to_host()?, [60, 66, 72, 78]);
        assert_eq!(x.sum_axis([1, 2])?.to_host()?, [66, 210]);
        assert_eq!(x.sum_axis([0, 1, 2])?.to_host()?, [276]);
        assert_eq!(x.sum_axis([0; 0])?.to_host()?, x.to_host()?);
        assert_eq!(x.view().t().max_axis([0, 2])?.to_host()?, [15, 19, 23]);
        assert_eq!(x.mean_axis([0, 2])?.to_host()?, [7.5, 11.5, 15.5]);
        assert_eq!(x.view().broadcast_to([5, 2, 3, 4])?.sum_axis([0, 1, 3])?.to_host()?, [300, 460, 620]);
        let kept = x.max_axis(keep_dims([0, 2]))?;
        assert_eq!((kept.shape(), kept.to_host()?), ([1, 3, 1].into(), vec![15, 19, 23]));
        assert_eq!((&x - &kept).max()?, 0);
        assert_eq!((&x - x.max_axis(keep_dims([0, 2]))?).max()?, 0);
        assert_eq!((1 + x.sum_axis([0, 1])? * 2).to_host()?, [121, 133, 145, 157]);
        assert!(matches!(x.sum_axis([1, 1]), Err(Error::RepeatedAxis { function: "sum", axis: 1, .. })));
        assert!(matches!(x.sum_axis([1, 3]), Err(Error::AxisOutOfRange { axis: 3, .. })));
        // The sizes are those where the work is divided differently.
        for shape in [[40, 300, 7], [3, 2, 70_000], [5000, 3, 2]] {
            let x = ramp(&device, shape);
            let host = ndarray::Array3::from_shape_vec(shape, x.to_host()?).unwrap();
            let wrapping = |axis| host.fold_axis(ndarray::Axis(axis), 0i32, |a, b| a.wrapping_add(*b));
            let expected = wrapping(2).fold_axis(ndarray::Axis(0), 0i32, |a, b| a.wrapping_add(*b));
            assert_eq!(x.sum_axis([0, 2])?.to_host()?, expected.into_raw_vec_and_offset().0, "{shape:?}");
        }
    }
    Ok(())
}

#[test]
fn negative_axes_count_from_the_end() -> Result<()> {
    type Case = (&'static str, fn(&DeviceArray<f64>, isize) -> Result<DeviceArray<f64>>);
    let cases: &[Case] = &[
        ("sum_axis", |x, axis| x.sum_axis(axis)),
        ("sum_axis of several", |x, axis| x.sum_axis([axis])),
        ("sum_axis that is kept", |x, axis| x.sum_axis(keep_dims(axis))),
        ("mean_axis", |x, axis| x.mean_axis(axis)),
        ("var_axis", |x, axis| x.var_axis(axis, 0)),
        ("median_axis", |x, axis| x.median_axis(axis)),
        ("log_sum_exp_axis", |x, axis| x.log_sum_exp_axis(axis)),
        ("argmin_axis", |x, axis| x.argmin_axis(axis)?.cast::<f64>().collect()),
        ("argmax_axis", |x, axis| x.argmax_axis(axis)?.cast::<f64>().collect()),
        ("cumsum_axis", |x, axis| x.cumsum_axis(axis)),
        ("cummax_axis", |x, axis| x.cummax_axis(axis)),
        ("exclusive_sum_axis", |x, axis| x.exclusive_sum_axis(axis)),
        ("accumulate_axis", |x, axis| larger::accumulate_axis(x, axis)),
        ("reduce_axis", |x, axis| larger::reduce_axis(x, axis)),
        ("sort_axis", |x, axis| x.sort_axis(axis)),
        ("argsort_axis", |x, axis| x.argsort_axis(axis)?.cast::<f64>().collect()),
        ("top_k_axis", |x, axis| Ok(x.top_k_axis(1, axis)?.0)),
        ("softmax", |x, axis| x.softmax(axis)),
        ("log_softmax", |x, axis| x.log_softmax(axis)),
        ("layer_norm", |x, axis| x.layer_norm(axis, 0.5)),
        ("take_axis", |x, axis| x.take_axis(lazy(&[1, 0]), axis)),
        ("take_along_axis", |x, axis| x.take_along_axis(lazy(&[0]).broadcast_to([2, 2])?, axis)),
        ("repeat_axis", |x, axis| x.repeat_axis(axis, 2)),
        ("tile_axis", |x, axis| x.tile_axis(axis, 2)),
        ("pad_axis", |x, axis| x.pad_axis(axis, 1, 2, 0.5)),
        ("pad_axis_by", |x, axis| x.pad_axis_by(axis, 1, 2, Pad::Edge)),
        ("roll_axis", |x, axis| x.roll_axis(axis, 1)),
        ("repeat_by", |x, axis| x.repeat_by(lazy(&[2, 1]), axis)),
        ("sum_by_axis", |x, axis| x.sum_by_axis(lazy(&[1, 0]), 2, axis)),
        ("correlate_axis", |x, axis| x.correlate_axis(lazy(&[0.5, 1.0]), axis, Pad::Edge)),
        ("concatenate", |x, axis| concatenate([x, x], axis)),
        ("stack", |x, axis| stack([&x.part(0).collect()?, &x.part(1).collect()?], axis)),
    ];
    // Without an error: they panic where there is no axis, as an index does.
    let views: &[Case] = &[
        ("diff", |x, axis| x.diff(axis).collect()),
        ("reverse_axis", |x, axis| x.view().reverse_axis(axis).lazy().collect()),
        ("slice_axis", |x, axis| x.view().slice_axis(axis, 1..).lazy().collect()),
        ("index_axis", |x, axis| x.view().index_axis(axis, 1).lazy().collect()),
        ("swap_axes", |x, axis| x.view().swap_axes(axis, 0).lazy().collect()),
        ("windows", |x, axis| x.view().windows(axis, 2).lazy().collect()),
        ("lazy slice_axis", |x, axis| x.lazy().slice_axis(axis, 1..).collect()),
        ("lazy index_axis", |x, axis| x.lazy().index_axis(axis, 1).collect()),
        ("lazy swap_axes", |x, axis| x.lazy().swap_axes(axis, 0).collect()),
    ];
    let x = array(&Device::cpu(), [2, 2], &[0.3, -1.2, 2.0, 0.7]);
    for (name, run) in cases.iter().chain(views) {
        for axis in [0, 1] {
            let (found, expected) = (run(&x, axis - 2)?, run(&x, axis)?);
            assert_eq!((found.shape(), found.to_host()?), (expected.shape(), expected.to_host()?), "{name} along axis {axis}");
        }
    }
    for (name, run) in cases {
        for axis in [-3, isize::MIN] {
            let error = run(&x, axis).expect_err(name);
            assert!(matches!(error, Error::AxisOutOfRange { axis: found, .. } if found == axis), "{name}: {error}");
        }
    }
    // A new axis counts among those of the result.
    assert_eq!(x.view().insert_axis(-1).shape(), [2, 2, 1]);
    assert_eq!((&x + 1.0).insert_axis(-3).shape()?, [1, 2, 2]);
    Ok(())
}

#[reduce]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

#[test]
fn lazy_arrays_have_the_operations_of_views() -> Result<()> {
    for device in devices("lazy_arrays_have_the_operations_of_views") {
        let (x, row) = (ramp(&device, [2, 3]), ramp(&device, [3]));
        let sum = &x + &row * 10; // 0 11 22, 3 14 25
        assert_eq!(sum.t().to_host()?, [0, 3, 11, 14, 22, 25]);
        assert_eq!(sum.permute([1, 0]).to_host()?, sum.swap_axes(0, 1).to_host()?);
        assert_eq!(sum.slice_axis(1, 1..).to_host()?, [11, 22, 14, 25]);
        assert_eq!(sum.slice_axis_step(1, .., -2).to_host()?, [22, 0, 25, 3]);
        assert_eq!(sum.reverse_axis(0).to_host()?, [3, 14, 25, 0, 11, 22]);
        assert_eq!(sum.index_axis(1, 2).to_host()?, [22, 25]);
        assert_eq!(sum.insert_axis(1).shape()?, [2, 1, 3]);
        assert_eq!(sum.slice_axis(0, 1..).broadcast_to([2, 3])?.to_host()?, [3, 14, 25, 3, 14, 25]);
        assert_eq!((x.lazy() + 1).reshape([3, 2])?.t().to_host()?, [1, 3, 5, 2, 4, 6]);
        assert_eq!(sum.t().slice_axis(0, 1..).sum_axis(1)?.to_host()?, [25, 47]);
        // Indices have no memory that could be moved.
        let indices = iota([2, 3]).on(&device);
        assert_eq!(indices.t().slice_axis(0, 1..).to_host()?, [1, 4, 2, 5]);
        assert_eq!(indices.reverse_axis(1).index_axis(0, 1).to_host()?, [5, 4, 3]);
        assert_eq!(lazy(&[1, 2, 3]).reverse_axis(0).on(&device).to_host()?, [3, 2, 1]);
        // An empty part, and no axes at all.
        assert_eq!(sum.slice_axis(0, 2..).to_host()?, []);
        assert_eq!(sum.index_axis(0, 1).index_axis(0, 1).to_host()?, [14]);

        // An operand that no strides reshape is copied; the rest of the expression stays lazy.
        assert_eq!(sum.reshape(6)?.to_host()?, [0, 11, 22, 3, 14, 25]);
        assert_eq!((sum.reshape([3, 2])? * 2 + iota([3, 2]).cast::<i32>()).to_host()?, [0, 23, 46, 9, 32, 55]);
        assert_eq!(sum.t().reshape([2, 3])?.slice_axis(1, 1..).reshape(4)?.to_host()?, [3, 11, 22, 25]);
        assert_eq!(functions::mul::outer(&row, &row).reshape(9)?.to_host()?, [0, 0, 0, 0, 1, 2, 0, 2, 4]);
        assert_eq!(iota([2, 3]).t().reshape(6)?.on(&device).to_host()?, [0, 3, 1, 4, 2, 5]);
        assert_eq!(iota([3, 1]).le(iota(3)).select(1, 0).reshape(9)?.on(&device).to_host()?, [1, 1, 1, 0, 1, 1, 0, 0, 1]);
        let (column, host) = (device.to_device(&[1.5f64, 2.5])?.reshape([2, 1])?, [10.0, 20.0]);
        assert_eq!((&column + &host).reshape(4)?.to_host()?, [11.5, 21.5, 12.5, 22.5]);
        assert_eq!((&x + &row).slice_axis(0, ..0).reshape([3, 0])?.to_host()?, []);
        // In an outer product, the axes of the other array follow those of the rearranged one.
        assert_eq!(functions::sub::outer(x.lazy().t(), &row).shape()?, [3, 2, 3]);
        assert_eq!(functions::sub::outer(x.lazy().t().slice_axis(0, 2..), &row).to_host()?, [2, 1, 0, 5, 4, 3]);
        assert_eq!(functions::sub::outer(sum.reshape(6)?.slice_axis(0, 4..), &row).to_host()?, [14, 13, 12, 25, 24, 23]);
        assert!(matches!(sum.reshape(7), Err(Error::ShapeMismatch { .. })));
        assert!(matches!(sum.broadcast_to([2, 4]), Err(Error::ShapeMismatch { .. })));
        let other = ramp(&device, [4]);
        let mismatched = &x + &other;
        assert!(matches!(mismatched.t().to_host(), Err(Error::BroadcastMismatch { .. })));
    }
    Ok(())
}

#[test]
#[should_panic(expected = "the len of axis 0 is 2 but the index is 2")]
fn an_index_that_a_lazy_array_does_not_have_panics() {
    let _ = iota([2, 3]).index_axis(0, 2);
}

#[test]
#[should_panic(expected = "the rank is 2 but the axis is 2")]
fn an_axis_that_a_lazy_array_does_not_have_panics() {
    let _ = iota([2, 3]).slice_axis(2, 1..);
}

#[test]
fn new_arrays_have_the_elements_that_numpy_gives_them() -> Result<()> {
    for device in devices("new_arrays_have_the_elements_that_numpy_gives_them") {
        assert_eq!(device.full([2, 3], true)?.to_host()?, [true; 6]);
        assert_eq!(device.full(0, 1.0)?.to_host()?, []);
        assert_eq!(device.ones::<i8>([])?.to_host()?, [1]);
        assert_eq!(device.eye::<f32>(3)?.to_host()?, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
        assert_eq!(device.arange(10, 0, -4)?.to_host()?, [10, 6, 2]);
        assert_eq!(device.arange(0.0, 1.0, 0.3)?.to_host()?, [0.0, 0.3, 0.6, 0.899_999_999_999_999_9]);
        assert_eq!(device.arange(3u8, 3, 1)?.to_host()?, []);
        // The number of integers is exact where an `f64` does not hold them.
        let t = 1_764_000_000_000_000_001i64;
        assert_eq!(device.arange(t, t + 10, 1)?.to_host()?, (t..t + 10).collect::<Vec<_>>());
        assert_eq!(device.arange(t, t + 1000, 10)?.to_host()?, (t..t + 1000).step_by(10).collect::<Vec<_>>());
        assert_eq!(device.arange(i64::MAX - 3, i64::MAX, 2)?.to_host()?, [i64::MAX - 3, i64::MAX - 1]);
        assert_eq!(device.arange(i64::MIN, i64::MAX, i64::MAX)?.to_host()?, [i64::MIN, -1, i64::MAX - 1]);
        assert_eq!(device.arange(u64::MAX, 5, u64::MAX)?.to_host()?, []);
        assert_eq!(device.arange(5, u64::MAX, u64::MAX / 2)?.to_host()?, [5, u64::MAX / 2 + 5]);
        assert_eq!(device.arange(0u8, 255, 1)?.to_host()?, (0..255).collect::<Vec<u8>>());
        assert_eq!(device.arange(127, -128i8, -100)?.to_host()?, [127, 27, -73]);
        assert_eq!(device.linspace(1.0f32, 2.0, 4)?.to_host()?, [1.0, 1.333_333_4, 1.666_666_6, 2.0]);
        assert_eq!(device.linspace(-1f32, 1.0, 2001)?.get(1001)?, 0.001);
        assert_eq!(device.linspace(-3e38f32, 3e38, 3)?.to_host()?, [-3e38, 0.0, 3e38]);
        let large = 2f64.powi(1023);
        assert_eq!(device.linspace(-large, large, 5)?.to_host()?, [-large, -large / 2.0, 0.0, large / 2.0, large]);
        // An `f16` does not have the numbers of these elements. (The crate half rounds twice.)
        let f16 = |number: f64| number.cast::<half::f16>();
        let numbers = |step: f64| (0..70_000).map(|i| f16(f64::from(i) * step)).collect::<Vec<_>>();
        assert_eq!(device.arange(f16(0.0), f16(35_008.0), f16(0.5))?.to_host()?[..70_000], numbers(0.5));
        assert_eq!(device.linspace(f16(0.0), f16(2.0), 70_000)?.to_host()?, numbers(2.0 / 69_999.0));
        assert_eq!((device.linspace(5.0, 9.0, 1)?.to_host()?, device.linspace(5.0, 9.0, 0)?.to_host()?), (vec![5.0], vec![]));
        assert!(matches!(device.full([usize::MAX, 2], 1u8), Err(Error::OutOfMemory { .. })));
    }
    Ok(())
}

#[test]
fn arrays_are_written_in_place() -> Result<()> {
    for device in devices("arrays_are_written_in_place") {
        let mut x = ramp(&device, [2, 3]);
        x += 1;
        x *= &ramp(&device, [3]); // 0 2 6, 0 5 12
        x -= x.to_host()?.len() as i32;
        assert_eq!(x.to_host()?, [-6, -4, 0, -6, -1, 6]);
        let mut column = x.view_mut().index_axis(1, 2);
        column += 100;
        column /= 2;
        assert_eq!(column.to_host()?, [50, 53]);
        x.slice_mut(..2).fill(9)?;
        x.view_mut().slice_axis(0, 1..).copy_from(&ramp(&device, [3]))?;
        assert_eq!(x.to_host()?, [9, 9, 50, 0, 1, 2]);
        let other = ramp(&device, [3, 2]);
        x.copy_from((&other * 2).t())?;
        assert_eq!(x.to_host()?, [0, 4, 8, 2, 6, 10]);
        x <<= 1;
        x %= 8;
        x |= 1;
        assert_eq!(x.to_host()?, [1, 1, 1, 5, 5, 5]);
        let mut mask = x.gt(1).collect()?;
        mask ^= true;
        mask &= &x.ge(1).collect()?;
        assert_eq!(mask.to_host()?, [true, true, true, false, false, false]);
        assert!(matches!(x.copy_from(&[1, 2][..]), Err(Error::ShapeMismatch { .. })));
        // As long as several runs, and with axes in another order.
        let mut matrix = ramp(&device, [70, 80]);
        let mut transposed = matrix.view_mut().t();
        transposed += &iota([80, 70]).cast::<i32>().on(&device);
        let expected: Vec<i32> = (0..5600).map(|i| i + i % 80 * 70 + i / 80).collect();
        assert_eq!(matrix.to_host()?, expected);
    }
    Ok(())
}

#[test]
#[should_panic(expected = "(2, 3)")]
fn an_assignment_of_another_shape_panics() {
    let device = Device::cpu();
    let mut row = ramp(&device, [3]);
    row += &ramp(&device, [2, 3]);
}

#[test]
fn arrays_are_joined_repeated_and_shifted() -> Result<()> {
    for device in devices("arrays_are_joined_repeated_and_shifted") {
        let x = ramp(&device, [2, 3]);
        assert_eq!(concatenate([x.view().slice_axis(1, 2..), x.view()], 1)?.to_host()?, [2, 0, 1, 2, 5, 3, 4, 5]);
        assert_eq!(concatenate([&x + 0, &x + 10], 0)?.to_host()?, [0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15]);
        assert_eq!(stack([&x + 0, &x + 10], 2)?.to_host()?, [0, 10, 1, 11, 2, 12, 3, 13, 4, 14, 5, 15]);
        assert_eq!(x.repeat_axis(1, 2)?.to_host()?, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert_eq!(x.repeat_axis(0, 2)?.to_host()?, [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]);
        assert_eq!(x.tile_axis(1, 2)?.to_host()?, [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5]);
        assert_eq!(x.tile_axis(0, 2)?.to_host()?, [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]);
        assert_eq!(x.tile_axis(0, 0)?.shape(), [0, 3]);
        assert_eq!(x.roll_axis(1, 1)?.to_host()?, [2, 0, 1, 5, 3, 4]);
        assert_eq!(x.roll_axis(1, -4)?.to_host()?, [1, 2, 0, 4, 5, 3]);
        assert_eq!(x.square().diff(1).to_host()?, [1, 3, 7, 9]);
        assert_eq!((x.rows(..0).diff(0).shape()?, x.rows(..0).diff(1).shape()?), ([0, 3].into(), [0, 2].into()));
        assert!(matches!(concatenate([&x, &ramp(&device, [3, 3])], 1), Err(Error::ShapeMismatch { .. })));
        assert!(matches!(concatenate([&x], 2), Err(Error::AxisOutOfRange { .. })));
    }
    Ok(())
}

#[test]
fn turned_arrays_are_copied_and_combined_element_by_element() -> Result<()> {
    for device in devices("turned_arrays_are_copied_and_combined_element_by_element") {
        for [planes, rows, columns] in [[1, 16, 16], [1, 100, 33], [3, 17, 129], [1, 5000, 32], [2, 31, 3000], [70, 20, 16], [1, 300, 257]]
        {
            let x: DeviceArray<u32> = iota([planes, rows, columns]).cast::<u32>().on(&device).collect()?;
            let at = |plane: usize, row: usize, column: usize| ((plane * rows + row) * columns + column) as u32;
            let turned = x.view().swap_axes(1, 2);
            let copy: Vec<u32> = lazy(turned).collect()?.to_host()?;
            let (mut outer, mut mixed) = (vec![], vec![]);
            for (plane, column, row) in indices([planes, columns, rows]) {
                assert_eq!(copy[(plane * columns + column) * rows + row], at(plane, row, column), "{planes} × {rows} × {columns}");
            }
            for (column, row, plane) in indices([columns, rows, planes]) {
                outer.push(at(plane, row, column));
                mixed.push(u64::from(at(plane, row, column)) * 3 + column as u64);
            }
            let reversed = x.view().swap_axes(0, 2);
            assert_eq!(lazy(reversed).collect()?.to_host()?, outer, "{planes} × {rows} × {columns}");
            let column: DeviceArray<u64> = iota([columns, 1, 1]).cast::<u64>().on(&device).collect()?;
            let wide = reversed.cast::<u64>() * 3u64 + &column;
            assert_eq!(wide.collect()?.to_host()?, mixed, "{planes} × {rows} × {columns}");
            let bytes: DeviceArray<u8> = x.cast::<u8>().collect()?;
            let sums = (turned.cast::<u8>() + bytes.view().swap_axes(1, 2)).collect()?.to_host()?;
            assert!(sums.iter().zip(&copy).all(|(sum, x)| *sum == (*x as u8).wrapping_mul(2)), "{planes} × {rows} × {columns}");
        }
    }
    Ok(())
}

/// All indices of an array, in C order.
fn indices([planes, rows, columns]: [usize; 3]) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..planes).flat_map(move |plane| (0..rows).flat_map(move |row| (0..columns).map(move |column| (plane, row, column))))
}

#[test]
fn values_are_added_to_few_and_to_many_elements() -> Result<()> {
    use gpu_runtime::functions::{add, max, minimum};
    for device in devices("values_are_added_to_few_and_to_many_elements") {
        for (len, elements) in [(0, 3), (1, 1), (5000, 1), (100_003, 7), (100_003, 100), (50_000, 2000), (50_000, 70_000)] {
            let keys: Vec<i64> = (0..len).map(|i| (i * i * 31 + 7 * i) % elements).collect();
            let values: Vec<i64> = (0..len).map(|i| i % 17 - 5).collect();
            let mut expected = (vec![1i64; elements as usize], vec![i64::MIN; elements as usize]);
            for (&key, &value) in keys.iter().zip(&values) {
                expected.0[key as usize] += value;
                expected.1[key as usize] = expected.1[key as usize].max(value);
            }
            let count = elements as usize;
            let (mut sums, mut floats) = (device.full(count, 1i64)?, device.full(count, 1.0f64)?);
            let (mut singles, mut highest) = (device.full(count, 1.0f32)?, device.full(count, i64::MIN)?);
            let mut lowest = device.full(count, f32::INFINITY)?;
            let (keys, values) = (device.to_device(&keys)?, device.to_device(&values)?);
            add::at(&mut sums, &keys, &values)?;
            add::at(&mut floats, &keys, values.cast::<f64>())?;
            add::at(&mut singles, &keys, values.cast::<f32>())?;
            max::at(&mut highest, &keys, &values)?;
            minimum::at(&mut lowest, &keys, -values.cast::<f32>())?;
            assert_eq!(sums.to_host()?, expected.0, "{len} values for {elements} elements on {device}");
            assert_eq!(floats.cast::<i64>().collect()?.to_host()?, expected.0, "{len} values for {elements} elements on {device}");
            assert_eq!(singles.cast::<i64>().collect()?.to_host()?, expected.0, "{len} values for {elements} elements on {device}");
            assert_eq!(highest.to_host()?, expected.1, "{len} values for {elements} elements on {device}");
            let negated: Vec<f32> = expected.1.iter().map(|&x| if x == i64::MIN { f32::INFINITY } else { -x as f32 }).collect();
            assert_eq!(lowest.to_host()?, negated, "{len} values for {elements} elements on {device}");
        }
        let mut few = device.zeros::<f32>(3)?;
        add::at(&mut few, device.to_device(&[0i64, 3, 1])?.view(), 1.0f32)?;
        let error = few.to_host().unwrap_err().to_string();
        assert!(error.contains("`add`") && error.contains("index 3 is out of bounds for length 3"), "{error}");
    }
    Ok(())
}

#[test]
fn errors_of_shapes_name_them_in_the_order_of_the_arguments() -> Result<()> {
    let device = Device::cpu();
    let (x, row, none) = (ramp(&device, [3, 4]), ramp(&device, [3]), device.zeros::<f32>(0)?);
    let messages = [
        (concatenate([&x, &row], 0).err(), "shapes (3, 4) and (3,) do not match: all extents but those of axis 0 must be equal"),
        (stack([&x, &row], 1).err(), "shapes (3, 4) and (3,) do not match: all arrays have the same shape"),
        (row.matmul(ramp(&device, [1, 1, 4, 1]).view()).err(), "shapes (3,) and (1, 1, 4, 1) do not match: the last axis of the first"),
        (x.diag().err(), "the array of shape (3, 4) is not a vector; the diagonal of a matrix is `x.view().diagonal()`"),
        (row.trace().err(), "the array of shape (3,) is not a matrix; pass an array with two axes"),
        (none.interp(&none, &none).err(), "the points are two arrays with one axis, of the same length and not empty"),
    ];
    for (error, expected) in messages {
        let message = error.map(|error| error.to_string());
        assert!(message.as_ref().is_some_and(|message| message.contains(expected)), "{expected} is not in {message:?}");
    }
    Ok(())
}

#[test]
#[should_panic(expected = "`arange` from 0 to 5 has a step of 0")]
fn numbers_at_no_distance_are_refused() {
    let _ = Device::cpu().arange(0, 5, 0);
}

#[test]
#[should_panic(expected = "an element of an array of shape (3, 4) needs 2 indices, not 1")]
fn an_element_has_an_index_for_each_axis() {
    let _ = ramp(&Device::cpu(), [3, 4]).get([0]);
}

/// Calls a function that fails, and checks that the message names it and this line.
macro_rules! fails {
    ($function:literal, $call:expr) => {
        let (message, line) = ($call.err().map(|error| error.to_string()), line!());
        let place = format!("`{}` at {}:{line}:", $function, file!());
        assert!(message.as_ref().is_some_and(|message| message.contains(&place)), "{place} is not in {message:?}");
    };
}

#[test]
#[rustfmt::skip] // Each call has one line.
fn errors_name_the_function_and_the_line_of_the_call() -> Result<()> {
    for device in devices("errors_name_the_function_and_the_line_of_the_call") {
        let (x, row, three) = (ramp(&device, [3, 4]), ramp(&device, [3]), ramp(&device, [2, 3, 4]));
        let (floats, none, deep) = (x.cast::<f32>().collect()?, device.zeros::<i32>(0)?, ramp(&device, [1; 7]));
        // What is collected, by all ways to ask for it.
        fails!("add", (&x + &row).collect());
        fails!("add", (&x + &row).to_host());
        fails!("add", (&x + &row).to_host());
        fails!("add", (&x + &row).shape());
        fails!("add", (&x + &row).cuda_source());
        fails!("add", (&x + &row).collect_into(&mut device.zeros::<i32>(3)?));
        fails!("add", (&x + 1).collect_into(&mut device.zeros::<i32>(3)?));
        fails!("sum", (&x + &row).sum());
        fails!("cumsum", (&x + &row).cumsum_axis(0));
        fails!("add", (iota([1 << 40, 1]) + iota([1, 1 << 40])).on(&device).collect());
        fails!("matmul", (matmul(&x, &x) + 1).collect());
        // Shapes.
        fails!("reshape", ramp(&device, [3]).reshape([2, 2]));
        fails!("reshape", x.view().reshape([5, 5]));
        fails!("reshape", (&x + 1).reshape([5, 5]));
        fails!("broadcast", x.view().broadcast_to([5, 5]));
        fails!("broadcast", (&x + 1).broadcast_to([5, 5]));
        fails!("concatenate", concatenate([&x, &row], 0));
        fails!("concatenate", concatenate([&x, &x], 2));
        fails!("stack", stack([&x, &row], 0));
        fails!("stack", stack([&x, &x], 4));
        fails!("repeat", x.repeat_axis(2, 5));
        fails!("repeat_by", x.repeat_by(&row, 5));
        fails!("repeat_by", x.repeat_by(&row, 1));
        fails!("filter", x.filter(ramp(&device, [4]).gt(0)));
        fails!("take", x.take_axis(&row, 7));
        fails!("take", deep.take(&x));
        fails!("take_nd", x.take_nd([&row, &row, &row]));
        let mut target = device.zeros::<i32>(3)?;
        fails!("copy_from_device", target.copy_from_device(&none));
        assert!(target.copy_from_host(&[0; 4]).unwrap_err().to_string().contains(&format!("at {}:{}:", file!(), line!())));
        assert!(row.copy_to_host(&mut [0; 4]).unwrap_err().to_string().contains(&format!("at {}:{}:", file!(), line!())));
        assert!(x.view().t().reshape(12).unwrap_err().to_string().contains(&format!("at {}:{}:", file!(), line!())));
        // Products.
        fails!("matmul", x.matmul(&x));
        fails!("matmul", floats.matmul_with(&floats, Precision::Tf32));
        fails!("einsum", einsum("ij,jk->ik", &x, &x));
        // Axes, and no elements.
        fails!("sum", x.sum_axis(2));
        fails!("sum", three.sum_axis([1, 1]));
        fails!("mean", x.mean_axis(2));
        fails!("count", x.gt(0).count_axis(2));
        fails!("norm", floats.norm_axis([0, 0]));
        fails!("dot", x.dot(&row));
        fails!("std", floats.std_axis(2, 0));
        fails!("cumsum", x.cumsum_axis(2));
        fails!("argmax", x.argmax_axis(2));
        fails!("min", none.min());
        fails!("argmin", none.argmin());
        fails!("median", floats.slice(..0).median());
        // Others.
        fails!("sort", x.sort_axis(2));
        fails!("sort_with", x.sort_with(&row));
        fails!("searchsorted", x.searchsorted(&row));
        fails!("convolve", x.convolve(&row));
        fails!("put", target.put(&row, &[1, 2]));
        fails!("copy_from", target.copy_from(&x));
        fails!("sum_by", row.sum_by(&none, 3));
        fails!("sum_by_bins", row.sum_by_bins(&row, 0, 0.0..=1.0));
        fails!("broadcast", row.view().broadcast_to([4]));
        fails!("matmul", floats.matmul(&three.cast::<f32>().insert_axis(0)));
        fails!("interp", floats.interp(&floats, &floats));
        fails!("convolve2d", x.convolve2d(&row));
        fails!("convolve2d", x.convolve2d(&none));
        fails!("correlate_axis", x.correlate_axis(&x, 1, Pad::Edge));
        fails!("correlate_axis", x.correlate_axis(&row, 7, Pad::Edge));
        fails!("map_coordinates", floats.map_coordinates(&floats, Interpolation::Linear, 0.0));
        fails!("map_coordinates", floats.map_coordinates(floats.rows(..0), Interpolation::Linear, 0.0));
        fails!("attention", floats.attention(&floats, floats.rows(..1), Mask::Full));
        fails!("attention", floats.attention(&three.cast::<f32>().collect()?, &floats, Mask::Full));
        fails!("softmax", floats.softmax(2));
        fails!("log_softmax", floats.log_softmax(2));
        fails!("log_sum_exp_axis", floats.log_sum_exp_axis(2));
        fails!("layer_norm", floats.layer_norm(2, 1e-5));
        fails!("trace", three.trace());
        fails!("diag", x.diag());
        // What is differentiated.
        fails!("softmax", grad(&floats, |x| x.softmax(2)?.sum()));
        fails!("jacobian", grad(&floats, |x| { jacobian(&floats, |w| Ok(w * &x))?; x.sum() }));
        fails!("hessian", grad(&floats, |x| { hessian(&floats, |w| (w * &x).sum())?; x.sum() }));
        fails!("histogram", floats.histogram(0, 0.0..=1.0));
    }
    Ok(())
}
