//! Collecting the elements of a lazy array.

use std::panic::Location;

use super::code::Code;
use super::cuda::{Launcher, MapKernel, Purpose};
use super::formula::Formula;
use super::input::{Input, InputKind, Inputs, Place};
use super::item::allocate_values;
use super::plan::{Access, Plan, broadcast};
use super::product::Following;
use super::stream::{can_stream, stream};
use super::{ArrayLike, Expression, IntoTargets, Item, Lazy, Targets, cpu, cuda};
use crate::backend::MemoryUse;
use crate::backend::cuda::Queue;
use crate::compile::used::{self, UsedKernel};
use crate::device::Device;
use crate::failure::KernelFailure;
use crate::memory::{DeviceArray, DeviceSlice, DeviceSliceMut, DeviceView, DeviceViewMut, Layout, Shape};
use crate::{Error, Result, advice, observe};

/// Copies of arrays on the device.
macro_rules! copies {
    ($($Array:ty;)*) => {$(
        impl<T: crate::source::Element> $Array {
            /// A copy of its elements in C order in a new array on its device: `np.copy`.
            ///
            /// # Errors
            ///
            /// As for [`Lazy::collect`].
            ///
            /// ```
            /// use gpu_runtime::prelude::*;
            ///
            /// let x = Device::cpu().to_device(&[1, 2, 3, 4])?.reshape([2, 2])?;
            /// assert_eq!(x.t().collect()?.to_host()?, [1, 3, 2, 4]);
            /// # Ok::<(), gpu_runtime::Error>(())
            /// ```
            #[track_caller]
            pub fn collect(&self) -> Result<DeviceArray<T>> {
                self.lazy().collect()
            }
        }
    )*};
}

copies! {
    DeviceArray<T>;
    DeviceView<'_, T>;
    DeviceViewMut<'_, T>;
    DeviceSlice<'_, T>;
    DeviceSliceMut<'_, T>;
}

impl<E: Expression> Lazy<E> {
    /// Its shape, by NumPy's rules for broadcasting.
    ///
    /// # Errors
    ///
    /// [`Error::BroadcastMismatch`] if the shapes of its arrays do not go together.
    #[track_caller]
    pub fn shape(&self) -> Result<Shape> {
        broadcast(E::Code::NAME, &self.deferring_inputs(), Location::caller())
    }

    /// Its elements in a new array on its device; for tuple elements, a tuple of arrays.
    ///
    /// # Errors
    ///
    /// [`Error::BroadcastMismatch`], [`Error::ArraysOnDifferentDevices`] and [`Error::OutOfMemory`] before anything runs, and
    /// [`Error::Compile`]. The next call that waits reports a failure inside a function: see [`Device`].
    #[track_caller]
    pub fn collect(self) -> Result<<E::Item as Item>::Arrays> {
        self.evaluate(Location::caller())
    }

    /// [`collect`](Self::collect) as asked for at `place`.
    pub(super) fn evaluate(&self, place: &'static Location<'static>) -> Result<<E::Item as Item>::Arrays> {
        // SAFETY: the elements of the code are those of the expression.
        let (arrays, _) = unsafe { Loops::of::<E::Code>().collect::<E::Item>(self.deferring_inputs(), place)? };
        Ok(arrays)
    }

    /// Its elements in a new array on that device, and their shape, as asked for at `place`.
    pub(super) fn collect_on(&self, device: &Device, place: &'static Location<'static>) -> Result<(<E::Item as Item>::Arrays, Shape)> {
        let mut inputs = self.deferring_inputs();
        inputs.choose(Place::On, device);
        // SAFETY: the elements of the code are those of the expression.
        unsafe { Loops::of::<E::Code>().collect::<E::Item>(inputs, place) }
    }

    /// Its elements in a new `Vec`, in C order; for tuple elements, a tuple of `Vec`s.
    ///
    /// # Errors
    ///
    /// As for [`collect`](Self::collect), and [`Error::KernelFailed`].
    #[doc(alias = "to_vec")]
    #[track_caller]
    pub fn to_host(self) -> Result<<E::Item as Item>::Vecs> {
        // SAFETY: the elements of the code are those of the expression.
        unsafe { Loops::of::<E::Code>().collect_to_host::<E::Item>(self.inputs(), Location::caller()) }
    }

