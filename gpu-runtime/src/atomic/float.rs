//! Atomic floats.

use std::fmt;
#[cfg(feature = "half")]
use std::sync::atomic::AtomicU16;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

#[cfg(feature = "half")]
use half::{bf16, f16};

use super::extension::failure_ordering;

macro_rules! atomic_floats {
    ($($(#[$documentation:meta])* $Atomic:ident($Bits:ident): $Float:ident;)*) => {
        $(
            $(#[$documentation])*
            #[repr(transparent)]
            pub struct $Atomic($Bits);

            impl $Atomic {
                /// An atomic that holds `value`.
                #[inline]
                #[must_use]
                pub const fn new(value: $Float) -> Self {
                    Self($Bits::new(value.to_bits()))
                }

                /// The value. The atomic is consumed, so no other code can access it.
                #[inline]
                #[must_use]
                pub const fn into_inner(self) -> $Float {
                    $Float::from_bits(self.0.into_inner())
                }

                /// The value.
                ///
                /// # Panics
                ///
                /// If `order` is `Release` or `AcqRel`, as std's does.
                #[inline]
                #[must_use]
                pub fn load(&self, order: Ordering) -> $Float {
                    $Float::from_bits(self.0.load(order))
                }

                /// Replaces the value.
                ///
                /// # Panics
                ///
                /// If `order` is `Acquire` or `AcqRel`, as std's does.
                #[inline]
                pub fn store(&self, value: $Float, order: Ordering) {
                    self.0.store(value.to_bits(), order);
                }

                /// Replaces the value, and returns the previous value. Numba: `cuda.atomic.exch`.
                #[inline]
                pub fn swap(&self, value: $Float, order: Ordering) -> $Float {
                    $Float::from_bits(self.0.swap(value.to_bits(), order))
                }

                /// Replaces the value by `new` if its bits are those of `current`: a `NaN` can be equal to `current`, and -0 is not equal
                /// to 0.
                ///
                /// # Errors
                ///
                /// The value, if it is not `current`.
                ///
                /// # Panics
                ///
                /// If `failure` is `Release` or `AcqRel`, as std's does.
                #[inline]
                pub fn compare_exchange(&self, current: $Float, new: $Float, success: Ordering, failure: Ordering) -> Result<$Float, $Float> {
                    match self.0.compare_exchange(current.to_bits(), new.to_bits(), success, failure) {
                        Ok(old) => Ok($Float::from_bits(old)),
                        Err(old) => Err($Float::from_bits(old)),
                    }
                }

                /// Like [`compare_exchange`](Self::compare_exchange), but may fail although the value is `current`: for loops.
                ///
                /// # Errors
                ///
                /// The value.
                ///
                /// # Panics
                ///
                /// If `failure` is `Release` or `AcqRel`, as std's does.
                #[inline]
                pub fn compare_exchange_weak(
                    &self,
                    current: $Float,
                    new: $Float,
                    success: Ordering,
                    failure: Ordering,
                ) -> Result<$Float, $Float> {
                    match self.0.compare_exchange_weak(current.to_bits(), new.to_bits(), success, failure) {
                        Ok(old) => Ok($Float::from_bits(old)),
                        Err(old) => Err($Float::from_bits(old)),
                    }
                }

                /// Adds `value`, and returns the previous value. Numba: `cuda.atomic.add`.
                ///
                /// On a GPU, denormals of `f32` are treated as zero in device memory: see [`AtomicF32`](crate::atomic::AtomicF32).
                #[inline]
                pub fn fetch_add(&self, value: $Float, order: Ordering) -> $Float {
                    self.update(order, |old| old + value)
                }

                /// Subtracts `value`, and returns the previous value. Numba: `cuda.atomic.sub`.
                #[inline]
                pub fn fetch_sub(&self, value: $Float, order: Ordering) -> $Float {
                    self.update(order, |old| old - value)
                }

                /// Replaces the value by the smaller of it and `value`, and returns the previous value. Numba: `cuda.atomic.nanmin`.
                ///
                #[doc = concat!("As [`", stringify!($Float), "::min`] has it: a number replaces a `NaN`, and a `NaN` replaces nothing.")]
                #[inline]
                pub fn fetch_min(&self, value: $Float, order: Ordering) -> $Float {
                    self.update(order, |old| old.min(value))
                }

                /// Replaces the value by the larger of it and `value`, and returns the previous value. Numba: `cuda.atomic.nanmax`.
                ///
                #[doc = concat!("As [`", stringify!($Float), "::max`] has it: a number replaces a `NaN`, and a `NaN` replaces nothing.")]
                #[inline]
                pub fn fetch_max(&self, value: $Float, order: Ordering) -> $Float {
                    self.update(order, |old| old.max(value))
                }

                #[inline]
                fn update(&self, order: Ordering, next: impl Fn($Float) -> $Float) -> $Float {
                    let next = |bits| Some(next($Float::from_bits(bits)).to_bits());
                    match self.0.fetch_update(order, failure_ordering(order), next) {
                        Ok(old) | Err(old) => $Float::from_bits(old),
                    }
                }
            }

            impl Default for $Atomic {
                fn default() -> Self {
                    Self($Bits::new(0))
                }
            }

            impl From<$Float> for $Atomic {
                fn from(value: $Float) -> Self {
                    Self::new(value)
                }
            }

            impl fmt::Debug for $Atomic {
                fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    fmt::Debug::fmt(&self.load(Ordering::Relaxed), f)
                }
            }
        )*
    };
}

atomic_floats! {
    /// An atomic `f32`: the counterpart of `AtomicU32` for `f32`.
    ///
    /// Its methods are those of std's atomics, with their orderings. Float sums depend on the order in which threads add, so the last bits
    /// differ from run to run. On a GPU, an addition is one instruction. It treats denormals as zero in device memory, in operands and
    /// results, and keeps them in shared memory, whatever the kernel's options.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    /// use std::sync::atomic::Ordering;
    ///
    /// let a = AtomicF32::new(1.5);
    /// assert_eq!(a.fetch_add(2.0, Ordering::Relaxed), 1.5);
    /// assert_eq!(a.fetch_max(f32::NAN, Ordering::Relaxed), 3.5);
    /// assert_eq!(a.into_inner(), 3.5);
    /// ```
    AtomicF32(AtomicU32): f32;
    /// An atomic `f64`: the counterpart of `AtomicU64` for `f64`.
    ///
    /// Its methods are those of std's atomics, with their orderings. Float sums depend on the order in which threads add, so the last bits
    /// differ from run to run. On a GPU, an addition is one instruction.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    /// use std::sync::atomic::Ordering;
    ///
    /// let a = AtomicF64::new(1.5);
    /// assert_eq!(a.fetch_add(2.0, Ordering::Relaxed), 1.5);
    /// assert_eq!(a.fetch_max(f64::NAN, Ordering::Relaxed), 3.5);
    /// assert_eq!(a.into_inner(), 3.5);
    /// ```
    AtomicF64(AtomicU64): f64;
}

#[cfg(feature = "half")]
atomic_floats! {
    /// An atomic `f16` of the crate `half`: the counterpart of `AtomicU16`.
    ///
    /// Its methods are those of std's atomics, with their orderings. Each addition is rounded to 16 bits, so sums depend on the order in
    /// which threads add, more than sums of `f32`. On a GPU, an addition is one instruction from compute capability 7.0 on; all other
    /// operations are a loop over the 32-bit word that contains the number.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    /// use half::f16;
    /// use std::sync::atomic::Ordering;
    ///
    /// let a = AtomicF16::new(f16::ONE);
    /// assert_eq!(a.fetch_add(f16::from_f32(2.5), Ordering::Relaxed), f16::ONE);
    /// assert_eq!(a.fetch_max(f16::NAN, Ordering::Relaxed), f16::from_f32(3.5));
    /// assert_eq!(a.into_inner(), f16::from_f32(3.5));
    /// ```
    AtomicF16(AtomicU16): f16;
    /// An atomic `bf16` of the crate `half`: the counterpart of `AtomicU16`.
    ///
    /// Like [`AtomicF16`]; on a GPU, an addition is one instruction from compute capability 9.0 on.
    ///
    /// ```
    /// use gpu_runtime::prelude::*;
    /// use half::bf16;
    /// use std::sync::atomic::Ordering;
    ///
    /// let a = AtomicBf16::new(bf16::ONE);
    /// assert_eq!(a.fetch_sub(bf16::from_f32(2.5), Ordering::Relaxed), bf16::ONE);
    /// assert_eq!(a.into_inner(), bf16::from_f32(-1.5));
    /// ```
    AtomicBf16(AtomicU16): bf16;
}
