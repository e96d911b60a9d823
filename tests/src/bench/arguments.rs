//! A kernel's arguments in host memory, and their way to where the kernel runs.

use std::ffi::c_void;

use gpu_runtime::__private::Ranked;
use gpu_runtime::atomic::Atomic;
use gpu_runtime::support::{AtomicsArgument, IntoDeviceAtomics as _};
use gpu_runtime::{
    Device, DeviceArray, DeviceAtomicView, DeviceSlice, DeviceSliceMut, DeviceType, DeviceView, DeviceViewMut, IntoAtomicView, Shape,
};

/// A value of a parameter, in memory of its own.
pub struct Value(Box<[u128]>);

impl Value {
    /// # Panics
    ///
    /// If no parameter has the alignment of `T`.
    pub fn new<T: Copy>(value: T) -> Self {
        assert!(align_of::<T>() <= align_of::<u128>(), "a parameter is aligned to 16 bytes at most");
        let mut words = vec![0u128; size_of::<T>().div_ceil(size_of::<u128>())].into_boxed_slice();
        // SAFETY: the words are as many as the value needs, and aligned for it.
        unsafe { words.as_mut_ptr().cast::<T>().write(value) };
        Self(words)
    }

    /// Several words as one value.
    pub fn of_words(words: &[u64]) -> Self {
        let mut value = vec![0u128; words.len().div_ceil(2)].into_boxed_slice();
        // SAFETY: the value is at least as long as the words.
        unsafe { value.as_mut_ptr().cast::<u64>().copy_from_nonoverlapping(words.as_ptr(), words.len()) };
        Self(value)
    }

    pub fn as_mut_ptr(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
}

/// What a kernel's launch takes for one parameter, known by its type: it tells what a case gives for it.
pub trait Argument: Sized {
    /// A number, `&Vec` or `&mut Vec`.
    type Host<'h>;
    /// The argument on a device.
    type Uploaded;

    fn upload(host: &Self::Host<'_>, device: &Device) -> Self::Uploaded;

    /// # Safety
    ///
    /// What is returned must be gone before `uploaded` is used or dropped.
    unsafe fn bind(uploaded: &mut Self::Uploaded) -> Self;

    fn download(host: &mut Self::Host<'_>, uploaded: &Self::Uploaded);

    /// Appends the values that the kernel's C function takes for it.
    fn push_values(host: &mut Self::Host<'_>, values: &mut Vec<Value>);
}

impl<T: DeviceType> Argument for DeviceSlice<'static, T> {
    type Host<'h> = &'h Vec<T>;
    type Uploaded = DeviceArray<T>;

    fn upload(host: &&Vec<T>, device: &Device) -> DeviceArray<T> {
        device.to_device(host).expect("the device takes the input")
    }

    unsafe fn bind(uploaded: &mut DeviceArray<T>) -> Self {
        // SAFETY: the caller uses the slice only while the array lives and nothing else uses it.
        unsafe { &*std::ptr::from_ref(uploaded) }.slice(..)
    }

    fn download(_: &mut &Vec<T>, _: &DeviceArray<T>) {}

    fn push_values(host: &mut &Vec<T>, values: &mut Vec<Value>) {
        values.extend([Value::new(host.as_ptr().expose_provenance()), Value::new(host.len())]);
    }
}

impl<T: DeviceType> Argument for DeviceSliceMut<'static, T> {
    type Host<'h> = &'h mut Vec<T>;
    type Uploaded = DeviceArray<T>;

    fn upload(host: &&mut Vec<T>, device: &Device) -> DeviceArray<T> {
        device.to_device(host).expect("the device takes the output")
    }

    unsafe fn bind(uploaded: &mut DeviceArray<T>) -> Self {
        // SAFETY: the caller uses the slice only while the array lives and nothing else uses it.
        unsafe { &mut *std::ptr::from_mut(uploaded) }.slice_mut(..)
    }

    fn download(host: &mut &mut Vec<T>, uploaded: &DeviceArray<T>) {
        uploaded.copy_to_host(host).expect("the output comes back");
    }

    fn push_values(host: &mut &mut Vec<T>, values: &mut Vec<Value>) {
        values.extend([Value::new(host.as_mut_ptr().expose_provenance()), Value::new(host.len())]);
    }
}

impl<A: Atomic> Argument for AtomicsArgument<'static, A> {
    type Host<'h> = &'h mut Vec<A::Value>;
    type Uploaded = DeviceArray<A::Value>;

    fn upload(host: &&mut Vec<A::Value>, device: &Device) -> DeviceArray<A::Value> {
        device.to_device(host).expect("the device takes the values")
    }

    unsafe fn bind(uploaded: &mut DeviceArray<A::Value>) -> Self {
        // SAFETY: the caller uses the view only while the array lives and nothing else uses it.
        unsafe { &mut *std::ptr::from_mut(uploaded) }.atomics::<A>().into_device_atomics()
    }

