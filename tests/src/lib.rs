//! The conformance kernels, and three ways to run them: natively on the CPU, on a GPU, and as C++ through the host's compiler.
//!
//! [`kernels`] has the kernels, each with the behaviour that it shows as a [`Case`](bench::Case): inputs, a launch on a
//! [`Bench`](bench::Bench), and what must come out, computed by plain Rust that shares no code with the kernel. A bench hides what
//! the launch runs on, so one list of cases serves all of them.

pub mod bench;
#[cfg(doctest)]
mod book;
#[cfg(all(feature = "kernels", not(doctest)))] // The pages of the book need no kernels, which take long to expand.
pub mod kernels;
pub mod require;
pub mod shim;
pub mod units;
