//! From typed arguments to the parameters of a launch.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use super::KernelMeta;
use super::parameters::{MAX_BYTES, Parameters};
use crate::backend::{MemoryUse, Queue, cuda};
use crate::device::Device;
use crate::failure::KernelFailure;
use crate::memory::{Layout, Shape};
use crate::{Error, Result};

/// The most parameters that a kernel may have.
pub(crate) const MAX_PARAMETERS: usize = 32;

/// Receives the arguments of a launch, one after the other, from generated code.
///
/// It collects their values, and finds out on which device they are and that it is one and the same.
pub struct ArgumentBinder<'l> {
    meta: &'static KernelMeta,
    /// How many arguments have been bound.
    arguments: usize,
    values: Parameters,
    home: Option<Home<'l>>,
    /// The first argument that is not where the ones before are.
    stray: Option<Home<'l>>,
    /// The first argument for a view that has another number of axes than that.
    misfit: Option<Misfit>,
    has_empty_output: bool,
    /// What the kernel does with the memory of each array.
    uses: [MaybeUninit<MemoryUse<'l>>; MAX_PARAMETERS],
    used: usize,
    /// Set when the arguments are bound again to tell their devices of a failure.
    failure: Option<(&'l KernelFailure, &'l Queue)>,
}

/// Where a kernel runs, and which argument says so (`None`: `on_device`).
#[derive(Clone, Copy)]
struct Home<'l> {
    device: &'l Device,
    argument: Option<usize>,
}

/// An argument for a view with `rank` axes that has another shape.
struct Misfit {
    argument: usize,
    rank: usize,
    shape: Shape,
}

/// `gr_layout` in CUDA C.
#[derive(Clone, Copy)]
#[repr(C)]
struct ViewLayout<const N: usize> {
    shape: [usize; N],
    strides: [isize; N],
}

impl<'l> ArgumentBinder<'l> {
    /// A binder for one launch, on `device` if that was chosen.
    #[inline]
    pub(super) fn new(meta: &'static KernelMeta, device: Option<&'l Device>) -> Self {
        let home = device.map(|device| Home { device, argument: None });
        Self {
            meta,
            arguments: 0,
            values: Parameters::new(),
            home,
            stray: None,
            misfit: None,
            has_empty_output: false,
            uses: [const { MaybeUninit::uninit() }; MAX_PARAMETERS],
            used: 0,
            failure: None,
        }
    }

    /// A binder that tells the device of every argument about `failure`, besides those which `reporter` tells.
    pub(super) fn telling(meta: &'static KernelMeta, failure: &'l KernelFailure, reporter: &'l Queue) -> Self {
        Self { failure: Some((failure, reporter)), ..Self::new(meta, None) }
    }

    /// The next argument is a value.
    #[inline]
    pub(super) fn value<T: Copy>(&mut self, value: T) {
        self.values.push(value);
        self.arguments += 1;
    }

    /// The argument that was just bound is one that the kernel writes.
    #[inline]
    pub(super) fn output(&mut self, is_empty: bool) {
        self.has_empty_output |= is_empty;
    }

    /// The next argument is an array of any shape.
    #[inline]
    pub(super) fn strided<const N: usize>(&mut self, device: &'l Device, memory: MemoryUse<'l>, first: usize, layout: &Layout) {
        self.visit(device, memory);
        match layout.shape_and_strides::<N>() {
            Some((shape, strides)) => {
                self.values.push(first as u64);
                self.values.push(ViewLayout { shape, strides });
            }
            None => {
                self.misfit.get_or_insert(Misfit { argument: self.arguments, rank: N, shape: layout.shape });
            }
        }
        self.arguments += 1;
    }

    /// The next argument is an array whose elements lie one after the other.
    #[inline]
    pub(super) fn array(&mut self, device: &'l Device, memory: MemoryUse<'l>, len: usize) {
        self.values.push_pair([memory.bytes.start, len as u64]);
        self.visit(device, memory);
        self.arguments += 1;
    }

    /// The same, without its length.
    #[inline]
    pub(super) fn pointer(&mut self, device: &'l Device, memory: MemoryUse<'l>) {
        self.values.push(memory.bytes.start);
        self.visit(device, memory);
        self.arguments += 1;
    }

