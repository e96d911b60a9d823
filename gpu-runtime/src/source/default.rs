//! `Particle::default()` in kernels: the value that the host computes, as a constant.

use std::marker::PhantomData;

use super::{AssociatedFunction, DeviceInstance, DeviceType, Found, Segment, Sites, SourceUnit, c_type};
use crate::backend::cpu::{Stop, Thread};
use crate::constant::{Constant, ConstantText, constant};

/// A type with `default()` in kernels. A `default` with `#[gpu_device]` precedes it, as a function of the type precedes one of a trait.
pub trait DefaultValue: Default + Constant + DeviceType {
    #[doc(hidden)]
    fn gpu_device_default(_: &Thread<'_>) -> Result<Self, Stop> {
        Ok(Self::default())
    }

    #[doc(hidden)]
    fn gpu_code_default() -> impl AssociatedFunction<Output = Self> {
        // SAFETY: the CUDA C is the value.
        unsafe { Found::<ValueOf<Self>, Self>::new() }
    }
}

impl<T: Default + Constant + DeviceType> DefaultValue for T {}

/// The function that returns the value.
struct ValueOf<T>(PhantomData<T>);

// SAFETY: the function returns the literal of the value.
unsafe impl<T: DefaultValue> DeviceInstance for ValueOf<T> {
    const UNIT: &'static SourceUnit = &SourceUnit {
        name: "default_value",
        prototype: &[
            Segment::Text("static __device__ __forceinline__ "),
            Segment::Type(c_type::<T>),
            Segment::Text(" "),
            Segment::OwnName,
            Segment::Text("()"),
        ],
        body: &[
            Segment::Text("static __device__ __forceinline__ "),
            Segment::Type(c_type::<T>),
            Segment::Text(" "),
            Segment::OwnName,
            Segment::Text("() {\n  return "),
            Segment::Value(value_of::<T>),
            Segment::Text(";\n}\n"),
        ],
        snippets: &[],
        sites: &Sites::NONE,
        several_elements: true,
    };
}

fn value_of<T: DefaultValue>() -> ConstantText {
    constant(T::default())
}
