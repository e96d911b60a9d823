//! Kernels, each with the function that launches it.

pub mod attention;
pub mod classifier;
pub mod norm;