    /// The CUDA C of the kernel that computes it on a GPU, for reading and for tests.
    ///
    /// # Errors
    ///
    /// [`Error::BroadcastMismatch`] if the shapes of its arrays do not go together, and [`Error::TooManyElements`].
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
        let mut inputs = self.deferring_inputs();
        let (shape, _) = count(E::Code::NAME, &inputs, Location::caller())?;
        let outputs = vec![Layout::c_order(shape); E::Item::COMPONENTS.len()];
        let formula = Formula::of::<E::Code>();
        let (unit, purpose) = match Following::of(formula, &inputs.list, shape, &outputs, None) {
            Some(following) => (following.kernel(&inputs.list).unit(), Purpose::Product),
            None => {
                inputs.compute_deferred(E::Code::NAME, Location::caller())?;
                (cuda::map_unit(formula, &Plan::of(shape, &inputs.list, &outputs), &inputs.list), Purpose::Map)
            }
        };
        Ok(UsedKernel::new(unit.name, unit, purpose.options(E::Code::FMAD)))
    }

    /// How many axes it has. Broadcasting gives as many as the input with the most has; whether it can be done does not matter.
    pub(super) fn rank(&self) -> usize {
        self.deferring_inputs().list.iter().map(|input| input.layout.shape.rank()).max().unwrap_or(0)
    }

    pub(super) fn inputs(&self) -> Inputs<'_> {
        let mut inputs = Inputs::default();
        self.expression.inputs(&mut inputs);
        inputs
    }

    /// The same, where products of matrices are not computed yet.
    pub(super) fn deferring_inputs(&self) -> Inputs<'_> {
        let mut inputs = Inputs::deferring();
        self.expression.inputs(&mut inputs);
        inputs
    }
}

impl<E: Expression> Lazy<E> {
    /// Overwrites the elements of `out` with its own: `out=` of a NumPy function. Several results go to a tuple of mutable arrays of one device.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    ///
    /// let device = Device::cpu();
    /// let x = device.to_device(&[0.0f32, 1.0])?;
    /// let (mut sines, mut cosines) = (device.zeros_like(&x)?, device.zeros_like(&x)?);
    /// x.sin_cos().collect_into((&mut sines, &mut cosines))?;
    /// assert_eq!((sines.get(0)?, cosines.get(0)?), (0.0, 1.0));
    /// # Ok::<(), gpu_runtime::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::TargetShape`] if `out` has another shape, and as for [`collect`](Self::collect); for a host array, as for
    /// [`to_host`](Self::to_host).
    #[track_caller]
    pub fn collect_into<'o>(self, out: impl IntoTargets<'o, E::Item>) -> Result<()> {
        // SAFETY: `IntoTargets` guarantees the types.
        unsafe { Loops::of::<E::Code>().collect_into(self.deferring_inputs(), Location::caller(), out.into_targets()) }
    }
}

/// The elements of an expression, on either kind of device. Its type is forgotten here: what follows is compiled once, or for each type of
/// elements.
#[derive(Clone, Copy)]
pub(crate) struct Loops {
    pub(super) formula: Formula,
    pub(super) store: cpu::StoreRun,
}

impl Loops {
    pub(super) fn of<C: Code>() -> Self {
        Self { formula: Formula::of::<C>(), store: cpu::store_run::<C> }
    }

    /// Those of the elements of `lazy`.
    pub(super) fn of_expression<E: Expression>(_: &Lazy<E>) -> Self {
        Self::of::<E::Code>()
    }

    /// The elements in a new array, and their shape.
    ///
    /// # Safety
    ///
    /// `I` is the type of the elements, and the inputs are those of the expression.
    unsafe fn collect<I: Item>(self, inputs: Inputs<'_>, place: &'static Location<'static>) -> Result<(I::Arrays, Shape)> {
        let request = Request::new(self.formula.name, inputs, place)?;
        let (arrays, targets) = I::allocate(&request.device, request.shape)?;
        let (shape, layouts) = (request.shape, vec![Layout::c_order(request.shape); targets.len()]);
        // SAFETY: the arrays are new, of that shape and of the components' types.
        unsafe { request.run(self, &targets, &layouts)? };
        Ok((arrays, shape))
    }

