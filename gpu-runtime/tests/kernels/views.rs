//! What a launch takes for a `View` or `ViewMut`, and what it refuses.

use gpu_runtime::prelude::*;
use gpu_runtime::{Error, FailureCause, Result};
use ndarray::{Ix2, array};

#[gpu_kernel]
fn double(a: View<i32, 2>, out: ViewMut<i32, 2>) {
    let (j, i) = grid_2d();
    if i < out.shape()[0] && j < out.shape()[1] {
        out[[i, j]] = 2 * a[[i, j]];
    }
}

#[gpu_kernel]
fn double_line(x: View<'_, i32, 1>, out: ViewMut<'_, i32, 1>) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = 2 * x[i];
    }
}

fn matrix(device: &Device) -> DeviceArray<i32> {
    device.to_device(&[1, 2, 3, 4, 5, 6]).unwrap().reshape([2, 3]).unwrap()
}

#[allow(clippy::needless_borrows_for_generic_args)] // Borrows are arguments too.
#[test]
fn arrays_and_views_of_them_are_taken() -> Result<()> {
    let device = Device::cpu();
    let a = matrix(&device);
    let mut out = device.zeros::<i32>([2, 3])?;
    double(&a, &mut out).launch((1, 1), (4, 4))?;
    assert_eq!(out.to_host()?, [2, 4, 6, 8, 10, 12]);

    let view = a.view().reverse_axis(1);
    double(&view, out.view_mut()).launch((1, 1), (4, 4))?;
    assert_eq!(out.to_host()?, [6, 4, 2, 12, 10, 8]);

    // A view that is lent can be used again.
    let mut column = out.view_mut().slice_axis(1, 1..2);
    double(view.slice_axis(1, ..1), &mut column).launch((1, 1), (4, 4))?;
    double(a.view().slice_axis(1, ..1), &mut column.reborrow().slice_axis(0, 1..)).launch((1, 1), (4, 4))?;
    assert_eq!(out.to_host()?, [6, 6, 2, 12, 2, 8]);

    let mut transposed = device.zeros::<i32>([3, 2])?;
    let writing = out.view_mut();
    double(&writing, transposed.view_mut().t()).launch((1, 1), (4, 4))?;
    assert_eq!(transposed.to_host()?, [12, 24, 12, 4, 4, 16]);
    Ok(())
}

#[test]
fn slices_are_views_of_one_axis() -> Result<()> {
    let device = Device::cpu();
    let x = device.to_device(&[1, 2, 3, 4])?;
    let mut out = device.zeros::<i32>(4)?;
    double_line(x.slice(1..3), &mut out.slice_mut(2..)).forall(2)?;
    assert_eq!(out.to_host()?, [0, 0, 4, 6]);
    double_line(&x, &mut out).forall(4)?;
    assert_eq!(out.to_host()?, [2, 4, 6, 8]);
    Ok(())
}

#[test]
fn another_number_of_axes_is_refused_with_both() {
    let device = Device::cpu();
    let (a, line) = (matrix(&device), device.zeros::<i32>(6).unwrap());
    let mut out = device.zeros::<i32>([2, 3]).unwrap();
    let error = double(&line, &mut out).launch((1, 1), (4, 4)).unwrap_err();
    assert!(matches!(&error, Error::RankMismatch { kernel: "double", argument: "a", rank: 2, shape } if **shape == [6]), "{error}");
    assert_eq!(
        error.to_string(),
        "kernel `double`: `a` is a view with 2 axes, but the argument has the shape (6,); reshape it, or pass a part with `index_axis`"
    );
    let error = double_line(&line, &mut out).forall(6).unwrap_err();
    assert!(error.to_string().starts_with("kernel `double_line`: `out` is a view with 1 axis, but"), "{error}");
    double_line(a.view().index_axis(0, 1), out.view_mut().index_axis(0, 0)).forall(3).unwrap();
    assert_eq!(out.to_host().unwrap(), [8, 10, 12, 0, 0, 0]);
}

#[test]
fn a_grid_of_no_blocks_is_fine_where_there_is_nothing_to_write() -> Result<()> {
    let device = Device::cpu();
    let a = matrix(&device);
    let mut out = device.zeros::<i32>([2, 3])?;
    double(&a, out.view_mut().slice_axis(0, 2..)).launch((0, 1), (4, 4))?;
    assert!(matches!(double(&a, &mut out).launch((0, 1), (4, 4)), Err(Error::EmptyGrid { kernel: "double", .. })));
    Ok(())
}

#[test]
fn a_failure_names_axis_index_and_extent() -> Result<()> {
    let device = Device::cpu();
    let a = matrix(&device);
    let mut out = device.zeros::<i32>([2, 5])?;
    double(&a, &mut out).launch((1, 1), (8, 8))?;
    let Err(Error::KernelFailed(failure)) = out.to_host() else { panic!("the kernel reads past the columns") };
    assert_eq!(failure.cause, FailureCause::AxisOutOfBounds { axis: 1, index: 3, extent: 3 });
    assert!(failure.to_string().contains("index 3 is out of bounds for axis 1 of extent 3"), "{failure}");
    Ok(())
}

#[test]
fn arrays_of_ndarray_go_there_and_back() -> Result<()> {
    let device = Device::cpu();
    let host = array![[1, 2, 3], [4, 5, 6]];
    let a = DeviceArray::from_ndarray(&device, &host.t())?;
    let mut out = device.zeros::<i32>(a.shape())?;
    double(&a, &mut out).launch((1, 1), (4, 4))?;
    assert_eq!(out.to_ndarray()?.into_dimensionality::<Ix2>().unwrap(), 2 * &host.t());
    double(a.view().t(), out.view_mut().t()).launch((1, 1), (4, 4))?;
    assert_eq!(out.view().t().to_ndarray()?.into_dimensionality::<Ix2>().unwrap(), 2 * &host);
    Ok(())
}

#[gpu_device]
fn largest(a: View<f32, 2>) -> f32 {
    let mut best = a[[0, 0]];
    for i in 0..a.shape()[0] {
        for j in 0..a.shape()[1] {
            best = best.max(a[[i, j]]);
        }
    }
    best
}

#[gpu_device]
fn clear(a: ViewMut<f32, 2>, j: usize) {
    for i in 0..a.shape()[0] {
        a[[i, j]] = 0.0;
    }
}

#[test]
fn device_functions_take_views_on_the_host() {
    let mut elements = [1.0, 7.0, 3.0, 4.0, 5.0, 6.0];
    assert_eq!(largest(View::from_slice(&elements, [2, 3])), 7.0);
    clear(ViewMut::from_slice(&mut elements, [2, 3]), 1);
    assert_eq!(elements, [1.0, 0.0, 3.0, 4.0, 0.0, 6.0]);
}

#[test]
#[should_panic(expected = "index 0 is out of bounds for axis 0 of extent 0")]
fn a_failed_check_of_a_device_function_is_a_panic_on_the_host() {
    largest(View::from_slice(&[], [0, 3]));
}
