//! Kernels' CUDA C compiled as C++ by the host's compiler, so that generated code runs where there is no GPU.
//!
//! `cuda.h` defines the little of CUDA that generated code uses, and `runtime.cpp` runs the threads of a grid as fibers; `math.cpp` has
//! those of CUDA's functions that C has not, and `rounding.cpp` those that round in a direction. The compiler
//! may assume what C++ lets it assume (no `-fwrapv`), and must not contract floats: what comes out has the bits of the Rust
//! twin, or one of the two translations is wrong.

mod compiler;
mod library;
mod source;

pub use compiler::{Compiler, Sanitizer};
pub use library::{Code, Library, Selection, shown};
