//! Derivatives: of functions of numbers, and of expressions of arrays.
//!
//! The attributes `#[gpu_device(grad)]` and `#[vectorize(grad)]` differentiate functions of numbers. They write a second copy of the function in
//! which each float is a [`Dual64`] or a [`Dual32`]: the number, and its derivative along one direction (forward mode). The partial derivatives are that copy, called once for each float parameter. With `grad = 2`, a third copy
//! has dual numbers of dual numbers, [`SecondDual64`], for second derivatives.
//!
//! Expressions of arrays go backward, from one number to the arrays that it was computed from (reverse mode): see [`grad`] and [`Traced`].
//!
//! ```text
//! variable(&w) ──▶ Traced<Node>                 borrows `w`: nothing can change it before the gradient is computed
//! x.tanh() * &y ──▶ Traced<Apply<…>>            computes nothing: the types are those of lazy arrays
//! .sum()?, .matmul(&b)? ──▶ Traced<Node>        a stored result, and what brings a gradient back through the operation
//! loss.gradient((&w, &b))? ──▶ DeviceArrays     each operation once, the last one first
//! ```

mod backward;
mod chain;
mod composed;
mod curvatures;
mod derivatives;
mod dual;
mod enclosing;
mod forward;
#[cfg(feature = "fft")]
mod fourier;
#[cfg(feature = "linalg")]
mod linear_algebra;
mod matrices;
mod node;
mod operations;
mod operators;
mod products;
mod reductions;
mod rules;
mod scans;
mod traced;
mod variables;

pub use crate::ufunc::Derivative;
pub use backward::{grad, value_and_grad};
pub use chain::Differentiable;
pub use dual::{Dual32, Dual64, SecondDual32, SecondDual64};
pub use forward::{hvp, jvp};
pub use matrices::{hessian, jacobian};
pub use node::Node;
pub use operations::{concatenate, select, stack};
pub use rules::{checkpoint, custom_vjp, custom_vjp_with, surrogate_vjp};
pub use traced::{Constant, IntoTraced, Real, Stored, Traced, constant, variable};
pub use variables::{Arrays, Variables};

mod numbers {
    use crate::gpu_device;
    use crate::scalar::Float;

    /// What kernels and derivatives call.
    #[gpu_device]
    #[allow(unreachable_pub, reason = "the module `stop_gradient` exports what the attribute makes of it")]
    pub fn stop_gradient<T: Float>(x: T) -> T {
        x
    }
}

/// `x`, which counts as a constant in a function with a derivative: JAX's `stop_gradient`.
///
/// In such a function, only what it returns can be converted to an integer, `stop_gradient(x) as usize`, and only its argument can be
/// rounded, `stop_gradient(x.floor())`.
///
/// ```
/// use gpu_runtime::gradient::stop_gradient;
/// use gpu_runtime::prelude::*;
///
/// /// Linear between three values.
/// #[vectorize(grad)]
/// fn interpolated(x: f64) -> f64 {
///     let table = [1.0, 4.0, 9.0];
///     let cell = stop_gradient(x) as usize;
///     let along = x - cell as f64;
///     table[cell] * (1.0 - along) + table[cell + 1] * along
/// }
///
/// # fn main() {
/// assert_eq!(interpolated::grad(0.5), 3.0);
/// assert_eq!(interpolated::grad(1.5), 5.0);
/// # }
/// ```
pub fn stop_gradient<T: crate::scalar::Float>(x: T) -> T {
    x
}

#[doc(hidden)]
pub mod stop_gradient {
    pub use super::numbers::stop_gradient::*;
    // The function beside this module is another.
    pub use crate::calls::unknown_function as itself;

    /// What a call becomes in the copy of a function with `grad`. (rustc lists generic functions in messages about others.)
    pub mod write_grad_in_the_attribute_of_this_function {
        use super::super::{Dual32, Dual64, SecondDual32, SecondDual64};
        use crate::gpu_device;

        #[gpu_device]
        pub fn dual_of_f64(x: Dual64) -> Dual64 {
            Dual64::constant(x.value)
        }

        #[gpu_device]
        pub fn dual_of_f32(x: Dual32) -> Dual32 {
            Dual32::constant(x.value)
        }

        #[gpu_device]
        pub fn second_of_f64(x: SecondDual64) -> SecondDual64 {
            let value: Dual64 = x.value;
            SecondDual64::constant(value.value)
        }

        #[gpu_device]
        pub fn second_of_f32(x: SecondDual32) -> SecondDual32 {
            let value: Dual32 = x.value;
            SecondDual32::constant(value.value)
        }

        /// For a conversion to another type.
        #[gpu_device]
        pub fn number_of_f64(x: Dual64) -> f64 {
            x.value
        }

        /// For a conversion to another type.
        #[gpu_device]
        pub fn number_of_f32(x: Dual32) -> f32 {
            x.value
        }

        /// For a conversion to another type.
        #[gpu_device]
        pub fn second_number_of_f64(x: SecondDual64) -> f64 {
            let value: Dual64 = x.value;
            value.value
        }

        /// For a conversion to another type.
        #[gpu_device]
        pub fn second_number_of_f32(x: SecondDual32) -> f32 {
            let value: Dual32 = x.value;
            value.value
        }
    }
}
