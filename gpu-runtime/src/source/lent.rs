//! Values that a kernel passes to a device function by reference.
//!
//! CUDA C passes an array as a pointer and a length, and any other value as a reference. Of a field or a result, the macro does not see which
//! of them it is, and rustc does.

use std::marker::PhantomData;

use super::DeviceType;

/// A value of type `T` that is passed by reference.
#[derive(Debug)]
pub struct Value<T>(PhantomData<fn() -> T>);

/// The value that `_value` would return. It is not called.
pub fn lent<T>(_value: impl FnOnce() -> T) -> Value<T> {
    Value(PhantomData)
}

impl<T, const N: usize> Value<[T; N]> {
    /// What follows the array in the arguments of a call.
    #[must_use]
    pub fn elements(&self) -> String {
        format!(".data, {N}ull")
    }
}

/// What rustc finds where the value is not an array.
pub trait NoArray {
    /// Nothing follows it.
    fn elements(&self) -> String {
        String::new()
    }
}

impl<T> NoArray for Value<T> {}

/// Refuses a parameter that is a reference to an array behind another name: CUDA C would expect a reference to a value.
#[inline(always)]
pub const fn check_no_array<T: DeviceType>(_value: &T) {
    const { assert!(!T::IS_ARRAY, "a reference to an array needs the type of the array: `&[f32; 4]` instead of a name for it") };
}

#[cfg(test)]
mod tests {
    use super::{NoArray as _, lent};

    #[test]
    fn an_array_is_followed_by_its_length() {
        assert_eq!(lent(|| [0.5f32; 4]).elements(), ".data, 4ull");
        assert_eq!(lent(|| 0.5f32).elements(), "");
    }
}
