//! Shapes and strided views, on every device of this machine.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::support::devices;
use gpu_runtime::prelude::*;
use gpu_runtime::{Error, MAX_RANK, Result, Shape};

/// `0, 1, 2, …` with that shape.
fn counted(device: &Device, shape: impl Into<Shape>) -> Result<DeviceArray<i32>> {
    let shape = shape.into();
    let len = shape.checked_len().unwrap();
    device.to_device(&(0..len as i32).collect::<Vec<_>>())?.reshape(shape)
}

#[test]
fn arrays_have_the_shape_they_were_made_with() -> Result<()> {
    for device in devices("arrays_have_the_shape_they_were_made_with") {
        assert_eq!(device.to_device(&[1, 2, 3])?.shape(), [3]);
        assert_eq!(device.zeros::<f32>(5)?.shape(), [5]);
        let array = device.zeros::<f32>([2, 3, 4])?;
        assert_eq!((array.shape(), array.len()), ([2, 3, 4].into(), 24));
        assert_eq!(array.to_host()?, [0.0; 24]);
        assert_eq!(device.zeros_like(&array)?.shape(), [2, 3, 4]);
        assert_eq!(device.empty_like(&array)?.shape(), [2, 3, 4]);
        assert_eq!(device.zeros::<f32>([])?.to_host()?, [0.0]);
        assert!(device.zeros::<f32>([usize::MAX, 0])?.is_empty());
    }
    Ok(())
}

#[test]
fn a_shape_with_more_elements_than_numbers_is_out_of_memory() {
    for device in devices("a_shape_with_more_elements_than_numbers_is_out_of_memory") {
        let error = device.zeros::<u8>([usize::MAX, 2]).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { bytes: usize::MAX, .. }), "{error}");
    }
}

#[test]
fn reshaping_an_array_keeps_its_elements_and_their_number() -> Result<()> {
    for device in devices("reshaping_an_array_keeps_its_elements_and_their_number") {
        let array = counted(&device, [3, 4])?.reshape([2, 1, 6])?;
        assert_eq!(array.shape(), [2, 1, 6]);
        assert_eq!(array.to_host()?, (0..12).collect::<Vec<_>>());
        let error = array.reshape([5, 3]).unwrap_err();
        assert!(matches!(&error, Error::ShapeMismatch { from, to, .. } if **from == [2, 1, 6] && **to == [5, 3]), "{error}");
        let error = device.zeros::<i32>(2)?.reshape([usize::MAX, 2]).unwrap_err();
        assert!(matches!(error, Error::ShapeMismatch { .. }), "{error}");
    }
    Ok(())
}

#[test]
fn a_shaped_array_is_one_slice_to_a_kernel() -> Result<()> {
    #[gpu_kernel]
    fn negate(x: &mut [i32]) {
        let i = grid_1d();
        if i < x.len() {
            x[i] = -x[i];
        }
    }
    for device in devices("a_shaped_array_is_one_slice_to_a_kernel") {
        let mut array = counted(&device, [2, 3])?;
        negate(&mut array).forall(6)?;
        assert_eq!(array.to_host()?, [0, -1, -2, -3, -4, -5]);
        let mut row = array.view_mut().index_axis(0, 1);
        negate(row.as_slice_mut().unwrap()).forall(3)?;
        assert_eq!(row.to_host()?, [3, 4, 5]);
        assert_eq!(array.to_host()?, [0, -1, -2, 3, 4, 5]);
    }
    Ok(())
}

