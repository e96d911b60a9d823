//! Views of several axes.

use gpu_runtime::prelude::*;

#[gpu_kernel]
fn kernel(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    if i < out.shape()[0] && j < out.shape()[1] {
        out[[i, j]] = a[[i, j]];
    }
}

/// A `View` is not added to.
#[gpu_kernel]
fn add_to_view(a: View<f32, 2>, x: &[f32]) {
    let (j, i) = grid_2d();
    a[[i, j]] += x[0]; //~
}

/// An index in a variable.
#[gpu_kernel]
fn array_as_index(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let at = [0, 0];
    let (j, i) = grid_2d();
    if i < out.shape()[0] && j < out.shape()[1] {
        out[[i, j]] = a[at]; //~
    }
}

/// The extent of an axis that only the launch knows.
#[gpu_kernel]
fn axis_is_variable(a: View<f32, 2>, out: ViewMut<f32, 2>, axis: usize) {
    let (j, i) = grid_2d();
    if i < out.shape()[axis] { //~
        out[[i, j]] = 1.0;
    }
}

/// An axis that the view has not.
#[gpu_kernel]
fn axis_out_of_range(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    if i < out.shape()[2] { //~
        out[[i, j]] = 1.0;
    }
}

/// A view is passed by value.
mod borrowed {
    use super::*;

    #[gpu_device]
    fn first(a: View<f32, 2>) -> f32 {
        a[[0, 0]]
    }

    #[gpu_kernel]
    fn kernel(a: View<f32, 2>, out: ViewMut<f32, 2>) {
        let (j, i) = grid_2d();
        if i < out.shape()[0] && j < out.shape()[1] {
            out[[i, j]] = first(&a); //~
        }
    }
}

/// A view is used by its own name.
#[gpu_kernel]
fn copied(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let b = a; //~
    let (j, i) = grid_2d();
    if i < out.shape()[0] && j < out.shape()[1] {
        out[[i, j]] = b[[i, j]];
    }
}

/// Elements that no kernel has.
#[gpu_kernel]
fn element_is_string(x: View<String, 2>, out: &mut [f32]) { //~
    out[grid_1d()] = x.len() as f32;
}

/// An array function has elements.
#[vectorize]
fn in_array_function(a: View<f32, 2>) -> f32 { //~
    a[[0, 0]]
}

/// The core arrays of a generalized function are slices.
#[guvectorize("(n)->()")]
fn in_generalized_function(a: View<f32, 1>) -> f32 { //~
    a[[0]]
}

/// An index of another type.
#[gpu_kernel]
fn index_not_usize(a: View<f32, 2>, out: ViewMut<f32, 2>, k: i32) {
    let (j, i) = grid_2d();
    if i < out.shape()[0] && j < out.shape()[1] {
        out[[i, j]] = a[[i, k]]; //~
    }
}

/// An array of the host.
fn launch_with_host_array() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let (a, mut out) = (vec![0.0f32; 4], device.zeros::<f32>([2, 2])?);
    kernel(&a, &mut out).launch((1, 1), (2, 2)) //~
}

/// An array of other elements.
fn launch_with_other_elements() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let (a, mut out) = (device.zeros::<f64>([2, 2])?, device.zeros::<f32>([2, 2])?);
    kernel(&a, &mut out).launch((1, 1), (2, 2)) //~
}

/// A repeated view is not written.
fn launch_with_repeated_output() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let (a, row) = (device.zeros::<f32>([2, 2])?, device.zeros::<f32>(2)?);
    kernel(&a, row.view().broadcast_to([2, 2])?).launch((1, 1), (2, 2)) //~
}

/// One array is read and written.
fn launch_with_same_view_twice() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let mut a = device.zeros::<f32>([2, 2])?;
    kernel(a.view().t(), a.view_mut()).launch((1, 1), (2, 2)) //~
}

/// An output that is not lent mutably.
fn launch_with_shared_output() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let (a, out) = (device.zeros::<f32>([2, 2])?, device.zeros::<f32>([2, 2])?);
    kernel(&a, &out).launch((1, 1), (2, 2)) //~
}

/// A slice has one axis.
fn launch_with_slice() -> gpu_runtime::Result<()> {
    let device = Device::cpu();
    let (a, mut out) = (device.zeros::<f32>(4)?, device.zeros::<f32>([2, 2])?);
    kernel(a.slice(..), &mut out).launch((1, 1), (2, 2)) //~
}

/// The lifetime of a view has no name.
#[gpu_kernel]
fn named_lifetime(a: View<'a, f32, 2>, out: &mut [f32]) { //~
    out[grid_1d()] = a[[0, 0]];
}

/// A thread reads what its neighbour writes: the launch is `unsafe`.
mod neighbour_is_read {
    use super::*;

    #[gpu_kernel]
    fn kernel(out: ViewMut<f32, 2>) {
        let i = grid_1d();
        if i + 1 < out.shape()[0] {
            out[[i, 0]] = out[[i + 1, 0]];
        }
    }

    fn caller() -> gpu_runtime::Result<()> {
        let device = Device::cpu();
        let mut out = device.zeros::<f32>([2, 2])?;
        kernel(&mut out).launch(1, 2) //~
    }
}

/// An index without brackets for two axes.
#[gpu_kernel]
fn number_as_index(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    if i < out.shape()[0] && j < out.shape()[1] {
        out[[i, j]] = a[i]; //~
    }
}

