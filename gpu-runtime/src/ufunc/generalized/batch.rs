//! A generalized function with its arguments, before it is collected.

use std::any::{TypeId, type_name};
use std::marker::PhantomData;
use std::panic::Location;

use super::GeneralizedFunction;
use super::bind::{Bound, Signature, bind, loop_layout};
use super::run::{self, Operand};
use crate::backend::{Access, MemoryUse};
use crate::compile::Options;
use crate::compile::used::{self, UsedKernel};
use crate::device::Device;
use crate::failure::KernelFailure;
use crate::memory::{DeviceArray, Layout, Shape};
use crate::source::Element;
use crate::ufunc::code::{Code, Load};
use crate::ufunc::collect::{find_device, keep_failure};
use crate::ufunc::cuda::{AccessPattern, Launcher};
use crate::ufunc::input::{Input, InputKind, Inputs, Place};
use crate::ufunc::plan::{Plan, broadcast};
use crate::ufunc::{Expression, IntoTarget, Item, Lazy, Target, lazy};
use crate::{Error, Result};

/// A generalized function with its arguments, the result of `f::map(…)`: nothing runs until it is collected.
#[must_use = "nothing is computed until it is collected"]
pub struct Batch<'a, F> {
    arguments: Vec<Box<dyn Argument + 'a>>,
    device: Option<&'a Device>,
    function: PhantomData<fn() -> F>,
}

/// An argument, whatever expression it is.
trait Argument {
    fn inputs(&self) -> Inputs<'_>;

    /// How it lies in the memory of a GPU once it is prepared.
    fn layout(&self, core: usize, place: &'static Location<'static>) -> Result<Layout>;

    /// It as an array on `device` whose last `core` axes are in C order: itself if it is one, else a copy, which is asked for at
    /// `place`.
    fn prepare(&self, device: &Device, core: usize, place: &'static Location<'static>) -> Result<Prepared>;
}

/// An argument in the memory of the device.
struct Prepared {
    pointer: *mut u8,
    layout: Layout,
    /// What owns that memory, if it is a copy.
    copy: Option<Box<dyn Copied>>,
}

/// A copy of an argument, whatever its elements are.
trait Copied {
    /// What the function does with it, which the operation before has written.
    fn memory_use(&self) -> MemoryUse<'_>;
}

impl<T: Element> Copied for DeviceArray<T> {
    fn memory_use(&self) -> MemoryUse<'_> {
        self.slice(..).memory_use(Access::Read)
    }
}

impl<T: Element, E: Expression<Item = T>> Argument for Lazy<E> {
    fn inputs(&self) -> Inputs<'_> {
        let mut inputs = Inputs::default();
        self.expression.inputs(&mut inputs);
        inputs
    }

    fn layout(&self, core: usize, place: &'static Location<'static>) -> Result<Layout> {
        match in_place(self, true, core) {
            Some((_, layout)) => Ok(layout),
            None => broadcast(E::Code::NAME, &Argument::inputs(self), place).map(Layout::c_order),
        }
    }

    fn prepare(&self, device: &Device, core: usize, place: &'static Location<'static>) -> Result<Prepared> {
        if let Some((pointer, layout)) = in_place(self, device.is_gpu(), core) {
            return Ok(Prepared { pointer, layout, copy: None });
        }
        let (copy, shape) = self.collect_on(device, place)?;
        let pointer = copy.slice(..).pointer().cast_mut().cast();
        Ok(Prepared { pointer, layout: Layout::c_order(shape), copy: Some(Box::new(copy)) })
    }
}

/// Where an argument is, and how it lies there, if it needs no copy for a GPU or the CPU.
fn in_place<T: Element, E: Expression<Item = T>>(argument: &Lazy<E>, on_gpu: bool, core: usize) -> Option<(*mut u8, Layout)> {
    if TypeId::of::<E::Code>() != TypeId::of::<Load<T>>() {
        return None;
    }
    let inputs = Argument::inputs(argument);
    // There is none if it could not be computed.
    let input = inputs.list.first()?;
    let is_there = match input.kind {
        InputKind::Device { .. } => true,
        InputKind::Host { .. } => !on_gpu,
        _ => false,
    };
    // One with too many axes is refused where it would be copied.
    let is_core = is_there && inputs.too_many_axes.is_none() && can_be_core(&input.layout, core);
    is_core.then(|| input.kind.pointer()).flatten().map(|pointer| (pointer.cast_mut(), input.layout))
}

