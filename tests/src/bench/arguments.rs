//! A kernel's arguments in host memory, and their way to where the kernel runs.

use std::ffi::c_void;

use gpu_runtime::{Device, DeviceArray, DeviceSlice, DeviceSliceMut, DeviceType};

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
tuples!(
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11, M 12, N 13, O 14, P 15, Q 16, R 17, S 18, T 19, U 20, V 21, W 22, X 23,
    Y 24, Z 25
);