    /// Takes down where the next argument lies, and what the kernel does with it.
    #[inline]
    fn visit(&mut self, device: &'l Device, memory: MemoryUse<'l>) {
        self.uses[self.used].write(memory);
        self.used += 1;
        match self.home {
            None => self.home = Some(Home { device, argument: Some(self.arguments) }),
            Some(home) if home.device == device => {}
            Some(_) => {
                self.stray.get_or_insert(Home { device, argument: Some(self.arguments) });
            }
        }
        if let Some((failure, reporter)) = self.failure
            && !device.queue().shares_failures_with(reporter)
        {
            device.queue().keep_failure(failure);
        }
    }

    /// What the kernel does with the memory of its arrays.
    pub(super) fn uses(&self) -> &[MemoryUse<'l>] {
        written(&self.uses[..self.used])
    }

    /// Where to launch.
    #[inline]
    pub(super) fn device(&self) -> Result<&'l Device> {
        debug_assert_eq!(self.arguments, self.meta.params.len(), "kernel `{}` did not bind every parameter", self.meta.name);
        if let Some(misfit) = &self.misfit {
            return Err(other_rank(self.meta, misfit));
        }
        self.check_bytes()?;
        match (self.home, self.stray) {
            (Some(home), None) => Ok(home.device),
            (Some(home), Some(stray)) => Err(different_devices(self.meta, home, stray)),
            (None, _) => Err(Error::NoDevice { kernel: self.meta.name }),
        }
    }

    /// Whether a `&mut` array, or one of atomics, has no elements, so that a grid without blocks makes sense.
    #[inline]
    pub(super) fn has_empty_output(&self) -> bool {
        self.has_empty_output
    }

    /// Adds where the grid keeps its state, the last parameter of a kernel whose threads wait for each other.
    pub(super) fn grid_state(&mut self, address: u64) -> Result<()> {
        self.values.push(address);
        self.check_bytes()
    }

    /// Adds the grid that the program asked for, the last parameter of a kernel whose blocks may do what several do.
    pub(super) fn asked_grid(&mut self, grid: [u32; 3]) -> Result<()> {
        self.values.push(grid);
        self.check_bytes()
    }

    /// Refuses more bytes than a launch passes.
    #[inline]
    fn check_bytes(&self) -> Result<()> {
        if self.values.bytes() <= MAX_BYTES {
            return Ok(());
        }
        Err(Error::ParametersTooLarge { kernel: self.meta.name, bytes: self.values.bytes(), most: MAX_BYTES })
    }

    /// Calls `launch` with the values as the driver takes them, an array with a pointer to each; on `queue`, in order with the work of other
    /// queues that uses the arrays.
    #[inline]
    pub(super) fn launch<R>(&mut self, queue: &cuda::Queue, launch: impl FnOnce(*mut *mut c_void) -> Result<R>) -> Result<R> {
        let uses = written(&self.uses[..self.used]);
        self.values.with_pointers(|pointers| queue.ordered(uses, || launch(pointers)))
    }
}

