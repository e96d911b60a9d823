//! A kernel's arguments in host memory, and their way to where the kernel runs.

use gpu_runtime::{Device, DeviceArray, DeviceSlice, DeviceSliceMut, Element};

/// One argument of a kernel: a number, `&x` or `&mut x`.
pub trait Argument {
    /// The argument on a device.
    type Uploaded: 'static;
    /// What the kernel's launch takes.
    type Bound<'u>;

    fn upload(&self, device: &Device) -> Self::Uploaded;
    fn bind(uploaded: &mut Self::Uploaded) -> Self::Bound<'_>;
    fn download(&mut self, uploaded: &Self::Uploaded);
    /// Appends the values that the kernel's C function takes for it, each in eight bytes.
    fn push_values(&mut self, values: &mut Vec<u64>);
}

impl<T: Element> Argument for &Vec<T> {
    type Uploaded = DeviceArray<T>;
    type Bound<'u> = DeviceSlice<'u, T>;

    fn upload(&self, device: &Device) -> DeviceArray<T> {
        device.to_device(self).expect("the device takes the input")
    }

    fn bind(uploaded: &mut DeviceArray<T>) -> DeviceSlice<'_, T> {
        uploaded.slice(..)
    }

    fn download(&mut self, _: &DeviceArray<T>) {}

    fn push_values(&mut self, values: &mut Vec<u64>) {
        values.extend([self.as_ptr().addr() as u64, self.len() as u64]);
    }
}

impl<T: Element> Argument for &mut Vec<T> {
    type Uploaded = DeviceArray<T>;
    type Bound<'u> = DeviceSliceMut<'u, T>;

    fn upload(&self, device: &Device) -> DeviceArray<T> {
        device.to_device(self).expect("the device takes the output")
    }

    fn bind(uploaded: &mut DeviceArray<T>) -> DeviceSliceMut<'_, T> {
        uploaded.slice_mut(..)
    }

    fn download(&mut self, uploaded: &DeviceArray<T>) {
        uploaded.copy_to_host(self).expect("the output comes back");
    }

    fn push_values(&mut self, values: &mut Vec<u64>) {
        values.extend([self.as_mut_ptr().expose_provenance() as u64, self.len() as u64]);
    }
}

macro_rules! scalars {
    ($($T:ty)*) => {
        $(impl Argument for $T {
            type Uploaded = $T;
            type Bound<'u> = $T;

            fn upload(&self, _: &Device) -> $T {
                *self
            }

            fn bind(uploaded: &mut $T) -> $T {
                *uploaded
            }

            fn download(&mut self, _: &$T) {}

            fn push_values(&mut self, values: &mut Vec<u64>) {
                let mut bytes = [0; 8];
                bytes[..size_of::<$T>()].copy_from_slice(&self.to_bytes());
                values.push(u64::from_ne_bytes(bytes));
            }
        })*
    };
}

scalars!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 bool);

/// `to_ne_bytes`, which `bool` does not have.
trait ToBytes {
    type Bytes;
    fn to_bytes(self) -> Self::Bytes;
}

macro_rules! to_bytes {
    ($($T:ty)*) => {
        $(impl ToBytes for $T {
            type Bytes = [u8; size_of::<$T>()];

            fn to_bytes(self) -> Self::Bytes {
                self.to_ne_bytes()
            }
        })*
    };
}

to_bytes!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64);

impl ToBytes for bool {
    type Bytes = [u8; 1];

    fn to_bytes(self) -> [u8; 1] {
        [self.into()]
    }
}

/// All arguments of a kernel, in order.
pub trait Arguments {
    type Uploaded: 'static;
    type Bound<'u>;

    fn upload(&self, device: &Device) -> Self::Uploaded;
    fn bind(uploaded: &mut Self::Uploaded) -> Self::Bound<'_>;
    fn download(&mut self, uploaded: &Self::Uploaded);
    fn push_values(&mut self, values: &mut Vec<u64>);
}

macro_rules! tuples {
    ($($A:ident $index:tt),*) => {
        impl<$($A: Argument),*> Arguments for ($($A,)*) {
            type Uploaded = ($($A::Uploaded,)*);
            type Bound<'u> = ($($A::Bound<'u>,)*);

            fn upload(&self, device: &Device) -> Self::Uploaded {
                ($(self.$index.upload(device),)*)
            }

            fn bind(uploaded: &mut Self::Uploaded) -> Self::Bound<'_> {
                ($($A::bind(&mut uploaded.$index),)*)
            }

            fn download(&mut self, uploaded: &Self::Uploaded) {
                $(self.$index.download(&uploaded.$index);)*
            }

            fn push_values(&mut self, values: &mut Vec<u64>) {
                $(self.$index.push_values(values);)*
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