    /// The elements in a new `Vec`.
    ///
    /// # Safety
    ///
    /// As for [`collect`](Self::collect).
    unsafe fn collect_to_host<I: Item>(self, inputs: Inputs<'_>, place: &'static Location<'static>) -> Result<I::Vecs> {
        let request = Request::new(self.formula.name, inputs, place)?;
        let len = request.len;
        let (mut vecs, targets) = I::reserve(len)?;
        // SAFETY: the vectors are new, with room for `len` elements of the components' types.
        unsafe { request.run_to_host(self, &targets, true)? };
        // SAFETY: every element was written.
        unsafe { I::set_len(&mut vecs, len) };
        Ok(vecs)
    }

    /// The elements in memory that exists.
    ///
    /// # Safety
    ///
    /// The targets are of the components' types, and the inputs are those of the expression.
    unsafe fn collect_into<'a>(self, mut inputs: Inputs<'a>, place: &'static Location<'static>, out: Targets<'a>) -> Result<()> {
        let function = self.formula.name;
        let check = |result: Shape, target: Shape| match result == target {
            true => Ok(()),
            false => Err(Error::TargetShape { function, result: result.into(), target: target.into(), location: place }),
        };
        match out {
            Targets::Device(targets) => {
                targets.iter().for_each(|target| inputs.choose(Place::Target, target.device));
                let mut request = Request::new(function, inputs, place)?;
                targets.iter().try_for_each(|target| check(request.shape, target.layout.shape))?;
                let (mut pointers, mut layouts) = (Vec::new(), Vec::new());
                for target in targets {
                    pointers.push(target.pointer);
                    layouts.push(target.layout);
                    request.targets.push(target.used);
                }
                // SAFETY: the targets are borrowed exclusively, and as large as their layouts say; the caller guarantees their types.
                unsafe { request.run(self, &pointers, &layouts) }
            }
            Targets::Host { first, len, .. } => {
                let mut request = Request::new(function, inputs, place)?;
                // A slice has no shape: it takes as many elements as it has, in C order.
                if request.len != len {
                    check(request.shape, len.into())?;
                }
                request.inputs.compute_deferred(function, place)?;
                // SAFETY: the slice is borrowed exclusively, and has that many elements.
                unsafe { request.run_to_host(self, &[first], false) }
            }
        }
    }
}

/// What is asked of an expression, with its inputs.
pub(super) struct Request<'a> {
    pub(super) inputs: Inputs<'a>,
    pub(super) shape: Shape,
    pub(super) len: usize,
    pub(super) device: Device,
    /// The use of an array that exists already, for the results.
    pub(super) targets: Vec<MemoryUse<'a>>,
    function: &'static str,
    /// Where in the program it is asked.
    place: &'static Location<'static>,
}

impl<'a> Request<'a> {
    /// A request of what messages call `function`.
    pub(super) fn new(function: &'static str, inputs: Inputs<'a>, place: &'static Location<'static>) -> Result<Self> {
        let (shape, len) = count(function, &inputs, place)?;
        let device = find_device(function, &inputs, place)?;
        let request = Self { inputs, shape, len, device, targets: Vec::new(), function, place };
        request.check_host_inputs()?;
        Ok(request)
    }

    /// Copies host inputs to the device if that is a GPU. The copies must live until the kernel is on the stream.
    pub(super) fn bring_inputs(&mut self) -> Result<Vec<DeviceArray<u8>>> {
        let is_gpu = self.device.is_gpu();
        self.bring_those(|_| is_gpu)
    }

