//! Asking a lazy array for its elements.

use super::code::Code;
use super::input::{Input, InputKind, Inputs};
use super::plan::{Plan, broadcast};
use super::{Expression, Item, Lazy, cpu, cuda};
use crate::device::{Device, DeviceKind};
use crate::memory::{DeviceArray, Element, Layout, Shape};
use crate::{Error, Result};

impl<E: Expression> Lazy<E> {
    /// Its shape, by NumPy's rules for broadcasting.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if the shapes of its arrays do not go together.
    pub fn shape(&self) -> Result<Shape> {
        broadcast(E::Code::NAME, &self.inputs())
    }

    /// Its elements in a new array on its device; for a tuple of elements, a tuple of arrays.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`], [`Error::DifferentDevices`] and [`Error::OutOfMemory`] before anything runs, and
    /// [`Error::Compile`]. What goes wrong inside a function is reported by the next call that waits: see [`Device`].
    pub fn collect(&self) -> Result<<E::Item as Item>::Arrays> {
        let request = Request::new::<E>(self.inputs())?;
        let (arrays, targets) = E::Item::allocate(&request.device, request.shape)?;
        let layouts = vec![Layout::c_order(request.shape); targets.len()];
        // SAFETY: the arrays are new, of that shape and of the components' types.
        unsafe { request.run::<E>(&targets, &layouts)? };
        Ok(arrays)
    }

    /// Its elements in a new `Vec`, in C order; for a tuple of elements, a tuple of `Vec`s.
    ///
    /// # Errors
    ///
    /// As for [`collect`](Self::collect), and [`Error::KernelFailed`].
    pub fn to_vec(&self) -> Result<<E::Item as Item>::Vecs> {
        let request = Request::new::<E>(self.inputs())?;
        let len = request.len;
        let (mut vecs, targets) = E::Item::reserve(len)?;
        // SAFETY: the vectors are new, with room for `len` elements of the components' types.
        unsafe { request.run_to_host::<E>(&targets)? };
        // SAFETY: every element was written.
        unsafe { E::Item::set_len(&mut vecs, len) };
        Ok(vecs)
    }

    /// The CUDA C of the kernel that computes it on a GPU, for people and tests.
    ///
    /// # Errors
    ///
    /// [`Error::ShapeMismatch`] if the shapes of its arrays do not go together.
    pub fn cuda_source(&self) -> Result<String> {
        let inputs = self.inputs();
        let shape = broadcast(E::Code::NAME, &inputs)?;
        let outputs = vec![Layout::c_order(shape); E::Item::COMPONENTS.len()];
        let plan = Plan::new(shape, inputs.list.iter().map(|input| &input.layout).chain(&outputs));
        Ok(cuda::map_source::<E::Code>(&plan, &inputs.list))
    }

    pub(super) fn inputs(&self) -> Inputs<'_> {
        let mut inputs = Inputs::default();
        self.expression.inputs(&mut inputs);
        inputs
    }
}

impl<T: Element, E: Expression<Item = T>> Lazy<E> {
    /// Overwrites the elements of `out` with its own: `out=` of a NumPy function.
    ///
    /// # Errors
    ///
    /// [`Error::TargetShape`] if `out` has another shape, and as for [`collect`](Self::collect).
    pub fn collect_into(&self, out: &mut DeviceArray<T>) -> Result<()> {
        let mut inputs = self.inputs();
        let layout = Layout::c_order(out.len().into());
        let target = out.slice_mut(..).pointer().cast::<u8>();
        inputs.choose(out.device());
        let request = Request::new::<E>(inputs)?;
        if request.shape != layout.shape {
            return Err(Error::TargetShape { function: E::Code::NAME, result: request.shape, target: layout.shape });
        }
        // SAFETY: `out` is borrowed exclusively, and is as large as its shape says.
        unsafe { request.run::<E>(&[target], &[layout]) }
    }
}

/// What is asked of an expression, with its inputs.
pub(super) struct Request<'a> {
    pub(super) inputs: Inputs<'a>,
    pub(super) shape: Shape,
    pub(super) len: usize,
    pub(super) device: Device,
}

impl<'a> Request<'a> {
    pub(super) fn new<E: Expression>(inputs: Inputs<'a>) -> Result<Self> {
        let function = E::Code::NAME;
        let shape = broadcast(function, &inputs)?;
        let device = find_device(function, &inputs)?;
        let len = shape.checked_len().ok_or_else(|| Error::OutOfMemory { device: device.name().to_owned(), bytes: usize::MAX })?;
        Ok(Self { inputs, shape, len, device })
    }