    fn download(host: &mut &mut Vec<A::Value>, uploaded: &DeviceArray<A::Value>) {
        uploaded.copy_to_host(host).expect("the values come back");
    }

    fn push_values(host: &mut &mut Vec<A::Value>, values: &mut Vec<Value>) {
        values.extend([Value::new(host.as_mut_ptr().expose_provenance()), Value::new(host.len())]);
    }
}

/// What a case gives for a `View`: elements in C order with a shape, and which part of that array the kernel gets.
pub struct HostView<'h, T: DeviceType> {
    elements: &'h Vec<T>,
    shape: Shape,
    part: ViewPart<T>,
}

/// What a case gives for a `ViewMut`.
pub struct HostViewMut<'h, T: DeviceType> {
    elements: &'h mut Vec<T>,
    shape: Shape,
    part: ViewPartMut<T>,
}

pub type ViewPart<T> = for<'v> fn(DeviceView<'v, T>) -> DeviceView<'v, T>;
pub type ViewPartMut<T> = for<'v> fn(DeviceViewMut<'v, T>) -> DeviceViewMut<'v, T>;

/// `elements` as an array of that shape.
pub fn view<T: DeviceType>(elements: &Vec<T>, shape: impl Into<Shape>) -> HostView<'_, T> {
    HostView { elements, shape: shape.into(), part: |view| view }
}

/// `elements` as an array of that shape that is written.
pub fn view_mut<T: DeviceType>(elements: &mut Vec<T>, shape: impl Into<Shape>) -> HostViewMut<'_, T> {
    HostViewMut { elements, shape: shape.into(), part: |view| view }
}

impl<T: DeviceType> HostView<'_, T> {
    pub fn part(self, part: ViewPart<T>) -> Self {
        Self { part, ..self }
    }
}

impl<T: DeviceType> HostViewMut<'_, T> {
    pub fn part(self, part: ViewPartMut<T>) -> Self {
        Self { part, ..self }
    }
}

/// An array on a device, and which part of it the kernel gets.
pub struct Viewed<T: DeviceType, P> {
    array: DeviceArray<T>,
    part: P,
}

fn upload_array<T: DeviceType>(elements: &[T], shape: Shape, device: &Device) -> DeviceArray<T> {
    let array = device.to_device(elements).expect("the device takes the array");
    array.reshape(shape).expect("the elements have that shape")
}

impl<T: DeviceType> Argument for DeviceView<'static, T> {
    type Host<'h> = HostView<'h, T>;
    type Uploaded = Viewed<T, ViewPart<T>>;

    fn upload(host: &HostView<'_, T>, device: &Device) -> Self::Uploaded {
        Viewed { array: upload_array(host.elements, host.shape, device), part: host.part }
    }

    unsafe fn bind(uploaded: &mut Self::Uploaded) -> Self {
        // SAFETY: the caller uses the view only while the array lives and nothing else uses it.
        (uploaded.part)(unsafe { &*std::ptr::from_ref(&uploaded.array) }.view())
    }

    fn download(_: &mut HostView<'_, T>, _: &Self::Uploaded) {}

    fn push_values(host: &mut HostView<'_, T>, values: &mut Vec<Value>) {
        let twin = upload_array(host.elements, host.shape, &Device::cpu());
        let (whole, part) = (twin.view(), (host.part)(twin.view()));
        let first = host.elements.as_ptr().expose_provenance() as u64;
        push_view(values, first, host_address(&part) - host_address(&whole), &part);
    }
}

impl<T: DeviceType> Argument for DeviceViewMut<'static, T> {
    type Host<'h> = HostViewMut<'h, T>;
    type Uploaded = Viewed<T, ViewPartMut<T>>;

    fn upload(host: &HostViewMut<'_, T>, device: &Device) -> Self::Uploaded {
        Viewed { array: upload_array(host.elements, host.shape, device), part: host.part }
    }

    unsafe fn bind(uploaded: &mut Self::Uploaded) -> Self {
        // SAFETY: the caller uses the view only while the array lives and nothing else uses it.
        (uploaded.part)(unsafe { &mut *std::ptr::from_mut(&mut uploaded.array) }.view_mut())
    }

    fn download(host: &mut HostViewMut<'_, T>, uploaded: &Self::Uploaded) {
        uploaded.array.copy_to_host(host.elements).expect("the output comes back");
    }

    fn push_values(host: &mut HostViewMut<'_, T>, values: &mut Vec<Value>) {
        let mut twin = upload_array(host.elements, host.shape, &Device::cpu());
        let whole = host_address(&twin.view());
        let part = (host.part)(twin.view_mut());
        let first = host.elements.as_mut_ptr().expose_provenance() as u64;
        push_view(values, first, host_address(&part.view()) - whole, &part.view());
    }
}

