//! From typed arguments to what the driver takes, on the stack.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr;

use super::{KernelFailure, KernelMeta};
use crate::backend::cuda::Gpu;
use crate::device::{CPU_LIMITS, Device, DeviceKind, Limits};
use crate::memory::{DeviceSlice, DeviceSliceMut, DeviceType, Element};
use crate::{Error, Result};

/// The most parameters that a kernel may have.
pub(crate) const MAX_PARAMETERS: usize = 32;

/// An array is two values, its address and its length.
const MAX_VALUES: usize = 2 * MAX_PARAMETERS;

/// Receives the arguments of a launch, one after the other, from generated code.
///
/// It collects their values, and finds out on which device they are and that it is one and the same.
pub struct ArgumentBinder<'l> {
    meta: &'static KernelMeta,
    /// How many arguments have been bound.
    arguments: usize,
    values: Values,
    home: Option<Home>,
    /// The first argument that is not where the ones before are.
    stray: Option<Home>,
    has_empty_output: bool,
    /// Set when the arguments are bound again to tell their devices of a failure.
    failure: Option<&'l KernelFailure>,
    /// Structs, which stay where they are.
    borrowed: PhantomData<&'l ()>,
}

/// Where a kernel runs, and which argument says so (`None`: `on_device`).
#[derive(Clone, Copy)]
struct Home {
    place: Place,
    argument: Option<usize>,
}

/// A device as far as a launch cares: every handle to the CPU is the same.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Cpu,
    Gpu(&'static Gpu),
}

impl<'l> ArgumentBinder<'l> {
    /// A binder for one launch, on `device` if that was chosen.
    #[inline]
    pub(super) fn new(meta: &'static KernelMeta, device: Option<&Device>) -> Self {
        let home = device.map(|device| Home { place: Place::of(device), argument: None });
        Self { meta, arguments: 0, values: Values::new(), home, stray: None, has_empty_output: false, failure: None, borrowed: PhantomData }
    }

    /// A binder that tells the device of every argument about `failure`.
    pub(super) fn telling(meta: &'static KernelMeta, failure: &'l KernelFailure) -> Self {
        Self { failure: Some(failure), ..Self::new(meta, None) }
    }

    /// The next argument is a `&[T]`.
    #[inline]
    pub fn slice<T: DeviceType>(&mut self, slice: &DeviceSlice<'_, T>) {
        self.array(slice.device(), slice.address(), slice.len());
    }

    /// The next argument is a `&mut [T]`.
    #[inline]
    pub fn slice_mut<T: DeviceType>(&mut self, slice: &DeviceSliceMut<'_, T>) {
        self.has_empty_output |= slice.is_empty();
        self.array(slice.device(), slice.address(), slice.len());
    }

    /// The next argument is a number or `bool`.
    #[inline]
    pub fn scalar<T: Element>(&mut self, value: T) {
        self.values.push(value);
        self.arguments += 1;
    }

    /// The next argument is a struct. It stays where it is until the launch.
    #[inline]
    pub fn value<T: DeviceType>(&mut self, value: &'l T) {
        self.values.push_outside(ptr::from_ref(value).cast());
        self.arguments += 1;
    }

    #[inline]
    fn array(&mut self, device: &Device, address: u64, len: usize) {
        let place = Place::of(device);
        match self.home {
            None => self.home = Some(Home { place, argument: Some(self.arguments) }),
            Some(home) if home.place.is(place) => {}
            Some(_) => {
                self.stray.get_or_insert(Home { place, argument: Some(self.arguments) });
            }
        }
        if let (Some(failure), DeviceKind::Cpu(cpu)) = (self.failure, &device.0) {
            cpu.fail(failure);
        }
        self.values.push(address);
        self.values.push(len as u64);
        self.arguments += 1;
    }

    /// Where to launch.
    #[inline]
    pub(super) fn place(&self) -> Result<Place> {
        debug_assert_eq!(self.arguments, self.meta.params.len(), "kernel `{}` did not bind every parameter", self.meta.name);
        match (self.home, self.stray) {
            (Some(home), None) => Ok(home.place),
            (Some(home), Some(stray)) => Err(different_devices(self.meta, home, stray)),
            (None, _) => Err(Error::NoDevice { kernel: self.meta.name }),
        }
    }

    /// Whether a `&mut` array has no elements, so that a grid without blocks makes sense.
    #[inline]
    pub(super) fn has_empty_output(&self) -> bool {
        self.has_empty_output
    }

    /// Calls `launch` with the values as the driver takes them: an array with a pointer to each.
    #[inline]
    pub(super) fn with_pointers<R>(&mut self, launch: impl FnOnce(*mut *mut c_void) -> R) -> R {
        self.values.with_pointers(launch)
    }
}

#[cold]
fn different_devices(meta: &'static KernelMeta, first: Home, second: Home) -> Error {
    let argument = |home: Home| home.argument.map_or("on_device(…)", |argument| meta.params[argument]);
    Error::DifferentDevices {
        kernel: meta.name,
        first: argument(first),
        first_device: first.place.describe(),
        second: argument(second),
        second_device: second.place.describe(),
    }
}

impl Place {
    #[inline]
    fn of(device: &Device) -> Self {
        match device.0 {
            DeviceKind::Cpu(_) => Self::Cpu,
            DeviceKind::Gpu(gpu) => Self::Gpu(gpu),
        }
    }

    #[inline]
    fn is(self, other: Self) -> bool {
        match (self, other) {
            (Self::Cpu, Self::Cpu) => true,
            (Self::Gpu(one), Self::Gpu(other)) => std::ptr::eq(one, other),
            _ => false,
        }
    }

