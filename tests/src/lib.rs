//! Kernels and helpers shared by the cross-crate tests.