#[test]
fn views_show_what_numpy_shows() -> Result<()> {
    for device in devices("views_show_what_numpy_shows") {
        let array = counted(&device, [2, 3, 4])?;
        let view = array.view();
        assert_eq!((view.rank(), view.len(), view.strides()), (3, 24, &[12, 4, 1][..]));
        assert_eq!(view.device(), &device);
        // a.T[1, :, 0]
        assert_eq!(view.t().index_axis(0, 1).index_axis(1, 0).to_host()?, [1, 5, 9]);
        // a.transpose(1, 0, 2)[2]
        assert_eq!(view.permute([1, 0, 2]).index_axis(0, 2).to_host()?, [8, 9, 10, 11, 20, 21, 22, 23]);
        // a.swapaxes(0, 2)[3, 1]
        assert_eq!(view.swap_axes(0, 2).index_axis(0, 3).index_axis(0, 1).to_host()?, [7, 19]);
        // a[1, 1:, ::-2]
        assert_eq!(view.index_axis(0, 1).slice_axis(0, 1..).slice_axis_step(1, .., -2).to_host()?, [19, 17, 23, 21]);
        // a[::-1, 0, 0]
        assert_eq!(view.reverse_axis(0).index_axis(1, 0).index_axis(1, 0).to_host()?, [12, 0]);
        // np.broadcast_to(a[0, 0], (2, 4)), and of a column
        assert_eq!(view.index_axis(0, 0).index_axis(0, 0).broadcast_to([2, 4])?.to_host()?, [0, 1, 2, 3, 0, 1, 2, 3]);
        let column = view.index_axis(0, 0).slice_axis(1, 3..);
        assert_eq!(column.broadcast_to([3, 2])?.to_host()?, [3, 3, 7, 7, 11, 11]);
        // a[1, 2, 3]
        let scalar = view.index_axis(2, 3).index_axis(1, 2).index_axis(0, 1);
        assert_eq!((scalar.shape(), scalar.to_host()?), ([].into(), vec![23]));
        // a[:, None]
        assert_eq!(view.insert_axis(1).shape(), [2, 1, 3, 4]);
        assert_eq!(view.insert_axis(3).to_host()?, array.to_host()?);
    }
    Ok(())
}

#[test]
fn a_strided_view_copies_into_a_slice_of_its_length() -> Result<()> {
    for device in devices("a_strided_view_copies_into_a_slice_of_its_length") {
        let array = counted(&device, [3, 2])?;
        let mut host = [0; 6];
        array.view().t().copy_to_host(&mut host)?;
        assert_eq!(host, [0, 2, 4, 1, 3, 5]);
        let error = array.view().t().copy_to_host(&mut host[..5]).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { device: 6, host: 5, .. }), "{error}");
    }
    Ok(())
}

#[test]
fn views_without_elements_can_be_taken_and_copied() -> Result<()> {
    for device in devices("views_without_elements_can_be_taken_and_copied") {
        let mut array = counted(&device, [3, 4])?;
        let view = array.view().slice_axis(1, 4..).t().reverse_axis(0);
        assert!(view.is_empty() && view.is_contiguous());
        assert_eq!(view.shape(), [0, 3]);
        assert_eq!(view.to_host()?, []);
        assert_eq!(view.as_slice().unwrap().to_host()?, []);
        array.view_mut().slice_axis(0, 3..).copy_from_host(&[])?;
        let empty = device.zeros::<i32>([0, 5])?;
        assert_eq!(empty.view().t().index_axis(0, 4).to_host()?, []);
        assert_eq!(empty.view().broadcast_to([2, 0, 5])?.to_host()?, []);
        assert_eq!(empty.view().reshape([7, 0])?.shape(), [7, 0]);
    }
    Ok(())
}

#[test]
fn only_contiguous_views_are_slices() -> Result<()> {
    for device in devices("only_contiguous_views_are_slices") {
        let mut array = counted(&device, [3, 4])?;
        assert_eq!(array.view().slice_axis(0, 1..).as_slice().unwrap().to_host()?, (4..12).collect::<Vec<_>>());
        assert_eq!(array.view().slice_axis(1, ..1).t().slice_axis(1, 2..).as_slice().unwrap().to_host()?, [8]);
        assert!(array.view().slice_axis(1, 1..).as_slice().is_none());
        assert!(array.view().t().as_slice().is_none());
        assert!(array.view().reverse_axis(0).as_slice().is_none());
        assert!(array.view_mut().t().as_slice_mut().is_none());
        assert!(array.view_mut().into_slice_mut().is_some());
        assert!(array.view_mut().as_slice().is_some());
    }
    Ok(())
}

