//! How a call of a function of a type finds its CUDA C.
//!
//! Which function `shape.area()` means depends on the type of `shape`, on what is in scope there, and on whether the function takes
//! `self` or `&self`. A macro sees none of that. So beside each such function stands another with the same parameters, which returns an
//! [`AssociatedFunction`]; and for each call the macro writes the call of that other function, of the same shape, with
//! [values](value) that exist for rustc alone. rustc then finds the same function as in the twin, and its type determines the CUDA C.

use std::marker::PhantomData;

use super::{Callee, DeviceInstance, SourceUnit};

/// What stands beside a function of a type returns one of these: which CUDA C is that function's.
///
/// # Safety
///
/// `Instance` is the CUDA C of that function, which returns an `Output`.
pub unsafe trait AssociatedFunction {
    /// What the function returns.
    type Output;
    /// Its CUDA C.
    type Instance: DeviceInstance;
}

/// The function with the CUDA C of `Instance`, which returns an `Output`.
#[derive(Debug)]
pub struct Found<Instance, Output>(PhantomData<fn() -> (Instance, Output)>);

impl<Instance, Output> Found<Instance, Output> {
    /// The only value.
    ///
    /// # Safety
    ///
    /// The function beside which this stands has that CUDA C, and returns that.
    #[must_use]
    pub const unsafe fn new() -> Self {
        Self(PhantomData)
    }
}

// SAFETY: who made the value has promised it.
unsafe impl<Instance: DeviceInstance, Output> AssociatedFunction for Found<Instance, Output> {
    type Output = Output;
    type Instance = Instance;
}

/// The instance of a function that its macro refused. The program does not compile.
#[derive(Debug)]
pub enum Refused {}

// SAFETY: it has no CUDA C.
unsafe impl DeviceInstance for Refused {
    const UNIT: &'static SourceUnit = &SourceUnit::NONE;
}

/// The function that `call` would find. It is not called.
pub fn callee_of<F: AssociatedFunction>(_call: impl FnOnce() -> F) -> Callee {
    F::Instance::callee()
}

/// The same for a call with arrays that [may race](DeviceInstance::RACING_UNIT).
pub fn racing_callee_of<F: AssociatedFunction>(_call: impl FnOnce() -> F) -> Callee {
    F::Instance::racing_callee()
}

/// What the found function returns, for rustc to continue with. A place, as the receiver of a method is one, which rustc may borrow.
#[must_use]
pub fn output<F: AssociatedFunction<Output: 'static>>(_function: F) -> &'static mut F::Output {
    any()
}

/// A place for rustc to know the type of.
#[must_use]
pub fn value<T: 'static>() -> &'static mut T {
    any()
}

/// A place for such a value.
#[must_use]
pub fn place<T: 'static>(_value: T) -> &'static mut T {
    any()
}

/// A value of whatever type rustc finds.
#[must_use]
pub fn any<T>() -> T {
    unreachable!("an expression that tells a function is typed, and not evaluated")
}
