//! Arrays from Python and back, by DLPack: <https://dmlc.github.io/dlpack/latest/python_spec.html>.

use std::ffi::CStr;
use std::ops::{Deref, DerefMut};
use std::sync::Mutex;

use gpu_runtime::prelude::*;
use gpu_runtime::{Dlpack, Error};
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

const TENSOR: &CStr = c"dltensor";
const USED_TENSOR: &CStr = c"used_dltensor";

// As in `dlpack.h`.
const CPU: i32 = 1;
const CUDA: i32 = 2;

/// The device of a Python array.
pub fn device_of(array: &Bound<'_, PyAny>) -> PyResult<Device> {
    let (kind, ordinal): (i32, usize) = array.call_method0("__dlpack_device__")?.extract()?;
    match kind {
        CPU => Ok(Device::cpu()),
        CUDA => Device::gpu(ordinal).map_err(|error| PyValueError::new_err(error.to_string())),
        _ => Err(PyValueError::new_err("the array is neither on the CPU nor on an NVIDIA GPU")),
    }
}

/// A Python array, borrowed from its library until this is dropped, which waits for the kernels that use it.
pub struct Borrowed(DeviceArray<f32>);

impl Borrowed {
    /// Takes an array of `float32` on that device, without a copy.
    pub fn new(device: &Device, array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let keywords = PyDict::new(array.py());
        if device.is_gpu() {
            // The library lets our stream wait for what it has asked for.
            let stream = device.lend().call(|stream| stream.addr()).map_err(buffer_error)?;
            keywords.set_item("stream", stream)?;
        }
        let capsule = array.call_method("__dlpack__", (), Some(&keywords))?;
        let capsule = capsule.cast::<PyCapsule>().map_err(|_| PyTypeError::new_err("`__dlpack__` returned no capsule"))?;
        // SAFETY: a capsule of this name holds a tensor, whose owner we become by renaming it.
        let tensor = unsafe {
            let tensor = ffi::PyCapsule_GetPointer(capsule.as_ptr(), TENSOR.as_ptr());
            if tensor.is_null() || ffi::PyCapsule_SetName(capsule.as_ptr(), USED_TENSOR.as_ptr()) != 0 {
                return Err(PyErr::fetch(capsule.py()));
            }
            Dlpack::from_raw(tensor)
        };
        DeviceArray::from_dlpack(device, tensor).map(Self).map_err(buffer_error)
    }

    /// Whether the two have memory in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        let end = |array: &Self| array.as_ptr().addr() + 4 * array.len();
        self.as_ptr().addr() < end(other) && other.as_ptr().addr() < end(self)
    }
}

impl Deref for Borrowed {
    type Target = DeviceArray<f32>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Borrowed {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// An array of ours, for `from_dlpack` of NumPy, CuPy, PyTorch and JAX, which takes it over.
#[pyclass]
pub struct Array {
    array: Mutex<Option<DeviceArray<f32>>>,
    device: (i32, usize),
}

impl Array {
    pub fn new(array: DeviceArray<f32>) -> Self {
        let device = array.device().ordinal().map_or((CPU, 0), |ordinal| (CUDA, ordinal));
        Self { array: Mutex::new(Some(array)), device }
    }
}

#[pymethods]
impl Array {
    fn __dlpack_device__(&self) -> (i32, usize) {
        self.device
    }

    /// The array is ready when this returns, so no stream must wait for it.
    #[pyo3(signature = (**_keywords))]
    fn __dlpack__<'py>(&self, py: Python<'py>, _keywords: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        let array = self.array.lock().expect("nothing panics here").take();
        let array = array.ok_or_else(|| PyBufferError::new_err("another library has taken the array"))?;
        let tensor = py.detach(|| array.into_dlpack()).map_err(buffer_error)?.into_raw();
        // SAFETY: the destructor drops the tensor unless somebody has taken it. If there is no capsule, we drop it.
        unsafe {
            let capsule = ffi::PyCapsule_New(tensor, TENSOR.as_ptr(), Some(drop_tensor));
            if capsule.is_null() {
                drop(Dlpack::from_raw(tensor));
            }
            Bound::from_owned_ptr_or_err(py, capsule)
        }
    }
}

/// Drops the tensor of a capsule that nobody has taken.
unsafe extern "C" fn drop_tensor(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls it once, with a capsule of ours.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, TENSOR.as_ptr()) == 1 {
            let tensor = ffi::PyCapsule_GetPointer(capsule, TENSOR.as_ptr());
            if !tensor.is_null() {
                drop(Dlpack::from_raw(tensor));
            }
        }
    }
}

fn buffer_error(error: Error) -> PyErr {
    PyBufferError::new_err(error.to_string())
}