    /// Copies those inputs that are on the host to the device, if they (by number) are wanted there.
    fn bring_those(&mut self, wanted: impl Fn(usize) -> bool) -> Result<Vec<DeviceArray<u8>>> {
        let mut copies = Vec::new();
        for (number, input) in self.inputs.list.iter_mut().enumerate() {
            if let (InputKind::Host { pointer }, true) = (input.kind, wanted(number)) {
                // SAFETY: the input is as large as its layout says.
                copies.push(unsafe { upload(&self.device, pointer, input)? });
            }
        }
        Ok(copies)
    }

    /// Stores the elements at `targets`, on the device.
    ///
    /// # Safety
    ///
    /// The targets are memory of the device, laid out like `layouts`, of the components' types, which nothing else uses.
    pub(super) unsafe fn run(mut self, loops: Loops, targets: &[*mut u8], layouts: &[Layout]) -> Result<()> {
        // They live until the kernel is on the stream.
        let _copies;
        if self.inputs.has_deferred() {
            _copies = self.bring_inputs()?;
            if self.device.is_gpu()
                && let Some(following) = Following::of(loops.formula, &self.inputs.list, self.shape, layouts, Some(&self.device))
            {
                // SAFETY: the caller guarantees the targets, of which there is one.
                unsafe { following.run(&self, targets[0])? };
                self.device.queue().note_filled(targets);
                return Ok(());
            }
            self.inputs.compute_deferred(self.function, self.place)?;
        }
        // SAFETY: the operands are those of the plan, and all of them in host memory.
        let on_cpu = |request: &Self, plan: &Plan| unsafe { cpu::map(loops.formula, loops.store, plan, &request.inputs.list, targets) };
        // SAFETY: the caller guarantees the same.
        unsafe { self.run_with(loops.formula, on_cpu, targets, layouts) }
    }

    /// The same, where `on_cpu` is what stores the elements there.
    ///
    /// # Safety
    ///
    /// As for [`run`](Self::run).
    pub(super) unsafe fn run_with(
        mut self,
        formula: Formula,
        on_cpu: impl FnOnce(&Self, &Plan) -> std::result::Result<(), KernelFailure>,
        targets: &[*mut u8],
        layouts: &[Layout],
    ) -> Result<()> {
        // They live until the kernel is on the stream.
        let _copies = self.bring_inputs()?;
        let plan = self.plan(layouts);
        self.execute(
            || on_cpu(&self, &plan),
            // SAFETY: the operands are those of the plan, and all of them on this GPU.
            |launcher| unsafe { cuda::map(launcher, formula, &plan, &self.inputs.list, targets) },
        )?;
        self.device.queue().note_filled(targets);
        Ok(())
    }

    /// Does the work on the device. A failure is kept for whoever waits: on the CPU by every handle that is asked about the results,
    /// which are those of the arrays, and those that were chosen, among which is that of an array for the result.
    pub(super) fn execute(
        &self,
        on_cpu: impl FnOnce() -> std::result::Result<(), KernelFailure>,
        on_gpu: impl Fn(Launcher) -> Result<()>,
    ) -> Result<()> {
        self.execute_with(&[], on_cpu, on_gpu)
    }

    /// The same for work that also uses memory which the operation has made before.
    pub(super) fn execute_with(
        &self,
        more: &[MemoryUse<'_>],
        on_cpu: impl FnOnce() -> std::result::Result<(), KernelFailure>,
        on_gpu: impl Fn(Launcher) -> Result<()>,
    ) -> Result<()> {
        let _line = observe::at_line(self.place);
        let run_on_cpu = || {
            if used::is_asked() {
                on_gpu(Launcher::Asked)?;
            }
            if let Err(failure) = on_cpu() {
                keep_failure(&failure.of_call(self.place), &self.device, self.inputs.devices().map(|(_, device)| device));
            }
            Ok(())
        };
        let queue = self.device.queue();
        let uses: Vec<MemoryUse<'_>> = self.uses().into_iter().chain(more.iter().cloned()).collect();
        queue.ordered(&uses, || queue.dispatch(run_on_cpu, |queue| on_gpu(self.launcher(queue))))
    }

    /// Where kernels for it go on a GPU.
    pub(super) fn launcher(&self, queue: &'static Queue) -> Launcher {
        Launcher::Gpu(queue, self.place)
    }

    /// What a call on the CPU that waits for its results returns: an earlier failure, else its own. It keeps its own from others: another
    /// thread with this handle might take it meanwhile, and the results would pass for good.
    pub(super) fn own_failure<T>(&self, outcome: std::result::Result<T, KernelFailure>) -> Result<T> {
        self.device.queue().synchronize()?;
        Ok(outcome.map_err(|failure| failure.of_call(self.place))?)
    }

    /// Calls `submit`, which puts work on the queue that uses the inputs and the target, in order with the work of other queues.
    pub(super) fn ordered(&self, submit: impl FnOnce() -> Result<()>) -> Result<()> {
        let _line = observe::at_line(self.place);
        self.device.queue().ordered(&self.uses(), submit)
    }

    /// What is done with the memory of arrays that existed before.
    pub(super) fn uses(&self) -> Vec<MemoryUse<'a>> {
        self.inputs.list.iter().filter_map(Input::memory_use).chain(self.targets.iter().cloned()).collect()
    }

