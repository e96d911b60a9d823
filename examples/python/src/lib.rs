//! A Python module whose functions are kernels in Rust. They take the arrays of NumPy, CuPy, PyTorch and JAX where they are.

mod exchange;

use exchange::{Array, Borrowed, device_of};
use gpu_runtime::prelude::*;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

#[gpu_kernel]
fn add_scaled(a: f32, x: &[f32], y: &mut [f32]) {
    let i = grid_1d();
    if i < y.len() {
        y[i] += a * x[i];
    }
}

#[gpu_kernel]
fn sum(x: &[f32], y: &[f32], out: &mut [f32]) {
    let i = grid_1d();
    if i < out.len() {
        out[i] = x[i] + y[i];
    }
}

fn runtime_error(error: gpu_runtime::Error) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

fn check_shapes(x: &DeviceArray<f32>, y: &DeviceArray<f32>) -> PyResult<()> {
    if x.shape() == y.shape() {
        return Ok(());
    }
    Err(PyValueError::new_err(format!("the arrays have the shapes {} and {}", x.shape(), y.shape())))
}

/// `y += a * x`, in place.
#[pyfunction]
fn axpy(py: Python<'_>, a: f32, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<()> {
    let device = device_of(y)?;
    let (x, mut y) = (Borrowed::new(&device, x)?, Borrowed::new(&device, y)?);
    check_shapes(&x, &y)?;
    if x.overlaps(&y) {
        return Err(PyValueError::new_err("the arrays overlap"));
    }
    py.detach(|| {
        let len = y.len();
        add_scaled(a, &*x, &mut *y).forall(len)?;
        device.synchronize()
    })
    .map_err(runtime_error)
}

/// `x + y`, as a new array.
#[pyfunction]
fn add(py: Python<'_>, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<Array> {
    let device = device_of(x)?;
    let (x, y) = (Borrowed::new(&device, x)?, Borrowed::new(&device, y)?);
    check_shapes(&x, &y)?;
    py.detach(|| {
        let mut out = device.zeros::<f32>(x.shape())?;
        let len = out.len();
        sum(&*x, &*y, &mut out).forall(len)?;
        Ok(Array::new(out))
    })
    .map_err(runtime_error)
}

#[pymodule]
fn gpu_example(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Array>()?;
    module.add_function(wrap_pyfunction!(axpy, module)?)?;
    module.add_function(wrap_pyfunction!(add, module)?)
}
