//! What a called name means where it names no device function: a type whose functions rustc refuses to call, with a sentence of ours.
//!
//! A kernel's `f(x)` is a call of `f::gpu_device::on(thread).call(x)`, and rustc's own words for a missing `f` would be about a module or a crate of that
//! name. So the expansion imports `f` under another name, in a block inside of one that gives that name a module of this file. An import
//! takes what there is of a name: of a function without `#[gpu_device]`, no module, so the outer one is found.
//!
//! Nothing follows from the refused call: what `on` returns is of a type that rustc does not know either.

/// Declares `gpu_device` for a function that is not there: `$exists` is a trait that nothing implements, and says why.
#[doc(hidden)]
#[macro_export]
macro_rules! __missing_function {
    ($exists:path) => {
        #[allow(non_camel_case_types, missing_docs, missing_debug_implementations)]
        pub struct gpu_device;

        #[doc(hidden)]
        pub use $crate::calls::unknown_function as itself;

        // A condition over a lifetime is checked where the function is called; any other would be refused here.
        #[allow(missing_docs, clippy::all, clippy::pedantic)]
        impl gpu_device {
            pub fn on(_: &$crate::calls::Thread<'_>) -> <Self as $exists>::Output
            where
                for<'unmet> Self: $exists,
            {
                ::core::unreachable!()
            }

            pub fn on_async(_: &$crate::calls::Thread<'_>) -> <Self as $exists>::Output
            where
                for<'unmet> Self: $exists,
            {
                ::core::unreachable!()
            }

            pub fn function(_: &$crate::calls::Thread<'_>) -> <Self as $exists>::Output
            where
                for<'unmet> Self: $exists,
            {
                ::core::unreachable!()
            }
        }

        // SAFETY: the program does not compile.
        #[diagnostic::do_not_recommend]
        unsafe impl<Explicit, Evidence> $crate::calls::DeviceFunction<Explicit, Evidence> for gpu_device {
            type Output = ();
            type Instance = $crate::calls::Refused;
        }

        // SAFETY: as above.
        #[diagnostic::do_not_recommend]
        unsafe impl<Explicit> $crate::calls::NamedFunction<Explicit> for gpu_device {
            type Instance = $crate::calls::Refused;
        }
    };
}

/// The first of two: what a trait with `#[gpu_device]` means as a macro.
#[doc(hidden)]
#[macro_export]
macro_rules! __with_attribute {
    ({ $($complete:tt)* } { $($fallback:tt)* }) => { $($complete)* };
}

/// The second: what stands for a trait without the attribute.
#[doc(hidden)]
#[macro_export]
macro_rules! __without_attribute {
    ({ $($complete:tt)* } { $($fallback:tt)* }) => { $($fallback)* };
}

pub use crate::__without_attribute as without_attribute;

/// Implemented by nothing: a function that kernels cannot call.
#[diagnostic::on_unimplemented(
    message = "there is no device function of this name",
    label = "no function with `#[gpu_device]` has this name here",
    note = "a kernel can only call functions with `#[gpu_device]`: correct the name, or write `#[gpu_device]` above the function and, if it is in another module, import it with `use`"
)]
pub trait DeviceFunctionOfThisName {
    /// What a call would return.
    type Output;
}

/// Implemented by nothing: a value that is neither a variable nor a function that kernels can call.
#[diagnostic::on_unimplemented(
    message = "there is no variable, and no device function, of this name",
    label = "no variable, and no function with `#[gpu_device]`, has this name here",
    note = "correct the name, declare the variable with `let`, or take it as a parameter",
    note = "to pass a function, write `#[gpu_device]` above it and, if it is in another module, import it with `use`"
)]
pub trait ValueOfThisName {
    /// What a call would return.
    type Output;
}

/// Implemented by nothing: a type without the called function, as far as kernels see.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no function of this name with `#[gpu_device]`",
    label = "not a device function",
    note = "write `#[gpu_device]` above the `impl` or the trait that has the function"
)]
pub trait HasDeviceFunction {}

/// Implemented by nothing: a kernel that is called like a function.
#[diagnostic::on_unimplemented(
    message = "a kernel cannot be called in a kernel or a device function",
    label = "this is a kernel",
    note = "move the code that both use into a function with `#[gpu_device]`"
)]
pub trait CalledKernel {
    /// What a call would return.
    type Output;
}

/// Implemented by nothing: an `async` device function that is called without `.await`.
///
/// # Safety
///
/// Nobody implements it: whether a call can wait for other threads is what the proofs of its caller depend on.
#[diagnostic::on_unimplemented(
    message = "this device function is `async`: it waits for other threads of the block",
    label = "write `.await` after this call"
)]
pub unsafe trait Awaited {
    /// What a call would return.
    type Output;
}

/// Implemented by nothing: a device function that is not `async`, in a call with `.await`.
///
/// # Safety
///
/// As for [`Awaited`].
#[diagnostic::on_unimplemented(message = "this device function is not `async`", label = "remove `.await` after this call")]
pub unsafe trait IsAsync {
    /// What a call would return.
    type Output;
}

/// Implemented by nothing: a name of an intrinsic that is not imported.
#[diagnostic::on_unimplemented(
    message = "this function of `gpu_runtime` is not imported",
    label = "write `use gpu_runtime::prelude::*;` at the top of the module"
)]
pub trait Imported {}

/// In place of an intrinsic without type parameters.
pub mod intrinsic {
    #[allow(missing_docs, missing_debug_implementations)]
    pub struct Intrinsic;

    impl<Any> crate::calls::IntrinsicName<Any> for Intrinsic {}

    // rustc shows the name of the function.
    #[doc(hidden)]
    pub use intrinsic as __intrinsic;

    // It means any of them, so that rustc says nothing more.
    #[doc(hidden)]
    pub fn __meant() -> Intrinsic {
        Intrinsic
    }

    #[doc(hidden)]
    pub fn intrinsic()
    where
        for<'unmet> Intrinsic: super::Imported,
    {
    }
}

/// In place of an intrinsic with one.
pub mod generic_intrinsic {
    use super::intrinsic::Intrinsic;

    #[doc(hidden)]
    pub use intrinsic as __intrinsic;

    // It means any of them, so that rustc says nothing more.
    #[doc(hidden)]
    pub fn __meant() -> Intrinsic {
        Intrinsic
    }

    #[doc(hidden)]
    pub fn intrinsic<T>()
    where
        for<'unmet> Intrinsic: super::Imported,
    {
    }
}

/// In place of a device function.
pub mod function {
    crate::calls::missing_function!(super::DeviceFunctionOfThisName);
}

/// In place of a device function that is passed by its name.
pub mod value {
    crate::calls::missing_function!(super::ValueOfThisName);
}

/// What a kernel is for kernels that call it.
pub mod kernel {
    crate::calls::missing_function!(super::CalledKernel);
}

/// In scope where a call is awaited. What an `async` function has of its own comes first.
pub trait OnAsync: Sized {
    #[doc(hidden)]
    const UNIFORM_PARAMETERS: u32 = 0;

    #[doc(hidden)]
    const UNIFORM_RESULT: crate::calls::uniform::UniformResult<Self> = crate::calls::uniform::UniformResult::UNKNOWN;
}

impl<F> OnAsync for F {}