/// A device function writes what is only read.
mod passed_for_writing {
    use super::*;

    #[gpu_device]
    fn clear(a: ViewMut<f32, 2>) {
        a[[0, 0]] = 0.0;
    }

    #[gpu_kernel]
    fn kernel(a: View<f32, 2>, out: &mut [f32]) {
        clear(a); //~
        out[grid_1d()] = 1.0;
    }
}

/// A device function expects a view, and gets a slice.
mod passed_slice {
    use super::*;

    #[gpu_device]
    fn first(a: View<f32, 1>) -> f32 {
        a[0]
    }

    #[gpu_kernel]
    fn kernel(x: &[f32], out: &mut [f32]) {
        out[grid_1d()] = first(x); //~
    }
}

/// A device function expects another rank.
mod passed_with_other_rank {
    use super::*;

    #[gpu_device]
    fn first(a: View<f32, 2>) -> f32 {
        a[[0, 0]]
    }

    #[gpu_kernel]
    fn kernel(a: View<f32, 3>, out: ViewMut<f32, 2>) {
        let (j, i) = grid_2d();
        if i < out.shape()[0] && j < out.shape()[1] {
            out[[i, j]] = first(a); //~
        }
    }
}

/// A pattern for the shape of another rank.
#[gpu_kernel]
fn pattern_too_short(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let [rows] = out.shape(); //~
    let (j, i) = grid_2d();
    if i < rows {
        out[[i, j]] = 1.0;
    }
}

/// More axes than a view can have.
#[gpu_kernel]
fn rank_five(x: View<f32, 5>, out: &mut [f32]) { //~
    out[grid_1d()] = x[[0, 0, 0, 0, 0]];
}

/// The rank is a constant.
mod rank_is_constant {
    use super::*;

    const AXES: usize = 2;

    #[gpu_kernel]
    fn kernel(x: View<f32, AXES>, out: &mut [f32]) { //~
        out[grid_1d()] = x[[0, 0]];
    }
}

/// A view of no certain rank.
#[gpu_kernel]
fn rank_missing(x: View<f32>, out: &mut [f32]) { //~
    out[grid_1d()] = x[[0, 0]];
}

/// A view without axes.
#[gpu_kernel]
fn rank_zero(x: View<f32, 0>, out: &mut [f32]) { //~
    out[grid_1d()] = x[[]];
}

/// A view is taken by value.
#[gpu_kernel]
fn reference_to_view(a: &View<f32, 2>, out: &mut [f32]) { //~
    out[grid_1d()] = a[[0, 0]];
}

/// Indexed like an array of arrays.
#[gpu_kernel]
fn rows_of_rows(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    if i < out.shape()[0] && j < out.shape()[1] {
        out[[i, j]] = a[i][j]; //~
    }
}

/// A shape is a method.
#[gpu_kernel]
fn shape_as_field(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    if i < out.shape[0] { //~
        out[[i, j]] = 1.0;
    }
}

/// One index for two axes.
#[gpu_kernel]
fn too_few_indices(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    if i < out.shape()[0] && j < out.shape()[1] {
        out[[i, j]] = a[[i]]; //~
    }
}

/// Three indices for two axes.
#[gpu_kernel]
fn too_many_indices(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    if i < out.shape()[0] && j < out.shape()[1] {
        out[[i, j]] = a[[i, j, 0]]; //~
    }
}

/// A transpose is made before the launch.
#[gpu_kernel]
fn transposed_inside(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    if i < out.shape()[0] && j < out.shape()[1] {
        out[[i, j]] = a.t()[[i, j]]; //~
    }
}

/// An index in parentheses.
#[gpu_kernel]
fn tuple_as_index(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    if i < out.shape()[0] && j < out.shape()[1] {
        out[(i, j)] = a[[i, j]]; //~
    }
}

/// A reference to an element is not a value.
#[gpu_kernel]
fn unchecked_reference(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    if i < out.shape()[0] && j < out.shape()[1] {
        out[[i, j]] = unsafe { a.get_unchecked([i, j]) }; //~
    }
}

/// An unchecked element needs `unsafe`.
#[gpu_kernel]
fn unchecked_without_unsafe(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    if i < out.shape()[0] && j < out.shape()[1] {
        out[[i, j]] = *a.get_unchecked([i, j]); //~
    }
}

/// A method that views have not.
#[gpu_kernel]
fn unknown_method(a: View<f32, 2>, out: ViewMut<f32, 2>) {
    let (j, i) = grid_2d();
    if i < out.shape()[0] && j < out.shape()[1] {
        out[[i, j]] = a.sum(); //~
    }
}

/// Another type of that name.
mod view_of_the_user {
    use super::*;

    #[allow(dead_code)]
    struct View<'a, T, const N: usize>(&'a [T; N]);

    #[gpu_kernel]
    fn kernel(a: View<f32, 2>, out: &mut [f32]) { //~
        let i = grid_1d();
        if i < out.len() {
            out[i] = a[[0, i]];
        }
    }
}

/// A `View` is not written.
#[gpu_kernel]
fn write_to_view(a: View<f32, 2>, x: &[f32]) {
    let (j, i) = grid_2d();
    a[[i, j]] = x[0]; //~
}

fn main() {}