#[test]
fn reshaping_a_view_never_copies() -> Result<()> {
    for device in devices("reshaping_a_view_never_copies") {
        let array = counted(&device, [4, 6])?;
        let left = array.view().slice_axis(1, ..4);
        assert_eq!(left.reshape([2, 2, 2, 2])?.strides(), [12, 6, 2, 1]);
        assert_eq!(left.reshape([4, 2, 2])?.to_host()?, left.to_host()?);
        let error = left.reshape(16).unwrap_err();
        assert!(matches!(&error, Error::NotContiguous { shape, strides, .. } if **shape == [4, 4] && *strides == [6, 1]), "{error}");
        assert!(error.to_string().contains("copy it first"), "{error}");
        let error = left.reshape([4, 5]).unwrap_err();
        assert!(matches!(error, Error::ShapeMismatch { operation: "reshape", .. }), "{error}");
    }
    Ok(())
}

#[test]
fn shapes_that_do_not_broadcast_are_an_error_with_both() -> Result<()> {
    let array = Device::cpu().zeros::<f32>([3, 1])?;
    for shape in [&[2, 4][..], &[3], &[], &[3, 0, 5]] {
        let shape = Shape::from_extents(shape).unwrap();
        let error = array.view().broadcast_to(shape).unwrap_err();
        assert!(matches!(error, Error::ShapeMismatch { operation: "broadcast", .. }), "{error}");
        assert!(error.to_string().contains("(3, 1)") && error.to_string().contains(&shape.to_string()), "{error}");
    }
    assert_eq!(array.view().broadcast_to([2, 3, 0])?.len(), 0);
    Ok(())
}

#[test]
fn mutable_views_write_their_part_only() -> Result<()> {
    for device in devices("mutable_views_write_their_part_only") {
        let mut array = counted(&device, [3, 4])?;
        let mut view = array.view_mut();
        view.reborrow().index_axis(0, 1).slice_axis(0, 1..3).copy_from_host(&[50, 60])?;
        assert_eq!(view.view().index_axis(0, 1).to_host()?, [4, 50, 60, 7]);
        assert_eq!(view.t().to_host()?, [0, 4, 8, 1, 50, 9, 2, 60, 10, 3, 7, 11]);

        let (mut above, below) = array.view_mut().split_at(0, 1);
        above.copy_from_host(&[-1; 4])?;
        assert_eq!(below.to_host()?, [4, 50, 60, 7, 8, 9, 10, 11]);
        assert_eq!(above.to_host()?, [-1; 4]);

        let error = array.view_mut().slice_axis(1, ..1).copy_from_host(&[0; 3]).unwrap_err();
        assert!(matches!(&error, Error::NotContiguous { strides, .. } if *strides == [4, 1]), "{error}");
        let error = array.view_mut().copy_from_host(&[0; 3]).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { device: 12, host: 3, .. }), "{error}");
    }
    Ok(())
}

#[test]
fn slices_can_be_viewed_with_other_shapes() -> Result<()> {
    for device in devices("slices_can_be_viewed_with_other_shapes") {
        let mut array = device.to_device(&[0, 1, 2, 3, 4, 5, 6])?;
        assert_eq!(array.slice(1..).view().reshape([2, 3])?.t().to_host()?, [1, 4, 2, 5, 3, 6]);
        let mut slice = array.slice_mut(..4);
        slice.reborrow().reshape([2, 2])?.index_axis(0, 1).copy_from_host(&[9, 9])?;
        assert_eq!(slice.view().reverse_axis(0).to_host()?, [9, 9, 1, 0]);
    }
    Ok(())
}

#[test]
fn parts_of_several_axes_are_numpys() -> Result<()> {
    for device in devices("parts_of_several_axes_are_numpys") {
        let x = counted(&device, [3, 4])?;
        assert_eq!(x.part((1.., ..-1)).to_host()?, [4, 5, 6, 8, 9, 10]); // x[1:, :-1]
        assert_eq!(x.part((.., stepped(.., 2))).to_host()?, [0, 2, 4, 6, 8, 10]); // x[:, ::2]
        assert_eq!(x.part((stepped(.., -1), -1)).to_host()?, [11, 7, 3]); // x[::-1, -1]
        assert_eq!(x.part((-2..=-1, 1..=2)).to_host()?, [5, 6, 9, 10]); // x[-2:, 1:3]
        assert_eq!(x.part(-1).to_host()?, [8, 9, 10, 11]); // x[-1]
        assert_eq!(x.part((0, -1)).shape(), []);
        assert_eq!(x.slice(-3..-1).to_host()?, [9, 10]);
        let (first, last, wide) = (1usize, 2u32, -1i64);
        assert_eq!(x.part((first.., ..last)).part((wide, 0)).to_host()?, [8]);
        assert_eq!((&x + 1).part((-1, ..2)).to_host()?, [9, 10]);
        assert_eq!(x.slice(2..8).part(-3..).to_host()?, [5, 6, 7]);
        assert!(x.part((3.., ..0)).is_empty());

        let mut y = counted(&device, [3, 4])?;
        y.part_mut((1.., ..-2)).fill(0)?;
        y.slice_mut(..4).part_mut(stepped(.., 3)).fill(-1)?;
        assert_eq!(y.to_host()?, [-1, 1, 2, -1, 0, 0, 6, 7, 0, 0, 10, 11]);
    }
    Ok(())
}

