//! What NumPy's users write first: names that are others here, and parts.

use gpu_runtime::functions::add;
use gpu_runtime::prelude::*;

/// NumPy's names.
fn names(x: &DeviceArray<f32>, view: DeviceView<'_, f32>) {
    let _ = x.astype::<f64>(); //~
    let _ = view.transpose(); //~
    let _ = x.ravel(); //~
    let _ = (x + 1.0).squeeze(); //~
    let _ = x.numpy(); //~
}

/// A whole power of floats.
fn power(x: &DeviceArray<f32>) {
    let _ = x.pow(2); //~
}

/// Something that is no range, and something that is no part.
fn parts(x: &DeviceArray<f32>) {
    let _ = x.slice(3); //~
    let _ = x.part((1..2, "all")); //~
    let _ = x.part([1, 2]); //~
}

/// An update of an array that can only be read.
fn read_only(x: &DeviceArray<f32>, i: &DeviceArray<u32>) {
    let _ = add::at(x, i, 1.0); //~
}

fn main() {}

/// Operators of two values, between arrays.
fn compared(x: &DeviceArray<f32>, y: &DeviceArray<f32>, i: DeviceArray<i32>) -> gpu_runtime::Result<()> {
    let _ = x == y; //~
    let _ = x != y; //~
    let _ = x > 0.0; //~
    let _ = x < &(x + y); //~
    let _ = i == 3; //~
    let _ = &i >= 3; //~
    let _ = x.view() > 0.0; //~
    let _ = (x + y) > 1.0; //~
    // The methods of these names are those of arrays.
    let both = (x.eq(y) & x.gt(0.0)).collect()?;
    for x in [x, y].iter() {
        let _ = x.lt(1.0).eq(&both);
    }
    Ok(())
}

/// An axis or another array where the method takes none.
fn arguments(x: &DeviceArray<f32>, y: &DeviceArray<f32>) -> gpu_runtime::Result<()> {
    let _ = x.sum(0)?; //~
    let _ = x.mean(1)?; //~
    let _ = x.max(y)?; //~
    let _ = x.cumsum(0)?; //~
    let _ = x.sort(0)?; //~
    let _ = x.std()?; //~
    let _ = x.log(); //~
    let _ = x.view().reshape(2, 3)?; //~
    Ok(())
}

/// More of NumPy's names.
fn more_names(x: &DeviceArray<f32>, b: &DeviceArray<bool>) {
    let _ = x.log1p(); //~
    let _ = x.power(2); //~
    let _ = (x + 1.0).clip(0.0, 1.0); //~
    let _ = b.logical_and(b); //~
    let _ = x.permute([1, 0]); //~
    let _ = x.ndim(); //~
    let _ = x.rank(); //~
    let _ = x.view().rank();
    let _ = x.item(); //~
    let _ = x.dtype(); //~
    let _ = x.flip(0); //~
    let _ = x.roll(1); //~
    let _ = x.outer(x); //~
    let _ = x.allclose(x, 1e-5); //~
    let _ = x.mm(x); //~
    let _ = x.concat(x, 0); //~
    let _ = x.compress(b); //~
    let _ = b.argwhere(); //~
}

/// An array where a reference to it is taken.
fn by_value(x: DeviceArray<f32>, y: DeviceArray<f32>) -> gpu_runtime::Result<()> {
    let _ = x.matmul(y)?; //~
    Ok(())
}

fn tuple_by_value(x: DeviceArray<f32>, y: DeviceArray<f32>) -> gpu_runtime::Result<()> {
    let _ = concatenate((x, y), 0)?; //~
    Ok(())
}

/// What is no axis, and no number of threads. (Negative axes count from the end.)
fn axes(x: &DeviceArray<f32>, n: u32) -> gpu_runtime::Result<()> {
    let _ = x.softmax(-1)?;
    let _ = x.softmax(n)?; //~
    let _ = x.sum_axis([0, -1])?;
    Ok(())
}
