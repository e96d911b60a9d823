//! The properties of a GPU that can be read without opening it.

use std::fmt;

use super::driver::gpu_count;
use super::gpu::{get_attribute, get_device, get_name, total_memory};
use super::sys::{CUdevice, CUdevice_attribute as Attribute};
use crate::Result;
use crate::compile::Architecture;

/// The name and the main properties of a GPU, for display.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct GpuSummary {
    /// Its name, such as `NVIDIA H200`.
    pub name: String,
    /// Its architecture, which decides the machine code it runs.
    pub architecture: Architecture,
    /// How much memory it has, in bytes.
    pub memory: usize,
    /// How many multiprocessors it has.
    pub multiprocessors: u32,
}

impl GpuSummary {
    /// Every GPU, in CUDA's order.
    pub(crate) fn all() -> Result<Vec<Self>> {
        (0..gpu_count()??).map(Self::of).collect()
    }

    fn of(ordinal: usize) -> Result<Self> {
        let device = get_device(ordinal)?;
        Ok(Self {
            name: get_name(device)?,
            architecture: architecture(device)?,
            memory: total_memory(device)?,
            multiprocessors: get_attribute(device, Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?.unsigned_abs(),
        })
    }
}

/// The compute capability of a device.
pub(super) fn architecture(device: CUdevice) -> Result<Architecture> {
    let part = |attribute| get_attribute(device, attribute).map(i32::unsigned_abs);
    Ok(Architecture {
        major: part(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        minor: part(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    })
}

impl fmt::Display for GpuSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gibibytes = self.memory as f64 / f64::from(1 << 30);
        write!(f, "{} ({}, {gibibytes:.1} GiB, {} multiprocessors)", self.name, self.architecture, self.multiprocessors)
    }
}