#[test]
fn single_elements_are_read_and_written() -> Result<()> {
    for device in devices("single_elements_are_read_and_written") {
        let mut x = counted(&device, [2, 3])?;
        assert_eq!((x.get([1, 2])?, x.view().t().get((2, 1))?, x.slice(1..).get(1)?), (5, 5, 2));
        assert_eq!(device.full([], 7)?.get([])?, 7);
        x.set([1, 2], 50)?;
        x.view_mut().t().set([0, 1], 30)?;
        x.slice_mut(1..).set(0, 10)?;
        assert_eq!(x.slice_mut(1..).get(0)?, 10);
        assert_eq!(x.to_host()?, [0, 10, 2, 30, 4, 50]);
    }
    Ok(())
}

#[test]
fn exclusive_arrays_are_taken_where_shared_ones_are() -> Result<()> {
    #[gpu_kernel]
    fn copy(x: &[f32], y: &mut [f32]) {
        let i = grid_1d();
        if i < y.len() {
            y[i] = x[i];
        }
    }

    #[gpu_kernel]
    fn copy_rows(x: View<'_, f32, 2>, mut y: ViewMut<'_, f32, 2>) {
        let (i, j) = grid_2d();
        if i < y.shape()[0] && j < y.shape()[1] {
            y[[i, j]] = x[[i, j]];
        }
    }

    fn step(x: &mut DeviceArray<f32>, y: &mut DeviceArray<f32>) -> Result<DeviceArray<f32>> {
        copy(&mut *x, &mut *y).forall(4)?;
        copy(&mut x.slice_mut(..2), y.slice_mut(2..)).forall(2)?;
        copy_rows(&mut *x, &mut *y).launch(1, (2, 2))?;
        copy_rows(&mut x.view_mut(), y.view_mut()).launch(1, (2, 2))?;
        let sum = (&mut *x + &mut *y).collect()?;
        let product = (&mut x.view_mut() * &mut y.slice_mut(..1)).collect()?;
        assert_eq!(product.to_host()?, [1.0, 2.0, 3.0, 4.0]);
        (2.0 * x + sum + 1.0).collect()
    }

    for device in devices("exclusive_arrays_are_taken_where_shared_ones_are") {
        let mut x = device.to_device(&[1.0, 2.0, 3.0, 4.0])?.reshape([2, 2])?;
        let mut y = device.zeros([2, 2])?;
        assert_eq!(step(&mut x, &mut y)?.to_host()?, [5.0, 9.0, 13.0, 17.0]);
    }
    Ok(())
}

