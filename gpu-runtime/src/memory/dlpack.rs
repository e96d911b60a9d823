//! DLPack: arrays that go from one library to another without a copy, with what frees them.
//!
//! The structs are those of `dlpack.h` before version 1, which NumPy, CuPy, PyTorch and JAX take and give.

use std::ffi::c_void;
use std::fmt;
use std::ptr::{self, NonNull};

use super::element_kind::ElementKind;
use super::{DeviceArray, MAX_RANK, Shape};
use crate::backend::Access;
use crate::device::Device;
use crate::source::DeviceType;
use crate::{Error, Result};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
struct DLDevice {
    device_type: i32,
    device_id: i32,
}

impl DLDevice {
    const CPU: i32 = 1;
    const CUDA: i32 = 2;

    fn of(device: &Device) -> Self {
        match device.queue().ordinal() {
            None => Self { device_type: Self::CPU, device_id: 0 },
            Some(ordinal) => Self { device_type: Self::CUDA, device_id: ordinal as i32 },
        }
    }
}

impl fmt::Display for DLDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self { device_type: Self::CPU, .. } => f.write_str("the CPU"),
            Self { device_type: Self::CUDA, device_id } => write!(f, "GPU {device_id}"),
            Self { device_type, device_id } => write!(f, "device {device_id} of type {device_type}"),
        }
    }
}

#[repr(C)]
struct DLTensor {
    data: *mut c_void,
    device: DLDevice,
    ndim: i32,
    dtype: ElementKind,
    shape: *mut i64,
    /// In elements. Null for C order.
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct DLManagedTensor {
    tensor: DLTensor,
    manager_ctx: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut DLManagedTensor)>,
}

/// A tensor of DLPack, a `DLManagedTensor`: an array on its way from one library to another. When it is dropped, its deleter is called.
///
/// In Python, it is what a capsule with the name `dltensor` holds. An extension that takes an array calls `__dlpack__()`, takes the pointer
/// out of the capsule for [`from_raw`](Self::from_raw), and names the capsule `used_dltensor`. One that returns an array makes a capsule of
/// [`into_raw`](Self::into_raw), whose destructor gives a pointer that nobody has taken to [`from_raw`](Self::from_raw), to drop it.
///
/// ```
/// use gpu_runtime::prelude::*;
///
/// let device = Device::best()?;
/// let tensor = device.to_device(&[1.0f32, 2.0, 3.0])?.into_dlpack()?;
/// let x = DeviceArray::<f32>::from_dlpack(&device, tensor)?; // the same memory
/// assert_eq!(x.to_host()?, [1.0, 2.0, 3.0]);
/// # Ok::<(), gpu_runtime::Error>(())
/// ```
pub struct Dlpack(NonNull<DLManagedTensor>);

// SAFETY: the tensor is owned, and DLPack lets any thread call the deleter.
unsafe impl Send for Dlpack {}

impl Dlpack {
    /// Takes a tensor of another library.
    ///
    /// # Safety
    ///
    /// `tensor` must point to a `DLManagedTensor` that is as it says, whose elements are values of their type, and which nobody else deletes.
    /// Until it is deleted, nothing else may write its memory; nor read it, if kernels write it. What was asked for before must be done, or be
    /// ordered by [`Device::wait_for_stream`].
    ///
    /// # Panics
    ///
    /// If the pointer is null.
    #[must_use]
    pub unsafe fn from_raw(tensor: *mut c_void) -> Self {
        Self(NonNull::new(tensor.cast()).expect("a tensor"))
    }

    /// The `DLManagedTensor`, whose deleter the caller must call.
    #[must_use]
    pub fn into_raw(self) -> *mut c_void {
        let tensor = self.0.as_ptr().cast();
        std::mem::forget(self);
        tensor
    }

    fn tensor(&self) -> &DLTensor {
        // SAFETY: `from_raw` demands it, and `into_dlpack` makes it.
        unsafe { &self.0.as_ref().tensor }
    }

