//! A method with a type parameter of its own.

use gpu_runtime::prelude::*;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pair<T> {
    a: T,
    b: T,
}

#[gpu_device]
impl<T: Num> Pair<T> {
    fn scaled<U: Num>(self, by: U) -> T {
        self.a * by.cast::<T>()
    }
}

fn main() {}