impl<A: Atomic> Argument for DeviceAtomicView<'static, A> {
    type Host<'h> = HostViewMut<'h, A::Value>;
    type Uploaded = Viewed<A::Value, ViewPartMut<A::Value>>;

    fn upload(host: &HostViewMut<'_, A::Value>, device: &Device) -> Self::Uploaded {
        DeviceViewMut::upload(host, device)
    }

    unsafe fn bind(uploaded: &mut Self::Uploaded) -> Self {
        // SAFETY: the caller uses the view only while the array lives and nothing else uses it.
        IntoAtomicView::<A, 0>::into_atomic_view(unsafe { DeviceViewMut::bind(uploaded) })
    }

    fn download(host: &mut HostViewMut<'_, A::Value>, uploaded: &Self::Uploaded) {
        DeviceViewMut::download(host, uploaded);
    }

    fn push_values(host: &mut HostViewMut<'_, A::Value>, values: &mut Vec<Value>) {
        DeviceViewMut::push_values(host, values);
    }
}

/// The argument for a view of a known rank is the view.
impl<V: Argument, const N: usize> Argument for Ranked<V, N> {
    type Host<'h> = V::Host<'h>;
    type Uploaded = V::Uploaded;

    fn upload(host: &V::Host<'_>, device: &Device) -> V::Uploaded {
        V::upload(host, device)
    }

    unsafe fn bind(uploaded: &mut V::Uploaded) -> Self {
        // SAFETY: the caller guarantees the same.
        Ranked(unsafe { V::bind(uploaded) })
    }

    fn download(host: &mut V::Host<'_>, uploaded: &V::Uploaded) {
        V::download(host, uploaded);
    }

    fn push_values(host: &mut V::Host<'_>, values: &mut Vec<Value>) {
        V::push_values(host, values);
    }
}

/// A pointer and a `gr_layout`.
fn push_view<T: DeviceType>(values: &mut Vec<Value>, first: u64, offset: u64, part: &DeviceView<'_, T>) {
    values.push(Value::new(first + offset));
    let shape = part.shape();
    let words = shape.extents().iter().map(|&extent| extent as u64).chain(part.strides().iter().map(|&stride| stride as u64));
    values.push(Value::of_words(&words.collect::<Vec<_>>()));
}

fn host_address<T: DeviceType>(view: &DeviceView<'_, T>) -> u64 {
    gpu_runtime::__private::view_address(view)
}

/// `value_arguments![T, U]`: types that kernels take by value.
#[macro_export]
macro_rules! value_arguments {
    ($($T:ty),* $(,)?) => {
        $(impl $crate::bench::Argument for $T {
            type Host<'h> = $T;
            type Uploaded = $T;

            fn upload(host: &$T, _: &gpu_runtime::Device) -> $T {
                *host
            }

            unsafe fn bind(uploaded: &mut $T) -> $T {
                *uploaded
            }

            fn download(_: &mut $T, _: &$T) {}

            fn push_values(host: &mut $T, values: &mut Vec<$crate::bench::Value>) {
                values.push($crate::bench::Value::new(*host));
            }
        })*
    };
}

value_arguments![i8, i16, i32, i64, isize, u8, u16, u32, u64, usize, f32, f64, bool];

/// What a kernel's launch takes: a tuple of [`Argument`]s, one per parameter.
pub trait Arguments: Sized {
    type Host<'h>;
    type Uploaded;

    fn upload(host: &Self::Host<'_>, device: &Device) -> Self::Uploaded;

    /// # Safety
    ///
    /// What is returned must be gone before `uploaded` is used or dropped.
    unsafe fn bind(uploaded: &mut Self::Uploaded) -> Self;

    fn download(host: &mut Self::Host<'_>, uploaded: &Self::Uploaded);
    fn push_values(host: &mut Self::Host<'_>, values: &mut Vec<Value>);
}

macro_rules! tuples {
    ($($A:ident $index:tt),*) => {
        impl<$($A: Argument),*> Arguments for ($($A,)*) {
            type Host<'h> = ($($A::Host<'h>,)*);
            type Uploaded = ($($A::Uploaded,)*);

            fn upload(host: &Self::Host<'_>, device: &Device) -> Self::Uploaded {
                ($($A::upload(&host.$index, device),)*)
            }

            unsafe fn bind(uploaded: &mut Self::Uploaded) -> Self {
                // SAFETY: the caller promises the same for all of them.
                unsafe { ($($A::bind(&mut uploaded.$index),)*) }
            }

            fn download(host: &mut Self::Host<'_>, uploaded: &Self::Uploaded) {
                $($A::download(&mut host.$index, &uploaded.$index);)*
            }

            fn push_values(host: &mut Self::Host<'_>, values: &mut Vec<Value>) {
                $($A::push_values(&mut host.$index, values);)*
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15);
tuples!(
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17, S 18, T 19, U 20, V 21, W 22, X 23,
    Y 24, Z 25
);