    #[inline]
    pub(super) fn limits(&self) -> &Limits {
        match self {
            Self::Cpu => &CPU_LIMITS,
            Self::Gpu(gpu) => gpu.limits(),
        }
    }

    /// The device's name in messages.
    fn describe(self) -> String {
        match self {
            Self::Cpu => Device::cpu().to_string(),
            Self::Gpu(gpu) => Device(DeviceKind::Gpu(gpu)).to_string(),
        }
    }
}

/// The values of a launch's parameters, each in eight bytes of its own, or elsewhere behind a pointer in those.
struct Values {
    values: [MaybeUninit<u64>; MAX_VALUES],
    len: usize,
    /// A bit for each value that is elsewhere.
    outside: u64,
}

const _: () = assert!(MAX_VALUES <= u64::BITS as usize);

impl Values {
    #[inline]
    fn new() -> Self {
        Self { values: [MaybeUninit::uninit(); MAX_VALUES], len: 0, outside: 0 }
    }

    #[inline]
    fn push<T: Element>(&mut self, value: T) {
        const { assert!(size_of::<T>() <= size_of::<u64>() && align_of::<T>() <= align_of::<u64>()) };
        // SAFETY: the value fits, as asserted, and the driver reads no more than a parameter's size.
        unsafe { self.values[self.len].as_mut_ptr().cast::<T>().write(value) };
        self.len += 1;
    }

    /// Adds a value that stays behind `pointer`, which the driver only reads.
    #[inline]
    fn push_outside(&mut self, pointer: *const c_void) {
        const { assert!(size_of::<*const c_void>() == size_of::<u64>()) };
        // SAFETY: a pointer fits.
        unsafe { self.values[self.len].as_mut_ptr().cast::<*const c_void>().write(pointer) };
        self.outside |= 1 << self.len;
        self.len += 1;
    }

    #[inline]
    fn with_pointers<R>(&mut self, launch: impl FnOnce(*mut *mut c_void) -> R) -> R {
        let outside = self.outside;
        let mut pointers = [const { MaybeUninit::<*mut c_void>::uninit() }; MAX_VALUES];
        for (index, (pointer, value)) in pointers.iter_mut().zip(&mut self.values[..self.len]).enumerate() {
            pointer.write(match outside >> index & 1 {
                0 => value.as_mut_ptr().cast(),
                // SAFETY: `push_outside` put a pointer there.
                _ => unsafe { value.as_ptr().cast::<*mut c_void>().read() },
            });
        }
        launch(pointers.as_mut_ptr().cast())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::ProvedFor;

    const META: KernelMeta = KernelMeta {
        name: "scale",
        params: &["x", "factor", "out"],
        block: None,
        proved_for: ProvedFor { grid_axes: 3, block_axes: 3 },
        fmad: true,
    };

    #[test]
    fn the_driver_sees_each_value_at_its_pointer() {
        let device = Device::cpu();
        let x = device.to_device(&[1.0f32, 2.0]).unwrap();
        let mut out = device.zeros::<f32>(3).unwrap();
        let mut binder = ArgumentBinder::new(&META, None);
        binder.slice(&x.slice(..));
        binder.scalar(0.5f32);
        binder.slice_mut(&out.slice_mut(..));
        assert!(matches!(binder.place().unwrap(), Place::Cpu) && !binder.has_empty_output());

        assert_eq!(binder.values.len, 5);
        binder.with_pointers(|pointers| {
            // SAFETY: there are five pointers, to two addresses, two lengths and an f32 between.
            unsafe {
                assert_eq!(pointers.read().cast::<u64>().read(), x.slice(..).address());
                assert_eq!(pointers.add(1).read().cast::<u64>().read(), 2);
                assert_eq!(pointers.add(2).read().cast::<f32>().read(), 0.5);
                assert_eq!(pointers.add(3).read().cast::<u64>().read(), out.slice(..).address());
                assert_eq!(pointers.add(4).read().cast::<u64>().read(), 3);
            }
        });
    }

    #[test]
    fn the_driver_sees_a_struct_where_it_is() {
        let (array, device) = ([1.5f64; 40], Device::cpu());
        let mut binder = ArgumentBinder::new(&META, Some(&device));
        binder.scalar(7u8);
        binder.value(&array);
        binder.scalar(9u64);
        binder.with_pointers(|pointers| {
            // SAFETY: there are three pointers, to a byte, the array and a word.
            unsafe {
                assert_eq!(pointers.read().cast::<u8>().read(), 7);
                assert_eq!(pointers.add(1).read().cast_const(), ptr::from_ref(&array).cast());
                assert_eq!(pointers.add(2).read().cast::<u64>().read(), 9);
            }
        });
    }

    #[test]
    fn an_empty_output_is_noticed_and_an_empty_input_is_not() {
        let device = Device::cpu();
        let mut array = device.zeros::<f32>(0).unwrap();
        for (as_output, noticed) in [(false, false), (true, true)] {
            let mut binder = ArgumentBinder::new(&META, None);
            binder.scalar(1);
            binder.scalar(2);
            if as_output {
                binder.slice_mut(&array.slice_mut(..));
            } else {
                binder.slice(&array.slice(..));
            }
            assert_eq!(binder.has_empty_output(), noticed);
        }
    }

    #[test]
    fn without_an_array_somebody_must_say_where_to_run() {
        let bind = |device: Option<&Device>| {
            let mut binder = ArgumentBinder::new(&META, device);
            (0..3).for_each(|value| binder.scalar(value));
            binder.place().map(drop)
        };
        let error = bind(None).unwrap_err();
        assert!(matches!(error, Error::NoDevice { kernel: "scale" }));
        assert!(error.to_string().contains(".on_device(&device)"), "{error}");
        bind(Some(&Device::cpu())).unwrap();
    }
}
