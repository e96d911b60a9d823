//! Vectors of two, three or four numbers: CUDA's `float4` and others.
//!
//! A GPU moves 16 bytes between a thread and memory as fast as 4, so a kernel that is limited by memory is faster with elements of 8 or 16
//! bytes. These types are such elements: a load or store is a single instruction, `ld.global.v4.f32`. An array of numbers can be [viewed as
//! vectors](crate::DeviceArray::as_vectors) without a copy, and vice versa.
//!
//! ```
//! use gpu_runtime::prelude::*;
//! use gpu_runtime::vector::Float4;
//!
//! #[gpu_kernel]
//! fn saxpy(a: f32, x: &[Float4], y: &mut [Float4]) {
//!     let i = grid_1d();
//!     if i < x.len() && i < y.len() {
//!         y[i] += a * x[i];
//!     }
//! }
//!
//! # fn main() -> gpu_runtime::Result<()> {
//! let device = Device::best()?;
//! let x = device.to_device(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])?;
//! let mut y = device.to_device(&[0.5f32; 8])?;
//! saxpy(2.0, x.as_vectors()?, y.as_vectors_mut()?).forall(2)?;
//! assert_eq!(y.to_host()?, [2.5, 4.5, 6.5, 8.5, 10.5, 12.5, 14.5, 16.5]);
//! # Ok(())
//! # }
//! ```
//!
//! | type | lanes | bytes |
//! |---|---|---|
//! | [`Float2`], [`Float3`], [`Float4`] | `f32` | 8, 12, 16 |
//! | [`Double2`] | `f64` | 16 |
//! | [`Int2`], [`Int4`], [`Uint2`], [`Uint4`] | `i32`, `u32` | 8, 16 |
//! | [`Longlong2`], [`Ulonglong2`] | `i64`, `u64` | 16 |
//! | [`Short4`], [`Ushort4`] | `i16`, `u16` | 8 |
//! | [`Char4`], [`Uchar4`] | `i8`, `u8` | 4 |
//!
//! The names are CUDA's, with a capital letter. Each type has the public fields `x` and `y`, and with three lanes also `z`, and with four `z` and `w`. In
//! kernels and on the host:
//!
//! | | |
//! |---|---|
//! | `v + w`, `v - w`, `v * w`, `v / w`, and `+=` … `/=` | lane by lane |
//! | `v * s`, `s * v` and so on, where `s` is a number of the lanes' type | the same with `s` in every lane |
//! | `-v`, for signed numbers | |
//! | `v == w`, `v != w` | whether all lanes are equal, whether any lane differs |
//! | `v.min(w)`, `v.max(w)` | lane by lane |
//! | `v.length()`, `v.normalize()`, `v.lerp(w, t)`, for floats; `v.cross(w)` of `Float3` | |
//! | `v.dot(w)`, `v.reduce_sum()` | from `x` to the last lane: `(v.x * w.x + v.y * w.y) + …` |
//! | `Float4::new(x, y, z, w)`, `Float4::splat(value)` | |
//!
//! Integers wrap in kernels, and in `dot` and `reduce_sum` everywhere; on the host, the operators behave like those of the numbers. A
//! division of integers fails in a kernel if it fails in any lane.

#[macro_use]
mod define;
#[macro_use]
mod operators;

use crate::backend::cpu::{SharedElement, Stop, Thread};
use crate::constant::{Constant, ConstantText, literal};
use crate::failure::{IntegerOperation, IntegerOverflow};
use crate::ops::{Arithmetic, ArithmeticWith, Divide, DivideBy, Equate, Negate, Undefined};
use crate::scalar::Ordered;
use crate::source::{AssociatedFunction, CType, DeviceType, Element, KernelType};

/// A vector type of this module.
pub trait Vector: DeviceType + sealed::Sealed {
    /// The type of each lane.
    type Element: DeviceType;

    /// How many lanes it has.
    const LANES: usize;
}

mod sealed {
    pub trait Sealed {}
}

vectors! {
    Float2: 2 of f32, aligned to 8, "gr_vector2<f32>", "float2";
    Float3: 3 of f32, aligned to 4, "gr_vector3<f32>", "float3";
    Float4: 4 of f32, aligned to 16, "gr_vector4<f32>", "float4";
    Double2: 2 of f64, aligned to 16, "gr_vector2<f64>", "double2";
    Int2: 2 of i32, aligned to 8, "gr_vector2<i32>", "int2";
    Int4: 4 of i32, aligned to 16, "gr_vector4<i32>", "int4";
    Uint2: 2 of u32, aligned to 8, "gr_vector2<u32>", "uint2";
    Uint4: 4 of u32, aligned to 16, "gr_vector4<u32>", "uint4";
    Longlong2: 2 of i64, aligned to 16, "gr_vector2<i64>", "longlong2";
    Ulonglong2: 2 of u64, aligned to 16, "gr_vector2<u64>", "ulonglong2";
    Short4: 4 of i16, aligned to 8, "gr_vector4<i16>", "short4";
    Ushort4: 4 of u16, aligned to 8, "gr_vector4<u16>", "ushort4";
    Char4: 4 of i8, aligned to 4, "gr_vector4<i8>", "char4";
    Uchar4: 4 of u8, aligned to 4, "gr_vector4<u8>", "uchar4";
}

negated_vectors! { Float2 Float3 Float4 Double2 Int2 Int4 Longlong2 Short4 Char4 }

float_vectors! { Float2 f32 Float3 f32 Float4 f32 Double2 f64 }

impl Float3 {
    /// The vector that is perpendicular to both.
    #[inline]
    #[must_use]
    pub fn cross(self, other: Self) -> Self {
        Self::new(self.y * other.z - self.z * other.y, self.z * other.x - self.x * other.z, self.x * other.y - self.y * other.x)
    }
}

#[doc(hidden)]
impl Float3 {
    #[inline(always)]
    pub fn gpu_device_cross(self, other: Self, _: &Thread<'_>) -> Result<Self, Stop> {
        Ok(self.cross(other))
    }
    pub fn gpu_code_cross(self, _: Self) -> impl AssociatedFunction<Output = Self> {
        code!("vector_cross" in "geometry", (a: Float3, b: Float3) -> Float3, "gr_vector_cross(a, b)")
    }
}

#[cfg(test)]
mod tests;