#[test]
fn parts_become_views_that_outlive_them() -> Result<()> {
    fn part(x: &DeviceArray<f32>) -> Result<DeviceView<'_, f32>> {
        x.slice(2..8).reshape([2, 3])
    }

    fn part_mut(x: &mut DeviceArray<f32>) -> Result<DeviceViewMut<'_, f32>> {
        x.slice_mut(2..8).view_mut().reshape([2, 3])
    }

    let mut x = Device::cpu().zeros::<f32>(10)?;
    part_mut(&mut x)?.row(1).fill(1.0)?;
    assert_eq!(part(&x)?.to_host()?, [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    let mut half = x.slice_mut(5..);
    half.reborrow().view_mut().reverse_axis(0).slice_axis(0, ..1).fill(2.0)?;
    assert_eq!(half.to_host()?, [1.0, 1.0, 1.0, 0.0, 2.0]);
    Ok(())
}

#[test]
fn axes_and_indices_that_are_not_there_panic() -> Result<()> {
    #[track_caller]
    fn check(view: impl FnOnce() -> usize, expected: &str) {
        let panic = catch_unwind(AssertUnwindSafe(view)).expect_err("this must panic");
        let message = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|&text| text.to_owned()));
        assert!(message.as_ref().is_some_and(|message| message.contains(expected)), "{message:?}");
    }
    let array = Device::cpu().zeros::<i8>([2, 3])?;
    let view = array.view();
    check(|| view.index_axis(2, 0).len(), "the rank is 2 but the axis is 2");
    check(|| view.swap_axes(0, 2).len(), "the rank is 2 but the axis is 2");
    check(|| view.reverse_axis(9).len(), "the rank is 2 but the axis is 9");
    check(|| view.insert_axis(3).len(), "inserted at 0 to 2 but not at 3");
    check(|| view.index_axis(1, 3).len(), "the len of axis 1 is 3 but the index is 3");
    check(|| view.slice_axis(1, 2..4).len(), "range end index 4 out of range for slice of length 3");
    check(|| view.slice_axis_step(0, .., 0).len(), "the step along axis 0 is zero");
    check(|| view.permute([0]).len(), "[0] are not a permutation");
    check(|| view.permute([1, 1]).len(), "[1, 1] are not a permutation");
    check(|| view.part((-3, 0)).len(), "index -3 out of range for slice of length 2");
    check(|| view.part((0, 3)).len(), "the len of axis 0 is 3 but the index is 3");
    check(|| view.part((.., ..4)).len(), "range end index 4 out of range for slice of length 3");
    check(|| view.part((.., ..-4)).len(), "range end index -4 out of range for slice of length 3");
    check(|| view.part((.., -1..1)).len(), "slice index starts at 2 but ends at 1");
    check(|| view.part((0, 0, 0)).len(), "a part of 3 axes was asked of an array with 2, of shape (2, 3)");
    check(|| view.part(stepped(.., 0)).len(), "the step along axis 0 is zero");
    check(|| view.part(usize::MAX).len(), "index out of bounds");
    check(|| view.get([2, 0]).map_or(0, |_| 0), "the shape is (2, 3) but the index is (2, 0)");
    check(|| view.get(0).map_or(0, |_| 0), "an element of an array of shape (2, 3) needs 2 indices, not 1");
    let most = Device::cpu().zeros::<i8>([1; MAX_RANK])?;
    check(|| most.view().insert_axis(0).len(), "at most 7 axes");
    Ok(())
}

#[test]
fn debug_shows_the_shape_and_strides_that_are_not_obvious() -> Result<()> {
    let array = Device::cpu().zeros::<f32>([2, 3])?;
    let cpu = Device::cpu();
    assert_eq!(format!("{array:?}"), format!("DeviceArray<f32>(shape (2, 3) on {cpu})"));
    assert_eq!(format!("{:?}", array.view()), format!("DeviceView<f32>(shape (2, 3) on {cpu})"));
    let mut array = array;
    assert_eq!(format!("{:?}", array.view_mut().t()), format!("DeviceViewMut<f32>(shape (3, 2), strides [1, 3] on {cpu})"));
    Ok(())
}

#[test]
fn more_elements_than_there_is_memory_for_are_an_error() -> Result<()> {
    let one = Device::cpu().to_device(&[1u8])?;
    let error = one.view().broadcast_to(1usize << 61)?.to_host().unwrap_err();
    assert!(matches!(error, gpu_runtime::Error::OutOfMemory { .. }), "{error}");
    Ok(())
}

/// References to views have the methods of views, as iterators give them.
#[test]
fn a_view_behind_a_reference_is_permuted() -> Result<()> {
    let x = Device::cpu().arange(0, 6, 1)?.reshape([2, 3])?;
    let turned: Vec<DeviceView<'_, i32>> = [x.view(), x.view()].iter().map(|view| view.permute([1, 0])).collect();
    assert_eq!(turned[1].shape(), [3, 2]);
    Ok(())
}