    /// The loop over the elements for outputs with these layouts.
    fn plan(&self, layouts: &[Layout]) -> Plan {
        Plan::of(self.shape, &self.inputs.list, layouts)
    }

    /// Warns of loops that copy the same host arrays again and again, and refuses copies that would be recorded.
    fn check_host_inputs(&self) -> Result<()> {
        let of_host = self.inputs.list.iter().filter_map(|input| match input.kind {
            InputKind::Host { pointer } => Some((pointer.addr(), input.layout.span().len() * input.size)),
            _ => None,
        });
        let arrays: Vec<_> = of_host.collect();
        if arrays.is_empty() {
            return Ok(());
        }
        self.device.queue().check_host_inputs()?;
        if self.device.is_gpu() {
            advice::note_implicit_copies(self.function, self.place, arrays);
        }
        Ok(())
    }

    /// Stores the elements at `targets`, in host memory, in C order. `fresh`: they hold no values yet.
    ///
    /// # Safety
    ///
    /// The targets have room for the elements, of the components' types, and nothing else uses them.
    unsafe fn run_to_host(self, loops: Loops, targets: &[*mut u8], fresh: bool) -> Result<()> {
        let _line = observe::at_line(self.place);
        let layouts = vec![Layout::c_order(self.shape); targets.len()];
        let device = self.device.clone();
        let uses = self.uses();
        let run = || {
            device.queue().dispatch_with(
                self,
                |request| {
                    let plan = request.plan(&layouts);
                    if used::is_asked() && plan.len > 0 {
                        MapKernel::new(Launcher::Asked, loops.formula, &plan, &request.inputs.list)?;
                    }
                    // SAFETY: the caller guarantees the targets, which are memory of the CPU like any other.
                    let outcome = unsafe { cpu::map(loops.formula, loops.store, &plan, &request.inputs.list, targets) };
                    request.own_failure(outcome)
                },
                // SAFETY: the caller guarantees the targets.
                |request, queue| unsafe { request.run_through_gpu(queue, loops, targets, &layouts, fresh) },
            )
        };
        device.queue().with_failures_of_writers(&uses, run)
    }

    /// The same for a GPU, through which the elements pass in chunks where they can.
    ///
    /// # Safety
    ///
    /// As for [`run_to_host`](Self::run_to_host). The layouts are those of the targets.
    unsafe fn run_through_gpu(
        mut self,
        queue: &'static Queue,
        loops: Loops,
        targets: &[*mut u8],
        layouts: &[Layout],
        fresh: bool,
    ) -> Result<()> {
        let (device, len) = (self.device.clone(), self.len);
        let plan = self.plan(layouts);
        // They live until the kernel is on the stream.
        let _copies;
        if can_stream(&plan, &self.inputs.list) {
            _copies = self.bring_those(|input| plan.operands[input].access != Access::Flat)?;
            // SAFETY: inputs that are left on the host are flat; the caller guarantees the targets.
            let stream = || unsafe { stream((queue, self.place), loops.formula, &plan, &self.inputs.list, targets, fresh) };
            let mut streamed = None;
            self.ordered(|| stream().map(|outcome| streamed = outcome))?;
            if streamed.is_some() {
                return Ok(());
            }
        }
        // A failure of its own may be reported to another host thread.
        queue.with_failures_of_others(|| {
            let (arrays, addresses) = allocate_values(&device, loops.formula.components, len)?;
            // SAFETY: the arrays are new, of that shape.
            unsafe { self.run(loops, &addresses, layouts)? };
            for ((&target, &address), component) in targets.iter().zip(&addresses).zip(loops.formula.components) {
                // SAFETY: both have room for `len` elements of the component.
                unsafe { device.queue().download(address, target, len * component.size)? };
            }
            drop(arrays);
            Ok(())
        })
    }
}