    /// The extents, and whether the elements are contiguous in C order.
    fn shape(&self) -> Result<(Shape, bool)> {
        let DLTensor { ndim, shape, strides, .. } = *self.tensor();
        let refused = |problem| Error::NotExchangeable { problem };
        let rank = usize::try_from(ndim).ok().filter(|&rank| rank <= MAX_RANK);
        let rank = rank.ok_or_else(|| refused(format!("it has {ndim} axes, and an array has at most {MAX_RANK}")))?;
        let mut extents = [0; MAX_RANK];
        for (axis, own) in extents[..rank].iter_mut().enumerate() {
            // SAFETY: the tensor has as many extents as axes.
            let extent = unsafe { shape.add(axis).read() };
            *own = usize::try_from(extent).map_err(|_| refused(format!("an extent is {extent}")))?;
        }
        let shape = Shape::from_extents(&extents[..rank]).expect("few enough axes");
        let (mut expected, mut in_order) = (1i64, true);
        for axis in (0..rank).rev().filter(|_| !strides.is_null()) {
            // SAFETY: if there are strides, there are as many as axes.
            let stride = unsafe { strides.add(axis).read() };
            in_order &= extents[axis] == 1 || stride == expected;
            expected = expected.saturating_mul(extents[axis] as i64);
        }
        Ok((shape, in_order || shape.checked_len() == Some(0)))
    }
}

impl Drop for Dlpack {
    fn drop(&mut self) {
        // SAFETY: the tensor is owned, so this is the only call.
        unsafe {
            if let Some(delete) = self.0.as_ref().deleter {
                delete(self.0.as_ptr());
            }
        }
    }
}

impl fmt::Debug for Dlpack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DLTensor { device, ndim, dtype, .. } = self.tensor();
        write!(f, "Dlpack({}, {ndim} axes, on {device})", dtype.name())
    }
}

/// What a tensor of ours consists of. It is freed as a whole.
struct Exported<T> {
    tensor: DLManagedTensor,
    shape: [i64; MAX_RANK],
    strides: [i64; MAX_RANK],
    _array: DeviceArray<T>,
}

/// # Safety
///
/// `tensor` is that of an [`Exported`] with elements of this type, and is not used again.
unsafe extern "C" fn delete<T: DeviceType>(tensor: *mut DLManagedTensor) {
    // SAFETY: `into_dlpack` has leaked the box, whose address is in the tensor.
    drop(unsafe { Box::from_raw((*tensor).manager_ctx.cast::<Exported<T>>()) });
}

impl<T: DeviceType> DeviceArray<T> {
    /// The array as a tensor for another library, without a copy. Waits for the work that uses the array, so that the other library may use it
    /// on any stream. The memory is freed when the tensor is deleted.
    ///
    /// # Errors
    ///
    /// [`Error::NotExchangeable`] if DLPack has no such elements, and [`Error::KernelFailed`] if a kernel that wrote the array failed.
    pub fn into_dlpack(mut self) -> Result<Dlpack> {
        let dtype = ElementKind::of::<T>()?;
        let queue = self.device().queue();
        queue.read_back(&self.shared().memory_use(Access::Write), || queue.synchronize())?;
        let (data, device, ndim) = (self.as_mut_ptr().cast(), DLDevice::of(self.device()), self.shape().rank() as i32);
        let (mut shape, mut strides) = ([0; MAX_RANK], [0; MAX_RANK]);
        let mut stride = 1i64;
        for (axis, &extent) in self.shape().extents().iter().enumerate().rev() {
            (shape[axis], strides[axis]) = (extent as i64, stride);
            stride = stride.saturating_mul(extent as i64);
        }
        let tensor = DLTensor { data, device, ndim, dtype, shape: ptr::null_mut(), strides: ptr::null_mut(), byte_offset: 0 };
        let tensor = DLManagedTensor { tensor, manager_ctx: ptr::null_mut(), deleter: Some(delete::<T>) };
        let exported = Box::into_raw(Box::new(Exported { tensor, shape, strides, _array: self }));
        // SAFETY: the box was just leaked. `delete` makes it one again.
        unsafe {
            (*exported).tensor.tensor.shape = (&raw mut (*exported).shape).cast();
            (*exported).tensor.tensor.strides = (&raw mut (*exported).strides).cast();
            (*exported).tensor.manager_ctx = exported.cast();
            Ok(Dlpack(NonNull::new_unchecked(&raw mut (*exported).tensor)))
        }
    }

