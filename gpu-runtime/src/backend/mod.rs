//! What runs kernels: NVIDIA GPUs through CUDA's driver, and the cores of this machine.

pub(crate) mod cpu;
pub(crate) mod cuda;
pub(crate) mod pages;