/// The shape that the inputs are broadcast to, and how many elements it has.
fn count(function: &'static str, inputs: &Inputs<'_>, place: &'static Location<'static>) -> Result<(Shape, usize)> {
    let shape = broadcast(function, inputs, place)?;
    let len = shape.checked_len().ok_or(Error::TooManyElements { function, shape: shape.into(), location: place })?;
    Ok((shape, len))
}

/// Keeps a failure for whoever waits for the results, through the handle that they were computed with, or through others.
pub(super) fn keep_failure<'d>(failure: &KernelFailure, device: &Device, others: impl Iterator<Item = &'d Device>) {
    device.queue().keep_failure(failure);
    let others = others.map(Device::queue).filter(|queue| !queue.shares_failures_with(device.queue()));
    others.for_each(|queue| queue.keep_failure(failure));
}

/// The device of an expression: where its arrays are, or the one that was chosen, or the best one.
pub(super) fn find_device(function: &'static str, inputs: &Inputs<'_>, place: &'static Location<'static>) -> Result<Device> {
    // What was chosen counts more than an argument: it may be a stream of the same device.
    let chosen = inputs.chosen.iter().find(|(by, _)| *by == Place::On).copied();
    let Some(found) = chosen.or_else(|| inputs.devices().next()) else { return Device::best() };
    match inputs.devices().find(|(_, device)| *device != found.1) {
        None => Ok(found.1.clone()),
        Some(other) => {
            // An argument is named before what was chosen.
            let [(first, first_device), (second, second_device)] = if chosen.is_some() { [other, found] } else { [found, other] };
            Err(Error::ArraysOnDifferentDevices {
                function,
                first: first.to_string().into(),
                first_device: first_device.to_string(),
                second: second.to_string().into(),
                second_device: second_device.to_string(),
                location: place,
            })
        }
    }
}

/// Copies a host input to `device`, and makes the input the copy.
///
/// # Safety
///
/// `pointer` is the first element of the input, which is as large as its layout says.
unsafe fn upload(device: &Device, pointer: *const u8, input: &mut Input<'_>) -> Result<DeviceArray<u8>> {
    let span = input.layout.span();
    if input.layout.without_repeats().len() == span.len() {
        let first = span.start * input.size as isize;
        // SAFETY: the span covers the elements of the input and, as there are as many, nothing between them.
        let host = unsafe { std::slice::from_raw_parts(pointer.wrapping_offset(first), span.len() * input.size) };
        let copy = device.to_device(host)?;
        input.kind = InputKind::Uploaded { pointer: copy.slice(..).pointer().wrapping_offset(-first) };
        return Ok(copy);
    }
    // What lies between the elements is not ours to read: somebody may be writing it.
    let distinct = input.layout.without_repeats();
    let mut host = Vec::with_capacity(distinct.len() * input.size);
    distinct.for_each_offset(|offset| {
        let element = pointer.wrapping_offset(offset * input.size as isize);
        // SAFETY: the offset is that of an element of the input.
        host.extend_from_slice(unsafe { std::slice::from_raw_parts(element, input.size) });
    });
    let copy = device.to_device(&host)?;
    input.kind = InputKind::Uploaded { pointer: copy.slice(..).pointer() };
    input.layout = input.layout.repeating(Layout::c_order(distinct.shape));
    Ok(copy)
}