/// Whether the last `core` axes of an array can be a slice. With fewer axes it will be refused, and need not be copied first.
fn can_be_core(layout: &Layout, core: usize) -> bool {
    layout.shape.rank() < core || loop_layout(layout, core).is_some()
}

impl<'a, F: GeneralizedFunction> Batch<'a, F> {
    /// For generated code.
    #[doc(hidden)]
    pub fn new() -> Self {
        Self { arguments: Vec::new(), device: None, function: PhantomData }
    }

    /// Adds the next argument, for generated code.
    #[doc(hidden)]
    pub fn argument<T: Element, E: Expression<Item = T> + 'a>(mut self, argument: Lazy<E>) -> Self {
        let operand = F::SIGNATURE.inputs().get(self.arguments.len());
        let takes = operand.is_some_and(|operand| (operand.element.id)() == TypeId::of::<T>());
        assert!(takes, "`{}` does not take an array of `{}` here", F::NAME, type_name::<T>());
        self.arguments.push(Box::new(argument));
        self
    }

    /// Runs on `device`: for arguments that are all on the host.
    pub fn on(self, device: &'a Device) -> Self {
        Self { device: Some(device), ..self }
    }

    /// The results in a new array on the device, whose shape is the shape of the loop followed by the core axes; for several outputs, a
    /// tuple.
    ///
    /// # Errors
    ///
    /// [`Error::Signature`] and [`Error::BroadcastMismatch`] if the shapes do not match, [`Error::ArraysOnDifferentDevices`],
    /// [`Error::OutOfMemory`] and [`Error::Compile`]. The next call that waits reports a failure inside the function: see [`Device`].
    #[track_caller]
    pub fn collect(&self) -> Result<<F::Output as Item>::Arrays> {
        let request = self.request(None)?;
        let (arrays, targets) = F::Output::allocate_each(&request.device, &request.bound.outputs)?;
        // SAFETY: the arrays are new, of these shapes and of the outputs' types.
        unsafe { request.run::<F>(&targets)? };
        Ok(arrays)
    }

    /// The CUDA C of the kernel that calls the function on a GPU, for reading and for tests.
    ///
    /// # Errors
    ///
    /// [`Error::Signature`] and [`Error::BroadcastMismatch`] if the shapes do not match.
    #[track_caller]
    pub fn cuda_source(&self) -> Result<String> {
        Ok(self.kernel()?.cuda_source())
    }

    /// The machine code of that kernel for an architecture such as `sm_90`. It needs NVRTC, and no GPU.
    ///
    /// # Errors
    ///
    /// As for [`cuda_source`](Self::cuda_source), and [`Error::Compile`].
    #[inline]
    #[track_caller]
    pub fn cubin(&self, architecture: &str) -> Result<Vec<u8>> {
        self.kernel()?.cubin(architecture)
    }

    #[track_caller]
    fn kernel(&self) -> Result<UsedKernel> {
        let place = Location::caller();
        let layouts = self
            .arguments
            .iter()
            .zip(F::SIGNATURE.inputs())
            .map(|(argument, operand)| argument.layout(operand.core.len(), place))
            .collect::<Result<Vec<_>>>()?;
        let bound = bind(F::NAME, F::SIGNATURE, &layouts.iter().map(|layout| layout.shape).collect::<Vec<_>>(), place)?;
        let outputs = bound.outputs.iter().copied().map(Layout::c_order);
        let loops = loop_layouts(F::SIGNATURE, layouts.into_iter().chain(outputs));
        let pattern = AccessPattern::of_operands(&Plan::new(bound.shape, &loops));
        let unit = run::write_batch::<F>(&pattern).unit;
        Ok(UsedKernel::new(unit.name, unit, Options::with_fmad(F::FMAD)))
    }

    #[track_caller]
    fn request<'r>(&'r self, target: Option<(&'r Device, MemoryUse<'r>)>) -> Result<Request<'r>> {
        let place = Location::caller();
        let mut inputs = Inputs::default();
        if let Some(device) = self.device {
            inputs.choose(Place::On, device);
        }
        if let Some((device, _)) = &target {
            inputs.choose(Place::Target, device);
        }
        for argument in &self.arguments {
            let of_argument = argument.inputs();
            of_argument.check(F::NAME, place)?;
            inputs.list.extend(of_argument.list);
            inputs.chosen.extend(of_argument.chosen);
        }
        let device = find_device(F::NAME, &inputs, place)?;
        let prepared = self
            .arguments
            .iter()
            .zip(F::SIGNATURE.inputs())
            .map(|(argument, operand)| argument.prepare(&device, operand.core.len(), place))
            .collect::<Result<Vec<_>>>()?;
        let shapes: Vec<Shape> = prepared.iter().map(|argument| argument.layout.shape).collect();
        let bound = bind(F::NAME, F::SIGNATURE, &shapes, place)?;
        let handles = inputs.devices().map(|(_, device)| device.clone()).collect();
        let uses = inputs.list.iter().filter_map(Input::memory_use).chain(target.map(|(_, memory_use)| memory_use)).collect();
        let outputs = bound.outputs.iter().copied().map(Layout::c_order).collect();
        Ok(Request { device, handles, uses, prepared, bound, outputs, place })
    }
}