/// What the binder has written.
#[inline]
fn written<'u, 'l>(uses: &'u [MaybeUninit<MemoryUse<'l>>]) -> &'u [MemoryUse<'l>] {
    // SAFETY: the binder counts those that are written, and passes no others.
    unsafe { &*(std::ptr::from_ref(uses) as *const [MemoryUse<'l>]) }
}

#[cold]
fn other_rank(meta: &'static KernelMeta, misfit: &Misfit) -> Error {
    let Misfit { argument, rank, shape } = *misfit;
    Error::RankMismatch { kernel: meta.name, argument: meta.params[argument], rank, shape: Box::new(shape) }
}

#[cold]
fn different_devices(meta: &'static KernelMeta, first: Home<'_>, second: Home<'_>) -> Error {
    let argument = |home: Home<'_>| home.argument.map_or("on_device(…)", |argument| meta.params[argument]);
    Error::DifferentDevices {
        kernel: meta.name,
        first: argument(first),
        first_device: first.device.to_string(),
        second: argument(second),
        second_device: second.device.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Argument, Arguments, Ranked};

    const META: KernelMeta = KernelMeta { name: "scale", params: &["x", "factor", "out"], ..KernelMeta::NONE };

    #[test]
    fn the_driver_sees_each_value_at_its_pointer() {
        let device = Device::cpu();
        let x = device.to_device(&[1.0f32, 2.0]).unwrap();
        let mut out = device.zeros::<f32>(3).unwrap();
        let out_address = out.slice(..).address();
        let mut binder = ArgumentBinder::new(&META, None);
        Arguments::bind(&(x.slice(..), 0.5f32, out.slice_mut(..)), &mut binder);
        assert!(!binder.device().unwrap().is_gpu() && !binder.has_empty_output());

        assert_eq!(binder.values.len(), 5);
        binder.values.with_pointers(|pointers| {
            // SAFETY: there are five pointers, to two addresses, two lengths and an f32 between.
            unsafe {
                assert_eq!(pointers.read().cast::<u64>().read(), x.slice(..).address());
                assert_eq!(pointers.add(1).read().cast::<u64>().read(), 2);
                assert_eq!(pointers.add(2).read().cast::<f32>().read(), 0.5);
                assert_eq!(pointers.add(3).read().cast::<u64>().read(), out_address);
                assert_eq!(pointers.add(4).read().cast::<u64>().read(), 3);
            }
        });
    }

    #[test]
    fn a_view_is_a_pointer_and_a_layout_by_value() {
        let device = Device::cpu();
        let x = device.to_device(&[1.0f32; 6]).unwrap().reshape([2, 3]).unwrap();
        let mut out = device.zeros::<f32>(3).unwrap();
        let out_address = out.slice(..).address();
        let mut binder = ArgumentBinder::new(&META, None);
        Arguments::bind(&(Ranked::<_, 2>(x.view().t()), 7u8, Ranked::<_, 1>(out.view_mut().reverse_axis(0))), &mut binder);
        binder.device().unwrap();
        // 8 + 32 for the first, 1 and 7 for alignment, 8 + 16 for the last.
        assert_eq!((binder.values.len(), binder.values.bytes()), (5, 72));
        binder.values.with_pointers(|pointers| {
            // SAFETY: there are five pointers: address, layout, an u8, address, layout.
            unsafe {
                assert_eq!(pointers.read().cast::<u64>().read(), x.slice(..).address());
                assert_eq!(pointers.add(1).read().cast::<[u64; 4]>().read(), [3, 2, 1, 3]);
                assert_eq!(pointers.add(2).read().cast::<u8>().read(), 7);
                assert_eq!(pointers.add(3).read().cast::<u64>().read(), out_address + 8);
                assert_eq!(pointers.add(4).read().cast::<[i64; 2]>().read(), [3, -1]);
            }
        });
    }

    #[test]
    fn a_view_of_another_rank_is_refused_by_name() {
        let device = Device::cpu();
        let x = device.zeros::<f32>(3).unwrap();
        let mut binder = ArgumentBinder::new(&META, None);
        Arguments::bind(&(Ranked::<_, 2>(x.view()), 1, 2), &mut binder);
        let error = binder.device().map(drop).unwrap_err();
        let expected = "kernel `scale`: `x` is a view with 2 axes, but the argument has the shape (3,); \
                        reshape it, or pass a part with `index_axis`";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn parameters_beyond_what_a_launch_passes_are_refused() {
        let device = Device::cpu();
        let bind = |bytes: usize| {
            let mut binder = ArgumentBinder::new(&META, Some(&device));
            binder.arguments = 3;
            (0..bytes / 64).for_each(|_| binder.values.push([0u64; 8]));
            binder.device().map(drop)
        };
        bind(4096).unwrap();
        let error = bind(4160).unwrap_err();
        assert!(matches!(error, Error::ParametersTooLarge { kernel: "scale", bytes: 4160, most: 4096 }), "{error}");
    }

    #[test]
    fn an_empty_output_is_noticed_and_an_empty_input_is_not() {
        let device = Device::cpu();
        let mut array = device.zeros::<f32>(0).unwrap();
        for (as_output, noticed) in [(false, false), (true, true)] {
            let mut binder = ArgumentBinder::new(&META, None);
            Arguments::bind(&(1, 2), &mut binder);
            if as_output {
                array.slice_mut(..).bind(&mut binder);
            } else {
                array.slice(..).bind(&mut binder);
            }
            assert_eq!(binder.has_empty_output(), noticed);
        }
    }

    #[test]
    fn without_an_array_somebody_must_say_where_to_run() {
        let bind = |device: Option<&Device>| {
            let mut binder = ArgumentBinder::new(&META, device);
            Arguments::bind(&(0, 1, 2), &mut binder);
            binder.device().map(drop)
        };
        let error = bind(None).unwrap_err();
        assert!(matches!(error, Error::NoDevice { kernel: "scale" }));
        assert!(error.to_string().contains(".on_device(&device)"), "{error}");
        bind(Some(&Device::cpu())).unwrap();
    }
}
