//! Numbers that are not Rust's own: those of the crates `num_complex` and `half`, each behind a feature.
//!
//! A kernel sees such a type as it sees a user's struct: by name. So its functions are methods with a twin and CUDA C of their own,
//! which here are written by hand (see [`functions`]), and its operators are overloads in a snippet of its name.

#[macro_use]
mod functions;
mod bits;
#[cfg(feature = "complex")]
mod complex;
mod elementary;
#[cfg(feature = "half")]
mod halves;

pub use elementary::Elementary;

/// The functions of these types that kernels call, in scope wherever the prelude is.
pub(crate) mod methods {
    pub use super::bits::FloatBits as _;
    #[cfg(feature = "complex")]
    pub use super::complex::ComplexFunctions as _;
    #[cfg(feature = "half")]
    pub use super::halves::HalfFunctions as _;
}