impl<T: Element, F: GeneralizedFunction<Output = T>> Batch<'_, F> {
    /// The results in a new `Vec`, in C order.
    ///
    /// # Errors
    ///
    /// As for [`collect`](Self::collect), and [`Error::KernelFailed`].
    #[doc(alias = "to_vec")]
    #[track_caller]
    pub fn to_host(&self) -> Result<Vec<T>> {
        let request = self.request(None)?;
        let run = || {
            let (array, targets) = T::allocate_each(&request.device, &request.bound.outputs)?;
            // SAFETY: the array is new, of that shape and type.
            let outcome = unsafe { request.try_run::<F>(&targets)? };
            if outcome.is_err() {
                // An earlier failure comes first.
                request.device.queue().synchronize()?;
            }
            outcome?;
            array.to_host()
        };
        // Its own failure it returns itself, also if another host thread gets the report.
        let queue = request.device.queue();
        queue.with_failures_of_writers(&request.uses, || queue.with_failures_of_others(run))
    }

    /// Overwrites the elements of `out`, a device array, a mutable view or part of one, or a `Vec` or slice, with the results. Where the core
    /// axes of a view are not in C order, the results are computed in a new array first.
    ///
    /// # Errors
    ///
    /// [`Error::TargetShape`] if `out` has another shape, and as for [`collect`](Self::collect); for a host array, as for
    /// [`to_host`](Self::to_host).
    #[track_caller]
    pub fn collect_into<'o>(&self, out: impl IntoTarget<'o, T>) -> Result<()> {
        let place = Location::caller();
        let other_shape = |result: Shape, target: Shape| {
            Err(Error::TargetShape { function: F::NAME, result: result.into(), target: target.into(), location: place })
        };
        let out = match out.into_target() {
            Target::Device(out) => out,
            Target::Host(out) => {
                let results = self.to_host()?;
                if results.len() != out.len() {
                    return other_shape(self.request(None)?.bound.outputs[0], out.len().into());
                }
                out.copy_from_slice(&results);
                return Ok(());
            }
        };
        let core = F::SIGNATURE.operands[F::SIGNATURE.inputs].core.len();
        let (shape, layout) = (out.layout().shape, *out.layout());
        let mut request = self.request(Some((out.device(), out.memory_use(Access::Write))))?;
        if request.bound.outputs[0] != shape {
            return other_shape(request.bound.outputs[0], shape);
        }
        if loop_layout(&layout, core).is_none() {
            let (results, targets) = T::allocate_each(&request.device, &request.bound.outputs)?;
            // SAFETY: the array is new, of that shape and type.
            unsafe { request.run::<F>(&targets)? };
            return lazy(&results).collect_into(out);
        }
        request.outputs = vec![layout];
        // SAFETY: `out` is borrowed exclusively, on the device, and of that layout.
        unsafe { request.run::<F>(&[out.pointer().cast()]) }
    }
}