    /// Makes host inputs copies on the device, if that is a GPU: these copies, which must live until the kernel is on the stream.
    pub(super) fn upload_host_inputs(&mut self) -> Result<Vec<DeviceArray<u8>>> {
        let mut copies = Vec::new();
        if self.device.is_gpu() {
            for input in &mut self.inputs.list {
                if let InputKind::Host { pointer } = input.kind {
                    // SAFETY: the input is as large as its layout says.
                    copies.push(unsafe { upload(&self.device, pointer, input)? });
                }
            }
        }
        Ok(copies)
    }

    /// Stores the elements at `targets`, on the device.
    ///
    /// # Safety
    ///
    /// The targets are memory of the device, laid out like `layouts`, of the components' types, which nothing else uses.
    unsafe fn run<E: Expression>(mut self, targets: &[*mut u8], layouts: &[Layout]) -> Result<()> {
        let _copies = self.upload_host_inputs()?;
        let plan = Plan::new(self.shape, self.inputs.list.iter().map(|input| &input.layout).chain(layouts));
        match &self.device.0 {
            // SAFETY: the operands are those of the plan, and all of them in host memory.
            DeviceKind::Cpu(cpu) => {
                if let Err(failure) = unsafe { cpu::map::<E::Code>(&plan, &self.inputs.list, targets) } {
                    cpu.fail(&failure);
                }
                Ok(())
            }
            // SAFETY: the operands are those of the plan, and all of them on this GPU.
            DeviceKind::Gpu(gpu) => unsafe { cuda::map::<E::Code>(gpu, &plan, &self.inputs.list, targets) },
        }
    }

    /// Stores the elements at `targets`, in host memory, in C order.
    ///
    /// # Safety
    ///
    /// The targets have room for the elements, of the components' types, and nothing else uses them.
    unsafe fn run_to_host<E: Expression>(self, targets: &[*mut u8]) -> Result<()> {
        let device = self.device.clone();
        let (shape, len) = (self.shape, self.len);
        match &device.0 {
            DeviceKind::Cpu(cpu) => {
                // SAFETY: the caller vouches for the targets, which are memory of the CPU like any other.
                unsafe { self.run::<E>(targets, &vec![Layout::c_order(shape); targets.len()])? };
                cpu.report()
            }
            DeviceKind::Gpu(gpu) => {
                let (arrays, addresses) = E::Item::allocate(&device, shape)?;
                // SAFETY: the arrays are new, of that shape.
                unsafe { self.run::<E>(&addresses, &vec![Layout::c_order(shape); addresses.len()])? };
                for ((&target, &address), component) in targets.iter().zip(&addresses).zip(E::Item::COMPONENTS) {
                    // SAFETY: both have room for `len` elements of the component.
                    unsafe { gpu.download(address.addr() as u64, target.cast(), len * component.size)? };
                }
                drop(arrays);
                Ok(())
            }
        }
    }
}

/// The device of an expression: where its arrays are, or the one that was chosen, or the best one.
fn find_device(function: &'static str, inputs: &Inputs<'_>) -> Result<Device> {
    let of_arrays = inputs.list.iter().filter_map(|input| match input.kind {
        InputKind::Device { device, .. } => Some(device),
        _ => None,
    });
    let mut devices = of_arrays.chain(inputs.chosen.iter().copied());
    let Some(first) = devices.next() else { return Device::best() };
    match devices.find(|device| *device != first) {
        None => Ok(first.clone()),
        Some(second) => Err(Error::DifferentDevices {
            kernel: function,
            first: "an array",
            first_device: first.to_string(),
            second: "another",
            second_device: second.to_string(),
        }),
    }
}

/// Copies a host input to `device`, and makes the input the copy.
///
/// # Safety
///
/// `pointer` is the first element of the input, which is as large as its layout says.
unsafe fn upload(device: &Device, pointer: *const u8, input: &mut Input<'_>) -> Result<DeviceArray<u8>> {
    let span = input.layout.span();
    let first = span.start * input.size as isize;
    // SAFETY: the span covers the elements of the input and nothing around them.
    let host = unsafe { std::slice::from_raw_parts(pointer.wrapping_offset(first), span.len() * input.size) };
    let copy = device.to_device(host)?;
    let pointer = copy.slice(..).pointer().wrapping_offset(-first);
    input.kind = InputKind::Uploaded { pointer };
    Ok(copy)
}
