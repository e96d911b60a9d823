//! Activations of neural networks.

use crate::scalar::Float;
use crate::vectorize;

/// `x` if it is positive, otherwise 0; NaN for NaN.
#[vectorize]
pub fn relu<T: Float>(x: T) -> T {
    if x < T::ZERO { T::ZERO } else { x }
}

/// 1 / (1 + e⁻ˣ) (SciPy: `expit`).
#[vectorize]
pub fn sigmoid<T: Float>(x: T) -> T {
    (T::ONE + (-x).exp()).recip()
}

/// x / (1 + e⁻ˣ), which is also called swish.
#[vectorize]
pub fn silu<T: Float>(x: T) -> T {
    x / (T::ONE + (-x).exp())
}

/// x times the probability that a standard normal variable is at most x.
#[vectorize]
pub fn gelu<T: Float>(x: T) -> T {
    x * x.norm_cdf()
}

/// ln(1 + eˣ), without overflow.
#[vectorize]
pub fn softplus<T: Float>(x: T) -> T {
    let positive = if x < T::ZERO { T::ZERO } else { x };
    positive + (-x.abs()).exp().ln_1p()
}