/// How the core arrays of each operand follow each other, for prepared arguments and outputs.
fn loop_layouts(signature: &Signature, layouts: impl Iterator<Item = Layout>) -> Vec<Layout> {
    let of_operands = layouts.zip(signature.operands);
    of_operands.map(|(layout, operand)| loop_layout(&layout, operand.core.len()).expect("core arrays are in C order")).collect()
}

impl<F: GeneralizedFunction> Default for Batch<'_, F> {
    fn default() -> Self {
        Self::new()
    }
}

/// What is asked of a function, with its arguments in the memory of the device.
struct Request<'r> {
    device: Device,
    /// Every handle to it that is asked about the results.
    handles: Vec<Device>,
    /// What is done with the memory of arrays that existed before.
    uses: Vec<MemoryUse<'r>>,
    prepared: Vec<Prepared>,
    bound: Bound,
    /// How the results lie in memory.
    outputs: Vec<Layout>,
    /// Where in the program it is asked.
    place: &'static Location<'static>,
}

impl Request<'_> {
    /// Stores the results at `targets`. A failure is kept for whoever waits.
    ///
    /// # Safety
    ///
    /// The targets are memory of the device, laid out like `outputs`, of the outputs' types, which nothing else uses.
    unsafe fn run<F: GeneralizedFunction>(&self, targets: &[*mut u8]) -> Result<()> {
        // SAFETY: the caller guarantees the same.
        if let Err(failure) = unsafe { self.try_run::<F>(targets)? } {
            keep_failure(&failure, &self.device, self.handles.iter());
        }
        Ok(())
    }

    /// The same. A failure on the CPU is returned; one on a GPU is kept there.
    ///
    /// # Safety
    ///
    /// As for [`run`](Self::run).
    unsafe fn try_run<F: GeneralizedFunction>(&self, targets: &[*mut u8]) -> Result<std::result::Result<(), KernelFailure>> {
        let pointers = self.prepared.iter().map(|argument| argument.pointer).chain(targets.iter().copied());
        let layouts = self.prepared.iter().map(|argument| argument.layout).chain(self.outputs.iter().copied());
        let layouts = loop_layouts(F::SIGNATURE, layouts);
        let operands: Vec<Operand> = pointers.zip(layouts).map(|(pointer, layout)| Operand { pointer, layout }).collect();
        // SAFETY: the operands are those of the signature, on this GPU if there is one, and as large as was bound.
        let launch = |launcher| unsafe { run::on_gpu::<F>(launcher, &self.bound, &operands) };
        let on_cpu = || {
            if used::is_asked() {
                launch(Launcher::Asked)?;
            }
            // SAFETY: the operands are those of the signature, in host memory, and as large as was bound.
            Ok(unsafe { run::on_cpu::<F>(&self.bound, &operands) }.map_err(|failure| failure.of_call(self.place)))
        };
        let on_gpu = |queue| launch(Launcher::Gpu(queue, self.place)).map(Ok);
        let queue = self.device.queue();
        let mut outcome = Ok(());
        let of_copies = self.prepared.iter().filter_map(|argument| argument.copy.as_deref().map(Copied::memory_use));
        let uses: Vec<MemoryUse<'_>> = self.uses.iter().cloned().chain(of_copies).collect();
        queue.ordered(&uses, || queue.dispatch(on_cpu, on_gpu).map(|done| outcome = done))?;
        queue.note_filled(targets);
        Ok(outcome)
    }
}