    /// The array that a tensor is, without a copy. The tensor is deleted when the array is dropped, which waits until no kernel uses it.
    ///
    /// # Errors
    ///
    /// [`Error::NotExchangeable`] if the tensor is on another device, its elements are of another type, or they are not contiguous in C order.
    pub fn from_dlpack(device: &Device, tensor: Dlpack) -> Result<Self> {
        let refused = |problem| Err(Error::NotExchangeable { problem });
        let expected = ElementKind::of::<T>()?;
        let &DLTensor { data, device: place, dtype, byte_offset, .. } = tensor.tensor();
        if place != DLDevice::of(device) {
            return refused(format!("it is on {place}, not on {device}"));
        }
        if dtype != expected {
            return refused(format!("its elements are {}, not {}", dtype.name(), expected.name()));
        }
        let (shape, true) = tensor.shape()? else {
            return refused("its elements are not contiguous in C order; copy it first".to_owned());
        };
        let pointer = data.wrapping_byte_add(byte_offset as usize).cast::<T>();
        if shape.checked_len() != Some(0) && !pointer.addr().is_multiple_of(align_of::<T>()) {
            return refused(format!("its address {pointer:?} is not aligned for its elements"));
        }
        // SAFETY: whoever made the tensor guarantees its memory until it is deleted.
        Ok(unsafe { Self::from_raw(device, pointer, shape, tensor) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Queue;

    #[test]
    fn a_tensor_has_the_memory_and_the_shape_of_its_array() {
        for device in [Device::cpu(), Device::of_queue(Queue::of_fake_gpu())] {
            let x = device.to_device(&[1i16, 2, 3, 4, 5, 6]).unwrap().reshape([2, 3]).unwrap();
            let address = x.as_ptr();
            let tensor = x.into_dlpack().unwrap();
            assert_eq!((tensor.tensor().dtype, tensor.tensor().ndim), (ElementKind { code: 0, bits: 16, lanes: 1 }, 2));
            // SAFETY: the tensor has two strides.
            assert_eq!(unsafe { *tensor.tensor().strides.cast::<[i64; 2]>() }, [3, 1]);
            let again = DeviceArray::<i16>::from_dlpack(&device, tensor).unwrap();
            assert_eq!((again.as_ptr(), again.shape()), (address, Shape::from([2, 3])));
            assert_eq!(again.to_host().unwrap(), [1, 2, 3, 4, 5, 6]);
            if device.is_gpu() {
                assert_eq!(device.memory().unwrap().live, 12);
                drop(again);
                assert_eq!(device.memory().unwrap().live, 0, "the deleter frees the array");
            }
        }
    }

    #[test]
    fn a_tensor_without_elements_may_have_no_address() {
        for device in [Device::cpu(), Device::of_queue(Queue::of_fake_gpu())] {
            let mut tensor = device.zeros::<f64>([0, 3]).unwrap().into_dlpack().unwrap();
            // SAFETY: the tensor is owned. It has no elements.
            unsafe { tensor.0.as_mut().tensor.data = ptr::null_mut() };
            let x = DeviceArray::<f64>::from_dlpack(&device, tensor).unwrap();
            assert!(!x.as_ptr().is_null() && x.as_ptr().is_aligned());
            assert_eq!((x.shape(), x.to_host().unwrap()), (Shape::from([0, 3]), vec![]));
        }
    }

    #[test]
    fn a_tensor_that_is_no_such_array_is_refused_and_deleted() {
        let device = Device::cpu();
        let tensor = || device.zeros::<f32>([2, 3]).unwrap().into_dlpack().unwrap();
        let problem = |refused: Result<DeviceArray<f64>>| refused.unwrap_err().to_string();
        assert_eq!(
            problem(DeviceArray::from_dlpack(&device, tensor())),
            "the array cannot be shared with another library: its elements are float32, not float64"
        );
        let gpu = Device::of_queue(Queue::of_fake_gpu());
        assert!(problem(DeviceArray::from_dlpack(&gpu, tensor())).contains("it is on the CPU, not on GPU"));
        let transposed = tensor();
        // SAFETY: the tensor has two strides and extents.
        unsafe {
            transposed.tensor().strides.cast::<[i64; 2]>().write([1, 2]);
            let refused = DeviceArray::<f32>::from_dlpack(&device, transposed).unwrap_err().to_string();
            assert!(refused.contains("not contiguous in C order; copy it first"), "{refused}");
        }
        let pairs = device.to_device(&[[0f32; 2]; 3]).unwrap().into_dlpack().unwrap_err().to_string();
        assert!(pairs.contains("`[f32; 2]` are known to this crate only"), "{pairs}");
    }
}
